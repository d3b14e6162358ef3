//! How much two pictures may differ, and whether they do.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use super::perceptual::Pair;
use super::{Comparison, Metric, Region, compare_except};
use crate::error::RequestError;
use crate::image::Image;

/// How many pixels may differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowance {
    /// So many.
    Pixels(u64),
    /// So many of a hundred of those compared, 0 to 100.
    Percent(f64),
}

impl Allowance {
    fn allows(self, differing: u64, compared: u64) -> bool {
        match self {
            Self::Pixels(count) => differing <= count,
            Self::Percent(share) => differing as f64 * 100.0 <= share * compared as f64,
        }
    }
}

/// No pixel.
impl Default for Allowance {
    fn default() -> Self {
        Self::Pixels(0)
    }
}

/// `12` or `0.1%`.
impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pixels(count) => write!(f, "{count}"),
            Self::Percent(share) => write!(f, "{share}%"),
        }
    }
}

impl FromStr for Allowance {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        let read = match text.strip_suffix('%') {
            Some(share) => share.trim_end().parse().ok().map(Self::Percent),
            None => text.parse().ok().map(Self::Pixels),
        };
        let is_possible = |allowance: &Self| match allowance {
            Self::Pixels(_) => true,
            Self::Percent(share) => (0.0..=100.0).contains(share),
        };
        read.filter(is_possible).ok_or_else(|| {
            RequestError::new("expected a number of pixels, or a share such as 0.1%")
        })
    }
}

/// How much two pictures may differ: a pixel differs if its error by a [`Metric`] is over a threshold,
/// and so many pixels may. The default allows nothing.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use polyset::{Allowance, Image, Metric, Tolerance};
///
/// let pictures = [30, 33].map(|level| Image::from_rgba(1, 1, vec![level; 4]));
/// let [expected, actual] = pictures.map(|picture| picture.expect("one pixel"));
/// let tolerance = Tolerance::new(Some(Metric::Channel), Some(2.0))?;
/// assert!(!tolerance.judge(&expected, &actual).is_accepted());
/// let tolerance = tolerance.max_differing("1".parse()?);
/// assert!(tolerance.judge(&expected, &actual).is_accepted());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerance {
    metric: Metric,
    threshold: f64,
    allowance: Allowance,
    ignored: Vec<Region>,
}

impl Tolerance {
    /// A tolerance of no pixels over a threshold, in the unit of the metric. Without a metric, a threshold
    /// means levels ([`Metric::Channel`]); with neither, pictures must be equal.
    ///
    /// # Errors
    /// If the threshold is none of the metric.
    pub fn new(metric: Option<Metric>, threshold: Option<f64>) -> Result<Self, RequestError> {
        let threshold_means = if threshold.is_some() { Metric::Channel } else { Metric::Exact };
        let metric = metric.unwrap_or(threshold_means);
        let threshold = threshold.unwrap_or(0.0);
        metric.check_threshold(threshold)?;
        Ok(Self { metric, threshold, ..Self::default() })
    }

    /// The same, but so many pixels may differ.
    #[must_use]
    pub fn max_differing(self, allowance: Allowance) -> Self {
        Self { allowance, ..self }
    }

    /// The same, without the pixels in some regions: they neither count nor change what counts.
    #[must_use]
    pub fn ignoring(self, regions: Vec<Region>) -> Self {
        Self { ignored: regions, ..self }
    }

    /// By what pixels are compared.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The largest error that a pixel may have, in the unit of the metric.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// How many pixels may have a larger one.
    #[must_use]
    pub fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// What is left out.
    #[must_use]
    pub fn ignored(&self) -> &[Region] {
        &self.ignored
    }

    /// Compares two pictures; those of different sizes are different whatever is allowed.
    #[must_use]
    pub fn judge(&self, expected: &Image, actual: &Image) -> Judgement {
        let comparison = compare_except(expected, actual, &self.ignored);
        let errors = match self.metric {
            Metric::Exact => Errors::exact(&comparison),
            Metric::Channel => Errors::of_channels(&comparison, self.threshold),
            Metric::Flip | Metric::Ssim if comparison.has_differing_colors() => {
                let pair = Pair::new(self.metric, [expected, actual], &self.ignored);
                Errors::perceived(&pair, comparison.compared(), self.threshold)
            }
            Metric::Flip | Metric::Ssim => Errors::default(),
        };
        let is_allowed = comparison.is_same_size()
            && self.allowance.allows(errors.differing, comparison.compared());
        let verdict = match (comparison.is_equal(), is_allowed) {
            (true, _) => Verdict::Equal,
            (_, true) => Verdict::Tolerated,
            _ => Verdict::Different,
        };
        Judgement { verdict, comparison, errors }
    }
}

