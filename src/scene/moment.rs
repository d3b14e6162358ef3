//! Which frames of a model a scene shows.

use std::borrow::Cow;

use super::parts::Role;
use super::{Frames, Moment, Scene};
use crate::error::RequestError;
use crate::model::{Blend, Clip, Format, Model};

/// What is said of a part's moment, and by which options.
struct PartMoment<'a> {
    moment: Cow<'a, Moment>,
    frame_option: &'static str,
    clip_option: &'static str,
}

impl<'a> PartMoment<'a> {
    /// Said by the options for a model of its own.
    fn new(moment: Cow<'a, Moment>) -> Self {
        Self { moment, frame_option: "--frame", clip_option: "--animation" }
    }
}

impl Scene {
    /// The frames of a model by itself and how far between them.
    ///
    /// # Errors
    /// If a frame or animation does not exist; the message says which there are.
    pub fn blend(&self, model: &Model) -> Result<Blend, RequestError> {
        self.blend_at(&PartMoment::new(Cow::Borrowed(&self.moment)), model)
    }

    /// The frames of a part; `path` names what hangs on tags.
    ///
    /// # Errors
    /// As [`Scene::blend`].
    pub(super) fn blend_of(
        &self,
        role: Role,
        path: &str,
        model: &Model,
    ) -> Result<Blend, RequestError> {
        let Some(moment) = self.moment_of(role, path, model) else { return Ok(Blend::frame(0)) };
        let blend = self.blend_at(&moment, model);
        let named = |error| RequestError::new(format!("'{path}': {error}"));
        if role == Role::Attached { blend.map_err(named) } else { blend }
    }

    /// The clip that a part plays, or would but for frames that were said.
    ///
    /// # Errors
    /// As [`Scene::blend`].
    pub(super) fn clip_of<'m>(
        &self,
        role: Role,
        path: &str,
        model: &'m Model,
    ) -> Result<Option<&'m Clip>, RequestError> {
        let Some(moment) = self.moment_of(role, path, model) else { return Ok(None) };
        Ok(self.named_clip(&moment, model)?.or(model.idle_clip()))
    }

    /// Whether frames or a clip are said of what hangs on the tag at the end of `path`.
    pub(super) fn says_moment_of(&self, path: &str) -> bool {
        let Moment { attached_frames, attached_clips, .. } = &self.moment;
        attached_frames.iter().any(|said| said.is_of(path))
            || attached_clips.iter().any(|said| said.is_of(path))
    }

    /// What is said of a part's moment; `None` for a part without any.
    fn moment_of(&self, role: Role, path: &str, model: &Model) -> Option<PartMoment<'_>> {
        Some(match role {
            Role::Alone | Role::Body | Role::InHand => PartMoment::new(Cow::Borrowed(&self.moment)),
            Role::Lower => self.body_moment("--legs", &self.moment.legs, model),
            Role::Upper => {
                let mut part = self.body_moment("--torso", &self.moment.torso, model);
                let moment = part.moment.to_mut();
                if moment.animation.is_none()
                    && let Some(frames) = &mut moment.frames
                {
                    // Legs have frames that the torso does not have.
                    let last = model.frame_count().saturating_sub(1);
                    (frames.from, frames.to) = (frames.from.min(last), frames.to.min(last));
                }
                part
            }
            Role::Head => return None,
            Role::Attached => {
                let Moment { attached_frames, attached_clips, seconds, interpolation, .. } =
                    &self.moment;
                let frames = attached_frames.iter().rfind(|said| said.is_of(path));
                let clip = attached_clips.iter().rfind(|said| said.is_of(path));
                let moment = Moment {
                    frames: frames.map(|said| said.value),
                    animation: clip.map(|said| said.value.clone()),
                    seconds: *seconds,
                    interpolation: *interpolation,
                    ..Moment::default()
                };
                PartMoment {
                    moment: Cow::Owned(moment),
                    frame_option: "--attach-frame",
                    clip_option: "--attach-animation",
                }
            }
        })
    }

    /// The moment of legs or a torso: their own clip, which `option` says, else the one for both if they
    /// have it.
    fn body_moment(
        &self,
        option: &'static str,
        own: &Option<String>,
        model: &Model,
    ) -> PartMoment<'_> {
        let Moment { animation, legs, torso, .. } = &self.moment;
        let common = animation.as_ref().filter(|name| model.clip(name).is_ok());
        let mut moment =
            Moment { animation: own.as_ref().or(common).cloned(), ..self.moment.clone() };
        // Frames of another part's clip are none of this one.
        if moment.animation.is_none() && [animation, legs, torso].iter().any(|clip| clip.is_some())
        {
            moment.frames = None;
        }
        let mut part = PartMoment::new(Cow::Owned(moment));
        if own.is_some() {
            part.clip_option = option;
        }
        part
    }

    fn blend_at(&self, part: &PartMoment<'_>, model: &Model) -> Result<Blend, RequestError> {
        let clip = self.named_clip(part, model)?;
        let moment = &part.moment;
        if let Some(frames) = moment.frames {
            return self.exact_frames(frames, part.frame_option, clip, model);
        }
        let Some(clip) = clip.or(model.idle_clip()) else { return Ok(Blend::frame(0)) };
        let seconds = moment.seconds.unwrap_or(0.0);
        let is_blended = moment.interpolation.unwrap_or(true);
        Ok(if is_blended { clip.at(seconds) } else { clip.standing_at(seconds) })
    }

    fn named_clip<'m>(
        &self,
        PartMoment { moment, clip_option, .. }: &PartMoment<'_>,
        model: &'m Model,
    ) -> Result<Option<&'m Clip>, RequestError> {
        let Some(name) = &moment.animation else { return Ok(None) };
        let clip = model
            .clip(name)
            .map_err(|error| RequestError::new(format!("{clip_option} {name}: {error}")))?;
        Ok(Some(clip))
    }

    /// Frames of the file, or of `clip`, which `option` says.
    fn exact_frames(
        &self,
        Frames { from, to, t }: Frames,
        option: &str,
        clip: Option<&Clip>,
        model: &Model,
    ) -> Result<Blend, RequestError> {
        let count = clip.map_or(model.frame_count(), |clip| clip.frames().len());
        if let Some(frame) = [from, to].into_iter().find(|&frame| frame >= count) {
            let is_bind_pose = model.format() == Format::Md5 && self.source.anims.is_empty();
            let known = match count {
                0 => "this model has no frame".to_owned(),
                1 if is_bind_pose && clip.is_none() => {
                    "without --anim the bind pose is frame 0, the only one".to_owned()
                }
                1 => "frame 0 is the only one".to_owned(),
                _ => format!("the frames are 0 to {}", count - 1),
            };
            return Err(RequestError::new(format!("{option} {frame} is out of range: {known}")));
        }
        let anim = clip.map_or(0, |clip| clip.at(0.0).anim);
        let [from, to] = [from, to].map(|frame| clip.map_or(frame, |clip| clip.frame(frame)));
        Ok(Blend { from, to, t, anim })
    }
}
