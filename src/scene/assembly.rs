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
        self.members.push(Member { model, pose, stands, look: Look::of(model.format()) });
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

    /// All members as the renderer takes them, in the order in which they were added.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = Instance<'_>> {
        self.members.iter().map(|Member { model, pose, stands, look }| {
            Instance::new(model, pose).look(*look).transform(*stands)
        })
    }

    /// A camera that shows all of it: see [`Camera::framing_instances`].
    #[must_use]
    pub fn camera(&self) -> Camera {
        Camera::framing_instances(self.members.iter().map(|member| (&member.pose, &member.stands)))
    }
}

/// `on_tag * turn`, with the bits of `on_tag` where nothing is turned.
fn turned(on_tag: Transform, turn: Transform) -> Transform {
    if turn.is_identity() { on_tag } else { on_tag * turn }
}
