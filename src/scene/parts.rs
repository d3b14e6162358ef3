//! Pictures of several models: the parts of a player, opened one by one and put together on their tags.

use std::collections::BTreeSet;

use super::assembly::Assembly;
use super::attachments::FLASH;
use super::input::Around;
use super::open::add_anim;
use super::{Anims, Moment, OnTag, Opened, RendererKind, Scene, Skin};
use crate::assets::{BodyPart, Player};
use crate::error::{OpenError, RequestError};
use crate::location::Location;
use crate::model::{Blend, Format, Model};
use crate::pose::Pose;
use crate::transform::Transform;

/// A model beside the first one of a picture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part {
    /// What it is called: `upper`, `head`, `weapon`, or the tags by which it was attached.
    pub name: String,
    /// What it hangs on: 0 is the picture's first model, 1 the first of [`Opened::parts`].
    pub parent: usize,
    /// The tag that it hangs on; `None` if it stands where its parent does.
    pub tag: Option<String>,
    /// How [`super::OnTag`] names it.
    pub path: String,
    /// The model with its own textures and warnings.
    pub opened: Opened,
}

/// What a model is in its picture: which clips, frames and skins of the scene are meant for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    #[default]
    Alone,
    Lower,
    Upper,
    Head,
    /// Of a Quake II player.
    Body,
    /// The weapon of a Quake II player, in the same frames.
    InHand,
    /// On a tag because the scene says so.
    Attached,
}

impl Role {
    fn of(part: BodyPart) -> Self {
        match part {
            BodyPart::Lower => Self::Lower,
            BodyPart::Upper => Self::Upper,
            BodyPart::Head => Self::Head,
        }
    }

    pub(super) fn is_of_quake3_player(self) -> bool {
        matches!(self, Self::Lower | Self::Upper | Self::Head)
    }

    /// The tag of the part before it.
    fn tag(self) -> Option<&'static str> {
        match self {
            Self::Upper => Some("tag_torso"),
            Self::Head => Some("tag_head"),
            _ => None,
        }
    }
}

impl Part {
    /// Whether it moves with the model that it stands in the place of, unless that has more frames.
    pub(super) fn stands_in(&self, scene: &Scene) -> bool {
        let is_attached = self.opened.role == Role::Attached && self.tag.is_none();
        is_attached && !scene.says_moment_of(&self.path)
    }
}

impl<T> OnTag<T> {
    pub(super) fn is_of(&self, path: &str) -> bool {
        self.tag.eq_ignore_ascii_case(path)
    }
}

impl Scene {
    /// Opens the parts of a player. Those that cannot be read are warnings as long as one can.
    ///
    /// # Errors
    /// If none can be read.
    pub(super) fn open_player(
        &self,
        around: &Around,
        player: &Player,
        anims: Anims,
    ) -> Result<Opened, OpenError> {
        let mut warnings = Vec::new();
        let wanted: Vec<(Role, &'static str, Location)> = match player {
            Player::Quake3(parts) => {
                let missing = BodyPart::ALL.into_iter().filter(|part| {
                    let is_part = |(found, _): &(BodyPart, Location)| found == part;
                    !parts.iter().any(is_part)
                });
                warnings.extend(
                    missing
                        .map(|part| format!("there is no {}.md3; drawn without one", part.stem())),
                );
                let wanted = |(part, file): &(BodyPart, Location)| {
                    (Role::of(*part), part.stem(), file.clone())
                };
                parts.iter().map(wanted).collect()
            }
            Player::Quake2 { body, weapon } => {
                let weapon = weapon.iter().map(|file| (Role::InHand, "weapon", file.clone()));
                std::iter::once((Role::Body, "body", body.clone())).chain(weapon).collect()
            }
        };
        let mut first_error = None;
        let mut opened: Option<Opened> = None;
        for (role, name, file) in wanted {
            let part = match self.open_part(around, file, role, anims) {
                Ok(part) => part,
                Err(error) => {
                    warnings.push(format!("{error}; drawn without it"));
                    first_error.get_or_insert(error);
                    continue;
                }
            };
            match &mut opened {
                None => opened = Some(part),
                Some(first) => first.add_part(name, role.tag(), part),
            }
        }
        let Some(mut opened) = opened else {
            return Err(first_error.expect("a player has a file"));
        };
        opened.warnings.extend(warnings);
        opened.player = around.file.clone();
        Ok(opened)
    }

