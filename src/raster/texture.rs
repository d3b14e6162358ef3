//! Pictures made ready for the kernels: one word a texel, rows padded to a power of two.
//!
//! The top byte of a texel is a flag: [`HOLE`], [`FULLBRIGHT`] or neither, or where stages are mixed its
//! alpha. In true colour the other bytes are R, G, B; in an indexed texture the low byte is the palette
//! index.

use super::blocks::Blocks;
use super::mipmap::{FULLBRIGHT, HOLE, Level, mean, mean_with_alpha};
use crate::image::{AlphaKind, Image, Palette, Pixels, player_colors};
use crate::model::AlphaTest;

/// Top byte of every other texel.
const SOLID: u32 = 0xff;

/// Neutral grey, for surfaces without a texture.
const GREY: [u8; 3] = [192, 192, 192];

/// What a texture is made for.
pub(crate) struct TextureUse<'a> {
    /// The palette of an indexed draw; `None` makes true-colour texels.
    pub(crate) target: Option<&'a Palette>,
    /// Look embedded indices up here instead of in the picture's own palette.
    pub(crate) lookup: Option<&'a Palette>,
    /// Quake player colours, top and bottom.
    pub(crate) colors: Option<[u8; 2]>,
    pub(crate) alpha: AlphaUse,
    /// Palette entries that are drawn unlit are marked.
    pub(crate) fullbright: bool,
    /// Make the smaller copies that trilinear filtering needs.
    pub(crate) mipmaps: bool,
}

#[cfg(test)]
impl TextureUse<'static> {
    /// True colour without flags, with mipmaps.
    pub(crate) const PLAIN: Self = Self {
        target: None,
        lookup: None,
        colors: None,
        alpha: AlphaUse::Ignored,
        fullbright: false,
        mipmaps: true,
    };
}

/// What a texture's alpha is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AlphaUse {
    /// Nothing.
    Ignored,
    /// Holes where the test fails, of alpha times 1/256 of the number.
    Test(AlphaTest, u32),
    /// Holes below one half if the picture is a cut-out: see [`AlphaKind`].
    CutOut,
    /// It is kept in the top byte of the texels.
    Kept,
    /// It is kept if there is any below 255.
    KeptIfAny,
}

impl AlphaUse {
    /// The same for a picture of which it is known what its alpha looks like.
    fn resolved(self, image: &Image) -> Self {
        match self {
            Self::CutOut if matches!(image.alpha_kind(), AlphaKind::CutOut(_)) => {
                Self::Test(AlphaTest::AtLeast(128), 256)
            }
            Self::CutOut => Self::Ignored,
            Self::KeptIfAny if has_alpha(image) => Self::Kept,
            Self::KeptIfAny => Self::Ignored,
            other => other,
        }
    }

    /// The top byte of a texel with this alpha.
    fn flag(self, alpha: u8) -> u32 {
        match self {
            Self::Ignored | Self::CutOut | Self::KeptIfAny => SOLID,
            Self::Kept => u32::from(alpha),
            Self::Test(test, scale) => {
                if test.passes(scaled_alpha(alpha.into(), scale)) {
                    SOLID
                } else {
                    HOLE
                }
            }
        }
    }
}

/// Whether any texel is not opaque.
fn has_alpha(image: &Image) -> bool {
    match image.pixels() {
        Pixels::Rgba(rgba) => rgba.as_chunks::<4>().0.iter().any(|texel| texel[3] < 255),
        Pixels::Indexed { transparent, .. } => transparent.is_some(),
    }
}

/// An alpha times 1/256 of a number, rounded.
pub(crate) fn scaled_alpha(alpha: u32, scale: u32) -> u32 {
    ((alpha * scale + 128) >> 8).min(255)
}

/// Texels of textures that 16 bits can number.
pub(crate) const SMALL: usize = 1 << 16;

/// A texture and its smaller copies.
#[derive(Clone, Debug)]
pub(crate) struct Texture {
    /// The picture itself, then halves.
    pub(crate) levels: Vec<Level>,
    /// Both sides are powers of two: coordinates wrap by a mask.
    pub(crate) power_of_two: bool,
    pub(crate) has_holes: bool,
    pub(crate) has_fullbright: bool,
    /// Alpha is kept, and some of it is below 255.
    pub(crate) is_translucent: bool,
    /// 1 over [`Texture::scale`], powers of two both: exact.
    pub(crate) unscale: [f32; 2],
    /// What filtering reads, where it pays; see [`Texture::with_blocks`].
    pub(crate) blocks: Option<Blocks>,
}

/// Most texels of a texture that gets blocks, which take 16 bytes a texel: 4 MiB, and as much again
/// for mipmaps.
const MOST_BLOCKS: usize = 1 << 18;
/// Pixels of pictures for every texel from which on blocks surely pay: making one takes as long as one or
/// two filtered pixels, of which models cover a part only.
const PIXELS_A_BLOCK: u64 = 16;

