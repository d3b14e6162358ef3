//! Which moment of which clip is shown: by the clock, never by the number of frames drawn.

use super::keys::Direction;
use crate::model::{Blend, Clip};

/// Frames a second that the first engines show without interpolation.
const ENGINE_RATE: f64 = 10.0;
/// Speeds that keys go through.
const SPEEDS: [f64; 7] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// A value that grows with the clock. It is computed from where it was when it was last set, so it
/// does not depend on how often it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Running {
    start: f64,
    /// Milliseconds of the clock.
    since: u64,
    /// Units per second; 0 stands still.
    rate: f64,
}

impl Running {
    pub(crate) fn at(&self, now: u64) -> f64 {
        self.start + now.saturating_sub(self.since) as f64 * 1e-3 * self.rate
    }

    pub(crate) fn set(&mut self, now: u64, value: f64) {
        (self.start, self.since) = (value, now);
    }

    pub(crate) fn set_rate(&mut self, now: u64, rate: f64) {
        self.set(now, self.at(now));
        self.rate = rate;
    }

    pub(crate) fn is_running(&self) -> bool {
        self.rate != 0.0
    }
}

/// The clip and the time in it.
#[derive(Clone, Debug)]
pub(crate) struct Playback {
    clip: usize,
    time: Running,
    pub(crate) playing: bool,
    speed: f64,
    /// Between frames; otherwise in the steps of the engines.
    pub(crate) interpolates: bool,
    /// Exactly this instead of a moment of a clip.
    fixed: Option<Blend>,
}

impl Playback {
    pub(crate) fn new(playing: bool, interpolates: bool) -> Self {
        Self { clip: 0, time: Running::default(), playing, speed: 1.0, interpolates, fixed: None }
    }

    /// Begins with a clip at a time, or with a fixed blend of frames, which does not play.
    pub(crate) fn start(&mut self, now: u64, clip: usize, time: f64, fixed: Option<Blend>) {
        (self.clip, self.fixed) = (clip, fixed);
        self.playing &= fixed.is_none();
        self.time.set(now, time);
        self.run(now);
    }

    fn run(&mut self, now: u64) {
        self.time.set_rate(now, if self.playing { self.speed } else { 0.0 });
    }

    /// Number of the clip that is shown.
    pub(crate) fn clip(&self) -> Option<usize> {
        self.fixed.is_none().then_some(self.clip)
    }

    /// Seconds.
    pub(crate) fn time(&self, now: u64) -> f32 {
        self.time.at(now) as f32
    }

    /// What is shown now.
    pub(crate) fn blend(&self, now: u64, clips: &[Clip]) -> Blend {
        if let Some(blend) = self.fixed {
            return if self.interpolates {
                blend
            } else {
                Blend { to: blend.from, t: 0.0, ..blend }
            };
        }
        let Some(clip) = clips.get(self.clip) else { return Blend::frame(0) };
        if self.interpolates {
            return clip.at(self.time(now));
        }
        // The middle of a step: its beginning could round to the frame before.
        let step = (self.time.at(now) * ENGINE_RATE + 1e-6).floor() + 0.5;
        let blend = clip.at((step / ENGINE_RATE) as f32);
        Blend { to: blend.from, t: 0.0, ..blend }
    }

    /// Whether the picture changes by itself.
    pub(crate) fn is_moving(&self, clips: &[Clip]) -> bool {
        let clip = clips.get(self.clip).filter(|_| self.fixed.is_none());
        self.playing && clip.is_some_and(|clip| clip.duration() > 0.0)
    }

    pub(crate) fn toggle(&mut self, now: u64) {
        self.playing = !self.playing;
        if self.playing && self.fixed.take().is_some() {
            self.time.set(now, 0.0);
        }
        self.run(now);
    }

    /// This clip, from its beginning.
    pub(crate) fn choose(&mut self, now: u64, clip: usize) {
        (self.clip, self.fixed) = (clip, None);
        self.time.set(now, 0.0);
    }

    /// The same clip has another number.
    pub(crate) fn renumber(&mut self, clip: usize) {
        self.clip = clip;
    }

    /// Another clip, from its beginning.
    pub(crate) fn change_clip(&mut self, now: u64, direction: Direction, count: usize) {
        let clip = direction.step(self.clip, count);
        let fixed = self.fixed.take();
        self.clip = if fixed.is_some() { self.clip } else { clip };
        self.time.set(now, 0.0);
    }

    /// Stops and goes to a frame's beginning: the next, or the one before.
    pub(crate) fn step(&mut self, now: u64, direction: Direction, clips: &[Clip], frames: usize) {
        self.playing = false;
        let blend = self.blend(now, clips);
        match (self.fixed, clips.get(self.clip)) {
            (None, Some(clip)) => {
                let within = clip.frames();
                // The beginning of a frame may be found as the very end of the one before.
                let shown = if blend.t > 0.999 { blend.to } else { blend.from };
                let back_to_start =
                    direction == Direction::Back && shown == blend.from && blend.t > 1e-3;
                let shown = clip.number_of(shown);
                let frame = if back_to_start { shown } else { direction.step(shown, within.len()) };
                self.time.set(now, f64::from(clip.start_of(frame)));
            }
            _ => {
                let frame = direction.step(blend.from, frames);
                self.fixed = Some(Blend { anim: blend.anim, ..Blend::frame(frame) });
            }
        }
        self.run(now);
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
        assert!((often.time(1234) - 1.134).abs() < 1e-6);
    }

    #[test]
    fn pausing_speeding_and_going_on_never_jump() {
        let mut playback = Playback::new(true, true);
        playback.start(0, 0, 0.0, None);
        playback.toggle(500);
        assert_eq!(playback.time(9000), 0.5);
        assert!(!playback.is_moving(&clips()));
        playback.toggle(9000);
        assert_eq!(playback.change_speed(9500, Forward), 2.0);
        assert_eq!(playback.time(10_000), 2.0);
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
            for _ in 0..clip.frames().len() {
                playback.step(7, Forward, &clips, 99);
                let blend = playback.blend(7, &clips);
                visited.push(if blend.t > 0.5 { blend.to } else { blend.from });
                assert!(blend.t < 1e-3 || blend.t > 0.999, "{blend:?}");
            }
            let first = clip.frames().start;
            let mut expected: Vec<usize> = clip.frames().skip(1).collect();
            if clip.name() == "skeletal" {
                // Its last frame is the first again.
                expected.pop();
                expected.extend([first, first + 1]);
            } else {
                expected.push(first);
            }
            assert_eq!(visited, expected, "{}", clip.name());
            assert!(!playback.playing);
        }
        let mut playback = Playback::new(true, true);
        playback.start(0, 0, 0.15, None);
        for frame in [11, 10, 13] {
            playback.step(0, Back, &clips, 99);
            assert_eq!(playback.time(0), (frame - 10) as f32 / 10.0);
        }
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
        playback.change_clip(5000, Forward, clips.len());
        assert_eq!(playback.clip(), Some(0));
        playback.change_clip(5000, Back, clips.len());
        assert_eq!(playback.clip(), Some(2));
        // A model without clips has its frames.
        let mut playback = Playback::new(true, true);
        playback.step(0, Forward, &[], 2);
        assert_eq!(playback.blend(0, &[]), Blend::frame(1));
    }
}
