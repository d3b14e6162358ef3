//! Quake II's `.md2`: magic IDP2, version 8.
//!
//! A header of counts and offsets, then five tables in any order. Triangles name positions and
//! texture coordinates separately; the file holds the same triangles once more as strips and fans
//! with coordinates of their own (`glcmds`).

use super::corners::{self, Corner, Vertices};
use super::glcmds::{self, GlCommands};
use super::reading::{Tally, check_end, count, finite3, text, version};
use super::{Md2Geometry, sequence};
use crate::bytes::{FileBytes, Reader, i16_at};
use crate::error::{LoadError, Place, Warning};
use crate::image::Palette;
use crate::model::{
    ByteFrame, ByteKeyframes, Clusters, EngineMesh, Format, Geometry, Md2Mesh, Md2Triangle, Model,
    Reach, Skin, SkinSource, Slots, Surface, TagTrack,
};

/// Bytes of a frame before its vertices: scale, translation, name.
const FRAME_HEADER: u64 = 40;

#[derive(Debug)]
struct Header {
    skin_width: i32,
    skin_height: i32,
    frame_size: u32,
    skins: u32,
    vertices: u32,
    st: u32,
    triangles: u32,
    command_words: u32,
    frames: u32,
    skins_at: i32,
    st_at: i32,
    triangles_at: i32,
    frames_at: i32,
    commands_at: i32,
}

pub(super) fn load(file: &FileBytes, geometry: Md2Geometry) -> Result<Model, LoadError> {
    let mut warnings = Vec::new();
    let header = read_header(file, &mut warnings)?;
    let skins = read_skins(file, &header, &mut warnings)?;
    let st = read_st(file, &header, &mut warnings)?;
    let (triangles, without_st) = read_triangles(file, &header, &mut warnings)?;
    let frames = read_frames(file, &header, &mut warnings)?;
    let commands = read_commands(file, &header, &mut warnings);

    let is_unusable = without_st > triangles.len();
    let drawn_commands = commands.filter(|_| geometry == Md2Geometry::Glcmds || is_unusable);
    if is_unusable && drawn_commands.is_some() {
        let message =
            "most texture coordinates named here do not exist; the glcmds are drawn instead";
        let place = Place::Offset(header.triangles_at.max(0) as usize);
        warnings.push(Warning::new(place, "triangles", message));
    }
    if geometry == Md2Geometry::Glcmds && drawn_commands.is_none() {
        let message = "there are none to draw; the triangle table is drawn";
        warnings.push(Warning::new(Place::Offset(36), "glcmds", message));
    }
    let mesh = Md2Mesh {
        file: file.clone(),
        skin_width: header.skin_width,
        skin_height: header.skin_height,
        st,
        triangles,
        texcoords_in_texels: drawn_commands.is_none(),
    };
    // Nothing moves in a file without frames, so nothing can be drawn.
    let (vertices, texcoords) = match drawn_commands {
        _ if frames.is_empty() => (corners::vertices(&[]), Vec::new()),
        Some(commands) => commands.into_surface(),
        None => surface(&mesh),
    };
    let clips = sequence::md2_clips(frames.iter().map(|frame| frame.name.as_str()));
    Ok(Model {
        format: Format::Md2,
        name: String::new(),
        surfaces: vec![Surface {
            name: String::new(),
            shaders: Vec::new(),
            texcoords: texcoords.into(),
            triangles: vertices.triangles.into(),
            texture: None,
            material: None,
            reach: Reach::default(),
            clusters: Clusters::default(),
            slots: Slots::default(),
        }],
        geometry: Geometry::Bytes(ByteKeyframes {
            file: file.clone(),
            packed_count: header.vertices as usize,
            frames,
            vertex_of: vertices.position_of,
        }),
        clips,
        tags: TagTrack::default(),
        skins,
        palette: Palette::quake(),
        holey: false,
        idle: 0,
        engine: Some(EngineMesh::Md2(mesh)),
        warnings,
    })
}

