//! A player with a weapon in the hand: a folder, a clip for the legs, one for the torso.
//!
//! `cargo run --example player_with_weapon [OUT.png]` writes the picture if a file is named.

use polyset::{Framebuffer, Instance, Renderer, Scene, View};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::new("tests/models/players/bolt");
    scene.set("weapon", "tests/models/weapons/zapper")?;
    scene.set("legs", "LEGS_RUN")?;
    scene.set("torso", "TORSO_STAND")?;
    scene.set("animation-time", "0.2")?;

    // Models, textures, clips and tags; then all of it at the scene's moment.
    let opened = scene.open()?;
    let assembly = opened.assembly(&scene)?;
    let instances: Vec<Instance<'_>> = assembly.instances().collect();

    let mut frame = Framebuffer::new(360, 480)?;
    frame.clear([70, 90, 120, 255]);
    Renderer::new().draw(&View::new(assembly.camera()), &instances, &mut frame)?;
    if let Some(path) = std::env::args_os().nth(1) {
        frame.save_png(path)?;
    }
    Ok(())
}
