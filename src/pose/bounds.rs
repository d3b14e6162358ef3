//! Bounds of clusters of triangles in a pose: where they are, and which way they face.
//!
//! ```text
//!        unit normals of the triangles
//!              \  |  /          all within `cos`, `sin` of the axis
//!            ___\_|_/___
//!           |  triangles |      all within `half` of the centre
//!           |____________|
//! ```
//!
//! To find them takes as long as to draw several pictures, so it is done when a pose was drawn in some: animations,
//! which pose anew for every picture, never pay for it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use glam::DVec3;

use super::{LANES, PosedSurface};
use crate::model::{Clusters, Reached};

/// Pictures of a pose that are drawn before its bounds are found. Of a million triangles that takes 40 to 60 ms,
/// and saves 2 to 8 ms a picture.
pub(crate) const PICTURES: u32 = 8;

/// Bounds of the clusters of a posed surface, once they pay.
#[derive(Debug, Default)]
pub(crate) struct LazyBounds {
    pictures: AtomicU32,
    found: OnceLock<Option<Bounds>>,
    /// Whose triangles these are, see [`Reached::id`].
    triangles: OnceLock<u64>,
}

/// What is found of a pose is not copied with it.
impl Clone for LazyBounds {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Bounds of all clusters of a surface.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// Eight clusters each; behind the last cluster stand empty ones.
    pub(crate) eights: Vec<ClusterBounds>,
    /// Centre and half the size of the box around all.
    pub(crate) centre: [f32; 3],
    pub(crate) half: [f32; 3],
}

/// Bounds of eight clusters, by axis and lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterBounds {
    /// Centre and half the size of a box around all triangles.
    pub(crate) centre: [[f32; LANES]; 3],
    pub(crate) half: [[f32; LANES]; 3],
    /// A unit vector, and cosine and sine of an angle below 90 degrees that no normal is farther from it.
    pub(crate) axis: [[f32; LANES]; 3],
    pub(crate) cos: [f32; LANES],
    pub(crate) sin: [f32; LANES],
    /// The least height of a triangle over its longest edge; 0 if nothing is known of where they face.
    pub(crate) height: [f32; LANES],
}

/// Cosines of wider cones are not worth a look.
const WIDEST: f64 = 0.1;

/// Added to what is rounded, so that bounds hold in spite of it.
const ROUNDING: f64 = 1e-6;

impl LazyBounds {
    /// What [`PosedSurface::bounds`] has found.
    pub(crate) fn found(&self) -> Option<&Bounds> {
        self.found.get()?.as_ref()
    }
}

impl PosedSurface {
    /// The bounds of the clusters of a surface, for a picture; `None` for the first [`PICTURES`] of the pose, if
    /// they were found for other triangles, or if positions are not finite.
    pub(crate) fn bounds(&self, triangles: &[[u32; 3]], reached: &Reached) -> Option<&Bounds> {
        let LazyBounds { pictures, found, triangles: of } = &self.bounds;
        if pictures.load(Ordering::Relaxed) < PICTURES {
            pictures.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        if *of.get_or_init(|| reached.id) != reached.id {
            return None;
        }
        found.get_or_init(|| Bounds::new(self, triangles)).as_ref()
    }
}

impl Bounds {
    fn new(surface: &PosedSurface, triangles: &[[u32; 3]]) -> Option<Self> {
        if !surface.position.iter().all(|values| values.iter().all(|x| x.is_finite())) {
            return None;
        }
        let clusters = triangles.len().div_ceil(Clusters::TRIANGLES);
        let mut eights = vec![ClusterBounds::default(); clusters.div_ceil(LANES)];
        let mut all = Box3::NONE;
        for (number, cluster) in triangles.chunks(Clusters::TRIANGLES).enumerate() {
            let found = eights[number / LANES].set(number % LANES, surface, cluster);
            all = all.and(found);
        }
        let (centre, half) = all.rounded();
        centre.iter().chain(&half).all(|x| x.is_finite()).then_some(Self { eights, centre, half })
    }
}

impl ClusterBounds {
    /// Sets the bounds of one cluster, and returns its box.
    fn set(&mut self, lane: usize, surface: &PosedSurface, triangles: &[[u32; 3]]) -> Box3 {
        let point = |vertex: u32| {
            let [x, y, z] = &surface.position;
            let i = vertex as usize;
            DVec3::new(x[i].into(), y[i].into(), z[i].into())
        };
        // The square of the least height.
        let (mut around, mut height) = (Box3::NONE, f64::INFINITY);
        let (mut normals, mut count) = ([DVec3::ZERO; Clusters::TRIANGLES], 0);
        let mut sum = DVec3::ZERO;
        for corners in triangles {
            let [a, b, c] = corners.map(point);
            around = around.and_point(a).and_point(b).and_point(c);
            // Two corners at one place make no area anywhere.
            if a == b || b == c || c == a {
                continue;
            }
            let (ab, bc, ca) = (b - a, c - b, a - c);
            let normal = ca.cross(ab);
            let square = normal.length_squared();
            let [x, y, z] = [ab, bc, ca].map(DVec3::length_squared);
            height = height.min(square / x.max(y).max(z));
            let normal = normal * (1.0 / square.sqrt());
            normals[count] = normal;
            sum += normal;
            count += 1;
        }
        let height = height.sqrt();
        let axis = sum.normalize_or_zero();
        let least = |least: f64, normal: &DVec3| least.min(normal.dot(axis));
        let cos = normals[..count].iter().fold(1.0, least) - ROUNDING;
        let is_known = cos > WIDEST && height.is_finite();
        let (centre, half) = around.rounded();
        for i in 0..3 {
            self.centre[i][lane] = centre[i];
            self.half[i][lane] = half[i];
            self.axis[i][lane] = axis.to_array()[i] as f32;
        }
        self.cos[lane] = cos as f32;
        self.sin[lane] = ((1.0 - cos * cos).max(0.0).sqrt() + ROUNDING) as f32;
        self.height[lane] = if is_known { (height * (1.0 - ROUNDING)) as f32 } else { 0.0 };
        around
    }
}

/// A box along the axes.
#[derive(Clone, Copy)]
struct Box3 {
    min: DVec3,
    max: DVec3,
}

impl Box3 {
    const NONE: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    fn and_point(self, point: DVec3) -> Self {
        self.and(Self { min: point, max: point })
    }

    fn and(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Centre and half the size as `f32`, of a box that is not smaller. No size if it is empty.
    fn rounded(self) -> ([f32; 3], [f32; 3]) {
        let (min, max) = (self.min.to_array(), self.max.to_array());
        let centre: [f32; 3] = std::array::from_fn(|i| ((min[i] + max[i]) * 0.5) as f32);
        let half = std::array::from_fn(|i| {
            let half = (max[i] - f64::from(centre[i])).max(f64::from(centre[i]) - min[i]);
            (half * (1.0 + ROUNDING)) as f32
        });
        (centre, half)
    }
}
