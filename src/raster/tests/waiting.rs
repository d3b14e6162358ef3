//! Triangles and pixels that wait between stages: for their eight, or for their colour.

use super::*;

#[test]
fn surfaces_of_any_size_may_follow_each_other() {
    // Culling works in eights and hands on in eights: all remainders, small ones after large ones.
    let counts = [700, 3, 12, 8, 130, 1, 137, 16, 5, 0];
    let models: Vec<_> =
        counts.iter().map(|&n| soup(n as u64, n, Some(checks(16, 16, false)))).collect();
    let poses: Vec<_> = models.iter().map(|model| model.pose_blend(Blend::frame(0))).collect();
    let camera = Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
    for cull in [Cull::None, Cull::Back] {
        let look = Look { cull, ..Look::default() };
        let pairs = models.iter().zip(&poses);
        let instances: Vec<_> =
            pairs.map(|(model, pose)| Instance::new(model, pose).look(look)).collect();
        let view = View::new(camera.clone());
        let picture = |renderer: &mut Renderer| {
            let mut frame = Framebuffer::new(400, 300).unwrap();
            frame.clear([1, 2, 3, 4]);
            renderer.draw(&view, &instances, &mut frame).unwrap();
            frame.image().hash()
        };
        let expected = picture(&mut Renderer::new().with_simd(SimdLevel::Scalar).unwrap());
        for mut renderer in renderers() {
            let found = picture(&mut renderer);
            assert_eq!(found, expected, "{:?}", renderer.kernel);
        }
    }
}

#[test]
fn pixels_that_wait_for_their_colour_keep_their_order() {
    // Tiny fragments wait in one queue and strips of spans in another, narrow and wide ones by turns.
    let camera = Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
    let case = Look { cull: Cull::None, ..Look::default() }.into();
    for sizes in [[1.5, 4.0, 1.5, 4.0], [1.0, 20.0, 2.0, 6.0], [2.0, 12.0, 12.0, 90.0]] {
        for texture in [checks(16, 16, false), checks(13, 7, false), checks(16, 16, true)] {
            let model = soup_of(sizes, 5, 3000, Some(texture));
            let picture =
                |renderer: &mut Renderer| hash(&model, &camera, &case, [300, 200], renderer);
            let scalar = picture(&mut Renderer::new().with_simd(SimdLevel::Scalar).unwrap());
            assert!(scalar.1 > 10_000, "{} pixels", scalar.1);
            for mut renderer in renderers() {
                assert_eq!(picture(&mut renderer), scalar, "{sizes:?}, {:?}", renderer.kernel);
            }
        }
    }
}

#[test]
fn filtered_pixels_that_wait_keep_their_order() {
    // What is magnified waits; what is minified, or out of range, is drawn over it at once.
    let camera = Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
    for filter in [Filter::Bilinear, Filter::Trilinear] {
        let case = Look { filter, cull: Cull::None, ..Look::default() }.into();
        for sizes in [[4.0, 90.0, 10.0, 200.0], [2.0, 12.0, 12.0, 90.0]] {
            for texture in [checks(16, 16, false), checks(13, 7, false)] {
                let model = soup_of(sizes, 5, 1500, Some(texture));
                let picture =
                    |renderer: &mut Renderer| hash(&model, &camera, &case, [400, 300], renderer);
                let scalar = picture(&mut Renderer::new().with_simd(SimdLevel::Scalar).unwrap());
                for mut renderer in renderers() {
                    // From the second picture on the texture has blocks.
                    for _ in 0..2 {
                        let found = picture(&mut renderer);
                        assert_eq!(found, scalar, "{filter:?}, {sizes:?}, {:?}", renderer.kernel);
                    }
                }
            }
        }
    }
}

#[test]
fn what_waits_is_coloured_by_its_own_surface() {
    // Strips that wait, with textures of their own; between them what cannot wait.
    let camera = Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
    let plain = Look { cull: Cull::None, ..Look::default() };
    let surfaces = [
        (checks(16, 16, false), plain),
        (checks(32, 8, false), plain),
        (checks(16, 16, true), plain),
        (checks(8, 64, false), plain),
        (checks(16, 16, true), Look { alpha: Alpha::Blend, ..plain }),
        (checks(64, 8, false), plain),
        (checks(16, 16, false), Look { filter: Filter::Bilinear, ..plain }),
        (checks(13, 7, false), plain),
        (checks(16, 32, false), plain),
    ];
    let models: Vec<_> = surfaces
        .iter()
        .enumerate()
        .map(|(i, (texture, _))| {
            soup_of([1.5, 6.0, 12.0, 40.0], i as u64, 90, Some(texture.clone()))
        })
        .collect();
    let poses: Vec<_> = models.iter().map(|model| model.pose_blend(Blend::frame(0))).collect();
    let looks = surfaces.iter().map(|(_, look)| *look);
    let instances: Vec<_> = models
        .iter()
        .zip(&poses)
        .zip(looks)
        .map(|((model, pose), look)| Instance::new(model, pose).look(look))
        .collect();
    let picture = |renderer: &mut Renderer| {
        let mut frame = Framebuffer::new(300, 200).unwrap();
        renderer.draw(&View::new(camera.clone()), &instances, &mut frame).unwrap();
        frame.image().hash()
    };
    let expected = picture(&mut Renderer::new().with_simd(SimdLevel::Scalar).unwrap());
    for mut renderer in renderers() {
        assert_eq!(picture(&mut renderer), expected, "{:?}", renderer.kernel);
    }
}
