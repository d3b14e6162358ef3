//! The colours of all pictures, as the palette of at most 256 that a GIF has.
//!
//! Indexed pictures keep their colours. So do RGBA pictures as long as there are few enough; of more, Wu's
//! method makes a palette from the numbers of pixels that have each. It counts in integers and divides in
//! single steps, so that the palette is the same on every machine.

use std::sync::Arc;

use quantette::color_map::{IndexedColorMap, NearestNeighborColorMap};
use quantette::deps::palette::Srgb;
use quantette::wu::{BinnerU8x3, WuU8x3};
use quantette::{PaletteBuf, PaletteCounts, PaletteSize};

use super::OPAQUE;
use crate::image::{Image, Palette, Pixels};

/// Stands for a transparent pixel among indices.
pub(super) const NOTHING: u16 = 256;

/// Bins of a channel in which Wu's method counts.
const BINS: usize = 64;

/// What was seen of the pictures.
#[derive(Default)]
pub(super) struct Learning {
    /// How many pixels of RGBA pictures have a colour.
    counts: Table<u32>,
    /// The palette of indexed pictures, and which of it is drawn.
    used: Option<(Arc<Palette>, [bool; 256])>,
    /// The index that is transparent in some of them.
    transparent: Option<u8>,
    has_holes: bool,
}

/// A value for each colour there is, in blocks of the colours that have the upper halves of their channels
/// in common. Blocks without a value take no memory.
#[derive(Default)]
struct Table<T> {
    blocks: Vec<Option<Box<[T; BLOCK]>>>,
}

const BLOCK: usize = 1 << 12;

impl<T: Copy + Default> Table<T> {
    /// A colour's block and place in it.
    fn place(color: [u8; 3]) -> (usize, usize) {
        let join = |[red, green, blue]: [u8; 3]| {
            usize::from(red) << 8 | usize::from(green) << 4 | usize::from(blue)
        };
        (join(color.map(|channel| channel >> 4)), join(color.map(|channel| channel & 15)))
    }

    fn get(&self, color: [u8; 3]) -> Option<T> {
        let (block, place) = Self::place(color);
        self.blocks.get(block)?.as_ref().map(|block| block[place])
    }

    fn get_mut(&mut self, color: [u8; 3]) -> &mut T {
        let (block, place) = Self::place(color);
        self.blocks.resize_with(BLOCK, || None);
        &mut self.blocks[block].get_or_insert_with(|| Box::new([T::default(); BLOCK]))[place]
    }

    /// All values of the blocks that there are, with their colours.
    fn iter(&self) -> impl Iterator<Item = ([u8; 3], T)> {
        let split = |place: usize| [place >> 8, place >> 4, place].map(|half| half as u8 & 15);
        let blocks = self.blocks.iter().enumerate();
        let blocks = blocks.filter_map(move |(upper, block)| Some((split(upper), block.as_ref()?)));
        blocks.flat_map(move |(upper, block)| {
            block.iter().enumerate().map(move |(lower, &value)| {
                let lower = split(lower);
                (std::array::from_fn(|i| upper[i] << 4 | lower[i]), value)
            })
        })
    }
}

impl Learning {
    pub(super) fn see(&mut self, image: &Image) {
        match image.pixels() {
            Pixels::Rgba(rgba) => {
                for &[red, green, blue, alpha] in rgba.as_chunks().0 {
                    if alpha < OPAQUE {
                        self.has_holes = true;
                    } else {
                        let count = self.counts.get_mut([red, green, blue]);
                        *count = count.saturating_add(1);
                    }
                }
            }
            Pixels::Indexed { indices, palette, transparent } => {
                let (_, used) =
                    self.used.get_or_insert_with(|| (Arc::clone(palette), [false; 256]));
                let mut here = [false; 256];
                indices.iter().for_each(|&index| here[usize::from(index)] = true);
                if let Some(index) = *transparent {
                    self.has_holes |= std::mem::take(&mut here[usize::from(index)]);
                    self.transparent = *transparent;
                }
                used.iter_mut().zip(here).for_each(|(used, here)| *used |= here);
            }
        }
    }

    pub(super) fn finish(self) -> Colors {
        match &self.used {
            Some((palette, used)) => self.indexed(palette, used),
            None => self.rgba(),
        }
    }

