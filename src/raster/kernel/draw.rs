//! From the triangles of a surface to pixels: culling, setup, and the filling of each class, in the
//! order of the file.

use fearless_simd::Simd;

use super::super::bins::Band;
use super::cull::{Front, ROOM, Window, in_eights};
use super::occlusion::Occlusion;
use super::setup::{Edges, Group, Weights};
use super::{Surface, big, fill, span, tiny};

/// Memory of the stages of a kernel, kept from surface to surface.
pub(super) struct Stages<const GATHER: bool> {
    front: Front,
    tiny: tiny::Scratch,
    span: span::Scratch,
    list: span::List<GATHER>,
    queue: tiny::Queue<GATHER>,
    occlusion: Occlusion,
}

impl<const GATHER: bool> Stages<GATHER> {
    pub(super) fn new(band: &Band<'_>) -> Self {
        Self {
            front: Front::default(),
            tiny: tiny::Scratch::new(band.stride),
            span: span::Scratch::default(),
            list: span::List::default(),
            queue: tiny::Queue::default(),
            occlusion: Occlusion::default(),
        }
    }
}

/// Draws triangles of one surface, in order.
#[inline(always)]
pub(super) fn draw<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    triangles: &[[u32; 3]],
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    let window =
        Window { columns: [0, band.width - 1], rows: [band.rows.start, band.rows.end - 1] };
    let (eights, tail) = in_eights(triangles);
    let mut eights = eights.iter().chain(&tail).enumerate();
    let mut at_end = false;
    stages.front.length = 0;
    while !at_end {
        while !at_end && !stages.front.is_full() {
            match eights.next() {
                Some((i, eight)) => stages.front.push(simd, surface, eight, 8 * i, window),
                None => at_end = true,
            }
        }
        let length = stages.front.length;
        let ready = if at_end { length } else { length & !7 };
        for from in (0..ready).step_by(8) {
            let count = (ready - from).min(8);
            draw_group(simd, surface, triangles, from, count, window, band, stages);
        }
        stages.front.drop_first(ready);
    }
    tiny::flush(simd, surface, band, &mut stages.queue);
}

/// Draws up to eight triangles that culling has left.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one call in the hot loop, all of it is needed")]
fn draw_group<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    triangles: &[[u32; 3]],
    from: usize,
    count: usize,
    window: Window,
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    let Stages { front, tiny: tiny_scratch, span: span_scratch, list, queue, occlusion } = stages;
    let from = from.min(ROOM - 8);
    let mut group = Group::new(front.corners(simd, from), count, window);
    let corners = front.vertices(triangles, from);
    let hidden = occlusion.hidden(simd, surface, &group, &corners, window, band);
    group.mid &= !hidden;
    if group.tiny | group.mid != 0 {
        let edges = Edges::new(simd, &group);
        let weights = Weights::new(simd, &group, &edges);
        if group.tiny != 0 {
            tiny::prepare(simd, &group, &edges, &weights, window, band, tiny_scratch);
        }
        if group.mid != 0 {
            span::prepare(simd, &group, &edges, &weights, span_scratch);
        }
    }
    list.length = 0;
    list.seen = 0;
    let mut ends = [0; 8];
    let mut listed = 0;
    let mut mid = group.mid;
    while mid != 0 {
        let lane = mid.trailing_zeros() as usize & 7;
        mid &= mid - 1;
        let before = list.length;
        span::list(simd, surface, corners[lane], lane, window, span_scratch, band, list);
        ends[lane] = list.length;
        listed |= u32::from(list.length > before) << lane;
    }
    let mut rest = group.tiny | group.mid | group.big;
    let mut drawn = 0;
    while rest != 0 {
        // Triangles of a class up to the next of another go together.
        let first = rest & rest.wrapping_neg();
        let class = if group.tiny & first != 0 {
            group.tiny
        } else if group.mid & first != 0 {
            group.mid
        } else {
            first
        };
        let others = rest & !class;
        let run = rest & (others & others.wrapping_neg()).wrapping_sub(1);
        rest &= !run;
        if group.tiny & first != 0 {
            tiny::draw(simd, surface, &corners, run, tiny_scratch, band, queue);
        } else if group.mid & first != 0 {
            let end = ends[(31 - run.leading_zeros()) as usize & 7];
            if group.wide & run != 0 {
                fill::each::<S, GATHER, true>(simd, surface, list, drawn..end, band);
            } else {
                fill::short(simd, surface, list, drawn..end, band);
            }
            drawn = end;
        } else {
            let lane = first.trailing_zeros() as usize & 7;
            big::draw(simd, surface, corners[lane], lane, window, band, list);
        }
    }
    occlusion.learn(simd, &group, hidden, listed & !list.seen, window, band);
}
