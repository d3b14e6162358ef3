//! SSIM: how much of the structure around a pixel is the same.
//!
//! Wang, Bovik, Sheikh, Simoncelli: "Image Quality Assessment: From Error Visibility to Structural
//! Similarity", 2004, with its window, a Gaussian of 11 x 11 pixels and a deviation of 1.5, for red,
//! green and blue in the mean.

use super::perceptual::Patch;

/// What the window reaches.
pub(super) const RADIUS: usize = 5;
const DEVIATION: f64 = 1.5;
/// Keep the quotients from division by nearly nothing.
const STABLE_MEAN: f64 = (0.01 * 255.0) * (0.01 * 255.0);
const STABLE_VARIANCE: f64 = (0.03 * 255.0) * (0.03 * 255.0);

/// The errors of the part of two patches: 1 - SSIM, 0 to 2.
pub(super) fn errors([expected, actual]: [Patch; 2]) -> Vec<f64> {
    let window = window();
    let averaged = |plane: &[f64]| expected.down(&expected.across(plane, &window), &window);
    let mut similarity = vec![0.0; expected.size[0] * expected.size[1]];
    for channel in 0..3 {
        let [a, b] = [&expected, &actual].map(|patch| {
            patch.colors.iter().map(|color| f64::from(color[channel])).collect::<Vec<_>>()
        });
        let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
            averaged(&a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<_>>())
        };
        let means = [averaged(&a), averaged(&b)];
        let products = [product(&a, &a), product(&b, &b), product(&a, &b)];
        for (i, similarity) in similarity.iter_mut().enumerate() {
            let [mean_a, mean_b] = [means[0][i], means[1][i]];
            let variance_a = products[0][i] - mean_a * mean_a;
            let variance_b = products[1][i] - mean_b * mean_b;
            let covariance = products[2][i] - mean_a * mean_b;
            *similarity += (2.0 * mean_a * mean_b + STABLE_MEAN)
                * (2.0 * covariance + STABLE_VARIANCE)
                / ((mean_a * mean_a + mean_b * mean_b + STABLE_MEAN)
                    * (variance_a + variance_b + STABLE_VARIANCE));
        }
    }
    similarity.into_iter().map(|sum| (1.0 - sum / 3.0).max(0.0)).collect()
}

fn window() -> [f64; 2 * RADIUS + 1] {
    let weights: [f64; 2 * RADIUS + 1] = std::array::from_fn(|tap| {
        let offset = tap as f64 - RADIUS as f64;
        libm::exp(-offset * offset / (2.0 * DEVIATION * DEVIATION))
    });
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}
