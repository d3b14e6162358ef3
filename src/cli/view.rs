//! `polyset view`: the window.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use polyset::{
    AssetOptions, Camera, Format, InternalResolution, LoadOptions, Look, Model, ModelSource, Pose,
    RenderCommand, SkinChoice, Start, ViewOptions,
};

use super::args::{
    CameraArgs, GeometryArgs, LookArgs, Md2GeometryArg, PoseArgs, RendererArg, RunArgs,
};
use super::classic_args::Switch;
use super::console;
use super::input::{self, Input};
use super::output;
use super::plan;
use super::values::{self, Resolution};

/// Folders within folders are gone through so deep.
const MAX_DEPTH: usize = 16;
/// Names of model files end so.
const EXTENSIONS: [&str; 4] = ["mdl", "md2", "md3", "md5mesh"];

/// What was typed after `polyset view`.
#[derive(Args, Debug)]
pub(crate) struct ViewArgs {
    /// Models, or folders of models; `-` is the standard input
    #[arg(value_name = "INPUT", required_unless_present = "keys")]
    inputs: Vec<OsString>,

    /// Print the keys of the window and end
    #[arg(long)]
    keys: bool,

    #[command(flatten)]
    window: WindowArgs,
    #[command(flatten)]
    pose: PoseArgs,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    camera: CameraArgs,
    #[command(flatten)]
    geometry: GeometryArgs,
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
    ensure!(backend == WindowBackend::Auto, "--window-backend: this system has only one");
    Ok(())
}

