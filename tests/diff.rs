//! `polyset diff` as its users meet it, and as git calls it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use polyset::diff::{ModelDiff, Tolerance, describe};
use polyset::scene::{Anims, Studio};
use polyset::{Image, Model, Renderer, Scene};
use serde_json::Value;

const POLYSET: &str = env!("CARGO_BIN_EXE_polyset");

fn sample(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)).unwrap()
}

fn run(folder: &Path, words: &str) -> (i32, String, String) {
    let mut command = Command::new(POLYSET);
    let output = command.current_dir(folder).args(words.split_whitespace()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn put(bytes: &mut [u8], at: usize, value: i32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Where a packed vertex of an MD2's frame stands.
fn md2_vertex(bytes: &[u8], frame: usize, vertex: usize) -> usize {
    let [size, frames] = [16, 56].map(|at| i32_at(bytes, at) as usize);
    frames + frame * size + 40 + 4 * vertex
}

/// An MD2 whose packed vertex 7, two corners of the seam, is 10 steps lower in frame 3.
fn moved_md2() -> Vec<u8> {
    let mut bytes = sample("bolt.md2");
    let at = md2_vertex(&bytes, 3, 7) + 2;
    bytes[at] = bytes[at].checked_sub(10).unwrap();
    bytes
}

/// A folder with the sample `name` as `old` and changed as `new`, both with its extension.
fn pair(name: &str, new: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let extension = name.rsplit_once('.').unwrap().1;
    fs::write(folder.path().join(format!("old.{extension}")), sample(name)).unwrap();
    fs::write(folder.path().join(format!("new.{extension}")), new).unwrap();
    (folder, format!("diff old.{extension} new.{extension}"))
}

/// The picture of an MD5 shows its bind pose, for which its animations are out of the way.
#[test]
fn models_are_as_before_when_they_have_been_drawn() {
    let scene = Scene::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/bolt.md5mesh"));
    let mut pair = [0, 1].map(|_| scene.open_with(Anims::All).unwrap());
    let diff = ModelDiff::between(&pair[0].model, &pair[1].model, &Tolerance::default());
    let mut studio = Studio::new(Renderer::new());
    polyset::diff::picture(&mut studio, &scene, pair.each_mut(), &diff, 1).unwrap();
    assert!(pair.iter().all(|opened| opened.model.clips().len() == 2));
}

/// What `--json` says of one pair; its keys are described.
fn json(name: &str, new: &[u8], options: &str) -> (i32, Value) {
    let (folder, words) = pair(name, new);
    let (code, stdout, stderr) = run(folder.path(), &format!("{words} --json --quiet {options}"));
    let report: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    assert_eq!(report["polyset_diff"], 1);
    assert_eq!(report["equal"], code == 0, "{report}");
    described(&report);
    (code, report["models"][0].clone())
}

fn described(value: &Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let is_known = include_str!("../docs/diff.md").contains(&format!("`{key}`"));
                assert!(is_known, "{key} is not described");
                described(value);
            }
        }
        Value::Array(values) => values.iter().for_each(described),
        _ => {}
    }
}

