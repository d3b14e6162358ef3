//! Standard streams, and file names of any bytes.

use std::fs;

use assert_cmd::Command;
use tempfile::TempDir;

use super::{model, open_png, polyset, run};

#[test]
fn streams_carry_data_alone() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(model("bolt_holey.mdl")).unwrap();
    let (code, png, stderr) =
        run(polyset(&folder).args(["render", "-", "-", "-s", "32"]).write_stdin(bytes.clone()));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.starts_with("polyset: warning: standard input: "), "{stderr}");
    assert_eq!(open_png(&png).width(), 32);
    let hash = format!("{:016x}\n", open_png(&png).hash());
    for more in [&["--hash"][..], &["--hash", "o.png"], &["--hash", "--stats"]] {
        let mut command = polyset(&folder);
        command.args(["render", "-", "-s", "32"]).args(more).write_stdin(bytes.clone());
        let (code, stdout, stderr) = run(&mut command);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(String::from_utf8(stdout).unwrap(), hash, "{more:?}");
        assert_eq!(stderr.contains("kernel"), more.contains(&"--stats"), "{stderr}");
    }
    let written = fs::read(folder.path().join("o.png")).unwrap();
    assert_eq!(written, png);
}

#[cfg(unix)]
#[test]
fn file_names_may_hold_any_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    let (mesh, skin, picture) = (name(b"m\xff\xfe.md2"), name(b"s=\xff.pcx"), name(b"o\x80.png"));
    fs::copy(model("bolt.md2"), folder.path().join(mesh)).unwrap();
    fs::copy(model("bolt.pcx"), folder.path().join(skin)).unwrap();
    let mut command = polyset(&folder);
    command.arg("render").arg(mesh).arg(picture).args(["-s", "16", "--skin"]).arg(skin);
    let (code, _, stderr) = run(&mut command);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(folder.path().join(picture).is_file());
    let (code, stdout, stderr) = run(polyset(&folder).arg("info").arg(mesh));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(String::from_utf8(stdout).unwrap().contains("Quake II model"));
}

/// What a shell writes to its standard error and the exit code; `$polyset` is the command.
#[cfg(unix)]
fn shell(folder: &TempDir, script: &str) -> (i32, String) {
    let mut shell = Command::new("sh");
    shell.current_dir(folder.path()).env("polyset", env!("CARGO_BIN_EXE_polyset"));
    let (code, _, stderr) = run(shell.env("m", model("bolt.mdl")).args(["-c", script]));
    (code, stderr)
}

#[cfg(unix)]
#[test]
fn what_could_not_be_delivered_is_trouble() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        vec!["render".to_owned(), model("bolt.mdl"), "-".into(), "-s".into(), "900".into()],
        vec!["render".to_owned(), model("bolt.mdl"), "/dev/stdout".into()],
        vec!["render".to_owned(), model("bolt.mdl"), "--hash".into()],
        vec!["info".into(), model("bolt.md5mesh")],
        "animate M - --format gif -s 64 --quiet"
            .replace('M', &model("bolt.mdl"))
            .split(' ')
            .map(str::to_owned)
            .collect(),
        vec!["render".into(), "--help".into()],
        vec!["--version".into()],
    ] {
        // Whose reader has gone before the command begins.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_polyset"))
            .current_dir(folder.path())
            .args(&arguments)
            .stdout(writer)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
            .wait_with_output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments:?}: {stderr}");
        let begins = "polyset: cannot write to the standard output: Broken pipe";
        assert!(stderr.starts_with(begins), "{arguments:?}: {stderr}");
    }
    #[cfg(target_os = "linux")]
    for arguments in ["render $m -", "render $m /dev/full", "info $m", "--help"] {
        let (code, stderr) = shell(&folder, &format!("$polyset {arguments} > /dev/full"));
        assert!(code == 2 && stderr.contains("No space left"), "{arguments}: {code} {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn what_was_drawn_is_compared_without_a_file() {
    let folder = tempfile::tempdir().unwrap();
    run(polyset(&folder).args(["render", &model("bolt.mdl"), "a.png", "-s", "32"]));
    for (script, expected) in [
        ("$polyset render $m - -s 32 | $polyset compare a.png -", 0),
        ("$polyset render $m - -s 32 | $polyset compare - a.png --indices", 2),
        ("$polyset render $m - -s 32 --frame 1 | $polyset compare a.png - --diff d.png", 1),
        ("$polyset compare a.png - < /dev/null", 2),
    ] {
        let (code, stderr) = shell(&folder, script);
        assert_eq!(code, expected, "{script}: {stderr}");
    }
    assert!(folder.path().join("d.png").is_file());
    let (_, stderr) = shell(&folder, "$polyset render $m - -s 32 | $polyset compare - nothing.png");
    assert!(stderr.starts_with("polyset: cannot read 'nothing.png'"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_stream_by_its_name_in_the_file_system_is_that_stream() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = polyset(&folder);
    let (_, png, _) = run(command.args(["render", &model("bolt.mdl"), "-", "-s", "16"]));
    let old = b"what was there before, and longer than the picture ".repeat(40);
    std::os::unix::fs::symlink("/dev/stdout", folder.path().join("link.png")).unwrap();
    for (script, before, behind) in [
        ("$render /dev/stdout >> file", &old[..], ""),
        ("$render link.png >> file", &old, ""),
        ("$render /dev/fd/1 >> file", &old, ""),
        ("$render /dev/fd/3 3>> file", &old, ""),
        ("$render /dev/stderr 2>> file", &old, ""),
        ("$render /dev/stdout > file", b"", ""),
        ("$render /dev/fd/3 3> file", b"", ""),
        ("$render /dev/stdout | cat > file", b"", ""),
        ("{ printf begin; $render /dev/stdout; printf end; } > file", b"begin", "end"),
        ("{ printf begin; $render -; printf end; } > file", b"begin", "end"),
    ] {
        fs::write(folder.path().join("file"), &old).unwrap();
        let script = script.replace("$render", "$polyset render $m -s 16 -o");
        let (code, stderr) = shell(&folder, &script);
        assert_eq!((code, stderr.as_str()), (0, ""), "{script}");
        let found = fs::read(folder.path().join("file")).unwrap();
        assert!(found == [before, &png, behind.as_bytes()].concat(), "{script}");
    }
    for mixed in ["/dev/stdout --hash", "- --depth-output /dev/stdout"] {
        let (code, stderr) = shell(&folder, &format!("$polyset render $m {mixed}"));
        assert!(code == 2 && stderr.contains("mixed on the standard output"), "{mixed}: {stderr}");
    }
}
