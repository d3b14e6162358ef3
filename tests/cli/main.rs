//! The command as its users meet it: exit codes, what goes to stdout and what to stderr, files
//! written whole or not at all, the standard streams, file names of any bytes.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "../shared/folder.rs"]
mod folder;
mod framing;
mod looks;
mod overwrite;
mod streams;

use std::fs;

use assert_cmd::Command;
use folder::names_in;
use polyset::Image;
use tempfile::TempDir;

fn model(name: &str) -> String {
    format!("{}/tests/models/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The command in an empty folder of its own.
fn polyset(folder: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
    command.current_dir(folder.path());
    command
}

/// Exit code, stdout, stderr.
fn run(command: &mut Command) -> (i32, Vec<u8>, String) {
    let output = command.output().unwrap();
    let code = output.status.code().expect("the command was not killed");
    (code, output.stdout, String::from_utf8(output.stderr).unwrap())
}

fn open_png(bytes: &[u8]) -> Image {
    Image::from_bytes(bytes, "png").unwrap()
}

/// Arguments after `polyset` (MDL, MD2, MD3, MD5 stand for the samples) and pieces of the message.
const REFUSED: &[(&str, &[&str])] = &[
    ("", &["Usage: polyset"]),
    ("draw MDL o.png", &["unrecognized subcommand 'draw'"]),
    ("render", &["<INPUT>"]),
    ("render MDL", &["no output", "--output FILE", "--hash"]),
    ("render MDL o.png -o p.png", &["two outputs", "o.png", "p.png"]),
    ("render MDL - --hash", &["the picture and --hash", "standard output"]),
    ("render MDL o.png --depth-output - --hash", &["--depth-output and --hash"]),
    ("render MDL o.png --bogus", &["unexpected argument '--bogus'"]),
    ("render nothing.mdl o.png", &["cannot read 'nothing.mdl'", "No such file"]),
    ("render . o.png", &["'.' is a folder without models"]),
    ("render MDL o.jpg", &["'o.jpg'", "polyset writes PNG"]),
    ("sheet MDL -o o.jpg", &["'o.jpg'", "polyset writes PNG"]),
    ("diff MDL MD3 -o o.jpg", &["'o.jpg'", "polyset writes PNG"]),
    ("render MDL o.png --texture-root no/such", &["--texture-root", "no/such"]),
    ("render MD3 o.png --skin nope", &["no skin or file 'nope'", "this model has"]),
    ("render MDL no/such/folder.png", &["cannot write", "no/such/folder.png"]),
    ("render MDL .", &["cannot write '.'"]),
    // Sizes and backgrounds.
    ("render MDL o.png -s 0", &["'0'", "--size", "1 to 16384"]),
    ("render MDL o.png -s 16385", &["'16385'", "--size", "1 to 16384"]),
    ("render MDL o.png -s -5", &["'-5'", "--size"]),
    ("render MDL o.png --resolution 640", &["'640'", "--resolution", "WIDTH,HEIGHT"]),
    ("render MDL o.png --resolution 640,0", &["'640,0'", "1 to 16384"]),
    ("render MDL o.png -s 64 --resolution 6,4", &["--size and --resolution say the same"]),
    ("render MDL o.png --background-color bluish", &["'bluish'", "RRGGBB"]),
    ("render MDL o.png --background-index 3", &["--background-index 3", "--color indexed"]),
    ("render MDL o.png --background-index 256 --color indexed", &["'256'", "--background-index"]),
    (
        "render MDL o.png --color indexed --background-color 10203080",
        &["--background-color", "alpha 80"],
    ),
    // Poses.
    ("render MDL o.png --frame 29", &["--frame 29", "the frames are 0 to 28"]),
    ("render MDL o.png --frame 0,99,0.5", &["--frame 99", "the frames are 0 to 28"]),
    ("render MDL o.png --frame 0,1", &["'0,1'", "A,B,T"]),
    ("render MDL o.png --frame 0,1,1.5", &["'0,1,1.5'", "T from 0 to 1"]),
    ("render MDL o.png --frame 0,1,nan", &["'0,1,nan'", "T from 0 to 1"]),
    ("render MDL o.png --frame -1", &["'-1'", "counted from 0"]),
    (
        "render MDL o.png --frame 1 --animation-time 2",
        &["--frame and --animation-time both choose"],
    ),
    ("render MDL o.png --animation fly", &["--animation fly", "stand, run, pain, wave"]),
    ("render MDL o.png --animation-time inf", &["'inf'", "--animation-time", "finite"]),
    ("render MDL o.png --time nan", &["'nan'", "--time", "finite"]),
    ("render MDL o.png --anim WALK", &["--anim", "no skeleton"]),
    ("render MD5 o.png --anim MDL", &["--anim", "bolt.mdl"]),
    ("render MD5 o.png --frame 1", &["--frame 1", "without --anim the bind pose is frame 0"]),
    ("render MD5 o.png --anim WALK --frame 25", &["--frame 25", "the frames are 0 to 24"]),
    // Looks.
    ("render MDL o.png --skin 2", &["--skin", "no skin 2", "has 2"]),
    ("render MDL o.png --skin none.pcx", &["--skin", "none.pcx"]),
    ("render MD3 o.png --skin nose=PCX", &["--skin", "no surface 'nose'", "'u_body'"]),
    ("render MDL o.png --palette MDL", &["--palette", "bolt.mdl", "768 bytes"]),
    ("render MDL o.png --colormap PCX", &["--colormap", "bolt.pcx"]),
    ("render MDL o.png --colors 4", &["'4'", "--colors", "0 to 15"]),
    ("render MDL o.png --colors 4,16", &["'4,16'", "0 to 15"]),
    ("render MDL o.png --color grey", &["'grey'", "rgb, indexed"]),
    ("render MDL o.png --lighting bright", &["'bright'", "lambert, unlit, quake"]),
    ("render MDL o.png --light 1,2", &["'1,2'", "--light", "X,Y,Z"]),
    ("render MDL o.png --light 0,0,0", &["'0,0,0'", "direction"]),
    ("render MDL o.png --light 1,nan,0", &["'1,nan,0'", "finite"]),
    ("render MDL o.png --ambient 1.5", &["'1.5'", "--ambient", "0 to 1"]),
    ("render MDL o.png --diffuse -0.5", &["'-0.5'", "--diffuse", "0 to 1"]),
    ("render MDL o.png --light-level 256", &["'256'", "--light-level", "0 to 255"]),
    ("render MDL o.png --filter cubic", &["'cubic'", "nearest, bilinear, trilinear"]),
    ("render MDL o.png --anti-aliasing ssaa3", &["'ssaa3'", "ssaa2"]),
    ("render MDL o.png --cull all", &["'all'", "back, front, none"]),
    ("render MDL o.png --draw pencil", &["'pencil'", "textured, flat, wire"]),
    ("render MDL o.png --md2-geometry strips", &["'strips'", "triangles, glcmds"]),
    // Cameras.
    ("render MDL o.png --camera-view-angle 180", &["'180'", "above 0 and below 180"]),
    ("render MDL o.png --camera-view-angle 0", &["'0'", "--camera-view-angle"]),
    ("render MDL o.png --camera-position 1,2", &["'1,2'", "--camera-position"]),
    (
        "render MDL o.png --camera-position 1,2,3 --camera-focal-point 1,2,3",
        &["--camera-position 1,2,3", "--camera-focal-point"],
    ),
    ("render MDL o.png --camera-view-up 0,0,0", &["'0,0,0'", "direction"]),
    ("render MDL o.png --camera-near 0", &["'0'", "--camera-near", "above 0"]),
    ("render MDL o.png --camera-near 9 --camera-far 9", &["--camera-near 9", "--camera-far 9"]),
    ("render MDL o.png --camera-zoom-factor -1", &["'-1'", "--camera-zoom-factor"]),
    ("render MDL o.png --camera-azimuth-angle north", &["'north'", "--camera-azimuth-angle"]),
    // The run.
    ("render MDL o.png --threads 0", &["'0'", "--threads"]),
    ("render MDL o.png --threads many", &["'many'", "--threads"]),
    ("render MDL o.png --max-work -1", &["'-1'", "--max-work", "a number of pixels"]),
    ("render MDL o.png --max-work 1000", &["pixel tests, 1000 are allowed"]),
    ("render MDL o.png --max-work 1000 --renderer classic", &["pixel tests, 1000 are allowed"]),
    ("render MDL o.png --simd mmx", &["'mmx'", "auto, scalar, fallback"]),
    ("render MDL o.png --engine-frame 1", &["--engine-frame needs --renderer classic"]),
    ("info", &["<INPUT>"]),
    ("info nothing.mdl", &["cannot read 'nothing.mdl'"]),
    ("info MDL --textconv --json", &["--textconv", "--json", "print different things"]),
    ("sprites MDL -o -", &["--output -", "no stream"]),
    ("thumbs MDL -o -", &["--output -", "no stream"]),
    ("compare PCX PCX --diff -", &["--diff -", "no stream"]),
    ("animate MDL a.gif --color indexed --dither", &["--dither is for true colour"]),
    ("check nothing.toml", &["polyset: 'nothing.toml': cannot be read: "]),
    ("info PCX", &["bolt.pcx", "polyset reads .mdl"]),
];

#[test]
fn bad_invocations_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, pieces) in REFUSED {
        let arguments = arguments.split_whitespace().map(|argument| {
            let expanded = [
                ("MDL", "bolt.mdl"),
                ("MD3", "bolt.md3"),
                ("MD5", "bolt.md5mesh"),
                ("WALK", "bolt_walk.md5anim"),
                ("PCX", "bolt.pcx"),
            ];
            let sample = expanded.iter().find(|(short, _)| argument.ends_with(short));
            sample
                .map_or(argument.to_owned(), |(short, file)| argument.replace(short, &model(file)))
        });
        let arguments: Vec<String> = arguments.collect();
        let (code, stdout, stderr) = run(polyset(&folder).args(&arguments));
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(stdout.is_empty(), "{arguments:?} writes data");
        for piece in *pieces {
            assert!(stderr.contains(piece), "{arguments:?}: '{piece}' is not in\n{stderr}");
        }
        let begins = stderr.lines().next().unwrap_or_default();
        let is_ours = begins.starts_with("polyset: ");
        assert!(is_ours, "{arguments:?}: '{begins}'");
        assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
        assert_eq!(names_in(folder.path()), [""; 0], "{arguments:?}");
    }
}

