//! The kernels against their scalar twin, on random triangles and looks.

use std::sync::Arc;

use proptest::prelude::*;

mod background;
mod clusters;
mod mixed;
mod sampled;
mod stream;
mod waiting;

use super::vertex::{FAR_W, MIN_W, TOO_FAR};
use super::*;
use crate::camera::Camera;
use crate::image::Image;
use crate::look::{Alpha, ColorMode, Cull, Draw, Filter, Lighting, Look, Perspective, Samples};
use crate::model::{Blend, Model, SurfaceParts};

/// A soup of triangles: tiny, mid-size, big ones and slivers, some behind the camera.
fn soup(seed: u64, triangles: usize, texture: Option<Arc<Image>>) -> Model {
    soup_of([0.3, 3.0, 30.0, 200.0], seed, triangles, texture)
}

/// A soup of triangles whose sizes take turns.
fn soup_of(sizes: [f32; 4], seed: u64, triangles: usize, texture: Option<Arc<Image>>) -> Model {
    let mut state = seed | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let mut part = SurfaceParts { texture, ..SurfaceParts::default() };
    for triangle in 0..triangles {
        let centre = [random() * 60.0 - 30.0, random() * 40.0 - 20.0, random() * 40.0 - 20.0];
        let size = sizes[triangle % 4] * random();
        for _ in 0..3 {
            part.positions.push(centre.map(|c| c + (random() - 0.5) * size));
            let normal = [random() - 0.5, random() - 0.5, random() - 0.5];
            let length = normal.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
            part.normals.push(normal.map(|x| x / length));
            part.texcoords.push([random() * 3.0 - 1.0, random() * 3.0 - 1.0]);
        }
        part.triangles.push([0, 1, 2].map(|corner| (3 * triangle + corner) as u32));
    }
    Model::from_parts(vec![part]).unwrap()
}

fn checks(width: u32, height: u32, alpha: bool) -> Arc<Image> {
    let rgba = (0..width * height).flat_map(|i| {
        let hole = alpha && i % 5 == 0;
        [(i * 7) as u8, (i * 13) as u8, (i / width * 9) as u8, if hole { 0 } else { 255 }]
    });
    Arc::new(Image::from_rgba(width, height, rgba.collect()).unwrap())
}

/// A number for picture and depth, and how many pixels were drawn.
fn hash(
    model: &Model,
    camera: &Camera,
    look: &Case,
    size: [u32; 2],
    renderer: &mut Renderer,
) -> (u64, usize) {
    let pose = model.pose_blend(Blend::frame(0));
    let mut frame = Framebuffer::new(size[0], size[1]).unwrap().with_depth();
    frame.clear([1, 2, 3, 4]);
    let instance = Instance::new(model, &pose).look(look.look);
    renderer.draw(&look.view(camera), &[instance], &mut frame).unwrap();
    let depth: Vec<u32> = frame.depth_rows().unwrap().flatten().map(|z| z.to_bits()).collect();
    let drawn = depth.iter().filter(|&&z| z != 1.0f32.to_bits()).count();
    let mut hash = frame.image().hash();
    for z in depth {
        hash = (hash ^ u64::from(z)).wrapping_mul(0x100_0000_01b3);
    }
    (hash, drawn)
}

/// A look in a picture of some kind.
#[derive(Clone, Copy, Default)]
struct Case {
    look: Look,
    color: ColorMode,
    samples: Samples,
}

impl Case {
    fn view(&self, camera: &Camera) -> View {
        View::new(camera.clone()).color(self.color).samples(self.samples)
    }
}

impl From<Look> for Case {
    fn from(look: Look) -> Self {
        Self { look, ..Self::default() }
    }
}

