//! Eight triangles at once: culling, then boxes, classes and edge functions of those that are left.
//!
//! Culling writes what it leaves into a queue without a branch, so that the stages behind it find
//! eight triangles to draw in every group, and the processor little to guess.

use fearless_simd::{Simd, f32x8, i32x8, mask32x8, prelude::*, u32x8};

use super::super::bins::{Band, Bin};
use super::super::setup::{MAX_CORRECTION, MID_EXTENT, RESIDUAL_UNIT, TINY_SIDE};
use super::{Surface, big, fetch, fill, span, tiny};
use crate::look::Cull;

/// Rows and columns that are drawn: first inclusive, last inclusive.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) columns: [i32; 2],
    pub(super) rows: [i32; 2],
}

/// Corners of eight triangles in 1/65536 pixel.
#[derive(Clone, Copy)]
struct Corners<S: Simd> {
    x: [i32x8<S>; 3],
    y: [i32x8<S>; 3],
}

impl<S: Simd> Corners<S> {
    #[inline(always)]
    fn load(simd: S, surface: &Surface<'_>, triangles: &Eight) -> Self {
        let zero = i32x8::splat(simd, 0);
        let (mut x, mut y) = ([zero; 3], [zero; 3]);
        for corner in 0..3 {
            let xy = fetch::positions(simd, surface.xy, triangles, corner);
            (x[corner], y[corner]) = (xy[0], xy[1]);
        }
        Self { x, y }
    }

    /// Swaps the second and third corner of some triangles.
    #[inline(always)]
    fn turned(self, back: mask32x8<S>) -> Self {
        let Self { x, y } = self;
        Self {
            x: [x[0], back.select(x[2], x[1]), back.select(x[1], x[2])],
            y: [y[0], back.select(y[2], y[1]), back.select(y[1], y[2])],
        }
    }

    #[inline(always)]
    fn rounded(v: [i32x8<S>; 3]) -> [i32x8<S>; 3] {
        [(v[0] + 128) >> 8, (v[1] + 128) >> 8, (v[2] + 128) >> 8]
    }
}

#[inline(always)]
fn bits<S: Simd>(mask: mask32x8<S>) -> u32 {
    mask.to_bitmask() as u32
}

/// Boxes and areas of eight triangles.
struct Boxes<S: Simd> {
    /// Corners in 1/256 pixel.
    corners: [[i32x8<S>; 3]; 2],
    /// First and last pixel column and row that may be covered, not clipped to the picture.
    x: [i32x8<S>; 2],
    y: [i32x8<S>; 2],
    /// Twice the area; meaningless for big triangles.
    area: i32x8<S>,
    big: mask32x8<S>,
}

impl<S: Simd> Boxes<S> {
    #[inline(always)]
    fn new(fine: &Corners<S>) -> Self {
        let (x, y) = (Corners::rounded(fine.x), Corners::rounded(fine.y));
        let (min_x, max_x) = (x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2]));
        let (min_y, max_y) = (y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2]));
        Self {
            corners: [x, y],
            x: [(min_x + 127) >> 8, (max_x - 129) >> 8],
            y: [(min_y + 127) >> 8, (max_y - 129) >> 8],
            area: (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]),
            big: (max_x - min_x).max(max_y - min_y).simd_gt(MID_EXTENT),
        }
    }
}

/// Which of eight triangles are to be drawn inside the window. Of big ones the side that faces the
/// eye is not known yet: it takes more than 32 bits.
#[inline(always)]
fn visible<S: Simd>(boxes: &Boxes<S>, cull: Cull, window: Window) -> mask32x8<S> {
    let Boxes { x, y, area, .. } = boxes;
    let inside = x[0].max(window.columns[0]).simd_le(x[1].min(window.columns[1]))
        & y[0].max(window.rows[0]).simd_le(y[1].min(window.rows[1]));
    let faces = match cull {
        Cull::Back => area.simd_gt(0),
        Cull::Front => area.simd_lt(0),
        Cull::None => area.simd_ne(0),
    };
    inside & (faces | boxes.big)
}

/// Triangles that culling has left, in order.
pub(super) struct Front {
    x: [[i32; ROOM]; 3],
    y: [[i32; ROOM]; 3],
    /// Number of the triangle in its surface; with [`TURNED`] set the second and third corner are
    /// to be swapped.
    number: [u32; ROOM],
    length: usize,
}

/// Triangles that are culled before those left are drawn.
const ROOM: usize = 128;
const TURNED: u32 = 1 << 31;

impl Default for Front {
    fn default() -> Self {
        Self { x: [[0; ROOM]; 3], y: [[0; ROOM]; 3], number: [0; ROOM], length: 0 }
    }
}

impl Front {
    fn is_full(&self) -> bool {
        self.length > ROOM - 8
    }

