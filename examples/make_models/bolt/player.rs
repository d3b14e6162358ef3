//! Bolt as a Quake III player: cut at the hips and at the neck, with tags where the pieces meet, and a
//! tool for the right hand.

use glam::{Quat, Vec3};

use super::body::{Part, chart};
use super::clips::Clip;
use super::md3::{Surface, Tag, write};
use super::shape::{Group, Mesh, Ring, Tube, Weights};
use super::skeleton::{ARMS, CHEST, HEAD, JOINTS, PELVIS, Posed};

const PAINT: &str = "models/bolt_paint.png";

const TAG_TORSO: Tag = Tag { name: "tag_torso", joint: PELVIS, offset: Vec3::ZERO };
const TAG_HEAD: Tag = Tag { name: "tag_head", joint: HEAD, offset: Vec3::ZERO };
const TAG_WEAPON: Tag =
    Tag { name: "tag_weapon", joint: ARMS[1][2], offset: Vec3::new(0.0, -1.4, -3.4) };

/// Frames of a clip, evenly over its phases, so many in all.
struct Stretch {
    name: &'static str,
    clip: Clip,
    count: usize,
    /// Falls on the back.
    falls: bool,
}

const fn stretch(name: &'static str, clip: Clip, count: usize) -> Stretch {
    Stretch { name, clip, count, falls: false }
}

const BOTH: [Stretch; 1] = [Stretch { falls: true, ..stretch("death", Clip::PainA, 4) }];
const TORSO: [Stretch; 3] = [
    stretch("gesture", Clip::Wave, 6),
    stretch("attack", Clip::Attack, 4),
    stretch("stand", Clip::Stand, 2),
];
const LEGS: [Stretch; 3] =
    [stretch("walk", Clip::Walk, 8), stretch("run", Clip::Run, 8), stretch("idle", Clip::Stand, 4)];

/// Rows as if one model had the four frames of BOTH, the twelve of TORSO, the twenty of LEGS; negative
/// counts play backwards.
pub(crate) fn animation_cfg() -> Vec<u8> {
    let rows = "\
        0 4 0 10 // BOTH_DEATH1\n\
        3 1 0 10 // BOTH_DEAD1\n\
        0 4 0 5 // BOTH_DEATH2\n\
        3 1 0 10 // BOTH_DEAD2\n\
        0 4 0 20 // BOTH_DEATH3\n\
        3 1 0 10 // BOTH_DEAD3\n\
        4 6 0 8 // TORSO_GESTURE\n\
        10 4 0 10 // TORSO_ATTACK\n\
        10 -4 0 10 // TORSO_ATTACK2\n\
        10 2 0 10 // TORSO_DROP\n\
        10 -2 0 10 // TORSO_RAISE\n\
        14 1 0 10 // TORSO_STAND\n\
        15 1 0 0 // TORSO_STAND2\n\
        16 8 8 5 // LEGS_WALKCR\n\
        16 8 8 10 // LEGS_WALK\n\
        24 8 8 12 // LEGS_RUN\n\
        16 -8 8 10 // LEGS_BACK\n\
        24 8 4 6 // LEGS_SWIM\n\
        24 2 0 10 // LEGS_JUMP\n\
        24 -2 0 10 // LEGS_LAND\n\
        25 2 0 10 // LEGS_JUMPB\n\
        25 -2 0 10 // LEGS_LANDB\n\
        32 4 4 6 // LEGS_IDLE\n\
        32 2 2 3 // LEGS_IDLECR\n\
        32 -4 4 8 // LEGS_TURN\n";
    format!("// Bolt's movements\nsex n\nfootsteps mech\nheadoffset 0 0 4\n\n{rows}").into_bytes()
}

/// `lower.md3`, `upper.md3` and `head.md3`.
pub(crate) fn parts() -> [Vec<u8>; 3] {
    let whole = super::body::bolt();
    let part = |name, group, part: &str, frames: Vec<(String, Posed)>, tags: &[Tag]| {
        let mesh = whole.only(|triangle| triangle.group == group);
        write(&format!("models/players/bolt/{part}.md3"), &frames, tags, &[surface(name, mesh)])
    };
    let lower = frames(BOTH.iter().chain(&LEGS), |posed| posed);
    let upper = frames(BOTH.iter().chain(&TORSO), |posed| seen_from(&posed, PELVIS));
    let head = vec![("head".to_owned(), seen_from(&Posed::rest(), HEAD))];
    [
        part("l_legs", Group::Legs, "lower", lower, &[TAG_TORSO]),
        part("u_body", Group::Body, "upper", upper, &[TAG_TORSO, TAG_HEAD, TAG_WEAPON]),
        part("h_helmet", Group::Head, "head", head, &[TAG_HEAD]),
    ]
}

