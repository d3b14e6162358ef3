//! Everything of a session but window and clock: the state, the model, the pixels, what is said.

mod choice;
mod inputs;

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::event::Event;
use super::facts::Facts;
use super::finish::{Finish, Finisher};
use super::notices::{Notices, worn};
use super::overlay::Overlay;
use super::picture::Picture;
use super::present::Surface;
use super::preview::Previews;
use super::source::ViewOptions;
use super::state::{Moving, Request, State};
use super::versus::{Pinned, Versus};
use super::watching::Watching;
use crate::error::{OpenError, RequestError};
use crate::model::Blend;
use crate::scene::{Anims, Input, Opened, Scene, Skin};

/// Frames a second are counted over this time.
pub(super) const FPS_WINDOW: Duration = Duration::from_secs(1);
/// The numbers of the statistics hold this long, so that they can be read.
pub(super) const STATS_HOLD: Duration = Duration::from_millis(500);

/// What [`Viewer::refresh`] had to do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Changed {
    /// A picture was drawn.
    pub(super) drawn: bool,
    /// The text over the same picture is another.
    pub(super) overlay: bool,
}

pub(super) struct Viewer {
    /// What is shown; `opened_before` are told of no more.
    pub(super) inputs: Vec<Input>,
    opened_before: BTreeSet<usize>,
    /// The standard input can be read only once.
    standard_input: Option<Vec<u8>>,
    /// The command line's, for the beginning of every input.
    pub(super) first: Scene,
    /// The skins of the model that is shown.
    skins: Vec<Skin>,
    pub(super) state: State,
    pub(super) picture: Picture,
    pub(super) surface: Surface,
    overlay: Overlay,
    /// A model has been shown: what the user has chosen since then stays for the next one.
    pub(super) has_shown: bool,
    /// What is wrong with the input, until it is read again.
    pub(super) error: Option<String>,
    pub(super) watching: Watching,
    pub(super) notices: Notices,
    previews: Previews,
    pub(super) pinned: Option<Pinned>,
    /// The model and what moved when the box around it was found.
    pub(super) bounded: Option<(u64, Moving)>,
    /// How the window showed the pictures at last, and whether it was the pinned one.
    manner_shown: (Versus, Finish, bool),
    finisher: Finisher,
    title: Option<String>,
    wants_full_screen: bool,
    pub(super) frames: VecDeque<Instant>,
    pub(super) stats: Vec<String>,
    pub(super) stats_made: Option<Instant>,
    pub(super) options: ViewOptions,
}

impl Viewer {
    pub(super) fn new(
        inputs: Vec<Input>,
        first: Scene,
        mut options: ViewOptions,
        state: State,
    ) -> Self {
        let renderer = std::mem::take(&mut options.renderer);
        let watching = Watching::new(options.watch, options.list_inputs.take());
        let mut viewer = Self {
            inputs,
            opened_before: BTreeSet::new(),
            standard_input: None,
            first,
            skins: Vec::new(),
            state,
            picture: Picture::new(renderer),
            surface: Surface::default(),
            overlay: Overlay::default(),
            has_shown: false,
            error: None,
            watching,
            notices: Notices::default(),
            previews: Previews::default(),
            pinned: None,
            bounded: None,
            manner_shown: Default::default(),
            finisher: Finisher::default(),
            title: None,
            wants_full_screen: false,
            frames: VecDeque::new(),
            stats: Vec::new(),
            stats_made: None,
            options,
        };
        viewer.name_inputs();
        viewer
    }

    /// Numbers of the inputs that were ever read.
    #[cfg(test)]
    pub(super) fn opened_inputs(&self) -> Vec<usize> {
        self.opened_before.iter().copied().collect()
    }

    pub(super) fn surface(&self) -> &Surface {
        &self.surface
    }

    pub(super) fn title(&self) -> String {
        format!("{} - polyset (H: keys)", self.name())
    }

    /// What the input is called.
    pub(super) fn name(&self) -> String {
        printable(&self.inputs[self.state.input].name())
    }

    /// The title, if it has changed.
    pub(super) fn new_title(&mut self) -> Option<String> {
        self.title.take()
    }

    /// Whether the window covers the screen from now on, or no longer.
    pub(super) fn wants_full_screen(&mut self) -> bool {
        std::mem::take(&mut self.wants_full_screen)
    }

    /// Whether moves of the mouse without a button mean something.
    pub(super) fn wants_moves(&self) -> bool {
        self.state.shown.pick
    }

    pub(super) fn is_moving(&self) -> bool {
        self.state.is_moving() && self.picture.model().is_some()
    }

    pub(super) fn advance(&mut self, now: u64) {
        self.state.advance(now);
    }

