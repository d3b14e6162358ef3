//! Tags: blended like vertices.

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
        return Tag { axis: from.axis.map(unit_or_itself), ..*from };
    }
    if t >= 1.0 {
        return Tag { axis: to.axis.map(unit_or_itself), ..*to };
    }
    let mix = |a: [f32; 3], b: [f32; 3]| std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t);
    let axis = std::array::from_fn(|row| {
        let mixed = mix(from.axis[row], to.axis[row]);
        unit(mixed).unwrap_or_else(|| unit_or_itself(from.axis[row]))
    });
    Tag { origin: mix(from.origin, to.origin), axis }
}

fn unit_or_itself(row: [f32; 3]) -> [f32; 3] {
    unit(row).unwrap_or(row)
}

/// In f64, where no finite f32 overflows. `None` without a direction.
fn unit(row: [f32; 3]) -> Option<[f32; 3]> {
    let length = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    let is_direction = length > 1e-6 && length.is_finite();
    is_direction.then(|| row.map(|x| (f64::from(x) / length) as f32))
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

    #[test]
    fn rows_blend_with_the_lengths_that_they_have() {
        let long = Tag { axis: TURNED.map(|row| row.map(|x| 3.0 * x)), ..Tag::IDENTITY };
        let track =
            TagTrack { names: ["tag_weapon".into()].into(), frames: vec![Tag::IDENTITY, long] };
        let mut out = Vec::new();
        pose(&track, Blend { from: 0, to: 1, t: 0.5, anim: 0 }, &mut out);
        // Half of (1, 0, 0) and half of (0, 3, 0).
        let length = 10.0_f32.sqrt();
        let expected = [1.0 / length, 3.0 / length, 0.0];
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near(out[0].axis[0], expected), "{out:?}");
        for (t, axis) in [(0.0, Tag::IDENTITY.axis), (1.0, TURNED)] {
            pose(&track, Blend { from: 0, to: 1, t, anim: 0 }, &mut out);
            assert_eq!(out[0].axis, axis);
        }
    }
}
