//! The one way to open a model: its bytes, animations, textures, palette and warnings.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::input::Around;
use super::palette::{read_colormap, read_palette};
use super::parts::{Part, Role};
use super::{RendererKind, STANDARD_INPUT, Scene, Skin};
use crate::assets::{
    AnimationCfg, AssetOptions, Origin, SkinChoice, TextureEntry, TextureReport, add_player_clips,
    find_anims, find_textures, list_skins, skin_count, skin_files,
};
use crate::error::{LoadErrorKind, OpenError, Place, RequestError, Warning};
use crate::files::{Files, Home, Limit, is_same_file};
use crate::image::{Colormap, PIXEL_MEMORY, Palette};
use crate::location::Location;
use crate::look::ShaderStages;
use crate::model::{Clip, Format, Model};

/// A model with all that a scene names, read and put on.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The model, wearing its skins; of a player its legs or its body.
    pub model: Model,
    /// The other models of the picture, in an order in which each comes behind what it hangs on.
    pub parts: Vec<Part>,
    /// The folder of the player that all of this is.
    pub player: Option<Location>,
    /// What is missing of a player or a weapon.
    pub warnings: Vec<String>,
    /// What the model is in the picture.
    pub(super) role: Role,
    /// What a player's `animation.cfg` says beside its clips.
    pub(super) habits: AnimationCfg,
    /// How many bytes the model's file has.
    pub size: u64,
    /// Where the model was found; `None` for the standard input.
    pub file: Option<Location>,
    /// Files of the same name in the game that lost: their archives or folders come later.
    pub shadowed: Vec<Location>,
    /// The folders and archives in which names from the game's root are looked up, the one that wins
    /// first; empty for a model that lies in no game.
    pub sources: Vec<PathBuf>,
    /// The animations that were found beside the mesh.
    pub anims: Vec<AnimFile>,
    /// Which textures were looked for where, and what was found.
    pub textures: TextureReport,
    /// The palette that was said.
    pub(super) palette: Option<Arc<Palette>>,
    /// The light table that was said.
    pub(super) colormap: Option<Arc<Colormap>>,
    /// Where other files of the model come from.
    around: Around,
    /// Skin entry that the model wears, if its picture lies in the file.
    embedded_skin: Option<usize>,
    /// Which picture of an animated skin it is.
    skin_picture: usize,
}

/// An animation beside a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnimFile {
    /// The file.
    pub file: Location,
    /// Why it was left out; what does not fit belongs to another mesh.
    pub error: Option<String>,
    /// Whether no mesh could use it.
    pub is_broken: bool,
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

impl Model {
    /// Reads a model file and finds its textures as the games do; missing ones are among the model's
    /// warnings. [`Scene::open`] has choices.
    ///
    /// # Errors
    /// If the file cannot be read or is not a model that can be loaded.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let mut opened = Scene::new(path.as_ref()).open()?;
        let warnings = opened.textures.warnings.into_iter();
        let warnings = warnings.map(|text| Warning::new(Place::File, "textures", text));
        opened.model.warnings.extend(warnings);
        Ok(opened.model)
    }
}

impl Scene {
    /// Reads the model and all that belongs to it.
    ///
    /// # Errors
    /// If the scene contradicts itself or asks for what the model does not have, or a file cannot be
    /// used.
    pub fn open(&self) -> Result<Opened, OpenError> {
        self.open_in(&Files::default(), Anims::AsAsked)
    }

    /// [`Scene::open`] with what is known of folders and archives: for many models of one place.
    ///
    /// # Errors
    /// As [`Scene::open`].
    pub fn open_in(&self, files: &Files, anims: Anims) -> Result<Opened, OpenError> {
        self.check()?;
        let opened = self.open_among(files, anims)?;
        self.check_format(opened.model.format())?;
        self.check_parts(&opened)?;
        Ok(opened)
    }

    /// Like [`Scene::open`]. What does not suit the renderer or the model's format is left aside.
    ///
    /// # Errors
    /// If the model cannot be read, or a file that the scene names cannot be used.
    pub fn open_with(&self, anims: Anims) -> Result<Opened, OpenError> {
        self.open_among(&Files::default(), anims)
    }

