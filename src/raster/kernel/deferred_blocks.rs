//! Strips of filtered pixels that have blocks: tested, and coloured later, see `deferred.rs`.
//!
//! Eight pixels at once, or sixteen where those are one vector.

use fearless_simd::{f32x8, f32x16, mask32x8, mask32x16, prelude::*, u32x8, u32x16};

use super::super::shade::{Gradients, Shading};
use super::super::surface::Surface;
use super::deferred::{Deferred, Mipmaps, PIXELS};
use super::fetch::Memory;
use super::filter::LaneGradients;
use super::list::Strip;
use super::plain_blocks::{Plain, Triangle};
use super::vectors::Vectors;
use super::{blocks, depth_test, filter, places, plain_blocks};

/// Paints all strips that wait into the band's colour.
#[inline(always)]
pub(super) fn paint<S: Vectors>(
    simd: S,
    plain: &Plain<'_>,
    deferred: &mut Deferred,
    color: &mut [u32],
) {
    if const { S::SIXTEEN } {
        sixteen::paint(simd, plain, deferred, color);
    } else {
        eight::paint(simd, plain, deferred, color);
    }
}

/// Makes the functions for one number of lanes. The last ones: the strips of narrow spans, and of how many spans those and
/// others are.
macro_rules! of_lanes {
    (
        $module:ident, $lanes:literal, $f32:ident, $i32:ident, $u32:ident, $mask:ident,
        $any_colors:ident, $light_of:ident, $load:ident, $store:ident,
        $narrow:ident, $narrow_spans:literal, $spans:literal
    ) => {
        pub(super) mod $module {
            use std::ops::Range;

            use fearless_simd::{prelude::*, $f32, $i32, $mask, $u32};

            use super::blocks::$module::{weights, weights_of_word};
            use super::places::{$load, $store};
            use super::plain_blocks::$module::{
                Found, Place, between_mipmaps, filtered, found, minified,
            };
            use super::{
                Deferred, Memory, Mipmaps, PIXELS, Plain, Strip, Surface, Triangle, Vectors,
                depth_test, $any_colors,
            };

            const STRIPS: usize = PIXELS / $lanes;

            /// Draws pixels whose depth is written: they wait for their colour if their attributes are in range,
            /// others go over what waits. Takes and returns how many strips wait. `at` are the attributes
            /// without z.
            ///
            /// The number is handed over, as in memory every strip would wait for the one before.
            #[inline(always)]
            #[expect(
                clippy::too_many_arguments,
                reason = "one call in each hot loop, all of it is needed"
            )]
            pub(crate) fn draw<S: Vectors, const GATHER: bool, const SPANS: usize>(
                simd: S,
                surface: &Surface<'_>,
                plain: &Plain<'_>,
                at: [$f32<S>; 4],
                triangle: Triangle<'_>,
                pass: $mask<S>,
                places: [usize; SPANS],
                waiting: usize,
                (deferred, memory): (&mut Deferred, &mut Memory<GATHER>),
                color: &mut [u32],
            ) -> usize {
                if !triangle.in_range {
                    let lit =
                        $any_colors(simd, &surface.shading, at, triangle.gradients, pass, memory);
                    if waiting > 0 {
                        deferred.length = waiting;
                        paint(simd, plain, deferred, color);
                    }
                    if let Some(under) = $load(simd, color, places) {
                        $store(pass.select(lit, under), color, places);
                    }
                    return 0;
                }
                // There is always room for one more.
                let strip = waiting.min(STRIPS - 1);
                match found(simd, plain, at, triangle, pass) {
                    Found::First((number, second), light) => {
                        number.store_slice(&mut deferred.numbers[lanes(strip)]);
                        for (weights, stored) in
                            weights(second).into_iter().zip(&mut deferred.weights)
                        {
                            weights.store_slice(&mut stored[lanes(strip)]);
                        }
                        store_light(light, pass, strip, deferred);
                        deferred.mipmaps[strip] = Mipmaps::First;
                    }
                    Found::Minified(at) => {
                        let pass = pass.to_bitmask();
                        store_minified(simd, plain, &at, pass, strip, deferred);
                    }
                }
                deferred.set_places::<$lanes, _>(strip, places, color);
                if strip + 1 < STRIPS {
                    return strip + 1;
                }
                deferred.length = STRIPS;
                paint(simd, plain, deferred, color);
                0
            }

            /// The pixels of a strip.
            #[inline(always)]
            fn lanes(strip: usize) -> Range<usize> {
                $lanes * strip..$lanes * strip + $lanes
            }

            /// Stores where minified pixels are.
            #[inline(always)]
            fn store_place<S: Vectors>(
                (number, [right, below]): Place<S>,
                strip: usize,
                numbers: &mut [i32; PIXELS],
                fractions: &mut [u32; PIXELS],
            ) {
                number.store_slice(&mut numbers[lanes(strip)]);
                (right | below << 16).store_slice(&mut fractions[lanes(strip)]);
            }

            #[inline(always)]
            fn store_light<S: Vectors>(
                light: $u32<S>,
                pass: $mask<S>,
                strip: usize,
                deferred: &mut Deferred,
            ) {
                let light = depth_test::$light_of(pass, light.bitcast());
                light.store_slice(&mut deferred.light[lanes(strip)]);
            }

            /// Stores a strip of which some pixels are minified. Its own function: the logarithm takes all
            /// registers.
            #[inline(never)]
            fn store_minified<S: Vectors>(
                simd: S,
                plain: &Plain<'_>,
                at: &[$f32<S>; 4],
                pass: u64,
                strip: usize,
                deferred: &mut Deferred,
            ) {
                simd.vectorize(
                    #[inline(always)]
                    || {
                        let found = minified(simd, plain, at, pass);
                        let Deferred { numbers, far_numbers, weights, .. } = deferred;
                        let [near, far] = weights;
                        store_place(found.near, strip, numbers, near);
                        deferred.mipmaps[strip] = Mipmaps::One;
                        if let Some(place) = found.far {
                            store_place(place, strip, far_numbers, far);
                            deferred.mipmaps[strip] = Mipmaps::Two;
                        }
                        let pass = $mask::from_bitmask(simd, pass);
                        store_light(found.light | found.weight << 16, pass, strip, deferred);
                    },
                );
            }

            /// See [`super::paint`].
            #[inline(never)]
            pub(crate) fn paint<S: Vectors>(
                simd: S,
                plain: &Plain<'_>,
                deferred: &mut Deferred,
                color: &mut [u32],
            ) {
                simd.vectorize(
                    #[inline(always)]
                    || {
                        // By value, see `Plain`.
                        let plain = &{ *plain };
                        match (deferred.strip == Strip::$narrow, plain.is_mipmapped) {
                            (true, true) => {
                                paint_spans::<_, $narrow_spans, true>(simd, plain, deferred, color);
                            }
                            (true, false) => {
                                paint_spans::<_, $narrow_spans, false>(
                                    simd, plain, deferred, color,
                                );
                            }
                            (false, true) => {
                                paint_spans::<_, $spans, true>(simd, plain, deferred, color);
                            }
                            (false, false) => {
                                paint_spans::<_, $spans, false>(simd, plain, deferred, color);
                            }
                        }
                    },
                );
                deferred.length = 0;
            }

            #[inline(always)]
            fn paint_spans<S: Vectors, const SPANS: usize, const MIPMAPS: bool>(
                simd: S,
                plain: &Plain<'_>,
                deferred: &Deferred,
                color: &mut [u32],
            ) {
                let numbers = deferred.numbers.as_chunks::<$lanes>().0;
                let far_numbers = deferred.far_numbers.as_chunks::<$lanes>().0;
                let [first, second] = &deferred.weights;
                let (first, second) =
                    (first.as_chunks::<$lanes>().0, second.as_chunks::<$lanes>().0);
                let lights = deferred.light.as_chunks::<$lanes>().0;
                for strip in 0..deferred.length.min(STRIPS) {
                    let mut at = [0; SPANS];
                    for span in 0..SPANS {
                        at[span] = deferred.places[span][strip] as usize;
                    }
                    // Depth was there, and colour is as long.
                    let Some(under) = $load(simd, color, at) else { break };
                    let light = $i32::load_array_ref(simd, &lights[strip]);
                    let lit = light.bitcast::<$u32<S>>();
                    let mipmaps = if MIPMAPS { deferred.mipmaps[strip] } else { Mipmaps::First };
                    let found = match mipmaps {
                        Mipmaps::First => {
                            let columns = $u32::load_array_ref(simd, &first[strip]);
                            let rows = $u32::load_array_ref(simd, &second[strip]);
                            filtered(simd, plain, (&numbers[strip], [columns, rows]), lit)
                        }
                        mipmaps => {
                            let near = $u32::load_array_ref(simd, &first[strip]);
                            let far = $u32::load_array_ref(simd, &second[strip]);
                            let near = (&numbers[strip], weights_of_word(near));
                            let far = (&far_numbers[strip], weights_of_word(far));
                            let far = matches!(mipmaps, Mipmaps::Two).then_some(far);
                            let light = (lit >> 16, lit & 0xffff);
                            between_mipmaps(simd, plain, near, far, light)
                        }
                    };
                    $store(light.simd_lt(0).select(under, found), color, at);
                }
            }
        }
    };
}

