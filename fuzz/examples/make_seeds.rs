//! Writes the seeds anew: `cargo run -p polyset-fuzz --example make_seeds`.
//!
//! Inputs that once found something (`found-*`) are left as they are.
#![forbid(unsafe_code)]

use std::path::Path;
use std::{fs, io};

use polyset_fuzz::seeds;

fn main() -> io::Result<()> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    for (target, name, bytes) in seeds::made(&samples) {
        let folder = seeds::folder(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
