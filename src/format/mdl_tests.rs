//! MDL files made of byte lists: everything the format has, and everything that can be wrong.

use super::testing::Expect::{Error, Silence, Warning};
use super::testing::{Bytes, expect, survives_damage, with_int};
use crate::image::Pixels;
use crate::model::{Blend, EngineMesh, Model};

const FRAMES: usize = 4;

/// A frame without its type: box, name, four vertices of which the first is given.
fn pose(bytes: Bytes, name: &str, first: [u8; 4]) -> Bytes {
    bytes
        .raw(&[0, 0, 0, 9, 255, 254, 253, 9])
        .name(name, 16)
        .raw(&first)
        .raw(&[0, 0, 0, 5, 255, 0, 0, 32, 0, 255, 0, 161])
}

/// A skin of `width` x 2, a skin group, a seam, frames run1, run2 and a group with uneven times.
fn sample(width: i32) -> Vec<u8> {
    let picture = |texel: u8| vec![texel; width as usize * 2];
    let mut bytes = Bytes::new()
        .raw(b"IDPO")
        .ints(&[6])
        .floats(&[0.5, 0.25, 0.125, -10.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0])
        .ints(&[2, width, 2, 4, 2, 3, 0, 0x4000])
        .floats(&[1.5])
        .ints(&[0])
        .raw(&picture(7))
        .ints(&[1, 2])
        .floats(&[0.05, 0.2])
        .raw(&picture(8))
        .raw(&picture(255))
        .ints(&[0x20, 10, 0, 0, 1, 1, 0, 2, 0, 0, 3, 1])
        .ints(&[1, 0, 1, 2, 0, 0, 2, 3]);
    bytes = pose(bytes.ints(&[0]), "run1", [200, 40, 8, 0]);
    bytes = pose(bytes.ints(&[0]), "run2", [0, 0, 0, 1]);
    bytes = bytes.ints(&[1, 2]).raw(&[1, 2, 3, 9, 4, 5, 6, 9]).floats(&[0.05, 0.2]);
    bytes = pose(pose(bytes, "fire1", [1, 1, 1, 2]), "fire2", [2, 2, 2, 3]);
    bytes.raw(b"QMEX and what an editor left").0
}

#[test]
fn everything_the_format_has_is_read() {
    let model = Model::from_vec(sample(296)).unwrap();
    assert_eq!(model.warnings(), []);
    assert_eq!(model.frame_count(), FRAMES);
    let clips: Vec<_> =
        model.clips().iter().map(|c| (c.name(), c.frames(), c.duration())).collect();
    assert_eq!(clips, [("run", 0..2, 0.2), ("fire", 2..4, 0.2)]);
    assert_eq!((model.skin_picture_count(0), model.skin_picture_count(1)), (1, 2));

    let pose = model.pose_blend(Blend::frame(0));
    assert!(pose.positions(0).any(|p| p == [90.0, 10.0, 4.0]));
    assert!(pose.normals(0).any(|n| n == [-0.525731, 0.0, 0.850651]));

    let Some(EngineMesh::Mdl(mesh)) = &model.engine else { panic!("{:?}", model.engine) };
    assert_eq!((mesh.skin_width, mesh.skin_height, mesh.size), (296, 2, 1.5));
    assert_eq!(mesh.frames.len(), 3);
    assert_eq!(mesh.frames[2].bounds, [[1, 2, 3], [4, 5, 6]]);
    assert_eq!(mesh.frames[2].end_times, [0.05, 0.2]);
    assert_eq!(mesh.file[mesh.frames[0].poses[0]..][..4], [200, 40, 8, 0]);
    assert_eq!(mesh.triangles[1].vertices, [0, 2, 3]);
}

#[test]
fn back_triangles_take_seam_vertices_half_a_skin_further() {
    for (width, back) in [(296, 158.5), (295, 157.5)] {
        let model = Model::from_vec(sample(width)).unwrap();
        let surface = &model.surfaces()[0];
        assert_eq!(surface.vertex_count(), 5);
        let [front, behind] =
            [0, 1].map(|t| surface.texcoords()[surface.triangles()[t][0] as usize]);
        assert_eq!(front, [10.5 / width as f32, 0.25]);
        assert_eq!(behind, [back / width as f32, 0.25]);
    }
}

