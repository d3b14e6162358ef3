//! What skins there are to choose from.

use std::rc::Rc;

use super::search::EXTENSIONS;
use super::{AssetOptions, Origin, TextureEntry};
use crate::files::Files;
use crate::location::Location;
use crate::model::{Format, Model, SkinSource};

/// Says for every skin that the model offers where its picture is, without opening it: one entry per
/// skin of an MD2, per texture name of an MD3's or MD5's surfaces, per embedded skin of an MDL. Looks for
/// each when it is asked for.
pub(crate) fn list_skins<'a>(
    model: &'a Model,
    files: &Files,
    file: Option<&Location>,
    options: &AssetOptions,
) -> impl Iterator<Item = TextureEntry> + use<'a> {
    let search = Rc::new(options.search(model.format, files, file));
    let locate = move |surface: usize, name: &str, wanted: &str| {
        let outcome = search.find(&[wanted], name, &mut |_| Some(()));
        let entry = TextureEntry {
            surface,
            name: name.into(),
            wanted: vec![wanted.to_owned()],
            looked: outcome.looked,
            ..TextureEntry::default()
        };
        match outcome.found {
            Some(found) => entry.with(found.file, found.origin, found.missing, found.shadowed),
            None => entry,
        }
    };
    let locate_skin = locate.clone();
    let skins = model.skins.iter().map(move |skin| match skin.source {
        SkinSource::Embedded { .. } => TextureEntry {
            name: skin.name.clone(),
            origin: Some(Origin::Embedded),
            ..TextureEntry::default()
        },
        SkinSource::File => locate_skin(0, "", &skin.name),
    });
    let names = model.surfaces.iter().enumerate().flat_map(|(number, surface)| {
        let names = if model.format == Format::Md2 { &[][..] } else { &surface.shaders[..] };
        names.iter().map(move |shader| (number, surface, shader))
    });
    let surfaces =
        names.map(move |(number, surface, shader)| locate(number, &surface.name, shader));
    skins.chain(surfaces)
}

/// How many skins `--skin N` can choose from: at least 1.
pub(crate) fn skin_count(model: &Model) -> usize {
    let shaders = model.surfaces.iter().map(|surface| surface.shaders.len()).max().unwrap_or(0);
    let count = if model.format == Format::Md3 { shaders } else { model.skins.len() };
    count.max(1)
}

/// Files beside a model that are skins for it, sorted: the `.skin` files of an MD3 (`head_blue.skin` of
/// `head.md3`), and the replacements that source ports know (`ogre.mdl_0.tga`, `ogre_00_00.lmp`).
pub(crate) fn skin_files(
    model: &Model,
    files: &Files,
    file: &Location,
    options: &AssetOptions,
) -> Vec<Location> {
    let search = options.search(model.format, files, Some(file));
    let stems: Vec<String> = search.stems().iter().map(|stem| stem.to_lowercase()).collect();
    let whole = file.file_name().to_string_lossy().to_lowercase();
    let is_ours = |name: &String| match model.format {
        Format::Md3 | Format::Md5 => is_skin_file(name, &stems),
        Format::Mdl | Format::Md2 => is_replacement(name, &whole, &stems),
        _ => false,
    };
    let names = search.names_beside();
    names.iter().filter(|name| is_ours(name)).filter_map(|name| search.beside(name)).collect()
}

fn is_skin_file(name: &str, stems: &[String]) -> bool {
    let behind = |stem: &String| name.strip_prefix(stem.as_str())?.strip_prefix('_');
    stems.iter().filter_map(behind).any(|rest| rest.ends_with(".skin"))
}

/// `x.mdl_N.EXT` or `x_NN_NN.EXT`, but none of the layers beside them (`_glow`, `_luma`, `_norm`).
fn is_replacement(name: &str, whole: &str, stems: &[String]) -> bool {
    let Some((start, extension)) = name.rsplit_once('.') else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let of_file = start.strip_prefix(whole).and_then(|rest| rest.strip_prefix('_'));
    let of_stem =
        stems.iter().find_map(|stem| start.strip_prefix(stem.as_str())?.strip_prefix('_'));
    let is_pair =
        |rest: &str| rest.split_once('_').is_some_and(|(a, b)| is_number(a) && is_number(b));
    EXTENSIONS.contains(&extension)
        && (of_file.is_some_and(|rest| is_number(rest) || is_pair(rest))
            || of_stem.is_some_and(is_pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_are_told_by_their_names() {
        for (name, expected) in [
            ("ogre.mdl_0.tga", true),
            ("ogre.mdl_12.png", true),
            ("ogre.mdl_0_1.pcx", true),
            ("ogre_00_00.lmp", true),
            ("ogre.mdl_0_glow.tga", false),
            ("ogre.mdl_0_luma.tga", false),
            ("ogre.mdl_0.txt", false),
            ("ogre.mdl_.tga", false),
            ("ogre_0.tga", false),
            ("demon.mdl_0.tga", false),
        ] {
            assert_eq!(is_replacement(name, "ogre.mdl", &["ogre".into()]), expected, "{name}");
        }
    }
}
