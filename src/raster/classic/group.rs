//! Small triangles, eight at once: those of a crowd have two or three pixels, so that what is done once for each of
//! them is what they cost.
//!
//! The spans are those of [`super::edges`], without steps from row to row: a column is a quotient rounded up, and
//! attributes are whole numbers, so that steps in any order make the same. One loop draws the pixels of all spans:
//! where a span of one or two pixels ends cannot be guessed.
//!
//! ```text
//!   columns and rows      0 0  0 1  2 3  ..  7 7     eight triangles of up to eight columns and rows
//!   spans of row 0        x .  x x  x .  ..  x x     first column, pixels and attributes of all triangles
//!   spans of row 1 ..     x .  x .  x x  ..  . x
//!   pixels                triangle by triangle, row by row: which span, and which of its columns
//! ```

use fearless_simd::{Level, Simd, dispatch, f32x8, i32x4, i32x8, mask32x8, prelude::*};

use super::number::{ints, ints_up};
use super::vertex::Vertex;

/// Triangles of a group.
pub(super) const LANES: usize = 8;
/// Rows that a triangle of a group may have.
pub(super) const ROWS: usize = 8;
/// And columns.
const COLUMNS: usize = 8;
const SPANS: usize = ROWS * LANES;
const PIXELS: usize = SPANS * COLUMNS;

/// Attributes of a vertex: `s`, `t`, light, `zi`.
const ATTRIBUTES: usize = 4;
const LIGHT: usize = 2;

/// What a column is above the exact one before it is rounded down: nearly 1, so that whole ones stay. Others of
/// edges of at most eight rows are an eighth or more from whole ones, and floats lose less than 1/64 in pictures of up to
/// 16384 columns.
const ROUND_UP: f32 = 1.0 - 1.0 / 16.0;

/// A number of each triangle.
type Of<T> = [T; LANES];

/// Front triangles in the order in which they are drawn.
#[derive(Debug, Default)]
pub(super) struct Group {
    count: usize,
    corners: [[Vertex; 3]; LANES],
}

/// What becomes of a group.
#[derive(Debug)]
pub(super) struct GroupSpans {
    /// Place in the picture of the first pixel, by row of the triangle and triangle.
    start: [i32; SPANS],
    count: [i32; SPANS],
    attributes: [[i32; SPANS]; ATTRIBUTES],
    /// Change of the attributes per pixel to the right.
    right: [Of<i32>; ATTRIBUTES],
    /// A bit for each span that has pixels: eight rows of the first triangle, then those of the next.
    pub(super) some: u64,
    /// A bit for each triangle without spans here: it is too large, or leaves the picture.
    pub(super) others: u32,
    /// Span and column of every pixel, in eight bits each.
    pixels: [u16; PIXELS + COLUMNS],
}

impl Group {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a triangle; whether it was the last that there is room for.
    #[inline(always)]
    pub(super) fn push(&mut self, [a, b, c]: [&Vertex; 3]) -> bool {
        self.corners[self.count % LANES] = [*a, *b, *c];
        self.count += 1;
        self.count == LANES
    }

    /// The corners of a triangle.
    pub(super) fn corners(&self, triangle: u32) -> [Vertex; 3] {
        self.corners[triangle as usize % LANES]
    }

    /// Finds the spans in a picture of this size, and empties the group; a bit for each triangle that was in it.
    #[inline(never)]
    pub(super) fn take_spans(
        &mut self,
        level: Level,
        size: [i32; 2],
        spans: &mut GroupSpans,
    ) -> u32 {
        dispatch!(level, simd => find(simd, self, size, spans));
        (1 << std::mem::take(&mut self.count)) - 1
    }
}

impl Default for GroupSpans {
    fn default() -> Self {
        Self {
            start: [0; SPANS],
            count: [0; SPANS],
            attributes: [[0; SPANS]; ATTRIBUTES],
            right: [[0; LANES]; ATTRIBUTES],
            some: 0,
            others: 0,
            pixels: [0; PIXELS + COLUMNS],
        }
    }
}

impl GroupSpans {
    /// Lists the pixels of some of the spans, in their order; how many there are.
    ///
    /// Each span is stored as long as spans can be, and the next one over what is too much: where spans end is not to
    /// be guessed.
    #[inline(always)]
    pub(super) fn list(&mut self, mut some: u64) -> usize {
        let mut length = 0;
        while some != 0 {
            let bit = some.trailing_zeros() as usize;
            let span = bit / ROWS + bit % ROWS * LANES;
            for column in 0..COLUMNS {
                self.pixels[length % PIXELS + column] = (column << 8 | span) as u16;
            }
            length += self.count[span % SPANS] as usize;
            some &= some - 1;
        }
        length
    }

