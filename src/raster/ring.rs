//! The vertex stage into a ring of vertices, which stays in the second-level cache.

use std::ops::Range;

use prefetch_index::prefetch_index;

use super::kernel::Kernel;
use super::plan::SurfacePlan;
use super::shade::ATTRIBUTES;
use super::vertex::{Extent, RING, ScreenVertices};

/// Transforms some vertices of a surface (from a multiple of eight to another) to where the ring has them.
/// Returns whether they are all inside.
pub(crate) fn transform(
    ring: &mut ScreenVertices,
    surface: &SurfacePlan<'_>,
    kernel: Kernel,
    vertices: Range<usize>,
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
        is_inside &= surface.transform(kernel, first, xy, records).inside;
        first += count;
    }
    is_inside
}

impl SurfacePlan<'_> {
    /// Prefetches what the vertex stage reads of the vertices from number `first` on, as far as the processor takes to
    /// see by itself which way the eight streams go.
    pub(crate) fn prefetch(&self, first: usize) {
        let ([x, y, z], [nx, ny, nz]) = (&self.posed.position, &self.posed.normal);
        let (axes, texcoords): ([&[f32]; 6], &[_]) = ([x, y, z, nx, ny, nz], &self.texcoords);
        // What is needed first of all streams comes first.
        for ahead in [0, 16, 32, 48] {
            for axis in axes {
                prefetch_index(axis, first + ahead);
            }
            for half in [0, 8] {
                prefetch_index(texcoords, first + ahead + half);
            }
        }
    }

    /// Transforms vertices `first..first + xy.len()` of the surface.
    pub(crate) fn transform(
        &self,
        kernel: Kernel,
        first: usize,
        xy: &mut [u64],
        records: &mut [f32],
    ) -> Extent {
        let Self { setup, posed, texcoords, .. } = self;
        let extent = kernel.transform(setup, posed, texcoords, first, xy, records);
        if !extent.inside {
            self.found_outside();
        }
        extent
    }
}
