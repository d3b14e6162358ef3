//! What an output must not replace, and names that promise what it is not.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::output;

/// What a PNG begins with.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// # Errors
/// If an output is one of the files that were read.
pub(crate) fn refuse_what_was_read(what: &str, output: &Path, read: &[PathBuf]) -> Result<()> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(place) = real(output) else { return Ok(()) };
    if let Some(lost) = read.iter().find(|read| real(read).as_ref() == Some(&place)) {
        let (path, lost) = (output.display(), lost.display());
        bail!("{what} would overwrite '{lost}', which was read; '{path}' is the same file");
    }
    Ok(())
}

/// # Errors
/// If there is a file that is no `what`: whose first bytes, as many as `head`, `is_one` says no to. Empty
/// files are nothing. `another` is what would be given instead: a name, a folder.
pub(crate) fn refuse_unless(
    path: &Path,
    head: usize,
    is_one: impl Fn(&[u8]) -> bool,
    [what, another]: [&str; 2],
) -> Result<()> {
    let head = output::head(path, head);
    ensure!(
        head.is_empty() || is_one(&head),
        "'{}' exists and is no {what}; give another {another}, or --force to replace it",
        path.display()
    );
    Ok(())
}

/// # Errors
/// If the file is there and no PNG picture.
pub(crate) fn refuse_no_picture(path: &Path) -> Result<()> {
    refuse_unless(path, PNG.len(), |head| head == PNG, ["PNG picture", "name"])
}

/// # Errors
/// If the name promises a picture which a PNG is not.
pub(crate) fn refuse_other_formats(path: &Path) -> Result<()> {
    const OTHERS: [&str; 11] =
        ["jpg", "jpeg", "gif", "bmp", "tga", "webp", "tif", "tiff", "pcx", "dds", "lmp"];
    let extension = path.extension().unwrap_or_default();
    let is_other = OTHERS.iter().any(|other| extension.eq_ignore_ascii_case(other));
    ensure!(!is_other, "'{}': polyset writes PNG; call it .png", path.display());
    Ok(())
}
