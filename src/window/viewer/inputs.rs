//! The row of inputs, and what `--watch` brings.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use super::{Viewer, printable};
use crate::scene::Input;

impl Viewer {
    /// Reads the input again if anything has changed that it was made of, and takes in new inputs.
    pub(in crate::window) fn watch(&mut self, now: Instant) {
        let was_partial = self.watching.is_partial();
        if self.watching.has_changed(now) {
            self.reload();
        }
        if let Some(found) = self.watching.inputs(now) {
            self.add_inputs(found);
        }
        if self.watching.is_partial() != was_partial {
            self.inspect();
        }
    }

    /// Shows what a path leads to, behind the input that is shown now.
    pub(super) fn add(&mut self, path: &Path) {
        let mut scene = self.first.clone();
        scene.source.input = Input::from(path.as_os_str());
        match scene.inputs() {
            Ok((inputs, warnings)) => {
                let next = self.state.input + 1;
                let count = inputs.len();
                self.opened_before = self
                    .opened_before
                    .iter()
                    .map(|&n| if n < next { n } else { n + count })
                    .collect();
                self.inputs.splice(next..next, inputs);
                self.name_inputs();
                self.load(next);
                if let Some(warning) = warnings.first() {
                    self.state.say(printable(warning));
                }
            }
            Err(error) => self.state.say(printable(&error.to_string())),
        }
    }

    /// Takes those of some inputs that are not known behind the others.
    fn add_inputs(&mut self, found: Vec<Input>) {
        let known: HashSet<&Input> = self.inputs.iter().collect();
        let new: Vec<Input> = found.into_iter().filter(|input| !known.contains(input)).collect();
        match &new[..] {
            [] => return,
            [one] => self.state.say(format!("new: {}", printable(&one.name()))),
            more => self.state.say(format!("{} new files", more.len())),
        }
        self.inputs.extend(new);
        self.name_inputs();
    }

    pub(super) fn name_inputs(&mut self) {
        self.state.set_inputs(self.inputs.iter().map(|input| printable(&input.name())).collect());
    }
}
