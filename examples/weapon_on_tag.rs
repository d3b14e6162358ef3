//! Hangs a model on another's tag, as Quake III hangs a weapon on the player's hand: two instances,
//! the second one's transform being the first one's times the tag. The engines' way with `.md3` needs
//! no more than `pose.tag("tag_weapon")`, frame by frame.
//!
//! `cargo run --example weapon_on_tag [OUT.png]` writes the picture if a file is named.

use std::error::Error;

use polyset::{
    Camera, Framebuffer, Image, Instance, Model, Renderer, Samples, SurfaceParts, Transform, View,
};

fn main() -> Result<(), Box<dyn Error>> {
    let player = Model::open("tests/models/bolt.md3")?;
    let weapon = hammer()?;
    let player_pose = player.pose(player.clip("walk")?, 0.3);
    let weapon_pose = weapon.pose_blend(polyset::Blend::frame(0));

    // Where the player stands, and the weapon in the player's hand.
    let stands = Transform::translation([40.0, 0.0, 0.0]) * Transform::yaw(-35.0);
    let tag = player_pose.tag("tag_weapon").ok_or("the player has no hand")?;
    let held = stands * tag;

    let instances = [
        Instance::new(&player, &player_pose).transform(stands),
        Instance::new(&weapon, &weapon_pose).transform(held),
    ];
    let camera = Camera::framing_instances(instances.iter().map(|i| (i.pose, &i.transform)));
    let view = View::new(camera).samples(Samples::Four);
    let mut frame = Framebuffer::new(360, 480)?;
    frame.clear([70, 90, 120, 255]);
    Renderer::new().draw(&view, &instances, &mut frame)?;
    if let Some(path) = std::env::args_os().nth(1) {
        frame.save_png(path)?;
    }
    Ok(())
}

/// A hammer, held at its origin: a handle and a head, along the tag's forward axis.
fn hammer() -> Result<Model, Box<dyn Error>> {
    let color = |rgb: [u8; 3]| Image::from_rgba(1, 1, vec![rgb[0], rgb[1], rgb[2], 255]);
    let handle = solid([-6.0, -0.7, -0.7], [16.0, 0.7, 0.7], color([150, 100, 50])?);
    let head = solid([13.0, -2.5, -5.0], [19.0, 2.5, 5.0], color([200, 205, 215])?);
    Ok(Model::from_parts(vec![handle, head])?)
}

/// A box between two corners, with normals for each side.
fn solid(min: [f32; 3], max: [f32; 3], texture: Image) -> SurfaceParts {
    let mut part = SurfaceParts { texture: Some(texture.into()), ..SurfaceParts::default() };
    for axis in 0..3 {
        for end in [min, max] {
            let first = part.positions.len() as u32;
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for [x, y] in [[min[u], min[v]], [max[u], min[v]], [max[u], max[v]], [min[u], max[v]]] {
                let mut position = [0.0; 3];
                (position[axis], position[u], position[v]) = (end[axis], x, y);
                let mut normal = [0.0; 3];
                normal[axis] = if end == max { 1.0 } else { -1.0 };
                part.positions.push(position);
                part.normals.push(normal);
                part.texcoords.push([0.5, 0.5]);
            }
            // Clockwise when seen from outside.
            let [a, b, c, d] = if end == max { [0, 3, 2, 1] } else { [0, 1, 2, 3] };
            part.triangles.extend([[a, b, c], [a, c, d]].map(|t| t.map(|corner| first + corner)));
        }
    }
    part
}
