//! `polyset check` and `polyset bless`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "../shared/browser.rs"]
mod browser;
mod page;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use polyset::Image;
use serde_json::Value;

/// A folder with models, textures and scene files.
struct Place(tempfile::TempDir);

impl Place {
    fn new(scenes: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.path("models")).unwrap();
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
        for name in ["bolt.mdl", "bolt.md2", "bolt.pcx", "bolt.md3", "bolt_paint.png", "hand.md3"] {
            fs::copy(samples.join(name), place.path("models").join(name)).unwrap();
        }
        place.write("scenes.toml", scenes);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Stdout and stderr of a command that ends with this code.
    fn run(&self, words: &str, code: i32) -> (String, String) {
        self.run_in(words, code, &[])
    }

    fn run_in(&self, words: &str, code: i32, variables: &[(&str, &str)]) -> (String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
        command.current_dir(self.0.path()).args(words.split_whitespace()).env_remove("CI");
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert_eq!(output.status.code(), Some(code), "{words}:\n{stdout}{stderr}");
        (stdout, stderr)
    }

    fn check(&self, code: i32) -> String {
        self.run("check scenes.toml --no-report", code).0
    }

    /// Every texel of the texture of `bolt.md2` becomes its neighbour.
    fn repaint(&self) {
        let path = self.path("models/bolt.pcx");
        let mut bytes = fs::read(&path).unwrap();
        // Behind the header, before the palette: runs and texels below them.
        let end = bytes.len() - 769;
        bytes[128..end].iter_mut().filter(|byte| **byte < 0xc0).for_each(|byte| *byte ^= 1);
        fs::write(path, bytes).unwrap();
    }
}

const TWO: &str = "\
# Kept as it is.
[defaults]
size = 48

[[scene]]
name = \"picture\"
model = \"models/bolt.md2\"
reference = \"golden/{name}.png\"

[[scene]]
name = \"hash\"
model = \"models/bolt.mdl\"
hash = \"new\"   # of the picture

[[scene]]
name = \"line-{stem}\"
model = \"models/bolt.md3\"
hashes = \"hashes.txt\"
matrix = { camera_azimuth_angle = [0, 90] }
";

#[test]
fn pictures_are_kept_compared_and_what_has_changed_is_told() {
    let place = Place::new(TWO);
    let said = place.check(1);
    assert!(
        said.contains("new picture: there is no 'golden/picture.png' yet; polyset render"),
        "{said}"
    );
    assert!(said.ends_with("0 passed, 0 failed, 4 new\n"), "{said}");
    // Nothing is kept unasked, nor where nobody looks.
    let (_, said) = place.run("bless scenes.toml", 1);
    assert!(said.contains("nothing was kept"), "{said}");
    let (_, said) = place.run_in("bless scenes.toml --all", 2, &[("CI", "true")]);
    assert!(said.contains("--force"), "{said}");
    assert!(!place.path("golden").exists() && place.read("scenes.toml") == TWO);
    place.run("bless scenes.toml picture", 0);
    assert!(place.check(1).ends_with("1 passed, 0 failed, 3 new\n"));
    place.run_in("bless scenes.toml --all --force", 0, &[("CI", "true")]);
    assert_eq!(place.check(0), "4 passed, 0 failed\n");
    let scenes = place.read("scenes.toml");
    let lines: Vec<(&str, &str)> =
        TWO.lines().zip(scenes.lines()).filter(|(old, new)| old != new).collect();
    assert_eq!(lines.len(), 1, "{scenes}");
    assert!(lines[0].1.ends_with("\"   # of the picture"), "{scenes}");
    assert_eq!(place.read("hashes.txt").lines().count(), 2);
    // The command of a failure draws what it is about.
    place.repaint();
    let said = place.check(1);
    let line = said.lines().next().unwrap();
    assert!(
        line.starts_with("failed picture: ") && line.contains("'models/bolt.pcx' has changed"),
        "{said}"
    );
    assert!(said.ends_with("3 passed, 1 failed\n"), "{said}");
    let words = line.split_once("polyset ").unwrap().1;
    let drawn = place.run(&format!("{words} --hash"), 0).0;
    place.run("bless scenes.toml --all", 0);
    let manifest = place.read("scenes.manifest.jsonl");
    assert!(manifest.contains(drawn.trim()), "{drawn} is not in\n{manifest}");
    assert_eq!(place.check(0), "4 passed, 0 failed\n");
    // From elsewhere it is the same.
    let scenes = place.path("scenes.toml").display().to_string();
    let elsewhere = Place::new("");
    assert_eq!(elsewhere.run(&format!("check {scenes} --no-report"), 0).0, "4 passed, 0 failed\n");
    let other = TWO.replace("size = 48", "size = 49");
    place.write("scenes.toml", &other);
    assert!(place.check(1).contains("the scene is said in another way"));
}

