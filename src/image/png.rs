//! PNG out: RGBA, or 8-bit indices with their palette. And in: any PNG as RGBA, or indices as they are.

use std::io::{self, Cursor, Write};
use std::path::Path;

use ::png as codec;
use codec::chunk::ChunkType;
use codec::{
    BitDepth, ColorType, Compression, DecodingError, EncodingError, InterlaceInfo, Transformations,
};

use super::decode::{DEFAULT_BUDGET, Decoded, Encoded};
use super::{Image, Palette, Pixels};
use crate::error::{ImageError, OpenError};
use crate::files::{Files, Limit};
use crate::location::Location;
use crate::output::{WriteError, write_file};

impl Image {
    /// Writes the picture as PNG: RGBA with 8 bits a channel, or indices with their palette of 256
    /// colours and the transparent index as tRNS chunk.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn encode_png(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.write_png(out, &[], None).map_err(io_error)
    }

    /// Like [`Image::encode_png`], for a picture of a model: it says that polyset drew it, so that it
    /// is never taken for a texture of the model.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn encode_drawn(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.encode_drawn_with(out, &[])
    }

    /// [`Image::encode_drawn`] with more text chunks: keywords and their texts, Latin-1.
    pub(crate) fn encode_drawn_with(
        &self,
        out: &mut (impl Write + ?Sized),
        texts: &[(&str, &str)],
    ) -> io::Result<()> {
        let texts: Vec<_> = [(SOFTWARE, POLYSET)].iter().chain(texts).copied().collect();
        self.write_png(out, &texts, None).map_err(io_error)
    }

    /// [`Image::encode_drawn`] of a sprite: with the offset, in pixels from the upper left corner, that
    /// Doom's engines read from a chunk `grAb`.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn encode_sprite(
        &self,
        out: &mut (impl Write + ?Sized),
        offset: [i32; 2],
    ) -> io::Result<()> {
        self.write_png(out, &[(SOFTWARE, POLYSET)], Some(offset)).map_err(io_error)
    }

    fn write_png(
        &self,
        out: &mut (impl Write + ?Sized),
        texts: &[(&str, &str)],
        offset: Option<[i32; 2]>,
    ) -> Result<(), EncodingError> {
        let mut encoder = codec::Encoder::new(out, self.width(), self.height());
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        let data = match self.pixels() {
            Pixels::Rgba(rgba) => {
                encoder.set_color(ColorType::Rgba);
                rgba
            }
            Pixels::Indexed { indices, palette, transparent } => {
                encoder.set_color(ColorType::Indexed);
                encoder.set_palette(palette.colors().as_flattened());
                if let Some(index) = *transparent {
                    let mut alpha = vec![255; usize::from(index) + 1];
                    alpha[usize::from(index)] = 0;
                    encoder.set_trns(alpha);
                }
                indices
            }
        };
        for (keyword, text) in texts {
            encoder.add_text_chunk((*keyword).into(), (*text).into())?;
        }
        let mut writer = encoder.write_header()?;
        if let Some(offset) = offset {
            writer.write_chunk(GRAB, offset.map(i32::to_be_bytes).as_flattened())?;
        }
        writer.write_image_data(data)?;
        writer.finish()
    }

    /// Writes the picture as a PNG file, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        write_file(path, |out| self.encode_png(out))
    }

    /// [`Image::save_png`] of a picture of models: it says that polyset drew it, so that it is never taken
    /// for a texture.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_drawn(&self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        write_file(path, |out| self.encode_drawn(out))
    }

    /// Reads a PNG file with a palette as the indices that it holds, where [`Image::open`] looks the
    /// colours up. The first fully transparent entry is the transparent index; no entry is
    /// fullbright, unless the palette is Quake's.
    ///
    /// # Errors
    /// If the file cannot be read or is not a PNG of 8-bit indices.
    pub fn open_indexed_png(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let file = Location::from(path.as_ref());
        let bytes = Files::default().read(&file, Limit::picture(DEFAULT_BUDGET))?;
        decode_indexed(&Encoded { bytes: &bytes, budget: DEFAULT_BUDGET })
            .map_err(|source| OpenError::Image { file, source })
    }
}

/// The keyword that the PNG specification has for the program that made a picture.
pub(crate) const SOFTWARE: &str = "Software";
/// What it says of a picture that polyset drew.
pub(crate) const POLYSET: &str = "polyset";

/// The ZDoom wiki, "GrAb": two signed numbers, most significant byte first.
const GRAB: ChunkType = ChunkType(*b"grAb");

/// Whether a file is a PNG that says that polyset drew it.
pub(crate) fn is_drawn_by_polyset(bytes: &[u8]) -> bool {
    text_of(bytes, SOFTWARE).is_some_and(|text| text.starts_with(POLYSET.as_bytes()))
}

