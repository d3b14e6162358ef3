//! Where a texture may be, given the name that a model has for it.
//!
//! Models name textures by paths from a game's root, by paths on their author's disk, or not at all.
//! The places are tried in a fixed order that `docs/textures.md` lists; every place is written down
//! so that a missing texture can be explained.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::dir::{Disk, parts};
use super::skin_file::base_name;
use crate::model::Format;

/// Extensions of pictures in the order in which they are tried.
const EXTENSIONS: [&str; 8] = ["tga", "jpg", "jpeg", "png", "pcx", "bmp", "dds", "lmp"];

/// Extensions that models name although no such file can be read; another one may lie beside it.
const OTHER_EXTENSIONS: [&str; 6] = ["gif", "tif", "psd", "wal", "webp", "xcf"];

/// What people append to the name of the colour texture, tried when the plain name is not there.
const SUFFIXES: [&str; 3] = ["_d", "_diffuse", "_local_d"];

/// Ends of names of pictures that are something else than the colour texture.
const OTHER_MAPS: [&str; 21] = [
    "ao", "alpha", "bump", "g", "gloss", "glow", "h", "height", "i", "local", "luma", "mask",
    "masks", "n", "nm", "normal", "normals", "s", "sc", "spec", "specular",
];

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

/// Looks for the textures of one model.
#[derive(Debug)]
pub(super) struct Search {
    disk: Disk,
    format: Format,
    roots: Vec<PathBuf>,
    /// The model's folder, absolute.
    folder: Option<PathBuf>,
    /// The model's file name without extension.
    stem: String,
    /// Folder of a `.skin` file that the user gave.
    skin_folder: Option<PathBuf>,
}

/// The places of one texture: looked at once, in order.
#[derive(Debug, Default)]
struct Trail {
    seen: HashSet<(PathBuf, String)>,
    looked: Vec<String>,
}

/// What a search came to.
#[derive(Debug)]
pub(super) struct Outcome<T> {
    pub(super) found: Option<(PathBuf, Origin, T)>,
    /// Every place that was tried, in order, as a path of which the extension is open (`.*`).
    pub(super) looked: Vec<String>,
}

