//! Numbers as a C compiler for x86 makes them.

/// `(int)x`: towards zero; what no `i32` can hold (and NaN) becomes the smallest `i32`.
pub(super) fn int(x: f32) -> i32 {
    // Every f32 in this range truncates to an i32, and none outside does.
    if (-2_147_483_648.0..2_147_483_648.0).contains(&x) { x as i32 } else { i32::MIN }
}

/// [`int`] for a double.
pub(super) fn int_f64(x: f64) -> i32 {
    if x > -2_147_483_649.0 && x < 2_147_483_648.0 { x as i32 } else { i32::MIN }
}

/// `(a.x * b.x + a.y * b.y) + a.z * b.z`, the one order that everything here uses.
pub(super) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_truncates_and_overflows_to_the_smallest() {
        let table = [
            (-0.9, 0),
            (2.9, 2),
            (-2.9, -2),
            (2_147_483_520.0, 2_147_483_520),
            (2_147_483_648.0, i32::MIN),
            (-2_147_483_648.0, i32::MIN),
            (-1e20, i32::MIN),
            (f32::INFINITY, i32::MIN),
            (f32::NAN, i32::MIN),
        ];
        for (x, expected) in table {
            assert_eq!(int(x), expected, "{x}");
            assert_eq!(int_f64(f64::from(x)), expected, "{x}");
        }
        assert_eq!(int_f64(-2_147_483_648.5), i32::MIN);
        assert_eq!(int_f64(2_147_483_647.5), i32::MAX);
    }
}
