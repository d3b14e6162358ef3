//! Where the window's camera stands: it shows the whole of the clip that plays, and of a turn.

use glam::Vec3;

use super::orbit::Orbit;
use super::viewer::Viewer;
use crate::camera::Camera;
use crate::error::RequestError;
use crate::scene::{FrameOn, RendererKind, SceneCamera};
use crate::transform::Transform;

/// Straight up and down the axis says nothing about what is up in the picture.
const STEEPEST: f32 = 89.999;
/// The angles of a camera that nobody has placed.
const USUAL_ANGLES: [f32; 2] = [30.0, 15.0];

impl Viewer {
    /// The camera of an input that has just been opened. The first has that of the command line; from then
    /// on the side that the user looks at stays.
    pub(super) fn set_camera(&mut self) {
        let wanted = self.first.camera.clone();
        let kept = self.has_shown.then_some(self.state.orbit);
        let is_placed = wanted.position.is_some() || wanted.focal_point.is_some();
        self.find_bounds();
        if is_placed {
            let aspect = self.state.aspect();
            let (camera, pose, error) = self.picture.camera(&self.state, &wanted);
            let home = Orbit::of(&camera, pose, &Transform::IDENTITY, aspect);
            self.state.set_home(home, false);
            self.say_error(error.map_or(Ok(()), Err));
            return;
        }
        match self.fitted(wanted) {
            Ok(home) => self.state.set_home(home, true),
            Err(error) => return self.say_error(Err(error.to_string())),
        }
        if let Some(kept) = kept {
            self.state.orbit.orthographic = kept.orthographic;
            self.frame(Some([kept.azimuth, kept.elevation]));
        }
    }

    /// Fits the clip into the picture, seen from these angles or those that the camera has.
    pub(super) fn frame(&mut self, angles: Option<[f32; 2]>) {
        let orbit = self.state.orbit;
        let [azimuth, elevation] = angles.unwrap_or([orbit.azimuth, orbit.elevation]);
        self.find_bounds();
        let fitted = self.fitted(SceneCamera {
            azimuth: Some(azimuth),
            elevation: Some(elevation),
            view_up: Some(orbit.axis),
            view_angle: Some(orbit.view_angle),
            near: orbit.near,
            far: orbit.far,
            zoom: Some(orbit.zoom),
            orthographic: orbit.orthographic,
            frame_on: self.first.camera.frame_on,
            pixel_aspect: self.state.settings.scene().camera.pixel_aspect,
            ..SceneCamera::default()
        });
        match fitted {
            Ok(orbit) => self.state.set_framed(orbit),
            Err(error) => self.say_error(Err(error.to_string())),
        }
    }

    /// The box around what moves, if that is something else than it was: the box counts even where the camera
    /// stays, as the model turns about its middle.
    pub(super) fn follow_clip(&mut self) {
        if self.bounded != Some((self.picture.generation(), self.state.moving())) {
            self.find_bounds();
        }
    }

    /// The box around the clip, about whose middle the model turns.
    fn find_bounds(&mut self) {
        self.bounded = Some((self.picture.generation(), self.state.moving()));
        let Some(opened) = self.picture.opened() else { return };
        let mut scene = self.state.settings.scene().clone();
        scene.moment = self.state.scene(false).moment;
        scene.camera.frame_on = Some(FrameOn::Clip);
        let bounds = scene.framed(opened).and_then(|framed| scene.bounds(&framed));
        if let Ok(bounds) = bounds {
            self.state.set_bounds(bounds);
        }
    }

