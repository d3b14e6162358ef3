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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::FileBytes;
    use crate::model::{ShortFrame, ShortSurface};
    use crate::pages::Pages;
    use crate::pose::LANES;
    use proptest::prelude::*;

    fn frame(scale: [f32; 3], origin: [f32; 3], offset: usize) -> ByteFrame {
        ByteFrame { name: String::new(), scale, origin, offset }
    }

    fn keys(vertices: &[[u8; 4]], frames: Vec<ByteFrame>) -> ByteKeyframes {
        let packed_count = vertices.len() / frames.len();
        ByteKeyframes {
            file: FileBytes::new(vertices.concat()),
            packed_count,
            frames,
            vertex_of: (0..packed_count as u32).collect(),
        }
    }

    fn posed(keys: &ByteKeyframes, t: f32) -> PosedSurface {
        let mut out = [PosedSurface::default()];
        bytes(keys, Blend { from: 0, to: 1, t, anim: 0 }, &mut out);
        let [surface] = out;
        surface
    }

    fn vertex(surface: &PosedSurface, i: usize) -> Vertex {
        let at = |values: &[Pages<f32>; 3]| std::array::from_fn(|axis| values[axis][i]);
        (at(&surface.position), at(&surface.normal))
    }

    #[test]
    fn bytes_are_scaled_and_moved() {
        let frame = frame([0.5, 0.25, 0.125], [-10.0, 0.0, 3.0], 0);
        assert_eq!(byte_vertex(&frame, [200, 40, 8, 5]), ([90.0, 10.0, 4.0], [0.0, 0.0, 1.0]));
        assert_eq!(byte_vertex(&frame, [0, 0, 0, 162]).1, NORMALS[0]);
        assert_eq!(byte_vertex(&frame, [0, 0, 0, 161]).1, NORMALS[161]);
    }

    #[test]
    fn short_normals_are_zenith_and_azimuth() {
        let cases = [
            ([0, 0], [0.0, 0.0, 1.0]),
            ([0, 200], [0.0, 0.0, 1.0]),
            ([64, 0], [1.0, 0.0, -0.00307]),
            ([64, 64], [-0.00307, 1.0, -0.00307]),
            ([128, 0], [-0.00307, 0.0, -1.0]),
            ([37, 219], [0.4868, -0.6207, 0.6146]),
        ];
        for ([zenith, azimuth], expected) in cases {
            let normal = short_normal(&SINES, zenith, azimuth);
            for axis in 0..3 {
                let off = (normal[axis] - expected[axis]).abs();
                assert!(off < 5e-4, "({zenith}, {azimuth}): {normal:?}, expected {expected:?}");
            }
        }
    }

    #[test]
    fn decoded_positions_blend_even_if_the_frames_are_scaled_differently() {
        let frames = vec![frame([1.0; 3], [0.0; 3], 0), frame([2.0; 3], [-8.0; 3], 4)];
        let surface = posed(&keys(&[[10, 20, 30, 5], [10, 20, 30, 52]], frames), 0.25);
        let (position, normal) = vertex(&surface, 0);
        assert_eq!(position, [10.5, 23.0, 35.5]);
        let length = (0.25_f32 * 0.25 + 0.75 * 0.75).sqrt();
        assert_eq!(normal, [0.25 / length, 0.0, 0.75 / length]);
    }

    #[test]
    fn opposite_normals_keep_the_earlier_one() {
        let frames = vec![frame([1.0; 3], [0.0; 3], 0), frame([1.0; 3], [0.0; 3], 4)];
        let surface = posed(&keys(&[[0, 0, 0, 5], [0, 0, 0, 84]], frames), 0.5);
        assert_eq!(vertex(&surface, 0).1, [0.0, 0.0, 1.0]);
    }

    #[test]
    fn padding_repeats_the_last_vertex_and_buffers_are_kept() {
        let many: Vec<[u8; 4]> = (0..9).map(|i| [i, 0, 0, 5]).collect();
        let keys = keys(&many, vec![frame([1.0; 3], [0.0; 3], 0)]);
        let mut out = [PosedSurface::default()];
        bytes(&keys, Blend::frame(0), &mut out);
        let first = out[0].position[0].as_ptr();
        assert_eq!(out[0].position[0].len(), 2 * LANES);
        assert_eq!(out[0].position[0][8..], [8.0; 8]);
        assert_eq!(out[0].normal[2][9..], [1.0; 7]);
        bytes(&keys, Blend::frame(7), &mut out);
        assert_eq!(out[0].position[0].as_ptr(), first);
    }

    #[test]
    fn a_surface_rests_in_its_last_frame() {
        let record = |x: i16| [x.to_le_bytes(), [0; 2], [0; 2], [0; 2]].concat();
        let keys = ShortKeyframes {
            file: FileBytes::new([record(64), record(-128)].concat()),
            frames: (0..3).map(|_| ShortFrame { name: String::new() }).collect(),
            surfaces: vec![ShortSurface { offset: 0, frame_count: 2, vertex_count: 1 }],
        };
        for (number, x) in [(0, 1.0), (1, -2.0), (2, -2.0)] {
            let mut out = [PosedSurface::default()];
            shorts(&keys, Blend::frame(number), &mut out);
            assert_eq!(vertex(&out[0], 0).0[0], x, "frame {number}");
        }
    }

    proptest! {
        #[test]
        fn a_blend_lies_between_its_ends_and_meets_them(
            a in any::<[u8; 4]>(), b in any::<[u8; 4]>(),
            scale in proptest::array::uniform3(-8.0_f32..8.0),
            origin in proptest::array::uniform3(-500.0_f32..500.0),
            t in 0.0_f32..=1.0,
        ) {
            let frames = vec![frame(scale, origin, 0), frame(origin, scale, 4)];
            let keys = keys(&[a, b], frames);
            let (from, to) = (byte_vertex(&keys.frames[0], a), byte_vertex(&keys.frames[1], b));
            prop_assert_eq!(vertex(&posed(&keys, 0.0), 0), from);
            prop_assert_eq!(vertex(&posed(&keys, 1.0), 0), to);
            let (position, normal) = vertex(&posed(&keys, t), 0);
            for ((value, a), b) in position.into_iter().zip(from.0).zip(to.0) {
                let slack = 1e-6 * (1.0 + a.abs().max(b.abs()));
                prop_assert!(value >= a.min(b) - slack && value <= a.max(b) + slack);
            }
            let length: f32 = normal.iter().map(|v| v * v).sum();
            prop_assert!((length - 1.0).abs() < 1e-5, "{:?}", normal);
        }
    }
}