fn looks() -> Vec<Case> {
    let plain = Look::default();
    let indexed = Case::from(Look { lighting: Lighting::Quake, ..plain });
    let flat = Case::from(Look { draw: Draw::Flat, ..plain });
    let mut cases = vec![
        Case::default(),
        Case { color: ColorMode::Indexed, ..indexed },
        Case { samples: Samples::Two, ..flat },
    ];
    let looks = [
        Look { lighting: Lighting::Gl, cull: Cull::None, light_level: 255.0, ..plain },
        Look { perspective: Perspective::Affine, cull: Cull::Front, ..plain },
        Look { alpha: Alpha::Test, cull: Cull::None, ..plain },
        Look { filter: Filter::Bilinear, ..plain },
        Look { filter: Filter::Trilinear, alpha: Alpha::Test, ..plain },
        Look { filter: Filter::Bilinear, lighting: Lighting::Gl, ..plain },
        Look { filter: Filter::Trilinear, lighting: Lighting::Gl, ..plain },
        Look { draw: Draw::Wire, ..plain },
        Look { draw: Draw::Normals, ..plain },
        Look { draw: Draw::Uv, ..plain },
        Look { draw: Draw::Depth, ..plain },
    ];
    cases.extend(looks.map(Case::from));
    cases
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_level_gives_the_bits_of_the_scalar_twin(
        seed in any::<u64>(), width in 1u32..400, height in 1u32..200, distance in 5f32..120.0,
    ) {
        prop_assert!(SimdLevel::available().contains(&SimdLevel::Fallback));
        let mut drawn = 0;
        let camera = Camera::placed([distance, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]).near(Some(1.0));
        for (number, look) in looks().iter().enumerate() {
            let texture = [checks(16, 8, true), checks(13, 7, true)][number % 2].clone();
            let model = soup(seed.wrapping_add(number as u64), 60, Some(texture));
            let mut scalar = Renderer::new().with_simd(SimdLevel::Scalar).unwrap();
            let expected = hash(&model, &camera, look, [width, height], &mut scalar);
            for level in SimdLevel::available() {
                for threads in [1, 2] {
                    let renderer = Renderer::new().with_threads(threads).unwrap();
                    let mut renderer = renderer.with_simd(level).unwrap();
                    let found = hash(&model, &camera, look, [width, height], &mut renderer);
                    prop_assert_eq!(found, expected, "look {} on {:?}, {} threads", number, level, threads);
                }
            }
            drawn += expected.1;
        }
        // Over all looks, and unless the picture is so small that it may look past the triangles.
        let area = (width * height) as usize;
        prop_assert!(area < 1000 || 20 * drawn > area, "{} pixels of {}", drawn, area);
    }
}

/// Renderers of all levels, and of both ways to fetch texels.
fn renderers() -> Vec<Renderer> {
    let levels = SimdLevel::available().into_iter();
    let both = levels.flat_map(|level| [(level, false), (level, true)]);
    both.map(|(level, gathers)| {
        let mut renderer = Renderer::new().with_simd(level).unwrap();
        if let Kernel::Simd { gathers: how, .. } = &mut renderer.kernel {
            *how = gathers;
        }
        renderer
    })
    .collect()
}

/// A texture of which some entries of the palette take no light.
fn fullbright() -> Arc<Image> {
    let indices = (0..32 * 64).map(|i| (i * 7 % 64 + 192) as u8).collect();
    Arc::new(Image::from_indices(32, 64, indices, Palette::quake(), None).unwrap())
}

#[test]
fn both_ways_to_fetch_find_the_same_texels() {
    let camera = Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
    let textures = [
        fullbright(),
        checks(16, 8, false),
        checks(16, 8, true),
        checks(13, 7, true),
        checks(600, 200, true),
    ];
    for texture in textures {
        let model = soup(5, 100, Some(texture));
        for (number, look) in looks().iter().enumerate() {
            let mut scalar = Renderer::new().with_simd(SimdLevel::Scalar).unwrap();
            let expected = hash(&model, &camera, look, [300, 200], &mut scalar);
            assert!(expected.1 > 3_000, "{} pixels of look {number}", expected.1);
            for mut renderer in renderers() {
                let found = hash(&model, &camera, look, [300, 200], &mut renderer);
                assert_eq!(found, expected, "look {number}, {:?}", renderer.kernel);
            }
        }
    }
}

