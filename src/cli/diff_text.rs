//! The text that `polyset diff` prints for people.

use std::fmt::Write as _;

use polyset::Counts;
use polyset::diff::{
    Change, ClipDiff, Displacement, FrameDiff, JointDiff, ModelDiff, SkinDiff, SurfaceDiff,
    TagDiff, TexelDiff, TextureDiff,
};

use super::diff::{Report, Verdict};
use super::info_text::{decimal, point};
use super::lines::line;

/// Lines about parts of one kind; `--json` has all.
const LINES: usize = 12;

/// Of two models everything, of many the names of those that are not equal too, and the counts.
pub(super) fn print(report: &Report, is_many: bool) -> String {
    let mut text = String::new();
    for model in &report.models {
        if !is_many || model.verdict != "equal" || !model.notes.is_empty() {
            verdict(&mut text, model);
        }
    }
    if is_many {
        let count = |word| report.models.iter().filter(|model| model.verdict == word).count();
        let counts = ["equal", "different", "missing", "new", "unreadable"]
            .map(|word| (count(word), word))
            .into_iter()
            .filter(|(count, word)| *count > 0 || *word == "equal")
            .map(|(count, word)| format!("{count} {word}"));
        line(&mut text, &counts.collect::<Vec<_>>().join(", "));
    }
    text
}

fn verdict(text: &mut String, model: &Verdict) {
    let Verdict { name, verdict, files, .. } = model;
    let name = match files {
        [Some(old), Some(new)] if old != new => format!("{old} -> {new}"),
        _ => name.clone(),
    };
    match &model.error {
        Some(error) => line(text, &format!("{name}: {verdict}: {error}")),
        None => line(text, &format!("{name}: {verdict}")),
    }
    if let Some(diff) = model.diff.as_ref().filter(|diff| !diff.is_equal()) {
        parts(text, diff);
    }
    for note in &model.notes {
        line(text, &format!("  note      {note}"));
    }
}

fn parts(text: &mut String, diff: &ModelDiff) {
    if diff.formats[0] != diff.formats[1] {
        line(text, &format!("  format    .{} -> .{}", diff.formats[0], diff.formats[1]));
    }
    let counts = counts(&diff.counts);
    if !counts.is_empty() {
        line(text, &format!("  counts    {counts}"));
    }
    let [old, new] = diff.bounds;
    if old != new {
        let shown = [old, new].map(|[min, max]| format!("{} to {}", point(min), point(max)));
        line(text, &format!("  box       {} -> {}", shown[0], shown[1]));
    }
    let either = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
    list(text, "header", &diff.header, |field| {
        format!("{} {} -> {}", field.field, either(&field.values[0]), either(&field.values[1]))
    });
    list(text, "surface", &diff.surfaces, surface);
    if diff.frames.len() > LINES {
        line(text, &format!("  frames    {}", frames_summary(diff)));
    }
    let mut worst: Vec<&FrameDiff> = diff.frames.iter().collect();
    let largest = |frame: &FrameDiff| frame.vertices.map_or(0.0, |moved| moved.largest);
    worst.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    worst.truncate(LINES);
    worst.sort_by_key(|frame| frame.numbers[1].or(frame.numbers[0]));
    let more = diff.frames.len() - worst.len();
    list(text, "frame", &worst, |frame| frame_line(frame));
    if more > 0 {
        line(text, &format!("  frame     {more} more; --json has all"));
    }
    list(text, "clip", &diff.clips, clip);
    list(text, "skin", &diff.skins, skin);
    list(text, "texture", &diff.textures, texture);
    list(text, "tag", &diff.tags, tag);
    list(text, "joint", &diff.joints, joint);
}

fn list<T>(text: &mut String, kind: &str, parts: &[T], describe: impl Fn(&T) -> String) {
    for part in parts.iter().take(LINES) {
        line(text, &format!("  {kind:<9} {}", describe(part)));
    }
    if parts.len() > LINES {
        line(text, &format!("  {kind:<9} {} more; --json has all", parts.len() - LINES));
    }
}

