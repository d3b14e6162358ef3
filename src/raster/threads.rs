//! The threads that a renderer draws with.

use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon::{Scope, ThreadBuilder, ThreadPool, ThreadPoolBuilder};

use super::error::DrawError;

/// A renderer's threads.
#[derive(Debug, Default)]
pub(crate) enum Threads {
    /// As many as the machine has: the caller's, and others that all renderers share.
    #[default]
    All,
    /// The caller's.
    One,
    /// The caller's, and these of this renderer alone.
    Own(ThreadPool),
}

/// One thread fewer than the machine has cores, as the caller draws, too. Started by the first draw that is worth it;
/// `None` on one core, or if the system refuses: then one thread draws.
static SHARED: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    if cores > 1 { start(cores - 1, spawn).ok() } else { None }
});

impl Threads {
    /// As many threads (0: all cores).
    ///
    /// # Errors
    /// If they cannot be started.
    pub(crate) fn new(threads: usize) -> Result<Self, DrawError> {
        match threads {
            0 => Ok(Self::All),
            1 => Ok(Self::One),
            _ => Ok(Self::Own(start(threads - 1, spawn)?)),
        }
    }

    /// How many there are to draw with.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::All if is_pooled() => rayon::current_num_threads(),
            Self::All => count(SHARED.as_ref()),
            Self::One => 1,
            Self::Own(pool) => count(Some(pool)),
        }
    }

    /// Works off pieces on these threads, each taking the next piece when it is done with one. The calling thread is one
    /// of them. `work` is told the number of its thread, less than [`Self::count`].
    pub(crate) fn share<T>(
        &self,
        pieces: impl ExactSizeIterator<Item = T> + Send,
        work: impl Fn(usize, T) + Sync,
    ) {
        self.work_off(pieces, |pieces, _| pieces.next(), work);
    }

    /// The same, with every other thread taking the last piece instead of the next: of pieces that are neighbours in
    /// memory most are those that the thread has had in the stage and the frame before, and has in its cache.
    pub(crate) fn share_from_ends<T, I>(&self, pieces: I, work: impl Fn(usize, T) + Sync)
    where
        I: ExactSizeIterator<Item = T> + DoubleEndedIterator + Send,
    {
        let take = |pieces: &mut I, thread: usize| {
            if thread.is_multiple_of(2) { pieces.next() } else { pieces.next_back() }
        };
        self.work_off(pieces, take, work);
    }

    /// Works off pieces, which `take` takes for a thread.
    fn work_off<T, I: ExactSizeIterator<Item = T> + Send>(
        &self,
        pieces: I,
        take: impl Fn(&mut I, usize) -> Option<T> + Sync,
        work: impl Fn(usize, T) + Sync,
    ) {
        let helpers = pieces.len().min(self.count()).saturating_sub(1);
        if helpers == 0 {
            return pieces.for_each(|piece| work(0, piece));
        }
        let shared =
            Shared { pieces: Mutex::new(pieces), take, work, helpers, busy: AtomicUsize::new(0) };
        in_scope(self.pool(), |scope| {
            shared.work_off(scope, 0);
            shared.await_helpers();
        });
    }

    /// Wakes a thread while the calling one begins with what one does alone.
    pub(crate) fn wake(&self) {
        if let Some(pool) = self.pool() {
            pool.spawn(|| ());
        }
    }

    /// The threads beside the caller's; `None` for those of the pool that it is one of.
    fn pool(&self) -> Option<&ThreadPool> {
        match self {
            Self::Own(pool) => Some(pool),
            Self::All if !is_pooled() => SHARED.as_ref(),
            Self::All | Self::One => None,
        }
    }
}

/// Runs a task on the calling thread that may give others to a pool (`None`: rayon's own), and waits for those.
fn in_scope<'scope>(pool: Option<&ThreadPool>, task: impl FnOnce(&Scope<'scope>)) {
    match pool {
        Some(pool) => pool.in_place_scope(task),
        None => rayon::in_place_scope(task),
    }
}

/// Pieces that several threads work off.
struct Shared<I, N, W> {
    pieces: Mutex<I>,
    /// Takes a piece for a thread.
    take: N,
    work: W,
    /// Threads that may be asked to help.
    helpers: usize,
    /// Those that were asked and are not done.
    busy: AtomicUsize,
}

