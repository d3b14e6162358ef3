//! Finds the pictures that a model is drawn with and puts them on its surfaces.

use std::collections::HashMap;
use std::sync::Arc;

use super::listing::skin_count;
use super::pictures::Pictures;
use super::search::{Origin, Search};
use super::skin_file::SkinFile;
use super::{AssetOptions, SkinChoice, TextureEntry, TextureReport};
use crate::error::{OpenError, RequestError};
use crate::files::{Files, Limit, TextureSearch};
use crate::image::{Image, Palette};
use crate::location::Location;
use crate::model::{Format, Model};

/// Finds the texture of every surface of `model` and puts it there; surfaces without one are drawn in
/// neutral grey and lead to a warning in the report.
///
/// `file` is where the model lies: textures are looked for around it; without one only in
/// [`AssetOptions::texture_roots`] and the game. Which places are tried stands in the report.
///
/// # Errors
/// If the skin number is out of range, a surface does not exist, or a file that the options name cannot
/// be used. A texture that only the model names is never an error.
pub(crate) fn find_textures(
    model: &mut Model,
    files: &Files,
    file: Option<&Location>,
    options: &AssetOptions,
) -> Result<TextureReport, OpenError> {
    model.palette = options.palette.clone().unwrap_or_else(Palette::quake);
    let mut finder = SkinFinder::new(model, files, file, options);
    let choice = finder.choose(model, options)?;
    let overrides = finder.overrides(model, options)?;
    let mut report = TextureReport { skin_file: choice.skin_file().cloned(), ..Default::default() };
    for surface in 0..model.surfaces.len() {
        let given = overrides.get(&surface).or(choice.picture());
        let texture = match given {
            Some(file) => Texture::given(file),
            None if model.format == Format::Mdl => embedded(model, choice.number(), options.time),
            None => finder.named(model, surface, &choice),
        };
        match texture.image {
            Some(image) => model.set_skin(surface, image),
            // A model built in memory may have its pictures already.
            None if model.format == Format::Parts => {}
            None => model.surfaces[surface].texture = None,
        }
        let name = model.surfaces[surface].name.clone();
        let entry = TextureEntry { surface, name, ..texture.entry };
        if !entry.wanted.is_empty() || entry.found.is_some() || model.format != Format::Parts {
            report.textures.push(entry);
        }
    }
    report.warnings = finder.pictures.warnings;
    report.warnings.extend(choice.unused_entries(model));
    // That an MDL has no skin inside is told by its loader.
    if model.format != Format::Mdl {
        report.warn_of_missing();
    }
    Ok(report)
}

/// The search for pictures and those opened so far.
struct SkinFinder<'a> {
    files: &'a Files,
    options: &'a AssetOptions,
    search: Search,
    pictures: Pictures,
    format: Format,
}

/// A picture that the user gave.
struct GivenFile {
    file: Location,
    image: Arc<Image>,
}

/// What [`SkinChoice`] means for this model.
enum Choice {
    Number(usize),
    Picture(GivenFile),
    SkinFile(Location, SkinFile),
}

/// A surface's picture and how it was found.
struct Texture {
    image: Option<Arc<Image>>,
    entry: TextureEntry,
}

impl Texture {
    fn given(file: &GivenFile) -> Self {
        let entry = TextureEntry::default().with(file.file.clone(), Origin::Given, Vec::new());
        Self { image: Some(Arc::clone(&file.image)), entry }
    }
}

impl Choice {
    fn number(&self) -> usize {
        if let Self::Number(number) = self { *number } else { 0 }
    }

    fn picture(&self) -> Option<&GivenFile> {
        if let Self::Picture(file) = self { Some(file) } else { None }
    }

    fn skin_file(&self) -> Option<&Location> {
        if let Self::SkinFile(file, _) = self { Some(file) } else { None }
    }

