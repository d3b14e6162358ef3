//! The kernels, which transform, sort and draw: the scalar twin and the fast ones of each instruction
//! set.
//!
//! A fast kernel culls and sets up eight triangles at once and shades eight or sixteen pixels at once.
//! The way of a triangle (`draw`): `cull`, `occlusion`, `setup`, then `tiny` and `queue`, or `span` (`big`),
//! `list`, `fill` and `deferred`; colours come from `fast_path`, `shade`, `blocks` or `filter`, and `mix` lays them
//! over what is there. `clear` comes behind all of it.
//!
//! Every level of instructions gives the bits of `scalar.rs`: the same additions and
//! multiplications in the same order, no fused multiply-add, no estimates, and conversions to
//! integers only in range. Helpers are `#[inline(always)]`: one that is not would be compiled
//! without the instruction set of its caller. Functions that are meant to be called have `vectorize`
//! inside.

#[macro_use]
mod vectors;

mod average;
mod big;
mod blocks;
mod boxes;
mod clear;
mod compact;
mod cull;
mod deferred;
mod deferred_blocks;
mod depth_test;
mod draw;
mod fast_path;
mod fetch;
mod fill;
mod fill_eight;
mod fill_sixteen;
mod filter;
mod floor;
mod levels;
mod list;
mod look;
mod mipmaps;
mod mix;
mod occlusion;
mod places;
mod plain_blocks;
mod queue;
mod setup;
mod shade;
mod span;
mod spread;
mod tiny;
mod transform;
mod transpose;

use std::ops::Range;

use fearless_simd::{Level, Simd};

use super::bands::{Band, Bands};
use super::bins::{Bins, Chunk, SurfaceBlocks};
use super::dirty;
use super::eye::Eye;
use super::level::SimdLevel;
use super::scalar;
use super::surface::Surface;
use super::vertex::{self, Extent, Stretch, VertexSetup};
use crate::pose::{ClusterBounds, PosedSurface};

pub(crate) use look::Seen;

/// A surface, and what culling has left of it in a bin, if there are bins.
pub(crate) type ToDraw<'a> = (&'a Surface<'a>, Option<SurfaceBlocks<'a>>);

