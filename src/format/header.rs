//! Fields of a file that only engines and editors read: no picture depends on them.

use crate::bytes::{FileBytes, i32_at};
use crate::hash::Hash;
use crate::model::{EngineMesh, Geometry, Model};

/// Bytes of an MDL header.
const MDL_HEADER: usize = 84;
/// Bytes of an MD2 header.
const MD2_HEADER: usize = 68;
/// Bytes of an MD3 header.
const MD3_HEADER: usize = 108;
/// Bytes of an MD3 frame record in front of its name.
const MD3_FRAME_BOX: usize = 40;
/// Bytes of an MD3 frame record.
const MD3_FRAME: usize = 56;

/// What engines do with an MDL whose flag it is.
const MDL_FLAGS: [(i32, &str); 9] = [
    (1, "rocket trail"),
    (2, "grenade smoke"),
    (4, "gib blood"),
    (8, "rotate"),
    (16, "tracer"),
    (32, "zombie gib"),
    (64, "tracer 2"),
    (128, "tracer 3"),
    (0x4000, "holey"),
];

impl Model {
    /// The fields of the file's header that are no part of the model's shape, each with its name and its
    /// value as text: flags and synchronisation of an MDL, the OpenGL commands of an MD2, the boxes of an
    /// MD3's frames, ... None of an MD5 or of a model built in memory. Long tables stand as their hash.
    #[must_use]
    pub fn header_fields(&self) -> Vec<(&'static str, String)> {
        match (&self.engine, &self.geometry) {
            (Some(EngineMesh::Mdl(mesh)), _) if mesh.file.len() >= MDL_HEADER => mdl(&mesh.file),
            (Some(EngineMesh::Md2(mesh)), _) if mesh.file.len() >= MD2_HEADER => md2(&mesh.file),
            (_, Geometry::Shorts(keys)) if keys.file.len() >= MD3_HEADER => md3(&keys.file),
            _ => Vec::new(),
        }
    }
}

fn f32_at(file: &FileBytes, offset: usize) -> f32 {
    f32::from_bits(i32_at(file, offset) as u32)
}

fn mdl(file: &FileBytes) -> Vec<(&'static str, String)> {
    let number = |offset| f32_at(file, offset).to_string();
    let flags = i32_at(file, 76);
    let known = MDL_FLAGS.iter().filter(|(bit, _)| flags & bit != 0).map(|(_, name)| *name);
    let known: Vec<&str> = known.collect();
    let shown = match known.as_slice() {
        [] => flags.to_string(),
        known => format!("{flags} ({})", known.join(", ")),
    };
    let synchronisation = match i32_at(file, 72) {
        0 => "0 (together)".into(),
        1 => "1 (at random)".into(),
        other => other.to_string(),
    };
    vec![
        ("flags", shown),
        ("synchronisation", synchronisation),
        ("bounding radius", number(32)),
        ("eye position", [36, 40, 44].map(number).join(" ")),
        ("mean triangle area", number(80)),
        ("skin size", format!("{} x {}", i32_at(file, 52), i32_at(file, 56))),
    ]
}

fn md2(file: &FileBytes) -> Vec<(&'static str, String)> {
    let words = i32_at(file, 36);
    let start = usize::try_from(i32_at(file, 60)).ok();
    let length = usize::try_from(words).ok().and_then(|words| words.checked_mul(4));
    let bytes = start.zip(length).and_then(|(start, length)| {
        let end = start.checked_add(length)?;
        file.get(start..end)
    });
    let commands = match bytes {
        Some(bytes) => format!("{words} words, {:016x}", Hash::new().bytes(bytes)),
        None => format!("{words} words outside of the file"),
    };
    vec![
        ("skin size", format!("{} x {}", i32_at(file, 8), i32_at(file, 12))),
        ("OpenGL commands", commands),
    ]
}

fn md3(file: &FileBytes) -> Vec<(&'static str, String)> {
    let count = usize::try_from(i32_at(file, 76)).unwrap_or(0);
    let start = usize::try_from(i32_at(file, 92)).unwrap_or(usize::MAX);
    let records = file.get(start..).unwrap_or_default().chunks_exact(MD3_FRAME).take(count);
    let boxes = records.map(|record| Hash::new().bytes(&record[..MD3_FRAME_BOX]));
    let boxes = boxes.fold(Hash::new(), Hash::word).bytes(&[]);
    vec![
        ("flags", i32_at(file, 72).to_string()),
        ("skins", i32_at(file, 88).to_string()),
        ("boxes of frames", format!("{boxes:016x}")),
    ]
}
