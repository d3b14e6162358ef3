//! What the window writes: its picture as a PNG, the clip that plays as a GIF.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::picture::image_of;
use super::playback::{PlayMode, end_of};
use super::viewer::Viewer;
use crate::motion::{Course, Crew, FilmKind, FilmOptions, Motion, MotionError, Step, write_film};
use crate::output::{WriteError, write_file};
use crate::raster::Renderer;
use crate::scene::{Input, Opened, Scene, Studio};

/// Pictures a second of a GIF of what moves between the frames of a clip.
const FPS: f64 = 20.0;

/// A turn about what is this share of the model beside the focal point looks like one about that.
const SAME_AXIS: f32 = 1e-4;

/// What moves.
struct Film {
    scene: Scene,
    motion: Motion,
    course: Course,
    /// How often the file is played; 0 for ever.
    plays: u32,
    /// Seconds of animated skins a second.
    clock_rate: f64,
}

impl Viewer {
    /// Writes a picture under a name that is not taken yet; returns what is said about it.
    pub(super) fn screenshot(&mut self, alone: bool) -> Result<String, String> {
        // What an earlier key said is not a part of it.
        self.state.be_silent();
        self.refresh();
        let image = if alone {
            self.picture.image().map_err(|error| error.to_string())?
        } else {
            image_of(&self.surface).ok_or("there is no picture yet")?
        };
        let mut png = Vec::new();
        image.encode_drawn(&mut png).map_err(|error| error.to_string())?;
        self.write_new("png", |path| write_file(path, |out| out.write_all(&png)))
    }

    /// Writes what moves as a GIF under a name that is not taken yet.
    pub(super) fn save_clip(&mut self) -> Result<String, String> {
        let (film, steps) = self.film_and_steps()?;
        let opened = self.picture.opened().ok_or("there is no model")?;
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let studios = (0..threads).map(|_| Studio::new(Renderer::new())).collect();
        let crew = Crew::new(opened, studios).map_err(|error| error.to_string())?;
        let options = FilmOptions { kind: FilmKind::Gif, plays: film.plays, dither: false };
        let mut encoded = Vec::new();
        let made = write_film(&steps, &crew, options, &mut encoded, &|_, _| ());
        made.map_err(|error: MotionError| error.to_string())?;
        self.write_new("gif", |path| write_file(path, |out| out.write_all(&encoded)))
    }

    /// The `polyset animate` command that writes what [`Viewer::save_clip`] does, and what it does in another
    /// way.
    ///
    /// # Errors
    /// If nothing moves, or not as any options say it.
    pub(super) fn clip_command(&mut self) -> Result<(OsString, Option<&'static str>), String> {
        let film = self.film()?;
        let lacks = |what| Err(format!("there is no command: animate cannot {what}; F10 can"));
        let Film { motion, course, clock_rate, .. } = &film;
        if course.reversed && !motion.ping_pong {
            return lacks("play backwards");
        }
        if course.once && motion.turntable.is_some() {
            return lacks("turn a model whose clip has stopped");
        }
        if course.axis.is_some() {
            return lacks("turn about another place than the camera looks at");
        }
        if motion.turntable.is_some() && self.state.floats() {
            return lacks("let an item float");
        }
        let has_animated_skin = self.picture.opened().is_some_and(Opened::has_animated_skin);
        let goes_on = course.end.is_some() && motion.fps.is_some();
        let differs = if goes_on {
            Some("it plays on to the end of the last frame")
        } else if has_animated_skin && *clock_rate != 1.0 {
            Some("the skin has its own speed")
        } else {
            None
        };
        Ok((film.motion.command_line_of(&film.scene, "gif", film.plays), differs))
    }

