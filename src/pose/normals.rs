//! Normals of posed vertices the way Doom 3 makes them, every frame anew.
//!
//! The unit normals of all triangles around a vertex are added, whatever their size, and the sum is
//! normalised. Vertices that texture seams have split are one vertex for this.

use std::ops::{Deref, DerefMut};

use glam::Vec3;

use super::PosedSurface;
use crate::direction::{at_hand, unit};

/// The normal of vertices that belong to no triangle with an area.
const FALLBACK: Vec3 = Vec3::Z;

/// Sums of unit vectors that are shorter than this cancel each other out.
const CANCELLED: f32 = 1e-4;

/// Squares of lengths that have kept all their bits.
const ORDINARY: std::ops::Range<f32> = 1e-30..1e30;

/// Fills `surface.normal` from the positions. `weld` names for every vertex the one whose sum it
/// shares. Where the shared sum cancels out, as on cloth whose two sides are split vertices at the
/// same place, a vertex takes the sum of its own triangles.
pub(crate) fn compute(surface: &mut PosedSurface, triangles: &[[u32; 3]], weld: &[u32]) {
    let count = surface.count;
    let position = &surface.position.each_ref().map(|values| &values[..]);
    let normal = &mut surface.normal.each_mut().map(|values| &mut values[..]);
    for axis in normal.iter_mut() {
        axis[..count].fill(0.0);
    }
    for corners in triangles {
        let face = unit_normal(position, corners);
        for &corner in corners {
            add(normal, weld[corner as usize] as usize, face);
        }
    }
    let mut cancelled = Vec::new();
    for vertex in 0..count {
        let shared = weld[vertex] as usize;
        // Of equal vertices the first comes first: its sum is replaced before the others read it.
        let sum = get(normal, shared);
        if shared == vertex && sum.length_squared() > CANCELLED * CANCELLED {
            set(normal, vertex, sum.normalize());
        } else if shared == vertex {
            cancelled.resize(count, false);
            cancelled[vertex] = true;
            set(normal, vertex, Vec3::ZERO);
        } else {
            set(normal, vertex, sum);
        }
    }
    if !cancelled.is_empty() {
        separate(surface, triangles, weld, &cancelled);
    }
}

/// Gives vertices whose shared sum cancels out the normal of their own triangles.
fn separate(surface: &mut PosedSurface, triangles: &[[u32; 3]], weld: &[u32], cancelled: &[bool]) {
    let position = &surface.position.each_ref().map(|values| &values[..]);
    let normal = &mut surface.normal.each_mut().map(|values| &mut values[..]);
    let affected = |vertex: usize| cancelled[weld[vertex] as usize];
    for corners in triangles {
        if corners.iter().any(|&corner| affected(corner as usize)) {
            let face = unit_normal(position, corners);
            for corner in corners.map(|corner| corner as usize) {
                if affected(corner) {
                    add(normal, corner, face);
                }
            }
        }
    }
    for vertex in (0..surface.count).filter(|&vertex| affected(vertex)) {
        let sum = get(normal, vertex);
        let cancels = sum.length_squared() <= CANCELLED * CANCELLED;
        set(normal, vertex, if cancels { FALLBACK } else { sum.normalize() });
    }
}

/// Outward unit normal of a triangle that is clockwise seen from outside; zero if it has no area.
fn unit_normal(position: &[&[f32]; 3], corners: &[u32; 3]) -> Vec3 {
    let [a, b, c] = corners.map(|corner| get(position, corner as usize));
    let (first, second) = (c - a, b - a);
    let normal = first.cross(second);
    if ORDINARY.contains(&normal.length_squared()) {
        return normal.normalize();
    }
    let normal = at_hand(first).0.cross(at_hand(second).0);
    unit(normal).unwrap_or(Vec3::ZERO)
}

fn get(arrays: &[impl Deref<Target = [f32]>; 3], vertex: usize) -> Vec3 {
    Vec3::new(arrays[0][vertex], arrays[1][vertex], arrays[2][vertex])
}

