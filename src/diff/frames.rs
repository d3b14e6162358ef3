//! Frames: what moves in which of them, and tags.

use super::pair::Pairs;
use super::surfaces::Surfaces;
use super::{
    Change, Displacement, FrameDiff, TagDiff, Tolerance, Turn, angle, axes_angle, distance,
};
use crate::hash::Hash;
use crate::model::{Blend, Geometry, Model};
use crate::pose::Pose;
use crate::transform::Transform;

/// A frame of the file, or the bind pose.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moment {
    Frame(usize),
    Bind,
}

impl Moment {
    pub(super) fn pose(self, model: &Model) -> Pose {
        let mut pose = Pose::default();
        self.pose_into(model, &mut pose);
        pose
    }

    fn pose_into(self, model: &Model, pose: &mut Pose) {
        let blend = match self {
            Self::Frame(frame) => Blend::frame(frame),
            // No animation has this number.
            Self::Bind => Blend { anim: usize::MAX, ..Blend::frame(0) },
        };
        model.pose_into(blend, pose);
    }
}

/// The frames of two models and which belong together.
pub(super) struct Moments<'a> {
    old: &'a Model,
    new: &'a Model,
    pairs: Pairs,
    /// Of all frames.
    pub(super) old_bounds: [[f32; 3]; 2],
    /// Of all frames.
    pub(super) new_bounds: [[f32; 3]; 2],
}

/// What the frames of a model are told apart by.
struct Frames {
    names: Vec<String>,
    /// Of places of vertices.
    contents: Vec<u64>,
    bounds: [[f32; 3]; 2],
}

impl Frames {
    fn of(model: &Model) -> Self {
        let count = if is_skeletal(model) { 1 } else { model.frame_count() };
        let mut pose = Pose::default();
        let mut frames = Self {
            names: Vec::with_capacity(count),
            contents: Vec::with_capacity(count),
            bounds: [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]],
        };
        for number in 0..count {
            moment(model, number).pose_into(model, &mut pose);
            let points = || (0..pose.surface_count()).flat_map(|s| pose.positions(s));
            let words = points().flatten().map(|x| u64::from(x.to_bits()));
            frames.contents.push(words.fold(Hash::new(), Hash::word).bytes(&[]));
            for (axis, x) in points().flat_map(|point| point.into_iter().enumerate()) {
                frames.bounds[0][axis] = frames.bounds[0][axis].min(x);
                frames.bounds[1][axis] = frames.bounds[1][axis].max(x);
            }
            frames.names.push(name(model, number));
        }
        if frames.bounds[0][0] > frames.bounds[1][0] {
            frames.bounds = [[0.0; 3]; 2];
        }
        frames
    }

    /// Whether a name says which frame is meant.
    fn are_named(&self) -> bool {
        let mut names: Vec<&String> = self.names.iter().collect();
        names.sort_unstable();
        names.dedup();
        names.len() == self.names.len() && names.first().is_none_or(|first| !first.is_empty())
    }
}

/// A name as any format has it: `run01` is `run1`, in whatever case.
fn plain(name: &str) -> String {
    let lower = name.to_lowercase();
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = lower[stem.len()..].trim_start_matches('0');
    format!("{stem}{number}")
}

fn is_skeletal(model: &Model) -> bool {
    matches!(model.geometry, Geometry::Skeleton(_))
}

fn moment(model: &Model, number: usize) -> Moment {
    if is_skeletal(model) { Moment::Bind } else { Moment::Frame(number) }
}

fn name(model: &Model, number: usize) -> String {
    match moment(model, number) {
        Moment::Bind => "bind pose".into(),
        Moment::Frame(number) => model.frame_name(number).to_owned(),
    }
}

impl<'a> Moments<'a> {
    /// By name, if every frame has one of its own; of one format those that are left by what they hold,
    /// then by number. Otherwise by what they hold and are called, in order, or by number.
    pub(super) fn pair(old: &'a Model, new: &'a Model, surfaces: &Surfaces<'a>) -> Self {
        let frames = [Frames::of(old), Frames::of(new)];
        let [was, is] = &frames;
        let is_same_format = old.format == new.format;
        let are_named = was.are_named() && is.are_named();
        let pairs = match (are_named, is_same_format) {
            (true, true) => Pairs::by_key(&was.names, &is.names)
                .pair_rest(|a, b| was.contents[a] == is.contents[b])
                .pair_rest(|a, b| a == b),
            (true, false) => {
                let plain = |frames: &Frames| {
                    frames.names.iter().map(|name| plain(name)).collect::<Vec<_>>()
                };
                Pairs::by_key(&plain(was), &plain(is))
            }
            (false, true) if !surfaces.pairs.both.is_empty() => {
                let keys = |frames: &Frames| -> Vec<(String, u64)> {
                    frames.names.iter().cloned().zip(frames.contents.iter().copied()).collect()
                };
                Pairs::in_sequence(&keys(was), &keys(is))
            }
            _ => Pairs::default(),
        };
        let has_none = pairs.both.is_empty();
        let by_number =
            || Pairs::in_sequence(&vec![(); was.names.len()], &vec![(); is.names.len()]);
        let pairs = if has_none { by_number() } else { pairs };
        let [old_bounds, new_bounds] = frames.map(|frames| frames.bounds);
        Self { old, new, pairs, old_bounds, new_bounds }
    }

    /// Frames that both models have; without any, their first ones.
    pub(super) fn first(&self) -> [Moment; 2] {
        let (a, b) = self.pairs.both.first().copied().unwrap_or_default();
        [moment(self.old, a), moment(self.new, b)]
    }

