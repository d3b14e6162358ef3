//! The pictures of one model, one after the other.

use super::Request;
use super::list::{Job, List};
use super::plan::Picture;
use super::run::ThumbsError;
use crate::scene::{Drawing, Opened, Studio};

/// A picture of a model, or why there is none.
pub(super) struct Shot<'a> {
    /// Which of how many; `None` if the model cannot be opened.
    pub(super) picture: Option<(usize, &'a Picture)>,
    pub(super) count: usize,
    pub(super) opened: Option<&'a Opened>,
    pub(super) drawing: Result<Drawing, String>,
}

impl Request {
    /// Draws every picture of a model and hands it on.
    ///
    /// # Errors
    /// What `take` returns.
    pub(super) fn draw(
        &self,
        list: &List,
        job: &Job,
        studio: &mut Studio,
        mut take: impl FnMut(Shot<'_>) -> Result<(), ThumbsError>,
    ) -> Result<(), ThumbsError> {
        let mut opened = match self.open(list, job) {
            Ok(opened) => opened,
            Err(error) => {
                let drawing = Err(error.to_string());
                return take(Shot { picture: None, count: 1, opened: None, drawing });
            }
        };
        let pictures = self.pictures(job, &opened);
        let mut worn = None;
        for (number, picture) in pictures.iter().enumerate() {
            let dressed = if picture.skin == worn { Ok(()) } else { opened.dress(&picture.scene) };
            worn.clone_from(&picture.skin);
            let drawing = dressed.map_err(|error| error.to_string()).and_then(|()| {
                let drawing = studio.thumbnail(&picture.scene, &mut opened, self.is_honest);
                drawing.map_err(|error| error.to_string())
            });
            take(Shot {
                picture: Some((number, picture)),
                count: pictures.len(),
                opened: Some(&opened),
                drawing,
            })?;
        }
        Ok(())
    }

    /// # Errors
    /// If the model cannot be read.
    pub(super) fn open(&self, list: &List, job: &Job) -> Result<Opened, crate::error::OpenError> {
        self.scene_of(&job.input).open_in(&list.places[job.place], self.anims())
    }
}
