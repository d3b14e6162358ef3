//! Surfaces: vertices, triangles, texture coordinates, weights.

use std::collections::HashMap;

use super::frames::Moment;
use super::pair::Pairs;
use super::vertices::{Shape, same_vertices};
use super::{Change, Displacement, SurfaceDiff, WeightDiff, distance, points};
use crate::model::{Geometry, Model, SkinnedSurface, Surface};

/// The surfaces of two models and which belong together.
pub(super) struct Surfaces<'a> {
    old: &'a Model,
    new: &'a Model,
    pub(super) pairs: Pairs,
}

impl<'a> Surfaces<'a> {
    /// By name; then those of the same triangles, at last a single one that is left with another.
    pub(super) fn pair(old: &'a Model, new: &'a Model) -> Self {
        let names = |model: &'a Model| model.surfaces.iter().map(Surface::name).collect::<Vec<_>>();
        let has_same_triangles = |a: usize, b: usize| {
            let [a, b] = [&old.surfaces[a], &new.surfaces[b]];
            a.vertex_count() == b.vertex_count() && a.triangles() == b.triangles()
        };
        let mut pairs = Pairs::by_key(&names(old), &names(new)).pair_rest(has_same_triangles);
        if pairs.removed.len() == 1 && pairs.added.len() == 1 {
            pairs = pairs.pair_rest(|_, _| true);
        }
        Self { old, new, pairs }
    }

    /// Which vertices of each pair of surfaces are the same, as they are in frames of both models.
    pub(super) fn vertices(&self, [old, new]: &[Moment; 2]) -> Vec<Pairs> {
        let [old_pose, new_pose] = [old.pose(self.old), new.pose(self.new)];
        let vertices = |&(a, b): &(usize, usize)| {
            let shape = |surface: &'a Surface, positions| Shape {
                triangles: &surface.triangles,
                texcoords: &surface.texcoords,
                positions,
            };
            let [old_points, new_points] = [points(&old_pose, a), points(&new_pose, b)];
            let old = shape(&self.old.surfaces[a], &old_points);
            same_vertices(old, shape(&self.new.surfaces[b], &new_points))
        };
        self.pairs.both.iter().map(vertices).collect()
    }

    /// The surfaces that differ, in the order of the new model, then those that are gone.
    pub(super) fn diff(&self, vertices: &[Pairs]) -> Vec<SurfaceDiff> {
        let pairs = self.pairs.both.iter().zip(vertices);
        let both = pairs.map(|(&(a, b), vertices)| ((a, b), self.of_pair((a, b), vertices)));
        let both = both.filter(|(pair, diff)| !self.is_equal(*pair, diff));
        let mut all: Vec<(usize, SurfaceDiff)> =
            both.map(|((_, number), diff)| (number, diff)).collect();
        let alone = |surface: &Surface, side: usize| {
            let mut diff = empty([None, None]);
            diff.change = if side == 0 { Change::Removed } else { Change::Added };
            diff.names[side] = Some(surface.name.clone());
            diff.shaders[side].clone_from(&surface.shaders);
            diff.vertices[side] = surface.vertex_count();
            diff.triangles[side] = surface.triangles.len();
            diff
        };
        let added = self.pairs.added.iter();
        all.extend(added.map(|&number| (number, alone(&self.new.surfaces[number], 1))));
        all.sort_by_key(|(number, _)| *number);
        let removed = self.pairs.removed.iter().map(|&number| alone(&self.old.surfaces[number], 0));
        all.into_iter().map(|(_, diff)| diff).chain(removed).collect()
    }

    /// Formats with one surface have no name for it.
    fn is_renamed(&self, (a, b): (usize, usize)) -> bool {
        let is_same_format = self.old.format == self.new.format;
        is_same_format && self.old.surfaces[a].name != self.new.surfaces[b].name
    }

    fn is_equal(&self, (a, b): (usize, usize), found: &SurfaceDiff) -> bool {
        let [old, new] = [&self.old.surfaces[a], &self.new.surfaces[b]];
        let mut same = empty([Some(old), Some(new)]);
        same.shaders.clone_from(&found.shaders);
        same == *found
            && (old.shaders == new.shaders || self.old.format != self.new.format)
            && old.vertex_count() == new.vertex_count()
            && old.triangles.len() == new.triangles.len()
    }

    fn of_pair(&self, (a, b): (usize, usize), vertices: &Pairs) -> SurfaceDiff {
        let [old, new] = [&self.old.surfaces[a], &self.new.surfaces[b]];
        let mut diff = empty([Some(old), Some(new)]);
        if self.is_renamed((a, b)) {
            diff.change = Change::Renamed;
        }
        diff.vertices_added = vertices.added.len();
        diff.vertices_removed = vertices.removed.len();
        diff.vertices_renumbered = vertices.both.iter().filter(|(old, new)| old != new).count();
        let triangles = Triangles::compare(old, new, vertices);
        diff.triangles_added = triangles.added;
        diff.triangles_removed = triangles.removed;
        diff.triangles_flipped = triangles.flipped;
        let texcoords = vertices.both.iter();
        let texcoords = texcoords.map(|&(i, j)| (distance(old.texcoords[i], new.texcoords[j]), j));
        diff.texcoords = Displacement::of(texcoords.map(|(apart, j)| (apart, b, j)), 0.0);
        if let (Geometry::Skeleton(was), Geometry::Skeleton(is)) =
            (&self.old.geometry, &self.new.geometry)
        {
            diff.weights =
                weights((&was.surfaces[a], &was.names), (&is.surfaces[b], &is.names), vertices);
        }
        diff
    }
}

