//! Well-formed models of every format, made from an input; and what then goes wrong with them.

use std::fmt::Write as _;

use crate::source::Source;

/// Formats that [`file`] writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Mdl,
    Md2,
    Md3,
    Md5,
}

pub(crate) const KINDS: [Kind; 4] = [Kind::Mdl, Kind::Md2, Kind::Md3, Kind::Md5];

/// A file and where its fields stand.
#[derive(Default)]
struct Binary {
    bytes: Vec<u8>,
    /// Offsets and lengths (2 or 4).
    fields: Vec<(usize, usize)>,
}

impl Binary {
    fn int(&mut self, value: usize) {
        self.word(value as u32);
    }

    fn word(&mut self, value: u32) {
        self.fields.push((self.bytes.len(), 4));
        self.bytes.extend(value.to_le_bytes());
    }

    fn float(&mut self, value: f32) {
        self.word(value.to_bits());
    }

    fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|&value| self.float(value));
    }

    fn short(&mut self, value: u16) {
        self.fields.push((self.bytes.len(), 2));
        self.bytes.extend(value.to_le_bytes());
    }

    fn name<const N: usize>(&mut self, name: &str) {
        let mut field = [0; N];
        let length = name.len().min(N - 1);
        field[..length].copy_from_slice(&name.as_bytes()[..length]);
        self.bytes.extend(field);
    }

    fn here(&self) -> usize {
        self.bytes.len()
    }

    /// Writes an int that was not known before.
    fn set(&mut self, offset: usize, value: usize) {
        self.bytes[offset..offset + 4].copy_from_slice(&(value as u32).to_le_bytes());
    }

    /// Replaces some fields.
    fn damaged(mut self, source: &mut Source<'_>) -> Vec<u8> {
        let count = if source.once_in(3) { source.between(1, 4) } else { 0 };
        for _ in 0..count {
            // Headers decide more than what follows.
            let most =
                if source.once_in(2) { self.fields.len() } else { self.fields.len().min(32) };
            let (offset, length) = self.fields[source.below(most)];
            let field = &mut self.bytes[offset..offset + length];
            let mut old = [0; 4];
            old[..length].copy_from_slice(field);
            let old = u32::from_le_bytes(old);
            let new = match source.below(5) {
                0 => old.wrapping_add(1),
                1 => old.wrapping_sub(1),
                2 => source.strange().to_bits(),
                3 => old ^ 1 << source.below(32),
                _ => source.strange_integer(),
            };
            field.copy_from_slice(&new.to_le_bytes()[..length]);
        }
        if source.once_in(16) {
            let length = source.below(self.bytes.len() + 1);
            self.bytes.truncate(length);
        }
        self.bytes
    }
}

/// A model of this format.
pub(crate) fn file(kind: Kind, source: &mut Source<'_>) -> Vec<u8> {
    match kind {
        Kind::Mdl => mdl(source),
        Kind::Md2 => md2(source),
        Kind::Md3 => md3(source),
        Kind::Md5 => md5mesh(source),
    }
}

