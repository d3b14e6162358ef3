//! Posing an MD5 model: local joints of two frames blended, chained to object space, and the
//! weights of every vertex summed.
//!
//! Joints are blended before they are chained, as in Doom 3: blended in object space, limbs would
//! shrink where a parent turns.

use glam::{Quat, Vec3};

use super::{PosedSurface, normals};
use crate::model::{
    AnimJoint, Blend, Geometry, Joint, JointFrame, Model, SkeletalAnim, Skeleton, Surface,
    orientation,
};
use crate::transform::Transform;

/// Quaternions with a larger cosine are blended linearly, because the sine of their angle vanishes.
const PARALLEL: f64 = 1.0 - 1e-6;

/// Joints while a pose is made; kept between poses.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointBuffers {
    /// Rotations and origins in object space.
    chained: Vec<(Quat, Vec3)>,
    frames: Vec<JointFrame>,
}

impl JointBuffers {
    /// Where the joints stand in object space.
    pub(super) fn transforms(&self) -> impl Iterator<Item = Transform> {
        self.frames.iter().map(|JointFrame { rotation, origin }| {
            let axes =
                [rotation.x_axis, rotation.y_axis, rotation.z_axis].map(|axis| axis.to_array());
            Transform::from_axes(origin.to_array(), axes)
        })
    }
}

impl Model {
    /// How far the first joint of a skeleton has moved from where it is in the first frame of its
    /// animation: forward and left. 0 for other models, and in the bind pose.
    pub(crate) fn root_shift(&self, blend: Blend) -> [f32; 2] {
        let Geometry::Skeleton(skeleton) = &self.geometry else { return [0.0; 2] };
        let Some(anim) = skeleton.anims.get(blend.anim) else { return [0.0; 2] };
        let Some(root) = anim.joints.first() else { return [0.0; 2] };
        let (_, first) = root.between(anim.row(0), anim.row(0), 0.0);
        let (_, now) = root.between(anim.row(blend.from), anim.row(blend.to), blend.t);
        [now.x - first.x, now.y - first.y]
    }
}

impl SkeletalAnim {
    /// The components of a frame; those of the last one beyond it.
    fn row(&self, frame: usize) -> &[f32] {
        let start = frame.min(self.frames - 1) * self.component_count;
        &self.components[start..][..self.component_count]
    }
}

/// The posed `surfaces`, which hang on `skeleton`, into buffers that are kept. Frame numbers are
/// those of `blend.anim` and clamped to its last; without such an animation the pose is the bind
/// pose.
pub(crate) fn pose(
    skeleton: &Skeleton,
    surfaces: &[Surface],
    blend: Blend,
    joints: &mut JointBuffers,
    out: &mut [PosedSurface],
) {
    joints.frames.clear();
    match skeleton.anims.get(blend.anim) {
        Some(anim) => animate(skeleton, anim, blend, joints),
        None => joints.frames.extend(skeleton.joints.iter().map(Joint::frame)),
    }
    for ((skinned, surface), posed) in skeleton.surfaces.iter().zip(surfaces).zip(out) {
        posed.resize(skinned.vertices.len());
        let [xs, ys, zs] = posed.position.each_mut().map(|values| values.iter_mut());
        for (vertex, ((x, y), z)) in (0..posed.count).zip(xs.zip(ys).zip(zs)) {
            [*x, *y, *z] = skinned.position(vertex, &joints.frames).to_array();
        }
        normals::compute(posed, &surface.triangles, &skinned.weld);
        posed.pad();
    }
}

/// The joints of `anim` in object space.
fn animate(skeleton: &Skeleton, anim: &SkeletalAnim, blend: Blend, joints: &mut JointBuffers) {
    let (from, to) = (anim.row(blend.from), anim.row(blend.to));
    let JointBuffers { chained, frames } = joints;
    chained.clear();
    chained.resize(anim.joints.len(), (Quat::IDENTITY, Vec3::ZERO));
    for &joint in &skeleton.order {
        let joint = joint as usize;
        let local = anim.joints[joint].between(from, to, blend.t);
        chained[joint] = match anim.joints[joint].parent {
            Some(parent) => under(chained[parent as usize], local),
            None => local,
        };
    }
    frames.extend(chained.iter().map(|&(rotation, origin)| JointFrame::new(rotation, origin)));
}

/// A parent-relative joint in its parent's space.
fn under(parent: (Quat, Vec3), local: (Quat, Vec3)) -> (Quat, Vec3) {
    ((parent.0 * local.0).normalize(), parent.1 + parent.0 * local.1)
}

impl AnimJoint {
    /// The joint of one frame, relative to its parent: the base, its animated components replaced.
    fn at(&self, components: &[f32]) -> (Quat, Vec3) {
        let mut values = [self.base_position, self.base_orientation];
        let mut next = self.first;
        for (bit, value) in values.as_flattened_mut().iter_mut().enumerate() {
            if self.flags & (1 << bit) != 0 {
                *value = components[next];
                next += 1;
            }
        }
        (orientation(values[1]), Vec3::from_array(values[0]))
    }