    /// A model of a picture of several, not yet dressed.
    pub(super) fn open_part(
        &self,
        around: &Around,
        file: Location,
        role: Role,
        anims: Anims,
    ) -> Result<Opened, OpenError> {
        let around =
            Around { file: Some(file), shadowed: Vec::new(), player: None, ..around.clone() };
        let bytes = Self::read_input(&around)?;
        let mut scene = self.clone();
        let shared = std::mem::take(&mut scene.source.anims);
        let mut opened = scene.open_alone(around, bytes, anims)?;
        opened.role = role;
        if opened.model.format() == Format::Md5 {
            opened.share_anims(&shared);
        }
        Ok(opened)
    }

    /// # Errors
    /// If something is said that is for a picture of another kind.
    pub(super) fn check_parts(&self, opened: &Opened) -> Result<(), RequestError> {
        if self.renderer == RendererKind::Classic {
            opened.check_single()?;
        }
        let is_player = opened.role.is_of_quake3_player();
        let of_players = [
            ("--legs", self.moment.legs.is_some()),
            ("--torso", self.moment.torso.is_some()),
            ("--torso-angles", self.placement.torso_angles.is_some()),
            ("--head-angles", self.placement.head_angles.is_some()),
        ];
        if let Some((option, _)) = of_players.iter().find(|(_, is_said)| *is_said && !is_player) {
            return Err(RequestError::new(format!(
                "{option} is for players of Quake III: name the folder of lower.md3 and upper.md3"
            )));
        }
        Ok(())
    }

    /// Of a player, whose parts have no joints: what hangs on it may play the animations that were given.
    ///
    /// # Errors
    /// If they fit nothing in the picture.
    pub(super) fn check_anims(&self, opened: &Opened) -> Result<(), OpenError> {
        if self.source.anims.is_empty() {
            return Ok(());
        }
        let is_mesh = |member: &&Opened| member.model.format() == Format::Md5;
        let mesh = opened.members().map(|(_, member)| member).find(is_mesh).unwrap_or(opened);
        // The mesh has left aside what does not fit.
        let mut model = mesh.model.clone();
        for anim in &self.source.anims {
            add_anim(&mut model, opened.around_files(), &opened.find(anim))
                .map_err(|error| error.of_option("--anim"))?;
        }
        Ok(())
    }

    /// The scene as a part of its picture sees it: whose skins they are. `path` is that of what hangs on
    /// tags.
    fn of_role(&self, role: Role, path: &str, model: &Model) -> Self {
        let mut scene = self.clone();
        let has = |surface: &std::ffi::OsStr| {
            model.surfaces().iter().any(|own| surface.eq_ignore_ascii_case(own.name()))
        };
        scene.source.skins.retain(|skin| match skin {
            _ if matches!(role, Role::InHand | Role::Attached) => false,
            Skin::Surface { surface, .. } => has(surface),
            _ => true,
        });
        let own = self.source.attached_skins.iter().filter(|said| said.is_of(path));
        scene.source.skins.extend(own.map(|said| said.value.clone()));
        scene
    }
}

