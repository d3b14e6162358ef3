//! Texel and light to the pixel: the kinds of drawing.

use std::cell::Cell;

use super::tables::Tables;

/// Where texels come from; `s` and `t` are 16.16.
pub(super) trait Texture: Copy {
    fn texel(&self, s: i32, t: i32, counts: &Undefined) -> u8;
}

/// A skin as the original engines read it: by its place in memory, neither clamped nor repeated.
#[derive(Clone, Copy)]
pub(super) struct Linear<'a> {
    /// At least one.
    pub(super) texels: &'a [u8],
    pub(super) width: i32,
}

/// A texture that repeats, for the formats whose coordinates leave it.
#[derive(Clone, Copy)]
pub(super) struct Repeat<'a> {
    pub(super) texels: &'a [u8],
    pub(super) width: i32,
    pub(super) height: i32,
}

/// Pixels that the original does not define.
#[derive(Debug, Default)]
pub(super) struct Undefined {
    pub(super) texels: Cell<u64>,
    pub(super) rows: Cell<u64>,
}

impl Texture for Linear<'_> {
    #[inline(always)]
    fn texel(&self, s: i32, t: i32, counts: &Undefined) -> u8 {
        let index = (t >> 16).wrapping_mul(self.width).wrapping_add(s >> 16);
        // A negative index is beyond every length as well.
        match self.texels.get(index as u32 as usize) {
            Some(&texel) => texel,
            None => self.outside(index, counts),
        }
    }
}

impl Linear<'_> {
    #[cold]
    fn outside(&self, index: i32, counts: &Undefined) -> u8 {
        counts.texels.set(counts.texels.get() + 1);
        self.texels[if index < 0 { 0 } else { self.texels.len() - 1 }]
    }
}

impl Texture for Repeat<'_> {
    #[inline(always)]
    fn texel(&self, s: i32, t: i32, _: &Undefined) -> u8 {
        let (column, row) = (s >> 16, t >> 16);
        let is_inside = (column as u32) < self.width as u32 && (row as u32) < self.height as u32;
        let index = if is_inside { row * self.width + column } else { self.repeated(column, row) };
        self.texels[index as usize]
    }
}

impl Repeat<'_> {
    #[cold]
    fn repeated(&self, column: i32, row: i32) -> i32 {
        row.rem_euclid(self.height) * self.width + column.rem_euclid(self.width)
    }
}

/// One kind of drawing: what becomes of a pixel that passes the depth test.
pub(super) trait Shade {
    const WRITES_DEPTH: bool;
    fn pixel(&self, s: i32, t: i32, light: i32, old: u8) -> u8;
}

/// Texel through the row of the light table.
pub(super) struct Lit<'a, T> {
    texture: T,
    tables: &'a Tables,
    /// The light table.
    rows: &'a [u8; 64 * 256],
    counts: &'a Undefined,
}

impl<'a, T: Texture> Lit<'a, T> {
    pub(super) fn new(texture: T, tables: &'a Tables, counts: &'a Undefined) -> Self {
        Self { texture, tables, rows: &tables.light, counts }
    }

    #[inline(always)]
    fn color(&self, s: i32, t: i32, light: i32) -> u8 {
        let texel = self.texture.texel(s, t, self.counts);
        let index = light as u32 & 0xff00 | u32::from(texel);
        match self.rows.get(index as usize) {
            Some(&color) => color,
            None => self.beyond(light, texel),
        }
    }

    /// Rows from 64 on: Quake II's table goes on with the blend table, Quake's ends.
    #[cold]
    fn beyond(&self, light: i32, texel: u8) -> u8 {
        if self.tables.has_blend() {
            return self.tables.blend()[blend_index((light >> 8 & 0xff) as u8 - 64, texel)];
        }
        self.counts.rows.set(self.counts.rows.get() + 1);
        self.rows[63 * 256 + usize::from(texel)]
    }
}

impl<T: Texture> Shade for Lit<'_, T> {
    const WRITES_DEPTH: bool = true;

    #[inline(always)]
    fn pixel(&self, s: i32, t: i32, light: i32, _: u8) -> u8 {
        self.color(s, t, light)
    }
}

/// Place in the blend table of two thirds of `over` and one third of `under`.
#[inline(always)]
fn blend_index(over: u8, under: u8) -> usize {
    usize::from(over) << 8 | usize::from(under)
}

/// Two thirds of the lit texel, one third of what is there. Writes depth.
pub(super) struct TwoThirds<'a> {
    pub(super) lit: Lit<'a, Linear<'a>>,
    pub(super) blend: &'a [u8; 65536],
}

impl Shade for TwoThirds<'_> {
    const WRITES_DEPTH: bool = true;

    #[inline(always)]
    fn pixel(&self, s: i32, t: i32, light: i32, old: u8) -> u8 {
        self.blend[blend_index(self.lit.color(s, t, light), old)]
    }
}

/// One third of the lit texel. Writes no depth, so that overlapping triangles add up.
pub(super) struct OneThird<'a> {
    pub(super) lit: Lit<'a, Linear<'a>>,
    pub(super) blend: &'a [u8; 65536],
}

impl Shade for OneThird<'_> {
    const WRITES_DEPTH: bool = false;

    #[inline(always)]
    fn pixel(&self, s: i32, t: i32, light: i32, old: u8) -> u8 {
        self.blend[blend_index(old, self.lit.color(s, t, light))]
    }
}

/// Two thirds of one colour.
pub(super) struct ShellTwoThirds<'a> {
    pub(super) color: u8,
    pub(super) blend: &'a [u8; 65536],
}

impl Shade for ShellTwoThirds<'_> {
    const WRITES_DEPTH: bool = false;

    #[inline(always)]
    fn pixel(&self, _: i32, _: i32, _: i32, old: u8) -> u8 {
        self.blend[blend_index(self.color, old)]
    }
}

/// One third of one colour.
pub(super) struct ShellOneThird<'a> {
    pub(super) color: u8,
    pub(super) blend: &'a [u8; 65536],
}

impl Shade for ShellOneThird<'_> {
    const WRITES_DEPTH: bool = false;

    #[inline(always)]
    fn pixel(&self, _: i32, _: i32, _: i32, old: u8) -> u8 {
        self.blend[blend_index(old, self.color)]
    }
}