#[test]
fn what_changed_is_told_and_nothing_else() {
    let flags = |at: usize, value: i32, name: &str| {
        let mut bytes = sample(name);
        put(&mut bytes, at, value);
        bytes
    };
    let text = |from: &str, to: &str| {
        let text = String::from_utf8(sample("bolt.md5mesh")).unwrap();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1).into_bytes()
    };
    let texel = || {
        let mut bytes = sample("bolt.mdl");
        // The first skin is a single one, behind the header and its type.
        let at = 88 + 5 * i32_at(&bytes, 52) as usize + 9;
        bytes[at] ^= 0x0f;
        bytes
    };
    let renamed = || {
        let mut bytes = sample("bolt.md2");
        let at = md2_vertex(&bytes, 2, 0) - 16;
        bytes[at..at + 5].copy_from_slice(b"other");
        bytes
    };
    let tag = || {
        let mut bytes = sample("bolt.md3");
        let [tags, at] = [80, 96].map(|at| i32_at(&bytes, at) as usize);
        // The second tag of the third frame, 2.5 units further up.
        let z = at + 112 * (2 * tags + 1) + 64 + 8;
        let up = f32::from_le_bytes(bytes[z..z + 4].try_into().unwrap()) + 2.5;
        bytes[z..z + 4].copy_from_slice(&up.to_le_bytes());
        bytes
    };
    let last_triangle = i32_at(&sample("bolt.md2"), 32) - 1;
    let last_frame = i32_at(&sample("bolt.md2"), 40) - 1;
    let joint = "\"antenna\"\t4 ( -0.8 -8.2 22.200001 )";
    let cases: Vec<(&str, Vec<u8>, &str, &str, Value)> = vec![
        ("bolt.md2", sample("bolt.md2"), "", "", Value::Null),
        ("bolt.md2", moved_md2(), "frames", "/0/vertices/moved", 2.into()),
        ("bolt.md2", moved_md2(), "frames", "/0/numbers", vec![3, 3].into()),
        ("bolt.md2", renamed(), "frames", "/0/change", "renamed".into()),
        (
            "bolt.md2",
            flags(32, last_triangle, "bolt.md2"),
            "surfaces",
            "/0/triangles_removed",
            1.into(),
        ),
        ("bolt.md2", flags(40, last_frame, "bolt.md2"), "frames", "/0/change", "removed".into()),
        ("bolt.mdl", flags(76, 8, "bolt.mdl"), "header", "/0/values/1", "8 (rotate)".into()),
        ("bolt.mdl", texel(), "skins", "/0/texels/0/differing", 1.into()),
        ("bolt.mdl", texel(), "skins", "/0/texels/0/at", vec![9, 5].into()),
        ("bolt.md3", tag(), "tags", "/0/distance", 2.5.into()),
        ("bolt.md3", tag(), "tags", "/0/distance_frame", 2.into()),
        (
            "bolt.md5mesh",
            text(joint, &joint.replace("-8.2", "-5.2")),
            "joints",
            "/0/distance",
            3.into(),
        ),
    ];
    for (name, new, part, at, expected) in cases {
        let (code, model) = json(name, &new, "");
        let diff = &model["diff"];
        let what = format!("{name} {part}{at}: {diff:#}");
        assert_eq!(code, i32::from(!part.is_empty()), "{what}");
        for (key, value) in diff.as_object().unwrap() {
            let is_list = value.is_array() && !["formats", "counts", "bounds"].contains(&&**key);
            // A frame that is gone, and a joint that moved, change other things too.
            let follows = matches!((part, &**key), ("frames", "clips") | ("joints", _));
            let is_told = is_list && value != &Value::Array(Vec::new());
            assert!(!is_told || key == part || follows, "{key}: {what}");
        }
        if !part.is_empty() {
            let found = diff[part].pointer(at).unwrap_or_else(|| panic!("{what}"));
            let is_equal = match (found.as_f64(), expected.as_f64()) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-5,
                _ => *found == expected,
            };
            assert!(is_equal, "{what}");
        }
    }
}

#[test]
fn weights_and_animations_of_a_skeleton_are_compared() {
    let text = String::from_utf8(sample("bolt.md5mesh")).unwrap();
    let weight = text.lines().find(|line| line.trim_start().starts_with("weight ")).unwrap();
    let mut words: Vec<&str> = weight.split_whitespace().collect();
    words[3] = "0.25";
    let (code, model) =
        json("bolt.md5mesh", text.replacen(weight, &words.join(" "), 1).as_bytes(), "");
    assert_eq!((code, &model["diff"]["surfaces"][0]["weights"]["vertices"]), (1, &1.into()));

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let anim = String::from_utf8(sample("bolt_walk.md5anim")).unwrap();
    for (side, rate) in [("old", "frameRate 24"), ("new", "frameRate 12")] {
        fs::create_dir(folder.join(side)).unwrap();
        fs::write(folder.join(side).join("bolt.md5mesh"), &text).unwrap();
        let line = anim.lines().find(|line| line.starts_with("frameRate")).unwrap();
        fs::write(folder.join(side).join("walk.md5anim"), anim.replacen(line, rate, 1)).unwrap();
    }
    let (code, stdout, _) = run(folder, "diff old new");
    assert_eq!(code, 1);
    assert!(stdout.contains("clip      'walk', seconds "), "{stdout}");
    assert!(stdout.ends_with("\n0 equal, 1 different\n"), "{stdout}");
}

