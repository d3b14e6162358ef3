//! Quake `.mdl`: byte vertices, half-skin layout with seam, groups with uneven times.

use glam::Vec3;

use super::body::{HALF, HEIGHT, Part, bolt, chart, head};
use super::clips::Clip;
use super::out::{Out, Packing, bounds};
use super::paint::Mood;
use super::shape::{Chart, Mesh};
use super::skeleton::Posed;
use super::skin::{Skin, quake_index, whole_body};

/// An entry of the table of skins.
enum SkinEntry {
    Single(Vec<u8>),
    /// Pictures and the times at which each ends.
    Group(Vec<(f32, Vec<u8>)>),
}

/// An entry of the table of frames.
enum FrameEntry {
    Single(String, Box<Posed>),
    /// Frames and the times at which each ends.
    Group(Vec<(f32, String, Posed)>),
}

/// The whole character: skin 0 single, skin 1 a group that blinks; stand, run and pain as single
/// frames, a greeting as a group, one more single frame; bytes of some editor at the end.
pub(crate) fn whole() -> Vec<u8> {
    let picture = |mood| {
        let skin = Skin::new([2 * HALF, HEIGHT], HALF, 1, mood, &whole_body());
        skin.indices(quake_index)
    };
    let skins = [
        SkinEntry::Single(picture(Mood::Awake)),
        SkinEntry::Group(vec![
            (0.7, picture(Mood::Awake)),
            (0.8, picture(Mood::Blinking)),
            (1.3, picture(Mood::Asleep)),
        ]),
    ];
    let single = |name: &str, clip: Clip, count: usize| {
        let name = name.to_owned();
        (0..count).map(move |index| {
            let phase = index as f32 / count as f32;
            FrameEntry::Single(format!("{name}{}", index + 1), Box::new(clip.pose(phase)))
        })
    };
    let mut frames: Vec<FrameEntry> = single("stand", Clip::Stand, 8)
        .chain(single("run", Clip::Run, 6))
        .chain(single("pain", Clip::PainA, 4))
        .collect();
    let times = [0.1, 0.25, 0.3, 0.45, 0.55, 0.6, 0.75, 0.8, 0.9, 1.15];
    let greeting = times.iter().enumerate().map(|(index, &time)| {
        (time, format!("wave{}", index + 1), Clip::Wave.pose(index as f32 / times.len() as f32))
    });
    frames.push(FrameEntry::Group(greeting.collect()));
    frames.push(FrameEntry::Single("attack1".to_owned(), Box::new(Clip::Attack.pose(0.5))));
    let mut bytes = write(&bolt(), [2 * HALF, HEIGHT], &skins, &frames, 0);
    bytes.extend(b"QMEX and whatever an editor keeps behind the last frame");
    bytes
}

/// Only the head, on a skin of odd width, with holes (index 255) where the visor's glass was.
pub(crate) fn holey() -> Vec<u8> {
    const SMALL_HALF: u32 = 79;
    const SIZE: [u32; 2] = [2 * SMALL_HALF + 1, 59];
    const ON_HEAD: [Part; 4] = [Part::Helmet, Part::Ear, Part::Antenna, Part::Lamp];
    let place = |part| match part {
        Part::Ear => Chart { x: 65.0, y: 2.0, ..chart(part) },
        Part::Antenna => Chart { x: 65.0, y: 13.0, ..chart(part) },
        Part::Lamp => Chart { x: 65.0, y: 36.0, ..chart(part) },
        _ => chart(part),
    };
    let charts = ON_HEAD.map(|part| (part, place(part)));
    let mut mesh = Mesh::new(SMALL_HALF as f32);
    head(&mut mesh, place);
    let skin = Skin::new(SIZE, SMALL_HALF, 1, Mood::Awake, &charts);
    let glass =
        [quake_index(super::paint::Ramp::Glass, 0), quake_index(super::paint::Ramp::Glass, 15)];
    let texels = skin.indices(quake_index).into_iter().map(|texel| {
        let hole = (glass[1]..=glass[0]).contains(&texel);
        if hole { 255 } else { texel }
    });
    let skins = [SkinEntry::Single(texels.collect())];
    // A name of 16 bytes leaves no room for its NUL.
    let frames = [("look1", 0.0), ("a_longer_name_16", 0.4)].map(|(name, phase)| {
        FrameEntry::Single(name.to_owned(), Box::new(Clip::PainB.pose(phase)))
    });
    const HOLEY: usize = 0x4000;
    write(&mesh, SIZE, &skins, &frames, HOLEY)
}

