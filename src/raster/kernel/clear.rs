//! Clearing a band: its colour, and its depth, which is far again behind every draw.
//!
//! Memory is slower than the kernels. Colour that is cleared before it is drawn over goes through the cache twice, and
//! nothing is drawn meanwhile. So where a draw tells all that it changes by the depth, colour is cleared behind it, where
//! depth is still far, in one pass with the depth:
//!
//! ```text
//!             before the draw       drawn             cleared behind it
//!   depth     1   1   1   1         1   .5  .7  1     1   1   1   1
//!   colour    the last picture's    ?   A   B   ?     bg  A   B   bg
//! ```
//!
//! The depth test is LESS, so what was drawn is nearer than 1. What is mixed with what is there cannot wait for it.
//!
//! Lines of the cache that show the background already, as bits tell (`dirty.rs`), are not touched where nothing is drawn:
//! neither their colour nor, as it is far, their depth.

use std::ops::Range;

use fearless_simd::{f32x8, f32x16, prelude::*, u32x16};

use super::super::dirty::{self, LINE, WORD, bits_of};
use super::vectors::Vectors;

/// Depth where nothing is drawn.
const FAR: f32 = 1.0;

/// See [`super::Kernel::clear_depth`].
#[inline(always)]
pub(super) fn depth<S: Vectors>(simd: S, depth: &mut [f32], stride: usize, columns: Range<usize>) {
    let far = f32x8::splat(simd, FAR);
    for row in depth.chunks_exact_mut(stride) {
        let (eights, rest) = row[columns.clone()].as_chunks_mut::<8>();
        for eight in eights {
            far.store_array(eight);
        }
        rest.fill(FAR);
    }
}

/// See [`super::Kernel::fill_dirty`].
#[inline(always)]
pub(super) fn dirty<S: Vectors>(
    simd: S,
    color: &mut [u32],
    dirty: &mut [u64],
    stride: usize,
    but: &Range<usize>,
    pixel: u32,
) {
    let pixels = u32x16::splat(simd, pixel);
    dirty::fill(
        color,
        dirty,
        stride,
        but,
        #[inline(always)]
        |line| pixels.store_array(line),
    );
}

/// See [`super::Kernel::clear_behind`].
#[inline(always)]
pub(super) fn behind<S: Vectors>(
    simd: S,
    color: &mut [u32],
    depth: &mut [f32],
    dirty: &mut [u64],
    stride: usize,
    lines: &Range<usize>,
    pixel: u32,
) {
    let (pixels, all_far) = (u32x16::splat(simd, pixel), f32x16::splat(simd, FAR));
    each_line(
        color,
        depth,
        dirty,
        stride,
        lines,
        #[inline(always)]
        |color, depth, is_dirty| {
            let far = f32x16::load_array_ref(simd, depth).simd_ge(FAR);
            if far.all_true() {
                if is_dirty {
                    pixels.store_array(color);
                }
                return false;
            }
            if far.any_true() {
                far.select(pixels, u32x16::load_array_ref(simd, color)).store_array(color);
            }
            all_far.store_array(depth);
            true
        },
    );
}

/// The same as [`behind`], pixel by pixel.
pub(super) fn scalar_behind(
    color: &mut [u32],
    depth: &mut [f32],
    dirty: &mut [u64],
    stride: usize,
    lines: &Range<usize>,
    pixel: u32,
) {
    each_line(color, depth, dirty, stride, lines, |color, depth, _| {
        let is_drawn = depth.iter().any(|&depth| depth < FAR);
        for (color, depth) in color.iter_mut().zip(depth) {
            if *depth >= FAR {
                *color = pixel;
            }
            *depth = FAR;
        }
        is_drawn
    });
}

