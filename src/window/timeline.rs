//! The timeline at the bottom: every frame of the clip as long as it is shown, and where the clip is.

use super::canvas::{Area, Canvas, FAINT, LINE_HEIGHT, PADDING, TEXT, TITLE, text_scale};
use super::state::State;
use crate::font::{self, CELL_HEIGHT, CELL_WIDTH};
use crate::model::Clip;

/// Font pixels of the track.
const TRACK_HEIGHT: usize = 11;
/// Frames are told apart where they are at least so many font pixels wide.
const LEAST_FRAME: f32 = 2.0;

const TRACK: u32 = 0x0034_3438;
const TICK: u32 = 0x0060_5e58;
const CURRENT: u32 = 0x0080_6830;

/// What the timeline shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timeline {
    title: String,
    /// Where frames begin, from 0 to below 1.
    starts: Vec<f32>,
    names: Vec<String>,
    /// The number of the frame that is shown, and the place in the clip.
    shown: usize,
    at: f32,
}

impl Timeline {
    pub(crate) fn of(state: &State) -> Self {
        let playback = &state.playback;
        let shown = state.blend().from;
        let Some(clip) = state.clip() else {
            let count = state.facts.frames.max(1);
            let starts = (0..count).map(|frame| frame as f32 / count as f32).collect();
            let at = shown as f32 / count as f32;
            let names = state.facts.frame_names.clone();
            return Self { title: state.frame_line(), starts, names, shown, at };
        };
        let duration = clip.exact_duration();
        let time = f64::from(playback.time(state.now(), Some(clip)));
        let name = |number: usize| {
            let names = &state.facts.frame_names;
            names.get(clip.frame(number)).cloned().unwrap_or_default()
        };
        let mode = match (playback.mode.name(), playback.reversed) {
            (mode, false) => mode.to_owned(),
            (mode, true) => format!("{mode} backwards"),
        };
        let pace = if playback.playing {
            format!("{mode} x {}", playback.speed())
        } else {
            "paused".to_owned()
        };
        Self {
            title: format!(
                "{}  {}  {:.2} of {duration:.2} s  {pace}",
                clip.name(),
                state.frame_line(),
                within(time, clip),
            ),
            starts: starts(clip),
            names: (0..clip.shown_frames()).map(name).collect(),
            shown: clip.number_of(shown) % clip.shown_frames(),
            at: if duration > 0.0 { (within(time, clip) / duration) as f32 } else { 0.0 },
        }
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>) -> Area {
        let window = canvas.size().map(|side| side as u32);
        let (panel, track) = (panel(window), track(window));
        canvas.darken(panel);
        let scale = canvas.scale;
        let inset = (PADDING * scale) as isize;
        let room = track.width / (CELL_WIDTH * scale);
        let title = font::shortened(&self.title, room);
        canvas.letters([track.x, panel.y + inset], TEXT, &title);
        canvas.fill(track, |_| TRACK);
        let place = |share: f32| track.x + (share * track.width as f32) as isize;
        let are_apart = track.width as f32 / self.starts.len() as f32 >= LEAST_FRAME * scale as f32;
        for (number, start) in self.starts.iter().enumerate() {
            let next = self.starts.get(number + 1).copied().unwrap_or(1.0);
            let (left, right) = (place(*start), place(next));
            let width = (right - left).max(1) as usize;
            let area = Area { x: left, width, ..track };
            if number == self.shown {
                canvas.fill(area, |_| CURRENT);
            }
            if are_apart && number > 0 {
                canvas.fill(Area { width: scale, ..area }, |_| TICK);
            }
            let name = font::letters(self.names.get(number).map_or("", String::as_str));
            let gap = 2 * scale;
            if !name.is_empty() && name.len() * CELL_WIDTH * scale + gap <= width {
                let top = track.y + ((TRACK_HEIGHT - CELL_HEIGHT) * scale) as isize;
                canvas.letters([left + gap as isize, top], FAINT, &name);
            }
        }
        canvas.fill(Area { x: place(self.at), width: scale, ..track }, |_| TITLE);
        panel
    }
}

