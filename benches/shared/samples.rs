//! The sample models.

use std::path::Path;

use polyset::scene::Anims;
use polyset::{Model, Scene};

/// A sample with its textures and its animations.
pub(crate) fn open(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name);
    let scene = Scene::new(path);
    scene.open_with(Anims::All).expect("a sample can be opened").model
}
