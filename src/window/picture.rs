//! The model and its picture: draws the scene of the moment at the picture's own size.

use std::sync::Arc;

use super::marks::{self, Marks};
use super::orbit::Orbit;
use super::present::{Placement, Surface};
use super::state::State;
use crate::camera::Camera;
use crate::error::RequestError;
use crate::image::{Image, Palette};
use crate::look::{Draw, Samples};
use crate::model::Model;
use crate::pose::Pose;
use crate::raster::{Instance, Renderer, StageStats};
use crate::scene::{Drawn, ModelPlacement, Opened, RendererKind, Scene, SceneCamera, Studio};

/// The classic renderer cuts what is nearer than 5 units.
const CLASSIC_NEAREST: f32 = 5.5;
/// Beside the picture, where the window is larger.
const BORDER: u32 = 0;

/// The model and the last picture of it.
#[derive(Debug)]
pub(crate) struct Picture {
    opened: Option<Opened>,
    /// Counts models and skins.
    generation: u64,
    studio: Studio,
    /// The last marks, and what they followed from.
    pub(super) marked: Option<(marks::Cause, Arc<Marks>)>,
    /// Draws for [`Picture::depth`].
    depth_studio: Option<Studio>,
    pose: Pose,
    /// Why there is no picture.
    error: Option<String>,
    /// What the picture that is there was drawn from; an equal one need not be drawn again.
    drawn: Option<(u64, Scene)>,
}

impl Picture {
    pub(crate) fn new(renderer: Renderer) -> Self {
        Self {
            opened: None,
            generation: 0,
            studio: Studio::new(renderer),
            marked: None,
            depth_studio: None,
            pose: Pose::default(),
            error: None,
            drawn: None,
        }
    }

