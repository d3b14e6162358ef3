//! How values of options are written and read: numbers with their ranges, vectors, sizes, colours.
//!
//! What is written is read back as the same value. Every error says what was expected; who reads an
//! option puts its name and what was found in front.

use std::ffi::{OsStr, OsString};
use std::marker::PhantomData;
use std::path::PathBuf;

use super::{Frames, Skin};
use crate::location::{Location, split_at};
use crate::raster::{MAX_SIDE, Shell};

/// A way to write values of one kind.
pub(crate) trait Notation {
    /// What is written.
    type Value;

    /// The value that `text` stands for.
    ///
    /// # Errors
    /// What was expected instead.
    fn read(text: &OsStr) -> Result<Self::Value, String>;

    /// The text that [`Notation::read`] makes the same value of.
    fn write(value: &Self::Value) -> OsString;
}

/// A value that has names, each with a line of help (empty where the name says all).
pub(crate) trait Named: Copy + PartialEq + 'static {
    const NAMES: &'static [(Self, &'static str, &'static str)];

    /// Its name.
    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(value, ..)| *value == self).map_or("", |(_, name, _)| name)
    }
}

/// Names and help of all values.
pub(crate) fn names_of<T: Named>() -> Vec<(&'static str, &'static str)> {
    T::NAMES.iter().map(|(_, name, help)| (*name, *help)).collect()
}

/// A [`Named`] value by its name.
pub(crate) struct Name<T>(PhantomData<T>);

impl<T: Named> Notation for Name<T> {
    type Value = T;

    fn read(text: &OsStr) -> Result<T, String> {
        let found = T::NAMES.iter().find(|(_, name, _)| text == *name);
        found.map(|(value, ..)| *value).ok_or_else(|| {
            let names: Vec<&str> = T::NAMES.iter().map(|(_, name, _)| *name).collect();
            format!("expected {}", names.join(", "))
        })
    }

    fn write(value: &T) -> OsString {
        value.name().into()
    }
}

/// Defines a notation of text: a name, its value, how it is read (`Option`), what it is called.
macro_rules! notation {
    ($(#[$doc:meta])* $name:ident: $value:ty, $expected:expr,
     |$text:ident| $read:expr, |$v:ident| $write:expr) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl Notation for $name {
            type Value = $value;

            fn read(text: &OsStr) -> Result<$value, String> {
                let read = |$text: &str| -> Option<$value> { $read };
                text.to_str().and_then(read).ok_or_else(|| format!("expected {}", $expected))
            }

            fn write($v: &$value) -> OsString {
                OsString::from($write)
            }
        }
    };
}

/// A decimal becomes a double, then a `f32`: scenes of the original engines are defined so.
fn finite(text: &str) -> Option<f32> {
    text.trim().parse::<f64>().ok().map(|x| x as f32).filter(|x| x.is_finite())
}

fn triple<T>(text: &str, part: impl Fn(&str) -> Option<T>) -> Option<[T; 3]> {
    let mut parts = text.split(',').map(part);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(Some(x)), Some(Some(y)), Some(Some(z)), None) => Some([x, y, z]),
        _ => None,
    }
}

fn side(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|side| (1..=MAX_SIDE).contains(side))
}

fn hexadecimal(text: &str, count: usize) -> Option<Vec<u8>> {
    let is_valid = text.len() == 2 * count && text.bytes().all(|b| b.is_ascii_hexdigit());
    let pair = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok();
    is_valid.then(|| (0..count).filter_map(pair).collect())
}

/// The sixteen colours that HTML 4 has names for.
const COLOR_NAMES: [(&str, [u8; 3]); 16] = [
    ("black", [0, 0, 0]),
    ("silver", [192, 192, 192]),
    ("gray", [128, 128, 128]),
    ("white", [255, 255, 255]),
    ("maroon", [128, 0, 0]),
    ("red", [255, 0, 0]),
    ("purple", [128, 0, 128]),
    ("fuchsia", [255, 0, 255]),
    ("green", [0, 128, 0]),
    ("lime", [0, 255, 0]),
    ("olive", [128, 128, 0]),
    ("yellow", [255, 255, 0]),
    ("navy", [0, 0, 128]),
    ("blue", [0, 0, 255]),
    ("teal", [0, 128, 128]),
    ("aqua", [0, 255, 255]),
];

