//! What Bolt looks like at each place of each chart: a ramp of colour and how bright.
//!
//! Places are in texels of the base size, x to the right as seen from outside (letters are written
//! the normal way round; the skin mirrors what lies behind), y down.

use super::body::Part;
use super::font::covers;

/// Ramps of 16 colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ramp {
    /// The shirt of Quake's player colours.
    Shell,
    /// The pants of Quake's player colours.
    Trim,
    Rubber,
    Steel,
    Red,
    Gold,
    Cream,
    Glass,
    Glow,
}

/// A colour: a ramp and the place on it, 0 dark to 1 bright.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Ink {
    pub(crate) ramp: Ramp,
    pub(crate) shade: f32,
}

/// What changes from one picture of a skin group to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Awake,
    Blinking,
    /// Lamp out, eyes closed.
    Asleep,
}

fn ink(ramp: Ramp, shade: f32) -> Ink {
    Ink { ramp, shade }
}

/// Inside a rectangle with corners cut round.
fn in_box(x: f32, y: f32, center: [f32; 2], half: [f32; 2], corner: f32) -> bool {
    box_distance(x, y, center, half, corner) <= 0.0
}

/// Distance to the edge of a rectangle with round corners, negative inside.
fn box_distance(x: f32, y: f32, center: [f32; 2], half: [f32; 2], corner: f32) -> f32 {
    let dx = (x - center[0]).abs() - half[0] + corner;
    let dy = (y - center[1]).abs() - half[1] + corner;
    let outside = (dx.max(0.0) * dx.max(0.0) + dy.max(0.0) * dy.max(0.0)).sqrt();
    outside + dx.max(dy).min(0.0) - corner
}

fn distance(x: f32, y: f32, to: [f32; 2]) -> f32 {
    ((x - to[0]) * (x - to[0]) + (y - to[1]) * (y - to[1])).sqrt()
}

/// Ribs of a hose: bright on the ribs, dark between.
fn ribs(y: f32, spacing: f32) -> Ink {
    let place = y / spacing - libm::floorf(y / spacing);
    ink(Ramp::Rubber, 0.12 + 0.26 * (1.0 - (2.0 * place - 1.0).abs()))
}

/// A rivet: lit from the upper left, dark on its lower right rim.
fn rivet(x: f32, y: f32, at: [f32; 2]) -> Option<f32> {
    let away = distance(x, y, at);
    (away < 1.5).then(|| if (x - at[0]) + (y - at[1]) < 0.3 { 0.30 } else { -0.22 })
}

/// A groove along a line of given distance: dark line, light lower edge.
fn groove(distance: f32) -> f32 {
    if distance.abs() < 0.55 {
        -0.26
    } else if (0.55..1.4).contains(&distance) {
        0.10
    } else {
        0.0
    }
}

/// The colour of a part at a place. `back` is the half seen from behind.
pub(crate) fn paint(part: Part, back: bool, x: f32, y: f32, mood: Mood) -> Ink {
    match part {
        Part::Helmet if back => helmet_back(x, y),
        Part::Helmet => helmet(x, y, mood),
        Part::Torso => torso(back, x, y),
        Part::Arm(_) if y >= 14.0 => ribs(y, 2.5),
        Part::Arm(_) => band(ink(Ramp::Shell, 0.62 - 0.012 * y), y, 10.5, 14.0),
        Part::Cuff(side) => cuff(side, back, x, y),
        Part::Hand(0) => ink(Ramp::Steel, 0.55 - 0.02 * y + knuckles(x, y)),
        Part::Hand(_) => ink(Ramp::Steel, 0.35 + 0.035 * y),
        Part::Leg(side) => leg(side, back, x, y),
        Part::Boot(_) => boot(back, x, y),
        Part::Shield if back => shield_back(x, y),
        Part::Shield => shield(x, y),
        Part::Pack => pack(x, y),
        Part::Ear => ink(Ramp::Gold, if y < 3.0 { 0.74 } else { 0.54 }),
        Part::Antenna => antenna(y),
        Part::Lamp if mood == Mood::Asleep => ink(Ramp::Red, 0.35),
        Part::Lamp => ink(Ramp::Glow, 0.95 - 0.05 * y),
    }
}

/// A gold band between two rows of something else.
fn band(under: Ink, y: f32, from: f32, to: f32) -> Ink {
    if !(from..to).contains(&y) {
        return under;
    }
    let place = (y - from) / (to - from);
    ink(Ramp::Gold, 0.72 - 0.5 * (place - 0.3).abs())
}

fn knuckles(x: f32, y: f32) -> f32 {
    if y > 5.0 && (x / 3.0 - libm::floorf(x / 3.0)) < 0.25 { -0.25 } else { 0.0 }
}

