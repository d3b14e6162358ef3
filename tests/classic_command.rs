//! `polyset render --renderer classic`: the command draws what the library draws, and refuses what
//! makes no sense.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::path::Path;
use std::process::{Command, Output};

use polyset::{ClassicFrame, ClassicRenderer, ClassicScene, Image, Model, Pixels};

/// Runs `polyset render --renderer classic` with options that hold no blanks.
fn render(options: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_polyset"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models"))
        .args(["render", "--renderer", "classic"])
        .args(options.split_whitespace())
        .output()
        .unwrap()
}

fn sample(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name);
    Model::open(path).unwrap()
}

#[test]
fn the_scene_in_the_engines_words_is_the_librarys() {
    let folder = tempfile::tempdir().unwrap();
    let [picture, depth] =
        ["picture.png", "depth"].map(|name| folder.path().join(name).display().to_string());
    let scene = "--camera-position 40,12.5,8 --camera-angles 5,200,0.1 \
        --camera-horizontal-angle 90 --model-origin 1,2,3 --model-angles 10,20,-30 \
        --engine-frame 4 --time 0.3 --sync 0.15 --light-level 77 --background-index 3";
    let output = render(&format!(
        "bolt.mdl -o {picture} --resolution 96x50 --skin 1 --colors 4,11 --depth-output {depth} {scene}"
    ));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let scene = ClassicScene {
        camera_position: [40.0, 12.5, 8.0],
        camera_angles: [5.0, 200.0, 0.1],
        horizontal_angle: 90.0,
        origin: [1.0, 2.0, 3.0],
        angles: [10.0, 20.0, -30.0],
        frame: 4,
        skin: 1,
        time: 0.3,
        sync: 0.15,
        light_level: 77,
        colors: Some([4, 11]),
        ..ClassicScene::default()
    };
    let mut frame = ClassicFrame::new(96, 50).unwrap();
    frame.clear(3);
    let counts = ClassicRenderer::new().draw(&sample("bolt.mdl"), &scene, &mut frame);
    assert!(counts.tested > 100, "{counts}");
    let found = Image::open(&picture).unwrap().to_rgba();
    let index_colors: Vec<u8> = frame.image(None).to_rgba();
    for (found, expected) in found.chunks(4).zip(index_colors.chunks(4)) {
        assert_eq!(found[..3], expected[..3]);
    }
    let depth = std::fs::read(depth).unwrap();
    let expected: Vec<u8> = frame.depth().iter().flat_map(|z| z.to_le_bytes()).collect();
    assert_eq!(depth, expected);
}

#[test]
fn true_colour_looks_the_indices_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (indexed, rgb, behind) = (path("indexed.png"), path("rgb.png"), path("behind.png"));
    let size = "bolt_shield.md2 --size 40";
    assert!(render(&format!("{size} -o {indexed}")).status.success());
    assert!(render(&format!("{size} -o {rgb} --color rgb")).status.success());
    let colors = "--color rgb --background-color 102030";
    assert!(render(&format!("{size} -o {behind} {colors}")).status.success());
    let [indexed, rgb, behind] = [indexed, rgb, behind].map(|path| Image::open(path).unwrap());
    assert!(matches!(rgb.pixels(), Pixels::Rgba(_)));
    let triples = indexed.to_rgba();
    let pixels =
        triples.chunks(4).zip(rgb.to_rgba().chunks(4).map(<[u8]>::to_vec).collect::<Vec<_>>());
    let mut drawn = 0;
    for ((expected, found), behind) in pixels.zip(behind.to_rgba().chunks(4)) {
        if found[3] == 0 {
            assert_eq!(behind, [0x10, 0x20, 0x30, 255]);
        } else {
            drawn += 1;
            assert_eq!((&expected[..3], &behind[..3]), (&found[..3], &found[..3]));
        }
    }
    assert!(drawn > 100 && drawn < 1600, "{drawn} pixels are drawn");
}