#[test]
fn a_hash_is_written_and_nothing_else_of_the_file() {
    let scene = |name: &str, hash: &str| {
        format!(
            "[[scene]]\nname   = \"{name}\" # mine\nmodel=\"models/hand.md3\"\nsize = 0x10\n  hash = {hash}\t# of it\n"
        )
    };
    let text = ["\"new\"", "'new'", "\"\"\"new\"\"\""].map(|hash| scene("NAME", hash)).concat();
    let text = text.replacen("NAME", "a", 1).replacen("NAME", "b", 1).replacen("NAME", "ü", 1);
    for (name, text) in [
        ("plain", text.clone()),
        ("CRLF", text.replace('\n', "\r\n")),
        ("mixed", text.replacen('\n', "\r\n", 3)),
        ("BOM", format!("\u{feff}{text}")),
        ("no last line end", text.trim_end().to_owned()),
    ] {
        let place = Place::new(&text);
        place.run("bless scenes.toml b", 0);
        place.run("bless scenes.toml --all", 0);
        assert_eq!(place.check(0), "3 passed, 0 failed\n", "{name}");
        let manifest = place.read("scenes.manifest.jsonl");
        let hash = manifest.split_once("\"picture\":\"").unwrap().1[..16].to_owned();
        let kept = format!("\"{hash}\"");
        let expected = text.replace("\"\"\"new\"\"\"", &kept).replace("\"new\"", &kept);
        assert_eq!(place.read("scenes.toml"), expected.replace("'new'", &kept), "{name}");
    }
}

#[test]
fn a_known_failure_must_fail() {
    let known =
        "[[scene]]\nname = \"a\"\nmodel = \"models/bolt.md2\"\nsize = 32\nreference = \"a.png\"\n";
    let place = Place::new(known);
    place.run("bless scenes.toml a", 0);
    let reference = fs::read(place.path("a.png")).unwrap();
    place.write("scenes.toml", &format!("{known}known-failure = \"the nose is too long\"\n"));
    let said = place.check(1);
    assert!(said.starts_with("fixed a: it is as it should be: remove known_failure"), "{said}");
    place.repaint();
    let said = place.check(0);
    assert!(said.starts_with("known a: the nose is too long ("), "{said}");
    assert!(said.ends_with("0 passed, 0 failed, 1 known\n"), "{said}");
    place.run("bless scenes.toml --all", 0);
    assert!(fs::read(place.path("a.png")).unwrap() == reference, "a known failure was kept");
    fs::remove_file(place.path("models/bolt.md2")).unwrap();
    assert!(place.check(0).starts_with("known a: the nose is too long (cannot read"));
}

#[test]
fn a_known_failure_without_a_reference_is_not_kept() {
    for reference in ["reference = \"a.png\"", "hash = \"new\"", "hashes = \"a.sums\""] {
        let place = Place::new(&format!(
            "[[scene]]\nname = \"a\"\nmodel = \"models/bolt.md2\"\nsize = 32\n{reference}\n\
             known_failure = \"the nose is too long\"\n"
        ));
        let before = place.read("scenes.toml");
        assert!(place.check(1).contains("a known failure is not kept"), "{reference}");
        let (_, said) = place.run("bless scenes.toml --all", 1);
        assert!(said.contains("0 kept"), "{reference}: {said}");
        assert_eq!(place.read("scenes.toml"), before);
        for file in ["a.png", "a.sums", "scenes.manifest.jsonl"] {
            assert!(!place.path(file).exists(), "{reference}: {file}");
        }
    }
}

