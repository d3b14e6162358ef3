//! The strips and fans of an `.md2`: `n` and then `n` vertices, a strip for a positive `n`, a fan
//! for a negative one, 0 ends.

use super::corners::{self, Corner, Vertices};
use super::reading::{Tally, f32_of};
use crate::bytes::i32_at;
use crate::error::{LoadError, Place, Warning};

/// Bytes of a vertex: s, t and the number of its position.
const VERTEX: usize = 12;

/// The triangles of all strips and fans.
pub(super) struct GlCommands {
    /// Texture coordinates in parts of the skin, one per vertex of a command.
    texcoords: Vec<[f32; 2]>,
    /// Position and texture coordinate of every corner.
    triangles: Vec<[Corner; 3]>,
}

impl GlCommands {
    /// Vertices and their texture coordinates.
    pub(super) fn into_surface(self) -> (Vertices, Vec<[f32; 2]>) {
        let vertices = corners::vertices(&self.triangles);
        let texcoords = vertices.texcoord_of.iter().map(|&i| self.texcoords[i as usize]).collect();
        (vertices, texcoords)
    }
}

/// Reads the commands of the table `bytes`, which stands at `offset` of the file; `None` if there
/// are none. Triangles that name a missing position are left out with a warning.
pub(super) fn read(
    bytes: &[u8],
    offset: usize,
    positions: u32,
    warnings: &mut Vec<Warning>,
) -> Result<Option<GlCommands>, LoadError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let (mut bad, mut broken) = (Tally::default(), Tally::default());
    let mut commands = GlCommands { texcoords: Vec::new(), triangles: Vec::new() };
    let mut at = 0;
    loop {
        if at == bytes.len() {
            let message = "not ended by a 0; taken as complete";
            warnings.push(Warning::new(Place::Offset(offset + at), "glcmds", message));
            break;
        }
        let n = i32_at(bytes, at);
        if n == 0 {
            break;
        }
        let start = at + 4;
        let needed = u64::from(n.unsigned_abs()) * VERTEX as u64;
        if needed > (bytes.len() - start) as u64 {
            let available = bytes.len() - start;
            return Err(LoadError::truncated("glcmds", offset + start, needed, available));
        }
        at = start + needed as usize;
        let first = commands.texcoords.len() as u32;
        let records = bytes[start..at].chunks_exact(VERTEX);
        for (i, record) in records.clone().enumerate() {
            let st = [0, 4].map(|k| {
                let at = offset + start + i * VERTEX + k;
                super::reading::finite(f32_of(&record[k..]), at, "a coordinate", &mut broken)
            });
            commands.texcoords.push(st);
        }
        let corners: Vec<Corner> = records.map(|r| i32_at(r, 8) as u32).zip(first..).collect();
        for triangle in triangles(&corners, n > 0) {
            match triangle.iter().find(|(position, _)| *position >= positions) {
                Some((position, _)) => bad.add(offset + start, || {
                    format!("a command names vertex {} of {positions}", *position as i32)
                }),
                None => commands.triangles.push(triangle),
            }
        }
    }
    bad.report("glcmds", "such triangles are left out", warnings);
    broken.report("glcmds", "read as 0", warnings);
    Ok(Some(commands).filter(|commands| !commands.triangles.is_empty()))
}

/// The triangles of one strip or fan. Every other triangle of a strip runs the other way round, so
/// its first two corners are swapped.
fn triangles(corners: &[Corner], is_strip: bool) -> impl Iterator<Item = [Corner; 3]> + '_ {
    (2..corners.len()).map(move |i| match (is_strip, i % 2) {
        (false, _) => [corners[0], corners[i - 1], corners[i]],
        (true, 0) => [corners[i - 2], corners[i - 1], corners[i]],
        (true, _) => [corners[i - 1], corners[i - 2], corners[i]],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(commands: &[&[(f32, f32, i32)]], signs: &[i32], end: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (vertices, sign) in commands.iter().zip(signs) {
            bytes.extend((vertices.len() as i32 * sign).to_le_bytes());
            for (s, t, v) in *vertices {
                bytes.extend(s.to_le_bytes());
                bytes.extend(t.to_le_bytes());
                bytes.extend(v.to_le_bytes());
            }
        }
        if end {
            bytes.extend([0; 4]);
        }
        bytes
    }

    const QUAD: &[(f32, f32, i32)] = &[(0.0, 0.0, 0), (1.0, 0.0, 1), (0.0, 1.0, 2), (1.0, 1.0, 3)];

    #[test]
    fn strips_turn_every_other_triangle_and_fans_do_not() {
        let mut warnings = Vec::new();
        let bytes = words(&[QUAD, QUAD], &[1, -1], true);
        let commands = read(&bytes, 0, 4, &mut warnings).unwrap().unwrap();
        let positions: Vec<[u32; 3]> =
            commands.triangles.iter().map(|t| t.map(|(position, _)| position)).collect();
        assert_eq!(positions, [[0, 1, 2], [2, 1, 3], [0, 1, 2], [0, 2, 3]]);
        assert!(warnings.is_empty(), "{warnings:?}");
    }

    #[test]
    fn defects_are_told_apart() {
        let mut warnings = Vec::new();
        assert!(read(&[], 0, 4, &mut warnings).unwrap().is_none());
        let open = words(&[QUAD], &[1], false);
        assert!(read(&open, 0, 4, &mut warnings).unwrap().is_some());
        assert!(warnings[0].message.contains("not ended"), "{warnings:?}");
        let three = read(&words(&[QUAD], &[1], true), 0, 3, &mut warnings).unwrap().unwrap();
        assert_eq!(three.triangles.len(), 1);
        assert!(warnings[1].message.contains("vertex 3 of 3"), "{warnings:?}");
        assert!(read(&open[..40], 100, 4, &mut warnings).is_err());
        assert!(read(&i32::MIN.to_le_bytes(), 0, 4, &mut warnings).is_err());
    }
}
