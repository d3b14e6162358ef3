//! Texture coordinates of a stage: those of the model or a mirror's, and what moves them.
//!
//! In double precision, one vertex after the other; the kernels take what comes out as the model's own.

use super::vertex::ClipRows;
use crate::model::{Stage, TcMod, turned};
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
            TcMod::Rotate(speed) => Self::Matrix(turned(-f64::from(*speed) * time / 360.0)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::model::{Stage, Wave, WaveShape};
    use crate::pages::Pages;
    use crate::raster::view::View;
    use crate::transform::Transform;

    /// One vertex at a point with a normal.
    fn posed(point: [f32; 3], normal: [f32; 3]) -> PosedSurface {
        let (position, normal) =
            (point.map(|x| Pages::filled(x, 1)), normal.map(|x| Pages::filled(x, 1)));
        PosedSurface { count: 1, position, normal, ..PosedSurface::default() }
    }

    fn moved(tc_mods: Vec<TcMod>, st: [f32; 2], time: f64) -> [f32; 2] {
        let stage = Stage { tc_mods, ..Stage::default() };
        let posed = posed([256.0, 512.0, 0.0], [1.0, 0.0, 0.0]);
        let eye = || unreachable!("nothing is mirrored");
        coordinates(&stage, &[st], &posed, eye, time).unwrap()[0]
    }

    #[test]
    fn every_change_of_coordinates() {
        let wave = |base, amplitude, phase| Wave {
            shape: WaveShape::Sin,
            base,
            amplitude,
            phase,
            frequency: 0.5,
        };
        for (tc_mods, expected) in [
            (vec![TcMod::Scroll([0.75, -0.25])], [0.75, 1.25]),
            (vec![TcMod::Scale([2.0, 3.0])], [0.5, 2.25]),
            // A quarter turn about the middle.
            (vec![TcMod::Rotate(45.0)], [0.75, 0.75]),
            (vec![TcMod::Stretch(wave(2.0, 1.0, 0.0))], [0.375, 0.625]),
            (vec![TcMod::Stretch(wave(0.0, 1.0, 0.0))], [0.25, 0.75]),
            (vec![TcMod::Transform([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])], [7.5, 9.5]),
            (vec![TcMod::Turbulence(wave(0.0, 0.5, 0.0))], [0.75, 0.75]),
            // In their order.
            (vec![TcMod::Scale([2.0, 2.0]), TcMod::Scroll([0.25, 0.25])], [1.0, 2.0]),
            (vec![TcMod::Scroll([0.25, 0.25]), TcMod::Scale([2.0, 2.0])], [1.5, 2.5]),
        ] {
            let found = moved(tc_mods.clone(), [0.25, 0.75], 2.0);
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(near, "{tc_mods:?}: {found:?}, not {expected:?}");
        }
        assert!(
            coordinates(&Stage::default(), &[], &posed([0.0; 3], [0.0; 3]), || unreachable!(), 0.0)
                .is_none()
        );
    }

    #[test]
    fn mirrors_show_what_lies_in_front_of_them() {
        let stage = Stage { environment: true, ..Stage::default() };
        let seen = |normal: [f32; 3], eye: Eye| {
            coordinates(&stage, &[[0.0; 2]], &posed([1.0, 2.0, 3.0], normal), || eye, 0.0).unwrap()
                [0]
        };
        let front = Eye::At([9.0, 2.0, 3.0]);
        assert_eq!(seen([1.0, 0.0, 0.0], front), [0.5, 0.5]);
        assert_eq!(seen([0.0, 0.0, 1.0], Eye::At([1.0, 2.0, 9.0])), [0.5, 0.0]);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let [s, t] = seen([half, half, 0.0], front);
        assert!((s - 1.0).abs() < 1e-6 && (t - 0.5).abs() < 1e-6, "towards the left: {s} {t}");
        assert_eq!(seen([1.0, 0.0, 0.0], Eye::Towards([7.0, 0.0, 0.0])), [0.5, 0.5]);
    }

    #[test]
    fn the_eye_is_where_the_camera_stands() {
        let camera = Camera::placed([90.0, 30.0, 20.0], [0.0; 3], [0.0, 0.0, 1.0]);
        let clip = |camera: &Camera, transform: &Transform| {
            View::new(camera.clone()).resolve(&[], [64, 48]).of(transform)
        };
        let Eye::At(eye) = Eye::of(&clip(&camera, &Transform::IDENTITY)) else { panic!("a point") };
        let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.01);
        assert!(near(eye, [90.0, 30.0, 20.0]), "{eye:?}");
        let moved = Transform::translation([10.0, 0.0, 0.0]);
        let Eye::At(eye) = Eye::of(&clip(&camera, &moved)) else { panic!("a point") };
        assert!(near(eye, [80.0, 30.0, 20.0]), "{eye:?}");
        let parallel = camera.orthographic(true);
        let towards = Eye::of(&clip(&parallel, &Transform::IDENTITY));
        let Eye::Towards(direction) = towards else { panic!("a direction") };
        let length = dot(direction, direction).sqrt();
        let far =
            direction.map(|x| x / length * (90.0f64 * 90.0 + 30.0 * 30.0 + 20.0 * 20.0).sqrt());
        assert!(near(far, [90.0, 30.0, 20.0]), "{far:?}");
    }
}
