//! From joints to positions: what loading (bind pose, welding) and posing share.

use std::collections::HashMap;

use glam::{Mat3, Quat, Vec3};

use super::{Joint, SkinnedSurface};

/// Where a joint stands in object space: its rotation, then its origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointFrame {
    pub(crate) rotation: Mat3,
    pub(crate) origin: Vec3,
}

impl JointFrame {
    pub(crate) fn new(rotation: Quat, origin: Vec3) -> Self {
        Self { rotation: Mat3::from_quat(rotation), origin }
    }
}

impl Joint {
    /// The joint in the bind pose.
    pub(crate) fn frame(&self) -> JointFrame {
        JointFrame::new(Quat::from_array(self.orientation), Vec3::from_array(self.position))
    }
}

/// The unit quaternion of which an MD5 file stores x, y and z. With the usual product and
/// `v' = q v q*` the missing w is the negative root (Doom 3 takes the positive one, but its matrices
/// are the transposed ones). Vectors longer than 1 are shortened.
pub(crate) fn orientation(xyz: [f32; 3]) -> Quat {
    let vector = Vec3::from_array(xyz);
    let squared = vector.length_squared();
    if squared.is_finite() && squared <= 1.0 {
        return Quat::from_vec4(vector.extend(-(1.0 - squared).sqrt()));
    }
    // Scaled first, because squares of large values are infinite.
    let largest = vector.abs().max_element();
    Quat::from_vec4((vector / largest).normalize().extend(0.0))
}

impl SkinnedSurface {
    /// The sum of bias * (joint's origin + rotated weight position) of a vertex. Biases are used as
    /// they are, as in Doom 3; a vertex without weights lies at the origin.
    pub(crate) fn position(&self, vertex: usize, joints: &[JointFrame]) -> Vec3 {
        let (first, count) = self.vertices[vertex];
        let mut sum = Vec3::ZERO;
        for weight in &self.weights[first as usize..][..count as usize] {
            let joint = &joints[weight.joint as usize];
            sum +=
                (joint.origin + joint.rotation * Vec3::from_array(weight.position)) * weight.bias;
        }
        if sum.is_finite() { sum } else { Vec3::ZERO }
    }
}

/// For every vertex the first one at the same bind position, equal after rounding to 1e-5 of the
/// largest extent: texture seams split vertices, normals must not break there.
pub(crate) fn weld(positions: &[Vec3]) -> Vec<u32> {
    let min = positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let max = positions.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let step = f64::from((max - min).max_element()) * 1e-5;
    let key = |position: &Vec3| {
        position
            .to_array()
            .map(|x| if step > 0.0 { (f64::from(x) / step).round() as i64 } else { 0 })
    };
    let mut first = HashMap::with_capacity(positions.len());
    (0_u32..).zip(positions).map(|(i, p)| *first.entry(key(p)).or_insert(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welds_what_is_equal_after_rounding() {
        let at = |x: f32| Vec3::new(x, 7.0, -3.0);
        let positions = [at(0.0), at(100.0), at(0.000_2), at(0.01), at(100.000_1)];
        assert_eq!(weld(&positions), [0, 1, 0, 3, 1]);
        assert_eq!(weld(&[at(1.0), at(1.0)]), [0, 0]);
        assert!(weld(&[]).is_empty());
    }

    #[test]
    fn the_missing_component_is_the_negative_root() {
        let root = -(0.5_f32.sqrt());
        let cases = [
            ([-0.5, -0.5, -0.5], -0.5),
            ([std::f32::consts::FRAC_1_SQRT_2, 0.0, 0.0], root),
            ([0.0; 3], -1.0),
            ([0.8, 0.6, 0.1], 0.0),
            ([1e30, 0.0, 0.0], 0.0),
        ];
        for (xyz, w) in cases {
            let quat = orientation(xyz);
            assert!((quat.w - w).abs() < 1e-6, "{xyz:?}: {quat}");
            assert!((quat.length() - 1.0).abs() < 1e-6, "{xyz:?}: {quat}");
        }
    }

    #[test]
    fn a_half_turn_by_the_stored_components_turns_the_right_way() {
        // A quarter turn about Z, stored with the sign that makes w negative: +X goes to +Y.
        let joint = JointFrame::new(orientation([0.0, 0.0, -(0.5_f32.sqrt())]), Vec3::ZERO);
        assert!((joint.rotation * Vec3::X - Vec3::Y).length() < 1e-6);
    }
}
