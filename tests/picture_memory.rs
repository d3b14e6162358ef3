//! What decoding a picture takes in memory is known before it is taken, and never more than that:
//! claims of a header, packed texts and profiles, buffers of the decoders.

#[path = "shared/md3.rs"]
mod md3;

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use md3::md3;
use peak_alloc::PeakAlloc;
use polyset::scene::Studio;
use polyset::{Image, Renderer, Scene};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The counters of [`MEMORY`] belong to the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// The most that decoding takes beyond its budget: the error message, the buffers of allocators.
const SLACK: usize = 64 << 10;

/// Peak memory of `case`, in bytes.
fn peak_of<T>(case: impl FnOnce() -> T) -> (T, usize) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = case();
    (result, MEMORY.peak_usage().saturating_sub(before))
}

/// A PNG of 8-bit grey, black and of the given sides; and the compressed pixels in it.
fn black_png(side: u32) -> (Vec<u8>, Vec<u8>) {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a header");
    let mut stream = writer.stream_writer().expect("a stream");
    let row = vec![0; side as usize];
    for _ in 0..side {
        std::io::Write::write_all(&mut stream, &row).expect("memory to write to");
    }
    stream.finish().expect("all rows");
    writer.finish().expect("an end");
    let mut data = Vec::new();
    let mut rest = &file[8..];
    while let Some((head, behind)) = rest.split_first_chunk::<8>() {
        let len = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if head.ends_with(b"IDAT") {
            data.extend(&behind[..len]);
        }
        rest = &behind[len + 4..];
    }
    (file, data)
}

/// A PNG of one pixel with a chunk before its pixels.
fn png_with_chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = png::Encoder::new(&mut file, 1, 1).write_header().expect("a header");
    writer.write_chunk(png::chunk::ChunkType(kind), data).expect("memory to write to");
    writer.write_image_data(&[7]).expect("one pixel");
    writer.finish().expect("an end");
    file
}

#[test]
fn what_a_png_has_packed_beside_its_pixels_stays_packed() {
    let _alone = ALONE.lock();
    // 256 MiB of zeros.
    let (_, packed) = black_png(16384);
    for (kind, head) in [
        (*b"iCCP", &b"profile\0\0"[..]),
        (*b"zTXt", b"Comment\0\0"),
        (*b"iTXt", b"Comment\0\x01\0\0\0"),
    ] {
        let file = png_with_chunk(kind, &[head, &packed].concat());
        let (image, peak) = peak_of(|| Image::from_bytes(&file, "png"));
        assert_eq!(image.expect("one grey pixel").to_rgba(), [7, 7, 7, 255]);
        assert!(peak < file.len() + (2 << 20), "{peak} bytes for a file of {}", file.len());
    }
}

#[test]
fn pictures_that_claim_too_much_take_nothing() {
    let _alone = ALONE.lock();
    let mut deep = Vec::new();
    let mut encoder = png::Encoder::new(&mut deep, 16384, 16384);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_chunk(png::chunk::IDAT, &vec![0; 2 << 20]).expect("memory to write to");
    drop(writer);
    let mut pcx = vec![0; 924];
    pcx[..4].copy_from_slice(&[0x0a, 5, 1, 8]);
    (pcx[8..10]).copy_from_slice(&16383u16.to_le_bytes());
    (pcx[10..12]).copy_from_slice(&4095u16.to_le_bytes());
    pcx[65] = 1;
    // Rows so long that the padding is most of the picture.
    let mut padded = pcx.clone();
    padded.resize(16 << 20, 0xff);
    padded[8..12].copy_from_slice(&[0, 0, 0xff, 0x3f]);
    padded[66..68].fill(0xff);
    let mut dds = vec![0; 4096];
    dds[..4].copy_from_slice(b"DDS ");
    dds[80] = 4;
    dds[84..88].copy_from_slice(b"DXT1");
    dds[12..20].copy_from_slice(&[0, 0x40, 0, 0, 0, 0x40, 0, 0]);
    for (name, file) in [("PNG", deep), ("PCX", pcx), ("padded PCX", padded), ("DDS", dds)] {
        let (result, peak) = peak_of(|| Image::from_bytes(&file, ""));
        let message = result.expect_err("too large").to_string();
        assert!(message.contains("for decoding"), "{name}: {message}");
        assert!(peak < SLACK, "{name}: {peak} bytes");
    }
}

