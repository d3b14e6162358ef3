//! The text that `polyset info` prints for people: aligned columns, one block per kind of thing.

use std::fmt::Write as _;

use polyset::info::{Info, ModelList};
use polyset::{Counts, Origin};

use super::console;
use super::lines::{line, place_of};

/// All blocks that have something to say.
pub(crate) fn print(info: &Info, with_frames: bool) -> String {
    let mut text = heading(info);
    let rows = info.surfaces.iter().map(|surface| {
        let shaders = surface.shaders.join(", ");
        [
            or_dash(&surface.name),
            surface.vertices.to_string(),
            surface.triangles.to_string(),
            shaders,
        ]
    });
    block(&mut text, ["Surfaces", "vertices", "triangles", "textures named"], rows);
    let rows = info.skins.iter().enumerate().map(|(number, skin)| {
        let name = skin.name.clone().unwrap_or_else(|| "in the file".into());
        let size = skin.size.map(|[width, height]| format!("{width} x {height}"));
        let group = (skin.pictures > 1).then(|| format!(", group of {}", skin.pictures));
        let what = match (size, &skin.found) {
            (Some(size), _) => format!("{size}{}", group.unwrap_or_default()),
            (None, Some(file)) => file.clone(),
            (None, None) => "not found".into(),
        };
        [number.to_string(), name, what]
    });
    block(&mut text, ["Skins", "name", ""], rows);
    let rows = info.clips.iter().enumerate().map(|(number, clip)| {
        let last = clip.first_frame + clip.frames.saturating_sub(1);
        let frames = if clip.frames == 1 {
            format!("{last}")
        } else {
            format!("{}-{last}", clip.first_frame)
        };
        [format!("{number} {}", clip.name), clip.frames.to_string(), frames, decimal(clip.seconds)]
    });
    block(&mut text, ["Clips", "frames", "which", "seconds"], rows);
    if with_frames && info.frames.iter().any(|name| !name.is_empty()) {
        let rows = info
            .frames
            .iter()
            .enumerate()
            .map(|(number, name)| [number.to_string(), or_dash(name)]);
        block(&mut text, ["Frames", "name"], rows);
    }
    let rows = info.tags.iter().map(|tag| {
        let [forward, left, up] = tag.place.axes.map(point);
        [tag.name.clone(), point(tag.place.origin), forward, left, up]
    });
    block(&mut text, ["Tags", "origin", "forward", "left", "up"], rows);
    let rows = info.joints.iter().enumerate().map(|(number, joint)| {
        let parent = joint.parent.and_then(|parent| info.joints.get(parent));
        [
            number.to_string(),
            joint.name.clone(),
            parent.map_or_else(|| "-".into(), |p| p.name.clone()),
        ]
    });
    block(&mut text, ["Joints", "name", "parent"], rows);
    let rows = info
        .anims
        .iter()
        .map(|anim| [anim.file.clone(), anim.error.clone().unwrap_or_else(|| "fits".into())]);
    block(&mut text, ["Animations near the mesh", ""], rows);
    textures(&mut text, info);
    warnings(&mut text, info);
    text
}

/// Models, one a line, as other commands take them.
pub(crate) fn list(list: &ModelList) -> String {
    let count = match list.models.len() {
        1 => "1 model".to_owned(),
        count => format!("{count} models"),
    };
    let mut text = format!("{}: {count}\n", console::printable(&list.place));
    for model in &list.models {
        line(&mut text, &format!("  {model}"));
    }
    if !list.players.is_empty() {
        text.push_str("\nPlayers, which are drawn as a whole\n");
        for player in &list.players {
            line(&mut text, &format!("  {player}"));
        }
    }
    text
}

fn heading(info: &Info) -> String {
    let game = match info.format {
        "mdl" => "Quake",
        "md2" => "Quake II",
        "md3" => "Quake III Arena",
        _ => "Doom 3",
    };
    let mut text =
        format!("{}: {game} model (.{}), {} bytes\n", info.file, info.format, info.bytes);
    for lost in &info.shadowed {
        line(&mut text, &format!("not     {lost}"));
    }
    if let Some(name) = &info.name {
        line(&mut text, &format!("name    {name}"));
    }
    line(&mut text, &format!("holds   {}", holds(&info.counts)));
    let size: Vec<String> =
        info.bounds.min.iter().zip(info.bounds.max).map(|(min, max)| decimal(max - min)).collect();
    line(
        &mut text,
        &format!(
            "box     {}  to  {}  ({})",
            point(info.bounds.min),
            point(info.bounds.max),
            size.join(" x ")
        ),
    );
    text
}