fn mdl(source: &mut Source<'_>) -> Vec<u8> {
    let mut file = Binary::default();
    let [vertices, triangles, frames] =
        [source.between(3, 20), source.between(1, 24), source.between(1, 4)];
    let skins = source.between(1, 2);
    let [width, height] = [4 * source.between(1, 4), source.between(1, 12)];
    file.bytes.extend(b"IDPO");
    file.int(6);
    let scale = [0; 3].map(|_| source.float(0.5));
    file.floats(&scale);
    file.floats(&source.vector(40.0));
    file.float(30.0);
    file.floats(&source.vector(8.0));
    for value in [skins, width, height, vertices, triangles, frames] {
        file.int(value);
    }
    file.int(source.below(2));
    file.word(if source.once_in(3) { 0x4000 } else { 0 });
    file.float(1.0);
    for _ in 0..skins {
        let group = source.once_in(3).then(|| source.between(1, 3));
        file.int(usize::from(group.is_some()));
        if let Some(pictures) = group {
            file.int(pictures);
            (1..=pictures).for_each(|i| file.float(i as f32 * 0.1));
        }
        for _ in 0..group.unwrap_or(1) * width * height {
            file.bytes.push(source.byte());
        }
    }
    for _ in 0..vertices {
        file.int(32 * usize::from(source.once_in(3)));
        file.int(source.below(width));
        file.int(source.below(height));
    }
    for _ in 0..triangles {
        file.int(source.below(2));
        (0..3).for_each(|_| file.int(source.below(vertices)));
    }
    let frame = |file: &mut Binary, source: &mut Source<'_>| {
        file.bytes.extend([0, 0, 0, 0, 255, 255, 255, 0]);
        file.name::<16>("stand1");
        for _ in 0..vertices {
            let vertex = [source.byte(), source.byte(), source.byte(), source.byte()];
            file.bytes.extend(vertex);
        }
    };
    for _ in 0..frames {
        let group = source.once_in(4).then(|| source.between(1, 3));
        file.int(usize::from(group.is_some()));
        if let Some(poses) = group {
            file.int(poses);
            file.bytes.extend([0; 8]);
            (1..=poses).for_each(|i| file.float(i as f32 * 0.1));
        }
        (0..group.unwrap_or(1)).for_each(|_| frame(&mut file, source));
    }
    file.damaged(source)
}

fn md2(source: &mut Source<'_>) -> Vec<u8> {
    let mut file = Binary::default();
    let [vertices, corners, triangles] =
        [source.between(3, 20), source.between(3, 20), source.between(1, 24)];
    let [frames, skins] = [source.between(1, 4), source.below(3)];
    file.bytes.extend(b"IDP2");
    file.int(8);
    file.int(source.pick(&[16, 64, 0, 7]));
    file.int(source.pick(&[16, 32, 0, 9]));
    file.int(40 + 4 * vertices);
    for value in [skins, vertices, corners, triangles] {
        file.int(value);
    }
    let commands = file.here();
    file.int(0);
    file.int(frames);
    let offsets = file.here();
    (0..6).for_each(|_| file.int(0));
    let begin = |file: &mut Binary, number: usize| {
        let here = file.here();
        file.set(offsets + 4 * number, here);
    };
    begin(&mut file, 0);
    (0..skins).for_each(|_| file.name::<64>("models/monsters/test/skin.pcx"));
    begin(&mut file, 1);
    for _ in 0..corners {
        file.short(source.below(64) as u16);
        file.short(source.below(32) as u16);
    }
    begin(&mut file, 2);
    for _ in 0..triangles {
        (0..3).for_each(|_| file.short(source.below(vertices) as u16));
        (0..3).for_each(|_| file.short(source.below(corners) as u16));
    }
    begin(&mut file, 3);
    for number in 0..frames {
        let scale = [0; 3].map(|_| source.float(0.5));
        file.floats(&scale);
        file.floats(&source.vector(40.0));
        file.name::<16>(&format!("{}{number}", source.pick(&["run", "stand", "pain1", ""])));
        for _ in 0..vertices {
            let vertex = [source.byte(), source.byte(), source.byte(), source.byte()];
            file.bytes.extend(vertex);
        }
    }
    begin(&mut file, 4);
    let first = file.here();
    for _ in 0..source.below(5) {
        let length = source.between(3, 6) as i32;
        file.word(if source.once_in(2) { length } else { -length } as u32);
        for _ in 0..length {
            file.float(source.float(1.0));
            file.float(source.float(1.0));
            file.int(source.below(vertices));
        }
    }
    file.word(0);
    let count = (file.here() - first) / 4;
    file.set(commands, count);
    begin(&mut file, 5);
    file.damaged(source)
}

