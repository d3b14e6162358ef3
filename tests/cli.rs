//! The command as its users meet it: exit codes, what goes to stdout and what to stderr, files
//! written whole or not at all, the standard streams, file names of any bytes.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "shared/folder.rs"]
mod folder;

use std::fs;
#[cfg(unix)]
use std::time::{Duration, Instant};

use assert_cmd::Command;
use folder::names_in;
use polyset::{Image, Pixels};
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
fn a_picture_has_the_size_that_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, size) in [
        (&["o.png"][..], (512, 512)),
        (&["o.png", "-s", "7"], (7, 7)),
        (&["o.png", "--resolution", "30,20"], (30, 20)),
        (&["o.anything", "--resolution", "20x30"], (20, 30)),
        (&["--output", "o.png", "-s", "4"], (4, 4)),
    ] {
        let (code, stdout, stderr) =
            run(polyset(&folder).args(["render", &model("bolt.md3")]).args(arguments));
        assert_eq!((code, stdout.len(), stderr.as_str()), (0, 0, ""), "{arguments:?}");
        let files = names_in(folder.path());
        assert_eq!(files.len(), 1, "{arguments:?}: {files:?}");
        let path = folder.path().join(&files[0]);
        let image = open_png(&fs::read(&path).unwrap());
        assert_eq!((image.width(), image.height()), size, "{arguments:?}");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn streams_carry_data_alone() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(model("bolt_holey.mdl")).unwrap();
    let (code, png, stderr) =
        run(polyset(&folder).args(["render", "-", "-", "-s", "32"]).write_stdin(bytes.clone()));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.starts_with("polyset: warning: standard input: "), "{stderr}");
    assert_eq!(open_png(&png).width(), 32);
    let hash = format!("{:016x}\n", open_png(&png).hash());
    for more in [&["--hash"][..], &["--hash", "o.png"], &["--hash", "--stats"]] {
        let mut command = polyset(&folder);
        command.args(["render", "-", "-s", "32"]).args(more).write_stdin(bytes.clone());
        let (code, stdout, stderr) = run(&mut command);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(String::from_utf8(stdout).unwrap(), hash, "{more:?}");
        assert_eq!(stderr.contains("kernel"), more.contains(&"--stats"), "{stderr}");
    }
    let written = fs::read(folder.path().join("o.png")).unwrap();
    assert_eq!(written, png);
}

#[test]
fn a_refused_run_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("o.png");
    fs::write(&picture, b"old").unwrap();
    let broken = folder.path().join("broken.md2");
    let bytes = fs::read(model("bolt.md2")).unwrap();
    fs::write(&broken, &bytes[..bytes.len() / 2]).unwrap();
    let (code, _, stderr) = run(polyset(&folder).args(["render", "broken.md2", "o.png"]));
    assert_eq!(code, 2);
    assert!(stderr.starts_with("polyset: 'broken.md2': "), "{stderr}");
    assert!(stderr.contains("offset"), "{stderr}");
    assert_eq!(fs::read(&picture).unwrap(), b"old");
    // The picture is not written either if the depth cannot be.
    let mut command = polyset(&folder);
    command.args(["render", &model("bolt.md2"), "o.png", "--depth-output", "no/such/z"]);
    assert_eq!(run(&mut command).0, 2);
    assert_eq!(fs::read(&picture).unwrap(), b"old");
    assert_eq!(names_in(folder.path()), ["broken.md2", "o.png"]);
}

