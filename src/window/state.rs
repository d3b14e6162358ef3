//! What the window shows, as plain data, and how keys and mouse change it. Nothing here draws, reads
//! files or looks at the clock: the same events at the same times give the same state.

mod actions;
mod camera;
mod hand;
mod listing;
mod scene;
mod told;

use camera::TURNTABLE_RATE;
use hand::Drag;
use scene::item_rate;

use std::path::PathBuf;

use super::event::{Button, Event, Held};
use super::facts::Facts;
use super::finish::Finish;
use super::keys::{self, Action, Body, Direction};
use super::list::{Kind, List};
use super::list_layout::Layout;
use super::notices::Detail;
use super::orbit::Orbit;
use super::playback::Playback;
use super::present::Placement;
use super::running::Running;
use super::settings::Settings;
use super::source::Shown;
use super::versus::Versus;
use crate::model::Clip;
use crate::scene::Input;

/// How long a message stays.
const MESSAGE_MS: u64 = 1500;

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
    /// Fit the clip into the picture; angles in degrees, or those that the camera has.
    Frame(Option<[f32; 2]>),
    /// The window as it is, or the picture alone.
    Screenshot {
        alone: bool,
    },
    Command,
    /// Keep what is shown for comparisons.
    Pin,
    /// Compare in another way.
    Versus,
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

/// Where the camera was at first, and whether that was found by fitting the clip into the picture.
#[derive(Clone, Copy, Debug, Default)]
struct Home {
    orbit: Orbit,
    framed: bool,
}

/// The clip, and those of a player's legs and torso.
pub(crate) type Moving = (Option<String>, [Option<String>; 2]);

