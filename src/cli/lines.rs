//! Lines of text for people.

use polyset::info::WarningInfo;

use super::console;

/// Adds a line. Names in files cannot look like lines of ours.
pub(super) fn line(text: &mut String, content: &str) {
    text.push_str(&console::printable(content));
    text.push('\n');
}

/// Where in its file a warning stands, to be put behind the part; nothing for the file as a whole.
pub(super) fn place_of(warning: &WarningInfo) -> String {
    match (warning.offset, warning.line) {
        (Some(offset), _) => format!(" (offset {offset})"),
        (_, Some(line)) => format!(" (line {line})"),
        _ => String::new(),
    }
}
