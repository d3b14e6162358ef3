//! PNGs as other programs write them, and broken ones: what `compare`, golden tests, `hash` and textures make
//! of each.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::Write;
use std::path::Path;

use assert_cmd::Command;
use flate2::{Compression, Crc, write::ZlibEncoder};
use polyset::Image;
use polyset::golden::Golden;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const GREY: u8 = 0;
const RGB: u8 = 2;
const INDEXED: u8 = 3;
const GREY_ALPHA: u8 = 4;
const RGBA: u8 = 6;

fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(&kind);
    crc.update(data);
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], &kind, data, &crc.sum().to_be_bytes()].concat()
}

/// Its checksum is wrong.
fn damaged(mut chunk: Vec<u8>) -> Vec<u8> {
    *chunk.last_mut().unwrap() ^= 1;
    chunk
}

fn header([width, height]: [u32; 2], depth: u8, color: u8, interlaced: bool) -> Vec<u8> {
    let sizes = [width.to_be_bytes(), height.to_be_bytes()].concat();
    chunk(*b"IHDR", &[&sizes[..], &[depth, color, 0, 0, u8::from(interlaced)]].concat())
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Rows without filters.
fn pixels(rows: &[&[u8]]) -> Vec<u8> {
    chunk(*b"IDAT", &packed(&rows.iter().flat_map(|row| [&[0], *row].concat()).collect::<Vec<_>>()))
}

fn png(chunks: &[Vec<u8>]) -> Vec<u8> {
    [SIGNATURE, &chunks.concat(), &chunk(*b"IEND", &[])].concat()
}

/// A row of `width` pixels.
fn row(width: u32, depth: u8, color: u8, between: &[Vec<u8>], data: &[u8]) -> Vec<u8> {
    let header = header([width, 1], depth, color, false);
    png(&[&[header], between, &[pixels(&[data])]].concat())
}

fn palette() -> Vec<u8> {
    chunk(*b"PLTE", &[0, 0, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90])
}

fn frame_control(number: u32) -> Vec<u8> {
    let sizes: Vec<u8> = [number, 1, 1, 0, 0].into_iter().flat_map(u32::to_be_bytes).collect();
    chunk(*b"fcTL", &[&sizes[..], &[0, 1, 0, 10, 0, 0]].concat())
}

/// A picture, which belongs to the animation if a frame control stands before it, and `later` more.
fn animation(before: &[Vec<u8>], later: u32) -> Vec<u8> {
    let controls = u32::try_from(before.len()).unwrap();
    let control = chunk(*b"acTL", &[(controls + later).to_be_bytes(), [0; 4]].concat());
    let first = [header([1, 1], 8, GREY, false), control, before.concat(), pixels(&[&[7]])];
    let later = (0..later).flat_map(|i| {
        let number = controls + 2 * i;
        let data = [&(number + 1).to_be_bytes()[..], &packed(&[0, 9])].concat();
        [frame_control(number), chunk(*b"fdAT", &data)]
    });
    png(&first.into_iter().chain(later).collect::<Vec<_>>())
}

#[test]
fn every_kind_of_png_is_read() {
    let [color, grey] = [[10, 20, 30, 255], [70, 80, 90, 255]];
    let trns = |data: &[u8]| vec![chunk(*b"tRNS", data)];
    let with_palette = |more: &[u8]| vec![palette(), chunk(*b"tRNS", more)];
    let huge_text = chunk(*b"zTXt", &[b"a\0\0", &packed(&vec![0; 20_000_000])[..]].concat());
    let profile = chunk(*b"iCCP", &[b"a\0\0", &packed(&vec![0; 20_000_000])[..]].concat());
    let interlaced = png(&[header([2, 2], 8, GREY, true), pixels(&[&[10], &[20], &[30, 40]])]);
    let plain = row(1, 8, GREY, &[], &[9]);
    let nine = [9, 9, 9, 255];
    for (name, bytes, expected) in [
        ("grey, 1 bit", row(9, 1, GREY, &[], &[0x40, 0x80]), {
            let mut bits = vec![[0, 0, 0, 255]; 9];
            (bits[1], bits[8]) = ([255; 4], [255; 4]);
            bits
        }),
        (
            "grey, 2 bits",
            row(3, 2, GREY, &[], &[0b0001_1000]),
            vec![[0, 0, 0, 255], [85, 85, 85, 255], [170, 170, 170, 255]],
        ),
        (
            "grey, 4 bits",
            row(2, 4, GREY, &[], &[0x5a]),
            vec![[85, 85, 85, 255], [170, 170, 170, 255]],
        ),
        ("grey", plain.clone(), vec![nine]),
        ("grey, 16 bits that 8 hold", row(1, 16, GREY, &[], &[9, 9]), vec![nine]),
        ("grey and alpha", row(1, 8, GREY_ALPHA, &[], &[9, 8]), vec![[9, 9, 9, 8]]),
        ("RGB", row(1, 8, RGB, &[], &[1, 2, 3]), vec![[1, 2, 3, 255]]),
        ("RGBA", row(1, 8, RGBA, &[], &[1, 2, 3, 4]), vec![[1, 2, 3, 4]]),
        (
            "RGBA, 16 bits that 8 hold",
            row(1, 16, RGBA, &[], &[1, 1, 2, 2, 3, 3, 4, 4]),
            vec![[1, 2, 3, 4]],
        ),
        (
            "palette, 1 bit",
            row(2, 1, INDEXED, &[palette()], &[0b0100_0000]),
            vec![[0, 0, 0, 255], color],
        ),
        ("palette, 2 bits", row(2, 2, INDEXED, &[palette()], &[0b0111_0000]), vec![color, grey]),
        ("palette, 4 bits", row(2, 4, INDEXED, &[palette()], &[0x13]), vec![color, grey]),
        ("palette", row(2, 8, INDEXED, &[palette()], &[1, 3]), vec![color, grey]),
        (
            "an index beyond the palette",
            row(2, 8, INDEXED, &[palette()], &[1, 9]),
            vec![color, [0, 0, 0, 255]],
        ),
        (
            "translucent entries",
            row(2, 8, INDEXED, &with_palette(&[0, 128]), &[1, 3]),
            vec![[10, 20, 30, 128], grey],
        ),
        (
            "more alphas than colours, of which none counts",
            row(1, 8, INDEXED, &with_palette(&[9; 6]), &[1]),
            vec![color],
        ),
        (
            "a transparent grey",
            row(2, 8, GREY, &trns(&[0, 9]), &[9, 8]),
            vec![[9, 9, 9, 0], [8, 8, 8, 255]],
        ),
        (
            "a transparent colour",
            row(2, 8, RGB, &trns(&[0, 1, 0, 2, 0, 3]), &[1, 2, 3, 4, 5, 6]),
            vec![[1, 2, 3, 0], [4, 5, 6, 255]],
        ),
        (
            "a colour with a palette beside",
            row(1, 8, RGB, &[palette()], &[1, 2, 3]),
            vec![[1, 2, 3, 255]],
        ),
        (
            "interlaced",
            interlaced,
            vec![[10, 10, 10, 255], [20, 20, 20, 255], [30, 30, 30, 255], [40, 40, 40, 255]],
        ),
        ("an animation of one picture", animation(&[frame_control(0)], 0), vec![[7, 7, 7, 255]]),
        ("a text of 20 MB", row(1, 8, GREY, &[huge_text], &[9]), vec![nine]),
        ("a profile of 20 MB", row(1, 8, GREY, &[profile], &[9]), vec![nine]),
        (
            "a gamma, which is not applied",
            row(1, 8, GREY, &[chunk(*b"gAMA", &[0, 0, 1, 0])], &[9]),
            vec![nine],
        ),
        ("a damaged text", row(1, 8, GREY, &[damaged(chunk(*b"tEXt", b"a\0b"))], &[9]), vec![nine]),
        ("an unknown chunk", row(1, 8, GREY, &[chunk(*b"abCd", b"x")], &[9]), vec![nine]),
        ("junk behind the end", [plain.clone(), b"junk".repeat(1000)].concat(), vec![nine]),
        ("no end", plain[..plain.len() - 12].to_vec(), vec![nine]),
    ] {
        let found = open(&bytes).map(|image| image.to_rgba());
        assert_eq!(found, Ok(expected.concat()), "{name}");
    }
}

/// What `compare` reads, or its message.
fn open(bytes: &[u8]) -> Result<Image, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    fs::write(&path, bytes).unwrap();
    Image::open_whole(path).map_err(|error| error.to_string())
}

