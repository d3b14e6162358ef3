//! What an X server shows, against what `polyset render` draws.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use polyset::Image;

use super::archive::pak;
use super::display::{Display, Viewer, WINDOW};
use super::{enlarged, model};

#[test]
fn the_window_shows_what_render_draws() {
    let Some(display) = Display::new() else { return };
    let [mdl, md2, md3, md5] = ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh"].map(model);
    let table: [(&str, Vec<&str>, &[&str]); 6] = [
        ("plain", vec![&md2, "--paused"], &[]),
        ("retro", vec![&mdl, "--paused"], &["c", "r", "period", "b", "s", "p"]),
        (
            "classic",
            vec![&md2, "--paused", "--internal-resolution", "320x240"],
            &["v", "w", "period", "minus"],
        ),
        (
            "orthographic",
            vec![&md3, "--frame", "1", "--color", "indexed"],
            &["5", "3", "l", "plus"],
        ),
        (
            "turned",
            vec![&md5, "--animation-time", "0.3", "--background-color", "204060"],
            &["o", "space", "w", "o", "f"],
        ),
        (
            "wire",
            vec![&md3, "--paused", "--turntable", "--interpolation", "off"],
            &["o", "e", "7", "i", "a"],
        ),
    ];
    for (name, arguments, keys) in table {
        let viewer = Viewer::open(&display, name, &arguments);
        viewer.keys(keys);
        viewer.mouse(&["mousemove", "270", "150", "mousedown", "1"], "press left");
        viewer.mouse(&["mousemove", "340", "130"], "move 340 130");
        viewer.mouse(&["mouseup", "1"], "release left");
        viewer.mouse(&["click", "4"], "wheel");
        // Press and release of the wheel may come apart.
        sleep(Duration::from_millis(200));
        viewer.shows(&viewer.rendered(), WINDOW);
        viewer.close();
    }
}

#[test]
fn a_hand_moves_the_camera_and_a_log_does_it_again() {
    let Some(display) = Display::new() else { return };
    let input = model("bolt.md2");
    let viewer = Viewer::open(&display, "hand", &[&input, "--paused"]);
    let start = viewer.rendered();
    viewer.shows(&start, WINDOW);
    viewer.mouse(&["mousemove", "320", "200", "mousedown", "2"], "press middle");
    viewer.mouse(&["mousemove", "380", "150"], "move 380 150");
    viewer.mouse(&["mouseup", "2"], "release middle");
    viewer.mouse(&["keydown", "shift", "mousedown", "1"], "press shift+left");
    viewer.mouse(&["mousemove", "390", "150"], "move 390 150");
    viewer.mouse(&["mouseup", "1", "keyup", "shift"], "release left");
    let panned = viewer.rendered();
    assert_ne!(panned, start);
    viewer.shows(&panned, WINDOW);
    sleep(Duration::from_millis(500));
    let click = ["mousedown", "1", "sleep", "0.06", "mouseup", "1"];
    viewer.mouse(&[&click[..], &["sleep", "0.06"], &click].concat(), "press left");
    viewer.shows(&start, WINDOW);
    viewer.keys(&["1", "shift+l", "period"]);
    let end = viewer.rendered();
    assert_ne!(end, start);
    viewer.shows(&end, WINDOW);
    let log = viewer.close();

    let played = display.path("played");
    let without_end: Vec<&str> = log.lines().filter(|line| !line.ends_with("key Q")).collect();
    fs::write(&played, without_end.join("\n")).unwrap();
    let again =
        Viewer::open(&display, "again", &[&input, "--paused", "--play", played.to_str().unwrap()]);
    again.shows(&end, WINDOW);
    again.wait("the end of the log", || {
        let events = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count();
        // The size stands there twice: as the new window's and as the old one's.
        events(&again.text(&again.log)) > events(&without_end.join("\n"))
    });
    again.close();
}