/// What a metric says of two pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Errors {
    /// Pixels over the threshold.
    differing: u64,
    mean: f64,
    /// The first of the largest, and its column and row.
    worst: Option<(f64, [u32; 2])>,
}

impl Errors {
    fn exact(comparison: &Comparison) -> Self {
        Self {
            differing: comparison.differing(),
            mean: comparison.differing() as f64 / comparison.compared().max(1) as f64,
            worst: comparison.first().map(|(x, y)| (1.0, [x, y])),
        }
    }

    fn of_channels(comparison: &Comparison, threshold: f64) -> Self {
        let levels = (0..).zip(comparison.by_difference.iter());
        let sum: u64 = levels.map(|(level, count)| level * count).sum();
        let worst = comparison.worst_pixel().filter(|_| comparison.worst() > 0);
        Self {
            differing: comparison.differing_above(threshold as u8),
            mean: sum as f64 / comparison.compared().max(1) as f64,
            worst: worst.map(|worst| (f64::from(comparison.worst()), [worst.x, worst.y])),
        }
    }
}

impl Errors {
    fn perceived(pair: &Pair<'_>, compared: u64, threshold: f64) -> Self {
        let tiles = pair.errors(|tile, errors| {
            let mut found = Self::default();
            for (i, &error) in (0..).zip(errors) {
                let (x, y) = (tile.x + i % tile.width, tile.y + i / tile.width);
                if error > 0.0 && pair.counts(x, y) {
                    let one = Self {
                        differing: u64::from(error > threshold),
                        mean: error,
                        worst: Some((error, [x, y])),
                    };
                    found = found.and(&one);
                }
            }
            found
        });
        let all = tiles.iter().fold(Self::default(), Self::and);
        Self { mean: all.mean / compared.max(1) as f64, ..all }
    }

    /// Of both together, with the sum for the mean.
    fn and(self, other: &Self) -> Self {
        // The larger error, of equal ones that above or left.
        let rank = |(error, [x, y]): (f64, [u32; 2])| (error, Reverse([y, x]));
        let is_other = self.worst.map(rank) < other.worst.map(rank);
        Self {
            differing: self.differing + other.differing,
            mean: self.mean + other.mean,
            worst: if is_other { other.worst } else { self.worst },
        }
    }
}

/// What came of two pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Every pixel is equal, of two indexed pictures the indices too.
    Equal,
    /// They differ, but not by more than is allowed.
    Tolerated,
    /// They differ by more, or their sizes do.
    Different,
}

/// What a [`Tolerance`] says of two pictures, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    verdict: Verdict,
    comparison: Comparison,
    errors: Errors,
}

impl Judgement {
    /// What came of it.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether the pictures are equal as far as was asked.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.verdict != Verdict::Different
    }

    /// What differs, channel by channel, whatever the metric.
    #[must_use]
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
    }

    /// Number of pixels whose error is over the threshold.
    #[must_use]
    pub fn differing(&self) -> u64 {
        self.errors.differing
    }

    /// The error by the metric in the mean of all pixels that were compared.
    #[must_use]
    pub fn mean_error(&self) -> f64 {
        self.errors.mean
    }

    /// The largest error by the metric, and the column and row where it is, the first of several; `None` if
    /// no pixel has one.
    #[must_use]
    pub fn worst_error(&self) -> Option<(f64, [u32; 2])> {
        self.errors.worst
    }
}

