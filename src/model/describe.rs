//! Facts about a model that drawing does not need: names of frames, joints.

use super::{Geometry, Joint, Model};

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

    /// The joints of a skeletal model in file order, each with its name and the number of the joint that
    /// moves it (`None` for a root); none for the other formats.
    pub fn joints(&self) -> impl Iterator<Item = (&str, Option<usize>)> {
        let joints = match &self.geometry {
            Geometry::Skeleton(skeleton) => skeleton.joints.as_slice(),
            Geometry::Bytes(_) | Geometry::Shorts(_) | Geometry::Floats(_) => &[],
        };
        let parent = |joint: &Joint| joint.parent.map(|parent| parent as usize);
        joints.iter().map(move |joint| (joint.name.as_str(), parent(joint)))
    }
}
