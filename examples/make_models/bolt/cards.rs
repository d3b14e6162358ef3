//! Cards in front of a board, each a surface with a shader of its own: what every word of a shader script
//! does, side by side. The scripts are in `tests/models/surfaces/scripts`, written by hand.

use glam::{Vec2, Vec3};

use super::md3::angles;
use super::out::{Out, bounds};

/// Surfaces and their shaders, row by row from the upper left as seen from +X.
const CARDS: [&str; 30] = [
    "opaque",
    "lit",
    "add",
    "filter",
    "blend",
    "darken", //
    "gt0",
    "lt128",
    "ge128",
    "screen",
    "premixed",
    "clamp", //
    "wave",
    "const",
    "alphaconst",
    "alphawave",
    "environment",
    "animmap", //
    "scroll",
    "scale",
    "rotate",
    "stretch",
    "turb",
    "transform", //
    "twosided",
    "nodraw",
    "stages",
    "sorted",
    "cutout",
    "gloss",
];
const COLUMNS: usize = 6;
/// Between the middles of two cards.
const STEP: f32 = 10.0;
/// Half a card's side.
const HALF: f32 = 4.5;
/// Quads along a card's side.
const QUADS: usize = 4;

struct Card {
    name: String,
    shader: String,
    vertices: Vec<(Vec3, Vec3, Vec2)>,
    triangles: Vec<[usize; 3]>,
}

/// A square about a point, bulging towards +X; from behind it is turned around.
fn card(name: &str, shader: &str, middle: Vec3, half: f32, bulge: f32, is_turned: bool) -> Card {
    let mut vertices = Vec::new();
    for row in 0..=QUADS {
        for column in 0..=QUADS {
            let st = Vec2::new(column as f32, row as f32) / QUADS as f32;
            // From +X the model's left is on the right.
            let (left, up) = (2.0 * st.x - 1.0, 1.0 - 2.0 * st.y);
            let depth = bulge * (1.0 - 0.5 * (left * left + up * up));
            let normal = Vec3::new(half, 2.0 * bulge * left, 2.0 * bulge * up).normalize();
            vertices.push((middle + Vec3::new(depth, left * half, up * half), normal, st));
        }
    }
    let mut triangles = Vec::new();
    let stride = QUADS + 1;
    for at in (0..QUADS * stride).filter(|at| at % stride < QUADS) {
        for [a, b, c] in [[at, at + 1, at + stride], [at + 1, at + stride + 1, at + stride]] {
            triangles.push(if is_turned { [a, c, b] } else { [a, b, c] });
        }
    }
    Card { name: name.to_owned(), shader: shader.to_owned(), vertices, triangles }
}

/// The model: a board, then the cards.
pub(crate) fn model() -> Vec<u8> {
    let rows = CARDS.len() / COLUMNS;
    let mut cards = vec![card("board", "cards/board", Vec3::new(-8.0, 0.0, 0.0), 31.0, 0.0, false)];
    for (i, name) in CARDS.iter().enumerate() {
        let column = (i % COLUMNS) as f32 - (COLUMNS - 1) as f32 / 2.0;
        let row = (rows - 1) as f32 / 2.0 - (i / COLUMNS) as f32;
        let middle = Vec3::new(0.0, column * STEP, row * STEP);
        cards.push(card(name, &format!("cards/{name}"), middle, HALF, 1.5, *name == "twosided"));
    }
    // In the file in front of what it is drawn over.
    let sorted = cards.iter().position(|card| card.name == "sorted").unwrap_or(0);
    let middle = cards[sorted].vertices[cards[sorted].vertices.len() / 2].0;
    let late = card("late", "cards/late", middle + Vec3::new(2.0, 0.0, 0.0), 2.5, 0.0, false);
    cards.insert(sorted, late);
    written(&cards)
}

fn written(cards: &[Card]) -> Vec<u8> {
    let mut out = Out::default();
    out.name("IDP3", 4);
    out.int(15);
    out.name("models/cards.md3", 64);
    let frame = 108;
    for value in [0, 1, 0, cards.len(), 0, frame, frame + 56, frame + 56, 0] {
        out.int(value);
    }
    let points: Vec<Vec3> =
        cards.iter().flat_map(|card| card.vertices.iter().map(|vertex| vertex.0)).collect();
    for corner in bounds(&points) {
        out.vector(corner);
    }
    out.vector(Vec3::ZERO);
    out.float(points.iter().map(|point| point.length()).fold(0.0, f32::max));
    out.name("cards", 16);
    for card in cards {
        surface(&mut out, card);
    }
    let end = out.0.len();
    out.set_int(104, end);
    out.0
}

