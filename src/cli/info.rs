//! `polyset info`: what a model file holds, where its textures were looked for, every warning.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use polyset::{AssetOptions, Blend, Format, LoadOptions, Model, Place, TextureEntry, Warning};

use super::args::InputArgs;
use super::info_json::{
    Bounds, ClipInfo, Counts, Info, JointInfo, SkinInfo, SurfaceInfo, TagInfo, TextureInfo,
    VERSION, WarningInfo,
};
use super::info_text;
use super::input::{self, Input};
use super::output;

/// What was typed after `polyset info`.
#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Print JSON; its shape is described in docs/info-json.md
    #[arg(long)]
    json: bool,

    /// List the names of all frames too (JSON always does)
    #[arg(long)]
    frames: bool,

    /// A folder that texture names are relative to; may be given several times
    #[arg(long, value_name = "DIR")]
    texture_root: Vec<PathBuf>,
}

/// Reads the model and prints what it holds.
///
/// # Errors
/// If the file cannot be read or is no model.
pub(crate) fn run(args: &InfoArgs) -> Result<()> {
    let source = Input::from(args.input.input.as_os_str());
    let info = gather(&source, &args.texture_root)?;
    let text = if args.json {
        let mut text = serde_json::to_string_pretty(&info)?;
        text.push('\n');
        text
    } else {
        info_text::print(&info, args.frames)
    };
    output::stdout(text.as_bytes())
}

fn gather(source: &Input, texture_roots: &[PathBuf]) -> Result<Info> {
    let bytes = source.read()?;
    let size = bytes.len() as u64;
    let mut model = input::parse(source, bytes, &LoadOptions::default())?;
    let bounds = bounds(&model);
    let anims = input::add_anims_beside(&mut model, source);
    let assets = AssetOptions { texture_roots: texture_roots.to_vec(), ..AssetOptions::default() };
    let offered = polyset::list_skins(&model, source.path(), &assets);
    let report = polyset::find_textures(&mut model, source.path(), &assets)?;

    let mut warnings: Vec<WarningInfo> = model
        .warnings()
        .iter()
        .chain(&model.check_frames(0..model.frame_count()))
        .map(|w| warning(source, w))
        .collect();
    warnings.extend(report.warnings.into_iter().map(|message| WarningInfo {
        file: source.name().display().to_string(),
        part: "textures".into(),
        offset: None,
        line: None,
        message,
    }));
    Ok(Info {
        polyset_info: VERSION,
        file: source.name().display().to_string(),
        bytes: size,
        format: model.format().extension(),
        name: Some(model.name().to_owned()).filter(|name| !name.is_empty()),
        counts: counts(&model),
        bounds,
        surfaces: surfaces(&model),
        skins: skins(&model, &offered),
        clips: clips(&model),
        frames: (0..model.frame_count()).map(|frame| model.frame_name(frame).to_owned()).collect(),
        tags: tags(&model),
        joints: model
            .joints()
            .map(|joint| JointInfo { name: joint.name.to_owned(), parent: joint.parent })
            .collect(),
        anims,
        textures: report.textures.into_iter().map(TextureInfo::from).collect(),
        skin_file: report.skin_file.map(|path| path.display().to_string()),
        skin_files: skin_files(&model, source),
        warnings,
    })
}

fn counts(model: &Model) -> Counts {
    Counts {
        surfaces: model.surfaces().len(),
        vertices: model.surfaces().iter().map(polyset::Surface::vertex_count).sum(),
        triangles: model.triangle_count(),
        frames: model.frame_count(),
        clips: model.clips().len(),
        skins: model.skins().len(),
        tags: model.tag_names().len(),
        joints: model.joints().count(),
    }
}

fn bounds(model: &Model) -> Bounds {
    let [min, max] = model.pose_blend(Blend::frame(0)).bounds();
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
fn skins(model: &Model, offered: &[TextureEntry]) -> Vec<SkinInfo> {
    let info = |((number, skin), entry): ((usize, &polyset::Skin), &TextureEntry)| SkinInfo {
        name: Some(skin.name().to_owned()).filter(|name| !name.is_empty()),
        size: model.skin_image(number, 0.0).map(|image| [image.width(), image.height()]),
        pictures: model.skin_picture_count(number),
        found: entry.found.as_ref().map(|path| path.display().to_string()),
    };
    model.skins().iter().enumerate().zip(offered).map(info).collect()
}

fn skin_files(model: &Model, source: &Input) -> Vec<String> {
    let path = source.path().filter(|_| model.format() == Format::Md3);
    let files = path.map(polyset::skin_files).unwrap_or_default();
    files.into_iter().map(|path| path.display().to_string()).collect()
}

fn clips(model: &Model) -> Vec<ClipInfo> {
    let info = |clip: &polyset::Clip| ClipInfo {
        name: clip.name().to_owned(),
        first_frame: clip.frames().start,
        frames: clip.frames().len(),
        seconds: clip.duration(),
    };
    model.clips().iter().map(info).collect()
}

fn tags(model: &Model) -> Vec<TagInfo> {
    let pose = model.pose_blend(Blend::frame(0));
    let named = model.tag_names().iter().zip(pose.tags());
    named.map(|(name, tag)| TagInfo { name: name.clone(), origin: tag.origin }).collect()
}

fn warning(source: &Input, warning: &Warning) -> WarningInfo {
    let (offset, line) = match warning.place {
        Place::Offset(offset) => (Some(offset), None),
        Place::Line(line) => (None, Some(line)),
        Place::File => (None, None),
    };
    WarningInfo {
        file: source.name().display().to_string(),
        part: warning.part.clone(),
        offset,
        line,
        message: warning.message.clone(),
    }
}
