//! DDS pictures in the three block formats of textures: BC1 (DXT1), BC2 (DXT3) and BC3 (DXT5).
//!
//! A block is 4 x 4 pixels. Sides need not be multiples of 4: the last blocks are padded. Only the
//! largest picture is read, mipmaps and further faces follow it.

use super::Image;
use super::decode::{Decoded, Encoded};
use crate::error::ImageError;

/// The mark and the header behind it.
const HEADER: usize = 128;
/// The second header of files that name their format by a number.
const DX10_HEADER: usize = 20;

fn error(message: impl Into<String>) -> ImageError {
    ImageError::decode("DDS", message)
}

/// How a block is coded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    Bc1,
    Bc2,
    Bc3,
}

impl Blocks {
    /// Bytes of a block.
    fn size(self) -> usize {
        if self == Self::Bc1 { 8 } else { 16 }
    }

    /// The 16 pixels of a block. BC1 is taken as opaque, its hole is black.
    fn expand(self, block: &[u8]) -> [[u8; 4]; 16] {
        let mut pixels = [[0; 4]; 16];
        let (bytes, pitch) = (pixels.as_flattened_mut(), 16);
        match self {
            Self::Bc1 => bcdec_rs::bc1(block, bytes, pitch),
            Self::Bc2 => bcdec_rs::bc2(block, bytes, pitch),
            Self::Bc3 => bcdec_rs::bc3(block, bytes, pitch),
        }
        if self == Self::Bc1 {
            pixels.iter_mut().for_each(|pixel| pixel[3] = 255);
        }
        pixels
    }
}

