//! How much of a file is read at most: nothing that is asked for comes near, and `/dev/zero` never ends.

use std::io::{self, Read};

/// Bytes that are asked for at first.
const FIRST_READ: u64 = 64 << 10;

/// The most bytes of a kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    what: &'static str,
    bytes: u64,
}

impl Limit {
    /// A model or an animation.
    pub(crate) const MODEL: Self = Self { what: "a model may have", bytes: 256 << 20 };
    /// A `.skin` file.
    pub(crate) const SKIN_FILE: Self = Self { what: "a .skin file may have", bytes: 1 << 20 };
    /// A player's `animation.cfg`.
    pub(crate) const ANIMATION_CFG: Self = Self { what: "a .cfg may have", bytes: 1 << 20 };
    /// A shader script or a file of materials.
    pub(crate) const SCRIPT: Self = Self { what: "a script may have", bytes: 4 << 20 };
    /// A palette, which may be a picture, or a colormap.
    pub(crate) const PALETTE: Self = Self { what: "a palette may have", bytes: 16 << 20 };

    /// A picture that may take `budget` bytes when it is decoded: a file that is larger than its
    /// pixels has something else in it.
    pub(crate) fn picture(budget: u64) -> Self {
        Self {
            what: "a picture may still have (--max-memory)",
            bytes: budget.saturating_add(1 << 20),
        }
    }

    /// # Errors
    /// If so many bytes are too many.
    pub(crate) fn check(self, bytes: u64) -> io::Result<()> {
        if bytes <= self.bytes {
            return Ok(());
        }
        let Self { what, bytes: limit } = self;
        Err(io::Error::other(format!("it has more than the {} MiB that {what}", limit >> 20)))
    }

    /// All bytes of a source that is likely to have so many.
    ///
    /// # Errors
    /// If it cannot be read or has too many.
    pub(crate) fn read_about(self, mut source: impl Read, length: u64) -> io::Result<Vec<u8>> {
        // Room for one more: the read that finds the end needs it.
        let mut bytes = Vec::with_capacity(length as usize + 1);
        source.by_ref().take(length + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= length {
            return Ok(bytes);
        }
        // It has grown since its length was asked for.
        let rest = Self { bytes: self.bytes - length - 1, ..self }.read(source);
        bytes.extend(rest.map_err(|error| self.check(self.bytes + 1).err().unwrap_or(error))?);
        Ok(bytes)
    }

    /// All bytes of a source.
    ///
    /// # Errors
    /// If it cannot be read or has too many.
    pub(crate) fn read(self, mut source: impl Read) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            // Never room for more than one byte too many, and no small step at the end: a buffer that
            // doubles by itself would take up to three times the limit.
            let (length, room) = (bytes.len() as u64, self.bytes + 1 - bytes.len() as u64);
            let chunk = if room <= 2 * length { room } else { length.max(FIRST_READ).min(room) };
            bytes.reserve_exact(chunk as usize);
            let read = source.by_ref().take(chunk).read_to_end(&mut bytes)?;
            self.check(bytes.len() as u64)?;
            if (read as u64) < chunk {
                return Ok(bytes);
            }
        }
    }
}
