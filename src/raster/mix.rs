//! How the fragments of a stage are laid over the picture: alpha function, blending, depth.
//!
//! All of it is integer: a product of two bytes is divided by 255 and rounded to the nearest
//! (docs/surfaces.md). The picture keeps straight colours with alpha; blending multiplies them by
//! their alpha and divides again, which loses nothing: a premultiplied byte comes back from both.

use super::framebuffer::DRAWN;
use crate::image::Palette;
use crate::model::{AlphaTest, DepthTest, Factor};

/// What a stage does beside the nearest opaque texel times light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mix {
    /// Of what is drawn, and of what is there.
    pub(crate) factors: [Factor; 2],
    pub(crate) alpha_test: Option<AlphaTest>,
    pub(crate) depth_test: DepthTest,
    pub(crate) depth_write: bool,
    /// Texture coordinates end at the texture's border.
    pub(crate) clamp: bool,
    /// What texels are multiplied by in place of light, 256 is 1.
    pub(crate) tint: Option<[u32; 3]>,
    /// What their alpha is multiplied by, 256 is 1.
    pub(crate) alpha: u32,
}

impl Mix {
    /// Whether a fragment of depth `z` is drawn where `depth` is.
    pub(crate) fn is_near(&self, z: f32, depth: f32) -> bool {
        match self.depth_test {
            DepthTest::Nearer => z < depth,
            DepthTest::NotFarther => z <= depth,
            DepthTest::Equal => z == depth,
        }
    }

    /// A colour of straight red, green, blue and alpha over what is there, which is the same.
    pub(crate) fn over(&self, source: [u32; 4], under: u32) -> u32 {
        let [r, g, b, opacity] = under.to_le_bytes().map(u32::from);
        let there = [r, g, b];
        if opacity == 255 {
            return word(self.blended(source, there), 255);
        }
        // Over black and over white: what is seen of a background is the difference.
        let black = there.map(|channel| div255(channel * opacity));
        let white = black.map(|channel| channel + 255 - opacity);
        let before = (black, white);
        let (black, white) = (self.blended(source, black), self.blended(source, white));
        if (black, white) == before {
            return under;
        }
        let hidden = |i: usize| (255 + black[i]).saturating_sub(white[i]).min(255);
        let opacity = hidden(0).max(hidden(1)).max(hidden(2));
        if opacity == 0 {
            return under;
        }
        let straight = black.map(|channel| ((channel * 255 + opacity / 2) / opacity).min(255));
        word(straight, opacity)
    }

    fn blended(&self, source: [u32; 4], there: [u32; 3]) -> [u32; 3] {
        let [first, second] = self.factors;
        let [r, g, b, alpha] = source;
        let channel = |s: u32, d: u32| {
            let sum = s * weight(first, s, d, alpha) + d * weight(second, s, d, alpha);
            div255(sum).min(255)
        };
        [channel(r, there[0]), channel(g, there[1]), channel(b, there[2])]
    }
}

/// What a factor is for one channel, 255 is 1.
fn weight(factor: Factor, source: u32, there: u32, alpha: u32) -> u32 {
    match factor {
        // The frame buffer of the game has no alpha: it counts as 1.
        Factor::Zero | Factor::OneMinusDstAlpha | Factor::SrcAlphaSaturate => 0,
        Factor::One | Factor::DstAlpha => 255,
        Factor::SrcColor => source,
        Factor::OneMinusSrcColor => 255 - source,
        Factor::DstColor => there,
        Factor::OneMinusDstColor => 255 - there,
        Factor::SrcAlpha => alpha,
        Factor::OneMinusSrcAlpha => 255 - alpha,
    }
}

/// The rounded quotient; sums of two products of bytes are in range.
fn div255(x: u32) -> u32 {
    (x + 127) / 255
}

fn word([r, g, b]: [u32; 3], alpha: u32) -> u32 {
    r | g << 8 | b << 16 | alpha << 24
}

/// What blending in palette indices needs: colours of indices, and indices of colours.
#[derive(Clone, Debug)]
pub(crate) struct PaletteMix {
    colors: [[u8; 3]; 256],
    /// The nearest index of each colour of 5 bits a channel, red in the high ones.
    nearest: Vec<u8>,
}

impl PaletteMix {
    pub(crate) fn new(palette: &Palette) -> Self {
        let five = |x: usize| (x & 31) << 3 | (x & 31) >> 2;
        let all = 0..1usize << 15;
        let rgba: Vec<u8> = all
            .flat_map(|i| [five(i >> 10), five(i >> 5), five(i), 255].map(|x| x as u8))
            .collect();
        let colors = std::array::from_fn(|index| palette.color(index as u8));
        Self { colors, nearest: palette.quantize(&rgba) }
    }

    pub(crate) fn color(&self, index: u32) -> [u32; 3] {
        self.colors[(index & 255) as usize].map(u32::from)
    }

