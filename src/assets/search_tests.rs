//! Where textures are found, in which order, and what is only guessed.

use std::fs;
use std::path::Path;

use super::search::Search;
use super::{Origin, Places};
use crate::files::{Files, Game, Home, TextureSearch};
use crate::location::Location;
use crate::model::Format;

/// A folder with these files in it.
fn tree(files: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"").unwrap();
    }
    root
}

/// A search for a model at `path` in the game that it lies in, with these folders before it.
fn search(format: Format, path: &Path, roots: &[&Path]) -> Search {
    let files = Files::default();
    let roots = roots.iter().filter_map(|root| files.root(&Location::on_disk(*root)).ok());
    let file = Location::on_disk(path);
    let places = Places {
        roots: roots.collect(),
        home: Some(Home::of(&files, &file, None, false, TextureSearch::Game)),
        ..Places::default()
    };
    Search::new(&files, format, &file.file_stem().to_string_lossy(), places)
}

/// What is found for a model at `game/models/ogre/<model>`, relative to the tree.
fn find(format: Format, model: &str, name: &str, files: &[&str]) -> Option<(String, Origin)> {
    find_for(format, model, (name, ""), files)
}

/// The same for a surface with a name of its own.
fn find_for(
    format: Format,
    model: &str,
    (name, surface): (&str, &str),
    files: &[&str],
) -> Option<(String, Origin)> {
    let tree = tree(files);
    let root = fs::canonicalize(tree.path()).unwrap();
    let path = root.join("game/models/ogre").join(model);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, b"").unwrap();
    let outcome =
        search(format, &path, &[&root.join("root")]).find(&[name], surface, &mut |_| Some(()));
    outcome.found.map(|found| {
        let relative = found.file.path().strip_prefix(&root).unwrap();
        (relative.to_string_lossy().replace('\\', "/"), found.origin)
    })
}

#[test]
fn the_first_place_in_the_order_wins() {
    // Every file wins against those behind it.
    let order = [
        "root/models/ogre/skin.tga",
        "root/models/ogre/skin.jpg",
        "game/models/ogre/models/ogre/skin.jpg",
        "game/models/ogre/skin.tga",
        "game/models/ogre/skin.lmp",
        "root/skin.png",
        "game/models/ogre/md5/skin.pcx",
        "game/models/ogre/skins/skin.bmp",
        "game/models/ogre/textures/skin.jpeg",
        "root/models/ogre/skin_d.tga",
        "game/models/ogre/textures/skin_local_d.tga",
        "game/models/textures/skin.png",
        "game/models/textures/skin_diffuse.png",
    ];
    for first in 0..order.len() {
        let name = "models\\Ogre\\SKIN.tga";
        let found = find(Format::Md3, "x.md3", name, &order[first..]);
        assert_eq!(found, Some((order[first].to_owned(), Origin::Named)));
    }
}

#[test]
fn names_of_all_kinds_are_found() {
    let png = "game/models/ogre/skin.png";
    for (name, file) in [
        ("skin", png),
        ("skin.png", png),
        (".skin", png),
        ("E:\\work\\skin.psd", png),
        ("../../ogre/skin.tga", png),
        ("../../../../../game/models/ogre/skin.wal", png),
        ("/home/me/skin.bmp", png),
        ("v1.2/skin.v2", "game/models/ogre/skin.v2.tga"),
        // A file beside the model counts more than one in a folder above.
        ("skin.lmp", "game/models/ogre/textures/skin.png"),
    ] {
        let found = find(Format::Md5, "x.md5mesh", name, &[file, "game/skin.lmp"]);
        assert_eq!(found, Some((file.to_owned(), Origin::Named)), "{name}");
    }
}

#[test]
fn the_named_extension_comes_first() {
    let files = ["game/models/ogre/a.tga", "game/models/ogre/a.JPG", "game/models/ogre/a.bmp"];
    for (name, file) in [("a.bmp", 2), ("a.jpg", 1), ("a", 0), ("a.png", 0)] {
        let found = find(Format::Md3, "x.md3", name, &files);
        assert_eq!(found.unwrap().0, files[file], "{name}");
    }
}

