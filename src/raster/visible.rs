//! Which clusters of triangles can be seen in which bands.
//!
//! Of a closed mesh half of the clusters face away as a whole, and others lie outside of the picture. Neither
//! their vertices nor their triangles have to be looked at. See `eye.rs`.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::bands::Bands;
use super::eye::Eye;
use super::kernel::{Kernel, Seen};
use super::plan::{Plan, SurfacePlan};
use super::threads::Threads;
use crate::model::Clusters;
use crate::pose::Bounds;

/// Clusters that can be seen, and where. Keeps its memory.
///
/// Clusters go by words of 64, which are eight eights; those of each surface start with a word.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    /// Words of each surface.
    surfaces: Vec<Range<usize>>,
    /// Of all words.
    eights: Vec<Seen>,
    /// Columns and rows of all that can be seen.
    columns_and_rows: Ends,
    /// Of each word, for each band, a bit for each cluster.
    bits: Vec<u64>,
    /// Of each band, how many clusters can be seen there.
    counts: Vec<AtomicU32>,
    /// Which band each row of the picture is in.
    band_of_row: Vec<u32>,
}

/// First and last column, first and last row.
type Ends = [[i32; 2]; 2];

const NOWHERE: Ends = [[i32::MAX, i32::MIN]; 2];

/// Triangles of a word.
pub(crate) const WORD: usize = 64 * Clusters::TRIANGLES;
/// Words that a thread looks at together.
const PIECE_WORDS: usize = 8;

impl Visible {
    /// Looks at all clusters of a plan, in a picture of this size. Returns whether it knows about all surfaces: that
    /// they were drawn in this pose often enough, and that none of their vertices is outside.
    pub(crate) fn find(
        &mut self,
        plan: &Plan<'_>,
        kernel: Kernel,
        threads: &Threads,
        size: [i32; 2],
    ) -> bool {
        let Self { surfaces, eights, .. } = self;
        surfaces.clear();
        let (mut count, mut are_known) = (0, true);
        for surface in &plan.surfaces {
            // All are asked for their bounds, so that they have them in time.
            are_known &= surface.ask_for_bounds().is_some();
            let words = surface.triangles.len().div_ceil(WORD);
            surfaces.push(count..count + words);
            count += words;
        }
        if !are_known {
            return false;
        }
        eights.resize(eights.len().max(8 * count), Seen::default());
        let all = Mutex::new(Some(NOWHERE));
        let pieces = eights[..8 * count].chunks_mut(8 * PIECE_WORDS).enumerate();
        threads.share_from_ends(pieces, |_, (piece, eights)| {
            let found = look(plan, surfaces, kernel, size, piece * PIECE_WORDS, eights);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            *all = all.zip(found).map(|(all, found)| around(all, found));
        });
        let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.columns_and_rows = all.unwrap_or(NOWHERE);
        all.is_some()
    }

    /// Notes for every band what can be seen there.
    pub(crate) fn share_out(&mut self, bands: &Bands, threads: &Threads) {
        let Self { surfaces, eights, bits, counts, band_of_row, .. } = self;
        band_of_row.clear();
        for band in 0..bands.count {
            band_of_row.resize(bands.rows_of(band).end as usize, band as u32);
        }
        let words = surfaces.last().map_or(0, |words| words.end);
        bits.resize(words * bands.count, 0);
        counts.clear();
        counts.resize_with(bands.count, AtomicU32::default);
        let eights = eights[..8 * words].chunks(8 * PIECE_WORDS);
        let pieces = bits.chunks_mut(PIECE_WORDS * bands.count).zip(eights);
        threads.share_from_ends(pieces, |_, (bits, eights)| {
            bits.fill(0);
            for (bits, eights) in bits.chunks_mut(bands.count).zip(eights.chunks(8)) {
                share_out_word(bits, eights, band_of_row);
            }
            for (band, count) in counts.iter().enumerate() {
                let seen =
                    bits.iter().skip(band).step_by(bands.count).map(|bits| bits.count_ones());
                count.fetch_add(seen.sum(), Ordering::Relaxed);
            }
        });
    }

    /// Columns and rows that may be drawn.
    pub(crate) fn columns_and_rows(&self) -> [Range<i32>; 2] {
        self.columns_and_rows
            .map(|[first, last]| if first <= last { first..last + 1 } else { 0..0 })
    }

    /// How many clusters can be seen in a band.
    pub(crate) fn count_in(&self, band: usize) -> u32 {
        self.counts[band].load(Ordering::Relaxed)
    }

    /// Which clusters can be seen in a band, as bits. All at once, as every one may have to come from another
    /// processor's cache.
    pub(crate) fn in_band(&self, band: usize, clusters: &mut Vec<u64>) {
        clusters.clear();
        clusters.extend(self.bits.iter().skip(band).step_by(self.counts.len()));
    }

    /// The words of a surface.
    pub(crate) fn words_of(&self, surface: usize) -> Range<usize> {
        self.surfaces[surface].clone()
    }
}

/// Looks at the clusters of the words from number `first` on, of which each surface has some. Returns where they are,
/// or `None` if a vertex may be outside.
fn look(
    plan: &Plan<'_>,
    surfaces: &[Range<usize>],
    kernel: Kernel,
    size: [i32; 2],
    first: usize,
    eights: &mut [Seen],
) -> Option<Ends> {
    let mut all = NOWHERE;
    let end = first + eights.len() / 8;
    let start = surfaces.partition_point(|words| words.end <= first);
    let rest = plan.surfaces.iter().zip(surfaces).skip(start);
    for (surface, words) in rest.take_while(|(_, words)| words.start < end) {
        let bounds = surface.posed.bounds.found()?;
        let eye = Eye::new(&surface.setup, surface.cull(), bounds)?;
        let here = words.start.max(first)..words.end.min(end);
        let eights = &mut eights[8 * (here.start - first)..8 * (here.end - first)];
        let clusters = &bounds.eights[8 * (here.start - words.start)..];
        let (eights, behind) = eights.split_at_mut(clusters.len().min(eights.len()));
        let found = kernel.look(&eye, &clusters[..eights.len()], size, eights);
        all = around(all, found);
        behind.iter_mut().for_each(|seen| seen.lanes = 0);
        // Behind the last cluster stand empty ones.
        if clusters.len() == eights.len()
            && let Some(last) = eights.last_mut()
        {
            let clusters = surface.triangles.len().div_ceil(Clusters::TRIANGLES);
            last.lanes &= 0xff >> (clusters.next_multiple_of(8) - clusters);
        }
    }
    Some(all)
}

/// Notes for every band which of the clusters of a word can be seen there.
fn share_out_word(bits: &mut [u64], eights: &[Seen], band_of_row: &[u32]) {
    for (eight, seen) in eights.iter().enumerate() {
        let mut rest = seen.lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & 7;
            rest &= rest - 1;
            let [first, last] = seen.rows.map(|rows| band_of_row[rows[lane] as usize]);
            for bits in &mut bits[first as usize..=last as usize] {
                *bits |= 1 << (8 * eight + lane);
            }
        }
    }
}

fn around(a: Ends, b: Ends) -> Ends {
    [0, 1].map(|axis| [a[axis][0].min(b[axis][0]), a[axis][1].max(b[axis][1])])
}

impl SurfacePlan<'_> {
    /// The bounds of the clusters, for a picture.
    fn ask_for_bounds(&self) -> Option<&Bounds> {
        if self.needs_clip() {
            return None;
        }
        self.posed.bounds(self.triangles, self.reached())
    }
}

const _: () = assert!(Clusters::TRIANGLES.is_multiple_of(8));
