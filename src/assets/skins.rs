//! Finds the pictures that a model is drawn with and puts them on its surfaces.

use std::collections::HashMap;
use std::sync::Arc;

use super::listing::skin_count;
use super::materials::Library;
use super::pictures::Pictures;
use super::scripted::hides;
use super::search::{Found, Origin, Search};
use super::skin_file::SkinFile;
use super::{AssetOptions, SkinChoice, TextureEntry, TextureReport};
use crate::error::{OpenError, RequestError};
use crate::files::{Files, Limit, TextureSearch, child};
use crate::image::{Image, Palette};
use crate::location::Location;
use crate::model::{Format, Material, Model};

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
        model.surfaces[surface].material = texture.material.map(Arc::new);
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
pub(super) struct SkinFinder<'a> {
    pub(super) files: &'a Files,
    pub(super) options: &'a AssetOptions,
    pub(super) search: Search,
    pub(super) pictures: Pictures,
    pub(super) format: Format,
    /// Shader scripts and materials, once a surface has asked for one.
    pub(super) library: Option<Library>,
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
pub(super) struct Texture {
    pub(super) image: Option<Arc<Image>>,
    pub(super) material: Option<Material>,
    pub(super) entry: TextureEntry,
}

impl Texture {
    fn given(file: &GivenFile) -> Self {
        let entry = TextureEntry::default().with(file.file.clone(), Origin::Given, 0, Vec::new());
        Self { image: Some(Arc::clone(&file.image)), material: None, entry }
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
        let is_used =
            model.surfaces.iter().any(|surface| skin.worn(surface, model.format).is_some());
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
            library: None,
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
                if let Some(declared) = self.declared_skin(file) {
                    return Ok(declared);
                }
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
                Format::Md3 | Format::Md5 => self.named_skin_file(name),
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
        let wears_files = matches!(self.format, Format::Md3 | Format::Md5);
        let stems = stems.iter().filter(|_| wears_files);
        stems.into_iter().find_map(|stem| self.search.beside(&format!("{stem}_{skin}.skin")))
    }

    fn skin_file(&mut self, file: Location) -> Result<Choice, OpenError> {
        let bytes = self.files.read(&file, Limit::SKIN_FILE)?;
        self.search.add_skin_file(self.options.home(self.files, &file));
        Ok(Choice::SkinFile(file, SkinFile::parse(&bytes)))
    }

    /// The skin of this name that a file in the game's `skins` folder declares, for an MD5.
    fn declared_skin(&mut self, name: &Location) -> Option<Choice> {
        let text = name.path().to_str().filter(|_| name.member().is_none())?;
        let is_name = self.format == Format::Md5 && !self.files.exists(name);
        let bases = self.search.bases().into_iter().filter(|_| is_name);
        let files = bases.flat_map(|(tree, base)| {
            let dir = self.files.dir(tree, &child(&base, "skins"));
            let names = dir.names().into_iter().filter(|name| name.ends_with(".skin"));
            names.filter_map(move |name| dir.files(&name).into_iter().next()).collect::<Vec<_>>()
        });
        let found = files.into_iter().find_map(|file| {
            let bytes = self.files.read(&file, Limit::SKIN_FILE).ok()?;
            Some((file, SkinFile::declared(&bytes, text)?))
        });
        let (file, skin) = found?;
        Some(Choice::SkinFile(file, skin))
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
            let worn = skin.worn(surface, model.format);
            if worn.is_some_and(hides) {
                return Texture::hidden();
            }
            names.extend(worn);
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
            return Texture { image: None, material: None, entry: TextureEntry::default() };
        }

        let first = names.first().and_then(|name| self.scripted(&surface.name, name, &names));
        if let Some(texture) = first {
            return texture;
        }
        let outcome =
            self.search.find(&names, &surface.name, &mut |file| self.pictures.try_open(file));
        let is_named = |found: &Found<_>| found.origin == Origin::Named;
        if !outcome.found.as_ref().is_some_and(is_named) {
            let others = names.iter().skip(1);
            let mut others = others.map(|name| self.scripted(&surface.name, name, &names));
            if let Some(texture) = others.find_map(|found| found) {
                return texture;
            }
        }
        let (looked, refused) = (outcome.looked, outcome.refused);
        let entry = TextureEntry { wanted, looked, refused, ..TextureEntry::default() };
        match outcome.found {
            Some(found) => Texture {
                image: Some(found.content),
                material: None,
                entry: entry.with(found.file, found.origin, found.missing, found.shadowed),
            },
            None => Texture { image: None, material: None, entry },
        }
    }
}

fn embedded(model: &Model, number: usize, time: f64) -> Texture {
    let image = model.skin_image(number, time).map(Arc::new);
    let origin = image.is_some().then_some(Origin::Embedded);
    Texture { image, material: None, entry: TextureEntry { origin, ..TextureEntry::default() } }
}

fn surface_names(model: &Model) -> impl Iterator<Item = &str> {
    model.surfaces.iter().map(|surface| surface.name.as_str())
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
