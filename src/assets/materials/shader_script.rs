//! One shader of a Quake III script: `{ keywords { stage } { stage } }`, a keyword a line.

use super::reader::{DECAL, MAX_TC_MODS, Reader, blending, finished};
use crate::model::{
    AlphaGen, AlphaTest, ColorGen, DepthTest, Faces, Factor, Map, Material, Stage, TcMod, WaveShape,
};
use crate::tokens::Token;

/// Pictures of an `animMap` that are shown.
const MAX_PICTURES: usize = 8;

/// General keywords that change nothing about a model.
const IGNORED: [&str; 20] = [
    "deformvertexes",
    "fogparms",
    "fogonly",
    "nomipmaps",
    "nopicmip",
    "tesssize",
    "light",
    "light1",
    "sun",
    "sky",
    "skyparms",
    "cloudparms",
    "entitymergable",
    "imagemindimension",
    "imagemaxdimension",
    "noshadows",
    "nomarks",
    "nolightmap",
    "clamptime",
    "surfacelight",
];

/// Beginnings of keywords of compilers, editors and single engines.
const FOREIGN: [&str; 4] = ["q3map_", "qer_", "q3gl2_", "dp"];

/// Keywords of a stage that change nothing about a model, and the maps that only per-pixel lighting uses.
const STAGE_IGNORED: [&str; 9] = [
    "detail",
    "depthfade",
    "normalmap",
    "bumpmap",
    "specularmap",
    "glowmap",
    "heightmap",
    "physicalmap",
    "normalscale",
];

/// Reads the body of a shader, behind its opening bracket.
pub(super) fn read(reader: &mut Reader<'_>) -> Material {
    let mut material = Material::default();
    let (mut sort, mut is_offset) = (None, false);
    loop {
        let Some(token) = reader.tokens.token() else {
            let (_, line) = reader.tokens.position();
            reader.warn(line, "the file ends within it; what was read counts");
            break;
        };
        let word = token.text().to_ascii_lowercase();
        match word.as_str() {
            "}" if !token.quoted => break,
            "{" if !token.quoted => {
                if let Some(stage) = stage(reader) {
                    reader.push(&mut material, stage, token.line);
                }
            }
            "cull" => material.faces = faces(reader, token.line),
            "surfaceparm" => material.hidden |= reader.word() == "nodraw",
            "sort" => sort = self::sort(reader, token.line),
            "portal" => sort = Some(1.0),
            "polygonoffset" => {
                is_offset = true;
                reader.skip(&token);
            }
            _ if IGNORED.contains(&word.as_str()) => reader.skip(&token),
            _ if FOREIGN.iter().any(|start| word.starts_with(start)) => reader.skip(&token),
            _ => reader.skip_unknown(&token),
        }
    }
    let sort = sort.or(is_offset.then_some(DECAL));
    finished(material, sort)
}

fn faces(reader: &mut Reader<'_>, line: u32) -> Faces {
    let word = reader.word();
    match word.as_str() {
        "none" | "twosided" | "disable" => Faces::Both,
        "back" | "backside" | "backsided" => Faces::Back,
        "front" | "frontside" | "frontsided" => Faces::Front,
        _ => {
            reader.warn(line, format!("cull: there is no '{word}'; taken as front"));
            Faces::Front
        }
    }
}

fn sort(reader: &mut Reader<'_>, line: u32) -> Option<f32> {
    let word = reader.word();
    let known = match word.as_str() {
        "portal" => 1.0,
        "sky" | "environment" => 2.0,
        "opaque" => 3.0,
        "decal" => DECAL,
        "seethrough" => 5.0,
        "banner" => 6.0,
        "fog" => 7.0,
        "underwater" => 8.0,
        "blend0" => 9.0,
        "additive" | "blend1" => 10.0,
        "blend2" => 11.0,
        "blend3" => 12.0,
        "blend6" => 13.0,
        "almostnearest" => 15.0,
        "nearest" => 16.0,
        _ => {
            let number = word.parse().ok().filter(|sort: &f32| sort.is_finite());
            if number.is_none() {
                reader.warn(line, format!("sort: there is no '{word}'; left aside"));
            }
            return number;
        }
    };
    Some(known)
}

/// A stage, behind its opening bracket; `None` of one that shows no picture.
fn stage(reader: &mut Reader<'_>) -> Option<Stage> {
    let mut stage = Stage::default();
    let mut writes_depth = false;
    while let Some(token) = reader.tokens.token().filter(|token| !token.is("}")) {
        let line = token.line;
        let word = token.text().to_ascii_lowercase();
        match word.as_str() {
            "map" => stage.maps = vec![map(reader, line)],
            "clampmap" => {
                stage.maps = vec![map(reader, line)];
                stage.clamp = true;
            }
            "diffusemap" => {
                stage.maps = vec![map(reader, line)];
                stage.color = ColorGen::Lighting;
            }
            "animmap" | "clampanimmap" => {
                stage.clamp = word == "clampanimmap";
                anim_map(reader, &mut stage, line);
            }
            "videomap" => reader.skip(&token),
            "alphafunc" => stage.alpha_test = alpha_test(reader, line),
            "blendfunc" => stage.blend = blend(reader, line),
            "depthwrite" => writes_depth = true,
            "depthfunc" => match reader.word().as_str() {
                "equal" => stage.depth_test = DepthTest::Equal,
                "lequal" => {}
                other => reader.warn(line, format!("depthFunc: there is no '{other}'; left aside")),
            },
            "rgbgen" => color(reader, &mut stage, line),
            "alphagen" => alpha(reader, &mut stage, line),
            "tcgen" | "texgen" => match reader.word().as_str() {
                "environment" => stage.environment = true,
                "base" | "texture" => {}
                other => {
                    let message = format!("tcGen {other} is not drawn; the model's own are taken");
                    reader.warn(line, message);
                    reader.skip(&token);
                }
            },
            "tcmod" => tc_mod(reader, &mut stage, &token),
            ")" => {}
            _ if STAGE_IGNORED.contains(&word.as_str()) => reader.skip(&token),
            _ => reader.skip_unknown(&token),
        }
    }
    stage.depth_write = stage.blend.is_none() || writes_depth;
    (!stage.maps.is_empty()).then_some(stage)
}