#[test]
fn blocks_of_a_filtered_texture_change_no_pixel() {
    let camera = Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
    for texture in [checks(32, 32, false), checks(31, 17, false), fullbright()] {
        let model = soup(5, 100, Some(texture));
        for filter in [Filter::Bilinear, Filter::Trilinear] {
            for lighting in [Lighting::Lambert, Lighting::Gl] {
                let look = Look { filter, lighting, ..Look::default() }.into();
                let mut scalar = Renderer::new().with_simd(SimdLevel::Scalar).unwrap();
                let expected = hash(&model, &camera, &look, [90, 60], &mut scalar);
                for mut renderer in renderers() {
                    // Blocks are made in one of the frames.
                    let mut were_there = Vec::new();
                    for _ in 0..8 {
                        let found = hash(&model, &camera, &look, [90, 60], &mut renderer);
                        assert_eq!(found, expected, "{filter:?}, {:?}", renderer.kernel);
                        were_there.push(renderer.textures.have_blocks());
                    }
                    assert!(!were_there[0] && were_there[7], "{were_there:?}");
                }
            }
        }
    }
}

#[test]
fn matrices_of_any_size_give_the_same_bits() {
    let model = soup(9, 120, Some(checks(16, 8, false)));
    let pose = model.pose_blend(Blend::frame(0));
    let look = Look { cull: Cull::None, ..Look::default() };
    let instances = [Instance::new(&model, &pose).look(look)];
    let camera = Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
    let plain = View::new(camera.near(Some(1.0))).matrix(&instances, 60, 40);
    let mut identity = [0.0; 16];
    (0..4).for_each(|i| identity[5 * i] = 1.0);
    // Coordinates of the soup are about 60: some corners lie on either side of each edge.
    let edges = [MIN_W, FAR_W, TOO_FAR, 1e36, f32::MAX].map(|edge| edge / 60.0);
    let scales: Vec<f32> = [1.0, 1e16].into_iter().chain(edges).chain([f32::INFINITY]).collect();
    let mut drawn = 0;
    for (sides, depth) in scales.iter().flat_map(|a| scales.iter().map(move |b| (*a, *b))) {
        for &w in &scales {
            let rows = [sides, sides, depth, w];
            let matrix: [f32; 16] = std::array::from_fn(|i| plain[i] * rows[i % 4]);
            let view = View::from_matrices(identity, matrix);
            let picture = |level: SimdLevel| {
                let mut renderer = Renderer::new().with_simd(level).unwrap();
                let mut frame = Framebuffer::new(60, 40).unwrap().with_depth();
                renderer.draw(&view, &instances, &mut frame).unwrap();
                let depth = frame.depth_rows().unwrap().flatten().map(|z| z.to_bits());
                let depth: Vec<u32> = depth.collect();
                (frame.rows().flatten().copied().collect::<Vec<u32>>(), depth)
            };
            let expected = picture(SimdLevel::Scalar);
            drawn += usize::from(expected.0.iter().any(|&pixel| pixel != 0));
            for level in SimdLevel::available() {
                assert!(picture(level) == expected, "{level}, rows times {rows:?}");
            }
        }
    }
    assert!(drawn > 30, "{drawn} pictures show something");
}

