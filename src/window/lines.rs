//! What is written about the model: its name, where it is in its clip, its numbers.

use std::time::Instant;

use super::keys::Body;
use super::viewer::{FPS_WINDOW, STATS_HOLD, Viewer};
use crate::model::Model;
use crate::scene::Opened;

impl Viewer {
    pub(super) fn name_lines(&self) -> Vec<String> {
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

    pub(super) fn stat_lines(&mut self) -> Vec<String> {
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

pub(super) fn fact_lines(opened: &Opened) -> Vec<String> {
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
