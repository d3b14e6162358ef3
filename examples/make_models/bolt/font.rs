//! The letters and the arrow painted on Bolt's skin.

/// Width and height of a glyph, in its own dots.
pub(crate) const GLYPH: [f32; 2] = [5.0, 7.0];

fn rows(glyph: char) -> [&'static str; 7] {
    match glyph {
        'A' => [" ### ", "#   #", "#   #", "#####", "#   #", "#   #", "#   #"],
        'B' => ["#### ", "#   #", "#   #", "#### ", "#   #", "#   #", "#### "],
        'C' => [" ####", "#    ", "#    ", "#    ", "#    ", "#    ", " ####"],
        'K' => ["#   #", "#  # ", "# #  ", "##   ", "# #  ", "#  # ", "#   #"],
        'L' => ["#    ", "#    ", "#    ", "#    ", "#    ", "#    ", "#####"],
        'P' => ["#### ", "#   #", "#   #", "#### ", "#    ", "#    ", "#    "],
        'R' => ["#### ", "#   #", "#   #", "#### ", "# #  ", "#  # ", "#   #"],
        '^' => ["  #  ", " ### ", "#####", "  #  ", "  #  ", "  #  ", "  #  "],
        _ => ["     "; 7],
    }
}

/// Whether a text has a dot at a place. The text starts at (0, 0), upper left; glyphs are 5 x 7
/// dots with one empty column between them.
pub(crate) fn has_dot(text: &str, x: f32, y: f32) -> bool {
    let column = libm::floorf(x);
    let row = libm::floorf(y);
    if column < 0.0 || !(0.0..GLYPH[1]).contains(&row) {
        return false;
    }
    let (column, row) = (column as usize, row as usize);
    text.chars()
        .nth(column / 6)
        .is_some_and(|glyph| rows(glyph)[row].as_bytes().get(column % 6) == Some(&b'#'))
}

/// Whether a text centred on (0, 0), with dots of this size, covers a place.
pub(crate) fn covers(text: &str, dot: f32, x: f32, y: f32) -> bool {
    let width = 6.0 * text.chars().count() as f32 - 1.0;
    has_dot(text, x / dot + width * 0.5, y / dot + GLYPH[1] * 0.5)
}
