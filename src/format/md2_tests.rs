//! MD2 files made of byte lists: any order of tables, both geometries, everything that can be wrong.

use super::Md2Geometry;
use super::testing::Expect::{Error, Silence, Warning};
use super::testing::{Bytes, expect, survives_damage, with_int};
use crate::image::Image;
use crate::model::{Blend, EngineMesh, Model};

/// Offsets of the tables of [`sample`].
#[derive(Default)]
struct Tables {
    skins: i32,
    st: i32,
    triangles: i32,
    frames: i32,
    commands: i32,
}

/// Two triangles over four positions; skin 64 x 32, two frames with scales of their own, tables in
/// an order of our own.
fn sample() -> (Vec<u8>, Tables) {
    let mut at = Tables::default();
    let mut bytes = Bytes::new().raw(&[0; 68]);
    at.frames = bytes.len();
    for (name, scale, origin) in [("run1", 1.0, 0.0), ("run2", 2.0, -10.0)] {
        bytes = bytes
            .floats(&[scale, scale, scale, origin, 0.0, 1.0])
            .name(name, 16)
            .raw(&[0, 0, 0, 0, 10, 0, 0, 5, 0, 10, 0, 32, 10, 10, 20, 52]);
    }
    at.commands = bytes.len();
    bytes = bytes.ints(&[4]);
    for (s, t, vertex) in [(0.1, 0.2, 0), (0.3, 0.4, 2), (0.5, 0.6, 1), (0.7, 0.8, 3)] {
        bytes = bytes.floats(&[s, t]).ints(&[vertex]);
    }
    bytes = bytes.ints(&[0]);
    at.triangles = bytes.len();
    bytes = bytes.shorts(&[0, 2, 1, 0, 2, 1]).shorts(&[1, 2, 3, 4, 2, 3]);
    at.st = bytes.len();
    bytes = bytes.shorts(&[0, 0, 64, 0, 0, 32, 64, 32, 16, 8]);
    at.skins = bytes.len();
    bytes = bytes.name("players/male/grunt.pcx", 64);
    let header = Bytes::new().raw(b"IDP2").ints(&[8, 64, 32, 56, 1, 4, 5, 2, 14, 2]).ints(&[
        at.skins,
        at.st,
        at.triangles,
        at.frames,
        at.commands,
        bytes.len(),
    ]);
    let mut file = bytes.0;
    file[..68].copy_from_slice(&header.0);
    (file, at)
}

#[test]
fn tables_are_found_by_their_offsets() {
    let model = Model::from_vec(sample().0).unwrap();
    assert_eq!(model.warnings(), []);
    assert_eq!(model.skins()[0].name(), "players/male/grunt.pcx");
    assert_eq!(model.clips()[0].name(), "run");
    let surface = &model.surfaces()[0];
    // Position 1 has two texture coordinates and so becomes two vertices.
    assert_eq!(surface.vertex_count(), 5);
    let corners = |t: usize| surface.triangles()[t].map(|v| surface.texcoords()[v as usize]);
    assert_eq!(corners(0), [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]);
    assert_eq!(corners(1), [[0.25, 0.25], [0.0, 1.0], [1.0, 1.0]]);

    let first = model.pose_blend(Blend::frame(0)).positions(0).last().unwrap();
    assert_eq!(first, [10.0, 10.0, 21.0]);
    let half = Blend { from: 0, to: 1, t: 0.5, anim: 0 };
    assert_eq!(model.pose_blend(half).positions(0).last().unwrap(), [10.0, 15.0, 31.0]);
    let Some(EngineMesh::Md2(mesh)) = &model.engine else { panic!("{:?}", model.engine) };
    assert_eq!(mesh.triangles[1].st, [4, 2, 3]);
}

#[test]
fn glcmds_bring_their_own_coordinates_and_the_same_triangles() {
    let model = Model::from_vec_with(sample().0, Md2Geometry::Glcmds).unwrap();
    let surface = &model.surfaces()[0];
    let corners = |t: usize| surface.triangles()[t].map(|v| surface.texcoords()[v as usize]);
    assert_eq!(corners(0), [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]);
    assert_eq!(corners(1), [[0.5, 0.6], [0.3, 0.4], [0.7, 0.8]]);

    let positions = |model: &Model| {
        let all: Vec<_> = model.pose_blend(Blend::frame(0)).positions(0).collect();
        model.surfaces()[0]
            .triangles()
            .iter()
            .map(|t| t.map(|v| all[v as usize]))
            .collect::<Vec<_>>()
    };
    assert_eq!(positions(&model), positions(&Model::from_vec(sample().0).unwrap()));
}

