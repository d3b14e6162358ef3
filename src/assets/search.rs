//! Where a texture may be, given the name that a model has for it.
//!
//! Models name textures by paths from a game's root, by paths on their author's disk, or not at all.
//! The places are tried in a fixed order that `docs/textures.md` lists; every place is written down
//! so that a missing texture can be explained.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::is_model_name;
use super::skin_file::base_name;
use crate::files::{Dir, Files, Home, Tree, child, parts};
use crate::image::is_drawn_by_polyset;
use crate::location::Location;
use crate::model::Format;

/// Extensions of pictures in the order in which they are tried.
pub(super) const EXTENSIONS: [&str; 8] = ["tga", "jpg", "jpeg", "png", "pcx", "bmp", "dds", "lmp"];

/// Extensions that models name although no such file can be read; another one may lie beside it.
const OTHER_EXTENSIONS: [&str; 6] = ["gif", "tif", "psd", "wal", "webp", "xcf"];

/// What people append to the name of the colour texture, tried when the plain name is not there.
const SUFFIXES: [&str; 3] = ["_d", "_diffuse", "_local_d"];

/// Ends of names of pictures that are something else than the colour texture.
const OTHER_MAPS: [&str; 21] = [
    "ao", "alpha", "bump", "g", "gloss", "glow", "h", "height", "i", "local", "luma", "mask",
    "masks", "n", "nm", "normal", "normals", "s", "sc", "spec", "specular",
];

/// Bytes at the beginning of a picture that say who made it.
const HEAD: u64 = 4096;

/// How a texture was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It lies in the model file.
    Embedded,
    /// The user gave the file.
    Given,
    /// The model or its `.skin` file names it.
    Named,
    /// Nothing of the wanted name is there; a picture that is likely to belong to the model was taken.
    Guessed,
}

impl Origin {
    /// A word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Given => "given",
            Self::Named => "named",
            Self::Guessed => "guessed",
        }
    }
}

/// Where a search may look.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Looked into first: a folder of a tree each.
    pub(super) roots: Vec<(Tree, Vec<String>)>,
    /// The model's folder; `None` for a model from nowhere, such as standard input.
    pub(super) home: Option<Home>,
    /// The game, if the model does not lie in it.
    pub(super) game: Option<Tree>,
    /// Whether textures are looked for around the model at all.
    pub(super) is_silent: bool,
}

/// Looks for the textures of one model.
#[derive(Debug)]
pub(super) struct Search {
    files: Files,
    places: Places,
    format: Format,
    /// The model's file name without extension.
    stem: String,
    /// The place of a `.skin` file that the user gave.
    skin_home: Option<Home>,
    /// Folders that were looked into, by what they are called in messages.
    dirs: RefCell<HashMap<String, Rc<Dir>>>,
    /// Of the folder beside the model.
    pictures: OnceCell<Option<String>>,
    is_alone: OnceCell<bool>,
}

/// The places of one texture: looked at once, in order.
#[derive(Debug, Default)]
struct Trail {
    seen: HashSet<(String, String)>,
    looked: Vec<String>,
}

/// What a search came to.
#[derive(Debug)]
pub(super) struct Outcome<T> {
    pub(super) found: Option<Found<T>>,
    /// Every place that was tried, in order, as a path of which the extension is open (`.*`).
    pub(super) looked: Vec<String>,
    /// Files of the names that were not accepted.
    pub(super) refused: Vec<Location>,
}

/// A texture.
#[derive(Debug)]
pub(super) struct Found<T> {
    pub(super) file: Location,
    pub(super) origin: Origin,
    /// Names that come before the one that it was found by.
    pub(super) missing: usize,
    /// Files of the same name in sources that come later.
    pub(super) shadowed: Vec<Location>,
    pub(super) content: T,
}

/// A texture's name: folder, name without extension, extension.
struct Name {
    folder: Vec<String>,
    stem: String,
    extension: Option<String>,
}

/// A hit before it is known whether it was named.
type Hit<T> = (Location, Vec<Location>, T);

impl Name {
    fn parse(name: &str) -> Option<Self> {
        let mut folder = parts(name);
        let file = folder.pop()?;
        // A leading dot means "beside the model" in UFO: Alien Invasion.
        let file = file.strip_prefix('.').unwrap_or(&file);
        let known = |extension: &str| {
            let mut all = EXTENSIONS.iter().chain(&OTHER_EXTENSIONS);
            all.any(|known| known.eq_ignore_ascii_case(extension))
        };
        let (stem, extension) = match file.rsplit_once('.') {
            Some((stem, extension)) if known(extension) => (stem, Some(extension.to_lowercase())),
            _ => (file, None),
        };
        (!stem.is_empty()).then(|| Self { folder, stem: stem.into(), extension })
    }
}

