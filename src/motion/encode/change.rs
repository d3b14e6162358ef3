//! Where two pictures differ: the rectangle that an animation has to draw again.

use std::ops::Range;

/// A part of a picture in pixels, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Rect {
    /// A pixel in the corner: the least that a format can draw where nothing changes.
    pub(super) const CORNER: Self = Self { left: 0, top: 0, width: 1, height: 1 };

    pub(super) const fn whole([width, height]: [u32; 2]) -> Self {
        Self { left: 0, top: 0, width, height }
    }

    /// The smallest rectangle around both.
    pub(super) fn around(self, other: Self) -> Self {
        let left = self.left.min(other.left);
        let top = self.top.min(other.top);
        let right = (self.left + self.width).max(other.left + other.width);
        let bottom = (self.top + self.height).max(other.top + other.height);
        Self { left, top, width: right - left, height: bottom - top }
    }

    /// The smallest rectangle around this one whose left and upper sides are even.
    pub(super) const fn even(self) -> Self {
        let (x, y) = (self.left % 2, self.top % 2);
        Self {
            left: self.left - x,
            top: self.top - y,
            width: self.width + x,
            height: self.height + y,
        }
    }

    /// The rectangle's pixels, row by row, as ranges in a picture of a width.
    pub(super) fn rows(self, width: u32) -> impl Iterator<Item = Range<usize>> {
        (self.top..self.top + self.height).map(move |y| {
            let start = y as usize * width as usize + self.left as usize;
            start..start + self.width as usize
        })
    }

    /// The pixels of a picture that lie in the rectangle.
    pub(super) fn cut<T: Copy>(self, pixels: &[T], width: u32) -> Vec<T> {
        self.rows(width).flat_map(|row| &pixels[row]).copied().collect()
    }
}

/// The smallest rectangle around all pixels of two pictures that `differ` finds different. The pictures
/// have the same size; `width` is theirs.
pub(super) fn bounds<T>(
    a: &[T],
    b: &[T],
    width: u32,
    differ: impl Fn(&T, &T) -> bool,
) -> Option<Rect> {
    let width = width as usize;
    let rows = || a.chunks_exact(width).zip(b.chunks_exact(width));
    let is_different = |(a, b): (&[T], &[T])| a.iter().zip(b).any(|(a, b)| differ(a, b));
    let top = rows().position(is_different)?;
    let bottom = rows().rposition(is_different)?;
    // What only the last column or the first one has is found without a search.
    let (mut left, mut right) = (width - 1, 0);
    for (a, b) in rows().take(bottom + 1).skip(top) {
        let differ = |x: &usize| differ(&a[*x], &b[*x]);
        left = (0..left).find(differ).unwrap_or(left);
        right = (right + 1..width).rfind(differ).unwrap_or(right);
    }
    Some(Rect {
        left: left as u32,
        top: top as u32,
        width: (right - left + 1) as u32,
        height: (bottom - top + 1) as u32,
    })
}

/// The smallest rectangle around all pixels that differ.
pub(super) fn changed<T: PartialEq>(a: &[T], b: &[T], width: u32) -> Option<Rect> {
    bounds(a, b, width, |a, b| a != b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangle_is_the_smallest() {
        let table: [(&str, Option<[u32; 4]>); 8] = [
            ("....|....|....", None),
            ("#...|....|....", Some([0, 0, 1, 1])),
            ("...#|....|....", Some([3, 0, 1, 1])),
            ("....|....|...#", Some([3, 2, 1, 1])),
            ("....|..#.|.#..", Some([1, 1, 2, 2])),
            ("#...|....|...#", Some([0, 0, 4, 3])),
            ("....|.##.|....", Some([1, 1, 2, 1])),
            ("...#|...#|#...", Some([0, 0, 4, 3])),
        ];
        for (drawn, expected) in table {
            let picture: Vec<u8> = drawn.bytes().filter(|&byte| byte != b'|').collect();
            let found = changed(&[b'.'; 12], &picture, 4);
            let sides = |rect: Rect| [rect.left, rect.top, rect.width, rect.height];
            assert_eq!(found.map(sides), expected, "{drawn}");
        }
    }

    #[test]
    fn rectangles_are_joined_and_cut_out() {
        let a = Rect { left: 1, top: 0, width: 1, height: 1 };
        let b = Rect { left: 2, top: 1, width: 1, height: 1 };
        let both = Rect { left: 1, top: 0, width: 2, height: 2 };
        assert_eq!((a.around(b), b.around(a)), (both, both));
        assert_eq!(a.even(), Rect { left: 0, top: 0, width: 2, height: 1 });
        assert_eq!(b.even(), Rect { left: 2, top: 0, width: 1, height: 2 });
        let pixels: Vec<u8> = (0..12).collect();
        assert_eq!(both.cut(&pixels, 4), [1, 2, 5, 6]);
        assert_eq!(Rect::whole([4, 3]).cut(&pixels, 4), pixels);
    }
}
