//! The compression of a GIF's pixels, where some may be either of two: a pixel that stays may be drawn
//! again or left out as transparent. Whichever makes the longer match is taken.

/// Pixels, and what each may be instead: the same where it has to be what it is.
#[derive(Clone, Copy)]
pub(super) struct Choices<'a> {
    pub(super) own: &'a [u8],
    pub(super) other: &'a [u8],
}

/// Codes have at most 12 bits.
const CODES: u16 = 1 << 12;
const MAX_SIZE: u32 = 12;
/// Places of the hash table, four for each code.
const PLACES: usize = 1 << 14;
/// Strings that are followed side by side where pixels have a choice.
const FRONTIER: usize = 16;

/// Strings of pixels as a tree: the code of a string and the pixel behind it lead to the code of both.
struct Dictionary {
    /// Code (12 bits), pixel (8 bits) and the code of both (12 bits); 0 where free.
    places: Vec<u32>,
}

impl Dictionary {
    /// Where a string stands or would stand, and its code.
    fn place(&self, code: u16, pixel: u8) -> (usize, Option<u16>) {
        let key = u32::from(code) << 8 | u32::from(pixel);
        // The upper bits of the product depend on all of the key.
        let mut place = (key.wrapping_mul(0x9e37_79b1) >> 18) as usize;
        loop {
            match self.places[place] {
                0 => return (place, None),
                entry if entry >> 12 == key => return (place, Some(entry as u16 % CODES)),
                _ => place = (place + 1) % PLACES,
            }
        }
    }

    fn find(&self, code: u16, pixel: u8) -> Option<u16> {
        self.place(code, pixel).1
    }

    /// Adds a string; gives its place, at which it can be taken out again as long as it is the last.
    fn add(&mut self, code: u16, pixel: u8, new: u16) -> usize {
        let (place, _) = self.place(code, pixel);
        self.places[place] = u32::from(code) << 20 | u32::from(pixel) << 12 | u32::from(new);
        place
    }
}

/// Codes as bits, the lowest first.
struct Bits {
    bytes: Vec<u8>,
    pending: u32,
    count: u32,
}

impl Bits {
    fn push(&mut self, code: u16, size: u32) {
        self.pending |= u32::from(code) << self.count;
        self.count += size;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }
}

struct Coder<'a> {
    pixels: Choices<'a>,
    dictionary: Dictionary,
    bits: Bits,
    /// Bits of a pixel.
    depth: u32,
    /// The code that the next string gets.
    next: u16,
    /// The last code since the dictionary was cleared.
    last: Option<u16>,
}

impl Coder<'_> {
    fn clear_code(&self) -> u16 {
        1 << self.depth
    }

    fn push(&mut self, code: u16) {
        // A decoder learns the last string from the code that follows: it knows one less.
        let known = self.next - u16::from(self.last.is_some());
        let size = (u16::BITS - known.leading_zeros()).clamp(self.depth + 1, MAX_SIZE);
        self.bits.push(code, size);
    }

    fn clear(&mut self) {
        let code = self.clear_code();
        self.push(code);
        self.dictionary.places.fill(0);
        self.next = code + 2;
        self.last = None;
    }

    /// The length and code of the longest string from a place on that begins with a pixel.
    fn longest(&self, at: usize, first: u8) -> (usize, u16) {
        let (own, other) = (&self.pixels.own[at + 1..], &self.pixels.other[at + 1..]);
        let mut ends = [0; FRONTIER];
        ends[0] = u16::from(first);
        let (mut count, mut length) = (1, 1);
        for (&own, &other) in own.iter().zip(other) {
            let mut longer = [0; FRONTIER];
            let mut found = 0;
            for &end in &ends[..count] {
                let ways = [Some(other), (own != other).then_some(own)];
                for code in
                    ways.into_iter().flatten().filter_map(|way| self.dictionary.find(end, way))
                {
                    if let Some(place) = longer.get_mut(found) {
                        *place = code;
                        found += 1;
                    }
                }
            }
            if found == 0 {
                break;
            }
            (ends, count, length) = (longer, found, length + 1);
        }
        (length, ends[0])
    }

    /// The longest string from a place on, and its first pixel. The string of the last match and that
    /// pixel is one that it may be.
    fn longest_of_both(&mut self, at: usize) -> (usize, u16, u8) {
        let (own, other) = (self.pixels.own[at], self.pixels.other[at]);
        let mut best = (0, 0, other);
        for first in [Some(other), (own != other).then_some(own)].into_iter().flatten() {
            let added = self.last.map(|last| self.dictionary.add(last, first, self.next));
            let (length, code) = self.longest(at, first);
            if let Some(place) = added {
                self.dictionary.places[place] = 0;
            }
            if length > best.0 {
                best = (length, code, first);
            }
        }
        best
    }

    fn run(mut self) -> Vec<u8> {
        self.clear();
        let mut at = 0;
        while at < self.pixels.own.len() {
            let (length, code, first) = self.longest_of_both(at);
            if let Some(last) = self.last {
                self.dictionary.add(last, first, self.next);
                self.next += 1;
            }
            self.push(code);
            self.last = Some(code);
            at += length;
            // Pictures change from part to part: a full dictionary that is kept makes longer files.
            if self.next == CODES {
                self.clear();
            }
        }
        self.push(self.clear_code() + 1);
        // The rest of the last byte.
        self.bits.push(0, 7);
        self.bits.bytes
    }
}

/// The bits of a pixel, then the codes of the pixels.
pub(super) fn encode(pixels: Choices<'_>) -> Vec<u8> {
    let most = pixels.own.iter().chain(pixels.other).copied().max().unwrap_or_default();
    // The format has no fewer than two.
    let depth = (u8::BITS - most.leading_zeros()).max(2);
    let coder = Coder {
        pixels,
        dictionary: Dictionary { places: vec![0; PLACES] },
        bits: Bits { bytes: vec![depth as u8], pending: 0, count: 0 },
        depth,
        next: (1 << depth) + 2,
        last: None,
    };
    coder.run()
}