    /// The frames that differ, in the order of the new model, then those that are gone.
    pub(super) fn diff(
        &self,
        surfaces: &Surfaces<'_>,
        vertices: &[Pairs],
        tolerance: &Tolerance,
    ) -> Vec<FrameDiff> {
        let mut poses = [Pose::default(), Pose::default()];
        // Normals of a skeletal model follow from its vertices.
        let has_normals = !is_skeletal(self.old) && !is_skeletal(self.new);
        let mut all: Vec<(usize, FrameDiff)> = Vec::new();
        for &(a, b) in &self.pairs.both {
            moment(self.old, a).pose_into(self.old, &mut poses[0]);
            moment(self.new, b).pose_into(self.new, &mut poses[1]);
            let moved = displacement(&poses, surfaces, vertices, tolerance);
            let turned = has_normals.then(|| turn(&poses, surfaces, vertices, tolerance)).flatten();
            let names = [name(self.old, a), name(self.new, b)];
            let is_renamed = names[0] != names[1] && self.old.format == self.new.format;
            if moved.is_none() && turned.is_none() && !is_renamed {
                continue;
            }
            let frame = FrameDiff {
                change: if is_renamed { Change::Renamed } else { Change::Changed },
                names: names.map(Some),
                numbers: [Some(a), Some(b)],
                vertices: moved,
                normals: turned,
            };
            all.push((b, frame));
        }
        let alone = |model: &Model, side: usize, number: usize| {
            let mut frame = FrameDiff {
                change: if side == 0 { Change::Removed } else { Change::Added },
                names: [None, None],
                numbers: [None, None],
                vertices: None,
                normals: None,
            };
            frame.names[side] = Some(name(model, number));
            frame.numbers[side] = Some(number);
            frame
        };
        let added = self.pairs.added.iter().map(|&number| (number, alone(self.new, 1, number)));
        all.extend(added);
        all.sort_by_key(|(number, _)| *number);
        let removed = self.pairs.removed.iter().map(|&number| alone(self.old, 0, number));
        all.into_iter().map(|(_, frame)| frame).chain(removed).collect()
    }

    /// The tags that differ in any frame.
    pub(super) fn tags(&self, tolerance: &Tolerance) -> Vec<TagDiff> {
        let (was, is) = (self.old.tag_names(), self.new.tag_names());
        let pairs = Pairs::by_key(was, is);
        let empty = |change, name: &String| TagDiff {
            change,
            name: name.clone(),
            frames: 0,
            distance: 0.0,
            distance_frame: 0,
            angle: 0.0,
            angle_frame: 0,
        };
        let mut tags: Vec<TagDiff> =
            pairs.both.iter().map(|&(_, b)| empty(Change::Changed, &is[b])).collect();
        if !tags.is_empty() {
            for &(a, b) in &self.pairs.both {
                let (old, new) = (self.old.tags_in(a), self.new.tags_in(b));
                for (diff, &(i, j)) in tags.iter_mut().zip(&pairs.both) {
                    diff.add(&old[i], &new[j], b, tolerance);
                }
            }
        }
        tags.retain(|tag| tag.frames > 0);
        tags.extend(pairs.added.iter().map(|&tag| empty(Change::Added, &is[tag])));
        tags.extend(pairs.removed.iter().map(|&tag| empty(Change::Removed, &was[tag])));
        tags
    }
}

impl TagDiff {
    fn add(&mut self, old: &Transform, new: &Transform, frame: usize, tolerance: &Tolerance) {
        let apart = distance(old.origin(), new.origin());
        let turned = axes_angle(old.axes(), new.axes());
        if apart > f64::from(tolerance.distance) || turned > f64::from(tolerance.angle) {
            self.frames += 1;
        }
        if apart > self.distance {
            (self.distance, self.distance_frame) = (apart, frame);
        }
        if turned > self.angle {
            (self.angle, self.angle_frame) = (turned, frame);
        }
    }
}

fn displacement(
    [old, new]: &[Pose; 2],
    surfaces: &Surfaces<'_>,
    vertices: &[Pairs],
    tolerance: &Tolerance,
) -> Option<Displacement> {
    let surfaces = surfaces.pairs.both.iter().zip(vertices);
    let distances = surfaces.flat_map(|(&(a, b), vertices)| {
        let [was, is] = [super::points(old, a), super::points(new, b)];
        let apart = move |&(i, j): &(usize, usize)| (distance(was[i], is[j]), b, j);
        vertices.both.iter().map(apart)
    });
    Displacement::of(distances, tolerance.distance.into())
}

fn turn(
    [old, new]: &[Pose; 2],
    surfaces: &Surfaces<'_>,
    vertices: &[Pairs],
    tolerance: &Tolerance,
) -> Option<Turn> {
    let mut all = Turn { turned: 0, largest: 0.0 };
    for (&(a, b), vertices) in surfaces.pairs.both.iter().zip(vertices) {
        let [was, is]: [Vec<_>; 2] = [old.normals(a).collect(), new.normals(b).collect()];
        for &(i, j) in &vertices.both {
            // Equal ones may be no directions.
            let turned = if was[i] == is[j] { 0.0 } else { angle(was[i], is[j]) };
            if turned > f64::from(tolerance.angle) {
                all.turned += 1;
                all.largest = all.largest.max(turned);
            }
        }
    }
    (all.turned > 0).then_some(all)
}
