//! The vertex stage, eight vertices at once.
//!
//! Positions, normals and texture coordinates come as they are kept (axis by axis, u beside v), eight
//! vertices to a vector, and the arithmetic is that of `vertex.rs` lane by lane. What culling reads and
//! what fragments read go different ways:
//!
//! ```text
//!   x  x0 x1 x2 x3 x4 x5 x6 x7         interleaved to eight words of 64 bits: one load
//!   y  y0 y1 y2 y3 y4 y5 y6 y7         brings both coordinates of a vertex
//!
//!   z   z0 z1 .. z7                    transposed to eight records of five floats: z w a b c.
//!   1/w w0 w1 .. w7                    Each row of the transposed matrix is stored whole,
//!   a   a0 a1 .. a7                    three zeros behind it, five floats behind the one before:
//!   b   b0 b1 .. b7
//!   c   c0 c1 .. c7                    |z0 w0 a0 b0 c0  0  0  0|
//!   0   0  0  .. 0                                    |z1 w1 a1 b1 c1  0  0  0|
//!   0   0  0  .. 0                                                   |z2 w2 a2 ..
//!   0   0  0  .. 0                     the zeros are written over by the next record.
//! ```

use fearless_simd::{Simd, f32x8, i32x8, mask32x8, prelude::*, u64x4};

use super::super::shade::ATTRIBUTES;
use super::super::vertex::{Extent, FAR_W, GUARD, MIN_W, Source, VertexSetup, transform};
use super::floor::eight::floor;
use crate::pose::PosedSurface;

#[inline(always)]
pub(super) fn run<S: Simd>(
    simd: S,
    setup: &VertexSetup,
    posed: &PosedSurface,
    texcoords: &[[f32; 2]],
    first: usize,
    xy: &mut [u64],
    attributes: &mut [f32],
) -> Extent {
    let Source::Textured(scale) = setup.source else {
        return transform(setup, posed, texcoords, first, xy, attributes);
    };
    let mut inside = mask32x8::splat(simd, true);
    let (far, near) = (i32x8::splat(simd, i32::MAX), i32x8::splat(simd, i32::MIN));
    let mut min = [far; 2];
    let mut max = [near; 2];
    let eights =
        xy.as_chunks_mut::<8>().0.iter_mut().zip(attributes.chunks_exact_mut(8 * ATTRIBUTES));
    for (i, (xy, records)) in eights.enumerate() {
        let at = first + 8 * i;
        let uv = texcoords_of_eight(simd, texcoords, at);
        let vertices = eight(simd, setup, posed, uv, scale, at);
        inside &= vertices.inside;
        for axis in 0..2 {
            min[axis] = min[axis].min(vertices.xy[axis]);
            max[axis] = max[axis].max(vertices.xy[axis]);
        }
        let (low, high) = vertices.xy[0].interleave(vertices.xy[1]);
        low.bitcast::<u64x4<S>>().store_slice(&mut xy[..4]);
        high.bitcast::<u64x4<S>>().store_slice(&mut xy[4..]);
        store_records(simd, vertices.attributes, records);
    }
    Extent {
        inside: inside.all_true(),
        min: [min[0].reduce_min(), min[1].reduce_min()],
        max: [max[0].reduce_max(), max[1].reduce_max()],
    }
}

/// Eight projected vertices. Vertices outside are all zero, as in the scalar twin.
struct Eight<S: Simd> {
    xy: [i32x8<S>; 2],
    attributes: [f32x8<S>; ATTRIBUTES],
    inside: mask32x8<S>,
}

#[inline(always)]
fn eight<S: Simd>(
    simd: S,
    setup: &VertexSetup,
    posed: &PosedSurface,
    uv: [f32x8<S>; 2],
    scale: [f32; 2],
    at: usize,
) -> Eight<S> {
    let p = load(simd, &posed.position, at);
    let rows = &setup.camera.rows;
    let (cx, cy) = (row(p, &rows[0]), row(p, &rows[1]));
    let (cz, w) = (row(p, &rows[2]), row(p, &rows[3]));
    let (gx, gy) = (GUARD / setup.half[0], GUARD / setup.half[1]);
    let inside = w.simd_gt(MIN_W)
        & w.simd_lt(FAR_W)
        & cz.abs().simd_le(w)
        & cx.abs().simd_le(w * gx)
        & cy.abs().simd_le(w * gy);
    let iw = f32x8::splat(simd, 1.0) / w;
    let sx = (cx * iw) * setup.half[0] + setup.half[0];
    let sy = -((cy * iw) * setup.half[1]) + setup.half[1];
    let zero = f32x8::splat(simd, 0.0);
    let k = if setup.perspective { iw } else { f32x8::splat(simd, 1.0) };
    let light = light(simd, setup, posed, at);
    let attributes =
        [(cz * iw) * 0.5 + 0.5, k, (uv[0] * scale[0]) * k, (uv[1] * scale[1]) * k, light * k];
    let mut kept = [zero; ATTRIBUTES];
    for i in 0..ATTRIBUTES {
        kept[i] = inside.select(attributes[i], zero);
    }
    let x = inside.select(floor(sx * 65536.0), zero).to_int::<i32x8<S>>();
    let y = inside.select(floor(sy * 65536.0), zero).to_int::<i32x8<S>>();
    Eight { xy: [x, y], attributes: kept, inside }
}

