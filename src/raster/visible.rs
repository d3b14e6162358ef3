//! Which clusters of triangles can be seen in which bands.
//!
//! Of a closed mesh half of the clusters face away as a whole, and others lie outside of the picture. Neither
//! their vertices nor their triangles have to be looked at. See `eye.rs`.

use std::ops::Range;

use super::bands::Bands;
use super::eye::Eye;
use super::kernel::{Kernel, Seen};
use super::plan::{Plan, SurfacePlan};
use crate::model::Clusters;
use crate::pose::Bounds;

/// Clusters that can be seen, band by band. Keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    /// Of each band, a bit for each cluster; those of each surface start with a word.
    bits: Vec<u64>,
    /// Words of a band.
    words: usize,
    /// Of each surface its words.
    surfaces: Vec<Range<usize>>,
    /// Columns and rows of all that can be seen.
    columns_and_rows: [[i32; 2]; 2],
    /// Of the eights that are looked at together.
    seen: Vec<Seen>,
}

/// Eights of clusters that are looked at together.
const TOGETHER: usize = 64;

impl Visible {
    /// Looks at all clusters of a plan. Returns whether it knows about all surfaces: that they were drawn
    /// in this pose often enough, and that none of their vertices is outside.
    pub(crate) fn find(&mut self, plan: &Plan<'_>, kernel: Kernel, bands: &Bands) -> bool {
        self.columns_and_rows = [[i32::MAX, i32::MIN]; 2];
        self.surfaces.clear();
        self.words = 0;
        for surface in &plan.surfaces {
            let words = surface.triangles.len().div_ceil(64 * Clusters::TRIANGLES);
            self.surfaces.push(self.words..self.words + words);
            self.words += words;
        }
        self.bits.clear();
        self.bits.resize(self.words * bands.count, 0);
        // All are asked for their bounds, so that they have them in time.
        let all = plan.surfaces.iter().enumerate();
        all.map(|(number, surface)| self.add(number, surface, kernel, bands))
            .fold(true, |all, found| all & found)
    }

    fn add(
        &mut self,
        number: usize,
        surface: &SurfacePlan<'_>,
        kernel: Kernel,
        bands: &Bands,
    ) -> bool {
        let Some(bounds) = surface.bounds() else { return false };
        let Some(eye) = Eye::new(&surface.setup, surface.cull(), bounds) else { return false };
        let clusters = surface.triangles.len().div_ceil(Clusters::TRIANGLES);
        let first_word = self.surfaces[number].start;
        for (chunk, eights) in bounds.eights.chunks(TOGETHER).enumerate() {
            self.seen.clear();
            let found = kernel.look(&eye, eights, bands.size, &mut self.seen);
            for (all, found) in self.columns_and_rows.iter_mut().zip(found) {
                *all = [all[0].min(found[0]), all[1].max(found[1])];
            }
            for (i, seen) in self.seen.iter().enumerate() {
                let eight = TOGETHER * chunk + i;
                let word = first_word + eight / 8;
                // Behind the last cluster stand empty ones.
                let mut rest = seen.lanes & (0xff >> (8 - (clusters - 8 * eight).min(8)));
                while rest != 0 {
                    let lane = rest.trailing_zeros() as usize & 7;
                    rest &= rest - 1;
                    let [first, last] = [seen.rows[0][lane], seen.rows[1][lane]];
                    for band in first as usize / bands.rows..=last as usize / bands.rows {
                        self.bits[band * self.words + word] |= 1 << (8 * (eight % 8) + lane);
                    }
                }
            }
        }
        true
    }

    /// Columns and rows that may be drawn.
    pub(crate) fn columns_and_rows(&self) -> [Range<i32>; 2] {
        self.columns_and_rows
            .map(|[first, last]| if first <= last { first..last + 1 } else { 0..0 })
    }

    /// Which clusters of a surface can be seen in a band, as bits.
    pub(crate) fn in_band(&self, band: usize, surface: usize) -> &[u64] {
        &self.bits[band * self.words..][self.surfaces[surface].clone()]
    }
}

impl SurfacePlan<'_> {
    fn bounds(&self) -> Option<&Bounds> {
        if self.needs_clip() {
            return None;
        }
        self.posed.bounds(self.triangles, self.reached())
    }
}

const _: () = assert!(Clusters::TRIANGLES.is_multiple_of(8));
