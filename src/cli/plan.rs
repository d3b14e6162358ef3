//! From what was typed to what will be done: the checks that need the model.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use polyset::{
    Blend, Camera, ColorMode, Format, Framebuffer, Look, Model, Palette, Pose, Renderer, SimdLevel,
    Transform, View,
};

use super::args::{CameraArgs, LookArgs, OutputArgs, PoseArgs, RendererArg, RunArgs, SimdArg};
use super::classic_args::ClassicArgs;
use super::output::Destination;
use super::values::Resolution;

/// The picture's size unless the command line says otherwise.
const DEFAULT_SIDE: u32 = 512;

/// The entry that means "nothing here" in Quake's pictures, unless the command line says otherwise.
const TRANSPARENT_INDEX: u8 = 255;

/// What lies behind the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Background {
    /// True colour: R, G, B, A.
    Color([u8; 4]),
    /// Indexed: the entry that stands for "nothing here".
    TransparentIndex(u8),
    /// Indexed: an entry like any other.
    OpaqueIndex(u8),
}

impl Background {
    /// Clears the frame.
    pub(crate) fn fill(self, frame: &mut Framebuffer) {
        match self {
            Self::Color(rgba) => frame.clear(rgba),
            Self::TransparentIndex(index) | Self::OpaqueIndex(index) => frame.clear_index(index),
        }
    }
}

/// What is written where.
#[derive(Clone, Debug)]
pub(crate) struct Outputs {
    pub(crate) picture: Option<Destination>,
    pub(crate) depth: Option<Destination>,
    pub(crate) hash: bool,
}

/// A frame of the wanted size, with depth if that is written.
///
/// # Errors
/// If the size is out of range.
pub(crate) fn framebuffer(args: &OutputArgs) -> Result<Framebuffer> {
    let Resolution { width, height } = resolution(args);
    let frame = Framebuffer::new(width, height)?;
    Ok(if args.depth_output.is_some() { frame.with_depth() } else { frame })
}

/// The size of the picture.
pub(crate) fn resolution(args: &OutputArgs) -> Resolution {
    let side = args.size.unwrap_or(DEFAULT_SIDE);
    args.resolution.unwrap_or(Resolution { width: side, height: side })
}

/// Where the results go.
///
/// # Errors
/// If the picture is named twice, or not at all although nothing else is asked for, or if two
/// things would go to the standard output.
pub(crate) fn outputs(args: &OutputArgs, positional: Option<&Path>) -> Result<Outputs> {
    let path = match (positional, args.output.as_deref()) {
        (Some(first), Some(second)) => bail!(
            "two outputs: OUTPUT '{}' and --output '{}'; give one of them",
            first.display(),
            second.display()
        ),
        (path, None) | (None, path) => path,
    };
    let picture = path.map(Destination::from);
    let depth = args.depth_output.as_deref().map(Destination::from);
    ensure!(
        picture.is_some() || depth.is_some() || args.hash || args.stats,
        "no output: give OUTPUT or --output FILE ('-' is the standard output); \
         with --hash, --stats or --depth-output it may be left out"
    );
    let mut to_stdout = Vec::new();
    if picture == Some(Destination::Stdout) {
        to_stdout.push("the picture");
    }
    if depth == Some(Destination::Stdout) {
        to_stdout.push("--depth-output");
    }
    if args.hash {
        to_stdout.push("--hash");
    }
    ensure!(
        to_stdout.len() < 2,
        "{} would be mixed on the standard output; write one of them to a file",
        to_stdout.join(" and ")
    );
    Ok(Outputs { picture, depth, hash: args.hash })
}

/// What lies behind the model.
///
/// # Errors
/// If the option does not belong to the colour mode.
pub(crate) fn background(
    args: &OutputArgs,
    color: ColorMode,
    palette: impl FnOnce() -> Arc<Palette>,
) -> Result<Background> {
    match (color, args.background_color, args.background_index) {
        (ColorMode::Rgb, _, Some(index)) => bail!(
            "--background-index {index} is for indexed pictures: \
             add --color indexed, or use --background-color"
        ),
        (ColorMode::Rgb, color, None) => Ok(Background::Color(color.unwrap_or([0; 4]))),
        (_, Some([.., 0]) | None, index) => {
            Ok(Background::TransparentIndex(index.unwrap_or(TRANSPARENT_INDEX)))
        }
        (_, Some([r, g, b, 255]), _) => Ok(Background::OpaqueIndex(palette().nearest([r, g, b]))),
        (_, Some([.., alpha]), _) => bail!(
            "--background-color with alpha {alpha:02X}: \
             behind an indexed picture only 00 and FF are possible"
        ),
    }
}

