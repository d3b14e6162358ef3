//! The second rasterizer: Quake's and Quake II's own pictures, bit for bit.
//!
//! It computes what the C code of the two original software renderers computes: integer vertices,
//! affine 16.16 texture steps, 8.8 light into a 64-row colormap, 16-bit depth. `docs/classic.md`
//! tells the rules. Every `f32` operation stands on its own (no fused or reordered arithmetic), so
//! the pictures are the same on every machine.
//!
//! The way of a model: [`select`] chooses frame and skin, [`transform`] makes the matrix,
//! [`boxtest`] the path, [`light`] and [`vertex`] the vertices, [`cull`] leaves out triangles, [`clip`] cuts them,
//! [`group`] makes pixels of small ones, [`setup`] and [`edges`] of others, [`fill`] draws them, [`shade`] has their
//! colours.

mod number;
mod scene;

mod camera;
mod frame;
mod framing;
mod select;

mod poses;
mod stats;
mod tables;
mod texture;

mod transform;

mod boxtest;
mod light;

mod vertex;

mod buffers;
mod cull;
mod setup;

mod edges;
mod group;
mod shade;

mod fill;

mod clip;
mod subdivision;

mod md2;
mod mdl;
mod posed;

use std::sync::Arc;

pub use frame::ClassicFrame;
pub(crate) use framing::NEAREST as CLASSIC_NEAREST;
pub use scene::{ClassicScene, Shell};
pub use stats::{ClassicPath, ClassicStats};

use buffers::Buffers;
use tables::{TableSource, Tables};
use texture::Quantized;

use crate::image::{Image, Palette};
use crate::model::{EngineMesh, Geometry, Model, Surface};
use crate::pose::Pose;
use crate::raster::error::DrawError;
use crate::raster::kernel::Kernel;
use crate::raster::level::SimdLevel;
use crate::raster::palette;

/// Draws models as the original software renderers did. Keeps its buffers and tables between
/// frames.
#[derive(Debug, Default)]
pub struct ClassicRenderer {
    buffers: Buffers,
    tables: Option<Tables>,
    quantized: Quantized,
    pose: Pose,
    /// Pixels that a draw may test.
    max_work: Option<u64>,
    kernel: Kernel,
}

impl ClassicRenderer {
    /// A renderer without buffers; the first draw makes them.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses this instruction set; [`SimdLevel::Scalar`] is the same as [`SimdLevel::Fallback`] here. The picture does
    /// not depend on it.
    ///
    /// # Errors
    /// [`DrawError::Simd`] if the machine does not have it.
    pub fn with_simd(self, level: SimdLevel) -> Result<Self, DrawError> {
        Ok(self.with_kernel(Kernel::of(level).ok_or(DrawError::Simd(level))?))
    }

    pub(crate) fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }

    /// Ends a draw that has tested more than this many pixels, which bounds its time: what is left of
    /// the model is not drawn, and [`ClassicStats::tested`] is above the limit.
    #[must_use]
    pub fn with_max_work(mut self, pixels: u64) -> Self {
        self.max_work = Some(pixels);
        self
    }

    /// Draws one model over what the frame holds; the frame takes on the model's palette.
    ///
    /// `.mdl` and `.md2` become exactly what the C code of the original software renderers makes of
    /// them. Other formats go through the same spans as posed, a look of polyset's own.
    pub fn draw(
        &mut self,
        model: &Model,
        scene: &ClassicScene,
        frame: &mut ClassicFrame,
    ) -> ClassicStats {
        let palette = scene.palette_for(model);
        frame.palette = Arc::clone(&palette);
        self.prepare(model, scene, &palette);
        let Some(tables) = &self.tables else {
            return ClassicStats::default();
        };
        let image = model.surfaces.first().and_then(|surface| texture_of(scene, surface));
        let target = frame.target(self.max_work.unwrap_or(u64::MAX), self.kernel.level());
        let own = match (&model.engine, &scene.texture) {
            (Some(EngineMesh::Mdl(_)), None) => texture::embedded(model, scene),
            _ => None,
        };
        let is_grey = own.is_none() && image.is_none();
        let texels = own.unwrap_or_else(|| self.quantized.texels(image, &palette));
        let mut stats = match (&model.engine, &model.geometry) {
            (Some(EngineMesh::Mdl(mesh)), _) => {
                mdl::draw(mesh, texels, tables, scene, target, &mut self.buffers)
            }
            (Some(EngineMesh::Md2(mesh)), Geometry::Bytes(keys)) => {
                let source = md2::Md2Source {
                    mesh,
                    frames: &keys.frames,
                    vertex_count: keys.packed_count,
                    texels,
                    skin_size: if image.is_some_and(|image| image.palette().is_none()) {
                        [mesh.skin_width, mesh.skin_height]
                    } else {
                        [texels.width, texels.height]
                    },
                    tables,
                };
                md2::draw(&source, scene, target, &mut self.buffers)
            }
            _ => return self.draw_posed(model, scene, &palette, target),
        };
        // Grey for want of a skin has no outside.
        if is_grey {
            stats.texels_outside = 0;
        }
        stats
    }

    /// Tables and quantised textures, made anew only when something about them changed.
    fn prepare(&mut self, model: &Model, scene: &ClassicScene, palette: &Arc<Palette>) {
        let is_quake2 = matches!(model.engine, Some(EngineMesh::Md2(_)));
        let source = TableSource {
            palette: Arc::clone(palette),
            colormap: scene.colormap.clone(),
            colors: scene.colors.filter(|_| !is_quake2),
            is_quake2,
        };
        if !self.tables.as_ref().is_some_and(|tables| tables.are_from(&source)) {
            self.tables = Some(Tables::new(source));
        }
        let has_own_skins = matches!(model.engine, Some(EngineMesh::Mdl(_)))
            && !model.skins.is_empty()
            && scene.texture.is_none();
        for surface in model.surfaces.iter().filter(|_| !has_own_skins) {
            self.quantized.prepare(texture_of(scene, surface), palette);
        }
    }

    fn draw_posed(
        &mut self,
        model: &Model,
        scene: &ClassicScene,
        palette: &Arc<Palette>,
        mut target: frame::Target<'_>,
    ) -> ClassicStats {
        let mut stats = ClassicStats::default();
        let Some(tables) = &self.tables else {
            return stats;
        };
        model.pose_into(scene.blend(model), &mut self.pose);
        let draw = posed::PosedDraw::new(scene, &target);
        let limit = target.max_work;
        for (surface, posed) in model.surfaces.iter().zip(&self.pose.surfaces) {
            let Some(rest) = limit.checked_sub(stats.tested) else { break };
            target.max_work = rest;
            let texels = self.quantized.texels(texture_of(scene, surface), palette);
            let target = target.reborrow();
            stats.add(&draw.surface(surface, posed, texels, tables, target, &mut self.buffers));
        }
        stats
    }
}

/// What a surface is drawn with, unless that lies in the model's file.
fn texture_of<'a>(scene: &'a ClassicScene, surface: &'a Surface) -> Option<&'a Arc<Image>> {
    scene.texture.as_ref().or(surface.texture.as_ref())
}

impl ClassicScene {
    /// The palette that a picture of `model` has: the scene's, else that of an `.md2` skin, else the
    /// model's. Skins with another palette are matched to it, colour by colour; only those inside an
    /// `.mdl` keep their indices.
    #[must_use]
    pub fn palette_for(&self, model: &Model) -> Arc<Palette> {
        let textures = model.surfaces.iter().filter_map(|surface| texture_of(self, surface));
        Arc::clone(palette::of_picture(self.palette.as_ref(), model, textures))
    }
}