    /// A `.skin` file that fits none of the surfaces belongs to another model.
    fn unused_entries(&self, model: &Model) -> Option<String> {
        let Self::SkinFile(file, skin) = self else {
            return None;
        };
        let is_used = model.surfaces.iter().any(|surface| skin.texture(&surface.name).is_some());
        let is_foreign = !is_used && !model.surfaces.is_empty();
        is_foreign.then(|| {
            let (named, ours) = (joined(skin.surfaces()), joined(surface_names(model)));
            format!("'{file}' dresses {named}; this model's surfaces are {ours}")
        })
    }
}

impl<'a> SkinFinder<'a> {
    fn new(
        model: &Model,
        files: &'a Files,
        file: Option<&Location>,
        options: &'a AssetOptions,
    ) -> Self {
        Self {
            files,
            options,
            search: options.search(model.format, files, file),
            pictures: Pictures::of(model, files, options.max_memory),
            format: model.format,
        }
    }

    fn choose(&mut self, model: &Model, options: &AssetOptions) -> Result<Choice, OpenError> {
        match &options.skin {
            SkinChoice::Default => {
                let is_searched = options.texture_search != TextureSearch::None;
                let file = is_searched.then(|| self.named_skin_file("default")).flatten();
                let chosen = file.map_or(Ok(Choice::Number(0)), |file| self.skin_file(file));
                // Nobody asked for this file.
                Ok(chosen.unwrap_or_else(|error| {
                    self.pictures.warnings.push(error.to_string());
                    Choice::Number(0)
                }))
            }
            SkinChoice::Number(number) if *number >= skin_count(model) => {
                let count = skin_count(model);
                Err(RequestError::new(format!(
                    "there is no skin {number}: the model has {count}, counted from 0"
                ))
                .into())
            }
            SkinChoice::Number(number) => Ok(Choice::Number(*number)),
            SkinChoice::File(file) => {
                let file = self.resolve(file);
                let is_skin = file.extension().eq_ignore_ascii_case("skin");
                if is_skin { self.skin_file(file) } else { Ok(Choice::Picture(self.given(file)?)) }
            }
        }
    }

    /// The file that the user means: the path, a file of that name beside the model, or in the games'
    /// manner the name of a skin: "red" is `head_red.skin` beside `head.md3` and `red.pcx` beside
    /// `tris.md2`.
    fn resolve(&self, file: &Location) -> Location {
        let is_bare = file.member().is_none() && file.path().as_os_str() == file.file_name();
        let name = file.path().to_str().filter(|_| is_bare && !self.files.exists(file));
        let beside = name.and_then(|name| {
            let skin = match self.format {
                _ if !file.extension().is_empty() => None,
                Format::Md3 => self.named_skin_file(name),
                Format::Md2 => ["pcx", "tga", "png", "jpg"]
                    .iter()
                    .find_map(|extension| self.search.beside(&format!("{name}.{extension}"))),
                _ => None,
            };
            skin.or_else(|| self.search.beside(name))
        });
        beside.unwrap_or_else(|| file.clone())
    }

    fn given(&mut self, file: Location) -> Result<GivenFile, OpenError> {
        let image = self.pictures.given(&file)?;
        Ok(GivenFile { file, image })
    }

    fn named_skin_file(&self, skin: &str) -> Option<Location> {
        let stems = self.search.stems();
        let stems = stems.iter().filter(|_| self.format == Format::Md3);
        stems.into_iter().find_map(|stem| self.search.beside(&format!("{stem}_{skin}.skin")))
    }

    fn skin_file(&mut self, file: Location) -> Result<Choice, OpenError> {
        let bytes = self.files.read(&file, Limit::SKIN_FILE)?;
        self.search.add_skin_file(self.options.home(self.files, &file));
        Ok(Choice::SkinFile(file, SkinFile::parse(&bytes)))
    }

    fn overrides(
        &mut self,
        model: &Model,
        options: &AssetOptions,
    ) -> Result<HashMap<usize, GivenFile>, OpenError> {
        let mut overrides = HashMap::new();
        for (wanted, file) in &options.surface_files {
            let is_wanted = |name: &str| name.eq_ignore_ascii_case(wanted);
            let surfaces: Vec<usize> = (0..model.surfaces.len())
                .filter(|&surface| is_wanted(&model.surfaces[surface].name))
                .collect();
            if surfaces.is_empty() {
                let known = joined(surface_names(model));
                return Err(RequestError::new(format!(
                    "there is no surface '{wanted}'; this model has {known}"
                ))
                .into());
            }
            for surface in surfaces {
                overrides.insert(surface, self.given(file.clone())?);
            }
        }
        Ok(overrides)
    }

