//! Names of pictures: `{dir}/{model}.png`, filled in with what a picture shows.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use crate::error::RequestError;
use crate::hash::Hash;

/// How pictures are called below the folder that they go into.
///
/// `{dir}` is the folder of the model below its place, `{file}` its name, `{model}` its name without
/// extension, `{ext}` the extension, `{skin}` the number of a skin, `{clip}` the name of a clip,
/// `{frame}` the number of a frame; `{frame:4}` fills numbers up with zeros. `{{` and `}}` stand for
/// braces. The name ends in `.png`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A field and how many digits a number has at least.
    Field(Field, usize),
}

/// What a name can tell of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Dir,
    File,
    Model,
    Ext,
    Skin,
    Clip,
    Frame,
}

const FIELDS: [(&str, Field); 7] = [
    ("dir", Field::Dir),
    ("file", Field::File),
    ("model", Field::Model),
    ("ext", Field::Ext),
    ("skin", Field::Skin),
    ("clip", Field::Clip),
    ("frame", Field::Frame),
];

/// What every name ends in, whatever the case.
const EXTENSION: &str = ".png";
/// Digits that a number can be filled up to.
const MOST_DIGITS: usize = 9;
/// Bytes of a part of a path: systems take 255, and `.polyset-...` and numbers want room.
const LONGEST_PART: usize = 200;

impl FromStr for Template {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        Self::of_any_file(text)?.checked_as_png(text)
    }
}

impl Template {
    /// A template of names with any extension.
    ///
    /// # Errors
    /// If there is a field that does not exist.
    pub fn of_any_file(text: &str) -> Result<Self, RequestError> {
        let wrong = |what: String| RequestError::new(format!("'{text}': {what}"));
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let (brace, behind) = rest[at..].split_at(1);
            if let Some(behind) = behind.strip_prefix(brace) {
                plain.push_str(brace);
                rest = behind;
                continue;
            }
            let inside = behind.split_once('}').filter(|_| brace == "{");
            let Some((inside, behind)) = inside else {
                return Err(wrong(format!("'{brace}' stands alone; '{brace}{brace}' is a brace")));
            };
            let (name, digits) = inside.split_once(':').unwrap_or((inside, "0"));
            let field = FIELDS.iter().find(|(known, _)| *known == name).map(|(_, field)| *field);
            let Some(field) = field else {
                let known = FIELDS.map(|(name, _)| format!("{{{name}}}")).join(", ");
                return Err(wrong(format!("there is no '{{{name}}}'; there are {known}")));
            };
            let digits = digits.parse().ok().filter(|digits| *digits <= MOST_DIGITS);
            let digits = digits.ok_or_else(|| {
                wrong(format!("'{{{inside}}}': expected a number of digits up to {MOST_DIGITS}"))
            })?;
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Field(field, digits));
            rest = behind;
        }
        plain.push_str(rest);
        pieces.push(Piece::Text(plain));
        Ok(Self { pieces })
    }

    /// # Errors
    /// If the name is not that of a PNG.
    fn checked_as_png(self, text: &str) -> Result<Self, RequestError> {
        if self.is_of_png() {
            return Ok(self);
        }
        let why = "polyset writes PNG; let the name end in .png";
        Err(RequestError::new(format!("'{text}': {why}")))
    }

    /// Whether the name ends as that of a PNG.
    #[must_use]
    pub fn is_of_png(&self) -> bool {
        let end = self.pieces.last();
        matches!(end, Some(Piece::Text(end)) if end.to_lowercase().ends_with(EXTENSION))
    }

    /// The path, below the folder, of the picture of a frame or of the animation of a clip. Fields of
    /// thumbnails stay as they are.
    #[must_use]
    pub fn of_clip(&self, model: &str, clip: &str, frame: Option<usize>) -> PathBuf {
        let filled = self.with(|field| match field {
            Field::Model => Some(as_part(model)),
            Field::Clip => Some(as_part(clip)),
            Field::Frame => frame.map(|frame| frame.to_string()),
            _ => None,
        });
        filled.path()
    }

    /// Whether pictures of several frames, and animations of several clips, are called differently.
    #[must_use]
    pub fn tells(&self) -> [bool; 2] {
        [self.has(Field::Frame), self.has(Field::Clip)]
    }

    pub(crate) fn has(&self, wanted: Field) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Field(field, _) if *field == wanted))
    }

    /// The template with the fields filled in that `value` knows.
    pub(crate) fn with(&self, value: impl Fn(Field) -> Option<String>) -> Self {
        let filled = |piece: &Piece| match *piece {
            Piece::Field(field, digits) => match value(field) {
                Some(value) if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                    Piece::Text(format!("{value:0>digits$}"))
                }
                Some(value) => Piece::Text(value),
                None => piece.clone(),
            },
            Piece::Text(_) => piece.clone(),
        };
        Self { pieces: self.pieces.iter().map(filled).collect() }
    }

    /// The template as it is read: braces that are no field's are doubled.
    pub(crate) fn notation(&self) -> String {
        let written = |piece: &Piece| match piece {
            Piece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
            field @ Piece::Field(..) => field.to_string(),
        };
        self.pieces.iter().map(written).collect()
    }

    /// The same with a number before `.png`.
    pub(crate) fn numbered(&self, number: u32) -> Self {
        let mut numbered = self.clone();
        if let Some(Piece::Text(end)) = numbered.pieces.last_mut() {
            end.insert_str(end.len() - EXTENSION.len(), &format!("-{number}"));
        }
        numbered
    }

    /// The path below the folder; a field that is not filled in stays as the template has it.
    pub(crate) fn path(&self) -> PathBuf {
        as_path(&self.to_string())
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| piece.fmt(f))
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Field(field, digits) => {
                let (name, _) =
                    FIELDS.iter().find(|(_, known)| known == field).unwrap_or(&FIELDS[0]);
                match digits {
                    0 => write!(f, "{{{name}}}"),
                    _ => write!(f, "{{{name}:{digits}}}"),
                }
            }
        }
    }
}

