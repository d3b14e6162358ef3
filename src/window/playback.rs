//! Which moment of which clip is shown: by the clock, never by the number of frames drawn.

use super::keys::Direction;
use super::running::Running;
use super::timeline::within;
use crate::model::{Blend, Clip};

/// Frames a second that the first engines show without interpolation.
const ENGINE_RATE: f64 = 10.0;
/// Speeds that keys go through.
const SPEEDS: [f64; 7] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// What happens at the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PlayMode {
    /// It goes on as the engine plays it.
    #[default]
    Loop,
    /// It stops.
    Once,
    /// It goes back again.
    PingPong,
}

impl PlayMode {
    pub(crate) const ALL: [Self; 3] = [Self::Loop, Self::Once, Self::PingPong];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Once => "once",
            Self::PingPong => "ping-pong",
        }
    }
}

/// The clip and the time in it.
#[derive(Clone, Debug)]
pub(crate) struct Playback {
    clip: usize,
    /// Seconds that were played, in the clip's direction; below 0 while it runs backwards.
    time: Running,
    pub(crate) playing: bool,
    speed: f64,
    pub(crate) mode: PlayMode,
    pub(crate) reversed: bool,
    /// Between frames; otherwise in the steps of the engines.
    pub(crate) interpolates: bool,
    /// Exactly this instead of a moment of a clip.
    fixed: Option<Blend>,
    /// Exactly this frame of the clip, counted as it plays: where a step came to.
    held: Option<usize>,
}

impl Playback {
    pub(crate) fn new(playing: bool, interpolates: bool) -> Self {
        Self {
            clip: 0,
            time: Running::default(),
            playing,
            speed: 1.0,
            mode: PlayMode::Loop,
            reversed: false,
            interpolates,
            fixed: None,
            held: None,
        }
    }

    /// Begins with a clip at a time, or with a fixed blend of frames, which does not play.
    pub(crate) fn start(&mut self, now: u64, clip: usize, time: f64, fixed: Option<Blend>) {
        (self.clip, self.fixed, self.held) = (clip, fixed, None);
        self.playing &= fixed.is_none();
        self.time.set(now, time);
        self.run(now);
    }

    fn run(&mut self, now: u64) {
        let forward = if self.reversed { -self.speed } else { self.speed };
        self.time.set_rate(now, if self.playing { forward } else { 0.0 });
    }

    /// Number of the clip that is shown.
    pub(crate) fn clip(&self) -> Option<usize> {
        self.fixed.is_none().then_some(self.clip)
    }

    /// Seconds that have been played, which animated skins go by.
    pub(crate) fn clock(&self, now: u64) -> f32 {
        self.time.at(now) as f32
    }

    /// Seconds from the beginning of the clip.
    pub(crate) fn time(&self, now: u64, clip: Option<&Clip>) -> f32 {
        let time = self.time.at(now);
        let Some(clip) = clip else { return time as f32 };
        if let Some(frame) = self.held_in(clip) {
            return clip.start_of(frame);
        }
        let end = end_of(clip, self.mode);
        let shown = match self.mode {
            // Forward the engine's own rule holds: some clips loop only in part.
            PlayMode::Loop if time < 0.0 && end > 0.0 => time.rem_euclid(end),
            PlayMode::Loop => time,
            PlayMode::Once => time.clamp(0.0, end),
            PlayMode::PingPong if end > 0.0 => {
                let round = time.rem_euclid(2.0 * end);
                if round > end { 2.0 * end - round } else { round }
            }
            PlayMode::PingPong => 0.0,
        };
        shown as f32
    }

    /// What is shown now.
    pub(crate) fn blend(&self, now: u64, clips: &[Clip]) -> Blend {
        if let Some(blend) = self.fixed {
            return if self.interpolates { blend } else { alone(blend) };
        }
        clips.get(self.clip).map_or(Blend::frame(0), |clip| self.blend_of(now, clip))
    }

