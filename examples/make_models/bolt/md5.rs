//! Doom 3 `.md5mesh` and `.md5anim`: text, joints and weights.

use std::fmt::{Display, Write as _};

use glam::{Quat, Vec2, Vec3};

use super::body::bolt;
use super::clips::Clip;
use super::md3::Split;
use super::shape::Group;
use super::skeleton::{JOINT_COUNT, JOINTS, Posed};

/// Six decimals, no negative zero, no zeros at the end.
struct Number(f32);

impl Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.6}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

fn triple(v: Vec3) -> String {
    format!("( {} {} {} )", Number(v.x), Number(v.y), Number(v.z))
}

/// The three stored components of a rotation: readers take w = -sqrt(1 - x² - y² - z²).
fn stored(turn: Quat) -> Vec3 {
    let turn = if turn.w > 0.0 { -turn } else { turn };
    Vec3::new(turn.x, turn.y, turn.z)
}

fn parent_number(index: usize) -> i32 {
    JOINTS[index].parent.map_or(-1, |parent| parent as i32)
}

pub(crate) fn mesh() -> Result<Vec<u8>, std::fmt::Error> {
    let rest = Posed::rest();
    let whole = bolt();
    let groups =
        [(Group::Head, "bolt.tga"), (Group::Body, "models/bolt/bolt"), (Group::Legs, "bolt")];
    let mut text = String::from("MD5Version 10\ncommandline \"make_models // not a comment\"\n\n");
    writeln!(text, "numJoints {JOINT_COUNT}\nnumMeshes {}\n\njoints {{", groups.len())?;
    for (index, joint) in JOINTS.iter().enumerate() {
        let place = triple(rest.origin[index]);
        let turn = triple(stored(rest.axes(index)));
        let parent = joint.parent.map_or("a root", |parent| JOINTS[parent].name);
        let number = parent_number(index);
        writeln!(text, "\t\"{}\"\t{number} {place} {turn}\t// {parent}", joint.name)?;
    }
    text += "}\n";
    for (group, shader) in groups {
        let part = whole.only(|triangle| triangle.group == group);
        let split = Split::new(&part, Vec2::ZERO);
        writeln!(text, "\nmesh {{\n\t// meshes: {group:?}\n\tshader \"{shader}\"\n")?;
        writeln!(text, "\tnumverts {}", split.vertices.len())?;
        let mut first = 0;
        for (index, (vertex, st)) in split.vertices.iter().enumerate() {
            let count = part.vertices[*vertex].weights.len();
            let (s, t) = (Number(st.x), Number(st.y));
            writeln!(text, "\tvert {index} ( {s} {t} ) {first} {count}")?;
            first += count;
        }
        writeln!(text, "\n\tnumtris {}", split.triangles.len())?;
        for (index, [a, b, c]) in split.triangles.iter().enumerate() {
            writeln!(text, "\ttri {index} {a} {b} {c}")?;
        }
        writeln!(text, "\n\tnumweights {first}")?;
        let mut index = 0;
        for (vertex, _) in &split.vertices {
            let vertex = &part.vertices[*vertex];
            let place = vertex.rest + Vec3::Z * super::skeleton::GROUND;
            for &(joint, share) in vertex.weights {
                let own = rest.axes(joint).inverse() * (place - rest.origin[joint]);
                writeln!(text, "\tweight {index} {joint} {} {}", Number(share), triple(own))?;
                index += 1;
            }
        }
        text += "}\n";
    }
    Ok(text.into_bytes())
}

/// Place and stored rotation of a joint against its parent.
fn local(posed: &Posed, index: usize) -> [f32; 6] {
    let (place, turn) = JOINTS[index].parent.map_or_else(
        || (posed.origin[index], posed.axes(index)),
        |parent| {
            let back = posed.axes(parent).inverse();
            (back * (posed.origin[index] - posed.origin[parent]), back * posed.axes(index))
        },
    );
    let turn = stored(turn.normalize());
    [place.x, place.y, place.z, turn.x, turn.y, turn.z]
}

/// One cycle of a clip; the last frame repeats the first. Only components that change are stored.
pub(crate) fn anim(
    clip: Clip,
    intervals: usize,
    rate: u32,
    command_line: bool,
) -> Result<Vec<u8>, std::fmt::Error> {
    let frames: Vec<Vec<[f32; 6]>> = (0..=intervals)
        .map(|frame| {
            let posed = clip.pose((frame % intervals) as f32 / intervals as f32);
            (0..JOINT_COUNT).map(|joint| local(&posed, joint)).collect()
        })
        .collect();
    let base = &frames[0];
    let changes = |joint: usize, component: usize| {
        const STEP: f32 = 2e-6;
        frames.iter().any(|frame| (frame[joint][component] - base[joint][component]).abs() > STEP)
    };
    let flags: Vec<[bool; 6]> =
        (0..JOINT_COUNT).map(|joint| [0, 1, 2, 3, 4, 5].map(|c| changes(joint, c))).collect();
    let animated = flags.iter().flatten().filter(|&&set| set).count();
    let mut text = String::from("MD5Version 10\n");
    if command_line {
        text += "commandline \"make_models\"\n";
    }
    writeln!(text, "\nnumFrames {}\nnumJoints {JOINT_COUNT}", frames.len())?;
    writeln!(text, "frameRate {rate}\nnumAnimatedComponents {animated}\n\nhierarchy {{")?;
    let mut first = 0;
    for (index, joint) in JOINTS.iter().enumerate() {
        let bits: u32 = (0..6).map(|c| u32::from(flags[index][c]) << c).sum();
        writeln!(text, "\t\"{}\"\t{} {bits} {first}\t//", joint.name, parent_number(index))?;
        first += bits.count_ones();
    }
    text += "}\n\nbounds {\n";
    let mesh = bolt();
    for frame in 0..=intervals {
        let posed = clip.pose((frame % intervals) as f32 / intervals as f32);
        let [low, high] = super::out::bounds(&mesh.positions(&posed));
        writeln!(text, "\t{} {}", triple(low), triple(high))?;
    }
    text += "}\n\nbaseframe {\n";
    for [x, y, z, qx, qy, qz] in base {
        writeln!(text, "\t{} {}", triple(Vec3::new(*x, *y, *z)), triple(Vec3::new(*qx, *qy, *qz)))?;
    }
    text += "}\n";
    for (number, frame) in frames.iter().enumerate() {
        writeln!(text, "\nframe {number} {{")?;
        for (components, flags) in frame.iter().zip(&flags) {
            let set = components.iter().zip(flags).filter(|(_, set)| **set);
            let line: Vec<String> = set.map(|(value, _)| Number(*value).to_string()).collect();
            if !line.is_empty() {
                writeln!(text, "\t{}", line.join(" "))?;
            }
        }
        text += "}\n";
    }
    Ok(text.into_bytes())
}
