//! Sprites: where everything is, and that the pixels there are those of the model.

use std::fs;
use std::path::Path;

use polyset::{Image, Pixels};
use serde_json::Value;

use super::{pictures, polyset, run, samples, seen};

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let all: Vec<f64> = value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    all.try_into().unwrap()
}

/// A part of a picture, as RGBA.
fn part(image: &Image, rect: [u32; 4]) -> Vec<[u8; 4]> {
    let Pixels::Rgba(rgba) = image.clone().into_rgba().pixels().clone() else { unreachable!() };
    let texels = rgba.as_chunks::<4>().0;
    let [x, y, width, height] = rect;
    let row = |row: u32| ((y + row) * image.width() + x) as usize;
    let rows =
        (0..height).flat_map(|number| texels[row(number)..row(number) + width as usize].to_vec());
    rows.collect()
}

#[test]
fn a_trimmed_sheet_holds_what_a_whole_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.mdl"]);
    for options in ["", "--color indexed", "--enlarge 3", "--view top-down", "--scale 1.25"] {
        let words = format!("sprites bolt.mdl --animation run --directions 4 --force {options}");
        polyset(
            folder,
            &format!("{words} -s 48 -o whole").replace("--scale 1.25 -s 48", "--scale 1.25"),
        );
        let trimmed = format!("{words} -s 48 -o cut --trim --padding 3 --extrude 2");
        polyset(folder, &trimmed.replace("--scale 1.25 -s 48", "--scale 1.25"));
        let [whole, cut] = ["whole", "cut"].map(|name| {
            let folder = folder.join(name);
            (Image::open(folder.join("bolt.png")).unwrap(), json(&folder.join("bolt.json")))
        });
        let sprites = |json: &Value| json["sprites"].as_array().unwrap().clone();
        let pairs: Vec<_> = sprites(&whole.1).into_iter().zip(sprites(&cut.1)).collect();
        assert_eq!(pairs.len(), 24, "{options}");
        let cell: [f64; 2] = numbers(&whole.1["cell"]);
        let mut pivots = Vec::new();
        for (all, trimmed) in pairs {
            let [x, y, width, height] = numbers(&all["rect"]).map(|x: f64| x as u32);
            assert_eq!([width, height].map(f64::from), cell);
            let image =
                Image::from_rgba(width, height, part(&whole.0, [x, y, width, height]).concat());
            let [left, top, right, bottom] = seen(&image.unwrap());
            let [cx, cy, cw, ch] = numbers(&trimmed["rect"]).map(|x: f64| x as u32);
            let [ox, oy] = numbers(&trimmed["offset"]).map(|x: f64| x as u32);
            assert_eq!([ox, oy, cw, ch], [left, top, right - left + 1, bottom - top + 1]);
            assert_eq!(
                part(&whole.0, [x + ox, y + oy, cw, ch]),
                part(&cut.0, [cx, cy, cw, ch]),
                "{options} {}",
                all["name"]
            );
            // The outermost pixels once more around it.
            assert_eq!(part(&cut.0, [cx - 2, cy, 1, ch]), part(&cut.0, [cx, cy, 1, ch]));
            assert_eq!(
                part(&cut.0, [cx, cy + ch + 1, cw, 1]),
                part(&cut.0, [cx, cy + ch - 1, cw, 1])
            );
            let [a, b]: [f64; 2] = numbers(&all["pivot"]);
            let [c, d]: [f64; 2] = numbers(&trimmed["pivot"]);
            assert!((a - c - f64::from(ox)).abs() < 1e-3 && (b - d - f64::from(oy)).abs() < 1e-3);
            pivots.push([a, b]);
        }
        assert!(pivots.iter().all(|pivot| *pivot == pivots[0]), "one pivot for all directions");
    }
}

