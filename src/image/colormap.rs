//! Light tables made from a palette, and Quake's player colours.
//!
//! The old renderers never multiply: a light table says for every texel and every level of light
//! which palette index comes nearest to the shaded colour.

use super::palette::{NearestColor, Palette};
use crate::error::ImageError;

const ROWS: usize = 64;

/// 64 rows of 256 indices: `row * 256 + texel` gives the shaded index. Row 0 is the brightest
/// (factor 2), row 63 black; rows 31 and 32 leave every colour as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colormap {
    rows: Vec<u8>,
}

impl Colormap {
    /// The table that the game's own tool makes from `palette`: the factor of row r is 2 - 2r/63,
    /// every channel is rounded and not clamped, fullbright entries stay what they are.
    ///
    /// For [`Palette::quake`] this is `gfx/colormap.lmp` to the byte; for a Quake II palette (only
    /// index 255 fullbright) the light rows of `pics/colormap.pcx`, where 0 and 255 are never chosen.
    #[must_use]
    pub fn from_palette(palette: &Palette) -> Self {
        Self::generate(palette, |channel, row| (channel * (126 - 2 * row) * 2 + 63) / 126)
    }

    /// The variant with public-domain source that LibreQuake ships: factors are multiples of 1/32 and
    /// bright channels saturate at 255.
    #[must_use]
    pub fn librequake(palette: &Palette) -> Self {
        Self::generate(palette, |channel, row| ((channel * (63 - row) + 16) >> 5).min(255))
    }

    fn generate(palette: &Palette, shade: impl Fn(i32, i32) -> i32) -> Self {
        let nearest = drawable(palette);
        let mut rows = Vec::with_capacity(ROWS * 256);
        for row in 0..ROWS as i32 {
            rows.extend((0..=255u8).map(|index| {
                if u16::from(index) >= palette.first_fullbright() {
                    index
                } else {
                    nearest.find(palette.color(index).map(|channel| shade(i32::from(channel), row)))
                }
            }));
        }
        Self { rows }
    }

    /// The bytes of a `colormap.lmp`: 16384, or 16385 with the number of fullbrights at the end,
    /// which no game reads.
    ///
    /// # Errors
    /// If the number of bytes is another.
    pub fn from_lmp(bytes: &[u8]) -> Result<Self, ImageError> {
        match bytes.len() {
            16384 | 16385 => Ok(Self { rows: bytes[..ROWS * 256].to_vec() }),
            found => {
                Err(ImageError::LumpSize { what: "colormap", expected: "16384 or 16385", found })
            }
        }
    }

    /// The 16384 entries, row by row.
    #[must_use]
    pub fn rows(&self) -> &[u8] {
        &self.rows
    }

    /// The table of a player whose shirt and trousers have the given colours (0..=13 in the game's menu, 0..=15 are valid).
    /// A colour from the fullbright range makes the player glow, as in the game.
    #[must_use]
    pub fn with_player_colors(&self, colors: [u8; 2]) -> Self {
        let remap = player_colors(colors);
        let shaded = |row: &[u8]| remap.map(|index| row[usize::from(index)]);
        Self { rows: self.rows.chunks_exact(256).flat_map(shaded).collect() }
    }
}

/// Quake II's table for translucent pixels: two thirds of one colour over one third of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlendTable {
    entries: Vec<u8>,
}

impl BlendTable {
    /// Rows 64..320 of the `pics/colormap.pcx` that the game's tool makes from `palette`: the nearest
    /// of entries 1..=254 to 66 % of one and 33 % of the other; 255 with anything gives 255.
    pub(crate) fn from_palette(palette: &Palette) -> Self {
        let nearest = NearestColor::new(palette, 1..255);
        let mix = |over: u8, under: u8| {
            if over == 255 || under == 255 {
                return 255;
            }
            let (over, under) = (palette.color(over), palette.color(under));
            let channel = |c: usize| (66 * i32::from(over[c]) + 33 * i32::from(under[c])) / 100;
            nearest.find([channel(0), channel(1), channel(2)])
        };
        let pairs = (0..=255u8).flat_map(|over| (0..=255u8).map(move |under| (over, under)));
        Self { entries: pairs.map(|(over, under)| mix(over, under)).collect() }
    }

