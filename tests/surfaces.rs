//! Shader scripts, materials and alpha, through the command: what is said of them, and that no script can
//! do harm. What they look like is in `golden/`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

use archive::pak;

#[path = "shared/archive.rs"]
mod archive;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

struct Said {
    code: i32,
    stdout: String,
    stderr: String,
}

fn polyset(arguments: &[&str], folder: &Path) -> Said {
    let mut command = Command::cargo_bin("polyset").unwrap();
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A game with the cards, whose script is this.
fn game(script: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["models", "scripts", "cards"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    for name in
        ["models/cards.md3", "models/cards_default.skin", "cards/graded.tga", "cards/cutout.tga"]
    {
        fs::copy(sample("surfaces").join(name), folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("scripts/cards.shader"), script).unwrap();
    folder
}

const CARDS: &str = "models/cards.md3";

#[test]
fn info_says_which_script_decides_and_why_alpha_is_a_hole() {
    let root = sample("surfaces");
    let said = polyset(&["info", CARDS, "--json"], &root);
    let info: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let entry = |name: &str| {
        let all = info["textures"].as_array().unwrap();
        all.iter().find(|texture| texture["name"] == name).unwrap().clone()
    };
    let stages = entry("stages");
    assert_eq!((&stages["drawn"], &stages["script"]["stages"]), (&"scripted".into(), &3.into()));
    let file = stages["script"]["file"].as_str().unwrap();
    assert!(file.ends_with("scripts/cards.shader"), "{file}");
    let line = stages["script"]["line"].as_u64().unwrap() as usize;
    let text = fs::read_to_string(root.join("scripts/cards.shader")).unwrap();
    assert_eq!(text.lines().nth(line - 1), Some("cards/stages"));
    assert_eq!(entry("nodraw")["drawn"], "hidden");
    let cutout = entry("cutout");
    assert_eq!(
        (&cutout["drawn"], &cutout["script"]),
        (&"cut out".into(), &serde_json::Value::Null)
    );
    assert!(cutout["why"].as_str().unwrap().contains("% of the texels are transparent"));
    assert_eq!(entry("gloss")["drawn"], "opaque");
    assert!(entry("gloss")["why"].as_str().unwrap().contains("alpha is between 0 and 255"));
    let text = polyset(&["info", CARDS], &root).stdout;
    assert!(text.contains("scripted: 'cards/stages' in '"), "{text}");
    assert!(text.contains("hidden: 'cards/nodraw' in '"), "{text}");
}

#[test]
fn a_line_says_what_alpha_was_taken_for() {
    let root = sample("surfaces");
    let line = |more: &[&str]| {
        polyset(&[&["render", CARDS, "--hash", "-s", "32"], more].concat(), &root).stderr
    };
    let cases: [(&[&str], &str); 4] = [
        (&[], "textures with alpha: cut out 'cutout'; opaque 'gloss' (--alpha"),
        (&["--alpha", "opaque"], "textures with alpha: opaque 'cutout', 'gloss' ("),
        (&["--alpha", "test"], "textures with alpha: cut out 'cutout', 'gloss' ("),
        (&["--alpha", "blend"], "textures with alpha: blended 'cutout', 'gloss' ("),
    ];
    for (more, expected) in cases {
        let said = line(more);
        assert!(said.contains(expected) && said.lines().count() == 1, "{more:?}: {said}");
    }
    assert_eq!(line(&["--quiet"]), "");
}

#[test]
fn the_two_renderers_have_their_own_words_for_alpha() {
    let root = sample("");
    for (arguments, part) in [
        (&["bolt.md2", "--alpha", "0.5"][..], "needs --renderer classic; without it: auto,"),
        (&["bolt.md2", "--alpha", "blend", "--renderer", "classic"], "is a number from 0 to 1"),
        (&["bolt.mdl", "--alpha", "0.5", "--renderer", "classic"], "is for .md2; this is an .mdl"),
        (&["bolt.md2", "--alpha", "gloss"], "expected auto, opaque, test, blend, or a number"),
        (&["bolt.md2", "--alpha", "blend", "--alpha-test"], "say the same"),
        (&["bolt.md3", "--shader-stages", "last"], "invalid value 'last'"),
    ] {
        let said = polyset(&[&["render", "--hash", "-s", "16"], arguments].concat(), &root);
        assert!(said.code == 2 && said.stderr.contains(part), "{arguments:?}: {}", said.stderr);
    }
}

#[test]
fn scripts_are_found_in_archives_and_by_texture_roots() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| fs::read(sample("surfaces").join(name)).unwrap();
    let names = [
        CARDS,
        "models/cards_default.skin",
        "scripts/cards.shader",
        "cards/graded.tga",
        "cards/mirror.tga",
        "cards/cutout.tga",
        "cards/board.tga",
        "cards/one.tga",
        "cards/two.tga",
        "cards/three.tga",
    ];
    let members = names.map(|name| (name, read(name)));
    fs::write(folder.path().join("pak0.pak"), pak(&members)).unwrap();
    let hash = |input: &str, more: &[&str], folder: &Path| {
        let said = polyset(&[&["render", input, "--hash", "-s", "64"], more].concat(), folder);
        assert_eq!(said.code, 0, "{}", said.stderr);
        said.stdout
    };
    let expected = hash(CARDS, &[], &sample("surfaces"));
    assert_eq!(hash("pak0.pak:models/cards.md3", &[], folder.path()), expected);
    // Away from its game, with the game for a root.
    fs::copy(sample("surfaces").join(CARDS), folder.path().join("cards.md3")).unwrap();
    fs::write(folder.path().join("cards_default.skin"), read("models/cards_default.skin")).unwrap();
    let root = sample("surfaces");
    let root = ["--texture-root", root.to_str().unwrap()];
    assert_eq!(hash("cards.md3", &root, folder.path()), expected);
    let none = [root[0], root[1], "--shader-stages", "none"];
    assert_ne!(hash("cards.md3", &none, folder.path()), expected);
}

#[test]
fn what_is_odd_about_a_script_is_a_warning_with_its_line() {
    let folder = game(b"cards/add\n{\n\tfrobnicate\n\t{\n\t\tmap cards/graded\n\t\tblendFunc add\n\t\tbogus 3\n\t}\n}\n");
    let said = polyset(&["render", CARDS, "--hash", "-s", "32"], folder.path());
    assert_eq!(said.code, 0);
    for part in [
        "cards.shader': shader 'cards/add' (line 3): unknown word 'frobnicate'; left aside",
        "cards.shader': shader 'cards/add' (line 7): unknown word 'bogus'; left aside",
    ] {
        assert!(said.stderr.contains(part), "{part}: {}", said.stderr);
    }
}

#[test]
fn no_script_does_harm() {
    let whole = fs::read(sample("surfaces/scripts/cards.shader")).unwrap();
    let mut scripts: Vec<Vec<u8>> =
        (0..whole.len()).step_by(97).map(|end| whole[..end].to_vec()).collect();
    let body = |body: &str| format!("cards/add\n{{\n{body}\n}}\n").into_bytes();
    scripts.extend([
        vec![b'{'; 1 << 20],
        vec![b'}'; 1 << 20],
        b"cards/add ".repeat(100_000),
        body(&"{\nmap cards/graded\nblendFunc blend\n}\n".repeat(5_000)),
        body(&format!("{{\nmap cards/graded\n{}}}", "tcMod turb 1 1 1 1\n".repeat(20_000))),
        body(&format!("{{\nanimMap 1e30 {}\n}}", "cards/graded ".repeat(20_000))),
        body("{\nmap cards/graded\ntcMod scale 1e38 -1e38\ntcMod scroll 1e38 nan\ntcMod stretch sin 0 0 0 0\n}"),
        body("{\nmap cards/graded\nrgbGen wave noise 1e38 1e38 1e38 1e38\nalphaGen wave sin inf 0 0 0\nblendFunc blend\n}"),
        body("sort -1e30\n{\nmap \"\"\n}\n{\nmap ../../../../etc/passwd\n}\n{\nmap\n}"),
        body("sort 1e30\ncull\n{\nmap cards/graded\nblendFunc\nalphaFunc\nrgbGen\ntcMod\ntcGen\n}"),
    ]);
    for (number, script) in scripts.iter().enumerate() {
        let folder = game(script);
        let arguments =
            ["render", CARDS, "--hash", "-s", "24", "--time", "1e9", "--filter", "bilinear"];
        let said = polyset(&arguments, folder.path());
        assert_eq!(said.code, 0, "{number}: {}", &said.stderr[..said.stderr.len().min(600)]);
        assert!(!said.stderr.contains("panicked"), "{number}");
    }
}
