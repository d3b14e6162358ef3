//! What `--watch` looks at: all that the model was made of and might have been made of, and the
//! places that the inputs came from.

use std::path::Path;
use std::time::Instant;

use super::source::ListInputs;
use super::watch::{OF_FOLDERS, OF_MODEL, Watch};
use crate::files::Files;
use crate::scene::Input;

/// Watches for the window, if that was asked for.
#[derive(Default)]
pub(super) struct Watching {
    is_on: bool,
    /// Remembers what the model that was read last has looked at.
    files: Files,
    model: Option<Watch>,
    list: Option<ListInputs>,
    places: Option<Watch>,
}

impl Watching {
    /// `list` lists the inputs again.
    pub(super) fn new(is_on: bool, list: Option<ListInputs>) -> Self {
        Self { is_on, list: list.filter(|_| is_on), ..Self::default() }
    }

    /// For reading a model, of which nothing is known.
    pub(super) fn files(&mut self) -> Files {
        self.files = if self.is_on { Files::recording() } else { Files::default() };
        self.files.clone()
    }

    /// Watches what the model has looked at until now.
    pub(super) fn follow(&mut self) {
        if !self.is_on {
            return;
        }
        let sights = self.files.sights();
        match &mut self.model {
            Some(watch) => watch.follow(&sights),
            None => self.model = Some(Watch::new(&sights, OF_MODEL)),
        }
    }

    /// The window itself has written into a folder.
    pub(super) fn overlook(&mut self, folder: &Path) {
        for watch in [&mut self.model, &mut self.places].into_iter().flatten() {
            watch.overlook(folder);
        }
    }

    /// Whether the model has to be read again.
    pub(super) fn has_changed(&mut self, now: Instant) -> bool {
        self.model.as_mut().is_some_and(|watch| watch.has_changed(now))
    }

    /// Whether there is more than can be watched.
    pub(super) fn is_partial(&self) -> bool {
        [&self.model, &self.places].into_iter().flatten().any(Watch::is_partial)
    }

    /// The inputs that there are now in the places that were named, if they may be others.
    pub(super) fn inputs(&mut self, now: Instant) -> Option<Vec<Input>> {
        let list = self.list.as_mut()?;
        if self.places.as_mut().is_some_and(|watch| !watch.has_changed(now)) {
            return None;
        }
        let files = Files::recording();
        let inputs = list(&files);
        match &mut self.places {
            Some(watch) => watch.follow(&files.sights()),
            None => self.places = Some(Watch::new(&files.sights(), OF_FOLDERS)),
        }
        Some(inputs)
    }
}
