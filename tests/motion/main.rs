//! Animations, turntables and sprites through the command, and the camera that they share.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "../shared/program.rs"]
mod program;

mod files;
mod framing;
mod outside;
mod sprites;

use std::path::Path;

use polyset::{Image, Pixels};
use program::{put, run, sample};

/// Puts samples into a folder, all that belong to them included.
fn samples(folder: &Path, names: &[&str]) {
    for name in names {
        put(&folder.join(name), &sample(name));
    }
}

/// Runs the command, which has to succeed, in a folder.
fn polyset(folder: &Path, words: &str) -> String {
    let (code, stdout, stderr) = run(folder, words);
    assert_eq!(code, 0, "{words}: {stderr}");
    stdout
}

/// The pictures of a folder in the order of their names.
fn pictures(folder: &Path) -> Vec<Image> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "png"));
    paths.sort();
    paths.iter().map(|path| Image::open(path).unwrap()).collect()
}

/// The rectangle around what is not transparent: left, top, right, bottom.
fn seen(image: &Image) -> [u32; 4] {
    let Pixels::Rgba(rgba) = image.clone().into_rgba().pixels().clone() else { unreachable!() };
    let mut found = [u32::MAX, u32::MAX, 0, 0];
    for (place, texel) in (0..).zip(rgba.as_chunks::<4>().0) {
        if texel[3] != 0 {
            let (x, y) = (place % image.width(), place / image.width());
            found = [found[0].min(x), found[1].min(y), found[2].max(x), found[3].max(y)];
        }
    }
    found
}
