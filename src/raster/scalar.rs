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

/// Averages `S` x `S` samples over each pixel of a row.
pub(crate) fn average<const S: usize>(lines: &[&[[u32; S]]; S], row: &mut [u32]) {
    for (x, pixel) in row.iter_mut().enumerate() {
        *pixel = mean_over(lines, x, *pixel);
    }
}

/// The mean of the true colours of `S` x `S` samples, drawn ones with an alpha of 255 over the background, the others
/// 0. `lines` has the samples of every pixel.
#[inline]
pub(crate) fn mean_over<const S: usize>(
    lines: &[&[[u32; S]]; S],
    x: usize,
    background: u32,
) -> u32 {
    const EVEN: u32 = 0x00ff_00ff;
    // Red and blue, green and alpha: the sums of 16 bytes fit into 16 bits.
    let (mut red_blue, mut green_alpha) = (0, 0);
    for sample in lines.iter().flat_map(|line| line[x]) {
        red_blue += sample & EVEN;
        green_alpha += sample >> 8 & EVEN;
    }
    let block = (S * S) as u32;
    if green_alpha >> 16 == 255 * block {
        let rounded = |sum: u32| (sum + block / 2) / block;
        let mean = |sums: u32| rounded(sums & 0xffff) | rounded(sums >> 16) << 16;
        mean(red_blue) | mean(green_alpha) << 8
    } else if green_alpha > 0 {
        let sums = [red_blue & 0xffff, green_alpha & 0xffff, red_blue >> 16];
        over(sums, (green_alpha >> 16) / 255, block, background)
    } else {
        background
    }
}

/// The sums of `count` drawn samples of a block over `background`, weighted by alpha.
fn over(sums: [u32; 3], count: u32, block: u32, background: u32) -> u32 {
    let rest = block - count;
    let [r, g, b, a] = background.to_le_bytes().map(u32::from);
    let alpha = 255 * count + a * rest;
    let channel = |sum: u32, back: u32| (sum * 255 + back * a * rest + alpha / 2) / alpha;
    let bytes = [
        channel(sums[0], r),
        channel(sums[1], g),
        channel(sums[2], b),
        (alpha + block / 2) / block,
    ];
    u32::from_le_bytes(bytes.map(|byte| byte as u8))
}
