//! Studios that draw the pictures of an animation side by side.

use std::io;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::write::MotionError;
use crate::raster::Renderer;
use crate::scene::{Drawing, Opened, Scene, Studio};

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

    /// Does something for every number below `count`, on all threads.
    pub(crate) fn each<T: Send>(
        &self,
        count: usize,
        work: impl Fn(usize) -> T + Sync + Send,
    ) -> Vec<T> {
        self.pool.install(|| (0..count).into_par_iter().map(work).collect())
    }
}
