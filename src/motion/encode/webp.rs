//! WebP: lossless pictures in a container for animations. Of each picture the rectangle that changes is
//! put over what is there, transparent pixels too.

use std::io::{self, Seek, Write};

use image_webp::{ColorType, EncodingError, WebPEncoder};
use tempfile::SpooledTempFile;

use super::change::{Rect, changed};
use super::{Encoder, Film, Shown};

/// Makes an animated WebP. Its head says how long it is, so the pictures wait for the last one.
pub(super) struct WebP {
    film: Film,
    /// The chunks of pictures: in memory as long as they are small, then in a file without a name.
    pictures: SpooledTempFile,
    written: usize,
    has_alpha: bool,
}

/// Bytes of pictures that are kept in memory.
const IN_MEMORY: usize = 16 << 20;

impl WebP {
    pub(super) fn new(film: Film) -> Self {
        let pictures = SpooledTempFile::new(IN_MEMORY);
        Self { film, pictures, written: 0, has_alpha: false }
    }

    /// The file up to the first picture, for so many bytes of pictures.
    fn head(&self, pictures: u64) -> io::Result<Vec<u8>> {
        // Bit 1 says that it is an animation, bit 4 that it has alpha.
        let flags = 2 | u32::from(self.has_alpha) << 4;
        let [width, height] = self.film.size;
        let mut chunks = b"WEBP".to_vec();
        chunk(&mut chunks, *b"VP8X", &[&flags.to_le_bytes(), &u24(width - 1), &u24(height - 1)])?;
        // What is counted has 16 bits: more are hours.
        let plays = u16::try_from(self.film.plays).unwrap_or(u16::MAX);
        chunk(&mut chunks, *b"ANIM", &[&[0; 4], &plays.to_le_bytes()])?;
        let length = u32::try_from(chunks.len() as u64 + pictures).map_err(|_| {
            io::Error::other("a WebP file has less than 4 GiB: make it smaller or shorter")
        })?;
        Ok([b"RIFF", &length.to_le_bytes()[..], &chunks].concat())
    }
}

/// The lower three bytes of a number.
fn u24(number: u32) -> [u8; 3] {
    let [a, b, c, _] = number.to_le_bytes();
    [a, b, c]
}

/// Adds a chunk of the parts' bytes, padded to an even length.
fn chunk(file: &mut Vec<u8>, kind: [u8; 4], parts: &[&[u8]]) -> io::Result<()> {
    let data = parts.concat();
    let length = u32::try_from(data.len()).map_err(|_| {
        io::Error::other(format!("a chunk of {} bytes: a WebP has up to 4 GiB", data.len()))
    })?;
    file.extend(kind);
    file.extend(length.to_le_bytes());
    file.extend(&data);
    file.extend(&[0][..data.len() % 2]);
    Ok(())
}

/// The VP8L chunk of a picture, as it stands in a file of one.
fn lossless(rect: Rect, rgba: &[[u8; 4]]) -> io::Result<Vec<u8>> {
    let mut file = Vec::new();
    let encoder = WebPEncoder::new(&mut file);
    let done = if rgba.iter().all(|pixel| pixel[3] == 255) {
        let rgb: Vec<u8> = rgba.iter().flat_map(|pixel| &pixel[..3]).copied().collect();
        encoder.encode(&rgb, rect.width, rect.height, ColorType::Rgb8)
    } else {
        encoder.encode(rgba.as_flattened(), rect.width, rect.height, ColorType::Rgba8)
    };
    done.map_err(|error| match error {
        EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    })?;
    // Without what is in front of all chunks.
    file.drain(..12);
    Ok(file)
}

/// Which bit of a VP8L chunk says that there is alpha: behind name, length, signature and the 28 bits of
/// the sides.
const HAS_ALPHA: (usize, u8) = (12, 1 << 4);

