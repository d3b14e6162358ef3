//! The scalar twin of the kernels: one triangle, one pixel at a time. It is the definition that the
//! fast kernels are held to, bit by bit.

use super::bands::Band;
use super::setup::{self, Class, Planes, Triangle, Weights};
use super::shade::{ATTRIBUTES, Shading};
use super::surface::Surface;

/// Draws the triangles of a surface, in order.
pub(crate) fn draw(surface: &Surface<'_>, band: &mut Band<'_>) {
    let records = surface.attributes.as_chunks::<ATTRIBUTES>().0;
    for corners in surface.triangles {
        let corners = corners.map(|corner| surface.slot(corner));
        let ordered = setup::drawing_order(surface.xy, corners, surface.cull);
        let Some(corners) = ordered else { continue };
        if let Some(triangle) = Triangle::new(corners.map(|corner| surface.xy[corner])) {
            let planes = Planes::new(corners.map(|corner| records[corner]));
            draw_triangle(&triangle, &planes, &surface.shading, band);
        }
    }
}

/// Draws the pixels of one triangle that lie in the band.
fn draw_triangle(triangle: &Triangle, planes: &Planes, shading: &Shading<'_>, band: &mut Band<'_>) {
    let weights = Weights::new(triangle);
    let gradients = planes.gradients(&weights);
    let corner = weights.at(triangle.second_and_third(triangle.x[0], triangle.y[0]));
    for y in triangle.y[0].max(band.rows.start)..=triangle.y[1].min(band.rows.end - 1) {
        let [left, right] = triangle.span(y);
        if left > right {
            continue;
        }
        // The span's own left end, even where it lies outside of the picture.
        let start = planes.at(weights.at(triangle.second_and_third(left, y)));
        for x in left.max(0)..=right.min(band.width - 1) {
            let at = if triangle.class == Class::Tiny {
                let (column, row) = ((x - triangle.x[0]) as f32, (y - triangle.y[0]) as f32);
                planes.at([0, 1]
                    .map(|i| (corner[i] + weights.step_x[i] * column) + weights.step_y[i] * row))
            } else {
                let steps = (x - left) as f32;
                std::array::from_fn(|i| gradients.x[i] * steps + start[i])
            };
            let place = band.place(x, y);
            shading.draw(at, &gradients, &mut band.depth[place], &mut band.color[place]);
        }
    }
}
