//! From the triangles of a surface to pixels: culling, setup, and the filling of each class, in the
//! order of the file.

use super::super::bands::Band;
use super::super::bins::{CulledBlock, SurfaceBlocks};
use super::super::setup::Class;
use super::super::surface::Surface;
use super::boxes::{Corners, Scissor};
use super::cull::{Offsets, of_lane};
use super::list::{List, Strip};
use super::occlusion::Occlusion;
use super::queue::{self, Queue};
use super::setup::{Edges, Group, Weights};
use super::vectors::Vectors;
use super::{Feed, big, cull, fill, span, tiny};

/// Memory of the stages of a kernel, kept from surface to surface and from band to band.
// From a page on, wherever memory begins: at some offsets small triangles take 5 to 10 % longer.
#[derive(Default)]
#[repr(align(4096))]
pub(super) struct Stages<const GATHER: bool> {
    /// Triangles that were culled here, where there are no bins.
    block: CulledBlock,
    tiny: tiny::Scratch,
    span: span::Scratch,
    list: List<GATHER>,
    queue: Queue<GATHER>,
    occlusion: Occlusion,
}

impl<const GATHER: bool> Stages<GATHER> {
    /// Nothing waits, and nothing is known of a band, whatever is left of a draw that ended early.
    fn begin(&mut self, band: &Band<'_>) {
        self.tiny.set_stride(band.stride);
        self.list.clear();
        self.list.deferred.length = 0;
        self.queue.length = 0;
        self.occlusion = Occlusion::default();
    }
}

/// Draws surfaces into a band, one after the other.
#[inline(always)]
pub(super) fn surfaces<S: Vectors, const GATHER: bool>(
    simd: S,
    feed: Feed<'_>,
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    stages.begin(band);
    feed(&mut |(surface, binned)| {
        simd.vectorize(
            #[inline(always)]
            || draw(simd, surface, binned, band, stages),
        );
    });
}

/// Draws triangles of one surface, in order: those of a bin, or all.
///
/// Either way they come in blocks that culling has filled. Blocks of a bin are there; of all triangles
/// one block after the other is culled here, and what is left of it after the last whole group of
/// eight is moved to the front of the next one.
#[inline(always)]
fn draw<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    binned: Option<SurfaceBlocks<'_>>,
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    let scissor =
        Scissor { columns: [0, band.width - 1], rows: [band.rows.start, band.rows.end - 1] };
    let mut culled = binned.is_some();
    let mut binned = binned.into_iter().flatten();
    // The first triangle that is not culled yet, and how many of the block are drawn.
    let (mut next, mut drawn) = (0, 0);
    stages.block.length = 0;
    loop {
        let (binned, range) = if let Some((block, range)) = binned.next() {
            (Some(block), range)
        } else if culled {
            break;
        } else {
            let block = &mut stages.block;
            block.drop_first(drawn);
            next = cull::fill(simd, surface, next, scissor, block);
            culled = next == surface.triangles.len();
            drawn = if culled { block.length } else { block.length & !7 };
            (None, 0..drawn)
        };
        for from in range.clone().step_by(8) {
            let count = (range.end - from).min(8);
            let from = from.min(CulledBlock::CAPACITY - 8);
            let block = binned.unwrap_or(&stages.block);
            let fine = block.corners(simd, from);
            let corners = block.records(simd, surface, from);
            draw_group(simd, surface, fine, &corners, count, scissor, band, stages);
        }
    }
    color_waiting(simd, surface, band, stages);
}

/// Colours what waits for it. Strips of spans come first: they no longer look at the depth, and would go over
/// a tiny fragment that is nearer, while tiny fragments look whether a strip has hidden them.
#[inline(always)]
fn color_waiting<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    stages.list.deferred.paint(simd, surface, band.color);
    queue::flush(simd, surface, band, &mut stages.queue);
}

/// Draws the first `count` of eight triangles that culling has left, with corners `fine`.
///
/// ```text
///   eight triangles
///         |
///    Group::new            class of each: tiny, mid, big; bits of a word, as all sets of lanes
///         |
///  Occlusion::hidden       mid ones behind everything are taken out
///         |
///      prepare             edge functions and weights of all eight at once, into arrays by lane
///         |
///    list_spans            all spans of all mid ones, before the first is filled
///         |
///     draw_runs            in file order, neighbours of one class together
///     /   |   \
///  tiny  fill  big         masks; listed spans; spans of its own
///     \   |   /
///   color_waiting          once many tiny fragments wait, and behind the last group
///         |
///  Occlusion::learn        mid ones with spans of which no pixel was seen
/// ```
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one call in the hot loop, all of it is needed")]
fn draw_group<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    fine: Corners<S>,
    corners: &Offsets,
    count: usize,
    scissor: Scissor,
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    let mut group = Group::new(fine, count, scissor);
    // What is as near as the farthest depth may be drawn where fragments are mixed.
    let may_hide = group.mid != 0 && surface.shading.mix.is_none();
    let hidden = if may_hide {
        stages.occlusion.hidden(simd, surface, &group, corners, scissor, band)
    } else {
        0
    };
    group.mid &= !hidden;
    prepare(simd, &group, scissor, band, stages);
    stages.list.clear();
    let listed = if group.mid != 0 {
        list_spans(simd, surface, &group, corners, scissor, band, stages)
    } else {
        Listed::default()
    };
    draw_runs(simd, surface, &group, corners, &listed, scissor, band, stages);
    if stages.queue.is_full() {
        color_waiting(simd, surface, band, stages);
    }
    if may_hide {
        let unseen = listed.lanes & !stages.list.seen;
        stages.occlusion.learn(simd, &group, hidden, unseen, scissor, band);
    }
}

