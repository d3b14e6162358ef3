//! Golden pictures in tests of programs: a picture must be equal to the one that was looked at and kept.

use std::fs;
use std::path::{Path, PathBuf};

use crate::compare::{Comparison, compare};
use crate::error::OpenError;
use crate::image::Image;
use crate::output::WriteError;

/// A folder of golden pictures, PNG files.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use polyset::golden::Golden;
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let image = polyset::Image::from_rgba(1, 1, vec![255; 4])?;
/// let golden = Golden::new(folder.join("golden"));
/// assert!(golden.check("white", &image).is_err(), "there is none yet");
/// // What POLYSET_BLESS=1 does: the picture is kept, and the test still fails, so that someone looks.
/// assert!(golden.clone().blessing(true).check("white", &image).is_err());
/// golden.check("white", &image)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Golden {
    folder: PathBuf,
    differences: PathBuf,
    blesses: bool,
}

/// The variable that makes tests keep what they find, if it is `1`.
const BLESS: &str = "POLYSET_BLESS";

/// Why a picture is not as it should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// The name has something else than words of letters, digits, `-`, `_`, `.` and `/` between them.
    #[error("'{0}' is no name for a golden picture: letters, digits, -, _, . and / between words")]
    Name(String),
    /// There is no golden picture yet.
    #[error("there is no golden picture '{}'; {BLESS}=1 keeps this one as such", .0.display())]
    Missing(PathBuf),
    /// The picture differs from the golden one.
    #[error(
        "'{}' differs: {comparison}; '{}' shows expected, difference, actual; {BLESS}=1 keeps the new one",
        .golden.display(), .difference.display()
    )]
    Different {
        /// The golden picture.
        golden: PathBuf,
        /// Where both are shown with their difference.
        difference: PathBuf,
        /// How they differ.
        comparison: Box<Comparison>,
    },
    /// The picture was kept as the golden one, because that was asked for.
    #[error("'{}' was {}; look at it, then run without {BLESS}", .golden.display(), if *.is_new { "made" } else { "replaced" })]
    Blessed {
        /// The golden picture.
        golden: PathBuf,
        /// Whether there was none before.
        is_new: bool,
    },
    /// The golden picture cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The golden picture or the one of the difference cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A folder cannot be made.
    #[error("cannot make the folder '{}': {source}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl Golden {
    /// The golden pictures in a folder. Differences are shown in `target/golden-diff`. With
    /// `POLYSET_BLESS=1` in the environment pictures that are new or differ are kept, and the test that
    /// finds them fails once more, so that somebody looks at them.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            differences: Path::new("target").join("golden-diff"),
            blesses: std::env::var_os(BLESS).is_some_and(|value| value == "1"),
        }
    }

    /// The same with another folder for differences.
    #[must_use]
    pub fn with_differences(self, folder: impl Into<PathBuf>) -> Self {
        Self { differences: folder.into(), ..self }
    }

    /// The same, whatever the environment says of keeping pictures.
    #[must_use]
    pub fn blessing(self, blesses: bool) -> Self {
        Self { blesses, ..self }
    }

    /// Whether pictures are kept.
    #[must_use]
    pub fn blesses(&self) -> bool {
        self.blesses
    }

    /// The file of a golden picture.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.png"))
    }

    /// Compares a picture with the golden one of its name: size and every pixel, and of indexed ones the
    /// indices. No difference is allowed.
    ///
    /// # Errors
    /// If there is none, it differs, or a file cannot be read or written; also if it was kept.
    pub fn check(&self, name: &str, actual: &Image) -> Result<(), GoldenError> {
        let is_word = |word: &str| {
            let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
            !word.is_empty() && word.chars().all(is_plain) && word.contains(|c| c != '.')
        };
        if !name.split('/').all(is_word) {
            return Err(GoldenError::Name(name.into()));
        }
        let path = self.path(name);
        let golden = if path.exists() { Some(open(&path)?) } else { None };
        let comparison = golden.as_ref().map(|golden| compare(golden, actual));
        if comparison.as_ref().is_some_and(Comparison::is_equal) {
            return Ok(());
        }
        if self.blesses {
            make_folder_of(&path)?;
            actual.save_drawn(&path)?;
            return Err(GoldenError::Blessed { golden: path, is_new: golden.is_none() });
        }
        let (Some(golden), Some(comparison)) = (golden, comparison) else {
            return Err(GoldenError::Missing(path));
        };
        let difference = self.differences.join(format!("{name}.png"));
        make_folder_of(&difference)?;
        Comparison::picture(&golden, actual).save_png(&difference)?;
        Err(GoldenError::Different { golden: path, difference, comparison: Box::new(comparison) })
    }

    /// [`Golden::check`] for tests of one picture.
    ///
    /// # Panics
    /// With the error's message.
    pub fn assert(&self, name: &str, actual: &Image) {
        if let Err(error) = self.check(name, actual) {
            panic!("{error}");
        }
    }
}