fn options(args: &ViewArgs, assets: &AssetOptions, started: Instant) -> Result<ViewOptions> {
    let window = &args.window;
    let look = plan::look(&args.look, args.geometry.alpha_test, Format::Parts);
    let colormap = args.look.colormap.as_deref().map(input::colormap).transpose()?;
    let shows = |what| window.show.contains(&what);
    Ok(ViewOptions {
        look: Look { palette: assets.palette.clone(), colormap, ..look },
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

/// The models of the command line.
struct Source<'a> {
    args: &'a ViewArgs,
    inputs: Vec<Input>,
    /// The standard input can be read only once.
    standard_input: Option<Vec<u8>>,
    assets: AssetOptions,
}

impl<'a> Source<'a> {
    fn new(args: &'a ViewArgs) -> Result<Self> {
        let mut inputs = Vec::new();
        for text in &args.inputs {
            add_inputs(text, &mut inputs)?;
        }
        let assets = input::asset_options(&args.look, 0.0)?;
        Ok(Self { args, inputs, standard_input: None, assets })
    }

    fn read(&mut self, number: usize) -> Result<Vec<u8>> {
        let source = &self.inputs[number];
        if source.path().is_some() {
            return source.read();
        }
        if self.standard_input.is_none() {
            self.standard_input = Some(source.read()?);
        }
        Ok(self.standard_input.clone().unwrap_or_default())
    }

    fn open(&mut self, number: usize) -> Result<Model> {
        let bytes = self.read(number)?;
        let source = &self.inputs[number];
        let options = LoadOptions { md2_geometry: self.args.geometry.md2_geometry.into() };
        let mut model = input::parse(source, bytes, &options)?;
        let pose = &self.args.pose;
        input::add_anims(&mut model, source, pose)?;
        if pose.animation.is_none() && pose.animation_time.is_none() {
            input::add_anims_beside(&mut model, source);
        }
        console::model_warnings(source.name(), model.warnings());
        input::dress(&mut model, source, &self.assets)?;
        Ok(model)
    }

    /// What [`ModelSource::skins`] lists.
    fn choices(&self, number: usize, model: &Model) -> Vec<(SkinChoice, String)> {
        let name = |skin: usize| match model.skins().get(skin).map(|skin| skin.name()) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => skin.to_string(),
        };
        let mut choices: Vec<(SkinChoice, String)> = (0..polyset::skin_count(model))
            .map(|skin| (SkinChoice::Number(skin), name(skin)))
            .collect();
        let path = self.inputs[number].path().filter(|_| model.format() == Format::Md3);
        let files = path.map(polyset::skin_files).unwrap_or_default();
        choices.extend(files.into_iter().map(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (SkinChoice::File(file), name)
        }));
        choices
    }

    fn command(&self, number: usize, command: &RenderCommand, model: &Model) -> String {
        let mut words: Vec<OsString> = vec!["polyset".into(), "render".into()];
        let input = self.inputs[number].path().map_or(Path::new("-"), |path| path);
        let stem = input.file_stem().filter(|_| input != Path::new("-"));
        words.push(input.into());
        words.push(Path::new(stem.unwrap_or(OsStr::new("model"))).with_extension("png").into());
        words.extend(command.options.iter().map(OsString::from));
        let mut add = |option: &str, value: &OsStr| words.extend([option.into(), value.into()]);
        let chosen = command.skin.and_then(|skin| {
            self.choices(number, model).into_iter().nth(skin).map(|(choice, _)| choice)
        });
        match (&chosen, &self.assets.skin) {
            (Some(SkinChoice::Number(skin)), _) | (None, SkinChoice::Number(skin)) => {
                add("--skin", skin.to_string().as_ref());
            }
            (Some(SkinChoice::File(file)), _) | (None, SkinChoice::File(file)) => {
                add("--skin", file.as_os_str());
            }
            _ => {}
        }
        for (surface, file) in &self.assets.surface_files {
            let mut value = OsString::from(surface);
            value.push("=");
            value.push(file);
            add("--skin", &value);
        }
        for root in &self.assets.texture_roots {
            add("--texture-root", root.as_os_str());
        }
        for anim in &self.args.pose.anim {
            add("--anim", anim.as_os_str());
        }
        let palette = self.args.look.palette.as_ref().filter(|_| command.uses_given_palette);
        for (option, file) in
            [("--palette", palette), ("--colormap", self.args.look.colormap.as_ref())]
        {
            if let Some(file) = file {
                add(option, file.as_os_str());
            }
        }
        let geometry = self.args.geometry.md2_geometry;
        let is_standard = geometry == Md2GeometryArg::default();
        if let Some(value) = geometry.to_possible_value().filter(|_| !is_standard) {
            add("--md2-geometry", value.get_name().as_ref());
        }
        words.iter().map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }
}

