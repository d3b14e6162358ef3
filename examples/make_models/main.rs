//! Writes the sample models of `tests/models/`: `cargo run --example make_models [DIR]`.
//!
//! The bytes depend on nothing but this code: the test `samples` holds the committed files against it.

use std::path::PathBuf;

mod bolt;

fn main() -> anyhow::Result<()> {
    let dir = std::env::args_os().nth(1).map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models"),
        PathBuf::from,
    );
    for (name, bytes) in bolt::files()? {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&dir))?;
        std::fs::write(path, bytes)?;
    }
    Ok(())
}
