//! `polyset explain`: games whose engines do not agree.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "shared/archive.rs"]
mod archive;
#[path = "shared/md3.rs"]
mod md3;
#[path = "shared/program.rs"]
mod program;

use std::fs;
use std::path::Path;
use std::process::Command;

use polyset::explain::RULES;
use serde_json::Value;

use program::{put, run, sample};

/// What one engine says, in the order of its files; paths below the folder, with `/`.
fn asked(folder: &Path, words: &str, engine: &str) -> Value {
    let (code, stdout, stderr) = run(folder, &format!("explain {words} --engine {engine} --json"));
    assert_eq!((code, stderr.as_str()), (0, ""), "{words} {engine}");
    let root = fs::canonicalize(folder).unwrap().display().to_string();
    let report: Value = serde_json::from_str(&stdout.replace(&format!("{root}/"), "")).unwrap();
    assert_eq!(report["polyset_explain"], 1);
    described(&report);
    report["engines"][0]["files"].clone()
}

fn described(value: &Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let is_known = include_str!("../docs/explain.md").contains(&format!("`{key}`"));
                assert!(is_known, "{key} is not described");
                described(value);
            }
        }
        Value::Array(values) => values.iter().for_each(described),
        _ => {}
    }
}

/// Name and reason of every file that lost.
fn lost(trail: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let steps = trail["steps"].as_array().unwrap().iter();
    let found = steps.flat_map(|step| step["found"].as_array().unwrap());
    let lost = found.filter(|file| file["is_taken"] == false);
    lost.map(|file| (text(&file["file"]), text(&file["why"]))).collect()
}

#[test]
fn quake_and_its_ports_do_not_take_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let member = || [("progs/bolt.mdl", sample("bolt.mdl"))];
    put(&folder.join("id1/pak0.pak"), &archive::pak(&member()));
    put(&folder.join("id1/pak1.pak"), &archive::pak(&member()));
    // Behind a gap: Quake never opens it.
    put(&folder.join("id1/pak3.pak"), &archive::pak(&member()));
    put(&folder.join("id1/progs/bolt.mdl"), &sample("bolt.mdl"));
    put(&folder.join("id1/progs/bolt.mdl_0.tga"), &sample("bolt.tga"));
    put(&folder.join("hipnotic/progs/bolt.mdl"), &sample("bolt.mdl"));

    for engine in ["quake", "quakespasm"] {
        let files = asked(folder, "--game . progs/bolt.mdl", engine);
        assert_eq!(files[0]["taken"], "id1/pak1.pak:progs/bolt.mdl", "{engine}");
        let expected = [
            ("id1/pak0.pak:progs/bolt.mdl", "of archives the higher number wins"),
            ("id1/progs/bolt.mdl", "archives come before loose files"),
        ];
        assert_eq!(lost(&files[0]), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(files[1]["why"], "it lies in the model");
        assert_eq!(files.as_array().unwrap().len(), 3, "a model with two skins");
    }
    let files = asked(folder, "--game . --mod hipnotic progs/bolt.mdl", "quake");
    assert_eq!(files[0]["taken"], "hipnotic/progs/bolt.mdl");
    assert_eq!(lost(&files[0])[0].1, "'hipnotic' comes before 'id1'");
    // A modification is known by where the model lies, too.
    let files = asked(folder, "hipnotic/progs/bolt.mdl", "quake");
    assert_eq!(lost(&files[0]).len(), 3);

    let files = asked(folder, "id1/pak0.pak:progs/bolt.mdl", "darkplaces");
    assert_eq!(files[0]["taken"], "id1/progs/bolt.mdl");
    assert_eq!(lost(&files[0]).len(), 3);
    assert_eq!(files[1]["taken"], "id1/progs/bolt.mdl_0.tga");
    assert_eq!(files[2]["taken"], Value::Null);
    assert_eq!(files[2]["steps"][0]["name"], "progs/bolt.mdl_1.tga");
}