/// A picture as it was kept: indices stay indices.
pub(crate) fn open(path: &Path) -> Result<Image, OpenError> {
    Image::open_indexed_png(path).or_else(|_| Image::open_whole(path))
}

fn make_folder_of(path: &Path) -> Result<(), GoldenError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .map_err(|source| GoldenError::Folder { folder: folder.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Palette;

    #[test]
    fn pictures_are_kept_compared_and_shown() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let golden = Golden::new(place("golden")).with_differences(place("diff")).blessing(false);
        let image = |value| Image::from_rgba(2, 1, vec![value; 8]).unwrap();
        let said = |golden: &Golden, name: &str, image: &Image| {
            golden.check(name, image).unwrap_err().to_string()
        };
        assert!(said(&golden, "deep/a", &image(255)).contains("there is no golden picture"));
        assert!(!place("golden").exists() && !place("diff").exists());
        let blessing = golden.clone().blessing(true);
        assert!(said(&blessing, "deep/a", &image(255)).contains("was made; look at it"));
        blessing.check("deep/a", &image(255)).unwrap();
        golden.check("deep/a", &image(255)).unwrap();
        let text = said(&golden, "deep/a", &image(254));
        assert!(text.contains("2 of 2 pixels differ") && text.contains("a.png' shows"), "{text}");
        let shown = Image::open(place("diff/deep/a.png")).unwrap();
        assert_eq!([shown.width(), shown.height()], [6, 1]);
        assert!(said(&blessing, "deep/a", &image(254)).contains("was replaced"));
        golden.check("deep/a", &image(254)).unwrap();
    }

    #[test]
    fn equal_colours_under_other_indices_differ() {
        let folder = tempfile::tempdir().unwrap();
        let golden = Golden::new(folder.path()).with_differences(folder.path().join("diff"));
        let black = Palette::from_lmp(&[0; 768]).unwrap();
        let image = |index| {
            let palette = std::sync::Arc::new(black.clone());
            Image::from_indices(1, 1, vec![index], palette, None).unwrap()
        };
        golden.clone().blessing(true).check("a", &image(1)).unwrap_err();
        let golden = golden.blessing(false);
        golden.check("a", &image(1)).unwrap();
        assert!(matches!(golden.check("a", &image(2)), Err(GoldenError::Different { .. })));
    }

    #[test]
    fn names_stay_in_the_folder() {
        let golden = Golden::new("nowhere").blessing(false);
        let image = Image::from_rgba(1, 1, vec![0; 4]).unwrap();
        for name in ["", "..", "a/../b", "/a", "a//b", "a b", "a\\b", "a:b", "a/"] {
            let error = golden.check(name, &image).unwrap_err();
            assert!(matches!(error, GoldenError::Name(_)), "{name}: {error}");
        }
        for name in ["a", "a-b/c_d.2", "ä"] {
            let error = golden.check(name, &image).unwrap_err();
            assert!(matches!(error, GoldenError::Missing(_)), "{name}: {error}");
        }
    }

    #[test]
    #[should_panic(expected = "there is no golden picture")]
    fn a_test_of_one_picture_panics() {
        let image = Image::from_rgba(1, 1, vec![0; 4]).unwrap();
        Golden::new("nowhere").blessing(false).assert("a", &image);
    }
}
