//! Strips of pixels whose depth is tested and whose colours are still to be found.
//!
//! From the depth of a pixel to its colour every step waits for the one before: attributes, a division,
//! the number of a texel, its load, light. A processor looks a few hundred instructions ahead, which are
//! two or three strips, and waits, too. In two loops it has more strips to work on at once:
//!
//! ```text
//!   fill     depth test, attributes, division   ->   numbers of texels, light, places
//!   paint    texels times light, over what is there   <-
//! ```
//!
//! Strips are painted in the order in which they were tested: of two at one pixel the later is the nearer.
//! They wait across the groups of a surface, and no longer look at the depth. So they are painted before the
//! tiny fragments that wait, which do look (`queue.rs`): a nearer one lies above, a farther one is dropped.
//!
//! For the commonest shading ([`FastPath`]) by single loads, and for filtered textures with blocks
//! (`deferred_blocks.rs`). Only where texels are gathered, wide spans of the commonest shading are coloured in the loop of the depth
//! test: of a gather there is less to wait for.

use fearless_simd::{f32x8, i32x8, mask32x8, prelude::*, u32x8};

use super::super::blocks::Blocks;
use super::super::shade::{FastPath, Shading};
use super::super::surface::Surface;
use super::fast_path::eight::{loaded, modulated, numbers};
use super::list::Strip;
use super::plain_blocks::Plain;
use super::vectors::Vectors;
use super::{deferred_blocks, depth_test, places};

/// How colours are found.
#[derive(Clone, Copy)]
pub(super) enum Paint<'a> {
    Nearest(&'a FastPath<'a>),
    Filtered(&'a Shading<'a>, &'a Blocks),
}

impl<'a> Paint<'a> {
    #[inline(always)]
    fn of(surface: &'a Surface<'a>) -> Option<Self> {
        match (&surface.fast_path, surface.plain_blocks) {
            (Some(path), _) => Some(Self::Nearest(path)),
            (None, Some(blocks)) => Some(Self::Filtered(&surface.shading, blocks)),
            (None, None) => None,
        }
    }
}

/// Strips that wait: of eight pixels, or of blocks of as many as the level has lanes.
// Eights from a multiple of eight on lie within lines of the cache.
#[repr(C, align(64))]
pub(super) struct Deferred {
    /// Numbers of texels, or of blocks.
    pub(super) numbers: [i32; PIXELS],
    /// Light of 0 to 256; negative of pixels outside of their span or behind what is there.
    pub(super) light: [i32; PIXELS],
    /// Index in the band of the first pixel of each span's part, by span and strip.
    pub(super) places: [[u32; STRIPS]; 4],
    /// Of each strip of blocks, which mipmaps they are of.
    pub(super) mipmaps: [Mipmaps; STRIPS],
    /// Of blocks of the first one the weights of columns and rows, see `blocks::eight::weights`. Of others the weights of
    /// 256 of the second column, and in the upper half of the second row, in the finer of two mipmaps and in the coarser.
    pub(super) weights: [[u32; PIXELS]; 2],
    /// Numbers in the coarser of two, whose own weight is in the upper half of the light.
    pub(super) far_numbers: [i32; PIXELS],
    /// Number of strips. The loops of `fill.rs` have it in `waiting`, and write it back at their end.
    pub(super) length: usize,
    /// What strips are.
    pub(super) strip: Strip,
}

/// The mipmaps that the pixels of a strip are of.
#[derive(Clone, Copy, Default)]
pub(super) enum Mipmaps {
    /// The texture itself.
    #[default]
    First,
    /// One each, maybe another one each.
    One,
    /// Two each.
    Two,
}

pub(super) const PIXELS: usize = 512;
const STRIPS: usize = PIXELS / 8;

impl Default for Deferred {
    fn default() -> Self {
        let none = [0; PIXELS];
        let places = [[0; STRIPS]; 4];
        Self {
            numbers: none,
            light: none,
            places,
            mipmaps: [Mipmaps::First; STRIPS],
            weights: [[0; PIXELS]; 2],
            far_numbers: none,
            length: 0,
            strip: Strip::Eight,
        }
    }
}

impl Deferred {
    /// From now on strips are of this kind: those that wait are painted if theirs is another.
    #[inline(always)]
    pub(super) fn set_strip<S: Vectors>(
        &mut self,
        simd: S,
        paint: Paint<'_>,
        strip: Strip,
        color: &mut [u32],
    ) {
        if self.strip != strip {
            if self.length > 0 {
                self.paint_all(simd, paint, color);
            }
            self.strip = strip;
        }
    }

