//! The window for real: an X server without a screen (Xvfb), keys and mouse from outside (xdotool),
//! and what the server shows (xwd) against what `polyset render` draws.
//!
//! Needs the Debian packages xvfb, xdotool and x11-apps; without them the tests say that they were
//! skipped.
#![cfg(all(feature = "window", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "shared/archive.rs"]
mod archive;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use archive::pak;
use polyset::Image;

const SCREEN: [usize; 2] = [1000, 700];
/// Of every window here.
const WINDOW: [usize; 2] = [640, 400];
/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn model(name: &str) -> String {
    format!("{}/tests/models/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// An X server of our own.
struct Display {
    server: Child,
    name: String,
    folder: tempfile::TempDir,
}

impl Display {
    /// `None` if the programs are not installed.
    fn new() -> Option<Self> {
        let is_installed = |program: &str| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
        };
        let missing = ["Xvfb", "xdotool", "xwd"].into_iter().find(|program| !is_installed(program));
        if let Some(program) = missing {
            let _ = writeln!(std::io::stderr(), "skipped: tests of the window need {program}");
            return None;
        }
        let screen = format!("{}x{}x24", SCREEN[0], SCREEN[1]);
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &screen, "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let name = format!(":{}", number.trim());
        Some(Self { server, name, folder: tempfile::tempdir().unwrap() })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("XMODIFIERS");
        command.current_dir(self.folder.path());
        command
    }

    fn xdotool(&self, arguments: &[&str]) {
        let status = self.command("xdotool").args(arguments).status().unwrap();
        assert!(status.success(), "xdotool {arguments:?}");
    }

    /// What the screen shows in the place of a window of this size: 0RGB.
    fn window_pixels(&self, size: [usize; 2]) -> Vec<u32> {
        let output = self.command("xwd").args(["-root", "-silent"]).output().unwrap();
        assert!(output.status.success());
        let dump = output.stdout;
        let number =
            |at: usize| u32::from_be_bytes(dump[at * 4..at * 4 + 4].try_into().unwrap()) as usize;
        // Header, colours of 12 bytes, then rows of 32-bit pixels, least byte first.
        let (start, stride) = (number(0) + number(19) * 12, number(12));
        assert_eq!(([number(4), number(5)], number(11)), (SCREEN, 32));
        let [x, y] = [0, 1].map(|axis| (SCREEN[axis] - size[axis]) / 2);
        let row = |y: usize| {
            let first = start + y * stride + x * 4;
            let pixels = dump[first..first + size[0] * 4].as_chunks::<4>().0;
            pixels.iter().map(|pixel| u32::from_le_bytes(*pixel) & 0x00ff_ffff)
        };
        (y..y + size[1]).flat_map(row).collect()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A running `polyset view`.
struct Viewer<'a> {
    display: &'a Display,
    program: Child,
    /// Events that it has taken.
    log: PathBuf,
    output: PathBuf,
    name: &'a str,
}

impl<'a> Viewer<'a> {
    fn open(display: &'a Display, name: &'a str, arguments: &[&str]) -> Self {
        let (log, output) = (display.path(&format!("{name}.log")), display.path(name));
        let size = format!("{},{}", WINDOW[0], WINDOW[1]);
        let program = display
            .command(env!("CARGO_BIN_EXE_polyset"))
            .args(["view", "--no-messages", "--resolution", &size, "--record"])
            .arg(&log)
            .args(arguments)
            .stdout(File::create(&output).unwrap())
            .spawn()
            .unwrap();
        let viewer = Self { display, program, log, output, name };
        viewer.wait("the first picture", || viewer.text(&viewer.log).contains("first picture"));
        // The pointer must be where the keys go.
        display.xdotool(&["mousemove", "500", "350"]);
        viewer
    }

    fn text(&self, path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_default()
    }

    fn wait(&self, what: &str, mut is_done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !is_done() {
            assert!(start.elapsed() < PATIENCE, "{}: waited in vain for {what}", self.name);
            sleep(Duration::from_millis(30));
        }
    }

    /// Presses keys one after the other and waits until the window has taken them.
    fn keys(&self, keys: &[&str]) {
        for key in keys {
            let before = self.text(&self.log).lines().count();
            self.display.xdotool(&["key", key]);
            self.wait(key, || self.text(&self.log).lines().count() > before);
        }
    }

    fn mouse(&self, arguments: &[&str], taken: &str) {
        let count = || self.text(&self.log).matches(taken).count();
        let before = count();
        self.display.xdotool(arguments);
        self.wait(taken, || count() > before);
    }

    fn shows(&self, expected: &[u32], size: [usize; 2]) {
        let mut different = 0;
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let shown = self.display.window_pixels(size);
            different = shown.iter().zip(expected).filter(|(a, b)| a != b).count();
            if different == 0 {
                return;
            }
            sleep(Duration::from_millis(50));
        }
        panic!("{}: {different} pixels differ from what was expected", self.name);
    }

    /// The command that `K` prints, without the program and with another output.
    fn render_command(&self, output: &Path) -> Vec<String> {
        self.command("k", output)
    }

    /// The command that a key prints, without the program and with another output.
    fn command(&self, key: &str, output: &Path) -> Vec<String> {
        let before = self.text(&self.output).lines().count();
        self.keys(&[key]);
        self.wait("the command", || self.text(&self.output).lines().count() > before);
        let text = self.text(&self.output);
        let mut words: Vec<String> = text
            .lines()
            .last()
            .unwrap()
            .split(' ')
            .map(|word| word.trim_matches('\'').into())
            .collect();
        assert_eq!(words.remove(0), "polyset");
        words[2] = output.display().to_string();
        words
    }

    /// What `polyset render` draws for what the window shows, enlarged as the window does.
    fn rendered(&self) -> Vec<u32> {
        // Beside the model it could be taken for its texture.
        let folder = self.display.path("rendered");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("rendered.png");
        let words = self.render_command(&path);
        let output =
            self.display.command(env!("CARGO_BIN_EXE_polyset")).args(&words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        enlarged(&Image::open(&path).unwrap(), WINDOW)
    }

    fn close(mut self) -> String {
        self.display.xdotool(&["key", "q"]);
        assert_eq!(self.program.wait().unwrap().code(), Some(0), "{}", self.name);
        self.text(&self.log)
    }
}

impl Drop for Viewer<'_> {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A picture as 0RGB in the middle of a window, at the largest whole scale, on black.
fn enlarged(image: &Image, [width, height]: [usize; 2]) -> Vec<u32> {
    let side = [image.width() as usize, image.height() as usize];
    let rgba = image.to_rgba();
    let scale = (width / side[0]).min(height / side[1]);
    let left = [(width - side[0] * scale) / 2, (height - side[1] * scale) / 2];
    let pixel = |x: usize, y: usize| {
        let [x, y] = [x.checked_sub(left[0])? / scale, y.checked_sub(left[1])? / scale];
        let at = (y * side[0] + x) * 4;
        let is_inside = x < side[0] && y < side[1];
        is_inside.then(|| u32::from_be_bytes([0, rgba[at], rgba[at + 1], rgba[at + 2]]))
    };
    let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    all.map(|(x, y)| pixel(x, y).unwrap_or(0)).collect()
}

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
        viewer.mouse(&["mousemove", "450", "300", "mousedown", "1"], "press left");
        viewer.mouse(&["mousemove", "520", "280"], "move 340 130");
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
    viewer.mouse(&["mousemove", "500", "350", "mousedown", "2"], "press middle");
    viewer.mouse(&["mousemove", "560", "300"], "move 380 150");
    viewer.mouse(&["mouseup", "2"], "release middle");
    viewer.mouse(&["keydown", "shift", "mousedown", "1"], "press shift+left");
    viewer.mouse(&["mousemove", "570", "300"], "move 390 150");
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
    let resize =
        ["search", "--name", "polyset", "windowsize", "700", "650", "windowmove", "150", "25"];
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
fn usage(process: u32) -> (usize, f64) {
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

#[test]
fn without_a_display_an_error_names_render() {
    for display in ["", ":4999"] {
        let output = Command::new(env!("CARGO_BIN_EXE_polyset"))
            .args(["view", &model("bolt.md2")])
            .env("DISPLAY", display)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("display") || error.contains("window"), "{error}");
        assert!(error.contains("polyset render") && !error.contains("panicked"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_keys_are_printed_and_documented() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_polyset")).args(["view", "--keys"]).output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    assert_eq!(list, polyset::ViewOptions::keys());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/window.md");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains(&list), "docs/window.md must hold what 'polyset view --keys' prints");
}
