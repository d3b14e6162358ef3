//! What is left of a run that a signal ends: no temporary file.

/// From now on the signals that ask the process to end remove its temporary files first. It still ends as
/// their default has it, so that a shell sees what happened.
#[cfg(unix)]
pub(crate) fn leave_nothing() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let ignored = ignored();
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !ignored.contains(signal));
    // Without the handlers a signal leaves a file that a later run sweeps.
    let Ok(mut signals) = Signals::new(heeded) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            polyset::abandon_writes();
            let _ = emulate_default_handler(signal);
        }
    });
}

/// Elsewhere a later run sweeps what an interrupted one has left.
#[cfg(not(unix))]
pub(crate) fn leave_nothing() {}

/// The signals that the process was started to ignore, as `nohup` does; they stay ignored. Known on
/// Linux alone.
#[cfg(unix)]
fn ignored() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    (1..=64).filter(|signal| mask >> (signal - 1) & 1 == 1).collect()
}
