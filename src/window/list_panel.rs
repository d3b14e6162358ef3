//! Draws the list over the picture, with the small picture of what is chosen.

use super::canvas::{self, ALARM, Canvas, TEXT, TITLE, wrap};
use super::list::{Kind, List, Row};
use super::list_layout::{Area, Layout};
use super::preview::Preview;
use crate::font::{self, CELL_WIDTH, Letter};
use crate::image::Image;

const DIM: u32 = 0x009c_988c;
const CHOSEN: u32 = 0x0048_5a78;
const FRAME: u32 = 0x0060_6060;

/// What the list shows at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panel {
    layout: Layout,
    kind: Kind,
    filter: String,
    counts: [usize; 2],
    rows: Vec<Row>,
    preview: Option<Preview>,
}

impl Panel {
    /// `None` while the list is closed. `preview` belongs to the chosen entry.
    pub(crate) fn of(list: &mut List, layout: Layout, preview: Option<Preview>) -> Option<Self> {
        let kind = list.listed()?;
        let rows = list.rows(layout.row_count(), layout.columns());
        let (filter, counts) = (list.filter().to_owned(), list.counts());
        Some(Self { layout, kind, filter, counts, rows, preview })
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        let Layout { padding, line, panel, rows, picture, .. } = self.layout;
        fill(canvas, panel, |pixel| (pixel >> 3) & 0x001f_1f1f);
        let letter = CELL_WIDTH * self.layout.scale;
        let (left, top) = (panel.x + padding, panel.y + padding);
        let mut x = left;
        for kind in Kind::ALL {
            let color = if kind == self.kind { TITLE } else { DIM };
            text(canvas, x, top, color, kind.title());
            x += (kind.title().len() + 2) * letter;
        }
        let [matches, all] = self.counts;
        let counter = format!("{matches} of {all}");
        let inner = panel.width.saturating_sub(2 * padding);
        text(canvas, left + inner.saturating_sub(counter.len() * letter), top, TEXT, &counter);
        // The end of a long filter is what is being typed.
        let room = (inner / letter).saturating_sub(3);
        let skipped = self.filter.chars().count().saturating_sub(room);
        let filter: String = self.filter.chars().skip(skipped).collect();
        text(canvas, left, top + line, TEXT, &format!("/{filter}_"));
        for (number, row) in self.rows.iter().enumerate() {
            self.row(canvas, rows.y + number * line, row);
        }
        if self.rows.is_empty() && rows.height > 0 {
            text(canvas, left, rows.y, DIM, "nothing matches");
        }
        if picture.width > 0 {
            self.preview(canvas, picture);
        }
        let keys = "Enter opens, Tab turns, Esc closes";
        let below = panel.y + panel.height.saturating_sub(padding + line);
        if keys.len() * letter <= inner && below >= rows.y + rows.height {
            text(canvas, left, below + line / 4, DIM, keys);
        }
    }

    fn row(&self, canvas: &mut Canvas<'_>, y: usize, row: &Row) {
        let Layout { scale, line, rows, .. } = self.layout;
        if row.is_chosen {
            // The letters stand in the middle of the bar.
            let above = y.saturating_sub(2 * scale);
            fill(canvas, Area { y: above, height: line, ..rows }, |_| CHOSEN);
        }
        let letter = CELL_WIDTH * scale;
        let mark = if row.is_current { "*" } else { "" };
        text(canvas, rows.x + scale, y, TITLE, mark);
        for (number, &(one, is_named)) in row.letters.iter().enumerate() {
            let color = if is_named { TITLE } else { TEXT };
            let x = rows.x + (number + 1) * letter + letter / 2;
            // One cell each, whatever it sounds like.
            let letters = font::letters(one.encode_utf8(&mut [0; 4]));
            write(canvas, x, y, color, letters.get(..1).unwrap_or_default());
        }
    }

