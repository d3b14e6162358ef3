//! Transposition: eight records become vectors of one attribute each, and the other way round.
//!
//! Shuffles within a half of a vector are cheap, those across are not. So rows are zipped twice within
//! each half of four, which leaves columns of four rows; then halves change places:
//!
//! ```text
//!   rows               zipped with the next but one    and once more         halves
//!   a0 .. a3|a4 .. a7  a0 c0 a1 c1|a4 c4 a5 c5         a0 b0 c0 d0|a4 ..     a0 b0 c0 d0|e0 f0 g0 h0
//!   b0 .. b3|b4 .. b7  a2 c2 a3 c3|a6 c6 a7 c7         a1 b1 c1 d1|a5 ..     a1 b1 c1 d1|e1 f1 g1 h1
//! ```

use fearless_simd::{f32x8, mask32x8, prelude::*, u8x32, u32x8};

use super::vectors::Vectors;

/// Rows become columns.
#[inline(always)]
pub(super) fn transposed<S: Vectors>(rows: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    let first = columns_of_four([a.bitcast(), b.bitcast(), c.bitcast(), d.bitcast()]);
    let last = columns_of_four([e.bitcast(), f.bitcast(), g.bitcast(), h.bitcast()]);
    let mut columns = rows;
    for i in 0..4 {
        let ((low, high), (low_end, high_end)) = (first[i].split(), last[i].split());
        columns[i] = low.combine(low_end).bitcast();
        columns[i + 4] = high.combine(high_end).bitcast();
    }
    columns
}

/// Columns of four rows: 0 and 4 in the first vector, 1 and 5 in the second and so on.
#[inline(always)]
pub(super) fn columns_of_four<S: Vectors>([a, b, c, d]: [u32x8<S>; 4]) -> [u32x8<S>; 4] {
    let ([ac, ac_end], [bd, bd_end]) = (zipped(a, c), zipped(b, d));
    let ([first, second], [third, fourth]) = (zipped(ac, bd), zipped(ac_end, bd_end));
    [first, second, third, fourth]
}

/// Columns of eight rows of three, for levels of [`Vectors::EIGHT`]: others take more shuffles than single loads.
///
/// ```text
///   loaded            a0 b0 c0 a1 ..   b1 c1 a2 b2 ..   c2 a3 b3 c3 ..    each half of four rows
///   chosen of them    a0 a3 a2 a1 ..   b1 b0 b3 b2 ..   c2 c1 c0 c3 ..
///   in order          a0 a1 a2 a3 ..   b0 b1 b2 b3 ..   c0 c1 c2 c3 ..
/// ```
#[inline(always)]
pub(super) fn columns_of_three<S: Vectors>([l, m, n]: [u32x8<S>; 3]) -> [u32x8<S>; 3] {
    let simd = l.simd;
    let second = mask32x8::from_bitmask(simd, 0b0010_0010);
    let third = mask32x8::from_bitmask(simd, 0b0100_0100);
    let a = third.select(m, second.select(n, l));
    let b = second.select(l, third.select(n, m));
    let c = second.select(m, third.select(l, n));
    [
        ordered(simd, a, const { words([0, 3, 2, 1]) }),
        ordered(simd, b, const { words([1, 0, 3, 2]) }),
        ordered(simd, c, const { words([2, 1, 0, 3]) }),
    ]
}

/// Lanes in another order, by the indices of their bytes within each half.
#[inline(always)]
fn ordered<S: Vectors>(simd: S, v: u32x8<S>, bytes: [u8; 32]) -> u32x8<S> {
    simd.swizzle_dyn_within_blocks_u32x8(v, u8x32::load_array(simd, bytes))
}

/// Lower and upper values of two vectors in turn, each half for itself.
#[inline(always)]
fn zipped<S: Vectors>(a: u32x8<S>, b: u32x8<S>) -> [u32x8<S>; 2] {
    if const { S::EIGHT } {
        return [
            joined_within(a, b, const { words([0, 0, 1, 1]) }, 0b1010_1010),
            joined_within(a, b, const { words([2, 2, 3, 3]) }, 0b1010_1010),
        ];
    }
    let (low, high) = (a.zip_low(b).split(), a.zip_high(b).split());
    [low.0.combine(high.0), low.1.combine(high.1)]
}

/// Even and odd values of two vectors, each half for itself: those of the first, then of the second.
#[inline(always)]
pub(super) fn unzipped<S: Vectors>(a: u32x8<S>, b: u32x8<S>) -> [u32x8<S>; 2] {
    if const { S::EIGHT } {
        return [
            joined_within(a, b, const { words([0, 2, 0, 2]) }, 0b1100_1100),
            joined_within(a, b, const { words([1, 3, 1, 3]) }, 0b1100_1100),
        ];
    }
    let ((a, a_end), (b, b_end)) = (a.split(), b.split());
    [
        a.unzip_low(b).combine(a_end.unzip_low(b_end)),
        a.unzip_high(b).combine(a_end.unzip_high(b_end)),
    ]
}

/// Words of two vectors, those of `bytes` within each half: of the second in some lanes, of the first in the others.
///
/// Shuffles of bytes and a choice between them become the one shuffle of two vectors that there is. Of a
/// zip across the halves the compiler does not see that on AVX2, and takes twice as many of half as long.
#[inline(always)]
fn joined_within<S: Vectors>(
    a: u32x8<S>,
    b: u32x8<S>,
    bytes: [u8; 32],
    of_second: u64,
) -> u32x8<S> {
    let simd = a.simd;
    let bytes = u8x32::load_array(simd, bytes);
    let of_second = mask32x8::from_bitmask(simd, of_second);
    let (a, b) = (
        simd.swizzle_dyn_within_blocks_u32x8(a, bytes),
        simd.swizzle_dyn_within_blocks_u32x8(b, bytes),
    );
    of_second.select(b, a)
}

/// Indices of the bytes of four words, for each half.
pub(super) const fn words(words: [u8; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 32 {
        bytes[i] = 4 * words[i / 4 % 4] + i as u8 % 4;
        i += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;

    #[test]
    fn even_and_odd_words_part_within_halves_on_every_level() {
        for level in [Level::baseline(), Level::new(), Level::fallback()] {
            dispatch!(level, simd => {
                let a = u32x8::load_array(simd, std::array::from_fn(|i| i as u32));
                let [even, odd]: [[u32; 8]; 2] = unzipped(a, a + 10).map(Into::into);
                assert_eq!(even, [0, 2, 10, 12, 4, 6, 14, 16], "{level:?}");
                assert_eq!(odd, [1, 3, 11, 13, 5, 7, 15, 17], "{level:?}");
            });
        }
    }

    #[test]
    fn rows_become_columns_on_every_level() {
        let value = |row: usize, column: usize| (8 * row + column) as f32;
        for level in [Level::baseline(), Level::new(), Level::fallback()] {
            dispatch!(level, simd => {
                let mut rows = [f32x8::splat(simd, 0.0); 8];
                for row in 0..8 {
                    rows[row] = f32x8::load_array(simd, std::array::from_fn(|i| value(row, i)));
                }
                let columns = transposed(rows);
                for column in 0..8 {
                    let found: [f32; 8] = columns[column].into();
                    assert_eq!(found, std::array::from_fn(|row| value(row, column)));
                }
            });
        }
    }
}
