//! The fast kernels: eight triangles are culled and set up at once, eight or sixteen pixels shaded at
//! once. The way of a triangle (`draw`): `cull`, `occlusion`, `setup`, then `tiny`, or `span` (`big`)
//! and `fill`; colours come from `plain`, `shade` or `filter`.
//!
//! Every level of instructions gives the bits of `scalar.rs`: the same additions and
//! multiplications in the same order, no fused multiply-add, no estimates, and conversions to
//! integers only in range. Helpers are `#[inline(always)]`: one that is not would be compiled
//! without the instruction set of its caller. There is one dispatch per band.

mod big;
mod cull;
mod draw;
mod fetch;
mod fill;
mod filter;
mod occlusion;
mod plain;
mod setup;
mod shade;
mod span;
mod tiny;
mod transform;

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};

use super::bins::{Band, Bin, Chunk, Left};
use super::level::SimdLevel;
use super::plan::{Plan, SurfacePlan};
use super::shade::{ATTRIBUTES, Shading};
use super::vertex::{Extent, ScreenVertices, VertexSetup};
use crate::look::Cull;
use crate::pose::PosedSurface;

/// What the kernels read of one surface.
#[derive(Clone, Copy)]
pub(crate) struct Surface<'a> {
    /// Packed screen positions, see [`super::vertex::packed`].
    xy: &'a [u64],
    /// [`ATTRIBUTES`] floats a vertex, and at least three more at the end.
    attributes: &'a [f32],
    cull: Cull,
    shading: Shading<'a>,
    plain: Option<plain::Plain<'a>>,
}

impl<'a> Surface<'a> {
    /// The vertices of `surface` from `base` on.
    pub(crate) fn new(
        surface: &'a SurfacePlan<'_>,
        base: usize,
        vertices: &'a ScreenVertices,
    ) -> Self {
        Self {
            xy: &vertices.xy[base..],
            attributes: &vertices.attributes[base * ATTRIBUTES..],
            cull: surface.cull,
            shading: surface.shading(),
            plain: plain::Plain::of(&surface.shading()),
        }
    }
}

/// A surface, its triangles, and what culling has left of them in a bin, if there are bins.
type ToDraw<'a> = (Surface<'a>, &'a [[u32; 3]], Option<Left<'a>>);

/// Whether sixteen lanes are one vector.
#[inline(always)]
pub(super) fn has_sixteen<S: Simd>(simd: S) -> bool {
    matches!(simd.level(), Level::Avx512(_))
}

/// An instruction set that was found on the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    level: Level,
    /// Fetch texels by gathers, if the level has them.
    gathers: bool,
}

impl Kernel {
    /// The kernel of a level; `None` for the scalar one and for levels that the machine lacks.
    pub(crate) fn of(level: SimdLevel) -> Option<Self> {
        let best = Level::new();
        let found = match level {
            SimdLevel::Auto => Some(best),
            SimdLevel::Scalar => None,
            SimdLevel::Fallback => Some(Level::fallback()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            SimdLevel::Sse2 => best.as_sse2().map(|simd| simd.level()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            SimdLevel::Sse42 => best.as_sse4_2().map(|simd| simd.level()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            SimdLevel::Avx2 => best.as_avx2().map(|simd| simd.level()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            SimdLevel::Avx512 => best.as_avx512().map(|simd| simd.level()),
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon => best.as_neon().map(|simd| simd.level()),
            _ => None,
        };
        found.map(|level| Self { level, gathers: fetch::gathers_pay() })
    }

    /// Fetches texels by gathers or not, whatever pays on this machine.
    pub(crate) fn with_gathers(self, gathers: bool) -> Self {
        Self { gathers, ..self }
    }

    /// Transforms and lights vertices `first..first + xy.len()` (both multiples of 8) of a surface.
    pub(crate) fn transform(
        self,
        setup: &VertexSetup,
        posed: &PosedSurface,
        texcoords: &[[f32; 2]],
        first: usize,
        xy: &mut [u64],
        attributes: &mut [f32],
    ) -> Extent {
        dispatch!(self.level, simd => transform::run(simd, setup, posed, texcoords, first, xy, attributes))
    }

    /// Sorts the triangles of a chunk into its bins; bands are `band_rows` high.
    pub(crate) fn bin(
        self,
        plan: &Plan<'_>,
        clipped: &[Vec<[u32; 3]>],
        vertices: &ScreenVertices,
        size: [i32; 2],
        band_rows: i32,
        chunk: &mut Chunk,
    ) {
        dispatch!(self.level, simd => {
            let Chunk { stretches, bins } = chunk;
            for stretch in stretches.iter() {
                let surface = &plan.surfaces[stretch.surface];
                let (base, triangles) = surface.drawn(&clipped[stretch.surface]);
                let view = Surface::new(surface, base, vertices);
                let triangles = &triangles[stretch.triangles.clone()];
                let first = stretch.triangles.start;
                cull::bin(simd, &view, stretch.surface, triangles, first, size, band_rows, bins);
            }
        });
    }

    /// Draws all triangles of all surfaces into the band.
    pub(crate) fn draw_all(
        self,
        plan: &Plan<'_>,
        clipped: &[Vec<[u32; 3]>],
        vertices: &ScreenVertices,
        band: &mut Band<'_>,
    ) {
        let mut all = plan.surfaces.iter().zip(clipped).map(|(surface, clipped)| {
            let (base, triangles) = surface.drawn(clipped);
            (Surface::new(surface, base, vertices), triangles, None)
        });
        self.draw(&mut all, band);
    }

    /// Draws the binned triangles of a band.
    pub(crate) fn draw_bins<'a>(
        self,
        plan: &Plan<'_>,
        clipped: &[Vec<[u32; 3]>],
        vertices: &ScreenVertices,
        bins: impl Iterator<Item = &'a Bin>,
        band: &mut Band<'_>,
    ) {
        let mut all = bins.flat_map(Bin::surfaces).map(|(number, left)| {
            let surface = &plan.surfaces[number];
            let (base, triangles) = surface.drawn(&clipped[number]);
            (Surface::new(surface, base, vertices), triangles, Some(left))
        });
        self.draw(&mut all, band);
    }

    /// Makes rows of depth far, in columns `columns`.
    pub(crate) fn clear_depth(self, depth: &mut [f32], stride: usize, columns: Range<usize>) {
        dispatch!(self.level, simd => {
            let far = f32x8::splat(simd, 1.0);
            for row in depth.chunks_exact_mut(stride) {
                for eight in row[columns.clone()].as_chunks_mut::<8>().0 {
                    far.store_array(eight);
                }
            }
        });
    }

    fn draw<'a>(self, surfaces: &mut dyn Iterator<Item = ToDraw<'a>>, band: &mut Band<'_>) {
        dispatch!(self.level, simd => {
            if has_sixteen(simd) && self.gathers {
                draw_surfaces::<_, true>(simd, surfaces, band);
            } else {
                draw_surfaces::<_, false>(simd, surfaces, band);
            }
        });
    }
}

#[inline(always)]
fn draw_surfaces<'a, S: Simd, const GATHER: bool>(
    simd: S,
    surfaces: &mut dyn Iterator<Item = ToDraw<'a>>,
    band: &mut Band<'_>,
) {
    let mut stages = draw::Stages::<GATHER>::new(band);
    for (surface, triangles, left) in surfaces {
        draw::draw(simd, &surface, triangles, left, band, &mut stages);
    }
}