fn md3(source: &mut Source<'_>) -> Vec<u8> {
    let mut file = Binary::default();
    let [frames, tags, surfaces] = [source.between(1, 4), source.below(3), source.between(1, 3)];
    file.bytes.extend(b"IDP3");
    file.int(15);
    file.name::<64>("models/players/test/head.md3");
    for value in [0, frames, tags, surfaces, 0] {
        file.int(value);
    }
    let offsets = file.here();
    (0..4).for_each(|_| file.int(0));
    let begin = |file: &mut Binary, number: usize| {
        let here = file.here();
        file.set(offsets + 4 * number, here);
    };
    begin(&mut file, 0);
    for number in 0..frames {
        for _ in 0..3 {
            file.floats(&source.vector(40.0));
        }
        file.float(40.0);
        file.name::<16>(&format!("frame{number}"));
    }
    begin(&mut file, 1);
    for _ in 0..frames {
        for tag in 0..tags {
            file.name::<64>(["tag_head", "tag_weapon"][tag]);
            file.floats(&source.vector(20.0));
            (0..3).for_each(|_| file.floats(&source.vector(1.0)));
        }
    }
    begin(&mut file, 2);
    for number in 0..surfaces {
        md3_surface(&mut file, number, frames, source);
    }
    begin(&mut file, 3);
    file.damaged(source)
}

fn md3_surface(file: &mut Binary, number: usize, frames: usize, source: &mut Source<'_>) {
    let [shaders, vertices, triangles] =
        [source.below(3), source.between(3, 16), source.between(1, 20)];
    let start = file.here();
    file.bytes.extend(b"IDP3");
    file.name::<64>(["h_head", "u_torso", "l_legs"][number]);
    for value in [0, frames, shaders, vertices, triangles] {
        file.int(value);
    }
    let offsets = file.here();
    (0..5).for_each(|_| file.int(0));
    let begin = |file: &mut Binary, number: usize| {
        let here = file.here();
        file.set(offsets + 4 * number, here - start);
    };
    begin(file, 0);
    for _ in 0..3 * triangles {
        file.int(source.below(vertices));
    }
    begin(file, 1);
    for _ in 0..shaders {
        file.name::<64>("models/players/test/default.tga");
        file.int(0);
    }
    begin(file, 2);
    for _ in 0..2 * vertices {
        file.float(source.float(2.0));
    }
    begin(file, 3);
    for _ in 0..frames * vertices {
        for _ in 0..3 {
            file.short((source.word() as u16) >> source.below(5));
        }
        file.short(source.word() as u16);
    }
    begin(file, 4);
}

/// Joints of [`md5mesh`] and [`md5anim`]: name and parent.
const JOINTS: [(&str, i32); 4] = [("origin", -1), ("Body", 0), ("Head", 1), ("Arm_L", 1)];

/// A number of a text; sometimes another than meant.
fn number(source: &mut Source<'_>, value: impl std::fmt::Display) -> String {
    if source.is_wild() && source.once_in(6) {
        let strange = [
            "-1",
            "4294967296",
            "2147483647",
            "1e39",
            "nan",
            "-inf",
            "0x10",
            "",
            "\"",
            "}",
            "1e-46",
        ];
        return source.pick(&strange).to_owned();
    }
    value.to_string()
}

fn triple(source: &mut Source<'_>, size: f32) -> String {
    let values = source.vector(size).map(|value| number(source, value));
    format!("( {} )", values.join(" "))
}

