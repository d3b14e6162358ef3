//! Loads by index: one after the other, or by a gather instruction.
//!
//! Which is faster depends on the processor. Safe code cannot ask for a gather: the compiler chooses by
//! what it sees. Of a loop over an array of indices it makes
//!
//! ```text
//!   loop writes to         AVX-512                        other levels
//!   a variable             16 loads, 16 inserts           8 loads, 8 inserts
//!   memory from outside    1 gather, 1 store, 1 load      8 loads, 8 stores, 1 load
//! ```
//!
//! as long as it can see that every index is inside (a mask, or a minimum with the last). So [`Memory`]
//! is handed around where gathers are wanted, and the load that reads it back takes its value from
//! the store.
//!
//! Single loads go by indices in memory, see [`stored`].
//!
//! `GATHER` says which of the two loops is compiled. It is a type parameter of everything that holds a
//! `Memory`, down from the entry of the kernel, because a choice between the loops at run time, however
//! far outside, ends in one loop again: the compiler finds that both load the same, and merges them.
//! `tests/gathers.rs` finds the instructions in an executable.

use std::hint::black_box;
use std::sync::LazyLock;

use fearless_simd::{f32x8, i32x8, prelude::*, u16x8, u32x4, u32x8, u64x4};

use super::super::vertex::RECORDS;
use super::transpose::unzipped;
use super::vectors::Vectors;

/// Where loads by index write to, so that they become gathers if `GATHER` says so.
pub(super) struct Memory<const GATHER: bool> {
    pub(super) found: [u32; 16],
}

impl<const GATHER: bool> Default for Memory<GATHER> {
    fn default() -> Self {
        Self { found: [0; 16] }
    }
}

/// Indices in memory, for single loads.
///
/// The compiler takes them out of the vector one by one: two instructions each, all but one of them
/// on the port of the shuffles. A store and loads of its parts take half as many, on ports that have
/// less to do. `black_box` lets it not see that the vector is still there.
#[inline(always)]
pub(super) fn stored<T: Copy, const N: usize>(indices: [T; N]) -> [T; N] {
    black_box(indices)
}

/// Whether a gather is faster than single loads, if there is one: on Intel's processors it is, on
/// those of AMD it is not.
pub(super) fn gathers_pay() -> bool {
    static INTEL: LazyLock<bool> = LazyLock::new(is_intel);
    *INTEL
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn is_intel() -> bool {
    let vendor = raw_cpuid::CpuId::new().get_vendor_info();
    vendor.is_some_and(|vendor| vendor.as_str() == "GenuineIntel")
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn is_intel() -> bool {
    false
}

/// What a vertex is named by: its number, or its slot of 16 bits.
pub(super) trait VertexIndex: Copy + Default {
    fn number(self) -> u32;

    /// Those of eight triangles, as [`super::transpose::columns_of_three`] takes them.
    fn rows<S: Vectors>(simd: S, triangles: &[[Self; 3]; 8]) -> [u32x8<S>; 3];
}

impl VertexIndex for u32 {
    #[inline(always)]
    fn number(self) -> u32 {
        self
    }

    #[inline(always)]
    fn rows<S: Vectors>(simd: S, triangles: &[[u32; 3]; 8]) -> [u32x8<S>; 3] {
        let (first, last) = triangles.as_flattened().split_at(12);
        let mut rows = [u32x8::splat(simd, 0); 3];
        for i in 0..3 {
            let four = 4 * i..4 * i + 4;
            let fours = [&first[four.clone()], &last[four]];
            rows[i] = u32x4::from_slice(simd, fours[0]).combine(u32x4::from_slice(simd, fours[1]));
        }
        rows
    }
}

impl VertexIndex for u16 {
    #[inline(always)]
    fn number(self) -> u32 {
        u32::from(self)
    }

    #[inline(always)]
    fn rows<S: Vectors>(simd: S, triangles: &[[u16; 3]; 8]) -> [u32x8<S>; 3] {
        let flat = triangles.as_flattened();
        let (a, b) = u16x8::from_slice(simd, &flat[..8]).widen();
        let (c, d) = u16x8::from_slice(simd, &flat[8..16]).widen();
        let (e, f) = u16x8::from_slice(simd, &flat[16..]).widen();
        [a.combine(d), b.combine(e), c.combine(f)]
    }
}

/// Packed positions by the numbers of vertices.
pub(super) trait Positions: Copy {
    fn at(self, vertex: u32) -> u64;
}

/// Any number of them: every load is checked, and all checks of a group come before the first load.
impl Positions for &[u64] {
    #[inline(always)]
    fn at(self, vertex: u32) -> u64 {
        self[vertex as usize]
    }
}

/// A power of two of them: under a mask no number needs a check. It says the slot in a ring, too. See
/// `vertex::room`.
impl<const N: usize> Positions for &[u64; N] {
    #[inline(always)]
    fn at(self, vertex: u32) -> u64 {
        const { assert!(N.is_power_of_two()) };
        self[vertex as usize & (N - 1)]
    }
}

/// Attributes of vertices by where they begin.
pub(super) trait Records: Copy {
    /// Those of a vertex in the first lanes; the others are of no use.
    fn at<S: Vectors>(self, simd: S, offset: u32) -> f32x8<S>;
}

/// Any number of them.
impl Records for &[f32] {
    #[inline(always)]
    fn at<S: Vectors>(self, simd: S, offset: u32) -> f32x8<S> {
        let at = offset as usize;
        f32x8::from_slice(simd, &self[at..at + 8])
    }
}

/// A power of two of places, and the rest of the last record: under a mask no place needs a check.
impl Records for &[f32; RECORDS] {
    #[inline(always)]
    fn at<S: Vectors>(self, simd: S, offset: u32) -> f32x8<S> {
        const PLACES: usize = RECORDS - 8;
        const { assert!(PLACES.is_power_of_two()) };
        let at = offset as usize & (PLACES - 1);
        f32x8::from_slice(simd, &self[at..at + 8])
    }
}

/// The triangles of two vectors of four positions each: [`unzipped`] leaves them in order.
const IN_HALVES: [usize; 8] = [0, 1, 4, 5, 2, 3, 6, 7];

/// x and y of one corner of eight triangles, from packed positions. By single loads everywhere: a
/// gather of pairs was slower.
#[inline(always)]
pub(super) fn positions<S: Vectors>(
    simd: S,
    xy: impl Positions,
    triangles: &[[impl VertexIndex; 3]; 8],
    corner: usize,
) -> [i32x8<S>; 2] {
    let mut found = [0; 8];
    for i in 0..8 {
        found[i] = xy.at(triangles[IN_HALVES[i]][corner].number());
    }
    let first = u64x4::from_slice(simd, &found[..4]).bitcast::<u32x8<S>>();
    let last = u64x4::from_slice(simd, &found[4..]).bitcast::<u32x8<S>>();
    let [x, y] = unzipped(first, last);
    [x.bitcast(), y.bitcast()]
}
