//! Models, looks and cameras made from an input.

use std::sync::Arc;

use polyset::{
    Alpha, Blend, Camera, ColorMode, Colormap, Cull, Draw, Filter, Image, Instance, Lighting, Look,
    Model, Palette, Perspective, Pose, Samples, SurfaceParts, Transform, View,
};

use crate::models::{KINDS, file};
use crate::source::Source;

/// A model, its moment, how it looks and where it stands.
pub(crate) struct Actor {
    pub(crate) model: Model,
    pub(crate) pose: Pose,
    look: Look,
    transform: Transform,
}

impl Actor {
    /// `None` if the model cannot be loaded.
    pub(crate) fn new(source: &mut Source<'_>) -> Option<Self> {
        let model = model(source)?;
        let last = model.frame_count().saturating_sub(1);
        let [from, to] = [source.below(3).min(last), source.below(3).min(last)];
        let t = source.pick(&[0.0, 0.5, 1.0, 0.3]);
        let pose = model.pose_blend(Blend { from, to, t, anim: 0 });
        let look = look(source);
        let transform = if source.once_in(3) { transform(source) } else { Transform::IDENTITY };
        Some(Self { model, pose, look, transform })
    }

    pub(crate) fn instance(&self) -> Instance<'_> {
        Instance::new(&self.model, &self.pose).look(self.look).transform(self.transform)
    }
}

/// A model from a file of some format, or built from vectors.
fn model(source: &mut Source<'_>) -> Option<Model> {
    if source.once_in(3) {
        let kind = source.pick(&KINDS);
        let mut model = Model::from_vec(file(kind, source)).ok()?;
        for surface in 0..model.surfaces().len() {
            if source.once_in(2) {
                model.set_skin(surface, picture(source));
            }
        }
        if let Some(skin) = model.skin_image(0, 0.3) {
            model.set_skin(0, skin);
        }
        return Some(model);
    }
    let surfaces = source.between(1, 2);
    Model::from_parts((0..surfaces).map(|_| parts(source)).collect()).ok()
}

fn parts(source: &mut Source<'_>) -> SurfaceParts {
    let vertices = source.between(3, 16);
    let mut part = SurfaceParts { name: "surface".into(), ..SurfaceParts::default() };
    // Some models are tiny or huge as a whole.
    let size = if source.once_in(4) { source.strange() } else { 30.0 };
    for _ in 0..vertices {
        let shared = source.once_in(8).then(|| part.positions.first().copied()).flatten();
        part.positions.push(shared.unwrap_or_else(|| source.vector(size)));
        part.normals.push(source.vector(1.0));
        part.texcoords.push([source.float(3.0), source.float(3.0)]);
    }
    for _ in 0..source.between(1, 24) {
        part.triangles.push([0; 3].map(|_| source.below(vertices) as u32));
    }
    // The way of many triangles is another than that of few.
    if source.once_in(16) {
        let times = source.between(1, 300);
        part.triangles = part.triangles.repeat(times);
    }
    if !source.once_in(4) {
        part.texture = Some(picture(source));
    }
    part
}

/// A small picture of either kind, with sides that are powers of two or not.
fn picture(source: &mut Source<'_>) -> Arc<Image> {
    let [width, height] = [0; 2].map(|_| source.pick(&[1u32, 2, 3, 4, 8, 16, 17, 64, 100]));
    let mut state = source.word();
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Few colours: matching them to a palette would take longer than all else.
        (state >> 24) as u8 & 0xe1
    };
    let pixels = (width * height) as usize;
    let image = if source.once_in(3) {
        let indices = (0..pixels).map(|_| noise()).collect();
        let transparent = source.once_in(2).then_some(255);
        Image::from_indices(width, height, indices, Palette::quake(), transparent)
    } else {
        Image::from_rgba(width, height, (0..4 * pixels).map(|_| noise()).collect())
    };
    Arc::new(image.expect("as many pixels as the picture has"))
}

/// How a surface may be drawn.
pub(crate) fn look(source: &mut Source<'_>) -> Look {
    use Lighting::{Gl, Lambert, Quake, Quake2, Quake3, Unlit};
    let draws =
        [Draw::Flat, Draw::Wire, Draw::Normals, Draw::Uv, Draw::Depth].map(|draw| (draw, 1));
    let draw = if source.once_in(3) { source.pick(&draws).0 } else { Draw::Textured };
    let mut look = Look { draw, ..Look::default() };
    look.lighting = source.pick(&[Lambert, Unlit, Quake, Quake2, Gl, Quake3]);
    look.light = source.vector(1.0);
    look.ambient = source.float(1.0);
    look.diffuse = source.float(1.0);
    look.light_level = source.float(255.0);
    look.filter = source.pick(&[Filter::Nearest, Filter::Bilinear, Filter::Trilinear]);
    look.perspective =
        source.pick(&[Perspective::Correct, Perspective::Correct, Perspective::Affine]);
    look.cull = source.pick(&[Cull::None, Cull::Back, Cull::Front]);
    look.alpha = source.pick(&[Alpha::Auto, Alpha::Opaque, Alpha::Test, Alpha::Blend]);
    look.colors = source.once_in(5).then(|| [source.byte() & 15, source.byte() & 15]);
    look
}

