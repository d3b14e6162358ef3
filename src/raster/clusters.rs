//! Dense surfaces drawn cluster by cluster, band by band.
//!
//! Which clusters can be seen in which rows is known beforehand (`visible.rs`). So every band finds what it
//! draws by itself, without bins: of each run of triangles the clusters in its rows, the vertices of these, as
//! far as they are not in the ring yet (see `stream.rs`), and then draws them.
//!
//! ```text
//!   clusters of a run     . # # # . . # # . .         # can be seen in the band's rows
//!   eights of vertices    |==##==##==|..|==##==|      of these clusters
//!   transformed before     #            #
//!   to transform            ##==##==     =##==
//! ```
//!
//! Neighbouring bands transform the vertices of clusters that reach into both, each for itself. Where triangles
//! are small, as [`pays`] wants them, that is less than handing them over costs.

use std::ops::Range;

use super::kernel::{Kernel, ToDraw};
use super::plan::{Plan, SurfacePlan};
use super::ring;
use super::surface::next_bit;
use super::target::Target;
use super::threads::Threads;
use super::vertex::{MANY_VERTICES, ScreenVertices};
use super::visible::{Visible, WORD};
use crate::model::{Reach, Reached};

/// Triangles from which on clusters are looked at.
const MANY_TRIANGLES: usize = 1 << 15;
/// The same of a surface, on the average, on several threads: bands that need no bins are one task instead of three.
const MANY_OF_SURFACE: usize = 1 << 12;
/// Most pixels of the picture for a triangle.
const MOST_PIXELS: usize = 24;

/// Whether to draw by clusters: which can be seen is found then.
pub(crate) fn pays(
    plan: &Plan<'_>,
    target: &Target<'_>,
    kernel: Kernel,
    threads: &Threads,
    visible: &mut Visible,
) -> bool {
    let triangles = plan.triangle_count();
    let are_many = triangles >= MANY_TRIANGLES
        || threads.count() > 1 && triangles >= MANY_OF_SURFACE * plan.surfaces.len().max(1);
    let pixels = target.width * target.height;
    let size = [target.width as i32, target.height as i32];
    matches!(kernel, Kernel::Simd { .. })
        && are_many
        && pixels <= MOST_PIXELS * triangles
        && plan.surfaces.iter().all(SurfacePlan::fits_ring)
        && visible.find(plan, kernel, threads, size)
}

/// What a thread needs to draw the clusters of a band.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    ring: ScreenVertices,
    /// Clusters that can be seen in the band, as bits.
    seen: Vec<u64>,
    /// Eights of the surface's vertices that were transformed for the band, as bits, and those that are to be.
    transformed: Vec<u64>,
    missing: Vec<u64>,
}

/// Hands the clusters of a band to what draws them.
pub(crate) fn feed(
    surfaces: &[SurfacePlan<'_>],
    visible: &Visible,
    kernel: Kernel,
    band: usize,
    scratch: &mut Scratch,
    draw: &mut dyn FnMut(ToDraw<'_>),
) {
    let mut seen = std::mem::take(&mut scratch.seen);
    visible.in_band(band, &mut seen);
    for (number, surface) in surfaces.iter().enumerate() {
        let (clusters, reached) = (&seen[visible.words_of(number)], surface.reached());
        scratch.begin(surface);
        let mut first = 0;
        for run in surface.reach() {
            let next = (first + Reach::RUN).min(surface.triangles.len());
            let words = first / WORD..next.div_ceil(WORD);
            let drawn = &clusters[words.clone()];
            if drawn.iter().any(|&bits| bits != 0) {
                scratch.transform(surface, kernel, reached, drawn, 64 * words.start, run);
                draw((&surface.streamed(&scratch.ring, first..next, Some(drawn)), None));
            }
            first = next;
        }
    }
    scratch.seen = seen;
}

impl Scratch {
    /// Nothing of this surface is there.
    fn begin(&mut self, surface: &SurfacePlan<'_>) {
        let words = surface.count.div_ceil(8 * 64);
        for bits in [&mut self.transformed, &mut self.missing] {
            bits.clear();
            bits.resize(words, 0);
        }
    }

    /// Transforms what is missing of some clusters of a run (as bits, the first of which is of `first_cluster`),
    /// which reaches some vertices.
    fn transform(
        &mut self,
        surface: &SurfacePlan<'_>,
        kernel: Kernel,
        reached: &Reached,
        drawn: &[u64],
        first_cluster: usize,
        vertices: &Range<u32>,
    ) {
        let Self { ring, transformed, missing, .. } = self;
        let all = 64 * drawn.len();
        let mut cluster = next_bit(drawn, 0, true);
        while cluster < all {
            for eights in reached.of(first_cluster + cluster) {
                set_bits(missing, eights);
            }
            cluster = next_bit(drawn, cluster + 1, true);
        }
        let words = vertices.start as usize / 512..(vertices.end as usize).div_ceil(512);
        for (missing, transformed) in
            missing[words.clone()].iter_mut().zip(&mut transformed[words.clone()])
        {
            *missing &= !*transformed;
            *transformed |= *missing;
        }
        let mut first = next_bit(&missing[..words.end], 64 * words.start, true);
        while first < 64 * words.end {
            let end = next_bit(&missing[..words.end], first, false);
            let next = next_bit(&missing[..words.end], end, true);
            // The next run mostly begins where this one ends.
            let following = if next < 64 * words.end { next } else { end };
            let following = (surface.count > MANY_VERTICES).then_some(8 * following);
            ring::transform(ring, surface, kernel, 8 * first..8 * end, following);
            first = next;
        }
        missing[words].fill(0);
    }
}

/// Sets bits of words, word by word: most ranges lie in one.
fn set_bits(words: &mut [u64], bits: &Range<u32>) {
    let mut first = bits.start;
    while first < bits.end {
        let end = bits.end.min((first | 63) + 1);
        words[first as usize / 64] |= (u64::MAX >> (64 - (end - first))) << (first % 64);
        first = end;
    }
}

const _: () = assert!(Reach::RUN.is_multiple_of(WORD));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_within_words_and_across_them() {
        for bits in [0..0, 64..64, 0..1, 5..63, 3..64, 64..128, 63..65, 10..180, 0..192, 191..192] {
            let mut words = [1 << 7; 3];
            set_bits(&mut words, &bits);
            for bit in 0..192 {
                let is_set = words[bit as usize / 64] >> (bit % 64) & 1 != 0;
                assert_eq!(is_set, bit % 64 == 7 || bits.contains(&bit), "{bit} of {bits:?}");
            }
        }
    }
}
