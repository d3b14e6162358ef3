//! What was looked at on disk, for those who wait until it changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// So many files and folders are remembered: those that were looked at first.
const MAX_SIGHTS: usize = 2048;

/// What of a path matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// The bytes, and whether it is there.
    File,
    /// The names of what is in the folder.
    Folder,
    /// The names of the archives in the folder.
    Archives,
}

/// Paths in their order, each with what was looked for there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sights {
    pub(crate) paths: BTreeMap<PathBuf, Sight>,
    /// There were more than are remembered.
    pub(crate) is_partial: bool,
}

/// Collects sights, if anybody wants them.
#[derive(Debug, Default)]
pub(super) struct Trace(Option<Mutex<Sights>>);

impl Trace {
    /// One that remembers.
    #[cfg(any(feature = "window", test))]
    pub(super) fn recording() -> Self {
        Self(Some(Mutex::default()))
    }

    pub(super) fn add(&self, path: &Path, sight: Sight) {
        let Some(sights) = &self.0 else { return };
        let mut sights = sights.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = sights.paths.get_mut(path) {
            if *known == Sight::Archives {
                *known = sight;
            }
        } else if sights.paths.len() < MAX_SIGHTS {
            sights.paths.insert(path.into(), sight);
        } else {
            sights.is_partial = true;
        }
    }

    /// What was added so far.
    #[cfg(any(feature = "window", test))]
    pub(super) fn sights(&self) -> Sights {
        let sights = self.0.as_ref();
        let locked = sights.map(|sights| sights.lock().unwrap_or_else(PoisonError::into_inner));
        locked.map(|sights| sights.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_the_wider_sight_stays() {
        let trace = Trace::recording();
        for sight in [Sight::Archives, Sight::Folder, Sight::Archives] {
            trace.add(Path::new("a"), sight);
        }
        assert_eq!(trace.sights().paths[Path::new("a")], Sight::Folder);
        for number in 0..MAX_SIGHTS {
            trace.add(Path::new(&number.to_string()), Sight::File);
        }
        let sights = trace.sights();
        assert_eq!((sights.paths.len(), sights.is_partial), (MAX_SIGHTS, true));
        let silent = Trace::default();
        silent.add(Path::new("a"), Sight::File);
        assert!(silent.sights().paths.is_empty());
    }
}
