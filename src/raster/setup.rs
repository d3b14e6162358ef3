//! Setup stage: three screen vertices give a box of pixels, three edge functions and the planes of
//! the attributes.
//!
//! All coverage is integer: coordinates rounded to 1/256 pixel, edge functions in their products. A pixel
//! is covered if its centre lies inside, or on a top or left edge (the top-left rule), so pixels on
//! a shared edge belong to exactly one of its two triangles.
//!
//! Attributes belong to the exact positions, not to the rounded ones: a texture would otherwise be
//! shifted by up to 1/512 pixel, enough to pick another texel here and there. [`Weights`] corrects
//! what the edge functions of the rounded corners say.

use super::shade::{ATTRIBUTES, Gradients};
use super::vertex::{fine, point};
use crate::look::Cull;

/// Largest extent, in 1/256 pixel, of triangles whose edge functions fit 32-bit arithmetic: the
/// span ends of 89.8 pixels stay exact in f32 (docs/rasterization.md derives the number).
pub(crate) const MID_EXTENT: i32 = 23_000;

/// Largest box of pixels, per axis, of the tiny class.
pub(crate) const TINY_SIDE: i32 = 4;

/// By which arithmetic a triangle is drawn. It depends on the triangle alone, never on the picture,
/// band or thread, so it cannot change a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Box of at most 4 x 4 pixels: attributes from the edge functions at every pixel.
    Tiny,
    /// Attributes from the edge functions at a span's left end, then by steps; f32.
    Mid,
    /// As `Mid`, with the left end evaluated in f64.
    Big,
}

/// A triangle in draw order of its corners: clockwise on the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub(crate) class: Class,
    /// First and last pixel column and row whose centre may be covered, inclusive.
    pub(crate) x: [i32; 2],
    pub(crate) y: [i32; 2],
    /// Twice the area in 1/65536 square pixels, above 0.
    pub(crate) area: i64,
    /// Edge functions opposite to the three corners.
    pub(crate) edges: [Edge; 3],
    /// From the rounded to the exact corners, in pixels; at most 1/512.
    residuals: [[f32; 2]; 3],
}

/// `e(x, y) = dx * (y - y0) - dy * (x - x0)` at pixel centres, above 0 inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    x: i64,
    y: i64,
    dx: i64,
    dy: i64,
}

impl Edge {
    fn new(from: [i32; 2], to: [i32; 2]) -> Self {
        let [x, y] = from.map(i64::from);
        Self { x, y, dx: i64::from(to[0]) - x, dy: i64::from(to[1]) - y }
    }

    /// The edge function at the centre of a pixel.
    pub(crate) fn at(&self, x: i32, y: i32) -> i64 {
        let centre = |pixel: i32| i64::from(pixel) * 256 + 128;
        self.dx * (centre(y) - self.y) - self.dy * (centre(x) - self.x)
    }

    /// Change per pixel to the right.
    pub(crate) fn step_x(&self) -> i64 {
        -self.dy * 256
    }

    /// Change per row down.
    pub(crate) fn step_y(&self) -> i64 {
        self.dx * 256
    }

    /// 1 over the change per pixel, in units of 256; 1 for horizontal edges.
    pub(crate) fn reciprocal(&self) -> f64 {
        1.0 / self.dy.abs().max(1) as f64
    }

    /// Whether pixel centres exactly on the edge belong to the triangle.
    fn is_top_left(&self) -> bool {
        self.dy < 0 || (self.dy == 0 && self.dx > 0)
    }

    /// Whether an edge function value counts as inside.
    pub(crate) fn covers(&self, value: i64) -> bool {
        value > 0 || (value == 0 && self.is_top_left())
    }
}

/// The corners (vertex numbers) of a triangle in drawing order, clockwise on the screen. `None` if it
/// is culled or has no area.
pub(crate) fn drawing_order(xy: &[u64], corners: [usize; 3], cull: Cull) -> Option<[usize; 3]> {
    let area = signed_area(corners.map(|corner| point(xy[corner])));
    let visible = match cull {
        Cull::Back => area > 0,
        Cull::Front => area < 0,
        Cull::None => area != 0,
    };
    let [a, b, c] = corners;
    visible.then_some(if area < 0 { [a, c, b] } else { corners })
}

