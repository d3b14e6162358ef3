//! What the command says to people: lines on stderr that begin with `polyset: `.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Warnings about one file that are printed in full; `polyset info` prints all of them.
const SHOWN_WARNINGS: usize = 8;

/// Characters of a warning that are printed: names in files may be endless.
const LONGEST: usize = 800;

/// Whether warnings are left out.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves warnings out from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// A message of the argument parser, which may have several lines. A stderr that is closed is no reason
/// to fail.
pub(crate) fn usage(message: &str) {
    let message: Vec<String> = message.lines().map(printable).collect();
    let _ = writeln!(std::io::stderr().lock(), "polyset: {}", message.join("\n"));
}

/// One message on one line.
fn line(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "polyset: {}", printable(message));
}

/// Something that could not be done, while other work goes on.
pub(crate) fn failure(message: &str) {
    line(message);
}

/// How the work is going.
pub(crate) fn note(message: &str) {
    line(message);
}

/// Names in files may hold anything: control characters, and those that turn the direction of writing,
/// are shown escaped, so that no name can look like a line of ours.
pub(crate) fn printable(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// A table without the prefix.
pub(crate) fn table(text: &str) {
    let _ = write!(std::io::stderr().lock(), "{text}");
}

/// An error and its causes on one line. A cause that the error before it has told already is not
/// told again.
pub(crate) fn error(error: &anyhow::Error) {
    let mut told = String::new();
    for cause in error.chain().map(cause) {
        if told.is_empty() {
            told = cause;
        } else if !told.ends_with(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    line(&told);
}

/// A cause in one line. That of a TOML file draws the line that is wrong beside its place and what is wrong.
fn cause(error: &(dyn std::error::Error + 'static)) -> String {
    let Some(toml) = error.downcast_ref::<toml_edit::de::Error>() else { return error.to_string() };
    let text = toml.to_string();
    let place = text.lines().next().and_then(|first| first.strip_prefix("TOML parse error at "));
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    let message: Vec<&str> = toml.message().lines().collect();
    format!("{place}{}", message.join(", "))
}

/// A defect that did not stop the work.
pub(crate) fn warning(message: impl std::fmt::Display) {
    if !QUIET.load(Ordering::Relaxed) {
        let message = message.to_string();
        let end = message.char_indices().nth(LONGEST).map(|(end, _)| end);
        let (shown, more) = end.map_or((&*message, ""), |end| (&message[..end], "…"));
        line(&format!("warning: {shown}{more}"));
    }
}

/// What is odd about a model, the first few of each kind.
pub(crate) fn warnings_of(opened: &polyset::scene::Opened) {
    first_of(&opened.name(), opened.warnings.iter().cloned());
    for (_, member) in opened.members() {
        let file = member.file.as_ref().map_or_else(|| opened.name(), ToString::to_string);
        first_of(&file, member.model.warnings().iter().map(ToString::to_string));
        first_of(&file, member.textures.warnings.iter().cloned());
    }
}

/// One line that says what was decided about surfaces whose textures have an alpha channel.
pub(crate) fn decisions(scene: &polyset::Scene, opened: &polyset::scene::Opened) {
    use polyset::scene::{Decision, RendererKind};
    if QUIET.load(Ordering::Relaxed) || scene.renderer == RendererKind::Classic {
        return;
    }
    let mut said: Vec<String> = Vec::new();
    for drawn in [Decision::CutOut, Decision::Blended, Decision::Opaque] {
        let decisions = opened.members().flat_map(|(_, member)| member.decisions(scene));
        let with_alpha = decisions.filter(|found| found.has_alpha && found.drawn == drawn);
        let mut names: Vec<String> = with_alpha
            .map(|found| match found.name.as_str() {
                "" => format!("surface {}", found.surface),
                name => format!("'{name}'"),
            })
            .collect();
        names.dedup();
        if names.len() > SHOWN_WARNINGS {
            let more = names.len() - SHOWN_WARNINGS;
            names.truncate(SHOWN_WARNINGS);
            names.push(format!("{more} more"));
        }
        if !names.is_empty() {
            said.push(format!("{} {}", drawn.name(), names.join(", ")));
        }
    }
    if !said.is_empty() {
        let said = said.join("; ");
        line(&format!("textures with alpha: {said} (--alpha changes it, 'polyset info' says why)"));
    }
}

fn first_of(file: &dyn std::fmt::Display, warnings: impl ExactSizeIterator<Item = String>) {
    let more = warnings.len().saturating_sub(SHOWN_WARNINGS);
    for text in warnings.take(SHOWN_WARNINGS) {
        warning(format_args!("{file}: {text}"));
    }
    if more > 0 {
        warning(format_args!("{file}: {more} more; 'polyset info' lists all of them"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_look_like_lines_of_ours() {
        let name = "a\npolyset: all is well\r\t\u{202e}gnp.b\u{1b}[2Jé";
        let shown = r"a\npolyset: all is well\r\t\u{202e}gnp.b\u{1b}[2Jé";
        assert_eq!(printable(name), shown);
    }
}