#[test]
fn the_pivot_is_the_origin_and_the_directions_go_round() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.md2"]);
    polyset(folder, "sprites bolt.md2 -o a --frame 0 --directions 8 -s 96");
    let (sheet, said) =
        (Image::open(folder.join("a/bolt.png")).unwrap(), json(&folder.join("a/bolt.json")));
    let camera = "--camera-orthographic --camera-elevation-angle 30";
    for sprite in said["sprites"].as_array().unwrap() {
        // A picture from there, framed by itself, is as large but elsewhere.
        let azimuth = sprite["azimuth"].as_f64().unwrap();
        assert_eq!(azimuth, sprite["direction"].as_f64().unwrap() * 45.0);
        polyset(
            folder,
            &format!(
                "render bolt.md2 b.png --frame 0 -s 512 {camera} --camera-azimuth-angle {azimuth}"
            ),
        );
        let [l, t, r, b] = seen(&Image::open(folder.join("b.png")).unwrap()).map(f64::from);
        let rect: [f64; 4] = numbers(&sprite["rect"]);
        let cell = part(&sheet, rect.map(|x| x as u32)).concat();
        let cell = Image::from_rgba(rect[2] as u32, rect[3] as u32, cell).unwrap();
        let [cl, ct, cr, cb] = seen(&cell).map(f64::from);
        let shape = |w: f64, h: f64| w / h;
        let [found, expected] =
            [shape(cr - cl + 1.0, cb - ct + 1.0), shape(r - l + 1.0, b - t + 1.0)];
        assert!((found - expected).abs() < 0.06, "{azimuth}: {found} {expected}");
    }
    // Moved in the world, the pivot moves with the model: the same picture.
    polyset(folder, "sprites bolt.md2 -o c --frame 0 -s 96 --model-origin 100,-50,7");
    let moved = json(&folder.join("c/bolt.json"));
    for axis in 0..2 {
        let [a, b] = [&said, &moved].map(|json| json["pivot"][axis].as_f64().unwrap());
        assert!((a - b).abs() < 0.01, "{a} {b}");
    }
    // From above the pivot is in the middle, and what is in front is below it.
    polyset(folder, "sprites bolt.md2 -o d --frame 0 -s 96 --view top-down --directions 1");
    let above = json(&folder.join("d/bolt.json"));
    let [x, y]: [f64; 2] = numbers(&above["pivot"]);
    assert!((x - 48.0).abs() < 0.01 && (y - 48.0).abs() < 0.01, "{x} {y}");
}

#[test]
fn mirrored_sides_are_named_and_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.mdl"]);
    polyset(folder, "sprites bolt.mdl -o a --animation run --directions 5 -s 64 --trim");
    let said = json(&folder.join("a/bolt.json"));
    let sprites = said["sprites"].as_array().unwrap();
    assert_eq!((said["directions"].as_u64(), sprites.len()), (Some(8), 48));
    let width = said["cell"][0].as_f64().unwrap();
    for sprite in sprites.iter().filter(|sprite| sprite["mirrored"].as_bool().unwrap()) {
        let own = sprites
            .iter()
            .find(|own| own["rect"] == sprite["rect"] && !own["mirrored"].as_bool().unwrap());
        let own = own.unwrap();
        let direction = |sprite: &Value| sprite["direction"].as_u64().unwrap();
        assert_eq!(direction(own) + direction(sprite), 8);
        let [left, right] = [own, sprite].map(|s| s["offset"][0].as_f64().unwrap());
        assert_eq!(left + right + own["rect"][2].as_f64().unwrap(), width);
        let [a, b] = [own, sprite].map(|s| s["pivot"][0].as_f64().unwrap());
        assert!((a + b - own["rect"][2].as_f64().unwrap()).abs() < 1e-3);
    }
    let mirrored = sprites.iter().filter(|sprite| sprite["mirrored"].as_bool().unwrap()).count();
    assert_eq!(mirrored, 18);
}

#[test]
fn aseprite_finds_clips_durations_and_pivots() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.mdl"]);
    polyset(
        folder,
        "sprites bolt.mdl -o a --clips all --directions 4 -s 32 --trim --schema aseprite --color indexed",
    );
    let said = json(&folder.join("a/bolt.json"));
    let (frames, meta) = (said["frames"].as_array().unwrap(), &said["meta"]);
    let tags = meta["frameTags"].as_array().unwrap();
    assert_eq!((frames.len(), tags.len(), &meta["format"]), (4 * 29, 4 * 5, &"I8".into()));
    let mut next = 0;
    for tag in tags {
        let [from, to] = ["from", "to"].map(|name| tag[name].as_u64().unwrap() as usize);
        assert_eq!(from, next);
        next = to + 1;
        let sum: u64 =
            frames[from..=to].iter().map(|frame| frame["duration"].as_u64().unwrap()).sum();
        let clip = tag["name"].as_str().unwrap().rsplit_once('-').unwrap().0.to_owned();
        let expected = match clip.as_str() {
            "stand" => 800,
            "run" => 600,
            "pain" => 400,
            "wave" => 1150,
            _ => 100,
        };
        assert_eq!(sum, expected, "{clip}");
    }
    assert_eq!(next, frames.len());
    let keys = meta["slices"][0]["keys"].as_array().unwrap();
    assert_eq!(keys.len(), frames.len());
    let size: [u64; 2] = ["w", "h"].map(|side| meta["size"][side].as_u64().unwrap());
    let sheet = Image::open(folder.join("a/bolt.png")).unwrap();
    assert_eq!(size, [sheet.width(), sheet.height()].map(u64::from));
}

