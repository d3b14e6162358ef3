//! Where the window's models come from and how it begins: the window's side of the command line.

use std::path::PathBuf;
use std::time::Instant;

use super::settings::{InternalResolution, PictureColors};
use crate::camera::Camera;
use crate::look::{Lighting, Look};
use crate::model::{Blend, Model};
use crate::pose::Pose;
use crate::raster::Renderer;

/// The models that a window goes through. Numbers of inputs count from 0.
///
/// Errors are texts for people; the window shows them and goes on.
pub trait ModelSource {
    /// How many inputs there are, at least 1.
    fn count(&self) -> usize;

    /// What an input is called in the window.
    fn name(&self, input: usize) -> String;

    /// Reads an input with its animations and textures.
    ///
    /// # Errors
    /// If it cannot be read or is no model.
    fn load(&mut self, input: usize) -> Result<Model, String>;

    /// Names of the skins to choose from, and the number of the one that [`ModelSource::load`] puts
    /// on.
    fn skins(&self, input: usize, model: &Model) -> (Vec<String>, usize);

    /// Puts a skin on.
    ///
    /// # Errors
    /// If its picture cannot be used.
    fn dress(&mut self, input: usize, model: &mut Model, skin: usize) -> Result<(), String>;

    /// The files that an input comes from, for watching them.
    fn files(&self, input: usize) -> Vec<PathBuf>;

    /// Where a model's animation begins.
    ///
    /// # Errors
    /// If what was asked for does not exist in this model; it then begins with the first clip.
    fn start(&self, model: &Model) -> Result<Start, String>;

    /// The camera that a model is first seen by.
    ///
    /// # Errors
    /// If the camera that was asked for cannot be; the model is then framed.
    fn camera(&self, pose: &Pose) -> Result<Camera, String>;

    /// Takes how `polyset render` would draw the picture that the window shows.
    ///
    /// # Errors
    /// If it cannot be written.
    fn print_command(
        &mut self,
        input: usize,
        model: &Model,
        command: &RenderCommand,
    ) -> Result<(), String>;
}

/// How `polyset render` draws what a window shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderCommand {
    /// Options with their values, except those below.
    pub options: Vec<String>,
    /// The skin that was chosen by key; `None` is the one that the model began with.
    pub skin: Option<usize>,
    /// The palette of [`ViewOptions::look`] is in use.
    pub uses_given_palette: bool,
}

/// The beginning of an animation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Start {
    /// Number of the clip.
    pub clip: usize,
    /// Seconds.
    pub time: f32,
    /// Exactly these frames, not playing.
    pub fixed: Option<Blend>,
}

/// How a window begins. Everything can be changed by keys while it is open.
#[derive(Debug)]
pub struct ViewOptions {
    /// How models are drawn, except what stands below.
    pub look: Look,
    /// Colours and samples of the picture at first.
    pub colors: PictureColors,
    /// The lighting style; `None` is that of each model's format.
    pub lighting: Option<Lighting>,
    /// Draw with the classic renderer.
    pub classic: bool,
    /// The size of the picture before it is enlarged.
    pub resolution: InternalResolution,
    /// Width and height of the window in pixels; `None` suits the resolution.
    pub size: Option<[u32; 2]>,
    /// The colour behind the model.
    pub background: Option<[u8; 3]>,
    /// Begin without playing.
    pub paused: bool,
    /// Blend between frames; otherwise as the first engines, ten frames a second.
    pub interpolation: bool,
    /// Turn the model.
    pub turntable: bool,
    /// Begin with the list of keys.
    pub help: bool,
    /// Show name and clip.
    pub names: bool,
    /// Show the model's facts.
    pub facts: bool,
    /// Show frames a second and stage times.
    pub stats: bool,
    /// Show the axes.
    pub axes: bool,
    /// Say for a moment what a key has changed.
    pub messages: bool,
    /// Read a model again when its file changes.
    pub watch: bool,
    /// Write what keys and mouse do to this file.
    pub record: Option<PathBuf>,
    /// Do what such a file says.
    pub play: Option<PathBuf>,
    /// Where screenshots go; empty is the current folder.
    pub screenshot_folder: PathBuf,
    /// Draws the pictures.
    pub renderer: Renderer,
    /// When the program began; the time to the first picture is counted from here.
    pub started: Instant,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            look: Look::default(),
            colors: PictureColors::default(),
            lighting: None,
            classic: false,
            resolution: InternalResolution::Window,
            size: None,
            background: None,
            paused: false,
            interpolation: true,
            turntable: false,
            help: false,
            names: false,
            facts: false,
            stats: false,
            axes: false,
            messages: true,
            watch: false,
            record: None,
            play: None,
            screenshot_folder: PathBuf::new(),
            renderer: Renderer::new(),
            started: Instant::now(),
        }
    }
}