#[test]
fn glcmds_stand_in_for_unusable_texture_coordinates() {
    let (file, at) = sample();
    // One of the two triangles: the table is still good enough.
    let one = with_int(&file, at.triangles as usize + 18, 9);
    let model = Model::from_vec(one.clone()).unwrap();
    assert_eq!(model.triangle_count(), 1);
    expect("one bad triangle", one.clone(), &Warning("names texture coordinate 9 of 5"));
    let both = with_int(&one, at.triangles as usize + 6, 9);
    let model = Model::from_vec(both.clone()).unwrap();
    assert_eq!(model.triangle_count(), 2);
    assert_eq!(model.surfaces()[0].texcoords()[0], [0.1, 0.2]);
    expect("both bad", both.clone(), &Warning("the glcmds are drawn instead"));
    let neither = with_int(&both, 36, 0);
    assert_eq!(Model::from_vec(neither).unwrap().triangle_count(), 0);
}

#[test]
fn a_missing_skin_size_is_the_first_pictures() {
    let file = with_int(&sample().0, 8, 0);
    expect("no width", file.clone(), &Warning("0 x 32"));
    let mut model = Model::from_vec(file).unwrap();
    for (width, u) in [(128, 0.5), (256, 0.5)] {
        model.set_skin(0, Image::from_rgba(width, 4, vec![0; width as usize * 16]).unwrap());
        assert_eq!(model.surfaces()[0].texcoords()[4], [u, 1.0]);
    }
}

#[test]
fn defects_are_errors_warnings_or_silence() {
    let (file, at) = sample();
    let frame = at.frames as usize;
    let infinite = f32::INFINITY.to_bits() as i32;
    let mut long_skin = file.clone();
    long_skin[at.skins as usize..][..64].fill(b'x');
    let cases = [
        ("version", with_int(&file, 4, 7), Error("version 7")),
        ("negative count", with_int(&file, 40, -3), Error("number of frames is -3")),
        ("no vertices", with_int(&file, 24, 0), Error("no vertices")),
        ("small frames", with_int(&file, 16, 55), Error("4 vertices need 56")),
        ("table at a negative offset", with_int(&file, 52, -4), Error("offset -4")),
        ("table behind the end", with_int(&file, 48, 9999), Error("behind the end")),
        ("table beyond the end", with_int(&file, 28, 99), Error("texture coordinates")),
        ("skins beyond the end", with_int(&file, 20, 2), Error("skin names")),
        ("frames beyond the end", with_int(&file, 40, 9999), Error("frames")),
        ("end of file", with_int(&file, 64, -3), Warning("ends at -3")),
        ("large frames", with_int(&with_int(&file, 16, 60), 40, 1), Warning("taken as the step")),
        (
            "bad index",
            with_int(&file, at.triangles as usize, -1),
            Warning("names vertex 65535 of 4"),
        ),
        ("st outside", with_int(&file, at.st as usize, -2), Warning("(-2, -1) is outside")),
        ("skin name of 64 bytes", long_skin, Warning("64 bytes without a NUL")),
        ("infinite scale", with_int(&file, frame, infinite), Warning("scale holds inf")),
        ("glcmds cut", with_int(&file, 36, 6), Warning("the triangle table is drawn")),
        ("glcmds outside", with_int(&file, 60, -8), Warning("glcmds")),
        ("glcmds not ended", with_int(&file, 36, 13), Warning("not ended by a 0")),
        ("no glcmds", with_int(&file, 36, 0), Silence),
        ("no skins", with_int(&file, 20, 0), Silence),
        ("no triangles", with_int(&file, 32, 0), Silence),
        ("no frames", with_int(&file, 40, 0), Silence),
    ];
    for (case, file, expected) in cases {
        expect(case, file, &expected);
    }
    let still = Model::from_vec(with_int(&file, 40, 0)).unwrap();
    assert_eq!((still.frame_count(), still.triangle_count(), still.clips().len()), (0, 0, 0));
}

#[test]
fn damage_never_panics() {
    survives_damage(&sample().0);
}