#[test]
fn references_that_nobody_asks_for_are_told_and_pruned() {
    let scene = |name: &str| {
        format!(
            "[[scene]]\nname = \"{name}\"\nmodel = \"models/hand.md3\"\nsize = 16\nreference = \"golden/{{name}}.png\"\n"
        )
    };
    let place = Place::new(&["a", "b", "c"].map(scene).concat());
    place.run("bless scenes.toml --all", 0);
    place.write("scenes.toml", &scene("a"));
    let said = place.check(0);
    assert!(said.contains("gone b: ") && said.ends_with("1 passed, 0 failed, 2 gone\n"), "{said}");
    // Somebody has put another picture there.
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    fs::copy(samples.join("bolt_paint.png"), place.path("golden/c.png")).unwrap();
    let (_, said) = place.run("bless scenes.toml --prune", 0);
    assert!(said.contains("'golden/c.png' is left") && said.contains("2 pruned"), "{said}");
    assert!(place.path("golden/a.png").exists() && place.path("golden/c.png").exists());
    assert!(!place.path("golden/b.png").exists());
    assert_eq!(place.check(0), "1 passed, 0 failed\n");
}

#[test]
fn what_another_scene_file_keeps_is_not_pruned() {
    for reference in ["golden/{name}.png", "all.sums"] {
        let key = if reference == "all.sums" { "hashes" } else { "reference" };
        let scene = |name: &str| {
            format!(
                "[[scene]]\nname = \"{name}\"\nmodel = \"models/hand.md3\"\nsize = 16\n{key} = \"{reference}\"\n"
            )
        };
        let place = Place::new(&["a", "b", "c"].map(scene).concat());
        place.run("bless scenes.toml --all", 0);
        place.write("scenes.toml", &scene("a"));
        place.write("others.toml", &scene("b"));
        place.run("bless others.toml --all", 0);
        place.run("bless scenes.toml --prune", 0);
        assert_eq!(place.run("check others.toml --no-report", 0).0, "1 passed, 0 failed\n");
        assert_eq!(place.check(0), "1 passed, 0 failed\n", "what is gone is told once");
        assert!(!place.path("golden/c.png").exists());
        if key == "hashes" {
            assert_eq!(place.read("all.sums").lines().count(), 2);
        }
        // Nothing is removed where it is not known who keeps it.
        place.write("scenes.toml", "");
        place.write("third.manifest.jsonl", "nonsense\n");
        let (_, said) = place.run("bless scenes.toml --prune", 2);
        assert!(said.contains("third.manifest.jsonl', line 1"), "{said}");
        assert_eq!(place.path("golden/a.png").exists(), key == "reference");
    }
}

