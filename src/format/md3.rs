//! Quake III's `.md3`: magic IDP3, version 15.
//!
//! A header, frame records, tags (attachment points, one set per frame) and surfaces. A surface has
//! a header of its own whose offsets count from the surface's start; positions are 16-bit, normals
//! two angle bytes.

use super::reading::{Tally, check_end, count, f32_of, finite, finite3, version};
use super::sequence;
use crate::bytes::{FileBytes, Reader, i32_at};
use crate::error::{LoadError, Place, Warning};
use crate::image::Palette;
use crate::model::{
    Clusters, Format, Geometry, Model, Reach, ShortFrame, ShortKeyframes, ShortSurface, Slots,
    Surface, Tag, TagTrack,
};

const FRAME: u64 = 56;
const TAG: u64 = 112;
const SURFACE_HEADER: i32 = 108;
/// Lengths that rows of tags have in models that were scaled.
const ORDINARY: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// Surfaces may share tables, but all tables together may not be larger than this many times the
/// file: a small file of overlapping surfaces would take all memory.
const MAX_SHARING: u64 = 4;

struct Header {
    name: String,
    frames: u32,
    tags: u32,
    surfaces: u32,
    frames_at: i32,
    tags_at: i32,
    surfaces_at: i32,
}

pub(super) fn load(file: &FileBytes) -> Result<Model, LoadError> {
    let mut warnings = Vec::new();
    let header = read_header(file, &mut warnings)?;
    let frames = read_frames(file, &header)?;
    let tags = read_tags(file, &header, &mut warnings)?;
    let mut surfaces = Surfaces { file, frames: header.frames, room: 0, warnings: &mut warnings };
    surfaces.room = MAX_SHARING * file.len() as u64;
    let (surfaces, packed) = surfaces.read(&header)?;
    let mut clips = sequence::clips(frames.iter().map(|frame| frame.name.as_str()), 0);
    sequence::make_names_unique(&mut clips);
    Ok(Model {
        format: Format::Md3,
        name: header.name,
        surfaces,
        geometry: Geometry::Shorts(ShortKeyframes { file: file.clone(), frames, surfaces: packed }),
        clips,
        tags,
        skins: Vec::new(),
        palette: Palette::quake(),
        holey: false,
        idle: 0,
        engine: None,
        warnings,
    })
}

fn read_header(file: &FileBytes, warnings: &mut Vec<Warning>) -> Result<Header, LoadError> {
    let mut r = Reader::new(file);
    r.bytes(4, "header")?;
    let version = version(&mut r, "MD3", 14..=16, "")?;
    if version != 15 {
        let message = format!("version {version}, expected 15; read as 15");
        warnings.push(Warning::new(Place::Offset(4), "header", message));
    }
    let name = r.name::<64>("header")?;
    // Flags: engines do not read them.
    r.bytes(4, "header")?;
    let frames = count(&mut r, "the number of frames")?;
    let tags = count(&mut r, "the number of tags")?;
    let surfaces = count(&mut r, "the number of surfaces")?;
    // Number of skins: never used.
    r.bytes(4, "header")?;
    let frames_at = r.i32("header")?;
    let tags_at = r.i32("header")?;
    let surfaces_at = r.i32("header")?;
    check_end(r.i32("header")?, 104, file.len(), warnings);
    if frames == 0 && surfaces > 0 {
        let message = format!("{surfaces} surfaces, but no frames");
        return Err(LoadError::malformed("header", Place::Offset(76), message));
    }
    Ok(Header { name, frames, tags, surfaces, frames_at, tags_at, surfaces_at })
}

