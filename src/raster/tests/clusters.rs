//! What clusters leave out is what culling leaves out.

use std::collections::HashSet;

use super::*;
use crate::model::Clusters;
use crate::pose::{PICTURES, Pose};
use crate::raster::bands::Bands;
use crate::raster::kernel::Kernel;
use crate::raster::plan::Plan;
use crate::raster::setup::drawing_order;
use crate::raster::texture_cache::TextureCache;
use crate::raster::vertex::fine;
use crate::raster::visible::{Visible, WORD};
use crate::transform::Transform;

/// Vertices around a bumpy sphere, and from one pole to the other.
const SIDES: [u32; 2] = [180, 120];

/// A closed surface of 42 840 triangles, with some that are thin and some of no area.
fn bumpy(texture: Option<Arc<Image>>, bumps: f32) -> SurfaceParts {
    let mut part = SurfaceParts { texture, ..SurfaceParts::default() };
    let [around, down] = SIDES;
    for i in 0..around * down {
        let (u, v) = ((i % around) as f32 / around as f32, (i / around) as f32 / (down - 1) as f32);
        let (longitude, latitude) = (u * std::f32::consts::TAU, v * std::f32::consts::PI);
        let radius = 10.0 + bumps * libm::sinf(5.0 * longitude) * libm::sinf(7.0 * latitude);
        let out = [
            libm::cosf(longitude) * libm::sinf(latitude),
            libm::sinf(longitude) * libm::sinf(latitude),
            libm::cosf(latitude),
        ];
        part.positions.push(out.map(|x| x * radius));
        part.normals.push(out);
        part.texcoords.push([4.0 * u, 2.0 * v]);
    }
    for row in 0..down - 1 {
        for column in 0..around {
            let [a, b] = [column, (column + 1) % around].map(|column| row * around + column);
            part.triangles.push([a, b, a + around]);
            part.triangles.push([b, b + around, a + around]);
        }
    }
    part
}

/// One that is drawn by clusters in the end.
pub(super) fn bumpy_model() -> Model {
    Model::from_parts(vec![bumpy(Some(checks(16, 16, false)), 2.0)]).unwrap()
}

fn camera(position: [f32; 3]) -> Camera {
    Camera::placed(position, [0.0; 3], [0.0, 0.0, 1.0])
}

fn transform(turned: bool) -> Transform {
    let sign = if turned { -1.0 } else { 1.0 };
    let mut columns = Transform::IDENTITY.columns();
    columns[0] = 1.3 * sign;
    columns[4] = 0.4;
    columns[14] = 0.7;
    Transform::from_columns(columns)
}

/// Draws as often as it takes to draw by clusters, and returns the first and the last picture with their depth.
fn first_and_last(
    model: &Model,
    pose: &Pose,
    (view, look): (&View, Look),
    transform: Transform,
    size: [u32; 2],
    renderer: &mut Renderer,
) -> [(u64, Vec<u32>, bool); 2] {
    let mut draw = || {
        let mut frame = Framebuffer::new(size[0], size[1]).unwrap().with_depth();
        frame.clear([1, 2, 3, 4]);
        let instance = Instance { transform, ..Instance::new(model, pose).look(look) };
        renderer.draw(view, &[instance], &mut frame).unwrap();
        let depth = frame.depth_rows().unwrap().flatten().map(|z| z.to_bits()).collect();
        let by_clusters = renderer.stats().iter().any(|stats| stats.stage == "clusters");
        (frame.image().hash(), depth, by_clusters)
    };
    let first = draw();
    for picture in 1..PICTURES {
        assert!(!draw().2, "picture {picture}");
    }
    [first, draw()]
}

