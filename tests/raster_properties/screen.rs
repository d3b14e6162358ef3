//! Models whose vertices are given in pixels, and pictures of them.

use std::cell::{Cell, RefCell};

use polyset::{
    Blend, Cull, Framebuffer, Image, Instance, Lighting, Look, Model, Renderer, SimdLevel,
    SurfaceParts, Transform, View,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// A vertex at a point of the picture, in pixels, seen through [`view`] from a distance `w` (1 or
/// more). Nothing is rounded on the way as long as `w` is a power of two and the coordinates are
/// multiples of 1/256.
pub(crate) fn vertex([x, y]: [f32; 2], w: f32) -> [f32; 3] {
    [x * w, y * w, w]
}

/// The view of [`vertex`] for a picture whose sides are powers of two; everything is moved by
/// whole pixels to the right and down.
pub(crate) fn view(size: [u32; 2], shift: [i32; 2]) -> View {
    let [x, y] = [2.0 / size[0] as f32, -2.0 / size[1] as f32];
    let (right, down) = (x * shift[0] as f32 - 1.0, y * shift[1] as f32 + 1.0);
    #[rustfmt::skip]
    let projection = [
        x, 0.0, 0.0, 0.0,
        0.0, y, 0.0, 0.0,
        right, down, 0.5, 1.0,
        0.0, 0.0, -0.25, 0.0,
    ];
    View::from_matrices(Transform::IDENTITY.columns(), projection)
}

/// The depth that [`view`] gives to a vertex.
pub(crate) fn depth_of(w: f32) -> f32 {
    0.75 - 0.125 / w
}

/// Texels as they are.
pub(crate) fn unlit() -> Look {
    Look { lighting: Lighting::Unlit, ..Look::default() }
}

/// A surface with texture coordinates and normals that do not matter.
pub(crate) fn plain(positions: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> SurfaceParts {
    let (normals, texcoords) =
        (vec![[0.0, 0.0, 1.0]; positions.len()], vec![[0.5; 2]; positions.len()]);
    SurfaceParts { positions, normals, texcoords, triangles, ..SurfaceParts::default() }
}

/// A rectangle in pixels with a texture whose coordinates run between two corners.
pub(crate) fn rectangle(
    corners: [[f32; 2]; 2],
    w: f32,
    uv: [[f32; 2]; 2],
    texture: Image,
) -> SurfaceParts {
    let [[left, top], [right, bottom]] = corners;
    let points = [[left, top], [right, top], [right, bottom], [left, bottom]];
    let mut part = plain(points.map(|p| vertex(p, w)).into(), vec![[0, 1, 2], [0, 2, 3]]);
    let [[u0, v0], [u1, v1]] = uv;
    part.texcoords = vec![[u0, v0], [u1, v0], [u1, v1], [u0, v1]];
    part.texture = Some(texture.into());
    part
}

/// A picture of one colour.
pub(crate) fn single(rgba: [u8; 4]) -> Image {
    Image::from_rgba(1, 1, rgba.to_vec()).unwrap()
}

/// What a draw left behind.
#[derive(Debug, PartialEq)]
pub(crate) struct Picture {
    /// Row by row: little-endian R G B A (0 where nothing was drawn) or, of an indexed picture, the
    /// index in the low byte and 255 in the others where something was drawn.
    pub(crate) pixels: Vec<u32>,
    pub(crate) depth: Vec<f32>,
}

impl Picture {
    pub(crate) fn drawn(&self) -> usize {
        self.pixels.iter().filter(|&&pixel| pixel != 0).count()
    }
}

/// Draws pictures of one size.
pub(crate) struct Painter {
    renderers: RefCell<[Renderer; 2]>,
    pub(crate) size: [u32; 2],
}

impl Painter {
    pub(crate) fn new(size: [u32; 2]) -> Self {
        let renderer = |level| {
            let renderer = Renderer::new().with_threads(1).unwrap();
            renderer.with_simd(level).unwrap()
        };
        let renderers = RefCell::new([SimdLevel::Scalar, SimdLevel::Auto].map(renderer));
        Self { renderers, size }
    }

    /// Draws a model on a transparent picture, by both kernels.
    pub(crate) fn draw(&self, model: &Model, view: &View, look: &Look) -> Picture {
        let pose = model.pose_blend(Blend::frame(0));
        let [plain, fast] = self.renderers.borrow_mut().each_mut().map(|renderer| {
            let mut frame = Framebuffer::new(self.size[0], self.size[1]).unwrap().with_depth();
            let instance = Instance::new(model, &pose).look(*look);
            renderer.draw(view, &[instance], &mut frame).unwrap();
            let depth = frame.depth_rows().unwrap().flatten().copied().collect();
            Picture { depth, pixels: frame.rows().flatten().copied().collect() }
        });
        assert_eq!(plain, fast, "the kernels differ");
        plain
    }

    /// Draws surfaces in pixels.
    pub(crate) fn draw_parts(&self, parts: Vec<SurfaceParts>, look: &Look) -> Picture {
        self.draw(&Model::from_parts(parts).unwrap(), &view(self.size, [0, 0]), look)
    }

    /// The triangles that cover each pixel, every one drawn alone.
    pub(crate) fn covering(&self, mesh: &SurfaceParts, view: &View, cull: Cull) -> Vec<Vec<usize>> {
        let look = Look { cull, ..unlit() };
        let mut covering = vec![Vec::new(); (self.size[0] * self.size[1]) as usize];
        for (number, corners) in mesh.triangles.iter().enumerate() {
            let positions = corners.map(|corner| mesh.positions[corner as usize]);
            let part = plain(positions.into(), vec![[0, 1, 2]]);
            let picture = self.draw(&Model::from_parts(vec![part]).unwrap(), view, &look);
            for (list, pixel) in covering.iter_mut().zip(picture.pixels) {
                if pixel != 0 {
                    list.push(number);
                }
            }
        }
        covering
    }

    /// How many triangles cover each pixel.
    pub(crate) fn counts(&self, mesh: &SurfaceParts, view: &View, cull: Cull) -> Vec<usize> {
        self.covering(mesh, view, cull).iter().map(Vec::len).collect()
    }
}

/// Runs a property over random values. It says how much it has looked at (pixels, say), so that a
/// property that has become empty fails.
pub(crate) fn check<S: Strategy>(
    cases: u32,
    strategy: &S,
    enough: usize,
    property: impl Fn(S::Value) -> usize,
) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let seen = Cell::new(0);
    let outcome = TestRunner::new(config).run(strategy, |value| {
        seen.set(seen.get() + property(value));
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    assert!(seen.get() >= enough, "only {} of {enough} were looked at", seen.get());
}
