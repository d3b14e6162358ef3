//! A renderer that has drawn a frame draws the next one without touching the heap.

use polyset::{Camera, Framebuffer, Look, Model, Renderer};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// One test, so that no other one allocates beside it.
#[test]
fn frames_after_the_first_allocate_nothing() {
    let model = Model::open("tests/models/bolt.md3").expect("the sample opens");
    let clips = model.clips();
    let mut pose = model.pose(&clips[0], 0.0);
    let framed = Camera::framing(&pose);
    let close = Camera::placed([10.0, 2.0, 0.0], [0.0, 0.0, 10.0], [0.0, 0.0, 1.0]).near(Some(4.0));
    let look = Look::of(model.format());
    for camera in [framed, close] {
        // One band; several bands with bins.
        for size in [[200, 150], [1600, 900]] {
            let mut renderer = Renderer::new().with_threads(1).expect("one thread");
            let mut frame = Framebuffer::new(size[0], size[1]).expect("a size in range");
            let mut draw = |time: f32| {
                frame.clear([10, 20, 30, 255]);
                model.pose_into(clips[0].at(time), &mut pose);
                renderer.draw(&model, &pose, &camera, &look, &mut frame);
            };
            for step in 0..20 {
                draw(step as f32 * 0.1);
            }
            let region = Region::new(ALLOCATOR);
            for step in 0..20 {
                draw(step as f32 * 0.1);
            }
            let change = region.change();
            assert_eq!(change.allocations + change.reallocations, 0, "{size:?}: {change:?}");
        }
    }
}
