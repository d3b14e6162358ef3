//! Picture files to [`Image`]s: which format it is, and the decoders.
//!
//! The format is told by content. TGA has no mark of its own and is told by the extension or by a
//! plausible header; a game's `.lmp` picture by its extension or a size that fits exactly.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use ::image as codecs;
use codecs::{DynamicImage, ImageDecoder, ImageFormat, ImageReader};

use super::{Image, Palette, pcx};

/// Largest width and height that is read, in pixels.
const MAX_SIDE: u32 = 16384;
/// Most memory that the pixels of a picture may take.
const MAX_BYTES: u64 = 1 << 30;

/// A picture file could not be decoded: its format and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{format}: {message}")]
pub struct DecodeError {
    format: &'static str,
    message: String,
}

impl DecodeError {
    pub(super) fn new(format: &'static str, message: impl Into<String>) -> Self {
        Self { format, message: message.into() }
    }
}

/// A picture file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenImageError {
    /// The file cannot be read.
    #[error("cannot read '{}': {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a picture that can be decoded.
    #[error("'{}': {source}", .path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: DecodeError,
    },
}

/// A picture and what was odd about its file.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) image: Image,
    pub(crate) warnings: Vec<String>,
}

impl Image {
    /// Reads a picture file: PNG, TGA, JPEG, BMP, DDS (BC1, BC2, BC3), PCX or a game's `.lmp`.
    ///
    /// PCX and `.lmp` pictures keep their indices, all others become RGBA.
    ///
    /// # Errors
    /// If the file cannot be read, is not such a picture, is larger than 16384 pixels a side, or is
    /// out of proportion to its file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenImageError> {
        let path = path.as_ref();
        let bytes = read(path)?;
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        Self::from_bytes(&bytes, extension)
            .map_err(|source| OpenImageError::Decode { path: path.into(), source })
    }

    /// Decodes the bytes of a picture file; see [`Image::open`]. `extension` (without the dot, may be
    /// empty) decides only where the content does not.
    ///
    /// # Errors
    /// If the bytes are not such a picture, or one that is too large.
    pub fn from_bytes(bytes: &[u8], extension: &str) -> Result<Self, DecodeError> {
        decode(bytes, extension).map(|decoded| decoded.image)
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, OpenImageError> {
    std::fs::read(path).map_err(|source| OpenImageError::Read { path: path.into(), source })
}

/// Decodes the bytes of a picture file; `extension` decides only where the content does not.
pub(crate) fn decode(bytes: &[u8], extension: &str) -> Result<Decoded, DecodeError> {
    let is = |wanted: &str| extension.eq_ignore_ascii_case(wanted);
    if let Some((name, format)) = marked(bytes) {
        return with_codec(bytes, name, format);
    }
    let has_tga_type = bytes.get(2).is_some_and(|kind| TGA_TYPES.contains(kind));
    if is("tga") && (has_tga_type || foreign(bytes).is_none()) {
        return tga(bytes);
    }
    if pcx::is_pcx(bytes) || is("pcx") {
        return pcx::decode(bytes);
    }
    if is("lmp") || lmp_size(bytes).is_some() {
        return lmp(bytes);
    }
    if looks_like_tga(bytes) {
        return tga(bytes);
    }
    let found = foreign(bytes).unwrap_or("the content is none of these");
    Err(DecodeError::new("picture (PNG, TGA, JPEG, BMP, DDS, PCX or LMP)", found))
}

/// What the bytes are, if they are known to be no picture that is read.
fn foreign(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [] => Some("the file is empty"),
        [b'G', b'I', b'F', b'8', ..] => Some("GIF is not read"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            Some("WebP is not read")
        }
        _ => None,
    }
}

/// The formats that start with a mark of their own.
fn marked(bytes: &[u8]) -> Option<(&'static str, ImageFormat)> {
    let marks: [(&[u8], _, _); 4] = [
        (b"\x89PNG\r\n\x1a\n", "PNG", ImageFormat::Png),
        (b"\xff\xd8\xff", "JPEG", ImageFormat::Jpeg),
        (b"BM", "BMP", ImageFormat::Bmp),
        (b"DDS ", "DDS", ImageFormat::Dds),
    ];
    marks.iter().find(|(mark, ..)| bytes.starts_with(mark)).map(|&(_, name, format)| (name, format))
}

