//! What lies over the picture, and where: no text over another one, and none over the middle above, where
//! heads are.

use std::sync::Arc;

use super::canvas::{ALARM, Area, Canvas, Lines, TEXT, wrap};
use super::help;
use super::list_panel::Panel;
use super::marks::{AXIS_COLORS, Marks};
use super::orbit::Orbit;
use super::present::{Placement, Surface};
use super::swatches::Swatches;
use super::timeline::Timeline;
use crate::camera::rotate;
use crate::font::{self, CELL_HEIGHT, CELL_WIDTH, Letter};
use glam::Vec3;

/// Font pixels of an axis.
const AXIS_LENGTH: f32 = 22.0;

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    TopLeft,
    TopRight,
    BottomLeft,
    Bottom,
    Middle,
}

/// Lines with their colours.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    place: Place,
    lines: Lines,
    /// Long lines lose their middle; otherwise they are broken.
    shortens: bool,
}

/// What lies over the picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Overlay {
    blocks: Vec<Block>,
    timeline: Option<Timeline>,
    /// The page of the cheat sheet.
    help: Option<usize>,
    /// Right and up in the picture of the model's three axes.
    axes: Option<[[f32; 2]; 3]>,
    /// Lines over the picture, and where that lies in the window.
    marks: Option<(Arc<Marks>, Placement)>,
    swatches: Option<Swatches>,
    list: Option<Panel>,
}

impl Overlay {
    /// Lines of which the middle is left out if they are too long.
    pub(crate) fn text(&mut self, place: Place, lines: impl IntoIterator<Item = String>) {
        let lines = lines.into_iter().map(|line| (TEXT, line)).collect();
        self.blocks.push(Block { place, lines, shortens: true });
    }

    /// Lines that are broken where they are too long; nothing if there are none.
    pub(crate) fn words(&mut self, place: Place, lines: Vec<String>) {
        if !lines.is_empty() {
            let lines = lines.into_iter().map(|line| (TEXT, line)).collect();
            self.blocks.push(Block { place, lines, shortens: false });
        }
    }

    /// A title and the lines of an error.
    pub(crate) fn error(&mut self, place: Place, title: &str, text: &str) {
        let lines = text.lines().map(|line| (TEXT, line.to_owned()));
        let lines = [(ALARM, title.to_owned())].into_iter().chain(lines).collect();
        self.blocks.push(Block { place, lines, shortens: false });
    }

    pub(crate) fn list(&mut self, panel: Panel) {
        self.list = Some(panel);
    }

    /// The clip's frames at the bottom.
    pub(crate) fn timeline(&mut self, timeline: Timeline) {
        self.timeline = Some(timeline);
    }

