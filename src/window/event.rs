//! What the user does to a window.

use std::path::PathBuf;

use super::keys::Key;

/// What the user did with keys, mouse or window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    Key {
        key: Key,
        shift: bool,
    },
    /// Window pixels.
    Press {
        button: Button,
        at: [i32; 2],
        held: Held,
    },
    Release(Button),
    Move([i32; 2]),
    /// Steps, away from the user is positive.
    Wheel {
        steps: f32,
        held: Held,
    },
    /// Width and height of the window.
    Resize([u32; 2]),
    /// A file or folder was dropped on the window.
    Drop(PathBuf),
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Button {
    Left,
    Middle,
    Right,
}

/// Keys that are held while the mouse does something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) shift: bool,
    pub(crate) ctrl: bool,
}