impl Search {
    /// A search for a model of `format` whose file is called `stem` without its extension.
    pub(super) fn new(files: &Files, format: Format, stem: &str, places: Places) -> Self {
        Self {
            files: files.clone(),
            places,
            format,
            stem: stem.into(),
            skin_home: None,
            dirs: RefCell::default(),
            pictures: OnceCell::new(),
            is_alone: OnceCell::new(),
        }
    }

    /// Looks around a `.skin` file too.
    pub(super) fn add_skin_file(&mut self, home: Home) {
        self.skin_home = Some(home);
    }

    /// The file of this name beside the model, case aside.
    pub(super) fn beside(&self, name: &str) -> Option<Location> {
        self.here()?.files(name).into_iter().next()
    }

    /// Names beside the model in lower case, sorted.
    pub(super) fn names_beside(&self) -> Vec<String> {
        self.here().map(|here| here.names().into_iter().collect()).unwrap_or_default()
    }

    /// The model's folder.
    fn here(&self) -> Option<Rc<Dir>> {
        let home = self.places.home.as_ref()?;
        Some(self.dir(&home.tree, &home.folder).1)
    }

    /// A folder, and what it is called in messages.
    fn dir(&self, tree: &Tree, folder: &[String]) -> (String, Rc<Dir>) {
        let name = tree.display(folder);
        let mut dirs = self.dirs.borrow_mut();
        let dir = match dirs.get(&name) {
            Some(dir) => Rc::clone(dir),
            None => {
                let dir = Rc::new(self.files.dir(tree, folder));
                dirs.insert(name.clone(), Rc::clone(&dir));
                dir
            }
        };
        (name, dir)
    }

    /// The model's name without extension, and without the `_1` of a level of detail.
    pub(super) fn stems(&self) -> Vec<&str> {
        let mut stems = vec![self.stem.as_str()];
        let digit = self.stem.chars().last().is_some_and(|c| c.is_ascii_digit());
        if self.format == Format::Md3 && digit && base_name(&self.stem) != self.stem {
            stems.push(base_name(&self.stem));
        }
        stems.retain(|stem| !stem.is_empty());
        stems
    }

    /// Looks for the first of `names` that is there, else guesses for a surface of this name. `accept`
    /// a file that exists; where it gives `None` the search goes on.
    pub(super) fn find<T>(
        &self,
        names: &[&str],
        surface: &str,
        accept: &mut impl FnMut(&Location) -> Option<T>,
    ) -> Outcome<T> {
        let mut trail = Trail::default();
        let names: Vec<Option<Name>> = names.iter().map(|name| Name::parse(name)).collect();
        let mut refused = Vec::new();
        let mut accept_named = |file: &Location| {
            let content = accept(file);
            if content.is_none() {
                refused.push(file.clone());
            }
            content
        };
        let named = names.iter().enumerate().find_map(|(number, name)| {
            let hit = self.named(name.as_ref()?, &mut trail, &mut accept_named)?;
            Some((Origin::Named, number, hit))
        });
        let found = named.or_else(|| {
            let hit = self.guessed(surface, &mut trail, accept)?;
            Some((Origin::Guessed, names.len(), hit))
        });
        let found = found.map(|(origin, missing, (file, shadowed, content))| Found {
            file,
            origin,
            missing,
            shadowed,
            content,
        });
        Outcome { found, looked: trail.looked, refused }
    }

    /// The folders in which those of a game stand: the roots that were given, then that of the game that
    /// the model lies in, or else its own folder, then the game.
    pub(super) fn bases(&self) -> Vec<(&Tree, Vec<String>)> {
        let roots = self.places.roots.iter().map(|(tree, folder)| (tree, folder.clone()));
        let homes = [&self.places.home, &self.skin_home];
        let homes = homes.into_iter().flatten().filter(|_| !self.places.is_silent);
        let homes = homes
            .map(|home| (&home.tree, if home.has_root { Vec::new() } else { home.folder.clone() }));
        let game = self.places.game.iter().filter(|_| !self.places.is_silent);
        roots.chain(homes).chain(game.map(|game| (game, Vec::new()))).collect()
    }

