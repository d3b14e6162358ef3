//! MD3 files made of byte lists: surfaces, tags, and everything that can be wrong.

use super::testing::Expect::{Error, Silence, Warning};
use super::testing::{Bytes, expect, survives_damage, with_int};
use crate::model::{Blend, Model};

/// Offsets of the tables of [`sample`].
struct Tables {
    tags: usize,
    surfaces: [usize; 2],
}

/// A triangle with `frames` frames, moving 1 unit in x per frame; its tables in an order of our own.
fn surface(name: &str, frames: i32) -> Bytes {
    let (vertices, st, shaders, triangles) = (108, 108 + 24 * frames, 0, 0);
    let (shaders, triangles) = (st + 24 + shaders, st + 24 + 68 + triangles);
    let end = triangles + 12;
    let mut bytes = Bytes::new()
        .raw(b"IDP3")
        .name(name, 64)
        .ints(&[0, frames, 1, 3, 1, triangles, shaders, st, vertices, end]);
    for frame in 0..frames as i16 {
        for [x, y, z] in [[0, 0, 0], [0, 0, 64], [0, 64, 0]] {
            bytes = bytes.shorts(&[x + 64 * frame, y, z]).raw(&[64, 0]);
        }
    }
    bytes = bytes.floats(&[0.0, 0.0, 1.0, 0.0, -0.5, 2.0]).name("models/skin.tga", 64);
    let bytes = bytes.ints(&[77, 0, 1, 2]);
    assert_eq!(bytes.len(), end);
    bytes
}

