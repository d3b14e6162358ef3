//! What a later run draws again, and what no run replaces.

use std::fs;

use super::place::{Place, sample};

#[test]
fn a_second_run_draws_what_is_missing_or_has_changed() {
    let place = Place::with_models(14);
    let said = place.says("thumbs in -r -o out -s 32", 0);
    assert!(said.contains("14 drawn"), "{said}");
    let (pictures, manifest) = (place.pictures("out"), place.timeless("out/manifest.jsonl"));
    let drawn = |why: &str, count: usize| {
        let said = place.says("thumbs in -r -o out -s 32", 0);
        let expected = [format!("{count} drawn"), format!("{} there already", 14 - count)];
        assert!(expected.iter().all(|text| said.contains(text)), "{why}: {said}");
    };
    drawn("nothing has changed", 0);
    fs::remove_file(place.path("out/0/0_bolt.md2.png")).unwrap();
    fs::write(place.path("out/1/1_bolt.md3.png"), b"").unwrap();
    drawn("a picture is gone, another one empty", 2);
    assert!(place.pictures("out") == pictures, "pictures differ");
    assert!(place.timeless("out/manifest.jsonl") == manifest, "the manifest differs");
    // Both of the samples that lie in this folder and want it.
    place.copy("bolt.tga", "in/0/bolt.tga");
    place.copy("bolt.tga", "in/1/bolt.tga");
    let before = place.pictures("out");
    let said = place.says("thumbs in -r -o out -s 32", 0);
    assert!(!said.starts_with("polyset: 0 drawn"), "a texture has come: {said}");
    assert!(place.pictures("out") != before, "no picture has changed");
    drawn("nothing has changed since", 0);
    let model = fs::read(place.path("in/0/3_bolt.mdl")).unwrap();
    fs::write(place.path("in/0/3_bolt.mdl"), &model).unwrap();
    drawn("the model was written anew", 1);
    let said = place.says("thumbs in -r -o out -s 32 --redraw", 0);
    assert!(said.contains("14 drawn"), "{said}");
    let said = place.says("thumbs in -r -o out -s 33", 0);
    assert!(said.contains("14 drawn"), "other options: {said}");
}

#[test]
fn a_file_that_comes_to_go_with_a_model_draws_it_again() {
    let place = Place::new();
    place.copy("bolt.md5mesh", "in/bolt.md5mesh");
    place.copy("bolt_paint.png", "in/bolt_paint.png");
    place.copy("bolt.mdl", "in/bolt.mdl");
    place.says("thumbs in -o out -s 32", 0);
    let before = place.pictures("out");
    place.copy("bolt_wave.md5anim", "in/bolt_idle.md5anim");
    let said = place.says("thumbs in -o out -s 32", 0);
    assert!(said.contains("1 drawn") && said.contains("1 there already"), "{said}");
    assert!(place.pictures("out") != before, "the model stands as it did");
    // Of what changes nothing a run looks at the models, once.
    place.copy("bolt.md2", "in/bolt.md2");
    for (drawn, kept) in [(1, 2), (0, 3)] {
        let said = place.says("thumbs in -o out -s 32", 0);
        let expected = [format!("{drawn} drawn"), format!("{kept} there already")];
        assert!(expected.iter().all(|text| said.contains(text)), "{said}");
    }
    assert_eq!(place.lines("out/manifest.jsonl").len(), 3);
}

#[test]
fn a_model_is_one_whatever_it_is_called() {
    let place = Place::new();
    place.copy("bolt.mdl", "in/bolt.mdl");
    place.copy("bolt.md2", "in/bolt.md2");
    let whole = place.path("in/bolt.mdl");
    let said =
        place.says(&format!("thumbs in/bolt.mdl ./in in/bolt.mdl {} -o out", whole.display()), 0);
    assert!(said.contains("2 drawn"), "{said}");
    place.says("thumbs ./in -o out -s 32", 0);
    place.says("thumbs in -o out -s 32", 0);
    assert_eq!(place.lines("out/manifest.jsonl").len(), place.pictures("out").len());
}

#[test]
fn nothing_is_destroyed() {
    let place = Place::new();
    place.copy("bolt.mdl", "in/bolt.mdl");
    place.copy("bolt_paint.png", "out/bolt.mdl.png");
    let said = place.says("thumbs in -o out", 2);
    assert!(said.contains("was not drawn by polyset; --force replaces it"), "{said}");
    assert_eq!(
        fs::read(place.path("out/bolt.mdl.png")).unwrap(),
        fs::read(sample("bolt_paint.png")).unwrap()
    );
    place.says("thumbs in -o out --force", 0);
    place.says("thumbs in -o out --redraw", 0);
    for mine in ["mine\n", "a line without an end"] {
        fs::write(place.path("notes.jsonl"), mine).unwrap();
        let said = place.says("thumbs in -o out --manifest notes.jsonl", 2);
        assert!(said.contains("is no manifest of thumbnails"), "{said}");
        assert_eq!(fs::read_to_string(place.path("notes.jsonl")).unwrap(), mine);
    }
    // A texture that the model wears, under the name of the picture.
    place.copy("bolt.md3", "worn/bolt.md3");
    place.copy("bolt_paint.png", "worn/bolt.md3.png");
    let said = place.says("thumbs worn -o worn --skin worn/bolt.md3.png --force", 2);
    assert!(said.contains("was read for it"), "{said}");
    fs::write(place.path("file"), b"").unwrap();
    let said = place.says("thumbs in -o file", 2);
    assert!(said.contains("cannot make the folder 'file'"), "{said}");
}

