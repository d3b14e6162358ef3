//! Arrays that stand in huge pages where they are large.
//!
//! A picture of 3840x2160 is 8 100 pages of 4 KiB, and the processor knows the places of some 3 000 at a time; in huge
//! pages of 2 MiB it is 16. Linux gives huge pages to whoever asks for them, which a `Vec` does not.
//!
//! Arrays begin some lines of the cache apart within their pages: of two that begin alike, numbers of one index share a
//! set of the caches, which has room for eight lines or so, and the vertex stage reads seven side by side, and ahead.
//!
//! ```text
//!   line of a page   0    5    10   15   20   25   30
//!   x                |->
//!   y                     |->
//!   z                          |->                         and so on: normals, texture coordinates
//! ```

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;

/// Numbers, in huge pages from [`LARGE`] bytes on where the system has them; else as a `Vec`.
pub(crate) struct Pages<T> {
    memory: Memory<T>,
    /// Numbers in use; the memory may have room for more.
    len: usize,
}

enum Memory<T> {
    Vec(Vec<T>),
    #[cfg(target_os = "linux")]
    Huge(huge::Map),
}

/// From so many bytes on, memory is asked for in huge pages: below, most of a page would stay empty.
const LARGE: usize = 3 << 18;

fn is_large<T>(len: usize) -> bool {
    len.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes >= LARGE)
}

impl<T: Pod> Pages<T> {
    /// So many zeros. They cost nothing until they are touched.
    pub(crate) fn zeroed(len: usize) -> Self {
        Self { memory: Memory::zeroed(len), len }
    }

    /// So many times `value`.
    pub(crate) fn filled(value: T, len: usize) -> Self {
        let mut pages = Self::default();
        pages.resize(len, value);
        pages
    }

    /// Makes it so long; new numbers are `value`. What becomes too long for its memory is moved.
    pub(crate) fn resize(&mut self, len: usize, value: T) {
        self.reserve(len);
        let old = std::mem::replace(&mut self.len, len);
        if let Some(new) = self.get_mut(old..) {
            new.fill(value);
        }
    }

    /// Takes all numbers out, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn push(&mut self, value: T) {
        self.extend_from_slice(&[value]);
    }

    pub(crate) fn extend_from_slice(&mut self, values: &[T]) {
        let old = self.len;
        self.reserve(old + values.len());
        self.len += values.len();
        self[old..].copy_from_slice(values);
    }

    /// Room for `len` numbers in all; if there is less, for twice of what there is, at least.
    fn reserve(&mut self, len: usize) {
        let room = self.memory.all().len();
        if len > room {
            let mut larger = Memory::zeroed(len.max(2 * room));
            larger.all_mut()[..self.len].copy_from_slice(self);
            self.memory = larger;
        }
    }
}

impl<T: Pod> Memory<T> {
    fn zeroed(len: usize) -> Self {
        #[cfg(target_os = "linux")]
        if is_large::<T>(len)
            && let Some(map) = huge::Map::new(len * size_of::<T>())
        {
            return Self::Huge(map);
        }
        Self::Vec(vec![T::zeroed(); len])
    }

    fn all(&self) -> &[T] {
        match self {
            Self::Vec(values) => values,
            #[cfg(target_os = "linux")]
            Self::Huge(map) => bytemuck::cast_slice(map.bytes()),
        }
    }

    fn all_mut(&mut self) -> &mut [T] {
        match self {
            Self::Vec(values) => values,
            #[cfg(target_os = "linux")]
            Self::Huge(map) => bytemuck::cast_slice_mut(map.bytes_mut()),
        }
    }
}

impl<T: Pod> Deref for Pages<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory.all()[..self.len]
    }
}

impl<T: Pod> DerefMut for Pages<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.memory.all_mut()[..self.len]
    }
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self { memory: Memory::Vec(Vec::new()), len: 0 }
    }
}

impl<T: Pod> Clone for Pages<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::zeroed(self.len);
        copy.copy_from_slice(self);
        copy
    }
}

