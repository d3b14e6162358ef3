//! Bolt's body: which tubes and plates it is made of, and where each has its place on the skin.

use glam::{Quat, Vec3};

use super::shape::{Chart, Group, Mesh, Outline, Plate, Ring, Tube, Weights};
use super::skeleton::{ANTENNA, ANTENNA_TIP, ARMS, CHEST, HEAD, JOINTS, LAMP, LEGS, PELVIS, SPINE};

/// Parts of the body that have a chart of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Helmet,
    Torso,
    /// Of the left side (0) or the right side (1).
    Arm(usize),
    Cuff(usize),
    Hand(usize),
    Leg(usize),
    Boot(usize),
    Shield,
    Pack,
    Ear,
    Antenna,
    Lamp,
}

pub(crate) const PARTS: [Part; 17] = [
    Part::Helmet,
    Part::Torso,
    Part::Arm(0),
    Part::Arm(1),
    Part::Cuff(0),
    Part::Cuff(1),
    Part::Hand(0),
    Part::Hand(1),
    Part::Leg(0),
    Part::Leg(1),
    Part::Boot(0),
    Part::Boot(1),
    Part::Shield,
    Part::Pack,
    Part::Ear,
    Part::Antenna,
    Part::Lamp,
];

/// Half of the skin's width, and its height, in texels of the base size.
pub(crate) const HALF: u32 = 160;
pub(crate) const HEIGHT: u32 = 164;

/// Where the skin of a part lies. The pack is seen from behind only: its chart is all in the right half.
pub(crate) fn chart(part: Part) -> Chart {
    let (x, y, width, height) = match part {
        Part::Helmet => (2, 2, 60, 54),
        Part::Torso => (66, 2, 60, 62),
        Part::Arm(side) => (130 + 14 * side, 2, 12, 34),
        Part::Ear => (130, 40, 12, 8),
        Part::Lamp => (146, 40, 12, 10),
        Part::Hand(side) => (130 + 14 * side, 52, 12, 12),
        Part::Cuff(side) => (130, 68 + 24 * side, 28, 22),
        Part::Leg(side) => (2 + 30 * side, 60, 26, 44),
        Part::Boot(side) => (66 + 32 * side, 68, 28, 26),
        Part::Shield => (2, 106, 56, 56),
        Part::Pack => (160 + 62, 106, 64, 56),
        Part::Antenna => (146, 120, 12, 20),
    };
    Chart { x: x as f32, y: y as f32, width: width as f32, height: height as f32 }
}

const fn ring(row: f32, z: f32, depth: f32, width: f32, x: f32, weights: Weights) -> Ring {
    Ring { row, z, radius: [depth, width], x, weights }
}

const ON_HEAD: Weights = &[(HEAD, 1.0)];
const ON_CHEST: Weights = &[(CHEST, 1.0)];
const ON_LAMP: Weights = &[(LAMP, 1.0)];

const HELMET: [Ring; 9] = [
    ring(0.0, 53.6, 0.0, 0.0, -0.4, ON_HEAD),
    ring(5.0, 52.9, 4.0, 4.2, -0.4, ON_HEAD),
    ring(12.0, 50.9, 7.0, 7.3, -0.2, ON_HEAD),
    ring(20.0, 48.0, 8.7, 8.9, 0.0, ON_HEAD),
    ring(28.0, 45.0, 9.2, 9.3, 0.1, ON_HEAD),
    ring(37.0, 41.8, 8.9, 9.0, 0.3, ON_HEAD),
    ring(44.0, 39.2, 7.6, 7.6, 0.5, ON_HEAD),
    ring(50.0, 37.8, 5.0, 5.2, 0.3, ON_HEAD),
    ring(54.0, 37.5, 0.0, 0.0, 0.0, ON_HEAD),
];