    /// Adds what is to be drawn of eight triangles, the first of them number `first`.
    #[inline(always)]
    fn push<S: Simd>(
        &mut self,
        simd: S,
        surface: &Surface<'_>,
        triangles: &Eight,
        first: usize,
        window: Window,
    ) {
        let mut fine = Corners::load(simd, surface, triangles);
        let boxes = Boxes::new(&fine);
        let visible = visible(&boxes, surface.cull, window);
        let mut number = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]) + first as u32;
        if surface.cull != Cull::Back {
            let back = boxes.area.simd_lt(0) & !boxes.big;
            fine = fine.turned(back);
            number |= back.select(u32x8::splat(simd, TURNED), u32x8::splat(simd, 0));
        }
        let from = self.length.min(ROOM - 8);
        for corner in 0..3 {
            let x = fine.x[corner].compress(visible);
            let y = fine.y[corner].compress(visible);
            x.store_slice(&mut self.x[corner][from..from + 8]);
            y.store_slice(&mut self.y[corner][from..from + 8]);
        }
        number.compress(visible).store_slice(&mut self.number[from..from + 8]);
        self.length = from + bits(visible).count_ones() as usize;
    }

    #[inline(always)]
    fn corners<S: Simd>(&self, simd: S, from: usize) -> Corners<S> {
        let zero = i32x8::splat(simd, 0);
        let mut corners = Corners { x: [zero; 3], y: [zero; 3] };
        for corner in 0..3 {
            corners.x[corner] = i32x8::from_slice(simd, &self.x[corner][from..from + 8]);
            corners.y[corner] = i32x8::from_slice(simd, &self.y[corner][from..from + 8]);
        }
        corners
    }

    /// Drops the first triangles; fewer than eight are left.
    fn drop_first(&mut self, count: usize) {
        for corner in 0..3 {
            self.x[corner].copy_within(count..self.length, 0);
            self.y[corner].copy_within(count..self.length, 0);
        }
        self.number.copy_within(count..self.length, 0);
        self.length -= count;
    }
}

/// Columns of a triangle's box from which on spans of sixteen pixels are frequent.
const WIDE: i32 = 32;

/// Boxes, classes and areas of eight triangles to draw.
pub(super) struct Group<S: Simd> {
    fine: Corners<S>,
    /// Corners in 1/256 pixel.
    corners: [[i32x8<S>; 3]; 2],
    /// Twice the area; meaningless for big triangles.
    area: i32x8<S>,
    /// First and last pixel column and row that may be covered, not clipped to the picture.
    pub(super) x: [i32x8<S>; 2],
    pub(super) y: [i32x8<S>; 2],
    /// Triangles of each class.
    pub(super) tiny: u32,
    mid: u32,
    big: u32,
    /// Triangles of [`WIDE`] columns and more.
    wide: u32,
    /// Triangles whose box leaves the picture or the band.
    pub(super) cut: u32,
}

impl<S: Simd> Group<S> {
    /// The first `count` lanes are to be drawn.
    #[inline(always)]
    fn new(fine: Corners<S>, count: usize, window: Window) -> Self {
        let Boxes { corners, x, y, area, big } = Boxes::new(&fine);
        let tiny = (x[1] - x[0]).simd_lt(TINY_SIDE) & (y[1] - y[0]).simd_lt(TINY_SIDE);
        let cut = x[0].simd_lt(window.columns[0])
            | x[1].simd_gt(window.columns[1])
            | y[0].simd_lt(window.rows[0])
            | y[1].simd_gt(window.rows[1]);
        let drawn = (1 << count) - 1;
        let (tiny, big) = (bits(tiny & !big) & drawn, bits(big) & drawn);
        let mid = drawn & !tiny & !big;
        let wide = bits((x[1] - x[0]).simd_ge(WIDE));
        Self { fine, corners, area, x, y, tiny, mid, big, wide, cut: bits(cut) }
    }
}

/// The edge opposite to each corner of eight triangles that are not big.
pub(super) struct Edges<S: Simd> {
    pub(super) dx: [i32x8<S>; 3],
    pub(super) dy: [i32x8<S>; 3],
    /// Edge functions at the centre of the box's first pixel.
    pub(super) start: [i32x8<S>; 3],
    /// 0 where pixels on the edge belong to the triangle (top-left rule), else -1.
    pub(super) bias: [i32x8<S>; 3],
}

