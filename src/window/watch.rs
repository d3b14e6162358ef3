//! Notices that something has changed that a picture was made of: files by time and size, folders by
//! their time and then by the names in them. Works on every system and file system.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::assets::is_name_of_models;
use crate::files::{Sight, Sights};
use crate::hash::Hash;
use crate::location::is_archive_name;

/// How often the files of a model are looked at.
pub(crate) const OF_MODEL: Duration = Duration::from_millis(250);
/// How often the folders are looked at that models may be added to.
pub(crate) const OF_FOLDERS: Duration = Duration::from_secs(1);
/// Some file systems count time in steps of two seconds: in a folder that has changed within them,
/// names tell.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);
/// Reading names takes at most one part in so many of the time.
const SHARE_OF_LISTING: u32 = 20;

/// Watches files and folders.
#[derive(Debug)]
pub(crate) struct Watch {
    watched: BTreeMap<PathBuf, Watched>,
    interval: Duration,
    last_look: Instant,
    /// No folder's names are read before.
    next_listing: Instant,
    /// There was more to watch than is watched.
    is_partial: bool,
}

/// How a file or folder is; `None` if it is not there.
type Mark = Option<(Option<SystemTime>, u64)>;

#[derive(Debug)]
struct Watched {
    sight: Sight,
    known: Mark,
    /// What the last look found, if it was not `known`: programs write in pieces, so a change counts
    /// once it has stood still for one interval.
    changing: Option<Mark>,
    /// Of a folder: when it had changed last as its names were read, and what they came to.
    listed: Option<(SystemTime, u64)>,
}

impl Watch {
    pub(crate) fn new(sights: &Sights, interval: Duration) -> Self {
        let now = Instant::now();
        let mut watch = Self {
            watched: BTreeMap::new(),
            interval,
            last_look: now,
            next_listing: now,
            is_partial: false,
        };
        watch.follow(sights);
        watch
    }

    /// Watches these from now on. Of those that were watched before, changes since the last look count.
    pub(crate) fn follow(&mut self, sights: &Sights) {
        let mut before = std::mem::take(&mut self.watched);
        let watched = |(path, &sight): (&PathBuf, &Sight)| {
            let kept = before.remove(path).filter(|watched| watched.sight == sight);
            (path.clone(), kept.unwrap_or_else(|| Watched::new(path, sight)))
        };
        self.watched = sights.paths.iter().map(watched).collect();
        self.is_partial = sights.is_partial;
    }

    /// Whether there was more to watch than is watched.
    pub(crate) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// What has changed in a folder until now does not count: the window has written there.
    pub(crate) fn overlook(&mut self, folder: &Path) {
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        let Ok(folder) = fs::canonicalize(folder) else { return };
        if let Some(watched) = self.watched.get_mut(&folder) {
            *watched = Watched::new(&folder, watched.sight);
        }
    }

    /// When to look next.
    pub(crate) fn due(&self) -> Instant {
        self.last_look + self.interval
    }

    /// Whether anything has changed since the last time that this said so.
    pub(crate) fn has_changed(&mut self, now: Instant) -> bool {
        if now < self.due() {
            return false;
        }
        self.last_look = now;
        let may_list = now >= self.next_listing;
        let (mut has_changed, mut listing) = (false, Duration::ZERO);
        for (path, watched) in &mut self.watched {
            let found = watched.look(path, may_list, &mut listing);
            if found == watched.known {
                watched.changing = None;
            } else if watched.changing == Some(found) {
                (watched.known, watched.changing) = (found, None);
                has_changed = true;
            } else {
                watched.changing = Some(found);
            }
        }
        if !listing.is_zero() {
            self.next_listing = now + listing * SHARE_OF_LISTING;
        }
        has_changed
    }
}

impl Watched {
    fn new(path: &Path, sight: Sight) -> Self {
        let mut watched = Self { sight, known: None, changing: None, listed: None };
        let mut listing = Duration::ZERO;
        watched.known = watched.look(path, true, &mut listing);
        watched
    }

    /// How the path is now. A folder's names are read if they may be others and `may_list`; how long
    /// that takes is added to `listing`.
    fn look(&mut self, path: &Path, may_list: bool, listing: &mut Duration) -> Mark {
        let metadata = fs::metadata(path).ok()?;
        if self.sight == Sight::File {
            let bytes = if metadata.is_dir() { 0 } else { metadata.len() };
            return Some((modified(&metadata).filter(|_| !metadata.is_dir()), bytes));
        }
        let modified = modified(&metadata).unwrap_or(SystemTime::UNIX_EPOCH);
        let is_listed = |(listed, _): (SystemTime, u64)| {
            // A time in the future would never be old.
            let age = SystemTime::now().duration_since(listed).unwrap_or(Duration::MAX);
            listed == modified && age > COARSEST_CLOCK
        };
        match self.listed {
            Some((_, names)) if !may_list || self.listed.is_some_and(is_listed) => {
                Some((None, names))
            }
            _ => {
                let start = Instant::now();
                let names = names(path, self.sight);
                *listing += start.elapsed();
                self.listed = Some((modified, names));
                Some((None, names))
            }
        }
    }
}

