//! Fills spans by sixteen pixels: eight of each of two spans, or four of each of four; see `fill.rs`.

use std::ops::Range;

use fearless_simd::{f32x4, f32x8, f32x16, i32x16, mask32x16, prelude::*, u32x16};
use prefetch_index::prefetch_index;

use super::super::bands::Band;
use super::super::shade::FastPath;
use super::super::surface::Surface;
use super::deferred_blocks::sixteen as deferred_blocks;
use super::fast_path::sixteen::{modulated, numbers, small_texels};
use super::fetch::Memory;
use super::list::{List, PIXELS_AHEAD};
use super::places::{depth_and_color, load_sixteen, store_four, store_sixteen, store_two};
use super::plain_blocks::{Plain, Triangle, triangle};
use super::spread::{RAMP, four, twice, two};
use super::vectors::Vectors;
use super::{depth_test, shade};

const QUAD_RAMP: [f32; 16] =
    [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0];

/// Two spans at a time, eight pixels of each.
#[inline(always)]
pub(super) fn pairs<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    path: Option<&FastPath<'_>>,
    plain: Option<&Plain<'_>>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    let (depth, color) = depth_and_color(band);
    let mut waiting = list.deferred.length;
    let ramp = twice(simd, &RAMP);
    let mut i = spans.start;
    while i < spans.end {
        let ((s0, lane), (s1, _)) = (list.span(i), list.span(i + 1));
        if plain.is_none() {
            list.prefetch_ahead(i, 2, 8, color);
        }
        i += 2;
        let [first, second, third, step] = &list.planes[lane];
        let (first, second) = (twice(simd, first), twice(simd, second));
        let third = twice(simd, third);
        let b = two(simd, list.weights[0][s0], list.weights[0][s1]);
        let c = two(simd, list.weights[1][s0], list.weights[1][s1]);
        let start: [f32; 16] = ((first + second * b) + third * c).into();
        let mut x = ramp + two(simd, list.skipped[s0], list.skipped[s1]);
        let end = two(simd, list.end[s0], list.end[s1]);
        let mut left = [list.count[s0], list.count[s1]];
        let mut firsts = [list.place[s0], list.place[s1]];
        loop {
            let places = [firsts[0] as usize, firsts[1] as usize];
            let z = x * step[0] + two(simd, start[0], start[8]);
            // Rows are padded: eight pixels from any pixel of a row on are inside.
            let (Some(depth0), Some(depth1)) =
                (depth.get(places[0]..places[0] + 8), depth.get(places[1]..places[1] + 8))
            else {
                break;
            };
            let old = f32x8::from_slice(simd, depth0).combine(f32x8::from_slice(simd, depth1));
            let (pass, nearest) = depth_test::sixteen(z, old, x, end);
            if pass.any_true() {
                list.seen |= 1 << lane;
                let iw = x * step[1] + two(simd, start[1], start[9]);
                let a = x * step[2] + two(simd, start[2], start[10]);
                let b = x * step[3] + two(simd, start[3], start[11]);
                let c = x * step[4] + two(simd, start[4], start[12]);
                let at = [iw, a, b, c];
                if let Some(plain) = plain {
                    // Blocks have no holes: depths are known before colours, which leaves registers for these.
                    store_two(nearest, depth, places);
                    let triangle = triangle!(list, lane);
                    let memory = (&mut list.deferred, &mut list.memory);
                    waiting = deferred_blocks::draw(
                        simd, surface, plain, at, triangle, pass, places, waiting, memory, color,
                    );
                } else {
                    for place in places {
                        prefetch_index(&*color, place + PIXELS_AHEAD);
                    }
                    let (in_range, memory) = (list.in_range[lane], &mut list.memory);
                    let (lit, pass) = match path {
                        Some(path) => (fast_colors(simd, path, at, in_range, memory), pass),
                        None => nearest_colors(simd, surface, at, in_range, pass, memory),
                    };
                    store_two(pass.select(z, old), depth, places);
                    let Some(under) = load_sixteen(simd, color, places) else { break };
                    store_sixteen(pass.select(lit, under), color, places);
                }
            }
            if left[0].max(left[1]) <= 8 {
                break;
            }
            // A span that has ended stays where it is and writes back what is there.
            for k in 0..2 {
                firsts[k] = firsts[k].wrapping_add(if left[k] > 8 { 8 } else { 0 });
                left[k] -= 8;
            }
            x += 8.0;
        }
    }
    list.deferred.length = waiting;
}

