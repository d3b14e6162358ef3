//! What a renderer has drawn before does not show, nor what a buffer looks like around the picture.

use std::sync::Arc;

use polyset::{
    Alpha, Blend, Camera, ColorMode, Cull, Draw, Filter, Framebuffer, Image, Instance, Lighting,
    Look, Model, Palette, PixelsMut, Pose, Renderer, Samples, StageStats, Transform, View,
};
use proptest::prelude::*;

use crate::screen::check;

/// Samples that are drawn, with a pose each.
fn models() -> Vec<(Model, Pose)> {
    let names = ["bolt.md2", "bolt.md3", "bolt_holey.mdl", "bolt_shield.md2"];
    let open = |name| {
        let model = Model::open(format!("tests/models/{name}")).unwrap();
        let pose = model.pose_blend(Blend { to: 1, t: 0.5, ..Blend::frame(0) });
        (model, pose)
    };
    names.map(open).into()
}

/// A picture to draw.
#[derive(Clone, Debug)]
struct Picture {
    size: [u32; 2],
    depth: bool,
    samples: Samples,
    color: ColorMode,
    given_palette: bool,
    near: Option<f32>,
    /// Which models, in which look, turned how far.
    instances: Vec<(usize, usize, f32)>,
}

const LOOKS: usize = 6;

fn look(model: &Model, number: usize) -> Look {
    let own = Look::of(model.format());
    match number {
        0 => own,
        1 => Look { filter: Filter::Trilinear, alpha: Alpha::Test, ..own },
        2 => Look { draw: Draw::Wire, cull: Cull::None, ..own },
        3 => Look { draw: Draw::Flat, lighting: Lighting::Gl, ..own },
        4 => Look { draw: Draw::Depth, ..own },
        _ => Look { colors: Some([4, 12]), ..own },
    }
}

fn picture() -> impl Strategy<Value = Picture> {
    let sizes = prop::sample::select(vec![[40, 30], [64, 48], [80, 60], [128, 128], [200, 150]]);
    let samples = prop::sample::select(vec![Samples::One, Samples::Two, Samples::Four]);
    let color = prop::sample::select(vec![ColorMode::Rgb, ColorMode::Indexed]);
    let near = prop::option::of(20f32..60.0);
    let instances = prop::collection::vec((0usize..4, 0..LOOKS, -180f32..180.0), 1..4);
    (sizes, any::<bool>(), samples, (color, any::<bool>()), near, instances).prop_map(
        |(size, depth, samples, (color, given_palette), near, instances)| Picture {
            size,
            depth,
            samples,
            color,
            given_palette,
            near,
            instances,
        },
    )
}

/// Another palette than the models have.
fn palette() -> Arc<Palette> {
    Arc::new(Palette::new(std::array::from_fn(|i| [i as u8, (i * 7) as u8, 255 - i as u8]), 224))
}

impl Picture {
    fn scene<'a>(&self, models: &'a [(Model, Pose)]) -> (View, Vec<Instance<'a>>) {
        let instances: Vec<_> = self
            .instances
            .iter()
            .map(|&(number, kind, yaw)| {
                let (model, pose) = &models[number];
                let look = look(model, kind);
                Instance { model, pose, look, transform: Transform::yaw(yaw) }
            })
            .collect();
        let placed = Camera::placed([70.0, 10.0, 20.0], [0.0; 3], [0.0, 0.0, 1.0]);
        let view = View::new(placed.near(self.near)).color(self.color).samples(self.samples);
        (view.palette(self.given_palette.then(palette)), instances)
    }

    /// Pixels, depth, and what every stage took and gave.
    fn draw(&self, models: &[(Model, Pose)], renderer: &mut Renderer) -> Drawn {
        let (view, instances) = self.scene(models);
        let mut frame = Framebuffer::new(self.size[0], self.size[1]).unwrap();
        if self.depth {
            frame = frame.with_depth();
        }
        frame.clear([1, 2, 3, 4]);
        renderer.draw(&view, &instances, &mut frame).unwrap();
        let depth = frame.depth_rows().into_iter().flatten().flatten().map(|z| z.to_bits());
        let counts = |stage: StageStats| (stage.stage, stage.input, stage.output);
        Drawn {
            image: frame.image(),
            depth: depth.collect(),
            counts: renderer.stats().into_iter().map(counts).collect(),
        }
    }
}

