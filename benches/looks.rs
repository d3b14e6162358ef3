//! What looks cost: filters, samples and blending, each in the same picture of 1280x720 on one thread.

#[path = "shared/short.rs"]
mod short;

use criterion::{Criterion, criterion_group, criterion_main};
use polyset::scene::Studio;
use polyset::{Image, Renderer, Scene};

/// A skin of every alpha: without one nothing is blended.
const SKIN: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/looks_graded.png");

/// A name, and the options that differ from the plain look.
const LOOKS: [(&str, &[(&str, &str)]); 12] = [
    ("nearest", &[]),
    ("bilinear", &[("filter", "bilinear")]),
    ("trilinear", &[("filter", "trilinear")]),
    ("ssaa2", &[("anti-aliasing", "ssaa2")]),
    ("ssaa4", &[("anti-aliasing", "ssaa4")]),
    ("ssaa2, trilinear", &[("anti-aliasing", "ssaa2"), ("filter", "trilinear")]),
    ("graded skin, opaque", OPAQUE),
    ("graded skin, blended", BLENDED),
    ("cut-out skin", &[("skin", SKIN), ("alpha", "test")]),
    ("cut-out skin, bilinear", &[("skin", SKIN), ("alpha", "test"), ("filter", "bilinear")]),
    ("cut-out skin, trilinear", &[("skin", SKIN), ("alpha", "test"), ("filter", "trilinear")]),
    ("indexed", &[("color", "indexed")]),
];

const OPAQUE: &[(&str, &str)] = &[("skin", SKIN), ("alpha", "opaque")];
const BLENDED: &[(&str, &str)] = &[("skin", SKIN), ("alpha", "blend")];

fn scene(sample: &str, options: &[(&str, &str)]) -> Scene {
    let mut scene = Scene::new(format!("tests/models/{sample}"));
    scene.set("resolution", "1280,720").expect("an option");
    for (option, value) in options {
        scene.set(option, value).expect("an option");
    }
    scene
}

fn write_skin() {
    let texel = |i: u32| [(i * 7) as u8, (i / 256) as u8, 90, (i % 256) as u8];
    let rgba = (0..256 * 256).flat_map(texel).collect();
    let skin = Image::from_rgba(256, 256, rgba).expect("as many bytes");
    skin.save_png(SKIN).expect("cargo made the folder");
}

/// Fails where the look "blended" has come to measure something else.
fn assert_blends(sample: &str) {
    let [opaque, blended] = [OPAQUE, BLENDED].map(|options| {
        let scene = scene(sample, options);
        let mut opened = scene.open().expect("a sample");
        let mut studio = Studio::new(Renderer::new());
        studio.draw(&scene, &mut opened).expect("it can be drawn").image.hash()
    });
    assert_ne!(opaque, blended, "{sample}: nothing is blended");
}

fn looks(criterion: &mut Criterion) {
    write_skin();
    for sample in ["bolt.mdl", "bolt.md3"] {
        assert_blends(sample);
        let mut group = criterion.benchmark_group(format!("{sample} at 1280 x 720, one thread"));
        for (name, options) in LOOKS {
            let scene = scene(sample, options);
            let renderer = Renderer::new().with_threads(1).expect("one thread is there");
            let mut studio = Studio::new(renderer);
            let mut opened = scene.open().expect("a sample");
            group.bench_function(name, |bencher| {
                bencher.iter(|| studio.draw(&scene, &mut opened).expect("it can be drawn"));
            });
        }
        group.finish();
    }
}

criterion_group! { name = benches; config = short::criterion(); targets = looks }
criterion_main!(benches);
