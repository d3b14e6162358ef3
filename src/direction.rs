//! Lengths and directions of vectors of any size.
//!
//! Squares of large numbers are infinite and those of small ones zero. Vectors are brought to an ordinary
//! size first, by a power of two, so that the result of ordinary vectors is that of the plain formulas to the
//! last bit.

use glam::Vec3;

/// The vector times a power of two, such that its largest component is 1 to 2, and that power. What is zero
/// or not finite stays.
pub(crate) fn at_hand(v: Vec3) -> (Vec3, f64) {
    let largest = v.abs().max_element();
    if v == Vec3::ZERO || !v.is_finite() {
        return (v, 1.0);
    }
    let scale = power_below(largest).recip();
    (Vec3::from(v.to_array().map(|x| (f64::from(x) * scale) as f32)), scale)
}

/// The largest power of two that is not above `x`, which is finite and above 0.
pub(crate) fn power_below(x: f32) -> f64 {
    // Every f32 is a normal number as f64: its exponent alone is the power.
    f64::from_bits(f64::from(x).to_bits() >> 52 << 52)
}

/// The length; infinite only if it is no f32.
pub(crate) fn length(v: Vec3) -> f32 {
    let (v, scale) = at_hand(v);
    (f64::from(v.length()) / scale) as f32
}

/// The vector at length 1; `None` if it has no direction.
pub(crate) fn unit(v: Vec3) -> Option<Vec3> {
    (v != Vec3::ZERO && v.is_finite()).then(|| at_hand(v).0.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_vector_does_not_change_its_direction() {
        for v in [[1.0, 0.0, 0.0], [0.3, -0.7, 0.11], [-5.0, 3.0, 900.0], [1.0, 1.0, 1.0]] {
            let v = Vec3::from(v);
            assert_eq!(unit(v), Some(v.normalize()), "to the last bit");
            assert_eq!(length(v), v.length(), "to the last bit");
            for exponent in [-100, -60, 60, 100] {
                let factor = libm::exp2(f64::from(exponent)) as f32;
                assert_eq!(unit(v * factor), unit(v), "{v} 2^{exponent}");
                assert_eq!(length(v * factor), v.length() * factor, "{v} 2^{exponent}");
            }
        }
        let denormal = f32::from_bits(1);
        assert_eq!(unit(Vec3::new(0.0, -denormal, 0.0)), Some(Vec3::NEG_Y));
        assert_eq!(unit(Vec3::splat(f32::MAX)), Some(Vec3::ONE.normalize()));
        for none in [Vec3::ZERO, -Vec3::ZERO, Vec3::NAN, Vec3::X * f32::INFINITY] {
            assert_eq!(unit(none), None, "{none}");
        }
    }
}