/// Where the table `part` starts in the file, `offset` behind `base`, and its bytes: `count` records of
/// `size`. An empty table starts at `base`.
fn table<'a>(
    file: &'a FileBytes,
    part: &str,
    base: usize,
    offset: i32,
    count: u64,
    size: u64,
) -> Result<(usize, &'a [u8]), LoadError> {
    if count == 0 {
        return Ok((base, &[]));
    }
    let start = u64::try_from(base as i64 + i64::from(offset)).map_err(|_| {
        let message = format!("the offset {offset} leads out of the file");
        LoadError::malformed(part, Place::Offset(base), message)
    })?;
    let mut reader = Reader::at(file, start, part)?;
    let start = reader.offset();
    Ok((start, reader.records(count, size, part)?))
}

fn read_frames(file: &FileBytes, header: &Header) -> Result<Vec<ShortFrame>, LoadError> {
    let count = u64::from(header.frames);
    let (_, bytes) = table(file, "frames", 0, header.frames_at, count, FRAME)?;
    let name = |record: &[u8]| ShortFrame { name: crate::bytes::name(&record[40..56]) };
    Ok(bytes.chunks_exact(FRAME as usize).map(name).collect())
}

fn read_tags(
    file: &FileBytes,
    header: &Header,
    warnings: &mut Vec<Warning>,
) -> Result<TagTrack, LoadError> {
    let count = u64::from(header.frames) * u64::from(header.tags);
    let (start, bytes) = table(file, "tags", 0, header.tags_at, count, TAG)?;
    let [mut broken, mut scaled, mut lost] = [(); 3].map(|()| Tally::default());
    let (mut names, mut frames) = (Vec::new(), Vec::new());
    for (index, record) in bytes.chunks_exact(TAG as usize).enumerate() {
        let offset = start + index * TAG as usize;
        let name = crate::bytes::name(&record[..64]);
        let mut numbers = Reader::at(file, offset as u64 + 64, "tags")?;
        let origin = finite3(&mut numbers, "the origin", &mut broken)?;
        let mut tag = Tag { origin, ..Tag::IDENTITY };
        for (row, axis) in tag.axis.iter_mut().enumerate() {
            let vector = numbers.vec3("tags")?;
            let length = length(vector);
            let has_direction = length.is_finite() && length > 0.0;
            if !(length - 1.0).abs().le(&0.01) {
                let odd = if has_direction { &mut scaled } else { &mut lost };
                odd.add(offset + 76 + 12 * row, || {
                    format!("axis {row} of '{name}' has length {:?}, expected 1", length as f32)
                });
            }
            // Between frames rows blend with the lengths that they have, as in the game; what is no
            // length of an axis would drown the other frame.
            if ORDINARY.contains(&length) {
                *axis = vector;
            } else if has_direction {
                *axis = vector.map(|v| (f64::from(v) / length) as f32);
            }
        }
        if names.len() < header.tags as usize {
            names.push(name);
        }
        frames.push(tag);
    }
    broken.report("tags", "read as 0", warnings);
    scaled.report("tags", "scaled to 1", warnings);
    lost.report("tags", "without a direction it points as the model's axis", warnings);
    Ok(TagTrack { names: names.into(), frames })
}

/// In f64, where no finite f32 overflows.
fn length(vector: [f32; 3]) -> f64 {
    vector.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt()
}

/// The offsets and counts of a surface header.
struct SurfaceHeader {
    name: String,
    frames: u32,
    shaders: u32,
    vertices: u32,
    triangles: u32,
    triangles_at: i32,
    shaders_at: i32,
    st_at: i32,
    vertices_at: i32,
    end: i32,
}

/// Reads one surface after the other.
struct Surfaces<'a> {
    file: &'a FileBytes,
    /// Of the model.
    frames: u32,
    /// Bytes that tables may still claim.
    room: u64,
    warnings: &'a mut Vec<Warning>,
}

