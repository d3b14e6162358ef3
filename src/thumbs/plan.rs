//! Which pictures there are of a model: skins, clips, frames.

use std::collections::HashMap;
use std::path::PathBuf;

use super::list::Job;
use super::template::{Field, as_part};
use super::{FrameChoice, Request};
use crate::model::Clip;
use crate::scene::{Anims, Frames, Opened, Scene, Skin};

/// A picture of a model.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) scene: Scene,
    pub(super) skin: Option<String>,
    pub(super) clip: Option<String>,
    pub(super) frame: Option<usize>,
    /// Its path below the folder.
    pub(super) output: PathBuf,
}

/// What a picture shows, whatever the skin.
#[derive(Clone, Debug)]
struct Moment {
    clip: Option<String>,
    frame: Option<usize>,
    scene: Scene,
}

/// What `{clip}` is for a model without any, and where nobody has asked for one.
const NO_CLIP: &str = "still";

impl Request {
    /// Which animations beside a model are of use.
    pub(super) fn anims(&self) -> Anims {
        let asks = self.poses.all_clips || self.poses.frames.is_some();
        if asks { Anims::All } else { Anims::AsAsked }
    }

    /// The pictures of a model, in the order of skins, clips, frames.
    pub(super) fn pictures(&self, job: &Job, opened: &Opened) -> Vec<Picture> {
        let scene = self.scene_of(&job.input);
        let mut skins: Vec<Option<(Skin, String)>> = Vec::new();
        if self.poses.all_skins {
            skins.extend(opened.skins(&scene).into_iter().map(Some));
        }
        if skins.is_empty() {
            skins.push(None);
        }
        let moments = self.moments(&scene, opened);
        let mut pictures = Vec::new();
        for (number, skin) in skins.into_iter().enumerate() {
            for Moment { clip, frame, mut scene } in moments.iter().cloned() {
                if let Some((skin, _)) = &skin {
                    scene.source.skins = vec![skin.clone()];
                }
                let names = job.names.with(|field| match field {
                    Field::Skin => Some(number.to_string()),
                    Field::Clip => Some(clip.as_deref().map_or_else(|| NO_CLIP.into(), as_part)),
                    Field::Frame => Some(frame.unwrap_or(0).to_string()),
                    _ => None,
                });
                let skin = skin.as_ref().map(|(_, name)| name.clone());
                let output = names.path();
                pictures.push(Picture { scene, skin, clip: clip.clone(), frame, output });
            }
        }
        pictures
    }

    /// Clips by names that differ, and frames by number.
    fn moments(&self, scene: &Scene, opened: &Opened) -> Vec<Moment> {
        // Those of a player's parts too.
        let clips: Vec<&Clip> = opened.clips().iter().map(|driven| driven.clip).collect();
        let names = || clips.iter().map(|clip| clip.name());
        // Each with its number of frames.
        let mut chosen: Vec<(Moment, usize)> = Vec::new();
        if self.poses.all_clips && !clips.is_empty() {
            for (number, name) in different(names()).enumerate() {
                let mut scene = scene.clone();
                scene.moment.animation = Some(clips[number].name().to_owned());
                let moment = Moment { clip: Some(name), frame: None, scene };
                chosen.push((moment, clips[number].frames().len()));
            }
        } else if let Some(asked) = &scene.moment.animation {
            let clip = opened.clip(asked).ok();
            // Drawing says which there are.
            let (name, count) =
                clip.map_or((&**asked, 1), |clip| (clip.name(), clip.frames().len()));
            let scene = scene.clone();
            let moment = Moment { clip: Some(name.to_owned()), frame: None, scene };
            chosen.push((moment, count));
        } else {
            let moment = Moment { clip: None, frame: None, scene: scene.clone() };
            chosen.push((moment, opened.model.frame_count().max(1)));
        }
        let Some(frames) = self.poses.frames else {
            return chosen.into_iter().map(|(moment, _)| moment).collect();
        };
        let mut moments = Vec::new();
        for (moment, count) in chosen {
            let wanted = match frames {
                FrameChoice::All => count,
                FrameChoice::Count(wanted) => wanted.min(count),
            };
            for frame in (0..wanted).map(|number| number * count / wanted) {
                let mut moment = Moment { frame: Some(frame), ..moment.clone() };
                moment.scene.moment.frames = Some(Frames { from: frame, to: frame, t: 0.0 });
                moments.push(moment);
            }
        }
        moments
    }
}

/// Names that are there twice, case aside, get a number.
fn different<'a>(names: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
    let mut times: HashMap<String, u32> = HashMap::new();
    names.map(move |name| {
        let count = times.entry(as_part(name).to_lowercase()).or_default();
        *count += 1;
        if *count == 1 { name.to_owned() } else { format!("{name}-{count}") }
    })
}
