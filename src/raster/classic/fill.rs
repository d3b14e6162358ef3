//! Filling a triangle: rows between two edges, pixels from left to right.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, i32x4};

use super::edges::{AnyEdge, Edge, InnerEdge, LeftEdge, from_top};
use super::frame::Target;
use super::group::{Group, GroupSpans, LANES, ROWS};
use super::setup::{denominator, gradients};
use super::shade::Shade;
use super::stats::ClassicStats;
use super::vertex::Vertex;

/// Takes triangles whose corners are in the picture.
pub(super) trait Fill {
    /// Fills a triangle that shows its front.
    fn front(&mut self, corners: [&Vertex; 3]);

    /// Fills a triangle if it shows its front.
    fn triangle(&mut self, corners: [&Vertex; 3]) {
        if denominator(corners) < 0 {
            self.front(corners);
        }
    }

    /// Draws one pixel with the attributes of `vertex`, if it is in the picture.
    fn point(&mut self, vertex: &Vertex);
}

/// Pixels of a row between two edges, and their attributes as far as they are drawn: at the first
/// one, and their change from one to the next.
#[derive(Clone, Copy, Default)]
struct Span {
    /// Place in the picture.
    start: u32,
    count: u32,
    attributes: [i32; 4],
    step: [i32; 4],
}

/// Draws a pixel that nothing nearer covers.
#[inline(always)]
fn draw_pixel<S: Shade>(shade: &S, index: &mut u8, depth: &mut i16, [s, t, light, zi]: [i32; 4]) {
    let near = zi >> 16;
    if near >= i32::from(*depth) {
        *index = shade.pixel(s, t, light, *index);
        if S::WRITES_DEPTH {
            *depth = near as i16;
        }
    }
}

/// Spans that are listed before they are filled: two small loops instead of one large one.
const LISTED: usize = 64;

/// Fills with one kind of drawing.
pub(super) struct Filler<'a, S> {
    target: Target<'a>,
    shade: S,
    filled: u64,
    tested: u64,
    spans: [Span; LISTED],
    /// How many of them there are.
    listed: usize,
    /// Triangles that wait to be drawn together. Spans are listed only while one is drawn alone.
    group: Group,
    group_spans: GroupSpans,
}

impl<'a, S: Shade> Filler<'a, S> {
    pub(super) fn new(target: Target<'a>, shade: S) -> Self {
        Self {
            target,
            shade,
            filled: 0,
            tested: 0,
            spans: [Span::default(); LISTED],
            listed: 0,
            group: Group::default(),
            group_spans: GroupSpans::default(),
        }
    }

    /// Fills what is left, and counts it.
    pub(super) fn finish(mut self, stats: &mut ClassicStats) {
        self.fill_group();
        (stats.filled, stats.tested) = (self.filled, self.tested);
    }

    /// Lists the spans of a triangle that shows its front.
    #[inline(always)]
    fn walk<E: Edge, V: Simd>(&mut self, simd: V, corners: [&Vertex; 3], denominator: i32) {
        let steps = gradients(simd, corners, denominator);
        // Clockwise: the left side goes back from the top corner, the right side on from it, and from
        // the other one where two are level. Chosen without a branch, which would be guessed wrong.
        let [top, next, previous] = from_top(corners);
        let (from, to) = ([top, previous], [previous, next]);
        let level = usize::from(previous.v == top.v);
        let mut left = LeftEdge::<V, E>::new(simd, from[level], to[level], &steps);
        let (from, to) = ([top, next], [next, previous]);
        let level = usize::from(next.v == top.v);
        let mut right = E::new(from[level], to[level]);
        let mut row = top.v;
        loop {
            row = self.rows(row, &mut left, &mut right, steps.right);
            if left.edge.end() < right.end() {
                left = LeftEdge::second(simd, previous, next, &steps);
            } else if left.edge.end() > right.end() {
                right = E::new(next, previous);
            } else {
                return;
            }
        }
    }

