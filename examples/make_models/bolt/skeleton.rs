//! Bolt's joints, at rest and posed.
//!
//! Rest positions are in units above the ground (Z = 0 under the soles); [`Posed`] puts the ground
//! at Z = -24, where Quake has the feet. A pose turns a joint about axes parallel to the model's own
//! (X forward, Y left, Z up), carried along by its parents.

use glam::{Quat, Vec3};

/// Where the ground is in the finished models.
pub(crate) const GROUND: f32 = -24.0;

/// One joint: parent before child, two roots.
pub(crate) struct Joint {
    pub(crate) name: &'static str,
    pub(crate) parent: Option<usize>,
    /// Position at rest, ground at Z = 0.
    pub(crate) rest: Vec3,
    /// Axis and degrees of the joint's own axes at rest: only MD5 files show them.
    bind: (Vec3, f32),
}

pub(crate) const ORIGIN: usize = 0;
pub(crate) const PELVIS: usize = 1;
pub(crate) const SPINE: usize = 2;
pub(crate) const CHEST: usize = 3;
pub(crate) const HEAD: usize = 4;
pub(crate) const ANTENNA: usize = 5;
/// Upper arm, forearm, hand of the left side, then of the right side.
pub(crate) const ARMS: [[usize; 3]; 2] = [[6, 7, 8], [9, 10, 11]];
/// Thigh, shin, foot of the left side, then of the right side.
pub(crate) const LEGS: [[usize; 3]; 2] = [[12, 13, 14], [15, 16, 17]];
/// The second root: the lamp that rides on the tip of the antenna.
pub(crate) const LAMP: usize = 18;
pub(crate) const JOINT_COUNT: usize = 19;

/// Tip of the antenna at rest.
pub(crate) const ANTENNA_TIP: Vec3 = Vec3::new(-2.2, -9.0, 54.4);

const fn joint(
    name: &'static str,
    parent: Option<usize>,
    rest: [f32; 3],
    axis: [f32; 3],
    degrees: f32,
) -> Joint {
    Joint { name, parent, rest: Vec3::from_array(rest), bind: (Vec3::from_array(axis), degrees) }
}

/// All joints. Names with blanks, and binds turned about odd axes, try a reader's parser and signs.
pub(crate) const JOINTS: [Joint; JOINT_COUNT] = [
    joint("origin", None, [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], 0.0),
    joint("pelvis", Some(ORIGIN), [0.0, 0.0, 19.0], [0.0, 1.0, 0.0], 90.0),
    joint("spine", Some(PELVIS), [-0.4, 0.0, 22.5], [0.0, 1.0, 0.0], -80.0),
    joint("chest", Some(SPINE), [-0.4, 0.0, 28.0], [1.0, 1.0, 1.0], 120.0),
    joint("head", Some(CHEST), [0.0, 0.0, 37.0], [0.0, 0.0, 1.0], 200.0),
    joint("antenna", Some(HEAD), [-0.8, -8.2, 46.2], [1.0, 0.0, 0.0], 25.0),
    joint("upper arm L", Some(CHEST), [0.0, 10.4, 33.4], [1.0, 0.0, 0.0], 200.0),
    joint("forearm L", Some(6), [0.0, 12.9, 27.0], [3.0, 1.0, -2.0], 75.0),
    joint("hand L", Some(7), [0.0, 15.0, 21.4], [2.0, -1.0, 1.0], 130.0),
    joint("upper arm R", Some(CHEST), [0.0, -10.4, 33.4], [1.0, 0.0, 0.0], -200.0),
    joint("forearm R", Some(9), [0.0, -12.9, 27.0], [-1.0, 2.0, 2.0], 60.0),
    joint("hand R", Some(10), [0.0, -15.0, 21.4], [1.0, 2.0, 3.0], 170.0),
    joint("thigh L", Some(PELVIS), [0.0, 4.7, 17.5], [0.0, 1.0, 0.0], 97.0),
    joint("shin L", Some(12), [0.5, 5.0, 11.0], [0.0, 1.0, 0.0], 75.0),
    joint("foot L", Some(13), [0.0, 5.2, 4.0], [0.0, 0.0, 1.0], 40.0),
    joint("thigh R", Some(PELVIS), [0.0, -4.7, 17.5], [0.0, 1.0, 0.0], 97.0),
    joint("shin R", Some(15), [0.5, -5.0, 11.0], [0.0, 1.0, 0.0], 75.0),
    joint("foot R", Some(16), [0.0, -5.2, 4.0], [0.0, 0.0, 1.0], -40.0),
    joint("lamp", None, [-2.2, -9.0, 54.4], [2.0, 3.0, 6.0], 250.0),
];

