//! What lies behind the model, in the picture's own colours.

use super::{RendererKind, Scene};
use crate::error::RequestError;
use crate::image::Palette;
use crate::look::ColorMode;

/// What lies behind the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Background {
    /// Nothing.
    Transparent,
    /// Red, green, blue, alpha; in an indexed picture the nearest colour of its palette, with alpha 0
    /// or 255.
    Color([u8; 4]),
    /// A palette index of an indexed picture, transparent in the PNG.
    Index(u8),
}

/// What the frame is cleared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clear {
    /// True colour.
    Color([u8; 4]),
    /// The index that stands for "nothing is here".
    TransparentIndex(u8),
    /// An index like any other.
    OpaqueIndex(u8),
}

/// The entry that means "nothing is here" in Quake's pictures.
const TRANSPARENT_INDEX: u8 = 255;

impl Scene {
    /// # Errors
    /// If the background does not belong to the colour mode.
    pub(super) fn check_background(&self) -> Result<(), RequestError> {
        let message = match (self.renderer, self.color_mode(), self.background) {
            (RendererKind::Precise, ColorMode::Rgb, Some(Background::Index(index))) => format!(
                "--background-index {index} is for indexed pictures: \
                 add --color indexed, or use --background-color"
            ),
            (_, ColorMode::Indexed, Some(Background::Color([.., alpha @ 1..=254]))) => format!(
                "--background-color with alpha {alpha:02X}: \
                 behind an indexed picture only 00 and FF are possible"
            ),
            _ => return Ok(()),
        };
        Err(RequestError::new(message))
    }

    /// What a frame whose indices mean `palette` is cleared with.
    pub(super) fn clear(&self, palette: &Palette) -> Clear {
        match (self.color_mode(), self.background) {
            (ColorMode::Rgb, Some(Background::Color(rgba))) => Clear::Color(rgba),
            // The classic renderer draws indices whatever the picture becomes.
            (ColorMode::Rgb, Some(Background::Index(index))) => Clear::OpaqueIndex(index),
            (ColorMode::Rgb, _) => Clear::Color([0; 4]),
            (_, Some(Background::Index(index))) => Clear::TransparentIndex(index),
            (_, Some(Background::Color([.., 0]))) => Clear::TransparentIndex(TRANSPARENT_INDEX),
            (_, Some(Background::Color([r, g, b, _]))) => {
                Clear::OpaqueIndex(palette.nearest([r, g, b]))
            }
            (_, Some(Background::Transparent) | None) => {
                Clear::TransparentIndex(self.empty_index())
            }
        }
    }

    /// The index that stands for "nothing is here" unless one is said. Nothing translucent can be seen
    /// over 255, the last entry of Quake II's blend table.
    pub(super) fn empty_index(&self) -> u8 {
        let is_translucent =
            self.engine.alpha.is_some() || self.engine.shell.is_some_and(|shell| !shell.is_none());
        let is_classic = self.renderer == RendererKind::Classic;
        if is_classic && is_translucent { 0 } else { TRANSPARENT_INDEX }
    }
}
