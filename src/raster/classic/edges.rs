//! Walking the edges of a triangle, row by row, in whole pixels.

use super::setup::{Attributes, Gradients};
use super::vertex::Vertex;

/// Where the left and the right side of a triangle start: numbers of corners. The left side goes
/// from there to the previous corners, the right side to the next ones (the triangle is clockwise).
pub(super) fn start(corners: &[Vertex; 3]) -> (usize, usize) {
    let rows = corners.map(|corner| corner.v);
    let top = (1..3).fold(0, |top, i| if rows[i] < rows[top] { i } else { top });
    let (next, previous) = ((top + 1) % 3, (top + 2) % 3);
    if rows[next] == rows[top] {
        (top, next)
    } else if rows[previous] == rows[top] {
        (previous, top)
    } else {
        (top, top)
    }
}

/// The column on every row of an edge: `ua + ceil(row * (ub - ua) / height)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) u: i32,
    /// The row below the last one.
    pub(super) end: i32,
    /// Whole pixels per row, rounded down, and what is left of it.
    base: i32,
    rest: i64,
    height: i64,
    error: i64,
}

impl Edge {
    /// The edge goes down: `to.v` is above `from.v`.
    pub(super) fn new(from: &Vertex, to: &Vertex) -> Self {
        let height = i64::from(to.v) - i64::from(from.v);
        let width = i64::from(to.u) - i64::from(from.u);
        // Divisions of 32 bits are the faster ones, and small triangles have many edges of one row.
        let (base, rest) = match (i32::try_from(width), i32::try_from(height)) {
            (Ok(width), Ok(1)) => (width, 0),
            (Ok(width), Ok(height)) => {
                (width.div_euclid(height), i64::from(width.rem_euclid(height)))
            }
            _ => (width.div_euclid(height) as i32, width.rem_euclid(height)),
        };
        Self { u: from.u, end: to.v, base, rest, height, error: -1 }
    }

    /// To the next row; whether a pixel more than `base` was taken.
    #[inline(always)]
    pub(super) fn step(&mut self) -> bool {
        self.error += self.rest;
        let more = self.error >= 0;
        if more {
            self.error -= self.height;
        }
        self.u = self.u.wrapping_add(self.base).wrapping_add(i32::from(more));
        more
    }

    /// As many steps as `rows`; how many of them took a pixel more.
    pub(super) fn skip(&mut self, rows: i32) -> i32 {
        let error = i128::from(self.error) + i128::from(self.rest) * i128::from(rows);
        let height = i128::from(self.height);
        let more = error.div_euclid(height) + 1;
        self.error = (error - more * height) as i64;
        self.u = self.u.wrapping_add(self.base.wrapping_mul(rows)).wrapping_add(more as i32);
        more as i32
    }
}

/// A left edge: it carries the attributes at its column.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeftEdge {
    pub(super) edge: Edge,
    pub(super) attributes: Attributes,
    /// Change per row, and for a pixel more.
    row: Attributes,
    pixel: Attributes,
}

impl LeftEdge {
    /// The first left edge.
    pub(super) fn new(from: &Vertex, to: &Vertex, gradients: &Gradients) -> Self {
        let edge = Edge::new(from, to);
        let mut pixel = gradients.right;
        // Going left the light's rounding would make it brighter than the corners are.
        if edge.base < 0 {
            pixel.light = pixel.light.wrapping_sub(1);
        }
        let row = gradients.down.plus(pixel.times(edge.base));
        Self { edge, attributes: Attributes::of(from), row, pixel }
    }

    /// The second left edge: it starts afresh from its corner, at the beginning of a texel.
    pub(super) fn second(from: &Vertex, to: &Vertex, gradients: &Gradients) -> Self {
        let mut edge = Self::new(from, to, gradients);
        edge.attributes.s &= !0xffff;
        edge.attributes.t &= !0xffff;
        edge
    }

    #[inline(always)]
    pub(super) fn step(&mut self) {
        self.attributes = self.attributes.plus(self.row);
        if self.edge.step() {
            self.attributes = self.attributes.plus(self.pixel);
        }
    }

    pub(super) fn skip(&mut self, rows: i32) {
        let more = self.edge.skip(rows);
        self.attributes = self.attributes.plus(self.row.times(rows)).plus(self.pixel.times(more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(u: i32, v: i32) -> Vertex {
        Vertex { u, v, ..Vertex::default() }
    }

    #[test]
    fn columns_are_rounded_up() {
        for (from, to, expected) in [((2, 0), (7, 4), [2, 4, 5, 6]), ((7, 0), (2, 4), [7, 6, 5, 4])]
        {
            let mut edge = Edge::new(&corner(from.0, from.1), &corner(to.0, to.1));
            let columns: Vec<i32> = (0..4).map(|_| (edge.u, edge.step()).0).collect();
            assert_eq!(columns, expected);
        }
    }

    #[test]
    fn skipping_is_stepping() {
        let gradients = Gradients {
            right: Attributes { s: 7, t: -3, light: 2, zi: 1 << 20 },
            down: Attributes { s: -5, t: 11, light: -1, zi: -(1 << 19) },
        };
        for (width, height) in [(5, 4), (-5, 4), (0, 9), (17, 9), (-17, 9), (1, 100), (-1, 100)] {
            let new = || LeftEdge::new(&corner(3, 0), &corner(3 + width, height), &gradients);
            let mut stepped = new();
            for rows in 0..height {
                let mut skipped = new();
                skipped.skip(rows);
                assert_eq!(skipped.edge.u, stepped.edge.u, "{width} {height} {rows}");
                assert_eq!(skipped.edge.error, stepped.edge.error);
                assert_eq!(skipped.attributes, stepped.attributes);
                stepped.step();
            }
        }
    }

    #[test]
    fn both_sides_start_at_the_top() {
        let table = [
            ([(0, 5), (3, 0), (4, 9)], (1, 1)),
            ([(0, 0), (9, 0), (4, 9)], (0, 1)),
            ([(9, 0), (4, 9), (0, 0)], (2, 0)),
            ([(4, 9), (0, 0), (9, 0)], (1, 2)),
            ([(4, 0), (9, 9), (0, 9)], (0, 0)),
        ];
        for (corners, expected) in table {
            assert_eq!(start(&corners.map(|(u, v)| corner(u, v))), expected, "{corners:?}");
        }
    }
}
