//! The window under a Wayland compositor without a screen (weston). There are no hands: logs play.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use polyset::Image;

use super::replay::{are_those_of_render, everything};
use super::{PATIENCE, has_programs, model};

fn wait(what: &str, mut is_done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        sleep(Duration::from_millis(30));
    }
}

/// A compositor of our own.
struct Compositor {
    program: Child,
    folder: tempfile::TempDir,
}

impl Compositor {
    /// `None` if it is not installed.
    fn new(shell: &str) -> Option<Self> {
        if !has_programs(&["weston"]) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let program = Command::new("weston")
            .args(["--backend=headless-backend.so", "--socket=wayland-test", "--no-config"])
            .args(["--width=800", "--height=600", "--idle-time=0", shell])
            .env("XDG_RUNTIME_DIR", folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let compositor = Self { program, folder };
        wait("the compositor", || compositor.path("wayland-test").exists());
        Some(compositor)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `polyset view` here.
    fn view(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
        command
            .args(["view", "--no-messages"])
            .args(arguments)
            .arg("--record")
            .arg(self.path("log"))
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .env("WAYLAND_DISPLAY", "wayland-test")
            .env_remove("DISPLAY")
            .current_dir(self.folder.path())
            .stdout(File::create(self.path("output")).unwrap())
            .stderr(File::create(self.path("errors")).unwrap());
        command
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A program that is ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_log_plays_and_its_pictures_are_those_of_render() {
    let Some(compositor) = Compositor::new("--shell=desktop-shell.so") else { return };
    let log = compositor.path("played");
    let text = "0 size 640 400\n\
        50 key W\n100 key C\n150 key .\n\
        200 press left 100 100\n220 move 160 90\n240 release left\n260 wheel 2\n\
        300 key shift+f12\n320 key K\n\
        400 size 500 300\n450 key +\n500 press middle 10 10\n520 move 30 10\n540 release middle\n\
        600 key shift+f12\n620 key K\n\
        700 size 700 560\n750 key R\n800 key 3\n850 key shift+f12\n870 key K\n\
        900 key Q\n";
    fs::write(&log, text).unwrap();
    let input = model("bolt.md2");
    let arguments = [&input, "--paused", "--play", log.to_str().unwrap()];
    let status = compositor.view(&arguments.map(AsRef::as_ref)).status().unwrap();
    assert_eq!(status.code(), Some(0), "{}", compositor.text("errors"));
    assert_eq!(compositor.text("errors"), "");
    let output = compositor.text("output");
    assert_eq!(output.lines().count(), 3, "{output}");
    are_those_of_render(&compositor.path(""), "bolt", &output);
    let shots = (1..=3).map(|n| Image::open(compositor.path(&format!("bolt-00{n}.png"))).unwrap());
    let sizes: Vec<_> = shots.map(|shot| [shot.width(), shot.height()]).collect();
    assert_eq!(sizes, [[640, 400], [500, 300], [320, 200]]);
}

#[test]
fn every_key_shows_what_the_printed_command_draws() {
    let Some(compositor) = Compositor::new("--shell=desktop-shell.so") else { return };
    let (log, pictures) = everything();
    let path = compositor.path("everything.log");
    fs::write(&path, &log).unwrap();
    let arguments = [&model("bolt.md2"), "--play", path.to_str().unwrap()];
    let status = compositor.view(&arguments).status().unwrap();
    assert_eq!(status.code(), Some(0), "{}", compositor.text("errors"));
    let commands = compositor.text("output");
    assert_eq!(commands.lines().count(), pictures);
    are_those_of_render(&compositor.path(""), "bolt", &commands);
}

#[test]
fn a_compositor_may_force_a_size_and_go_away() {
    let table = [
        ("--shell=kiosk-shell.so", "1200,1000", "0 size 800 600"),
        ("--shell=kiosk-shell.so", "320,200", "0 size 800 600"),
        ("--shell=desktop-shell.so", "320,200", "0 size 320 200"),
    ];
    for (shell, size, expected) in table {
        let Some(mut compositor) = Compositor::new(shell) else { return };
        let input = model("bolt.md5mesh");
        let mut view = compositor.view(&[&input, "--turntable", "--resolution", size]);
        let mut program = Running(view.spawn().unwrap());
        wait("the first picture", || compositor.text("log").contains("first picture"));
        // Some pictures more.
        sleep(Duration::from_millis(500));
        let log = compositor.text("log");
        assert!(log.contains(expected), "{shell} {size}: {log}");
        assert_eq!(program.0.try_wait().unwrap(), None, "{}", compositor.text("errors"));
        compositor.program.kill().unwrap();
        let code = program.0.wait().unwrap().code();
        let errors = compositor.text("errors");
        assert_eq!(code, Some(2), "{errors}");
        assert!(errors.contains("the connection to the display is lost"), "{errors}");
        assert_eq!(
            (errors.lines().count(), compositor.text("output").as_str()),
            (1, ""),
            "{errors}"
        );
    }
}
