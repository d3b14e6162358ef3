//! An X server without a screen, and a `polyset view` on it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use polyset::Image;

use super::{PATIENCE, enlarged, has_programs};

const SCREEN: [usize; 2] = [1000, 700];
/// Of every window here. It lies in the left upper corner: nobody manages windows.
pub(crate) const WINDOW: [usize; 2] = [640, 400];

/// An X server of our own.
pub(crate) struct Display {
    pub(crate) server: Child,
    name: String,
    folder: tempfile::TempDir,
}

impl Display {
    /// `None` if the programs are not installed.
    pub(crate) fn new() -> Option<Self> {
        Self::with(&[])
    }

    /// With more options for the server.
    pub(crate) fn with(options: &[&str]) -> Option<Self> {
        if !has_programs(&["Xvfb", "xdotool", "xwd"]) {
            return None;
        }
        let screen = format!("{}x{}x24", SCREEN[0], SCREEN[1]);
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &screen, "-nolisten", "tcp"])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let name = format!(":{}", number.trim());
        Some(Self { server, name, folder: tempfile::tempdir().unwrap() })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY").env_remove("XMODIFIERS");
        command.current_dir(self.folder.path());
        command
    }

    pub(crate) fn xdotool(&self, arguments: &[&str]) {
        let status = self.command("xdotool").args(arguments).status().unwrap();
        assert!(status.success(), "xdotool {arguments:?}");
    }

    /// What the screen shows in the place of a window of this size: 0RGB.
    pub(crate) fn window_pixels(&self, size: [usize; 2]) -> Vec<u32> {
        let output = self.command("xwd").args(["-root", "-silent"]).output().unwrap();
        assert!(output.status.success());
        let dump = output.stdout;
        let number =
            |at: usize| u32::from_be_bytes(dump[at * 4..at * 4 + 4].try_into().unwrap()) as usize;
        // Header, colours of 12 bytes, then rows of 32-bit pixels, least byte first.
        let (start, stride) = (number(0) + number(19) * 12, number(12));
        assert_eq!(([number(4), number(5)], number(11)), (SCREEN, 32));
        let row = |y: usize| {
            let first = start + y * stride;
            let pixels = dump[first..first + size[0] * 4].as_chunks::<4>().0;
            pixels.iter().map(|pixel| u32::from_le_bytes(*pixel) & 0x00ff_ffff)
        };
        (0..size[1]).flat_map(row).collect()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A running `polyset view`.
pub(crate) struct Viewer<'a> {
    display: &'a Display,
    pub(crate) program: Child,
    /// Events that it has taken.
    pub(crate) log: PathBuf,
    pub(crate) output: PathBuf,
    pub(crate) errors: PathBuf,
    name: &'a str,
}

impl<'a> Viewer<'a> {
    pub(crate) fn open(display: &'a Display, name: &'a str, arguments: &[&str]) -> Self {
        let (log, output) = (display.path(&format!("{name}.log")), display.path(name));
        let errors = display.path(&format!("{name}.errors"));
        let size = format!("{},{}", WINDOW[0], WINDOW[1]);
        let program = display
            .command(env!("CARGO_BIN_EXE_polyset"))
            .args(["view", "--no-messages", "--resolution", &size, "--record"])
            .arg(&log)
            .args(arguments)
            .stdout(File::create(&output).unwrap())
            .stderr(File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let viewer = Self { display, program, log, output, errors, name };
        viewer.wait("the first picture", || viewer.text(&viewer.log).contains("first picture"));
        // As a window manager does, and the pointer into it.
        display.xdotool(&["search", "--sync", "--class", "polyset", "windowfocus", "--sync"]);
        display.xdotool(&["mousemove", "320", "200"]);
        viewer
    }

    pub(crate) fn text(&self, path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_default()
    }

    pub(crate) fn wait(&self, what: &str, mut is_done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !is_done() {
            assert!(start.elapsed() < PATIENCE, "{}: waited in vain for {what}", self.name);
            sleep(Duration::from_millis(30));
        }
    }

    /// Presses keys one after the other and waits until the window has taken them.
    pub(crate) fn keys(&self, keys: &[&str]) {
        for key in keys {
            let before = self.text(&self.log).lines().count();
            self.display.xdotool(&["key", key]);
            self.wait(key, || self.text(&self.log).lines().count() > before);
        }
    }

    pub(crate) fn mouse(&self, arguments: &[&str], taken: &str) {
        let count = || self.text(&self.log).matches(taken).count();
        let before = count();
        self.display.xdotool(arguments);
        self.wait(taken, || count() > before);
    }

    pub(crate) fn shows(&self, expected: &[u32], size: [usize; 2]) {
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
    pub(crate) fn render_command(&self, output: &Path) -> Vec<String> {
        self.command("k", output)
    }

    /// The command that a key prints, without the program and with another output.
    pub(crate) fn command(&self, key: &str, output: &Path) -> Vec<String> {
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
    pub(crate) fn rendered(&self) -> Vec<u32> {
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

    pub(crate) fn close(mut self) -> String {
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
