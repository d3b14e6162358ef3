//! Clips: named stretches of frames with their timing, and the blend at a time.

use super::Model;
use crate::error::RequestError;

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
    /// MDL groups: the END time of every frame, cumulative and finite; the last is the period.
    EndTimes(Vec<f32>),
    /// MD5, as Doom 3 cycles: the last frame repeats the first, so `count - 1` intervals.
    Cyclic(f32),
    /// Quake III's `animation.cfg`: once all frames were shown the last `looping` of them repeat; with 0
    /// the last one stays.
    Looping { rate: f32, looping: usize, reversed: bool },
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

    /// The two frames on either side of `time` seconds and how far it is between them; the clip
    /// repeats for ever, in both directions. A time that is not a number counts as 0.
    ///
    /// Frames of equal length blend the last into the first; a clip of an `animation.cfg` goes on with
    /// those of its frames that loop, or stays at its end, and a time before its beginning is its
    /// beginning unless all of it loops. A group of an MDL blends within the
    /// interval that its end times give (the Quake software renderer's rule; that renderer itself
    /// shows [`Blend::from`] alone). A skeletal animation runs as in Doom 3: its last frame stands
    /// for the first again.
    #[must_use]
    pub fn at(&self, time: f32) -> Blend {
        let time = f64::from(time);
        let last = self.count.saturating_sub(1);
        let (from, to, t) = match &self.timing {
            _ if last == 0 => (0, 0, 0.0),
            Timing::Rate(rate) => {
                let (from, t) = cycle(time, *rate, self.count);
                (from, if from == last { 0 } else { from + 1 }, t)
            }
            Timing::EndTimes(ends) => {
                let (from, t) = interval(ends, time);
                (from, shown_after(ends, from), t)
            }
            Timing::Cyclic(rate) => {
                let (from, t) = cycle(time, *rate, last);
                (from, from + 1, t)
            }
            Timing::Looping { rate, looping, .. } => {
                looping_at(time * f64::from(*rate), self.count, *looping)
            }
        };
        Blend { from: self.frame(from), to: self.frame(to), t: t as f32, anim: self.anim }
    }

    /// The frame that has begun last at `time` seconds, alone. One that begins at this very time has begun, whichever
    /// way its beginning was rounded.
    pub(crate) fn standing_at(&self, time: f32) -> Blend {
        let blend = self.at(time.next_up());
        Blend { to: blend.from, t: 0.0, ..blend }
    }

    /// The number in file order of a frame that is counted from 0 as the clip plays: backwards if it is
    /// a reversed one. A number beyond the last is the last.
    #[must_use]
    pub fn frame(&self, number: usize) -> usize {
        let last = self.count.saturating_sub(1);
        let number = number.min(last);
        self.first + if self.is_reversed() { last - number } else { number }
    }

    /// What [`Clip::frame`] has to be given for a frame of the clip: 0 for the one that is shown first.
    #[must_use]
    pub fn number_of(&self, frame: usize) -> usize {
        let last = self.count.saturating_sub(1);
        let number = frame.saturating_sub(self.first).min(last);
        if self.is_reversed() { last - number } else { number }
    }

    fn is_reversed(&self) -> bool {
        matches!(self.timing, Timing::Looping { reversed: true, .. })
    }

    /// The time in seconds at which a frame of the clip, counted from 0 as it plays, is shown alone. Of a
    /// skeletal clip the last frame stands for the first.
    #[must_use]
    pub fn start_of(&self, frame: usize) -> f32 {
        self.exact_start(frame) as f32
    }

    /// [`Clip::start_of`] before it is rounded.
    pub(crate) fn exact_start(&self, frame: usize) -> f64 {
        let frame = frame % self.count.max(1);
        match &self.timing {
            Timing::Rate(rate) | Timing::Looping { rate, .. } => frame as f64 / f64::from(*rate),
            Timing::Cyclic(rate) => {
                (frame % self.count.saturating_sub(1).max(1)) as f64 / f64::from(*rate)
            }
            Timing::EndTimes(ends) if has_times(ends) => begin(ends, frame),
            Timing::EndTimes(_) => frame as f64 / 10.0,
        }
    }

    /// How many frames are shown before the clip repeats: of a skeletal clip the last one stands for the
    /// first.
    #[must_use]
    pub fn shown_frames(&self) -> usize {
        match self.timing {
            Timing::Cyclic(_) => self.count.saturating_sub(1).max(1),
            _ => self.count.max(1),
        }
    }

    /// Seconds until the clip repeats, or what loops of it does, or until it holds its last frame; 0 for a
    /// single frame.
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.exact_duration() as f32
    }

    /// [`Clip::duration`] before it is rounded.
    pub(crate) fn exact_duration(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        match &self.timing {
            Timing::Rate(rate) | Timing::Looping { rate, .. } => {
                self.count as f64 / f64::from(*rate)
            }
            Timing::EndTimes(ends) => period(ends),
            Timing::Cyclic(rate) => (self.count - 1) as f64 / f64::from(*rate),
        }
    }
}

