//! One size of a texture, and how the next smaller one is made of it.

/// Top byte of a texel that is not drawn.
pub(crate) const HOLE: u32 = 0;
/// Top byte of a texel that light leaves alone.
pub(crate) const FULLBRIGHT: u32 = 0xfe;

/// One size of a texture.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) width: i32,
    pub(crate) height: i32,
    /// log2 of the texels from a row to the next.
    pub(crate) shift: u32,
    /// A power of two long, so that a masked index is always inside; the first level's at least
    /// `texture::SMALL`, so that the kernels need no check for textures that are not larger.
    pub(crate) texels: Vec<u32>,
}

impl Level {
    pub(crate) fn new(width: u32, height: u32, texels: impl Iterator<Item = u32>) -> Self {
        let stride = (width as usize).next_power_of_two();
        let mut padded = Vec::with_capacity(stride * (height as usize).next_power_of_two());
        let mut texels = texels;
        for _ in 0..height {
            padded.extend(texels.by_ref().take(width as usize));
            padded.resize(padded.len().next_multiple_of(stride), 0);
        }
        padded.resize(stride * (height as usize).next_power_of_two(), 0);
        Self {
            width: width as i32,
            height: height as i32,
            shift: stride.trailing_zeros(),
            texels: padded,
        }
    }

    /// Texels with what stands behind the rows.
    pub(crate) fn padded(&self) -> usize {
        (self.height as usize) << self.shift
    }

    /// Texels from a row to the next.
    pub(crate) fn stride(&self) -> i32 {
        1 << self.shift
    }

    /// The texel at a column and row inside the picture.
    pub(crate) fn texel(&self, x: i32, y: i32) -> u32 {
        let index = ((y as usize) << self.shift) | x as usize;
        self.texels[index & (self.texels.len() - 1)]
    }

    /// Half the size: the mean of each 2 x 2 block, rounded; odd ends take the last texel twice.
    pub(crate) fn half(&self, mean: fn([u32; 4]) -> u32) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let row = |y: i32| {
            let start = (y.min(self.height - 1) as usize) << self.shift;
            &self.texels[start..start + self.width as usize]
        };
        let last = self.width as usize - 1;
        let texels = (0..height).flat_map(|y| {
            let (upper, lower) = (row(2 * y), row(2 * y + 1));
            (0..width as usize).map(move |x| {
                let (left, right) = ((2 * x).min(last), (2 * x + 1).min(last));
                mean([upper[left], upper[right], lower[left], lower[right]])
            })
        });
        Self::new(width as u32, height as u32, texels)
    }
}

/// The rounded mean of four texels; a hole if two or more of them are, else with the first's flag.
pub(crate) fn mean(block: [u32; 4]) -> u32 {
    if block.iter().all(|texel| texel >> 24 != HOLE) {
        // Two channels at a time, with room for their sums between them.
        const EVEN: u32 = 0x00ff_00ff;
        let red_blue: u32 = block.iter().map(|texel| texel & EVEN).sum();
        let green: u32 = block.iter().map(|texel| texel >> 8 & 255).sum();
        let even = (red_blue + 0x0002_0002) >> 2 & EVEN;
        return block[0] & 0xff00_0000 | even | (green + 2) >> 2 << 8;
    }
    let solid = block.iter().filter(|&&t| t >> 24 != HOLE);
    let count = solid.clone().count() as u32;
    if count <= 2 {
        return 0;
    }
    let flag = solid.clone().next().map_or(0, |t| t & 0xff00_0000);
    let channel = |shift: u32| {
        let sum: u32 = solid.clone().map(|t| t >> shift & 255).sum();
        ((sum + count / 2) / count) << shift
    };
    flag | channel(0) | channel(8) | channel(16)
}

/// The rounded mean of four texels whose top byte is their alpha, channel by channel as OpenGL's.
pub(crate) fn mean_with_alpha(block: [u32; 4]) -> u32 {
    let channel = |shift: u32| {
        let sum: u32 = block.iter().map(|texel| texel >> shift & 255).sum();
        ((sum + 2) >> 2) << shift
    };
    channel(0) | channel(8) | channel(16) | channel(24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded_channel_by_channel() {
        for (block, expected) in [
            ([0x01ff_ffff; 4], 0x01ff_ffff),
            ([0x0101_0000, 0x0200_0100, 0x0100_0001, 0x0100_0001], 0x0100_0001),
            ([0x01ff_00fe, 0x01fe_01ff, 0x01ff_01ff, 0x01fe_00fe], 0x01ff_01ff),
            // Three quarters, with a hole; and too many holes.
            ([0x0003_0303, 0x0205_0101, 0x0103_0102, 0x0104_0103], 0x0204_0102),
            ([0, 0, 0x0109_0909, 0x0109_0909], 0),
        ] {
            assert_eq!(mean(block), expected, "{block:x?}");
        }
    }
}
