//! Pictures on their way into a window of an X server: through shared memory where server and program
//! have that, else in pieces over the connection.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use rustix::fs::{MemfdFlags, memfd_create};
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::errors::{ReplyError, ReplyOrIdError};
use x11rb::protocol::Event;
use x11rb::protocol::shm::{ConnectionExt as _, Seg};
use x11rb::protocol::xproto::{
    ConnectionExt as _, CreateGCAux, Gcontext, ImageFormat, ImageOrder, Window,
};
use x11rb::rust_connection::RustConnection;

/// Where pictures for one window go.
pub(super) struct Canvas {
    window: Window,
    context: Gcontext,
    depth: u8,
    /// Without it pictures go over the connection.
    memory: Option<Memory>,
    has_shared_memory: bool,
    /// The picture in the order of the server, if that is not the machine's own.
    swapped: Vec<u32>,
    /// The server still reads the last picture.
    is_busy: bool,
}

/// Bytes that the server sees too.
struct Memory {
    file: File,
    segment: Seg,
    len: usize,
}

impl Canvas {
    /// # Errors
    /// If the server is gone, or its pixels are no 8 bits of red, green and blue.
    pub(super) fn new(server: &RustConnection, window: Window) -> Result<Self, String> {
        let canvas = Self::of(server, window).map_err(|error| error.to_string())?;
        canvas.ok_or_else(|| "the display has no pixels of 8 bits of red, green and blue".into())
    }

    fn of(server: &RustConnection, window: Window) -> Result<Option<Self>, ReplyOrIdError> {
        let geometry = server.get_geometry(window)?;
        let attributes = server.get_window_attributes(window)?;
        let (depth, visual) = (geometry.reply()?.depth, attributes.reply()?.visual);
        let setup = server.setup();
        let is_wide =
            setup.pixmap_formats.iter().any(|f| f.depth == depth && f.bits_per_pixel == 32);
        let mut depths = setup.roots.iter().flat_map(|root| &root.allowed_depths);
        let is_rgb = depths.any(|depth| {
            depth.visuals.iter().any(|found| {
                let masks = [found.red_mask, found.green_mask, found.blue_mask];
                found.visual_id == visual && masks == [0x00ff_0000, 0xff00, 0xff]
            })
        });
        if !is_wide || !is_rgb {
            return Ok(None);
        }
        let context = server.generate_id()?;
        server.create_gc(context, window, &CreateGCAux::new().graphics_exposures(0))?;
        let version = server.shm_query_version();
        let version = version.ok().and_then(|version| version.reply().ok());
        // Memory that a program brings, since 1.2.
        let has_shared_memory =
            version.is_some_and(|v| (v.major_version, v.minor_version) >= (1, 2));
        let (memory, swapped, is_busy) = (None, Vec::new(), false);
        let canvas = Self { window, context, depth, memory, has_shared_memory, swapped, is_busy };
        Ok(Some(canvas))
    }

    /// Whether the server has not taken the last picture yet.
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Learns from an event whether the server has taken a picture.
    pub(super) fn hear(&mut self, event: &Event) {
        if matches!(event, Event::ShmCompletion(_) | Event::Error(_)) {
            self.is_busy = false;
        }
    }

    /// Shows 0RGB pixels.
    ///
    /// # Errors
    /// If the server is gone.
    pub(super) fn show(
        &mut self,
        server: &RustConnection,
        pixels: &[u32],
        [width, height]: [u16; 2],
    ) -> Result<(), ReplyError> {
        let own_order =
            if cfg!(target_endian = "big") { ImageOrder::MSB_FIRST } else { ImageOrder::LSB_FIRST };
        let mut swapped = std::mem::take(&mut self.swapped);
        let in_order = if server.setup().image_byte_order == own_order {
            pixels
        } else {
            swapped.clear();
            swapped.extend(pixels.iter().map(|pixel| pixel.swap_bytes()));
            &swapped
        };
        let result = self.bring(server, bytemuck::cast_slice(in_order), [width, height]);
        self.swapped = swapped;
        result
    }

    /// Shows pixels in the order of the server.
    fn bring(
        &mut self,
        server: &RustConnection,
        bytes: &[u8],
        [width, height]: [u16; 2],
    ) -> Result<(), ReplyError> {
        if self.has_shared_memory && !self.share(server, bytes)? {
            self.has_shared_memory = false;
        }
        match &self.memory {
            Some(memory) => {
                let format = ImageFormat::Z_PIXMAP.into();
                server.shm_put_image(
                    self.window,
                    self.context,
                    width,
                    height,
                    0,
                    0,
                    width,
                    height,
                    0,
                    0,
                    self.depth,
                    format,
                    true,
                    memory.segment,
                    0,
                )?;
                self.is_busy = true;
            }
            None => self.send(server, bytes, width)?,
        }
        Ok(server.flush()?)
    }

    /// Puts the picture into shared memory; `false` if there is none.
    fn share(&mut self, server: &RustConnection, bytes: &[u8]) -> Result<bool, ReplyError> {
        let len = bytes.len();
        if self.memory.as_ref().is_none_or(|memory| memory.len < len) {
            if let Some(memory) = self.memory.take() {
                server.shm_detach(memory.segment)?;
            }
            self.memory = Memory::new(server, len)?;
        }
        let Some(memory) = &self.memory else { return Ok(false) };
        if memory.file.write_all_at(bytes, 0).is_err() {
            self.memory = None;
        }
        Ok(self.memory.is_some())
    }

    /// Sends the picture in pieces that the server takes.
    fn send(&self, server: &RustConnection, bytes: &[u8], width: u16) -> Result<(), ReplyError> {
        let row = usize::from(width) * 4;
        // The request itself has 28 bytes, or 32 if it is long.
        let rows = (server.maximum_request_bytes().saturating_sub(32) / row).max(1);
        for (number, piece) in bytes.chunks(rows * row).enumerate() {
            let height = (piece.len() / row) as u16;
            let y = (number * rows) as i16;
            server.put_image(
                ImageFormat::Z_PIXMAP,
                self.window,
                self.context,
                width,
                height,
                0,
                y,
                0,
                self.depth,
                piece,
            )?;
        }
        Ok(())
    }
}

impl Memory {
    /// `None` if there is none to share, as with a server on another machine.
    fn new(server: &RustConnection, len: usize) -> Result<Option<Self>, ReplyError> {
        // A window that grows by hand does so many times.
        let len = len.next_power_of_two();
        let file = memfd_create("polyset window", MemfdFlags::CLOEXEC).map(File::from);
        let Ok(file) = file else { return Ok(None) };
        let Ok(theirs) = file.set_len(len as u64).and_then(|()| file.try_clone()) else {
            return Ok(None);
        };
        let Ok(segment) = server.generate_id() else { return Ok(None) };
        match server.shm_attach_fd(segment, theirs, true)?.check() {
            Ok(()) => Ok(Some(Self { file, segment, len })),
            Err(ReplyError::ConnectionError(error)) => Err(error.into()),
            Err(ReplyError::X11Error(_)) => Ok(None),
        }
    }
}