#[test]
fn tolerances_hold_for_what_they_name() {
    let (moved, texels) = (moved_md2(), {
        let mut bytes = sample("bolt.mdl");
        bytes[88] ^= 1;
        bytes
    });
    let (_, model) = json("bolt.md2", &moved, "");
    let largest = model["diff"]["frames"][0]["vertices"]["largest"].as_f64().unwrap();
    let (_, model) = json("bolt.mdl", &texels, "");
    let worst = model["diff"]["skins"][0]["texels"][0]["worst"].as_u64().unwrap();
    assert!(worst > 0);
    for (name, new, options, code) in [
        ("bolt.md2", &moved, format!("--tolerance {}", largest * 0.99), 1),
        ("bolt.md2", &moved, format!("--tolerance {}", largest * 1.01), 0),
        ("bolt.mdl", &texels, format!("--threshold {}", worst - 1), 1),
        ("bolt.mdl", &texels, format!("--threshold {worst}"), 0),
        ("bolt.mdl", &texels, "--tolerance 9 --angle-tolerance 9".to_owned(), 1),
    ] {
        let (found, model) = json(name, new, &options);
        assert_eq!(found, code, "{name} {options}");
        let is_tolerated = model["notes"].to_string().contains("by no more than is tolerated");
        assert_eq!(is_tolerated, code == 0, "{name} {options}: {model}");
    }
}

#[test]
fn one_model_in_two_formats_is_compared_as_far_as_it_goes() {
    let [mdl, md2] = ["bolt.mdl", "bolt.md2"].map(|name| Model::from_vec(sample(name)).unwrap());
    let diff = ModelDiff::between(&mdl, &md2, &Tolerance { distance: 0.3, ..Tolerance::default() });
    assert!(!diff.is_equal());
    // The same clip in both, packed differently: `run3` is `run03`.
    let moved: Vec<_> = diff.frames.iter().filter(|frame| frame.vertices.is_some()).collect();
    let is_run = |name: &Option<String>| name.as_ref().is_some_and(|name| name.starts_with("run"));
    assert!(diff.counts[0].frames > 20 && !moved.iter().any(|frame| is_run(&frame.names[0])));
    assert_eq!(diff.surfaces[0].vertices_added + diff.surfaces[0].vertices_removed, 0);
}

