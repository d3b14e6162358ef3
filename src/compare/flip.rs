//! FLIP: how much a viewer notices who flips between two pictures.
//!
//! Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström, Fairchild: "FLIP: A Difference Evaluator for
//! Alternating Images", 2020, for pictures of low dynamic range. Colours are blurred as the eye blurs
//! them at a distance and compared in a space of even steps; edges and points of one picture alone
//! raise the error. The distance is the authors' default, a picture of 3840 pixels as wide as it is away.

use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::sync::LazyLock;

use super::perceptual::Patch;

/// Pixels for a degree of the viewer's sight.
const PIXELS_PER_DEGREE: f64 = 3840.0 * PI / 180.0;
/// Three standard deviations of the widest filter, that of blue and yellow, in pixels.
pub(super) const RADIUS: usize = 10;
const TAPS: usize = 2 * RADIUS + 1;

/// Contrast sensitivity (table 1 of the paper): weight and width of the Gaussians of black and white, red
/// and green, blue and yellow (two).
const SENSITIVITY: [(f64, f64); 4] = [(1.0, 0.0047), (1.0, 0.0053), (34.1, 0.04), (13.5, 0.025)];
/// Degrees of an edge as the eye finds it.
const EDGE_WIDTH: f64 = 0.082;
/// Compresses large colour differences.
const COLOR_EXPONENT: f64 = 0.7;
/// Below this share of the largest colour difference errors run up to [`TURN_ERROR`], above it to 1.
const TURN: f64 = 0.4;
const TURN_ERROR: f64 = 0.95;
const FEATURE_EXPONENT: f64 = 0.5;

/// Linear sRGB to XYZ.
const XYZ_OF_RGB: [[f64; 3]; 3] = [
    [10_135_552.0 / 24_577_794.0, 8_788_810.0 / 24_577_794.0, 4_435_075.0 / 24_577_794.0],
    [2_613_072.0 / 12_288_897.0, 8_788_810.0 / 12_288_897.0, 887_015.0 / 12_288_897.0],
    [1_425_312.0 / 73_733_382.0, 8_788_810.0 / 73_733_382.0, 70_074_185.0 / 73_733_382.0],
];

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// What depends on no picture.
struct Tables {
    /// Light of an sRGB level, 0 to 1.
    light: [f64; 256],
    rgb_of_xyz: [[f64; 3]; 3],
    white: [f64; 3],
    /// Gaussians of [`SENSITIVITY`], each of sum 1.
    blurs: [[f64; TAPS]; 4],
    /// Shares of the two Gaussians of blue and yellow.
    shares: [f64; 2],
    /// Gaussian, first and second derivative.
    features: [[f64; TAPS]; 3],
    /// The largest colour difference.
    most: f64,
}

/// The errors of the part of two patches, 0 to 1.
pub(super) fn errors(patches: [Patch; 2]) -> Vec<f64> {
    let [expected, actual] = patches.map(|patch| seen(&patch));
    let differences = expected.into_iter().zip(actual).map(|(a, b)| {
        let color = color_error(&a.lab, &b.lab);
        let feature = (a.edge - b.edge).abs().max((a.point - b.point).abs());
        let feature = libm::pow(FRAC_1_SQRT_2 * feature, FEATURE_EXPONENT);
        libm::pow(color, 1.0 - feature).min(1.0)
    });
    differences.collect()
}

/// A pixel as it is seen.
struct Seen {
    /// L*, a*, b*, the last two paler in the dark (Hunt).
    lab: [f64; 3],
    /// How much of an edge and of a point stands here.
    edge: f64,
    point: f64,
}

