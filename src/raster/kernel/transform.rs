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

use fearless_simd::{f32x8, i32x8, mask32x8, prelude::*, u64x4};
use prefetch_index::prefetch_index_nta;

use super::super::shade::ATTRIBUTES;
use super::super::vertex::{
    Extent, FAR_TEXCOORD, FAR_W, GUARD, MIN_W, Source, Stretch, VertexSetup, transform,
};
use super::floor::eight::floor;
use super::transpose::transposed;
use super::vectors::Vectors;
use crate::pages::Pages;
use crate::pose::PosedSurface;

#[inline(always)]
pub(super) fn run<S: Vectors>(
    simd: S,
    setup: &VertexSetup,
    posed: &PosedSurface,
    texcoords: &[[f32; 2]],
    stretch: Stretch,
    xy: &mut [u64],
    attributes: &mut [f32],
) -> Extent {
    let Stretch { first, next } = stretch;
    let Source::Textured(scale) = setup.source else {
        return transform(setup, posed, texcoords, first, xy, attributes);
    };
    let count = xy.len();
    let (positions, normals) =
        (in_eights(&posed.position, first, count), in_eights(&posed.normal, first, count));
    let ([x, y, z], [nx, ny, nz]) = (&posed.position, &posed.normal);
    let streams: ([&[f32]; 6], &[_]) = ([x, y, z, nx, ny, nz], texcoords);
    let texcoords = Texcoords::new(texcoords, first);
    let guard = setup.half.map(|half| GUARD / half);
    let mut inside = mask32x8::splat(simd, true);
    let (far, near) = (i32x8::splat(simd, i32::MAX), i32x8::splat(simd, i32::MIN));
    let mut min = [far; 2];
    let mut max = [near; 2];
    let eights =
        xy.as_chunks_mut::<8>().0.iter_mut().zip(attributes.chunks_exact_mut(8 * ATTRIBUTES));
    for (i, (xy, records)) in eights.enumerate() {
        if let Some(next) = next {
            let ahead = 8 * i + AHEAD;
            prefetch(streams, if ahead < count { first + ahead } else { next + (ahead - count) });
        }
        let (position, normal) = (load(simd, &positions, i), load(simd, &normals, i));
        let uv = texcoords.load(simd, i);
        let vertices = eight(simd, setup, guard, position, normal, uv, scale);
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

/// How many vertices ahead of those that are transformed others are prefetched.
const AHEAD: usize = 64;

/// Prefetches what is read of the vertices from number `first` on, which are read once.
#[inline(always)]
fn prefetch((axes, texcoords): ([&[f32]; 6], &[[f32; 2]]), first: usize) {
    for axis in axes {
        prefetch_index_nta(axis, first);
    }
    prefetch_index_nta(texcoords, first);
}

/// Eight projected vertices. Vertices outside are all zero, as in the scalar twin.
struct Eight<S: Vectors> {
    xy: [i32x8<S>; 2],
    attributes: [f32x8<S>; ATTRIBUTES],
    inside: mask32x8<S>,
}

#[inline(always)]
fn eight<S: Vectors>(
    simd: S,
    setup: &VertexSetup,
    guard: [f32; 2],
    p: [f32x8<S>; 3],
    normal: [f32x8<S>; 3],
    uv: [f32x8<S>; 2],
    scale: [f32; 2],
) -> Eight<S> {
    let rows = &setup.camera.rows;
    let (cx, cy) = (row(p, &rows[0]), row(p, &rows[1]));
    let (cz, w) = (row(p, &rows[2]), row(p, &rows[3]));
    let inside = w.simd_gt(MIN_W)
        & w.simd_lt(FAR_W)
        & cz.abs().simd_le(w)
        & cx.abs().simd_le(w * guard[0])
        & cy.abs().simd_le(w * guard[1]);
    let iw = f32x8::splat(simd, 1.0) / w;
    let sx = (cx * iw) * setup.half[0] + setup.half[0];
    let sy = -((cy * iw) * setup.half[1]) + setup.half[1];
    let zero = f32x8::splat(simd, 0.0);
    let k = if setup.perspective { iw } else { f32x8::splat(simd, 1.0) };
    let light = light(simd, setup, normal);
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

/// Vertices `first..first + count` of three axes.
#[inline(always)]
fn in_eights(axes: &[Pages<f32>; 3], first: usize, count: usize) -> [&[[f32; 8]]; 3] {
    let [x, y, z] = axes;
    let range = first..first + count;
    [x[range.clone()].as_chunks().0, y[range.clone()].as_chunks().0, z[range].as_chunks().0]
}

#[inline(always)]
fn load<S: Vectors>(simd: S, axes: &[&[[f32; 8]]; 3], i: usize) -> [f32x8<S>; 3] {
    [
        f32x8::load_array_ref(simd, &axes[0][i]),
        f32x8::load_array_ref(simd, &axes[1][i]),
        f32x8::load_array_ref(simd, &axes[2][i]),
    ]
}

/// One row of a matrix times eight points.
#[inline(always)]
fn row<S: Vectors>(p: [f32x8<S>; 3], r: &[f32; 4]) -> f32x8<S> {
    ((p[0] * r[0] + p[1] * r[1]) + p[2] * r[2]) + r[3]
}

#[inline(always)]
fn light<S: Vectors>(simd: S, setup: &VertexSetup, [nx, ny, nz]: [f32x8<S>; 3]) -> f32x8<S> {
    let ramp = &setup.light;
    let [dx, dy, dz] = ramp.direction;
    let d = (nx * dx + ny * dy) + nz * dz;
    let value = (d.max(0.0) * ramp.rise + ramp.base) + d.min(0.0) * ramp.fall;
    // Levels differ in the maximum of what is no number, zero or that: the base comes of either.
    let value = value.simd_eq(value).select(value, f32x8::splat(simd, ramp.base));
    value.max(ramp.min).min(ramp.max)
}

/// Texture coordinates in eights; vertices behind the end repeat the last.
struct Texcoords<'a> {
    eights: &'a [[[f32; 2]; 8]],
    tail: [[f32; 2]; 8],
}

impl<'a> Texcoords<'a> {
    #[inline(always)]
    fn new(texcoords: &'a [[f32; 2]], first: usize) -> Self {
        let last = texcoords.last().copied().unwrap_or_default();
        let (eights, rest) = texcoords.get(first..).unwrap_or_default().as_chunks();
        let mut tail = [last; 8];
        tail[..rest.len()].copy_from_slice(rest);
        Self { eights, tail }
    }

    /// u and v of eights number `i`.
    #[inline(always)]
    fn load<S: Vectors>(&self, simd: S, i: usize) -> [f32x8<S>; 2] {
        let flat = self.eights.get(i).unwrap_or(&self.tail).as_flattened();
        let (low, high) =
            (f32x8::from_slice(simd, &flat[..8]), f32x8::from_slice(simd, &flat[8..]));
        let (u, v) = (low.unzip_low(high), low.unzip_high(high));
        if (u.abs().simd_le(FAR_TEXCOORD) & v.abs().simd_le(FAR_TEXCOORD)).all_true() {
            return [u, v];
        }
        [sane(simd, u), sane(simd, v)]
    }
}

/// The twin of `vertex::sane`.
#[inline(always)]
fn sane<S: Vectors>(simd: S, u: f32x8<S>) -> f32x8<S> {
    let near = u.abs().simd_le(FAR_TEXCOORD);
    let fraction = u.abs().simd_lt(f32::INFINITY).select(u - floor(u), f32x8::splat(simd, 0.0));
    near.select(u, fraction)
}

/// Writes eight records of five floats: a transposed store of eight overlapping vectors.
#[inline(always)]
fn store_records<S: Vectors>(simd: S, v: [f32x8<S>; ATTRIBUTES], records: &mut [f32]) {
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

#[cfg(test)]
mod tests {
    use super::super::super::level::SimdLevel;
    use super::super::super::vertex::{ClipRows, ScreenVertices};
    use super::super::Kernel;
    use super::*;
    use crate::light::LightRamp;
    use crate::look::{ColorMode, Lighting, Look};

    #[test]
    fn normals_that_are_no_numbers_get_the_same_light_on_every_level() {
        let numbers = [0.0, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38];
        let normals: Vec<[f32; 3]> =
            (0..512).map(|i| [numbers[i & 7], numbers[i >> 3 & 7], numbers[i >> 6]]).collect();
        let axes = [0, 1, 2].map(|axis| {
            let values: Vec<f32> = normals.iter().map(|normal| normal[axis]).collect();
            values.into()
        });
        let posed = PosedSurface {
            position: [0; 3].map(|_| Pages::zeroed(512)),
            normal: axes,
            count: 512,
            ..PosedSurface::default()
        };
        let mut rows = [[0.0; 4]; 4];
        (0..4).for_each(|i| rows[i][i] = 1.0);
        let [lambert, unlit] = [Lighting::Lambert, Lighting::Unlit];
        let engines = [Lighting::Quake, Lighting::Quake2, Lighting::Gl, Lighting::Quake3];
        for lighting in [lambert, unlit].into_iter().chain(engines) {
            for color in [ColorMode::Rgb, ColorMode::Indexed] {
                let light = LightRamp::for_kernel(&Look { lighting, ..Look::default() }, color);
                let setup = VertexSetup {
                    camera: ClipRows { rows, range: None },
                    light,
                    source: Source::Textured([1.0; 2]),
                    perspective: true,
                    half: [32.0; 2],
                };
                let run = |level: SimdLevel| {
                    let mut vertices = ScreenVertices::default();
                    vertices.resize(512, 512);
                    let ScreenVertices { xy, attributes } = &mut vertices;
                    let (xy, attributes) = (&mut xy[..512], &mut attributes[..512 * ATTRIBUTES]);
                    let kernel = Kernel::of(level).unwrap();
                    kernel.transform(&setup, &posed, &[[0.0; 2]], Stretch::from(0), xy, attributes);
                    let records = attributes.as_chunks::<ATTRIBUTES>().0.iter();
                    records.map(|record| record[4]).collect::<Vec<f32>>()
                };
                let expected = run(SimdLevel::Scalar);
                for level in SimdLevel::available() {
                    assert_eq!(run(level), expected, "{level}, {lighting:?}, {color:?}");
                }
                let in_range = |x: &f32| (light.min..=light.max).contains(x);
                assert!(expected.iter().all(in_range), "{lighting:?}, {color:?}");
                if light.fall == 0.0 {
                    let away = light.direction.map(|x| x * f32::NEG_INFINITY);
                    let base = light.base.clamp(light.min, light.max);
                    assert_eq!(light.at(away), base, "{lighting:?}, {color:?}");
                }
            }
        }
    }
}
