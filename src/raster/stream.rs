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
use super::bands::Bands;
use super::kernel::Kernel;
use super::plan::{Plan, SurfacePlan};
use super::target::Target;
use super::vertex::RING;
use super::work::Work;
use crate::model::Reach;

/// Vertices up to which the caches hold them all.
const MANY_VERTICES: usize = 1 << 16;

/// Whether one thread is to draw like this: where vertices are many, and the picture is one band.
pub(crate) fn pays(plan: &Plan<'_>, target: &Target<'_>) -> bool {
    plan.vertex_count > MANY_VERTICES && Bands::of(target, plan.triangle_count(), 1).count == 1
}

/// Draws all surfaces over what the target holds, on this thread.
pub(crate) fn draw(
    work: &mut Work,
    plan: &mut Plan<'_>,
    kernel: Kernel,
    target: &mut Target<'_>,
    clock: &mut StageClock<'_>,
) {
    let bands = Bands::whole(target);
    let mut own_depth = work.take_depth();
    if let Some(pixel) = target.clear.take() {
        kernel.clear_color(target.color, pixel);
    }
    let depth = match &mut target.depth {
        Some(depth) => depth,
        None => {
            let pixels = target.color.len();
            own_depth.resize(own_depth.len().max(pixels), 1.0);
            let depth = &mut own_depth[..pixels];
            kernel.clear_depth(depth, target.stride, 0..target.stride);
            depth
        }
    };
    let mut target =
        Target { color: &mut *target.color, depth: Some(depth), clear: None, ..*target };
    let mut next = 0;
    while let Some(surface) = plan.surfaces.get_mut(next) {
        if surface.count > RING && fits(surface) {
            stream(work, surface, kernel, &bands, &mut target, clock);
            if surface.triangles.is_empty() {
                next += 1;
                continue;
            }
        }
        // Small surfaces go through the stages together.
        let mut end = 0;
        let first = next;
        while let Some(surface) = plan.surfaces.get_mut(next)
            && (end == 0 || end + surface.count <= RING)
        {
            surface.base = end;
            end += surface.count;
            next += 1;
        }
        let surfaces = &mut plan.surfaces[first..next];
        let triangles = surfaces.iter().map(|surface| surface.triangles.len()).sum();
        work.transform(surfaces, kernel, 1);
        clock.stage("vertex", end, end);
        let drawing = work.clip(surfaces, kernel, 1);
        let clipped = drawing.triangle_count();
        clock.stage("clip", triangles, clipped);
        drawing.draw(&bands, &mut target);
        clock.stage("kernel", clipped, 0);
    }
    clock.stage("kernel", 0, target.width * target.height);
    work.give_depth(own_depth);
}

/// Whether all that a run of triangles needs is in the ring when its last vertex is.
fn fits(surface: &SurfacePlan<'_>) -> bool {
    let mut end = 0;
    surface.expansion.is_none()
        && surface.reach().iter().all(|run| {
            end = end.max(run.end.next_multiple_of(8) as usize);
            end - run.start as usize <= RING
        })
}

/// Draws run after run, as long as vertices are inside; takes what it has drawn off the surface.
fn stream(
    work: &mut Work,
    surface: &mut SurfacePlan<'_>,
    kernel: Kernel,
    bands: &Bands,
    target: &mut Target<'_>,
    clock: &mut StageClock<'_>,
) {
    let (mut transformed, mut drawn) = (0, 0);
    for run in surface.reach() {
        let end = run.end.next_multiple_of(8) as usize;
        if end > transformed {
            let is_inside = work.transform_into_ring(surface, kernel, transformed..end);
            clock.stage("vertex", end - transformed, end - transformed);
            if !is_inside {
                break;
            }
            transformed = end;
        }
        let next = (drawn + Reach::RUN).min(surface.triangles.len());
        work.piece(surface, kernel, drawn..next).draw(bands, target);
        clock.stage("kernel", next - drawn, 0);
        drawn = next;
    }
    clock.stage("clip", drawn, drawn);
    surface.triangles = &surface.triangles[drawn..];
}