fn md5mesh(source: &mut Source<'_>) -> Vec<u8> {
    let mut text = String::from("MD5Version 10\ncommandline \"\"\n");
    let joints = source.between(1, JOINTS.len());
    let meshes = source.between(1, 2);
    let _ = writeln!(text, "numJoints {}", number(source, joints));
    let _ = writeln!(text, "numMeshes {}", number(source, meshes));
    text.push_str("joints {\n");
    for (name, parent) in &JOINTS[..joints] {
        let parent = number(source, parent);
        let (at, turn) = (triple(source, 20.0), triple(source, 0.5));
        let _ = writeln!(text, "\t\"{name}\"\t{parent} {at} {turn}\t\t// parent");
    }
    text.push_str("}\n");
    for _ in 0..meshes {
        let [vertices, triangles, weights] =
            [source.between(3, 10), source.between(1, 12), source.between(1, 12)];
        let _ = writeln!(text, "\nmesh {{\n\tshader \"models/test\"");
        let _ = writeln!(text, "\tnumverts {}", number(source, vertices));
        for vertex in 0..vertices {
            let vertex = number(source, vertex);
            let uv = [0; 2].map(|_| source.float(1.0)).map(|value| number(source, value));
            let start = source.below(weights);
            let count = source.between(1, weights - start);
            let (start, count) = (number(source, start), number(source, count));
            let _ = writeln!(text, "\tvert {vertex} ( {} ) {start} {count}", uv.join(" "));
        }
        let _ = writeln!(text, "\tnumtris {}", number(source, triangles));
        for triangle in 0..triangles {
            let corners = [0; 3].map(|_| source.below(vertices));
            let corners = corners.map(|corner| number(source, corner));
            let _ = writeln!(text, "\ttri {} {}", number(source, triangle), corners.join(" "));
        }
        let _ = writeln!(text, "\tnumweights {}", number(source, weights));
        for weight in 0..weights {
            let joint = source.below(joints);
            let (weight, joint) = (number(source, weight), number(source, joint));
            let bias = source.float(1.0);
            let (bias, at) = (number(source, bias), triple(source, 20.0));
            let _ = writeln!(text, "\tweight {weight} {joint} {bias} {at}");
        }
        text.push_str("}\n");
    }
    text.into_bytes()
}

/// An animation of these first joints of [`JOINTS`].
pub(crate) fn md5anim(joints: usize, source: &mut Source<'_>) -> Vec<u8> {
    let frames = source.between(1, 4);
    let flags = [0; JOINTS.len()].map(|_| source.pick(&[63, 0, 7, 56, 21]));
    let components: usize =
        flags[..joints].iter().map(|flags: &u32| flags.count_ones() as usize).sum();
    let mut text = String::from("MD5Version 10\ncommandline \"\"\n");
    let rate = source.float(60.0).abs().round();
    for (name, value) in
        [("numFrames", frames), ("numJoints", joints), ("numAnimatedComponents", components)]
    {
        let _ = writeln!(text, "{name} {}", number(source, value));
    }
    let _ = writeln!(text, "frameRate {}", number(source, rate));
    text.push_str("hierarchy {\n");
    let mut start = 0;
    for (joint, (name, parent)) in JOINTS[..joints].iter().enumerate() {
        let parent = number(source, parent);
        let (flags, from) = (number(source, flags[joint]), number(source, start));
        let _ = writeln!(text, "\t\"{name}\" {parent} {flags} {from}\t//");
        start += flags.parse::<u32>().unwrap_or(0).count_ones();
    }
    text.push_str("}\nbounds {\n");
    for _ in 0..frames {
        let _ = writeln!(text, "\t{} {}", triple(source, 40.0), triple(source, 40.0));
    }
    text.push_str("}\nbaseframe {\n");
    for _ in 0..joints {
        let _ = writeln!(text, "\t{} {}", triple(source, 20.0), triple(source, 0.5));
    }
    text.push_str("}\n");
    for frame in 0..frames {
        let _ = writeln!(text, "frame {} {{", number(source, frame));
        for _ in 0..components {
            let value = source.float(1.0);
            let _ = write!(text, " {}", number(source, value));
        }
        text.push_str("\n}\n");
    }
    text.into_bytes()
}

/// An `.md5mesh` with all of [`JOINTS`], the same every time.
pub(crate) fn fixed_md5mesh() -> Vec<u8> {
    // The first byte makes all floats calm, the second takes all joints.
    let mut bytes = vec![0, 3];
    bytes.extend((0..2000u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8));
    md5mesh(&mut Source::new(&bytes))
}

/// How many joints [`fixed_md5mesh`] has.
pub(crate) const FIXED_JOINTS: usize = JOINTS.len();
