//! The bytes of animations: one encoder a file format, each fed with the pictures in their order.
//!
//! What takes time, [`Encoder::frame`], depends on a picture and its neighbours alone and runs on many
//! threads; [`Encoder::put`] writes its result in order. Nothing here holds more pictures than these.

use std::io::{self, Write};

use crate::image::Image;

/// What is known of an animation before its first picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Film {
    /// Width and height of every picture in pixels.
    pub(crate) size: [u32; 2],
    /// Parts of a second that delays are counted in: 100 for GIF, 1000 for WebP.
    pub(crate) ticks: u32,
    /// How long every picture is shown, in ticks.
    pub(crate) delays: Vec<u32>,
    /// How often the animation is played; 0 for ever.
    pub(crate) plays: u32,
}

/// A picture and those that are shown before and after it. The first picture has none before it; of the
/// last one `after` is `None` even if the animation repeats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a> {
    /// The number of the picture, from 0.
    pub(crate) number: usize,
    pub(crate) before: Option<&'a Image>,
    pub(crate) image: &'a Image,
    pub(crate) after: Option<&'a Image>,
}

/// Makes a file of pictures, all of one size and kind.
pub(crate) trait Encoder: Sync {
    /// Whether every picture has to be shown to [`Encoder::learn`] before the first is encoded.
    fn learns(&self) -> bool {
        false
    }

    /// Looks at a picture: what they have in common, such as a palette, is made of all.
    fn learn(&mut self, _image: &Image) {}

    /// A picture's bytes, whatever they need around them.
    ///
    /// # Errors
    /// If it cannot be encoded.
    fn frame(&self, shown: Shown<'_>) -> io::Result<Vec<u8>>;

    /// Writes what [`Encoder::frame`] gave. Called in the order of the pictures; before the first one the
    /// head of the file is written too, after the last one its end.
    ///
    /// # Errors
    /// If `out` fails.
    fn put(&mut self, frame: Vec<u8>, out: &mut dyn Write) -> io::Result<()>;
}

/// The formats of animations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FilmKind {
    /// GIF.
    Gif,
    /// APNG.
    Apng,
    /// WebP.
    WebP,
    /// y4m.
    Y4m,
    /// raw.
    Rgba,
}

pub(crate) fn encoder(_kind: FilmKind, _film: Film, _dither: bool) -> Box<dyn Encoder> {
    todo!()
}
