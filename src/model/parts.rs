//! Building a [`Model`] from plain vectors.

use std::sync::Arc;

use super::{Clusters, FloatKeyframes, Format, Geometry, Model, Reach, Slots, Surface, TagTrack};
use crate::error::{LoadError, Place};
use crate::image::{Image, Palette};

/// One surface of a model that a library user builds.
#[derive(Clone, Debug, Default)]
pub struct SurfaceParts {
    /// Any name; `SURFACE=FILE` options refer to it.
    pub name: String,
    /// Model space: X forward, Y left, Z up.
    pub positions: Vec<[f32; 3]>,
    /// One unit vector per position.
    pub normals: Vec<[f32; 3]>,
    /// One per position; (0, 0) is the upper left corner of the texture.
    pub texcoords: Vec<[f32; 2]>,
    /// Three vertex numbers each, clockwise when seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The texture; `None` is drawn in neutral grey.
    pub texture: Option<Arc<Image>>,
}

impl Model {
    /// A model of one frame from plain vectors.
    ///
    /// # Errors
    /// If the vectors of a surface differ in length or a triangle names a missing vertex.
    pub fn from_parts(parts: Vec<SurfaceParts>) -> Result<Self, LoadError> {
        for (surface, part) in parts.iter().enumerate() {
            check(surface, part)?;
        }
        let mut keys =
            FloatKeyframes { frame_count: 1, positions: Vec::new(), normals: Vec::new() };
        let mut surfaces = Vec::with_capacity(parts.len());
        for part in parts {
            keys.positions.push(part.positions);
            keys.normals.push(part.normals);
            surfaces.push(Surface {
                name: part.name,
                shaders: Vec::new(),
                texcoords: part.texcoords.into(),
                triangles: part.triangles.into(),
                texture: part.texture,
                material: None,
                reach: Reach::default(),
                clusters: Clusters::default(),
                slots: Slots::default(),
            });
        }
        Ok(Self {
            format: Format::Parts,
            name: String::new(),
            surfaces,
            geometry: Geometry::Floats(keys),
            clips: Vec::new(),
            tags: TagTrack::default(),
            skins: Vec::new(),
            palette: Palette::quake(),
            holey: false,
            idle: 0,
            engine: None,
            warnings: Vec::new(),
        })
    }
}

fn check(surface: usize, part: &SurfaceParts) -> Result<(), LoadError> {
    let positions = part.positions.len();
    for (what, found) in
        [("normals", part.normals.len()), ("texture coordinates", part.texcoords.len())]
    {
        if found != positions {
            return Err(misfit(surface, format!("{positions} positions, but {found} {what}")));
        }
    }
    for (triangle, corners) in part.triangles.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= positions) {
            return Err(misfit(
                surface,
                format!("triangle {triangle} names vertex {vertex} of {positions}"),
            ));
        }
    }
    Ok(())
}

/// The vectors of a surface do not fit together.
fn misfit(surface: usize, message: String) -> LoadError {
    LoadError::malformed(format!("surface {surface}"), Place::File, message)
}