#[test]
fn an_instruction_set_that_the_machine_lacks_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = if cfg!(target_arch = "x86_64") { "neon" } else { "sse2" };
    let mut command = polyset(&folder);
    let (code, _, stderr) =
        run(command.args(["render", &model("bolt.mdl"), "o.png", "--simd", foreign]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains(&format!("--simd {foreign}")), "{stderr}");
    assert!(stderr.contains("auto, scalar, fallback"), "{stderr}");
}

#[test]
fn help_and_version_go_to_stdout() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, piece) in [
        (&["--version"][..], "polyset "),
        (&["--help"], "render"),
        (&["help"], "render"),
        (&["help", "info"], "--json"),
        (&["render", "--help"], "--camera-view-angle <DEG>"),
        (&["info", "-h"], "--json"),
    ] {
        let (code, stdout, stderr) = run(polyset(&folder).args(arguments));
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        let stdout = String::from_utf8(stdout).unwrap();
        assert!(stdout.contains(piece), "{arguments:?}: {stdout}");
    }
}

#[test]
fn what_a_message_says_it_says_once_and_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("bad.toml"), "[lint]\ndeny = 3 x\n").unwrap();
    fs::write(root.join("word.toml"), "[lint]\ndenied = []\n").unwrap();
    let bolt = model("bolt.mdl");
    for (words, expected) in [
        ("hash none.mdl", "cannot read 'none.mdl': "),
        ("diff none.mdl none.md2", "cannot read 'none.mdl': "),
        ("render BOLT none/o.png", "cannot write 'none/o.png': the folder 'none': "),
        ("lint BOLT --config bad.toml", "'bad.toml' cannot be used: line 2, column "),
        ("lint BOLT --config word.toml", "'word.toml' cannot be used: line 2, column "),
    ] {
        let words = words.split(' ').map(|word| if word == "BOLT" { &bolt } else { word });
        let words: Vec<&str> = words.collect();
        let (code, stdout, stderr) = run(polyset(&folder).args(&words));
        let said = format!("{}{stderr}", String::from_utf8(stdout).unwrap());
        assert_eq!(code, 2, "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
        assert!(!said.contains("\\n") && !said.contains(".polyset-"), "{words:?}: {said}");
        assert!(said.lines().all(|line| line.matches("os error").count() < 2), "{words:?}: {said}");
    }
}

