//! Which triangles show their front, sixty-four at a time: of a closed mesh half of them face away.

use fearless_simd::{Level, Simd, dispatch, i32x4, i32x8, prelude::*};

use super::vertex::Vertex;
use crate::model::MdlTriangle;

/// Triangles that are looked at together.
pub(super) const TOGETHER: usize = 64;

/// A bit for each of up to [`TOGETHER`] triangles: whether it is clockwise on the screen, see
/// [`super::setup::denominator`]. Of those that name a vertex that does not exist it may be either.
#[inline(never)]
pub(super) fn fronts(level: Level, triangles: &[MdlTriangle], vertices: &[Vertex]) -> u64 {
    if vertices.is_empty() {
        return 0;
    }
    dispatch!(level, simd => find(simd, triangles, vertices))
}

#[inline(always)]
fn find<S: Simd>(simd: S, triangles: &[MdlTriangle], vertices: &[Vertex]) -> u64 {
    let (eights, rest) = triangles.as_chunks::<8>();
    let mut last = [[0; 3]; 8];
    for i in 0..rest.len() {
        last[i] = rest[i].vertices;
    }
    let mut bits = fronts_of_eight(simd, &last, vertices) & ((1 << rest.len()) - 1);
    for eight in eights.iter().rev() {
        let mut numbers = [[0; 3]; 8];
        for i in 0..8 {
            numbers[i] = eight[i].vertices;
        }
        bits = bits << 8 | fronts_of_eight(simd, &numbers, vertices);
    }
    bits
}

#[inline(always)]
fn fronts_of_eight<S: Simd>(simd: S, numbers: &[[u32; 3]; 8], vertices: &[Vertex]) -> u64 {
    let [a, b, c] = [
        places(simd, numbers, 0, vertices),
        places(simd, numbers, 1, vertices),
        places(simd, numbers, 2, vertices),
    ];
    let denominator = (a[1] - b[1]) * (a[0] - c[0]) - (a[0] - b[0]) * (a[1] - c[1]);
    denominator.simd_lt(0).to_bitmask()
}

/// Columns and rows of a corner of eight triangles.
#[inline(always)]
fn places<S: Simd>(
    simd: S,
    numbers: &[[u32; 3]; 8],
    corner: usize,
    vertices: &[Vertex],
) -> [i32x8<S>; 2] {
    let mut of = [i32x4::splat(simd, 0); 8];
    let last = vertices.len() - 1;
    for i in 0..8 {
        let vertex = &vertices[(numbers[i][corner] as usize).min(last)];
        of[i] = i32x4::load_array(simd, [vertex.u, vertex.v, vertex.s, vertex.t]);
    }
    let [first, rest] = [
        [of[0].zip_low(of[2]), of[1].zip_low(of[3])],
        [of[4].zip_low(of[6]), of[5].zip_low(of[7])],
    ];
    [
        first[0].zip_low(first[1]).combine(rest[0].zip_low(rest[1])),
        first[0].zip_high(first[1]).combine(rest[0].zip_high(rest[1])),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::setup::denominator;
    use super::*;

    #[test]
    fn fronts_have_negative_denominators_on_every_level() {
        let vertices: Vec<Vertex> = (0..50)
            .map(|i: i32| Vertex { u: i * 37 % 23, v: i * 29 % 31, s: i, ..Vertex::default() })
            .collect();
        let triangle = |i: u32| MdlTriangle {
            vertices: [i * 7 % 50, i * 11 % 47, i * 13 % 43],
            faces_front: true,
        };
        for count in [0, 1, 7, 8, 9, 63, 64] {
            let triangles: Vec<_> = (0..count).map(triangle).collect();
            let mut expected = 0;
            for (bit, triangle) in triangles.iter().enumerate() {
                let corners = triangle.vertices.map(|number| &vertices[number as usize]);
                expected |= u64::from(denominator(corners) < 0) << bit;
            }
            for level in [Level::baseline(), Level::new(), Level::fallback()] {
                assert_eq!(fronts(level, &triangles, &vertices), expected, "{count} {level:?}");
            }
        }
    }

    #[test]
    fn vertices_may_be_missing() {
        let triangle = MdlTriangle { vertices: [0, 1, u32::MAX], faces_front: true };
        assert_eq!(fronts(Level::new(), &[triangle], &[]), 0);
        fronts(Level::new(), &[triangle], &[Vertex::default()]);
    }
}
