//! What the loaders share: counts, names, finite numbers, warnings counted.

use crate::bytes::{Reader, name};
use crate::error::{LoadError, LoadErrorKind, Place, Warning};

/// A defect that may occur thousands of times and becomes one warning.
#[derive(Debug, Default)]
pub(super) struct Tally {
    count: u64,
    first: Option<(Place, String)>,
}

impl Tally {
    /// Counts one more; `found` says what was found, for the first alone.
    pub(super) fn add(&mut self, offset: usize, found: impl FnOnce() -> String) {
        self.add_at(Place::Offset(offset), found);
    }

    /// [`Tally::add`] in a text.
    pub(super) fn add_at(&mut self, place: Place, found: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(|| (place, found()));
    }

    /// One warning for all that was counted; `remedy` says what polyset does about it.
    pub(super) fn report(self, part: &str, remedy: &str, warnings: &mut Vec<Warning>) {
        let Some((place, found)) = self.first else { return };
        let others = match self.count - 1 {
            0 => String::new(),
            1 => " (and once more)".into(),
            n => format!(" (and {n} times more)"),
        };
        let message = format!("{found}{others}; {remedy}");
        warnings.push(Warning::new(place, part, message));
    }
}

/// A header field that counts things.
pub(super) fn count(reader: &mut Reader<'_>, field: &str) -> Result<u32, LoadError> {
    let offset = reader.offset();
    let value = reader.i32("header")?;
    u32::try_from(value).map_err(|_| {
        let message = format!("{field} is {value}, expected a count of 0 or more");
        LoadError::malformed("header", Place::Offset(offset), message)
    })
}

/// The header's version, if it is `wanted`.
pub(super) fn version(
    reader: &mut Reader<'_>,
    format: &str,
    wanted: std::ops::RangeInclusive<i32>,
    hint: &str,
) -> Result<i32, LoadError> {
    let offset = reader.offset();
    let version = reader.i32("header")?;
    if wanted.contains(&version) {
        return Ok(version);
    }
    let (first, last) = (wanted.start(), wanted.end());
    let wanted = if first == last { first.to_string() } else { format!("{first} to {last}") };
    let message = format!("{format} version {version}{hint}; polyset reads version {wanted}");
    let kind = LoadErrorKind::UnsupportedVersion;
    Err(LoadError::new(kind, Place::Offset(offset), "header", message))
}

/// A name field of `N` bytes; one without the NUL that should end it is counted.
pub(super) fn text<const N: usize>(
    reader: &mut Reader<'_>,
    part: &str,
    unterminated: &mut Tally,
) -> Result<String, LoadError> {
    let offset = reader.offset();
    let bytes = reader.array::<N>(part)?;
    let text = name(&bytes);
    if !bytes.contains(&0) {
        unterminated.add(offset, || format!("the name '{text}' fills its {N} bytes without a NUL"));
    }
    Ok(text)
}

/// Three floats; those that are not finite are counted and read as 0.
pub(super) fn finite3(
    reader: &mut Reader<'_>,
    part: &str,
    broken: &mut Tally,
) -> Result<[f32; 3], LoadError> {
    let offset = reader.offset();
    let mut vector = reader.vec3(part)?;
    for (i, value) in vector.iter_mut().enumerate() {
        *value = finite(*value, offset + 4 * i, part, broken);
    }
    Ok(vector)
}

/// `value`, or 0 if it is no finite number, which is counted.
pub(super) fn finite(value: f32, offset: usize, part: &str, broken: &mut Tally) -> f32 {
    if value.is_finite() {
        return value;
    }
    broken.add(offset, || format!("{part} holds {value}, expected a finite number"));
    0.0
}

/// Warns if the header's end-of-file field is not the length of the file.
pub(super) fn check_end(field: i32, offset: usize, length: usize, warnings: &mut Vec<Warning>) {
    if usize::try_from(field) != Ok(length) {
        let message = format!("says that the file ends at {field}, it has {length} bytes; ignored");
        warnings.push(Warning::new(Place::Offset(offset), "header", message));
    }
}

/// The little-endian `f32` of 4 bytes.
pub(super) fn f32_of(bytes: &[u8]) -> f32 {
    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
