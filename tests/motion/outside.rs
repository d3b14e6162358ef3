//! What others read in the files: Pillow, ffmpeg and ImageMagick. A program that is not there is skipped.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{polyset, samples};

const SIDE: usize = 72;

/// Runs a program in a folder; its standard output.
fn output(folder: &Path, program: &str, words: &str) -> Vec<u8> {
    let words = words.split_whitespace();
    let output = Command::new(program).current_dir(folder).args(words).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {stderr}");
    output.stdout
}

/// Whether a program does what it does without arguments that matter.
fn is_there(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    let silent = command.args(words).stdout(Stdio::null()).stderr(Stdio::null());
    let found = silent.status().is_ok_and(|status| status.success());
    if !found {
        let _ = writeln!(std::io::stderr(), "skipped: {program} does not read animations here");
    }
    found
}

/// Panics if pixels differ where either is seen by more than `most` levels.
fn assert_pictures(found: &[u8], expected: &[u8], most: u8, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: another number of pictures");
    let pairs = found.as_chunks::<4>().0.iter().zip(expected.as_chunks::<4>().0);
    let off = |(found, expected): (&[u8; 4], &[u8; 4])| {
        let channels = || found.iter().zip(expected).map(|(a, b)| a.abs_diff(*b));
        let is_hidden = found[3] == 0 && expected[3] == 0;
        if is_hidden { 0 } else { channels().max().unwrap_or(0) }
    };
    let worst = pairs.map(off).enumerate().max_by_key(|(place, off)| (*off, usize::MAX - place));
    let (place, off) = worst.unwrap();
    let frame = place / (SIDE * SIDE);
    assert!(off <= most, "{what}: {off} levels off in picture {frame}");
}

/// The animations that are looked at, what they are called, and the delays that they should have in
/// milliseconds.
fn animations(folder: &Path) -> Vec<(String, String, Vec<u32>)> {
    samples(folder, &["bolt.mdl", "bolt.md2", "bolt.md5mesh", "bolt_walk.md5anim"]);
    let wave = vec![100, 150, 50, 150, 100, 50, 150, 50, 100, 250];
    let mut all = Vec::new();
    for (name, words, delays) in [
        ("indexed", "bolt.mdl --animation wave --color indexed", wave.clone()),
        ("classic", "bolt.mdl --animation wave --renderer classic", wave.clone()),
        ("opaque", "bolt.mdl --animation wave --color indexed --background-color black", wave),
        (
            "smooth",
            "bolt.md2 --animation run --fps 12.5 --color indexed",
            [[80; 7].as_slice(), &[40]].concat(),
        ),
        ("turn", "bolt.md2 --turntable 6 --color indexed --fps 10", vec![100; 6]),
        ("rgb", "bolt.md2 --turntable 6 --fps 10", vec![100; 6]),
        ("back", "bolt.md2 --turntable 5 --background-color 204060 --fps 10", vec![100; 5]),
        ("unlit", "bolt.md5mesh --animation bolt_walk --draw wire --fps 10", Vec::new()),
    ] {
        let words = format!("{words} -s {SIDE}");
        polyset(folder, &format!("animate {words} -o {name}.rgba"));
        for format in ["gif", "png", "webp"] {
            polyset(folder, &format!("animate {words} -o {name}.{format}"));
        }
        all.push((name.to_owned(), words, delays));
    }
    all
}

/// GIF has 256 colours: pictures of true colour come near, these are exact.
fn is_exact(name: &str, format: &str) -> bool {
    format != "gif" || !matches!(name, "rgb" | "back")
}

/// No texture of these models has more colours than a GIF can tell apart from further away than this.
const QUANTISED: u8 = 40;

