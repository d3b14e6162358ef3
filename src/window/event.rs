//! What the user does to a window.

use super::keys::Key;

/// What the user did with keys, mouse or window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    Key {
        key: Key,
        shift: bool,
    },
    /// Window pixels.
    Press {
        button: Button,
        at: [i32; 2],
        shift: bool,
    },
    Release(Button),
    Move([i32; 2]),
    /// Steps, away from the user is positive.
    Wheel(f32),
    /// Width and height of the window.
    Resize([u32; 2]),
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Button {
    Left,
    Middle,
    Right,
}
