//! Filling a triangle: rows between two edges, pixels from left to right.

use super::edges::{Edge, LeftEdge, start};
use super::frame::Target;
use super::setup::{Attributes, Gradients, denominator, gradients};
use super::shade::Shade;
use super::vertex::Vertex;

/// Takes triangles whose corners are in the picture.
pub(super) trait Fill {
    /// Fills a triangle if it shows its front.
    fn triangle(&mut self, corners: &[Vertex; 3]);

    /// Draws one pixel with the attributes of `vertex`, if it is in the picture.
    fn point(&mut self, vertex: &Vertex);
}

/// Fills with one kind of drawing.
pub(super) struct Filler<'a, S> {
    pub(super) target: Target<'a>,
    pub(super) shade: S,
    pub(super) filled: u64,
    pub(super) tested: u64,
}

impl<'a, S: Shade> Filler<'a, S> {
    pub(super) fn new(target: Target<'a>, shade: S) -> Self {
        Self { target, shade, filled: 0, tested: 0 }
    }

    /// The rows that both edges have. The original relies on corners inside the picture; the tests
    /// against its sides matter only for files whose boxes do not hold their vertices.
    fn rows(
        &mut self,
        first: i32,
        left: &mut LeftEdge,
        right: &mut Edge,
        step: &Attributes,
    ) -> i32 {
        let end = left.edge.end.min(right.end).min(self.target.height);
        let mut row = first;
        while row < end.min(0) {
            let hidden = end.min(0).saturating_sub(row);
            left.skip(hidden);
            right.skip(hidden);
            row += hidden;
        }
        while row < end {
            self.span(row, left, right.u, step);
            left.step();
            right.step();
            row += 1;
        }
        row
    }

    #[inline(always)]
    fn span(&mut self, row: i32, left: &LeftEdge, right: i32, step: &Attributes) {
        let from = left.edge.u.max(0);
        let to = right.min(self.target.width);
        if from >= to || self.tested > self.target.max_work {
            return;
        }
        let mut at = left.attributes;
        if from != left.edge.u {
            at = at.plus(step.times(from.wrapping_sub(left.edge.u)));
        }
        let start = row as usize * self.target.width as usize;
        let range = start + from as usize..start + to as usize;
        self.tested += range.len() as u64;
        let indices = &mut self.target.indices[range.clone()];
        let depth = &mut self.target.depth[range];
        for (index, depth) in indices.iter_mut().zip(depth) {
            let near = at.zi >> 16;
            if near >= i32::from(*depth) {
                *index = self.shade.pixel(at.s, at.t, at.light, *index);
                if S::WRITES_DEPTH {
                    *depth = near as i16;
                }
            }
            at = at.plus(*step);
        }
    }
}

impl<S: Shade> Fill for Filler<'_, S> {
    fn triangle(&mut self, corners: &[Vertex; 3]) {
        let denominator = denominator(corners.each_ref());
        if denominator >= 0 {
            return;
        }
        self.filled += 1;
        let steps: Gradients = gradients(corners, denominator);
        let bottom = corners.iter().map(|corner| corner.v).max().unwrap_or(0);
        let (mut l, mut r) = start(corners);
        let (mut row, previous, next) = (corners[l].v, |i| (i + 2) % 3, |i| (i + 1) % 3);
        let mut left = LeftEdge::new(&corners[l], &corners[previous(l)], &steps);
        let mut right = Edge::new(&corners[r], &corners[next(r)]);
        loop {
            row = self.rows(row, &mut left, &mut right, &steps.right);
            if row >= bottom || row >= self.target.height {
                return;
            }
            if row == left.edge.end {
                l = previous(l);
                left = LeftEdge::second(&corners[l], &corners[previous(l)], &steps);
            }
            if row == right.end {
                r = next(r);
                right = Edge::new(&corners[r], &corners[next(r)]);
            }
        }
    }

    fn point(&mut self, vertex: &Vertex) {
        let (columns, rows) = (0..self.target.width, 0..self.target.height);
        if !columns.contains(&vertex.u) || !rows.contains(&vertex.v) {
            return;
        }
        self.tested += 1;
        let place = vertex.v as usize * self.target.width as usize + vertex.u as usize;
        let near = vertex.zi >> 16;
        if near >= i32::from(self.target.depth[place]) {
            let index = &mut self.target.indices[place];
            *index = self.shade.pixel(vertex.s, vertex.t, vertex.light, *index);
            self.target.depth[place] = near as i16;
        }
    }
}
