//! One material of Doom 3: `{ keywords { stage } { stage } }`, with expressions for numbers.
//!
//! Light comes from the diffuse map alone, as the light of the picture; other maps of per-pixel lighting
//! are left aside. An expression counts as far as it is a number, or one times `time`.

use super::reader::{DECAL, MAX_TC_MODS, Reader, blending, finished, number};
use crate::model::{
    AlphaGen, AlphaTest, ColorGen, Faces, Factor, Map, Material, Stage, TcMod, turned,
};
use crate::tokens::Token;

/// General keywords that change nothing about a model's picture, with their values.
const IGNORED: [&str; 33] = [
    "noshadows",
    "noselfshadow",
    "forceshadows",
    "nooverlays",
    "forceoverlays",
    "forceopaque",
    "nonsolid",
    "solid",
    "water",
    "playerclip",
    "monsterclip",
    "moveableclip",
    "ikclip",
    "blood",
    "trigger",
    "aassolid",
    "aasobstacle",
    "noimpact",
    "nosteps",
    "discrete",
    "nofragment",
    "islandsurface",
    "collision",
    "areaportal",
    "nofog",
    "unsmoothedtangents",
    "ladder",
    "spectrum",
    "deform",
    "decalinfo",
    "description",
    "guisurf",
    "renderbump",
];

/// What surfaces sound like when they are hit, and beginnings of keywords of editors and compilers.
const FOREIGN: [&str; 15] = [
    "qer_",
    "surftype",
    "metal",
    "stone",
    "flesh",
    "wood",
    "cardboard",
    "liquid",
    "glass",
    "plastic",
    "ricochet",
    "lightfalloff",
    "spotlight",
    "ambientlight",
    "foglight",
];

/// Keywords of a stage that change nothing here.
const STAGE_IGNORED: [&str; 22] = [
    "colored",
    "vertexcolor",
    "inversevertexcolor",
    "nearest",
    "linear",
    "noclamp",
    "uncompressed",
    "highquality",
    "forcehighquality",
    "nopicmip",
    "maskred",
    "maskgreen",
    "maskblue",
    "maskalpha",
    "maskcolor",
    "ignorealphatest",
    "privatepolygonoffset",
    "polygonoffset",
    "fragmentprogram",
    "vertexprogram",
    "program",
    "vertexparm",
];

/// Reads the body of a material of this name, behind its opening bracket.
pub(super) fn read(reader: &mut Reader<'_>, name: &str) -> Material {
    let mut draft = Draft::default();
    let (mut sort, mut has_other_maps) = (None, false);
    loop {
        let Some(token) = reader.tokens.token() else {
            let (_, line) = reader.tokens.position();
            reader.warn(line, "the file ends within it; what was read counts");
            break;
        };
        let word = token.text().to_ascii_lowercase();
        match word.as_str() {
            "}" if !token.quoted => break,
            "{" if !token.quoted => match stage(reader) {
                Layer::Diffuse(stage) => draft.diffuse.push((stage, token.line)),
                Layer::Ambient(stage) => draft.ambient.push((stage, token.line)),
                Layer::Unlit => has_other_maps = true,
                Layer::Nothing => {}
            },
            "diffusemap" => draft.diffuse.push((lit(image(reader, token.line)), token.line)),
            "bumpmap" | "specularmap" => {
                has_other_maps = true;
                image(reader, token.line);
            }
            "twosided" => draft.material.faces = Faces::Both,
            "backsided" => draft.material.faces = Faces::Back,
            "translucent" => draft.is_translucent = true,
            "polygonoffset" | "decal_macro" => {
                sort = sort.or(Some(DECAL));
                if reader.tokens.peek().is_some_and(|token| number(&token).is_some()) {
                    reader.tokens.token();
                }
            }
            "sort" => sort = self::sort(reader, token.line).or(sort),
            _ if IGNORED.contains(&word.as_str()) => reader.skip(&token),
            _ if FOREIGN.iter().any(|start| word.starts_with(start)) => reader.skip(&token),
            _ => reader.skip_unknown(&token),
        }
    }
    draft.finish(reader, name, sort, has_other_maps)
}

