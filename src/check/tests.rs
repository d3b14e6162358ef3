//! Scene files to cases, and what is wrong with those that are none.

use std::fs;
use std::path::Path;

use super::*;

/// The scene file of a text, beside our models.
fn read(text: &str) -> Result<SceneFile, SceneFileError> {
    let folder = tempfile::tempdir().unwrap();
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let text = text.replace("MODELS", &models.display().to_string());
    for (name, text) in [
        ("scenes.toml", text.as_str()),
        ("round.toml", "include = \"scenes.toml\""),
        ("sub.toml", "[[scene]]\nname = \"sub\"\nmodel = \"x.mdl\"\nhash = \"new\""),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    SceneFile::open(folder.path().join("scenes.toml"))
}

fn names(text: &str) -> String {
    let scenes = read(text).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = scenes.cases().iter().map(|case| &*case.name).collect();
    names.join(" ")
}

/// Options as they are said, without the names of files.
fn options(case: &Case) -> String {
    let line = case.command().unwrap();
    line.split_once(".png").unwrap().1.trim().to_owned()
}

#[test]
fn the_smallest_file() {
    let scenes = read(
        "[[scene]]\nname = \"ogre\"\nmodel = \"ogre.mdl\"\nsize = 64\nreference = \"ogre.png\"",
    );
    let scenes = scenes.unwrap();
    let case = &scenes.cases()[0];
    assert_eq!(options(case), "--size 64");
    // The command that is told does not overwrite the reference.
    let command = case.command().unwrap();
    assert!(command.contains(" ogre.drawn.png ") && !command.contains("ogre.png"), "{command}");
    let folder = scenes.path().parent().unwrap();
    assert_eq!(case.reference, Reference::Picture(folder.join("ogre.png")));
    assert_eq!(
        case.scene.as_ref().unwrap().source.input.name(),
        folder.join("ogre.mdl").display().to_string()
    );
}

#[test]
fn values_are_those_of_the_options() {
    let text = r##"
        defaults.size = 64
        defaults.background-color = "#102030"
        [[scene]]
        name = "a"
        model = "a.md3"
        resolution = [320, 200]
        camera_position = [1, -2.5, 3]
        camera-orthographic = true
        alpha_test = false
        no_background = true
        skin = ["head=h.png", "torso=t.png"]
        cull = "none"
        hash = "new""##;
    let scenes = read(text).unwrap();
    let folder = scenes.path().parent().unwrap().display().to_string() + "/";
    let options = options(&scenes.cases()[0]).replace(&folder, "");
    assert_eq!(
        options,
        "--resolution 320,200 --no-background --skin head=h.png --skin torso=t.png --cull none \
         --camera-position 1,-2.5,3 --camera-orthographic"
    );
}

#[test]
fn patterns_and_matrices_are_multiplied_out() {
    let matrix = |axes: &str| {
        format!(
            "[[scene]]\nname = \"m\"\nmodel = \"MODELS/bolt.md2\"\nhashes = \"h\"\n[scene.matrix]\n{axes}"
        )
    };
    for (text, expected) in [
        (
            "[[scene]]\nmodel = \"MODELS/b*.md[23]\"\nexclude = \"*_*\"\nhashes = \"h\"".to_owned(),
            "bolt.md2 bolt.md3",
        ),
        (
            "[[scene]]\nname = \"x/{stem}\"\nmodel = [\"a/b.mdl\", \"a/c.mdl\"]\nhashes = \"h\""
                .to_owned(),
            "x/b x/c",
        ),
        (
            matrix("skin = [0, \"red.pcx\"]\nsize = [8, 16]"),
            "m-0-8 m-0-16 m-red.pcx-8 m-red.pcx-16",
        ),
        (matrix("camera_azimuth_angle = { front = 0, left = 90 }"), "m-front m-left"),
        (
            matrix(
                "from.above = { camera_elevation_angle = 80, cull = \"none\" }\nfrom.behind = { camera_azimuth_angle = 180 }",
            ),
            "m-above m-behind",
        ),
        (
            matrix("frame = \"every 20\"\nanimation = \"all\""),
            "m-0-stand m-0-run m-0-attack m-0-pain1 m-0-pain2 m-0-wave",
        ),
        (
            matrix("animation = \"all\"").replace("\"m\"", "\"{animation}.{stem}\""),
            "stand.bolt run.bolt attack.bolt pain1.bolt pain2.bolt wave.bolt",
        ),
        (matrix("frame = \"every 20\""), "m-00 m-20"),
        (matrix("frame = \"every 20\"").replace("md2", "md5mesh"), "m-0"),
        (
            matrix("frame = \"every 9\"")
                .replace("[scene.matrix]", "animation = \"WALK\"\n[scene.matrix]")
                .replace("bolt.md2", "bolt.md3"),
            "m-0 m-9",
        ),
        (matrix("alpha_test = [false, true]"), "m-false m-true"),
        (
            "include = \"sub.toml\"\n[[scene]]\nname = \"own\"\nmodel = \"o.mdl\"\nhash = \"new\""
                .to_owned(),
            "sub own",
        ),
    ] {
        assert_eq!(names(&text), expected, "{text}");
    }
    let scenes = read(&matrix("skin = \"all\"").replace("md2", "mdl")).unwrap();
    let skins: Vec<String> = scenes.cases().iter().map(options).collect();
    assert!(skins.len() > 1 && skins[1].starts_with("--skin 1"), "{skins:?}");
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let scene =
        |more: &str| format!("[[scene]]\nname = \"a\"\nmodel = \"a.mdl\"\nhash = \"new\"\n{more}");
    let picture = |more: &str| scene(more).replace("hash = \"new\"", "reference = \"a.png\"");
    for (text, line, message) in [
        (scene("sise = 64"), 5, "there is no key 'sise'; did you mean 'size'?"),
        (scene("size = 0"), 5, "size = 0: expected pixels from 1"),
        (scene("size = \"large\""), 5, "size = large: expected pixels"),
        (scene("cull = \"all\""), 5, "cull = all: expected"),
        (scene("alpha_test = 1"), 5, "alpha_test: expected true or false"),
        (scene("size = { x = 1 }"), 5, "size: expected a number or a text"),
        (picture("threshold = 2.5"), 5, "2.5"),
        (picture("metric = \"psnr\""), 5, "psnr"),
        (picture("ignore_region = \"1,2\""), 5, "X,Y,W,H"),
        (picture("ignore_region = [1, 2]"), 5, "X,Y,W,H"),
        (picture("ignore_region = [[1, 2, 3]]"), 5, "X,Y,W,H"),
        (scene("matrix = { size = \"all\" }"), 5, "found \"all\""),
        (scene("matrix = { frame = \"every 0\" }"), 5, "expected \"every N\""),
        (scene("matrix = { size = [] }"), 5, "'size' has no values"),
        (scene("matrix = { sizes = [1] }"), 5, "did you mean 'size'?"),
        (scene("matrix = { size = [1, 2] }"), 1, "a hash is that of one picture"),
        (scene("known_failure = \"\""), 5, "expected a text"),
        (scene("size = 8\nsize = 9"), 6, "duplicate key"),
        (
            scene("camera_zoom_factor = 1\ncamera-zoom-factor = 2"),
            6,
            "'camera_zoom_factor' and 'camera_zoom_factor' in line 5 are one key",
        ),
        (
            scene("size = 8\nresolution = [8, 9]"),
            6,
            "'resolution' and 'size' in line 5 say the same",
        ),
        (scene("reference = \"a.png\""), 5, "'reference' and 'hash' in line 4 both say"),
        (scene("no_background = true\nbackground_color = \"red\""), 6, "contradict each other"),
        (scene("matrix = { size = [8], resolution = [9] }"), 5, "say the same"),
        (scene("matrix = { a = { b = { size = 8, resolution = 9 } } }"), 5, "say the same"),
        (scene("size = 8\nmatrix = { size = [9] }"), 6, "'size' and 'size' in line 5 are one key"),
        (
            scene("matrix = { resolution = [\"9,9\"] }\nsize = 8"),
            5,
            "'resolution' and 'size' in line 6 say the same",
        ),
        ("[defaults]\nsize = 8\nresolution = 9".into(), 3, "say the same"),
        (scene("threshold = 2"), 5, "compared by a hash, which is equal or not"),
        (
            scene("").replace("hash = \"new\"", "hashes = \"h\"\nmetric = \"flip\""),
            5,
            "'metric' is for",
        ),
        (
            format!("[defaults]\nhashes = \"h\"\n{}", scene("max-differing = 2"))
                .replace("hash = \"new\"\n", ""),
            6,
            "'max_differing' is for pictures",
        ),
        (scene("camera_angles = [0, 0, 0]"), 1, "--camera-angles needs --renderer classic"),
        (scene("").replace("new", "xyz"), 4, "expected a hash of 16 hexadecimal digits"),
        (scene("").replace("hash = \"new\"", ""), 1, "has nothing to be compared with"),
        (scene("").replace("name = \"a\"", ""), 1, "this scene has no name"),
        (scene("").replace("\"a\"", "\"../a\""), 1, "'../a' is no name"),
        (scene("").replace("\"a\"", "\"{skin}\""), 1, "there are the fields {path}, {stem}"),
        (scene("").replace("model = \"a.mdl\"", ""), 1, "this scene has no model"),
        (scene("").replace("a.mdl", "-"), 1, "no place for the standard input"),
        (scene("").replace("a.mdl", "[a.mdl"), 1, "is no pattern"),
        (scene("").replace("[[scene]]", "[scene]"), 1, "expected [[scene]] with two brackets"),
        (format!("{}\n{}", scene(""), scene("").replace("\"a\"", "\"A\"")), 6, "two scenes 'A'"),
        (
            format!("{}\n{}", scene("").replace("hash = \"new\"", "reference = \"a.jpg\""), ""),
            4,
            "let the name end in .png",
        ),
        ("scenes = 1".into(), 1, "did you mean 'scene'?"),
        ("[defaults]\nmodel = \"x\"".into(), 2, "there is no key 'model'"),
        ("[[scene]\n".into(), 1, "expected"),
        ("include = \"round.toml\"".into(), 1, "files include each other"),
        ("include = \"no.toml\"".into(), 1, "no.toml'"),
        ("include = 1".into(), 1, "expected a text"),
    ] {
        let error = read(&text).map(|scenes| scenes.cases().len()).unwrap_err();
        assert!(error.message.contains(message), "{text}\n{error}");
        assert_eq!(error.place.line, line, "{text}\n{error}");
    }
}

#[test]
fn keys_that_contradict_nothing_stand_together() {
    for text in [
        // Of the defaults the scene takes what it says itself; scenes with pictures need a tolerance.
        "[defaults]\nthreshold = 2\nsize = 8\nreference = \"{name}.png\"\n[[scene]]\nname = \"a\"\n\
         model = \"a.mdl\"\nhash = \"new\"\nresolution = [8, 9]",
        // A switch that is off.
        "[[scene]]\nname = \"a\"\nmodel = \"a.mdl\"\nhash = \"new\"\nno_background = false\n\
         background_color = \"red\"",
    ] {
        assert_eq!(names(text), "a", "{text}");
    }
}

#[test]
fn models_that_are_missing_are_cases() {
    let text = "[[scene]]\nname = \"a-{stem}\"\nmodel = [\"no.mdl\", \"no/*.mdl\", \"MODELS/*.xyz\"]\nhashes = \"h\"";
    let scenes = read(text).unwrap();
    let said: Vec<_> = scenes.cases().iter().map(|case| case.scene.as_ref().err()).collect();
    assert_eq!(said[0], None, "drawing it says so");
    assert!(said[1].is_some_and(|why| why.contains("is no folder")), "{said:?}");
    assert!(said[2].is_some_and(|why| why.contains("no model is called like")), "{said:?}");
}

#[test]
fn names_choose_cases() {
    let text =
        "[[scene]]\nname = \"{stem}\"\nmodel = [\"ab.mdl\", \"ac.mdl\", \"b.mdl\"]\nhashes = \"h\"";
    let scenes = read(text).unwrap();
    let select = |names: &[&str]| {
        scenes.select(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(select(&[]).unwrap(), [0, 1, 2]);
    assert_eq!(select(&["a*"]).unwrap(), [0, 1]);
    assert_eq!(select(&["b", "ac"]).unwrap(), [1, 2]);
    assert_eq!(select(&["b", "*"]).unwrap(), [0, 1, 2]);
    assert!(select(&["x"]).unwrap_err().to_string().contains("has no scene 'x'"));
    assert!(select(&["[x"]).is_err());
}
