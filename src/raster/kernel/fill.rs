//! Fills listed spans: depth test, shading and colour of several pixels at once, from each span's own left
//! end. Where `path` or `blocks` is given colours come later, by `deferred.rs`.
//!
//! Sixteen pixels are of two or four spans (`fill_sixteen.rs`), eight of one or two (`fill_eight.rs`):
//! spans are shorter than a vector of 512 bits, mostly, and those of small triangles shorter than one of 256.

use std::ops::Range;

use super::super::bands::Band;
use super::super::shade::FastPath;
use super::super::surface::Surface;
use super::deferred::Paint;
use super::fill_eight::{each, halves};
use super::fill_sixteen::{pairs, quads};
use super::list::List;
use super::vectors::Vectors;
use super::{filter, mix, shade};

/// How many spans are filled at once: 1, 2 or 4. So many stand together in the list, all of one
/// triangle, the last ones maybe empty.
#[inline(always)]
pub(super) fn at_once<S: Vectors, const GATHER: bool>(
    surface: &Surface<'_>,
    narrow: bool,
) -> usize {
    let shading = &surface.shading;
    if shading.mix.is_some() {
        return 1;
    }
    let is_nearest = shade::is_nearest(shading);
    let is_colored_later = path_of::<GATHER>(surface).is_some();
    let has_blocks = !S::EMULATED && surface.plain_blocks.is_some();
    let by_sixteen = S::SIXTEEN && is_nearest && !is_colored_later || has_blocks;
    if by_sixteen {
        if narrow { 4 } else { 2 }
    } else if narrow && (is_nearest || filter::is_served::<S>(shading)) {
        2
    } else {
        1
    }
}

/// The commonest shading, where its colours come later, see `deferred.rs`. It is filled by eight pixels, even where
/// sixteen lanes are one vector: there is little left to wait for, and spans are short.
#[inline(always)]
fn path_of<'a, const GATHER: bool>(surface: &'a Surface<'_>) -> Option<&'a FastPath<'a>> {
    if GATHER { None } else { surface.fast_path.as_ref() }
}

/// Fills spans, `at_once` of them together.
#[inline(never)]
pub(super) fn spans<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    at_once: usize,
    band: &mut Band<'_>,
) {
    if let Some(mix) = surface.shading.mix {
        return mix::spans(simd, surface, mix, list, spans, band);
    }
    simd.vectorize(
        #[inline(always)]
        || spans_inline(simd, surface, list, spans, at_once, band),
    );
}

#[inline(always)]
fn spans_inline<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    at_once: usize,
    band: &mut Band<'_>,
) {
    // Loops of their own: with the choice inside, everything that shading needs goes through memory.
    if const { !S::EMULATED }
        && let Some(blocks) = surface.plain_blocks
    {
        let paint = Paint::Filtered(&surface.shading, blocks);
        list.deferred.set_spans(simd, paint, at_once, band.color);
        match at_once {
            4 => quads(simd, surface, Some(blocks), list, spans, band),
            _ => pairs(simd, surface, Some(blocks), list, spans, band),
        }
        return;
    }
    if let Some(path) = path_of::<GATHER>(surface) {
        list.deferred.set_spans(simd, Paint::Nearest(path), at_once, band.color);
        match at_once {
            2 => halves(simd, surface, Some(path), list, spans, band),
            _ => each(simd, surface, Some(path), list, spans, band),
        }
        return;
    }
    if const { S::SIXTEEN } && shade::is_nearest(&surface.shading) {
        match at_once {
            4 => quads(simd, surface, None, list, spans, band),
            _ => pairs(simd, surface, None, list, spans, band),
        }
        return;
    }
    match at_once {
        2 => halves(simd, surface, None, list, spans, band),
        _ => each(simd, surface, None, list, spans, band),
    }
}
