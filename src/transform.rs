//! How an instance stands in the scene: from the model's space, or that of a tag, to the scene's.

use std::ops::Mul;

use glam::{Mat3, Mat4, Vec3, Vec4};

use crate::direction;

/// A 4 x 4 matrix for points and a 3 x 3 one for normals.
///
/// Coordinates are the engines': forward +X, left +Y, up +Z. `parent * child` is the child's
/// transform, given in the parent's space, in the space that the parent is given in: a weapon hangs
/// on the player's tag as `player * tag`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    points: Mat4,
    normals: Mat3,
    /// The light's direction is given in the instance's space.
    carries_light: bool,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// The model stands as it was made.
    pub const IDENTITY: Self =
        Self { points: Mat4::IDENTITY, normals: Mat3::IDENTITY, carries_light: false };

    /// Moved by an offset in scene units.
    #[must_use]
    pub fn translation(offset: [f32; 3]) -> Self {
        Self { points: Mat4::from_translation(Vec3::from(offset)), ..Self::IDENTITY }
    }

    /// Turned to the left (about +Z) by degrees.
    #[must_use]
    pub fn yaw(degrees: f32) -> Self {
        if degrees == 0.0 {
            return Self::IDENTITY;
        }
        let (sine, cosine) = sine_and_cosine(degrees);
        Self::from_axes([0.0; 3], [[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    }

    /// Turned by pitch, yaw and roll in degrees as the engines turn an entity: a positive pitch
    /// lowers the nose, a positive yaw turns left, a positive roll lowers the right side. Quake's own
    /// `.mdl` entities count pitch the other way.
    #[must_use]
    pub fn angles([pitch, yaw, roll]: [f32; 3]) -> Self {
        if pitch == 0.0 && roll == 0.0 {
            return Self::yaw(yaw);
        }
        let [forward, right, up] = axes_of_angles([pitch, yaw, roll].map(sine_and_cosine));
        Self::from_axes([0.0; 3], [forward, right.map(|x| -x), up])
    }

    /// Larger by a factor above 0; normals stay.
    #[must_use]
    pub fn scale(factor: f32) -> Self {
        Self { points: Mat4::from_scale(Vec3::splat(factor)), ..Self::IDENTITY }
    }

    /// An origin and the axes forward, left, up, which is what a tag is. The axes are taken as they
    /// are, for points and for normals.
    #[must_use]
    pub fn from_axes(origin: [f32; 3], axes: [[f32; 3]; 3]) -> Self {
        let axes = axes.map(Vec3::from);
        let [forward, left, up] = axes.map(|axis| axis.extend(0.0));
        Self {
            points: Mat4::from_cols(forward, left, up, Vec3::from(origin).extend(1.0)),
            normals: Mat3::from_cols(axes[0], axes[1], axes[2]),
            carries_light: false,
        }
    }

    /// Any column-major matrix, also one with a projection in it. Normals turn by its three axes at
    /// unit length; an axis without length gives them nothing.
    #[must_use]
    pub fn from_columns(columns: [f32; 16]) -> Self {
        let points = Mat4::from_cols_array(&columns);
        let axis = |column: Vec4| direction::unit(column.truncate()).unwrap_or(Vec3::ZERO);
        let normals =
            Mat3::from_cols(axis(points.x_axis), axis(points.y_axis), axis(points.z_axis));
        Self { points, normals, carries_light: false }
    }

    /// The light turns with the instance: the direction of its light, and that of the engines'
    /// lighting styles, is taken in the instance's own space instead of the scene's.
    #[must_use]
    pub fn with_attached_light(mut self) -> Self {
        self.carries_light = true;
        self
    }

    /// The matrix, column by column.
    #[must_use]
    pub fn columns(&self) -> [f32; 16] {
        self.points.to_cols_array()
    }

    /// Where the model's origin stands (the last column).
    #[must_use]
    pub fn origin(&self) -> [f32; 3] {
        self.points.w_axis.truncate().to_array()
    }

    /// Where the model's forward, left and up point (the first three columns).
    #[must_use]
    pub fn axes(&self) -> [[f32; 3]; 3] {
        let Mat4 { x_axis, y_axis, z_axis, .. } = self.points;
        [x_axis, y_axis, z_axis].map(|axis| axis.truncate().to_array())
    }

    /// Where a point of the model stands in the scene; divided by w if there is a projection.
    #[must_use]
    pub fn point(&self, point: [f32; 3]) -> [f32; 3] {
        if self.is_identity() {
            return point;
        }
        let at = self.points * Vec3::from(point).extend(1.0);
        let at = if self.is_affine() { at.truncate() } else { at.truncate() / at.w };
        at.to_array()
    }

    pub(crate) fn matrix(&self) -> Mat4 {
        self.points
    }

    pub(crate) fn is_identity(&self) -> bool {
        self.points == Mat4::IDENTITY && self.normals == Mat3::IDENTITY
    }

    fn is_affine(&self) -> bool {
        self.points.row(3) == Vec4::W
    }

    /// Whether it mirrors, so that triangles that were clockwise no longer are. That of a projection
    /// is the user's own affair.
    pub(crate) fn turns_triangles_over(&self) -> bool {
        self.is_affine() && Mat3::from_mat4(self.points).determinant() < 0.0
    }

    /// A direction of the scene as normals of the model must see it: their dot products with it are
    /// those of the turned normals with the direction.
    pub(crate) fn direction_for_normals(&self, direction: [f32; 3]) -> [f32; 3] {
        if self.carries_light || self.normals == Mat3::IDENTITY {
            return direction;
        }
        // Zeros of the matrix are left out, so that a turn about one axis leaves the others' bits.
        let dot = |axis: Vec3| {
            let terms = axis.to_array().into_iter().zip(direction).filter(|&(a, _)| a != 0.0);
            terms.map(|(a, d)| a * d).reduce(|sum, term| sum + term).unwrap_or(0.0)
        };
        [self.normals.x_axis, self.normals.y_axis, self.normals.z_axis].map(dot)
    }
}

impl Mul for Transform {
    type Output = Self;

    /// The light is attached if it is so in either.
    fn mul(self, child: Self) -> Self {
        Self {
            points: self.points * child.points,
            normals: self.normals * child.normals,
            carries_light: self.carries_light || child.carries_light,
        }
    }
}

fn sine_and_cosine(degrees: f32) -> (f32, f32) {
    let (sine, cosine) = libm::sincos(f64::from(degrees).to_radians());
    (sine as f32, cosine as f32)
}

/// Forward, right, up of something turned by angles whose sines and cosines are given: pitch, yaw,
/// roll.
pub(crate) fn axes_of_angles([(sp, cp), (sy, cy), (sr, cr)]: [(f32, f32); 3]) -> [[f32; 3]; 3] {
    [
        [cp * cy, cp * sy, -sp],
        [-sr * sp * cy + -cr * -sy, -sr * sp * sy + -cr * cy, -sr * cp],
        [cr * sp * cy + -sr * -sy, cr * sp * sy + -sr * cy, cr * cp],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINT: [f32; 3] = [1.0, 2.0, 3.0];

    fn assert_near(a: [f32; 3], b: [f32; 3]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} {b:?}");
    }

    #[test]
    fn a_turn_to_the_left_is_one_and_a_positive_pitch_lowers_the_nose() {
        assert_near(Transform::yaw(90.0).point([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
        assert_near(Transform::angles([90.0, 0.0, 0.0]).point([1.0, 0.0, 0.0]), [0.0, 0.0, -1.0]);
        assert_near(Transform::angles([0.0, 0.0, 90.0]).point([0.0, -1.0, 0.0]), [0.0, 0.0, -1.0]);
        assert_eq!(Transform::angles([0.0, 33.0, 0.0]), Transform::yaw(33.0));
        // Roll first, then pitch, then yaw.
        let turned = Transform::angles([20.0, 30.0, 40.0]);
        let steps = Transform::yaw(30.0)
            * Transform::angles([20.0, 0.0, 0.0])
            * Transform::angles([0.0, 0.0, 40.0]);
        assert_near(turned.point(POINT), steps.point(POINT));
    }

    #[test]
    fn a_child_is_given_in_its_parents_space() {
        let parent = Transform::translation([1.0, 2.0, 3.0]);
        let turned = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let child = parent * Transform::from_axes([10.0, 0.0, 5.0], turned);
        assert_eq!(child.origin(), [11.0, 2.0, 8.0]);
        assert_eq!(child.point([1.0, 0.0, 0.0]), [11.0, 3.0, 8.0]);
        let grandchild = child * Transform::from_axes([2.0, 0.0, 0.0], turned);
        assert_eq!(grandchild.origin(), [11.0, 4.0, 8.0]);
        assert_eq!(grandchild.axes(), [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]);
        let large = Transform::scale(2.0) * child;
        assert_eq!(large.point([1.0, 0.0, 0.0]), [22.0, 6.0, 16.0]);
    }

    #[test]
    fn the_light_stays_where_the_scene_has_it() {
        let yaw = Transform::yaw(30.0);
        let (sine, cosine) = sine_and_cosine(30.0);
        let [x, y, z] = [0.3, -0.7, -0.0_f32];
        let seen = yaw.direction_for_normals([x, y, z]);
        let expected = [x * cosine + y * sine, y * cosine - x * sine, z];
        assert_eq!(seen.map(f32::to_bits), expected.map(f32::to_bits));
        assert_eq!(yaw.with_attached_light().direction_for_normals(POINT), POINT);
        assert_eq!((Transform::scale(3.0) * yaw).direction_for_normals([x, y, z]), seen);
        assert_eq!(Transform::translation(POINT).direction_for_normals(POINT), POINT);
        // Whatever the matrix: the dot product is that of the turned normal.
        let bent = Transform::from_axes([0.0; 3], [[0.0, 2.0, 1.0], POINT, [1.0, -1.0, 0.5]]);
        let normal = [0.2, 0.5, -0.4];
        let dot = |a: [f32; 3], b: [f32; 3]| Vec3::from(a).dot(Vec3::from(b));
        let turned = dot(bent.point(normal), POINT);
        assert!((dot(normal, bent.direction_for_normals(POINT)) - turned).abs() < 1e-5);
    }

    #[test]
    fn only_affine_mirrors_turn_triangles_over() {
        let mut columns = Transform::IDENTITY.columns();
        assert!(!Transform::from_columns(columns).turns_triangles_over());
        columns[5] = -2.0;
        let mirror = Transform::from_columns(columns);
        assert!(mirror.turns_triangles_over());
        assert!((Transform::yaw(70.0) * mirror).turns_triangles_over());
        assert!(!(mirror * mirror).turns_triangles_over());
        assert_eq!(mirror.direction_for_normals([0.0, 1.0, 0.0]), [0.0, -1.0, 0.0]);
        columns[11] = 0.5;
        let projection = Transform::from_columns(columns);
        assert!(!projection.turns_triangles_over());
        assert_eq!(projection.point([0.0, 0.0, 2.0]), [0.0, 0.0, 1.0]);
        assert_eq!(projection.columns(), columns);
    }
}
