//! Palettes of 256 colours, and true colour to palette indices.

use std::sync::{Arc, LazyLock};

use crate::error::ImageError;

/// 256 colours, and which of them are fullbright: never shaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    colors: [[u8; 3]; 256],
    first_fullbright: u16,
}

impl Palette {
    /// A palette whose entries from `first_fullbright` (0..=256) on are never shaded: 224 in Quake,
    /// 255 in Quake II, 256 for none.
    #[must_use]
    pub fn new(colors: [[u8; 3]; 256], first_fullbright: u16) -> Self {
        Self { colors, first_fullbright: first_fullbright.min(256) }
    }

    /// Quake's palette (`gfx/palette.lmp`), which is in the public domain.
    #[must_use]
    pub fn quake() -> Arc<Self> {
        static QUAKE: LazyLock<Arc<Palette>> =
            LazyLock::new(|| Arc::new(Palette::from_bytes(&QUAKE_COLORS, 224)));
        Arc::clone(&QUAKE)
    }

    /// A palette from the 768 bytes of a `palette.lmp`: red, green, blue of 256 colours, of which the
    /// last 32 are fullbright as in Quake.
    ///
    /// # Errors
    /// If there are not exactly 768 bytes.
    pub fn from_lmp(bytes: &[u8]) -> Result<Self, ImageError> {
        let found = bytes.len();
        let wrong = |_| ImageError::LumpSize { what: "palette", expected: "768", found };
        let colors: &[u8; 768] = bytes.try_into().map_err(wrong)?;
        Ok(Self::from_bytes(colors, 224))
    }

    pub(super) fn from_bytes(bytes: &[u8; 768], first_fullbright: u16) -> Self {
        let channel = |i: usize, c: usize| bytes[3 * i + c];
        let colors = std::array::from_fn(|i| [channel(i, 0), channel(i, 1), channel(i, 2)]);
        Self::new(colors, first_fullbright)
    }

    /// The palette of a picture in a format of which no entry is fullbright, unless it is Quake's; the
    /// colours that are not given are black.
    pub(super) fn of_picture(given: &[[u8; 3]]) -> Arc<Self> {
        let mut colors = [[0; 3]; 256];
        for (color, given) in colors.iter_mut().zip(given) {
            *color = *given;
        }
        let quake = Self::quake();
        if colors == quake.colors { quake } else { Arc::new(Self::new(colors, 256)) }
    }

    /// The colour of an index.
    #[must_use]
    pub fn color(&self, index: u8) -> [u8; 3] {
        self.colors[usize::from(index)]
    }

    /// All colours.
    #[must_use]
    pub fn colors(&self) -> &[[u8; 3]; 256] {
        &self.colors
    }

    /// The first index that light leaves alone, 256 if there is none.
    #[must_use]
    pub fn first_fullbright(&self) -> u16 {
        self.first_fullbright
    }

    /// The index of the colour with the smallest squared RGB distance, the lowest of several. Fullbright
    /// entries are not considered, unless there are no others.
    #[must_use]
    pub fn nearest(&self, color: [u8; 3]) -> u8 {
        self.shaded_colors().find(color.map(i32::from))
    }

    /// The nearest index (see [`Palette::nearest`]) of every pixel of `rgba`; alpha is ignored.
    #[must_use]
    pub(crate) fn quantize(&self, rgba: &[u8]) -> Vec<u8> {
        const EMPTY: u32 = u32::MAX;
        const SLOTS: usize = 1 << 14;
        let nearest = self.shaded_colors();
        // Pictures repeat their colours: most pixels are answered by this direct-mapped cache, whose
        // entries hold red, green, blue and index. No entry equals EMPTY: white is nearest to index 255
        // only in a palette where the slot for white then simply never hits.
        let mut cache = vec![EMPTY; SLOTS];
        let index_of = |pixel: &[u8; 4]| {
            let [r, g, b, _] = *pixel;
            let color = u32::from_be_bytes([0, r, g, b]);
            let slot = (color.wrapping_mul(0x9e37_79b1) >> 18) as usize;
            if cache[slot] == EMPTY || cache[slot] >> 8 != color {
                let index = nearest.find([r, g, b].map(i32::from));
                cache[slot] = color << 8 | u32::from(index);
            }
            cache[slot].to_le_bytes()[0]
        };
        rgba.as_chunks::<4>().0.iter().map(index_of).collect()
    }

    fn shaded_colors(&self) -> NearestColor {
        match usize::from(self.first_fullbright) {
            0 => NearestColor::new(self, 0..256),
            end => NearestColor::new(self, 0..end),
        }
    }
}

/// Search for the nearest palette colour; red, green and blue apart and in 16 bits, so that the loop
/// becomes short vector code on every machine.
pub(super) struct NearestColor {
    red: Vec<i16>,
    green: Vec<i16>,
    blue: Vec<i16>,
    first: i32,
}

