//! From a pose to pixels: vertex, clip, setup, bands, kernel.
//!
//! [`Renderer::draw_all`] shows the whole way. The picture depends on the models, poses, cameras
//! and looks alone: never on the instruction set, the number of threads or the bands.

mod framebuffer;
mod texture;

mod shade;

mod vertex;

mod clip;

mod setup;

mod bins;

mod scalar;

mod plan;
mod samples;

mod classic;

pub use classic::{
    ClassicFrame, ClassicPath, ClassicRenderer, ClassicScene, ClassicStats, Shell, ShellError,
};
pub use framebuffer::{Framebuffer, FramebufferError};

use rayon::prelude::*;

use crate::camera::Camera;
use crate::look::{Draw, Look};
use crate::model::Model;
use crate::pose::Pose;

use bins::Band;
use framebuffer::Target;
use plan::{Plan, SurfacePlan, TextureCache};
use setup::{Planes, Triangle};
use shade::{ATTRIBUTES, Shading};
use vertex::ScreenVertices;

/// The instruction set that the fast kernels use. Every level gives the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum SimdLevel {
    /// The best that the machine has.
    #[default]
    Auto,
    /// The plain twin of the kernels.
    Scalar,
    /// The SIMD crate's own emulation.
    Fallback,
    /// x86 SSE2.
    Sse2,
    /// x86 SSE4.2.
    Sse42,
    /// x86 AVX2.
    Avx2,
    /// x86 AVX-512 (Ice Lake set).
    Avx512,
    /// ARM NEON.
    Neon,
}

/// The machine does not have the instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this machine does not have the instruction set {0:?}")]
pub struct SimdError(SimdLevel);

/// One model to draw, and how.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Surfaces, texture coordinates and textures.
    pub model: &'a Model,
    /// Positions and normals of that model.
    pub pose: &'a Pose,
    /// Where it is seen from.
    pub camera: &'a Camera,
    /// How it is drawn.
    pub look: &'a Look,
}

/// What one stage took in and gave out.
#[derive(Clone, Debug, PartialEq)]
pub struct StageStats {
    /// "vertex", "clip", "bins", "kernel".
    pub stage: &'static str,
    /// Vertices (vertex stage) or triangles that came in.
    pub input: u64,
    /// What went on to the next stage.
    pub output: u64,
    /// Milliseconds of wall time.
    pub milliseconds: f64,
}

/// Draws models. Keeps its buffers between frames.
#[derive(Debug, Default)]
pub struct Renderer {
    pool: Option<rayon::ThreadPool>,
    /// 0: as many as the machine has.
    threads: usize,
    level: SimdLevel,
    textures: TextureCache,
    vertices: ScreenVertices,
    /// Triangles of surfaces that went through the clip stage.
    clipped: Vec<Vec<[u32; 3]>>,
    depth: Vec<f32>,
    supersampled: Option<Framebuffer>,
    stats: Vec<StageStats>,
}

/// Rows of a band.
const BAND_ROWS: usize = 32;

