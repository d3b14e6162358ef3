//! Facts about a model that drawing does not need: names of frames, joints.

use super::{Geometry, Model};

/// A joint of a skeletal model, for listings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointInfo<'a> {
    /// The name in the file.
    pub name: &'a str,
    /// The joint's number of the joint that moves it; `None` for a root.
    pub parent: Option<usize>,
}

impl Model {
    /// The name that the file gives to a frame; empty if it gives none or the frame does not exist.
    #[must_use]
    pub fn frame_name(&self, frame: usize) -> &str {
        let name = match &self.geometry {
            Geometry::Bytes(keys) => keys.frames.get(frame).map(|frame| &frame.name),
            Geometry::Shorts(keys) => keys.frames.get(frame).map(|frame| &frame.name),
            Geometry::Floats(_) | Geometry::Skeleton(_) => None,
        };
        name.map_or("", String::as_str)
    }

    /// The joints of a skeletal model in file order; none for the other formats.
    pub fn joints(&self) -> impl Iterator<Item = JointInfo<'_>> {
        let joints = match &self.geometry {
            Geometry::Skeleton(skeleton) => skeleton.joints.as_slice(),
            Geometry::Bytes(_) | Geometry::Shorts(_) | Geometry::Floats(_) => &[],
        };
        joints.iter().map(|joint| JointInfo {
            name: &joint.name,
            parent: joint.parent.map(|parent| parent as usize),
        })
    }
}
