//! Players: characters in several files of one folder, as the games have them.
//!
//! Quake III: `lower.md3`, `upper.md3`, `head.md3`; Team Arena has heads in a folder of their own. Quake
//! II: `tris.md2`, with a weapon in the same frames: `weapon.md2` or `w_NAME.md2`.

use std::collections::BTreeMap;
use std::path::Path;

use super::animation_cfg::BodyPart;
use crate::files::{Files, Home, child};
use crate::location::Location;

/// The files of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Player {
    /// Those of lower, upper and head that there are, in this order; at least one of the first two.
    Quake3(Vec<(BodyPart, Location)>),
    /// The body, and the weapon that it holds unless another is said.
    Quake2 { body: Location, weapon: Option<Location> },
}

impl Player {
    /// Its models and what they are called, the one that carries the others first.
    pub(crate) fn models(&self) -> Vec<(&'static str, &Location)> {
        match self {
            Self::Quake3(parts) => parts.iter().map(|(part, file)| (part.stem(), file)).collect(),
            Self::Quake2 { body, weapon } => {
                let weapon = weapon.iter().map(|file| ("weapon", file));
                std::iter::once(("body", body)).chain(weapon).collect()
            }
        }
    }
}

/// A folder that is one character.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayerFolder {
    /// The folder, as other commands take it.
    pub place: Location,
    /// Its models, levels of detail and all weapons included.
    pub files: Vec<Location>,
}

const BODY: &str = "tris.md2";
const WEAPON: &str = "weapon.md2";

/// The player whose folder is `home`'s. Files in it are called as `shown` makes of how the system
/// calls them.
pub(crate) fn find_player(
    files: &Files,
    home: &Home,
    shown: &dyn Fn(Location) -> Location,
) -> Option<Player> {
    let dir = files.dir(&home.tree, &home.folder);
    let find = |name: &str| dir.files(name).into_iter().next().map(shown);
    let md3 = |part: BodyPart| Some((part, find(&format!("{}.md3", part.stem()))?));
    let mut parts: Vec<(BodyPart, Location)> = BodyPart::ALL.into_iter().filter_map(md3).collect();
    if parts.iter().any(|(part, _)| *part != BodyPart::Head) {
        if !parts.iter().any(|(part, _)| *part == BodyPart::Head) {
            parts.extend(head_of_its_own(files, home).map(|head| (BodyPart::Head, head)));
        }
        return Some(Player::Quake3(parts));
    }
    let body = find(BODY)?;
    let names = dir.names();
    let weapon = find(WEAPON)
        .or_else(|| names.iter().filter(|name| is_weapon(name)).find_map(|name| find(name)));
    let is_player = weapon.is_some() || is_among_players(home.folder.iter().map(String::as_str));
    is_player.then_some(Player::Quake2 { body, weapon })
}

/// `models/players/heads/NAME/head.md3` of `models/players/characters/NAME`.
fn head_of_its_own(files: &Files, home: &Home) -> Option<Location> {
    let (name, above) = home.folder.split_last()?;
    let (characters, players) = above.split_last()?;
    if !characters.eq_ignore_ascii_case("characters") {
        return None;
    }
    let folder = child(&child(players, "heads"), name);
    files.dir(&home.tree, &folder).files("head.md3").into_iter().next()
}

/// The weapon in the folder of a Quake II player that is called so: `w_shotgun`, `shotgun`.
pub(crate) fn weapon_beside(files: &Files, home: &Home, name: &str) -> Option<Location> {
    let dir = files.dir(&home.tree, &home.folder);
    let names = [format!("{name}.md2"), format!("w_{name}.md2"), name.to_owned()];
    names.iter().find_map(|name| dir.files(name).into_iter().next())
}

/// The weapons for a player in `home`'s folder: `models/weapons2/NAME/NAME.md3` of the game, or for a
/// Quake II body those in the folder.
pub(crate) fn weapons_for(files: &Files, home: &Home, is_quake2: bool) -> Vec<Location> {
    if is_quake2 {
        let dir = files.dir(&home.tree, &home.folder);
        let names = dir.names().into_iter().filter(|name| is_weapon(name));
        return names.filter_map(|name| dir.files(&name).into_iter().next()).collect();
    }
    let folder = ["models", "weapons2"].map(str::to_owned);
    let names = files.dir(&home.tree, &folder).names();
    let model = |name: String| {
        let dir = files.dir(&home.tree, &child(&folder, &name));
        dir.files(&format!("{name}.md3")).into_iter().next()
    };
    names.into_iter().filter_map(model).collect()
}

