//! Fills listed spans: depth test, shading and colour of eight or sixteen pixels at once, from each
//! span's own left end.

use std::ops::Range;

use fearless_simd::{Simd, f32x8, f32x16, prelude::*, u32x8, u32x16};

use super::super::bins::Band;
use super::plain::{eight, sixteen};
use super::span::{CAPACITY, List};
use super::{Surface, has_sixteen, shade};

/// Columns from the first pixel of a block.
const RAMP: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
const LONG_RAMP: [f32; 16] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0];

/// Fills short spans: two at a time, eight pixels of each, where sixteen lanes are one vector. The
/// first of a pair has an even number and both belong to one triangle.
#[inline(always)]
pub(super) fn short<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    let Some(plain) = surface.plain.as_ref().filter(|_| has_sixteen(simd)) else {
        return each::<S, GATHER, false>(simd, surface, list, spans, band);
    };
    let ramp = twice(simd, &RAMP);
    let mut i = spans.start;
    while i < spans.end {
        let at = i.min(CAPACITY - 2);
        i += 2;
        let lane = list.lane[at] as usize & 7;
        let [first, second, third, step] = &list.planes[lane];
        let (first, second) = (twice(simd, first), twice(simd, second));
        let third = twice(simd, third);
        let b = two(simd, list.weights[0][at], list.weights[0][at + 1]);
        let c = two(simd, list.weights[1][at], list.weights[1][at + 1]);
        let start: [f32; 16] = ((first + second * b) + third * c).into();
        let skipped = two(simd, list.skipped[at], list.skipped[at + 1]);
        let mut left = [list.count[at], list.count[at + 1]];
        let end = skipped + two(simd, left[0] as f32, left[1] as f32);
        let mut x = ramp + skipped;
        let mut places = [list.place[at] as usize, list.place[at + 1] as usize];
        loop {
            let z = x * step[0] + two(simd, start[0], start[8]);
            // Rows are padded: eight pixels from any pixel of a row on are inside.
            let (Some(depth0), Some(depth1)) = (
                band.depth.get(places[0]..places[0] + 8),
                band.depth.get(places[1]..places[1] + 8),
            ) else {
                break;
            };
            let old = f32x8::from_slice(simd, depth0).combine(f32x8::from_slice(simd, depth1));
            let pass = z.simd_lt(old) & x.simd_lt(end);
            if pass.any_true() {
                list.seen |= 1 << lane;
                let iw = x * step[1] + two(simd, start[1], start[9]);
                let a = x * step[2] + two(simd, start[2], start[10]);
                let b = x * step[3] + two(simd, start[3], start[11]);
                let c = x * step[4] + two(simd, start[4], start[12]);
                let lit = sixteen::plain(simd, plain, [iw, a, b, c], &mut list.memory);
                let (low, high) = pass.select(z, old).split();
                // The second span may be an empty one at the band's first pixel.
                high.store_slice(&mut band.depth[places[1]..places[1] + 8]);
                low.store_slice(&mut band.depth[places[0]..places[0] + 8]);
                let under = u32x8::from_slice(simd, &band.color[places[0]..places[0] + 8])
                    .combine(u32x8::from_slice(simd, &band.color[places[1]..places[1] + 8]));
                let (low, high) = pass.select(lit, under).split();
                high.store_slice(&mut band.color[places[1]..places[1] + 8]);
                low.store_slice(&mut band.color[places[0]..places[0] + 8]);
            }
            if left[0].max(left[1]) <= 8 {
                break;
            }
            // A span that has ended stays where it is and writes back what is there.
            for k in 0..2 {
                places[k] += if left[k] > 8 { 8 } else { 0 };
                left[k] -= 8;
            }
            x += 8.0;
        }
    }
}

/// A value for the first eight lanes and one for the others.
#[inline(always)]
fn two<S: Simd>(simd: S, a: f32, b: f32) -> f32x16<S> {
    f32x8::splat(simd, a).combine(f32x8::splat(simd, b))
}

/// The same eight values in both halves.
#[inline(always)]
fn twice<S: Simd>(simd: S, v: &[f32; 8]) -> f32x16<S> {
    let v = f32x8::load_array_ref(simd, v);
    v.combine(v)
}