#[inline(always)]
fn load<S: Simd>(simd: S, v: &[Vec<f32>; 3], at: usize) -> [f32x8<S>; 3] {
    [
        f32x8::from_slice(simd, &v[0][at..at + 8]),
        f32x8::from_slice(simd, &v[1][at..at + 8]),
        f32x8::from_slice(simd, &v[2][at..at + 8]),
    ]
}

/// One row of a matrix times eight points.
#[inline(always)]
fn row<S: Simd>(p: [f32x8<S>; 3], r: &[f32; 4]) -> f32x8<S> {
    ((p[0] * r[0] + p[1] * r[1]) + p[2] * r[2]) + r[3]
}

#[inline(always)]
fn light<S: Simd>(simd: S, setup: &VertexSetup, posed: &PosedSurface, at: usize) -> f32x8<S> {
    let [nx, ny, nz] = load(simd, &posed.normal, at);
    let ramp = &setup.light;
    let [dx, dy, dz] = ramp.direction;
    let d = (nx * dx + ny * dy) + nz * dz;
    let value = (d.max(0.0) * ramp.rise + ramp.base) + d.min(0.0) * ramp.fall;
    value.max(ramp.min).min(ramp.max)
}

/// u and v of eight vertices; vertices behind the end repeat the last.
#[inline(always)]
fn texcoords_of_eight<S: Simd>(simd: S, texcoords: &[[f32; 2]], at: usize) -> [f32x8<S>; 2] {
    let padded: [[f32; 2]; 8];
    let eight = match texcoords.get(at..at + 8).and_then(|part| part.first_chunk::<8>()) {
        Some(eight) => eight,
        None => {
            let last = texcoords.last().copied().unwrap_or_default();
            padded = std::array::from_fn(|i| texcoords.get(at + i).copied().unwrap_or(last));
            &padded
        }
    };
    let flat = eight.as_flattened();
    let (low, high) = (f32x8::from_slice(simd, &flat[..8]), f32x8::from_slice(simd, &flat[8..]));
    let (u, v) = (low.unzip_low(high), low.unzip_high(high));
    [sane(simd, u), sane(simd, v)]
}

/// The twin of `vertex::sane`.
#[inline(always)]
fn sane<S: Simd>(simd: S, u: f32x8<S>) -> f32x8<S> {
    let near = u.abs().simd_le(super::super::vertex::FAR_TEXCOORD);
    if near.all_true() {
        return u;
    }
    let fraction = u.abs().simd_lt(f32::INFINITY).select(u - floor(u), f32x8::splat(simd, 0.0));
    near.select(u, fraction)
}

/// Writes eight records of five floats: a transposed store of eight overlapping vectors.
#[inline(always)]
fn store_records<S: Simd>(simd: S, v: [f32x8<S>; ATTRIBUTES], records: &mut [f32]) {
    let zero = f32x8::splat(simd, 0.0);
    let rows = transposed([v[0], v[1], v[2], v[3], v[4], zero, zero, zero]);
    for i in 0..8 {
        let row = rows[i];
        let at = i * ATTRIBUTES;
        if i < 7 {
            row.store_slice(&mut records[at..at + 8]);
        } else {
            let last: [f32; 8] = row.into();
            records[at..at + ATTRIBUTES].copy_from_slice(&last[..ATTRIBUTES]);
        }
    }
}

/// Rows become columns: three rounds of perfect shuffles.
///
/// Number the 64 elements by six bits, `rrr` their row and `ccc` their column. A round zips row r with
/// row r + 4: the elements of both stand alternately in two new rows. The upper bit of the row so
/// becomes the lowest of the column, and the others move up by one: `r2 r1 r0 c2 c1 c0` goes to
/// `r1 r0 c2 c1 c0 r2`. After three such rotations rows and columns have changed places.
#[inline(always)]
pub(super) fn transposed<S: Simd>(rows: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    let mut v = rows;
    for _ in 0..3 {
        let [a, b, c, d, e, f, g, h] = v;
        v = [
            a.zip_low(e),
            a.zip_high(e),
            b.zip_low(f),
            b.zip_high(f),
            c.zip_low(g),
            c.zip_high(g),
            d.zip_low(h),
            d.zip_high(h),
        ];
    }
    v
}
