//! Fills listed spans: depth test, shading and colour of eight or sixteen pixels at once, from each
//! span's own left end. Where `path` is given colours come later, by `deferred.rs`.
//!
//! Sixteen pixels are of two or four spans, eight of one or two: spans are shorter than a vector of 512
//! bits, mostly, and those of small triangles shorter than one of 256.

use std::ops::Range;

use fearless_simd::{
    Simd, f32x4, f32x8, f32x16, mask32x8, mask32x16, prelude::*, u32x4, u32x8, u32x16,
};

use super::super::bands::Band;
use super::super::blocks::Blocks;
use super::super::shade::{FastPath, Gradients};
use super::super::surface::Surface;
use super::deferred::{eight, sixteen};
use super::fetch::Memory;
use super::filter::LaneGradients;
use super::places::{store_four, store_two};
use super::span::{CAPACITY, List};
use super::spread::{both, four, twice, two};
use super::{blocks, fast_path, filter, has_sixteen, mix, shade};

/// Columns from the first pixel of a block.
pub(super) const RAMP: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
const HALF_RAMP: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0];
const QUAD_RAMP: [f32; 16] =
    [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0];

/// How many spans are filled at once: 1, 2 or 4. So many stand together in the list, all of one
/// triangle, the last ones maybe empty.
#[inline(always)]
pub(super) fn at_once<S: Simd>(simd: S, surface: &Surface<'_>, narrow: bool) -> usize {
    let shading = &surface.shading;
    if shading.mix.is_some() {
        return 1;
    }
    let is_nearest = shade::is_nearest(shading);
    let by_sixteen =
        const { has_sixteen::<S>() } && is_nearest || blocks_of(simd, surface).is_some();
    if by_sixteen {
        if narrow { 4 } else { 2 }
    } else if narrow && (is_nearest || filter::is_filtered(shading)) {
        2
    } else {
        1
    }
}

/// Blocks whose spans are filled by sixteen: none where sixteen lanes are sixteen variables.
#[inline(always)]
fn blocks_of<'a, S: Simd>(simd: S, surface: &Surface<'a>) -> Option<&'a Blocks> {
    if simd.level().is_fallback() { None } else { surface.plain_blocks }
}

/// Fills spans, `at_once` of them together.
#[inline(never)]
pub(super) fn spans<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    at_once: usize,
    band: &mut Band<'_>,
) {
    if let Some(mix) = surface.shading.mix {
        return mix::spans(simd, surface, mix, list, spans, band);
    }
    simd.vectorize(
        #[inline(always)]
        || spans_inline(simd, surface, list, spans, at_once, band),
    );
}

#[inline(always)]
fn spans_inline<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    at_once: usize,
    band: &mut Band<'_>,
) {
    // Loops of their own: with the choice inside, everything that shading needs goes through memory.
    if let Some(blocks) = blocks_of(simd, surface) {
        match at_once {
            4 => quads(simd, surface, None, Some(blocks), list, spans, band),
            _ => pairs(simd, surface, None, Some(blocks), list, spans, band),
        }
        return;
    }
    // See `deferred.rs`.
    let path = if GATHER { None } else { surface.fast_path.as_ref() };
    if let Some(path) = path {
        list.deferred.set_spans(simd, path, at_once, band.color);
    }
    if const { has_sixteen::<S>() } && shade::is_nearest(&surface.shading) {
        match (path, at_once) {
            (Some(_), 4) => quads(simd, surface, path, None, list, spans, band),
            (Some(_), _) => pairs(simd, surface, path, None, list, spans, band),
            (None, 4) => quads(simd, surface, None, None, list, spans, band),
            (None, _) => pairs(simd, surface, None, None, list, spans, band),
        }
        return;
    }
    // Where sixteen lanes are one vector, spans of the nearest texel are not filled by eight.
    let path = if const { has_sixteen::<S>() } { None } else { path };
    match (path, at_once) {
        (Some(_), 2) => halves(simd, surface, path, list, spans, band),
        (Some(_), _) => each(simd, surface, path, list, spans, band),
        (None, 2) => halves(simd, surface, None, list, spans, band),
        (None, _) => each(simd, surface, None, list, spans, band),
    }
}

/// Depth and colour of the band: equally long, so that one check of a place is for both.
#[inline(always)]
pub(super) fn depth_and_color<'b>(band: &'b mut Band<'_>) -> (&'b mut [f32], &'b mut [u32]) {
    let size = band.depth.len().min(band.color.len());
    (&mut band.depth[..size], &mut band.color[..size])
}

