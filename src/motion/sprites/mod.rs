//! A model seen from all sides as flat pictures: directions by frames of clips, on a sheet or as files that
//! Doom's engines read.
//!
//! The model turns under a fixed light and a parallel camera, about the vertical through its origin: the
//! origin is the pivot, at the same place of every cell. `cell` cuts, `sheet` lays out,
//! `description` tells where everything is, `doom` names.

mod cell;
mod description;
mod doom;
mod sheet;

use std::collections::BTreeSet;

use super::crew::Crew;
use super::turn::turn_model;
use super::write::MotionError;
use super::{Motion, Step};
use glam::Vec3;

use crate::camera::Camera;
use crate::error::RequestError;
use crate::raster::MAX_SIDE;
use crate::scene::framing::Framed;
use crate::scene::{Drawing, FrameOn, Opened, RendererKind, Scene};

pub use cell::Cell;
pub use description::Schema;
pub use doom::{DoomSprite, doom_sprites};
pub use sheet::{Sheet, SheetOptions, lay_out};

/// From where sprites are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SpriteView {
    /// 30 degrees above the horizon: what lies on the ground is half as high as wide.
    #[default]
    Isometric,
    /// From straight above.
    TopDown,
    /// At eye level, as the pictures of Doom's things.
    Doom,
}

impl SpriteView {
    /// Every view with its name.
    pub const NAMES: [(Self, &'static str); 3] =
        [(Self::Isometric, "isometric"), (Self::TopDown, "top-down"), (Self::Doom, "doom")];

    /// Degrees above the horizon.
    #[must_use]
    pub fn elevation(self) -> f32 {
        match self {
            Self::Isometric => 30.0,
            Self::TopDown => 90.0,
            Self::Doom => 0.0,
        }
    }
}

/// Which sprites are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprites {
    /// From where.
    pub view: SpriteView,
    /// How many sides the model is seen from, evenly around it.
    pub directions: u32,
    /// Those of the model's right side are those of its left side, mirrored.
    pub mirror: bool,
    /// Pixels for a unit of the model, rather than cells that the model fills.
    pub scale: Option<f32>,
    /// Every pixel becomes a square of so many.
    pub enlarge: u32,
    /// How clips are played.
    pub fps: Option<f64>,
    /// How many times faster than in the engine.
    pub speed: f64,
}

/// Pixels that all cells may have together.
const MAX_SPRITE_PIXELS: u64 = 1 << 26;

/// The clips of a set of sprites, drawn.
#[derive(Clone, Debug)]
pub struct SpriteSet {
    /// Direction by direction, clip by clip, frame by frame.
    pub cells: Vec<Cell>,
    /// The clips in their order: name and number of frames.
    pub clips: Vec<(String, usize)>,
    /// Width and height of a cell before it is cut, in pixels.
    pub size: [u32; 2],
    /// Where the model's origin is in every whole cell, in pixels from its upper left corner.
    pub pivot: [f32; 2],
    /// What is odd about the pictures, each once.
    pub warnings: Vec<String>,
}

impl Sprites {
    /// Draws the sprites of some clips, or of the scene's moment if there are none. `tell` hears how many of
    /// how many pictures are done.
    ///
    /// # Errors
    /// If a clip does not exist, the scene says where its camera is, or the cells are too many.
    pub fn draw(
        &self,
        scene: &Scene,
        clips: &[String],
        crew: &Crew<'_>,
        tell: &dyn Fn(usize, usize),
    ) -> Result<SpriteSet, MotionError> {
        let opened = crew.opened();
        self.check(scene)?;
        let mut seen = scene.clone();
        seen.camera.orthographic = true;
        seen.camera.azimuth = Some(scene.camera.azimuth.unwrap_or(0.0));
        seen.camera.elevation = Some(scene.camera.elevation.unwrap_or(self.view.elevation()));
        let mut framed = Framed::nothing();
        let films = self.films(&seen, clips, opened, &mut framed)?;
        let [x, y, _] = seen.placement.origin.unwrap_or_default();
        let seen = self.sized(seen.with_camera_around(&framed, [x, y])?)?;
        let sides = self.drawn_directions();
        let frames: usize = films.iter().map(|(_, steps)| steps.len()).sum();
        let count = sides as usize * frames;
        let [width, height] =
            seen.picture_size().map(|side| u64::from(side) * u64::from(self.enlarge));
        let pixels = width.saturating_mul(height).saturating_mul(count as u64);
        if pixels > MAX_SPRITE_PIXELS {
            return Err(RequestError::new(format!(
                "{count} cells of {width} x {height} pixels are more than {MAX_SPRITE_PIXELS} pixels; \
                 give fewer clips or directions, a smaller --size, or a lower --fps"
            ))
            .into());
        }
        let mut scenes: Vec<Scene> = Vec::with_capacity(count);
        let mut plan: Vec<(u32, usize, usize, f64)> = Vec::with_capacity(count);
        for side in 0..sides {
            for (clip, (_, steps)) in films.iter().enumerate() {
                for (frame, step) in steps.iter().enumerate() {
                    let mut scene = step.scene.clone();
                    scene.take_camera_of(&seen);
                    scene.size = seen.size;
                    turn_model(
                        &mut scene,
                        [x, y],
                        -360.0 * f64::from(side) / f64::from(self.directions),
                    );
                    scenes.push(scene);
                    plan.push((side, clip, frame, step.seconds));
                }
            }
        }
        crew.free_background(&mut scenes.iter_mut().collect::<Vec<_>>())?;
        let mut cells = Vec::with_capacity(count);
        let mut warnings: BTreeSet<String> = BTreeSet::new();
        for chunk in (0..count).collect::<Vec<_>>().chunks(crew.batch(seen.picture_size())) {
            let batch: Vec<&Scene> = chunk.iter().map(|&number| &scenes[number]).collect();
            let make = |place: usize, drawing: Drawing| {
                let (direction, clip, frame, seconds) = plan[chunk[place]];
                let image = cell::enlarged(&drawing.image, self.enlarge);
                let cell = Cell { image, direction, clip, frame, seconds, mirrored: None };
                Ok((cell, drawing.warnings))
            };
            for (cell, odd) in crew.draw(&batch, make)? {
                cells.push(cell);
                warnings.extend(odd);
            }
            tell(cells.len(), count);
        }
        self.name_mirrored(&mut cells);
        Ok(SpriteSet {
            cells,
            clips: films.into_iter().map(|(name, steps)| (name, steps.len())).collect(),
            size: seen.picture_size().map(|side| side * self.enlarge),
            pivot: self.pivot(&seen)?,
            warnings: warnings.into_iter().collect(),
        })
    }