    /// The orbit of a camera that has no place yet.
    ///
    /// # Errors
    /// If the frames that are shown do not exist.
    fn fitted(&mut self, mut wanted: SceneCamera) -> Result<Orbit, RequestError> {
        let azimuth = wanted.azimuth.unwrap_or(USUAL_ANGLES[0]);
        let elevation = wanted.elevation.unwrap_or(USUAL_ANGLES[1]);
        wanted.elevation = Some(elevation.clamp(-STEEPEST, STEEPEST));
        wanted.frame_on.get_or_insert(FrameOn::Clip);
        let view_angle = wanted.view_angle.unwrap_or(Camera::DEFAULT_VIEW_ANGLE);
        let axis = wanted.view_up.map_or(Vec3::Z, Vec3::from).normalize_or(Vec3::Z);
        let mut scene = self.state.scene(false);
        // The orbit goes farther away by itself where that renderer needs it.
        scene.renderer = RendererKind::Precise;
        scene.engine = crate::scene::Scene::default().engine;
        scene.camera = wanted;
        let placed = match self.picture.opened() {
            Some(opened) => {
                let framed = scene.framed(opened)?;
                if self.state.is_turning() {
                    scene.with_camera_around(&framed, self.state.pivot())?
                } else {
                    scene.with_camera_for(&framed)?
                }
            }
            None => scene,
        };
        let aspect = self.state.aspect();
        let (camera, pose, error) = self.picture.camera(&self.state, &placed.camera);
        let orbit = Orbit::of(&camera, pose, &Transform::IDENTITY, aspect);
        error.map_or(Ok(()), |error| Err(RequestError::new(error)))?;
        let orbit = orbit.with_lens(view_angle, pose);
        Ok(Orbit { azimuth, elevation, axis: axis.to_array(), ..orbit })
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys::Key::{self, Char};
    use super::super::playback::Playback;
    use super::super::settings::{InternalResolution, Settings};
    use super::super::{Shown, ViewOptions, event::Event, state::State};
    use super::*;
    use crate::scene::{Input, Scene};

    const SIZE: [u32; 2] = [160, 120];

    fn viewer(models: &[&str]) -> Viewer {
        let inputs: Vec<Input> = models
            .iter()
            .map(|model| {
                let path = format!("{}/tests/models/{model}", env!("CARGO_MANIFEST_DIR"));
                Scene::new(path).source.input
            })
            .collect();
        let settings = Settings::new(Scene::default(), InternalResolution::Window);
        let playback = Playback::new(false, true);
        let state =
            State::new(settings, playback, Shown::default(), true, false, inputs.len(), SIZE);
        let mut viewer = Viewer::new(inputs, Scene::default(), ViewOptions::default(), state);
        viewer.load(0);
        viewer
    }

    fn press(viewer: &mut Viewer, key: Key) {
        assert!(viewer.take(viewer.state.now(), Event::Key { key, shift: false }));
    }

    /// Whether the model lies in the picture with all of it.
    fn is_whole(viewer: &mut Viewer) -> bool {
        viewer.refresh();
        let image = viewer.picture.image().unwrap();
        let (width, height) = (image.width() as usize, image.height() as usize);
        let rgba = image.to_rgba();
        let pixels: Vec<&[u8]> = rgba.chunks(4).collect();
        let background = pixels[0];
        let edge = |number: usize| {
            let (x, y) = (number % width, number / width);
            x == 0 || y == 0 || x + 1 == width || y + 1 == height
        };
        let cut = (0..pixels.len()).any(|number| edge(number) && pixels[number] != background);
        let drawn = pixels.iter().any(|pixel| *pixel != background);
        drawn && !cut
    }

    #[test]
    fn no_frame_of_a_clip_and_no_side_of_a_turn_is_cut() {
        for model in ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh"] {
            let mut viewer = viewer(&[model]);
            for _ in 0..viewer.state.facts.clips.len() {
                for turns in [false, true] {
                    for step in 0..12 {
                        press(&mut viewer, Char('.'));
                        let now = viewer.state.now() + if turns { 900 } else { 0 };
                        viewer.advance(now);
                        let frame = viewer.state.frame_line();
                        assert!(is_whole(&mut viewer), "{model}: {frame}, step {step} {turns}");
                    }
                    press(&mut viewer, Char('O'));
                }
                press(&mut viewer, Key::Enter);
                press(&mut viewer, Char('W'));
            }
        }
    }

    #[test]
    fn a_model_turns_about_its_own_middle() {
        let mut viewer = viewer(&["bolt.md2"]);
        viewer.state.set_bounds([[0.0; 3]; 2]);
        viewer.find_bounds();
        let pivot = viewer.state.pivot();
        assert_ne!(pivot, [0.0; 2]);
        press(&mut viewer, Char('O'));
        viewer.advance(2500);
        let scene = viewer.state.scene(false);
        assert_eq!(scene.placement.angles, Some([0.0, 90.0, 0.0]));
        let opened = viewer.picture.opened().unwrap();
        let mut turned = scene;
        turned.camera.frame_on = Some(FrameOn::Clip);
        let [min, max] = turned.bounds(&turned.framed(opened).unwrap()).unwrap();
        for axis in 0..2 {
            assert!(((min[axis] + max[axis]) / 2.0 - pivot[axis]).abs() < 1e-3, "{min:?} {max:?}");
        }
    }