fn read_header(file: &FileBytes, warnings: &mut Vec<Warning>) -> Result<Header, LoadError> {
    let mut r = Reader::new(file);
    r.bytes(4, "header")?;
    version(&mut r, "MD2", 8..=8, "")?;
    let header = Header {
        skin_width: r.i32("header")?,
        skin_height: r.i32("header")?,
        frame_size: count(&mut r, "the size of a frame")?,
        skins: count(&mut r, "the number of skins")?,
        vertices: count(&mut r, "the number of vertices")?,
        st: count(&mut r, "the number of texture coordinates")?,
        triangles: count(&mut r, "the number of triangles")?,
        command_words: count(&mut r, "the number of glcmds words")?,
        frames: count(&mut r, "the number of frames")?,
        skins_at: r.i32("header")?,
        st_at: r.i32("header")?,
        triangles_at: r.i32("header")?,
        frames_at: r.i32("header")?,
        commands_at: r.i32("header")?,
    };
    check_end(r.i32("header")?, 64, file.len(), warnings);
    let error = |offset, message: String| {
        Err(LoadError::malformed("header", Place::Offset(offset), message))
    };
    if header.triangles > 0 && header.vertices == 0 {
        return error(24, format!("{} triangles, but no vertices", header.triangles));
    }
    let (size, needed) =
        (u64::from(header.frame_size), FRAME_HEADER + 4 * u64::from(header.vertices));
    if header.frames > 0 && size < needed {
        return error(
            16,
            format!("the size of a frame is {size}, {} vertices need {needed}", header.vertices),
        );
    }
    if header.frames > 0 && size > needed {
        let message =
            format!("the size of a frame is {size}, {needed} would do; taken as the step");
        warnings.push(Warning::new(Place::Offset(16), "header", message));
    }
    if header.triangles > 0 && (header.skin_width < 1 || header.skin_height < 1) {
        let message = format!(
            "the skin's size is {} x {}; the size of the picture is taken",
            header.skin_width, header.skin_height
        );
        warnings.push(Warning::new(Place::Offset(8), "header", message));
    }
    Ok(header)
}

/// The `count` records of `size` bytes at `offset`, and that offset.
fn table<'a>(
    file: &'a FileBytes,
    part: &str,
    offset: i32,
    count: u32,
    size: u64,
) -> Result<(Reader<'a>, &'a [u8]), LoadError> {
    if count == 0 {
        return Ok((Reader::new(file), &[]));
    }
    let start = u64::try_from(offset).map_err(|_| {
        LoadError::malformed(part, Place::File, format!("the header puts it at offset {offset}"))
    })?;
    let reader = Reader::at(file, start, part)?;
    let bytes = reader.clone().records(u64::from(count), size, part)?;
    Ok((reader, bytes))
}

