//! The text that `polyset info` prints of a player: what it is made of and what moves which part.

use polyset::info::{Info, PartInfo, PlayerInfo, TagInfo};

use super::console;
use super::info_text::{block, decimal, point};
use super::lines::{line, place_of};

/// All blocks that have something to say.
pub(crate) fn print(player: &PlayerInfo) -> String {
    let PlayerInfo { parts, clips, .. } = player;
    let triangles: usize = parts.iter().map(|part| part.info.counts.triangles).sum();
    let name = console::printable(&player.player);
    let mut text = format!("{name}: player of {} models, {triangles} triangles\n", parts.len());
    let rows = parts.iter().map(|part| {
        let on = match (part.parent, &part.tag) {
            (Some(parent), Some(tag)) => format!("{} {tag}", parts[parent].name),
            (Some(parent), None) => parts[parent].name.clone(),
            _ => "-".into(),
        };
        let Info { counts, .. } = &part.info;
        let [vertices, frames] = [counts.vertices, counts.frames].map(|count| count.to_string());
        [part.name.clone(), on, point(part.stands.origin), vertices, frames]
    });
    block(&mut text, ["Parts", "hangs on", "stands at", "vertices", "frames"], rows);
    let tags = parts.iter().flat_map(|part| part.tags.iter().map(move |tag| (part, tag)));
    let rows = tags.map(|(part, TagInfo { name, place }): (&PartInfo, _)| {
        let [forward, left, up] = place.axes.map(point);
        [format!("{} {name}", part.name), point(place.origin), forward, left, up]
    });
    block(&mut text, ["Tags, as they are shown", "origin", "forward", "left", "up"], rows);
    let rows = clips.iter().enumerate().map(|(number, driven)| {
        let (clip, parts) = (&driven.clip, driven.parts.join(", "));
        [format!("{number} {}", clip.name), parts, clip.frames.to_string(), decimal(clip.seconds)]
    });
    block(&mut text, ["Clips", "moves", "frames", "seconds"], rows);
    let rows = player.skins.iter().map(|skin| [skin.clone()]);
    block(&mut text, ["Skins"], rows);
    text.push_str("\nFiles\n");
    for part in parts {
        line(&mut text, &format!("  {}", part.info.file));
        for texture in &part.info.textures {
            let none = if texture.refused.is_empty() { "not found" } else { "not taken" };
            let found = texture.found.clone().unwrap_or_else(|| format!("{none}, drawn in grey"));
            line(&mut text, &format!("      {} {found}", texture.name));
        }
    }
    let told = parts.iter().map(|part| part.info.warnings.len()).sum::<usize>();
    if told + player.warnings.len() == 0 {
        text.push_str("\nNo warnings\n");
    } else {
        text.push_str("\nWarnings\n");
        for warning in &player.warnings {
            line(&mut text, &format!("  {warning}"));
        }
        for warning in parts.iter().flat_map(|part| &part.info.warnings) {
            let place = place_of(warning);
            let (file, part, message) = (&warning.file, &warning.part, &warning.message);
            line(&mut text, &format!("  {file}: {part}{place}: {message}"));
        }
    }
    text
}
