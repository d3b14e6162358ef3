//! From a pose to pixels.

mod framebuffer;

mod classic;

pub use classic::{
    ClassicFrame, ClassicPath, ClassicRenderer, ClassicScene, ClassicStats, Shell, ShellError,
};
pub use framebuffer::{Framebuffer, FramebufferError};

use crate::camera::Camera;
use crate::look::Look;
use crate::model::Model;
use crate::pose::Pose;

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
    /// x86 AVX2 with FMA (never fused here).
    Avx2,
    /// x86 AVX-512 (Ice Lake set).
    Avx512,
    /// ARM NEON.
    Neon,
}

/// Draws models. Keeps its buffers between frames.
#[derive(Debug, Default)]
pub struct Renderer {}

/// What one stage took in and gave out.
#[derive(Clone, Debug, PartialEq)]
pub struct StageStats {
    /// "vertex", "clip", "setup", "bins", "kernel".
    pub stage: &'static str,
    /// Vertices or triangles that came in.
    pub input: u64,
    /// What went on to the next stage.
    pub output: u64,
    /// Milliseconds of wall time.
    pub milliseconds: f64,
}

impl Renderer {
    /// A renderer on all cores with the best instruction set of the machine.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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
        let _ = (model, pose, camera, look, frame);
    }

    /// What the last draw did, stage by stage.
    #[must_use]
    pub fn stats(&self) -> Vec<StageStats> {
        Vec::new()
    }
}
