//! Which files an opened scene was made of.

use std::path::PathBuf;

use super::Opened;
#[cfg(feature = "thumbs")]
use crate::files::Stamp;
#[cfg(feature = "check")]
use crate::{files::Limit, location::Location};

impl Opened {
    /// Every file on disk that was read for the scene, archives included.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        self.around_files().read_files()
    }

    /// The files on disk that it was made of, and how they are now.
    #[cfg(feature = "thumbs")]
    pub(crate) fn stamps(&self) -> Vec<Stamp> {
        self.around_files().stamps()
    }

    /// The files and members of archives that it was made of, each with a hash of its bytes; nothing for
    /// what has gone meanwhile.
    #[cfg(feature = "check")]
    pub(crate) fn hashes(&self) -> Vec<(Location, u64)> {
        let files = self.around_files().for_another();
        let hash = |file: Location| {
            let bytes = files.read(&file, Limit::MODEL).ok()?;
            Some((file, crate::hash::Hash::new().bytes(&bytes)))
        };
        self.around_files().read_locations().into_iter().filter_map(hash).collect()
    }
}
