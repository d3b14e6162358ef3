//! `--watch` with real files: what changes beside a model is seen, and nothing else moves.

#[path = "../../tests/shared/archive.rs"]
mod archive;

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use archive::pak;

use super::event::Event;
use super::keys::Key::Char;
use super::playback::Playback;
use super::settings::{InternalResolution, Settings};
use super::source::{Shown, ViewOptions};
use super::state::State;
use super::viewer::Viewer;
use crate::image::Image;
use crate::scene::{Input, Scene};

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn read(name: &str) -> Vec<u8> {
    fs::read(models().join(name)).unwrap()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let is_there = path.exists();
    fs::write(&path, bytes).unwrap();
    if is_there {
        // The clock of the file system may not have moved on since it was written before.
        let later = SystemTime::now() + Duration::from_secs(5);
        fs::File::options().append(true).open(path).unwrap().set_modified(later).unwrap();
    }
}

/// A TGA of one colour.
fn paint(color: [u8; 3]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 8, 0, 24, 0];
    bytes.extend(color.repeat(64));
    bytes
}

fn png(color: [u8; 4]) -> Vec<u8> {
    let mut png = Vec::new();
    Image::from_rgba(1, 1, color.to_vec()).unwrap().encode_png(&mut png).unwrap();
    png
}

fn viewer(inputs: &[PathBuf], options: ViewOptions) -> Viewer {
    let inputs: Vec<Input> = inputs.iter().map(|file| Input::from(file.as_os_str())).collect();
    let scene = Scene { size: Some([64, 64]), ..Scene::default() };
    let settings = Settings::new(scene.clone(), InternalResolution::Window);
    let (playback, count) = (Playback::new(false, true), inputs.len());
    let state = State::new(settings, playback, Shown::default(), false, false, count, [64, 64]);
    let options = ViewOptions { watch: true, ..options };
    let mut viewer = Viewer::new(inputs, scene, options, state);
    viewer.load(0);
    viewer.refresh();
    viewer
}

/// The picture after everything has stood still. Every look is a minute after the one before.
fn watched(viewer: &mut Viewer) -> Vec<u32> {
    thread_local! { static MINUTES: Cell<u32> = const { Cell::new(0) } }
    let start = Instant::now();
    for _ in 0..3 {
        MINUTES.set(MINUTES.get() + 1);
        viewer.watch(start + MINUTES.get() * Duration::from_secs(60));
    }
    viewer.refresh();
    viewer.surface().pixels.clone()
}

fn press(viewer: &mut Viewer, key: char) {
    viewer.take(0, Event::Key { key: Char(key), shift: false });
}

