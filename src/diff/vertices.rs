//! Which vertex of a new surface is which of the old one.
//!
//! By number where the triangles or all texture coordinates are the same ones. Otherwise by what is
//! left the same: texture coordinate and place, then the texture coordinate if no other vertex has it,
//! then the place, at last the nearest vertex within [`REACH`].

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

use super::distance;
use super::pair::Pairs;

/// How far apart vertices may be that are taken for the same, as a part of the surface's size.
const REACH: f64 = 0.02;
/// A vertex is compared with no more of those near it.
const CANDIDATES: usize = 512;
/// How often those whose nearest vertex went to another one try again.
const ROUNDS: usize = 4;

/// A surface as far as it tells its vertices apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<'a> {
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) texcoords: &'a [[f32; 2]],
    /// In a frame that both models have.
    pub(super) positions: &'a [[f32; 3]],
}

/// The vertices of two surfaces that are the same.
pub(super) fn same_vertices(old: Shape<'_>, new: Shape<'_>) -> Pairs {
    let counts = [old, new].map(|shape| shape.positions.len());
    let is_same = old.triangles == new.triangles || old.texcoords == new.texcoords;
    if counts[0] == counts[1] && is_same {
        let both = (0..counts[0]).map(|vertex| (vertex, vertex)).collect();
        return Pairs { both, ..Pairs::default() };
    }
    let place = |shape: Shape<'_>, vertex: usize| shape.positions[vertex].map(bits);
    let texcoord = |shape: Shape<'_>, vertex: usize| shape.texcoords[vertex].map(bits);
    let mut known = Known { old: vec![None; counts[0]], new: vec![None; counts[1]] };
    known.add(old, new, false, |shape, vertex| (place(shape, vertex), texcoord(shape, vertex)));
    known.add(old, new, true, texcoord);
    known.add(old, new, false, place);
    known.add_near(old, new);
    let both: Vec<(usize, usize)> =
        (0..).zip(&known.new).filter_map(|(new, old)| old.map(|old| (old, new))).collect();
    let rest = |known: &[Option<usize>]| {
        (0..known.len()).filter(|&vertex| known[vertex].is_none()).collect()
    };
    Pairs { both, removed: rest(&known.old), added: rest(&known.new) }
}

/// Equal numbers have equal bits: both zeros are one.
fn bits(x: f32) -> u32 {
    (x + 0.0).to_bits()
}

/// Places first, then texture coordinates, then file order.
fn nearer(a: &(f64, f64, usize), b: &(f64, f64, usize)) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
}

/// Partners that were found.
struct Known {
    old: Vec<Option<usize>>,
    new: Vec<Option<usize>>,
}

impl Known {
    fn join(&mut self, old: usize, new: usize) {
        self.old[old] = Some(new);
        self.new[new] = Some(old);
    }