    /// What moves, and its pictures.
    ///
    /// # Errors
    /// If nothing moves.
    fn film_and_steps(&mut self) -> Result<(Film, Vec<Step>), String> {
        let film = self.film()?;
        let opened = self.picture.opened().ok_or("there is no model")?;
        let mut steps = film
            .motion
            .steps_on(film.course, &film.scene, opened)
            .map_err(|error| error.to_string())?;
        let begin = film.scene.moment.clock.unwrap_or(0.0);
        let mut passed = 0.0;
        for step in &mut steps {
            step.scene.moment.clock = Some(begin + passed * film.clock_rate);
            if let Some([_, _, z]) = &mut step.scene.placement.origin
                && self.state.floats()
            {
                *z += self.state.bob(passed) - self.state.bob(0.0);
            }
            passed += step.seconds;
        }
        Ok((film, steps))
    }

    /// What moves in the window, seen from where its camera is.
    fn film(&mut self) -> Result<Film, String> {
        self.follow_clip();
        let mut scene = self.picture.scene(&self.state);
        let state = &self.state;
        let playback = &state.playback;
        let turntable = state.turntable_pictures(FPS);
        let mut motion = Motion { turntable, ..Motion::default() };
        let mut course = Course::default();
        if turntable.is_some() {
            let [x, y, _] = state.orbit.focal_point;
            let [min, max] = state.bounds();
            let axis = state.turn_axis();
            let near = (0..3).map(|axis| max[axis] - min[axis]).fold(0.0, f32::max) * SAME_AXIS;
            let is_focal = (axis[0] - x).abs() <= near && (axis[1] - y).abs() <= near;
            course.axis = (!is_focal).then_some(axis);
        }
        let clip = state.clip().filter(|_| state.is_playing() || turntable.is_none());
        let Some(clip) = clip else {
            if turntable.is_none() {
                return Err("nothing moves: this model has no clip to save".into());
            }
            scene.moment.clock = Some(state.clock());
            return Ok(Film { scene, motion, course, plays: 0, clock_rate: 0.0 });
        };
        scene.moment.animation = Some(clip.name().to_owned());
        (scene.moment.frames, scene.moment.seconds) = (None, None);
        let begin = playback.beginning(Some(clip));
        scene.moment.clock = (begin != 0.0).then_some(begin);
        // A turn goes on while a frame stands.
        let stands = !playback.interpolates && turntable.is_some();
        scene.moment.interpolation = stands.then_some(false);
        motion.fps = (playback.interpolates || stands).then_some(FPS);
        motion.speed = playback.speed();
        motion.ping_pong = playback.mode == PlayMode::PingPong;
        course.reversed = playback.reversed;
        course.once = playback.mode == PlayMode::Once;
        course.end = (playback.mode != PlayMode::Loop).then(|| end_of(clip, playback.mode));
        let plays = u32::from(course.once && turntable.is_none());
        let clock_rate = if playback.reversed { -motion.speed } else { motion.speed };
        Ok(Film { scene, motion, course, plays, clock_rate })
    }

    /// Writes a file of this kind beside the screenshots under the first number that is free.
    fn write_new(
        &self,
        extension: &str,
        write: impl Fn(&Path) -> Result<(), WriteError>,
    ) -> Result<String, String> {
        let stem = stem_of(&self.inputs[self.state.input]);
        for number in 1..10_000 {
            let file = format!("{stem}-{number:03}.{extension}");
            let path = self.options.screenshot_folder.join(file);
            // Taking the name first keeps other windows from taking it too.
            match std::fs::File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("cannot write '{}': {error}", path.display())),
                Ok(_) => {
                    return match write(&path) {
                        Ok(()) => Ok(format!("written: {}", whole(&path).display())),
                        Err(error) => {
                            let _ = std::fs::remove_file(&path);
                            Err(error.to_string())
                        }
                    };
                }
            }
        }
        Err(format!("there are too many pictures of '{stem}'"))
    }
}

