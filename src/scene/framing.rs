//! One camera for many moments: what the automatic camera shows is a pose, a clip, or all that a model does.

use std::borrow::Cow;

use glam::{Vec2, Vec3};

use super::camera::middle;
use super::{Anims, Frames, Moment, Opened, RendererKind, Scene};
use crate::camera::{Camera, Fit, Placement, tan_half};
use crate::error::RequestError;
use crate::model::{Blend, Format};
use crate::pose::Pose;
use crate::raster::CLASSIC_NEAREST;

/// What the automatic camera shows the whole of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameOn {
    /// The pose of the picture.
    #[default]
    Pose,
    /// Every pose of the picture's clip.
    Clip,
    /// Every pose of the model.
    Model,
}

/// No clip is looked at more often.
pub(super) const MOST_MOMENTS: usize = 4096;
/// Corners of the circle that a point of a turning model is taken to run through.
const CORNERS: usize = 64;
/// The classic renderer narrows its angle no further.
const SMALLEST_ANGLE: f32 = 30.0 / (1 << 24) as f32;
/// Points of a turning model that are kept before those inside of others are left out.
const MOST_POINTS: usize = 1 << 16;

/// Poses that a camera shows the whole of: models, each at some moments.
#[derive(Debug)]
pub(crate) struct Framed<'a>(Vec<(Cow<'a, Opened>, Vec<Moment>)>);

impl<'a> Framed<'a> {
    fn new(opened: &'a Opened, moments: Vec<Moment>) -> Self {
        Self(vec![(Cow::Borrowed(opened), moments)])
    }

    /// Shows other poses too.
    #[cfg(feature = "motion")]
    pub(crate) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Nothing.
    #[cfg(feature = "motion")]
    pub(crate) fn nothing() -> Self {
        Self(Vec::new())
    }
}

impl Scene {
    /// The scene with its camera said completely, by position, focal point and view angle: that of this
    /// picture, or of `--frame-on`. It draws the same picture, to rounding, and the same camera shows other
    /// moments of the model. A scene that says where its camera is, or that draws the weapon in the
    /// player's hand, has nothing left open but what it looks at.
    ///
    /// # Errors
    /// If a frame or an animation does not exist.
    pub fn with_placed_camera(&self, opened: &Opened) -> Result<Self, RequestError> {
        self.with_camera_for(&self.framed(opened)?)
    }

    /// [`Scene::with_placed_camera`] for poses that are known.
    ///
    /// # Errors
    /// If a frame or an animation does not exist.
    pub(crate) fn with_camera_for(&self, framed: &Framed<'_>) -> Result<Self, RequestError> {
        self.placed(framed, None)
    }

    /// The scene with a camera that shows a model that is turned about the vertical through `axis`, which it
    /// looks at.
    ///
    /// # Errors
    /// As [`Scene::with_placed_camera`].
    #[cfg(feature = "motion")]
    pub(crate) fn with_camera_around(
        &self,
        framed: &Framed<'_>,
        axis: [f32; 2],
    ) -> Result<Self, RequestError> {
        self.placed(framed, Some(axis))
    }

    /// Looks from where another scene does.
    #[cfg(feature = "motion")]
    pub(crate) fn take_camera_of(&mut self, other: &Self) {
        self.camera.clone_from(&other.camera);
        self.engine.horizontal_angle = other.engine.horizontal_angle;
    }

