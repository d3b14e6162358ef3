//! TGA pictures: true colour, grey or with a colour map, as they are or in runs.
//!
//! The format has no mark at its start and its writers disagree about the alpha bits of the header;
//! the depth of a colour tells more. Rows and columns run as the descriptor says.

use super::Image;
use super::decode::{Decoded, Encoded};
use crate::error::ImageError;

const HEADER: usize = 18;
const TYPES: [u8; 6] = [1, 2, 3, 9, 10, 11];
/// The descriptor's bits: columns from the right, rows from the top.
const FROM_RIGHT: u8 = 0x10;
const FROM_TOP: u8 = 0x20;

/// Whether the bytes are likely to be a TGA: its footer, or a header of which every field makes sense.
pub(super) fn is_tga(bytes: &[u8]) -> bool {
    if bytes.ends_with(b"TRUEVISION-XFILE.\0") {
        return true;
    }
    let Some(header) = bytes.first_chunk::<HEADER>() else {
        return false;
    };
    let has_size = [12, 14].iter().all(|&at| header[at] != 0 || header[at + 1] != 0);
    TYPES.contains(&header[2])
        && header[1] == u8::from(is_mapped(header[2]))
        && matches!(header[16], 8 | 15 | 16 | 24 | 32)
        && header[17] & 0xc0 == 0
        && has_size
}

fn is_mapped(kind: u8) -> bool {
    matches!(kind, 1 | 9)
}

fn error(message: impl Into<String>) -> ImageError {
    ImageError::decode("TGA", message)
}

/// Decodes a TGA of any usual type to RGBA.
pub(super) fn decode(file: &Encoded<'_>) -> Result<Decoded, ImageError> {
    let bytes = file.bytes;
    let Some(header) = bytes.first_chunk::<HEADER>() else {
        return Err(error(format!("the header needs 18 bytes, the file has {}", bytes.len())));
    };
    let (kind, depth, descriptor) = (header[2], header[16], header[17]);
    if !TYPES.contains(&kind) {
        let message = format!("type {kind} (offset 2); 1, 2, 3, 9, 10 and 11 are read");
        return Err(error(message));
    }
    let field = |offset: usize| u16::from_le_bytes([header[offset], header[offset + 1]]);
    let (width, height) = (u32::from(field(12)), u32::from(field(14)));
    let map = color_map(bytes, header)?;
    let depths: &[u8] = match kind {
        1 | 9 => &[8, 16],
        3 | 11 => &[8, 16],
        _ => &[15, 16, 24, 32],
    };
    if !depths.contains(&depth) {
        return Err(error(format!("{depth} bits a pixel (offset 16) in type {kind}")));
    }
    file.reserve("TGA", width, height, 0)?;

    let mut texels = Texels {
        code: map.behind,
        size: usize::from(depth.div_ceil(8)),
        is_packed: kind >= 9,
        repeated: &[],
        repeats: 0,
        literals: 0,
    };
    let color = |texel: &[u8]| match (kind, texel) {
        (1 | 9, &[low]) => map.color(u16::from(low)),
        (1 | 9, &[low, high]) => map.color(u16::from_le_bytes([low, high])),
        (3 | 11, &[grey]) => Ok([grey, grey, grey, 255]),
        (3 | 11, &[grey, alpha]) => Ok([grey, grey, grey, alpha]),
        _ => Ok(true_color(texel)),
    };
    let stride = 4 * width as usize;
    let mut rgba = vec![0; stride * height as usize];
    let mut row = |number: usize, row: &mut [u8]| {
        let truncated = || error(format!("the pixels end in row {number} of {height}"));
        let mut put = |pixel: &mut [u8; 4]| {
            *pixel = color(texels.next().ok_or_else(truncated)?)?;
            Ok(())
        };
        let mut pixels = row.as_chunks_mut().0.iter_mut();
        if descriptor & FROM_RIGHT == 0 {
            pixels.try_for_each(&mut put)
        } else {
            pixels.rev().try_for_each(&mut put)
        }
    };
    let rows = rgba.chunks_exact_mut(stride);
    if descriptor & FROM_TOP == 0 {
        rows.rev().enumerate().try_for_each(|(number, pixels)| row(number, pixels))?;
    } else {
        rows.enumerate().try_for_each(|(number, pixels)| row(number, pixels))?;
    }
    Ok(Image::from_rgba(width, height, rgba)?.into())
}

/// The colour map of a TGA of indices; empty of any other.
pub(super) fn palette(bytes: &[u8]) -> Result<Vec<[u8; 3]>, ImageError> {
    let Some(header) = bytes.first_chunk::<HEADER>().filter(|header| is_mapped(header[2])) else {
        return Ok(Vec::new());
    };
    let map = color_map(bytes, header)?;
    let before = std::iter::repeat_n([0; 3], usize::from(map.first).min(256));
    let colors = map.colors.chunks_exact(map.entry_size).map(|color| {
        let [red, green, blue, _] = true_color(color);
        [red, green, blue]
    });
    Ok(before.chain(colors).collect())
}

