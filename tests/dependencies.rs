//! What polyset depends on: each package offers a licence of a short list, and is the same for the command as for its
//! tests.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use serde_json::Value;

/// Licences without conditions that a user of polyset would have to know; `deny.toml` has the same list.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether an expression of `AND`, `OR`, brackets and names can be met with the allowed ones.
fn is_met(expression: &str) -> bool {
    // Older packages write `MIT/Apache-2.0`.
    let expression = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let expression = expression.replace(" WITH ", "\u{1}");
    let words: Vec<String> =
        expression.split_whitespace().map(|word| word.replace('\u{1}', " WITH ")).collect();
    let mut words = words.iter().map(String::as_str).peekable();
    any(&mut words)
}

fn any<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> bool {
    let mut met = all(words);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words);
    }
    met
}

fn all<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> bool {
    let mut met = one(words);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words);
    }
    met
}

fn one<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> bool {
    match words.next() {
        Some("(") => {
            let met = any(words);
            assert_eq!(words.next(), Some(")"));
            met
        }
        Some(name) => ALLOWED.contains(&name),
        None => false,
    }
}

/// The machine that the tests run on, as cargo calls it.
fn host() -> &'static str {
    match (std::env::consts::ARCH, std::env::consts::OS) {
        ("aarch64", "linux") => "aarch64-unknown-linux-gnu",
        ("aarch64", "macos") => "aarch64-apple-darwin",
        ("x86_64", "macos") => "x86_64-apple-darwin",
        ("x86_64", "windows") => "x86_64-pc-windows-msvc",
        _ => "x86_64-unknown-linux-gnu",
    }
}

fn cargo(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs")
}

#[test]
fn every_dependency_has_a_licence_that_suits() {
    let metadata = ["metadata", "--format-version", "1", "--locked"];
    // What other systems alone need was not fetched by the build: without network it is not checked.
    let mut output = cargo(&metadata);
    if !output.status.success() {
        output = cargo(&[&metadata[..], &["--offline", "--filter-platform", host()]].concat());
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50, "{}", packages.len());
    let wrong: Vec<String> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(is_met))
        .map(|package| format!("{}: {}", package["name"], package["license"]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Everything comes from one registry.
    let foreign = packages.iter().filter_map(|package| package["source"].as_str());
    let foreign: Vec<&str> = foreign.filter(|source| !source.starts_with("registry+")).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

#[test]
fn expressions_are_understood() {
    for (expression, expected) in [
        ("MIT OR Apache-2.0", true),
        ("MIT/GPL-3.0", true),
        ("GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true),
    ] {
        assert_eq!(is_met(expression), expected, "{expression}");
    }
}

/// Packages with their features, of what is built for some kinds of dependencies.
fn built(kinds: &str) -> BTreeSet<String> {
    let tree = ["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p} {f}"];
    let output = cargo(&[&tree[..], &["--edges", kinds]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("names are UTF-8");
    lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

/// With one feature more or less of one of them the library, whose kernels take minutes, would be built again for the
/// tests.
#[test]
fn the_command_is_built_of_the_same_as_its_tests() {
    let (command, tests) = (built("normal,build"), built("normal,build,dev"));
    let others: Vec<&String> = command.difference(&tests).collect();
    assert!(others.is_empty(), "the tests have others, see `either` in Cargo.toml: {others:#?}");
    assert!(command.len() > 50 && command.len() < tests.len(), "{}", command.len());
}