fn holds(counts: &Counts) -> String {
    let things = [
        (counts.surfaces, "surface", "surfaces"),
        (counts.vertices, "vertex", "vertices"),
        (counts.triangles, "triangle", "triangles"),
        (counts.frames, "frame", "frames"),
        (counts.clips, "clip", "clips"),
        (counts.skins, "skin", "skins"),
        (counts.tags, "tag", "tags"),
        (counts.joints, "joint", "joints"),
    ];
    let said: Vec<String> = things
        .iter()
        .enumerate()
        // A model without triangles is worth a word, one without tags is not.
        .filter(|(place, (count, ..))| *place < 4 || *count > 0)
        .map(|(_, (count, one, many))| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    said.join(", ")
}

fn textures(text: &mut String, info: &Info) {
    if !info.skin_files.is_empty() {
        text.push_str("\nSkin files\n");
        for file in &info.skin_files {
            let used = if info.skin_file.as_ref() == Some(file) { " (in use)" } else { "" };
            line(text, &format!("  {file}{used}"));
        }
    }
    if info.sources.len() > 1 {
        text.push_str("\nWhere the game's files come from, the first that has a name wins\n");
        for source in &info.sources {
            line(text, &format!("  {source}"));
        }
    }
    text.push_str("\nTextures\n");
    for texture in &info.textures {
        let surface = match texture.name.as_str() {
            "" => format!("surface {}", texture.surface),
            name => name.to_owned(),
        };
        let wanted: Vec<String> = texture.wanted.iter().map(|name| format!(" '{name}'")).collect();
        let found = match (&texture.found, texture.origin) {
            (Some(path), Some(Origin::Guessed)) => format!("{path} (guessed)"),
            (Some(path), _) => path.clone(),
            (None, Some(_)) => "in the file".into(),
            (None, None) if texture.drawn == "hidden" => "not drawn".into(),
            (None, None) if texture.script.is_some() => "white".into(),
            (None, None) if !texture.refused.is_empty() => "not taken, drawn in grey".into(),
            (None, None) => "not found, drawn in grey".into(),
        };
        line(text, &format!("  {surface}{}: {found}", wanted.join(",")));
        for lost in &texture.shadowed {
            line(text, &format!("      not {lost}"));
        }
        for file in &texture.refused {
            line(text, &format!("      could not take {file}"));
        }
        line(text, &format!("      {}: {}", texture.drawn, texture.why));
        for place in &texture.looked {
            line(text, &format!("      looked at {place}"));
        }
    }
}

fn warnings(text: &mut String, info: &Info) {
    if info.warnings.is_empty() {
        text.push_str("\nNo warnings\n");
        return;
    }
    text.push_str("\nWarnings\n");
    for warning in &info.warnings {
        let place = place_of(warning);
        let file =
            if warning.file == info.file { String::new() } else { format!("{}: ", warning.file) };
        line(text, &format!("  {file}{}{place}: {}", warning.part, warning.message));
    }
}

/// A headed table whose columns are as wide as their widest entry; nothing without rows.
pub(super) fn block<const N: usize>(
    text: &mut String,
    heads: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) {
    let rows: Vec<[String; N]> = rows.map(|row| row.map(|cell| cut(&cell))).collect();
    if rows.is_empty() {
        return;
    }
    let width = |column: usize| {
        let indent = if column == 0 { 2 } else { 0 };
        let widest = rows.iter().map(|row| row[column].chars().count() + indent).max();
        widest.unwrap_or(0).max(heads[column].chars().count())
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut put = |cells: [&str; N]| {
        let mut row = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            // Writing to a String cannot fail.
            let _ = write!(row, "{cell:<width$}  ");
        }
        line(text, row.trim_end());
    };
    put([""; N]);
    put(heads);
    for row in &rows {
        let indented = format!("  {}", row[0]);
        put(std::array::from_fn(
            |column| if column == 0 { &indented } else { row[column].as_str() },
        ));
    }
}

/// The most characters of a cell: every row is padded to the widest one.
const CELL: usize = 64;

/// A name as a table shows it; `--json` has it whole.
fn cut(cell: &str) -> String {
    let shown = console::printable(cell);
    match shown.char_indices().nth(CELL) {
        Some(_) => shown.chars().take(CELL - 1).chain(['…']).collect(),
        None => shown,
    }
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".into() } else { text.into() }
}

pub(super) fn point(p: [f32; 3]) -> String {
    p.map(decimal).join(" ")
}

/// Up to three decimals, none that say nothing.
pub(super) fn decimal(x: f32) -> String {
    let text = format!("{x:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (x, text) in [(1.0, "1"), (-0.0, "0"), (0.125, "0.125"), (-0.0001, "0"), (2.50, "2.5")]
        {
            assert_eq!(decimal(x), text);
        }
    }

    #[test]
    fn columns_are_aligned() {
        let mut text = String::new();
        let rows = [["a".to_owned(), "1".to_owned()], ["long one".to_owned(), "22".to_owned()]];
        block(&mut text, ["Head", "count"], rows.into_iter());
        assert_eq!(text, "\nHead        count\n  a         1\n  long one  22\n");
        block(&mut text, ["None"], std::iter::empty());
        assert!(!text.contains("None"));
    }

    #[test]
    fn long_names_are_cut() {
        let mut text = String::new();
        let rows = [["é".repeat(70_000), "1".to_owned()], ["b".repeat(CELL), "2".to_owned()]];
        block(&mut text, ["Head", "count"], rows.into_iter());
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(text.contains("éé…  1") && widest < CELL + 10, "{widest}");
        assert!(text.contains(&"b".repeat(CELL)));
    }
}
