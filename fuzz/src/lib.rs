//! What polyset must withstand, as functions of bytes.
//!
//! Every [`Target`] is a function that takes any bytes and panics if something is wrong. libFuzzer
//! calls it (`fuzz_targets/`), and so do the tests of `tests/stable.rs`, with inputs that [`Mutator`]
//! makes of the seeds.
#![forbid(unsafe_code)]

mod drawing;
mod files;
mod guard;
mod models;
mod mutate;
mod options;
mod readers;
mod scenes;
pub mod seeds;
mod source;
mod whole;

pub use drawing::{levels, poses, reuse, threads};
pub use files::{animation, archive, script, skin};
pub use guard::{Memory, PATIENCE};
pub use mutate::{Mutator, words};
pub use options::options;
pub use readers::{md2, md3, md5anim, md5mesh, mdl, picture};
pub use whole::{built, draw};

/// The program of a target for libFuzzer, with the counters of memory.
#[cfg(feature = "libfuzzer")]
#[macro_export]
macro_rules! libfuzzer {
    ($target:ident) => {
        #[global_allocator]
        static MEMORY: $crate::peak_alloc::PeakAlloc = $crate::peak_alloc::PeakAlloc;

        $crate::libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            let target = $crate::target_of(stringify!($target)).expect("a target of this name");
            let memory = $crate::Memory {
                current: || MEMORY.current_usage(),
                peak: || MEMORY.peak_usage(),
                restart: || MEMORY.reset_peak_usage(),
            };
            target.run_within(data, memory);
        });
    };
}

#[cfg(feature = "libfuzzer")]
#[doc(hidden)]
pub use {libfuzzer_sys, peak_alloc};

/// Something that takes any bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, also that of its seeds' folder and of its program for libFuzzer.
    pub name: &'static str,
    /// Panics if something is wrong.
    pub run: fn(&[u8]),
    /// Words of its format, in libFuzzer's notation.
    pub dictionary: &'static str,
    /// Whether its inputs are decisions, rather than files: any noise is a good one.
    pub is_built: bool,
    /// How many inputs it gets for each of the slowest target, so that all take about as long.
    pub share: usize,
}

const fn target(
    name: &'static str,
    run: fn(&[u8]),
    share: usize,
    dictionary: &'static str,
) -> Target {
    Target { name, run, dictionary, is_built: false, share }
}

const fn of_decisions(name: &'static str, run: fn(&[u8]), share: usize) -> Target {
    Target { name, run, dictionary: "", is_built: true, share }
}

const MODELS: &str = include_str!("../dictionaries/models.dict");
const MD5: &str = include_str!("../dictionaries/md5.dict");
const PICTURES: &str = include_str!("../dictionaries/pictures.dict");
const SKIN: &str = include_str!("../dictionaries/skin.dict");
const SCRIPT: &str = include_str!("../dictionaries/script.dict");
const ANIMATION: &str = include_str!("../dictionaries/animation.dict");
const ARCHIVES: &str = include_str!("../dictionaries/archives.dict");

/// All targets.
pub const TARGETS: &[Target] = &[
    target("mdl", mdl, 150, MODELS),
    target("md2", md2, 150, MODELS),
    target("md3", md3, 150, MODELS),
    target("md5mesh", md5mesh, 150, MD5),
    target("md5anim", md5anim, 150, MD5),
    target("picture", picture, 100, PICTURES),
    target("skin", skin, 10, SKIN),
    target("script", script, 5, SCRIPT),
    target("animation", animation, 10, ANIMATION),
    target("archive", archive, 30, ARCHIVES),
    target("draw", draw, 100, MODELS),
    of_decisions("built", built, 20),
    of_decisions("options", options, 50),
    of_decisions("levels", levels, 5),
    of_decisions("threads", threads, 2),
    of_decisions("reuse", reuse, 1),
    of_decisions("poses", poses, 50),
];

/// The target of this name.
#[must_use]
pub fn target_of(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
