//! Setup of eight triangles at once: boxes, classes, edge functions and attribute weights; the twin of
//! the scalar twin's `setup.rs`.

use fearless_simd::{f32x8, i32x8, prelude::*};

use super::super::setup::{MAX_CORRECTION, MID_EXTENT, RESIDUAL_UNIT, TINY_SIDE};
use super::boxes::{Boxes, Corners, Scissor, bits};
use super::vectors::Vectors;

/// Pixels that a triangle has a row, at most, for it to be narrow: its spans fit into half a vector of eight, mostly.
const NARROW: i32 = 4;

/// Boxes, classes and areas of eight triangles to draw.
pub(super) struct Group<S: Vectors> {
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
    pub(super) mid: u32,
    pub(super) big: u32,
    /// Triangles of at most [`NARROW`] pixels a row, on the average.
    pub(super) narrow: u32,
    /// Triangles whose box leaves the picture or the band.
    pub(super) partial: u32,
}

impl<S: Vectors> Group<S> {
    /// The first `count` lanes are to be drawn.
    #[inline(always)]
    pub(super) fn new(fine: Corners<S>, count: usize, scissor: Scissor) -> Self {
        let Boxes { corners, x, y, area, extent } = Boxes::new(&fine);
        let big = extent.simd_gt(MID_EXTENT);
        let tiny = (x[1] - x[0]).simd_lt(TINY_SIDE) & (y[1] - y[0]).simd_lt(TINY_SIDE);
        let partial = x[0].simd_lt(scissor.columns[0])
            | x[1].simd_gt(scissor.columns[1])
            | y[0].simd_lt(scissor.rows[0])
            | y[1].simd_gt(scissor.rows[1]);
        let drawn = (1 << count) - 1;
        let (tiny, big) = (bits(tiny & !big) & drawn, bits(big) & drawn);
        let mid = drawn & !tiny & !big;
        // Twice the area of a pixel is 2 * 65 536.
        let narrow = bits(area.simd_le((y[1] - y[0] + 1) * (NARROW << 17)));
        Self { fine, corners, area, x, y, tiny, mid, big, narrow, partial: bits(partial) }
    }
}

/// The edge opposite to each corner of eight triangles that are not big.
pub(super) struct Edges<S: Vectors> {
    pub(super) dx: [i32x8<S>; 3],
    pub(super) dy: [i32x8<S>; 3],
    /// Edge functions at the centre of the box's first pixel.
    pub(super) start: [i32x8<S>; 3],
    /// 0 where pixels on the edge belong to the triangle (top-left rule), else -1.
    pub(super) bias: [i32x8<S>; 3],
}

