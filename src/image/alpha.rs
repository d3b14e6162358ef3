//! What the alpha channel of a texture is likely to mean.

use super::{Image, Pixels};

/// Percent of transparent texels from which on a texture may be a cut-out: fewer are specks.
const LEAST_PERCENT: u64 = 2;

/// What exporters leave under a cut-out.
const EMPTY: [[u8; 3]; 3] = [[0, 0, 0], [255, 255, 255], [255, 0, 255]];

/// What a texture's alpha looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AlphaKind {
    /// Every texel is opaque.
    None,
    /// 0 or 255 and nothing else, and the transparent texels are all black, white or magenta: what
    /// exporters leave under a cut-out. With the percentage of transparent texels.
    CutOut(u8),
    /// 0 or 255, with other colours under the transparent texels: a mask for something else. With the
    /// percentage of transparent texels.
    Mask(u8),
    /// Transparent texels are less than 2 %.
    Specks,
    /// Values between: gloss, or translucency. With the percentage of texels that are not opaque.
    Graded(u8),
}

impl Image {
    /// What the alpha channel looks like. Indices have none but the one that means "nothing is here".
    #[must_use]
    pub fn alpha_kind(&self) -> AlphaKind {
        let Pixels::Rgba(rgba) = &self.pixels else { return AlphaKind::None };
        // Most are opaque, which whole words tell soonest.
        let words = rgba.as_chunks::<4>().0.iter().map(|texel| u32::from_le_bytes(*texel));
        if words.fold(u32::MAX, |all, texel| all & texel) >> 24 == 255 {
            return AlphaKind::None;
        }
        let (mut holes, mut between) = (0u64, 0u64);
        let mut first = None;
        let mut is_flat = true;
        for &[r, g, b, a] in rgba.as_chunks::<4>().0 {
            match a {
                255 => {}
                0 => {
                    holes += 1;
                    is_flat &= *first.get_or_insert([r, g, b]) == [r, g, b];
                }
                _ => between += 1,
            }
        }
        let texels = u64::from(self.width) * u64::from(self.height);
        let percent = |count: u64| (count * 100 / texels) as u8;
        match (holes, between) {
            (0, 0) => AlphaKind::None,
            (_, 1..) => AlphaKind::Graded(percent(holes + between)),
            _ if holes * 100 < texels * LEAST_PERCENT => AlphaKind::Specks,
            _ if is_flat && first.is_some_and(|color| EMPTY.contains(&color)) => {
                AlphaKind::CutOut(percent(holes))
            }
            _ => AlphaKind::Mask(percent(holes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(texels: &[[u8; 4]]) -> AlphaKind {
        let rgba = texels.as_flattened().to_vec();
        Image::from_rgba(texels.len() as u32, 1, rgba).unwrap().alpha_kind()
    }

    #[test]
    fn cut_outs_have_one_colour_under_their_holes() {
        let (leaf, hole) = ([10, 200, 30, 255], [0, 0, 0, 0]);
        assert_eq!(kind(&[leaf; 4]), AlphaKind::None);
        assert_eq!(kind(&[leaf, hole, leaf, hole]), AlphaKind::CutOut(50));
        assert_eq!(kind(&[leaf, hole, leaf, [0, 0, 1, 0]]), AlphaKind::Mask(50));
        assert_eq!(kind(&[leaf, leaf, leaf, [0, 0, 1, 0]]), AlphaKind::Mask(25));
        assert_eq!(kind(&[leaf, hole, leaf, [0, 0, 0, 254]]), AlphaKind::Graded(50));
        assert_eq!(kind(&[leaf, [255, 0, 255, 0], [255, 0, 255, 0]]), AlphaKind::CutOut(66));
        assert_eq!(kind(&[leaf, [255, 255, 255, 0]]), AlphaKind::CutOut(50));
        assert_eq!(kind(&[leaf, hole, [255, 255, 255, 0]]), AlphaKind::Mask(66));
        let mut specks = [leaf; 100];
        specks[3] = hole;
        assert_eq!(kind(&specks), AlphaKind::Specks);
        specks[4] = hole;
        assert_eq!(kind(&specks), AlphaKind::CutOut(2));
    }
}
