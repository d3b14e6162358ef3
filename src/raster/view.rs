//! What a whole picture has: a camera, colours and samples.

use std::sync::Arc;

use glam::Mat4;

use super::instance::{self, Instance};
use super::palette;
use super::vertex::ClipRows;
use crate::camera::Camera;
use crate::image::{Colormap, Palette};
use crate::look::{ColorMode, Samples};
use crate::transform::Transform;

/// Where a picture is taken from, in which colours and with how many samples.
#[derive(Clone, Debug)]
pub struct View {
    projection: Projection,
    pub(crate) color: ColorMode,
    pub(crate) palette: Option<Arc<Palette>>,
    pub(crate) colormap: Option<Arc<Colormap>>,
    pub(crate) samples: Samples,
    pub(crate) time: f64,
}

#[derive(Clone, Debug)]
enum Projection {
    Camera(Camera),
    /// From the scene to clip space.
    Matrix(Mat4),
}

/// From the scene to clip space: for one picture nothing is left open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToClip {
    matrix: Mat4,
    /// See [`ClipRows::range`].
    range: Option<[f32; 2]>,
}

impl ToClip {
    /// For an instance that stands in the scene like this.
    pub(crate) fn of(&self, transform: &Transform) -> ClipRows {
        let Self { matrix, range } = *self;
        let matrix = if transform.is_identity() { matrix } else { matrix * transform.matrix() };
        ClipRows { rows: matrix.transpose().to_cols_array_2d(), range }
    }
}

impl From<Camera> for View {
    fn from(camera: Camera) -> Self {
        Self::new(camera)
    }
}

impl View {
    /// What a camera sees, in true colour with one sample a pixel.
    #[must_use]
    pub fn new(camera: Camera) -> Self {
        Self::with_projection(Projection::Camera(camera))
    }

    /// What column-major view and projection matrices show (OpenGL's conventions: clip space -w..w
    /// with y up).
    #[must_use]
    pub fn from_matrices(view: [f32; 16], projection: [f32; 16]) -> Self {
        let matrix = Mat4::from_cols_array(&projection) * Mat4::from_cols_array(&view);
        Self::with_projection(Projection::Matrix(matrix))
    }

    fn with_projection(projection: Projection) -> Self {
        Self {
            projection,
            color: ColorMode::Rgb,
            palette: None,
            colormap: None,
            samples: Samples::One,
            time: 0.0,
        }
    }

    /// True colour or palette indices.
    #[must_use]
    pub fn color(mut self, color: ColorMode) -> Self {
        self.color = color;
        self
    }

    /// What the indices of an indexed picture mean, and those of skins inside an `.mdl` in any
    /// picture; `None` is described at [`View::palette_of`].
    #[must_use]
    pub fn palette(mut self, palette: Option<Arc<Palette>>) -> Self {
        self.palette = palette;
        self
    }

    /// The light table of an indexed picture; `None` is generated from its palette.
    #[must_use]
    pub fn colormap(mut self, colormap: Option<Arc<Colormap>>) -> Self {
        self.colormap = colormap;
        self
    }

    /// Samples a pixel; fewer if the picture is so large that they would not fit 16384.
    #[must_use]
    pub fn samples(mut self, samples: Samples) -> Self {
        self.samples = samples;
        self
    }

    /// Seconds on the game's clock, by which the stages of shader scripts move; 0 unless said.
    #[must_use]
    pub fn time(mut self, seconds: f64) -> Self {
        self.time = if seconds.is_finite() { seconds } else { 0.0 };
        self
    }

    /// The palette that an indexed picture of these instances has: the view's, else that of the first
    /// instance. The skin of an `.md2` brings its own; other models have Quake's unless their palette
    /// was changed. Textures with another palette are matched to it, colour by colour.
    #[must_use]
    pub fn palette_of(&self, instances: &[Instance<'_>]) -> Arc<Palette> {
        let Some(Instance { model, .. }) = instances.first() else {
            return self.palette.clone().unwrap_or_else(Palette::quake);
        };
        let textures = model.surfaces.iter().filter_map(|surface| surface.texture.as_ref());
        Arc::clone(palette::of_picture(self.palette.as_ref(), model, textures))
    }

    /// The column-major matrix from the scene to clip space with which these instances are drawn
    /// into a picture of this size (pixels, above 0).
    #[must_use]
    pub fn matrix(&self, instances: &[Instance<'_>], width: u32, height: u32) -> [f32; 16] {
        self.resolve(instances, [width, height]).matrix.to_cols_array()
    }

    pub(crate) fn resolve(&self, instances: &[Instance<'_>], size: [u32; 2]) -> ToClip {
        match &self.projection {
            Projection::Matrix(matrix) => ToClip { matrix: *matrix, range: None },
            Projection::Camera(camera) => {
                let aspect = size[0] as f32 / size[1] as f32;
                let camera = camera.resolve_around(|| instance::bounds(instances), aspect);
                if camera.scale == 1.0 {
                    return ToClip { matrix: camera.clip, range: Some(camera.range) };
                }
                let range = camera.range.map(|distance| distance * camera.scale);
                ToClip { matrix: camera.clip * camera.scale, range: Some(range) }
            }
        }
    }

    /// The palette of the picture; `None` in true colour.
    pub(crate) fn picture_palette(&self, instances: &[Instance<'_>]) -> Option<Arc<Palette>> {
        (self.color == ColorMode::Indexed).then(|| self.palette_of(instances))
    }
}
