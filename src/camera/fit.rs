//! Automatic framing: the nearest eye from which all points stay inside the margins.

use glam::Vec3;

use super::{Axes, Camera, NO_SIZE, Placement, front, positive_or, tan_half, turn};

/// Share of the picture that automatic framing leaves free on every side.
const MARGIN: f32 = 0.05;

/// The points that a camera shows, taken in one by one: how far they reach to each side of the picture.
pub(crate) struct Fit {
    axes: Axes,
    /// Slopes of the view's sides, without the margins; 0 in parallel projection.
    slopes: [f32; 2],
    aspect: f32,
    /// What distances are counted from.
    anchor: Vec3,
    /// The anchor stays in the middle of the picture.
    is_centred: bool,
    is_orthographic: bool,
    /// For each picture axis the largest `side - slope * depth` towards both ends.
    reach: [[f32; 2]; 2],
    depth: [f32; 2],
    is_empty: bool,
}

impl Fit {
    /// Nothing yet. The camera looks in the direction of its angles around `up`, which has unit length; a
    /// `focal` point stays in the middle of the picture.
    pub(crate) fn new(camera: &Camera, up: Vec3, focal: Option<Vec3>, aspect: f32) -> Self {
        let aspect = aspect / camera.pixel_aspect;
        let (offset, side) = turn(front(up), up, camera.azimuth, camera.elevation);
        let slope_up = tan_half(camera.view_angle) * FREE;
        let slopes = if camera.orthographic { [0.0; 2] } else { [slope_up * aspect, slope_up] };
        Self {
            axes: Axes::looking(-offset, up, side),
            slopes,
            aspect,
            anchor: focal.unwrap_or(Vec3::ZERO),
            is_centred: focal.is_some(),
            is_orthographic: camera.orthographic,
            reach: [[f32::NEG_INFINITY; 2]; 2],
            depth: [f32::INFINITY, f32::NEG_INFINITY],
            is_empty: true,
        }
    }

    /// Takes in a point of the scene.
    pub(crate) fn add(&mut self, point: Vec3) {
        let p = point - self.anchor;
        let along = p.dot(self.axes.forward);
        self.depth = [self.depth[0].min(along), self.depth[1].max(along)];
        for (axis, direction) in [self.axes.right, self.axes.up].into_iter().enumerate() {
            let side = p.dot(direction);
            let [right, left] = &mut self.reach[axis];
            *right = right.max(side - self.slopes[axis] * along);
            *left = left.max(-side - self.slopes[axis] * along);
        }
        self.is_empty = false;
    }

    /// How far the nearest and the farthest point are in front of a camera of this direction.
    pub(crate) fn distances(&self, eye: Vec3) -> [f32; 2] {
        self.depth.map(|depth| depth - (eye - self.anchor).dot(self.axes.forward))
    }

    /// The nearest eye from which all points stay inside the margins.
    pub(crate) fn place(&self) -> Placement {
        let Self { axes, slopes, aspect, anchor, is_centred, .. } = self;
        let (mut reach, mut depth) = (self.reach, self.depth);
        if self.is_empty {
            (reach, depth) = ([[1.0; 2]; 2], [0.0; 2]);
        }
        if *is_centred {
            // The focal point stays in the middle: the wider side decides.
            reach = reach.map(|[a, b]| [a.max(b); 2]);
        }
        let centre = reach.map(|[a, b]| (a - b) / 2.0);
        let spread = reach.map(|[a, b]| (a + b) / 2.0);
        let side = axes.right * centre[0] + axes.up * centre[1] + *anchor;
        if self.is_orthographic {
            let half_height = spread[1].max(spread[0] / aspect) / FREE;
            let half_height = positive_or(half_height, NO_SIZE);
            let back = depth[0] - (depth[1] - depth[0]).max(half_height);
            return axes.at(side + axes.forward * back, half_height);
        }
        let back = (-spread[0] / slopes[0]).min(-spread[1] / slopes[1]);
        // Nothing stands at the eye, however thin it is in the picture.
        let extent = depth[1] - depth[0];
        let back = back.min(depth[0] - extent * 1e-3 - (extent * 1e-3).min(1e-3));
        // A single point has no extent to stand off by.
        let is_off = back < depth[0];
        let back = if is_off { back } else { depth[0] - depth[0].abs().max(1.0) * 1e-3 };
        axes.at(side + axes.forward * back, 1.0)
    }
}

/// Share of the picture between the margins.
const FREE: f32 = 1.0 - 2.0 * MARGIN;
