//! Where data goes: a file or the standard output.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A destination of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Stdout,
    File(PathBuf),
}

impl From<PathBuf> for Destination {
    fn from(path: PathBuf) -> Self {
        let is_stdout = path.as_os_str() == "-" || polyset::own_descriptor(&path) == Some(1);
        if is_stdout { Self::Stdout } else { Self::File(path) }
    }
}

/// Writes data to the standard output. One that was closed before the start takes everything: Rust's
/// runtime has opened `/dev/null` in its place, and no safe code runs before that.
///
/// # Errors
/// If it is full, or its reader has gone before it had everything.
pub(crate) fn stdout(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .context("cannot write to the standard output")
}

/// A file that a command reads; `-` is the standard input.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if file.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    read.with_context(|| format!("cannot read '{}'", file.display()))
}

/// [`read`] of a text.
///
/// # Errors
/// If it cannot be read, or is no UTF-8.
pub(crate) fn read_text(file: &Path) -> Result<String> {
    let text = String::from_utf8(read(file)?);
    text.with_context(|| format!("'{}' is no text in UTF-8", file.display()))
}

/// Makes a folder for outputs, and those that it is in.
///
/// # Errors
/// If it cannot be made.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    let made = std::fs::create_dir_all(folder);
    made.with_context(|| format!("cannot make the folder '{}'", folder.display()))
}

/// The first bytes of a regular file that an output would replace; none if there is no such file.
pub(crate) fn head(path: &Path, length: usize) -> Vec<u8> {
    let mut head = Vec::new();
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    if is_file && polyset::own_descriptor(path).is_none() {
        let read = File::open(path).and_then(|f| f.take(length as u64).read_to_end(&mut head));
        if read.is_err() {
            // Not known to be of any kind.
            head = vec![0];
        }
    }
    head
}

/// Writes a line of any bytes to the standard output.
///
/// # Errors
/// If it is closed or full.
#[cfg(feature = "window")]
pub(crate) fn line(line: &std::ffi::OsStr) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_encoded_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}
