//! Contact sheets: the pictures of many models in rows and columns, with their names.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Request;
use super::list::{Job, List};
use super::manifest::Line;
use super::plan::Picture;
use super::run::{Event, Summary, Teller, ThumbsError, each};
use crate::error::RequestError;
use crate::font::{self, CELL_HEIGHT, CELL_WIDTH};
use crate::image::Image;
use crate::scene::{Opened, Studio};

/// How a sheet looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetStyle {
    /// Cells side by side; chosen by their number unless said.
    pub columns: Option<u32>,
    /// A heading.
    pub title: Option<String>,
    /// Whether names stand under the pictures.
    pub has_labels: bool,
    /// The colour of the sheet: red, green, blue, alpha.
    pub background: [u8; 4],
}

impl Default for SheetStyle {
    fn default() -> Self {
        Self { columns: None, title: None, has_labels: true, background: [0x20, 0x20, 0x24, 255] }
    }
}

/// Largest width and height of a sheet in pixels.
const MAX_SIDE: u32 = 16384;
/// Pixels between cells, and around them.
const GAP: u32 = 8;
/// Cells that are wider have letters twice as large.
const LARGE_CELL: u32 = 320;
/// Sheets are made about so many times as wide as high.
const ASPECT: f64 = 1.4;
/// What stands in the place of a model that cannot be drawn.
const BROKEN: [u8; 4] = [0xe0, 0x50, 0x40, 255];

/// A picture with its name; none of what could not be drawn.
struct Cell {
    label: String,
    image: Option<Image>,
}

/// A sheet that was drawn.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The picture.
    pub image: Image,
    /// What became of the models.
    pub summary: Summary,
    /// The files that were read for it, archives included: it must not replace them.
    pub files: Vec<PathBuf>,
}

