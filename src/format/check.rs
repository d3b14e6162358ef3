//! Checks that need every vertex of a frame. Loading leaves them out, so that a picture of one
//! frame does not pay for all.

use std::ops::Range;

use super::NORMALS;
use super::reading::Tally;
use crate::error::Warning;
use crate::model::{ByteKeyframes, Geometry, Model};

impl Model {
    /// Looks at every packed vertex of the frames in `range` (numbers in file order; what lies
    /// beyond [`Model::frame_count`] is ignored) and tells what [`Model::warnings`] cannot know:
    /// MDL and MD2 normal numbers above the table of 162.
    #[must_use]
    pub fn check_frames(&self, range: Range<usize>) -> Vec<Warning> {
        match &self.geometry {
            Geometry::Bytes(keys) => check_normals(keys, range),
            Geometry::Shorts(_) | Geometry::Floats(_) | Geometry::Skeleton(_) => Vec::new(),
        }
    }
}

fn check_normals(keys: &ByteKeyframes, range: Range<usize>) -> Vec<Warning> {
    let mut unknown = Tally::default();
    let end = range.end.min(keys.frames.len());
    for frame in keys.frames.get(range.start..end).unwrap_or_default() {
        let packed = &keys.file[frame.offset..frame.offset + 4 * keys.packed_count];
        for (vertex, bytes) in packed.chunks_exact(4).enumerate() {
            if usize::from(bytes[3]) >= NORMALS.len() {
                unknown.add(frame.offset + 4 * vertex + 3, || {
                    format!("vertex {vertex} of '{}' has normal {} of 162", frame.name, bytes[3])
                });
            }
        }
    }
    let mut warnings = Vec::new();
    unknown.report("frames", "normal 0 is taken", &mut warnings);
    warnings
}