/// The frames on either side of a position counted in frames, of `count` with the last `looping` of
/// them repeating, and how far it is between them.
fn looping_at(position: f64, count: usize, looping: usize) -> (usize, usize, f64) {
    if looping >= count {
        let (from, t) = cycle(position, 1.0, count);
        return (from, (from + 1) % count, t);
    }
    let position = if position.is_finite() { position.max(0.0) } else { 0.0 };
    let whole = position.floor();
    let (count, looping) = (count as f64, looping as f64);
    let shown = |frame: f64| match frame {
        _ if frame < count => frame as usize,
        _ if looping > 0.0 => ((frame - count) % looping + count - looping) as usize,
        _ => count as usize - 1,
    };
    let (from, to) = (shown(whole), shown(whole + 1.0));
    (from, to, if from == to { 0.0 } else { position - whole })
}

/// Whole and fractional position at `time` in a cycle of `count` intervals, `rate` a second.
fn cycle(time: f64, rate: f32, count: usize) -> (usize, f64) {
    let position = (time * f64::from(rate)).rem_euclid(count as f64);
    if !position.is_finite() {
        return (0, 0.0);
    }
    // rem_euclid of a tiny negative number can round up to `count` itself.
    let whole = position.floor().min((count - 1) as f64);
    (whole as usize, (position - whole).clamp(0.0, 1.0))
}

/// Seconds that a group with these end times takes; a group without a positive end plays at the
/// 10 frames a second of everything else in Quake.
fn period(ends: &[f32]) -> f64 {
    let last = ends.last().map_or(0.0, |&end| f64::from(end));
    if last > 0.0 { last } else { 0.1 * ends.len() as f64 }
}

/// Whether a group plays by its end times.
fn has_times(ends: &[f32]) -> bool {
    ends.last().is_some_and(|&last| last > 0.0)
}

/// When a member of a group with end times is the next to be shown: the end of the latest before it. One that
/// ends no later itself never is.
fn begin(ends: &[f32], member: usize) -> f64 {
    let before = ends[..member].iter().copied().fold(0.0, f32::max);
    f64::from(before).min(period(ends))
}

/// The member of an MDL group that is shown at `time` seconds and how much of its interval has
/// passed (0..1): the first whose end time lies behind `time` modulo the last end time.
pub(crate) fn interval(ends: &[f32], time: f64) -> (usize, f64) {
    let time = time.rem_euclid(period(ends));
    if !time.is_finite() || ends.is_empty() {
        return (0, 0.0);
    }
    if !has_times(ends) {
        return cycle(time, 10.0, ends.len());
    }
    let last = ends.len() - 1;
    let member = ends[..last].iter().position(|&end| f64::from(end) > time).unwrap_or(last);
    let start = begin(ends, member);
    let length = begin(ends, member + 1) - start;
    let passed = if length > 0.0 { ((time - start) / length).clamp(0.0, 1.0) } else { 0.0 };
    (member, passed)
}

/// The member of an MDL group that is shown after another one.
fn shown_after(ends: &[f32], member: usize) -> usize {
    let count = ends.len();
    if !has_times(ends) {
        return (member + 1) % count.max(1);
    }
    let end = begin(ends, member + 1);
    let is_next = |next: &usize| f64::from(ends[*next]) > end && end < period(ends);
    let first = || (0..count).find(|first| ends[*first] > 0.0);
    (member + 1..count).find(is_next).or_else(first).unwrap_or(member)
}

impl Model {
    /// The clip called `name`, or the clip of that number if `name` is a number.
    ///
    /// # Errors
    /// If there is none; the message lists the names.
    pub fn clip(&self, name: &str) -> Result<&Clip, RequestError> {
        Ok(&self.clips[find_clip(self.clips.iter().map(Clip::name), name, "model")?])
    }
}

