//! Players and what hangs on them, through the command.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

/// The standard output; the command must succeed.
fn polyset(arguments: &[&str], folder: &Path) -> String {
    let mut command = Command::cargo_bin("polyset").unwrap();
    let output = command.current_dir(folder).args(arguments).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

/// A folder with Bolt, who stands from frame 0, walks from 8 and waves from 18 to 29, as legs and as a
/// torso of which the legs begin 12 frames late, as the table of the two has them.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["lower.md3", "upper.md3", "upper_1.md3", "other.md3"] {
        fs::copy(sample("bolt.md3"), folder.path().join(name)).unwrap();
    }
    fs::copy(sample("bolt_paint.png"), folder.path().join("bolt_paint.png")).unwrap();
    fs::write(folder.path().join("animation.cfg"), table()).unwrap();
    folder
}

fn table() -> String {
    let mut text = String::new();
    for row in 0..25 {
        text += match row {
            0 => "18 5 0 10\n",
            6 => "6 2 0 10\n",
            11 => "20 4 4 10\n",
            15 => "20 10 10 10\n",
            13 | 22 => "18 -3 3 5\n",
            _ => "1 1 0 10\n",
        };
    }
    text
}

#[test]
fn parts_know_their_clips_and_stand_instead_of_dying() {
    let folder = folder();
    let hash = |arguments: &[&str]| {
        polyset(&[&["render", "--hash", "-s", "64"], arguments].concat(), folder.path())
    };
    for (arguments, frame) in [
        (&["lower.md3"][..], &["--frame", "8"][..]),
        (&["upper.md3"], &["--frame", "20"]),
        (&["upper_1.md3"], &["--frame", "20"]),
        (
            &["lower.md3", "--animation", "legs_run", "--animation-time", "0.25"],
            &["--frame", "10,11,0.5"],
        ),
        (&["lower.md3", "--animation", "LEGS_IDLE", "--frame", "1"], &["--frame", "7"]),
        (&["lower.md3", "--animation", "BOTH_DEATH1", "--animation-time", "9"], &["--frame", "22"]),
        (&["other.md3"], &["--frame", "0"]),
    ] {
        let expected = hash(&[&["other.md3"], frame].concat());
        assert_eq!(hash(arguments), expected, "{arguments:?}");
    }
    let info = polyset(&["info", "upper.md3"], folder.path());
    assert!(info.contains("TORSO_STAND") && !info.contains("LEGS_"), "{info}");
}

#[test]
fn what_is_wrong_with_the_table_is_told_and_the_model_drawn() {
    let folder = folder();
    fs::write(folder.path().join("animation.cfg"), "jump\n0 99 0 10\n40 1 1 1\n").unwrap();
    let mut command = Command::cargo_bin("polyset").unwrap();
    let arguments = ["render", "lower.md3", "--hash", "-s", "32"];
    let output = command.current_dir(folder.path()).args(arguments).assert().success();
    let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    for expected in [
        "animation.cfg (line 1): unknown word \"jump\"",
        "animation.cfg (line 2): BOTH_DEATH1 has 99 frames from 0, the model 30 in all; cut to 30",
        "animation.cfg (line 3): BOTH_DEAD1 begins with frame 40",
        "2 rows, expected 25",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn a_thumbnail_of_a_part_without_its_table_stands() {
    let folder = folder();
    let alone = tempfile::tempdir().unwrap();
    fs::copy(folder.path().join("lower.md3"), alone.path().join("lower.md3")).unwrap();
    let thumb = |name: &str, options: &[&str]| {
        let arguments = [&["thumb", "-s", "32", name, "out.png"], options].concat();
        polyset(&arguments, alone.path());
        fs::read(alone.path().join("out.png")).unwrap()
    };
    fs::copy(sample("bolt.md3"), alone.path().join("other.md3")).unwrap();
    // The clips of a model whose frames have names count.
    assert_eq!(thumb("lower.md3", &[]), thumb("other.md3", &["--animation", "stand"]));
}
