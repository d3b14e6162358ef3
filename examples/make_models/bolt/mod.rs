//! Bolt, a small robot, in four file formats.
//!
//! One mesh ([`body`]) on one skeleton ([`skeleton`]) with one set of animations ([`clips`]) and one
//! coat of paint ([`paint`]); a writer per format. Bolt is different on each side, and wears letters
//! and arrows, so that whatever a renderer flips, mirrors or mistakes is seen at a glance.

#[path = "../../../src/format/anorms.rs"]
mod anorms;
mod body;
mod clips;
mod font;
mod md2;
mod md3;
mod md5;
mod mdl;
mod out;
mod paint;
mod picture;
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
    Ok(vec![
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
    ])
}
