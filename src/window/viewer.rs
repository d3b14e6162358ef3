//! Everything of a session but window and clock: the state, the model, the pixels, what is said.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use super::event::Event;
use super::facts::Facts;
use super::keys::Body;
use super::orbit::Orbit;
use super::overlay::{Overlay, Place};
use super::picture::Picture;
use super::present::Surface;
use super::source::ViewOptions;
use super::state::{Request, State};
use super::watch::Watch;
use crate::error::{OpenError, RequestError};
use crate::model::{Blend, Model};
use crate::scene::{Anims, Input, Opened, Scene, Skin};
use crate::transform::Transform;

/// Frames a second are counted over this time.
const FPS_WINDOW: Duration = Duration::from_secs(1);
/// The numbers of the statistics hold this long, so that they can be read.
const STATS_HOLD: Duration = Duration::from_millis(500);

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
    inputs: Vec<Input>,
    opened_before: BTreeSet<usize>,
    /// The standard input can be read only once.
    standard_input: Option<Vec<u8>>,
    /// The command line's, for the beginning of every input.
    first: Scene,
    /// The skins of the model that is shown.
    skins: Vec<Skin>,
    pub(super) state: State,
    pub(super) picture: Picture,
    pub(super) surface: Surface,
    overlay: Overlay,
    /// What is wrong with the input, until it is read again.
    error: Option<String>,
    watch: Option<Watch>,
    title: Option<String>,
    wants_full_screen: bool,
    frames: VecDeque<Instant>,
    stats: Vec<String>,
    stats_made: Option<Instant>,
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
        Self {
            inputs,
            opened_before: BTreeSet::new(),
            standard_input: None,
            first,
            skins: Vec::new(),
            state,
            picture: Picture::new(renderer),
            surface: Surface::default(),
            overlay: Overlay::default(),
            error: None,
            watch: None,
            title: None,
            wants_full_screen: false,
            frames: VecDeque::new(),
            stats: Vec::new(),
            stats_made: None,
            options,
        }
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
    #[expect(clippy::unused_self, reason = "what is pointed at counts nowhere yet")]
    pub(super) fn wants_moves(&self) -> bool {
        false
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
                self.say_error(dressed);
            }
            Request::Screenshot { alone } => {
                let said = self.screenshot(alone).unwrap_or_else(|error| error);
                self.state.say(said);
            }
            Request::Command => {
                if self.picture.model().is_some() {
                    let line = self.picture.scene(&self.state).command_line();
                    self.print(&line);
                }
            }
            Request::SaveClip => {
                let said = self.save_clip().unwrap_or_else(|error| error);
                self.state.say(said);
            }
            Request::ClipCommand => match self.clip_command() {
                Ok(line) => self.print(&line),
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

    /// Shows what a path leads to, behind the input that is shown now.
    fn add(&mut self, path: &Path) {
        let mut scene = self.first.clone();
        scene.source.input = Input::from(path.as_os_str());
        match scene.inputs() {
            Ok((inputs, warnings)) => {
                let next = self.state.input + 1;
                let count = inputs.len();
                self.opened_before = self
                    .opened_before
                    .iter()
                    .map(|&n| if n < next { n } else { n + count })
                    .collect();
                self.inputs.splice(next..next, inputs);
                self.state.set_inputs(self.inputs.len());
                self.load(next);
                if let Some(warning) = warnings.first() {
                    self.state.say(printable(warning));
                }
            }
            Err(error) => self.state.say(printable(&error.to_string())),
        }
    }

    /// Prints a command, where the application wants it.
    fn print(&mut self, line: &OsStr) {
        let printed = (self.options.on_command)(line);
        self.state.say("the command is on the standard output");
        self.say_error(printed.map_err(|error| error.to_string()));
    }

    fn say_error(&mut self, result: Result<(), String>) {
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
                let file = self.inputs[input].file().map(|file| file.path().to_path_buf());
                self.watch = self.options.watch.then(|| Watch::new(file.into_iter().collect()));
                self.error = Some(printable(&error.to_string()));
                self.picture.set(None);
                self.state.set_facts(Facts::default());
            }
            Ok(opened) => {
                self.error = None;
                let start = Start::of(&self.first, &opened);
                self.set_model(opened);
                let (Start { clip, time, fixed }, error) = match start {
                    Ok(start) => (start, None),
                    Err(error) => (Start::default(), Some(error.to_string())),
                };
                let now = self.state.now();
                self.state.playback.start(now, clip, time, fixed);
                self.say_error(error.map_or(Ok(()), Err));
                self.set_camera();
            }
        }
    }

    /// Reads the input that is shown.
    fn open(&mut self) -> Result<Opened, OpenError> {
        let number = self.state.input;
        let scene = self.state.settings.scene();
        let opened = if self.inputs[number] == Input::Stdin {
            // It can be read once.
            let bytes = match self.standard_input.take() {
                Some(bytes) => bytes,
                None => scene.read()?,
            };
            self.standard_input = Some(bytes.clone());
            scene.open_bytes(bytes, Anims::All)?
        } else {
            scene.open_with(Anims::All)?
        };
        self.watch = self.options.watch.then(|| Watch::new(opened.files()));
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
            Err(error) => self.error = Some(printable(&error.to_string())),
            Ok(opened) => {
                self.error = None;
                self.set_model(opened);
                self.state.say("read again");
            }
        }
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
            skins: names.iter().map(|name| printable(name)).collect(),
            worn,
            legs: opened.body_clips("lower"),
            torso: opened.body_clips("upper"),
            weapons: opened.weapons(),
        });
        self.skins = skins;
        self.picture.set(Some(opened));
    }

    fn set_camera(&mut self) {
        let (aspect, camera) = (self.state.aspect(), &self.first.camera);
        let (camera, pose, error) = self.picture.camera(&self.state, camera);
        let home = Orbit::of(&camera, pose, &Transform::IDENTITY, aspect);
        let is_framed =
            self.first.camera.position.is_none() && self.first.camera.focal_point.is_none();
        self.state.set_home(home, is_framed);
        self.say_error(error.map_or(Ok(()), Err));
    }

    fn frame(&mut self, angles: Option<[f32; 2]>) {
        let (orbit, yaw, aspect) = (self.state.orbit, self.state.yaw(), self.state.aspect());
        let angles = angles.unwrap_or([orbit.azimuth, orbit.elevation]);
        let framed = orbit.framing(self.picture.pose(&self.state), yaw, angles, aspect);
        self.state.set_framed(framed);
    }

    /// Reads the input again if its file has changed.
    pub(super) fn watch(&mut self, now: Instant) {
        if self.watch.as_mut().is_some_and(|watch| watch.has_changed(now)) {
            self.reload();
        }
    }

    /// Makes the pixels of the window those of the state.
    pub(super) fn refresh(&mut self) -> Changed {
        let [width, height] = self.state.window().map(|side| side as usize);
        let resized = [self.surface.width, self.surface.height] != [width, height];
        let drawn = self.picture.draw(&self.state) || resized;
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
            let background = self.state.settings.background();
            self.picture.show(background, self.state.placement(), &mut self.surface);
            overlay.draw(&mut self.surface);
            self.overlay = overlay;
        }
        changed
    }

    fn make_overlay(&mut self) -> Overlay {
        let shown = self.state.shown;
        let mut overlay = Overlay::default();
        if shown.axes {
            overlay.axes(&self.state.orbit, self.state.yaw());
            overlay.tags(self.picture.tags(&self.state), self.state.placement());
        }
        let mut left = Vec::new();
        if shown.name {
            left.extend(self.name_lines());
        }
        if shown.facts {
            left.extend(self.picture.opened().map(fact_lines).unwrap_or_default());
        }
        if !left.is_empty() {
            overlay.text(Place::TopLeft, left);
        }
        if shown.stats {
            overlay.text(Place::TopRight, self.stat_lines());
        }
        if let Some(error) = self.error.as_deref().or(self.picture.error()) {
            overlay.error("This cannot be shown:", error);
        }
        if let Some(message) = self.state.message() {
            overlay.text(Place::Bottom, [message.to_owned()]);
        }
        if shown.keys {
            overlay.help();
        }
        overlay
    }

    fn name_lines(&self) -> Vec<String> {
        let state = &self.state;
        let mut lines = vec![self.name()];
        let blend = state.blend();
        let clip = state.playback.clip().and_then(|clip| state.facts.clips.get(clip));
        lines.push(match clip {
            Some(clip) => {
                let (frame, count) = (clip.number_of(blend.from), clip.frames().len());
                format!("{}: frame {frame} of {count}", clip.name())
            }
            None => format!("frame {} of {}", blend.from, state.facts.frames),
        });
        let bodies = [(Body::Legs, "legs"), (Body::Torso, "torso")];
        lines.extend(bodies.into_iter().filter_map(|(body, part)| {
            state.settings.body_clip(body).map(|clip| format!("{part}: {clip}"))
        }));
        lines.push(state.skin_line());
        lines
    }

    fn stat_lines(&mut self) -> Vec<String> {
        let now = Instant::now();
        if self.stats_made.is_none_or(|made| now - made >= STATS_HOLD) {
            self.stats_made = Some(now);
            let recent = self.frames.iter().filter(|&&frame| now - frame <= FPS_WINDOW).count();
            let stages = self.picture.stats();
            let all: f64 = stages.iter().map(|stage| stage.milliseconds).sum();
            self.stats = vec![format!("{recent} fps"), format!("{all:.2} ms")];
            let line = |stage: &crate::raster::StageStats| {
                format!("{} {:.2}", stage.stage, stage.milliseconds)
            };
            self.stats.extend(stages.iter().map(line));
        }
        self.stats.clone()
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
            Some(name) => Some(opened.clip_name(name)?),
            None => opened.model.idle_clip().map(|clip| clip.name().to_owned()),
        };
        let clips = opened.clips();
        let clip = clips.iter().position(|clip| Some(clip.clip.name()) == name.as_deref());
        Ok(Self { clip: clip.unwrap_or(0), time, fixed: None })
    }
}

/// Names in files may hold anything; a line of text is one.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

fn fact_lines(opened: &Opened) -> Vec<String> {
    let models = || opened.members().map(|(_, member)| &member.model);
    let surfaces = || models().flat_map(Model::surfaces);
    let vertices: usize = surfaces().map(|surface| surface.vertex_count()).sum();
    let mut lines = vec![
        format!("format {}", opened.model.format().extension()),
        format!("surfaces {}", surfaces().count()),
        format!("vertices {vertices}"),
        format!("triangles {}", opened.triangle_count()),
        format!("frames {}", opened.model.frame_count()),
        format!("clips {}", opened.clips().len()),
    ];
    if models().count() > 1 {
        lines.insert(0, format!("models {}", models().count()));
    }
    let tags: usize = models().map(|model| model.tag_names().len()).sum();
    if tags > 0 {
        lines.push(format!("tags {tags}"));
    }
    let warnings: usize = models().map(|model| model.warnings().len()).sum();
    if warnings > 0 {
        lines.push(format!("warnings {warnings}"));
    }
    lines
}
