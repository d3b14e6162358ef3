//! What the window shows, as plain data, and how keys and mouse change it. Nothing here draws, reads
//! files or looks at the clock: the same events at the same times give the same state.

mod actions;

use std::path::PathBuf;

use super::event::{Button, Event, Held};
use super::facts::Facts;
use super::keys::{self, Action, Direction};
use super::orbit::Orbit;
use super::playback::{Playback, Running};
use super::present::Placement;
use super::settings::Settings;
use super::source::Shown;
use crate::model::Format;
use crate::scene::{Frames, Input, Moment, Scene};

/// Degrees that a drag over the height of the picture turns the camera.
const DEGREES_PER_HEIGHT: f32 = 180.0;
/// Two presses within this time at the same place are a double click.
const DOUBLE_CLICK_MS: u64 = 400;
const DOUBLE_CLICK_PIXELS: i32 = 5;
/// How long a message stays.
const MESSAGE_MS: u64 = 1500;
/// Degrees a second.
const TURNTABLE_RATE: f64 = 36.0;

/// What the state cannot do by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Request {
    /// Show the input of this number.
    Load(usize),
    Reload,
    /// Read the input again, with the weapon that the settings have now.
    Arm,
    /// Put this skin on, or the same one with another palette.
    Dress(Option<usize>),
    /// Fit the pose into the picture; angles in degrees, or those that the camera has.
    Frame(Option<[f32; 2]>),
    /// The window as it is, or the picture alone.
    Screenshot {
        alone: bool,
    },
    Command,
    /// Write what moves as a GIF.
    SaveClip,
    /// Print the command that does so.
    ClipCommand,
    /// Cover the screen, or no longer.
    FullScreen,
    /// Show what was dropped.
    Add,
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Drag {
    button: Button,
    pans: bool,
    from: [i32; 2],
}

/// Where the camera was at first.
#[derive(Clone, Copy, Debug, Default)]
struct Home {
    orbit: Orbit,
    framed: bool,
    /// Of the picture that it was made for.
    aspect: f32,
}

/// All that the window shows.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Milliseconds since the start.
    now: u64,
    pub(crate) settings: Settings,
    pub(crate) playback: Playback,
    pub(crate) shown: Shown,
    /// Say for a moment what a key has changed.
    pub(crate) messages: bool,
    pub(crate) facts: Facts,
    /// Number of the input that is shown, of how many.
    pub(crate) input: usize,
    inputs: usize,
    /// The skin that was chosen by key.
    pub(crate) skin: Option<usize>,
    pub(crate) orbit: Orbit,
    home: Home,
    /// The camera fits the pose into the picture, and does so again when the picture's shape changes.
    framed: bool,
    yaw: Running,
    turntable: bool,
    window: [u32; 2],
    drag: Option<Drag>,
    last_press: Option<(u64, [i32; 2])>,
    message: Option<(String, u64)>,
    /// What was dropped on the window, until it is shown.
    pub(crate) dropped: Option<PathBuf>,
}

impl State {
    pub(crate) fn new(
        settings: Settings,
        playback: Playback,
        shown: Shown,
        messages: bool,
        turntable: bool,
        inputs: usize,
        window: [u32; 2],
    ) -> Self {
        let mut yaw = Running::default();
        if turntable {
            yaw.set_rate(0, TURNTABLE_RATE);
        }
        Self {
            now: 0,
            settings,
            playback,
            shown,
            messages,
            facts: Facts::default(),
            input: 0,
            inputs,
            skin: None,
            orbit: Orbit::default(),
            home: Home::default(),
            framed: false,
            yaw,
            turntable,
            window,
            drag: None,
            last_press: None,
            message: None,
            dropped: None,
        }
    }

