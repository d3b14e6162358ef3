//! Old and new model side by side, from the same place.

use super::{Change, ModelDiff};
use crate::camera::Camera;
use crate::compare::Comparison;
use crate::error::RequestError;
use crate::image::Image;
use crate::model::Format;
use crate::pose::Pose;
use crate::raster::Instance;
use crate::scene::{Frames, Opened, Scene, Studio};

/// What a row of the picture shows.
#[derive(Clone, Debug, PartialEq)]
enum Row {
    /// Frames of the files.
    Frames([usize; 2]),
    /// A frame of a clip that both models have.
    Clip(String, usize),
    /// The bind pose of an MD5.
    Bind,
}

/// A row of old, difference and new for each of the frames that changed most, at most `rows` of them and
/// in the order of the new model; of an MD5 for the bind pose and the frames in which joints differ most.
/// If none changed, the first frames. Both models are seen from the same place, framed together unless
/// the scene says from where.
///
/// # Errors
/// If the scene asks for something that the models do not have, or a picture cannot be drawn.
pub fn picture(
    studio: &mut Studio,
    scene: &Scene,
    [old, new]: [&mut Opened; 2],
    diff: &ModelDiff,
    rows: usize,
) -> Result<Image, RequestError> {
    let mut pictures = Vec::new();
    let formats = [old.model.format(), new.model.format()];
    for row in chosen(diff, rows.max(1), formats) {
        let mut bound;
        let [old, new] = if row == Row::Bind {
            // The bind pose is a frame of its own only without animations.
            bound = [&*old, &*new].map(Clone::clone);
            bound.iter_mut().for_each(|opened| opened.model.remove_anims());
            bound.each_mut()
        } else {
            [&mut *old, &mut *new]
        };
        let scenes = [0, 1].map(|side| with_moment(scene, &row, side));
        studio.set_camera(Some(camera(&scenes, [old, new])?));
        let mut draw = |side: usize, opened: &mut Opened| studio.draw(&scenes[side], opened);
        let drawn = draw(0, old).and_then(|old| Ok([old.image, draw(1, new)?.image]));
        studio.set_camera(None);
        let [old, new] = drawn?;
        pictures.push(Comparison::picture(&old, &new));
    }
    Ok(stacked(&pictures))
}

/// The rows, the bind pose last.
fn chosen(diff: &ModelDiff, rows: usize, formats: [Format; 2]) -> Vec<Row> {
    if formats.contains(&Format::Md5) {
        let mut moved: Vec<(f64, Row)> = Vec::new();
        for clip in diff.clips.iter().filter(|clip| clip.change == Change::Changed) {
            if let Some(joint) = &clip.joint {
                moved.push((joint.distance, Row::Clip(clip.name.clone(), joint.frame)));
            }
        }
        moved.sort_by(|a, b| b.0.total_cmp(&a.0));
        let clips = moved.into_iter().map(|(_, row)| row).take(rows - 1);
        return clips.chain([Row::Bind]).collect();
    }
    let mut moved: Vec<(f64, [usize; 2])> = Vec::new();
    for frame in &diff.frames {
        if let ([Some(old), Some(new)], Some(vertices)) = (frame.numbers, &frame.vertices) {
            moved.push((vertices.largest, [old, new]));
        }
    }
    moved.sort_by(|a, b| b.0.total_cmp(&a.0));
    moved.truncate(rows);
    moved.sort_by_key(|(_, numbers)| numbers[1]);
    if moved.is_empty() {
        moved.push((0.0, [0, 0]));
    }
    moved.into_iter().map(|(_, numbers)| Row::Frames(numbers)).collect()
}

fn with_moment(scene: &Scene, row: &Row, side: usize) -> Scene {
    let mut scene = scene.clone();
    let frames = |frame: usize| Some(Frames { from: frame, to: frame, t: 0.0 });
    (scene.moment.animation, scene.moment.frames) = match row {
        Row::Frames(numbers) => (None, frames(numbers[side])),
        Row::Clip(name, frame) => (Some(name.clone()), frames(*frame)),
        Row::Bind => (None, frames(0)),
    };
    scene
}

/// A camera for both models; also its near and far planes are the same, so that equal surfaces have
/// equal depth.
fn camera(scenes: &[Scene; 2], opened: [&Opened; 2]) -> Result<Camera, RequestError> {
    let pose = |side: usize| {
        let model = &opened[side].model;
        scenes[side].blend(model).map(|blend| model.pose_blend(blend))
    };
    let poses = [pose(0)?, pose(1)?];
    let instances = [0, 1].map(|side| Instance::new(&opened[side].model, &poses[side]));
    let camera = scenes[0].camera.camera(&instances)?;
    let boxes = poses.each_ref().map(Pose::bounds);
    let bounds = || {
        let [a, b] = boxes;
        [
            std::array::from_fn(|axis| a[0][axis].min(b[0][axis])),
            std::array::from_fn(|axis| a[1][axis].max(b[1][axis])),
        ]
    };
    let [width, height] = scenes[0].picture_size();
    let [near, far] = camera.resolve_around(bounds, width as f32 / height as f32).range;
    Ok(camera.near(Some(near)).far(Some(far)))
}

/// One below the other.
fn stacked(pictures: &[Image]) -> Image {
    let width = pictures.iter().map(Image::width).max().unwrap_or(1);
    let height = pictures.iter().map(Image::height).sum::<u32>();
    // All rows are as wide: they have the size of the same scene.
    let rgba = pictures.iter().flat_map(Image::to_rgba).collect();
    Image::from_rgba(width, height, rgba).expect("as many pixels as the rows have")
}
