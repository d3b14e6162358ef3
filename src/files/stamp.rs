//! What tells without reading a file whether it has changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// A file on disk, as `make` and `rsync` know it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// Its path as it was read, bytes that are no UTF-8 replaced.
    pub(crate) file: String,
    pub(crate) bytes: u64,
    /// Microseconds since 1970.
    pub(crate) modified: u64,
}

impl Stamp {
    /// Nothing if there is no regular file.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            file: path.to_string_lossy().into_owned(),
            bytes: metadata.len(),
            modified: u64::try_from(modified.as_micros()).ok()?,
        })
    }

    /// Whether the file is still the same.
    pub(crate) fn holds(&self) -> bool {
        Self::of(&PathBuf::from(&self.file)).as_ref() == Some(self)
    }
}
