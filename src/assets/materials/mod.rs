//! Shader scripts (`scripts/*.shader`, Quake III) and materials (`materials/*.mtr`, Doom 3): what a
//! name that a model has for a surface means in its game.
//!
//! All files are gone through once for the names that they define; a definition is read when a surface
//! wants it. What is odd about one is a warning with its line, and the rest of it counts.

mod material_decl;
mod reader;
mod shader_script;

use std::collections::HashMap;

use crate::error::{Place, Warning};
use crate::files::{Files, Limit, Tree, child};
use crate::location::Location;
use crate::model::{Format, Material};
use crate::tokens::{Token, Tokens};
use reader::Reader;

/// Bytes of all scripts of a game together.
const MAX_SCRIPT_BYTES: usize = 64 << 20;

/// Which of the two languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// `scripts/*.shader`.
    Shader,
    /// `materials/*.mtr`.
    Material,
}

impl Language {
    fn folder(self) -> &'static str {
        match self {
            Self::Shader => "scripts",
            Self::Material => "materials",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Shader => ".shader",
            Self::Material => ".mtr",
        }
    }
}

/// All definitions of a game, by name.
#[derive(Debug, Default)]
pub(crate) struct Library {
    files: Vec<ScriptFile>,
    /// In the order in which they count.
    definitions: HashMap<String, Vec<Definition>>,
    pub(super) warnings: Vec<String>,
}

#[derive(Debug)]
struct ScriptFile {
    file: Location,
    language: Language,
    bytes: Vec<u8>,
}

/// Where a definition stands.
#[derive(Clone, Copy, Debug)]
struct Definition {
    /// Number of its file.
    file: usize,
    /// Line of its name.
    line: u32,
    /// Behind its opening bracket.
    body: (usize, u32),
}

/// What a name means.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) material: Material,
    pub(crate) file: Location,
    /// Line of the name.
    pub(crate) line: u32,
    /// Files and lines that define the name again, in the same language.
    pub(crate) others: Vec<(Location, u32)>,
    pub(super) warnings: Vec<String>,
}

impl Library {
    /// Goes through the scripts and materials below some folders of trees; those of the game that a
    /// format is of win over the others, then what comes first: by folder, then by file name.
    pub(super) fn read(files: &Files, bases: &[(&Tree, Vec<String>)], format: Format) -> Self {
        let order = if format == Format::Md5 {
            [Language::Material, Language::Shader]
        } else {
            [Language::Shader, Language::Material]
        };
        Self::of(files, bases, &order)
    }

    /// Goes through those of some languages alone, in their order.
    pub(crate) fn of(files: &Files, bases: &[(&Tree, Vec<String>)], order: &[Language]) -> Self {
        let mut library = Self::default();
        let mut left = MAX_SCRIPT_BYTES;
        for &language in order {
            for (tree, base) in bases {
                let dir = files.dir(tree, &child(base, language.folder()));
                let names =
                    dir.names().into_iter().filter(|name| name.ends_with(language.extension()));
                for file in names.filter_map(|name| dir.files(&name).into_iter().next()) {
                    if library.files.iter().any(|known| known.file == file) {
                        continue;
                    }
                    match files.read(&file, Limit::SCRIPT) {
                        Ok(bytes) if bytes.len() <= left => {
                            left -= bytes.len();
                            library.add(ScriptFile { file, language, bytes });
                        }
                        Ok(_) => library.warnings.push(format!(
                            "'{file}' is left out: the scripts before it have {} MiB",
                            MAX_SCRIPT_BYTES >> 20
                        )),
                        Err(error) => library.warnings.push(error.to_string()),
                    }
                }
            }
        }
        library
    }

    /// Notes what a file defines.
    fn add(&mut self, file: ScriptFile) {
        let number = self.files.len();
        for (name, line, body) in defined(&file.bytes, file.language) {
            let definition = Definition { file: number, line, body };
            self.definitions.entry(normalized(&name)).or_default().push(definition);
        }
        self.files.push(file);
    }

    /// What a name means; case, the kind of slash and an extension do not count.
    pub(crate) fn find(&self, name: &str) -> Option<Found> {
        let definitions = self.definitions.get(&normalized(name))?;
        let definition = definitions.first()?;
        let ScriptFile { file, language, bytes } = &self.files[definition.file];
        let tokens = Tokens::resume(bytes, definition.body);
        let (part, tokens) = match language {
            Language::Shader => ("shader", tokens),
            Language::Material => ("material", tokens.end_words_at_commas()),
        };
        let mut reader = Reader::new(tokens, format!("{part} '{name}'"));
        let material = match language {
            Language::Shader => shader_script::read(&mut reader),
            Language::Material => material_decl::read(&mut reader, name),
        };
        let mut warnings: Vec<String> =
            reader.warnings.iter().map(|warning| format!("'{file}': {warning}")).collect();
        let others = definitions[1..].iter().map(|other| (&self.files[other.file], other.line));
        let others = others.filter(|(other, _)| other.language == *language);
        let others: Vec<_> = others.map(|(other, line)| (other.file.clone(), line)).collect();
        if let Some((other, line)) = others.first() {
            let message =
                format!("it is defined again in '{other}' (line {line}); the first counts");
            let warning =
                Warning::new(Place::Line(definition.line), format!("{part} '{name}'"), message);
            warnings.push(format!("'{file}': {warning}"));
        }
        Some(Found { material, file: file.clone(), line: definition.line, others, warnings })
    }
}

/// A name as it is compared: in lower case, with `/` and without an extension.
fn normalized(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace('\\', "/");
    let name = name.trim_start_matches('/');
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    let end = name[file..].rfind('.').map_or(name.len(), |dot| file + dot);
    name[..end].to_owned()
}

/// Names, lines and bodies of the definitions of a file.
fn defined(bytes: &[u8], language: Language) -> Vec<(String, u32, (usize, u32))> {
    let mut tokens = Tokens::new(bytes);
    let mut found = Vec::new();
    // The words in front of a bracket: a name, or a kind and a name.
    let (mut kind, mut name): (Option<Token<'_>>, Option<Token<'_>>) = (None, None);
    while let Some(token) = tokens.token() {
        if token.is("}") {
            continue;
        }
        if !token.is("{") {
            kind = name.replace(token);
            continue;
        }
        let is_other =
            language == Language::Material && kind.take().is_some_and(|kind| !kind.is("material"));
        if let Some(name) = name.take().filter(|_| !is_other) {
            found.push((name.text(), name.line, tokens.position()));
        }
        skip_block(&mut tokens);
    }
    found
}

/// Goes behind the bracket that closes the one before.
fn skip_block(tokens: &mut Tokens<'_>) {
    let mut depth = 1;
    while depth > 0
        && let Some(token) = tokens.token()
    {
        depth += usize::from(token.is("{"));
        depth -= usize::from(token.is("}"));
    }
}

#[cfg(test)]
mod tests;