fn map(reader: &mut Reader<'_>, line: u32) -> Map {
    let Some(name) = reader.name() else {
        reader.warn(line, "map: a name is missing; taken as $whiteimage");
        return Map::White;
    };
    let is_white =
        ["$whiteimage", "*white", "$lightmap"].iter().any(|white| name.eq_ignore_ascii_case(white));
    if is_white { Map::White } else { Map::named(name) }
}

fn anim_map(reader: &mut Reader<'_>, stage: &mut Stage, line: u32) {
    stage.rate = reader.number("animMap", line);
    stage.maps.clear();
    while let Some(name) = reader.name() {
        if stage.maps.len() < MAX_PICTURES {
            stage.maps.push(Map::named(name));
        } else {
            let message =
                format!("animMap: more than {MAX_PICTURES} pictures; '{name}' is left out");
            reader.warn(line, message);
        }
    }
}

fn alpha_test(reader: &mut Reader<'_>, line: u32) -> Option<AlphaTest> {
    let word = reader.word();
    match word.as_str() {
        "gt0" => Some(AlphaTest::AtLeast(1)),
        "lt128" => Some(AlphaTest::Below(128)),
        "ge128" => Some(AlphaTest::AtLeast(128)),
        _ => {
            reader.warn(line, format!("alphaFunc: there is no '{word}'; left aside"));
            None
        }
    }
}

fn blend(reader: &mut Reader<'_>, line: u32) -> Option<[Factor; 2]> {
    let word = reader.word();
    blending(match word.as_str() {
        "add" => [Factor::One, Factor::One],
        "filter" => [Factor::DstColor, Factor::Zero],
        "blend" => [Factor::SrcAlpha, Factor::OneMinusSrcAlpha],
        _ => {
            let second = reader.word();
            [reader.factor(&word, line), reader.factor(&second, line)]
        }
    })
}

fn color(reader: &mut Reader<'_>, stage: &mut Stage, line: u32) {
    let word = reader.word();
    stage.color = match word.as_str() {
        // Models have no colours of their own: entities and vertices are white.
        "identity" | "identitylighting" | "vertex" | "exactvertex" | "entity" => ColorGen::Identity,
        "oneminusvertex" | "oneminusentity" => ColorGen::Const([0.0; 3]),
        "lightingdiffuse" => ColorGen::Lighting,
        "wave" => ColorGen::Wave(reader.wave("rgbGen wave", line)),
        "const" => {
            let color: [f32; 3] = reader.numbers("rgbGen const", line);
            reader.word();
            ColorGen::Const(color.map(|channel| channel.clamp(0.0, 1.0)))
        }
        _ => {
            reader.warn(line, format!("rgbGen: there is no '{word}'; taken as identity"));
            while reader.name().is_some() {}
            ColorGen::Identity
        }
    };
}

fn alpha(reader: &mut Reader<'_>, stage: &mut Stage, line: u32) {
    let word = reader.word();
    stage.alpha = match word.as_str() {
        "identity" | "vertex" | "entity" => AlphaGen::Identity,
        "oneminusvertex" | "oneminusentity" => AlphaGen::Const(0.0),
        "wave" => AlphaGen::Wave(reader.wave("alphaGen wave", line)),
        "const" => {
            let alpha = reader.number("alphaGen const", line).clamp(0.0, 1.0);
            AlphaGen::Const(alpha)
        }
        _ => {
            reader.warn(line, format!("alphaGen {word} is not drawn; alpha is taken as 1"));
            while reader.name().is_some() {}
            AlphaGen::Identity
        }
    };
}

fn tc_mod(reader: &mut Reader<'_>, stage: &mut Stage, token: &Token<'_>) {
    let line = token.line;
    let word = reader.word();
    let tc_mod = match word.as_str() {
        "scroll" => TcMod::Scroll(reader.numbers("tcMod scroll", line)),
        "scale" => TcMod::Scale(reader.numbers("tcMod scale", line)),
        "rotate" => TcMod::Rotate(reader.number("tcMod rotate", line)),
        "stretch" => TcMod::Stretch(reader.wave("tcMod stretch", line)),
        "transform" => TcMod::Transform(reader.numbers("tcMod transform", line)),
        "turb" => {
            // Some scripts name the wave, which is always a sine.
            let mut ahead = reader.tokens.clone();
            if ahead.token_on_line().is_some_and(|token| token.is("sin")) {
                reader.tokens = ahead;
            }
            TcMod::Turbulence(reader.wave_of(WaveShape::Sin, "tcMod turb", line))
        }
        // The entity does not move.
        "entitytranslate" => return,
        _ => {
            reader.warn(line, format!("tcMod: there is no '{word}'; left aside"));
            return reader.skip(token);
        }
    };
    if stage.tc_mods.len() < MAX_TC_MODS {
        stage.tc_mods.push(tc_mod);
    } else {
        reader.warn(line, format!("more than {MAX_TC_MODS} tcMods; left out"));
    }
}
