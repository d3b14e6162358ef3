//! What a model file, a player or a place holds, where textures were looked for, and every warning.

mod shape;

pub use shape::{
    AnimInfo, Axes, Bounds, ClipInfo, DrivenInfo, Info, JointInfo, ModelList, PartInfo, PlayerInfo,
    ScriptInfo, SkinInfo, SurfaceInfo, TagInfo, TextureInfo, VERSION, WarningInfo,
};

use serde::Serialize;
use shape::texts;

use crate::assets::TextureEntry;
use crate::error::{OpenError, Place, Warning};
use crate::model::{Blend, Model, Skin, Surface};
use crate::scene::{Anims, DrivenClip, Models, Opened, Scene};

/// What is known of what a scene names as its input.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Known {
    /// A model file.
    Model(Box<Info>),
    /// A player's folder.
    Player(PlayerInfo),
    /// A folder, an archive or a game.
    List(ModelList),
}

impl Known {
    /// Reads what the scene names, whatever it is.
    ///
    /// # Errors
    /// If it cannot be read or is no model.
    pub fn of(scene: &Scene) -> Result<Self, OpenError> {
        if scene.is_player()? {
            return Ok(Self::Player(player(scene)?));
        }
        Ok(match scene.models()? {
            Some(models) => Self::List(list(scene.source.input.name(), models)),
            None => {
                let opened = scene.open_with(Anims::All)?;
                Self::Model(Box::new(info(scene, &opened)))
            }
        })
    }

    /// Lists the models of the scene's game, whatever its input.
    ///
    /// # Errors
    /// If there is no such game.
    pub fn of_game(scene: &Scene) -> Result<Self, OpenError> {
        let game = scene.source.game.as_ref();
        let place = game.map(|game| game.display().to_string()).unwrap_or_default();
        Ok(Self::List(list(place, scene.game_models()?)))
    }

    /// The JSON that `polyset info --json` prints.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data is JSON");
        text.push('\n');
        text
    }
}

fn list(place: String, models: Models) -> ModelList {
    ModelList {
        polyset_info: VERSION,
        place,
        models: texts(&models.files),
        players: models.players.iter().map(|player| player.place.to_string()).collect(),
        warnings: models.warnings,
    }
}

/// What a player is made of, in the moment that is drawn without options.
fn player(scene: &Scene) -> Result<PlayerInfo, OpenError> {
    let opened = scene.open_with(Anims::All)?;
    let assembly = opened.assembly(scene)?;
    let hangs = opened.parts.iter().map(|part| (Some(part.parent), part.tag.clone()));
    let hangs = std::iter::once((None, None)).chain(hangs);
    let part = |(number, ((name, member), (parent, tag))): (usize, ((&str, &Opened), _))| {
        let tags = assembly.pose(number).map(|pose| pose.tags().map(TagInfo::from).collect());
        let stands = assembly.transform(number).unwrap_or_default();
        PartInfo {
            name: name.to_owned(),
            parent,
            tag,
            stands: Axes { origin: stands.origin(), axes: stands.axes() },
            tags: tags.unwrap_or_default(),
            info: info(scene, member),
        }
    };
    let parts = opened.members().zip(hangs).enumerate().map(part).collect();
    let clip = |driven: &DrivenClip<'_>| DrivenInfo {
        clip: ClipInfo::from(driven.clip),
        parts: driven.parts.iter().map(ToString::to_string).collect(),
    };
    Ok(PlayerInfo {
        polyset_info: VERSION,
        player: opened.name(),
        clips: opened.clips().iter().map(clip).collect(),
        skins: opened.skins(scene).into_iter().map(|(_, name)| name).collect(),
        parts,
        warnings: opened.warnings.clone(),
    })
}

fn info(scene: &Scene, opened: &Opened) -> Info {
    let file = &opened.file.as_ref().map_or_else(|| opened.name(), ToString::to_string);
    let Opened { model, anims, textures, size, .. } = opened;
    let mut warnings: Vec<WarningInfo> = model
        .warnings()
        .iter()
        .chain(&model.check_frames(0..model.frame_count()))
        .map(|w| warning(file, w))
        .collect();
    warnings.extend(textures.warnings.iter().map(|message| WarningInfo {
        file: file.clone(),
        part: "textures".into(),
        offset: None,
        line: None,
        message: message.clone(),
    }));
    Info {
        polyset_info: VERSION,
        file: file.clone(),
        shadowed: texts(&opened.shadowed),
        sources: opened.sources.iter().map(|path| path.display().to_string()).collect(),
        bytes: *size,
        format: model.format().extension(),
        name: Some(model.name().to_owned()).filter(|name| !name.is_empty()),
        counts: model.counts(),
        bounds: bounds(model),
        surfaces: surfaces(model),
        skins: skins(model, opened.offered_textures(scene)),
        clips: clips(model),
        frames: (0..model.frame_count()).map(|frame| model.frame_name(frame).to_owned()).collect(),
        tags: tags(model),
        joints: model
            .joints()
            .map(|(name, parent)| JointInfo { name: name.to_owned(), parent })
            .collect(),
        anims: anims
            .iter()
            .map(|anim| AnimInfo { file: anim.file.to_string(), error: anim.error.clone() })
            .collect(),
        textures: {
            let decisions = opened.decisions(scene);
            let entries = textures.textures.iter().cloned();
            entries.map(|entry| TextureInfo::new(entry, &decisions)).collect()
        },
        skin_file: textures.skin_file.as_ref().map(ToString::to_string),
        skin_files: texts(&opened.skin_files(scene)),
        warnings,
    }
}

/// Of the first frame; of the bind pose whatever animations were found, as no animation has that number.
fn bounds(model: &Model) -> Bounds {
    let [min, max] = model.pose_blend(Blend { anim: usize::MAX, ..Blend::frame(0) }).bounds();
    Bounds { min, max }
}

fn surfaces(model: &Model) -> Vec<SurfaceInfo> {
    let info = |surface: &Surface| SurfaceInfo {
        name: surface.name().to_owned(),
        shaders: surface.shaders().to_vec(),
        vertices: surface.vertex_count(),
        triangles: surface.triangles().len(),
    };
    model.surfaces().iter().map(info).collect()
}

/// `offered` begins with one entry per skin.
fn skins(model: &Model, offered: impl Iterator<Item = TextureEntry>) -> Vec<SkinInfo> {
    let info = |((number, skin), entry): ((usize, &Skin), TextureEntry)| SkinInfo {
        name: Some(skin.name().to_owned()).filter(|name| !name.is_empty()),
        size: model.skin_image(number, 0.0).map(|image| [image.width(), image.height()]),
        pictures: model.skin_picture_count(number),
        found: entry.found.as_ref().map(ToString::to_string),
    };
    model.skins().iter().enumerate().zip(offered).map(info).collect()
}

fn clips(model: &Model) -> Vec<ClipInfo> {
    model.clips().iter().map(ClipInfo::from).collect()
}

fn tags(model: &Model) -> Vec<TagInfo> {
    model.pose_blend(Blend::frame(0)).tags().map(TagInfo::from).collect()
}

fn warning(file: &str, warning: &Warning) -> WarningInfo {
    let (offset, line) = match warning.place {
        Place::Offset(offset) => (Some(offset), None),
        Place::Line(line) => (None, Some(line)),
        Place::File => (None, None),
    };
    WarningInfo {
        file: file.to_owned(),
        part: warning.part.clone(),
        offset,
        line,
        message: warning.message.clone(),
    }
}
