//! Everything of a session but window and clock: the state, the model, the pixels, what is said.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::event::Event;
use super::orbit::Orbit;
use super::overlay::{Overlay, Place};
use super::present::Surface;
use super::scene::{self, Scene};
use super::source::{ModelSource, Start, ViewOptions};
use super::state::{Facts, Request, State};
use super::watch::Watch;
use crate::camera::{Aim, Camera};
use crate::model::Model;
use crate::output::write_file;
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

pub(super) struct Viewer<'a> {
    source: &'a mut dyn ModelSource,
    state: State,
    scene: Scene,
    surface: Surface,
    overlay: Overlay,
    /// What is wrong with the input, until it is read again.
    error: Option<String>,
    watches: bool,
    watch: Option<Watch>,
    title: Option<String>,
    frames: VecDeque<Instant>,
    stats: Vec<String>,
    stats_made: Option<Instant>,
    screenshot_folder: PathBuf,
}

impl<'a> Viewer<'a> {
    pub(super) fn new(source: &'a mut dyn ModelSource, options: ViewOptions, state: State) -> Self {
        Self {
            source,
            state,
            scene: Scene::new(options.renderer),
            surface: Surface::default(),
            overlay: Overlay::default(),
            error: None,
            watches: options.watch,
            watch: None,
            title: None,
            frames: VecDeque::new(),
            stats: Vec::new(),
            stats_made: None,
            screenshot_folder: options.screenshot_folder,
        }
    }

    pub(super) fn surface(&self) -> &Surface {
        &self.surface
    }

    pub(super) fn title(&self) -> String {
        format!("{} - polyset (H: keys)", self.source.name(self.state.input))
    }

    /// The title, if it has changed.
    pub(super) fn new_title(&mut self) -> Option<String> {
        self.title.take()
    }

    pub(super) fn is_moving(&self) -> bool {
        self.state.is_moving() && self.scene.model().is_some()
    }

    pub(super) fn advance(&mut self, now: u64) {
        self.state.advance(now);
    }

    /// Does what a hand did at this time. Returns whether the window stays open.
    pub(super) fn take(&mut self, now: u64, event: Event) -> bool {
        self.state.advance(now);
        let Some(request) = self.state.apply(event) else { return true };
        match request {
            Request::Quit => return false,
            Request::Load(input) => self.load(input),
            Request::Reload => self.reload(),
            Request::Frame(angles) => self.frame(angles),
            Request::Dress(skin) => {
                let (source, input) = (&mut self.source, self.state.input);
                let dressed = self.scene.dress(skin, |model| source.dress(input, model, skin));
                self.say_error(dressed);
            }
            Request::Screenshot { alone } => {
                let said = self.screenshot(alone).unwrap_or_else(|error| error);
                self.state.say(said);
            }
            Request::Command => {
                let command = self.scene.render_command(&self.state);
                if let Some((command, model)) = command.zip(self.scene.model()) {
                    let printed = self.source.print_command(self.state.input, model, &command);
                    self.state.say("the command is on the standard output");
                    self.say_error(printed);
                }
            }
        }
        true
    }

    fn say_error(&mut self, result: Result<(), String>) {
        if let Err(error) = result {
            self.state.say(error);
        }
    }

    /// Shows an input from its beginning.
    pub(super) fn load(&mut self, input: usize) {
        self.state.set_input(input);
        self.title = Some(self.title());
        self.watch = self.watches.then(|| Watch::new(self.source.files(input)));
        match self.source.load(input) {
            Err(error) => {
                self.error = Some(error);
                self.scene.set_model(None, 0);
                self.state.set_facts(Facts::default());
            }
            Ok(model) => {
                self.error = None;
                let start = self.source.start(&model);
                self.set_model(model);
                let Start { clip, time, fixed } = *start.as_ref().unwrap_or(&Start::default());
                let now = self.state.now();
                self.state.playback.start(now, clip, f64::from(time), fixed);
                self.say_error(start.map(|_| ()));
                self.set_camera();
            }
        }
    }

    /// Reads the input again; clip, time and camera stay. What cannot be read leaves what is shown.
    fn reload(&mut self) {
        if self.scene.model().is_none() {
            return self.load(self.state.input);
        }
        match self.source.load(self.state.input) {
            Err(error) => self.error = Some(error),
            Ok(model) => {
                self.error = None;
                self.set_model(model);
                if let Some(skin) = self.state.skin {
                    let (source, input) = (&mut self.source, self.state.input);
                    let dressed = self.scene.dress(skin, |model| source.dress(input, model, skin));
                    self.say_error(dressed);
                }
                self.state.say("read again");
            }
        }
    }

    fn set_model(&mut self, model: Model) {
        let (skins, worn) = self.source.skins(self.state.input, &model);
        self.state.set_facts(Facts {
            format: model.format(),
            clips: model.clips().to_vec(),
            frames: model.frame_count(),
            skins,
            worn,
        });
        self.scene.set_model(Some(model), worn);
    }

