//! What hangs on what: models at a moment, and where each of them stands.
//!
//! A model that hangs on a tag stands as `parent * tag * turn`: the tag is where its parent has it at the
//! parent's own moment, and the turn is its own, about the tag.

use crate::camera::Camera;
use crate::look::Look;
use crate::model::{Blend, Model};
use crate::pose::Pose;
use crate::raster::Instance;
use crate::transform::Transform;

/// Models at a moment, each standing in the scene or hanging on a tag of another: what the engines make a
/// player, the weapon in the player's hand and the flash at its muzzle of.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use polyset::{Assembly, Blend, Model, Transform};
///
/// let player = Model::open("tests/models/bolt.md3")?;
/// let hand = Model::open("tests/models/hand.md3")?;
/// let mut assembly = Assembly::new();
/// let body = assembly.place(&player, player.clip("walk")?.at(0.3), Transform::IDENTITY);
/// let held = assembly.attach(body, "tag_weapon", &hand, Blend::frame(0), Transform::IDENTITY);
/// assert_eq!(held, Some(1));
/// assert_eq!(assembly.instances().count(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Assembly<'a> {
    members: Vec<Member<'a>>,
    /// Buffers of poses that are not in use.
    spare: Vec<Pose>,
}

/// A model of the assembly.
#[derive(Debug)]
struct Member<'a> {
    model: &'a Model,
    pose: Pose,
    stands: Transform,
    look: Look,
    is_hidden: bool,
}

impl<'a> Assembly<'a> {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Like [`Assembly::new`], with the buffers of poses from [`Assembly::into_poses`].
    #[must_use]
    pub fn reusing(mut poses: Vec<Pose>) -> Self {
        // The first member takes the last.
        poses.reverse();
        Self { members: Vec::new(), spare: poses }
    }

    /// The poses, in the order of the members.
    #[must_use]
    pub fn into_poses(self) -> Vec<Pose> {
        self.members.into_iter().map(|member| member.pose).collect()
    }

    /// Adds a model that stands in the scene as `stands` says. Returns its number, counted from 0.
    pub fn place(&mut self, model: &'a Model, blend: Blend, stands: Transform) -> usize {
        let mut pose = self.spare.pop().unwrap_or_default();
        model.pose_into(blend, &mut pose);
        let look = Look::of(model.format());
        self.members.push(Member { model, pose, stands, look, is_hidden: false });
        self.members.len() - 1
    }

    /// Adds a model on a tag of the member `parent`, of an MD5 on a joint, its name in either case; turned
    /// about the tag by `turn`. Returns its number; `None`, and nothing is added, if there is no such
    /// member or tag.
    pub fn attach(
        &mut self,
        parent: usize,
        tag: &str,
        model: &'a Model,
        blend: Blend,
        turn: Transform,
    ) -> Option<usize> {
        let Member { pose, stands, .. } = self.members.get(parent)?;
        let on_tag = *stands * pose.tag(tag)?;
        Some(self.place(model, blend, turned(on_tag, turn)))
    }

    /// How the member is drawn; unless said as its format's engine does.
    pub fn set_look(&mut self, member: usize, look: Look) {
        if let Some(member) = self.members.get_mut(member) {
            member.look = look;
        }
    }

    /// Leaves a member out of the picture; what hangs on it stays.
    pub fn hide(&mut self, member: usize) {
        if let Some(member) = self.members.get_mut(member) {
            member.is_hidden = true;
        }
    }

    /// The pose of a member.
    #[must_use]
    pub fn pose(&self, member: usize) -> Option<&Pose> {
        self.members.get(member).map(|member| &member.pose)
    }

    /// How a member stands in the scene.
    #[must_use]
    pub fn transform(&self, member: usize) -> Option<Transform> {
        self.members.get(member).map(|member| member.stands)
    }

    /// All members but hidden ones as the renderer takes them, in the order in which they were added.
    pub fn instances(&self) -> impl Iterator<Item = Instance<'_>> {
        let shown = self.members.iter().filter(|member| !member.is_hidden);
        shown.map(|Member { model, pose, stands, look, .. }| {
            Instance::new(model, pose).look(*look).transform(*stands)
        })
    }

    /// A camera that shows all of it: see [`Camera::framing_instances`].
    #[must_use]
    pub fn camera(&self) -> Camera {
        let shown = self.members.iter().filter(|member| !member.is_hidden);
        Camera::framing_instances(shown.map(|member| (&member.pose, &member.stands)))
    }
}

