//! Thumbnails of 256 pixels of a whole list, one stage after the other: each function does what the one
//! before it does and one thing more, so that differences are shares. The list is `POLYSET_MODELS`, a
//! folder, or the samples.

#[path = "shared/short.rs"]
mod short;

use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use polyset::Scene;
use polyset::scene::{Files, Opened, Studio};

const SIDE: u32 = 256;

/// The scenes of all models that can be read.
fn scenes() -> Vec<Scene> {
    let folder = std::env::var_os("POLYSET_MODELS").map(PathBuf::from);
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let models = Scene::new(folder.unwrap_or(samples)).models().expect("a folder that can be read");
    let scene = |file: polyset::Location| {
        let mut scene = Scene::new(file.to_os_string());
        scene.size = Some([SIDE; 2]);
        scene
    };
    let scenes = models.expect("it is a folder").pictures().into_iter().map(scene);
    scenes.filter(|scene| scene.open().is_ok()).collect()
}

fn thumbs(criterion: &mut Criterion) {
    let scenes = scenes();
    let files = Files::default();
    let open = |scene: &Scene| scene.open_in(&files, polyset::scene::Anims::AsAsked);
    let mut studio = Studio::for_thumbnails(SIDE).expect("one thread");
    let mut draw = |scene: &Scene, opened: &mut Opened| {
        let drawing = studio.thumbnail(scene, opened, false).expect("it was drawn before");
        studio.forget_textures();
        drawing
    };
    let mut group = criterion.benchmark_group(format!("thumbs of {} models", scenes.len()));
    group.sample_size(20);
    group.bench_function("1 read", |bencher| {
        bencher.iter(|| scenes.iter().filter_map(|scene| scene.read().ok()).count());
    });
    group.bench_function("2 open", |bencher| {
        bencher.iter(|| scenes.iter().filter(|scene| open(scene).is_ok()).count());
    });
    group.bench_function("3 draw", |bencher| {
        bencher.iter(|| {
            for scene in &scenes {
                let mut opened = open(scene).expect("it was opened before");
                draw(scene, &mut opened);
            }
        });
    });
    group.bench_function("4 encode", |bencher| {
        bencher.iter(|| {
            for scene in &scenes {
                let mut opened = open(scene).expect("it was opened before");
                let drawing = draw(scene, &mut opened);
                drawing.encode_png(&mut Vec::new()).expect("memory can be written");
            }
        });
    });
    group.finish();
}

criterion_group! { name = benches; config = short::criterion(); targets = thumbs }
criterion_main!(benches);