#[test]
fn pictures_by_clusters_are_the_same() {
    let texture = Some(checks(16, 16, false));
    let model = Model::from_parts(vec![bumpy(texture.clone(), 2.0), bumpy(texture, -3.0)]).unwrap();
    let plain = Look::default();
    for (look, color) in [
        (plain, ColorMode::Rgb),
        (Look { cull: Cull::Front, filter: Filter::Trilinear, ..plain }, ColorMode::Rgb),
        (Look { cull: Cull::None, alpha: Alpha::Blend, ..plain }, ColorMode::Indexed),
    ] {
        // From far, near, and beside the picture.
        for (position, size, turned) in [
            ([60.0, 20.0, 15.0], [300, 200], false),
            ([17.0, -9.0, 6.0], [640, 400], true),
            ([140.0, 0.0, 40.0], [90, 61], false),
        ] {
            let view = View::new(camera(position)).color(color);
            let transform = transform(turned);
            let mut expected = None;
            for level in SimdLevel::available() {
                for threads in [1, 3] {
                    let mut renderer =
                        Renderer::new().with_threads(threads).unwrap().with_simd(level).unwrap();
                    let pose = model.pose_blend(Blend::frame(0));
                    let [first, second] = first_and_last(
                        &model,
                        &pose,
                        (&view, look),
                        transform,
                        size,
                        &mut renderer,
                    );
                    let scalar = level == SimdLevel::Scalar;
                    assert_eq!([first.2, second.2], [false, !scalar], "{level}, {threads} threads");
                    let expected = expected.get_or_insert((first.0, first.1));
                    assert!(
                        second.0 == expected.0 && second.1 == expected.1,
                        "{level}, {threads} threads, {look:?} from {position:?}"
                    );
                }
            }
            let (_, depth) = expected.unwrap();
            let far = 1.0f32.to_bits();
            assert!(depth.iter().filter(|&&z| z != far).count() > 100, "something is seen");
        }
    }
}

#[test]
fn clusters_pay_for_fewer_triangles_on_several_threads() {
    let view = View::new(camera([60.0, 20.0, 15.0]));
    for (surfaces, threads, expected) in [
        (&[5_000][..], 1, false),
        (&[5_000], 2, true),
        (&[4_000], 2, false),
        (&[6_000, 3_000], 3, true),
        (&[6_000, 1_000], 3, false),
        (&[20_000, 13_000], 1, true),
        (&[700, 33, 2_048, 40_000, 2_049, 32], 2, true),
    ] {
        let part = |&triangles: &usize| {
            let mut part = bumpy(None, 2.0);
            part.triangles.truncate(triangles);
            part
        };
        let model = Model::from_parts(surfaces.iter().map(part).collect()).unwrap();
        let pose = model.pose_blend(Blend::frame(0));
        let mut renderer = Renderer::new().with_threads(threads).unwrap();
        let [first, second] = first_and_last(
            &model,
            &pose,
            (&view, Look::default()),
            Transform::IDENTITY,
            [300, 200],
            &mut renderer,
        );
        assert_eq!(second.2, expected, "{surfaces:?}, {threads} threads");
        assert_eq!((first.0, first.1), (second.0, second.1), "{surfaces:?}, {threads} threads");
    }
}

#[test]
fn clusters_are_of_the_pose_and_the_triangles_that_are_drawn() {
    let texture = Some(checks(16, 16, false));
    let part = bumpy(texture, 2.0);
    let mut other = part.clone();
    other.triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
    let mut moved = part.clone();
    moved.positions.iter_mut().for_each(|[x, ..]| *x = -*x + 3.0);
    let mut endless = part.clone();
    endless.positions[77] = [f32::INFINITY; 3];
    let [part, other, moved, endless] =
        [part, other, moved, endless].map(|part| Model::from_parts(vec![part]).unwrap());
    let view = View::new(camera([60.0, 20.0, 15.0]));
    let look = Look::default();
    let mut renderer = Renderer::new().with_threads(1).unwrap();
    let mut draw = |model: &Model, pose: &Pose| {
        first_and_last(model, pose, (&view, look), Transform::IDENTITY, [300, 200], &mut renderer)
    };
    let fresh = |model: &Model| model.pose_blend(Blend::frame(0));
    let expected = [&part, &other, &moved].map(|model| draw(model, &fresh(model))[0].0);
    assert_eq!(expected.iter().collect::<HashSet<_>>().len(), 3, "three pictures");

    let mut pose = fresh(&part);
    let [first, second] = draw(&part, &pose);
    assert_eq!((first.0, second.0, second.2), (expected[0], expected[0], true));
    // The same pose with triangles that face the other way.
    let [third, fourth] = draw(&other, &pose);
    assert_eq!((third.0, fourth.0, third.2, fourth.2), (expected[1], expected[1], false, false));
    // Posed anew.
    moved.pose_into(Blend::frame(0), &mut pose);
    let [fifth, sixth] = draw(&moved, &pose);
    assert_eq!((fifth.0, sixth.0, fifth.2, sixth.2), (expected[2], expected[2], false, true));
    // A copy is drawn for the first time, too.
    assert_eq!(draw(&moved, &pose.clone()).map(|drawn| drawn.2), [false, true]);
    // Nothing is known of what is not finite.
    assert_eq!(draw(&endless, &fresh(&endless)).map(|drawn| drawn.2), [false, false]);
}

