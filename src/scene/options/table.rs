//! The rows. To add an option, add a row here and use its field of [`Scene`] where it counts.

use super::super::attach_notation::{Angles, Tagged};
use super::super::notation::{
    ClockSeconds, Color, Direction, File, FrameNumbers, Index, LightLevel, Mebibytes, Name,
    Notation, Number, Place, PlayerColors, Positive, Resolution, Seconds, Share, Shells, Side,
    SkinWord, Text, Vector, ViewAngle, Whole, names_of,
};
use super::super::{Background, FrameOn, RendererKind};
use super::checks::{
    above_zero, at_least_zero, border, columns, directions, enlargement, frame_choice,
    internal_resolution, metrics, opaque, pictures, pixels, plays, reads, threads, thumbnail_side,
};
use super::row::{on, row, word};
use super::{Command, Group, Meaning, Row};
use crate::compare::{Allowance, Metric, Region};
use crate::files::TextureSearch;
use crate::format::Md2Geometry;
use crate::look::{
    Alpha, ColorMode, Cull, Draw, Filter, Lighting, Perspective, Samples, ShaderStages,
};
use crate::model::Format;

use Command::{
    Animate, Bless, Check, Compare, Diff, Explain, Hash, Info, Lint, Man, Render, Sheet, Sprites,
    Thumb, Thumbs, View,
};
use Group::{
    Batch, Camera, Engine, Files, Geometry, Light, Look, Motion, Output, Pose, Print, Renderer,
    Run, Tolerance, Window,
};

const PRECISE: &[RendererKind] = &[RendererKind::Precise];
const CLASSIC: &[RendererKind] = &[RendererKind::Classic];

/// An `Option` of a scene.
macro_rules! optional {
    ($notation:ty, $scene:ident => $place:expr) => {
        Meaning::Scene {
            set: |$scene, text| {
                $place = Some(<$notation>::read(text)?);
                Ok(())
            },
            get: |$scene| $place.iter().map(<$notation>::write).collect(),
        }
    };
}

/// A field of a scene that has a default.
macro_rules! choice {
    ($value:ty, $scene:ident => $place:expr) => {
        Meaning::Scene {
            set: |$scene, text| {
                $place = Name::<$value>::read(text)?;
                Ok(())
            },
            get: |$scene| {
                let is_said = $place != <$value>::default();
                is_said.then(|| Name::write(&$place)).into_iter().collect()
            },
        }
    };
}

/// A `bool` of a scene.
macro_rules! switch {
    ($scene:ident => $place:expr) => {
        Meaning::Scene {
            set: |$scene, _| {
                $place = true;
                Ok(())
            },
            get: |$scene| $place.then(Default::default).into_iter().collect(),
        }
    };
}

/// A `Vec` of a scene.
macro_rules! list {
    ($notation:ty, $scene:ident => $place:expr) => {
        Meaning::Scene {
            set: |$scene, text| {
                $place.push(<$notation>::read(text)?);
                Ok(())
            },
            get: |$scene| $place.iter().map(<$notation>::write).collect(),
        }
    };
}

/// What a command reads for itself.
macro_rules! command {
    ($notation:ty) => {
        Meaning::Command { check: |text| <$notation>::read(text).map(drop) }
    };
    () => {
        Meaning::Command { check: |_| Ok(()) }
    };
}

const ALL: &[Command] = &[Render, Info, View, Thumb, Thumbs, Sheet, Diff, Explain, Lint];
/// Commands that draw a model by itself, however small.
const SINGLE: &[Command] = &[Render, View, Thumb, Thumbs, Sheet, Diff];
/// Commands whose pictures can be seen from anywhere.
const SEEN: &[Command] = &[Render, View, Diff];
/// Commands that draw, however small.
const PICTURES: &[Command] = &[Render, View, Thumb, Thumbs, Sheet];
/// Commands that draw what is said and nothing else.
const DRAW: &[Command] = &[Render, View];
/// Commands whose camera finds its own place.
const FRAMED: &[Command] = &[Render, Thumb, Thumbs, Sheet];
/// Commands that draw small pictures.
const SMALL: &[Command] = &[Thumb, Thumbs, Sheet];
/// Commands that draw many models.
const MANY: &[Command] = &[Thumbs, Sheet];
/// Commands that work on several threads.
const THREADS: &[Command] = &[Render, Animate, Sprites, View, Thumbs, Sheet, Check, Bless];
/// Commands that compare pictures with those that were kept.
const REFERENCES: &[Command] = &[Check, Bless];
const MD2: &[Format] = &[Format::Md2];
/// Formats whose frames the engines blend.
const BLENDED: &[Format] = &[Format::Md2, Format::Md3, Format::Md5];

/// What lies behind the model, by its kind.
macro_rules! background {
    ($notation:ty, $kind:ident) => {
        Meaning::Scene {
            set: |scene, text| {
                scene.background = Some(Background::$kind(<$notation>::read(text)?));
                Ok(())
            },
            get: |scene| match &scene.background {
                Some(Background::$kind(value)) => vec![<$notation>::write(value)],
                _ => Vec::new(),
            },
        }
    };
}

