//! What a front triangle needs before it is filled: its gradients.

use fearless_simd::{Simd, f32x4, i32x4, prelude::*};

use super::number::four_ints_up;
use super::vertex::Vertex;

/// Change of the attributes per pixel to the right and per row down.
#[derive(Clone, Copy)]
pub(super) struct Gradients<S: Simd> {
    pub(super) right: i32x4<S>,
    pub(super) down: i32x4<S>,
}

/// Texture coordinates, light and depth: `s`, `t`, `light`, `zi`.
#[inline(always)]
pub(super) fn attributes<S: Simd>(simd: S, vertex: &Vertex) -> i32x4<S> {
    i32x4::load_array(simd, [vertex.s, vertex.t, vertex.light, vertex.zi])
}

/// One in the place of the light, for numbers that it alone is changed by.
pub(super) const LIGHT: [i32; 4] = [0, 0, 1, 0];

/// Twice the area, negative for triangles that are clockwise on the screen: those are drawn.
#[inline(always)]
pub(super) fn denominator([a, b, c]: [&Vertex; 3]) -> i32 {
    let first = a.v.wrapping_sub(b.v).wrapping_mul(a.u.wrapping_sub(c.u));
    let second = a.u.wrapping_sub(b.u).wrapping_mul(a.v.wrapping_sub(c.v));
    first.wrapping_sub(second)
}

/// The plane through three corners for every attribute. Light is rounded to the dark side, the
/// others towards zero.
#[inline(always)]
pub(super) fn gradients<S: Simd>(
    simd: S,
    [v0, v1, v2]: [&Vertex; 3],
    denominator: i32,
) -> Gradients<S> {
    let difference = |x: i32, y: i32| x.wrapping_sub(y) as f32;
    let (u02, v02) = (difference(v0.u, v2.u), difference(v0.v, v2.v));
    let (u12, v12) = (difference(v1.u, v2.u), difference(v1.v, v2.v));
    let scale = 1.0 / denominator as f32;
    let [q0, q1, q2] = [attributes(simd, v0), attributes(simd, v1), attributes(simd, v2)];
    let (q02, q12) = ((q0 - q2).to_float::<f32x4<S>>(), (q1 - q2).to_float::<f32x4<S>>());
    let right = (q12 * v02 - q02 * v12) * scale;
    let down = (q12 * u02 - q02 * u12) * -scale;
    let light = i32x4::load_array(simd, LIGHT).simd_eq(1);
    Gradients { right: four_ints_up(simd, right, light), down: four_ints_up(simd, down, light) }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    fn corner(u: i32, v: i32, light: i32, s: i32) -> Vertex {
        Vertex { u, v, light, s, ..Vertex::default() }
    }

    #[test]
    fn clockwise_on_the_screen_is_the_front() {
        let [a, b, c] = [corner(0, 0, 0, 0), corner(10, 0, 0, 0), corner(0, 10, 0, 0)];
        assert_eq!(denominator([&a, &b, &c]), -100);
        assert_eq!(denominator([&a, &c, &b]), 100);
        assert_eq!(denominator([&a, &a, &c]), 0);
    }

    #[test]
    fn light_steps_are_rounded_up_and_texture_steps_towards_zero() {
        // Light falls by 5 over 10 pixels, s by 25.
        let corners = [corner(0, 0, 100, 100), corner(10, 0, 95, 75), corner(0, 10, 100, 100)];
        let corners = corners.each_ref();
        dispatch!(Level::baseline(), simd => {
            let Gradients { right, down } = gradients(simd, corners, denominator(corners));
            let [right, down]: [[i32; 4]; 2] = [right.into(), down.into()];
            assert_eq!(right, [-2, 0, 0, 0]);
            assert_eq!(down, [0; 4]);
        });
    }
}
