//! What hangs on tags because the scene says so: models by `--attach`, a weapon with its barrel and flash.

use super::input::Around;
use super::parts::{Part, Role};
use super::{Anims, OnTag, Opened, Scene};
use crate::assets::{weapon_beside, weapons_for};
use crate::error::{OpenError, RequestError};
use crate::location::Location;

/// Where the engines hang a weapon, and its parts on it.
const TAG_WEAPON: &str = "tag_weapon";
const OF_WEAPON: [(&str, &str, &str); 2] =
    [("barrel", "_barrel", "tag_barrel"), (FLASH, "_flash", "tag_flash")];
/// The part that is seen while the weapon fires.
pub(super) const FLASH: &str = "flash";
/// The tag that is the place of the model itself.
const HERE: &str = ".";
/// How the file of the hand ends that holds a weapon before the eye.
const HAND: &str = "_hand";

/// A weapon's models, found by the engines' names.
struct Weapon {
    body: Location,
    /// Name, tag, file.
    parts: Vec<(&'static str, &'static str, Location)>,
}

impl Scene {
    /// Opens what hangs on the models of `opened`, not yet dressed.
    ///
    /// # Errors
    /// If a model cannot be read, or what it is to hang on is not there.
    pub(super) fn add_attachments(
        &self,
        around: &Around,
        opened: &mut Opened,
        anims: Anims,
    ) -> Result<(), OpenError> {
        self.add_weapon(around, opened, anims).map_err(|error| error.of_option("--weapon"))?;
        // What others hang on comes first, whatever the order in which it was said.
        let mut wanted: Vec<&OnTag<Location>> = self.source.attachments.iter().collect();
        wanted.sort_by_key(|attached| attached.tag.matches('/').count());
        for OnTag { tag, value } in wanted {
            let file = around.find(value).0;
            self.attach(around, opened, tag, tag, file, anims)
                .map_err(|error| error.of_option("--attach"))?;
        }
        for (option, said) in self.said_of_attached() {
            if let Some(tag) = said.into_iter().find(|tag| opened.part_at(tag).is_none()) {
                let known: Vec<&str> = opened.parts.iter().map(|part| part.path.as_str()).collect();
                let known = if known.is_empty() { "nothing".into() } else { known.join(", ") };
                let message = format!("nothing hangs on '{tag}'; there is {known}");
                return Err(OpenError::from(RequestError::new(message)).of_option(option));
            }
        }
        Ok(())
    }