    /// [`Scene::open_with`] with what is known of folders and archives.
    ///
    /// # Errors
    /// As [`Scene::open_with`].
    pub(crate) fn open_among(&self, files: &Files, anims: Anims) -> Result<Opened, OpenError> {
        let around = self.around(files)?;
        if let Some(player) = around.player.clone() {
            let mut opened = self.open_player(&around, &player, anims)?;
            self.add_attachments(&around, &mut opened, anims)?;
            self.check_anims(&opened)?;
            opened.dress(self)?;
            return Ok(opened);
        }
        let bytes = Self::read_input(&around)?;
        self.open_around(&around, bytes, anims)
    }

    /// Like [`Scene::open_with`] for bytes that were read already.
    ///
    /// # Errors
    /// If the bytes are no model, or a file that the scene names cannot be used.
    pub fn open_bytes(&self, bytes: Vec<u8>, anims: Anims) -> Result<Opened, OpenError> {
        self.open_bytes_among(&Files::default(), bytes, anims)
    }

    /// [`Scene::open_bytes`] with what is known of folders and archives.
    ///
    /// # Errors
    /// As [`Scene::open_bytes`].
    pub(crate) fn open_bytes_among(
        &self,
        files: &Files,
        bytes: Vec<u8>,
        anims: Anims,
    ) -> Result<Opened, OpenError> {
        self.open_around(&self.around(files)?, bytes, anims)
    }

    fn open_around(
        &self,
        around: &Around,
        bytes: Vec<u8>,
        anims: Anims,
    ) -> Result<Opened, OpenError> {
        let mut opened = self.open_alone(around.clone(), bytes, anims)?;
        self.add_attachments(around, &mut opened, anims)?;
        opened.dress(self)?;
        Ok(opened)
    }

    /// A model of its own, not yet dressed.
    pub(super) fn open_alone(
        &self,
        around: Around,
        bytes: Vec<u8>,
        anims: Anims,
    ) -> Result<Opened, OpenError> {
        let size = bytes.len() as u64;
        let name = around.file.clone().unwrap_or(Location::on_disk(STANDARD_INPUT));
        let mut model = Model::from_vec_with(bytes, self.source.md2_geometry)
            .map_err(|source| OpenError::Load { file: name, source })?;
        let given: Vec<Location> =
            self.source.anims.iter().map(|anim| around.find(anim).0).collect();
        for anim in &given {
            add_anim(&mut model, &around.files, anim).map_err(|error| error.of_option("--anim"))?;
        }
        let home = around.file.as_ref().map(|file| {
            let (game, search) = (around.game.as_deref(), self.source.texture_search);
            Home::of(&around.files, file, game, around.is_game_name, search)
        });
        let mut habits = None;
        if let (Some(home), Some(file)) = (&home, &around.file) {
            let stem = file.file_stem().to_string_lossy();
            habits = add_player_clips(&mut model, &around.files, home, &stem);
        }
        let found = match &home {
            Some(home) if model.format() == Format::Md5 => {
                let beside = self.anims_beside(&around.files, home, anims);
                add_anims(&mut model, &around.files, beside, &given)
            }
            _ => Vec::new(),
        };
        if given.is_empty() && model.format() == Format::Md5 {
            model.idle = idle_of(model.clips().iter().map(Clip::name)).unwrap_or(0);
        }
        let tree = match (&home, &around.game) {
            (Some(home), _) if home.has_root => Some(home.tree.clone()),
            (_, game) => game.as_ref().map(|game| game.tree(false)),
        };
        let sources = tree.iter().flat_map(|tree| tree.sources());
        Ok(Opened {
            model,
            parts: Vec::new(),
            player: None,
            warnings: Vec::new(),
            role: Role::Alone,
            habits: habits.unwrap_or_default(),
            size,
            file: around.file.clone(),
            shadowed: around.shadowed.clone(),
            sources: sources.map(|source| source.path().to_path_buf()).collect(),
            anims: found,
            textures: TextureReport::default(),
            palette: None,
            colormap: None,
            around,
            embedded_skin: None,
            skin_picture: 0,
        })
    }