    /// The joint between two frames; exactly the first at `t` <= 0, the second at `t` >= 1.
    fn between(&self, from: &[f32], to: &[f32], t: f32) -> (Quat, Vec3) {
        if t >= 1.0 {
            return self.at(to);
        }
        let (q0, p0) = self.at(from);
        if t > 0.0 {
            let (q1, p1) = self.at(to);
            return (slerp(q0, q1, t), p0 + (p1 - p0) * t);
        }
        (q0, p0)
    }
}

/// The rotation between two unit quaternions, at constant speed the short way round.
fn slerp(from: Quat, to: Quat, t: f32) -> Quat {
    let (a, b) = (from.to_array().map(f64::from), to.to_array().map(f64::from));
    let dot: f64 = (0..4).map(|i| a[i] * b[i]).sum();
    let (cosine, sign) = (dot.abs(), if dot < 0.0 { -1.0 } else { 1.0 });
    let t = f64::from(t);
    let (from_share, to_share) = if cosine > PARALLEL {
        (1.0 - t, t)
    } else {
        let angle = libm::acos(cosine);
        let sine = libm::sin(angle);
        (libm::sin((1.0 - t) * angle) / sine, libm::sin(t * angle) / sine)
    };
    let mixed = std::array::from_fn(|i| (a[i] * from_share + b[i] * sign * to_share) as f32);
    Quat::from_array(mixed).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::md5mesh;

    /// Two joints ten units apart, one vertex on the child and two near the root, and an animation
    /// of two frames in which the root makes a half turn.
    const MESH: &str = r#"MD5Version 10
        numJoints 2 numMeshes 1
        joints { "root" -1 ( 0 0 0 ) ( 0 0 0 ) "child" 0 ( 10 0 0 ) ( 0 0 0 ) }
        mesh { numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 0 0 ) 1 1 vert 2 ( 0 0 ) 2 1
            numtris 1 tri 0 0 1 2
            numweights 3 weight 0 1 1 ( 0 0 0 ) weight 1 0 1 ( 0 0 1 ) weight 2 0 1 ( 0 1 0 ) }"#;
    const ANIM: &str = r#"MD5Version 10
        numFrames 2 numJoints 2 frameRate 10 numAnimatedComponents 1
        hierarchy { "root" -1 32 0 "child" 0 0 7 }
        baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 10 0 0 ) ( 0 0 0 ) }
        frame 0 { 0 } frame 1 { -1 }"#;

    fn posed(blend: Option<(usize, usize, f32)>) -> Vec<[f32; 3]> {
        let mut model = md5mesh::load(MESH.as_bytes()).unwrap();
        let mut out = [PosedSurface::default()];
        if blend.is_some() {
            model.add_anim("turn", ANIM.as_bytes()).unwrap();
        }
        let (from, to, t) = blend.unwrap_or_default();
        let Model { geometry: Geometry::Skeleton(skeleton), surfaces, .. } = &model else {
            panic!("an md5mesh has a skeleton");
        };
        let blend = Blend { from, to, t, anim: 0 };
        pose(skeleton, surfaces, blend, &mut JointBuffers::default(), &mut out);
        assert_eq!(out[0].position[0].len(), 8);
        assert_eq!(out[0].position[0][7], out[0].position[0][2]);
        (0..3).map(|i| out[0].position.each_ref().map(|axis| axis[i])).collect()
    }

    fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
        Vec3::from_array(a).distance(Vec3::from_array(b))
    }

    #[test]
    fn without_an_animation_the_pose_is_the_bind_pose() {
        assert_eq!(posed(None), [[10.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
    }

    #[test]
    fn the_ends_of_a_blend_are_exactly_the_frames() {
        assert_eq!(posed(Some((0, 1, 0.0))), posed(Some((0, 0, 0.0))));
        assert_eq!(posed(Some((0, 1, 1.0))), posed(Some((1, 1, 0.0))));
        assert!(distance(posed(Some((1, 1, 0.0)))[0], [-10.0, 0.0, 0.0]) < 1e-5);
        assert_eq!(posed(Some((9, 9, 0.0))), posed(Some((1, 1, 0.0))), "clamped");
    }

    #[test]
    fn limbs_keep_their_length_between_frames() {
        for t in [0.125, 0.5, 0.75] {
            let [child, up, left] = posed(Some((0, 1, t)))[..] else { panic!("three vertices") };
            assert!((distance(child, [0.0; 3]) - 10.0).abs() < 1e-4, "{t}: {child:?}");
            assert!((distance(child, up) - 101.0_f32.sqrt()).abs() < 1e-4, "{t}");
            assert!((distance(left, up) - 2.0_f32.sqrt()).abs() < 1e-4, "{t}");
        }
        let [x, y, _] = posed(Some((0, 1, 0.25)))[0];
        assert!((libm::atan2f(y.abs(), x).to_degrees() - 45.0).abs() < 1e-3, "constant speed");
    }

    #[test]
    fn slerp_goes_the_short_way_at_constant_speed() {
        let turn = |degrees: f32| Quat::from_rotation_z(degrees.to_radians());
        for (from, to, t, expected) in
            [(0.0, 90.0, 0.5, 45.0), (0.0, 90.0, 0.1, 9.0), (10.0, 10.05, 0.5, 10.025)]
        {
            for to in [turn(to), -turn(to)] {
                let mid = slerp(turn(from), to, t);
                assert!(mid.dot(turn(expected)).abs() > 1.0 - 1e-7, "{from} {to} {t}: {mid}");
            }
        }
    }
}
