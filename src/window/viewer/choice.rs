//! The scene of what is chosen in the list.

use std::time::Instant;

use super::Viewer;
use crate::scene::{Input, Scene, Skin};
use crate::window::list::Kind;
use crate::window::list_layout::Layout;
use crate::window::list_panel::preview_side;
use crate::window::preview::Preview;

impl Viewer {
    /// The small picture of what is chosen in the list.
    pub(in crate::window) fn preview(&mut self, layout: &Layout) -> Option<Preview> {
        let (kind, number) = self.state.list.choice()?;
        let side = preview_side(layout)?;
        let mut source = match kind {
            Kind::Files => self.first.source.clone(),
            Kind::Clips | Kind::Skins => self.state.settings.scene().source.clone(),
        };
        let mut scene = Scene { size: Some([side; 2]), ..Scene::default() };
        match kind {
            Kind::Files => source.input = self.inputs[number].clone(),
            Kind::Clips => {
                scene.moment.animation = Some(self.state.facts.clips[number].name().to_owned());
                scene.moment.seconds = Some(0.0);
            }
            Kind::Skins => {
                source.skins.retain(|skin| matches!(skin, Skin::Surface { .. }));
                source.skins.push(self.skins[number].clone());
            }
        }
        scene.source = source;
        let is_stdin = scene.source.input == Input::Stdin;
        let bytes = || self.standard_input.clone().filter(|_| is_stdin);
        Some(self.previews.of(&scene, Instant::now(), bytes))
    }
}
