//! Golden pictures: every scene of `golden/scenes.toml` is drawn by the command and must be equal to
//! `golden/<scene>.png`, to the last bit, on every SIMD level of the machine and with 1, 2 and 7
//! threads.
//!
//! `polyset bless golden/scenes.toml NAME` keeps pictures: look at them before committing them. A failure
//! leaves expected | difference | actual in `target/golden-diff/<scene>.png`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use polyset::check::{Case, SceneFile};
use polyset::golden::Golden;
use polyset::{Image, SimdLevel};
use rayon::prelude::*;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The scenes, seen from the project's folder, in which tests run.
fn scenes() -> SceneFile {
    SceneFile::open("golden/scenes.toml").unwrap()
}

/// The hashes of the pictures that were kept, by the names of their scenes.
fn kept() -> BTreeMap<String, String> {
    let text = fs::read_to_string(root().join("golden/scenes.manifest.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let word = |line: &serde_json::Value, key: &str| line[key].as_str().unwrap().to_owned();
    lines.map(|line| (word(&line, "name"), word(&line, "picture"))).collect()
}

/// Runs the command that draws a scene, and prints its hash.
fn draw(case: &Case, more: &[&str]) -> Result<String, String> {
    let scene = case.scene.as_ref().map_err(Clone::clone)?;
    // polyset render MODEL PICTURE OPTIONS
    let words = scene.command();
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_polyset"))
        .current_dir(root())
        .args(words[1..3].iter().chain(&words[4..]))
        .arg("--hash")
        .args(more)
        .output()
        .expect("the command starts");
    if !status.success() {
        return Err(format!("{}: {status}: {}", case.name, String::from_utf8_lossy(&stderr)));
    }
    Ok(String::from_utf8_lossy(&stdout).trim().to_owned())
}

/// What is wrong with the picture, compared with the golden one. Indices stay indices, so that equal
/// colours under other indices are a difference.
fn check(case: &Case, folder: &Path, kept: Option<&String>) -> Result<(), String> {
    let path = folder.join(format!("{}.png", case.name));
    let hash = draw(case, &["--output", path.to_str().expect("an ASCII path")])?;
    let image = Image::open_indexed_png(&path).or_else(|_| Image::open(&path));
    let image = image.map_err(|error| error.to_string())?;
    let golden = Golden::new(root().join("golden"));
    let golden = golden.with_differences(root().join("target/golden-diff")).blessing(false);
    golden.check(&case.name, &image).map_err(|error| error.to_string())?;
    if kept != Some(&hash) {
        return Err(format!("{}: the manifest says {kept:?}, drawn is {hash}", case.name));
    }
    Ok(())
}

fn report(what: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{what}\n  {}\n", wrong.join("\n  "));
}

#[test]
fn pictures_are_equal_to_the_golden_ones() {
    let (scenes, kept, folder) = (scenes(), kept(), tempfile::tempdir().unwrap());
    let check = |case: &Case| check(case, folder.path(), kept.get(&case.name)).err();
    let mut wrong: Vec<String> = scenes.cases().par_iter().filter_map(check).collect();
    wrong.extend(unlisted(&scenes));
    report("golden pictures differ:", &wrong);
}

#[test]
fn pictures_are_the_same_on_every_simd_level_and_number_of_threads() {
    let (scenes, kept) = (scenes(), kept());
    let levels = [SimdLevel::Auto].into_iter().chain(SimdLevel::available());
    let levels: Vec<String> = levels.map(|level| level.to_string()).collect();
    let one = |case: &Case| {
        let every_level = levels.iter().map(|level| (level.as_str(), "1"));
        let every_count = ["2", "7"].map(|threads| ("auto", threads));
        let wrong = every_level.chain(every_count).filter_map(|(level, threads)| {
            let options = ["--simd", level, "--threads", threads];
            let found = draw(case, &options).unwrap_or_else(|error| error);
            let expected = kept.get(&case.name)?;
            let place = format!("{} with --simd {level} --threads {threads}", case.name);
            (found != *expected).then(|| format!("{place}: {found}, not {expected}"))
        });
        wrong.collect::<Vec<_>>()
    };
    let wrong: Vec<String> = scenes.cases().par_iter().flat_map_iter(one).collect();
    report("pictures depend on the machine:", &wrong);
}

#[test]
fn the_command_that_checks_scenes_passes_them() {
    let output = Command::new(env!("CARGO_BIN_EXE_polyset"))
        .current_dir(root())
        .args(["check", "golden/scenes.toml", "--no-report"])
        .output()
        .unwrap();
    let expected = format!("{} passed, 0 failed\n", scenes().cases().len());
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert!(output.status.success());
}

#[test]
fn names_are_written_in_one_way() {
    for Case { name, .. } in scenes().cases() {
        let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        assert!(name.bytes().all(is_plain), "{name}: words of lower-case letters and dashes");
    }
}

/// Pictures in `golden/` that belong to no scene, and lines of the manifest.
fn unlisted(scenes: &SceneFile) -> Vec<String> {
    let files = fs::read_dir(root().join("golden")).unwrap();
    let files = files.map(|entry| PathBuf::from(entry.unwrap().file_name()));
    let pictures =
        files.filter(|file| file.extension().is_some_and(|extension| extension == "png"));
    let names = pictures.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned());
    let known: BTreeSet<&str> = scenes.cases().iter().map(|case| &*case.name).collect();
    let unknown = names.chain(scenes.gone()).filter(|name| !known.contains(&**name));
    unknown.map(|name| format!("'{name}' is in no scene of golden/scenes.toml")).collect()
}