    /// The poses that the automatic camera shows the whole of.
    ///
    /// # Errors
    /// As [`Scene::with_placed_camera`].
    pub(crate) fn framed<'a>(&self, opened: &'a Opened) -> Result<Framed<'a>, RequestError> {
        match self.camera.frame_on.unwrap_or_default() {
            FrameOn::Pose => self.framed_pose(opened),
            FrameOn::Clip => Ok(Framed::new(opened, self.moments_of_clip(opened)?)),
            FrameOn::Model => {
                let mut framed = self.framed_pose(opened)?;
                // Animations beside a mesh are not read unless something asks for them.
                let is_skeletal = opened.model.format() == Format::Md5;
                let all = is_skeletal.then(|| self.open_in(opened.around_files(), Anims::All).ok());
                let all = all.flatten().map_or(Cow::Borrowed(opened), Cow::Owned);
                let moments = self.moments_of_model(&all);
                framed.0.push((all, moments));
                Ok(framed)
            }
        }
    }

    /// The picture's moment, by itself.
    ///
    /// # Errors
    /// As [`Scene::with_placed_camera`].
    pub(crate) fn framed_pose<'a>(&self, opened: &'a Opened) -> Result<Framed<'a>, RequestError> {
        let mut moment = self.moment.clone();
        if self.renderer == RendererKind::Classic {
            // The engines' words choose frames too.
            let Blend { from, to, t, .. } = self.classic_scene(opened)?.blend(&opened.model);
            let is_said = moment.animation.is_some() || moment.seconds.is_some();
            moment.frames = moment.frames.or((!is_said).then_some(Frames { from, to, t }));
        }
        Ok(Framed::new(opened, vec![moment]))
    }

    /// The moments between which the parts of the picture's clip move on straight ways.
    ///
    /// # Errors
    /// If the animation does not exist.
    fn moments_of_clip(&self, opened: &Opened) -> Result<Vec<Moment>, RequestError> {
        let mut scene = self.clone();
        if let (Some(frames), None) = (&scene.moment.frames, &scene.moment.animation) {
            // The clip that the frame is of.
            let clips = opened.model.clips();
            let clip = clips.iter().position(|clip| clip.frames().contains(&frames.from));
            match clip {
                Some(clip) if opened.model.format() != Format::Md5 => {
                    scene.moment.animation = Some(clips[clip].name().to_owned());
                }
                _ => return Ok(vec![self.moment.clone()]),
            }
        }
        scene.moment.frames = None;
        let is_skeletal = opened.members().any(|(_, own)| own.model.format() == Format::Md5);
        let mut times = opened.starts_of_frames(&scene)?;
        if is_skeletal {
            // Joints turn: what hangs on them goes round.
            let between: Vec<f64> =
                times.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
            times.extend(between);
        }
        let at = |seconds: f64| Moment { seconds: Some(seconds as f32), ..scene.moment.clone() };
        Ok(thinned(&times).copied().map(at).collect())
    }

    /// Every frame of the model, of a player those of every clip.
    fn moments_of_model(&self, opened: &Opened) -> Vec<Moment> {
        let is_player = opened.is_quake3_player();
        let is_skeletal = opened.model.format() == Format::Md5;
        if !is_player && !is_skeletal {
            let frames: Vec<usize> = (0..opened.model.frame_count()).collect();
            let at = |frame| {
                let frames = Some(Frames { from: frame, to: frame, t: 0.0 });
                Moment { frames, ..self.moment.clone_of_attached() }
            };
            return thinned(&frames).copied().map(at).collect();
        }
        let mut moments = Vec::new();
        for clip in opened.clips() {
            let mut scene = self.clone();
            scene.moment = Moment {
                animation: Some(clip.clip.name().to_owned()),
                in_place: self.moment.in_place,
                ..self.moment.clone_of_attached()
            };
            moments.extend(scene.moments_of_clip(opened).unwrap_or_default());
        }
        thinned(&moments).cloned().collect()
    }

    /// The scene, with its camera placed if it is to show more than the picture's pose.
    ///
    /// # Errors
    /// As [`Scene::with_placed_camera`].
    pub(super) fn with_steady_camera(
        &self,
        opened: &Opened,
    ) -> Result<Cow<'_, Self>, RequestError> {
        let shows_more = matches!(self.camera.frame_on, Some(FrameOn::Clip | FrameOn::Model));
        Ok(if shows_more && self.camera.position.is_none() {
            Cow::Owned(self.with_placed_camera(opened)?)
        } else {
            Cow::Borrowed(self)
        })
    }

    fn placed(&self, framed: &Framed<'_>, axis: Option<[f32; 2]>) -> Result<Self, RequestError> {
        let mut placed = self.clone();
        placed.camera.frame_on = None;
        if self.engine.view_weapon {
            return Ok(placed);
        }
        if self.camera.position.is_some() {
            let is_turned = self.engine.camera_angles.is_some();
            if self.camera.focal_point.is_none() && !is_turned {
                placed.camera.focal_point = Some(self.middle(framed)?);
            }
            return Ok(placed);
        }
        let [width, height] = self.picture_size();
        let aspect = width as f32 / height as f32;
        let mut wanted = self.camera.clone();
        let is_classic = self.renderer == RendererKind::Classic;
        if let (true, Some(degrees)) = (is_classic, placed.engine.horizontal_angle.take()) {
            wanted.view_angle = Some(wanted.vertical_angle(degrees, width, height));
        }
        let mut camera = wanted.camera(&[])?;
        if is_classic {
            camera = camera.orthographic(false);
        }
        let up = self.camera.view_up.unwrap_or([0.0, 0.0, 1.0]);
        let up = Vec3::from(up).try_normalize().unwrap_or(Vec3::Z);
        let focal = self.camera.focal_point.map(Vec3::from);
        loop {
            let mut fit = Fit::new(&camera, up, focal, aspect);
            match axis {
                None => self.each_point(framed, |point| fit.add(point))?,
                Some(axis) => {
                    for point in self.swept(framed, axis)? {
                        fit.add(point);
                    }
                }
            }
            let placement = fit.place();
            let [nearest, farthest] = fit.distances(placement.eye);
            if is_classic && nearest < CLASSIC_NEAREST && camera.view_angle > SMALLEST_ANGLE {
                camera.view_angle *= 0.5;
                continue;
            }
            placed.place(&camera, up, &placement, [nearest, farthest], axis);
            return Ok(placed);
        }
    }

    /// Says the camera of a placement, which has what it shows between two distances in front of it, and
    /// looks at the vertical through `axis` if there is one.
    fn place(
        &mut self,
        camera: &Camera,
        up: Vec3,
        placement: &Placement,
        range: [f32; 2],
        axis: Option<[f32; 2]>,
    ) {
        let Placement { eye, forward, half_height, .. } = *placement;
        let [nearest, farthest] = range;
        let level = Vec2::new(forward.x, forward.y);
        let on_axis = axis.filter(|_| level.length_squared() > 1e-6).map(|axis| {
            let way = Vec2::from(axis) - Vec2::new(eye.x, eye.y);
            way.dot(level) / level.length_squared()
        });
        // Far enough from the eye to be another point.
        let distance =
            on_axis.unwrap_or((nearest + farthest) / 2.0).max(eye.abs().max_element() * 1e-3);
        let middle = eye + forward * distance.max(f32::MIN_POSITIVE);
        let said = &mut self.camera;
        let mut view_angle = camera.view_angle;
        let (mut position, focal_point) = (eye, said.focal_point.map_or(middle, Vec3::from));
        if camera.orthographic {
            // The height of a placed picture follows from distance and angle; the eye stays outside of what
            // it sees.
            let far_enough = 2.0 * (farthest - nearest) + half_height;
            let distance = (half_height / tan_half(view_angle)).max(far_enough);
            view_angle = (2.0 * libm::atan(f64::from(half_height / distance))).to_degrees() as f32;
            position = focal_point - forward * distance;
        }
        if !(position.is_finite() && focal_point.is_finite()) {
            // No picture can be made of such a model.
            return;
        }
        // Straight up or down it is the azimuth that says what is up in the picture.
        let is_at_pole = forward.cross(up).length_squared() < 1e-6;
        if is_at_pole {
            said.view_up = Some(placement.up.to_array());
        }
        said.position = Some(position.to_array());
        said.focal_point = Some(focal_point.to_array());
        (said.azimuth, said.elevation) = (None, None);
        let is_said = said.view_angle.is_some() || view_angle != Camera::DEFAULT_VIEW_ANGLE;
        said.view_angle = is_said.then_some(view_angle);
    }

    /// The box around all poses of some moments, where they stand.
    ///
    /// # Errors
    /// If a frame or an animation does not exist.
    pub(crate) fn bounds(&self, framed: &Framed<'_>) -> Result<[[f32; 3]; 2], RequestError> {
        let mut bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        self.each_point(framed, |point| {
            bounds = [bounds[0].min(point), bounds[1].max(point)];
        })?;
        if bounds[0].x > bounds[1].x {
            return Ok([[0.0; 3]; 2]);
        }
        Ok(bounds.map(|corner| corner.to_array()))
    }

    /// What a placed camera looks at unless said: of one pose as [`super::SceneCamera`] has it, of several
    /// the middle of the box around them.
    ///
    /// # Errors
    /// If a frame or an animation does not exist.
    fn middle(&self, framed: &Framed<'_>) -> Result<[f32; 3], RequestError> {
        if let [(opened, moments)] = &framed.0[..]
            && let [moment] = &moments[..]
        {
            let scene = Self { moment: moment.clone(), ..self.clone() };
            let assembly = opened.assembly(&scene)?;
            return Ok(middle(&assembly.instances().collect::<Vec<_>>()));
        }
        let [min, max] = self.bounds(framed)?;
        Ok([0, 1, 2].map(|axis| min[axis] + (max[axis] - min[axis]) * 0.5))
    }

    /// Every vertex of some moments, where it stands in the scene.
    fn each_point(
        &self,
        framed: &Framed<'_>,
        mut take: impl FnMut(Vec3),
    ) -> Result<(), RequestError> {
        let mut scene = self.clone();
        let mut poses: Vec<Pose> = Vec::new();
        let Framed(framed) = framed;
        let all = framed
            .iter()
            .flat_map(|(opened, moments)| moments.iter().map(move |moment| (opened, moment)));
        for (opened, moment) in all {
            scene.moment.clone_from(moment);
            let assembly = opened.assemble(&scene, poses)?;
            for instance in assembly.instances() {
                let (pose, stands) = (instance.pose, instance.transform);
                for surface in 0..pose.surface_count() {
                    pose.positions(surface).for_each(|point| take(stands.point(point).into()));
                }
            }
            poses = assembly.into_poses();
        }
        Ok(())
    }

    /// The points that a model fills while it turns about a vertical: corners of polygons around the
    /// circles that its outermost vertices run through.
    fn swept(&self, framed: &Framed<'_>, [x, y]: [f32; 2]) -> Result<Vec<Vec3>, RequestError> {
        // Distances from the vertical, and heights.
        let mut outline: Vec<[f32; 2]> = Vec::new();
        self.each_point(framed, |point| {
            let radius = (Vec3::new(point.x - x, point.y - y, 0.0)).length();
            outline.push([radius, point.z]);
            if outline.len() >= MOST_POINTS {
                outermost(&mut outline);
            }
        })?;
        outermost(&mut outline);
        let turn = std::f64::consts::TAU / CORNERS as f64;
        let around = 1.0 / libm::cos(turn / 2.0);
        let directions: [[f32; 2]; CORNERS] = std::array::from_fn(|corner| {
            let (sin, cos) = libm::sincos(turn * corner as f64);
            [(cos * around) as f32, (sin * around) as f32]
        });
        let corners = outline.iter().flat_map(|&[radius, z]| {
            directions.map(|[cos, sin]| Vec3::new(x + radius * cos, y + radius * sin, z))
        });
        Ok(corners.collect())
    }
}