impl<'a> Surfaces<'a> {
    fn read(&mut self, header: &Header) -> Result<(Vec<Surface>, Vec<ShortSurface>), LoadError> {
        let (mut surfaces, mut packed) = (Vec::new(), Vec::new());
        if header.surfaces == 0 {
            return Ok((surfaces, packed));
        }
        let (mut start, _) = table(self.file, "surface 0", 0, header.surfaces_at, 1, 1)?;
        for index in 0..header.surfaces {
            let mut part = format!("surface {index}");
            let surface = self.read_header(start, &part)?;
            if !surface.name.is_empty() {
                part = format!("{part} ('{}')", surface.name);
            }
            packed.push(self.read_vertices(&surface, start, &part)?);
            surfaces.push(self.read_surface(&surface, start, &part)?);
            if index + 1 == header.surfaces {
                break;
            }
            if surface.end < SURFACE_HEADER {
                let message = format!(
                    "its end is {}, so the next surface cannot be found; {} of {} surfaces are kept",
                    surface.end,
                    index + 1,
                    header.surfaces
                );
                self.warn(start + 104, &part, message);
                break;
            }
            start += surface.end as usize;
        }
        Ok((surfaces, packed))
    }

    fn warn(&mut self, offset: usize, part: &str, message: impl Into<String>) {
        self.warnings.push(Warning::new(Place::Offset(offset), part, message));
    }

    fn read_header(&mut self, start: usize, part: &str) -> Result<SurfaceHeader, LoadError> {
        let mut r = Reader::at(self.file, start as u64, part)?;
        if r.remaining() < SURFACE_HEADER as usize {
            return Err(LoadError::truncated(part, start, SURFACE_HEADER as u64, r.remaining()));
        }
        let magic = r.array::<4>(part)?;
        if magic != *b"IDP3" {
            let found = String::from_utf8_lossy(&magic).into_owned();
            self.warn(start, part, format!("begins with {found:?}, expected \"IDP3\"; ignored"));
        }
        let name = r.name::<64>(part)?;
        // Flags: engines do not read them.
        r.bytes(4, part)?;
        let header = SurfaceHeader {
            name,
            frames: self.count(&mut r, part, "the number of frames")?,
            shaders: self.count(&mut r, part, "the number of shaders")?,
            vertices: self.count(&mut r, part, "the number of vertices")?,
            triangles: self.count(&mut r, part, "the number of triangles")?,
            triangles_at: r.i32(part)?,
            shaders_at: r.i32(part)?,
            st_at: r.i32(part)?,
            vertices_at: r.i32(part)?,
            end: r.i32(part)?,
        };
        self.check_header(&header, start, part)?;
        Ok(header)
    }

    fn count(&self, r: &mut Reader<'_>, part: &str, field: &str) -> Result<u32, LoadError> {
        let offset = r.offset();
        let value = r.i32(part)?;
        u32::try_from(value).map_err(|_| {
            let message = format!("{field} is {value}, expected 0 or more");
            LoadError::malformed(part, Place::Offset(offset), message)
        })
    }

    fn check_header(
        &mut self,
        header: &SurfaceHeader,
        start: usize,
        part: &str,
    ) -> Result<(), LoadError> {
        if header.frames != self.frames {
            let then = match header.frames < self.frames {
                true => "the surface rests in its last frame beyond them",
                false => "those beyond are not shown",
            };
            let message =
                format!("has {} frames, the model {}; {then}", header.frames, self.frames);
            self.warn(start + 72, part, message);
        }
        let (frames, vertices) = (header.frames, header.vertices);
        if frames == 0 && vertices > 0 {
            let message = format!("{vertices} vertices, but no frames");
            return Err(LoadError::malformed(part, Place::Offset(start + 72), message));
        }
        if vertices == 0 && header.triangles > 0 {
            let message = format!("{} triangles, but no vertices", header.triangles);
            return Err(LoadError::malformed(part, Place::Offset(start + 80), message));
        }
        Ok(())
    }