fn modified(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

/// A sum over the names in a folder that matter, in any order.
fn names(folder: &Path, sight: Sight) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let matters = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let may_be_entered =
            || entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_symlink());
        let is_asset = || is_name_of_models(&name.to_string_lossy().to_lowercase());
        is_archive_name(&name) || (sight == Sight::Folder && (is_asset() || may_be_entered()))
    };
    let names = entries.filter(matters).map(|entry| entry.file_name());
    let hashes = names.map(|name| Hash::new().bytes(name.as_encoded_bytes()));
    hashes.fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sights(paths: &[(&Path, Sight)]) -> Sights {
        let paths = paths.iter().map(|&(path, sight)| (path.to_path_buf(), sight)).collect();
        Sights { paths, is_partial: false }
    }

    /// Looks again and again, an interval apart.
    struct Eyes(Watch, Instant);

    impl Eyes {
        fn on(paths: &[(&Path, Sight)]) -> Self {
            Self(Watch::new(&sights(paths), OF_MODEL), Instant::now())
        }

        fn see(&mut self) -> bool {
            // Long enough for any folder to be listed again.
            self.1 += Duration::from_secs(60);
            self.0.has_changed(self.1)
        }
    }

    #[test]
    fn a_change_counts_when_it_stands_still() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("model");
        fs::write(&file, b"one").unwrap();
        let mut eyes = Eyes::on(&[(&file, Sight::File)]);
        assert!(!eyes.see());
        fs::write(&file, b"longer").unwrap();
        assert!(!eyes.see(), "it may still be written");
        fs::write(&file, b"longer still").unwrap();
        assert!(!eyes.see());
        assert!(eyes.see());
        assert!(!eyes.see());
        fs::remove_file(&file).unwrap();
        assert!(!eyes.see());
        assert!(eyes.see());
    }

    #[test]
    fn one_that_never_stands_still_does_not_hide_another() {
        let folder = tempfile::tempdir().unwrap();
        let [busy, other] = ["busy", "other"].map(|name| folder.path().join(name));
        let mut eyes = Eyes::on(&[(&busy, Sight::File), (&other, Sight::File)]);
        fs::write(&other, b"new").unwrap();
        fs::write(&busy, b"1").unwrap();
        assert!(!eyes.see());
        fs::write(&busy, b"22").unwrap();
        assert!(eyes.see(), "the other one stands still");
        fs::write(&busy, b"333").unwrap();
        assert!(!eyes.see());
    }

    #[test]
    fn of_a_folder_the_names_count_that_a_model_may_have() {
        for (sight, name, counts) in [
            (Sight::Folder, "skin.TGA", true),
            (Sight::Folder, "run.md5anim", true),
            (Sight::Folder, "animation.cfg", true),
            (Sight::Folder, "head_red.skin", true),
            (Sight::Folder, "new.md2", true),
            (Sight::Folder, "pak1.pk3", true),
            (Sight::Folder, "textures/", true),
            (Sight::Folder, "notes.txt", false),
            (Sight::Folder, ".skin.tga.swp", false),
            (Sight::Archives, "pak0.pak", true),
            (Sight::Archives, "skin.tga", false),
            (Sight::Archives, "anything/", false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let mut eyes = Eyes::on(&[(folder.path(), sight)]);
            let path = folder.path().join(name);
            if name.ends_with('/') {
                fs::create_dir(&path).unwrap();
            } else {
                fs::write(&path, b"").unwrap();
            }
            assert_eq!([eyes.see(), eyes.see()], [false, counts], "{sight:?} {name}");
        }
    }

    #[test]
    fn what_is_not_there_may_come_and_what_the_window_writes_is_overlooked() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("textures");
        let mut eyes = Eyes::on(&[(&missing, Sight::Folder)]);
        fs::create_dir(&missing).unwrap();
        assert_eq!([eyes.see(), eyes.see()], [false, true]);
        let here = fs::canonicalize(folder.path()).unwrap();
        let mut eyes = Eyes::on(&[(&here, Sight::Folder)]);
        fs::write(here.join("model-001.png"), b"").unwrap();
        eyes.0.overlook(folder.path());
        assert_eq!([eyes.see(), eyes.see()], [false, false]);
    }

    #[test]
    fn another_set_keeps_what_is_known_and_forgets_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, left] = ["kept", "left"].map(|name| folder.path().join(name));
        let mut eyes = Eyes::on(&[(&kept, Sight::File), (&left, Sight::File)]);
        fs::write(&kept, b"while it was read").unwrap();
        fs::write(&left, b"").unwrap();
        eyes.0.follow(&sights(&[(&kept, Sight::File)]));
        assert_eq!([eyes.see(), eyes.see()], [false, true]);
        fs::write(&left, b"more").unwrap();
        assert_eq!([eyes.see(), eyes.see()], [false, false]);
    }

    #[test]
    fn files_are_not_looked_at_more_often_than_needed() {
        let mut watch = Watch::new(&sights(&[(Path::new("none"), Sight::File)]), OF_MODEL);
        let before = watch.due();
        assert!(!watch.has_changed(Instant::now()));
        assert_eq!(watch.due(), before);
    }
}
