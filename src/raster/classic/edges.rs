//! Walking the edges of a triangle, row by row, in whole pixels.

use fearless_simd::{Simd, i32x4, prelude::*};

use super::setup::{Gradients, LIGHT, attributes};
use super::vertex::Vertex;

/// The corners from a topmost one on, in their order.
#[inline(always)]
pub(super) fn from_top([a, b, c]: [&Vertex; 3]) -> [&Vertex; 3] {
    let top = if c.v < a.v.min(b.v) { 2 } else { usize::from(b.v < a.v) };
    let round = [a, b, c, a, b];
    [round[top], round[top + 1], round[top + 2]]
}

/// A side of a triangle, row by row: the column is `ua + ceil(row * (ub - ua) / height)`.
pub(super) trait Edge: Copy {
    /// Whether it may leave the picture.
    const MAY_LEAVE: bool;

    /// The edge goes down: `to.v` is above `from.v`.
    fn new(from: &Vertex, to: &Vertex) -> Self;

    /// The column on this row.
    fn column(&self) -> i32;

    /// The row below the last one.
    fn end(&self) -> i32;

    /// Whole pixels per row, rounded down.
    fn base(&self) -> i32;

    /// To the next row; -1 if a pixel more than `base` was taken, else 0.
    fn step(&mut self) -> i32;

    /// As many steps as `rows`; how many of them took a pixel more.
    fn skip(&mut self, rows: i32) -> i32;
}

/// An edge inside the picture: columns with 32 fraction bits. A slope is at most 2^-31 off, so that
/// after 16384 rows the column is 2^-17 off, and those that are not whole are 2^-14 or more away from
/// whole ones: rounding up from 2^-15 below them is right.
#[derive(Clone, Copy, Debug)]
pub(super) struct InnerEdge {
    /// What the column is rounded down from.
    column: i64,
    slope: i64,
    end: i32,
}

/// One less 2^-15, with 32 fraction bits.
const ROUND_UP: i64 = (1 << 32) - (1 << 17);

impl Edge for InnerEdge {
    const MAY_LEAVE: bool = false;

    #[inline(always)]
    fn new(from: &Vertex, to: &Vertex) -> Self {
        let width = f64::from(to.u - from.u) * (1_u64 << 32) as f64;
        let slope = (width / f64::from(to.v - from.v)) as i64;
        Self { column: (i64::from(from.u) << 32) + ROUND_UP, slope, end: to.v }
    }

    #[inline(always)]
    fn column(&self) -> i32 {
        (self.column >> 32) as i32
    }

    #[inline(always)]
    fn end(&self) -> i32 {
        self.end
    }

    #[inline(always)]
    fn base(&self) -> i32 {
        (self.slope >> 32) as i32
    }

    #[inline(always)]
    fn step(&mut self) -> i32 {
        let before = self.column();
        self.column += self.slope;
        before + self.base() - self.column()
    }

    fn skip(&mut self, rows: i32) -> i32 {
        let before = self.column();
        self.column += self.slope * i64::from(rows);
        self.column() - before - self.base() * rows
    }
}

/// Any edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyEdge {
    column: i32,
    end: i32,
    base: i32,
    /// What is left of the width when every row has had its whole pixels.
    rest: i64,
    height: i64,
    error: i64,
}

impl Edge for AnyEdge {
    const MAY_LEAVE: bool = true;

    fn new(from: &Vertex, to: &Vertex) -> Self {
        let height = i64::from(to.v) - i64::from(from.v);
        let width = i64::from(to.u) - i64::from(from.u);
        let (base, rest) = (width.div_euclid(height) as i32, width.rem_euclid(height));
        Self { column: from.u, end: to.v, base, rest, height, error: -1 }
    }

    fn column(&self) -> i32 {
        self.column
    }

    fn end(&self) -> i32 {
        self.end
    }

    fn base(&self) -> i32 {
        self.base
    }

    fn step(&mut self) -> i32 {
        self.error += self.rest;
        let more = self.error >= 0;
        if more {
            self.error -= self.height;
        }
        self.column = self.column.wrapping_add(self.base).wrapping_add(i32::from(more));
        -i32::from(more)
    }

    fn skip(&mut self, rows: i32) -> i32 {
        let error = i128::from(self.error) + i128::from(self.rest) * i128::from(rows);
        let height = i128::from(self.height);
        let more = error.div_euclid(height) + 1;
        self.error = (error - more * height) as i64;
        self.column =
            self.column.wrapping_add(self.base.wrapping_mul(rows)).wrapping_add(more as i32);
        more as i32
    }
}

/// A left edge: it carries the attributes at its column.
#[derive(Clone, Copy)]
pub(super) struct LeftEdge<S: Simd, E> {
    pub(super) edge: E,
    pub(super) attributes: i32x4<S>,
    /// Change per row, and for a pixel more.
    row: i32x4<S>,
    pixel: i32x4<S>,
}