    /// # Errors
    /// If the scene says what sprites say for themselves.
    fn check(&self, scene: &Scene) -> Result<(), RequestError> {
        if scene.renderer == RendererKind::Classic {
            return Err(RequestError::new(
                "sprites have a parallel camera, which --renderer classic does not have",
            ));
        }
        if scene.camera.position.is_some() || scene.engine.view_weapon {
            return Err(RequestError::new(
                "sprites find their own place for the camera; leave --camera-position and \
                 --view-weapon out",
            ));
        }
        if self.enlarge == 0 {
            return Err(RequestError::new("--enlarge 0 leaves nothing; give 1 or more"));
        }
        let is_odd = self.directions < 2 || !self.directions.is_multiple_of(2);
        if self.mirror && is_odd {
            return Err(RequestError::new("--mirror needs an even number of directions"));
        }
        Ok(())
    }

    /// The steps of every clip; and, into `framed`, what the camera shows the whole of.
    ///
    /// # Errors
    /// If a clip does not exist.
    fn films<'o>(
        &self,
        seen: &Scene,
        clips: &[String],
        opened: &'o Opened,
        framed: &mut Framed<'o>,
    ) -> Result<Vec<(String, Vec<Step>)>, RequestError> {
        let motion = Motion { fps: self.fps, speed: self.speed, ..Motion::default() };
        let mut scenes: Vec<Scene> = clips
            .iter()
            .map(|clip| {
                let mut scene = seen.clone();
                scene.moment.animation = Some(clip.clone());
                scene
            })
            .collect();
        if scenes.is_empty() {
            scenes.push(seen.clone());
        }
        let film = |mut scene: Scene| {
            let is_still = scene.moment.frames.is_some() || scene.moment.seconds.is_some();
            let usual = if is_still { FrameOn::Pose } else { FrameOn::Clip };
            scene.camera.frame_on = Some(scene.camera.frame_on.unwrap_or(usual));
            framed.add(scene.framed(opened)?);
            if is_still {
                return Ok(("still".to_owned(), vec![Step { scene, seconds: STILL }]));
            }
            let name = opened.playing(&scene)?.first().map(|clip| clip.name().to_owned());
            let steps = motion.of_clip(&scene, opened)?;
            Ok((name.unwrap_or_else(|| "still".to_owned()), steps))
        };
        scenes.into_iter().map(film).collect()
    }

