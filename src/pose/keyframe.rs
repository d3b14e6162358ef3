//! Packed keyframes to positions and normals: decode the two frames, blend, renormalise.

use std::sync::LazyLock;

use super::PosedSurface;
use crate::bytes::i16_at;
use crate::format::NORMALS;
use crate::model::{Blend, ByteFrame, ByteKeyframes, FloatKeyframes, ShortKeyframes};

/// Position and unit normal.
type Vertex = ([f32; 3], [f32; 3]);

/// MD3 positions count 64ths of a unit.
const SHORT_SCALE: f32 = 1.0 / 64.0;

/// Sines of an MD3 angle byte as the renderer of Quake III has them: entry `4 * byte` of a table of
/// 1024 whose entry `i` is the sine of `i * 360 / 1023` degrees.
static SINES: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| libm::sin(4.0 * byte as f64 * std::f64::consts::TAU / 1023.0) as f32)
});

/// MDL and MD2.
pub(super) fn bytes(keys: &ByteKeyframes, blend: Blend, out: &mut [PosedSurface]) {
    let [surface] = out else { return };
    let [Some(from), Some(to)] = ends(blend, keys.frames.len()).map(|i| keys.frames.get(i)) else {
        return surface.resize(0);
    };
    let packed = |frame: &ByteFrame| &keys.file[frame.offset..frame.offset + 4 * keys.packed_count];
    let (from_bytes, to_bytes) = (packed(from), packed(to));
    let decode = |frame: &ByteFrame, packed: &[u8], vertex: usize| {
        let at = 4 * keys.vertex_of[vertex] as usize;
        byte_vertex(frame, [packed[at], packed[at + 1], packed[at + 2], packed[at + 3]])
    };
    surface.resize(keys.vertex_of.len());
    surface.fill(
        blend.t,
        |vertex| decode(from, from_bytes, vertex),
        |vertex| decode(to, to_bytes, vertex),
    );
}

fn byte_vertex(frame: &ByteFrame, [x, y, z, normal]: [u8; 4]) -> Vertex {
    let [x, y, z] = [x, y, z].map(f32::from);
    let ([sx, sy, sz], [ox, oy, oz]) = (frame.scale, frame.origin);
    let normal = NORMALS.get(usize::from(normal)).unwrap_or(&NORMALS[0]);
    ([x * sx + ox, y * sy + oy, z * sz + oz], *normal)
}

/// MD3.
pub(super) fn shorts(keys: &ShortKeyframes, blend: Blend, out: &mut [PosedSurface]) {
    let sines = &*SINES;
    for (surface, posed) in keys.surfaces.iter().zip(out) {
        let size = 8 * surface.vertex_count;
        let [from, to] = ends(blend, surface.frame_count).map(|frame| {
            let start = surface.offset + frame * size;
            &keys.file[start..start + size]
        });
        posed.resize(surface.vertex_count);
        posed.fill(blend.t, |i| short_vertex(sines, from, i), |i| short_vertex(sines, to, i));
    }
}

fn short_vertex(sines: &[f32; 256], packed: &[u8], vertex: usize) -> Vertex {
    let record = &packed[8 * vertex..8 * vertex + 8];
    let position = [0, 2, 4].map(|at| f32::from(i16_at(record, at)) * SHORT_SCALE);
    (position, short_normal(sines, record[6], record[7]))
}

/// The first normal byte is the angle from +Z, the second the angle from +X towards +Y.
fn short_normal(sines: &[f32; 256], zenith: u8, azimuth: u8) -> [f32; 3] {
    let sine = |angle: u8| sines[usize::from(angle)];
    // A quarter turn further on is the cosine.
    let cosine = |angle: u8| sine(angle.wrapping_add(64));
    let normal = [cosine(azimuth) * sine(zenith), sine(azimuth) * sine(zenith), cosine(zenith)];
    unit(normal).unwrap_or([0.0, 0.0, 1.0])
}

/// Plain vectors.
pub(super) fn floats(keys: &FloatKeyframes, blend: Blend, out: &mut [PosedSurface]) {
    let frames = ends(blend, keys.frame_count);
    for ((positions, normals), posed) in keys.positions.iter().zip(&keys.normals).zip(out) {
        let count = positions.len() / keys.frame_count.max(1);
        let [from, to] = frames.map(|frame| frame * count);
        posed.resize(count);
        posed.fill(
            blend.t,
            |i| (positions[from + i], normals[from + i]),
            |i| (positions[to + i], normals[to + i]),
        );
    }
}

/// The blend's two frames, kept within `count` frames.
fn ends(blend: Blend, count: usize) -> [usize; 2] {
    [blend.from, blend.to].map(|frame| frame.min(count.saturating_sub(1)))
}

impl PosedSurface {
    /// Decodes and blends every vertex; at 0 and 1 exactly what `from` and `to` give.
    fn fill(&mut self, t: f32, from: impl Fn(usize) -> Vertex, to: impl Fn(usize) -> Vertex) {
        if t <= 0.0 || t.is_nan() {
            self.set_all(from);
        } else if t >= 1.0 {
            self.set_all(to);
        } else {
            self.set_all(|vertex| blended(from(vertex), to(vertex), t));
        }
    }

    fn set_all(&mut self, vertex: impl Fn(usize) -> Vertex) {
        let count = self.count;
        let [px, py, pz] = self.position.each_mut().map(|values| &mut values[..count]);
        let [nx, ny, nz] = self.normal.each_mut().map(|values| &mut values[..count]);
        for i in 0..count {
            let (position, normal) = vertex(i);
            [px[i], py[i], pz[i]] = position;
            [nx[i], ny[i], nz[i]] = normal;
        }
        self.pad();
    }
}

fn blended(from: Vertex, to: Vertex, t: f32) -> Vertex {
    let mix = |a: [f32; 3], b: [f32; 3]| {
        [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t]
    };
    // Opposite normals meet in nothing: the earlier one stays.
    (mix(from.0, to.0), unit(mix(from.1, to.1)).unwrap_or(from.1))
}

/// The vector at length 1; `None` if it has no direction.
pub(super) fn unit([x, y, z]: [f32; 3]) -> Option<[f32; 3]> {
    let length = (x * x + y * y + z * z).sqrt();
    (length > 1e-6 && length.is_finite()).then(|| [x / length, y / length, z / length])
}
