//! What a surface is drawn in: one pass without a script, one for each stage with one.

use super::instance::Instance;
use super::mix::Mix;
use super::texture::AlphaUse;
use crate::light::LightRamp;
use crate::look::{Alpha, ColorMode, Cull, Draw, Look, ShaderStages};
use crate::model::{
    AlphaGen, AlphaTest, ColorGen, DepthTest, Faces, Factor, Map, Material, SORT_OPAQUE, Stage,
    Surface,
};

/// The value of `sort` of surfaces that `--alpha blend` makes translucent: behind all that are opaque.
const SORT_TRANSLUCENT: f32 = 5.0;

/// How one pass over the triangles of a surface is drawn.
pub(crate) struct Pass<'a> {
    pub(crate) sort: f32,
    pub(crate) cull: Cull,
    pub(crate) picture: Picture<'a>,
    pub(crate) alpha: AlphaUse,
    /// `None` is the light of the look.
    pub(crate) light: Option<LightRamp>,
    pub(crate) mix: Option<Mix>,
    /// `mix` is for a texture that has alpha at all.
    pub(crate) is_mixed_if_translucent: bool,
    /// Whose texture coordinates it has.
    pub(crate) stage: Option<&'a Stage>,
}

/// What a pass shows.
#[derive(Clone, Copy)]
pub(crate) enum Picture<'a> {
    /// The surface's texture.
    Texture,
    White,
    Map(&'a Map),
}

/// Whether a draw of these may mix pixels with what is there.
pub(crate) fn may_mix(instances: &[Instance<'_>]) -> bool {
    instances.iter().any(|instance| {
        let surfaces = &instance.model.surfaces;
        instance.look.alpha == Alpha::Blend || surfaces.iter().any(|s| s.material.is_some())
    })
}

/// The passes of a surface, in their order.
pub(crate) fn passes<'a>(
    surface: &'a Surface,
    look: &'a Look,
    color: ColorMode,
    time: f64,
) -> impl Iterator<Item = Pass<'a>> {
    let material = surface.material.as_deref().filter(|_| look.stages != ShaderStages::None);
    let is_staged = look.draw == Draw::Textured;
    let plain = match material {
        None => Some(unscripted(look)),
        Some(material) if is_staged || material.hidden => None,
        Some(material) => {
            Some(Pass { cull: culled(look.cull, material.faces), ..unscripted(look) })
        }
    };
    let staged = material.filter(|material| is_staged && !material.hidden);
    let staged = staged.into_iter().flat_map(move |material| {
        let main = material.main_stage();
        let is_drawn =
            move |number: usize| look.stages == ShaderStages::All || Some(number) == main;
        let stages =
            material.stages.iter().enumerate().filter(move |(number, _)| is_drawn(*number));
        stages.map(move |(number, stage)| {
            let is_alone = look.stages == ShaderStages::First && number > 0;
            of_stage(material, stage, is_alone, look, color, time)
        })
    });
    plain.into_iter().chain(staged)
}

/// The faces that are left out where a material shows some of them.
fn culled(wanted: Cull, faces: Faces) -> Cull {
    match (wanted, faces) {
        (Cull::None, _) | (_, Faces::Both) => Cull::None,
        (cull, Faces::Front) => cull,
        (Cull::Back, Faces::Back) => Cull::Front,
        (Cull::Front, Faces::Back) => Cull::Back,
    }
}

fn unscripted(look: &Look) -> Pass<'static> {
    let alpha = match look.alpha {
        Alpha::Auto => AlphaUse::CutOut,
        Alpha::Opaque => AlphaUse::Ignored,
        Alpha::Test => AlphaUse::Test(AlphaTest::AtLeast(128), 256),
        Alpha::Blend => AlphaUse::KeptIfAny,
    };
    let mix = Mix {
        factors: [Factor::SrcAlpha, Factor::OneMinusSrcAlpha],
        alpha_test: Some(AlphaTest::AtLeast(1)),
        depth_test: DepthTest::NotFarther,
        depth_write: true,
        clamp: false,
        tint: None,
        alpha: 256,
    };
    let mix = Some(mix).filter(|_| look.alpha == Alpha::Blend && look.draw == Draw::Textured);
    Pass {
        sort: if mix.is_some() { SORT_TRANSLUCENT } else { SORT_OPAQUE },
        cull: look.cull,
        picture: Picture::Texture,
        alpha,
        light: None,
        is_mixed_if_translucent: mix.is_some(),
        mix,
        stage: None,
    }
}

/// A stage; one that `is_alone` although others lie below it is drawn as if it were the lowest.
fn of_stage<'a>(
    material: &Material,
    stage: &'a Stage,
    is_alone: bool,
    look: &Look,
    color: ColorMode,
    time: f64,
) -> Pass<'a> {
    let units = |value: f64| (value.clamp(0.0, 1.0) * 256.0 + 0.5).floor() as u32;
    let scale = match stage.alpha {
        AlphaGen::Identity => 256,
        AlphaGen::Const(alpha) => units(alpha.into()),
        AlphaGen::Wave(wave) => units(wave.at(time)),
    };
    let (light, tint) = match stage.color {
        ColorGen::Lighting => (None, None),
        ColorGen::Identity => (Some(1.0), None),
        ColorGen::Wave(wave) => (Some(wave.at(time).clamp(0.0, 1.0) as f32), None),
        ColorGen::Const(rgb) => (Some(1.0), Some(rgb.map(|channel| units(channel.into())))),
    };
    let blend = stage.blend.filter(|_| !is_alone);
    let mix = Mix {
        factors: blend.unwrap_or([Factor::One, Factor::Zero]),
        alpha_test: stage.alpha_test,
        depth_test: if is_alone { DepthTest::Nearer } else { stage.depth_test },
        depth_write: stage.depth_write || is_alone,
        clamp: stage.clamp,
        tint,
        alpha: scale,
    };
    let is_plain =
        blend.is_none() && mix.depth_test == DepthTest::Nearer && !mix.clamp && tint.is_none();
    let alpha = match (is_plain, stage.alpha_test) {
        (false, _) => AlphaUse::Kept,
        (true, Some(test)) => AlphaUse::Test(test, scale),
        (true, None) => AlphaUse::Ignored,
    };
    Pass {
        sort: material.sort,
        cull: culled(look.cull, material.faces),
        picture: match stage.map(time) {
            Some(Map::White) | None => Picture::White,
            Some(map) => Picture::Map(map),
        },
        alpha,
        light: light.map(|light| LightRamp::constant(light, color)),
        mix: (!is_plain).then_some(mix),
        is_mixed_if_translucent: false,
        stage: Some(stage),
    }
}