#[test]
fn only_what_surely_belongs_to_the_model_is_guessed() {
    type Files = &'static [&'static str];
    let table: [(Format, &str, Files, Option<&str>); 21] = [
        // Called like the model.
        (Format::Md2, "gun.md2", &["gun.pcx", "skin.pcx", "a.pcx"], Some("gun.pcx")),
        (Format::Md2, "weapon.md2", &["Weapon.pcx", "a.md2"], Some("Weapon.pcx")),
        (Format::Md3, "gun_1.md3", &["gun.jpg", "b.jpg"], Some("gun.jpg")),
        (Format::Md5, "flag.md5mesh", &["flag_d.tga", "a.md5mesh"], Some("flag_d.tga")),
        (Format::Md5, "flag.md5mesh", &["textures/flag.tga"], Some("textures/flag.tga")),
        // Called like the folder of Quake II's "tris".
        (Format::Md2, "tris.md2", &["ogre.pcx", "blonde.pcx", "a.md2"], Some("ogre.pcx")),
        (Format::Md2, "gun.md2", &["ogre.pcx", "blonde.pcx"], None),
        (Format::Md2, "tris.md2", &["b.pcx", "c.pcx"], None),
        // The only model and the only picture.
        (Format::Md3, "a.md3", &["one.tga", "one_n.tga", "b.txt"], Some("one.tga")),
        (Format::Md3, "a.md3", &["one.tga", "one.png"], Some("one.tga")),
        (Format::Md3, "a.md3", &["one.tga", "two.tga"], None),
        (Format::Md3, "a.md3", &["one.tga", "b.md3"], None),
        (Format::Md3, "a.md3", &["one.tga", "a_1.md3", "a_2.md3"], Some("one.tga")),
        (Format::Md2, "gun_1.md2", &["one.tga", "gun_2.md2"], None),
        (Format::Md2, "a.md2", &["skin.png", "b.pcx"], Some("skin.png")),
        (Format::Md2, "a.md2", &["skin.png", "b.md2"], None),
        // Something else than a colour texture, or of something else.
        (Format::Md2, "tris.md2", &["a_i.pcx"], None),
        (Format::Md3, "head.md3", &["icon_default.tga"], None),
        (Format::Md3, "a.md3", &["masks.jpg"], None),
        (Format::Md3, "hand.md3", &["flash.jpg", "flash.md3"], None),
        (Format::Md5, "body.md5mesh", &["head_d.jpg", "arm_d.jpg"], None),
    ];
    for (format, model, files, expected) in table {
        let files: Vec<String> =
            files.iter().map(|file| format!("game/models/ogre/{file}")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let expected = expected.map(|e| (format!("game/models/ogre/{e}"), Origin::Guessed));
        for name in ["", "x/missing.tga"] {
            assert_eq!(find(format, model, name, &files), expected, "{model} {files:?}");
        }
    }
}

#[test]
fn a_picture_called_like_the_surface_is_a_guess_for_it_alone() {
    let files = ["arch.jpg", "sign.jpg", "b.md3"].map(|file| format!("game/models/ogre/{file}"));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for (format, surface, expected) in [
        (Format::Md3, "arch", Some("arch.jpg")),
        (Format::Md3, "sign_1", Some("sign.jpg")),
        (Format::Md3, "door", None),
        (Format::Md2, "arch", None),
    ] {
        let found = find_for(format, "a.md3", ("x/none.tga", surface), &files);
        let expected = expected.map(|e| (format!("game/models/ogre/{e}"), Origin::Guessed));
        assert_eq!(found, expected, "{surface}");
    }
}

