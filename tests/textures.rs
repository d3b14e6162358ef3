//! The textures of real models are found, each in its own wrong place.
//!
//! `POLYSET_MODELS=DIR cargo test --test textures`; without the variable nothing is checked.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use polyset::scene::Anims;
use polyset::{Image, Location, Origin, Scene};

fn models() -> Option<PathBuf> {
    let folder = std::env::var_os("POLYSET_MODELS").map(PathBuf::from);
    if folder.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: POLYSET_MODELS is not set");
    }
    folder
}

/// File names of the surfaces' textures, "-" where there is none. Options are name and value.
fn textures(path: &Path, options: &[(&str, &OsStr)]) -> Vec<(String, Option<Origin>)> {
    let mut scene = Scene::new(path);
    options.iter().for_each(|(name, value)| scene.set(name, value).unwrap());
    let opened = scene.open().unwrap();
    let (model, report) = (&opened.model, &opened.textures);
    assert_eq!(report.textures.len(), model.surfaces().len());
    for (entry, surface) in report.textures.iter().zip(model.surfaces()) {
        assert_eq!(entry.origin.is_some(), surface.texture().is_some(), "{}", path.display());
    }
    let name = |file: &Location| file.file_name().to_string_lossy().into_owned();
    let entries = report.textures.iter();
    entries.map(|e| (e.found.as_ref().map_or("-".into(), name), e.origin)).collect()
}

#[test]
fn every_model_gets_its_textures() {
    let Some(folder) = models() else { return };
    const SARGE: &str = "md3/openarena-pak0/models/players/sarge";
    const SHOTGUN: &str = "md3/openarena-pak0/models/weapons2/shotgun";
    const BLASTER: &str = "md5/unvanquished-weapons/models/weapons/blaster/blaster_view.md5mesh";
    let (named, guessed) = (Some(Origin::Named), Some(Origin::Guessed));
    let table = [
        (format!("{SARGE}/head.md3"), named, "enkiskin.tga"),
        (format!("{SARGE}/upper_1.md3"), named, "enkiskin.tga"),
        (format!("{SARGE}/lower.md3"), named, "enkiskin.tga"),
        (format!("{SHOTGUN}/shotgun.md3"), named, "skinoa.tga shotgun_laser.jpg"),
        (format!("{SHOTGUN}/shotgun_hand.md3"), None, ""),
        ("md3/unvanquished/models/weapons/shotgun/tpshotgun.md3".into(), named, "tpskin.jpg"),
        // Two models and two pictures: which belongs to which is not known.
        ("md3/tomatenquark-nieb/mapmodels/nieb/waterfall/tris_large.md3".into(), None, "-"),
        (
            "md3/tomatenquark-makke/mapmodels/makke/arch/tris.md3".into(),
            guessed,
            "arch.jpg sign.jpg",
        ),
        (
            "md3/tomatenquark-sitters/mapmodels/sitters/industrial/crane2/crane_e/crane_e.md3"
                .into(),
            None,
            "- - -",
        ),
        ("md2/assimp-telias/dolphin.md2".into(), named, "dolphin_f.bmp"),
        ("md2/irrlicht/faerie.md2".into(), guessed, "faerie2.bmp"),
        ("md2/cube2-data/debris/tris.md2".into(), guessed, "skin.png"),
        ("md2/ufoai-ccbysa/aliens/bloodspider/bloodspider.md2".into(), named, "bloodspider.jpg"),
        ("md2/ufoai-ccbysa/aliens/bloodspider/head.md2".into(), named, "bloodspider.jpg"),
        (
            "md2/ufoai-pd/objects/barrel_plastic/barrel_plastic.md2".into(),
            named,
            "plastic_barrel.png",
        ),
        ("md5/terasology/skeletalMesh/dominog.md5mesh".into(), guessed, "dominog.png"),
        ("md5/cube2-data/ffflag/ffflag.md5mesh".into(), guessed, "ffflag_cc.png"),
        ("md5/snoutx10k/snoutx10k.md5mesh".into(), named, "lower.png upper.png"),
        ("mdl/librequake/progs/armor.mdl".into(), Some(Origin::Embedded), "-"),
    ];
    for (model, origin, expected) in table {
        let found = textures(&folder.join(&model), &[]);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.join(" "), expected, "{model}");
        assert!(found.iter().all(|(_, how)| *how == origin), "{model}: {found:?}");
    }
    let blaster = folder.join(BLASTER);
    let names = |options: &[(&str, &OsStr)]| -> Vec<String> {
        textures(&blaster, options).into_iter().map(|(name, _)| name).collect()
    };
    let beside = ["-", "blasterz.png", "blasterz.png", "zsight.jpg"];
    assert_eq!(names(&[]), beside);
    let hand = folder.join("md5/unvanquished-weapons/models/players/human_hand");
    assert_eq!(names(&[("texture-root", hand.as_os_str())])[0], "legacy_hand.png");
}

#[test]
fn skins_can_be_chosen() {
    let Some(folder) = models() else { return };
    let head = folder.join("md3/openarena-pak0/models/players/sarge/head.md3");
    let scene = Scene::new(&head);
    // One texture of its own, and three files.
    assert_eq!(scene.open().unwrap().skins(&scene).len(), 4);
    for (choice, file) in [("red", "redskin.tga"), ("blue", "blueskin.tga")] {
        let found = textures(&head, &[("skin", OsStr::new(choice))]);
        assert_eq!(found, [(file.to_owned(), Some(Origin::Named))]);
    }
    let spider = folder.join("md2/ufoai-ccbysa/aliens/bloodspider/bloodspider.md2");
    let found = textures(&spider, &[("skin", OsStr::new("1"))]);
    assert_eq!(found[0].0, "bloodspider2.png");
    let scene = Scene::new(&spider);
    assert_eq!(scene.open().unwrap().offered_textures(&scene).count(), 4);
}

#[test]
fn animations_are_found_beside_the_mesh_and_beside_its_folder() {
    let Some(folder) = models() else { return };
    for (mesh, count) in [
        ("md5/terasology/skeletalMesh/dominog.md5mesh", 2),
        ("md5/cube2-data/ffflag/ffflag.md5mesh", 1),
        ("md5/snoutx10k/snoutx10k.md5mesh", 3),
        ("md5/unvanquished-weapons/models/weapons/blaster/blaster_view.md5mesh", 5),
    ] {
        let scene = Scene::new(folder.join(mesh));
        let bytes = scene.read().unwrap();
        let anims = scene.open_bytes(bytes, Anims::All).unwrap().anims;
        assert_eq!(anims.len(), count, "{mesh}");
        assert!(anims.is_sorted_by_key(|anim| anim.file.clone()));
    }
}

#[test]
fn every_picture_can_be_decoded() {
    let Some(folder) = models() else { return };
    let mut folders = vec![folder];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["tga", "jpg", "png", "bmp", "dds", "pcx"].contains(&extension) {
                let image = Image::open(&path).unwrap();
                assert!(image.width() > 1 && image.height() > 1);
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}
