//! What the covered pixels show: depth, light, colours that do not depend on the place.

use std::sync::Arc;

use polyset::{
    Alpha, ColorMode, Colormap, Cull, Draw, Filter, Image, Lighting, Look, Model, Palette,
    Perspective, SurfaceParts,
};
use proptest::prelude::*;

use crate::screen::{Painter, check, depth_of, plain, rectangle, single, unlit, vertex, view};

const RED: u32 = 0xff00_00ff;
const GREEN: u32 = 0xff00_ff00;

fn color(pixel: u32) -> Image {
    single(pixel.to_le_bytes())
}

/// A corner of a triangle of any shape: place (1/256 pixel), distance (a power of two), texture
/// coordinate, normal (one of six).
#[derive(Clone, Debug)]
struct Corner {
    place: [i32; 2],
    w: f32,
    uv: [f32; 2],
    normal: usize,
}

/// Three corners, up to `size` pixels from a point in or near a picture of 64 x 64.
fn triangle() -> impl Strategy<Value = [Corner; 3]> {
    let distance = prop::sample::select(vec![1.0f32, 2.0, 4.0]);
    let corner = ([-256i32..257, -256..257], distance, [-2f32..2.0, -2f32..2.0], 0usize..6);
    let size = prop::sample::select(vec![2, 12, 60, 700]);
    let middle = [-10i32 * 256..74 * 256, -10 * 256..74 * 256];
    (middle, size, prop::array::uniform3(corner)).prop_map(|(middle, size, corners)| {
        corners.map(|(offset, w, uv, normal)| {
            let place = [0, 1].map(|i| middle[i] + offset[i] * size);
            Corner { place, w, uv, normal }
        })
    })
}

fn pixels(place: [i32; 2]) -> [f32; 2] {
    place.map(|x| x as f32 / 256.0)
}

fn surface(triangles: &[[Corner; 3]], texture: &Arc<Image>) -> SurfaceParts {
    let corners = || triangles.iter().flatten();
    let count = triangles.len() as u32;
    let positions = corners().map(|c| vertex(pixels(c.place), c.w)).collect();
    let mut part = plain(positions, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect());
    part.texcoords = corners().map(|c| c.uv).collect();
    let axis = |number: usize| {
        let mut normal = [0.0; 3];
        normal[number / 2] = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
        normal
    };
    part.normals = corners().map(|c| axis(c.normal)).collect();
    part.texture = Some(texture.clone());
    part
}

/// A picture with something of everything: colours, dark and bright, and holes.
fn motley(width: u32, height: u32) -> Arc<Image> {
    let texel =
        |i: u32| [(i * 7) as u8, (i * 13) as u8, 255, if i.is_multiple_of(5) { 0 } else { 255 }];
    let rgba = (0..width * height).flat_map(texel).collect();
    Arc::new(Image::from_rgba(width, height, rgba).unwrap())
}

#[test]
fn a_shift_by_whole_pixels_shifts_the_picture() {
    let every_face = Look { cull: Cull::None, ..Look::default() };
    let looks = [
        every_face,
        Look { lighting: Lighting::Quake, ..every_face },
        Look { lighting: Lighting::Gl, alpha: Alpha::Test, ..every_face },
        Look { filter: Filter::Bilinear, perspective: Perspective::Affine, ..every_face },
        Look { filter: Filter::Trilinear, ..every_face },
        Look { draw: Draw::Flat, ..every_face },
        Look { draw: Draw::Normals, ..every_face },
    ];
    let (small, large) = (Painter::new([64, 64]), Painter::new([256, 128]));
    let triangles = prop::collection::vec(triangle(), 1..12);
    let shift = [-30i32..222, -30..94];
    check(24, &(triangles, shift, 0usize..7), 10_000, |(triangles, [right, down], look)| {
        let texture = [motley(16, 8), motley(13, 7)][look % 2].clone();
        let model = Model::from_parts(vec![surface(&triangles, &texture)]).unwrap();
        let color = if look == 1 { ColorMode::Indexed } else { ColorMode::Rgb };
        let here = small.draw(&model, &view([64, 64], [0, 0]).color(color), &looks[look]);
        let there = view([256, 128], [right, down]).color(color);
        let there = large.draw(&model, &there, &looks[look]);
        let mut seen = 0;
        for (i, (&pixel, &depth)) in here.pixels.iter().zip(&here.depth).enumerate() {
            let [x, y] = [(i % 64) as i32 + right, (i / 64) as i32 + down];
            if (0..256).contains(&x) && (0..128).contains(&y) {
                let place = (y * 256 + x) as usize;
                let found = (there.pixels[place], there.depth[place]);
                assert_eq!(found, (pixel, depth), "pixel {i} with look {look}");
                seen += usize::from(pixel != 0);
            }
        }
        seen
    });
}