    /// The animations near a mesh that the scene may show: all if it chooses one, else the idle one, and
    /// none if it has its own or names frames.
    fn anims_beside(&self, files: &Files, home: &Home, anims: Anims) -> Vec<Location> {
        let moment = &self.moment;
        let found = find_anims(files, home);
        if anims == Anims::All || moment.animation.is_some() || moment.seconds.is_some() {
            return found;
        }
        if moment.frames.is_some() || !self.source.anims.is_empty() {
            return Vec::new();
        }
        let names: Vec<String> =
            found.iter().map(|file| file.file_stem().to_string_lossy().into_owned()).collect();
        let idle = idle_of(names.iter().map(String::as_str));
        idle.map(|idle| found[idle].clone()).into_iter().collect()
    }

    /// What the scene says of skins, for this model.
    fn asset_options(&self, model: &Model, around: &Around) -> Result<AssetOptions, OpenError> {
        let source = &self.source;
        for root in &source.texture_roots {
            around.files.root(root).map_err(|error| error.of_option("--texture-root"))?;
        }
        let mut options = AssetOptions {
            texture_roots: source.texture_roots.clone(),
            game: around.game.clone(),
            is_game_name: around.is_game_name,
            texture_search: source.texture_search,
            time: self.moment.clock.unwrap_or(0.0),
            reads_scripts: self.look.stages != ShaderStages::None,
            max_memory: source.max_memory.map_or(PIXEL_MEMORY, |mib| u64::from(mib) << 20),
            ..AssetOptions::default()
        };
        for skin in &source.skins {
            match skin {
                Skin::Number(number) => options.skin = self.skin_number(*number, model)?,
                Skin::File(file) => options.skin = SkinChoice::File(around.find(file).0),
                Skin::Surface { surface, file } => {
                    let surface = surface.to_string_lossy().into_owned();
                    let mut whole = std::ffi::OsString::from(&surface);
                    whole.push("=");
                    whole.push(file.to_os_string());
                    let whole = Location::on_disk(whole);
                    let names = model.surfaces().iter().map(crate::model::Surface::name);
                    let is_known =
                        names.into_iter().any(|name| name.eq_ignore_ascii_case(&surface));
                    if !is_known && around.files.exists(&whole) {
                        options.skin = SkinChoice::File(whole);
                    } else {
                        options.surface_files.push((surface, around.find(file).0));
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
    pub(super) fn dress_alone(&mut self, scene: &Scene) -> Result<(), OpenError> {
        let find = |name: &Option<Location>| name.as_ref().map(|name| self.around.find(name).0);
        let (palette, colormap) = (find(&scene.source.palette), find(&scene.source.colormap));
        let files = &self.around.files;
        self.palette = palette.as_ref().map(|file| read_palette(files, file)).transpose()?;
        self.colormap = colormap.as_ref().map(|file| read_colormap(files, file)).transpose()?;
        let mut options = scene.asset_options(&self.model, &self.around)?;
        options.palette = self.palette.clone();
        let files = self.around.files.clone();
        self.textures = find_textures(&mut self.model, &files, self.file.as_ref(), &options)
            .map_err(|error| self.with_known_skins(error, scene).of_option("--skin"))?;
        self.textures.warnings.extend(files.warnings());
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
        let OpenError::Read { file, source } = &error else { return error };
        let path = file.path();
        let is_word = path.extension().is_none() && path.components().count() == 1;
        if !is_word || file.member().is_some() || source.kind() != io::ErrorKind::NotFound {
            return error;
        }
        let known: Vec<String> = self.skins(scene).into_iter().map(|(_, name)| name).collect();
        let known = known.join(", ");
        RequestError::new(format!("there is no skin or file '{file}'; this model has {known}"))
            .into()
    }

    /// Takes those of some animations that fit instead of its own; a mesh of the same skeleton plays what
    /// the first one does.
    pub(super) fn share_anims(&mut self, anims: &[Location]) {
        if anims.is_empty() {
            return;
        }
        self.model.remove_anims();
        self.anims.clear();
        for anim in anims {
            let anim = self.around.find(anim).0;
            // The first mesh has said what is wrong with it.
            let _ = add_anim(&mut self.model, &self.around.files, &anim);
        }
    }

    /// Where a name leads: into the game if it has such a file, else to the disk.
    pub(super) fn find(&self, name: &Location) -> Location {
        self.around.find(name).0
    }

    /// Lower-case names of all that lies beside a file in its game.
    pub(crate) fn names_beside(&self, file: &Location) -> BTreeSet<String> {
        let home = self.around.home(file);
        self.around.files.dir(&home.tree, &home.folder).names()
    }

    pub(super) fn around_files(&self) -> &Files {
        &self.around.files
    }

    /// The place of a file in the model's game.
    pub(super) fn home(&self, file: &Location) -> Home {
        self.around.home(file)
    }

    /// The model's file in messages, or the folder of a player.
    #[must_use]
    pub fn name(&self) -> String {
        self.player
            .as_ref()
            .or(self.file.as_ref())
            .map_or_else(|| STANDARD_INPUT.to_owned(), ToString::to_string)
    }

    /// Whether the model wears a skin that lies in its file.
    pub(crate) fn wears_embedded(&self) -> bool {
        self.embedded_skin.is_some()
    }

    /// Whether the picture of the skin, or a stage of a shader script, depends on the clock.
    #[must_use]
    pub fn has_animated_skin(&self) -> bool {
        let materials = self.model.surfaces.iter().filter_map(|surface| surface.material.as_ref());
        self.embedded_skin.is_some_and(|skin| self.model.skin_picture_count(skin) > 1)
            || materials.flat_map(|material| &material.stages).any(|stage| !stage.is_still())
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

    /// Where the picture of every skin that the model offers would come from, without opening it and
    /// looked for as it is asked for: see [`TextureEntry`]. One entry per skin of the model, then per
    /// texture name of its surfaces.
    pub fn offered_textures(&self, scene: &Scene) -> impl Iterator<Item = TextureEntry> {
        let options = scene.asset_options(&self.model, &self.around).unwrap_or_default();
        list_skins(&self.model, &self.around.files, self.file.as_ref(), &options)
    }

    /// The skins that can be chosen for all surfaces, with a name for each; of a player those that any
    /// part has.
    #[must_use]
    pub fn skins(&self, scene: &Scene) -> Vec<(Skin, String)> {
        if self.is_quake3_player() {
            return self.player_skins(scene);
        }
        let model = &self.model;
        let name = |skin: usize| match model.skins().get(skin).map(|skin| skin.name()) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => skin.to_string(),
        };
        let number = |skin: usize| Skin::Number(i32::try_from(skin).unwrap_or(i32::MAX));
        let mut skins: Vec<_> =
            (0..skin_count(model)).map(|skin| (number(skin), name(skin))).collect();
        skins.extend(self.skin_files(scene).into_iter().map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            (Skin::File(file), name)
        }));
        skins
    }

    /// The files beside the model that are skins for it.
    #[must_use]
    pub fn skin_files(&self, scene: &Scene) -> Vec<Location> {
        let options = scene.asset_options(&self.model, &self.around).unwrap_or_default();
        let files = &self.around.files;
        let beside = |file| skin_files(&self.model, files, file, &options);
        self.file.as_ref().map(beside).unwrap_or_default()
    }
}

/// The number of the animation that a model rests in, by its name: one called `idle` or with that in its
/// name, else the same with `stand`.
fn idle_of<'a>(names: impl Iterator<Item = &'a str>) -> Option<usize> {
    let names: Vec<String> = names.map(str::to_lowercase).collect();
    ["idle", "stand"].iter().find_map(|word| {
        let exact = names.iter().position(|name| name == word);
        exact.or_else(|| names.iter().position(|name| name.contains(word)))
    })
}

/// Adds those of some animations near the mesh that fit it, unless they were given.
fn add_anims(
    model: &mut Model,
    files: &Files,
    mut found: Vec<Location>,
    given: &[Location],
) -> Vec<AnimFile> {
    found.retain(|file| !given.iter().any(|given| is_same_file(given, file)));
    let add = |file: Location| {
        let error = add_anim(model, files, &file).err();
        let is_broken = error.as_ref().is_some_and(|error| match error {
            OpenError::Load { source, .. } => source.kind() != LoadErrorKind::Mismatch,
            _ => true,
        });
        AnimFile { file, error: error.map(|error| error.to_string()), is_broken }
    };
    found.into_iter().map(add).collect()
}

pub(super) fn add_anim(model: &mut Model, files: &Files, file: &Location) -> Result<(), OpenError> {
    let bytes = files.read(file, Limit::MODEL)?;
    let added = model.add_anim(&file.file_stem().to_string_lossy(), &bytes);
    added.map(drop).map_err(|source| OpenError::Load { file: file.clone(), source })
}