fn is_weapon(name: &str) -> bool {
    name == WEAPON || (name.starts_with("w_") && name.ends_with(".md2"))
}

/// Whether a folder lies directly in one that is called `players`.
fn is_among_players<'a>(folder: impl DoubleEndedIterator<Item = &'a str>) -> bool {
    folder.rev().nth(1).is_some_and(|above| above.eq_ignore_ascii_case("players"))
}

/// The folder of a file, and the name in messages of an archive's; `None` at the root of one.
fn folder_of(file: &Location) -> Option<Location> {
    match file.member() {
        Some(member) => {
            let (folder, _) = member.rsplit_once(['/', '\\'])?;
            Some(Location::in_archive(file.path(), folder))
        }
        None => {
            let folder = file.path().parent()?;
            let folder = if folder == Path::new("") { Path::new(".") } else { folder };
            Some(Location::on_disk(folder))
        }
    }
}

/// The players among models, each with its files; sorted as the first of these are.
pub(crate) fn players_among(files: &[Location]) -> Vec<PlayerFolder> {
    let mut folders: BTreeMap<String, Vec<&Location>> = BTreeMap::new();
    for file in files {
        // The same folder of several archives of a game is one.
        let key = folder_of(file).map(|folder| match folder.member() {
            Some(member) => member.to_lowercase(),
            None => format!("\0{}", folder.path().display()),
        });
        folders.entry(key.unwrap_or_default()).or_default().push(file);
    }
    let mut players: Vec<PlayerFolder> = folders.values().filter_map(|own| player(own)).collect();
    let place = |player: &PlayerFolder| files.iter().position(|file| *file == player.files[0]);
    players.sort_by_key(place);
    players
}

/// The player that the models of a folder are.
fn player(files: &[&Location]) -> Option<PlayerFolder> {
    let name = |file: &Location| file.file_name().to_string_lossy().to_lowercase();
    let find = |wanted: &str| files.iter().copied().find(|file| name(file) == wanted);
    let quake3 = find("lower.md3").or_else(|| find("upper.md3"));
    let place = folder_of(quake3.or_else(|| find(BODY))?)?;
    if quake3.is_none() {
        let path = place.member().map_or_else(|| place.path().display().to_string(), Into::into);
        let is_player = files.iter().any(|file| is_weapon(&name(file)))
            || is_among_players(path.split(['/', '\\']));
        if !is_player {
            return None;
        }
    }
    let is_own = |file: &Location| match quake3 {
        Some(_) => {
            file.extension().eq_ignore_ascii_case("md3")
                && BodyPart::of_stem(&file.file_stem().to_string_lossy()).is_some()
        }
        None => name(file) == BODY || is_weapon(&name(file)),
    };
    let files = files.iter().filter(|file| is_own(file)).map(|file| (*file).clone()).collect();
    Some(PlayerFolder { place, files })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_found_among_models() {
        let files = [
            "a.pk3:models/box.md3",
            "a.pk3:models/players/Sarge/Lower.md3",
            "a.pk3:models/players/Sarge/lower_1.md3",
            "a.pk3:models/players/sarge/upper.md3",
            "a.pk3:models/players/sarge/wing.md3",
            "a.pk3:models/players/heads/sarge/head.md3",
            "q2/players/male/tris.md2",
            "q2/players/male/w_bfg.md2",
            "q2/players/male/weapon.md2",
            "q2/players/cyborg/tris.md2",
            "q2/monsters/tank/tris.md2",
            "a.pk3:lower.md3",
        ];
        let files: Vec<Location> = files.iter().map(|&file| file.into()).collect();
        let players = players_among(&files);
        let found: Vec<(String, Vec<usize>)> = players
            .iter()
            .map(|player| {
                let at = |file: &Location| files.iter().position(|other| other == file).unwrap();
                (player.place.to_string(), player.files.iter().map(at).collect())
            })
            .collect();
        let expected = [
            ("a.pk3:models/players/Sarge", vec![1, 2, 3]),
            ("q2/players/male", vec![6, 7, 8]),
            ("q2/players/cyborg", vec![9]),
        ];
        assert_eq!(found, expected.map(|(place, files)| (place.to_owned(), files)));
    }
}