#[test]
fn nothing_that_was_read_and_no_other_kind_of_file_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["bolt.md2", "bolt.pcx"] {
        fs::copy(model(name), folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    fs::write(folder.path().join("old.png"), fs::read(model("bolt_paint.png")).unwrap()).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("bolt.pcx", folder.path().join("link.png")).unwrap();
    let contents = || {
        let names = names_in(folder.path());
        names
            .into_iter()
            .map(|name| fs::read(folder.path().join(name)).unwrap())
            .collect::<Vec<_>>()
    };
    let before = contents();
    for (arguments, reason) in [
        ("bolt.md2 bolt.md2", "would overwrite 'bolt.md2'"),
        ("bolt.md2 ./bolt.pcx", "polyset writes PNG"),
        ("bolt.md2 notes.txt", "no PNG picture"),
        ("bolt.md2 old.png --depth-output ./old.png", "the same file"),
        ("bolt.md2 new.png --depth-output bolt.pcx --force", "would overwrite"),
        #[cfg(unix)]
        ("bolt.md2 link.png --force", "would overwrite"),
    ] {
        let mut command = polyset(&folder);
        let (code, _, stderr) =
            run(command.args(["render", "-s", "8"]).args(arguments.split_whitespace()));
        assert_eq!(code, 2, "{arguments}: {stderr}");
        assert!(stderr.contains(reason), "{arguments}: {stderr}");
        assert!(contents() == before, "{arguments}");
    }
    for arguments in ["bolt.md2 old.png", "bolt.md2 notes.txt --force"] {
        let mut command = polyset(&folder);
        let arguments = arguments.split_whitespace();
        assert_eq!(run(command.args(["render", "-s", "8"]).args(arguments)).0, 0);
    }
}

#[test]
fn an_empty_picture_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let inside = "--camera-position=0,0,22 --camera-focal-point=10,3,20 --camera-view-angle 20";
    for (name, options, reason) in [
        ("hand.md3", "", "the model has no triangles"),
        ("bolt.md2", "--camera-position=500,0,0 --camera-focal-point=900,0,0", "outside"),
        ("bolt_shield.md2", inside, "nothing is drawn"),
        ("bolt.md2", "", ""),
    ] {
        for more in ["", "--color indexed", "--background-color 102030", "--renderer classic"] {
            let mut command = polyset(&folder);
            command.args(["render", &model(name), "o.png", "-s", "24"]);
            let words = options.split_whitespace().chain(more.split_whitespace());
            let (code, _, stderr) = run(command.args(words));
            assert_eq!(code, 0, "{name} {more}: {stderr}");
            assert!(stderr.contains(reason), "{name} {more}: {stderr}");
            assert_eq!(stderr.contains("nothing is drawn"), !reason.is_empty(), "{name}: {stderr}");
            let (_, _, quiet) = run(command.arg("--quiet"));
            assert_eq!(quiet, "", "{name} {more}");
        }
    }
}

/// A sample `.mdl` whose coordinates are multiplied.
fn resized_mdl(folder: &TempDir, factor: f32) -> &'static str {
    let mut bytes = fs::read(model("bolt.mdl")).unwrap();
    // The scale and the origin of packed coordinates.
    for number in bytes[8..32].as_chunks_mut::<4>().0 {
        *number = (f32::from_le_bytes(*number) * factor).to_le_bytes();
    }
    fs::write(folder.path().join("resized.mdl"), bytes).unwrap();
    "resized.mdl"
}

/// The hash of a picture without a warning.
fn hash_of(folder: &TempDir, model: &str, options: &str) -> String {
    let mut command = polyset(folder);
    command.args(["render", model, "-s", "96", "--hash"]);
    let (code, hash, stderr) = run(command.args(options.split_whitespace()));
    assert_eq!((code, stderr.as_str()), (0, ""), "{options}");
    String::from_utf8(hash).unwrap()
}

#[test]
fn a_model_of_any_size_fills_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    for options in ["", "--camera-orthographic", "--camera-view-angle 120", "--draw depth"] {
        let expected = hash_of(&folder, &model("bolt.mdl"), options);
        // 2^-18 is a model of 2e-4, 2^57 a scale of 1e17.
        for exponent in [-90, -60, -30, -18, -12, 12, 24, 40, 57, 70, 100_i8] {
            let resized = resized_mdl(&folder, libm::exp2f(f32::from(exponent)));
            assert_eq!(hash_of(&folder, resized, options), expected, "2^{exponent} {options}");
        }
    }
    let placed = |size: f32| {
        let eye = [100.0, 40.0, 20.0].map(|x: f32| (x * size).to_string()).join(",");
        hash_of(&folder, resized_mdl(&folder, size), &format!("--camera-position {eye}"))
    };
    for exponent in [-60, -30, 30, 60, 100_i8] {
        assert_eq!(placed(libm::exp2f(f32::from(exponent))), placed(1.0), "2^{exponent}");
    }
}

