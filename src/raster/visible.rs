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

/// Clusters that can be seen, and where. Keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    /// Of each surface its eights of clusters, and its words of bits.
    surfaces: Vec<[Range<usize>; 2]>,
    /// Of all surfaces.
    eights: Vec<Seen>,
    /// Columns and rows of all that can be seen.
    columns_and_rows: [[i32; 2]; 2],
    /// Of each band, a bit for each cluster; those of each surface start with a word.
    bits: Vec<u64>,
    /// Words of a band.
    words: usize,
}

impl Visible {
    /// Looks at all clusters of a plan, in a picture of this size. Returns whether it knows about all surfaces: that
    /// they were drawn in this pose often enough, and that none of their vertices is outside.
    pub(crate) fn find(&mut self, plan: &Plan<'_>, kernel: Kernel, size: [i32; 2]) -> bool {
        self.surfaces.clear();
        self.eights.clear();
        self.columns_and_rows = [[i32::MAX, i32::MIN]; 2];
        self.words = 0;
        // All are asked for their bounds, so that they have them in time.
        let all = plan.surfaces.iter();
        all.map(|surface| self.add(surface, kernel, size)).fold(true, |all, found| all & found)
    }

    fn add(&mut self, surface: &SurfacePlan<'_>, kernel: Kernel, size: [i32; 2]) -> bool {
        let Some(bounds) = surface.bounds() else { return false };
        let Some(eye) = Eye::new(&surface.setup, surface.cull(), bounds) else { return false };
        let first = self.eights.len();
        let found = kernel.look(&eye, &bounds.eights, size, &mut self.eights);
        for (all, found) in self.columns_and_rows.iter_mut().zip(found) {
            *all = [all[0].min(found[0]), all[1].max(found[1])];
        }
        // Behind the last cluster stand empty ones.
        let clusters = surface.triangles.len().div_ceil(Clusters::TRIANGLES);
        if let Some(last) = self.eights[first..].last_mut() {
            last.lanes &= 0xff >> (clusters.next_multiple_of(8) - clusters);
        }
        let words = clusters.div_ceil(64);
        self.surfaces.push([first..self.eights.len(), self.words..self.words + words]);
        self.words += words;
        true
    }

    /// Notes for every band what can be seen there.
    pub(crate) fn share_out(&mut self, bands: &Bands) {
        let Self { surfaces, eights, bits, words, .. } = self;
        bits.clear();
        bits.resize(*words * bands.count, 0);
        for [of_surface, to] in surfaces {
            for (eight, seen) in eights[of_surface.clone()].iter().enumerate() {
                let mut rest = seen.lanes;
                while rest != 0 {
                    let lane = rest.trailing_zeros() as usize & 7;
                    rest &= rest - 1;
                    let [first, last] = [seen.rows[0][lane], seen.rows[1][lane]];
                    for band in bands.at(first as usize)..=bands.at(last as usize) {
                        bits[band * *words + to.start + eight / 8] |= 1 << (8 * (eight % 8) + lane);
                    }
                }
            }
        }
    }

    /// Columns and rows that may be drawn.
    pub(crate) fn columns_and_rows(&self) -> [Range<i32>; 2] {
        self.columns_and_rows
            .map(|[first, last]| if first <= last { first..last + 1 } else { 0..0 })
    }

    /// How many clusters can be seen in a band.
    pub(crate) fn count_in(&self, band: usize) -> u32 {
        self.bits[band * self.words..][..self.words].iter().map(|bits| bits.count_ones()).sum()
    }

    /// Which clusters of a surface can be seen in a band, as bits.
    pub(crate) fn in_band(&self, band: usize, surface: usize) -> &[u64] {
        let [_, words] = &self.surfaces[surface];
        &self.bits[band * self.words..][words.clone()]
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