/// What a skin says of a part: the picture of its one surface, and its tags.
pub(crate) fn skin_file(surface: &str, picture: &str) -> Vec<u8> {
    format!("{surface},{picture}\ntag_torso,\n").into_bytes()
}

fn surface(name: &'static str, mesh: Mesh) -> Surface {
    Surface::new(name, PAINT, mesh)
}

fn frames<'a>(
    stretches: impl Iterator<Item = &'a Stretch>,
    space: impl Fn(Posed) -> Posed,
) -> Vec<(String, Posed)> {
    let of = |stretch: &Stretch| {
        let Stretch { name, clip, count, falls } = *stretch;
        let frame = |index: usize| {
            let posed = clip.pose(index as f32 / count as f32);
            let fallen = if falls { index as f32 / (count - 1) as f32 } else { 0.0 };
            (format!("{name}{}", index + 1), space(turned(&posed, -85.0 * fallen)))
        };
        (0..count).map(frame).collect::<Vec<_>>()
    };
    stretches.flat_map(of).collect()
}

/// Turned by degrees about the axis to the left, nose down, about a point between the heels.
fn turned(posed: &Posed, degrees: f32) -> Posed {
    if degrees == 0.0 {
        return posed.clone();
    }
    let turn = Quat::from_rotation_y(degrees.to_radians());
    let heels = Vec3::new(-4.0, 0.0, -24.0);
    moved(posed, turn, heels - turn * heels)
}

/// As a joint has it that stands at the origin and is not turned.
fn seen_from(posed: &Posed, joint: usize) -> Posed {
    let turn = posed.turn[joint].inverse();
    moved(posed, turn, -(turn * posed.origin[joint]))
}

fn moved(posed: &Posed, turn: Quat, shift: Vec3) -> Posed {
    let mut moved = posed.clone();
    moved.turn.iter_mut().for_each(|own| *own = (turn * *own).normalize());
    moved.origin.iter_mut().for_each(|own| *own = turn * *own + shift);
    moved
}

const STEADY: Weights = &[(CHEST, 1.0)];

const fn ring(row: f32, z: f32, radius: f32) -> Ring {
    Ring { row, z, radius: [radius, radius], x: 0.0, weights: STEADY }
}

const BODY: [Ring; 5] = [
    ring(0.0, 9.0, 0.0),
    ring(4.0, 9.0, 1.8),
    ring(16.0, 6.0, 2.4),
    ring(30.0, -4.0, 2.0),
    ring(34.0, -4.0, 0.0),
];
const BARREL: [Ring; 4] =
    [ring(0.0, 8.0, 0.0), ring(3.0, 8.0, 1.3), ring(18.0, 0.0, 1.0), ring(22.0, 0.0, 0.0)];
const FLASH: [Ring; 4] =
    [ring(0.0, 7.0, 0.0), ring(4.0, 4.0, 2.6), ring(8.0, 1.0, 1.4), ring(10.0, 0.0, 0.0)];

/// `zapper.md3`, its barrel, its flash and the hand that holds it before the eye.
pub(crate) fn tool() -> [Vec<u8>; 4] {
    let at = |name, x, z| Tag { name, joint: CHEST, offset: Vec3::new(x, 0.0, z) };
    let tags = [at("tag_barrel", 8.0, 0.6), at("tag_flash", 16.0, 0.6)];
    let hand = Tag { name: "tag_weapon", joint: CHEST, offset: Vec3::new(14.0, -6.0, -7.0) };
    let model = |name: &str, tags: &[Tag], surfaces: &[Surface]| {
        let frames = [("rest".to_owned(), seen_from(&Posed::rest(), CHEST))];
        write(&format!("models/weapons/zapper/{name}.md3"), &frames, tags, surfaces)
    };
    let along = |name, part, rings| [surface(name, along(part, rings))];
    [
        model("zapper", &tags, &along("w_body", Part::Arm(0), &BODY)),
        model("zapper_barrel", &[], &along("w_barrel", Part::Cuff(1), &BARREL)),
        model("zapper_flash", &[], &along("w_flash", Part::Lamp, &FLASH)),
        model("zapper_hand", &[hand], &[]),
    ]
}

/// A tube along the forward axis, hexagonal.
fn along(part: Part, rings: &[Ring]) -> Mesh {
    let mut mesh = Mesh::new(super::body::HALF as f32);
    mesh.tube(&Tube {
        group: Group::Body,
        chart: chart(part),
        origin: JOINTS[CHEST].rest,
        turn: Quat::from_rotation_y(90.0_f32.to_radians()),
        around: 6,
        roundness: 1.0,
        rings,
    });
    mesh
}