/// Twice the area, positive if clockwise on the screen (y down).
fn signed_area([a, b, c]: [[i32; 2]; 3]) -> i64 {
    let d = |p: [i32; 2], q: [i32; 2], i: usize| i64::from(q[i]) - i64::from(p[i]);
    d(a, b, 0) * d(a, c, 1) - d(a, b, 1) * d(a, c, 0)
}

impl Triangle {
    /// `None` if no pixel centre can be inside. The corners, packed screen positions, are clockwise
    /// on the screen.
    pub(crate) fn new(corners: [u64; 3]) -> Option<Self> {
        let xy = corners.map(point);
        let [a, b, c] = xy;
        let extent = |i: usize| {
            let min = a[i].min(b[i]).min(c[i]);
            let max = a[i].max(b[i]).max(c[i]);
            (min, max)
        };
        let ((min_x, max_x), (min_y, max_y)) = (extent(0), extent(1));
        // The first centre at or behind the minimum, the last one before the maximum: right and
        // lower ends are exclusive.
        let first = |min: i32| (min + 127) >> 8;
        let last = |max: i32| (max - 129) >> 8;
        let (x, y) = ([first(min_x), last(max_x)], [first(min_y), last(max_y)]);
        if x[0] > x[1] || y[0] > y[1] {
            return None;
        }
        let class = if x[1] - x[0] < TINY_SIDE && y[1] - y[0] < TINY_SIDE {
            Class::Tiny
        } else if max_x - min_x <= MID_EXTENT && max_y - min_y <= MID_EXTENT {
            Class::Mid
        } else {
            Class::Big
        };
        let edges = [Edge::new(b, c), Edge::new(c, a), Edge::new(a, b)];
        let residuals = corners.map(|corner| {
            let (exact, rounded) = (fine(corner), point(corner));
            [0, 1].map(|axis| (exact[axis] - (rounded[axis] << 8)) as f32 * RESIDUAL_UNIT)
        });
        Some(Self { class, x, y, area: signed_area(xy), edges, residuals })
    }

    /// First and last column that are covered in a row, inclusive; the first is behind the last if none
    /// is. Columns go on outside of the picture.
    pub(crate) fn span(&self, y: i32) -> [i32; 2] {
        let [mut first, mut last] = self.x.map(i64::from);
        for edge in &self.edges {
            let (at, step) = (edge.at(self.x[0], y), edge.step_x());
            // Covered are values from this one on.
            let least = if edge.is_top_left() { 0 } else { 1 };
            let columns = (at - least).div_euclid(step.abs().max(1));
            match step.signum() {
                1 => first = first.max(i64::from(self.x[0]) - columns),
                -1 => last = last.min(i64::from(self.x[0]) + columns),
                _ if at < least => return [self.x[0], self.x[0] - 1],
                _ => {}
            }
        }
        // Where a row has no span its ends may be anywhere.
        let [x0, x1] = self.x.map(i64::from);
        [first.min(x1 + 1) as i32, last.max(x0 - 1) as i32]
    }

    /// The edge functions of the second and third corner at a pixel.
    pub(crate) fn second_and_third(&self, x: i32, y: i32) -> [i64; 2] {
        [self.edges[1].at(x, y), self.edges[2].at(x, y)]
    }
}

/// One unit of a residual in pixels.
pub(crate) const RESIDUAL_UNIT: f32 = 1.0 / 65536.0;

/// Largest correction of a weight. Beyond it the triangle is thinner than the rounding of its
/// corners and the correction, which is linear, would lead nowhere.
pub(crate) const MAX_CORRECTION: f32 = 0.25;

/// Weights of the second and third corner at pixels, and their steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    class: Class,
    area: i64,
    /// Corrections at the first corner, and differences to it at the second and third.
    pub(crate) correction: [[f32; 2]; 3],
    /// Corrected change per pixel to the right and per row down.
    pub(crate) step_x: [f32; 2],
    pub(crate) step_y: [f32; 2],
    /// No weight of a covered pixel is corrected by more.
    pub(crate) largest_correction: f32,
}

