//! Notices that a file has changed, by its time and size: works on every system and file system.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// How often the files are looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// Time and size of every file; `None` for one that is not there.
type Stamps = Vec<Option<(Option<SystemTime>, u64)>>;

/// Watches some files.
#[derive(Debug)]
pub(crate) struct Watch {
    files: Vec<PathBuf>,
    known: Stamps,
    /// What the last look found, if it was not `known`: programs write in pieces, so a change counts
    /// once it has stood still for one interval.
    changing: Option<Stamps>,
    last_look: Instant,
}

impl Watch {
    pub(crate) fn new(files: Vec<PathBuf>) -> Self {
        let known = stamps(&files);
        Self { files, known, changing: None, last_look: Instant::now() }
    }

    /// When to look next.
    pub(crate) fn due(&self) -> Instant {
        self.last_look + INTERVAL
    }

    /// Whether a file has changed since the last time that this said so.
    pub(crate) fn has_changed(&mut self, now: Instant) -> bool {
        if now < self.due() {
            return false;
        }
        self.last_look = now;
        let found = stamps(&self.files);
        if found == self.known {
            self.changing = None;
            return false;
        }
        if self.changing.as_ref() == Some(&found) {
            self.known = found;
            self.changing = None;
            return true;
        }
        self.changing = Some(found);
        false
    }
}

fn stamps(files: &[PathBuf]) -> Stamps {
    let stamp = |file: &PathBuf| {
        let metadata = std::fs::metadata(file).ok()?;
        Some((metadata.modified().ok(), metadata.len()))
    };
    files.iter().map(stamp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_counts_when_it_stands_still() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("model");
        std::fs::write(&file, b"one").unwrap();
        let mut watch = Watch::new(vec![file.clone()]);
        let mut now = Instant::now();
        let mut look = |watch: &mut Watch| {
            now += INTERVAL;
            watch.has_changed(now)
        };
        assert!(!look(&mut watch));
        std::fs::write(&file, b"longer").unwrap();
        assert!(!look(&mut watch), "it may still be written");
        std::fs::write(&file, b"longer still").unwrap();
        assert!(!look(&mut watch));
        assert!(look(&mut watch));
        assert!(!look(&mut watch));
        std::fs::remove_file(&file).unwrap();
        assert!(!look(&mut watch));
        assert!(look(&mut watch));
    }

    #[test]
    fn files_are_not_looked_at_more_often_than_needed() {
        let mut watch = Watch::new(vec!["no such file".into()]);
        let before = watch.due();
        assert!(!watch.has_changed(Instant::now()));
        assert_eq!(watch.due(), before);
    }
}
