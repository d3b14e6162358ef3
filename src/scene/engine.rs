//! A scene in the words of the original engines, for the classic renderer.

use super::{Opened, Scene, SceneCamera, Skin};
use crate::camera::Camera;
use crate::error::RequestError;
use crate::model::{Format, Model};
use crate::raster::{ClassicScene, Instance};

impl Scene {
    /// The entity and the camera that the classic renderer draws.
    ///
    /// # Errors
    /// If the pose does not exist or the camera is where it looks.
    pub(super) fn classic_scene(&self, opened: &Opened) -> Result<ClassicScene, RequestError> {
        let model = &opened.model;
        let mut scene = self.entity(opened);
        self.choose_classic_pose(&mut scene, model)?;
        self.place_classic_camera(&mut scene, model)?;
        Ok(scene)
    }

    /// The entity without pose and camera.
    fn entity(&self, opened: &Opened) -> ClassicScene {
        let (engine, standard) = (&self.engine, ClassicScene::default());
        // Of .md2 entities the light is a colour; its grey gives the level again, less rounding.
        let grey = self.light.level.map(|level| [level / 255.0; 3]);
        let texture =
            opened.model.surfaces().first().and_then(|surface| surface.texture().cloned());
        let wears_given = opened.model.format() == Format::Mdl && !opened.wears_embedded();
        ClassicScene {
            origin: self.placement.origin.unwrap_or(standard.origin),
            angles: self.placement.angles.unwrap_or(standard.angles),
            skin: match self.source.skins.iter().rfind(|skin| !skin.is_of_surface()) {
                Some(Skin::Number(number)) => *number,
                _ => 0,
            },
            time: self.moment.clock.unwrap_or(standard.time),
            sync: engine.sync.unwrap_or(standard.sync),
            light_level: self.light.level.map_or(standard.light_level, |level| level as i32),
            colors: self.look.colors,
            view_weapon: engine.view_weapon,
            subdivision: engine.subdivision.unwrap_or(false),
            old_origin: engine.old_origin,
            light_color: engine.light_color.or(grey).unwrap_or(standard.light_color),
            fullbright: engine.fullbright,
            minlight: engine.minlight,
            glow: engine.glow,
            alpha: engine.alpha,
            shell: engine.shell.unwrap_or_default(),
            opaque_pass: engine.opaque_pass,
            left_handed: engine.left_handed,
            palette: opened.palette.clone(),
            colormap: opened.colormap.clone(),
            texture: texture.filter(|_| wears_given),
            ..standard
        }
    }

    fn choose_classic_pose(
        &self,
        scene: &mut ClassicScene,
        model: &Model,
    ) -> Result<(), RequestError> {
        let moment = &self.moment;
        if moment.frames.is_some() || moment.animation.is_some() || moment.seconds.is_some() {
            scene.set_blend(model, self.blend(model)?);
        } else {
            scene.frame = self.engine.frame.unwrap_or(0);
            scene.old_frame = self.engine.old_frame.unwrap_or(scene.frame);
            scene.backlerp = self.engine.backlerp.unwrap_or(0.0);
        }
        Ok(())
    }

    fn place_classic_camera(
        &self,
        scene: &mut ClassicScene,
        model: &Model,
    ) -> Result<(), RequestError> {
        let [width, height] = self.picture_size();
        let (mut wanted, engine) = (self.camera.clone(), &self.engine);
        if let Some(degrees) = engine.horizontal_angle {
            wanted.view_angle = Some(wanted.vertical_angle(degrees, width, height));
        }
        let pose = model.pose_blend(scene.blend(model));
        if let (Some(angles), Some(position)) = (engine.camera_angles, wanted.position) {
            let view_angle = wanted.view_angle.unwrap_or(Camera::DEFAULT_VIEW_ANGLE);
            let ahead = [position[0] + 1.0, position[1], position[2]];
            let camera = Camera::placed(position, ahead, [0.0, 0.0, 1.0])
                .view_angle(view_angle)
                .pixel_aspect(wanted.pixel_aspect.unwrap_or(1.0));
            scene.set_camera(model, &pose, &camera, width, height);
            scene.camera_position = position;
            scene.camera_angles = angles;
        } else {
            let transform = self.transform(model.format());
            if wanted.position.is_none() {
                // The classic scene itself applies origin and angles to what is framed.
                let camera = wanted.camera(&[Instance::new(model, &pose)])?;
                scene.set_camera(model, &pose, &camera, width, height);
            } else {
                let instance = Instance::new(model, &pose).transform(transform);
                let camera = wanted.camera(&[instance])?;
                scene.set_camera(model, &pose, &camera, width, height);
            }
        }
        if let (Some(degrees), Some(position)) = (engine.horizontal_angle, wanted.position) {
            scene.camera_position = position;
            scene.horizontal_angle = degrees;
        }
        Ok(())
    }
}

impl Skin {
    fn is_of_surface(&self) -> bool {
        matches!(self, Self::Surface { .. })
    }
}

impl SceneCamera {
    /// The vertical angle of a picture whose horizontal one is `degrees`.
    pub(super) fn vertical_angle(&self, degrees: f32, width: u32, height: u32) -> f32 {
        let half = libm::tan(f64::from(degrees).to_radians() / 2.0);
        let shown_height = f64::from(height) * f64::from(self.pixel_aspect.unwrap_or(1.0));
        (2.0 * libm::atan(half * (shown_height / f64::from(width)))).to_degrees() as f32
    }
}
