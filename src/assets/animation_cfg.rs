//! `animation.cfg` of Quake III: the clips of a player, one table for the parts of its body.
//!
//! The file counts frames as if one model held those of BOTH, then TORSO, then LEGS. `upper.md3` has them
//! so; `lower.md3` has no torso frames, so its LEGS rows lie that much nearer to the beginning. A head
//! never moves.

use crate::error::{Place, Warning};
use crate::files::{Files, Home, Limit};
use crate::model::{Clip, Format, Model, Timing};
use crate::tokens::{Token, Tokens};

/// The rows by their number; the last six came with Team Arena.
const NAMES: [&str; 31] = [
    "BOTH_DEATH1",
    "BOTH_DEAD1",
    "BOTH_DEATH2",
    "BOTH_DEAD2",
    "BOTH_DEATH3",
    "BOTH_DEAD3",
    "TORSO_GESTURE",
    "TORSO_ATTACK",
    "TORSO_ATTACK2",
    "TORSO_DROP",
    "TORSO_RAISE",
    "TORSO_STAND",
    "TORSO_STAND2",
    "LEGS_WALKCR",
    "LEGS_WALK",
    "LEGS_RUN",
    "LEGS_BACK",
    "LEGS_SWIM",
    "LEGS_JUMP",
    "LEGS_LAND",
    "LEGS_JUMPB",
    "LEGS_LANDB",
    "LEGS_IDLE",
    "LEGS_IDLECR",
    "LEGS_TURN",
    "TORSO_GETFLAG",
    "TORSO_GUARDBASE",
    "TORSO_PATROL",
    "TORSO_FOLLOWME",
    "TORSO_AFFIRMATIVE",
    "TORSO_NEGATIVE",
];

/// The first row of the torso, and that of the legs: they say how many torso frames lie between.
const TORSO: usize = 6;
const LEGS: usize = 13;
/// Behind the legs' rows.
const LEGS_END: usize = 25;
/// Clips that the game makes of others by playing them backwards.
const BACKWARDS: [(&str, usize); 2] = [("LEGS_BACKCR", 13), ("LEGS_BACKWALK", 14)];
/// Frames a second: no faster row is one of a player.
const FASTEST: f32 = 1000.0;

/// A part of a Quake III player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BodyPart {
    Lower,
    Upper,
    Head,
}

impl BodyPart {
    /// All, what carries the next first.
    pub(crate) const ALL: [Self; 3] = [Self::Lower, Self::Upper, Self::Head];

    /// The part's file without `.md3`.
    pub(crate) fn stem(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Head => "head",
        }
    }

    /// The part that a file called `stem` without its extension is, in any level of detail: `lower_2`.
    pub(crate) fn of_stem(stem: &str) -> Option<Self> {
        let stem = stem.to_ascii_lowercase();
        let is_level = |rest: &str| match rest.strip_prefix('_') {
            Some(level) => level.len() == 1 && level.bytes().all(|b| b.is_ascii_digit()),
            None => rest.is_empty(),
        };
        Self::ALL.into_iter().find(|part| stem.strip_prefix(part.stem()).is_some_and(is_level))
    }

    /// The clip that the part rests in.
    pub(crate) fn idle(self) -> &'static str {
        match self {
            Self::Lower => "LEGS_IDLE",
            Self::Upper => "TORSO_STAND",
            Self::Head => "",
        }
    }

    fn has(self, row: usize) -> bool {
        match (self, row) {
            (Self::Head, _) => false,
            (Self::Lower, TORSO..LEGS | LEGS_END..31) | (Self::Upper, LEGS..LEGS_END) => false,
            // What a modification's rows are for is not known.
            _ => true,
        }
    }
}

/// A player's clips and habits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AnimationCfg {
    rows: Vec<Row>,
    /// The legs turn with the torso.
    pub(crate) fixed_legs: bool,
    /// The torso does not nod.
    pub(crate) fixed_torso: bool,
    /// What is odd about the text.
    pub(crate) warnings: Vec<Warning>,
}

/// A row of the table, as it stands there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    first: i64,
    /// Negative for a clip that is played backwards.
    count: i64,
    looping: i64,
    rate: f32,
    line: u32,
}

