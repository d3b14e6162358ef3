//! Values that go with the clock.

/// A value that grows with the clock. It is computed from where it was when it was last set, so it
/// does not depend on how often it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Running {
    start: f64,
    /// Milliseconds of the clock.
    since: u64,
    /// Units per second; 0 stands still.
    rate: f64,
}

impl Running {
    pub(crate) fn at(&self, now: u64) -> f64 {
        self.start + now.saturating_sub(self.since) as f64 * 1e-3 * self.rate
    }

    pub(crate) fn set(&mut self, now: u64, value: f64) {
        (self.start, self.since) = (value, now);
    }

    pub(crate) fn set_rate(&mut self, now: u64, rate: f64) {
        self.set(now, self.at(now));
        self.rate = rate;
    }

    /// Units a second.
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    pub(crate) fn is_running(&self) -> bool {
        self.rate != 0.0
    }
}
