//! Skins: sizes, colours, and how much of a texture is used.

use super::Finding;
use super::geometry::surface_name;
use crate::image::{Image, Palette, Pixels};
use crate::model::{EngineMesh, Format, Model, Surface};

/// Patches of glowing texels that are no larger are stray.
const STRAY: usize = 3;
/// The highest skin that the software renderers take.
const HIGHEST: u32 = 480;
/// The most texels that GLQuake takes without a warning.
const MOST_TEXELS: u64 = 640 * 480;
/// Texels that are tried at most: a surface with triangles that repeat a texture endlessly has no area
/// that is not used.
const WORK: u64 = 1 << 26;

pub(super) fn check(model: &Model, palette: Option<&Palette>, found: &mut Vec<Finding>) {
    for skin in 0..model.skins().len() {
        if let Some(image) = model.picture_of_skin(skin, 0) {
            size_of_mdl(skin, &image, found);
        }
        for picture in 0..model.skin_picture_count(skin) {
            if let Some(image) = model.picture_of_skin(skin, picture) {
                let place = if model.skin_picture_count(skin) > 1 {
                    format!("skin {skin}, picture {picture}")
                } else {
                    format!("skin {skin}")
                };
                stray_fullbrights(&place, &image, model, found);
            }
        }
    }
    for (number, surface) in model.surfaces().iter().enumerate() {
        let Some(image) = surface.texture() else { continue };
        let place = surface_name(model, number);
        size_of_md2(&place, model, image, found);
        strays(&place, model, image, palette, found);
    }
    unused_area(model, found);
}

fn size_of_mdl(skin: usize, image: &Image, found: &mut Vec<Finding>) {
    let [width, height] = [image.width(), image.height()];
    let mut said = Vec::new();
    if width % 4 != 0 {
        said.push("the width is no multiple of 4 (WinQuake refuses it)".to_owned());
    }
    if height > HIGHEST {
        said.push(format!("it is higher than {HIGHEST} (WinQuake refuses it)"));
    }
    if u64::from(width) * u64::from(height) > MOST_TEXELS {
        said.push("it has more texels than 640 x 480 (GLQuake)".to_owned());
    }
    // All skins have the same size.
    if skin == 0 && !said.is_empty() {
        let message = format!("{width} x {height} texels: {}", said.join(", "));
        found.push(Finding::new("skin-size", "skin 0", message));
    }
}

fn size_of_md2(place: &str, model: &Model, image: &Image, found: &mut Vec<Finding>) {
    let Some(EngineMesh::Md2(mesh)) = &model.engine else { return };
    let picture = [image.width(), image.height()];
    let header = [mesh.skin_width, mesh.skin_height].map(|side| u32::try_from(side).unwrap_or(0));
    let [[width, height], [a, b]] = [picture, header];
    if picture != header && header != [0, 0] {
        let message =
            format!("the picture has {width} x {height} texels, the header says {a} x {b}");
        found.push(Finding::new("skin-size-mismatch", place, message));
    }
    if height > HIGHEST {
        let message = format!(
            "{width} x {height} texels: higher than {HIGHEST} (Quake II's software renderer)"
        );
        found.push(Finding::new("skin-size", place, message));
    }
}

/// Patches of texels that glow and touch each other, however small they are, in reading order.
fn stray_fullbrights(place: &str, image: &Image, model: &Model, found: &mut Vec<Finding>) {
    let Pixels::Indexed { indices, palette, transparent } = image.pixels() else { return };
    let first = palette.first_fullbright();
    let hole = transparent.filter(|_| model.holey);
    let glows = |index: u8| u16::from(index) >= first && Some(index) != hole;
    let (width, height) = (image.width() as usize, image.height() as usize);
    let mut is_seen = vec![false; indices.len()];
    let mut strays: Vec<usize> = Vec::new();
    let mut patch = Vec::new();
    for start in 0..indices.len() {
        if is_seen[start] || !glows(indices[start]) {
            continue;
        }
        patch.clear();
        patch.push(start);
        is_seen[start] = true;
        let mut next = 0;
        while let Some(&texel) = patch.get(next) {
            next += 1;
            let (x, y) = (texel % width, texel / width);
            for row in y.saturating_sub(1)..=(y + 1).min(height - 1) {
                for column in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                    let other = row * width + column;
                    if !is_seen[other] && glows(indices[other]) {
                        is_seen[other] = true;
                        patch.push(other);
                    }
                }
            }
        }
        if patch.len() <= STRAY {
            strays.extend(&patch);
        }
    }
    if let Some(&texel) = strays.first() {
        let (count, x, y) = (strays.len(), texel % width, texel / width);
        let texels = if count == 1 { "stray texel glows" } else { "stray texels glow" };
        let message = format!(
            "{count} {texels}; the first is at ({x}, {y}), palette index {}",
            indices[texel]
        );
        found.push(Finding::new("fullbright-texels", place, message));
    }
}