#[test]
fn the_models_of_an_archive_are_shown_one_after_the_other() {
    let Some(display) = Display::new() else { return };
    let read = |name: &str| fs::read(model(name)).unwrap();
    let members = [("a/bolt.md2", "bolt.md2"), ("a/bolt.pcx", "bolt.pcx"), ("b.mdl", "bolt.mdl")];
    let members = members.map(|(member, source)| (member, read(source)));
    let archive = display.path("game.pak");
    fs::write(&archive, pak(&members)).unwrap();
    let viewer = Viewer::open(&display, "archive", &[archive.to_str().unwrap(), "--paused"]);
    for member in ["a/bolt.md2", "b.mdl"] {
        let expected = viewer.rendered();
        let command = viewer.render_command(&display.path("unused.png"));
        assert_eq!(command[1], format!("{}:{member}", archive.display()));
        viewer.shows(&expected, WINDOW);
        viewer.keys(&["Right"]);
    }
    viewer.close();
}

#[test]
fn a_model_is_found_in_the_list_by_typing() {
    let Some(display) = Display::new() else { return };
    let [mdl, md2, md3] = ["bolt.mdl", "bolt.md2", "bolt.md3"].map(model);
    let viewer = Viewer::open(&display, "list", &[&mdl, &md2, &md3, "--paused"]);
    let first = viewer.rendered();
    viewer.shows(&first, WINDOW);
    viewer.keys(&["Tab", "m", "d", "3"]);
    viewer.wait("the list", || display.window_pixels(WINDOW) != first);
    viewer.keys(&["Escape"]);
    viewer.shows(&first, WINDOW);
    viewer.keys(&["slash", "period", "m", "d", "2", "BackSpace", "3", "Return"]);
    let command = viewer.render_command(&display.path("unused.png"));
    assert_eq!(command[1], md3);
    let chosen = viewer.rendered();
    assert_ne!(chosen, first);
    viewer.shows(&chosen, WINDOW);
    // Clips, one down.
    viewer.keys(&["Tab", "Tab", "Down", "Return"]);
    let moved = viewer.rendered();
    assert_ne!(moved, chosen);
    viewer.shows(&moved, WINDOW);
    viewer.close();
}

#[test]
fn the_window_can_be_resized() {
    let Some(display) = Display::new() else { return };
    let viewer = Viewer::open(&display, "resized", &[&model("bolt.md2"), "--paused"]);
    let size = [700, 650];
    let resize = ["search", "--name", "polyset", "windowsize", "700", "650"];
    viewer.mouse(&resize, "size 700 650");
    let path = display.path("resized.png");
    let words = viewer.render_command(&path);
    assert!(words.windows(2).any(|pair| pair == ["--resolution", "700,650"]), "{words:?}");
    assert!(
        display.command(env!("CARGO_BIN_EXE_polyset")).args(&words).status().unwrap().success()
    );
    viewer.shows(&enlarged(&Image::open(&path).unwrap(), size), size);
    viewer.close();
}

#[test]
fn files_that_change_or_are_broken_are_shown_and_the_window_goes_on() {
    let Some(display) = Display::new() else { return };
    let file = display.path("model.md3");
    fs::copy(model("bolt.md3"), &file).unwrap();
    let (file_name, other) = (file.to_str().unwrap(), model("bolt.mdl"));
    let viewer = Viewer::open(&display, "watched", &[file_name, &other, "--paused", "--watch"]);
    let good = viewer.rendered();
    viewer.shows(&good, WINDOW);
    let has_changed = |from: &[u32]| display.window_pixels(WINDOW) != from;
    fs::write(&file, b"IDP3 but not really").unwrap();
    viewer.wait("the error", || has_changed(&good));
    viewer.keys(&["Right"]);
    let next = viewer.rendered();
    viewer.shows(&next, WINDOW);
    viewer.keys(&["Prior"]);
    viewer.wait("the broken file", || has_changed(&next));
    fs::copy(model("bolt.md3"), &file).unwrap();
    viewer.shows(&good, WINDOW);
    viewer.close();
}

