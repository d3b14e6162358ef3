//! Skins inside the file, and textures in files of their own.

use std::path::PathBuf;

use super::pair::Pairs;
use super::{Change, ModelDiff, SkinDiff, TexelDiff, TextureDiff, Tolerance};
use crate::assets::TextureEntry;
use crate::compare::compare;
use crate::error::OpenError;
use crate::files::is_same_file;
use crate::image::Image;
use crate::location::Location;
use crate::model::{Model, Skin};
use crate::scene::{Opened, Scene};

/// The skins that differ, by number.
pub(super) fn skins(old: &Model, new: &Model, tolerance: &Tolerance) -> Vec<SkinDiff> {
    let count = old.skins().len().max(new.skins().len());
    let diff = |skin: usize| {
        let models = [old, new];
        let names = models.map(|model| model.skins().get(skin).map(Skin::name).map(str::to_owned));
        let pictures = models.map(|model| model.skin_picture_count(skin));
        let change = match &names {
            [None, _] => Change::Added,
            [_, None] => Change::Removed,
            // What lies inside the file has no name.
            [Some(a), Some(b)] if a != b && pictures == [0, 0] => Change::Renamed,
            _ => Change::Changed,
        };
        let texels = (0..pictures[0].min(pictures[1])).filter_map(|picture| {
            let images = models.map(|model| model.picture_of_skin(skin, picture));
            let [Some(old), Some(new)] = images else { return None };
            TexelDiff::between(picture, &old, &new, tolerance)
        });
        let texels = texels.collect();
        let times =
            pictures[0] > 0 && pictures[1] > 0 && old.skin_times(skin) != new.skin_times(skin);
        SkinDiff { change, skin, names, pictures, times, texels }
    };
    let differs = |skin: &SkinDiff| {
        skin.change != Change::Changed
            || skin.pictures[0] != skin.pictures[1]
            || skin.times
            || !skin.texels.is_empty()
    };
    (0..count).map(diff).filter(differs).collect()
}

impl TexelDiff {
    /// `None` if no texel differs by more than is tolerated.
    fn between(picture: usize, old: &Image, new: &Image, tolerance: &Tolerance) -> Option<Self> {
        let found = compare(old, new);
        let differing = match tolerance.levels {
            // Indices may differ where colours do not.
            0 => found.differing(),
            levels => found.differing_above(levels),
        };
        if found.is_same_size() && differing == 0 {
            return None;
        }
        let worst = found.worst_pixel();
        Some(Self {
            picture,
            sizes: [old, new].map(|image| [image.width(), image.height()]),
            compared: found.compared(),
            differing,
            worst: found.worst(),
            at: worst.map(|worst| [worst.x, worst.y]),
            colors: worst.map(|worst| [worst.expected, worst.actual]),
        })
    }
}

impl ModelDiff {
    /// Compares the pictures in files of their own that both models have found for the same skin or
    /// surface. A picture that only one of them has found says more about places than about models: it
    /// is returned as a note.
    ///
    /// # Errors
    /// If a picture cannot be read.
    pub fn add_textures(
        &mut self,
        scene: &Scene,
        [old, new]: [&Opened; 2],
        tolerance: &Tolerance,
    ) -> Result<Vec<String>, OpenError> {
        let (was, is) = (Found::of(scene, old), Found::of(scene, new));
        let keys = |found: &[Found]| found.iter().map(|one| one.key.clone()).collect::<Vec<_>>();
        let pairs = Pairs::by_key(&keys(&was), &keys(&is));
        let mut notes = Vec::new();
        let mut seen = Vec::new();
        for (a, b) in pairs.both {
            let (before, after) = (&was[a], &is[b]);
            let (Some(old), Some(new)) = (&before.file, &after.file) else {
                let missing = [("old", &before.file), ("new", &after.file)];
                let missing = missing.into_iter().find(|(_, file)| file.is_none());
                let is_one = before.file.is_some() || after.file.is_some();
                if let Some((side, _)) = missing.filter(|_| is_one) {
                    let note = format!("{}: no picture was found for the {side} model", after.name);
                    notes.extend((!notes.contains(&note)).then_some(note));
                }
                continue;
            };
            if is_same_file(old, new) || seen.contains(&(old, new)) {
                continue;
            }
            seen.push((old, new));
            let open = |file: &Location| Image::open(PathBuf::from(file.to_os_string()));
            if let Some(texels) = TexelDiff::between(0, &open(old)?, &open(new)?, tolerance) {
                let files = [old, new].map(ToString::to_string);
                self.textures.push(TextureDiff { name: after.name.clone(), files, texels });
            }
        }
        Ok(notes)
    }
}

/// A picture that a model looks for.
struct Found {
    /// What it is told by in both models.
    key: String,
    name: String,
    file: Option<Location>,
}

impl Found {
    /// For the model's skins by number, then for its surfaces by name.
    fn of(scene: &Scene, opened: &Opened) -> Vec<Self> {
        let skins = opened.model.skins().len();
        let name = |entry: &TextureEntry| match (entry.wanted.first(), entry.name.as_str()) {
            (Some(wanted), _) => wanted.clone(),
            (None, "") => format!("surface {}", entry.surface),
            (None, surface) => surface.to_owned(),
        };
        let offered = opened.offered_textures(scene).enumerate().map(|(number, entry)| {
            let key = if number < skins { format!("skin {number}") } else { name(&entry) };
            (key, entry)
        });
        let worn = opened.textures.textures.iter().cloned();
        let worn = worn.map(|entry| (format!("surface {} {}", entry.surface, entry.name), entry));
        let found = offered.chain(worn).map(|(key, entry)| Self {
            key: key.to_lowercase(),
            name: name(&entry),
            file: entry.found,
        });
        found.collect()
    }
}
