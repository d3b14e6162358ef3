//! Reading a model and what belongs to it: textures, animations, palettes.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use polyset::{AssetOptions, Colormap, Format, Image, LoadOptions, Model, Palette, SkinChoice};

use super::args::{LookArgs, PoseArgs};
use super::console;
use super::info_json::AnimInfo;
use super::values::SkinArg;

/// Larger files are refused: no model comes near, and `/dev/zero` never ends.
const MAX_BYTES: u64 = 1 << 30;

/// 256 colours of three bytes.
const PALETTE_BYTES: usize = 768;

/// Where a model comes from.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl From<&OsStr> for Input {
    fn from(text: &OsStr) -> Self {
        if text == "-" { Self::Stdin } else { Self::File(text.into()) }
    }
}

impl Input {
    /// The name in messages.
    pub(crate) fn name(&self) -> &Path {
        match self {
            Self::Stdin => Path::new("standard input"),
            Self::File(path) => path,
        }
    }

    /// Where textures and animations may lie around it.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdin => None,
            Self::File(path) => Some(path),
        }
    }

    /// All bytes.
    ///
    /// # Errors
    /// If they cannot be read or are more than [`MAX_BYTES`].
    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        match self {
            Self::Stdin => all(std::io::stdin().lock()).context("cannot read the standard input"),
            Self::File(path) => file(path),
        }
    }
}

/// All bytes of a file.
///
/// # Errors
/// If it cannot be read or is larger than [`MAX_BYTES`]; the message names the file.
pub(crate) fn file(path: &Path) -> Result<Vec<u8>> {
    std::fs::File::open(path)
        .map_err(Into::into)
        .and_then(all)
        .with_context(|| format!("cannot read {}", path.display()))
}

fn all(source: impl Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        bail!("it is larger than {} MiB, no model is", MAX_BYTES >> 20);
    }
    Ok(bytes)
}

/// The model in `bytes`.
///
/// # Errors
/// If they are no model or a broken one; the message begins with the file's name.
pub(crate) fn parse(source: &Input, bytes: Vec<u8>, options: &LoadOptions) -> Result<Model> {
    Model::from_vec_with(bytes, options).with_context(|| source.name().display().to_string())
}

/// Adds the animations that the options name, and for `--animation` those beside the mesh.
///
/// # Errors
/// If a named animation cannot be read or does not fit the mesh.
pub(crate) fn add_anims(model: &mut Model, source: &Input, args: &PoseArgs) -> Result<()> {
    for path in &args.anim {
        let bytes = file(path)?;
        model
            .add_anim(&clip_name(path), &bytes)
            .with_context(|| format!("--anim {}", path.display()))?;
    }
    if args.animation.is_some() || args.animation_time.is_some() {
        add_anims_beside(model, source);
    }
    Ok(())
}

/// Adds every `.md5anim` that lies near the mesh and fits it. Returns which were found; what does
/// not fit belongs to another mesh.
pub(crate) fn add_anims_beside(model: &mut Model, source: &Input) -> Vec<AnimInfo> {
    let Some(path) = source.path().filter(|_| model.format() == Format::Md5) else {
        return Vec::new();
    };
    let add = |path: PathBuf| {
        let added = file(&path).and_then(|bytes| Ok(model.add_anim(&clip_name(&path), &bytes)?));
        AnimInfo {
            file: path.display().to_string(),
            error: added.err().map(|error| format!("{error:#}")),
        }
    };
    polyset::find_anims(path).into_iter().map(add).collect()
}

/// What the options say of skins, with the files that they name read and checked.
///
/// # Errors
/// If the palette cannot be read.
pub(crate) fn asset_options(args: &LookArgs, time: f64) -> Result<AssetOptions> {
    let mut options = AssetOptions {
        texture_roots: args.texture_root.clone(),
        time,
        palette: args.palette.as_deref().map(palette).transpose()?,
        ..AssetOptions::default()
    };
    for skin in &args.skin {
        match skin {
            SkinArg::Number(number) => options.skin = SkinChoice::Number(*number),
            SkinArg::File(file) => options.skin = SkinChoice::File(file.into()),
            SkinArg::Surface { whole, .. } if Path::new(whole).exists() => {
                options.skin = SkinChoice::File(whole.into());
            }
            SkinArg::Surface { surface, file, .. } => {
                options.surface_files.push((surface.to_string_lossy().into_owned(), file.into()));
            }
        }
    }
    Ok(options)
}

/// Puts the skins on and says what is missing.
///
/// # Errors
/// If an option does not fit the model or names a file that cannot be used.
pub(crate) fn dress(model: &mut Model, source: &Input, options: &AssetOptions) -> Result<()> {
    let report = polyset::find_textures(model, source.path(), options).context("--skin")?;
    for text in &report.warnings {
        console::warning(format_args!("{}: {text}", source.name().display()));
    }
    Ok(())
}

/// A palette: 768 bytes as in Quake's `palette.lmp`, or that of a picture.
///
/// # Errors
/// If the file cannot be read or holds no palette.
pub(crate) fn palette(path: &Path) -> Result<Arc<Palette>> {
    let bytes = file(path)?;
    let flag = || format!("--palette {}", path.display());
    if bytes.len() == PALETTE_BYTES {
        return Ok(Arc::new(Palette::from_lmp(&bytes).with_context(flag)?));
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let of_picture =
        Image::from_bytes(&bytes, &extension).ok().and_then(|image| image.palette().cloned());
    of_picture
        .with_context(|| {
            format!("expected {PALETTE_BYTES} bytes or a PCX picture, found {} bytes", bytes.len())
        })
        .with_context(flag)
}

/// A colormap of 64 rows.
///
/// # Errors
/// If the file cannot be read or has another size.
pub(crate) fn colormap(path: &Path) -> Result<Arc<Colormap>> {
    let bytes = file(path)?;
    let colormap = Colormap::from_lmp(&bytes);
    Ok(Arc::new(colormap.with_context(|| format!("--colormap {}", path.display()))?))
}

fn clip_name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
