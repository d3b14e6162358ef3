//! Textures and colormaps made ready for the kernels, kept for the next frames.

use std::sync::Arc;

use super::framebuffer::DRAWN;
use super::mix::PaletteMix;
use super::shade::LightTable;
use super::texture::{AlphaUse, Texture, TextureUse};
use crate::image::{Colormap, Image, Palette, Pixels};
use crate::look::{Draw, Filter, Lighting, Look};
use crate::model::{Format, Model};

/// Textures and colormaps of the frames before.
#[derive(Debug, Default)]
pub(crate) struct TextureCache {
    entries: Vec<TextureEntry>,
    colormaps: Vec<ColormapEntry>,
    palettes: Vec<(Arc<Palette>, Arc<PaletteMix>)>,
    /// White in true colour or in a palette.
    whites: Vec<(Option<Arc<Palette>>, Arc<Texture>)>,
    generation: u64,
    /// Pixels of the frame's picture.
    pixels: u64,
}

#[derive(Debug)]
struct TextureEntry {
    image: Option<Arc<Image>>,
    key: TextureKey,
    texture: Arc<Texture>,
    used: u64,
    /// Pixels of the pictures it was in.
    pixels: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct TextureKey {
    target: Option<Arc<Palette>>,
    lookup: Option<Arc<Palette>>,
    colors: Option<[u8; 2]>,
    alpha: AlphaUse,
    fullbright: bool,
    mipmaps: bool,
}

#[derive(Debug)]
struct ColormapEntry {
    palette: Arc<Palette>,
    given: Option<Arc<Colormap>>,
    colors: Option<[u8; 2]>,
    table: Arc<LightTable>,
}

/// Frames after which a texture that no draw uses is dropped.
const KEPT_FRAMES: u64 = 60;
/// Colormaps that are kept, and of what else belongs to a palette.
const KEPT_COLORMAPS: usize = 4;

impl TextureCache {
    /// Begins a frame of so many pixels.
    pub(crate) fn begin(&mut self, pixels: u64) {
        self.generation += 1;
        self.pixels = pixels;
    }

    /// A picture of `model` as it is drawn in `look`. `given` is the palette of the view, `target`
    /// that of an indexed picture.
    pub(crate) fn texture(
        &mut self,
        model: &Model,
        image: Option<&Arc<Image>>,
        look: &Look,
        alpha: AlphaUse,
        given: Option<&Arc<Palette>>,
        target: Option<&Arc<Palette>>,
    ) -> Arc<Texture> {
        let image = image.filter(|_| look.draw == Draw::Textured);
        let embedded = image.is_some_and(|image| {
            matches!(image.pixels(), Pixels::Indexed { palette, .. } if **palette == *model.palette)
        });
        // Quake's indices have the game's colours, whichever those are; Quake II's skins keep theirs.
        let given = given.filter(|_| model.format != Format::Md2);
        let lookup = embedded.then(|| given.unwrap_or(&model.palette));
        let key = TextureKey {
            target: target.cloned(),
            lookup: lookup.cloned(),
            colors: look.colors,
            alpha,
            fullbright: matches!(look.lighting, Lighting::Quake | Lighting::Gl),
            mipmaps: look.filter == Filter::Trilinear,
        };
        let same = |entry: &TextureEntry| {
            entry.image.as_ref().map(Arc::as_ptr) == image.map(Arc::as_ptr) && entry.key == key
        };
        let is_filtered = look.filter != Filter::Nearest && target.is_none();
        let (generation, pixels) = (self.generation, self.pixels);
        if let Some(entry) = self.entries.iter_mut().find(|entry| same(entry)) {
            if entry.used < generation {
                entry.pixels = entry.pixels.saturating_add(pixels);
            }
            entry.used = generation;
            if is_filtered && entry.texture.wants_blocks(entry.pixels) {
                entry.texture = Arc::new(Texture::clone(&entry.texture).with_blocks());
            }
            return entry.texture.clone();
        }
        let usage = TextureUse {
            target: target.map(|palette| &**palette),
            lookup: lookup.map(|palette| &**palette),
            colors: key.colors,
            alpha,
            fullbright: key.fullbright,
            mipmaps: key.mipmaps,
        };
        let mut texture = match image {
            Some(image) => Texture::new(image, &usage),
            None => Texture::grey(usage.target),
        };
        if is_filtered && texture.wants_blocks(pixels) {
            texture = texture.with_blocks();
        }
        let (image, texture) = (image.cloned(), Arc::new(texture));
        let entry = TextureEntry { image, key, texture: texture.clone(), used: generation, pixels };
        self.entries.push(entry);
        texture
    }

