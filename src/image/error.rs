//! What can be wrong with a picture, a palette or a colormap.

use std::path::{Path, PathBuf};

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
    #[error("a picture of {width} x {height} needs {expected} bytes of pixels, {found} were given")]
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
    pub(super) fn decode(format: &'static str, message: impl Into<String>) -> Self {
        Self::Decode { format, message: message.into() }
    }
}

/// A picture file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenImageError {
    /// The file cannot be read.
    #[error("cannot read '{}': {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a picture that can be decoded.
    #[error("'{}': {source}", .path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ImageError,
    },
}

impl OpenImageError {
    pub(super) fn decode(path: &Path, source: ImageError) -> Self {
        Self::Decode { path: path.into(), source }
    }
}
