//! The order of imports: a file of `src/` uses only what stands above it in [`ORDER`].
//!
//! Paths that begin with `crate`, `super` or `self` are looked at, in `use` trees and in
//! expressions, except in comments and in unit tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

/// The library's modules, what may be used by all first. A folder counts as one module unless its
/// files are listed; then `folder/mod` stands for its `mod.rs`.
const ORDER: &[&str] = &[
    "location",
    "error",
    "bytes",
    "direction",
    "font",
    "hash",
    "temporary",
    "output",
    "pages",
    "tokens",
    "files",
    "image",
    "model",
    "format",
    "assets",
    "transform",
    "pose",
    "camera",
    "look",
    "light",
    "raster/level",
    "raster/error",
    "raster/dirty",
    "raster/target",
    "raster/framebuffer",
    "raster/threads",
    "raster/instance",
    "raster/palette",
    "raster/mix",
    "raster/mipmap",
    "raster/blocks",
    "raster/texture",
    "raster/shade",
    "raster/vertex",
    "raster/eye",
    "raster/texcoord",
    "raster/clip",
    "raster/expand",
    "raster/setup",
    "raster/bands",
    "raster/bins",
    "raster/surface",
    "raster/scalar",
    "raster/texture_cache",
    "raster/view",
    "raster/pass",
    "raster/plan",
    "raster/kernel",
    "raster/clear",
    "raster/samples",
    "raster/ring",
    "raster/visible",
    "raster/clusters",
    "raster/work",
    "raster/classic",
    "raster/mod",
    "compare",
    "golden",
    "scene",
    "info",
    "diff",
    "explain",
    "lint",
    "motion",
    "thumbs",
    "check",
    "window",
    "lib",
];

/// What a path or file belongs to: its place in [`ORDER`].
fn place(segments: &[&str]) -> Option<usize> {
    let position = |name: &str| ORDER.iter().position(|&module| module == name);
    let first = segments.first()?;
    let folder = segments.get(1).and_then(|second| position(&format!("{first}/{second}")));
    folder.or_else(|| position(first)).or_else(|| position(&format!("{first}/mod")))
}

/// The segments of a file's module: `raster/clip.rs` is raster, clip.
fn module_of(file: &Path) -> Vec<String> {
    let mut segments: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if segments.len() > 1 && segments.last().is_some_and(|last| last == "mod") {
        segments.pop();
    }
    segments
}

/// Every place where `source` (of `file`, relative to `src/`) breaks the order.
fn violations(file: &Path, source: &str) -> Vec<String> {
    let own = module_of(file);
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let shown = Path::new("src").join(file).display().to_string();
    let is_binary = matches!(own[0], "main" | "cli");
    let own_place = place(&own);
    if own_place.is_none() && !is_binary {
        return vec![format!("{shown}: {} has no place in the order of tests/layers.rs", own[0])];
    }
    let mut found = Vec::new();
    for (line, path) in paths(source, &own) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let wrong = if is_binary {
            let inside = matches!(path.first(), Some(&"cli") | None);
            (!inside).then(|| "must name the library as polyset".to_owned())
        } else {
            match place(&path) {
                // `crate::Model` hides which module is meant.
                None => Some(format!("crate::{} is not a module's name", path.join("::"))),
                Some(used) if Some(used) <= own_place => None,
                Some(used) => {
                    let name = |place: usize| ORDER[place].trim_end_matches("/mod");
                    let own_name = name(own_place.unwrap_or_default());
                    Some(format!("{own_name} must not use {}", name(used)))
                }
            }
        };
        found.extend(wrong.map(|wrong| format!("{shown}:{line}: {wrong}")));
    }
    found.dedup();
    found
}

/// All paths from the crate's root that `source` names, with their lines.
fn paths(source: &str, own: &[&str]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let code = code_only(source);
    for keyword in ["crate", "super", "self"] {
        for (at, _) in code.match_indices(&format!("{keyword}::")) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let line = code[..at].lines().count().max(1);
            let root: Vec<String> = match keyword {
                "crate" => Vec::new(),
                "super" => own[..own.len() - 1].iter().map(ToString::to_string).collect(),
                _ => own.iter().map(ToString::to_string).collect(),
            };
            let mut leaves = Vec::new();
            tree(&code[at + keyword.len() + 2..], root, &mut leaves);
            // Of a `super::super` chain the second `super` is part of the first path.
            found.extend(leaves.into_iter().map(|leaf| (line, leaf)));
        }
    }
    found.sort();
    found.dedup();
    found.retain(|(_, path)| !path.is_empty());
    found
}

/// Reads one path or use tree after `prefix::` and collects its leaves.
fn tree<'a>(mut text: &'a str, mut prefix: Vec<String>, leaves: &mut Vec<Vec<String>>) -> &'a str {
    // A `$` stands before the parameters of macros.
    text = text.trim_start().trim_start_matches('$');
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('}') {
                return after;
            }
            let after = tree(rest, prefix.clone(), leaves).trim_start();
            let after = match after.strip_prefix("as ") {
                Some(renamed) => {
                    renamed.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
                }
                None => after,
            };
            rest = after.trim_start().strip_prefix(',').unwrap_or(after);
            if rest.len() == text.len() || rest.is_empty() {
                return rest;
            }
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    match &text[..end] {
        "" | "self" => {}
        "super" => {
            prefix.pop();
        }
        name => prefix.push(name.to_owned()),
    }
    match text[end..].strip_prefix("::") {
        Some(more) => tree(more, prefix, leaves),
        None => {
            leaves.push(prefix);
            // `*` of a glob, or nothing.
            text[end..].strip_prefix('*').unwrap_or(&text[end..])
        }
    }
}

