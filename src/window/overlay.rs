//! Text and axes over the picture, in whole multiples of the font's pixels.

use super::keys::{BINDINGS, MOUSE, NOTE};
use super::list_panel::Panel;
use super::orbit::Orbit;
use super::picture::ShownTag;
use super::present::{Placement, Surface};
use crate::camera::rotate;
use crate::font::{self, CELL_HEIGHT, CELL_WIDTH};
use glam::Vec3;

/// Window pixels per font pixel are chosen such that at least so many font pixels fit.
const LEAST_WIDTH: usize = 480;
const LEAST_HEIGHT: usize = 300;

pub(super) const TEXT: u32 = 0x00e8_e4d8;
pub(super) const TITLE: u32 = 0x00ff_b040;
pub(super) const ALARM: u32 = 0x00ff_7060;
const AXIS_COLORS: [u32; 3] = [0x00ff_6060, 0x0060_e060, 0x0070_a0ff];
/// Font pixels of an axis.
const AXIS_LENGTH: f32 = 22.0;

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    TopLeft,
    TopRight,
    Bottom,
    Middle,
}

/// Lines with their colours.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    place: Place,
    lines: Vec<(u32, String)>,
}

/// What lies over the picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Overlay {
    blocks: Vec<Block>,
    help: bool,
    /// Right and up in the picture of the model's three axes.
    axes: Option<[[f32; 2]; 3]>,
    /// In pixels of the picture, and where that lies in the window.
    tags: Vec<(ShownTag, Placement)>,
    list: Option<Panel>,
}

impl Overlay {
    pub(crate) fn text(&mut self, place: Place, lines: impl IntoIterator<Item = String>) {
        let lines = lines.into_iter().map(|line| (TEXT, line)).collect();
        self.blocks.push(Block { place, lines });
    }

    /// A title and the lines of an error.
    pub(crate) fn error(&mut self, title: &str, text: &str) {
        let lines = text.lines().map(|line| (TEXT, line.to_owned()));
        let lines = [(ALARM, title.to_owned())].into_iter().chain(lines).collect();
        self.blocks.push(Block { place: Place::Middle, lines });
    }

    pub(crate) fn list(&mut self, panel: Panel) {
        self.list = Some(panel);
    }

    pub(crate) fn help(&mut self) {
        self.help = true;
    }

    /// The axes of a model that is turned by `yaw` degrees.
    pub(crate) fn axes(&mut self, orbit: &Orbit, yaw: f32) {
        let (eye, up) = orbit.placement();
        let up = Vec3::from(up);
        let forward = (Vec3::from(orbit.focal_point) - Vec3::from(eye)).normalize_or(Vec3::NEG_X);
        let right = forward.cross(up);
        let shown = |axis| {
            let axis = rotate(axis, Vec3::Z, yaw);
            [axis.dot(right), axis.dot(up)]
        };
        self.axes = Some([Vec3::X, Vec3::Y, Vec3::Z].map(shown));
    }

    /// Tags of the model in a picture that lies there in the window.
    pub(crate) fn tags(&mut self, tags: Vec<ShownTag>, placement: Placement) {
        self.tags = tags.into_iter().map(|tag| (tag, placement)).collect();
    }

    pub(crate) fn draw(&self, surface: &mut Surface) {
        let mut canvas = Canvas::new(surface);
        if let Some(axes) = self.axes {
            canvas.axes(axes);
        }
        for (tag, placement) in &self.tags {
            canvas.tag(tag, *placement);
        }
        for block in &self.blocks {
            canvas.block(block);
        }
        if let Some(panel) = &self.list {
            panel.draw(&mut canvas);
        }
        if self.help {
            canvas.columns(&help_lines());
        }
    }
}

/// The cheat sheet, line by line.
fn help_lines() -> Vec<(u32, String)> {
    let mut lines = Vec::new();
    let mut group = None;
    for binding in BINDINGS {
        if group != Some(binding.group) {
            group = Some(binding.group);
            lines.push((TITLE, binding.group.title().to_owned()));
        }
        lines.push((TEXT, help_line(binding.label, binding.help)));
    }
    lines.push((TITLE, "Mouse".to_owned()));
    lines.extend(MOUSE.iter().map(|(label, help)| (TEXT, help_line(label, help))));
    let (first, rest) = NOTE.split_once('(').unwrap_or((NOTE, ""));
    lines.push((TITLE, first.trim().to_owned()));
    if !rest.is_empty() {
        lines.push((TITLE, format!("  ({rest}")));
    }
    lines
}

fn help_line(label: &str, help: &str) -> String {
    format!("{label:<6} {help}")
}

/// Window pixels per pixel of the font in a window of this size.
pub(super) fn scale_for(width: usize, height: usize) -> usize {
    (width / LEAST_WIDTH).min(height / LEAST_HEIGHT).max(1)
}

/// A surface divided into cells of the font.
pub(super) struct Canvas<'a> {
    surface: &'a mut Surface,
    scale: usize,
}