fn with_codec(
    bytes: &[u8],
    name: &'static str,
    format: ImageFormat,
) -> Result<Decoded, DecodeError> {
    let error = |error: codecs::ImageError| DecodeError::new(name, error.to_string());
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = codecs::Limits::default();
    limits.max_alloc = Some(MAX_BYTES);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(error)?;
    let (width, height) = decoder.dimensions();
    check_size(name, width, height, 4, bytes.len())?;
    let rgba = DynamicImage::from_decoder(decoder).map_err(error)?.into_rgba8().into_raw();
    let image = Image::from_rgba(width, height, rgba)
        .map_err(|size| DecodeError::new(name, size.to_string()))?;
    Ok(Decoded { image, warnings: Vec::new() })
}

/// Refuses sizes that no texture has and pictures out of proportion to their file: a small file must
/// not make us allocate a gigabyte.
pub(super) fn check_size(
    format: &'static str,
    width: u32,
    height: u32,
    bytes_per_pixel: u64,
    file_size: usize,
) -> Result<(), DecodeError> {
    let needed = u64::from(width) * u64::from(height) * bytes_per_pixel;
    let proportionate = (file_size as u64).saturating_mul(1024).saturating_add(64 << 20);
    if width > MAX_SIDE || height > MAX_SIDE || needed > MAX_BYTES.min(proportionate) {
        return Err(DecodeError::new(
            format,
            format!(
                "{width} x {height} pixels in a file of {file_size} bytes: at most {MAX_SIDE} a side \
                 and in proportion to the file are read"
            ),
        ));
    }
    Ok(())
}

const TGA_HEADER: usize = 18;
const TGA_TYPES: [u8; 6] = [1, 2, 3, 9, 10, 11];

fn looks_like_tga(bytes: &[u8]) -> bool {
    if bytes.ends_with(b"TRUEVISION-XFILE.\0") {
        return true;
    }
    let Some(header) = bytes.first_chunk::<TGA_HEADER>() else {
        return false;
    };
    let mapped = matches!(header[2], 1 | 9);
    let has_size = [12, 14].iter().all(|&at| header[at] != 0 || header[at + 1] != 0);
    TGA_TYPES.contains(&header[2])
        && header[1] == u8::from(mapped)
        && matches!(header[16], 8 | 15 | 16 | 24 | 32)
        && header[17] & 0xc0 == 0
        && has_size
}

/// A TGA of any usual type; rows run as bit 5 of the descriptor says, bottom to top without it.
fn tga(bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let Some(header) = bytes.first_chunk::<TGA_HEADER>() else {
        let message = format!("the header needs 18 bytes, the file has {}", bytes.len());
        return Err(DecodeError::new("TGA", message));
    };
    if !TGA_TYPES.contains(&header[2]) {
        let message = format!("type {} (offset 2); 1, 2, 3, 9, 10 and 11 are read", header[2]);
        return Err(DecodeError::new("TGA", message));
    }
    // Many writers leave the number of alpha bits 0 or wrong. The depth of a color tells it.
    let depth = if matches!(header[2], 1 | 9) { header[7] } else { header[16] };
    let is_gray = matches!(header[2], 3 | 11);
    let alpha_bits = if depth == 32 || (is_gray && depth == 16) { 8 } else { 0 };
    let mut patched = bytes.to_vec();
    patched[17] = header[17] & 0xf0 | alpha_bits;
    with_codec(&patched, "TGA", ImageFormat::Tga)
}

/// Width and height if the bytes are exactly two sizes and as many indices.
fn lmp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let width = u32::from_le_bytes(*bytes.first_chunk()?);
    let height = u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?);
    let expected = u64::from(width) * u64::from(height) + 8;
    (width > 0 && height > 0 && expected == bytes.len() as u64).then_some((width, height))
}