impl AnimationCfg {
    /// Reads a text of any bytes; what is wrong with it is told in [`AnimationCfg::warnings`].
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let mut tokens = Tokens::new(bytes);
        let mut cfg = Self::default();
        cfg.read_words(&mut tokens);
        cfg.read_table(&mut tokens);
        if cfg.rows.len() < LEGS_END {
            let message = format!(
                "{} rows, expected {LEGS_END} or more; the game refuses the file, the rows that are there count",
                cfg.rows.len()
            );
            cfg.warnings.push(Warning::new(tokens.place(), PART, message));
        }
        cfg
    }

    /// The optional words in front of the table.
    fn read_words(&mut self, tokens: &mut Tokens<'_>) {
        while let Some(token) = tokens.peek().filter(|token| !begins_table(token)) {
            tokens.token();
            if token.is("footsteps") || token.is("sex") {
                tokens.token();
            } else if token.is("headoffset") {
                for _ in 0..3 {
                    if let Err(error) = tokens.number("headoffset") {
                        self.warnings.push(Warning::of_error(&error, "left aside"));
                        break;
                    }
                }
            } else if token.is("fixedlegs") {
                self.fixed_legs = true;
            } else if token.is("fixedtorso") {
                self.fixed_torso = true;
            } else {
                let word = token.text();
                self.warn(token.line, format!("unknown word {word:?}; left aside"));
            }
        }
    }

    /// Three whole numbers and a rate a row, wherever lines end.
    fn read_table(&mut self, tokens: &mut Tokens<'_>) {
        let (mut row, mut line) = (Vec::new(), 0);
        while let Some(token) = tokens.peek() {
            if row.is_empty() {
                line = token.line;
            }
            // A word counts as a number, or all behind it would be another one's.
            let warnings = &mut self.warnings;
            let mut zero = |error| warnings.push(Warning::of_error(&error, "taken as 0"));
            if let [first, count, looping] = row[..] {
                let rate = tokens.number(PART).map_err(&mut zero).unwrap_or(0.0);
                self.rows.push(Row { first, count, looping, rate, line });
                row.clear();
            } else {
                row.push(tokens.integer(PART).map_err(&mut zero).unwrap_or(0));
            }
        }
        if !row.is_empty() {
            let message = format!("the last row has {} numbers, expected 4; left out", row.len());
            self.warn(line, message);
        }
    }

    fn warn(&mut self, line: u32, message: String) {
        self.warnings.push(Warning::new(Place::Line(line), PART, message));
    }

    /// How many frames of the torso lie before those of the legs.
    fn torso_frames(&self) -> i64 {
        match (self.rows.get(TORSO), self.rows.get(LEGS)) {
            (Some(torso), Some(legs)) => legs.first.saturating_sub(torso.first),
            _ => 0,
        }
    }

    /// The clips of a part whose model has `frames` frames, by their names in the game, and what of
    /// them the model does not have. A row that has no name is called by its number.
    pub(crate) fn clips(&self, part: BodyPart, frames: usize) -> (Vec<Clip>, Vec<Warning>) {
        let (mut clips, mut warnings) = (Vec::new(), Vec::new());
        let mut add = |name: String, row: Row, backwards: bool| {
            match clip(&name, row, backwards, frames) {
                Ok((clip, warning)) => {
                    clips.push(clip);
                    warnings.extend(warning);
                }
                Err(warning) => warnings.push(warning),
            };
        };
        let skip = if part == BodyPart::Lower { self.torso_frames() } else { 0 };
        let placed = |number: usize| {
            let mut row = *self.rows.get(number)?;
            if (LEGS..LEGS_END).contains(&number) {
                row.first = row.first.saturating_sub(skip);
            }
            Some(row)
        };
        for number in (0..self.rows.len().max(NAMES.len())).filter(|&row| part.has(row)) {
            // Older players have no gestures of Team Arena.
            let is_missing = (LEGS_END..NAMES.len()).contains(&number);
            let row = placed(number).or_else(|| placed(TORSO).filter(|_| is_missing));
            let name = NAMES.get(number).map_or_else(|| number.to_string(), ToString::to_string);
            if let Some(row) = row {
                add(name, row, row.count < 0);
            }
        }
        let backwards = BACKWARDS.iter().filter(|_| part == BodyPart::Lower);
        for (name, number) in backwards {
            if let Some(row) = placed(*number) {
                add((*name).to_owned(), row, true);
            }
        }
        warnings.dedup();
        (clips, warnings)
    }
}

