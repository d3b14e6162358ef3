//! Why something cannot be drawn.

use super::level::SimdLevel;
use crate::error::RequestError;

/// The longest side of a picture; coordinates in 1/256 pixel then stay within 24 bits.
pub(crate) const MAX_SIDE: u32 = 16384;

/// Something cannot be drawn, or not in the way that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A side of the picture is 0 or above 16384.
    #[error("a picture of {width} x {height} cannot be drawn: both sides must be 1 to {MAX_SIDE}")]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// A buffer is too short for its picture, or its rows overlap.
    #[error(
        "a buffer of {length} words with rows {stride} words apart cannot hold a picture of \
         {width} x {height}"
    )]
    Buffer {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Words from a row to the next.
        stride: usize,
        /// Words of the buffer.
        length: usize,
    },
    /// A pose is not one of the model that it is to be drawn with.
    #[error(
        "instance {instance}: the pose does not fit its model: {} {found}, the model has {expected}; \
         make it with Model::pose, pose_blend or pose_into of this very model",
        pose_part(*.surface)
    )]
    Pose {
        /// Number of the instance, from 0.
        instance: usize,
        /// The surface whose number of vertices differs; `None` if the number of surfaces does.
        surface: Option<usize>,
        /// What the pose has.
        found: usize,
        /// What the model has.
        expected: usize,
    },
    /// The machine does not have the instruction set.
    #[error("this machine does not have the instruction set {0}")]
    Simd(SimdLevel),
    /// The triangles cover more pixels than were allowed: see [`crate::Renderer::with_max_work`].
    #[error("drawing this takes {pixels} pixel tests, {limit} are allowed")]
    Work {
        /// Pixels of the boxes around all triangles on the screen, hidden ones too.
        pixels: u64,
        /// As many are allowed.
        limit: u64,
    },
    /// Threads cannot be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// As many were to be started, beside the calling one.
        threads: usize,
        /// What the system says.
        reason: String,
    },
}

impl From<DrawError> for RequestError {
    fn from(error: DrawError) -> Self {
        Self::new(error.to_string())
    }
}

fn pose_part(surface: Option<usize>) -> String {
    match surface {
        None => "the number of its surfaces is".into(),
        Some(surface) => format!("the number of vertices in its surface {surface} is"),
    }
}

/// Whether a picture may have these sides.
///
/// # Errors
/// If a side is 0 or too large.
pub(crate) fn check_size(width: u32, height: u32) -> Result<(), DrawError> {
    let side = 1..=MAX_SIDE;
    if side.contains(&width) && side.contains(&height) {
        return Ok(());
    }
    Err(DrawError::Size { width, height })
}