/// All that the window shows.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Milliseconds since the start.
    now: u64,
    pub(crate) settings: Settings,
    pub(crate) playback: Playback,
    pub(crate) shown: Shown,
    help_page: usize,
    pub(crate) versus: Versus,
    /// The camera stands where the classic renderer can, for the sake of the pinned picture.
    pub(crate) is_far: bool,
    /// Say for a moment what a key has changed.
    pub(crate) messages: bool,
    pub(crate) facts: Facts,
    /// Number of the input that is shown, of how many.
    pub(crate) input: usize,
    inputs: usize,
    /// What the inputs are called.
    names: Vec<String>,
    pub(crate) list: List,
    /// How much is told of what is missing or odd.
    pub(crate) told: Detail,
    /// The skin that was chosen by key.
    pub(crate) skin: Option<usize>,
    pub(crate) orbit: Orbit,
    home: Home,
    /// The camera fits the clip into the picture, and does so again when clip or picture change.
    framed: bool,
    yaw: Running,
    turntable: bool,
    /// It turns and bobs as what lies about in the games.
    is_item: bool,
    /// What is done to the picture before it is shown.
    pub(crate) finish: Finish,
    /// The box around all of the clip: the model turns about the vertical through its middle.
    bounds: [[f32; 3]; 2],
    /// Where the mouse was seen last.
    pointer: Option<[i32; 2]>,
    /// The clip that was chosen by key, for the models that have one of that name.
    pub(crate) chosen_clip: Option<String>,
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
            help_page: 0,
            versus: Versus::Off,
            is_far: false,
            messages,
            facts: Facts::default(),
            input: 0,
            inputs,
            names: Vec::new(),
            list: List::default(),
            told: Detail::default(),
            skin: None,
            orbit: Orbit::default(),
            home: Home::default(),
            framed: false,
            yaw,
            turntable,
            is_item: false,
            finish: Finish::default(),
            bounds: [[0.0; 3]; 2],
            pointer: None,
            chosen_clip: None,
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
        self.settings.picture_size(self.versus.part_of(self.window))
    }

    /// Where the picture lies in the window; of two the one on the right.
    pub(crate) fn placement(&self) -> Placement {
        let part = self.versus.part_of(self.window);
        let within = Placement::new(self.picture_size(), part, self.pixel_aspect());
        Placement { x: within.x + (self.window[0] - part[0]) as isize, ..within }
    }

    /// How many times higher than wide a pixel is shown.
    pub(crate) fn pixel_aspect(&self) -> f32 {
        self.settings.pixel_aspect()
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
        self.turntable.then_some((360.0 / self.yaw.rate() * fps).round() as u32)
    }

    /// Whether a clip is playing.
    pub(crate) fn is_playing(&self) -> bool {
        self.playback.is_moving(self.now, &self.facts.clips)
    }

    /// The clip that is shown.
    pub(crate) fn clip(&self) -> Option<&Clip> {
        self.playback.clip().and_then(|clip| self.facts.clips.get(clip))
    }

    /// What moves.
    pub(crate) fn moving(&self) -> Moving {
        let clip = self.clip_name();
        let own = |body| self.settings.body_clip(body).map(str::to_owned);
        (clip, [Body::Legs, Body::Torso].map(own))
    }

    /// Whether the turntable turns.
    pub(crate) fn is_turning(&self) -> bool {
        self.turntable
    }

    /// The vertical that the model turns about.
    pub(crate) fn pivot(&self) -> [f32; 2] {
        let [min, max] = self.bounds;
        [0, 1].map(|axis| min[axis] + (max[axis] - min[axis]) * 0.5)
    }

    /// The box around all of the clip.
    pub(crate) fn bounds(&self) -> [[f32; 3]; 2] {
        self.bounds
    }

    /// Where the mouse was seen last, in pixels of the window.
    pub(crate) fn pointer(&self) -> Option<[i32; 2]> {
        self.pointer
    }

    /// Whether the picture changes by itself.
    pub(crate) fn is_moving(&self) -> bool {
        self.yaw.is_running() || self.is_playing() || self.versus == Versus::Blink
    }

    /// The page of the list of keys, from 0.
    pub(crate) fn help_page(&self) -> usize {
        self.help_page
    }

    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|(text, _)| text.as_str())
    }

    /// Takes back what was said.
    pub(crate) fn be_silent(&mut self) {
        self.message = None;
    }

    pub(crate) fn say(&mut self, text: impl Into<String>) {
        if self.messages {
            self.message = Some((text.into(), self.now + MESSAGE_MS));
        }
    }

    /// Whether the camera fits the clip into the picture.
    pub(crate) fn is_framed(&self) -> bool {
        self.framed
    }

    /// The camera that a model begins with and that `Enter` comes back to; `framed` if it was found
    /// by fitting the clip into the picture.
    pub(crate) fn set_home(&mut self, orbit: Orbit, framed: bool) {
        self.home = Home { orbit, framed };
        (self.orbit, self.framed) = (orbit, framed);
    }

    /// A camera that fits the clip into the picture.
    pub(crate) fn set_framed(&mut self, orbit: Orbit) {
        (self.orbit, self.framed) = (orbit, true);
    }

    /// The box around all of the clip from now on.
    pub(crate) fn set_bounds(&mut self, bounds: [[f32; 3]; 2]) {
        self.bounds = bounds;
    }

    /// Another model, or the same one read again.
    pub(crate) fn set_facts(&mut self, facts: Facts) {
        // The same skin may have another number.
        self.skin = self.skin.map(|_| facts.worn).filter(|&worn| worn < facts.skins.len());
        self.facts = facts;
        if self.is_item {
            self.yaw.set_rate(self.now, item_rate(self.facts.format));
        }
        self.renew_list(Kind::Clips);
        self.renew_list(Kind::Skins);
    }

    /// Another input is shown from now on.
    pub(crate) fn set_input(&mut self, number: usize, input: Input) {
        self.input = number;
        self.skin = None;
        self.settings.set_input(input);
    }

    pub(crate) fn apply(&mut self, event: Event) -> Option<Request> {
        match event {
            Event::Key { key, shift } if self.list.is_open() && !key.is_function() => {
                self.press_in_list(key, shift)
            }
            Event::Press { button: Button::Left, at, .. }
                if self.list.is_open() && Layout::of(self.window).has(at) =>
            {
                self.click_in_list(at)
            }
            Event::Wheel { steps, .. } if self.list.is_open() => {
                self.list.wheel(steps);
                None
            }
            Event::Key { key, shift } => self.act(keys::action(key, shift)?),
            Event::Press { button, at, held } => self.press(button, at, held),
            Event::Release(button) => {
                self.drag = self.drag.filter(|drag| drag.button != button);
                None
            }
            Event::Move(to) => {
                self.pointer = Some(to);
                self.drag_to(to);
                None
            }
            Event::Wheel { steps, held: Held { ctrl: true, .. } } => {
                let said = self.settings.change_light_level(steps, self.facts.format);
                self.say(said);
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

    /// A picture of another shape or clip is framed anew unless the user has set the camera.
    fn refit(&self) -> Option<Request> {
        self.framed.then_some(Request::Frame(None))
    }

    fn act(&mut self, action: Action) -> Option<Request> {
        match action {
            Action::NextInput | Action::PreviousInput => {
                let forward = action == Action::NextInput;
                let direction = if forward { Direction::Forward } else { Direction::Back };
                let input = direction.step(self.input, self.inputs);
                if input != self.input {
                    return Some(Request::Load(input));
                }
                self.say("there is only one file");
                None
            }
            Action::Reload => Some(Request::Reload),
            Action::List => {
                self.open_list();
                None
            }
            Action::Warnings => {
                self.told = self.told.next();
                None
            }
            Action::View(..)
            | Action::Turn(..)
            | Action::Orthographic
            | Action::ResetCamera
            | Action::Turntable
            | Action::Item => self.move_camera(action),
            Action::Versus(direction) => {
                self.versus = direction.next(&Versus::ALL, self.versus);
                Some(Request::Versus)
            }
            Action::Pin => Some(Request::Pin),
            Action::Skin(direction) => self.change_skin(direction),
            Action::Weapon(direction) => self.change_weapon(direction),
            Action::Screenshot => Some(Request::Screenshot { alone: false }),
            Action::Picture => Some(Request::Screenshot { alone: true }),
            Action::Command => Some(Request::Command),
            Action::SaveClip => Some(Request::SaveClip),
            Action::ClipCommand => Some(Request::ClipCommand),
            Action::FullScreen => Some(Request::FullScreen),
            Action::Quit => Some(Request::Quit),
            Action::Help
            | Action::Names
            | Action::Facts
            | Action::Stats
            | Action::Axes
            | Action::Timeline
            | Action::Edges
            | Action::Normals
            | Action::Bones
            | Action::Grid
            | Action::Pick
            | Action::PaletteView => {
                self.toggle_overlay(action);
                None
            }
            Action::Clip(_)
            | Action::BodyClip(..)
            | Action::PlayPause
            | Action::Step(_)
            | Action::Speed(_)
            | Action::Reverse
            | Action::PlayMode(_)
            | Action::Interpolation => {
                let before = self.moving();
                let said = self.animate(action);
                self.say(said);
                self.refit().filter(|_| self.moving() != before)
            }
            _ => self.change_look(action),
        }
    }
}

fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}
