//! How a window begins: the window's side of the command line.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Instant;

use super::keys;
use super::settings::InternalResolution;
use crate::raster::Renderer;
use crate::scene::{Input, Opened};

/// Is told of an input that was read.
pub type OnOpen = Box<dyn FnMut(&Input, &Opened)>;
/// Takes a command line.
pub type OnCommand = Box<dyn FnMut(&OsStr) -> std::io::Result<()>>;

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
    /// Told when an input is read for the first time: its warnings are for somebody.
    pub on_open: OnOpen,
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

/// Texts over the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The list of keys.
    pub keys: bool,
    /// Name, clip and frame, skin.
    pub name: bool,
    /// Numbers of surfaces, vertices, frames.
    pub facts: bool,
    /// Frames a second and the time of every stage.
    pub stats: bool,
    /// The axes of the model.
    pub axes: bool,
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
            record: None,
            play: None,
            screenshot_folder: PathBuf::new(),
            renderer: Renderer::new(),
            started: Instant::now(),
            on_open: Box::new(|_, _| {}),
            on_command: Box::new(|_| Ok(())),
        }
    }
}
