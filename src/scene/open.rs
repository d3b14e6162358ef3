//! The one way to open a model: its bytes, animations, textures, palette and warnings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Input, RendererKind, Scene, Skin};
use crate::assets::{
    AssetOptions, Origin, SkinChoice, TextureEntry, TextureReport, find_anims, find_textures,
    list_skins, skin_count, skin_files,
};
use crate::error::{OpenError, Place, RequestError, Warning};
use crate::image::{Colormap, Image, Palette};
use crate::model::{Format, Model};
use crate::read::{read_file, read_stdin};

/// A model with all that a scene names, read and put on.
#[derive(Debug)]
pub struct Opened {
    /// The model, wearing its skins.
    pub model: Model,
    /// How many bytes the model's file has.
    pub size: u64,
    /// The animations that were found beside the mesh.
    pub anims: Vec<AnimFile>,
    /// Which textures were looked for where, and what was found.
    pub textures: TextureReport,
    /// The palette that was said.
    pub(super) palette: Option<Arc<Palette>>,
    /// The light table that was said.
    pub(super) colormap: Option<Arc<Colormap>>,
    /// Skin entry that the model wears, if its picture lies in the file.
    embedded_skin: Option<usize>,
    /// Which picture of an animated skin it is.
    skin_picture: usize,
}

/// An animation beside a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnimFile {
    /// The file.
    pub file: PathBuf,
    /// Why it was left out; what does not fit belongs to another mesh.
    pub error: Option<String>,
}

/// Which animations beside an `.md5mesh` are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Anims {
    /// All if the scene chooses an animation, else none: frames are then counted without them.
    AsAsked,
    /// All.
    All,
}

/// 256 colours of three bytes.
const PALETTE_BYTES: usize = 768;

impl Input {
    /// All bytes.
    ///
    /// # Errors
    /// If they cannot be read, or are more than any model has.
    pub fn read(&self) -> Result<Vec<u8>, OpenError> {
        match self {
            Self::Stdin => read_stdin(),
            Self::File(path) => read_file(path),
        }
    }
}

impl Model {
    /// Reads a model file and finds its textures as the games do; missing ones are among the model's
    /// warnings. [`Scene::open`] has choices.
    ///
    /// # Errors
    /// If the file cannot be read or is not a model that can be loaded.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let scene = Scene { source: Input::File(path.as_ref().into()).into(), ..Scene::default() };
        let mut opened = scene.open()?;
        let warnings = opened.textures.warnings.into_iter();
        let warnings = warnings.map(|text| Warning::new(Place::File, "textures", text));
        opened.model.warnings.extend(warnings);
        Ok(opened.model)
    }
}

impl From<Input> for super::Source {
    fn from(input: Input) -> Self {
        Self { input, ..Self::default() }
    }
}

impl Scene {
    /// Reads the model and all that belongs to it.
    ///
    /// # Errors
    /// If the scene contradicts itself or asks for what the model does not have, or a file cannot be
    /// used.
    pub fn open(&self) -> Result<Opened, OpenError> {
        self.check()?;
        let opened = self.open_bytes(self.source.input.read()?, Anims::AsAsked)?;
        self.check_format(opened.model.format())?;
        Ok(opened)
    }

    /// Like [`Scene::open`] for bytes that were read already. What does not suit the renderer or the
    /// model's format is left aside.
    ///
    /// # Errors
    /// If the bytes are no model, or a file that the scene names cannot be used.
    pub fn open_bytes(&self, bytes: Vec<u8>, anims: Anims) -> Result<Opened, OpenError> {
        let size = bytes.len() as u64;
        let name = self.source.input.name();
        let mut model = Model::from_vec_with(bytes, self.source.md2_geometry)
            .map_err(|source| OpenError::Load { path: name.into(), source })?;
        for path in &self.source.anims {
            add_anim(&mut model, path).map_err(|error| error.of_option("--anim"))?;
        }
        let asked = self.moment.animation.is_some() || self.moment.seconds.is_some();
        let found = match anims {
            Anims::AsAsked if !asked => Vec::new(),
            _ => self.add_anims_beside(&mut model),
        };
        let mut opened = Opened {
            model,
            size,
            anims: found,
            textures: TextureReport::default(),
            palette: None,
            colormap: None,
            embedded_skin: None,
            skin_picture: 0,
        };
        opened.dress(self)?;
        Ok(opened)
    }

