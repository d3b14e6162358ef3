//! Picture files to [`Image`]s: which format it is, and how much memory it may take.
//!
//! The format is told by content: marks, or headers in which every field makes sense. Only where that
//! says nothing the extension decides. Every decoder says what it needs before it reserves memory.

use std::path::Path;
use std::sync::Arc;

use super::{Image, Palette, bmp, dds, jpeg, pcx, png, tga};
use crate::error::{ImageError, OpenError};
use crate::files::{Files, Limit};
use crate::location::Location;

/// Largest width and height that is read, in pixels.
const MAX_SIDE: u32 = 16384;

/// Bytes that the pixels of a picture, or of all textures of a model, may take unless something else is
/// said.
pub(crate) const PIXEL_MEMORY: u64 = 256 << 20;

/// Bytes that a decoder may take beside the pixels.
pub(crate) const DECODER_MEMORY: u64 = 32 << 20;

/// Bytes that decoding a picture may take unless something else is said.
pub(super) const DEFAULT_BUDGET: u64 = PIXEL_MEMORY + DECODER_MEMORY;

/// A picture and what was odd about its file.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) image: Image,
    pub(crate) warnings: Vec<String>,
    /// What the file says that the picture does not.
    pub(crate) lost: Option<&'static str>,
}

impl From<Image> for Decoded {
    fn from(image: Image) -> Self {
        Self { image, warnings: Vec::new(), lost: None }
    }
}

impl Image {
    /// Reads a picture file or a member of an archive (see [`Location`]): PNG, TGA, JPEG, BMP, DDS (BC1, BC2, BC3), PCX or a game's `.lmp`.
    ///
    /// PCX and `.lmp` pictures keep their indices, all others become RGBA.
    ///
    /// # Errors
    /// If the file cannot be read, is not such a picture, is larger than 16384 pixels a side, would take
    /// over 288 MiB while it is decoded, or is out of proportion to its file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let file = Location::from(path.as_ref());
        let bytes = Files::default().read(&file, Limit::picture(DEFAULT_BUDGET))?;
        let extension = file.extension().to_str().unwrap_or_default();
        Self::from_bytes(&bytes, extension).map_err(|source| OpenError::Image { file, source })
    }

    /// [`Image::open`] of a file of which nothing may be lost: PNGs with more than 8 bits a channel are
    /// refused unless 8 hold them, and so are animated ones.
    ///
    /// # Errors
    /// Those of [`Image::open`], and if something would be lost.
    pub fn open_whole(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let file = Location::from(path.as_ref());
        let bytes = Files::default().read(&file, Limit::picture(DEFAULT_BUDGET))?;
        let extension = file.extension().to_str().unwrap_or_default();
        let whole =
            decode(&bytes, extension, DEFAULT_BUDGET).and_then(|decoded| match decoded.lost {
                Some(lost) => Err(ImageError::decode("picture", lost)),
                None => Ok(decoded.image),
            });
        whole.map_err(|source| OpenError::Image { file, source })
    }

    /// Decodes the bytes of a picture file; see [`Image::open`]. `extension` (without the dot, may be
    /// empty) decides only where the content does not.
    ///
    /// # Errors
    /// If the bytes are not such a picture, or one that is too large.
    pub fn from_bytes(bytes: &[u8], extension: &str) -> Result<Self, ImageError> {
        Self::from_bytes_within(bytes, extension, DEFAULT_BUDGET)
    }

    /// Decodes the bytes of a picture file with a budget of its own: the most bytes of memory that
    /// decoding may take, for the pixels as RGBA (also of an indexed picture, which may become that)
    /// and for what the decoder needs beside them. Known before anything is reserved.
    ///
    /// # Errors
    /// If the bytes are not such a picture, or one that is too large.
    pub fn from_bytes_within(
        bytes: &[u8],
        extension: &str,
        budget: u64,
    ) -> Result<Self, ImageError> {
        decode(bytes, extension, budget).map(|decoded| decoded.image)
    }
}

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Png,
    Jpeg,
    Bmp,
    Dds,
    Pcx,
    Tga,
    Lmp,
}

