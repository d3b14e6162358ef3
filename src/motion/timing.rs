//! When which picture is shown: by the engines' timing, or so many a second.

use super::encode::FilmKind;
use super::{Course, Motion};
use crate::error::RequestError;
use crate::model::Clip;
use crate::scene::{Frames, Opened, Scene};

/// A picture of an animation.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is drawn.
    pub scene: Scene,
    /// How long it is shown, in seconds.
    pub seconds: f64,
}

/// How long an animation of these pictures takes, in seconds.
#[must_use]
pub fn length(steps: &[Step]) -> f64 {
    steps.iter().map(|step| step.seconds).sum()
}

/// Seconds that a clip of a single frame is shown: that of Quake and Quake II.
const ONE_FRAME: f64 = 0.1;
/// A last picture that is shown for a smaller part of the others' time is left out, for theirs.
const SHORTEST: f64 = 0.25;
/// More pictures are not made of a clip.
const MAX_STEPS: usize = 100_000;

/// The pictures of a scene's clip, shown once.
///
/// # Errors
/// If there is no such clip, or it would be more pictures than anybody can want.
pub(super) fn of_clip(
    motion: &Motion,
    course: Course,
    scene: &Scene,
    opened: &Opened,
) -> Result<Vec<Step>, RequestError> {
    let starts = opened.starts_of_frames(scene)?;
    let end = starts.last().copied().unwrap_or(0.0);
    let playing = opened.playing(scene)?;
    let mut steps = match (motion.fps, &playing[..]) {
        (Some(fps), _) if course.end.unwrap_or(end) > 0.0 => match course.end {
            Some(end) if motion.ping_pong => {
                return sampled(motion, scene, 2.0 * end, fps, |time| time.min(2.0 * end - time));
            }
            Some(end) => return sampled_once(motion, course, scene, end, fps),
            None if course.reversed => {
                return sampled(motion, scene, end, fps, |time| (-time).rem_euclid(end));
            }
            None => sampled(motion, scene, end, fps, |time| time)?,
        },
        // Exact frames can be said of a single clip.
        (_, [clip]) if opened.is_lone() => frame_by_frame(motion, scene, clip),
        _ => change_by_change(motion, scene, &starts),
    };
    if motion.ping_pong {
        back_again(&mut steps);
    } else if course.reversed {
        steps.reverse();
    }
    Ok(steps)
}

/// A picture for every frame of the clip, as long as the engine shows it.
fn frame_by_frame(motion: &Motion, scene: &Scene, clip: &Clip) -> Vec<Step> {
    let count = clip.shown_frames();
    let end = if count > 1 { clip.exact_duration() } else { ONE_FRAME };
    let start = |frame: usize| if frame < count { clip.exact_start(frame) } else { end };
    let step = |frame: usize| {
        let mut scene = scene.clone();
        scene.moment.animation = Some(clip.name().to_owned());
        scene.moment.frames = Some(Frames { from: frame, to: frame, t: 0.0 });
        Step { scene, seconds: (start(frame + 1) - start(frame)) / motion.speed }
    };
    // Frames of a group can end when they begin; one is left at least.
    let mut steps: Vec<Step> = (0..count).map(step).filter(|step| step.seconds > 0.0).collect();
    if steps.is_empty() {
        steps.push(Step { seconds: ONE_FRAME / motion.speed, ..step(0) });
    }
    steps
}

/// A picture whenever a frame of any part begins.
fn change_by_change(motion: &Motion, scene: &Scene, starts: &[f64]) -> Vec<Step> {
    let step = |begin: f64, end: f64| {
        let mut scene = scene.clone();
        // Away from the ends, where rounding might choose the frame beside.
        scene.moment.seconds = Some(((begin + end) / 2.0) as f32);
        scene.moment.interpolation = Some(false);
        Step { scene, seconds: (end - begin) / motion.speed }
    };
    if starts.len() < 2 {
        return vec![step(0.0, ONE_FRAME)];
    }
    starts.windows(2).map(|pair| step(pair[0], pair[1])).collect()
}