of_lanes!(
    eight,
    8,
    f32x8,
    i32x8,
    u32x8,
    mask32x8,
    any_eight,
    light_of_whole_eight,
    load_eight,
    store_eight,
    TwoFours,
    2,
    1
);
of_lanes!(
    sixteen,
    16,
    f32x16,
    i32x16,
    u32x16,
    mask32x16,
    any_sixteen,
    light_of_whole_sixteen,
    load_sixteen,
    store_sixteen,
    FourFours,
    4,
    2
);

/// Filtered colours of the pixels in `pass`, in range or not.
#[inline(always)]
fn any_eight<S: Vectors, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    at: [f32x8<S>; 4],
    gradients: &Gradients,
    pass: mask32x8<S>,
    memory: &mut Memory<GATHER>,
) -> u32x8<S> {
    let gradients = LaneGradients::Shared(gradients);
    filter::colors(simd, shading, &at, gradients, pass.to_bitmask(), memory)
}

/// [`any_eight`] of sixteen.
#[inline(always)]
fn any_sixteen<S: Vectors, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    at: [f32x16<S>; 4],
    gradients: &Gradients,
    pass: mask32x16<S>,
    memory: &mut Memory<GATHER>,
) -> u32x16<S> {
    let (first, second) = (at[0].split(), at[1].split());
    let (third, fourth) = (at[2].split(), at[3].split());
    let (gradients, bits) = (LaneGradients::Shared(gradients), pass.to_bitmask());
    let low = [first.0, second.0, third.0, fourth.0];
    let low = filter::colors(simd, shading, &low, gradients, bits & 0xff, memory);
    let high = [first.1, second.1, third.1, fourth.1];
    let high = filter::colors(simd, shading, &high, gradients, bits >> 8, memory);
    low.combine(high)
}