impl Weights {
    pub(crate) fn new(triangle: &Triangle) -> Self {
        let [_, second, third] = &triangle.edges;
        let mut weights = Self {
            class: triangle.class,
            area: triangle.area,
            correction: [[0.0; 2]; 3],
            step_x: [0.0; 2],
            step_y: [0.0; 2],
            largest_correction: 0.0,
        };
        let x = weights.of_rounded([second.step_x(), third.step_x()]);
        let y = weights.of_rounded([second.step_y(), third.step_y()]);
        let at = triangle.residuals.map(|[rx, ry]| [x[0] * rx + y[0] * ry, x[1] * rx + y[1] * ry]);
        let largest = at.as_flattened().iter().fold(0.0f32, |most, k| most.max(k.abs()));
        if largest <= MAX_CORRECTION {
            let [first, second, third] = at;
            weights.correction = [
                first,
                [second[0] - first[0], second[1] - first[1]],
                [third[0] - first[0], third[1] - first[1]],
            ];
            weights.largest_correction = largest;
        }
        weights.step_x = weights.corrected_step(x);
        weights.step_y = weights.corrected_step(y);
        weights
    }

    /// Weights of the rounded triangle from edge functions of the second and third corner.
    fn of_rounded(&self, edges: [i64; 2]) -> [f32; 2] {
        if self.class == Class::Big {
            let inverse = 1.0 / self.area as f64;
            edges.map(|edge| (edge as f64 * inverse) as f32)
        } else {
            let inverse = 1.0 / self.area as f32;
            edges.map(|edge| edge as f32 * inverse)
        }
    }

    fn corrected_step(&self, [b, c]: [f32; 2]) -> [f32; 2] {
        let [_, second, third] = &self.correction;
        [b - (second[0] * b + third[0] * c), c - (second[1] * b + third[1] * c)]
    }

    /// Weights of the exact triangle from edge functions of the rounded one.
    pub(crate) fn at(&self, edges: [i64; 2]) -> [f32; 2] {
        let [b, c] = self.of_rounded(edges);
        let [first, second, third] = &self.correction;
        [
            b - ((first[0] + second[0] * b) + third[0] * c),
            c - ((first[1] + second[1] * b) + third[1] * c),
        ]
    }
}

/// Attributes of the three corners as differences to the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planes {
    first: [f32; ATTRIBUTES],
    second: [f32; ATTRIBUTES],
    third: [f32; ATTRIBUTES],
}

impl Planes {
    pub(crate) fn new(corners: [[f32; ATTRIBUTES]; 3]) -> Self {
        let [first, second, third] = corners;
        let minus = |v: [f32; ATTRIBUTES]| std::array::from_fn(|i| v[i] - first[i]);
        Self { first, second: minus(second), third: minus(third) }
    }

    /// The attributes at weights of the second and third corner.
    pub(crate) fn at(&self, [b, c]: [f32; 2]) -> [f32; ATTRIBUTES] {
        std::array::from_fn(|i| (self.first[i] + self.second[i] * b) + self.third[i] * c)
    }

    /// The change of the attributes for a change of the weights.
    pub(crate) fn step(&self, [b, c]: [f32; 2]) -> [f32; ATTRIBUTES] {
        std::array::from_fn(|i| self.second[i] * b + self.third[i] * c)
    }

