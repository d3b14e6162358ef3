//! How a row of the table is said: kind and words first, then what is special about it.

use super::{Command, Group, Meaning, Row};
use crate::model::Format;
use crate::scene::RendererKind;

/// A row whose value is a word: a name, a file.
pub(super) const fn word(
    group: Group,
    name: &'static str,
    value: &'static str,
    example: &'static str,
    help: &'static str,
    meaning: Meaning,
) -> Row {
    Row { is_word: true, ..row(group, name, value, example, help, meaning) }
}

/// A row whose value is made of numbers.
pub(super) const fn row(
    group: Group,
    name: &'static str,
    value: &'static str,
    example: &'static str,
    help: &'static str,
    meaning: Meaning,
) -> Row {
    Row { value: Some(value), example, ..on(group, name, help, meaning) }
}

/// A row of a switch.
pub(super) const fn on(
    group: Group,
    name: &'static str,
    help: &'static str,
    meaning: Meaning,
) -> Row {
    Row {
        name,
        short: None,
        value: None,
        help,
        group,
        default: "",
        example: "",
        is_word: false,
        repeats: false,
        commands: &[Command::Render],
        renderers: &[RendererKind::Precise, RendererKind::Classic],
        formats: &[],
        excludes: (&[], ""),
        choices: Vec::new,
        meaning,
    }
}

impl Row {
    pub(super) const fn short(self, letter: char) -> Self {
        Self { short: Some(letter), ..self }
    }

    pub(super) const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    pub(super) const fn repeats(self) -> Self {
        Self { repeats: true, ..self }
    }

    pub(super) const fn of(self, commands: &'static [Command]) -> Self {
        Self { commands, ..self }
    }

    pub(super) const fn by(self, renderers: &'static [RendererKind]) -> Self {
        Self { renderers, ..self }
    }

    pub(super) const fn formats(self, formats: &'static [Format]) -> Self {
        Self { formats, ..self }
    }

    pub(super) const fn not_with(self, others: &'static [&'static str], why: &'static str) -> Self {
        Self { excludes: (others, why), ..self }
    }

    pub(super) const fn one_of(self, choices: fn() -> Vec<(&'static str, &'static str)>) -> Self {
        Self { choices, ..self }
    }
}
