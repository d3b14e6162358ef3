//! What the window owes the system around it: the keyboard and mouse of an X server, window managers,
//! and a server that goes away.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::display::{Display, Viewer, WINDOW};
use super::x11::usage;
use super::{has_programs, model};

#[test]
fn a_key_with_another_modifier_is_not_that_key() {
    let Some(display) = Display::new() else { return };
    let viewer = Viewer::open(&display, "modifiers", &[&model("bolt.md2"), "--paused"]);
    for key in ["ctrl+w", "alt+w", "super+w", "ctrl+shift+w", "ctrl+q", "alt+Escape", "ctrl+1"] {
        display.xdotool(&["key", key]);
    }
    viewer.keys(&["w", "shift+w", "shift+1", "question", "z"]);
    let log = viewer.close();
    let keys: Vec<&str> =
        log.lines().filter_map(|line| line.split_once(" key ")).map(|k| k.1).collect();
    assert_eq!(keys, ["W", "shift+W", "shift+1", "?", "Z", "Q"]);
}

#[test]
fn clicks_shorter_than_a_frame_count() {
    let Some(display) = Display::new() else { return };
    let viewer = Viewer::open(&display, "clicks", &[&model("bolt.md2")]);
    // All in one breath.
    let click = ["click", "--delay", "0", "1", "click", "--delay", "0", "2", "click", "3"];
    let moves =
        ["mousemove", "100", "100", "mousedown", "1", "mousemove", "110", "100", "mouseup", "1"];
    display.xdotool(&[&click[..], &["click", "4", "click", "5"], &moves].concat());
    viewer
        .wait("the last release", || viewer.text(&viewer.log).matches("release left").count() == 2);
    let log = viewer.close();
    let events: Vec<&str> = log
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|event| event.1)
        .collect();
    let expected = [
        "size 640 400",
        "press left 320 200",
        "release left",
        "press middle 320 200",
        "release middle",
        "press right 320 200",
        "release right",
        "wheel 1",
        "wheel -1",
        "press left 100 100",
        "move 110 100",
        "release left",
        "key Q",
    ];
    assert_eq!(events, expected);
}

#[test]
fn desktops_know_whose_window_it_is() {
    let Some(display) = Display::new() else { return };
    if !has_programs(&["xprop"]) {
        return;
    }
    let viewer = Viewer::open(&display, "properties", &[&model("bolt.md2"), "--paused"]);
    let id = display.command("xdotool").args(["search", "--class", "polyset"]).output().unwrap();
    let id = String::from_utf8(id.stdout).unwrap();
    let id = id.lines().next().unwrap();
    let output = display.command("xprop").args(["-id", id]).output().unwrap();
    let properties = String::from_utf8_lossy(&output.stdout).into_owned();
    for expected in [
        "WM_CLASS(STRING) = \"polyset\", \"polyset\"".to_owned(),
        format!("_NET_WM_PID(CARDINAL) = {}", viewer.program.id()),
        "program specified minimum size: 160 by 100".into(),
        "bolt.md2 - polyset (H: keys)".into(),
        "WM_DELETE_WINDOW".into(),
    ] {
        assert!(properties.contains(&expected), "{expected}:\n{properties}");
    }
    viewer.close();
}

#[test]
fn a_server_that_goes_away_is_an_error() {
    for (name, signal, options) in
        [("killed", "KILL", "--paused"), ("ended", "TERM", "--turntable")]
    {
        // Of a server that dies between its answer and Xlib's look, Xlib speaks, and ends the program: a moment that
        // a busy machine makes longer, but that is not met each time.
        let met = (0..4).find(|_| {
            let Some(mut display) = Display::new() else { return true };
            let server = display.server.id().to_string();
            let mut viewer = Viewer::open(&display, name, &[&model("bolt.md2"), options]);
            assert!(Command::new("kill").args(["-s", signal, &server]).status().unwrap().success());
            let code = viewer.program.wait().unwrap().code();
            let said = viewer.text(&viewer.errors);
            let is_of_xlib = code == Some(1) && said.starts_with("X connection to ");
            if !is_of_xlib {
                assert_eq!(code, Some(2), "{name}: {said}");
                assert!(said.contains("the connection to the display is lost"), "{name}: {said}");
                assert_eq!(said.lines().count(), 1, "{name}: {said}");
                assert_eq!(viewer.text(&viewer.output), "", "{name}");
            }
            drop(viewer);
            display.server.wait().unwrap();
            !is_of_xlib
        });
        assert!(met.is_some(), "{name}: Xlib ended the program four times");
    }
}