    /// Counts models and skins that were shown.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn model(&self) -> Option<&Model> {
        self.opened.as_ref().map(|opened| &opened.model)
    }

    pub(crate) fn opened(&self) -> Option<&Opened> {
        self.opened.as_ref()
    }

    /// How many pixels of the picture are other ones than another picture's.
    pub(crate) fn count_differences(&self, other: &Self) -> usize {
        let [a, b] = [self, other].map(Self::pixels_0rgb);
        a.iter().zip(&b).filter(|(a, b)| a != b).count()
    }

    fn pixels_0rgb(&self) -> Vec<u32> {
        let Some((_, scene)) = &self.drawn else { return Vec::new() };
        let [width, height] = scene.picture_size();
        let mut surface = Surface::default();
        surface.resize(width as usize, height as usize);
        let placement = Placement::new([width, height], [width, height], 1.0);
        self.show([0; 3], placement, &mut surface);
        surface.pixels
    }

    /// The picture that is there.
    pub(crate) fn drawn(&self) -> Option<Drawn<'_>> {
        let (_, scene) = self.drawn.as_ref().filter(|_| self.error.is_none())?;
        self.opened.as_ref().and_then(|_| self.studio.drawn(scene.renderer))
    }

    /// How far away every pixel of a scene is, row by row, from 0 to 1; with either renderer as the precise
    /// one has it.
    pub(crate) fn depth(&mut self, scene: &Scene) -> Vec<f32> {
        let mut scene = scene.clone();
        (scene.renderer, scene.look.draw) = (RendererKind::Precise, Draw::Flat);
        scene.look.samples = Samples::default();
        let Some(opened) = &mut self.opened else { return Vec::new() };
        let studio =
            self.depth_studio.get_or_insert_with(|| Studio::new(Renderer::new()).with_depth());
        if studio.paint(&scene, opened).is_err() {
            return Vec::new();
        }
        match studio.drawn(scene.renderer) {
            Some(Drawn::Precise(frame)) => {
                frame.depth_rows().into_iter().flatten().flatten().copied().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Another model, or none.
    pub(crate) fn set(&mut self, opened: Option<Opened>) {
        self.opened = opened;
        self.generation += 1;
    }

    /// Puts on what the scene says of skins and palette.
    pub(crate) fn dress(&mut self, scene: &Scene) -> Result<(), String> {
        let Some(opened) = &mut self.opened else { return Ok(()) };
        self.generation += 1;
        opened.dress(scene).map_err(|error| error.to_string())
    }

    /// The pose at the state's time; of several models their vertices where they stand.
    pub(crate) fn pose(&mut self, state: &State) -> &Pose {
        let Some(opened) = &self.opened else { return &self.pose };
        if opened.parts.is_empty() {
            opened.model.pose_into(state.blend(), &mut self.pose);
            return &self.pose;
        }
        let mut scene = state.scene(false);
        scene.placement = ModelPlacement::default();
        if let Ok(assembly) = opened.assembly(&scene) {
            let instances: Vec<Instance<'_>> = assembly.instances().collect();
            let stands = instances.iter().map(|instance| (instance.pose, &instance.transform));
            self.pose.gather(stands);
        }
        &self.pose
    }

    /// The camera that `wanted` is in front of this pose, which comes with it, and why it is not.
    pub(crate) fn camera(
        &mut self,
        state: &State,
        wanted: &SceneCamera,
    ) -> (Camera, &Pose, Option<String>) {
        self.pose(state);
        let pose = &self.pose;
        let instance = self.opened.as_ref().map(|opened| Instance::new(&opened.model, pose));
        match wanted.camera(instance.as_slice()) {
            Ok(camera) => (camera, pose, None),
            Err(error) => (Camera::framing(pose), pose, Some(error.to_string())),
        }
    }

    /// The scene that the state shows, for this model.
    pub(crate) fn scene(&mut self, state: &State) -> Scene {
        let has_animated_skin = self.opened.as_ref().is_some_and(Opened::has_animated_skin);
        let mut scene = state.scene(has_animated_skin);
        if scene.renderer == RendererKind::Classic || state.is_far {
            let pixel_aspect = scene.camera.pixel_aspect;
            scene.camera = SceneCamera { pixel_aspect, ..self.far_orbit(state).scene_camera() };
        }
        scene
    }

    /// The camera, far enough away for the classic renderer.
    fn far_orbit(&mut self, state: &State) -> Orbit {
        let yaw = state.yaw();
        state.orbit.not_nearer(self.pose(state), yaw, CLASSIC_NEAREST)
    }

    /// What the stages of the last picture took.
    pub(crate) fn stats(&self) -> &[StageStats] {
        self.studio.stats()
    }

    /// Makes the picture that the state shows; returns whether it had to be drawn.
    pub(crate) fn draw(&mut self, state: &State) -> bool {
        let scene = self.scene(state);
        self.draw_scene(scene)
    }

    /// Makes this picture; returns whether it had to be drawn.
    pub(crate) fn draw_scene(&mut self, scene: Scene) -> bool {
        let cause = (self.generation, scene);
        if self.drawn.as_ref() == Some(&cause) {
            return false;
        }
        let painted = match &mut self.opened {
            Some(opened) => self.studio.paint(&cause.1, opened),
            None => Ok(()),
        };
        // Such as several models with the classic renderer. It is not tried again until something changes.
        self.error = painted.err().map(|error| error.to_string());
        self.drawn = Some(cause);
        true
    }

    /// Why the last picture could not be drawn.
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The picture enlarged in the window.
    pub(crate) fn show(&self, background: [u8; 3], placement: Placement, surface: &mut Surface) {
        let Some((_, scene)) = self.drawn.as_ref().filter(|_| self.error.is_none()) else {
            surface.pixels.fill(BORDER);
            return;
        };
        match self.drawn() {
            Some(Drawn::Classic(frame)) => {
                let colors = colors_0rgb(frame.palette());
                let rows = frame.indices().chunks_exact(frame.width() as usize);
                surface.show(rows, placement, BORDER, |index: u8| colors[usize::from(index)]);
            }
            Some(Drawn::Precise(frame)) => match frame.palette().map(|p| colors_0rgb(p)) {
                Some(colors) => surface.show(frame.rows(), placement, BORDER, |pixel: u32| {
                    colors[(pixel & 0xff) as usize]
                }),
                None => surface.show(frame.rows(), placement, BORDER, |pixel: u32| {
                    let [r, g, b, _] = pixel.to_le_bytes();
                    u32::from_be_bytes([0, r, g, b])
                }),
            },
            None => {
                let [width, height] = scene.picture_size().map(|side| side as usize);
                let row = vec![background; width];
                let rows = std::iter::repeat_n(row.as_slice(), height);
                surface.show(rows, placement, BORDER, |[r, g, b]| u32::from_be_bytes([0, r, g, b]));
            }
        }
    }

    /// The picture alone, at its own size.
    pub(crate) fn image(&mut self) -> Result<Image, RequestError> {
        let none = || RequestError::new("there is no picture yet");
        let (_, scene) = self.drawn.clone().ok_or_else(none)?;
        let opened = self.opened.as_mut().ok_or_else(none)?;
        Ok(self.studio.draw(&scene, opened)?.image)
    }
}

fn colors_0rgb(palette: &Palette) -> [u32; 256] {
    palette.colors().map(|[r, g, b]| u32::from_be_bytes([0, r, g, b]))
}

/// The window as a picture.
pub(crate) fn image_of(surface: &Surface) -> Option<Image> {
    let rgba = surface.pixels.iter().flat_map(|&pixel| {
        let [_, r, g, b] = pixel.to_be_bytes();
        [r, g, b, 255]
    });
    Image::from_rgba(surface.width as u32, surface.height as u32, rgba.collect()).ok()
}
