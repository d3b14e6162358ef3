//! Scenes survive being printed and parsed; every option has an effect or is refused.

use std::ffi::OsString;
use std::path::PathBuf;

use polyset::scene::options::{self, Command, ROWS};
use polyset::scene::{
    Background, EngineTerms, FrameOn, Frames, Input, ModelPlacement, Moment, RendererKind,
    SceneCamera, SceneLight, SceneLook, Skin, Source,
};
use polyset::{
    Alpha, ColorMode, Cull, Draw, Filter, Lighting, Location, Md2Geometry, Perspective, Samples,
    Scene, ShaderStages, TextureSearch,
};
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

use super::arguments::{Given, INPUT};

#[test]
fn the_arguments_are_consistent() {
    super::polyset().debug_assert();
}

/// The scene of a whole `polyset render` command.
fn parsed(words: &[OsString]) -> Scene {
    let matches = super::polyset().try_get_matches_from(words).expect("it can be parsed");
    let (_, matches) = matches.subcommand().expect("it has a subcommand");
    let given = Given::new(Command::Render, matches).expect("nothing contradicts");
    given.scene(given.value(INPUT).expect("an input"))
}

#[test]
fn every_option_is_in_the_help_and_survives_the_round_trip() {
    for row in ROWS {
        for &command in row.commands {
            let name = format!("{command:?}").to_lowercase();
            let mut all = super::polyset();
            let help = all.find_subcommand_mut(&name).unwrap().render_long_help().to_string();
            assert!(help.contains(&format!("--{}", row.name)), "{} {name}", row.name);
        }
        assert_eq!(row.value.is_some(), !row.example.is_empty(), "{}", row.name);
        if !row.is_of_scene() || !row.is_of(Command::Render) {
            continue;
        }
        let mut scene = Scene::new("a.md2");
        if !row.is_honoured_by(RendererKind::Precise) {
            scene.renderer = RendererKind::Classic;
        }
        let before = scene.clone();
        row.read(&mut scene, row.example.as_ref()).unwrap();
        assert_ne!(scene, before, "--{} has no effect", row.name);
        assert_eq!(parsed(&scene.command()), scene, "--{}", row.name);
    }
}

#[test]
fn every_renderer_honours_an_option_or_refuses_it() {
    for row in options::rows_of(Command::Render).filter(|row| row.is_of_scene()) {
        for renderer in [RendererKind::Precise, RendererKind::Classic] {
            let mut scene = Scene { renderer, ..Scene::new("a.md2") };
            scene.camera.position = Some([1.0, 2.0, 3.0]);
            // Each has its own words for it.
            let is_share = row.name == "alpha" && renderer == RendererKind::Classic;
            let example = if is_share { "0.5" } else { row.example };
            row.read(&mut scene, example.as_ref()).unwrap();
            let renderer = scene.renderer;
            if row.name == "background-index" {
                scene.look.color = Some(ColorMode::Indexed);
            }
            let checked = scene.check();
            assert_eq!(checked.is_ok(), row.is_honoured_by(renderer), "--{}", row.name);
            let name = format!("--{} ", row.name);
            assert!(checked.is_ok() || checked.unwrap_err().to_string().starts_with(&name));
        }
    }
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -1000.0f32..1000.0,
        1 => any::<f32>().prop_filter("finite", |x| x.is_finite()),
    ]
}

fn vector() -> impl Strategy<Value = [f32; 3]> {
    proptest::array::uniform3(number())
}

fn direction() -> impl Strategy<Value = [f32; 3]> {
    vector().prop_filter("a direction", |v| v.iter().any(|&x| x != 0.0))
}

fn name() -> impl Strategy<Value = String> {
    "[-a-zA-Z0-9 '\"$/._é]{0,12}[a-z]"
        .prop_filter("no number", |name| name.parse::<f64>().is_err() && name != "-")
}

fn file() -> impl Strategy<Value = Location> {
    let member = (name(), name())
        .prop_map(|(archive, member)| Location::in_archive(format!("{archive}.pak"), member));
    prop_oneof![3 => name().prop_map(Location::on_disk), 1 => member]
}

fn positive() -> impl Strategy<Value = f32> {
    1e-30f32..1e30
}

