//! The interactive window (feature `window`).
//!
//! [`view`] opens it. Events of hands (`backend`, or a log) go into a plain state machine (`state`,
//! with `keys`, `settings`, `playback`, `orbit`), the `viewer` draws what the state says (`scene`,
//! `present`, `overlay`, `font`), and `run` holds it all to the clock.

mod font;
mod keys;

mod event;
mod watch;

mod log;
mod orbit;
mod overlay;
mod playback;
mod present;
mod settings;
mod source;
mod state;

mod scene;

mod backend;
mod viewer;

mod run;

#[cfg(test)]
mod tests;

pub use keys::key_list;
pub use log::LogError;
pub use run::{ViewError, view};
pub use settings::{InternalResolution, PictureColors};
pub use source::{ModelSource, RenderCommand, Start, ViewOptions};
