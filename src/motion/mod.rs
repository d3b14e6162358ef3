//! Pictures that move: clips and turntables as files.
//!
//! A [`Motion`] makes [`Step`]s of a scene: what is drawn, and how long it is shown. [`write_film`] draws
//! them side by side and hands them in their order to an encoder; [`write_frames`] makes a
//! PNG of each.

mod crew;
mod encode;
mod sprites;
mod timing;
mod turn;
mod write;

pub use crew::Crew;
pub use encode::FilmKind;
pub use sprites::{
    Cell, DoomSprite, Schema, Sheet, SheetOptions, SpriteSet, SpriteView, Sprites, doom_sprites,
    lay_out,
};
pub use timing::{Step, length};
#[cfg(feature = "window")]
pub(crate) use turn::turn_model;
pub use write::{FilmOptions, FilmSummary, MotionError, write_film, write_frames};

use std::ffi::OsString;

use crate::error::RequestError;
use crate::scene::command::line_of;
use crate::scene::{FrameOn, Opened, Scene};

/// How a scene moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Pictures a second; unless said there is one for every frame of the clip, shown as long as the
    /// engine shows it. A turn without a clip has 20.
    pub fps: Option<f64>,
    /// How many times faster than in the engine.
    pub speed: f64,
    /// The clip forth, then back.
    pub ping_pong: bool,
    /// A full turn in so many pictures.
    pub turntable: Option<u32>,
    /// The light turns with the model, rather than staying where it is.
    pub light_follows: bool,
}

impl Default for Motion {
    fn default() -> Self {
        Self { fps: None, speed: 1.0, ping_pong: false, turntable: None, light_follows: false }
    }
}

/// How what the window shows moves beyond what a [`Motion`] says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Course {
    /// The clip plays backwards.
    pub(crate) reversed: bool,
    /// Seconds at which the clip stops or turns back, before it would come to its first frame again.
    pub(crate) end: Option<f64>,
    /// The clip stays at its end, however long the model turns.
    pub(crate) once: bool,
    /// The vertical of a turn, instead of the one through the focal point.
    pub(crate) axis: Option<[f32; 2]>,
}

/// Pictures a second of a turn without a clip.
const TURN_FPS: f64 = 20.0;

impl Motion {
    /// The pictures in their order. The scene's clip is that of its options, else the one that the model
    /// rests in; a turn plays a clip only if the scene chooses one. The camera shows all of them from one
    /// place: the whole clip unless the scene says something else ([`FrameOn::Pose`] frames every picture
    /// by itself). The game's clock runs on from the scene's.
    ///
    /// # Errors
    /// If a rate or a speed is not positive, a turn has no pictures, or the scene chooses a single moment or
    /// an animation that the model does not have.
    pub fn steps(&self, scene: &Scene, opened: &Opened) -> Result<Vec<Step>, RequestError> {
        self.steps_on(Course::default(), scene, opened)
    }