    /// The colours that are drawn, in their order.
    fn indexed(&self, palette: &Palette, used: &[bool; 256]) -> Colors {
        let mut entries = vec![0; 256];
        let mut colors = Vec::new();
        for (index, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            entries[index] = colors.len() as u8;
            colors.push(palette.colors()[index]);
        }
        let shared = self.transparent.map(|index| entries[usize::from(index)]);
        Colors { entries, shared, ..Colors::new(colors) }
    }

    fn rgba(&self) -> Colors {
        let mut counts: Vec<_> = self.counts.iter().filter(|(_, count)| *count > 0).collect();
        let mut palette: Vec<[u8; 3]>;
        if counts.len() <= 256 - usize::from(self.has_holes) {
            palette = counts.iter().map(|(color, _)| *color).collect();
        } else {
            palette = wu(&counts);
        }
        palette.sort_unstable();
        palette.dedup();
        let mut slots = Table::default();
        if let Some(nearest) = nearest(&palette) {
            for (color, _) in counts.drain(..) {
                *slots.get_mut(color) = nearest.palette_index(&color.into());
            }
        }
        Colors { slots, ..Colors::new(palette) }
    }
}

/// At most 255 colours for colours of which there are so many pixels each: one is left for what is
/// transparent or stays.
fn wu(counts: &[([u8; 3], u32)]) -> Vec<[u8; 3]> {
    let total: u64 = counts.iter().map(|(_, count)| u64::from(*count)).sum();
    // Their sum has to fit 32 bits, with the rounding up of those that are few.
    let shift = (total >> 31).checked_ilog2().map_or(0, |bits| bits + 1);
    let (colors, counts) =
        counts.iter().map(|&(color, count)| (Srgb::from(color), (count >> shift).max(1))).unzip();
    let counts = PaletteCounts::new(colors, counts).unwrap_or_default();
    let wu = WuU8x3::run_palette_counts(&counts, BinnerU8x3::<BINS, BINS, BINS>::new());
    let palette = wu.map(|wu| wu.palette(PaletteSize::from_u8_clamped(255)).into_vec());
    palette.unwrap_or_default().into_iter().map(Into::into).collect()
}

type Nearest = NearestNeighborColorMap<Srgb<u8>, u8, 3>;

/// Finds the nearest colour; none in an empty palette. Its distances are small integers, exact in any
/// arithmetic.
fn nearest(palette: &[[u8; 3]]) -> Option<Nearest> {
    let palette = palette.iter().map(|&color| color.into()).collect();
    Some(Nearest::new(PaletteBuf::new(palette).ok()?))
}

/// The palette, and which of its entries the pixels of the learned pictures become.
#[derive(Default)]
pub(super) struct Colors {
    palette: Vec<[u8; 3]>,
    /// How many of the palette are colours; behind them is the transparent one.
    opaque: usize,
    /// The entries of indices, or of colours.
    entries: Vec<u8>,
    slots: Table<u8>,
    /// The entry of the transparent index in a palette without a place for it: it is a colour in other
    /// pictures.
    shared: Option<u8>,
}

impl Colors {
    fn new(mut palette: Vec<[u8; 3]>) -> Self {
        let opaque = palette.len();
        if opaque < 256 {
            palette.push([0; 3]);
        }
        Self { palette, opaque, ..Self::default() }
    }

    pub(super) fn palette(&self) -> &[[u8; 3]] {
        &self.palette
    }

    /// The entry that is transparent in a picture.
    pub(super) fn transparent(&self, image: &Image) -> Option<u8> {
        match image.pixels() {
            _ if self.opaque < 256 => Some(self.opaque as u8),
            Pixels::Indexed { transparent: Some(_), .. } => self.shared,
            _ => None,
        }
    }

    /// The entries of a picture's pixels, [`NOTHING`] where it is transparent.
    pub(super) fn indices(&self, image: &Image) -> Vec<u16> {
        match image.pixels() {
            Pixels::Rgba(rgba) => {
                let entry = |&[red, green, blue, alpha]: &[u8; 4]| match alpha {
                    ..OPAQUE => NOTHING,
                    _ => self.slots.get([red, green, blue]).unwrap_or_default().into(),
                };
                rgba.as_chunks().0.iter().map(entry).collect()
            }
            Pixels::Indexed { indices, transparent, .. } => {
                let mut table: [u16; 256] = std::array::from_fn(|index| self.entries[index].into());
                if let Some(index) = *transparent {
                    table[usize::from(index)] = NOTHING;
                }
                indices.iter().map(|&index| table[usize::from(index)]).collect()
            }
        }
    }
}
