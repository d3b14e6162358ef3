//! What is missing, guessed or odd about the model that is shown, in words.

use super::viewer::printable;
use crate::assets::{Origin, TextureEntry};
use crate::scene::Opened;

/// Textures that are told without being asked for.
const BRIEF: usize = 3;
/// Warnings that are told at once.
const ALL: usize = 24;

/// How much is shown over the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Textures that are missing or guessed, and how many warnings there are.
    #[default]
    Brief,
    /// Every warning.
    All,
    Nothing,
}

impl Detail {
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Brief => Self::All,
            Self::All => Self::Nothing,
            Self::Nothing => Self::Brief,
        }
    }
}

/// What there is to tell of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notices {
    /// Missing and guessed textures, each with what is worn instead.
    textures: Vec<String>,
    warnings: Vec<String>,
}

impl Notices {
    /// `others` are warnings of the window itself.
    pub(crate) fn of(opened: &Opened, others: impl IntoIterator<Item = String>) -> Self {
        let mut notices = Self::default();
        notices.warnings.extend(opened.warnings.iter().cloned());
        for (name, member) in opened.members() {
            let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
            let textures = member.textures.textures.iter().filter_map(missing_or_guessed);
            for texture in textures.map(|texture| printable(&format!("{name}{texture}"))) {
                if !notices.textures.contains(&texture) {
                    notices.textures.push(texture);
                }
            }
            let of_file = member.model.warnings().iter().map(ToString::to_string);
            let of_textures = member.textures.warnings.iter().cloned();
            notices.warnings.extend(of_file.chain(of_textures).map(|text| format!("{name}{text}")));
        }
        notices.warnings.extend(others);
        notices.warnings.iter_mut().for_each(|text| *text = printable(text));
        notices
    }

    /// The lines over the picture.
    pub(crate) fn lines(&self, detail: Detail) -> Vec<String> {
        let count = self.warnings.len();
        match detail {
            Detail::Nothing => Vec::new(),
            Detail::Brief => {
                let mut lines = first(&self.textures, BRIEF);
                match count {
                    0 => {}
                    1 => lines.push("1 warning (Shift+M)".into()),
                    _ => lines.push(format!("{count} warnings (Shift+M)")),
                }
                lines
            }
            Detail::All if count == 0 => vec!["no warnings".into()],
            Detail::All => first(&self.warnings, ALL),
        }
    }
}

/// The first of some lines, and how many there are more.
fn first(lines: &[String], count: usize) -> Vec<String> {
    let more = lines.len().saturating_sub(count);
    let more = (more > 0).then(|| format!("and {more} more"));
    lines.iter().take(count).cloned().chain(more).collect()
}

/// The names of a texture and what a surface without it wears.
fn missing_or_guessed(entry: &TextureEntry) -> Option<String> {
    if entry.hidden || entry.script.is_some() {
        return None;
    }
    let wanted = match entry.wanted.as_slice() {
        [] => "no texture is named".to_owned(),
        names if !entry.refused.is_empty() => format!("'{}' cannot be taken", names.join("', '")),
        names => format!("'{}' not found in {} places", names.join("', '"), entry.looked.len()),
    };
    match (entry.origin, &entry.found) {
        (None, _) => Some(format!("{wanted}: grey")),
        (Some(Origin::Guessed), Some(file)) if !entry.wanted.is_empty() => {
            Some(format!("{wanted}: guessed '{}'", file.file_name().display()))
        }
        _ => None,
    }
}