/// Half the width, in texels, of a stripe that is equally wide all over the crown of the helmet:
/// the chart is as wide where the helmet is narrow.
fn crest_half_width(y: f32) -> f32 {
    // Rows of the chart, and half widths there.
    const WIDTHS: [[f32; 2]; 3] = [[5.0, 7.2], [12.0, 4.1], [20.0, 3.3]];
    let [above, below] = if y < WIDTHS[1][0] { [0, 1] } else { [1, 2] };
    let [from, to] = [WIDTHS[above], WIDTHS[below]];
    let share = ((y - from[0]) / (to[0] - from[0])).clamp(0.0, 1.0);
    from[1] + (to[1] - from[1]) * share
}

/// The shell of the head, front and back alike.
fn helmet_shell(x: f32, y: f32) -> Ink {
    let middle = (x - 30.0).abs() / crest_half_width(y);
    if middle < 1.0 && y < 18.5 {
        let edge = if middle > 0.75 { -0.15 } else { 0.0 };
        return ink(Ramp::Red, 0.75 - 0.012 * y + edge);
    }
    if y >= 49.0 {
        return ribs(y, 2.0);
    }
    let mut shade = 0.72 - 0.004 * y;
    shade += groove(y - 45.5);
    if middle < 1.25 && y < 19.0 {
        shade -= 0.2;
    }
    for at in [[6.0, 42.0], [54.0, 42.0], [6.0, 22.0], [54.0, 22.0]] {
        shade += rivet(x, y, at).unwrap_or(0.0);
    }
    ink(Ramp::Shell, shade)
}

fn helmet(x: f32, y: f32, mood: Mood) -> Ink {
    let visor = box_distance(x, y, [30.0, 28.0], [19.0, 8.0], 6.0);
    if visor > 2.2 {
        if in_box(x, y, [30.0, 41.5], [9.0, 2.6], 2.0) {
            let slit = (x / 3.0 - libm::floorf(x / 3.0)) < 0.5;
            return ink(Ramp::Rubber, if slit { 0.04 } else { 0.5 });
        }
        return helmet_shell(x, y);
    }
    if visor > 0.0 {
        return ink(Ramp::Gold, 0.85 - 0.015 * (y - 18.0) - if visor > 1.4 { 0.3 } else { 0.0 });
    }
    // The left eye, on the right of the picture, is the larger one.
    for (at, size) in [([21.5, 28.0], 3.4), ([38.5, 28.0], 4.8)] {
        let height = if mood == Mood::Awake { 1.0 } else { 0.22 };
        let away = distance(x, (y - at[1]) / height + at[1], at);
        if away < size {
            if mood == Mood::Asleep {
                return ink(Ramp::Steel, 0.5);
            }
            return ink(Ramp::Glow, if away < size * 0.45 { 1.0 } else { 0.75 });
        }
        if away < size + 1.2 {
            return ink(Ramp::Glass, 0.42);
        }
    }
    let shine = x - y;
    let streak =
        if (-6.0..-3.5).contains(&shine) || (-2.0..-0.8).contains(&shine) { 0.12 } else { 0.0 };
    ink(Ramp::Glass, 0.10 + 0.012 * (36.0 - y) + streak)
}

fn helmet_back(x: f32, y: f32) -> Ink {
    let plate = box_distance(x, y, [30.0, 31.0], [11.0, 9.0], 3.0);
    if plate > 1.0 {
        return helmet_shell(x, y);
    }
    if plate > -0.6 {
        return ink(Ramp::Shell, 0.2);
    }
    if covers("B", 2.0, x - 30.0, y - 31.0) {
        return ink(Ramp::Rubber, 0.1);
    }
    ink(Ramp::Cream, 0.8)
}

fn torso(back: bool, x: f32, y: f32) -> Ink {
    if y < 4.0 {
        return ribs(y, 2.0);
    }
    if y < 9.0 {
        return band(ink(Ramp::Shell, 0.6), y, 5.0, 9.0);
    }
    if (38.0..45.0).contains(&y) {
        return ribs(y - 38.0, 2.34);
    }
    if (45.0..49.5).contains(&y) {
        let buckle = !back && in_box(x, y, [30.0, 47.2], [4.0, 2.0], 0.6);
        return if buckle {
            ink(Ramp::Cream, 0.9)
        } else {
            ink(Ramp::Red, 0.62 - 0.05 * (y - 45.0))
        };
    }
    if y >= 49.5 {
        let seam = groove((x - 30.0).abs() - 3.0 - 0.3 * (y - 49.0));
        return ink(Ramp::Trim, 0.66 - 0.012 * (y - 49.0) + seam * 0.6);
    }
    if !back {
        let plate = box_distance(x, y, [30.0, 21.0], [17.0, 10.0], 4.0);
        if plate < 0.0 {
            if plate > -1.5 {
                return ink(Ramp::Gold, 0.75 - 0.015 * y);
            }
            let letters = covers("P^", 2.0, x - 30.0, y - 21.0);
            return if letters {
                ink(Ramp::Rubber, 0.08)
            } else {
                ink(Ramp::Cream, 0.88 - 0.006 * y)
            };
        }
        if plate < 1.2 {
            return ink(Ramp::Shell, 0.25);
        }
    }
    let mut shade = 0.70 - 0.005 * y + groove(y - 34.5);
    for at in [[7.0, 14.0], [53.0, 14.0], [8.0, 30.0], [52.0, 30.0]] {
        shade += rivet(x, y, at).unwrap_or(0.0);
    }
    ink(Ramp::Shell, shade)
}

