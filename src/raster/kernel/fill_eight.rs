//! Fills spans by eight pixels: of one span, or four of each of two; see `fill.rs`.

use std::ops::Range;

use fearless_simd::{f32x4, f32x8, mask32x8, prelude::*, u32x8};
use prefetch_index::prefetch_index;

use super::super::bands::Band;
use super::super::shade::{FastPath, Gradients};
use super::super::surface::Surface;
use super::deferred::add;
use super::deferred_blocks::eight as deferred_blocks;
use super::fetch::Memory;
use super::filter::LaneGradients;
use super::list::{List, PIXELS_AHEAD};
use super::places::{depth_and_color, load_eight, store_eight, store_halves};
use super::plain_blocks::{Plain, Triangle, triangle};
use super::spread::{Halves, RAMP, both};
use super::vectors::Vectors;
use super::{depth_test, filter, shade};

const HALF_RAMP: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0];

/// Fills one span after the other, eight pixels at once.
#[inline(always)]
pub(super) fn each<S: Vectors, const GATHER: bool>(
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
    let ramp = f32x8::load_array_ref(simd, &RAMP);
    for i in spans {
        let (slot, lane) = list.span(i);
        if path.is_none() && plain.is_none() {
            list.prefetch_ahead(i, 1, 8, color);
        }
        let start: [f32; 8] = start(simd, list, lane, slot).into();
        let mut first = list.place[slot];
        let end = f32x8::splat(simd, list.end[slot]);
        let mut left = list.count[slot];
        let mut x = ramp + list.skipped[slot];
        loop {
            let place = first as usize;
            // Rows are padded: eight pixels from any pixel of a row on are inside.
            let Some(old) = depth.get(place..place + 8) else { break };
            let z = x * list.step(simd, lane, 0) + start[0];
            let old = f32x8::from_slice(simd, old);
            let (pass, nearest) = depth_test::eight(z, old, x, end);
            if pass.any_true() {
                list.seen |= 1 << lane;
                let iw = x * list.step(simd, lane, 1) + start[1];
                let a = x * list.step(simd, lane, 2) + start[2];
                let b = x * list.step(simd, lane, 3) + start[3];
                let c = x * list.step(simd, lane, 4) + start[4];
                let at = [iw, a, b, c];
                if let Some(path) = path {
                    nearest.store_slice(&mut depth[place..place + 8]);
                    let at = (at, list.in_range[lane]);
                    let deferred = &mut list.deferred;
                    waiting = add(simd, path, at, pass, [place], waiting, deferred, color);
                } else if let Some(plain) = plain {
                    // Blocks have no holes: depths are known before colours.
                    nearest.store_slice(&mut depth[place..place + 8]);
                    let triangle = triangle!(list, lane);
                    let memory = (&mut list.deferred, &mut list.memory);
                    waiting = deferred_blocks::draw(
                        simd,
                        surface,
                        plain,
                        at,
                        triangle,
                        pass,
                        [place],
                        waiting,
                        memory,
                        color,
                    );
                } else {
                    prefetch_index(&*color, place + PIXELS_AHEAD);
                    let (depth, color) =
                        (&mut depth[place..place + 8], &mut color[place..place + 8]);
                    let gradients = &list.gradients[lane];
                    let (triangle, memory) = ((gradients, list.in_range[lane]), &mut list.memory);
                    let shaded = eight_colors(simd, surface, at, triangle, pass, memory);
                    if let Some((lit, pass)) = shaded {
                        pass.select(z, old).store_slice(depth);
                        pass.select(lit, u32x8::from_slice(simd, color)).store_slice(color);
                    } else {
                        let lanes = shade::Lanes::new([z, iw, a, b, c]);
                        lanes.draw(pass.to_bitmask(), &surface.shading, gradients, depth, color);
                    }
                }
            }
            left -= 8;
            if left <= 0 {
                break;
            }
            first = first.wrapping_add(8);
            x += 8.0;
        }
    }
    list.deferred.length = waiting;
}

