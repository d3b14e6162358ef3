//! Scenes in which one stage of the rasterizer does most of the work, on one thread; beside
//! criterion's figures the time of every stage.

#![expect(clippy::print_stdout, reason = "a bench reports there")]

#[path = "shared/hashes.rs"]
mod hashes;
#[path = "shared/short.rs"]
mod short;

use std::f64::consts::PI;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use polyset::{
    Blend, Camera, Filter, Framebuffer, Image, Instance, Look, Model, Pose, Renderer, SurfaceParts,
    Transform, View,
};

use hashes::Hashes;

fn skin() -> Arc<Image> {
    let texel = |i: usize| [(i % 256) as u8, (i / 256) as u8, ((i ^ (i / 256)) % 256) as u8, 255];
    let rgba = (0..256 * 256).flat_map(texel).collect();
    Arc::new(Image::from_rgba(256, 256, rgba).expect("as many pixels as the size says"))
}

/// A bumpy sphere of about `2 * rings * segments` triangles, with a radius of about 1.
fn sphere(rings: usize, segments: usize) -> Model {
    let mut part = SurfaceParts { texture: Some(skin()), ..SurfaceParts::default() };
    for (ring, segment) in (0..=rings).flat_map(|r| (0..=segments).map(move |s| (r, s))) {
        let (v, u) = (ring as f64 / rings as f64, segment as f64 / segments as f64);
        let (sine, cosine) = libm::sincos(PI * v);
        let phi = 2.0 * PI * u;
        let normal = [sine * libm::cos(phi), sine * libm::sin(phi), cosine];
        let radius = 0.8 + 0.2 * libm::sin(3.0 * PI * v) * sine * libm::cos(2.0 * phi);
        part.positions.push(normal.map(|x| (x * radius) as f32));
        part.normals.push(normal.map(|x| x as f32));
        part.texcoords.push([1.0 - u as f32, v as f32]);
    }
    for (ring, segment) in (0..rings).flat_map(|r| (0..segments).map(move |s| (r, s))) {
        let a = (ring * (segments + 1) + segment) as u32;
        let below = a + segments as u32 + 1;
        part.triangles.extend([[a, a + 1, below], [a + 1, below + 1, below]]);
    }
    Model::from_parts(vec![part]).expect("as many of everything")
}

