//! APNG: a PNG with more pictures in it. Of each picture the rectangle that changes is drawn over what is
//! there, transparent pixels too.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};

use ::png as codec;
use codec::{BitDepth, BlendOp, ColorType, Compression, DisposeOp, Filter};

use super::change::{Rect, changed};
use super::{Encoder, Film, Shown, fit};
use crate::image::{Image, POLYSET, Pixels, SOFTWARE};

/// Makes an APNG: of indexed pictures with their indices and palette, of others with a palette if they
/// have at most 256 colours together, else of RGB or RGBA.
pub(super) struct Apng {
    film: Film,
    seen: usize,
    seen_kinds: Kinds,
    written: usize,
    /// The number of the next chunk of the animation.
    sequence: u32,
}

/// What the pictures have in common.
#[derive(Default)]
struct Kinds {
    /// Of indexed pictures: the palette and the transparent index of the first one.
    palette: Option<([[u8; 3]; 256], Option<u8>)>,
    /// Whether another picture has another one.
    is_mixed: bool,
    /// The RGBA colours of the pictures, up to one more than a palette has.
    colors: BTreeSet<[u8; 4]>,
    has_alpha: bool,
}

/// How pixels are written.
enum Form {
    /// As the indices that they are.
    Kept,
    /// As places in a list of RGBA colours.
    Few(Vec<[u8; 4]>),
    Rgb,
    Rgba,
}

const MAX_COLORS: usize = 256;

impl Kinds {
    fn see(&mut self, image: &Image) {
        match image.pixels() {
            Pixels::Indexed { palette, transparent, .. } => {
                let (_, first) = self.palette.get_or_insert((*palette.colors(), *transparent));
                self.is_mixed |= first != transparent;
            }
            Pixels::Rgba(_) => {}
        }
        let rgba = image.as_rgba();
        let mut last = None;
        for &color in rgba.as_chunks::<4>().0 {
            if last != Some(color) {
                last = Some(color);
                self.has_alpha |= color[3] < 255;
                if self.colors.len() <= MAX_COLORS {
                    self.colors.insert(color);
                }
            }
        }
    }
}

impl Apng {
    pub(super) fn new(film: Film) -> Self {
        Self { film, seen: 0, seen_kinds: Kinds::default(), written: 0, sequence: 0 }
    }

    fn form(&self) -> Form {
        let kinds = &self.seen_kinds;
        match &kinds.palette {
            Some(_) if !kinds.is_mixed => Form::Kept,
            _ if kinds.colors.len() <= MAX_COLORS => {
                // Only the alpha of those in front has to be written.
                let mut colors: Vec<[u8; 4]> = kinds.colors.iter().copied().collect();
                colors.sort_by_key(|color| color[3] == 255);
                Form::Few(colors)
            }
            _ if kinds.has_alpha => Form::Rgba,
            _ => Form::Rgb,
        }
    }

    /// Everything before the first picture.
    fn head(&self) -> io::Result<Vec<u8>> {
        let (color, palette) = match self.form() {
            Form::Kept => {
                let (colors, transparent) =
                    self.seen_kinds.palette.unwrap_or(([[0; 3]; 256], None));
                let alpha =
                    |index: usize| u8::from(Some(index) != transparent.map(usize::from)) * 255;
                let rgba = |(index, [r, g, b]): (usize, [u8; 3])| [r, g, b, alpha(index)];
                (ColorType::Indexed, colors.into_iter().enumerate().map(rgba).collect())
            }
            Form::Few(colors) => (ColorType::Indexed, colors),
            Form::Rgb => (ColorType::Rgb, Vec::new()),
            Form::Rgba => (ColorType::Rgba, Vec::new()),
        };
        let pictures = self.film.delays.len();
        let pictures = u32::try_from(pictures)
            .map_err(|_| io::Error::other(format!("{pictures} pictures are too many")))?;
        let [width, height] = self.film.size.map(u32::to_be_bytes);
        let kind = [BitDepth::Eight as u8, color as u8, 0, 0, 0];
        let mut head = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut head, *b"IHDR", &[&width[..], &height, &kind].concat())?;
        let plays = self.film.plays.to_be_bytes();
        chunk(&mut head, *b"acTL", &[pictures.to_be_bytes(), plays].concat())?;
        chunk(&mut head, *b"tEXt", &[SOFTWARE.as_bytes(), b"\0", POLYSET.as_bytes()].concat())?;
        if !palette.is_empty() {
            let colors: Vec<u8> = palette.iter().flat_map(|color| &color[..3]).copied().collect();
            chunk(&mut head, *b"PLTE", &colors)?;
            let translucent = palette.iter().rposition(|color| color[3] < 255);
            if let Some(last) = translucent {
                let alphas: Vec<u8> = palette[..=last].iter().map(|color| color[3]).collect();
                chunk(&mut head, *b"tRNS", &alphas)?;
            }
        }
        Ok(head)
    }
}