    /// Lists the spans of the rows that both edges have.
    #[inline(always)]
    fn rows<E: Edge, V: Simd>(
        &mut self,
        first: i32,
        left: &mut LeftEdge<V, E>,
        right: &mut E,
        step: i32x4<V>,
    ) -> i32 {
        let mut end = left.edge.end().min(right.end());
        let mut row = first;
        if E::MAY_LEAVE {
            end = end.min(self.target.height);
            while row < end.min(0) {
                let hidden = end.min(0).saturating_sub(row);
                left.skip(hidden);
                right.skip(hidden);
                row += hidden;
            }
        }
        while row < end {
            let last = end.min(row + LISTED as i32);
            if self.listed + (last - row) as usize > LISTED {
                self.fill_listed();
            }
            self.list(row..last, left, right, step);
            row = last;
        }
        row
    }

    /// Lists the spans of as many rows as there is room for.
    #[inline(always)]
    fn list<E: Edge, V: Simd>(
        &mut self,
        rows: Range<i32>,
        left: &mut LeftEdge<V, E>,
        right: &mut E,
        step: i32x4<V>,
    ) {
        let Target { width, max_work, .. } = self.target;
        let (mut listed, mut tested) = (self.listed, self.tested);
        let mut line = rows.start * width;
        for _ in rows {
            let (mut from, mut to) = (left.edge.column(), right.column());
            let mut attributes = left.attributes;
            if E::MAY_LEAVE {
                from = from.max(0);
                to = if tested > max_work { 0 } else { to.clamp(0, width) };
                attributes += step * from.wrapping_sub(left.edge.column());
            }
            let count = (to - from).max(0);
            self.spans[listed] = Span {
                start: line.wrapping_add(from) as u32,
                count: count as u32,
                attributes: attributes.into(),
                step: step.into(),
            };
            // Many rows are empty: the next one takes their place.
            listed += usize::from(count > 0);
            tested += count as u64;
            line += width;
            left.step();
            right.step();
        }
        (self.listed, self.tested) = (listed, tested);
    }

    /// Whether a triangle needs no tests against the sides of the picture and against the limit of
    /// work. The original relies on corners in the picture; only files whose boxes do not hold their
    /// vertices have others.
    #[inline(always)]
    fn is_inner(&self, corners: [&Vertex; 3]) -> bool {
        let Target { width, height, .. } = self.target;
        let [a, b, c] = corners;
        let is_in = |x: i32, most: i32| x as u32 <= most as u32;
        is_in(a.u, width)
            & is_in(b.u, width)
            & is_in(c.u, width)
            & is_in(a.v, height)
            & is_in(b.v, height)
            & is_in(c.v, height)
            & (self.tested.saturating_add(self.target.indices.len() as u64) <= self.target.max_work)
    }

    /// A triangle that is not [`Filler::is_inner`].
    #[cold]
    fn outer(&mut self, corners: [&Vertex; 3], denominator: i32) {
        dispatch!(Level::baseline(), simd => self.walk::<AnyEdge, _>(simd, corners, denominator));
    }

    #[inline(never)]
    fn fill_listed(&mut self) {
        let (indices, depth) = self.target.pixels();
        for span in &self.spans[..self.listed] {
            let [mut s, mut t, mut light, mut zi] = span.attributes;
            for place in span.start as usize..(span.start + span.count) as usize {
                let (index, depth) = (&mut indices[place], &mut depth[place]);
                draw_pixel(&self.shade, index, depth, [s, t, light, zi]);
                s = s.wrapping_add(span.step[0]);
                t = t.wrapping_add(span.step[1]);
                light = light.wrapping_add(span.step[2]);
                zi = zi.wrapping_add(span.step[3]);
            }
        }
        self.listed = 0;
    }

    #[inline(never)]
    fn fill_group(&mut self) {
        let Target { width, height, max_work, level, .. } = self.target;
        let all = self.group.take_spans(level, [width, height], &mut self.group_spans);
        let GroupSpans { mut some, mut others, .. } = self.group_spans;
        if self.tested.saturating_add((LANES * ROWS) as u64 * width as u64) > max_work {
            (some, others) = (0, all);
        }
        while others != 0 {
            // In the order of the triangles, so that of equal depths the last one stays.
            let triangle = others.trailing_zeros();
            let before = some & ((1 << (triangle * ROWS as u32)) - 1);
            self.fill_spans(before);
            self.alone(self.group.corners(triangle).each_ref());
            some ^= before;
            others &= others - 1;
        }
        self.fill_spans(some);
    }

