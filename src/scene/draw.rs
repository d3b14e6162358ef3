//! Draws scenes, with either renderer.

use std::io;
use std::path::Path;
use std::time::Instant;

use super::background::Clear;
use super::{Opened, RendererKind, Scene};
use crate::camera::Camera;
use crate::error::RequestError;
use crate::image::Image;
use crate::look::{ColorMode, Cull, Look};
use crate::model::{Blend, Format, Model, Surface};
use crate::output::{WriteError, write_file};
use crate::pose::Pose;
use crate::raster::{
    ClassicFrame, ClassicRenderer, ClassicScene, ClassicStats, DrawError, Framebuffer, Instance,
    Renderer, StageStats, View,
};

/// Draws scenes. Keeps renderers and buffers from picture to picture.
#[derive(Debug)]
pub struct Studio {
    renderer: Renderer,
    classic: ClassicRenderer,
    keeps_depth: bool,
    /// Instead of those of the scenes.
    camera: Option<Camera>,
    /// Of the last picture's models.
    poses: Vec<Pose>,
    frame: Option<Framebuffer>,
    classic_frame: Option<ClassicFrame>,
    /// What the frame of the last picture was cleared with.
    clear: Clear,
    stats: Vec<StageStats>,
    counts: Option<ClassicStats>,
}

/// A picture that was drawn.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Drawing {
    /// RGBA, or palette indices.
    pub image: Image,
    /// Depth row by row, little-endian, if [`Studio::with_depth`]: `f32` from 0 (near) to 1 (far), of
    /// the classic renderer `i16`, larger is nearer.
    pub depth: Option<Vec<u8>>,
    /// What is odd about the picture.
    pub warnings: Vec<String>,
    /// What every stage took in, gave out, and how long it took.
    pub stats: Vec<StageStats>,
    /// What the classic renderer counted.
    pub counts: Option<ClassicStats>,
}

impl Drawing {
    /// Writes the picture as PNG. It says that polyset drew it: such a picture is never taken for a
    /// texture unless it is given.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn encode_png(&self, out: &mut impl io::Write) -> io::Result<()> {
        self.image.encode_drawn(out)
    }

    /// [`Drawing::encode_png`] to a file, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        self.image.save_drawn(path)
    }

    /// Writes the depth to a file, whole or not at all; an empty one without
    /// [`Studio::with_depth`].
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_depth(&self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        let bytes = self.depth.as_deref().unwrap_or_default();
        write_file(path, |out| out.write_all(bytes))
    }
}