/// The rectangle of a picture that differs from the one before, and its bytes.
fn difference<T: Copy + PartialEq>(
    shown: Shown<'_>,
    pixels: &[T],
    before: Option<&[T]>,
) -> (Rect, Vec<T>) {
    let width = shown.image.width();
    let rect = before.map_or(Rect::whole([width, shown.image.height()]), |before| {
        changed(before, pixels, width).unwrap_or(Rect::CORNER)
    });
    (rect, rect.cut(pixels, width))
}

/// The bytes of indices, if a picture has some.
fn indices(image: &Image) -> Option<&[u8]> {
    match image.pixels() {
        Pixels::Indexed { indices, .. } => Some(indices),
        Pixels::Rgba(_) => None,
    }
}

impl Encoder for Apng {
    fn learns(&self) -> bool {
        let kinds = &self.seen_kinds;
        let is_known =
            kinds.palette.is_none() && kinds.has_alpha && kinds.colors.len() > MAX_COLORS;
        !is_known && self.seen < self.film.delays.len()
    }

    fn learn(&mut self, image: &Image) {
        self.seen += 1;
        self.seen_kinds.see(image);
    }

    fn frame(&self, shown: Shown<'_>) -> io::Result<Vec<u8>> {
        let form = self.form();
        let (rect, color, bytes) = match (&form, indices(shown.image)) {
            (Form::Kept, Some(pixels)) => {
                let (rect, pixels) = difference(shown, pixels, shown.before.and_then(indices));
                (rect, ColorType::Indexed, pixels)
            }
            _ => {
                let rgba = shown.image.as_rgba();
                let before: Option<Cow<'_, [u8]>> = shown.before.map(Image::as_rgba);
                let before = before.as_deref().map(|rgba| rgba.as_chunks::<4>().0);
                let (rect, pixels) = difference(shown, rgba.as_chunks::<4>().0, before);
                match form {
                    Form::Few(colors) => (rect, ColorType::Indexed, places(&pixels, &colors)),
                    Form::Rgb => {
                        let rgb = pixels.iter().flat_map(|pixel| &pixel[..3]).copied().collect();
                        (rect, ColorType::Rgb, rgb)
                    }
                    _ => (rect, ColorType::Rgba, pixels.into_flattened()),
                }
            }
        };
        let mut control = Vec::new();
        for number in [rect.width, rect.height, rect.left, rect.top] {
            control.extend(number.to_be_bytes());
        }
        let ticks: u16 = fit(self.film.ticks, || {
            format!("{} ticks a second: an APNG counts up to 65535", self.film.ticks)
        })?;
        control.extend(self.film.delay::<u16>(shown.number)?.to_be_bytes());
        control.extend(ticks.to_be_bytes());
        control.extend([DisposeOp::None as u8, BlendOp::Source as u8]);
        debug_assert_eq!(control.len(), CONTROL);
        control.extend(compressed(rect, color, &bytes)?);
        Ok(control)
    }

    fn put(&mut self, frame: Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
        let mut file = if self.written == 0 { self.head()? } else { Vec::new() };
        let (control, data) = frame.split_at(CONTROL);
        chunk(&mut file, *b"fcTL", &[&self.number()[..], control].concat())?;
        if self.written == 0 {
            chunk(&mut file, *b"IDAT", data)?;
        } else {
            chunk(&mut file, *b"fdAT", &[&self.number()[..], data].concat())?;
        }
        self.written += 1;
        if self.written == self.film.delays.len() {
            chunk(&mut file, *b"IEND", &[])?;
        }
        out.write_all(&file)
    }
}