#[derive(Debug, PartialEq)]
struct Drawn {
    image: Image,
    depth: Vec<u32>,
    counts: Vec<(&'static str, u64, u64)>,
}

#[test]
fn a_renderer_that_has_drawn_other_things_draws_the_same() {
    let models = models();
    let strategy = (prop::collection::vec(picture(), 0..6), picture(), 1usize..3);
    check(40, &strategy, 20_000, |(before, picture, threads)| {
        let renderer = || Renderer::new().with_threads(threads).unwrap();
        let mut used = renderer();
        for other in before {
            other.draw(&models, &mut used);
        }
        let fresh = picture.draw(&models, &mut renderer());
        assert_eq!(picture.draw(&models, &mut used), fresh);
        let (width, height) = (fresh.image.width(), fresh.image.height());
        (width * height) as usize
    });
}

#[test]
fn samples_with_depth_follow_samples_without() {
    let models = models();
    let without = Picture {
        size: [64, 48],
        depth: false,
        samples: Samples::Two,
        color: ColorMode::Rgb,
        given_palette: false,
        near: None,
        instances: vec![(1, 0, 0.0)],
    };
    let with = Picture { depth: true, ..without.clone() };
    let mut renderer = Renderer::new();
    without.draw(&models, &mut renderer);
    let drawn = with.draw(&models, &mut renderer);
    let near = drawn.depth.iter().filter(|&&z| z != 1f32.to_bits()).count();
    assert!(near > 300, "{near} pixels have a depth");
}

#[test]
fn a_buffer_of_any_stride_gets_the_pixels_of_a_framebuffer() {
    const AROUND: u32 = 0xdead_beef;
    let models = models();
    let strategy = (picture(), 0usize..20, 0usize..24, 1usize..3);
    let mut renderers = [1, 2].map(|threads| Renderer::new().with_threads(threads).unwrap());
    let renderers = std::cell::RefCell::new(&mut renderers);
    check(60, &strategy, 20_000, |(picture, gap, behind, threads)| {
        let (view, instances) = picture.scene(&models);
        let [width, height] = picture.size;
        let background = |x: usize, y: usize| (x * 3 + y * 5) as u32 | 0x8000_0000;
        let mut frame = Framebuffer::new(width, height).unwrap();
        let (wide, stride) = (width as usize, width as usize + gap);
        let length = stride * (height as usize - 1) + wide + behind;
        let mut buffer = vec![AROUND; length];
        for (y, row) in buffer.chunks_mut(stride).take(height as usize).enumerate() {
            row[..wide].iter_mut().enumerate().for_each(|(x, pixel)| *pixel = background(x, y));
        }
        let mut tight: Vec<u32> = buffer
            .chunks(stride)
            .take(height as usize)
            .flat_map(|row| &row[..wide])
            .copied()
            .collect();
        let renderer = &mut renderers.borrow_mut()[threads - 1];
        let pixels = PixelsMut { pixels: &mut buffer, width, height, stride };
        renderer.draw_into(&view, &instances, pixels).unwrap();
        let pixels = PixelsMut { pixels: &mut tight, width, height, stride: wide };
        renderer.draw_into(&view, &instances, pixels).unwrap();
        renderer.draw(&view, &instances, &mut frame).unwrap();
        let mut seen = 0;
        for (y, row) in buffer.chunks(stride).enumerate() {
            if y < height as usize {
                assert_eq!(row[..wide], tight[y * wide..(y + 1) * wide], "row {y}");
            }
            let outside = if y < height as usize { &row[wide.min(row.len())..] } else { row };
            assert!(outside.iter().all(|&word| word == AROUND), "behind row {y}");
        }
        for (y, row) in frame.rows().enumerate() {
            for (x, &pixel) in row.iter().enumerate() {
                let found = tight[y * wide + x];
                // Drawn over something transparent, pixels of more samples have another alpha.
                if picture.samples == Samples::One {
                    let expected = if pixel == 0 { background(x, y) } else { pixel };
                    assert_eq!(found, expected, "column {x}, row {y}");
                }
                seen += usize::from(found != background(x, y));
            }
        }
        seen
    });
}

#[test]
fn a_buffer_of_one_colour_equals_a_cleared_framebuffer() {
    let models = models();
    let strategy = (picture(), 0usize..20);
    let renderer = std::cell::RefCell::new(Renderer::new());
    check(30, &strategy, 20_000, |(picture, gap)| {
        let (view, instances) = picture.scene(&models);
        let [width, height] = picture.size;
        let stride = width as usize + gap;
        let mut buffer = vec![u32::from_le_bytes([9, 8, 7, 200]); stride * height as usize];
        let mut frame = Framebuffer::new(width, height).unwrap();
        frame.clear([9, 8, 7, 200]);
        let renderer = &mut renderer.borrow_mut();
        let pixels = PixelsMut { pixels: &mut buffer, width, height, stride };
        renderer.draw_into(&view, &instances, pixels).unwrap();
        renderer.draw(&view, &instances, &mut frame).unwrap();
        for (row, expected) in buffer.chunks(stride).zip(frame.rows()) {
            assert_eq!(&row[..width as usize], expected);
        }
        (width * height) as usize
    });
}
