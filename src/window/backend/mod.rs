//! The window of the system, through `winit`, and its habits kept to itself.
//!
//! Events come in their true order. Nothing is scaled: what is shown is copied into a buffer of the
//! window's size. A window that cannot be seen says so, and need not be drawn.

#[cfg(all(unix, not(target_os = "macos")))]
mod canvas;
mod keyboard;
mod quiet;
#[cfg(all(unix, not(target_os = "macos")))]
mod server;
mod shell;

use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::{Duration, Instant};

use winit::dpi::PhysicalSize;
use winit::event_loop::{EventLoop, OwnedDisplayHandle};
use winit::platform::pump_events::{EventLoopExtPumpEvents as _, PumpStatus};
use winit::window::{Fullscreen, Window, WindowAttributes};

use self::quiet::quietly;
#[cfg(all(unix, not(target_os = "macos")))]
use self::server::Server;
use self::shell::Shell;
use super::event::Event;
use super::present::Surface;
use super::source::WindowSystem;

/// No smaller than this by hand: the least of the resolutions that are one key away.
const SMALLEST: [u32; 2] = [160, 100];

/// What desktops know the window by; its `.desktop` file has the same name.
#[cfg(all(unix, not(target_os = "macos")))]
const NAME: &str = "polyset";

/// Where pictures go.
enum Screen {
    /// To an X server, by ourselves: the library's way opens Xlib at the start of every command.
    #[cfg(all(unix, not(target_os = "macos")))]
    Server(Box<Server>),
    Library(softbuffer::Surface<OwnedDisplayHandle, Rc<Window>>),
}

/// The open window.
pub(super) struct Backend {
    // In this order they are closed.
    screen: Screen,
    window: Rc<Window>,
    shell: Shell,
    event_loop: EventLoop<()>,
    /// The compositor says when the next picture is wanted.
    is_paced: bool,
    /// Showing reads what comes from the display: there may be events that nobody waits for.
    is_unread: bool,
}

impl Backend {
    /// Opens a window, of this size in pixels if the system lets it have that.
    ///
    /// # Errors
    /// If there is no display, or a library of the system is missing; says which.
    pub(super) fn open(title: &str, size: [u32; 2], system: WindowSystem) -> Result<Self, String> {
        quietly(|| Self::open_loudly(title, size, system))?
    }

    fn open_loudly(title: &str, size: [u32; 2], system: WindowSystem) -> Result<Self, String> {
        let is_paced = is_wayland(system);
        #[cfg(all(unix, not(target_os = "macos")))]
        let server = if is_paced { None } else { Some(Server::connect()?) };
        let mut event_loop = event_loop(is_paced)?;
        let mut shell = Shell::new(attributes(title, size));
        pump(&mut event_loop, &mut shell, Duration::ZERO)?;
        let window = shell.window()?;
        #[cfg(all(unix, not(target_os = "macos")))]
        let screen = match server {
            Some(server) => Screen::on_server(server, &window)?,
            None => Screen::of_library(&event_loop, &window)?,
        };
        #[cfg(not(all(unix, not(target_os = "macos"))))]
        let screen = Screen::of_library(&event_loop, &window)?;
        Ok(Self { screen, window, shell, event_loop, is_paced, is_unread: true })
    }

    /// Width and height in pixels, as the system has made them.
    pub(super) fn size(&self) -> [u32; 2] {
        self.shell.size
    }

    /// Whether held keys repeat as in a text.
    pub(super) fn set_typing(&mut self, typing: bool) {
        self.shell.keys.typing = typing;
    }

    pub(super) fn set_title(&self, title: &str) {
        // Words about a display that is gone come from the next look.
        let _ = quietly(|| self.window.set_title(&printable(title)));
    }

    /// Asks for another size.
    pub(super) fn resize(&self, [width, height]: [u32; 2]) {
        let _ = quietly(|| self.window.request_inner_size(PhysicalSize::new(width, height)));
    }

    /// Covers the whole screen, or no longer.
    pub(super) fn toggle_full_screen(&self) {
        let is_full = self.window.fullscreen().is_some();
        let full = (!is_full).then_some(Fullscreen::Borderless(None));
        let _ = quietly(|| self.window.set_fullscreen(full));
    }

    /// Whether nothing of the window can be seen.
    pub(super) fn is_hidden(&self) -> bool {
        self.shell.is_hidden() || self.screen.hides()
    }

    /// Whether a picture that is shown now will be seen. If not, the system is asked to say when.
    pub(super) fn is_ready(&mut self) -> bool {
        if self.is_hidden() || self.screen.is_busy() {
            return false;
        }
        if !self.shell.is_ready && !self.shell.is_asked {
            self.shell.is_asked = true;
            self.window.request_redraw();
        }
        self.shell.is_ready
    }

    /// Whether the system will say when a picture is wanted.
    pub(super) fn is_waiting(&self) -> bool {
        self.shell.is_asked || self.screen.is_busy()
    }

