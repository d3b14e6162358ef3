//! `polyset info`: what a model file holds, where its textures were looked for, every warning.

use anyhow::Result;
use clap::ArgMatches;
use polyset::scene::options::Command;
use polyset::scene::{Anims, DrivenClip, Opened};
use polyset::{Blend, Location, Model, OpenError, Place, Scene, TextureEntry, Warning};

use super::arguments::{self, Given, INPUT};
use super::console;
use super::info_json::{
    AnimInfo, Axes, Bounds, ClipInfo, DrivenInfo, Info, JointInfo, ModelList, PartInfo, PlayerInfo,
    SkinInfo, SurfaceInfo, TagInfo, TextureInfo, VERSION, WarningInfo, texts,
};
use super::info_player;
use super::info_text;
use super::output;

pub(crate) fn command() -> clap::Command {
    let about =
        "Tell what a model file holds, where its textures were looked for, and every warning";
    let input = arguments::input().required(false).required_unless_present("game").help(
        "The model, or a folder or an archive whose models are listed; with --game a name in it, all \
         of its models if none is given; `-` is the standard input",
    );
    arguments::subcommand("info", Command::Info, about).arg(input)
}

/// Reads the model and prints what it holds, or lists the models of a place.
///
/// # Errors
/// If the file cannot be read or is no model.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let given = Given::new(Command::Info, matches)?;
    let scene = given.scene(given.value(INPUT).unwrap_or_default());
    if given.has("textconv") {
        return textconv(&scene);
    }
    if given.value(INPUT).is_some() && scene.is_player()? {
        let player = player(&scene)?;
        let is_json = given.has("json");
        let text = if is_json { json(&player)? } else { info_player::print(&player) };
        return output::stdout(text.as_bytes());
    }
    let models = match given.value(INPUT) {
        Some(_) => scene.models()?,
        None => Some(scene.game_models()?),
    };
    let text = match (models, given.has("json")) {
        (Some(models), is_json) => {
            let place = match (given.value(INPUT), &scene.source.game) {
                (None, Some(game)) => game.display().to_string(),
                _ => scene.source.input.name(),
            };
            for warning in &models.warnings {
                console::warning(warning);
            }
            let list = ModelList {
                polyset_info: VERSION,
                place,
                models: texts(&models.files),
                players: models.players.iter().map(|player| player.place.to_string()).collect(),
                warnings: models.warnings,
            };
            if is_json { json(&list)? } else { info_text::list(&list) }
        }
        (None, true) => json(&gather(&scene)?)?,
        (None, false) => info_text::print(&gather(&scene)?, given.has("frames")),
    };
    output::stdout(text.as_bytes())
}

/// The bytes alone decide: what lies around the model is another one's history.
fn textconv(scene: &Scene) -> Result<()> {
    let file = scene.source.input.file().cloned();
    let file = file.unwrap_or_else(|| Location::from("-"));
    let model =
        Model::from_vec(scene.read()?).map_err(|source| OpenError::Load { file, source })?;
    output::stdout(polyset::diff::describe(&model).as_bytes())
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(text)
}

fn gather(scene: &Scene) -> Result<Info> {
    let opened = scene.open_with(Anims::All)?;
    Ok(info(scene, &opened))
}

/// What a player is made of, in the moment that is drawn without options.
fn player(scene: &Scene) -> Result<PlayerInfo> {
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
    let info = |surface: &polyset::Surface| SurfaceInfo {
        name: surface.name().to_owned(),
        shaders: surface.shaders().to_vec(),
        vertices: surface.vertex_count(),
        triangles: surface.triangles().len(),
    };
    model.surfaces().iter().map(info).collect()
}

/// `offered` begins with one entry per skin.
fn skins(model: &Model, offered: impl Iterator<Item = TextureEntry>) -> Vec<SkinInfo> {
    let info = |((number, skin), entry): ((usize, &polyset::Skin), TextureEntry)| SkinInfo {
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
