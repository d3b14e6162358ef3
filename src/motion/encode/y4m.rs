//! YUV4MPEG2: uncompressed video that encoders read from a pipe. A line of text, then of every picture
//! the word `FRAME` and the planes of brightness and of the two differences of colour, all of full size.

use std::io::{self, Write};

use super::{Encoder, Film, Shown};

/// Writes colours by ITU-R BT.601, limited range (16 to 235 and 240); what is transparent is black.
pub(super) struct Y4m {
    film: Film,
    is_begun: bool,
}

impl Y4m {
    pub(super) fn new(film: Film) -> Self {
        Self { film, is_begun: false }
    }

    /// The first line. Pictures come at a steady rate: that of the first one's delay.
    fn head(&self) -> String {
        let [width, height] = self.film.size;
        let delay = self.film.delays.first().copied().unwrap_or_default().max(1);
        let divisor = common_divisor(self.film.ticks, delay);
        let (rate, base) = (self.film.ticks / divisor, delay / divisor);
        format!("YUV4MPEG2 W{width} H{height} F{rate}:{base} Ip A1:1 C444 XCOLORRANGE=LIMITED\n")
    }
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a.max(1) } else { common_divisor(b, a % b) }
}

/// Brightness and the differences of blue and red, rounded to the nearest.
fn ycbcr([red, green, blue]: [i32; 3]) -> [u8; 3] {
    // The weights of brightness in thousandths; a half of the divisor rounds, 16 and 128 are zero.
    let luma = 299 * red + 587 * green + 114 * blue;
    let scaled = |value: i32, range: i32, divisor: i32, zero: i32| {
        ((value * range + divisor / 2).div_euclid(divisor) + zero) as u8
    };
    [
        scaled(luma, 219, 255_000, 16),
        scaled(1000 * blue - luma, 112, 255 * 886, 128),
        scaled(1000 * red - luma, 112, 255 * 701, 128),
    ]
}

impl Encoder for Y4m {
    fn frame(&self, shown: Shown<'_>) -> io::Result<Vec<u8>> {
        let rgba = shown.image.as_rgba();
        let pixels = rgba.as_chunks::<4>().0;
        let mut planes = vec![0; 3 * pixels.len()];
        let (luma, differences) = planes.split_at_mut(pixels.len());
        let (blue, red) = differences.split_at_mut(pixels.len());
        for (((pixel, y), cb), cr) in pixels.iter().zip(luma).zip(blue).zip(red) {
            let [r, g, b, alpha] = pixel.map(i32::from);
            let color = [r, g, b].map(|channel| (channel * alpha + 127) / 255);
            [*y, *cb, *cr] = ycbcr(color);
        }
        Ok(planes)
    }

    fn put(&mut self, frame: Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
        if !self.is_begun {
            self.is_begun = true;
            out.write_all(self.head().as_bytes())?;
        }
        out.write_all(b"FRAME\n")?;
        out.write_all(&frame)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{encode, film};
    use super::super::{FilmKind, encoder};
    use super::*;
    use crate::image::Image;

    #[test]
    fn colours_are_those_of_the_standard() {
        // The bars that test pictures of television show, of full brightness.
        let table = [
            ([255, 255, 255], [235, 128, 128]),
            ([255, 255, 0], [210, 16, 146]),
            ([0, 255, 255], [170, 166, 16]),
            ([0, 255, 0], [145, 54, 34]),
            ([255, 0, 255], [106, 202, 222]),
            ([255, 0, 0], [81, 90, 240]),
            ([0, 0, 255], [41, 240, 110]),
            ([0, 0, 0], [16, 128, 128]),
            ([128, 128, 128], [126, 128, 128]),
        ];
        for (color, expected) in table {
            assert_eq!(ycbcr(color), expected, "{color:?}");
        }
    }

    #[test]
    fn planes_follow_a_line_of_text() {
        let image = |pixels: [[u8; 4]; 2]| Image::from_rgba(2, 1, pixels.concat()).unwrap();
        let pictures = [
            image([[255, 0, 0, 255], [0, 0, 255, 255]]),
            image([[255, 255, 255, 0], [255, 255, 255, 128]]),
        ];
        let mut film = film(&pictures);
        (film.ticks, film.delays) = (1000, vec![40, 40]);
        let bytes = encode(encoder(FilmKind::Y4m, film, false), &pictures);
        let mut expected =
            b"YUV4MPEG2 W2 H1 F25:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\nFRAME\n".to_vec();
        expected.extend([81, 41, 90, 240, 240, 110]);
        expected.extend(b"FRAME\n\x10\x7e\x80\x80\x80\x80");
        assert_eq!(bytes, expected);
    }

    #[test]
    fn rates_are_reduced() {
        for (ticks, delay, expected) in
            [(100, 4, "F25:1"), (30_000, 1001, "F30000:1001"), (100, 0, "F100:1")]
        {
            let film = Film { size: [1, 1], ticks, delays: vec![delay; 3], plays: 0 };
            assert!(Y4m::new(film).head().contains(&format!(" {expected} ")), "{ticks} {delay}");
        }
    }
}