/// Draws the pictures of all models of the list into one. A model that cannot be drawn is a crossed cell
/// and [`Event::Failed`]. `tell` is called from several threads.
///
/// # Errors
/// If the sheet would be larger than 16384 pixels a side.
pub fn draw_sheet(
    request: &Request,
    list: &List,
    style: &SheetStyle,
    threads: Option<NonZero<usize>>,
    tell: &(impl Fn(Event<'_>) + Sync),
) -> Result<Sheet, ThumbsError> {
    // What every model has at least one cell of.
    Layout::new(request.side, list.len(), style)?;
    let cells: Vec<Mutex<Vec<Cell>>> = list.jobs.iter().map(|_| Mutex::default()).collect();
    let (count, teller) = (AtomicUsize::new(0), Teller::new(tell));
    let files = Mutex::new(BTreeSet::new());
    each(
        list.jobs.len(),
        threads,
        || Studio::for_thumbnails(request.side),
        |studio, number| {
            let job = &list.jobs[number];
            let mut drawn = Vec::new();
            request.draw(list, job, studio, |shot| {
                // Models have several pictures each: it ends as soon as there are too many.
                let least = count.fetch_add(1, Ordering::Relaxed) + 1;
                Layout::new(request.side, least, style)?;
                let label = label(job, shot.picture.map(|(_, picture)| picture));
                let (image, error) = match shot.drawing {
                    Ok(drawing) => (Some(drawing.image), None),
                    Err(error) => (None, Some(error)),
                };
                let line = Line { input: job.input.to_string(), error, ..Line::default() };
                teller.tell(if line.error.is_none() {
                    Event::Drawn(&line)
                } else {
                    Event::Failed(&line)
                });
                drawn.push(Cell { label, image });
                let read = shot.opened.into_iter().flat_map(Opened::files);
                files.lock().unwrap_or_else(PoisonError::into_inner).extend(read);
                Ok(())
            })?;
            *cells[number].lock().unwrap_or_else(PoisonError::into_inner) = drawn;
            teller.tell(Event::Done);
            Ok::<(), ThumbsError>(())
        },
    )?;
    let cells =
        cells.into_iter().map(|cell| cell.into_inner().unwrap_or_else(PoisonError::into_inner));
    let cells: Vec<Cell> = cells.flatten().collect();
    let image = Layout::new(request.side, cells.len(), style)?.sheet(&cells, style);
    let files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Sheet { image, summary: teller.summary(), files: files.into_iter().collect() })
}

/// The name of the model, and what tells its pictures apart.
fn label(job: &Job, picture: Option<&Picture>) -> String {
    let mut label = job.input.file_name().to_string_lossy().into_owned();
    let Some(picture) = picture else { return label };
    for part in [&picture.skin, &picture.clip].into_iter().flatten() {
        label += &format!(" {part}");
    }
    if let Some(frame) = picture.frame {
        label += &format!(" {frame}");
    }
    label
}

/// Where cells stand; all in pixels.
struct Layout {
    columns: u32,
    side: u32,
    /// Distance from a cell to the one below it.
    step: u32,
    /// The height of the heading.
    head: u32,
    /// Pixels per pixel of the font.
    scale: u32,
    width: u32,
    height: u32,
}

impl Layout {
    fn new(side: u32, cells: usize, style: &SheetStyle) -> Result<Self, RequestError> {
        let scale = if side >= LARGE_CELL { 2 } else { 1 };
        let cells = cells.max(1);
        let label = if style.has_labels { GAP / 2 + CELL_HEIGHT as u32 * scale } else { 0 };
        let step = side + label + GAP;
        let even = (cells as f64 * f64::from(step) * ASPECT / f64::from(side + GAP)).sqrt();
        let most = u32::try_from(cells).unwrap_or(u32::MAX);
        let columns = style.columns.unwrap_or(even as u32).clamp(1, most);
        let rows = cells.div_ceil(columns as usize) as u64;
        let head = if style.title.is_some() { 3 * CELL_HEIGHT as u32 + GAP } else { 0 };
        let width = u64::from(columns) * u64::from(side + GAP) + u64::from(GAP);
        let height = rows * u64::from(step) + u64::from(GAP + head);
        let fits = |length: u64| u32::try_from(length).ok().filter(|length| *length <= MAX_SIDE);
        let (Some(width), Some(height)) = (fits(width), fits(height)) else {
            return Err(RequestError::new(format!(
                "{cells} cells of {side} pixels make a sheet of {width} x {height} pixels, and \
                 {MAX_SIDE} a side are the most; give a smaller --size, other --columns, or --html"
            )));
        };
        Ok(Self { columns, side, step, head, scale, width, height })
    }

    fn sheet(&self, cells: &[Cell], style: &SheetStyle) -> Image {
        let pixels = self.width as usize * self.height as usize;
        let mut canvas = Canvas { width: self.width, rgba: style.background.repeat(pixels) };
        let is_dark = style.background[..3].iter().map(|c| u32::from(*c)).sum::<u32>() < 384;
        let ink = if is_dark { [0xe8, 0xe4, 0xd8, 255] } else { [0x20, 0x20, 0x24, 255] };
        if let Some(title) = &style.title {
            let room = (self.width - 2 * GAP) / (CELL_WIDTH as u32 * 2);
            canvas.text([GAP, GAP + 4], 2, ink, &font::shortened(title, room as usize));
        }
        for (number, cell) in cells.iter().enumerate() {
            let number = number as u32;
            let x = GAP + number % self.columns * (self.side + GAP);
            let y = GAP + self.head + number / self.columns * self.step;
            match &cell.image {
                Some(image) => canvas.picture([x, y], image),
                None => canvas.cross([x, y], self.side),
            }
            if style.has_labels {
                let letter = CELL_WIDTH as u32 * self.scale;
                let text = font::shortened(&cell.label, (self.side / letter) as usize);
                let indent = (self.side - text.len() as u32 * letter) / 2;
                let ink = if cell.image.is_some() { ink } else { BROKEN };
                canvas.text([x + indent, y + self.side + GAP / 2], self.scale, ink, &text);
            }
        }
        Image::from_rgba(self.width, self.height, canvas.rgba).expect("every row is complete")
    }
}

struct Canvas {
    width: u32,
    rgba: Vec<u8>,
}

impl Canvas {
    fn pixel(&mut self, x: u32, y: u32) -> &mut [u8] {
        let start = (y as usize * self.width as usize + x as usize) * 4;
        &mut self.rgba[start..start + 4]
    }

    /// A picture with what is behind it where it is transparent.
    fn picture(&mut self, [left, top]: [u32; 2], image: &Image) {
        let rgba = image.to_rgba();
        for (number, front) in rgba.as_chunks::<4>().0.iter().enumerate() {
            let (x, y) = (number as u32 % image.width(), number as u32 / image.width());
            let pixel = self.pixel(left + x, top + y);
            let back = [pixel[0], pixel[1], pixel[2], pixel[3]];
            pixel.copy_from_slice(&over(*front, back));
        }
    }

    fn cross(&mut self, [left, top]: [u32; 2], side: u32) {
        let inset = side / 4;
        for step in inset..side - inset {
            for x in [step, side - 1 - step] {
                self.pixel(left + x, top + step).copy_from_slice(&BROKEN);
                self.pixel(left + x.saturating_sub(1), top + step).copy_from_slice(&BROKEN);
            }
        }
    }

    fn text(&mut self, [left, top]: [u32; 2], scale: u32, ink: [u8; 4], text: &[font::Letter]) {
        for (number, letter) in text.iter().enumerate() {
            let left = left + number as u32 * CELL_WIDTH as u32 * scale;
            for (column, row) in font::pixels(*letter) {
                let Some(y) = top.checked_add_signed(row as i32 * scale as i32) else { continue };
                let x = left + column as u32 * scale;
                for (dx, dy) in (0..scale * scale).map(|n| (n % scale, n / scale)) {
                    self.pixel(x + dx, y + dy).copy_from_slice(&ink);
                }
            }
        }
    }
}

/// A colour over another, both with straight alpha, rounded to nearest.
fn over(front: [u8; 4], back: [u8; 4]) -> [u8; 4] {
    let (a, b) = (u32::from(front[3]), u32::from(back[3]) * (255 - u32::from(front[3])) / 255);
    let alpha = a + b;
    if alpha == 0 {
        return back;
    }
    let mix = |channel: usize| {
        ((u32::from(front[channel]) * a + u32::from(back[channel]) * b + alpha / 2) / alpha) as u8
    };
    [mix(0), mix(1), mix(2), alpha as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_lie_over_the_sheet() {
        let sheet = [10, 20, 30, 255];
        assert_eq!(over([1, 2, 3, 0], sheet), sheet);
        assert_eq!(over([1, 2, 3, 255], sheet), [1, 2, 3, 255]);
        assert_eq!(over([110, 120, 130, 128], sheet), [60, 70, 80, 255]);
        assert_eq!(over([1, 2, 3, 7], [0; 4]), [1, 2, 3, 7]);
    }

    #[test]
    fn sheets_are_about_as_wide_as_high_and_end_somewhere() {
        let style = SheetStyle { title: Some("x".into()), ..SheetStyle::default() };
        for (cells, side) in [(1, 64), (7, 128), (100, 64), (2000, 128), (30, 2000)] {
            let Ok(layout) = Layout::new(side, cells, &style) else {
                assert_eq!((cells, side), (30, 2000));
                continue;
            };
            let aspect = f64::from(layout.width) / f64::from(layout.height);
            assert!((0.5..2.5).contains(&aspect), "{cells}: {aspect}");
            let cell = |number: usize| Cell { label: format!("{number}"), image: None };
            let cells: Vec<Cell> = (0..cells.min(200)).map(cell).collect();
            let image = Layout::new(side, cells.len(), &style).unwrap().sheet(&cells, &style);
            assert!(image.width() <= MAX_SIDE);
        }
        let narrow = SheetStyle { columns: Some(1), ..SheetStyle::default() };
        let error = Layout::new(128, 1000, &narrow).err().unwrap().to_string();
        assert!(error.contains("give a smaller --size"), "{error}");
    }
}
