//! `--stats`: what every stage took in, gave out, and how long it took.

use std::fmt::Write as _;
use std::time::Instant;

use polyset::StageStats;

/// Rows of the table, in the order of the work.
#[derive(Debug, Default)]
pub(crate) struct Stats {
    rows: Vec<StageStats>,
}

impl Stats {
    /// A stage that began at `start` and ends now.
    pub(crate) fn push(&mut self, stage: &'static str, input: u64, output: u64, start: Instant) {
        let milliseconds = start.elapsed().as_secs_f64() * 1000.0;
        self.rows.push(StageStats { stage, input, output, milliseconds });
    }

    /// Stages that were measured elsewhere.
    pub(crate) fn extend(&mut self, rows: impl IntoIterator<Item = StageStats>) {
        self.rows.extend(rows);
    }

    /// The aligned table.
    pub(crate) fn table(&self) -> String {
        let mut table = format!("{:<8} {:>10} {:>10} {:>10}\n", "stage", "in", "out", "ms");
        for row in &self.rows {
            let StageStats { stage, input, output, milliseconds } = row;
            // Writing to a String cannot fail.
            let _ = writeln!(table, "{stage:<8} {input:>10} {output:>10} {milliseconds:>10.3}");
        }
        table
    }
}