/// A colour in the byte order of the file: blue first, two bytes with five bits a channel.
fn true_color(bytes: &[u8]) -> [u8; 4] {
    match *bytes {
        [blue, green, red, alpha] => [red, green, blue, alpha],
        [blue, green, red] => [red, green, blue, 255],
        [low, high] => {
            // The top bit may be anything: writers do not agree on what it means.
            let bits = u16::from_le_bytes([low, high]);
            let channel = |shift: u16| ((bits >> shift & 31) * 255 + 15) / 31;
            [channel(10) as u8, channel(5) as u8, channel(0) as u8, 255]
        }
        _ => [0; 4],
    }
}

/// The colour map, and what stands behind it.
struct ColorMap<'a> {
    first: u16,
    entry_size: usize,
    colors: &'a [u8],
    behind: &'a [u8],
}

impl ColorMap<'_> {
    fn color(&self, index: u16) -> Result<[u8; 4], ImageError> {
        let position = index.checked_sub(self.first).map(usize::from);
        let found = position.and_then(|i| self.colors.chunks_exact(self.entry_size).nth(i));
        let (first, count) = (self.first, self.colors.len() / self.entry_size);
        found.map(true_color).ok_or_else(|| {
            error(format!("index {index}: the color map has {count} entries from {first} on"))
        })
    }
}

fn color_map<'a>(bytes: &'a [u8], header: &[u8; HEADER]) -> Result<ColorMap<'a>, ImageError> {
    let field = |offset: usize| u16::from_le_bytes([header[offset], header[offset + 1]]);
    let (has_map, entry_bits) = (header[1] == 1, header[7]);
    if is_mapped(header[2]) && !has_map {
        return Err(error(format!("type {} (offset 2) without a color map", header[2])));
    }
    if has_map && !matches!(entry_bits, 15 | 16 | 24 | 32) {
        return Err(error(format!("{entry_bits} bits in an entry of the color map (offset 7)")));
    }
    let entry_size = usize::from(entry_bits.div_ceil(8)).max(1);
    let len = if has_map { entry_size * usize::from(field(5)) } else { 0 };
    let start = HEADER + usize::from(header[0]);
    let (colors, behind) =
        bytes.get(start..).and_then(|rest| rest.split_at_checked(len)).ok_or_else(|| {
            error(format!("the file ends before its pixels (offset {})", start + len))
        })?;
    Ok(ColorMap { first: field(3), entry_size, colors, behind })
}

/// The texels of a file in its order. A packet's first byte holds a count less one, and in its top bit
/// whether one texel is repeated or so many follow. Packets may cross the ends of rows.
struct Texels<'a> {
    code: &'a [u8],
    /// Bytes of a texel.
    size: usize,
    is_packed: bool,
    repeated: &'a [u8],
    repeats: u8,
    literals: u8,
}

impl<'a> Texels<'a> {
    fn take(&mut self) -> Option<&'a [u8]> {
        let (texel, rest) = self.code.split_at_checked(self.size)?;
        self.code = rest;
        Some(texel)
    }
}