    /// Whether the system has lost what was shown.
    pub(super) fn is_stale(&self) -> bool {
        self.shell.is_stale
    }

    /// Shows the surface.
    ///
    /// # Errors
    /// If the connection to the display is lost.
    pub(super) fn present(&mut self, shown: &Surface) -> Result<(), String> {
        let size = self.shell.size;
        if !size.contains(&0) {
            let (screen, window) = (&mut self.screen, &self.window);
            quietly(|| screen.present(shown, size, window))??;
        }
        self.shell.is_stale = false;
        self.shell.is_ready = !self.is_paced;
        self.is_unread = true;
        Ok(())
    }

    /// Waits until something happens, at most this long, and tells what it was.
    ///
    /// # Errors
    /// If the connection to the display is lost.
    pub(super) fn wait(&mut self, limit: Duration) -> Result<Vec<Event>, String> {
        if std::mem::take(&mut self.is_unread) {
            self.look(Duration::ZERO)?;
        }
        if self.shell.events.is_empty() {
            let now = Instant::now();
            let repeat = self.shell.keys.due().map(|due| due.saturating_duration_since(now));
            self.look(repeat.map_or(limit, |repeat| repeat.min(limit)))?;
        }
        self.shell.events.extend(self.shell.keys.repeat(Instant::now()));
        Ok(std::mem::take(&mut self.shell.events))
    }

    fn look(&mut self, limit: Duration) -> Result<(), String> {
        #[cfg(all(unix, not(target_os = "macos")))]
        if let Screen::Server(server) = &mut self.screen {
            use std::os::fd::AsFd as _;
            let was_hidden = server.hides();
            server.wait(self.event_loop.as_fd(), limit)?;
            self.shell.is_stale |= was_hidden && !server.hides();
            return pump(&mut self.event_loop, &mut self.shell, Duration::ZERO);
        }
        pump(&mut self.event_loop, &mut self.shell, limit)
    }

    /// Leaves the window as it is: closing it would speak to a display that is gone.
    pub(super) fn abandon(self) {
        std::mem::forget(self);
    }
}

impl Screen {
    #[cfg(all(unix, not(target_os = "macos")))]
    fn on_server(mut server: Server, window: &Window) -> Result<Self, String> {
        let id = x11_id(window).ok_or("the window has no number")?;
        server.adopt(id)?;
        Ok(Self::Server(Box::new(server)))
    }

    fn of_library(event_loop: &EventLoop<()>, window: &Rc<Window>) -> Result<Self, String> {
        let context = softbuffer::Context::new(event_loop.owned_display_handle())
            .map_err(|error| error.to_string())?;
        let surface = softbuffer::Surface::new(&context, Rc::clone(window));
        Ok(Self::Library(surface.map_err(|error| error.to_string())?))
    }

    /// Whether the window is not on the screen, as far as the screen knows.
    fn hides(&self) -> bool {
        match self {
            #[cfg(all(unix, not(target_os = "macos")))]
            Self::Server(server) => server.hides(),
            Self::Library(_) => false,
        }
    }

    /// Whether the last picture is still on its way.
    fn is_busy(&self) -> bool {
        match self {
            #[cfg(all(unix, not(target_os = "macos")))]
            Self::Server(server) => server.is_busy(),
            Self::Library(_) => false,
        }
    }

    fn present(
        &mut self,
        shown: &Surface,
        [width, height]: [u32; 2],
        window: &Window,
    ) -> Result<(), String> {
        match self {
            #[cfg(all(unix, not(target_os = "macos")))]
            Self::Server(server) => {
                // No X server has larger windows.
                let size = [width, height].map(|side| u16::try_from(side).unwrap_or(u16::MAX));
                let is_same = [shown.width, shown.height] == size.map(usize::from);
                let mut pixels = Vec::new();
                if !is_same {
                    pixels.resize(usize::from(size[0]) * usize::from(size[1]), 0);
                    copy(shown, &mut pixels, size[0].into());
                }
                let pixels = if is_same { &shown.pixels } else { &pixels };
                server.show(pixels, size).map_err(|error| error.to_string())
            }
            Self::Library(surface) => {
                let (Some(columns), Some(rows)) = (NonZeroU32::new(width), NonZeroU32::new(height))
                else {
                    return Ok(());
                };
                let mut show = || {
                    surface.resize(columns, rows)?;
                    let mut buffer = surface.buffer_mut()?;
                    copy(shown, &mut buffer, width as usize);
                    window.pre_present_notify();
                    buffer.present()
                };
                show().map_err(|error: softbuffer::SoftBufferError| error.to_string())
            }
        }
    }
}

/// Lets the library look at what happened, or wait for something.
fn pump(event_loop: &mut EventLoop<()>, shell: &mut Shell, limit: Duration) -> Result<(), String> {
    match quietly(|| event_loop.pump_app_events(Some(limit), shell))? {
        PumpStatus::Continue => Ok(()),
        PumpStatus::Exit(code) => Err(format!("the display ended with code {code}")),
    }
}

