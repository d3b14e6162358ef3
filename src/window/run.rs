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

/// Time between pictures of something that moves.
const FRAME: Duration = Duration::from_millis(16);
/// Time between pictures while the user is busy: a mouse may tell of a thousand moves a second.
const BUSY: Duration = Duration::from_millis(8);
/// Between looks at files and messages while nothing happens.
const IDLE: Duration = Duration::from_millis(50);

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
    let (started, system) = (options.started, options.system);
    let mut viewer = Viewer::new(inputs, scene, options, state);
    viewer.load(0);
    let backend =
        Backend::open(&viewer.title(), size, system).map_err(|error| no_window(&error))?;
    let mut session = Session {
        viewer,
        backend,
        recorder,
        player: played.map(|events| Player { events, next: 0 }),
        buttons: 0,
        clock: Instant::now(),
        next_picture: Instant::now(),
        is_changed: false,
        is_unshown: false,
    };
    let result = session.begin(size, started).and_then(|()| session.run());
    match result {
        Ok(()) => Ok(()),
        Err(End::Request(error)) => Err(error),
        Err(End::Lost(reason)) => {
            session.backend.abandon();
            Err(RequestError::new(format!("the connection to the display is lost: {reason}")))
        }
    }
}

/// Why a session ends before the user closes the window.
enum End {
    Request(RequestError),
    /// The display is gone.
    Lost(String),
}

impl From<RequestError> for End {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
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
    /// How many buttons of the mouse are down.
    buttons: u32,
    /// Zero of the session's time.
    clock: Instant,
    /// The next picture is not shown before.
    next_picture: Instant,
    /// Something happened since the last picture.
    is_changed: bool,
    /// The last picture is not on the screen.
    is_unshown: bool,
}

impl Session {
    /// The first picture.
    fn begin(&mut self, size: [u32; 2], started: Instant) -> Result<(), End> {
        let own_size = self.backend.size();
        if self.player.is_none() && own_size != size {
            self.viewer.take(0, Event::Resize(own_size));
        }
        let size = if self.player.is_none() { own_size } else { size };
        self.viewer.refresh();
        self.show()?;
        let passed = started.elapsed().as_secs_f64() * 1e3;
        if let Some(log) = &mut self.recorder {
            log.write(|log| log.event(0, &Event::Resize(size)))?;
            log.write(|log| log.remark(&format!("first picture after {passed:.1} ms")))?;
        }
        self.clock = Instant::now();
        Ok(())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn run(&mut self) -> Result<(), End> {
        loop {
            self.backend.set_typing(self.viewer.state.is_typing());
            let events = self.backend.wait(self.pause()).map_err(End::Lost)?;
            if !self.take_live(events)? || !self.play()? {
                return Ok(());
            }
            self.viewer.watch(Instant::now());
            self.viewer.advance(self.now());
            self.draw()?;
            if let Some(title) = self.viewer.new_title() {
                self.backend.set_title(&title);
            }
            if self.viewer.wants_full_screen() {
                self.backend.toggle_full_screen();
            }
        }
    }

    /// Draws what has changed, if it is time and somebody can see it.
    fn draw(&mut self) -> Result<(), End> {
        let now = Instant::now();
        let is_moving = self.viewer.is_moving();
        // What moves is not drawn before the system wants it; what is seldom drawn waits for it.
        let waits = is_moving && !self.backend.is_ready();
        if now < self.next_picture || self.backend.is_hidden() || waits {
            return Ok(());
        }
        self.is_changed = false;
        let changed = self.viewer.refresh();
        self.is_unshown |= changed.drawn || changed.overlay || self.backend.is_stale();
        if self.is_unshown && self.backend.is_ready() {
            self.show()?;
            // From picture to picture, so that drawing takes nothing off the rhythm.
            let next = self.next_picture + FRAME;
            self.next_picture = if is_moving { next.max(now) } else { now + BUSY };
        }
        Ok(())
    }

    fn show(&mut self) -> Result<(), End> {
        self.is_unshown = false;
        self.backend.present(self.viewer.surface()).map_err(End::Lost)
    }

    /// How long nothing has to be done.
    fn pause(&self) -> Duration {
        let now = Instant::now();
        let is_stale = self.is_unshown || self.backend.is_stale();
        let is_due = self.is_changed || is_stale || self.viewer.is_moving();
        let mut due = now + IDLE;
        if is_due && !self.backend.is_hidden() && !self.backend.is_waiting() {
            due = due.min(self.next_picture);
        }
        if let Some(player) = self.player.as_ref().and_then(|p| p.events.get(p.next)) {
            due = due.min(self.clock + Duration::from_millis(player.0));
        }
        due.saturating_duration_since(now)
    }

    /// Takes the live events of the user. While a log plays they can only close the window. Returns whether it
    /// stays open.
    fn take_live(&mut self, events: Vec<Event>) -> Result<bool, RequestError> {
        let playing = self.player.is_some();
        let now = self.now();
        for event in events {
            match event {
                Event::Press { .. } => self.buttons += 1,
                Event::Release(_) => self.buttons = self.buttons.saturating_sub(1),
                // Nobody looks at them.
                Event::Move(_) if self.buttons == 0 && !self.viewer.wants_moves() => continue,
                _ => {}
            }
            if playing && event != Event::Close {
                continue;
            }
            if !self.take(now, event)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take(&mut self, time: u64, event: Event) -> Result<bool, RequestError> {
        if let Some(log) = &mut self.recorder {
            log.write(|log| log.event(time, &event))?;
        }
        self.is_changed = true;
        Ok(self.viewer.take(time, event))
    }

    /// Does what the log says until now, at the log's own times.
    fn play(&mut self) -> Result<bool, RequestError> {
        let now = self.now();
        while let Some(player) = &mut self.player {
            let Some((time, event)) = player.events.get(player.next).cloned() else {
                return self.hand_over();
            };
            if time > now {
                break;
            }
            player.next += 1;
            if let Event::Resize(size) = event {
                self.backend.resize(size);
            }
            if !self.take(time, event)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// From here on it is the user's turn, in the window as it is.
    fn hand_over(&mut self) -> Result<bool, RequestError> {
        self.player = None;
        let size = self.backend.size();
        if size == self.viewer.state.window() {
            return Ok(true);
        }
        self.take(self.now(), Event::Resize(size))
    }
}
