//! `md5anim` for libFuzzer.
#![no_main]

polyset_fuzz::libfuzzer!(md5anim);
