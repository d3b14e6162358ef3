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

/// Names of files hold any bytes; a line of the list has one, all the same.
#[cfg(unix)]
#[test]
fn every_name_can_be_checked() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    samples(folder.path(), &["bolt.md2"]);
    let names: [&[u8]; 5] = [b"a\nb.md2", b"c\\\r.md2", b"d\\n.md2", b"\xff e.md2", b"  f.md2"];
    for name in names {
        let copy = folder.path().join(OsStr::from_bytes(name));
        fs::copy(folder.path().join("bolt.md2"), copy).unwrap();
    }
    let hash = |words: &[&str], input: Vec<u8>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
        let command = command.current_dir(folder.path()).arg("hash").args(words);
        command.args(["-s", "16"]).write_stdin(input).output().unwrap()
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
    let command = command.current_dir(folder.path()).args(["hash", "-s", "16"]);
    let list = command.args(names.map(OsStr::from_bytes)).output().unwrap().stdout;
    let expected: [&[u8]; 5] =
        [br"a\nb.md2", br"c\\\r.md2", br"d\n.md2", b"\xff e.md2", b"  f.md2"];
    let lines: Vec<&[u8]> = list.split(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 6);
    for ((line, expected), is_escaped) in lines.iter().zip(expected).zip([1, 1, 0, 0, 0]) {
        assert_eq!(&line[..is_escaped], &br"\"[..is_escaped]);
        assert_eq!(&line[is_escaped + 18..], expected);
    }
    let verdict = hash(&["-c", "-"], list);
    let text = String::from_utf8_lossy(&verdict.stdout).into_owned();
    assert_eq!((verdict.status.code(), text.matches(": OK\n").count()), (Some(0), 5), "{text}");
    for line in [r"\0123456789abcdef  a\x", r"\0123456789abcdef  a\", r"\\0123456789abcdef  a"] {
        let verdict = hash(&["-c", "-"], line.into());
        assert_eq!(verdict.status.code(), Some(2), "{line}");
    }
}

/// What `hash` tells of a game can be kept beside it and checked with any copy.
#[test]
fn models_of_a_game_have_their_names_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for game in ["one", "two"] {
        let models = folder.join(game).join("id1/progs");
        fs::create_dir_all(&models).unwrap();
        samples(&models, &["bolt.mdl", "bolt_holey.mdl"]);
        fs::write(folder.join(game).join("id1/pak0.pak"), pak("progs/packed.mdl", "bolt.mdl"))
            .unwrap();
    }
    let names = ["progs/bolt.mdl", "progs/bolt_holey.mdl", "progs/packed.mdl"];
    let absolute = folder.join("one").display().to_string();
    let (_, list, _) = run(folder, "hash --game one -s 32", "");
    for words in ["--game one", "--game two", "--game one progs", &format!("--game {absolute}")] {
        let (code, found, said) = run(folder, &format!("hash {words} -s 32"), "");
        assert_eq!((code, said.as_str()), (0, ""), "{words}");
        let mut named: Vec<&str> = found.lines().map(|line| &line[18..]).collect();
        named.sort_unstable();
        assert_eq!((named.as_slice(), &found), (&names[..], &list), "{words}");
    }
    let other = folder.join("two/id1/progs");
    samples(&folder.join("two/id1"), &["bolt_holey.mdl"]);
    fs::rename(folder.join("two/id1/bolt_holey.mdl"), other.join("bolt.mdl")).unwrap();
    let (code, verdict, _) = run(folder, "hash -c - --game two -s 32", &list);
    assert_eq!(code, 1);
    assert!(verdict.contains("progs/bolt.mdl: FAILED (expected"), "{verdict}");
    assert!(verdict.contains("progs/packed.mdl: OK"), "{verdict}");
    assert_eq!(run(folder, "hash -c - --game one -s 32", &list).0, 0);
    // What is no name in the game stays what it is called.
    let (_, list, _) = run(folder, "hash --game one ./one/id1/progs -s 32", "");
    assert!(list.contains("  ./one/id1/progs/bolt.mdl\n"), "{list}");
}

/// An archive of Quake with one file.
fn pak(name: &str, sample: &str) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(sample);
    let bytes = fs::read(source).unwrap();
    let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let mut entry = name.as_bytes().to_vec();
    entry.resize(56, 0);
    let head = [b"PACK", &number(12 + bytes.len())[..], &number(64)].concat();
    [head, bytes.clone(), entry, number(12).to_vec(), number(bytes.len()).to_vec()].concat()
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
        // Errors that name the model are not told with its name once more.
        ("hash missing.md2", "", "polyset: cannot read 'missing.md2'"),
        ("hash bolt.mdl --frame 99", "", "polyset: 'bolt.mdl': --frame 99"),
        ("hash bolt.mdl --subdivision on", "", "needs --renderer classic"),
    ] {
        let (code, _, said) = run(folder, words, text);
        assert!(code == 2 && said.contains(why), "{words} {text}: {said}");
    }
}
