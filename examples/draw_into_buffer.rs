//! Draws a turntable into a buffer of the application's own, as a program with a window of its own
//! does: a large surface, of which the model gets a part.
//!
//! `cargo run --example draw_into_buffer [OUT.png]` writes the last picture if a file is named.

use std::error::Error;

use polyset::{Camera, Image, Instance, Model, PixelsMut, Renderer, Samples, Transform, View};

/// The application's surface, and the part of it that shows the model.
const SURFACE: [usize; 2] = [400, 260];
const CORNER: [usize; 2] = [80, 10];
const PART: [u32; 2] = [240, 240];

const TURNS: u32 = 24;
/// Little-endian R G B A.
const GREY: u32 = u32::from_le_bytes([40, 40, 46, 255]);
const BLUE: u32 = u32::from_le_bytes([70, 90, 120, 255]);

fn main() -> Result<(), Box<dyn Error>> {
    let model = Model::open("tests/models/bolt.md2")?;
    let clip = &model.clips()[0];
    let mut pose = model.pose(clip, 0.0);
    // The camera and the light stay, the model turns.
    let view = View::new(Camera::framing(&pose).zoom(0.85)).samples(Samples::Two);
    let mut renderer = Renderer::new();
    let mut surface = vec![GREY; SURFACE[0] * SURFACE[1]];
    for turn in 0..TURNS {
        model.pose_into(clip.at(turn as f32 * 0.05), &mut pose);
        let degrees = turn as f32 * 360.0 / TURNS as f32;
        let instance = Instance::new(&model, &pose).transform(Transform::yaw(degrees));
        // Rows of the part are as far from each other as those of the surface.
        let first = CORNER[1] * SURFACE[0] + CORNER[0];
        let part = &mut surface[first..];
        for row in part.chunks_mut(SURFACE[0]).take(PART[1] as usize) {
            row[..PART[0] as usize].fill(BLUE);
        }
        let [width, height] = PART;
        let pixels = PixelsMut { pixels: part, width, height, stride: SURFACE[0] };
        renderer.draw_into(&view, &[instance], pixels)?;
        // Here the application would show the surface.
    }
    if let Some(path) = std::env::args_os().nth(1) {
        let rgba = surface.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
        let [width, height] = SURFACE.map(|side| side as u32);
        Image::from_rgba(width, height, rgba)?.save_png(path)?;
    }
    Ok(())
}
