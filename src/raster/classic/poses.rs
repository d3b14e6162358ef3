//! The engines' frames as polyset's poses, and back.

use super::scene::ClassicScene;
use super::select::{entry_number, group_member};
use crate::model::{Blend, EngineMesh, Geometry, MdlMesh, Model};

impl ClassicScene {
    /// The pose that the scene shows, for [`Model::pose_blend`]: what a camera frames. An `.mdl`
    /// shows one of its poses, the other formats blend `old_frame` and `frame`.
    #[must_use]
    pub fn blend(&self, model: &Model) -> Blend {
        if let Some(EngineMesh::Mdl(mesh)) = &model.engine {
            return Blend::frame(self.mdl_pose(mesh));
        }
        let count = match &model.geometry {
            Geometry::Skeleton(skeleton) => {
                skeleton.anims.get(self.animation).map_or(1, |anim| anim.frame_count())
            }
            _ => model.frame_count(),
        };
        let number = |frame| entry_number(count, frame).unwrap_or(0);
        if self.backlerp == 0.0 {
            return Blend { anim: self.animation, ..Blend::frame(number(self.frame)) };
        }
        let t = (1.0 - self.backlerp).clamp(0.0, 1.0);
        Blend { from: number(self.old_frame), to: number(self.frame), t, anim: self.animation }
    }

    /// Shows `blend`. Quake's engine never blends, so an `.mdl` takes the nearer end; for a member
    /// of a group the scene's time is set to when it is shown.
    pub fn set_blend(&mut self, model: &Model, blend: Blend) {
        let Blend { from, to, t, anim } = blend;
        if let Some(EngineMesh::Mdl(mesh)) = &model.engine {
            self.set_mdl_pose(mesh, if t < 0.5 { from } else { to });
            return;
        }
        let number = |pose| i32::try_from(pose).unwrap_or(0);
        self.animation = anim;
        self.old_frame = number(from);
        (self.frame, self.backlerp) =
            if t == 0.0 { (number(from), 0.0) } else { (number(to), 1.0 - t) };
    }

    /// Number of the pose in file order.
    fn mdl_pose(&self, mesh: &MdlMesh) -> usize {
        let Some(number) = entry_number(mesh.frames.len(), self.frame) else {
            return 0;
        };
        let before: usize = mesh.frames[..number].iter().map(|entry| entry.poses.len()).sum();
        before + group_member(&mesh.frames[number].end_times, self.time, self.sync)
    }

    fn set_mdl_pose(&mut self, mesh: &MdlMesh, pose: usize) {
        let mut member = pose;
        for (number, entry) in mesh.frames.iter().enumerate() {
            if member >= entry.poses.len() {
                member -= entry.poses.len();
                continue;
            }
            self.frame = i32::try_from(number).unwrap_or(0);
            if let Some(&end) = entry.end_times.get(member) {
                let start = if member == 0 { 0.0 } else { entry.end_times[member - 1] };
                self.time = (f64::from(start) + f64::from(end)) / 2.0;
                self.sync = 0.0;
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MdlFrameEntry;

    fn entry(poses: usize, end_times: &[f32]) -> MdlFrameEntry {
        MdlFrameEntry { bounds: [[0; 3]; 2], poses: vec![0; poses], end_times: end_times.to_vec() }
    }

    #[test]
    fn every_pose_of_an_mdl_can_be_shown() {
        let mesh = MdlMesh {
            file: Vec::new().into(),
            scale: [1.0; 3],
            scale_origin: [0.0; 3],
            skin_width: 1,
            skin_height: 1,
            size: 1.0,
            st: Vec::new(),
            triangles: Vec::new(),
            frames: vec![entry(1, &[]), entry(3, &[0.05, 0.15, 0.3]), entry(1, &[])],
        };
        let mut scene = ClassicScene { sync: 7.0, ..ClassicScene::default() };
        for (pose, frame) in [(0, 0), (1, 1), (2, 1), (3, 1), (4, 2)] {
            scene.set_mdl_pose(&mesh, pose);
            assert_eq!((scene.frame, scene.mdl_pose(&mesh)), (frame, pose));
        }
    }
}