    /// Looks for a picture of exactly this name, as [`Search::find`] does before it guesses.
    pub(super) fn find_named<T>(
        &self,
        name: &str,
        accept: &mut impl FnMut(&Location) -> Option<T>,
    ) -> Option<T> {
        let name = Name::parse(name)?;
        let (_, _, content) = self.named(&name, &mut Trail::default(), accept)?;
        Some(content)
    }

    /// The folders beside the model's that may hold its pictures.
    fn near(&self) -> impl Iterator<Item = (&Tree, Vec<String>)> {
        let home = self.places.home.iter().filter(|_| !self.places.is_silent);
        home.flat_map(|home| {
            let inside = ["md5", "skins", "textures"].map(|name| child(&home.folder, name));
            std::iter::once(home.folder.clone()).chain(inside).map(|folder| (&home.tree, folder))
        })
    }

    /// `textures` beside the model's folder.
    fn textures_beside(&self) -> Option<(&Tree, Vec<String>)> {
        let home = self.places.home.as_ref().filter(|_| !self.places.is_silent)?;
        let (_, above) = home.folder.split_last()?;
        Some((&home.tree, child(above, "textures")))
    }

    /// The folders above the model from which its names may count: its own, then those up to the root
    /// of the game that it lies in.
    fn above(&self) -> impl Iterator<Item = (&Tree, Vec<String>)> {
        let homes = [&self.places.home, &self.skin_home];
        let homes = homes.into_iter().flatten().filter(|_| !self.places.is_silent);
        let above = homes.flat_map(|home| {
            let levels = if home.has_root { 0 } else { home.folder.len() };
            (levels..=home.folder.len())
                .rev()
                .map(|level| (&home.tree, home.folder[..level].to_vec()))
        });
        let game = self.places.game.iter().filter(|_| !self.places.is_silent);
        above.chain(game.map(|game| (game, Vec::new())))
    }

    /// The places of a name: the roots, the folders above the model, and the file alone beside it.
    fn named<T>(
        &self,
        name: &Name,
        trail: &mut Trail,
        accept: &mut impl FnMut(&Location) -> Option<T>,
    ) -> Option<Hit<T>> {
        let roots = || self.places.roots.iter().map(|(tree, folder)| (tree, folder.clone()));
        let with_folder =
            |(tree, base): (_, Vec<String>)| (tree, [base, name.folder.clone()].concat());
        let alone = roots().chain(self.near());
        let above = self.above().map(with_folder);
        let mut places: Vec<(&Tree, Vec<String>)> = roots().map(with_folder).collect();
        if name.folder.is_empty() {
            // A file beside the model rather than in a folder far above.
            places.extend(alone.chain(above));
        } else {
            places.extend(above.chain(alone));
        }
        let extension = name.extension.as_deref();
        for suffixes in [&[""][..], &SUFFIXES] {
            for (tree, folder) in &places {
                for suffix in suffixes {
                    let stem = format!("{}{suffix}", name.stem);
                    let hit = self.look(tree, folder, &stem, extension, trail, accept);
                    if hit.is_some() {
                        return hit;
                    }
                }
            }
        }
        let (tree, folder) = self.textures_beside()?;
        [""].iter().chain(&SUFFIXES).find_map(|suffix| {
            let stem = format!("{}{suffix}", name.stem);
            self.look(tree, &folder, &stem, extension, trail, accept)
        })
    }

    /// Pictures that are likely to belong to the model: called like the surface or like the model
    /// (`tris` of Quake II: or like its folder); where no other model is in the folder, `skin` or the
    /// only picture there is.
    fn guessed<T>(
        &self,
        surface: &str,
        trail: &mut Trail,
        accept: &mut impl FnMut(&Location) -> Option<T>,
    ) -> Option<Hit<T>> {
        let home = self.places.home.as_ref().filter(|_| !self.places.is_silent)?;
        let mut stems = Vec::new();
        if matches!(self.format, Format::Md3 | Format::Md5) && !surface.contains(['/', '\\', '\0'])
        {
            stems.extend([surface, base_name(surface)]);
        }
        stems.extend(self.stems());
        stems.retain(|stem| !stem.is_empty());
        if self.stem.eq_ignore_ascii_case("tris") {
            stems.extend(home.folder.last().map(String::as_str));
        }
        let is_alone = *self.is_alone.get_or_init(|| self.is_only_model());
        if is_alone {
            stems.push("skin");
        }
        let folders: Vec<_> = self.near().chain(self.textures_beside()).collect();
        for stem in stems {
            for suffix in [""].iter().chain(&SUFFIXES) {
                for (tree, folder) in &folders {
                    let stem = format!("{stem}{suffix}");
                    let hit = self.look(tree, folder, &stem, None, trail, accept);
                    if hit.is_some() {
                        return hit;
                    }
                }
            }
        }
        let (shown, here) = self.dir(&home.tree, &home.folder);
        if !is_alone {
            trail.looked.push(format!("{shown}: no guess, there are several models"));
            return None;
        }
        trail.looked.push(format!("{shown}: the only picture"));
        let only = self.pictures.get_or_init(|| self.only_picture());
        first_accepted(here.files(only.as_ref()?), accept)
    }