fn color(text: &str) -> Option<[u8; 4]> {
    let named = COLOR_NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    if let Some((_, [r, g, b])) = named {
        return Some([*r, *g, *b, 255]);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    let opaque = || Some([hexadecimal(digits, 3)?, vec![255]].concat());
    opaque().or_else(|| hexadecimal(digits, 4))?.try_into().ok()
}

fn joined<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

notation!(
    /// Any finite number.
    Number: f32, "a finite number", |text| finite(text), |v| v.to_string()
);
notation!(
    /// 0 to 1.
    Share: f32, "a number from 0 to 1",
    |text| finite(text).filter(|x| (0.0..=1.0).contains(x)), |v| v.to_string()
);
notation!(
    /// 0 to 255.
    LightLevel: f32, "a number from 0 to 255",
    |text| finite(text).filter(|x| (0.0..=255.0).contains(x)), |v| v.to_string()
);
notation!(
    /// Above 0.
    Positive: f32, "a finite number above 0",
    |text| finite(text).filter(|&x| x > 0.0), |v| v.to_string()
);
notation!(
    /// Seconds of an animation.
    Seconds: f32, "seconds, a finite number from 0 on",
    |text| finite(text).filter(|&x| x >= 0.0), |v| v.to_string()
);
notation!(
    /// Seconds since a game began, as its clock counts them.
    ClockSeconds: f64, "seconds, a finite number",
    |text| text.trim().parse().ok().filter(|x: &f64| x.is_finite()), |v| v.to_string()
);
notation!(
    /// A full view angle.
    ViewAngle: f32, "degrees above 0 and below 180",
    |text| finite(text).filter(|&x| x > 0.0 && x < 180.0), |v| v.to_string()
);
notation!(
    /// Three numbers.
    Vector: [f32; 3], "X,Y,Z: three finite numbers", |text| triple(text, finite), |v| joined(v)
);
notation!(
    /// A vector that is not zero.
    Direction: [f32; 3],
    "a direction X,Y,Z: three finite numbers, at least one of which is not 0",
    |text| triple(text, finite).filter(|v| v.iter().any(|&x| x != 0.0)), |v| joined(v)
);
notation!(
    /// A whole number.
    Whole: i32, "a whole number", |text| text.trim().parse().ok(), |v| v.to_string()
);
notation!(
    /// Memory.
    Mebibytes: u32, format_args!("mebibytes from 1 to {MAX_MEBIBYTES}"),
    |text| text.trim().parse().ok().filter(|mib| (1..=MAX_MEBIBYTES).contains(mib)), |v| v.to_string()
);
notation!(
    /// A palette index.
    Index: u8, "a palette index from 0 to 255", |text| text.trim().parse().ok(), |v| v.to_string()
);
notation!(
    /// Quake's player colours: the menu's fourteen rows, and two that glow.
    PlayerColors: [u8; 2], "TOP,BOTTOM: two whole numbers from 0 to 15",
    |text| {
        let row = |part: &str| part.trim().parse().ok().filter(|&row: &u8| row <= 15);
        let (top, bottom) = text.split_once(',')?;
        Some([row(top)?, row(bottom)?])
    },
    |v| joined(v)
);
notation!(
    /// Both sides of a square picture.
    Side: [u32; 2], format_args!("pixels from 1 to {MAX_SIDE}"),
    |text| side(text).map(|side| [side; 2]), |v| v[0].to_string()
);
notation!(
    /// Width and height.
    Resolution: [u32; 2],
    format_args!("WIDTH,HEIGHT or WIDTHxHEIGHT with both sides from 1 to {MAX_SIDE} pixels"),
    |text| {
        let (width, height) = text.split_once([',', 'x', 'X'])?;
        Some([side(width)?, side(height)?])
    },
    |v| joined(v)
);
notation!(
    /// `RRGGBB` or `RRGGBBAA`, with or without a leading `#`, or a name.
    Color: [u8; 4], "RRGGBB or RRGGBBAA in hexadecimal digits, or the name of a colour such as white", |text| color(text),
    |v| {
        let digits = if v[3] == 255 { &v[..3] } else { &v[..] };
        digits.iter().map(|channel| format!("{channel:02X}")).collect::<String>()
    }
);
notation!(
    /// `A` or `A,B,T`.
    FrameNumbers: Frames, "A or A,B,T: frame numbers counted from 0, and T from 0 to 1",
    |text| {
        let number = |part: &str| part.trim().parse::<usize>().ok();
        if let Some(frame) = number(text) {
            return Some(Frames { from: frame, to: frame, t: 0.0 });
        }
        let (from, rest) = text.split_once(',')?;
        let (to, t) = rest.split_once(',')?;
        let t = finite(t).filter(|t| (0.0..=1.0).contains(t))?;
        Some(Frames { from: number(from)?, to: number(to)?, t })
    },
    |v| if v.from == v.to && v.t == 0.0 {
        v.from.to_string()
    } else {
        format!("{},{},{}", v.from, v.to, v.t)
    }
);
notation!(
    /// Shells by their names.
    Shells: Shell, "red, green, blue, double, half, separated by commas",
    |text| text.parse().ok(), |v| v.to_string()
);
notation!(
    /// A name or a number.
    Text: String, "UTF-8 text", |text| Some(text.to_owned()), |v| v
);

/// More memory than any machine has for textures.
const MAX_MEBIBYTES: u32 = 1 << 20;

/// A file or folder, whatever bytes its name has.
pub(crate) struct File;

impl Notation for File {
    type Value = PathBuf;

    fn read(text: &OsStr) -> Result<PathBuf, String> {
        if text.is_empty() { Err("expected a file name".into()) } else { Ok(text.into()) }
    }

    fn write(value: &PathBuf) -> OsString {
        value.clone().into_os_string()
    }
}

/// A file, or a member of an archive.
pub(crate) struct Place;

impl Notation for Place {
    type Value = Location;

    fn read(text: &OsStr) -> Result<Location, String> {
        if text.is_empty() { Err("expected a file name".into()) } else { Ok(text.into()) }
    }

    fn write(value: &Location) -> OsString {
        value.to_os_string()
    }
}

/// `N`, a name or a file, or `SURFACE=FILE`.
pub(crate) struct SkinWord;

impl Notation for SkinWord {
    type Value = Skin;

    fn read(text: &OsStr) -> Result<Skin, String> {
        if let Some(number) = text.to_str().and_then(|text| text.parse().ok()) {
            return Ok(Skin::Number(number));
        }
        if text.is_empty() {
            return Err("expected a number, a name, a file or SURFACE=FILE".into());
        }
        Ok(match split_at_equals(text) {
            Some((surface, file)) if !surface.is_empty() && !file.is_empty() => {
                Skin::Surface { surface, file: file.as_os_str().into() }
            }
            _ => Skin::File(text.into()),
        })
    }

    fn write(value: &Skin) -> OsString {
        match value {
            Skin::Number(number) => number.to_string().into(),
            Skin::File(file) => file.to_os_string(),
            Skin::Surface { surface, file } => {
                let mut text = surface.clone();
                text.push("=");
                text.push(file.to_os_string());
                text
            }
        }
    }
}

/// Splits at the first `=`.
pub(super) fn split_at_equals(text: &OsStr) -> Option<(OsString, OsString)> {
    let at = text.as_encoded_bytes().iter().position(|&byte| byte == b'=')?;
    split_at(text, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<N: Notation>(text: &str) -> Result<N::Value, String> {
        N::read(OsStr::new(text))
    }

    #[test]
    fn sizes_and_colours() {
        assert_eq!(read::<Resolution>("640x480"), Ok([640, 480]));
        assert_eq!(read::<Resolution>("640, 480"), Ok([640, 480]));
        for bad in ["640", "0x480", "640x16385", "x", "640x480x2", "-1,4"] {
            assert!(read::<Resolution>(bad).is_err(), "{bad}");
        }
        assert_eq!(read::<Color>("10203F"), Ok([0x10, 0x20, 0x3f, 255]));
        assert_eq!(read::<Color>("#ff00ff80"), Ok([255, 0, 255, 128]));
        assert_eq!(read::<Color>("Teal"), Ok([0, 128, 128, 255]));
        for bad in ["", "12345", "1234567", "gggggg", "+12345", "é12345"] {
            assert!(read::<Color>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_know_their_ranges() {
        type Reader = fn(&OsStr) -> Result<f32, String>;
        let table: [(Reader, &[&str], &[&str]); 6] = [
            (Number::read, &["-1.5", "1e3", " 2"], &["nan", "inf", "1e99", "", "x"]),
            (Share::read, &["0", "1", "0.25"], &["-0.1", "1.01", "nan"]),
            (LightLevel::read, &["0", "255"], &["256", "-1"]),
            (Positive::read, &["0.001"], &["0", "-3", "inf"]),
            (Seconds::read, &["0", "12.5"], &["-1", "nan"]),
            (ViewAngle::read, &["0.1", "179.9"], &["0", "180", "-30"]),
        ];
        for (reader, good, bad) in table {
            assert!(good.iter().all(|text| reader(OsStr::new(text)).is_ok()), "{good:?}");
            assert!(bad.iter().all(|text| reader(OsStr::new(text)).is_err()), "{bad:?}");
        }
    }

    #[test]
    fn vectors_frames_and_player_colours() {
        assert_eq!(read::<Vector>("-1,0.5,2"), Ok([-1.0, 0.5, 2.0]));
        for bad in ["1,2", "1,2,3,4", "1,,3"] {
            assert!(read::<Vector>(bad).is_err(), "{bad}");
        }
        assert!(read::<Direction>("0,0,0").is_err());
        assert_eq!(read::<FrameNumbers>("7"), Ok(Frames { from: 7, to: 7, t: 0.0 }));
        assert_eq!(read::<FrameNumbers>("1,2,0.5"), Ok(Frames { from: 1, to: 2, t: 0.5 }));
        for bad in ["1,2", "1,2,1.5", "-1", "1,2,0.5,3"] {
            assert!(read::<FrameNumbers>(bad).is_err(), "{bad}");
        }
        assert_eq!(read::<PlayerColors>("4,12"), Ok([4, 12]));
        assert!(read::<PlayerColors>("4").is_err() && read::<PlayerColors>("16,0").is_err());
    }

    #[test]
    fn skins_by_number_file_or_surface() {
        let surface = |surface: &str, file: &str| Skin::Surface {
            surface: surface.into(),
            file: file.into(),
        };
        for (text, expected) in [
            ("2", Skin::Number(2)),
            ("-1", Skin::Number(-1)),
            ("a.pcx", Skin::File("a.pcx".into())),
            ("head=b=c.tga", surface("head", "b=c.tga")),
            ("=a", Skin::File("=a".into())),
        ] {
            let found = read::<SkinWord>(text).unwrap();
            assert_eq!(found, expected);
            assert_eq!(SkinWord::write(&found), text);
        }
    }
}
