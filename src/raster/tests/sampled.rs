//! Samples are averaged in the box of what was drawn only, and nobody sees that.

use super::*;

#[test]
fn samples_are_averaged_wherever_something_was_drawn() {
    let model = soup_of([1.0, 2.0, 6.0, 12.0], 5, 40, Some(checks(16, 16, true)));
    let pose = model.pose_blend(Blend::frame(0));
    let mut drawn_in_part = 0;
    for (samples, per_axis) in [(Samples::Two, 2), (Samples::Four, 4)] {
        for (alpha, threads) in [(Alpha::Opaque, 1), (Alpha::Opaque, 3), (Alpha::Blend, 2)] {
            for target in [[0.0, 0.0], [0.0, 30.0], [0.0, -55.0], [20.0, 0.0], [-25.0, 50.0]] {
                let [z, y] = target;
                let camera = Camera::placed([120.0, 0.0, 0.0], [0.0, y, z], [0.0, 0.0, 1.0]);
                let instances =
                    [Instance::new(&model, &pose).look(Look { alpha, ..Look::default() })];
                let new = |side: u32| {
                    let mut frame = Framebuffer::new(161 * side, 77 * side).unwrap().with_depth();
                    frame.clear(if side == 1 { [1, 2, 3, 200] } else { [0; 4] });
                    frame
                };
                let mut renderer = Renderer::new().with_threads(threads).unwrap();
                let mut found = new(1);
                let view = View::new(camera.clone());
                renderer.draw(&view.clone().samples(samples), &instances, &mut found).unwrap();

                let (mut expected, mut large) = (new(1), new(per_axis));
                let whole = [0..161, 0..77];
                let mut averaged = expected.target();
                let one = Threads::One;
                if alpha == Alpha::Blend {
                    samples::spread(&mut averaged, per_axis, &one, &mut large);
                }
                renderer.draw(&view, &instances, &mut large).unwrap();
                let from = large.target();
                if alpha == Alpha::Blend {
                    samples::resolve_all(&from, per_axis, &whole, &one, &mut averaged);
                } else {
                    samples::resolve(
                        &from,
                        per_axis,
                        &whole,
                        None,
                        (Kernel::Scalar, &one),
                        &mut averaged,
                    );
                }
                assert!(found.rows().eq(expected.rows()), "{samples:?}, {alpha:?}, {target:?}");
                let [found, expected] = [&found, &expected].map(|frame| {
                    let depth = frame.depth_rows().unwrap().flatten();
                    depth.map(|z| z.to_bits()).collect::<Vec<_>>()
                });
                assert_eq!(found, expected, "{samples:?}, {alpha:?}, {target:?}");
                let count = found.iter().filter(|&&z| z != 1f32.to_bits()).count();
                drawn_in_part += usize::from(20 < count && count < 161 * 77 / 4);
            }
        }
    }
    assert!(drawn_in_part > 20, "{drawn_in_part} pictures of 30");
}