fn seen(patch: &Patch) -> Vec<Seen> {
    let tables = &*TABLES;
    let opponents = patch.colors.iter().map(|color| {
        let xyz = times(&XYZ_OF_RGB, color.map(|level| tables.light[usize::from(level)]));
        opponent_of(divided(xyz, tables.white))
    });
    let opponents: Vec<[f64; 3]> = opponents.collect();
    let plane = |channel: usize| opponents.iter().map(|color| color[channel]).collect::<Vec<_>>();
    let filtered = |plane: &[f64], across: &[f64], down: &[f64]| {
        patch.down(&patch.across(plane, across), down)
    };
    let blurred = |channel: usize, blur: usize| {
        filtered(&plane(channel), &tables.blurs[blur], &tables.blurs[blur])
    };
    let [luminance, red_green, wide, narrow] =
        [(0, 0), (1, 1), (2, 2), (2, 3)].map(|(channel, blur)| blurred(channel, blur));
    let luma: Vec<f64> = opponents.iter().map(|color| (color[0] + 16.0) / 116.0).collect();
    let [gauss, first, second] = &tables.features;
    let [edge_x, edge_y, point_x, point_y] =
        [(first, gauss), (gauss, first), (second, gauss), (gauss, second)]
            .map(|(across, down)| filtered(&luma, across, down));
    let length = |x: f64, y: f64| (x * x + y * y).sqrt();
    let pixel = |i: usize| {
        let blue_yellow = tables.shares[0] * wide[i] + tables.shares[1] * narrow[i];
        let xyz = relative_of([luminance[i], red_green[i], blue_yellow]);
        let rgb = times(&tables.rgb_of_xyz, multiplied(xyz, tables.white));
        Seen {
            lab: tables.lab(rgb.map(|light| light.clamp(0.0, 1.0))),
            edge: length(edge_x[i], edge_y[i]),
            point: length(point_x[i], point_y[i]),
        }
    };
    (0..luminance.len()).map(pixel).collect()
}

fn color_error(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let most = TABLES.most;
    let difference = libm::pow(distance(a, b), COLOR_EXPONENT);
    let turn = TURN * most;
    if difference < turn {
        TURN_ERROR / turn * difference
    } else {
        TURN_ERROR + (difference - turn) / (most - turn) * (1.0 - TURN_ERROR)
    }
}

/// HyAB: of lightness apart, of hue and chroma together.
fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let [l, a, b] = [0, 1, 2].map(|i| a[i] - b[i]);
    l.abs() + (a * a + b * b).sqrt()
}

/// XYZ in shares of white to lightness, red minus green, yellow minus blue: linear (YCxCz).
fn opponent_of([x, y, z]: [f64; 3]) -> [f64; 3] {
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn relative_of([luminance, red_green, blue_yellow]: [f64; 3]) -> [f64; 3] {
    let y = (luminance + 16.0) / 116.0;
    [y + red_green / 500.0, y, y - blue_yellow / 200.0]
}

fn times(matrix: &[[f64; 3]; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * x + row[1] * y + row[2] * z)
}

fn multiplied(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i] * b[i])
}

fn divided(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i] / b[i])
}

impl Tables {
    fn new() -> Self {
        let gauss = |width: f64| {
            let degrees = |pixels: f64| pixels / PIXELS_PER_DEGREE;
            of_offsets(|x| libm::exp(-PI * PI * degrees(x) * degrees(x) / width))
        };
        let gaussians = SENSITIVITY.map(|(_, width)| gauss(width));
        let blurs = gaussians.map(|gauss| scaled(gauss, |_| true));
        // The Gaussians are weighed by their volumes.
        let volume = |i: usize| {
            let ((weight, width), sum) = (SENSITIVITY[i], gaussians[i].iter().sum::<f64>());
            weight * (PI / width).sqrt() * sum * sum
        };
        let shares = [2, 3].map(|i| volume(i) / (volume(2) + volume(3)));
        let deviation = 0.5 * EDGE_WIDTH * PIXELS_PER_DEGREE;
        let reach = (3.0 * deviation).ceil();
        let feature = |factor: fn(f64) -> f64| {
            of_offsets(|pixels| {
                let x = pixels / deviation;
                if pixels.abs() > reach { 0.0 } else { factor(x) * libm::exp(-x * x / 2.0) }
            })
        };
        let derivative = |factor| {
            let rising = scaled(feature(factor), |weight| weight > 0.0);
            scaled(rising, |weight| weight < 0.0)
        };
        let features =
            [scaled(feature(|_| 1.0), |_| true), derivative(|x| -x), derivative(|x| x * x - 1.0)];
        let mut tables = Self {
            light: std::array::from_fn(|level| {
                let level = level as f64 / 255.0;
                if level <= 0.04045 {
                    level / 12.92
                } else {
                    libm::pow((level + 0.055) / 1.055, 2.4)
                }
            }),
            rgb_of_xyz: inverse(&XYZ_OF_RGB),
            white: times(&XYZ_OF_RGB, [1.0; 3]),
            blurs,
            shares,
            features,
            most: 0.0,
        };
        let [green, blue] = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|rgb| tables.lab(rgb));
        tables.most = libm::pow(distance(&green, &blue), COLOR_EXPONENT);
        tables
    }

    /// CIELAB of linear sRGB, a* and b* times a hundredth of L* (Hunt).
    fn lab(&self, rgb: [f64; 3]) -> [f64; 3] {
        const KNEE: f64 = 6.0 / 29.0;
        let [x, y, z] = divided(times(&XYZ_OF_RGB, rgb), self.white).map(|share| {
            if share > KNEE * KNEE * KNEE {
                libm::cbrt(share)
            } else {
                share / (3.0 * KNEE * KNEE) + 4.0 / 29.0
            }
        });
        let lightness = 116.0 * y - 16.0;
        [lightness, 0.01 * lightness * 500.0 * (x - y), 0.01 * lightness * 200.0 * (y - z)]
    }
}