/// What is known of a material before all of it was read.
#[derive(Default)]
struct Draft {
    material: Material,
    diffuse: Vec<(Stage, u32)>,
    ambient: Vec<(Stage, u32)>,
    is_translucent: bool,
}

impl Draft {
    /// Light is drawn first, then the other stages. Of a translucent surface light is added to what is
    /// behind it. A material without any stage is not seen.
    fn finish(
        self,
        reader: &mut Reader<'_>,
        name: &str,
        sort: Option<f32>,
        has_other_maps: bool,
    ) -> Material {
        let Self { mut material, mut diffuse, ambient, is_translucent } = self;
        if diffuse.is_empty() && ambient.is_empty() {
            material.hidden = !has_other_maps;
            diffuse.extend(has_other_maps.then(|| (lit(Map::named(name)), 0)));
        }
        for (number, (mut stage, line)) in diffuse.into_iter().chain(ambient).enumerate() {
            let is_lit = stage.color == ColorGen::Lighting;
            if is_lit && (is_translucent || number > 0) {
                stage.blend = Some([Factor::One, Factor::One]);
                stage.depth_write = false;
            }
            reader.push(&mut material, stage, line);
        }
        finished(material, sort)
    }
}

/// What a stage is for.
enum Layer {
    Diffuse(Stage),
    /// Drawn as it is.
    Ambient(Stage),
    /// Normals or highlights.
    Unlit,
    Nothing,
}

fn lit(map: Map) -> Stage {
    Stage { maps: vec![map], color: ColorGen::Lighting, ..Stage::default() }
}

fn sort(reader: &mut Reader<'_>, line: u32) -> Option<f32> {
    let word = reader.word();
    let known = match word.as_str() {
        "subview" => 1.0,
        "opaque" => 3.0,
        "decal" => DECAL,
        "far" => 5.0,
        "medium" => 9.0,
        "close" => 10.0,
        "almostnearest" => 15.0,
        "nearest" => 16.0,
        "postprocess" => 17.0,
        "portalsky" | "gui" => 3.0,
        _ => {
            let number = word.parse().ok().filter(|sort: &f32| sort.is_finite());
            if number.is_none() {
                reader.warn(line, format!("sort: there is no '{word}'; left aside"));
            }
            return number.map(|sort| sort + 3.0);
        }
    };
    Some(known)
}

/// The first path of an image program: `addnormals(a, heightmap(b, 4))` is a.
fn image(reader: &mut Reader<'_>, line: u32) -> Map {
    let mut depth = 0;
    while let Some(token) = reader.tokens.token_on_line() {
        if reader.tokens.peek().is_some_and(|next| next.is("(") && next.line == token.line) {
            reader.tokens.token();
            depth += 1;
            continue;
        }
        let name = token.text();
        while depth > 0 {
            let Some(next) = reader.tokens.token_on_line() else { break };
            depth += usize::from(next.is("("));
            depth -= usize::from(next.is(")"));
        }
        let name = name.trim_end_matches(',');
        return if name.eq_ignore_ascii_case("_white") { Map::White } else { Map::named(name) };
    }
    reader.warn(line, "a picture's name is missing; taken as _white");
    Map::White
}

/// A number, and what is added to it every second.
#[derive(Clone, Copy)]
struct Linear {
    start: f32,
    rate: f32,
}

