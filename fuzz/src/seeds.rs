//! The inputs that others are made of: small, well-formed, our own.

use std::io;
use std::path::{Path, PathBuf};

use crate::models::{FIXED_JOINTS, KINDS, Kind, file, fixed_md5mesh, md5anim};
use crate::mutate::Mutator;
use crate::source::Source;

/// Where the seeds of a target lie.
#[must_use]
pub fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target)
}

/// The seeds of a target, in the order of their names.
///
/// # Errors
/// If a file cannot be read.
pub fn read(target: &str) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder(target))? {
        paths.push(entry?.path());
    }
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(&path).map(|bytes| (path, bytes))).collect()
}

/// A well-formed model of several surfaces.
pub(crate) fn md3() -> Vec<u8> {
    // Calm floats; four frames, two tags, three surfaces, and what comes of a pattern.
    let mut bytes = vec![0, 3, 2, 2];
    bytes.extend(Mutator::new(3, "").noise(4000));
    // The last decisions are whether to damage the file: no bytes, no damage.
    let mut source = Source::new(&bytes);
    file(Kind::Md3, &mut source)
}

/// Names and bytes of all seeds that are made, by target.
#[must_use]
pub fn made(samples: &Path) -> Vec<(&'static str, String, Vec<u8>)> {
    let mut seeds = Vec::new();
    let mut add = |target, name: String, bytes: Vec<u8>| seeds.push((target, name, bytes));
    for kind in KINDS {
        let target = match kind {
            Kind::Mdl => "mdl",
            Kind::Md2 => "md2",
            Kind::Md3 => "md3",
            Kind::Md5 => "md5mesh",
        };
        for number in 0..4 {
            let bytes = calm(number, 1500);
            let bytes = file(kind, &mut Source::new(&bytes));
            add("draw", format!("{target}-{number}"), [vec![0; 64], bytes.clone()].concat());
            add(target, format!("made-{number}"), bytes);
        }
    }
    add("md5mesh", "fixed".into(), fixed_md5mesh());
    for number in 0..5 {
        let bytes = calm(number + 40, 600);
        add("md5anim", format!("made-{number}"), md5anim(FIXED_JOINTS, &mut Source::new(&bytes)));
    }
    let sample = |name: &str| std::fs::read(samples.join(name)).expect("a sample of the project");
    add("mdl", "holey".into(), sample("models/bolt_holey.mdl"));
    add("md2", "shield".into(), sample("models/bolt_shield.md2"));
    add("md3", "hand".into(), sample("models/hand.md3"));
    add("skin", "bolt".into(), sample("models/bolt.skin"));
    add(
        "skin",
        "head".into(),
        b"h_head,default.tga\nu_torso,models/players/test/default.tga\ntag_head,\n".to_vec(),
    );
    add("script", "shader".into(), SHADERS.as_bytes().to_vec());
    add("script", "material".into(), MATERIALS.as_bytes().to_vec());
    add("animation", "player".into(), animation_cfg());
    for name in ["cmyk", "grey", "progressive", "rgb"] {
        add("picture", format!("{name}.jpg"), sample(&format!("pictures/{name}.jpg")));
    }
    for (name, bytes) in pictures() {
        add("picture", name.into(), bytes);
    }
    let files =
        [("progs/hand.md3", sample("models/hand.md3")), ("models/x/default.tga", tga(2, 4, 2))];
    add("archive", "pak".into(), pak(&files));
    add("archive", "stored".into(), zip(&files, false));
    add("archive", "deflated".into(), zip(&files, true));
    for target in crate::TARGETS.iter().filter(|target| target.is_built) {
        for number in 0..3 {
            add(target.name, format!("noise-{number}"), Mutator::new(number + 70, "").noise(700));
        }
    }
    seeds
}

/// A table for models of a few frames.
fn animation_cfg() -> Vec<u8> {
    let mut text =
        String::from("// a player\nsex m\nfootsteps boot\nheadoffset 0 -1.5 2\nfixedlegs\n\n");
    for row in 0..33 {
        let count = if row % 5 == 4 { -2 } else { 2 };
        text += &format!("{}\t{count}\t{}\t{}\n", row / 6, row % 3, row % 4 * 10);
    }
    text.into_bytes()
}

/// Noise behind a first byte that makes all floats calm, and no damage.
fn calm(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = Mutator::new(seed, "").noise(length);
    bytes[0] = 0;
    bytes
}

