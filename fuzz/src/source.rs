//! Decisions made from the bytes of an input.

use arbitrary::Unstructured;

/// Makes numbers and choices of the bytes of an input; when they are used up, zeros.
pub(crate) struct Source<'a> {
    bytes: Unstructured<'a>,
    /// How many floats of 16 are strange.
    wildness: u8,
}

/// Floats that break arithmetic: at the ends of ranges, of integers, of what can be squared.
const STRANGE: [f32; 32] = [
    0.0,
    -0.0,
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    1e-45,
    -1e-40,
    1e-30,
    1e-20,
    1e-9,
    -1e-9,
    1e-6,
    0.5,
    1.0,
    -1.0,
    255.0,
    256.0,
    16_384.0,
    -16_385.0,
    32_767.0,
    8_388_608.0,
    16_777_216.0,
    2_147_483_600.0,
    -2_147_483_600.0,
    1e12,
    1e16,
    -1e18,
    1e30,
    3e37,
];

/// Integers that break counts, offsets and indices.
const INTEGERS: [u32; 20] = [
    0,
    1,
    2,
    3,
    7,
    0x7f,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x00ff_ffff,
    0x2000_0000,
    0x4000_0000,
    0x5555_5556,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
];

impl<'a> Source<'a> {
    /// The first byte says how strange the floats are.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let mut source = Self { bytes: Unstructured::new(bytes), wildness: 0 };
        source.wildness = [0, 1, 1, 2, 4, 8][source.below(6)];
        source
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.bytes.arbitrary().unwrap_or_default()
    }

    pub(crate) fn word(&mut self) -> u32 {
        self.bytes.arbitrary().unwrap_or_default()
    }

    /// A number below `end`, which is above 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end <= 256 { usize::from(self.byte()) % end } else { self.word() as usize % end }
    }

    /// A number from a range with both ends.
    pub(crate) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        // Inputs that are used up have said no.
        self.below(n) == n - 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Bytes as they stand in the input.
    pub(crate) fn bytes(&mut self, most: usize) -> Vec<u8> {
        let length = self.below(most + 1).min(self.bytes.len());
        self.bytes.bytes(length).map(<[u8]>::to_vec).unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// An integer at the end of some range.
    pub(crate) fn strange_integer(&mut self) -> u32 {
        self.pick(&INTEGERS)
    }

    /// A float that may be anything.
    pub(crate) fn strange(&mut self) -> f32 {
        match self.below(4) {
            0 => f32::from_bits(self.word()),
            // Any size, evenly by the power of ten.
            1 => {
                let exponent = i32::from(self.byte()) - 128;
                let mantissa = 1.0 + f32::from(self.byte()) / 256.0;
                let sign = if self.byte() & 1 == 0 { 1.0 } else { -1.0 };
                let bits = ((exponent + 127).clamp(1, 254) as u32) << 23;
                sign * mantissa * f32::from_bits(bits)
            }
            _ => self.pick(&STRANGE),
        }
    }

    /// A float of at most this size, or a strange one.
    pub(crate) fn float(&mut self, size: f32) -> f32 {
        if self.is_wild() { self.strange() } else { self.calm(size) }
    }

    /// Whether the next value is to be strange.
    pub(crate) fn is_wild(&mut self) -> bool {
        let wildness = self.wildness;
        wildness > 0 && self.byte() & 15 < wildness
    }

    /// A float of at most this size.
    pub(crate) fn calm(&mut self, size: f32) -> f32 {
        let bytes = [self.byte(), self.byte()];
        f32::from(i16::from_le_bytes(bytes)) / 32_768.0 * size
    }

    pub(crate) fn vector(&mut self, size: f32) -> [f32; 3] {
        [0; 3].map(|_| self.float(size))
    }
}