#[test]
fn two_scene_files_share_a_file_of_hashes() {
    let scene = |name: &str| {
        format!(
            "[[scene]]\nname = \"{name}\"\nmodel = \"models/hand.md3\"\nsize = 16\nhashes = \"all.sums\"\n"
        )
    };
    let place = Place::new(&["a", "b"].map(scene).concat());
    place.write("others.toml", &scene("c"));
    for file in ["scenes.toml", "others.toml"] {
        place.run(&format!("bless {file} --all"), 0);
    }
    let names = || {
        let sums = place.read("all.sums");
        sums.lines().map(|line| line[18..].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["a", "b", "c"]);
    assert_eq!(place.check(0), "2 passed, 0 failed\n");
    place.write("scenes.toml", &scene("a"));
    let said = place.check(0);
    assert!(said.contains("gone b: ") && said.ends_with("1 passed, 0 failed, 1 gone\n"), "{said}");
    let (_, said) = place.run("bless scenes.toml --prune", 0);
    assert!(said.contains("1 pruned"), "{said}");
    assert_eq!(names(), ["a", "c"], "the other file's lines are its own");
    place.run("check others.toml", 0);
}

#[test]
fn nothing_of_somebody_else_is_replaced() {
    let place = Place::new(
        "[[scene]]\nname = \"a\"\nmodel = \"models/bolt.mdl\"\nsize = 16\nreference = \"mine.png\"\n",
    );
    fs::copy(place.path("models/bolt_paint.png"), place.path("mine.png")).unwrap();
    let before = fs::read(place.path("mine.png")).unwrap();
    let said = place.check(1);
    assert!(said.contains("expected 640 x 328 pixels, found 16 x 16"), "{said}");
    let (_, said) = place.run("bless scenes.toml a", 2);
    assert!(said.contains("was not drawn by polyset"), "{said}");
    assert!(fs::read(place.path("mine.png")).unwrap() == before);
    place.run("bless scenes.toml a --force", 0);
    assert_eq!(place.check(0), "1 passed, 0 failed\n");
    let both = "[[scene]]\nname = \"{stem}\"\nmodel = [\"models/bolt.mdl\", \"models/hand.md3\"]\n\
                size = 16\nreference = \"one.png\"\n";
    place.write("scenes.toml", both);
    let (_, said) = place.run("bless scenes.toml --all", 2);
    assert!(said.contains("'bolt' and 'hand' have one reference"), "{said}");
    assert!(!place.path("one.png").exists());
    // Neither if one of them is as it was.
    for name in ["bolt", "hand"] {
        place.run(&format!("bless scenes.toml {name}"), 0);
        let before = fs::read(place.path("one.png")).unwrap();
        let (_, said) = place.run("bless scenes.toml --all", 2);
        assert!(said.contains("have one reference and are different"), "{said}");
        assert!(fs::read(place.path("one.png")).unwrap() == before);
    }
    // No report takes the place of other files.
    fs::create_dir(place.path("mine")).unwrap();
    place.write("mine/index.html", "<html>");
    let (_, said) = place.run("check scenes.toml --report mine", 2);
    assert!(said.contains("holds no report of polyset"), "{said}");
    assert_eq!(place.read("mine/index.html"), "<html>");
}

#[test]
fn a_file_without_scenes_is_trouble() {
    for text in ["", "# [[scene]]\n", "defaults.size = 64\n"] {
        let (_, said) = Place::new(text).run("check scenes.toml", 2);
        assert!(said.contains("'scenes.toml' has no scenes"), "{said}");
    }
}

#[test]
fn trouble_of_one_scene_is_that_of_one_scene() {
    let place = Place::new(
        "[defaults]\nsize = 16\nreference = \"{name}.png\"\n\
         [[scene]]\nname = \"fine\"\nmodel = \"models/bolt.mdl\"\n",
    );
    place.run("bless scenes.toml --all", 0);
    let mut scenes = place.read("scenes.toml");
    for (name, more) in [
        ("missing", "model = \"models/nothing.mdl\""),
        ("none", "model = \"models/*.xyz\""),
        ("clip", "model = \"models/bolt.md2\"\nanimation = \"fly\""),
        ("truncated", "model = \"models/bolt.mdl\""),
        ("empty", "model = \"models/bolt.mdl\""),
        ("text", "model = \"models/bolt.mdl\""),
    ] {
        scenes += &format!("[[scene]]\nname = \"{name}\"\n{more}\n");
    }
    place.write("scenes.toml", &scenes);
    let png = fs::read(place.path("fine.png")).unwrap();
    fs::write(place.path("truncated.png"), &png[..png.len() / 2]).unwrap();
    place.write("empty.png", "");
    place.write("text.png", "no picture");
    let said = place.check(1);
    for line in [
        "broken missing: cannot read 'models/nothing.mdl'",
        "broken none: no model is called like 'models/*.xyz'",
        "broken clip: ",
        "broken truncated: ",
        "broken empty: ",
        "broken text: ",
        "1 passed, 0 failed, 6 broken",
    ] {
        assert!(said.lines().any(|found| found.starts_with(line)), "no '{line}' in\n{said}");
    }
    // Bad scene files are trouble before anything is drawn.
    place
        .write("scenes.toml", "[[scene]]\nname = \"a\"\nmodel = \"x\"\nhash = \"new\"\nsise = 3\n");
    let (_, said) = place.run("check scenes.toml", 2);
    let expected = "polyset: 'scenes.toml', line 5: there is no key 'sise'; did you mean 'size'?\n";
    assert_eq!(said, expected);
    assert!(!place.path("report").exists());
    let (_, said) = place.run("check nothing.toml", 2);
    assert!(said.contains("nothing.toml") && said.lines().count() == 1, "{said}");
    place.write("scenes.toml", "[[scene]]\nname = \"a\"\nmodel = \"x\"\nhashes = \"h.txt\"\n");
    place.write("h.txt", "0123456789abcdef  a\nnonsense\n");
    let (_, said) = place.run("check scenes.toml", 2);
    assert!(said.contains("'h.txt', line 2: expected 16 hexadecimal digits"), "{said}");
}

#[test]
fn what_is_tolerated_passes() {
    let scene =
        "[[scene]]\nname = \"a\"\nmodel = \"models/bolt.md2\"\nsize = 48\nreference = \"a.png\"\n";
    let place = Place::new(scene);
    place.run("bless scenes.toml --all", 0);
    place.repaint();
    for (more, code) in [
        ("", 1),
        ("metric = \"exact\"\nmax_differing = \"1%\"", 1),
        ("max_differing = \"100%\"", 0),
        ("threshold = 255", 0),
        ("threshold = 1", 1),
        ("ignore_region = [\"0,0,48,24\", \"0,24,48,24\"]", 0),
        ("ignore_region = \"0,0,48,24\"", 1),
        ("ignore_region = [0, 0, 48, 48]", 0),
        ("ignore_region = [0, 0, 48, 24]", 1),
        ("ignore_region = [[0, 0, 48, 24], [0, 24, 48, 24]]", 0),
    ] {
        place.write("scenes.toml", &format!("{scene}{more}\n"));
        place.check(code);
    }
}

/// Whether every scene of a report was drawn in some size, passed ones too.
fn scenes_have_sizes(json: &str) -> bool {
    let report: Value = serde_json::from_str(json).unwrap();
    report["scenes"]
        .as_array()
        .unwrap()
        .iter()
        .all(|scene| scene["size"] == serde_json::json!([48, 48]))
}

#[test]
fn reports_are_for_people_programs_and_servers() {
    let place = Place::new(TWO);
    place.run("bless scenes.toml --all", 0);
    place.repaint();
    let (said, note) = place.run("check scenes.toml --threads 1", 1);
    assert!(note.contains("'report/index.html' shows them"), "{note}");
    // In the order of the file, whatever the threads.
    let json = |words: &str| -> Value {
        let mut json: Value = serde_json::from_str(&place.run(words, 1).0).unwrap();
        for scene in json["scenes"].as_array_mut().unwrap() {
            assert!(scene.as_object_mut().unwrap().remove("milliseconds").unwrap().is_number());
        }
        json
    };
    let found = json("check scenes.toml --json --no-report --threads 1");
    assert!(found == json("check scenes.toml --json --report report --threads 2"));
    assert_eq!((&found["polyset_check"], &found["fine"]), (&1.into(), &false.into()));
    assert_eq!(found["counts"]["failed"], 1);
    let scene = &found["scenes"][0];
    assert_eq!((&scene["name"], &scene["verdict"]), (&"picture".into(), &"failed".into()));
    assert_eq!((&scene["line"], &scene["size"]), (&5.into(), &serde_json::json!([48, 48])));
    assert!(scene["differing"].as_u64().unwrap() > 10 && scene["cause"].is_string());
    let written: Value = serde_json::from_str(&place.read("report/report.json")).unwrap();
    assert_eq!(written["counts"], found["counts"]);
    let junit = place.read("report/junit.xml");
    assert!(junit.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{junit}");
    let (annotated, _) = place.run("check scenes.toml --annotate github", 1);
    let (lines, marks) = annotated.split_at(said.len());
    assert_eq!(lines, said);
    assert!(
        marks.starts_with("::error file=scenes.toml,line=5,title=failed picture::failed picture: "),
        "{marks}"
    );
    assert!(marks.contains(" %25)") || marks.contains("%25"), "{marks}");
    // JSON stays JSON: the marks go beside it.
    let (plain, marked) = place.run("check scenes.toml --json --annotate github", 1);
    assert!(serde_json::from_str::<Value>(&plain).is_ok(), "{plain}");
    assert!(marked.contains(marks), "{marked}");
    assert!(scenes_have_sizes(&plain), "{plain}");
    // A report that cannot be written takes nothing along but the exit code.
    place.write("file", "");
    for folder in ["file/report", "file"] {
        let why = format!("cannot write '{folder}': ");
        for words in ["check scenes.toml", "check scenes.toml --json", "bless scenes.toml"] {
            let (lines, error) = place.run(&format!("{words} --report {folder}"), 2);
            assert!(error.contains(&why), "{words}: {error}");
            assert!(lines.contains("picture"), "{words}: {lines}");
        }
    }
    let (one, _) = place.run("check scenes.toml line* --no-report", 0);
    assert_eq!(one, "2 passed, 0 failed\n");
    let page = place.read("report/index.html");
    for elsewhere in ["http:", "https:", "src=\"/", "<link", "@import"] {
        assert!(!page.contains(elsewhere), "the page needs {elsewhere}");
    }
    assert!(Image::open(place.path("golden/picture.png")).is_ok());
}