    /// Notes where the pixels of a strip of so many are, and prefetches their colour: it is there when the strip is
    /// painted.
    #[inline(always)]
    pub(super) fn set_places<const LANES: usize, const SPANS: usize>(
        &mut self,
        strip: usize,
        places: [usize; SPANS],
        color: &[u32],
    ) {
        for span in 0..SPANS {
            self.places[span][strip] = places[span] as u32;
            places::prefetch(color, places[span], LANES / SPANS);
        }
    }

    /// Paints all strips that wait, of this surface, into the band's colour.
    #[inline(always)]
    pub(super) fn paint<S: Vectors>(&mut self, simd: S, surface: &Surface<'_>, color: &mut [u32]) {
        if self.length > 0
            && let Some(paint) = Paint::of(surface)
        {
            self.paint_all(simd, paint, color);
        }
    }

    #[inline(always)]
    fn paint_all<S: Vectors>(&mut self, simd: S, paint: Paint<'_>, color: &mut [u32]) {
        match paint {
            Paint::Nearest(path) => paint_nearest(simd, path, self, color),
            Paint::Filtered(shading, blocks) => {
                if const { !S::EMULATED } {
                    let plain = Plain::new(shading, blocks);
                    deferred_blocks::paint(simd, &plain, self, color);
                }
            }
        }
    }
}

#[inline(never)]
fn paint_nearest<S: Vectors>(
    simd: S,
    path: &FastPath<'_>,
    deferred: &mut Deferred,
    color: &mut [u32],
) {
    simd.vectorize(
        #[inline(always)]
        || match deferred.strip {
            Strip::TwoFours => paint::<_, 2>(simd, path, deferred, color),
            _ => paint::<_, 1>(simd, path, deferred, color),
        },
    );
    deferred.length = 0;
}

/// Adds a strip to the first `length`, and says how many wait then: none if it was the last that
/// there is room for, and they are painted. `at` are the attributes without z, `in_range` says
/// that those of all pixels in `pass` are, see `list::List`.
///
/// The length is handed over, as in memory every strip would wait for the one before.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one call in each hot loop, all of it is needed")]
pub(super) fn add<S: Vectors, const SPANS: usize>(
    simd: S,
    path: &FastPath<'_>,
    (at, in_range): ([f32x8<S>; 4], bool),
    pass: mask32x8<S>,
    places: [usize; SPANS],
    length: usize,
    deferred: &mut Deferred,
    color: &mut [u32],
) -> usize {
    let (number, light) = numbers(simd, path, at, in_range);
    let light = depth_test::light_of_eight(pass, light);
    let (Some(numbers), Some(lights)) = (
        deferred.numbers.as_chunks_mut::<8>().0.get_mut(length),
        deferred.light.as_chunks_mut::<8>().0.get_mut(length),
    ) else {
        // Never: there is always room for one more.
        return length;
    };
    number.store_array(numbers);
    light.store_array(lights);
    deferred.set_places::<8, _>(length, places, color);
    if length + 1 < PIXELS / 8 {
        return length + 1;
    }
    deferred.length = length + 1;
    paint_nearest(simd, path, deferred, color);
    0
}

/// Finds the colours of the strips and writes them over what is there.
#[inline(always)]
fn paint<S: Vectors, const SPANS: usize>(
    simd: S,
    path: &FastPath<'_>,
    deferred: &Deferred,
    color: &mut [u32],
) {
    let numbers = deferred.numbers.as_chunks::<8>().0;
    let lights = deferred.light.as_chunks::<8>().0;
    // Looked up once: the path might change with a colour, for all that the compiler knows.
    let texels = path.texels;
    for strip in 0..deferred.length.min(numbers.len()) {
        let (numbers, light) = (&numbers[strip], &lights[strip]);
        let mut at = [0; SPANS];
        for span in 0..SPANS {
            at[span] = deferred.places[span][strip] as usize;
        }
        // Depth was there, and colour is as long.
        let Some(under) = places::load_eight(simd, color, at) else { break };
        let texel: u32x8<S> = loaded(simd, texels, numbers);
        let light = i32x8::load_array_ref(simd, light);
        let lit = modulated(texel, light.bitcast::<u32x8<S>>());
        let painted = light.simd_lt(0).select(under, lit);
        places::store_eight(painted, color, at);
    }
}
