//! What looks cost: filters, samples and blending, each in the same picture of 1280x720 on one thread.

#[path = "shared/short.rs"]
mod short;

use criterion::{Criterion, criterion_group, criterion_main};
use polyset::scene::Studio;
use polyset::{Renderer, Scene};

/// A name, and the options that differ from the plain look.
const LOOKS: [(&str, &[(&str, &str)]); 8] = [
    ("nearest", &[]),
    ("bilinear", &[("filter", "bilinear")]),
    ("trilinear", &[("filter", "trilinear")]),
    ("ssaa2", &[("anti-aliasing", "ssaa2")]),
    ("ssaa4", &[("anti-aliasing", "ssaa4")]),
    ("ssaa2, trilinear", &[("anti-aliasing", "ssaa2"), ("filter", "trilinear")]),
    ("blended", &[("alpha", "blend")]),
    ("indexed", &[("color", "indexed")]),
];

fn looks(criterion: &mut Criterion) {
    for sample in ["bolt.mdl", "bolt.md3"] {
        let mut group = criterion.benchmark_group(format!("{sample} at 1280 x 720, one thread"));
        for (name, options) in LOOKS {
            let mut scene = Scene::new(format!("tests/models/{sample}"));
            scene.set("resolution", "1280,720").expect("an option");
            for (option, value) in options {
                scene.set(option, value).expect("an option");
            }
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