#[test]
fn interpolated_values_stay_between_their_ends() {
    let ramp: Vec<u8> = (0..=255u8).flat_map(|grey| [grey, grey, grey, 255]).collect();
    let ramp = Arc::new(Image::from_rgba(256, 1, ramp).unwrap());
    let white = Arc::new(single([255; 4]));
    let painter = Painter::new([64, 64]);
    let lights = (0u32..200, 1u32..57);
    let strategy = (triangle(), prop::array::uniform3(0u32..256), lights);
    check(256, &strategy, 20_000, |(mut corners, texels, (ambient, diffuse))| {
        let [near, far] = ends(corners.iter().map(|c| depth_of(c.w)));
        // The middle of a texel, so that rounding cannot leave it.
        for (corner, texel) in corners.iter_mut().zip(texels) {
            corner.uv = [(texel as f32 + 0.5) / 256.0, 0.5];
        }
        let every_face = Look { cull: Cull::None, ..unlit() };
        let picture = painter.draw_parts(vec![surface(&[corners.clone()], &ramp)], &every_face);
        let [darkest, brightest] = ends(texels);
        for (&pixel, &depth) in picture.pixels.iter().zip(&picture.depth) {
            if pixel != 0 {
                assert!((darkest..=brightest).contains(&(pixel & 255)), "{pixel:08x}");
                assert!((near - 1e-6..=far + 1e-6).contains(&depth), "{depth}");
            }
        }
        // Whole 256ths of light, lambert's of the six normals: none but the first sees the light.
        let lambert = Look {
            lighting: Lighting::Lambert,
            light: [1.0, 0.0, 0.0],
            ambient: ambient as f32 / 256.0,
            diffuse: diffuse as f32 / 256.0,
            ..every_face
        };
        let lit = |corner: &Corner| {
            let light = ambient + if corner.normal == 0 { diffuse } else { 0 };
            (255 * light + 128) >> 8
        };
        let [darkest, brightest] = ends(corners.iter().map(lit));
        let picture = painter.draw_parts(vec![surface(&[corners], &white)], &lambert);
        for &pixel in picture.pixels.iter().filter(|&&pixel| pixel != 0) {
            assert!((darkest..=brightest).contains(&(pixel & 255)), "{pixel:08x}");
        }
        picture.drawn()
    });
}

/// The smallest and the largest.
fn ends<T: PartialOrd + Copy>(values: impl IntoIterator<Item = T>) -> [T; 2] {
    let mut values = values.into_iter();
    let first = values.next().expect("at least one");
    values.fold([first; 2], |[min, max], x| {
        [if x < min { x } else { min }, if x > max { x } else { max }]
    })
}

/// Sides of squares for each way of drawing: up to 4 x 4 pixels, up to 89, larger.
const SIDES: [f32; 3] = [3.0, 40.0, 400.0];

#[test]
fn the_first_of_equal_depths_stays_and_the_nearer_wins() {
    let painter = Painter::new([64, 64]);
    for side in SIDES {
        let square = |w: f32, pixel: u32| {
            rectangle([[1.0, 1.0], [1.0 + side; 2]], w, [[0.0; 2], [1.0; 2]], color(pixel))
        };
        let only = |picture: &crate::screen::Picture, pixel: u32| {
            let drawn = picture.drawn();
            let expected = side.min(63.0) as usize;
            drawn == expected * expected
                && picture.pixels.iter().filter(|&&found| found == pixel).count() == drawn
        };
        for (first, second) in [(RED, GREEN), (GREEN, RED)] {
            let tie = painter.draw_parts(vec![square(2.0, first), square(2.0, second)], &unlit());
            assert!(only(&tie, first), "side {side}, two surfaces");
            for order in [[1.0, 2.0], [2.0, 1.0]] {
                let parts = vec![square(order[0], first), square(order[1], second)];
                let nearer = if order[0] < order[1] { first } else { second };
                assert!(only(&painter.draw_parts(parts, &unlit()), nearer), "side {side}");
            }
        }
        // One surface: its triangles take the left or the right half of a texture.
        for halves in [[0.25, 0.75], [0.75, 0.25]] {
            let texture = [RED.to_le_bytes(), GREEN.to_le_bytes()].concat();
            let mut part = square(1.0, RED);
            part.texture = Some(Image::from_rgba(2, 1, texture).unwrap().into());
            let again: Vec<_> = part.triangles.iter().map(|t| t.map(|corner| corner + 4)).collect();
            part.triangles.extend(again);
            part.positions.extend_from_within(..);
            part.normals.extend_from_within(..);
            part.texcoords = halves.iter().flat_map(|&u| [[u, 0.5]; 4]).collect();
            let first = if halves[0] < 0.5 { RED } else { GREEN };
            let picture = painter.draw_parts(vec![part], &unlit());
            assert!(only(&picture, first), "side {side}, one surface");
        }
    }
}

