//! Whole frames of the samples on one thread: pixels a second from criterion, triangles a second
//! beside it.

#![expect(clippy::print_stdout, reason = "a bench reports there")]

#[path = "shared/hashes.rs"]
mod hashes;
#[path = "shared/samples.rs"]
mod samples;
#[path = "shared/short.rs"]
mod short;

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use polyset::{
    Blend, Camera, ColorMode, Framebuffer, Instance, Lighting, Look, Model, Pose, Renderer, View,
};

use hashes::Hashes;

const SIZES: [[u32; 2]; 2] = [[320, 240], [1280, 720]];
const COLORS: [(ColorMode, &str); 2] = [(ColorMode::Rgb, "rgb"), (ColorMode::Indexed, "indexed")];

/// A sample, a lighting style, and the hashes of its pictures: sizes, within them colours.
const SCENES: [(&str, Lighting, [u64; 4]); 9] = [
    (
        "bolt.mdl",
        Lighting::Quake,
        [
            0x5e32_9ded_b4e3_2da4,
            0x3087_4068_82a1_d7a6,
            0x84d3_2275_d8a9_1eed,
            0x915b_e8a8_97ff_2a42,
        ],
    ),
    (
        "bolt.md2",
        Lighting::Quake2,
        [
            0xfc3c_2f70_dcb8_3c7f,
            0x6f2c_37eb_6c9b_66ce,
            0xeaff_b005_243d_d5d1,
            0x112e_6578_89b9_9455,
        ],
    ),
    (
        "bolt.md3",
        Lighting::Lambert,
        [
            0x7de2_7249_b6ce_da6a,
            0x9567_addf_0016_d946,
            0x7aa8_86a9_0eac_b0cd,
            0x41a5_31a1_b60d_040f,
        ],
    ),
    (
        "bolt.md3",
        Lighting::Unlit,
        [
            0x03b7_11db_20b3_e413,
            0x4afe_8e1c_ef8d_ec7c,
            0x8721_9c05_f51e_13aa,
            0x8785_b73b_3c8e_0131,
        ],
    ),
    (
        "bolt.md3",
        Lighting::Quake,
        [
            0xe64e_0caa_5d52_8d2d,
            0xb338_68f3_81f3_0af4,
            0x2797_75c2_bbf8_b8da,
            0xfade_64a2_c7f8_6279,
        ],
    ),
    (
        "bolt.md3",
        Lighting::Quake2,
        [
            0xe64e_0caa_5d52_8d2d,
            0xb338_68f3_81f3_0af4,
            0x2797_75c2_bbf8_b8da,
            0xfade_64a2_c7f8_6279,
        ],
    ),
    (
        "bolt.md3",
        Lighting::Gl,
        [
            0xff02_6648_4628_c27e,
            0xbfe1_08ce_1aab_fdfd,
            0x8bac_5103_da03_ad7b,
            0xf684_0e58_331f_881d,
        ],
    ),
    (
        "bolt.md3",
        Lighting::Quake3,
        [
            0x6670_7b05_72fe_bd55,
            0xe50c_75ad_5672_27f0,
            0x36df_f8a0_f212_55eb,
            0xf58f_7aed_910d_6a3a,
        ],
    ),
    (
        "bolt.md5mesh",
        Lighting::Quake3,
        [
            0xd74a_4a39_208e_69fc,
            0x95bb_a16b_7391_77b9,
            0xa549_4da3_b436_eb6b,
            0x052b_3db6_8746_8bac,
        ],
    ),
];

struct Scene {
    name: String,
    model: Model,
    pose: Pose,
    color: ColorMode,
    look: Look,
    view: View,
    frame: Framebuffer,
    hash: u64,
}

impl Scene {
    fn all() -> Vec<Self> {
        let mut scenes = Vec::new();
        for (sample, lighting, hashes) in SCENES {
            let model = samples::open(sample);
            let pose = model.pose_blend(Blend { to: 1, t: 0.5, ..Blend::frame(0) });
            let kinds = SIZES.into_iter().flat_map(|size| COLORS.map(|color| (size, color)));
            for (([width, height], (color, word)), hash) in kinds.zip(hashes) {
                scenes.push(Self {
                    name: format!("{width}x{height} {word} {sample} {lighting:?}"),
                    model: model.clone(),
                    pose: pose.clone(),
                    look: Look { lighting, ..Look::default() },
                    color,
                    view: View::new(Camera::framing(&pose)).color(color),
                    frame: Framebuffer::new(width, height).expect("a size that fits"),
                    hash,
                });
            }
        }
        scenes
    }

    fn draw(&mut self, renderer: &mut Renderer) {
        match self.color {
            ColorMode::Indexed => self.frame.clear_index(255),
            _ => self.frame.clear([0; 4]),
        }
        let instance = Instance::new(&self.model, &self.pose).look(self.look);
        renderer.draw(&self.view, &[instance], &mut self.frame).expect("its own pose");
    }

    /// Pixels that the model covers.
    fn covered(&self) -> u64 {
        self.frame.rows().flatten().filter(|&&pixel| pixel >> 24 == 255).count() as u64
    }
}

fn frames(criterion: &mut Criterion) {
    let mut renderer = Renderer::new().with_threads(1).expect("one thread is there");
    let mut scenes = Scene::all();
    let mut hashes = Hashes::default();
    for scene in &mut scenes {
        scene.draw(&mut renderer);
        hashes.check(&scene.name, &scene.frame.image(), scene.hash);
    }
    hashes.finish();
    let mut group = criterion.benchmark_group("frame");
    for scene in &mut scenes {
        let (mut frames, mut time) = (0, Duration::ZERO);
        group.throughput(Throughput::Elements(scene.covered()));
        group.bench_function(scene.name.clone(), |bencher| {
            bencher.iter_custom(|count| {
                let start = Instant::now();
                for _ in 0..count {
                    scene.draw(&mut renderer);
                }
                let elapsed = start.elapsed();
                (frames, time) = (frames + count, time + elapsed);
                elapsed
            });
        });
        let triangles = frames * scene.model.triangle_count() as u64;
        if !time.is_zero() {
            let rate = triangles as f64 / time.as_secs_f64() / 1e6;
            println!("{}: {rate:.2} million triangles/s", scene.name);
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = short::criterion(); targets = frames }
criterion_main!(benches);
