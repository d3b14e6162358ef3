//! A folder in which commands for many models run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_polyset");

/// Samples of all formats.
pub(crate) const SAMPLES: [&str; 7] = [
    "bolt.md2",
    "bolt.md3",
    "bolt.md5mesh",
    "bolt.mdl",
    "bolt_holey.mdl",
    "bolt_shield.md2",
    "hand.md3",
];

pub(crate) fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

/// A folder to work in.
pub(crate) struct Place(pub(crate) tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With `count` models in folders, and the textures of some of them.
    pub(crate) fn with_models(count: usize) -> Self {
        let place = Self::new();
        for number in 0..count {
            let name = SAMPLES[number % SAMPLES.len()];
            let to = place.path(&format!("in/{}/{number}_{name}", number % 3));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(sample(name), to).unwrap();
        }
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn copy(&self, from: &str, to: &str) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(sample(from), to).unwrap();
    }

    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.current_dir(self.0.path()).args(words.split_whitespace());
        command.stderr(Stdio::piped()).env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    pub(crate) fn run(&self, words: &str) -> Output {
        self.command(words).output().unwrap()
    }

    /// What a run says at its end, which must be with this code.
    pub(crate) fn says(&self, words: &str, code: i32) -> String {
        let output = self.run(words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}: {said}");
        said
    }

    /// The names of all files below a folder, with `/`.
    pub(crate) fn files(&self, folder: &str) -> Vec<String> {
        let root = self.path(folder);
        let mut found = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&root).unwrap();
                    found.push(name.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        found.sort();
        found
    }

    pub(crate) fn pictures(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let files = self.files(folder);
        let pngs = files.into_iter().filter(|name| name.ends_with(".png"));
        pngs.map(|name| (name.clone(), fs::read(self.path(folder).join(name)).unwrap())).collect()
    }

    pub(crate) fn lines(&self, manifest: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(manifest)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The manifest without times.
    pub(crate) fn timeless(&self, manifest: &str) -> Vec<String> {
        let mut lines = self.lines(manifest);
        for line in &mut lines {
            line.as_object_mut().unwrap().remove("milliseconds");
        }
        lines.iter().map(ToString::to_string).collect()
    }
}

impl Place {
    /// How many pictures there are, also where there is no folder yet.
    pub(crate) fn pictures_of_run(&self, folder: &str) -> usize {
        if self.path(folder).exists() { self.pictures(folder).len() } else { 0 }
    }

    /// Waits until a run has drawn so many pictures, or far too long.
    pub(crate) fn wait_for_pictures(&self, folder: &str, count: usize) {
        let start = std::time::Instant::now();
        while self.pictures_of_run(folder) < count && start.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}