#[test]
fn coordinates_that_are_too_large_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for factor in [1e36, 1e37] {
        for renderer in ["precise", "classic"] {
            let mut command = polyset(&folder);
            command.args(["render", resized_mdl(&folder, factor), "o.png", "-s", "24"]);
            let (code, _, stderr) = run(command.args(["--renderer", renderer]));
            assert_eq!(code, 0, "{stderr}");
            let warning = "polyset: warning: the model's coordinates are too large to be drawn\n";
            assert_eq!(stderr, warning, "{factor} {renderer}");
        }
    }
}

#[test]
fn the_length_of_a_direction_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let hash = |options: &str| {
        hash_of(&folder, &model("bolt.md3"), &format!("--lighting lambert {options}"))
    };
    for (ordinary, others) in [
        ("--light 1,0,0", &["--light 1e20,0,0", "--light 1e-30,0,0", "--light 1e-44,0,0"][..]),
        ("--light 1,-1,0", &["--light 1e38,-1e38,0", "--light 1e-30,-1e-30,0"]),
        (
            "--camera-view-up 0,1,0",
            &[
                "--camera-view-up 0,1e-7,0",
                "--camera-view-up 0,1e-30,0",
                "--camera-view-up 0,1e-44,0",
                "--camera-view-up 0,1e38,0",
            ],
        ),
        (
            "--camera-position 90,20,10 --camera-view-up 0,1,0",
            &["--camera-position 90,20,10 --camera-view-up 0,1e-20,0"],
        ),
    ] {
        for other in others {
            assert_eq!(hash(other), hash(ordinary), "{other}");
        }
    }
}

/// The share of pixels that differ.
fn difference(folder: &TempDir, a: &str, b: &str) -> f32 {
    let [a, b] = [a, b].map(|options| {
        let mut command = polyset(folder);
        command.args(["render", &model("bolt.md3"), "-", "-s", "96"]);
        let (code, png, stderr) = run(command.args(options.split_whitespace()));
        assert_eq!(code, 0, "{options}: {stderr}");
        let Pixels::Rgba(rgba) = open_png(&png).into_rgba().pixels().clone() else {
            panic!("no RGBA")
        };
        rgba
    });
    let (a, b) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
    let different = a.iter().zip(b).filter(|(a, b)| a != b).count();
    let drawn = a.iter().filter(|pixel| pixel[3] != 0).count();
    assert!(drawn > 300, "{drawn}");
    different as f32 / drawn as f32
}

#[test]
fn the_view_from_straight_above_is_that_from_almost_above() {
    let folder = tempfile::tempdir().unwrap();
    for more in ["", "--camera-position 100,30,0", "--renderer classic", "--camera-view-up 1,1,0"] {
        for azimuth in ["0", "30", "90", "-135"] {
            for (pole, beside) in [("90", "89.999"), ("-90", "-89.999"), ("450", "449.999")] {
                let view = |elevation: &str| {
                    format!(
                        "{more} --camera-azimuth-angle {azimuth} --camera-elevation-angle {elevation}"
                    )
                };
                let share = difference(&folder, &view(pole), &view(beside));
                assert!(share < 0.05, "{} differs by {share}", view(pole));
            }
        }
    }
    // Placed at the pole, and taken away from it again.
    for angles in ["", "--camera-azimuth-angle 40", "--camera-elevation-angle -30"] {
        for height in ["120", "-120"] {
            let view =
                |x| format!("--camera-position {x},0,{height} --camera-focal-point 0,0,0 {angles}");
            let share = difference(&folder, &view("0"), &view("0.001"));
            assert!(share < 0.05, "{} differs by {share}", view("0"));
        }
    }
}

