//! Instances in a scene: transforms, lights, tags, several of them, and what cannot be drawn.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::sync::Arc;

use polyset::{
    Blend, Camera, ClassicFrame, ClassicRenderer, ClassicScene, ColorMode, Cull, DrawError,
    Framebuffer, Image, Instance, Lighting, Look, Model, Palette, Pixels, PixelsMut, Pose,
    Renderer, Samples, SurfaceParts, Transform, View,
};

const SIZE: [u32; 2] = [120, 90];

fn sample(name: &str) -> (Model, Pose) {
    let model = Model::open(format!("tests/models/{name}")).unwrap();
    let pose = model.pose_blend(Blend::frame(0));
    (model, pose)
}

fn draw(view: &View, instances: &[Instance<'_>]) -> Framebuffer {
    let mut frame = Framebuffer::new(SIZE[0], SIZE[1]).unwrap().with_depth();
    Renderer::new().draw(view, instances, &mut frame).unwrap();
    frame
}

fn drawn(frame: &Framebuffer) -> usize {
    frame.rows().flatten().filter(|&&pixel| pixel >> 24 == 255).count()
}

/// Pixels of two pictures that are more than `most` apart in some channel.
fn different(a: &Framebuffer, b: &Framebuffer, most: u8) -> usize {
    let pairs = a.rows().flatten().zip(b.rows().flatten());
    let apart = |(a, b): (&u32, &u32)| {
        a.to_le_bytes().into_iter().zip(b.to_le_bytes()).any(|(a, b)| a.abs_diff(b) > most)
    };
    pairs.filter(|&pair| apart(pair)).count()
}

#[test]
fn turning_the_model_is_turning_camera_and_light_the_other_way() {
    let (model, pose) = sample("bolt.md3");
    let look = Look { lighting: Lighting::Lambert, light: [1.0, 0.3, 0.4], ..Look::default() };
    let camera = |azimuth: f32| {
        let camera = Camera::placed([90.0, 0.0, 10.0], [0.0; 3], [0.0, 0.0, 1.0]);
        View::new(camera.azimuth(azimuth).near(Some(20.0)).far(Some(160.0)))
    };
    let instance = Instance::new(&model, &pose).look(look);
    let turned = draw(&camera(0.0), &[instance.transform(Transform::yaw(40.0))]);
    let light = Transform::yaw(-40.0).point(look.light);
    let around = draw(&camera(-40.0), &[instance.look(Look { light, ..look })]);
    assert!(drawn(&turned) > 700, "{} pixels", drawn(&turned));
    // Rounding moves an edge here and there.
    assert!(different(&turned, &around, 2) < 40, "{}", different(&turned, &around, 2));

    let attached = Transform::yaw(40.0).with_attached_light();
    let with_light = draw(&camera(0.0), &[instance.transform(attached)]);
    let same_light = draw(&camera(-40.0), &[instance]);
    assert!(different(&with_light, &same_light, 2) < 40);
    assert!(different(&with_light, &turned, 10) > 300, "the light came along");
}

#[test]
fn mirrors_show_fronts_and_projections_are_left_alone() {
    let (model, pose) = sample("bolt.md2");
    let view = View::new(Camera::placed([90.0, 0.0, 10.0], [0.0; 3], [0.0, 0.0, 1.0]));
    let mut columns = Transform::IDENTITY.columns();
    columns[5] = -1.0;
    let mirror = Transform::from_columns(columns);
    let instance = Instance::new(&model, &pose).transform(mirror);
    let plain = draw(&view, &[Instance::new(&model, &pose)]);
    // From the front, left and right of the picture change places.
    let mirrored = draw(&view, &[instance]);
    assert!(drawn(&plain) > 700 && drawn(&plain).abs_diff(drawn(&mirrored)) < 60);
    let columns = |frame: &Framebuffer| {
        let rows: Vec<Vec<f32>> = frame.depth_rows().unwrap().map(<[f32]>::to_vec).collect();
        rows
    };
    let (plain, mirrored) = (columns(&plain), columns(&mirrored));
    let apart = plain.iter().zip(&mirrored).flat_map(|(a, b)| a.iter().zip(b.iter().rev()));
    let apart = apart.filter(|(a, b)| (**a - **b).abs() > 1e-3).count();
    assert!(apart < 120, "{apart} pixels show another depth");
    // With the other faces it is the back side that is seen.
    let backs = instance.look(Look { cull: Cull::Front, ..instance.look });
    assert_ne!(columns(&draw(&view, &[backs])), mirrored);

    // An instance that brings its own way to clip space is drawn as a camera draws it.
    let identity = Transform::IDENTITY.columns();
    let plain = Instance::new(&model, &pose);
    let to_clip = Transform::from_columns(view.matrix(&[plain], SIZE[0], SIZE[1]));
    let own_way = plain.transform(to_clip.with_attached_light());
    let [a, b] =
        [draw(&View::from_matrices(identity, identity), &[own_way]), draw(&view, &[plain])];
    assert_eq!(a.image(), b.image());
}

#[test]
fn near_and_far_planes_fit_everything_that_is_drawn() {
    let (model, pose) = sample("bolt.md2");
    let places = [[0.0; 3], [-900.0, 250.0, 0.0], [60.0, -15.0, 0.0]].map(Transform::translation);
    let instances = places.map(|place| Instance::new(&model, &pose).transform(place));
    let camera = Camera::placed([140.0, 0.0, 10.0], [0.0; 3], [0.0, 0.0, 1.0]);
    let view = View::new(camera.clone());
    let frame = draw(&view, &instances);
    let wide = View::new(camera.near(Some(5.0)).far(Some(4000.0)));
    assert_eq!(drawn(&frame), drawn(&draw(&wide, &instances)), "nothing is cut");
    let alone = instances.map(|instance| drawn(&draw(&wide, &[instance])));
    assert!(alone.iter().all(|&pixels| pixels > 20), "{alone:?}");
    assert!(drawn(&frame) < alone.iter().sum(), "they hide each other");
}

#[test]
fn a_tag_carries_what_hangs_on_it() {
    let (model, _) = sample("bolt.md3");
    let mut pose = model.pose(model.clip("walk").unwrap(), 0.0);
    assert!(pose.tags().map(|(name, _)| name).eq(model.tag_names().iter().map(String::as_str)));
    let first = pose.tag("tag_weapon").unwrap();
    model.pose_into(model.clip("walk").unwrap().at(0.4), &mut pose);
    let later = pose.tag("tag_weapon").unwrap();
    assert_ne!(first, later);
    assert_eq!(pose.tag("tag_of_nothing"), None);
    let stands = Transform::translation([5.0, 6.0, 7.0]);
    let held = stands * later;
    let [x, y, z] = later.origin();
    assert_eq!(held.origin(), [x + 5.0, y + 6.0, z + 7.0]);
    assert_eq!(held.axes(), later.axes());
}

#[test]
fn poses_and_buffers_that_do_not_fit_are_errors() {
    let ((player, player_pose), (shield, shield_pose)) = (sample("bolt.md3"), sample("bolt.md2"));
    let (empty, (_, other)) = (Pose::default(), sample("bolt_shield.md2"));
    let view = View::new(Camera::framing(&player_pose));
    let mut frame = Framebuffer::new(SIZE[0], SIZE[1]).unwrap();
    frame.clear([1, 2, 3, 4]);
    let before = frame.image();
    let good = Instance::new(&player, &player_pose);
    let mut renderer = Renderer::new();
    let cases: [(Instance<'_>, &str); 3] = [
        (
            Instance::new(&player, &shield_pose),
            "instance 1: the pose does not fit its model: the number of its surfaces is 1, the model has 3",
        ),
        (Instance::new(&shield, &empty), "surfaces is 0, the model has 1"),
        (Instance::new(&shield, &other), "vertices in its surface 0 is"),
    ];
    for (instance, words) in cases {
        let error = renderer.draw(&view, &[good, instance], &mut frame).unwrap_err();
        assert!(matches!(error, DrawError::Pose { instance: 1, .. }));
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(frame.image(), before, "nothing was drawn");
    }
    let mut buffer = vec![0; 100];
    for (width, height, stride, fits) in
        [(10, 10, 10, true), (10, 9, 11, true), (10, 10, 11, false), (10, 5, 9, false)]
    {
        let pixels = PixelsMut { pixels: &mut buffer, width, height, stride };
        let result = renderer.draw_into(&view, &[good], pixels);
        assert_eq!(result.is_ok(), fits, "{width} x {height}, {stride}: {result:?}");
        assert_eq!(matches!(result, Err(DrawError::Buffer { .. })), !fits);
    }
    for (width, height) in [(0, 5), (5, 0), (20_000, 1)] {
        let pixels = PixelsMut { pixels: &mut buffer, width, height, stride: usize::MAX };
        let error = renderer.draw_into(&view, &[good], pixels).unwrap_err();
        assert_eq!(error, DrawError::Size { width, height });
    }
    let huge = PixelsMut { pixels: &mut buffer, width: 1, height: 3, stride: usize::MAX };
    assert!(matches!(renderer.draw_into(&view, &[good], huge), Err(DrawError::Buffer { .. })));
    let one_row = PixelsMut { pixels: &mut buffer, width: 9, height: 1, stride: usize::MAX };
    assert_eq!(renderer.draw_into(&view, &[good], one_row), Ok(()));
}

#[test]
fn nothing_to_draw_leaves_the_picture() {
    let mut frame = Framebuffer::new(3, 2).unwrap();
    let mut renderer = Renderer::new();
    let view = View::new(Camera::placed([9.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]));
    frame.clear_index(7);
    renderer.draw(&view.color(ColorMode::Indexed), &[], &mut frame).unwrap();
    assert_eq!(frame.palette(), Some(&Palette::quake()));
    assert!(
        matches!(frame.image().pixels(), Pixels::Indexed { indices, .. } if *indices == [7; 6])
    );
    assert!(renderer.stats().is_empty());
}

/// A palette of greys, in which nothing has the index that it has elsewhere.
fn greys() -> Arc<Palette> {
    Arc::new(Palette::new(std::array::from_fn(|i| [255 - i as u8; 3]), 256))
}

/// The indices that a wall in front of the camera shows under every texel's own colour.
fn wall(palette: &Arc<Palette>) -> SurfaceParts {
    let indices: Vec<u8> = (0..=255).collect();
    let texture = Image::from_indices(16, 16, indices, palette.clone(), None).unwrap();
    SurfaceParts {
        positions: vec![[0.0, -8.0, 8.0], [0.0, 8.0, 8.0], [0.0, 8.0, -8.0], [0.0, -8.0, -8.0]],
        normals: vec![[1.0, 0.0, 0.0]; 4],
        texcoords: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        texture: Some(texture.into()),
        ..SurfaceParts::default()
    }
}

#[test]
fn a_given_palette_wins_and_textures_are_matched_to_it() {
    let red = Arc::new(Palette::new(std::array::from_fn(|i| [i as u8, 0, 0]), 256));
    let model = Model::from_parts(vec![wall(&red)]).unwrap();
    let pose = model.pose_blend(Blend::frame(0));
    let look = Look { lighting: Lighting::Unlit, ..Look::default() };
    let instances = [Instance::new(&model, &pose).look(look)];
    let view = View::new(Camera::placed([60.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]));
    let view = view.color(ColorMode::Indexed);
    assert_eq!(view.palette_of(&instances), Palette::quake(), "only skins of .md2 bring theirs");
    let view = view.palette(Some(greys()));
    assert_eq!(view.palette_of(&instances), greys());
    let frame = draw(&view, &instances);
    let found: std::collections::BTreeSet<u8> =
        frame.rows().flatten().filter(|&&p| p >> 24 == 255).map(|&p| p as u8).collect();
    let expected = |index: u8| greys().nearest(red.color(index));
    assert!(found.len() > 50 && found.iter().all(|&i| (0..=255).any(|t| expected(t) == i)));
    assert!(found.iter().all(|&index| index > 150), "no red is brighter than a third");
}

#[test]
fn both_renderers_choose_the_same_palette() {
    let (mut quake2, pose2) = sample("bolt.md2");
    let (quake, pose) = sample("bolt.mdl");
    let own = quake2.surfaces()[0].texture().unwrap().palette().cloned().unwrap();
    assert_ne!(own, Palette::quake());
    let view = View::new(Camera::framing(&pose2)).color(ColorMode::Indexed);
    let given = view.clone().palette(Some(greys()));
    let scene = ClassicScene::default();
    let given_scene = ClassicScene { palette: Some(greys()), ..scene.clone() };
    let quake2_instance = [Instance::new(&quake2, &pose2)];
    for (model, instances, expected) in [
        (&quake2, &quake2_instance, own),
        (&quake, &[Instance::new(&quake, &pose)], Palette::quake()),
    ] {
        assert_eq!(view.palette_of(instances), expected);
        assert_eq!(scene.palette_for(model), expected);
        assert_eq!(given.palette_of(instances), greys());
        assert_eq!(given_scene.palette_for(model), greys());
    }
    assert_eq!(view.palette_of(&[]), Palette::quake());

    // What is drawn has the colours of the skin, as near as the given palette has them.
    let brightness = |image: &Image| {
        let rgba = image.to_rgba();
        let sum: u64 =
            rgba.chunks_exact(4).map(|p| u64::from(p[0]) + u64::from(p[1]) + u64::from(p[2])).sum();
        sum as f64 / (rgba.len() / 4 * 3) as f64
    };
    let precise = [&view, &given].map(|view| {
        let mut frame = Framebuffer::new(SIZE[0], SIZE[1]).unwrap();
        frame.clear_index(view.palette_of(&quake2_instance).nearest([0; 3]));
        Renderer::new().draw(view, &quake2_instance, &mut frame).unwrap();
        brightness(&frame.image())
    });
    let classic = [&scene, &given_scene].map(|scene| {
        let mut scene = scene.clone();
        scene.set_camera(&quake2, &pose2, &Camera::framing(&pose2), SIZE[0], SIZE[1]);
        let mut frame = ClassicFrame::new(SIZE[0], SIZE[1]).unwrap();
        frame.clear(scene.palette_for(&quake2).nearest([0; 3]));
        ClassicRenderer::new().draw(&quake2, &scene, &mut frame);
        assert_eq!(frame.palette(), &scene.palette_for(&quake2));
        brightness(&frame.image(None))
    });
    for [own, given] in [precise, classic] {
        assert!(own > 5.0 && (own - given).abs() < own * 0.2, "{precise:?} {classic:?}");
    }

    // Also where the skin has the colours of Quake's palette: its indices mean those.
    let skin = quake2.surfaces()[0].texture().unwrap();
    let skin = skin.as_ref().clone().into_rgba().to_indexed(&Palette::quake(), false);
    quake2.set_skin(0, skin);
    let instances = [Instance::new(&quake2, &pose2)];
    let [own, matched] = [&view, &given].map(|view| {
        let mut frame = Framebuffer::new(SIZE[0], SIZE[1]).unwrap();
        frame.clear_index(view.palette_of(&instances).nearest([0; 3]));
        Renderer::new().draw(view, &instances, &mut frame).unwrap();
        brightness(&frame.image())
    });
    assert!((own - matched).abs() < own * 0.2, "{own} {matched}");
}

#[test]
fn work_over_its_limit_is_refused_before_anything_is_drawn() {
    // Sheets that all cover the picture, each two triangles whose boxes are the whole of it.
    let sheets = 100;
    let corners = |depth: i32| {
        [[-9.0, -9.0], [-9.0, 9.0], [9.0, 9.0], [9.0, -9.0]].map(|[y, z]| [depth as f32, y, z])
    };
    let part = SurfaceParts {
        name: String::new(),
        positions: (0..sheets).flat_map(corners).collect(),
        normals: vec![[1.0, 0.0, 0.0]; 4 * sheets as usize],
        texcoords: vec![[0.0; 2]; 4 * sheets as usize],
        triangles: (0..sheets as u32)
            .flat_map(|sheet| [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|corner| 4 * sheet + corner)))
            .collect(),
        texture: None,
    };
    let model = Model::from_parts(vec![part]).unwrap();
    let pose = model.pose_blend(Blend::frame(0));
    let camera = Camera::placed([1000.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]).view_angle(0.5);
    let instance = Instance::new(&model, &pose).look(Look { cull: Cull::None, ..Look::default() });
    let needed = u64::from(SIZE[0] * SIZE[1]) * 2 * sheets as u64;
    let draw = |limit: u64, view: &View| {
        let mut frame = Framebuffer::new(SIZE[0], SIZE[1]).unwrap();
        frame.clear([1, 2, 3, 255]);
        let result = Renderer::new().with_max_work(limit).draw(view, &[instance], &mut frame);
        (result, frame.image())
    };
    let view = View::new(camera);
    let (result, picture) = draw(needed, &view);
    assert_eq!(result, Ok(()));
    assert!(!picture.to_rgba().starts_with(&[1, 2, 3, 255]));
    // What the pixels mean is as it was, too.
    let mut frame = Framebuffer::new(SIZE[0], SIZE[1]).unwrap();
    let mut renderer = Renderer::new().with_max_work(needed - 1);
    renderer.draw(&view.clone().color(ColorMode::Indexed), &[instance], &mut frame).unwrap_err();
    assert_eq!(frame.palette(), None);
    for (view, needed) in [(view.clone(), needed), (view.samples(Samples::Two), 4 * needed)] {
        let (result, picture) = draw(needed - 1, &view);
        assert_eq!(result, Err(DrawError::Work { pixels: needed, limit: needed - 1 }));
        assert!(picture.to_rgba().chunks_exact(4).all(|pixel| pixel == [1, 2, 3, 255]));
    }
}

#[test]
fn draws_into_one_frame_hide_each_other_under_samples_too() {
    let (model, pose) = sample("bolt.md3");
    let camera = Camera::placed([90.0, 0.0, 10.0], [0.0; 3], [0.0, 0.0, 1.0]);
    // Planes of their own would give the draws depths that cannot be compared.
    let camera = camera.near(Some(20.0)).far(Some(200.0));
    let near = Instance::new(&model, &pose);
    let far = near.transform(Transform::translation([-20.0, 6.0, 0.0]));
    for samples in [Samples::One, Samples::Two, Samples::Four] {
        for color in [ColorMode::Rgb, ColorMode::Indexed] {
            let view = View::new(camera.clone()).color(color).samples(samples);
            let both = draw(&view, &[near, far]);
            let mut frame = draw(&view, &[near]);
            let alone = different(&frame, &both, 0);
            Renderer::new().draw(&view, &[far], &mut frame).unwrap();
            // Where the outlines meet, one draw has samples of both in a pixel.
            let (apart, outline) = (different(&frame, &both, 0), drawn(&both) / 8);
            let most = if samples == Samples::One { 0 } else { outline };
            assert!(alone > outline && apart <= most, "{samples:?} {color:?}: {apart}, {most}");
        }
    }
}

#[test]
fn the_work_of_a_classic_draw_is_that_of_all_its_surfaces() {
    let (model, _) = sample("bolt.md5mesh");
    let scene = ClassicScene { origin: [70.0, 0.0, 0.0], ..ClassicScene::default() };
    let tested = |limit: Option<u64>| {
        let mut frame = ClassicFrame::new(SIZE[0], SIZE[1]).unwrap();
        let mut renderer = ClassicRenderer::new();
        if let Some(limit) = limit {
            renderer = renderer.with_max_work(limit);
        }
        renderer.draw(&model, &scene, &mut frame).tested
    };
    let all = tested(None);
    assert!(all > 1000, "{all}");
    for limit in [0, all / 3, all / 2, all - 1] {
        let found = tested(Some(limit));
        assert!((limit + 1..=limit + u64::from(SIZE[0])).contains(&found), "{limit}: {found}");
    }
}
