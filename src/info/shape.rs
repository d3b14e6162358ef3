//! What is known of models, as plain data that is JSON as it stands (docs/info-json.md).

use serde::{Serialize, Serializer};

use crate::assets::{Origin, TextureEntry};
use crate::location::Location;
use crate::model::{Clip, Counts};
use crate::scene::SurfaceDecision;
use crate::transform::Transform;

/// The version of this shape: raised when a field changes its meaning or goes away.
pub const VERSION: u32 = 1;

/// Everything about one model file.
#[derive(Debug, Serialize)]
pub struct Info {
    /// [`VERSION`].
    pub polyset_info: u32,
    /// Where it lies, as commands take it.
    pub file: String,
    /// Files of the same name in the game that lost.
    pub shadowed: Vec<String>,
    /// What names from the game's root are looked up in, the winner first.
    pub sources: Vec<String>,
    /// Size of the file.
    pub bytes: u64,
    /// "mdl", "md2", "md3", "md5mesh".
    pub format: &'static str,
    /// The name inside the file.
    pub name: Option<String>,
    /// How many there are of what.
    pub counts: Counts,
    /// Of all surfaces in the first frame or the bind pose.
    pub bounds: Bounds,
    /// In the order of the file.
    pub surfaces: Vec<SurfaceInfo>,
    /// Those that the file names or holds.
    pub skins: Vec<SkinInfo>,
    /// The animations.
    pub clips: Vec<ClipInfo>,
    /// Names of all frames; empty where the format has none.
    pub frames: Vec<String>,
    /// In the first frame.
    pub tags: Vec<TagInfo>,
    /// Of an `.md5mesh`.
    pub joints: Vec<JointInfo>,
    /// The animations that were found near an .md5mesh.
    pub anims: Vec<AnimInfo>,
    /// How the texture of every surface was looked for.
    pub textures: Vec<TextureInfo>,
    /// The .skin file that decided about the textures, if one did.
    pub skin_file: Option<String>,
    /// The .skin files that belong to an .md3.
    pub skin_files: Vec<String>,
    /// Defects that did not stop the reading.
    pub warnings: Vec<WarningInfo>,
}

/// The models in a folder, an archive or a game.
#[derive(Debug, Serialize)]
pub struct ModelList {
    /// [`VERSION`].
    pub polyset_info: u32,
    /// The folder, the archive or the game.
    pub place: String,
    /// As commands take them.
    pub models: Vec<String>,
    /// Folders that are a player, whose parts are among the models.
    pub players: Vec<String>,
    /// What is odd about archives.
    pub warnings: Vec<String>,
}

/// A box around a model, in model units.
#[derive(Debug, Serialize)]
pub struct Bounds {
    /// The least coordinates.
    pub min: [f32; 3],
    /// The greatest coordinates.
    pub max: [f32; 3],
}

/// A surface.
#[derive(Debug, Serialize)]
pub struct SurfaceInfo {
    /// Its name.
    pub name: String,
    /// The names of textures, shader scripts or materials.
    pub shaders: Vec<String>,
    /// How many vertices it has.
    pub vertices: usize,
    /// How many triangles it has.
    pub triangles: usize,
}

/// A skin of the file.
#[derive(Debug, Serialize)]
pub struct SkinInfo {
    /// The path that the file gives, `None` for a picture inside the file.
    pub name: Option<String>,
    /// Of a picture inside the file: width and height in texels.
    pub size: Option<[u32; 2]>,
    /// Pictures inside the file: more than 1 for a group, 0 for a file of its own.
    pub pictures: usize,
    /// The file that would be drawn.
    pub found: Option<String>,
}

/// An animation.
#[derive(Debug, Serialize)]
pub struct ClipInfo {
    /// Its name.
    pub name: String,
    /// In file order, from 0.
    pub first_frame: usize,
    /// How many frames it has.
    pub frames: usize,
    /// Until it repeats; 0 for a single frame.
    pub seconds: f32,
}

impl From<&Clip> for ClipInfo {
    fn from(clip: &Clip) -> Self {
        Self {
            name: clip.name().to_owned(),
            first_frame: clip.frames().start,
            frames: clip.frames().len(),
            seconds: clip.duration(),
        }
    }
}

/// In the first frame, of a player's part in the one that is shown.
#[derive(Debug, Serialize)]
pub struct TagInfo {
    /// Its name.
    pub name: String,
    /// Where it is.
    #[serde(flatten)]
    pub place: Axes,
}

impl From<(&str, Transform)> for TagInfo {
    fn from((name, tag): (&str, Transform)) -> Self {
        let place = Axes { origin: tag.origin(), axes: tag.axes() };
        Self { name: name.to_owned(), place }
    }
}