#[test]
fn scripts_and_extensions_decide_in_quake_3() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let textures = ["textures/a/skin.tga", "textures/b/skin.jpg", "textures\\c\\skin", ""];
    put(&folder.join("baseq3/models/x.md3"), &md3::md3(&textures.map(str::to_owned)));
    put(&folder.join("baseq3/textures/a/skin.jpg"), &[]);
    put(&folder.join("baseq3/textures/b/skin.jpg"), &[]);
    put(&folder.join("baseq3/textures/b/skin.png"), &[]);
    put(&folder.join("baseq3/textures/d.tga"), &[]);
    put(&folder.join("baseq3/scripts/z.shader"), b"textures/c/skin { { map textures/e.tga } }");
    put(
        &folder.join("baseq3/scripts/a.shader"),
        b"\n// first\ntextures/C/skin\n{\n{ map textures/d.tga }\n{ map $lightmap }\n}\n",
    );
    let files = asked(folder, "baseq3/models/x.md3", "quake3");
    let taken: Vec<&Value> = files.as_array().unwrap().iter().map(|file| &file["taken"]).collect();
    assert_eq!(taken[1], "baseq3/textures/a/skin.jpg");
    assert_eq!(files[1]["steps"][0]["name"], "textures/a/skin.tga");
    assert_eq!(taken[2], "baseq3/textures/b/skin.jpg");
    assert_eq!(taken[3], "baseq3/scripts/a.shader, line 3");
    assert_eq!(
        lost(&files[3]),
        [("baseq3/scripts/z.shader, line 1".into(), "defined before".into())]
    );
    assert_eq!(taken[4], "baseq3/textures/d.tga");
    assert_eq!(files[5]["why"], "no texture is named: it is drawn without one");
    // ioquake3 knows the .png, which loses.
    let files = asked(folder, "baseq3/models/x.md3", "ioquake3");
    let loses = "a name that is tried earlier is there";
    assert_eq!(lost(&files[2]), [("baseq3/textures/b/skin.png".into(), loses.into())]);
    // What polyset does is told as it is.
    let files = asked(folder, "baseq3/models/x.md3", "polyset");
    assert_eq!(files[4]["why"], "nothing is found: it is drawn in grey");
}

/// A folder that stands for an archive is told from loose files.
#[test]
fn unpacked_archives_are_archives() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let model = || md3::md3(&["models/a".to_owned()]);
    put(&folder.join("baseq3/pak0.pk3"), b"no archive");
    put(&folder.join("baseq3/up.pk3dir/models/x.md3"), &model());
    put(&folder.join("baseq3/ua.pk3dir/models/x.md3"), &model());
    put(&folder.join("baseq3/models/x.md3"), &model());
    for (engine, expected) in [
        (
            "ioquake3",
            [
                ("baseq3/ua.pk3dir/models/x.md3", "of archives the later name wins"),
                ("baseq3/models/x.md3", "archives come before loose files"),
            ],
        ),
        (
            "darkplaces",
            [
                ("baseq3/up.pk3dir/models/x.md3", "loose files come before archives"),
                ("baseq3/ua.pk3dir/models/x.md3", "loose files come before archives"),
            ],
        ),
    ] {
        let files = asked(folder, "--game . models/x.md3", engine);
        let found = lost(&files[0]);
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())), "{engine}");
    }
}

#[test]
fn engines_are_those_of_the_format_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    put(&folder.join("baseq2/models/bolt/tris.md2"), &sample("bolt.md2"));
    put(&folder.join("baseq2/models/bolt/bolt.png"), &[]);
    let (code, stdout, _) = run(folder, "explain baseq2/models/bolt/tris.md2");
    assert_eq!(code, 0);
    let engines: Vec<&str> = stdout
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_once(':').map(|(engine, _)| engine))
        .collect();
    assert_eq!(engines, ["darkplaces", "quake2", "yquake2", "polyset"]);
    let files = asked(folder, "baseq2/models/bolt/tris.md2", "quake2");
    assert_eq!(files[1]["why"], "nothing is found: it is drawn without its skin");
    let files = asked(folder, "baseq2/models/bolt/tris.md2", "yquake2");
    assert_eq!(files[1]["taken"], "baseq2/models/bolt/bolt.png");
    let files = asked(folder, "baseq2/models/bolt/tris.md2", "doom3");
    assert_eq!(files[0]["why"], "Doom 3 does not load .md2");

    put(&folder.join("alone.md2"), &sample("bolt.md2"));
    let (code, stdout, stderr) = run(folder, "explain alone.md2 --engine quake2");
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("lies in no game"), "{stderr}");
    let (code, stdout, _) = run(folder, "explain alone.md2");
    assert!(code == 0 && stdout.starts_with("polyset: "), "{stdout}");
    for words in ["explain none.md2", "explain alone.md2 --engine quake9"] {
        assert_eq!(run(folder, words).0, 2, "{words}");
    }
}

