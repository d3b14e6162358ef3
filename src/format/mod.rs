//! Bytes to a [`Model`]: detection by content, one file per format. No I/O here.

mod md5;
mod md5anim;
mod md5fit;
pub(crate) mod md5mesh;
