//! The threads that a renderer draws with.

use std::io;
use std::sync::LazyLock;

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

use super::error::DrawError;

/// A renderer's threads.
#[derive(Debug, Default)]
pub(crate) enum Threads {
    /// As many as the machine has, shared by all renderers.
    #[default]
    All,
    /// The caller's.
    One,
    /// Of this renderer alone.
    Own(ThreadPool),
}

/// Started by the first draw that is worth it; `None` if the system refuses, and one thread draws.
static SHARED: LazyLock<Option<ThreadPool>> = LazyLock::new(|| start(0, spawn).ok());

impl Threads {
    /// As many threads (0: all cores).
    ///
    /// # Errors
    /// If they cannot be started.
    pub(crate) fn new(threads: usize) -> Result<Self, DrawError> {
        match threads {
            0 => Ok(Self::All),
            1 => Ok(Self::One),
            _ => Ok(Self::Own(start(threads, spawn)?)),
        }
    }

    /// How many there are to draw with.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::All if is_pooled() => rayon::current_num_threads(),
            Self::All => count(SHARED.as_ref()),
            Self::One => 1,
            Self::Own(pool) => pool.current_num_threads(),
        }
    }

    /// Runs a task in which rayon finds these threads, or the pool of the application that calls
    /// from one.
    pub(crate) fn run(&self, task: impl FnOnce() + Send) {
        let pool = match self {
            Self::Own(pool) => Some(pool),
            Self::All if !is_pooled() => SHARED.as_ref(),
            Self::All | Self::One => None,
        };
        match pool {
            Some(pool) => pool.install(|| {
                // A second thread wakes up while the task begins with what one does alone.
                rayon::spawn(|| ());
                task();
            }),
            None => task(),
        }
    }
}

/// Whether this is a thread of some pool.
fn is_pooled() -> bool {
    rayon::current_thread_index().is_some()
}

fn count(pool: Option<&ThreadPool>) -> usize {
    pool.map_or(1, ThreadPool::current_num_threads)
}

/// A pool whose threads `spawn` starts.
fn start(
    threads: usize,
    spawn: impl FnMut(ThreadBuilder) -> io::Result<()>,
) -> Result<ThreadPool, DrawError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).spawn_handler(spawn).build();
    pool.map_err(|error| DrawError::Threads { threads, reason: error.to_string() })
}

fn spawn(thread: ThreadBuilder) -> io::Result<()> {
    let builder = std::thread::Builder::new().name(format!("polyset {}", thread.index()));
    builder.spawn(|| thread.run()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_threads_one_is_left() {
        // The second thread is refused.
        let mut left = 1;
        let refusing = |thread: ThreadBuilder| {
            if left == 0 {
                return Err(io::Error::other("no more processes"));
            }
            left -= 1;
            spawn(thread)
        };
        let error = start(3, refusing).unwrap_err();
        let DrawError::Threads { threads: 3, reason } = &error else { panic!("{error}") };
        assert!(reason.contains("no more processes"), "{reason}");
        assert_eq!(count(None), 1);
        assert_eq!(count(start(3, spawn).ok().as_ref()), 3);
    }
}
