//! Files written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::temporary::Temporary;

/// A file could not be written; a file that was there before is as it was. The text says the cause too.
#[derive(Debug, thiserror::Error)]
#[error("cannot write '{}': {cause}", .path.display())]
pub struct WriteError {
    path: PathBuf,
    cause: io::Error,
}

/// Symbolic links that are followed from one path, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// Writes a file through `write`: to a temporary name in the same folder first, then renamed, so that
/// nobody ever sees half a file.
///
/// A new file gets the permissions that the process gives to new files, an existing one keeps its own.
/// A symbolic link stays, its target is replaced or made. What is no regular file (a pipe, a device) is
/// written directly, and so is what the process has open, if it is named as such: see
/// [`own_descriptor`].
///
/// # Errors
/// If `write` fails, the file cannot be made in its folder, or the one that is there is write-protected.
pub fn write_file(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    replace(path, write).map_err(|cause| WriteError { path: path.into(), cause })
}

/// Makes the folder of files that are to be written, and those that it is in.
///
/// # Errors
/// If it cannot be made.
#[cfg(feature = "check")]
pub(crate) fn make_folder(path: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(path).map_err(|cause| WriteError { path: path.into(), cause })
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if let Some(descriptor) = own_descriptor(path) {
        return write_into(open_descriptor(descriptor, path)?, write);
    }
    let existing = match fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return write_into(File::options().write(true).open(path)?, write);
    }
    if existing.is_some() && is_protected(path) {
        let message = "the file is write-protected; make it writable or choose another name";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    let target = match existing {
        Some(_) => fs::canonicalize(path)?,
        None => links(path).last().unwrap_or_else(|| path.to_owned()),
    };
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let temporary = Temporary::new_in(folder)?;
    let mut out = BufWriter::new(temporary.as_file());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    if let Some(metadata) = existing {
        temporary.as_file().set_permissions(metadata.permissions())?;
    }
    temporary.rename(&target)
}

/// Whether there is a file that must not be written. Renaming would replace it: its folder alone would be
/// asked.
pub(crate) fn is_protected(path: &Path) -> bool {
    // Root may write what nobody may.
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly())
        || File::options()
            .append(true)
            .open(path)
            .is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// [`write_file`] of bytes that only the user may read; what is there under the name is replaced,
/// whatever it is.
///
/// # Errors
/// If the file cannot be made in its folder.
#[cfg(feature = "thumbs")]
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let write = || {
        let temporary = Temporary::new_in(path.parent().unwrap_or(Path::new(".")))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            temporary.as_file().set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        temporary.as_file().write_all(bytes)?;
        temporary.rename(path)
    };
    write().map_err(|cause| WriteError { path: path.into(), cause })
}

fn write_into(file: File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    out.flush()
}

/// The path, and where the links lead that it is, one by one.
fn links(path: &Path) -> impl Iterator<Item = PathBuf> {
    let next = |path: &PathBuf| {
        let target = fs::read_link(path).ok()?;
        Some(path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target)))
    };
    std::iter::successors(Some(path.to_owned()), next).take(MAX_LINKS)
}

