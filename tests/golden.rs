//! Golden pictures: every scene of `golden/index.txt` is drawn by the command and must be equal to
//! `golden/<scene>.png`, to the last bit, on every SIMD level of the machine and with 1, 2 and 7
//! threads.
//!
//! `POLYSET_BLESS=1 cargo test --test golden` rewrites pictures and hashes and then fails on purpose
//! with the list of what changed: look at the pictures before committing them. A failure leaves
//! expected | difference | actual in `target/golden-diff/<scene>.png`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use polyset::golden::Golden;
use polyset::{Image, SimdLevel};
use rayon::prelude::*;

/// Hash of a scene that was never blessed.
const NEW: &str = "new";

/// A line of the index: `name | hash | arguments of polyset render`.
#[derive(Clone, Debug)]
struct Scene {
    name: String,
    arguments: String,
    hash: String,
}

/// The index as it stands: comments and blank lines are kept when it is rewritten.
enum Line {
    Scene(Scene),
    Text(String),
}

fn parse(index: &str) -> Vec<Line> {
    let line = |line: &str| {
        if line.trim().is_empty() || line.starts_with('#') {
            return Line::Text(line.to_owned());
        }
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, hash, arguments] = parts[..] else {
            panic!("golden/index.txt: expected 'name | hash | arguments', found '{line}'");
        };
        Line::Scene(Scene { name: name.into(), arguments: arguments.into(), hash: hash.into() })
    };
    index.lines().map(line).collect()
}