/// `on_tag * turn`, with the bits of `on_tag` where nothing is turned.
fn turned(on_tag: Transform, turn: Transform) -> Transform {
    if turn.is_identity() { on_tag } else { on_tag * turn }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SurfaceParts, Tag, TagTrack};

    /// One triangle at +X, and a tag with an axis row for each of forward, left, up in every frame.
    fn model(tag: &str, frames: &[Tag]) -> Model {
        let part = SurfaceParts {
            positions: vec![[1.0, 0.0, 0.0]; 3],
            normals: vec![[1.0, 0.0, 0.0]; 3],
            texcoords: vec![[0.0; 2]; 3],
            triangles: vec![[0, 1, 2]],
            ..SurfaceParts::default()
        };
        let mut model = Model::from_parts(vec![part]).unwrap();
        model.tags = TagTrack { names: [tag.to_owned()].into(), frames: frames.to_vec() };
        model
    }

    /// Quarter turns: forward goes left; forward goes up.
    const LEFT: [[f32; 3]; 3] = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    const UP: [[f32; 3]; 3] = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]];

    fn near(a: [f32; 3], b: [f32; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    #[test]
    fn a_chain_of_tags_is_the_product_of_their_matrices() {
        let lower = model("tag_torso", &[Tag { origin: [1.0, 0.0, 20.0], axis: LEFT }]);
        let upper = model("tag_head", &[Tag { origin: [0.0, 2.0, 10.0], axis: UP }]);
        let head = model("tag_none", &[Tag::IDENTITY]);
        let mut assembly = Assembly::new();
        let still = Transform::IDENTITY;
        let legs =
            assembly.place(&lower, Blend::frame(0), Transform::translation([100.0, 0.0, 0.0]));
        let torso = assembly.attach(legs, "TAG_TORSO", &upper, Blend::frame(0), still).unwrap();
        let head = assembly.attach(torso, "tag_head", &head, Blend::frame(0), still).unwrap();
        assert_eq!(assembly.transform(torso).unwrap().origin(), [101.0, 0.0, 20.0]);
        // The torso has its left where the legs have back: (0, 2, 10) is (-2, 0, 10) for them.
        let stands = assembly.transform(head).unwrap();
        assert_eq!(stands.origin(), [99.0, 0.0, 30.0]);
        // Rows of UP by rows of LEFT: forward up, left back, up right.
        assert_eq!(stands.axes(), [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]);
        let instances: Vec<Instance<'_>> = assembly.instances().collect();
        let point = instances[head].pose.positions(0).next().unwrap();
        assert_eq!(instances[head].transform.point(point), [99.0, 0.0, 31.0]);
        assert!(assembly.attach(head, "tag_torso", &lower, Blend::frame(0), still).is_none());
        assert!(assembly.attach(9, "tag_torso", &lower, Blend::frame(0), still).is_none());
    }

    #[test]
    fn a_turn_is_about_the_tag_and_in_its_axes() {
        let legs = model("tag_torso", &[Tag { origin: [0.0, 0.0, 20.0], axis: LEFT }]);
        let torso = model("tag_head", &[Tag::IDENTITY]);
        let mut assembly = Assembly::new();
        assembly.place(&legs, Blend::frame(0), Transform::IDENTITY);
        let turn = Transform::angles([90.0, 0.0, 0.0]);
        let torso = assembly.attach(0, "tag_torso", &torso, Blend::frame(0), turn).unwrap();
        let stands = assembly.transform(torso).unwrap();
        // Pitch lowers the nose, which the tag has pointed left.
        assert!(near(stands.point([1.0, 0.0, 0.0]), [0.0, 0.0, 19.0]), "{stands:?}");
        assert!(near(stands.point([0.0, 1.0, 0.0]), [-1.0, 0.0, 20.0]), "{stands:?}");
    }

    #[test]
    fn tags_are_where_their_parent_has_them_between_frames() {
        let ends = [Tag::IDENTITY, Tag { origin: [4.0, 0.0, 2.0], axis: LEFT }];
        let legs = model("tag_torso", &ends);
        let torso = model("tag_head", &[Tag::IDENTITY]);
        let mut assembly = Assembly::new();
        assembly.place(&legs, Blend { from: 0, to: 1, t: 0.25, anim: 0 }, Transform::IDENTITY);
        let still = Transform::IDENTITY;
        let torso = assembly.attach(0, "tag_torso", &torso, Blend::frame(0), still).unwrap();
        let stands = assembly.transform(torso).unwrap();
        assert_eq!(stands.origin(), [1.0, 0.0, 0.5]);
        // (0.75, 0.25, 0) and (-0.25, 0.75, 0), each brought back to length 1.
        let (long, short) = (0.948_683_3, 0.316_227_76);
        let [forward, left, up] = stands.axes();
        assert!(near(forward, [long, short, 0.0]) && near(left, [-short, long, 0.0]), "{stands:?}");
        assert_eq!(up, [0.0, 0.0, 1.0]);
    }

    #[test]
    fn what_is_hidden_carries_what_hangs_on_it() {
        let hand = model("tag_weapon", &[Tag { origin: [3.0, 0.0, 0.0], axis: LEFT }]);
        let mut assembly = Assembly::new();
        let still = Transform::IDENTITY;
        assembly.place(&hand, Blend::frame(0), still);
        assembly.attach(0, "tag_weapon", &hand, Blend::frame(0), still).unwrap();
        assembly.hide(0);
        assert_eq!(
            assembly.instances().map(|i| i.transform.origin()).collect::<Vec<_>>(),
            [[3.0, 0.0, 0.0]]
        );
        assert_eq!(assembly.into_poses().len(), 2);
    }
}