/// The frame of the last picture.
#[derive(Clone, Copy, Debug)]
pub enum Drawn<'a> {
    /// Of the precise renderer.
    Precise(&'a Framebuffer),
    /// Of the classic renderer.
    Classic(&'a ClassicFrame),
}

impl Studio {
    /// Draws with `renderer`, or the classic one where a scene asks for it.
    #[must_use]
    pub fn new(renderer: Renderer) -> Self {
        let classic = ClassicRenderer::new().with_kernel(renderer.kernel());
        let classic = match renderer.max_work() {
            Some(pixels) => classic.with_max_work(pixels),
            None => classic,
        };
        Self {
            renderer,
            classic,
            keeps_depth: false,
            camera: None,
            poses: Vec::new(),
            frame: None,
            classic_frame: None,
            clear: Clear::Color([0; 4]),
            stats: Vec::new(),
            counts: None,
        }
    }

    /// Draws on the thread that asks for pictures alone, beside other studios.
    #[cfg(feature = "motion")]
    pub(crate) fn on_one_thread(self) -> Self {
        Self { renderer: self.renderer.on_one_thread(), ..self }
    }

    /// Lets the textures of earlier pictures go: see [`Renderer::forget_textures`].
    pub fn forget_textures(&mut self) {
        self.renderer.forget_textures();
    }

    /// Keeps the depth of every pixel too.
    #[must_use]
    pub fn with_depth(self) -> Self {
        Self { keeps_depth: true, ..self }
    }

    /// Takes the pictures of the precise renderer from here, wherever scenes say, until `None` is given:
    /// for pictures that are to be laid side by side.
    pub fn set_camera(&mut self, camera: Option<Camera>) {
        self.camera = camera;
    }

    /// Draws the picture. `opened` is what [`Scene::open`] gave for it, or for another scene that reads the
    /// same: of the same source and the same parts, both with shader scripts or both without, and of an MD5
    /// both with an animation or both without, unless [`Anims::All`](super::Anims::All) were read.
    ///
    /// # Errors
    /// If the scene asks for a frame or animation that the model does not have, or for a picture that
    /// cannot be drawn.
    pub fn draw(&mut self, scene: &Scene, opened: &mut Opened) -> Result<Drawing, RequestError> {
        let scene = &*scene.with_steady_camera(opened)?;
        self.paint(scene, opened)?;
        let mut warnings = self.normals_out_of_range(scene, opened)?;
        if self.is_too_large(scene, opened)? {
            warnings.push("the model's coordinates are too large to be drawn".into());
        } else if self.is_empty(scene.renderer) {
            warnings.push(self.why_empty(scene, opened).into());
            self.paint(scene, opened)?;
        }
        let image = match scene.renderer {
            RendererKind::Precise => self.precise_image(&mut warnings),
            RendererKind::Classic => self.classic_image(scene, opened, &mut warnings)?,
        };
        let depth = self.keeps_depth.then(|| self.depth(scene.renderer)).flatten();
        Ok(Drawing { image, depth, warnings, stats: self.stats.clone(), counts: self.counts })
    }

    /// What the frames that are drawn have in normals that do not exist.
    fn normals_out_of_range(
        &self,
        scene: &Scene,
        opened: &Opened,
    ) -> Result<Vec<String>, RequestError> {
        let mut found = Vec::new();
        for ((name, own), Blend { from, to, .. }) in opened.members().zip(opened.blends(scene)?) {
            let frames = if from == to { vec![from] } else { vec![from, to] };
            let name = if opened.parts.is_empty() { String::new() } else { format!("{name}: ") };
            let warnings = frames.into_iter().flat_map(|f| own.model.check_frames(f..f + 1));
            found.extend(warnings.map(|warning| format!("{name}{warning}")));
        }
        Ok(found)
    }

    /// Whether the pose of the last picture has coordinates that no picture can be made of.
    fn is_too_large(&self, scene: &Scene, opened: &Opened) -> Result<bool, RequestError> {
        let is_ordinary =
            |pose: &Pose| pose.bounds().as_flattened().iter().all(|x| x.abs() < TOO_LARGE);
        Ok(!match scene.renderer {
            RendererKind::Precise => self.poses.iter().all(is_ordinary),
            RendererKind::Classic => {
                is_ordinary(&opened.model.pose_blend(scene.blend(&opened.model)?))
            }
        })
    }

    /// Whether the last picture shows its background alone.
    fn is_empty(&self, renderer: RendererKind) -> bool {
        match self.drawn(renderer) {
            Some(Drawn::Precise(frame)) => {
                let cleared = match self.clear {
                    Clear::Color(rgba) => u32::from_le_bytes(rgba),
                    Clear::TransparentIndex(index) | Clear::OpaqueIndex(index) => index.into(),
                };
                frame.rows().flatten().all(|&pixel| pixel == cleared)
            }
            Some(Drawn::Classic(_)) => self.counts.is_none_or(|counts| counts.tested == 0),
            None => true,
        }
    }

    /// Why the picture of the scene shows its background alone.
    fn why_empty(&mut self, scene: &Scene, opened: &mut Opened) -> &'static str {
        if opened.triangle_count() == 0 {
            return "nothing is drawn: the model has no triangles";
        }
        let is_hidden = |member: &Opened| {
            let entries = &member.textures.textures;
            !entries.is_empty() && entries.iter().all(|entry| entry.hidden)
        };
        if opened.members().all(|(_, member)| is_hidden(member)) {
            return "nothing is drawn: a .skin file, a shader script or a material hides every surface";
        }
        let mut shows = |change: fn(&mut Scene)| {
            let mut changed = scene.clone();
            change(&mut changed);
            scene.renderer == RendererKind::Precise
                && self.paint(&changed, opened).is_ok()
                && !self.is_empty(RendererKind::Precise)
        };
        if scene.background.is_some() && shows(|scene| scene.background = None) {
            "all that is drawn has the colour of the background"
        } else if shows(|scene| scene.look.cull = Cull::None) {
            "nothing is drawn: all faces that could be seen face away; --cull none shows them"
        } else {
            "nothing is drawn: the model is outside of the picture, or smaller than its pixels"
        }
    }

    /// Draws into the frame of the scene's renderer, and makes no picture of it: see [`Studio::drawn`].
    ///
    /// # Errors
    /// As [`Studio::draw`].
    pub fn paint(&mut self, scene: &Scene, opened: &mut Opened) -> Result<(), RequestError> {
        let scene = &*scene.with_steady_camera(opened)?;
        opened.animate_skin(scene.moment.clock.unwrap_or(0.0));
        self.stats.clear();
        self.counts = None;
        match scene.renderer {
            RendererKind::Precise => self.paint_precise(scene, opened),
            RendererKind::Classic => self.paint_classic(scene, opened),
        }
    }

    fn paint_precise(&mut self, scene: &Scene, opened: &Opened) -> Result<(), RequestError> {
        let start = Instant::now();
        let assembly = opened.assemble(scene, std::mem::take(&mut self.poses))?;
        let instances: Vec<Instance<'_>> = assembly.instances().collect();
        let models = instances.iter().map(|instance| instance.model);
        let frames = models.clone().map(Model::frame_count).sum();
        let vertices = models.flat_map(Model::surfaces).map(Surface::vertex_count).sum();
        self.stats.push(stage("pose", frames, vertices, start));
        let camera = match &self.camera {
            Some(camera) => camera.clone(),
            None => scene.precise_camera(&instances)?,
        };
        let view = View::new(camera)
            .color(scene.color_mode())
            .palette(opened.palette.clone())
            .colormap(opened.colormap.clone())
            .samples(scene.look.samples)
            .time(scene.moment.clock.unwrap_or(0.0));
        let frame = sized_frame(&mut self.frame, scene.picture_size(), self.keeps_depth)?;
        self.clear = scene.clear(&view.palette_of(&instances));
        match self.clear {
            Clear::Color(rgba) => frame.clear(rgba),
            Clear::TransparentIndex(index) | Clear::OpaqueIndex(index) => frame.clear_index(index),
        }
        self.renderer.draw(&view, &instances, frame)?;
        self.stats.extend(self.renderer.stats());
        drop(instances);
        self.poses = assembly.into_poses();
        Ok(())
    }

    fn paint_classic(&mut self, scene: &Scene, opened: &Opened) -> Result<(), RequestError> {
        opened.check_single()?;
        let model = &opened.model;
        let start = Instant::now();
        let entity = scene.classic_scene(opened)?;
        self.clear = scene.clear(&entity.palette_for(model));
        self.stats.push(stage("scene", model.frame_count(), 1, start));
        let start = Instant::now();
        let [width, height] = scene.picture_size();
        let kept = self.classic_frame.take();
        let kept = kept.filter(|frame| [frame.width(), frame.height()] == [width, height]);
        let mut frame = match kept {
            Some(frame) => frame,
            None => ClassicFrame::new(width, height)?,
        };
        frame.clear(classic_index(self.clear, scene));
        let counts = self.classic.draw(model, &entity, &mut frame);
        if let Some(limit) = self.renderer.max_work().filter(|limit| counts.tested > *limit) {
            return Err(DrawError::Work { pixels: counts.tested, limit }.into());
        }
        let (triangles, filled) = (counts.triangles as usize, counts.filled as usize);
        self.stats.push(stage("draw", triangles, filled, start));
        self.classic_frame = Some(frame);
        self.counts = Some(counts);
        Ok(())
    }

    /// The frame of the last picture that this renderer drew.
    #[must_use]
    pub fn drawn(&self, renderer: RendererKind) -> Option<Drawn<'_>> {
        match renderer {
            RendererKind::Precise => self.frame.as_ref().map(Drawn::Precise),
            RendererKind::Classic => self.classic_frame.as_ref().map(Drawn::Classic),
        }
    }

    /// What the stages of the last picture took.
    #[must_use]
    pub fn stats(&self) -> &[StageStats] {
        &self.stats
    }

    fn precise_image(&self, warnings: &mut Vec<String>) -> Image {
        let frame = self.frame.as_ref().expect("a picture was drawn");
        match self.clear {
            Clear::TransparentIndex(index) if frame.has_drawn_index(index) => {
                warnings.push(warning_of_drawn_background(index));
                frame.image()
            }
            Clear::TransparentIndex(index) => frame.image_with_transparent(index),
            Clear::Color(_) | Clear::OpaqueIndex(_) => frame.image(),
        }
    }

    fn classic_image(
        &mut self,
        scene: &Scene,
        opened: &Opened,
        warnings: &mut Vec<String>,
    ) -> Result<Image, RequestError> {
        let frame = self.classic_frame.as_ref().expect("a picture was drawn");
        let image = match self.clear {
            Clear::OpaqueIndex(_) => frame.image(None),
            Clear::TransparentIndex(index) => {
                let entity = scene.classic_scene(opened)?;
                let untouched = untouched(&mut self.classic, &opened.model, &entity, frame, index);
                let mut pixels = frame.indices().iter().zip(&untouched);
                if pixels.any(|(&pixel, &is_untouched)| pixel == index && !is_untouched) {
                    warnings.push(warning_of_drawn_background(index));
                    frame.image(None)
                } else {
                    frame.image(Some(index))
                }
            }
            Clear::Color(rgba) => {
                let entity = scene.classic_scene(opened)?;
                let index = classic_index(self.clear, scene);
                let untouched = untouched(&mut self.classic, &opened.model, &entity, frame, index);
                return Ok(on_color(frame, rgba, &untouched));
            }
        };
        Ok(if scene.color_mode() == ColorMode::Rgb { image.into_rgba() } else { image })
    }

    fn depth(&self, renderer: RendererKind) -> Option<Vec<u8>> {
        match renderer {
            RendererKind::Precise => {
                let rows = self.frame.as_ref()?.depth_rows()?;
                Some(rows.flatten().flat_map(|z| z.to_le_bytes()).collect())
            }
            RendererKind::Classic => {
                let depth = self.classic_frame.as_ref()?.depth();
                Some(depth.iter().flat_map(|z| z.to_le_bytes()).collect())
            }
        }
    }
}

