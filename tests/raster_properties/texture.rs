//! Which texels pixels show: wrapping, filters, holes.

use polyset::{
    Alpha, Blend, Camera, Filter, Image, Look, Model, Palette, Pixels, SurfaceParts, View,
};

use crate::screen::{Painter, depth_of, rectangle, single, unlit};

/// A different colour for each texel.
fn texel([x, y]: [u32; 2]) -> [u8; 4] {
    [(x * 37 + 5) as u8, (y * 53 + 9) as u8, (x * 11 + y * 91) as u8, 255]
}

fn texture(width: u32, height: u32) -> Image {
    let texels = (0..height).flat_map(|y| (0..width).flat_map(move |x| texel([x, y])));
    Image::from_rgba(width, height, texels.collect()).unwrap()
}

#[test]
fn textures_repeat_in_all_directions_and_texel_centres_need_no_filter() {
    let painter = Painter::new([64, 64]);
    for (width, height) in [(8, 4), (5, 3), (1, 1), (16, 1), (3, 64), (200, 7)] {
        // Texel (0, 0) lies right below the middle of the picture, a texel is a pixel large.
        let ends = [
            [width, height].map(|side| -32.0 / side as f32),
            [width, height].map(|side| 32.0 / side as f32),
        ];
        for filter in [Filter::Nearest, Filter::Bilinear, Filter::Trilinear] {
            let part = rectangle([[0.0; 2], [64.0; 2]], 1.0, ends, texture(width, height));
            let picture = painter.draw_parts(vec![part], &Look { filter, ..unlit() });
            let is_exact = filter == Filter::Nearest || (width * height).is_power_of_two();
            for (i, &pixel) in picture.pixels.iter().enumerate() {
                let place = [i % 64, i / 64].map(|x| x as i32 - 32);
                let wrapped =
                    [place[0].rem_euclid(width as i32), place[1].rem_euclid(height as i32)];
                let expected = texel(wrapped.map(|x| x as u32));
                let found = pixel.to_le_bytes();
                // Coordinates that are no binary fractions may lie beside the centre by a hair: then
                // 1/256 of the next column and of the next row shows.
                let worst = found.iter().zip(expected).map(|(a, b)| a.abs_diff(b)).max().unwrap();
                assert!(
                    worst <= if is_exact { 0 } else { 2 },
                    "{filter:?}, {width} x {height}, {place:?}: {found:?}, not {expected:?}"
                );
            }
        }
    }
}

#[test]
fn coordinates_far_out_and_broken_ones_show_some_texel() {
    let painter = Painter::new([16, 16]);
    let cases = [
        (-0.25, [6, 3]),
        (-3.0, [0, 0]),
        (7.99, [7, 4]),
        (40_000.25, [2, 1]),
        (-40_000.25, [6, 3]),
        (f32::NAN, [0, 0]),
        (f32::NEG_INFINITY, [0, 0]),
        (3e38, [0, 0]),
    ];
    for (u, columns) in cases {
        for (width, column) in [8, 5].into_iter().zip(columns) {
            let part = rectangle([[0.0; 2], [16.0; 2]], 1.0, [[u, 0.5]; 2], texture(width, 1));
            let picture = painter.draw_parts(vec![part], &unlit());
            let expected = u32::from_le_bytes(texel([column, 0]));
            assert!(picture.pixels.iter().all(|&p| p == expected), "u = {u}, width {width}");
        }
    }
}

#[test]
fn bilinear_blends_halfway_between_centres() {
    // Four pixels for each texel: 1/8, 3/8, 5/8 and 7/8 of the way to the next centre.
    let painter = Painter::new([16, 16]);
    let black_and_white = Image::from_rgba(2, 1, [[0, 0, 0, 255], [255; 4]].concat()).unwrap();
    let part = rectangle([[0.0; 2], [8.0, 16.0]], 1.0, [[0.0; 2], [1.0; 2]], black_and_white);
    let picture = painter.draw_parts(vec![part], &Look { filter: Filter::Bilinear, ..unlit() });
    // The coordinate of pixel 0 is 1/8: 3/8 before the centre of texel 0, after that of texel 1.
    let shares = [3, 1, 1, 3, 5, 7, 7, 5].map(|eighths| (255 * eighths + 4) / 8);
    for row in picture.pixels.chunks(16) {
        let found: Vec<u32> = row[..8].iter().map(|p| p & 255).collect();
        assert_eq!(found, shares);
    }
}