impl Displacement {
    /// Of distances, each with surface and vertex; `None` if none is larger than `tolerance`.
    pub(super) fn of(
        distances: impl Iterator<Item = (f64, usize, usize)>,
        tolerance: f64,
    ) -> Option<Self> {
        let mut all =
            Self { compared: 0, moved: 0, largest: 0.0, mean: 0.0, surface: 0, vertex: 0 };
        for (apart, surface, vertex) in distances {
            all.compared += 1;
            all.mean += apart;
            if apart > tolerance {
                all.moved += 1;
            }
            if apart > all.largest {
                (all.largest, all.surface, all.vertex) = (apart, surface, vertex);
            }
        }
        all.mean /= all.compared.max(1) as f64;
        (all.moved > 0).then_some(all)
    }
}

/// Nothing differs.
fn empty(surfaces: [Option<&Surface>; 2]) -> SurfaceDiff {
    SurfaceDiff {
        change: Change::Changed,
        names: surfaces.map(|surface| surface.map(|surface| surface.name.clone())),
        shaders: surfaces
            .map(|surface| surface.map(|surface| surface.shaders.clone()).unwrap_or_default()),
        vertices: surfaces.map(|surface| surface.map_or(0, Surface::vertex_count)),
        triangles: surfaces.map(|surface| surface.map_or(0, |surface| surface.triangles.len())),
        vertices_added: 0,
        vertices_removed: 0,
        vertices_renumbered: 0,
        triangles_added: 0,
        triangles_removed: 0,
        triangles_flipped: 0,
        texcoords: None,
        weights: None,
    }
}

/// Triangles are the same whichever of their corners comes first.
#[derive(Debug, Default, PartialEq, Eq)]
struct Triangles {
    added: usize,
    removed: usize,
    flipped: usize,
}

impl Triangles {
    fn compare(old: &Surface, new: &Surface, vertices: &Pairs) -> Self {
        let mut number = vec![None; old.vertex_count()];
        for &(old, new) in &vertices.both {
            number[old] = u32::try_from(new).ok();
        }
        let mut all = Self::default();
        let mut waiting: HashMap<[u32; 3], usize> = HashMap::new();
        for corners in old.triangles() {
            match corners.map(|corner| number[corner as usize]) {
                [Some(a), Some(b), Some(c)] => *waiting.entry(turned([a, b, c])).or_default() += 1,
                _ => all.removed += 1,
            }
        }
        let take = |waiting: &mut HashMap<[u32; 3], usize>, key| match waiting.get_mut(&key) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        let mut rest = Vec::new();
        for &corners in new.triangles() {
            if !take(&mut waiting, turned(corners)) {
                rest.push(corners);
            }
        }
        for [a, b, c] in rest {
            if take(&mut waiting, turned([a, c, b])) {
                all.flipped += 1;
            } else {
                all.added += 1;
            }
        }
        all.removed += waiting.values().sum::<usize>();
        all
    }
}

/// The smallest corner first.
fn turned(corners: [u32; 3]) -> [u32; 3] {
    let [a, b, c] = corners;
    [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or(corners)
}

/// Weights are compared in the order of the file, joints by name.
fn weights(
    (old, old_names): (&SkinnedSurface, &[String]),
    (new, new_names): (&SkinnedSurface, &[String]),
    vertices: &Pairs,
) -> Option<WeightDiff> {
    let list = |surface: &SkinnedSurface, vertex: usize| {
        let (first, count) = surface.vertices[vertex];
        first as usize..first as usize + count as usize
    };
    let mut all = WeightDiff { vertices: 0, largest_bias: 0.0, vertex: 0 };
    for &(i, j) in &vertices.both {
        let (was, is) = (&old.weights[list(old, i)], &new.weights[list(new, j)]);
        let name = |names: &[String], joint: u32| names.get(joint as usize).cloned();
        let is_same = was.len() == is.len()
            && was.iter().zip(is).all(|(a, b)| {
                a.bias == b.bias
                    && a.position == b.position
                    && name(old_names, a.joint) == name(new_names, b.joint)
            });
        if is_same {
            continue;
        }
        all.vertices += 1;
        let mut biases: HashMap<Option<String>, f64> = HashMap::new();
        for weight in was {
            *biases.entry(name(old_names, weight.joint)).or_default() -= f64::from(weight.bias);
        }
        for weight in is {
            *biases.entry(name(new_names, weight.joint)).or_default() += f64::from(weight.bias);
        }
        let largest = biases.values().fold(0.0, |most: f64, bias| most.max(bias.abs()));
        if largest > all.largest_bias {
            (all.largest_bias, all.vertex) = (largest, j);
        }
    }
    (all.vertices > 0).then_some(all)
}