/// Two spans at a time, four pixels of each, in eight lanes.
#[inline(always)]
pub(super) fn halves<S: Vectors, const GATHER: bool>(
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
    let ramp = f32x8::load_array_ref(simd, &HALF_RAMP);
    let mut i = spans.start;
    while i < spans.end {
        let ((s0, lane), (s1, _)) = (list.span(i), list.span(i + 1));
        if path.is_none() && plain.is_none() {
            list.prefetch_ahead(i, 2, 4, color);
        }
        i += 2;
        let step = &list.planes[lane][3];
        let starts = Halves::new(start(simd, list, lane, s0), start(simd, list, lane, s1));
        let mut x = ramp + both(simd, list.skipped[s0], list.skipped[s1]);
        let end = both(simd, list.end[s0], list.end[s1]);
        let (mut q0, mut q1) = (list.place[s0], list.place[s1]);
        let (mut n0, mut n1) = (list.count[s0], list.count[s1]);
        loop {
            let (p0, p1) = (q0 as usize, q1 as usize);
            let (Some(d0), Some(d1)) = (depth.get(p0..p0 + 4), depth.get(p1..p1 + 4)) else {
                break;
            };
            let old = f32x4::from_slice(simd, d0).combine(f32x4::from_slice(simd, d1));
            let z = x * step[0] + starts.lane::<0>(simd);
            let (pass, nearest) = depth_test::eight(z, old, x, end);
            if pass.any_true() {
                list.seen |= 1 << lane;
                let at = [
                    x * step[1] + starts.lane::<1>(simd),
                    x * step[2] + starts.lane::<2>(simd),
                    x * step[3] + starts.lane::<3>(simd),
                    x * step[4] + starts.lane::<4>(simd),
                ];
                if let Some(path) = path {
                    store_halves(nearest, depth, [p0, p1]);
                    let (at, places) = ((at, list.in_range[lane]), [p0, p1]);
                    let deferred = &mut list.deferred;
                    waiting = add(simd, path, at, pass, places, waiting, deferred, color);
                } else if let Some(plain) = plain {
                    store_halves(nearest, depth, [p0, p1]);
                    let (triangle, places) = (triangle!(list, lane), [p0, p1]);
                    let memory = (&mut list.deferred, &mut list.memory);
                    waiting = deferred_blocks::draw(
                        simd, surface, plain, at, triangle, pass, places, waiting, memory, color,
                    );
                } else {
                    let (triangle, memory) =
                        ((&list.gradients[lane], list.in_range[lane]), &mut list.memory);
                    let shaded = eight_colors(simd, surface, at, triangle, pass, memory);
                    // Shaders that go lane by lane are filled one by one, see `strip`.
                    let Some((lit, pass)) = shaded else { break };
                    store_halves(pass.select(z, old), depth, [p0, p1]);
                    let Some(under) = load_eight(simd, color, [p0, p1]) else { break };
                    store_eight(pass.select(lit, under), color, [p0, p1]);
                }
            }
            if n0.max(n1) <= 4 {
                break;
            }
            q0 = q0.wrapping_add(if n0 > 4 { 4 } else { 0 });
            q1 = q1.wrapping_add(if n1 > 4 { 4 } else { 0 });
            (n0, n1) = (n0 - 4, n1 - 4);
            x += 4.0;
        }
    }
    list.deferred.length = waiting;
}

/// The attributes at the left end of the span in a slot, of triangle `lane`.
#[inline(always)]
pub(super) fn start<S: Vectors, const GATHER: bool>(
    simd: S,
    list: &List<GATHER>,
    lane: usize,
    slot: usize,
) -> f32x8<S> {
    let [first, second, third, _] = &list.planes[lane];
    (f32x8::load_array_ref(simd, first)
        + f32x8::load_array_ref(simd, second) * list.weights[0][slot])
        + f32x8::load_array_ref(simd, third) * list.weights[1][slot]
}

/// Colours of the pixels in `pass`, and which of them are no holes. `None` of shaders that go lane by
/// lane. Of the triangle it takes the gradients and whether its attributes are in range.
#[inline(always)]
fn eight_colors<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    at: [f32x8<S>; 4],
    (gradients, in_range): (&Gradients, bool),
    pass: mask32x8<S>,
    memory: &mut Memory<GATHER>,
) -> Option<(u32x8<S>, mask32x8<S>)> {
    let shading = &surface.shading;
    // Where sixteen lanes are one vector, spans of the nearest texel do not come here.
    if const { !S::SIXTEEN } && shade::is_nearest(shading) {
        let (color, solid) = shade::eight::nearest(simd, shading, at, in_range, memory);
        return Some((color, pass & solid));
    }
    if filter::is_served::<S>(shading) {
        let (gradients, lanes) = (LaneGradients::Shared(gradients), pass.to_bitmask());
        let color = filter::colors(simd, shading, &at, gradients, lanes, memory);
        let has_holes = shading.texture.has_holes;
        return Some((color, if has_holes { pass & color.simd_ne(0) } else { pass }));
    }
    None
}
