//! What every input must keep to, whatever its target: memory and time.

use std::time::{Duration, Instant};

use crate::Target;

/// Bytes of memory for every byte of an input, ...
const MEMORY_PER_BYTE: usize = 64;
/// ... and whatever its size.
const MEMORY_BASE: usize = 64 << 20;
/// Far longer than any input takes, shorter than a loop over a claimed count.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The counters of the program's allocator; they belong to the whole process.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Bytes that are in use.
    pub current: fn() -> usize,
    /// The most that were since the last restart.
    pub peak: fn() -> usize,
    /// Forgets the peak.
    pub restart: fn(),
}

impl Target {
    /// Runs an input within its limits.
    ///
    /// # Panics
    /// If something is wrong.
    pub fn run_within(&self, data: &[u8], memory: Memory) {
        let before = (memory.current)();
        (memory.restart)();
        let start = Instant::now();
        (self.run)(data);
        let took = start.elapsed();
        let peak = (memory.peak)().saturating_sub(before);
        let most = MEMORY_BASE + MEMORY_PER_BYTE * data.len();
        assert!(peak <= most, "{peak} bytes of memory for an input of {}: over {most}", data.len());
        assert!(took <= PATIENCE, "took {took:?}");
    }
}