    /// As [`table`], within the room that all surfaces together have.
    fn table(
        &mut self,
        part: &str,
        base: usize,
        offset: i32,
        count: u64,
        size: u64,
    ) -> Result<(usize, &'a [u8]), LoadError> {
        let (start, bytes) = table(self.file, part, base, offset, count, size)?;
        self.room = self.room.checked_sub(bytes.len() as u64).ok_or_else(|| {
            let message = "the surfaces up to here claim several times what the file holds";
            LoadError::malformed(part, Place::Offset(start), message)
        })?;
        Ok((start, bytes))
    }

    fn read_vertices(
        &mut self,
        header: &SurfaceHeader,
        start: usize,
        part: &str,
    ) -> Result<ShortSurface, LoadError> {
        let part = format!("{part}, vertices");
        let count = u64::from(header.frames).saturating_mul(u64::from(header.vertices));
        let (offset, _) = self.table(&part, start, header.vertices_at, count, 8)?;
        let frame_count = header.frames.clamp(1, self.frames.max(1)) as usize;
        Ok(ShortSurface { offset, frame_count, vertex_count: header.vertices as usize })
    }

    fn read_surface(
        &mut self,
        header: &SurfaceHeader,
        start: usize,
        part: &str,
    ) -> Result<Surface, LoadError> {
        Ok(Surface {
            name: header.name.clone(),
            shaders: self.read_shaders(header, start, part)?,
            texcoords: self.read_texcoords(header, start, part)?.into(),
            triangles: self.read_triangles(header, start, part)?.into(),
            texture: None,
            material: None,
            reach: Reach::default(),
            clusters: Clusters::default(),
            slots: Slots::default(),
        })
    }

    fn read_shaders(
        &mut self,
        header: &SurfaceHeader,
        start: usize,
        part: &str,
    ) -> Result<Vec<String>, LoadError> {
        let shaders = format!("{part}, shaders");
        let count = u64::from(header.shaders);
        let (at, bytes) = self.table(&shaders, start, header.shaders_at, count, 68)?;
        let names: Vec<String> =
            bytes.chunks_exact(68).map(|record| crate::bytes::name(&record[..64])).collect();
        if let Some(empty) = names.iter().position(String::is_empty) {
            self.warn(at + 68 * empty, &shaders, format!("shader {empty} has no name"));
        }
        Ok(names)
    }

    fn read_texcoords(
        &mut self,
        header: &SurfaceHeader,
        start: usize,
        part: &str,
    ) -> Result<Vec<[f32; 2]>, LoadError> {
        let part = format!("{part}, texture coordinates");
        let count = u64::from(header.vertices);
        let (at, bytes) = self.table(&part, start, header.st_at, count, 8)?;
        let mut broken = Tally::default();
        let texcoords = bytes
            .chunks_exact(8)
            .enumerate()
            .map(|(i, record)| {
                let number = |k: usize, broken: &mut Tally| {
                    finite(f32_of(&record[k..]), at + 8 * i + k, "a coordinate", broken)
                };
                [number(0, &mut broken), number(4, &mut broken)]
            })
            .collect();
        broken.report(&part, "read as 0", self.warnings);
        Ok(texcoords)
    }

    fn read_triangles(
        &mut self,
        header: &SurfaceHeader,
        start: usize,
        part: &str,
    ) -> Result<Vec<[u32; 3]>, LoadError> {
        let part = format!("{part}, triangles");
        let count = u64::from(header.triangles);
        let (at, bytes) = self.table(&part, start, header.triangles_at, count, 12)?;
        let mut bad = Tally::default();
        let mut triangles = Vec::with_capacity(header.triangles as usize);
        for (index, record) in bytes.chunks_exact(12).enumerate() {
            let vertices = [0, 4, 8].map(|k| i32_at(record, k) as u32);
            match vertices.iter().find(|&&v| v >= header.vertices) {
                Some(&v) => bad.add(at + 12 * index, || {
                    format!("triangle {index} names vertex {} of {}", v as i32, header.vertices)
                }),
                None => triangles.push(vertices),
            }
        }
        bad.report(&part, "such triangles are left out", self.warnings);
        Ok(triangles)
    }
}
