//! `polyset render --renderer classic`: the scene in the words of the original engines.

use std::time::Instant;

use anyhow::{Result, bail, ensure};
use polyset::{
    Camera, ClassicFrame, ClassicRenderer, ClassicScene, ColorMode, Format, Image, LoadOptions,
    Model, Transform,
};

use super::args::{
    AntiAliasingArg, CameraArgs, CullArg, DrawArg, FilterArg, LookArgs, Md2GeometryArg, PoseArgs,
};
use super::classic_args::{ClassicArgs, Switch};
use super::console;
use super::input::{self, Input};
use super::plan::{self, Background};
use super::render::{self, RenderArgs};
use super::stats::Stats;
use super::values::{Resolution, SkinArg};

/// Draws the picture and writes what was asked for.
///
/// # Errors
/// If the options, the model or a file are bad.
pub(crate) fn run(args: &RenderArgs) -> Result<()> {
    refuse_what_means_nothing(args)?;
    let outputs = plan::outputs(&args.output, args.positional_output.as_deref())?;
    let mut stats = Stats::default();

    let start = Instant::now();
    let (model, mut scene) = open(args)?;
    stats.push("read", 1, model.triangle_count() as u64, start);

    let start = Instant::now();
    let Resolution { width, height } = plan::resolution(&args.output);
    let mut frame = ClassicFrame::new(width, height)?;
    place_camera(&mut scene, args, &model)?;
    let color = args.look.color.map_or(ColorMode::Indexed, Into::into);
    let background = background(args, color, &scene, &model)?;
    stats.push("scene", model.frame_count() as u64, 1, start);

    let start = Instant::now();
    let mut renderer = ClassicRenderer::new();
    let index = match background {
        Background::TransparentIndex(index) | Background::OpaqueIndex(index) => index,
        Background::Color(_) => empty_index(&scene),
    };
    frame.clear(index);
    let counts = renderer.draw(&model, &scene, &mut frame);
    stats.push("draw", counts.triangles, counts.filled, start);

    let start = Instant::now();
    let untouched = || untouched(&mut renderer, &model, &scene, &frame, index);
    let image = picture(&frame, background, color, untouched);
    let depth = || frame.depth().iter().flat_map(|z| z.to_le_bytes()).collect();
    let bytes = render::write(&outputs, &image, depth)?;
    stats.push("write", u64::from(width) * u64::from(height), bytes, start);
    if args.output.stats {
        console::table(&stats.table());
        console::table(&format!("{counts}\n"));
    }
    Ok(())
}

/// # Errors
/// If an option was given that the original renderers have no counterpart of.
fn refuse_what_means_nothing(args: &RenderArgs) -> Result<()> {
    let (look, camera) = (&args.look, &args.camera);
    let given = [
        ("--lighting", look.lighting.is_some()),
        ("--light", look.light.is_some()),
        ("--ambient", look.ambient.is_some()),
        ("--diffuse", look.diffuse.is_some()),
        ("--filter", look.filter != FilterArg::Nearest),
        ("--anti-aliasing", look.anti_aliasing != AntiAliasingArg::None),
        ("--cull", look.cull != CullArg::Back),
        ("--draw", look.draw != DrawArg::Textured),
        ("--camera-near", camera.camera_near.is_some()),
        ("--camera-far", camera.camera_far.is_some()),
        ("--camera-orthographic", camera.camera_orthographic),
        ("--md2-geometry", args.geometry.md2_geometry != Md2GeometryArg::Triangles),
        ("--alpha-test", args.geometry.alpha_test),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => bail!("{flag} means nothing to --renderer classic"),
        None => Ok(()),
    }
}

/// Reads the model with its skins, and what the options say of the entity.
fn open(args: &RenderArgs) -> Result<(Model, ClassicScene)> {
    let source = Input::from(args.input.input.as_os_str());
    let mut model = input::parse(&source, source.read()?, &LoadOptions::default())?;
    refuse_other_formats(args, &model)?;
    input::add_anims(&mut model, &source, &args.pose)?;
    console::model_warnings(source.name(), model.warnings());

    let (look, skin) = engine_skin(&args.look, &model);
    let assets = input::asset_options(&look, args.classic.time.unwrap_or(0.0))?;
    input::dress(&mut model, &source, &assets)?;
    let mut scene = entity(&args.classic, &args.look);
    scene.skin = skin;
    scene.palette = assets.palette;
    scene.colormap = look.colormap.as_deref().map(input::colormap).transpose()?;
    if model.format() == Format::Mdl && !look.skin.is_empty() {
        scene.texture = model.surfaces().first().and_then(|surface| surface.texture().cloned());
    }
    choose_pose(&mut scene, &args.classic, &args.pose, &model)?;
    Ok((model, scene))
}

