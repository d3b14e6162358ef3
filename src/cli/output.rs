//! Where data goes: a file or the standard output.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};

/// A destination of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Stdout,
    File(PathBuf),
}

impl From<PathBuf> for Destination {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Self::Stdout } else { Self::File(path) }
    }
}

/// Writes data to the standard output.
///
/// # Errors
/// If it is closed (see [`is_broken_pipe`]) or full.
pub(crate) fn stdout(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .context("cannot write to the standard output")
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

/// Whether the reader of a pipe has gone, which is its right.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