    /// Goes on to this time; it never goes back.
    pub(crate) fn advance(&mut self, now: u64) {
        self.now = self.now.max(now);
        if self.message.as_ref().is_some_and(|&(_, until)| until <= self.now) {
            self.message = None;
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    pub(crate) fn window(&self) -> [u32; 2] {
        self.window
    }

    /// Width and height of the picture before it is enlarged.
    pub(crate) fn picture_size(&self) -> [u32; 2] {
        self.settings.picture_size(self.window)
    }

    pub(crate) fn placement(&self) -> Placement {
        Placement::new(self.picture_size(), self.window)
    }

    pub(crate) fn aspect(&self) -> f32 {
        let [width, height] = self.picture_size();
        width as f32 / height as f32
    }

    /// Degrees that the model is turned.
    pub(crate) fn yaw(&self) -> f32 {
        self.yaw.at(self.now).rem_euclid(360.0) as f32
    }

    pub(crate) fn blend(&self) -> crate::model::Blend {
        self.playback.blend(self.now, &self.facts.clips)
    }

    /// In how many pictures the turntable goes round once, if it turns.
    pub(crate) fn turntable_pictures(&self, fps: f64) -> Option<u32> {
        self.turntable.then_some((360.0 / TURNTABLE_RATE * fps) as u32)
    }

    /// Whether a clip is playing.
    pub(crate) fn is_playing(&self) -> bool {
        self.playback.is_moving(&self.facts.clips)
    }

    /// Whether the picture changes by itself.
    pub(crate) fn is_moving(&self) -> bool {
        self.yaw.is_running() || self.playback.is_moving(&self.facts.clips)
    }

    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|(text, _)| text.as_str())
    }

    pub(crate) fn say(&mut self, text: impl Into<String>) {
        if self.messages {
            self.message = Some((text.into(), self.now + MESSAGE_MS));
        }
    }

    /// The camera that a model begins with and that `Enter` comes back to; `framed` if it was found
    /// by fitting the pose into the picture.
    pub(crate) fn set_home(&mut self, orbit: Orbit, framed: bool) {
        self.home = Home { orbit, framed, aspect: self.aspect() };
        (self.orbit, self.framed) = (orbit, framed);
    }

    /// A camera that fits the pose into the picture.
    pub(crate) fn set_framed(&mut self, orbit: Orbit) {
        if self.framed && self.orbit == self.home.orbit {
            self.home = Home { orbit, framed: true, aspect: self.aspect() };
        }
        (self.orbit, self.framed) = (orbit, true);
    }

    /// Another model, or the same one read again.
    pub(crate) fn set_facts(&mut self, facts: Facts) {
        if self.skin.is_some_and(|skin| skin >= facts.skins.len()) {
            self.skin = None;
        }
        self.facts = facts;
    }

    /// Number of the skin that is shown.
    pub(crate) fn worn_skin(&self) -> usize {
        self.skin.unwrap_or(self.facts.worn)
    }

    /// Number and name of the skin that is shown.
    pub(crate) fn skin_line(&self) -> String {
        let skin = self.worn_skin();
        match self.facts.skins.get(skin) {
            Some(name) if *name != skin.to_string() => format!("skin {skin}: {name}"),
            _ => format!("skin {skin}"),
        }
    }

    /// There are so many inputs now.
    pub(crate) fn set_inputs(&mut self, inputs: usize) {
        self.inputs = inputs;
    }

    /// Another input is shown from now on.
    pub(crate) fn set_input(&mut self, number: usize, input: Input) {
        self.input = number;
        self.skin = None;
        self.settings.set_input(input);
    }

