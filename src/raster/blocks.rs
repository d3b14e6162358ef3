//! Textures as filtering reads them.

use super::mipmap::Level;

/// Blocks that numbers of 16 bits reach.
pub(crate) const SMALL: usize = 1 << 16;

/// Every texel with its neighbours, so that filtering loads once instead of four times.
///
/// Levels stand one below the other, all with rows of the first one's length, so that where a level
/// begins is known without looking: see [`Blocks::first_row`].
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// Red, green, blue and top byte of four texels each, less 128: of the one to the right of the texel, the
    /// texel, the one to the right below, and the one below it, from the low byte on; around the ends. Their
    /// number is a power of two, which keeps any index inside under a mask.
    // The texel in the upper byte: as a number with a sign it is one shift away.
    pub(crate) texels: Vec<[u32; 4]>,
    /// log2 of the blocks from a row to the next.
    pub(crate) shift: u32,
    /// log2 of the rows that the first level has room for.
    pub(crate) rows: u32,
    /// Columns and rows of the first level; of the others as often halved, rounded down, at least 1.
    pub(crate) size: [i32; 2],
    /// The last column and row, of use where both sides are powers of two.
    pub(crate) masks: [i32; 2],
    /// Texels for a change of the texture coordinates by 1, and the 256th parts of them.
    pub(crate) texels_per_coordinate: [f32; 2],
    pub(crate) parts_per_coordinate: [f32; 2],
}

impl Blocks {
    /// Of a texture's levels; texels for a change of the texture coordinates by 1.
    pub(crate) fn new(levels: &[Level], texels_per_coordinate: [f32; 2]) -> Self {
        let Level { width, height, shift, .. } = levels[0];
        let rows = (height as u32).next_power_of_two().trailing_zeros();
        let mut blocks = Self {
            texels: Vec::new(),
            shift,
            rows,
            size: [width, height],
            masks: [width - 1, height - 1],
            texels_per_coordinate,
            parts_per_coordinate: texels_per_coordinate.map(|texels| 256.0 * texels),
        };
        for (number, level) in levels.iter().enumerate() {
            let first = blocks.first_row(number as u32);
            for y in 0..level.height {
                blocks.texels.resize((first + y as usize) << shift, [0; 4]);
                let below = (y + 1) % level.height;
                blocks.texels.extend((0..level.width).map(|x| {
                    let right = (x + 1) % level.width;
                    let four = [(right, y), (x, y), (right, below), (x, below)];
                    let four = four.map(|(x, y)| (level.texel(x, y) ^ 0x8080_8080).to_le_bytes());
                    std::array::from_fn(|channel| u32::from_le_bytes(four.map(|t| t[channel])))
                }));
            }
        }
        blocks.texels.resize(blocks.texels.len().next_power_of_two(), [0; 4]);
        blocks
    }

    /// The blocks by numbers of 16 bits, which those of the first level have if it is small.
    pub(crate) fn first_small(&self) -> Option<&[[u32; 4]; SMALL]> {
        if 1 << (self.shift + self.rows) > SMALL {
            return None;
        }
        self.texels.first_chunk()
    }

    /// Rows above a level: those of the levels before it, a power of two each, at least 1.
    pub(crate) fn first_row(&self, level: u32) -> usize {
        (0..level).map(|above| 1 << self.rows.saturating_sub(above)).sum()
    }
}
