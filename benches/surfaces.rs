//! What blending costs: a card for every word of shader scripts at 1920 x 1080, with all of their stages,
//! with the first stage alone, and without scripts.

#[path = "shared/short.rs"]
mod short;

use criterion::{Criterion, criterion_group, criterion_main};
use polyset::scene::Studio;
use polyset::{Renderer, Scene};

fn surfaces(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("surfaces at 1920 x 1080, one thread");
    group.sample_size(20);
    for stages in ["none", "first", "all"] {
        let mut scene = Scene::new("tests/models/surfaces/models/cards.md3");
        for (name, value) in
            [("resolution", "1920,1080"), ("background-color", "406080"), ("shader-stages", stages)]
        {
            scene.set(name, value).expect("these are options");
        }
        let renderer = Renderer::new().with_threads(1).expect("one thread");
        let mut studio = Studio::new(renderer);
        let mut opened = scene.open().expect("a sample");
        group.bench_function(stages, |bencher| {
            bencher.iter(|| studio.draw(&scene, &mut opened).expect("it can be drawn"));
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = short::criterion(); targets = surfaces }
criterion_main!(benches);
