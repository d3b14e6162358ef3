//! `md3` for libFuzzer.
#![no_main]

polyset_fuzz::libfuzzer!(md3);
