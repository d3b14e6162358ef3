//! Instruction sets by name.

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
