//! Quake II `.md2`: byte vertices with a box per frame, texture coordinates per corner, glcmds.

use std::collections::{BTreeMap, HashMap};

use super::body::{HALF, HEIGHT, Part, bolt, chart};
use super::clips::Clip;
use super::out::{Out, Packing, bounds};
use super::shape::{Mesh, Triangle};
use super::skeleton::Posed;

/// Name, and one pose per frame.
type Frame = (String, Posed);

/// A corner: vertex, and its place in the table of texture coordinates.
type Corner = (usize, usize);

/// The order of the sections in the file; any is valid, because the header has an offset for each.
#[derive(Clone, Copy)]
enum Section {
    Skins,
    TextureCoordinates,
    Triangles,
    Frames,
    Commands,
}

/// Texture coordinates in use and the corners of the triangles.
struct Corners {
    st: Vec<[i16; 2]>,
    triangles: Vec<[Corner; 3]>,
}

/// The whole character with the frame names of a player model, pain in two sequences.
pub(crate) fn whole() -> Vec<u8> {
    let clips = [
        ("stand0", Clip::Stand, 8),
        ("run", Clip::Run, 6),
        ("attack", Clip::Attack, 8),
        ("pain10", Clip::PainA, 4),
        ("pain20", Clip::PainB, 4),
        ("wave0", Clip::Wave, 9),
    ];
    let frames: Vec<Frame> = clips
        .into_iter()
        .flat_map(|(name, clip, count)| {
            (0..count).map(move |index| {
                let pose = clip.pose(index as f32 / count as f32);
                (format!("{name}{}", index + 1), pose)
            })
        })
        .collect();
    use Section::{Commands, Frames, Skins, TextureCoordinates, Triangles};
    let order = [Skins, TextureCoordinates, Triangles, Frames, Commands];
    write(&bolt(), "models/bolt/bolt.pcx", &frames, &order, |_| false)
}

/// Only the shield: sections in an order that no tool writes, the back's texture coordinates negative.
pub(crate) fn shield() -> Vec<u8> {
    let shield = chart(Part::Shield);
    let whole = bolt();
    let mesh = whole.only(|triangle| {
        let st = whole.vertices[triangle.vertices[1]].st;
        let x = if st.x >= whole.half { st.x - whole.half } else { st.x };
        (shield.x..=shield.x + shield.width).contains(&x) && st.y >= shield.y
    });
    let frames = [("shield".to_owned(), Clip::Stand.pose(0.0))];
    use Section::{Commands, Frames, Skins, TextureCoordinates, Triangles};
    let order = [Frames, Commands, Triangles, Skins, TextureCoordinates];
    write(&mesh, "bolt.pcx", &frames, &order, |triangle| !triangle.front)
}

fn write(
    mesh: &Mesh,
    skin: &str,
    frames: &[Frame],
    order: &[Section],
    outside: impl Fn(&Triangle) -> bool,
) -> Vec<u8> {
    let corners = corners(mesh, outside);
    let commands = commands(&corners);
    let frame_size = 40 + 4 * mesh.vertices.len();
    let mut out = Out::default();
    out.name("IDP2", 4);
    for value in [
        8,
        2 * HALF as usize,
        HEIGHT as usize,
        frame_size,
        1,
        mesh.vertices.len(),
        corners.st.len(),
        mesh.triangles.len(),
        commands.len() / 4,
        frames.len(),
    ] {
        out.int(value);
    }
    const OFFSETS: usize = 44;
    out.0.resize(68, 0);
    for &section in order {
        let at = out.0.len();
        let field = match section {
            Section::Skins => {
                out.name(skin, 64);
                0
            }
            Section::TextureCoordinates => {
                for st in &corners.st {
                    out.short(i32::from(st[0]));
                    out.short(i32::from(st[1]));
                }
                1
            }
            Section::Triangles => {
                for triangle in &corners.triangles {
                    for &(vertex, _) in triangle {
                        out.short(vertex as i32);
                    }
                    for &(_, st) in triangle {
                        out.short(st as i32);
                    }
                }
                2
            }
            Section::Frames => {
                frames.iter().for_each(|frame| write_frame(&mut out, mesh, frame));
                3
            }
            Section::Commands => {
                out.0.extend(&commands);
                4
            }
        };
        out.set_int(OFFSETS + 4 * field, at);
    }
    let end = out.0.len();
    out.set_int(OFFSETS + 20, end);
    out.0
}

