//! `polyset compare` as its users meet it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use polyset::{Image, Palette};
use serde_json::Value;

fn run(folder: &Path, words: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
    let output = command.current_dir(folder).args(words.split_whitespace()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// 4 x 4 pixels of which some have another red.
fn save(path: &Path, reds: &[(usize, u8)]) {
    let mut rgba = [10, 20, 30, 255].repeat(16);
    reds.iter().for_each(|(pixel, red)| rgba[4 * pixel] = *red);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    Image::from_rgba(4, 4, rgba).unwrap().save_png(path).unwrap();
}

#[test]
fn difference_pictures_replace_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    save(&folder.join("a.png"), &[]);
    save(&folder.join("b.png"), &[(1, 13)]);
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    for (words, code, part) in [
        (
            "--diff notes.txt",
            2,
            "'notes.txt' exists and is no PNG picture; give another name, or --force",
        ),
        ("--diff d.jpg", 2, "'d.jpg': polyset writes PNG; call it .png"),
        ("--diff b.png", 2, "the difference picture would overwrite 'b.png', which was read"),
        ("--diff b.png --force", 2, "which was read"),
        ("--diff notes.txt --force", 1, ""),
    ] {
        let (found, _, stderr) = run(folder, &format!("compare a.png b.png {words}"));
        assert_eq!(found, code, "{words}: {stderr}");
        assert!(stderr.contains(part), "{words}: {stderr}");
    }
    assert!(Image::open(folder.join("notes.txt")).is_ok(), "the picture has its place");
}

#[test]
fn pictures_are_equal_or_different_as_far_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    save(&folder.join("a.png"), &[]);
    save(&folder.join("same.png"), &[]);
    // Two pixels, by 3 and by 40, in the first row and the last.
    save(&folder.join("b.png"), &[(1, 13), (15, 50)]);
    Image::from_rgba(2, 2, vec![0; 16]).unwrap().save_png(folder.join("small.png")).unwrap();
    for (words, code, part) in [
        ("a.png same.png", 0, "equal\n"),
        ("a.png b.png", 1, "different: 2 of 16 pixels differ (12.500 %)"),
        ("a.png b.png", 1, "worst  red by 40 at (3, 3): expected [10, 20, 30, 255], found [50, 20"),
        ("a.png b.png", 1, "over   0: 2  1: 2  2: 2  4: 1  8: 1  16: 1  32: 1"),
        ("a.png b.png --threshold 3", 1, "different: 1 of 16"),
        ("a.png b.png --threshold 40", 0, "tolerated: 0 of 16"),
        ("a.png b.png --metric exact", 1, "different: 2 of 16"),
        ("a.png b.png --metric channel --threshold 3", 1, "different: 1 of 16"),
        ("a.png b.png --metric flip", 1, "flip   mean 0."),
        ("a.png b.png --metric flip --threshold 0.5", 0, "tolerated: 0 of 16"),
        ("a.png b.png --metric ssim --threshold 0.01", 1, "ssim   mean 0."),
        ("a.png b.png --metric ssim --threshold 2", 0, "tolerated: 0 of 16"),
        ("a.png small.png --metric ssim", 1, "different: expected 4 x 4 pixels, found 2 x 2"),
        ("a.png same.png --metric flip", 0, "equal\n"),
        ("a.png b.png --max-differing 1", 1, "different"),
        ("a.png b.png --max-differing 2", 0, "tolerated"),
        ("a.png b.png --max-differing 12.4%", 1, "different"),
        ("a.png b.png --max-differing 12.5%", 0, "tolerated"),
        ("a.png b.png --ignore-region 0,0,4,1", 1, "different: 1 of 12"),
        ("a.png b.png --ignore-region 0,0,4,1 --ignore-region 3,3,9,9", 0, "equal"),
        ("a.png small.png", 1, "different: expected 4 x 4 pixels, found 2 x 2"),
        ("a.png small.png --max-differing 100%", 1, "different"),
    ] {
        let (found, stdout, stderr) = run(folder, &format!("compare {words}"));
        assert_eq!((found, stderr.as_str()), (code, ""), "{words}: {stdout}");
        assert!(stdout.contains(part), "{words}: {stdout}");
    }
    let (_, json, _) = run(folder, "compare a.png b.png --json");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["polyset_compare"], &json["equal"]), (&1.into(), &false.into()));
    let picture = &json["pictures"][0];
    assert_eq!((&picture["differing"], &picture["over"]["32"]), (&2.into(), &1.into()));
    assert_eq!(picture["mean_error"], 43.0 / 64.0);
    let errors = &picture["errors"];
    assert_eq!((&errors["metric"], &errors["mean"]), (&"exact".into(), &(2.0 / 16.0).into()));
    assert_eq!((&errors["worst"], &errors["at"]), (&1.0.into(), &vec![1, 0].into()));
    let description = include_str!("../docs/compare.md");
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for key in [keys(picture), keys(errors)].concat() {
        assert!(description.contains(&format!("`{key}`")), "{key} is not described");
    }
}