impl<S: Simd> Edges<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, group: &Group<S>) -> Self {
        let zero = i32x8::splat(simd, 0);
        let (mut dx, mut dy, mut start, mut bias) = ([zero; 3], [zero; 3], [zero; 3], [zero; 3]);
        let centre = [(group.x[0] << 8) + 128, (group.y[0] << 8) + 128];
        let [x, y] = &group.corners;
        for edge in 0..3 {
            let (from, to) = ((edge + 1) % 3, (edge + 2) % 3);
            dx[edge] = x[to] - x[from];
            dy[edge] = y[to] - y[from];
            start[edge] = dx[edge] * (centre[1] - y[from]) - dy[edge] * (centre[0] - x[from]);
            let top_left = dy[edge].simd_lt(0) | (dy[edge].simd_eq(0) & dx[edge].simd_gt(0));
            bias[edge] = top_left.select(zero, i32x8::splat(simd, -1));
        }
        Self { dx, dy, start, bias }
    }
}

/// Weights of the second and third corner of eight triangles; the twin of `setup::Weights`.
pub(super) struct Weights<S: Simd> {
    /// 1 / area; that of triangles that are not drawn does not matter.
    pub(super) inverse: f32x8<S>,
    /// Corrections at the first corner, and differences to it at the second and third.
    pub(super) correction: [[f32x8<S>; 2]; 3],
    /// Corrected change per pixel to the right and per row down.
    pub(super) step_x: [f32x8<S>; 2],
    pub(super) step_y: [f32x8<S>; 2],
}

impl<S: Simd> Weights<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, group: &Group<S>, edges: &Edges<S>) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        let inverse = f32x8::splat(simd, 1.0) / group.area.max(1).to_float::<f32x8<S>>();
        let (mut x, mut y) = ([zero; 2], [zero; 2]);
        for i in 0..2 {
            let none = i32x8::splat(simd, 0);
            x[i] = (none - (edges.dy[i + 1] << 8)).to_float::<f32x8<S>>() * inverse;
            y[i] = (edges.dx[i + 1] << 8).to_float::<f32x8<S>>() * inverse;
        }
        let (fine, [rounded_x, rounded_y]) = (&group.fine, &group.corners);
        let mut at = [[zero; 2]; 3];
        let mut largest = zero;
        for corner in 0..3 {
            let rx = residual(fine.x[corner], rounded_x[corner]);
            let ry = residual(fine.y[corner], rounded_y[corner]);
            for i in 0..2 {
                at[corner][i] = x[i] * rx + y[i] * ry;
                largest = largest.max(at[corner][i].abs());
            }
        }
        let small = largest.simd_le(MAX_CORRECTION);
        let mut correction = [[zero; 2]; 3];
        for i in 0..2 {
            correction[0][i] = small.select(at[0][i], zero);
            correction[1][i] = small.select(at[1][i] - at[0][i], zero);
            correction[2][i] = small.select(at[2][i] - at[0][i], zero);
        }
        let (mut step_x, mut step_y) = ([zero; 2], [zero; 2]);
        for i in 0..2 {
            step_x[i] = x[i] - (correction[1][i] * x[0] + correction[2][i] * x[1]);
            step_y[i] = y[i] - (correction[1][i] * y[0] + correction[2][i] * y[1]);
        }
        Self { inverse, correction, step_x, step_y }
    }

    /// Weights at the centre of the box's first pixel.
    #[inline(always)]
    pub(super) fn start(&self, edges: &Edges<S>) -> [f32x8<S>; 2] {
        let b = edges.start[1].to_float::<f32x8<S>>() * self.inverse;
        let c = edges.start[2].to_float::<f32x8<S>>() * self.inverse;
        let [first, second, third] = &self.correction;
        [
            b - ((first[0] + second[0] * b) + third[0] * c),
            c - ((first[1] + second[1] * b) + third[1] * c),
        ]
    }
}

/// From the rounded to the exact position, in pixels.
#[inline(always)]
fn residual<S: Simd>(fine: i32x8<S>, rounded: i32x8<S>) -> f32x8<S> {
    (fine - (rounded << 8)).to_float::<f32x8<S>>() * RESIDUAL_UNIT
}

/// Vertex numbers of eight triangles.
pub(super) type Eight = [[u32; 3]; 8];

/// Triangles in groups of eight; the last group is filled up with triangles of no area.
#[inline(always)]
fn in_eights(triangles: &[[u32; 3]]) -> (&[Eight], Eight) {
    let (eights, rest) = triangles.as_chunks::<8>();
    let mut tail = [[0; 3]; 8];
    tail[..rest.len()].copy_from_slice(rest);
    (eights, tail)
}

/// Memory of the stages of a kernel, kept from surface to surface.
#[derive(Default)]
pub(super) struct Stages<const GATHER: bool> {
    front: Front,
    tiny: tiny::Scratch,
    span: span::Scratch,
    list: span::List<GATHER>,
    queue: tiny::Queue<GATHER>,
}