fn write_frame(out: &mut Out, mesh: &Mesh, (name, posed): &Frame) {
    let positions = mesh.positions(posed);
    let packing = Packing::new(bounds(&positions));
    out.vector(packing.scale);
    out.vector(packing.origin);
    out.name(name, 16);
    out.0.extend(packing.vertices(&positions, &mesh.normals(&positions)).iter().flatten());
}

/// The triangles that `outside` picks have their coordinates one width to the left of the skin,
/// where it repeats.
fn corners(mesh: &Mesh, outside: impl Fn(&Triangle) -> bool) -> Corners {
    let mut st = Vec::new();
    let mut places = HashMap::new();
    let triangles = mesh
        .triangles
        .iter()
        .map(|triangle: &Triangle| {
            [0, 1, 2].map(|corner| {
                let place = mesh.corner(triangle, corner);
                let mut value = [place.x, place.y].map(|v| libm::floorf(v + 0.5) as i16);
                if outside(triangle) {
                    value[0] -= 2 * HALF as i16;
                }
                let index = *places.entry(value).or_insert_with(|| {
                    st.push(value);
                    st.len() - 1
                });
                (triangle.vertices[corner], index)
            })
        })
        .collect();
    Corners { st, triangles }
}

/// The triangles once more, as strips and fans for drawing one after the other.
fn commands(corners: &Corners) -> Vec<u8> {
    let triangles = &corners.triangles;
    // Which triangle has a directed edge, and its third corner.
    let mut edges: BTreeMap<(Corner, Corner), Vec<(usize, Corner)>> = BTreeMap::new();
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        for (from, to, third) in [(a, b, c), (b, c, a), (c, a, b)] {
            edges.entry((from, to)).or_default().push((index, third));
        }
    }
    let mut drawn = vec![false; triangles.len()];
    let mut out = Out::default();
    for start in 0..triangles.len() {
        if drawn[start] {
            continue;
        }
        let mut best: (bool, Vec<usize>, Vec<Corner>) = (false, Vec::new(), Vec::new());
        for turned in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|corner| triangles[start][(corner + turned) % 3]);
            for fan in [false, true] {
                let (used, run) = extend(&edges, &drawn, start, [a, b, c], fan);
                if used.len() > best.1.len() {
                    best = (fan, used, run);
                }
            }
        }
        let (fan, used, run) = best;
        for index in used {
            drawn[index] = true;
        }
        let count = run.len() as i32;
        out.0.extend((if fan { -count } else { count }).to_le_bytes());
        for (vertex, st) in run {
            let [s, t] = corners.st[st].map(f32::from);
            out.float(s / (2 * HALF) as f32);
            out.float(t / HEIGHT as f32);
            out.int(vertex);
        }
    }
    out.int(0);
    out.0
}

/// The triangles and corners of the longest strip or fan from a triangle on.
fn extend(
    edges: &BTreeMap<(Corner, Corner), Vec<(usize, Corner)>>,
    drawn: &[bool],
    start: usize,
    first: [Corner; 3],
    fan: bool,
) -> (Vec<usize>, Vec<Corner>) {
    let mut used = vec![start];
    let mut run = first.to_vec();
    loop {
        let last = run.len() - 1;
        let edge = if fan {
            (run[0], run[last])
        } else if run.len().is_multiple_of(2) {
            (run[last - 1], run[last])
        } else {
            (run[last], run[last - 1])
        };
        let next = edges.get(&edge).and_then(|found| {
            found.iter().find(|(index, _)| !drawn[*index] && !used.contains(index))
        });
        let Some(&(index, corner)) = next else {
            return (used, run);
        };
        used.push(index);
        run.push(corner);
    }
}
