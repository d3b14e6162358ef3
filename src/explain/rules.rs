//! Which engine looks where: one table. What is not known for sure is marked so.

use crate::assets::materials::Language;
use crate::files::ArchiveOrder;
use crate::model::Format;

/// An engine, and how it finds the files of a game.
#[derive(Debug)]
pub struct Rule {
    /// What `--engine` calls it.
    pub name: &'static str,
    /// Which programs that is.
    pub title: &'static str,
    /// The models that it loads, of those that polyset knows.
    pub(super) formats: &'static [Format],
    pub(super) archives: &'static [ArchiveOrder],
    pub(super) loose_first: bool,
    /// Why one archive wins over another.
    pub(super) archives_by: &'static str,
    pub(super) textures: Textures,
    /// Where the rule is known from.
    pub source: &'static str,
    /// What is not known for sure.
    pub unsure: &'static [&'static str],
}

/// How an engine finds the pictures of a model.
#[derive(Clone, Copy, Debug)]
pub(super) enum Textures {
    /// They lie in the model, whatever is beside it.
    Inside,
    /// Files named after model and skin number replace those in the model.
    Replaced { extensions: &'static [&'static str] },
    /// The file that the model names, then the same name with these extensions.
    Named { extensions: &'static [&'static str] },
    /// A script or material of that name, else a picture: with the extension that is named or the first
    /// of these, then with the others.
    Script { language: Language, extensions: &'static [&'static str] },
}

const HIGHER: &str = "the higher number wins";
const LATER: &str = "the later name wins";
const ALL_QUAKE3: ArchiveOrder = ArchiveOrder::LaterName(&["pk3", "pk3dir"]);

/// Every engine but polyset itself.
pub const RULES: &[Rule] = &[
    Rule {
        name: "quake",
        title: "WinQuake and GLQuake",
        formats: &[Format::Mdl],
        archives: &[ArchiveOrder::Quake],
        loose_first: false,
        archives_by: HIGHER,
        textures: Textures::Inside,
        source: "the order that the original engine opens archives in",
        unsure: &[],
    },
    Rule {
        name: "quakespasm",
        title: "QuakeSpasm",
        formats: &[Format::Mdl],
        archives: &[ArchiveOrder::Quake],
        loose_first: false,
        archives_by: HIGHER,
        textures: Textures::Inside,
        source: "taken to be the original engine's order, which it comes from",
        unsure: &[
            "whether loose files come behind archives, as in the original",
            "newer relatives (Ironwail, vkQuake) take NAME.md5mesh instead of NAME.mdl if NAME.md5anim is there too",
        ],
    },
    Rule {
        name: "darkplaces",
        title: "DarkPlaces",
        formats: &[Format::Mdl, Format::Md2, Format::Md3],
        archives: &[
            ArchiveOrder::LaterName(&["pk3", "pk3dir", "dpk", "dpkdir"]),
            ArchiveOrder::LaterName(&["pak"]),
        ],
        loose_first: true,
        archives_by: LATER,
        textures: Textures::Replaced { extensions: &["tga", "png", "jpg", "pcx", "lmp"] },
        source: "the names of external textures are from its description of DP_GFX_EXTERNALTEXTURES",
        unsure: &[
            "that loose files come before archives, and .pk3 before .pak",
            "the order of the extensions; .tga, .pcx and .lmp always count, others may not",
            "shader scripts and .skin files (NAME_0.skin) of its own are not looked into here",
        ],
    },
    Rule {
        name: "quake2",
        title: "Quake II",
        formats: &[Format::Md2],
        archives: &[ArchiveOrder::Quake2],
        loose_first: false,
        archives_by: HIGHER,
        textures: Textures::Named { extensions: &[] },
        source: "the order that the original engine opens archives in",
        unsure: &[],
    },
    Rule {
        name: "yquake2",
        title: "Yamagi Quake II",
        formats: &[Format::Md2],
        archives: &[ArchiveOrder::LaterName(&["pk3"]), ArchiveOrder::Quake2],
        loose_first: false,
        archives_by: "the later one wins",
        textures: Textures::Named { extensions: &["tga", "png", "jpg"] },
        source: "that it tries .tga, .png and .jpg for a skin is known; the rest is taken from Quake II",
        unsure: &[
            "that .pk3 comes before .pak, and archives before loose files",
            "with replacement textures switched on .tga, .png and .jpg win over the .pcx that is named",
        ],
    },
    Rule {
        name: "quake3",
        title: "Quake III Arena",
        formats: &[Format::Md3],
        archives: &[ArchiveOrder::LaterName(&["pk3"])],
        loose_first: false,
        archives_by: LATER,
        textures: Textures::Script { language: Language::Shader, extensions: &["tga", "jpg"] },
        source: "the order that the original engine opens archives in",
        unsure: &[
            "which of several scripts wins that define the same name: the engine's order is accidental",
        ],
    },
    Rule {
        name: "ioquake3",
        title: "ioquake3",
        formats: &[Format::Md3],
        archives: &[ALL_QUAKE3],
        loose_first: false,
        archives_by: LATER,
        textures: Textures::Script {
            language: Language::Shader,
            extensions: &["tga", "jpg", "png", "pcx", "bmp"],
        },
        source: "Quake III's order, with more kinds of pictures",
        unsure: &[
            "which of several scripts wins that define the same name: the engine's order is accidental",
        ],
    },
    Rule {
        name: "doom3",
        title: "Doom 3",
        formats: &[Format::Md5],
        archives: &[ArchiveOrder::LaterName(&["pk4"])],
        loose_first: true,
        archives_by: LATER,
        textures: Textures::Script { language: Language::Material, extensions: &["tga", "jpg"] },
        source: "the order that the original engine opens archives in",
        unsure: &[
            "image programs of a material (addnormals, heightmap, ...) stand as their first picture",
        ],
    },
];

impl Rule {
    /// The engine of this name.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        RULES.iter().find(|rule| rule.name == name)
    }

    pub(super) fn loads(&self, format: Format) -> bool {
        self.formats.contains(&format)
    }
}