#[test]
fn nothing_above_the_games_root_counts() {
    for above in ["models/ogre/skin.tga", "skin.tga", "textures/skin.tga"] {
        let found = find(Format::Md3, "x.md3", "models/ogre/skin.tga", &[above]);
        assert_eq!(found, None, "{above}");
    }
    // Without a root the model's folder and those beside it.
    let tree =
        tree(&["a/b/x.md3", "a/b/b/skin.tga", "a/textures/skin.tga", "a/skin.tga", "b/skin.tga"]);
    let root = fs::canonicalize(tree.path()).unwrap();
    let search = search(Format::Md3, &root.join("a/b/x.md3"), &[]);
    let find =
        |name: &str| search.find(&[name], "", &mut |_| Some(())).found.map(|found| found.file);
    assert_eq!(find("b/skin.tga"), Some(Location::on_disk(root.join("a/b/b/skin.tga"))));
    assert_eq!(find("skin.tga"), Some(Location::on_disk(root.join("a/textures/skin.tga"))));
    fs::remove_file(root.join("a/textures/skin.tga")).unwrap();
    let search = super::search_tests::search(Format::Md3, &root.join("a/b/x.md3"), &[]);
    assert!(search.find(&["skin.tga"], "", &mut |_| Some(())).found.is_none());
}

#[test]
fn a_search_can_be_kept_to_the_folder_or_to_what_is_said() {
    let tree = tree(&[
        "models/ogre/x.md3",
        "models/ogre/near.tga",
        "models/ogre/other.tga",
        "textures/far.tga",
        "given/g.tga",
    ]);
    let root = fs::canonicalize(tree.path()).unwrap();
    let files = Files::default();
    let file = Location::on_disk(root.join("models/ogre/x.md3"));
    for (scope, expected) in [
        (TextureSearch::Game, [true, true, true]),
        (TextureSearch::Folder, [true, false, true]),
        (TextureSearch::None, [false, false, true]),
    ] {
        let places = Places {
            roots: vec![files.root(&Location::on_disk(root.join("given"))).unwrap()],
            home: Some(Home::of(&files, &file, None, false, scope)),
            is_silent: scope == TextureSearch::None,
            ..Places::default()
        };
        let search = Search::new(&files, Format::Md3, "x", places);
        let find = |name: &str| search.find(&[name], "", &mut |_| Some(())).found.is_some();
        let found = ["models/ogre/near.tga", "textures/far.tga", "g.tga"].map(find);
        assert_eq!(found, expected, "{scope:?}");
    }
}

#[test]
fn broken_files_are_passed_over_and_places_are_listed_once() {
    let tree = tree(&["skin.tga", "skin.jpg"]);
    let folder = fs::canonicalize(tree.path()).unwrap();
    let search = search(Format::Md3, &folder.join("skin.md3"), &[]);
    let is_jpg = |file: &Location| (file.extension() == "jpg").then_some(7);
    let found = search.find(&["models/x/skin.tga"], "", &mut { is_jpg }).found.unwrap();
    let expected = Location::on_disk(folder.join("skin.jpg"));
    assert_eq!((found.file, found.origin, found.content), (expected, Origin::Named, 7));
    let missing = search.find(&["models/x/none.tga"], "", &mut |_| None::<()>);
    let mut looked = missing.looked.clone();
    let beside = format!("{}.*", folder.join("none").display());
    let above = format!("{} (no such folder)", folder.join("models").join("x").display());
    assert!(looked.contains(&beside) && looked.contains(&above), "{looked:#?}");
    looked.sort();
    looked.dedup();
    assert_eq!(looked.len(), missing.looked.len());
}

#[test]
fn a_model_from_nowhere_has_the_roots_and_the_game_only() {
    let tree = tree(&["root/a/skin.tga", "root/skin.png", "id1/progs/x.tga"]);
    let root = fs::canonicalize(tree.path()).unwrap();
    let files = Files::default();
    let game = Game::open(&files, &root, None, false).unwrap();
    let places = Places {
        roots: vec![files.root(&Location::on_disk(root.join("root"))).unwrap()],
        game: Some(game.tree(false)),
        ..Places::default()
    };
    let search = Search::new(&files, Format::Md2, "", places);
    let found = |name: &str| {
        let found = search.find(&[name], "", &mut |_| Some(())).found?;
        Some(found.file.path().strip_prefix(&root).unwrap().display().to_string())
    };
    assert_eq!(found("a/skin.tga").unwrap(), "root/a/skin.tga");
    assert_eq!(found("b/skin.tga").unwrap(), "root/skin.png");
    assert_eq!(found("progs/x.tga").unwrap(), "id1/progs/x.tga");
    assert_eq!(found("none"), None);
}
