//! From a pose to pixels: vertex, clip, setup, bands, kernel.
//!
//! [`Renderer::draw`] shows the whole way. The picture depends on the view and the instances alone:
//! never on the instruction set, the number of threads or the bands, and not on what was drawn before.

mod error;
mod level;
mod target;

mod blocks;
mod framebuffer;
mod mipmap;
mod mix;
mod texture;
mod threads;

mod instance;
mod palette;

mod shade;

mod vertex;

mod eye;

mod texcoord;

mod clear;
mod clip;
mod expand;

mod setup;

mod bands;
mod bins;
mod surface;

mod scalar;

mod texture_cache;
mod view;

mod pass;
mod plan;

#[expect(
    clippy::needless_range_loop,
    reason = "lanes and edges are numbers: several arrays are indexed in step, without closures"
)]
mod kernel;

mod ring;
mod samples;
mod visible;

mod clusters;
mod dirty;
mod work;

mod stream;

#[cfg(test)]
mod tests;

mod classic;

pub(crate) use classic::CLASSIC_NEAREST;
pub use classic::{ClassicFrame, ClassicPath, ClassicRenderer, ClassicScene, ClassicStats, Shell};
pub use error::DrawError;
pub(crate) use error::MAX_SIDE;
pub use framebuffer::Framebuffer;
pub use instance::Instance;
pub use level::SimdLevel;
pub use target::PixelsMut;
pub use view::View;

use std::sync::Arc;

use crate::image::Palette;

use kernel::Kernel;
use plan::Plan;
use target::{Area, Target};
use texture_cache::TextureCache;
use threads::Threads;
use work::Work;

/// What one stage took in and gave out.
#[derive(Clone, Debug, PartialEq)]
pub struct StageStats {
    /// "vertex", "clip", "bins", "kernel". Where one thread draws large surfaces piece by piece there are no
    /// bins, and times are sums over the pieces. Dense surfaces in a pose that was drawn before may be drawn by
    /// clusters of triangles, all in one stage, "clusters".
    pub stage: &'static str,
    /// Vertices (vertex stage) or triangles that came in.
    pub input: u64,
    /// What went on to the next stage.
    pub output: u64,
    /// Milliseconds of wall time.
    pub milliseconds: f64,
}

/// Draws pictures. Keeps its buffers between frames; no picture depends on an earlier one.
#[derive(Debug, Default)]
pub struct Renderer {
    threads: Threads,
    kernel: Kernel,
    /// Pixels that a draw may test.
    max_work: Option<u64>,
    textures: TextureCache,
    /// Memory of the plan.
    surfaces: Vec<plan::SurfacePlan<'static>>,
    work: Work,
    supersampled: Option<Framebuffer>,
    /// Stands in for buffers that have no room behind their rows.
    roomy: Option<Framebuffer>,
    stats: Vec<StageStats>,
}

impl Renderer {
    /// A renderer on all cores with the best instruction set of the machine. Where no threads can be
    /// started it draws with the caller's; called from a rayon pool, with that pool's.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws on the calling thread alone.
    #[cfg(feature = "motion")]
    pub(crate) fn on_one_thread(self) -> Self {
        Self { threads: Threads::One, ..self }
    }

    /// Uses this many threads (0: all cores), of which the calling one is one. The picture does not depend on it.
    ///
    /// # Errors
    /// [`DrawError::Threads`] if two or more cannot be started.
    pub fn with_threads(mut self, threads: usize) -> Result<Self, DrawError> {
        self.threads = Threads::new(threads)?;
        Ok(self)
    }

    /// Uses this instruction set. The picture does not depend on it.
    ///
    /// # Errors
    /// [`DrawError::Simd`] if the machine does not have it.
    pub fn with_simd(mut self, level: SimdLevel) -> Result<Self, DrawError> {
        self.kernel = Kernel::of(level).ok_or(DrawError::Simd(level))?;
        Ok(self)
    }