    /// Joins vertices with equal keys, in file order or only if each is the one of its kind.
    fn add<K: Eq + Hash>(
        &mut self,
        old: Shape<'_>,
        new: Shape<'_>,
        only_unique: bool,
        key: impl Fn(Shape<'_>, usize) -> K,
    ) {
        let lists = |known: &[Option<usize>], shape| {
            let mut lists: HashMap<K, Vec<usize>> = HashMap::new();
            for vertex in (0..known.len()).filter(|&vertex| known[vertex].is_none()) {
                lists.entry(key(shape, vertex)).or_default().push(vertex);
            }
            lists
        };
        let (old_lists, new_lists) = (lists(&self.old, old), lists(&self.new, new));
        for (key, new) in &new_lists {
            let Some(old) = old_lists.get(key) else { continue };
            if !only_unique || old.len() == 1 && new.len() == 1 {
                old.iter().zip(new).for_each(|(&old, &new)| self.join(old, new));
            }
        }
    }

    /// Joins the vertices that are left with the nearest one, the nearest pairs first.
    fn add_near(&mut self, old: Shape<'_>, new: Shape<'_>) {
        let all = || old.positions.iter().chain(new.positions);
        let extent = |axis: usize| {
            let least = all().map(|p| p[axis]).fold(f32::INFINITY, f32::min);
            let most = all().map(|p| p[axis]).fold(f32::NEG_INFINITY, f32::max);
            f64::from(most) - f64::from(least)
        };
        let reach = REACH * [0, 1, 2].map(extent).into_iter().fold(0.0, f64::max);
        let free = |known: &[Option<usize>]| -> Vec<usize> {
            (0..known.len()).filter(|&vertex| known[vertex].is_none()).collect()
        };
        let x = |shape: Shape<'_>, vertex: usize| f64::from(shape.positions[vertex][0]);
        for _ in 0..ROUNDS {
            let mut waiting = free(&self.old);
            waiting.sort_by(|&a, &b| x(old, a).total_cmp(&x(old, b)));
            let nearest = |vertex: usize| {
                let at = x(new, vertex);
                let first = waiting.partition_point(|&other| x(old, other) < at - reach);
                let here =
                    waiting[first..].iter().take_while(|&&other| x(old, other) <= at + reach);
                let apart = here.take(CANDIDATES).map(|&other| {
                    let texture = distance(old.texcoords[other], new.texcoords[vertex]);
                    (distance(old.positions[other], new.positions[vertex]), texture, other)
                });
                let (apart, texture, other) = apart.min_by(nearer)?;
                (apart <= reach).then_some(((apart, texture, other), vertex))
            };
            let mut near: Vec<_> = free(&self.new).into_iter().filter_map(nearest).collect();
            near.sort_by(|a, b| nearer(&a.0, &b.0).then(a.1.cmp(&b.1)));
            if near.is_empty() {
                break;
            }
            for ((_, _, old), new) in near {
                if self.old[old].is_none() {
                    self.join(old, new);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [[f32; 3]; 4] = [[0.0; 3], [10.0, 0.0, 0.0], [10.0, 8.0, 0.0], [0.0, 8.0, 1.0]];
    const TEXCOORDS: [[f32; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    const TRIANGLES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

    fn shape<'a>(
        triangles: &'a [[u32; 3]],
        texcoords: &'a [[f32; 2]],
        positions: &'a [[f32; 3]],
    ) -> Shape<'a> {
        Shape { triangles, texcoords, positions }
    }

    #[test]
    fn the_same_triangles_have_the_same_vertices_wherever_they_are() {
        let old = shape(&TRIANGLES, &TEXCOORDS, &PLACES);
        let far = PLACES.map(|place| place.map(|x| 3.0 * x + 100.0));
        let pairs = same_vertices(old, shape(&TRIANGLES, &[[0.5, 0.5]; 4], &far));
        assert_eq!(pairs.both, [(0, 0), (1, 1), (2, 2), (3, 3)]);
    }

    #[test]
    fn vertices_are_found_again_after_others_have_come_and_gone() {
        let old = shape(&TRIANGLES, &TEXCOORDS, &PLACES);
        // Vertex 1 is gone; 2 kept its texture coordinate, 3 its place, 0 is near; one is new.
        let places = [[50.0, 8.0, 0.0], [5.0, 5.0, 5.0], [0.0, 8.0, 1.0], [0.05, 0.0, 0.0]];
        let texcoords = [[1.0, 1.0], [0.3, 0.3], [0.2, 0.9], [0.1, 0.1]];
        let pairs = same_vertices(old, shape(&[[0, 1, 2]], &texcoords, &places));
        assert_eq!(pairs.both, [(2, 0), (3, 2), (0, 3)]);
        assert_eq!((pairs.removed, pairs.added), (vec![1], vec![1]));
    }

    #[test]
    fn many_vertices_at_one_place_are_no_hang() {
        let places = vec![[1.0; 3]; 40_000];
        let texcoords: Vec<[f32; 2]> = (0..40_000).map(|i| [i as f32, 0.0]).collect();
        let other: Vec<[f32; 2]> = (0..39_999).map(|i| [i as f32, 1.0]).collect();
        let pairs =
            same_vertices(shape(&[], &texcoords, &places), shape(&[], &other, &places[1..]));
        assert_eq!(pairs.both.len(), 39_999);
    }
}