    fn preview(&self, canvas: &mut Canvas<'_>, area: Area) {
        let scale = self.layout.scale;
        fill(canvas, area, |_| FRAME);
        let inside = Area {
            x: area.x + scale,
            y: area.y + scale,
            width: area.width - 2 * scale,
            height: area.height - 2 * scale,
        };
        fill(canvas, inside, |_| 0x0030_3034);
        match &self.preview {
            None => {}
            Some(Preview::Awaited) => {
                let middle = inside.y + inside.height / 2;
                text(canvas, inside.x + inside.width / 2 - CELL_WIDTH * scale, middle, DIM, "...");
            }
            Some(Preview::Ready(shot)) => picture(canvas, inside, &shot.image),
            Some(Preview::Broken(error)) => {
                let padding = self.layout.padding;
                let columns = (inside.width - 2 * padding) / (CELL_WIDTH * scale);
                let lines = wrap(error, columns);
                let room = (inside.height - padding) / self.layout.line;
                for (number, line) in lines.iter().take(room).enumerate() {
                    let y = inside.y + padding + number * self.layout.line;
                    write(canvas, inside.x + padding, y, ALARM, line);
                }
            }
        }
    }
}

/// The side of the small picture in a window of this layout.
pub(crate) fn preview_side(layout: &Layout) -> Option<u32> {
    let side = layout.picture.width.checked_sub(2 * layout.scale)?;
    u32::try_from(side).ok().filter(|side| *side > 0)
}

fn text(canvas: &mut Canvas<'_>, x: usize, y: usize, color: u32, text: &str) {
    write(canvas, x, y, color, &font::letters(text));
}

fn write(canvas: &mut Canvas<'_>, x: usize, y: usize, color: u32, letters: &[Letter]) {
    canvas.letters([x as isize, y as isize], color, letters);
}

fn fill(canvas: &mut Canvas<'_>, area: Area, paint: impl Fn(u32) -> u32) {
    let (x, y) = (area.x as isize, area.y as isize);
    canvas.fill(canvas::Area { x, y, width: area.width, height: area.height }, paint);
}

/// A picture over what is there, as its alpha says, one of its pixels for one of the window.
fn picture(canvas: &mut Canvas<'_>, area: Area, image: &Image) {
    let rgba = image.to_rgba();
    let width = image.width() as usize;
    for (number, &[r, g, b, alpha]) in rgba.as_chunks::<4>().0.iter().enumerate() {
        let (x, y) = (number % width, number / width);
        if alpha == 0 || x >= area.width || y >= area.height {
            continue;
        }
        let over = |behind: u32| {
            let [_, r2, g2, b2] = behind.to_be_bytes();
            let mix = |front: u8, back: u8| {
                let [front, back, alpha] = [front, back, alpha].map(u32::from);
                ((front * alpha + back * (255 - alpha) + 127) / 255) as u8
            };
            u32::from_be_bytes([0, mix(r, r2), mix(g, g2), mix(b, b2)])
        };
        fill(canvas, Area { x: area.x + x, y: area.y + y, width: 1, height: 1 }, over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::overlay::Overlay;
    use crate::window::present::Surface;

    #[test]
    fn any_size_of_window_can_be_drawn_and_only_what_is_seen_is() {
        let mut list = List::default();
        let names = (0..3000).map(|number| format!("a/long/folder/of/model{number}.md2")).collect();
        list.show(Kind::Files, names, 1500);
        for window in [[1, 1], [30, 40], [100, 700], [320, 200], [641, 399], [1920, 1200]] {
            let layout = Layout::of(window);
            for preview in
                [None, Some(Preview::Awaited), Some(Preview::Broken("it is broken".into()))]
            {
                let panel = Panel::of(&mut list, layout, preview).unwrap();
                assert!(panel.rows.len() <= layout.row_count());
                let mut surface = Surface::default();
                surface.resize(window[0] as usize, window[1] as usize);
                let mut overlay = Overlay::default();
                overlay.list(panel);
                overlay.draw(&mut surface);
            }
        }
        list.close();
        assert_eq!(Panel::of(&mut list, Layout::of([320, 200]), None), None);
    }
}