    /// A colour over a pixel of indices. What is not drawn is transparent, and stays so below half of
    /// the opacity.
    pub(crate) fn over(&self, mix: &Mix, source: [u32; 4], under: u32) -> u32 {
        let is_drawn = under & DRAWN == DRAWN;
        let there = if is_drawn { word(self.color(under), 255) } else { 0 };
        let [r, g, b, alpha] = mix.over(source, there).to_le_bytes();
        if alpha < 128 {
            return under;
        }
        let five = |x: u8| usize::from(x >> 3);
        DRAWN | u32::from(self.nearest[five(r) << 10 | five(g) << 5 | five(b)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix(factors: [Factor; 2]) -> Mix {
        Mix {
            factors,
            alpha_test: None,
            depth_test: DepthTest::NotFarther,
            depth_write: false,
            clamp: false,
            tint: None,
            alpha: 256,
        }
    }

    const BLEND: [Factor; 2] = [Factor::SrcAlpha, Factor::OneMinusSrcAlpha];
    const ADD: [Factor; 2] = [Factor::One, Factor::One];
    const FILTER: [Factor; 2] = [Factor::DstColor, Factor::Zero];

    fn over(factors: [Factor; 2], source: [u32; 4], under: [u8; 4]) -> [u8; 4] {
        mix(factors).over(source, u32::from_le_bytes(under)).to_le_bytes()
    }

    #[test]
    fn opaque_pixels_follow_the_factors() {
        for (factors, expected) in [
            (BLEND, [150, 75, 50]),
            (ADD, [255, 150, 100]),
            (FILTER, [78, 20, 0]),
            ([Factor::SrcAlpha, Factor::One], [200, 125, 100]),
            ([Factor::Zero, Factor::OneMinusSrcColor], [22, 80, 100]),
            ([Factor::One, Factor::OneMinusSrcColor], [222, 130, 100]),
            ([Factor::Zero, Factor::SrcColor], [78, 20, 0]),
            ([Factor::OneMinusDstColor, Factor::DstAlpha], [222, 130, 100]),
            ([Factor::SrcAlphaSaturate, Factor::OneMinusDstAlpha], [0, 0, 0]),
        ] {
            let [r, g, b] = expected;
            let found = over(factors, [200, 50, 0, 128], [100, 100, 100, 255]);
            assert_eq!(found, [r, g, b, 255], "{factors:?}");
        }
    }

    /// A straight colour with alpha over an opaque background.
    fn composed(pixel: [u8; 4], background: u8) -> [i32; 3] {
        let [r, g, b, a] = pixel.map(i32::from);
        [r, g, b].map(|c| (c * a + i32::from(background) * (255 - a) + 127) / 255)
    }

    #[test]
    fn a_transparent_picture_composed_is_the_picture_on_the_background() {
        for (factors, backgrounds) in
            [(BLEND, &[0, 77, 200, 255][..]), (ADD, &[0, 255]), (FILTER, &[0, 60, 255])]
        {
            for &background in backgrounds {
                let (mut straight, mut direct) =
                    ([0; 4], [background, background, background, 255]);
                for (grey, alpha) in [(90, 130), (10, 250), (200, 3), (40, 40)] {
                    let source = [grey, grey, grey, alpha];
                    straight = over(factors, source, straight);
                    direct = over(factors, source, direct);
                }
                let found = composed(straight, background);
                let worst = found.iter().zip(direct).map(|(a, b)| (a - i32::from(b)).abs()).max();
                assert!(worst <= Some(3), "{factors:?} on {background}: {straight:?} {direct:?}");
            }
        }
    }

    #[test]
    fn premultiplied_bytes_survive_the_way_through_straight_ones() {
        for opacity in 1..=255u32 {
            for channel in 0..=opacity {
                let straight = (channel * 255 + opacity / 2) / opacity;
                assert_eq!(div255(straight * opacity), channel, "{channel} of {opacity}");
            }
        }
    }

    #[test]
    fn what_changes_nothing_leaves_the_pixel_as_it_is() {
        for under in [[9, 8, 7, 0], [0; 4], [200, 100, 50, 3], [1, 2, 3, 255]] {
            assert_eq!(over(BLEND, [255, 255, 255, 0], under), under);
            assert_eq!(over(ADD, [0, 0, 0, 255], under), under);
            assert_eq!(over(FILTER, [255, 255, 255, 0], under), under);
        }
    }

    #[test]
    fn indices_blend_to_the_nearest_colour() {
        let quake = Palette::quake();
        let table = PaletteMix::new(&quake);
        let drawn = |rgb: [u8; 3]| DRAWN | u32::from(quake.nearest(rgb));
        assert_eq!(table.over(&mix(ADD), [0, 0, 0, 255], drawn([0, 0, 0])), drawn([0, 0, 0]));
        let glow = table.over(&mix(ADD), [255, 255, 255, 0], drawn([80, 80, 80]));
        assert_eq!(glow, drawn([255, 255, 255]));
        // Faint light over nothing is nothing.
        assert_eq!(table.over(&mix(ADD), [60, 60, 60, 255], 255), 255);
        assert_ne!(table.over(&mix(ADD), [160, 60, 60, 255], 255), 255);
    }
}