/// A game's picture lump: i32 width, i32 height, indices of Quake's palette.
fn lmp(bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let error = |message: String| DecodeError::new("LMP", message);
    let Some((width, height)) = lmp_size(bytes) else {
        let found = bytes.len();
        return Err(error(format!(
            "width and height (offset 0) and as many indices should fill the file of {found} bytes"
        )));
    };
    check_size("LMP", width, height, 1, bytes.len())?;
    let image = Image::from_indices(width, height, bytes[8..].to_vec(), Palette::quake(), None)
        .map_err(|size| error(size.to_string()))?;
    Ok(Decoded { image, warnings: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Pixels;
    use codecs::{ExtendedColorType, ImageEncoder};

    const COLORS: [[u8; 4]; 4] =
        [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [8, 16, 24, 255]];

    fn rgba(bytes: &[u8], extension: &str) -> Vec<[u8; 4]> {
        let image = Image::from_bytes(bytes, extension).unwrap();
        assert_eq!((image.width(), image.height()), (2, 2));
        image.to_rgba().as_chunks().0.to_vec()
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
    fn tga_of_all_types_and_both_origins() {
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
        for (name, file) in [
            ("2, top down", raw(2, 0x20, &top_down)),
            ("2, bottom up", raw(2, 0, &bottom_up)),
            ("2, alpha bits of a writer that lies", raw(2, 8, &bottom_up)),
            ("10, top down", [tga_header(10, 0, 24, 0x20), runs(top_down)].concat()),
            ("10, bottom up", [tga_header(10, 0, 24, 0), runs(bottom_up)].concat()),
            ("1", [tga_header(1, 24, 8, 0x20), map.clone(), vec![0, 1, 2, 3]].concat()),
            ("9", [tga_header(9, 24, 8, 0), map, vec![3, 2, 3, 0, 1]].concat()),
        ] {
            assert_eq!(rgba(&file, "tga"), COLORS, "type {name}");
            assert_eq!(rgba(&file, ""), COLORS, "type {name} without extension");
        }
        let gray = [[9, 9, 9, 255], [7, 7, 7, 255], [7, 7, 7, 255], [7, 7, 7, 255]];
        assert_eq!(rgba(&[tga_header(3, 0, 8, 0x20), vec![9, 7, 7, 7]].concat(), "tga"), gray);
        assert_eq!(rgba(&[tga_header(11, 0, 8, 0x20), vec![0, 9, 0x82, 7]].concat(), "tga"), gray);
        let with_alpha =
            [tga_header(2, 0, 32, 0x20), COLORS.map(|[r, g, b, _]| [b, g, r, 5]).concat()];
        assert_eq!(rgba(&with_alpha.concat(), "tga"), COLORS.map(|[r, g, b, _]| [r, g, b, 5]));
    }

    #[test]
    fn formats_with_marks_are_told_by_content() {
        let rgb: Vec<u8> = COLORS.iter().flat_map(|c| [c[0], c[1], c[2]]).collect();
        let kind = ExtendedColorType::Rgb8;
        let mut png = Vec::new();
        codecs::codecs::png::PngEncoder::new(&mut png).write_image(&rgb, 2, 2, kind).unwrap();
        assert_eq!(rgba(&png, "tga"), COLORS);
        let mut bmp = Vec::new();
        codecs::codecs::bmp::BmpEncoder::new(&mut bmp).write_image(&rgb, 2, 2, kind).unwrap();
        assert_eq!(rgba(&bmp, "jpg"), COLORS);
        let mut jpeg = Vec::new();
        let gray = [100; 12];
        codecs::codecs::jpeg::JpegEncoder::new(&mut jpeg).write_image(&gray, 2, 2, kind).unwrap();
        assert_eq!(rgba(&jpeg, "pcx"), [[100, 100, 100, 255]; 4]);
    }

    #[test]
    fn dds_of_the_three_block_formats() {
        // One block: both end colours red (5-6-5 bits), all indices 0; BC2 and BC3 opaque before it.
        let block = [0x00, 0xf8, 0x00, 0xf8, 0, 0, 0, 0];
        let opaque = [0xff; 8];
        for (code, data) in [
            ("DXT1", block.to_vec()),
            ("DXT3", [opaque, block].concat()),
            ("DXT5", [opaque, block].concat()),
        ] {
            let mut file = vec![0; 128];
            file[..4].copy_from_slice(b"DDS ");
            for (offset, value) in
                [(4, 124u32), (8, 0x1007), (12, 4), (16, 4), (76, 32), (80, 4), (108, 0x1000)]
            {
                file[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
            }
            file[84..88].copy_from_slice(code.as_bytes());
            file.extend(data);
            let image = Image::from_bytes(&file, "dds").unwrap();
            assert_eq!((image.width(), image.height()), (4, 4));
            assert_eq!(image.to_rgba(), [255, 0, 0, 255].repeat(16), "{code}");
        }
    }

    #[test]
    fn lmp_keeps_its_indices() {
        let file = [2i32.to_le_bytes(), 2i32.to_le_bytes(), [1, 2, 3, 255]].concat();
        for extension in ["lmp", ""] {
            let image = Image::from_bytes(&file, extension).unwrap();
            let Pixels::Indexed { indices, palette, transparent: None } = image.pixels() else {
                panic!("an LMP stays indexed");
            };
            assert_eq!((indices.as_slice(), palette), (&[1, 2, 3, 255][..], &Palette::quake()));
        }
        let error = Image::from_bytes(&file[..11], "lmp").unwrap_err();
        assert!(error.to_string().contains("11 bytes"), "{error}");
    }

    #[test]
    fn what_cannot_be_read_is_an_error_that_says_why() {
        let huge = {
            let mut header = tga_header(2, 0, 24, 0);
            header[12..16].copy_from_slice(&[0xff; 4]);
            header
        };
        let out_of_proportion = [8000i32.to_le_bytes(), 16000i32.to_le_bytes()].concat();
        let short = [tga_header(2, 0, 24, 0), vec![0; 11]].concat();
        for (bytes, extension, part) in [
            (&b""[..], "png", "the file is empty"),
            (b"GIF89a....", "tga", "GIF is not read"),
            (b"what is this", "jpg", "none of these"),
            (&huge, "tga", "65535 x 65535"),
            (&out_of_proportion, "lmp", "LMP"),
            (&short, "tga", "TGA"),
            (&tga_header(32, 0, 24, 0), "tga", "type 32 (offset 2)"),
            (b"\x89PNG\r\n\x1a\n\0\0", "", "PNG"),
            (b"\xff\xd8\xff\xe0", "", "JPEG"),
            (b"DDS abc", "", "DDS"),
            (b"BM", "", "BMP"),
        ] {
            let message = Image::from_bytes(bytes, extension).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn damaged_files_are_errors_or_pictures() {
        let rgb: Vec<u8> = (0..8 * 8 * 3).map(|i| (i * 7) as u8).collect();
        let kind = ExtendedColorType::Rgb8;
        let [mut png, mut bmp, mut jpeg] = [const { Vec::new() }; 3];
        codecs::codecs::png::PngEncoder::new(&mut png).write_image(&rgb, 8, 8, kind).unwrap();
        codecs::codecs::bmp::BmpEncoder::new(&mut bmp).write_image(&rgb, 8, 8, kind).unwrap();
        codecs::codecs::jpeg::JpegEncoder::new(&mut jpeg).write_image(&rgb, 8, 8, kind).unwrap();
        let map = [tga_header(9, 24, 8, 0), bgr(&COLORS), vec![3, 2, 3, 0, 1]].concat();
        let runs = [tga_header(10, 0, 24, 0), vec![0x83, 1, 2, 3]].concat();
        for file in [png, bmp, jpeg, map, runs] {
            assert!(Image::from_bytes(&file, "tga").is_ok());
            for end in 0..file.len() {
                let _ = Image::from_bytes(&file[..end], "tga");
            }
            // The first bytes hold all sizes; the pixels are many and alike.
            for at in 0..file.len().min(200) {
                for value in [0, 1, 0x7f, 0x80, 0xff] {
                    let mut damaged = file.clone();
                    damaged[at] = value;
                    let _ = Image::from_bytes(&damaged, "tga");
                }
            }
        }
    }
}
