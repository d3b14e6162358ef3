//! JPEG pictures: grey, colour and CMYK, baseline and progressive.

use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::Image;
use super::decode::{Decoded, Encoded};
use crate::error::ImageError;

/// Decodes a JPEG to RGBA, a truncated one as far as it goes.
pub(super) fn decode(file: &Encoded<'_>) -> Result<Decoded, ImageError> {
    let error = |error: DecodeErrors| ImageError::decode("JPEG", error.to_string());
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::MAX)
        .set_max_height(usize::MAX)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file.bytes), options);
    decoder.decode_headers().map_err(error)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
    let (width, height) = (side(width), side(height));
    file.reserve("JPEG", width, height, scratch(file.bytes))?;
    let mut rgba = vec![0; 4 * width as usize * height as usize];
    let count = rgba.len() / 4;
    decoder.decode_into(&mut rgba[..3 * count]).map_err(error)?;
    // From three bytes a pixel to four in the same memory, the last pixel first.
    for i in (0..count).rev() {
        rgba.copy_within(3 * i..3 * i + 3, 4 * i);
        rgba[4 * i + 3] = 255;
    }
    Ok(Image::from_rgba(width, height, rgba)?.into())
}

/// How many bytes the decoder needs beside the pixels: some rows of blocks, and where the file comes in
/// several scans the coefficients of the whole picture in 16 bits.
fn scratch(bytes: &[u8]) -> u64 {
    let Some(frame) = Frame::find(bytes) else {
        return u64::MAX;
    };
    let [width, height] = frame.size.map(u64::from);
    let rows = 1024 * (width + 64);
    if !frame.is_progressive && frame.in_first_scan == frame.samplings.len() {
        return rows;
    }
    let max = |axis: usize| {
        let samplings = frame.samplings.iter();
        samplings.map(|sampling| u64::from(sampling[axis])).max().unwrap_or(1).max(1)
    };
    // A scan of one component counts in its blocks, a scan of several in units of the largest of them.
    let unit = if frame.in_first_scan > 1 { [max(0), max(1)] } else { [1, 1] };
    let units = width.div_ceil(8 * unit[0]) * height.div_ceil(8 * unit[1]);
    let blocks: u64 = frame.samplings.iter().map(|&[h, v]| u64::from(h) * u64::from(v)).sum();
    rows + units * blocks * 64 * 2
}

/// What the segments before the first scan say about memory.
struct Frame {
    size: [u16; 2],
    is_progressive: bool,
    /// Horizontal and vertical sampling factor of every component.
    samplings: Vec<[u8; 2]>,
    /// How many components the first scan has.
    in_first_scan: usize,
}

impl Frame {
    /// Walks from segment to segment up to the first scan.
    fn find(bytes: &[u8]) -> Option<Self> {
        let mut frame = None;
        let mut rest = bytes.get(2..)?;
        loop {
            let (&[mark, kind], behind) = rest.split_first_chunk()?;
            if mark != 0xff || matches!(kind, 0 | 0xff) {
                rest = &rest[1..];
                continue;
            }
            if matches!(kind, 0x01 | 0xd0..=0xd9) {
                rest = behind;
                continue;
            }
            let len = usize::from(u16::from_be_bytes(*behind.first_chunk()?));
            let segment = behind.get(2..len.max(2))?;
            match kind {
                0xda => {
                    let in_first_scan = usize::from(*segment.first()?);
                    return frame.map(|frame| Self { in_first_scan, ..frame });
                }
                0xc4 | 0xc8 | 0xcc => {}
                0xc0..=0xcf => {
                    let &[_, top, bottom, left, right, _, ref components @ ..] = segment else {
                        return None;
                    };
                    let size = [[left, right], [top, bottom]].map(u16::from_be_bytes);
                    let factors = components.as_chunks::<3>().0.iter();
                    let samplings = factors.map(|&[_, both, _]| [both >> 4, both & 15]).collect();
                    let is_progressive = matches!(kind, 0xc2 | 0xc6 | 0xca | 0xce);
                    frame = Some(Self { size, is_progressive, samplings, in_first_scan: 0 });
                }
                _ => {}
            }
            rest = &behind[len.max(2)..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grey_colour_and_cmyk() {
        let pictures: [(&[u8], _, _, [u8; 3]); 4] = [
            (include_bytes!("../../tests/pictures/grey.jpg"), 8, 8, [100; 3]),
            (include_bytes!("../../tests/pictures/progressive.jpg"), 32, 24, [200, 100, 50]),
            (include_bytes!("../../tests/pictures/rgb.jpg"), 32, 24, [200, 100, 50]),
            (include_bytes!("../../tests/pictures/cmyk.jpg"), 16, 8, [255, 127, 0]),
        ];
        for (bytes, width, height, [red, green, blue]) in pictures {
            let image = decode(&Encoded { bytes, budget: 1 << 20 }).unwrap().image;
            assert_eq!((image.width(), image.height()), (width, height));
            let expected = [red, green, blue, 255].repeat((width * height) as usize);
            assert_eq!(image.to_rgba(), expected);
        }
    }
}
