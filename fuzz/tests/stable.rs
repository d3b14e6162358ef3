//! The targets on a stable toolchain: the seeds as they are, then random changes of them.
//!
//! `POLYSET_FUZZ_RUNS` is how many inputs the slowest target gets; others get more, so that all take
//! about as long. `POLYSET_FUZZ_SEED` makes the same inputs again, `POLYSET_FUZZ_TARGETS` (names, separated
//! by commas) chooses, and `POLYSET_FUZZ_INPUT` is a file that is run instead.
#![forbid(unsafe_code)]

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use peak_alloc::PeakAlloc;
use polyset_fuzz::{Memory, Mutator, PATIENCE, TARGETS, Target, seeds};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const METER: Memory = Memory {
    current: || MEMORY.current_usage(),
    peak: || MEMORY.peak_usage(),
    restart: || MEMORY.reset_peak_usage(),
};

/// Inputs of the slowest target: all together take about a minute on two cores.
const RUNS: usize = 1000;
/// Inputs made of noise are up to so long.
const LONGEST_NOISE: usize = 1200;

/// What is running: a hang must leave its input behind too.
#[derive(Default)]
struct Running(Mutex<Option<(&'static str, Vec<u8>, Instant)>>);

impl Running {
    fn set(&self, now: Option<(&'static str, Vec<u8>, Instant)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Ends the process when an input takes far too long.
    fn watch(self: Arc<Self>) {
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_secs(2));
                let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((target, data, start)) = &*running
                    && start.elapsed() > 3 * PATIENCE
                {
                    eprintln!("{target} hangs.{}", kept(target, data));
                    std::process::exit(101);
                }
            }
        });
    }
}

/// Writes an input down and says how to run it again.
fn kept(target: &str, data: &[u8]) -> String {
    let hash = data.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("{target}-{hash:016x}"));
    let written = fs::write(&path, data);
    format!(
        "\nThe input is {} ({} bytes{}). Again:\nPOLYSET_FUZZ_TARGETS={target} POLYSET_FUZZ_INPUT={} \
         cargo test -p polyset-fuzz --test stable\n",
        path.display(),
        data.len(),
        written.err().map(|error| format!(", not written: {error}")).unwrap_or_default(),
        path.display()
    )
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Runs an input. What went wrong was printed by the panic.
fn run(target: &'static Target, data: &[u8], running: &Running) -> Result<(), String> {
    running.set(Some((target.name, data.to_vec(), Instant::now())));
    let result = catch_unwind(AssertUnwindSafe(|| target.run_within(data, METER)));
    running.set(None);
    result.map_err(|_| kept(target.name, data))
}

/// The next input of a target.
fn input(target: &Target, mutator: &mut Mutator, seeds: &[Vec<u8>]) -> Vec<u8> {
    if target.is_built && mutator.below(4) != 0 {
        let length = mutator.below(LONGEST_NOISE);
        return mutator.noise(length);
    }
    mutator.mutated(seeds)
}

// One test, because the counters of memory belong to the whole process.
#[test]
fn every_input_is_withstood() {
    let chosen = env::var("POLYSET_FUZZ_TARGETS").unwrap_or_default();
    let chosen =
        |target: &&Target| chosen.is_empty() || chosen.split(',').any(|name| name == target.name);
    let running = Arc::new(Running::default());
    Arc::clone(&running).watch();
    if let Some(path) = env::var_os("POLYSET_FUZZ_INPUT") {
        let data = fs::read(&path).expect("a file to run");
        for target in TARGETS.iter().filter(chosen) {
            run(target, &data, &running).unwrap_or_else(|again| panic!("{again}"));
        }
        return;
    }
    let now = || SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
    let seed = number("POLYSET_FUZZ_SEED").unwrap_or_else(|| now() & 0xffff_ffff);
    let runs = number("POLYSET_FUZZ_RUNS").map_or(RUNS, |runs| runs as usize);
    println!("POLYSET_FUZZ_SEED={seed} POLYSET_FUZZ_RUNS={runs}");
    let keep_on = env::var_os("POLYSET_FUZZ_KEEP_ON").is_some();
    let mut failures = Vec::new();
    for target in TARGETS.iter().filter(chosen) {
        let seeds = seeds::read(target.name).expect("seeds are part of the project");
        let seeds: Vec<Vec<u8>> = seeds.into_iter().map(|(_, bytes)| bytes).collect();
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        let start = Instant::now();
        let mut mutator = Mutator::new(seed, target.dictionary);
        let count = runs * target.share;
        let (mut done, before) = (0u32, failures.len());
        let made = (0..count).map(|_| None);
        for seed in seeds.iter().map(Some).chain(made) {
            let data = seed.cloned().unwrap_or_else(|| input(target, &mut mutator, &seeds));
            done += 1;
            if let Err(again) = run(target, &data, &running) {
                failures.push(again);
                // Hundreds of inputs that find the same say no more than a few.
                if !keep_on || failures.len() >= before + 5 {
                    break;
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{:8} {done:9} inputs, {seconds:7.1} s, {:8.0} a second",
            target.name,
            f64::from(done) / seconds
        );
    }
    assert!(failures.is_empty(), "{}", failures.concat());
}
