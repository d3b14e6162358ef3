//! A picture and what it is compared with.

use std::path::PathBuf;

use super::file::Line;
use crate::compare::Tolerance;
use crate::scene::Scene;
use crate::scene::command::line_of;

/// A picture that a scene file asks for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// Words of letters, digits, `-`, `_` and `.` with `/` between them; no two of a scene file are alike.
    pub name: String,
    /// Where the scene stands.
    pub place: Line,
    /// The picture, or why there is none.
    pub scene: Result<Scene, String>,
    /// What it is compared with.
    pub reference: Reference,
    /// What counts as a difference.
    pub tolerance: Tolerance,
    /// Why it is known to differ.
    pub known_failure: Option<String>,
}

/// What a picture is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// A PNG.
    Picture(PathBuf),
    /// [`crate::Image::hash`], which stands in the scene file; `None` if there is none yet.
    Hash(Option<u64>),
    /// The line of this name in a file as `polyset hash` writes it.
    Hashes(PathBuf),
}

impl Case {
    /// The `polyset render` command that draws the picture, into a file that is hardly a reference: nobody who runs
    /// it to look at the picture should have blessed it.
    #[must_use]
    pub fn command(&self) -> Option<String> {
        let scene = self.scene.as_ref().ok()?;
        let words = scene.command_of("render", "drawn.png", Vec::new());
        Some(line_of(&words).to_string_lossy().into_owned())
    }
}
