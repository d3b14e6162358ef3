//! A model as lines of text that another version of it can be compared with: git's textconv.

use std::fmt::Write as _;

use crate::hash::Hash;
use crate::model::{Blend, Geometry, Model, SkinSource};
use crate::pose::Pose;

/// What a model file holds, a line a part: the same for the same bytes wherever they lie. Long tables
/// stand as their hash, so that a line changes where a table does.
#[must_use]
pub fn describe(model: &Model) -> String {
    let mut lines = vec![format!("format {}", model.format().extension())];
    if !model.name().is_empty() {
        lines.push(format!("name {}", quoted(model.name())));
    }
    let fields = model.header_fields();
    lines.extend(fields.into_iter().map(|(field, value)| format!("{field} {value}")));
    surfaces(model, &mut lines);
    skins(model, &mut lines);
    for clip in model.clips() {
        let (frames, seconds) = (clip.frames(), clip.duration());
        let (name, last) = (quoted(clip.name()), frames.end.saturating_sub(1));
        lines.push(format!("clip {name} frames {} to {last}, {seconds} seconds", frames.start));
    }
    joints(model, &mut lines);
    frames(model, &mut lines);
    let mut text = String::new();
    for line in lines {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Names may hold anything: nothing of them ends the line.
fn quoted(name: &str) -> String {
    format!("'{}'", name.escape_debug())
}

fn hash_of(numbers: impl Iterator<Item = u32>) -> String {
    let hash = numbers.fold(Hash::new(), |hash, number| hash.word(number.into()));
    format!("{:016x}", hash.bytes(&[]))
}

fn point(p: [f32; 3]) -> String {
    p.map(|x| (x + 0.0).to_string()).join(" ")
}

fn surfaces(model: &Model, lines: &mut Vec<String>) {
    for (number, surface) in model.surfaces().iter().enumerate() {
        let counts = (surface.vertex_count(), surface.triangles().len());
        let what = format!("surface {number}");
        let name = quoted(surface.name());
        lines.push(format!("{what} {name}: {} vertices, {} triangles", counts.0, counts.1));
        let shaders = surface.shaders().iter();
        lines.extend(shaders.map(|shader| format!("{what} texture {}", quoted(shader))));
        let corners = surface.triangles().iter().flatten().copied();
        lines.push(format!("{what} triangles {}", hash_of(corners)));
        let texcoords = surface.texcoords().iter().flatten().map(|x| x.to_bits());
        lines.push(format!("{what} texture coordinates {}", hash_of(texcoords)));
        if let Geometry::Skeleton(skeleton) = &model.geometry
            && let Some(skinned) = skeleton.surfaces.get(number)
        {
            let first = skinned.vertices.iter().flat_map(|&(first, count)| [first, count]);
            let weights = skinned.weights.iter().flat_map(|weight| {
                let [x, y, z] = weight.position.map(f32::to_bits);
                [weight.joint, weight.bias.to_bits(), x, y, z]
            });
            let count = skinned.weights.len();
            lines.push(format!("{what} {count} weights {}", hash_of(first.chain(weights))));
        }
    }
}

fn skins(model: &Model, lines: &mut Vec<String>) {
    for (number, skin) in model.skins().iter().enumerate() {
        let SkinSource::Embedded { width, height, offsets, end_times, .. } = &skin.source else {
            lines.push(format!("skin {number} {}", quoted(skin.name())));
            continue;
        };
        for picture in 0..offsets.len() {
            let hash = model.picture_of_skin(number, picture).map_or(0, |image| image.hash());
            let until = end_times.get(picture).map(|end| format!(" until {end} seconds"));
            let until = until.unwrap_or_default();
            lines.push(format!(
                "skin {number} picture {picture}: {width} x {height} texels {hash:016x}{until}"
            ));
        }
    }
}

fn joints(model: &Model, lines: &mut Vec<String>) {
    let Geometry::Skeleton(skeleton) = &model.geometry else { return };
    for joint in &skeleton.joints {
        let parent = joint.parent.and_then(|parent| skeleton.joints.get(parent as usize));
        let parent = parent.map_or("none".into(), |parent| quoted(&parent.name));
        let [x, y, z, _] = joint.orientation;
        lines.push(format!(
            "joint {} parent {parent}, at {}, turned {}",
            quoted(&joint.name),
            point(joint.position),
            point([x, y, z])
        ));
    }
}

/// Of an MD5 the bind pose follows from joints and weights; animations are files of their own.
fn frames(model: &Model, lines: &mut Vec<String>) {
    if matches!(model.geometry, Geometry::Skeleton(_)) {
        return;
    }
    let mut pose = Pose::default();
    for frame in 0..model.frame_count() {
        model.pose_into(Blend::frame(frame), &mut pose);
        let surfaces = 0..pose.surface_count();
        let bits = |numbers: [f32; 3]| numbers.map(f32::to_bits);
        let places = surfaces.clone().flat_map(|s| pose.positions(s)).flat_map(bits);
        let normals = surfaces.flat_map(|s| pose.normals(s)).flat_map(bits);
        let [min, max] = pose.bounds().map(point);
        let name = quoted(model.frame_name(frame));
        lines.push(format!(
            "frame {frame} {name}: box {min} to {max}, vertices {}, normals {}",
            hash_of(places),
            hash_of(normals)
        ));
        for (tag, place) in pose.tags() {
            let [forward, left, up] = place.axes().map(point);
            lines.push(format!(
                "frame {frame} tag {}: at {}, forward {forward}, left {left}, up {up}",
                quoted(tag),
                point(place.origin())
            ));
        }
    }
}