#[test]
fn pillow_sees_the_same_pictures_and_delays() {
    if !is_there("python3", &["-c", "import PIL"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside/motion.py");
    for (name, _, delays) in animations(folder) {
        let expected = fs::read(folder.join(format!("{name}.rgba"))).unwrap();
        for format in ["gif", "png", "webp"] {
            let words = format!("{} {name}.{format} pixels", script.display());
            let said: Value = serde_json::from_slice(&output(folder, "python3", &words)).unwrap();
            let found: Vec<u32> = said["delays"]
                .as_array()
                .unwrap()
                .iter()
                .map(|delay| delay.as_f64().unwrap().round() as u32)
                .collect();
            if !delays.is_empty() {
                assert_eq!(found, delays, "{name}.{format}");
            }
            assert_eq!(said["loop"], 0, "{name}.{format}: for ever");
            let found = fs::read(folder.join("pixels")).unwrap();
            let most = if is_exact(&name, format) { 0 } else { QUANTISED };
            assert_pictures(&found, &expected, most, &format!("Pillow, {name}.{format}"));
        }
    }
}

#[test]
fn ffmpeg_and_imagemagick_see_the_same_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let has_ffmpeg = is_there("ffmpeg", &["-version"]) && is_there("ffprobe", &["-version"]);
    let has_imagemagick = is_there("convert", &["-version"]);
    if !has_ffmpeg && !has_imagemagick {
        return;
    }
    for (name, words, delays) in animations(folder) {
        let expected = fs::read(folder.join(format!("{name}.rgba"))).unwrap();
        let most = if is_exact(&name, "gif") { 0 } else { QUANTISED };
        if has_imagemagick {
            let found = output(folder, "convert", &format!("{name}.gif -coalesce -depth 8 rgba:-"));
            assert_pictures(&found, &expected, most, &format!("ImageMagick, {name}.gif"));
        }
        if !has_ffmpeg {
            continue;
        }
        for (file, kind) in [(format!("{name}.gif"), "gif"), (format!("{name}.png"), "apng")] {
            let read = format!(
                "-v error -f {kind} -i {file} -vsync passthrough -f rawvideo -pix_fmt rgba -"
            );
            let found = output(folder, "ffmpeg", &read);
            let most = if kind == "gif" { most } else { 0 };
            assert_pictures(&found, &expected, most, &format!("ffmpeg, {file}"));
        }
        let (_, all_but_last) = delays.split_last().unwrap_or((&0, &[]));
        if all_but_last.windows(2).any(|pair| pair[0] != pair[1]) {
            continue;
        }
        // Colours are rounded twice on their way through YCbCr; what is transparent is black there.
        let stream = format!("{name}.y4m");
        let opaque = if words.contains("background") { "" } else { "--background-color black" };
        let indexed = words.replace("--color indexed", "");
        polyset(folder, &format!("animate {indexed} {opaque} -o {stream}"));
        polyset(folder, &format!("animate {indexed} {opaque} -o opaque.rgba --force"));
        let expected = fs::read(folder.join("opaque.rgba")).unwrap();
        let read = format!("-v error -i {stream} -vsync passthrough -f rawvideo -pix_fmt rgba -");
        assert_pictures(
            &output(folder, "ffmpeg", &read),
            &expected,
            5,
            &format!("ffmpeg, {stream}"),
        );
        let probe =
            format!("-v error -show_entries stream=r_frame_rate,pix_fmt -of csv=p=0 {stream}");
        let said = String::from_utf8(output(folder, "ffprobe", &probe)).unwrap();
        if let Some(delay) = delays.first() {
            let rate = if *delay == 80 { "25/2" } else { "10/1" };
            assert_eq!(said.trim(), format!("yuv444p,{rate}"), "{stream}");
        }
    }
}

#[test]
fn no_usual_command_makes_a_smaller_gif_of_the_same_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let has_ffmpeg = is_there("ffmpeg", &["-version"]);
    let has_imagemagick = is_there("convert", &["-version"]);
    samples(folder, &["bolt.mdl", "bolt.md3", "bolt_paint.png"]);
    for (name, words, is_transparent) in [
        ("indexed", "bolt.mdl --animation run --color indexed --background-color black", false),
        ("empty", "bolt.mdl --animation run --color indexed", true),
        ("rgb", "bolt.md3 --animation walk --background-color 204060", false),
        ("alpha", "bolt.md3 --animation walk --filter bilinear", true),
    ] {
        polyset(folder, &format!("animate {words} -s 160 -o {name}.gif"));
        polyset(folder, &format!("animate {words} -s 160 -o {name}/"));
        let size = |file: &str| fs::metadata(folder.join(file)).unwrap().len();
        let ours = size(&format!("{name}.gif"));
        let mut others: Vec<(&str, String)> = Vec::new();
        // Without disposal pictures with holes would show those before them.
        let dispose = if is_transparent { "-dispose background" } else { "" };
        let magick = format!("-delay 10 {dispose} -loop 0 {name}/*.png");
        if has_imagemagick {
            others.push(("convert", format!("{magick} other.gif")));
            others.push(("convert", format!("{magick} -layers optimize other.gif")));
        }
        if has_ffmpeg {
            let palette = "-filter_complex split[a][b];[a]palettegen[p];[b][p]paletteuse";
            let read = format!("-v error -y -framerate 10 -i {name}/%04d.png");
            others.push(("ffmpeg", format!("{read} {palette} other.gif")));
            others.push(("ffmpeg", format!("{read} {palette}=dither=none other.gif")));
        }
        for (program, words) in others {
            output(folder, program, &words);
            let theirs = size("other.gif");
            assert!(ours <= theirs, "{name}: {ours} bytes, {theirs} of {program} {words}");
        }
    }
}