#[test]
fn screenshots_are_what_is_shown_and_never_overwrite() {
    let Some(display) = Display::new() else { return };
    let arguments =
        [&model("bolt.md2"), "--paused", "--show", "name,axes", "--internal-resolution", "320x200"];
    let viewer = Viewer::open(&display, "shot", &arguments.map(AsRef::as_ref));
    viewer.keys(&["F12", "F12", "shift+F12"]);
    let shot = |number: u32| {
        let path = display.path(&format!("bolt-00{number}.png"));
        viewer.wait("a screenshot", || path.exists());
        Image::open(&path).unwrap()
    };
    let shown = enlarged(&shot(1), WINDOW);
    viewer.shows(&shown, WINDOW);
    assert_eq!(shot(2), shot(1));
    assert_eq!([shot(3).width(), shot(3).height()], [320, 200]);
    viewer.keys(&["n", "x"]);
    viewer.shows(&enlarged(&shot(3), WINDOW), WINDOW);
    viewer.close();
}

#[test]
fn the_gif_of_a_clip_is_that_of_the_printed_command() {
    let Some(display) = Display::new() else { return };
    for (name, arguments) in [
        ("plays", vec!["bolt.mdl", "--color", "indexed", "--animation", "wave"]),
        ("steps", vec!["bolt.md2", "--interpolation", "off", "--animation", "run"]),
        ("classic", vec!["bolt.mdl", "--renderer", "classic"]),
        ("turns", vec!["bolt.md3", "--paused"]),
    ] {
        let mut arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        arguments[0] = model(&arguments[0]);
        arguments
            .extend(["--internal-resolution", "160x100", "--screenshot-folder"].map(Into::into));
        let folder = display.path(&format!("gifs-{name}"));
        fs::create_dir_all(&folder).unwrap();
        arguments.push(folder.display().to_string());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let viewer = Viewer::open(&display, name, &arguments);
        // The camera is another than the one that the model begins with.
        viewer.keys(&["3"]);
        if name == "turns" {
            viewer.keys(&["o"]);
        }
        viewer.keys(&["F10"]);
        let written = || fs::read_dir(&folder).unwrap().next().map(|entry| entry.unwrap().path());
        let size = |path: PathBuf| fs::metadata(path).unwrap().len();
        viewer.wait("the GIF", || written().is_some_and(|path| size(path) > 0));
        let saved = fs::read(written().unwrap()).unwrap();
        let path = display.path(&format!("{name}.gif"));
        let words = viewer.command("shift+K", &path);
        assert_eq!(words[0], "animate");
        let output = display.command(env!("CARGO_BIN_EXE_polyset")).args(&words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        let again = fs::read(&path).unwrap();
        assert!(saved.starts_with(b"GIF89a"));
        if name == "turns" {
            // It has turned on meanwhile.
            assert!(words.contains(&"--turntable".to_owned()), "{words:?}");
        } else {
            assert!(saved == again, "{words:?}: another file");
        }
        viewer.close();
    }
}

/// Kilobytes in memory, and processor time used so far in seconds.
pub(crate) fn usage(process: u32) -> (usize, f64) {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    let memory = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    // User and system time in hundredths of a second.
    let ticks: f64 = fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum();
    (memory, ticks / 100.0)
}

#[test]
fn a_paused_window_is_idle_and_a_playing_one_does_not_grow() {
    let Some(display) = Display::new() else { return };
    let arguments = [&model("bolt.md5mesh"), "--turntable", "--show", "name,stats"];
    let viewer = Viewer::open(&display, "long", &arguments.map(AsRef::as_ref));
    let process = viewer.program.id();
    sleep(Duration::from_secs(5));
    let (before, _) = usage(process);
    sleep(Duration::from_secs(55));
    let (after, _) = usage(process);
    assert!(after < before + 2048, "a minute of playing: from {before} to {after} kB");
    viewer.keys(&["space", "o"]);
    sleep(Duration::from_secs(1));
    let (_, start) = usage(process);
    sleep(Duration::from_secs(5));
    let (_, end) = usage(process);
    assert!(end - start < 0.15, "paused: {:.1} % of a processor", (end - start) * 20.0);
    viewer.close();
}
