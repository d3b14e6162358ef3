//! Which pixels triangles cover: those whose centre lies inside, shared edges once.

use polyset::{
    Blend, Camera, Cull, Framebuffer, Instance, Look, Model, Renderer, SurfaceParts, View,
};
use proptest::prelude::*;

use crate::screen::{Painter, check, plain, unlit, vertex, view};

type Point = [f32; 2];

/// A triangle list on a picture of 8 x 8 pixels.
fn mesh(triangles: &[[Point; 3]]) -> SurfaceParts {
    let positions = triangles.iter().flatten().map(|&p| vertex(p, 1.0)).collect();
    let corners = |i: u32| [3 * i, 3 * i + 1, 3 * i + 2];
    plain(positions, (0..triangles.len() as u32).map(corners).collect())
}

/// The picture as text: a letter for each triangle, `!` where several overlap.
fn text(triangles: &[[Point; 3]]) -> String {
    let painter = Painter::new([8, 8]);
    let covering = painter.covering(&mesh(triangles), &view([8, 8], [0, 0]), Cull::Back);
    let letter = |list: &Vec<usize>| match list[..] {
        [] => '.',
        [one] => char::from(b'a' + one as u8),
        _ => '!',
    };
    let rows: Vec<String> =
        covering.chunks(8).map(|row| row.iter().map(letter).collect()).collect();
    rows.join("\n").trim_end_matches(['.', '\n']).to_owned()
}

#[test]
fn edges_through_pixel_centres_belong_to_one_side() {
    // The corners of a square and its middle, all on pixel centres.
    let [nw, ne, se, sw, middle] = [[0.5, 0.5], [4.5, 0.5], [4.5, 4.5], [0.5, 4.5], [2.5, 2.5]];
    let cases: [(&str, &[[Point; 3]], &str); 6] = [
        (
            "split from the upper left",
            &[[nw, ne, se], [nw, se, sw]],
            "aaaa....\nbaaa....\nbbaa....\nbbba",
        ),
        (
            "split from the upper right",
            &[[nw, ne, sw], [ne, se, sw]],
            "aaaa....\naaab....\naabb....\nabbb",
        ),
        (
            "four around a centre",
            &[[nw, ne, middle], [ne, se, middle], [se, sw, middle], [sw, nw, middle]],
            "aaaa....\ndaab....\nddbb....\ndccb",
        ),
        (
            "a right angle at the upper left",
            &[[[2.5, 1.5], [4.0, 1.5], [2.5, 3.0]]],
            "........\n..aa....\n..a",
        ),
        ("the other corners of one", &[[[1.0, 1.5], [2.5, 1.5], [1.0, 3.0]]], "........\n.a"),
        ("between the centres", &[[[1.6, 1.6], [2.4, 1.6], [1.6, 2.4]]], ""),
    ];
    for (name, triangles, expected) in cases {
        assert_eq!(text(triangles), expected, "{name}");
    }
}

#[test]
fn vertices_snap_to_the_nearest_256th() {
    // Left and top edges near the centres of column 2 and row 1, in 256ths of a pixel beside them.
    for (offset, covered) in [(-1.0, true), (0.0, true), (0.4, true), (0.6, false), (1.0, false)] {
        let at = |x: f32| x + offset / 256.0;
        let beside = text(&[[[at(2.5), 0.0], [6.0, 0.0], [at(2.5), 8.0]]]);
        assert_eq!(beside.starts_with("..a"), covered, "left edge, {offset}: {beside}");
        let below = text(&[[[0.0, at(1.5)], [8.0, at(1.5)], [0.0, 6.0]]]);
        let row = below.lines().nth(1).unwrap();
        assert_eq!(row.starts_with('a'), covered, "upper edge, {offset}: {below}");
    }
}