/// Decodes a DDS file to RGBA.
pub(super) fn decode(file: &Encoded<'_>) -> Result<Decoded, ImageError> {
    let bytes = file.bytes;
    if bytes.len() < HEADER {
        return Err(error(format!("the header needs 128 bytes, the file has {}", bytes.len())));
    }
    let field = |offset: usize| {
        let field = bytes.get(offset..).and_then(|rest| rest.first_chunk());
        field.copied().map_or(0, u32::from_le_bytes)
    };
    let (height, width) = (field(12), field(16));
    let has_code = field(80) & 4 != 0;
    let (blocks, start) = match &bytes[84..88] {
        b"DXT1" if has_code => (Blocks::Bc1, HEADER),
        b"DXT3" if has_code => (Blocks::Bc2, HEADER),
        b"DXT5" if has_code => (Blocks::Bc3, HEADER),
        b"DX10" if has_code => {
            let blocks = match field(HEADER) {
                70..=72 => Blocks::Bc1,
                73..=75 => Blocks::Bc2,
                76..=78 => Blocks::Bc3,
                number => return Err(error(format!("format {number} (offset 128) is not read"))),
            };
            (blocks, HEADER + DX10_HEADER)
        }
        code if has_code => {
            let code = code.escape_ascii();
            return Err(error(format!("'{code}' (offset 84); DXT1, DXT3 and DXT5 are read")));
        }
        _ => return Err(error("no block format (offset 80); DXT1, DXT3 and DXT5 are read")),
    };
    file.reserve("DDS", width, height, 0)?;

    let (columns, rows) = (width.div_ceil(4) as usize, height.div_ceil(4) as usize);
    let needed = columns * rows * blocks.size();
    let Some(data) = bytes.get(start..).and_then(|data| data.get(..needed)) else {
        let found = bytes.len().saturating_sub(start);
        return Err(error(format!("truncated: {found} of {needed} bytes of blocks")));
    };
    let stride = width as usize;
    let mut rgba = vec![0; 4 * stride * height as usize];
    let pixels = rgba.as_chunks_mut().0;
    for (number, block) in data.chunks_exact(blocks.size()).enumerate() {
        let (left, top) = (number % columns * 4, number / columns * 4);
        let block = blocks.expand(block);
        let lines = pixels.chunks_exact_mut(stride).skip(top);
        for (line, colors) in lines.zip(block.chunks_exact(4)) {
            for (pixel, color) in line[left..].iter_mut().zip(colors) {
                *pixel = *color;
            }
        }
    }
    Ok(Image::from_rgba(width, height, rgba)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dds(code: &[u8], width: u32, height: u32, data: &[u8]) -> Vec<u8> {
        let mut file = vec![0; HEADER];
        file[..4].copy_from_slice(b"DDS ");
        for (offset, value) in
            [(4, 124), (8, 0x1007), (12, height), (16, width), (76, 32), (80, 4), (108, 0x1000)]
        {
            file[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        }
        file[84..88].copy_from_slice(code);
        file.extend(data);
        file
    }

    fn decode(bytes: &[u8]) -> Result<Image, ImageError> {
        super::decode(&Encoded { bytes, budget: 1 << 20 }).map(|decoded| decoded.image)
    }

    /// A block of one colour in 5-6-5 bits.
    fn block(color: u16) -> [u8; 8] {
        let [low, high] = color.to_le_bytes();
        [low, high, low, high, 0, 0, 0, 0]
    }

    #[test]
    fn the_three_block_formats() {
        let (red, opaque) = (block(31 << 11), [0xff; 8]);
        let dx10 = [&77u32.to_le_bytes()[..], &[0; 16], &opaque, &red].concat();
        for (code, data) in [
            (b"DXT1", red.to_vec()),
            (b"DXT3", [opaque, red].concat()),
            (b"DXT5", [opaque, red].concat()),
            (b"DX10", dx10),
        ] {
            let image = decode(&dds(code, 4, 4, &data)).unwrap();
            assert_eq!((image.width(), image.height()), (4, 4));
            assert_eq!(image.to_rgba(), [255, 0, 0, 255].repeat(16));
        }
        // Between red and blue, in thirds: index 2 is the one nearer to the first colour.
        let mixed = [0x00, 0xf8, 0x1f, 0x00, 0xaa, 0xaa, 0xaa, 0xaa];
        let image = decode(&dds(b"DXT1", 4, 4, &mixed)).unwrap();
        assert_eq!(image.to_rgba(), [170, 0, 85, 255].repeat(16));
        // The hole of BC1 is black, and opaque.
        let hole = [0x1f, 0x00, 0x00, 0xf8, 0xff, 0xff, 0xff, 0xff];
        let image = decode(&dds(b"DXT1", 4, 4, &hole)).unwrap();
        assert_eq!(image.to_rgba(), [0, 0, 0, 255].repeat(16));
    }

    #[test]
    fn channels_are_rounded_to_the_nearest_byte() {
        let nearest = |value: u16, max: u16| ((value * 255 * 2 + max) / (max * 2)) as u8;
        for value in 0..64u16 {
            let five = value / 2;
            let image =
                decode(&dds(b"DXT1", 4, 4, &block(five << 11 | value << 5 | five))).unwrap();
            let expected = [nearest(five, 31), nearest(value, 63), nearest(five, 31), 255];
            assert_eq!(image.to_rgba()[..4], expected);
        }
    }

    #[test]
    fn sides_need_not_be_multiples_of_four() {
        // 3 x 2 blocks, each of its own red.
        let reds: Vec<u8> = (0..6).flat_map(|i| block((5 * i) << 11)).collect();
        for (width, height) in [(9, 5), (12, 8), (10, 7)] {
            let image = decode(&dds(b"DXT1", width, height, &reds)).unwrap();
            assert_eq!((image.width(), image.height()), (width, height));
            let pixels = image.to_rgba();
            for y in 0..height {
                for x in 0..width {
                    let number = y / 4 * 3 + x / 4;
                    let expected = (5 * number * 255 * 2 + 31) / 62;
                    let at = 4 * (y * width + x) as usize;
                    assert_eq!(u32::from(pixels[at]), expected, "{width} x {height} at {x}, {y}");
                }
            }
        }
        let tiny = decode(&dds(b"DXT1", 1, 1, &block(0xffff))).unwrap();
        assert_eq!(tiny.to_rgba(), [255; 4]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (file, part) in [
            (dds(b"DXT1", 5, 4, &block(0)), "8 of 16 bytes of blocks"),
            (dds(b"ATI2", 4, 4, &[0; 16]), "'ATI2' (offset 84)"),
            (dds(b"DX10", 4, 4, &[98, 0, 0, 0]), "format 98 (offset 128)"),
            (dds(b"DXT1", 0, 4, &[]), "0 x 4"),
            (vec![0; 100], "128 bytes"),
        ] {
            let message = decode(&file).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
