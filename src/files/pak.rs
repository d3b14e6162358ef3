//! PAK, the archives of Quake and Quake II: members stored as they are, and a directory of names.
//!
//! `PACK`, the directory's place and length, 32 bits each; an entry has a name of 56 bytes, its place
//! and length.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::archive::{Data, Directory, invalid};
use super::limit::Limit;

/// Bytes of the header.
const HEADER: usize = 12;
/// Bytes of an entry of the directory.
const ENTRY: usize = 64;
/// Bytes of its name.
const NAME: usize = 56;

/// Where a member is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    offset: u32,
    length: u32,
}

/// # Errors
/// If the directory is not inside the file. That a member is not is found out when it is read.
pub(super) fn read_directory(file: &mut File, directory: &mut Directory) -> io::Result<()> {
    let size = file.metadata()?.len();
    let mut header = [0; HEADER];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut header)
        .map_err(|_| invalid(format!("PAK: the header has {HEADER} bytes, the file {size}")))?;
    let (offset, length) = (word(&header, 4), word(&header, 8));
    if u64::from(offset) + u64::from(length) > size {
        return Err(invalid(format!(
            "PAK: the directory is {length} bytes at offset {offset}, the file has {size}"
        )));
    }
    if !(length as usize).is_multiple_of(ENTRY) {
        directory.warn(format!(
            "the directory has {length} bytes, which is no multiple of {ENTRY}: its end is left out"
        ));
    }
    file.seek(SeekFrom::Start(offset.into()))?;
    let mut entries = io::BufReader::new(file.take(length.into()));
    for _ in 0..length as usize / ENTRY {
        let mut entry = [0; ENTRY];
        entries.read_exact(&mut entry)?;
        let name = entry[..NAME].split(|&byte| byte == 0).next().unwrap_or_default();
        let span = Span { offset: word(&entry, NAME), length: word(&entry, NAME + 4) };
        directory.add(name, Data::Pak(span))?;
    }
    Ok(())
}

/// # Errors
/// If the member is not inside the file, or too large.
pub(super) fn read(mut file: File, span: Span, limit: Limit) -> io::Result<Vec<u8>> {
    let Span { offset, length } = span;
    let size = file.metadata()?.len();
    if u64::from(offset) + u64::from(length) > size {
        return Err(invalid(format!(
            "the archive says {length} bytes at offset {offset}, it has {size} bytes"
        )));
    }
    limit.check(length.into())?;
    file.seek(SeekFrom::Start(offset.into()))?;
    limit.read(file.take(length.into()))
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