fn surface(out: &mut Out, card: &Card) {
    let (vertices, triangles) = (card.vertices.len(), card.triangles.len());
    out.name("IDP3", 4);
    out.name(&card.name, 64);
    let shaders = 108;
    let corners = shaders + 68;
    let texcoords = corners + 12 * triangles;
    let positions = texcoords + 8 * vertices;
    let end = positions + 8 * vertices;
    for value in [0, 1, 1, vertices, triangles, corners, shaders, texcoords, positions, end] {
        out.int(value);
    }
    out.name(&card.shader, 64);
    out.int(0);
    for &index in card.triangles.as_flattened() {
        out.int(index);
    }
    for (_, _, st) in &card.vertices {
        out.float(st.x);
        out.float(st.y);
    }
    for (position, normal, _) in &card.vertices {
        const STEPS_PER_UNIT: f32 = 64.0;
        for step in (*position * STEPS_PER_UNIT).to_array() {
            out.short(libm::floorf(step + 0.5) as i32);
        }
        out.0.extend(angles(*normal));
    }
}

/// 32-bit TGA, rows from the top down.
fn picture(side: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
    let mut out = vec![0, 0, 2];
    out.resize(12, 0);
    out.extend((side as u16).to_le_bytes());
    out.extend((side as u16).to_le_bytes());
    out.extend([32, 0x28]);
    for y in 0..side {
        for x in 0..side {
            let [r, g, b, a] = texel(x, y);
            out.extend([b, g, r, a]);
        }
    }
    out
}

/// Whether a texel of 32 x 32 lies in the letter F.
fn letter(x: u32, y: u32) -> bool {
    let stem = (9..14).contains(&x) && (5..27).contains(&y);
    let arms = (9..24).contains(&x) && (5..9).contains(&y)
        || (9..20).contains(&x) && (14..18).contains(&y);
    stem || arms
}

/// A picture of a number of stripes.
fn stripes(count: u32, color: [u8; 3]) -> Vec<u8> {
    picture(16, |x, y| {
        let is_stripe = y % 4 < 2 && y / 4 < count;
        let [r, g, b] = if is_stripe { [255; 3] } else { color };
        [r, g, b, if x == 0 { 128 } else { 255 }]
    })
}

/// Names and bytes of the model and its pictures.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>)> {
    let paint = |x: u32, y: u32| match letter(x, y) {
        true => [250, 240, 40],
        false => [(40 + 5 * x) as u8, (200 - 5 * y) as u8, 120],
    };
    let graded = picture(32, |x, y| {
        let [r, g, b] = paint(x, y);
        [r, g, b, (x * 255 / 31) as u8]
    });
    let cutout = picture(32, |x, y| {
        let [r, g, b] = paint(x, y);
        let is_hole = (x / 4 + y / 4) % 3 == 0 && !letter(x, y);
        if is_hole { [0; 4] } else { [r, g, b, 255] }
    });
    let mirror = picture(64, |x, y| {
        let [dx, dy] = [x, y].map(|at| f64::from(at) - 31.5);
        let ring = libm::floor(libm::sqrt(dx * dx + dy * dy) / 4.0) as u32 % 2;
        [if ring == 0 { 240 } else { 60 }, (x * 4) as u8, (y * 4) as u8, 255]
    });
    let board = picture(32, |x, y| match (x + y) % 2 {
        0 => [(120 + 4 * x) as u8, 130, 140, 255],
        _ => [60, 50, (60 + 4 * y) as u8, 255],
    });
    vec![
        ("surfaces/models/cards.md3", model()),
        ("surfaces/cards/graded.tga", graded),
        ("surfaces/cards/cutout.tga", cutout),
        ("surfaces/cards/mirror.tga", mirror),
        ("surfaces/cards/board.tga", board),
        ("surfaces/cards/one.tga", stripes(1, [160, 30, 30])),
        ("surfaces/cards/two.tga", stripes(2, [30, 140, 30])),
        ("surfaces/cards/three.tga", stripes(3, [30, 30, 170])),
    ]
}
