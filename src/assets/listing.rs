//! What skins there are to choose from.

use std::path::{Path, PathBuf};

use super::search::{Origin, Search};
use super::{AssetOptions, TextureEntry};
use crate::model::{Format, Model, SkinSource};

/// Says for every skin that the model offers where its picture is, without opening it: one entry per
/// skin of an MD2, per texture name of an MD3's or MD5's surfaces, per embedded skin of an MDL.
pub(crate) fn list_skins(
    model: &Model,
    path: Option<&Path>,
    options: &AssetOptions,
) -> Vec<TextureEntry> {
    let search = Search::new(model.format, path, &options.texture_roots);
    let locate = |surface: usize, name: &str, wanted: &str| {
        let outcome = search.find(&[wanted], name, &mut |_| Some(()));
        let (found, origin) = match outcome.found {
            Some((path, origin, ())) => (Some(path), Some(origin)),
            None => (None, None),
        };
        let wanted = vec![wanted.to_owned()];
        TextureEntry { surface, name: name.into(), wanted, found, origin, looked: outcome.looked }
    };
    let skins = model.skins.iter().map(|skin| match skin.source {
        SkinSource::Embedded { .. } => TextureEntry {
            name: skin.name.clone(),
            origin: Some(Origin::Embedded),
            ..TextureEntry::default()
        },
        SkinSource::File => locate(0, "", &skin.name),
    });
    let surfaces = model.surfaces.iter().enumerate().flat_map(|(number, surface)| {
        let names = if model.format == Format::Md2 { &[][..] } else { &surface.shaders[..] };
        names.iter().map(move |shader| locate(number, &surface.name, shader))
    });
    skins.chain(surfaces).collect()
}

/// How many skins `--skin N` can choose from: at least 1.
pub(crate) fn skin_count(model: &Model) -> usize {
    let shaders = model.surfaces.iter().map(|surface| surface.shaders.len()).max().unwrap_or(0);
    let count = if model.format == Format::Md3 { shaders } else { model.skins.len() };
    count.max(1)
}

/// The `.skin` files of an MD3 at `path`: `head_blue.skin` beside `head.md3`, sorted.
pub(crate) fn skin_files(path: &Path) -> Vec<PathBuf> {
    let search = Search::new(Format::Md3, Some(path), &[]);
    let prefixes: Vec<String> =
        search.stems().iter().map(|stem| format!("{}_", stem.to_lowercase())).collect();
    let is_ours = |name: &String| {
        name.ends_with(".skin") && prefixes.iter().any(|prefix| name.starts_with(prefix))
    };
    let names = search.names_beside();
    names.iter().filter(|name| is_ours(name)).filter_map(|name| search.beside(name)).collect()
}
