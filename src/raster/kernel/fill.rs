//! Fills listed spans: depth test, shading and colour of several pixels at once, from each span's own left
//! end. Where `path` or `plain` is given colours come later, by `deferred.rs`.
//!
//! Sixteen pixels are of two or four spans (`fill_sixteen.rs`), eight of one or two (`fill_eight.rs`):
//! spans are shorter than a vector of 512 bits, mostly, and those of small triangles shorter than one of 256.

use std::ops::Range;

use super::super::bands::Band;
use super::super::surface::Surface;
use super::deferred::Paint;
use super::fill_eight::{each, halves};
use super::fill_sixteen::{pairs, quads};
use super::list::{List, Strip};
use super::plain_blocks::Plain;
use super::vectors::Vectors;
use super::{filter, mix, shade};

/// How spans of a surface are filled, narrow ones or others.
///
/// By sixteen pixels where those are one vector, else by eight. Narrow ones of the commonest shading are filled by eight
/// even there: what four spans of four take to put together is more than what it spares.
#[inline(always)]
pub(super) fn strip<S: Vectors, const GATHER: bool>(surface: &Surface<'_>, narrow: bool) -> Strip {
    let shading = &surface.shading;
    if shading.mix.is_some() {
        return Strip::Eight;
    }
    let is_nearest = shade::is_nearest(shading);
    if surface.fast_path.is_some() {
        match narrow {
            true => Strip::TwoFours,
            false if colors_by_sixteen::<S, GATHER>() => Strip::TwoEights,
            false => Strip::Eight,
        }
    } else if S::SIXTEEN && (is_nearest || surface.plain_blocks.is_some()) {
        if narrow { Strip::FourFours } else { Strip::TwoEights }
    } else if narrow && (is_nearest || filter::is_served::<S>(shading)) {
        Strip::TwoFours
    } else {
        Strip::Eight
    }
}

/// Whether spans of the commonest shading that are not narrow are filled by sixteen pixels, and coloured at once: where
/// one instruction gathers their texels. Levels of four lanes are asked for by tests only, see [`Vectors::SIXTEEN`].
const fn colors_by_sixteen<S: Vectors, const GATHER: bool>() -> bool {
    S::SIXTEEN && (GATHER || !S::EIGHT)
}

/// Fills spans, as many together as a strip is of.
#[inline(never)]
pub(super) fn spans<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    strip: Strip,
    band: &mut Band<'_>,
) {
    if let Some(mix) = surface.shading.mix {
        return mix::spans(simd, surface, mix, list, spans, band);
    }
    simd.vectorize(
        #[inline(always)]
        || spans_inline(simd, surface, list, spans, strip, band),
    );
}

#[inline(always)]
fn spans_inline<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    strip: Strip,
    band: &mut Band<'_>,
) {
    // Loops of their own: with the choice inside, everything that shading needs goes through memory.
    if const { !S::EMULATED }
        && let Some(blocks) = surface.plain_blocks
    {
        let paint = Paint::Filtered(&surface.shading, blocks);
        list.deferred.set_strip(simd, paint, strip, band.color);
        let plain = Plain::new(&surface.shading, blocks);
        if const { S::SIXTEEN } {
            match strip {
                Strip::FourFours => quads(simd, surface, Some(&plain), list, spans, band),
                _ => pairs(simd, surface, None, Some(&plain), list, spans, band),
            }
        } else {
            match strip {
                Strip::TwoFours => halves(simd, surface, None, Some(&plain), list, spans, band),
                _ => each(simd, surface, None, Some(&plain), list, spans, band),
            }
        }
        return;
    }
    if let Some(path) = &surface.fast_path {
        // What is coloured at once lies over what waits, too.
        list.deferred.set_strip(simd, Paint::Nearest(path), strip, band.color);
        match strip {
            Strip::TwoFours => halves(simd, surface, Some(path), None, list, spans, band),
            _ if const { colors_by_sixteen::<S, GATHER>() } => {
                pairs(simd, surface, Some(path), None, list, spans, band);
            }
            _ => each(simd, surface, Some(path), None, list, spans, band),
        }
        return;
    }
    if const { S::SIXTEEN } && shade::is_nearest(&surface.shading) {
        match strip {
            Strip::FourFours => quads(simd, surface, None, list, spans, band),
            _ => pairs(simd, surface, None, None, list, spans, band),
        }
        return;
    }
    match strip {
        Strip::TwoFours => halves(simd, surface, None, None, list, spans, band),
        _ => each(simd, surface, None, None, list, spans, band),
    }
}
