//! A hash of 64 bits that is the same on every machine and in every version; not against attackers.

/// Takes words one after the other: FNV's multiplication, with a turn that brings the upper bits down.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    #[must_use]
    pub(crate) fn word(self, word: u64) -> Self {
        Self((self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23))
    }

    /// The hash of all words so far and of bytes, eight to a word, the last filled up with 0.
    #[must_use]
    pub(crate) fn bytes(self, bytes: &[u8]) -> u64 {
        let (words, rest) = bytes.as_chunks::<8>();
        let all = words.iter().fold(self, |hash, word| hash.word(u64::from_le_bytes(*word)));
        if rest.is_empty() {
            return all.0;
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        all.word(u64::from_le_bytes(last)).0
    }
}
