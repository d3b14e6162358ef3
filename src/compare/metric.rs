//! How much a pixel of one picture differs from that of another.

use std::fmt;
use std::str::FromStr;

use crate::error::RequestError;

/// A way to say how much a pixel differs: its error, 0 where the pictures are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Metric {
    /// 1 if anything differs, also the palette index alone; there is no threshold but 0.
    #[default]
    Exact,
    /// The largest difference of red, green, blue and alpha, 0 to 255 levels.
    Channel,
    /// [FLIP](https://doi.org/10.1145/3406183), how much a viewer notices who flips between the pictures: 0
    /// not at all, 1 as much as can be.
    Flip,
    /// 1 - [SSIM](https://doi.org/10.1109/TIP.2003.819861), how much of the structure around the pixel is
    /// lost: 0 nothing, 1 all of it, up to 2 where light and dark are swapped.
    Ssim,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Self; 4] = [Self::Exact, Self::Channel, Self::Flip, Self::Ssim];

    /// Its name: `channel`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Channel => "channel",
            Self::Flip => "flip",
            Self::Ssim => "ssim",
        }
    }

    /// What its error is, in a line of help.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Exact => "every difference counts",
            Self::Channel => "the worst channel, 0 to 255 levels",
            Self::Flip => "what a viewer notices, 0 to 1",
            Self::Ssim => "1 - SSIM, what is lost of the structure, 0 to 2",
        }
    }

    /// The largest error that a pixel can have.
    #[must_use]
    pub const fn max_error(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Channel => 255.0,
            Self::Flip => 1.0,
            Self::Ssim => 2.0,
        }
    }

    /// Whether a threshold is one of this metric.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn check_threshold(self, threshold: f64) -> Result<(), RequestError> {
        let (is_good, expected) = match self {
            Self::Exact => (threshold == 0.0, "0: every pixel counts"),
            Self::Channel => (
                (0.0..=255.0).contains(&threshold) && threshold % 1.0 == 0.0,
                "a whole number of levels, 0 to 255",
            ),
            Self::Flip => ((0.0..=1.0).contains(&threshold), "0 to 1"),
            Self::Ssim => ((0.0..=2.0).contains(&threshold), "0 to 2, that is 1 - SSIM"),
        };
        if is_good {
            return Ok(());
        }
        let message = format!("{threshold} is no threshold of metric {self}: expected {expected}");
        Err(RequestError::new(message))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Metric {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        Self::ALL.into_iter().find(|metric| metric.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            RequestError::new(format!("'{text}' is no metric: expected {names}"))
        })
    }
}