impl<T, I, N, W> Shared<I, N, W>
where
    I: ExactSizeIterator<Item = T> + Send,
    N: Fn(&mut I, usize) -> Option<T> + Sync,
    W: Fn(usize, T) + Sync,
{
    fn pieces(&self) -> MutexGuard<'_, I> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, thread: usize) -> Option<T> {
        (self.take)(&mut self.pieces(), thread)
    }

    /// Works as thread number `thread`, the calling one being 0, until no piece is left. Before it asks two others for
    /// help, so that no thread wakes all of them.
    fn work_off<'scope>(&'scope self, scope: &Scope<'scope>, thread: usize) {
        for helper in 2 * thread + 1..2 * thread + 3 {
            if helper <= self.helpers && self.pieces().len() > 0 {
                self.busy.fetch_add(1, Ordering::Relaxed);
                scope.spawn(move |scope| {
                    self.work_off(scope, helper);
                    self.busy.fetch_sub(1, Ordering::Release);
                });
            }
        }
        while let Some(piece) = self.next(thread) {
            (self.work)(thread, piece);
        }
    }

    /// Returns when no helper is busy any more, or it takes longer than is worth it.
    fn await_helpers(&self) {
        let start = Instant::now();
        while self.busy.load(Ordering::Acquire) > 0 && start.elapsed() < AWAKE {
            for _ in 0..16 {
                std::hint::spin_loop();
            }
            // They may be waiting for this very processor.
            std::thread::yield_now();
        }
    }
}

/// How long the calling thread waits awake for the others: they are at their last pieces, and to fall asleep and be
/// woken takes tens of microseconds.
const AWAKE: Duration = Duration::from_micros(100);

/// Whether this is a thread of some pool.
fn is_pooled() -> bool {
    rayon::current_thread_index().is_some()
}

/// The caller's thread and those of a pool.
fn count(pool: Option<&ThreadPool>) -> usize {
    1 + pool.map_or(0, ThreadPool::current_num_threads)
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
        assert_eq!(count(start(3, spawn).ok().as_ref()), 4);
    }

    #[test]
    fn every_piece_is_worked_off_once_by_one_of_the_threads() {
        for threads in [1, 2, 3, 8] {
            for threads in [Threads::new(threads).unwrap(), Threads::All] {
                for pieces in [0, 1, 2, 5, 100] {
                    let mut done = vec![0; pieces];
                    let used = Mutex::new(Vec::new());
                    let work = |thread, piece: &mut i32| {
                        *piece += 1;
                        used.lock().unwrap().push(thread);
                    };
                    threads.share(done.iter_mut(), work);
                    threads.share_from_ends(done.iter_mut(), work);
                    assert_eq!(done, vec![2; pieces]);
                    let used = used.into_inner().unwrap();
                    assert!(used.iter().all(|&thread| thread < threads.count()), "{used:?}");
                }
            }
        }
    }

    #[test]
    fn several_threads_work_at_the_same_time() {
        // Each waits for the others: with one thread fewer none would be done.
        let threads = Threads::new(4).unwrap();
        let all = std::sync::Barrier::new(4);
        let used = Mutex::new(Vec::new());
        threads.share([(); 4].iter(), |thread, ()| {
            all.wait();
            used.lock().unwrap().push(thread);
        });
        let mut used = used.into_inner().unwrap();
        used.sort_unstable();
        assert_eq!(used, [0, 1, 2, 3]);
    }

    #[test]
    fn every_other_thread_takes_pieces_from_the_end() {
        let threads = Threads::new(2).unwrap();
        // Each has two, as both wait for the other before they take the second.
        let both = std::sync::Barrier::new(2);
        let taken = Mutex::new([vec![], vec![]]);
        threads.share_from_ends(0..4, |thread, piece| {
            taken.lock().unwrap()[thread].push(piece);
            both.wait();
        });
        assert_eq!(taken.into_inner().unwrap(), [[0, 1], [3, 2]]);
    }

    #[test]
    fn threads_of_a_pool_share_with_each_other() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let sums = pool.broadcast(|_| {
            assert_eq!(Threads::All.count(), 3);
            let sum = AtomicUsize::new(0);
            Threads::All.share(0..50, |thread, piece| {
                assert!(thread < 3);
                sum.fetch_add(piece, Ordering::Relaxed);
            });
            sum.into_inner()
        });
        assert_eq!(sums, [1225; 3]);
    }

    #[test]
    fn a_panic_of_any_thread_is_one_of_the_caller() {
        let threads = Threads::new(2).unwrap();
        for piece in 0..8 {
            let share = || {
                threads.share(0..8, |_, number| {
                    std::thread::sleep(Duration::from_millis(1));
                    assert_ne!(number, piece, "as meant");
                });
            };
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(share));
            assert!(result.is_err());
        }
    }
}