impl NearestColor {
    pub(super) fn new(palette: &Palette, range: std::ops::Range<usize>) -> Self {
        let first = range.start as i32;
        let colors = &palette.colors[range];
        let channel = |c: usize| colors.iter().map(|color| i16::from(color[c])).collect();
        Self { red: channel(0), green: channel(1), blue: channel(2), first }
    }

    /// The index with the smallest squared distance to `target` (channels may exceed 255, up to 1000),
    /// the lowest of several.
    pub(super) fn find(&self, target: [i32; 3]) -> u8 {
        let [r, g, b] = target.map(|channel| channel as i16);
        let square = |d: i16| i32::from(d) * i32::from(d);
        let channels = self.red.iter().zip(&self.green).zip(&self.blue);
        // Distance and index in one number, so that the minimum is also the lowest index of a tie.
        let keys = channels.zip(self.first..).map(|(((&red, &green), &blue), index)| {
            (square(red - r) + square(green - g) + square(blue - b)) << 8 | index
        });
        keys.min().map_or(0, |key| key.to_le_bytes()[0])
    }
}

/// Red, green, blue of Quake's 256 colours.
const QUAKE_COLORS: [u8; 768] = [
    0, 0, 0, 15, 15, 15, 31, 31, 31, 47, 47, 47, 63, 63, 63, 75, 75, 75, 91, 91, 91, 107, 107, 107,
    123, 123, 123, 139, 139, 139, 155, 155, 155, 171, 171, 171, 187, 187, 187, 203, 203, 203, 219,
    219, 219, 235, 235, 235, 15, 11, 7, 23, 15, 11, 31, 23, 11, 39, 27, 15, 47, 35, 19, 55, 43, 23,
    63, 47, 23, 75, 55, 27, 83, 59, 27, 91, 67, 31, 99, 75, 31, 107, 83, 31, 115, 87, 31, 123, 95,
    35, 131, 103, 35, 143, 111, 35, 11, 11, 15, 19, 19, 27, 27, 27, 39, 39, 39, 51, 47, 47, 63, 55,
    55, 75, 63, 63, 87, 71, 71, 103, 79, 79, 115, 91, 91, 127, 99, 99, 139, 107, 107, 151, 115,
    115, 163, 123, 123, 175, 131, 131, 187, 139, 139, 203, 0, 0, 0, 7, 7, 0, 11, 11, 0, 19, 19, 0,
    27, 27, 0, 35, 35, 0, 43, 43, 7, 47, 47, 7, 55, 55, 7, 63, 63, 7, 71, 71, 7, 75, 75, 11, 83,
    83, 11, 91, 91, 11, 99, 99, 11, 107, 107, 15, 7, 0, 0, 15, 0, 0, 23, 0, 0, 31, 0, 0, 39, 0, 0,
    47, 0, 0, 55, 0, 0, 63, 0, 0, 71, 0, 0, 79, 0, 0, 87, 0, 0, 95, 0, 0, 103, 0, 0, 111, 0, 0,
    119, 0, 0, 127, 0, 0, 19, 19, 0, 27, 27, 0, 35, 35, 0, 47, 43, 0, 55, 47, 0, 67, 55, 0, 75, 59,
    7, 87, 67, 7, 95, 71, 7, 107, 75, 11, 119, 83, 15, 131, 87, 19, 139, 91, 19, 151, 95, 27, 163,
    99, 31, 175, 103, 35, 35, 19, 7, 47, 23, 11, 59, 31, 15, 75, 35, 19, 87, 43, 23, 99, 47, 31,
    115, 55, 35, 127, 59, 43, 143, 67, 51, 159, 79, 51, 175, 99, 47, 191, 119, 47, 207, 143, 43,
    223, 171, 39, 239, 203, 31, 255, 243, 27, 11, 7, 0, 27, 19, 0, 43, 35, 15, 55, 43, 19, 71, 51,
    27, 83, 55, 35, 99, 63, 43, 111, 71, 51, 127, 83, 63, 139, 95, 71, 155, 107, 83, 167, 123, 95,
    183, 135, 107, 195, 147, 123, 211, 163, 139, 227, 179, 151, 171, 139, 163, 159, 127, 151, 147,
    115, 135, 139, 103, 123, 127, 91, 111, 119, 83, 99, 107, 75, 87, 95, 63, 75, 87, 55, 67, 75,
    47, 55, 67, 39, 47, 55, 31, 35, 43, 23, 27, 35, 19, 19, 23, 11, 11, 15, 7, 7, 187, 115, 159,
    175, 107, 143, 163, 95, 131, 151, 87, 119, 139, 79, 107, 127, 75, 95, 115, 67, 83, 107, 59, 75,
    95, 51, 63, 83, 43, 55, 71, 35, 43, 59, 31, 35, 47, 23, 27, 35, 19, 19, 23, 11, 11, 15, 7, 7,
    219, 195, 187, 203, 179, 167, 191, 163, 155, 175, 151, 139, 163, 135, 123, 151, 123, 111, 135,
    111, 95, 123, 99, 83, 107, 87, 71, 95, 75, 59, 83, 63, 51, 67, 51, 39, 55, 43, 31, 39, 31, 23,
    27, 19, 15, 15, 11, 7, 111, 131, 123, 103, 123, 111, 95, 115, 103, 87, 107, 95, 79, 99, 87, 71,
    91, 79, 63, 83, 71, 55, 75, 63, 47, 67, 55, 43, 59, 47, 35, 51, 39, 31, 43, 31, 23, 35, 23, 15,
    27, 19, 11, 19, 11, 7, 11, 7, 255, 243, 27, 239, 223, 23, 219, 203, 19, 203, 183, 15, 187, 167,
    15, 171, 151, 11, 155, 131, 7, 139, 115, 7, 123, 99, 7, 107, 83, 0, 91, 71, 0, 75, 55, 0, 59,
    43, 0, 43, 31, 0, 27, 15, 0, 11, 7, 0, 0, 0, 255, 11, 11, 239, 19, 19, 223, 27, 27, 207, 35,
    35, 191, 43, 43, 175, 47, 47, 159, 47, 47, 143, 47, 47, 127, 47, 47, 111, 47, 47, 95, 43, 43,
    79, 35, 35, 63, 27, 27, 47, 19, 19, 31, 11, 11, 15, 43, 0, 0, 59, 0, 0, 75, 7, 0, 95, 7, 0,
    111, 15, 0, 127, 23, 7, 147, 31, 7, 163, 39, 11, 183, 51, 15, 195, 75, 27, 207, 99, 43, 219,
    127, 59, 227, 151, 79, 231, 171, 95, 239, 191, 119, 247, 211, 139, 167, 123, 59, 183, 155, 55,
    199, 195, 55, 231, 227, 87, 127, 191, 255, 171, 231, 255, 215, 255, 255, 103, 0, 0, 139, 0, 0,
    179, 0, 0, 215, 0, 0, 255, 0, 0, 255, 243, 147, 255, 247, 199, 255, 255, 255, 159, 91, 83,
];

