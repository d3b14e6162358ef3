//! Which script defines a shader or a material, and which pictures it names: no more is needed to say
//! which files an engine takes.

use std::collections::HashMap;

use crate::files::{Files, Limit, Tree};
use crate::tokens::Tokens;

/// Words in front of a picture.
const PICTURES: [&str; 4] = ["map", "clampmap", "diffusemap", "animmap"];
/// Words in front of the name of a declaration.
const KINDS: [&str; 2] = ["material", "skin"];

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Script {
    /// The file and the line in it.
    pub(super) place: String,
    /// The pictures that it names, in order.
    pub(super) pictures: Vec<String>,
    /// Other places that define the same name.
    pub(super) others: Vec<String>,
}

/// Everything that the scripts of a game define, by name in lower case without extension.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    known: HashMap<String, Script>,
}

impl Scripts {
    /// Those in a folder of the game, by name of their files; the first definition counts.
    pub(super) fn read(files: &Files, tree: &Tree, folder: &str, extension: &str) -> Self {
        let mut scripts = Self::default();
        let dir = files.dir(tree, &[folder.to_owned()]);
        let ending = format!(".{extension}");
        for name in dir.names().into_iter().filter(|name| name.ends_with(&ending)) {
            let Some(file) = dir.files(&name).into_iter().next() else { continue };
            // What cannot be read defines nothing.
            if let Ok(bytes) = files.read(&file, Limit::SCRIPT) {
                scripts.add(&file.to_string(), &bytes);
            }
        }
        scripts
    }

    fn add(&mut self, file: &str, bytes: &[u8]) {
        let mut tokens = Tokens::new(bytes);
        while let Some(token) = tokens.token() {
            if KINDS.iter().any(|kind| token.is(kind)) || token.is("{") || token.is("}") {
                continue;
            }
            let (name, line) = (plain(&token.text()), token.line);
            if !tokens.peek().is_some_and(|next| next.is("{")) {
                continue;
            }
            let place = format!("{file}, line {line}");
            let pictures = block(&mut tokens);
            match self.known.get_mut(&name) {
                Some(first) => first.others.push(place),
                None => {
                    self.known.insert(name, Script { place, pictures, others: Vec::new() });
                }
            }
        }
    }

    /// The definition of a name, its extension aside.
    pub(super) fn find(&self, name: &str) -> Option<&Script> {
        self.known.get(&plain(name))
    }
}

/// The pictures in a block, which begins here.
fn block(tokens: &mut Tokens<'_>) -> Vec<String> {
    let mut pictures: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    while let Some(token) = tokens.token() {
        if token.is("{") {
            depth += 1;
        } else if token.is("}") {
            depth -= 1;
            if depth == 0 {
                break;
            }
        } else if let Some(word) = PICTURES.iter().find(|word| token.is(word)) {
            if *word == "animmap" {
                tokens.token_on_line();
            }
            while let Some(picture) = tokens.token_on_line() {
                let text = picture.text();
                // `$whiteimage`, `_white`, and the parts of image programs are no files.
                let is_file = text.contains(['/', '\\']);
                if is_file && !pictures.contains(&text) {
                    pictures.push(text);
                }
                if *word != "animmap" && is_file {
                    break;
                }
            }
        }
    }
    pictures
}

/// A name as scripts are asked for it.
fn plain(name: &str) -> String {
    let name = name.replace('\\', "/").to_lowercase();
    match name.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem.to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_and_their_pictures_are_found() {
        let text = b"// a comment { }\nmodels/a/skin\n{\n cull none\n {\n  map models/a/skin.tga\n  blendFunc add\n }\n { animMap 10 textures/f1.tga textures/f2.tga }\n { map $lightmap }\n}\nmaterial b/c {\n diffusemap b/c_d.tga\n bumpmap b/c_n.tga\n}\nmodels\\A\\SKIN.jpg { { clampmap x/y.tga } }\n{ stray\n";
        let mut scripts = Scripts::default();
        scripts.add("s.shader", text);
        let found = scripts.find("models/A/skin.tga").unwrap();
        assert_eq!(found.place, "s.shader, line 2");
        let pictures = ["models/a/skin.tga", "textures/f1.tga", "textures/f2.tga"];
        assert_eq!(found.pictures, pictures);
        assert_eq!(found.others, ["s.shader, line 16"]);
        assert_eq!(scripts.find("b/c").unwrap().pictures, ["b/c_d.tga"]);
        assert_eq!(scripts.find("stray"), None);
        // A block that never ends.
        Scripts::default().add("s", b"a { { map b/c");
    }
}
