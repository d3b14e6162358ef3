//! What keys go through: the clips, skins and weapons of the model that is shown.

use super::keys::{Body, Direction};
use crate::location::Location;
use crate::model::{Clip, Format};

/// What the state must know of a model.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) format: Format,
    pub(crate) clips: Vec<Clip>,
    pub(crate) frames: usize,
    /// Names of the frames, empty for those that have none.
    pub(crate) frame_names: Vec<String>,
    /// Names of the skins to choose from.
    pub(crate) skins: Vec<String>,
    /// The one that the model wears unless a key chooses another.
    pub(crate) worn: usize,
    /// What the model really wears, if that tells more than the name of the skin.
    pub(crate) on_model: Option<String>,
    /// Clips of a player's legs and torso; empty for other models.
    pub(crate) legs: Vec<String>,
    pub(crate) torso: Vec<String>,
    /// What a player can hold.
    pub(crate) weapons: Vec<Location>,
}

impl Facts {
    /// The clip of a part after or before the one that is chosen; `None` is that of the whole player, which
    /// comes before the first.
    pub(crate) fn next_clip(
        &self,
        body: Body,
        chosen: Option<&str>,
        direction: Direction,
    ) -> Option<String> {
        let clips = self.clips_of(body);
        let is_chosen = |name: &String| chosen.is_some_and(|clip| name.eq_ignore_ascii_case(clip));
        let at = clips.iter().position(is_chosen).map_or(0, |clip| clip + 1);
        let next = direction.step(at, clips.len() + 1).checked_sub(1);
        next.map(|clip| clips[clip].clone())
    }

    pub(crate) fn clips_of(&self, body: Body) -> &[String] {
        match body {
            Body::Legs => &self.legs,
            Body::Torso => &self.torso,
        }
    }
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            format: Format::Parts,
            clips: Vec::new(),
            frames: 0,
            frame_names: Vec::new(),
            skins: Vec::new(),
            worn: 0,
            on_model: None,
            legs: Vec::new(),
            torso: Vec::new(),
            weapons: Vec::new(),
        }
    }
}
