//! The loop of the window: looks at hands and clock, draws when something has changed, sleeps.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::backend::Backend;
use super::event::Event;
use super::log::{self, LogError, Recorder, Timed};
use super::playback::Playback;
use super::settings::{InternalResolution, Settings};
use super::source::{ModelSource, ViewOptions};
use super::state::{Overlays, State};
use super::viewer::Viewer;

/// Time between pictures of something that moves, and between looks while a hand is busy.
const FRAME: Duration = Duration::from_millis(16);
const BUSY: Duration = Duration::from_millis(8);
/// Time between looks while nothing happens, with and without a hand at the window.
const ATTENDED: Duration = Duration::from_millis(12);
const UNATTENDED: Duration = Duration::from_millis(50);
/// A hand that did something does more within this time.
const BUSY_FOR: Duration = Duration::from_millis(500);
/// The window is shown again at least so often: the library does not tell when another window has
/// covered it. At first more often, as nobody tells when it has come to the screen.
const SHOW_AGAIN: Duration = Duration::from_secs(1);
const SHOW_AGAIN_AT_FIRST: Duration = Duration::from_millis(50);
const AT_FIRST: Duration = Duration::from_millis(600);

/// The largest window that is opened without being asked for.
const COMFORTABLE: [u32; 2] = [1280, 800];
const WINDOW_SIZE: [u32; 2] = [960, 600];

/// The window could not be opened, or a file that belongs to it could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// There is no display, or it could not be used.
    #[error("cannot open a window: {0}; 'polyset render' draws pictures without one")]
    Display(String),
    /// A log of `--record` or `--play` cannot be written or read.
    #[error("cannot {verb} '{}': {source}", .path.display())]
    Log {
        /// "read" or "write".
        verb: &'static str,
        /// The log.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A log has a mistake.
    #[error("'{}': {source}", .path.display())]
    Play {
        /// The log.
        path: PathBuf,
        /// What is wrong.
        source: LogError,
    },
}

/// Opens a window and shows the models of `source` until it is closed.
///
/// # Errors
/// If there is no display, or a log cannot be used.
pub fn view(source: &mut dyn ModelSource, options: ViewOptions) -> Result<(), ViewError> {
    let played = options.play.as_ref().map(read_log).transpose()?;
    let recorder = options.record.clone().map(Log::new).transpose()?;
    let size = window_size(&options, played.as_deref());
    require_display()?;
    let state = first_state(&options, source.count(), size);
    let started = options.started;
    let mut viewer = Viewer::new(source, options, state);
    viewer.load(0);
    let backend = Backend::open(&viewer.title(), size).map_err(ViewError::Display)?;
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

/// Without any display the library's own message would be about its last attempt.
fn require_display() -> Result<(), ViewError> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let needs_one = cfg!(all(unix, not(target_os = "macos")));
    if needs_one && !["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(is_set) {
        let reason = "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)";
        return Err(ViewError::Display(reason.into()));
    }
    Ok(())
}

fn read_log(path: &PathBuf) -> Result<Vec<Timed>, ViewError> {
    let text = std::fs::read_to_string(path).map_err(|source| ViewError::Log {
        verb: "read",
        path: path.clone(),
        source,
    })?;
    log::parse(&text).map_err(|source| ViewError::Play { path: path.clone(), source })
}

fn window_size(options: &ViewOptions, played: Option<&[Timed]>) -> [u32; 2] {
    let recorded = played.and_then(<[Timed]>::first).and_then(|&(_, event)| match event {
        Event::Resize(size) => Some(size),
        _ => None,
    });
    recorded.or(options.size).unwrap_or(match options.resolution {
        InternalResolution::Window => WINDOW_SIZE,
        InternalResolution::Fixed(width, height) => {
            let scale = (COMFORTABLE[0] / width).min(COMFORTABLE[1] / height).max(1);
            [width * scale, height * scale]
        }
    })
}

fn first_state(options: &ViewOptions, inputs: usize, size: [u32; 2]) -> State {
    let settings = Settings::new(
        options.look,
        options.colors.clone(),
        options.lighting,
        options.classic,
        options.resolution,
        options.background,
    );
    let overlays = Overlays {
        help: options.help,
        names: options.names,
        facts: options.facts,
        stats: options.stats,
        axes: options.axes,
        messages: options.messages,
    };
    let playback = Playback::new(!options.paused, options.interpolation);
    State::new(settings, playback, overlays, options.turntable, inputs, size)
}

/// What is written about the session.
struct Log {
    recorder: Recorder,
    path: PathBuf,
}

impl Log {
    fn new(path: PathBuf) -> Result<Self, ViewError> {
        match Recorder::new(&path) {
            Ok(recorder) => Ok(Self { recorder, path }),
            Err(source) => Err(ViewError::Log { verb: "write", path, source }),
        }
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut Recorder) -> std::io::Result<()>,
    ) -> Result<(), ViewError> {
        write(&mut self.recorder).map_err(|source| ViewError::Log {
            verb: "write",
            path: self.path.clone(),
            source,
        })
    }
}

/// Events of a log and which comes next.
struct Player {
    events: Vec<Timed>,
    next: usize,
}

struct Session<'a> {
    viewer: Viewer<'a>,
    backend: Backend,
    recorder: Option<Log>,
    player: Option<Player>,
    /// Zero of the session's time.
    clock: Instant,
    last_event: Option<Instant>,
    last_shown: Option<Instant>,
    last_look: Instant,
}

impl Session<'_> {
    /// The first picture.
    fn begin(&mut self, size: [u32; 2], started: Instant) -> Result<(), ViewError> {
        let mut events = Vec::new();
        self.viewer.refresh();
        self.backend.present(self.viewer.surface(), &mut events);
        let now = Instant::now();
        self.last_shown = Some(now);
        let passed = (now - started).as_secs_f64() * 1e3;
        if let Some(log) = &mut self.recorder {
            log.write(|log| log.event(0, Event::Resize(size)))?;
            log.write(|log| log.remark(&format!("first picture after {passed:.1} ms")))?;
        }
        self.clock = Instant::now();
        self.take_live(events)?;
        Ok(())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn run(&mut self) -> Result<(), ViewError> {
        let mut events = Vec::new();
        let mut open = true;
        while open {
            let mut due = Instant::now() + self.pause();
            if let Some(player) = self.player.as_ref().and_then(|p| p.events.get(p.next)) {
                due = due.min(self.clock + Duration::from_millis(player.0));
            }
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            self.last_look = Instant::now();
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

    /// Does what hands did now. While a log plays they can only close the window. Returns whether it
    /// stays open.
    fn take_live(&mut self, events: Vec<Event>) -> Result<bool, ViewError> {
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
                log.write(|log| log.event(now, event))?;
            }
            if !self.viewer.take(now, event) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does what the log says until now, at the log's own times.
    fn play(&mut self) -> Result<bool, ViewError> {
        let now = self.now();
        let Some(player) = &mut self.player else { return Ok(true) };
        while let Some(&(time, event)) = player.events.get(player.next).filter(|e| e.0 <= now) {
            player.next += 1;
            if let Some(log) = &mut self.recorder {
                log.write(|log| log.event(time, event))?;
            }
            if !self.viewer.take(time, event) {
                return Ok(false);
            }
        }
        if player.next == player.events.len() {
            // From here on it is the hands' turn.
            self.player = None;
        }
        Ok(true)
    }
}