/// The text chunk of a keyword before the pixels of a PNG.
pub(crate) fn text_of<'a>(bytes: &'a [u8], keyword: &str) -> Option<&'a [u8]> {
    const TEXT: [u8; 4] = *b"tEXt";
    let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    while let Some((&[a, b, c, d, ref kind @ ..], behind)) = rest.split_first_chunk::<8>() {
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let (data, next) = behind.split_at_checked(length)?;
        let text = data.strip_prefix(keyword.as_bytes()).and_then(|data| data.strip_prefix(b"\0"));
        if *kind == TEXT && text.is_some() {
            return text;
        }
        // Behind the data is their checksum. What is said of the pixels stands before them.
        rest = next.get(4..).filter(|_| kind != b"IDAT").unwrap_or_default();
    }
    None
}

fn io_error(error: EncodingError) -> io::Error {
    match error {
        EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature that map_err asks for")]
fn undecodable(error: DecodingError) -> ImageError {
    let message = match &error {
        DecodingError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            "the file ends before the picture does".into()
        }
        error => plain(error.to_string()),
    };
    ImageError::decode("PNG", message)
}

/// A message of the decoder in which chunks are called by their names alone.
fn plain(mut message: String) -> String {
    const CHUNK: &str = "ChunkType { type: ";
    while let Some(start) = message.find(CHUNK) {
        let chunk = &message[start + CHUNK.len()..];
        let name = chunk.split(',').next().unwrap_or_default().to_owned();
        let end = chunk.find('}').map_or(message.len(), |end| start + CHUNK.len() + end + 1);
        message.replace_range(start..end, &name);
    }
    message
}

/// Reads everything before the pixels, after asking for the memory that they will need. Texts and colour
/// profiles are passed over without unpacking them.
fn open<'a>(
    file: &Encoded<'a>,
    transformations: Transformations,
) -> Result<codec::Reader<Cursor<&'a [u8]>>, ImageError> {
    let mut decoder = codec::Decoder::new(Cursor::new(file.bytes));
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(transformations);
    let info = decoder.read_header_info().map_err(undecodable)?;
    let (width, height) = (info.width, info.height);
    // Some rows of the widest pixels, and the window of the compression.
    let scratch = u64::from(width) * 64 + (1 << 20);
    file.reserve("PNG", width, height, scratch)?;
    // What else is kept of a file, such as camera data, is kept as it stands.
    decoder.set_limits(codec::Limits { bytes: scratch as usize + file.bytes.len() });
    let reader = decoder.read_info().map_err(undecodable)?;
    let palette = reader.info().palette.as_ref().map_or(3, |palette| palette.len());
    if palette == 0 || palette % 3 != 0 || palette > 768 {
        let message =
            format!("a palette of {palette} bytes: expected 3 a colour, 1 to 256 colours");
        return Err(ImageError::decode("PNG", message));
    }
    Ok(reader)
}

/// Reads on behind the pixels: their last checksum stands there. A file that ends with the pixels has lost
/// nothing that counts.
fn finish(mut reader: codec::Reader<Cursor<&[u8]>>) -> Result<(), ImageError> {
    match reader.finish() {
        Err(error @ DecodingError::Format(_)) => Err(undecodable(error)),
        _ => Ok(()),
    }
}

/// Decodes a PNG of any kind to RGBA with 8 bits a channel; 16 bits are rounded.
pub(super) fn decode(file: &Encoded<'_>) -> Result<Decoded, ImageError> {
    let mut reader = open(file, Transformations::EXPAND)?;
    let (width, height) = reader.info().size();
    let (color, depth) = reader.output_color_type();
    let (channels, bytes) = (color.samples(), depth as usize / 8);
    let stride = 4 * width as usize;
    let mut lost = more_pictures(reader.info());
    let mut rgba = vec![0; stride * height as usize];
    if reader.info().interlaced {
        let mut line = vec![0; stride];
        while let Some(row) = reader.next_interlaced_row().map_err(undecodable)? {
            let line = &mut line[..row.data().len() / (channels * bytes) * 4];
            lost = lost.or(rounded(row.data(), bytes));
            to_rgba(row.data(), channels, bytes, line);
            if let InterlaceInfo::Adam7(place) = row.interlace() {
                codec::expand_interlaced_row(&mut rgba, stride, line, place, 32);
            }
        }
    } else {
        for line in rgba.chunks_exact_mut(stride) {
            match reader.next_row().map_err(undecodable)? {
                Some(row) => {
                    lost = lost.or(rounded(row.data(), bytes));
                    to_rgba(row.data(), channels, bytes, line);
                }
                None => break,
            }
        }
    }
    finish(reader)?;
    Ok(Decoded { lost, ..Image::from_rgba(width, height, rgba)?.into() })
}

