//! The loop of the window: looks at user events and the clock, draws when something has changed, sleeps.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::backend::Backend;
use super::event::Event;
use super::log::{self, Recorder, Timed};
use super::playback::Playback;
use super::settings::{InternalResolution, Settings};
use super::source::ViewOptions;
use super::state::State;
use super::viewer::Viewer;
use crate::error::RequestError;
use crate::scene::{Input, Scene};

/// Time between pictures of something that moves, and between polls while the user is busy.
const FRAME: Duration = Duration::from_millis(16);
const BUSY: Duration = Duration::from_millis(8);
/// Time between polls while nothing happens, with and without the user at the window.
const ATTENDED: Duration = Duration::from_millis(12);
const UNATTENDED: Duration = Duration::from_millis(50);
/// A user who did something does more within this time.
const BUSY_FOR: Duration = Duration::from_millis(500);
/// The window is shown again at least so often: the library does not tell when another window has
/// covered it. At first more often, as nobody tells when it has come to the screen.
const SHOW_AGAIN: Duration = Duration::from_secs(1);
const SHOW_AGAIN_AT_FIRST: Duration = Duration::from_millis(50);
const AT_FIRST: Duration = Duration::from_millis(600);

/// The largest window that is opened without being asked for.
const COMFORTABLE: [u32; 2] = [1280, 800];
const WINDOW_SIZE: [u32; 2] = [960, 600];

/// Opens a window and shows the inputs until it is closed: as `scene` says, with its own input in
/// place of the scene's.
///
/// # Errors
/// If there is no input or no display, or a log of `record` or `play` cannot be used.
pub fn view(
    inputs: Vec<Input>,
    scene: Scene,
    mut options: ViewOptions,
) -> Result<(), RequestError> {
    if inputs.is_empty() {
        return Err(RequestError::new("there is nothing to show"));
    }
    require_folder(&options.screenshot_folder)?;
    let played = options.play.as_deref().map(read_log).transpose()?;
    let recorder = options.record.take().map(Log::new).transpose()?;
    let size = window_size(&options, played.as_deref());
    require_display()?;
    let state = first_state(&options, &scene, inputs.len(), size);
    let started = options.started;
    let mut viewer = Viewer::new(inputs, scene, options, state);
    viewer.load(0);
    let backend = Backend::open(&viewer.title(), size).map_err(|error| no_window(&error))?;
    let mut session = Session {
        viewer,
        backend,
        recorder,
        player: played.map(|events| Player { events, next: 0 }),
        clock: Instant::now(),
        last_event: None,
        last_shown: None,
        last_look: Instant::now(),
    };
    session.begin(size, started)?;
    session.run()
}

fn no_window(reason: &str) -> RequestError {
    RequestError::new(format!(
        "cannot open a window: {reason}; 'polyset render' draws pictures without one"
    ))
}

fn log_error(verb: &str, path: &Path, source: &std::io::Error) -> RequestError {
    RequestError::new(format!("cannot {verb} '{}': {source}", path.display()))
}

/// Pictures are written into a folder that is there from the start.
fn require_folder(folder: &Path) -> Result<(), RequestError> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    Err(RequestError::new(format!(
        "--screenshot-folder: there is no folder '{}'; make it first",
        folder.display()
    )))
}

/// Without any display the library's own message would be about its last attempt.
fn require_display() -> Result<(), RequestError> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let needs_one = cfg!(all(unix, not(target_os = "macos")));
    if needs_one && !["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(is_set) {
        return Err(no_window("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)"));
    }
    Ok(())
}

/// More bytes than hands make in a week.
const MAX_LOG: u64 = 64 << 20;

fn read_log(path: &Path) -> Result<Vec<Timed>, RequestError> {
    let mut text = String::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(MAX_LOG).read_to_string(&mut text));
    read.map_err(|source| log_error("read", path, &source))?;
    log::parse(&text).map_err(|error| RequestError::new(format!("'{}': {error}", path.display())))
}

fn window_size(options: &ViewOptions, played: Option<&[Timed]>) -> [u32; 2] {
    let recorded = played.and_then(<[Timed]>::first).and_then(|(_, event)| match event {
        Event::Resize(size) => Some(*size),
        _ => None,
    });
    recorded.or(options.size).unwrap_or(match options.internal_resolution {
        InternalResolution::Window => WINDOW_SIZE,
        InternalResolution::Fixed(width, height) => {
            let scale = (COMFORTABLE[0] / width).min(COMFORTABLE[1] / height).max(1);
            [width * scale, height * scale]
        }
    })
}

fn first_state(options: &ViewOptions, scene: &Scene, inputs: usize, size: [u32; 2]) -> State {
    let settings = Settings::new(scene.clone(), options.internal_resolution);
    let playback = Playback::new(!options.paused, options.interpolation);
    let (shown, messages) = (options.show, options.messages);
    State::new(settings, playback, shown, messages, options.turntable, inputs, size)
}

