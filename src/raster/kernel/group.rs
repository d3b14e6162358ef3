//! Eight triangles at once: culling, boxes, classes and edge functions.

use fearless_simd::{Simd, f32x8, i32x8, mask32x8, prelude::*, u64x4};

use super::super::bins::{Band, Bin};
use super::super::setup::{MAX_CORRECTION, MID_EXTENT, RESIDUAL_UNIT, TINY_SIDE, facing};
use super::{Surface, span, tiny};
use crate::look::Cull;

/// Corners of eight triangles, in drawing order of the screen.
pub(super) struct Corners<S: Simd> {
    /// In 1/256 pixel.
    pub(super) x: [i32x8<S>; 3],
    pub(super) y: [i32x8<S>; 3],
    /// In 1/65536 pixel.
    fine_x: [i32x8<S>; 3],
    fine_y: [i32x8<S>; 3],
}

/// Boxes, classes and areas of eight triangles.
pub(super) struct Group<S: Simd> {
    pub(super) corners: Corners<S>,
    /// Twice the area; meaningless for big triangles.
    pub(super) area: i32x8<S>,
    /// First and last pixel column and row that may be covered, not clipped to the picture.
    pub(super) x: [i32x8<S>; 2],
    pub(super) y: [i32x8<S>; 2],
    /// Triangles to draw, to draw by the big class, to draw with the second and third corner swapped.
    pub(super) alive: u32,
    pub(super) big: u32,
    pub(super) turned: u32,
    pub(super) tiny: u32,
    /// Triangles whose box leaves the picture or the band.
    pub(super) cut: u32,
}

/// Rows and columns that are drawn: first inclusive, last inclusive.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) columns: [i32; 2],
    pub(super) rows: [i32; 2],
}

#[inline(always)]
fn load<S: Simd>(simd: S, surface: &Surface<'_>, triangles: &[[u32; 3]; 8]) -> Corners<S> {
    let zero = i32x8::splat(simd, 0);
    let (mut x, mut y, mut fine_x, mut fine_y) = ([zero; 3], [zero; 3], [zero; 3], [zero; 3]);
    for corner in 0..3 {
        let mut xy = [0; 8];
        for lane in 0..8 {
            xy[lane] = surface.xy[triangles[lane][corner] as usize];
        }
        let low = u64x4::from_slice(simd, &xy[..4]).bitcast::<i32x8<S>>();
        let high = u64x4::from_slice(simd, &xy[4..]).bitcast::<i32x8<S>>();
        fine_x[corner] = low.unzip_low(high);
        fine_y[corner] = low.unzip_high(high);
        x[corner] = (fine_x[corner] + 128) >> 8;
        y[corner] = (fine_y[corner] + 128) >> 8;
    }
    Corners { x, y, fine_x, fine_y }
}

#[inline(always)]
fn bits<S: Simd>(mask: mask32x8<S>) -> u32 {
    mask.to_bitmask() as u32
}

