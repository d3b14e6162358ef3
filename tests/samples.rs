//! The committed sample models are exactly what their generator writes.

#[path = "../examples/make_models/bolt/mod.rs"]
mod bolt;

use std::path::Path;

#[test]
fn the_generator_reproduces_the_committed_samples() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    for (name, bytes) in bolt::files().unwrap() {
        let committed = std::fs::read(dir.join(name)).unwrap();
        assert!(
            committed == bytes,
            "tests/models/{name} is not what the generator writes: \
             run `cargo run --example make_models` and look at what changed"
        );
    }
}