/// The offset that a PNG has in its chunk `grAb`.
fn offset(png: &[u8]) -> [i32; 2] {
    let at = png.windows(4).position(|bytes| bytes == b"grAb").unwrap() + 4;
    assert_eq!(png[at - 8..at - 4], 8_u32.to_be_bytes());
    [0, 4].map(|from| i32::from_be_bytes(png[at + from..at + from + 4].try_into().unwrap()))
}

#[test]
fn dooms_engines_find_their_names_and_offsets() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.mdl"]);
    let base = "sprites bolt.mdl --view doom --color indexed -s 64 --animation pain";
    for (options, names) in [
        ("--directions 5", vec!["A1", "A2A8", "A3A7", "A4A6", "A5"]),
        ("--directions 8", vec!["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"]),
        ("--directions 1", vec!["A0"]),
        (
            "--directions 16 --mirror",
            vec!["A1", "A9AG", "A2A8", "AAAF", "A3A7", "ABAE", "A4A6", "ACAD", "A5"],
        ),
    ] {
        let _ = fs::remove_dir_all(folder.join("doom"));
        polyset(folder, &format!("{base} {options} --doom-name bolt -o doom"));
        let names = names.into_iter().map(|name| format!("BOLT{name}.png"));
        for name in names {
            let bytes = fs::read(folder.join("doom").join(&name)).unwrap();
            let image = Image::open(folder.join("doom").join(&name)).unwrap();
            let [x, y] = offset(&bytes);
            assert!((0..=image.width() as i32).contains(&x), "{name}: {x}");
            assert!((0..=image.height() as i32).contains(&y), "{name}: {y}");
        }
        assert_eq!(pictures(&folder.join("doom")).len() % 4, 0, "four frames of each");
    }
    // Cut and placed by their offsets they are the cells of the sheet.
    let _ = fs::remove_dir_all(folder.join("doom"));
    polyset(folder, &format!("{base} --doom-name bolt -o doom"));
    polyset(folder, &format!("{base} -o sheet"));
    let (sheet, said) = (
        Image::open(folder.join("sheet/bolt.png")).unwrap(),
        json(&folder.join("sheet/bolt.json")),
    );
    let pivot = numbers::<2>(&said["pivot"]).map(|x| x.round() as i32);
    for sprite in said["sprites"].as_array().unwrap() {
        let frame = sprite["frame"].as_u64().unwrap() as u8;
        let direction = sprite["direction"].as_u64().unwrap() + 1;
        let name = format!("doom/BOLT{}{direction}.png", char::from(b'A' + frame));
        let image = Image::open(folder.join(&name)).unwrap();
        let [x, y] = offset(&fs::read(folder.join(&name)).unwrap());
        let rect = numbers::<4>(&sprite["rect"]).map(|x| x as i32);
        let [left, top] = [rect[0] + pivot[0] - x, rect[1] + pivot[1] - y].map(|x| x as u32);
        let (width, height) = (image.width(), image.height());
        assert_eq!(
            part(&image, [0, 0, width, height]),
            part(&sheet, [left, top, width, height]),
            "{name}"
        );
    }
}

#[test]
fn what_cannot_be_sprites_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.mdl"]);
    for (words, why) in [
        ("", "no output: give --output DIR"),
        ("-o a --directions 7", "expected 1, 4, 5, 8, 16 or 32"),
        ("-o a --directions 1 --mirror", "--mirror needs an even number"),
        ("-o a --renderer classic", "--renderer classic does not have"),
        ("-o a --camera-position 1,2,3", "leave --camera-position"),
        ("-o a --doom-name imp", "four letters or digits"),
        ("-o a --doom-name troo --directions 32", "know sprites of 1, 8 or 16"),
        (
            "-o a --doom-name troo --animation wave --fps 50",
            "frames: a sprite of Doom has 29 at most",
        ),
        ("-o a --doom-name troo --trim", "make different files"),
        ("-o a --clips all -s 2048 --directions 32", "are more than"),
        ("-o a --scale 1000", "pixels a side"),
        ("-o a --animation jump", "there is no animation 'jump'"),
    ] {
        let (code, stdout, stderr) = run(folder, &format!("sprites bolt.mdl {words}"));
        assert_eq!((code, stdout.as_str()), (2, ""), "{words}: {stderr}");
        assert!(stderr.contains(why), "{words}: {stderr}");
        assert!(!folder.join("a").exists(), "{words}");
    }
}