    /// The cells as large as the scale makes them, if it was said.
    ///
    /// # Errors
    /// If that is too large.
    fn sized(&self, mut seen: Scene) -> Result<Scene, RequestError> {
        let [width, height] = seen.picture_size();
        let camera = &mut seen.camera;
        if let (Some(scale), Some(position), Some(focal)) =
            (self.scale, camera.position, camera.focal_point)
        {
            let distance = (Vec3::from(position) - Vec3::from(focal)).length();
            let angle = camera.view_angle.unwrap_or(Camera::DEFAULT_VIEW_ANGLE);
            let half = distance * libm::tan(f64::from(angle).to_radians() / 2.0) as f32;
            let half_width = half * width as f32 / height as f32;
            let side = (2.0 * half.max(half_width) * scale).ceil();
            if !(1.0..=MAX_SIDE as f32).contains(&side) {
                return Err(RequestError::new(format!(
                    "with --scale {scale} a cell would have {side} pixels a side, of {MAX_SIDE} at most"
                )));
            }
            seen.size = Some([side as u32; 2]);
            let wanted = side / (2.0 * scale);
            camera.zoom = Some(camera.zoom.unwrap_or(1.0) * half / wanted);
        } else {
            seen.size = Some([width, height]);
        }
        Ok(seen)
    }

    /// How many directions are drawn: what is mirrored is not.
    fn drawn_directions(&self) -> u32 {
        if self.mirror { self.directions / 2 + 1 } else { self.directions }
    }

    /// Says which cells stand for the other side too.
    fn name_mirrored(&self, cells: &mut [Cell]) {
        if !self.mirror {
            return;
        }
        for cell in cells {
            let other = self.directions - cell.direction;
            let is_between = cell.direction > 0 && other != cell.direction;
            cell.mirrored = is_between.then_some(other);
        }
    }

    /// Where the model's origin is in a cell, in pixels from its upper left corner.
    fn pivot(&self, seen: &Scene) -> Result<[f32; 2], RequestError> {
        let [width, height] = seen.picture_size().map(|side| side as f32);
        let origin = seen.placement.origin.unwrap_or_default();
        let camera = seen.camera.camera(&[])?.resolve_around(|| [origin; 2], width / height);
        let point = camera.clip.project_point3(origin.into());
        let pixels = [(point.x + 1.0) * 0.5 * width, (1.0 - point.y) * 0.5 * height];
        Ok(pixels.map(|x| x * self.enlarge as f32))
    }
}

/// Seconds that a single pose is shown.
const STILL: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Image;

    /// One frame of 2 x 2 pixels from so many sides.
    fn set(directions: u32) -> SpriteSet {
        let image = Image::from_rgba(2, 2, vec![255; 16]).unwrap();
        let cell = |direction| Cell {
            image: image.clone(),
            direction,
            clip: 0,
            frame: 0,
            seconds: 0.1,
            mirrored: None,
        };
        SpriteSet {
            cells: (0..directions).map(cell).collect(),
            clips: vec![("stand".into(), 1)],
            size: [2, 2],
            pivot: [1.0, 1.0],
            warnings: Vec::new(),
        }
    }

    #[test]
    fn a_set_of_more_directions_is_refused() {
        assert_eq!(doom_sprites(&set(16), 16, "TROO").unwrap().len(), 16);
        for directions in [1, 8] {
            let error = doom_sprites(&set(16), directions, "TROO").unwrap_err().to_string();
            assert!(error.contains(&format!("more than {directions} directions")), "{error}");
        }
    }

    #[test]
    fn sheets_that_are_too_large_are_refused() {
        let most = u32::MAX;
        for (padding, extrude, expected) in [
            (0, most, "more than 16384 pixels around"),
            (0, 1 << 31, "more than 16384 pixels around"),
            (most, 0, "more than 16384 pixels around"),
            (0, 16384, "the sheet would be"),
        ] {
            let options = SheetOptions { trim: false, padding, extrude };
            let error = lay_out(&set(3), options).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
