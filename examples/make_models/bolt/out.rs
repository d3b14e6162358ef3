//! Little-endian bytes in a row, and vertices packed into them.

use glam::Vec3;

use super::anorms::NORMALS;

#[derive(Default)]
pub(crate) struct Out(pub(crate) Vec<u8>);

impl Out {
    pub(crate) fn int(&mut self, value: usize) {
        self.0.extend((value as i32).to_le_bytes());
    }

    pub(crate) fn short(&mut self, value: i32) {
        self.0.extend((value as i16).to_le_bytes());
    }

    pub(crate) fn float(&mut self, value: f32) {
        self.0.extend(value.to_le_bytes());
    }

    pub(crate) fn vector(&mut self, value: Vec3) {
        for component in value.to_array() {
            self.float(component);
        }
    }

    /// Text in a field of `size` bytes, filled up with NULs; without one if it fills the field.
    pub(crate) fn name(&mut self, text: &str, size: usize) {
        let start = self.0.len();
        self.0.extend(text.bytes().take(size));
        self.0.resize(start + size, 0);
    }

    /// Overwrites an integer written before.
    pub(crate) fn set_int(&mut self, at: usize, value: usize) {
        self.0[at..at + 4].copy_from_slice(&(value as i32).to_le_bytes());
    }
}

/// Corners of the box around points.
pub(crate) fn bounds<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> [Vec3; 2] {
    points
        .into_iter()
        .fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], &p| [low.min(p), high.max(p)])
}

/// Positions as bytes between two corners: position = byte * scale + origin.
pub(crate) struct Packing {
    pub(crate) scale: Vec3,
    pub(crate) origin: Vec3,
}

impl Packing {
    pub(crate) fn new([low, high]: [Vec3; 2]) -> Self {
        Self { scale: (high - low) / 255.0, origin: low }
    }

    fn bytes(&self, position: Vec3) -> [u8; 3] {
        let steps = (position - self.origin) / self.scale;
        steps.to_array().map(|step| libm::floorf(step + 0.5).clamp(0.0, 255.0) as u8)
    }

    /// Four bytes per vertex: position, index of the nearest normal of the table.
    pub(crate) fn vertices(&self, positions: &[Vec3], normals: &[Vec3]) -> Vec<[u8; 4]> {
        positions
            .iter()
            .zip(normals)
            .map(|(&position, &normal)| {
                let [x, y, z] = self.bytes(position);
                [x, y, z, nearest_normal(normal)]
            })
            .collect()
    }
}

/// The entry with the largest dot product, the first of equals.
fn nearest_normal(normal: Vec3) -> u8 {
    let mut best = (0, f32::NEG_INFINITY);
    for (index, &entry) in NORMALS.iter().enumerate() {
        let dot = normal.dot(Vec3::from_array(entry));
        if dot > best.1 {
            best = (index, dot);
        }
    }
    best.0 as u8
}
