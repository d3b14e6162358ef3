//! Values that commands read for themselves: whether they are any.

use std::ffi::OsStr;
use std::str::FromStr;

use super::super::notation::{Color, Notation, Resolution};
use crate::compare::Metric;
use crate::error::RequestError;

/// The color behind a window, which is never transparent.
pub(super) fn opaque(text: &OsStr) -> Result<[u8; 4], String> {
    let opaque = Color::read(text).ok().filter(|color| color[3] == 255);
    opaque.ok_or_else(|| "expected RRGGBB: a window has no transparent background".into())
}

/// A picture's size in a window: fixed, or `window` for that of the window.
pub(super) fn internal_resolution(text: &OsStr) -> Result<(), String> {
    if text.eq_ignore_ascii_case("window") {
        return Ok(());
    }
    Resolution::read(text).map(drop).map_err(|error| format!("{error}, or window"))
}

pub(super) fn threads(text: &OsStr) -> Result<(), String> {
    let count: Option<u16> = text.to_str().and_then(|text| text.parse().ok());
    let count = count.filter(|count| (1..=1024).contains(count));
    count.map(drop).ok_or_else(|| "expected a number of threads from 1 to 1024".into())
}

pub(super) fn metrics() -> Vec<(&'static str, &'static str)> {
    Metric::ALL.map(|metric| (metric.name(), metric.help())).to_vec()
}

/// Whether a type of the library reads a value.
pub(super) fn reads<T: FromStr<Err = RequestError>>(text: &OsStr) -> Result<(), String> {
    text.to_string_lossy().parse::<T>().map(drop).map_err(|error| error.to_string())
}

pub(super) fn thumbnail_side(text: &OsStr) -> Result<(), String> {
    let side: Option<u32> = text.to_str().and_then(|text| text.parse().ok());
    let side = side.filter(|side| (16..=2048).contains(side));
    side.map(drop).ok_or_else(|| "expected pixels from 16 to 2048".into())
}

pub(super) fn columns(text: &OsStr) -> Result<(), String> {
    let count: Option<u32> = text.to_str().and_then(|text| text.parse().ok());
    let count = count.filter(|count| (1..=1024).contains(count));
    count.map(drop).ok_or_else(|| "expected a number of cells from 1 to 1024".into())
}

pub(super) fn frame_choice(text: &OsStr) -> Result<(), String> {
    let count: Option<usize> = text.to_str().and_then(|text| text.parse().ok());
    let is_good = text == "all" || count.is_some_and(|count| count > 0);
    if is_good { Ok(()) } else { Err("expected all, or a number of frames".into()) }
}

pub(super) fn at_least_zero(text: &OsStr) -> Result<(), String> {
    let number: Option<f32> = text.to_str().and_then(|text| text.parse().ok());
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.map(drop).ok_or_else(|| "expected a number of at least 0".into())
}

pub(super) fn pixels(text: &OsStr) -> Result<(), String> {
    let count: Option<u64> = text.to_str().and_then(|text| text.parse().ok());
    count.map(drop).ok_or_else(|| "expected a number of pixels".into())
}

pub(super) fn above_zero(text: &OsStr) -> Result<(), String> {
    let number: Option<f64> = text.to_str().and_then(|text| text.parse().ok());
    let number = number.filter(|number| number.is_finite() && *number > 0.0);
    number.map(drop).ok_or_else(|| "expected a number above 0".into())
}

/// How often an animation is played: GIF and WebP have 16 bits for it.
pub(super) fn plays(text: &OsStr) -> Result<(), String> {
    let count: Option<u16> = text.to_str().and_then(|text| text.parse().ok());
    count.map(drop).ok_or_else(|| "expected a number from 0 to 65535".into())
}

pub(super) fn pictures(text: &OsStr) -> Result<(), String> {
    let count: Option<u32> = text.to_str().and_then(|text| text.parse().ok());
    let count = count.filter(|count| (1..=3600).contains(count));
    count.map(drop).ok_or_else(|| "expected a number of pictures from 1 to 3600".into())
}

pub(super) fn directions(text: &OsStr) -> Result<(), String> {
    let is_known = ["1", "4", "5", "8", "16", "32"].iter().any(|known| text == *known);
    if is_known { Ok(()) } else { Err("expected 1, 4, 5, 8, 16 or 32".into()) }
}

pub(super) fn enlargement(text: &OsStr) -> Result<(), String> {
    let factor: Option<u32> = text.to_str().and_then(|text| text.parse().ok());
    let factor = factor.filter(|factor| (1..=32).contains(factor));
    factor.map(drop).ok_or_else(|| "expected a whole number from 1 to 32".into())
}

pub(super) fn border(text: &OsStr) -> Result<(), String> {
    let width: Option<u32> = text.to_str().and_then(|text| text.parse().ok());
    let width = width.filter(|width| *width <= 256);
    width.map(drop).ok_or_else(|| "expected pixels from 0 to 256".into())
}
