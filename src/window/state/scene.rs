//! The state as a scene: what `render` draws for it.

use super::State;
use crate::model::{Blend, Clip, Format};
use crate::motion::turn_model;
use crate::scene::{Frames, Moment, Scene, SceneCamera};

/// Units and turns a second (in radians) of the floating of items.
const BOB_HEIGHT: f64 = 4.0;
const BOB_RATE: f64 = 5.0;

/// Degrees a second that an item turns: in Quake 100, in Quake II and III once in 2.048 seconds.
pub(super) fn item_rate(format: Format) -> f64 {
    if format == Format::Mdl { 100.0 } else { 360.0 / 2.048 }
}

impl State {
    /// The picture of this moment; `has_animated_skin` says whether the clock counts too.
    pub(crate) fn scene(&self, has_animated_skin: bool) -> Scene {
        let mut scene = self.settings.scene().clone();
        if self.settings.is_classic() {
            // The window shows its indices.
            scene.look.color = None;
        }
        scene.size = Some(self.picture_size());
        scene.moment = self.moment();
        if has_animated_skin {
            scene.moment.clock = Some(self.clock());
        }
        let pixel_aspect = scene.camera.pixel_aspect;
        scene.camera = SceneCamera { pixel_aspect, ..self.orbit.scene_camera() };
        let yaw = self.yaw();
        if yaw != 0.0 {
            turn_model(&mut scene, self.turn_axis(), f64::from(yaw));
        }
        if self.floats() {
            let [x, y, z] = scene.placement.origin.unwrap_or_default();
            scene.placement.origin = Some([x, y, z + self.bob(0.0)]);
        }
        scene
    }

    /// The vertical that the turntable turns about.
    pub(crate) fn turn_axis(&self) -> [f32; 2] {
        // What lies about turns about its own origin.
        if self.is_item { [0.0; 2] } else { self.pivot() }
    }

    /// Whether it goes up and down as the items of Quake III.
    pub(crate) fn floats(&self) -> bool {
        self.is_item && self.facts.format == Format::Md3
    }

    /// Units that an item floats above its place, so many seconds from now.
    pub(crate) fn bob(&self, after: f64) -> f32 {
        let seconds = self.yaw.at(self.now) / item_rate(Format::Md3) + after;
        (BOB_HEIGHT + BOB_HEIGHT * libm::cos(seconds * BOB_RATE)) as f32
    }

    /// The clip and its time, or exactly the frames that are shown.
    fn moment(&self) -> Moment {
        let said = &self.settings.scene().moment;
        if let Some(clip) = self.clip() {
            return self.moment_of(clip, !self.facts.legs.is_empty(), said);
        }
        let blend = self.blend();
        // Frames of skeletal models are those of an animation.
        let is_skeletal = self.facts.format == Format::Md5;
        let clip = self.facts.clips.get(blend.anim).filter(|_| is_skeletal);
        exactly(blend, clip, said)
    }

    /// Where the playback is in a clip: in the one that is shown, or in another that goes on beside it.
    pub(crate) fn moment_of(&self, clip: &Clip, is_player: bool, said: &Moment) -> Moment {
        let standing = self.playback.standing(self.now, clip);
        // Parts of a player have clips of different lengths: no frame is that of all.
        if is_player || standing.is_none() {
            let time = || self.playback.time(self.now, Some(clip));
            return Moment {
                animation: Some(clip.name().into()),
                seconds: Some(standing.unwrap_or_else(time)),
                interpolation: standing.map(|_| false),
                ..no_moment(said)
            };
        }
        exactly(self.playback.blend_of(self.now, clip), Some(clip), said)
    }

    /// Seconds that animated skins go by.
    pub(crate) fn clock(&self) -> f64 {
        f64::from(self.playback.clock(self.now))
    }
}

/// Frames, counted as those of the clip if there is one.
fn exactly(blend: Blend, clip: Option<&Clip>, said: &Moment) -> Moment {
    let number = |frame| clip.map_or(frame, |clip| clip.number_of(frame));
    let [from, to] = [blend.from, blend.to].map(number);
    Moment {
        frames: Some(Frames { from, to, t: blend.t }),
        animation: clip.map(|clip| clip.name().into()),
        ..no_moment(said)
    }
}

/// What of a moment the playback has no say in.
fn no_moment(said: &Moment) -> Moment {
    Moment { frames: None, animation: None, seconds: None, clock: None, ..said.clone() }
}
