//! The check that a bench draws what it should.

use polyset::Image;

/// Collects pictures that are not what the constants in the bench say.
#[derive(Default)]
pub(crate) struct Hashes {
    wrong: Vec<String>,
}

impl Hashes {
    pub(crate) fn check(&mut self, what: &str, image: &Image, expected: u64) {
        let found = image.hash();
        if found != expected {
            self.wrong.push(format!("{what}: 0x{found:016x}, not 0x{expected:016x}"));
        }
    }

    /// Stops the bench if it would measure how fast wrong pictures are drawn.
    pub(crate) fn finish(self) {
        let wrong = self.wrong.join("\n  ");
        assert!(wrong.is_empty(), "other pictures than the hashes in this bench say:\n  {wrong}");
    }
}