    /// Adds every `.md5anim` that lies near the mesh and fits it, unless it was given.
    fn add_anims_beside(&self, model: &mut Model) -> Vec<AnimFile> {
        let Some(path) = self.source.input.path().filter(|_| model.format() == Format::Md5) else {
            return Vec::new();
        };
        let mut files = find_anims(path);
        files.retain(|file| !self.source.anims.iter().any(|given| is_same_file(given, file)));
        let add = |file: PathBuf| {
            let error = add_anim(model, &file).err().map(|error| error.to_string());
            AnimFile { file, error }
        };
        files.into_iter().map(add).collect()
    }

    /// What the scene says of skins, for this model.
    fn asset_options(&self, model: &Model) -> Result<AssetOptions, OpenError> {
        for root in &self.source.texture_roots {
            let listed = std::fs::read_dir(root);
            listed.map(drop).map_err(|source| {
                OpenError::Read { path: root.clone(), source }.of_option("--texture-root")
            })?;
        }
        let mut options = AssetOptions {
            texture_roots: self.source.texture_roots.clone(),
            time: self.moment.clock.unwrap_or(0.0),
            ..AssetOptions::default()
        };
        for skin in &self.source.skins {
            match skin {
                Skin::Number(number) => options.skin = self.skin_number(*number, model)?,
                Skin::File(file) => options.skin = SkinChoice::File(file.clone()),
                Skin::Surface { surface, file } => {
                    let surface = surface.to_string_lossy().into_owned();
                    let mut whole = std::ffi::OsString::from(&surface);
                    whole.push("=");
                    whole.push(file);
                    let names = model.surfaces().iter().map(crate::model::Surface::name);
                    let is_known =
                        names.into_iter().any(|name| name.eq_ignore_ascii_case(&surface));
                    if !is_known && Path::new(&whole).exists() {
                        options.skin = SkinChoice::File(whole.into());
                    } else {
                        options.surface_files.push((surface, file.clone()));
                    }
                }
            }
        }
        Ok(options)
    }

    /// The engines take a skin that does not exist as 0.
    fn skin_number(&self, number: i32, model: &Model) -> Result<SkinChoice, OpenError> {
        let count = skin_count(model);
        let is_engines = self.renderer == RendererKind::Classic
            && matches!(model.format(), Format::Mdl | Format::Md2);
        match usize::try_from(number).ok().filter(|&skin| skin < count) {
            Some(skin) => Ok(SkinChoice::Number(skin)),
            None if is_engines => Ok(SkinChoice::Default),
            None => Err(OpenError::from(RequestError::new(format!(
                "there is no skin {number}: the model has {count}, counted from 0"
            )))
            .of_option("--skin")),
        }
    }
}

impl Opened {
    /// Puts on what the scene says of skins, palette and colormap.
    ///
    /// # Errors
    /// If something does not fit the model or names a file that cannot be used.
    pub fn dress(&mut self, scene: &Scene) -> Result<(), OpenError> {
        let source = &scene.source;
        self.palette = source.palette.as_deref().map(palette).transpose()?;
        self.colormap = source.colormap.as_deref().map(colormap).transpose()?;
        let mut options = scene.asset_options(&self.model)?;
        options.palette = self.palette.clone();
        self.textures = find_textures(&mut self.model, source.input.path(), &options)
            .map_err(|error| self.with_known_skins(error, scene).of_option("--skin"))?;
        let is_embedded = self
            .textures
            .textures
            .first()
            .is_some_and(|entry| entry.origin == Some(Origin::Embedded));
        let number = if let SkinChoice::Number(number) = options.skin { number } else { 0 };
        self.embedded_skin = is_embedded.then_some(number);
        self.skin_picture = self.model.skin_picture(number, options.time);
        Ok(())
    }

    /// A word that names no skin is answered with those there are.
    fn with_known_skins(&self, error: OpenError, scene: &Scene) -> OpenError {
        let OpenError::Read { path, source } = &error else { return error };
        let is_word = path.extension().is_none() && path.components().count() == 1;
        if !is_word || source.kind() != std::io::ErrorKind::NotFound {
            return error;
        }
        let known: Vec<String> = self.skins(scene).into_iter().map(|(_, name)| name).collect();
        let (word, known) = (path.display(), known.join(", "));
        RequestError::new(format!("there is no skin or file '{word}'; this model has {known}"))
            .into()
    }