/// A position, and where forward, left and up point.
#[derive(Debug, Serialize)]
pub struct Axes {
    /// The position.
    pub origin: [f32; 3],
    /// Forward, left, up.
    pub axes: [[f32; 3]; 3],
}

/// A player, as it is drawn without options.
#[derive(Debug, Serialize)]
pub struct PlayerInfo {
    /// [`VERSION`].
    pub polyset_info: u32,
    /// The folder.
    pub player: String,
    /// The animations of all parts.
    pub clips: Vec<DrivenInfo>,
    /// Names that `--skin` takes.
    pub skins: Vec<String>,
    /// The models, each behind the one that it hangs on.
    pub parts: Vec<PartInfo>,
    /// What is missing.
    pub warnings: Vec<String>,
}

/// A clip and the parts that it moves.
#[derive(Debug, Serialize)]
pub struct DrivenInfo {
    /// The clip.
    #[serde(flatten)]
    pub clip: ClipInfo,
    /// Names of parts: `lower`, `upper`.
    pub parts: Vec<String>,
}

/// One of a player's models.
#[derive(Debug, Serialize)]
pub struct PartInfo {
    /// Its name.
    pub name: String,
    /// Number of the part that it hangs on.
    pub parent: Option<usize>,
    /// The tag that it hangs on.
    pub tag: Option<String>,
    /// In the player's space.
    pub stands: Axes,
    /// In the part's own space.
    pub tags: Vec<TagInfo>,
    /// Everything about its file.
    pub info: Info,
}

/// A joint.
#[derive(Debug, Serialize)]
pub struct JointInfo {
    /// Its name.
    pub name: String,
    /// The number of the joint that it hangs on; `None` for a root.
    pub parent: Option<usize>,
}

/// An animation that was found near the mesh.
#[derive(Debug, Serialize)]
pub struct AnimInfo {
    /// Where it lies, as commands take it.
    pub file: String,
    /// Why it does not fit; `None` if it does.
    pub error: Option<String>,
}

/// How the texture of one surface was looked for.
#[derive(Debug, Serialize)]
pub struct TextureInfo {
    /// Number of the surface.
    pub surface: usize,
    /// Its name.
    pub name: String,
    /// The names that were looked for, in order.
    pub wanted: Vec<String>,
    /// The file that won.
    pub found: Option<String>,
    /// Files of the same name that lost to it.
    pub shadowed: Vec<String>,
    /// Files of these names that could not be taken: the warnings say why.
    pub refused: Vec<String>,
    /// "embedded", "given", "named", "guessed".
    #[serde(serialize_with = "origin_word")]
    pub origin: Option<Origin>,
    /// Every place that was looked into, in order.
    pub looked: Vec<String>,
    /// The shader script or material of the surface.
    pub script: Option<ScriptInfo>,
    /// "opaque", "cut out", "blended", "scripted", "hidden".
    pub drawn: &'static str,
    /// Why it is drawn so.
    pub why: String,
}

/// A shader script or material.
#[derive(Debug, Serialize)]
pub struct ScriptInfo {
    /// Its name.
    pub name: String,
    /// Where it lies, as commands take it.
    pub file: String,
    /// The line where it begins, from 1.
    pub line: u32,
    /// How many stages it draws.
    pub stages: usize,
}

impl TextureInfo {
    pub(super) fn new(entry: TextureEntry, decisions: &[SurfaceDecision]) -> Self {
        let decision = decisions.iter().find(|found| found.surface == entry.surface);
        let script = entry.script.map(|script| ScriptInfo {
            name: script.name,
            file: script.file.to_string(),
            line: script.line,
            stages: script.stages,
        });
        Self {
            surface: entry.surface,
            name: entry.name,
            wanted: entry.wanted,
            found: entry.found.as_ref().map(ToString::to_string),
            shadowed: texts(&entry.shadowed),
            refused: texts(&entry.refused),
            origin: entry.origin,
            looked: entry.looked,
            script,
            drawn: decision.map_or("opaque", |found| found.drawn.name()),
            why: decision.map(|found| found.why.clone()).unwrap_or_default(),
        }
    }
}

/// Locations as text.
pub(super) fn texts(locations: &[Location]) -> Vec<String> {
    locations.iter().map(ToString::to_string).collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn origin_word<S: Serializer>(origin: &Option<Origin>, serializer: S) -> Result<S::Ok, S::Error> {
    origin.map(Origin::name).serialize(serializer)
}

/// A defect that did not stop the reading.
#[derive(Debug, Serialize)]
pub struct WarningInfo {
    /// The file that it is about: the model or an animation.
    pub file: String,
    /// The part of the file.
    pub part: String,
    /// Bytes from the start of the file, for a binary file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// For a text file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What was found, what was expected, and what is done about it.
    pub message: String,
}