const TORSO: [Ring; 11] = [
    ring(0.0, 38.4, 2.6, 2.8, 0.0, &[(CHEST, 0.6), (HEAD, 0.4)]),
    ring(4.0, 36.6, 4.6, 5.4, 0.0, ON_CHEST),
    ring(9.0, 35.4, 6.4, 8.2, 0.2, ON_CHEST),
    ring(15.0, 33.0, 7.4, 9.4, 0.4, ON_CHEST),
    ring(24.0, 29.4, 7.6, 9.2, 0.5, ON_CHEST),
    ring(33.0, 25.6, 6.4, 7.6, 0.3, &[(CHEST, 0.75), (SPINE, 0.25)]),
    ring(38.0, 23.6, 4.9, 5.7, 0.0, &[(CHEST, 0.3), (SPINE, 0.6), (PELVIS, 0.1)]),
    ring(45.0, 20.8, 4.9, 5.7, 0.0, &[(SPINE, 0.35), (PELVIS, 0.65)]),
    ring(49.0, 19.6, 6.2, 7.4, 0.0, &[(PELVIS, 0.9), (SPINE, 0.1)]),
    ring(
        56.0,
        16.4,
        5.4,
        6.6,
        0.0,
        &[(PELVIS, 0.7), (SPINE, 0.1), (LEGS[0][0], 0.1), (LEGS[1][0], 0.1)],
    ),
    ring(62.0, 14.9, 0.0, 0.0, 0.0, &[(PELVIS, 1.0)]),
];

/// The arm at rest hangs outward by this many degrees; its tube's Z points back up to the shoulder.
const ARM_SLOPE: f32 = 21.0;

fn upper(side: usize) -> Weights {
    [&[(ARMS[0][0], 1.0)], &[(ARMS[1][0], 1.0)]][side]
}

fn elbow(side: usize) -> Weights {
    [&[(ARMS[0][0], 0.5), (ARMS[0][1], 0.5)], &[(ARMS[1][0], 0.5), (ARMS[1][1], 0.5)]][side]
}

fn fore(side: usize) -> Weights {
    [&[(ARMS[0][1], 1.0)], &[(ARMS[1][1], 1.0)]][side]
}

fn hand(side: usize) -> Weights {
    [&[(ARMS[0][2], 1.0)], &[(ARMS[1][2], 1.0)]][side]
}

fn thigh(side: usize) -> Weights {
    [&[(LEGS[0][0], 1.0)], &[(LEGS[1][0], 1.0)]][side]
}

fn knee(side: usize) -> Weights {
    [&[(LEGS[0][0], 0.5), (LEGS[0][1], 0.5)], &[(LEGS[1][0], 0.5), (LEGS[1][1], 0.5)]][side]
}

fn shin(side: usize) -> Weights {
    [&[(LEGS[0][1], 1.0)], &[(LEGS[1][1], 1.0)]][side]
}

fn foot(side: usize) -> Weights {
    [&[(LEGS[0][2], 1.0)], &[(LEGS[1][2], 1.0)]][side]
}

/// 1 on the left side, where Y is positive, -1 on the right side.
fn sign(side: usize) -> f32 {
    if side == 0 { 1.0 } else { -1.0 }
}

/// All of Bolt.
pub(crate) fn bolt() -> Mesh {
    let mut mesh = Mesh::new(HALF as f32);
    head(&mut mesh, chart);
    mesh.tube(&Tube {
        group: Group::Body,
        chart: chart(Part::Torso),
        origin: Vec3::ZERO,
        turn: Quat::IDENTITY,
        around: 12,
        roundness: 0.85,
        rings: &TORSO,
    });
    pack(&mut mesh);
    for side in 0..2 {
        arm(&mut mesh, side);
        leg(&mut mesh, side);
    }
    shield(&mut mesh);
    claw(&mut mesh);
    mesh
}

