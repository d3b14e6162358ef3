//! The files of animations: what they hold, and what is refused.

use std::fs;
use std::path::Path;

use polyset::Image;

use super::{pictures, polyset, run, samples};

/// The pictures of a file of raw pixels.
fn raw(bytes: &[u8], side: u32) -> Vec<Image> {
    let frames = bytes.chunks(side as usize * side as usize * 4);
    frames.map(|frame| Image::from_rgba(side, side, frame.to_vec()).unwrap()).collect()
}

#[test]
fn every_format_has_the_same_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.mdl"]);
    let clip = "bolt.mdl --animation run -s 64";
    for out in ["frames/", "named/{model}_{clip}_{frame:3}.png", "a.rgba"] {
        polyset(folder, &format!("animate {clip} -o {out}"));
    }
    let frames = pictures(&folder.join("frames"));
    assert_eq!(frames.len(), 6);
    assert!(folder.join("frames/0005.png").is_file());
    assert!(folder.join("named/bolt_run_005.png").is_file());
    assert_eq!(pictures(&folder.join("named")), frames);
    assert_eq!(raw(&fs::read(folder.join("a.rgba")).unwrap(), 64), frames);
    // The same bytes whatever the threads, and on the standard output.
    for out in ["a.gif", "a.png", "a.webp", "a.y4m", "a.rgba"] {
        let kind = if out == "a.png" { "apng" } else { out.trim_start_matches("a.") };
        let words = format!("animate {clip} -o {out}");
        polyset(folder, &format!("{words} --threads 1 --force"));
        let expected = fs::read(folder.join(out)).unwrap();
        polyset(folder, &format!("{words} --threads 3 --force"));
        assert_eq!(fs::read(folder.join(out)).unwrap(), expected, "{out}");
        let program = env!("CARGO_BIN_EXE_polyset");
        let mut piped = std::process::Command::new(program);
        let piped = piped.current_dir(folder).args(["animate"]).args(clip.split(' '));
        let piped = piped.args(["-o", "-", "--format", kind]).output().unwrap();
        assert_eq!(piped.stdout, expected, "{kind}");
    }
}

#[test]
fn clips_are_played_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.mdl", "bolt.md5mesh", "bolt_walk.md5anim"]);
    let count = |words: &str| {
        let out = folder.join("out");
        let _ = fs::remove_dir_all(&out);
        polyset(folder, &format!("animate {words} -s 32 -o out/"));
        pictures(&out).len()
    };
    // Ten frames that take 1.15 s together, six of a tenth each, 0.8 s of eight.
    for (words, expected) in [
        ("bolt.mdl --animation wave", 10),
        ("bolt.mdl --animation run", 6),
        ("bolt.mdl", 8),
        ("bolt.mdl --animation run --ping-pong", 10),
        ("bolt.mdl --animation wave --fps 20", 23),
        ("bolt.mdl --animation run --fps 20 --speed 2", 6),
        ("bolt.mdl --animation attack", 1),
        ("bolt.mdl --turntable 5", 5),
        ("bolt.mdl --turntable 5 --animation run", 5),
        ("bolt.mdl --turntable 5 --frame 3", 5),
    ] {
        assert_eq!(count(words), expected, "{words}");
    }
    polyset(folder, "animate bolt.mdl --clips all -s 32 -o all/{model}-{clip}.gif");
    let mut names: Vec<_> = fs::read_dir(folder.join("all"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected =
        ["attack", "pain", "run", "stand", "wave"].map(|clip| format!("bolt-{clip}.gif"));
    assert_eq!(names, expected);
    // Between the frames there are others, unless the frame that has begun is to stay.
    polyset(folder, "animate bolt.mdl --animation run --fps 40 -s 32 -o smooth/");
    polyset(
        folder,
        "animate bolt.mdl --animation run --fps 40 --interpolation off -s 32 -o stays/",
    );
    let [smooth, stays] = ["smooth", "stays"].map(|name| pictures(&folder.join(name)));
    assert_eq!((smooth.len(), stays.len()), (24, 24));
    assert!(smooth[0] != smooth[1] && smooth[1] != smooth[2]);
    assert!(stays[0] == stays[1] && stays[2] == stays[3] && stays[3] != stays[4]);
    assert_eq!(stays[4], smooth[4]);
}

#[test]
fn what_cannot_be_is_refused_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.mdl", "bolt.md3"]);
    fs::write(folder.join("text.gif"), "no picture").unwrap();
    fs::write(folder.join("broken.mdl"), "IDPO").unwrap();
    let before = listed(folder);
    for (words, why) in [
        ("bolt.mdl", "no output: give OUTPUT or --output"),
        ("bolt.mdl a.gif -o b.gif", "two outputs"),
        ("bolt.mdl a.mp4", "let it end in .gif, .png, .webp, .y4m or .rgba"),
        ("bolt.mdl -o -", "or give --format"),
        ("bolt.mdl a.gif --frame 3", "--frame chooses a single moment"),
        ("bolt.mdl a.gif --animation-time 0.3", "--animation-time chooses a single moment"),
        ("bolt.mdl a.gif --light-follows", "--light-follows is for --turntable"),
        ("bolt.mdl a.gif --animation jump", "there is no animation 'jump'"),
        ("bolt.mdl a.gif --clips all", "the name needs {clip}"),
        ("bolt.mdl {clip}.gif --clips all --animation run", "both choose clips"),
        ("bolt.mdl x-{frame}.gif", "a name with {frame:4} that ends in .png"),
        ("bolt.mdl x-{frame}.png --format gif", "leave {frame} out"),
        ("bolt.mdl x-{frme}.png", "there is no '{frme}'"),
        ("bolt.mdl a.gif --fps 60", "viewers take what is shorter than 0.02 s"),
        ("bolt.mdl a.y4m --animation wave", "one rate for all; give --fps"),
        ("bolt.mdl a.y4m --fps 10 --loop 2", "--loop is for .gif"),
        ("bolt.mdl a.png --dither", "--dither is for .gif"),
        ("bolt.mdl a.gif --fps 0", "expected a number above 0"),
        ("bolt.mdl a.gif --turntable 0", "expected a number of pictures from 1 to 3600"),
        ("bolt.mdl text.gif", "exists and is no GIF"),
        ("bolt.mdl bolt.mdl --format gif", "which was read"),
        ("bolt.mdl no/such/folder/a.gif", "cannot write"),
        ("broken.mdl a.gif", "broken.mdl"),
        ("bolt.mdl a.png --fps 1000000 --speed 0.001", "of 100000 at most"),
    ] {
        let (code, stdout, stderr) = run(folder, &format!("animate {words}"));
        assert_eq!((code, stdout.as_str()), (2, ""), "{words}: {stderr}");
        assert!(stderr.contains(why), "{words}: {stderr}");
        assert_eq!(listed(folder), before, "{words}");
    }
    // An output of nothing is no folder to draw into.
    for words in [&["bolt.mdl", ""][..], &["bolt.mdl", "-o", ""]] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_polyset"));
        let output = command.current_dir(folder).arg("animate").args(words).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains("expected a file name"), "{words:?}: {said}");
        assert_eq!(listed(folder), before, "{words:?}");
    }
    polyset(folder, "animate bolt.mdl text.gif --force -s 32");
    // 1.15 s are 57 pictures and a half, which is too short for one of a GIF.
    for (words, pictures, seconds) in
        [("w.gif", 57, "1.15"), ("w.png", 58, "1.15"), ("p.gif --ping-pong", 113, "2.27")]
    {
        let words = format!("animate bolt.mdl {words} --animation wave -s 16 --fps 50");
        let (code, _, said) = run(folder, &words);
        let expected = format!("{pictures} pictures, {seconds} s,");
        assert!(code == 0 && said.contains(&expected), "{words}: {said}");
    }
    assert!(fs::read(folder.join("text.gif")).unwrap().starts_with(b"GIF89a"));
}