/// An expression up to its comma or the end of what belongs to it. What is no number and no number times
/// `time` is `otherwise`, with a warning.
fn expression(reader: &mut Reader<'_>, what: &str, line: u32, otherwise: f32) -> Linear {
    let unknown = Linear { start: otherwise, rate: 0.0 };
    let mut product = Linear { start: 1.0, rate: 0.0 };
    loop {
        let Some(token) = reader.tokens.token_on_line() else {
            reader.warn(line, format!("{what}: a number is missing; taken as {otherwise}"));
            return unknown;
        };
        let ends = token.bytes.ends_with(b",");
        let text = token.text().to_ascii_lowercase();
        let text = text.trim_end_matches(',');
        let factor = match number(&token) {
            Some(number) => Some(Linear { start: number, rate: 0.0 }),
            None if text == "time" => Some(Linear { start: 0.0, rate: 1.0 }),
            // Colours of an entity.
            None if matches!(text, "parm0" | "parm1" | "parm2" | "parm3") => {
                Some(Linear { start: 1.0, rate: 0.0 })
            }
            None => None,
        };
        let next = reader.tokens.peek().filter(|next| next.line == token.line && !ends);
        let operator = next.filter(|next| is_operator(next));
        let multiplied = factor.filter(|factor| product.rate == 0.0 || factor.rate == 0.0);
        let Some(factor) = multiplied.filter(|_| operator.is_none_or(|next| next.is("*"))) else {
            let shown = token.shown();
            reader
                .warn(line, format!("{what}: '{shown}...' is not computed; taken as {otherwise}"));
            skip_expression(reader, ends);
            return unknown;
        };
        product = Linear {
            start: product.start * factor.start,
            rate: product.rate * factor.start + product.start * factor.rate,
        };
        if operator.is_none() {
            return product;
        }
        reader.tokens.token();
    }
}

/// An [`expression`] where nothing moves.
fn fixed(reader: &mut Reader<'_>, what: &str, line: u32) -> f32 {
    let Linear { start, rate } = expression(reader, what, line, 1.0);
    if rate == 0.0 {
        return start;
    }
    reader.warn(line, format!("{what}: 'time' is not computed here; taken as 1"));
    1.0
}

fn is_operator(token: &Token<'_>) -> bool {
    matches!(
        token.bytes,
        b"*" | b"/" | b"+" | b"-" | b"%" | b"<" | b">" | b"==" | b"&&" | b"||" | b"("
    ) || token.bytes.first() == Some(&b'[')
}

/// Goes behind the comma of an expression, or to the end of its line.
fn skip_expression(reader: &mut Reader<'_>, mut ended: bool) {
    while !ended && let Some(next) = reader.tokens.peek() {
        if next.is("}") {
            return;
        }
        let Some(token) = reader.tokens.token_on_line() else { return };
        ended = token.bytes.ends_with(b",");
    }
}