fn source() -> impl Strategy<Value = Source> {
    let skin = prop_oneof![
        any::<i32>().prop_map(Skin::Number),
        file().prop_map(Skin::File),
        ("[a-z_]{1,8}", file())
            .prop_map(|(surface, file)| Skin::Surface { surface: surface.into(), file }),
    ];
    let files = || proptest::collection::vec(file(), 0..3);
    let geometry = select(vec![Md2Geometry::Triangles, Md2Geometry::Glcmds]);
    (
        weighted(0.9, file()),
        files(),
        proptest::collection::vec(skin, 0..4),
        files(),
        weighted(0.3, file()),
        weighted(0.3, file()),
        geometry,
        game(),
    )
        .prop_map(
            |(input, anims, skins, texture_roots, palette, colormap, md2_geometry, game)| Source {
                input: input.map_or(Input::Stdin, Input::File),
                anims,
                skins,
                texture_roots,
                palette,
                colormap,
                md2_geometry,
                ..game
            },
        )
}

fn game() -> impl Strategy<Value = Source> {
    let searches = vec![TextureSearch::Game, TextureSearch::Folder, TextureSearch::None];
    let memory = weighted(0.3, 1u32..1 << 20);
    (weighted(0.3, name()), weighted(0.3, name()), any::<bool>(), select(searches), memory)
        .prop_map(|(game, modification, loose_first, texture_search, max_memory)| Source {
            game: game.map(PathBuf::from),
            modification,
            loose_first,
            texture_search,
            max_memory,
            ..Source::default()
        })
}

fn moment() -> impl Strategy<Value = Moment> {
    let frames = (any::<u16>(), any::<u16>(), 0.0f32..=1.0).prop_map(|(from, to, t)| Frames {
        from: from.into(),
        to: to.into(),
        t,
    });
    let clock = weighted(0.3, -1e6f64..1e6);
    let clip = || weighted(0.5, "[a-z0-9]{1,6}");
    let blends = weighted(0.3, any::<bool>());
    let seconds = weighted(0.5, 0.0f32..1e4);
    (weighted(0.5, frames), [clip(), clip(), clip()], seconds, clock, blends).prop_map(
        |(frames, [animation, legs, torso], seconds, clock, interpolation)| Moment {
            seconds: seconds.filter(|_| frames.is_none()),
            frames,
            animation,
            legs,
            torso,
            clock,
            interpolation,
            ..Moment::default()
        },
    )
}

fn look() -> impl Strategy<Value = (SceneLook, SceneLight)> {
    let color = weighted(0.5, select(vec![ColorMode::Rgb, ColorMode::Indexed]));
    let draw = select(vec![Draw::Textured, Draw::Flat, Draw::Wire, Draw::Uv]);
    let filter = select(vec![Filter::Nearest, Filter::Bilinear, Filter::Trilinear]);
    let perspective = select(vec![Perspective::Correct, Perspective::Affine]);
    let samples = select(vec![Samples::One, Samples::Two, Samples::Four]);
    let cull = select(vec![Cull::Back, Cull::Front, Cull::None]);
    let colors = weighted(0.3, proptest::array::uniform2(0u8..14));
    let alpha = select(vec![Alpha::Auto, Alpha::Opaque, Alpha::Test, Alpha::Blend]);
    let stages = select(vec![ShaderStages::All, ShaderStages::First, ShaderStages::None]);
    let look =
        (color, draw, filter, perspective, samples, cull, (alpha, stages), colors).prop_map(
            |(color, draw, filter, perspective, samples, cull, (alpha, stages), colors)| {
                SceneLook { color, draw, filter, perspective, samples, cull, alpha, stages, colors }
            },
        );
    let style = select(vec![Lighting::Lambert, Lighting::Unlit, Lighting::Gl, Lighting::Quake3]);
    let share = || weighted(0.4, 0.0f32..=1.0);
    let level = weighted(0.4, 0.0f32..=255.0);
    let light = (weighted(0.5, style), weighted(0.4, direction()), share(), share(), level)
        .prop_map(|(style, direction, ambient, diffuse, level)| SceneLight {
            style,
            direction,
            ambient,
            diffuse,
            level,
        });
    (look, light)
}

fn camera() -> impl Strategy<Value = SceneCamera> {
    let angle = weighted(0.4, 0.001f32..179.9);
    let near = weighted(0.4, 1e-20f32..1.0);
    let far = weighted(0.4, 1.5f32..1e20);
    let turn = || weighted(0.4, number());
    (
        weighted(0.5, vector()),
        weighted(0.4, vector()),
        weighted(0.4, direction()),
        angle,
        near,
        far,
        turn(),
        turn(),
        weighted(0.4, positive()),
        any::<bool>(),
        weighted(0.3, positive()),
        weighted(0.3, select(vec![FrameOn::Pose, FrameOn::Clip, FrameOn::Model])),
    )
        .prop_map(
            |(position, focal_point, view_up, view_angle, near, far, a, e, zoom, o, pixels, on)| {
                SceneCamera {
                    position,
                    focal_point,
                    view_up,
                    view_angle,
                    near,
                    far,
                    azimuth: a,
                    elevation: e,
                    zoom,
                    orthographic: o,
                    pixel_aspect: pixels,
                    frame_on: on,
                }
            },
        )
}