#[test]
fn whatever_changes_beside_a_model_is_seen() {
    const GREEN: [u8; 3] = [0, 200, 0];
    type Files = Vec<(&'static str, Vec<u8>)>;
    // What is there, the input, and what is written.
    let table: [(&str, Files, &str, Files); 8] = [
        (
            "a skin is painted over",
            vec![("bolt.md2", read("bolt.md2")), ("bolt.pcx", read("bolt.pcx"))],
            "bolt.md2",
            vec![("bolt.pcx", {
                let mut pcx = read("bolt.pcx");
                let colors = pcx.len() - 768;
                pcx[colors..].reverse();
                pcx
            })],
        ),
        (
            "a missing texture comes",
            vec![("x/bolt.md3", read("bolt.md3"))],
            "x/bolt.md3",
            vec![("x/bolt_paint.tga", paint(GREEN))],
        ),
        (
            "in a folder that was not there",
            vec![("x/bolt.md3", read("bolt.md3"))],
            "x/bolt.md3",
            vec![("x/textures/bolt_paint.tga", paint(GREEN))],
        ),
        (
            "a .skin file changes",
            vec![
                ("bolt.md3", read("bolt.md3")),
                ("a.tga", paint(GREEN)),
                ("b.tga", paint([0, 0, 200])),
                ("bolt_default.skin", b"h_helmet,a.tga\nu_body,a.tga\nl_legs,a.tga\n".to_vec()),
            ],
            "bolt.md3",
            vec![("bolt_default.skin", b"h_helmet,b.tga\nu_body,b.tga\nl_legs,b.tga\n".to_vec())],
        ),
        (
            "a .skin file comes",
            vec![
                ("bolt.md3", read("bolt.md3")),
                ("bolt_paint.png", read("bolt_paint.png")),
                ("a.tga", paint(GREEN)),
            ],
            "bolt.md3",
            vec![("bolt_default.skin", b"h_helmet,a.tga\nu_body,a.tga\nl_legs,a.tga\n".to_vec())],
        ),
        (
            "a shader script comes",
            vec![
                ("models/bolt/bolt.md3", read("bolt.md3")),
                ("models/bolt/bolt_paint.png", read("bolt_paint.png")),
                ("textures/green.tga", paint(GREEN)),
            ],
            "models/bolt/bolt.md3",
            vec![(
                "scripts/bolt.shader",
                b"models/bolt/bolt_paint { { map textures/green.tga } }\n\
                  models/bolt/bolt_paint.png { { map textures/green.tga } }\n"
                    .to_vec(),
            )],
        ),
        (
            "an archive is packed again",
            vec![("a.pak", pak(&[("bolt.md2", read("bolt.md2")), ("bolt.pcx", read("bolt.pcx"))]))],
            "a.pak:bolt.md2",
            vec![("a.pak", pak(&[("bolt.md2", read("bolt.md2"))]))],
        ),
        (
            "an archive comes that has the texture",
            vec![("baseq3/models/bolt/bolt.md3", read("bolt.md3"))],
            "baseq3/models/bolt/bolt.md3",
            vec![("baseq3/pak0.pk3", pak(&[("models/bolt/bolt_paint.tga", paint(GREEN))]))],
        ),
    ];
    for (what, before, input, change) in table {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in before {
            write(folder.path(), name, &bytes);
        }
        let mut viewer = viewer(&[folder.path().join(input)], ViewOptions::default());
        let old = watched(&mut viewer);
        assert!(viewer.picture.opened().is_some(), "{what}");
        for (name, bytes) in change {
            write(folder.path(), name, &bytes);
        }
        assert!(watched(&mut viewer) != old, "{what}");
    }
}

#[test]
fn clips_that_come_are_seen_and_clip_time_camera_and_skin_stay() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["bolt.md5mesh", "bolt_walk.md5anim", "bolt.tga"] {
        write(folder.path(), name, &read(name));
    }
    let mut viewer = viewer(&[folder.path().join("bolt.md5mesh")], ViewOptions::default());
    viewer.state.playback.start(0, 0, 0.25, None);
    press(&mut viewer, '3');
    let orbit = viewer.state.orbit;
    assert_eq!(viewer.state.clip_name().as_deref(), Some("bolt_walk"));
    write(folder.path(), "a_wave.md5anim", &read("bolt_wave.md5anim"));
    watched(&mut viewer);
    let names: Vec<&str> = viewer.state.facts.clips.iter().map(|clip| clip.name()).collect();
    assert_eq!(names, ["a_wave", "bolt_walk"]);
    assert_eq!(viewer.state.clip_name().as_deref(), Some("bolt_walk"));
    assert_eq!((viewer.state.playback.clock(9), viewer.state.orbit), (0.25, orbit));

    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "bolt.md2", &read("bolt.md2"));
    for name in ["bolt.md2_1.png", "bolt.md2_2.png"] {
        write(folder.path(), name, &png([0, 99, 0, 255]));
    }
    let mut viewer = self::viewer(&[folder.path().join("bolt.md2")], ViewOptions::default());
    press(&mut viewer, '-');
    let worn = |viewer: &Viewer| viewer.state.facts.skins[viewer.state.worn_skin()].clone();
    assert_eq!(worn(&viewer), "bolt.md2_2.png");
    write(folder.path(), "bolt.md2_0.png", &png([99, 0, 0, 255]));
    watched(&mut viewer);
    assert!(viewer.state.facts.skins.contains(&"bolt.md2_0.png".to_owned()));
    assert_eq!(worn(&viewer), "bolt.md2_2.png");
}

#[test]
fn the_clips_of_a_players_part_follow_its_cfg() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "lower.md3", &read("players/bolt/lower.md3"));
    let mut viewer = viewer(&[folder.path().join("lower.md3")], ViewOptions::default());
    let clips = |viewer: &Viewer| viewer.state.facts.clips.len();
    let before = clips(&viewer);
    write(folder.path(), "animation.cfg", &read("players/bolt/animation.cfg"));
    watched(&mut viewer);
    assert!(clips(&viewer) > before, "{before}");
}

#[test]
fn what_was_missing_or_broken_is_shown_when_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "bolt.md2", b"nothing yet");
    let mut viewer = viewer(&[folder.path().join("bolt.md2")], ViewOptions::default());
    assert!(viewer.picture.opened().is_none());
    write(folder.path(), "bolt.md2", &read("bolt.md2"));
    watched(&mut viewer);
    assert!(viewer.picture.opened().is_some());
    fs::remove_file(folder.path().join("bolt.md2")).unwrap();
    watched(&mut viewer);
    assert!(viewer.picture.opened().is_some(), "the last one stays");
}

#[test]
fn models_that_come_into_a_folder_are_inputs_behind_the_others() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "m/bolt.md2", &read("bolt.md2"));
    let (place, first) = (folder.path().join("m"), folder.path().join("m/bolt.md2"));
    let mut scene = Scene::new(&place);
    let list = move |files: &crate::scene::Files| {
        scene.source.input = Input::from(place.as_os_str());
        let models = scene.models_in(files).unwrap().unwrap();
        models.pictures().into_iter().map(Input::File).collect()
    };
    let options = ViewOptions { list_inputs: Some(Box::new(list)), ..ViewOptions::default() };
    let mut viewer = viewer(&[first], options);
    watched(&mut viewer);
    write(folder.path(), "m/a/b/new.mdl", &read("bolt.mdl"));
    fs::remove_file(folder.path().join("m/bolt.md2")).unwrap();
    watched(&mut viewer);
    // A folder that is new is entered from the next look on.
    watched(&mut viewer);
    viewer.take(0, Event::Key { key: super::keys::Key::Right, shift: false });
    assert_eq!(viewer.state.input, 1);
    assert!(viewer.name().ends_with("new.mdl"), "{}", viewer.name());
    viewer.take(0, Event::Key { key: super::keys::Key::Right, shift: false });
    assert_eq!(viewer.state.input, 0, "one that has gone is still there, to be tried");
}
