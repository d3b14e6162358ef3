//! The window for real: an X server without a screen (Xvfb), keys and mouse from outside (xdotool),
//! and what the server shows (xwd) against what `polyset render` draws; and a Wayland compositor without
//! a screen (weston).
//!
//! Needs the Debian packages xvfb, xdotool, x11-apps and x11-utils, openbox, and weston; without them the
//! tests say that they were skipped.
#![cfg(all(feature = "window", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../shared/archive.rs"]
mod archive;
mod display;
mod replay;
mod system;
mod wayland;
mod x11;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use polyset::Image;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether these programs are installed; says which one is not.
fn has_programs(programs: &[&str]) -> bool {
    let is_installed = |program: &&&str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    };
    let missing = programs.iter().find(|program| !is_installed(program));
    if let Some(program) = missing {
        let _ = writeln!(std::io::stderr(), "skipped: tests of the window need {program}");
    }
    missing.is_none()
}

fn model(name: &str) -> String {
    format!("{}/tests/models/{name}", env!("CARGO_MANIFEST_DIR"))
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
