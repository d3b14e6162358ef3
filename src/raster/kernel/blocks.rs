//! Filtered texels from [`Blocks`]: one load brings the four texels of a pixel, and loads are transposed
//! to one word a pixel and channel.
//!
//! Strips of plain shading come by way of `plain_blocks.rs`, as many pixels as a vector has, on every level but the
//! fallback; all else that has blocks comes eight at once by way of `filter.rs`. Both have the same arithmetic.

use fearless_simd::{prelude::*, u32x4, u32x8, u32x16};

use super::super::blocks::{Blocks, SMALL};
use super::super::mipmap::FULLBRIGHT;
use super::super::shade::Shading;
use super::floor;
use super::transpose::columns_of_four;
use super::vectors::Vectors;

/// Makes the functions for one number of lanes.
macro_rules! of_lanes {
    (
        $module:ident, $lanes:literal, $columns:ident, $pairs:ident,
        $f32:ident, $i32:ident, $u32:ident, $i16:ident, $u16:ident, $u8:ident, $mask:ident
    ) => {
        pub(super) mod $module {
            use fearless_simd::{prelude::*, u32x4, $f32, $i16, $i32, $u8, $u16, $u32};

            use super::Vectors;
            use super::floor::$module::floor;
            use super::{Blocks, FULLBRIGHT, SMALL, Shading};

            /// The next mipmap, or the last one.
            #[inline(always)]
            pub(crate) fn coarser<S: Vectors>(shading: &Shading<'_>, level: $i32<S>) -> $i32<S> {
                (level + 1).min(shading.texture.levels.len() as i32 - 1)
            }

            /// The block of each pixel in its mipmap, and the weights of 256 of its second column and row.
            /// `PLAIN`: the shading is, and pixels that count are in range. `by_parts`: they are by [`are_exact`].
            #[inline(always)]
            pub(crate) fn place_in<S: Vectors, const PLAIN: bool>(
                simd: S,
                shading: &Shading<'_>,
                blocks: &Blocks,
                level: $i32<S>,
                at: [$f32<S>; 2],
                by_parts: bool,
            ) -> ($i32<S>, [$u32<S>; 2]) {
                let ([column, row], second) = if PLAIN && by_parts {
                    texels_by_parts(simd, blocks, level, at)
                } else {
                    texels_by_rule::<_, PLAIN>(simd, shading, blocks, level, at)
                };
                // The rows above, see `Blocks::first_row`: twice the first level's less twice this
                // level's, until that is none, and one for each level of one row after that.
                let twice = 2 << blocks.rows;
                let above = twice - ($i32::splat(simd, twice) >> level);
                let above = above + (level - (blocks.rows as i32 + 2)).max(0);
                (((above + row) << blocks.shift) | column, second)
            }

            /// The first column and row of the four texels around each pixel in its mipmap, and the weights of
            /// 256 of the second ones.
            type Texels<S> = ([$i32<S>; 2], [$u32<S>; 2]);

            #[inline(always)]
            fn texels_by_rule<S: Vectors, const PLAIN: bool>(
                simd: S,
                shading: &Shading<'_>,
                blocks: &Blocks,
                level: $i32<S>,
                at: [$f32<S>; 2],
            ) -> Texels<S> {
                let unscale = shading.texture.unscale;
                let (mut first, mut second) = ([level; 2], [$u32::splat(simd, 0); 2]);
                for axis in 0..2 {
                    let size = ($i32::splat(simd, blocks.size[axis]) >> level).max(1);
                    let t = at[axis] * unscale[axis];
                    (first[axis], second[axis]) = first_of::<_, PLAIN>(simd, t, size);
                }
                (first, second)
            }

            /// Whether the pixels in `pass` may be found from whole numbers in their mipmaps, of which these are the
            /// smallest, and in larger ones: where sides are powers of two, if they are half a texel and more from
            /// the left and upper end, docs/rasterization.md.
            #[inline(always)]
            pub(crate) fn are_exact<S: Vectors>(
                shading: &Shading<'_>,
                blocks: &Blocks,
                level: $i32<S>,
                at: [$f32<S>; 2],
                pass: u64,
            ) -> bool {
                if !shading.texture.power_of_two {
                    return false;
                }
                let (x, _) = parts_in(blocks, level, at, 0);
                let (y, _) = parts_in(blocks, level, at, 1);
                x.min(y).simd_ge(128).to_bitmask() & pass == pass
            }

            /// A coordinate in 256ths of texels of a mipmap, and how many times its side is halved there.
            #[inline(always)]
            fn parts_in<S: Vectors>(
                blocks: &Blocks,
                level: $i32<S>,
                at: [$f32<S>; 2],
                axis: usize,
            ) -> ($i32<S>, $i32<S>) {
                let parts = (at[axis] * blocks.parts_per_coordinate[axis]).to_int::<$i32<S>>();
                // A side of one texel is halved no more.
                let halvings = level.min(blocks.size[axis].ilog2() as i32);
                (parts >> halvings, halvings)
            }

            /// The same from whole numbers, of pixels that [`are_exact`].
            #[inline(always)]
            fn texels_by_parts<S: Vectors>(
                simd: S,
                blocks: &Blocks,
                level: $i32<S>,
                at: [$f32<S>; 2],
            ) -> Texels<S> {
                let (mut first, mut second) = ([level; 2], [$u32::splat(simd, 0); 2]);
                for axis in 0..2 {
                    let (parts, halvings) = parts_in(blocks, level, at, axis);
                    let mask = $i32::splat(simd, blocks.masks[axis]) >> halvings;
                    (first[axis], second[axis]) = first_of_parts(parts, mask);
                }
                (first, second)
            }

            /// The first column (or row) of texels around a coordinate in 256ths of texels, and the weight of 256
            /// of the second. The mask is the last one of a side that is a power of two.
            #[inline(always)]
            pub(crate) fn first_of_parts<S: Vectors>(
                parts: $i32<S>,
                mask: $i32<S>,
            ) -> ($i32<S>, $u32<S>) {
                let parts = parts - 128;
                ((parts >> 8) & mask, (parts & 255).bitcast())
            }

            /// The first column (or row) of texels around a coordinate in whole textures, and the weight
            /// of 256 of the second.
            #[inline(always)]
            pub(crate) fn first_of<S: Vectors, const IN_RANGE: bool>(
                simd: S,
                t: $f32<S>,
                size: $i32<S>,
            ) -> ($i32<S>, $u32<S>) {
                let mut at = (t - floor(t)) * size.to_float::<$f32<S>>() - 0.5;
                if !IN_RANGE {
                    // The scalar twin's conversions make 0 of what is no number.
                    at = at.simd_eq(at).select(at, $f32::splat(simd, 0.0));
                }
                let whole = floor(at);
                let second = ((at - whole) * 256.0).to_int::<$i32<S>>();
                // Just below the first centre the difference is rounded to 1, which is the first texel itself:
                // a byte has no room for 256.
                let first = whole.to_int::<$i32<S>>() + (second >> 8);
                // -1 is the last one: as a number without sign it is the greatest.
                let first = first.bitcast::<$u32<S>>().min((size - 1).bitcast::<$u32<S>>());
                (first.bitcast(), (second & 255).bitcast())
            }

            /// The four channels of blocks that are numbered by 16 bits: no number is beyond the last.
            #[inline(always)]
            pub(crate) fn of_small<S: Vectors>(
                simd: S,
                texels: &[[u32; 4]; SMALL],
                numbers: &[i32; $lanes],
            ) -> [$u32<S>; 4] {
                let mut found = [u32x4::splat(simd, 0); $lanes];
                for lane in 0..$lanes {
                    found[lane] =
                        u32x4::load_array_ref(simd, &texels[usize::from(numbers[lane] as u16)]);
                }
                super::$columns(&found)
            }

            /// The four channels of any blocks.
            #[inline(always)]
            pub(crate) fn of_any<S: Vectors>(
                simd: S,
                texels: &[[u32; 4]],
                numbers: &[i32; $lanes],
            ) -> [$u32<S>; 4] {
                let Some(last) = texels.len().checked_sub(1) else {
                    return [$u32::splat(simd, 0); 4];
                };
                let mut found = [u32x4::splat(simd, 0); $lanes];
                for lane in 0..$lanes {
                    // Of 64 bits: with fewer under the mask the compiler does not see that it is inside.
                    let block = &texels[numbers[lane] as usize & last];
                    found[lane] = u32x4::load_array_ref(simd, block);
                }
                super::$columns(&found)
            }

            /// Light as whole numbers. `PLAIN` as in [`place_in`].
            #[inline(always)]
            pub(crate) fn light_of<S: Vectors, const PLAIN: bool>(
                shading: &Shading<'_>,
                c: $f32<S>,
            ) -> $u32<S> {
                let light =
                    if PLAIN { c.min(256.0) } else { c.max(0.0).min(shading.light_max as f32) };
                light.to_int::<$i32<S>>().bitcast::<$u32<S>>()
            }

            /// The weights of 256 of second columns and rows as [`blended`] takes them. In both halves of a word that
            /// of the column, with 255 less it in the upper byte for products of bytes, where there is an
            /// instruction for them; in another word those of both rows.
            #[inline(always)]
            pub(crate) fn weights<S: Vectors>([right, below]: [$u32<S>; 2]) -> [$u32<S>; 2] {
                let columns = if const { S::LACKS_INSTRUCTIONS } {
                    right | right << 16
                } else {
                    let bytes = $u8::from_fn(right.simd, |byte| byte as u8 & 12);
                    right.swizzle_dyn_within_blocks(bytes) ^ 0xff00_ff00
                };
                [columns, (below << 16) + (256 - below)]
            }

            /// The same of weights in one word, that of the row in its upper half.
            #[inline(always)]
            pub(crate) fn weights_of_word<S: Vectors>(word: $u32<S>) -> [$u32<S>; 2] {
                // The shuffle takes the lowest byte, whatever stands above.
                let right = if const { S::LACKS_INSTRUCTIONS } { word & 0xffff } else { word };
                weights([right, word >> 16])
            }

            /// Four texels a pixel, by channels, blended by their [`weights`] and lit. `PLAIN` as in
            /// [`place_in`].
            #[inline(always)]
            pub(crate) fn blended<S: Vectors, const PLAIN: bool>(
                shading: &Shading<'_>,
                found: [$u32<S>; 4],
                [columns, rows]: [$u32<S>; 2],
                light: $u32<S>,
            ) -> $u32<S> {
                let simd = light.simd;
                let bright = !PLAIN && shading.light_max > 256;
                // In both halves, by one shuffle where there is one.
                let light = ((light & 0xffff) | light << 16).bitcast::<$u16<S>>();
                // Fullbright texels take no light, so light comes before the blend where they may occur.
                let before = !PLAIN && shading.texture.has_fullbright;
                let signs = $u16::splat(simd, 0x8080);
                let flags = found[3].bitcast::<$u16<S>>() ^ signs;
                let unlit = $u16::splat(simd, 256);
                let (columns, rows) = (columns.bitcast::<$u16<S>>(), rows.bitcast::<$i16<S>>());
                let right = if const { S::LACKS_INSTRUCTIONS } { columns } else { columns & 255 };
                let left = unlit - right;
                let mut sums = [$u32::splat(simd, 0); 3];
                for channel in 0..3 {
                    let texels = found[channel].bitcast::<$u16<S>>();
                    // Rows of two texels are numbers of 16 bits, less 2^15 here, because the products of pairs
                    // have signs, and the sum brings back 2^15 times 256.
                    let pair = if before {
                        let texels = texels ^ signs;
                        let (first, second) = (texels >> 8, texels & 255);
                        let of_first = (flags >> 8).simd_eq(FULLBRIGHT as u16).select(unlit, light);
                        let of_second =
                            (flags & 255).simd_eq(FULLBRIGHT as u16).select(unlit, light);
                        let pair = lit(first, of_first, bright) * left
                            + lit(second, of_second, bright) * right;
                        (pair ^ 0x8000).bitcast::<$i16<S>>()
                    } else if const { S::LACKS_INSTRUCTIONS } {
                        let texels = texels ^ signs;
                        // What the first texel, 256 times as large in its word, is wrong by times `right`.
                        let across = left - (right << 8);
                        let pair = texels * right + (texels >> 8) * across;
                        (pair ^ 0x8000).bitcast::<$i16<S>>()
                    } else {
                        // Bytes have room for 255 of the 256 that the first texel may weigh.
                        S::$pairs(columns, texels) + (texels.bitcast::<$i16<S>>() >> 8)
                    };
                    let sum = pair.pairwise_dot_product(rows);
                    sums[channel] = (sum + (0x80_0000 + 0x8000)).bitcast();
                }
                let even = ((sums[0] >> 16) | (sums[2] & 0xffff_0000)).bitcast::<$u16<S>>();
                let odd = (sums[1] >> 16).bitcast::<$u16<S>>();
                if PLAIN {
                    let even = ((even * light + 128) >> 8).bitcast::<$u32<S>>();
                    // The upper half is none: of alpha nothing is left but what is added to it.
                    let odd = (odd * light).bitcast::<$u32<S>>();
                    return even | (odd + 0xff00_0080) & 0xffff_ff00;
                }
                let (even, odd) = if before {
                    (even, odd)
                } else {
                    (lit(even, light, bright), lit(odd, light, bright))
                };
                (even | odd << 8).bitcast::<$u32<S>>() | 0xff00_0000
            }

            /// Channels times light, see `Shading::light_max`.
            #[inline(always)]
            pub(crate) fn lit<S: Vectors>(
                channel: $u16<S>,
                light: $u16<S>,
                bright: bool,
            ) -> $u16<S> {
                if bright {
                    // Products that do not fit 16 bits are above the brightest anyway.
                    let half = light >> 1;
                    let product = (channel * half).saturating_add(channel * (light - half));
                    product.saturating_add(128) >> 8
                } else {
                    (channel * light + 128) >> 8
                }
            }
        }
    };
}