/// Prepares the tiny and the mid triangles of a group.
#[inline(always)]
fn prepare<S: Vectors, const GATHER: bool>(
    simd: S,
    group: &Group<S>,
    scissor: Scissor,
    band: &Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    if group.tiny | group.mid == 0 {
        return;
    }
    let edges = Edges::new(simd, group);
    let weights = Weights::new(simd, group, &edges);
    if group.tiny != 0 {
        tiny::prepare(simd, group, &edges, &weights, scissor, band, &mut stages.tiny);
    }
    if group.mid != 0 {
        span::prepare(simd, group, &edges, &weights, &mut stages.span);
    }
}

/// What the list holds of the mid triangles of a group.
#[derive(Default)]
struct Listed {
    /// How they are filled, see [`fill::strip`].
    strip: Strip,
    /// Where the spans of each triangle end.
    ends: [usize; 8],
    /// Triangles that have spans.
    lanes: u32,
}

/// Lists the spans of the mid triangles of a prepared group.
#[inline(always)]
fn list_spans<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    group: &Group<S>,
    corners: &Offsets,
    scissor: Scissor,
    band: &Band<'_>,
    stages: &mut Stages<GATHER>,
) -> Listed {
    let Stages { span: scratch, list, .. } = stages;
    list.seen = 0;
    let narrow = 2 * (group.mid & group.narrow).count_ones() > group.mid.count_ones();
    let strip = fill::strip::<S, GATHER>(surface, narrow);
    let mut listed = Listed { strip, ends: [0; 8], lanes: 0 };
    let found = span::find(simd, group.mid, scissor, scratch, band, list);
    let mut rest = group.mid;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize & 7;
        rest &= rest - 1;
        let before = list.length;
        span::set_plane(simd, surface, of_lane(corners, lane), lane, scratch, strip, list);
        span::list(simd, found, lane, scissor, scratch, band, strip, list);
        listed.ends[lane] = list.length;
        listed.lanes |= u32::from(list.length > before) << lane;
    }
    listed
}

/// Draws the triangles of a prepared group in order, neighbours of one class together.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one call in the hot loop, all of it is needed")]
fn draw_runs<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    group: &Group<S>,
    corners: &Offsets,
    listed: &Listed,
    scissor: Scissor,
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    let Stages { tiny: scratch, list, queue: waiting, .. } = stages;
    let mut rest = group.tiny | group.mid | group.big;
    let mut filled = 0;
    while rest != 0 {
        let (class, run) = next_run(rest, group);
        rest &= !run;
        if queue::tests_late(&surface.shading) && !matches!(class, Class::Tiny) {
            queue::flush_late(simd, surface, band, waiting);
        }
        match class {
            Class::Tiny => {
                let triangles = tiny::Triangles { corners, lanes: run, scratch };
                tiny::draw(simd, surface, triangles, band, waiting);
            }
            Class::Mid => {
                let end = listed.ends[(31 - run.leading_zeros()) as usize & 7];
                fill::spans(simd, surface, list, filled..end, listed.strip, band);
                filled = end;
            }
            Class::Big => {
                let lane = run.trailing_zeros() as usize & 7;
                big::draw(simd, surface, of_lane(corners, lane), lane, scissor, band, list);
            }
        }
    }
}

/// The first triangles of `rest` that are of one class, up to the next of another. Big ones go one by
/// one.
///
/// ```text
///   lane      7 6 5 4 3 2 1 0
///   rest      1 1 1 1 1 0 1 0
///   mid       1 1 0 0 1 0 1 0
///   first     0 0 0 0 0 0 1 0     the lowest of rest: mid
///   others    0 0 1 1 0 0 0 0     rest without mid
///   below     0 0 0 0 1 1 1 1     the lowest of the others - 1
///   run       0 0 0 0 1 0 1 0     rest and below
/// ```
#[inline(always)]
fn next_run<S: Vectors>(rest: u32, group: &Group<S>) -> (Class, u32) {
    let first = rest & rest.wrapping_neg();
    let (class, lanes) = if group.tiny & first != 0 {
        (Class::Tiny, group.tiny)
    } else if group.mid & first != 0 {
        (Class::Mid, group.mid)
    } else {
        (Class::Big, first)
    };
    let others = rest & !lanes;
    let below = (others & others.wrapping_neg()).wrapping_sub(1);
    (class, rest & below)
}