#[test]
fn an_md2_without_a_skin_size_takes_that_of_its_picture() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(model("bolt.pcx"), folder.path().join("bolt.pcx")).unwrap();
    let mut bytes = fs::read(model("bolt.md2")).unwrap();
    fs::write(folder.path().join("bolt.md2"), &bytes).unwrap();
    bytes[8..16].fill(0);
    fs::write(folder.path().join("sizeless.md2"), bytes).unwrap();
    let [intact, sizeless] = ["bolt.md2", "sizeless.md2"].map(|name| {
        let mut command = polyset(&folder);
        let (code, hash, stderr) = run(command.args(["render", name, "--hash", "-s", "64"]));
        assert_eq!(code, 0, "{stderr}");
        hash
    });
    assert_eq!(intact, sizeless);
}

#[test]
fn a_missing_texture_is_a_warning_and_a_grey_picture() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(model("bolt.md2"), folder.path().join("lonely.md2")).unwrap();
    let (code, png, stderr) = run(polyset(&folder).args(["render", "lonely.md2", "-", "-s", "32"]));
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("lonely.md2: texture 'models/bolt/bolt.pcx' not found"), "{stderr}");
    let Pixels::Rgba(rgba) = open_png(&png).pixels().clone() else { panic!("not RGBA") };
    let drawn = rgba.chunks_exact(4).filter(|pixel| pixel[3] == 255);
    assert!(drawn.clone().count() > 50);
    assert!(drawn.clone().all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2]));
    // A root in which the name leads to a picture.
    let path = folder.path().join("game/Models/BOLT");
    fs::create_dir_all(&path).unwrap();
    fs::copy(model("bolt.pcx"), path.join("bolt.PCX")).unwrap();
    let mut command = polyset(&folder);
    command.args(["render", "lonely.md2", "-", "-s", "32", "--texture-root", "game"]);
    let (code, colored, stderr) = run(&mut command);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_ne!(colored, png);
}

#[test]
fn indexed_pictures_keep_indices_and_a_transparent_entry() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, transparent) in [
        (&[][..], Some(255)),
        (&["--background-index", "250"], Some(250)),
        (&["--background-color", "0000FF"], None),
    ] {
        let mut command = polyset(&folder);
        command.args(["render", &model("bolt.mdl"), "o.png", "-s", "40", "--color", "indexed"]);
        let (code, _, stderr) = run(command.args(arguments));
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        let image = Image::open_indexed_png(folder.path().join("o.png")).unwrap();
        let Pixels::Indexed { indices, transparent: found, .. } = image.pixels() else {
            panic!("not indexed")
        };
        assert_eq!(*found, transparent, "{arguments:?}");
        if let Some(index) = transparent {
            assert_eq!(indices[0], index, "{arguments:?}");
        }
    }
    // This skin uses index 255: no entry may be transparent.
    let mut command = polyset(&folder);
    command.args(["render", &model("bolt.md2"), "o.png", "-s", "128", "--color", "indexed"]);
    let (code, _, stderr) = run(&mut command);
    assert_eq!(code, 0);
    assert!(stderr.contains("palette index 255"), "{stderr}");
}