impl<S: Simd, E: Edge> LeftEdge<S, E> {
    /// The first left edge.
    #[inline(always)]
    pub(super) fn new(simd: S, from: &Vertex, to: &Vertex, gradients: &Gradients<S>) -> Self {
        let edge = E::new(from, to);
        // Going left the light's rounding would make it brighter than the corners are.
        let darker = i32x4::load_array(simd, LIGHT) & (edge.base() >> 31);
        let pixel = gradients.right - darker;
        let row = gradients.down + pixel * edge.base();
        Self { edge, attributes: attributes(simd, from), row, pixel }
    }

    /// The second left edge: it starts afresh from its corner, at the beginning of a texel.
    #[inline(always)]
    pub(super) fn second(simd: S, from: &Vertex, to: &Vertex, gradients: &Gradients<S>) -> Self {
        let mut edge = Self::new(simd, from, to, gradients);
        edge.attributes &= i32x4::load_array(simd, [!0xffff, !0xffff, -1, -1]);
        edge
    }

    #[inline(always)]
    pub(super) fn step(&mut self) {
        // A branch would be guessed wrong too often.
        self.attributes += self.row + (self.pixel & self.edge.step());
    }

    pub(super) fn skip(&mut self, rows: i32) {
        let more = self.edge.skip(rows);
        self.attributes += self.row * rows + self.pixel * more;
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    fn corner(u: i32, v: i32) -> Vertex {
        Vertex { u, v, ..Vertex::default() }
    }

    fn columns<E: Edge>(from: (i32, i32), to: (i32, i32)) -> Vec<i32> {
        let mut edge = E::new(&corner(from.0, from.1), &corner(to.0, to.1));
        (from.1..edge.end()).map(|_| (edge.column(), edge.step()).0).collect()
    }

    #[test]
    fn columns_are_rounded_up() {
        for (from, to, expected) in [((2, 0), (7, 4), [2, 4, 5, 6]), ((7, 0), (2, 4), [7, 6, 5, 4])]
        {
            assert_eq!(columns::<AnyEdge>(from, to), expected);
            assert_eq!(columns::<InnerEdge>(from, to), expected);
        }
    }

    fn assert_inner_is_like_any(width: i32, height: i32) {
        for (from, to) in [(0, width), (width, 0)] {
            let (from, to) = ((from, 0), (to, height));
            assert_eq!(columns::<InnerEdge>(from, to), columns::<AnyEdge>(from, to));
            let (from, to) = (corner(from.0, from.1), corner(to.0, to.1));
            assert_eq!(InnerEdge::new(&from, &to).base(), AnyEdge::new(&from, &to).base());
        }
    }

    #[test]
    fn inner_edges_are_like_all() {
        for height in 1..50 {
            (0..150).for_each(|width| assert_inner_is_like_any(width, height));
        }
        // The largest picture.
        let most = 1 << 14;
        for height in [1, 2, 3, 127, 4999, most / 2 - 1, most / 2 + 1, most - 1, most] {
            for width in [0, 1, height - 1, height + 1, most / 3, most - height, most - 1, most] {
                assert_inner_is_like_any(width.min(most), height);
            }
        }
    }

    fn skipping_is_stepping_of<S: Simd, E: Edge>(simd: S) {
        let gradients = Gradients {
            right: i32x4::load_array(simd, [7, -3, 2, 1 << 20]),
            down: i32x4::load_array(simd, [-5, 11, -1, -(1 << 19)]),
        };
        let sizes = [(5, 4), (-5, 4), (0, 9), (17, 9), (-17, 9), (1, 100), (-1, 100)];
        for (width, height) in sizes {
            let (from, to) = (corner(103, 0), corner(103 + width, height));
            let new = || LeftEdge::<_, E>::new(simd, &from, &to, &gradients);
            let state =
                |edge: &LeftEdge<_, E>| (edge.edge.column(), <[i32; 4]>::from(edge.attributes));
            let mut stepped = new();
            for rows in 0..height {
                let mut skipped = new();
                skipped.skip(rows);
                assert_eq!(state(&skipped), state(&stepped), "{width} {height} {rows}");
                // What decides about the rows behind is right, too.
                stepped.step();
                skipped.step();
                assert_eq!(state(&skipped), state(&stepped), "{width} {height} {rows}");
            }
        }
    }

    #[test]
    fn skipping_is_stepping() {
        dispatch!(Level::baseline(), simd => {
            skipping_is_stepping_of::<_, AnyEdge>(simd);
            skipping_is_stepping_of::<_, InnerEdge>(simd);
        });
    }

    #[test]
    fn the_first_corner_is_a_top_one() {
        let table = [
            ([(0, 5), (3, 0), (4, 9)], 1),
            ([(0, 0), (9, 0), (4, 9)], 0),
            ([(9, 0), (4, 9), (0, 0)], 0),
            ([(4, 9), (0, 0), (9, 0)], 1),
            ([(4, 9), (9, 5), (0, 0)], 2),
        ];
        for (corners, top) in table {
            let corners = corners.map(|(u, v)| corner(u, v));
            let [a, b, c] = &corners;
            let turned = [[a, b, c], [b, c, a], [c, a, b]][top];
            assert_eq!(from_top(corners.each_ref()), turned, "{corners:?}");
        }
    }
}