/// Indices whose colour in the picture is none of the game's palette there.
fn strays(
    place: &str,
    model: &Model,
    image: &Image,
    palette: Option<&Palette>,
    found: &mut Vec<Finding>,
) {
    let (Format::Md2, Some(game)) = (model.format(), palette) else { return };
    let Pixels::Indexed { indices, palette, .. } = image.pixels() else { return };
    let is_stray = |index: u8| palette.color(index) != game.color(index);
    let strays = indices.iter().filter(|&&index| is_stray(index)).count();
    if let Some(texel) = indices.iter().position(|&index| is_stray(index)) {
        let index = indices[texel];
        let (own, game) = (palette.color(index), game.color(index));
        let width = image.width() as usize;
        let (x, y) = (texel % width, texel / width);
        let message = format!(
            "{strays} texels are not of the game's palette; the first, at ({x}, {y}), has index \
             {index}: {own:?}, in the game {game:?}"
        );
        found.push(Finding::new("palette-stray", place, message));
    }
}

/// Of each texture what the triangles of all surfaces that wear it cover.
fn unused_area(model: &Model, found: &mut Vec<Finding>) {
    let mut is_done = vec![false; model.surfaces().len()];
    for number in 0..model.surfaces().len() {
        let Some(image) = model.surfaces()[number].texture() else { continue };
        let is_same = |surface: &Surface| {
            surface.texture().is_some_and(|other| std::sync::Arc::ptr_eq(other, image))
        };
        if is_done[number] {
            continue;
        }
        let mut wearers = Vec::new();
        for (other, surface) in model.surfaces().iter().enumerate().filter(|(_, s)| is_same(s)) {
            is_done[other] = true;
            wearers.push(surface);
        }
        let size = [image.width(), image.height()];
        let Some(covered) = covered(&wearers, size) else { continue };
        let unused = 1.0 - covered as f64 / (f64::from(size[0]) * f64::from(size[1]));
        if unused > 0.5 {
            let place = surface_name(model, number);
            let message = format!("{:.0} % of the texture is on no triangle", unused * 100.0);
            found.push(Finding::new("unused-texture-area", place, message));
        }
    }
}

/// How many texels have their middle on a triangle; `None` if that would take too long to say.
fn covered(surfaces: &[&Surface], [width, height]: [u32; 2]) -> Option<usize> {
    let size = [width, height].map(f64::from);
    let mut is_covered = vec![false; width as usize * height as usize];
    let mut work = 0_u64;
    for surface in surfaces {
        for corners in surface.triangles() {
            let [a, b, c] = corners.map(|corner| {
                let [s, t] = surface.texcoords()[corner as usize];
                [f64::from(s) * size[0], f64::from(t) * size[1]]
            });
            let least = [0, 1].map(|axis| a[axis].min(b[axis]).min(c[axis]).floor());
            let most = [0, 1].map(|axis| a[axis].max(b[axis]).max(c[axis]).ceil());
            let area = (most[0] - least[0]) * (most[1] - least[1]);
            if !area.is_finite() || least.iter().chain(&most).any(|x| x.abs() > 1e9) {
                return None;
            }
            work += area as u64;
            if work > WORK {
                return None;
            }
            let edge = |p: [f64; 2], q: [f64; 2], x: f64, y: f64| {
                (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
            };
            for row in least[1] as i64..most[1] as i64 {
                for column in least[0] as i64..most[0] as i64 {
                    let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
                    let sides = [edge(a, b, x, y), edge(b, c, x, y), edge(c, a, x, y)];
                    if sides.iter().all(|&side| side >= 0.0)
                        || sides.iter().all(|&side| side <= 0.0)
                    {
                        let x = column.rem_euclid(i64::from(width)) as usize;
                        let y = row.rem_euclid(i64::from(height)) as usize;
                        is_covered[y * width as usize + x] = true;
                    }
                }
            }
        }
    }
    Some(is_covered.iter().filter(|covered| **covered).count())
}