impl<'a> Canvas<'a> {
    fn new(surface: &'a mut Surface) -> Self {
        let scale = scale_for(surface.width, surface.height);
        Self { surface, scale }
    }

    fn columns_and_rows(&self, scale: usize) -> [usize; 2] {
        [self.surface.width / (CELL_WIDTH * scale), self.surface.height / (CELL_HEIGHT * scale)]
    }

    pub(super) fn fill(
        &mut self,
        x: isize,
        y: isize,
        width: usize,
        height: usize,
        paint: impl Fn(u32) -> u32,
    ) {
        let clip = |from: isize, length: usize, end: usize| {
            let to = (from + length as isize).clamp(0, end as isize) as usize;
            from.clamp(0, end as isize) as usize..to
        };
        let columns = clip(x, width, self.surface.width);
        for row in clip(y, height, self.surface.height) {
            let start = row * self.surface.width;
            for pixel in &mut self.surface.pixels[start + columns.start..start + columns.end] {
                *pixel = paint(*pixel);
            }
        }
    }

    pub(super) fn line(&mut self, x: isize, y: isize, color: u32, text: &str) {
        let scale = self.scale;
        for (number, letter) in text.chars().enumerate() {
            let left = x + (number * CELL_WIDTH * scale) as isize;
            for (column, row) in font::pixels(letter) {
                let (dx, dy) = ((column * scale) as isize, (row * scale) as isize);
                self.fill(left + dx, y + dy, scale, scale, |_| color);
            }
        }
    }

    /// Lines on a darkened ground.
    fn panel(&mut self, x: isize, y: isize, width: usize, lines: &[(u32, String)]) {
        let scale = self.scale;
        let height = lines.len() * CELL_HEIGHT * scale + scale;
        self.fill(x, y, width, height, |pixel| (pixel >> 2) & 0x003f_3f3f);
        for (number, (color, text)) in lines.iter().enumerate() {
            let top = y + (scale + number * CELL_HEIGHT * scale) as isize;
            self.line(x + scale as isize, top, *color, text);
        }
    }

    fn panel_width(&self, lines: &[(u32, String)]) -> usize {
        let longest = lines.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
        (longest * CELL_WIDTH + 1) * self.scale
    }

    fn block(&mut self, block: &Block) {
        let [columns, _] = self.columns_and_rows(self.scale);
        let wrapped = |(color, text): &(u32, String)| {
            let color = *color;
            wrap(text, columns.saturating_sub(1)).into_iter().map(move |line| (color, line))
        };
        let lines: Vec<(u32, String)> = block.lines.iter().flat_map(wrapped).collect();
        let width = self.panel_width(&lines);
        let height = (lines.len() * CELL_HEIGHT + 1) * self.scale;
        let right = self.surface.width as isize - width as isize;
        let bottom = self.surface.height as isize - height as isize;
        let (x, y) = match block.place {
            Place::TopLeft => (0, 0),
            Place::TopRight => (right, 0),
            Place::Bottom => (right / 2, bottom),
            Place::Middle => (right / 2, bottom.max(0) / 2),
        };
        self.panel(x.max(0), y.max(0), width, &lines);
    }

    /// Lines in as many columns as they need, as large as they fit.
    fn columns(&mut self, lines: &[(u32, String)]) {
        // A gap of one cell between columns.
        let longest = lines.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
        let column_cells = longest + 1;
        let fits = |scale: &usize| {
            let [columns, rows] = self.columns_and_rows(*scale);
            rows > 0 && lines.len().div_ceil(rows) * column_cells <= columns + 1
        };
        let found = (1..=self.scale).rev().find(fits);
        self.scale = found.unwrap_or(1);
        let [columns, rows] = self.columns_and_rows(self.scale);
        // A screen too small for everything goes without titles, then without the end.
        let essential: Vec<_> = lines.iter().filter(|line| line.0 != TITLE).cloned().collect();
        let lines = if found.is_some() { lines } else { &essential };
        let possible = ((columns + 1) / column_cells).max(1);
        let wanted = lines.len().div_ceil(rows.max(1)).clamp(1, possible);
        let per_column = lines.len().div_ceil(wanted).min(rows).max(1);
        let width = column_cells * CELL_WIDTH * self.scale;
        let left = self.surface.width.saturating_sub(width * wanted) as isize / 2;
        let height = per_column * CELL_HEIGHT * self.scale;
        let top = self.surface.height.saturating_sub(height) as isize / 2;
        for (number, part) in lines.chunks(per_column).take(wanted).enumerate() {
            let mut part = part.to_vec();
            part.resize(per_column, (TEXT, String::new()));
            self.panel(left + (number * width) as isize, top, width, &part);
        }
    }

