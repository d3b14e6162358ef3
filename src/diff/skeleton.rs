//! Joints in the bind pose, and clips: their frames and times, and what the joints do in them.

use super::pair::Pairs;
use super::{Change, ClipDiff, JointDiff, JointMotion, Tolerance, axes_angle, distance};
use crate::model::{Blend, Clip, Geometry, Model};
use crate::pose::Pose;

/// The joints that differ in the bind pose.
pub(super) fn joints(old: &Model, new: &Model, tolerance: &Tolerance) -> Vec<JointDiff> {
    let names = |model: &Model| model.joints().map(|(name, _)| name.to_owned()).collect();
    let (was, is): (Vec<String>, Vec<String>) = (names(old), names(new));
    let pairs = Pairs::by_key(&was, &is);
    let parents = |model: &Model, names: &[String]| -> Vec<Option<String>> {
        let parent = |parent: Option<usize>| parent.and_then(|p| names.get(p).cloned());
        model.joints().map(|(_, number)| parent(number)).collect()
    };
    let (old_parents, new_parents) = (parents(old, &was), parents(new, &is));
    let bind = Blend { anim: usize::MAX, ..Blend::frame(0) };
    let (old_pose, new_pose) = (bare(old).pose_blend(bind), bare(new).pose_blend(bind));
    let (old_places, new_places) = (transforms(&old_pose), transforms(&new_pose));
    let alone = |change, name: &String, parents| JointDiff {
        change,
        name: name.clone(),
        parents,
        distance: 0.0,
        angle: 0.0,
    };
    let both = pairs.both.iter().filter_map(|&(a, b)| {
        let parents = [old_parents[a].clone(), new_parents[b].clone()];
        let diff = JointDiff {
            distance: distance(old_places[a].0, new_places[b].0),
            angle: axes_angle(old_places[a].1, new_places[b].1),
            ..alone(Change::Changed, &is[b], parents)
        };
        let differs = diff.parents[0] != diff.parents[1]
            || diff.distance > f64::from(tolerance.distance)
            || diff.angle > f64::from(tolerance.angle);
        differs.then_some(diff)
    });
    let added = pairs.added.iter();
    let added = added.map(|&b| alone(Change::Added, &is[b], [None, new_parents[b].clone()]));
    let removed = pairs.removed.iter();
    let removed = removed.map(|&a| alone(Change::Removed, &was[a], [old_parents[a].clone(), None]));
    both.chain(added).chain(removed).collect()
}

/// The clips that differ.
pub(super) fn clips(old: &Model, new: &Model, tolerance: &Tolerance) -> Vec<ClipDiff> {
    let names = |model: &Model| -> Vec<String> {
        model.clips().iter().map(|clip| clip.name().to_owned()).collect()
    };
    let (was, is) = (names(old), names(new));
    let pairs = Pairs::by_key(&was, &is);
    let bare = [bare(old), bare(new)];
    let both = pairs.both.iter().filter_map(|&(a, b)| {
        let clips = [&old.clips()[a], &new.clips()[b]];
        let joint = motion(&bare, clips, tolerance);
        let diff = ClipDiff { joint, ..describe(Change::Changed, clips.map(Some)) };
        let is_same = clips[0].timing == clips[1].timing
            && diff.frames[0] == diff.frames[1]
            && diff.first_frame[0] == diff.first_frame[1]
            && diff.joint.is_none();
        (!is_same).then_some(diff)
    });
    let added = pairs.added.iter();
    let added = added.map(|&b| describe(Change::Added, [None, Some(&new.clips()[b])]));
    let removed = pairs.removed.iter();
    let removed = removed.map(|&a| describe(Change::Removed, [Some(&old.clips()[a]), None]));
    both.chain(added).chain(removed).collect()
}

fn describe(change: Change, clips: [Option<&Clip>; 2]) -> ClipDiff {
    let name = clips[1].or(clips[0]).map(|clip| clip.name().to_owned());
    ClipDiff {
        change,
        name: name.unwrap_or_default(),
        frames: clips.map(|clip| clip.map(|clip| clip.frames().len())),
        first_frame: clips.map(|clip| clip.map(|clip| clip.frames().start)),
        seconds: clips.map(|clip| clip.map(Clip::duration)),
        joint: None,
    }
}

/// What the joints that both models have do differently in the frames that both clips have.
fn motion(
    [old, new]: &[Model; 2],
    clips: [&Clip; 2],
    tolerance: &Tolerance,
) -> Option<JointMotion> {
    let (Geometry::Skeleton(was), Geometry::Skeleton(is)) = (&old.geometry, &new.geometry) else {
        return None;
    };
    let pairs = Pairs::by_key(&was.names, &is.names);
    let mut worst = JointMotion {
        joint: String::new(),
        frame: 0,
        distance: 0.0,
        largest_angle: 0.0,
        frames: 0,
    };
    let mut poses = [Pose::default(), Pose::default()];
    let count = clips.map(|clip| clip.frames().len()).into_iter().min().unwrap_or(0);
    for frame in 0..count {
        let blend = |clip: &Clip| Blend { anim: clip.anim, ..Blend::frame(clip.frame(frame)) };
        old.pose_into(blend(clips[0]), &mut poses[0]);
        new.pose_into(blend(clips[1]), &mut poses[1]);
        let [old_places, new_places] = poses.each_ref().map(transforms);
        let mut differs = false;
        for &(a, b) in &pairs.both {
            let apart = distance(old_places[a].0, new_places[b].0);
            let turned = axes_angle(old_places[a].1, new_places[b].1);
            differs |= apart > f64::from(tolerance.distance) || turned > f64::from(tolerance.angle);
            worst.largest_angle = worst.largest_angle.max(turned);
            if apart > worst.distance || worst.joint.is_empty() && turned > 0.0 {
                (worst.distance, worst.frame) = (apart, frame);
                worst.joint.clone_from(&is.names[b]);
            }
        }
        worst.frames += usize::from(differs);
    }
    (worst.frames > 0).then_some(worst)
}

/// The skeleton alone: posing it costs nothing per vertex.
fn bare(model: &Model) -> Model {
    let mut bare = model.clone();
    if let Geometry::Skeleton(skeleton) = &mut bare.geometry {
        skeleton.surfaces.clear();
        bare.surfaces.clear();
    }
    bare
}

fn transforms(pose: &Pose) -> Vec<([f32; 3], [[f32; 3]; 3])> {
    pose.joints().map(|(_, place)| (place.origin(), place.axes())).collect()
}