    /// 65536 entries: `over * 256 + under`, where `over` counts 66 %.
    pub(crate) fn entries(&self) -> &[u8] {
        &self.entries
    }
}

/// The entries that shading may choose: all, but in a Quake II palette neither 0 nor 255.
fn drawable(palette: &Palette) -> NearestColor {
    NearestColor::new(palette, if palette.first_fullbright() == 255 { 1..255 } else { 0..256 })
}

/// What Quake's player colours (top, bottom; 0..=13 in the game's menu, 0..=15 are valid, of larger
/// ones the low four bits count) make of every palette index: 16..=31 is the shirt, 96..=111 the
/// trousers. Ramps from index 128 on run from bright to dark and are taken backwards.
pub(crate) fn player_colors([top, bottom]: [u8; 2]) -> [u8; 256] {
    let mut remap = std::array::from_fn(|index| index as u8);
    for (base, color) in [(16, top), (96, bottom)] {
        let start = (color & 15) * 16;
        for j in 0..16u8 {
            remap[usize::from(base + j)] = if start < 128 { start + j } else { start + 15 - j };
        }
    }
    remap
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Image;
    use sha1::{Digest, Sha1};
    use sha2::Sha256;

    fn hex(digest: &[u8]) -> String {
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn generated_colormaps_are_the_games() {
        let quake = Palette::quake();
        let mut lump = Colormap::from_palette(&quake).rows().to_vec();
        lump.push(32);
        assert_eq!(hex(&Sha1::digest(&lump)), "95373ba997630117381d760a7de66648752a2a3c");
        let libre = Colormap::librequake(&quake);
        assert_eq!(hex(&Sha1::digest(libre.rows())), "79c0cddf23400a076f2f31b670c9c8db8e94c4e4");
        assert_eq!(Colormap::from_lmp(&lump).unwrap(), Colormap::from_palette(&quake));
        assert_eq!(Colormap::from_lmp(libre.rows()).unwrap(), libre);
        assert!(Colormap::from_lmp(&lump[..16383]).is_err());
    }

    #[test]
    fn player_colors_remap_texels_and_tables() {
        let remap = player_colors([4, 2]);
        assert_eq!((remap[20], remap[96], remap[15], remap[112]), (68, 32, 15, 112));
        let reversed = player_colors([10, 2]);
        assert_eq!((reversed[16], reversed[31]), (175, 160));
        let colormap = Colormap::from_palette(&Palette::quake());
        let player = colormap.with_player_colors([4, 2]);
        assert_eq!(player.rows()[10 * 256 + 20], colormap.rows()[10 * 256 + 68]);
        assert_eq!(player.rows()[63 * 256 + 255], 255);
    }

    /// Light rows and blend table of the palettes of Quake II skins, as the game's tool makes them.
    #[test]
    fn quake2_tables_have_the_sums_of_the_reference() {
        let Some(folder) = std::env::var_os("POLYSET_REFERENCE") else {
            return;
        };
        let folder = std::path::Path::new(&folder).join("quake2");
        let scenes = std::fs::read(folder.join("scenes.json")).unwrap();
        let scenes: serde_json::Value = serde_json::from_slice(&scenes).unwrap();
        let sums = scenes["sha256_colormap_320x256_per_skin"].as_object().unwrap();
        assert!(!sums.is_empty());
        for (skin, expected) in sums {
            let image = Image::open(folder.join("skins").join(skin)).unwrap();
            let palette = image.palette().unwrap();
            let mut table = Colormap::from_palette(palette).rows().to_vec();
            table.extend(BlendTable::from_palette(palette).entries());
            assert_eq!(hex(&Sha256::digest(&table)), expected.as_str().unwrap(), "{skin}");
        }
    }
}