/// Two spans at a time, eight pixels of each.
#[inline(always)]
fn pairs<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    path: Option<&FastPath<'_>>,
    blocks: Option<&Blocks>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    let (depth, color) = depth_and_color(band);
    let mut waiting = list.deferred.length;
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
        let mut x = ramp + two(simd, list.skipped[at], list.skipped[at + 1]);
        let end = two(simd, list.end[at], list.end[at + 1]);
        let mut left = [list.count[at], list.count[at + 1]];
        let mut places = [list.place[at] as usize, list.place[at + 1] as usize];
        loop {
            let z = x * step[0] + two(simd, start[0], start[8]);
            // Rows are padded: eight pixels from any pixel of a row on are inside.
            let (Some(depth0), Some(depth1)) =
                (depth.get(places[0]..places[0] + 8), depth.get(places[1]..places[1] + 8))
            else {
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
                let at = [iw, a, b, c];
                if let Some(path) = path {
                    store_two(pass.select(z, old), depth, places);
                    let at = (at, list.in_range[lane]);
                    let deferred = &mut list.deferred;
                    waiting = sixteen::add(simd, path, at, pass, places, waiting, deferred, color);
                } else {
                    let (triangle, memory) =
                        ((&list.gradients[lane], list.in_range[lane]), &mut list.memory);
                    // Blocks have no holes: depths are known before colours, which leaves registers for these.
                    if blocks.is_some() {
                        store_two(pass.select(z, old), depth, places);
                    }
                    let (lit, pass) =
                        sixteen_colors(simd, surface, blocks, at, triangle, pass, memory);
                    if blocks.is_none() {
                        store_two(pass.select(z, old), depth, places);
                    }
                    let under = u32x8::from_slice(simd, &color[places[0]..places[0] + 8])
                        .combine(u32x8::from_slice(simd, &color[places[1]..places[1] + 8]));
                    let (low, high) = pass.select(lit, under).split();
                    high.store_slice(&mut color[places[1]..places[1] + 8]);
                    low.store_slice(&mut color[places[0]..places[0] + 8]);
                }
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
    list.deferred.length = waiting;
}

/// Four spans at a time, four pixels of each.
#[inline(always)]
fn quads<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    path: Option<&FastPath<'_>>,
    blocks: Option<&Blocks>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    let (depth, color) = depth_and_color(band);
    let mut waiting = list.deferred.length;
    let ramp = f32x16::load_array_ref(simd, &QUAD_RAMP);
    let mut i = spans.start;
    while i < spans.end {
        let at = i.min(CAPACITY - 4);
        i += 4;
        let lane = list.lane[at] as usize & 7;
        let planes = &list.planes[lane];
        let b = four(simd, &list.weights[0], at);
        let c = four(simd, &list.weights[1], at);
        let mut x = ramp + four(simd, &list.skipped, at);
        let end = four(simd, &list.end, at);
        let (mut q0, mut q1) = (list.place[at] as u32, list.place[at + 1] as u32);
        let (mut q2, mut q3) = (list.place[at + 2] as u32, list.place[at + 3] as u32);
        let (mut n0, mut n1) = (list.count[at], list.count[at + 1]);
        let (mut n2, mut n3) = (list.count[at + 2], list.count[at + 3]);
        loop {
            let (p0, p1, p2, p3) = (q0 as usize, q1 as usize, q2 as usize, q3 as usize);
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
            let pass = z.simd_lt(old) & x.simd_lt(end);
            if pass.any_true() {
                list.seen |= 1 << lane;
                let at = [
                    attribute(planes, 1, b, c, x),
                    attribute(planes, 2, b, c, x),
                    attribute(planes, 3, b, c, x),
                    attribute(planes, 4, b, c, x),
                ];
                if let Some(path) = path {
                    store_four(pass.select(z, old), depth, [p0, p1, p2, p3]);
                    let (at, places) = ((at, list.in_range[lane]), [p0, p1, p2, p3]);
                    let deferred = &mut list.deferred;
                    waiting = sixteen::add(simd, path, at, pass, places, waiting, deferred, color);
                } else {
                    let (triangle, memory) =
                        ((&list.gradients[lane], list.in_range[lane]), &mut list.memory);
                    // As in `pairs`.
                    if blocks.is_some() {
                        store_four(pass.select(z, old), depth, [p0, p1, p2, p3]);
                    }
                    let (lit, pass) =
                        sixteen_colors(simd, surface, blocks, at, triangle, pass, memory);
                    if blocks.is_none() {
                        store_four(pass.select(z, old), depth, [p0, p1, p2, p3]);
                    }
                    let low = u32x4::from_slice(simd, &color[p0..p0 + 4])
                        .combine(u32x4::from_slice(simd, &color[p1..p1 + 4]));
                    let high = u32x4::from_slice(simd, &color[p2..p2 + 4])
                        .combine(u32x4::from_slice(simd, &color[p3..p3 + 4]));
                    let (low, high) = pass.select(lit, low.combine(high)).split();
                    let ((v0, v1), (v2, v3)) = (low.split(), high.split());
                    v3.store_slice(&mut color[p3..p3 + 4]);
                    v2.store_slice(&mut color[p2..p2 + 4]);
                    v1.store_slice(&mut color[p1..p1 + 4]);
                    v0.store_slice(&mut color[p0..p0 + 4]);
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

/// Two spans at a time, four pixels of each, in eight lanes.
#[inline(always)]
fn halves<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    path: Option<&FastPath<'_>>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    let (depth, color) = depth_and_color(band);
    let mut waiting = list.deferred.length;
    let ramp = f32x8::load_array_ref(simd, &HALF_RAMP);
    let mut i = spans.start;
    while i < spans.end {
        let at = i.min(CAPACITY - 2);
        i += 2;
        let lane = list.lane[at] as usize & 7;
        let step = &list.planes[lane][3];
        let starts = [start(simd, list, lane, at), start(simd, list, lane, at + 1)];
        let mut x = ramp + both(simd, list.skipped[at], list.skipped[at + 1]);
        let end = both(simd, list.end[at], list.end[at + 1]);
        let (mut p0, mut p1) = (list.place[at] as usize, list.place[at + 1] as usize);
        let (mut n0, mut n1) = (list.count[at], list.count[at + 1]);
        while let (Some(d0), Some(d1)) = (depth.get(p0..p0 + 4), depth.get(p1..p1 + 4)) {
            let old = f32x4::from_slice(simd, d0).combine(f32x4::from_slice(simd, d1));
            let z = x * step[0] + both(simd, starts[0][0], starts[1][0]);
            let pass = z.simd_lt(old) & x.simd_lt(end);
            if pass.any_true() {
                list.seen |= 1 << lane;
                let at = [
                    x * step[1] + both(simd, starts[0][1], starts[1][1]),
                    x * step[2] + both(simd, starts[0][2], starts[1][2]),
                    x * step[3] + both(simd, starts[0][3], starts[1][3]),
                    x * step[4] + both(simd, starts[0][4], starts[1][4]),
                ];
                if let Some(path) = path {
                    let (v0, v1) = pass.select(z, old).split();
                    v1.store_slice(&mut depth[p1..p1 + 4]);
                    v0.store_slice(&mut depth[p0..p0 + 4]);
                    let (at, places) = ((at, list.in_range[lane]), [p0, p1]);
                    let deferred = &mut list.deferred;
                    waiting = eight::add(simd, path, at, pass, places, waiting, deferred, color);
                } else {
                    let (triangle, memory) =
                        ((&list.gradients[lane], list.in_range[lane]), &mut list.memory);
                    let shaded = eight_colors(simd, surface, at, triangle, pass, memory);
                    // Shaders that go lane by lane are filled one by one, see `at_once`.
                    let Some((lit, pass)) = shaded else { break };
                    let (v0, v1) = pass.select(z, old).split();
                    v1.store_slice(&mut depth[p1..p1 + 4]);
                    v0.store_slice(&mut depth[p0..p0 + 4]);
                    let under = u32x4::from_slice(simd, &color[p0..p0 + 4])
                        .combine(u32x4::from_slice(simd, &color[p1..p1 + 4]));
                    let (v0, v1) = pass.select(lit, under).split();
                    v1.store_slice(&mut color[p1..p1 + 4]);
                    v0.store_slice(&mut color[p0..p0 + 4]);
                }
            }
            if n0.max(n1) <= 4 {
                break;
            }
            p0 += if n0 > 4 { 4 } else { 0 };
            p1 += if n1 > 4 { 4 } else { 0 };
            (n0, n1) = (n0 - 4, n1 - 4);
            x += 4.0;
        }
    }
    list.deferred.length = waiting;
}

/// The attributes at the left end of span `i`, of triangle `lane`.
#[inline(always)]
pub(super) fn start<S: Simd, const GATHER: bool>(
    simd: S,
    list: &List<GATHER>,
    lane: usize,
    i: usize,
) -> [f32; 8] {
    let [first, second, third, _] = &list.planes[lane];
    let start = (f32x8::load_array_ref(simd, first)
        + f32x8::load_array_ref(simd, second) * list.weights[0][i])
        + f32x8::load_array_ref(simd, third) * list.weights[1][i];
    start.into()
}

/// Colours of the pixels in `pass`, and which of them are no holes. Of the triangle it takes the gradients
/// and whether its attributes are in range.
#[inline(always)]
fn sixteen_colors<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    plain_blocks: Option<&Blocks>,
    at: [f32x16<S>; 4],
    (gradients, in_range): (&Gradients, bool),
    pass: mask32x16<S>,
    memory: &mut Memory<GATHER>,
) -> (u32x16<S>, mask32x16<S>) {
    let shading = &surface.shading;
    if let Some(blocks) = plain_blocks {
        if in_range {
            return (blocks::colors(simd, shading, blocks, at, gradients, pass), pass);
        }
        let (first, second) = (at[0].split(), at[1].split());
        let (third, fourth) = (at[2].split(), at[3].split());
        let (gradients, bits) = (LaneGradients::Shared(gradients), pass.to_bitmask());
        let low = [first.0, second.0, third.0, fourth.0];
        let low = filter::colors(simd, shading, &low, gradients, bits & 0xff, memory);
        let high = [first.1, second.1, third.1, fourth.1];
        let high = filter::colors(simd, shading, &high, gradients, bits >> 8, memory);
        return (low.combine(high), pass);
    }
    match &surface.fast_path {
        Some(path) if GATHER => {
            (fast_path::sixteen::colors(simd, path, at, in_range, memory), pass)
        }
        _ => {
            let (lit, solid) = shade::sixteen::nearest(simd, shading, at, in_range, memory);
            (lit, pass & solid)
        }
    }
}

/// An attribute at columns `x` from the left ends of spans with weights `b` and `c` there.
#[inline(always)]
fn attribute<S: Simd>(
    [first, second, third, step]: &[[f32; 8]; 4],
    i: usize,
    b: f32x16<S>,
    c: f32x16<S>,
    x: f32x16<S>,
) -> f32x16<S> {
    x * step[i] + ((b * second[i] + first[i]) + c * third[i])
}

/// Fills one span after the other, eight pixels at once.
#[inline(always)]
fn each<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    path: Option<&FastPath<'_>>,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    let (depth, color) = depth_and_color(band);
    let mut waiting = list.deferred.length;
    let ramp = f32x8::load_array_ref(simd, &RAMP);
    for i in spans {
        let i = i.min(CAPACITY - 1);
        let lane = list.lane[i] as usize & 7;
        let step = &list.planes[lane][3];
        let start = start(simd, list, lane, i);
        let mut place = list.place[i] as usize;
        let end = list.end[i];
        let mut left = list.count[i];
        let mut x = ramp + list.skipped[i];
        // Rows are padded: eight pixels from any pixel of a row on are inside.
        while let Some(old) = depth.get(place..place + 8) {
            let z = x * step[0] + start[0];
            let old = f32x8::from_slice(simd, old);
            let pass = z.simd_lt(old) & x.simd_lt(end);
            if pass.any_true() {
                list.seen |= 1 << lane;
                let iw = x * step[1] + start[1];
                let a = x * step[2] + start[2];
                let b = x * step[3] + start[3];
                let c = x * step[4] + start[4];
                let at = [iw, a, b, c];
                if let Some(path) = path {
                    pass.select(z, old).store_slice(&mut depth[place..place + 8]);
                    let at = (at, list.in_range[lane]);
                    let deferred = &mut list.deferred;
                    waiting = eight::add(simd, path, at, pass, [place], waiting, deferred, color);
                } else {
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
            place += 8;
            x += 8.0;
        }
    }
    list.deferred.length = waiting;
}

/// Colours of the pixels in `pass`, and which of them are no holes. `None` of shaders that go lane by
/// lane. Of the triangle it takes the gradients and whether its attributes are in range.
#[inline(always)]
fn eight_colors<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    at: [f32x8<S>; 4],
    (gradients, in_range): (&Gradients, bool),
    pass: mask32x8<S>,
    memory: &mut Memory<GATHER>,
) -> Option<(u32x8<S>, mask32x8<S>)> {
    let shading = &surface.shading;
    // Where sixteen lanes are one vector, spans of the nearest texel do not come here.
    if const { !has_sixteen::<S>() } && shade::is_nearest(shading) {
        let (color, solid) = shade::eight::nearest(simd, shading, at, in_range, memory);
        return Some((color, pass & solid));
    }
    if filter::is_filtered(shading) {
        let (gradients, lanes) = (LaneGradients::Shared(gradients), pass.to_bitmask());
        let color = filter::colors(simd, shading, &at, gradients, lanes, memory);
        let has_holes = shading.texture.has_holes;
        return Some((color, if has_holes { pass & color.simd_ne(0) } else { pass }));
    }
    None
}