impl Renderer {
    /// A renderer on all cores with the best instruction set of the machine.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses this many threads (0: all cores). The picture does not depend on it.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn with_threads(mut self, threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        self.threads = threads;
        self.pool = match threads {
            0 | 1 => None,
            n => Some(rayon::ThreadPoolBuilder::new().num_threads(n).build()?),
        };
        Ok(self)
    }

    /// Uses this instruction set. The picture does not depend on it.
    ///
    /// # Errors
    /// If the machine does not have it.
    pub fn with_simd(mut self, level: SimdLevel) -> Result<Self, SimdError> {
        if !level.is_available() {
            return Err(SimdError(level));
        }
        self.level = level;
        Ok(self)
    }

    /// Draws one model over what the frame holds.
    pub fn draw(
        &mut self,
        model: &Model,
        pose: &Pose,
        camera: &Camera,
        look: &Look,
        frame: &mut Framebuffer,
    ) {
        self.draw_all(&[Item { model, pose, camera, look }], frame);
    }

    /// Draws several models that hide each other by depth, in this order where depths are equal.
    ///
    /// Colour mode, palette and samples of the picture are those of the first item's look.
    pub fn draw_all(&mut self, items: &[Item<'_>], frame: &mut Framebuffer) {
        let Some(first) = items.first() else { return };
        let samples = samples::allowed(first.look.samples, frame);
        if samples == 1 {
            return self.draw_samples(items, frame);
        }
        let mut large = self
            .supersampled
            .take()
            .filter(|large| {
                [large.width(), large.height()]
                    == [frame.width() * samples, frame.height() * samples]
            })
            .unwrap_or_else(|| samples::larger(frame, samples));
        large.clear([0; 4]);
        self.draw_samples(items, &mut large);
        samples::resolve(&mut large, samples, frame);
        self.supersampled = Some(large);
    }

    /// What the last draw did, stage by stage.
    #[must_use]
    pub fn stats(&self) -> Vec<StageStats> {
        self.stats.clone()
    }

    fn draw_samples(&mut self, items: &[Item<'_>], frame: &mut Framebuffer) {
        let size = [frame.width(), frame.height()];
        let mut plan = Plan::new(items, size, &mut self.textures);
        let mut target = frame.target(plan.palette.clone());

        // 1. Vertex: posed vertices to the screen.
        self.transform(&mut plan);
        // 2. Clip: only surfaces with vertices outside.
        self.clip(&mut plan);
        // 3. Setup, coverage and colour, band by band.
        self.draw_bands(&plan, &mut target);
    }

    fn transform(&mut self, plan: &mut Plan<'_>) {
        let count = plan.vertex_count;
        self.vertices.xy.resize(count, [0; 2]);
        self.vertices.attributes.resize(count * ATTRIBUTES, 0.0);
        self.clipped.resize_with(plan.surfaces.len(), Vec::new);
        for surface in &mut plan.surfaces {
            let range = surface.base..surface.base + surface.count;
            let inside = vertex::transform(
                &surface.setup,
                surface.posed,
                surface.texcoords,
                0,
                &mut self.vertices.xy[range.clone()],
                &mut self.vertices.attributes[range.start * ATTRIBUTES..range.end * ATTRIBUTES],
            );
            surface.inside = inside;
        }
    }

    fn clip(&mut self, plan: &mut Plan<'_>) {
        for (surface, triangles) in plan.surfaces.iter_mut().zip(&mut self.clipped) {
            triangles.clear();
            if surface.inside && surface.expansion.is_none() {
                continue;
            }
            surface.clip(&mut self.vertices, triangles);
        }
    }

    fn draw_bands(&mut self, plan: &Plan<'_>, target: &mut Target<'_>) {
        let stride = target.stride;
        let length = BAND_ROWS * stride;
        let depth = match &mut target.depth {
            Some(depth) => depth,
            None => {
                self.depth.clear();
                self.depth.resize(target.color.len(), 1.0);
                &mut self.depth[..]
            }
        };
        let (width, height) = (target.width as i32, target.height as i32);
        let (vertices, clipped, clear) = (&self.vertices, &self.clipped, target.clear);
        let draw = |(number, (color, depth)): (usize, (&mut [u32], &mut [f32]))| {
            let first = (number * BAND_ROWS) as i32;
            let rows = first..(first + BAND_ROWS as i32).min(height);
            if let Some(pixel) = clear {
                color.fill(pixel);
            }
            let mut band = Band { rows, width, stride, color, depth };
            for (surface, clipped) in plan.surfaces.iter().zip(clipped) {
                draw_surface(surface, clipped, vertices, &mut band);
            }
        };
        let bands = target.color.chunks_mut(length).zip(depth.chunks_mut(length)).enumerate();
        if self.threads == 1 {
            bands.for_each(draw);
        } else {
            let bands: Vec<_> = bands.collect();
            match &self.pool {
                Some(pool) => pool.install(|| bands.into_par_iter().for_each(draw)),
                None => bands.into_par_iter().for_each(draw),
            }
        }
    }
}

impl SimdLevel {
    /// Whether this machine can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        matches!(self, Self::Auto | Self::Scalar | Self::Fallback)
    }

    /// All levels that this machine has, without [`SimdLevel::Auto`].
    #[must_use]
    pub fn available() -> Vec<Self> {
        use SimdLevel::{Avx2, Avx512, Fallback, Neon, Scalar, Sse2, Sse42};
        let all = [Scalar, Fallback, Sse2, Sse42, Avx2, Avx512, Neon];
        all.into_iter().filter(|level| level.is_available()).collect()
    }
}

fn draw_surface(
    surface: &SurfacePlan<'_>,
    clipped: &[[u32; 3]],
    vertices: &ScreenVertices,
    band: &mut Band<'_>,
) {
    let shading: Shading<'_> = surface.shading();
    let (base, triangles) = surface.drawn(clipped);
    let (xy, attributes) = (&vertices.xy[base..], &vertices.attributes[base * ATTRIBUTES..]);
    let records = attributes.as_chunks::<ATTRIBUTES>().0;
    for &corners in triangles {
        let mut corners = corners.map(|corner| corner as usize);
        match setup::facing(corners.map(|corner| xy[corner]), surface.cull) {
            None => continue,
            Some(turned) => {
                if turned {
                    corners.swap(1, 2);
                }
            }
        }
        if let Some(triangle) = Triangle::new(corners.map(|corner| xy[corner])) {
            let planes = Planes::new(corners.map(|corner| records[corner]));
            scalar::draw(&triangle, &planes, &shading, band);
        }
    }
}

/// Whether a draw mode needs three vertices of its own for every triangle.
fn expands(draw: Draw) -> bool {
    matches!(draw, Draw::Flat | Draw::Wire)
}