/// Seconds from the clip's beginning within its length; of clips that go on with their last frames, where
/// the frame begins that is shown.
pub(super) fn within(time: f64, clip: &Clip) -> f64 {
    let duration = clip.exact_duration();
    if duration <= 0.0 {
        return 0.0;
    }
    if (0.0..duration).contains(&time) {
        return time;
    }
    let blend = clip.at(time as f32);
    let number = clip.number_of(blend.from) % clip.shown_frames();
    let next =
        if number + 1 < clip.shown_frames() { clip.exact_start(number + 1) } else { duration };
    let begin = clip.exact_start(number);
    begin + (next - begin) * f64::from(blend.t)
}

fn starts(clip: &Clip) -> Vec<f32> {
    let duration = clip.exact_duration();
    let count = clip.shown_frames();
    let share = |frame: usize| match duration > 0.0 {
        true => (clip.exact_start(frame) / duration) as f32,
        false => frame as f32 / count as f32,
    };
    (0..count).map(share).collect()
}

/// The part of a window of this size that the timeline takes.
pub(crate) fn panel(window: [u32; 2]) -> Area {
    let [width, height] = window.map(|side| side as usize);
    let scale = text_scale([width, height]);
    let own = (2 * PADDING + LINE_HEIGHT + TRACK_HEIGHT) * scale;
    Area { x: 0, y: height as isize - own as isize, width, height: own }
}

fn track(window: [u32; 2]) -> Area {
    let panel = panel(window);
    let scale = text_scale(window.map(|side| side as usize));
    let inset = PADDING * scale;
    Area {
        x: panel.x + inset as isize,
        y: panel.y + (inset + LINE_HEIGHT * scale) as isize,
        width: panel.width.saturating_sub(2 * inset).max(1),
        height: TRACK_HEIGHT * scale,
    }
}

/// The place in the clip (0 to 1) of a point in a window of this size.
pub(crate) fn place_of([x, _]: [i32; 2], window: [u32; 2]) -> f32 {
    let track = track(window);
    ((x as isize - track.x) as f32 / track.width as f32).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timing;

    fn clip(timing: Timing) -> Clip {
        Clip { name: "group".into(), first: 3, count: 3, anim: 0, timing }
    }

    #[test]
    fn uneven_times_are_uneven_on_the_track() {
        let group = clip(Timing::EndTimes(vec![0.1, 0.4, 0.5]));
        let near = |found: &[f32], expected: &[f32]| {
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6)
        };
        assert!(near(&starts(&group), &[0.0, 0.2, 0.8]), "{:?}", starts(&group));
        for (time, expected) in [(0.05, 0.05), (0.45, 0.45), (0.55, 0.05), (-0.05, 0.45)] {
            assert!((within(time, &group) - expected).abs() < 1e-6, "{time}");
        }
        let looping = clip(Timing::Looping { rate: 10.0, looping: 1, reversed: false });
        for (time, expected) in [(0.25, 0.25), (0.3, 0.2), (9.0, 0.2)] {
            assert!((within(time, &looping) - expected).abs() < 1e-6, "{time}");
        }
    }

    #[test]
    fn places_are_those_under_the_pointer() {
        for window in [[320, 200], [960, 600], [3840, 2160], [1, 1]] {
            let track = track(window);
            assert!(track.bottom() <= window[1] as isize);
            let right = track.right() as i32;
            assert_eq!(place_of([0, 0], window), 0.0);
            assert_eq!(place_of([right, 0], window), 1.0);
            let middle = place_of([right / 2, 0], window);
            assert!(window[0] == 1 || (middle - 0.5).abs() < 0.02, "{window:?} {middle}");
        }
    }
}
