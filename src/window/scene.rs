//! The model and its picture: poses it, draws it with either renderer, at the picture's own size.

use std::sync::Arc;
use std::time::Instant;

use super::orbit::Orbit;
use super::present::{Placement, Surface};
use super::settings::Settings;
use super::source::RenderCommand;
use super::state::State;
use crate::image::{Image, Palette};
use crate::look::Look;
use crate::model::{Blend, Format, Model};
use crate::pose::Pose;
use crate::raster::{
    ClassicFrame, ClassicRenderer, ClassicScene, Framebuffer, Instance, Renderer, StageStats,
};
use crate::transform::Transform;

/// The classic renderer cuts what is nearer than 5 units.
const CLASSIC_NEAREST: f32 = 5.5;
/// Beside the picture, where the window is larger.
const BORDER: u32 = 0;

/// All that a picture depends on; equal ones need not be drawn again.
#[derive(Clone, Debug, PartialEq)]
struct Cause {
    /// Counts models and skins.
    generation: u64,
    settings: Settings,
    size: [u32; 2],
    blend: Blend,
    yaw: f32,
    orbit: Orbit,
    /// Picture of an animated skin.
    skin_picture: usize,
}

/// The model and the last picture of it.
#[derive(Debug)]
pub(crate) struct Scene {
    model: Option<Model>,
    generation: u64,
    /// The model wears a picture that does not lie in its file.
    foreign_skin: bool,
    skin_picture: usize,
    pose: Pose,
    renderer: Renderer,
    classic: ClassicRenderer,
    precise_frame: Option<Framebuffer>,
    classic_frame: Option<ClassicFrame>,
    /// Of the picture that is there.
    cause: Option<Cause>,
    stats: Vec<StageStats>,
}

impl Scene {
    pub(crate) fn new(renderer: Renderer) -> Self {
        Self {
            model: None,
            generation: 0,
            foreign_skin: false,
            skin_picture: 0,
            pose: Pose::default(),
            renderer,
            classic: ClassicRenderer::new(),
            precise_frame: None,
            classic_frame: None,
            cause: None,
            stats: Vec::new(),
        }
    }

    pub(crate) fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Another model, or none.
    pub(crate) fn set_model(&mut self, model: Option<Model>, skin: usize) {
        self.model = model;
        self.skin_changed(skin);
    }

    /// Changes the model's skin.
    pub(crate) fn dress(
        &mut self,
        skin: usize,
        dress: impl FnOnce(&mut Model) -> Result<(), String>,
    ) -> Result<(), String> {
        let Some(model) = &mut self.model else { return Ok(()) };
        let result = dress(model);
        self.skin_changed(skin);
        result
    }

    fn skin_changed(&mut self, skin: usize) {
        self.generation += 1;
        self.skin_picture = 0;
        self.foreign_skin = self.model.as_ref().is_some_and(|model| {
            let worn = model.surfaces().first().and_then(|surface| surface.texture());
            worn.is_some_and(|worn| model.skin_image(skin, 0.0).as_ref() != Some(&**worn))
        });
    }

    /// The pose at the state's time.
    pub(crate) fn pose(&mut self, state: &State) -> &Pose {
        if let Some(model) = &self.model {
            model.pose_into(state.blend(), &mut self.pose);
        }
        &self.pose
    }

    /// What the stages of the last picture took.
    pub(crate) fn stats(&self) -> &[StageStats] {
        &self.stats
    }

    /// Makes the picture that the state shows; returns whether it had to be drawn.
    pub(crate) fn draw(&mut self, state: &State) -> bool {
        self.animate_skin(state);
        let cause = Cause {
            generation: self.generation,
            settings: state.settings.clone(),
            size: state.picture_size(),
            blend: state.blend(),
            yaw: state.yaw(),
            orbit: self.orbit(state),
            skin_picture: self.skin_picture,
        };
        if self.cause.as_ref() == Some(&cause) {
            return false;
        }
        self.cause = None;
        let format = self.model.as_ref().map_or(Format::Parts, Model::format);
        let look = state.settings.look(format);
        let start = Instant::now();
        self.pose(state);
        let posed = start.elapsed();
        let drawn = if state.settings.classic {
            self.draw_classic(state, &look, &cause)
        } else {
            self.draw_precise(state, &look, &cause)
        };
        // A size that cannot be drawn is that of a window nobody can have.
        if drawn.is_some() {
            self.stats.insert(0, stage("pose", posed.as_secs_f64() * 1e3));
            self.cause = Some(cause);
        }
        true
    }

    /// The camera, far enough away for the renderer.
    fn orbit(&mut self, state: &State) -> Orbit {
        if !state.settings.classic {
            return state.orbit;
        }
        let yaw = state.yaw();
        let pose = self.pose(state);
        state.orbit.not_nearer(pose, yaw, CLASSIC_NEAREST)
    }