    /// The picture of a surface by the names that its file, the model's skins and a `.skin` file have.
    fn named(&mut self, model: &Model, number: usize, choice: &Choice) -> Texture {
        let surface = &model.surfaces[number];
        let mut names: Vec<&str> = Vec::new();
        if let Choice::SkinFile(_, skin) = choice {
            names.extend(skin.texture(&surface.name));
        }
        if model.format == Format::Md2 {
            names.extend(model.skins.get(choice.number()).map(|skin| skin.name.as_str()));
        } else {
            let shader = surface.shaders.get(choice.number()).or(surface.shaders.first());
            names.extend(shader.map(String::as_str));
        }
        names.retain(|name| !name.is_empty());
        let wanted = names.iter().map(|&name| name.to_owned()).collect();
        if model.format == Format::Parts && names.is_empty() {
            return Texture { image: None, entry: TextureEntry::default() };
        }

        let outcome =
            self.search.find(&names, &surface.name, &mut |file| self.pictures.try_open(file));
        let entry = TextureEntry { wanted, looked: outcome.looked, ..TextureEntry::default() };
        match outcome.found {
            Some(found) => Texture {
                image: Some(found.content),
                entry: entry.with(found.file, found.origin, found.shadowed),
            },
            None => Texture { image: None, entry },
        }
    }
}

fn embedded(model: &Model, number: usize, time: f64) -> Texture {
    let image = model.skin_image(number, time).map(Arc::new);
    let origin = image.is_some().then_some(Origin::Embedded);
    Texture { image, entry: TextureEntry { origin, ..TextureEntry::default() } }
}