/// The frames to draw and how far between them; `None` is the bind pose of a model without frames.
///
/// # Errors
/// If a frame or animation does not exist; the message says which there are.
pub(crate) fn blend(args: &PoseArgs, model: &Model) -> Result<Blend> {
    if let Some(wanted) = args.frame {
        let count = model.frame_count();
        for frame in [wanted.from, wanted.to] {
            ensure!(
                frame < count,
                "--frame {frame} is out of range: {}",
                match count {
                    0 => "this model has no frame".to_owned(),
                    1 if model.format() == Format::Md5 && args.anim.is_empty() =>
                        "without --anim the bind pose is frame 0, the only one".to_owned(),
                    1 => "frame 0 is the only one".to_owned(),
                    _ => format!("the frames are 0 to {}", count - 1),
                }
            );
        }
        return Ok(Blend { from: wanted.from, to: wanted.to, t: wanted.t, anim: 0 });
    }
    let time = args.animation_time.unwrap_or(0.0);
    let clip = match &args.animation {
        Some(name) => match model.clip(name) {
            Ok(clip) => clip,
            Err(error) => bail!("--animation {name}: {error}"),
        },
        None => match model.clips().first() {
            Some(clip) => clip,
            None => return Ok(Blend::frame(0)),
        },
    };
    Ok(clip.at(time))
}

/// What to draw how, beginning with what the model's format suggests.
pub(crate) fn look(args: &LookArgs, alpha_test: bool, format: Format) -> Look {
    let standard = Look::of(format);
    Look {
        draw: args.draw.into(),
        lighting: args.lighting.map_or(standard.lighting, Into::into),
        light: args.light.unwrap_or(standard.light),
        ambient: args.ambient.unwrap_or(standard.ambient),
        diffuse: args.diffuse.unwrap_or(standard.diffuse),
        light_level: args.light_level.unwrap_or(standard.light_level),
        filter: args.filter.into(),
        perspective: args.perspective.into(),
        cull: args.cull.into(),
        alpha_test,
        colors: args.colors,
    }
}

/// A view in the colours that the options say.
pub(crate) fn view(args: &LookArgs, camera: Camera) -> View {
    View::new(camera)
        .color(args.color.map_or(ColorMode::Rgb, Into::into))
        .samples(args.anti_aliasing.into())
}

/// The camera: placed where the options say, else framing the pose where it stands.
///
/// # Errors
/// If the eye is where it looks, or nothing lies between near and far.
pub(crate) fn camera(args: &CameraArgs, pose: &Pose, stands: &Transform) -> Result<Camera> {
    if let (Some(near), Some(far)) = (args.camera_near, args.camera_far) {
        ensure!(near < far, "--camera-near {near} must be smaller than --camera-far {far}");
    }
    let up = args.camera_view_up.unwrap_or([0.0, 0.0, 1.0]);
    let mut camera = match args.camera_position {
        Some(position) => {
            let focal_point = args.camera_focal_point.unwrap_or_else(|| middle(pose));
            ensure!(
                position != focal_point,
                "--camera-position {},{},{} is also what the camera looks at; move it or give --camera-focal-point",
                position[0],
                position[1],
                position[2]
            );
            Camera::placed(position, focal_point, up)
        }
        None => {
            let framing = Camera::framing_instances([(pose, stands)]).view_up(up);
            match args.camera_focal_point {
                Some(point) => framing.focal_point(point),
                None => framing,
            }
        }
    };
    if let Some(degrees) = args.camera_azimuth_angle {
        camera = camera.azimuth(degrees);
    }
    if let Some(degrees) = args.camera_elevation_angle {
        camera = camera.elevation(degrees);
    }
    if let Some(degrees) = args.camera_view_angle {
        camera = camera.view_angle(degrees);
    }
    Ok(camera
        .zoom(args.camera_zoom_factor.unwrap_or(1.0))
        .near(args.camera_near)
        .far(args.camera_far)
        .orthographic(args.camera_orthographic))
}

/// The middle of the pose's box.
pub(crate) fn middle(pose: &Pose) -> [f32; 3] {
    let [min, max] = pose.bounds();
    std::array::from_fn(|axis| min[axis] + (max[axis] - min[axis]) * 0.5)
}

/// Options of the classic renderer mean nothing to the precise one.
///
/// # Errors
/// If one is given without `--renderer classic`.
pub(crate) fn renderer_options(renderer: RendererArg, classic: &ClassicArgs) -> Result<()> {
    if renderer == RendererArg::Precise {
        if let Some(flag) = classic.first_given() {
            bail!("{flag} needs --renderer classic");
        }
        let angles = classic.model_angles.unwrap_or_default();
        ensure!(
            angles[0] == 0.0 && angles[2] == 0.0,
            "--model-angles: only --renderer classic knows pitch and roll; give 0,YAW,0"
        );
    }
    Ok(())
}

/// A renderer on the wanted threads and instruction set.
///
/// # Errors
/// If the machine lacks the instruction set or cannot start the threads.
pub(crate) fn renderer(args: &RunArgs) -> Result<Renderer> {
    let level = SimdLevel::from(args.simd);
    if !level.is_available() {
        let name = |arg: &SimdArg| arg.to_possible_value().map(|value| value.get_name().to_owned());
        let available =
            SimdArg::value_variants().iter().filter(|arg| SimdLevel::from(**arg).is_available());
        bail!(
            "--simd {}: this machine does not have it; it has {}",
            name(&args.simd).unwrap_or_default(),
            available.filter_map(name).collect::<Vec<_>>().join(", ")
        );
    }
    let threads = args.threads.map_or(0, usize::from);
    let renderer = Renderer::new().with_simd(level)?;
    renderer.with_threads(threads).with_context(|| format!("--threads {threads}"))
}