#[test]
fn a_window_that_is_not_on_the_screen_draws_nothing_and_comes_back() {
    let Some(display) = Display::new() else { return };
    let arguments = [&model("bolt.md5mesh"), "--turntable"];
    let viewer = Viewer::open(&display, "hidden", &arguments.map(AsRef::as_ref));
    let used = || usage(viewer.program.id()).1;
    let window = |action: &str| display.xdotool(&["search", "--class", "polyset", action]);
    let during = || {
        sleep(Duration::from_millis(500));
        let before = used();
        sleep(Duration::from_secs(3));
        used() - before
    };
    window("windowunmap");
    let hidden = during();
    assert!(hidden < 0.09, "hidden: {:.1} % of a processor", hidden / 0.03);
    window("windowmap");
    display.xdotool(&["search", "--sync", "--class", "polyset", "windowfocus", "--sync"]);
    viewer.keys(&["o", "space"]);
    viewer.shows(&viewer.rendered(), WINDOW);
    viewer.close();
}

/// A window manager, as long as it is kept.
struct Manager(Child);

impl Drop for Manager {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn f11_covers_the_screen_and_uncovers_it() {
    let Some(display) = Display::new() else { return };
    if !has_programs(&["openbox"]) {
        return;
    }
    let _manager = Manager(display.command("openbox").stderr(Stdio::null()).spawn().unwrap());
    sleep(Duration::from_secs(1));
    let viewer = Viewer::open(&display, "full", &[&model("bolt.md2"), "--paused"]);
    viewer.keys(&["F11"]);
    let sizes = |size: &str| viewer.text(&viewer.log).matches(size).count();
    viewer.wait("the whole screen", || sizes("size 1000 700") == 1);
    viewer.keys(&["F11"]);
    viewer.wait("the window again", || sizes("size 640 400") == 2);
    viewer.close();
}

#[test]
fn what_is_dropped_is_shown() {
    let Some(display) = Display::new() else { return };
    let folder = display.path("two models");
    fs::create_dir_all(&folder).unwrap();
    for name in ["bolt.mdl", "bolt.md3"] {
        fs::copy(model(name), folder.join(name)).unwrap();
    }
    let log = display.path("drops");
    let line = folder.display().to_string().replace(' ', "%20");
    let nothing = display.path("nothing");
    let text = format!(
        "0 size 640 400\n10 drop {line}\n20 key K\n30 key right\n40 key K\n50 key right\n60 key K\n70 drop {}\n80 key K\n",
        nothing.display()
    );
    fs::write(&log, text).unwrap();
    let first = model("bolt.md2");
    let viewer =
        Viewer::open(&display, "dropped", &[&first, "--paused", "--play", log.to_str().unwrap()]);
    viewer.wait("four commands", || viewer.text(&viewer.output).lines().count() == 4);
    let text = viewer.text(&viewer.output);
    let shown: Vec<bool> = [("bolt.md3'", 0), ("bolt.mdl'", 1), ("bolt.md2 ", 2), ("bolt.md2 ", 3)]
        .map(|(name, line)| text.lines().nth(line).unwrap().contains(name))
        .into();
    assert_eq!(shown, [true; 4], "{text}");
    viewer.close();
}

#[test]
fn a_folder_for_screenshots_is_there_from_the_start() {
    let Some(display) = Display::new() else { return };
    let output = display
        .command(env!("CARGO_BIN_EXE_polyset"))
        .args(["view", &model("bolt.md2"), "--screenshot-folder", "no such folder"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("--screenshot-folder") && errors.contains("no such folder"),
        "{errors}"
    );
}

#[test]
fn a_file_that_cannot_be_read_has_no_command_and_its_error_reaches_the_caller() {
    let Some(display) = Display::new() else { return };
    let broken = display.path("broken.md3");
    fs::write(&broken, b"IDP3 but not really").unwrap();
    let viewer = Viewer::open(&display, "broken", &[broken.to_str().unwrap()]);
    viewer.keys(&["k", "shift+k", "F12"]);
    let errors = viewer.text(&viewer.errors);
    assert!(errors.contains("broken.md3"), "{errors}");
    assert_eq!(viewer.text(&viewer.output), "");
    viewer.close();
}

#[test]
fn a_server_that_shares_no_memory_shows_the_same() {
    let Some(display) = Display::with(&["-extension", "MIT-SHM"]) else { return };
    let viewer = Viewer::open(&display, "remote", &[&model("bolt.md2"), "--paused"]);
    viewer.keys(&["period", "3"]);
    viewer.shows(&viewer.rendered(), WINDOW);
    viewer.close();
}