/// A wall that is larger than any picture.
fn wall() -> Model {
    let part = SurfaceParts {
        positions: vec![[0.0, -9.0, 9.0], [0.0, 9.0, 9.0], [0.0, 9.0, -9.0], [0.0, -9.0, -9.0]],
        normals: vec![[1.0, 0.0, 0.0]; 4],
        texcoords: vec![[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        texture: Some(skin()),
        ..SurfaceParts::default()
    };
    Model::from_parts(vec![part]).expect("as many of everything")
}

struct Scene {
    name: &'static str,
    model: Model,
    /// Distances of the eye, one for every time that the model is drawn; farther ones come first.
    distances: Vec<f32>,
    size: [u32; 2],
    filter: Filter,
    hash: u64,
}

fn scenes() -> Vec<Scene> {
    let scene = |name, model, distances: &[f32], size, filter, hash| Scene {
        name,
        model,
        distances: distances.to_vec(),
        size,
        filter,
        hash,
    };
    let hd = [1280, 720];
    let crowd: Vec<f32> = (0..24).map(|i| 12.0 - 0.3 * i as f32).collect();
    vec![
        scene(
            "vertex: many vertices, 64x64",
            sphere(300, 400),
            &[5.0],
            [64, 64],
            Filter::Nearest,
            0xb093_659d_48a9_f68b,
        ),
        scene(
            "clip: the near plane among triangles",
            sphere(150, 200),
            &[1.0],
            [320, 240],
            Filter::Nearest,
            0x676f_20b2_292a_36c7,
        ),
        scene(
            "bins: many triangles, 2048x1536",
            sphere(300, 400),
            &[5.0],
            [2048, 1536],
            Filter::Nearest,
            0x2261_a576_e136_358b,
        ),
        scene(
            "kernel: triangles of a pixel",
            sphere(200, 300),
            &[5.0],
            [320, 240],
            Filter::Nearest,
            0x598f_77e0_ff40_1495,
        ),
        scene(
            "kernel: triangles of 30 pixels",
            sphere(20, 26),
            &[5.0],
            hd,
            Filter::Nearest,
            0x1b56_6f7d_90dd_41e1,
        ),
        scene("kernel: two triangles", wall(), &[5.0], hd, Filter::Nearest, 0x00a1_8bb7_d346_6934),
        scene(
            "kernel: bilinear",
            wall(),
            &[5.0],
            [320, 240],
            Filter::Bilinear,
            0x78cf_4a3e_4819_7282,
        ),
        scene(
            "kernel: trilinear",
            wall(),
            &[15.0],
            [320, 240],
            Filter::Trilinear,
            0xab28_95a1_96bc_d39e,
        ),
        scene(
            "kernel: a crowd, the farthest first",
            sphere(20, 26),
            &crowd,
            hd,
            Filter::Nearest,
            0x9dcf_dc4e_79de_776d,
        ),
    ]
}

struct Drawing {
    pose: Pose,
    /// To clip space: every time that the model is drawn has a camera of its own.
    transforms: Vec<Transform>,
    look: Look,
    frame: Framebuffer,
}

impl Drawing {
    fn new(scene: &Scene) -> Self {
        let pose = scene.model.pose_blend(Blend::frame(0));
        let [width, height] = scene.size;
        let transform = |&distance: &f32| {
            let camera = Camera::placed([distance, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]);
            let camera = camera.azimuth(30.0).elevation(15.0).far(Some(50.0));
            // Close up, a wide angle sees the rim of the hole that the near plane cuts.
            let is_close = distance < 2.0;
            let camera = camera.near(Some(if is_close { 0.35 } else { 0.1 }));
            let camera = if is_close { camera.view_angle(100.0) } else { camera };
            let instances = [Instance::new(&scene.model, &pose)];
            let columns = View::new(camera).matrix(&instances, width, height);
            Transform::from_columns(columns).with_attached_light()
        };
        Self {
            transforms: scene.distances.iter().map(transform).collect(),
            pose,
            look: Look { filter: scene.filter, ..Look::default() },
            frame: Framebuffer::new(width, height).expect("a size that fits"),
        }
    }

    fn draw(&mut self, model: &Model, renderer: &mut Renderer) {
        self.frame.clear([0; 4]);
        let Self { pose, transforms, look, frame } = self;
        let instance = |&transform| Instance { model, pose, look: *look, transform };
        let instances: Vec<Instance<'_>> = transforms.iter().map(instance).collect();
        let identity = Transform::IDENTITY.columns();
        let view = View::from_matrices(identity, identity);
        renderer.draw(&view, &instances, frame).expect("its own pose");
    }
}

fn stages(criterion: &mut Criterion) {
    let mut renderer = Renderer::new().with_threads(1).expect("one thread is there");
    let scenes = scenes();
    let mut hashes = Hashes::default();
    for scene in &scenes {
        let mut drawing = Drawing::new(scene);
        drawing.draw(&scene.model, &mut renderer);
        hashes.check(scene.name, &drawing.frame.image(), scene.hash);
    }
    hashes.finish();
    let mut group = criterion.benchmark_group("stages");
    for scene in &scenes {
        let mut drawing = Drawing::new(scene);
        let triangles = scene.model.triangle_count() * scene.distances.len();
        group.throughput(Throughput::Elements(triangles as u64));
        let mut stages: Vec<(&str, f64)> = Vec::new();
        let mut frames = 0;
        group.bench_function(scene.name, |bencher| {
            bencher.iter(|| {
                drawing.draw(&scene.model, &mut renderer);
                frames += 1;
                for (i, stage) in renderer.stats().into_iter().enumerate() {
                    match stages.get_mut(i) {
                        Some((_, sum)) => *sum += stage.milliseconds,
                        None => stages.push((stage.stage, stage.milliseconds)),
                    }
                }
            });
        });
        let pixels = drawing.frame.rows().flatten().filter(|&&pixel| pixel >> 24 == 255).count();
        let stage =
            |(stage, sum): &(&str, f64)| format!("{stage} {:.4} ms", sum / f64::from(frames));
        let line: Vec<String> = stages.iter().map(stage).collect();
        println!("{}: {triangles} triangles, {pixels} pixels; {}", scene.name, line.join(", "));
    }
    group.finish();
}

criterion_group! { name = benches; config = short::criterion(); targets = stages }
criterion_main!(benches);
