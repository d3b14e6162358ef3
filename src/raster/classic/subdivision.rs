//! Quake's way to draw models far away: points, and points halfway between points.

use super::camera::Camera;
use super::fill::Fill;
use super::vertex::Vertex;

/// Whether a model is far enough away. `nearest` is the whole units to the nearest corner of its box,
/// `size` the header's mean triangle size.
pub(super) fn is_far(camera: &Camera, size: f32, nearest: i32) -> bool {
    let [width, height] = camera.size;
    let pixels = f64::from(width.wrapping_mul(height)) / (320.0 * 152.0);
    let resolution = (pixels.sqrt() * (2.0 / f64::from(camera.horizontal_term))) as f32;
    let size = (f64::from(size) * (1.0 / 11.0)) as f32;
    nearest as f32 > 200.0 * resolution + size * (100.0 * resolution)
}

/// Draws the inside of a front triangle: every edge longer than a pixel is halved, and the middle is
/// drawn unless the triangle on the other side of the edge draws it. The light is the first
/// corner's row all over.
pub(super) fn draw(corners: [&Vertex; 3], size: [i32; 2], fill: &mut dyn Fill) {
    let row = corners[0].light & 0xff00;
    let lit = corners.map(|corner| Vertex { light: row, ..*corner });
    // Corners so far outside can only come from a file whose box does not hold its vertices.
    let is_sane = |vertex: &Vertex| [vertex.u, vertex.v].iter().all(|x| x.unsigned_abs() < 1 << 20);
    if lit.iter().all(is_sane) {
        halve(lit, size, fill);
    }
}

fn halve([a, b, c]: [Vertex; 3], size: [i32; 2], fill: &mut dyn Fill) {
    let is_long = |p: &Vertex, q: &Vertex| (p.u - q.u).abs() > 1 || (p.v - q.v).abs() > 1;
    let (p, q, r) = if is_long(&a, &b) {
        (a, b, c)
    } else if is_long(&b, &c) {
        (b, c, a)
    } else if is_long(&c, &a) {
        (c, a, b)
    } else {
        return;
    };
    if misses_the_picture([&p, &q, &r], size) {
        return;
    }
    let half = |x: i32, y: i32| x.wrapping_add(y) >> 1;
    let middle = Vertex {
        u: half(p.u, q.u),
        v: half(p.v, q.v),
        s: half(p.s, q.s),
        t: half(p.t, q.t),
        zi: half(p.zi, q.zi),
        ..p
    };
    if q.v < p.v || (q.v == p.v && q.u >= p.u) {
        fill.point(&middle);
    }
    halve([r, p, middle], size, fill);
    halve([r, middle, q], size, fill);
}

/// Halving never leaves the box of the corners.
fn misses_the_picture(corners: [&Vertex; 3], [width, height]: [i32; 2]) -> bool {
    corners.iter().all(|c| c.u < 0)
        || corners.iter().all(|c| c.v < 0)
        || corners.iter().all(|c| c.u >= width)
        || corners.iter().all(|c| c.v >= height)
}