    /// Every file that was read for the scene, as far as it is known by name.
    #[must_use]
    pub fn files(&self, scene: &Scene) -> Vec<PathBuf> {
        let source = &scene.source;
        let given = [&source.palette, &source.colormap, &self.textures.skin_file];
        let anims = self.anims.iter().filter(|anim| anim.error.is_none()).map(|anim| &anim.file);
        let textures = self.textures.textures.iter().filter_map(|entry| entry.found.as_ref());
        let files = given.into_iter().flatten().chain(&source.anims).chain(anims).chain(textures);
        source.input.path().into_iter().map(Path::to_path_buf).chain(files.cloned()).collect()
    }

    /// Whether the model wears a skin that lies in its file.
    pub(crate) fn wears_embedded(&self) -> bool {
        self.embedded_skin.is_some()
    }

    /// Whether the picture of the skin depends on the clock.
    #[must_use]
    pub fn has_animated_skin(&self) -> bool {
        self.embedded_skin.is_some_and(|skin| self.model.skin_picture_count(skin) > 1)
    }

    /// Puts on the picture of an animated skin whose time it is.
    pub(super) fn animate_skin(&mut self, clock: f64) {
        let Some(skin) = self.embedded_skin else { return };
        let picture = self.model.skin_picture(skin, clock);
        if picture == self.skin_picture {
            return;
        }
        if let Some(image) = self.model.skin_image(skin, clock) {
            self.model.set_skin(0, image);
            self.skin_picture = picture;
        }
    }

    /// Where the picture of every skin that the model offers would come from, without opening it: see
    /// [`TextureEntry`]; one entry per skin of the model, then per texture name of its surfaces.
    #[must_use]
    pub fn offered_textures(&self, scene: &Scene) -> Vec<TextureEntry> {
        let texture_roots = scene.source.texture_roots.clone();
        let options = AssetOptions { texture_roots, ..AssetOptions::default() };
        list_skins(&self.model, scene.source.input.path(), &options)
    }

    /// The skins that can be chosen for all surfaces, with a name for each.
    #[must_use]
    pub fn skins(&self, scene: &Scene) -> Vec<(Skin, String)> {
        let model = &self.model;
        let name = |skin: usize| match model.skins().get(skin).map(|skin| skin.name()) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => skin.to_string(),
        };
        let number = |skin: usize| Skin::Number(i32::try_from(skin).unwrap_or(i32::MAX));
        let mut skins: Vec<_> =
            (0..skin_count(model)).map(|skin| (number(skin), name(skin))).collect();
        let path = scene.source.input.path().filter(|_| model.format() == Format::Md3);
        skins.extend(path.map(skin_files).unwrap_or_default().into_iter().map(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (Skin::File(file), name)
        }));
        skins
    }
}

fn add_anim(model: &mut Model, path: &Path) -> Result<(), OpenError> {
    let bytes = read_file(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let added = model.add_anim(&name, &bytes);
    added.map(drop).map_err(|source| OpenError::Load { path: path.into(), source })
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    a == b || real(a).is_some_and(|a| real(b) == Some(a))
}

/// A palette: 768 bytes as in Quake's `palette.lmp`, or that of a picture.
fn palette(path: &Path) -> Result<Arc<Palette>, OpenError> {
    let read = || {
        let bytes = read_file(path)?;
        if bytes.len() == PALETTE_BYTES {
            let palette = Palette::from_lmp(&bytes);
            return palette.map(Arc::new).map_err(|source| OpenError::image(path, source));
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let image = Image::from_bytes(&bytes, &extension).ok();
        image.and_then(|image| image.palette().cloned()).ok_or_else(|| {
            OpenError::from(RequestError::new(format!(
                "'{}': expected {PALETTE_BYTES} bytes or a PCX picture, found {} bytes",
                path.display(),
                bytes.len()
            )))
        })
    };
    read().map_err(|error: OpenError| error.of_option("--palette"))
}

/// A colormap of 64 rows.
fn colormap(path: &Path) -> Result<Arc<Colormap>, OpenError> {
    let read = || {
        let colormap = Colormap::from_lmp(&read_file(path)?);
        colormap.map(Arc::new).map_err(|source| OpenError::image(path, source))
    };
    read().map_err(|error: OpenError| error.of_option("--colormap"))
}
