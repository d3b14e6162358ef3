//! A bounds-checked little-endian cursor over a file.
//!
//! Counts are never trusted: [`Reader::records`] proves that the file holds `count` records before
//! anything is allocated for them.

use crate::error::LoadError;

/// A shared file, so that packed keyframes can stay where the file has them.
pub(crate) type FileBytes = std::sync::Arc<Vec<u8>>;

/// Reads forward through a slice of a file and knows the offset for error messages.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    data: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data, offset: 0 }
    }

    /// A reader at `offset` of the same file; `part` names what stands there.
    pub(crate) fn at(data: &'a [u8], offset: u64, part: &str) -> Result<Self, LoadError> {
        match usize::try_from(offset) {
            Ok(offset) if offset <= data.len() => Ok(Self { data, offset }),
            _ => Err(LoadError::malformed(
                part,
                crate::error::Place::File,
                format!(
                    "starts at offset {offset}, behind the end of the file ({} bytes)",
                    data.len()
                ),
            )),
        }
    }

    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    pub(crate) fn remaining(&self) -> usize {
        self.data.len() - self.offset
    }

    /// The next `count` bytes.
    pub(crate) fn bytes(&mut self, count: u64, part: &str) -> Result<&'a [u8], LoadError> {
        match usize::try_from(count) {
            Ok(len) if len <= self.remaining() => {
                let slice = &self.data[self.offset..self.offset + len];
                self.offset += len;
                Ok(slice)
            }
            _ => Err(LoadError::truncated(part, self.offset, count, self.remaining())),
        }
    }

    /// The next `count` records of `size` bytes each, as one slice.
    pub(crate) fn records(
        &mut self,
        count: u64,
        size: u64,
        part: &str,
    ) -> Result<&'a [u8], LoadError> {
        self.bytes(count.saturating_mul(size), part)
    }

    pub(crate) fn array<const N: usize>(&mut self, part: &str) -> Result<[u8; N], LoadError> {
        let bytes = self.bytes(N as u64, part)?;
        Ok(std::array::from_fn(|i| bytes[i]))
    }

    pub(crate) fn i32(&mut self, part: &str) -> Result<i32, LoadError> {
        Ok(i32::from_le_bytes(self.array(part)?))
    }

    pub(crate) fn f32(&mut self, part: &str) -> Result<f32, LoadError> {
        Ok(f32::from_le_bytes(self.array(part)?))
    }

    pub(crate) fn vec3(&mut self, part: &str) -> Result<[f32; 3], LoadError> {
        Ok([self.f32(part)?, self.f32(part)?, self.f32(part)?])
    }

    /// A NUL-padded name of `N` bytes: cut at the first NUL or at the end, other encodings kept lossily.
    pub(crate) fn name<const N: usize>(&mut self, part: &str) -> Result<String, LoadError> {
        Ok(name(&self.array::<N>(part)?))
    }
}

/// A NUL-padded name: cut at the first NUL, invalid UTF-8 replaced.
pub(crate) fn name(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The little-endian `i16` at `offset`; the caller has proved that it is inside.
pub(crate) fn i16_at(data: &[u8], offset: usize) -> i16 {
    i16::from_le_bytes([data[offset], data[offset + 1]])
}

/// The little-endian `i32` at `offset`; the caller has proved that it is inside.
pub(crate) fn i32_at(data: &[u8], offset: usize) -> i32 {
    i32::from_le_bytes([data[offset], data[offset + 1], data[offset + 2], data[offset + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LoadErrorKind;

    #[test]
    fn reads_little_endian_in_order() {
        let mut r = Reader::new(&[1, 0, 0, 0, 0, 0, 0x80, 0x3f, b'a', 0, b'x', b'x']);
        assert_eq!(r.i32("n").unwrap(), 1);
        assert_eq!(r.f32("x").unwrap(), 1.0);
        assert_eq!(r.name::<4>("name").unwrap(), "a");
        assert_eq!(r.remaining(), 0);
    }

    #[test]
    fn a_count_larger_than_the_file_is_refused_before_allocating() {
        let error = Reader::new(&[0; 8]).records(u64::MAX, 12, "triangles").unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Truncated);
        assert!(error.to_string().contains("triangles"), "{error}");
    }
}
