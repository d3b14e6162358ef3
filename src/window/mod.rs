//! The interactive window (feature `window`).
//!
//! [`view`] opens it. User events (from `backend`, or a log) go into a plain state machine (`state`,
//! with `keys`, `settings`, `playback`, `orbit`), the `viewer` draws what the state says (`picture`,
//! `present`, `overlay`, `font`), and `run` holds it all to the clock.

mod keys;

mod event;
mod facts;
mod finish;
mod list;
mod watch;

mod canvas;
mod help;
mod list_layout;
mod list_panel;
mod log;
mod notices;
mod orbit;
mod overlay;
mod playback;
mod present;
mod preview;
mod running;
mod settings;
mod source;
mod watching;

mod state;
mod timeline;

mod marks;
mod pick;
mod picture;
mod swatches;

mod backend;
mod viewer;

mod aim;
mod lines;
mod versus;

mod run;
mod save;

#[cfg(test)]
mod listing_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod watching_tests;

pub use run::view;
pub use settings::InternalResolution;
pub use source::{ListInputs, OnCommand, OnError, OnOpen, Shown, ViewOptions, WindowSystem};
