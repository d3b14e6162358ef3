//! Every code: what is found, why it matters, how it is mended. `docs/lint.md` is made from it.

use std::fmt::Write as _;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "cli", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Severity {
    /// It may be meant.
    Note,
    /// It looks or plays worse than it should, somewhere.
    Warning,
    /// An engine refuses the file, or a part of it cannot be seen.
    Error,
}

impl Severity {
    /// A word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A kind of finding.
#[derive(Debug)]
pub struct Code {
    /// What `--deny` and `--allow` call it.
    pub name: &'static str,
    /// How bad it is. Errors are denied unless they are allowed.
    pub severity: Severity,
    /// What is found, in a sentence.
    pub what: &'static str,
    /// Why it matters, in a sentence or two.
    pub why: &'static str,
    /// How it is mended, in a sentence or two.
    pub mend: &'static str,
}

use Severity::{Error, Note, Warning};

/// All codes, in the order of the documentation.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    Code { name: "unreadable", severity: Error,
        what: "The file cannot be read, or is no model; or an animation beside a mesh cannot be read, or is none.",
        why: "No engine will load it either, or only with luck.",
        mend: "Export the model or pack the archive again; the message says what is wrong." },
    Code { name: "defect", severity: Warning,
        what: "The file is damaged or odd in a part that polyset leaves out or reads as something else.",
        why: "Engines differ in what they do then: some refuse the file, some read whatever lies there.",
        mend: "Export the model again, or mend the part that the message names." },
    Code { name: "over-limit", severity: Error,
        what: "There are more vertices, triangles, frames, skins, surfaces, tags or textures than the game's own engine takes.",
        why: "The engine ends with an error, or leaves the model out.",
        mend: "Take away detail, or split the model; newer engines may have higher limits, which the message names." },
    Code { name: "over-port-limit", severity: Warning,
        what: "There are more vertices, triangles or frames than one of the game's engines takes, while another takes them.",
        why: "People who play with the other engine do not see the model.",
        mend: "Take away detail, or say which engines the model is for." },
    Code { name: "skin-size", severity: Warning,
        what: "The skin has a size that an engine refuses: a width that is no multiple of 4, a height above 480, or too many texels.",
        why: "The software renderers end with an error, and GLQuake cuts or shrinks the skin.",
        mend: "Scale the skin to a width that is a multiple of 4 and a height of at most 480." },
    Code { name: "skin-size-mismatch", severity: Warning,
        what: "The picture of a skin has another size than the model's header says.",
        why: "Quake II's software renderer takes the picture's size and its OpenGL renderer the header's: in one of them the skin is in the wrong place.",
        mend: "Scale the picture to the size in the header, or export the model with the picture's size." },
    Code { name: "fullbright-texels", severity: Warning,
        what: "A few texels of a skin are in the range of the palette that glows (224 to 255), apart from larger patches.",
        why: "They shine in the dark as single dots. Mostly a conversion picked them as the nearest colour.",
        mend: "Convert the skin to the first 224 colours of the palette, or paint the texels over." },
    Code { name: "palette-stray", severity: Warning,
        what: "A PCX skin uses colours that the game's palette does not have at their index.",
        why: "The software renderer shows the game's colour of the same index: the skin looks wrong in it.",
        mend: "Convert the picture to the game's palette (pics/colormap.pcx of Quake II)." },
    Code { name: "unused-texture-area", severity: Note,
        what: "More than half of a texture is on no triangle of the model; a texture that models share is looked at for each by itself.",
        why: "It takes memory, and the part that is seen could be twice as sharp.",
        mend: "Pack the texture coordinates closer, or cut the texture down." },
    Code { name: "missing-texture", severity: Error,
        what: "A surface has no texture: none is named, none of the name is there, or what is there cannot be taken.",
        why: "It is drawn grey, white, or with the engine's default picture.",
        mend: "Put the texture where the model names it; `polyset explain` tells where each engine looks." },
    Code { name: "guessed-texture", severity: Warning,
        what: "A texture is not where the model names it; polyset guessed one from the names of files.",
        why: "Engines do not guess.",
        mend: "Name the texture by its path from the game's folder." },
    Code { name: "author-path", severity: Warning,
        what: "A texture is named by a path on its author's disk: with a drive, from the root, or through `..`.",
        why: "There is no such path in a game.",
        mend: "Name the texture by its path from the game's folder, such as models/ogre/skin.tga." },
    Code { name: "missing-icon", severity: Warning,
        what: "A skin of a Quake II player has no icon: SKIN_i.pcx beside SKIN.pcx.",
        why: "The game's menu does not offer the skin.",
        mend: "Add a 32 x 32 picture of that name." },
    Code { name: "missing-skin-file", severity: Warning,
        what: "A part of a Quake III player has no NAME_default.skin.",
        why: "The game does not load the player.",
        mend: "Add a .skin file with a line SURFACE,TEXTURE for each surface." },
    Code { name: "normal-out-of-range", severity: Error,
        what: "A vertex has a normal beyond the last entry of the table, 161.",
        why: "The engines read whatever lies behind the table: the vertex flickers, or the game ends.",
        mend: "Export the model with an exporter that knows the 162 normals." },
    Code { name: "degenerate-triangle", severity: Warning,
        what: "A triangle has no area in any frame, or names a vertex twice.",
        why: "It is never seen, and counts against the limits.",
        mend: "Remove it; most modelling programs have a command for it." },
    Code { name: "duplicate-triangle", severity: Warning,
        what: "A triangle is there twice, with the same corners in the same order.",
        why: "It is drawn twice, flickers where it is translucent, and counts against the limits.",
        mend: "Remove one of them." },
    Code { name: "unused-vertex", severity: Note,
        what: "A vertex is on no triangle.",
        why: "It takes room in every frame, and counts against the limits.",
        mend: "Remove it; most modelling programs have a command for loose vertices." },
    Code { name: "uneven-group-times", severity: Warning,
        what: "The times of a frame or skin group do not rise by even steps.",
        why: "Quake's software renderer follows the times, GLQuake and its kin take the first one for all: the group plays differently.",
        mend: "Give each member the same time: 0.1, 0.2, 0.3, ..." },
    Code { name: "tag-axes", severity: Warning,
        what: "The axes of a tag are no directions at right angles: of another length than 1, skewed, or mirrored.",
        why: "What hangs on the tag is scaled, skewed or turned inside out in engines that do not correct it.",
        mend: "Apply scale and rotation to the tag before exporting." },
    Code { name: "weights-not-normalised", severity: Warning,
        what: "The weights of a vertex do not add up to 1.",
        why: "The vertex is drawn nearer to the origin or further away: engines use the weights as they are.",
        mend: "Normalise the weights before exporting." },
    Code { name: "weightless-vertex", severity: Error,
        what: "A vertex has no weight.",
        why: "Doom 3 refuses the mesh; others put the vertex at the origin.",
        mend: "Give the vertex to a joint." },
    Code { name: "many-weights", severity: Note,
        what: "A vertex has more than 4 weights.",
        why: "Ports of Quake that load MD5 keep the 4 largest.",
        mend: "Limit the weights of a vertex to 4 before exporting, if the model is for such a port." },
];