impl<S: Simd> Group<S> {
    /// `None` if nothing of the eight triangles is to be drawn inside the window.
    #[inline(always)]
    pub(super) fn new(
        simd: S,
        surface: &Surface<'_>,
        triangles: &[[u32; 3]; 8],
        window: Window,
    ) -> Option<Self> {
        let mut corners = load(simd, surface, triangles);
        let Corners { x, y, .. } = &corners;
        let (min_x, max_x) = (x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2]));
        let (min_y, max_y) = (y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2]));
        let columns = [(min_x + 127) >> 8, (max_x - 129) >> 8];
        let rows = [(min_y + 127) >> 8, (max_y - 129) >> 8];
        let inside = [
            columns[0].max(window.columns[0]),
            columns[1].min(window.columns[1]),
            rows[0].max(window.rows[0]),
            rows[1].min(window.rows[1]),
        ];
        let visible = inside[0].simd_le(inside[1]) & inside[2].simd_le(inside[3]);
        let big = (max_x - min_x).max(max_y - min_y).simd_gt(MID_EXTENT);
        let area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
        let faces = match surface.cull {
            Cull::Back => area.simd_gt(0),
            Cull::Front => area.simd_lt(0),
            Cull::None => area.simd_ne(0),
        };
        let alive = visible & (faces | big);
        if !alive.any_true() {
            return None;
        }
        let mut turned = 0;
        let mut area = area;
        if surface.cull != Cull::Back {
            let back = area.simd_lt(0);
            turned = bits(back);
            let Corners { x, y, fine_x, fine_y } = &mut corners;
            for v in [x, y, fine_x, fine_y] {
                (v[1], v[2]) = (back.select(v[2], v[1]), back.select(v[1], v[2]));
            }
            area = back.select(-area, area);
        }
        let tiny =
            (columns[1] - columns[0]).simd_lt(TINY_SIDE) & (rows[1] - rows[0]).simd_lt(TINY_SIDE);
        let whole = inside[0].simd_eq(columns[0])
            & inside[1].simd_eq(columns[1])
            & inside[2].simd_eq(rows[0])
            & inside[3].simd_eq(rows[1]);
        let alive = bits(alive);
        Some(Self {
            corners,
            area,
            x: columns,
            y: rows,
            alive,
            big: bits(big) & alive,
            turned,
            tiny: bits(tiny) & alive,
            cut: !bits(whole) & alive,
        })
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
        let Corners { x, y, .. } = &group.corners;
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
        let corners = &group.corners;
        let mut at = [[zero; 2]; 3];
        let mut largest = zero;
        for corner in 0..3 {
            let rx = residual(corners.fine_x[corner], corners.x[corner]);
            let ry = residual(corners.fine_y[corner], corners.y[corner]);
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
type Eight = [[u32; 3]; 8];

/// Triangles in groups of eight; the last group is filled up with triangles of no area.
#[inline(always)]
fn in_eights(triangles: &[[u32; 3]]) -> (&[Eight], Option<Eight>) {
    let (eights, rest) = triangles.as_chunks::<8>();
    let mut tail = [[0; 3]; 8];
    tail[..rest.len()].copy_from_slice(rest);
    (eights, (!rest.is_empty()).then_some(tail))
}

/// Draws triangles of one surface, in order.
#[inline(always)]
pub(super) fn draw<S: Simd>(
    simd: S,
    surface: &Surface<'_>,
    triangles: &[[u32; 3]],
    band: &mut Band<'_>,
    queue: &mut tiny::Queue,
) {
    let window =
        Window { columns: [0, band.width - 1], rows: [band.rows.start, band.rows.end - 1] };
    let (mut tiny_scratch, mut span_scratch) = (tiny::Scratch::default(), span::Scratch::default());
    let (eights, tail) = in_eights(triangles);
    for eight in eights.iter().chain(&tail) {
        let Some(group) = Group::new(simd, surface, eight, window) else { continue };
        let ordinary = group.alive & !group.big;
        let tiny = group.tiny & !group.big;
        if ordinary != 0 {
            let edges = Edges::new(simd, &group);
            let weights = Weights::new(simd, &group, &edges);
            if tiny != 0 {
                tiny::prepare(simd, &group, &edges, &weights, window, &mut tiny_scratch);
            }
            if ordinary != tiny {
                span::prepare(simd, &group, &edges, &weights, &mut span_scratch);
            }
        }
        let mut rest = group.alive;
        while rest != 0 {
            // Tiny triangles up to the next other one go together.
            let others = rest & !tiny;
            let run = rest & (others & others.wrapping_neg()).wrapping_sub(1);
            if run != 0 {
                rest &= !run;
                tiny::draw(simd, surface, eight, &group, run, &mut tiny_scratch, band, queue);
                continue;
            }
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let big = group.big >> lane & 1 != 0;
            if let Some(corners) =
                ordered(surface, eight[lane & 7], group.turned >> lane & 1 != 0, big)
            {
                let size = if big { span::Size::Big } else { span::Size::Mid(lane & 7) };
                span::draw(simd, surface, corners, size, window, &span_scratch, band);
            }
        }
    }
    tiny::flush(simd, surface, band, queue);
}

/// Corners in drawing order; `None` for a big triangle that is culled, which the 32-bit area cannot
/// tell.
#[inline(always)]
fn ordered(
    surface: &Surface<'_>,
    triangle: [u32; 3],
    turned: bool,
    big: bool,
) -> Option<[usize; 3]> {
    let [a, b, c] = [triangle[0] as usize, triangle[1] as usize, triangle[2] as usize];
    let turned = if big {
        facing([surface.xy[a], surface.xy[b], surface.xy[c]], surface.cull)?
    } else {
        turned
    };
    Some(if turned { [a, c, b] } else { [a, b, c] })
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
    for eight in eights.iter().chain(&tail) {
        let Some(group) = Group::new(simd, surface, eight, window) else { continue };
        let first: [i32; 8] = (group.y[0].max(0) >> shift).into();
        let last: [i32; 8] = (group.y[1].min(window.rows[1]) >> shift).into();
        let mut rest = group.alive;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & 7;
            rest &= rest - 1;
            for bin in &mut bins[first[lane] as usize..=last[lane] as usize] {
                bin.triangles.push(eight[lane]);
            }
        }
    }
}