    /// Refuses draws whose triangles have boxes of more than this many pixels on the screen together
    /// (samples, with supersampling): a bound of the time that a draw takes, whatever the model. Pixels
    /// that turn out to be hidden, or holes, count.
    #[must_use]
    pub fn with_max_work(mut self, pixels: u64) -> Self {
        self.max_work = Some(pixels);
        self
    }

    pub(crate) fn kernel(&self) -> Kernel {
        self.kernel
    }

    pub(crate) fn max_work(&self) -> Option<u64> {
        self.max_work
    }

    /// Draws instances over what the frame holds. They hide each other by depth, in this order where
    /// depths are equal.
    ///
    /// # Errors
    /// [`DrawError::Pose`] if a pose is of another model, [`DrawError::Work`] if that is limited and
    /// not enough; nothing was drawn then.
    pub fn draw(
        &mut self,
        view: &View,
        instances: &[Instance<'_>],
        frame: &mut Framebuffer,
    ) -> Result<(), DrawError> {
        instance::check(instances)?;
        let palette = view.picture_palette(instances);
        if instances.is_empty() {
            self.stats.clear();
        } else {
            let mut target = frame.target();
            let result = self.draw_target(view, instances, palette.as_ref(), &mut target);
            let background = target.background;
            frame.set_background(background);
            result?;
        }
        frame.set_palette(palette);
        Ok(())
    }

    /// Draws instances over what a buffer of the application holds: the pixels that
    /// [`Renderer::draw`] into a [`Framebuffer`] gives, without depth.
    ///
    /// Kernels touch 8 words behind the end of a row. With rows at least `width + 8` words apart, and
    /// the last row as long as the others, they write into the buffer itself; otherwise they draw in
    /// memory of the renderer, and pixels are copied there and back. Words behind the rows are never
    /// changed.
    ///
    /// # Errors
    /// [`DrawError::Size`] and [`DrawError::Buffer`] if the picture cannot have this size or the
    /// buffer does not hold it, [`DrawError::Pose`] and [`DrawError::Work`] as for
    /// [`Renderer::draw`]. Nothing was drawn then.
    pub fn draw_into(
        &mut self,
        view: &View,
        instances: &[Instance<'_>],
        mut pixels: PixelsMut<'_>,
    ) -> Result<(), DrawError> {
        pixels.check()?;
        instance::check(instances)?;
        let palette = view.picture_palette(instances);
        if instances.is_empty() {
            self.stats.clear();
        } else if pixels.has_room() {
            self.draw_target(view, instances, palette.as_ref(), &mut pixels.target())?;
        } else {
            let mut frame = match self.roomy.take() {
                Some(frame) => frame,
                None => Framebuffer::new(pixels.width, pixels.height)?,
            };
            frame.resize(pixels.width, pixels.height)?;
            frame.copy_from(pixels.rows());
            let result = self.draw_target(view, instances, palette.as_ref(), &mut frame.target());
            for (row, drawn) in pixels.rows().zip(frame.rows()) {
                row.copy_from_slice(drawn);
            }
            self.roomy = Some(frame);
            result?;
        }
        Ok(())
    }

    /// Lets textures of earlier draws go, which are kept for a while; buffers stay. For who draws one
    /// model after the other.
    pub fn forget_textures(&mut self) {
        self.textures = TextureCache::default();
    }

    /// What the last draw did, stage by stage; nothing if there was nothing to draw.
    #[must_use]
    pub fn stats(&self) -> Vec<StageStats> {
        self.stats.clone()
    }

    fn draw_target(
        &mut self,
        view: &View,
        instances: &[Instance<'_>],
        palette: Option<&Arc<Palette>>,
        target: &mut Target<'_>,
    ) -> Result<(), DrawError> {
        let samples = samples::allowed(view.samples, target);
        if samples == 1 {
            return self.draw_samples(view, instances, palette, target).map(drop);
        }
        let mut large = samples::larger(self.supersampled.take(), target, samples);
        let was_drawn_into = target.clear.is_none();
        // What is mixed with the background needs it under every sample.
        let is_mixed = pass::may_mix(instances);
        if is_mixed {
            samples::spread(target, samples, &self.threads, &mut large);
        }
        let mut drawn = large.target();
        if was_drawn_into {
            samples::spread_depth(target, samples, &self.threads, &mut drawn);
        }
        let area = match self.draw_samples(view, instances, palette, &mut drawn) {
            Ok(area) => samples::pixels_of(area, samples, target),
            Err(error) => {
                target.clear();
                self.supersampled = Some(large);
                return Err(error);
            }
        };
        if is_mixed && palette.is_none() {
            samples::resolve_all(&drawn, samples, &area, &self.threads, target);
        } else {
            let palette = palette.map(|palette| &**palette);
            let by = (self.kernel, &self.threads);
            samples::resolve(&drawn, samples, &area, palette, by, target);
        }
        // Behind the clear that is done before pixels are averaged.
        target.note_drawn(&area);
        let background = drawn.background;
        large.set_background(background);
        self.supersampled = Some(large);
        Ok(())
    }

    /// Draws a picture of one sample a pixel. Returns where it may have changed.
    fn draw_samples(
        &mut self,
        view: &View,
        instances: &[Instance<'_>],
        palette: Option<&Arc<Palette>>,
        target: &mut Target<'_>,
    ) -> Result<Area, DrawError> {
        let size = [target.width as u32, target.height as u32];
        let memory = std::mem::take(&mut self.surfaces);
        let mut plan = Plan::new(view, instances, palette, size, &mut self.textures, memory);
        let Self { threads: pool, work, stats, kernel, .. } = self;
        let kernel = *kernel;
        // A small picture of a small model is not worth waking other threads.
        let small = bands::is_small(target, plan.triangle_count());
        let threads = if small { &Threads::One } else { pool };
        threads.wake();
        let mut clock = StageClock::new(stats);
        let mut result = Ok(());
        let drawn = 'drawn: {
            if self.max_work.is_none()
                && let Some(area) = work.draw_clusters(&plan, kernel, target, threads)
            {
                let triangles = plan.triangle_count();
                clock.stage("clusters", triangles, target.width * target.height);
                break 'drawn area;
            }
            if threads.count() == 1 && self.max_work.is_none() && stream::pays(&plan, target) {
                stream::draw(work, &mut plan, kernel, target, &mut clock);
                break 'drawn target.area();
            }
            // 1. Vertex: posed vertices to the screen.
            work.transform(&plan.surfaces, kernel, threads);
            clock.stage("vertex", plan.vertex_count, plan.vertex_count);
            // 2. Clip: only surfaces with vertices outside.
            let triangles = plan.triangle_count();
            let mut drawing = work.clip(&mut plan.surfaces, kernel, threads);
            let clipped = drawing.triangle_count();
            clock.stage("clip", triangles, clipped);
            if let Some(limit) = self.max_work {
                let pixels = drawing.work(size);
                if pixels > limit {
                    target.clear();
                    result = Err(DrawError::Work { pixels, limit });
                    break 'drawn target.area();
                }
            }
            // 3. Bins: which triangles touch which band. A small picture is one band.
            let bands = drawing.bands(target);
            let binned = drawing.bin(&bands);
            clock.stage("bins", clipped, binned);
            // 4. Kernel: setup, coverage and colour, band by band.
            let drawn = drawing.draw(&bands, target);
            clock.stage("kernel", binned, target.width * target.height);
            drawn
        };
        self.surfaces = plan.into_memory();
        result.map(|()| drawn)
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

    /// The stage has taken until now. Of several turns it is the sum.
    fn stage(&mut self, stage: &'static str, input: usize, output: usize) {
        let now = std::time::Instant::now();
        let milliseconds = (now - self.start).as_secs_f64() * 1e3;
        self.start = now;
        let (input, output) = (input as u64, output as u64);
        match self.stats.iter_mut().find(|stats| stats.stage == stage) {
            Some(stats) => {
                stats.input += input;
                stats.output += output;
                stats.milliseconds += milliseconds;
            }
            None => self.stats.push(StageStats { stage, input, output, milliseconds }),
        }
    }
}
