//! How far long work is: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use polyset::thumbs::{Event, Summary};

use super::console;

/// Lines elsewhere than on a terminal come not more often.
const PAUSE: Duration = Duration::from_secs(5);

/// Tells how far many models or scenes are.
pub(crate) struct Progress {
    bar: ProgressBar,
    what: &'static str,
    is_quiet: bool,
    is_terminal: bool,
    /// When the last line was written.
    told: Mutex<Instant>,
    has_warnings: AtomicBool,
}

impl Progress {
    /// Of `count` models or scenes; if `is_quiet`, errors alone are told.
    pub(crate) fn new(count: usize, what: &'static str, is_quiet: bool) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let target = if is_terminal && !is_quiet {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(count as u64), target);
        let template = format!("{{wide_bar}} {{pos}} of {{len}} {what}, {{per_sec}}, {{eta}} left");
        let style = ProgressStyle::with_template(&template);
        bar.set_style(style.expect("the template is right"));
        let told = Mutex::new(Instant::now());
        Self { bar, what, is_quiet, is_terminal, told, has_warnings: AtomicBool::new(false) }
    }

    pub(crate) fn tell(&self, event: Event<'_>) {
        match event {
            Event::Failed(line) => {
                let error = line.error.as_deref().unwrap_or_default();
                let is_named = error.contains(&*line.input);
                let name = if is_named { String::new() } else { format!("'{}': ", line.input) };
                self.bar.suspend(|| console::failure(&format!("{name}{error}")));
            }
            Event::Drawn(line) | Event::Kept(line) if !line.warnings.is_empty() => {
                self.has_warnings.store(true, Ordering::Relaxed);
            }
            Event::Done => self.step(),
            _ => {}
        }
    }

    /// One more is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
        if !self.is_terminal && !self.is_quiet {
            self.line();
        }
    }

    /// So many are done.
    pub(crate) fn reach(&self, done: usize, all: usize) {
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        if !self.is_terminal && !self.is_quiet {
            self.line();
        }
    }

    /// A plain line, if the last one is long ago.
    fn line(&self) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() < PAUSE {
            return;
        }
        *told = Instant::now();
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
        let seconds = self.bar.elapsed().as_secs_f64();
        let rate = done as f64 / seconds;
        let left = all.saturating_sub(done) as f64 / rate;
        let what = self.what;
        console::note(&format!("{done} of {all} {what}, {rate:.0} a second, {left:.0} s left"));
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// The last line.
    pub(crate) fn sum_up(&self, summary: Summary, time: Duration) {
        if self.is_quiet {
            return;
        }
        let Summary { drawn, kept, failed } = summary;
        let seconds = time.as_secs_f64();
        let mut text = format!("{drawn} drawn in {seconds:.1} s");
        if drawn > 0 {
            text += &format!(" ({:.0} a second)", drawn as f64 / seconds);
        }
        for (count, what) in [(kept, "there already"), (failed, "failed")] {
            if count > 0 {
                text += &format!(", {count} {what}");
            }
        }
        if self.has_warnings.load(Ordering::Relaxed) {
            text += "; the manifest has warnings";
        }
        console::note(&text);
    }
}
