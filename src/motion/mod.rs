//! Pictures that move: clips and turntables as files.
//!
//! A [`Film`] says how many pictures there are and how long each is shown; an encoder of [`encode`] makes
//! the bytes of a file of them.

mod encode;