    #[inline(always)]
    fn fill_spans(&mut self, some: u64) {
        let pixels = self.group_spans.list(some);
        self.tested += pixels as u64;
        let (indices, depth) = self.target.pixels();
        for &pixel in self.group_spans.listed(pixels) {
            let (place, attributes) = self.group_spans.pixel(pixel);
            draw_pixel(&self.shade, &mut indices[place], &mut depth[place], attributes);
        }
    }

    /// A triangle that is in no group.
    fn alone(&mut self, corners: [&Vertex; 3]) {
        let denominator = denominator(corners);
        if self.is_inner(corners) {
            // Four attributes are one vector of what every machine of a kind has.
            dispatch!(
                Level::baseline(),
                simd => self.walk::<InnerEdge, _>(simd, corners, denominator)
            );
        } else {
            self.outer(corners, denominator);
        }
        self.fill_listed();
    }
}

impl<S: Shade> Fill for Filler<'_, S> {
    fn front(&mut self, corners: [&Vertex; 3]) {
        self.filled += 1;
        if self.group.push(corners) {
            self.fill_group();
        }
    }

    fn point(&mut self, vertex: &Vertex) {
        let (columns, rows) = (0..self.target.width, 0..self.target.height);
        if !columns.contains(&vertex.u) || !rows.contains(&vertex.v) {
            return;
        }
        if !self.group.is_empty() {
            self.fill_group();
        }
        self.tested += 1;
        let place = vertex.v as usize * self.target.width as usize + vertex.u as usize;
        let (indices, depth) = self.target.pixels();
        let attributes = [vertex.s, vertex.t, vertex.light, vertex.zi];
        draw_pixel(&self.shade, &mut indices[place], &mut depth[place], attributes);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: [i32; 2] = [90, 150];

    /// Every attribute counts.
    struct Mixed;

    impl Shade for Mixed {
        const WRITES_DEPTH: bool = true;

        fn pixel(&self, s: i32, t: i32, light: i32, old: u8) -> u8 {
            (s >> 16 ^ t >> 14 ^ light ^ i32::from(old)) as u8
        }
    }

    #[derive(Clone, Copy)]
    enum By {
        Groups(Level),
        InnerEdges,
        AnyEdges,
    }

    /// Picture, depth and tested pixels of triangles.
    fn drawn(triangles: &[[Vertex; 3]], by: By, max_work: u64) -> (Vec<u8>, Vec<i16>, u64) {
        let [width, height] = SIZE;
        let count = (width * height) as usize;
        let (mut indices, mut depth) = (vec![0; count], vec![0; count]);
        let target = Target {
            width,
            height,
            indices: &mut indices,
            depth: &mut depth,
            max_work,
            level: if let By::Groups(level) = by { level } else { Level::baseline() },
        };
        let mut filler = Filler::new(target, Mixed);
        for corners in triangles.iter().map(<[Vertex; 3]>::each_ref) {
            let denominator = denominator(corners);
            match by {
                By::Groups(_) => filler.triangle(corners),
                _ if denominator >= 0 => {}
                By::AnyEdges => filler.outer(corners, denominator),
                By::InnerEdges => dispatch!(
                    Level::baseline(),
                    simd => filler.walk::<InnerEdge, _>(simd, corners, denominator)
                ),
            }
            filler.fill_listed();
        }
        let mut stats = ClassicStats::default();
        filler.finish(&mut stats);
        (indices, depth, stats.tested)
    }

    const BY_GROUPS: fn() -> [By; 3] =
        || [Level::baseline(), Level::new(), Level::fallback()].map(By::Groups);

    fn corner(columns: Range<i32>, rows: Range<i32>) -> impl Strategy<Value = Vertex> {
        (columns, rows, any::<[u32; 4]>()).prop_map(|(u, v, attributes)| {
            let [s, t, light, zi] = attributes.map(|x| (x >> 5) as i32);
            Vertex { u, v, s, t, light, zi, flags: 0 }
        })
    }

    fn triangles(columns: Range<i32>, rows: Range<i32>) -> impl Strategy<Value = Vec<[Vertex; 3]>> {
        let triangle = [(); 3].map(|()| corner(columns.clone(), rows.clone()));
        prop::collection::vec(triangle, 1..6)
    }

    /// Many triangles of up to ten columns and rows at a few places, about half of them of one of two depths.
    fn small_triangles() -> impl Strategy<Value = Vec<[Vertex; 3]>> {
        let corners = [(); 3].map(|()| corner(0..11, 0..11));
        let triangle = (corners, 0..4, 0..SIZE[0] / 10 - 1, 0..SIZE[1] / 10 - 1).prop_map(
            |(corners, depth, column, row)| {
                corners.map(|corner| Vertex {
                    u: corner.u + column * 10 + 1,
                    v: corner.v + row * 10 + 1,
                    zi: if depth < 2 { depth << 20 } else { corner.zi },
                    ..corner
                })
            },
        );
        prop::collection::vec(triangle, 1..60)
    }

    proptest! {
        #[test]
        fn edges_inside_the_picture_are_like_all(
            triangles in triangles(0..SIZE[0] + 1, 0..SIZE[1] + 1)
        ) {
            let any = drawn(&triangles, By::AnyEdges, u64::MAX);
            prop_assert_eq!(&drawn(&triangles, By::InnerEdges, u64::MAX), &any);
            for by in BY_GROUPS() {
                prop_assert_eq!(&drawn(&triangles, by, u64::MAX), &any);
            }
        }

        #[test]
        fn groups_are_like_triangles_one_by_one(triangles in small_triangles()) {
            let any = drawn(&triangles, By::AnyEdges, u64::MAX);
            for by in BY_GROUPS() {
                prop_assert_eq!(&drawn(&triangles, by, u64::MAX), &any);
            }
        }

        #[test]
        fn corners_may_be_anywhere(triangles in triangles(-400..400, -400..400)) {
            let any = drawn(&triangles, By::AnyEdges, u64::MAX);
            for by in BY_GROUPS() {
                prop_assert_eq!(&drawn(&triangles, by, u64::MAX), &any);
            }
        }

        #[test]
        fn no_span_begins_above_the_limit_of_work(
            triangles in prop_oneof![triangles(0..SIZE[0] + 1, 0..SIZE[1] + 1), small_triangles()],
            limit in 0..20_000_u64,
        ) {
            for by in BY_GROUPS() {
                let (_, _, all) = drawn(&triangles, by, u64::MAX);
                let (_, _, tested) = drawn(&triangles, by, limit);
                if all <= limit {
                    prop_assert_eq!(tested, all);
                } else {
                    prop_assert!((limit + 1..=limit + SIZE[0] as u64).contains(&tested));
                }
            }
        }
    }

    /// Every triangle of up to eight columns and rows, in the corner of the picture where columns and rows are largest.
    #[test]
    fn groups_have_the_pixels_of_all_small_triangles() {
        let place = |number: i32| [SIZE[0] - number % 9, SIZE[1] - number / 9];
        let corner = |number: i32, seed: i32| {
            let [u, v] = place(number);
            let mixed =
                seed.wrapping_mul(0x2545_f491) ^ number.wrapping_mul(0x9e37_79b1_u32 as i32);
            let [s, t, light] = [mixed >> 3, mixed.wrapping_mul(77) >> 5, mixed >> 9 & 0x3fff];
            Vertex { u, v, s, t, light, zi: 1 << 20, flags: 0 }
        };
        let triangles: Vec<_> = (0..81 * 81 * 81)
            .map(|i: i32| [corner(i % 81, i), corner(i / 81 % 81, i + 1), corner(i / 6561, i + 2)])
            .collect();
        let any = drawn(&triangles, By::AnyEdges, u64::MAX);
        assert!(any.2 > 1_000_000, "{} pixels were tested", any.2);
        for by in BY_GROUPS() {
            assert!(drawn(&triangles, by, u64::MAX) == any);
        }
    }
}
