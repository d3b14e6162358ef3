//! What the indices of a picture mean: one rule for both rasterizers.

use std::sync::Arc;

use crate::image::{Image, Palette};
use crate::model::{Format, Model};

/// The palette of an indexed picture of `model`, which wears `textures`: the given one, else the own
/// one of the first indexed skin of an `.md2`, else the model's.
pub(crate) fn of_picture<'a>(
    given: Option<&'a Arc<Palette>>,
    model: &'a Model,
    mut textures: impl Iterator<Item = &'a Arc<Image>>,
) -> &'a Arc<Palette> {
    let own = || {
        let is_quake2 = model.format == Format::Md2;
        is_quake2.then(|| textures.find_map(|texture| texture.palette())).flatten()
    };
    given.or_else(own).unwrap_or(&model.palette)
}
