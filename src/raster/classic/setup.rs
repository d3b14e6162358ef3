//! What a front triangle needs before it is filled: its gradients.

use fearless_simd::{Level, Simd, dispatch, f32x4, i32x4, mask32x4, prelude::*};

use super::number::ints;
use super::vertex::Vertex;

/// Texture coordinates, light and depth, or how much they change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) s: i32,
    pub(super) t: i32,
    pub(super) light: i32,
    pub(super) zi: i32,
}

impl Attributes {
    pub(super) fn of(vertex: &Vertex) -> Self {
        Self { s: vertex.s, t: vertex.t, light: vertex.light, zi: vertex.zi }
    }

    /// The wrapping sum.
    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            s: self.s.wrapping_add(other.s),
            t: self.t.wrapping_add(other.t),
            light: self.light.wrapping_add(other.light),
            zi: self.zi.wrapping_add(other.zi),
        }
    }

    /// The wrapping sum of `count` of these.
    #[inline(always)]
    pub(super) fn times(self, count: i32) -> Self {
        Self {
            s: self.s.wrapping_mul(count),
            t: self.t.wrapping_mul(count),
            light: self.light.wrapping_mul(count),
            zi: self.zi.wrapping_mul(count),
        }
    }
}

/// Change per pixel to the right and per row down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gradients {
    pub(super) right: Attributes,
    pub(super) down: Attributes,
}

/// Twice the area, negative for triangles that are clockwise on the screen: those are drawn.
#[inline(always)]
pub(super) fn denominator([a, b, c]: [&Vertex; 3]) -> i32 {
    let first = a.v.wrapping_sub(b.v).wrapping_mul(a.u.wrapping_sub(c.u));
    let second = a.u.wrapping_sub(b.u).wrapping_mul(a.v.wrapping_sub(c.v));
    first.wrapping_sub(second)
}

/// The plane through three corners for every attribute. Light is rounded to the dark side, the
/// others towards zero.
pub(super) fn gradients(corners: &[Vertex; 3], denominator: i32) -> Gradients {
    // Four attributes are one vector of what every machine of a kind has.
    dispatch!(Level::baseline(), simd => gradients_of_four(simd, corners, denominator))
}

#[inline(always)]
fn gradients_of_four<S: Simd>(simd: S, [v0, v1, v2]: &[Vertex; 3], denominator: i32) -> Gradients {
    let difference = |x: i32, y: i32| x.wrapping_sub(y) as f32;
    let (u02, v02) = (difference(v0.u, v2.u), difference(v0.v, v2.v));
    let (u12, v12) = (difference(v1.u, v2.u), difference(v1.v, v2.v));
    let scale = 1.0 / denominator as f32;
    let (q0, q1, q2) = (values(simd, v0), values(simd, v1), values(simd, v2));
    let (q02, q12) = ((q0 - q2).to_float::<f32x4<S>>(), (q1 - q2).to_float::<f32x4<S>>());
    let right = (q12 * v02 - q02 * v12) * scale;
    let down = (q12 * u02 - q02 * u12) * -scale;
    let light = mask32x4::from_bitmask(simd, 0b0100);
    Gradients { right: step(ints(simd, right, light)), down: step(ints(simd, down, light)) }
}

/// The attributes in the order of their fields.
#[inline(always)]
fn values<S: Simd>(simd: S, vertex: &Vertex) -> i32x4<S> {
    i32x4::load_array(simd, [vertex.s, vertex.t, vertex.light, vertex.zi])
}

#[inline(always)]
fn step<S: Simd>(change: i32x4<S>) -> Attributes {
    let [s, t, light, zi] = change.into();
    Attributes { s, t, light, zi }
}

#[cfg(test)]
mod tests {
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
        let Gradients { right, down } = gradients(&corners, denominator(corners.each_ref()));
        assert_eq!((right.light, right.s), (0, -2));
        assert_eq!((down.light, down.s), (0, 0));
    }
}