    fn set_camera(&mut self) {
        let aspect = self.state.aspect();
        let pose = self.scene.pose(&self.state);
        let (camera, error) = match self.source.camera(pose) {
            Ok(camera) => (camera, None),
            Err(error) => (Camera::framing(pose), Some(error)),
        };
        let framed = matches!(camera.aim, Aim::Framing { focal_point: None, .. });
        let home = Orbit::of(&camera, pose, &Transform::IDENTITY, aspect);
        self.state.set_home(home, framed);
        self.say_error(error.map_or(Ok(()), Err));
    }

    fn frame(&mut self, angles: Option<[f32; 2]>) {
        let (orbit, yaw, aspect) = (self.state.orbit, self.state.yaw(), self.state.aspect());
        let angles = angles.unwrap_or([orbit.azimuth, orbit.elevation]);
        let framed = orbit.framing(self.scene.pose(&self.state), yaw, angles, aspect);
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
        let drawn = self.scene.draw(&self.state) || resized;
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
            self.scene.show(self.state.placement(), &mut self.surface);
            overlay.draw(&mut self.surface);
            self.overlay = overlay;
        }
        changed
    }

    fn make_overlay(&mut self) -> Overlay {
        let shown = self.state.overlays;
        let mut overlay = Overlay::default();
        if shown.axes {
            overlay.axes(&self.state.orbit, self.state.yaw());
        }
        let mut left = Vec::new();
        if shown.names {
            left.extend(self.name_lines());
        }
        if shown.facts {
            left.extend(self.scene.model().map(fact_lines).unwrap_or_default());
        }
        if !left.is_empty() {
            overlay.text(Place::TopLeft, left);
        }
        if shown.stats {
            overlay.text(Place::TopRight, self.stat_lines());
        }
        if let Some(error) = &self.error {
            overlay.error("This cannot be shown:", error);
        }
        if let Some(message) = self.state.message() {
            overlay.text(Place::Bottom, [message.to_owned()]);
        }
        if shown.help {
            overlay.help();
        }
        overlay
    }

    fn name_lines(&self) -> Vec<String> {
        let state = &self.state;
        let mut lines = vec![self.source.name(state.input)];
        let blend = state.blend();
        let clip = state.playback.clip().and_then(|clip| state.facts.clips.get(clip));
        lines.push(match clip {
            Some(clip) => {
                let first = clip.frames().start;
                let (frame, count) = (blend.from.saturating_sub(first), clip.frames().len());
                format!("{}: frame {frame} of {count}", clip.name())
            }
            None => format!("frame {} of {}", blend.from, state.facts.frames),
        });
        lines.push(state.skin_line());
        lines
    }

    fn stat_lines(&mut self) -> Vec<String> {
        let now = Instant::now();
        if self.stats_made.is_none_or(|made| now - made >= STATS_HOLD) {
            self.stats_made = Some(now);
            let recent = self.frames.iter().filter(|&&frame| now - frame <= FPS_WINDOW).count();
            let stages = self.scene.stats();
            let all: f64 = stages.iter().map(|stage| stage.milliseconds).sum();
            self.stats = vec![format!("{recent} fps"), format!("{all:.2} ms")];
            let line = |stage: &crate::raster::StageStats| {
                format!("{} {:.2}", stage.stage, stage.milliseconds)
            };
            self.stats.extend(stages.iter().map(line));
        }
        self.stats.clone()
    }

    /// Writes a picture under a name that is not taken yet; returns what is said about it.
    fn screenshot(&mut self, alone: bool) -> Result<String, String> {
        self.refresh();
        let image = if alone { self.scene.image() } else { scene::image_of(&self.surface) };
        let image = image.ok_or("there is no picture yet")?;
        let mut png = Vec::new();
        image.encode_png(&mut png).map_err(|error| error.to_string())?;
        let name = self.source.name(self.state.input);
        let stem = name.rsplit(['/', '\\', ':']).next().unwrap_or(&name);
        let stem = stem.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("model");
        for number in 1..10_000 {
            let path = self.screenshot_folder.join(format!("{stem}-{number:03}.png"));
            // Taking the name first keeps other windows from taking it too.
            match std::fs::File::create_new(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("cannot write '{}': {error}", path.display())),
                Ok(_) => {
                    return match write_file(&path, |out| out.write_all(&png)) {
                        Ok(()) => Ok(format!("written: {}", path.display())),
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

fn fact_lines(model: &Model) -> Vec<String> {
    let vertices: usize = model.surfaces().iter().map(|surface| surface.vertex_count()).sum();
    let mut lines = vec![
        format!("format {}", model.format().extension()),
        format!("surfaces {}", model.surfaces().len()),
        format!("vertices {vertices}"),
        format!("triangles {}", model.triangle_count()),
        format!("frames {}", model.frame_count()),
        format!("clips {}", model.clips().len()),
    ];
    if !model.tag_names().is_empty() {
        lines.push(format!("tags {}", model.tag_names().len()));
    }
    if !model.warnings().is_empty() {
        lines.push(format!("warnings {}", model.warnings().len()));
    }
    lines
}
