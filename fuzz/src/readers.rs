//! Readers of single files: what is refused has a reason, what is taken can be posed and asked.

use std::cell::RefCell;

use polyset::{Blend, Colormap, Image, Md2Geometry, Model, Palette, Pose};

use crate::drawing::check_poses;
use crate::models::fixed_md5mesh;
use crate::source::Source;

/// The most bytes of memory that a picture may take beside the limit for every input.
const PICTURE_BUDGET: u64 = 16 << 20;
/// Pictures up to so many pixels are written and read again.
const ROUND_TRIP: u32 = 1 << 14;

/// An `.mdl`, with whatever bytes it begins.
pub fn mdl(data: &[u8]) {
    read(data, Md2Geometry::Triangles);
}

/// An `.md2`, both of its meshes.
pub fn md2(data: &[u8]) {
    read(data, Md2Geometry::Triangles);
    read(data, Md2Geometry::Glcmds);
}

/// An `.md3`.
pub fn md3(data: &[u8]) {
    read(data, Md2Geometry::Triangles);
}

/// An `.md5mesh`.
pub fn md5mesh(data: &[u8]) {
    read(data, Md2Geometry::Triangles);
}

/// An `.md5anim`, on one mesh.
pub fn md5anim(data: &[u8]) {
    thread_local! {
        static MESH: Model = Model::from_bytes(&fixed_md5mesh()).expect("a well-formed mesh");
    }
    let mut model = MESH.with(Clone::clone);
    match model.add_anim("test", data) {
        Ok(clip) => {
            assert!(clip < model.clips().len());
            check(&model);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn read(data: &[u8], md2_geometry: Md2Geometry) {
    match Model::from_vec_with(data.to_vec(), md2_geometry) {
        Ok(model) => check(&model),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

thread_local! {
    static POSE: RefCell<Pose> = RefCell::default();
}

/// What holds for every model.
pub(crate) fn check(model: &Model) {
    for surface in model.surfaces() {
        let vertices = surface.vertex_count();
        let corners = surface.triangles().as_flattened();
        assert!(corners.iter().all(|&corner| (corner as usize) < vertices));
        assert_eq!(surface.texcoords().len(), vertices);
    }
    let frames = model.frame_count();
    for clip in model.clips() {
        let range = clip.frames();
        assert!(range.start <= range.end && clip.duration() >= 0.0, "{clip:?}");
        for time in [0.0, 0.35 * clip.duration(), -3.0, 1e9, f32::MAX, f32::NAN] {
            let Blend { from, to, t, .. } = clip.at(time);
            assert!(
                range.contains(&from) && range.contains(&to),
                "{clip:?} at {time}: {from}, {to}"
            );
            assert!((0.0..=1.0).contains(&t), "{clip:?} at {time}: {t}");
        }
    }
    for frame in (0..frames).take(8) {
        let _ = model.frame_name(frame);
    }
    let _ = model.check_frames(0..frames);
    let joints = model.joints().count();
    assert!(model.joints().all(|(_, parent)| parent.is_none_or(|parent| parent < joints)));
    for skin in 0..model.skins().len().min(4) {
        for time in [0.0, 0.15, 1e12, f64::NAN] {
            let picture = model.skin_picture(skin, time);
            assert!(picture < model.skin_picture_count(skin).max(1));
        }
        let _ = model.skin_image(skin, 0.15);
    }
    for warning in model.warnings().iter().take(16) {
        assert!(!warning.to_string().is_empty());
    }
    POSE.with(|pose| {
        let pose = &mut pose.borrow_mut();
        check_poses(model, &mut Source::new(&[]), pose);
        assert_eq!(
            pose.surface_count(),
            if frames == 0 { pose.surface_count() } else { model.surfaces().len() }
        );
    });
    if let Some(clip) = model.clips().last() {
        let pose = model.pose(clip, 0.7 * clip.duration());
        for (number, surface) in model.surfaces().iter().enumerate() {
            assert_eq!(pose.positions(number).count(), surface.vertex_count());
        }
    }
}

/// What a file of each kind of picture may be called.
const EXTENSIONS: [&str; 8] = ["png", "tga", "jpg", "bmp", "dds", "pcx", "lmp", ""];

/// Pictures of every kind; palettes and tables of light.
pub fn picture(data: &[u8]) {
    let _ = Palette::from_lmp(data);
    let _ = Colormap::from_lmp(data);
    for extension in EXTENSIONS {
        let budget = PICTURE_BUDGET + 16 * data.len() as u64;
        let Ok(image) = Image::from_bytes_within(data, extension, budget) else { continue };
        let pixels = u64::from(image.width()) * u64::from(image.height());
        assert!(pixels > 0 && pixels * 4 <= budget);
        if pixels <= ROUND_TRIP.into() {
            let rgba = image.to_rgba();
            assert_eq!(rgba.len() as u64, 4 * pixels);
            let mut png = Vec::new();
            image.encode_png(&mut png).expect("memory takes all");
            let again = Image::from_bytes(&png, "png").expect("what was just written");
            assert!(again.to_rgba() == rgba, "a PNG is not what was written");
        }
    }
}
