//! BMP pictures: 1, 2, 4 and 8 bits with a palette, 16, 24 and 32 bits with colours, the two run-length
//! codes; headers of OS/2 1.x and of Windows.

use super::Image;
use super::decode::{Decoded, Encoded};
use crate::error::ImageError;

const FILE_HEADER: usize = 14;
/// The values of the header's compression field that are read.
const RAW: u32 = 0;
const RLE8: u32 = 1;
const RLE4: u32 = 2;
const MASKS: u32 = 3;

fn error(message: impl Into<String>) -> ImageError {
    ImageError::decode("BMP", message)
}

fn u16_at(bytes: &[u8], offset: usize) -> Result<u16, ImageError> {
    let field = bytes.get(offset..).and_then(|rest| rest.first_chunk());
    field.copied().map(u16::from_le_bytes).ok_or_else(|| error("the file ends in its header"))
}

fn u32_at(bytes: &[u8], offset: usize) -> Result<u32, ImageError> {
    let field = bytes.get(offset..).and_then(|rest| rest.first_chunk());
    field.copied().map(u32::from_le_bytes).ok_or_else(|| error("the file ends in its header"))
}

/// What the headers say.
struct Header<'a> {
    width: u32,
    height: u32,
    is_top_down: bool,
    /// Bits of a pixel.
    depth: u16,
    compression: u32,
    /// The bits of red, green, blue and alpha in a pixel.
    masks: [u32; 4],
    /// Of a picture with palette: three or four bytes a colour.
    palette: &'a [u8],
    /// Bytes of a colour in the palette.
    entry_size: usize,
    pixels: &'a [u8],
}

impl<'a> Header<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, ImageError> {
        let size = u32_at(bytes, FILE_HEADER)?;
        let is_core = size == 12;
        let (width, height, depth, compression) = if is_core {
            let side = |offset| u16_at(bytes, offset).map(i32::from);
            (side(18)?, side(20)?, u16_at(bytes, 24)?, RAW)
        } else if matches!(size, 40 | 52 | 56 | 108 | 124) {
            let side = |offset| u32_at(bytes, offset).map(u32::cast_signed);
            (side(18)?, side(22)?, u16_at(bytes, 28)?, u32_at(bytes, 30)?)
        } else {
            return Err(error(format!("a header of {size} bytes (offset 14)")));
        };
        if width <= 0 || height == 0 {
            return Err(error(format!("{width} x {height} pixels (offset 18)")));
        }
        let fits = match compression {
            RAW => matches!(depth, 1 | 2 | 4 | 8 | 24) || !is_core && matches!(depth, 16 | 32),
            RLE8 => depth == 8,
            RLE4 => depth == 4,
            MASKS => matches!(depth, 16 | 32),
            _ => false,
        };
        if !fits {
            let message = format!("{depth} bits a pixel (offset 28) in compression {compression}");
            return Err(error(message));
        }
        let masks = match (compression, depth) {
            (MASKS, _) => {
                let mask = |i: usize| u32_at(bytes, 54 + 4 * i);
                let alpha = if size >= 56 { mask(3)? } else { 0 };
                [mask(0)?, mask(1)?, mask(2)?, alpha]
            }
            (_, 16) => [0x7c00, 0x3e0, 0x1f, 0],
            (_, 32) => [0xff_0000, 0xff00, 0xff, 0],
            _ => [0; 4],
        };
        let entry_size = if is_core { 3 } else { 4 };
        let colors = match depth {
            16.. => 0,
            _ if is_core => 1 << depth,
            _ => match u32_at(bytes, 46)? {
                0 => 1 << depth,
                used => used.min(1 << depth) as usize,
            },
        };
        let after_header = bytes.get(FILE_HEADER + size as usize..).unwrap_or_default();
        let palette = &after_header[..after_header.len().min(colors * entry_size)];
        let pixels = bytes.get(u32_at(bytes, 10)? as usize..).unwrap_or_default();
        let (is_top_down, height) = (height < 0, height.unsigned_abs());
        let width = width.unsigned_abs();
        Ok(Self {
            width,
            height,
            is_top_down,
            depth,
            compression,
            masks,
            palette,
            entry_size,
            pixels,
        })
    }

    /// The colour of an index, black if the palette is too short.
    fn color(&self, index: u8) -> [u8; 4] {
        match self.palette.chunks_exact(self.entry_size).nth(usize::from(index)) {
            Some(&[blue, green, red, ..]) => [red, green, blue, 255],
            _ => [0, 0, 0, 255],
        }
    }
}

