//! Which script defines a shader or a material, and which pictures it names.

use crate::assets::materials::{Language, Library};
use crate::files::{Files, Tree};
use crate::location::Location;
use crate::model::Map;

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

/// Everything that the scripts of a game define.
#[derive(Debug)]
pub(super) struct Scripts(Library);

impl Scripts {
    /// Those of a language; the first definition counts.
    pub(super) fn read(files: &Files, tree: &Tree, language: Language) -> Self {
        Self(Library::of(files, &[(tree, Vec::new())], &[language]))
    }

    /// The definition of a name, its extension aside.
    pub(super) fn find(&self, name: &str) -> Option<Script> {
        let found = self.0.find(name)?;
        let place = |file: &Location, line: u32| format!("{file}, line {line}");
        let maps = found.material.stages.iter().flat_map(|stage| &stage.maps);
        let mut pictures: Vec<String> = Vec::new();
        for map in maps {
            // `_white` and its like are no files.
            if let Map::Picture { name, .. } = map
                && name.contains(['/', '\\'])
                && !pictures.contains(name)
            {
                pictures.push(name.clone());
            }
        }
        let others = found.others.iter().map(|(file, line)| place(file, *line)).collect();
        Some(Script { place: place(&found.file, found.line), pictures, others })
    }
}