/// Goes through some lines of every row, with whether they are dirty, and takes whether they are now.
#[inline(always)]
fn each_line(
    color: &mut [u32],
    depth: &mut [f32],
    dirty: &mut [u64],
    stride: usize,
    lines: &Range<usize>,
    mut draw: impl FnMut(&mut [u32; LINE], &mut [f32; LINE], bool) -> bool,
) {
    let rows = color.chunks_exact_mut(stride).zip(depth.chunks_exact_mut(stride));
    for ((color, depth), dirty) in rows.zip(dirty.chunks_exact_mut(dirty::words_of(stride))) {
        let (color, _) = color.as_chunks_mut::<LINE>();
        let (depth, _) = depth.as_chunks_mut::<LINE>();
        let mut first = lines.start;
        while first < lines.end {
            let number = first / WORD;
            let end = (WORD * (number + 1)).min(lines.end);
            let word = &mut dirty[number];
            let (mut bit, mut drawn) = (1 << (first % WORD), 0);
            for (color, depth) in color[first..end].iter_mut().zip(&mut depth[first..end]) {
                if draw(color, depth, *word & bit != 0) {
                    drawn |= bit;
                }
                bit <<= 1;
            }
            *word = *word & !bits_of(lines, number) | drawn;
            first = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use proptest::prelude::*;

    use super::*;

    /// Lines of a row: two words of bits.
    const LINES: usize = 70;
    const STRIDE: usize = LINES * LINE;
    const ROWS: usize = 2;

    /// Of colour, depth and dirty lines.
    type Clear<'a> = dyn Fn(&mut [u32], &mut [f32], &mut [u64]) + 'a;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn colour_is_cleared_where_depth_is_far_on_every_level(
            // Of each line what depth it has, whether it was drawn before, and one number for all of it.
            kinds in prop::collection::vec((0..4, any::<bool>(), any::<u64>()), ROWS * LINES),
            [left, right] in prop::array::uniform2(0..=LINES),
        ) {
            let lines = left.min(right)..left.max(right);
            let mut dirty_before = [0; ROWS * 2];
            let mut dirty_then = [0; ROWS * 2];
            let (mut colors, mut depths, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            for (i, &(kind, was_drawn, random)) in kinds.iter().enumerate() {
                let (row, line) = (i / LINES, i % LINES);
                let (word, bit) = (2 * row + line / WORD, line % WORD);
                let is_inside = lines.contains(&line);
                let near = match kind {
                    _ if !is_inside => 0,
                    0 => random as u16,
                    1 => u16::MAX,
                    _ => 0,
                };
                // What the draw has changed is no background, whatever it was before.
                let found = |pixel: u32| if was_drawn { 100 + pixel } else { 7 };
                for pixel in 0..LINE as u32 {
                    let is_near = near >> pixel & 1 != 0;
                    let color = if is_near { 900 + pixel } else { found(pixel) };
                    colors.push(color);
                    let depth = if random >> 63 != 0 { -1.0 } else { 0.999 };
                    depths.push(if is_near { depth } else { FAR });
                    expected.push(if is_inside && !is_near { 7 } else { color });
                }
                dirty_before[word] |= u64::from(was_drawn) << bit;
                let is_dirty = if is_inside { near != 0 } else { was_drawn };
                dirty_then[word] |= u64::from(is_dirty) << bit;
            }
            let check = |clear: &Clear<'_>| {
                let (mut color, mut depth, mut dirty) =
                    (colors.clone(), depths.clone(), dirty_before);
                clear(&mut color, &mut depth, &mut dirty);
                prop_assert_eq!(&color, &expected);
                prop_assert_eq!(dirty, dirty_then);
                prop_assert!(depth.iter().all(|&z| z == FAR));
                Ok(())
            };
            check(&|color, depth, dirty| scalar_behind(color, depth, dirty, STRIDE, &lines, 7))?;
            let best = Level::new();
            let others = [best.as_avx2().map(|simd| simd.level()), best.as_sse4_2().map(|simd| simd.level())];
            let levels = [best, Level::baseline(), Level::fallback()];
            for level in levels.into_iter().chain(others.into_iter().flatten()) {
                let found = dispatch!(level, simd => {
                    check(&|color, depth, dirty| behind(simd, color, depth, dirty, STRIDE, &lines, 7))
                });
                found?;
            }
        }
    }

    #[test]
    fn dirty_lines_alone_are_filled() {
        for but in [0..0, 3..66] {
            let pattern = [0x8000_0000_0000_0029, 0b110, 0, u64::MAX];
            let [mut colors, mut expected] = [0; 2].map(|_| vec![1; ROWS * STRIDE]);
            let [mut found, mut kept] = [pattern; 2];
            dirty::fill(&mut expected, &mut kept, STRIDE, &but, |line| line.fill(9));
            dispatch!(Level::new(), simd => {
                dirty(simd, &mut colors, &mut found, STRIDE, &but, 9);
            });
            assert_eq!((colors, found), (expected, kept), "{but:?}");
        }
    }

    #[test]
    fn depth_is_far_in_some_columns() {
        const STRIDE: usize = 75;
        for columns in [0..STRIDE, 0..0, 3..4, 5..74, 70..STRIDE] {
            let [mut depths, mut far] = [0; 2].map(|_| vec![0.5; 2 * STRIDE]);
            for row in 0..2 {
                far[row * STRIDE + columns.start..row * STRIDE + columns.end].fill(FAR);
            }
            dispatch!(Level::new(), simd => depth(simd, &mut depths, STRIDE, columns.clone()));
            assert_eq!(depths, far, "{columns:?}");
        }
    }
}