impl Texture {
    /// The texture of a surface without a picture.
    pub(crate) fn grey(target: Option<&Palette>) -> Self {
        let texel = target.map_or(u32::from_le_bytes([GREY[0], GREY[1], GREY[2], 0]), |palette| {
            u32::from(palette.nearest(GREY))
        });
        Self::from_level(Level::new(1, 1, std::iter::once(texel | SOLID << 24)), false, false)
    }

    /// One white texel.
    pub(crate) fn white(target: Option<&Palette>) -> Self {
        let texel = target.map_or(0x00ff_ffff, |palette| u32::from(palette.nearest([255; 3])));
        Self::from_level(Level::new(1, 1, std::iter::once(texel | SOLID << 24)), false, false)
    }

    pub(crate) fn new(image: &Image, usage: &TextureUse<'_>) -> Self {
        let alpha = usage.alpha.resolved(image);
        let texels = match image.pixels() {
            Pixels::Rgba(rgba) => rgba_texels(rgba, alpha, usage.target),
            Pixels::Indexed { indices, palette, transparent } => {
                indexed_texels(indices, palette, *transparent, usage, alpha)
            }
        };
        let level = Level::new(image.width(), image.height(), texels.into_iter());
        Self::from_level(level, usage.mipmaps, alpha == AlphaUse::Kept)
    }

    fn from_level(level: Level, mipmaps: bool, keeps_alpha: bool) -> Self {
        let inside = || {
            let rows = level.texels.chunks_exact(level.stride() as usize);
            rows.take(level.height as usize).flat_map(|row| &row[..level.width as usize])
        };
        let has_flag = |flag: u32| !keeps_alpha && inside().any(|&texel| texel >> 24 == flag);
        let (has_holes, has_fullbright) = (has_flag(HOLE), has_flag(FULLBRIGHT));
        let is_translucent = keeps_alpha && inside().any(|&texel| texel >> 24 != SOLID);
        let mean = if keeps_alpha { mean_with_alpha } else { mean };
        let power_of_two =
            (level.width as u32).is_power_of_two() && (level.height as u32).is_power_of_two();
        let mut levels = vec![level];
        while let Some(last) = levels.last()
            && mipmaps
            && (last.width > 1 || last.height > 1)
        {
            levels.push(last.half(mean));
        }
        let texels = &mut levels[0].texels;
        texels.resize(texels.len().max(SMALL), 0);
        let (blocks, unscale) = (None, [1.0; 2]);
        let mut made = Self {
            levels,
            power_of_two,
            has_holes,
            has_fullbright,
            is_translucent,
            unscale,
            blocks,
        };
        made.unscale = made.scale().map(|scale| 1.0 / scale);
        made
    }

    /// Whether blocks are worth making for a texture that was in pictures of so many pixels together,
    /// and is filtered.
    pub(crate) fn wants_blocks(&self, pixels: u64) -> bool {
        let level = &self.levels[0];
        let texels = level.padded();
        let pays = pixels >= PIXELS_A_BLOCK * texels as u64;
        // Holes share out their weight, for which blocks have no words.
        self.blocks.is_none() && !self.has_holes && texels <= MOST_BLOCKS && pays
    }

    /// The same texture with blocks: for filtering that is drawn often enough.
    pub(crate) fn with_blocks(self) -> Self {
        Self { blocks: Some(Blocks::new(&self.levels, self.texels_per_coordinate())), ..self }
    }

    /// What texture coordinates are multiplied by at the vertices. Where both sides are powers of
    /// two: texels across and [`Texture::row_step`] times the rows down, so that two masks give the
    /// two parts of a texel's index. Else 1: coordinates are wrapped in whole textures.
    pub(crate) fn scale(&self) -> [f32; 2] {
        let level = &self.levels[0];
        if self.power_of_two {
            [level.width as f32, (level.height * self.row_step()) as f32]
        } else {
            [1.0, 1.0]
        }
    }

    /// Texels across and down for a change of the texture coordinates by 1.
    pub(crate) fn texels_per_coordinate(&self) -> [f32; 2] {
        let (level, scale) = (&self.levels[0], self.scale());
        [level.width as f32 / scale[0], level.height as f32 / scale[1]]
    }

    /// Texels that a row counts in vertical coordinates: those of a whole row in small textures, 1
    /// in larger ones, whose coordinates would leave the range of integers too soon.
    pub(crate) fn row_step(&self) -> i32 {
        let level = &self.levels[0];
        if (level.height << level.shift) as usize <= SMALL { level.stride() } else { 1 }
    }
}

