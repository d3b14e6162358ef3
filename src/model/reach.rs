//! How far runs of triangles reach among the vertices of their surface.
//!
//! Files that were written by exporters and optimizers name vertices nearly in the order in which triangles
//! use them, so that a run of triangles needs a short piece of the vertices. The rasterizer draws large
//! surfaces piece by piece where that is so.

use std::ops::Range;
use std::sync::OnceLock;

/// Vertices of each run of triangles of a surface, found when they are first asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    runs: OnceLock<Box<[Range<u32>]>>,
}

impl Reach {
    /// Triangles of a run; the last one may have fewer.
    pub(crate) const RUN: usize = 1 << 14;

    /// From the lowest vertex of each run to behind the highest. `triangles` are always those of the surface.
    pub(crate) fn of(&self, triangles: &[[u32; 3]]) -> &[Range<u32>] {
        self.runs.get_or_init(|| triangles.chunks(Self::RUN).map(reach).collect())
    }
}

fn reach(triangles: &[[u32; 3]]) -> Range<u32> {
    let (mut lowest, mut highest) = (u32::MAX, 0);
    for &vertex in triangles.as_flattened() {
        lowest = lowest.min(vertex);
        highest = highest.max(vertex);
    }
    lowest..highest + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_reach_from_the_lowest_vertex_to_the_highest() {
        let mut triangles: Vec<[u32; 3]> =
            (0..Reach::RUN as u32 + 2).map(|i| [i, i + 2, i + 1]).collect();
        triangles[5] = [3, 40_000, 2];
        let run = Reach::RUN as u32;
        assert_eq!(Reach::default().of(&triangles), [0..40_001, run..run + 4]);
        assert_eq!(Reach::default().of(&[]), []);
    }
}