    /// The first ones that are listed.
    #[inline(always)]
    pub(super) fn listed(&self, count: usize) -> &[u16] {
        &self.pixels[..count]
    }

    /// Place and attributes of one that is listed.
    #[inline(always)]
    pub(super) fn pixel(&self, listed: u16) -> (usize, [i32; ATTRIBUTES]) {
        let (span, column) = (usize::from(listed) % SPANS, i32::from(listed >> 8));
        let at = |of: usize| {
            self.attributes[of][span]
                .wrapping_add(self.right[of][span % LANES].wrapping_mul(column))
        };
        let place = self.start[span].wrapping_add(column) as u32;
        (place as usize, [at(0), at(1), at(2), at(3)])
    }
}

/// One corner of eight triangles.
#[derive(Clone, Copy)]
struct Corner<S: Simd> {
    u: i32x8<S>,
    v: i32x8<S>,
    attributes: [i32x8<S>; ATTRIBUTES],
}

impl<S: Simd> Corner<S> {
    #[inline(always)]
    fn load(simd: S, group: &Group, corner: usize) -> Self {
        let of = &group.corners;
        let [first, rest] = [
            columns(simd, [&of[0], &of[1], &of[2], &of[3]], corner),
            columns(simd, [&of[4], &of[5], &of[6], &of[7]], corner),
        ];
        Self {
            u: first[0].combine(rest[0]),
            v: first[1].combine(rest[1]),
            attributes: [
                first[2].combine(rest[2]),
                first[3].combine(rest[3]),
                first[4].combine(rest[4]),
                first[5].combine(rest[5]),
            ],
        }
    }
}

/// Columns, rows and attributes of a corner of four triangles.
#[inline(always)]
fn columns<S: Simd>(simd: S, of: [&[Vertex; 3]; 4], corner: usize) -> [i32x4<S>; 6] {
    let zero = i32x4::splat(simd, 0);
    let (mut place, mut light) = ([zero; 4], [zero; 4]);
    for i in 0..4 {
        let Vertex { u, v, s, t, light: row, zi, .. } = of[i][corner];
        place[i] = i32x4::load_array(simd, [u, v, s, t]);
        light[i] = i32x4::load_array(simd, [row, zi, 0, 0]);
    }
    let [even, odd] = [place[0].zip_low(place[2]), place[1].zip_low(place[3])];
    let [even_end, odd_end] = [place[0].zip_high(place[2]), place[1].zip_high(place[3])];
    let [lights, lights_odd] = [light[0].zip_low(light[2]), light[1].zip_low(light[3])];
    [
        even.zip_low(odd),
        even.zip_high(odd),
        even_end.zip_low(odd_end),
        even_end.zip_high(odd_end),
        lights.zip_low(lights_odd),
        lights.zip_high(lights_odd),
    ]
}

/// A side of eight triangles: the column on a row is `slope * row + start`, rounded down.
#[derive(Clone, Copy)]
struct Side<S: Simd> {
    slope: f32x8<S>,
    start: f32x8<S>,
    /// -1 where it does, else 0.
    goes_left: i32x8<S>,
}

impl<S: Simd> Side<S> {
    /// From a corner on the row `first` down to another. Without rows it means nothing.
    #[inline(always)]
    fn new(from: i32x8<S>, to: i32x8<S>, height: i32x8<S>, first: i32x8<S>) -> Self {
        let width = to - from;
        let slope = width.to_float::<f32x8<S>>() / height.to_float::<f32x8<S>>();
        let start = from.to_float::<f32x8<S>>() - slope * first.to_float::<f32x8<S>>() + ROUND_UP;
        Self { slope, start, goes_left: width >> 31 }
    }

    /// The columns of a row, of the second one of two sides where `on_second` says.
    #[inline(always)]
    fn column([first, second]: [Self; 2], on_second: mask32x8<S>, row: f32x8<S>) -> i32x8<S> {
        let slope = on_second.select(second.slope, first.slope);
        let start = on_second.select(second.start, first.start);
        (slope * row + start).to_int::<i32x8<S>>()
    }
}

