//! Where vertices of triangles stand, by 16 bits: half the memory of their numbers, and the rasterizer looks
//! positions up without a check where there are as many as 16 bits count.

use std::sync::OnceLock;

use crate::pages::Pages;

/// Slots of the vertices of a surface's triangles, found when they are first asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    whole: OnceLock<Pages<[u16; 3]>>,
    ring: OnceLock<Pages<[u16; 3]>>,
}

/// Numbers that 16 bits count.
pub(crate) const SLOTS: usize = 1 << 16;

impl Slots {
    /// The numbers of the vertices, if there are at most [`SLOTS`]. `triangles` are always those of the surface.
    pub(crate) fn whole(&self, triangles: &[[u32; 3]], vertices: usize) -> Option<&[[u16; 3]]> {
        let find = || slots(triangles, u16::MAX);
        (vertices <= SLOTS).then(|| &**self.whole.get_or_init(find))
    }

    /// The slots in a ring, always the same one, of which `mask` are the bits that say them.
    pub(crate) fn ring(&self, triangles: &[[u32; 3]], vertices: usize, mask: u16) -> &[[u16; 3]] {
        let is_smaller = vertices <= usize::from(mask) + 1;
        let whole = if is_smaller { self.whole(triangles, vertices) } else { None };
        whole.unwrap_or_else(|| self.ring.get_or_init(|| slots(triangles, mask)))
    }
}

fn slots(triangles: &[[u32; 3]], mask: u16) -> Pages<[u16; 3]> {
    let mut slots: Pages<[u16; 3]> = Pages::zeroed(triangles.len());
    for (slot, vertex) in slots.as_flattened_mut().iter_mut().zip(triangles.as_flattened()) {
        *slot = *vertex as u16 & mask;
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_numbers_or_places_in_the_ring() {
        let triangles = [[1, 2, 65_535], [20_000, 16_383, 16_384]];
        let numbers: &[[u16; 3]] = &[[1, 2, 65_535], [20_000, 16_383, 16_384]];
        let slots = Slots::default();
        assert_eq!(slots.whole(&triangles, 65_537), None);
        assert_eq!(slots.ring(&triangles, 65_537, 16_383), [[1, 2, 16_383], [3_616, 16_383, 0]]);
        assert_eq!(slots.whole(&triangles, 65_536), Some(numbers));
        assert_eq!(slots.ring(&triangles, 65_536, 65_535), numbers);
    }
}
