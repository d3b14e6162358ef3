//! Which lines of a picture may be something else than its background, as bits: a frame that is cleared to the same
//! again is filled only there.
//!
//! ```text
//!   row of the picture   | 16 pixels | 16 pixels | 16 pixels | ...     lines of the cache, as rows begin with one
//!   its first word         bit 0       bit 1       bit 2       ...     of 64 lines
//! ```
//!
//! A bit that is set says no more than "maybe": whoever draws without looking sets those of all that it may have
//! touched. Threads have rows, and with them words, of their own.

use std::ops::Range;

/// Pixels of a line of the cache. Rows of pictures whose bits are kept are a multiple of it.
pub(crate) const LINE: usize = 16;
/// Lines of a word.
pub(crate) const WORD: usize = 64;

/// Words of a row of so many pixels.
pub(crate) const fn words_of(stride: usize) -> usize {
    stride.div_ceil(LINE * WORD)
}

/// The lines that have some of these columns.
pub(crate) fn lines_of(columns: &Range<usize>) -> Range<usize> {
    if columns.is_empty() { 0..0 } else { columns.start / LINE..columns.end.div_ceil(LINE) }
}

/// The bits of lines in word number `word` of their row.
#[inline(always)]
pub(crate) fn bits_of(lines: &Range<usize>, word: usize) -> u64 {
    let below = |line: usize| {
        let count = line.saturating_sub(WORD * word).min(WORD) as u32;
        u64::MAX.checked_shr(WORD as u32 - count).unwrap_or(0)
    };
    below(lines.end) & !below(lines.start)
}

/// Notes that some columns of some rows may have been drawn over.
pub(crate) fn mark(dirty: &mut [u64], stride: usize, [columns, rows]: &[Range<usize>; 2]) {
    let lines = lines_of(columns);
    for row in dirty.chunks_exact_mut(words_of(stride)).take(rows.end).skip(rows.start) {
        for (word, bits) in row.iter_mut().enumerate() {
            *bits |= bits_of(&lines, word);
        }
    }
}

/// Fills dirty lines of some rows, after which they are none. Lines `but` stay as they are.
#[inline(always)]
pub(crate) fn fill(
    color: &mut [u32],
    dirty: &mut [u64],
    stride: usize,
    but: &Range<usize>,
    fill_line: impl Fn(&mut [u32; LINE]),
) {
    for (color, dirty) in
        color.chunks_exact_mut(stride).zip(dirty.chunks_exact_mut(words_of(stride)))
    {
        let (lines, _) = color.as_chunks_mut::<LINE>();
        for (word, bits) in dirty.iter_mut().enumerate().filter(|(_, bits)| **bits != 0) {
            let kept = bits_of(but, word);
            let mut rest = *bits & !kept;
            *bits &= kept;
            while rest != 0 {
                let line = WORD * word + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                // Behind the row are no lines, but bits, where all of them were set.
                if let Some(line) = lines.get_mut(line) {
                    fill_line(line);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIDE: usize = 70 * LINE;

    fn is_dirty(row: &[u64], line: usize) -> bool {
        row[line / WORD] >> (line % WORD) & 1 != 0
    }

    #[test]
    fn lines_are_those_of_the_columns() {
        let cases =
            [(0..1, 0..1), (15..17, 0..2), (16..32, 1..2), (9..9, 0..0), (1023..1040, 63..65)];
        for (columns, lines) in cases {
            assert_eq!(lines_of(&columns), lines, "{columns:?}");
        }
        assert_eq!([LINE, 64 * LINE, 65 * LINE].map(words_of), [1, 1, 2]);
    }

    #[test]
    fn an_area_is_marked_by_the_lines_that_it_touches() {
        for [left, right] in [[0, 1], [1000, 1060], [1024, 1120], [5, 1120], [7, 7]] {
            let mut dirty = [0; 4 * words_of(STRIDE)];
            mark(&mut dirty, STRIDE, &[left..right, 1..3]);
            for (y, row) in dirty.chunks_exact(words_of(STRIDE)).enumerate() {
                for line in 0..STRIDE / LINE {
                    let touched = left.max(LINE * line) < right.min(LINE * (line + 1));
                    let expected = (1..3).contains(&y) && touched;
                    assert_eq!(is_dirty(row, line), expected, "{left} {right}, {y}, {line}");
                }
            }
        }
    }

    #[test]
    fn dirty_lines_are_filled_but_for_some() {
        for but in [0..0, 2..66, 0..70, 63..65] {
            let mut color = vec![1; 2 * STRIDE];
            let pattern = [0x8000_0000_dead_beef, !0, !0, 0x5];
            let mut dirty = pattern;
            fill(&mut color, &mut dirty, STRIDE, &but, |line| line.fill(9));
            for (i, pixels) in color.chunks_exact(LINE).enumerate() {
                let (y, line) = (i / 70, i % 70);
                let words = 2 * y..2 * y + 2;
                let is_filled = is_dirty(&pattern[words.clone()], line) && !but.contains(&line);
                assert_eq!(pixels, [if is_filled { 9 } else { 1 }; LINE], "{but:?}, {y}, {line}");
                let still = is_dirty(&pattern[words.clone()], line) && but.contains(&line);
                assert_eq!(is_dirty(&dirty[words], line), still, "{but:?}, {y}, {line}");
            }
        }
    }
}