#[test]
fn pictures_of_indices_have_one_background() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.md2", "bolt.pcx"]);
    // From some sides the model shows the index that is usually empty.
    polyset(
        folder,
        "animate bolt.md2 turn/ --turntable 12 --renderer classic -s 64 --skin bolt.pcx",
    );
    for image in pictures(&folder.join("turn")) {
        let corner = image.to_rgba();
        assert_eq!(corner[3], 0, "the corner is empty");
    }
}

fn listed(folder: &Path) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

/// Hashes of the pixels of whole animations, kept in `golden/motion.txt`; POLYSET_BLESS=1 writes it.
#[test]
fn animations_are_those_that_were_looked_at() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = folder.join("golden/motion.txt");
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let mut found = String::new();
    for words in [
        "bolt.mdl --animation wave",
        "bolt.mdl --animation wave --color indexed",
        "bolt.mdl --animation wave --renderer classic",
        "bolt.mdl --animation wave --fps 15 --ping-pong",
        "bolt.md2 --animation run --fps 25",
        "bolt.md2 --turntable 12 --lighting lambert",
        "bolt.md2 --turntable 12 --lighting lambert --light-follows",
        "bolt.md2 --turntable 12 --renderer classic",
        "bolt.md3 --animation walk --turntable 9 --frame-on model",
        "bolt.md5mesh --animation bolt_walk",
        "bolt.md5mesh --animation bolt_walk --fps 24 --camera-orthographic",
        "players/bolt --legs LEGS_WALK --torso TORSO_ATTACK",
        "players/bolt --animation BOTH_DEATH1 --fps 20",
    ] {
        let program = env!("CARGO_BIN_EXE_polyset");
        let mut command = std::process::Command::new(program);
        let command = command.current_dir(folder.join("tests/models"));
        let command = command.arg("animate").args(words.split(' '));
        let output = command.args(["-s", "64", "-o", "-", "--format", "rgba"]).output().unwrap();
        assert!(output.status.success(), "{words}");
        let pictures = output.stdout.len() / (64 * 64 * 4);
        let rows = 64 * pictures as u32;
        let all = Image::from_rgba(64, rows, output.stdout).unwrap();
        found += &format!("{:016x} {pictures:3} {words}\n", all.hash());
    }
    if std::env::var_os("POLYSET_BLESS").is_some() {
        fs::write(&file, &found).unwrap();
    }
    assert_eq!(found, kept, "POLYSET_BLESS=1 keeps the hashes of what was looked at");
}