/// Helmet, ear bolt, antenna and lamp, on a skin with these charts.
pub(crate) fn head(mesh: &mut Mesh, chart: impl Fn(Part) -> Chart) {
    let tube = |part, origin, turn, around| Tube {
        group: Group::Head,
        chart: chart(part),
        origin,
        turn,
        around,
        roundness: 1.0,
        rings: &[],
    };
    let whole = tube(Part::Helmet, Vec3::ZERO, Quat::IDENTITY, 12);
    mesh.tube(&Tube { roundness: 0.92, rings: &HELMET, ..whole });
    // A bolt with a hexagonal head sits where the left ear would be, its axis along Y.
    let outward = Quat::from_rotation_x(-90.0_f32.to_radians());
    let ear = [
        ring(0.0, 3.4, 0.0, 0.0, 0.0, ON_HEAD),
        ring(3.5, 3.1, 2.6, 2.6, 0.0, ON_HEAD),
        ring(6.0, 1.2, 2.9, 2.9, 0.0, ON_HEAD),
        ring(8.0, -1.0, 2.9, 2.9, 0.0, ON_HEAD),
    ];
    let at = Vec3::new(-0.2, 8.6, 45.0);
    mesh.tube(&Tube { rings: &ear, ..tube(Part::Ear, at, outward, 6) });
    const ON_ANTENNA: Weights = &[(ANTENNA, 1.0)];
    let base = JOINTS[ANTENNA].rest;
    let along = ANTENNA_TIP - base;
    let mast = [
        ring(0.0, along.length(), 0.45, 0.45, 0.0, ON_ANTENNA),
        ring(11.0, 2.2, 0.7, 0.7, 0.0, ON_ANTENNA),
        ring(14.0, 1.4, 1.9, 1.9, 0.0, ON_ANTENNA),
        ring(20.0, -2.2, 2.3, 2.3, 0.0, ON_HEAD),
    ];
    let lean = Quat::from_rotation_arc(Vec3::Z, along.normalize());
    mesh.tube(&Tube { rings: &mast, ..tube(Part::Antenna, base, lean, 6) });
    let lamp = [
        ring(0.0, 1.9, 0.0, 0.0, 0.0, ON_LAMP),
        ring(3.0, 1.1, 1.5, 1.5, 0.0, ON_LAMP),
        ring(7.0, -0.7, 1.8, 1.8, 0.0, ON_LAMP),
        ring(10.0, -1.9, 0.0, 0.0, 0.0, ON_LAMP),
    ];
    let over = ANTENNA_TIP + along.normalize();
    mesh.tube(&Tube { rings: &lamp, ..tube(Part::Lamp, over, lean, 8) });
}

fn pack(mesh: &mut Mesh) {
    mesh.plate(&Plate {
        group: Group::Body,
        chart: chart(Part::Pack),
        origin: Vec3::new(-5.6, 0.0, 30.0),
        turn: Quat::from_rotation_z(180.0_f32.to_radians()),
        around: 12,
        roundness: 0.55,
        radius: [7.0, 6.0],
        weights: ON_CHEST,
        face: &[
            Outline { x: 5.6, size: 0.0, reach: 0.0 },
            Outline { x: 5.4, size: 0.78, reach: 0.74 },
            Outline { x: 4.6, size: 0.96, reach: 0.88 },
            Outline { x: -1.5, size: 1.0, reach: 1.0 },
        ],
        back: &[],
        on_back_half: true,
    });
}

fn arm(mesh: &mut Mesh, side: usize) {
    let slope = Quat::from_rotation_x((sign(side) * ARM_SLOPE).to_radians());
    let tube = |part, around| Tube {
        group: Group::Body,
        chart: chart(part),
        origin: JOINTS[ARMS[side][0]].rest,
        turn: slope,
        around,
        roundness: 1.0,
        rings: &[],
    };
    let hose = [
        ring(0.0, 3.6, 0.0, 0.0, 0.0, upper(side)),
        ring(4.0, 2.4, 3.0, 3.0, 0.0, upper(side)),
        ring(9.0, -0.3, 3.9, 3.9, 0.0, upper(side)),
        ring(14.0, -2.8, 2.4, 2.4, 0.0, upper(side)),
        ring(19.0, -5.2, 2.0, 2.0, 0.0, upper(side)),
        ring(24.0, -7.0, 2.0, 2.0, 0.0, elbow(side)),
        ring(34.0, -10.0, 2.0, 2.0, 0.0, fore(side)),
    ];
    mesh.tube(&Tube { rings: &hose, ..tube(Part::Arm(side), 8) });
    let cuff = [
        ring(0.0, -7.9, 1.7, 1.7, 0.0, fore(side)),
        ring(2.0, -8.2, 3.0, 3.0, 0.0, fore(side)),
        ring(18.0, -12.6, 3.9, 3.9, 0.0, fore(side)),
        ring(20.0, -13.4, 3.3, 3.3, 0.0, fore(side)),
        ring(22.0, -13.0, 0.0, 0.0, 0.0, fore(side)),
    ];
    mesh.tube(&Tube { rings: &cuff, ..tube(Part::Cuff(side), 8) });
    if side == 0 {
        let fist = [
            ring(0.0, -12.4, 2.2, 1.9, 0.0, hand(side)),
            ring(4.0, -14.6, 3.3, 2.7, 0.3, hand(side)),
            ring(8.5, -17.0, 2.9, 2.3, 0.5, hand(side)),
            ring(12.0, -18.1, 0.0, 0.0, 0.4, hand(side)),
        ];
        mesh.tube(&Tube { rings: &fist, ..tube(Part::Hand(side), 8) });
    }
}

