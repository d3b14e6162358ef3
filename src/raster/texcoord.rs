//! Texture coordinates of a stage: those of the model or a mirror's, and what moves them.
//!
//! In double precision, one vertex after the other; the kernels take what comes out as the model's own.

use super::vertex::ClipRows;
use crate::model::{Stage, TcMod};
use crate::pose::PosedSurface;

/// Where a surface is seen from, in its own space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Eye {
    At([f64; 3]),
    /// From everywhere in this direction, of any length.
    Towards([f64; 3]),
}

impl Eye {
    /// The point that a projection takes to x = y = w = 0.
    pub(crate) fn of(clip: &ClipRows) -> Self {
        let [x, y, z, w] = clip.rows.map(|row| row.map(f64::from));
        let without = |column: usize| {
            let minor = |row: [f64; 4]| {
                let mut rest = [0.0; 3];
                let others = (0..4).filter(|&other| other != column);
                rest.iter_mut().zip(others).for_each(|(value, other)| *value = row[other]);
                rest
            };
            let [a, b, c] = [minor(x), minor(y), minor(w)];
            let sign = if column.is_multiple_of(2) { 1.0 } else { -1.0 };
            sign * dot(a, cross(b, c))
        };
        let [px, py, pz, pw] = [without(0), without(1), without(2), without(3)];
        if pw != 0.0 {
            return Self::At([px / pw, py / pw, pz / pw]);
        }
        // Away from the eye depth grows.
        let away = if dot([px, py, pz], [z[0], z[1], z[2]]) > 0.0 { -1.0 } else { 1.0 };
        Self::Towards([px * away, py * away, pz * away])
    }

    fn from(&self, point: [f64; 3]) -> [f64; 3] {
        match *self {
            Self::At(eye) => [0, 1, 2].map(|axis| eye[axis] - point[axis]),
            Self::Towards(direction) => direction,
        }
    }
}

/// The coordinates that a stage has at a time in seconds; `None` for those of the model.
pub(crate) fn coordinates(
    stage: &Stage,
    texcoords: &[[f32; 2]],
    posed: &PosedSurface,
    eye: impl Fn() -> Eye,
    time: f64,
) -> Option<Vec<[f32; 2]>> {
    if !stage.environment && stage.tc_mods.is_empty() {
        return None;
    }
    let mirror = stage.environment.then(eye);
    let changes: Vec<Change> =
        stage.tc_mods.iter().map(|tc_mod| Change::at(tc_mod, time)).collect();
    let vertex = |(i, texcoord): (usize, &[f32; 2])| {
        let point = [0, 1, 2].map(|axis| f64::from(posed.position[axis][i]));
        let start = match &mirror {
            Some(eye) => {
                let normal = [0, 1, 2].map(|axis| f64::from(posed.normal[axis][i]));
                mirrored(eye.from(point), normal)
            }
            None => texcoord.map(f64::from),
        };
        changes.iter().fold(start, |st, change| change.of(st, point)).map(|x| x as f32)
    };
    Some(texcoords.iter().enumerate().map(vertex).collect())
}

/// The place in a picture of all directions in which a mirror with this normal shows what is seen.
fn mirrored(view: [f64; 3], normal: [f64; 3]) -> [f64; 2] {
    let length = dot(view, view).sqrt();
    let view = view.map(|x| if length > 0.0 { x / length } else { 0.0 });
    let twice = 2.0 * dot(normal, view);
    [0.5 + 0.5 * (normal[1] * twice - view[1]), 0.5 - 0.5 * (normal[2] * twice - view[2])]
}

/// A [`TcMod`] at a moment.
enum Change {
    /// `s m00 + t m10 + t0`, `s m01 + t m11 + t1`.
    Matrix([f64; 6]),
    /// Amplitude, and the sine's argument in periods.
    Turbulence(f64, f64),
}

impl Change {
    fn at(tc_mod: &TcMod, time: f64) -> Self {
        let scaled = |s: f64, t: f64| Self::Matrix([s, 0.0, 0.0, t, 0.5 - 0.5 * s, 0.5 - 0.5 * t]);
        match tc_mod {
            TcMod::Scroll(speed) => {
                let [s, t] = speed.map(|speed| {
                    let way = f64::from(speed) * time;
                    way - way.floor()
                });
                Self::Matrix([1.0, 0.0, 0.0, 1.0, s, t])
            }
            TcMod::Scale([s, t]) => {
                Self::Matrix([f64::from(*s), 0.0, 0.0, f64::from(*t), 0.0, 0.0])
            }
            TcMod::Rotate(speed) => {
                let turns = -f64::from(*speed) * time / 360.0;
                let angle = std::f64::consts::TAU * (turns - turns.floor());
                let (sin, cos) = (libm::sin(angle), libm::cos(angle));
                let middle = [0.5 - 0.5 * cos + 0.5 * sin, 0.5 - 0.5 * sin - 0.5 * cos];
                Self::Matrix([cos, sin, -sin, cos, middle[0], middle[1]])
            }
            TcMod::Stretch(wave) => {
                let value = wave.at(time);
                let scale = if value == 0.0 { 1.0 } else { 1.0 / value };
                scaled(scale, scale)
            }
            TcMod::Transform(matrix) => Self::Matrix(matrix.map(f64::from)),
            TcMod::Turbulence(wave) => {
                let now = f64::from(wave.phase) + time * f64::from(wave.frequency);
                Self::Turbulence(f64::from(wave.amplitude), now - now.floor())
            }
        }
    }

    fn of(&self, [s, t]: [f64; 2], [x, y, z]: [f64; 3]) -> [f64; 2] {
        match *self {
            Self::Matrix([m00, m01, m10, m11, t0, t1]) => {
                [(s * m00 + t * m10) + t0, (s * m01 + t * m11) + t1]
            }
            Self::Turbulence(amplitude, now) => {
                let wave = |along: f64| libm::sin(std::f64::consts::TAU * (along / 1024.0 + now));
                [s + amplitude * wave(x + z), t + amplitude * wave(y)]
            }
        }
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
