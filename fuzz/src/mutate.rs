//! Random changes of inputs.

/// Makes new inputs of old ones; the same ones from the same seed.
#[derive(Clone, Debug)]
pub struct Mutator {
    state: u64,
    dictionary: Vec<Vec<u8>>,
}

/// The longest input that is made.
const LONGEST: usize = 1 << 16;

/// Values of 8, 16 and 32 bits at the ends of ranges.
const INTEGERS: [u32; 18] = [
    0,
    1,
    2,
    4,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x0001_0000,
    0x0100_0000,
    0x3fff_ffff,
    0x4000_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ff00,
    0xffff_ffff,
];

impl Mutator {
    /// Mutations follow from the seed and from the dictionary's words.
    #[must_use]
    pub fn new(seed: u64, dictionary: &str) -> Self {
        Self { state: seed, dictionary: words(dictionary) }
    }

    /// The next random number (SplitMix64).
    pub fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.random() % end.max(1) as u64) as usize
    }

    /// Bytes without a pattern.
    #[must_use]
    pub fn noise(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.random() as u8).collect()
    }

    /// One of the seeds, changed in some places.
    #[must_use]
    pub fn mutated(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let Some(seed) = seeds.get(self.below(seeds.len())) else { return self.noise(64) };
        let mut data = seed.clone();
        // Few changes leave the rest of a file well-formed.
        let changes = 1 << self.below(5);
        for _ in 0..changes {
            self.change(&mut data, seeds);
        }
        data.truncate(LONGEST);
        data
    }

    fn change(&mut self, data: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let length = data.len();
        let at = self.place(length);
        match self.below(12) {
            0 | 1 if at < length => data[at] ^= 1 << self.below(8),
            2 if at < length => data[at] = self.random() as u8,
            3 | 4 => {
                let value = INTEGERS[self.below(INTEGERS.len())].to_le_bytes();
                let width = [1, 2, 4, 4][self.below(4)];
                write(data, if width == 4 { at & !3 } else { at }, &value[..width]);
            }
            5 if at + 4 <= length => {
                let field: [u8; 4] = data[at..at + 4].try_into().expect("four bytes");
                let step = [1, u32::MAX, 2, 16][self.below(4)];
                let value = u32::from_le_bytes(field).wrapping_add(step);
                write(data, at, &value.to_le_bytes());
            }
            6 if self.below(4) == 0 => data.truncate(at),
            7 | 8 if !self.dictionary.is_empty() => {
                let number = self.below(self.dictionary.len());
                let word = self.dictionary[number].clone();
                if self.below(2) == 0 {
                    write(data, at, &word);
                } else {
                    data.splice(at..at, word);
                }
            }
            9 => {
                // A piece of this or another seed, in place of what is there or between.
                let Some(other) = seeds.get(self.below(seeds.len())) else { return };
                let from = self.below(other.len());
                let piece = self.below((other.len() - from).min(256) + 1);
                let piece = &other[from..from + piece];
                let over = if self.below(2) == 0 { piece.len() } else { 0 };
                let end = (at + over).min(length);
                data.splice(at..end, piece.iter().copied());
            }
            10 => {
                let piece = self.below((length - at).min(64) + 1);
                data.drain(at..at + piece);
            }
            _ => self.change_number(data),
        }
    }

    /// Replaces a number of a text, if there is one behind some place.
    fn change_number(&mut self, data: &mut Vec<u8>) {
        const NUMBERS: [&str; 10] = [
            "0",
            "-1",
            "1",
            "65536",
            "2147483647",
            "-2147483648",
            "4294967296",
            "nan",
            "3e38",
            "1e-46",
        ];
        let is_part = |byte: &u8| byte.is_ascii_digit() || b"-.".contains(byte);
        let from = self.below(data.len());
        let Some(start) = data[from..].iter().position(is_part).map(|i| from + i) else { return };
        let length = data[start..].iter().position(|byte| !is_part(byte));
        let end = length.map_or(data.len(), |length| start + length);
        // In a file of bytes a run of digits means nothing.
        if end - start <= 24 {
            let number = NUMBERS[self.below(NUMBERS.len())];
            data.splice(start..end, number.bytes());
        }
    }

    /// A place in an input, its end included; headers decide more than what follows.
    fn place(&mut self, length: usize) -> usize {
        let most = if self.below(3) == 0 { length.min(128) } else { length };
        self.below(most + 1)
    }
}

/// Writes over what is there, as far as there is room.
fn write(data: &mut [u8], at: usize, bytes: &[u8]) {
    let room = data.len().saturating_sub(at).min(bytes.len());
    if room > 0 {
        data[at..at + room].copy_from_slice(&bytes[..room]);
    }
}

/// The words of a dictionary in libFuzzer's notation: a quoted one in each line, `\xAB` for bytes.
#[must_use]
pub fn words(dictionary: &str) -> Vec<Vec<u8>> {
    dictionary.lines().filter_map(|line| word(line.trim())).collect()
}

fn word(line: &str) -> Option<Vec<u8>> {
    if line.starts_with('#') {
        return None;
    }
    let inside = &line[line.find('"')? + 1..line.rfind('"')?];
    let mut word = Vec::new();
    let mut bytes = inside.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        match (byte, bytes.as_slice()) {
            (b'\\', [b'x', high, low, ..]) => {
                let digit = |digit: u8| char::from(digit).to_digit(16);
                word.push((digit(*high)? * 16 + digit(*low)?) as u8);
                bytes.nth(2);
            }
            (b'\\', _) => word.push(*bytes.next()?),
            _ => word.push(byte),
        }
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_are_those_of_libfuzzer() {
        let text = "# a comment\nmagic=\"IDPO\\x06\\x00\"\n\n\"quote \\\" back \\\\\"\n";
        assert_eq!(words(text), [b"IDPO\x06\x00".to_vec(), b"quote \" back \\".to_vec()]);
    }

    #[test]
    fn the_same_seed_makes_the_same_inputs() {
        let seeds = [b"IDP3 1 2 3.5 abc".to_vec(), Vec::new(), vec![7; 300]];
        let mut inputs = [Mutator::new(5, "\"x\""), Mutator::new(5, "\"x\"")]
            .map(|mut mutator| (0..2000).map(|_| mutator.mutated(&seeds)).collect::<Vec<_>>());
        let second = inputs[1].split_off(0);
        assert_eq!(inputs[0], second);
        assert!(inputs[0].iter().any(|input| !seeds.contains(input)));
    }
}
