//! Zip, as PK3 and PK4 the archives of Quake III and Doom 3: members stored or deflated.

use std::fs::File;
use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use rawzip::{
    CompressionMethod, ErrorKind, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder,
};

use super::archive::{Data, Directory, invalid};
use super::limit::Limit;

/// Where a member is, and how it is packed.
#[derive(Debug)]
pub(super) struct Entry {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
    /// Bytes when it is unpacked, as the directory says.
    size: u64,
}

/// # Errors
/// If there is no directory, or it ends in the middle of an entry.
pub(super) fn read_directory(file: File, directory: &mut Directory) -> io::Result<()> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer).map_err(broken)?;
    let expected = archive.entries_hint();
    let mut found = 0;
    let mut entries = archive.entries(&mut buffer);
    while let Some(header) = entries.next_entry().map_err(broken)? {
        found += 1;
        let entry = Entry {
            place: header.wayfinder(),
            method: header.compression_method(),
            is_encrypted: header.flags().is_encrypted(),
            size: header.uncompressed_size_hint(),
        };
        directory.add(header.file_path().as_bytes(), Data::Zip(entry))?;
    }
    if found != expected {
        directory.warn(format!("the directory says {expected} members and lists {found}"));
    }
    Ok(())
}

/// # Errors
/// If the member is packed in a way that games do not use, is too large, is larger or smaller than the
/// directory says, or has another checksum.
pub(super) fn read(file: File, entry: &Entry, limit: Limit) -> io::Result<Vec<u8>> {
    if entry.is_encrypted {
        return Err(invalid("it is encrypted".into()));
    }
    limit.check(entry.size)?;
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer).map_err(broken)?;
    let member = archive.get_entry(entry.place).map_err(broken)?;
    match entry.method {
        CompressionMethod::STORE => unpack(entry, limit, member.verifying_reader(member.reader())),
        CompressionMethod::DEFLATE => {
            let unpacked = DeflateDecoder::new(member.reader());
            unpack(entry, limit, member.verifying_reader(unpacked))
        }
        other => {
            let name = other.name().unwrap_or("an unknown method");
            Err(invalid(format!("it is packed with {name}; games store or deflate")))
        }
    }
}

/// The reader beneath checks size and sum when it has given as many bytes as the directory says.
fn unpack(entry: &Entry, limit: Limit, source: impl Read) -> io::Result<Vec<u8>> {
    let bytes = limit.read(source.take(entry.size.saturating_add(1)));
    bytes.map_err(|error| invalid(format!("it cannot be unpacked: {error}")))
}

fn broken(error: rawzip::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::Eof => invalid("zip: it ends before what its directory promises".into()),
        ErrorKind::IO(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            broken(ErrorKind::Eof.into())
        }
        ErrorKind::IO(error) => error,
        kind => invalid(format!("zip: {}", rawzip::Error::from(kind))),
    }
}
