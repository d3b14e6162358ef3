//! A scene whose names of files are relative to a folder of their own, as those in a scene file are.

use std::path::{Component, Path, PathBuf};

use super::{Input, Scene, Skin};
use crate::files::{Files, is_same_file};
use crate::location::Location;

/// What a name in a scene may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// The folder of a game.
    Game,
    /// A file on disk, in an archive, or in the game.
    File,
    /// A file, or the name of a skin.
    Skin,
}

impl Scene {
    /// The same scene seen from where `folder` is. What names a file on disk is taken to lie in the folder.
    /// If there is a game, names that are not on disk stay names of the game; words that are no file stay
    /// names of skins.
    #[must_use]
    pub(crate) fn rebased(self, folder: &Path, has_game: bool, files: &Files) -> Self {
        self.with_files(|place, what| {
            let path = tidy(folder.join(place.path()));
            let joined = match place.member() {
                Some(member) => Location::in_archive(path, member),
                None => Location::on_disk(path),
            };
            let is_word = place.extension().is_empty() && place.member().is_none();
            let is_certain = match what {
                Named::Game => true,
                Named::File => !has_game,
                Named::Skin => !has_game && !is_word,
            };
            if is_certain || files.exists(&joined) { joined } else { place.clone() }
        })
    }

    /// The same scene with other names for all files that it names.
    #[must_use]
    pub(crate) fn with_files(mut self, name: impl Fn(&Location, Named) -> Location) -> Self {
        let source = &mut self.source;
        if let Some(game) = &mut source.game {
            *game = name(&Location::on_disk(&*game), Named::Game).path().to_path_buf();
        }
        if let Input::File(file) = &mut source.input {
            *file = name(file, Named::File);
        }
        let places = source.anims.iter_mut().chain(&mut source.texture_roots);
        let places =
            places.chain(source.attachments.iter_mut().map(|attached| &mut attached.value));
        let places = places.chain(&mut source.weapon);
        for place in places.chain(&mut source.palette).chain(&mut source.colormap) {
            *place = name(place, Named::File);
        }
        let attached = source.attached_skins.iter_mut().map(|attached| &mut attached.value);
        for skin in source.skins.iter_mut().chain(attached) {
            match skin {
                Skin::Number(_) => {}
                Skin::Surface { file, .. } => *file = name(file, Named::File),
                Skin::File(file) => *file = name(file, Named::Skin),
            }
        }
        self
    }
}

/// `a/../b` is `b`, unless a link leads elsewhere.
fn tidy(path: PathBuf) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        let is_named = matches!(tidy.components().next_back(), Some(Component::Normal(_)));
        if part == Component::ParentDir && is_named {
            tidy.pop();
        } else {
            tidy.push(part);
        }
    }
    if tidy != path && is_same_file(&Location::on_disk(&tidy), &Location::on_disk(&path)) {
        tidy
    } else {
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_move_with_the_folder_and_names_stay() {
        let folder = Path::new("tests/models");
        let files = Files::default();
        let rebased = |name: &str, value: &str, has_game| {
            let mut scene = Scene::new("bolt.md3");
            scene.set(name, value).unwrap();
            let scene = scene.rebased(folder, has_game, &files);
            let line = scene.command_line().into_string().unwrap();
            line.rsplit_once(&format!("--{name} ")).unwrap().1.to_owned()
        };
        for (name, value, expected) in [
            ("skin", "red", "red"),
            ("skin", "1", "1"),
            ("skin", "x.pcx", "tests/models/x.pcx"),
            ("skin", "u_body=bolt_paint.png", "u_body=tests/models/bolt_paint.png"),
            ("palette", "p.lmp", "tests/models/p.lmp"),
            ("palette", "/p.lmp", "/p.lmp"),
            ("palette", "../models/bolt.pcx", "tests/models/bolt.pcx"),
            ("palette", "../no/bolt.pcx", "tests/models/../no/bolt.pcx"),
            ("game", "quake", "tests/models/quake"),
            ("texture-root", "a.pk3:b", "tests/models/a.pk3:b"),
            ("attach", "tag_weapon=gun.md3", "tag_weapon=tests/models/gun.md3"),
        ] {
            assert_eq!(rebased(name, value, false), expected, "{name}");
        }
        assert_eq!(rebased("palette", "gfx/palette.lmp", true), "gfx/palette.lmp");
        assert_eq!(rebased("skin", "bolt_paint.png", true), "tests/models/bolt_paint.png");
    }
}