/// The command with a file as its standard input.
fn piped(folder: &Path, words: &str, input: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
    let input = fs::File::open(folder.join(input)).unwrap();
    let command = command.current_dir(folder).args(words.split(' ')).stdin(input);
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_standard_input_is_explained_for_polyset() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    put(&folder.join("bolt.mdl"), &sample("bolt.mdl"));
    put(&folder.join("empty"), &[]);
    let (code, expected, _) = run(folder, "explain bolt.mdl --engine polyset");
    assert_eq!(code, 0);
    for words in ["explain -", "explain - --engine polyset --engine polyset"] {
        let (code, stdout, stderr) = piped(folder, words, "bolt.mdl");
        assert_eq!((code, stderr.as_str()), (0, ""), "{words}");
        // The same pictures, though not from a file.
        let last = |text: &str| text.lines().last().unwrap().to_owned();
        assert!(stdout.contains("model 'standard input'"), "{words}: {stdout}");
        assert_eq!(last(&stdout), last(&expected), "{words}");
    }
    for (words, input, expected) in [
        ("explain -", "empty", "the file is empty"),
        ("explain - --engine quake", "bolt.mdl", "has no name that an engine could look up"),
    ] {
        let (code, stdout, stderr) = piped(folder, words, input);
        assert_eq!((code, stdout.as_str()), (2, ""), "{words}");
        assert!(stderr.contains(expected), "{words}: {stderr}");
    }
}

#[test]
fn a_player_is_explained_part_by_part() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let names = ["lower", "upper", "head"];
    for name in names {
        for file in [format!("{name}.md3"), format!("{name}_default.skin")] {
            let bytes = sample(&format!("players/bolt/{file}"));
            put(&folder.join("q3/baseq3/models/players/bolt").join(file), &bytes);
        }
    }
    for (words, engine) in [
        ("--game q3 models/players/bolt", "quake3"),
        ("q3/baseq3/models/players/bolt", "quake3"),
        ("--game q3 models/players/bolt", "polyset"),
        ("q3/baseq3/models/players/bolt", "polyset"),
    ] {
        let files = asked(folder, words, engine);
        let files = files.as_array().unwrap();
        let models: Vec<&Value> =
            files.iter().filter(|file| file["what"].as_str().unwrap().ends_with("model")).collect();
        for (model, name) in models.iter().zip(names) {
            assert_eq!(model["what"], format!("{name} model"), "{words} {engine}");
            let file = format!("q3/baseq3/models/players/bolt/{name}.md3");
            assert_eq!(model["taken"], file, "{words} {engine}");
        }
        assert_eq!(models.len(), 3, "{words} {engine}");
        assert!(files.iter().any(|file| file["what"] == "head surface 'h_helmet'"), "{files:?}");
    }
    put(&folder.join("male/tris.md2"), &sample("bolt.md2"));
    put(&folder.join("male/weapon.md2"), &sample("bolt_shield.md2"));
    let files = asked(folder, "male", "polyset");
    let what: Vec<&Value> = files.as_array().unwrap().iter().map(|file| &file["what"]).collect();
    assert!(
        *what[0] == "body model" && what.iter().any(|what| **what == "weapon model"),
        "{what:?}"
    );
    let (code, _, stderr) = run(folder, "explain male --engine quake2");
    assert!(code == 2 && stderr.contains("lies in no game"), "{stderr}");
}

#[test]
fn every_rule_is_in_the_documentation() {
    let page = include_str!("../docs/explain.md");
    for rule in RULES {
        assert!(page.contains(&format!("`{}`", rule.name)), "{}", rule.name);
        assert!(page.contains(rule.title), "{}", rule.title);
        for unsure in rule.unsure {
            assert!(page.contains(unsure), "{}: {unsure}", rule.name);
        }
    }
}