impl<T: Pod + std::fmt::Debug> std::fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self[..].fmt(f)
    }
}

/// Copied only if it is large.
impl<T: Pod> From<Vec<T>> for Pages<T> {
    fn from(values: Vec<T>) -> Self {
        let len = values.len();
        if cfg!(not(target_os = "linux")) || !is_large::<T>(len) {
            return Self { memory: Memory::Vec(values), len };
        }
        let mut pages = Self::zeroed(len);
        pages.copy_from_slice(&values);
        pages
    }
}

#[cfg(target_os = "linux")]
mod huge {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use memmap2::{Advice, MmapMut};

    /// Bytes of a huge page on nearly all machines; where they are others, this memory is as good as any.
    const PAGE: usize = 2 << 20;

    /// Bytes of a line of the cache.
    const LINE: usize = 64;
    /// Sets of a first-level cache: places so many lines apart share one.
    const SETS: usize = 64;
    /// Lines that each array begins behind the one before: those of 64 vertices of a stream, and the one that is read.
    const APART: usize = 5;

    /// Where array number `number` begins, in bytes behind the start of a page.
    pub(super) const fn start_of(number: usize) -> usize {
        number % SETS * APART % SETS * LINE
    }

    /// Bytes that begin at a line near the start of a huge page.
    pub(super) struct Map {
        map: MmapMut,
        start: usize,
        len: usize,
    }

    impl Map {
        /// Zeros. `None` if the system refuses, so that the allocator is asked, which says so in its way.
        pub(super) fn new(len: usize) -> Option<Self> {
            static NUMBER: AtomicUsize = AtomicUsize::new(0);
            let behind = start_of(NUMBER.fetch_add(1, Ordering::Relaxed));
            let whole = len.checked_add(behind)?.checked_next_multiple_of(PAGE)?;
            let map = MmapMut::map_anon(whole.checked_add(PAGE)?).ok()?;
            let page = map.as_ptr().align_offset(PAGE);
            // Advice only: without huge pages it is memory as any other.
            let _ = map.advise_range(Advice::HugePage, page, whole);
            Some(Self { map, start: page + behind, len })
        }

        pub(super) fn bytes(&self) -> &[u8] {
            &self.map[self.start..self.start + self.len]
        }

        pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
            &mut self.map[self.start..self.start + self.len]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_ones_do_as_a_vec_does() {
        let few = LARGE / size_of::<u32>() - 1;
        for start in [0, 1, few, 2 * few] {
            let mut vec: Vec<u32> = (0..start as u32).collect();
            let mut pages = Pages::from(vec.clone());
            assert_eq!(pages[..], vec[..]);
            for len in [start / 2, few, few + 1, 3 * few, 0, 5] {
                vec.resize(len, 7);
                pages.resize(len, 7);
                vec.extend_from_slice(&[1, 2, 3]);
                pages.extend_from_slice(&[1, 2, 3]);
                vec.push(9);
                pages.push(9);
                assert_eq!(pages[..], vec[..]);
                assert_eq!(pages.clone()[..], vec[..]);
            }
            pages.clear();
            assert!(pages.is_empty());
            assert!(Pages::<u32>::zeroed(start).iter().all(|&x| x == 0));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn large_ones_begin_near_the_start_of_a_huge_page() {
        let [small, large] = [LARGE - 1, LARGE].map(Pages::<u8>::zeroed);
        assert!(matches!(small.memory, Memory::Vec(_)));
        assert!(matches!(large.memory, Memory::Huge(_)));
        let behind = large.as_ptr().addr() % (2 << 20);
        assert!(behind < 4096 && behind.is_multiple_of(64), "{behind}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn those_that_are_read_side_by_side_share_no_lines_of_the_cache() {
        for first in [0, 5, 60, usize::MAX - 8] {
            let lines = (0..8).map(|i| huge::start_of(first.wrapping_add(i)) / 64);
            let mut used: Vec<usize> =
                lines.flat_map(|line| (line..line + 5).map(|line| line % 64)).collect();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), 40, "from number {first}");
        }
    }
}
