//! Means of 2 x 2 or 4 x 4 samples, for eight pixels at once: where all of their samples are drawn, as most are. What
//! lies across an outline goes pixel by pixel.

use fearless_simd::{prelude::*, u32x8};

use super::super::scalar::mean_over;
use super::vectors::Vectors;

/// Averages `N` x `N` samples over each pixel of a row, see [`mean_over`]. `lines` has those of every pixel.
#[inline(always)]
pub(super) fn row<S: Vectors, const N: usize>(simd: S, lines: &[&[[u32; N]]; N], row: &mut [u32]) {
    let samples = (N * N) as u32;
    let half = u32x8::splat(simd, samples / 2 * 0x1_0001);
    let shift = const { (N * N).trailing_zeros() };
    let whole = row.len() & !7;
    for x in (0..whole).step_by(8) {
        let [red_blue, green_alpha] = sums(simd, lines, x);
        let alpha = green_alpha >> 16;
        if alpha.simd_eq(255 * samples).all_true() {
            // Both sums of a word at once: neither reaches the other.
            let red_blue = ((red_blue + half) >> shift) & EVEN;
            let green_alpha = ((green_alpha + half) >> shift) & EVEN;
            (red_blue | green_alpha << 8).store_slice(&mut row[x..x + 8]);
        } else if alpha.simd_gt(0).any_true() {
            for (i, pixel) in row[x..x + 8].iter_mut().enumerate() {
                *pixel = mean_over(lines, x + i, *pixel);
            }
        }
    }
    for (i, pixel) in row[whole..].iter_mut().enumerate() {
        *pixel = mean_over(lines, whole + i, *pixel);
    }
}

const EVEN: u32 = 0x00ff_00ff;

/// The sums of red and blue, and of green and alpha, 16 bits each, of eight pixels from number `x` on.
#[inline(always)]
fn sums<S: Vectors, const N: usize>(simd: S, lines: &[&[[u32; N]]; N], x: usize) -> [u32x8<S>; 2] {
    let zero = u32x8::splat(simd, 0);
    let mut sums = [[zero; N]; 2];
    for line in lines {
        let samples = line[x..x + 8].as_flattened();
        for i in 0..N {
            let eight = u32x8::from_slice(simd, &samples[8 * i..8 * i + 8]);
            sums[0][i] += eight & EVEN;
            sums[1][i] += (eight >> 8) & EVEN;
        }
    }
    // Neighbours added until there is one vector.
    let mut left = N;
    while left > 1 {
        left /= 2;
        for i in 0..left {
            for sums in &mut sums {
                let (a, b) = (sums[2 * i], sums[2 * i + 1]);
                sums[i] = a.unzip_low(b) + a.unzip_high(b);
            }
        }
    }
    [sums[0][0], sums[1][0]]
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;

    fn is_the_mean_of_each<const N: usize>() {
        let mut state = 7u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        for drawn in [0, 1, 8, 15, 16] {
            let lines: [Vec<[u32; N]>; N] = std::array::from_fn(|_| {
                let mut sample = || {
                    let is_drawn = random() % 16 < drawn;
                    if is_drawn { random() | 0xff00_0000 } else { 0 }
                };
                (0..43).map(|_| std::array::from_fn(|_| sample())).collect()
            });
            let lines: [&[[u32; N]]; N] = std::array::from_fn(|line| lines[line].as_slice());
            let before: Vec<u32> = (0..43).map(|_| random()).collect();
            let mut expected = before.clone();
            for (x, pixel) in expected.iter_mut().enumerate() {
                *pixel = mean_over(&lines, x, *pixel);
            }
            for level in [Level::baseline(), Level::new(), Level::fallback()] {
                let mut found = before.clone();
                dispatch!(level, simd => row(simd, &lines, &mut found));
                assert_eq!(found, expected, "{N} x {N}, {drawn} of 16 drawn, {level:?}");
            }
        }
    }

    #[test]
    fn eight_means_at_once_are_those_of_each_pixel() {
        is_the_mean_of_each::<2>();
        is_the_mean_of_each::<4>();
    }
}
