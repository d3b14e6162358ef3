//! The models of `polyset view`: which there are, how they are read and dressed.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use polyset::{
    AssetOptions, Camera, Format, LoadOptions, Model, ModelSource, Pose, RenderCommand, SkinChoice,
    Start, Transform,
};

use super::args::Md2GeometryArg;
use super::console;
use super::input::{self, Input};
use super::output;
use super::plan;
use super::view::ViewArgs;

/// Folders within folders are gone through so deep.
const MAX_DEPTH: usize = 16;
/// Names of model files end so.
const EXTENSIONS: [&str; 4] = ["mdl", "md2", "md3", "md5mesh"];

/// The models of the command line.
pub(crate) struct Source<'a> {
    args: &'a ViewArgs,
    inputs: Vec<Input>,
    /// The standard input can be read only once.
    standard_input: Option<Vec<u8>>,
    pub(crate) assets: AssetOptions,
    /// Inputs whose warnings were printed.
    warned: BTreeSet<usize>,
}

impl<'a> Source<'a> {
    /// # Errors
    /// If an input does not exist, or the palette cannot be read.
    pub(crate) fn new(args: &'a ViewArgs) -> Result<Self> {
        let mut inputs = Vec::new();
        for text in &args.inputs {
            add_inputs(text, &mut inputs)?;
        }
        let assets = input::asset_options(&args.look, 0.0)?;
        Ok(Self { args, inputs, standard_input: None, assets, warned: BTreeSet::new() })
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
        // Who goes back and forth need not be told again.
        if self.warned.insert(number) {
            console::model_warnings(source.name(), model.warnings());
            input::dress(&mut model, source, &self.assets)?;
        } else {
            polyset::find_textures(&mut model, source.path(), &self.assets).context("--skin")?;
        }
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
        let stands = Transform::IDENTITY;
        plan::camera(&self.args.camera, pose, &stands).map_err(|error| format!("{error:#}"))
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
}
