//! A renderer that has drawn a frame draws the next one without touching the heap.

use polyset::{Camera, Framebuffer, Instance, Model, Renderer, Samples, Transform, View};
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
    let aside = Transform::translation([0.0, 30.0, 0.0]) * Transform::yaw(40.0);
    let views =
        [View::new(framed.clone()), View::new(close), View::new(framed).samples(Samples::Two)];
    for view in views {
        // One band; several bands with bins.
        for size in [[200, 150], [1600, 900]] {
            let mut renderer = Renderer::new().with_threads(1).expect("one thread");
            let mut frame = Framebuffer::new(size[0], size[1]).expect("a size in range");
            let mut draw = |time: f32| {
                frame.clear([10, 20, 30, 255]);
                model.pose_into(clips[0].at(time), &mut pose);
                // A weapon on every tag would ask for these.
                let tags = pose.tags().count();
                let instance = Instance::new(&model, &pose);
                let instances = [instance, instance.transform(aside)];
                renderer.draw(&view, &instances[..tags.min(2)], &mut frame).expect("its own pose");
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
