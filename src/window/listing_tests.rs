//! The list in a session without a window: keys, wheel and clicks, with many inputs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::event::{Button, Event, Held};
use super::keys::Key::{self, Char};
use super::list::Kind;
use super::list_layout::Layout;
use super::playback::Playback;
use super::settings::{InternalResolution, Settings};
use super::source::{Shown, ViewOptions};
use super::state::State;
use super::viewer::Viewer;
use crate::scene::{Input, Scene};

const WINDOW: [u32; 2] = [320, 200];

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

fn viewer(inputs: Vec<Input>) -> Viewer {
    let scene = Scene::default();
    let settings = Settings::new(scene.clone(), InternalResolution::Window);
    let playback = Playback::new(false, true);
    let state =
        State::new(settings, playback, Shown::default(), false, false, inputs.len(), WINDOW);
    let mut viewer = Viewer::new(inputs, scene, ViewOptions::default(), state);
    viewer.load(0);
    viewer.refresh();
    viewer
}

/// Many models that are not there, and one that is.
fn many(name: impl Fn(usize) -> String) -> Vec<Input> {
    let mut inputs: Vec<Input> =
        (0..3000).map(|number| Input::from(name(number).as_ref())).collect();
    inputs.insert(1234, Input::from(model("bolt.md2").as_os_str()));
    inputs
}

fn press(viewer: &mut Viewer, keys: impl IntoIterator<Item = Key>) {
    for key in keys {
        viewer.take(0, Event::Key { key, shift: false });
        viewer.refresh();
    }
}

fn type_in(viewer: &mut Viewer, text: &str) {
    press(viewer, text.chars().map(Char));
}

#[test]
fn one_of_thousands_is_found_and_opened_and_no_other_is() {
    for name in
        [(|number| format!("no/such/folder/model{number}.md2")) as fn(usize) -> String, |number| {
            format!("no-such.pak:progs/model{number}.mdl")
        }]
    {
        let mut viewer = viewer(many(name));
        press(&mut viewer, [Key::Tab]);
        assert_eq!(viewer.state.list.counts(), [3001, 3001]);
        type_in(&mut viewer, "BOLT.");
        assert_eq!(viewer.state.list.choice(), Some((Kind::Files, 1234)));
        press(&mut viewer, [Key::Enter]);
        assert_eq!(viewer.state.input, 1234);
        assert!(!viewer.state.list.is_open() && viewer.picture.opened().is_some());
        assert_eq!(viewer.opened_inputs(), [1234]);
    }
}

#[test]
fn keys_are_letters_while_the_list_is_open_and_escape_changes_nothing() {
    let mut viewer = viewer(vec![Input::from(model("bolt.md2").as_os_str())]);
    let (before, look) = (viewer.surface().pixels.clone(), viewer.state.scene(false));
    press(&mut viewer, [Char('/')]);
    assert_eq!(viewer.state.list.listed(), Some(Kind::Clips), "there is one file");
    assert_ne!(viewer.surface().pixels, before);
    type_in(&mut viewer, "QLFR");
    assert_eq!(viewer.state.list.filter(), "qlfr");
    assert!(viewer.take(0, Event::Key { key: Key::Escape, shift: false }), "it goes on");
    viewer.refresh();
    assert_eq!((viewer.surface().pixels.clone(), viewer.state.scene(false)), (before, look));
    assert!(!viewer.take(0, Event::Key { key: Key::Escape, shift: false }));
}

