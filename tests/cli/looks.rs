//! Skins, palettes, indices and depth.

use std::fs;

use polyset::{Image, Pixels};

use super::{model, open_png, polyset, run};

#[test]
fn an_md2_without_a_skin_size_takes_that_of_its_picture() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(model("bolt.pcx"), folder.path().join("bolt.pcx")).unwrap();
    let mut bytes = fs::read(model("bolt.md2")).unwrap();
    fs::write(folder.path().join("bolt.md2"), &bytes).unwrap();
    bytes[8..16].fill(0);
    fs::write(folder.path().join("sizeless.md2"), bytes).unwrap();
    let [intact, sizeless] = ["bolt.md2", "sizeless.md2"].map(|name| {
        let mut command = polyset(&folder);
        let (code, hash, stderr) = run(command.args(["render", name, "--hash", "-s", "64"]));
        assert_eq!(code, 0, "{stderr}");
        hash
    });
    assert_eq!(intact, sizeless);
}

#[test]
fn a_missing_texture_is_a_warning_and_a_grey_picture() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(model("bolt.md2"), folder.path().join("lonely.md2")).unwrap();
    let (code, png, stderr) = run(polyset(&folder).args(["render", "lonely.md2", "-", "-s", "32"]));
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("lonely.md2: texture 'models/bolt/bolt.pcx' not found"), "{stderr}");
    let Pixels::Rgba(rgba) = open_png(&png).pixels().clone() else { panic!("not RGBA") };
    let drawn = rgba.chunks_exact(4).filter(|pixel| pixel[3] == 255);
    assert!(drawn.clone().count() > 50);
    assert!(drawn.clone().all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2]));
    // A root in which the name leads to a picture.
    let path = folder.path().join("game/Models/BOLT");
    fs::create_dir_all(&path).unwrap();
    fs::copy(model("bolt.pcx"), path.join("bolt.PCX")).unwrap();
    let mut command = polyset(&folder);
    command.args(["render", "lonely.md2", "-", "-s", "32", "--texture-root", "game"]);
    let (code, colored, stderr) = run(&mut command);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_ne!(colored, png);
}

#[test]
fn indexed_pictures_keep_indices_and_a_transparent_entry() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, transparent) in [
        (&[][..], Some(255)),
        (&["--background-index", "250"], Some(250)),
        (&["--background-color", "0000FF"], None),
    ] {
        let mut command = polyset(&folder);
        command.args(["render", &model("bolt.mdl"), "o.png", "-s", "40", "--color", "indexed"]);
        let (code, _, stderr) = run(command.args(arguments));
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        let image = Image::open_indexed_png(folder.path().join("o.png")).unwrap();
        let Pixels::Indexed { indices, transparent: found, .. } = image.pixels() else {
            panic!("not indexed")
        };
        assert_eq!(*found, transparent, "{arguments:?}");
        if let Some(index) = transparent {
            assert_eq!(indices[0], index, "{arguments:?}");
        }
    }
    // This skin uses index 255: no entry may be transparent.
    let mut command = polyset(&folder);
    command.args(["render", &model("bolt.md2"), "o.png", "-s", "128", "--color", "indexed"]);
    let (code, _, stderr) = run(&mut command);
    assert_eq!(code, 0);
    assert!(stderr.contains("palette index 255"), "{stderr}");
}

/// A picture of 1 x 1 pixels in every format of indices, with a palette; the end of its name and its bytes.
fn with_palettes(colors: &[[u8; 3]; 256]) -> [(&'static str, Vec<u8>); 4] {
    let mut png = Vec::new();
    let palette = std::sync::Arc::new(polyset::Palette::new(*colors, 256));
    Image::from_indices(1, 1, vec![0], palette, Some(3)).unwrap().encode_png(&mut png).unwrap();
    let mut pcx = vec![0; 128];
    pcx[..4].copy_from_slice(&[10, 5, 1, 8]);
    (pcx[65], pcx[66]) = (1, 1);
    pcx.extend([0, 0x0c]);
    pcx.extend(colors.as_flattened());
    let mut bmp = b"BM".to_vec();
    for number in [1082u32, 0, 1078, 40, 1, 1, 1 | 8 << 16, 0, 4, 0, 0, 256, 0] {
        bmp.extend(number.to_le_bytes());
    }
    bmp.extend(colors.iter().flat_map(|&[red, green, blue]| [blue, green, red, 0]));
    bmp.extend([0; 4]);
    let mut tga = vec![0, 1, 1, 0, 0, 0, 1, 24, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0];
    tga.extend(colors.iter().flat_map(|&[red, green, blue]| [blue, green, red]));
    tga.push(0);
    [("png", png), ("pcx", pcx), ("bmp", bmp), ("tga", tga)]
}

#[test]
fn a_palette_may_be_that_of_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let colors: [[u8; 3]; 256] =
        std::array::from_fn(|i| [i as u8, 255 - i as u8, 7 * (i as u8 & 31)]);
    let drawn = |name: &str, bytes: Option<&[u8]>| {
        if let Some(bytes) = bytes {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let mut command = polyset(&folder);
        command.args(["render", &model("bolt.mdl"), "o.png", "-s", "16", "--color", "indexed"]);
        let (code, _, stderr) = run(command.args(["--palette", name]));
        assert_eq!(code, 0, "{name}: {stderr}");
        *Image::open_indexed_png(folder.path().join("o.png")).unwrap().palette().unwrap().colors()
    };
    for (extension, bytes) in with_palettes(&colors) {
        assert!(drawn(&format!("p.{extension}"), Some(&bytes)) == colors, "{extension}");
    }
    // What polyset has drawn itself.
    fs::copy(folder.path().join("o.png"), folder.path().join("own.png")).unwrap();
    assert!(drawn("own.png", None) == colors);
    let pictures = Image::from_rgba(1, 1, vec![255; 4]).unwrap();
    pictures.save_png(folder.path().join("rgba.png")).unwrap();
    let mut command = polyset(&folder);
    let (code, _, stderr) =
        run(command.args(["render", &model("bolt.mdl"), "o.png", "--palette", "rgba.png"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("'rgba.png': expected 768 bytes, or a PCX, PNG"), "{stderr}");
}

#[test]
fn depth_is_written_row_by_row_as_floats() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = polyset(&folder);
    command.args(["render", &model("bolt.md3"), "--resolution", "40,30", "--depth-output", "z"]);
    assert_eq!(run(&mut command).0, 0);
    let bytes = fs::read(folder.path().join("z")).unwrap();
    let depths: Vec<f32> =
        bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    assert_eq!(depths.len(), 40 * 30);
    assert_eq!(depths[0], 1.0);
    assert!(depths.iter().all(|depth| (0.0..=1.0).contains(depth)));
    let middle = depths[15 * 40 + 20];
    assert!(middle > 0.0 && middle < 1.0, "{middle}");
}
