//! How a window begins: the window's side of the command line.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Instant;

use super::keys;
use super::settings::InternalResolution;
use crate::error::OpenError;
use crate::raster::Renderer;
use crate::scene::{Files, Input, Opened};

/// Is told of an input that was read.
pub type OnOpen = Box<dyn FnMut(&Input, &Opened)>;
/// Is told why an input cannot be read.
pub type OnError = Box<dyn FnMut(&Input, &OpenError)>;
/// Takes a command line.
pub type OnCommand = Box<dyn FnMut(&OsStr) -> std::io::Result<()>>;

/// Lists the inputs as they are now, looking at the disk through what it is given.
pub type ListInputs = Box<dyn FnMut(&Files) -> Vec<Input>>;

/// How a window begins. Everything can be changed by keys while it is open.
pub struct ViewOptions {
    /// The size of the picture before it is enlarged.
    pub internal_resolution: InternalResolution,
    /// Width and height of the window in pixels; `None` suits the resolution.
    pub size: Option<[u32; 2]>,
    /// What opens the window.
    pub system: WindowSystem,
    /// Begin without playing.
    pub paused: bool,
    /// Blend between frames; otherwise as the first engines, ten frames a second.
    pub interpolation: bool,
    /// Turn the model.
    pub turntable: bool,
    /// Begin with these shown.
    pub show: Shown,
    /// Say for a moment what a key has changed.
    pub messages: bool,
    /// Read a model again when anything changes that it was made of.
    pub watch: bool,
    /// With [`ViewOptions::watch`] asked again when a folder or an archive has changed that it looked
    /// at; inputs that are new come behind the others.
    pub list_inputs: Option<ListInputs>,
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
    /// Told when an input is read for the first time: its warnings are for somebody.
    pub on_open: OnOpen,
    /// Told whenever an input cannot be read, which the window says too.
    pub on_error: OnError,
    /// Takes the `polyset render` command that draws what the window shows, when a key asks for it.
    pub on_command: OnCommand,
}

/// The system that opens the window, where there are several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowSystem {
    /// Wayland if there is a compositor, else X11; elsewhere the only one.
    #[default]
    Auto,
    /// X11, also that of a compositor (XWayland).
    X11,
    /// Wayland.
    Wayland,
}

/// What lies over the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Shown {
    /// The list of keys.
    pub keys: bool,
    /// Name, clip and frame, skin.
    pub name: bool,
    /// Numbers of surfaces, vertices, frames.
    pub facts: bool,
    /// Frames a second and the time of every stage.
    pub stats: bool,
    /// The axes of the model, and its tags.
    pub axes: bool,
    /// The frames of the clip, at the bottom.
    pub timeline: bool,
    /// The triangles' edges that can be seen.
    pub edges: bool,
    /// The vertices' normals.
    pub normals: bool,
    /// Joints with their names, and the bones between them.
    pub bones: bool,
    /// The ground, and the box around the model.
    pub grid: bool,
    /// What is under the pointer.
    pub pick: bool,
    /// The palette, and which colours the picture uses.
    pub palette: bool,
}

impl ViewOptions {
    /// The keys of the window as text, group by group.
    #[must_use]
    pub fn keys() -> String {
        keys::key_list()
    }
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            internal_resolution: InternalResolution::Window,
            size: None,
            system: WindowSystem::Auto,
            paused: false,
            interpolation: true,
            turntable: false,
            show: Shown::default(),
            messages: true,
            watch: false,
            list_inputs: None,
            record: None,
            play: None,
            screenshot_folder: PathBuf::new(),
            renderer: Renderer::new(),
            started: Instant::now(),
            on_open: Box::new(|_, _| {}),
            on_error: Box::new(|_, _| {}),
            on_command: Box::new(|_| Ok(())),
        }
    }
}