/// Walls of small triangles, in this order.
fn walls(places: &[f32]) -> Model {
    let side = 20;
    let wall = |(number, place): (usize, &f32)| {
        let mut part =
            SurfaceParts { texture: Some(checks(16, 16, number == 2)), ..SurfaceParts::default() };
        for i in 0..side * side {
            let (y, z) = ((i % side) as f32 * 3.0 - 30.0, (i / side) as f32 * 3.0 - 30.0);
            // Not flat: triangles of neighbouring walls nearly touch.
            let x = place + ((i * i + 3 * number) % 7) as f32 * 0.3;
            part.positions.push([x, y, z]);
            part.normals.push([1.0, 0.0, 0.0]);
            part.texcoords.push([y * 0.1, z * 0.1]);
        }
        for i in (0..side * (side - 1)).filter(|i| i % side < side - 1) {
            let [a, b, c, d] = [i, i + 1, i + side, i + side + 1].map(|corner| corner as u32);
            part.triangles.extend([[a, b, c], [b, d, c]]);
        }
        part
    };
    Model::from_parts(places.iter().enumerate().map(wall).collect()).unwrap()
}

#[test]
fn hidden_triangles_change_nothing() {
    let camera = Camera::placed([90.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
    // Hidden ones make the test begin; the next ones are seen, in part or all of them.
    let front_to_back = walls(&[10.0, 8.0, 6.0, 4.0, 10.3, 7.0, 12.0, 11.9]);
    let back_to_front = walls(&[0.0, 0.6, 1.2, 5.0]);
    for model in [front_to_back, back_to_front] {
        for alpha in [Alpha::Opaque, Alpha::Test] {
            let look = Look { cull: Cull::None, alpha, ..Look::default() }.into();
            let picture =
                |renderer: &mut Renderer| hash(&model, &camera, &look, [500, 300], renderer);
            let scalar = picture(&mut Renderer::new().with_simd(SimdLevel::Scalar).unwrap());
            assert!(scalar.1 > 20_000, "{} pixels", scalar.1);
            for threads in [1, 2] {
                for renderer in renderers() {
                    let mut renderer = renderer.with_threads(threads).unwrap();
                    assert_eq!(picture(&mut renderer), scalar, "{:?}", renderer.kernel);
                }
            }
        }
    }
}

#[test]
fn clipping_in_tasks_gives_the_same_picture() {
    // Three tasks of triangles, of which many reach behind the near plane.
    let model = soup(11, 10_000, Some(checks(16, 16, false)));
    let camera = Camera::placed([12.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]).near(Some(1.0));
    for draw in [Draw::Textured, Draw::Wire] {
        let look = Look { draw, cull: Cull::None, ..Look::default() }.into();
        let picture = |renderer: Renderer| {
            let mut renderer = renderer;
            let drawn = hash(&model, &camera, &look, [320, 200], &mut renderer);
            (drawn, renderer.stats()[1].output)
        };
        let scalar = Renderer::new().with_threads(1).unwrap();
        let expected = picture(scalar.with_simd(SimdLevel::Scalar).unwrap());
        assert_ne!(expected.1, 10_000, "triangles are clipped");
        for threads in [1, 2, 5] {
            let found = picture(Renderer::new().with_threads(threads).unwrap());
            assert_eq!(found, expected, "{threads} threads");
        }
    }
}

#[test]
fn places_stay_in_range_however_near_the_near_plane_is() {
    let model = Model::open("tests/models/bolt_holey.mdl").unwrap();
    let pose = model.pose_blend(Blend::frame(0));
    let (eye, focal) = ([-1.0197382, -6.428209, 23.644024], [-3.9810543, -9.018471, 30.21206]);
    let inside = Camera::placed(eye, focal, [0.0, 0.0, 1.0]);
    let cameras = [inside.near(Some(1e-6)), Camera::framing(&pose).zoom(1e12)];
    for (number, camera) in cameras.iter().enumerate() {
        let look: Case = Look { cull: Cull::None, ..Look::default() }.into();
        let mut scalar = Renderer::new().with_simd(SimdLevel::Scalar).unwrap();
        let expected = hash(&model, camera, &look, [64, 64], &mut scalar);
        let places = scalar.work.clipped_vertices.xy.iter().flat_map(|&xy| vertex::fine(xy));
        let farthest = places.map(i32::unsigned_abs).max().unwrap();
        assert!(farthest > 16384 << 16, "camera {number} clips nothing far out: {farthest}");
        assert!(farthest <= 32767 << 16, "camera {number} makes a vertex at {farthest}");
        for mut renderer in renderers() {
            let found = hash(&model, camera, &look, [64, 64], &mut renderer);
            assert_eq!(found, expected, "camera {number}, {:?}", renderer.kernel);
        }
    }
}

#[test]
fn the_scalar_twin_looks_at_no_pixels_beside_the_picture() {
    // One triangle from the left end of the guard band to the right one, 16384 rows high.
    let part = SurfaceParts {
        positions: vec![[0.0, 9e3, -9e3], [0.0, -9e3, -9e3], [0.0, 0.0, 9e3]],
        normals: vec![[1.0, 0.0, 0.0]; 3],
        texcoords: vec![[0.0; 2]; 3],
        triangles: vec![[0, 1, 2]],
        ..SurfaceParts::default()
    };
    let model = Model::from_parts(vec![part]).unwrap();
    let camera = Camera::placed([2.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]);
    let camera = camera.near(Some(1.0)).far(Some(3.0));
    let look: Case = Look { cull: Cull::None, ..Look::default() }.into();
    let mut renderer = Renderer::new().with_simd(SimdLevel::Scalar).unwrap();
    let start = std::time::Instant::now();
    let (_, drawn) = hash(&model, &camera, &look, [1, 16384], &mut renderer);
    assert_eq!(drawn, 16384);
    // A search from the triangle's end takes ten seconds and more, its pixels some milliseconds.
    assert!(start.elapsed().as_secs_f64() < 2.0, "{:?}", start.elapsed());
}

#[test]
fn a_second_frame_reuses_the_buffers_and_is_the_same() {
    let model = soup(7, 300, Some(checks(16, 16, false)));
    let camera = Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
    let mut renderer = Renderer::new();
    let mut draw = |size| hash(&model, &camera, &Case::default(), size, &mut renderer);
    let first = draw([300, 200]);
    draw([50, 70]);
    assert_eq!(draw([300, 200]), first);
    assert!(first.1 > 300 * 200 / 2, "{} pixels", first.1);
}

/// The texel of a quad whose texture coordinates are the same everywhere.
fn texel_at(texture: Arc<Image>, uv: [f32; 2]) -> u32 {
    let part = SurfaceParts {
        positions: vec![[0.0, 9.0, 9.0], [0.0, -9.0, 9.0], [0.0, -9.0, -9.0]],
        normals: vec![[1.0, 0.0, 0.0]; 3],
        texcoords: vec![uv; 3],
        triangles: vec![[0, 1, 2]],
        texture: Some(texture),
        ..SurfaceParts::default()
    };
    let model = Model::from_parts(vec![part]).unwrap();
    let pose = model.pose_blend(Blend::frame(0));
    let camera = Camera::placed([50.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]);
    let look = Look { lighting: Lighting::Unlit, cull: Cull::None, ..Look::default() };
    let mut frame = Framebuffer::new(16, 16).unwrap();
    frame.clear([0; 4]);
    let instance = Instance::new(&model, &pose).look(look);
    Renderer::new().draw(&View::new(camera), &[instance], &mut frame).unwrap();
    let mut drawn = frame.rows().flatten().copied().filter(|pixel| pixel >> 24 == 255);
    let first = drawn.next().expect("the quad is in the picture");
    assert!(drawn.all(|pixel| pixel == first));
    first & 0x00ff_ffff
}

#[test]
fn coordinates_beyond_all_measure_are_the_same_everywhere() {
    // Times w some of them are infinite, and then no numbers.
    let texcoords = [[3e38, -3e38], [1e30, 7.0], [-2e38, 1e-40]];
    let camera = Camera::placed([50.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]);
    for texture in [checks(16, 8, false), checks(13, 7, false), checks(600, 200, false)] {
        let part = SurfaceParts {
            positions: vec![[0.0, 9.0, 9.0], [3.0, -9.0, 9.0], [-3.0, -9.0, -9.0]],
            normals: vec![[1.0, 0.0, 0.0]; 3],
            texcoords: texcoords.to_vec(),
            triangles: vec![[0, 1, 2]],
            texture: Some(texture),
            ..SurfaceParts::default()
        };
        let model = Model::from_parts(vec![part]).unwrap();
        for (number, look) in looks().into_iter().enumerate() {
            let look = Case { look: Look { cull: Cull::None, ..look.look }, ..look };
            let mut scalar = Renderer::new().with_simd(SimdLevel::Scalar).unwrap();
            let expected = hash(&model, &camera, &look, [60, 60], &mut scalar);
            for mut renderer in renderers() {
                let found = hash(&model, &camera, &look, [60, 60], &mut renderer);
                assert_eq!(found, expected, "look {number}, {:?}", renderer.kernel);
            }
        }
    }
}

#[test]
fn far_coordinates_find_their_row_in_small_and_large_textures() {
    for (width, height) in [(8, 16), (256, 256), (1024, 1024), (13, 7)] {
        // Every row has a colour of its own.
        let rgba = (0..height).flat_map(|y| [y as u8, (y >> 8) as u8, 77, 255].repeat(width));
        let image = Image::from_rgba(width as u32, height as u32, rgba.collect()).unwrap();
        let image = Arc::new(image);
        for whole in [0.0, -3.0, 70.0, 2000.0] {
            let row = height / 3;
            let v = whole + (row as f32 + 0.5) / height as f32;
            let expected = (row & 255) as u32 | ((row >> 8) as u32) << 8 | 77 << 16;
            assert_eq!(texel_at(image.clone(), [0.5, v]), expected, "{height} rows, v = {v}");
        }
    }
}

#[test]
fn a_renderer_survives_a_draw_that_panics() {
    let texture = Some(checks(16, 16, false));
    // The second is not clipped, so that it panics in the middle of the drawing, where the scalar twin does.
    let clipped = (soup(7, 300, texture.clone()), 20.0, vec![SimdLevel::Scalar, SimdLevel::Auto]);
    let whole = (soup_of([1.0, 3.0, 9.0, 9.0], 7, 300, texture), 1.0, vec![SimdLevel::Scalar]);
    for (good, near, levels) in [clipped, whole] {
        let mut bad = good.clone();
        // No reader lets such a triangle through.
        bad.surfaces[0].triangles.push([0, 1, 5_000_000]);
        let pose = good.pose_blend(Blend::frame(0));
        let camera = Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]).near(Some(near));
        let combinations =
            levels.iter().flat_map(|&level| looks().into_iter().map(move |case| (level, case)));
        for (level, case) in combinations {
            for threads in [1, 3] {
                let renderer = || Renderer::new().with_threads(threads).unwrap();
                let mut used = renderer().with_simd(level).unwrap();
                let draw = std::panic::AssertUnwindSafe(|| {
                    let mut frame = Framebuffer::new(300, 200).unwrap();
                    let instance = Instance::new(&bad, &pose).look(case.look);
                    used.draw(&case.view(&camera), &[instance], &mut frame)
                });
                assert!(std::panic::catch_unwind(draw).is_err(), "it was to panic");
                // The depth of the renderer first.
                let image = |renderer: &mut Renderer| {
                    let mut frame = Framebuffer::new(300, 200).unwrap();
                    let instance = Instance::new(&good, &pose).look(case.look);
                    renderer.draw(&case.view(&camera), &[instance], &mut frame).unwrap();
                    frame.image()
                };
                assert_eq!(image(&mut used), image(&mut renderer()));
                let found = hash(&good, &camera, &case, [300, 200], &mut used);
                let expected = hash(&good, &camera, &case, [300, 200], &mut renderer());
                assert_eq!(found, expected);
            }
        }
    }
}
