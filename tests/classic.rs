//! The classic renderer on scenes and files that nobody would make on purpose, and its framing.

use std::path::Path;

use polyset::{
    Blend, Camera, ClassicFrame, ClassicPath, ClassicRenderer, ClassicScene, Format, Model, Shell,
    SimdLevel,
};
use proptest::prelude::*;

const SAMPLES: [&str; 6] =
    ["bolt.mdl", "bolt_holey.mdl", "bolt.md2", "bolt_shield.md2", "bolt.md3", "bolt.md5mesh"];

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name);
    std::fs::read(path).expect("the sample is readable")
}

/// Mostly numbers that a scene may hold, now and then any `f32` at all.
fn number(range: std::ops::Range<f32>) -> impl Strategy<Value = f32> {
    prop_oneof![12 => range, 1 => any::<f32>(), 1 => Just(0.0), 1 => Just(f32::NAN)]
}

fn triple(reach: f32) -> impl Strategy<Value = [f32; 3]> {
    [number(-reach..reach), number(-reach..reach), number(-reach..reach)]
}

fn index() -> impl Strategy<Value = i32> {
    prop_oneof![8 => -2..40i32, 1 => any::<i32>()]
}

fn shell() -> impl Strategy<Value = Shell> {
    any::<[bool; 5]>().prop_map(|[red, green, blue, double, half]| Shell {
        red,
        green,
        blue,
        double,
        half,
    })
}

prop_compose! {
    fn camera_and_entity()(
        camera_position in triple(120.0),
        camera_angles in triple(180.0),
        horizontal_angle in number(1.0..179.0),
        origin in triple(60.0),
        angles in triple(180.0),
        frame in index(),
        old_frame in index(),
        skin in index(),
        time in prop_oneof![8 => 0.0..50.0f64, 1 => any::<f64>()],
        sync in number(0.0..10.0),
        switches in any::<[bool; 6]>(),
    ) -> ClassicScene {
        let [view_weapon, subdivision, fullbright, minlight, glow, left_handed] = switches;
        ClassicScene {
            camera_position, camera_angles, horizontal_angle, origin, angles, frame, old_frame, skin,
            time, sync, view_weapon, subdivision, fullbright, minlight, glow, left_handed,
            ..ClassicScene::default()
        }
    }
}

prop_compose! {
    fn scene()(
        scene in camera_and_entity(),
        light_level in prop_oneof![8 => 0..256i32, 1 => any::<i32>()],
        colors in any::<Option<[u8; 2]>>(),
        backlerp in number(0.0..1.0),
        old_origin in proptest::option::of(triple(60.0)),
        light_color in [number(0.0..1.5), number(0.0..1.5), number(0.0..1.5)],
        alpha in proptest::option::of(number(0.0..1.0)),
        shell in prop_oneof![3 => Just(Shell::default()), 1 => shell()],
        opaque_pass in any::<Option<bool>>(),
    ) -> ClassicScene {
        ClassicScene {
            light_level, colors, backlerp, old_origin, light_color, alpha, shell, opaque_pass,
            ..scene
        }
    }
}

/// Bytes to overwrite: where (as a share of the file), with what.
fn damage() -> impl Strategy<Value = Vec<(f64, u8)>> {
    prop_oneof![
        2 => Just(Vec::new()),
        1 => proptest::collection::vec((0.0..1.0f64, any::<u8>()), 1..200),
        1 => proptest::collection::vec((0.0..0.002f64, any::<u8>()), 1..4),
    ]
}

fn damaged(name: &str, damage: &[(f64, u8)]) -> Vec<u8> {
    let mut bytes = sample(name);
    for &(place, byte) in damage {
        let at = (place * bytes.len() as f64) as usize;
        bytes[at] = byte;
    }
    bytes
}

/// A fresh renderer of each instruction set that this machine has.
fn of_every_level() -> Vec<ClassicRenderer> {
    let levels = SimdLevel::available().into_iter();
    let renderer = |level| ClassicRenderer::new().with_simd(level).expect("the machine has it");
    levels.map(renderer).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]

    #[test]
    fn any_scene_of_any_file_is_drawn_the_same_by_every_renderer(
        sample in 0..SAMPLES.len(),
        damage in damage(),
        scenes in proptest::collection::vec(scene(), 1..4),
        width in 1..200u32,
        height in 1..200u32,
    ) {
        let Ok(model) = Model::from_bytes(&damaged(SAMPLES[sample], &damage)) else {
            return Ok(());
        };
        let mut used = ClassicRenderer::new();
        for scene in scenes {
            let mut frames = [0, 1].map(|_| ClassicFrame::new(width, height).unwrap());
            frames[0].clear(17);
            let stats = used.draw(&model, &scene, &mut frames[0]);
            for mut renderer in of_every_level() {
                frames[1].clear(17);
                prop_assert_eq!(stats, renderer.draw(&model, &scene, &mut frames[1]));
                prop_assert_eq!(frames[0].indices(), frames[1].indices());
                prop_assert_eq!(frames[0].depth(), frames[1].depth());
            }
            if stats.path == ClassicPath::Rejected {
                prop_assert!(frames[0].indices().iter().all(|&index| index == 17));
            }
        }
    }
}

