//! `polyset hash`: the smallest golden test there is.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// Code, stdout and stderr of a command in a folder.
fn run(folder: &Path, words: &str, input: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
    let command = command.current_dir(folder).args(words.split_whitespace());
    let output = command.write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn samples(folder: &Path, names: &[&str]) {
    for name in names {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name);
        fs::copy(source, folder.join(name)).unwrap();
    }
}

#[test]
fn hashes_are_those_of_render_and_can_be_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.md2", "bolt.mdl", "bolt.md5mesh"]);
    for options in ["", "-s 64", "--resolution 64,48 --color indexed", "--renderer classic -s 64"] {
        let (code, list, said) = run(folder, &format!("hash . {options}"), "");
        assert_eq!((code, said.as_str()), (0, ""), "{options}");
        assert_eq!(list.lines().count(), 3, "{options}");
        for line in list.lines() {
            let (hash, name) = line.split_once("  ").unwrap();
            let (_, rendered, _) = run(folder, &format!("render {name} --hash {options}"), "");
            assert_eq!(rendered.trim(), hash, "{options} {name}");
        }
        let (code, verdict, said) = run(folder, &format!("hash -c - {options}"), &list);
        assert_eq!((code, said.as_str()), (0, ""), "{options}");
        assert_eq!(verdict, "./bolt.md2: OK\n./bolt.md5mesh: OK\n./bolt.mdl: OK\n");
        let (code, verdict, _) = run(folder, &format!("hash -c - --quiet {options}"), &list);
        assert_eq!((code, verdict.as_str()), (0, ""), "{options}");
    }
}

#[test]
fn what_differs_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.md2", "bolt.mdl"]);
    let (_, list, _) = run(folder, "hash bolt.md2 bolt.mdl -s 32", "");
    fs::write(folder.join("golden.txt"), &list).unwrap();
    let (code, verdict, said) = run(folder, "hash -c golden.txt -s 33", "");
    assert_eq!((code, verdict.matches("FAILED (expected ").count()), (1, 2), "{said}");
    assert!(said.contains("of 2 pictures 2 have another hash, 0 could not be drawn"), "{said}");
    fs::remove_file(folder.join("bolt.md2")).unwrap();
    let (code, verdict, said) = run(folder, "hash -c golden.txt -s 32", "");
    assert_eq!((code, verdict.as_str()), (1, "bolt.md2: FAILED to draw\nbolt.mdl: OK\n"));
    assert!(said.contains("'bolt.md2'") && said.contains("1 could not be drawn"), "{said}");
    fs::write(folder.join("broken.md2"), b"IDP2").unwrap();
    let (code, list, said) = run(folder, "hash broken.md2 bolt.mdl -s 32", "");
    assert_eq!((code, list.lines().count()), (1, 1), "{said}");
    assert_eq!(run(folder, "hash broken.md2", "").0, 2);
    for (words, text, why) in [
        ("hash -c -", "", "has no hashes"),
        ("hash -c -", "0123  a.md2\n", "line 1: expected 16 hexadecimal digits"),
        ("hash -c -", "+123456789abcdef  a.md2\n", "line 1"),
        ("hash -c -", "0123456789abcdef a.md2\n", "two blanks and a name"),
        ("hash -c missing.txt", "", "cannot read 'missing.txt'"),
        ("hash -c golden.txt bolt.mdl", "", "give no INPUT beside it"),
        ("hash", "", "nothing to draw"),
        ("hash missing.md2", "", "missing.md2"),
        ("hash bolt.mdl --subdivision on", "", "needs --renderer classic"),
    ] {
        let (code, _, said) = run(folder, words, text);
        assert!(code == 2 && said.contains(why), "{words} {text}: {said}");
    }
}