impl Joint {
    /// The joint's own axes at rest.
    pub(crate) fn bind_turn(&self) -> Quat {
        let (axis, degrees) = self.bind;
        Quat::from_axis_angle(axis.normalize(), degrees.to_radians())
    }
}

/// What a clip asks of the joints: a turn each, and where the root goes.
pub(crate) struct Turns {
    pub(crate) turn: [Quat; JOINT_COUNT],
    /// Added to the place of the origin.
    pub(crate) shift: Vec3,
    /// Soles are put on the ground, then raised by this much.
    pub(crate) hop: f32,
}

impl Turns {
    pub(crate) fn rest() -> Self {
        Self { turn: [Quat::IDENTITY; JOINT_COUNT], shift: Vec3::ZERO, hop: 0.0 }
    }

    /// Turns a joint by radians about X (roll to its right), then Y (nose down), then Z (to its left).
    pub(crate) fn set(&mut self, joint: usize, roll: f32, pitch: f32, yaw: f32) {
        self.turn[joint] =
            Quat::from_rotation_z(yaw) * Quat::from_rotation_y(pitch) * Quat::from_rotation_x(roll);
    }
}

/// Every joint's turn away from rest and place, in the model's space.
#[derive(Clone)]
pub(crate) struct Posed {
    pub(crate) turn: [Quat; JOINT_COUNT],
    pub(crate) origin: [Vec3; JOINT_COUNT],
}

/// Heels and toes at rest; the lowest of them stands on the ground.
const SOLES: [(usize, Vec3); 4] = [
    (LEGS[0][2], Vec3::new(-3.6, 5.2, 0.0)),
    (LEGS[0][2], Vec3::new(7.6, 5.2, 0.0)),
    (LEGS[1][2], Vec3::new(-3.6, -5.2, 0.0)),
    (LEGS[1][2], Vec3::new(7.6, -5.2, 0.0)),
];

impl Posed {
    /// The bind pose.
    pub(crate) fn rest() -> Self {
        Self {
            turn: [Quat::IDENTITY; JOINT_COUNT],
            origin: std::array::from_fn(|index| JOINTS[index].rest + Vec3::Z * GROUND),
        }
    }

    /// Chains the turns from parents to children and stands the result on the ground.
    pub(crate) fn new(turns: &Turns) -> Self {
        let mut posed = Self::chained(turns, turns.shift);
        let lowest = SOLES
            .iter()
            .map(|&(joint, sole)| posed.point(joint, sole).z)
            .fold(f32::INFINITY, f32::min);
        posed = Self::chained(turns, turns.shift + Vec3::Z * (GROUND - lowest + turns.hop));
        posed
    }

    fn chained(turns: &Turns, shift: Vec3) -> Self {
        let mut posed = Self::rest();
        for (index, joint) in JOINTS.iter().enumerate() {
            let Some(parent) = joint.parent else {
                posed.turn[index] = turns.turn[index];
                posed.origin[index] += shift;
                continue;
            };
            posed.turn[index] = (posed.turn[parent] * turns.turn[index]).normalize();
            posed.origin[index] = posed.point(parent, joint.rest);
        }
        posed.origin[LAMP] = posed.point(ANTENNA, ANTENNA_TIP);
        posed.turn[LAMP] = posed.turn[ANTENNA];
        posed
    }

    /// Where a joint carries a point given at rest (ground at Z = 0).
    pub(crate) fn point(&self, joint: usize, rest: Vec3) -> Vec3 {
        self.origin[joint] + self.turn[joint] * (rest - JOINTS[joint].rest)
    }

    /// The joint's own axes in the model's space.
    pub(crate) fn axes(&self, joint: usize) -> Quat {
        (self.turn[joint] * JOINTS[joint].bind_turn()).normalize()
    }
}