/// Two frames, one tag that moves and turns, two surfaces of which the second has one frame.
fn sample() -> (Vec<u8>, Tables) {
    let frames = 108;
    let tags = frames + 2 * 56;
    let first = tags + 2 * 112;
    let surfaces = [surface("U_Torso", 2), surface("still", 1)];
    let second = first + surfaces[0].len();
    let end = second + surfaces[1].len();
    let mut bytes = Bytes::new()
        .raw(b"IDP3")
        .ints(&[15])
        .name("torso", 64)
        .ints(&[0, 2, 1, 2, 0, frames, tags, first, end]);
    for name in ["walk1", "walk2"] {
        bytes = bytes.floats(&[0.0; 10]).name(name, 16);
    }
    for (origin, axis) in [
        ([10.0, 0.0, 5.0], [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        ([20.0, 0.0, 5.0], [0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
    ] {
        bytes = bytes.name("tag_head", 64).floats(&origin).floats(&axis);
    }
    let [a, b] = surfaces;
    let file = bytes.raw(&a.0).raw(&b.0).0;
    (file, Tables { tags: tags as usize, surfaces: [first as usize, second as usize] })
}

#[test]
fn surfaces_frames_and_tags_are_read() {
    let (file, _) = sample();
    let model = Model::from_vec(file).unwrap();
    assert_eq!(model.name(), "torso");
    assert_eq!(model.clips()[0].name(), "walk");
    assert_eq!(model.tag_names(), ["tag_head"]);
    let surface = &model.surfaces()[0];
    assert_eq!((surface.name(), surface.shaders()), ("U_Torso", &["models/skin.tga".into()][..]));
    assert_eq!(surface.triangles(), [[0, 1, 2]]);
    assert_eq!(surface.texcoords()[2], [-0.5, 2.0]);

    let pose = model.pose_blend(Blend { from: 0, to: 1, t: 0.25, anim: 0 });
    assert_eq!(pose.positions(0).nth(1).unwrap(), [0.25, 0.0, 1.0]);
    assert_eq!(pose.positions(1).nth(1).unwrap(), [0.0, 0.0, 1.0], "rests in its only frame");
    let tag = pose.tag("tag_head").unwrap();
    assert_eq!(tag.origin(), [12.5, 0.0, 5.0]);
    assert!((tag.axes()[0][0] - 0.75 / (0.625_f32).sqrt()).abs() < 1e-6, "{tag:?}");
    assert_eq!(pose.tags().collect::<Vec<_>>(), [("tag_head", tag)]);
    assert_eq!(pose.tag("tag_torso"), None);

    // Seen from +X with Y to the left: the corners run clockwise and the front faces +X.
    let [v0, v1, v2]: [[f32; 3]; 3] = pose.positions(1).collect::<Vec<_>>().try_into().unwrap();
    let edge = |v: [f32; 3]| glam::Vec3::from(v) - glam::Vec3::from(v0);
    assert_eq!(edge(v2).cross(edge(v1)), glam::Vec3::X);
    assert!(pose.normals(1).next().unwrap()[0] > 0.99);
}

#[test]
fn a_file_may_have_tags_alone() {
    let (file, at) = sample();
    let hand = with_int(&with_int(&file[..at.surfaces[0]], 84, 0), 104, at.surfaces[0] as i32);
    let model = Model::from_vec(hand).unwrap();
    assert_eq!((model.surfaces().len(), model.warnings()), (0, &[][..]));
    let tag = model.pose_blend(Blend::frame(1)).tag("tag_head").unwrap();
    assert_eq!(tag.origin(), [20.0, 0.0, 5.0]);
}

#[test]
fn bad_axes_become_unit_or_the_models_own() {
    let (file, at) = sample();
    let axes = at.tags + 76;
    let nan = f32::NAN.to_bits() as i32;
    let huge = 1.8e31_f32.to_bits() as i32;
    for (value, row) in [(huge, [1.0, 0.0, 0.0]), (0, [1.0, 0.0, 0.0]), (nan, [1.0, 0.0, 0.0])] {
        let file = with_int(&file, axes, value);
        expect("axis", file.clone(), &Warning("axis 0 of 'tag_head'"));
        let model = Model::from_vec(file).unwrap();
        let tag = model.pose_blend(Blend::frame(0)).tag("tag_head").unwrap();
        assert_eq!(tag.axes()[0], row, "{value:x}");
    }
}

#[test]
fn defects_are_errors_warnings_or_silence() {
    let (file, at) = sample();
    let [first, second] = at.surfaces;
    let triangles = second - 12;
    let cases = [
        ("version far off", with_int(&file, 4, 11), Error("version 11")),
        ("negative count", with_int(&file, 84, -1), Error("number of surfaces is -1")),
        ("no frames", with_int(&file, 76, 0), Error("no frames")),
        ("frames beyond the end", with_int(&file, 76, 9999), Error("frames")),
        ("tags outside", with_int(&file, 96, -1), Error("tags")),
        ("surface outside", with_int(&file, 100, 99_999), Error("surface 0")),
        ("surface count", with_int(&file, 84, 3), Error("surface 2")),
        ("vertices outside", with_int(&file, first + 100, -9999), Error("vertices")),
        (
            "triangles beyond the end",
            with_int(&file, first + 84, 999),
            Error("surface 0 ('U_Torso')"),
        ),
        ("surface without frames", with_int(&file, second + 72, 0), Error("no frames")),
        ("version 16", with_int(&file, 4, 16), Warning("version 16, expected 15")),
        ("surface frames differ", file.clone(), Warning("has 1 frames, the model 2")),
        ("surface magic", with_int(&file, first, 0), Warning("expected \"IDP3\"")),
        ("surface end 0", with_int(&file, first + 104, 0), Warning("1 of 2 surfaces are kept")),
        ("file end", with_int(&file, 104, 1), Warning("ends at 1")),
        ("bad index", with_int(&file, triangles, 3), Warning("triangle 0 names vertex 3 of 3")),
        ("shader without a name", with_int(&file, triangles - 68, 0), Warning("no name")),
        ("st not a number", with_int(&file, triangles - 68 - 24, -1), Warning("finite")),
    ];
    for (case, file, expected) in cases {
        expect(case, file, &expected);
    }
    let one = with_int(&with_int(&file, 84, 1), 68, -1);
    expect("flags and one surface", one, &Silence);
}

#[test]
fn surfaces_may_not_multiply_the_file() {
    let count = 20;
    let mut bytes = Bytes::new().raw(b"IDP3").ints(&[15]).name("", 64);
    bytes = bytes.ints(&[0, 1, 0, count, 0, 108, 0, 164, 164 + 108 * count + 4000]);
    bytes = bytes.floats(&[0.0; 10]).name("", 16);
    for index in 0..count {
        let data = 108 * (count - index);
        bytes = bytes.raw(b"IDP3").name("", 64);
        bytes = bytes.ints(&[0, 1, 0, 250, 0, data, data, data, data, 108]);
    }
    expect("overlapping", bytes.raw(&[0; 4000]).0, &Error("several times"));
}

#[test]
fn damage_never_panics() {
    survives_damage(&sample().0);
}