#[test]
fn what_cannot_be_read_says_why() {
    let plain = row(1, 8, GREY, &[], &[9]);
    let large = row(
        16_000,
        8,
        RGBA,
        &[],
        &(0..64_000).map(|i| (i % 251 * i % 256) as u8).collect::<Vec<_>>(),
    );
    let sized =
        |sides, depth, color| png(&[header(sides, depth, color, false), pixels(&[&[0; 8]])]);
    let one = |chunks: &[Vec<u8>]| png(&[&[header([1, 1], 8, INDEXED, false)], chunks].concat());
    let grey = header([1, 2], 8, GREY, false);
    for (name, bytes, part) in [
        ("empty", Vec::new(), "the file is empty"),
        ("half a signature", SIGNATURE[..5].to_vec(), "the content is none of these"),
        ("a signature alone", SIGNATURE.to_vec(), "PNG: the file ends before the picture does"),
        ("cut in the header", plain[..20].to_vec(), "the file ends before the picture does"),
        (
            "cut in the pixels",
            large[..large.len() / 2].to_vec(),
            "the file ends before the picture does",
        ),
        (
            "sides that no picture has",
            sized([0x7fff_ffff; 2], 8, RGBA),
            "2147483647 x 2147483647 pixels in a file of",
        ),
        (
            "out of proportion",
            sized([16_384; 2], 8, RGBA),
            "and in proportion to the file are read",
        ),
        ("no columns", sized([0, 1], 8, RGBA), "PNG: Invalid image dimensions"),
        ("3 bits", sized([1, 1], 3, GREY), "Invalid bit depth 3"),
        ("16-bit indices", sized([1, 1], 16, INDEXED), "Invalid color/depth combination"),
        ("colours of kind 1", sized([1, 1], 8, 1), "Invalid color type 1"),
        (
            "16 bits a channel",
            row(1, 16, GREY, &[], &[9, 10]),
            "16 bits a channel, of which only 8 would be compared",
        ),
        (
            "16 bits, interlaced",
            png(&[header([1, 1], 16, GREY, true), pixels(&[&[9, 10]])]),
            "16 bits a channel",
        ),
        (
            "an animation",
            animation(&[frame_control(0)], 1),
            "an animation; only single pictures are compared",
        ),
        (
            "an animation behind a picture",
            animation(&[], 1),
            "an animation; only single pictures are compared",
        ),
        (
            "damaged pixels",
            png(&[grey.clone(), damaged(pixels(&[&[1], &[2]]))]),
            "CRC error: expected 0x",
        ),
        (
            "damaged pixels",
            png(&[grey.clone(), damaged(pixels(&[&[1], &[2]]))]),
            "while decoding IDAT chunk",
        ),
        (
            "a damaged header",
            png(&[damaged(grey.clone()), pixels(&[&[1], &[2]])]),
            "while decoding IHDR chunk",
        ),
        (
            "a damaged palette",
            one(&[damaged(palette()), pixels(&[&[1]])]),
            "while decoding PLTE chunk",
        ),
        ("no palette", one(&[pixels(&[&[1]])]), "Missing palette of indexed image"),
        (
            "a third of a colour",
            one(&[chunk(*b"PLTE", &[0; 7]), pixels(&[&[2]])]),
            "a palette of 7 bytes: expected 3 a colour, 1 to 256 colours",
        ),
        (
            "two bytes of a colour",
            one(&[chunk(*b"PLTE", &[0; 2]), pixels(&[&[2]])]),
            "Chunk length wrong: PLTE",
        ),
        ("no colours", one(&[chunk(*b"PLTE", &[]), pixels(&[&[2]])]), "Chunk length wrong: PLTE"),
        (
            "257 colours",
            one(&[chunk(*b"PLTE", &[0; 771]), pixels(&[&[2]])]),
            "Chunk length wrong: PLTE",
        ),
        (
            "not packed",
            png(&[grey.clone(), chunk(*b"IDAT", b"\x78\x9c\xff\xff\xff")]),
            "Corrupt deflate stream",
        ),
        (
            "too few rows",
            png(&[grey.clone(), pixels(&[&[1]])]),
            "does not have enough data for image",
        ),
        ("no pixels", png(std::slice::from_ref(&grey)), "chunk is missing"),
        (
            "pixels before the header",
            png(&[pixels(&[&[1]])]),
            "IDAT chunk appeared before IHDR chunk",
        ),
        (
            "two headers",
            png(&[grey.clone(), grey, pixels(&[&[1]])]),
            "Chunk IHDR must appear at most once",
        ),
        (
            "an unknown chunk that counts",
            one(&[chunk(*b"ABCD", &[])]),
            "Unrecognized critical chunk: ABCD",
        ),
        (
            "an unknown filter",
            png(&[header([1, 1], 8, GREY, false), chunk(*b"IDAT", &packed(&[9, 1]))]),
            "Unknown filter method 9",
        ),
    ] {
        let message = open(&bytes).expect_err(name);
        assert!(message.contains("a.png': ") && message.contains(part), "{name}: {message}");
    }
    for end in 0..large.len() - 12 {
        if end < 64 || end % 501 == 0 {
            assert!(open(&large[..end]).is_err(), "{end} bytes");
        }
    }
}