/// Gives a part of a Quake III player, whose file is called `stem` without its extension, the clips of
/// the `animation.cfg` beside it. One that is not there changes nothing, one that cannot be read or used
/// is a warning of the model.
pub(crate) fn add_player_clips(
    model: &mut Model,
    files: &Files,
    home: &Home,
    stem: &str,
) -> Option<AnimationCfg> {
    let part = BodyPart::of_stem(stem).filter(|_| model.format == Format::Md3)?;
    let beside = files.dir(&home.tree, &home.folder).files("animation.cfg");
    let cfg = match files.read(beside.first()?, Limit::ANIMATION_CFG) {
        Ok(bytes) => AnimationCfg::parse(&bytes),
        Err(error) => {
            model.warnings.push(Warning::new(Place::File, PART, error.to_string()));
            return None;
        }
    };
    model.warnings.extend(cfg.warnings.iter().cloned());
    let (clips, warnings) = cfg.clips(part, model.frame_count());
    model.warnings.extend(warnings);
    if !clips.is_empty() {
        model.idle = clips.iter().position(|clip| clip.name == part.idle()).unwrap_or(0);
        model.clips = clips;
    }
    Some(cfg)
}

/// What warnings call the file.
const PART: &str = "animation.cfg";

fn begins_table(token: &Token<'_>) -> bool {
    !token.quoted && token.bytes.first().is_some_and(u8::is_ascii_digit)
}