#[test]
fn what_reaches_behind_the_eye_is_not_drawn_by_clusters() {
    let model = Model::from_parts(vec![bumpy(None, 2.0)]).unwrap();
    let pose = model.pose_blend(Blend::frame(0));
    let mut renderer = Renderer::new().with_threads(1).unwrap();
    let view = View::new(camera([6.0, 1.0, 2.0]));
    let look = Look { cull: Cull::None, ..Look::default() };
    let [first, second] = first_and_last(
        &model,
        &pose,
        (&view, look),
        Transform::IDENTITY,
        [200, 100],
        &mut renderer,
    );
    assert_eq!((first.0, first.2), (second.0, second.2));
    assert!(!second.2);
}

/// Which clusters can be seen in a band.
fn in_band(visible: &Visible, band: usize) -> Vec<u64> {
    let mut bits = Vec::new();
    visible.in_band(band, &mut bits);
    assert_eq!(visible.count_in(band), bits.iter().map(|bits| bits.count_ones()).sum::<u32>());
    bits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Every triangle of a cluster that is left out in a band is not of the side that is drawn, or misses the band.
    #[test]
    fn what_is_left_out_is_culled(
        position in [-1f32..1.0, -1f32..1.0, -1f32..1.0],
        distance in prop::sample::select(vec![14f32, 20.0, 60.0, 500.0, 20_000.0]),
        angle in prop::sample::select(vec![30f32, 4.0, 0.2]),
        width in 16u32..2_000,
        height in 16u32..1_500,
        bumps in prop::sample::select(vec![0f32, 1.0, 4.0]),
        scale in prop::sample::select(vec![1f32, 1e-3, 3e4]),
        turned in any::<bool>(),
        cull in prop::sample::select(vec![Cull::Back, Cull::Front, Cull::None]),
        threads in 1usize..4,
    ) {
        let length = position.iter().map(|x| x * x).sum::<f32>().sqrt().max(0.01);
        let position = position.map(|x| x / length * distance * scale);
        let mut part = bumpy(None, bumps);
        part.positions.iter_mut().flatten().for_each(|x| *x *= scale);
        let model = Model::from_parts(vec![part]).unwrap();
        let pose = model.pose_blend(Blend::frame(0));
        let look = Look { cull, ..Look::default() };
        let instances =
            [Instance { transform: transform(turned), ..Instance::new(&model, &pose).look(look) }];
        let camera = camera(position).view_angle(angle);
        let view = View::new(camera);
        let mut textures = TextureCache::default();
        let plan = Plan::new(&view, &instances, None, [width, height], &mut textures, Vec::new());
        let mut frame = Framebuffer::new(width, height).unwrap();
        let (mut visible, pool) = (Visible::default(), Threads::new(threads).unwrap());
        let size = [width, height].map(|x| x as i32);
        for _ in 0..PICTURES {
            let found = visible.find(&plan, Kernel::default(), &pool, size);
            prop_assert!(!found, "too few pictures");
        }
        if !visible.find(&plan, Kernel::default(), &pool, size) {
            return Ok(());
        }
        let surface = &plan.surfaces[0];
        let vertices: Vec<u64> = (0..surface.posed.count)
            .map(|i| surface.setup.clip_vertex(surface.posed, &surface.texcoords, i))
            .map(|vertex| surface.setup.project(&vertex).0)
            .collect();
        let [columns, rows] = visible.columns_and_rows();
        let bands = Bands::of_clusters(&frame.target(), rows.len(), threads);
        visible.share_out(&bands, &pool);
        let in_bands: Vec<_> = (0..bands.count).map(|band| in_band(&visible, band)).collect();
        for (number, triangle) in surface.triangles.iter().enumerate() {
            let corners = triangle.map(|corner| corner as usize);
            if drawing_order(&vertices, corners, surface.cull()).is_none() {
                continue;
            }
            // Whether it hits a pixel's centre does not matter here.
            let pixels = corners.map(|corner| fine(vertices[corner]).map(|x| x >> 16));
            let end = |axis: usize, size: u32| {
                let [a, b, c] = pixels.map(|pixel| pixel[axis]);
                [a.min(b).min(c).max(0), a.max(b).max(c).min(size as i32 - 1)]
            };
            let ([left, right], [top, bottom]) = (end(0, width), end(1, height));
            if left > right || top > bottom {
                continue;
            }
            prop_assert!(columns.contains(&left) && columns.contains(&right), "{columns:?}");
            prop_assert!(rows.contains(&top) && rows.contains(&bottom), "{rows:?}");
            let cluster = number / Clusters::TRIANGLES;
            let [top, bottom] = [top, bottom].map(|row| bands.at(row as usize));
            for in_band in &in_bands[top..=bottom] {
                let seen = in_band[cluster / 64] >> (cluster % 64) & 1;
                prop_assert_eq!(seen, 1, "triangle {} of cluster {} in bands {} to {}", number, cluster, top, bottom);
            }
        }
    }
}