/// A picture of 1 x 1 pixels in every format of indices, with a palette; the end of its name and its bytes.
fn with_palettes(colors: &[[u8; 3]; 256]) -> [(&'static str, Vec<u8>); 4] {
    let mut png = Vec::new();
    let palette = std::sync::Arc::new(polyset::Palette::new(*colors, 256));
    Image::from_indices(1, 1, vec![0], palette, Some(3)).unwrap().encode_png(&mut png).unwrap();
    let mut pcx = vec![0; 128];
    pcx[..4].copy_from_slice(&[10, 5, 1, 8]);
    (pcx[65], pcx[66]) = (1, 1);
    pcx.extend([0, 0x0c]);
    pcx.extend(colors.as_flattened());
    let mut bmp = b"BM".to_vec();
    for number in [1082u32, 0, 1078, 40, 1, 1, 1 | 8 << 16, 0, 4, 0, 0, 256, 0] {
        bmp.extend(number.to_le_bytes());
    }
    bmp.extend(colors.iter().flat_map(|&[red, green, blue]| [blue, green, red, 0]));
    bmp.extend([0; 4]);
    let mut tga = vec![0, 1, 1, 0, 0, 0, 1, 24, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0];
    tga.extend(colors.iter().flat_map(|&[red, green, blue]| [blue, green, red]));
    tga.push(0);
    [("png", png), ("pcx", pcx), ("bmp", bmp), ("tga", tga)]
}

#[test]
fn a_palette_may_be_that_of_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let colors: [[u8; 3]; 256] =
        std::array::from_fn(|i| [i as u8, 255 - i as u8, 7 * (i as u8 & 31)]);
    let drawn = |name: &str, bytes: Option<&[u8]>| {
        if let Some(bytes) = bytes {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let mut command = polyset(&folder);
        command.args(["render", &model("bolt.mdl"), "o.png", "-s", "16", "--color", "indexed"]);
        let (code, _, stderr) = run(command.args(["--palette", name]));
        assert_eq!(code, 0, "{name}: {stderr}");
        *Image::open_indexed_png(folder.path().join("o.png")).unwrap().palette().unwrap().colors()
    };
    for (extension, bytes) in with_palettes(&colors) {
        assert!(drawn(&format!("p.{extension}"), Some(&bytes)) == colors, "{extension}");
    }
    // What polyset has drawn itself.
    fs::copy(folder.path().join("o.png"), folder.path().join("own.png")).unwrap();
    assert!(drawn("own.png", None) == colors);
    let pictures = Image::from_rgba(1, 1, vec![255; 4]).unwrap();
    pictures.save_png(folder.path().join("rgba.png")).unwrap();
    let mut command = polyset(&folder);
    let (code, _, stderr) =
        run(command.args(["render", &model("bolt.mdl"), "o.png", "--palette", "rgba.png"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("'rgba.png': expected 768 bytes, or a PCX, PNG"), "{stderr}");
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
fn depth_is_written_row_by_row_as_floats() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = polyset(&folder);
    command.args(["render", &model("bolt.md3"), "--resolution", "40,30", "--depth-output", "z"]);
    assert_eq!(run(&mut command).0, 0);
    let bytes = fs::read(folder.path().join("z")).unwrap();
    let depths: Vec<f32> =
        bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    assert_eq!(depths.len(), 40 * 30);
    assert_eq!(depths[0], 1.0);
    assert!(depths.iter().all(|depth| (0.0..=1.0).contains(depth)));
    let middle = depths[15 * 40 + 20];
    assert!(middle > 0.0 && middle < 1.0, "{middle}");
}

#[test]
fn negative_numbers_are_values() {
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--light=-1,-0.5,-2",
        "--light -1,0.5,2",
        "--camera-position -60,-40,-5",
        "--camera-azimuth-angle -30",
        "--camera-elevation-angle -10.5",
        "--camera-view-up -1,0,0",
        "--camera-focal-point -1,-2,-3",
    ];
    for option in options {
        let mut command = polyset(&folder);
        command.args(["render", &model("bolt.md3"), "-s", "16", "--hash"]);
        let (code, _, stderr) = run(command.args(option.split(' ')));
        assert_eq!(code, 0, "{option}: {stderr}");
    }
}

#[test]
fn the_ends_of_a_blend_are_the_frames() {
    let folder = tempfile::tempdir().unwrap();
    let hash = |sample: &str, frame: &str| {
        let mut command = polyset(&folder);
        command.args(["render", &model(sample), "-s", "64", "--hash", "--frame", frame]);
        // The camera must not follow the pose.
        command.args(["--camera-position", "100,30,20", "--camera-focal-point", "0,0,0"]);
        command.args(["--camera-near", "1", "--camera-far", "300"]);
        if sample.ends_with("md5mesh") {
            command.args(["--anim", &model("bolt_walk.md5anim")]);
        }
        let (code, stdout, stderr) = run(&mut command);
        assert_eq!(code, 0, "{stderr}");
        String::from_utf8(stdout).unwrap()
    };
    for sample in ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh"] {
        assert_eq!(hash(sample, "9,12,0"), hash(sample, "9"), "{sample}");
        assert_eq!(hash(sample, "9,12,1"), hash(sample, "12"), "{sample}");
        assert_ne!(hash(sample, "9,12,0.5"), hash(sample, "9"), "{sample}");
    }
}

#[cfg(unix)]
#[test]
fn file_names_may_hold_any_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    let (mesh, skin, picture) = (name(b"m\xff\xfe.md2"), name(b"s=\xff.pcx"), name(b"o\x80.png"));
    fs::copy(model("bolt.md2"), folder.path().join(mesh)).unwrap();
    fs::copy(model("bolt.pcx"), folder.path().join(skin)).unwrap();
    let mut command = polyset(&folder);
    command.arg("render").arg(mesh).arg(picture).args(["-s", "16", "--skin"]).arg(skin);
    let (code, _, stderr) = run(&mut command);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(folder.path().join(picture).is_file());
    let (code, stdout, stderr) = run(polyset(&folder).arg("info").arg(mesh));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(String::from_utf8(stdout).unwrap().contains("Quake II model"));
}