#[test]
fn folders_are_paired_by_name_and_broken_models_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, bytes) in [
        ("old/a.md2", sample("bolt.md2")),
        ("new/a.md2", moved_md2()),
        ("old/b/same.mdl", sample("bolt.mdl")),
        ("new/b/same.mdl", sample("bolt.mdl")),
        ("old/gone.md3", sample("bolt.md3")),
        ("new/here.md3", sample("bolt.md3")),
    ] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let (code, stdout, stderr) = run(folder, "diff old new -o out -s 32");
    assert_eq!((code, stderr.as_str()), (1, ""), "{stdout}");
    for line in ["old/a.md2 -> new/a.md2: different", "gone.md3: missing", "here.md3: new"] {
        assert!(stdout.lines().any(|found| found == line), "{line}: {stdout}");
    }
    assert!(stdout.ends_with("1 equal, 1 different, 1 missing, 1 new\n"), "{stdout}");
    let picture = Image::open(folder.join("out/a.md2.png")).unwrap();
    assert_eq!((picture.width(), picture.height()), (96, 32));
    assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), 1);

    fs::write(folder.join("new/a.md2"), &sample("bolt.md2")[..100]).unwrap();
    let (code, stdout, _) = run(folder, "diff old new");
    assert_eq!(code, 2);
    assert!(stdout.contains("a.md2: unreadable: 'new/a.md2'"), "{stdout}");
    assert!(stdout.ends_with("1 equal, 1 missing, 1 new, 1 unreadable\n"), "{stdout}");
    for words in
        ["diff old/a.md2 new/a.md2", "diff old new/here.md3", "diff old none", "diff old/a.md2"]
    {
        let (code, stdout, stderr) = run(folder, words);
        assert_eq!((code, stdout.as_str()), (2, ""), "{words}");
        assert!(stderr.starts_with("polyset: "), "{words}: {stderr}");
    }
}

#[test]
fn pictures_show_both_from_the_same_place_and_never_replace_what_was_read() {
    let (folder, words) = pair("bolt.md2", &moved_md2());
    let folder = folder.path();
    let (code, ..) = run(folder, &format!("{words} -o out.png -s 64 --quiet --frames all"));
    assert_eq!(code, 1);
    let picture = Image::open(folder.join("out.png")).unwrap();
    assert_eq!((picture.width(), picture.height()), (192, 64));
    let rgba = picture.to_rgba();
    let column = |x: usize| (0..64).map(move |y| 4 * (y * 192 + x)).map(|at| &rgba[at..at + 4]);
    let differing = (0..64).filter(|&x| !column(x).eq(column(x + 128))).count();
    // One place moved: a few columns differ, the rest is seen from exactly the same place.
    assert!((1..20).contains(&differing), "{differing}");
    fs::write(folder.join("notes.png"), "no picture").unwrap();
    for (output, part) in [("new.md2", "was read"), ("notes.png", "no PNG picture")] {
        let before = fs::read(folder.join(output)).unwrap();
        let (code, stdout, stderr) = run(folder, &format!("{words} -o {output}"));
        assert_eq!((code, stdout.as_str()), (2, ""), "{output}");
        assert!(stderr.contains(part), "{stderr}");
        assert!(fs::read(folder.join(output)).unwrap() == before);
    }
}

#[test]
fn textconv_depends_on_the_bytes_alone() {
    let (folder, _) = pair("bolt.md2", &moved_md2());
    let of = |name: &str| {
        let (code, stdout, stderr) = run(folder.path(), &format!("info --textconv {name}"));
        assert_eq!((code, stderr.as_str()), (0, ""), "{name}");
        stdout
    };
    let (old, new) = (of("old.md2"), of("new.md2"));
    assert_eq!(old, describe(&Model::from_vec(sample("bolt.md2")).unwrap()));
    let changed: Vec<&str> =
        new.lines().filter(|line| !old.lines().any(|other| other == *line)).collect();
    assert!(
        matches!(changed.as_slice(), [line] if line.starts_with("frame 3 'stand04': ")),
        "{changed:?}"
    );
}

/// git in a folder, untouched by the settings of whoever runs the test.
fn git(folder: &Path, words: &[&str]) -> (i32, String) {
    let output = Command::new("git")
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("HOME", folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.pager=cat"])
        .args(words)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.stderr.is_empty() || words[0] != "diff", "{words:?}: {output:?}");
    (output.status.code().unwrap(), text)
}