#[cfg(test)]
mod tests {
    use super::*;
    use sha1::{Digest, Sha1};

    #[test]
    fn quake_palette_is_the_games() {
        let sum = Sha1::digest(QUAKE_COLORS);
        let hex: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "42e2a2a6daf7d0ba1f3563e2adf8516d4a5da449");
        assert_eq!(*Palette::quake(), Palette::from_lmp(&QUAKE_COLORS).unwrap());
        assert_eq!(Palette::quake().color(255), [159, 91, 83]);
    }

    #[test]
    fn a_picture_with_few_colours_is_filled_with_black() {
        let few = Palette::of_picture(&[[1, 2, 3], [4, 5, 6]]);
        assert_eq!((few.color(1), few.color(2), few.color(255)), ([4, 5, 6], [0; 3], [0; 3]));
        assert_eq!(few.first_fullbright(), 256);
        // More than 256 are nothing that an index means.
        assert_eq!(Palette::of_picture(&[[7; 3]; 300]).color(255), [7; 3]);
        assert_eq!(Palette::of_picture(Palette::quake().colors()), Palette::quake());
    }

    #[test]
    fn lump_of_another_size_is_refused() {
        let error = Palette::from_lmp(&[0; 769]).unwrap_err();
        assert_eq!(error.to_string(), "a palette has 768 bytes, this file has 769");
    }

    #[test]
    fn nearest_takes_the_lowest_index_and_no_fullbright() {
        let quake = Palette::quake();
        for (color, index) in [
            ([0, 0, 0], 0),
            ([255, 0, 0], 79), // 251 has exactly this colour, but is fullbright
            ([171, 139, 163], 128),
            ([23, 11, 11], 142), // 158 is the same colour
        ] {
            assert_eq!(quake.nearest(color), naive(&quake, color), "{color:?}");
            if color != [255, 0, 0] {
                assert_eq!(quake.nearest(color), index, "{color:?}");
            }
        }
    }

    #[test]
    fn quantizing_a_picture_equals_the_search_per_pixel() {
        let quake = Palette::quake();
        let mut state = 1u32;
        let mut rgba = Vec::new();
        for _ in 0..3000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            rgba.extend(state.to_be_bytes());
        }
        rgba.extend([255; 8]);
        let expected: Vec<u8> =
            rgba.as_chunks::<4>().0.iter().map(|&[r, g, b, _]| naive(&quake, [r, g, b])).collect();
        assert_eq!(quake.quantize(&rgba), expected);
    }

    #[test]
    fn white_may_be_index_255() {
        let mut colors = [[0; 3]; 256];
        colors[255] = [255; 3];
        assert_eq!(Palette::new(colors, 256).quantize(&[255; 8]), [255, 255]);
    }

    fn naive(palette: &Palette, color: [u8; 3]) -> u8 {
        let distance = |index: &u8| {
            let other = palette.color(*index);
            (0..3).map(|c| (i32::from(other[c]) - i32::from(color[c])).pow(2)).sum::<i32>()
        };
        (0..224).min_by_key(distance).unwrap()
    }
}
