//! Where the state is, in words: counted from 0 where the command line counts so.

use super::State;

impl State {
    /// Number of the skin that is shown.
    pub(crate) fn worn_skin(&self) -> usize {
        self.skin.unwrap_or(self.facts.worn)
    }

    /// Number, of how many, and name of the clip that is shown.
    pub(crate) fn clip_line(&self) -> Option<String> {
        let clip = self.clip()?;
        let number = self.playback.clip()? + 1;
        Some(format!("clip {number} of {}: {}", self.facts.clips.len(), clip.name()))
    }

    /// Number and name of the frame that is shown: of the clip as it plays, else of the file; from 0.
    pub(crate) fn frame_line(&self) -> String {
        let shown = self.blend().from;
        let (number, last) = match self.clip() {
            Some(clip) => (clip.number_of(shown), clip.frames().len() - 1),
            None => (shown, self.facts.frames.saturating_sub(1)),
        };
        let name = self.facts.frame_names.get(shown).filter(|name| !name.is_empty());
        let name = name.map_or_else(String::new, |name| format!(": {name}"));
        format!("frame {number} of 0-{last}{name}")
    }

    /// Number and name of the skin that is shown.
    pub(crate) fn skin_line(&self) -> String {
        let skin = self.worn_skin();
        let last = self.facts.skins.len().saturating_sub(1);
        if let Some(worn) = &self.facts.on_model {
            return format!("skin {skin} of 0-{last}: {worn}");
        }
        match self.facts.skins.get(skin) {
            Some(name) if *name != skin.to_string() => format!("skin {skin} of 0-{last}: {name}"),
            _ => format!("skin {skin} of 0-{last}"),
        }
    }
}