/// Where writing to a path writes, whether there is a file yet or not: links are followed, and the folder is
/// canonical if it exists.
#[must_use]
pub fn target_of(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    let target = links(path).last().unwrap_or_else(|| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    match (fs::canonicalize(folder.unwrap_or(Path::new("."))), target.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => target,
    }
}

/// Which of the descriptors that the process has open a path names: 1 for `/dev/stdout`, 3 for
/// `/dev/fd/3`. What is written there goes where that descriptor stands, as in a shell: behind what is
/// there after `>>`. `None` for all other paths.
#[must_use]
pub fn own_descriptor(path: impl AsRef<Path>) -> Option<u32> {
    const FOLDERS: [&str; 3] = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"];
    if cfg!(not(unix)) {
        return None;
    }
    links(path.as_ref()).find_map(|path| {
        let descriptor = path.file_name()?.to_str()?.parse().ok()?;
        let folder = fs::canonicalize(path.parent()?).ok()?;
        let is_ours = |ours: &&str| fs::canonicalize(ours).is_ok_and(|ours| ours == folder);
        FOLDERS.iter().any(is_ours).then_some(descriptor)
    })
}

/// The standard streams share their position with whoever else writes to them. Another descriptor can
/// only be opened anew, so it is written at the end.
#[cfg(unix)]
fn open_descriptor(descriptor: u32, path: &Path) -> io::Result<File> {
    use std::os::fd::AsFd;
    match descriptor {
        1 => io::stdout().as_fd().try_clone_to_owned().map(File::from),
        2 => io::stderr().as_fd().try_clone_to_owned().map(File::from),
        _ => File::options().append(true).open(path),
    }
}

#[cfg(not(unix))]
fn open_descriptor(_: u32, path: &Path) -> io::Result<File> {
    File::options().append(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture");
        write_file(&path, |out| out.write_all(b"old")).unwrap();
        let error = write_file(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("full"))
        })
        .unwrap_err();
        assert!(error.to_string().ends_with("picture': full"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_file(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_an_ordinary_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ordinary, ours) = (folder.path().join("a"), folder.path().join("b"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        fs::write(&ordinary, b"").unwrap();
        write_file(&ours, |_| Ok(())).unwrap();
        assert_eq!(mode(&ours), mode(&ordinary));
        fs::set_permissions(&ours, fs::Permissions::from_mode(0o640)).unwrap();
        write_file(&ours, |_| Ok(())).unwrap();
        assert_eq!(mode(&ours) & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_write_protected_file_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("kept"), folder.path().join("link"));
        fs::write(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for path in [&path, &link] {
            let error = write_file(path, |out| out.write_all(b"new")).unwrap_err().to_string();
            assert!(error.contains("the file is write-protected; make it writable"), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write_file(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_devices_are_written_directly() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, b"old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_file(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write_file("/dev/null", |out| out.write_all(b"gone")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn the_target_of_a_link_is_made_where_it_leads() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for name in ["deep", "other"] {
            fs::create_dir(place(name)).unwrap();
        }
        // Relative to the folder of the link, over a second link, through a folder that is one.
        symlink("deep", place("folder")).unwrap();
        symlink("../other/made", place("deep/second")).unwrap();
        symlink("folder/second", place("first")).unwrap();
        symlink(place("absolute"), place("third")).unwrap();
        for (link, target) in [("first", "other/made"), ("third", "absolute")] {
            for content in [b"a", b"b"] {
                write_file(place(link), |out| out.write_all(content)).unwrap();
                assert_eq!(fs::read(place(target)).unwrap(), content, "{link}");
                assert!(fs::symlink_metadata(place(link)).unwrap().is_symlink(), "{link}");
                assert!(!place(target).is_symlink());
            }
        }
        symlink("round", place("about")).unwrap();
        symlink("about", place("round")).unwrap();
        symlink("no/such/folder/x", place("lost")).unwrap();
        for link in ["round", "lost"] {
            write_file(place(link), |_| Ok(())).unwrap_err();
            assert!(fs::symlink_metadata(place(link)).unwrap().is_symlink(), "{link}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 9);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn descriptors_of_the_process_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("out.png");
        std::os::unix::fs::symlink("/dev/stdout", &link).unwrap();
        let process = format!("/proc/{}/fd/2", std::process::id());
        for (path, descriptor) in [
            (link.to_str().unwrap(), Some(1)),
            ("/dev/stdout", Some(1)),
            ("/dev/stderr", Some(2)),
            ("/dev/../dev/fd/7", Some(7)),
            ("/proc/self/fd/1", Some(1)),
            ("/proc/thread-self/fd/1", Some(1)),
            (&process, Some(2)),
            ("/proc/1/fd/1", None),
            ("/dev/null", None),
            ("1", None),
            ("stdout", None),
        ] {
            assert_eq!(own_descriptor(path), descriptor, "{path}");
        }
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = write_file("no/such/folder/x.png", |_| Ok(())).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("'no/such/folder/x.png': the folder 'no/such/folder': "), "{said}");
        // The name of the temporary file says nothing to anybody.
        assert!(!said.contains(".polyset-"), "{said}");
    }
}