impl<'a> Iterator for Texels<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.is_packed && self.repeats == 0 && self.literals == 0 {
            let (&packet, rest) = self.code.split_first()?;
            self.code = rest;
            let count = (packet & 0x7f) + 1;
            if packet & 0x80 == 0 {
                self.literals = count;
            } else {
                self.repeated = self.take()?;
                self.repeats = count;
            }
        }
        if self.repeats > 0 {
            self.repeats -= 1;
            return Some(self.repeated);
        }
        self.literals = self.literals.saturating_sub(1);
        self.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLORS: [[u8; 4]; 4] =
        [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [8, 16, 24, 255]];

    fn decode(bytes: &[u8]) -> Result<Vec<[u8; 4]>, ImageError> {
        let image = super::decode(&Encoded { bytes, budget: 1 << 20 })?.image;
        assert_eq!((image.width(), image.height()), (2, 2));
        Ok(image.to_rgba().as_chunks().0.to_vec())
    }

    fn rgba(bytes: &[u8]) -> Vec<[u8; 4]> {
        decode(bytes).unwrap()
    }

    /// A 2 x 2 TGA header: type, bits of a map entry (0: no map), bits of a pixel, descriptor.
    fn tga_header(kind: u8, entry: u8, depth: u8, descriptor: u8) -> Vec<u8> {
        let has_map = u8::from(entry > 0);
        let map_length = 4 * has_map;
        let mut header = vec![3, has_map, kind, 0, 0, map_length, 0, entry];
        header.extend([0, 0, 0, 0, 2, 0, 2, 0, depth, descriptor]);
        header.extend(b"id.");
        header
    }

    fn bgr(colors: &[[u8; 4]]) -> Vec<u8> {
        colors.iter().flat_map(|&[r, g, b, _]| [b, g, r]).collect()
    }

    #[test]
    fn all_types_from_all_corners() {
        let [a, b, c, d] = COLORS;
        let (top_down, bottom_up) = ([a, b, c, d], [c, d, a, b]);
        let raw = |kind, descriptor, rows: &[[u8; 4]]| {
            [tga_header(kind, 0, 24, descriptor), bgr(rows)].concat()
        };
        let map = bgr(&COLORS);
        let runs = |rows: [[u8; 4]; 4]| {
            // A run of one, then three as they are.
            [vec![0x80], bgr(&rows[..1]), vec![2], bgr(&rows[1..])].concat()
        };
        let wide = [0, 0, 1, 0, 2, 0, 3, 0].to_vec();
        for (name, file) in [
            ("2, top down", raw(2, 0x20, &top_down)),
            ("2, bottom up", raw(2, 0, &bottom_up)),
            ("2, from the top right", raw(2, 0x30, &[b, a, d, c])),
            ("2, from the bottom right", raw(2, 0x10, &[d, c, b, a])),
            ("2, alpha bits of a writer that lies", raw(2, 8, &bottom_up)),
            ("10, top down", [tga_header(10, 0, 24, 0x20), runs(top_down)].concat()),
            ("10, bottom up", [tga_header(10, 0, 24, 0), runs(bottom_up)].concat()),
            ("1", [tga_header(1, 24, 8, 0x20), map.clone(), vec![0, 1, 2, 3]].concat()),
            (
                "1 with indices of 16 bits",
                [tga_header(1, 24, 16, 0x20), map.clone(), wide].concat(),
            ),
            ("9", [tga_header(9, 24, 8, 0), map.clone(), vec![3, 2, 3, 0, 1]].concat()),
            ("2 behind a map", [tga_header(2, 24, 24, 0x20), map.clone(), map].concat()),
        ] {
            assert_eq!(rgba(&file), COLORS, "type {name}");
            assert_eq!(is_tga(&file), name != "2 behind a map", "type {name}");
        }
        let mut shifted = [tga_header(1, 24, 8, 0x20), bgr(&COLORS), vec![9, 10, 11, 12]].concat();
        shifted[3] = 9;
        assert_eq!(rgba(&shifted), COLORS);
    }

    #[test]
    fn grey_alpha_and_five_bits() {
        let gray = [[9, 9, 9, 255], [7, 7, 7, 255], [7, 7, 7, 255], [7, 7, 7, 255]];
        assert_eq!(rgba(&[tga_header(3, 0, 8, 0x20), vec![9, 7, 7, 7]].concat()), gray);
        assert_eq!(rgba(&[tga_header(11, 0, 8, 0x20), vec![0, 9, 0x82, 7]].concat()), gray);
        let faint = [tga_header(3, 0, 16, 0x20), [9, 5].repeat(4)].concat();
        assert_eq!(rgba(&faint), [[9, 9, 9, 5]; 4]);
        let with_alpha =
            [tga_header(2, 0, 32, 0x20), COLORS.map(|[r, g, b, _]| [b, g, r, 5]).concat()];
        assert_eq!(rgba(&with_alpha.concat()), COLORS.map(|[r, g, b, _]| [r, g, b, 5]));
        for depth in [15, 16] {
            // Red 31, green 16, blue 1; the top bit says nothing.
            let texel = (1u16 << 15 | 31 << 10 | 16 << 5 | 1).to_le_bytes();
            let file = [tga_header(2, 0, depth, 0x20), texel.repeat(4)].concat();
            assert_eq!(rgba(&file), [[255, 132, 8, 255]; 4]);
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let mapped = [tga_header(1, 24, 8, 0), bgr(&COLORS), vec![0, 1, 2, 4]].concat();
        for (file, part) in [
            (vec![0; 17], "the header needs 18 bytes"),
            (tga_header(2, 0, 12, 0), "12 bits a pixel (offset 16) in type 2"),
            (tga_header(1, 0, 8, 0), "without a color map"),
            (tga_header(1, 12, 8, 0), "12 bits in an entry of the color map (offset 7)"),
            (tga_header(9, 24, 8, 0), "the file ends before its pixels (offset 33)"),
            (mapped, "index 4: the color map has 4 entries from 0 on"),
            ([tga_header(2, 0, 24, 0), vec![0; 11]].concat(), "the pixels end in row 1 of 2"),
            ([tga_header(10, 0, 24, 0), vec![0x81, 0, 0, 0]].concat(), "the pixels end in row 1"),
        ] {
            let message = decode(&file).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
