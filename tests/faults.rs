//! What goes wrong around a run: it is killed, the disk is full, files change and vanish, the system gives
//! little. Nothing is ever half-written, and the next run completes.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "shared/folder.rs"]
mod folder;

use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use folder::names_in;
use polyset::{Image, Scene};

const PROGRAM: &str = env!("CARGO_BIN_EXE_polyset");

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

/// The command with these words, blanks between them, in a folder.
fn polyset(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(words.split_whitespace()).stderr(Stdio::piped());
    command
}

/// The same under a limit that the shell sets.
fn limited(folder: &Path, limit: &str, words: &str) -> Output {
    let line = format!("ulimit {limit} && exec {PROGRAM} {words}");
    Command::new("sh").current_dir(folder).args(["-c", &line]).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A picture of 600 x 600 takes long enough to be hit while it is written.
const RENDER: &str = "render bolt.mdl out.png -s 600";

#[test]
fn a_picture_is_whole_or_not_there_after_two_hundred_kills() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(sample("bolt.mdl"), folder.join("bolt.mdl")).unwrap();
    let times = (0..3).map(|_| {
        let start = Instant::now();
        assert!(polyset(folder, RENDER).status().unwrap().success());
        start.elapsed()
    });
    let whole = times.min().unwrap();
    let expected = Image::open(folder.join("out.png")).unwrap();
    fs::remove_file(folder.join("out.png")).unwrap();
    let (mut killed, mut left_behind) = (0, 0);
    for round in 0..200u32 {
        let mut child = polyset(folder, RENDER).spawn().unwrap();
        // Moments spread over the run, in no order that it could keep step with.
        std::thread::sleep(whole * (round * 61 % 200) / 190);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        killed += u32::from(status.signal() == Some(9));
        match fs::exists(folder.join("out.png")) {
            Ok(true) => {
                let picture = Image::open(folder.join("out.png"));
                assert_eq!(picture.as_ref().ok(), Some(&expected), "round {round}");
                fs::remove_file(folder.join("out.png")).unwrap();
            }
            _ => assert!(!status.success(), "round {round}"),
        }
        left_behind += names_in(folder).iter().filter(|name| name.starts_with(".polyset-")).count();
    }
    assert!(killed > 40, "{killed} of 200 were killed before they ended");
    assert!(polyset(folder, RENDER).status().unwrap().success());
    assert_eq!(names_in(folder), ["bolt.mdl", "out.png"], "{left_behind} were left and swept");
    assert_eq!(Image::open(folder.join("out.png")).unwrap(), expected);
}

#[test]
fn what_cannot_be_written_is_an_error_and_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(sample("bolt.mdl"), folder.join("bolt.mdl")).unwrap();
    if Path::new("/dev/full").exists() {
        let output = polyset(folder, "render bolt.mdl /dev/full").output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("cannot write '/dev/full'"), "{}", said(&output));
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = polyset(folder, "info bolt.mdl").stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    }
    // The disk ends in the middle of the picture: the system ends the process there.
    fs::write(folder.join("out.png"), b"").unwrap();
    let output = limited(folder, "-f 8", "render bolt.mdl out.png -s 2000");
    assert!(!output.status.success());
    assert_eq!(fs::read(folder.join("out.png")).unwrap(), b"");
    assert!(polyset(folder, "render bolt.mdl out.png -s 64").status().unwrap().success());
    assert_eq!(names_in(folder), ["bolt.mdl", "out.png"]);
    for place in ["no/such/folder/out.png", "bolt.mdl/out.png", "/proc/out.png"] {
        let output = polyset(folder, &format!("render bolt.mdl {place}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{place}");
        assert!(said(&output).contains(place), "{}", said(&output));
    }
}

#[test]
fn few_descriptors_and_little_memory_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("id1")).unwrap();
    fs::copy(sample("bolt.mdl"), folder.join("bolt.mdl")).unwrap();
    // Many archives, and no descriptor kept for any of them.
    for number in 0..40 {
        let pak = [&b"PACK\x0c\0\0\0\0\0\0\0"[..]].concat();
        fs::write(folder.join(format!("id1/pak{number}.pak")), pak).unwrap();
    }
    let output = limited(folder, "-n 12", "render bolt.mdl out.png --game . -s 64");
    assert!(output.status.success(), "{}", said(&output));
    for descriptors in 4..8 {
        let output =
            limited(folder, &format!("-n {descriptors}"), "render bolt.mdl out2.png -s 64");
        match output.status.code() {
            Some(0) => fs::remove_file(folder.join("out2.png")).unwrap(),
            code => {
                assert_eq!(code, Some(2), "{descriptors}: {}", said(&output));
                assert!(said(&output).contains("Too many open files"), "{}", said(&output));
            }
        }
    }
    // Not enough for the picture: the run ends, and no picture is there.
    let output = limited(folder, "-v 300000", "render bolt.mdl out3.png -s 16000 --threads 1");
    assert!(!output.status.success());
    assert!(!said(&output).contains("panicked"), "{}", said(&output));
    assert!(!folder.join("out2.png").exists() && !folder.join("out3.png").exists());
    assert!(polyset(folder, "render bolt.mdl out.png -s 64").status().unwrap().success());
    assert_eq!(names_in(folder), ["bolt.mdl", "id1", "out.png"]);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_a_model_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let versions: Vec<Vec<u8>> =
        ["bolt.mdl", "bolt.md2", "hand.md3"].map(|name| fs::read(sample(name)).unwrap()).to_vec();
    fs::write(&path, &versions[0]).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for version in &versions {
                    // Cut and written in place, in pieces, as a careless exporter does.
                    let mut file = fs::File::create(&path).unwrap();
                    version.chunks(50_000).for_each(|piece| file.write_all(piece).unwrap());
                    drop(file);
                    // Whole now and then, as on a machine whose disk is slower than its processor.
                    std::thread::sleep(Duration::from_micros(200));
                }
            }
        });
        let (start, mut found) = (Instant::now(), [0; 2]);
        while found.iter().sum::<u32>() < 300
            || found.contains(&0) && start.elapsed() < Duration::from_secs(60)
        {
            found[usize::from(Scene::new(&path).open().is_ok())] += 1;
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(!found.contains(&0), "{found:?}: errors and models");
    });
}

#[test]
fn signals_that_end_nothing_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(sample("bolt.mdl"), folder.join("bolt.mdl")).unwrap();
    let hash = |stop: bool| {
        let mut command = polyset(folder, "render - --hash -s 400");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let bytes = fs::read(sample("bolt.mdl")).unwrap();
        let mut input = child.stdin.take().unwrap();
        for piece in bytes.chunks(bytes.len() / 20) {
            input.write_all(piece).unwrap();
            for signal in ["STOP", "CONT", "WINCH"].iter().filter(|_| stop) {
                let id = child.id().to_string();
                Command::new("kill").args(["-s", signal, &id]).status().unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        drop(input);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        output.stdout
    };
    assert_eq!(hash(true), hash(false));
}
