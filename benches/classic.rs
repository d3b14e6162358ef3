//! The classic renderer at 640x480 and 1920x1080: a displaced sphere of about 1000 triangles as an
//! `.mdl` (the original's way) and as plain vectors (the way of `.md3` and `.md5mesh`), and the samples;
//! and 200 of the spheres as an `.mdl`, side by side in a picture.

#![expect(clippy::print_stdout, reason = "a bench reports there")]

use std::f64::consts::PI;

use criterion::{Criterion, criterion_group, criterion_main};
use polyset::{Camera, ClassicFrame, ClassicRenderer, ClassicScene, Image, Model, SurfaceParts};

const RINGS: usize = 20;
const SEGMENTS: usize = 26;
const SKIN: usize = 256;

/// A vertex: position in -1..=1, texture coordinates in 0..=1.
fn vertex(ring: usize, segment: usize) -> ([f64; 3], [f64; 2]) {
    let (v, u) = (ring as f64 / RINGS as f64, segment as f64 / SEGMENTS as f64);
    let (theta, phi) = (PI * v, 2.0 * PI * u);
    let (sine, cosine) = (libm::sin(theta), libm::cos(theta));
    let radius = 0.7 + 0.2 * libm::sin(3.0 * theta) * sine * libm::cos(2.0 * phi);
    let xy = radius * sine;
    ([xy * libm::cos(phi), xy * libm::sin(phi), radius * cosine], [1.0 - u, v])
}

fn vertices() -> Vec<([f64; 3], [f64; 2])> {
    let rings = 0..=RINGS;
    rings.flat_map(|ring| (0..=SEGMENTS).map(move |segment| vertex(ring, segment))).collect()
}

/// Clockwise when seen from outside; the poles have no second triangle.
fn triangles() -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    for ring in 0..RINGS {
        for segment in 0..SEGMENTS {
            let a = (ring * (SEGMENTS + 1) + segment) as u32;
            let (b, c) = (a + 1, a + SEGMENTS as u32 + 1);
            if ring > 0 {
                triangles.push([a, b, c]);
            }
            if ring < RINGS - 1 {
                triangles.push([b, c + 1, c]);
            }
        }
    }
    triangles
}

fn skin() -> Vec<u8> {
    let texel = |x: usize, y: usize| ((x / 8 + y / 8) % 14 * 16 + (x ^ y) % 16) as u8;
    (0..SKIN * SKIN).map(|i| texel(i % SKIN, i / SKIN)).collect()
}

/// The sphere as the bytes of an `.mdl`.
fn mdl() -> Vec<u8> {
    let (vertices, triangles) = (vertices(), triangles());
    let mut file = b"IDPO".to_vec();
    let ints = |file: &mut Vec<u8>, values: &[i32]| {
        values.iter().for_each(|value| file.extend(value.to_le_bytes()));
    };
    let floats = |file: &mut Vec<u8>, values: &[f32]| {
        values.iter().for_each(|value| file.extend(value.to_le_bytes()));
    };
    ints(&mut file, &[6]);
    floats(&mut file, &[0.25, 0.25, 0.25, -32.0, -32.0, -32.0, 32.0, 0.0, 0.0, 0.0]);
    let [vertex_count, triangle_count] = [vertices.len() as i32, triangles.len() as i32];
    ints(&mut file, &[1, SKIN as i32, SKIN as i32, vertex_count, triangle_count, 1, 0, 0]);
    floats(&mut file, &[10.0]);
    ints(&mut file, &[0]);
    file.extend(skin());
    for (_, [u, v]) in &vertices {
        let texel = |x: &f64| (x * (SKIN - 1) as f64) as i32;
        ints(&mut file, &[0, texel(u), texel(v)]);
    }
    for [a, b, c] in &triangles {
        ints(&mut file, &[1, *a as i32, *b as i32, *c as i32]);
    }
    ints(&mut file, &[0]);
    file.extend([0, 0, 0, 0, 255, 255, 255, 0]);
    file.extend(b"sphere\0\0\0\0\0\0\0\0\0\0");
    for (number, (position, _)) in vertices.iter().enumerate() {
        file.extend(position.map(|x| (128.0 + 127.0 * x) as u8));
        file.push((number % 162) as u8);
    }
    file
}

/// The sphere as plain vectors.
fn parts() -> Model {
    let corners = vertices();
    let part = SurfaceParts {
        positions: corners.iter().map(|(p, _)| p.map(|x| x as f32 * 32.0)).collect(),
        normals: corners.iter().map(|(p, _)| p.map(|x| x as f32)).collect(),
        texcoords: corners.iter().map(|(_, uv)| uv.map(|x| x as f32)).collect(),
        triangles: triangles(),
        texture: Image::from_indices(
            SKIN as u32,
            SKIN as u32,
            skin(),
            polyset::Palette::quake(),
            None,
        )
        .ok()
        .map(Into::into),
        ..SurfaceParts::default()
    };
    Model::from_parts(vec![part]).expect("as many of everything")
}

const SIZES: [[u32; 2]; 2] = [[640, 480], [1920, 1080]];

/// The scene with the automatic framing, for a picture of this size.
fn framed(model: &Model, [width, height]: [u32; 2]) -> ClassicScene {
    let mut scene = ClassicScene::default();
    let pose = model.pose_blend(scene.blend(model));
    scene.set_camera(model, &pose, &Camera::framing(&pose), width, height);
    scene
}

/// Columns and rows of the crowd.
const CROWD: [i16; 2] = [20, 10];

fn draw(criterion: &mut Criterion) {
    let sample = |name| Model::open(format!("tests/models/{name}")).expect("a sample");
    let sphere = Model::from_bytes(&mdl()).expect("a well-formed file");
    let cases = [
        ("sphere.mdl", sphere),
        ("sphere as vectors", parts()),
        ("bolt.mdl", sample("bolt.mdl")),
        ("bolt.md2", sample("bolt.md2")),
        ("bolt.md3", sample("bolt.md3")),
    ];
    for [width, height] in SIZES {
        let mut group = criterion.benchmark_group(format!("classic {width}x{height}"));
        for (name, model) in &cases {
            let mut scene = framed(model, [width, height]);
            let mut renderer = ClassicRenderer::new();
            let mut frame = ClassicFrame::new(width, height).expect("a size that fits");
            let stats = renderer.draw(model, &scene, &mut frame);
            println!("{name}: {stats}");
            group.bench_function(*name, |bencher| {
                bencher.iter(|| {
                    scene.angles[1] += 3.0;
                    frame.clear(0);
                    renderer.draw(model, &scene, &mut frame)
                });
            });
        }
        let (_, model) = &cases[0];
        let mut scene = framed(model, [width, height]);
        // So far away that all of them are in the picture.
        scene.camera_position = scene.camera_position.map(|x| x * 12.0);
        let mut renderer = ClassicRenderer::new();
        let mut frame = ClassicFrame::new(width, height).expect("a size that fits");
        group.bench_function("crowd of 200", |bencher| {
            bencher.iter(|| {
                scene.angles[1] += 3.0;
                frame.clear(0);
                for place in 0..CROWD[0] * CROWD[1] {
                    let (column, row) = (place % CROWD[0], place / CROWD[0]);
                    let from_middle =
                        |i: i16, count: i16| (f32::from(i) - f32::from(count) / 2.0) * 50.0;
                    scene.origin = [0.0, from_middle(column, CROWD[0]), from_middle(row, CROWD[1])];
                    renderer.draw(model, &scene, &mut frame);
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, draw);
criterion_main!(benches);
