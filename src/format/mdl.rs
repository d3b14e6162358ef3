//! Quake's `.mdl`: magic IDPO, version 6.
//!
//! Purely sequential: header, skins, texture coordinates, triangles, frames. Skins and frames may be
//! groups that play by themselves. Everything behind the last frame (editors leave notes there) is
//! ignored.

use super::corners;
use super::mdl_frames::{self, Frames};
use super::reading::{Tally, count, finite3, version};
use super::sequence;
use crate::bytes::{FileBytes, Reader, i32_at};
use crate::error::{LoadError, Place, Warning};
use crate::image::Palette;
use crate::model::{
    ByteKeyframes, Clip, Clusters, EngineMesh, Format, Geometry, MdlMesh, MdlTriangle, Model,
    Reach, Skin, SkinSource, Slots, StVertex, Surface, TagTrack, Timing,
};

/// Header flag: texel 255 is transparent. Newer engines than Quake honour it.
const HOLEY: i32 = 0x4000;

pub(super) struct Header {
    pub(super) scale: [f32; 3],
    pub(super) scale_origin: [f32; 3],
    skins: u32,
    skin_width: i32,
    skin_height: i32,
    pub(super) vertices: u32,
    triangles: u32,
    pub(super) frames: u32,
    flags: i32,
    size: f32,
}

pub(super) fn load(file: &FileBytes) -> Result<Model, LoadError> {
    let mut warnings = Vec::new();
    let mut reader = Reader::new(file);
    let header = read_header(&mut reader, &mut warnings)?;
    let skins = read_skins(&mut reader, &header, file, &mut warnings)?;
    let st = read_st(&mut reader, &header, &mut warnings)?;
    let triangles = read_triangles(&mut reader, &header, &mut warnings)?;
    let frames = mdl_frames::read(&mut reader, &header, &mut warnings)?;

    let mut model = Model {
        format: Format::Mdl,
        name: String::new(),
        surfaces: Vec::new(),
        clips: clips(&frames),
        geometry: Geometry::Bytes(ByteKeyframes {
            file: file.clone(),
            packed_count: header.vertices as usize,
            frames: frames.poses,
            vertex_of: Vec::new(),
        }),
        tags: TagTrack::default(),
        skins,
        palette: Palette::quake(),
        holey: header.flags & HOLEY != 0,
        idle: 0,
        engine: None,
        warnings,
    };
    add_surface(&mut model, &header, &st, &triangles);
    model.engine = Some(EngineMesh::Mdl(MdlMesh {
        file: file.clone(),
        scale: header.scale,
        scale_origin: header.scale_origin,
        skin_width: header.skin_width,
        skin_height: header.skin_height,
        size: header.size,
        st,
        triangles,
        frames: frames.entries,
    }));
    Ok(model)
}

fn read_header(reader: &mut Reader<'_>, warnings: &mut Vec<Warning>) -> Result<Header, LoadError> {
    reader.bytes(4, "header")?;
    version(reader, "MDL", 6..=6, " (3 is the QTest prerelease, which stores frames differently)")?;
    let mut broken = Tally::default();
    let scale = finite3(reader, "header", &mut broken)?;
    let scale_origin = finite3(reader, "header", &mut broken)?;
    // Bounding radius and eye position: no renderer reads them.
    reader.bytes(16, "header")?;
    let skins = count(reader, "the number of skins")?;
    let skin_width = reader.i32("header")?;
    let skin_height = reader.i32("header")?;
    let vertices = count(reader, "the number of vertices")?;
    let triangles = count(reader, "the number of triangles")?;
    let frames = count(reader, "the number of frames")?;
    // Synchronisation type: whether an engine shifts the time at random.
    reader.bytes(4, "header")?;
    let flags = reader.i32("header")?;
    let size = reader.f32("header")?;
    broken.report("header", "read as 0", warnings);
    let error = |offset, message: String| {
        Err(LoadError::malformed("header", Place::Offset(offset), message))
    };
    if skins > 0 && (skin_width < 1 || skin_height < 1) {
        return error(52, format!("{skins} skins of {skin_width} x {skin_height} texels"));
    }
    if vertices == 0 && triangles > 0 {
        return error(60, format!("{triangles} triangles, but no vertices"));
    }
    if frames == 0 {
        return error(68, "no frames; a model has at least one".into());
    }
    if skins == 0 {
        let message = "no skins; the model is drawn untextured";
        warnings.push(Warning::new(Place::Offset(48), "header", message));
    }
    Ok(Header {
        scale,
        scale_origin,
        skins,
        skin_width,
        skin_height,
        vertices,
        triangles,
        frames,
        flags,
        size,
    })
}