fn transform(source: &mut Source<'_>) -> Transform {
    match source.below(5) {
        0 => Transform::translation(source.vector(30.0)),
        1 => Transform::angles(source.vector(180.0)),
        2 => Transform::scale(source.float(2.0)),
        3 => {
            let axes = [0; 3].map(|_| source.vector(1.0));
            Transform::from_axes(source.vector(10.0), axes).with_attached_light()
        }
        _ => {
            let mut columns = Transform::IDENTITY.columns();
            for _ in 0..source.between(1, 4) {
                columns[source.below(16)] = source.float(2.0);
            }
            Transform::from_columns(columns)
        }
    }
}

/// Pixels times triangles, above which a picture has one sample a pixel.
const MOST_WORK: usize = 1_000_000;

/// From where these instances are seen in a picture of this size.
pub(crate) fn view(source: &mut Source<'_>, instances: &[Instance<'_>], size: [u32; 2]) -> View {
    let camera = camera(source, instances);
    let mut view = View::new(camera);
    if source.once_in(3) {
        let mut matrix = view.matrix(instances, size[0], size[1]);
        if source.once_in(2) {
            let scale = source.strange();
            matrix.iter_mut().for_each(|entry| *entry *= scale);
        }
        for _ in 0..source.below(4) {
            matrix[source.below(16)] = source.strange();
        }
        let mut identity = Transform::IDENTITY.columns();
        if source.once_in(4) {
            identity[source.below(16)] = source.strange();
        }
        view = View::from_matrices(identity, matrix);
    }
    let color = if source.once_in(3) { ColorMode::Indexed } else { ColorMode::Rgb };
    let samples = source.pick(&[Samples::One, Samples::One, Samples::Two, Samples::Four]);
    let triangles: usize = instances.iter().map(|instance| instance.model.triangle_count()).sum();
    let work = triangles * (size[0] * size[1] * samples.per_axis() * samples.per_axis()) as usize;
    // To make one takes longer than a picture.
    thread_local! {
        static COLORMAP: Arc<Colormap> = Arc::new(Colormap::from_palette(&Palette::quake()));
    }
    if !source.once_in(64) {
        view = view.colormap(Some(COLORMAP.with(Arc::clone)));
    }
    view.color(color).samples(if work < MOST_WORK { samples } else { Samples::One })
}

fn camera(source: &mut Source<'_>, instances: &[Instance<'_>]) -> Camera {
    let mut camera = if source.once_in(2) {
        let [position, focal_point] = [source.vector(60.0), source.vector(10.0)];
        let camera = Camera::placed(position, focal_point, source.vector(1.0));
        if source.once_in(2) { camera } else { camera.view_up([0.0, 0.0, 1.0]) }
    } else {
        let poses = instances.iter().map(|instance| (instance.pose, &instance.transform));
        let camera = Camera::framing_instances(poses);
        let camera = camera.azimuth(source.float(180.0)).elevation(source.float(90.0));
        if source.once_in(4) { camera.focal_point(source.vector(10.0)) } else { camera }
    };
    if source.once_in(3) {
        camera = camera.view_angle(source.float(90.0).abs());
    }
    if source.once_in(3) {
        camera = camera.zoom(if source.once_in(2) { source.strange() } else { 4.0 });
    }
    if source.once_in(3) {
        camera = camera.near(Some(if source.once_in(2) { source.strange() } else { 0.01 }));
    }
    if source.once_in(4) {
        camera = camera.far(Some(source.float(300.0)));
    }
    camera.orthographic(source.once_in(4))
}

/// The size of a picture: mostly small, at times long and thin.
pub(crate) fn size(source: &mut Source<'_>) -> [u32; 2] {
    match source.below(64) {
        0 => [source.between(1, 3000) as u32, 1],
        1 => [1, source.between(1, 3000) as u32],
        2 => [source.between(90, 200) as u32, source.between(90, 200) as u32],
        _ => [source.between(1, 48) as u32, source.between(1, 48) as u32],
    }
}