/// What files of an input are called: like the model; every model of Quake II is called `tris`, and is known
/// by its folder.
fn stem_of(input: &Input) -> String {
    let Some(file) = input.file() else { return "stdin".into() };
    let stem = file.file_stem().to_string_lossy().into_owned();
    let folders = match file.member() {
        Some(member) => member.rsplit(['/', '\\']).nth(1).map(str::to_owned),
        None => whole(file.path())
            .parent()
            .and_then(Path::file_name)
            .map(|folder| folder.to_string_lossy().into_owned()),
    };
    let stem = match folders {
        Some(folder) if stem.eq_ignore_ascii_case("tris") => folder,
        // A folder's own name may have dots.
        _ if file.path().is_dir() && file.member().is_none() => {
            file.file_name().to_string_lossy().into_owned()
        }
        _ => stem,
    };
    let is_bad = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    let stem: String = stem.chars().map(|c| if is_bad(c) { '_' } else { c }).collect();
    if stem.is_empty() { "model".into() } else { stem }
}

/// The path from the root on.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::event::{Event, Held};
    use super::super::keys::Key::{self, Char};
    use super::super::playback::Playback;
    use super::super::settings::{InternalResolution, Settings};
    use super::super::source::{Shown, ViewOptions};
    use super::super::state::State;
    use super::*;

    /// A window that plays, after some keys, from the beginning of its second clip.
    fn viewer(model: &str, interpolates: bool, keys: &[Key]) -> Viewer {
        let path = format!("{}/tests/models/{model}", env!("CARGO_MANIFEST_DIR"));
        let settings = Settings::new(Scene::default(), InternalResolution::Window);
        let playback = Playback::new(true, interpolates);
        let state = State::new(settings, playback, Shown::default(), true, false, 1, [80, 60]);
        let inputs = vec![Scene::new(path).source.input];
        let mut viewer = Viewer::new(inputs, Scene::default(), ViewOptions::default(), state);
        viewer.load(0);
        for &key in keys {
            press(&mut viewer, key);
        }
        press(&mut viewer, Char('W'));
        viewer
    }

    fn press(viewer: &mut Viewer, key: Key) {
        assert!(viewer.take(viewer.state.now(), Event::Key { key, shift: false }));
    }

    fn command(viewer: &mut Viewer) -> Result<String, String> {
        viewer.clip_command().map(|(line, _)| line.into_string().unwrap())
    }

    const ONCE: Key = Char('\\');
    const BACK: Key = Key::Backspace;

    #[test]
    fn what_is_saved_is_what_is_shown_whatever_way_it_goes() {
        let ways: [&[Key]; 6] =
            [&[], &[BACK], &[ONCE], &[ONCE, BACK], &[ONCE, ONCE], &[ONCE, ONCE, BACK]];
        for turn in [None, Some(Char('O'))] {
            for model in ["bolt.md2", "bolt.mdl", "bolt.md5mesh"] {
                for way in ways {
                    let keys: Vec<Key> = turn.into_iter().chain(way.iter().copied()).collect();
                    let mut viewer = viewer(model, true, &keys);
                    // The camera no longer looks at what it turns about.
                    viewer.state.orbit.pan(0.1, 0.0);
                    let (_, steps) = viewer.film_and_steps().unwrap();
                    let mut passed = 0.0;
                    for step in &steps {
                        viewer.advance((passed * 1e3_f64).round() as u64);
                        let shown = viewer.state.scene(false);
                        let [a, b] = [&step.scene, &shown]
                            .map(|scene| (scene.moment.seconds.unwrap(), scene.placement.clone()));
                        let what = format!("{model} {keys:?} at {passed}: {a:?} {b:?}");
                        let clip = viewer.state.clip().unwrap();
                        let goes_round = turn.is_some() && passed > clip.exact_duration();
                        assert!(goes_round || near(a.0, b.0, clip.duration()), "{what}");
                        for at in 0..3 {
                            let place = [&a, &b].map(|of| of.1.origin.unwrap_or_default()[at]);
                            let angle = [&a, &b].map(|of| of.1.angles.unwrap_or_default()[at]);
                            assert!((place[0] - place[1]).abs() < 0.05, "{what}");
                            assert!((angle[0] - angle[1]).abs() < 0.1, "{what}");
                        }
                        passed += step.seconds;
                    }
                    assert!(steps.len() > 3, "{model}");
                }
            }
        }
    }

    /// The clock of a window counts thousandths; the end of what loops is its beginning.
    fn near(a: f32, b: f32, round: f32) -> bool {
        let apart = (a - b).rem_euclid(round);
        apart < 2e-3 || round - apart < 2e-3
    }

    #[test]
    fn frames_are_saved_in_the_order_in_which_they_are_shown() {
        let numbers = |way: &[Key]| -> Vec<usize> {
            let mut viewer = viewer("bolt.md2", false, way);
            let (_, steps) = viewer.film_and_steps().unwrap();
            steps.iter().map(|step| step.scene.moment.frames.unwrap().from).collect()
        };
        let forth = numbers(&[]);
        let back: Vec<usize> = forth.iter().rev().copied().collect();
        let between = &back[1..back.len() - 1];
        assert!(forth.len() > 3);
        assert_eq!(numbers(&[BACK]), back);
        assert_eq!(numbers(&[ONCE]), forth);
        assert_eq!(numbers(&[ONCE, BACK]), back);
        assert_eq!(numbers(&[ONCE, ONCE]), [&forth, between].concat());
    }

    #[test]
    fn the_command_says_the_way_or_that_it_cannot() {
        let said = |interpolates, way: &[Key]| {
            let mut viewer = viewer("bolt.md2", interpolates, way);
            viewer.clip_command().map(|(line, but)| (line.into_string().unwrap(), but))
        };
        for interpolates in [false, true] {
            let (line, but) = said(interpolates, &[]).unwrap();
            assert!(!line.contains("--loop") && !line.contains("--ping-pong"), "{line}");
            assert_eq!(but, None);
            let (line, but) = said(interpolates, &[ONCE]).unwrap();
            assert!(line.contains("--loop 1"), "{line}");
            assert_eq!(but.is_some(), interpolates);
            let (line, but) = said(interpolates, &[ONCE, ONCE]).unwrap();
            assert!(line.contains("--ping-pong"), "{line}");
            assert_eq!(but.is_some(), interpolates);
            let error = said(interpolates, &[BACK]).unwrap_err();
            assert!(error.contains("backwards"), "{error}");
        }
    }

    #[test]
    fn a_turn_about_what_the_camera_looks_at_has_a_command() {
        let mut viewer = viewer("bolt.md2", true, &[Char('O')]);
        assert!(command(&mut viewer).unwrap().contains("--turntable 200"));
        viewer.take(0, Event::Wheel { steps: 1.0, held: Held::default() });
        assert!(command(&mut viewer).is_ok());
        viewer.state.orbit.pan(0.1, 0.0);
        let error = command(&mut viewer).unwrap_err();
        assert!(error.contains("another place"), "{error}");
    }

    #[test]
    fn what_plays_once_is_a_gif_that_does() {
        let folder = tempfile::tempdir().unwrap();
        for (way, plays_once) in [(&[][..], false), (&[ONCE][..], true)] {
            let mut viewer = viewer("bolt.md2", true, way);
            viewer.options.screenshot_folder = folder.path().to_owned();
            let said = viewer.save_clip().unwrap();
            let gif = std::fs::read(said.strip_prefix("written: ").unwrap()).unwrap();
            let repeats = gif.windows(11).any(|bytes| bytes == b"NETSCAPE2.0");
            assert_eq!(repeats, !plays_once);
        }
    }

    #[test]
    fn pictures_are_called_like_what_they_show() {
        for (input, expected) in [
            ("a/bolt.md2", "bolt"),
            ("a/v1.2.final.mdl", "v1.2.final"),
            ("models/monsters/soldier/tris.md2", "soldier"),
            ("models/monsters/soldier/TRIS.MD2", "soldier"),
            ("pak0.pak:models/monsters/soldier/tris.md2", "soldier"),
            ("pak0.pak:tris.md2", "tris"),
            ("tests/models/players/bolt", "bolt"),
            (".md2", ".md2"),
            ("-", "stdin"),
        ] {
            assert_eq!(stem_of(&Input::from(std::ffi::OsStr::new(input))), expected, "{input}");
        }
    }
}
