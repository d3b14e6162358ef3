//! Clusters: short runs of triangles that are neighbours in the file, and mostly on the surface, too.
//!
//! What a cluster's triangles have in common, bounds and directions that they face (`pose/bounds.rs`), tells
//! for all of them at once that none can be seen.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use prefetch_index::prefetch_index;

/// Vertices of each cluster of a surface, found when they are first asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    reached: OnceLock<Reached>,
}

/// Which vertices clusters reach, in eights as the vertex stage takes them.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// Of these triangles alone, so that what is known of them can tell.
    pub(crate) id: u64,
    eights: Vec<Range<u32>>,
    /// Where the ranges of each cluster end.
    ends: Vec<u32>,
}

impl Clusters {
    /// Triangles of a cluster; the last one may have fewer.
    pub(crate) const TRIANGLES: usize = 32;

    /// The vertices of all clusters. `triangles` are always those of the surface.
    pub(crate) fn reached(&self, triangles: &[[u32; 3]]) -> &Reached {
        self.reached.get_or_init(|| {
            static NEXT: AtomicU64 = AtomicU64::new(0);
            let id = NEXT.fetch_add(1, Ordering::Relaxed);
            let mut reached = Reached { id, eights: Vec::new(), ends: Vec::new() };
            for cluster in triangles.chunks(Self::TRIANGLES) {
                reached.add(cluster);
            }
            reached
        })
    }
}

/// How many ranges ahead others are prefetched: clusters are asked for in order, most of them.
const AHEAD: usize = 64;

impl Reached {
    fn add(&mut self, cluster: &[[u32; 3]]) {
        let mut eights: Vec<u32> = cluster.as_flattened().iter().map(|vertex| vertex / 8).collect();
        // Corners beside each other are often of one eight, which leaves less to sort.
        eights.dedup();
        eights.sort_unstable();
        eights.dedup();
        let first = self.eights.len();
        for eight in eights {
            match self.eights[first..].last_mut() {
                Some(last) if last.end == eight => last.end += 1,
                _ => self.eights.push(eight..eight + 1),
            }
        }
        self.ends.push(self.eights.len() as u32);
    }

    /// The eights of vertices of a cluster, as ranges from low to high.
    pub(crate) fn of(&self, cluster: usize) -> &[Range<u32>] {
        let first = cluster.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        prefetch_index(&self.eights, first + AHEAD);
        &self.eights[first..self.ends[cluster] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_reach_the_eights_of_their_vertices() {
        let mut triangles = vec![[0, 1, 15]; Clusters::TRIANGLES];
        triangles[7] = [800, 9, 16];
        triangles.extend([[24, 25, 40]; 3]);
        let clusters = Clusters::default();
        let reached = clusters.reached(&triangles);
        assert_eq!(reached.of(0), [0..3, 100..101]);
        assert_eq!(reached.of(1), [3..4, 5..6]);
    }
}
