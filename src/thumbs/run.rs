//! Many models side by side, and what is told meanwhile.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{io, thread};

use super::manifest::Line;
use crate::error::{OpenError, RequestError};
use crate::output::WriteError;
use crate::raster::DrawError;
use crate::scene::Studio;

/// What has happened to a picture.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// It was drawn.
    Drawn(&'a Line),
    /// It was there already, and nothing that it was made of has changed.
    Kept(&'a Line),
    /// It could not be drawn: see [`Line::error`].
    Failed(&'a Line),
    /// All of a model is done.
    Done,
}

/// Pictures that were drawn, kept, and could not be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Drawn by this run.
    pub drawn: usize,
    /// There before, and left.
    pub kept: usize,
    /// Models, or pictures of them, that could not be drawn.
    pub failed: usize,
}

/// Tells what happens, and counts it.
pub(super) struct Teller<'a, T> {
    tell: &'a T,
    summary: Mutex<Summary>,
}

impl<'a, T: Fn(Event<'_>)> Teller<'a, T> {
    pub(super) fn new(tell: &'a T) -> Self {
        Self { tell, summary: Mutex::default() }
    }

    pub(super) fn tell(&self, event: Event<'_>) {
        let mut summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Drawn(_) => summary.drawn += 1,
            Event::Kept(_) => summary.kept += 1,
            Event::Failed(_) => summary.failed += 1,
            Event::Done => {}
        }
        drop(summary);
        (self.tell)(event);
    }

    pub(super) fn summary(self) -> Summary {
        self.summary.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a run ended before its list did; what was drawn is there, and the same run goes on from it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThumbsError {
    /// An input cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A picture or the manifest cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Something about the folder or the manifest, which the message names.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No studio.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// What was asked for cannot be.
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// Does `work` for every number below `count`, on several threads with a studio each, in order as far as
/// threads have an order. Ends at the first error.
pub(crate) fn each<E: From<DrawError> + Send>(
    count: usize,
    threads: Option<NonZero<usize>>,
    studio: impl Fn() -> Result<Studio, DrawError> + Sync,
    work: impl Fn(&mut Studio, usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let threads = threads.or_else(|| thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZero::get).min(count);
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<E>> = Mutex::new(None);
    let worker = || {
        let run = || {
            let mut studio = studio()?;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok(());
                }
                work(&mut studio, number)?;
                studio.forget_textures();
            }
        };
        if let Err(error) = run() {
            next.store(count, Ordering::Relaxed);
            failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    };
    thread::scope(|scope| {
        // The calling thread works too; without more threads it does all.
        for _ in 1..threads {
            let _ = thread::Builder::new().spawn_scoped(scope, worker);
        }
        worker();
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}
