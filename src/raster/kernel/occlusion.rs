//! Occlusion culling by hierarchical depth: the farthest depth of every 8 x 8 pixels of the band.
//!
//! A triangle that lies behind the farthest depth of all blocks of its box is not drawn. Depths only
//! come nearer, so an old farthest depth errs towards drawing; it is computed again in the blocks of a
//! triangle of which no pixel passed the depth test. Such triangles decide, too, whether the
//! test is made at all: without hidden ones it is not worth its time. The picture never depends on it.

use std::ops::RangeInclusive;

use fearless_simd::{f32x8, i32x8, prelude::*};

use super::super::bands::Band;
use super::super::setup::MAX_CORRECTION;
use super::super::surface::Surface;
use super::boxes::Scissor;
use super::cull::Offsets;
use super::setup::{Group, extremes};
use super::vectors::Vectors;

/// Pixels of a block's side.
const SIDE: usize = Band::BLOCK;
/// Blocks that one vector holds: triangles with more of them in a row are not tested.
const MOST_COLUMNS: usize = 8;
const COLUMNS: [i32; MOST_COLUMNS] = [0, 1, 2, 3, 4, 5, 6, 7];
/// Triangles after which it is decided again whether to test.
const TRIAL: u32 = 128;

/// Whether to test, by how many triangles were hidden lately.
#[derive(Default)]
pub(super) struct Occlusion {
    testing: bool,
    /// The blocks hold depths of this band.
    ready: bool,
    /// Mid triangles since the last decision, and those of them that were not seen.
    count: u32,
    hidden: u32,
}

/// Blocks that the box of a triangle touches inside the scissor.
struct Blocks {
    column: usize,
    columns: usize,
    rows: RangeInclusive<usize>,
}

impl Blocks {
    #[inline(always)]
    fn of(x: [i32; 2], y: [i32; 2], scissor: Scissor) -> Self {
        let first = [x[0].max(scissor.columns[0]), y[0].max(scissor.rows[0]) - scissor.rows[0]];
        let last = [x[1].min(scissor.columns[1]), y[1].min(scissor.rows[1]) - scissor.rows[0]];
        let block = |pixel: i32| pixel as usize / SIDE;
        let column = block(first[0]);
        let columns = block(last[0]) + 1 - column;
        Self { column, columns, rows: block(first[1])..=block(last[1]) }
    }
}