/// # Errors
/// If an option is for another format's engine.
fn refuse_other_formats(args: &RenderArgs, model: &Model) -> Result<()> {
    let (classic, format) = (&args.classic, model.format());
    if let Some(flag) = classic.first_of_md2().filter(|_| format != Format::Md2) {
        bail!("{flag} is Quake II's: it needs an .md2, this is an .{}", format.extension());
    }
    let blends = classic.old_frame.is_some() || classic.backlerp.is_some();
    ensure!(
        !blends || format != Format::Mdl,
        "--old-frame and --backlerp: Quake never blends the frames of an .mdl"
    );
    if args.look.colors.is_some() && format == Format::Md2 {
        console::warning("--colors: an .md2 has a skin file for every player colour");
    }
    Ok(())
}

/// Skin numbers as the engines take them, 0 if there is no such skin, and what is left of the
/// options for the search of files.
fn engine_skin(look: &LookArgs, model: &Model) -> (LookArgs, i32) {
    let mut look = look.clone();
    if !matches!(model.format(), Format::Mdl | Format::Md2) {
        return (look, 0);
    }
    let mut skin = 0;
    let number = |arg: &SkinArg| match arg {
        SkinArg::Number(number) => Some(i32::try_from(*number).unwrap_or(-1)),
        SkinArg::File(text) => text.to_str()?.parse::<i32>().ok(),
        SkinArg::Surface { .. } => None,
    };
    look.skin.retain(|arg| number(arg).map(|number| skin = number).is_none());
    let exists = usize::try_from(skin).is_ok_and(|number| number < model.skins().len());
    if model.format() == Format::Md2 && exists && look.skin.is_empty() {
        look.skin.push(SkinArg::Number(skin as usize));
    }
    (look, skin)
}

/// What the options say of the entity, without its pose.
fn entity(args: &ClassicArgs, look: &LookArgs) -> ClassicScene {
    let standard = ClassicScene::default();
    // Of .md2 entities the light is a colour; its grey gives the level again, less rounding.
    let grey = look.light_level.map(|level| [level / 255.0; 3]);
    ClassicScene {
        origin: args.model_origin.unwrap_or(standard.origin),
        angles: args.model_angles.unwrap_or(standard.angles),
        time: args.time.unwrap_or(standard.time),
        sync: args.sync.unwrap_or(standard.sync),
        light_level: look.light_level.map_or(standard.light_level, |level| level as i32),
        colors: look.colors,
        view_weapon: args.view_weapon,
        subdivision: args.subdivision.is_some_and(Switch::is_on),
        old_origin: args.old_origin,
        light_color: args.light_color.or(grey).unwrap_or(standard.light_color),
        fullbright: args.fullbright,
        minlight: args.minlight,
        glow: args.glow,
        alpha: args.alpha,
        shell: args.shell.unwrap_or_default(),
        opaque_pass: args.opaque_pass.map(Switch::is_on),
        left_handed: args.left_handed,
        ..standard
    }
}

/// # Errors
/// If the pose is said in two ways, or does not exist.
fn choose_pose(
    scene: &mut ClassicScene,
    args: &ClassicArgs,
    pose: &PoseArgs,
    model: &Model,
) -> Result<()> {
    let ordinary =
        pose.frame.is_some() || pose.animation.is_some() || pose.animation_time.is_some();
    match args.first_of_pose() {
        Some(flag) if ordinary => {
            bail!("{flag} and --frame or --animation both choose the pose; give one of them")
        }
        None if ordinary => scene.set_blend(model, plan::blend(pose, model)?),
        _ => {
            scene.frame = args.engine_frame.unwrap_or(0);
            scene.old_frame = args.old_frame.unwrap_or(scene.frame);
            scene.backlerp = args.backlerp.unwrap_or(0.0);
        }
    }
    Ok(())
}