impl Scene {
    /// How a model of this format is drawn.
    #[must_use]
    pub fn look(&self, format: Format) -> Look {
        let (standard, light) = (Look::of(format), &self.light);
        Look {
            draw: self.look.draw,
            lighting: light.style.unwrap_or(standard.lighting),
            light: light.direction.unwrap_or(standard.light),
            ambient: light.ambient.unwrap_or(standard.ambient),
            diffuse: light.diffuse.unwrap_or(standard.diffuse),
            light_level: light.level.unwrap_or(standard.light_level),
            filter: self.look.filter,
            perspective: self.look.perspective,
            cull: self.look.cull,
            alpha: self.look.alpha,
            stages: self.look.stages,
            colors: self.look.colors,
        }
    }
}

/// From here on the way to a camera that sees the whole model is no number any more.
const TOO_LARGE: f32 = 1e36;

fn stage(stage: &'static str, input: usize, output: usize, start: Instant) -> StageStats {
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    StageStats { stage, input: input as u64, output: output as u64, milliseconds }
}

/// The kept frame in this size, with depth if it is wanted.
fn sized_frame(
    kept: &mut Option<Framebuffer>,
    [width, height]: [u32; 2],
    with_depth: bool,
) -> Result<&mut Framebuffer, RequestError> {
    let fits = |frame: &Framebuffer| {
        let has_depth = frame.depth_rows().is_some();
        [frame.width(), frame.height()] == [width, height] && has_depth == with_depth
    };
    if !kept.as_ref().is_some_and(fits) {
        let frame = Framebuffer::new(width, height)?;
        *kept = Some(if with_depth { frame.with_depth() } else { frame });
    }
    Ok(kept.as_mut().expect("it was made"))
}