fn counts([old, new]: &[Counts; 2]) -> String {
    let things = [
        (old.surfaces, new.surfaces, "surfaces"),
        (old.vertices, new.vertices, "vertices"),
        (old.triangles, new.triangles, "triangles"),
        (old.frames, new.frames, "frames"),
        (old.clips, new.clips, "clips"),
        (old.skins, new.skins, "skins"),
        (old.tags, new.tags, "tags"),
        (old.joints, new.joints, "joints"),
    ];
    let changed = things.into_iter().filter(|(old, new, _)| old != new);
    changed.map(|(old, new, what)| format!("{what} {old} -> {new}")).collect::<Vec<_>>().join(", ")
}

/// A length or an angle; small ones as they are.
fn number(x: f64) -> String {
    let text = decimal(x as f32);
    if text == "0" && x > 0.0 { format!("{x:.1e}") } else { text }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What happened to a part, if not that it changed.
fn word(change: Change) -> &'static str {
    match change {
        Change::Added => " added",
        Change::Removed => " removed",
        _ => "",
    }
}

fn names(names: &[Option<String>; 2]) -> String {
    match names {
        [Some(old), Some(new)] if old != new => format!("'{old}' renamed '{new}'"),
        [_, Some(name)] | [Some(name), _] => format!("'{name}'"),
        _ => String::new(),
    }
}

fn moved(found: &Displacement, what: &str) -> String {
    let Displacement { compared, moved, largest, mean, vertex, .. } = found;
    let (largest, mean) = (number(*largest), number(*mean));
    format!(
        "{moved} of {compared} {what} moved, by at most {largest} (vertex {vertex}), mean {mean}"
    )
}

fn surface(found: &SurfaceDiff) -> String {
    let mut said = vec![format!("{}{}", names(&found.names), word(found.change))];
    if matches!(found.change, Change::Added | Change::Removed) {
        let side = usize::from(found.change == Change::Added);
        said.push(plural(found.vertices[side], "vertex", "vertices"));
        said.push(plural(found.triangles[side], "triangle", "triangles"));
        return said.join(", ");
    }
    if found.shaders[0] != found.shaders[1] {
        let [old, new] = found.shaders.each_ref().map(|names| names.join(", "));
        said.push(format!("texture '{old}' -> '{new}'"));
    }
    for (count, what) in [
        (found.vertices_added, "added"),
        (found.vertices_removed, "removed"),
        (found.vertices_renumbered, "renumbered"),
    ] {
        if count > 0 {
            said.push(format!("{} {what}", plural(count, "vertex", "vertices")));
        }
    }
    for (count, what) in [
        (found.triangles_added, "added"),
        (found.triangles_removed, "removed"),
        (found.triangles_flipped, "turned over"),
    ] {
        if count > 0 {
            said.push(format!("{} {what}", plural(count, "triangle", "triangles")));
        }
    }
    if let Some(texcoords) = &found.texcoords {
        said.push(moved(texcoords, "texture coordinates"));
    }
    if let Some(weights) = &found.weights {
        let vertices = plural(weights.vertices, "vertex", "vertices");
        let bias = number(weights.largest_bias);
        said.push(format!("weights of {vertices} differ, a bias by at most {bias}"));
    }
    said.join(", ")
}

fn frames_summary(diff: &ModelDiff) -> String {
    let frames = &diff.frames;
    let count = |change| frames.iter().filter(|frame| frame.change == change).count();
    let moved: Vec<(&FrameDiff, Displacement)> =
        frames.iter().filter_map(|frame| Some((frame, frame.vertices?))).collect();
    let mut said = Vec::new();
    for (count, what) in [
        (count(Change::Added), "added"),
        (count(Change::Removed), "removed"),
        (count(Change::Renamed), "renamed"),
        (moved.len(), "with vertices that moved"),
    ] {
        if count > 0 {
            said.push(format!("{count} {what}"));
        }
    }
    let worst = moved.iter().max_by(|a, b| a.1.largest.total_cmp(&b.1.largest));
    if let Some((frame, found)) = worst {
        let mean = moved.iter().map(|(_, found)| found.mean).sum::<f64>() / moved.len() as f64;
        let at = frame.numbers[1].unwrap_or_default();
        let (largest, mean) = (number(found.largest), number(mean));
        said.push(format!("by at most {largest} in frame {at} (vertex {})", found.vertex));
        said.push(format!("mean {mean}"));
    }
    said.join(", ")
}

