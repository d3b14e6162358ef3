//! Which clips the models of a picture play, and which frames of them a moment shows.

use super::framing::MOST_MOMENTS;
use super::parts::Role;
use super::{Opened, Scene};
use crate::error::RequestError;
use crate::model::{Blend, Clip, find_clip};

/// A clip of a player, and the names of the parts that it moves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DrivenClip<'a> {
    /// As the first of the parts has it.
    pub clip: &'a Clip,
    /// `lower`, `upper`.
    pub parts: Vec<&'a str>,
}

/// Seconds by which moments differ that are one but for rounding.
const SAME_TIME: f64 = 1e-5;

impl Opened {
    /// The clips that can be chosen: those of the model, of a player those of all parts.
    #[must_use]
    pub fn clips(&self) -> Vec<DrivenClip<'_>> {
        let mut clips: Vec<DrivenClip<'_>> = Vec::new();
        let is_moved = |role: Role| !matches!(role, Role::Head | Role::InHand | Role::Attached);
        for (name, member) in self.members().filter(|(_, member)| is_moved(member.role)) {
            for clip in member.model.clips() {
                match clips.iter_mut().find(|known| known.clip.name() == clip.name()) {
                    Some(known) => known.parts.push(name),
                    None => clips.push(DrivenClip { clip, parts: vec![name] }),
                }
            }
            if !member.role.is_of_quake3_player() {
                break;
            }
        }
        clips
    }

    /// The names of the clips that move a part of a Quake III player: `lower`, `upper`; those of the part
    /// alone first. None for other models.
    #[must_use]
    pub fn body_clips(&self, part: &str) -> Vec<String> {
        let clips = self.clips().into_iter().filter(|_| self.is_quake3_player());
        let mut of_part: Vec<_> = clips.filter(|clip| clip.parts.contains(&part)).collect();
        of_part.sort_by_key(|clip| clip.parts.len());
        of_part.into_iter().map(|clip| clip.clip.name().to_owned()).collect()
    }

    /// The frames of every model in the order of [`Opened::members`].
    ///
    /// # Errors
    /// If a frame or an animation does not exist.
    pub(crate) fn blends(&self, scene: &Scene) -> Result<Vec<Blend>, RequestError> {
        let named = self.with_clip_by_name(scene)?;
        let scene = named.as_ref().unwrap_or(scene);
        let mut blends = vec![scene.blend_of(self.role, "", &self.model)?];
        for part in &self.parts {
            let above = blends[part.parent];
            let own = match part.opened.role {
                Role::InHand => blends[0],
                _ if part.stands_in(scene) && part.opened.model.has(above) => above,
                role => scene.blend_of(role, &part.path, &part.opened.model)?,
            };
            blends.push(own);
        }
        Ok(blends)
    }

    /// The clips that the models play, of those that have frames of their own.
    ///
    /// # Errors
    /// If an animation does not exist.
    pub(crate) fn playing(&self, scene: &Scene) -> Result<Vec<&Clip>, RequestError> {
        let named = self.with_clip_by_name(scene)?;
        let scene = named.as_ref().unwrap_or(scene);
        let mut clips: Vec<&Clip> = Vec::new();
        clips.extend(scene.clip_of(self.role, "", &self.model)?);
        for part in &self.parts {
            let is_led = part.opened.role == Role::InHand || part.stands_in(scene);
            if !is_led {
                clips.extend(scene.clip_of(part.opened.role, &part.path, &part.opened.model)?);
            }
        }
        Ok(clips)
    }

    /// The scene with the name of the animation where a player is meant: numbers count the clips of all
    /// parts.
    fn with_clip_by_name(&self, scene: &Scene) -> Result<Option<Scene>, RequestError> {
        let wanted = scene.moment.animation.as_ref();
        let Some(wanted) = wanted.filter(|_| self.role.is_of_quake3_player()) else {
            return Ok(None);
        };
        let clip = self.clip(wanted);
        let clip =
            clip.map_err(|error| RequestError::new(format!("--animation {wanted}: {error}")))?;
        let mut named = scene.clone();
        named.moment.animation = Some(clip.name().to_owned());
        Ok(Some(named))
    }

    /// The clip of [`Opened::clips`] that is called so, or the one of that number.
    ///
    /// # Errors
    /// If there is none; the message lists the names.
    pub fn clip(&self, wanted: &str) -> Result<&Clip, RequestError> {
        let clips: Vec<&Clip> = self.clips().iter().map(|driven| driven.clip).collect();
        let what = if self.is_quake3_player() { "player" } else { "model" };
        let number = find_clip(clips.iter().map(|clip| clip.name()), wanted, what)?;
        Ok(clips[number])
    }

    /// Whether the picture is of one model, which alone has frames.
    #[cfg(feature = "motion")]
    pub(crate) fn is_lone(&self) -> bool {
        let follows = |part: &super::Part| part.opened.role == Role::InHand;
        !self.is_quake3_player() && self.parts.iter().all(follows)
    }

    /// When a frame of any part begins while the scene's clips play once, in seconds from 0 on, and when
    /// the longest of them ends.
    ///
    /// # Errors
    /// If an animation does not exist.
    pub(crate) fn starts_of_frames(&self, scene: &Scene) -> Result<Vec<f64>, RequestError> {
        let clips = self.playing(scene)?;
        let end = clips.iter().map(|clip| clip.exact_duration()).fold(0.0, f64::max);
        let mut starts: Vec<f64> = Vec::new();
        for clip in clips {
            let duration = clip.exact_duration();
            let frames = (0..clip.shown_frames()).map(|frame| clip.exact_start(frame));
            let frames: Vec<f64> = frames.collect();
            let rounds = if duration > 0.0 { (end / duration).ceil() as usize } else { 1 };
            let most = MOST_MOMENTS / frames.len().max(1);
            for round in 0..rounds.clamp(1, most.max(1)) {
                let begin = round as f64 * duration;
                starts.extend(frames.iter().map(|frame| begin + frame));
            }
        }
        starts.retain(|start| *start < end);
        starts.push(0.0);
        starts.push(end);
        starts.sort_by(f64::total_cmp);
        starts.dedup_by(|a, b| (*a - *b).abs() < SAME_TIME);
        Ok(starts)
    }
}
