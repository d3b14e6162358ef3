//! `animation` for libFuzzer.
#![no_main]

polyset_fuzz::libfuzzer!(animation);