impl ModelSource for Source<'_> {
    fn count(&self) -> usize {
        self.inputs.len()
    }

    fn name(&self, input: usize) -> String {
        console::printable(&self.inputs[input].name().display().to_string())
    }

    fn load(&mut self, input: usize) -> Result<Model, String> {
        self.open(input).map_err(|error| console::printable(&format!("{error:#}")))
    }

    fn skins(&self, input: usize, model: &Model) -> (Vec<String>, usize) {
        let choices = self.choices(input, model);
        let worn = choices.iter().position(|(choice, _)| *choice == self.assets.skin).unwrap_or(0);
        (choices.into_iter().map(|(_, name)| console::printable(&name)).collect(), worn)
    }

    fn dress(&mut self, input: usize, model: &mut Model, skin: usize) -> Result<(), String> {
        let choices = self.choices(input, model);
        let Some((skin, _)) = choices.into_iter().nth(skin) else {
            return Err("there is no such skin".into());
        };
        let options = AssetOptions { skin, ..self.assets.clone() };
        polyset::find_textures(model, self.inputs[input].path(), &options)
            .map_err(|error| error.to_string())
            .map(|_| ())
    }

    fn files(&self, input: usize) -> Vec<PathBuf> {
        let own = self.inputs[input].path().map(Path::to_path_buf);
        own.into_iter().chain(self.args.pose.anim.iter().cloned()).collect()
    }

    fn start(&self, model: &Model) -> Result<Start, String> {
        let args = &self.args.pose;
        let to_text = |error: anyhow::Error| format!("{error:#}");
        if args.frame.is_some() {
            let fixed = Some(plan::blend(args, model).map_err(to_text)?);
            return Ok(Start { fixed, ..Start::default() });
        }
        let time = args.animation_time.unwrap_or(0.0);
        let Some(name) = &args.animation else { return Ok(Start { time, ..Start::default() }) };
        let wanted = model.clip(name).map_err(|error| error.to_string())?;
        let clip = model.clips().iter().position(|clip| clip.name() == wanted.name()).unwrap_or(0);
        Ok(Start { clip, time, fixed: None })
    }

    fn camera(&self, pose: &Pose) -> Result<Camera, String> {
        plan::camera(&self.args.camera, pose).map_err(|error| format!("{error:#}"))
    }

    fn print_command(
        &mut self,
        input: usize,
        model: &Model,
        command: &RenderCommand,
    ) -> Result<(), String> {
        let line = self.command(input, command, model);
        output::stdout(format!("{line}\n").as_bytes()).map_err(|error| format!("{error:#}"))
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A file, or the models in a folder.
fn add_inputs(text: &OsStr, inputs: &mut Vec<Input>) -> Result<()> {
    let source = Input::from(text);
    let Some(path) = source.path() else {
        ensure!(inputs.iter().all(|input| input.path().is_some()), "the standard input comes once");
        inputs.push(source);
        return Ok(());
    };
    if !path.is_dir() {
        ensure_exists(path)?;
        inputs.push(source);
        return Ok(());
    }
    let mut found = Vec::new();
    models_in(path, MAX_DEPTH, &mut found)?;
    if found.is_empty() {
        bail!("no model in the folder '{}' (.mdl, .md2, .md3, .md5mesh)", path.display());
    }
    inputs.extend(found.into_iter().map(|file| Input::from(file.as_os_str())));
    Ok(())
}

fn ensure_exists(path: &Path) -> Result<()> {
    std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(())
}

/// Adds the models in a folder and those in it, sorted by name.
fn models_in(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder '{}'", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort_unstable();
    for path in paths {
        let is_model = || {
            let extension = path.extension().unwrap_or_default();
            EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
        };
        if path.is_dir() {
            // Links between folders may go round in circles.
            if depth > 0 && !path.is_symlink() {
                models_in(&path, depth - 1, found)?;
            }
        } else if is_model() {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_give_their_models_in_order() {
        let root = tempfile::tempdir().unwrap();
        for file in ["b/tris.MD2", "b/weapon.md2", "a.mdl", "c.txt", "d.md5mesh", "d.md5anim"] {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, b"").unwrap();
        }
        let mut inputs = Vec::new();
        add_inputs(root.path().as_os_str(), &mut inputs).unwrap();
        let names: Vec<String> = inputs
            .iter()
            .map(|input| input.name().strip_prefix(root.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["a.mdl", "b/tris.MD2", "b/weapon.md2", "d.md5mesh"]);
        let empty = root.path().join("empty");
        std::fs::create_dir(&empty).unwrap();
        for missing in [empty, root.path().join("nothing.md2")] {
            let error = add_inputs(missing.as_os_str(), &mut inputs).unwrap_err();
            assert!(format!("{error:#}").contains(&missing.display().to_string()));
        }
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("models/a.md2"), "models/a.md2");
        assert_eq!(quoted("my model's.md2"), r"'my model'\''s.md2'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn resolutions_and_backgrounds() {
        assert_eq!(internal_resolution("Window"), Ok(InternalResolution::Window));
        assert_eq!(internal_resolution("320x200"), Ok(InternalResolution::Fixed(320, 200)));
        assert!(internal_resolution("320").is_err());
        assert_eq!(background("102030"), Ok([16, 32, 48]));
        assert!(background("10203080").is_err());
    }
}
