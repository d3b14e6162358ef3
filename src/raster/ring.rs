//! The vertex stage into a ring of vertices, which stays in the second-level cache.

use std::ops::Range;

use super::kernel::Kernel;
use super::plan::SurfacePlan;
use super::shade::ATTRIBUTES;
use super::vertex::{Extent, RING, ScreenVertices, Stretch};

/// Transforms some vertices of a surface (from a multiple of eight to another) to where the ring has them, before
/// those from number `next` on (see [`Stretch`]). Returns whether they are all inside.
pub(crate) fn transform(
    ring: &mut ScreenVertices,
    surface: &SurfacePlan<'_>,
    kernel: Kernel,
    vertices: Range<usize>,
    next: Option<usize>,
) -> bool {
    ring.resize(RING, RING);
    let ScreenVertices { xy, attributes } = ring;
    let mut is_inside = true;
    let mut first = vertices.start;
    while first < vertices.end {
        let slot = first % RING;
        let count = (vertices.end - first).min(RING - slot);
        let xy = &mut xy[slot..slot + count];
        let records = &mut attributes[slot * ATTRIBUTES..(slot + count) * ATTRIBUTES];
        let end = first + count;
        let next = next.map(|next| if end < vertices.end { end } else { next });
        is_inside &= surface.transform(kernel, Stretch { first, next }, xy, records).inside;
        first = end;
    }
    is_inside
}

impl SurfacePlan<'_> {
    /// Transforms `xy.len()` vertices of the surface.
    pub(crate) fn transform(
        &self,
        kernel: Kernel,
        stretch: Stretch,
        xy: &mut [u64],
        records: &mut [f32],
    ) -> Extent {
        let Self { setup, posed, texcoords, .. } = self;
        let extent = kernel.transform(setup, posed, texcoords, stretch, xy, records);
        if !extent.inside {
            self.found_outside();
        }
        extent
    }
}