fn frame_line(found: &FrameDiff) -> String {
    let numbers = match found.numbers {
        [Some(old), Some(new)] if old != new => format!("{old} -> {new}"),
        [_, Some(number)] | [Some(number), _] => number.to_string(),
        _ => String::new(),
    };
    let mut said = vec![format!("{numbers} {}{}", names(&found.names), word(found.change))];
    if let Some(vertices) = &found.vertices {
        said.push(moved(vertices, "vertices"));
    }
    if let Some(normals) = &found.normals {
        let angle = number(normals.largest);
        let turned = plural(normals.turned, "normal", "normals");
        said.push(format!("{turned} turned, by at most {angle} degrees"));
    }
    said.join(", ")
}

fn clip(found: &ClipDiff) -> String {
    let mut said = vec![format!("'{}'{}", found.name, word(found.change))];
    if found.change == Change::Changed {
        for (what, [old, new]) in [("frames", found.frames), ("first frame", found.first_frame)] {
            if let (Some(old), Some(new)) = (old, new)
                && old != new
            {
                said.push(format!("{what} {old} -> {new}"));
            }
        }
        if let [Some(old), Some(new)] = found.seconds
            && old != new
        {
            said.push(format!("seconds {} -> {}", number(old.into()), number(new.into())));
        }
        if said.len() == 1 && found.joint.is_none() {
            said.push("other times".into());
        }
    }
    if let Some(joint) = &found.joint {
        let (apart, angle) = (number(joint.distance), number(joint.largest_angle));
        let frames = plural(joint.frames, "frame", "frames");
        said.push(format!(
            "joints differ in {frames}: '{}' by {apart} in frame {}, turned by at most {angle} degrees",
            joint.joint, joint.frame
        ));
    }
    said.join(", ")
}

fn texels(found: &TexelDiff) -> String {
    let [[a, b], [c, d]] = found.sizes;
    if [a, b] != [c, d] {
        return format!("{a} x {b} texels -> {c} x {d}");
    }
    let share = found.differing as f64 * 100.0 / found.compared.max(1) as f64;
    let mut text =
        format!("{} of {} texels differ ({share:.3} %)", found.differing, found.compared);
    if let (Some([x, y]), Some([old, new])) = (found.at, found.colors) {
        let _ = write!(text, ", by at most {} at ({x}, {y}): {old:?} -> {new:?}", found.worst);
    }
    text
}

fn skin(found: &SkinDiff) -> String {
    let mut said = vec![format!("{}{}", found.skin, word(found.change))];
    if found.change == Change::Renamed {
        said.push(names(&found.names));
    }
    let [old, new] = found.pictures;
    if found.change == Change::Changed && old != new {
        said.push(format!("pictures in the file {old} -> {new}"));
    }
    if found.times {
        said.push("other times".into());
    }
    let pictures = found.texels.iter().map(|one| match found.pictures {
        [1, 1] => texels(one),
        _ => format!("picture {}: {}", one.picture, texels(one)),
    });
    said.extend(pictures);
    said.join(", ")
}

fn texture(found: &TextureDiff) -> String {
    format!(
        "'{}' ({} -> {}): {}",
        found.name,
        found.files[0],
        found.files[1],
        texels(&found.texels)
    )
}

fn tag(found: &TagDiff) -> String {
    let mut said = vec![format!("'{}'{}", found.name, word(found.change))];
    if found.distance > 0.0 {
        let apart = number(found.distance);
        said.push(format!("moved by at most {apart} (frame {})", found.distance_frame));
    }
    if found.angle > 0.0 {
        let angle = number(found.angle);
        said.push(format!("turned by at most {angle} degrees (frame {})", found.angle_frame));
    }
    if found.frames > 1 {
        said.push(format!("in {} frames", found.frames));
    }
    said.join(", ")
}

fn joint(found: &JointDiff) -> String {
    let mut said = vec![format!("'{}'{}", found.name, word(found.change))];
    let [old, new] = &found.parents;
    if found.change == Change::Changed && old != new {
        let name = |parent: &Option<String>| parent.clone().unwrap_or_else(|| "none".into());
        said.push(format!("parent '{}' -> '{}'", name(old), name(new)));
    }
    if found.distance > 0.0 {
        said.push(format!("moved by {}", number(found.distance)));
    }
    if found.angle > 0.0 {
        said.push(format!("turned by {} degrees", number(found.angle)));
    }
    said.join(", ")
}