of_lanes!(
    eight,
    8,
    columns_of_eight,
    pairs_of_bytes,
    f32x8,
    i32x8,
    u32x8,
    i16x16,
    u16x16,
    u8x32,
    mask32x8
);
of_lanes!(
    sixteen,
    16,
    columns_of_sixteen,
    many_pairs_of_bytes,
    f32x16,
    i32x16,
    u32x16,
    i16x32,
    u16x32,
    u8x64,
    mask32x16
);

/// Columns of sixteen rows of four.
#[inline(always)]
fn columns_of_sixteen<S: Vectors>(rows: &[u32x4<S>; 16]) -> [u32x16<S>; 4] {
    let ([low, high], []) = rows.as_chunks() else { return [u32x16::splat(rows[0].simd, 0); 4] };
    let (low, high) = (columns_of_eight(low), columns_of_eight(high));
    [
        low[0].combine(high[0]),
        low[1].combine(high[1]),
        low[2].combine(high[2]),
        low[3].combine(high[3]),
    ]
}

/// Columns of eight rows of four, two rows a vector.
#[inline(always)]
fn columns_of_eight<S: Vectors>(rows: &[u32x4<S>; 8]) -> [u32x8<S>; 4] {
    columns_of_four([
        rows[0].combine(rows[4]),
        rows[1].combine(rows[5]),
        rows[2].combine(rows[6]),
        rows[3].combine(rows[7]),
    ])
}