/// Decodes the bytes of a picture file; `extension` decides only where the content does not.
///
/// `budget` is the most memory in bytes that decoding may take: the pixels (counted as RGBA, which
/// indices may become later) and whatever the decoder needs beside them.
pub(crate) fn decode(bytes: &[u8], extension: &str, budget: u64) -> Result<Decoded, ImageError> {
    let format = format_of(bytes, extension)?;
    let file = Encoded { bytes, budget };
    match format {
        Some(Format::Png) => png::decode(&file),
        Some(Format::Jpeg) => jpeg::decode(&file),
        Some(Format::Bmp) => bmp::decode(&file),
        Some(Format::Dds) => dds::decode(&file),
        Some(Format::Pcx) => pcx::decode(&file),
        Some(Format::Tga) => tga::decode(&file),
        Some(Format::Lmp) => lmp(&file),
        None => Err(unknown("the content is none of these")),
    }
}

/// The palette of a picture file, whose pixels are read of a PCX alone; `None` if it has none. What it
/// lacks of 256 colours is black.
pub(crate) fn palette_of(
    bytes: &[u8],
    extension: &str,
) -> Result<Option<Arc<Palette>>, ImageError> {
    let file = Encoded { bytes, budget: DEFAULT_BUDGET };
    let colors = match format_of(bytes, extension)? {
        Some(Format::Pcx) => return Ok(pcx::decode(&file)?.image.palette().cloned()),
        Some(Format::Png) => png::palette(&file)?,
        Some(Format::Bmp) => bmp::palette(bytes)?,
        Some(Format::Tga) => tga::palette(bytes)?,
        _ => Vec::new(),
    };
    Ok((!colors.is_empty()).then(|| Palette::of_picture(&colors)))
}

fn format_of(bytes: &[u8], extension: &str) -> Result<Option<Format>, ImageError> {
    let by_content = told_by_content(bytes);
    if let (None, Some(found)) = (by_content, foreign(bytes)) {
        return Err(unknown(found));
    }
    Ok(by_content.or_else(|| told_by_extension(extension)))
}

fn unknown(found: &str) -> ImageError {
    ImageError::decode("picture (PNG, TGA, JPEG, BMP, DDS, PCX or LMP)", found)
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

/// No two of these fit the same file: a PCX would be a TGA with a colour map of kind 5, and either of
/// them a lump of more than 65535 columns.
fn told_by_content(bytes: &[u8]) -> Option<Format> {
    let marks: [(&[u8], _); 4] = [
        (b"\x89PNG\r\n\x1a\n", Format::Png),
        (b"\xff\xd8\xff", Format::Jpeg),
        (b"BM", Format::Bmp),
        (b"DDS ", Format::Dds),
    ];
    if let Some((_, format)) = marks.iter().find(|(mark, _)| bytes.starts_with(mark)) {
        return Some(*format);
    }
    if pcx::is_pcx(bytes) {
        Some(Format::Pcx)
    } else if tga::is_tga(bytes) {
        Some(Format::Tga)
    } else {
        lmp_size(bytes).map(|_| Format::Lmp)
    }
}

fn told_by_extension(extension: &str) -> Option<Format> {
    let known = [("tga", Format::Tga), ("pcx", Format::Pcx), ("lmp", Format::Lmp)];
    let found = known.iter().find(|(name, _)| extension.eq_ignore_ascii_case(name));
    found.map(|(_, format)| *format)
}

/// The bytes of a picture file, and how many bytes decoding them may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoded<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) budget: u64,
}

