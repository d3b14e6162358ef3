//! Thumbnails of many models.
//!
//! A [`Request`] says what to draw of every model, a [`List`] which models there are. [`draw_into`] a
//! folder keeps a manifest, from which a later run goes on: it draws what is missing or has changed.
//! [`fill_cache`] serves the file managers of desktops. Models are drawn side by side, each by one
//! thread; the pictures do not depend on how many there are.

mod cache;
mod draw;
mod folder;
mod list;
mod manifest;
mod page;
mod plan;
mod run;
mod shard;
mod sheet;
mod tasks;
mod template;

pub use cache::{CacheSize, fill_cache};
pub use folder::{Destination, draw_into, is_foreign};
pub use list::List;
pub use manifest::{Line, Worn};
#[cfg(feature = "check")]
pub(crate) use page::filled;
pub use page::write_page;
#[cfg(feature = "check")]
pub(crate) use run::each;
pub use run::{Event, Summary, ThumbsError};
pub use shard::Shard;
pub use sheet::{Sheet, SheetStyle, draw_sheet};
pub use tasks::{Place, Places, Task};
pub use template::{Template, split, split_any};

use crate::error::RequestError;
use crate::scene::Scene;
use template::Field;

/// What to draw of every model.
#[derive(Clone, Debug)]
pub struct Request {
    scene: Scene,
    side: u32,
    is_honest: bool,
    poses: Poses,
    template: Template,
}

/// Which pictures there are of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poses {
    /// One of every skin, rather than of one.
    pub all_skins: bool,
    /// One of every clip, rather than of the pose that a thumbnail shows.
    pub all_clips: bool,
    /// Of each clip, or of the model, these frames.
    pub frames: Option<FrameChoice>,
}

/// Frames of a clip or of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameChoice {
    /// Each.
    All,
    /// So many, spread evenly from the first on; all if there are fewer.
    Count(usize),
}

impl Request {
    /// Pictures of `side` x `side` pixels. `scene` says what is the same for all; its input and size do
    /// not count. Without a template a picture is called like its model, extension included, in the
    /// same folders, and has `-skin0`, `-run`, `-0007` where there are several.
    ///
    /// # Errors
    /// If there are no pictures of that size, the scene contradicts itself, or a template would call several
    /// pictures the same.
    pub fn new(
        mut scene: Scene,
        side: u32,
        is_honest: bool,
        poses: Poses,
        template: Option<Template>,
    ) -> Result<Self, RequestError> {
        scene.set("size", side.to_string())?;
        scene.check()?;
        let several = [
            (poses.all_skins, Field::Skin, "-skin{skin}"),
            (poses.all_clips, Field::Clip, "-{clip}"),
            (poses.frames.is_some(), Field::Frame, "-{frame:4}"),
        ];
        let several = several.iter().filter(|(is_asked, ..)| *is_asked);
        let template = if let Some(template) = template {
            if let Some((.., text)) = several.clone().find(|(_, field, _)| !template.has(*field)) {
                let field = text.trim_start_matches(|c| c != '{');
                return Err(RequestError::new(format!(
                    "several pictures of a model would be called the same: the name needs {field}"
                )));
            }
            template
        } else {
            let ends: String = several.map(|(.., text)| *text).collect();
            format!("{{dir}}/{{file}}{ends}.png").parse()?
        };
        Ok(Self { scene, side, is_honest, poses, template })
    }
}
