//! The picture that a surface is drawn with, as palette indices.

use std::sync::Arc;

use super::scene::ClassicScene;
use super::select::{entry, group_member};
use crate::image::{Image, Palette, Pixels};
use crate::model::{Model, SkinSource};

/// Indices, row by row; at least one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texels<'a> {
    pub(super) indices: &'a [u8],
    pub(super) width: i32,
    pub(super) height: i32,
}

/// A coordinate that counts texels of a skin as large as `header` says, as 16.16 texels of a picture.
/// Only pictures that the original engines could not have drawn with have another size.
#[inline(always)]
pub(super) fn coordinate(texel: i32, header: i32, picture: i32) -> i32 {
    if header == picture || header < 1 {
        return texel.wrapping_shl(16);
    }
    let scaled = (i64::from(texel) << 16).wrapping_mul(i64::from(picture));
    (scaled / i64::from(header)) as i32
}

/// True-colour pictures as indices, so that they are quantised once.
#[derive(Debug, Default)]
pub(super) struct Quantized {
    pictures: Vec<(Arc<Image>, Arc<Palette>, Image)>,
    grey: [u8; 1],
}

/// More pictures than a model has surfaces: beyond it the oldest is forgotten.
const KEPT: usize = 64;

impl Quantized {
    /// Makes sure that [`Quantized::texels`] knows the picture.
    pub(super) fn prepare(&mut self, image: Option<&Arc<Image>>, palette: &Arc<Palette>) {
        let Some(image) = image else {
            self.grey = [palette.nearest([128; 3])];
            return;
        };
        if own_indices(image, palette).is_some() || self.find(image, palette).is_some() {
            return;
        }
        if self.pictures.len() >= KEPT {
            self.pictures.remove(0);
        }
        let indexed = Image::clone(image).into_rgba().to_indexed(palette, false);
        self.pictures.push((Arc::clone(image), Arc::clone(palette), indexed));
    }

    /// The picture's indices in `palette`; neutral grey for no picture or one that was not prepared.
    pub(super) fn texels<'a>(
        &'a self,
        image: Option<&'a Arc<Image>>,
        palette: &Arc<Palette>,
    ) -> Texels<'a> {
        let grey = Texels { indices: &self.grey, width: 1, height: 1 };
        let Some(image) = image else {
            return grey;
        };
        let indices = own_indices(image, palette)
            .or_else(|| self.find(image, palette).and_then(|found| own_indices(found, palette)));
        let (width, height) = (image.width() as i32, image.height() as i32);
        indices.map_or(grey, |indices| Texels { indices, width, height })
    }

    fn find(&self, image: &Arc<Image>, palette: &Arc<Palette>) -> Option<&Image> {
        let is_it = |(known, of, _): &&(Arc<Image>, Arc<Palette>, Image)| {
            Arc::ptr_eq(known, image) && of == palette
        };
        self.pictures.iter().find(is_it).map(|(_, _, indexed)| indexed)
    }
}

/// The indices of a picture that has the colours of `palette` already.
fn own_indices<'a>(image: &'a Image, palette: &Palette) -> Option<&'a [u8]> {
    match image.pixels() {
        Pixels::Indexed { indices, palette: own, .. } if own.colors() == palette.colors() => {
            Some(indices)
        }
        _ => None,
    }
}

/// The skin inside an `.mdl` that the scene chooses.
pub(super) fn embedded<'a>(model: &'a Model, scene: &ClassicScene) -> Option<Texels<'a>> {
    let skin = entry(&model.skins, scene.skin)?;
    let SkinSource::Embedded { file, width, height, offsets, end_times } = &skin.source else {
        return None;
    };
    let start = *offsets.get(group_member(end_times, scene.time, scene.sync))?;
    let count = usize::try_from(u64::from(*width) * u64::from(*height)).ok()?;
    let indices = file.get(start..start.checked_add(count)?)?;
    let texels = Texels { indices, width: *width as i32, height: *height as i32 };
    (count > 0).then_some(texels)
}
