//! Supersampling: a larger picture is drawn and averaged into the frame, row by row on all threads, where something was
//! drawn.

use std::ops::Range;

use super::error::MAX_SIDE;
use super::framebuffer::{DRAWN, Framebuffer};
use super::kernel::Kernel;
use super::scalar;
use super::target::{Area, Target, rows_of};
use super::threads::Threads;
use crate::image::Palette;
use crate::look::Samples;

/// The samples per axis that the largest picture allows.
pub(crate) fn allowed(samples: Samples, target: &Target<'_>) -> u32 {
    let side = target.width.max(target.height) as u32;
    samples.per_axis().min(MAX_SIDE / side)
}

/// The pixels of the target that have samples in some columns and rows of the larger picture.
pub(crate) fn pixels_of(drawn: Area, samples: u32, target: &Target<'_>) -> Area {
    let samples = samples as i32;
    let [columns, rows] =
        drawn.map(|side| side.start / samples..(side.end + samples - 1) / samples);
    let within = |side: Range<i32>, length: usize| {
        let length = length as i32;
        side.start.clamp(0, length)..side.end.clamp(0, length)
    };
    [within(columns, target.width), within(rows, target.height)]
}

/// A transparent picture with `samples` times the sides of the target, in the memory of another, and
/// with depth if the target has it.
pub(crate) fn larger(kept: Option<Framebuffer>, target: &Target<'_>, samples: u32) -> Framebuffer {
    let [width, height] = [target.width, target.height].map(|side| side as u32 * samples);
    let mut large = match kept {
        Some(mut kept) => kept.resize(width, height).map(|()| kept),
        None => Framebuffer::new(width, height),
    }
    .expect("allowed samples keep the sides in range");
    large.set_depth(target.depth.is_some());
    large
}

/// Averages blocks of `samples` x `samples` of a picture over what the target holds, in the pixels of an area.
///
/// True colour: drawn samples and the background are weighted by their alpha. Indexed: where at least
/// half of the block is drawn, samples of one index keep it, and the mean of others is quantised
/// again (which never gives a fullbright index). Depth: the nearest.
pub(crate) fn resolve(
    large: &Target<'_>,
    samples: u32,
    area: &Area,
    palette: Option<&Palette>,
    (kernel, threads): (Kernel, &Threads),
    target: &mut Target<'_>,
) {
    let (samples, left) = (samples as usize, area[0].start as usize);
    let places = |x: usize, y: usize| {
        let first = y * samples * large.stride + x * samples;
        (0..samples).map(move |line| first + line * large.stride).map(move |i| i..i + samples)
    };
    nearest_depth(large, samples, area, threads, target);
    target.clear();
    threads.share(rows_of(target.color, target.stride, area), |_, (y, row)| {
        let block =
            |x: usize| places(left + x, y).flat_map(|places| large.color[places].iter().copied());
        match palette {
            Some(palette) => indexed_row(row, palette, samples * samples, block),
            None if samples == 2 => kernel.average::<2>(&lines_of(large, [left, y]), row),
            None if samples == 3 => scalar::average::<3>(&lines_of(large, [left, y]), row),
            None => kernel.average::<4>(&lines_of(large, [left, y]), row),
        }
    });
}

/// The nearest depth of every block of an area.
fn nearest_depth(
    large: &Target<'_>,
    samples: usize,
    area: &Area,
    threads: &Threads,
    target: &mut Target<'_>,
) {
    let (Some(depth), Some(from)) = (&mut target.depth, large.depth.as_deref()) else { return };
    let left = area[0].start as usize;
    threads.share(rows_of(depth, target.stride, area), |_, (y, row)| {
        for (x, old) in row.iter_mut().enumerate() {
            let first = y * samples * large.stride + (left + x) * samples;
            let lines = (0..samples).map(|line| first + line * large.stride);
            let block = lines.flat_map(|start| &from[start..start + samples]);
            *old = block.fold(*old, |nearest, &z| nearest.min(z));
        }
    });
}

/// Puts every pixel of the target under all of its samples.
pub(crate) fn spread(
    target: &mut Target<'_>,
    samples: u32,
    threads: &Threads,
    large: &mut Framebuffer,
) {
    target.clear();
    let samples = samples as usize;
    let (drawn, from) = (large.target(), &*target);
    threads.share(drawn.color.chunks_mut(drawn.stride).enumerate(), |_, (y, row)| {
        let line = &from.color[y / samples * from.stride..];
        for (x, pixel) in row[..drawn.width].iter_mut().enumerate() {
            *pixel = line[x / samples];
        }
    });
}

/// Puts the depth of every pixel of a target that was drawn into under all of its samples: what is behind
/// it is hidden from them.
pub(crate) fn spread_depth(
    target: &Target<'_>,
    samples: u32,
    threads: &Threads,
    large: &mut Target<'_>,
) {
    let (Some(from), Some(depth)) = (target.depth.as_deref(), &mut large.depth) else { return };
    let samples = samples as usize;
    let width = large.width;
    threads.share(depth.chunks_mut(large.stride).enumerate(), |_, (y, row)| {
        let line = &from[y / samples * target.stride..];
        for (x, depth) in row[..width].iter_mut().enumerate() {
            *depth = line[x / samples];
        }
    });
}

/// Averages blocks of true colour whose samples lie over the target's pixels already, see [`spread`], in an area.
/// Colours are weighted by their alpha.
pub(crate) fn resolve_all(
    large: &Target<'_>,
    samples: u32,
    area: &Area,
    threads: &Threads,
    target: &mut Target<'_>,
) {
    let samples = samples as usize;
    nearest_depth(large, samples, area, threads, target);
    let (block, left) = ((samples * samples) as u32, area[0].start as usize);
    threads.share(rows_of(target.color, target.stride, area), |_, (y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let first = y * samples * large.stride + (left + x) * samples;
            let lines = (0..samples).map(|line| first + line * large.stride);
            let (mut sums, mut opacity) = ([0u32; 3], 0);
            for sample in lines.flat_map(|start| &large.color[start..start + samples]) {
                let [r, g, b, a] = sample.to_le_bytes().map(u32::from);
                opacity += a;
                sums.iter_mut().zip([r, g, b]).for_each(|(sum, channel)| *sum += channel * a);
            }
            if opacity > 0 {
                let [r, g, b] = sums.map(|sum| (sum + opacity / 2) / opacity);
                let a = (opacity + block / 2) / block;
                *pixel = u32::from_le_bytes([r, g, b, a].map(|byte| byte as u8));
            }
        }
    });
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

/// The rounded mean of the colours, if they are at least half of the block.
fn mean(colors: impl Iterator<Item = [u8; 3]>, block: usize) -> Option<[u8; 3]> {
    let (mut sums, mut count) = ([0u32; 3], 0u32);
    for color in colors {
        count += 1;
        sums.iter_mut().zip(color).for_each(|(sum, c)| *sum += u32::from(c));
    }
    (count as usize * 2 >= block).then(|| sums.map(|sum| ((sum + count / 2) / count) as u8))
}

/// The samples of the pixels from column `left` on in row `y` of the target, line by line.
fn lines_of<'a, const S: usize>(
    large: &'a Target<'_>,
    [left, y]: [usize; 2],
) -> [&'a [[u32; S]]; S] {
    std::array::from_fn(|line| &large.color[(y * S + line) * large.stride..].as_chunks().0[left..])
}