#[test]
fn git_shows_differences_of_models() {
    if Command::new("git").arg("--version").output().is_err() {
        writeln!(std::io::stderr(), "skipped: there is no git").unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let save = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    git(folder, &["init", "-q"]);
    save(".gitattributes", b"*.md[l23] diff=quake\n*.mdl diff=words\n");
    save("bolt.md2", &sample("bolt.md2"));
    save("bolt.pcx", &sample("bolt.pcx"));
    save("gone.md2", &sample("bolt_shield.md2"));
    save("bolt.mdl", &sample("bolt.mdl"));
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "models"]);
    git(folder, &["config", "diff.quake.command", &format!("'{POLYSET}' diff")]);
    git(folder, &["config", "diff.words.textconv", &format!("'{POLYSET}' info --textconv")]);
    let (code, text) = git(folder, &["diff"]);
    assert_eq!((code, text.as_str()), (0, ""));

    save("bolt.md2", &moved_md2());
    let mut turning = sample("bolt.mdl");
    put(&mut turning, 76, 8);
    save("bolt.mdl", &turning);
    fs::remove_file(folder.join("gone.md2")).unwrap();
    let (code, text) = git(folder, &["diff"]);
    assert_eq!(code, 0, "{text}");
    for part in [
        "bolt.md2: different\n  frame     3 'stand04', 2 of 1049 vertices moved",
        "gone.md2: missing\n",
        "-flags 0\n+flags 8 (rotate)\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Only with this setting git cares for the exit code.
    let trusting = format!("diff.quake.command='{POLYSET}' diff --trust-exit-code");
    let trust =
        ["-c", &trusting, "-c", "diff.quake.trustExitCode=true", "-c", "diff.trustExitCode=true"];
    let (_, text) = git(folder, &[&trust[..], &["diff", "--", "bolt.md2"]].concat());
    assert!(text.starts_with("bolt.md2: different\n"), "{text}");

    // A rename, and a model that git history holds broken: git goes on.
    git(folder, &["mv", "bolt.md2", "robot.md2"]);
    save("broken.md2", b"IDP2");
    git(folder, &["add", "-A"]);
    let (code, text) = git(folder, &["diff", "--cached", "-M"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("bolt.md2 -> robot.md2: different\n"), "{text}");
    assert!(text.contains("broken.md2: unreadable: "), "{text}");

    // The tool draws; where an attribute has a command, git runs that instead unless attributes are left out.
    let tool = format!(
        "difftool.polyset.cmd='{POLYSET}' diff \"$LOCAL\" \"$REMOTE\" --beside \"$MERGED\" -s 32 -o change.png"
    );
    git(folder, &["reset", "-q", "--hard"]);
    git(folder, &["rm", "-q", "--cached", "broken.md2"]);
    save("bolt.md2", &moved_md2());
    let run_tool = ["difftool", "-y", "-t", "polyset", "--", "bolt.md2"];
    let (_, text) = git(folder, &[&["-c", &tool], &run_tool[..]].concat());
    assert!(text.contains("frame     3 'stand04', 2 of 1049 vertices moved"), "{text}");
    assert!(!folder.join("change.png").exists(), "the command of the attribute was run");
    let empty = git(folder, &["hash-object", "-t", "tree", "/dev/null"]).1;
    let without = format!("--attr-source={}", empty.trim());
    git(folder, &[&[&*without, "-c", &tool], &run_tool[..]].concat());
    assert!(folder.join("change.png").exists());
}

#[test]
fn damaged_models_are_compared_or_refused() {
    for name in ["bolt_holey.mdl", "bolt_shield.md2", "hand.md3", "bolt.md5mesh"] {
        let bytes = sample(name);
        let whole = Model::from_vec(bytes.clone()).unwrap();
        let step = bytes.len() / 97 + 1;
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            for damaged in [damaged, bytes[..at].to_vec()] {
                let Ok(model) = Model::from_vec(damaged) else { continue };
                let _ = describe(&model);
                let there = ModelDiff::between(&whole, &model, &Tolerance::default());
                let back = ModelDiff::between(&model, &whole, &Tolerance::default());
                assert_eq!(there.is_equal(), back.is_equal(), "{name} {at}");
            }
        }
        assert!(ModelDiff::between(&whole, &whole, &Tolerance::default()).is_equal(), "{name}");
    }
}
