//! What can go wrong while reading a file, and where.
//!
//! Every message names the part of the file, the byte offset or line, what was expected and what
//! was found. A [`LoadError`] ends the reading; a [`Warning`] is a defect that a picture can be
//! drawn in spite of.

use std::fmt;

use crate::location::Location;

/// What kind of trouble a [`LoadError`] is.
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

    /// What is wrong, without the part and the place of it.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
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

/// Bytes are no picture, pixels do not fit a size, or a lump has a size that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The bytes of a file are no picture that can be read, or one that is too large.
    #[error("{format}: {message}")]
    Decode {
        /// The format that the file has or seems to have: "TGA".
        format: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// The pixel data does not fit the size, or a side is 0.
    #[error(
        "a picture of {width} x {height} needs {expected} bytes of pixels and one pixel each way, {found} were given"
    )]
    PixelCount {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Bytes that a picture of this size has.
        expected: u64,
        /// Bytes that were given.
        found: usize,
    },
    /// A palette or colormap lump has not one of the sizes it can have.
    #[error("a {what} has {expected} bytes, this file has {found}")]
    LumpSize {
        /// "palette" or "colormap".
        what: &'static str,
        /// The sizes that it can have, in bytes.
        expected: &'static str,
        /// The bytes of the file.
        found: usize,
    },
}

impl ImageError {
    pub(crate) fn decode(format: &'static str, message: impl Into<String>) -> Self {
        Self::Decode { format, message: message.into() }
    }
}

/// A file, or what was asked of a model file, cannot be used. The text says the cause too, so there is
/// no [`std::error::Error::source`]: whoever prints a chain of causes would print it twice.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The file cannot be read.
    Read {
        /// The file.
        file: Location,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a model or animation that can be loaded.
    Load {
        /// The file.
        file: Location,
        /// What is wrong with it.
        source: LoadError,
    },
    /// The file is not a picture, palette or colormap that can be used.
    Image {
        /// The file.
        file: Location,
        /// What is wrong with it.
        source: ImageError,
    },
    /// What was asked for does not exist.
    Request(RequestError),
    /// One of the above, because of an option of `polyset render`.
    Option {
        /// The option with its dashes.
        option: &'static str,
        /// What is wrong.
        source: Box<OpenError>,
    },
}

impl std::error::Error for OpenError {}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { file, source } => write!(f, "cannot read '{file}': {source}"),
            Self::Load { file, source } => write!(f, "'{file}': {source}"),
            Self::Image { file, source } => write!(f, "'{file}': {source}"),
            Self::Request(error) => error.fmt(f),
            Self::Option { option, source } => write!(f, "{option}: {source}"),
        }
    }
}

impl From<RequestError> for OpenError {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

impl OpenError {
    /// The same error of what an option has named.
    pub(crate) fn of_option(self, option: &'static str) -> Self {
        Self::Option { option, source: Box::new(self) }
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

    /// The warning that is left of an error, in its place; `instead` is what is done about it.
    pub(crate) fn of_error(error: &LoadError, instead: &str) -> Self {
        Self::new(error.place, error.part.as_str(), format!("{}; {instead}", error.message))
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.part, self.place, self.message)
    }
}