/// Pictures `fps` times a second; the last is shown for what is left of the round. `place` is where the clip is
/// after so many seconds of it.
fn sampled(
    motion: &Motion,
    scene: &Scene,
    round: f64,
    fps: f64,
    place: impl Fn(f64) -> f64,
) -> Result<Vec<Step>, RequestError> {
    let length = round / motion.speed;
    let count = length * fps;
    let last = count.fract();
    let whole = count.floor();
    let count = if last < SHORTEST { whole } else { whole + 1.0 }.max(1.0);
    if count > MAX_STEPS as f64 {
        return Err(RequestError::new(format!(
            "the animation would have {count:.0} pictures, of {MAX_STEPS} at most; lower --fps or raise \
             --speed"
        )));
    }
    let count = count as usize;
    let step = |number: usize| {
        let time = place(number as f64 / fps * motion.speed);
        let is_last = number + 1 == count;
        let seconds = if is_last { length - number as f64 / fps } else { 1.0 / fps };
        Step { scene: at(scene, time), seconds }
    };
    Ok((0..count).map(step).collect())
}

/// Pictures `fps` times a second up to the end of what does not repeat, and that end.
fn sampled_once(
    motion: &Motion,
    course: Course,
    scene: &Scene,
    end: f64,
    fps: f64,
) -> Result<Vec<Step>, RequestError> {
    let place = |time: f64| if course.reversed { (end - time).max(0.0) } else { time.min(end) };
    let mut steps = sampled(motion, scene, end, fps, place)?;
    // What is left before the end would be too short for a GIF.
    if let Some(last) = steps.pop_if(|last| last.seconds < 0.5 / fps)
        && let Some(before) = steps.last_mut()
    {
        before.seconds += last.seconds;
    }
    steps.push(Step { scene: at(scene, place(end)), seconds: 1.0 / fps });
    Ok(steps)
}

/// The scene at a time of its clip.
fn at(scene: &Scene, seconds: f64) -> Scene {
    let mut scene = scene.clone();
    scene.moment.seconds = Some(seconds as f32);
    scene
}

/// Adds the pictures back to the first one: neither end is shown twice.
fn back_again(steps: &mut Vec<Step>) {
    if let [_, between @ .., _] = &steps[..] {
        let back: Vec<Step> = between.iter().rev().cloned().collect();
        steps.extend(back);
    }
}

/// GIF counts hundredths of a second, and viewers take less than two of them for ten.
const GIF_TICKS: u32 = 100;
const SHORTEST_GIF_DELAY: u32 = 2;
const WEBP_TICKS: u32 = 1000;

/// The pictures that a format has place for: what is left of a clip at its end joins the picture before it
/// where it would be too short for a GIF.
pub(super) fn fitted(kind: FilmKind, steps: Vec<Step>) -> Vec<Step> {
    // Less is the rounding of what was meant to be as long.
    const ROUNDING: f64 = 1e-6;
    let shortest = f64::from(SHORTEST_GIF_DELAY) / f64::from(GIF_TICKS) - ROUNDING;
    if kind != FilmKind::Gif {
        return steps;
    }
    let ends_clip = |number: usize| {
        let moment = |step: &Step| step.scene.moment.seconds;
        let Some(now) = moment(&steps[number]) else { return false };
        steps.get(number + 1).is_none_or(|next| moment(next).is_some_and(|next| next < now))
    };
    let ends: Vec<bool> = (0..steps.len()).map(ends_clip).collect();
    let mut fitted: Vec<Step> = Vec::new();
    for (step, is_end) in steps.into_iter().zip(ends) {
        match fitted.last_mut() {
            Some(last) if is_end && step.seconds < shortest && last.seconds >= shortest => {
                last.seconds += step.seconds;
            }
            _ => fitted.push(step),
        }
    }
    fitted
}