#[test]
fn models_do_not_take_each_others_pictures() {
    let place = Place::new();
    place.copy("bolt.mdl", "a/bolt.mdl");
    place.copy("bolt_holey.mdl", "b/bolt.mdl");
    place.copy("bolt.md2", "b/bolt.md2");
    let names = || {
        let lines = place.lines("out/manifest.jsonl");
        let text =
            |line: &serde_json::Value, name: &str| line[name].as_str().unwrap_or("none").to_owned();
        let lines = lines.iter().map(|line| [text(line, "input"), text(line, "output")].join(" "));
        lines.collect::<Vec<_>>().join(", ")
    };
    place.says("thumbs a -o out -s 32", 0);
    let first = place.pictures("out");
    // Another folder's model of that name: its other models are drawn.
    let said = place.says("thumbs b -o out -s 32", 1);
    assert!(
        said.contains("'out/bolt.mdl.png' is the picture of 'a/bolt.mdl'; draw into"),
        "{said}"
    );
    assert!(said.contains("1 drawn") && said.contains("1 failed"), "{said}");
    assert!(place.pictures("out")["bolt.mdl.png"] == first["bolt.mdl.png"]);
    // In one list both have names, whichever comes first.
    for (list, expected) in [
        ("a b", "a/bolt.mdl bolt.mdl.png, b/bolt.md2 bolt.md2.png, b/bolt.mdl bolt.mdl-2.png"),
        ("b a", "b/bolt.md2 bolt.md2.png, b/bolt.mdl bolt.mdl.png, a/bolt.mdl bolt.mdl-2.png"),
    ] {
        place.says(&format!("thumbs {list} -o out -s 32"), 0);
        assert_eq!(names(), expected);
        place.says(&format!("thumbs {list} -o fresh -s 32 --redraw"), 0);
        assert!(place.pictures("out") == place.pictures("fresh"), "{list}");
        let said = place.says(&format!("thumbs {list} -o out -s 32"), 0);
        assert!(said.contains("0 drawn"), "{said}");
        fs::remove_dir_all(place.path("fresh")).unwrap();
    }
    // One that is gone has no picture any more, and --force takes it from one that is there.
    fs::rename(place.path("b"), place.path("c")).unwrap();
    place.says("thumbs c -o out -s 32", 0);
    assert!(
        names().starts_with("c/bolt.md2 bolt.md2.png, c/bolt.mdl bolt.mdl.png, "),
        "{}",
        names()
    );
    place.says("thumbs a -o out -s 32 --force", 0);
    assert!(names().starts_with("a/bolt.mdl bolt.mdl.png, c/bolt.md2"), "{}", names());
}

#[test]
fn what_was_read_is_not_replaced() {
    let place = Place::new();
    place.copy("bolt.mdl", "in/bolt.mdl");
    place.copy("bolt.md3", "in/bolt.md3");
    place.copy("bolt_paint.png", "in/bolt_paint.png");
    let paint = fs::read(sample("bolt_paint.png")).unwrap();
    // The picture of the first model would be the texture of the second.
    let said = place.says("thumbs in/bolt.mdl in/bolt.md3 -o in/{model}_paint.png --force", 1);
    assert!(said.contains("'in/bolt_paint.png' was read for another model"), "{said}");
    let said = place.says("sheet in/bolt.md3 -o in/bolt_paint.png --force", 2);
    assert!(
        said.contains("in/bolt_paint.png', which was read; 'in/bolt_paint.png' is the same file"),
        "{said}"
    );
    assert!(fs::read(place.path("in/bolt_paint.png")).unwrap() == paint);
    // A picture that polyset has drawn is no less read.
    let uv = place.command("render in/bolt.mdl in/skin.png --draw uv -s 64").status().unwrap();
    assert!(uv.success());
    let skin = fs::read(place.path("in/skin.png")).unwrap();
    place.says("sheet in/bolt.mdl --skin in/skin.png -o in/skin.png", 2);
    assert!(fs::read(place.path("in/skin.png")).unwrap() == skin);
}

#[cfg(unix)]
#[test]
fn a_picture_that_is_write_protected_does_not_stop_the_others() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with_models(5);
    place.says("thumbs in -r -o out -s 32", 0);
    let shut = place.path("out/1/1_bolt.md3.png");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o444)).unwrap();
    let before = fs::read(&shut).unwrap();
    let said = place.says("thumbs in -r -o out -s 48 --threads 1", 1);
    assert!(said.contains("4 drawn") && said.contains("1 failed"), "{said}");
    assert!(said.contains("write-protected"), "{said}");
    assert!(fs::read(&shut).unwrap() == before);
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o644)).unwrap();
    let said = place.says("thumbs in -r -o out -s 48", 0);
    assert!(said.contains("1 drawn") && said.contains("4 there already"), "{said}");
}