fn engine() -> impl Strategy<Value = EngineTerms> {
    let rare = |yes| weighted(0.3, yes);
    let shell = select(vec!["red", "red,blue", "double,half", "green"]);
    let shell = shell.prop_map(|names| names.parse().expect("names of shells"));
    let frames = (rare(any::<i32>()), rare(any::<i32>()));
    let numbers = (weighted(0.3, number()), weighted(0.3, number()), weighted(0.3, number()));
    let flags = proptest::array::uniform5(any::<bool>());
    let choices = (weighted(0.3, any::<bool>()), weighted(0.3, any::<bool>()));
    let angles = (weighted(0.3, vector()), weighted(0.3, 0.01f32..179.0));
    let vectors = (weighted(0.3, vector()), weighted(0.3, vector()), weighted(0.3, shell));
    (frames, numbers, flags, choices, angles, vectors).prop_map(
        |(frames, numbers, flags, choices, angles, vectors)| EngineTerms {
            camera_angles: angles.0,
            horizontal_angle: angles.1,
            frame: frames.0,
            old_frame: frames.1,
            backlerp: numbers.0,
            sync: numbers.1,
            view_weapon: flags[0],
            subdivision: choices.0,
            old_origin: vectors.0,
            light_color: vectors.1,
            fullbright: flags[1],
            minlight: flags[2],
            glow: flags[3],
            alpha: numbers.2,
            shell: vectors.2,
            opaque_pass: choices.1,
            left_handed: flags[4],
        },
    )
}

/// Any scene, also one that contradicts itself.
fn scene() -> impl Strategy<Value = Scene> {
    let size = weighted(0.5, proptest::array::uniform2(1u32..=16384));
    let background = weighted(
        0.6,
        prop_oneof![
            Just(Background::Transparent),
            any::<[u8; 4]>().prop_map(Background::Color),
            any::<u8>().prop_map(Background::Index),
        ],
    );
    let placement =
        (weighted(0.3, vector()), weighted(0.3, vector())).prop_map(|(origin, angles)| {
            ModelPlacement { origin, angles, ..ModelPlacement::default() }
        });
    let renderer = select(vec![RendererKind::Precise, RendererKind::Classic]);
    (source(), moment(), look(), camera(), placement, size, background, renderer, engine())
        .prop_map(|(source, moment, (look, light), camera, placement, size, bg, r, engine)| Scene {
            source,
            moment,
            look,
            light,
            camera,
            placement,
            size,
            background: bg,
            renderer: r,
            engine,
        })
}

/// The scene without what contradicts something else.
fn consistent(mut scene: Scene) -> Scene {
    let engine = &mut scene.engine;
    if scene.moment.frames.is_some()
        || scene.moment.animation.is_some()
        || scene.moment.seconds.is_some()
    {
        (engine.frame, engine.old_frame, engine.backlerp, engine.sync) = Default::default();
    }
    if engine.camera_angles.is_some() {
        let SceneCamera { position, view_angle, near, far, orthographic, .. } = scene.camera;
        let position = position.or(Some([0.0; 3]));
        let placed =
            SceneCamera { position, view_angle, near, far, orthographic, ..Default::default() };
        scene.camera = placed;
    }
    if engine.horizontal_angle.is_some() {
        scene.camera.view_angle = None;
    }
    scene
}

#[test]
fn what_no_option_can_say_stays_to_be_told_by_the_drawing() {
    let scene = Scene { size: Some([0, 1]), ..Scene::new("a.md2") };
    assert_eq!(scene.honoured(), scene);
}

proptest! {
    #[test]
    fn a_printed_scene_is_parsed_as_the_same_scene(scene in scene()) {
        let honoured = consistent(scene.honoured());
        let found = parsed(&honoured.command());
        prop_assert_eq!(&found, &honoured);
        prop_assert_eq!(found.command_line(), honoured.command_line());
        // What the renderer has no use for is not printed.
        prop_assert_eq!(scene.command(), scene.honoured().command());
    }
}