#[test]
fn trilinear_takes_the_mean_of_four_texels_at_half_size() {
    let painter = Painter::new([8, 8]);
    let part = rectangle([[0.0; 2], [8.0; 2]], 1.0, [[0.0; 2], [1.0; 2]], texture(16, 16));
    let picture = painter.draw_parts(vec![part], &Look { filter: Filter::Trilinear, ..unlit() });
    for (i, pixel) in picture.pixels.iter().enumerate() {
        let [x, y] = [i as u32 % 8 * 2, i as u32 / 8 * 2];
        let block = [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]].map(texel);
        let mean = |c: usize| (block.iter().map(|t| u32::from(t[c])).sum::<u32>() + 2) / 4;
        assert_eq!(pixel.to_le_bytes().map(u32::from), [mean(0), mean(1), mean(2), 255], "{i}");
    }
}

/// Textures whose left half is a hole, whether that takes the alpha test, the right half's colour.
fn half_holes() -> [(Image, Alpha, u32); 2] {
    let rgba = Image::from_rgba(2, 1, vec![90, 80, 70, 127, 10, 20, 30, 128]).unwrap();
    let palette = Palette::quake();
    let [r, g, b] = palette.color(70);
    let color = u32::from_le_bytes([r, g, b, 255]);
    let indexed = Image::from_indices(2, 1, vec![255, 70], palette, Some(255)).unwrap();
    [(rgba, Alpha::Test, u32::from_le_bytes([10, 20, 30, 255])), (indexed, Alpha::Opaque, color)]
}

/// A square in the middle of a picture of 64 x 64.
fn middle_square(side: f32, w: f32, columns: [f32; 2], texture: Image) -> SurfaceParts {
    let area = [[32.0 - side / 2.0; 2], [32.0 + side / 2.0; 2]];
    rectangle(area, w, columns.map(|u| [u, 0.5]), texture)
}

#[test]
fn holes_leave_colour_and_depth_alone() {
    const BEHIND: u32 = 0xff00_00ff;
    let painter = Painter::new([64, 64]);
    for (texture, alpha, color) in half_holes() {
        for (side, filter) in [
            (4, Filter::Nearest),
            (60, Filter::Nearest),
            (400, Filter::Nearest),
            (60, Filter::Bilinear),
        ] {
            // From the middle of one texel to that of the other, or both texels.
            let columns = if filter == Filter::Bilinear { [0.25, 0.75] } else { [0.0, 1.0] };
            let front = middle_square(side as f32, 1.0, columns, texture.clone());
            let back = middle_square(side as f32, 2.0, columns, single(BEHIND.to_le_bytes()));
            let look = Look { alpha, filter, ..unlit() };
            for parts in [vec![front.clone(), back.clone()], vec![back, front]] {
                let picture = painter.draw_parts(parts, &look);
                assert_eq!(picture.drawn(), side.min(64) * side.min(64));
                for (i, (&pixel, &depth)) in picture.pixels.iter().zip(&picture.depth).enumerate() {
                    let is_hole = i % 64 < 32;
                    if pixel == 0 {
                        continue;
                    }
                    assert_eq!(
                        depth,
                        depth_of(if is_hole { 2.0 } else { 1.0 }),
                        "{side}, pixel {i}"
                    );
                    assert_eq!(pixel == BEHIND, is_hole, "{side}, {filter:?}, pixel {i}");
                    if !is_hole && filter == Filter::Nearest {
                        assert_eq!(pixel, color);
                    }
                }
            }
        }
    }
}

#[test]
fn alpha_makes_holes_only_where_it_is_tested() {
    let painter = Painter::new([64, 64]);
    let [(texture, ..), _] = half_holes();
    let drawn = |alpha| {
        let square = middle_square(40.0, 1.0, [0.0, 1.0], texture.clone());
        painter.draw_parts(vec![square], &Look { alpha, ..unlit() }).drawn()
    };
    assert_eq!([drawn(Alpha::Opaque), drawn(Alpha::Test)], [1600, 800]);
}

#[test]
fn a_holey_skin_shows_what_is_behind() {
    let model = Model::open("tests/models/bolt_holey.mdl").unwrap();
    let mut solid = model.clone();
    for (number, surface) in model.surfaces().iter().enumerate() {
        let skin = surface.texture().expect("an embedded skin");
        let Pixels::Indexed { indices, palette, transparent } = skin.pixels() else {
            panic!("an embedded skin is indexed");
        };
        assert_eq!(*transparent, Some(255));
        let (width, height) = (skin.width(), skin.height());
        let skin = Image::from_indices(width, height, indices.clone(), palette.clone(), None);
        solid.set_skin(number, skin.unwrap());
    }
    let painter = Painter::new([128, 128]);
    let view = View::new(Camera::framing(&model.pose_blend(Blend::frame(0))));
    let [with, without] = [&model, &solid].map(|model| painter.draw(model, &view, &unlit()));
    assert!(with.drawn() + 50 < without.drawn(), "{} of {}", with.drawn(), without.drawn());
    for (holes, solid) in with.depth.iter().zip(&without.depth) {
        assert!(holes >= solid, "a hole shows what is farther away");
    }
}
