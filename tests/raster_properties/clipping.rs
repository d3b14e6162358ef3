//! Triangles that reach behind the eye or far outside the picture leave no cracks.

use polyset::{Camera, Cull, SurfaceParts, View};
use proptest::prelude::*;

use crate::screen::{Painter, check, plain, vertex, view};

/// A closed box whose sides are grids of quads, split along either diagonal.
fn grid_box(half: [f32; 3], cells: usize, diagonals: u64) -> SurfaceParts {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for side in 0..6 {
        let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
        // The two directions along the side, such that the quads are clockwise from outside.
        let [across, down] = if side % 2 == 0 {
            [(axis + 2) % 3, (axis + 1) % 3]
        } else {
            [(axis + 1) % 3, (axis + 2) % 3]
        };
        let base = positions.len();
        let along = |i: usize| 2.0 * i as f32 / cells as f32 - 1.0;
        for row in 0..=cells {
            for column in 0..=cells {
                let mut p = [0.0; 3];
                p[axis] = sign * half[axis];
                p[across] = along(column) * half[across];
                p[down] = along(row) * half[down];
                positions.push(p);
            }
        }
        for row in 0..cells {
            for column in 0..cells {
                let a = base + row * (cells + 1) + column;
                let [a, b, c, d] = [a, a + 1, a + cells + 2, a + cells + 1].map(|i| i as u32);
                let bit = diagonals >> (triangles.len() / 2 % 64) & 1;
                triangles.extend(if bit == 0 {
                    [[a, b, c], [a, c, d]]
                } else {
                    [[a, b, d], [b, c, d]]
                });
            }
        }
    }
    plain(positions, triangles)
}

#[test]
fn a_box_around_the_eye_covers_every_pixel_once() {
    let painter = Painter::new([64, 64]);
    let shape = ([1f32..5.0, 1f32..5.0, 1f32..5.0], 1usize..4, any::<u64>());
    let eye = ([-0.8f32..0.8, -0.8f32..0.8, -0.8f32..0.8], -180f32..180.0, -85f32..85.0);
    let near = prop::sample::select(vec![0.0005f32, 0.01, 0.05]);
    let strategy = (shape, eye, near, 20f32..120.0);
    check(32, &strategy, 32 * 64 * 64, |(shape, eye, near, view_angle)| {
        let ((half, cells, diagonals), (place, azimuth, elevation)) = (shape, eye);
        let mesh = grid_box(half, cells, diagonals);
        let eye: [f32; 3] = std::array::from_fn(|i| place[i] * half[i]);
        let (sin, cos) = libm::sincos(f64::from(azimuth).to_radians());
        let (up, flat) = libm::sincos(f64::from(elevation).to_radians());
        let direction = [flat * cos, flat * sin, up].map(|x| x as f32);
        let focal = std::array::from_fn(|i| eye[i] + direction[i]);
        let camera = Camera::placed(eye, focal, [0.0, 0.0, 1.0]);
        let view = View::new(camera.view_angle(view_angle).near(Some(near)).far(Some(100.0)));
        let counts = painter.counts(&mesh, &view, Cull::None);
        assert!(counts.iter().all(|&count| count == 1), "{counts:?}");
        // From inside all of them are backs.
        assert_eq!(painter.counts(&mesh, &view, Cull::Front), counts);
        counts.len()
    });
}

#[test]
fn a_quad_far_beyond_the_guard_band_covers_every_pixel_once() {
    let painter = Painter::new([64, 64]);
    // Both diagonals go through a point of the picture.
    let point = [0f64..64.0, 0f64..64.0];
    let arms = prop::array::uniform4(1e4f64..1e7);
    check(64, &(point, arms, 0f64..360.0), 64 * 64 * 64, |(point, arms, angle)| {
        let (sin, cos) = libm::sincos(angle.to_radians());
        let directions = [[-cos, -sin], [sin, -cos], [cos, sin], [-sin, cos]];
        let positions: Vec<_> = directions
            .into_iter()
            .zip(arms)
            .map(|(d, arm)| vertex([0, 1].map(|i| (point[i] + d[i] * arm) as f32), 1.0))
            .collect();
        for triangles in [vec![[0, 1, 2], [0, 2, 3]], vec![[0, 1, 3], [1, 2, 3]]] {
            let mesh = plain(positions.clone(), triangles);
            let counts = painter.counts(&mesh, &view([64, 64], [0, 0]), Cull::Back);
            assert!(counts.iter().all(|&count| count == 1), "{counts:?}");
        }
        64 * 64
    });
}

#[test]
fn what_lies_beyond_near_and_far_is_not_drawn() {
    let painter = Painter::new([64, 64]);
    // A floor below the eye, from behind it to beyond the far plane.
    let floor = plain(
        vec![[-50.0, 50.0, -1.0], [50.0, 50.0, -1.0], [50.0, -50.0, -1.0], [-50.0, -50.0, -1.0]],
        vec![[0, 1, 2], [0, 2, 3]],
    );
    let camera = Camera::placed([0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let view = View::new(camera.view_angle(90.0).near(Some(2.0)).far(Some(8.0)));
    let counts = painter.counts(&floor, &view, Cull::None);
    // At a distance d the floor stands 32 / d rows below the middle: rows 32 + 4 to 32 + 16.
    for (row, counts) in counts.chunks(64).enumerate() {
        let expected = usize::from((36..48).contains(&row));
        assert!(counts.iter().all(|&count| count == expected), "row {row}: {counts:?}");
    }
}