fn read_skins(
    reader: &mut Reader<'_>,
    header: &Header,
    file: &FileBytes,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Skin>, LoadError> {
    let (width, height) = (header.skin_width.max(0) as u32, header.skin_height.max(0) as u32);
    let size = u64::from(width) * u64::from(height);
    let mut skins = Vec::new();
    for index in 0..header.skins {
        let part = format!("skin {index}");
        let is_group = reader.i32(&part)? != 0;
        let (pictures, end_times) =
            if is_group { read_group_times(reader, &part, warnings)? } else { (1, Vec::new()) };
        let start = reader.offset();
        reader.records(u64::from(pictures), size, &part)?;
        let offsets = (0..pictures as usize).map(|i| start + i * size as usize).collect();
        let source = SkinSource::Embedded { file: file.clone(), width, height, offsets, end_times };
        skins.push(Skin { name: String::new(), source });
    }
    Ok(skins)
}

/// The number of members of a skin group and the end time of each.
fn read_group_times(
    reader: &mut Reader<'_>,
    part: &str,
    warnings: &mut Vec<Warning>,
) -> Result<(u32, Vec<f32>), LoadError> {
    let members = group_count(reader, part)?;
    let times = end_times(reader, part, members, warnings)?;
    Ok((members, times))
}

/// The number of members of a group, at least 1.
pub(super) fn group_count(reader: &mut Reader<'_>, part: &str) -> Result<u32, LoadError> {
    let offset = reader.offset();
    let members = reader.i32(part)?;
    if members < 1 {
        let message = format!("a group of {members} members, expected at least 1");
        return Err(LoadError::malformed(part, Place::Offset(offset), message));
    }
    Ok(members as u32)
}

/// The cumulative end times of a group.
pub(super) fn end_times(
    reader: &mut Reader<'_>,
    part: &str,
    members: u32,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<f32>, LoadError> {
    let start = reader.offset();
    let bytes = reader.records(u64::from(members), 4, part)?;
    let mut bad = Tally::default();
    let mut times = Vec::with_capacity(members as usize);
    let mut previous = 0.0;
    for (index, bytes) in bytes.chunks_exact(4).enumerate() {
        let time = super::reading::f32_of(bytes);
        let offset = start + 4 * index;
        if time.is_nan() || time <= previous || time.is_infinite() {
            bad.add(offset, || {
                format!("end time {index} of the group is {time}, the one before {previous}")
            });
        }
        let time = if time.is_finite() { time } else { 0.0 };
        times.push(time);
        previous = time;
    }
    let remedy = match times.last() {
        Some(&last) if last > 0.0 => {
            "members whose end is not later than the one before are never shown"
        }
        _ => "without a last end above 0 the group runs at 10 a second",
    };
    bad.report(part, remedy, warnings);
    Ok(times)
}

fn read_st(
    reader: &mut Reader<'_>,
    header: &Header,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<StVertex>, LoadError> {
    let part = "texture coordinates";
    let start = reader.offset();
    let bytes = reader.records(u64::from(header.vertices), 12, part)?;
    let mut outside = Tally::default();
    let mut st = Vec::with_capacity(header.vertices as usize);
    for (index, record) in bytes.chunks_exact(12).enumerate() {
        let vertex =
            StVertex { onseam: i32_at(record, 0), s: i32_at(record, 4), t: i32_at(record, 8) };
        let (s, t) = (vertex.s, vertex.t);
        let fits = (0..header.skin_width).contains(&s) && (0..header.skin_height).contains(&t);
        if header.skins > 0 && !fits {
            outside.add(start + 12 * index, || format!("({s}, {t}) of vertex {index} is outside"));
        }
        st.push(vertex);
    }
    outside.report(part, "the skin repeats there", warnings);
    Ok(st)
}

fn read_triangles(
    reader: &mut Reader<'_>,
    header: &Header,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<MdlTriangle>, LoadError> {
    let part = "triangles";
    let start = reader.offset();
    let bytes = reader.records(u64::from(header.triangles), 16, part)?;
    let mut bad = Tally::default();
    let mut triangles = Vec::with_capacity(header.triangles as usize);
    for (index, record) in bytes.chunks_exact(16).enumerate() {
        // A negative index becomes a large one and is out of range like any other.
        let vertices = [4, 8, 12].map(|at| i32_at(record, at) as u32);
        match vertices.iter().find(|&&v| v >= header.vertices) {
            Some(&v) => bad.add(start + 16 * index, || {
                format!("triangle {index} names vertex {} of {}", v as i32, header.vertices)
            }),
            None => triangles.push(MdlTriangle { faces_front: i32_at(record, 0) != 0, vertices }),
        }
    }
    bad.report(part, "such triangles are left out", warnings);
    if header.triangles == 0 {
        warnings.push(Warning::new(Place::Offset(64), "header", "no triangles; nothing is drawn"));
    }
    Ok(triangles)
}

/// Vertices, texture coordinates and triangles as they are drawn: a vertex on the seam that front
/// and back triangles share becomes two.
fn add_surface(model: &mut Model, header: &Header, st: &[StVertex], triangles: &[MdlTriangle]) {
    let corners: Vec<[corners::Corner; 3]> = triangles
        .iter()
        .map(|triangle| {
            triangle.vertices.map(|v| {
                let shifted = !triangle.faces_front && st[v as usize].onseam != 0;
                (v, u32::from(shifted))
            })
        })
        .collect();
    let vertices = corners::vertices(&corners);
    let width = header.skin_width.max(1);
    let height = header.skin_height.max(1) as f32;
    let texcoords = vertices.position_of.iter().zip(&vertices.texcoord_of).map(|(&v, &shifted)| {
        let st = st[v as usize];
        let s = i64::from(st.s) + if shifted == 1 { i64::from(width >> 1) } else { 0 };
        [(s as f32 + 0.5) / width as f32, (st.t as f32 + 0.5) / height]
    });
    model.surfaces.push(Surface {
        name: String::new(),
        shaders: Vec::new(),
        texcoords: texcoords.collect::<Vec<_>>().into(),
        triangles: vertices.triangles.into(),
        texture: model.skin_image(0, 0.0).map(Into::into),
        material: None,
        reach: Reach::default(),
        clusters: Clusters::default(),
        slots: Slots::default(),
    });
    if let Geometry::Bytes(keys) = &mut model.geometry {
        keys.vertex_of = vertices.position_of;
    }
}

/// Single frames make clips by their names; every group is a clip with its own times.
fn clips(frames: &Frames) -> Vec<Clip> {
    let mut clips = Vec::new();
    let mut first = 0;
    let mut entries = frames.entries.as_slice();
    while let Some(entry) = entries.first() {
        let names = frames.poses[first..].iter().map(|pose| pose.name.as_str());
        if entry.end_times.is_empty() {
            let singles = entries.iter().take_while(|e| e.end_times.is_empty()).count();
            clips.extend(sequence::clips(names.take(singles), first));
            first += singles;
            entries = &entries[singles..];
        } else {
            let count = entry.poses.len();
            let name = sequence::clip_name(names.take(1).next().unwrap_or_default());
            let timing = Timing::EndTimes(entry.end_times.clone());
            clips.push(Clip { name, first, count, anim: 0, timing });
            first += count;
            entries = &entries[1..];
        }
    }
    sequence::make_names_unique(&mut clips);
    clips
}
