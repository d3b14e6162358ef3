//! Temporary files that do not stay: not after an error, not after a signal, and after a process that was
//! killed only until the next file is written beside them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempPath;

/// What the names begin with; the number of the process and [`RANDOM`] letters and digits follow.
const PREFIX: &str = ".polyset-";
const RANDOM: usize = 12;

/// What this process has in the file system.
struct Registry {
    under_way: Vec<PathBuf>,
    swept: Vec<PathBuf>,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { under_way: Vec::new(), swept: Vec::new() });

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all writes of this process that are under way; these writes, and any
/// that begins later, wait forever. For the moment before a signal ends the process: a program that
/// handles signals calls it, so that none of its temporary files stays.
pub fn abandon_writes() {
    let registry = registry();
    for path in &registry.under_way {
        // What cannot be removed now is swept by a later write.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(registry);
}

/// A file beside the one that it will become. It is removed if it does not become that.
///
/// It stays locked for as long as its process lives, which tells it from what a killed process has left.
pub(crate) struct Temporary {
    file: File,
    /// Removes the file; `None` after it was renamed.
    name: Option<TempPath>,
    path: PathBuf,
}

impl Temporary {
    /// An empty file with the permissions of new files.
    pub(crate) fn new_in(folder: &Path) -> io::Result<Self> {
        sweep_once(folder);
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).rand_bytes(RANDOM);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        loop {
            let temporary = {
                // One step for `abandon_writes`.
                let mut registry = registry();
                let made = builder.tempfile_in(folder);
                let (file, name) = made.map_err(|error| of_folder(folder, &error))?.into_parts();
                let path = name.to_path_buf();
                registry.under_way.push(path.clone());
                Self { file, name: Some(name), path }
            };
            // Another process may sweep the file before it is locked. Where there are no locks nothing
            // is swept.
            let is_locked = temporary.file.lock().is_ok();
            if !is_locked || fs::symlink_metadata(&temporary.path).is_ok() {
                return Ok(temporary);
            }
        }
    }

    pub(crate) fn as_file(&self) -> &File {
        &self.file
    }

    /// Gives the file its name, in place of what has it.
    pub(crate) fn rename(mut self, target: &Path) -> io::Result<()> {
        // One step for `abandon_writes`. The lock is gone before `self` is.
        let _registry = registry();
        let name = self.name.take();
        name.map_or(Ok(()), |name| name.persist(target).map_err(io::Error::from))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is known until it is gone.
        drop(self.name.take());
        registry().under_way.retain(|path| *path != self.path);
    }
}

/// Why no file can be made in a folder, without the name that it would have had.
fn of_folder(folder: &Path, error: &io::Error) -> io::Error {
    // `tempfile` says the cause in the text alone, before that name.
    let text = error.to_string();
    let cause = text.rsplit_once(" at path ").map_or(&*text, |(cause, _)| cause);
    io::Error::new(error.kind(), format!("the folder '{}': {cause}", folder.display()))
}

/// Removes what killed processes have left in a folder, at the first write of this process to it.
fn sweep_once(folder: &Path) {
    let mut registry = registry();
    if !registry.swept.iter().any(|swept| swept == folder) {
        registry.swept.push(folder.to_owned());
        drop(registry);
        sweep(folder);
    }
}

fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = is_temporary(entry.file_name().as_encoded_bytes());
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_abandoned(&entry.path());
        }
    }
}

/// `.polyset-1234-aB3dE5gH7jK9`, and nothing that is only like it.
fn is_temporary(name: &[u8]) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX.as_bytes()) else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let random = rest.get(digits + 1..).unwrap_or_default();
    digits > 0
        && rest.get(digits) == Some(&b'-')
        && random.len() == RANDOM
        && random.iter().all(u8::is_ascii_alphanumeric)
}

/// Removes the file if nobody holds it. The number of its process would not tell that in a folder that
/// several machines or containers share.
fn remove_abandoned(path: &Path) {
    // Some file systems lock only what is open for writing.
    let Ok(file) = File::options().read(true).write(true).open(path) else { return };
    if file.try_lock().is_ok() {
        // Another sweep may have been faster.
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_process_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let kept = [
            ".polyset-",
            ".polyset-12-abcdefghijk",
            ".polyset-12-abcdefghijk.",
            ".polyset-12-abcdefghijklm",
            ".polyset--abcdefghijkl",
            ".polyset-1a-abcdefghijkl",
            ".polyset-configuration",
            "polyset-12-abcdefghijkl",
        ];
        for name in
            kept.iter().chain(&[".polyset-12-abcdefghijkl", ".polyset-999999999-A2c4E6g8I0k2"])
        {
            fs::write(place(name), b"left").unwrap();
        }
        let alive = place(".polyset-1-aaaaaaaaaaaa");
        let held = File::create(&alive).unwrap();
        held.lock().unwrap();
        fs::create_dir(place(".polyset-13-bbbbbbbbbbbb")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("polyset-12-abcdefghijkl", place(".polyset-14-cccccccccccc"))
            .unwrap();
        sweep(folder.path());
        let mut expected: Vec<String> = kept.map(str::to_owned).to_vec();
        expected.extend([".polyset-1-aaaaaaaaaaaa", ".polyset-13-bbbbbbbbbbbb"].map(Into::into));
        #[cfg(unix)]
        expected.push(".polyset-14-cccccccccccc".into());
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        drop(held);
        sweep(folder.path());
        assert!(!alive.exists());
    }

    #[test]
    fn what_is_being_written_is_not_swept() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = Temporary::new_in(folder.path()).unwrap();
        let [name] = &names(folder.path())[..] else { panic!("one file") };
        assert!(is_temporary(name.as_bytes()), "{name}");
        assert!(name.starts_with(&format!(".polyset-{}-", std::process::id())), "{name}");
        sweep(folder.path());
        assert_eq!(names(folder.path()).len(), 1);
        temporary.rename(&folder.path().join("whole")).unwrap();
        assert_eq!(names(folder.path()), ["whole"]);
        drop(Temporary::new_in(folder.path()).unwrap());
        assert_eq!(names(folder.path()), ["whole"]);
        let known = |path: &PathBuf| path.starts_with(folder.path());
        assert!(!registry().under_way.iter().any(known));
    }
}