/// Corners by where they stand: which of three numbers each triangle has at the topmost one, and which at the two
/// behind it.
#[derive(Clone, Copy)]
struct Turn<S: Simd> {
    /// The topmost corner is the second one, or the third.
    second: mask32x8<S>,
    third: mask32x8<S>,
}

impl<S: Simd> Turn<S> {
    /// The order of [`super::edges::from_top`].
    #[inline(always)]
    fn new([v0, v1, v2]: [i32x8<S>; 3]) -> Self {
        let third = v2.simd_lt(v0.min(v1));
        Self { second: v1.simd_lt(v0) & !third, third }
    }

    #[inline(always)]
    fn top(self, [a, b, c]: [i32x8<S>; 3]) -> i32x8<S> {
        self.third.select(c, self.second.select(b, a))
    }

    #[inline(always)]
    fn next(self, [a, b, c]: [i32x8<S>; 3]) -> i32x8<S> {
        self.top([b, c, a])
    }

    #[inline(always)]
    fn previous(self, [a, b, c]: [i32x8<S>; 3]) -> i32x8<S> {
        self.top([c, a, b])
    }
}

/// The sides of eight triangles, from their topmost corners down.
#[derive(Clone, Copy)]
struct Sides<S: Simd> {
    turn: Turn<S>,
    left: Side<S>,
    right: Side<S>,
    /// The third one, which goes on where the shorter of the others ends.
    rest: Side<S>,
    left_rows: i32x8<S>,
    right_rows: i32x8<S>,
    /// Columns of the corners where left sides begin: the topmost, and that behind it.
    columns: [i32x8<S>; 2],
    first_row: i32x8<S>,
}

impl<S: Simd> Sides<S> {
    #[inline(always)]
    fn new(simd: S, u: [i32x8<S>; 3], v: [i32x8<S>; 3]) -> Self {
        let turn = Turn::new(v);
        let first_row = turn.top(v);
        let (left_rows, right_rows) = (turn.previous(v) - first_row, turn.next(v) - first_row);
        let (top, next, previous) = (turn.top(u), turn.next(u), turn.previous(u));
        let zero = i32x8::splat(simd, 0);
        let left_ends = left_rows.simd_lt(right_rows);
        let (from, to) = (left_ends.select(previous, next), left_ends.select(next, previous));
        let (bend, end) = (left_rows.min(right_rows), left_rows.max(right_rows));
        Self {
            turn,
            left: Side::new(top, previous, left_rows, zero),
            right: Side::new(top, next, right_rows, zero),
            rest: Side::new(from, to, end - bend, bend),
            left_rows,
            right_rows,
            columns: [top, previous],
            first_row,
        }
    }
}

/// An attribute of eight triangles: `start + row * down + column * right`, on the first left side and on the rest.
#[derive(Clone, Copy)]
struct Plane<S: Simd> {
    start: [i32x8<S>; 2],
    right: [i32x8<S>; 2],
    down: i32x8<S>,
}

/// `a - c` and `b - c`.
#[inline(always)]
fn differences<S: Simd>([a, b, c]: [i32x8<S>; 3]) -> [f32x8<S>; 2] {
    [(a - c).to_float::<f32x8<S>>(), (b - c).to_float::<f32x8<S>>()]
}

/// The planes of all attributes, as [`super::setup::gradients`] and [`super::edges::LeftEdge`] have them. Stores their
/// changes to the right.
#[inline(always)]
fn planes<S: Simd>(
    simd: S,
    [a, b, c]: &[Corner<S>; 3],
    sides: &Sides<S>,
    stored: &mut [Of<i32>; ATTRIBUTES],
) -> [Plane<S>; ATTRIBUTES] {
    let Sides { turn, left, rest, left_rows, right_rows, columns, .. } = *sides;
    let [u02, u12] = differences([a.u, b.u, c.u]);
    let [v02, v12] = differences([a.v, b.v, c.v]);
    let denominator = (a.v - b.v) * (a.u - c.u) - (a.u - b.u) * (a.v - c.v);
    let scale = f32x8::splat(simd, 1.0) / denominator.to_float::<f32x8<S>>();
    let opposite = f32x8::splat(simd, 0.0) - scale;
    let zero = i32x8::splat(simd, 0);
    // A second left side starts at the beginning of a texel.
    let whole = left_rows.simd_gt(0).select(i32x8::splat(simd, !0xffff), i32x8::splat(simd, -1));
    let bend = left_rows.min(right_rows);
    let mut planes = [Plane { start: [zero; 2], right: [zero; 2], down: zero }; ATTRIBUTES];
    for (of, plane) in planes.iter_mut().enumerate() {
        let q = [a.attributes[of], b.attributes[of], c.attributes[of]];
        let [q02, q12] = differences(q);
        let right = (q12 * v02 - q02 * v12) * scale;
        let down = (q12 * u02 - q02 * u12) * opposite;
        let mut second = turn.previous(q);
        if of == LIGHT {
            let right = ints_up(simd, right);
            right.store_slice(&mut stored[of]);
            // Going left the light's rounding would make it brighter than the corners are.
            plane.right = [right + left.goes_left, right + rest.goes_left];
            plane.down = ints_up(simd, down);
        } else {
            let right = ints(simd, right);
            right.store_slice(&mut stored[of]);
            plane.right = [right; 2];
            plane.down = ints(simd, down);
            if of < LIGHT {
                second &= whole;
            }
        }
        plane.start[0] = turn.top(q) - columns[0] * plane.right[0];
        plane.start[1] = second - bend * plane.down - columns[1] * plane.right[1];
    }
    planes
}