fn read_skins(
    file: &FileBytes,
    header: &Header,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Skin>, LoadError> {
    let (mut reader, _) = table(file, "skin names", header.skins_at, header.skins, 64)?;
    let mut unterminated = Tally::default();
    let skins = (0..header.skins)
        .map(|_| {
            let name = text::<64>(&mut reader, "skin names", &mut unterminated)?;
            Ok(Skin { name, source: SkinSource::File })
        })
        .collect();
    unterminated.report("skin names", "taken whole", warnings);
    skins
}

fn read_st(
    file: &FileBytes,
    header: &Header,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<[i16; 2]>, LoadError> {
    let part = "texture coordinates";
    let (reader, bytes) = table(file, part, header.st_at, header.st, 4)?;
    let mut outside = Tally::default();
    let mut st = Vec::with_capacity(header.st as usize);
    let fits = |value: i16, size: i32| size < 1 || (0..=size).contains(&i32::from(value));
    for (index, record) in bytes.chunks_exact(4).enumerate() {
        let [s, t] = [i16_at(record, 0), i16_at(record, 2)];
        if !fits(s, header.skin_width) || !fits(t, header.skin_height) {
            outside.add(reader.offset() + 4 * index, || {
                let (width, height) = (header.skin_width, header.skin_height);
                format!("({s}, {t}) is outside the skin of {width} x {height}")
            });
        }
        st.push([s, t]);
    }
    outside.report(part, "the skin repeats there", warnings);
    Ok(st)
}

/// The triangles whose indices exist, and how many were left out for their texture coordinates
/// alone.
fn read_triangles(
    file: &FileBytes,
    header: &Header,
    warnings: &mut Vec<Warning>,
) -> Result<(Vec<Md2Triangle>, usize), LoadError> {
    let part = "triangles";
    let (reader, bytes) = table(file, part, header.triangles_at, header.triangles, 12)?;
    let mut bad = Tally::default();
    let mut without_st = 0;
    let mut triangles = Vec::with_capacity(header.triangles as usize);
    for (index, record) in bytes.chunks_exact(12).enumerate() {
        let index_at = |at| u32::from(i16_at(record, at) as u16);
        let vertices = [0, 2, 4].map(index_at);
        let st = [6, 8, 10].map(index_at);
        let offset = reader.offset() + 12 * index;
        if let Some(v) = vertices.iter().find(|&&v| v >= header.vertices) {
            bad.add(offset, || format!("triangle {index} names vertex {v} of {}", header.vertices));
        } else if let Some(i) = st.iter().find(|&&i| i >= header.st) {
            without_st += 1;
            bad.add(offset, || {
                format!("triangle {index} names texture coordinate {i} of {}", header.st)
            });
        } else {
            triangles.push(Md2Triangle { vertices, st });
        }
    }
    bad.report(part, "such triangles are left out", warnings);
    Ok((triangles, without_st))
}

fn read_frames(
    file: &FileBytes,
    header: &Header,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<ByteFrame>, LoadError> {
    let size = u64::from(header.frame_size);
    let (first, _) = table(file, "frames", header.frames_at, header.frames, size)?;
    let (mut unterminated, mut broken) = (Tally::default(), Tally::default());
    let mut frames = Vec::with_capacity(header.frames as usize);
    for index in 0..header.frames as usize {
        let offset = first.offset() + index * header.frame_size as usize;
        let mut reader = Reader::at(file, offset as u64, "frames")?;
        let scale = finite3(&mut reader, "scale", &mut broken)?;
        let origin = finite3(&mut reader, "translation", &mut broken)?;
        let name = text::<16>(&mut reader, "frames", &mut unterminated)?;
        frames.push(ByteFrame { name, scale, origin, offset: reader.offset() });
    }
    unterminated.report("frames", "taken whole", warnings);
    broken.report("frames", "read as 0", warnings);
    Ok(frames)
}

/// The glcmds if they are there and whole; broken ones are a warning.
fn read_commands(
    file: &FileBytes,
    header: &Header,
    warnings: &mut Vec<Warning>,
) -> Option<GlCommands> {
    let words = header.command_words;
    let read = table(file, "glcmds", header.commands_at, words, 4).and_then(|(reader, bytes)| {
        glcmds::read(bytes, reader.offset(), header.vertices, warnings)
    });
    match read {
        Ok(commands) => commands,
        Err(error) => {
            warnings.push(Warning::of_error(&error, "the triangle table is drawn"));
            None
        }
    }
}

/// Vertices of the triangle table with coordinates in parts of the header's skin size; a size of 0
/// leaves whole texels, see [`Md2Mesh::texcoords_in_texels`].
fn surface(mesh: &Md2Mesh) -> (Vertices, Vec<[f32; 2]>) {
    let corners: Vec<[Corner; 3]> = mesh
        .triangles
        .iter()
        .map(|triangle| std::array::from_fn(|i| (triangle.vertices[i], triangle.st[i])))
        .collect();
    let vertices = corners::vertices(&corners);
    let [width, height] = [mesh.skin_width, mesh.skin_height].map(|size| size.max(1) as f32);
    let texcoords = vertices
        .texcoord_of
        .iter()
        .map(|&i| {
            let [s, t] = mesh.st[i as usize];
            [f32::from(s) / width, f32::from(t) / height]
        })
        .collect();
    (vertices, texcoords)
}
