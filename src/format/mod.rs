//! Bytes to a [`Model`]: detection by content, one file per format. No I/O here.
//!
//! The extension of a file says little (Quake III models are called `.md2`, four engines share
//! `.mdl`), so the first bytes decide. What the loaders do with defects follows one rule: what
//! makes every picture wrong is an error, what spoils a part is a warning and is left out, what
//! only an old engine minded is silent. `docs/formats.md` lists the cases.

mod anorms;
mod check;
mod corners;
mod glcmds;
mod header;
mod md2;
mod md3;
mod md5;
pub(crate) mod md5anim;
mod md5fit;
pub(crate) mod md5mesh;
mod mdl;
mod mdl_frames;
mod reading;
mod sequence;

#[cfg(test)]
mod md2_tests;
#[cfg(test)]
mod md3_tests;
#[cfg(test)]
mod md5mesh_tests;
#[cfg(test)]
mod mdl_tests;
#[cfg(test)]
mod testing;

pub(crate) use anorms::NORMALS;

use crate::bytes::FileBytes;
use crate::error::{LoadError, LoadErrorKind, Place};
use crate::model::Model;

/// An MD2 holds its triangles twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Md2Geometry {
    /// The triangle table with whole texels, as the software renderer of Quake II draws.
    #[default]
    Triangles,
    /// The strips and fans with coordinates of their own, as its OpenGL renderer draws.
    Glcmds,
}

/// What the first bytes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mdl,
    Md2,
    Md3,
    Md5,
}

/// First bytes of files that people hand to a model viewer and that are something else.
const OTHERS: [(&[u8], &str); 21] = [
    (b"RAPO", "a Hexen II mission pack model (RAPO)"),
    (b"MD16", "a QuakeForge model with 16-bit vertices (MD16)"),
    (b"IDST", "a Half-Life or Source engine model (IDST)"),
    (b"IDSQ", "a sequence file of a Half-Life model (IDSQ)"),
    (b"MDL2", "a 3D GameStudio A2 model (MDL2)"),
    (b"MDL3", "a 3D GameStudio A4 model (MDL3)"),
    (b"MDL4", "a 3D GameStudio A4 model (MDL4)"),
    (b"MDL5", "a 3D GameStudio A5 model (MDL5)"),
    (b"MDL7", "a 3D GameStudio A7 model (MDL7)"),
    (b"IDPC", "a Return to Castle Wolfenstein compressed model (MDC)"),
    (b"IDSP", "a Quake sprite"),
    (b"IDS2", "a Quake II sprite"),
    (b"IBSP", "a Quake map (BSP)"),
    (b"PACK", "a PAK archive; call it .pak, and a model inside it ARCHIVE:MEMBER"),
    (
        b"PK\x03\x04",
        "a zip archive (PK3); call it .pk3 or .zip, and a model inside it ARCHIVE:MEMBER",
    ),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"DDS ", "a DDS picture"),
    (b"BM", "a BMP picture"),
    (b"INTERQUAKEMODEL", "an Inter-Quake model (IQM)"),
    (b"glTF", "a glTF model"),
];

fn detect(data: &[u8]) -> Result<Kind, LoadError> {
    match data.get(..4) {
        Some(b"IDPO") => return Ok(Kind::Mdl),
        Some(b"IDP2") => return Ok(Kind::Md2),
        Some(b"IDP3") => return Ok(Kind::Md3),
        _ if is_md5(data) => return Ok(Kind::Md5),
        _ => {}
    }
    let readable = "polyset reads .mdl (IDPO), .md2 (IDP2), .md3 (IDP3) and .md5mesh";
    let message = match OTHERS.iter().find(|(magic, _)| data.starts_with(magic)) {
        Some((_, what)) => format!("this is {what}; {readable}"),
        None if data.is_empty() => "the file is empty".into(),
        None => format!("begins with {}; {readable}", shown(data)),
    };
    Err(LoadError::new(LoadErrorKind::UnknownFormat, Place::Offset(0), "first bytes", message))
}

/// The first bytes for a message: as text where they are text.
fn shown(data: &[u8]) -> String {
    let head = &data[..data.len().min(4)];
    if head.iter().all(u8::is_ascii_graphic) {
        format!("'{}'", String::from_utf8_lossy(head))
    } else {
        let bytes: Vec<String> = head.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("the bytes {}", bytes.join(" "))
    }
}

/// Whether a text begins with the word `MD5Version`, after blanks and comments.
fn is_md5(data: &[u8]) -> bool {
    let mut rest = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    loop {
        rest = rest.trim_ascii_start();
        if let Some(comment) = rest.strip_prefix(b"//") {
            let Some(end) = comment.iter().position(|&b| b == b'\n') else { return false };
            rest = &comment[end..];
        } else if let Some(comment) = rest.strip_prefix(b"/*") {
            let Some(end) = comment.windows(2).position(|w| w == b"*/") else { return false };
            rest = &comment[end + 2..];
        } else {
            return rest.starts_with(b"MD5Version");
        }
    }
}

impl Model {
    /// Reads a model of any of the four formats; the content decides which. Textures in files of
    /// their own are not looked for: hand them to [`Model::set_skin`].
    ///
    /// # Errors
    /// If the bytes are no model or a broken one; the message says where and how.
    pub fn from_bytes(data: &[u8]) -> Result<Self, LoadError> {
        Self::from_vec(data.to_vec())
    }

    /// Like [`Model::from_bytes`] without copying: packed keyframes stay in `data`.
    ///
    /// # Errors
    /// As [`Model::from_bytes`].
    pub fn from_vec(data: Vec<u8>) -> Result<Self, LoadError> {
        Self::from_vec_with(data, Md2Geometry::default())
    }

    /// Like [`Model::from_vec`] with a choice for an MD2.
    ///
    /// # Errors
    /// As [`Model::from_bytes`].
    pub fn from_vec_with(data: Vec<u8>, md2_geometry: Md2Geometry) -> Result<Self, LoadError> {
        let kind = detect(&data)?;
        let file = FileBytes::new(data);
        match kind {
            Kind::Mdl => mdl::load(&file),
            Kind::Md2 => md2::load(&file, md2_geometry),
            Kind::Md3 => md3::load(&file),
            Kind::Md5 => md5mesh::load(&file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_and_foreign_files_are_named() {
        assert_eq!(detect(b"IDP2....").unwrap(), Kind::Md2);
        assert_eq!(detect(b"\xef\xbb\xbf// made\r\n/* x */ MD5Version 10").unwrap(), Kind::Md5);
        let cases: [(&[u8], &str); 7] = [
            (b"IDST\x0a\0\0\0", "Half-Life"),
            (b"MDL7", "GameStudio A7"),
            (b"RAPO", "Hexen II"),
            (b"MD16", "QuakeForge"),
            (b"", "empty"),
            (b"\0\x01", "the bytes 00 01"),
            (b"/**/ MD5", "'/**/'"),
        ];
        for (data, word) in cases {
            let error = detect(data).unwrap_err();
            assert_eq!(error.kind(), LoadErrorKind::UnknownFormat);
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
