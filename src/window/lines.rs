//! What lies over the picture, and what is written there: the model's name, its clip, its numbers.

use std::time::Instant;

use super::keys::Body;
use super::list_layout::Layout;
use super::list_panel::Panel;
use super::notices::Detail;
use super::overlay::{Overlay, Place};
use super::swatches::Swatches;
use super::timeline::Timeline;
use super::viewer::{FPS_WINDOW, STATS_HOLD, Viewer};
use crate::model::Model;
use crate::scene::Opened;

impl Viewer {
    pub(super) fn make_overlay(&mut self) -> Overlay {
        let shown = self.state.shown;
        let mut overlay = Overlay::default();
        let marks = self.picture.marks(&self.state);
        let mut notes = marks.notes.clone();
        overlay.marks(marks, self.state.placement());
        if shown.axes {
            overlay.axes(&self.state.orbit, self.state.yaw());
        }
        if shown.timeline && self.picture.model().is_some() {
            overlay.timeline(Timeline::of(&self.state));
        }
        if shown.name {
            overlay.text(Place::BottomLeft, self.name_lines());
        }
        // The list lies over these.
        let is_free = !self.state.list.is_open();
        if let Some(opened) = self.picture.opened().filter(|_| shown.facts && is_free) {
            overlay.text(Place::TopLeft, fact_lines(opened));
        }
        if is_free && (self.state.messages || self.state.told == Detail::All) {
            overlay.words(Place::BottomLeft, self.notices.lines(self.state.told));
        }
        if shown.stats && is_free {
            overlay.text(Place::TopRight, self.stat_lines());
        }
        if let Some(swatches) = shown.palette.then(|| Swatches::of(&self.picture)).flatten() {
            notes.push(swatches.note());
            overlay.swatches(swatches);
        }
        if let Some(pointer) = self.state.pointer().filter(|_| shown.pick) {
            notes.extend(self.picture.pick(&self.state, pointer));
        }
        let both = self.versus_lines(&self.state);
        if !both.is_empty() {
            overlay.text(Place::BottomLeft, both);
        }
        if !notes.is_empty() {
            overlay.text(Place::TopLeft, notes);
        }
        if let Some(error) = self.picture.error() {
            overlay.error(Place::Middle, "This cannot be shown:", error);
        }
        if let Some(error) = &self.error {
            if self.picture.model().is_some() {
                overlay.error(Place::Bottom, "As it was; now it cannot be read:", error);
            } else {
                overlay.error(Place::Middle, "This cannot be read:", error);
            }
        }
        if let Some(message) = self.state.message() {
            overlay.text(Place::Bottom, [message.to_owned()]);
        }
        let layout = Layout::of(self.state.window());
        let preview = self.preview(&layout);
        if let Some(panel) = Panel::of(&mut self.state.list, layout, preview) {
            overlay.list(panel);
        }
        if shown.keys {
            overlay.help(self.state.help_page());
        }
        overlay
    }

    fn name_lines(&self) -> Vec<String> {
        let state = &self.state;
        let mut lines = vec![self.name()];
        if self.inputs.len() > 1 {
            lines.push(format!("model {} of {}", state.input + 1, self.inputs.len()));
        }
        lines.extend(state.clip_line());
        lines.push(state.frame_line());
        let bodies = [(Body::Legs, "legs"), (Body::Torso, "torso")];
        lines.extend(bodies.into_iter().filter_map(|(body, part)| {
            state.settings.body_clip(body).map(|clip| format!("{part}: {clip}"))
        }));
        lines.push(state.skin_line());
        lines
    }

    fn stat_lines(&mut self) -> Vec<String> {
        let now = Instant::now();
        if self.stats_made.is_none_or(|made| now - made >= STATS_HOLD) {
            self.stats_made = Some(now);
            let recent = self.frames.iter().filter(|&&frame| now - frame <= FPS_WINDOW).count();
            let stages = self.picture.stats();
            let all: f64 = stages.iter().map(|stage| stage.milliseconds).sum();
            self.stats = vec![format!("{recent} fps"), format!("{all:.2} ms")];
            let line = |stage: &crate::raster::StageStats| {
                format!("{} {:.2}", stage.stage, stage.milliseconds)
            };
            self.stats.extend(stages.iter().map(line));
        }
        self.stats.clone()
    }
}

fn fact_lines(opened: &Opened) -> Vec<String> {
    let models = || opened.members().map(|(_, member)| &member.model);
    let surfaces = || models().flat_map(Model::surfaces);
    let vertices: usize = surfaces().map(|surface| surface.vertex_count()).sum();
    let mut lines = vec![
        format!("format {}", opened.model.format().extension()),
        format!("surfaces {}", surfaces().count()),
        format!("vertices {vertices}"),
        format!("triangles {}", opened.triangle_count()),
        format!("frames {}", opened.model.frame_count()),
        format!("clips {}", opened.clips().len()),
    ];
    if models().count() > 1 {
        lines.insert(0, format!("models {}", models().count()));
    }
    let tags: usize = models().map(|model| model.tag_names().len()).sum();
    if tags > 0 {
        lines.push(format!("tags {tags}"));
    }
    let warnings: usize = models().map(|model| model.warnings().len()).sum();
    if warnings > 0 {
        lines.push(format!("warnings {warnings}"));
    }
    lines
}
