//! Where clusters of triangles are on the screen, and whether all of one face away.
//!
//! What is left out by that is what culling would leave out triangle by triangle, so no pixel can tell; where
//! that is not certain a cluster stays.
//!
//! **Facing.** With rows X, Y, W of the way to clip space the corners of a triangle have a determinant of
//! (x, y, w) whose sign is that of the triangle's area on the screen. It is linear in each corner:
//!
//! ```text
//!   det = N . (D p + g)        N  normal, twice as long as the area
//!                              p  any point of the triangle
//!                              D  determinant of X, Y, W without their constants
//!                              g  those of their other three columns
//! ```
//!
//! Over a box of points and a cone of normals it has a greatest value. Divided by w of the three corners it is
//! the area; over the longest edge on the screen, the height of the triangle there. What faces away by a height
//! of five times the distance d by which a coordinate of a corner may be displaced faces away in whole numbers,
//! too: each corner, moved by up to sqrt(2) d, changes twice the area by that times the edge opposite to it, and
//! all three together by 4 d d more, while of a triangle so high the longest edge has 5.7 d.

use super::vertex::{FAR_W, GUARD, MIN_W, VertexSetup};
use crate::look::Cull;
use crate::pose::Bounds;

/// Roundings of a sum of a few terms, as a part of the sum of their sizes; far more than there are.
pub(crate) const ROUNDING: f32 = 1e-5;

/// What is the same for all clusters of a surface.
#[derive(Debug)]
pub(crate) struct Eye {
    pub(crate) x: Form,
    pub(crate) y: Form,
    pub(crate) w: Form,
    /// D and g of the module's head, with the sign with which what is drawn is positive; zero if both sides are.
    pub(crate) determinant: f32,
    pub(crate) offset: [f32; 3],
    /// More than `D p + g` is rounded.
    pub(crate) rounding: f32,
    pub(crate) half: [f32; 2],
    /// Pixels that a step of one in space is on the screen at most, times w, but for what w's own change adds.
    pub(crate) growth: f32,
    /// Five times the distance in pixels by which a corner on the screen may be displaced on an axis.
    pub(crate) displaced: f32,
}

/// A row of a matrix: a coordinate of clip space as a function of points.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) row: [f32; 4],
    /// Length of its first three.
    pub(crate) slope: f32,
    /// More than its value is rounded by.
    pub(crate) rounding: f32,
}

impl Form {
    fn new(row: [f32; 4], farthest: [f32; 3]) -> Self {
        let [a, b, c, _] = row;
        Self {
            row,
            slope: (a * a + b * b + c * c).sqrt(),
            rounding: size(row, farthest) * ROUNDING,
        }
    }

    /// The least and the greatest value in a box.
    fn range(&self, centre: [f32; 3], half: [f32; 3]) -> [f32; 2] {
        let [a, b, c, d] = self.row;
        let middle = a * centre[0] + b * centre[1] + c * centre[2] + d;
        let [a, b, c] = [a.abs(), b.abs(), c.abs()];
        let beside = a * half[0] + b * half[1] + c * half[2] + self.rounding;
        [middle - beside, middle + beside]
    }
}

/// No sum of the terms of a row is larger.
fn size(row: [f32; 4], farthest: [f32; 3]) -> f32 {
    let [a, b, c, d] = row.map(f32::abs);
    a * farthest[0] + b * farthest[1] + c * farthest[2] + d
}

/// How much longer a vector may become by two rows, without their constants: the root of the greater
/// eigenvalue of the rows times themselves.
fn largest_stretch(rows: [[f32; 4]; 2]) -> f32 {
    let [x, y] = rows.map(|[a, b, c, _]| [a, b, c].map(f64::from));
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (xx, xy, yy) = (dot(x, x), dot(x, y), dot(y, y));
    let beside = ((xx - yy) * (xx - yy) + 4.0 * xy * xy).sqrt();
    ((xx + yy + beside) * 0.5).sqrt() as f32
}

/// The determinant of three columns.
fn determinant(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1])
        + c[0] * (a[1] * b[2] - a[2] * b[1])
}

impl Eye {
    /// `None` if a vertex may be outside.
    pub(crate) fn new(setup: &VertexSetup, cull: Cull, bounds: &Bounds) -> Option<Self> {
        let [x, y, z, w] = setup.camera.rows;
        let Bounds { centre, half, .. } = bounds;
        let farthest = [0, 1, 2].map(|i| centre[i].abs() + half[i]);
        let of = |row| Form::new(row, farthest);
        let least = |row| of(row).range(*centre, *half)[0];
        let [gx, gy] = setup.half.map(|half| GUARD / half);
        let along = |a: [f32; 4], scale: f32, b: [f32; 4], sign: f32| {
            [0, 1, 2, 3].map(|i| a[i] * scale + b[i] * sign)
        };
        let sides = [(1.0, z), (gx, x), (gy, y)];
        let is_inside = sides.into_iter().all(|(scale, row)| {
            [1.0, -1.0].into_iter().all(|sign| least(along(w, scale, row, sign)) > 0.0)
        });
        let [nearest, far] = of(w).range(*centre, *half);
        if !(is_inside && nearest > MIN_W && far < FAR_W) {
            return None;
        }
        let column = |i: usize| [x[i], y[i], w[i]].map(f64::from);
        let [a, b, c, d] = [0, 1, 2, 3].map(column);
        let sign = match cull {
            Cull::Back => -1.0,
            Cull::Front => 1.0,
            Cull::None => 0.0,
        };
        let whole = (sign * determinant(a, b, c)) as f32;
        let offset = [determinant(b, c, d), -determinant(a, c, d), determinant(a, b, d)];
        let offset = offset.map(|value| (sign * value) as f32);
        // Of the terms of which the determinants are sums.
        let [sx, sy, sw] = [x, y, w].map(|row| size(row, farthest));
        let [lx, ly, lw] = [&x, &y, &w].map(|row| row[0].abs() + row[1].abs() + row[2].abs());
        let rounding = (sx * ly * lw + lx * sy * lw + lx * ly * sw) * ROUNDING;
        // By the vertex stage: sums of four products, a reciprocal, two products and a sum.
        let part = f32::EPSILON * 4.0;
        let displaced = |size: f32, half: f32| {
            let at = size / nearest;
            half * (part * at + (at + 1.0) * (part * sw / nearest + part))
                + 0.5 / 256.0
                + 2.0 / 65536.0
        };
        let [hx, hy] = setup.half;
        let displaced = 5.0 * displaced(sx, hx).max(displaced(sy, hy));
        Some(Self {
            x: of(x),
            y: of(y),
            w: of(w),
            determinant: whole,
            offset,
            rounding,
            half: setup.half,
            growth: largest_stretch([x.map(|x| x * hx), y.map(|y| y * hy)]) * (1.0 + ROUNDING),
            displaced,
        })
    }
}