/// What a shell writes to its standard error and the exit code; `$polyset` is the command.
#[cfg(unix)]
fn shell(folder: &TempDir, script: &str) -> (i32, String) {
    let mut shell = Command::new("sh");
    shell.current_dir(folder.path()).env("polyset", env!("CARGO_BIN_EXE_polyset"));
    let (code, _, stderr) = run(shell.env("m", model("bolt.mdl")).args(["-c", script]));
    (code, stderr)
}

#[cfg(unix)]
#[test]
fn what_could_not_be_delivered_is_trouble() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        vec!["render".to_owned(), model("bolt.mdl"), "-".into(), "-s".into(), "900".into()],
        vec!["render".to_owned(), model("bolt.mdl"), "/dev/stdout".into()],
        vec!["render".to_owned(), model("bolt.mdl"), "--hash".into()],
        vec!["info".into(), model("bolt.md5mesh")],
        vec!["render".into(), "--help".into()],
        vec!["--version".into()],
    ] {
        // Whose reader has gone before the command begins.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_polyset"))
            .current_dir(folder.path())
            .args(&arguments)
            .stdout(writer)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
            .wait_with_output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments:?}: {stderr}");
        let begins = "polyset: cannot write to the standard output: Broken pipe";
        assert!(stderr.starts_with(begins), "{arguments:?}: {stderr}");
    }
    #[cfg(target_os = "linux")]
    for arguments in ["render $m -", "render $m /dev/full", "info $m", "--help"] {
        let (code, stderr) = shell(&folder, &format!("$polyset {arguments} > /dev/full"));
        assert!(code == 2 && stderr.contains("No space left"), "{arguments}: {code} {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn a_stream_by_its_name_in_the_file_system_is_that_stream() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = polyset(&folder);
    let (_, png, _) = run(command.args(["render", &model("bolt.mdl"), "-", "-s", "16"]));
    let old = b"what was there before, and longer than the picture ".repeat(40);
    std::os::unix::fs::symlink("/dev/stdout", folder.path().join("link.png")).unwrap();
    for (script, before, behind) in [
        ("$render /dev/stdout >> file", &old[..], ""),
        ("$render link.png >> file", &old, ""),
        ("$render /dev/fd/1 >> file", &old, ""),
        ("$render /dev/fd/3 3>> file", &old, ""),
        ("$render /dev/stderr 2>> file", &old, ""),
        ("$render /dev/stdout > file", b"", ""),
        ("$render /dev/fd/3 3> file", b"", ""),
        ("$render /dev/stdout | cat > file", b"", ""),
        ("{ printf begin; $render /dev/stdout; printf end; } > file", b"begin", "end"),
        ("{ printf begin; $render -; printf end; } > file", b"begin", "end"),
    ] {
        fs::write(folder.path().join("file"), &old).unwrap();
        let script = script.replace("$render", "$polyset render $m -s 16 -o");
        let (code, stderr) = shell(&folder, &script);
        assert_eq!((code, stderr.as_str()), (0, ""), "{script}");
        let found = fs::read(folder.path().join("file")).unwrap();
        assert!(found == [before, &png, behind.as_bytes()].concat(), "{script}");
    }
    for mixed in ["/dev/stdout --hash", "- --depth-output /dev/stdout"] {
        let (code, stderr) = shell(&folder, &format!("$polyset render $m {mixed}"));
        assert!(code == 2 && stderr.contains("mixed on the standard output"), "{mixed}: {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_what_is_not_there_yet_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("pictures")).unwrap();
    let link = folder.path().join("o.png");
    std::os::unix::fs::symlink("pictures/made.png", &link).unwrap();
    let mut command = polyset(&folder);
    let (code, _, stderr) = run(command.args(["render", &model("bolt.mdl"), "o.png", "-s", "16"]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(names_in(&folder.path().join("pictures")), ["made.png"]);
    assert_eq!(names_in(folder.path()), ["o.png", "pictures"]);
}

/// Draws a large picture in an empty folder and sends a signal; says what became of the process.
#[cfg(unix)]
fn interrupted(
    folder: &TempDir,
    command: &mut std::process::Command,
    signal: &str,
    when: impl Fn(Duration) -> bool,
) -> std::process::ExitStatus {
    let start = Instant::now();
    let mut child = command
        .current_dir(folder.path())
        .env("m", model("bolt.mdl"))
        .env("polyset", env!("CARGO_BIN_EXE_polyset"))
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() && !when(start.elapsed()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut kill = std::process::Command::new("kill");
    let kill = kill.args(["-s", signal, &child.id().to_string()]);
    // It may have ended by itself.
    kill.stderr(std::process::Stdio::null()).status().unwrap();
    child.wait().unwrap()
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_a_whole_picture_or_none() {
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().unwrap();
    let is_writing = |_| names_in(folder.path()).iter().any(|name| name.starts_with(".polyset-"));
    let large = ["-c", "exec $polyset render $m o.png -s 5000 --threads 1"];
    let shell = || std::process::Command::new("sh");
    // What these tests were started to ignore, as behind `nohup`, the command ignores too.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let signals = [("INT", 2), ("TERM", 15), ("HUP", 1)];
    let heard = signals.into_iter().filter(|(_, number)| ignored >> (number - 1) & 1 == 0);
    // While it writes, then whatever the moment.
    let moments = (0..12).map(|step| Some(Duration::from_millis(step * 60)));
    let cases = heard.map(|signal| (signal, None)).chain(moments.map(|at| (("TERM", 15), at)));
    for ((signal, number), moment) in cases {
        let when = |after| moment.map_or_else(|| is_writing(after), |moment| after > moment);
        let status = interrupted(&folder, shell().args(large), signal, when);
        let case = format!("{signal} {moment:?}: {status}");
        assert!(status.success() || status.signal() == Some(number), "{case}");
        // The signal may come between the last byte and the end of the process.
        if status.success() || !names_in(folder.path()).is_empty() {
            assert_eq!(names_in(folder.path()), ["o.png"], "{case}");
            let path = folder.path().join("o.png");
            assert_eq!(open_png(&fs::read(&path).unwrap()).width(), 5000, "{case}");
            fs::remove_file(path).unwrap();
        }
    }
    // What nothing can be done against is mended by the next picture.
    let left = (0..50).find_map(|_| {
        let status = interrupted(&folder, shell().args(large), "KILL", is_writing);
        let files = names_in(folder.path());
        if files == ["o.png"] {
            fs::remove_file(folder.path().join("o.png")).unwrap();
            return None;
        }
        Some((status.signal(), files.len()))
    });
    assert_eq!(left, Some((Some(9), 1)));
    let small = ["render", &model("bolt.mdl"), "o.png", "-s", "8"];
    assert_eq!(run(polyset(&folder).args(small)).0, 0);
    assert_eq!(names_in(folder.path()), ["o.png"]);
    // A signal that the process was started to ignore, as nohup does.
    let deaf = "trap '' HUP; exec $polyset render $m o.png -s 5000 --threads 1";
    let status = interrupted(&folder, shell().args(["-c", deaf]), "HUP", is_writing);
    assert!(status.success() || cfg!(not(target_os = "linux")), "{status}");
    assert_eq!(names_in(folder.path()), ["o.png"]);
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
    let description = include_str!("../docs/info-json.md");
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