/// What is written about the session.
struct Log {
    recorder: Recorder,
    path: PathBuf,
}

impl Log {
    fn new(path: PathBuf) -> Result<Self, RequestError> {
        match Recorder::new(&path) {
            Ok(recorder) => Ok(Self { recorder, path }),
            Err(source) => Err(log_error("write", &path, &source)),
        }
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut Recorder) -> std::io::Result<()>,
    ) -> Result<(), RequestError> {
        write(&mut self.recorder).map_err(|source| log_error("write", &self.path, &source))
    }
}

/// Events of a log and which comes next.
struct Player {
    events: Vec<Timed>,
    next: usize,
}

struct Session {
    viewer: Viewer,
    backend: Backend,
    recorder: Option<Log>,
    player: Option<Player>,
    /// Zero of the session's time.
    clock: Instant,
    last_event: Option<Instant>,
    last_shown: Option<Instant>,
    last_look: Instant,
}

impl Session {
    /// The first picture.
    fn begin(&mut self, size: [u32; 2], started: Instant) -> Result<(), RequestError> {
        let mut events = Vec::new();
        self.viewer.refresh();
        self.backend.present(self.viewer.surface(), &mut events);
        let now = Instant::now();
        self.last_shown = Some(now);
        let passed = (now - started).as_secs_f64() * 1e3;
        if let Some(log) = &mut self.recorder {
            log.write(|log| log.event(0, &Event::Resize(size)))?;
            log.write(|log| log.remark(&format!("first picture after {passed:.1} ms")))?;
        }
        self.clock = Instant::now();
        self.take_live(events)?;
        Ok(())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn run(&mut self) -> Result<(), RequestError> {
        let mut events = Vec::new();
        let mut open = true;
        while open {
            let mut due = Instant::now() + self.pause();
            if let Some(player) = self.player.as_ref().and_then(|p| p.events.get(p.next)) {
                due = due.min(self.clock + Duration::from_millis(player.0));
            }
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            self.last_look = Instant::now();
            self.backend.set_typing(self.viewer.state.is_typing());
            self.backend.look(&mut events);
            open = self.take_live(std::mem::take(&mut events))? && self.play()?;
            self.viewer.watch(Instant::now());
            self.viewer.advance(self.now());
            let changed = self.viewer.refresh();
            let now = Instant::now();
            if changed.drawn || changed.overlay || self.is_stale(now) {
                self.backend.present(self.viewer.surface(), &mut events);
                self.last_shown = Some(now);
            }
            if let Some(title) = self.viewer.new_title() {
                self.backend.set_title(&title);
            }
        }
        Ok(())
    }

    fn is_stale(&self, now: Instant) -> bool {
        let often = now - self.clock < AT_FIRST;
        let limit = if often { SHOW_AGAIN_AT_FIRST } else { SHOW_AGAIN };
        self.last_shown.is_none_or(|shown| now - shown >= limit)
    }

    /// How long nothing has to be done.
    fn pause(&self) -> Duration {
        let now = Instant::now();
        if self.viewer.is_moving() {
            // From look to look, so that drawing takes nothing off the rhythm.
            let due = self.last_look + FRAME;
            return due.saturating_duration_since(now).max(Duration::from_millis(1));
        }
        if self.last_event.is_some_and(|event| now - event < BUSY_FOR) {
            BUSY
        } else if self.backend.is_attended() {
            ATTENDED
        } else {
            UNATTENDED
        }
    }

    /// Takes the live events of the user. While a log plays they can only close the window. Returns whether it
    /// stays open.
    fn take_live(&mut self, events: Vec<Event>) -> Result<bool, RequestError> {
        if events.is_empty() {
            return Ok(true);
        }
        self.last_event = Some(Instant::now());
        let playing = self.player.is_some();
        let now = self.now();
        for event in events {
            if playing && event != Event::Close {
                continue;
            }
            if let Some(log) = &mut self.recorder {
                log.write(|log| log.event(now, &event))?;
            }
            if !self.viewer.take(now, event) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does what the log says until now, at the log's own times.
    fn play(&mut self) -> Result<bool, RequestError> {
        let now = self.now();
        let Some(player) = &mut self.player else { return Ok(true) };
        while let Some((time, event)) =
            player.events.get(player.next).filter(|e| e.0 <= now).cloned()
        {
            player.next += 1;
            if let Some(log) = &mut self.recorder {
                log.write(|log| log.event(time, &event))?;
            }
            if !self.viewer.take(time, event) {
                return Ok(false);
            }
        }
        if player.next == player.events.len() {
            // From here on it is the user's turn.
            self.player = None;
        }
        Ok(true)
    }
}
