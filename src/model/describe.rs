//! Facts about a model that drawing does not need: counts, names of frames, joints.

use super::{Geometry, Joint, Model, Surface};

/// How many of each kind of part a model has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "info", derive(serde::Serialize))]
pub struct Counts {
    /// Meshes with one texture each.
    pub surfaces: usize,
    /// Of all surfaces together.
    pub vertices: usize,
    /// Of all surfaces together.
    pub triangles: usize,
    /// As [`Model::frame_count`].
    pub frames: usize,
    /// Named sequences of frames.
    pub clips: usize,
    /// Model-wide skin entries.
    pub skins: usize,
    /// Attachment points.
    pub tags: usize,
    /// Of an MD5.
    pub joints: usize,
}

impl Model {
    /// How many of each kind of part there are.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            surfaces: self.surfaces.len(),
            vertices: self.surfaces.iter().map(Surface::vertex_count).sum(),
            triangles: self.triangle_count(),
            frames: self.frame_count(),
            clips: self.clips.len(),
            skins: self.skins.len(),
            tags: self.tag_names().len(),
            joints: self.joints().count(),
        }
    }

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
