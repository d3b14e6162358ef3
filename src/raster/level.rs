//! Instruction sets by name.

use std::fmt;
use std::str::FromStr;

use crate::error::RequestError;

/// The instruction set that the fast kernels use. Every level gives the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SimdLevel {
    /// The best that the machine has.
    #[default]
    Auto,
    /// The plain twin of the kernels.
    Scalar,
    /// The SIMD crate's own emulation.
    Fallback,
    /// x86 SSE2.
    Sse2,
    /// x86 SSE4.2.
    Sse42,
    /// x86 AVX2.
    Avx2,
    /// x86 AVX-512 (Ice Lake set).
    Avx512,
    /// ARM NEON.
    Neon,
}

/// The names of all levels.
const NAMES: [(SimdLevel, &str); 8] = [
    (SimdLevel::Auto, "auto"),
    (SimdLevel::Scalar, "scalar"),
    (SimdLevel::Fallback, "fallback"),
    (SimdLevel::Sse2, "sse2"),
    (SimdLevel::Sse42, "sse4.2"),
    (SimdLevel::Avx2, "avx2"),
    (SimdLevel::Avx512, "avx512"),
    (SimdLevel::Neon, "neon"),
];

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(level, _)| level == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

impl FromStr for SimdLevel {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        let found = NAMES.iter().find(|(_, name)| *name == text).map(|(level, _)| *level);
        found.ok_or_else(|| {
            let known = NAMES.map(|(_, name)| name).join(", ");
            RequestError::new(format!("there is no instruction set '{text}': expected {known}"))
        })
    }
}