/// Two pincers instead of a right hand.
fn claw(mesh: &mut Mesh) {
    const RIGHT: usize = 1;
    let slope = Quat::from_rotation_x((-ARM_SLOPE).to_radians());
    let wrist = JOINTS[ARMS[RIGHT][0]].rest + slope * Vec3::new(0.0, 0.0, -12.6);
    for turned in [0.0_f32, 180.0] {
        let pincer = [
            ring(0.0, 0.0, 1.0, 1.5, 1.4, hand(RIGHT)),
            ring(4.0, -2.6, 1.1, 1.5, 3.2, hand(RIGHT)),
            ring(8.0, -5.2, 0.8, 1.2, 2.6, hand(RIGHT)),
            ring(12.0, -7.4, 0.0, 0.0, 0.7, hand(RIGHT)),
        ];
        mesh.tube(&Tube {
            group: Group::Body,
            chart: chart(Part::Hand(RIGHT)),
            origin: wrist,
            turn: slope * Quat::from_rotation_z(turned.to_radians()),
            around: 6,
            roundness: 0.8,
            rings: &pincer,
        });
    }
}

fn leg(mesh: &mut Mesh, side: usize) {
    let out = sign(side);
    let tube = |part, around| Tube {
        group: Group::Legs,
        chart: chart(part),
        origin: Vec3::new(0.0, 5.0 * out, 0.0),
        turn: Quat::IDENTITY,
        around,
        roundness: 1.0,
        rings: &[],
    };
    let hose = [
        ring(0.0, 20.2, 0.0, 0.0, 0.0, thigh(side)),
        ring(3.0, 18.8, 2.7, 2.4, 0.0, thigh(side)),
        ring(8.0, 15.2, 2.6, 2.4, 0.0, thigh(side)),
        ring(15.0, 12.4, 2.4, 2.3, 0.2, thigh(side)),
        ring(19.0, 11.0, 2.5, 2.4, 0.4, knee(side)),
        ring(23.0, 9.8, 2.5, 2.4, 0.3, shin(side)),
        ring(26.0, 9.3, 3.7, 3.6, 0.2, shin(side)),
        ring(38.0, 4.6, 4.4, 4.3, 0.0, shin(side)),
        ring(42.0, 3.2, 3.4, 3.4, 0.0, shin(side)),
        ring(44.0, 3.6, 0.0, 0.0, 0.0, shin(side)),
    ];
    mesh.tube(&Tube { rings: &hose, ..tube(Part::Leg(side), 8) });
    let boot = [
        ring(0.0, 6.4, 0.0, 0.0, 0.0, foot(side)),
        ring(2.0, 5.6, 3.0, 3.0, 0.0, foot(side)),
        ring(7.0, 4.3, 4.4, 4.0, 0.8, foot(side)),
        ring(14.0, 2.2, 5.7, 4.5, 1.8, foot(side)),
        ring(20.0, 0.6, 6.0, 4.7, 2.0, foot(side)),
        ring(22.0, 0.0, 5.6, 4.4, 2.0, foot(side)),
        ring(26.0, 0.0, 0.0, 0.0, 2.0, foot(side)),
    ];
    mesh.tube(&Tube { rings: &boot, ..tube(Part::Boot(side), 10) });
}

fn shield(mesh: &mut Mesh) {
    let slope = Quat::from_rotation_x(ARM_SLOPE.to_radians());
    // Upright when the forearm is half raised.
    let facing =
        Quat::from_rotation_y(14.0_f32.to_radians()) * Quat::from_rotation_z(90.0_f32.to_radians());
    mesh.plate(&Plate {
        group: Group::Body,
        chart: chart(Part::Shield),
        origin: JOINTS[ARMS[0][0]].rest + slope * Vec3::new(0.0, 3.4, -10.2),
        turn: slope * facing,
        around: 16,
        roundness: 1.0,
        radius: [8.4, 8.4],
        weights: fore(0),
        face: &[
            Outline { x: 2.6, size: 0.0, reach: 0.0 },
            Outline { x: 2.2, size: 0.45, reach: 0.45 },
            Outline { x: 1.2, size: 0.8, reach: 0.8 },
            Outline { x: 0.9, size: 0.97, reach: 0.95 },
            Outline { x: 0.2, size: 1.0, reach: 1.0 },
        ],
        back: &[
            Outline { x: -0.2, size: 0.93, reach: 0.9 },
            Outline { x: 0.9, size: 0.0, reach: 0.0 },
        ],
        on_back_half: false,
    });
}