/// Which of eight triangles are inside the picture and small enough.
#[inline(always)]
fn fit<S: Simd>([a, b, c]: &[Corner<S>; 3], [width, height]: [i32; 2]) -> mask32x8<S> {
    let (first_column, last_column) = (a.u.min(b.u).min(c.u), a.u.max(b.u).max(c.u));
    let (first_row, last_row) = (a.v.min(b.v).min(c.v), a.v.max(b.v).max(c.v));
    first_column.simd_ge(0)
        & first_row.simd_ge(0)
        & last_column.simd_le(width)
        & last_row.simd_le(height)
        & (last_column - first_column).simd_le(COLUMNS as i32)
        & (last_row - first_row).simd_le(ROWS as i32)
}

#[inline(always)]
fn find<S: Simd>(simd: S, group: &Group, size: [i32; 2], spans: &mut GroupSpans) {
    let corners =
        [Corner::load(simd, group, 0), Corner::load(simd, group, 1), Corner::load(simd, group, 2)];
    let is_there = i32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]).simd_lt(group.count as i32);
    let fit = fit(&corners, size) & is_there;
    spans.others = (!fit & is_there).to_bitmask() as u32;
    spans.some = 0;
    if !fit.any_true() {
        return;
    }
    let [a, b, c] = &corners;
    let sides = Sides::new(simd, [a.u, b.u, c.u], [a.v, b.v, c.v]);
    let planes = planes(simd, &corners, &sides, &mut spans.right);
    let Sides { left, right, rest, left_rows, right_rows, .. } = sides;
    let rows = left_rows.max(right_rows);
    let zero = i32x8::splat(simd, 0);
    let mut some = [0; ROWS];
    let mut line = sides.first_row * size[0];
    let mut downs = [zero; ATTRIBUTES];
    for (row, some) in some.iter_mut().enumerate() {
        let drawn = rows.simd_gt(row as i32) & fit;
        if !drawn.any_true() {
            break;
        }
        let (at, this) = (row * LANES, f32x8::splat(simd, row as f32));
        let on_rest = left_rows.simd_le(row as i32);
        let from = Side::column([left, rest], on_rest, this);
        let to = Side::column([right, rest], right_rows.simd_le(row as i32), this);
        let count = drawn.select((to - from).max(0), zero);
        *some = count.simd_gt(0).to_bitmask() as u8;
        (line + from).store_slice(&mut spans.start[at..at + LANES]);
        count.store_slice(&mut spans.count[at..at + LANES]);
        for of in 0..ATTRIBUTES {
            let Plane { start, right, down } = planes[of];
            let across = if of == LIGHT { on_rest.select(right[1], right[0]) } else { right[0] };
            let value = on_rest.select(start[1], start[0]) + downs[of] + from * across;
            value.store_slice(&mut spans.attributes[of][at..at + LANES]);
            downs[of] += down;
        }
        line += size[0];
    }
    spans.some = transposed(u64::from_le_bytes(some));
}

/// Eight rows of eight bits as their columns.
fn transposed(mut bits: u64) -> u64 {
    for (shift, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let exchanged = (bits ^ bits >> shift) & mask;
        bits ^= exchanged ^ exchanged << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_rows_become_bits_of_columns() {
        for bit in 0..64 {
            assert_eq!(transposed(1 << bit), 1 << (bit % 8 * 8 + bit / 8));
        }
    }
}
