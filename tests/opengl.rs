//! Our samples as OpenGL draws them: `golden/reference/draw.py` and Mesa have drawn each scene of
//! `golden/reference/scenes.toml`, from readers and poses of their own. Next to no pixel may differ by more than the
//! roundings of colours.
//!
//! The figures stand in `docs/reference.md`, one scene as a picture in `docs/reference.png`.
//! `POLYSET_BLESS=1 cargo test --test opengl` writes both anew, and fails on purpose if they changed.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use polyset::check::{Case, SceneFile};
use polyset::{Image, Metric, Tolerance};
use rayon::prelude::*;

/// Levels that two roundings of a colour may lie apart.
const LEVELS: f64 = 2.0;
/// Of a hundred pixels that are drawn, so many may differ by more.
const PERCENT: f64 = 0.1;
/// The scene that is shown.
const SHOWN: &str = "player";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn scenes() -> SceneFile {
    SceneFile::open("golden/reference/scenes.toml").unwrap()
}

fn reference(name: &str) -> Image {
    Image::open_whole(root().join(format!("golden/reference/{name}.png"))).unwrap()
}

/// As the command draws it, and what lies behind the model.
fn drawn(case: &Case) -> (Image, [u8; 4]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drawn.png");
    // polyset render MODEL PICTURE OPTIONS
    let words = case.scene.as_ref().unwrap().command();
    let output = Command::new(env!("CARGO_BIN_EXE_polyset"))
        .current_dir(root())
        .args(words[1..3].iter().chain(&words[4..]))
        .args(["--quiet", "--output"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let color = words.iter().position(|word| word == "--background-color").map(|at| &words[at + 1]);
    let opaque = |hex: &str| u32::from_str_radix(hex, 16).unwrap() << 8 | 255;
    let background = color.map_or(0, |color| opaque(color.to_str().unwrap()));
    (Image::open(path).unwrap(), background.to_be_bytes())
}

/// A row of the table in the document, and whether the scene is as near as it must be.
fn row(case: &Case) -> (String, bool) {
    let name = &case.name;
    let expected = reference(name);
    let (actual, background) = drawn(case);
    let tolerance = Tolerance::new(Some(Metric::Channel), Some(LEVELS)).unwrap();
    let judgement = tolerance.judge(&expected, &actual);
    let comparison = judgement.comparison();
    assert!(comparison.is_same_size(), "{name}: {judgement}");
    let pixels = [&expected, &actual].map(Image::to_rgba);
    // What neither has drawn cannot differ and does not count.
    let is_drawn = |(a, b): &(&[u8; 4], &[u8; 4])| **a != background || **b != background;
    let pairs = pixels[0].as_chunks().0.iter().zip(pixels[1].as_chunks().0);
    let drawn = pairs.filter(is_drawn).count();
    assert!(drawn > 500, "{name}: {drawn} pixels");
    let over = [0, 1, 2].map(|levels| comparison.differing_above(levels).to_string()).join(" | ");
    let share = judgement.differing() as f64 * 100.0 / drawn as f64;
    let row = format!("| {name} | {drawn} | {over} | {share:.3} % | {} |", comparison.worst());
    (row, share <= PERCENT)
}

#[test]
fn scenes_look_as_opengl_draws_them() {
    let rows: Vec<_> = scenes().cases().par_iter().map(row).collect();
    let far: Vec<&String> =
        rows.iter().filter(|(_, is_near)| !is_near).map(|(row, _)| row).collect();
    assert!(far.is_empty(), "over {LEVELS} levels in more than {PERCENT} %: {far:#?}");

    let path = root().join("docs/reference.md");
    let document = fs::read_to_string(&path).unwrap();
    let found = document.lines().filter(|line| line.ends_with(" |") && line.contains(" % | "));
    let found: Vec<&str> = found.collect();
    let expected: Vec<&str> = rows.iter().map(|(row, _)| row.as_str()).collect();
    if found == expected {
        return;
    }
    if std::env::var_os("POLYSET_BLESS").is_some_and(|value| value == "1") {
        let (before, rest) = document.split_once("|---|---|---|---|---|---|---|\n").unwrap();
        let after = rest.split_once("\n\n").unwrap().1;
        let table = expected.join("\n");
        let text = format!("{before}|---|---|---|---|---|---|---|\n{table}\n\n{after}");
        fs::write(&path, text).unwrap();
    }
    panic!("docs/reference.md has other figures: POLYSET_BLESS=1 writes them anew");
}

#[test]
fn one_scene_is_shown() {
    let scenes = scenes();
    let case = scenes.cases().iter().find(|case| case.name == SHOWN).unwrap();
    let expected = Tolerance::default().picture(&reference(SHOWN), &drawn(case).0);
    let path = root().join("docs/reference.png");
    let is_same = path.exists() && Image::open_whole(&path).unwrap() == expected;
    if !is_same && std::env::var_os("POLYSET_BLESS").is_some_and(|value| value == "1") {
        expected.save_png(&path).unwrap();
    }
    assert!(is_same, "docs/reference.png shows something else: POLYSET_BLESS=1 writes it anew");
}

#[test]
fn the_command_that_checks_scenes_passes_them() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
    let words = ["check", "golden/reference/scenes.toml", "--no-report"];
    let output = command.current_dir(root()).args(words).output().unwrap();
    let expected = format!("{} passed, 0 failed\n", scenes().cases().len());
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert!(output.status.success());
}

#[test]
fn every_picture_is_a_scene() {
    let scenes = scenes();
    let names = scenes.cases().iter().map(|case| format!("{}.png", case.name));
    let files = fs::read_dir(root().join("golden/reference")).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let pictures: BTreeSet<String> = files.filter(|name| name.ends_with(".png")).collect();
    assert_eq!(pictures, names.collect());
}
