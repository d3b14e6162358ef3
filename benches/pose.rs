//! Model and time to positions and normals, into buffers that are kept: vertices a second.

#[path = "shared/samples.rs"]
mod samples;
#[path = "shared/short.rs"]
mod short;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use polyset::{Blend, Pose};

fn pose(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pose");
    for sample in ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh"] {
        let model = samples::open(sample);
        let vertices: usize = model.surfaces().iter().map(polyset::Surface::vertex_count).sum();
        group.throughput(Throughput::Elements(vertices as u64));
        let blends = [
            ("one frame", Blend::frame(1)),
            ("two frames", Blend { from: 0, t: 0.5, ..Blend::frame(1) }),
        ];
        let mut pose = Pose::default();
        for (what, blend) in blends {
            model.pose_into(blend, &mut pose);
            let posed: usize = (0..pose.surface_count()).map(|s| pose.positions(s).count()).sum();
            assert_eq!(posed, vertices);
            group.bench_function(BenchmarkId::new(what, sample), |bencher| {
                bencher.iter(|| model.pose_into(blend, &mut pose));
            });
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = short::criterion(); targets = pose }
criterion_main!(benches);
