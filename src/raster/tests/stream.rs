//! Large surfaces, which one thread draws piece by piece, and others whole.

use super::*;

/// Rows and columns of vertices of [`hills`].
const SIDE: u32 = 300;

/// A surface of 90 000 vertices in rows from the top to the bottom, which bends away and back.
pub(super) fn hills(texture: &Arc<Image>) -> SurfaceParts {
    let mut part = SurfaceParts { texture: Some(texture.clone()), ..SurfaceParts::default() };
    for i in 0..SIDE * SIDE {
        let [u, v] = [i % SIDE, i / SIDE].map(|x| x as f32 / (SIDE - 1) as f32);
        let slope = libm::sinf(25.0 * v);
        part.positions.push([
            9.0 * libm::sinf(12.0 * u) + 12.0 * slope,
            50.0 * (u - 0.5),
            30.0 * (0.5 - v),
        ]);
        part.normals.push([(1.0 - slope * slope).max(0.0).sqrt(), 0.0, slope]);
        part.texcoords.push([3.0 * u, 2.0 * v]);
    }
    for row in 0..SIDE - 1 {
        for column in 0..SIDE - 1 {
            let first = row * SIDE + column;
            part.triangles.push([first, first + 1, first + SIDE]);
            part.triangles.push([first + 1, first + SIDE + 1, first + SIDE]);
        }
    }
    part
}

#[test]
fn large_surfaces_are_the_same_in_pieces() {
    let texture = checks(16, 16, false);
    let large = hills(&texture);
    let mut far_reaching = hills(&texture);
    far_reaching.positions.iter_mut().for_each(|position| position[0] += 2.0);
    far_reaching.triangles[90_000] = [0, SIDE * SIDE / 2, SIDE * SIDE - 1];
    let mut small = hills(&texture);
    small.triangles.truncate(4_000);
    small.triangles.iter_mut().flatten().for_each(|vertex| *vertex %= 2 * SIDE);
    for vertices in [&mut small.positions, &mut small.normals] {
        vertices.truncate(2 * SIDE as usize);
    }
    small.texcoords.truncate(2 * SIDE as usize);
    let parts = vec![small.clone(), large.clone(), small.clone(), small, far_reaching, large];
    let model = Model::from_parts(parts).unwrap();
    let vertices = model.surfaces.iter().map(|surface| surface.vertex_count() as u64).sum();
    let up = [0.0, 0.0, 1.0];
    for (camera, is_clipped) in [
        (Camera::placed([60.0, 3.0, 2.0], [0.0; 3], up), false),
        (Camera::placed([12.0, 0.0, 9.0], [-9.0, 5.0, -3.0], up), true),
    ] {
        for filter in [Filter::Nearest, Filter::Trilinear] {
            let case: Case = Look { filter, cull: Cull::None, ..Look::default() }.into();
            let picture =
                |renderer: &mut Renderer| hash(&model, &camera, &case, [300, 200], renderer);
            let stage = |renderer: &Renderer, name: &str| {
                renderer.stats().into_iter().find(|stats| stats.stage == name)
            };
            // Over the renderer's own depth.
            let color = |renderer: &mut Renderer| {
                let mut frame = Framebuffer::new(300, 200).unwrap();
                frame.clear([9, 8, 7, 255]);
                let pose = model.pose_blend(Blend::frame(0));
                let instance = Instance::new(&model, &pose).look(case.look);
                renderer.draw(&case.view(&camera), &[instance], &mut frame).unwrap();
                frame.image().hash()
            };
            let mut shared = Renderer::new().with_threads(2).unwrap();
            let (whole, colored) = (picture(&mut shared), color(&mut shared));
            assert!(whole.1 > 10_000, "{} pixels", whole.1);
            assert_eq!(stage(&shared, "vertex").unwrap().input, vertices);
            assert!(stage(&shared, "bins").is_some());
            for level in SimdLevel::available() {
                let mut alone = Renderer::new().with_threads(1).unwrap().with_simd(level).unwrap();
                assert_eq!(
                    picture(&mut alone),
                    whole,
                    "{level}, {filter:?}, clipped: {is_clipped}"
                );
                assert_eq!(stage(&alone, "bins"), None, "in one go");
                assert_eq!(
                    color(&mut alone),
                    colored,
                    "{level}, {filter:?}, clipped: {is_clipped}"
                );
                // What was begun in pieces and turned out to be outside is transformed again, whole.
                let transformed = stage(&alone, "vertex").unwrap().input;
                assert_eq!(transformed > vertices, is_clipped, "{transformed} vertices");
            }
        }
    }
}
