//! What shader scripts and materials have in common: words, numbers and waves with warnings by line.

use crate::error::{Place, Warning};
use crate::model::{DepthTest, Factor, Material, Stage, Wave, WaveShape};
use crate::tokens::{Token, Tokens};

/// Stages of a material that are read.
const MAX_STAGES: usize = 16;
/// Changes of texture coordinates of a stage that are made.
pub(super) const MAX_TC_MODS: usize = 16;

/// Reads one definition; what is odd about it is kept.
pub(super) struct Reader<'a> {
    pub(super) tokens: Tokens<'a>,
    /// What is read, in warnings.
    part: String,
    pub(super) warnings: Vec<Warning>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(tokens: Tokens<'a>, part: String) -> Self {
        Self { tokens, part, warnings: Vec::new() }
    }

    pub(super) fn warn(&mut self, line: u32, message: impl Into<String>) {
        let message = message.into();
        self.warnings.push(Warning::new(Place::Line(line), self.part.clone(), message));
    }

    /// A word that means nothing here, with the rest of its statement.
    pub(super) fn skip_unknown(&mut self, token: &Token<'_>) {
        self.warn(token.line, format!("unknown word '{}'; left aside", token.shown()));
        self.tokens.skip_statement(token);
    }

    /// Leaves the rest of a statement aside.
    pub(super) fn skip(&mut self, token: &Token<'_>) {
        self.tokens.skip_statement(token);
    }

    /// The next word of the line in lower case; empty at its end.
    pub(super) fn word(&mut self) -> String {
        let token = self.tokens.token_on_line();
        token.map(|token| token.text().to_ascii_lowercase()).unwrap_or_default()
    }

    /// The next word of the line as it stands.
    pub(super) fn name(&mut self) -> Option<String> {
        self.tokens.token_on_line().map(|token| token.text())
    }

    /// The next word of the line as a number, without brackets and a comma behind it. What is none is
    /// 0, with a warning.
    pub(super) fn number(&mut self, what: &str, line: u32) -> f32 {
        loop {
            let Some(token) = self.tokens.token_on_line() else {
                self.warn(line, format!("{what}: a number is missing; taken as 0"));
                return 0.0;
            };
            if token.is("(") || token.is(")") || token.is(",") {
                continue;
            }
            let found = number(&token);
            if found.is_none() {
                let shown = token.shown();
                self.warn(line, format!("{what}: expected a number, found '{shown}'; taken as 0"));
            }
            return found.unwrap_or(0.0);
        }
    }

    pub(super) fn numbers<const N: usize>(&mut self, what: &str, line: u32) -> [f32; N] {
        let mut numbers = [0.0; N];
        for value in &mut numbers {
            *value = self.number(what, line);
        }
        numbers
    }

    /// Base, amplitude, phase and frequency.
    pub(super) fn wave_of(&mut self, shape: WaveShape, what: &str, line: u32) -> Wave {
        let [base, amplitude, phase, frequency] = self.numbers(what, line);
        Wave { shape, base, amplitude, phase, frequency }
    }

    /// A shape and its four numbers.
    pub(super) fn wave(&mut self, what: &str, line: u32) -> Wave {
        let word = self.word();
        let shape = match word.as_str() {
            "sin" => WaveShape::Sin,
            "square" => WaveShape::Square,
            "triangle" => WaveShape::Triangle,
            "sawtooth" => WaveShape::Sawtooth,
            "inversesawtooth" => WaveShape::InverseSawtooth,
            "noise" => WaveShape::Noise,
            _ => {
                self.warn(line, format!("{what}: there is no wave '{word}'; taken as sin"));
                WaveShape::Sin
            }
        };
        self.wave_of(shape, what, line)
    }

    /// A factor of OpenGL by its name, with or without `GL_`.
    pub(super) fn factor(&mut self, word: &str, line: u32) -> Factor {
        let word = word.trim_end_matches(',');
        let found = match word.strip_prefix("gl_").unwrap_or(word) {
            "zero" => Some(Factor::Zero),
            "one" => Some(Factor::One),
            "src_color" => Some(Factor::SrcColor),
            "one_minus_src_color" => Some(Factor::OneMinusSrcColor),
            "dst_color" => Some(Factor::DstColor),
            "one_minus_dst_color" => Some(Factor::OneMinusDstColor),
            "src_alpha" => Some(Factor::SrcAlpha),
            "one_minus_src_alpha" => Some(Factor::OneMinusSrcAlpha),
            "dst_alpha" => Some(Factor::DstAlpha),
            "one_minus_dst_alpha" => Some(Factor::OneMinusDstAlpha),
            "src_alpha_saturate" => Some(Factor::SrcAlphaSaturate),
            _ => None,
        };
        found.unwrap_or_else(|| {
            self.warn(line, format!("there is no blend factor '{word}'; taken as GL_ONE"));
            Factor::One
        })
    }

    /// Adds a stage if there is room.
    pub(super) fn push(&mut self, material: &mut Material, stage: Stage, line: u32) {
        if material.stages.len() < MAX_STAGES {
            material.stages.push(stage);
        } else {
            self.warn(line, format!("more than {MAX_STAGES} stages; left out"));
        }
    }
}

/// A finite number, maybe with a comma behind it.
pub(super) fn number(token: &Token<'_>) -> Option<f32> {
    let text = std::str::from_utf8(token.bytes).ok().filter(|_| !token.quoted)?;
    text.trim_end_matches(',').parse().ok().filter(|value: &f32| value.is_finite())
}

/// Factors that blend; ONE and ZERO replace what is there.
pub(super) fn blending(factors: [Factor; 2]) -> Option<[Factor; 2]> {
    (factors != [Factor::One, Factor::Zero]).then_some(factors)
}

/// The value of `sort` of what lies on other surfaces.
pub(super) const DECAL: f32 = 4.0;

/// What follows from all stages together: the order, where nothing was said, and that stages on top of
/// an opaque one, and those that blend, are drawn where they are as near as what is there.
pub(super) fn finished(mut material: Material, sort: Option<f32>) -> Material {
    material.sort = sort.unwrap_or_else(|| Material::default_sort(&material.stages));
    for (number, stage) in material.stages.iter_mut().enumerate() {
        let is_on_top = number > 0 || stage.blend.is_some();
        if is_on_top && stage.depth_test == DepthTest::Nearer {
            stage.depth_test = DepthTest::NotFarther;
        }
    }
    material
}
