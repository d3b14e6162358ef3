//! Where textures are found, in which order, and what is only guessed.

use std::fs;
use std::path::Path;

use super::Origin;
use super::search::Search;
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

/// What is found for a model at `game/models/ogre/<model>`, relative to the tree.
fn find(
    format: Format,
    model: &str,
    (name, surface): (&str, &str),
    files: &[&str],
) -> Option<(String, Origin)> {
    let tree = tree(files);
    let root = fs::canonicalize(tree.path()).unwrap();
    let path = root.join("game/models/ogre").join(model);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let search = Search::new(format, Some(&path), &[root.join("root")]);
    let outcome = search.find(&[name], surface, &mut |_| Some(()));
    outcome.found.map(|(path, origin, ())| {
        let relative = path.strip_prefix(&root).unwrap();
        (relative.to_string_lossy().replace('\\', "/"), origin)
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
        "models/ogre/skin.dds",
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
        let name = ("models\\Ogre\\SKIN.tga", "");
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
        // A file beside the model counts more than one far above.
        ("skin.lmp", "game/models/ogre/textures/skin.png"),
    ] {
        let found = find(Format::Md5, "x.md5mesh", (name, ""), &[file, "game/skin.lmp"]);
        assert_eq!(found, Some((file.to_owned(), Origin::Named)), "{name}");
    }
}

#[test]
fn the_named_extension_comes_first() {
    let files = ["game/models/ogre/a.tga", "game/models/ogre/a.JPG", "game/models/ogre/a.bmp"];
    for (name, file) in [("a.bmp", 2), ("a.jpg", 1), ("a", 0), ("a.png", 0)] {
        let found = find(Format::Md3, "x.md3", (name, ""), &files);
        assert_eq!(found.unwrap().0, files[file], "{name}");
    }
}

#[test]
fn what_nobody_names_is_guessed() {
    // The folders above the tree are searched too: a name that nobody has there.
    const MISSING: &str = "polyset-test-missing-texture";
    type Wanted = (&'static str, &'static str);
    type Files = &'static [&'static str];
    let table: [(Format, &str, Wanted, Files, Option<&str>); 14] = [
        (Format::Md2, "tris.md2", ("", ""), &["tris.pcx", "skin.pcx", "a.pcx"], Some("tris.pcx")),
        (Format::Md2, "tris.md2", (MISSING, ""), &["skin.png", "a.pcx"], Some("skin.png")),
        (Format::Md2, "weapon.md2", ("", ""), &["Weapon.pcx", "a.pcx"], Some("Weapon.pcx")),
        (Format::Md2, "tris.md2", ("", ""), &["b.pcx", "a_i.pcx", "c.pcx"], Some("b.pcx")),
        (Format::Md2, "tris.md2", ("", ""), &["a_i.pcx"], None),
        (Format::Md2, "faerie.md2", ("", ""), &["faerie2.bmp", "x.jpg"], Some("faerie2.bmp")),
        (
            Format::Md3,
            "tris.md3",
            ("x/skin.tga", "arch"),
            &["arch.jpg", "sign.jpg"],
            Some("arch.jpg"),
        ),
        (Format::Md3, "tris.md3", ("x/skin.tga", "a_1"), &["a.jpg", "b.jpg"], Some("a.jpg")),
        (Format::Md3, "gun_1.md3", (MISSING, ""), &["gun.jpg", "b.jpg"], Some("gun.jpg")),
        (
            Format::Md3,
            "tris.md3",
            ("x/skin.tga", ""),
            &["skin_R.png", "skin_L.png"],
            Some("skin_L.png"),
        ),
        (Format::Md3, "head.md3", (MISSING, ""), &["icon_default.tga"], None),
        (Format::Md3, "a.md3", (MISSING, ""), &["one.tga", "one_n.tga", "b.txt"], Some("one.tga")),
        (Format::Md3, "a.md3", (MISSING, ""), &["one.tga", "two.tga"], None),
        (
            Format::Md5,
            "flag.md5mesh",
            ("01 - Default", ""),
            &["flag_c.dds", "flag_c.png"],
            Some("flag_c.png"),
        ),
    ];
    for (format, model, wanted, files, expected) in table {
        let files: Vec<String> =
            files.iter().map(|file| format!("game/models/ogre/{file}")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let found = find(format, model, wanted, &files);
        let expected = expected.map(|e| (format!("game/models/ogre/{e}"), Origin::Guessed));
        assert_eq!(found, expected, "{model} {files:?}");
    }
    for (file, surface) in [("game/models/textures/flag.png", ""), ("game/models/skin.png", "s")] {
        let found = find(Format::Md5, "flag.md5mesh", ("Material", surface), &[file]);
        assert_eq!(found, Some((file.to_owned(), Origin::Guessed)));
    }
}

#[test]
fn broken_files_are_passed_over_and_places_are_listed_once() {
    let tree = tree(&["skin.tga", "skin.jpg"]);
    let folder = fs::canonicalize(tree.path()).unwrap();
    let search = Search::new(Format::Md3, Some(&folder.join("skin.md3")), &[]);
    let is_jpg = |path: &Path| path.extension().is_some_and(|e| e == "jpg").then_some(7);
    let outcome = search.find(&["models/x/skin.tga"], "skin", &mut { is_jpg });
    assert_eq!(outcome.found.unwrap(), (folder.join("skin.jpg"), Origin::Named, 7));
    let missing = search.find(&["models/x/none.tga"], "skin", &mut |_| None::<()>);
    let mut looked = missing.looked.clone();
    let beside = format!("{}.*", folder.join("none").display());
    let above = format!("{} (no such folder)", folder.join("models").join("x").display());
    assert!(looked.contains(&beside) && looked.contains(&above), "{looked:#?}");
    looked.sort();
    looked.dedup();
    assert_eq!(looked.len(), missing.looked.len());
}

#[test]
fn a_model_from_nowhere_has_the_roots_only() {
    let tree = tree(&["a/skin.tga", "skin.png"]);
    let search = Search::new(Format::Md2, None, &[tree.path().to_path_buf()]);
    let found = |name: &str| search.find(&[name], "", &mut |_| Some(())).found.map(|f| f.0);
    assert_eq!(found("a/skin.tga"), Some(tree.path().join("a/skin.tga")));
    assert_eq!(found("b/skin.tga"), Some(tree.path().join("skin.png")));
    assert_eq!(found("none"), None);
}
