//! PNG out: RGBA, or 8-bit indices with their palette. And indexed PNG in, for comparing indices.

use std::io::{self, Cursor, Write};
use std::path::Path;
use std::sync::Arc;

use ::png as codec;
use codec::{BitDepth, ColorType, Compression, EncodingError};

use super::decode::{DecodeError, OpenImageError, check_size, read};
use super::{Image, Palette, Pixels};
use crate::output::{WriteError, write_file};

impl Image {
    /// Writes the picture as PNG: RGBA with 8 bits a channel, or indices with their palette of 256
    /// colours and the transparent index as tRNS chunk.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn encode_png(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.write_png(out).map_err(|error| match error {
            EncodingError::IoError(error) => error,
            other => io::Error::other(other),
        })
    }

    fn write_png(&self, out: &mut (impl Write + ?Sized)) -> Result<(), EncodingError> {
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
        let mut writer = encoder.write_header()?;
        writer.write_image_data(data)?;
        writer.finish()
    }

    /// Writes the picture as a PNG file, whole or not at all (see [`write_file`]).
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        write_file(path, |out| self.encode_png(out))
    }

    /// Reads a PNG file with a palette as the indices that it holds, where [`Image::open`] looks the
    /// colours up. The first fully transparent entry is the transparent index; no entry is
    /// fullbright, unless the palette is Quake's.
    ///
    /// # Errors
    /// If the file cannot be read or is not a PNG of 8-bit indices.
    pub fn open_indexed_png(path: impl AsRef<Path>) -> Result<Self, OpenImageError> {
        let path = path.as_ref();
        let bytes = read(path)?;
        decode_indexed(&bytes)
            .map_err(|source| OpenImageError::Decode { path: path.into(), source })
    }
}

fn decode_indexed(bytes: &[u8]) -> Result<Image, DecodeError> {
    let error = |message: String| DecodeError::new("PNG", message);
    let decoding = |error: codec::DecodingError| DecodeError::new("PNG", error.to_string());
    let mut reader = codec::Decoder::new(Cursor::new(bytes)).read_info().map_err(decoding)?;
    let info = reader.info();
    if (info.color_type, info.bit_depth) != (ColorType::Indexed, BitDepth::Eight) {
        let (color, depth) = (info.color_type, info.bit_depth as u8);
        return Err(error(format!("8-bit indices are wanted, this is {color:?} of {depth} bits")));
    }
    let (width, height) = (info.width, info.height);
    check_size("PNG", width, height, 1, bytes.len())?;
    let mut colors = [[0; 3]; 256];
    for (color, given) in colors.iter_mut().zip(info.palette.iter().flat_map(|p| p.as_chunks().0)) {
        *color = *given;
    }
    let quake = Palette::quake();
    let palette =
        if colors == *quake.colors() { quake } else { Arc::new(Palette::new(colors, 256)) };
    let transparent = info.trns.as_ref().and_then(|alpha| alpha.iter().position(|&a| a == 0));
    let transparent = transparent.and_then(|index| u8::try_from(index).ok());
    let mut indices = vec![0; width as usize * height as usize];
    reader.next_frame(&mut indices).map_err(decoding)?;
    Image::from_indices(width, height, indices, palette, transparent)
        .map_err(|size| error(size.to_string()))
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