impl Apng {
    /// The next number of the sequence.
    fn number(&mut self) -> [u8; 4] {
        let number = self.sequence;
        self.sequence += 1;
        number.to_be_bytes()
    }
}

/// Bytes of an fcTL chunk behind its number.
const CONTROL: usize = 22;

/// The places of pixels in a list that has them all.
fn places(pixels: &[[u8; 4]], colors: &[[u8; 4]]) -> Vec<u8> {
    let mut last = ([0; 4], None);
    let place = |&pixel: &[u8; 4]| match last {
        (known, Some(place)) if known == pixel => place,
        _ => {
            let place = colors.iter().position(|&color| color == pixel).unwrap_or_default() as u8;
            last = (pixel, Some(place));
            place
        }
    };
    pixels.iter().map(place).collect()
}

/// The compressed pixels of a picture: what the IDAT chunk of a PNG would hold.
fn compressed(rect: Rect, color: ColorType, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = codec::Encoder::new(&mut file, rect.width, rect.height);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_color(color);
    if color == ColorType::Indexed {
        encoder.set_palette(&[0; 3][..]);
        encoder.set_filter(Filter::NoFilter);
    }
    encoder.set_compression(Compression::Fast);
    if let Ok(level) = std::env::var("LEVEL") {
        encoder.set_deflate_compression(codec::DeflateCompression::Level(level.parse().unwrap()));
    }
    match std::env::var("FILTER").as_deref() {
        Ok("none") => encoder.set_filter(Filter::NoFilter),
        Ok("ad") => encoder.set_filter(Filter::Adaptive),
        Ok("up") => encoder.set_filter(Filter::Up),
        Ok("ent") => encoder.set_filter(Filter::MinEntropy),
        Ok("paeth") => encoder.set_filter(Filter::Paeth),
        _ => {}
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    let mut data = Vec::new();
    let mut rest = &file[8..];
    while let Some((&[a, b, c, d, ref kind @ ..], behind)) = rest.split_first_chunk::<8>() {
        let (inside, next) = behind.split_at(u32::from_be_bytes([a, b, c, d]) as usize);
        if kind == b"IDAT" {
            data.extend(inside);
        }
        // Behind it is the checksum.
        rest = &next[4..];
    }
    Ok(data)
}

/// Adds a chunk to a file.
fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) -> io::Result<()> {
    let length = u32::try_from(data.len()).ok().filter(|&length| length <= i32::MAX as u32);
    let length = length.ok_or_else(|| {
        io::Error::other(format!("a chunk of {} bytes: a PNG has up to {}", data.len(), i32::MAX))
    })?;
    file.extend(length.to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let checksum = crc32fast::hash(&file[start..]);
    file.extend(checksum.to_be_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use codec::{Decoder, Transformations};
    use proptest::prelude::*;

    use super::super::testing::{Canvas, encode, film, indexed, numbers, palette, rgba};
    use super::super::{FilmKind, encoder};
    use super::*;
    use crate::image::is_drawn_by_polyset;

    /// The pictures of an APNG as RGBA, their delays in ticks and its kind.
    fn decode(file: &[u8]) -> (Vec<Vec<u8>>, Vec<(u16, u16)>, ColorType) {
        let mut decoder = Decoder::new(io::Cursor::new(file));
        decoder.set_transformations(Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let kind = reader.info().color_type;
        let count = reader.info().animation_control.unwrap().num_frames;
        let (width, height) = reader.info().size();
        let mut canvas = Canvas::new([width, height]);
        let (mut pictures, mut delays) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            let size = reader.next_frame(&mut pixels).unwrap().buffer_size();
            let channels = reader.output_color_type().0.samples();
            let control = reader.info().frame_control.unwrap();
            assert_eq!((control.dispose_op, control.blend_op), (DisposeOp::None, BlendOp::Source));
            let place = [control.x_offset, control.y_offset, control.width, control.height];
            canvas.change(place.map(|side| side as usize), |_, i| {
                let pixel = &pixels[..size][i * channels..][..channels];
                [pixel[0], pixel[1], pixel[2], pixel.get(3).copied().unwrap_or(255)]
            });
            pictures.push(canvas.pixels.as_flattened().to_vec());
            delays.push((control.delay_num, control.delay_den));
        }
        (pictures, delays, kind)
    }

    /// What kind of PNG pictures become, from which they come back as they were.
    fn kind(pictures: &[Image]) -> ColorType {
        let film = film(pictures);
        let expected: Vec<(u16, u16)> =
            film.delays.iter().map(|&delay| (delay as u16, film.ticks as u16)).collect();
        let file = encode(encoder(FilmKind::Apng, film, false), pictures);
        assert!(is_drawn_by_polyset(&file));
        let (decoded, delays, kind) = decode(&file);
        assert_eq!(delays, expected);
        for (number, (image, decoded)) in pictures.iter().zip(decoded).enumerate() {
            assert_eq!(decoded, image.to_rgba(), "picture {number}");
        }
        kind
    }

    proptest! {
        #[test]
        fn pictures_survive(few in numbers(5), all in numbers(256)) {
            for numbers in [few, all] {
                for index in [None, Some(0)] {
                    let pictures = indexed(numbers.clone(), index, |_| false);
                    prop_assert_eq!(kind(&pictures), ColorType::Indexed);
                }
                kind(&indexed(numbers.clone(), Some(3), |number| number % 3 == 1));
                let gray = |number: u16| [number as u8; 3];
                kind(&rgba(numbers.clone(), |number| {
                    let [r, g, b] = gray(number);
                    [r, g, b, 255]
                }));
                kind(&rgba(numbers, |number| [1, 2, number as u8, (number * 3) as u8]));
            }
        }
    }

    #[test]
    fn the_kind_of_png_is_the_smallest_that_has_all_colours() {
        let all = ([16, 17], vec![(0..272).collect(), vec![7; 272]]);
        let solid = |number: u16| [number as u8, (number >> 8) as u8, 0, 255];
        let glass = |number: u16| [number as u8, (number >> 8) as u8, 0, 100 + number as u8 / 2];
        assert_eq!(kind(&rgba(all.clone(), solid)), ColorType::Rgb);
        assert_eq!(kind(&rgba(all.clone(), glass)), ColorType::Rgba);
        assert_eq!(kind(&rgba(all.clone(), |number| solid(number.min(255)))), ColorType::Indexed);
        assert_eq!(kind(&rgba(all.clone(), |number| glass(number.min(255)))), ColorType::Indexed);
        assert_eq!(kind(&indexed(all.clone(), Some(7), |_| false)), ColorType::Indexed);
        // No palette has an index both as a colour and transparent, with all others.
        assert_eq!(kind(&indexed(all, Some(7), |number| number == 0)), ColorType::Rgba);
    }

    #[test]
    fn indices_stay_as_they_are() {
        let pictures = indexed(([2, 1], vec![vec![250, 9], vec![250, 7]]), Some(7), |_| false);
        let file = encode(encoder(FilmKind::Apng, film(&pictures), false), &pictures);
        let mut decoder = Decoder::new(io::Cursor::new(&file));
        decoder.set_transformations(Transformations::IDENTITY);
        let mut reader = decoder.read_info().unwrap();
        let colors = reader.info().palette.clone().unwrap_or_default();
        assert_eq!(colors, palette().colors().as_flattened());
        let mut pixels = [0; 2];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [250, 9]);
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels[0], 7);
    }

    #[test]
    fn one_look_is_enough_where_many_colours_and_holes_are_seen() {
        let all = ([16, 17], vec![(0..272).collect(); 3]);
        let pictures = rgba(all, |number| [number as u8, (number >> 8) as u8, 0, number as u8]);
        let mut encoder = encoder(FilmKind::Apng, film(&pictures), false);
        assert!(encoder.learns());
        encoder.learn(&pictures[0]);
        assert!(!encoder.learns());
    }
}
