//! The bytes of animations: one encoder a file format, each fed with the pictures in their order.
//!
//! What takes time, [`Encoder::frame`], depends on a picture and its neighbours alone and runs on many
//! threads; [`Encoder::put`] writes its result in order. Nothing here holds more pictures than these.

mod apng;
mod change;
mod gif;
mod raw;
#[cfg(test)]
mod testing;
mod webp;
mod y4m;

use std::io::{self, Write};

use self::apng::Apng;
use self::gif::Gif;
use self::raw::Raw;
use self::webp::WebP;
use self::y4m::Y4m;
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

impl Film {
    /// How long a picture is shown, for a format that has the bits of `T` for it.
    fn delay<T: TryFrom<u32>>(&self, number: usize) -> io::Result<T> {
        let delay = self.delays.get(number).copied().unwrap_or_default();
        let bits = 8 * size_of::<T>();
        fit(delay, || {
            format!("the delay of picture {number} is {delay} ticks: expected {bits} bits")
        })
    }
}

/// A number in fewer bits, or the error that `message` tells.
fn fit<T: TryFrom<u32>>(number: u32, message: impl FnOnce() -> String) -> io::Result<T> {
    T::try_from(number).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, message()))
}

/// A picture and the one that is shown before it, which the first has not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a> {
    /// The number of the picture, from 0.
    pub(crate) number: usize,
    pub(crate) before: Option<&'a Image>,
    pub(crate) image: &'a Image,
}

/// Makes a file of pictures, all of one size and kind.
pub(crate) trait Encoder: Sync {
    /// Whether every picture has to be shown to [`Encoder::learn`] before the first is encoded. It may
    /// be asked again before each picture: once it says no, the rest need not be shown.
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

/// The file formats of animations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilmKind {
    /// 256 colours, which every program shows.
    Gif,
    /// PNG with more than one picture, exact.
    Apng,
    /// WebP without loss.
    WebP,
    /// YUV4MPEG2, for encoders of video.
    Y4m,
    /// The bytes of RGBA pixels, one picture after another.
    Rgba,
}

/// The encoder of a format.
pub(crate) fn encoder(kind: FilmKind, film: Film, _dither: bool) -> Box<dyn Encoder> {
    match kind {
        FilmKind::Gif => Box::new(Gif::new(film)),
        FilmKind::Apng => Box::new(Apng::new(film)),
        FilmKind::WebP => Box::new(WebP::new(film)),
        FilmKind::Y4m => Box::new(Y4m::new(film)),
        FilmKind::Rgba => Box::new(Raw),
    }
}