    pub(crate) fn apply(&mut self, event: Event) -> Option<Request> {
        match event {
            Event::Key { key, shift } => self.act(keys::action(key, shift)?),
            Event::Press { button, at, held } => self.press(button, at, held),
            Event::Release(button) => {
                self.drag = self.drag.filter(|drag| drag.button != button);
                None
            }
            Event::Move(to) => {
                self.drag_to(to);
                None
            }
            Event::Wheel { steps, .. } => {
                self.orbit.approach(steps);
                self.framed = false;
                None
            }
            Event::Resize(window) => {
                self.window = window;
                self.refit()
            }
            Event::Drop(path) => {
                self.dropped = Some(path);
                Some(Request::Add)
            }
            Event::Close => Some(Request::Quit),
        }
    }

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
            scene.moment.clock = Some(f64::from(self.playback.time(self.now)));
        }
        scene.camera = self.orbit.scene_camera();
        let yaw = self.yaw();
        scene.placement.angles = (yaw != 0.0).then_some([0.0, yaw, 0.0]);
        scene
    }

    /// The clip and its time, or exactly the frames that are shown.
    fn moment(&self) -> Moment {
        let clips = &self.facts.clips;
        let clip = self.playback.clip().and_then(|clip| clips.get(clip));
        let said = self.settings.scene().moment.clone();
        let said = Moment { frames: None, animation: None, seconds: None, clock: None, ..said };
        let is_player = !self.facts.legs.is_empty();
        if let Some(clip) = clip.filter(|_| self.playback.interpolates || is_player) {
            // Parts of a player have clips of different lengths: no frame is that of all.
            let time = self.playback.time(self.now);
            let seconds =
                if self.playback.interpolates { time } else { (time * 10.0 + 1e-4).floor() / 10.0 };
            return Moment { animation: Some(clip.name().into()), seconds: Some(seconds), ..said };
        }
        let blend = self.blend();
        // Frames of skeletal models are those of an animation.
        let is_skeletal = self.facts.format == Format::Md5;
        let clip = clip.or(clips.get(blend.anim).filter(|_| is_skeletal));
        let number = |frame| clip.map_or(frame, |clip| clip.number_of(frame));
        let [from, to] = [blend.from, blend.to].map(number);
        Moment {
            frames: Some(Frames { from, to, t: blend.t }),
            animation: clip.map(|clip| clip.name().into()),
            ..said
        }
    }

    /// A picture of another shape is framed anew unless the user has set the camera.
    fn refit(&self) -> Option<Request> {
        self.framed.then_some(Request::Frame(None))
    }

    fn press(&mut self, button: Button, at: [i32; 2], held: Held) -> Option<Request> {
        let pans = match button {
            Button::Left => held.shift,
            Button::Middle => true,
            Button::Right => return None,
        };
        self.drag = Some(Drag { button, pans, from: at });
        let is_near = |before: [i32; 2]| {
            (0..2).all(|axis| (before[axis] - at[axis]).abs() <= DOUBLE_CLICK_PIXELS)
        };
        let is_double = self
            .last_press
            .is_some_and(|(when, before)| self.now - when <= DOUBLE_CLICK_MS && is_near(before));
        let counts = button == Button::Left && !is_double;
        self.last_press = counts.then_some((self.now, at));
        (button == Button::Left && is_double).then_some(Request::Frame(None))
    }

    fn drag_to(&mut self, to: [i32; 2]) {
        let placement = self.placement();
        let height = self.picture_size()[1] as f32 * placement.scale as f32;
        let Some(drag) = &mut self.drag else { return };
        let [right, down] = [0, 1].map(|axis| (to[axis] - drag.from[axis]) as f32 / height);
        if right == 0.0 && down == 0.0 {
            return;
        }
        drag.from = to;
        if drag.pans {
            self.orbit.pan(right, down);
        } else {
            self.orbit.turn(-right * DEGREES_PER_HEIGHT, down * DEGREES_PER_HEIGHT);
        }
        self.framed = false;
    }

    fn act(&mut self, action: Action) -> Option<Request> {
        let said = match action {
            Action::NextInput | Action::PreviousInput => {
                let forward = action == Action::NextInput;
                let direction = if forward { Direction::Forward } else { Direction::Back };
                let input = direction.step(self.input, self.inputs);
                if input != self.input {
                    return Some(Request::Load(input));
                }
                "there is only one file".into()
            }
            Action::Reload => return Some(Request::Reload),
            Action::View(azimuth, elevation) => {
                return Some(Request::Frame(Some([azimuth, elevation].map(f32::from))));
            }
            Action::Orthographic => {
                self.orbit.orthographic = !self.orbit.orthographic;
                format!("orthographic: {}", on_off(self.orbit.orthographic))
            }
            Action::ResetCamera => {
                self.yaw.set(self.now, 0.0);
                let Home { orbit, framed, aspect } = self.home;
                (self.orbit, self.framed) = (orbit, framed);
                return if aspect == self.aspect() { None } else { self.refit() };
            }
            Action::Turntable => {
                self.turntable = !self.turntable;
                let rate = if self.turntable { TURNTABLE_RATE } else { 0.0 };
                self.yaw.set_rate(self.now, rate);
                return None;
            }
            Action::Skin(direction) => return self.change_skin(direction),
            Action::Weapon(direction) => return self.change_weapon(direction),
            Action::Screenshot => return Some(Request::Screenshot { alone: false }),
            Action::Picture => return Some(Request::Screenshot { alone: true }),
            Action::Command => return Some(Request::Command),
            Action::SaveClip => return Some(Request::SaveClip),
            Action::ClipCommand => return Some(Request::ClipCommand),
            Action::FullScreen => return Some(Request::FullScreen),
            Action::Quit => return Some(Request::Quit),
            Action::Help | Action::Names | Action::Facts | Action::Stats | Action::Axes => {
                self.toggle_overlay(action);
                return None;
            }
            Action::Clip(_)
            | Action::BodyClip(..)
            | Action::PlayPause
            | Action::Step(_)
            | Action::Speed(_)
            | Action::Interpolation => self.animate(action),
            _ => return self.change_look(action),
        };
        self.say(said);
        None
    }
}

fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}