/// Style, light level, normal; 256 times the intensity, colormap row.
const LIGHTS: [(Lighting, f32, [f32; 3], u32, usize); 11] = [
    (Lighting::Unlit, 128.0, [0.0, 1.0, 0.0], 256, 32),
    (Lighting::Lambert, 128.0, [-1.0, 0.0, 0.0], 77, 54),
    (Lighting::Quake, 96.0, [1.0, 0.0, 0.0], 384, 15),
    (Lighting::Quake, 100.0, [0.5, 0.866_025_4, 0.0], 291, 27),
    (Lighting::Quake, 128.0, [-1.0, 0.0, 0.0], 254, 31),
    (Lighting::Quake2, 96.0, [1.0, 0.0, 0.0], 384, 15),
    (Lighting::Quake2, 0.0, [1.0, 0.0, 0.0], 4, 62),
    (Lighting::Gl, 100.0, [0.0, 1.0, 0.0], 246, 33),
    (Lighting::Gl, 50.0, [0.0, 0.0, 1.0], 219, 36),
    (Lighting::Quake3, 128.0, [-0.428_571_4, -0.285_714_3, -0.857_142_9], 183, 41),
    (Lighting::Quake3, 128.0, [0.428_571_4, 0.285_714_3, 0.857_142_9], 256, 32),
];

#[test]
fn light_multiplies_or_selects_a_row_and_leaves_fullbright_texels_alone() {
    let (shaded, bright) = (100, 245);
    let palette = Palette::quake();
    let colormap = Colormap::from_palette(&palette);
    let painter = Painter::new([16, 16]);
    for (lighting, light_level, normal, intensity, row) in LIGHTS {
        let skin = Image::from_indices(2, 1, vec![shaded, bright], palette.clone(), None).unwrap();
        let mut part = rectangle([[0.0; 2], [16.0; 2]], 1.0, [[0.0; 2], [1.0; 2]], skin);
        part.normals = vec![normal; 4];
        let look = Look { lighting, light_level, ..Look::default() };
        let times = |index: u8, intensity: u32| {
            let [r, g, b] =
                palette.color(index).map(|c| ((u32::from(c) * intensity + 128) >> 8).min(255));
            0xff00_0000 | b << 16 | g << 8 | r
        };
        let is_unlit = matches!(lighting, Lighting::Quake | Lighting::Gl);
        let expected =
            [times(shaded, intensity), times(bright, if is_unlit { 256 } else { intensity })];
        let halves = |picture: &crate::screen::Picture| {
            let halves = |row: &[u32]| {
                row[..8].iter().all(|&p| p == row[0]) && row[8..].iter().all(|&p| p == row[8])
            };
            assert!(picture.pixels.chunks(16).all(halves), "{lighting:?}");
            [picture.pixels[0], picture.pixels[8]]
        };
        let found = halves(&painter.draw_parts(vec![part.clone()], &look));
        assert_eq!(
            found.map(|p| format!("{p:08x}")),
            expected.map(|p| format!("{p:08x}")),
            "{lighting:?} at {light_level}"
        );
        let indexed = view([16, 16], [0, 0]).color(ColorMode::Indexed);
        let model = Model::from_parts(vec![part]).unwrap();
        let found = halves(&painter.draw(&model, &indexed, &look));
        let expected = [colormap.rows()[row * 256 + usize::from(shaded)], bright];
        assert_eq!(
            found,
            expected.map(|index| 0xffff_ff00 | u32::from(index)),
            "{lighting:?} at {light_level}"
        );
    }
}