fn cuff(side: usize, back: bool, x: f32, y: f32) -> Ink {
    if !(1.0..20.5).contains(&y) {
        return ink(Ramp::Rubber, 0.08);
    }
    let glyph = match (back, side) {
        (true, _) => "^",
        (false, 0) => "L",
        (false, _) => "R",
    };
    if covers(glyph, 2.0, x - 14.0, y - 10.0) {
        return ink(Ramp::Cream, 1.0);
    }
    let ramp = if side == 0 { Ramp::Shell } else { Ramp::Red };
    band(ink(ramp, 0.55 - 0.008 * y), y, 17.6, 20.5)
}

fn leg(side: usize, back: bool, x: f32, y: f32) -> Ink {
    if y < 23.0 {
        if !back && in_box(x, y, [13.0, 18.5], [6.0, 4.0], 3.0) {
            return ink(Ramp::Steel, 0.75 - 0.04 * (y - 14.0));
        }
        return ink(Ramp::Trim, 0.66 - 0.008 * y);
    }
    if !(25.5..40.0).contains(&y) {
        return ink(Ramp::Rubber, 0.1);
    }
    // One bar on the left leg, two on the right one.
    let bar = if side == 0 { (x - 13.0).abs() } else { ((x - 13.0).abs() - 4.0).abs() };
    if !back && bar < 2.0 && (30.0..38.0).contains(&y) {
        return ink(Ramp::Cream, 0.95);
    }
    band(ink(Ramp::Shell, 0.66 - 0.01 * (y - 26.0)), y, 25.5, 28.0)
}

fn boot(back: bool, x: f32, y: f32) -> Ink {
    if y >= 19.0 {
        return ink(Ramp::Rubber, if y < 20.2 { 0.34 } else { 0.16 });
    }
    if y < 3.0 {
        return ink(Ramp::Rubber, 0.2);
    }
    if !back && y > 9.0 {
        let cap = box_distance(x, y, [14.0, 18.0], [9.0, 7.0], 6.0);
        if cap < 0.0 {
            return ink(Ramp::Steel, 0.78 - 0.02 * (y - 9.0) - if cap > -1.0 { 0.35 } else { 0.0 });
        }
    }
    ink(Ramp::Red, 0.72 - 0.014 * y)
}

fn shield(x: f32, y: f32) -> Ink {
    let away = distance(x, y, [28.0, 28.0]);
    if away > 26.0 {
        return ink(Ramp::Steel, 0.35);
    }
    if away > 22.0 {
        let lit = 0.62 - 0.008 * (x - 28.0 + y - 28.0);
        return ink(Ramp::Steel, lit - if away < 23.0 { 0.35 } else { 0.0 });
    }
    let lettered = |x: f32, y: f32| {
        covers("L", 4.0, x - 26.0, y - 29.0) || covers("^", 2.0, x - 34.0, y - 20.0)
    };
    if lettered(x, y) {
        return ink(Ramp::Cream, 0.98);
    }
    // A shadow, as if the letters were raised.
    if lettered(x - 1.0, y - 1.0) {
        return ink(Ramp::Red, 0.25);
    }
    ink(Ramp::Red, 0.68 - 0.006 * away)
}

fn shield_back(x: f32, y: f32) -> Ink {
    let away = distance(x, y, [28.0, 28.0]);
    if away > 24.0 {
        return ink(Ramp::Steel, 0.4);
    }
    let brace = (x - 28.0).abs() < 3.0 || (y - 28.0).abs() < 3.0;
    if brace { ink(Ramp::Gold, 0.6) } else { ink(Ramp::Red, 0.38) }
}

fn pack(x: f32, y: f32) -> Ink {
    let edge = box_distance(x, y, [32.0, 28.0], [26.0, 22.0], 8.0);
    if edge > 0.0 {
        return ink(Ramp::Trim, 0.5 - 0.005 * y);
    }
    if edge > -1.8 {
        return ink(Ramp::Gold, 0.7 - 0.008 * y);
    }
    if covers("BACK", 2.0, x - 32.0, y - 18.0) {
        return ink(Ramp::Rubber, 0.06);
    }
    if in_box(x, y, [20.0, 37.0], [8.0, 7.0], 1.0) {
        let slit = (y / 4.0 - libm::floorf(y / 4.0)) < 0.5;
        return ink(Ramp::Rubber, if slit { 0.06 } else { 0.45 });
    }
    if covers("^", 2.0, x - 43.0, y - 37.0) {
        return ink(Ramp::Red, 0.6);
    }
    ink(Ramp::Cream, 0.82 - 0.005 * y)
}

fn antenna(y: f32) -> Ink {
    if y > 13.0 {
        return ink(Ramp::Gold, 0.72 - 0.03 * (y - 13.0));
    }
    ink(Ramp::Steel, if (y / 4.0 - libm::floorf(y / 4.0)) < 0.25 { 0.3 } else { 0.65 })
}
