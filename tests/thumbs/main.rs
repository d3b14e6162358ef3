//! `polyset thumbs` and `polyset sheet`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "../shared/archive.rs"]
mod archive;
#[path = "../shared/browser.rs"]
mod browser;
mod kept;
mod place;
mod run;
mod sheet;
