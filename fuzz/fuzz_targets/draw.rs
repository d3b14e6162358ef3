//! `draw` for libFuzzer.
#![no_main]

polyset_fuzz::libfuzzer!(draw);