impl Encoder for WebP {
    fn frame(&self, shown: Shown<'_>) -> io::Result<Vec<u8>> {
        let rgba = shown.image.as_rgba();
        let pixels = rgba.as_chunks::<4>().0;
        let [width, _] = self.film.size;
        let rect = match shown.before {
            None => Rect::whole(self.film.size),
            Some(before) => {
                let before = before.as_rgba();
                changed(before.as_chunks::<4>().0, pixels, width).unwrap_or(Rect::CORNER).even()
            }
        };
        let delay: u32 = self.film.delay(shown.number)?;
        if delay >= 1 << 24 {
            let message =
                format!("the delay of picture {} is {delay} ticks: expected 24 bits", shown.number);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        // Bit 1 says that the rectangle replaces what is there instead of being blended with it.
        let head = [rect.left / 2, rect.top / 2, rect.width - 1, rect.height - 1, delay].map(u24);
        let mut picture = Vec::new();
        let data = lossless(rect, &rect.cut(pixels, width))?;
        chunk(&mut picture, *b"ANMF", &[head.as_flattened(), &[2], &data])?;
        Ok(picture)
    }

    fn put(&mut self, frame: Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
        let (place, bit) = HAS_ALPHA;
        self.has_alpha |= frame[FRAME_HEAD + place] & bit != 0;
        self.pictures.write_all(&frame)?;
        self.written += 1;
        if self.written == self.film.delays.len() {
            let size = self.pictures.stream_position()?;
            out.write_all(&self.head(size)?)?;
            self.pictures.rewind()?;
            io::copy(&mut self.pictures, out)?;
        }
        Ok(())
    }
}

/// Bytes of an ANMF chunk before the chunk of its pixels.
const FRAME_HEAD: usize = 24;

#[cfg(test)]
mod tests {
    use image_webp::{LoopCount, WebPDecoder};
    use proptest::prelude::*;

    use super::super::testing::{encode, film, indexed, numbers, rgba};
    use super::super::{FilmKind, encoder};
    use super::*;
    use crate::image::Image;

    fn survives(pictures: &[Image]) {
        let film = film(pictures);
        let file = encode(encoder(FilmKind::WebP, film.clone(), false), pictures);
        assert_eq!(file[4..8], (file.len() as u32 - 8).to_le_bytes());
        let mut decoder = WebPDecoder::new(io::Cursor::new(&file)).unwrap();
        assert_eq!(
            (decoder.num_frames() as usize, decoder.dimensions()),
            (pictures.len(), film.size.into())
        );
        let all = pictures.iter().map(Image::to_rgba).collect::<Vec<_>>();
        assert_eq!(
            decoder.has_alpha(),
            all.concat().as_chunks::<4>().0.iter().any(|pixel| pixel[3] < 255)
        );
        let mut decoded = vec![0; decoder.output_buffer_size().unwrap()];
        for (number, (original, delay)) in all.iter().zip(film.delays).enumerate() {
            assert_eq!(decoder.read_frame(&mut decoded).unwrap(), delay);
            let channels = decoded.len() * 4 / original.len();
            let seen = original.chunks(4).flat_map(|pixel| &pixel[..channels]).copied();
            assert_eq!(decoded, seen.collect::<Vec<u8>>(), "picture {number}");
        }
    }

    proptest! {
        #[test]
        fn pictures_survive(few in numbers(5), all in numbers(256)) {
            for numbers in [few, all] {
                survives(&indexed(numbers.clone(), None, |_| false));
                survives(&indexed(numbers.clone(), Some(3), |number| number % 3 == 1));
                survives(&rgba(numbers, |number| [1, number as u8, 3, (number * 3) as u8]));
            }
        }
    }

    #[test]
    fn plays_are_counted() {
        let pictures = indexed(([1, 1], vec![vec![1], vec![2]]), None, |_| false);
        for (plays, expected) in [(0, 0), (1, 1), (3, 3), (u32::MAX, u16::MAX)] {
            let film = Film { plays, ..film(&pictures) };
            let file = encode(encoder(FilmKind::WebP, film, false), &pictures);
            let found = match WebPDecoder::new(io::Cursor::new(&file)).unwrap().loop_count() {
                LoopCount::Forever => 0,
                LoopCount::Times(times) => times.get(),
            };
            assert_eq!(found, expected, "{plays}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let pictures = indexed(([1, 1], vec![vec![1]]), None, |_| false);
        let film = Film { delays: vec![1 << 24], ..film(&pictures) };
        let shown = Shown { number: 0, before: None, image: &pictures[0] };
        let error = WebP::new(film).frame(shown).unwrap_err().to_string();
        assert_eq!(error, "the delay of picture 0 is 16777216 ticks: expected 24 bits");
    }
}