    /// The tags of the options that say something of what hangs there.
    fn said_of_attached(&self) -> [(&'static str, Vec<&String>); 3] {
        let (skins, moment) = (&self.source.attached_skins, &self.moment);
        [
            ("--attach-skin", skins.iter().map(|said| &said.tag).collect()),
            ("--attach-frame", moment.attached_frames.iter().map(|said| &said.tag).collect()),
            ("--attach-animation", moment.attached_clips.iter().map(|said| &said.tag).collect()),
        ]
    }

    /// Hangs a model on the tag at the end of `path`.
    fn attach(
        &self,
        around: &Around,
        opened: &mut Opened,
        name: &str,
        path: &str,
        file: Location,
        anims: Anims,
    ) -> Result<(), OpenError> {
        let (parent, tag) = opened.place_of(path)?;
        let part = self.open_part(around, file, Role::Attached, anims)?;
        let (name, path) = (name.to_owned(), path.to_owned());
        opened.parts.push(Part { name, parent, tag, path, opened: part });
        Ok(())
    }

    /// The weapon that was said, or that a hand before the eye holds.
    fn add_weapon(
        &self,
        around: &Around,
        opened: &mut Opened,
        anims: Anims,
    ) -> Result<(), OpenError> {
        let said = self.source.weapon.clone();
        if opened.role == Role::Body {
            let Some(said) = said else { return Ok(()) };
            return self.replace_quake2_weapon(around, opened, &said, anims);
        }
        let of_hand = || {
            let file = opened.file.as_ref().filter(|_| self.engine.view_weapon)?;
            let stem = file.file_stem().to_string_lossy();
            let stem = stem.strip_suffix(HAND)?;
            around.weapon_beside_hand(file, stem)
        };
        let weapon = match &said {
            Some(place) => Some(around.weapon(place)?),
            None => of_hand(),
        };
        let Some(Weapon { body, parts }) = weapon else { return Ok(()) };
        self.attach(around, opened, "weapon", TAG_WEAPON, body, anims)?;
        let weapon = opened.parts.len() - 1;
        for (name, tag, file) in parts {
            let held = &opened.parts[weapon].opened;
            if held.model.has_tag(tag) {
                let path = format!("{TAG_WEAPON}/{tag}");
                self.attach(around, opened, name, &path, file, anims)?;
            } else {
                let warning =
                    format!("{} has no {tag} for the {name}; drawn without it", held.name());
                opened.warnings.push(warning);
            }
        }
        Ok(())
    }

    /// A model in the frames of the body: a file, or one of the player's folder by its name.
    fn replace_quake2_weapon(
        &self,
        around: &Around,
        opened: &mut Opened,
        said: &Location,
        anims: Anims,
    ) -> Result<(), OpenError> {
        let beside = opened.file.as_ref().filter(|_| said.member().is_none()).and_then(|body| {
            let home = around.home(body);
            weapon_beside(&around.files, &home, &said.path().to_string_lossy())
        });
        let file = beside.unwrap_or_else(|| around.find(said).0);
        let weapon = self.open_part(around, file, Role::InHand, anims)?;
        opened.parts.retain(|part| part.opened.role != Role::InHand);
        let (name, path) = ("weapon".to_owned(), HERE.to_owned());
        opened.parts.push(Part { name, parent: 0, tag: None, path, opened: weapon });
        Ok(())
    }
}

impl Around {
    /// The weapon in a folder, called like it, or of a model file.
    fn weapon(&self, place: &Location) -> Result<Weapon, OpenError> {
        let folder = self.folder(place, crate::files::TextureSearch::default());
        let (stem, body) = match &folder {
            Some(folder) => {
                let stem = place.file_name().to_string_lossy().into_owned();
                (stem.clone(), folder.file(&self.files, &format!("{stem}.md3")))
            }
            None => {
                let file = self.find(place).0;
                (file.file_stem().to_string_lossy().into_owned(), Some(file))
            }
        };
        let body = body.ok_or_else(|| {
            RequestError::new(format!("there is no {stem}.md3 in the folder '{place}'"))
        })?;
        let home = self.home(&body);
        let dir = self.files.dir(&home.tree, &home.folder);
        let part = |(name, suffix, tag): (&'static str, &str, &'static str)| {
            let file = dir.files(&format!("{stem}{suffix}.md3")).into_iter().next()?;
            Some((name, tag, file))
        };
        Ok(Weapon { parts: OF_WEAPON.into_iter().filter_map(part).collect(), body })
    }

    /// The weapon of a hand's file.
    fn weapon_beside_hand(&self, hand: &Location, stem: &str) -> Option<Weapon> {
        let home = self.home(hand);
        let dir = self.files.dir(&home.tree, &home.folder);
        let body = dir.files(&format!("{stem}.md3")).into_iter().next()?;
        self.weapon(&body).ok()
    }
}

impl Opened {
    /// The weapons that a player can hold: those of the game, of a Quake II player those in the folder.
    #[must_use]
    pub fn weapons(&self) -> Vec<Location> {
        let Some(file) = self.file.as_ref().filter(|_| self.player.is_some()) else {
            return Vec::new();
        };
        weapons_for(self.around_files(), &self.home(file), self.role == Role::Body)
    }

    /// The number in [`Opened::parts`] of what hangs on the tag at the end of a path; the last of several.
    pub(super) fn part_at(&self, path: &str) -> Option<usize> {
        self.parts.iter().rposition(|part| part.path.eq_ignore_ascii_case(path))
    }

    /// The member and its tag at the end of a path. A tag by itself is one of the model, else of the first
    /// part of a player that has it; `.` is the place of the model itself.
    fn place_of(&self, path: &str) -> Result<(usize, Option<String>), RequestError> {
        let (members, tag) = match path.rsplit_once('/') {
            Some((above, tag)) => {
                let part = self.part_at(above).ok_or_else(|| {
                    RequestError::new(format!("nothing hangs on '{above}' to hang '{tag}' on"))
                })?;
                (vec![part + 1], tag)
            }
            None => {
                let is_own = |number: &usize| self.member(*number).role != Role::Attached;
                ((0..=self.parts.len()).filter(is_own).collect(), path)
            }
        };
        if tag == HERE {
            return Ok((members[0], None));
        }
        if let Some(&member) =
            members.iter().find(|&&number| self.member(number).model.has_tag(tag))
        {
            return Ok((member, Some(tag.to_owned())));
        }
        let models = members.iter().map(|&number| &self.member(number).model);
        let tags: Vec<&str> = models
            .flat_map(|model| {
                let joints = model.joints().map(|(name, _)| name);
                model.tag_names().iter().map(String::as_str).chain(joints)
            })
            .collect();
        let tags = if tags.is_empty() { "none".into() } else { tags.join(", ") };
        Err(RequestError::new(format!("there is no tag or joint '{tag}'; there is {tags}")))
    }
}
