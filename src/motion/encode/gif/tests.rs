//! GIFs, decoded as browsers do.

use ::gif as codec;
use codec::{ColorOutput, DecodeOptions, DisposalMethod, Repeat};
use proptest::prelude::*;

use super::super::testing::{Canvas, encode, film, indexed, numbers, rgba, visible};
use super::super::{Film, FilmKind, encoder};
use super::OPAQUE;
use crate::image::Image;

/// The pictures of a GIF, their delays and how often it is played.
fn decode(file: &[u8]) -> (Vec<Vec<[u8; 4]>>, Vec<u32>, Option<Repeat>) {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(file).unwrap();
    let mut canvas = Canvas::new([decoder.width().into(), decoder.height().into()]);
    let (mut pictures, mut delays) = (Vec::new(), Vec::new());
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let rect = [frame.left, frame.top, frame.width, frame.height].map(usize::from);
        let drawn = frame.buffer.as_chunks::<4>().0;
        canvas.change(rect, |old, i| if drawn[i][3] == 0 { old } else { drawn[i] });
        pictures.push(canvas.pixels.clone());
        delays.push(frame.delay.into());
        if frame.dispose == DisposalMethod::Background {
            canvas.change(rect, |_, _| [0; 4]);
        }
    }
    (pictures, delays, Some(decoder.repeat()))
}

fn survives(pictures: &[Image]) {
    let film = film(pictures);
    let delays = film.delays.clone();
    let file = encode(encoder(FilmKind::Gif, film, false), pictures);
    let (decoded, decoded_delays, _) = decode(&file);
    assert_eq!(decoded_delays, delays);
    for (number, (image, decoded)) in pictures.iter().zip(decoded).enumerate() {
        assert_eq!(decoded, visible(&image.to_rgba(), OPAQUE), "picture {number}");
    }
}

proptest! {
    #[test]
    fn indexed_pictures_survive(few in numbers(5), all in numbers(256)) {
        for numbers in [few, all] {
            survives(&indexed(numbers.clone(), None, |_| false));
            survives(&indexed(numbers.clone(), Some(0), |_| false));
            survives(&indexed(numbers.clone(), Some(3), |number| number % 3 == 1));
        }
    }

    #[test]
    fn few_colours_survive(few in numbers(5), many in numbers(250)) {
        for numbers in [few, many] {
            let shade = |number: u16| [number as u8, 255 - number as u8, number as u8 / 2];
            let solid = rgba(numbers.clone(), |number| [&shade(number)[..], &[255]].concat().try_into().unwrap());
            survives(&solid);
            let holed = rgba(numbers, |number| {
                let [r, g, b] = shade(number);
                [r, g, b, if number == 0 { OPAQUE - 1 } else { 255 }]
            });
            survives(&holed);
        }
    }
}

/// Pictures that need every index there is.
fn full() -> ([u32; 2], Vec<Vec<u16>>) {
    let first: Vec<u16> = (0..256).collect();
    let mut others = vec![first.clone(); 4];
    others[0][77] = 3;
    others[1][5] = 0;
    others[2].fill(3);
    others[2][9] = 9;
    ([16, 16], [vec![first], others].concat())
}

#[test]
fn a_full_palette_is_enough() {
    survives(&indexed(full(), None, |_| false));
    survives(&indexed(full(), Some(3), |_| false));
    // What is transparent in some pictures is a colour in others, and no entry is free.
    survives(&indexed(full(), Some(3), |number| number < 2));
    survives(&indexed(full(), Some(3), |number| number == 1 || number == 4));
    let gray = |number: u16| [number as u8, number as u8, number as u8, 255];
    survives(&rgba(full(), gray));
    survives(&rgba(full(), |number| if number == 3 { [0; 4] } else { gray(number) }));
}

#[test]
fn nothing_but_transparent_pixels_is_a_picture() {
    survives(&rgba(([3, 2], vec![vec![0; 6]; 3]), |_| [9, 9, 9, 0]));
    survives(&indexed(([3, 2], vec![vec![0; 6]; 3]), Some(0), |_| false));
}

#[test]
fn plays_are_counted() {
    let pictures = indexed(([1, 1], vec![vec![1], vec![2]]), None, |_| false);
    for (plays, expected) in [
        (0, Repeat::Infinite),
        (1, Repeat::Finite(0)),
        (2, Repeat::Finite(1)),
        (u32::MAX, Repeat::Finite(u16::MAX)),
    ] {
        let film = Film { plays, ..film(&pictures) };
        let file = encode(encoder(FilmKind::Gif, film, false), &pictures);
        assert_eq!(decode(&file).2, Some(expected), "{plays}");
    }
}

/// Colours of which there are more than a GIF has.
fn rainbow(number: u16) -> [u8; 4] {
    [(number % 32 * 8) as u8, (number / 32 * 8) as u8, (number % 7 * 36) as u8, 255]
}

#[test]
fn many_colours_become_near_ones() {
    let pictures = rgba(([32, 32], vec![(0..1024).collect(), (0..1024).rev().collect()]), rainbow);
    let file = encode(encoder(FilmKind::Gif, film(&pictures), false), &pictures);
    let (decoded, ..) = decode(&file);
    for (image, decoded) in pictures.iter().zip(decoded) {
        let original = image.to_rgba();
        let far = |(a, b): (&[u8; 4], &[u8; 4])| (0..4).map(|i| a[i].abs_diff(b[i])).max();
        let farthest = original.as_chunks().0.iter().zip(&decoded).filter_map(far).max();
        assert!(farthest < Some(48), "{farthest:?}");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let pictures = indexed(([1, 1], vec![vec![1]]), None, |_| false);
    let film = Film { delays: vec![65_536], ..film(&pictures) };
    let mut encoder = encoder(FilmKind::Gif, film, false);
    let shown = super::super::Shown { number: 0, before: None, image: &pictures[0] };
    assert!(encoder.frame(shown).is_err());
    encoder.learn(&pictures[0]);
    let error = encoder.frame(shown).unwrap_err().to_string();
    assert_eq!(error, "the delay of picture 0 is 65536 ticks: expected 16 bits");
}