/// The clip of a row, as far as the model has its frames.
///
/// # Errors
/// If it has none of them.
fn clip(
    name: &str,
    row: Row,
    reversed: bool,
    frames: usize,
) -> Result<(Clip, Option<Warning>), Warning> {
    let warning = |message| Warning::new(Place::Line(row.line), PART, message);
    let Row { first, count, looping, rate, .. } = row;
    // A single frame where none is wanted: there is always something to show.
    let wanted = count.saturating_abs().max(1);
    let Some(first) = usize::try_from(first).ok().filter(|&first| first < frames) else {
        let message =
            format!("{name} begins with frame {first}, the model has {frames} frames; left out");
        return Err(warning(message));
    };
    let room = frames - first;
    let held = usize::try_from(wanted).unwrap_or(usize::MAX).min(room);
    let is_cut = i128::from(wanted) > room as i128;
    let cut = is_cut.then(|| {
        let message = format!(
            "{name} has {wanted} frames from {first}, the model {frames} in all; cut to {held}"
        );
        warning(message)
    });
    let timing = Timing::Looping {
        rate: if rate > 0.0 { rate.min(FASTEST) } else { 1.0 },
        looping: usize::try_from(looping).unwrap_or(0).min(held),
        reversed,
    };
    Ok((Clip { name: name.to_owned(), first, count: held, anim: 0, timing }, cut))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Blend;

    /// A table of 25 rows: BOTH 0-5, TORSO 6-18 (13 frames), LEGS from 19, a frame each but WALK.
    fn table() -> String {
        let mut text = String::from("sex f // m\nfootsteps boot\nheadoffset 1 -2.5 0\n");
        for row in 0..25 {
            let line = match row {
                14 => "20 -3 3 0\n".to_owned(),
                15.. => format!("{} 1 0 10\n", row + 8),
                _ => format!("{row} 1 0 10\n"),
            };
            text.push_str(if row == 13 { "19 1 1 20" } else { &line });
            text.push('\n');
        }
        text
    }

    fn names(clips: &[Clip]) -> Vec<&str> {
        clips.iter().map(Clip::name).collect()
    }

    #[test]
    fn each_part_has_its_own_rows_and_legs_lie_before_the_torso_frames() {
        let cfg = AnimationCfg::parse(table().as_bytes());
        assert_eq!(cfg.warnings, []);
        let (lower, warnings) = cfg.clips(BodyPart::Lower, 40);
        assert_eq!(warnings, []);
        assert_eq!(names(&lower)[..7], [&NAMES[..6], &["LEGS_WALKCR"]].concat());
        assert_eq!(names(&lower)[18..], ["LEGS_BACKCR", "LEGS_BACKWALK"][..]);
        let of = |name: &str| lower.iter().find(|clip| clip.name == name).unwrap();
        // 13 torso frames are not in the lower model.
        assert_eq!(of("LEGS_WALKCR").frames(), 6..7);
        assert_eq!(of("LEGS_WALK").frames(), 7..10);
        assert_eq!(of("LEGS_TURN").frames(), 19..20);
        // A negative count plays backwards, and 0 frames a second are 1.
        assert_eq!(of("LEGS_WALK").at(0.5), Blend { from: 9, to: 8, t: 0.5, anim: 0 });
        assert_eq!(of("LEGS_BACKWALK").at(0.0).from, 9);
        let (upper, warnings) = cfg.clips(BodyPart::Upper, 40);
        assert_eq!((names(&upper).len(), warnings), (6 + 7 + 6, vec![]));
        assert_eq!(upper[11].name, BodyPart::Upper.idle());
        // Gestures that the table lacks are the first one.
        assert_eq!(upper.last().unwrap().name, "TORSO_NEGATIVE");
        assert_eq!(upper.last().unwrap().frames(), 6..7);
        assert_eq!(cfg.clips(BodyPart::Head, 1), (vec![], vec![]));
    }

    #[test]
    fn longer_tables_keep_their_rows_by_number() {
        let text = table() + &"30 2 2 10\n".repeat(8);
        let cfg = AnimationCfg::parse(text.as_bytes());
        let (upper, _) = cfg.clips(BodyPart::Upper, 40);
        assert_eq!(names(&upper)[13..], [&NAMES[25..], &["31", "32"]].concat());
        assert_eq!(upper[13].frames(), 30..32);
        let (lower, _) = cfg.clips(BodyPart::Lower, 40);
        assert!(names(&lower).contains(&"32") && !names(&lower).contains(&"TORSO_GETFLAG"));
    }

    #[test]
    fn what_is_wrong_is_told_by_its_line_and_the_rest_counts() {
        let text =
            "\u{feff}wobble\nheadoffset 1 x\nfixedlegs fixedtorso\n0 30 9 25\n1 2 y 12.5\n5 3";
        let cfg = AnimationCfg::parse(text.as_bytes());
        assert!(cfg.fixed_legs && cfg.fixed_torso);
        let told: Vec<String> = cfg.warnings.iter().map(ToString::to_string).collect();
        let expected = [
            "(line 1): unknown word \"wobble\"",
            "headoffset (line 2): expected a number, found 'x'; left aside",
            "animation.cfg (line 5): expected a whole number, found 'y'; taken as 0",
            "(line 6): the last row has 2 numbers",
            "(line 6): 2 rows, expected 25",
        ];
        assert_eq!(told.len(), expected.len(), "{told:#?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.contains(expected) && told.matches("(line").count() == 1, "{told}");
        }
        let (clips, warnings) = cfg.clips(BodyPart::Lower, 10);
        assert_eq!((clips.len(), clips[0].frames()), (2, 0..10));
        assert!(warnings[0].to_string().contains("cut to 10"), "{warnings:?}");
        let (clips, warnings) = cfg.clips(BodyPart::Lower, 1);
        assert_eq!(clips.len(), 1);
        assert!(warnings[1].to_string().contains("BOTH_DEAD1 begins with frame 1"), "{warnings:?}");
    }

    #[test]
    fn numbers_that_no_table_has_do_no_harm() {
        for row in ["-9223372036854775808 -9223372036854775808 9 9", "1e300 1 2 3", "0 0 -1 -1"] {
            for text in [row.to_owned(), format!("{row}\n").repeat(40)] {
                let cfg = AnimationCfg::parse(format!("0 1 1 1\n{text}").as_bytes());
                for part in BodyPart::ALL {
                    for clip in cfg.clips(part, 3).0 {
                        assert!(clip.frames().end <= 3 && clip.duration() >= 0.0, "{clip:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn parts_are_told_by_their_names() {
        for (stem, part) in [
            ("lower", Some(BodyPart::Lower)),
            ("Upper_1", Some(BodyPart::Upper)),
            ("head_2", Some(BodyPart::Head)),
            ("lower_body", None),
            ("lowerbody", None),
            ("headache", None),
            ("", None),
        ] {
            assert_eq!(BodyPart::of_stem(stem), part, "{stem}");
        }
    }
}