    /// The change per pixel to the right and per row down.
    pub(crate) fn gradients(&self, weights: &Weights) -> Gradients {
        Gradients { x: self.step(weights.step_x), y: self.step(weights.step_y) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::raster::vertex::packed;

    /// Corners given in 1/256 pixel.
    fn corners(xy: [[i32; 2]; 3]) -> [u64; 3] {
        xy.map(|corner| packed(corner.map(|x| x << 8)))
    }

    fn covered(xy: [[i32; 2]; 3]) -> Vec<(i32, i32)> {
        let Some(t) = Triangle::new(corners(xy)) else { return Vec::new() };
        let all = (t.y[0]..=t.y[1]).flat_map(|y| (t.x[0]..=t.x[1]).map(move |x| (x, y)));
        all.filter(|&(x, y)| t.edges.iter().all(|e| e.covers(e.at(x, y)))).collect()
    }

    #[test]
    fn a_square_of_two_triangles_covers_each_centre_once() {
        // Corners exactly on pixel centres: the top-left rule decides everything.
        let [a, b, c, d] = [[128, 128], [1152, 128], [1152, 1152], [128, 1152]];
        let mut pixels = covered([a, b, c]);
        pixels.extend(covered([a, c, d]));
        pixels.sort_unstable();
        let expected: Vec<_> = (0..4).flat_map(|x| (0..4).map(move |y| (x, y))).collect();
        assert_eq!(pixels, expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn spans_are_the_covered_pixels(
            first in [-3000i32..3000, -3000i32..3000],
            // The third corner lies near the line of the others, or on it.
            second in [-3000i32..3000, -3000i32..3000],
            along in -2f64..2.0,
            beside in (-300i32..300, prop::sample::select(vec![0, 1, 128, 255])),
            snap in prop::sample::select(vec![1, 128, 256]),
        ) {
            let beside = [beside.0, beside.1];
            let at = |i: usize| (f64::from(second[i]) * along) as i32 + beside[i];
            let xy = [[0, 0], second, [at(0), at(1)]]
                .map(|p| [0, 1].map(|i| (first[i] + p[i]) / snap * snap));
            let xy = corners(xy);
            let triangle = drawing_order(&xy, [0, 1, 2], Cull::None)
                .and_then(|order| Triangle::new(order.map(|corner| xy[corner])));
            if let Some(triangle) = triangle {
                for y in triangle.y[0] - 1..=triangle.y[1] + 1 {
                    let covered = |x: &i32| triangle.edges.iter().all(|e| e.covers(e.at(*x, y)));
                    let expected: Vec<_> = (triangle.x[0]..=triangle.x[1]).filter(covered).collect();
                    let [left, right] = triangle.span(y);
                    prop_assert_eq!((left..=right).collect::<Vec<_>>(), expected);
                }
            }
        }
    }

    #[test]
    fn clockwise_is_front() {
        let xy = corners([[0, 0], [512, 0], [0, 512]]);
        assert_eq!(drawing_order(&xy, [0, 1, 2], Cull::Back), Some([0, 1, 2]));
        assert_eq!(drawing_order(&xy, [0, 1, 2], Cull::Front), None);
        assert_eq!(drawing_order(&xy, [0, 2, 1], Cull::Back), None);
        assert_eq!(drawing_order(&xy, [0, 2, 1], Cull::Front), Some([0, 1, 2]));
        assert_eq!(drawing_order(&xy, [0, 2, 1], Cull::None), Some([0, 1, 2]));
        assert_eq!(drawing_order(&xy, [0, 0, 1], Cull::None), None);
    }

    #[test]
    fn classes_depend_on_the_extent() {
        let class =
            |side: i32| Triangle::new(corners([[0, 0], [side, 0], [0, side]])).unwrap().class;
        assert_eq!(class(4 * 256), Class::Tiny);
        assert_eq!(class(5 * 256), Class::Mid);
        assert_eq!(class(MID_EXTENT), Class::Mid);
        assert_eq!(class(MID_EXTENT + 1), Class::Big);
    }

    #[test]
    fn weights_are_those_of_the_exact_corners() {
        // Corners that are not on the grid of 1/256 pixel, in 1/65536.
        let exact = [[100_077, 70_011], [2_300_201, 400_133], [200_250, 1_900_091]];
        let triangle = Triangle::new(exact.map(packed)).unwrap();
        let weights = Weights::new(&triangle);
        let at = |p: [i32; 2]| p.map(|x| f64::from(x) / 65536.0);
        let [a, b, c] = exact.map(at);
        let cross = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
            (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        };
        for (x, y) in [(5, 5), (12, 9), (20, 7), (4, 20)] {
            let centre = [f64::from(x) + 0.5, f64::from(y) + 0.5];
            let expected = [cross(c, a, centre), cross(a, b, centre)].map(|e| e / cross(a, b, c));
            let found = weights.at(triangle.second_and_third(x, y));
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((f64::from(found) - expected).abs() < 1e-6, "{found} {expected}");
            }
        }
    }
}
