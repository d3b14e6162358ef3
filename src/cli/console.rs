//! What the command says to people: lines on stderr that begin with `polyset: `.

use std::io::Write;
use std::path::Path;

/// Warnings about one file that are printed in full; `polyset info` prints all of them.
const SHOWN_WARNINGS: usize = 8;

/// One message. A stderr that is closed is no reason to fail.
pub(crate) fn plain(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "polyset: {}", printable(message));
}

/// Names in files may hold anything; a terminal must not obey it.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// A table without the prefix.
pub(crate) fn table(text: &str) {
    let _ = write!(std::io::stderr().lock(), "{text}");
}

/// An error and its causes on one line. A cause that the error before it has told already is not
/// told again.
pub(crate) fn error(error: &anyhow::Error) {
    let mut told = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if told.is_empty() {
            told = cause;
        } else if !told.ends_with(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    plain(&told);
}

/// A defect that did not stop the work.
pub(crate) fn warning(message: impl std::fmt::Display) {
    plain(&format!("warning: {message}"));
}

/// What is odd about a model's textures.
pub(crate) fn texture_warnings(file: &Path, warnings: &[String]) {
    for text in warnings {
        warning(format_args!("{}: {text}", file.display()));
    }
}

/// The warnings of a model file, the first few of them.
pub(crate) fn model_warnings(file: &Path, warnings: &[polyset::Warning]) {
    let file = file.display();
    for found in warnings.iter().take(SHOWN_WARNINGS) {
        warning(format_args!("{file}: {found}"));
    }
    if let Some(more @ 1..) = warnings.len().checked_sub(SHOWN_WARNINGS) {
        warning(format_args!("{file}: {more} more; 'polyset info' lists all of them"));
    }
}
