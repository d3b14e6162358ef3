//! Which parts of two lists belong together.

use std::collections::HashMap;
use std::hash::Hash;

/// Tables of the longest common sequence are no larger; longer lists are paired by number.
const LARGEST_TABLE: usize = 4_000_000;

/// Parts of an old and a new list by their numbers, each in at most one pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs {
    /// Old and new, in the order of the new list.
    pub(super) both: Vec<(usize, usize)>,
    /// Old ones without a partner.
    pub(super) removed: Vec<usize>,
    /// New ones without a partner.
    pub(super) added: Vec<usize>,
}

impl Pairs {
    fn of(mut both: Vec<(usize, usize)>, old: usize, new: usize) -> Self {
        both.sort_unstable_by_key(|&(_, new)| new);
        let mut has = [vec![false; old], vec![false; new]];
        for &(a, b) in &both {
            (has[0][a], has[1][b]) = (true, true);
        }
        let [removed, added] = has.map(|has| (0..has.len()).filter(|&part| !has[part]).collect());
        Self { both, removed, added }
    }

    /// The first of a key with the first, the second with the second.
    pub(super) fn by_key<K: Eq + Hash>(old: &[K], new: &[K]) -> Self {
        let mut waiting: HashMap<&K, Vec<usize>> = HashMap::new();
        for (number, key) in old.iter().enumerate().rev() {
            waiting.entry(key).or_default().push(number);
        }
        let partner = |(number, key)| Some((waiting.get_mut(key)?.pop()?, number));
        let both = new.iter().enumerate().filter_map(partner).collect();
        Self::of(both, old.len(), new.len())
    }

    /// The longest sequence that both lists have in this order; between its members the first with the
    /// first.
    pub(super) fn in_sequence<K: Eq>(old: &[K], new: &[K]) -> Self {
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b);
        let end = end.count();
        let (old_middle, new_middle) =
            (&old_rest[..old_rest.len() - end], &new_rest[..new_rest.len() - end]);
        let mut fixed: Vec<(usize, usize)> = (0..start).map(|number| (number, number)).collect();
        let common = common_sequence(old_middle, new_middle);
        fixed.extend(common.into_iter().map(|(a, b)| (a + start, b + start)));
        fixed.extend((1..=end).rev().map(|back| (old.len() - back, new.len() - back)));
        let mut both = fixed.clone();
        let mut from = (0, 0);
        for &(a, b) in fixed.iter().chain([&(old.len(), new.len())]) {
            both.extend((from.0..a).zip(from.1..b));
            from = (a + 1, b + 1);
        }
        Self::of(both, old.len(), new.len())
    }

    /// Pairs those without a partner that belong together, each with the first that does.
    pub(super) fn pair_rest(self, belong: impl Fn(usize, usize) -> bool) -> Self {
        let Self { mut both, mut removed, added } = self;
        let [old, new] = [both.len() + removed.len(), both.len() + added.len()];
        for number in added {
            if let Some(place) = removed.iter().position(|&old| belong(old, number)) {
                both.push((removed.remove(place), number));
            }
        }
        Self::of(both, old, new)
    }
}

/// Numbers in the old and the new list, both rising, of the longest sequence that both have.
fn common_sequence<K: Eq>(old: &[K], new: &[K]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let size = (old.len() + 1).saturating_mul(width);
    if size > LARGEST_TABLE || old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    // lengths[i * width + j]: of what the lists from i and from j on have in common.
    let mut lengths = vec![0_u32; size];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            lengths[i * width + j] = if old[i] == new[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let mut common = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            common.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(both: &[(usize, usize)], removed: &[usize], added: &[usize]) -> Pairs {
        Pairs { both: both.to_vec(), removed: removed.to_vec(), added: added.to_vec() }
    }

    #[test]
    fn names_pair_whatever_their_order() {
        let found = Pairs::by_key(&["a", "b", "b", "c"], &["b", "d", "a", "b"]);
        assert_eq!(found, pairs(&[(1, 0), (0, 2), (2, 3)], &[3], &[1]));
        let renamed = found.pair_rest(|_, _| true);
        assert_eq!(renamed, pairs(&[(1, 0), (3, 1), (0, 2), (2, 3)], &[], &[]));
    }

    #[test]
    fn what_is_inserted_moves_the_rest_on() {
        let keys = |text: &str| text.bytes().collect::<Vec<u8>>();
        for (old, new, expected) in [
            ("abc", "abc", pairs(&[(0, 0), (1, 1), (2, 2)], &[], &[])),
            ("abcd", "abXcd", pairs(&[(0, 0), (1, 1), (2, 3), (3, 4)], &[], &[2])),
            ("abcd", "ad", pairs(&[(0, 0), (3, 1)], &[1, 2], &[])),
            // b became X, and d was taken away.
            ("abcde", "aXce", pairs(&[(0, 0), (1, 1), (2, 2), (4, 3)], &[3], &[])),
            ("", "a", pairs(&[], &[], &[0])),
            ("aaaa", "aa", pairs(&[(0, 0), (1, 1)], &[2, 3], &[])),
        ] {
            assert_eq!(Pairs::in_sequence(&keys(old), &keys(new)), expected, "{old} {new}");
        }
    }

    #[test]
    fn endless_lists_are_paired_by_number() {
        let old: Vec<usize> = (0..100_000).collect();
        let new: Vec<usize> = (0..100_000).rev().collect();
        let found = Pairs::in_sequence(&old, &new);
        assert!(found.both.iter().all(|(old, new)| old == new));
    }
}
