//! The cheat sheet: every key in as many columns as fit, on as many pages as it needs.

use super::canvas::{
    Area, Canvas, LINE_HEIGHT, Lines, PADDING, TEXT, TITLE, columns_and_rows, text_scale,
};
use super::keys::{BINDINGS, MOUSE, NOTE};
use crate::font::{self, CELL_WIDTH};

/// How many pages the sheet has in a window of this size.
pub(crate) fn pages(window: [u32; 2]) -> usize {
    let window = window.map(|side| side as usize);
    let lines = lines();
    let layout = Layout::of(&lines, window, text_scale(window));
    lines.len().div_ceil(layout.columns * layout.rows)
}

/// Draws a page of the sheet, the first is 0.
pub(crate) fn draw(canvas: &mut Canvas<'_>, page: usize) {
    let lines = lines();
    let scale = canvas.scale;
    let Layout { columns, rows } = Layout::of(&lines, canvas.size(), scale);
    let pages = lines.len().div_ceil(columns * rows);
    let shown = lines.chunks(columns * rows).nth(page.min(pages - 1)).unwrap_or(&[]);
    let wanted = shown.len().div_ceil(rows).max(1);
    let per_column = shown.len().div_ceil(wanted);
    let [width, height] = canvas.size();
    let step = (longest(&lines) + 1) * CELL_WIDTH * scale;
    let area = Area {
        x: width.saturating_sub(step * wanted) as isize / 2,
        y: 0,
        width: (step * wanted).min(width),
        height: (per_column * LINE_HEIGHT + PADDING) * scale,
    };
    let area = Area { y: height.saturating_sub(area.height) as isize / 2, ..area };
    canvas.darken(area);
    let inset = (PADDING * scale) as isize;
    let gap = (scale as isize).min(area.x.max(1));
    for (number, (color, text)) in shown.iter().enumerate() {
        let x = area.x + gap + (number / per_column * step) as isize;
        let y = area.y + inset + (number % per_column * LINE_HEIGHT * scale) as isize;
        canvas.letters([x, y], *color, &font::letters(text));
    }
}

/// What a page has room for.
struct Layout {
    columns: usize,
    rows: usize,
}

impl Layout {
    fn of(lines: &Lines, window: [usize; 2], scale: usize) -> Self {
        let [_, rows] = columns_and_rows(window, scale);
        // From edge to edge, so that the smallest screen has two columns.
        let cells = (window[0] / scale).saturating_sub(1) / CELL_WIDTH;
        let columns = ((cells + 1) / (longest(lines) + 1)).max(1);
        Self { columns, rows: rows.max(1) }
    }
}

fn longest(lines: &Lines) -> usize {
    lines.iter().map(|(_, text)| text.len()).max().unwrap_or(0)
}

/// The sheet, line by line.
fn lines() -> Lines {
    let line = |label: &str, help: &str| format!("{label:<6} {help}");
    let mut lines = Lines::new();
    let mut group = None;
    for binding in BINDINGS {
        if group != Some(binding.group) {
            group = Some(binding.group);
            lines.push((TITLE, binding.group.title().to_owned()));
        }
        lines.push((TEXT, line(binding.label, binding.help)));
    }
    lines.push((TITLE, "Mouse".to_owned()));
    lines.extend(MOUSE.iter().map(|(label, help)| (TEXT, line(label, help))));
    let (first, rest) = NOTE.split_once('(').unwrap_or((NOTE, ""));
    lines.push((TITLE, first.trim().to_owned()));
    if !rest.is_empty() {
        lines.push((TITLE, format!("  ({rest}")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::present::Surface;
    use super::*;

    #[test]
    fn a_large_window_has_one_page_a_small_one_few_and_every_line_is_on_one() {
        for (window, expected) in [([1280, 800], 1..=1), ([960, 600], 1..=2), ([320, 200], 2..=3)] {
            assert!(expected.contains(&pages(window)), "{window:?}: {}", pages(window));
        }
        let all = lines();
        assert!(2 * longest(&all) < 320 / CELL_WIDTH, "two columns on the smallest screen");
        for window in [[1, 1], [7, 300], [320, 200], [640, 480]] {
            let mut surface = Surface::default();
            surface.resize(window[0], window[1]);
            for page in 0..pages(window.map(|side| side as u32)) {
                draw(&mut Canvas::new(&mut surface), page);
            }
        }
    }
}
