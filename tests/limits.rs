//! `docs/limits.md` has the numbers of the code, all of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

/// Constants that are called like limits and are none of what is read or written.
const OTHERS: [&str; 2] = ["MAX_WORDS", "MAX_CORRECTION"];

/// The value of a sum of products and shifts of whole numbers.
fn value(expression: &str) -> Option<u64> {
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
    match expression.split_once("<<") {
        Some((left, right)) => Some(number(left)? << number(right)?),
        None => expression.split('*').map(number).product(),
    }
}

/// What a constant is defined as in a file: the number, or the one behind `bytes:`.
fn constant(source: &str, name: &str) -> Option<u64> {
    let line = source.lines().find(|line| line.contains(&format!("const {name}:")))?;
    let (_, definition) = line.split_once('=')?;
    let definition = definition.split_once("bytes:").map_or(definition, |(_, bytes)| bytes);
    value(definition.trim().trim_end_matches([';', '}', ' ']))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_page_has_every_limit_and_its_number() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/limits.md")).unwrap();
    let mut listed = Vec::new();
    for row in page.lines().filter(|line| line.starts_with("| ") && line.contains(".rs`")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let place: Vec<&str> = cells[3].split('`').filter(|part| !part.trim().is_empty()).collect();
        let [file, name] = place[..] else { panic!("a file and a constant: {row}") };
        let source = fs::read_to_string(root.join("src").join(file)).unwrap();
        let expected = constant(&source, name).unwrap_or_else(|| panic!("no {name} in {file}"));
        assert_eq!(cells[2].parse().ok(), Some(expected), "{row}");
        listed.push((file.to_owned(), name.to_owned()));
    }
    assert!(listed.len() > 15, "{listed:?}");
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    for path in files {
        let file =
            path.strip_prefix(root.join("src")).unwrap().to_string_lossy().replace('\\', "/");
        for line in fs::read_to_string(&path).unwrap().lines() {
            let Some((_, definition)) = line.split_once("const MAX_") else { continue };
            let name = format!("MAX_{}", definition.split(':').next().unwrap());
            let is_listed = listed.contains(&(file.clone(), name.clone()));
            assert!(is_listed || OTHERS.contains(&&*name), "{name} of {file} is not on the page");
        }
    }
}

#[test]
fn constants_are_understood() {
    for (source, expected) in [
        ("const N: u64 = 256 << 20;", Some(268_435_456)),
        ("    pub(crate) const N: Self = Self { what: \"x\", bytes: 1 << 20 };", Some(1 << 20)),
        ("const N: usize = 4_096;", Some(4096)),
        ("const N: usize = 3 * 5;", Some(15)),
        ("const NN: usize = 3;", None),
    ] {
        assert_eq!(constant(source, "N"), expected, "{source}");
    }
}