impl<S: Vectors> Edges<S> {
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
pub(super) struct Weights<S: Vectors> {
    /// 1 / area; that of triangles that are not drawn does not matter.
    pub(super) inverse: f32x8<S>,
    /// Corrections at the first corner, and differences to it at the second and third.
    pub(super) correction: [[f32x8<S>; 2]; 3],
    /// Corrected change per pixel to the right and per row down.
    pub(super) step_x: [f32x8<S>; 2],
    pub(super) step_y: [f32x8<S>; 2],
    /// No weight of a covered pixel is corrected by more.
    pub(super) largest_correction: f32x8<S>,
}

impl<S: Vectors> Weights<S> {
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
        let mut at = [[zero; 2]; 3];
        let mut largest = zero;
        for corner in 0..3 {
            let (rx, ry) = (residual(group.fine.x[corner]), residual(group.fine.y[corner]));
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
        let largest_correction = largest.min(MAX_CORRECTION);
        Self { inverse, correction, step_x, step_y, largest_correction }
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

/// The least and the greatest value that attributes may have at covered pixels, by those at the corners
/// (of eight triangles, or eight of one) and the largest correction of a weight.
///
/// Weights of the rounded corners lie between 0 and 1, and corrections carry the two that an attribute
/// goes by out of the corners' range by no more than twice the correction times that range. The rest is
/// for rounding: less than 100 roundings of values of the range's size and less than 8 of values of the
/// attribute's size, 2^-24 of the value each.
#[inline(always)]
pub(super) fn extremes<S: Vectors>(corners: [f32x8<S>; 3], correction: f32) -> [f32x8<S>; 2] {
    let [a, b, c] = corners;
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    let beside = (max - min) * (2.0 * correction + 0.001) + min.abs().max(max.abs()) * 1e-6;
    [min - beside, max + beside]
}

/// From the position rounded to 1/256 pixel (as `(fine + 128) >> 8`) to the exact one, in pixels.
#[inline(always)]
fn residual<S: Vectors>(fine: i32x8<S>) -> f32x8<S> {
    (((fine + 128) & 255) - 128).to_float::<f32x8<S>>() * RESIDUAL_UNIT
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use proptest::prelude::*;

    use super::*;
    use crate::look::Cull;
    use crate::raster::setup::{Class, Planes, Triangle, drawing_order};
    use crate::raster::vertex::packed;

    /// The least and the greatest value of an attribute at the pixels of a triangle as the scalar twin
    /// draws it, and the largest correction.
    fn at_pixels(corners: [u64; 3], values: [f32; 3]) -> Option<([f32; 2], f32)> {
        let triangle = Triangle::new(corners).filter(|triangle| triangle.class != Class::Tiny)?;
        let weights = crate::raster::setup::Weights::new(&triangle);
        let planes = Planes::new(values.map(|value| [value, 1.0, 0.0, 0.0, 0.0]));
        let step = planes.gradients(&weights).x[0];
        let mut found: Option<[f32; 2]> = None;
        for y in triangle.y[0]..=triangle.y[1] {
            let [left, right] = triangle.span(y);
            let start = planes.at(weights.at(triangle.second_and_third(left, y)))[0];
            for x in left..=right {
                let value = step * (x - left) as f32 + start;
                let [least, greatest] = found.unwrap_or([value; 2]);
                found = Some([least.min(value), greatest.max(value)]);
            }
        }
        found.map(|found| (found, weights.largest_correction))
    }

    fn extremes_of(values: [f32; 3], correction: f32) -> [f32; 2] {
        dispatch!(Level::new(), simd => {
            let splat = |value| f32x8::splat(simd, value);
            let [a, b, c] = values;
            let [least, greatest] = extremes([splat(a), splat(b), splat(c)], correction);
            [<[f32; 8]>::from(least)[0], <[f32; 8]>::from(greatest)[0]]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn attributes_stay_between_the_extremes(
            first in [0i32..5_000_000, 0i32..5_000_000],
            second in [-9_000_000i32..9_000_000, -9_000_000i32..9_000_000],
            // The third corner lies on the line of the others, but for up to a pixel, or two.
            along in -1f64..2.0,
            beside in [-65_536i32..65_536, -131_072i32..131_072],
            values in [-1f32..1.0, -1f32..1.0, -1f32..1.0],
            scale in prop::sample::select(vec![1.0f32, 1e-3, 1e-6]),
        ) {
            let at = |i: usize| (f64::from(second[i]) * along) as i32 + beside[i];
            let corners = [[0, 0], second, [at(0), at(1)]]
                .map(|corner| packed([first[0] + corner[0], first[1] + corner[1]]));
            let values = values.map(|value| 0.9 + value * scale);
            let ordered = drawing_order(&corners, [0, 1, 2], Cull::None);
            let ordered = ordered.map(|order| order.map(|corner| corners[corner]));
            let found = ordered.and_then(|corners| at_pixels(corners, values));
            if let Some(([least, greatest], correction)) = found {
                let bounds = extremes_of(values, correction);
                prop_assert!(least >= bounds[0], "{} is less than {}", least, bounds[0]);
                prop_assert!(greatest <= bounds[1], "{} is more than {}", greatest, bounds[1]);
            }
        }
    }

    #[test]
    fn a_triangle_of_one_value_is_bounded_tightly() {
        let [least, greatest] = extremes_of([0.5; 3], MAX_CORRECTION);
        assert!(least > 0.499_999 && greatest < 0.500_001);
    }
}