#[test]
fn half_of_a_closed_surface_is_left_out() {
    let model = Model::from_parts(vec![bumpy(None, 0.0)]).unwrap();
    let pose = model.pose_blend(Blend::frame(0));
    let instances = [Instance::new(&model, &pose)];
    let view = View::new(camera([60.0, 20.0, 15.0]));
    let mut frame = Framebuffer::new(900, 900).unwrap();
    let bands = Bands::of_clusters(&frame.target(), 900, 1);
    for level in SimdLevel::available().into_iter().filter(|&level| level != SimdLevel::Scalar) {
        let mut textures = TextureCache::default();
        let plan = Plan::new(&view, &instances, None, [900, 900], &mut textures, Vec::new());
        let kernel = Kernel::of(level).unwrap();
        let mut visible = Visible::default();
        let found = (0..=PICTURES).map(|_| visible.find(&plan, kernel, &Threads::One, [900, 900]));
        assert!(found.last().unwrap());
        visible.share_out(&bands, &Threads::One);
        let words = visible.words_of(0);
        assert_eq!(words, 0..plan.surfaces[0].triangles.len().div_ceil(WORD));
        let mut seen = vec![0; words.len()];
        for band in 0..bands.count {
            for (all, bits) in seen.iter_mut().zip(in_band(&visible, band)) {
                *all |= bits;
            }
        }
        let seen: u32 = seen.into_iter().map(u64::count_ones).sum();
        let all = plan.surfaces[0].triangles.len().div_ceil(Clusters::TRIANGLES);
        let part = f64::from(seen) / all as f64;
        assert!((0.45..0.65).contains(&part), "{level}: {part} of {all} clusters");
    }
}

#[test]
fn a_crowd_in_few_rows_is_shared_out_among_threads() {
    let mut frame = Framebuffer::new(1920, 1080).unwrap();
    for (drawn, threads, rows) in [
        (1080, 1, 128),
        (1080, 2, 108),
        (700, 2, 117),
        (1080, 8, 64),
        (290, 2, 64),
        (290, 4, 32),
        (0, 2, 8),
    ] {
        let bands = Bands::of_clusters(&frame.target(), drawn, threads);
        assert_eq!(bands.rows, rows, "{drawn} rows on {threads} threads");
        assert_eq!(bands.rows_of(bands.count - 1).end, 1080);
    }
}