/// Every option, heading by heading as the help shows them.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    word(Output, "output", "FILE", "ogre.png", "Where the PNG goes; `-` is the standard output", command!(File)).short('o'),
    row(Output, "size", "N", "256", "Width and height in pixels", Meaning::Scene {
        set: |scene, text| { scene.size = Some(Side::read(text)?); Ok(()) },
        get: |scene| scene.size.iter().filter(|[w, h]| w == h).map(Side::write).collect(),
    }).short('s').default("512").not_with(&["resolution"], "say the same"),
    row(Output, "size", "N", "128", "Width and height in pixels, 16 to 2048", Meaning::Command { check: thumbnail_side }).short('s').default("256").of(&[Thumb, Thumbs]),
    row(Output, "size", "N", "128", "Width and height of a cell in pixels, 16 to 2048", Meaning::Command { check: thumbnail_side }).short('s').default("128").of(&[Sheet]),
    row(Output, "size", "N", "128", "Width and height of each of the three pictures of a row, in pixels, 16 to 2048", Meaning::Command { check: thumbnail_side }).short('s').default("256").of(&[Diff]),
    on(Output, "honest", "Leave a dark picture dark", command!()).of(SMALL),
    word(Output, "output", "DIR[/NAME]", "thumbs", "The folder for pictures and manifest; a NAME with fields says what pictures are called: {dir}, {file}, {model}, {ext}, {skin}, {clip}, {frame:4}", command!(File)).short('o').of(&[Thumbs]),
    word(Output, "output", "FILE", "sheet.png", "The contact sheet, a PNG; `-` is the standard output", command!(File)).short('o').of(&[Sheet]),
    word(Output, "output", "OUT", "diff.png", "Draw old, difference and new side by side, a row a frame; of folders a folder of such pictures", command!(File)).short('o').of(&[Diff]),
    word(Output, "output", "OUT", "run.gif", "Where the animation goes: .gif, .png (APNG), .webp, .y4m, .rgba; a folder, or a name with {frame:4}, for a PNG of every picture; {clip} is the name of the clip; `-` is the standard output", command!(File)).short('o').of(&[Animate]),
    word(Output, "format", "FORMAT", "y4m", "The format of the animation", command!(Text)).default("by the name of the output").of(&[Animate]).one_of(|| vec![
        ("gif", ""), ("apng", ""), ("webp", "lossless"), ("y4m", "raw video with a head that tells size and rate"), ("rgba", "the bytes of all pixels, picture by picture"), ("png", "a file for every picture"),
    ]),
    on(Output, "dither", "Mix the colours of a GIF of true colour, rather than take the nearest", command!()).of(&[Animate]),
    row(Output, "size", "N", "64", "Width and height of a cell in pixels", Meaning::Scene {
        set: |scene, text| { scene.size = Some(Side::read(text)?); Ok(()) },
        get: |_| Vec::new(),
    }).short('s').default("128").not_with(&["resolution", "scale"], "both choose the size of cells").of(&[Sprites]),
    word(Output, "output", "DIR", "sprites", "The folder for MODEL.png and MODEL.json, or for the files of --doom-name", command!(File)).short('o').of(&[Sprites]),
    row(Output, "scale", "PIXELS", "1.5", "So many pixels for a unit of the model, whatever its size: models of a game have sizes that fit", Meaning::Command { check: above_zero }).default("the model fills its cell").of(&[Sprites]),
    row(Output, "enlarge", "N", "3", "Make every pixel a square of N x N", Meaning::Command { check: enlargement }).default("1").of(&[Sprites]),
    on(Output, "trim", "Cut cells to what is seen", command!()).of(&[Sprites]),
    row(Output, "padding", "N", "2", "Empty pixels between cells", Meaning::Command { check: border }).default("0").of(&[Sprites]),
    row(Output, "extrude", "N", "1", "Repeat the outermost pixels of a cell so many times around it", Meaning::Command { check: border }).default("0").of(&[Sprites]),
    word(Output, "schema", "NAME", "aseprite", "The shape of the JSON; docs/motion.md describes both", command!(Text)).default("plain").one_of(|| vec![("plain", ""), ("aseprite", "as exported by Aseprite")]).of(&[Sprites]),
    word(Output, "doom-name", "NAME", "TROO", "Files for Doom's engines instead of a sheet: NAME, four letters or digits, then frame and rotation, with offsets", command!(Text)).not_with(&["trim", "padding", "extrude", "schema"], "make different files").of(&[Sprites]),
    word(Batch, "clips", "all", "all", "All clips on one sheet", command!()).one_of(|| vec![("all", "")]).of(&[Sprites]).not_with(&["animation", "legs", "torso", "frame"], "both choose clips"),
    word(Camera, "view", "VIEW", "doom", "From where sprites are seen; --camera-elevation-angle says any other", command!(Text)).default("isometric").one_of(|| vec![("isometric", "30 degrees from above: two to one"), ("top-down", "straight from above"), ("doom", "at eye level")]).of(&[Sprites]),
    row(Camera, "directions", "N", "16", "From how many sides: 1, 4, 5, 8, 16 or 32; 5 are 8 of which 3 are mirrored", Meaning::Command { check: directions }).default("8").of(&[Sprites]),
    on(Camera, "mirror", "Draw one side of the model alone, and the middle; the other side is its mirror image", command!()).of(&[Sprites]),
    word(Output, "html", "DIR", "index", "A folder for thumbnails, their manifest and a page that shows and searches them", command!(File)).of(&[Sheet]),
    row(Output, "columns", "N", "8", "Cells side by side", Meaning::Command { check: columns }).default("as many as make the sheet about as wide as high").of(&[Sheet]),
    word(Output, "title", "TEXT", "Monsters", "A heading", command!(Text)).of(&[Sheet]),
    on(Output, "no-labels", "Leave the names under the pictures out", command!()).of(&[Sheet]),
    row(Output, "background-color", "COLOR", "204060", "The colour of the sheet, RRGGBB, RRGGBBAA or a name such as white", command!(Color)).default("202024").of(&[Sheet]),
    on(Output, "xdg-cache", "Fill the thumbnail cache of desktops instead, in all of its sizes", command!()).of(&[Thumbs])
        .not_with(&["output", "size", "skins", "clips", "frames", "manifest", "force"], "go to different places"),
    word(Output, "cache-sizes", "NAMES", "normal,large", "Sizes for --xdg-cache: normal (128 pixels), large (256), x-large (512), xx-large (1024)", command!(Text)).default("all").of(&[Thumbs]),
    word(Output, "manifest", "FILE", "thumbs.jsonl", "Where the manifest goes, a line of JSON for every picture", command!(File)).default("manifest.jsonl in the folder").of(&[Thumbs]),
    on(Output, "redraw", "Draw pictures again that are there and as they should be", command!()).of(MANY),
    word(Batch, "clips", "all", "all", "A file for every clip; the output's name needs {clip}", command!()).one_of(|| vec![("all", "")]).of(&[Animate]).not_with(&["animation", "legs", "torso"], "both choose clips"),
    row(Motion, "fps", "N", "30", "So many pictures a second, with poses between the frames of the clip", Meaning::Command { check: above_zero }).default("a picture for every frame, as long as its engine shows it; of a turn without a clip 20").of(&[Animate, Sprites]),
    row(Motion, "speed", "K", "0.5", "Play the clip so many times faster", Meaning::Command { check: above_zero }).default("1").of(&[Animate, Sprites]),
    row(Motion, "loop", "N", "1", "Play the animation so many times; 0 is for ever", Meaning::Command { check: plays }).default("0").of(&[Animate]),
    on(Motion, "ping-pong", "Play the clip forth and back", command!()).of(&[Animate]),
    row(Motion, "turntable", "N", "36", "Turn the model once round in N pictures, with --animation while the clip plays", Meaning::Command { check: pictures }).of(&[Animate]),
    on(Motion, "light-follows", "Let the light turn with the model of --turntable", command!()).of(&[Animate]),
    on(Batch, "recursive", "Take the folders in folders too", command!()).short('r').of(MANY),
    word(Batch, "check", "FILE", "golden.txt", "Draw the models that a file of hashes names, and compare", command!(File)).short('c').of(&[Hash]),
    word(Batch, "skins", "all", "all", "A picture of every skin", command!()).one_of(|| vec![("all", "")]).of(MANY).not_with(&["skin"], "both choose skins"),
    word(Batch, "clips", "all", "all", "A picture of every clip, its first frame", command!()).one_of(|| vec![("all", "")]).of(MANY).not_with(&["animation", "frame"], "both choose clips"),
    word(Batch, "frames", "all|N", "8", "A picture of every frame of a clip, or of N that are spread over it; without a clip of the model's frames", Meaning::Command { check: frame_choice }).of(MANY).not_with(&["frame"], "both choose frames"),
    word(Batch, "frames", "all|N", "8", "Rows for all frames that moved, or for the N that moved most", Meaning::Command { check: frame_choice }).default("4").of(&[Diff]),
    word(Batch, "shard", "K/N|auto", "2/4", "Draw part K of N of the list; auto, or auto/N, asks the variables of Slurm or Kubernetes", command!(Text)).of(&[Thumbs]),
    row(Output, "resolution", "W,H", "640,480", "Width and height in pixels, also as WxH", Meaning::Scene {
        set: |scene, text| { scene.size = Some(Resolution::read(text)?); Ok(()) },
        get: |scene| scene.size.iter().filter(|[w, h]| w != h).map(Resolution::write).collect(),
    }),
    on(Output, "no-background", "A transparent background (the default)", Meaning::Scene {
        set: |scene, _| { scene.background = Some(Background::Transparent); Ok(()) },
        get: |scene| match scene.background {
            Some(Background::Transparent) => vec![Default::default()],
            _ => Vec::new(),
        },
    }).not_with(&["background-color", "background-index"], "contradict each other"),
    row(Output, "background-color", "COLOR", "204060", "The colour behind the model, RRGGBB, RRGGBBAA or a name such as white; in indexed pictures the nearest of the palette", background!(Color, Color))
        .of(&[Render, Diff]).not_with(&["background-index"], "say the same"),
    row(Output, "background-index", "I", "3", "The palette index behind the model in an indexed picture, transparent in the PNG", background!(Index, Index))
        .default("255"),
    word(Output, "report", "DIR", "out/report", "Where the report goes: index.html, report.json, junit.xml", command!(File)).default("report; of bless: none").of(REFERENCES),
    on(Output, "no-report", "Write no report", command!()).of(&[Check]).not_with(&["report"], "contradict each other"),
    on(Output, "force", "Replace a folder that holds something else than a report", command!()).of(&[Check]),
    on(Output, "force", "Replace references that polyset has not drawn, and keep pictures although CI=true", command!()).of(&[Bless]),
    on(Batch, "all", "Keep every picture that differs or is new", command!()).of(&[Bless]),
    on(Batch, "prune", "Remove references that no scene asks for any more", command!()).of(&[Bless]),
    on(Output, "force", "Replace a file that is something else", command!()).of(&[Render, Animate, Sprites, Thumb, Thumbs, Sheet, Man, Diff, Compare]),
    on(Output, "hash", "Print a 64-bit hash of size and pixels, 16 hexadecimal digits", command!()),
    on(Output, "print-camera", "Print the camera as options that place it", command!()).of(&[Render, Animate]),
    on(Output, "stats", "Tell what every stage took in, gave out and how long it took", command!()),
    word(Output, "depth-output", "FILE", "ogre.depth", "Write the depth of every pixel, row by row: 32-bit floats, little-endian, 0 near to 1 far; with --renderer classic the engine's 16-bit integers", command!(File)),
    word(Output, "diff", "OUT", "diff.png", "Write expected, difference and actual side by side; of folders a folder of such pictures", command!(File)).of(&[Compare]),
    on(Print, "json", "Print JSON; its fields are described in docs/compare.md", command!()).of(&[Compare]),
    word(Tolerance, "metric", "METRIC", "channel", "How much a pixel differs", Meaning::Command { check: reads::<Metric> })
        .default("exact; with --threshold: channel").one_of(metrics).of(&[Compare]),
    row(Tolerance, "threshold", "T", "2", "A pixel differs if its error by the metric is over T", command!(Number)).default("0").of(&[Compare]),
    row(Tolerance, "max-differing", "N|P%", "0.1%", "So many pixels may differ, or so many of a hundred", Meaning::Command { check: reads::<Allowance> }).default("0").of(&[Compare]),
    row(Tolerance, "ignore-region", "X,Y,W,H", "0,0,64,16", "Leave a part of the pictures out: first column and row, columns and rows", Meaning::Command { check: reads::<Region> }).of(&[Compare]).repeats(),
    row(Tolerance, "threshold", "T", "2", "A texel differs if a channel of it does by more than T, 0 to 255", command!(Index)).default("0").of(&[Diff]),
    row(Tolerance, "tolerance", "UNITS", "0.02", "Vertices, tags and joints may move as far, in model units", Meaning::Command { check: at_least_zero }).default("0").of(&[Diff]),
    row(Tolerance, "angle-tolerance", "DEG", "1.5", "Normals, tags and joints may turn as far, in degrees", Meaning::Command { check: at_least_zero }).default("0").of(&[Diff]),
    on(Tolerance, "indices", "Compare the palette indices of two indexed PNGs instead of colours", command!()).of(&[Compare]),
    on(Print, "json", "Print JSON; its fields are described in docs/check.md", command!()).of(REFERENCES),
    word(Print, "annotate", "FOR", "github", "Also print what is wrong as a server of continuous integration marks it in the files", command!()).one_of(|| vec![("github", "workflow commands of GitHub Actions")]).of(&[Check]),
    on(Print, "json", "Print JSON; its fields are described in docs/diff.md", command!()).of(&[Diff]),
    on(Print, "json", "Print JSON; its fields are described in docs/lint.md", command!()).of(&[Lint]),
    word(Tolerance, "deny", "CODE", "author-path", "Exit with 1 if this is found; all stands for every code", command!(Text)).default("errors").of(&[Lint]).repeats(),
    word(Tolerance, "allow", "CODE", "unused-vertex", "Leave findings of this code out", command!(Text)).of(&[Lint]).repeats(),
    word(Tolerance, "config", "FILE", "polyset.toml", "A file that holds lists for --deny and --allow", command!(File)).default("polyset.toml in the current folder, if it is there").of(&[Lint]),
    on(Print, "json", "Print JSON; its fields are described in docs/explain.md", command!()).of(&[Explain]),
    word(Files, "engine", "NAME", "quake3", "The engine to ask", command!(Text)).default("those that load such a model").of(&[Explain]).repeats().one_of(|| vec![
        ("quake", ""), ("quakespasm", ""), ("darkplaces", ""), ("quake2", ""), ("yquake2", ""), ("quake3", ""), ("ioquake3", ""), ("doom3", ""), ("polyset", ""),
    ]),
    on(Print, "trust-exit-code", "Exit with 1 for a difference also when git asks with seven arguments, as diff.trustExitCode wants it", command!()).of(&[Diff]),
    word(Files, "beside", "FILE", "progs/ogre.mdl", "Look for textures and animations of both models as if each were this file", command!(File)).of(&[Diff]),
    on(Print, "textconv", "Print the model alone, a line a part with hashes of long tables, for git's textconv", command!()).of(&[Info]).not_with(&["json", "frames"], "print different things"),
    on(Print, "json", "Print JSON; its shape is described in docs/info-json.md", command!()).of(&[Info]),
    on(Print, "frames", "List the names of all frames too (JSON always does)", command!()).of(&[Info]),

    on(Window, "keys", "Print the keys of the window and end", command!()).of(&[View]),
    row(Window, "resolution", "W,H", "960,600", "Width and height of the window in pixels, also as WxH", command!(Resolution)).of(&[View]),
    word(Window, "internal-resolution", "WxH|window", "320x200", "The size of the picture, enlarged by a whole number to fit the window: 320x200, 320x240, any other, or window", Meaning::Command { check: internal_resolution })
        .default("window").of(&[View]),
    row(Window, "background-color", "RRGGBB", "204060", "The colour behind the model; in indexed pictures the nearest of the palette", Meaning::Scene {
        set: |scene, text| { scene.background = Some(Background::Color(opaque(text)?)); Ok(()) },
        get: |_| Vec::new(),
    }).of(&[View]),
    on(Window, "paused", "Begin without playing the animation", command!()).of(&[View]),
    word(Window, "interpolation", "on|off", "off", "Blend between frames, or show ten frames a second as the first engines did", command!(Name<bool>))
        .default("on").one_of(names_of::<bool>).of(&[View]),
    on(Window, "turntable", "Turn the model under a fixed light", command!()).of(&[View]),
    word(Window, "show", "WHAT", "name,stats", "Begin with these shown, separated by commas: keys, name (clip, frame, skin), facts, stats (frames a second, stage times), axes, timeline, edges, normals, bones, grid, pick (what is under the pointer), palette", command!(Text)).of(&[View]),
    on(Window, "no-messages", "Say nothing on the picture when a key changes something, or when a texture is missing", command!()).of(&[View]),
    on(Window, "watch", "Read a model again when anything changes that it is made of, and take in new models of a folder", command!()).of(&[View]),
    word(Window, "screenshot-folder", "DIR", "shots", "Where screenshots go", command!(File)).default("the current folder").of(&[View]),
    word(Window, "record", "FILE", "session.log", "Write what keys and mouse do to FILE", command!(File)).of(&[View]),
    word(Window, "play", "FILE", "session.log", "Do what a file of --record says", command!(File)).of(&[View]),
    word(Window, "window-backend", "auto|x11|wayland", "x11", "The display system; auto takes Wayland, else X11", command!(Text))
        .default("auto").one_of(|| vec![("auto", ""), ("x11", ""), ("wayland", "")]).of(&[View]),

    word(Files, "game", "DIR", "quake", "A game's folder: names of models, textures and other files are looked up in its archives and folders as its engine does", optional!(File, scene => scene.source.game)).of(ALL),
    word(Files, "mod", "NAME", "hipnotic", "A folder in the game whose files win over the game's own; needs --game", optional!(Text, scene => scene.source.modification)).of(ALL),
    on(Files, "loose-first", "Let files in the game's folders win over those in its archives, as many ports do", switch!(scene => scene.source.loose_first)).of(ALL),
    word(Files, "texture-root", "DIR", "baseq3", "A folder or an archive that texture names are relative to, looked into first", list!(Place, scene => scene.source.texture_roots)).of(ALL).repeats(),
    word(Files, "texture-search", "WHERE", "folder", "How far around the model its textures are looked for", choice!(TextureSearch, scene => scene.source.texture_search))
        .default("game").one_of(names_of::<TextureSearch>).of(ALL),
    row(Files, "max-memory", "MIB", "64", "The memory that all textures of a model may take together, as RGBA with sides padded to powers of two; one that does not fit is left out", optional!(Mebibytes, scene => scene.source.max_memory))
        .default("256").of(ALL),

    word(Files, "attach", "TAG=MODEL", "tag_weapon=gun.md3", "A model that hangs on a tag, or on a joint of an .md5mesh; tag_weapon/tag_flash=MODEL on a tag of what hangs on one; .=MODEL where the model itself stands", list!(Tagged<Place>, scene => scene.source.attachments)).of(PICTURES).by(PRECISE).repeats(),
    word(Files, "weapon", "FOLDER|FILE", "models/weapons2/shotgun", "A weapon on tag_weapon, with its barrel, and with its flash while the torso attacks; of a Quake II player a model in the frames of the body", optional!(Place, scene => scene.source.weapon)).of(PICTURES).by(PRECISE),

    row(Pose, "frame", "A|A,B,T", "3,4,0.5", "One frame, or a blend of frame A towards B by T in 0..1; single poses in file order, with --animation those of the animation", optional!(FrameNumbers, scene => scene.moment.frames))
        .of(PICTURES).not_with(&["animation-time"], BOTH_CHOOSE),
    word(Pose, "animation", "NAME|INDEX", "run", "The animation by name or number, of a player that of all parts which have it", optional!(Text, scene => scene.moment.animation))
        .default("the first; of a player that it stands in").of(PICTURES),
    word(Pose, "legs", "CLIP", "LEGS_RUN", "The animation of a player's legs, by name or number", optional!(Text, scene => scene.moment.legs))
        .default("that of --animation, else LEGS_IDLE").of(PICTURES).by(PRECISE),
    word(Pose, "torso", "CLIP", "TORSO_ATTACK", "The animation of a player's torso, by name or number", optional!(Text, scene => scene.moment.torso))
        .default("that of --animation, else TORSO_STAND").of(PICTURES).by(PRECISE),
    row(Pose, "animation-time", "SECONDS", "0.35", "The moment of the animation, which repeats", optional!(Seconds, scene => scene.moment.seconds)).of(DRAW),
    word(Pose, "interpolation", "on|off", "off", "Blend between frames, or show the frame that has begun last", optional!(Name<bool>, scene => scene.moment.interpolation))
        .default("on").one_of(names_of::<bool>),
    word(Pose, "anim", "FILE.md5anim", "walk.md5anim", "An animation of an .md5mesh", list!(Place, scene => scene.source.anims)).of(DRAW).repeats(),
    word(Pose, "attach-animation", "TAG=CLIP", "tag_weapon=fire", "The animation of what hangs on a tag, by name or number", list!(Tagged<Text>, scene => scene.moment.attached_clips)).of(DRAW).by(PRECISE).repeats(),
    word(Pose, "attach-frame", "TAG=A|TAG=A,B,T", "tag_weapon=3", "The frame of what hangs on a tag, as --frame", list!(Tagged<FrameNumbers>, scene => scene.moment.attached_frames)).of(DRAW).by(PRECISE).repeats(),
    on(Pose, "in-place", "Keep the root of an .md5mesh where the animation begins, but for its height", switch!(scene => scene.moment.in_place)).of(DRAW).by(PRECISE).formats(&[Format::Md5]),
    row(Pose, "torso-angles", "PITCH,YAW", "-10,30", "How a player's torso is turned about its tag, in degrees; positive pitch looks down", optional!(Angles, scene => scene.placement.torso_angles)).default("0,0").of(DRAW).by(PRECISE),
    row(Pose, "head-angles", "PITCH,YAW", "15,-20", "How a player's head is turned about its tag, in degrees; positive pitch looks down", optional!(Angles, scene => scene.placement.head_angles)).default("0,0").of(DRAW).by(PRECISE),
    row(Pose, "time", "SECONDS", "0.75", "Seconds on the game's clock: choose the picture of an animated skin, with --renderer classic the pose of groups too, and drive --glow", optional!(ClockSeconds, scene => scene.moment.clock))
        .default("0"),

    word(Look, "skin", "N|NAME|FILE|SURFACE=FILE", "1", "A skin of the model by number or name, a picture, a .skin file, or a picture for one surface", list!(SkinWord, scene => scene.source.skins)).of(SINGLE).repeats(),
    word(Look, "attach-skin", "TAG=SKIN", "tag_weapon=red.png", "The skin of what hangs on a tag, as --skin", list!(Tagged<SkinWord>, scene => scene.source.attached_skins)).of(PICTURES).by(PRECISE).repeats(),
    word(Look, "palette", "FILE", "palette.lmp", "256 colours: a 768-byte .lmp or .pal, or a PCX, PNG, BMP or TGA picture with a palette", optional!(Place, scene => scene.source.palette))
        .default("the skin's, else Quake's").of(SEEN),
    word(Look, "palette", "FILE", "colormap.pcx", "The game's palette, which PCX skins have to keep to: a 768-byte .lmp or .pal, or a PCX, PNG, BMP or TGA picture with a palette", optional!(Place, scene => scene.source.palette))
        .default("pics/colormap.pcx of the game").of(&[Lint]),
    word(Look, "colormap", "FILE", "colormap.lmp", "64 rows of light for indexed pictures, a .lmp of 16384 bytes", optional!(Place, scene => scene.source.colormap))
        .default("made from the palette").of(DRAW),
    row(Look, "colors", "TOP,BOTTOM", "4,12", "Quake player colours, 0 to 15 each; 14 and 15 glow", optional!(PlayerColors, scene => scene.look.colors)).of(SINGLE),
    word(Look, "color", "MODE", "indexed", "True colour or palette indices", optional!(Name<ColorMode>, scene => scene.look.color))
        .default("rgb; with --renderer classic: indexed").one_of(names_of::<ColorMode>).of(DRAW),
    word(Look, "filter", "FILTER", "bilinear", "How texels are picked", choice!(Filter, scene => scene.look.filter))
        .default("nearest").one_of(names_of::<Filter>).of(SEEN).by(PRECISE),
    word(Look, "perspective", "MODE", "affine", "How texture coordinates run across a triangle", choice!(Perspective, scene => scene.look.perspective))
        .default("correct").one_of(names_of::<Perspective>).of(SEEN).by(PRECISE),
    word(Look, "anti-aliasing", "MODE", "ssaa2", "Samples per pixel", choice!(Samples, scene => scene.look.samples))
        .default("none").one_of(names_of::<Samples>).of(SEEN).by(PRECISE),
    word(Look, "cull", "FACES", "none", "Which faces are left out", choice!(Cull, scene => scene.look.cull))
        .default("back").one_of(names_of::<Cull>).of(SEEN).by(PRECISE),
    word(Look, "draw", "WHAT", "wire", "What is shown", choice!(Draw, scene => scene.look.draw))
        .default("textured").one_of(names_of::<Draw>).of(SEEN).by(PRECISE),

    word(Light, "lighting", "STYLE", "lambert", "The lighting style", optional!(Name<Lighting>, scene => scene.light.style))
        .default("quake for .mdl, quake2 for .md2, quake3 for .md3 and .md5mesh").one_of(names_of::<Lighting>).of(SEEN).by(PRECISE),
    row(Light, "light", "X,Y,Z", "0,0,1", "Direction towards the light (lambert)", optional!(Direction, scene => scene.light.direction))
        .default("1,0.6,1").of(SEEN).by(PRECISE),
    row(Light, "ambient", "A", "0.5", "Light from everywhere, 0 to 1 (lambert)", optional!(Share, scene => scene.light.ambient)).default("0.3").of(SEEN).by(PRECISE),
    row(Light, "diffuse", "D", "0.5", "Light from the light's direction, 0 to 1 (lambert)", optional!(Share, scene => scene.light.diffuse)).default("0.7").of(SEEN).by(PRECISE),
    row(Light, "light-level", "L", "64", "The light of the place, 0 to 255 (quake, quake2, gl)", optional!(LightLevel, scene => scene.light.level)).default("128").of(SEEN),

    row(Camera, "camera-position", "X,Y,Z", "60,-40,30", "The eye", optional!(Vector, scene => scene.camera.position))
        .default("far enough to see all of the model").of(SEEN),
    row(Camera, "camera-focal-point", "X,Y,Z", "0,0,5", "What the eye looks at", optional!(Vector, scene => scene.camera.focal_point))
        .default("the middle of the model").of(SEEN),
    row(Camera, "camera-view-up", "X,Y,Z", "0,1,0", "Which direction is up", optional!(Direction, scene => scene.camera.view_up)).default("0,0,1").of(SEEN),
    row(Camera, "camera-view-angle", "DEG", "45", "The full vertical angle in degrees", optional!(ViewAngle, scene => scene.camera.view_angle)).default("30").of(SEEN),
    row(Camera, "camera-near", "N", "8", "Distance of the near plane", optional!(Positive, scene => scene.camera.near))
        .default("just in front of the model").of(SEEN).by(PRECISE),
    row(Camera, "camera-far", "F", "500", "Distance of the far plane", optional!(Positive, scene => scene.camera.far))
        .default("just behind the model").of(SEEN).by(PRECISE),
    row(Camera, "camera-azimuth-angle", "DEG", "-45", "Degrees from the model's front towards its left", optional!(Number, scene => scene.camera.azimuth))
        .default("30; with a position: 0, a turn").of(SINGLE),
    row(Camera, "camera-elevation-angle", "DEG", "20", "Degrees above the horizon", optional!(Number, scene => scene.camera.elevation))
        .default("15; with a position: 0, a turn").of(SINGLE),
    row(Camera, "camera-zoom-factor", "K", "1.5", "Makes the picture K times larger about its middle", optional!(Positive, scene => scene.camera.zoom)).default("1").of(SEEN),
    row(Camera, "pixel-aspect", "A", "1.2", "How many times higher than wide pixels are shown: 1.2 for 320 x 200 on a screen of 4:3", optional!(Positive, scene => scene.camera.pixel_aspect)).default("1").of(SEEN),
    word(Camera, "frame-on", "WHAT", "clip", "What a camera without a position shows the whole of", optional!(Name<FrameOn>, scene => scene.camera.frame_on))
        .default("pose; of an animation: clip").one_of(names_of::<FrameOn>).of(FRAMED),
    on(Camera, "camera-orthographic", "Parallel projection", switch!(scene => scene.camera.orthographic)).of(SEEN).by(PRECISE),

    word(Geometry, "md2-geometry", "MESH", "glcmds", "Which of the two meshes of an .md2 is drawn", choice!(Md2Geometry, scene => scene.source.md2_geometry))
        .default("triangles").one_of(names_of::<Md2Geometry>).of(DRAW).by(PRECISE).formats(MD2),
    word(Geometry, "alpha", "auto|opaque|test|blend|A", "blend", "What the alpha of a texture means where no shader script or material says it; with --renderer classic a number from 0 to 1: how much of an .md2 is seen", Meaning::Scene {
        set: |scene, text| match Name::<Alpha>::read(text) {
            Ok(alpha) => { scene.look.alpha = alpha; Ok(()) }
            Err(names) => {
                let share = Number::read(text).map_err(|_| format!("{names}, or a number"))?;
                scene.engine.alpha = Some(share);
                Ok(())
            }
        },
        get: |scene| {
            if scene.renderer == RendererKind::Classic {
                return scene.engine.alpha.iter().map(Number::write).collect();
            }
            match scene.look.alpha {
                Alpha::Opaque | Alpha::Blend => vec![Name::write(&scene.look.alpha)],
                // That of Alpha::Test is --alpha-test.
                _ => Vec::new(),
            }
        },
    }).default("auto").of(SEEN),
    word(Geometry, "shader-stages", "STAGES", "first", "Which stages of shader scripts and materials are drawn", choice!(ShaderStages, scene => scene.look.stages))
        .default("all").one_of(names_of::<ShaderStages>).of(PICTURES).by(PRECISE),
    on(Geometry, "alpha-test", "The same as --alpha test", Meaning::Scene {
        set: |scene, _| { scene.look.alpha = Alpha::Test; Ok(()) },
        get: |scene| (scene.look.alpha == Alpha::Test).then(Default::default).into_iter().collect(),
    }).of(SEEN).by(PRECISE).not_with(&["alpha"], "say the same"),
    row(Geometry, "model-origin", "X,Y,Z", "20,0,-4", "Where the model stands", optional!(Vector, scene => scene.placement.origin)).default("0,0,0"),
    row(Geometry, "model-angles", "P,Y,R", "0,90,0", "How the model is turned under camera and light, in degrees: positive pitch lowers the nose, but lifts that of an .mdl as Quake does", optional!(Vector, scene => scene.placement.angles)).default("0,0,0"),

    word(Renderer, "renderer", "NAME", "classic", "Which of the two renderers draws", choice!(RendererKind, scene => scene.renderer))
        .default("precise").one_of(names_of::<RendererKind>).of(DRAW),

    row(Engine, "camera-angles", "PITCH,YAW,ROLL", "5,200,0", "Where the camera looks, in degrees; positive pitch looks down; needs --camera-position", optional!(Vector, scene => scene.engine.camera_angles))
        .by(CLASSIC).not_with(&["camera-focal-point", "camera-view-up", "camera-azimuth-angle", "camera-elevation-angle", "camera-zoom-factor"], "turn the same camera"),
    row(Engine, "camera-horizontal-angle", "DEG", "90", "Full horizontal view angle", optional!(ViewAngle, scene => scene.engine.horizontal_angle))
        .by(CLASSIC).not_with(&["camera-view-angle"], "say the same"),
    row(Engine, "engine-frame", "N", "4", "Frame as the engine counts: a group of an .mdl is one frame", optional!(Whole, scene => scene.engine.frame)).by(CLASSIC).not_with(ORDINARY_POSE, BOTH_CHOOSE),
    row(Engine, "sync", "S", "0.15", "Seconds added to --time for groups", optional!(Number, scene => scene.engine.sync)).by(CLASSIC).not_with(ORDINARY_POSE, BOTH_CHOOSE),
    on(Engine, "view-weapon", "Draw the model as the weapon in the player's hand; a NAME_hand.md3 holds NAME.md3", switch!(scene => scene.engine.view_weapon)),
    word(Engine, "subdivision", "on|off", "on", "Draw far models by halving triangles to points", optional!(Name<bool>, scene => scene.engine.subdivision))
        .default("off").one_of(names_of::<bool>).by(CLASSIC).formats(&[Format::Mdl]),
    row(Engine, "old-frame", "N", "3", "The frame that the model comes from", optional!(Whole, scene => scene.engine.old_frame)).by(CLASSIC).formats(BLENDED).not_with(ORDINARY_POSE, BOTH_CHOOSE),
    row(Engine, "backlerp", "B", "0.35", "Share of --old-frame in the blend: 0 is --engine-frame, 1 --old-frame", optional!(Number, scene => scene.engine.backlerp)).by(CLASSIC).formats(BLENDED).not_with(ORDINARY_POSE, BOTH_CHOOSE),
    row(Engine, "old-origin", "X,Y,Z", "1,0,0", "Where the model stood at --old-frame", optional!(Vector, scene => scene.engine.old_origin)).by(CLASSIC).formats(MD2),
    row(Engine, "light-color", "R,G,B", "0.6,0.5,0.4", "Light where the model stands, 1 is normal full", optional!(Vector, scene => scene.engine.light_color)).by(CLASSIC).formats(MD2),
    on(Engine, "fullbright", "Light is 1,1,1", switch!(scene => scene.engine.fullbright)).by(CLASSIC).formats(MD2),
    on(Engine, "minlight", "No light below 0.1", switch!(scene => scene.engine.minlight)).by(CLASSIC).formats(MD2),
    on(Engine, "glow", "The light pulses with --time", switch!(scene => scene.engine.glow)).by(CLASSIC).formats(MD2),
    word(Engine, "shell", "NAMES", "red,blue", "A shell around the model: red, green, blue, double, half", optional!(Shells, scene => scene.engine.shell)).by(CLASSIC).formats(MD2),
    word(Engine, "opaque-pass", "on|off", "off", "Draw the model opaque before its shell or translucency", optional!(Name<bool>, scene => scene.engine.opaque_pass))
        .default("on with --shell").one_of(names_of::<bool>).by(CLASSIC).formats(MD2),
    on(Engine, "left-handed", "Mirror a view weapon", switch!(scene => scene.engine.left_handed)).by(CLASSIC).formats(MD2),

    on(Run, "quiet", "Leave warnings out", command!()).of(SEEN),
    on(Run, "quiet", "Tell errors alone", command!()).of(&[Thumbs, Sheet, Animate, Sprites]),
    on(Run, "quiet", "Leave progress and warnings out", command!()).of(REFERENCES),
    on(Run, "quiet", "Leave out what is as it should be", command!()).of(&[Hash]),
    row(Run, "threads", "N", "2", "How many threads draw", Meaning::Command { check: threads }).default("as many as the machine has").of(THREADS),
    row(Run, "max-work", "PIXELS", "1000000000", "Refuse a picture whose triangles cover more than so many pixels together (samples, with --anti-aliasing): a bound of its time", Meaning::Command { check: pixels }).default("no bound").of(&[Render, Animate, Sprites, View]),
    word(Run, "simd", "LEVEL", "avx2", "The instruction set of the kernels", command!(Text)).default("auto").of(&[Render, Animate, Sprites, View]).one_of(|| vec![
        ("auto", "the best that this machine has"), ("scalar", "the plain code that judges all others"),
        ("fallback", "the SIMD library's emulation"), ("sse2", ""), ("sse4.2", ""), ("avx2", ""), ("avx512", ""), ("neon", ""),
    ]),
];

const ORDINARY_POSE: &[&str] = &["frame", "animation", "animation-time"];
const BOTH_CHOOSE: &str = "both choose the pose";