impl Encoded<'_> {
    /// Asks for the memory of a picture and for `scratch` bytes beside it. Refuses pictures without
    /// pixels, sizes that no texture has, pictures out of proportion to their file, and what is over the
    /// budget: a small file must not make us allocate a gigabyte.
    pub(super) fn reserve(
        &self,
        format: &'static str,
        width: u32,
        height: u32,
        scratch: u64,
    ) -> Result<(), ImageError> {
        if width == 0 || height == 0 {
            return Err(ImageError::decode(format, format!("{width} x {height} pixels")));
        }
        let (file_size, budget) = (self.bytes.len(), self.budget);
        let pixels = (u64::from(width) * u64::from(height)).saturating_mul(4);
        let proportionate = (file_size as u64).saturating_mul(1024).saturating_add(64 << 20);
        let needed = pixels.saturating_add(scratch);
        if width > MAX_SIDE || height > MAX_SIDE || pixels > proportionate || needed > budget {
            let size = format!("{width} x {height} pixels in a file of {file_size} bytes");
            let limits = format!(
                "at most {MAX_SIDE} a side, {budget} bytes for decoding, and in proportion to the file \
                 are read"
            );
            return Err(ImageError::decode(format, format!("{size}: {limits}")));
        }
        Ok(())
    }
}

/// Width and height if the bytes are exactly two sizes and as many indices.
fn lmp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let width = u32::from_le_bytes(*bytes.first_chunk()?);
    let height = u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?);
    let expected = u64::from(width) * u64::from(height) + 8;
    (width > 0 && height > 0 && expected == bytes.len() as u64).then_some((width, height))
}