/// Where one channel stands in a pixel.
struct Channel {
    shift: u32,
    max: u32,
}

impl Channel {
    /// The channel of a mask, which must be one run of bits inside the pixel; of more than eight the
    /// upper eight count.
    fn new(mask: u32, depth: u16) -> Result<Self, ImageError> {
        let shift = mask.trailing_zeros() % 32;
        let max = mask >> shift;
        let is_one_run = max.trailing_ones() == max.count_ones();
        if !is_one_run || u64::from(mask) >> depth != 0 {
            return Err(error(format!("the color mask {mask:#x} (offset 54)")));
        }
        let surplus = max.count_ones().saturating_sub(8);
        Ok(Self { shift: shift + surplus, max: max >> surplus })
    }

    fn read(&self, pixel: u32) -> u8 {
        let value = pixel >> self.shift & self.max;
        ((value * 255 + self.max / 2) / self.max.max(1)) as u8
    }
}

/// The palette of a BMP of indices; empty of any other.
pub(super) fn palette(bytes: &[u8]) -> Result<Vec<[u8; 3]>, ImageError> {
    let header = Header::parse(bytes)?;
    let colors = header.palette.chunks_exact(header.entry_size);
    Ok(colors.map(|color| [color[2], color[1], color[0]]).collect())
}

/// Decodes a BMP to RGBA; opaque, unless the header has bits for alpha.
pub(super) fn decode(file: &Encoded<'_>) -> Result<Decoded, ImageError> {
    let header = Header::parse(file.bytes)?;
    let (width, height) = (header.width, header.height);
    file.reserve("BMP", width, height, 0)?;
    let palette: Vec<[u8; 4]> = (0..=255).map(|index| header.color(index)).collect();
    let stride = 4 * width as usize;
    let mut rgba = vec![0; stride * height as usize];
    // The rows in the order of the file.
    let mut rows: Vec<&mut [u8]> = rgba.chunks_exact_mut(stride).collect();
    if !header.is_top_down {
        rows.reverse();
    }
    let end = match header.compression {
        RLE8 | RLE4 => {
            rows.iter_mut().for_each(|row| row.as_chunks_mut().0.fill([0, 0, 0, 255]));
            runs(header.pixels, header.compression == RLE4, &palette, &mut rows)
        }
        _ => raw(&header, &palette, &mut rows)?,
    };
    if let Some(row) = end {
        return Err(error(format!("the pixels end in row {row} of {height}")));
    }
    Ok(Image::from_rgba(width, height, rgba)?.into())
}

/// Reads pixels that stand as they are, rows padded to four bytes. Gives the row in which the file
/// ends, if it does.
fn raw(
    header: &Header<'_>,
    palette: &[[u8; 4]],
    rows: &mut [&mut [u8]],
) -> Result<Option<usize>, ImageError> {
    let [red, green, blue, alpha] = header.masks.map(|mask| Channel::new(mask, header.depth));
    let (red, green, blue, alpha) = (red?, green?, blue?, alpha?);
    if header.compression == MASKS && [&red, &green, &blue].iter().any(|channel| channel.max == 0) {
        return Err(error("a color has no bits in its mask (offset 54)"));
    }
    let masked = |pixel: u32| {
        let opacity = if alpha.max == 0 { 255 } else { alpha.read(pixel) };
        [red.read(pixel), green.read(pixel), blue.read(pixel), opacity]
    };
    let bits = usize::from(header.depth) * header.width as usize;
    let (used, padded) = (bits.div_ceil(8), bits.div_ceil(32) * 4);
    for (number, row) in rows.iter_mut().enumerate() {
        let Some(line) = header.pixels.get(number * padded..number * padded + used) else {
            return Ok(Some(number));
        };
        let pixels = row.as_chunks_mut().0.iter_mut();
        match header.depth {
            16 => pixels.zip(line.as_chunks().0).for_each(|(pixel, bits)| {
                *pixel = masked(u32::from(u16::from_le_bytes(*bits)));
            }),
            24 => pixels.zip(line.as_chunks().0).for_each(|(pixel, &[blue, green, red])| {
                *pixel = [red, green, blue, 255];
            }),
            32 => pixels.zip(line.as_chunks().0).for_each(|(pixel, bits)| {
                *pixel = masked(u32::from_le_bytes(*bits));
            }),
            depth => {
                let depth = usize::from(depth);
                let mask = u8::MAX >> (8 - depth);
                for (x, pixel) in pixels.enumerate() {
                    let index = line[x * depth / 8] >> (8 - depth - x * depth % 8) & mask;
                    *pixel = palette[usize::from(index)];
                }
            }
        }
    }
    Ok(None)
}