/// Pictures of all formats whose decoders need much beside the pixels.
fn demanding_pictures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures");
    let mut pictures: Vec<(String, Vec<u8>)> = Vec::new();
    for name in ["grey.jpg", "rgb.jpg", "cmyk.jpg", "progressive.jpg"] {
        let mut file = fs::read(folder.join(name)).expect("a sample");
        let frames = [[0xff, 0xc0], [0xff, 0xc2]];
        let frame = file.windows(2).position(|at| frames.iter().any(|mark| at == mark));
        let size = frame.expect("a frame header") + 5;
        let sides = [1500u16, 2100].map(u16::to_be_bytes);
        file[size..size + 4].copy_from_slice(sides.as_flattened());
        pictures.push((name.to_owned(), file));
    }
    let wide: Vec<u8> = (0..16384u32 * 8).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
    for (color, depth, pixels) in [
        (png::ColorType::Rgba, png::BitDepth::Sixteen, 16384),
        (png::ColorType::Grayscale, png::BitDepth::One, 16384),
    ] {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, pixels, 4);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let row = pixels as usize * color.samples() * depth as usize / 8;
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(&wide[..row].repeat(4)).expect("four rows");
        writer.finish().expect("an end");
        pictures.push((format!("PNG {color:?} {depth:?}"), file));
    }
    pictures.push(("black PNG".to_owned(), black_png(1000).0));
    let mut pcx = vec![0; 128];
    pcx[..4].copy_from_slice(&[0x0a, 5, 1, 8]);
    pcx[8..12].copy_from_slice(&[0xff, 3, 0xff, 3]);
    pcx[65] = 1;
    pcx[66..68].copy_from_slice(&2000u16.to_le_bytes());
    pcx.extend([0xff, 9].repeat(40_000));
    pcx.extend([0; 768]);
    pictures.push(("PCX".to_owned(), pcx));
    pictures
}

#[test]
fn decoders_take_no_more_than_they_ask_for() {
    let _alone = ALONE.lock();
    for (name, file) in demanding_pictures() {
        // The least budget that is enough.
        let (mut refused, mut enough) = (0, 288 << 20);
        let decode = |budget| Image::from_bytes_within(&file, "", budget);
        assert!(decode(enough).is_ok(), "{name}");
        while enough - refused > 1 {
            let budget = (refused + enough) / 2;
            match decode(budget) {
                Err(error) if error.to_string().contains("for decoding") => refused = budget,
                _ => enough = budget,
            }
        }
        let (image, peak) = peak_of(|| decode(enough));
        assert!(image.is_ok(), "{name}");
        assert!(peak <= enough as usize + SLACK, "{name}: {peak} bytes, asked for {enough}");
        let (_, peak) = peak_of(|| decode(refused));
        assert!(peak <= SLACK, "{name}: {peak} bytes although refused");
    }
}

#[test]
fn textures_of_a_model_share_one_budget() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..12).map(|number| format!("{number}.png")).collect();
    // 16 MiB each when it is decoded.
    let (png, _) = black_png(2048);
    for name in &names {
        fs::write(folder.path().join(name), &png).expect("a file");
    }
    let path = folder.path().join("many.md3");
    fs::write(&path, md3(&names)).expect("a file");
    for (mebibytes, count) in [(16, 1), (64, 4), (256, 12)] {
        let mut scene = Scene::new(&path);
        scene.set("max-memory", mebibytes.to_string()).expect("an option");
        scene.set("size", "16").expect("an option");
        let ((dressed, warnings), peak) = peak_of(|| {
            let mut opened = scene.open().expect("a model");
            let surfaces = opened.model.surfaces().iter();
            let dressed = surfaces.filter(|surface| surface.texture().is_some()).count();
            Studio::new(Renderer::new()).draw(&scene, &mut opened).expect("a picture");
            (dressed, opened.textures.warnings.join("\n"))
        });
        assert_eq!(dressed, count, "{warnings}");
        assert_eq!(warnings.contains("--max-memory"), count < 12, "{warnings}");
        // The pictures, what the renderer makes of them, and a decoder.
        let most = (2 * count.max(1) * 16 + 40) << 20;
        assert!(peak < most, "{peak} bytes with {mebibytes} MiB");
    }
}

#[test]
fn files_without_end_are_not_read() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.md3");
    fs::write(&path, md3(&["sparse.tga".into()])).expect("a file");
    for name in ["sparse.tga", "a_default.skin"] {
        let file = fs::File::create(folder.path().join(name)).expect("a file");
        file.set_len(1500 << 20).expect("a sparse file");
    }
    let (opened, peak) = peak_of(|| Scene::new(&path).open());
    let warnings = opened.expect("a model").textures.warnings.join("\n");
    assert!(warnings.contains("sparse.tga': it has more than"), "{warnings}");
    assert!(warnings.contains("a_default.skin': it has more than"), "{warnings}");
    assert!(peak < 1 << 20, "{peak} bytes");
    if cfg!(unix) {
        let mut scene = Scene::new(&path);
        scene.set("skin", "/dev/zero").expect("an option");
        let (opened, peak) = peak_of(|| scene.open());
        let message = opened.expect_err("no picture").to_string();
        assert!(message.contains("/dev/zero': it has more than"), "{message}");
        // The limit, and half of it while the buffer grows.
        assert!(peak < 400 << 20, "{peak} bytes");
    }
}