/// How many pixels differ, or the sizes if they do: `2 of 16 pixels differ (12.500 %)`.
impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.verdict == Verdict::Equal || !self.comparison.is_same_size() {
            return self.comparison.fmt(f);
        }
        let (differing, compared) = (self.differing(), self.comparison.compared());
        let share = differing as f64 * 100.0 / compared.max(1) as f64;
        write!(f, "{differing} of {compared} pixels differ ({share:.3} %)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(levels: &[u8]) -> Image {
        let rgba = levels.iter().flat_map(|&level| [level, level, level, 255]).collect();
        Image::from_rgba(levels.len() as u32, 1, rgba).unwrap()
    }

    #[test]
    fn pixels_over_the_threshold_differ() {
        let images = [grey(&[10, 20, 30, 40]), grey(&[10, 21, 33, 40])];
        for (metric, threshold, allowance, differing, mean, verdict) in [
            (Some(Metric::Exact), None, "0", 2, 0.5, Verdict::Different),
            (Some(Metric::Exact), None, "2", 2, 0.5, Verdict::Tolerated),
            (None, None, "1", 2, 0.5, Verdict::Different),
            (None, Some(0.0), "1", 2, 1.0, Verdict::Different),
            (None, Some(2.0), "0", 1, 1.0, Verdict::Different),
            (Some(Metric::Channel), Some(2.0), "25%", 1, 1.0, Verdict::Tolerated),
            (Some(Metric::Channel), Some(2.0), "24.9%", 1, 1.0, Verdict::Different),
            (Some(Metric::Channel), Some(3.0), "0", 0, 1.0, Verdict::Tolerated),
        ] {
            let tolerance = Tolerance::new(metric, threshold).unwrap();
            let tolerance = tolerance.max_differing(allowance.parse().unwrap());
            let judgement = tolerance.judge(&images[0], &images[1]);
            let found = (judgement.differing(), judgement.mean_error(), judgement.verdict());
            assert_eq!(found, (differing, mean, verdict), "{metric:?} {threshold:?} {allowance}");
            let same = tolerance.judge(&images[0], &images[0]);
            assert_eq!((same.verdict(), same.worst_error()), (Verdict::Equal, None));
        }
        let worst = |metric| {
            let tolerance = Tolerance::new(Some(metric), None).unwrap();
            tolerance.judge(&images[0], &images[1]).worst_error()
        };
        assert_eq!(worst(Metric::Exact), Some((1.0, [1, 0])));
        assert_eq!(worst(Metric::Channel), Some((3.0, [2, 0])));
    }

    #[test]
    fn other_sizes_are_never_tolerated() {
        for metric in Metric::ALL {
            let tolerance = Tolerance::new(Some(metric), None).unwrap();
            let tolerance = tolerance.max_differing(Allowance::Percent(100.0));
            let judgement = tolerance.judge(&grey(&[1]), &grey(&[1, 1]));
            assert_eq!(judgement.verdict(), Verdict::Different, "{metric}");
            assert_eq!(judgement.to_string(), "expected 1 x 1 pixels, found 2 x 1");
        }
    }

    #[test]
    fn what_is_no_tolerance_is_refused() {
        for (metric, threshold, part) in [
            (Some(Metric::Exact), 1.0, "1 is no threshold of metric exact: expected 0"),
            (None, 0.5, "0.5 is no threshold of metric channel: expected a whole number"),
            (None, 256.0, "metric channel"),
            (None, -1.0, "metric channel"),
            (None, f64::NAN, "metric channel"),
        ] {
            let error = Tolerance::new(metric, Some(threshold)).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        for text in ["", "%", "-1", "1.5", "101%", "-1%", "NaN%", "some"] {
            assert!(text.parse::<Allowance>().is_err(), "{text}");
        }
        for text in ["", "1,2,3", "1,2,3,4,5", "1,2,3,-4", "a,b,c,d"] {
            assert!(text.parse::<Region>().is_err(), "{text}");
        }
        let error = "psnr".parse::<Metric>().unwrap_err().to_string();
        assert!(error.starts_with("'psnr' is no metric: expected exact, channel"), "{error}");
    }

    #[test]
    fn what_is_written_is_read() {
        for metric in Metric::ALL {
            assert_eq!(metric.to_string().parse::<Metric>().unwrap(), metric);
        }
        for allowance in [Allowance::Pixels(12), Allowance::Percent(0.1)] {
            assert_eq!(allowance.to_string().parse::<Allowance>().unwrap(), allowance);
        }
        let region = Region { x: 1, y: 2, width: 3, height: 4 };
        assert_eq!(" 1, 2,3,4".parse::<Region>().unwrap(), region);
    }
}