    /// A page of the cheat sheet.
    pub(crate) fn help(&mut self, page: usize) {
        self.help = Some(page);
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

    /// Lines over a picture that lies there in the window.
    pub(crate) fn marks(&mut self, marks: Arc<Marks>, placement: Placement) {
        self.marks = Some((marks, placement));
    }

    pub(crate) fn swatches(&mut self, swatches: Swatches) {
        self.swatches = Some(swatches);
    }

    pub(crate) fn draw(&self, surface: &mut Surface) {
        let mut canvas = Canvas::new(surface);
        if let Some((marks, placement)) = &self.marks {
            marks.draw(&mut canvas, *placement);
        }
        let mut taken = Vec::new();
        taken.extend(self.timeline.as_ref().map(|timeline| timeline.draw(&mut canvas)));
        let floor = taken.first().map_or(canvas.size()[1] as isize, |area: &Area| area.y);
        if let Some(axes) = self.axes {
            taken.push(draw_axes(&mut canvas, axes, floor));
        }
        if let Some(swatches) = &self.swatches {
            taken.push(swatches.draw(&mut canvas, &taken, floor));
        }
        for block in &self.blocks {
            let (area, lines) = block.laid_out(&canvas, &taken);
            canvas.panel(area, &lines);
            taken.push(area);
        }
        if let Some(panel) = &self.list {
            panel.draw(&mut canvas);
        }
        if let Some(page) = self.help {
            help::draw(&mut canvas, page);
        }
    }
}

impl Block {
    /// Where the block stands beside what is there, and its lines as they fit.
    fn laid_out(&self, canvas: &Canvas<'_>, taken: &[Area]) -> (Area, Vec<(u32, Vec<Letter>)>) {
        let [columns, _] = canvas.columns_and_rows();
        let fitted = |(color, text): &(u32, String)| {
            let color = *color;
            let lines = if self.shortens {
                vec![font::shortened(text, columns)]
            } else {
                wrap(text, columns)
            };
            lines.into_iter().map(move |line| (color, line))
        };
        let lines: Vec<(u32, Vec<Letter>)> = self.lines.iter().flat_map(fitted).collect();
        let [width, height] = canvas.size();
        let area = canvas.panel_area(&lines);
        let right = (width as isize - area.width as isize).max(0);
        let bottom = (height as isize - area.height as isize).max(0);
        let (x, y) = match self.place {
            Place::TopLeft => (0, 0),
            Place::TopRight => (right, 0),
            Place::BottomLeft => (0, bottom),
            Place::Bottom => (right / 2, bottom),
            Place::Middle => (right / 2, bottom / 2),
        };
        let mut area = Area { x, y, ..area };
        let rises = matches!(self.place, Place::BottomLeft | Place::Bottom);
        while let Some(other) = taken.iter().find(|other| other.meets(&area)) {
            let next = if rises { other.y - area.height as isize } else { other.bottom() };
            if !(0..=bottom).contains(&next) {
                break;
            }
            area.y = next;
        }
        (area, lines)
    }
}

/// The axes in the right corner above the floor.
fn draw_axes(canvas: &mut Canvas<'_>, axes: [[f32; 2]; 3], floor: isize) -> Area {
    let scale = canvas.scale as f32;
    let reach = (AXIS_LENGTH + CELL_HEIGHT as f32) * scale;
    let [width, _] = canvas.size();
    let middle = [width as f32 - reach, floor as f32 - reach];
    for (number, [right, up]) in axes.into_iter().enumerate() {
        let tip = [right, -up].map(|share| share * AXIS_LENGTH * scale);
        canvas.stroke(middle, [0, 1].map(|axis| middle[axis] + tip[axis]), AXIS_COLORS[number]);
        let outside = [0, 1].map(|axis| middle[axis] + tip[axis] * 1.2);
        let x = outside[0] as isize - (CELL_WIDTH * canvas.scale / 2) as isize;
        let y = outside[1] as isize - (CELL_HEIGHT * canvas.scale / 2) as isize;
        canvas.text([x, y], AXIS_COLORS[number], ["X", "Y", "Z"][number]);
    }
    let side = 2 * reach as usize;
    let [x, y] = [width as isize, floor].map(|end| end - side as isize);
    Area { x, y, width: side, height: side }
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
    fn no_text_lies_over_another_and_no_window_is_too_small() {
        let mut overlay = Overlay::default();
        overlay.axes(&Orbit::default(), 30.0);
        let long = "a/folder/with/a/long/name/and/more/of/it/than/fits/on/a/small/screen/tris.md2";
        overlay.text(Place::BottomLeft, [long.to_owned(), "clip 1 of 2: stand".into()]);
        overlay.text(Place::TopLeft, ["triangles 7".to_owned()]);
        overlay.text(Place::TopRight, ["62 fps".to_owned()]);
        overlay.text(Place::Bottom, ["lighting: quake".to_owned()]);
        for (width, height) in [(1, 1), (7, 300), (320, 200), (640, 400), (960, 600)] {
            let mut surface = drawn(&overlay, width, height);
            let mut canvas = Canvas::new(&mut surface);
            let mut taken = vec![draw_axes(&mut canvas, overlay.axes.unwrap(), height as isize)];
            for block in &overlay.blocks {
                let (area, lines) = block.laid_out(&canvas, &taken);
                assert!(lines.iter().all(|(_, line)| line.len() * CELL_WIDTH <= width.max(6)));
                let is_free = !taken.iter().any(|other| other.meets(&area));
                assert!(is_free || width < 320, "{width} x {height}: {area:?} {taken:?}");
                taken.push(area);
            }
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
