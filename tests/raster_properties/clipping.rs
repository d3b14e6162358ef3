//! Triangles that reach behind the eye or far outside the picture leave no cracks.

use polyset::{Camera, Cull, Draw, Look, Model, SurfaceParts, View};
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

/// A triangle with corners at points of the picture, as its lines show, of which some are behind the
/// eye, where w is negative.
fn cut_triangle(points: [[f32; 2]; 3], w: [f32; 3]) -> SurfaceParts {
    let corners = [0, 1, 2].map(|i| vertex(points[i], w[i]));
    let normals = vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -0.6, 0.8]];
    SurfaceParts { normals, ..plain(corners.into(), vec![[0, 1, 2]]) }
}

/// Points of the picture and far beyond, and distances on both sides of the eye.
fn cut_triangles() -> impl Strategy<Value = ([[f32; 2]; 3], [f32; 3])> {
    let near = prop::array::uniform2(-8f32..72.0);
    let far = prop::array::uniform2(-3e5f32..3e5);
    let point = prop_oneof![4 => near, 1 => far];
    let w = prop_oneof![-4f32..-0.3, 0.3f32..4.0];
    (prop::array::uniform3(point), prop::array::uniform3(w))
}

/// Whether the near plane or the guard band cut something off and leave something.
fn is_cut(points: [[f32; 2]; 3], w: [f32; 3]) -> bool {
    let is_far = points.as_flattened().iter().any(|x| x.abs() > 16384.0);
    let behind = w.iter().filter(|&&w| w < 0.0).count();
    behind < 3 && (behind > 0 || is_far)
}

#[test]
fn a_triangle_that_is_cut_has_one_light() {
    let painter = Painter::new([64, 64]);
    let look = Look { draw: Draw::Flat, cull: Cull::None, ..Look::default() };
    let draw = |part| {
        painter.draw(&Model::from_parts(vec![part]).unwrap(), &view([64, 64], [0, 0]), &look)
    };
    let whole = draw(cut_triangle([[0.0, 0.0], [64.0, 0.0], [0.0, 64.0]], [1.0, 1.0, 1.0]));
    let light = whole.pixels[0];
    assert_ne!(light, 0, "nothing is drawn");
    check(64, &cut_triangles(), 10_000, |(points, w)| {
        if !is_cut(points, w) {
            return 0;
        }
        let picture = draw(cut_triangle(points, w));
        for (i, &pixel) in picture.pixels.iter().enumerate().filter(|(_, pixel)| **pixel != 0) {
            assert_eq!(pixel, light, "column {}, row {}", i % 64, i / 64);
        }
        picture.drawn()
    });
}

#[test]
fn wires_of_a_triangle_that_is_cut_are_its_own_edges() {
    let painter = Painter::new([64, 64]);
    let draw = |part, draw| {
        let look = Look { draw, cull: Cull::None, ..Look::default() };
        painter.draw(&Model::from_parts(vec![part]).unwrap(), &view([64, 64], [0, 0]), &look)
    };
    check(256, &cut_triangles(), 20_000, |(points, w)| {
        // A corner behind the eye is on the line that its edge shows, too.
        let lines = [0, 1, 2].map(|i| {
            let [p, q] = [points[i], points[(i + 1) % 3]].map(|p| p.map(f64::from));
            let [dx, dy] = [q[0] - p[0], q[1] - p[1]];
            let length = (dx * dx + dy * dy).sqrt();
            (p, [dx / length, dy / length], length)
        });
        if !is_cut(points, w) || lines.iter().any(|line| line.2 < 4.0) {
            return 0;
        }
        let part = cut_triangle(points, w);
        let [filled, wire] = [Draw::Flat, Draw::Wire].map(|how| draw(part.clone(), how));
        let mut seen = 0;
        for i in (0..64 * 64).filter(|&i| filled.pixels[i] != 0) {
            let [x, y] = [i % 64, i / 64].map(|at| at as f64 + 0.5);
            let far = |(p, d, _): ([f64; 2], [f64; 2], f64)| {
                (d[0] * (y - p[1]) - d[1] * (x - p[0])).abs()
            };
            let far = lines.map(far).into_iter().fold(f64::INFINITY, f64::min);
            // What the places of corners are rounded by.
            if (far - 1.0).abs() > 0.05 {
                assert_eq!(wire.pixels[i] != 0, far < 1.0, "column {x}, row {y}: {far} pixels");
                seen += 1;
            }
        }
        seen
    });
}