#[test]
fn what_is_no_tolerance_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    save(&folder.join("a.png"), &[]);
    for (words, part) in [
        ("--metric psnr", "possible values: exact, channel"),
        ("--metric flip --threshold 1.5", "1.5 is no threshold of metric flip: expected 0 to 1"),
        ("--metric ssim --threshold -1", "expected 0 to 2, that is 1 - SSIM"),
        ("--metric exact --threshold 2", "2 is no threshold of metric exact"),
        ("--threshold 0.5", "expected a whole number of levels, 0 to 255"),
        ("--threshold much", "expected a finite number"),
        ("--max-differing 200%", "or a share such as 0.1%"),
        ("--ignore-region 1,2,3", "expected X,Y,W,H: four whole numbers"),
        ("--indices --threshold 1", "--indices compares exactly"),
    ] {
        let (code, stdout, stderr) = run(folder, &format!("compare a.png a.png {words}"));
        assert_eq!((code, stdout.as_str()), (2, ""), "{words}");
        assert!(stderr.contains(part), "{words}: {stderr}");
    }
}

#[test]
fn difference_pictures_are_written_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    save(&folder.join("a.png"), &[]);
    save(&folder.join("b.png"), &[(5, 99)]);
    let (code, ..) = run(folder, "compare a.png b.png --diff d.png");
    assert_eq!(code, 1);
    let diff = Image::open(folder.join("d.png")).unwrap();
    assert_eq!((diff.width(), diff.height()), (12, 4));
    for words in ["compare a.png b.png --diff b.png", "compare a.png none.png", "compare a.png ."] {
        let (code, stdout, stderr) = run(folder, words);
        assert_eq!((code, stdout.as_str()), (2, ""), "{words}");
        assert!(stderr.starts_with("polyset: "), "{stderr}");
    }
    assert!(Image::open(folder.join("b.png")).unwrap().width() == 4);
}

#[test]
fn folders_are_compared_by_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, reds) in [
        ("old/same.png", &[][..]),
        ("new/same.png", &[]),
        ("old/sub/changed.png", &[]),
        ("new/sub/changed.png", &[(0, 0)]),
        ("old/gone.png", &[]),
        ("new/added.png", &[]),
    ] {
        save(&folder.join(name), reds);
    }
    fs::write(folder.join("new/notes.txt"), b"no picture").unwrap();
    let (code, stdout, _) = run(folder, "compare old new --diff out");
    assert_eq!(code, 1);
    let expected = "new added.png\nmissing gone.png\ndifferent sub/changed.png: 1 of 16 pixels differ \
                    (6.250 %)\n1 equal, 1 different, 1 missing, 1 new\n";
    assert_eq!(stdout, expected);
    assert!(folder.join("out/sub/changed.png").is_file() && folder.join("out/same.png").is_file());
    let (code, stdout, _) = run(folder, "compare old old");
    assert_eq!((code, stdout.as_str()), (0, "3 equal\n"));

    // Pictures of other kinds are none of a folder's; those of the other folder are told.
    fs::create_dir_all(folder.join("tga/sub")).unwrap();
    fs::create_dir(folder.join("empty")).unwrap();
    fs::write(folder.join("tga/sub/shot.tga"), b"no picture").unwrap();
    for (words, code, part) in [
        ("tga empty", 2, "polyset: 'tga' and 'empty' hold no PNGs\n"),
        ("empty empty --json", 2, "hold no PNGs"),
        ("old tga", 1, "0 equal, 3 missing\n"),
        ("tga old", 1, "0 equal, 3 new\n"),
    ] {
        let (found, stdout, stderr) = run(folder, &format!("compare {words}"));
        assert_eq!(found, code, "{words}");
        assert!((stdout + &stderr).contains(part), "{words}");
    }

    fs::write(folder.join("new/gone.png"), b"no picture").unwrap();
    let (code, stdout, _) = run(folder, "compare old new --diff out");
    assert_eq!(code, 2);
    let (first, rest) = stdout.split_once("unreadable gone.png: ").unwrap();
    assert_eq!(first, "new added.png\n");
    let (error, rest) = rest.split_once('\n').unwrap();
    assert!(error.contains("new/gone.png"), "{error}");
    assert_eq!(
        rest,
        "different sub/changed.png: 1 of 16 pixels differ (6.250 %)\n1 equal, 1 different, 1 new, 1 \
         unreadable\n"
    );
    let (code, stdout, _) = run(folder, "compare old new --json");
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &json["equal"]), (2, &false.into()));
    let pictures = json["pictures"].as_array().unwrap();
    let errors = pictures.iter().filter(|picture| !picture["error"].is_null()).count();
    assert_eq!((pictures.len(), errors), (4, 1));
}

#[test]
fn indexed_pictures_are_compared_by_colour_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // 48 and 0 are both black in Quake's palette.
    for (name, index) in [("a.png", 0), ("b.png", 48)] {
        let image = Image::from_indices(1, 1, vec![index], Palette::quake(), None).unwrap();
        image.save_png(folder.join(name)).unwrap();
    }
    let black = Image::from_rgba(1, 1, vec![0, 0, 0, 255]).unwrap();
    black.save_png(folder.join("rgba.png")).unwrap();
    for (words, code) in [
        ("a.png b.png", 0),
        ("a.png rgba.png", 0),
        ("a.png b.png --indices", 1),
        ("a.png a.png --indices", 0),
        ("a.png rgba.png --indices", 2),
    ] {
        let (found, stdout, stderr) = run(folder, &format!("compare {words}"));
        assert_eq!(found, code, "{words}: {stdout}{stderr}");
    }
}
