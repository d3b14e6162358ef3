//! The entries of the fast kernels, once for each level of instructions.
//!
//! Each level is a module of its own, and with it a unit that the compiler works on beside the others
//! and keeps as long as nothing in it has changed. What a level lacks is not compiled for it: gathers
//! are of AVX-512 only.

use std::ops::Range;

use fearless_simd::{Level, Simd};

use super::super::bands::{Band, Bands};
use super::super::bins::Chunk;
use super::super::eye::Eye;
use super::super::surface::Surface;
use super::super::vertex::{Extent, Stretch, VertexSetup};
use super::draw::Stages;
use super::look::Seen;
use super::{Feed, Scratch, average, clear, cull, draw, look, transform};
use crate::pose::{ClusterBounds, PosedSurface};

/// Calls a function of a level's module.
macro_rules! call {
    ($module:ident, $simd:ident, $function:ident($($argument:expr),*)) => {
        $module::$function($simd, $($argument),*)
    };
}

/// See [`super::Kernel::transform`].
pub(super) fn transform(
    level: Level,
    setup: &VertexSetup,
    posed: &PosedSurface,
    texcoords: &[[f32; 2]],
    stretch: Stretch,
    xy: &mut [u64],
    attributes: &mut [f32],
) -> Extent {
    by_level!(level, call!(transform(setup, posed, texcoords, stretch, xy, attributes)))
}

/// See [`super::Kernel::look`].
pub(super) fn look(
    level: Level,
    eye: &Eye,
    clusters: &[ClusterBounds],
    size: [i32; 2],
    found: &mut [Seen],
) -> [[i32; 2]; 2] {
    by_level!(level, call!(look(eye, clusters, size, found)))
}

/// See [`super::Kernel::bin`].
pub(super) fn bin(level: Level, surfaces: &[Surface<'_>], bands: &Bands, chunk: &mut Chunk) {
    by_level!(level, call!(bin(surfaces, bands, chunk)));
}

/// See [`super::Kernel::draw`].
pub(super) fn draw(
    level: Level,
    gathers: bool,
    feed: Feed<'_>,
    band: &mut Band<'_>,
    scratch: &mut Scratch,
) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(simd) = level.as_avx512()
        && gathers
    {
        return avx512_gathers::draw(simd, feed, band, scratch.gathering());
    }
    let stages = scratch.loading();
    by_level!(level, call!(draw(feed, band, stages)));
}

/// See [`super::Kernel::clear_depth`].
pub(super) fn clear_depth(level: Level, depth: &mut [f32], stride: usize, columns: Range<usize>) {
    by_level!(level, call!(clear_depth(depth, stride, columns)));
}

/// See [`super::Kernel::fill_dirty`].
pub(super) fn fill_dirty(
    level: Level,
    color: &mut [u32],
    dirty: &mut [u64],
    stride: usize,
    but: &Range<usize>,
    pixel: u32,
) {
    by_level!(level, call!(fill_dirty(color, dirty, stride, but, pixel)));
}

/// See [`super::Kernel::clear_behind`].
pub(super) fn clear_behind(
    level: Level,
    color: &mut [u32],
    depth: &mut [f32],
    dirty: &mut [u64],
    stride: usize,
    lines: &Range<usize>,
    pixel: u32,
) {
    by_level!(level, call!(clear_behind(color, depth, dirty, stride, lines, pixel)));
}

/// See [`super::Kernel::average`].
pub(super) fn average<const N: usize>(level: Level, lines: &[&[[u32; N]]; N], row: &mut [u32]) {
    by_level!(level, call!(average(lines, row)));
}

/// Makes the functions that look at vertices and triangles, those that clear, and the one that averages.
macro_rules! stages {
    ($token:ty) => {
        use super::*;

        pub(super) fn transform(
            simd: $token,
            setup: &VertexSetup,
            posed: &PosedSurface,
            texcoords: &[[f32; 2]],
            stretch: Stretch,
            xy: &mut [u64],
            attributes: &mut [f32],
        ) -> Extent {
            simd.vectorize(
                #[inline(always)]
                || transform::run(simd, setup, posed, texcoords, stretch, xy, attributes),
            )
        }

        pub(super) fn look(
            simd: $token,
            eye: &Eye,
            clusters: &[ClusterBounds],
            size: [i32; 2],
            found: &mut [Seen],
        ) -> [[i32; 2]; 2] {
            simd.vectorize(
                #[inline(always)]
                || look::look(simd, eye, clusters, size, found),
            )
        }

        pub(super) fn bin(
            simd: $token,
            surfaces: &[Surface<'_>],
            bands: &Bands,
            chunk: &mut Chunk,
        ) {
            simd.vectorize(
                #[inline(always)]
                || cull::bin(simd, surfaces, bands, chunk),
            );
        }

        pub(super) fn clear_depth(
            simd: $token,
            depth: &mut [f32],
            stride: usize,
            columns: Range<usize>,
        ) {
            simd.vectorize(
                #[inline(always)]
                || clear::depth(simd, depth, stride, columns),
            );
        }

        pub(super) fn fill_dirty(
            simd: $token,
            color: &mut [u32],
            dirty: &mut [u64],
            stride: usize,
            but: &Range<usize>,
            pixel: u32,
        ) {
            simd.vectorize(
                #[inline(always)]
                || clear::dirty(simd, color, dirty, stride, but, pixel),
            );
        }

        pub(super) fn clear_behind(
            simd: $token,
            color: &mut [u32],
            depth: &mut [f32],
            dirty: &mut [u64],
            stride: usize,
            lines: &Range<usize>,
            pixel: u32,
        ) {
            simd.vectorize(
                #[inline(always)]
                || clear::behind(simd, color, depth, dirty, stride, lines, pixel),
            );
        }

        pub(super) fn average<const N: usize>(
            simd: $token,
            lines: &[&[[u32; N]]; N],
            row: &mut [u32],
        ) {
            simd.vectorize(
                #[inline(always)]
                || average::row(simd, lines, row),
            );
        }
    };
}

/// Makes the function that draws.
macro_rules! drawing {
    ($token:ty, $gathers:literal) => {
        pub(super) fn draw(
            simd: $token,
            feed: super::Feed<'_>,
            band: &mut super::Band<'_>,
            stages: &mut super::Stages<$gathers>,
        ) {
            fearless_simd::Simd::vectorize(
                simd,
                #[inline(always)]
                || super::draw::surfaces(simd, feed, band, stages),
            );
        }
    };
}

mod fallback {
    stages!(fearless_simd::Fallback);
    drawing!(fearless_simd::Fallback, false);
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sse2 {
    stages!(fearless_simd::x86::Sse2);
    drawing!(fearless_simd::x86::Sse2, false);
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod sse4_2 {
    stages!(fearless_simd::x86::Sse4_2);
    drawing!(fearless_simd::x86::Sse4_2, false);
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx2 {
    stages!(fearless_simd::x86::Avx2);
    drawing!(fearless_simd::x86::Avx2, false);
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx512 {
    stages!(fearless_simd::x86::Avx512);
    drawing!(fearless_simd::x86::Avx512, false);
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod avx512_gathers {
    drawing!(fearless_simd::x86::Avx512, true);
}

#[cfg(target_arch = "aarch64")]
mod neon {
    stages!(fearless_simd::aarch64::Neon);
    drawing!(fearless_simd::aarch64::Neon, false);
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    stages!(fearless_simd::wasm32::WasmSimd128);
    drawing!(fearless_simd::wasm32::WasmSimd128, false);
}
