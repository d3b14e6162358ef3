//! What `polyset info` knows, as plain data; `--json` prints it as it stands (docs/info-json.md).

use polyset::scene::SurfaceDecision;
use polyset::{Counts, Location, Origin, TextureEntry};
use serde::{Serialize, Serializer};

/// The version of this shape: raised when a field changes its meaning or goes away.
pub(crate) const VERSION: u32 = 1;

/// Everything about one model file.
#[derive(Debug, Serialize)]
pub(crate) struct Info {
    pub(crate) polyset_info: u32,
    pub(crate) file: String,
    /// Files of the same name in the game that lost.
    pub(crate) shadowed: Vec<String>,
    /// What names from the game's root are looked up in, the winner first.
    pub(crate) sources: Vec<String>,
    pub(crate) bytes: u64,
    /// "mdl", "md2", "md3", "md5mesh".
    pub(crate) format: &'static str,
    /// The name inside the file.
    pub(crate) name: Option<String>,
    pub(crate) counts: Counts,
    /// Of all surfaces in the first frame or the bind pose.
    pub(crate) bounds: Bounds,
    pub(crate) surfaces: Vec<SurfaceInfo>,
    pub(crate) skins: Vec<SkinInfo>,
    pub(crate) clips: Vec<ClipInfo>,
    pub(crate) frames: Vec<String>,
    pub(crate) tags: Vec<TagInfo>,
    pub(crate) joints: Vec<JointInfo>,
    /// The animations that were found near an .md5mesh.
    pub(crate) anims: Vec<AnimInfo>,
    /// How the texture of every surface was looked for.
    pub(crate) textures: Vec<TextureInfo>,
    /// The .skin file that decided about the textures, if one did.
    pub(crate) skin_file: Option<String>,
    /// The .skin files that belong to an .md3.
    pub(crate) skin_files: Vec<String>,
    pub(crate) warnings: Vec<WarningInfo>,
}

/// The models in a folder, an archive or a game.
#[derive(Debug, Serialize)]
pub(crate) struct ModelList {
    pub(crate) polyset_info: u32,
    pub(crate) place: String,
    pub(crate) models: Vec<String>,
    /// Folders that are a player, whose parts are among the models.
    pub(crate) players: Vec<String>,
    /// What is odd about archives.
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Bounds {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

#[derive(Debug, Serialize)]
pub(crate) struct SurfaceInfo {
    pub(crate) name: String,
    pub(crate) shaders: Vec<String>,
    pub(crate) vertices: usize,
    pub(crate) triangles: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct SkinInfo {
    /// The path that the file gives, `None` for a picture inside the file.
    pub(crate) name: Option<String>,
    /// Of a picture inside the file: width and height in texels.
    pub(crate) size: Option<[u32; 2]>,
    /// Pictures inside the file: more than 1 for a group, 0 for a file of its own.
    pub(crate) pictures: usize,
    /// The file that would be drawn.
    pub(crate) found: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ClipInfo {
    pub(crate) name: String,
    pub(crate) first_frame: usize,
    pub(crate) frames: usize,
    pub(crate) seconds: f32,
}

impl From<&polyset::Clip> for ClipInfo {
    fn from(clip: &polyset::Clip) -> Self {
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
pub(crate) struct TagInfo {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) place: Axes,
}

impl From<(&str, polyset::Transform)> for TagInfo {
    fn from((name, tag): (&str, polyset::Transform)) -> Self {
        let place = Axes { origin: tag.origin(), axes: tag.axes() };
        Self { name: name.to_owned(), place }
    }
}

/// A position, and where forward, left and up point.
#[derive(Debug, Serialize)]
pub(crate) struct Axes {
    pub(crate) origin: [f32; 3],
    pub(crate) axes: [[f32; 3]; 3],
}

/// A player, as it is drawn without options.
#[derive(Debug, Serialize)]
pub(crate) struct PlayerInfo {
    pub(crate) polyset_info: u32,
    /// The folder.
    pub(crate) player: String,
    pub(crate) clips: Vec<DrivenInfo>,
    /// Names that `--skin` takes.
    pub(crate) skins: Vec<String>,
    pub(crate) parts: Vec<PartInfo>,
    /// What is missing.
    pub(crate) warnings: Vec<String>,
}

/// A clip and the parts that it moves.
#[derive(Debug, Serialize)]
pub(crate) struct DrivenInfo {
    #[serde(flatten)]
    pub(crate) clip: ClipInfo,
    pub(crate) parts: Vec<String>,
}

/// One of a player's models.
#[derive(Debug, Serialize)]
pub(crate) struct PartInfo {
    pub(crate) name: String,
    /// Number of the part that it hangs on.
    pub(crate) parent: Option<usize>,
    pub(crate) tag: Option<String>,
    /// In the player's space.
    pub(crate) stands: Axes,
    /// In the part's own space.
    pub(crate) tags: Vec<TagInfo>,
    pub(crate) info: Info,
}

#[derive(Debug, Serialize)]
pub(crate) struct JointInfo {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
}

/// An animation that was found near the mesh.
#[derive(Debug, Serialize)]
pub(crate) struct AnimInfo {
    pub(crate) file: String,
    /// Why it does not fit; `None` if it does.
    pub(crate) error: Option<String>,
}

/// How the texture of one surface was looked for.
#[derive(Debug, Serialize)]
pub(crate) struct TextureInfo {
    pub(crate) surface: usize,
    pub(crate) name: String,
    pub(crate) wanted: Vec<String>,
    pub(crate) found: Option<String>,
    /// Files of the same name that lost to it.
    pub(crate) shadowed: Vec<String>,
    /// "embedded", "given", "named", "guessed".
    #[serde(serialize_with = "origin_word")]
    pub(crate) origin: Option<Origin>,
    pub(crate) looked: Vec<String>,
    /// The shader script or material of the surface.
    pub(crate) script: Option<ScriptInfo>,
    /// "opaque", "cut out", "blended", "scripted", "hidden".
    pub(crate) drawn: &'static str,
    /// Why it is drawn so.
    pub(crate) why: String,
}

/// A shader script or material.
#[derive(Debug, Serialize)]
pub(crate) struct ScriptInfo {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) stages: usize,
}

impl TextureInfo {
    pub(crate) fn new(entry: TextureEntry, decisions: &[SurfaceDecision]) -> Self {
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
            origin: entry.origin,
            looked: entry.looked,
            script,
            drawn: decision.map_or("opaque", |found| found.drawn.name()),
            why: decision.map(|found| found.why.clone()).unwrap_or_default(),
        }
    }
}

/// Locations as text.
pub(crate) fn texts(locations: &[Location]) -> Vec<String> {
    locations.iter().map(ToString::to_string).collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn origin_word<S: Serializer>(origin: &Option<Origin>, serializer: S) -> Result<S::Ok, S::Error> {
    origin.map(Origin::name).serialize(serializer)
}

#[derive(Debug, Serialize)]
pub(crate) struct WarningInfo {
    /// The file that it is about: the model or an animation.
    pub(crate) file: String,
    pub(crate) part: String,
    /// Bytes from the start of the file, for a binary file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<usize>,
    /// For a text file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    pub(crate) message: String,
}
