//! Loads by index: one after the other, or by a gather instruction.
//!
//! Which is faster depends on the processor. The compiler chooses by what it sees: it makes a gather
//! (with AVX-512) of a loop that writes to memory from outside of the function, single loads of a
//! loop that writes to a variable. So [`Memory`] is handed around where gathers are wanted.

use std::sync::LazyLock;

use fearless_simd::{Simd, i32x8, prelude::*, u64x4};

/// Where gathers, if there are any, write to.
pub(super) struct Memory<const GATHER: bool> {
    pub(super) found: [u32; 16],
}

impl<const GATHER: bool> Default for Memory<GATHER> {
    fn default() -> Self {
        Self { found: [0; 16] }
    }
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

/// x and y of one corner of eight triangles, from packed positions. By single loads everywhere: a
/// gather of pairs was slower.
#[inline(always)]
pub(super) fn positions<S: Simd>(
    simd: S,
    xy: &[u64],
    triangles: &[[u32; 3]; 8],
    corner: usize,
) -> [i32x8<S>; 2] {
    let mut found = [0; 8];
    for lane in 0..8 {
        found[lane] = xy[triangles[lane][corner] as usize];
    }
    let low = u64x4::from_slice(simd, &found[..4]).bitcast::<i32x8<S>>();
    let high = u64x4::from_slice(simd, &found[4..]).bitcast::<i32x8<S>>();
    [low.unzip_low(high), low.unzip_high(high)]
}