#[test]
fn clips_and_skins_are_chosen_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for (name, source) in
        [("bolt.md2", "bolt.md2"), ("bolt.pcx", "bolt.pcx"), ("bolt.md2_7.png", "bolt_paint.png")]
    {
        fs::copy(model(source), folder.path().join(name)).unwrap();
    }
    let mut viewer = viewer(vec![Input::from(folder.path().join("bolt.md2").as_os_str())]);
    press(&mut viewer, [Key::Tab]);
    type_in(&mut viewer, "WA");
    press(&mut viewer, [Key::End]);
    let (kind, number) = viewer.state.list.choice().unwrap();
    assert_eq!(kind, Kind::Clips);
    let name = viewer.state.facts.clips[number].name().to_owned();
    assert!(name.contains("wa"), "{name}");
    press(&mut viewer, [Key::Enter]);
    assert_eq!(viewer.state.clip_name(), Some(name));
    // As the last time.
    press(&mut viewer, [Key::Tab]);
    assert_eq!(viewer.state.list.listed(), Some(Kind::Clips));
    press(&mut viewer, [Key::Tab]);
    assert_eq!(viewer.state.list.listed(), Some(Kind::Skins));
    let worn = viewer.surface().pixels.clone();
    type_in(&mut viewer, "_7");
    press(&mut viewer, [Key::Enter]);
    assert_eq!(viewer.state.skin_line(), "skin 1 of 0-1: bolt.md2_7.png");
    assert_ne!(viewer.surface().pixels, worn);
}

#[test]
fn wheel_and_clicks_choose_and_two_clicks_open() {
    let mut viewer = viewer(many(|number| format!("no/such/model{number}.md2")));
    press(&mut viewer, [Key::Tab]);
    let distance = viewer.state.orbit.distance;
    viewer.take(0, Event::Wheel { steps: -1.0, held: Held::default() });
    assert_eq!(viewer.state.list.choice(), Some((Kind::Files, 3)));
    let layout = Layout::of(WINDOW);
    let at = |row: usize| {
        [layout.rows.x + 9, layout.rows.y + row * layout.line + 3].map(|place| place as i32)
    };
    let click = |viewer: &mut Viewer, now, row| {
        viewer.take(now, Event::Press { button: Button::Left, at: at(row), held: Held::default() });
        viewer.take(now, Event::Release(Button::Left));
        viewer.refresh();
    };
    click(&mut viewer, 1000, 5);
    assert_eq!(viewer.state.list.choice(), Some((Kind::Files, 5)));
    click(&mut viewer, 1100, 6);
    click(&mut viewer, 2000, 6);
    assert!(viewer.state.list.is_open(), "one click each");
    click(&mut viewer, 2200, 6);
    assert_eq!((viewer.state.list.is_open(), viewer.state.input), (false, 6));
    assert_eq!(viewer.state.orbit.distance, distance);
}

#[test]
fn what_is_chosen_is_drawn_beside_the_list() {
    let mut viewer = viewer(vec![
        Input::from("no such file.md2".as_ref()),
        Input::from(model("bolt.mdl").as_os_str()),
    ]);
    press(&mut viewer, [Key::Tab, Key::Down]);
    let before = viewer.surface().pixels.clone();
    let start = Instant::now();
    while viewer.surface().pixels == before {
        assert!(start.elapsed() < Duration::from_secs(60), "no picture came");
        std::thread::sleep(Duration::from_millis(5));
        viewer.refresh();
    }
}

#[test]
fn what_a_model_lacks_is_told_until_it_is_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bolt.md2");
    fs::copy(model("bolt.md2"), &file).unwrap();
    let mut viewer = viewer(vec![Input::from(file.as_os_str())]);
    let plain = viewer.surface().pixels.clone();
    viewer.state.messages = true;
    let mut seen = vec![plain.clone()];
    for _ in 0..2 {
        viewer.refresh();
        assert!(!seen.contains(&viewer.surface().pixels));
        seen.push(viewer.surface().pixels.clone());
        viewer.take(0, Event::Key { key: Char('M'), shift: true });
    }
    viewer.refresh();
    assert!(viewer.surface().pixels == plain, "hidden");
    assert_eq!(viewer.state.skin_line(), "skin 0 of 0-0: grey ('models/bolt/bolt.pcx' not found)");
}