/// Parts of a second that a format counts delays in, and the delays of the pictures.
///
/// # Errors
/// If the format cannot have them.
pub(super) fn ticks_of(kind: FilmKind, steps: &[Step]) -> Result<(u32, Vec<u32>), RequestError> {
    let most = match kind {
        FilmKind::Gif | FilmKind::Apng => u32::from(u16::MAX),
        FilmKind::WebP => (1 << 24) - 1,
        FilmKind::Y4m | FilmKind::Rgba => u32::MAX,
    };
    let longest = steps.iter().map(|step| step.seconds).fold(0.0, f64::max);
    let fits = |ticks: u32| {
        let has_room = f64::from(most) / f64::from(ticks);
        let message = format!(
            "a picture is shown for {longest} s, and this format has place for {has_room} s; give a higher \
             --speed or --fps"
        );
        if longest > has_room { Err(RequestError::new(message)) } else { Ok(()) }
    };
    match kind {
        FilmKind::Gif => {
            fits(GIF_TICKS)?;
            let delays = delays(steps, GIF_TICKS);
            if let Some(number) = delays.iter().position(|delay| *delay < SHORTEST_GIF_DELAY) {
                let seconds = steps[number].seconds;
                return Err(RequestError::new(format!(
                    "picture {number} is shown for {seconds:.4} s, but of a GIF viewers take what is \
                     shorter than 0.02 s for 0.1 s; give --fps 50 or less, or write .png or .webp"
                )));
            }
            Ok((GIF_TICKS, delays))
        }
        FilmKind::WebP => {
            fits(WEBP_TICKS)?;
            Ok((WEBP_TICKS, delays(steps, WEBP_TICKS)))
        }
        FilmKind::Apng => {
            fits(1)?;
            let ticks = exact_ticks(steps).min((f64::from(most) / longest) as u32).max(1);
            Ok((ticks, delays(steps, ticks)))
        }
        FilmKind::Y4m => {
            let (ticks, delay) = rate(steps)?;
            Ok((ticks, vec![delay; steps.len()]))
        }
        FilmKind::Rgba => Ok((1, vec![1; steps.len()])),
    }
}

/// The pictures a second of a stream, as a fraction: what is left at the end of a clip is shown as long as
/// the others.
///
/// # Errors
/// If the pictures are not shown equally long.
fn rate(steps: &[Step]) -> Result<(u32, u32), RequestError> {
    const LARGEST_DENOMINATOR: u32 = 1001;
    let first = steps.first().map_or(1.0, |step| step.seconds);
    let all_but_last = &steps[..steps.len().saturating_sub(1)];
    if all_but_last.iter().any(|step| (step.seconds - first).abs() > 1e-6) {
        return Err(RequestError::new(
            "the pictures are not shown equally long, and y4m has one rate for all; give --fps",
        ));
    }
    let of = |denominator: u32| (f64::from(denominator) / first, denominator);
    let is_exact = |(ticks, _): &(f64, u32)| (ticks - ticks.round()).abs() < 1e-7 * ticks;
    // Those of video first: others come near them.
    let found = [1, 1001].into_iter().chain(2..LARGEST_DENOMINATOR).map(of).find(is_exact);
    let (ticks, denominator) = found.unwrap_or(of(LARGEST_DENOMINATOR));
    Ok((ticks.round().max(1.0) as u32, denominator))
}

/// Delays of pictures counted in parts of a second, so that every picture begins at the part next to its
/// time: what is rounded is made up for by the next ones.
fn delays(steps: &[Step], ticks: u32) -> Vec<u32> {
    let mut passed = 0.0;
    let mut told = 0_u64;
    let delay = |step: &Step| {
        passed += step.seconds;
        let end = (passed * f64::from(ticks)).round() as u64;
        let delay = end.saturating_sub(told);
        told = end.max(told);
        u32::try_from(delay).unwrap_or(u32::MAX)
    };
    steps.iter().map(delay).collect()
}