    fn draw_precise(&mut self, state: &State, look: &Look, cause: &Cause) -> Option<()> {
        let [width, height] = cause.size;
        let kept = self.precise_frame.take();
        let fits = kept.filter(|frame| [frame.width(), frame.height()] == cause.size);
        let mut frame = fits.or_else(|| Framebuffer::new(width, height).ok())?;
        let view = state.settings.view(cause.orbit.camera());
        let transform = Transform::yaw(cause.yaw);
        let instance = |model| Instance { model, pose: &self.pose, look: *look, transform };
        let instance = self.model.as_ref().map(instance);
        let [r, g, b] = state.settings.background;
        if state.settings.is_indexed() {
            frame.clear_index(view.palette_of(instance.as_slice()).nearest([r, g, b]));
        } else {
            frame.clear([r, g, b, 255]);
        }
        self.renderer.draw(&view, instance.as_slice(), &mut frame).ok()?;
        self.stats = self.renderer.stats();
        self.precise_frame = Some(frame);
        Some(())
    }

    fn draw_classic(&mut self, state: &State, look: &Look, cause: &Cause) -> Option<()> {
        let [width, height] = cause.size;
        let kept = self.classic_frame.take();
        let fits = kept.filter(|frame| [frame.width(), frame.height()] == cause.size);
        let mut frame = fits.or_else(|| ClassicFrame::new(width, height).ok())?;
        self.stats.clear();
        if let Some(model) = &self.model {
            let start = Instant::now();
            let standard = ClassicScene::default();
            // Of .md2 entities the light is a colour.
            let is_lit = look.light_level != Look::default().light_level;
            let grey = is_lit.then_some([look.light_level / 255.0; 3]);
            let mut scene = ClassicScene {
                skin: i32::try_from(state.worn_skin()).unwrap_or(0),
                light_level: look.light_level as i32,
                light_color: grey.unwrap_or(standard.light_color),
                colors: look.colors,
                angles: [0.0, cause.yaw, 0.0],
                palette: state.settings.palette(),
                colormap: state.settings.colormap.clone(),
                texture: self.foreign_texture(model),
                ..standard
            };
            frame.clear(scene.palette_for(model).nearest(state.settings.background));
            scene.set_blend(model, cause.blend);
            scene.set_camera(model, &self.pose, &cause.orbit.camera(), width, height);
            self.classic.draw(model, &scene, &mut frame);
            self.stats.push(stage("classic", start.elapsed().as_secs_f64() * 1e3));
        } else {
            frame.clear(Palette::quake().nearest(state.settings.background));
        }
        self.classic_frame = Some(frame);
        Some(())
    }

    /// What an `.mdl` wears instead of its own skins.
    fn foreign_texture(&self, model: &Model) -> Option<Arc<Image>> {
        let texture = model.surfaces().first()?.texture()?;
        (self.foreign_skin && model.format() == Format::Mdl).then(|| Arc::clone(texture))
    }

    /// Puts on the picture of an animated skin whose time it is.
    fn animate_skin(&mut self, state: &State) {
        let (skin, time) = (state.worn_skin(), f64::from(state.playback.time(state.now())));
        let Some(model) = &mut self.model else { return };
        let picture = model.skin_picture(skin, time);
        if self.foreign_skin || picture == self.skin_picture {
            return;
        }
        if let Some(image) = model.skin_image(skin, time) {
            model.set_skin(0, image);
            self.skin_picture = picture;
        }
    }

    /// The picture enlarged in the window.
    pub(crate) fn show(&mut self, placement: Placement, surface: &mut Surface) {
        let Some(cause) = &self.cause else {
            surface.pixels.fill(BORDER);
            return;
        };
        if let Some(frame) = self.classic_frame.as_ref().filter(|_| cause.settings.classic) {
            let colors = colors_0rgb(frame.palette());
            let rows = frame.indices().chunks_exact(frame.width() as usize);
            surface.show(rows, placement, BORDER, |index: u8| colors[usize::from(index)]);
        } else if let Some(frame) = &self.precise_frame {
            match frame.palette().map(|palette| colors_0rgb(palette)) {
                Some(colors) => surface.show(frame.rows(), placement, BORDER, |pixel: u32| {
                    colors[(pixel & 0xff) as usize]
                }),
                None => surface.show(frame.rows(), placement, BORDER, |pixel: u32| {
                    let [r, g, b, _] = pixel.to_le_bytes();
                    u32::from_be_bytes([0, r, g, b])
                }),
            }
        }
    }

    /// The picture alone, at its own size.
    pub(crate) fn image(&self) -> Option<Image> {
        let cause = self.cause.as_ref()?;
        if cause.settings.classic {
            return Some(self.classic_frame.as_ref()?.image(None));
        }
        Some(self.precise_frame.as_ref()?.image())
    }

    /// How `polyset render` draws the picture of the state; `None` without a model.
    pub(crate) fn render_command(&mut self, state: &State) -> Option<RenderCommand> {
        let orbit = self.orbit(state);
        let model = self.model.as_ref()?;
        let [width, height] = state.picture_size();
        let mut options = vec!["--resolution".into(), format!("{width},{height}")];
        options.extend(state.render_options(model));
        options.extend(orbit.render_options(state.settings.classic));
        if state.yaw() != 0.0 {
            options.extend(["--model-angles".into(), format!("0,{},0", state.yaw())]);
        }
        options.extend(state.settings.render_options(model.format()));
        let uses_given_palette = state.settings.uses_given_palette;
        Some(RenderCommand { options, skin: state.skin, uses_given_palette })
    }
}

fn stage(stage: &'static str, milliseconds: f64) -> StageStats {
    StageStats { stage, input: 0, output: 0, milliseconds }
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
