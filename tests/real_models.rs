//! Real models: every model under the folder that POLYSET_MODELS names is drawn in all its clips
//! and skins, and the files under its `invalid/` are refused with a message that names the trouble.
//! Without the variable the tests say that they were skipped.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use polyset::scene::Anims;
use polyset::{Blend, Camera, Framebuffer, Instance, Model, Renderer, Scene, View};
use rayon::prelude::*;

/// Small, but large enough that a model shows.
const SIDE: u32 = 48;

/// The folder of the variable; says so if there is none.
fn models() -> Option<PathBuf> {
    let folder = std::env::var_os("POLYSET_MODELS").map(PathBuf::from);
    if folder.is_none() {
        // Written directly: the test harness would keep the output of a test that passes.
        let _ = writeln!(std::io::stderr(), "skipped: POLYSET_MODELS is not set");
    }
    folder
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    extensions.contains(&extension.as_str())
}

/// Valid models below `root`, sorted.
fn valid_models(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    files_below(root, &mut files);
    files.retain(|path| has_extension(path, &["mdl", "md2", "md3", "md5mesh"]));
    files.retain(|path| !path.starts_with(root.join("invalid")));
    files.sort();
    assert!(!files.is_empty(), "no models below {}", root.display());
    files
}

/// Draws one pose; gives the number of pixels that something was drawn in.
fn draw(renderer: &mut Renderer, model: &Model, blend: Blend) -> usize {
    let pose = model.pose_blend(blend);
    let view = View::new(Camera::framing(&pose));
    let mut frame = Framebuffer::new(SIDE, SIDE).unwrap();
    renderer.draw(&view, &[Instance::new(model, &pose)], &mut frame).unwrap();
    frame.image().to_rgba().chunks_exact(4).filter(|pixel| pixel[3] == 255).count()
}

/// Every moment and skin that is worth a look; gives the number of pictures.
fn draw_all(path: &Path) -> Result<usize, String> {
    let wrong = |what: String| format!("{}: {what}", path.display());
    let mut scene = Scene::new(path);
    let bytes = scene.read().map_err(|error| error.to_string())?;
    let opened = scene.open_bytes(bytes, Anims::All);
    let mut opened = opened.map_err(|error| error.to_string())?;
    let model = &opened.model;
    let mut blends = vec![Blend::frame(0)];
    for clip in model.clips() {
        let duration = clip.duration();
        blends.extend([0.0, duration * 0.5, duration * 0.999].map(|time| clip.at(time)));
    }
    let mut renderer = Renderer::new().with_threads(1).map_err(|error| error.to_string())?;
    let mut pictures = 0;
    for blend in blends {
        let drawn = draw(&mut renderer, model, blend);
        pictures += 1;
        if drawn == 0 && model.triangle_count() > 0 {
            return Err(wrong(format!("nothing is drawn in {blend:?}")));
        }
    }
    for (skin, _) in opened.skins(&scene) {
        for time in [0.0, 0.35] {
            scene.source.skins = vec![skin.clone()];
            scene.moment.clock = Some(time);
            opened.dress(&scene).map_err(|error| wrong(error.to_string()))?;
            draw(&mut renderer, &opened.model, Blend::frame(0));
            pictures += 1;
        }
    }
    Ok(pictures)
}

#[test]
fn every_model_is_drawn_in_all_clips_and_skins() {
    let Some(root) = models() else { return };
    let files = valid_models(&root);
    let results: Vec<Result<usize, String>> = files.par_iter().map(|path| draw_all(path)).collect();
    let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let formats: BTreeSet<_> =
        files.iter().map(|path| path.extension().unwrap().to_ascii_lowercase()).collect();
    let pictures: usize = results.into_iter().flatten().sum();
    let _ = writeln!(
        std::io::stderr(),
        "{} real models of {} formats, {pictures} pictures",
        files.len(),
        formats.len()
    );
}

#[test]
fn the_command_draws_every_model() {
    let Some(root) = models() else { return };
    let folder = tempfile::tempdir().unwrap();
    let wrong: Vec<String> = valid_models(&root)
        .par_iter()
        .enumerate()
        .filter_map(|(number, path)| {
            let picture = folder.path().join(format!("{number}.png"));
            let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
            let output =
                command.arg("render").arg(path).arg(&picture).args(["-s", "32"]).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            let fine = output.status.success() && output.stdout.is_empty() && picture.is_file();
            (!fine).then(|| format!("{}: {}: {stderr}", path.display(), output.status))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A word of the message for each invalid file, by a piece of its path.
const TROUBLE: &[(&str, &str)] = &[
    ("empty.md5mesh", "empty"),
    ("InvalidFrameBaseOffset.mdc", "MDC"),
    ("InvalidCameraCut.md5camera", "md5camera"),
    ("InvalidBoneIndex.md5mesh", "joint 999"),
    ("OverflowingTriangleIndex.md5mesh", "4294967295"),
    ("OverflowingVertexIndex.md5mesh", "4294967295"),
    ("OverflowingWeightIndex.md5mesh", "4294967295"),
    ("malformed_zero_numvertices.md2", "no vertices"),
    ("MDL7", "GameStudio A7"),
    ("MDL5", "GameStudio A5"),
    ("man01.mdl", "Half-Life"),
    ("HL1", "Half-Life"),
];

#[test]
fn invalid_files_are_refused_with_their_trouble() {
    let Some(root) = models() else { return };
    let mut files = Vec::new();
    files_below(&root.join("invalid"), &mut files);
    files.retain(|path| has_extension(path, &["mdl", "md2", "md3", "md5mesh", "md5camera", "mdc"]));
    assert!(!files.is_empty(), "no files below {}/invalid", root.display());
    for path in files {
        let shown = path.display().to_string();
        for command in ["render", "info"] {
            let mut run = Command::new(env!("CARGO_BIN_EXE_polyset"));
            let more = if command == "render" { &["--hash"][..] } else { &[] };
            let output = run.arg(command).arg(&path).args(more).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} {shown}: {stderr}");
            assert!(output.stdout.is_empty(), "{command} {shown} writes data");
            assert!(stderr.starts_with("polyset: "), "{command} {shown}: {stderr}");
            assert_eq!(stderr.lines().count(), 1, "{command} {shown}: {stderr}");
            if let Some((_, word)) = TROUBLE.iter().find(|(piece, _)| shown.contains(piece)) {
                assert!(stderr.contains(word), "{command} {shown}: '{word}' is not in {stderr}");
            }
        }
    }
}