/// Reads run-length code: two bytes are a count and an index (or two half-byte indices in turn); after a
/// count of 0 the second byte is an order or the number of indices that follow as they are. What the
/// code skips stays black, what it has too much is dropped. Gives the row in which it breaks off, if it
/// does.
fn runs(
    mut code: &[u8],
    halves: bool,
    palette: &[[u8; 4]],
    rows: &mut [&mut [u8]],
) -> Option<usize> {
    let (mut x, mut y) = (0, 0);
    while y < rows.len() {
        let Some((&[count, value], rest)) = code.split_first_chunk() else {
            return Some(y);
        };
        code = rest;
        let (len, bytes) = match (count, value) {
            (0, 0) => {
                (x, y) = (0, y + 1);
                continue;
            }
            (0, 1) => return None,
            (0, 2) => {
                let Some((&[right, up], rest)) = code.split_first_chunk() else {
                    return Some(y);
                };
                (code, x, y) = (rest, x + usize::from(right), y + usize::from(up));
                continue;
            }
            (0, literals) => {
                let len = usize::from(literals);
                let bytes = if halves { len.div_ceil(2) } else { len };
                let Some((literals, rest)) = code.split_at_checked(bytes.next_multiple_of(2))
                else {
                    return Some(y);
                };
                code = rest;
                (len, literals)
            }
            _ => (usize::from(count), &[value][..]),
        };
        let pixels = rows[y].as_chunks_mut().0.iter_mut().skip(x).take(len);
        for (i, pixel) in pixels.enumerate() {
            let byte = if halves { bytes.get(i / 2) } else { bytes.get(i) };
            let byte = *byte.unwrap_or(&value);
            let index = match (halves, i % 2) {
                (false, _) => byte,
                (true, 0) => byte >> 4,
                (true, _) => byte & 15,
            };
            *pixel = palette[usize::from(index)];
        }
        x += len;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLORS: [[u8; 4]; 4] =
        [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [8, 16, 25, 255]];
    /// The same as a palette, three bytes and four bytes a colour.
    const SHORT: [u8; 12] = [0, 0, 255, 0, 255, 0, 255, 0, 0, 25, 16, 8];
    const LONG: [u8; 16] = [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 25, 16, 8, 0];

    /// A BMP of Windows: header size, width and height, depth and compression, what stands between
    /// header and pixels, the pixels.
    fn bmp(
        size: u8,
        sides: [i32; 2],
        [depth, kind]: [u8; 2],
        between: &[u8],
        code: &[u8],
    ) -> Vec<u8> {
        let mut file = vec![0; 14 + usize::from(size)];
        file[..2].copy_from_slice(b"BM");
        file[10] = 14 + size + between.len() as u8;
        file[14] = size;
        file[18..22].copy_from_slice(&sides[0].to_le_bytes());
        file[22..26].copy_from_slice(&sides[1].to_le_bytes());
        (file[26], file[28], file[30]) = (1, depth, kind);
        if size > 40 {
            file[54..54 + between.len()].copy_from_slice(between);
            file[10] = 14 + size;
        } else {
            file.extend(between);
        }
        file.extend(code);
        file
    }

    fn decode(bytes: &[u8]) -> Result<Vec<[u8; 4]>, ImageError> {
        let image = super::decode(&Encoded { bytes, budget: 1 << 20 })?.image;
        Ok(image.to_rgba().as_chunks().0.to_vec())
    }

    #[test]
    fn all_depths_from_top_and_bottom() {
        let masks =
            |masks: &[u32]| -> Vec<u8> { masks.iter().flat_map(|m| m.to_le_bytes()).collect() };
        let words = |colors: [u16; 4]| colors.map(u16::to_le_bytes).concat();
        let long = |alpha: u8| COLORS.map(|[r, g, b, _]| [b, g, r, alpha]).concat();
        let rgb555 = [31 << 10, 31 << 5, 31, 1 << 10 | 2 << 5 | 3];
        let rgb565 = [31 << 11, 63 << 5, 31, 1 << 11 | 4 << 5 | 3];
        let flipped = |[a, b, c, d]: [u8; 4]| [c, d, 0, 0, a, b, 0, 0];
        let mut core = bmp(40, [0; 2], [0, 0], &[], &[]);
        core.drain(26..);
        core[10] = 38;
        core[14] = 12;
        core[18..26].copy_from_slice(&[2, 0, 2, 0, 1, 0, 8, 0]);
        core.extend(SHORT);
        core.extend(flipped([0, 1, 2, 3]));
        let down = [2, -2];
        for (name, file) in [
            ("8", bmp(40, [2, 2], [8, 0], &LONG, &flipped([0, 1, 2, 3]))),
            ("8 of OS/2", core),
            ("4", bmp(40, [2, 2], [4, 0], &LONG, &[0x23, 0, 0, 0, 0x01, 0, 0, 0])),
            ("2", bmp(40, down, [2, 0], &LONG, &[0x10, 0, 0, 0, 0xb0, 0, 0, 0])),
            ("24", bmp(40, down, [24, 0], &[], &[&SHORT[..6], &[0; 2], &SHORT[6..]].concat())),
            ("32", bmp(40, down, [32, 0], &[], &long(9))),
            ("16", bmp(40, down, [16, 0], &[], &words(rgb555))),
            (
                "16 by masks",
                bmp(40, down, [16, 3], &masks(&[31 << 11, 63 << 5, 31]), &words(rgb565)),
            ),
            ("32 by masks", bmp(108, down, [32, 3], &masks(&[0xff_0000, 0xff00, 0xff]), &long(9))),
        ] {
            assert_eq!(decode(&file).unwrap(), COLORS, "{name}");
        }
        let alpha = masks(&[0xff_0000, 0xff00, 0xff, 0xff00_0000]);
        let faint = decode(&bmp(108, down, [32, 3], &alpha, &long(9))).unwrap();
        assert_eq!(faint, COLORS.map(|[r, g, b, _]| [r, g, b, 9]));
        let one = decode(&bmp(40, [9, -1], [1, 0], &LONG, &[0b1010_0000, 0x80, 0, 0])).unwrap();
        let [a, b, ..] = COLORS;
        assert_eq!(one, [b, a, b, a, a, a, a, a, b]);
    }

    #[test]
    fn run_length_code() {
        let [a, b, c, _] = COLORS;
        let black = [0, 0, 0, 255];
        // Bottom row: three of 1, two skipped, end of row. Top row: 0, 2, 1 as they are, a run that
        // is too long.
        let code8 = [3, 1, 0, 2, 2, 0, 0, 0, 0, 3, 0, 2, 1, 0, 9, 2, 0, 1];
        let picture = decode(&bmp(40, [5, 2], [8, 1], &LONG, &code8)).unwrap();
        assert_eq!(picture, [a, c, b, c, c, b, b, b, black, black]);
        let code4 = [5, 0x12, 0, 0, 0, 5, 0x02, 0x10, 0x20, 0, 0, 1];
        let picture = decode(&bmp(40, [5, 2], [4, 2], &LONG, &code4)).unwrap();
        assert_eq!(picture, [a, c, b, a, c, b, c, b, c, b]);
        // One pixel, up by one row and right by two, one pixel.
        let jump = [1, 1, 0, 2, 1, 1, 1, 2, 0, 1];
        let picture = decode(&bmp(40, [3, 2], [8, 1], &LONG, &jump)).unwrap();
        assert_eq!(picture, [black, black, c, b, black, black]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let cut = bmp(40, [2, 2], [24, 0], &[], &[0; 12]);
        let mut header = cut.clone();
        header[14] = 41;
        for (file, part) in [
            (cut, "the pixels end in row 1 of 2"),
            (header, "a header of 41 bytes (offset 14)"),
            (bmp(40, [-2, 2], [24, 0], &[], &[]), "-2 x 2 pixels"),
            (bmp(40, [2, 0], [24, 0], &[], &[]), "2 x 0 pixels"),
            (bmp(40, [2, 2], [7, 0], &[], &[]), "7 bits a pixel (offset 28) in compression 0"),
            (bmp(40, [2, 2], [8, 4], &[], &[]), "compression 4"),
            (bmp(40, [2, 2], [16, 3], &[5, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0], &[0; 8]), "mask 0x5"),
            (bmp(40, [2, 2], [16, 3], &[0; 12], &[0; 8]), "a color has no bits"),
            (bmp(40, [2, 2], [8, 1], &LONG, &[2, 0, 0]), "the pixels end in row 0 of 2"),
            (b"BM".to_vec(), "ends in its header"),
        ] {
            let message = decode(&file).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