/// Fills one span after the other, eight pixels at once; if some are `LONG`, sixteen at once of those
/// where sixteen lanes are one vector.
#[inline(always)]
pub(super) fn each<S: Simd, const GATHER: bool, const LONG: bool>(
    simd: S,
    surface: &Surface<'_>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    let ramp = f32x8::load_array_ref(simd, &RAMP);
    for i in spans {
        let i = i.min(CAPACITY - 1);
        let lane = list.lane[i] as usize & 7;
        let [first, second, third, step] = &list.planes[lane];
        let start = (f32x8::load_array_ref(simd, first)
            + f32x8::load_array_ref(simd, second) * list.weights[0][i])
            + f32x8::load_array_ref(simd, third) * list.weights[1][i];
        let start: [f32; 8] = start.into();
        let place = list.place[i] as usize;
        let mut colors = &mut band.color[place..];
        let mut depths = &mut band.depth[place..];
        let skipped = list.skipped[i];
        let mut left = list.count[i];
        if left <= 0 {
            continue;
        }
        let end = skipped + left as f32;
        if LONG
            && has_sixteen(simd)
            && let Some(plain) = &surface.plain
            && left >= 16
        {
            let long = left as usize & !15;
            let (Some((long_colors, more_colors)), Some((long_depths, more_depths))) =
                (colors.split_at_mut_checked(long), depths.split_at_mut_checked(long))
            else {
                continue;
            };
            (colors, depths) = (more_colors, more_depths);
            let blocks = long_colors.as_chunks_mut::<16>().0.iter_mut();
            let mut x = f32x16::load_array_ref(simd, &LONG_RAMP) + skipped;
            for (color, depth) in blocks.zip(long_depths.as_chunks_mut::<16>().0) {
                let z = x * step[0] + start[0];
                let old = f32x16::load_array_ref(simd, depth);
                let pass = z.simd_lt(old);
                if pass.any_true() {
                    list.seen |= 1 << lane;
                    let iw = x * step[1] + start[1];
                    let a = x * step[2] + start[2];
                    let b = x * step[3] + start[3];
                    let c = x * step[4] + start[4];
                    let lit = sixteen::plain(simd, plain, [iw, a, b, c], &mut list.memory);
                    pass.select(z, old).store_array(depth);
                    let under = u32x16::load_array_ref(simd, color);
                    pass.select(lit, under).store_array(color);
                }
                x += 16.0;
            }
            left &= 15;
            if left == 0 {
                continue;
            }
        }
        let mut x = ramp + (end - left as f32);
        // Rows are padded: eight pixels from any pixel of a row on are inside.
        while let (Some((color8, more_colors)), Some((depth8, more_depths))) =
            (colors.split_first_chunk_mut::<8>(), depths.split_first_chunk_mut::<8>())
        {
            let z = x * step[0] + start[0];
            let old = f32x8::load_array_ref(simd, depth8);
            let pass = z.simd_lt(old) & x.simd_lt(end);
            if pass.any_true() {
                list.seen |= 1 << lane;
                let iw = x * step[1] + start[1];
                let a = x * step[2] + start[2];
                let b = x * step[3] + start[3];
                let c = x * step[4] + start[4];
                if let Some(plain) = &surface.plain {
                    let color = eight::plain(simd, plain, [iw, a, b, c], &mut list.memory);
                    pass.select(z, old).store_array(depth8);
                    let under = u32x8::load_array_ref(simd, color8);
                    pass.select(color, under).store_array(color8);
                } else if shade::is_fast(&surface.shading) {
                    let (color, solid) = shade::eight(simd, &surface.shading, [iw, a, b, c]);
                    let pass = pass & solid;
                    pass.select(z, old).store_array(depth8);
                    let under = u32x8::load_array_ref(simd, color8);
                    pass.select(color, under).store_array(color8);
                } else {
                    let lanes = shade::Lanes::new([z, iw, a, b, c]);
                    let gradients = &list.gradients[lane];
                    lanes.draw(pass.to_bitmask(), &surface.shading, gradients, depth8, color8);
                }
            }
            left -= 8;
            if left <= 0 {
                break;
            }
            (colors, depths) = (more_colors, more_depths);
            x += 8.0;
        }
    }
}
