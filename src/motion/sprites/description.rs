//! Where everything is on a sheet, as JSON.

use serde::Serialize;

use super::{Cell, Sheet, SpriteSet, Sprites};
use crate::image::Pixels;

/// The shape of the JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schema {
    /// One object for every sprite, mirrored ones included: see `docs/motion.md`.
    #[default]
    Plain,
    /// That of Aseprite's exported sheets: an array of frames, tags for the clips of each direction, the
    /// pivot as a slice.
    Aseprite,
}

#[derive(Serialize)]
struct Plain<'a> {
    image: &'a str,
    size: [u32; 2],
    cell: [u32; 2],
    pivot: [f32; 2],
    directions: u32,
    clips: Vec<PlainClip<'a>>,
    sprites: Vec<PlainSprite<'a>>,
}

#[derive(Serialize)]
struct PlainClip<'a> {
    name: &'a str,
    frames: usize,
    seconds: f64,
}

#[derive(Serialize)]
struct PlainSprite<'a> {
    name: String,
    clip: &'a str,
    frame: usize,
    direction: u32,
    azimuth: f64,
    rect: [u32; 4],
    offset: [u32; 2],
    pivot: [f32; 2],
    seconds: f64,
    mirrored: bool,
}

#[derive(Serialize)]
struct Aseprite<'a> {
    frames: Vec<AsepriteFrame>,
    meta: AsepriteMeta<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AsepriteFrame {
    filename: String,
    frame: Rect,
    rotated: bool,
    trimmed: bool,
    sprite_source_size: Rect,
    source_size: Extent,
    /// Milliseconds.
    duration: u32,
}

#[derive(Clone, Copy, Serialize)]
struct Rect {
    x: u32,
    y: u32,
    w: u32,
    h: u32,
}

#[derive(Serialize)]
struct Extent {
    w: u32,
    h: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AsepriteMeta<'a> {
    app: &'a str,
    version: &'a str,
    image: &'a str,
    format: &'a str,
    size: Extent,
    scale: &'a str,
    frame_tags: Vec<Tag>,
    slices: Vec<Slice>,
}

#[derive(Serialize)]
struct Tag {
    name: String,
    from: usize,
    to: usize,
    direction: &'static str,
}

#[derive(Serialize)]
struct Slice {
    name: &'static str,
    keys: Vec<Key>,
}

#[derive(Serialize)]
struct Key {
    frame: usize,
    bounds: Rect,
    pivot: Pivot,
}

#[derive(Serialize)]
struct Pivot {
    x: i32,
    y: i32,
}

impl SpriteSet {
    /// Describes a sheet of this set, which was drawn as `sprites` says. `model` and `image` are the names of
    /// the model and of the sheet's file.
    #[must_use]
    pub fn describe(
        &self,
        sprites: &Sprites,
        sheet: &Sheet,
        schema: Schema,
        [model, image]: [&str; 2],
    ) -> String {
        let text = match schema {
            Schema::Plain => {
                serde_json::to_string_pretty(&self.plain(sprites, sheet, model, image))
            }
            Schema::Aseprite => serde_json::to_string_pretty(&self.aseprite(sheet, model, image)),
        };
        text.expect("these are numbers and texts") + "\n"
    }

    fn plain<'a>(
        &'a self,
        sprites: &Sprites,
        sheet: &Sheet,
        model: &str,
        image: &'a str,
    ) -> Plain<'a> {
        let mut described = Vec::new();
        for ((cell, rect), offset) in self.cells.iter().zip(&sheet.rects).zip(&sheet.offsets) {
            let sprite = |direction: u32, mirrored: bool| {
                let [width, _] = self.size;
                // The mirror image of the whole cell.
                let (left, pivot) = if mirrored {
                    (width - offset[0] - rect[2], width as f32 - self.pivot[0])
                } else {
                    (offset[0], self.pivot[0])
                };
                PlainSprite {
                    name: self.name(model, cell, direction),
                    clip: &self.clips[cell.clip].0,
                    frame: cell.frame,
                    direction,
                    azimuth: 360.0 * f64::from(direction) / f64::from(sprites.directions),
                    rect: *rect,
                    offset: [left, offset[1]],
                    pivot: [pivot - left as f32, self.pivot[1] - offset[1] as f32],
                    seconds: cell.seconds,
                    mirrored,
                }
            };
            described.push(sprite(cell.direction, false));
            described.extend(cell.mirrored.map(|direction| sprite(direction, true)));
        }
        let clips = self.clips.iter().enumerate().map(|(number, (name, frames))| {
            let own = |cell: &&Cell| cell.clip == number && cell.direction == 0;
            let seconds = self.cells.iter().filter(own).map(|cell| cell.seconds).sum();
            PlainClip { name, frames: *frames, seconds }
        });
        Plain {
            image,
            size: [sheet.image.width(), sheet.image.height()],
            cell: self.size,
            pivot: self.pivot,
            directions: sprites.directions,
            clips: clips.collect(),
            sprites: described,
        }
    }

    fn aseprite<'a>(&self, sheet: &Sheet, model: &str, image: &'a str) -> Aseprite<'a> {
        let whole = Rect { x: 0, y: 0, w: self.size[0], h: self.size[1] };
        let (mut frames, mut tags, mut keys): (Vec<_>, Vec<Tag>, Vec<Key>) = Default::default();
        let mut passed = 0.0;
        for ((cell, rect), offset) in self.cells.iter().zip(&sheet.rects).zip(&sheet.offsets) {
            let [x, y, w, h] = *rect;
            if cell.frame == 0 {
                passed = 0.0;
                let clip = &self.clips[cell.clip].0;
                let name = format!("{clip}-{}", cell.direction);
                let from = frames.len();
                tags.push(Tag { name, from, to: from, direction: "forward" });
            }
            if let Some(tag) = tags.last_mut() {
                tag.to = frames.len();
            }
            // Whole milliseconds that make up for what they round.
            let begin = f64::round(passed * 1000.0);
            passed += cell.seconds;
            let pivot = self.pivot.map(|x| x.round() as i32);
            keys.push(Key {
                frame: frames.len(),
                bounds: whole,
                pivot: Pivot { x: pivot[0], y: pivot[1] },
            });
            frames.push(AsepriteFrame {
                filename: self.name(model, cell, cell.direction),
                frame: Rect { x, y, w, h },
                rotated: false,
                trimmed: [w, h] != self.size,
                sprite_source_size: Rect { x: offset[0], y: offset[1], w, h },
                source_size: Extent { w: whole.w, h: whole.h },
                duration: (f64::round(passed * 1000.0) - begin) as u32,
            });
        }
        let format = match sheet.image.pixels() {
            Pixels::Rgba(_) => "RGBA8888",
            Pixels::Indexed { .. } => "I8",
        };
        let size = Extent { w: sheet.image.width(), h: sheet.image.height() };
        let meta = AsepriteMeta {
            app: "polyset",
            version: env!("CARGO_PKG_VERSION"),
            image,
            format,
            size,
            scale: "1",
            frame_tags: tags,
            slices: vec![Slice { name: "pivot", keys }],
        };
        Aseprite { frames, meta }
    }

    fn name(&self, model: &str, cell: &Cell, direction: u32) -> String {
        format!("{model}-{}-{direction}-{:04}", self.clips[cell.clip].0, cell.frame)
    }
}