fn set(arrays: &mut [impl DerefMut<Target = [f32]>; 3], vertex: usize, value: Vec3) {
    for (array, value) in arrays.iter_mut().zip(value.to_array()) {
        array[vertex] = value;
    }
}

fn add(arrays: &mut [impl DerefMut<Target = [f32]>; 3], vertex: usize, value: Vec3) {
    for (array, value) in arrays.iter_mut().zip(value.to_array()) {
        array[vertex] += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::weld;

    fn normals(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<Vec3> {
        let mut surface = PosedSurface::default();
        surface.resize(points.len());
        for (i, point) in points.iter().enumerate() {
            set(&mut surface.position, i, Vec3::from_array(*point));
        }
        let weld = weld(&points.iter().copied().map(Vec3::from_array).collect::<Vec<_>>());
        compute(&mut surface, triangles, &weld);
        (0..points.len()).map(|i| get(&surface.normal, i)).collect()
    }

    #[test]
    fn small_and_large_triangles_have_normals_too() {
        let points = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.5], [1.0, 0.0, 0.0]];
        let expected = normals(&points, &[[0, 1, 2]]);
        assert!(expected[0].abs_diff_eq(Vec3::new(0.0, -1.0, 2.0).normalize(), 1e-6));
        for exponent in [-100, -40, -20, 20, 40, 100] {
            let size = libm::exp2(f64::from(exponent)) as f32;
            let found = normals(&points.map(|point| point.map(|x| x * size)), &[[0, 1, 2]]);
            assert_eq!(found, expected, "2^{exponent}");
        }
    }

    /// Every side of a cube has four vertices of its own, as texture seams make them.
    #[test]
    fn a_box_with_split_corners_has_diagonal_normals() {
        let mut points = Vec::new();
        let mut triangles = Vec::new();
        for axis in 0..3 {
            for side in [-1.0_f32, 1.0] {
                let base = points.len() as u32;
                for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                    let mut point = [0.0; 3];
                    point[axis] = side;
                    point[(axis + 1) % 3] = u;
                    point[(axis + 2) % 3] = v;
                    points.push(point);
                }
                let quad = if side > 0.0 { [0, 3, 2, 1] } else { [0, 1, 2, 3] };
                let [a, b, c, d] = quad.map(|corner: u32| base + corner);
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        // Doom 3 adds unit normals of triangles: a side counts twice where its diagonal ends.
        for (point, normal) in points.iter().zip(normals(&points, &triangles)) {
            for (p, n) in point.iter().zip(normal.to_array()) {
                let share = (n / normal.abs().min_element()).abs();
                assert!(p * n > 0.0, "{point:?}: {normal}");
                assert!((share - 1.0).abs() < 1e-5 || (share - 2.0).abs() < 1e-5, "{normal}");
            }
            assert!((normal.length() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_seam_in_a_flat_strip_does_not_show() {
        let points = [[0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let ridge = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
        let all = [points, ridge].concat();
        let normals = normals(&all, &[[0, 2, 1], [3, 4, 5]]);
        assert_eq!(normals[1], normals[3]);
        assert_eq!(normals[2], normals[4]);
        assert_ne!(normals[0], normals[1]);
        assert_eq!(normals[0], Vec3::X);
    }

    #[test]
    fn two_sides_of_a_cloth_keep_their_own_normals() {
        let side = [[0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let normals = normals(&[side, side].concat(), &[[0, 2, 1], [3, 4, 5]]);
        assert_eq!(normals[..3], [Vec3::X; 3]);
        assert_eq!(normals[3..], [-Vec3::X; 3]);
    }

    #[test]
    fn vertices_without_area_get_a_unit_vector() {
        assert_eq!(normals(&[[0.0; 3], [1.0; 3]], &[[0, 0, 1]]), [FALLBACK; 2]);
    }
}
