//! What is written whole or not at all, and what is never lost.

use std::fs;
#[cfg(unix)]
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::folder::names_in;
use super::{model, open_png, polyset, run};

#[test]
fn a_refused_run_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("o.png");
    fs::write(&picture, b"old").unwrap();
    let broken = folder.path().join("broken.md2");
    let bytes = fs::read(model("bolt.md2")).unwrap();
    fs::write(&broken, &bytes[..bytes.len() / 2]).unwrap();
    let (code, _, stderr) = run(polyset(&folder).args(["render", "broken.md2", "o.png"]));
    assert_eq!(code, 2);
    assert!(stderr.starts_with("polyset: 'broken.md2': "), "{stderr}");
    assert!(stderr.contains("offset"), "{stderr}");
    assert_eq!(fs::read(&picture).unwrap(), b"old");
    // The picture is not written either if the depth cannot be.
    let mut command = polyset(&folder);
    command.args(["render", &model("bolt.md2"), "o.png", "--depth-output", "no/such/z"]);
    assert_eq!(run(&mut command).0, 2);
    assert_eq!(fs::read(&picture).unwrap(), b"old");
    assert_eq!(names_in(folder.path()), ["broken.md2", "o.png"]);
}

#[test]
fn nothing_that_was_read_and_no_other_kind_of_file_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["bolt.md2", "bolt.pcx"] {
        fs::copy(model(name), folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    fs::write(folder.path().join("old.png"), fs::read(model("bolt_paint.png")).unwrap()).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("bolt.pcx", folder.path().join("link.png")).unwrap();
    let contents = || {
        let names = names_in(folder.path());
        names
            .into_iter()
            .map(|name| fs::read(folder.path().join(name)).unwrap())
            .collect::<Vec<_>>()
    };
    let before = contents();
    for (arguments, reason) in [
        ("bolt.md2 bolt.md2", "would overwrite 'bolt.md2'"),
        ("bolt.md2 ./bolt.pcx", "polyset writes PNG"),
        ("bolt.md2 notes.txt", "no PNG picture"),
        ("bolt.md2 old.png --depth-output ./old.png", "the same file"),
        ("bolt.md2 new.png --depth-output bolt.pcx --force", "would overwrite"),
        #[cfg(unix)]
        ("bolt.md2 link.png --force", "would overwrite"),
    ] {
        let mut command = polyset(&folder);
        let (code, _, stderr) =
            run(command.args(["render", "-s", "8"]).args(arguments.split_whitespace()));
        assert_eq!(code, 2, "{arguments}: {stderr}");
        assert!(stderr.contains(reason), "{arguments}: {stderr}");
        assert!(contents() == before, "{arguments}");
    }
    for arguments in ["bolt.md2 old.png", "bolt.md2 notes.txt --force"] {
        let mut command = polyset(&folder);
        let arguments = arguments.split_whitespace();
        assert_eq!(run(command.args(["render", "-s", "8"]).args(arguments)).0, 0);
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_what_is_not_there_yet_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("pictures")).unwrap();
    let link = folder.path().join("o.png");
    std::os::unix::fs::symlink("pictures/made.png", &link).unwrap();
    let mut command = polyset(&folder);
    let (code, _, stderr) = run(command.args(["render", &model("bolt.mdl"), "o.png", "-s", "16"]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(names_in(&folder.path().join("pictures")), ["made.png"]);
    assert_eq!(names_in(folder.path()), ["o.png", "pictures"]);
}

/// Draws a large picture in an empty folder and sends a signal; says what became of the process.
#[cfg(unix)]
fn interrupted(
    folder: &TempDir,
    command: &mut std::process::Command,
    signal: &str,
    when: impl Fn(Duration) -> bool,
) -> std::process::ExitStatus {
    let start = Instant::now();
    let mut child = command
        .current_dir(folder.path())
        .env("m", model("bolt.mdl"))
        .env("polyset", env!("CARGO_BIN_EXE_polyset"))
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() && !when(start.elapsed()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut kill = std::process::Command::new("kill");
    let kill = kill.args(["-s", signal, &child.id().to_string()]);
    // It may have ended by itself.
    kill.stderr(std::process::Stdio::null()).status().unwrap();
    child.wait().unwrap()
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_a_whole_picture_or_none() {
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().unwrap();
    let is_writing = |_| names_in(folder.path()).iter().any(|name| name.starts_with(".polyset-"));
    let large = ["-c", "exec $polyset render $m o.png -s 5000 --threads 1"];
    let shell = || std::process::Command::new("sh");
    // What these tests were started to ignore, as behind `nohup`, the command ignores too.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let signals = [("INT", 2), ("TERM", 15), ("HUP", 1)];
    let heard = signals.into_iter().filter(|(_, number)| ignored >> (number - 1) & 1 == 0);
    // While it writes, then whatever the moment.
    let moments = (0..12).map(|step| Some(Duration::from_millis(step * 60)));
    let cases = heard.map(|signal| (signal, None)).chain(moments.map(|at| (("TERM", 15), at)));
    for ((signal, number), moment) in cases {
        let when = |after| moment.map_or_else(|| is_writing(after), |moment| after > moment);
        let status = interrupted(&folder, shell().args(large), signal, when);
        let case = format!("{signal} {moment:?}: {status}");
        assert!(status.success() || status.signal() == Some(number), "{case}");
        // The signal may come between the last byte and the end of the process.
        if status.success() || !names_in(folder.path()).is_empty() {
            assert_eq!(names_in(folder.path()), ["o.png"], "{case}");
            let path = folder.path().join("o.png");
            assert_eq!(open_png(&fs::read(&path).unwrap()).width(), 5000, "{case}");
            fs::remove_file(path).unwrap();
        }
    }
    // What nothing can be done against is mended by the next picture.
    let left = (0..50).find_map(|_| {
        let status = interrupted(&folder, shell().args(large), "KILL", is_writing);
        let files = names_in(folder.path());
        if files == ["o.png"] {
            fs::remove_file(folder.path().join("o.png")).unwrap();
            return None;
        }
        Some((status.signal(), files.len()))
    });
    assert_eq!(left, Some((Some(9), 1)));
    let small = ["render", &model("bolt.mdl"), "o.png", "-s", "8"];
    assert_eq!(run(polyset(&folder).args(small)).0, 0);
    assert_eq!(names_in(folder.path()), ["o.png"]);
    // A signal that the process was started to ignore, as nohup does.
    let deaf = "trap '' HUP; exec $polyset render $m o.png -s 5000 --threads 1";
    let status = interrupted(&folder, shell().args(["-c", deaf]), "HUP", is_writing);
    assert!(status.success() || cfg!(not(target_os = "linux")), "{status}");
    assert_eq!(names_in(folder.path()), ["o.png"]);
}