/// A texture's name: folder, name without extension, extension.
struct Name {
    folder: Vec<String>,
    stem: String,
    extension: Option<String>,
}

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
    /// A search for a model of `format` at `path` (`None`: from nowhere, such as standard input).
    pub(super) fn new(format: Format, path: Option<&Path>, roots: &[PathBuf]) -> Self {
        let stem = path.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
        Self {
            disk: Disk::default(),
            format,
            roots: roots.to_vec(),
            folder: path.map(folder_of),
            stem: stem.unwrap_or_default(),
            skin_folder: None,
        }
    }

    /// Looks around `path`'s folder too.
    pub(super) fn add_skin_file(&mut self, path: &Path) {
        self.skin_folder = Some(folder_of(path));
    }

    /// The file of this name beside the model, case aside.
    pub(super) fn beside(&self, name: &str) -> Option<PathBuf> {
        self.disk.files(self.folder.as_deref()?, name).into_iter().next()
    }

    /// Names beside the model in lower case.
    pub(super) fn names_beside(&self) -> Vec<String> {
        self.folder.as_deref().map(|folder| self.disk.names(folder)).unwrap_or_default()
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

    /// Looks for the first of `names` that is there, else guesses. `accept` opens a file that exists;
    /// where it gives `None` the search goes on.
    pub(super) fn find<T>(
        &self,
        names: &[&str],
        surface: &str,
        accept: &mut impl FnMut(&Path) -> Option<T>,
    ) -> Outcome<T> {
        let mut trail = Trail::default();
        let names: Vec<Name> = names.iter().filter_map(|name| Name::parse(name)).collect();
        let named = names.iter().find_map(|name| self.named(name, &mut trail, accept));
        let found = named.map(|(path, image)| (path, Origin::Named, image)).or_else(|| {
            let guess = self.guessed(&names, surface, &mut trail, accept);
            guess.map(|(path, image)| (path, Origin::Guessed, image))
        });
        Outcome { found, looked: trail.looked }
    }

    /// The places of a name: the roots, the folders above the model, and the file alone beside it.
    fn named<T>(
        &self,
        name: &Name,
        trail: &mut Trail,
        accept: &mut impl FnMut(&Path) -> Option<T>,
    ) -> Option<(PathBuf, T)> {
        let is_bare = name.folder.is_empty();
        let mut places: Vec<(PathBuf, &[String])> = Vec::new();
        places.extend(self.roots.iter().map(|root| (root.clone(), name.folder.as_slice())));
        let near = self.folder.iter().flat_map(|folder| {
            [folder.clone(), folder.join("md5"), folder.join("skins"), folder.join("textures")]
        });
        let above = [&self.folder, &self.skin_folder].into_iter().flatten();
        let above = above.flat_map(|folder| folder.ancestors().map(Path::to_path_buf));
        let near: Vec<_> = self.roots.iter().cloned().chain(near).map(|p| (p, &[][..])).collect();
        let above: Vec<_> = above.map(|folder| (folder, name.folder.as_slice())).collect();
        // A name without folder means a file beside the model rather than in a folder far above.
        let (first, second) = if is_bare { (near, above) } else { (above, near) };
        places.extend(first);
        places.extend(second);

        for suffixes in [&[""][..], &SUFFIXES] {
            for (base, folder) in &places {
                for suffix in suffixes {
                    let stem = format!("{}{suffix}", name.stem);
                    let hit =
                        self.look(base, folder, &stem, name.extension.as_deref(), trail, accept);
                    if hit.is_some() {
                        return hit;
                    }
                }
            }
        }
        let beside = self.folder.as_ref()?.parent()?.join("textures");
        [""].iter().chain(&SUFFIXES).find_map(|suffix| {
            let stem = format!("{}{suffix}", name.stem);
            self.look(&beside, &[], &stem, name.extension.as_deref(), trail, accept)
        })
    }

    /// Pictures that are likely to belong to the model: named like the surface, the model, or "skin";
    /// for a model of Quake II any PCX; names that begin like those; the only picture there is.
    fn guessed<T>(
        &self,
        names: &[Name],
        surface: &str,
        trail: &mut Trail,
        accept: &mut impl FnMut(&Path) -> Option<T>,
    ) -> Option<(PathBuf, T)> {
        let folder = self.folder.as_ref()?;
        let above = folder.parent();
        let mut stems: Vec<&str> = Vec::new();
        if matches!(self.format, Format::Md3 | Format::Md5) && !surface.contains(['/', '\\', '\0'])
        {
            stems.extend([surface, base_name(surface)]);
        }
        stems.extend(self.stems());
        stems.push("skin");
        stems.retain(|stem| !stem.is_empty());
        let mut folders =
            vec![folder.clone(), folder.join("md5"), folder.join("skins"), folder.join("textures")];
        folders.extend(above.map(|above| above.join("textures")));
        let exact = stems.iter().flat_map(|&stem| folders.iter().map(move |folder| (folder, stem)));
        let above = above.map(Path::to_path_buf);
        for (folder, stem) in exact.chain(above.iter().map(|above| (above, "skin"))) {
            let hit = self.look(folder, &[], stem, None, trail, accept);
            if hit.is_some() {
                return hit;
            }
        }
        let (beside, pictures) = (self.names_beside(), self.pictures_beside());
        let is_alone = pictures.len() == 1;
        let mut starts: Vec<String> = Vec::new();
        for start in names.iter().map(|name| name.stem.as_str()).chain(stems) {
            let start = start.to_lowercase();
            if start.len() > 2 && !starts.contains(&start) {
                starts.push(start);
            }
        }
        let mut candidates: Vec<&String> = Vec::new();
        if self.format == Format::Md2 {
            trail.looked.push(format!("{}/*.pcx", folder.display()));
            candidates.extend(beside.iter().filter(|n| n.ends_with(".pcx") && !is_icon(n)));
        }
        for start in &starts {
            trail.looked.push(format!("{}/{start}*.*", folder.display()));
            candidates.extend(pictures.iter().filter(|picture| picture.starts_with(start)));
        }
        trail.looked.push(format!("{}: the only picture", folder.display()));
        candidates.extend(pictures.first().filter(|_| is_alone));
        let files = candidates.into_iter().flat_map(|name| self.disk.files(folder, name));
        files.into_iter().find_map(|path| accept(&path).map(|image| (path, image)))
    }

    /// Colour textures beside the model in the order of names, then of extensions; no icons, no
    /// normal maps and the like.
    fn pictures_beside(&self) -> Vec<String> {
        let rank = |name: &str| {
            let (stem, extension) = name.rsplit_once('.')?;
            let rank = EXTENSIONS.iter().position(|known| *known == extension)?;
            let is_other = stem.rsplit_once('_').is_some_and(|(_, end)| OTHER_MAPS.contains(&end));
            (!is_icon(name) && !is_other).then(|| (stem.to_owned(), rank))
        };
        let names = self.names_beside().into_iter();
        let mut pictures: Vec<_> = names.filter_map(|name| Some((rank(&name)?, name))).collect();
        pictures.sort_unstable();
        pictures.dedup_by(|next, kept| next.0.0 == kept.0.0);
        pictures.into_iter().map(|(_, name)| name).collect()
    }

    /// One place: `stem` with every extension, the named one first.
    fn look<T>(
        &self,
        base: &Path,
        folder: &[String],
        stem: &str,
        extension: Option<&str>,
        trail: &mut Trail,
        accept: &mut impl FnMut(&Path) -> Option<T>,
    ) -> Option<(PathBuf, T)> {
        let place = folder.iter().fold(base.to_path_buf(), |place, part| place.join(part));
        if !trail.seen.insert((place.clone(), stem.to_lowercase())) {
            return None;
        }
        let folders = self.disk.folders(base, folder);
        if folders.is_empty() {
            // One line per folder that does not exist, however many names are tried in it.
            if trail.seen.insert((place.clone(), String::new())) {
                trail.looked.push(format!("{} (no such folder)", place.display()));
            }
            return None;
        }
        trail.looked.push(format!("{}.*", place.join(stem).display()));
        let first = extension.filter(|wanted| EXTENSIONS.contains(wanted));
        let others = EXTENSIONS.into_iter().filter(|other| Some(*other) != first);
        for extension in first.into_iter().chain(others) {
            let name = format!("{stem}.{extension}");
            for path in folders.iter().flat_map(|folder| self.disk.files(folder, &name)) {
                if let Some(image) = accept(&path) {
                    return Some((path, image));
                }
            }
        }
        None
    }
}

/// Pictures for menus: `icon_default.tga` in Quake III, `grunt_i.pcx` in Quake II.
fn is_icon(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.starts_with("icon_") || stem.ends_with("_i")
}

/// The folder of a file as an absolute path, so that all folders above it can be named.
fn folder_of(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let absolute = std::fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
    absolute.unwrap_or_else(|_| folder.to_owned())
}