/// A text as one part of a path: nothing in it leads elsewhere.
pub(crate) fn as_part(text: &str) -> String {
    let is_bad = |c: char| c.is_control() || "/\\<>:\"|?*".contains(c);
    let mut part: String = text.chars().map(|c| if is_bad(c) { '_' } else { c }).collect();
    if part.chars().all(|c| c == '.') {
        part = "_".repeat(part.len());
    }
    if part.len() > LONGEST_PART {
        // What is cut off still tells names apart.
        let hash = Hash::new().bytes(part.as_bytes());
        let (stem, extension) = match part.rsplit_once('.') {
            Some((stem, extension)) if extension.len() < 16 => (stem, format!(".{extension}")),
            _ => (&*part, String::new()),
        };
        let mut end = LONGEST_PART - 34;
        while !stem.is_char_boundary(end) {
            end -= 1;
        }
        part = format!("{}~{hash:016x}{extension}", &stem[..end]);
    }
    part
}

/// A name with folders as a path below a folder: without what leads out of it.
pub(crate) fn as_path(name: &str) -> PathBuf {
    let parts = name.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
    parts.map(as_part).collect()
}

/// The folder and the template that a path with fields stands for: `out/{dir}/{model}.png` is `out` and
/// the rest. Without a field the whole path is the folder.
///
/// # Errors
/// If there is a field that does not exist, or the name does not end in `.png`.
pub fn split(path: &Path) -> Result<(PathBuf, Option<Template>), RequestError> {
    let (folder, template) = split_any(path)?;
    let template =
        template.map(|template| template.checked_as_png(&path.to_string_lossy())).transpose()?;
    Ok((folder, template))
}

