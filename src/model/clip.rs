//! Clips: named stretches of frames with their timing, and the blend at a time.

use super::Model;

/// Two frames and how far to go from the first to the second. `t` = 0 is exactly `from`, 1 exactly
/// `to`. For MD5 the frames belong to animation `anim`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    /// Frame number in file order.
    pub from: usize,
    /// Frame number in file order.
    pub to: usize,
    /// 0..=1.
    pub t: f32,
    /// For skeletal models the animation that the frames belong to; 0 otherwise.
    pub anim: usize,
}

impl Blend {
    /// Exactly one frame.
    #[must_use]
    pub fn frame(frame: usize) -> Self {
        Self { from: frame, to: frame, t: 0.0, anim: 0 }
    }
}

/// A named sequence of frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    pub(crate) name: String,
    /// First frame in file order (of animation `anim` for skeletal models).
    pub(crate) first: usize,
    /// Number of frames, at least 1.
    pub(crate) count: usize,
    pub(crate) anim: usize,
    pub(crate) timing: Timing,
}

/// How long the frames of a [`Clip`] last.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Timing {
    /// Every frame lasts the same; the last blends into the first.
    Rate(f32),
    /// MDL groups: the END time of every frame, cumulative; the last is the period.
    EndTimes(Vec<f32>),
    /// MD5, as Doom 3 cycles: the last frame repeats the first, so `count - 1` intervals.
    Cyclic(f32),
}

/// No such clip; the message lists the names there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no animation '{wanted}'; this model has {}", list(.known))]
pub struct ClipError {
    wanted: String,
    known: Vec<String>,
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

impl Clip {
    /// The clip's name, unique in its model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// First frame in file order, and number of frames.
    #[must_use]
    pub fn frames(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }

    /// Seconds until the clip repeats; 0 for a single frame.
    #[must_use]
    pub fn duration(&self) -> f32 {
        if self.count < 2 {
            return 0.0;
        }
        match &self.timing {
            Timing::Rate(rate) => self.count as f32 / rate,
            Timing::EndTimes(ends) => ends.last().copied().unwrap_or(0.0),
            Timing::Cyclic(rate) => (self.count - 1) as f32 / rate,
        }
    }
}

impl Model {
    /// The clip called `name`, or the clip of that number if `name` is a number.
    ///
    /// # Errors
    /// If there is none; the message lists the names.
    pub fn clip(&self, name: &str) -> Result<&Clip, ClipError> {
        let by_name = self.clips.iter().find(|clip| clip.name.eq_ignore_ascii_case(name));
        let by_number = || name.parse::<usize>().ok().and_then(|index| self.clips.get(index));
        by_name.or_else(by_number).ok_or_else(|| ClipError {
            wanted: name.into(),
            known: self.clips.iter().map(|clip| clip.name.clone()).collect(),
        })
    }
}
