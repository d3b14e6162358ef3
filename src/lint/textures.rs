//! Textures and other files that belong to a model.

use super::Finding;
use super::geometry::surface_name;
use crate::assets::{Origin, ScriptEntry, TextureEntry};
use crate::model::Format;
use crate::scene::{Opened, Scene};

pub(super) fn check(opened: &Opened, scene: &Scene, found: &mut Vec<Finding>) {
    let model = &opened.model;
    let mut names: Vec<(String, String)> = Vec::new();
    for entry in &opened.textures.textures {
        let place = surface_name(model, entry.surface);
        names.extend(entry.wanted.iter().map(|name| (place.clone(), name.clone())));
        if let Some(ScriptEntry { name, file, line, missing, .. }) = &entry.script {
            let lost = |picture: &String| {
                let by = format!("'{name}' ({file}, line {line}) is drawn with it");
                let message = format!("'{picture}' is not there or cannot be taken; {by}");
                Finding::new("missing-texture", place.clone(), message)
            };
            found.extend(missing.iter().map(lost));
        }
        // What has no triangles needs none.
        let is_drawn =
            model.surfaces().get(entry.surface).is_some_and(|s| !s.triangles().is_empty());
        match entry.origin {
            _ if entry.script.is_some() => {}
            None if is_drawn => found.push(Finding::new("missing-texture", place, missing(entry))),
            Some(origin) if origin == Origin::Guessed || !entry.missing.is_empty() => {
                let file = entry.found.as_ref().map(ToString::to_string).unwrap_or_default();
                let wanted = match entry.missing.as_slice() {
                    [] => "no texture is named".to_owned(),
                    wanted if !entry.refused.is_empty() => {
                        format!("'{}' cannot be taken", wanted.join("', '"))
                    }
                    wanted => format!("'{}' is not there", wanted.join("', '")),
                };
                found.push(Finding::new(
                    "guessed-texture",
                    place,
                    format!("{wanted}; '{file}' is"),
                ));
            }
            _ => {}
        }
    }
    let skins = model.skins().iter().enumerate();
    names.extend(skins.map(|(number, skin)| (format!("skin {number}"), skin.name().to_owned())));
    let mut seen = Vec::new();
    for (place, name) in names {
        if is_of_a_disk(&name) && !seen.contains(&name) {
            found.push(Finding::new("author-path", place, format!("'{name}'")));
            seen.push(name);
        }
    }
    // The others of a Quake II model's skins may be missing too.
    let skins = model.skins().len();
    if model.format() == Format::Md2 {
        for (number, entry) in opened.offered_textures(scene).take(skins).enumerate().skip(1) {
            if entry.found.is_none() {
                let place = format!("skin {number}");
                found.push(Finding::new("missing-texture", place, missing(&entry)));
            }
        }
    }
    companions(opened, found);
}

fn missing(entry: &TextureEntry) -> String {
    match entry.wanted.as_slice() {
        [] => "no texture is named".into(),
        wanted if !entry.refused.is_empty() => {
            format!("'{}' is there, but cannot be taken", wanted.join("', '"))
        }
        wanted => {
            let places = entry.looked.len();
            format!("'{}' is not there ({places} places searched)", wanted.join("', '"))
        }
    }
}

/// Whether a name leads out of a game.
fn is_of_a_disk(name: &str) -> bool {
    let name = name.replace('\\', "/");
    let has_drive = matches!(name.split_once(':'), Some((drive, _)) if drive.len() == 1);
    has_drive || name.starts_with('/') || name.split('/').any(|part| part == "..")
}

/// What a player's menu and loader ask for beside the model.
fn companions(opened: &Opened, found: &mut Vec<Finding>) {
    let Some(file) = &opened.file else { return };
    let beside = opened.names_beside(file);
    let stem = file.file_stem().to_string_lossy().to_lowercase();
    match opened.model.format() {
        Format::Md3 if ["lower", "upper", "head"].contains(&&*stem) => {
            let name = format!("{stem}_default.skin");
            if !beside.contains(&name) {
                found.push(Finding::new(
                    "missing-skin-file",
                    "model",
                    format!("there is no '{name}'"),
                ));
            }
        }
        Format::Md2 if stem == "tris" && is_players(opened) => {
            let skins = beside.iter().filter_map(|name| name.strip_suffix(".pcx"));
            for skin in skins.filter(|skin| !skin.ends_with("_i") && *skin != "weapon") {
                let icon = format!("{skin}_i.pcx");
                if !beside.contains(&icon) && !skin.starts_with("w_") {
                    let message = format!("there is no '{icon}'");
                    found.push(Finding::new("missing-icon", format!("skin '{skin}'"), message));
                }
            }
        }
        _ => {}
    }
}

/// Whether the model is the body of a Quake II player: `players/NAME/tris.md2`.
fn is_players(opened: &Opened) -> bool {
    let file = opened.file.as_ref();
    let path = file.map(|file| match file.member() {
        Some(member) => member.replace('\\', "/"),
        None => file.path().to_string_lossy().replace('\\', "/"),
    });
    let path = path.unwrap_or_default().to_lowercase();
    path.rsplit('/').nth(2) == Some("players")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_disk_are_told_from_those_of_a_game() {
        for (name, expected) in [
            ("models/ogre/skin.tga", false),
            ("models\\ogre\\skin.tga", false),
            ("skin", false),
            ("C:\\quake2\\skin.pcx", true),
            ("d:/skin.pcx", true),
            ("/home/me/skin.png", true),
            ("..\\textures\\skin.bmp", true),
            ("a/../b.tga", true),
            ("models/a..b.tga", false),
        ] {
            assert_eq!(is_of_a_disk(name), expected, "{name}");
        }
    }
}
