//! How it is said what hangs on which tag.

use std::ffi::{OsStr, OsString};
use std::marker::PhantomData;

use super::OnTag;
use super::notation::{Notation, split_at_equals};

/// `TAG=VALUE`, where tags of what hangs on tags are separated by slashes: `tag_weapon/tag_flash`.
pub(crate) struct Tagged<N>(PhantomData<N>);

impl<N: Notation> Notation for Tagged<N> {
    type Value = OnTag<N::Value>;

    fn read(text: &OsStr) -> Result<Self::Value, String> {
        let wanted = "expected TAG=VALUE, such as tag_weapon=VALUE or tag_weapon/tag_flash=VALUE";
        let (tag, value) = split_at_equals(text).ok_or(wanted)?;
        let tag = tag.into_string().map_err(|_| wanted)?;
        if tag.split('/').any(str::is_empty) {
            return Err(wanted.into());
        }
        Ok(OnTag { tag, value: N::read(&value)? })
    }

    fn write(OnTag { tag, value }: &Self::Value) -> OsString {
        let mut text = OsString::from(tag);
        text.push("=");
        text.push(N::write(value));
        text
    }
}

/// `PITCH,YAW` in degrees.
pub(crate) struct Angles;

impl Notation for Angles {
    type Value = [f32; 2];

    fn read(text: &OsStr) -> Result<[f32; 2], String> {
        let number = |text: &str| text.trim().parse().ok().filter(|x: &f32| x.is_finite());
        let both = text.to_str().and_then(|text| text.split_once(','));
        both.and_then(|(pitch, yaw)| Some([number(pitch)?, number(yaw)?]))
            .ok_or_else(|| "expected PITCH,YAW: two finite numbers".into())
    }

    fn write([pitch, yaw]: &[f32; 2]) -> OsString {
        format!("{pitch},{yaw}").into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Frames;
    use super::super::notation::{FrameNumbers, Place};
    use super::*;
    use crate::location::Location;

    #[test]
    fn tags_and_what_hangs_on_them() {
        let on = |tag: &str, file: &str| OnTag { tag: tag.into(), value: Location::from(file) };
        for (text, expected) in [
            ("tag_weapon=a.md3", Some(on("tag_weapon", "a.md3"))),
            ("tag_weapon/tag_flash=b=c.md3", Some(on("tag_weapon/tag_flash", "b=c.md3"))),
            (".=pak0.pak:x.md2", Some(on(".", "pak0.pak:x.md2"))),
            ("a.md3", None),
            ("=a.md3", None),
            ("a//b=a.md3", None),
            ("/a=a.md3", None),
            ("a=", None),
        ] {
            let found = Tagged::<Place>::read(OsStr::new(text));
            assert_eq!(found.as_ref().ok(), expected.as_ref(), "{text}");
            if let Ok(found) = found {
                assert_eq!(Tagged::<Place>::write(&found), text);
            }
        }
        let frames = Tagged::<FrameNumbers>::read(OsStr::new("tag_weapon=1,2,0.5")).unwrap();
        assert_eq!(frames.value, Frames { from: 1, to: 2, t: 0.5 });
    }

    #[test]
    fn angles_are_two_numbers() {
        assert_eq!(Angles::read(OsStr::new("-10, 45.5")), Ok([-10.0, 45.5]));
        assert_eq!(Angles::write(&[-10.0, 45.5]), "-10,45.5");
        for bad in ["10", "1,2,3", "a,b", "1,inf", ""] {
            assert!(Angles::read(OsStr::new(bad)).is_err(), "{bad}");
        }
    }
}