impl Moment {
    /// What is said of models that hang on tags, at no moment.
    fn clone_of_attached(&self) -> Self {
        Self {
            attached_frames: self.attached_frames.clone(),
            attached_clips: self.attached_clips.clone(),
            in_place: self.in_place,
            ..Self::default()
        }
    }
}

/// At most [`MOST_MOMENTS`] of some, spread evenly.
fn thinned<T>(all: &[T]) -> impl Iterator<Item = &T> {
    let count = all.len().min(MOST_MOMENTS);
    (0..count).map(move |number| &all[number * all.len() / count])
}

/// Leaves those of some points (distance, height) out that lie inside the outline of all: the corners of
/// its outer side stay, from the lowest to the highest.
fn outermost(points: &mut Vec<[f32; 2]>) {
    points.sort_by(|a, b| a[1].total_cmp(&b[1]).then(a[0].total_cmp(&b[0])));
    let turns_out = |[ra, za]: [f32; 2], [rb, zb]: [f32; 2], [rc, zc]: [f32; 2]| {
        let (ra, za) = (f64::from(ra), f64::from(za));
        let across = (f64::from(rb) - ra) * (f64::from(zc) - za);
        across > (f64::from(rc) - ra) * (f64::from(zb) - za)
    };
    let mut kept: Vec<[f32; 2]> = Vec::new();
    for &point in points.iter() {
        while let [.., a, b] = kept[..]
            && !turns_out(a, b, point)
        {
            kept.pop();
        }
        kept.push(point);
    }
    *points = kept;
}
