//! `polyset view`: the window.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::{Args, ValueEnum};
use polyset::{AssetOptions, ColorMode, Format, InternalResolution, PictureColors, ViewOptions};

use super::args::{CameraArgs, GeometryArgs, LookArgs, PoseArgs, RendererArg, RunArgs};
use super::classic_args::Switch;
use super::input;
use super::output;
use super::plan;
use super::values::{self, Resolution};
use super::view_source::Source;

/// What was typed after `polyset view`.
#[derive(Args, Debug)]
pub(crate) struct ViewArgs {
    /// Models, or folders of models; `-` is the standard input
    #[arg(value_name = "INPUT", required_unless_present = "keys")]
    pub(crate) inputs: Vec<OsString>,

    /// Print the keys of the window and end
    #[arg(long)]
    keys: bool,

    #[command(flatten)]
    window: WindowArgs,
    #[command(flatten)]
    pub(crate) pose: PoseArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    #[command(flatten)]
    pub(crate) camera: CameraArgs,
    #[command(flatten)]
    pub(crate) geometry: GeometryArgs,
    #[command(flatten)]
    run: RunArgs,

    /// Which of the two renderers draws
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    #[arg(help_heading = "Renderer")]
    renderer: RendererArg,
}

/// How the window begins.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Window")]
struct WindowArgs {
    /// Width and height of the window in pixels, also as WxH
    #[arg(long, value_name = "W,H", value_parser = values::resolution, allow_hyphen_values = true)]
    resolution: Option<Resolution>,

    /// The size of the picture, enlarged by a whole number to fit the window: 320x200, 320x240, any
    /// other, or window
    #[arg(long, value_name = "WxH|window", value_parser = internal_resolution)]
    #[arg(default_value = "window")]
    internal_resolution: InternalResolution,

    /// The colour behind the model; in indexed pictures the nearest of the palette
    #[arg(long, value_name = "RRGGBB", value_parser = background)]
    background_color: Option<[u8; 3]>,

    /// Begin without playing the animation
    #[arg(long)]
    paused: bool,

    /// Blend between frames, or show ten frames a second as the first engines did
    #[arg(long, value_name = "on|off", value_enum, default_value = "on")]
    interpolation: Switch,

    /// Turn the model under a fixed light
    #[arg(long)]
    turntable: bool,

    /// Begin with these shown, separated by commas
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    show: Vec<Shown>,

    /// Say nothing on the picture when a key changes something
    #[arg(long)]
    no_messages: bool,

    /// Read a model again when its file changes
    #[arg(long)]
    watch: bool,

    /// Where screenshots go [default: the current folder]
    #[arg(long, value_name = "DIR")]
    screenshot_folder: Option<PathBuf>,

    /// Write what keys and mouse do to FILE
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Do what a file of --record says
    #[arg(long, value_name = "FILE")]
    play: Option<PathBuf>,

    /// The display system
    #[arg(long, value_name = "SYSTEM", value_enum, default_value_t)]
    window_backend: WindowBackend,
}

/// `--show`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shown {
    /// The list of keys
    Keys,
    /// Name, clip and frame, skin
    Name,
    /// Numbers of surfaces, vertices, frames
    Facts,
    /// Frames a second and the time of every stage
    Stats,
    /// The axes of the model
    Axes,
}

/// `--window-backend`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum WindowBackend {
    /// Wayland, else X11
    #[default]
    Auto,
    X11,
    Wayland,
}

fn internal_resolution(text: &str) -> Result<InternalResolution, String> {
    if text.eq_ignore_ascii_case("window") {
        return Ok(InternalResolution::Window);
    }
    let size = values::resolution(text).map_err(|error| format!("{error}, or window"))?;
    Ok(InternalResolution::Fixed(size.width, size.height))
}

fn background(text: &str) -> Result<[u8; 3], String> {
    match values::color(text)? {
        [r, g, b, 255] => Ok([r, g, b]),
        _ => Err("a window has no transparent background: expected RRGGBB".into()),
    }
}

/// Opens the window and shows the inputs until it is closed.
///
/// # Errors
/// If an input does not exist, an option is bad, or there is no display.
pub(crate) fn run(args: &ViewArgs) -> Result<()> {
    let started = Instant::now();
    if args.keys {
        return output::stdout(polyset::key_list().as_bytes());
    }
    choose_backend(args.window.window_backend)?;
    let mut source = Source::new(args)?;
    let options = options(args, &source.assets, started)?;
    Ok(polyset::view(&mut source, options)?)
}

/// The window library takes Wayland if it can, and looks for it in the environment: without the
/// other system's variables the program starts itself once more.
#[cfg(all(unix, not(target_os = "macos")))]
fn choose_backend(backend: WindowBackend) -> Result<()> {
    use anyhow::Context;
    use std::os::unix::process::CommandExt;

    let unwanted: &[&str] = match backend {
        WindowBackend::Auto => &[],
        WindowBackend::X11 => &["WAYLAND_DISPLAY", "WAYLAND_SOCKET"],
        WindowBackend::Wayland => &["DISPLAY"],
    };
    if !unwanted.iter().any(|name| std::env::var_os(name).is_some()) {
        return Ok(());
    }
    let program = std::env::current_exe().context("--window-backend")?;
    let mut command = std::process::Command::new(program);
    command.args(std::env::args_os().skip(1));
    for name in unwanted {
        command.env_remove(name);
    }
    Err(command.exec()).context("--window-backend: cannot start again")
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn choose_backend(backend: WindowBackend) -> Result<()> {
    anyhow::ensure!(backend == WindowBackend::Auto, "--window-backend: this system has only one");
    Ok(())
}

fn options(args: &ViewArgs, assets: &AssetOptions, started: Instant) -> Result<ViewOptions> {
    let window = &args.window;
    let colormap = args.look.colormap.as_deref().map(input::colormap).transpose()?;
    let shows = |what| window.show.contains(&what);
    Ok(ViewOptions {
        look: plan::look(&args.look, args.geometry.alpha_test, Format::Parts),
        colors: PictureColors {
            color: args.look.color.map_or(ColorMode::Rgb, Into::into),
            samples: args.look.anti_aliasing.into(),
            palette: assets.palette.clone(),
            colormap,
        },
        lighting: args.look.lighting.map(Into::into),
        classic: args.renderer == RendererArg::Classic,
        resolution: window.internal_resolution,
        size: window.resolution.map(|size| [size.width, size.height]),
        background: window.background_color,
        paused: window.paused,
        interpolation: window.interpolation.is_on(),
        turntable: window.turntable,
        help: shows(Shown::Keys),
        names: shows(Shown::Name),
        facts: shows(Shown::Facts),
        stats: shows(Shown::Stats),
        axes: shows(Shown::Axes),
        messages: !window.no_messages,
        watch: window.watch,
        record: window.record.clone(),
        play: window.play.clone(),
        screenshot_folder: window.screenshot_folder.clone().unwrap_or_default(),
        renderer: plan::renderer(&args.run)?,
        started,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions_and_backgrounds() {
        assert_eq!(internal_resolution("Window"), Ok(InternalResolution::Window));
        assert_eq!(internal_resolution("320x200"), Ok(InternalResolution::Fixed(320, 200)));
        assert!(internal_resolution("320").is_err());
        assert_eq!(background("102030"), Ok([16, 32, 48]));
        assert!(background("10203080").is_err());
    }
}