fn surface_names(model: &Model) -> impl Iterator<Item = &str> {
    model.surfaces.iter().map(|surface| surface.name.as_str())
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::super::{list_skins, skin_files};
    use super::*;
    use crate::files::Files;
    use crate::image::Pixels;
    use crate::model::{Skin, SkinSource, SurfaceParts};
    use std::fs;
    use std::path::Path;

    /// A model of one-triangle surfaces with the given names and texture names.
    fn model(format: Format, surfaces: &[(&str, &[&str])]) -> Model {
        let part = |(name, _): &(&str, &[&str])| SurfaceParts {
            name: (*name).into(),
            positions: vec![[0.0; 3]; 3],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            texcoords: vec![[0.0; 2]; 3],
            triangles: vec![[0, 1, 2]],
            texture: None,
        };
        let mut model = Model::from_parts(surfaces.iter().map(part).collect()).unwrap();
        model.format = format;
        for (surface, (_, shaders)) in model.surfaces.iter_mut().zip(surfaces) {
            surface.shaders = shaders.iter().map(|&shader| shader.into()).collect();
        }
        model
    }

    /// A folder with one-pixel pictures, told apart by their red, and text files.
    fn folder(pictures: &[(&str, u8)], texts: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, red) in pictures {
            let image = Image::from_rgba(1, 1, vec![*red, 0, 0, 255]).unwrap();
            image.save_png(folder.path().join(name)).unwrap();
        }
        for (name, text) in texts {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    /// The reds of the surfaces.
    fn reds(model: &Model) -> Vec<Option<u8>> {
        let red = |image: &Arc<Image>| image.to_rgba()[0];
        model.surfaces.iter().map(|surface| surface.texture.as_ref().map(red)).collect()
    }

    fn dress(model: &mut Model, path: &Path, skin: SkinChoice) -> Result<TextureReport, OpenError> {
        find(model, Some(path), &AssetOptions { skin, ..AssetOptions::default() })
    }

    fn find(
        model: &mut Model,
        path: Option<&Path>,
        options: &AssetOptions,
    ) -> Result<TextureReport, OpenError> {
        find_textures(model, &Files::default(), path.map(Location::on_disk).as_ref(), options)
    }

    #[test]
    fn skin_files_dress_surfaces_and_the_default_one_is_taken_by_itself() {
        let folder = folder(
            &[("a.png", 1), ("b.png", 2), ("red.png", 3)],
            &[
                ("head_default.skin", "h_head,a.tga\n"),
                ("head_red.skin", "H_HEAD,x/red\nh_eyes,red\n"),
            ],
        );
        let path = folder.path().join("head.md3");
        let mut model = model(Format::Md3, &[("h_head", &["none.tga"]), ("h_eyes", &["b"])]);
        let report = dress(&mut model, &path, SkinChoice::Default).unwrap();
        assert_eq!(reds(&model), [Some(1), Some(2)]);
        assert!(report.skin_file.as_ref().unwrap().path().ends_with("head_default.skin"));
        assert_eq!(report.textures[0].wanted, ["a.tga", "none.tga"]);
        assert_eq!(report.warnings, Vec::<String>::new());
        for choice in [Path::new("red"), &folder.path().join("head_red.skin")] {
            dress(&mut model, &path, SkinChoice::File(choice.into())).unwrap();
            assert_eq!(reds(&model), [Some(3), Some(3)]);
        }
        // A level of detail wears the skins of the model.
        dress(&mut model, &folder.path().join("head_2.md3"), SkinChoice::Default).unwrap();
        assert_eq!(reds(&model), [Some(1), Some(2)]);
        let (files, path) = (Files::default(), Location::on_disk(path));
        let names = skin_files(&model, &files, &path, &AssetOptions::default());
        let names: Vec<_> = names.iter().map(Location::file_name).collect();
        assert_eq!(names, ["head_default.skin", "head_red.skin"]);
    }

    #[test]
    fn a_foreign_skin_file_is_warned_of() {
        let folder = folder(&[], &[("x.skin", "u_torso,a.tga")]);
        let mut model = model(Format::Md3, &[("h_head", &[])]);
        let skin = SkinChoice::File(folder.path().join("x.skin").into());
        let report = dress(&mut model, &folder.path().join("head.md3"), skin).unwrap();
        let warnings = report.warnings.join("\n");
        assert!(
            warnings.contains("dresses 'u_torso'; this model's surfaces are 'h_head'"),
            "{warnings}"
        );
    }

    #[test]
    fn numbers_choose_texture_names_and_have_an_end() {
        let folder = folder(&[("a.png", 1), ("b.png", 2), ("c.png", 3)], &[]);
        let path = folder.path().join("gun.md3");
        let mut model = model(Format::Md3, &[("body", &["a", "b"]), ("sight", &["c"])]);
        assert_eq!(skin_count(&model), 2);
        for (number, expected) in [(0, [Some(1), Some(3)]), (1, [Some(2), Some(3)])] {
            dress(&mut model, &path, SkinChoice::Number(number)).unwrap();
            assert_eq!(reds(&model), expected);
        }
        let error = dress(&mut model, &path, SkinChoice::Number(2)).unwrap_err();
        assert_eq!(error.to_string(), "there is no skin 2: the model has 2, counted from 0");
        let (files, path) = (Files::default(), Location::on_disk(path));
        let listed = list_skins(&model, &files, Some(&path), &AssetOptions::default());
        let listed: Vec<_> = listed.collect();
        let found = listed.iter().map(|e| (e.surface, e.wanted[0].as_str(), e.found.is_some()));
        let expected = [(0, "a", true), (0, "b", true), (1, "c", true)];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn files_given_for_all_or_for_one_surface_win_and_must_be_there() {
        let folder = folder(&[("a.png", 1), ("b.png", 2)], &[("broken.png", "no picture")]);
        let path = folder.path().join("gun.md3");
        let file = |name: &str| Location::on_disk(folder.path().join(name));
        let mut model = model(Format::Md3, &[("body", &["a"]), ("sight", &["a"])]);
        dress(&mut model, &path, SkinChoice::File(file("b.png"))).unwrap();
        assert_eq!(reds(&model), [Some(2), Some(2)]);
        let options = |surface: &str, name: &str| AssetOptions {
            surface_files: vec![(surface.into(), file(name))],
            ..AssetOptions::default()
        };
        let report = find(&mut model, Some(&path), &options("SIGHT", "b.png")).unwrap();
        assert_eq!(reds(&model), [Some(1), Some(2)]);
        let origins: Vec<_> = report.textures.iter().map(|entry| entry.origin).collect();
        assert_eq!(origins, [Some(Origin::Named), Some(Origin::Given)]);
        for (surface, name, part) in [
            ("barrel", "a.png", "there is no surface 'barrel'; this model has 'body', 'sight'"),
            ("body", "none.png", "none.png"),
            ("body", "broken.png", "none of these"),
        ] {
            let result = find(&mut model, Some(&path), &options(surface, name));
            let message = result.unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn missing_and_guessed_textures_are_told_once() {
        let folder = folder(&[("gun.png", 1)], &[("bad.tga", "no picture")]);
        let wanted: &[(&str, &[&str])] = &[("a", &["bad"]), ("b", &["x/none.tga"])];
        let mut gun = model(Format::Md3, wanted);
        let report = dress(&mut gun, &folder.path().join("gun.md3"), SkinChoice::Default).unwrap();
        assert_eq!(reds(&gun), [Some(1), Some(1)]);
        let warnings = report.warnings.join("\n");
        assert!(warnings.contains("bad.tga': TGA"), "{warnings}");
        assert!(
            warnings.contains("surface 'b': texture 'x/none.tga' not found; drawn with"),
            "{warnings}"
        );
        let mut axe = model(Format::Md3, &[("a", &["x/none.tga"]), ("c", &["gun", "y"])]);
        let report = find(&mut axe, None, &AssetOptions::default()).unwrap();
        assert_eq!(reds(&axe), [None, None]);
        assert_eq!(report.warnings.len(), 2);
        assert_eq!(report.textures[1].wanted[0], "gun");
        assert!(report.skin_file.is_none() && report.textures[0].origin.is_none());
    }

    #[test]
    fn a_pcx_keeps_its_palette_on_a_quake2_model_only() {
        let folder = tempfile::tempdir().unwrap();
        let mut pcx = vec![0; 128];
        pcx[..4].copy_from_slice(&[0x0a, 5, 1, 8]);
        pcx[65..67].copy_from_slice(&[1, 1]);
        pcx.push(3);
        pcx.extend([7; 768]);
        fs::write(folder.path().join("tris.pcx"), &pcx).unwrap();
        let mut quake2 = model(Format::Md2, &[("", &[])]);
        quake2.skins = vec![Skin { name: "players/a/tris.pcx".into(), source: SkinSource::File }];
        let report =
            dress(&mut quake2, &folder.path().join("a.md2"), SkinChoice::Number(0)).unwrap();
        assert_eq!(report.textures[0].origin, Some(Origin::Named));
        let image = quake2.surfaces[0].texture.clone().unwrap();
        assert!(matches!(image.pixels(), Pixels::Indexed { indices, .. } if indices == &[3]));
        assert_eq!(image.palette().unwrap().first_fullbright(), 255);
        let mut quake3 = model(Format::Md3, &[("", &["tris"])]);
        dress(&mut quake3, &folder.path().join("a.md3"), SkinChoice::Default).unwrap();
        let image = quake3.surfaces[0].texture.clone().unwrap();
        assert_eq!(image.pixels(), &Pixels::Rgba(vec![7, 7, 7, 255]));
    }

    #[test]
    fn a_model_built_in_memory_keeps_its_pictures() {
        let mut parts = model(Format::Parts, &[("a", &[])]);
        parts.set_skin(0, Image::from_rgba(1, 1, vec![9, 0, 0, 255]).unwrap());
        let report = find(&mut parts, None, &AssetOptions::default()).unwrap();
        assert_eq!((reds(&parts), report.textures.len()), (vec![Some(9)], 0));
    }
}
