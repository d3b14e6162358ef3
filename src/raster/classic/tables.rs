//! Light table and blend table of a palette.

use std::sync::{Arc, OnceLock};

use crate::image::{BlendTable, Colormap, Palette};

/// What the tables are made from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TableSource {
    pub(super) palette: Arc<Palette>,
    /// `None` is generated from the palette.
    pub(super) colormap: Option<Arc<Colormap>>,
    pub(super) colors: Option<[u8; 2]>,
    /// Quake II's tables: only index 255 is spared, and the light table goes on with blending.
    pub(super) is_quake2: bool,
}

/// The tables that pixels go through.
#[derive(Debug)]
pub(super) struct Tables {
    source: TableSource,
    /// 64 rows of 256.
    pub(super) light: Box<[u8; 64 * 256]>,
    blend: OnceLock<BlendTable>,
}

impl Tables {
    pub(super) fn new(source: TableSource) -> Self {
        let colormap = match &source.colormap {
            Some(colormap) => Colormap::clone(colormap),
            None if source.is_quake2 => Colormap::from_palette(&quake2(&source.palette)),
            None => Colormap::from_palette(&source.palette),
        };
        let colormap = match source.colors {
            Some(colors) => colormap.with_player_colors(colors),
            None => colormap,
        };
        let light = colormap.rows().to_vec().into_boxed_slice();
        let light = light.try_into().expect("a colormap has 64 rows of 256");
        Self { source, light, blend: OnceLock::new() }
    }

    pub(super) fn are_from(&self, source: &TableSource) -> bool {
        self.source == *source
    }

    /// Whether the light table goes on with the blend table.
    pub(super) fn has_blend(&self) -> bool {
        self.source.is_quake2
    }

    /// Two thirds of one index and one third of another: `[over * 256 + under]`. Made when first
    /// asked for, because most pictures have nothing translucent.
    pub(super) fn blend(&self) -> &[u8; 65536] {
        let make = || BlendTable::from_palette(&quake2(&self.source.palette));
        let entries = self.blend.get_or_init(make).entries();
        entries.try_into().expect("a blend table has 256 rows of 256")
    }
}

/// The palette as Quake II sees every palette.
fn quake2(palette: &Palette) -> Palette {
    Palette::new(*palette.colors(), 255)
}