/// The smallest part of a second, up to a thousandth, in which all pictures begin and end; a thousandth if
/// there is none.
fn exact_ticks(steps: &[Step]) -> u32 {
    const THOUSANDTHS: u32 = 1000;
    let ends: Vec<f64> = steps
        .iter()
        .scan(0.0, |passed, step| {
            *passed += step.seconds;
            Some(*passed)
        })
        .collect();
    let is_exact = |ticks: &u32| {
        let off = |end: &f64| (end * f64::from(*ticks) - (end * f64::from(*ticks)).round()).abs();
        ends.iter().all(|end| off(end) < 1e-4)
    };
    (1..=THOUSANDTHS).find(is_exact).unwrap_or(THOUSANDTHS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(seconds: &[f64]) -> Vec<Step> {
        let step = |&seconds: &f64| Step { scene: Scene::default(), seconds };
        seconds.iter().map(step).collect()
    }

    #[test]
    fn delays_make_up_for_what_they_round() {
        let third = [1.0 / 3.0; 3];
        let cases: [(&[f64], u32, &[u32]); 5] = [
            (&third, 100, &[33, 34, 33]),
            (&[0.1; 4], 100, &[10; 4]),
            (&[1.0 / 24.0; 6], 100, &[4, 4, 5, 4, 4, 4]),
            (&[0.05, 0.1, 0.15], 1000, &[50, 100, 150]),
            (&[0.004, 0.004, 0.004], 100, &[0, 1, 0]),
        ];
        for (seconds, ticks, expected) in cases {
            assert_eq!(delays(&steps(seconds), ticks), expected, "{seconds:?}");
        }
        let long = delays(&steps(&[1.0 / 30.0; 3000]), 100);
        assert_eq!(long.iter().sum::<u32>(), 10_000);
    }

    #[test]
    fn delays_are_exact_where_they_can_be() {
        let cases: [(FilmKind, &[f64], u32, &[u32]); 7] = [
            (FilmKind::Apng, &[0.1, 0.1], 10, &[1, 1]),
            (FilmKind::Apng, &[1.0 / 24.0; 2], 24, &[1, 1]),
            (FilmKind::Apng, &[0.05, 0.1, 0.15], 20, &[1, 2, 3]),
            (FilmKind::Apng, &[0.125, 8192.0], 7, &[1, 57344]),
            (FilmKind::WebP, &[1.0 / 24.0; 3], 1000, &[42, 41, 42]),
            (FilmKind::Y4m, &[1.0 / 24.0, 1.0 / 24.0, 0.02], 24, &[1; 3]),
            (FilmKind::Y4m, &[1001.0 / 24000.0; 2], 24000, &[1001; 2]),
        ];
        for (kind, seconds, ticks, delays) in cases {
            let found = ticks_of(kind, &steps(seconds)).unwrap();
            assert_eq!(found, (ticks, delays.to_vec()), "{kind:?} {seconds:?}");
        }
    }

    #[test]
    fn timing_that_a_format_lacks_is_an_error() {
        for (kind, seconds, why) in [
            (FilmKind::Gif, [0.1, 0.01, 0.1], "picture 1 is shown for 0.0100 s"),
            (FilmKind::Gif, [0.1, 655.36, 0.1], "655.36 s, and this format has place for 655.35 s"),
            (FilmKind::Apng, [0.1, 65536.0, 0.1], "has place for 65535 s"),
            (FilmKind::WebP, [0.1, 1e30, 0.1], "has place for 16777.215 s"),
            (FilmKind::Y4m, [0.1, 0.2, 0.1], "one rate for all; give --fps"),
        ] {
            let error = ticks_of(kind, &steps(&seconds)).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn the_end_of_a_clip_joins_what_is_before_it_in_a_gif() {
        let at = |moments: &[(f32, f64)]| -> Vec<Step> {
            let mut steps = steps(&moments.iter().map(|(_, seconds)| *seconds).collect::<Vec<_>>());
            for (step, (moment, _)) in steps.iter_mut().zip(moments) {
                step.scene.moment.seconds = Some(*moment);
            }
            steps
        };
        let once = [(0.0, 0.02), (0.02, 0.02), (0.04, 0.01)];
        let back = [(0.0, 0.02), (0.02, 0.02), (0.04, 0.01), (0.02, 0.02)];
        let twice = [(0.0, 0.02), (0.02, 0.01), (0.0, 0.02), (0.02, 0.01)];
        let whole = [(0.0, 0.02), (0.02, 0.02 - 1e-9)];
        let short = [(0.0, 0.01), (0.01, 0.01), (0.02, 0.005)];
        let cases = [
            ("once", &once[..], &[0.02, 0.03][..]),
            ("back", &back, &[0.02, 0.03, 0.02]),
            ("twice", &twice, &[0.03, 0.03]),
            ("whole", &whole, &[0.02, 0.02]),
            ("short", &short, &[0.01, 0.01, 0.005]),
        ];
        for (name, moments, expected) in cases {
            let fitted = fitted(FilmKind::Gif, at(moments));
            let found: Vec<f64> =
                fitted.iter().map(|step| (step.seconds * 1e6).round() / 1e6).collect();
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(fitted(FilmKind::Apng, at(&once)).len(), 3);
        // Frames of a file are no ends that were cut off.
        assert_eq!(fitted(FilmKind::Gif, steps(&[0.1, 0.01])).len(), 2);
    }

    #[test]
    fn what_goes_forth_comes_back_without_its_ends() {
        for (count, expected) in
            [(1, vec![1.0]), (2, vec![1.0, 2.0]), (4, vec![1.0, 2.0, 3.0, 4.0, 3.0, 2.0])]
        {
            let seconds: Vec<f64> = (1..=count).map(f64::from).collect();
            let mut steps = steps(&seconds);
            back_again(&mut steps);
            let found: Vec<f64> = steps.iter().map(|step| step.seconds).collect();
            assert_eq!(found, expected);
        }
    }
}
