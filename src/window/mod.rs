//! The interactive window (feature `window`).
//!
//! [`view`] opens it. User events (from `backend`, or a log) go into a plain state machine (`state`,
//! with `keys`, `settings`, `playback`, `orbit`), the `viewer` draws what the state says (`picture`,
//! `present`, `overlay`, `font`), and `run` holds it all to the clock.

mod keys;

mod event;
mod facts;
mod watch;

mod log;
mod orbit;
mod overlay;
mod playback;
mod present;
mod settings;
mod source;

mod state;

mod picture;

mod backend;
mod viewer;

mod run;
mod save;

#[cfg(test)]
mod tests;

pub use run::view;
pub use settings::InternalResolution;
pub use source::{OnCommand, OnOpen, Shown, ViewOptions, WindowSystem};