/// The index that the classic frame is cleared with.
fn classic_index(clear: Clear, scene: &Scene) -> u8 {
    match clear {
        Clear::TransparentIndex(index) | Clear::OpaqueIndex(index) => index,
        Clear::Color(_) => scene.empty_index(),
    }
}

fn warning_of_drawn_background(index: u8) -> String {
    format!(
        "the model has pixels of palette index {index}, which was to be transparent: \
         nothing is; choose another with --background-index"
    )
}

/// Where nothing was drawn: what follows when the background changes.
fn untouched(
    renderer: &mut ClassicRenderer,
    model: &Model,
    entity: &ClassicScene,
    frame: &ClassicFrame,
    index: u8,
) -> Vec<bool> {
    let other_index = index ^ 0x80;
    let mut other = frame.clone();
    other.clear(other_index);
    renderer.draw(model, entity, &mut other);
    let pairs = frame.indices().iter().zip(other.indices());
    pairs.map(|(&a, &b)| a == index && b == other_index).collect()
}

fn on_color(frame: &ClassicFrame, background: [u8; 4], untouched: &[bool]) -> Image {
    let palette = frame.palette();
    let pixels = frame.indices().iter().zip(untouched).flat_map(|(&index, &is_untouched)| {
        let [r, g, b] = palette.color(index);
        if is_untouched { background } else { [r, g, b, 255] }
    });
    Image::from_rgba(frame.width(), frame.height(), pixels.collect())
        .expect("as many pixels as the frame has")
}
