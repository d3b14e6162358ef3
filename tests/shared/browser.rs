//! Chromium without a display, where there is one: what a page becomes in it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use polyset::Image;

/// A browser with a profile of its own.
pub(crate) struct Browser<'a> {
    program: &'static str,
    /// A folder to work in.
    folder: &'a Path,
}

impl<'a> Browser<'a> {
    /// That of this machine, if it has one.
    pub(crate) fn new(folder: &'a Path) -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let is_there = |name: &&str| {
            let output = Command::new(name).arg("--version").output();
            output.is_ok_and(|output| output.status.success())
        };
        let program = names.into_iter().find(is_there);
        if program.is_none() {
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                b"skipped: there is no Chromium to show the page\n",
            );
        }
        Some(Self { program: program?, folder })
    }

    fn run(&self, page: &Path, hash: &str, more: &[&str]) -> Output {
        let mut address = String::from("file://");
        for byte in page.to_str().unwrap().bytes() {
            if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) {
                address.push(byte.into());
            } else {
                write!(address, "%{byte:02X}").unwrap();
            }
        }
        let output = Command::new(self.program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000"])
            .args(["--window-size=1200,760", "--force-color-profile=srgb"])
            .arg(format!("--user-data-dir={}", self.folder.join("profile").display()))
            .args(more)
            .arg(format!("{address}#{hash}"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// The elements of the page after its scripts have run.
    pub(crate) fn dom(&self, page: &Path, hash: &str) -> String {
        String::from_utf8_lossy(&self.run(page, hash, &["--dump-dom"]).stdout).into_owned()
    }

    /// What the page looks like.
    pub(crate) fn picture(&self, page: &Path, hash: &str, more: &[&str]) -> Image {
        let shot = self.folder.join("shot.png");
        let option = format!("--screenshot={}", shot.display());
        self.run(page, hash, &[&[&*option], more].concat());
        Image::open(&shot).unwrap()
    }
}