fn attributes(title: &str, [width, height]: [u32; 2]) -> WindowAttributes {
    let [least_width, least_height] = [SMALLEST[0].min(width), SMALLEST[1].min(height)];
    let attributes = Window::default_attributes()
        .with_title(printable(title))
        .with_inner_size(PhysicalSize::new(width, height))
        .with_min_inner_size(PhysicalSize::new(least_width, least_height));
    // Of X11 too: the two share the name.
    #[cfg(all(unix, not(target_os = "macos")))]
    let attributes =
        winit::platform::wayland::WindowAttributesExtWayland::with_name(attributes, NAME, NAME);
    attributes
}

/// Whether the window is one of Wayland, whose compositors say when to draw.
#[cfg(all(unix, not(target_os = "macos")))]
fn is_wayland(system: WindowSystem) -> bool {
    match system {
        WindowSystem::Auto => finds_wayland(),
        WindowSystem::X11 => false,
        WindowSystem::Wayland => true,
    }
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn is_wayland(_: WindowSystem) -> bool {
    false
}

/// The events of a window system.
#[cfg(all(unix, not(target_os = "macos")))]
fn event_loop(is_wayland: bool) -> Result<EventLoop<()>, String> {
    use winit::platform::{wayland, x11};

    let mut builder = EventLoop::builder();
    if is_wayland {
        wayland::EventLoopBuilderExtWayland::with_wayland(&mut builder);
    } else {
        x11::EventLoopBuilderExtX11::with_x11(&mut builder);
    }
    // For users of the library; both systems share it.
    x11::EventLoopBuilderExtX11::with_any_thread(&mut builder, true);
    builder.build().map_err(|error| reason(&error.to_string()))
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn event_loop(_: bool) -> Result<EventLoop<()>, String> {
    EventLoop::new().map_err(|error| reason(&error.to_string()))
}

/// Whether there is a compositor. A variable that one has left behind must not hide the X server.
#[cfg(all(unix, not(target_os = "macos")))]
fn finds_wayland() -> bool {
    use std::os::unix::net::UnixStream;
    use std::path::Path;

    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if variable("WAYLAND_SOCKET").is_some() || variable("DISPLAY").is_none() {
        return true;
    }
    let Some(display) = variable("WAYLAND_DISPLAY") else { return false };
    let folder = variable("XDG_RUNTIME_DIR").unwrap_or_default();
    UnixStream::connect(Path::new(&folder).join(display)).is_ok()
}

#[cfg(all(unix, not(target_os = "macos")))]
fn x11_id(window: &Window) -> Option<u32> {
    use winit::raw_window_handle::{HasWindowHandle as _, RawWindowHandle};

    match window.window_handle().ok()?.as_raw() {
        RawWindowHandle::Xlib(handle) => u32::try_from(handle.window).ok(),
        _ => None,
    }
}

/// What the library says, in one line and without the place in its source.
fn reason(error: &str) -> String {
    let line = error.lines().next().unwrap_or_default();
    let place = line.strip_prefix("os error at ").and_then(|rest| rest.split_once(": "));
    place.map_or(line, |(_, said)| said).to_owned()
}

/// Copies what fits into rows of `width` pixels; the rest is black. While a log plays, what is shown
/// has the size of the log.
fn copy(shown: &Surface, buffer: &mut [u32], width: usize) {
    if shown.width == width && shown.pixels.len() == buffer.len() {
        buffer.copy_from_slice(&shown.pixels);
        return;
    }
    buffer.fill(0);
    let columns = width.min(shown.width);
    let rows = shown.pixels.chunks_exact(shown.width.max(1));
    for (to, from) in buffer.chunks_exact_mut(width).zip(rows) {
        to[..columns].copy_from_slice(&from[..columns]);
    }
}

/// A title is one line.
fn printable(title: &str) -> String {
    title.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_or_smaller_than_the_window_begins_in_its_corner() {
        let surface = |width, pixels: &[u32]| Surface {
            width,
            height: pixels.len() / width,
            pixels: pixels.to_vec(),
        };
        let copied = |surface: &Surface, width: usize, height: usize| {
            let mut buffer = vec![9; width * height];
            copy(surface, &mut buffer, width);
            buffer
        };
        let shown = surface(3, &[1, 2, 3, 4, 5, 6]);
        assert_eq!(copied(&shown, 3, 2), [1, 2, 3, 4, 5, 6]);
        assert_eq!(copied(&shown, 2, 1), [1, 2]);
        assert_eq!(copied(&shown, 4, 3), [1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0, 0]);
        // As many pixels in another shape.
        assert_eq!(copied(&shown, 2, 3), [1, 2, 4, 5, 0, 0]);
    }

    #[test]
    fn errors_do_not_tell_where_the_library_was_built() {
        for (said, expected) in [
            ("os error at /home/x/winit/src/mod.rs:770: no library\nwith more", "no library"),
            ("there is no display: none", "there is no display: none"),
        ] {
            assert_eq!(reason(said), expected);
        }
    }
}