#[test]
fn a_skin_groups_picture_depends_on_time() {
    let model = Model::from_vec(sample(12)).unwrap();
    for (skin, time, texel) in [
        (0, 0.0, 7),
        (0, 9.0, 7),
        (1, 0.0, 8),
        (1, 0.05, 255),
        (1, 0.06, 255),
        (1, 0.2, 8),
        (1, 0.21, 8),
        (1, -0.01, 255),
    ] {
        let image = model.skin_image(skin, time).unwrap();
        let Pixels::Indexed { indices, transparent, .. } = image.pixels() else { panic!() };
        assert_eq!((indices[0], indices.len()), (texel, 24), "skin {skin} at {time}");
        assert_eq!(*transparent, Some(255), "texel 255 of this model is a hole");
    }
    assert!(model.skin_image(2, 0.0).is_none());
    assert_eq!(model.surfaces()[0].texture().unwrap().width(), 12);
}

#[test]
fn defects_are_errors_warnings_or_silence() {
    let file = sample(12);
    let size = file.len();
    let st = 84 + 4 + 24 + 16 + 48;
    let triangles = st + 48;
    let frames = triangles + 32;
    let group = frames + 2 * 44;
    let end = group + 24 + 2 * 40;
    let nan = f32::NAN.to_bits() as i32;
    let cases = [
        ("prerelease", with_int(&file, 4, 3), Error("version 3")),
        ("negative count", with_int(&file, 60, -1), Error("number of vertices is -1")),
        ("no vertices", with_int(&file, 60, 0), Error("no vertices")),
        ("no frames", with_int(&file, 68, 0), Error("no frames")),
        ("skin without area", with_int(&file, 52, 0), Error("0 x 2")),
        ("huge skin", with_int(&file, 52, i32::MAX), Error("skin 0 (offset 88): truncated")),
        ("huge triangle table", with_int(&file, 64, i32::MAX), Error("triangles")),
        ("empty skin group", with_int(&file, 116, 0), Error("group of 0")),
        ("scale not a number", with_int(&file, 8, nan), Warning("finite")),
        ("a member is never shown", with_int(&file, 120, 0), Warning("are never shown")),
        ("group times run back", with_int(&file, 124, 0), Warning("the group runs at 10 a second")),
        ("st outside", with_int(&file, st + 4, 12), Warning("(12, 0) of vertex 0")),
        ("bad index", with_int(&file, triangles + 4, 4), Warning("names vertex 4 of 4")),
        ("negative index", with_int(&file, triangles + 4, -1), Warning("names vertex -1 of 4")),
        ("odd frame type", with_int(&file, group, 0x0100_0000), Warning("type of frame 2")),
        ("cut in frame 0", file[..frames + 30].to_vec(), Error("frame 0")),
        ("cut in frame 1", file[..frames + 60].to_vec(), Warning("the 1 complete poses")),
        ("cut in the group", file[..end - 1].to_vec(), Warning("the 3 complete poses")),
        ("name of 16 bytes", with_name(&file, frames + 12), Warning("without a NUL")),
        ("no trailing data", file[..end].to_vec(), Silence),
        ("other flags", with_int(&file, 76, -1), Silence),
        ("whole", file.clone(), Silence),
    ];
    assert_eq!(end + 28, size);
    for (case, file, expected) in cases {
        expect(case, file, &expected);
    }
    let no_skins = [&with_int(&file, 48, 0)[..84], &file[st..]].concat();
    expect("no skins", no_skins, &Warning("no skins"));
}

fn with_name(file: &[u8], offset: usize) -> Vec<u8> {
    let mut file = file.to_vec();
    file[offset..offset + 16].copy_from_slice(b"sixteen_letters1");
    file
}

#[test]
fn frames_are_checked_only_when_asked() {
    let mut file = sample(12);
    let at = 84 + 4 + 24 + 16 + 48 + 48 + 32 + 28 + 3;
    file[at] = 162;
    let model = Model::from_vec(file).unwrap();
    assert_eq!(model.warnings(), []);
    assert_eq!(model.check_frames(1..9), []);
    let found = model.check_frames(0..1);
    assert!(found[0].to_string().contains(&format!("offset {at}")), "{found:?}");
    let pose = model.pose_blend(Blend::frame(0));
    assert!(pose.normals(0).any(|n| n == [-0.525731, 0.0, 0.850651]), "entry 0 stands in");
}

#[test]
fn damage_never_panics() {
    survives_damage(&sample(4));
}