/// # Errors
/// If the camera is said in two ways, or in half of one.
fn place_camera(scene: &mut ClassicScene, args: &RenderArgs, model: &Model) -> Result<()> {
    let Resolution { width, height } = plan::resolution(&args.output);
    let (camera, classic) = (&args.camera, &args.classic);
    ensure!(
        camera.camera_view_angle.is_none() || classic.camera_horizontal_angle.is_none(),
        "--camera-view-angle and --camera-horizontal-angle say the same; give one of them"
    );
    let mut wanted = camera.clone();
    if let Some(degrees) = classic.camera_horizontal_angle {
        wanted.camera_view_angle = Some(vertical_angle(degrees, width, height));
    }
    let pose = model.pose_blend(scene.blend(model));
    if let Some(angles) = classic.camera_angles {
        let Some(position) = camera.camera_position else {
            bail!("--camera-angles needs --camera-position")
        };
        refuse_a_second_direction(camera)?;
        let view_angle = wanted.camera_view_angle.unwrap_or(30.0);
        let ahead = [position[0] + 1.0, position[1], position[2]];
        let camera = Camera::placed(position, ahead, [0.0, 0.0, 1.0]).view_angle(view_angle);
        scene.set_camera(model, &pose, &camera, width, height);
        scene.camera_position = position;
        scene.camera_angles = angles;
    } else {
        if camera.camera_position.is_some() && camera.camera_focal_point.is_none() {
            wanted.camera_focal_point = Some(scene.to_world(model, plan::middle(&pose)));
        }
        scene.set_camera(
            model,
            &pose,
            &plan::camera(&wanted, &pose, &Transform::IDENTITY)?,
            width,
            height,
        );
    }
    if let (Some(degrees), Some(position)) =
        (classic.camera_horizontal_angle, camera.camera_position)
    {
        scene.camera_position = position;
        scene.horizontal_angle = degrees;
    }
    Ok(())
}

/// # Errors
/// If an option turns the camera besides `--camera-angles`.
fn refuse_a_second_direction(camera: &CameraArgs) -> Result<()> {
    let given = [
        ("--camera-focal-point", camera.camera_focal_point.is_some()),
        ("--camera-view-up", camera.camera_view_up.is_some()),
        ("--camera-azimuth-angle", camera.camera_azimuth_angle.is_some()),
        ("--camera-elevation-angle", camera.camera_elevation_angle.is_some()),
        ("--camera-zoom-factor", camera.camera_zoom_factor.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => bail!("{flag} and --camera-angles turn the same camera; give one"),
        None => Ok(()),
    }
}

/// The vertical angle of a picture whose horizontal one is `degrees`.
fn vertical_angle(degrees: f32, width: u32, height: u32) -> f32 {
    let half = libm::tan(f64::from(degrees).to_radians() / 2.0);
    let shape = f64::from(height) / f64::from(width);
    (2.0 * libm::atan(half * shape)).to_degrees() as f32
}

/// What lies behind the model. An index may be asked for in true colour too: it is looked up.
fn background(
    args: &RenderArgs,
    color: ColorMode,
    scene: &ClassicScene,
    model: &Model,
) -> Result<Background> {
    if let (ColorMode::Rgb, Some(index)) = (color, args.output.background_index) {
        return Ok(Background::OpaqueIndex(index));
    }
    let mut output = args.output.clone();
    if color == ColorMode::Indexed && output.background_color.is_none() {
        output.background_index.get_or_insert(empty_index(scene));
    }
    plan::background(&output, color, || scene.palette_for(model))
}

/// The index that stands for "nothing is here" unless the command line says otherwise. Nothing
/// translucent can be seen over 255, the last entry of the blend table.
fn empty_index(scene: &ClassicScene) -> u8 {
    if scene.alpha.is_some() || !scene.shell.is_none() { 0 } else { 255 }
}

/// Where nothing was drawn: what follows when the background changes.
fn untouched(
    renderer: &mut ClassicRenderer,
    model: &Model,
    scene: &ClassicScene,
    frame: &ClassicFrame,
    index: u8,
) -> Vec<bool> {
    let other_index = index ^ 0x80;
    let mut other = frame.clone();
    other.clear(other_index);
    renderer.draw(model, scene, &mut other);
    let pairs = frame.indices().iter().zip(other.indices());
    pairs.map(|(&a, &b)| a == index && b == other_index).collect()
}

/// The finished picture; an index that was drawn cannot stand for "nothing is here" too.
fn picture(
    frame: &ClassicFrame,
    background: Background,
    color: ColorMode,
    untouched: impl FnOnce() -> Vec<bool>,
) -> Image {
    let image = match background {
        Background::OpaqueIndex(_) => frame.image(None),
        Background::TransparentIndex(index) => {
            let untouched = untouched();
            let mut pixels = frame.indices().iter().zip(&untouched);
            if pixels.any(|(&pixel, &is_untouched)| pixel == index && !is_untouched) {
                render::warn_of_drawn_background(index);
                frame.image(None)
            } else {
                frame.image(Some(index))
            }
        }
        Background::Color(rgba) => return on_color(frame, rgba, &untouched()),
    };
    if color == ColorMode::Rgb { image.into_rgba() } else { image }
}

fn on_color(frame: &ClassicFrame, background: [u8; 4], untouched: &[bool]) -> Image {
    let palette = frame.palette();
    let pixels = frame.indices().iter().zip(untouched).flat_map(|(&index, &is_untouched)| {
        let [r, g, b] = palette.color(index);
        if is_untouched { background } else { [r, g, b, 255] }
    });
    Image::from_rgba(frame.width(), frame.height(), pixels.collect())
        .expect("as many pixels as the frame has")
}
