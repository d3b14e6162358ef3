//! `docs/options.md` is what the option table says.

use std::path::Path;

use polyset::scene::options;

/// `POLYSET_BLESS=1 cargo test --test options` writes the page anew, and fails on purpose if it changed.
#[test]
fn the_page_of_options_is_not_stale() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/options.md");
    let expected = options::document();
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found != expected && std::env::var_os("POLYSET_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &expected).unwrap();
    }
    assert!(found == expected, "docs/options.md is stale: POLYSET_BLESS=1 writes it anew");
}
