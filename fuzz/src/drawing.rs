//! The same picture, drawn in two ways: it must have the same bits.

use std::cell::RefCell;

use polyset::{Blend, Framebuffer, Instance, Model, Pose, Renderer, SimdLevel, View};

use crate::models::{KINDS, file};
use crate::scenes::{Actor, size, view};
use crate::source::Source;

/// A picture with its depth and what the stages counted.
#[derive(PartialEq)]
struct Picture {
    pixels: Vec<u32>,
    depth: Vec<u32>,
    stats: Vec<(&'static str, u64, u64)>,
}

impl Picture {
    fn has_bits_of(&self, other: &Self) -> bool {
        self.pixels == other.pixels && self.depth == other.depth
    }
}

/// What is drawn into a frame that may keep depth.
struct Shot {
    actors: Vec<Actor>,
    view: View,
    size: [u32; 2],
    with_depth: bool,
    background: [u8; 4],
}

/// Pixels times triangles of a picture: every target draws several.
const MOST_WORK: usize = 2_000_000;

impl Shot {
    fn new(source: &mut Source<'_>, size: impl Fn(&mut Source<'_>) -> [u32; 2]) -> Option<Self> {
        let count = if source.once_in(4) { 2 } else { 1 };
        let actors: Vec<Actor> = (0..count).map(|_| Actor::new(source)).collect::<Option<_>>()?;
        let mut size = size(source);
        let triangles: usize = actors.iter().map(|actor| actor.model.triangle_count()).sum();
        while triangles * (size[0] * size[1]) as usize > MOST_WORK {
            size = size.map(|side| side.div_ceil(2));
        }
        let instances: Vec<Instance<'_>> = actors.iter().map(Actor::instance).collect();
        let view = view(source, &instances, size);
        let with_depth = !source.once_in(3);
        let background = [source.byte(), 0, 0, source.byte()];
        Some(Self { actors, view, size, with_depth, background })
    }

    fn frame(&self) -> Framebuffer {
        let frame = Framebuffer::new(self.size[0], self.size[1]).expect("a size in range");
        if self.with_depth { frame.with_depth() } else { frame }
    }

    /// Draws into a frame of the shot's size, whatever it holds.
    fn draw_into(&self, renderer: &mut Renderer, frame: &mut Framebuffer) -> Picture {
        frame.clear(self.background);
        let instances: Vec<Instance<'_>> = self.actors.iter().map(Actor::instance).collect();
        renderer.draw(&self.view, &instances, frame).expect("poses of these very models");
        let depth = frame.depth_rows();
        Picture {
            pixels: frame.rows().flatten().copied().collect(),
            depth: depth.into_iter().flatten().flatten().map(|z| z.to_bits()).collect(),
            stats: renderer.stats().iter().map(|s| (s.stage, s.input, s.output)).collect(),
        }
    }

    fn draw(&self, renderer: &mut Renderer) -> Picture {
        self.draw_into(renderer, &mut self.frame())
    }

    fn assert_same(&self, what: &str, a: &Picture, b: &Picture) {
        if a.has_bits_of(b) {
            return;
        }
        let differ = |a: &[u32], b: &[u32]| {
            let all = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b);
            let first =
                all.clone().next().map(|(i, (a, b))| format!("number {i}: {a:08x} {b:08x}"));
            format!("{} ({})", all.count(), first.unwrap_or_default())
        };
        let (pixels, depths) = (differ(&a.pixels, &b.pixels), differ(&a.depth, &b.depth));
        let [width, height] = self.size;
        let matrix = self.view.matrix(&[self.actors[0].instance()], width, height);
        let looks: Vec<_> = self.actors.iter().map(|actor| actor.instance().look).collect();
        panic!(
            "{what}: {pixels} pixels and {depths} depths of {width} x {height} differ; \
             matrix {matrix:?}, {looks:?}, bounds {:?}",
            self.actors.iter().map(|actor| actor.pose.bounds()).collect::<Vec<_>>()
        );
    }
}

fn one_thread(level: SimdLevel) -> Renderer {
    let renderer = Renderer::new().with_threads(1).expect("one thread is there");
    renderer.with_simd(level).expect("an available level")
}

