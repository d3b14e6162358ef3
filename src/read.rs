//! Reads whole files, up to a limit.

use std::io::{self, Read};
use std::path::Path;

use crate::error::OpenError;

/// Larger files are refused: no model comes near, and `/dev/zero` never ends.
const MAX_BYTES: u64 = 1 << 30;

/// All bytes of a file.
///
/// # Errors
/// If it cannot be read or is larger than [`MAX_BYTES`].
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, OpenError> {
    let bytes = std::fs::File::open(path).and_then(all);
    bytes.map_err(|source| OpenError::Read { path: path.into(), source })
}

/// All bytes of the standard input.
///
/// # Errors
/// As [`read_file`].
pub(crate) fn read_stdin() -> Result<Vec<u8>, OpenError> {
    let path = Path::new("standard input");
    all(io::stdin().lock()).map_err(|source| OpenError::Read { path: path.into(), source })
}

fn all(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let limit = MAX_BYTES >> 20;
        return Err(io::Error::other(format!("it is larger than {limit} MiB, no model is")));
    }
    Ok(bytes)
}
