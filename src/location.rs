//! Where bytes lie: a file on disk, or a member of an archive.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// A file on disk, or a member of an archive; printed and read as `pak0.pak:progs/ogre.mdl`.
///
/// A text names a member if a colon follows a name that ends like an archive: `.pak`, `.pk3`, `.pk4`,
/// `.zip`, `.dpk`, `.kpf`, or like a folder that stands for one: `.pk3dir`, `.pk4dir`, `.dpkdir`. Reading it
/// opens nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    path: PathBuf,
    member: Option<String>,
}

/// Ends of the names of archives, without the dot.
const ARCHIVES: [&str; 9] =
    ["pak", "pk3", "pk4", "zip", "dpk", "kpf", "pk3dir", "pk4dir", "dpkdir"];

impl Location {
    /// A file or folder on disk, whatever its name looks like.
    #[must_use]
    pub fn on_disk(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), member: None }
    }

    /// A member of an archive, or a folder in it.
    #[must_use]
    pub fn in_archive(archive: impl Into<PathBuf>, member: impl Into<String>) -> Self {
        Self { path: archive.into(), member: Some(member.into()) }
    }

    /// The file on disk that holds the bytes: the file itself, or the archive.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name in the archive; `None` for a file on disk.
    #[must_use]
    pub fn member(&self) -> Option<&str> {
        self.member.as_deref()
    }

    /// The name without folders, archive included; empty if there is none.
    #[must_use]
    pub fn file_name(&self) -> &OsStr {
        match &self.member {
            Some(member) => OsStr::new(member.rsplit(['/', '\\']).next().unwrap_or_default()),
            None => self.path.file_name().unwrap_or_default(),
        }
    }

    /// [`Location::file_name`] without its extension.
    #[must_use]
    pub fn file_stem(&self) -> &OsStr {
        Path::new(self.file_name()).file_stem().unwrap_or_default()
    }

    /// The extension of [`Location::file_name`] without the dot; empty if there is none.
    #[must_use]
    pub fn extension(&self) -> &OsStr {
        Path::new(self.file_name()).extension().unwrap_or_default()
    }

    /// The text that is read as this location.
    #[must_use]
    pub fn to_os_string(&self) -> OsString {
        let mut text = self.path.clone().into_os_string();
        if let Some(member) = &self.member {
            text.push(":");
            text.push(member);
        }
        text
    }

    /// The whole text as one path: what a member's location means if it is a file's name after all.
    pub(crate) fn as_one_path(&self) -> PathBuf {
        self.to_os_string().into()
    }
}

/// Whether a name ends like an archive.
pub(crate) fn is_archive_name(name: &OsStr) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    ARCHIVES.iter().any(|archive| extension.eq_ignore_ascii_case(archive))
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.member {
            Some(member) => write!(f, ":{member}"),
            None => Ok(()),
        }
    }
}

impl From<&OsStr> for Location {
    fn from(text: &OsStr) -> Self {
        let colons = text.as_encoded_bytes().iter().enumerate().filter(|(_, byte)| **byte == b':');
        // Names of members are UTF-8.
        let split = colons
            .filter_map(|(at, _)| split_at(text, at))
            .filter_map(|(archive, member)| Some((archive, member.into_string().ok()?)))
            .find(|(archive, member)| !member.is_empty() && is_archive_name(archive));
        match split {
            Some((archive, member)) => Self::in_archive(archive, member),
            None => Self::on_disk(text),
        }
    }
}

impl From<&str> for Location {
    fn from(text: &str) -> Self {
        Self::from(OsStr::new(text))
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::from(path.as_os_str())
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self::from(path.as_os_str())
    }
}

/// The text before and behind the one-byte character at `at`; names of files may hold any bytes.
#[cfg(unix)]
pub(crate) fn split_at(text: &OsStr, at: usize) -> Option<(OsString, OsString)> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = text.as_bytes();
    let part = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Some((part(&bytes[..at]), part(&bytes[at + 1..])))
}

/// The text before and behind the one-byte character at `at`; `None` if it is not Unicode.
#[cfg(not(unix))]
pub(crate) fn split_at(text: &OsStr, at: usize) -> Option<(OsString, OsString)> {
    let text = text.to_str()?;
    Some((text[..at].into(), text[at + 1..].into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_told_by_the_archives_name_and_survive_printing() {
        for (text, path, member) in [
            ("pak0.pak:progs/ogre.mdl", "pak0.pak", Some("progs/ogre.mdl")),
            ("a/b.PK3:models/x.md3", "a/b.PK3", Some("models/x.md3")),
            ("C:/q/pak0.pk4:x", "C:/q/pak0.pk4", Some("x")),
            ("a.pk3dir:models/x.md3", "a.pk3dir", Some("models/x.md3")),
            ("a.zip:b.pak:c", "a.zip", Some("b.pak:c")),
            ("pak0.pak", "pak0.pak", None),
            ("pak0.pak:", "pak0.pak:", None),
            ("a:b.md2", "a:b.md2", None),
            (".pak:x", ".pak:x", None),
            ("", "", None),
        ] {
            let location = Location::from(text);
            assert_eq!((location.path(), location.member()), (Path::new(path), member), "{text}");
            assert_eq!(location.to_os_string(), text);
            assert_eq!(location.to_string(), text);
        }
    }

    #[test]
    fn names_are_those_of_the_member() {
        for (text, name, stem, extension) in [
            ("a.pak:progs\\Ogre.MDL", "Ogre.MDL", "Ogre", "MDL"),
            ("a.pak:x", "x", "x", ""),
            ("b/tris.md2", "tris.md2", "tris", "md2"),
            ("b/..", "", "", ""),
        ] {
            let location = Location::from(text);
            assert_eq!(location.file_name(), name, "{text}");
            assert_eq!(
                (location.file_stem(), location.extension()),
                (stem.as_ref(), extension.as_ref())
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn archives_may_have_any_bytes_in_their_names() {
        use std::os::unix::ffi::OsStrExt;
        let text = OsStr::from_bytes(b"sch\xf6n.pak:progs/a.mdl");
        let location = Location::from(text);
        assert_eq!(location.member(), Some("progs/a.mdl"));
        assert_eq!(location.to_os_string(), text);
        assert_eq!(Location::from(OsStr::from_bytes(b"a.pak:\xf6")).member(), None);
    }
}