    #[test]
    fn side_and_clip_stay_from_model_to_model() {
        let mut viewer = viewer(&["bolt.md2", "bolt.md3", "bolt.mdl"]);
        let home = viewer.state.orbit;
        press(&mut viewer, Char('3'));
        press(&mut viewer, Char('5'));
        press(&mut viewer, Char('W'));
        let clip = viewer.state.clip().unwrap().name().to_owned();
        for _ in 0..3 {
            press(&mut viewer, Key::Right);
            let orbit = viewer.state.orbit;
            assert_eq!((orbit.azimuth, orbit.elevation, orbit.orthographic), (-90.0, 0.0, true));
        }
        assert_eq!(viewer.state.clip().unwrap().name(), clip, "the others may lack it");
        press(&mut viewer, Key::Enter);
        assert_eq!(viewer.state.orbit.azimuth, home.azimuth);
        assert_eq!(viewer.state.input, 0);
    }

    #[test]
    fn screenshots_have_no_message_on_them() {
        let folder = tempfile::tempdir().unwrap();
        let mut viewer = viewer(&["bolt.md2"]);
        viewer.options.screenshot_folder = folder.path().to_owned();
        viewer.refresh();
        for _ in 0..2 {
            press(&mut viewer, Key::F12);
            assert!(viewer.state.message().unwrap().contains(folder.path().to_str().unwrap()));
            viewer.refresh();
        }
        let shot = |number: u32| {
            crate::image::Image::open(folder.path().join(format!("bolt-00{number}.png"))).unwrap()
        };
        assert_eq!(shot(1), shot(2));
    }

    #[test]
    fn what_was_pinned_stays_while_the_other_changes() {
        let mut viewer = viewer(&["bolt.md2"]);
        press(&mut viewer, Key::F2);
        viewer.refresh();
        // Above what is written.
        let halves = |viewer: &Viewer| -> [Vec<u32>; 2] {
            let rows = viewer.surface().pixels.chunks_exact(SIZE[0] as usize).take(60);
            let half = SIZE[0] as usize / 2;
            [0..half, half..SIZE[0] as usize]
                .map(|part| rows.clone().flat_map(|row| row[part.clone()].to_vec()).collect())
        };
        let [left, right] = halves(&viewer);
        assert!(left == right);
        press(&mut viewer, Char('E'));
        viewer.refresh();
        let [pinned, wire] = halves(&viewer);
        assert!(pinned == left && wire != right);
    }

    #[test]
    fn a_pinned_clip_goes_on_by_the_same_frames() {
        let mut viewer = viewer(&["bolt.md2"]);
        press(&mut viewer, Key::Space);
        press(&mut viewer, Key::F2);
        let halves_are_equal = |viewer: &mut Viewer| {
            viewer.refresh();
            let rows = viewer.surface().pixels.chunks_exact(SIZE[0] as usize).take(60);
            let half = SIZE[0] as usize / 2;
            rows.clone().all(|row| row[..half] == row[half..])
        };
        viewer.advance(230);
        assert!(halves_are_equal(&mut viewer));
        press(&mut viewer, Char('I'));
        for now in [330, 470, 710] {
            viewer.advance(now);
            assert!(halves_are_equal(&mut viewer), "at {now} ms");
        }
        for key in ['.', '.', ',', 'I', '.'] {
            press(&mut viewer, Char(key));
            assert!(halves_are_equal(&mut viewer), "{key}");
        }
    }

    #[test]
    fn a_clip_from_the_list_is_framed_as_one_by_key() {
        let mut by_key = viewer(&["bolt.md2"]);
        let mut listed = viewer(&["bolt.md2"]);
        press(&mut by_key, Char('W'));
        for key in [Key::Tab, Key::Down, Key::Enter] {
            press(&mut listed, key);
        }
        assert_eq!(listed.state.clip_name(), by_key.state.clip_name());
        assert_ne!(by_key.state.orbit, viewer(&["bolt.md2"]).state.orbit);
        assert_eq!(listed.state.orbit, by_key.state.orbit);
    }

    #[test]
    fn the_box_is_that_of_the_clip_though_the_camera_stays() {
        let mut framed = viewer(&["bolt.md2"]);
        let mut placed = viewer(&["bolt.md2"]);
        placed.take(0, Event::Wheel { steps: 1.0, held: Default::default() });
        let orbit = placed.state.orbit;
        for viewer in [&mut framed, &mut placed] {
            press(viewer, Char('W'));
            viewer.refresh();
        }
        assert_eq!(placed.state.orbit, orbit);
        assert_eq!(placed.state.bounds(), framed.state.bounds());
        // Read again, it may be another model.
        placed.state.set_bounds([[0.0; 3]; 2]);
        press(&mut placed, Key::Up);
        placed.refresh();
        assert_eq!((placed.state.orbit, placed.state.bounds()), (orbit, framed.state.bounds()));
    }
}
