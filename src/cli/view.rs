//! `polyset view`: the window.

use std::ffi::{OsStr, OsString};
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use polyset::scene::options::Command;
use polyset::scene::{Files, Input, Models};
use polyset::{InternalResolution, Scene, Shown, ViewOptions, WindowSystem};

use super::arguments::{self, Given, INPUT};
use super::console;
use super::output;

pub(crate) fn command() -> clap::Command {
    let inputs = Arg::new(INPUT)
        .value_parser(value_parser!(OsString))
        .required_unless_present_any(["keys", "game"])
        .action(ArgAction::Append)
        .num_args(1..)
        .help("Models, or folders and archives of models; with --game names in it, all of its models if none is given; `-` is the standard input");
    arguments::subcommand("view", Command::View, "Look at models in a window").arg(inputs)
}

/// Opens the window and shows the inputs until it is closed.
///
/// # Errors
/// If an input does not exist, an option is bad, or there is no display.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let started = Instant::now();
    let given = Given::new(Command::View, matches)?;
    if given.has("keys") {
        return output::stdout(ViewOptions::keys().as_bytes());
    }
    start_without_compose();
    if given.has("quiet") {
        console::be_quiet();
    }
    let mut inputs = Vec::new();
    let scene = given.scene(OsStr::new("-"));
    let texts: Vec<OsString> =
        matches.get_raw(INPUT).into_iter().flatten().map(OsStr::to_owned).collect();
    for text in &texts {
        add_inputs(&scene, text, &mut inputs)?;
    }
    if inputs.is_empty() {
        let models = scene.game_models()?;
        models.warnings.iter().for_each(console::warning);
        inputs.extend(models.pictures().into_iter().map(Input::File));
        ensure!(!inputs.is_empty(), "the game has no model (.mdl, .md2, .md3, .md5mesh)");
    }
    let mut options = options(given, started)?;
    let listed = scene.clone();
    options.list_inputs = Some(Box::new(move |files| list_again(&listed, &texts, files)));
    Ok(polyset::view(inputs, scene, options)?)
}

/// The libraries of the window read all sequences of the Compose key, and speak with input methods, before
/// they open it: two thirds of its start, for text that nobody types there. The environment tells them
/// not to, so the program starts itself once more.
#[cfg(all(unix, not(target_os = "macos")))]
fn start_without_compose() {
    use std::os::unix::process::CommandExt;

    // The locale of nobody has few; nothing else here asks for one.
    const FEW_SEQUENCES: (&str, &str) = ("LC_ALL", "C");
    const NO_METHOD: (&str, &str) = ("XMODIFIERS", "@im=none");
    let is_set =
        |(name, value): (&str, &str)| std::env::var_os(name).is_some_and(|set| set == value);
    if is_set(FEW_SEQUENCES) && is_set(NO_METHOD) {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        // It comes back only if it cannot start; then the window opens all the same, later.
        let _ = std::process::Command::new(program)
            .args(std::env::args_os().skip(1))
            .envs([FEW_SEQUENCES, NO_METHOD])
            .exec();
    }
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn start_without_compose() {}

/// `--window-backend`
fn system(backend: &str) -> Result<WindowSystem> {
    let system = match backend {
        "x11" => WindowSystem::X11,
        "wayland" => WindowSystem::Wayland,
        _ => return Ok(WindowSystem::Auto),
    };
    let has_choice = cfg!(all(unix, not(target_os = "macos")));
    ensure!(has_choice, "--window-backend: this system has only one");
    Ok(system)
}

fn options(given: Given<'_>, started: Instant) -> Result<ViewOptions> {
    let internal_resolution = match given.size("internal-resolution") {
        Some([width, height]) => InternalResolution::Fixed(width, height),
        None => InternalResolution::Window,
    };
    Ok(ViewOptions {
        internal_resolution,
        size: given.size("resolution"),
        system: system(given.text("window-backend").unwrap_or("auto"))?,
        paused: given.has("paused"),
        interpolation: given.text("interpolation") != Some("off"),
        turntable: given.has("turntable"),
        show: shown(given.text("show"))?,
        messages: !given.has("no-messages"),
        watch: given.has("watch"),
        list_inputs: None,
        record: given.file("record"),
        play: given.file("play"),
        screenshot_folder: given.file("screenshot-folder").unwrap_or_default(),
        renderer: given.renderer()?,
        started,
        on_open: Box::new(|_, opened| console::warnings_of(opened)),
        on_error: Box::new(|_, error| console::failure(&error.to_string())),
        on_command: Box::new(output::line),
    })
}

/// `--show`
fn shown(words: Option<&str>) -> Result<Shown> {
    let mut shown = Shown::default();
    for word in words.into_iter().flat_map(|words| words.split(',')) {
        let flags = [
            ("keys", &mut shown.keys),
            ("name", &mut shown.name),
            ("facts", &mut shown.facts),
            ("stats", &mut shown.stats),
            ("axes", &mut shown.axes),
            ("timeline", &mut shown.timeline),
            ("edges", &mut shown.edges),
            ("normals", &mut shown.normals),
            ("bones", &mut shown.bones),
            ("grid", &mut shown.grid),
            ("pick", &mut shown.pick),
            ("palette", &mut shown.palette),
        ];
        let known: Vec<&str> = flags.iter().map(|(name, _)| *name).collect();
        match flags.into_iter().find(|(name, _)| *name == word.trim()) {
            Some((_, flag)) => *flag = true,
            None => bail!("--show '{word}': expected {}", known.join(", ")),
        }
    }
    Ok(shown)
}

/// The models that are now in the folders and archives, or in the game if nothing was named; what
/// cannot be listed has none.
fn list_again(scene: &Scene, texts: &[OsString], files: &Files) -> Vec<Input> {
    let models_of = |text: &OsString| {
        let mut scene = scene.clone();
        scene.source.input = Input::from(text.as_os_str());
        let is_place = !scene.is_player_in(files).ok()?;
        scene.models_in(files).ok().flatten().filter(|_| is_place)
    };
    let mut found: Vec<Models> = texts.iter().filter_map(models_of).collect();
    if texts.is_empty() {
        found.extend(scene.game_models_in(files));
    }
    found.iter().flat_map(Models::pictures).map(Input::File).collect()
}

/// A file, or the models in a folder or an archive.
fn add_inputs(scene: &Scene, text: &OsStr, inputs: &mut Vec<Input>) -> Result<()> {
    let mut scene = scene.clone();
    scene.source.input = Input::from(text);
    let is_second = scene.source.input == Input::Stdin && inputs.contains(&Input::Stdin);
    ensure!(!is_second, "the standard input comes once");
    let (found, warnings) = scene.inputs()?;
    warnings.iter().for_each(console::warning);
    inputs.extend(found);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_and_empty_folders_are_named() {
        let root = tempfile::tempdir().unwrap();
        for missing in [root.path().to_owned(), root.path().join("nothing.md2")] {
            let error =
                add_inputs(&Scene::default(), missing.as_os_str(), &mut Vec::new()).unwrap_err();
            assert!(format!("{error:#}").contains(&missing.display().to_string()));
        }
    }

    #[test]
    fn what_is_shown_is_a_list_of_words() {
        let expected = Shown { name: true, axes: true, ..Shown::default() };
        assert_eq!(shown(Some("name, axes")).unwrap(), expected);
        assert!(shown(Some("name,everything")).is_err());
    }
}
