//! Drawing into the window's pixels: text, panels and lines, in whole multiples of the font's pixels.

use super::present::Surface;
use crate::font::{self, CELL_HEIGHT, CELL_WIDTH, Letter};

/// Window pixels per font pixel are chosen such that at least so many font pixels fit.
const LEAST_WIDTH: usize = 480;
const LEAST_HEIGHT: usize = 300;

/// Font pixels from line to line, so that tails and marks do not touch.
pub(crate) const LINE_HEIGHT: usize = CELL_HEIGHT + 2;
/// Font pixels around the lines of a panel.
pub(crate) const PADDING: usize = 2;

pub(crate) const TEXT: u32 = 0x00e8_e4d8;
pub(crate) const TITLE: u32 = 0x00ff_b040;
pub(crate) const ALARM: u32 = 0x00ff_7060;
pub(crate) const FAINT: u32 = 0x0098_9488;

/// Lines with their colours.
pub(crate) type Lines = Vec<(u32, String)>;

/// A part of the window: left, top, width, height in its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: isize,
    pub(crate) y: isize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Area {
    pub(crate) fn right(&self) -> isize {
        self.x + self.width as isize
    }

    pub(crate) fn bottom(&self) -> isize {
        self.y + self.height as isize
    }

    pub(crate) fn contains(&self, [x, y]: [i32; 2]) -> bool {
        (self.x..self.right()).contains(&(x as isize))
            && (self.y..self.bottom()).contains(&(y as isize))
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }
}

/// How many window pixels a font pixel has in a window of this width and height.
pub(crate) fn text_scale([width, height]: [usize; 2]) -> usize {
    (width / LEAST_WIDTH).min(height / LEAST_HEIGHT).max(1)
}

/// A surface divided into cells of the font.
pub(crate) struct Canvas<'a> {
    surface: &'a mut Surface,
    pub(crate) scale: usize,
}

impl<'a> Canvas<'a> {
    pub(crate) fn new(surface: &'a mut Surface) -> Self {
        let scale = text_scale([surface.width, surface.height]);
        Self { surface, scale }
    }

    /// Width and height of the window.
    pub(crate) fn size(&self) -> [usize; 2] {
        [self.surface.width, self.surface.height]
    }

    /// Letters in a line and lines that a panel over the whole window has.
    pub(crate) fn columns_and_rows(&self) -> [usize; 2] {
        columns_and_rows(self.size(), self.scale)
    }

    pub(crate) fn fill(&mut self, area: Area, paint: impl Fn(u32) -> u32) {
        let clip = |from: isize, to: isize, end: usize| {
            from.clamp(0, end as isize) as usize..to.clamp(0, end as isize) as usize
        };
        let columns = clip(area.x, area.right(), self.surface.width);
        for row in clip(area.y, area.bottom(), self.surface.height) {
            let start = row * self.surface.width;
            for pixel in &mut self.surface.pixels[start + columns.start..start + columns.end] {
                *pixel = paint(*pixel);
            }
        }
    }

    /// A square of one font pixel.
    pub(crate) fn dot(&mut self, [x, y]: [isize; 2], color: u32) {
        let side = self.scale;
        self.fill(Area { x, y, width: side, height: side }, |_| color);
    }

    pub(crate) fn letters(&mut self, [x, y]: [isize; 2], color: u32, letters: &[Letter]) {
        let scale = self.scale as isize;
        for (number, letter) in letters.iter().enumerate() {
            let left = x + (number * CELL_WIDTH) as isize * scale;
            for (column, row) in font::pixels(*letter) {
                self.dot([left + column as isize * scale, y + row * scale], color);
            }
        }
    }

    pub(crate) fn text(&mut self, at: [isize; 2], color: u32, text: &str) {
        self.letters(at, color, &font::letters(text));
    }

    /// Darkens the ground that something is written on.
    pub(crate) fn darken(&mut self, area: Area) {
        self.fill(area, |pixel| (pixel >> 2) & 0x003f_3f3f);
    }

    /// The area that a panel with these lines takes, at the window's corner.
    pub(crate) fn panel_area(&self, lines: &[(u32, Vec<Letter>)]) -> Area {
        let longest = lines.iter().map(|(_, letters)| letters.len()).max().unwrap_or(0);
        let [width, height] = panel_size(longest, lines.len()).map(|side| side * self.scale);
        Area { x: 0, y: 0, width, height }
    }

    /// Lines on a darkened ground.
    pub(crate) fn panel(&mut self, area: Area, lines: &[(u32, Vec<Letter>)]) {
        self.darken(area);
        let inset = (PADDING * self.scale) as isize;
        for (number, (color, letters)) in lines.iter().enumerate() {
            let top = area.y + inset + (number * LINE_HEIGHT * self.scale) as isize;
            self.letters([area.x + inset, top], *color, letters);
        }
    }

