//! What packages are made of: completions and manual name everything that the command has, and the files of
//! `packaging/` agree with each other and with it.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use polyset::scene::options::{self, Command as Of, Row};
use tempfile::TempDir;

/// The subcommands, and the one of the option table that has its options.
const COMMANDS: &[(&str, Option<Of>)] = &[
    ("render", Some(Of::Render)),
    ("info", Some(Of::Info)),
    ("thumb", Some(Of::Thumb)),
    ("thumbs", Some(Of::Thumbs)),
    ("sheet", Some(Of::Sheet)),
    ("animate", Some(Of::Animate)),
    ("sprites", Some(Of::Sprites)),
    ("compare", Some(Of::Compare)),
    ("diff", Some(Of::Diff)),
    ("explain", Some(Of::Explain)),
    ("lint", Some(Of::Lint)),
    ("hash", Some(Of::Hash)),
    ("check", Some(Of::Check)),
    ("bless", Some(Of::Bless)),
    ("man", Some(Of::Man)),
    ("completions", None),
    #[cfg(feature = "window")]
    ("view", Some(Of::View)),
];

fn options_of(command: Option<Of>) -> impl Iterator<Item = &'static Row> {
    command.into_iter().flat_map(options::rows_of)
}

/// Exit code, stdout, stderr of the command in a folder.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn completions(shell: &str) -> String {
    let (code, script, said) = run(Path::new("."), &["completions", shell]);
    assert_eq!((code, said.as_str()), (0, ""), "{shell}");
    script
}

