//! What must hold for every picture of the precise rasterizer: which pixels a triangle covers, and
//! what they show. Everything is drawn by the plain kernel and by the best of the machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod clipping;
mod coverage;
mod reuse;
mod screen;
mod shading;
mod texture;
