//! Which way a skeletal model faces, from the joints of its two sides.

use std::collections::HashMap;

use super::{Geometry, Model};

impl Model {
    /// Degrees from +X towards +Y of the model's face: 0, 90, 180 or 270. The engines' models face +X;
    /// MD5 meshes of other tools face where they like, but their joints say which side is which
    /// (`hand.L`, `r_foot`, `LeftArm`), and the face is to the right of the left side. `None` for
    /// other formats, and where joints have no sides.
    pub(crate) fn facing(&self) -> Option<f32> {
        let Geometry::Skeleton(skeleton) = &self.geometry else { return None };
        let place = |number: usize| skeleton.joints[number].position;
        let names = skeleton.joints.iter().enumerate();
        let names: HashMap<String, usize> =
            names.map(|(number, joint)| (joint.name.to_lowercase(), number)).collect();
        let mut sum = [0.0f64; 3];
        // In the order of the file: sums must not depend on the order of a map.
        for (number, joint) in skeleton.joints.iter().enumerate() {
            let right = mirrored(&joint.name.to_lowercase()).and_then(|name| names.get(&name));
            let Some(&right) = right else { continue };
            let (left, right) = (place(number), place(right));
            for axis in 0..3 {
                sum[axis] += f64::from(left[axis]) - f64::from(right[axis]);
            }
        }
        let [x, y, z] = sum;
        // A side that is above the other one says nothing.
        let is_beside = x.abs().max(y.abs()) > z.abs();
        if !is_beside {
            return None;
        }
        Some(match (x.abs() > y.abs(), x > 0.0, y > 0.0) {
            (false, _, true) => 0.0,
            (false, _, false) => 180.0,
            (true, true, _) => 270.0,
            (true, false, _) => 90.0,
        })
    }
}

/// The name of the right joint of which this, in lower-case letters, is the left one.
fn mirrored(name: &str) -> Option<String> {
    let is_end = |c: char| !c.is_alphanumeric();
    let mut start = 0;
    for part in name.split_inclusive(is_end) {
        let word = part.trim_end_matches(is_end);
        if word == "l" {
            return Some(format!("{}r{}", &name[..start], &name[start + 1..]));
        }
        start += part.len();
    }
    let start = name.find("left")?;
    Some(format!("{}right{}", &name[..start], &name[start + 4..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_joints_have_right_ones() {
        for (left, right) in [
            ("upper arm l", Some("upper arm r")),
            ("foot.l", Some("foot.r")),
            ("finger.l.001", Some("finger.r.001")),
            ("l_hand", Some("r_hand")),
            ("bip01 l thigh", Some("bip01 r thigh")),
            ("leftarm", Some("rightarm")),
            ("arm_left", Some("arm_right")),
            ("r_hand", None),
            ("pelvis", None),
            ("spinal", None),
            ("", None),
        ] {
            assert_eq!(mirrored(left).as_deref(), right, "{left}");
        }
    }

    #[test]
    fn the_face_is_to_the_right_of_the_left_side() {
        let facing = |places: &str| {
            let text = format!(
                "MD5Version 10 commandline \"\" numJoints 2 numMeshes 1
                 joints {{ {places} }}
                 mesh {{ shader \"\" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 0 0 ) 0 1
                        vert 2 ( 0 0 ) 0 1 numtris 1 tri 0 0 1 2 numweights 1
                        weight 0 0 1 ( 0 0 0 ) }}"
            );
            Model::from_bytes(text.as_bytes()).unwrap().facing()
        };
        for (left, right, expected) in [
            ("0 9 1", "0 -9 0", Some(0.0)),
            ("-9 1 0", "9 0 0", Some(90.0)),
            ("0 -9 0", "0 9 0", Some(180.0)),
            ("9 1 3", "-9 0 0", Some(270.0)),
            ("1 1 9", "0 0 -9", None),
            ("1 1 1", "1 1 1", None),
        ] {
            let pair = |names: [&str; 2]| {
                let [a, b] = names;
                facing(&format!("\"{a}\" -1 ( {left} ) ( 0 0 0 ) \"{b}\" -1 ( {right} ) ( 0 0 0 )"))
            };
            assert_eq!(pair(["hand.L", "hand.R"]), expected, "{left} {right}");
            assert_eq!(pair(["hand", "foot"]), None);
        }
        let bolt = std::fs::read("tests/models/bolt.md5mesh").unwrap();
        assert_eq!(Model::from_bytes(&bolt).unwrap().facing(), Some(0.0));
        let bolt = std::fs::read("tests/models/bolt.mdl").unwrap();
        assert_eq!(Model::from_bytes(&bolt).unwrap().facing(), None);
    }
}