fn write(
    mesh: &Mesh,
    [width, height]: [u32; 2],
    skins: &[SkinEntry],
    frames: &[FrameEntry],
    flags: usize,
) -> Vec<u8> {
    let poses = frames.iter().flat_map(|entry| match entry {
        FrameEntry::Single(_, posed) => vec![posed.as_ref()],
        FrameEntry::Group(group) => group.iter().map(|(_, _, posed)| posed).collect(),
    });
    let all: Vec<Vec3> = poses.flat_map(|posed| mesh.positions(posed)).collect();
    let corners = bounds(&all);
    let packing = Packing::new(corners);
    let mut out = Out::default();
    out.name("IDPO", 4);
    out.int(6);
    out.vector(packing.scale);
    out.vector(packing.origin);
    out.float(all.iter().map(|p| p.length()).fold(0.0, f32::max));
    out.vector(Vec3::new(0.0, 0.0, 21.0));
    for count in [
        skins.len(),
        width as usize,
        height as usize,
        mesh.vertices.len(),
        mesh.triangles.len(),
        frames.len(),
        0,
        flags,
    ] {
        out.int(count);
    }
    out.float(mean_area(mesh, &all[..mesh.vertices.len()]));
    for skin in skins {
        write_skin(&mut out, skin);
    }
    for vertex in &mesh.vertices {
        const ON_SEAM: usize = 0x20;
        out.int(if vertex.on_seam { ON_SEAM } else { 0 });
        // The engines add the half texel.
        out.int(libm::floorf(vertex.st.x) as usize);
        out.int((libm::floorf(vertex.st.y) as usize).min(height as usize - 1));
    }
    for triangle in &mesh.triangles {
        out.int(usize::from(triangle.front));
        for index in triangle.vertices {
            out.int(index);
        }
    }
    for frame in frames {
        write_frame(&mut out, mesh, &packing, frame);
    }
    out.0
}

/// The average area of the triangles, which the original engine uses to tell small models.
fn mean_area(mesh: &Mesh, positions: &[Vec3]) -> f32 {
    let areas = mesh.triangles.iter().map(|triangle| {
        let [a, b, c] = triangle.vertices.map(|index| positions[index]);
        (b - a).cross(c - a).length() * 0.5
    });
    areas.sum::<f32>() / mesh.triangles.len() as f32
}

fn write_skin(out: &mut Out, skin: &SkinEntry) {
    match skin {
        SkinEntry::Single(texels) => {
            out.int(0);
            out.0.extend(texels);
        }
        SkinEntry::Group(pictures) => {
            out.int(1);
            out.int(pictures.len());
            for (time, _) in pictures {
                out.float(*time);
            }
            for (_, texels) in pictures {
                out.0.extend(texels);
            }
        }
    }
}

fn write_frame(out: &mut Out, mesh: &Mesh, packing: &Packing, frame: &FrameEntry) {
    let pack = |posed: &Posed| {
        let positions = mesh.positions(posed);
        packing.vertices(&positions, &mesh.normals(&positions))
    };
    match frame {
        FrameEntry::Single(name, posed) => {
            out.int(0);
            write_pose(out, name, &pack(posed));
        }
        FrameEntry::Group(group) => {
            out.int(1);
            out.int(group.len());
            let packed: Vec<_> = group.iter().map(|(_, _, posed)| pack(posed)).collect();
            write_box(out, packed.iter().flatten());
            for (time, _, _) in group {
                out.float(*time);
            }
            for ((_, name, _), vertices) in group.iter().zip(&packed) {
                write_pose(out, name, vertices);
            }
        }
    }
}

fn write_pose(out: &mut Out, name: &str, vertices: &[[u8; 4]]) {
    write_box(out, vertices);
    out.name(name, 16);
    out.0.extend(vertices.iter().flatten());
}

/// The smallest and largest bytes of some vertices, as two vertices.
fn write_box<'a>(out: &mut Out, vertices: impl IntoIterator<Item = &'a [u8; 4]>) {
    let mut low = [255; 4];
    let mut high = [0; 4];
    for vertex in vertices {
        for axis in 0..3 {
            low[axis] = low[axis].min(vertex[axis]);
            high[axis] = high[axis].max(vertex[axis]);
        }
    }
    (low[3], high[3]) = (0, 0);
    out.0.extend(low.iter().chain(&high));
}
