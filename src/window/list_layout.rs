//! Where the parts of the list are in a window.

use super::canvas::text_scale;
use crate::font::{CELL_HEIGHT, CELL_WIDTH};

/// A rectangle of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// Where the parts of the list are in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Window pixels per pixel of the font.
    pub(crate) scale: usize,
    /// Around everything, and between its parts.
    pub(crate) padding: usize,
    /// Height of a line: letters with their tails and a gap.
    pub(crate) line: usize,
    pub(crate) panel: Area,
    pub(crate) rows: Area,
    /// A square; empty where there is no room.
    pub(crate) picture: Area,
}

/// In pixels of the font.
const MARGIN: usize = 10;
const PADDING: usize = 6;
const LEADING: usize = 4;
const LEAST_PICTURE: usize = 48;

impl Layout {
    pub(crate) fn of(window: [u32; 2]) -> Self {
        let [width, height] = window.map(|side| side as usize);
        let scale = text_scale([width, height]);
        let [margin, padding, line] =
            [MARGIN, PADDING, CELL_HEIGHT + LEADING].map(|length| length * scale);
        let panel = Area {
            x: margin.min(width),
            y: margin.min(height),
            width: width.saturating_sub(2 * margin),
            height: height.saturating_sub(2 * margin),
        };
        // Title and filter above, the keys below.
        let inner = panel.height.saturating_sub(2 * padding + 3 * line);
        let side = (panel.width * 2 / 5).min(inner);
        let side = if side < LEAST_PICTURE * scale { 0 } else { side };
        let beside = if side > 0 { side + padding } else { 0 };
        let rows = Area {
            x: panel.x + padding,
            y: panel.y + padding + 2 * line,
            width: panel.width.saturating_sub(2 * padding + beside),
            height: inner / line * line,
        };
        let picture =
            Area { x: rows.x + rows.width + padding, y: rows.y, width: side, height: side };
        Self { scale, padding, line, panel, rows, picture }
    }

    /// How many rows are seen.
    pub(crate) fn row_count(&self) -> usize {
        self.rows.height / self.line
    }

    /// How many letters a row has; the first two are left for marks.
    pub(crate) fn columns(&self) -> usize {
        (self.rows.width / (CELL_WIDTH * self.scale)).saturating_sub(2)
    }

    /// The row at a place in the window.
    pub(crate) fn row_at(&self, at: [i32; 2]) -> Option<usize> {
        let [x, y] = at.map(|at| usize::try_from(at).ok());
        let (x, y) = (x?.checked_sub(self.rows.x)?, y?.checked_sub(self.rows.y)?);
        (x < self.rows.width && y < self.rows.height).then_some(y / self.line)
    }

    /// Whether a place in the window is on the list.
    pub(crate) fn has(&self, at: [i32; 2]) -> bool {
        let Area { x, y, width, height } = self.panel;
        let inside = |at: i32, from: usize, length: usize| {
            usize::try_from(at).is_ok_and(|at| (from..from + length).contains(&at))
        };
        inside(at[0], x, width) && inside(at[1], y, height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_lie_in_the_panel_whatever_the_size() {
        for window in
            [[1, 1], [30, 30], [320, 200], [640, 400], [960, 600], [3840, 2160], [200, 900]]
        {
            let layout = Layout::of(window);
            let ends = |area: Area| [area.x + area.width, area.y + area.height];
            let panel = ends(layout.panel);
            assert!(panel[0] <= window[0] as usize && panel[1] <= window[1] as usize, "{window:?}");
            if layout.row_count() == 0 {
                continue;
            }
            for area in [layout.rows, layout.picture].into_iter().filter(|area| area.width > 0) {
                let end = ends(area);
                assert!(end[0] <= panel[0] && end[1] <= panel[1], "{window:?}: {area:?}");
            }
        }
        let small = Layout::of([320, 200]);
        assert!(small.row_count() >= 10 && small.columns() >= 24, "{small:?}");
        assert!(small.picture.width >= 96, "{small:?}");
    }

    #[test]
    fn a_place_in_the_window_is_a_row() {
        let layout = Layout::of([960, 600]);
        let Area { x, y, width, .. } = layout.rows;
        let at = |dx: usize, dy: usize| [(x + dx) as i32, (y + dy) as i32];
        assert_eq!(layout.row_at(at(0, 0)), Some(0));
        assert_eq!(layout.row_at(at(width - 1, layout.line)), Some(1));
        assert_eq!(layout.row_at(at(width, 0)), None);
        assert_eq!(layout.row_at([-1, 5]), None);
        assert!(layout.has(at(0, 0)) && !layout.has([0, 0]));
    }
}
