//! A second connection to the X server: it tells whether the server is still there and whether the
//! window is on the screen, and brings the pictures there.
//!
//! The other connection belongs to Xlib, which ends the program when the server is gone, with words and
//! an exit code of its own. So Xlib looks only after the server has answered here.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use x11rb::connection::Connection as _;
use x11rb::errors::ReplyError;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, Window,
};
use x11rb::rust_connection::RustConnection;

use super::canvas::Canvas;

pub(super) struct Server {
    connection: RustConnection,
    watched: Option<Watched>,
    canvas: Option<Canvas>,
}

struct Watched {
    window: Window,
    /// The property that holds a window's states, and the state of one that is minimised.
    states: Atom,
    hidden: Atom,
    is_mapped: bool,
    is_minimized: bool,
    is_destroyed: bool,
}

impl Server {
    /// # Errors
    /// If there is no server.
    pub(super) fn connect() -> Result<Self, String> {
        let (connection, _) = RustConnection::connect(None)
            .map_err(|error| format!("the X server does not answer: {error}"))?;
        Ok(Self { connection, watched: None, canvas: None })
    }

    /// Looks after this window from now on.
    ///
    /// # Errors
    /// If the server is gone, or cannot show pictures.
    pub(super) fn adopt(&mut self, window: Window) -> Result<(), String> {
        self.canvas = Some(Canvas::new(&self.connection, window)?);
        self.watch(window).map_err(|error| error.to_string())
    }

    fn watch(&mut self, window: Window) -> Result<(), ReplyError> {
        let server = &self.connection;
        let mask = EventMask::STRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE;
        let attributes = ChangeWindowAttributesAux::new().event_mask(mask);
        server.change_window_attributes(window, &attributes)?;
        let states = server.intern_atom(false, b"_NET_WM_STATE")?;
        let hidden = server.intern_atom(false, b"_NET_WM_STATE_HIDDEN")?;
        let [states, hidden] = [states.reply()?.atom, hidden.reply()?.atom];
        let watched = Watched {
            window,
            states,
            hidden,
            is_mapped: true,
            is_minimized: false,
            is_destroyed: false,
        };
        self.watched = Some(watched);
        Ok(())
    }

    /// Whether nothing of the window can be seen.
    pub(super) fn hides(&self) -> bool {
        self.watched.as_ref().is_some_and(|watched| watched.is_minimized || !watched.is_mapped)
    }

    /// Waits until there is something for the window's own connection, at most this long.
    ///
    /// # Errors
    /// If the server is gone.
    pub(super) fn wait(&mut self, own: BorrowedFd<'_>, limit: Duration) -> Result<(), String> {
        let limit = Timespec::try_from(limit).ok();
        let stream = self.connection.stream();
        let here = PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::IN);
        let mut sources = [here, PollFd::from_borrowed_fd(own, PollFlags::IN)];
        match poll(&mut sources, limit.as_ref()) {
            // A signal.
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.to_string()),
            Ok(_) => {}
        }
        let is_for_xlib = !sources[1].revents().is_empty();
        self.take_in(is_for_xlib).map_err(|error| error.to_string())?;
        if self.is_destroyed() { Err("the window was taken away".into()) } else { Ok(()) }
    }

    /// Whether the server has not taken the last picture yet.
    pub(super) fn is_busy(&self) -> bool {
        self.canvas.as_ref().is_some_and(Canvas::is_busy)
    }

    /// Shows 0RGB pixels.
    ///
    /// # Errors
    /// If the server is gone.
    pub(super) fn show(&mut self, pixels: &[u32], size: [u16; 2]) -> Result<(), ReplyError> {
        while self.is_busy() {
            let event = self.connection.wait_for_event()?;
            self.hear(&event)?;
        }
        let Some(canvas) = &mut self.canvas else { return Ok(()) };
        canvas.show(&self.connection, pixels, size)
    }

    fn is_destroyed(&self) -> bool {
        self.watched.as_ref().is_some_and(|watched| watched.is_destroyed)
    }

    /// Takes in what the server tells, after it has answered if `asks`.
    fn take_in(&mut self, asks: bool) -> Result<(), ReplyError> {
        if asks {
            self.connection.get_input_focus()?.reply()?;
        }
        while let Some(event) = self.connection.poll_for_event()? {
            self.hear(&event)?;
        }
        Ok(())
    }

    fn hear(&mut self, event: &Event) -> Result<(), ReplyError> {
        if let Some(canvas) = &mut self.canvas {
            canvas.hear(event);
        }
        let Some(watched) = &mut self.watched else { return Ok(()) };
        match event {
            Event::MapNotify(_) => watched.is_mapped = true,
            Event::UnmapNotify(_) => watched.is_mapped = false,
            Event::DestroyNotify(_) => watched.is_destroyed = true,
            Event::PropertyNotify(change) if change.atom == watched.states => {
                let (window, states) = (watched.window, watched.states);
                let server = &self.connection;
                let found = server.get_property(false, window, states, AtomEnum::ATOM, 0, 64)?;
                let found = found.reply()?;
                let mut found = found.value32().into_iter().flatten();
                watched.is_minimized = found.any(|state| state == watched.hidden);
            }
            _ => {}
        }
        Ok(())
    }
}
