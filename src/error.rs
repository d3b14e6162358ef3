//! What can go wrong while reading a file, and where.
//!
//! Every message names the part of the file, the byte offset or line, what was expected and what
//! was found. A [`LoadError`] ends the reading; a [`Warning`] is a defect that a picture can be
//! drawn in spite of.

use std::fmt;

/// Who is to blame for a [`LoadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The bytes are none of the formats that polyset reads; the message names what they are, if known.
    UnknownFormat,
    /// A known format in a version that polyset does not read.
    UnsupportedVersion,
    /// The file ends before something it promised.
    Truncated,
    /// A value in the file contradicts the format.
    Malformed,
    /// Two files do not belong together, such as an animation of another skeleton.
    Mismatch,
}

/// Where in a file something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Bytes from the start of the file.
    Offset(usize),
    /// Line of a text file, counted from 1.
    Line(u32),
    /// The file as a whole.
    File,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset(offset) => write!(f, "offset {offset}"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::File => write!(f, "file"),
        }
    }
}

/// Why a file could not be read: the kind, the place, the part of the file and a full sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} ({place}): {message}")]
pub struct LoadError {
    kind: LoadErrorKind,
    place: Place,
    part: String,
    message: String,
}

impl LoadError {
    pub(crate) fn new(
        kind: LoadErrorKind,
        place: Place,
        part: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { kind, place, part: part.into(), message: message.into() }
    }

    /// `needed` bytes at `offset` were promised, the file holds `available` of them.
    pub(crate) fn truncated(
        part: impl Into<String>,
        offset: usize,
        needed: u64,
        available: usize,
    ) -> Self {
        let message =
            format!("truncated: needs {needed} bytes here, the file has {available} left");
        Self::new(LoadErrorKind::Truncated, Place::Offset(offset), part, message)
    }

    pub(crate) fn malformed(
        part: impl Into<String>,
        place: Place,
        message: impl Into<String>,
    ) -> Self {
        Self::new(LoadErrorKind::Malformed, place, part, message)
    }

    /// The kind of trouble.
    #[must_use]
    pub fn kind(&self) -> LoadErrorKind {
        self.kind
    }

    /// Where in the file the trouble stands.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// The part of the file: "header", "frame 12", "surface 'head', triangles".
    #[must_use]
    pub fn part(&self) -> &str {
        &self.part
    }
}

/// Something that was asked for does not exist, or contradicts something else: an option, a clip, a
/// frame, a skin. The message says what there is instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    message: String,
}

impl RequestError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// A defect that did not stop the reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where in the file it stands.
    pub place: Place,
    /// The part of the file.
    pub part: String,
    /// What was found, what was expected, and what polyset does about it.
    pub message: String,
}

impl Warning {
    pub(crate) fn new(place: Place, part: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place, part: part.into(), message: message.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.part, self.place, self.message)
    }
}
