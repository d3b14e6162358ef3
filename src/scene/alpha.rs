//! What was decided about the surfaces of a model: opaque, cut out, blended, or as a script says.

use std::sync::Arc;

use super::{Opened, Scene};
use crate::image::{AlphaKind, Image};
use crate::look::Alpha;

/// How a surface is drawn, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SurfaceDecision {
    /// Number of the surface.
    pub surface: usize,
    /// Its name, empty if the format has none.
    pub name: String,
    /// What was decided.
    pub drawn: Decision,
    /// Whether the texture has texels that are not opaque, and no script says what they mean.
    pub has_alpha: bool,
    /// In a few words.
    pub why: String,
}

/// How a surface is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Decision {
    /// Whatever the texture's alpha is.
    Opaque,
    /// Texels with alpha below one half are holes.
    CutOut,
    /// Alpha is how much of the texel is seen.
    Blended,
    /// As a shader script or material says.
    Scripted,
    /// Not at all.
    Hidden,
}

impl Decision {
    /// A word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Opaque => "opaque",
            Self::CutOut => "cut out",
            Self::Blended => "blended",
            Self::Scripted => "scripted",
            Self::Hidden => "hidden",
        }
    }
}

impl Opened {
    /// How each surface of the model is drawn in the scene by the precise renderer, and why.
    #[must_use]
    pub fn decisions(&self, scene: &Scene) -> Vec<SurfaceDecision> {
        // Surfaces that share a picture are neighbours, mostly.
        let mut last: Option<(*const Image, AlphaKind)> = None;
        let mut kind_of = |image: &Arc<Image>| match last {
            Some((known, kind)) if known == Arc::as_ptr(image) => kind,
            _ => {
                let kind = image.alpha_kind();
                last = Some((Arc::as_ptr(image), kind));
                kind
            }
        };
        let surfaces = self.model.surfaces().iter().enumerate();
        let decide = |(surface, of): (usize, &crate::model::Surface)| {
            let entry = self.textures.textures.iter().find(|entry| entry.surface == surface);
            let script = entry.and_then(|entry| entry.script.as_ref());
            let is_hidden = entry.is_some_and(|entry| entry.hidden);
            let kind = of.texture().map_or(AlphaKind::None, &mut kind_of);
            let (drawn, why) = match script {
                Some(script) => {
                    let drawn = if is_hidden { Decision::Hidden } else { Decision::Scripted };
                    let stages = match script.stages {
                        1 => "1 stage".to_owned(),
                        count => format!("{count} stages"),
                    };
                    let (name, file, line) = (&script.name, &script.file, script.line);
                    (drawn, format!("'{name}' in '{file}' (line {line}), {stages}"))
                }
                None if is_hidden => (Decision::Hidden, "the .skin file hides it".to_owned()),
                None => unscripted(scene.look.alpha, kind),
            };
            let has_alpha = script.is_none() && !is_hidden && kind != AlphaKind::None;
            SurfaceDecision { surface, name: of.name().to_owned(), drawn, has_alpha, why }
        };
        surfaces.map(decide).collect()
    }
}

fn unscripted(wanted: Alpha, kind: AlphaKind) -> (Decision, String) {
    let looks = match kind {
        AlphaKind::None => "every texel is opaque".to_owned(),
        AlphaKind::CutOut(percent) => {
            format!("{percent} % of the texels are transparent and of one colour")
        }
        AlphaKind::Mask(percent) => {
            format!("{percent} % of the texels are transparent, with colours under them")
        }
        AlphaKind::Specks => "less than 2 % of the texels are transparent".to_owned(),
        AlphaKind::Graded(percent) => {
            format!("alpha is between 0 and 255; {percent} % of the texels are not opaque")
        }
    };
    match (wanted, kind) {
        (_, AlphaKind::None) => (Decision::Opaque, looks),
        (Alpha::Auto, AlphaKind::CutOut(_)) => (Decision::CutOut, looks),
        (Alpha::Auto, _) => (Decision::Opaque, looks),
        (Alpha::Opaque, _) => (Decision::Opaque, "--alpha opaque".to_owned()),
        (Alpha::Test, _) => (Decision::CutOut, "--alpha test".to_owned()),
        (Alpha::Blend, _) => (Decision::Blended, "--alpha blend".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_a_cut_out_has_holes_by_itself() {
        for (wanted, kind, drawn) in [
            (Alpha::Auto, AlphaKind::None, Decision::Opaque),
            (Alpha::Auto, AlphaKind::CutOut(30), Decision::CutOut),
            (Alpha::Auto, AlphaKind::Mask(30), Decision::Opaque),
            (Alpha::Auto, AlphaKind::Graded(30), Decision::Opaque),
            (Alpha::Auto, AlphaKind::Specks, Decision::Opaque),
            (Alpha::Opaque, AlphaKind::CutOut(30), Decision::Opaque),
            (Alpha::Test, AlphaKind::Graded(30), Decision::CutOut),
            (Alpha::Blend, AlphaKind::Graded(30), Decision::Blended),
            (Alpha::Blend, AlphaKind::None, Decision::Opaque),
        ] {
            assert_eq!(unscripted(wanted, kind).0, drawn, "{wanted:?} {kind:?}");
        }
    }
}