    /// What of a clip would be shown now.
    pub(crate) fn blend_of(&self, now: u64, clip: &Clip) -> Blend {
        if let Some(frame) = self.held_in(clip) {
            return Blend { anim: clip.at(0.0).anim, ..Blend::frame(clip.frame(frame)) };
        }
        if self.interpolates {
            return clip.at(self.time(now, Some(clip)));
        }
        clip.standing_at(self.engine_step(now, clip))
    }

    /// The frame that is held, of a clip that may have fewer than the one it was counted in.
    fn held_in(&self, clip: &Clip) -> Option<usize> {
        self.held.map(|frame| frame % clip.shown_frames())
    }

    /// A time at which the frame that stands now is the one that has begun last, whatever the rounding;
    /// `None` while there are poses between frames.
    pub(crate) fn standing(&self, now: u64, clip: &Clip) -> Option<f32> {
        if let Some(frame) = self.held_in(clip) {
            let next = if frame + 1 < clip.shown_frames() {
                clip.exact_start(frame + 1)
            } else {
                clip.exact_duration()
            };
            return Some(((clip.exact_start(frame) + next) * 0.5) as f32);
        }
        (!self.interpolates).then(|| self.engine_step(now, clip))
    }

    /// Just behind the beginning of the engines' step, which itself could round to the frame before. The
    /// last step of a clip may be shorter.
    fn engine_step(&self, now: u64, clip: &Clip) -> f32 {
        let time = f64::from(self.time(now, Some(clip)));
        let begin = (time * ENGINE_RATE + 1e-4).floor() / ENGINE_RATE + 1e-3;
        let end = end_of(clip, self.mode);
        (if self.mode == PlayMode::Loop { begin } else { begin.min(end) }) as f32
    }

    /// Whether the picture changes by itself.
    pub(crate) fn is_moving(&self, now: u64, clips: &[Clip]) -> bool {
        let clip = clips.get(self.clip).filter(|_| self.fixed.is_none());
        self.playing && clip.is_some_and(|clip| clip.duration() > 0.0 && !self.has_ended(now, clip))
    }

    fn has_ended(&self, now: u64, clip: &Clip) -> bool {
        let time = self.time.at(now);
        let is_over =
            if self.reversed { time <= 0.0 } else { time >= end_of(clip, PlayMode::Once) };
        self.mode == PlayMode::Once && is_over
    }

    /// Plays or pauses; a clip that has come to its end begins again.
    pub(crate) fn toggle(&mut self, now: u64, clips: &[Clip]) {
        let ended = clips.get(self.clip).filter(|clip| self.has_ended(now, clip));
        if let Some(clip) = ended {
            self.time.set(now, self.beginning(Some(clip)));
        }
        self.playing = !self.playing || ended.is_some();
        if self.playing {
            if self.fixed.take().is_some() {
                self.time.set(now, 0.0);
            }
            self.held = None;
        }
        self.run(now);
    }

    /// Where a clip begins to play: what plays once and backwards, at its end.
    pub(crate) fn beginning(&self, clip: Option<&Clip>) -> f64 {
        let is_from_end = self.reversed && self.mode == PlayMode::Once;
        clip.filter(|_| is_from_end).map_or(0.0, |clip| end_of(clip, PlayMode::Once))
    }

    /// The same clip has another number.
    pub(crate) fn renumber(&mut self, clip: usize) {
        self.clip = clip;
    }

    /// Another clip, from its beginning.
    pub(crate) fn change_clip(&mut self, now: u64, direction: Direction, clips: &[Clip]) {
        let clip = direction.step(self.clip, clips.len());
        let clip = if self.fixed.is_some() { self.clip } else { clip };
        self.choose_clip(now, clip, clips);
    }

    /// This clip, from its beginning.
    pub(crate) fn choose_clip(&mut self, now: u64, clip: usize, clips: &[Clip]) {
        (self.clip, self.fixed) = (clip, None);
        self.held = self.held.map(|_| 0);
        self.time.set(now, self.beginning(clips.get(clip)));
    }

