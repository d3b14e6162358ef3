//! What engines take at most.

use super::Finding;
use crate::model::{Format, Geometry, Model};

/// A number that engines limit.
struct Limit {
    format: Format,
    what: &'static str,
    /// Engines and the most that they take, the strictest first.
    engines: &'static [(&'static str, usize)],
    /// Whether even the most patient engine is one of the game's own.
    is_games_own: bool,
    /// Of a whole model, or of each of its surfaces.
    count: fn(&Model) -> Vec<usize>,
}

const LIMITS: &[Limit] = &[
    Limit {
        format: Format::Mdl,
        what: "vertices",
        engines: &[("GLQuake", 1024), ("WinQuake", 2000), ("QuakeSpasm", 2000)],
        is_games_own: true,
        count: packed_vertices,
    },
    Limit {
        format: Format::Mdl,
        what: "triangles",
        engines: &[("GLQuake", 2048), ("QuakeSpasm", 4096)],
        is_games_own: false,
        count: |model| vec![model.triangle_count()],
    },
    Limit {
        format: Format::Mdl,
        what: "frames",
        engines: &[("GLQuake", 256), ("QuakeSpasm", 1024)],
        is_games_own: false,
        count: |model| vec![model.frame_count()],
    },
    Limit {
        format: Format::Mdl,
        what: "skins",
        engines: &[("GLQuake", 32), ("QuakeSpasm", 32)],
        is_games_own: true,
        count: |model| vec![model.skins().len()],
    },
    Limit {
        format: Format::Md2,
        what: "vertices",
        engines: &[("Quake II", 2048)],
        is_games_own: true,
        count: packed_vertices,
    },
    Limit {
        format: Format::Md2,
        what: "triangles",
        engines: &[("Quake II", 4096)],
        is_games_own: true,
        count: |model| vec![model.triangle_count()],
    },
    Limit {
        format: Format::Md2,
        what: "frames",
        engines: &[("Quake II", 512)],
        is_games_own: true,
        count: |model| vec![model.frame_count()],
    },
    Limit {
        format: Format::Md2,
        what: "skins",
        engines: &[("Quake II", 32)],
        is_games_own: true,
        count: |model| vec![model.skins().len()],
    },
    Limit {
        format: Format::Md3,
        what: "vertices",
        // ioquake3 refuses 1000 itself.
        engines: &[("ioquake3", 999), ("Quake III", 1000)],
        is_games_own: true,
        count: |model| model.surfaces().iter().map(crate::model::Surface::vertex_count).collect(),
    },
    Limit {
        format: Format::Md3,
        what: "triangles",
        engines: &[("Quake III", 2000)],
        is_games_own: true,
        count: |model| model.surfaces().iter().map(|s| s.triangles().len()).collect(),
    },
    Limit {
        format: Format::Md3,
        what: "textures",
        engines: &[("Quake III", 256)],
        is_games_own: true,
        count: |model| model.surfaces().iter().map(|s| s.shaders().len()).collect(),
    },
    Limit {
        format: Format::Md3,
        what: "frames",
        engines: &[("Quake III", 1024)],
        is_games_own: true,
        count: |model| vec![model.frame_count()],
    },
    Limit {
        format: Format::Md3,
        what: "tags",
        engines: &[("Quake III", 16)],
        is_games_own: true,
        count: |model| vec![model.tag_names().len()],
    },
    Limit {
        format: Format::Md3,
        what: "surfaces",
        engines: &[("Quake III", 32)],
        is_games_own: true,
        count: |model| vec![model.surfaces().len()],
    },
];

/// As the file has them, before texture coordinates split them.
fn packed_vertices(model: &Model) -> Vec<usize> {
    match &model.geometry {
        Geometry::Bytes(keys) => vec![keys.packed_count],
        _ => Vec::new(),
    }
}

pub(super) fn check(model: &Model, found: &mut Vec<Finding>) {
    for limit in LIMITS.iter().filter(|limit| limit.format == model.format()) {
        let counts = (limit.count)(model);
        for (surface, &count) in counts.iter().enumerate() {
            let broken: Vec<String> = limit
                .engines
                .iter()
                .filter(|(_, most)| count > *most)
                .map(|(engine, most)| format!("{engine} takes {most}"))
                .collect();
            if broken.is_empty() {
                continue;
            }
            let is_all = broken.len() == limit.engines.len() && limit.is_games_own;
            let code = if is_all { "over-limit" } else { "over-port-limit" };
            let place = if counts.len() > 1 || limit.what == "textures" {
                super::geometry::surface_name(model, surface)
            } else {
                "model".into()
            };
            let message = format!("{count} {}: {}", limit.what, broken.join(", "));
            found.push(Finding::new(code, place, message));
        }
    }
}