#[test]
fn every_command_names_the_picture() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let good = row(1, 8, GREY, &[], &[9]);
    let cut = good[..40].to_vec();
    let palette = row(1, 8, INDEXED, &[chunk(*b"PLTE", &[0; 7])], &[1]);
    for (name, bytes) in [("good.png", &good), ("cut.png", &cut), ("palette.png", &palette)] {
        fs::write(folder.join(name), bytes).unwrap();
    }
    fs::write(folder.join("deep.png"), row(1, 16, GREY, &[], &[9, 10])).unwrap();
    fs::write(folder.join("moving.png"), animation(&[frame_control(0)], 1)).unwrap();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/bolt.md2");
    fs::copy(model, folder.join("bolt.md2")).unwrap();
    for (words, code, part) in [
        ("compare good.png cut.png", 2, "'cut.png': PNG: the file ends before the picture does"),
        ("compare cut.png good.png", 2, "'cut.png': PNG"),
        ("compare good.png palette.png", 2, "'palette.png': PNG: a palette of 7 bytes"),
        (
            "compare good.png palette.png --indices",
            2,
            "8-bit indices are wanted, this is Grayscale",
        ),
        (
            "compare palette.png palette.png --indices",
            2,
            "'palette.png': PNG: a palette of 7 bytes",
        ),
        ("compare deep.png deep.png", 2, "'deep.png': picture: 16 bits a channel"),
        ("compare moving.png moving.png", 2, "'moving.png': picture: an animation"),
        ("hash bolt.md2 -s 16 --skin cut.png", 2, "'cut.png': PNG: the file ends"),
        ("hash bolt.md2 -s 16 --skin palette.png", 2, "'palette.png': PNG: a palette of 7"),
        // Textures may have more than pictures that are compared.
        ("hash bolt.md2 -s 16 --skin deep.png", 0, ""),
        ("hash bolt.md2 -s 16 --skin moving.png", 0, ""),
        ("hash good.png", 2, "good.png"),
        ("hash -c good.png", 2, "good.png"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
        let output = command.current_dir(folder).args(words.split_whitespace()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}: {said}");
        assert!(said.contains(part), "{words}: {said}");
    }
    let golden = Golden::new(folder).with_differences(folder.join("differences")).blessing(false);
    let image = Image::from_rgba(1, 1, vec![9, 9, 9, 255]).unwrap();
    golden.check("good", &image).unwrap();
    for (name, part) in [
        ("cut", "cut.png': PNG: the file ends before the picture does"),
        ("palette", "palette.png': PNG: a palette of 7 bytes"),
        ("deep", "deep.png': picture: 16 bits a channel"),
        ("moving", "moving.png': picture: an animation"),
    ] {
        let message = golden.check(name, &image).unwrap_err().to_string();
        assert!(message.contains(part), "{name}: {message}");
    }
    assert!(!folder.join("differences").exists());
}