    /// Does what the user asked for at this time. Returns whether the window stays open.
    pub(super) fn take(&mut self, now: u64, event: Event) -> bool {
        self.state.advance(now);
        let Some(request) = self.state.apply(event) else { return true };
        match request {
            Request::Quit => return false,
            Request::Load(input) => self.load(input),
            Request::Reload => self.reload(),
            Request::Arm => {
                self.reload();
                let weapon = self.state.settings.scene().source.weapon.as_ref();
                let name =
                    weapon.map_or_else(|| "none".into(), |w| w.file_stem().to_string_lossy());
                let said = format!("weapon: {}", printable(&name));
                self.state.say(said);
            }
            Request::Frame(angles) => self.frame(angles),
            Request::Dress(skin) => {
                if let Some(skin) = skin.and_then(|skin| self.skins.get(skin)) {
                    self.state.settings.wear(skin.clone());
                }
                let dressed = self.picture.dress(self.state.settings.scene());
                self.inspect();
                match dressed {
                    Err(error) => self.state.say(error),
                    Ok(()) if skin.is_some() => self.state.say(self.state.skin_line()),
                    Ok(()) => {}
                }
            }
            Request::Screenshot { alone } => {
                let said = self.screenshot(alone).unwrap_or_else(|error| error);
                self.watching.overlook(&self.options.screenshot_folder);
                self.state.say(said);
            }
            Request::Pin => {
                let said = self.pin().map(|()| "pinned: F2 compares with it".to_owned());
                self.state.say(said.unwrap_or_else(|error| error));
            }
            Request::Versus => {
                let pinned = if self.pinned.is_none() { self.pin() } else { Ok(()) };
                if pinned.is_err() {
                    self.state.versus = Versus::Off;
                }
                let compares = format!("compare: {}", self.state.versus.name());
                let said = pinned.err().unwrap_or(compares);
                self.state.say(said);
                if self.state.is_framed() {
                    self.frame(None);
                }
            }
            Request::Command => {
                self.refresh();
                if self.picture.model().is_none() || self.error.is_some() {
                    self.state.say("there is no command: the file cannot be read");
                } else if let Some(error) = self.picture.error() {
                    self.state.say(format!("there is no command: {error}"));
                } else {
                    let line = self.picture.scene(&self.state).command_line();
                    self.print(&line, None);
                }
            }
            Request::SaveClip => {
                let said = self.save_clip().unwrap_or_else(|error| error);
                self.watching.overlook(&self.options.screenshot_folder);
                self.state.say(said);
            }
            Request::ClipCommand => match self.clip_command() {
                Ok((line, differs)) => self.print(&line, differs),
                Err(error) => self.state.say(error),
            },
            Request::FullScreen => self.wants_full_screen = true,
            Request::Add => {
                if let Some(path) = self.state.dropped.take() {
                    self.add(&path);
                }
            }
        }
        true
    }

    /// Prints a command, where the application wants it, and says what it does in another way.
    fn print(&mut self, line: &OsStr, differs: Option<&str>) {
        let printed = (self.options.on_command)(line);
        let but = differs.map(|differs| format!(", but {differs}")).unwrap_or_default();
        self.state.say(format!("the command is on the standard output{but}"));
        self.say_error(printed.map_err(|error| error.to_string()));
    }

    pub(super) fn say_error(&mut self, result: Result<(), String>) {
        if let Err(error) = result {
            self.state.say(error);
        }
    }

    /// Shows an input from its beginning.
    pub(super) fn load(&mut self, input: usize) {
        self.state.set_input(input, self.inputs[input].clone());
        self.title = Some(self.title());
        match self.open() {
            Err(error) => {
                self.tell_error(&error);
                self.picture.set(None);
                self.notices = Notices::default();
                self.state.set_facts(Facts::default());
            }
            Ok(opened) => {
                self.error = None;
                let start = self.start(&opened);
                self.set_model(opened);
                let (Start { clip, time, fixed }, error) = match start {
                    Ok(start) => (start, None),
                    Err(error) => (Start::default(), Some(error.to_string())),
                };
                let now = self.state.now();
                let playback = &mut self.state.playback;
                let begin = playback.beginning(self.state.facts.clips.get(clip));
                playback.start(now, clip, if time == 0.0 { begin } else { time }, fixed);
                self.say_error(error.map_or(Ok(()), Err));
                self.set_camera();
                self.has_shown = true;
            }
        }
    }

    /// How an input begins: with the clip that was chosen by key if it has one of that name.
    ///
    /// # Errors
    /// If what the command line asks for does not exist in this model.
    fn start(&self, opened: &Opened) -> Result<Start, RequestError> {
        let clips = opened.clips();
        let chosen = self.state.chosen_clip.as_deref();
        let clip = clips.iter().position(|clip| Some(clip.clip.name()) == chosen);
        match clip {
            Some(clip) => Ok(Start { clip, ..Start::default() }),
            None => Start::of(&self.first, opened),
        }
    }

    /// Reads the input that is shown.
    fn open(&mut self) -> Result<Opened, OpenError> {
        let number = self.state.input;
        let scene = self.state.settings.scene();
        let files = self.watching.files();
        let opened = if self.inputs[number] == Input::Stdin {
            // It can be read once.
            let bytes = match self.standard_input.take() {
                Some(bytes) => bytes,
                None => scene.read()?,
            };
            self.standard_input = Some(bytes.clone());
            scene.open_bytes_among(&files, bytes, Anims::All)
        } else {
            scene.open_among(&files, Anims::All)
        };
        self.watching.follow();
        let opened = opened?;
        if self.opened_before.insert(number) {
            (self.options.on_open)(&self.inputs[number], &opened);
        }
        Ok(opened)
    }

