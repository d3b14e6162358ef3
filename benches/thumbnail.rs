//! A thumbnail from file to PNG, as a thumbnailer makes it: nothing is kept between two of them.

#[path = "shared/hashes.rs"]
mod hashes;
#[path = "shared/short.rs"]
mod short;

use std::path::{Path, PathBuf};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use polyset::{Blend, Camera, ColorMode, Framebuffer, Image, Instance, Model, Renderer, View};

use hashes::Hashes;

const SAMPLES: [&str; 4] = ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh"];
const SIZES: [u32; 2] = [128, 256];
const COLORS: [(ColorMode, &str); 2] = [(ColorMode::Rgb, "rgba"), (ColorMode::Indexed, "indexed")];

/// Hashes of the pictures of each sample: sizes, within them colours.
const HASHES: [[u64; 4]; 4] = [
    [0xc94b_f1a1_695a_9eac, 0x5318_a005_a700_cac5, 0x306b_c691_e473_9603, 0x7cf0_06a7_5a7d_d987],
    [0xc9a6_2092_2a7a_d541, 0x4e5c_ed42_a9aa_fcd1, 0x4b8d_755d_052f_b720, 0xc20c_d7bc_b46f_839e],
    [0xe8e1_77a0_926f_358f, 0xaa84_2cef_be99_c674, 0x939d_b801_8088_ce59, 0xc420_b587_923d_f35a],
    [0xb1af_eb02_279a_1364, 0xf767_8934_c172_36b6, 0xbba7_c6a6_4fe8_397d, 0x69e5_7f84_1e9f_d897],
];

fn path(sample: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(sample)
}

fn draw(path: &Path, size: u32, color: ColorMode) -> Image {
    let model = Model::open(path).expect("a sample can be read");
    let pose = model.pose_blend(Blend::frame(0));
    let view = View::new(Camera::framing(&pose)).color(color);
    let mut frame = Framebuffer::new(size, size).expect("a size that fits");
    if color == ColorMode::Indexed {
        frame.clear_index(255);
    }
    let drawn = Renderer::new().draw(&view, &[Instance::new(&model, &pose)], &mut frame);
    drawn.expect("its own pose");
    frame.image_with_transparent(255)
}

fn encode(image: &Image) -> Vec<u8> {
    let mut png = Vec::new();
    image.encode_png(&mut png).expect("memory can be written");
    png
}

fn thumbnails(criterion: &mut Criterion) {
    let kinds = || SIZES.into_iter().flat_map(|size| COLORS.map(|color| (size, color)));
    let mut hashes = Hashes::default();
    for (sample, expected) in SAMPLES.into_iter().zip(HASHES) {
        for ((size, (color, word)), expected) in kinds().zip(expected) {
            let image = draw(&path(sample), size, color);
            hashes.check(&format!("{sample} {size} {word}"), &image, expected);
        }
    }
    hashes.finish();

    let mut group = criterion.benchmark_group("thumbnail");
    for sample in SAMPLES {
        let path = path(sample);
        group.bench_function(BenchmarkId::new("open", sample), |bencher| {
            bencher.iter(|| Model::open(&path).expect("a sample can be read"));
        });
        for (size, (color, word)) in kinds() {
            let name = format!("{size} {word}");
            group.bench_function(BenchmarkId::new(&name, sample), |bencher| {
                bencher.iter(|| encode(&draw(&path, size, color)));
            });
            let image = draw(&path, size, color);
            group.bench_function(BenchmarkId::new(format!("encode {name}"), sample), |bencher| {
                bencher.iter(|| encode(&image));
            });
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = short::criterion(); targets = thumbnails }
criterion_main!(benches);
