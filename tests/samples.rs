//! The committed sample models are exactly what their generator writes, and what it means to write.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "../examples/make_models/bolt/mod.rs"]
mod bolt;

use std::path::{Path, PathBuf};

use glam::Vec3;
use polyset::{Model, Pose};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

fn load(name: &str) -> Model {
    Model::from_bytes(&std::fs::read(sample(name)).unwrap()).unwrap()
}

#[test]
fn the_generator_reproduces_the_committed_samples() {
    for (name, bytes) in bolt::files().unwrap() {
        let committed = std::fs::read(sample(name)).unwrap();
        assert!(
            committed == bytes,
            "tests/models/{name} is not what the generator writes: \
             run `cargo run --example make_models` and look at what changed"
        );
    }
}

#[test]
fn samples_give_the_warnings_they_are_made_for_and_no_others() {
    let cases: [(&str, &[&str]); 7] = [
        ("bolt.mdl", &[]),
        ("bolt_holey.mdl", &["fills its 16 bytes"]),
        ("bolt.md2", &[]),
        ("bolt_shield.md2", &["outside the skin"]),
        ("bolt.md3", &[]),
        ("hand.md3", &[]),
        ("bolt.md5mesh", &[]),
    ];
    for (name, expected) in cases {
        let model = load(name);
        let messages: Vec<String> = model.warnings().iter().map(|w| format!("{w:?}")).collect();
        assert_eq!(messages.len(), expected.len(), "{name}: {messages:?}");
        for (message, part) in messages.iter().zip(expected) {
            assert!(message.contains(part), "{name}: {message}");
        }
    }
}

/// Six times the volume that a pose encloses, positive if its triangles are clockwise from outside.
fn volume(model: &Model, pose: &Pose) -> f32 {
    (0..pose.surface_count())
        .map(|surface| {
            let points: Vec<Vec3> = pose.positions(surface).map(Vec3::from_array).collect();
            model.surfaces()[surface]
                .triangles()
                .iter()
                .map(|triangle| {
                    let [a, b, c] = triangle.map(|index| points[index as usize]);
                    a.dot((c - a).cross(b - a))
                })
                .sum::<f32>()
        })
        .sum()
}

#[test]
fn all_formats_show_the_same_poses_turned_outward() {
    let walking = std::fs::read(sample("bolt_walk.md5anim")).unwrap();
    let mut skeletal = load("bolt.md5mesh");
    skeletal.add_anim("walk", &walking).unwrap();
    let [mdl, md2, md3] = ["bolt.mdl", "bolt.md2", "bolt.md3"].map(load);
    // Model, clip, time; the first of each pair is what the second has to look like.
    let pairs = [
        [(&mdl, "stand", 0.4), (&md2, "stand", 0.4)],
        [(&md2, "stand", 0.4), (&md3, "0", 0.4)],
        [(&mdl, "run", 0.3), (&md2, "run", 0.3)],
        [(&md3, "1", 0.5), (&skeletal, "walk", 0.5)],
    ];
    for pair in pairs {
        let [first, second] = pair.map(|(model, clip, time)| {
            let pose = model.pose(model.clip(clip).unwrap(), time);
            let volume = volume(model, &pose);
            assert!(volume > 0.0, "{clip}: {volume}");
            (pose.bounds(), volume)
        });
        // One step of a packed byte is about a quarter of a unit.
        for (corner, other) in first.0.iter().zip(&second.0) {
            let apart = Vec3::from_array(*corner).distance(Vec3::from_array(*other));
            assert!(apart < 0.5, "{} {}: {first:?} {second:?}", pair[0].1, pair[1].1);
        }
        assert!((first.1 / second.1 - 1.0).abs() < 0.02, "{first:?} {second:?}");
    }
}