/// A game's picture lump: i32 width, i32 height, indices of Quake's palette.
fn lmp(file: &Encoded<'_>) -> Result<Decoded, ImageError> {
    let bytes = file.bytes;
    let Some((width, height)) = lmp_size(bytes) else {
        let found = bytes.len();
        let message = format!(
            "width and height (offset 0) and as many indices should fill the file of {found} bytes"
        );
        return Err(ImageError::decode("LMP", message));
    };
    file.reserve("LMP", width, height, 0)?;
    let image = Image::from_indices(width, height, bytes[8..].to_vec(), Palette::quake(), None)?;
    Ok(image.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Pixels;

    const COLORS: [[u8; 4]; 4] =
        [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [8, 16, 24, 255]];

    #[test]
    fn sizes_whose_bytes_no_integer_holds_are_refused() {
        let file = Encoded { bytes: &[0; 200], budget: u64::MAX };
        for [width, height] in [[u32::MAX; 2], [u32::MAX - 3, 0x8000_0001], [1 << 31; 2]] {
            assert!(file.reserve("DDS", width, height, u64::MAX).is_err(), "{width} x {height}");
        }
    }

    /// A 2 x 2 TGA of type 2.
    fn tga() -> Vec<u8> {
        let mut file = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 24, 0x20];
        file.extend(COLORS.iter().flat_map(|&[r, g, b, _]| [b, g, r]));
        file
    }

    fn png() -> Vec<u8> {
        let mut file = Vec::new();
        Image::from_rgba(2, 2, COLORS.concat()).unwrap().encode_png(&mut file).unwrap();
        file
    }

    /// A 2 x 2 BMP of 24 bits.
    fn bmp() -> Vec<u8> {
        let mut file = vec![0; 54];
        file[..2].copy_from_slice(b"BM");
        (file[10], file[14], file[18], file[22], file[26], file[28]) = (54, 40, 2, 2, 1, 24);
        for row in COLORS.chunks(2).rev() {
            file.extend(row.iter().flat_map(|&[r, g, b, _]| [b, g, r]));
            file.extend([0, 0]);
        }
        file
    }

    /// A 2 x 2 PCX of indices 1, 2, 3, 4.
    fn pcx() -> Vec<u8> {
        let mut file = vec![0; 128];
        file[..4].copy_from_slice(&[0x0a, 5, 1, 8]);
        (file[8], file[10], file[65], file[66]) = (1, 1, 1, 2);
        file.extend([1, 2, 3, 4]);
        file.extend([0; 768]);
        file
    }

    fn lmp() -> Vec<u8> {
        [2i32.to_le_bytes(), 2i32.to_le_bytes(), [1, 2, 3, 4]].concat()
    }

    #[test]
    fn content_decides_before_the_extension() {
        let extensions = ["tga", "pcx", "png", "jpg", "bmp", "dds", "lmp", "TGA", "txt", ""];
        for extension in extensions {
            for (name, file) in [("TGA", tga()), ("PNG", png()), ("BMP", bmp())] {
                let image = Image::from_bytes(&file, extension).unwrap();
                assert_eq!((image.width(), image.height()), (2, 2), "{name} as {extension}");
                assert_eq!(*image.pixels(), Pixels::Rgba(COLORS.concat()), "{name} as {extension}");
            }
            for (name, file) in [("PCX", pcx()), ("LMP", lmp())] {
                let image = Image::from_bytes(&file, extension).unwrap();
                let Pixels::Indexed { indices, transparent: None, .. } = image.pixels() else {
                    panic!("a {name} stays indexed");
                };
                assert_eq!(indices, &[1, 2, 3, 4], "{name} as {extension}");
            }
            let jpeg = include_bytes!("../../tests/pictures/grey.jpg");
            let image = Image::from_bytes(jpeg, extension).unwrap();
            assert_eq!(*image.pixels(), Pixels::Rgba([100, 100, 100, 255].repeat(64)));
        }
    }

    #[test]
    fn the_extension_decides_where_the_content_does_not() {
        // The descriptor has bits that no TGA should have; the version of the PCX is none.
        let (mut odd_tga, mut odd_pcx) = (tga(), pcx());
        odd_tga[17] |= 0x40;
        odd_pcx[1] = 77;
        for (file, extension) in [(odd_tga, "tga"), (odd_pcx, "PCX")] {
            assert!(Image::from_bytes(&file, extension).is_ok(), "{extension}");
            let error = Image::from_bytes(&file, "png").unwrap_err().to_string();
            assert!(error.contains("none of these"), "{error}");
        }
    }

    #[test]
    fn lmp_has_the_palette_of_the_game() {
        let image = Image::from_bytes(&lmp(), "").unwrap();
        assert_eq!(image.palette(), Some(&Palette::quake()));
        let error = Image::from_bytes(&lmp()[..11], "lmp").unwrap_err();
        assert!(error.to_string().contains("11 bytes"), "{error}");
    }

    #[test]
    fn what_cannot_be_read_is_an_error_that_says_why() {
        let huge = {
            let mut header = tga();
            header[12..16].copy_from_slice(&[0xff; 4]);
            header
        };
        let out_of_proportion = [8000i32.to_le_bytes(), 16000i32.to_le_bytes()].concat();
        let mut unknown_type = tga();
        unknown_type[2] = 32;
        let mut empty = tga();
        empty[12] = 0;
        for (bytes, extension, part) in [
            (&b""[..], "png", "the file is empty"),
            (b"GIF89a....", "tga", "GIF is not read"),
            (b"what is this", "jpg", "none of these"),
            (&huge, "tga", "65535 x 65535"),
            (&out_of_proportion, "lmp", "LMP"),
            (&tga()[..29], "tga", "TGA: the pixels end in row 1 of 2"),
            (&unknown_type, "tga", "type 32 (offset 2)"),
            (&empty, "tga", "TGA: 0 x 2 pixels"),
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
    fn the_budget_is_exact() {
        for (file, needed) in [(tga(), 16), (bmp(), 16), (lmp(), 16), (pcx(), 16 + 4)] {
            assert!(Image::from_bytes_within(&file, "", needed).is_ok());
            let error = Image::from_bytes_within(&file, "", needed - 1).unwrap_err().to_string();
            assert!(error.contains("2 x 2 pixels") && error.contains("for decoding"), "{error}");
        }
    }

    #[test]
    fn damaged_files_are_errors_or_pictures() {
        for file in [png(), bmp(), tga(), pcx(), lmp()] {
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