fn rgba_texels(rgba: &[u8], alpha: AlphaUse, target: Option<&Palette>) -> Vec<u32> {
    let indices = target.map(|palette| palette.quantize(rgba));
    let value = |i: usize, [r, g, b, _]: [u8; 4]| match &indices {
        Some(indices) => u32::from(indices[i]),
        None => u32::from_le_bytes([r, g, b, 0]),
    };
    let texels = rgba.as_chunks::<4>().0.iter().enumerate();
    if alpha == AlphaUse::Ignored {
        return texels.map(|(i, &texel)| value(i, texel) | SOLID << 24).collect();
    }
    let flagged = |(i, &texel): (usize, &[u8; 4])| match alpha.flag(texel[3]) {
        HOLE if alpha != AlphaUse::Kept => 0,
        flag => value(i, texel) | flag << 24,
    };
    texels.map(flagged).collect()
}

fn indexed_texels(
    indices: &[u8],
    own: &Palette,
    transparent: Option<u8>,
    usage: &TextureUse<'_>,
    alpha: AlphaUse,
) -> Vec<u32> {
    let embedded = usage.lookup.is_some();
    let source = usage.lookup.unwrap_or(own);
    let moved = usage.colors.filter(|_| embedded && usage.target.is_none()).map(player_colors);
    let mut table = [0u32; 256];
    for (index, entry) in table.iter_mut().enumerate() {
        let index = index as u8;
        if Some(index) == transparent {
            continue;
        }
        // Player colours move skin texels; indexed pictures take them from their colormap.
        let texel = moved.as_ref().map_or(index, |moved| moved[usize::from(index)]);
        let color = source.color(texel);
        let bright = usage.fullbright && embedded && u16::from(texel) >= source.first_fullbright();
        let value = match usage.target {
            Some(target) if target != source => u32::from(target.nearest(color)),
            Some(_) => u32::from(texel),
            None => u32::from_le_bytes([color[0], color[1], color[2], 0]),
        };
        let is_marked = bright && alpha != AlphaUse::Kept;
        *entry = value | if is_marked { FULLBRIGHT } else { SOLID } << 24;
    }
    indices.iter().map(|&index| table[usize::from(index)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_padded_and_alpha_is_ignored_unless_tested() {
        let image = Image::from_rgba(3, 1, vec![1, 2, 3, 0, 4, 5, 6, 255, 7, 8, 9, 127]).unwrap();
        let texture = Texture::new(&image, &TextureUse::PLAIN);
        assert!(!texture.power_of_two && !texture.has_holes);
        assert_eq!(texture.levels[0].texels[..4], [0xff03_0201, 0xff06_0504, 0xff09_0807, 0]);
        let holes = Texture::new(
            &image,
            &TextureUse {
                alpha: AlphaUse::Test(AlphaTest::AtLeast(128), 256),
                ..TextureUse::PLAIN
            },
        );
        assert!(holes.has_holes);
        assert_eq!(holes.levels[0].texel(0, 0), 0);
        assert_eq!(holes.levels[0].texel(2, 0), 0);
    }

    #[test]
    fn mipmaps_go_down_to_one_texel() {
        let rgba = (0..8 * 4).flat_map(|i| [i as u8 * 8, 0, 0, 255]).collect();
        let texture = Texture::new(&Image::from_rgba(8, 4, rgba).unwrap(), &TextureUse::PLAIN);
        let sizes: Vec<_> = texture.levels.iter().map(|l| (l.width, l.height)).collect();
        assert_eq!(sizes, [(8, 4), (4, 2), (2, 1), (1, 1)]);
        // Texels 0, 8, 64, 72 average to 36.
        assert_eq!(texture.levels[1].texel(0, 0) & 255, 36);
    }

    #[test]
    fn blocks_hold_the_neighbours_of_every_texel_of_every_level() {
        for (width, height) in [(1, 1), (8, 4), (5, 3), (1, 6)] {
            let rgba = (0..width * height).flat_map(|i| [i as u8, 2 * i as u8, 7, 255]);
            let image = Image::from_rgba(width, height, rgba.collect()).unwrap();
            let texture = Texture::new(&image, &TextureUse::PLAIN);
            assert!(texture.wants_blocks(1 << 20) && !texture.wants_blocks(3));
            let texture = texture.with_blocks();
            assert!(!texture.wants_blocks(1 << 20), "they are there");
            let blocks = texture.blocks.as_ref().unwrap();
            for (number, level) in texture.levels.iter().enumerate() {
                let first = blocks.first_row(number as u32);
                for (x, y) in (0..level.height).flat_map(|y| (0..level.width).map(move |x| (x, y)))
                {
                    let (right, below) = ((x + 1) % level.width, (y + 1) % level.height);
                    let four = [(right, y), (x, y), (right, below), (x, below)]
                        .map(|(x, y)| level.texel(x, y));
                    let found = blocks.texels[((first + y as usize) << blocks.shift) + x as usize];
                    for channel in 0..4 {
                        let bytes = four.map(|texel| texel.to_le_bytes()[channel]);
                        let found = found[channel].to_le_bytes().map(|byte| byte.wrapping_add(128));
                        assert_eq!(found, bytes, "{width} x {height}, {x}, {y}");
                    }
                }
            }
        }
    }
}