    /// Stops and goes to a frame: the next, or the one before.
    pub(crate) fn step(&mut self, now: u64, direction: Direction, clips: &[Clip], frames: usize) {
        let blend = self.blend(now, clips);
        match (self.fixed, clips.get(self.clip)) {
            (None, Some(clip)) => {
                let count = clip.shown_frames();
                // The beginning of a frame may be found as the very end of the one before.
                let shown = if blend.t > 0.999 { blend.to } else { blend.from };
                let is_between = shown == blend.from && blend.t > 1e-3;
                // Of a skeletal clip the last frame stands for the first.
                let shown = clip.number_of(shown) % count;
                let stays = is_between && direction == Direction::Back;
                self.hold(now, if stays { shown } else { direction.step(shown, count) }, clip);
            }
            _ => {
                let frame = direction.step(blend.from, frames);
                self.fixed = Some(Blend { anim: blend.anim, ..Blend::frame(frame) });
                self.playing = false;
                self.run(now);
            }
        }
    }

    /// Stops at exactly this frame of the clip that is shown, counted as it plays.
    pub(crate) fn hold(&mut self, now: u64, frame: usize, clip: &Clip) {
        (self.playing, self.fixed, self.held) = (false, None, Some(frame));
        self.time.set(now, f64::from(clip.start_of(frame)));
        self.run(now);
    }

    /// Stops at a time of the clip.
    pub(crate) fn seek(&mut self, now: u64, seconds: f64) {
        (self.playing, self.fixed, self.held) = (false, None, None);
        self.time.set(now, seconds);
        self.run(now);
    }

    /// Stops at a frame of a model without clips.
    pub(crate) fn fix(&mut self, now: u64, frame: usize) {
        let anim = self.fixed.map_or(0, |blend| blend.anim);
        (self.playing, self.fixed) = (false, Some(Blend { anim, ..Blend::frame(frame) }));
        self.run(now);
    }

    /// Another end of the clip; what is shown stays.
    pub(crate) fn change_mode(&mut self, now: u64, direction: Direction, clip: Option<&Clip>) {
        self.time.set(now, self.time_in_clip(now, clip));
        self.mode = direction.next(&PlayMode::ALL, self.mode);
    }

    /// The other way; what is shown stays.
    pub(crate) fn reverse(&mut self, now: u64, clip: Option<&Clip>) {
        self.time.set(now, self.time_in_clip(now, clip));
        self.reversed = !self.reversed;
        self.run(now);
    }

    /// The time in the round that is shown: a clip that loops may have gone round many times.
    fn time_in_clip(&self, now: u64, clip: Option<&Clip>) -> f64 {
        let time = f64::from(self.time(now, clip));
        clip.filter(|_| self.mode == PlayMode::Loop).map_or(time, |clip| within(time, clip))
    }

    /// How many times faster than in the engine.
    pub(crate) fn speed(&self) -> f64 {
        self.speed
    }

    /// Faster or slower; returns the speed.
    pub(crate) fn change_speed(&mut self, now: u64, direction: Direction) -> f64 {
        let at = SPEEDS.iter().position(|&speed| speed == self.speed).unwrap_or(3);
        let at = match direction {
            Direction::Forward => (at + 1).min(SPEEDS.len() - 1),
            Direction::Back => at.saturating_sub(1),
        };
        self.speed = SPEEDS[at];
        self.run(now);
        self.speed
    }
}

/// When a clip is over, in seconds: where it repeats, or where its last frame begins.
pub(crate) fn end_of(clip: &Clip, mode: PlayMode) -> f64 {
    match mode {
        PlayMode::Loop => clip.exact_duration(),
        _ => clip.exact_start(clip.shown_frames() - 1),
    }
}

