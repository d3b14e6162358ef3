//! Corners to vertices: where triangles share a position but not its texture coordinate, the
//! position becomes several vertices.

/// A corner of a triangle: the number of its packed position and of its texture coordinate.
pub(super) type Corner = (u32, u32);

/// Vertices with one position and one texture coordinate each.
pub(super) struct Vertices {
    /// Packed position of every vertex, ascending.
    pub(super) position_of: Vec<u32>,
    /// Texture coordinate of every vertex.
    pub(super) texcoord_of: Vec<u32>,
    /// The triangles in the order given, as numbers of vertices.
    pub(super) triangles: Vec<[u32; 3]>,
}

/// One vertex for every pair that occurs, ordered by position and then by texture coordinate, so
/// that decoding walks the file forward. Positions that no triangle uses get no vertex.
pub(super) fn vertices(triangles: &[[Corner; 3]]) -> Vertices {
    let mut order: Vec<(Corner, u32)> = triangles.iter().flatten().copied().zip(0..).collect();
    order.sort_unstable();
    let mut result = Vertices {
        position_of: Vec::new(),
        texcoord_of: Vec::new(),
        triangles: vec![[0; 3]; triangles.len()],
    };
    let corners = result.triangles.as_flattened_mut();
    let mut previous = None;
    for (corner, at) in order {
        if previous != Some(corner) {
            previous = Some(corner);
            result.position_of.push(corner.0);
            result.texcoord_of.push(corner.1);
        }
        corners[at as usize] = result.position_of.len() as u32 - 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_with_two_texture_coordinates_becomes_two_vertices() {
        let v = vertices(&[[(5, 0), (1, 0), (2, 0)], [(5, 1), (2, 0), (1, 0)]]);
        assert_eq!(v.position_of, [1, 2, 5, 5]);
        assert_eq!(v.texcoord_of, [0, 0, 0, 1]);
        assert_eq!(v.triangles, [[2, 0, 1], [3, 1, 0]]);
    }
}