#[test]
fn what_makes_no_sense_is_refused_with_its_reason() {
    let table = [
        ("bolt.mdl --hash --filter bilinear", "--filter means nothing to --renderer classic"),
        ("bolt.mdl --hash --lighting gl", "--lighting means nothing"),
        ("bolt.mdl --hash --camera-orthographic", "--camera-orthographic means nothing"),
        ("bolt.mdl --hash --camera-angles 0,0,0", "needs --camera-position"),
        (
            "bolt.mdl --hash --camera-angles 0,0,0 --camera-position 1,2,3 --camera-zoom-factor 2",
            "--camera-angles and --camera-zoom-factor turn the same camera",
        ),
        ("bolt.mdl --hash --camera-horizontal-angle 180", "180"),
        ("bolt.mdl --hash --shell red", "--shell is for .md2; this is an .mdl"),
        ("bolt.md2 --hash --shell purple", "invalid value 'purple' for '--shell <NAMES>'"),
        (
            "bolt.mdl --hash --backlerp 0.5",
            "--backlerp is for .md2, .md3, .md5mesh; this is an .mdl",
        ),
        ("bolt.md2 --hash --engine-frame 1 --frame 2", "both choose the pose"),
        ("bolt.md2 --hash --renderer precise --engine-frame 1", "cannot be used multiple times"),
    ];
    for (options, reason) in table {
        let output = render(options);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options}: {message}");
        assert!(message.contains(reason), "{options}: {message}");
    }
}

#[test]
fn numbers_out_of_range_are_the_first_as_in_the_engines() {
    let hash = |options: &str| {
        let output = render(options);
        assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    for name in ["bolt.mdl", "bolt.md2"] {
        let first = hash(&format!("{name} --hash --size 64"));
        for skin in ["0", "99", "-1"] {
            let frame = if skin == "0" { "0" } else { "5000" };
            let options = format!("{name} --hash --size 64 --engine-frame {frame} --skin {skin}");
            assert_eq!(hash(&options), first, "{options}");
        }
    }
}

/// First and last column and row of what was drawn.
fn drawn_box(image: &Image) -> [usize; 4] {
    let (rgba, width) = (image.to_rgba(), image.width() as usize);
    let drawn = rgba.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] != 0).map(|(at, _)| at);
    let places: Vec<[usize; 2]> = drawn.map(|at| [at % width, at / width]).collect();
    let ends = |axis: usize| {
        let along = places.iter().map(|place| place[axis]);
        [along.clone().min().unwrap(), along.max().unwrap()]
    };
    let ([left, right], [top, bottom]) = (ends(0), ends(1));
    [left, right, top, bottom]
}

#[test]
fn both_renderers_turn_and_move_a_model_alike() {
    let folder = tempfile::tempdir().unwrap();
    let boxes = |name: &str, size: &[&str]| {
        ["classic", "precise"].map(|renderer| {
            let path = folder.path().join(format!("{renderer}.png")).display().to_string();
            let output = Command::new(env!("CARGO_BIN_EXE_polyset"))
                .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models"))
                .args(["render", name, &path, "--renderer", renderer])
                .args(size)
                .args(["--model-angles", "25,-40,15", "--model-origin", "3,8,-5"])
                .args(["--camera-position", "120,20,30", "--camera-focal-point", "0,0,0"])
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            drawn_box(&Image::open(path).unwrap())
        })
    };
    // Whole-pixel corners and a camera in angles leave room for a pixel or two.
    let is_near = |[a, b]: [[usize; 4]; 2]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 2);
    for name in ["bolt.mdl", "bolt.md3"] {
        let square = boxes(name, &["--size", "160"]);
        assert!(is_near(square), "{name}: {square:?}");
        // As high as before in as many rows: what is shown higher than wide is drawn wider.
        let high = boxes(name, &["--resolution", "320,160", "--pixel-aspect", "1.5"]);
        assert!(is_near(high), "{name}: {high:?}");
        for [[left, right, top, bottom], before] in [[high[0], square[0]], [high[1], square[1]]] {
            let widths = [right - left, before[1] - before[0]].map(|width| width as f32);
            assert!((widths[0] / widths[1] - 1.5).abs() < 0.06, "{name}: {widths:?}");
            assert!(top.abs_diff(before[2]) <= 1 && bottom.abs_diff(before[3]) <= 1, "{name}");
        }
    }
}