impl Occlusion {
    /// Which of the mid triangles of a group are hidden.
    #[inline(always)]
    pub(super) fn hidden<S: Vectors>(
        &self,
        simd: S,
        surface: &Surface<'_>,
        group: &Group<S>,
        corners: &Offsets,
        scissor: Scissor,
        band: &Band<'_>,
    ) -> u32 {
        if !self.testing {
            return 0;
        }
        let mut depth = [[0.0; 8]; 3];
        for corner in 0..3 {
            for lane in 0..8 {
                // Of lanes without a triangle it may be anywhere.
                let record = surface.attributes.get(corners[corner][lane] as usize);
                depth[corner][lane] = record.copied().unwrap_or_default();
            }
        }
        let [a, b, c] = &depth;
        let depth = [
            f32x8::load_array_ref(simd, a),
            f32x8::load_array_ref(simd, b),
            f32x8::load_array_ref(simd, c),
        ];
        // No fragment is nearer.
        let [nearest, _] = extremes(depth, MAX_CORRECTION);
        let nearest: [f32; 8] = nearest.into();
        let (x0, x1): ([i32; 8], [i32; 8]) = (group.x[0].into(), group.x[1].into());
        let (y0, y1): ([i32; 8], [i32; 8]) = (group.y[0].into(), group.y[1].into());
        let (mut hidden, mut rest) = (0, group.mid);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & 7;
            rest &= rest - 1;
            let blocks = Blocks::of([x0[lane], x1[lane]], [y0[lane], y1[lane]], scissor);
            if blocks.columns > MOST_COLUMNS {
                continue;
            }
            let mut farthest = f32x8::splat(simd, f32::NEG_INFINITY);
            for row in blocks.rows {
                let at = row * Band::blocks_of(band.stride) + blocks.column;
                farthest = farthest.max(f32x8::from_slice(simd, &band.farthest[at..at + 8]));
            }
            let inside = i32x8::load_array(simd, COLUMNS).simd_lt(blocks.columns as i32);
            let open = farthest.simd_gt(nearest[lane]) & inside;
            hidden |= u32::from(!open.any_true()) << lane;
        }
        hidden
    }

    /// Learns from a group, of whose mid triangles `hidden` were left out, and of `unseen` no pixel
    /// passed the depth test.
    #[inline(always)]
    pub(super) fn learn<S: Vectors>(
        &mut self,
        simd: S,
        group: &Group<S>,
        hidden: u32,
        unseen: u32,
        scissor: Scissor,
        band: &mut Band<'_>,
    ) {
        self.count += (group.mid | hidden).count_ones();
        self.hidden += if self.testing { hidden } else { unseen }.count_ones();
        if self.testing && unseen != 0 {
            self.find_farthest(simd, group, unseen, scissor, band);
        }
        if self.count >= TRIAL {
            self.decide(band);
        }
    }

    /// Begins to test if at least a quarter was drawn and not seen, goes on while an eighth is hidden.
    fn decide(&mut self, band: &mut Band<'_>) {
        let share = if self.testing { 8 } else { 4 };
        self.testing = self.hidden * share >= self.count;
        (self.count, self.hidden) = (0, 0);
        if self.testing && !self.ready {
            band.farthest.fill(f32::INFINITY);
            self.ready = true;
        }
    }

    /// Finds the farthest depths of the blocks of triangles.
    #[inline(always)]
    fn find_farthest<S: Vectors>(
        &self,
        simd: S,
        group: &Group<S>,
        triangles: u32,
        scissor: Scissor,
        band: &mut Band<'_>,
    ) {
        let (x0, x1): ([i32; 8], [i32; 8]) = (group.x[0].into(), group.x[1].into());
        let (y0, y1): ([i32; 8], [i32; 8]) = (group.y[0].into(), group.y[1].into());
        let mut rest = triangles;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & 7;
            rest &= rest - 1;
            let blocks = Blocks::of([x0[lane], x1[lane]], [y0[lane], y1[lane]], scissor);
            for row in blocks.rows {
                let lines = band.depth.chunks_exact(band.stride).skip(row * SIDE).take(SIDE);
                for column in blocks.column..blocks.column + blocks.columns {
                    let mut farthest = f32x8::splat(simd, f32::NEG_INFINITY);
                    for line in lines.clone() {
                        let at = column * SIDE;
                        farthest = farthest.max(f32x8::from_slice(simd, &line[at..at + SIDE]));
                    }
                    band.farthest[row * Band::blocks_of(band.stride) + column] =
                        farthest.reduce_max();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;
    use crate::look::Cull;
    use crate::raster::kernel::boxes::Corners;
    use crate::raster::shade::{ATTRIBUTES, Shading};
    use crate::raster::target::ROW_PADDING;
    use crate::raster::texture::Texture;

    /// Goes through the states; `WIDTH` x `HEIGHT` pixels at a depth of 0.3.
    #[inline(always)]
    fn states<S: Vectors>(simd: S) {
        const WIDTH: i32 = 150;
        const HEIGHT: i32 = 29;
        let texture = Texture::grey(None);
        let shading = Shading::of_nearest(&texture);
        // Eight triangles side by side; all but one behind what was drawn.
        let left = |lane: i32| 18 * lane - 4;
        let xy: [[[i32; 2]; 3]; 8] = std::array::from_fn(|lane| {
            let x = left(lane as i32);
            [[x, 15], [x + 12, 15], [x, 35]].map(|corner| corner.map(|pixel| pixel << 16))
        });
        let mut attributes = vec![0.0; 24 * ATTRIBUTES + 8];
        for (vertex, record) in attributes.chunks_exact_mut(ATTRIBUTES).take(24).enumerate() {
            record[0] = if vertex / 3 == 5 { 0.2 } else { 0.4 };
        }
        let surface = Surface {
            triangles: &[],
            xy: &[],
            attributes: &attributes,
            slots: None,
            slot_mask: usize::MAX,
            clusters: None,
            cull: Cull::Back,
            shading,
            fast_path: None,
            plain_blocks: None,
        };
        let record = |vertex: usize| (vertex * ATTRIBUTES) as u32;
        let corners = [0, 1, 2].map(|i| std::array::from_fn(|lane| record(3 * lane + i)));
        let axis = |corner: usize, axis: usize| {
            i32x8::load_array(simd, std::array::from_fn(|lane| xy[lane][corner][axis]))
        };
        let corners_at = Corners {
            x: [axis(0, 0), axis(1, 0), axis(2, 0)],
            y: [axis(0, 1), axis(1, 1), axis(2, 1)],
        };
        let scissor = Scissor { columns: [0, WIDTH - 1], rows: [10, 10 + HEIGHT - 1] };
        let group = Group::new(corners_at, 8, scissor);
        assert_eq!(group.mid, 0xff);

        let stride = WIDTH as usize + ROW_PADDING;
        let mut depth = vec![0.3; stride * HEIGHT as usize];
        let mut farthest = vec![0.0; Band::blocks_of(stride) * (HEIGHT as usize).div_ceil(SIDE)];
        let mut band = Band {
            number: 0,
            rows: 10..10 + HEIGHT,
            width: WIDTH,
            stride,
            color: &mut [],
            depth: &mut depth,
            farthest: &mut farthest,
        };
        let mut occlusion = Occlusion::default();
        let hidden = |occlusion: &Occlusion, band: &Band<'_>| {
            occlusion.hidden(simd, &surface, &group, &corners, scissor, band)
        };
        for _ in 0..TRIAL / 8 {
            assert_eq!(hidden(&occlusion, &band), 0, "nothing is tested yet");
            occlusion.learn(simd, &group, 0, 0xff, scissor, &mut band);
        }
        assert_eq!(hidden(&occlusion, &band), 0, "no block is known yet");
        occlusion.learn(simd, &group, 0, 0b1101_1111, scissor, &mut band);
        assert_eq!(hidden(&occlusion, &band), 0b1101_1111);
        // Of a lane without a triangle no attributes are looked for.
        let (seven, mut nowhere) = (Group::new(corners_at, 7, scissor), corners);
        nowhere.iter_mut().for_each(|corner| corner[7] = u32::MAX);
        let found = occlusion.hidden(simd, &surface, &seven, &nowhere, scissor, &band);
        assert_eq!(found, 0b0101_1111);
        // A pixel of the third triangle's box is far: the triangle may be seen again.
        band.depth[36 + 12 * stride] = 1.0;
        occlusion.learn(simd, &group, 0b1101_1011, 0b100, scissor, &mut band);
        assert_eq!(hidden(&occlusion, &band), 0b1101_1011);
        for _ in 0..2 * TRIAL / 8 {
            occlusion.learn(simd, &group, 0, 0, scissor, &mut band);
        }
        assert_eq!(hidden(&occlusion, &band), 0, "nothing was hidden lately");
    }

    #[test]
    fn hidden_triangles_start_the_test_and_are_found() {
        dispatch!(Level::new(), simd => states(simd));
        dispatch!(Level::fallback(), simd => states(simd));
    }
}
