//! Studios that draw the pictures of an animation side by side.

use std::io;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::write::MotionError;
use crate::image::Pixels;
use crate::look::ColorMode;
use crate::raster::Renderer;
use crate::scene::{Background, Drawing, Opened, Scene, Studio};

/// Draws pictures of one model on several threads, a picture each.
#[derive(Debug)]
pub struct Crew<'a> {
    pool: rayon::ThreadPool,
    opened: &'a Opened,
    /// Studios that are not in use, and the models that they have drawn.
    idle: Mutex<Vec<(Studio, Option<Opened>)>>,
}

impl<'a> Crew<'a> {
    /// A thread for every studio, which draws on that one alone; at least one.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(opened: &'a Opened, studios: Vec<Studio>) -> Result<Self, MotionError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(studios.len().max(1)).build();
        let pool = pool.map_err(io::Error::other)?;
        let idle = studios.into_iter().map(|studio| (studio.on_one_thread(), None)).collect();
        Ok(Self { pool, opened, idle: Mutex::new(idle) })
    }

    /// The model that is drawn.
    pub(crate) fn opened(&self) -> &'a Opened {
        self.opened
    }

    /// How many pictures of a size are worked on at once: enough for all threads, and not more memory
    /// than a few frames of a film take.
    pub(crate) fn batch(&self, [width, height]: [u32; 2]) -> usize {
        const BYTES: u64 = 256 << 20;
        let picture = u64::from(width) * u64::from(height) * 4;
        let threads = self.pool.current_num_threads() as u64;
        (BYTES / picture.max(1)).clamp(threads, 8 * threads) as usize
    }

    /// Draws pictures, and makes something of each on the same thread. The results are in the order of the
    /// scenes.
    ///
    /// # Errors
    /// The first error in that order.
    pub(crate) fn draw<T: Send>(
        &self,
        scenes: &[&Scene],
        make: impl Fn(usize, Drawing) -> Result<T, MotionError> + Sync + Send,
    ) -> Result<Vec<T>, MotionError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let draw = |(number, scene): (usize, &&Scene)| {
            let free = idle().pop();
            let (mut studio, opened) =
                free.unwrap_or_else(|| (Studio::new(Renderer::new()).on_one_thread(), None));
            let mut opened = opened.unwrap_or_else(|| self.opened.clone());
            let drawing = studio.draw(scene, &mut opened);
            idle().push((studio, Some(opened)));
            make(number, drawing?)
        };
        // Collected first: of several errors the first one counts.
        let drawn: Vec<Result<T, MotionError>> =
            self.pool.install(|| scenes.par_iter().enumerate().map(draw).collect());
        drawn.into_iter().collect()
    }

    /// Pictures of indices are empty where they have an index that the model has nowhere. If the usual one
    /// is drawn in any of some scenes, and none was said, all of them get another: the highest that no picture
    /// has.
    ///
    /// # Errors
    /// If a picture cannot be drawn.
    pub(crate) fn free_background(&self, scenes: &mut [&mut Scene]) -> Result<(), MotionError> {
        let Some(first) = scenes.first() else { return Ok(()) };
        let is_open = matches!(first.background, None | Some(Background::Transparent));
        // What is translucent mixes with what is behind it.
        let is_mixed = first.engine.alpha.is_some() || first.engine.shell.is_some();
        if first.color_mode() != ColorMode::Indexed || !is_open || is_mixed {
            return Ok(());
        }
        let batch = self.batch(first.picture_size());
        let (mut used, mut is_drawn) = ([false; 256], false);
        for scenes in scenes.chunks(batch) {
            let scenes: Vec<&Scene> = scenes.iter().map(|scene| &**scene).collect();
            for image in self.draw(&scenes, |_, drawing| Ok(drawing.image))? {
                if let Pixels::Indexed { indices, transparent, .. } = image.pixels() {
                    indices.iter().for_each(|&index| used[usize::from(index)] = true);
                    is_drawn |= transparent.is_none();
                }
            }
        }
        let free = (0..=u8::MAX).rev().find(|&index| !used[usize::from(index)]);
        if let (true, Some(free)) = (is_drawn, free) {
            for scene in scenes {
                scene.background = Some(Background::Index(free));
            }
        }
        Ok(())
    }

    /// Does something for every number below `count`, on all threads.
    pub(crate) fn each<T: Send>(
        &self,
        count: usize,
        work: impl Fn(usize) -> T + Sync + Send,
    ) -> Vec<T> {
        self.pool.install(|| (0..count).into_par_iter().map(work).collect())
    }
}