#[test]
fn the_own_folder_of_a_game_is_no_second_place() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("q/id1/progs")).unwrap();
    fs::copy(model("bolt.mdl"), folder.path().join("q/id1/progs/bolt.mdl")).unwrap();
    let info = |words: &[&str]| {
        let (code, stdout, _) = run(polyset(&folder).args(["info", "progs/bolt.mdl"]).args(words));
        (code, String::from_utf8(stdout).unwrap())
    };
    let expected = info(&["--game", "q"]);
    assert_eq!(expected.0, 0);
    for words in [["--game", "q", "--mod", "id1"], ["--game", "q/id1", "--mod", "ID1"]] {
        assert_eq!(info(&words), expected, "{words:?}");
    }
}

#[test]
fn info_tells_what_a_file_holds() {
    let folder = tempfile::tempdir().unwrap();
    for (sample, pieces) in [
        ("bolt.mdl", &["Quake model", "29 frames", "2 skins", "group of 3", "0 stand", "1.15"][..]),
        ("bolt.md2", &["Quake II model", "39 frames", "models/bolt/bolt.pcx", "bolt.pcx"]),
        ("bolt.md3", &["Quake III Arena model", "tag_weapon", "u_body", "looked at"]),
        ("bolt.md5mesh", &["Doom 3 model", "19 joints", "bolt_walk", "fits", "forearm L"]),
        ("bolt_holey.mdl", &["Warnings", "a_longer_name_16", "offset"]),
        ("hand.md3", &["0 surfaces", "tag_weapon", "No warnings"]),
    ] {
        let (code, stdout, stderr) = run(polyset(&folder).args(["info", &model(sample)]));
        assert_eq!((code, stderr.as_str()), (0, ""), "{sample}");
        let stdout = String::from_utf8(stdout).unwrap();
        for piece in pieces {
            assert!(stdout.contains(piece), "{sample}: '{piece}' is not in\n{stdout}");
        }
        assert!(stdout.lines().all(|line| line == line.trim_end()), "{sample}: trailing blanks");
    }
}