#[test]
fn clockwise_from_outside_is_the_front() {
    // In the plane of Y (left) and Z (up), facing +X.
    let part = plain(vec![[0.0; 3], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]);
    let model = Model::from_parts(vec![part]).unwrap();
    let painter = Painter::new([64, 64]);
    let drawn = |x: f32, cull| {
        let camera = Camera::placed([x, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]);
        painter.draw(&model, &View::new(camera), &Look { cull, ..unlit() }).drawn()
    };
    for (cull, ahead, behind) in
        [(Cull::Back, true, false), (Cull::Front, false, true), (Cull::None, true, true)]
    {
        assert_eq!([drawn(5.0, cull) > 100, drawn(-5.0, cull) > 100], [ahead, behind], "{cull:?}");
    }
}

/// A convex polygon, clockwise on the screen, no three corners on a line; in 1/256 pixel.
fn convex_polygon() -> impl Strategy<Value = Vec<[i64; 2]>> {
    let scale = prop::sample::select(vec![3, 20, 89, 300, 8000]);
    let corner = [-1000i64..1001, -1000..1001];
    let points = prop::collection::vec(corner, 3..12);
    (points, scale, [-20i64..84, -20..84]).prop_map(|(points, scale, middle)| {
        let place = |p: [i64; 2]| [0, 1].map(|i| middle[i] * 256 + p[i] * scale * 256 / 1000);
        hull(points.into_iter().map(place).collect())
    })
}

