//! A frame that is cleared again is filled only where something was drawn, and nobody sees that. Sizes are such that
//! rows are filled whole and in part.

use super::*;

/// How a step treats what is there.
#[derive(Clone, Copy, Debug)]
enum Before {
    Clear([u8; 4]),
    DrawOver,
    Resize([u32; 2]),
}

fn before() -> impl Strategy<Value = Before> {
    let color = prop::sample::select(vec![[0; 4], [1, 2, 3, 4], [9, 8, 7, 255]]);
    let size = prop::sample::select(vec![[160, 90], [1100, 60], [33, 200], [2000, 17]]);
    prop_oneof![
        5 => color.prop_map(Before::Clear),
        2 => Just(Before::DrawOver),
        1 => size.prop_map(Before::Resize),
    ]
}

fn prepare(frame: &mut Framebuffer, before: Before) {
    match before {
        Before::Clear(color) => frame.clear(color),
        Before::DrawOver => {}
        Before::Resize([width, height]) => frame.resize(width, height).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn frames_are_cleared_wherever_something_was_drawn(
        steps in prop::collection::vec(
            (before(), any::<prop::sample::Index>(), -1f32..1.0, -1f32..1.0, 0usize..3), 2..7),
        with_depth in any::<bool>(),
        threads in 1usize..4,
        scalar in any::<bool>(),
    ) {
        let texture = Some(checks(16, 16, false));
        // The last one has triangles everywhere, some behind the camera.
        let models = [
            soup_of([0.3, 1.0, 2.0, 3.0], 5, 12, texture.clone()),
            soup_of([0.3, 0.3, 0.5, 0.5], 7, 900, texture.clone()),
            soup(3, 40, texture),
        ];
        let level = if scalar { SimdLevel::Scalar } else { SimdLevel::Auto };
        let mut renderer = Renderer::new().with_threads(threads).unwrap().with_simd(level).unwrap();
        let [mut kept, mut filled] = [0; 2].map(|_| {
            let frame = Framebuffer::new(1100, 60).unwrap();
            if with_depth { frame.with_depth() } else { frame }
        });
        let looks = looks();
        for (before, look, x, y, model) in steps {
            let position = [100.0 + 300.0 * x.abs(), 90.0 * x, 60.0 * y];
            let look: &Case = look.get(&looks);
            let view = look.view(&Camera::placed(position, [40.0 * y, 0.0, 30.0 * x], [0.0, 0.0, 1.0]));
            let model = &models[model];
            let pose = model.pose_blend(Blend::frame(0));
            let instances = [Instance::new(model, &pose).look(look.look)];
            for frame in [&mut kept, &mut filled] {
                prepare(frame, before);
            }
            // All of it is filled where nothing is known.
            filled.set_background(None);
            renderer.draw(&view, &instances, &mut kept).unwrap();
            // Of a renderer that keeps nothing either.
            let mut fresh = Renderer::new().with_threads(1).unwrap();
            fresh.draw(&view, &instances, &mut filled).unwrap();
            prop_assert!(kept.rows().eq(filled.rows()), "{:?}, {:?}", before, look.look);
        }
    }
}

#[test]
fn what_was_drawn_by_clusters_or_run_by_run_is_cleared() {
    let large = Model::from_parts(vec![stream::hills(&checks(16, 16, false))]).unwrap();
    // A pose that is new in every picture is not drawn by clusters, and many vertices by one thread run by run.
    let cases =
        [(clusters::bumpy_model(), true, 1), (clusters::bumpy_model(), true, 3), (large, false, 1)];
    for (number, (model, stays, threads)) in cases.into_iter().enumerate() {
        let mut pose = model.pose_blend(Blend::frame(0));
        let mut renderer = Renderer::new().with_threads(threads).unwrap();
        let mut kept = Framebuffer::new(1100, 300).unwrap();
        let (mut in_that_way, mut drawn) = (0, 0);
        for picture in 0..14 {
            if !stays {
                pose = model.pose_blend(Blend::frame(0));
            }
            let side = if picture % 2 == 0 { 14.0 } else { -14.0 };
            let camera = Camera::placed([90.0, 20.0, 15.0], [0.0, side, 0.0], [0.0, 0.0, 1.0]);
            let draw = |renderer: &mut Renderer, frame: &mut Framebuffer| {
                frame.clear([5, 6, 7, 255]);
                let view = View::new(camera.clone());
                renderer.draw(&view, &[Instance::new(&model, &pose)], frame).unwrap();
            };
            draw(&mut renderer, &mut kept);
            let stats = renderer.stats();
            in_that_way += usize::from(match stays {
                true => stats[0].stage == "clusters",
                false => stats.iter().all(|stage| !["clusters", "bins"].contains(&stage.stage)),
            });
            let mut fresh = Framebuffer::new(1100, 300).unwrap();
            draw(&mut renderer, &mut fresh);
            assert!(kept.rows().eq(fresh.rows()), "case {number}, picture {picture}");
            let background = u32::from_le_bytes([5, 6, 7, 255]);
            drawn += fresh.rows().flatten().filter(|pixel| **pixel != background).count();
        }
        assert!(in_that_way > 5, "{in_that_way} pictures of case {number}");
        assert!(drawn > 14 * 1000, "{drawn} pixels of case {number}");
    }
}

#[test]
fn only_what_was_drawn_is_cleared() {
    let model = soup_of([9.0; 4], 5, 12, None);
    let pose = model.pose_blend(Blend::frame(0));
    let view = View::new(Camera::placed([300.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]));
    let mut frame = Framebuffer::new(160, 90).unwrap();
    let mut pixels_to_clear = |color: [u8; 4]| {
        frame.clear(color);
        let target = frame.target();
        let stride = target.stride;
        let dirty = target.dirty.unwrap().to_vec();
        let background = target.background;
        frame.set_background(background);
        frame.clear(color);
        let instances = [Instance::new(&model, &pose)];
        Renderer::new().draw(&view, &instances, &mut frame).unwrap();
        let rows = dirty.chunks_exact(dirty::words_of(stride));
        let of_row = 0..stride / dirty::LINE;
        let lines = rows
            .flat_map(|row| row.iter().enumerate())
            .map(|(word, bits)| (bits & dirty::bits_of(&of_row, word)).count_ones() as usize);
        lines.sum::<usize>() * dirty::LINE
    };
    // With room behind the rows, which are whole lines.
    let whole = (160 + dirty::LINE) * 90;
    // A new frame is transparent everywhere.
    assert_eq!(pixels_to_clear([0; 4]), 0);
    let drawn = pixels_to_clear([0; 4]);
    assert!(0 < drawn && drawn < whole / 4, "{drawn} of {whole}");
    assert_eq!(pixels_to_clear([1; 4]), whole);
    assert_eq!(pixels_to_clear([1; 4]), drawn);
}

#[test]
fn to_clear_behind_the_draw_or_before_it_is_the_same() {
    let texture = mixed::graded(16, 16);
    // Some triangles, many small ones, and as many as are drawn run by run.
    let models = [
        soup_of([0.3, 1.0, 2.0, 3.0], 5, 12, Some(texture.clone())),
        soup_of([0.3, 0.3, 0.5, 0.5], 7, 900, Some(texture.clone())),
        Model::from_parts(vec![stream::hills(&texture)]).unwrap(),
    ];
    let blended = Case::from(Look { alpha: Alpha::Blend, ..Look::default() });
    // Each of them with one of the models.
    let looks: Vec<Case> = looks().into_iter().chain([blended; 3]).collect();
    for level in SimdLevel::available() {
        for threads in [1, 3] {
            let mut renderer =
                Renderer::new().with_threads(threads).unwrap().with_simd(level).unwrap();
            let mut drawn = 0;
            for (number, case) in looks.iter().enumerate() {
                let model = &models[number % models.len()];
                let pose = model.pose_blend(Blend::frame(0));
                let size = [[300, 40], [1100, 60], [64, 64]][number % 3];
                let camera = Camera::placed([150.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]);
                let mut picture = |with_depth| {
                    let frame = Framebuffer::new(size[0], size[1]).unwrap();
                    // Depth that is kept is cleared with the frame, and colour before the draw.
                    let mut frame = if with_depth { frame.with_depth() } else { frame };
                    frame.clear([9, 8, 7, 255]);
                    let instances = [Instance::new(model, &pose).look(case.look)];
                    renderer.draw(&case.view(&camera), &instances, &mut frame).unwrap();
                    frame.image()
                };
                let [before, behind, again] = [true, false, false].map(&mut picture);
                assert_eq!(before, behind, "{level}, {threads} threads, {:?}", case.look);
                assert_eq!(behind, again, "{level}, {threads} threads, {:?}", case.look);
                drawn += usize::from(behind.hash() != picture_of_nothing(size).hash());
            }
            assert!(drawn > looks.len() / 2, "{drawn} pictures show anything");
        }
    }
}

#[test]
fn pictures_without_any_vertex_are_cleared() {
    let model = Model::from_parts(vec![SurfaceParts::default()]).unwrap();
    let pose = model.pose_blend(Blend::frame(0));
    let view = View::new(Camera::placed([60.0, 3.0, 2.0], [0.0; 3], [0.0, 0.0, 1.0]));
    for threads in [1, 3] {
        let mut renderer = Renderer::new().with_threads(threads).unwrap();
        let mut frame = Framebuffer::new(200, 150).unwrap();
        for _ in 0..3 {
            frame.clear([9, 8, 7, 255]);
            renderer.draw(&view, &[Instance::new(&model, &pose)], &mut frame).unwrap();
            assert_eq!(frame.image(), picture_of_nothing([200, 150]));
        }
    }
}

fn picture_of_nothing([width, height]: [u32; 2]) -> Image {
    let mut frame = Framebuffer::new(width, height).unwrap();
    frame.clear([9, 8, 7, 255]);
    frame.image()
}