impl Opened {
    /// Hangs a part on the last one. Without its tag it stands where that does, as in the games.
    fn add_part(&mut self, name: &str, tag: Option<&str>, opened: Opened) {
        let parent = self.parts.len();
        let above = self.member(parent);
        let has_tag = |tag: &str| above.model.has_tag(tag);
        let missing = tag.filter(|tag| !has_tag(tag)).map(|tag| {
            format!("{} has no {tag} for the {name}; it stands at the origin", above.name())
        });
        self.warnings.extend(missing);
        let tag = tag.map(str::to_owned);
        let path = tag.clone().unwrap_or_else(|| ".".into());
        self.parts.push(Part { name: name.to_owned(), parent, tag, path, opened });
    }

    /// The model of this number: 0 is the first, then come the parts.
    pub(super) fn member(&self, number: usize) -> &Self {
        number.checked_sub(1).map_or(self, |part| &self.parts[part].opened)
    }

    /// All models of the picture with their names, this one first.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Self)> {
        let own = match self.role {
            Role::Alone | Role::Attached => "",
            Role::Lower => BodyPart::Lower.stem(),
            Role::Upper => BodyPart::Upper.stem(),
            Role::Head => BodyPart::Head.stem(),
            Role::Body | Role::InHand => "body",
        };
        let parts = self.parts.iter().map(|part| (part.name.as_str(), &part.opened));
        std::iter::once((own, self)).chain(parts)
    }

    /// Triangles of all models together.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.members().map(|(_, member)| member.model.triangle_count()).sum()
    }

    /// The models of the scene's moment, each where it stands.
    ///
    /// # Errors
    /// If a frame or an animation does not exist.
    pub fn assembly(&self, scene: &Scene) -> Result<Assembly<'_>, RequestError> {
        self.assemble(scene, Vec::new())
    }

    /// [`Opened::assembly`] with buffers for the poses.
    pub(super) fn assemble(
        &self,
        scene: &Scene,
        poses: Vec<Pose>,
    ) -> Result<Assembly<'_>, RequestError> {
        let blends = self.blends(scene)?;
        let mut assembly = Assembly::reusing(poses);
        let [legs, torso, head] = self.turns(scene);
        let stands = scene.transform(self.model.format()) * legs;
        let stands = if legs.is_identity() { scene.transform(self.model.format()) } else { stands };
        assembly.place(&self.model, blends[0], self.kept_in_place(scene, blends[0], stands));
        assembly.set_look(0, scene.look(self.model.format()));
        let fires = self.fires(scene);
        for (Part { name, parent, tag, opened, .. }, &blend) in self.parts.iter().zip(&blends[1..])
        {
            let turn = match opened.role {
                Role::Upper => torso,
                Role::Head => head,
                _ => Transform::IDENTITY,
            };
            let on_tag = tag
                .as_deref()
                .and_then(|tag| assembly.attach(*parent, tag, &opened.model, blend, turn));
            let member = on_tag.unwrap_or_else(|| {
                let stands = assembly.transform(*parent).unwrap_or_default();
                assembly.place(&opened.model, blend, stands)
            });
            assembly.set_look(member, scene.look(opened.model.format()));
            if name == FLASH && !fires {
                assembly.hide(member);
            }
        }
        Ok(assembly)
    }

    /// Turns of legs, torso and head. A player with fixed legs turns them with the torso, one with a
    /// fixed torso does not nod.
    fn turns(&self, scene: &Scene) -> [Transform; 3] {
        let [mut pitch, mut yaw] = scene.placement.torso_angles.unwrap_or_default();
        let mut legs = 0.0;
        if self.habits.fixed_torso {
            pitch = 0.0;
        }
        if self.habits.fixed_legs {
            std::mem::swap(&mut legs, &mut yaw);
        }
        let [nod, shake] = scene.placement.head_angles.unwrap_or_default();
        [[0.0, legs, 0.0], [pitch, yaw, 0.0], [nod, shake, 0.0]].map(|angles| match angles {
            [0.0, 0.0, 0.0] => Transform::IDENTITY,
            angles => Transform::angles(angles),
        })
    }

    /// Moved back by what the root of the skeleton has moved away, if the scene wants that.
    fn kept_in_place(&self, scene: &Scene, blend: Blend, stands: Transform) -> Transform {
        if !scene.moment.in_place {
            return stands;
        }
        let [x, y] = self.model.root_shift(blend);
        stands * Transform::translation([-x, -y, 0.0])
    }

    /// Whether the flash at the muzzle is seen: while the torso attacks.
    fn fires(&self, scene: &Scene) -> bool {
        let Moment { animation, torso, .. } = &scene.moment;
        let wanted = torso.as_ref().or(animation.as_ref());
        let clip = wanted.and_then(|wanted| self.clip(wanted).ok());
        clip.is_some_and(|clip| clip.name().starts_with("TORSO_ATTACK"))
    }

    /// # Errors
    /// If there are several models: the classic renderer draws one.
    pub(super) fn check_single(&self) -> Result<(), RequestError> {
        if self.parts.is_empty() {
            return Ok(());
        }
        Err(RequestError::new(
            "--renderer classic draws a single model; name one of the files, or leave it out",
        ))
    }

    pub(super) fn is_quake3_player(&self) -> bool {
        self.player.is_some() && self.role.is_of_quake3_player()
    }

    /// The names of a player's skins: `red` where a part has `lower_red.skin`. The default one is the
    /// first.
    pub(super) fn player_skins(&self, scene: &Scene) -> Vec<(Skin, String)> {
        let name = |file: &Location| {
            let stem = file.file_stem().to_string_lossy().into_owned();
            stem.split_once('_').map(|(_, name)| name.to_owned())
        };
        let files = self.members().flat_map(|(_, member)| member.skin_files(scene));
        let mut names: BTreeSet<String> = files.filter_map(|file| name(&file)).collect();
        let default = names.take("default");
        let names = default.into_iter().chain(names);
        names.map(|name| (Skin::File(Location::on_disk(&name)), name)).collect()
    }

    /// Puts on what the scene says of skins. Of the parts of a player one may lack a skin that another
    /// has.
    ///
    /// # Errors
    /// If it fits none of the models.
    pub fn dress(&mut self, scene: &Scene) -> Result<(), OpenError> {
        if self.parts.is_empty() && self.role == Role::Alone {
            return self.dress_alone(scene);
        }
        self.check_surfaces(scene)?;
        let (mut worn, mut refused) = (0, Vec::new());
        for number in 0..=self.parts.len() {
            let (member, path) = match number.checked_sub(1) {
                None => (&mut *self, ""),
                Some(part) => {
                    let Part { opened, path, .. } = &mut self.parts[part];
                    (opened, path.as_str())
                }
            };
            let role = member.role;
            let mut own = scene.of_role(role, path, &member.model);
            if !role.is_of_quake3_player() {
                member.dress_alone(&own)?;
                continue;
            }
            let says = !own.source.skins.is_empty();
            let Err(error) = member.dress_alone(&own) else {
                worn += usize::from(says);
                continue;
            };
            own.source.skins.clear();
            member.dress_alone(&own)?;
            member.textures.warnings.push(format!("{error}; drawn with the default skin"));
            refused.push(error);
        }
        match refused.into_iter().next().filter(|_| worn == 0) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// # Errors
    /// If a skin is for a surface that no part has.
    fn check_surfaces(&self, scene: &Scene) -> Result<(), OpenError> {
        let surfaces = || self.members().flat_map(|(_, member)| member.model.surfaces());
        for skin in &scene.source.skins {
            let Skin::Surface { surface, .. } = skin else { continue };
            if !surfaces().any(|own| surface.eq_ignore_ascii_case(own.name())) {
                let names: Vec<String> =
                    surfaces().map(|own| format!("'{}'", own.name())).collect();
                let (surface, names) = (surface.display(), names.join(", "));
                let message = format!("there is no surface '{surface}'; the models have {names}");
                return Err(OpenError::from(RequestError::new(message)).of_option("--skin"));
            }
        }
        Ok(())
    }
}
