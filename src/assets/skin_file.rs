//! `.skin` files: which texture each surface of a model wears. Those of Quake III have a line for a
//! surface; Doom 3 declares skins, which put materials in the place of others.

use std::collections::HashMap;

use crate::model::{Format, Surface};
use crate::tokens::Tokens;

/// Surfaces and their textures, in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SkinFile {
    entries: Vec<(String, String)>,
    /// The first entry of a surface, by its name in lower case.
    first: HashMap<String, usize>,
}

impl SkinFile {
    /// Reads lines of `surface,texture`: white space and commas separate, `//` and `/* */` are
    /// comments, `"` quotes. Lines about tags say nothing of textures; DarkPlaces' lines
    /// `replace surface texture` are understood. Bytes that are no UTF-8 are replaced.
    ///
    /// Of a file that declares skins the first counts; see [`SkinFile::declared`].
    pub(super) fn parse(bytes: &[u8]) -> Self {
        if let Some((_, entries)) = declarations(bytes).next() {
            return Self::of(entries.into_iter());
        }
        let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
        let mut in_comment = false;
        let lines = text.split(['\n', '\r']);
        Self::of(lines.filter_map(|line| entry(&words(line, &mut in_comment))))
    }

    /// The skin that a file declares under this name: `skin NAME { model FILE  FROM TO  FROM TO }`. The
    /// materials stand for surfaces.
    pub(super) fn declared(bytes: &[u8], wanted: &str) -> Option<Self> {
        let mut all = declarations(bytes);
        let found = all.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, entries)| Self::of(entries.into_iter()))
    }

    fn of(entries: impl Iterator<Item = (String, String)>) -> Self {
        let mut skin = Self::default();
        for (surface, texture) in entries {
            skin.first.entry(surface.to_ascii_lowercase()).or_insert(skin.entries.len());
            skin.entries.push((surface, texture));
        }
        skin
    }

    /// The texture of a surface; the first line that names it counts. Case does not matter, and
    /// neither does the `_1` that a level of detail has behind its name.
    pub(super) fn texture(&self, surface: &str) -> Option<&str> {
        let names = [surface, base_name(surface)];
        let first =
            names.iter().filter_map(|name| self.first.get(&name.to_ascii_lowercase())).min();
        first.map(|&entry| self.entries[entry].1.as_str())
    }

    /// The texture of a surface by its name, of an MD5 also by its material.
    pub(super) fn worn(&self, surface: &Surface, format: Format) -> Option<&str> {
        self.texture(&surface.name).or_else(|| {
            let materials = surface.shaders.iter().filter(|_| format == Format::Md5);
            materials.into_iter().find_map(|material| self.texture(material))
        })
    }

    /// Surfaces that the file dresses.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }
}

/// The skins that a file declares: names, and which material goes into the place of which.
fn declarations(bytes: &[u8]) -> impl Iterator<Item = (String, Vec<(String, String)>)> {
    let mut tokens = Tokens::new(bytes);
    std::iter::from_fn(move || {
        if !tokens.token()?.is("skin") {
            return None;
        }
        let name = tokens.token()?.text();
        if !tokens.token()?.is("{") {
            return None;
        }
        let mut entries = Vec::new();
        while let Some(from) = tokens.token().filter(|token| !token.is("}")) {
            let Some(to) = tokens.token().filter(|token| !token.is("}")) else { break };
            if !from.is("model") {
                entries.push((from.text(), to.text()));
            }
        }
        Some((name, entries))
    })
}

/// The surface's name without the `_X` of a level of detail, which Quake III ignores.
pub(super) fn base_name(surface: &str) -> &str {
    let mut chars = surface.chars();
    match (chars.next_back(), chars.next_back()) {
        (Some(_), Some('_')) if !chars.as_str().is_empty() => chars.as_str(),
        _ => surface,
    }
}

fn entry(words: &[String]) -> Option<(String, String)> {
    let words = match words {
        [first, rest @ ..] if first.eq_ignore_ascii_case("replace") && rest.len() == 2 => rest,
        _ => words,
    };
    match words {
        [surface, texture, ..]
            if !surface.to_lowercase().contains("tag_") && !texture.is_empty() =>
        {
            Some((surface.clone(), texture.clone()))
        }
        _ => None,
    }
}

/// The words of a line; `in_comment` carries a `/*` to the next one.
fn words(line: &str, in_comment: &mut bool) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some(end) = rest.find("*/") else {
                return words;
            };
            rest = &rest[end + 2..];
            *in_comment = false;
        }
        rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        if rest.is_empty() || rest.starts_with("//") {
            return words;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment;
            *in_comment = true;
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let (word, after) = quoted.split_once('"').unwrap_or((quoted, ""));
            words.push(word.to_owned());
            rest = after;
        } else {
            let is_end = |c: char| c == ',' || c.is_whitespace();
            let (word, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
            words.push(word.to_owned());
            rest = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds() {
        let file = "\u{feff}h_head,models/players/a/Head.tga\r\n\
            tag_torso,\n\
            tag_head\n\
            // h_eyes,no.tga\n\
            \tu_torso ,\t\"models/with blank.tga\"  // said twice\n\
            U_Torso,second.tga\n\
            /* l_legs,no.tga\n l_legs,no.tga */ l_legs models/legs\n\
            empty,\n\
            replace \"old\" \"new.tga\"\n\
            last,x";
        let skin = SkinFile::parse(file.as_bytes());
        for (surface, texture) in [
            ("h_head", Some("models/players/a/Head.tga")),
            ("H_HEAD", Some("models/players/a/Head.tga")),
            ("h_head_1", Some("models/players/a/Head.tga")),
            ("u_torso", Some("models/with blank.tga")),
            ("l_legs", Some("models/legs")),
            ("old", Some("new.tga")),
            ("last", Some("x")),
            ("empty", None),
            ("tag_torso", None),
            ("h_eyes", None),
        ] {
            assert_eq!(skin.texture(surface), texture, "{surface}");
        }
    }

    #[test]
    fn declarations_put_materials_in_the_place_of_others() {
        let text = b"// skins\nskin imp/red {\n model imp.md5mesh\n models/imp models/imp_red\n\
            \"models/eye\" gfx/null }\nskin imp/blue { models/imp models/imp_blue }";
        for (skin, texture) in [
            (SkinFile::parse(text), Some("models/imp_red")),
            (SkinFile::declared(text, "IMP/red").unwrap(), Some("models/imp_red")),
            (SkinFile::declared(text, "imp/blue").unwrap(), Some("models/imp_blue")),
        ] {
            assert_eq!(skin.texture("models/imp"), texture);
            assert_eq!(skin.texture("imp.md5mesh"), None);
        }
        assert_eq!(SkinFile::parse(text).texture("models/eye"), Some("gfx/null"));
        assert!(SkinFile::declared(text, "imp").is_none());
        assert!(SkinFile::declared(b"skin a { b c", "a").is_some());
    }

    #[test]
    fn names_lose_their_level_of_detail() {
        for (name, base) in
            [("head_1", "head"), ("head_x", "head"), ("head_12", "head_12"), ("_1", "_1"), ("", "")]
        {
            assert_eq!(base_name(name), base, "{name}");
        }
    }
}