fn scenes(lines: &[Line]) -> Vec<&Scene> {
    lines
        .iter()
        .filter_map(|line| match line {
            Line::Scene(scene) => Some(scene),
            Line::Text(_) => None,
        })
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn golden() -> Golden {
    Golden::new(root().join("golden")).with_differences(root().join("target/golden-diff"))
}

impl Scene {
    /// Runs the command in the project's folder.
    fn run(&self, more: &[&str]) -> Result<String, String> {
        // As in a shell, `< FILE` at the end is the standard input.
        let (arguments, input) = match self.arguments.split_once(" < ") {
            Some((arguments, file)) => (arguments, File::open(root().join(file)).unwrap().into()),
            None => (self.arguments.as_str(), Stdio::null()),
        };
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_polyset"))
            .current_dir(root())
            .stdin(input)
            .arg("render")
            .args(arguments.split_whitespace())
            .args(more)
            .output()
            .expect("the command starts");
        if !status.success() {
            return Err(format!("{}: {status}: {}", self.name, String::from_utf8_lossy(&stderr)));
        }
        Ok(String::from_utf8_lossy(&stdout).trim().to_owned())
    }

    /// Draws the picture into a file; gives the picture and its hash. Indices stay indices, so that equal
    /// colours under other indices are a difference.
    fn draw(&self, folder: &Path) -> Result<(Image, String), String> {
        let path = folder.join(format!("{}.png", self.name));
        let hash = self.run(&["--hash", "--output", path.to_str().expect("an ASCII path")])?;
        let image = Image::open_indexed_png(&path).or_else(|_| Image::open(&path));
        Ok((image.map_err(|error| error.to_string())?, hash))
    }

    /// What is wrong with the picture, compared with the golden one.
    fn check(&self, folder: &Path) -> Result<(), String> {
        let (image, hash) = self.draw(folder)?;
        golden().blessing(false).check(&self.name, &image).map_err(|error| error.to_string())?;
        if hash != self.hash {
            return Err(format!("{}: the index says {}, drawn is {hash}", self.name, self.hash));
        }
        Ok(())
    }

    /// The levels and numbers of threads at which the picture is another.
    fn check_everywhere(&self, levels: &[String]) -> Vec<String> {
        let every_level = levels.iter().map(|level| (level.as_str(), "1"));
        let every_count = ["2", "7"].map(|threads| ("auto", threads));
        every_level
            .chain(every_count)
            .filter_map(|(level, threads)| {
                let found = self
                    .run(&["--hash", "--simd", level, "--threads", threads])
                    .unwrap_or_else(|error| error);
                let place = format!("{} with --simd {level} --threads {threads}", self.name);
                (found != self.hash).then(|| format!("{place}: {found}, not {}", self.hash))
            })
            .collect()
    }
}

/// The names of `--simd` that this machine can draw with.
fn levels() -> Vec<String> {
    let all = [SimdLevel::Auto].into_iter().chain(SimdLevel::available());
    all.map(|level| level.to_string()).collect()
}

fn index_path() -> PathBuf {
    root().join("golden/index.txt")
}

fn report(what: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{what}\n  {}\n", wrong.join("\n  "));
}

#[test]
fn pictures_are_equal_to_the_golden_ones() {
    let lines = parse(&fs::read_to_string(index_path()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    if golden().blesses() {
        bless(&lines, folder.path());
        return;
    }
    let scenes = scenes(&lines);
    let mut wrong: Vec<String> =
        scenes.par_iter().filter_map(|scene| scene.check(folder.path()).err()).collect();
    wrong.extend(unlisted(&scenes));
    report("golden pictures differ (POLYSET_BLESS=1 accepts the new ones):", &wrong);
}

#[test]
fn pictures_are_the_same_on_every_simd_level_and_number_of_threads() {
    let lines = parse(&fs::read_to_string(index_path()).unwrap());
    let levels = levels();
    let wrong: Vec<String> = scenes(&lines)
        .par_iter()
        .filter(|scene| scene.hash != NEW)
        .flat_map_iter(|scene| scene.check_everywhere(&levels))
        .collect();
    report("pictures depend on the machine:", &wrong);
}

#[test]
fn names_are_unique_and_written_in_one_way() {
    let lines = parse(&fs::read_to_string(index_path()).unwrap());
    let mut names = BTreeSet::new();
    for Scene { name, .. } in scenes(&lines) {
        assert!(names.insert(name), "{name} stands twice in golden/index.txt");
        let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        assert!(name.bytes().all(is_plain), "{name}: words of lower-case letters and dashes");
        assert!(name.len() < NAME_WIDTH, "{name} is too long");
    }
}

/// Draws all scenes anew and rewrites what is not equal. Fails with the list of it.
fn bless(lines: &[Line], folder: &Path) {
    let drawn: Vec<_> =
        scenes(lines).into_par_iter().map(|scene| (scene, scene.draw(folder))).collect();
    let mut changed = Vec::new();
    let mut hashes = Vec::new();
    for (scene, result) in drawn {
        let hash = match result {
            Err(error) => {
                changed.push(format!("not drawn: {error}"));
                scene.hash.clone()
            }
            Ok((image, hash)) => {
                let kept = golden().check(&scene.name, &image);
                if kept.is_err() || hash != scene.hash {
                    let kept = kept.err().map_or(String::new(), |error| format!(": {error}"));
                    changed.push(format!("{}: {} -> {hash}{kept}", scene.name, scene.hash));
                }
                hash
            }
        };
        hashes.push(hash);
    }
    for name in unlisted(&scenes(lines)) {
        changed.push(format!("{name} (remove it)"));
    }
    fs::write(index_path(), rewritten(lines, &hashes)).unwrap();
    report("blessed; look at the pictures, then commit:", &changed);
}

/// Room for names in the index; the arguments stand last, so that no line moves another one.
const NAME_WIDTH: usize = 26;

/// The index with new hashes.
fn rewritten(lines: &[Line], hashes: &[String]) -> String {
    let mut hashes = hashes.iter();
    let mut index = String::new();
    for line in lines {
        match line {
            Line::Text(text) => index.push_str(text),
            Line::Scene(Scene { name, arguments, .. }) => {
                let hash = hashes.next().expect("one hash per scene");
                index.push_str(&format!("{name:NAME_WIDTH$}| {hash} | {arguments}"));
            }
        }
        index.push('\n');
    }
    index
}

/// Files in `golden/` that belong to no scene.
fn unlisted(scenes: &[&Scene]) -> Vec<String> {
    let known: BTreeSet<String> =
        scenes.iter().map(|scene| format!("{}.png", scene.name)).collect();
    let mut found: Vec<String> = fs::read_dir(root().join("golden"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name != "index.txt" && !known.contains(name))
        .map(|name| format!("golden/{name} is in no scene of golden/index.txt"))
        .collect();
    found.sort();
    found
}

#[test]
fn the_index_survives_rewriting() {
    let index = "# head\n\na | 01 | model.mdl -s 8\nlonger | new | m.md2\n";
    let hashes = ["02".to_owned(), "03".to_owned()];
    assert_eq!(
        rewritten(&parse(index), &hashes),
        "# head\n\n\
         a                         | 02 | model.mdl -s 8\n\
         longer                    | 03 | m.md2\n"
    );
}