/// The source without line comments and without the unit tests at its end, lines kept.
fn code_only(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        // `mod tests;` stands for a file of its own; what is behind it is code.
        let starts_tests = line.starts_with("#[cfg(test)]")
            && lines.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'));
        if starts_tests {
            break;
        }
        code.push_str(line.split("//").next().unwrap_or_default());
        code.push('\n');
    }
    code
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !is_for_tests(&path)
        {
            found.push(path);
        }
    }
}

/// Unit tests in files of their own.
fn is_for_tests(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem == "tests" || stem == "testing" || stem.ends_with("_tests")
}

#[test]
fn every_file_uses_only_what_stands_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    assert!(files.len() > 10, "found {} files in {}", files.len(), root.display());
    let mut wrong = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        wrong.extend(violations(file.strip_prefix(&root).unwrap(), &source));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let table: &[(&str, &str, &[&str])] = &[
        (
            "model.rs",
            "use std::fs;\nuse crate::raster::Renderer;\n",
            &["src/model.rs:2: model must not use raster"],
        ),
        ("model.rs", "use crate::image::Image;\n// use crate::raster::X;\n", &[]),
        (
            "format/mdl.rs",
            "use crate::{\n    error::LoadError,\n    pose::{Pose, x::Y},\n};\n",
            &["src/format/mdl.rs:1: format must not use pose"],
        ),
        (
            "pose/mod.rs",
            "fn f() -> crate::camera::Camera { super::light::g() }\n",
            &[
                "src/pose/mod.rs:1: pose must not use camera",
                "src/pose/mod.rs:1: pose must not use light",
            ],
        ),
        (
            "raster/clip.rs",
            "use super::vertex::Vertex;\nuse super::setup::Triangle;\nuse super::Renderer;\n",
            &[
                "src/raster/clip.rs:2: raster/clip must not use raster/setup",
                "src/raster/clip.rs:3: raster/clip must not use raster",
            ],
        ),
        ("raster/mod.rs", "use self::kernel::draw;\nuse crate::raster::clip::near;\n", &[]),
        ("raster/classic/mod.rs", "use super::framebuffer::F;\nuse crate::look::Look;\n", &[]),
        (
            "bytes.rs",
            "use crate::Model;\n",
            &["src/bytes.rs:1: crate::Model is not a module's name"],
        ),
        (
            "cli/info.rs",
            "use polyset::Model;\nuse super::args::A;\nuse crate::cli::plan;\nuse crate::model::Model;\n",
            &["src/cli/info.rs:4: must name the library as polyset"],
        ),
        (
            "novelty.rs",
            "",
            &["src/novelty.rs: novelty has no place in the order of tests/layers.rs"],
        ),
        (
            "model.rs",
            "#[cfg(test)]\nmod tests;\n\nuse crate::raster::Renderer;\n",
            &["src/model.rs:4: model must not use raster"],
        ),
        ("model.rs", "#[cfg(test)]\nmod tests {\n    use crate::raster::Renderer;\n}\n", &[]),
    ];
    for (file, source, expected) in table {
        assert_eq!(&violations(Path::new(file), source), expected, "{file}: {source}");
    }
}

/// Files that may look at the disk: the one layer that reads, the one that writes, and what deals with
/// files that are no part of a model (logs and screenshots of the window, memory that it shares with the
/// display, an output that is there already, the signals of the process).
const AT_THE_DISK: &[&str] = &[
    "check/",
    "cli/interrupt.rs",
    "cli/output.rs",
    "cli/overwrite.rs",
    "cli/render.rs",
    "files/",
    "golden.rs",
    "output.rs",
    "temporary.rs",
    "thumbs/cache.rs",
    "thumbs/folder.rs",
    "thumbs/manifest.rs",
    "thumbs/page.rs",
    "window/backend/canvas.rs",
    "window/log.rs",
    "window/run.rs",
    "window/save.rs",
    "window/watch.rs",
];

#[test]
fn files_are_read_and_listed_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let at_disk: Vec<String> = files
        .iter()
        .filter(|file| {
            let code = code_only(&fs::read_to_string(file).unwrap());
            let is_used = |at: usize| !code[..at].ends_with(char::is_alphanumeric);
            ["fs::", "File::open", "read_dir", "canonicalize"]
                .iter()
                .any(|use_| code.match_indices(use_).any(|(at, _)| is_used(at)))
        })
        .map(|file| file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/"))
        .collect();
    let is_allowed = |file: &&String| AT_THE_DISK.iter().any(|allowed| file.starts_with(*allowed));
    let wrong: Vec<&String> = at_disk.iter().filter(|file| !is_allowed(file)).collect();
    assert!(wrong.is_empty(), "{wrong:?} look at the disk; src/files/ does that for all");
    assert!(at_disk.iter().any(|file| file == "files/mod.rs"), "{at_disk:?}");
}

/// Files that readers are sent to, in backticks.
#[test]
fn paths_in_the_documentation_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    pages.extend(fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    let (mut found, mut lost) = (0, Vec::new());
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let is_path = |word: &&str| {
            let begins = ["src/", "docs/", "tests/"].iter().any(|folder| word.starts_with(folder));
            // NAME stands for any.
            let is_one = !word.contains(char::is_whitespace) && !word.contains(['*', '{']);
            begins && is_one && !word.contains("NAME")
        };
        for path in text.split('`').skip(1).step_by(2).filter(is_path) {
            found += 1;
            if !root.join(path).exists() {
                lost.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(lost.is_empty() && found > 40, "of {found}: {lost:#?}");
}
