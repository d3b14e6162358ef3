//! PCX pictures: 8 bits a pixel, one plane, run-length encoded, 256 colours at the end of the file.
//!
//! The skins of Quake II. Read by our own code because indices and palette must stay as they are.

use std::borrow::Cow;
use std::sync::Arc;

use super::decode::{Decoded, Encoded};
use super::{Image, Palette};
use crate::error::ImageError;

const HEADER: usize = 128;
const PALETTE: usize = 768;
/// Most pixels that two bytes of the code stand for.
const LONGEST_RUN: usize = 63;

/// Whether the bytes start like a PCX file: mark, version, encoding, depth.
pub(super) fn is_pcx(bytes: &[u8]) -> bool {
    matches!(bytes, [0x0a, 0 | 2..=5, 0..=1, 1 | 2 | 4 | 8, ..]) && bytes.len() >= HEADER
}

/// Decodes a PCX file to an indexed picture with its own palette, of which only index 255 is
/// fullbright, as in Quake II.
///
/// Every row holds `bytes_per_line` bytes of which the padding is dropped; runs may cross the ends of
/// rows. What a truncated file lacks is filled with index 0 and reported as a warning.
pub(super) fn decode(file: &Encoded<'_>) -> Result<Decoded, ImageError> {
    let bytes = file.bytes;
    let error = |message: String| ImageError::decode("PCX", message);
    if bytes.len() < HEADER {
        return Err(error(format!(
            "the header needs {HEADER} bytes, the file has {}",
            bytes.len()
        )));
    }
    let field = |offset: usize| u32::from(u16::from_le_bytes([bytes[offset], bytes[offset + 1]]));
    let (encoding, depth, planes) = (bytes[2], bytes[3], bytes[65]);
    if depth != 8 || planes != 1 {
        return Err(error(format!(
            "{depth} bits in {planes} planes (offsets 3 and 65); only 8 bits in 1 plane can be read"
        )));
    }
    let [left, top, right, bottom] = [field(4), field(6), field(8), field(10)];
    if right < left || bottom < top {
        return Err(error(format!("corners ({left}, {top}) and ({right}, {bottom}) (offset 4)")));
    }
    let (width, height) = (right - left + 1, bottom - top + 1);
    let stride = field(66).max(width) as usize;
    let size = stride as u64 * u64::from(height);
    file.reserve("PCX", width, height, size.min(bytes.len() as u64 * LONGEST_RUN as u64))?;
    if bytes.len() < HEADER + PALETTE {
        return Err(error(format!("no room for the palette of {PALETTE} bytes at the end")));
    }
    let (body, colors) = bytes[HEADER..].split_at(bytes.len() - HEADER - PALETTE);
    let body = match encoding {
        0 => Cow::Borrowed(body),
        _ => Cow::Owned(expand(body, stride * height as usize)),
    };

    let mut warnings = Vec::new();
    let needed = stride * (height as usize - 1) + width as usize;
    if body.len() < needed {
        let (found, row) = (body.len(), body.len() / stride);
        warnings.push(format!(
            "PCX: truncated: {found} of {needed} pixel bytes; filled with index 0 from row {row} on"
        ));
    }
    let mut indices = vec![0; width as usize * height as usize];
    for (row, line) in indices.chunks_exact_mut(width as usize).zip(body.chunks(stride)) {
        let len = row.len().min(line.len());
        row[..len].copy_from_slice(&line[..len]);
    }
    let image = Image::from_indices(width, height, indices, palette(colors), None)?;
    Ok(Decoded { warnings, ..image.into() })
}

fn palette(colors: &[u8]) -> Arc<Palette> {
    let mut bytes = [0; PALETTE];
    bytes.copy_from_slice(colors);
    Arc::new(Palette::from_bytes(&bytes, 255))
}

/// At most `limit` bytes of the run-length code: a byte with both top bits set says how often the
/// next byte stands, any other stands for itself.
fn expand(code: &[u8], limit: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(limit.min(code.len() * LONGEST_RUN));
    let mut code = code.iter().copied();
    while out.len() < limit
        && let Some(byte) = code.next()
    {
        if byte < 0xc0 {
            out.push(byte);
        } else if let Some(value) = code.next() {
            let run = usize::from(byte & 63).min(limit - out.len());
            out.resize(out.len() + run, value);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Pixels;

    /// A PCX of the given size, line length and code, whose palette is 0, 1, 2, ...
    fn pcx(width: u16, height: u16, stride: u16, code: &[u8]) -> Vec<u8> {
        let mut file = vec![0; HEADER];
        file[..4].copy_from_slice(&[0x0a, 5, 1, 8]);
        // Corners (1, 1) to (width, height): sizes are differences.
        file[4..6].copy_from_slice(&1u16.to_le_bytes());
        file[6..8].copy_from_slice(&1u16.to_le_bytes());
        file[8..10].copy_from_slice(&width.to_le_bytes());
        file[10..12].copy_from_slice(&height.to_le_bytes());
        file[65] = 1;
        file[66..68].copy_from_slice(&stride.to_le_bytes());
        file.extend(code);
        file.push(0x0c);
        file.extend((0..768u32).map(|i| i as u8));
        file
    }

    fn decode(bytes: &[u8]) -> Result<Decoded, ImageError> {
        super::decode(&Encoded { bytes, budget: 1 << 20 })
    }

    fn indices(decoded: &Decoded) -> &[u8] {
        match decoded.image.pixels() {
            Pixels::Indexed { indices, .. } => indices,
            Pixels::Rgba(_) => panic!("a PCX stays indexed"),
        }
    }

    #[test]
    fn rows_are_as_long_as_the_header_says_and_runs_cross_them() {
        // Three pixels and one byte of padding a row; the run of five spans both rows.
        let file = pcx(3, 2, 4, &[7, 0xc5, 9, 0xc1, 0xff, 1]);
        let decoded = decode(&file).unwrap();
        assert_eq!(indices(&decoded), [7, 9, 9, 9, 9, 0xff]);
        assert_eq!(decoded.warnings, Vec::<String>::new());
        let palette = decoded.image.palette().unwrap();
        assert_eq!((palette.color(2), palette.first_fullbright()), ([6, 7, 8], 255));
    }

    #[test]
    fn truncated_code_is_filled_with_a_warning() {
        let mut file = pcx(4, 3, 4, &[0xc4, 5, 0xc2]);
        file.remove(HEADER + 3); // the 0x0c mark: the run has no value any more
        let decoded = decode(&file).unwrap();
        assert_eq!(indices(&decoded), [5, 5, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(
            decoded.warnings,
            ["PCX: truncated: 4 of 12 pixel bytes; filled with index 0 from row 1 on"]
        );
    }

    #[test]
    fn what_is_no_8_bit_picture_is_refused() {
        let good = pcx(2, 2, 2, &[1, 2, 3, 4]);
        assert_eq!(indices(&decode(&good).unwrap()), [1, 2, 3, 4]);
        for (offset, value, part) in
            [(65, 3, "3 planes"), (3, 1, "1 bits"), (8, 0, "corners"), (9, 0x70, "28674")]
        {
            let mut file = good.clone();
            file[offset] = value;
            let message = decode(&file).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        assert!(decode(&good[..500]).unwrap_err().to_string().contains("palette"));
        assert!(decode(&good[..20]).unwrap_err().to_string().contains("header"));
    }
}