    /// Reads the input again; clip, time and camera stay. What cannot be read leaves what is shown.
    fn reload(&mut self) {
        if self.picture.model().is_none() {
            return self.load(self.state.input);
        }
        match self.open() {
            Err(error) => self.tell_error(&error),
            Ok(opened) => {
                self.error = None;
                let clip = self.state.clip_name();
                self.set_model(opened);
                self.state.keep_clip(clip.as_deref());
                self.state.say("read again");
            }
        }
    }

    /// Says why the input cannot be read, here and to whoever began the window.
    fn tell_error(&mut self, error: &OpenError) {
        (self.options.on_error)(&self.inputs[self.state.input], error);
        self.error = Some(printable(&error.to_string()));
    }

    fn set_model(&mut self, opened: Opened) {
        let (model, scene) = (&opened.model, self.state.settings.scene());
        let (skins, names): (Vec<Skin>, Vec<String>) = opened.skins(scene).into_iter().unzip();
        let chosen = scene.source.skins.last();
        let worn = skins.iter().position(|skin| Some(skin) == chosen).unwrap_or(0);
        self.state.set_facts(Facts {
            format: model.format(),
            clips: opened.clips().into_iter().map(|driven| driven.clip.clone()).collect(),
            frames: model.frame_count(),
            frame_names: (0..model.frame_count())
                .map(|frame| printable(model.frame_name(frame)))
                .collect(),
            skins: names.iter().map(|name| printable(name)).collect(),
            worn,
            on_model: None,
            legs: opened.body_clips("lower"),
            torso: opened.body_clips("upper"),
            weapons: opened.weapons(),
        });
        self.skins = skins;
        self.picture.set(Some(opened));
        self.previews.forget();
        self.inspect();
    }

    /// Looks at what the model wears and lacks.
    fn inspect(&mut self) {
        let partial = self.watching.is_partial().then(|| {
            "there are more files and folders than --watch looks at; Up reads again".to_owned()
        });
        let opened = self.picture.opened();
        self.notices = opened.map(|opened| Notices::of(opened, partial)).unwrap_or_default();
        self.state.facts.on_model = opened.and_then(worn);
        self.watching.follow();
    }

    /// Makes the pixels of the window those of the state.
    pub(super) fn refresh(&mut self) -> Changed {
        self.follow_clip();
        let [width, height] = self.state.window().map(|side| side as usize);
        let resized = [self.surface.width, self.surface.height] != [width, height];
        let versus = self.state.versus;
        let manner = (versus, self.state.finish, versus.shows_pinned(self.state.now()));
        let is_other = std::mem::replace(&mut self.manner_shown, manner) != manner;
        // Both are drawn, whatever the other one needs.
        let other_drawn = self.draw_pinned();
        let drawn = self.picture.draw(&self.state) | other_drawn;
        let drawn = drawn || resized || is_other;
        if drawn {
            let now = Instant::now();
            self.frames.push_back(now);
            while self.frames.front().is_some_and(|&first| now - first > FPS_WINDOW) {
                self.frames.pop_front();
            }
        }
        let overlay = self.make_overlay();
        let changed = Changed { drawn, overlay: overlay != self.overlay };
        if changed.drawn || changed.overlay {
            self.surface.resize(width, height);
            self.show_both();
            if let Some(model) = self.picture.model() {
                let (finish, palette) = (self.state.finish, Arc::clone(&model.palette));
                let placement = self.state.placement();
                let pixels = &mut self.surface.pixels;
                self.finisher.apply(finish, &palette, pixels, width, placement);
            }
            overlay.draw(&mut self.surface);
            self.overlay = overlay;
        }
        changed
    }
}

/// The beginning of an animation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Start {
    /// Number of the clip.
    clip: usize,
    /// Seconds.
    time: f64,
    /// Exactly these frames, not playing.
    fixed: Option<Blend>,
}

impl Start {
    /// # Errors
    /// If what was asked for does not exist in this model.
    fn of(scene: &Scene, opened: &Opened) -> Result<Self, RequestError> {
        let moment = &scene.moment;
        if moment.frames.is_some() {
            let fixed = opened.blends(scene)?.first().copied();
            return Ok(Self { fixed, ..Self::default() });
        }
        let time = f64::from(moment.seconds.unwrap_or(0.0));
        let name = match &moment.animation {
            Some(name) => Some(opened.clip(name)?.name().to_owned()),
            None => opened.model.idle_clip().map(|clip| clip.name().to_owned()),
        };
        let clips = opened.clips();
        let clip = clips.iter().position(|clip| Some(clip.clip.name()) == name.as_deref());
        Ok(Self { clip: clip.unwrap_or(0), time, fixed: None })
    }
}

/// Names in files may hold anything; a line of text is one.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