/// What a model of one file really wears; `None` if nothing tells more than the skin's own name.
pub(crate) fn worn(opened: &Opened) -> Option<String> {
    if !opened.parts.is_empty() {
        return None;
    }
    let name = |file: &crate::location::Location| file.file_name().to_string_lossy().into_owned();
    if let Some(file) = &opened.textures.skin_file {
        return Some(printable(&name(file)));
    }
    let entries = || opened.textures.textures.iter().filter(|entry| !entry.hidden);
    let first = entries().next()?;
    if entries().any(|entry| (&entry.found, entry.origin) != (&first.found, first.origin)) {
        return None;
    }
    let said = match (&first.found, first.origin) {
        (Some(file), Some(Origin::Guessed)) => format!("{} (guessed)", name(file)),
        (Some(file), _) => name(file),
        (None, Some(_)) => return None,
        (None, None) if first.script.is_some() => return None,
        (None, None) => match first.wanted.first() {
            Some(wanted) if !first.refused.is_empty() => format!("grey ('{wanted}' not taken)"),
            Some(wanted) => format!("grey ('{wanted}' not found)"),
            None => "grey".into(),
        },
    };
    Some(printable(&said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    /// A model alone in a folder with some files.
    fn opened(model: &str, files: &[(&str, &str)]) -> Opened {
        let folder = tempfile::tempdir().unwrap();
        let source = |name: &str| format!("{}/tests/models/{name}", env!("CARGO_MANIFEST_DIR"));
        let path = folder.path().join(model);
        std::fs::copy(source(model), &path).unwrap();
        for (name, from) in files {
            std::fs::copy(source(from), folder.path().join(name)).unwrap();
        }
        Scene::new(path).open().unwrap()
    }

    #[test]
    fn missing_and_guessed_textures_are_told_with_what_is_worn() {
        type Files = [(&'static str, &'static str)];
        let table: [(&str, &Files, &[&str], Option<&str>); 6] = [
            (
                "bolt.md2",
                &[],
                &["'models/bolt/bolt.pcx' not found in # places: grey", "1 warning (Shift+M)"],
                Some("grey ('models/bolt/bolt.pcx' not found)"),
            ),
            (
                "bolt.md2",
                &[("other.tga", "bolt.tga")],
                &[
                    "'models/bolt/bolt.pcx' not found in # places: guessed 'other.tga'",
                    "1 warning (Shift+M)",
                ],
                Some("other.tga (guessed)"),
            ),
            ("bolt.md2", &[("BOLT.pcx", "bolt.pcx")], &[], Some("BOLT.pcx")),
            (
                "bolt.md2",
                &[("bolt.pcx", "bolt.mdl")],
                &["'models/bolt/bolt.pcx' cannot be taken: grey", "2 warnings (Shift+M)"],
                Some("grey ('models/bolt/bolt.pcx' not taken)"),
            ),
            ("bolt.mdl", &[], &[], None),
            (
                "bolt.md3",
                &[("bolt_default.skin", "bolt.skin"), ("bolt_paint.png", "bolt_paint.png")],
                &[],
                Some("bolt_default.skin"),
            ),
        ];
        for (model, files, lines, name) in table {
            let opened = opened(model, files);
            let notices = Notices::of(&opened, []);
            let places = opened.textures.textures[0].looked.len().to_string();
            let lines: Vec<String> = lines.iter().map(|line| line.replace('#', &places)).collect();
            assert_eq!(notices.lines(Detail::Brief), lines, "{model} {files:?}");
            assert_eq!(worn(&opened).as_deref(), name, "{model} {files:?}");
            assert_eq!(notices.lines(Detail::Nothing).len(), 0);
            let all = notices.lines(Detail::All);
            let has_warnings = lines.iter().any(|line| line.contains("Shift+M"));
            assert_eq!(all == ["no warnings"], !has_warnings, "{all:?}");
        }
    }

    #[test]
    fn long_lists_say_how_much_is_left_and_names_are_one_line() {
        let many = |count: usize| (0..count).map(|number| number.to_string()).collect();
        let notices = Notices { textures: many(5), warnings: many(30) };
        let brief = notices.lines(Detail::Brief);
        assert_eq!(brief, ["0", "1", "2", "and 2 more", "30 warnings (Shift+M)"]);
        assert_eq!(notices.lines(Detail::All).last().unwrap(), "and 6 more");
        let notices = Notices::of(&opened("bolt.mdl", &[]), ["a\tb".to_owned()]);
        assert_eq!(notices.lines(Detail::All), ["a\u{fffd}b"]);
    }
}
