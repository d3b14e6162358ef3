//! Files written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file could not be written; a file that was there before is as it was.
#[derive(Debug, thiserror::Error)]
#[error("cannot write '{}': {source}", .path.display())]
pub struct WriteError {
    path: PathBuf,
    source: io::Error,
}

/// Writes a file through `write`: to a temporary name in the same folder first, then renamed, so that
/// nobody ever sees half a file.
///
/// A new file gets the permissions that the process gives to new files, an existing one keeps its own.
/// A symbolic link stays, its target is replaced. What is no regular file (a pipe, a device) is
/// written directly.
///
/// # Errors
/// If `write` fails or the file cannot be made in its folder.
pub(crate) fn write_file(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    replace(path, write).map_err(|source| WriteError { path: path.into(), source })
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        let mut file = BufWriter::new(File::options().write(true).open(path)?);
        write(&mut file)?;
        return file.flush();
    }
    let target = if existing.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".polyset-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = BufWriter::new(builder.tempfile_in(folder)?);
    write(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(metadata) = existing {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.persist(&target)?;
    Ok(())
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

    #[test]
    fn a_missing_folder_is_named() {
        let error = write_file("no/such/folder/x.png", |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("no/such/folder/x.png"), "{error}");
    }
}