/// The smallest box around what was drawn: left, top, right, bottom, the latter two exclusive.
fn drawn_box(frame: &ClassicFrame) -> Option<[u32; 4]> {
    let width = frame.width() as usize;
    let drawn = frame.depth().iter().enumerate().filter(|(_, depth)| **depth != 0);
    drawn.map(|(at, _)| [(at % width) as u32, (at / width) as u32]).fold(None, |found, [x, y]| {
        let [left, top, right, bottom] = found.unwrap_or([x, y, x + 1, y + 1]);
        Some([left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)])
    })
}

#[test]
fn a_framing_camera_shows_the_whole_model_of_every_format() {
    for name in SAMPLES {
        let model = Model::from_bytes(&sample(name)).unwrap();
        for (width, height) in [(320, 200), (100, 300)] {
            let mut scene = ClassicScene {
                origin: [100.0, -50.0, 20.0],
                angles: [20.0, 70.0, 10.0],
                ..ClassicScene::default()
            };
            let pose = model.pose_blend(scene.blend(&model));
            scene.set_camera(&model, &pose, &Camera::framing(&pose), width, height);
            let mut frame = ClassicFrame::new(width, height).unwrap();
            ClassicRenderer::new().draw(&model, &scene, &mut frame);
            let [left, top, right, bottom] = drawn_box(&frame).unwrap();
            let touches = |first: u32, last: u32, side: u32| {
                let margin = side as f32 * 0.05;
                let near = |gap: u32| (gap as f32 - margin).abs() <= 2.5;
                near(first) && near(side - last)
            };
            let horizontal = touches(left, right, width);
            let vertical = touches(top, bottom, height);
            assert!(
                horizontal || vertical,
                "{name} {width}x{height}: drawn {left} {top} {right} {bottom}"
            );
        }
    }
}

#[test]
fn every_instruction_set_draws_the_same_large_and_small() {
    for name in SAMPLES {
        let model = Model::from_bytes(&sample(name)).unwrap();
        let (width, height) = (320, 240);
        let mut scene = ClassicScene::default();
        let pose = model.pose_blend(scene.blend(&model));
        scene.set_camera(&model, &pose, &Camera::framing(&pose), width, height);
        let framed = scene.horizontal_angle;
        for (angle, yaw) in [(framed, 0.0), (50.0, 50.0), (100.0, 120.0), (150.0, 200.0)] {
            scene.horizontal_angle = angle;
            scene.angles[1] = yaw;
            let frames: Vec<_> = of_every_level()
                .into_iter()
                .map(|mut renderer| {
                    let mut frame = ClassicFrame::new(width, height).unwrap();
                    let stats = renderer.draw(&model, &scene, &mut frame);
                    assert!(stats.tested > 0, "{name} is in the picture of {angle} degrees");
                    (stats, frame.indices().to_vec(), frame.depth().to_vec())
                })
                .collect();
            let first = &frames[0];
            assert!(frames.iter().all(|frame| frame == first), "{name}, {angle} degrees");
        }
    }
}

#[test]
fn a_tiny_model_is_framed_from_behind_the_near_plane() {
    let model = Model::from_bytes(&sample("bolt.mdl")).unwrap();
    let mut part = polyset::SurfaceParts::default();
    let pose = model.pose_blend(Blend::frame(0));
    part.positions = pose.positions(0).map(|p| p.map(|x| x * 0.01)).collect();
    part.normals = pose.normals(0).collect();
    part.texcoords = model.surfaces()[0].texcoords().to_vec();
    part.triangles = model.surfaces()[0].triangles().to_vec();
    part.texture = model.surfaces()[0].texture().cloned();
    let tiny = Model::from_parts(vec![part]).unwrap();
    assert_eq!(tiny.format(), Format::Parts);
    let mut covered = Vec::new();
    for model in [&model, &tiny] {
        let mut scene = ClassicScene::default();
        let pose = model.pose_blend(scene.blend(model));
        scene.set_camera(model, &pose, &Camera::framing(&pose), 200, 200);
        let mut frame = ClassicFrame::new(200, 200).unwrap();
        let stats = ClassicRenderer::new().draw(model, &scene, &mut frame);
        assert_eq!(stats.near_clipped, 0);
        covered.push(frame.depth().iter().filter(|depth| **depth != 0).count());
    }
    let ratio = covered[1] as f64 / covered[0] as f64;
    assert!((0.9..1.2).contains(&ratio), "{covered:?}");
}

#[test]
fn true_colour_textures_become_indices_of_the_palette() {
    let mut model = Model::from_bytes(&sample("bolt.md3")).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/bolt.tga");
    let image = std::sync::Arc::new(polyset::Image::open(path).unwrap());
    for surface in 0..model.surfaces().len() {
        model.set_skin(surface, image.clone());
    }
    let mut scene = ClassicScene::default();
    let pose = model.pose_blend(scene.blend(&model));
    scene.set_camera(&model, &pose, &Camera::framing(&pose), 160, 160);
    let mut frame = ClassicFrame::new(160, 160).unwrap();
    ClassicRenderer::new().draw(&model, &scene, &mut frame);
    let mut used: Vec<u8> = frame.indices().to_vec();
    used.sort_unstable();
    used.dedup();
    assert!(used.len() > 12, "a textured and lit picture: {used:?}");
}
