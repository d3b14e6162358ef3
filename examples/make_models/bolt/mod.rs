//! Bolt, a small robot, in four file formats.
//!
//! One mesh ([`body`]) on one skeleton ([`skeleton`]) with one set of animations ([`clips`]) and one
//! coat of paint ([`paint`]); a writer per format. Bolt is different on each side, and wears letters
//! and arrows, so that whatever a renderer flips, mirrors or mistakes is seen at a glance.

#[path = "../../../src/format/anorms.rs"]
mod anorms;
mod body;
mod cards;
mod clips;
mod font;
mod md2;
mod md3;
mod md5;
mod mdl;
mod out;
mod paint;
mod picture;
mod player;
mod shape;
mod skeleton;
mod skin;

use body::{HALF, HEIGHT};
use clips::Clip;
use paint::Mood;
use skin::{Skin, own_index, own_palette, whole_body};

/// Names and bytes of all sample files.
pub(crate) fn files() -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let skin = |scale| Skin::new([2 * HALF, HEIGHT], HALF, scale, Mood::Awake, &whole_body());
    let (small, large) = (skin(1), skin(2));
    let (width, height) = (small.width, small.height);
    let pcx = picture::pcx(width, height, &small.indices(own_index), &own_palette());
    let mut files = player_files(&small)?;
    files.extend(cards::files());
    files.extend([
        ("bolt.mdl", mdl::whole()),
        ("bolt_holey.mdl", mdl::holey()),
        ("bolt.md2", md2::whole()),
        ("bolt_shield.md2", md2::shield()),
        ("bolt.pcx", pcx),
        ("bolt.md3", md3::whole()),
        ("bolt.skin", md3::skin_file()),
        ("bolt_paint.png", picture::png(large.width, large.height, &large.rgb())?),
        ("hand.md3", md3::hand()),
        ("bolt.md5mesh", md5::mesh()?),
        ("bolt_walk.md5anim", md5::anim(Clip::Walk, 24, 24, true)?),
        ("bolt_wave.md5anim", md5::anim(Clip::Wave, 30, 20, false)?),
        ("bolt.tga", picture::tga(width, height, &small.rgb())),
    ]);
    Ok(files)
}

/// Bolt in pieces, in a folder as games have them, with a second coat of paint and a tool.
fn player_files(small: &Skin) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let [lower, upper, head] = player::parts();
    let swapped: Vec<u8> =
        small.rgb().chunks_exact(3).flat_map(|rgb| [rgb[2], rgb[1], rgb[0]]).collect();
    let mut files = vec![
        ("players/bolt/lower.md3", lower),
        ("players/bolt/upper.md3", upper),
        ("players/bolt/head.md3", head),
        ("players/bolt/animation.cfg", player::animation_cfg()),
        ("players/bolt/swapped.png", picture::png(small.width, small.height, &swapped)?),
    ];
    let skins = [
        ("players/bolt/lower_default.skin", "players/bolt/lower_swapped.skin", "l_legs"),
        ("players/bolt/upper_default.skin", "players/bolt/upper_swapped.skin", "u_body"),
        ("players/bolt/head_default.skin", "players/bolt/head_swapped.skin", "h_helmet"),
    ];
    for (default, swapped, surface) in skins {
        files.push((default, player::skin_file(surface, "models/bolt_paint.png")));
        files.push((swapped, player::skin_file(surface, "models/players/bolt/swapped.png")));
    }
    let tool = [
        "weapons/zapper/zapper.md3",
        "weapons/zapper/zapper_barrel.md3",
        "weapons/zapper/zapper_flash.md3",
        "weapons/zapper/zapper_hand.md3",
    ];
    files.extend(tool.into_iter().zip(player::tool()));
    Ok(files)
}