    /// A line of single pixels, where `is_seen` says so of shares of its length.
    pub(crate) fn thin_stroke(
        &mut self,
        from: [f32; 2],
        to: [f32; 2],
        color: u32,
        is_seen: impl Fn(f32) -> bool,
    ) {
        let end = [self.surface.width as f32, self.surface.height as f32];
        let Some([first, last]) = inside(from, to, end) else { return };
        let way = [to[0] - from[0], to[1] - from[1]];
        let steps = (way[0].abs().max(way[1].abs()) * (last - first)).ceil().max(1.0);
        for step in 0..=steps as usize {
            let share = first + (last - first) * step as f32 / steps;
            let [x, y] = [0, 1].map(|axis| (from[axis] + way[axis] * share).floor() as isize);
            if is_seen(share) {
                self.fill(Area { x, y, width: 1, height: 1 }, |_| color);
            }
        }
    }

    /// A straight line.
    pub(crate) fn stroke(&mut self, from: [f32; 2], to: [f32; 2], color: u32) {
        let way = [to[0] - from[0], to[1] - from[1]];
        // What is just before the eye may reach far beyond the window.
        let longest = (self.surface.width + self.surface.height) as f32;
        let steps = way[0].abs().max(way[1].abs()).ceil().clamp(1.0, longest);
        for step in 0..=steps as usize {
            let share = step as f32 / steps;
            let at = [0, 1].map(|axis| (from[axis] + way[axis] * share) as isize);
            self.dot(at, color);
        }
    }
}

/// From which share to which a line lies in a window of this size.
fn inside(from: [f32; 2], to: [f32; 2], end: [f32; 2]) -> Option<[f32; 2]> {
    let mut range = [0.0f32, 1.0];
    for axis in 0..2 {
        let way = to[axis] - from[axis];
        if way == 0.0 {
            if !(0.0..end[axis]).contains(&from[axis]) {
                return None;
            }
            continue;
        }
        let [a, b] = [-from[axis] / way, (end[axis] - from[axis]) / way];
        range = [range[0].max(a.min(b)), range[1].min(a.max(b))];
    }
    (range[0] <= range[1]).then_some(range)
}

/// Font pixels of a panel with lines of so many letters.
fn panel_size(letters: usize, lines: usize) -> [usize; 2] {
    let gap = LINE_HEIGHT - CELL_HEIGHT;
    [
        (letters * CELL_WIDTH).saturating_sub(1) + 2 * PADDING,
        (lines * LINE_HEIGHT).saturating_sub(gap) + 2 * PADDING,
    ]
}

/// Letters in a line and lines of a panel that fills a window of this size.
pub(crate) fn columns_and_rows([width, height]: [usize; 2], scale: usize) -> [usize; 2] {
    let gap = LINE_HEIGHT - CELL_HEIGHT;
    [
        (width / scale + 1).saturating_sub(2 * PADDING) / CELL_WIDTH,
        (height / scale + gap).saturating_sub(2 * PADDING) / LINE_HEIGHT,
    ]
}

/// Lines of at most `columns` letters, broken at spaces where possible.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<Vec<Letter>> {
    let columns = columns.max(1);
    let space = font::letters(" ");
    let mut lines: Vec<Vec<Letter>> = vec![Vec::new()];
    for word in text.split(' ') {
        let mut rest = font::letters(word);
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.len() + 1 + rest.len() <= columns {
            last.extend(&space);
            last.extend(rest);
            continue;
        }
        if !last.is_empty() {
            lines.push(Vec::new());
        }
        while rest.len() > columns {
            let tail = rest.split_off(columns);
            lines.last_mut().expect("there is always a line").extend(rest);
            lines.push(Vec::new());
            rest = tail;
        }
        lines.last_mut().expect("there is always a line").extend(rest);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_spaces_and_long_words_anywhere() {
        for (text, columns, expected) in [
            ("a bad model file", 7, &["a bad", "model", "file"][..]),
            ("abcdefgh ij", 3, &["abc", "def", "gh", "ij"]),
            ("", 3, &[""]),
        ] {
            let expected: Vec<_> = expected.iter().map(|line| font::letters(line)).collect();
            assert_eq!(wrap(text, columns), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_cut_at_the_window() {
        let window = [10.0, 10.0];
        assert_eq!(inside([2.0, 2.0], [8.0, 8.0], window), Some([0.0, 1.0]));
        assert_eq!(inside([-10.0, 5.0], [30.0, 5.0], window), Some([0.25, 0.5]));
        assert_eq!(inside([-10.0, -5.0], [30.0, -5.0], window), None);
        assert_eq!(inside([-5.0, 4.0], [4.0, -5.0], window), None);
    }

    #[test]
    fn tails_and_marks_of_lines_below_each_other_do_not_touch() {
        let mut surface = Surface::default();
        surface.resize(40, 40);
        surface.pixels.fill(0x0080_8080);
        let mut canvas = Canvas::new(&mut surface);
        let lines = [(TEXT, font::letters("gjpqy")), (TEXT, font::letters("LTIHE"))];
        let area = canvas.panel_area(&lines);
        canvas.panel(area, &lines);
        let row = |y: usize| surface.pixels[y * 40..(y + 1) * 40].contains(&TEXT);
        let tails = PADDING + CELL_HEIGHT - 1;
        assert!(row(tails) && !row(tails + 1) && !row(tails + 2) && row(tails + 3));
        assert!(!row(0) && !row(PADDING - 1));
        assert_eq!(area.width, 5 * CELL_WIDTH - 1 + 2 * PADDING);
    }
}
