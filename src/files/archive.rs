//! Archives: their directories are read when they are opened, their members when they are asked for.
//!
//! Names are compared without case, `\` is `/`, the first of several members of one name counts. What
//! an archive says about itself is not believed before it has been checked; a member with a name
//! that no game can ask for is left out with a warning.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::limit::Limit;
use super::{pak, zip};

/// More members than any game has in one archive.
const MAX_MEMBERS: usize = 1 << 20;
/// A longer name is no name of a game: Quake has 56 bytes for it, Quake III 64.
const MAX_NAME: usize = 512;
/// A name with more folders neither.
const MAX_PARTS: usize = 32;
/// Members that are told one by one when they are left out.
const MAX_WARNINGS: usize = 8;

/// The directory of an archive.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    /// By lower-case name.
    members: BTreeMap<String, Member>,
    warnings: Vec<String>,
}

/// A file in an archive.
#[derive(Debug)]
pub(crate) struct Member {
    /// The name as the archive spells it, with `/`.
    pub(super) name: String,
    pub(super) data: Data,
}

/// Where a member's bytes are.
#[derive(Debug)]
pub(super) enum Data {
    Pak(pak::Span),
    Zip(zip::Entry),
}

/// The kinds of archives, told by content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pak,
    Zip,
}

/// Collects the members of a directory.
#[derive(Debug, Default)]
pub(super) struct Directory {
    members: BTreeMap<String, Member>,
    /// Entries, those that are left out too.
    entries: usize,
    left_out: usize,
    warnings: Vec<String>,
}

impl Directory {
    /// Adds a member under the name that the archive has for it.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn add(&mut self, name: &[u8], data: Data) -> io::Result<()> {
        self.entries += 1;
        if self.entries > MAX_MEMBERS {
            return Err(invalid(format!("it has more than {MAX_MEMBERS} entries")));
        }
        let name = String::from_utf8_lossy(name).replace('\\', "/");
        if name.is_empty() || name.ends_with('/') {
            return Ok(());
        }
        let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        let has_drive = name.as_bytes().get(1) == Some(&b':');
        let trouble = if name.len() > MAX_NAME || parts.len() > MAX_PARTS {
            Some("its name is too long")
        } else if name.starts_with('/') || has_drive {
            Some("its name is absolute")
        } else if parts.contains(&"..") {
            Some("its name leads out of the archive")
        } else if name.contains('\0') || parts.is_empty() {
            Some("it is no name")
        } else {
            None
        };
        if let Some(trouble) = trouble {
            let shown: String = name.chars().take(64).collect();
            self.leave_out(&shown, trouble);
            return Ok(());
        }
        let name = parts.join("/");
        let key = name.to_lowercase();
        if self.members.contains_key(&key) {
            self.leave_out(&name, "the archive has another one of this name before it");
            return Ok(());
        }
        self.members.insert(key, Member { name, data });
        Ok(())
    }

    /// Notes something that is odd about the directory as a whole.
    pub(super) fn warn(&mut self, text: String) {
        self.warnings.push(text);
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        self.left_out += 1;
        if self.left_out <= MAX_WARNINGS {
            self.warnings.push(format!("member '{name}' is left out: {why}"));
        }
    }
}

impl Archive {
    /// Reads the directory of an archive, not its members.
    ///
    /// # Errors
    /// If the file cannot be read or is no archive whose directory makes sense.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // A pipe would never say anything.
        if !std::fs::metadata(path)?.is_file() {
            return Err(invalid("it is no archive: neither a file nor a folder".into()));
        }
        let mut file = File::open(path)?;
        let kind = kind(&mut file)?.ok_or_else(|| {
            invalid("it is no archive: neither PAK nor zip (PK3, PK4) by its content".into())
        })?;
        let mut directory = Directory::default();
        match kind {
            Kind::Pak => pak::read_directory(&mut file, &mut directory)?,
            Kind::Zip => zip::read_directory(file, &mut directory)?,
        }
        let Directory { members, left_out, mut warnings, .. } = directory;
        if left_out > MAX_WARNINGS {
            warnings.push(format!("{} more members are left out", left_out - MAX_WARNINGS));
        }
        Ok(Self { path: path.into(), members, warnings })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What is odd about the directory.
    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The member of this lower-case name.
    pub(super) fn member(&self, key: &str) -> Option<&Member> {
        self.members.get(key)
    }

    /// All members below a folder, named from there in lower case; `""` is the whole archive.
    pub(super) fn below<'a>(
        &'a self,
        folder: &str,
    ) -> impl Iterator<Item = (&'a str, &'a Member)> + use<'a> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let members = self.members.range(prefix.clone()..);
        members.map_while(move |(key, member)| Some((key.strip_prefix(&prefix)?, member)))
    }

    /// All bytes of a member.
    ///
    /// # Errors
    /// If they are not where the directory says, are not what it says, or are too many.
    pub(super) fn read(&self, member: &Member, limit: Limit) -> io::Result<Vec<u8>> {
        let file = File::open(&self.path)?;
        match &member.data {
            Data::Pak(span) => pak::read(file, *span, limit),
            Data::Zip(entry) => zip::read(file, entry, limit),
        }
    }
}

/// Whether a file is an archive by its first bytes.
pub(super) fn is_archive(path: &Path) -> bool {
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    is_file
        && File::open(path).and_then(|mut file| kind(&mut file)).is_ok_and(|kind| kind.is_some())
}

fn kind(file: &mut File) -> io::Result<Option<Kind>> {
    let mut mark = Vec::new();
    file.take(4).read_to_end(&mut mark)?;
    Ok(match &mark[..] {
        b"PACK" => Some(Kind::Pak),
        // A member, or the end of an archive without any.
        b"PK\x03\x04" | b"PK\x05\x06" => Some(Kind::Zip),
        _ => None,
    })
}

pub(super) fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