/// The code of this name.
#[must_use]
pub fn code(name: &str) -> Option<&'static Code> {
    CODES.iter().find(|code| code.name == name)
}

/// `docs/lint.md`: how the command is used, and a part for every code.
#[must_use]
pub fn document() -> String {
    let mut text = String::from(
        "# What to hear before release\n\n\
         `polyset lint INPUT...` looks at models, folders and archives for what engines refuse, what only some of them show,\n\
         and what was probably not meant. Each finding has a code, a severity, a place and a way to mend it.\n\n\
         ```sh\n\
         polyset lint progs/ogre.mdl\n\
         polyset lint --game quake2 players --deny missing-icon      # names in a game\n\
         polyset lint release.pk3 --deny all --allow unused-vertex --json\n\
         ```\n\n\
         Exit codes: 0 nothing denied was found, 1 something was, 2 trouble. Errors are denied unless they are allowed; `--deny\n\
         CODE` denies a warning or a note, `--deny all` every code, and `--allow CODE` leaves findings of that code out. What is said of a\n\
         code wins over `all`, and the command line over the file.\n\n\
         A file `polyset.toml` in the current folder, or `--config FILE`, holds the lists:\n\n\
         ```toml\n\
         [lint]\n\
         deny = [\"missing-icon\", \"author-path\"]\n\
         allow = [\"unused-texture-area\"]\n\
         ```\n\n\
         `--json` prints an object. `polyset_lint` is the version of its shape, now 1; `denied` counts the findings that are; `models` has\n\
         the `model` and its `findings`, each with `code`, `severity` (`note`, `warning`, `error`), whether it is `denied`, the `place`, the\n\
         `message`, and how to `mend` it.\n\n\
         The palette of `palette-stray` is that of `--palette`, else `pics/colormap.pcx` of the game that the model lies in; without either\n\
         it is not looked for.\n\n\
         | code | severity | |\n|---|---|---|\n",
    );
    for code in CODES {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| [`{0}`](#{0}) | {1} | {2} |",
            code.name,
            code.severity.name(),
            code.what
        );
    }
    for code in CODES {
        let _ = writeln!(
            text,
            "\n## {}\n\n{} ({})\n\n{}\n\n**To mend it:** {}",
            code.name,
            code.what,
            code.severity.name(),
            code.why,
            code.mend
        );
    }
    text
}
