//! `polyset render`: one picture.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use polyset::{
    ColorMode, Colormap, Framebuffer, Image, Instance, LoadOptions, Look, Model, Palette, Transform,
};

use super::args::{
    CameraArgs, GeometryArgs, InputArgs, LookArgs, OutputArgs, PoseArgs, RendererArg, RunArgs,
};
use super::classic;
use super::classic_args::ClassicArgs;
use super::console;
use super::input::{self, Input};
use super::output::{self, Destination};
use super::plan::{self, Background, Outputs};
use super::stats::Stats;

/// What was typed after `polyset render`.
#[derive(Args, Debug)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Where the PNG goes; `-` is the standard output. May be left out with --hash or --stats
    #[arg(value_name = "OUTPUT")]
    pub(crate) positional_output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) pose: PoseArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    #[command(flatten)]
    pub(crate) camera: CameraArgs,
    #[command(flatten)]
    pub(crate) geometry: GeometryArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Which of the two renderers draws
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    #[arg(help_heading = "Renderer")]
    pub(crate) renderer: RendererArg,
    #[command(flatten)]
    pub(crate) classic: ClassicArgs,
}

/// Draws the picture and writes what was asked for.
///
/// # Errors
/// If the options, the model or a file are bad.
pub(crate) fn run(args: &RenderArgs) -> Result<()> {
    if args.renderer == RendererArg::Classic {
        return classic::run(args);
    }
    plan::renderer_options(args.renderer, &args.classic)?;
    let outputs = plan::outputs(&args.output, args.positional_output.as_deref())?;
    let mut renderer = plan::renderer(&args.run)?;
    let mut stats = Stats::default();

    let start = Instant::now();
    let Opened { model, look, palette, colormap } = open(args)?;
    stats.push("read", 1, model.triangle_count() as u64, start);

    let start = Instant::now();
    let blend = plan::blend(&args.pose, &model)?;
    let pose = model.pose_blend(blend);
    let transform = Transform::yaw(args.classic.model_angles.unwrap_or_default()[1]);
    let view = plan::view(&args.look, plan::camera(&args.camera, &pose, &transform)?);
    let view = view.palette(palette).colormap(colormap);
    let instances = [Instance { model: &model, pose: &pose, look, transform }];
    let vertices = model.surfaces().iter().map(|surface| surface.vertex_count() as u64).sum();
    stats.push("pose", model.frame_count() as u64, vertices, start);

    let color = args.look.color.map_or(ColorMode::Rgb, Into::into);
    let background = plan::background(&args.output, color, || view.palette_of(&instances))?;
    let mut frame = plan::framebuffer(&args.output)?;
    background.fill(&mut frame);
    renderer.draw(&view, &instances, &mut frame)?;
    stats.extend(renderer.stats());

    let start = Instant::now();
    let image = picture(&frame, background);
    let depth = || {
        let rows = frame.depth_rows().into_iter().flatten();
        rows.flatten().flat_map(|z| z.to_le_bytes()).collect()
    };
    let bytes = write(&outputs, &image, depth)?;
    stats.push("write", u64::from(image.width()) * u64::from(image.height()), bytes, start);
    if args.output.stats {
        console::table(&stats.table());
    }
    Ok(())
}

/// What was read.
struct Opened {
    model: Model,
    look: Look,
    palette: Option<Arc<Palette>>,
    colormap: Option<Arc<Colormap>>,
}

/// Reads the model with its animations and skins, and what the options say about its look.
fn open(args: &RenderArgs) -> Result<Opened> {
    let source = Input::from(args.input.input.as_os_str());
    let options = LoadOptions { md2_geometry: args.geometry.md2_geometry.into() };
    let assets = input::asset_options(&args.look, args.classic.time.unwrap_or(0.0))?;
    let colormap = args.look.colormap.as_deref().map(input::colormap).transpose()?;

    let mut model = input::parse(&source, source.read()?, &options)?;
    input::add_anims(&mut model, &source, &args.pose)?;
    console::model_warnings(source.name(), model.warnings());
    input::dress(&mut model, &source, &assets)?;
    let look = plan::look(&args.look, args.geometry.alpha_test, model.format());
    Ok(Opened { model, look, palette: assets.palette, colormap })
}

/// The finished picture; an index that was drawn cannot stand for "nothing is here" too.
fn picture(frame: &Framebuffer, background: Background) -> Image {
    match background {
        Background::TransparentIndex(index) if frame.has_drawn_index(index) => {
            warn_of_drawn_background(index);
            frame.image()
        }
        Background::TransparentIndex(index) => frame.image_with_transparent(index),
        Background::Color(_) | Background::OpaqueIndex(_) => frame.image(),
    }
}

pub(crate) fn warn_of_drawn_background(index: u8) {
    console::warning(format_args!(
        "the model has pixels of palette index {index}, which was to be transparent: \
         nothing is; choose another with --background-index"
    ));
}

/// Everything is made before anything is written. Returns the number of bytes.
///
/// # Errors
/// If the picture cannot be encoded or something cannot be written.
pub(crate) fn write(
    outputs: &Outputs,
    image: &Image,
    depth: impl FnOnce() -> Vec<u8>,
) -> Result<u64> {
    let mut pending: Vec<(&Destination, Vec<u8>)> = Vec::new();
    if let Some(destination) = &outputs.depth {
        pending.push((destination, depth()));
    }
    if let Some(destination) = &outputs.picture {
        let mut png = Vec::new();
        image.encode_png(&mut png)?;
        pending.push((destination, png));
    }
    let written = pending.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    for (destination, bytes) in pending {
        destination.write(&bytes)?;
    }
    if outputs.hash {
        output::stdout(format!("{:016x}\n", image.hash()).as_bytes())?;
    }
    Ok(written)
}
