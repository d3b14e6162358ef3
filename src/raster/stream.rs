//! Large surfaces drawn piece by piece: some vertices, then the triangles that they are of.
//!
//! A million triangles have 14 MB of vertices on the screen. The vertex stage would send them through the
//! caches to memory, and the kernel would fetch them back. So where one thread draws the picture as one band the
//! vertex stage goes only as far as the next few thousand triangles reach, and writes into a ring, which
//! stays in the second-level cache:
//!
//! ```text
//!   triangles     [   run 0   |   run 1   |   run 2   | ..
//!   vertices      [............................................     of the surface
//!   run 1         .     |=============|         .                   reaches from here to there, see `Reach`
//!   transformed   ================|             .                   before run 1
//!                                 |---|         .                   for run 1
//!   in the ring       |===============|         .                   the last 16 384
//! ```
//!
//! Triangles are drawn in their order, and a vertex becomes the same wherever it stands, so no pixel can tell.
//! Surfaces whose triangles reach farther than the ring, or that are clipped, go through the stages whole,
//! small ones several at a time.

use super::StageClock;
use super::bands::{self, Band};
use super::clear::ColorRows;
use super::kernel::{Kernel, ToDraw};
use super::plan::{Plan, SurfacePlan};
use super::target::{Target, indices};
use super::threads::Threads;
use super::vertex::{MANY_VERTICES, RING};
use super::work::{Scratch, Work};
use crate::model::Reach;

/// Whether one thread is to draw like this: where vertices are many, and the picture is one band.
pub(crate) fn pays(plan: &Plan<'_>, target: &Target<'_>) -> bool {
    plan.vertex_count > MANY_VERTICES && bands::is_one_band(target, plan.triangle_count())
}

/// Draws all surfaces over what the target holds, on this thread.
pub(crate) fn draw(
    work: &mut Work,
    plan: &mut Plan<'_>,
    kernel: Kernel,
    target: &mut Target<'_>,
    clock: &mut StageClock<'_>,
) {
    let (area, clear) = (target.area().map(indices), target.clear.take());
    let Target { width, height, stride, ref mut color, ref mut depth, ref mut dirty, .. } = *target;
    let mut colors = ColorRows { color, dirty: dirty.as_deref_mut() };
    let told_by_depth = depth.is_none() && !plan.is_mixed();
    let behind = colors.clear_before(kernel, stride, &area, clear, told_by_depth);
    let mut scratch = std::mem::take(work.scratch());
    let is_kept = depth.is_some();
    let mut far = None;
    let depth = match depth {
        Some(depth) => depth,
        None => &mut far.insert(scratch.take_depth(colors.color.len()))[..colors.color.len()],
    };
    let (number, rows, width) = (0, 0..height as i32, width as i32);
    let farthest = Scratch::farthest(&mut scratch.farthest, stride, height);
    let color = &mut *colors.color;
    let mut band = Band { number, rows, width, stride, color, depth: &mut *depth, farthest };
    let mut feed = |draw: &mut dyn FnMut(ToDraw<'_>)| {
        let mut rest = &mut *plan.surfaces;
        while let [surface, ..] = rest {
            let take = if is_streamed(surface) { stream } else { batch };
            rest = take(work, rest, kernel, draw, clock);
        }
    };
    kernel.draw_fed(&mut feed, &mut band, &mut scratch.kernel);
    if !is_kept {
        colors.clear_behind(kernel, depth, stride, &area, behind);
    }
    scratch.depth = far.unwrap_or(scratch.depth);
    clock.stage("kernel", 0, target.width * target.height);
    *work.scratch() = scratch;
}

/// Whether a surface does not fit the ring whole, but each run of its triangles does.
fn is_streamed(surface: &SurfacePlan<'_>) -> bool {
    surface.count > RING && !surface.needs_clip() && surface.fits_ring()
}

/// Draws the first surface run after run. Returns the others; when a vertex turns out to be outside, with the
/// surface and what is left of its triangles.
fn stream<'s, 'a>(
    work: &mut Work,
    surfaces: &'s mut [SurfacePlan<'a>],
    kernel: Kernel,
    draw: &mut dyn FnMut(ToDraw<'_>),
    clock: &mut StageClock<'_>,
) -> &'s mut [SurfacePlan<'a>] {
    let surface = &mut surfaces[0];
    let (mut transformed, mut drawn) = (0, 0);
    for run in surface.reach() {
        let end = run.end.next_multiple_of(8) as usize;
        if end > transformed {
            let is_inside = work.transform_into_ring(surface, kernel, transformed..end);
            clock.stage("vertex", end - transformed, end - transformed);
            if !is_inside {
                surface.triangles = &surface.triangles[drawn..];
                return surfaces;
            }
            transformed = end;
        }
        let next = (drawn + Reach::RUN).min(surface.triangles.len());
        draw((&surface.streamed(work.ring(), drawn..next, None), None));
        clock.stage("kernel", next - drawn, 0);
        drawn = next;
    }
    clock.stage("clip", drawn, drawn);
    &mut surfaces[1..]
}

/// Draws the first surfaces, as many as fit the ring together, stage by stage. Returns the others.
fn batch<'s, 'a>(
    work: &mut Work,
    surfaces: &'s mut [SurfacePlan<'a>],
    kernel: Kernel,
    draw: &mut dyn FnMut(ToDraw<'_>),
    clock: &mut StageClock<'_>,
) -> &'s mut [SurfacePlan<'a>] {
    let (mut vertices, mut triangles, mut count) = (0, 0, 0);
    for surface in &mut *surfaces {
        if count > 0 && vertices + surface.count > RING {
            break;
        }
        surface.base = vertices;
        vertices += surface.count;
        triangles += surface.triangles.len();
        count += 1;
    }
    let (batch, others) = surfaces.split_at_mut(count);
    work.transform(batch, kernel, &Threads::One);
    clock.stage("vertex", vertices, vertices);
    let drawing = work.clip(batch, kernel, &Threads::One);
    let clipped = drawing.triangle_count();
    clock.stage("clip", triangles, clipped);
    drawing.feed(draw);
    clock.stage("kernel", clipped, 0);
    others
}
