//! Thumbnails: pictures that tell a model from others at a small size.
//!
//! What was said of a scene stays. What was not is chosen for small pictures, as `docs/thumbnails.md`
//! tells: filtered and supersampled, framed tightly, standing rather than dying, cut out where a texture
//! means that, lit with relief where there is no texture, and lifted where it is too dark to be seen.

use super::{Drawing, Frames, Opened, RendererKind, Scene, Studio};
use crate::assets::BodyPart;
use crate::error::RequestError;
use crate::image::{Image, Pixels};
use crate::look::{Filter, Lighting, Samples};
use crate::model::{Blend, Clip, Format, Model};
use crate::pose::Pose;
use crate::raster::{DrawError, Renderer};

/// Framing leaves 5 % free on every side; this leaves 2 %.
const ZOOM: f32 = 0.96 / 0.9;
/// Degrees from a model's face towards its left, from where it is looked at.
const AZIMUTH: f32 = 30.0;
/// Smaller pictures get 4 x 4 samples a pixel instead of 2 x 2: an edge is a larger part of them.
const FEW_SAMPLES: u32 = 256;
/// Light of a model without any texture: half of it from everywhere would leave it flat.
const AMBIENT: f32 = 0.2;
const DIFFUSE: f32 = 0.7;
/// Pictures whose mean is darker are lifted to it, of 255.
const DARK: f64 = 60.0;
/// No colour is lifted by a smaller exponent.
const STRONGEST_LIFT: f64 = 0.4;

/// Share of a player's frames that are lower than one in which it stands: two of five are deaths.
const LOWER: f64 = 0.75;

/// How names of clips begin that show a model as it usually is, the best first.
const STANDING: [&str; 5] = ["idle", "stand", "legs_idle", "torso_stand", "walk"];
/// How names of clips begin that do not.
const FALLING: [&str; 6] = ["death", "die", "dead", "pain", "both_death", "both_dead"];

/// Pixel tests that any thumbnail may take, and how many a sample of a large one.
const WORK: u64 = 1 << 30;
const WORK_PER_SAMPLE: u64 = 64;

impl Studio {
    /// A studio for thumbnails of `side` x `side` pixels: on one thread, in bounded time.
    ///
    /// # Errors
    /// If the machine cannot draw at all.
    pub fn for_thumbnails(side: u32) -> Result<Self, DrawError> {
        // Four by four samples at most.
        let samples = 16 * u64::from(side) * u64::from(side);
        let work = WORK.max(samples * WORK_PER_SAMPLE);
        Ok(Self::new(Renderer::new().with_threads(1)?.with_max_work(work)))
    }

    /// Draws a thumbnail of an opened model: [`Studio::draw`] of the scene with what was not said chosen
    /// for a small picture. If `is_honest`, a
    /// dark picture stays as it is.
    ///
    /// # Errors
    /// As [`Studio::draw`].
    pub fn thumbnail(
        &mut self,
        scene: &Scene,
        opened: &mut Opened,
        is_honest: bool,
    ) -> Result<Drawing, RequestError> {
        let scene = chosen(scene, opened);
        let mut drawing = self.draw(&scene, opened)?;
        if !is_honest {
            drawing.image = lifted(drawing.image);
        }
        Ok(drawing)
    }
}

/// The scene with what was not said chosen for a small picture.
fn chosen(scene: &Scene, opened: &Opened) -> Scene {
    let model = &opened.model;
    let mut chosen = scene.clone();
    let moment = &mut chosen.moment;
    let is_open = moment.animation.is_none() && moment.frames.is_none();
    if is_open && !opened.role.is_of_quake3_player() {
        match top_of_part_alone(opened).and_then(|tag| upright(model, tag)) {
            Some(from) => moment.frames = Some(Frames { from, to: from, t: 0.0 }),
            None => moment.animation = standing(model),
        }
    }
    if scene.renderer == RendererKind::Classic {
        return chosen;
    }
    if chosen.look.samples == Samples::One {
        let [width, height] = chosen.picture_size();
        let is_large = width.max(height) >= FEW_SAMPLES;
        chosen.look.samples = if is_large { Samples::Two } else { Samples::Four };
    }
    if chosen.look.filter == Filter::Nearest {
        chosen.look.filter = Filter::Trilinear;
    }
    if chosen.camera.position.is_none() {
        chosen.camera.zoom = Some(chosen.camera.zoom.unwrap_or(1.0) * ZOOM);
        if let (None, Some(degrees)) = (chosen.camera.azimuth, model.facing()) {
            chosen.camera.azimuth = Some(degrees + AZIMUTH);
        }
    }
    let mut surfaces = opened.members().flat_map(|(_, member)| member.model.surfaces());
    let is_bare = surfaces.all(|surface| surface.texture().is_none());
    if is_bare && chosen.light.style.is_none() {
        chosen.light.style = Some(Lighting::Lambert);
        chosen.light.ambient = chosen.light.ambient.or(Some(AMBIENT));
        chosen.light.diffuse = chosen.light.diffuse.or(Some(DIFFUSE));
    }
    chosen
}