/// What is lost of an animation.
fn more_pictures(info: &codec::Info<'_>) -> Option<&'static str> {
    let animation = info.animation_control?;
    // A picture before the animation need not be a part of it.
    let is_animated = animation.num_frames > 1 || info.frame_control.is_none();
    is_animated.then_some("an animation; only single pictures are compared")
}

/// What is lost of a row of channels of 1 or 2 bytes.
fn rounded(row: &[u8], bytes: usize) -> Option<&'static str> {
    let is_rounded = bytes == 2 && row.as_chunks().0.iter().any(|[high, low]| high != low);
    is_rounded.then_some("16 bits a channel, of which only 8 would be compared")
}

/// Turns pixels of 1 to 4 channels (grey, grey and alpha, RGB, RGBA) of 1 or 2 bytes into RGBA.
fn to_rgba(row: &[u8], channels: usize, bytes: usize, rgba: &mut [u8]) {
    let pixels = row.chunks_exact(channels * bytes).zip(rgba.as_chunks_mut().0);
    let wide = |high: u8, low: u8| ((u32::from(u16::from_be_bytes([high, low])) + 128) / 257) as u8;
    for (pixel, out) in pixels {
        *out = match (bytes, pixel) {
            (1, &[grey]) => [grey, grey, grey, 255],
            (1, &[grey, alpha]) => [grey, grey, grey, alpha],
            (1, &[red, green, blue]) => [red, green, blue, 255],
            (1, &[red, green, blue, alpha]) => [red, green, blue, alpha],
            (_, pixel) => {
                let channel = |i: usize| wide(pixel[2 * i], pixel[2 * i + 1]);
                match channels {
                    1 => [channel(0), channel(0), channel(0), 255],
                    2 => [channel(0), channel(0), channel(0), channel(1)],
                    3 => [channel(0), channel(1), channel(2), 255],
                    _ => [channel(0), channel(1), channel(2), channel(3)],
                }
            }
        };
    }
}

/// The palette of a PNG of indices; empty of any other.
pub(super) fn palette(file: &Encoded<'_>) -> Result<Vec<[u8; 3]>, ImageError> {
    let reader = open(file, Transformations::IDENTITY)?;
    // Of true colour it is a proposal for screens that have few.
    let is_indexed = reader.info().color_type == ColorType::Indexed;
    Ok(if is_indexed { colors_of(reader.info()) } else { Vec::new() })
}

fn colors_of(info: &codec::Info<'_>) -> Vec<[u8; 3]> {
    info.palette.iter().flat_map(|palette| palette.as_chunks().0).copied().collect()
}

fn decode_indexed(file: &Encoded<'_>) -> Result<Image, ImageError> {
    let mut reader = open(file, Transformations::IDENTITY)?;
    let info = reader.info();
    if (info.color_type, info.bit_depth) != (ColorType::Indexed, BitDepth::Eight) {
        let (color, depth) = (info.color_type, info.bit_depth as u8);
        let message = format!("8-bit indices are wanted, this is {color:?} of {depth} bits");
        return Err(ImageError::decode("PNG", message));
    }
    if let Some(lost) = more_pictures(info) {
        return Err(ImageError::decode("PNG", lost));
    }
    let (width, height) = (info.width, info.height);
    let palette = Palette::of_picture(&colors_of(info));
    let transparent = info.trns.as_ref().and_then(|alpha| alpha.iter().position(|&a| a == 0));
    let transparent = transparent.and_then(|index| u8::try_from(index).ok());
    let mut indices = vec![0; width as usize * height as usize];
    reader.next_frame(&mut indices).map_err(undecodable)?;
    finish(reader)?;
    Image::from_indices(width, height, indices, palette, transparent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rgba_survives_a_png() {
        let pixels = (0..4 * 5 * 3).map(|i| i as u8 * 4).collect();
        let image = Image::from_rgba(5, 3, pixels).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        image.save_png(&path).unwrap();
        assert_eq!(Image::open(&path).unwrap(), image);
        assert!(Image::open_indexed_png(&path).unwrap_err().to_string().contains("Rgba of 8 bits"));
    }

    #[test]
    fn indices_palette_and_transparent_index_survive_a_png() {
        for transparent in [None, Some(0), Some(255)] {
            let image = Image::from_indices(
                3,
                2,
                vec![0, 7, 255, 200, 1, 2],
                Palette::quake(),
                transparent,
            )
            .unwrap();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.png");
            image.save_png(&path).unwrap();
            assert_eq!(Image::open_indexed_png(&path).unwrap(), image);
            let opened = Image::open(&path).unwrap();
            assert_eq!(*opened.pixels(), Pixels::Rgba(image.to_rgba()));
        }
    }
}
