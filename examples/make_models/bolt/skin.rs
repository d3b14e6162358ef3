//! From paint to texels: Quake's palette, Bolt's own palette, true colour.

use super::body::{PARTS, Part};
use super::paint::{Ink, Mood, Ramp, paint};
use super::shape::Chart;

/// Inks of a whole skin, row by row.
pub(crate) struct Skin {
    pub(crate) width: u32,
    pub(crate) height: u32,
    inks: Vec<Option<Ink>>,
}

impl Skin {
    /// A skin of `2 * half` (plus `odd`) times `height` texels of the base size, each `scale` texels
    /// wide and high.
    pub(crate) fn new(
        size: [u32; 2],
        half: u32,
        scale: u32,
        mood: Mood,
        parts: &[(Part, Chart)],
    ) -> Self {
        let (width, height) = (size[0] * scale, size[1] * scale);
        let mut skin = Self { width, height, inks: vec![None; (width * height) as usize] };
        for &(part, chart) in parts {
            for back in [false, true] {
                if part == Part::Pack && back {
                    continue;
                }
                let shift = if back { half as f32 } else { 0.0 };
                skin.fill(part, back, Chart { x: chart.x + shift, ..chart }, scale as f32, mood);
            }
        }
        skin
    }

    /// Paints a chart and a margin of one texel around it.
    fn fill(&mut self, part: Part, back: bool, chart: Chart, scale: f32, mood: Mood) {
        for row in 0..self.height {
            let y = (row as f32 + 0.5) / scale - chart.y;
            if !(-1.0..chart.height + 1.0).contains(&y) {
                continue;
            }
            for column in 0..self.width {
                let x = (column as f32 + 0.5) / scale - chart.x;
                if !(-1.0..chart.width + 1.0).contains(&x) {
                    continue;
                }
                let x = x.clamp(0.0, chart.width);
                let x = if back { chart.width - x } else { x };
                let ink = paint(part, back, x, y.clamp(0.0, chart.height), mood);
                self.inks[(row * self.width + column) as usize] = Some(ink);
            }
        }
    }

    /// One byte per texel: `index` of a ramp and a step 0..=15.
    pub(crate) fn indices(&self, index: impl Fn(Ramp, u8) -> u8) -> Vec<u8> {
        self.cells()
            .map(|(ink, dither)| {
                let step = ink.shade.clamp(0.0, 1.0) * 15.0 + 0.5 + 0.25 * (dither - 0.5);
                index(ink.ramp, libm::floorf(step).clamp(0.0, 15.0) as u8)
            })
            .collect()
    }

    /// Three bytes per texel, between the ramps' colours.
    pub(crate) fn rgb(&self) -> Vec<u8> {
        self.cells().flat_map(|(ink, _)| blend(own_ramp(ink.ramp), ink.shade)).collect()
    }

    /// The ink of each texel, and a threshold 0..1 of a 4 x 4 ordered dither.
    fn cells(&self) -> impl Iterator<Item = (Ink, f32)> {
        const ORDER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
        self.inks.iter().enumerate().map(|(at, ink)| {
            let (x, y) = (at % self.width as usize, at / self.width as usize);
            let dither = (f32::from(ORDER[y % 4][x % 4]) + 0.5) / 16.0;
            (ink.unwrap_or(Ink { ramp: Ramp::Rubber, shade: 0.1 }), dither)
        })
    }
}

/// All parts of Bolt with their charts.
pub(crate) fn whole_body() -> Vec<(Part, Chart)> {
    PARTS.iter().map(|&part| (part, super::body::chart(part))).collect()
}

/// Index in Quake's palette. Ramps from 128 to 223 are stored bright to dark; the last 32 colours
/// are never shaded; 255 is left to holes.
pub(crate) fn quake_index(ramp: Ramp, step: u8) -> u8 {
    match ramp {
        Ramp::Rubber => step,
        Ramp::Shell => 16 + step,
        Ramp::Steel => 32 + step,
        Ramp::Red => 64 + step,
        Ramp::Trim => 96 + step,
        Ramp::Cream => 175 - step,
        Ramp::Gold => 207 - step * 4 / 5,
        Ramp::Glass => 223 - step,
        Ramp::Glow => {
            [224, 226, 228, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 252, 253, 254]
                [usize::from(step)]
        }
    }
}

const OWN_RAMPS: [Ramp; 9] = [
    Ramp::Rubber,
    Ramp::Shell,
    Ramp::Trim,
    Ramp::Steel,
    Ramp::Red,
    Ramp::Gold,
    Ramp::Cream,
    Ramp::Glass,
    Ramp::Glow,
];

/// Index in Bolt's own palette, [`own_palette`].
pub(crate) fn own_index(ramp: Ramp, step: u8) -> u8 {
    let place = OWN_RAMPS.iter().position(|&own| own == ramp).unwrap_or(0) as u8;
    // The one entry that is never shaded in a Quake II palette is the brightest glow.
    if ramp == Ramp::Glow && step == 15 { 255 } else { place * 16 + step }
}

/// Darkest, middle and brightest colour.
fn own_ramp(ramp: Ramp) -> [[u8; 3]; 3] {
    match ramp {
        Ramp::Rubber => [[8, 8, 14], [78, 80, 92], [190, 192, 200]],
        Ramp::Shell => [[4, 26, 40], [18, 124, 146], [168, 240, 232]],
        Ramp::Trim => [[34, 22, 52], [96, 84, 140], [206, 200, 240]],
        Ramp::Steel => [[22, 26, 36], [116, 128, 146], [236, 242, 250]],
        Ramp::Red => [[50, 6, 16], [198, 46, 44], [255, 176, 140]],
        Ramp::Gold => [[48, 24, 4], [206, 136, 32], [255, 236, 150]],
        Ramp::Cream => [[62, 50, 44], [196, 178, 148], [255, 250, 232]],
        Ramp::Glass => [[2, 4, 14], [26, 46, 92], [140, 190, 240]],
        Ramp::Glow => [[120, 50, 0], [255, 190, 40], [255, 255, 220]],
    }
}

fn blend(ramp: [[u8; 3]; 3], shade: f32) -> [u8; 3] {
    let place = shade.clamp(0.0, 1.0) * 2.0;
    let (from, share) = if place < 1.0 { (0, place) } else { (1, place - 1.0) };
    std::array::from_fn(|channel| {
        let (a, b) = (f32::from(ramp[from][channel]), f32::from(ramp[from + 1][channel]));
        libm::floorf(a + (b - a) * share + 0.5) as u8
    })
}

/// The palette of Bolt's .pcx skin.
pub(crate) fn own_palette() -> [[u8; 3]; 256] {
    let mut palette = [[0; 3]; 256];
    for (place, &ramp) in OWN_RAMPS.iter().enumerate() {
        for step in 0..16 {
            palette[place * 16 + step] = blend(own_ramp(ramp), step as f32 / 15.0);
        }
    }
    palette[255] = blend(own_ramp(Ramp::Glow), 1.0);
    palette
}
