//! Bytes to a model. Keyframes stay packed, so a file of many frames costs little more than one of
//! few; copying the bytes is not measured.

#[path = "shared/short.rs"]
mod short;

use std::path::Path;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use polyset::{Blend, Model};

/// As much as in a player model of Quake II, with enough vertices for 2 MB in 372 frames.
const VERTICES: i32 = 1400;
const TRIANGLES: i32 = 2000;

/// An `.md2` with this many frames.
fn md2(frames: i32) -> Vec<u8> {
    let frame_size = 40 + 4 * VERTICES;
    let triangles_at = 68 + 4 * VERTICES;
    let frames_at = triangles_at + 12 * TRIANGLES;
    let end = frames_at + frame_size * frames;
    let header = [
        8,
        256,
        256,
        frame_size,
        0,
        VERTICES,
        VERTICES,
        TRIANGLES,
        0,
        frames,
        68,
        68,
        triangles_at,
        frames_at,
        end,
        end,
    ];
    let mut file = b"IDP2".to_vec();
    file.extend(header.iter().flat_map(|field| field.to_le_bytes()));
    for i in 0..VERTICES {
        file.extend([i % 256, i / 256].iter().flat_map(|&texel| (texel as i16).to_le_bytes()));
    }
    for i in 0..TRIANGLES {
        let corners = [i, i + 1, i + 700].map(|corner| (corner % VERTICES) as u16);
        file.extend([corners, corners].as_flattened().iter().flat_map(|c| c.to_le_bytes()));
    }
    for frame in 0..frames {
        let floats = [0.25f32, 0.25, 0.25, -32.0, -32.0, -32.0];
        file.extend(floats.iter().flat_map(|x| x.to_le_bytes()));
        let mut name = format!("move{}{:02}", (b'a' + (frame / 20) as u8) as char, frame % 20);
        name.extend(std::iter::repeat_n('\0', 16 - name.len()));
        file.extend(name.bytes());
        file.extend(
            (0..VERTICES)
                .flat_map(|i| [i % 251, i % 241, (i + frame) % 239, i % 162].map(|x| x as u8)),
        );
    }
    file
}

fn files() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let sample = |name: &str| {
        (name.to_owned(), std::fs::read(folder.join(name)).expect("a sample can be read"))
    };
    let mut files: Vec<_> =
        ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh"].into_iter().map(sample).collect();
    for frames in [10, 372] {
        files.push((format!("md2 with {frames} frames"), md2(frames)));
    }
    files
}

fn load(criterion: &mut Criterion) {
    let files = files();
    let many = Model::from_bytes(&files[5].1).expect("a well-formed file");
    assert_eq!((many.frame_count(), many.triangle_count()), (372, TRIANGLES as usize));
    assert!(many.warnings().is_empty(), "{:?}", many.warnings());

    let mut group = criterion.benchmark_group("load");
    for (name, bytes) in &files {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(BenchmarkId::new("model", name), |bencher| {
            let read = |bytes| Model::from_vec(bytes).expect("a well-formed file");
            bencher.iter_batched(|| bytes.clone(), read, BatchSize::LargeInput);
        });
        group.bench_function(BenchmarkId::new("model and one pose", name), |bencher| {
            let read = |bytes| {
                let model = Model::from_vec(bytes).expect("a well-formed file");
                let pose = model.pose_blend(Blend::frame(0));
                (model, pose)
            };
            bencher.iter_batched(|| bytes.clone(), read, BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = short::criterion(); targets = load }
criterion_main!(benches);