    /// [`Motion::steps`] on another course.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn steps_on(
        &self,
        course: Course,
        scene: &Scene,
        opened: &Opened,
    ) -> Result<Vec<Step>, RequestError> {
        self.check()?;
        let mut steps = if self.plays_clip(scene)? {
            let mut steps = timing::of_clip(self, course, scene, opened)?;
            if let Some(count) = self.turntable {
                let (len, once) = (steps.len(), course.once);
                let shown = |n: usize| if once { n.min(len - 1) } else { n % len };
                steps = (0..count as usize).map(|n| steps[shown(n)].clone()).collect();
            }
            steps
        } else {
            let seconds = 1.0 / (self.fps.unwrap_or(TURN_FPS) * self.speed);
            let count = self.turntable.unwrap_or(1) as usize;
            vec![Step { scene: scene.clone(), seconds }; count]
        };
        self.aim(course, scene, opened, &mut steps)?;
        let begin = scene.moment.clock.unwrap_or(0.0);
        let mut passed = 0.0;
        for step in &mut steps {
            step.scene.moment.clock = Some(begin + passed);
            passed += step.seconds;
        }
        Ok(steps)
    }

    fn check(&self) -> Result<(), RequestError> {
        let is_positive = |number: f64| number > 0.0 && number.is_finite();
        for (name, number) in [("--fps", self.fps.unwrap_or(1.0)), ("--speed", self.speed)] {
            if !is_positive(number) {
                return Err(RequestError::new(format!(
                    "{name}: {number}, expected a positive number"
                )));
            }
        }
        match self.turntable {
            Some(0) => Err(RequestError::new("--turntable: 0 pictures, expected at least 1")),
            _ => Ok(()),
        }
    }

    /// The `polyset animate` command of a scene, as a line for a shell; the file is called like the model and
    /// has this extension.
    #[must_use]
    pub fn command_line(&self, scene: &Scene, extension: &str) -> OsString {
        self.command_line_of(scene, extension, 0)
    }

    /// [`Motion::command_line`] of a file that is played so many times; 0 is for ever.
    pub(crate) fn command_line_of(&self, scene: &Scene, extension: &str, plays: u32) -> OsString {
        let mut options: Vec<OsString> = Vec::new();
        let numbers = [
            ("--fps", self.fps),
            ("--speed", Some(self.speed).filter(|speed| *speed != 1.0)),
            ("--turntable", self.turntable.map(f64::from)),
            ("--loop", (plays != 0).then_some(f64::from(plays))),
        ];
        for (name, number) in numbers {
            options.extend(number.into_iter().flat_map(|n| [name.into(), n.to_string().into()]));
        }
        for (name, is_said) in
            [("--ping-pong", self.ping_pong), ("--light-follows", self.light_follows)]
        {
            options.extend(is_said.then(|| name.into()));
        }
        line_of(&scene.command_of("animate", extension, options))
    }

    /// The pictures of the scene's clip, each framed by itself.
    ///
    /// # Errors
    /// If there is no such clip.
    fn of_clip(&self, scene: &Scene, opened: &Opened) -> Result<Vec<Step>, RequestError> {
        timing::of_clip(self, Course::default(), scene, opened)
    }

    /// # Errors
    /// If the scene chooses a moment, and nothing would move.
    fn plays_clip(&self, scene: &Scene) -> Result<bool, RequestError> {
        let (moment, engine) = (&scene.moment, &scene.engine);
        let moments = [
            ("frame", moment.frames.is_some()),
            ("animation-time", moment.seconds.is_some()),
            ("engine-frame", engine.frame.is_some()),
            ("old-frame", engine.old_frame.is_some()),
            ("backlerp", engine.backlerp.is_some()),
            ("sync", engine.sync.is_some()),
        ];
        let chosen = moments.iter().find(|(_, is_said)| *is_said);
        match (chosen, self.turntable) {
            (Some((option, _)), None) => Err(RequestError::new(format!(
                "--{option} chooses a single moment; leave it out, or give --turntable"
            ))),
            (Some(_), Some(_)) => Ok(false),
            (None, None) => Ok(true),
            (None, Some(_)) => Ok(moment.animation.is_some()
                || moment.legs.is_some()
                || moment.torso.is_some()
                || !moment.attached_clips.is_empty()),
        }
    }

    /// Places the camera of all pictures, and turns the model or the camera from each to the next.
    fn aim(
        &self,
        course: Course,
        scene: &Scene,
        opened: &Opened,
        steps: &mut [Step],
    ) -> Result<(), RequestError> {
        let usual = if self.plays_clip(scene)? { FrameOn::Clip } else { FrameOn::Pose };
        let frame_on = scene.camera.frame_on.unwrap_or(usual);
        let mut seen = scene.clone();
        seen.camera.frame_on = Some(frame_on);
        let framed = match (frame_on, steps.first()) {
            (FrameOn::Pose, Some(first)) => first.scene.framed_pose(opened)?,
            _ => seen.framed(opened)?,
        };
        if self.turntable.is_some() {
            return turn::turn(self.light_follows, course.axis, &seen, &framed, steps);
        }
        if frame_on == FrameOn::Pose && scene.camera.position.is_none() {
            return Ok(());
        }
        let placed = seen.with_camera_for(&framed)?;
        steps.iter_mut().for_each(|step| step.scene.take_camera_of(&placed));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::Renderer;
    use crate::scene::{Anims, Studio};

    fn steps(model: &str, options: &[(&str, &str)], motion: &Motion) -> Vec<Step> {
        let mut scene = Scene::new(format!("tests/models/{model}"));
        for (name, value) in options {
            scene.set(name, value).unwrap();
        }
        let opened = scene.open_with(Anims::AsAsked).unwrap();
        motion.steps(&scene, &opened).unwrap()
    }

    #[test]
    fn frames_last_as_long_as_in_the_engine() {
        let usual = Motion::default();
        let wave = steps("bolt.mdl", &[("animation", "wave")], &usual);
        let times: Vec<f64> = wave.iter().map(|step| (step.seconds * 1e4).round() / 1e4).collect();
        assert_eq!(times, [0.1, 0.15, 0.05, 0.15, 0.1, 0.05, 0.15, 0.05, 0.1, 0.25]);
        let frames: Vec<_> =
            wave.iter().map(|step| step.scene.moment.frames.map(|frames| frames.from)).collect();
        assert_eq!(frames, (0..10).map(Some).collect::<Vec<_>>());
        let walk = steps("bolt.md5mesh", &[("animation", "bolt_walk")], &usual);
        assert!(walk.iter().all(|step| (step.seconds - walk[0].seconds).abs() < 1e-9));
        let fast = steps("bolt.mdl", &[], &Motion { speed: 4.0, ..Motion::default() });
        assert!((length(&fast) - 0.2).abs() < 1e-6, "{}", length(&fast));
        // Legs and torso of a player change at different times, and no frame is said of both.
        let both = [("legs", "LEGS_WALK"), ("torso", "TORSO_ATTACK")];
        let player = steps("players/bolt", &both, &usual);
        assert!(player.iter().all(|step| step.scene.moment.interpolation == Some(false)));
        assert!(player.iter().all(|step| step.scene.moment.frames.is_none()));
    }

    #[test]
    fn what_no_option_can_say_is_refused() {
        let scene = Scene::new("tests/models/bolt.md2");
        let opened = scene.open().unwrap();
        let usual = Motion::default;
        for (motion, why) in [
            (Motion { fps: Some(0.0), ..usual() }, "--fps: 0, "),
            (Motion { fps: Some(f64::NAN), ..usual() }, "--fps: NaN, "),
            (Motion { speed: -1.0, ..usual() }, "--speed: -1, "),
            (Motion { speed: f64::INFINITY, ..usual() }, "--speed: inf, "),
            (Motion { turntable: Some(0), ..usual() }, "--turntable: 0 pictures"),
        ] {
            let error = motion.steps(&scene, &opened).unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
        }
        let crew = Crew::new(&opened, vec![Studio::new(Renderer::new())]).unwrap();
        for (name, value, why) in [
            ("size", "16", "pictures of 24 x 24 and of 16 x 16 pixels in one animation"),
            ("color", "indexed", "pictures in true colour and in palette indices"),
        ] {
            let mut scenes = [scene.clone(), scene.clone()];
            scenes.iter_mut().for_each(|scene| scene.size = Some([24; 2]));
            scenes[1].set(name, value).unwrap();
            let steps = scenes.map(|scene| Step { scene, seconds: 0.1 });
            let options = FilmOptions { kind: FilmKind::Gif, plays: 0, dither: false };
            let mut out = Vec::new();
            let error = write_film(&steps, &crew, options, &mut out, &|_, _| ()).unwrap_err();
            assert!(error.to_string().starts_with(why) && out.is_empty(), "{error}");
        }
    }

    #[test]
    fn the_clock_runs_on_and_the_camera_stays() {
        let motion = Motion { fps: Some(25.0), ping_pong: true, ..Motion::default() };
        let steps = steps("bolt.md2", &[("animation", "run"), ("time", "3")], &motion);
        // 0.6 s forth, and back without the ends.
        assert_eq!(steps.len(), 15 + 13);
        for (number, step) in steps.iter().enumerate() {
            let clock = step.scene.moment.clock.unwrap();
            assert!((clock - 3.0 - number as f64 * 0.04).abs() < 1e-6, "{number}: {clock}");
            assert_eq!(step.scene.camera, steps[0].scene.camera);
        }
        assert!(steps[0].scene.camera.position.is_some());
    }

    #[test]
    fn a_turn_is_of_the_model_or_of_the_camera() {
        let motion = Motion { turntable: Some(4), ..Motion::default() };
        let turned = steps("bolt.md2", &[("model-angles", "0,10,0")], &motion);
        let yaws: Vec<f32> =
            turned.iter().map(|step| step.scene.placement.angles.unwrap()[1]).collect();
        assert_eq!(yaws, [10.0, 100.0, 190.0, 280.0]);
        let motion = Motion { light_follows: true, ..motion };
        let around = steps("bolt.md2", &[("model-angles", "0,10,0")], &motion);
        let azimuths: Vec<f32> =
            around.iter().map(|step| step.scene.camera.azimuth.unwrap()).collect();
        assert_eq!(azimuths, [0.0, -90.0, -180.0, -270.0]);
        let angles = |step: &Step| step.scene.placement.angles == Some([0.0, 10.0, 0.0]);
        assert!(around.iter().all(angles));
    }
}
