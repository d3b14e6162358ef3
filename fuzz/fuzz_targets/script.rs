//! `script` for libFuzzer.
#![no_main]

polyset_fuzz::libfuzzer!(script);