fn stage(reader: &mut Reader<'_>) -> Layer {
    let mut stage = Stage::default();
    let (mut layer, mut has_map, mut is_shown): (fn(Stage) -> Layer, _, _) =
        (Layer::Ambient, false, true);
    let mut rgba: [Option<f32>; 4] = [None; 4];
    let mut color_line = 0;
    while let Some(token) = reader.tokens.token().filter(|token| !token.is("}")) {
        let line = token.line;
        let word = token.text().to_ascii_lowercase();
        if matches!(&*word, "red" | "green" | "blue" | "rgb" | "rgba" | "color") {
            color_line = line;
        }
        let value = |reader: &mut Reader<'_>| fixed(reader, &word, line);
        match word.as_str() {
            "blend" => match reader.word().trim_end_matches(',') {
                "diffusemap" => {
                    layer = Layer::Diffuse;
                    stage.color = ColorGen::Lighting;
                }
                "bumpmap" | "specularmap" => layer = |_| Layer::Unlit,
                "blend" => stage.blend = Some([Factor::SrcAlpha, Factor::OneMinusSrcAlpha]),
                "add" => stage.blend = Some([Factor::One, Factor::One]),
                "filter" | "modulate" => stage.blend = Some([Factor::DstColor, Factor::Zero]),
                // Only depth, or nothing at all.
                "none" => is_shown = false,
                first => {
                    let first = first.to_owned();
                    let second = reader.word();
                    let second = if second == "," { reader.word() } else { second };
                    let factors = [reader.factor(&first, line), reader.factor(&second, line)];
                    stage.blend = blending(factors);
                }
            },
            "map" => {
                stage.maps = vec![image(reader, line)];
                has_map = true;
            }
            "cubemap" | "cameracubemap" | "videomap" | "soundmap" | "remoterendermap"
            | "mirrorrendermap" => {
                reader.warn(line, format!("{word} is not drawn; the stage is left out"));
                reader.skip(&token);
                is_shown = false;
            }
            "alphatest" => {
                let least = (f64::from(value(reader)) * 255.0).ceil().clamp(0.0, 255.0);
                stage.alpha_test = Some(AlphaTest::AtLeast(least as u8));
            }
            "clamp" | "zeroclamp" | "alphazeroclamp" => stage.clamp = true,
            "red" | "green" | "blue" | "alpha" => {
                let names = ["red", "green", "blue", "alpha"];
                let channel = names.iter().position(|name| *name == word).unwrap_or(0);
                rgba[channel] = Some(value(reader));
            }
            "rgb" => rgba[..3].fill(Some(value(reader))),
            "rgba" => rgba.fill(Some(value(reader))),
            "color" => {
                for channel in &mut rgba {
                    *channel = Some(value(reader));
                }
            }
            "scroll" | "translate" => {
                let [s, t] = [0, 1].map(|_| expression(reader, &word, line, 0.0));
                if s.start != 0.0 || t.start != 0.0 {
                    let shift = [1.0, 0.0, 0.0, 1.0, s.start, t.start];
                    stage.tc_mods.push(TcMod::Transform(shift));
                }
                if s.rate != 0.0 || t.rate != 0.0 {
                    stage.tc_mods.push(TcMod::Scroll([s.rate, t.rate]));
                }
            }
            "scale" => {
                let scale = [value(reader), value(reader)];
                stage.tc_mods.push(TcMod::Scale(scale));
            }
            "centerscale" => {
                let [s, t] = [value(reader), value(reader)];
                let about = [s, 0.0, 0.0, t, 0.5 - 0.5 * s, 0.5 - 0.5 * t];
                stage.tc_mods.push(TcMod::Transform(about));
            }
            "rotate" => {
                // In turns.
                let turns = expression(reader, &word, line, 0.0);
                if turns.start != 0.0 {
                    let matrix = turned(f64::from(turns.start)).map(|number| number as f32);
                    stage.tc_mods.push(TcMod::Transform(matrix));
                }
                if turns.rate != 0.0 {
                    stage.tc_mods.push(TcMod::Rotate(-360.0 * turns.rate));
                }
            }
            "texgen" => {
                stage.environment = reader.word() == "reflect";
                reader.skip(&token);
            }
            "if" => {
                reader.warn(line, "if: the condition is not computed; the stage is drawn");
                reader.skip(&token);
            }
            _ if STAGE_IGNORED.contains(&word.as_str()) => {
                if word.ends_with("program") || word.ends_with("offset") || word == "vertexparm" {
                    reader.skip(&token);
                }
            }
            _ => reader.skip_unknown(&token),
        }
    }
    if !(has_map && is_shown) {
        return Layer::Nothing;
    }
    stage.tc_mods.truncate(MAX_TC_MODS);
    stage.depth_write = stage.blend.is_none();
    let channel = |value: Option<f32>| value.unwrap_or(1.0).clamp(0.0, 1.0);
    let [red, green, blue, alpha] = rgba.map(channel);
    if [red, green, blue] != [1.0; 3] {
        match stage.color {
            ColorGen::Identity => stage.color = ColorGen::Const([red, green, blue]),
            _ => reader.warn(color_line, "the colour of a diffuse stage is not drawn; taken as 1"),
        }
    }
    if alpha < 1.0 {
        stage.alpha = AlphaGen::Const(alpha);
    }
    layer(stage)
}