    /// A straight line.
    fn stroke(&mut self, from: [f32; 2], to: [f32; 2], color: u32) {
        let way = [to[0] - from[0], to[1] - from[1]];
        // A tag just before the eye may reach far beyond the window.
        let longest = (self.surface.width + self.surface.height) as f32;
        let steps = way[0].abs().max(way[1].abs()).ceil().clamp(1.0, longest);
        for step in 0..=steps as usize {
            let share = step as f32 / steps;
            let [x, y] = [0, 1].map(|axis| (from[axis] + way[axis] * share) as isize);
            self.fill(x, y, self.scale, self.scale, |_| color);
        }
    }

    fn tag(&mut self, tag: &ShownTag, Placement { scale, x, y }: Placement) {
        let in_window = |[right, down]: [f32; 2]| {
            [right * scale as f32 + x as f32, down * scale as f32 + y as f32]
        };
        let origin = in_window(tag.origin);
        for (number, tip) in tag.tips.iter().enumerate() {
            self.stroke(origin, in_window(*tip), AXIS_COLORS[number]);
        }
        let [right, down] = origin.map(|x| x as isize);
        self.line(right + 2 * self.scale as isize, down, TITLE, &tag.name);
    }

    fn axes(&mut self, axes: [[f32; 2]; 3]) {
        let scale = self.scale as f32;
        let reach = (AXIS_LENGTH + CELL_HEIGHT as f32) * scale;
        let middle = [reach, self.surface.height as f32 - reach];
        for (number, [right, up]) in axes.into_iter().enumerate() {
            let tip = [right, -up].map(|share| share * AXIS_LENGTH * scale);
            self.stroke(middle, [0, 1].map(|axis| middle[axis] + tip[axis]), AXIS_COLORS[number]);
            let outside = [0, 1].map(|axis| middle[axis] + tip[axis] * 1.2);
            let x = outside[0] as isize - (CELL_WIDTH * self.scale / 2) as isize;
            let y = outside[1] as isize - (CELL_HEIGHT * self.scale / 2) as isize;
            self.line(x, y, AXIS_COLORS[number], ["X", "Y", "Z"][number]);
        }
    }
}

/// Lines of at most `columns` letters, broken at spaces where possible.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut rest: Vec<char> = word.chars().collect();
        let last = lines.last_mut().expect("there is always a line");
        let used = last.chars().count();
        if used > 0 && used + 1 + rest.len() <= columns {
            last.push(' ');
            last.extend(rest);
            continue;
        }
        if used > 0 {
            lines.push(String::new());
        }
        while rest.len() > columns {
            let tail = rest.split_off(columns);
            lines.last_mut().expect("there is always a line").extend(rest);
            lines.push(String::new());
            rest = tail;
        }
        lines.last_mut().expect("there is always a line").extend(rest);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(overlay: &Overlay, width: usize, height: usize) -> Surface {
        let mut surface = Surface::default();
        surface.resize(width, height);
        surface.pixels.fill(0x0040_4040);
        overlay.draw(&mut surface);
        surface
    }

    #[test]
    fn text_is_broken_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap("a bad model file", 7), ["a bad", "model", "file"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 3), [""]);
    }

    #[test]
    fn text_grows_by_whole_numbers_with_the_window() {
        let mut overlay = Overlay::default();
        overlay.text(Place::TopLeft, ["L".to_owned()]);
        let count = |width, height| {
            let surface = drawn(&overlay, width, height);
            surface.pixels.iter().filter(|&&pixel| pixel == TEXT).count()
        };
        // The letter has 11 pixels.
        for (width, height, scale) in [(320, 200, 1), (960, 600, 2), (3840, 2160, 7)] {
            assert_eq!(count(width, height), 11 * scale * scale, "{width} x {height}");
        }
    }

    #[test]
    fn the_cheat_sheet_fits_on_a_small_screen_and_no_size_is_too_small() {
        let lines = help_lines();
        let essential: Vec<_> = lines.iter().filter(|line| line.0 != TITLE).collect();
        let longest = lines.iter().map(|line| line.1.len()).max().unwrap();
        assert!(essential.len() <= 2 * (200 / CELL_HEIGHT), "{} lines", essential.len());
        assert!(2 * longest < 320 / CELL_WIDTH, "{longest} columns");
        let mut overlay = Overlay::default();
        overlay.help();
        overlay.error("broken.md2", "a very long explanation of what is wrong with this file");
        overlay.axes(&Orbit::default(), 30.0);
        for (width, height) in [(1, 1), (7, 300), (320, 200), (640, 480)] {
            drawn(&overlay, width, height);
        }
    }

    #[test]
    fn the_axes_lie_as_the_camera_sees_them() {
        let mut overlay = Overlay::default();
        let front = Orbit { azimuth: 0.0, elevation: 0.0, ..Orbit::default() };
        overlay.axes(&front, 0.0);
        let near = |found: [[f32; 2]; 3], expected: [[f32; 2]; 3]| {
            found.iter().flatten().zip(expected.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-5)
        };
        // From the front: X points out, the model's left is on the right.
        assert!(near(overlay.axes.unwrap(), [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]));
        overlay.axes(&front, 90.0);
        assert!(near(overlay.axes.unwrap(), [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]));
    }
}
