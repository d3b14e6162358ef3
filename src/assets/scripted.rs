//! Surfaces that a shader script or a material dresses: its stages with their pictures.

use super::materials::Library;
use super::search::Origin;
use super::skins::{SkinFinder, Texture};
use super::{ScriptEntry, TextureEntry};
use crate::location::Location;
use crate::model::{ColorGen, Format, Map, Material, Stage};

/// Whether a texture's name in a `.skin` file stands for none: the surface is not drawn.
pub(super) fn hides(texture: &str) -> bool {
    const NOTHING: [&str; 4] = ["gfx/null", "nodraw", "textures/common/nodraw", "common/nodraw"];
    let name = texture.to_ascii_lowercase().replace('\\', "/");
    let name = name.trim_start_matches('/');
    let behind = |nothing: &&str| name.strip_prefix(*nothing);
    NOTHING.iter().filter_map(behind).any(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Texture {
    /// Of a surface that is not drawn.
    pub(super) fn hidden() -> Self {
        let entry = TextureEntry { hidden: true, ..TextureEntry::default() };
        let material = Material { hidden: true, ..Material::default() };
        Self { image: None, material: Some(material), entry }
    }
}

impl SkinFinder<'_> {
    /// What the script of this name makes of a surface; `None` if there is none, or nothing of it can be
    /// drawn.
    pub(super) fn scripted(
        &mut self,
        surface: &str,
        name: &str,
        wanted: &[&str],
    ) -> Option<Texture> {
        if !self.options.reads_scripts || !matches!(self.format, Format::Md3 | Format::Md5) {
            return None;
        }
        let library = self.library.get_or_insert_with(|| {
            let mut library = Library::read(self.files, &self.search.bases(), self.format);
            self.pictures.warnings.append(&mut library.warnings);
            library
        });
        let found = library.find(name)?;
        for warning in found.warnings {
            if !self.pictures.warnings.contains(&warning) {
                self.pictures.warnings.push(warning);
            }
        }
        let mut material = found.material;
        if material.stages.is_empty() && !material.hidden {
            let maps = vec![Map::named(name)];
            material.stages.push(Stage { maps, color: ColorGen::Lighting, ..Stage::default() });
        }
        let (mut file, mut missing) = (None, Vec::new());
        if material.hidden {
            material.stages.clear();
        } else {
            (file, missing) = self.find_maps(surface, name, &mut material);
            if material.stages.is_empty() {
                return None;
            }
        }
        let main = material.main_stage().map(|stage| &material.stages[stage]);
        let image = main.and_then(|stage| stage.maps.first()?.image().cloned());
        let script = ScriptEntry {
            name: name.to_owned(),
            file: found.file,
            line: found.line,
            stages: material.stages.len(),
            missing,
        };
        let entry = TextureEntry {
            wanted: wanted.iter().map(|&name| name.to_owned()).collect(),
            origin: file.is_some().then_some(Origin::Named),
            found: file,
            hidden: material.hidden,
            script: Some(script),
            ..TextureEntry::default()
        };
        Some(Texture { image, material: Some(material), entry })
    }

    /// Finds the pictures of all stages. A stage that blends and has none is left out, any other is drawn
    /// in grey. Returns the file of the main stage, and the names that led to nothing.
    fn find_maps(
        &mut self,
        surface: &str,
        script: &str,
        material: &mut Material,
    ) -> (Option<Location>, Vec<String>) {
        let mut files: Vec<(String, Location)> = Vec::new();
        let mut missing: Vec<String> = Vec::new();
        let surface =
            if surface.is_empty() { String::new() } else { format!("surface '{surface}': ") };
        for stage in &mut material.stages {
            for map in &mut stage.maps {
                let Map::Picture { name, image } = map else { continue };
                let pictures = &mut self.pictures;
                let mut refused = false;
                let mut accept = |file: &Location| {
                    let image = pictures.try_open(file);
                    refused |= image.is_none();
                    Some((file.clone(), image?))
                };
                match self.search.find_named(name, &mut accept) {
                    Some((file, found)) => {
                        *image = Some(found);
                        files.push((name.clone(), file));
                    }
                    None => {
                        let then = match stage.blend {
                            Some(_) => "left out",
                            None => "drawn in grey",
                        };
                        let what = if refused { "cannot be taken" } else { "not found" };
                        self.pictures
                            .warnings
                            .push(format!("{surface}'{script}': texture '{name}' {what}; {then}"));
                        if !missing.contains(name) {
                            missing.push(name.clone());
                        }
                    }
                }
            }
            let is_there = |map: &Map| *map == Map::White || map.image().is_some();
            if stage.maps.iter().any(is_there) || stage.blend.is_some() {
                stage.maps.retain(is_there);
            }
        }
        material.stages.retain(|stage| !stage.maps.is_empty());
        let main = material.main_stage().and_then(|stage| material.stages[stage].maps.first());
        let file = main.and_then(|map| match map {
            Map::Picture { name, .. } => files.into_iter().find(|(known, _)| known == name),
            Map::White => None,
        });
        (file.map(|(_, file)| file), missing)
    }
}
