//! Tags: blended like vertices.

use super::keyframe::unit;
use crate::model::{Blend, Tag, TagTrack};

/// The tags between two frames: origins blend, axes blend row by row and become unit length again.
pub(super) fn pose(track: &TagTrack, blend: Blend, out: &mut Vec<Tag>) {
    out.clear();
    let count = track.names.len();
    if count == 0 {
        return;
    }
    let last = (track.frames.len() / count).saturating_sub(1);
    let [from, to] = [blend.from, blend.to].map(|frame| {
        let start = frame.min(last) * count;
        track.frames.get(start..start + count).unwrap_or_default()
    });
    out.extend(from.iter().zip(to).map(|(from, to)| between(from, to, blend.t)));
}

fn between(from: &Tag, to: &Tag, t: f32) -> Tag {
    if t <= 0.0 || t.is_nan() {
        return *from;
    }
    if t >= 1.0 {
        return *to;
    }
    let mix = |a: [f32; 3], b: [f32; 3]| std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t);
    let axis = std::array::from_fn(|row| {
        unit(mix(from.axis[row], to.axis[row])).unwrap_or(from.axis[row])
    });
    Tag { origin: mix(from.origin, to.origin), axis }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURNED: [[f32; 3]; 3] = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn axes_stay_unit_between_frames_and_exact_at_the_ends() {
        let to = Tag { origin: [4.0, 0.0, 0.0], axis: TURNED };
        let track = TagTrack { names: ["tag_head".into()].into(), frames: vec![Tag::IDENTITY, to] };
        let mut out = Vec::new();
        for (t, expected) in [(0.0, Tag::IDENTITY), (1.0, to)] {
            pose(&track, Blend { from: 0, to: 1, t, anim: 0 }, &mut out);
            assert_eq!(out, [expected]);
        }
        pose(&track, Blend { from: 0, to: 7, t: 0.5, anim: 0 }, &mut out);
        let half = 0.5_f32.sqrt();
        assert_eq!(out[0].origin, [2.0, 0.0, 0.0]);
        assert!((out[0].axis[0][0] - half).abs() < 1e-6, "{out:?}");
        assert!((out[0].axis[1][0] + half).abs() < 1e-6, "{out:?}");
        assert_eq!(out[0].axis[2], [0.0, 0.0, 1.0]);
    }
}
