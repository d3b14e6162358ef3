//! Sizes of pictures and models, cameras and moments.

use std::fs;

use polyset::Pixels;
use tempfile::TempDir;

use super::folder::names_in;
use super::{model, open_png, polyset, run};

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

#[test]
fn a_model_of_the_backgrounds_colour_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let black = "--lighting lambert --ambient 0 --diffuse 0 --background-color";
    for (color, expected) in
        [("000000", "all that is drawn has the colour of the background"), ("000001", "")]
    {
        let mut command = polyset(&folder);
        command.args(["render", &model("bolt.md2"), "o.png", "-s", "24", "--force"]);
        let (code, _, stderr) = run(command.args(black.split(' ')).arg(color));
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.contains(expected) && !stderr.contains("nothing is drawn"), "{stderr}");
        assert_eq!(stderr.is_empty(), expected.is_empty(), "{stderr}");
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
