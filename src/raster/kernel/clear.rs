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

use std::ops::Range;

use fearless_simd::{f32x8, f32x16, prelude::*, u32x16};

use super::vectors::Vectors;

/// Depth where nothing is drawn.
const FAR: f32 = 1.0;
/// Pixels of a line of the cache.
const LINE: usize = 16;

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

/// See [`super::Kernel::clear_color`].
#[inline(always)]
pub(super) fn color<S: Vectors>(
    simd: S,
    color: &mut [u32],
    stride: usize,
    columns: Range<usize>,
    pixel: u32,
) {
    if columns.len() == stride {
        return fill(simd, color, pixel);
    }
    for row in color.chunks_exact_mut(stride) {
        fill(simd, &mut row[columns.clone()], pixel);
    }
}

/// Sets all pixels, whole lines of the cache at a time.
#[inline(always)]
fn fill<S: Vectors>(simd: S, color: &mut [u32], pixel: u32) {
    let before = color.as_ptr().align_offset(4 * LINE).min(color.len());
    let (before, rest) = color.split_at_mut(before);
    before.fill(pixel);
    let (lines, rest) = rest.as_chunks_mut::<LINE>();
    let pixels = u32x16::splat(simd, pixel);
    for line in lines {
        pixels.store_array(line);
    }
    rest.fill(pixel);
}

/// See [`super::Kernel::clear_behind`].
#[inline(always)]
pub(super) fn behind<S: Vectors>(
    simd: S,
    color: &mut [u32],
    depth: &mut [f32],
    stride: usize,
    columns: Range<usize>,
    pixel: u32,
) {
    for (color, depth) in color.chunks_exact_mut(stride).zip(depth.chunks_exact_mut(stride)) {
        let columns = whole_lines(color, columns.clone());
        row_behind(simd, &mut color[columns.clone()], &mut depth[columns], pixel);
    }
}

/// Columns of a row, and those before and behind them in the same lines of the cache.
#[inline(always)]
fn whole_lines(row: &[u32], columns: Range<usize>) -> Range<usize> {
    let to_next = row[columns.start..].as_ptr().align_offset(4 * LINE);
    let first = columns.start.saturating_sub((LINE - to_next % LINE) % LINE);
    first..(first + (columns.end - first).next_multiple_of(LINE)).min(row.len())
}

#[inline(always)]
fn row_behind<S: Vectors>(simd: S, color: &mut [u32], depth: &mut [f32], pixel: u32) {
    let (colors, color_rest) = color.as_chunks_mut::<LINE>();
    let (depths, depth_rest) = depth.as_chunks_mut::<LINE>();
    let (pixels, all_far) = (u32x16::splat(simd, pixel), f32x16::splat(simd, FAR));
    for (color, depth) in colors.iter_mut().zip(depths) {
        let far = f32x16::load_array_ref(simd, depth).simd_ge(FAR);
        // One branch more, which is guessed wrong where the model begins and ends, pays where masks are no vectors.
        if const { !S::VECTOR_MASKS } && far.all_true() {
            pixels.store_array(color);
            continue;
        }
        if far.any_true() {
            far.select(pixels, u32x16::load_array_ref(simd, color)).store_array(color);
        }
        all_far.store_array(depth);
    }
    pixels_behind(color_rest, depth_rest, pixel);
}

/// The same as [`behind`], pixel by pixel.
pub(super) fn scalar_behind(
    color: &mut [u32],
    depth: &mut [f32],
    stride: usize,
    columns: Range<usize>,
    pixel: u32,
) {
    for (color, depth) in color.chunks_exact_mut(stride).zip(depth.chunks_exact_mut(stride)) {
        pixels_behind(&mut color[columns.clone()], &mut depth[columns.clone()], pixel);
    }
}

fn pixels_behind(color: &mut [u32], depth: &mut [f32], pixel: u32) {
    for (color, depth) in color.iter_mut().zip(depth) {
        if *depth >= FAR {
            *color = pixel;
        }
        *depth = FAR;
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use proptest::prelude::*;

    use super::*;

    const STRIDE: usize = 75;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn colour_is_cleared_where_depth_is_far_on_every_level(
            depths in prop::collection::vec(
                prop_oneof![3 => Just(FAR), 2 => 0f32..1.0, 1 => Just(-1f32)], 3 * STRIDE),
            // Where nothing is drawn beside a model.
            [left, right] in prop::array::uniform2(0..=STRIDE),
        ) {
            let columns = left.min(right)..left.max(right);
            let within = |i: usize| columns.contains(&(i % STRIDE));
            let depths: Vec<f32> = depths.iter().enumerate()
                .map(|(i, &z)| if within(i) { z } else { FAR }).collect();
            // The background already, but for where the model is.
            let colors: Vec<u32> =
                (0..3 * STRIDE).map(|i| if within(i) { 100 + i as u32 } else { 7 }).collect();
            let expected: Vec<u32> = colors.iter().zip(&depths)
                .map(|(&color, &z)| if z < FAR { color } else { 7 }).collect();
            let check = |clear: &dyn Fn(&mut [u32], &mut [f32])| {
                let (mut color, mut depth) = (colors.clone(), depths.clone());
                clear(&mut color, &mut depth);
                prop_assert_eq!(&color, &expected);
                prop_assert!(depth.iter().all(|&z| z == FAR));
                Ok(())
            };
            check(&|color, depth| scalar_behind(color, depth, STRIDE, columns.clone(), 7))?;
            let best = Level::new();
            let others = [best.as_avx2().map(|simd| simd.level()), best.as_sse4_2().map(|simd| simd.level())];
            let levels = [best, Level::baseline(), Level::fallback()];
            for level in levels.into_iter().chain(others.into_iter().flatten()) {
                let found = dispatch!(level, simd => {
                    check(&|color, depth| behind(simd, color, depth, STRIDE, columns.clone(), 7))
                });
                found?;
            }
        }
    }

    #[test]
    fn rows_are_widened_to_whole_lines_as_far_as_they_go() {
        let memory = [0u32; 256];
        let start = memory.as_ptr().align_offset(4 * LINE);
        // Begins 3 words behind a line.
        let row = &memory[start + 3..start + 103];
        let cases = [
            (0..1, 0..16),
            (12..20, 0..32),
            (13..14, 13..29),
            (15..30, 13..45),
            (95..96, 93..100),
            (9..9, 0..16),
        ];
        for (columns, whole) in cases {
            assert_eq!(whole_lines(row, columns.clone()), whole, "{columns:?}");
        }
    }

    #[test]
    fn columns_alone_are_filled() {
        for columns in [0..STRIDE, 0..0, 3..4, 5..74, 70..STRIDE] {
            let [mut colors, mut expected] = [0; 2].map(|_| vec![1; 2 * STRIDE]);
            let [mut depths, mut far] = [0; 2].map(|_| vec![0.5; 2 * STRIDE]);
            for row in 0..2 {
                let words = row * STRIDE + columns.start..row * STRIDE + columns.end;
                expected[words.clone()].fill(9);
                far[words].fill(FAR);
            }
            dispatch!(Level::new(), simd => {
                color(simd, &mut colors, STRIDE, columns.clone(), 9);
                depth(simd, &mut depths, STRIDE, columns.clone());
            });
            assert_eq!((colors, depths), (expected, far), "{columns:?}");
        }
    }
}