/// The clip in which the model stands, by number; the first that is no fall where none is called so.
fn standing(model: &Model) -> Option<String> {
    let names: Vec<String> = model.clips().iter().map(|clip| clip.name().to_lowercase()).collect();
    let begins = |name: &str, starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let named = STANDING.iter().find_map(|start| names.iter().position(|n| n.starts_with(start)));
    let number = named.or_else(|| names.iter().position(|name| !begins(name, &FALLING)))?;
    Some(number.to_string())
}

/// The tag that is on top of legs or a torso of a Quake III player that nothing tells how it stands: its
/// `animation.cfg` is out of sight in a sandbox. Such a model begins with a death.
fn top_of_part_alone(opened: &Opened) -> Option<&'static str> {
    let stem = opened.file.as_ref()?.file_stem().to_string_lossy();
    let model = &opened.model;
    let stands = |clip: &Clip| {
        let name = clip.name().to_lowercase();
        STANDING.iter().any(|start| name.starts_with(start))
    };
    if model.format() != Format::Md3 || model.clips().iter().any(stands) {
        return None;
    }
    match BodyPart::of_stem(&stem)? {
        BodyPart::Lower => Some("tag_torso"),
        BodyPart::Upper => Some("tag_head"),
        BodyPart::Head => None,
    }
}

/// A frame in which a player is upright: the one whose tag is higher above the lowest vertex than in
/// [`LOWER`] of all frames. Most frames of a player stand, walk or run.
fn upright(model: &Model, tag: &str) -> Option<usize> {
    let mut pose = Pose::default();
    let mut height = |frame| {
        model.pose_into(Blend::frame(frame), &mut pose);
        let [min, max] = pose.bounds();
        pose.tag(tag).map_or(max[2], |tag| tag.origin()[2]) - min[2]
    };
    let mut frames: Vec<(f32, usize)> = (0..model.frame_count()).map(|f| (height(f), f)).collect();
    frames.sort_by(|a, b| a.0.total_cmp(&b.0));
    let place = (LOWER * frames.len() as f64) as usize;
    frames.get(place).map(|&(_, frame)| frame)
}

/// A picture that is hardly to be seen, with the same curve for all colours, so that its mean is [`DARK`].
fn lifted(image: Image) -> Image {
    let Pixels::Rgba(rgba) = image.pixels() else { return image };
    let texels = rgba.as_chunks::<4>().0;
    // The weights of the eye, in thousandths.
    let light = |[red, green, blue, alpha]: &[u8; 4]| {
        u64::from(*alpha)
            * (299 * u64::from(*red) + 587 * u64::from(*green) + 114 * u64::from(*blue))
    };
    let sum: u64 = texels.iter().map(light).sum();
    let weight: u64 = texels.iter().map(|texel| u64::from(texel[3])).sum();
    let mean = sum as f64 / 1000.0 / weight as f64;
    if weight == 0 || !(1.0..DARK).contains(&mean) {
        return image;
    }
    let exponent = (libm::log(DARK / 255.0) / libm::log(mean / 255.0)).max(STRONGEST_LIFT);
    let curve: [u8; 256] = std::array::from_fn(|value| {
        libm::round(255.0 * libm::pow(value as f64 / 255.0, exponent)) as u8
    });
    let mut rgba = rgba.clone();
    for texel in rgba.as_chunks_mut::<4>().0 {
        for channel in &mut texel[..3] {
            *channel = curve[usize::from(*channel)];
        }
    }
    Image::from_rgba(image.width(), image.height(), rgba).unwrap_or(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(texels: &[[u8; 4]]) -> Image {
        Image::from_rgba(texels.len() as u32, 1, texels.concat()).unwrap()
    }

    #[test]
    fn dark_pictures_are_lifted_and_others_stay() {
        for (texels, changes) in [
            (vec![[20, 10, 5, 255], [0, 0, 0, 0]], true),
            (vec![[120, 110, 100, 255]], false),
            (vec![[0, 0, 0, 255]], false),
            (vec![[0, 0, 0, 0]], false),
        ] {
            let (old, new) = (image(&texels), lifted(image(&texels)));
            assert_eq!(new != old, changes, "{texels:?}");
            let brighter = new.to_rgba().iter().zip(old.to_rgba()).all(|(new, old)| *new >= old);
            assert!(brighter, "{texels:?}");
        }
    }

    #[test]
    fn models_stand_if_they_can() {
        let model = Model::from_bytes(&std::fs::read("tests/models/bolt.md3").unwrap()).unwrap();
        assert_eq!(standing(&model).as_deref(), Some("0"));
        let model = Model::from_bytes(&std::fs::read("tests/models/bolt.mdl").unwrap()).unwrap();
        let number: usize = standing(&model).unwrap().parse().unwrap();
        assert!(model.clips()[number].name().starts_with("stand"));
    }
}