fn cross(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The convex hull by Andrew's monotone chain.
fn hull(mut points: Vec<[i64; 2]>) -> Vec<[i64; 2]> {
    points.sort_unstable();
    points.dedup();
    let mut chain: Vec<[i64; 2]> = Vec::new();
    let back: Vec<_> = points.iter().rev().copied().collect();
    for half in [points, back] {
        let start = chain.len();
        for point in half {
            while chain.len() >= start + 2
                && cross(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
    }
    chain
}

/// A centre stands for the point beside it, so little to the right and even less down that no
/// other centre would do the same: then no point lies on an edge.
fn is_inside(polygon: &[[i64; 2]], x: i64, y: i64) -> bool {
    let centre = [256 * x + 128, 256 * y + 128];
    (0..polygon.len()).all(|i| {
        let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        (cross(a, b, centre), a[1] - b[1], b[0] - a[0]) > (0, 0, 0)
    })
}

/// Ways to cut a polygon of `n` corners into triangles: a fan from every corner, a strip, and the
/// strip that begins at the other end.
fn cuts(n: u32) -> Vec<Vec<[u32; 3]>> {
    let fan = |first: u32| {
        (1..n - 1).map(move |k| [first, (first + k) % n, (first + k + 1) % n]).collect::<Vec<_>>()
    };
    let strip = |from_end: bool| {
        let (mut low, mut high, mut turn, mut triangles) = (0, n - 1, from_end, Vec::new());
        while high - low >= 2 {
            triangles.push(if turn { [low, high - 1, high] } else { [low, low + 1, high] });
            (low, high, turn) = if turn { (low, high - 1, false) } else { (low + 1, high, true) };
        }
        triangles
    };
    (0..n).map(fan).chain([strip(false), strip(true)]).collect()
}

#[test]
fn a_polygon_covers_the_same_pixels_however_it_is_cut() {
    let painter = Painter::new([64, 64]);
    check(64, &convex_polygon(), 20_000, |polygon| {
        if polygon.len() < 3 {
            return 0;
        }
        let place = |p: &[i64; 2]| vertex(p.map(|x| x as f32 / 256.0), 1.0);
        let positions: Vec<_> = polygon.iter().map(place).collect();
        let expected: Vec<usize> =
            (0..64 * 64).map(|i| usize::from(is_inside(&polygon, i % 64, i / 64))).collect();
        for triangles in cuts(polygon.len() as u32) {
            let mesh = plain(positions.clone(), triangles);
            let found = painter.counts(&mesh, &view([64, 64], [0, 0]), Cull::Back);
            assert_eq!(found, expected, "{:?}", mesh.triangles);
        }
        expected.iter().sum()
    });
}

/// A globe whose vertices lie at `radii` (as many as needed, over and over) from the middle.
fn globe(rings: u32, segments: u32, radii: &[f32]) -> SurfaceParts {
    let mut positions = Vec::new();
    for ring in 0..=rings {
        let theta = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
        let around = if ring == 0 || ring == rings { 1 } else { segments };
        for segment in 0..around {
            let phi = std::f64::consts::TAU * f64::from(segment) / f64::from(around);
            let (sine, cosine) = libm::sincos(theta);
            let direction = [sine * libm::cos(phi), sine * libm::sin(phi), cosine];
            let radius = radii[positions.len() % radii.len()];
            positions.push(direction.map(|x| x as f32 * radius));
        }
    }
    let place = |ring: u32, segment: u32| match ring {
        0 => 0,
        _ if ring == rings => 1 + (rings - 1) * segments,
        _ => 1 + (ring - 1) * segments + segment % segments,
    };
    let quads = (0..rings).flat_map(|ring| (0..segments).map(move |segment| (ring, segment)));
    let triangles = quads.flat_map(|(ring, segment)| {
        let [a, b] = [place(ring, segment), place(ring, segment + 1)];
        let [c, d] = [place(ring + 1, segment), place(ring + 1, segment + 1)];
        [[a, b, c], [b, d, c]]
    });
    let triangles = triangles.filter(|[a, b, c]| a != b && b != c && a != c).collect();
    plain(positions, triangles)
}

fn eye() -> impl Strategy<Value = View> {
    (-180f32..180.0, -80f32..80.0, 2.5f32..6.0, 20f32..70.0).prop_map(
        |(azimuth, elevation, distance, view_angle)| {
            let camera = Camera::placed([distance, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]);
            let camera = camera.azimuth(azimuth).elevation(elevation).view_angle(view_angle);
            View::new(camera.near(Some(0.1)).far(Some(20.0)))
        },
    )
}

#[test]
fn a_closed_mesh_has_as_many_fronts_as_backs_at_every_pixel() {
    let painter = Painter::new([64, 64]);
    let radii = prop::collection::vec(0.2f32..1.0, 1..40);
    check(16, &(3u32..7, 3u32..10, radii, eye()), 5_000, |(rings, segments, radii, view)| {
        let mesh = globe(rings, segments, &radii);
        let fronts = painter.counts(&mesh, &view, Cull::Back);
        assert_eq!(fronts, painter.counts(&mesh, &view, Cull::Front));
        fronts.iter().filter(|&&count| count > 0).count()
    });
}

#[test]
fn a_convex_mesh_is_covered_exactly_once_inside() {
    let painter = Painter::new([64, 64]);
    check(16, &(3u32..8, 4u32..12, eye()), 5_000, |(rings, segments, view)| {
        let counts = painter.counts(&globe(rings, segments, &[1.0]), &view, Cull::Back);
        // At the silhouette, faces seen from the side may turn over when their corners snap.
        let inside = |x: usize, y: usize| {
            let around = (y - 1..=y + 1).flat_map(|y| (x - 1..=x + 1).map(move |x| (x, y)));
            around.into_iter().all(|(x, y)| counts[y * 64 + x] > 0)
        };
        let places = (1..63).flat_map(|y| (1..63).map(move |x| (x, y)));
        let inner: Vec<_> = places.filter(|&(x, y)| inside(x, y)).collect();
        for &(x, y) in &inner {
            assert_eq!(counts[y * 64 + x], 1, "at column {x}, row {y}");
        }
        inner.len()
    });
}

#[test]
fn the_largest_picture_is_covered_by_two_triangles() {
    let size = [16384, 24];
    let parts = plain(
        [[0.0, 0.0], [16384.0, 0.0], [16384.0, 24.0], [0.0, 24.0]].map(|p| vertex(p, 1.0)).into(),
        vec![[0, 1, 3], [1, 2, 3]],
    );
    let model = Model::from_parts(vec![parts]).unwrap();
    let mut frame = Framebuffer::new(size[0], size[1]).unwrap();
    // 24 is no power of two: only the width has to be exact.
    let pose = model.pose_blend(Blend::frame(0));
    let instance = Instance::new(&model, &pose).look(unlit());
    Renderer::new().draw(&view(size, [0, 0]), &[instance], &mut frame).unwrap();
    assert!(frame.rows().flatten().all(|&pixel| pixel >> 24 == 255));
}