/// Hands surfaces to what draws them, one after the other.
pub(crate) type Feed<'a> = &'a mut dyn FnMut(&mut dyn FnMut(ToDraw<'_>));

/// What a thread's kernel needs to draw. Nothing in it is of use to the next band; it is kept because to make it anew
/// for each takes one or two microseconds.
#[derive(Default)]
pub(crate) struct Scratch {
    loading: Option<Box<draw::Stages<false>>>,
    gathering: Option<Box<draw::Stages<true>>>,
}

impl Scratch {
    /// Of kernels that load texels one by one.
    fn loading(&mut self) -> &mut draw::Stages<false> {
        self.loading.get_or_insert_default()
    }

    /// Of those that gather them.
    fn gathering(&mut self) -> &mut draw::Stages<true> {
        self.gathering.get_or_insert_default()
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

/// What runs the stages of a draw. All kernels draw the same picture.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    /// `scalar.rs`: one vertex, one triangle, one pixel at a time.
    Scalar,
    /// With an instruction set that was found on the machine.
    Simd {
        level: Level,
        /// Fetch texels by gathers, if the level has them.
        gathers: bool,
    },
}

/// The best that the machine has.
impl Default for Kernel {
    fn default() -> Self {
        Self::with_level(Level::new())
    }
}

impl Kernel {
    /// The vectors of what else is drawn with them. The scalar twin has none of its own.
    pub(crate) fn level(self) -> Level {
        match self {
            Self::Scalar => Level::fallback(),
            Self::Simd { level, .. } => level,
        }
    }

    /// The kernel of a level; `None` if the machine lacks it.
    pub(crate) fn of(level: SimdLevel) -> Option<Self> {
        let best = Level::new();
        let found = match level {
            SimdLevel::Auto => Some(best),
            SimdLevel::Scalar => return Some(Self::Scalar),
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
        found.map(Self::with_level)
    }

    fn with_level(level: Level) -> Self {
        Self::Simd { level, gathers: fetch::gathers_pay() }
    }

    /// Whether triangles are sorted into bins before so many bands are drawn. The scalar twin looks
    /// at all triangles for every band, and nothing is to be sorted for one band.
    pub(crate) fn needs_bins(self, bands: usize) -> bool {
        matches!(self, Self::Simd { .. }) && bands > 1
    }

    /// Transforms and lights `xy.len()` vertices of a surface, a multiple of 8.
    pub(crate) fn transform(
        self,
        setup: &VertexSetup,
        posed: &PosedSurface,
        texcoords: &[[f32; 2]],
        stretch: Stretch,
        xy: &mut [u64],
        attributes: &mut [f32],
    ) -> Extent {
        match self {
            Self::Scalar => {
                vertex::transform(setup, posed, texcoords, stretch.first, xy, attributes)
            }
            Self::Simd { level, .. } => {
                levels::transform(level, setup, posed, texcoords, stretch, xy, attributes)
            }
        }
    }

    /// Looks at clusters of a surface, eight by eight, and writes what it finds. Returns the first and last column
    /// and row of all that can be seen. The scalar twin, which looks at every triangle, sees none.
    pub(crate) fn look(
        self,
        eye: &Eye,
        clusters: &[ClusterBounds],
        size: [i32; 2],
        found: &mut [Seen],
    ) -> [[i32; 2]; 2] {
        match self {
            Self::Scalar => {
                found.fill(Seen::default());
                [[i32::MAX, i32::MIN]; 2]
            }
            Self::Simd { level, .. } => levels::look(level, eye, clusters, size, found),
        }
    }

    /// Sorts the triangles of a chunk into its bins, if the kernel draws by bins.
    pub(crate) fn bin(self, surfaces: &[Surface<'_>], bands: &Bands, chunk: &mut Chunk) {
        match self {
            Self::Scalar => {}
            Self::Simd { level, .. } => levels::bin(level, surfaces, bands, chunk),
        }
    }

    /// Draws all surfaces into a band, or what is in its bins.
    pub(crate) fn draw(
        self,
        surfaces: &[Surface<'_>],
        bins: Option<&Bins>,
        band: &mut Band<'_>,
        scratch: &mut Scratch,
    ) {
        let number = band.number;
        let mut feed = |draw: &mut dyn FnMut(ToDraw<'_>)| match bins {
            Some(bins) => {
                let binned = bins.of_band(number);
                binned.for_each(|(number, blocks)| draw((&surfaces[number], Some(blocks))));
            }
            None => surfaces.iter().for_each(|surface| draw((surface, None))),
        };
        self.draw_fed(&mut feed, band, scratch);
    }

    /// Draws surfaces into a band as they come. What one is made of may become another's when it is drawn.
    pub(crate) fn draw_fed(self, feed: Feed<'_>, band: &mut Band<'_>, scratch: &mut Scratch) {
        match self {
            Self::Scalar => feed(&mut |(surface, _)| scalar::draw(surface, band)),
            Self::Simd { level, gathers } => levels::draw(level, gathers, feed, band, scratch),
        }
    }

    /// Fills the dirty lines of rows with a pixel, but for some, see [`dirty::fill`].
    pub(crate) fn fill_dirty(
        self,
        color: &mut [u32],
        dirty: &mut [u64],
        stride: usize,
        but: &Range<usize>,
        pixel: u32,
    ) {
        match self {
            Self::Scalar => dirty::fill(color, dirty, stride, but, |line| line.fill(pixel)),
            Self::Simd { level, .. } => {
                levels::fill_dirty(level, color, dirty, stride, but, pixel);
            }
        }
    }

    /// Behind a draw that began with all depth far: fills dirty lines with a pixel where it still is, and makes all of it
    /// far again, in some lines of every row. Dirty are then those of them in which something was drawn.
    pub(crate) fn clear_behind(
        self,
        color: &mut [u32],
        depth: &mut [f32],
        dirty: &mut [u64],
        stride: usize,
        lines: &Range<usize>,
        pixel: u32,
    ) {
        match self {
            Self::Scalar => clear::scalar_behind(color, depth, dirty, stride, lines, pixel),
            Self::Simd { level, .. } => {
                levels::clear_behind(level, color, depth, dirty, stride, lines, pixel);
            }
        }
    }

    /// Averages `N` x `N` samples (2 or 4) over each pixel of a row, see [`scalar::mean_over`].
    pub(crate) fn average<const N: usize>(self, lines: &[&[[u32; N]]; N], row: &mut [u32]) {
        match self {
            Self::Scalar => scalar::average(lines, row),
            Self::Simd { level, .. } => levels::average(level, lines, row),
        }
    }

    /// Makes rows of depth far, in columns `columns`.
    pub(crate) fn clear_depth(self, depth: &mut [f32], stride: usize, columns: Range<usize>) {
        match self {
            Self::Scalar => depth.fill(1.0),
            Self::Simd { level, .. } => levels::clear_depth(level, depth, stride, columns),
        }
    }
}