    /// Whether a texture has them.
    #[cfg(test)]
    pub(crate) fn have_blocks(&self) -> bool {
        self.entries.iter().any(|entry| entry.texture.blocks.is_some())
    }

    /// A white texture.
    pub(crate) fn white(&mut self, target: Option<&Arc<Palette>>) -> Arc<Texture> {
        if let Some((_, white)) = self.whites.iter().find(|(known, _)| known.as_ref() == target) {
            return Arc::clone(white);
        }
        let white = Arc::new(Texture::white(target.map(|palette| &**palette)));
        self.whites.truncate(KEPT_COLORMAPS - 1);
        self.whites.insert(0, (target.cloned(), Arc::clone(&white)));
        white
    }

    /// What blending in the indices of a palette needs.
    pub(crate) fn palette_mix(&mut self, palette: &Arc<Palette>) -> Arc<PaletteMix> {
        if let Some((_, mix)) = self.palettes.iter().find(|(known, _)| known == palette) {
            return Arc::clone(mix);
        }
        let mix = Arc::new(PaletteMix::new(palette));
        self.palettes.truncate(KEPT_COLORMAPS - 1);
        self.palettes.insert(0, (Arc::clone(palette), Arc::clone(&mix)));
        mix
    }

    /// The light table of an indexed picture, with player colours. `given` is that of the view.
    pub(crate) fn colormap(
        &mut self,
        given: Option<&Arc<Colormap>>,
        colors: Option<[u8; 2]>,
        palette: &Arc<Palette>,
    ) -> Arc<LightTable> {
        let same = |entry: &ColormapEntry| {
            entry.palette == *palette && entry.given.as_ref() == given && entry.colors == colors
        };
        if let Some(entry) = self.colormaps.iter().find(|entry| same(entry)) {
            return entry.table.clone();
        }
        let colormap = match given {
            Some(given) => (**given).clone(),
            None => Colormap::from_palette(palette),
        };
        let colormap = match colors {
            Some(colors) => colormap.with_player_colors(colors),
            None => colormap,
        };
        let mut table = [0; 64 * 256];
        for (pixel, &index) in table.iter_mut().zip(colormap.rows()) {
            *pixel = DRAWN | u32::from(index);
        }
        let table = Arc::new(table);
        self.colormaps.truncate(KEPT_COLORMAPS - 1);
        self.colormaps.insert(
            0,
            ColormapEntry {
                palette: palette.clone(),
                given: given.cloned(),
                colors,
                table: table.clone(),
            },
        );
        table
    }

    /// Ends a frame: forgets what was not used for long.
    pub(crate) fn end(&mut self) {
        let oldest = self.generation.saturating_sub(KEPT_FRAMES);
        self.entries.retain(|entry| entry.used >= oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_is_made_once_for_every_palette() {
        let palettes = [1, 2].map(|first| {
            let mut colors = [[0; 3]; 256];
            colors[first] = [255; 3];
            Arc::new(Palette::new(colors, 256))
        });
        let mut cache = TextureCache::default();
        let targets = [None, Some(&palettes[0]), Some(&palettes[1])];
        let first = targets.map(|target| cache.white(target));
        let texels = first.each_ref().map(|white| white.levels[0].texels[0] & 0x00ff_ffff);
        assert_eq!(texels, [0x00ff_ffff, 1, 2]);
        for (target, first) in targets.into_iter().zip(&first) {
            assert!(Arc::ptr_eq(&cache.white(target), first), "{target:?}");
        }
    }
}
