//! Animations join a model: which `.md5anim` fits which skeleton.

use super::md5anim;
use super::reading::Tally;
use crate::error::{LoadError, LoadErrorKind, Place, Warning};
use crate::model::{AnimJoint, Clip, Geometry, Joint, Model, Timing};

impl Model {
    /// Adds the animation of an `.md5anim` to an MD5 model, as a clip called `name` (a file name is
    /// cut to its stem; a number is added to a name that the model has already). Returns the number
    /// of the animation, for [`Blend::anim`](crate::Blend).
    ///
    /// # Errors
    /// If `bytes` is no valid md5anim, if its joints are not as many as the model's or have other
    /// parents, or if the model has no skeleton.
    pub fn add_anim(&mut self, name: &str, bytes: &[u8]) -> Result<usize, LoadError> {
        let name = stem(name);
        let Geometry::Skeleton(skeleton) = &mut self.geometry else {
            let message = format!("'{name}' needs an .md5mesh; this model has no skeleton");
            return Err(LoadError::new(LoadErrorKind::Mismatch, Place::File, "md5anim", message));
        };
        let mut warnings = Vec::new();
        let mut anim = md5anim::load(bytes, &mut warnings)?;
        check_fit(&anim.joints, &skeleton.joints, name, &mut warnings)?;
        let mut unique = name.to_owned();
        let mut number = 1;
        while self.clips.iter().any(|clip| clip.name.eq_ignore_ascii_case(&unique)) {
            number += 1;
            unique = format!("{name}_{number}");
        }
        let index = skeleton.anims.len();
        self.clips.push(Clip {
            name: unique.clone(),
            first: 0,
            count: anim.frames,
            anim: index,
            timing: Timing::Cyclic(anim.frame_rate),
        });
        for mut warning in warnings {
            warning.part = format!("animation '{unique}', {}", warning.part);
            self.warnings.push(warning);
        }
        anim.name = unique;
        skeleton.anims.push(anim);
        Ok(index)
    }
}

/// A file name without its folders and its extension.
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    }
}

/// An animation moves the joints of one skeleton: as many, with the same parents.
fn check_fit(
    anim: &[AnimJoint],
    mesh: &[Joint],
    name: &str,
    warnings: &mut Vec<Warning>,
) -> Result<(), LoadError> {
    let mismatch = |message| {
        let place = Place::File;
        Err(LoadError::new(LoadErrorKind::Mismatch, place, format!("animation '{name}'"), message))
    };
    if anim.len() != mesh.len() {
        return mismatch(format!(
            "has {} joints, the mesh has {}; it belongs to another model",
            anim.len(),
            mesh.len()
        ));
    }
    let mut renamed = Tally::default();
    for (i, (ours, theirs)) in anim.iter().zip(mesh).enumerate() {
        if ours.parent != theirs.parent {
            let parent = |parent: Option<u32>| {
                let known = parent.and_then(|parent| mesh.get(parent as usize));
                known.map_or("none".to_owned(), |joint| format!("'{}'", joint.name))
            };
            return mismatch(format!(
                "joint {i} is '{}' with parent {}, in the mesh it is '{}' with parent {}; it \
                 belongs to another model",
                ours.name,
                parent(ours.parent),
                theirs.name,
                parent(theirs.parent)
            ));
        }
        if ours.name != theirs.name {
            renamed.add_at(Place::File, || {
                format!("joint {i} is '{}', in the mesh '{}'", ours.name, theirs.name)
            });
        }
    }
    renamed.report("hierarchy", "its parent is the same", warnings);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::md5mesh;

    const MESH: &str = r#"MD5Version 10
        joints { "root" -1 ( 0 0 0 ) ( 0 0 0 ) "tip" 0 ( 1 0 0 ) ( 0 0 0 ) }"#;

    const GOOD: &str = r#"MD5Version 10
        hierarchy { "root" -1 1 0 "tip" 0 0 0 }
        baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 1 0 0 ) ( 0 0 0 ) }
        frameRate 30 frame 0 { 1 } frame 1 { 2 } frame 2 { 3 }"#;

    fn mesh() -> Model {
        md5mesh::load(MESH.as_bytes()).unwrap()
    }

    #[test]
    fn an_animation_is_a_clip() {
        let mut model = mesh();
        assert_eq!(model.add_anim("models/walk.md5anim", GOOD.as_bytes()).unwrap(), 0);
        let clip = model.clip("walk").unwrap();
        assert_eq!((clip.frames(), clip.duration(), clip.anim), (0..3, 2.0 / 30.0, 0));
        assert_eq!(model.frame_count(), 3);
        assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    }

    #[test]
    fn names_are_unique_stems() {
        let mut model = md5mesh::load(MESH.as_bytes()).unwrap();
        for (i, name) in ["walk", "a\\walk.md5anim", ".md5anim"].into_iter().enumerate() {
            assert_eq!(model.add_anim(name, GOOD.as_bytes()).unwrap(), i);
        }
        let names: Vec<_> = model.clips().iter().map(Clip::name).collect();
        assert_eq!(names, ["walk", "walk_2", ".md5anim"]);
    }

    #[test]
    fn other_joints_are_refused_by_name() {
        let more = GOOD
            .replace("\"tip\" 0 0 0", "\"tip\" 0 0 0 \"end\" 1 0 0")
            .replace("( 1 0 0 )", "( 1 0 0 ) ( 0 0 0 ) ( 1 0 0 )");
        let cases = [
            (more, "animation 'walk' (file): has 3 joints, the mesh has 2"),
            (
                GOOD.replace("\"tip\" 0", "\"top\" -1"),
                "joint 1 is 'top' with parent none, in the mesh it is 'tip' with parent 'root'",
            ),
        ];
        for (text, message) in cases {
            let error = mesh().add_anim("walk", text.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), LoadErrorKind::Mismatch);
            assert!(error.to_string().contains(message), "{error}");
        }
        let error = Model::from_parts(Vec::new()).unwrap().add_anim("a", b"").unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Mismatch);
    }

    #[test]
    fn other_names_of_the_same_joints_are_a_warning() {
        let mut model = mesh();
        model.add_anim("walk", GOOD.replace("tip", "tap").as_bytes()).unwrap();
        let warning = model.warnings()[0].to_string();
        assert!(
            warning.starts_with(
                "animation 'walk', hierarchy (file): joint 1 is 'tap', in the mesh 'tip'"
            ),
            "{warning}"
        );
    }
}
