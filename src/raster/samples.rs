//! Supersampling: a larger picture is drawn and averaged into the frame.

use crate::image::Palette;

use super::framebuffer::{DRAWN, Framebuffer, MAX_SIDE};

/// The samples per axis that the largest picture allows.
pub(crate) fn allowed(samples: u32, frame: &Framebuffer) -> u32 {
    let side = frame.width().max(frame.height());
    samples.clamp(1, 4).min(MAX_SIDE / side)
}

/// A picture with `samples` times the sides.
pub(crate) fn larger(frame: &Framebuffer, samples: u32) -> Framebuffer {
    let large = Framebuffer::new(frame.width() * samples, frame.height() * samples)
        .expect("allowed samples keep the sides in range");
    if frame.depth_rows().is_some() { large.with_depth() } else { large }
}

/// Averages blocks of `samples` x `samples` over what the frame holds.
///
/// True colour: drawn samples and the background are weighted by their alpha. Indexed: where at least
/// half of the block is drawn, samples of one index keep it, and the mean of others is quantised
/// again (which never gives a fullbright index). Depth: the nearest.
pub(crate) fn resolve(large: &mut Framebuffer, samples: u32, frame: &mut Framebuffer) {
    let palette = large.palette().cloned();
    let nearest = large.depth_rows().map(|rows| nearest_depth(rows, samples));
    let mut target = frame.target(palette.clone());
    if let (Some(depth), Some(nearest)) = (&mut target.depth, nearest) {
        let rows = depth.chunks_exact_mut(target.stride).zip(nearest.chunks_exact(target.width));
        for (row, nearest) in rows {
            row[..target.width].iter_mut().zip(nearest).for_each(|(old, &new)| *old = old.min(new));
        }
    }
    if let Some(pixel) = target.clear {
        target.color.fill(pixel);
    }
    let samples = samples as usize;
    let rows: Vec<&[u32]> = large.rows().collect();
    for (row, lines) in target.color.chunks_exact_mut(target.stride).zip(rows.chunks(samples)) {
        let row = &mut row[..target.width];
        let block = |x: usize| {
            lines.iter().flat_map(move |line| line[x * samples..(x + 1) * samples].iter().copied())
        };
        match &palette {
            Some(palette) => indexed_row(row, palette, samples * samples, block),
            None => {
                for (x, pixel) in row.iter_mut().enumerate() {
                    *pixel = blend(block(x), samples * samples, *pixel);
                }
            }
        }
    }
}

fn indexed_row<B: Iterator<Item = u32>>(
    row: &mut [u32],
    palette: &Palette,
    block_size: usize,
    block: impl Fn(usize) -> B,
) {
    let means: Vec<Option<[u8; 3]>> = (0..row.len())
        .map(|x| {
            let drawn = block(x).filter(|&sample| sample & DRAWN == DRAWN);
            mean(drawn.map(|sample| palette.color(sample as u8)), block_size)
        })
        .collect();
    let rgba: Vec<u8> =
        means.iter().flat_map(|mean| mean.map_or([0; 4], |[r, g, b]| [r, g, b, 255])).collect();
    let indices = palette.quantize(&rgba);
    for (x, ((pixel, mean), index)) in row.iter_mut().zip(means).zip(indices).enumerate() {
        if mean.is_some() {
            let drawn = block(x).filter(|&sample| sample & DRAWN == DRAWN);
            *pixel = agreed(drawn).unwrap_or(DRAWN | u32::from(index));
        }
    }
}

/// The sample that all are equal to, if they are.
fn agreed(mut samples: impl Iterator<Item = u32>) -> Option<u32> {
    let first = samples.next()?;
    samples.all(|sample| sample == first).then_some(first)
}

fn nearest_depth<'a>(rows: impl Iterator<Item = &'a [f32]>, samples: u32) -> Vec<f32> {
    let samples = samples as usize;
    let rows: Vec<&[f32]> = rows.collect();
    let blocks = rows.chunks(samples).flat_map(|lines| {
        (0..lines[0].len() / samples).map(move |x| {
            let block = lines.iter().flat_map(|line| &line[x * samples..(x + 1) * samples]);
            block.fold(1.0f32, |nearest, &z| nearest.min(z))
        })
    });
    blocks.collect()
}

/// The rounded mean of the colours, if they are at least half of the block.
fn mean(colors: impl Iterator<Item = [u8; 3]>, block: usize) -> Option<[u8; 3]> {
    let (mut sums, mut count) = ([0u32; 3], 0u32);
    for color in colors {
        count += 1;
        sums.iter_mut().zip(color).for_each(|(sum, c)| *sum += u32::from(c));
    }
    (count as usize * 2 >= block).then(|| sums.map(|sum| ((sum + count / 2) / count) as u8))
}

/// Drawn samples (alpha 255) over `background`, weighted by alpha.
fn blend(samples: impl Iterator<Item = u32>, block: usize, background: u32) -> u32 {
    let (mut sums, mut count) = ([0u32; 3], 0u32);
    for sample in samples.filter(|sample| sample >> 24 == 255) {
        count += 1;
        let [r, g, b, _] = sample.to_le_bytes();
        sums.iter_mut().zip([r, g, b]).for_each(|(sum, c)| *sum += u32::from(c));
    }
    if count == 0 {
        return background;
    }
    let rest = block as u32 - count;
    let [r, g, b, a] = background.to_le_bytes().map(u32::from);
    let alpha = 255 * count + a * rest;
    let channel = |sum: u32, back: u32| (sum * 255 + back * a * rest + alpha / 2) / alpha;
    let block = block as u32;
    let bytes = [
        channel(sums[0], r),
        channel(sums[1], g),
        channel(sums[2], b),
        (alpha + block / 2) / block,
    ];
    u32::from_le_bytes(bytes.map(|byte| byte as u8))
}
