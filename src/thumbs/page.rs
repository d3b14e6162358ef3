//! A page that shows and searches a folder of thumbnails: one file without anything from elsewhere, beside
//! the pictures that it shows.

use std::path::Path;

use serde::Serialize;

use super::manifest::{Line, Worn};
use super::run::ThumbsError;
use crate::output::write_file;

/// The page without what it shows.
const PAGE: &str = include_str!("page.html");
/// What stands in a page for the title and for the data.
const TITLE: &str = "@TITLE@";
const DATA: &str = "@DATA@";
/// What every such page begins with: only such a file is replaced.
const MARK: &str = "<!doctype html>\n<!-- polyset sheet -->\n";

/// A picture as the page knows it: short names, there are thousands.
#[derive(Serialize)]
struct Card<'a> {
    /// The model.
    input: &'a str,
    /// The picture below the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a str>,
    /// Skin, clip, frame.
    which: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// Surfaces in grey, and in a texture that was guessed.
    missing: usize,
    guessed: usize,
}

impl<'a> Card<'a> {
    fn of(line: &'a Line) -> Self {
        let frame = line.frame.map(|frame| format!("frame {frame}"));
        let parts = [line.skin.clone(), line.clip.clone(), frame];
        let count =
            |is_it: fn(&Worn) -> bool| line.textures.iter().filter(|worn| is_it(worn)).count();
        Self {
            input: &line.input,
            output: line.output.as_deref(),
            which: parts.into_iter().flatten().collect::<Vec<_>>().join(" \u{b7} "),
            warnings: &line.warnings,
            error: line.error.as_deref(),
            missing: count(|worn| worn.origin.is_none()),
            guessed: count(|worn| worn.origin.as_deref() == Some("guessed")),
        }
    }
}

/// Writes `index.html` into a folder, for the pictures of these lines, which lie there.
///
/// # Errors
/// If there is another file of that name, unless `force`, or it cannot be written.
pub fn write_page(
    folder: &Path,
    title: &str,
    lines: &[Line],
    force: bool,
) -> Result<(), ThumbsError> {
    let path = folder.join("index.html");
    let is_foreign = std::fs::read(&path)
        .is_ok_and(|page| !page.is_empty() && !page.starts_with(MARK.as_bytes()));
    if is_foreign && !force {
        let message =
            format!("'{}' is there and is no page of polyset; --force replaces it", path.display());
        return Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, message).into());
    }
    Ok(write_file(&path, |out| out.write_all(page(title, lines)?.as_bytes()))?)
}

fn page(title: &str, lines: &[Line]) -> std::io::Result<String> {
    let cards: Vec<Card<'_>> = lines.iter().map(Card::of).collect();
    filled(PAGE, title, &cards)
}

/// A page with its title and its data, whatever is in them.
pub(crate) fn filled(page: &str, title: &str, data: &impl Serialize) -> std::io::Result<String> {
    // Nothing in a name may end the script that it stands in.
    let data = serde_json::to_string(data)?.replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    Ok(page.replace(TITLE, &title).replace(DATA, &data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_becomes_a_part_of_the_page() {
        let input = "</script><b>\u{2028}\".mdl".to_owned();
        let line = Line { input, error: Some("<!--".into()), ..Line::default() };
        let page = page("<i>&\"", &[line]).unwrap();
        assert!(page.starts_with(MARK));
        assert!(page.contains("&lt;i>&amp;&quot;"));
        assert!(!page.contains("<i>") && !page.contains("</script><b>"), "{page}");
        assert_eq!(page.matches("<!--").count(), 1);
    }
}
