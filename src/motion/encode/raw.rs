//! Pixels without a head: four bytes each, one picture after another.

use std::io::{self, Write};

use super::{Encoder, Shown};

/// Writes RGBA bytes, alpha not premultiplied.
pub(super) struct Raw;

impl Encoder for Raw {
    fn frame(&self, shown: Shown<'_>) -> io::Result<Vec<u8>> {
        Ok(shown.image.to_rgba())
    }

    fn put(&mut self, frame: Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&frame)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{encode, film, indexed};
    use super::super::{FilmKind, encoder};

    #[test]
    fn indices_are_looked_up() {
        let pictures = indexed(([2, 1], vec![vec![0, 255], vec![255, 0]]), Some(0), |_| false);
        let bytes = encode(encoder(FilmKind::Rgba, film(&pictures), false), &pictures);
        assert_eq!(bytes, [pictures[0].to_rgba(), pictures[1].to_rgba()].concat());
        assert_eq!([bytes[3], bytes[7], bytes[11], bytes[15]], [0, 255, 255, 0]);
    }
}
