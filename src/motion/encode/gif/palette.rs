//! The colours of all pictures, as the palette of at most 256 that a GIF has.
//!
//! Indexed pictures keep their colours. So do RGBA pictures as long as there are few enough; of more, Wu's
//! method makes a palette from the numbers of pixels that have each, no larger than it has to be: fewer
//! colours make a smaller file. It counts in integers and divides in single steps, so that the palette is
//! the same on every machine.

use std::sync::Arc;

use quantette::color_map::{IndexedColorMap, NearestNeighborColorMap};
use quantette::deps::palette::Srgb;
use quantette::wu::{BinnerU8x3, WuU8x3};
use quantette::{PaletteBuf, PaletteCounts, PaletteSize};
use rayon::prelude::*;

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

    /// The palette. With `is_dithered`, colours between become patterns of those that it has.
    pub(super) fn finish(self, is_dithered: bool) -> Colors {
        match &self.used {
            Some((palette, used)) => self.indexed(palette, used),
            None => self.rgba(is_dithered),
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

    fn rgba(&self, is_dithered: bool) -> Colors {
        let counts: Vec<Count> = self.counts.iter().filter(|(_, count)| *count > 0).collect();
        let is_exact = counts.len() <= 256 - usize::from(self.has_holes);
        let palette = if is_exact {
            let mut palette: Vec<[u8; 3]> = counts.iter().map(|(color, _)| *color).collect();
            palette.sort_unstable();
            palette
        } else {
            quantized(&counts, is_dithered)
        };
        let mut colors = Colors::new(palette);
        let Some(nearest) = nearest(&colors.palette[..colors.opaque]) else { return colors };
        for &(color, _) in &counts {
            *colors.slots.get_mut(color) = nearest.palette_index(&color.into());
        }
        if is_dithered && !is_exact {
            // Errors that are spread evenly have the width of this many times their mean square.
            let error = mean_error(&counts, &colors.palette[..colors.opaque]);
            colors.dither = Some((nearest, (4 * error).isqrt() as i32));
        }
        colors
    }
}

/// A colour and the number of its pixels.
type Count = ([u8; 3], u32);

/// How many colours a palette may have, and one for what is transparent or stays.
const SIZES: [u8; 8] = [31, 47, 63, 95, 127, 159, 191, 223];
const LARGEST: u8 = 255;

/// What a palette may be wrong to be good enough: the mean of the squared distance of all channels
/// together, which is 43 dB.
const GOOD_ERROR: u64 = 10;

/// The smallest palette that is good enough, or else the largest.
fn quantized(counts: &[Count], is_dithered: bool) -> Vec<[u8; 3]> {
    let total: u64 = counts.iter().map(|(_, count)| u64::from(*count)).sum();
    // Their sum has to fit 32 bits, with the rounding up of those that are few.
    let shift = (total >> 31).checked_ilog2().map_or(0, |bits| bits + 1);
    let (colors, weights) =
        counts.iter().map(|&(color, count)| (Srgb::from(color), (count >> shift).max(1))).unzip();
    let weights = PaletteCounts::new(colors, weights).unwrap_or_default();
    let wu = WuU8x3::run_palette_counts(&weights, BinnerU8x3::<BINS, BINS, BINS>::new());
    let palette = |size: u8| {
        let palette =
            wu.as_ref().map(|wu| wu.palette(PaletteSize::from_u8_clamped(size)).into_vec());
        let mut palette: Vec<[u8; 3]> =
            palette.unwrap_or_default().into_iter().map(Into::into).collect();
        palette.sort_unstable();
        palette.dedup();
        palette
    };
    let is_bad = |size: &u8| is_dithered || mean_error(counts, &palette(*size)) > GOOD_ERROR;
    palette(SIZES.get(SIZES.partition_point(is_bad)).copied().unwrap_or(LARGEST))
}

/// The squared distance of pixels from the nearest colour of a palette, on average of all but those of the
/// most frequent colour: it is the background, and exact.
fn mean_error(counts: &[Count], palette: &[[u8; 3]]) -> u64 {
    let Some(nearest) = nearest(palette) else { return 0 };
    // Of equally frequent ones it is one alone.
    let background = counts.iter().max_by_key(|(_, count)| *count).map(|(color, _)| *color);
    let error = |&(color, count): &Count| {
        let found = palette[usize::from(nearest.palette_index(&color.into()))];
        let distance = (0..3).map(|i| u64::from(color[i].abs_diff(found[i])).pow(2)).sum::<u64>();
        (distance * u64::from(count), u64::from(count))
    };
    let counted = counts.par_iter().filter(|(color, _)| Some(*color) != background);
    let (error, total) = counted.map(error).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    error / total.max(1)
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
    /// For dithering: the search for colours, and how far they are moved at most.
    dither: Option<(Nearest, i32)>,
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
                match &self.dither {
                    Some(dither) => dithered(rgba, image.width(), dither),
                    None => rgba.as_chunks().0.iter().map(entry).collect(),
                }
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

/// The entries of pixels that are moved up and down in a pattern of 8 x 8, Bayer's, before the nearest
/// colour is taken. It stands still where the picture does.
fn dithered(rgba: &[u8], width: u32, (nearest, spread): &(Nearest, i32)) -> Vec<u16> {
    let entry = |(place, &[red, green, blue, alpha]): (usize, &[u8; 4])| {
        if alpha < OPAQUE {
            return NOTHING;
        }
        let (x, y) = (place % width as usize, place / width as usize);
        // The bits of both places in turn, the lowest highest: 0 to 63. Each channel has its own place, or
        // only brightness would be dithered.
        let bit = |bits: usize, bit: usize| bits >> bit & 1;
        let level = |x: usize, y: usize| {
            (0..3).fold(0, |level, i| level << 2 | bit(x ^ y, i) << 1 | bit(y, i)) as i32
        };
        let move_by = |value: u8, x, y| {
            (i32::from(value) + (2 * level(x, y) - 63) * spread / 126).clamp(0, 255) as u8
        };
        let moved = [move_by(red, x, y), move_by(green, x + 3, y), move_by(blue, x, y + 5)];
        nearest.palette_index(&moved.into()).into()
    };
    rgba.as_chunks().0.iter().enumerate().map(entry).collect()
}
