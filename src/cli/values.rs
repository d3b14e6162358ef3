//! The notations of option values: numbers with their ranges, vectors, sizes, colours, blends.
//!
//! Every parser's error says what was expected; clap puts the flag and the value in front of it.

use std::ffi::{OsStr, OsString};
use std::str::FromStr;

/// Three comma-separated numbers.
pub(crate) type Vector = [f32; 3];

/// Width and height of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resolution {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// `--frame A` or `--frame A,B,T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FrameBlend {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) t: f32,
}

/// `--skin`: what was typed, before the model is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SkinArg {
    /// A skin entry of the model.
    Number(usize),
    /// A picture for every surface, or a `.skin` file.
    File(OsString),
    /// `SURFACE=FILE`, unless a file of the whole name exists.
    Surface { surface: OsString, file: OsString, whole: OsString },
}

/// The largest side of a picture.
const MAX_SIDE: u32 = 16384;

pub(crate) fn side(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|side| (1..=MAX_SIDE).contains(side))
        .ok_or_else(|| format!("expected pixels from 1 to {MAX_SIDE}"))
}

pub(crate) fn resolution(text: &str) -> Result<Resolution, String> {
    let expected = || {
        format!("expected WIDTH,HEIGHT or WIDTHxHEIGHT with both sides from 1 to {MAX_SIDE} pixels")
    };
    let (width, height) = text.split_once([',', 'x', 'X']).ok_or_else(expected)?;
    match (side(width.trim()), side(height.trim())) {
        (Ok(width), Ok(height)) => Ok(Resolution { width, height }),
        _ => Err(expected()),
    }
}

/// `RRGGBB` or `RRGGBBAA`, with or without a leading `#`.
pub(crate) fn color(text: &str) -> Result<[u8; 4], String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let valid = matches!(digits.len(), 6 | 8) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if !valid {
        return Err("expected RRGGBB or RRGGBBAA in hexadecimal digits".into());
    }
    let mut rgba = [255; 4];
    for (channel, pair) in rgba.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *channel = pair.iter().fold(0, |value, &digit| {
            value * 16 + (digit as char).to_digit(16).unwrap_or_default() as u8
        });
    }
    Ok(rgba)
}

/// A decimal becomes a double, then a `f32`: scenes of the original engines are defined so.
fn finite(text: &str) -> Option<f32> {
    text.trim().parse::<f64>().ok().map(|x| x as f32).filter(|x| x.is_finite())
}

pub(crate) fn number(text: &str) -> Result<f32, String> {
    finite(text).ok_or_else(|| "expected a finite number".into())
}

fn number_where(
    text: &str,
    allowed: impl Fn(f32) -> bool,
    expected: &'static str,
) -> Result<f32, String> {
    finite(text).filter(|&x| allowed(x)).ok_or_else(|| format!("expected {expected}"))
}

pub(crate) fn share(text: &str) -> Result<f32, String> {
    number_where(text, |x| (0.0..=1.0).contains(&x), "a number from 0 to 1")
}

pub(crate) fn light_level(text: &str) -> Result<f32, String> {
    number_where(text, |x| (0.0..=255.0).contains(&x), "a number from 0 to 255")
}

pub(crate) fn positive(text: &str) -> Result<f32, String> {
    number_where(text, |x| x > 0.0, "a finite number above 0")
}

pub(crate) fn seconds(text: &str) -> Result<f32, String> {
    number_where(text, |x| x >= 0.0, "seconds, a finite number from 0 on")
}

/// Seconds since a game began, as its clock counts them.
pub(crate) fn seconds_as_double(text: &str) -> Result<f64, String> {
    let seconds = text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    seconds.ok_or_else(|| "expected seconds, a finite number".into())
}

pub(crate) fn view_angle(text: &str) -> Result<f32, String> {
    number_where(text, |x| x > 0.0 && x < 180.0, "degrees above 0 and below 180")
}

pub(crate) fn vector(text: &str) -> Result<Vector, String> {
    let mut parts = text.split(',').map(finite);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(Some(x)), Some(Some(y)), Some(Some(z)), None) => Ok([x, y, z]),
        _ => Err("expected X,Y,Z: three finite numbers".into()),
    }
}

pub(crate) fn direction(text: &str) -> Result<Vector, String> {
    let direction = vector(text)?;
    if direction.iter().all(|&x| x == 0.0) {
        return Err("expected a direction: at least one of the three numbers must not be 0".into());
    }
    Ok(direction)
}

/// Quake's player colours: the menu's fourteen rows.
pub(crate) fn player_colors(text: &str) -> Result<[u8; 2], String> {
    let row = |part: &str| part.trim().parse::<u8>().ok().filter(|&row| row <= 13);
    text.split_once(',')
        .and_then(|(top, bottom)| Some([row(top)?, row(bottom)?]))
        .ok_or_else(|| "expected TOP,BOTTOM: two whole numbers from 0 to 13".into())
}

