//! From a pose to pixels: vertex, clip, setup, bands, kernel.
//!
//! [`Renderer::draw_all`] shows the whole way. The picture depends on the models, poses, cameras
//! and looks alone: never on the instruction set, the number of threads or the bands.

mod framebuffer;
mod level;
mod texture;

mod shade;

mod vertex;

mod clip;

mod setup;

mod bands;
mod bins;
mod surface;

mod scalar;

mod plan;
mod samples;

#[expect(
    clippy::needless_range_loop,
    reason = "lanes and edges are numbers: several arrays are indexed in step, without closures"
)]
mod kernel;
mod work;

#[cfg(test)]
mod tests;

mod classic;

pub use classic::{
    ClassicFrame, ClassicPath, ClassicRenderer, ClassicScene, ClassicStats, Shell, ShellError,
};
pub use framebuffer::{Framebuffer, FramebufferError};
pub use level::{SimdError, SimdLevel};
pub use plan::Item;

use crate::camera::Camera;
use crate::look::Look;
use crate::model::Model;
use crate::pose::Pose;

use bands::Bands;
use kernel::Kernel;
use plan::{Plan, TextureCache};
use work::Work;

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
    /// How texels are fetched; `None` is what pays on this machine.
    gathers: Option<bool>,
    textures: TextureCache,
    /// Memory of the plan.
    surfaces: Vec<plan::SurfacePlan<'static>>,
    work: Work,
    supersampled: Option<Framebuffer>,
    stats: Vec<StageStats>,
}

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
        let mut plan =
            Plan::new(items, size, &mut self.textures, std::mem::take(&mut self.surfaces));
        let mut target = frame.target(plan.palette.clone());
        let mut kernel = Kernel::of(self.level).expect("`with_simd` refuses what is not there");
        if let Some(gathers) = self.gathers {
            kernel = kernel.with_gathers(gathers);
        }
        let Self { pool, threads, work, stats, .. } = self;
        // A small picture of a small model is not worth waking other threads.
        let small = bands::is_small(&target, plan.triangle_count());
        let threads = match pool {
            _ if small || *threads == 1 => 1,
            Some(pool) => pool.current_num_threads(),
            None => rayon::current_num_threads(),
        };
        let mut run = || {
            let mut clock = StageClock::new(stats);
            // 1. Vertex: posed vertices to the screen.
            work.transform(&mut plan, kernel, threads);
            clock.stage("vertex", plan.vertex_count, work.vertices.xy.len());
            // 2. Clip: only surfaces with vertices outside.
            let triangles = plan.triangle_count();
            let mut drawing = work.clip(&mut plan, kernel, threads);
            let clipped = drawing.triangle_count();
            clock.stage("clip", triangles, clipped);
            // 3. Bins: which triangles touch which band. A small picture is one band.
            let bands = Bands::of(&target, clipped, threads);
            let binned = drawing.bin(&bands);
            clock.stage("bins", clipped, binned);
            // 4. Kernel: setup, coverage and colour, band by band.
            drawing.draw(&bands, &mut target);
            clock.stage("kernel", binned, target.width * target.height);
        };
        match pool {
            Some(pool) if threads > 1 => pool.install(run),
            _ => run(),
        }
        self.surfaces = plan.into_memory();
    }
}

impl SimdLevel {
    /// Whether this machine can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        Kernel::of(self).is_some()
    }

    /// All levels that this machine has, without [`SimdLevel::Auto`].
    #[must_use]
    pub fn available() -> Vec<Self> {
        use SimdLevel::{Avx2, Avx512, Fallback, Neon, Scalar, Sse2, Sse42};
        let all = [Scalar, Fallback, Sse2, Sse42, Avx2, Avx512, Neon];
        all.into_iter().filter(|level| level.is_available()).collect()
    }
}

/// Writes down what a stage did and how long it took.
struct StageClock<'a> {
    stats: &'a mut Vec<StageStats>,
    start: std::time::Instant,
}

impl<'a> StageClock<'a> {
    fn new(stats: &'a mut Vec<StageStats>) -> Self {
        stats.clear();
        Self { stats, start: std::time::Instant::now() }
    }

    fn stage(&mut self, stage: &'static str, input: usize, output: usize) {
        let milliseconds = self.start.elapsed().as_secs_f64() * 1e3;
        let (input, output) = (input as u64, output as u64);
        self.stats.push(StageStats { stage, input, output, milliseconds });
        self.start = std::time::Instant::now();
    }
}
