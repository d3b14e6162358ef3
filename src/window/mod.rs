//! The interactive window.
mod font;
mod keys;
mod orbit;
mod present;
mod watch;
pub use keys::key_list;