#[test]
fn info_has_a_versioned_json_shape() {
    let folder = tempfile::tempdir().unwrap();
    let json = |sample: &str| -> serde_json::Value {
        let (code, stdout, stderr) = run(polyset(&folder).args(["info", &model(sample), "--json"]));
        assert_eq!((code, stderr.as_str()), (0, ""), "{sample}");
        serde_json::from_slice(&stdout).unwrap()
    };
    let mdl = json("bolt.mdl");
    assert_eq!(mdl["polyset_info"], 1);
    assert_eq!(mdl["format"], "mdl");
    assert_eq!(mdl["counts"]["frames"], 29);
    assert_eq!(mdl["frames"].as_array().unwrap().len(), 29);
    assert_eq!(mdl["skins"][1]["pictures"], 3);
    assert_eq!(mdl["clips"][3]["name"], "wave");
    let holey = json("bolt_holey.mdl");
    assert!(holey["warnings"][0]["offset"].is_u64(), "{holey}");
    let md3 = json("bolt.md3");
    assert_eq!(md3["textures"][0]["origin"], "named");
    assert!(md3["textures"][0]["looked"].as_array().unwrap().len() > 1);
    let md5 = json("bolt.md5mesh");
    assert_eq!(md5["joints"][1]["parent"], 0);
    assert_eq!(md5["anims"][0]["error"], serde_json::Value::Null);
    // Every field stands in the description.
    let description = include_str!("../../docs/info-json.md");
    for value in [&mdl, &md3, &md5, &holey] {
        for key in value.as_object().unwrap().keys() {
            assert!(description.contains(&format!("`{key}`")), "{key} is not described");
        }
    }
}

#[test]
fn thumbnails_need_the_model_alone_and_any_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh", "bolt_holey.mdl"] {
        fs::copy(model(name), folder.path().join(name)).unwrap();
        // As a desktop makes it: empty, with a name of its own.
        fs::write(folder.path().join("thumb.jpg"), b"").unwrap();
        let (code, stdout, stderr) =
            run(polyset(&folder).args(["thumb", "-s", "96", name, "thumb.jpg"]));
        assert_eq!((code, &*stdout, &*stderr), (0, &b""[..], ""), "{name}");
        let bytes = fs::read(folder.path().join("thumb.jpg")).unwrap();
        let image = open_png(&bytes);
        assert_eq!((image.width(), image.height()), (96, 96));
        let rgba = image.to_rgba();
        let pixels = rgba.as_chunks::<4>().0;
        let is_drawn = |&&[.., alpha]: &&[u8; 4]| alpha > 0;
        assert!(pixels.iter().filter(is_drawn).count() > 1000, "{name}");
        // It fills the picture, up to a narrow margin.
        let columns: Vec<usize> =
            (0..pixels.len()).filter(|&at| is_drawn(&&pixels[at])).map(|at| at % 96).collect();
        let rows: Vec<usize> =
            (0..pixels.len()).filter(|&at| is_drawn(&&pixels[at])).map(|at| at / 96).collect();
        let extent = |places: &[usize]| places.iter().max().unwrap() - places.iter().min().unwrap();
        let largest = extent(&columns).max(extent(&rows));
        assert!((86..=95).contains(&largest), "{name}: {largest}");
        fs::remove_file(folder.path().join(name)).unwrap();
    }
}

#[test]
fn thumbnails_refuse_what_render_refuses() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(model("bolt.mdl"), folder.path().join("bolt.mdl")).unwrap();
    for (arguments, piece) in [
        ("thumb -s 15 bolt.mdl o.png", "16 to 2048"),
        ("thumb -s 2049 bolt.mdl o.png", "16 to 2048"),
        ("thumb bolt.mdl bolt.mdl", "the thumbnail would overwrite 'bolt.mdl'"),
        ("thumb none.mdl o.png", "cannot read 'none.mdl'"),
        ("thumb bolt.mdl", "<OUTPUT>"),
    ] {
        let (code, _, stderr) = run(polyset(&folder).args(arguments.split(' ')));
        assert_eq!(code, 2, "{arguments}");
        assert!(stderr.contains(piece), "{arguments}: {stderr}");
    }
    assert_eq!(names_in(folder.path()), ["bolt.mdl"]);
}