/// A filter by the distance from its middle.
fn of_offsets(weight: impl Fn(f64) -> f64) -> [f64; TAPS] {
    std::array::from_fn(|tap| weight(tap as f64 - RADIUS as f64))
}

/// The filter with the chosen weights scaled so that their amounts sum to 1.
fn scaled(filter: [f64; TAPS], chosen: impl Fn(f64) -> bool) -> [f64; TAPS] {
    let sum: f64 = filter.iter().filter(|weight| chosen(**weight)).map(|weight| weight.abs()).sum();
    filter.map(|weight| if chosen(weight) { weight / sum } else { weight })
}

fn inverse(matrix: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let [a, b, c] = matrix;
    let cross = |a: &[f64; 3], b: &[f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let columns = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant = a[0] * columns[0][0] + a[1] * columns[0][1] + a[2] * columns[0][2];
    [0, 1, 2].map(|row| [0, 1, 2].map(|column: usize| columns[column][row] / determinant))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(color: [u8; 3]) -> Patch {
        Patch { size: [1, 1], radius: RADIUS, colors: vec![color; TAPS * TAPS] }
    }

    #[test]
    fn plain_colours_differ_as_the_formulas_say() {
        let error = |a, b| errors([patch(a), patch(b)])[0];
        let (black, white) = ([0; 3], [255; 3]);
        // Lightness alone: 100 steps against those of green and blue, which are the most.
        let most = TABLES.most;
        let expected = 0.95 + (libm::pow(100.0, 0.7) - 0.4 * most) / (0.6 * most) * 0.05;
        assert!((error(black, white) - expected).abs() < 1e-9);
        assert!((error([0, 255, 0], [0, 0, 255]) - 1.0).abs() < 1e-9);
        // A step of lightness near black, where L* is 29/3 cubed times the light.
        let lightness = 24389.0 / 27.0 / 12.92 / 255.0;
        let expected = 0.95 / (0.4 * most) * libm::pow(lightness, 0.7);
        assert!((error(black, [1; 3]) - expected).abs() < 1e-9);
        assert_eq!(error(white, white), 0.0);
    }

    #[test]
    fn filters_keep_what_is_even() {
        let sum = |filter: &[f64]| filter.iter().sum::<f64>();
        for blur in TABLES.blurs.iter().chain(&TABLES.features[..1]) {
            assert!((sum(blur) - 1.0).abs() < 1e-12);
        }
        for derivative in &TABLES.features[1..] {
            assert!(sum(derivative).abs() < 1e-12);
            assert!((sum(&derivative.map(f64::abs)) - 2.0).abs() < 1e-12);
        }
        // Nothing is cut off that counts.
        assert!(TABLES.blurs[2][0] < 1e-3 && TABLES.features[0][0] == 0.0);
        let [x, y, z] = times(&TABLES.rgb_of_xyz, times(&XYZ_OF_RGB, [0.1, 0.5, 0.9]));
        assert!((x - 0.1).abs() + (y - 0.5).abs() + (z - 0.9).abs() < 1e-12);
    }
}
