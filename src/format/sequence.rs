//! Frame names to clips.
//!
//! Keyframe files name every frame, and artists number them: `run1..run6`, but also `pain101` for
//! the first frame of the first of several pains. A clip is a run of frames whose word is the same
//! and whose number counts up by one.

use std::collections::HashMap;

use crate::model::{Clip, Timing};

/// Frames per second of every format that does not say.
pub(super) const RATE: f32 = 10.0;

/// The sequences of a Quake II player model, by the game's fixed frame numbers.
const PLAYER: [(&str, usize); 20] = [
    ("stand", 0),
    ("run", 40),
    ("attack", 46),
    ("pain1", 54),
    ("pain2", 58),
    ("pain3", 62),
    ("jump", 66),
    ("flip", 72),
    ("salute", 84),
    ("taunt", 95),
    ("wave", 112),
    ("point", 123),
    ("crstnd", 135),
    ("crwalk", 154),
    ("crattak", 160),
    ("crpain", 169),
    ("crdeath", 173),
    ("death1", 178),
    ("death2", 184),
    ("death3", 190),
];

/// Number of frames of a Quake II player model.
const PLAYER_FRAMES: usize = 198;

/// A frame name taken apart: lower-case word and the digits at its end.
struct Parts {
    word: String,
    digits: String,
}

impl Parts {
    fn of(name: &str) -> Self {
        let name = name.trim().to_lowercase();
        let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
        Self { word: word.into(), digits: name[word.len()..].into() }
    }

    fn number(&self) -> Option<u64> {
        self.digits.parse().ok()
    }

    fn is_followed_by(&self, next: &Self) -> bool {
        let counts_up = match (self.number(), next.number()) {
            (Some(number), Some(next)) => number.checked_add(1) == Some(next),
            (None, None) => self.digits.is_empty() && next.digits.is_empty(),
            _ => false,
        };
        self.word == next.word && counts_up
    }

    /// The clip that begins with this frame: the digits that count its frames are left away, those
    /// that number the clip stay (`pain101` begins `pain1`, `run1` begins `run`).
    fn clip_name(&self) -> String {
        let counts = |at: &usize| self.digits[*at..].parse().is_ok_and(|value: u64| value <= 1);
        let prefix = (0..self.digits.len()).find(counts).unwrap_or(self.digits.len());
        if prefix == 0 {
            let bare = self.word.trim_end_matches(['_', '-', '.', ' ']);
            return if bare.is_empty() { "frames".into() } else { bare.into() };
        }
        format!("{}{}", self.word, &self.digits[..prefix])
    }
}

/// The name of the clip that begins with a frame of this name.
pub(super) fn clip_name(frame: &str) -> String {
    Parts::of(frame).clip_name()
}

/// The clips of consecutive single frames, of which the first is number `first` of its model.
/// Names may repeat; see [`make_names_unique`].
pub(super) fn clips<'a>(names: impl IntoIterator<Item = &'a str>, first: usize) -> Vec<Clip> {
    let mut clips: Vec<Clip> = Vec::new();
    let mut previous: Option<Parts> = None;
    for (frame, name) in names.into_iter().enumerate() {
        let parts = Parts::of(name);
        match clips.last_mut() {
            Some(clip) if previous.as_ref().is_some_and(|p| p.is_followed_by(&parts)) => {
                clip.count += 1;
            }
            _ => clips.push(clip(parts.clip_name(), first + frame, 1)),
        }
        previous = Some(parts);
    }
    clips
}

/// The clips of an MD2: by name, or by the game's table for a player model whose frame names say
/// nothing (all one sequence, or every frame its own).
pub(super) fn md2_clips<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Clip> {
    let mut clips = clips(names, 0);
    let frames: usize = clips.iter().map(|clip| clip.count).sum();
    if frames == PLAYER_FRAMES && (clips.len() == 1 || clips.len() == frames) {
        let ends = PLAYER.iter().skip(1).map(|&(_, first)| first).chain([PLAYER_FRAMES]);
        clips = PLAYER
            .iter()
            .zip(ends)
            .map(|(&(name, first), end)| clip(name.into(), first, end - first))
            .collect();
    }
    make_names_unique(&mut clips);
    clips
}

fn clip(name: String, first: usize, count: usize) -> Clip {
    Clip { name, first, count, anim: 0, timing: Timing::Rate(RATE) }
}

/// Appends `#2`, `#3` ... to the second, third ... clip of a name.
pub(super) fn make_names_unique(clips: &mut [Clip]) {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for clip in clips {
        let base = clip.name.clone();
        let mut number = seen.get(&base).map_or(1, |n| n + 1);
        if number > 1 {
            clip.name = format!("{base}#{number}");
            while seen.contains_key(&clip.name) {
                number += 1;
                clip.name = format!("{base}#{number}");
            }
            seen.insert(clip.name.clone(), 1);
        }
        seen.insert(base, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(word: &str, range: std::ops::RangeInclusive<u32>, width: usize) -> Vec<String> {
        range.map(|n| format!("{word}{n:0width$}")).collect()
    }

    fn summary(names: &[Vec<String>]) -> Vec<(String, usize, usize)> {
        let names: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
        md2_clips(names.iter().copied()).into_iter().map(|c| (c.name, c.first, c.count)).collect()
    }

    #[test]
    fn numbers_that_name_the_clip_stay_apart() {
        let names = [
            numbered("stand", 1..=40, 2),
            numbered("run", 1..=6, 1),
            numbered("pain", 101..=104, 1),
            numbered("pain", 201..=204, 1),
            numbered("death", 101..=106, 1),
            numbered("death", 201..=206, 1),
            numbered("death", 301..=308, 1),
        ];
        let expected = [
            ("stand", 0, 40),
            ("run", 40, 6),
            ("pain1", 46, 4),
            ("pain2", 50, 4),
            ("death1", 54, 6),
            ("death2", 60, 6),
            ("death3", 66, 8),
        ];
        let expected = expected.map(|(name, first, count)| (name.to_owned(), first, count));
        assert_eq!(summary(&names), expected);
    }

    #[test]
    fn clips_are_named_by_what_does_not_count() {
        let cases = [
            ("death3001", "death3"),
            ("Stand01", "stand"),
            ("frame_1", "frame"),
            ("pain_101", "pain_1"),
            ("attack", "attack"),
            ("", "frames"),
            ("000", "frames"),
            ("swing7", "swing7"),
            ("x99999999999999999999999", "x99999999999999999999999"),
        ];
        for (frame, name) in cases {
            assert_eq!(clip_name(frame), name, "{frame}");
        }
    }

    #[test]
    fn equal_names_are_told_apart() {
        let names = [numbered("run", 1..=2, 1), numbered("run", 1..=3, 1), vec!["run#2".into()]];
        let names: Vec<String> = summary(&names).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["run", "run#2", "run#2#2"]);
    }

    #[test]
    fn a_player_model_without_names_gets_the_games_table() {
        let summary = summary(&[vec![String::new(); 198]]);
        assert_eq!(summary.len(), 20);
        assert_eq!(summary[2], ("attack".to_owned(), 46, 8));
        assert_eq!(summary[19], ("death3".to_owned(), 190, 8));
    }
}
