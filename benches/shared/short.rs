//! How long the benches measure.

use std::time::Duration;

use criterion::Criterion;

/// Few and short measurements: the differences that count are larger than their noise.
pub(crate) fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
}