pub(crate) fn frame(text: &str) -> Result<FrameBlend, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let blend = match parts[..] {
        [from] => from.parse().ok().map(|from| FrameBlend { from, to: from, t: 0.0 }),
        [from, to, t] => match (from.parse(), to.parse(), share(t)) {
            (Ok(from), Ok(to), Ok(t)) => Some(FrameBlend { from, to, t }),
            _ => None,
        },
        _ => None,
    };
    blend.ok_or_else(|| {
        "expected A or A,B,T: frame numbers counted from 0, and T from 0 to 1".into()
    })
}

impl From<OsString> for SkinArg {
    fn from(text: OsString) -> Self {
        if let Some(number) = text.to_str().and_then(|text| usize::from_str(text).ok()) {
            return Self::Number(number);
        }
        match split_at_equals(&text) {
            Some((surface, file)) if !surface.is_empty() && !file.is_empty() => {
                Self::Surface { surface, file, whole: text }
            }
            _ => Self::File(text),
        }
    }
}

/// Splits at the first `=`; file names may hold any bytes.
#[cfg(unix)]
fn split_at_equals(text: &OsStr) -> Option<(OsString, OsString)> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = text.as_bytes();
    let at = bytes.iter().position(|&b| b == b'=')?;
    Some((OsString::from_vec(bytes[..at].to_vec()), OsString::from_vec(bytes[at + 1..].to_vec())))
}

/// Splits at the first `=`; names that are not Unicode are taken whole.
#[cfg(not(unix))]
fn split_at_equals(text: &OsStr) -> Option<(OsString, OsString)> {
    let (surface, file) = text.to_str()?.split_once('=')?;
    Some((surface.into(), file.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_colours() {
        assert_eq!(resolution("640x480"), Ok(Resolution { width: 640, height: 480 }));
        assert_eq!(resolution("640, 480"), Ok(Resolution { width: 640, height: 480 }));
        for bad in ["640", "0x480", "640x16385", "x", "640x480x2", "-1,4"] {
            assert!(resolution(bad).is_err(), "{bad}");
        }
        assert_eq!(color("10203F"), Ok([0x10, 0x20, 0x3f, 255]));
        assert_eq!(color("#ff00ff80"), Ok([255, 0, 255, 128]));
        for bad in ["", "12345", "1234567", "gggggg", "+12345", "é12345"] {
            assert!(color(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_know_their_ranges() {
        type Parser = fn(&str) -> Result<f32, String>;
        let table: [(Parser, &[&str], &[&str]); 6] = [
            (number, &["-1.5", "1e3", " 2"], &["nan", "inf", "1e99", "", "x"]),
            (share, &["0", "1", "0.25"], &["-0.1", "1.01", "nan"]),
            (light_level, &["0", "255"], &["256", "-1"]),
            (positive, &["0.001"], &["0", "-3", "inf"]),
            (seconds, &["0", "12.5"], &["-1", "nan"]),
            (view_angle, &["0.1", "179.9"], &["0", "180", "-30"]),
        ];
        for (parser, good, bad) in table {
            for text in good {
                assert!(parser(text).is_ok(), "{text}");
            }
            for text in bad {
                assert!(parser(text).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn vectors_frames_and_player_colours() {
        assert_eq!(vector("-1,0.5,2"), Ok([-1.0, 0.5, 2.0]));
        assert!(vector("1,2").is_err() && vector("1,2,3,4").is_err() && vector("1,,3").is_err());
        assert!(direction("0,0,0").is_err());
        assert_eq!(frame("7"), Ok(FrameBlend { from: 7, to: 7, t: 0.0 }));
        assert_eq!(frame("1,2,0.5"), Ok(FrameBlend { from: 1, to: 2, t: 0.5 }));
        assert!(frame("1,2").is_err() && frame("1,2,1.5").is_err() && frame("-1").is_err());
        assert_eq!(player_colors("4,12"), Ok([4, 12]));
        assert!(player_colors("4").is_err() && player_colors("14,0").is_err());
    }

    #[test]
    fn skins_by_number_file_or_surface() {
        assert_eq!(SkinArg::from(OsString::from("2")), SkinArg::Number(2));
        assert_eq!(SkinArg::from(OsString::from("a.pcx")), SkinArg::File("a.pcx".into()));
        assert_eq!(
            SkinArg::from(OsString::from("head=b=c.tga")),
            SkinArg::Surface {
                surface: "head".into(),
                file: "b=c.tga".into(),
                whole: "head=b=c.tga".into()
            }
        );
        assert_eq!(SkinArg::from(OsString::from("=a")), SkinArg::File("=a".into()));
    }
}
