//! Some of eight lanes stored together at the front, zeros behind them.
//!
//! Where bytes cannot be moved by an index, as with SSE2, the library's compression is a loop over the
//! bytes of the vector. There every lane is stored to its place, zeros for those that are not kept: the
//! next one that is goes over them.
//!
//! ```text
//!   lane       0  1  2  3  4  5  6  7
//!   some       1  0  0  1  0  1  1  0
//!   place      0  1  1  1  2  2  3  4      how many come before
//!   stored     0  3  5  6  .  .  .  .
//! ```

use fearless_simd::{i32x8, mask32x8, prelude::*, u32x8};

use super::vectors::Vectors;

/// Which lanes are kept, for several vectors.
pub(super) struct Compaction<S: Vectors> {
    some: mask32x8<S>,
    /// For levels without shuffles of bytes.
    places: Option<[u8; 8]>,
    zero: u32x8<S>,
}

impl<S: Vectors> Compaction<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, some: mask32x8<S>) -> Self {
        let mut places = None;
        if S::LACKS_INSTRUCTIONS {
            let bits = some.to_bitmask();
            let (mut found, mut before) = ([0; 8], 0);
            for lane in 0..8 {
                found[lane] = before;
                before += (bits >> lane & 1) as u8;
            }
            places = Some(found);
        }
        Self { some, places, zero: u32x8::splat(simd, 0) }
    }
}

/// Makes the function for one type of vectors.
macro_rules! store {
    ($name:ident, $vector:ident, $lane:ident) => {
        impl<S: Vectors> Compaction<S> {
            /// Writes eight values: the lanes that are kept, then zeros.
            #[inline(always)]
            pub(super) fn $name(&self, values: $vector<S>, out: &mut [$lane]) {
                let Some(places) = &self.places else {
                    return values.compress(self.some).store_slice(out);
                };
                let kept: [$lane; 8] = self.some.select(values, self.zero.bitcast()).into();
                let out = &mut out[..8];
                out.fill($lane::default());
                for lane in 0..8 {
                    out[usize::from(places[lane] & 7)] = kept[lane];
                }
            }
        }
    };
}

store!(store_ints, i32x8, i32);
store!(store_words, u32x8, u32);

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;

    #[test]
    fn lanes_that_are_kept_come_first_on_every_level() {
        for level in [Level::baseline(), Level::new(), Level::fallback()] {
            for bits in 0..256u64 {
                let expected: Vec<i32> = (0..8).filter(|lane| bits >> lane & 1 != 0).collect();
                dispatch!(level, simd => {
                    let values = i32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
                    let some = Compaction::new(simd, mask32x8::from_bitmask(simd, bits));
                    let (mut ints, mut words) = ([9; 8], [9; 8]);
                    some.store_ints(values, &mut ints);
                    some.store_words(values.bitcast::<u32x8<_>>(), &mut words);
                    let behind = std::iter::repeat_n(0, 8 - expected.len());
                    for (i, lane) in expected.iter().copied().chain(behind).enumerate() {
                        assert_eq!((ints[i], words[i]), (lane, lane as u32));
                    }
                });
            }
        }
    }
}