fn alone(blend: Blend) -> Blend {
    Blend { to: blend.from, t: 0.0, ..blend }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timing;
    use Direction::{Back, Forward};

    fn clips() -> Vec<Clip> {
        let clip = |name: &str, first, count, timing| Clip {
            name: name.into(),
            first,
            count,
            anim: 0,
            timing,
        };
        vec![
            clip("walk", 10, 4, Timing::Rate(10.0)),
            clip("group", 20, 3, Timing::EndTimes(vec![0.1, 0.4, 0.5])),
            clip("skeletal", 0, 25, Timing::Cyclic(24.0)),
        ]
    }

    #[test]
    fn time_is_that_of_the_clock_however_often_it_is_asked() {
        let (clips, mut often) = (clips(), Playback::new(true, true));
        often.start(100, 0, 0.0, None);
        let rarely = often.clone();
        for now in 100..1234 {
            often.blend(now, &clips);
        }
        assert_eq!(often.blend(1234, &clips), rarely.blend(1234, &clips));
        assert!((often.clock(1234) - 1.134).abs() < 1e-6);
    }

    #[test]
    fn pausing_speeding_and_going_on_never_jump() {
        let mut playback = Playback::new(true, true);
        playback.start(0, 0, 0.0, None);
        playback.toggle(500, &clips());
        assert_eq!(playback.clock(9000), 0.5);
        assert!(!playback.is_moving(9000, &clips()));
        playback.toggle(9000, &clips());
        assert_eq!(playback.change_speed(9500, Forward), 2.0);
        assert_eq!(playback.clock(10_000), 2.0);
        for _ in 0..9 {
            playback.change_speed(10_000, Back);
        }
        assert_eq!(playback.change_speed(10_000, Back), 0.1);
    }

    #[test]
    fn without_interpolation_frames_hold_for_a_tenth_of_a_second() {
        let (clips, mut playback) = (clips(), Playback::new(true, false));
        playback.start(0, 0, 0.0, None);
        for (now, frame) in
            [(0, 10), (99, 10), (100, 11), (199, 11), (200, 12), (399, 13), (400, 10)]
        {
            assert_eq!(playback.blend(now, &clips), Blend::frame(frame), "at {now} ms");
        }
    }

    #[test]
    fn steps_visit_every_frame_in_both_directions() {
        let clips = clips();
        for (number, clip) in clips.iter().enumerate() {
            let mut playback = Playback::new(true, true);
            playback.start(0, number, 0.0, None);
            let mut visited = Vec::new();
            for _ in 0..=clip.shown_frames() {
                playback.step(7, Forward, &clips, 99);
                let blend = playback.blend(7, &clips);
                assert_eq!((blend.to, blend.t), (blend.from, 0.0), "{blend:?}");
                visited.push(blend.from);
            }
            // Of the skeletal clip the last frame is the first again, and comes once.
            let all: Vec<usize> = clip.frames().take(clip.shown_frames()).collect();
            let expected: Vec<usize> = all.iter().skip(1).chain(&all[..2]).copied().collect();
            assert_eq!(visited, expected, "{}", clip.name());
            assert!(!playback.playing);
        }
        let mut playback = Playback::new(true, true);
        playback.start(0, 0, 0.15, None);
        for frame in [11, 10, 13] {
            playback.step(0, Back, &clips, 99);
            assert_eq!(playback.blend(0, &clips), Blend::frame(frame));
            assert_eq!(playback.time(0, clips.first()), (frame - 10) as f32 / 10.0);
        }
    }

    #[test]
    fn a_press_is_a_frame_even_of_clips_faster_than_the_engine() {
        let clips = clips();
        let mut playback = Playback::new(false, false);
        playback.start(0, 2, 0.0, None);
        for frame in 1..=6 {
            playback.step(0, Forward, &clips, 25);
            assert_eq!(playback.blend(0, &clips), Blend::frame(frame));
        }
        playback.step(0, Back, &clips, 25);
        assert_eq!(playback.blend(0, &clips), Blend::frame(5));
        // From there it plays on.
        playback.toggle(0, &clips);
        assert!((playback.time(0, clips.get(2)) - 5.0 / 24.0).abs() < 1e-6);
    }

    #[test]
    fn a_clip_ends_loops_or_comes_back_in_both_directions() {
        let clips = clips();
        let clip = &clips[0];
        let shown = |playback: &Playback, now| playback.time(now, Some(clip));
        for (mode, reversed, times) in [
            (PlayMode::Loop, false, [0.1, 0.35, 0.55]),
            (PlayMode::Loop, true, [0.3, 0.05, 0.25]),
            (PlayMode::Once, false, [0.1, 0.3, 0.3]),
            (PlayMode::PingPong, false, [0.1, 0.25, 0.05]),
            (PlayMode::PingPong, true, [0.1, 0.25, 0.05]),
        ] {
            let mut playback = Playback::new(true, true);
            (playback.mode, playback.reversed) = (mode, reversed);
            playback.start(0, 0, 0.0, None);
            for (now, expected) in [100, 350, 550].into_iter().zip(times) {
                let found = shown(&playback, now);
                assert!((found - expected).abs() < 1e-5, "{mode:?} {reversed} {now}: {found}");
            }
        }
        // What has ended stands still, and plays again from its beginning.
        let mut playback = Playback::new(true, true);
        playback.mode = PlayMode::Once;
        playback.start(0, 0, 0.0, None);
        assert!(playback.is_moving(299, &clips) && !playback.is_moving(300, &clips));
        playback.toggle(500, &clips);
        assert!(playback.playing && shown(&playback, 500) == 0.0);
        playback.change_mode(600, Back, Some(clip));
        assert_eq!((playback.mode, shown(&playback, 600)), (PlayMode::Loop, 0.1));
        playback.reverse(650, Some(clip));
        assert!((shown(&playback, 700) - 0.1).abs() < 1e-6);
        playback.seek(700, 0.2);
        assert!((shown(&playback, 750) - 0.2).abs() < 1e-6 && !playback.playing);
        // Of what has looped for long the round counts that is shown.
        for reverses in [false, true] {
            let mut playback = Playback::new(true, true);
            playback.start(0, 0, 0.0, None);
            let before = shown(&playback, 1400) % 0.4;
            match reverses {
                true => playback.reverse(1400, Some(clip)),
                false => playback.change_mode(1400, Forward, Some(clip)),
            }
            assert!((shown(&playback, 1400) - before).abs() < 1e-5, "{reverses}");
            assert!(playback.is_moving(1410, &clips), "{reverses}");
        }
        // Once and backwards a clip begins at its end.
        let mut playback = Playback::new(true, true);
        (playback.mode, playback.reversed) = (PlayMode::Once, true);
        playback.choose_clip(0, 0, &clips);
        playback.start(0, 0, playback.beginning(Some(clip)), None);
        assert!(playback.is_moving(100, &clips) && (shown(&playback, 100) - 0.2).abs() < 1e-5);
    }

    #[test]
    fn fixed_frames_step_through_the_file_and_clips_take_over() {
        let (clips, mut playback) = (clips(), Playback::new(true, true));
        let given = Blend { from: 3, to: 4, t: 0.25, anim: 0 };
        playback.start(0, 0, 0.0, Some(given));
        assert_eq!(playback.blend(5000, &clips), given);
        playback.step(5000, Back, &clips, 3);
        assert_eq!(playback.blend(5000, &clips), Blend::frame(2));
        playback.step(5000, Forward, &clips, 3);
        assert_eq!(playback.blend(5000, &clips), Blend::frame(0));
        playback.change_clip(5000, Forward, &clips);
        assert_eq!(playback.clip(), Some(0));
        playback.change_clip(5000, Back, &clips);
        assert_eq!(playback.clip(), Some(2));
        // A model without clips has its frames.
        let mut playback = Playback::new(true, true);
        playback.step(0, Forward, &[], 2);
        assert_eq!(playback.blend(0, &[]), Blend::frame(1));
    }
}