/// File names and contents, sorted.
fn files_in(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// The whole manual, written into a new folder.
fn manual(arguments: &[&str]) -> Vec<(String, String)> {
    let folder = TempDir::new().unwrap();
    let all = [&["man", "a/b"], arguments].concat();
    assert_eq!(run(folder.path(), &all), (0, String::new(), String::new()));
    files_in(&folder.path().join("a/b"))
}

/// The help lists every subcommand: none is missing above, whatever is added.
#[test]
fn the_subcommands_are_known() {
    let (_, help, _) = run(Path::new("."), &["--help"]);
    let listed = help.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    let mut listed: Vec<&str> = listed
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    let mut known: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn completions_name_everything() {
    for shell in ["bash", "zsh", "fish"] {
        let script = completions(shell);
        for (name, command) in COMMANDS {
            assert!(script.contains(name), "{shell} {name}");
            for row in options_of(*command) {
                let option = match shell {
                    "fish" => format!("-l {}", row.name),
                    _ => format!("--{}", row.name),
                };
                assert!(script.contains(&option), "{shell} {name} {option}");
                for (choice, _) in row.choices() {
                    assert!(script.contains(choice), "{shell} {name} {option} {choice}");
                }
            }
        }
        assert_eq!(script, completions(shell), "{shell}");
    }
    assert_ne!(completions("bash"), completions("zsh"));
}

#[test]
fn an_unknown_shell_is_told_the_known_ones() {
    for (arguments, pieces) in [
        (&["completions", "tcsh"][..], &["'tcsh'", "bash, zsh, fish"][..]),
        (&["completions"], &["SHELL"]),
        (&["completions", "bash", "zsh"], &["'zsh'"]),
        (&["man"], &["DIR"]),
    ] {
        let (code, out, said) = run(Path::new("."), arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(said.starts_with("polyset: "), "{said}");
        assert!(pieces.iter().all(|piece| said.contains(piece)), "{said}");
    }
}

#[test]
fn the_manual_names_everything() {
    let pages = manual(&[]);
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    let mut expected: Vec<String> =
        COMMANDS.iter().map(|(name, _)| format!("polyset-{name}.1")).collect();
    expected.push("polyset.1".into());
    expected.sort();
    assert_eq!(names, expected);
    // A hyphen that is to be copied has a backslash.
    let escaped = |text: &str| text.replace('-', "\\-");
    let page = |name: &str| &pages.iter().find(|(file, _)| file == name).unwrap().1;
    for (name, command) in COMMANDS {
        let listed = escaped(&format!("polyset-{name}"));
        assert!(page("polyset.1").contains(&format!("{listed}(1)")), "{name}");
        let page = page(&format!("polyset-{name}.1"));
        let title = format!(
            ".TH POLYSET-{} 1 \"\" \"polyset {}\"",
            name.to_uppercase(),
            env!("CARGO_PKG_VERSION")
        );
        assert!(page.contains(&title), "{name}: {page}");
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "\"EXIT STATUS\"", "\"SEE ALSO\""] {
            assert!(page.contains(&format!("\n.SH {heading}\n")), "{name} {heading}");
        }
        for row in options_of(*command) {
            let option = format!("\\fB{}\\fR", escaped(&format!("--{}", row.name)));
            assert!(page.contains(&option), "{name} {option}");
            let title = row.group.title().to_uppercase();
            // Headings of several words stand in quotation marks.
            let title = if title.contains(' ') { format!("\"{title}\"") } else { title };
            let heading = format!("\n.SH {title}\n");
            assert!(page.contains(&heading), "{name} {heading}");
        }
        assert!(!page.contains('`'), "{name}");
    }
    assert_eq!(pages, manual(&[]), "the same each time");
}

#[test]
fn the_manual_replaces_pages_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name);
    let write = || run(folder.path(), &["man", "."]);
    fs::write(place("polyset.1"), "").unwrap();
    fs::write(place("polyset-info.1"), ".\\\" An older one\n.TH POLYSET-INFO 1\n").unwrap();
    assert_eq!(write().0, 0);
    let pages = files_in(folder.path());
    assert_eq!(pages, manual(&[]));
    assert_eq!(write().0, 0, "over itself");

    // The last one of them: nothing before it is written either.
    fs::write(place("polyset.1"), "a letter\nof two lines\n").unwrap();
    fs::remove_file(place("polyset-info.1")).unwrap();
    let (code, _, said) = write();
    assert_eq!(code, 2);
    assert!(said.contains("polyset.1' exists and is no page of a manual"), "{said}");
    assert!(said.contains("--force"), "{said}");
    assert_eq!(fs::read(place("polyset.1")).unwrap(), b"a letter\nof two lines\n");
    assert!(!place("polyset-info.1").exists());
    let forced = run(folder.path(), &["man", "--force", "."]);
    assert_eq!(forced, (0, String::new(), String::new()));
    assert_eq!(files_in(folder.path()), pages);

    fs::write(place("file"), "x").unwrap();
    let (code, _, said) = run(folder.path(), &["man", "file"]);
    assert_eq!(code, 2);
    assert!(said.contains("'file'"), "{said}");
    assert_eq!(fs::read(place("file")).unwrap(), b"x");
}

/// The value of a key in a file of `packaging/`.
fn key(file: &str, key: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(file);
    let text = fs::read_to_string(path).unwrap();
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    value.unwrap_or_else(|| panic!("{file} has no {key}")).to_owned()
}

/// A desktop runs what is there: the lines that it runs are command lines of this command.
#[test]
fn desktops_call_what_exists() {
    let folder = TempDir::new().unwrap();
    let model = format!("{}/tests/models/bolt.md2", env!("CARGO_MANIFEST_DIR"));
    let line = key("polyset.thumbnailer", "Exec");
    let line = line.replace("%s", "32").replace("%i", &model).replace("%o", "out");
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!(words[0], "polyset");
    assert_eq!(run(folder.path(), &words[1..]), (0, String::new(), String::new()));
    let picture = polyset::Image::open(folder.path().join("out")).unwrap();
    assert_eq!((picture.width(), picture.height()), (32, 32));

    assert_eq!(key("polyset.desktop", "Exec"), "polyset view %F");
    assert_eq!(key("polyset.desktop", "MimeType"), key("polyset.thumbnailer", "MimeType"));
}
