//! The plain kernel: one triangle, one pixel at a time. It is the definition that the fast kernels
//! are held to, bit by bit.

use super::bins::Band;
use super::setup::{Class, Planes, Triangle, Weights};
use super::shade::{Gradients, Shading};

/// Draws the pixels of one triangle that lie in the band.
pub(crate) fn draw(
    triangle: &Triangle,
    planes: &Planes,
    shading: &Shading<'_>,
    band: &mut Band<'_>,
) {
    let weights = Weights::new(triangle);
    let gradients = planes.gradients(&weights);
    let corner = weights.at(triangle.second_and_third(triangle.x[0], triangle.y[0]));
    for y in triangle.y[0].max(band.rows.start)..=triangle.y[1].min(band.rows.end - 1) {
        let is_covered = |x: &i32| triangle.edges.iter().all(|edge| edge.covers(edge.at(*x, y)));
        let Some(left) = (triangle.x[0]..=triangle.x[1]).find(is_covered) else { continue };
        let start = planes.at(weights.at(triangle.second_and_third(left, y)));
        for x in left..=triangle.x[1].min(band.width - 1) {
            if !is_covered(&x) {
                break;
            }
            if x < 0 {
                continue;
            }
            let at = if triangle.class == Class::Tiny {
                let (column, row) = ((x - triangle.x[0]) as f32, (y - triangle.y[0]) as f32);
                planes.at([0, 1]
                    .map(|i| (corner[i] + weights.step_x[i] * column) + weights.step_y[i] * row))
            } else {
                let steps = (x - left) as f32;
                std::array::from_fn(|i| gradients.x[i] * steps + start[i])
            };
            pixel(x, y, at, shading, &gradients, band);
        }
    }
}

fn pixel(
    x: i32,
    y: i32,
    at: [f32; super::shade::ATTRIBUTES],
    shading: &Shading<'_>,
    gradients: &Gradients,
    band: &mut Band<'_>,
) {
    let place = band.place(x, y);
    if at[0] < band.depth[place]
        && let Some(color) = shading.pixel(at, gradients)
    {
        band.depth[place] = at[0];
        band.color[place] = color;
    }
}