/// Draws triangles of one surface, in order.
#[inline(always)]
pub(super) fn draw<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    triangles: &[[u32; 3]],
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    let window =
        Window { columns: [0, band.width - 1], rows: [band.rows.start, band.rows.end - 1] };
    let (eights, tail) = in_eights(triangles);
    let mut next = 0;
    stages.front.length = 0;
    stages.tiny.set_stride(band.stride);
    loop {
        while next <= eights.len() && !stages.front.is_full() {
            let eight = eights.get(next).unwrap_or(&tail);
            stages.front.push(simd, surface, eight, 8 * next, window);
            next += 1;
        }
        let at_end = next > eights.len();
        let length = stages.front.length;
        let ready = if at_end { length } else { length & !7 };
        for from in (0..ready).step_by(8) {
            let count = (ready - from).min(8);
            draw_group(simd, surface, triangles, from, count, window, band, stages);
        }
        if at_end {
            break;
        }
        stages.front.drop_first(ready);
    }
    tiny::flush(simd, surface, band, &mut stages.queue);
}

/// Draws up to eight triangles that culling has left.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one call in the hot loop, all of it is needed")]
fn draw_group<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    triangles: &[[u32; 3]],
    from: usize,
    count: usize,
    window: Window,
    band: &mut Band<'_>,
    stages: &mut Stages<GATHER>,
) {
    let Stages { front, tiny: tiny_scratch, span: span_scratch, list, queue } = stages;
    let from = from.min(ROOM - 8);
    let group = Group::new(front.corners(simd, from), count, window);
    let mut corners = [[0; 3]; 8];
    for lane in 0..8 {
        let number = front.number[from + lane];
        // Lanes from `count` on hold numbers of triangles drawn before, maybe of another surface.
        let Some(&[a, b, c]) = triangles.get((number & !TURNED) as usize) else { continue };
        corners[lane] = if number & TURNED != 0 { [a, c, b] } else { [a, b, c] };
    }
    if group.tiny | group.mid != 0 {
        let edges = Edges::new(simd, &group);
        let weights = Weights::new(simd, &group, &edges);
        if group.tiny != 0 {
            tiny::prepare(simd, &group, &edges, &weights, window, band, tiny_scratch);
        }
        if group.mid != 0 {
            span::prepare(simd, &group, &edges, &weights, span_scratch);
        }
    }
    list.length = 0;
    let mut ends = [0; 8];
    let mut mid = group.mid;
    while mid != 0 {
        let lane = mid.trailing_zeros() as usize & 7;
        mid &= mid - 1;
        span::list(simd, surface, corners[lane], lane, window, span_scratch, band, list);
        ends[lane] = list.length;
    }
    let mut rest = group.tiny | group.mid | group.big;
    let mut drawn = 0;
    while rest != 0 {
        // Triangles of a class up to the next of another go together.
        let first = rest & rest.wrapping_neg();
        let class = if group.tiny & first != 0 {
            group.tiny
        } else if group.mid & first != 0 {
            group.mid
        } else {
            first
        };
        let others = rest & !class;
        let run = rest & (others & others.wrapping_neg()).wrapping_sub(1);
        rest &= !run;
        if group.tiny & first != 0 {
            tiny::draw(simd, surface, &corners, run, tiny_scratch, band, queue);
        } else if group.mid & first != 0 {
            let end = ends[(31 - run.leading_zeros()) as usize & 7];
            if group.wide & run != 0 {
                fill::long(simd, surface, list, drawn..end, band);
            } else {
                fill::short(simd, surface, list, drawn..end, band);
            }
            drawn = end;
        } else {
            let lane = first.trailing_zeros() as usize & 7;
            big::draw(simd, surface, corners[lane], lane, window, band, list);
        }
    }
}

/// Pushes triangles of one surface into the bins of the bands that their boxes touch.
#[inline(always)]
pub(super) fn bin<S: Simd>(
    simd: S,
    surface: &Surface<'_>,
    number: usize,
    triangles: &[[u32; 3]],
    size: [i32; 2],
    band_rows: i32,
    bins: &mut [Bin],
) {
    let window = Window { columns: [0, size[0] - 1], rows: [0, size[1] - 1] };
    for bin in bins.iter_mut() {
        bin.runs.push((number, bin.triangles.len()));
    }
    let shift = band_rows.trailing_zeros();
    let (eights, tail) = in_eights(triangles);
    for eight in eights.iter().chain([&tail]) {
        let boxes = Boxes::new(&Corners::load(simd, surface, eight));
        let first: [i32; 8] = (boxes.y[0].max(0) >> shift).into();
        let last: [i32; 8] = (boxes.y[1].min(window.rows[1]) >> shift).into();
        let mut rest = bits(visible(&boxes, surface.cull, window));
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & 7;
            rest &= rest - 1;
            for bin in &mut bins[first[lane] as usize..=last[lane] as usize] {
                bin.triangles.push(eight[lane]);
            }
        }
    }
}