/// [`split`] for names with any extension.
///
/// # Errors
/// If there is a field that does not exist.
pub fn split_any(path: &Path) -> Result<(PathBuf, Option<Template>), RequestError> {
    let has_brace = |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['{', '}']);
    let mut parts = path.components().peekable();
    let mut folder = PathBuf::new();
    while let Some(part) = parts.next_if(|part| !has_brace(part)) {
        folder.push(part);
    }
    let rest: PathBuf = parts.collect();
    if rest.as_os_str().is_empty() {
        return Ok((folder, None));
    }
    if folder.as_os_str().is_empty() {
        folder.push(".");
    }
    let rest = rest.to_string_lossy().replace('\\', "/");
    Ok((folder, Some(Template::of_any_file(&rest)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str) -> String {
        let template: Template = template.parse().unwrap();
        let filled = template.with(|field| match field {
            Field::Dir => Some("progs/big".into()),
            Field::File => Some("ogre.mdl".into()),
            Field::Model => Some("ogre".into()),
            Field::Ext => Some("mdl".into()),
            Field::Frame => Some("7".into()),
            Field::Skin | Field::Clip => None,
        });
        filled.numbered(2).path().to_string_lossy().replace("-2.", ".")
    }

    #[test]
    fn fields_are_filled_in() {
        for (template, expected) in [
            ("{dir}/{file}.png", "progs/big/ogre.mdl.png"),
            ("{model}_{frame:4}.PNG", "ogre_0007.PNG"),
            ("{model}_{frame}{ext}.png", "ogre_7mdl.png"),
            ("{{{model}}}.png", "{ogre}.png"),
            ("{model}-{skin:2}-{clip}.png", "ogre-{skin_2}-{clip}.png"),
        ] {
            assert_eq!(filled(template), expected, "{template}");
        }
    }

    #[test]
    fn what_is_no_template_says_why() {
        for (template, why) in [
            ("{modell}.png", "there is no '{modell}'; there are {dir}, {file}, {model}"),
            ("{model.png", "'{' stands alone"),
            ("model}.png", "'}' stands alone"),
            ("{frame:99}.png", "expected a number of digits up to 9"),
            ("{frame:x}.png", "expected a number of digits"),
            ("{model}", "let the name end in .png"),
            ("{model}.jpg", "let the name end in .png"),
        ] {
            let error = template.parse::<Template>().unwrap_err().to_string();
            assert!(error.contains(why), "{template}: {error}");
        }
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        for (name, path) in [
            ("progs/ogre.png", "progs/ogre.png"),
            ("/etc/../../ogre.png", "etc/__/__/ogre.png"),
            ("a\\b/./c.png", "a/b/c.png"),
            ("a:b\n*.png", "a_b__.png"),
            (".../x.png", "___/x.png"),
        ] {
            assert_eq!(as_path(name), Path::new(path), "{name}");
        }
        let long = |c: &str| as_part(&format!("{}{c}.png", "ä".repeat(300)));
        assert!(long("a").len() <= LONGEST_PART && long("a").ends_with(".png"));
        assert_ne!(long("a"), long("b"));
    }

    proptest::proptest! {
        #[test]
        fn any_name_is_a_path_below_the_folder(name in ".*") {
            let path = as_path(&name);
            assert!(path.components().all(|part| matches!(part, Component::Normal(_))), "{path:?}");
            assert!(path.components().all(|part| part.as_os_str().len() <= 255));
        }

        #[test]
        fn any_text_is_a_template_or_says_why(text in "[a-z{}:0-9./]*") {
            match text.parse::<Template>() {
                Ok(template) => assert!(template.path().is_relative()),
                Err(error) => assert!(error.to_string().contains(&text)),
            }
        }
    }

    #[test]
    fn a_path_is_a_folder_up_to_its_first_field() {
        let split = |path: &str| split(Path::new(path)).unwrap();
        assert_eq!(split("out/x"), ("out/x".into(), None));
        let (folder, template) = split("out/x/{dir}/a-{model}.png");
        assert_eq!(folder, Path::new("out/x"));
        assert_eq!(template, Some("{dir}/a-{model}.png".parse().unwrap()));
        assert_eq!(split("{file}.png").0, Path::new("."));
    }
}
