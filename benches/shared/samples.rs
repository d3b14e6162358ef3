//! The sample models.

use std::path::Path;

use polyset::{Model, find_anims};

/// A sample with its textures and its animations.
pub(crate) fn open(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name);
    let mut model = Model::open(&path).expect("a sample can be read");
    for anim in find_anims(&path).iter().filter(|_| name.ends_with(".md5mesh")) {
        let bytes = std::fs::read(anim).expect("a sample can be read");
        model.add_anim(&anim.to_string_lossy(), &bytes).expect("it fits the sample mesh");
    }
    model
}
