//! From the triangles of a surface to pixels: culling, setup, and the filling of each class, in the
//! order of the file.

use fearless_simd::Simd;

use super::super::bins::{Band, Front, Left};
use super::cull::{Corners, Culled, Eight, Window, in_eights};
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

/// Draws triangles of one surface, in order: those that culling has `left` in a bin, or all.
#[inline(always)]
pub(super) fn draw<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    triangles: &[[u32; 3]],
    left: Option<Left<'_>>,
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    let window =
        Window { columns: [0, band.width - 1], rows: [band.rows.start, band.rows.end - 1] };
    let (eights, tail) = in_eights(triangles);
    let mut eights = eights.iter().chain(&tail).enumerate();
    let mut culled = left.is_some();
    let mut left = left.into_iter().flatten();
    let mut ready = 0;
    stages.front.length = 0;
    loop {
        let (binned, range) = if let Some((front, range)) = left.next() {
            (Some(front), range)
        } else if culled {
            break;
        } else {
            let front = &mut stages.front;
            front.drop_first(ready);
            while !culled && !front.is_full() {
                match eights.next() {
                    Some((i, eight)) => {
                        let eight = Culled::new(simd, surface, eight, 8 * i, window);
                        front.push(&eight, eight.visible);
                    }
                    None => culled = true,
                }
            }
            ready = if culled { front.length } else { front.length & !7 };
            (None, 0..ready)
        };
        for from in range.clone().step_by(8) {
            let count = (range.end - from).min(8);
            let from = from.min(Front::ROOM - 8);
            let front = binned.unwrap_or(&stages.front);
            let fine = front.corners(simd, from);
            let corners = front.vertices(triangles, from);
            draw_group(simd, surface, fine, &corners, count, window, band, stages);
        }
    }
    tiny::flush(simd, surface, band, &mut stages.queue);
}

/// Draws the first `count` of eight triangles that culling has left, with corners `fine`.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one call in the hot loop, all of it is needed")]
fn draw_group<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    fine: Corners<S>,
    corners: &Eight,
    count: usize,
    window: Window,
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    let Stages { tiny: tiny_scratch, span: span_scratch, list, queue, occlusion, .. } = stages;
    let mut group = Group::new(fine, count, window);
    let hidden = occlusion.hidden(simd, surface, &group, corners, window, band);
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
    let narrow = 2 * (group.mid & group.narrow).count_ones() > group.mid.count_ones();
    let at_once = fill::at_once(simd, surface, narrow);
    let mut ends = [0; 8];
    let mut listed = 0;
    let mut mid = group.mid;
    while mid != 0 {
        let lane = mid.trailing_zeros() as usize & 7;
        mid &= mid - 1;
        let before = list.length;
        span::list(simd, surface, corners[lane], lane, window, span_scratch, band, at_once, list);
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
            tiny::draw(simd, surface, corners, run, tiny_scratch, band, queue);
        } else if group.mid & first != 0 {
            let end = ends[(31 - run.leading_zeros()) as usize & 7];
            fill::spans(simd, surface, list, drawn..end, at_once, band);
            drawn = end;
        } else {
            let lane = first.trailing_zeros() as usize & 7;
            big::draw(simd, surface, corners[lane], lane, window, band, list);
        }
    }
    occlusion.learn(simd, &group, hidden, listed & !list.seen, window, band);
}