    /// Whether all models beside this one are levels of its detail.
    fn is_only_model(&self) -> bool {
        let own: Vec<String> = self.stems().iter().map(|stem| stem.to_lowercase()).collect();
        let is_own = |name: &String| {
            let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
            let is_level = extension == "md3" && own.iter().any(|own| own == base_name(stem));
            is_level || own.iter().any(|own| own == stem)
        };
        self.names_beside().iter().filter(|name| is_model_name(name)).all(is_own)
    }

    /// The only picture beside the model that may be its colour texture: no icon, no normal map and the
    /// like. One picture in several formats counts once.
    fn only_picture(&self) -> Option<String> {
        let rank = |name: &str| {
            let (stem, extension) = name.rsplit_once('.')?;
            let rank = EXTENSIONS.iter().position(|known| *known == extension)?;
            let end = stem.rsplit_once('_').map_or(stem, |(_, end)| end);
            (!is_icon(name) && !OTHER_MAPS.contains(&end)).then(|| (stem.to_owned(), rank))
        };
        let names = self.names_beside().into_iter();
        let mut pictures: Vec<_> = names.filter_map(|name| Some((rank(&name)?, name))).collect();
        pictures.retain(|(_, name)| !self.is_drawn(name));
        pictures.sort_unstable();
        pictures.dedup_by(|next, kept| next.0.0 == kept.0.0);
        match &mut pictures[..] {
            [(_, name)] => Some(std::mem::take(name)),
            _ => None,
        }
    }

    /// Whether polyset drew a picture beside the model, whatever it is called.
    fn is_drawn(&self, name: &str) -> bool {
        let file = self.beside(name);
        file.is_some_and(|file| is_drawn_by_polyset(&self.files.head(&file, HEAD)))
    }

    /// One place: `stem` with every extension, the named one first.
    fn look<T>(
        &self,
        tree: &Tree,
        folder: &[String],
        stem: &str,
        extension: Option<&str>,
        trail: &mut Trail,
        accept: &mut impl FnMut(&Location) -> Option<T>,
    ) -> Option<Hit<T>> {
        let (place, dir) = self.dir(tree, folder);
        if !trail.seen.insert((place.clone(), stem.to_lowercase())) {
            return None;
        }
        if !dir.exists() {
            // One line per folder that does not exist, however many names are tried in it.
            if trail.seen.insert((place.clone(), String::new())) {
                trail.looked.push(format!("{place} (no such folder)"));
            }
            return None;
        }
        let slash = if place.ends_with(['/', ':']) { "" } else { "/" };
        trail.looked.push(format!("{place}{slash}{stem}.*"));
        let first = extension.filter(|wanted| EXTENSIONS.contains(wanted));
        let others = EXTENSIONS.into_iter().filter(|other| Some(*other) != first);
        for extension in first.into_iter().chain(others) {
            let hit = first_accepted(dir.files(&format!("{stem}.{extension}")), accept);
            if hit.is_some() {
                return hit;
            }
        }
        None
    }
}

/// The first file that can be opened, and those behind it.
fn first_accepted<T>(
    files: Vec<Location>,
    accept: &mut impl FnMut(&Location) -> Option<T>,
) -> Option<Hit<T>> {
    let mut files = files.into_iter();
    files
        .by_ref()
        .find_map(|file| accept(&file).map(|content| (file, content)))
        .map(|(file, content)| (file, files.collect(), content))
}

/// Pictures for menus: `icon_default.tga` in Quake III, `grunt_i.pcx` in Quake II.
fn is_icon(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.starts_with("icon_") || stem.ends_with("_i")
}