/// One small picture of each format that is easily written.
fn pictures() -> Vec<(&'static str, Vec<u8>)> {
    let image = polyset::Image::from_rgba(3, 2, (0..24).collect()).expect("24 bytes");
    let mut png = Vec::new();
    image.encode_png(&mut png).expect("memory takes all");
    let indexed =
        polyset::Image::from_indices(4, 2, (0..8).collect(), polyset::Palette::quake(), Some(3));
    let mut indexed_png = Vec::new();
    indexed.expect("eight indices").encode_png(&mut indexed_png).expect("memory takes all");
    let mut pcx = vec![10, 5, 1, 8, 0, 0, 0, 0, 3, 0, 1, 0];
    pcx.resize(128, 0);
    (pcx[65], pcx[66]) = (1, 4);
    pcx.extend([1, 2, 0xc2, 9, 0xc1, 0xf0, 4, 5, 6, 12]);
    pcx.extend((0..768).map(|i| i as u8));
    let mut bmp =
        b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\x18\0".to_vec();
    bmp.resize(54 + 16, 7);
    bmp[30..54].fill(0);
    let lmp = [&[4, 0, 0, 0, 2, 0, 0, 0][..], &[1, 2, 3, 4, 5, 6, 7, 255]].concat();
    vec![
        ("rgba.png", png),
        ("indexed.png", indexed_png),
        ("picture.pcx", pcx),
        ("picture.bmp", bmp),
        ("picture.lmp", lmp),
        ("true.tga", tga(2, 3, 3)),
        ("packed.tga", tga(10, 4, 2)),
        ("bc1.dds", dds(b"DXT1", 8)),
        ("bc2.dds", dds(b"DXT3", 16)),
        ("bc3.dds", dds(b"DXT5", 16)),
    ]
}

/// A TGA of 24 bits a pixel; kind 10 is packed.
fn tga(kind: u8, width: u8, height: u8) -> Vec<u8> {
    let mut file = vec![0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, width, 0, height, 0, 24, 0x20];
    if kind == 10 {
        let rest = width * height - 2;
        file.extend([0x81, 1, 2, 3, rest - 1]);
        file.extend((0..3 * rest).map(|i| i * 5));
    } else {
        file.extend((0..3 * width * height).map(|i| i * 7));
    }
    file
}

fn dds(four: &[u8; 4], block: usize) -> Vec<u8> {
    let mut file = b"DDS \x7c\0\0\0\x07\x10\0\0\x04\0\0\0\x04\0\0\0".to_vec();
    file.resize(128, 0);
    file[76] = 32;
    file[80] = 4;
    file[84..88].copy_from_slice(four);
    file[109] = 0x10;
    file.extend((0..block as u8).map(|i| i * 13));
    file
}

fn pak(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut file = b"PACK\0\0\0\0\0\0\0\0".to_vec();
    let mut directory = Vec::new();
    for (name, bytes) in files {
        let mut entry = name.as_bytes().to_vec();
        entry.resize(56, 0);
        entry.extend((file.len() as u32).to_le_bytes());
        entry.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(entry);
        file.extend(bytes);
    }
    let (start, length) = (file.len() as u32, directory.len() as u32);
    file[4..8].copy_from_slice(&start.to_le_bytes());
    file[8..12].copy_from_slice(&length.to_le_bytes());
    file.extend(directory);
    file
}

/// A zip of stored members, or of deflated ones, in blocks that are stored.
fn zip(files: &[(&str, Vec<u8>)], deflated: bool) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let packed = if deflated {
            let length = bytes.len() as u16;
            let mut block = vec![1];
            block.extend(length.to_le_bytes());
            block.extend((!length).to_le_bytes());
            [block, bytes.clone()].concat()
        } else {
            bytes.clone()
        };
        let mut fields = vec![20, 0, 0, 0, if deflated { 8 } else { 0 }, 0, 0, 0, 0, 0];
        for word in [crc32(bytes), packed.len() as u32, bytes.len() as u32] {
            fields.extend(word.to_le_bytes());
        }
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0, 0]);
        let offset = file.len() as u32;
        file.extend(b"PK\x03\x04");
        file.extend(&fields);
        file.extend(name.as_bytes());
        file.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, length, count) = (file.len() as u32, directory.len() as u32, files.len() as u16);
    file.extend(directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend(count.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend(length.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0, 0]);
    file
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    })
}

/// Shaders in the names of the models that `script` opens.
const SHADERS: &str = "models/players/test/default\n{\n\tcull none\n\t{\n\t\tmap a.tga\n\t\ttcGen environment\n\t}\n\t{\n\
    \t\tclampMap a.tga\n\t\tblendFunc GL_SRC_ALPHA GL_ONE_MINUS_SRC_ALPHA\n\t\talphaFunc GT0\n\t\trgbGen lightingDiffuse\n\
    \t\talphaGen wave sin 0.5 0.5 0 1\n\t\ttcMod rotate 30\n\t}\n}\nmodels/test\n{\n\tsort additive\n\t{\n\
    \t\tanimMap 2 a.tga $whiteimage\n\t\tblendFunc add\n\t\ttcMod turb 0 0.5 0 1\n\t}\n}\n";

/// Materials in the same names.
const MATERIALS: &str = "material models/test\n{\n\ttranslucent\n\tdiffusemap addnormals(a.tga, b)\n\t{ blend add map a.tga rgb 0.5 \
    scroll time * 0.5, 0 }\n}\nmodels/players/test/default { twoSided { blend diffusemap map a.tga alphaTest 0.5 } }\n";