/// Four spans at a time, four pixels of each.
#[inline(always)]
pub(super) fn quads<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    plain: Option<&Plain<'_>>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    let (depth, color) = depth_and_color(band);
    let mut waiting = list.deferred.length;
    let ramp = f32x16::load_array_ref(simd, &QUAD_RAMP);
    let mut i = spans.start;
    while i < spans.end {
        let ((s0, lane), (s1, _)) = (list.span(i), list.span(i + 1));
        let ((s2, _), (s3, _)) = (list.span(i + 2), list.span(i + 3));
        if plain.is_none() {
            list.prefetch_ahead(i, 4, 4, color);
        }
        i += 4;
        let planes = &list.planes[lane];
        let slots = [s0, s1, s2, s3];
        let b = four(simd, &list.weights[0], slots);
        let c = four(simd, &list.weights[1], slots);
        let mut x = ramp + four(simd, &list.skipped, slots);
        let end = four(simd, &list.end, slots);
        let (mut q0, mut q1) = (list.place[s0], list.place[s1]);
        let (mut q2, mut q3) = (list.place[s2], list.place[s3]);
        let (mut n0, mut n1) = (list.count[s0], list.count[s1]);
        let (mut n2, mut n3) = (list.count[s2], list.count[s3]);
        loop {
            let places = [q0 as usize, q1 as usize, q2 as usize, q3 as usize];
            let [p0, p1, p2, p3] = places;
            let (Some(d0), Some(d1), Some(d2), Some(d3)) = (
                depth.get(p0..p0 + 4),
                depth.get(p1..p1 + 4),
                depth.get(p2..p2 + 4),
                depth.get(p3..p3 + 4),
            ) else {
                break;
            };
            let old = (f32x4::from_slice(simd, d0).combine(f32x4::from_slice(simd, d1)))
                .combine(f32x4::from_slice(simd, d2).combine(f32x4::from_slice(simd, d3)));
            let z = attribute(planes, 0, b, c, x);
            let (pass, nearest) = depth_test::sixteen(z, old, x, end);
            if pass.any_true() {
                list.seen |= 1 << lane;
                let at = [
                    attribute(planes, 1, b, c, x),
                    attribute(planes, 2, b, c, x),
                    attribute(planes, 3, b, c, x),
                    attribute(planes, 4, b, c, x),
                ];
                if let Some(plain) = plain {
                    // As in `pairs`.
                    store_four(nearest, depth, places);
                    let triangle = triangle!(list, lane);
                    let memory = (&mut list.deferred, &mut list.memory);
                    waiting = deferred_blocks::draw(
                        simd, surface, plain, at, triangle, pass, places, waiting, memory, color,
                    );
                } else {
                    let (in_range, memory) = (list.in_range[lane], &mut list.memory);
                    let (lit, pass) = nearest_colors(simd, surface, at, in_range, pass, memory);
                    store_four(pass.select(z, old), depth, places);
                    let Some(under) = load_sixteen(simd, color, places) else { break };
                    store_sixteen(pass.select(lit, under), color, places);
                }
            }
            if n0.max(n1).max(n2.max(n3)) <= 4 {
                break;
            }
            q0 = q0.wrapping_add(if n0 > 4 { 4 } else { 0 });
            q1 = q1.wrapping_add(if n1 > 4 { 4 } else { 0 });
            q2 = q2.wrapping_add(if n2 > 4 { 4 } else { 0 });
            q3 = q3.wrapping_add(if n3 > 4 { 4 } else { 0 });
            (n0, n1, n2, n3) = (n0 - 4, n1 - 4, n2 - 4, n3 - 4);
            x += 4.0;
        }
    }
    list.deferred.length = waiting;
}

/// Colours of the pixels by the commonest shading. `in_range` as in `list::List`.
#[inline(always)]
fn fast_colors<S: Vectors, const GATHER: bool>(
    simd: S,
    path: &FastPath<'_>,
    at: [f32x16<S>; 4],
    in_range: bool,
    memory: &mut Memory<GATHER>,
) -> u32x16<S> {
    let (number, light) = numbers(simd, path, at, in_range);
    let texel = small_texels(simd, path.texels, number, memory);
    modulated(texel, light.to_int::<i32x16<S>>().bitcast::<u32x16<S>>())
}

/// Colours of the pixels in `pass` of any nearest texel, and which of them are no holes.
#[inline(always)]
fn nearest_colors<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    at: [f32x16<S>; 4],
    in_range: bool,
    pass: mask32x16<S>,
    memory: &mut Memory<GATHER>,
) -> (u32x16<S>, mask32x16<S>) {
    let (lit, solid) = shade::sixteen::nearest(simd, &surface.shading, at, in_range, memory);
    (lit, pass & solid)
}

/// An attribute at columns `x` from the left ends of spans with weights `b` and `c` there.
#[inline(always)]
fn attribute<S: Vectors>(
    [first, second, third, step]: &[[f32; 8]; 4],
    i: usize,
    b: f32x16<S>,
    c: f32x16<S>,
    x: f32x16<S>,
) -> f32x16<S> {
    x * step[i] + ((b * second[i] + first[i]) + c * third[i])
}