/// Every set of instructions draws what the scalar twin draws.
pub fn levels(data: &[u8]) {
    thread_local! {
        static LEVELS: Vec<SimdLevel> = SimdLevel::available();
    }
    let Some(shot) = Shot::new(&mut Source::new(data), size) else { return };
    let scalar = shot.draw(&mut one_thread(SimdLevel::Scalar));
    LEVELS.with(|levels| {
        let others = levels.iter().filter(|&&level| level != SimdLevel::Scalar);
        let others = others.map(|&level| (level, shot.draw(&mut one_thread(level))));
        let wrong: Vec<_> = others.filter(|(_, other)| !scalar.has_bits_of(other)).collect();
        if let Some((_, other)) = wrong.first() {
            let names: Vec<String> = wrong.iter().map(|(level, _)| level.to_string()).collect();
            shot.assert_same(&format!("scalar and {}", names.join(", ")), &scalar, other);
        }
    });
}

/// Seven threads draw what one draws.
pub fn threads(data: &[u8]) {
    thread_local! {
        // Threads take longer to start than a picture.
        static SEVEN: RefCell<Renderer> =
            RefCell::new(Renderer::new().with_threads(7).expect("seven threads can be started"));
    }
    // Smaller pictures are drawn by one thread in any case.
    let large = |source: &mut Source<'_>| {
        [source.between(100, 260) as u32, source.between(210, 400) as u32]
    };
    let Some(shot) = Shot::new(&mut Source::new(data), large) else { return };
    let one = shot.draw(&mut one_thread(SimdLevel::Auto));
    let seven = SEVEN.with(|seven| shot.draw(&mut seven.borrow_mut()));
    shot.assert_same("1 and 7 threads", &one, &seven);
}

/// A renderer that has drawn other things draws what a fresh one draws, and counts the same.
pub fn reuse(data: &[u8]) {
    let mut source = Source::new(data);
    let mut used = one_thread(SimdLevel::Auto);
    let mut frame: Option<Framebuffer> = None;
    for number in 0..6 {
        if source.is_empty() {
            break;
        }
        let Some(mut shot) = Shot::new(&mut source, size) else { continue };
        // Buffers are found again by their size.
        if let Some(frame) = &frame
            && source.once_in(2)
        {
            shot.size = [frame.width(), frame.height()];
        }
        let fresh = shot.draw(&mut one_thread(SimdLevel::Auto));
        let fits = |frame: &Framebuffer| {
            [frame.width(), frame.height()] == shot.size
                && frame.depth_rows().is_some() == shot.with_depth
        };
        let mut kept = frame.take().filter(fits).unwrap_or_else(|| shot.frame());
        let again = shot.draw_into(&mut used, &mut kept);
        frame = Some(kept);
        shot.assert_same(&format!("fresh and reused, draw {number}"), &fresh, &again);
        assert!(fresh.stats == again.stats, "{:?} and {:?}", fresh.stats, again.stats);
    }
}

/// All numbers of a pose; what is no number is the same whatever its bits.
fn numbers(pose: &Pose) -> Vec<u32> {
    let points = (0..pose.surface_count())
        .flat_map(|surface| pose.positions(surface).chain(pose.normals(surface)));
    let tags = pose.tags().flat_map(|(_, tag)| tag.columns());
    let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    points.flatten().chain(tags).map(bits).collect()
}

/// A blend that goes no way is the frame itself, from either side; a pose whose memory is used again
/// is that of fresh memory.
pub fn poses(data: &[u8]) {
    let mut source = Source::new(data);
    let mut reused = Pose::default();
    for _ in 0..2 {
        let kind = source.pick(&KINDS);
        if let Ok(model) = Model::from_vec(file(kind, &mut source)) {
            check_poses(&model, &mut source, &mut reused);
        }
    }
}

/// As [`poses`], for a model that was read.
pub(crate) fn check_poses(model: &Model, source: &mut Source<'_>, reused: &mut Pose) {
    let count = model.frame_count();
    for from in 0..count.min(6) {
        let to = source.below(count.min(8));
        let frame = numbers(&model.pose_blend(Blend::frame(from)));
        for blend in
            [Blend { from, to, t: 0.0, anim: 0 }, Blend { from: to, to: from, t: 1.0, anim: 0 }]
        {
            model.pose_into(blend, reused);
            assert!(frame == numbers(reused), "{blend:?} is not frame {from}");
        }
        let blend = Blend { from, to, t: source.float(1.0), anim: 0 };
        model.pose_into(blend, reused);
        let fresh = numbers(&model.pose_blend(blend));
        assert!(fresh == numbers(reused), "{blend:?} depends on what was posed before");
    }
}
