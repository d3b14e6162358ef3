//! What reading costs when a file doubles: every reader is linear, so bytes (or members) a second stay
//! the same from line to line of a group.

#[path = "../tests/shared/md3.rs"]
mod md3;
#[path = "shared/short.rs"]
mod short;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use md3::md3;
use polyset::scene::Anims;
use polyset::{Image, Model, Scene, models_in};

/// Each twice the one before.
const SIZES: [usize; 4] = [1000, 2000, 4000, 8000];

/// A mesh of one joint; every word is followed by a comment instead of a blank.
fn md5mesh(vertices: usize) -> Vec<u8> {
    let mut text = String::from(
        "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1\n\
         joints { \"origin\" -1 ( 0 0 0 ) ( 0 0 0 ) }\nmesh { shader \"\"\n",
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "numverts {vertices}");
    for i in 0..vertices {
        let _ = writeln!(text, "vert/**/{i}/**/(/**/0/**/0/**/)/**/{i}/**/1");
    }
    let _ = writeln!(text, "numtris {vertices}");
    for i in 0..vertices {
        let (b, c) = ((i + 1) % vertices, (i + 2) % vertices);
        let _ = writeln!(text, "tri/**/{i}/**/{i}/**/{b}/**/{c}");
    }
    let _ = writeln!(text, "numweights {vertices}");
    for i in 0..vertices {
        let _ = writeln!(text, "weight/**/{i}/**/0/**/1/**/(/**/{i}/**/0/**/{}/**/)", i % 7);
    }
    text.push_str("}\n");
    text.into_bytes()
}

/// An uncompressed TGA of 1000 columns.
fn tga(rows: usize) -> Vec<u8> {
    let [low, high] = (rows as u16).to_le_bytes();
    let header = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe8, 3, low, high, 32, 0];
    let pixels = (0..4000 * rows).map(|i| ((i * i) >> 5) as u8);
    header.into_iter().chain(pixels).collect()
}

fn png(rows: usize) -> Vec<u8> {
    let image = Image::from_bytes(&tga(rows), "tga").expect("a picture");
    let mut png = Vec::new();
    image.encode_png(&mut png).expect("memory can be written");
    png
}

/// An archive of empty members.
fn pak(members: usize) -> Vec<u8> {
    let mut bytes = b"PACK\x0c\0\0\0".to_vec();
    bytes.extend((64 * members as u32).to_le_bytes());
    for i in 0..members {
        let name = format!("models/monsters/m{}/part{i}.md3", i / 100);
        let mut entry = [0; 64];
        entry[..name.len()].copy_from_slice(name.as_bytes());
        entry[56] = 12;
        bytes.extend(entry);
    }
    bytes
}

fn bytes(criterion: &mut Criterion) {
    type Case = (&'static str, fn(usize) -> Vec<u8>, fn(&[u8]));
    let cases: [Case; 4] = [
        ("md5mesh with comments", md5mesh, |file| drop(Model::from_bytes(file).expect("a model"))),
        (
            "md3 of surfaces",
            |n| md3(&vec!["skin".into(); n]),
            |file| drop(Model::from_bytes(file).expect("a model")),
        ),
        ("tga", tga, |file| drop(Image::from_bytes(file, "tga").expect("a picture"))),
        ("png", png, |file| drop(Image::from_bytes(file, "png").expect("a picture"))),
    ];
    for (name, make, read) in cases {
        let mut group = criterion.benchmark_group(name);
        for size in SIZES {
            let file = make(size);
            group.throughput(Throughput::Bytes(file.len() as u64));
            group.bench_function(BenchmarkId::from_parameter(size), |b| b.iter(|| read(&file)));
        }
        group.finish();
    }
}

/// As many surfaces as lines of a `.skin` file, and as many files in the folder.
fn dressing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("surfaces, lines and files");
    for size in SIZES {
        let folder = tempfile::tempdir().expect("a folder");
        let names: Vec<String> = (0..size).map(|i| format!("missing{i}")).collect();
        let mut skin = String::new();
        for i in 0..size {
            let _ = writeln!(skin, "surface{i},nowhere{i}");
            write(folder.path(), &format!("file{i}.tga"), b"");
        }
        write(folder.path(), "many.md3", &md3(&names));
        write(folder.path(), "many_default.skin", skin.as_bytes());
        let scene = Scene::new(folder.path().join("many.md3"));
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| scene.open_with(Anims::All).expect("a model"));
        });
    }
    group.finish();
}

fn archives(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("members of a PAK");
    for size in SIZES {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "a.pak", &pak(size));
        let archive = folder.path().join("a.pak");
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| assert_eq!(models_in(&*archive).expect("an archive").len(), size));
        });
    }
    group.finish();
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    fs::write(folder.join(name), bytes).expect("a file can be written");
}

criterion_group! { name = benches; config = short::criterion(); targets = bytes, dressing, archives }
criterion_main!(benches);
