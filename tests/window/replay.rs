//! A log that presses every key of the list and moves the mouse in every way, played for every format: its
//! pictures are those that `polyset render` draws for the commands that the window prints.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use polyset::Image;

use super::display::Display;
use super::model;

/// Every key of the list, alone and with Shift, by its name in logs.
fn keys() -> Vec<String> {
    let list = polyset::ViewOptions::keys();
    let (bindings, _) = list.split_once("\nMouse").unwrap();
    let labels = bindings.lines().filter_map(|line| line.strip_prefix("  "));
    labels
        .filter_map(|line| line.split_whitespace().next())
        // These end the session, take long, or cover the screen, which nobody does here.
        .filter(|label| !["Esc", "F10", "F11"].contains(label))
        .map(|label| match label {
            "Back" => "backspace".to_owned(),
            label => label.to_lowercase(),
        })
        .collect()
}

/// A log of a window of 640 x 400, and how often it takes a picture and prints its command.
pub(crate) fn everything() -> (String, usize) {
    let (mut log, mut time, mut pictures) = (String::from("0 size 640 400\n"), 100, 0);
    let mut say = |line: &str| {
        time += 25;
        let _ = writeln!(log, "{time} {line}");
        let last = time;
        // One moment for both.
        if line.starts_with("key") && !line.ends_with("tab") {
            let _ = writeln!(log, "{last} key shift+f12\n{last} key K");
            pictures += 1;
        }
    };
    for key in keys() {
        match key.as_str() {
            "f12" | "k" => {}
            "tab" => {
                for line in ["key tab", "key tab", "key tab", "key escape"] {
                    say(line);
                }
            }
            key => {
                say(&format!("key {key}"));
                say(&format!("key shift+{key}"));
            }
        }
    }
    for line in [
        // The timeline, which is shown again.
        "key f3",
        "press left 100 390",
        "move 300 390",
        "release left",
        "press ctrl+left 300 100",
        "move 350 120",
        "release left",
        "press right 300 100",
        "move 300 120",
        "release right",
        "press shift+left 300 100",
        "move 310 120",
        "release left",
        "wheel ctrl+1",
        "wheel -2",
        "key f9",
        "move 320 200",
        "key .",
    ] {
        say(line);
    }
    let end = time + 100;
    let _ = writeln!(log, "{end} key Q");
    (log, pictures)
}

/// Draws what a printed command says.
pub(crate) fn render(command: &str, path: &Path) -> Image {
    let mut words: Vec<String> =
        command.split(' ').map(|word| word.trim_matches('\'').to_owned()).collect();
    assert_eq!(words.remove(0), "polyset");
    words[2] = path.display().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_polyset")).args(&words).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {errors}");
    Image::open(path).unwrap()
}

/// Whether pictures that were taken are those of the commands, one after the other.
pub(crate) fn are_those_of_render(folder: &Path, stem: &str, commands: &str) -> usize {
    let drawn = folder.join("drawn");
    fs::create_dir_all(&drawn).unwrap();
    let mut different = BTreeSet::new();
    for (number, command) in commands.lines().enumerate() {
        let shot = Image::open(folder.join(format!("{stem}-{:03}.png", number + 1))).unwrap();
        assert!(
            shot == render(command, &drawn.join("drawn.png")),
            "picture {}: {command}",
            number + 1
        );
        different.insert(shot.hash());
    }
    different.len()
}

#[test]
fn every_key_shows_what_the_printed_command_draws() {
    let Some(display) = Display::new() else { return };
    let (log, pictures) = everything();
    let path = display.path("everything.log");
    fs::write(&path, &log).unwrap();
    for (input, options) in [
        ("bolt.mdl", &[][..]),
        ("bolt.md2", &["--interpolation", "off"]),
        ("bolt.md3", &[]),
        ("bolt.md5mesh", &["--interpolation", "off", "--paused"]),
        ("players/bolt", &["--internal-resolution", "320x200"]),
    ] {
        let stem = input.rsplit('/').next().unwrap().split('.').next().unwrap();
        let folder = display.path(&input.replace('/', "-"));
        fs::create_dir_all(&folder).unwrap();
        let output = display
            .command(env!("CARGO_BIN_EXE_polyset"))
            .args(["view", &model(input), "--play", path.to_str().unwrap(), "--screenshot-folder"])
            .arg(&folder)
            .args(options)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{input}: {errors}");
        assert!(!errors.contains("panicked"), "{input}: {errors}");
        let commands = String::from_utf8(output.stdout).unwrap();
        // The classic renderer draws no players: there is neither command nor picture.
        let shots = fs::read_dir(&folder).unwrap().count();
        assert_eq!(commands.lines().count(), shots, "{input}");
        let is_player = input.contains("players");
        assert!(shots == pictures || is_player && shots > pictures / 2, "{input}: {shots}");
        let different = are_those_of_render(&folder, stem, &commands);
        assert!(different > pictures / 4, "{input}: {different} of {pictures} differ");
    }
}