/// Which of the clips with these names is called `wanted`, case aside, or has that number.
///
/// # Errors
/// If there is none; the message lists the names, as those of `what`.
pub(crate) fn find_clip<'a>(
    names: impl Iterator<Item = &'a str>,
    wanted: &str,
    what: &str,
) -> Result<usize, RequestError> {
    let names: Vec<&str> = names.collect();
    let by_name = names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    let by_number = || wanted.parse().ok().filter(|number| *number < names.len());
    by_name.or_else(by_number).ok_or_else(|| {
        let known = if names.is_empty() { "none".into() } else { names.join(", ") };
        RequestError::new(format!("there is no animation '{wanted}'; this {what} has {known}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clip(count: usize, timing: Timing) -> Clip {
        Clip { name: "walk".into(), first: 10, count, anim: 0, timing }
    }

    #[test]
    fn a_group_shows_the_member_whose_end_lies_behind_the_time() {
        let cases = [
            (
                vec![0.1, 0.2, 0.3],
                vec![(0.0, 0), (0.05, 0), (0.15, 1), (0.29, 2), (0.31, 0), (0.75, 1)],
            ),
            (vec![0.1, 0.1], vec![(0.0, 0), (0.05, 0), (0.15, 0), (0.99, 0)]),
            (vec![0.05, 0.15, 0.3], vec![(0.1, 1), (0.2, 2), (0.34, 0)]),
            (vec![0.0, 0.0], vec![(0.05, 0), (0.15, 1), (0.25, 0)]),
        ];
        for (ends, times) in cases {
            for (time, member) in times {
                assert_eq!(interval(&ends, time).0, member, "times {ends:?} at {time}");
            }
        }
    }

    #[test]
    fn a_group_blends_within_its_own_interval() {
        let blend = clip(3, Timing::EndTimes(vec![0.05, 0.15, 0.3])).at(0.075);
        assert_eq!((blend.from, blend.to), (11, 12));
        assert!((blend.t - 0.25).abs() < 1e-5, "{blend:?}");
        let last = clip(3, Timing::EndTimes(vec![0.05, 0.15, 0.3])).at(0.225);
        assert_eq!((last.from, last.to), (12, 10));
        assert!((last.t - 0.5).abs() < 1e-5, "{last:?}");
    }

    /// A member that is shown and the one after it, its beginning and its end.
    type Shown = (usize, usize, f64, f64);

    #[test]
    fn members_that_are_never_shown_have_no_part_in_a_group() {
        let cases: [(&[f32], &[Shown]); 6] = [
            (&[0.25, 0.125, 0.5], &[(0, 2, 0.0, 0.25), (2, 0, 0.25, 0.5)]),
            (&[0.5, 0.125, 0.25], &[(0, 0, 0.0, 0.25)]),
            (&[0.25, 0.25], &[(0, 0, 0.0, 0.25)]),
            (&[-0.5, 0.25, 0.0, 0.5], &[(1, 3, 0.0, 0.25), (3, 1, 0.25, 0.5)]),
            (&[0.25, 1.0, 0.75, 0.5], &[(0, 1, 0.0, 0.25), (1, 0, 0.25, 0.5)]),
            (&[-1.0, 0.0], &[(0, 1, 0.0, 0.1), (1, 0, 0.1, 0.2)]),
        ];
        for (ends, members) in cases {
            let group = clip(ends.len(), Timing::EndTimes(ends.to_vec()));
            for (from, to, begin, end) in members {
                let blend = group.at(((begin * 3.0 + end) / 4.0) as f32);
                assert_eq!((blend.from, blend.to), (10 + from, 10 + to), "{ends:?}");
                assert!((blend.t - 0.25).abs() < 1e-5, "{ends:?} {blend:?}");
                assert!((group.exact_start(*from) - begin).abs() < 1e-9, "{ends:?} {from}");
            }
            let shown: Vec<usize> = members.iter().map(|(member, ..)| *member).collect();
            let end = |member| match member + 1 {
                next if next == ends.len() => group.exact_duration(),
                next => group.exact_start(next),
            };
            let lasting =
                (0..ends.len()).filter(|member| end(*member) > group.exact_start(*member));
            assert_eq!(lasting.collect::<Vec<_>>(), shown, "{ends:?}");
        }
    }

    #[test]
    fn equal_frames_wrap_from_the_last_to_the_first() {
        let walk = clip(4, Timing::Rate(10.0));
        let cases = [(0.0, 10, 11, 0.0), (0.125, 11, 12, 0.25), (0.35, 13, 10, 0.5)];
        for (time, from, to, t) in cases {
            let blend = walk.at(time);
            assert_eq!((blend.from, blend.to), (from, to), "at {time}");
            assert!((blend.t - t).abs() < 1e-5, "at {time}: {blend:?}");
        }
        assert_eq!(walk.at(0.65).from, 12);
        assert_eq!(walk.at(-0.05).from, 13);
        assert_eq!(walk.duration(), 0.4);
    }

    #[test]
    fn of_a_player_the_last_frames_loop_or_the_last_one_stays() {
        let looping =
            |looping, reversed| clip(4, Timing::Looping { rate: 10.0, looping, reversed });
        // Frames that loop, whether it plays backwards; time, from, to, t.
        for (frames, reversed, time, from, to, t) in [
            (0, false, -1.0, 10, 11, 0.0),
            (0, false, 0.25, 12, 13, 0.5),
            (0, false, 0.35, 13, 13, 0.0),
            (0, false, 1e9, 13, 13, 0.0),
            (4, false, 0.35, 13, 10, 0.5),
            (4, false, -0.05, 13, 10, 0.5),
            (2, false, 0.35, 13, 12, 0.5),
            (2, false, 0.45, 12, 13, 0.5),
            (2, false, 0.55, 13, 12, 0.5),
            (1, false, 0.75, 13, 13, 0.0),
            (0, true, 0.05, 13, 12, 0.5),
            (0, true, 9.0, 10, 10, 0.0),
            (4, true, 0.35, 10, 13, 0.5),
            (3, true, 0.45, 12, 11, 0.5),
        ] {
            let blend = looping(frames, reversed).at(time);
            let found = (blend.from, blend.to);
            assert_eq!(found, (from, to), "{frames} loop, reversed {reversed}, at {time}");
            assert!((f64::from(blend.t) - t).abs() < 1e-4, "{frames} {time}: {blend:?}");
        }
        let backwards = looping(0, true);
        assert_eq!((backwards.frame(0), backwards.frame(9)), (13, 10));
        assert!((0..4).all(|number| backwards.number_of(backwards.frame(number)) == number));
        assert_eq!((backwards.duration(), backwards.start_of(3)), (0.4, 0.3));
    }

    #[test]
    fn a_skeletal_cycle_has_one_interval_less_than_frames() {
        let walk = clip(5, Timing::Cyclic(24.0));
        assert_eq!(walk.duration(), 4.0 / 24.0);
        let blend = walk.at(3.5 / 24.0);
        assert_eq!((blend.from, blend.to), (13, 14));
        assert_eq!(walk.at(4.5 / 24.0).from, 10);
        assert_eq!(clip(1, Timing::Cyclic(24.0)).at(7.0), Blend::frame(10));
    }

    #[test]
    fn a_frame_stands_from_its_beginning_on_whichever_way_that_is_rounded() {
        let ends = (1..=30).map(|end| end as f32 / 30.0).collect();
        let timings = [
            Timing::Rate(10.0),
            Timing::EndTimes(ends),
            Timing::Cyclic(24.0),
            Timing::Looping { rate: 15.0, looping: 0, reversed: false },
            Timing::Looping { rate: 7.0, looping: 30, reversed: true },
        ];
        for timing in timings {
            let clip = clip(30, timing);
            for frame in 0..clip.shown_frames() {
                let standing = Blend::frame(clip.frame(frame));
                assert_eq!(clip.standing_at(clip.start_of(frame)), standing, "{clip:?}");
                let later = clip.standing_at(clip.start_of(frame) + 0.01);
                assert_eq!(later, standing, "{clip:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_time_gives_frames_of_the_clip(
            count in 1_usize..6,
            time in proptest::num::f32::ANY,
            ends in proptest::collection::vec(-1e30_f32..1e30, 5),
            kind in 0_usize..5,
        ) {
            let timing = match kind {
                0 => Timing::Rate(10.0),
                1 => Timing::EndTimes(ends[..count.min(5)].to_vec()),
                2 => Timing::Cyclic(24.0),
                looping => Timing::Looping { rate: 7.0, looping: looping - 3, reversed: time < 1.0 },
            };
            let clip = clip(count, timing);
            let blend = clip.at(time);
            prop_assert!(clip.frames().contains(&blend.from), "{blend:?}");
            prop_assert!(clip.frames().contains(&blend.to), "{blend:?}");
            prop_assert!((0.0..=1.0).contains(&blend.t), "{blend:?}");
        }
    }
}
