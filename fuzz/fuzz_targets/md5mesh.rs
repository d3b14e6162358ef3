//! `md5mesh` for libFuzzer.
#![no_main]

polyset_fuzz::libfuzzer!(md5mesh);
