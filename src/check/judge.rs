//! Draws a case and says what is to be thought of the picture.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::case::{Case, Reference};
use super::manifest::{Manifest, Record, VERSION};
use crate::compare::{self, Judgement};
use crate::golden;
use crate::image::Image;
use crate::location::Location;
use crate::scene::{Anims, Files, Scene, Studio};

/// What is to be thought of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// It is as it should be.
    Passed,
    /// It differs.
    Failed,
    /// There is nothing yet that it could be compared with.
    New,
    /// It differs, or cannot be drawn, as is known.
    Known,
    /// It is as it should be, although it is known to differ: the scene file says too much.
    Fixed,
    /// It cannot be drawn, or its reference cannot be read.
    Broken,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Passed, Self::Failed, Self::New, Self::Known, Self::Fixed, Self::Broken];

    /// The word for it in lines and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::New => "new",
            Self::Known => "known",
            Self::Fixed => "fixed",
            Self::Broken => "broken",
        }
    }

    /// Whether nothing has to be done about it.
    #[must_use]
    pub fn is_fine(self) -> bool {
        matches!(self, Self::Passed | Self::Known)
    }
}

/// What became of a case.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// What is to be thought of it.
    pub verdict: Verdict,
    /// What is wrong, or how far within the tolerance it is; empty if it is equal.
    pub message: String,
    /// What has changed since the reference was kept; `None` if nothing is wrong.
    pub cause: Option<String>,
    /// How the picture differs, if there is a reference picture.
    pub judgement: Option<Box<Judgement>>,
    /// The reference picture, if there is one and something is to be seen.
    pub expected: Option<Image>,
    /// What was drawn, if something is to be seen.
    pub actual: Option<Image>,
    /// Width and height of what was drawn.
    pub size: Option<[u32; 2]>,
    /// What is odd about the picture.
    pub warnings: Vec<String>,
    /// How long it took to open, draw and compare.
    pub time: Duration,
    pub(super) record: Option<Record>,
}

/// Hashes by the names of scenes, from files as `polyset hash` writes them.
pub(super) type Hashes = HashMap<PathBuf, HashMap<String, u64>>;

/// What cases are judged by.
pub(super) struct Judge<'a> {
    pub(super) files: &'a Files,
    pub(super) manifest: &'a Manifest,
    pub(super) hashes: &'a Hashes,
    /// Whether to note what every picture was made of, rather than of those alone that differ.
    pub(super) records_all: bool,
}

impl Judge<'_> {
    pub(super) fn judge(&self, case: &Case, studio: &mut Studio) -> Outcome {
        let start = Instant::now();
        let mut outcome = Outcome {
            verdict: Verdict::Passed,
            message: String::new(),
            cause: None,
            judgement: None,
            expected: None,
            actual: None,
            size: None,
            warnings: Vec::new(),
            time: Duration::ZERO,
            record: None,
        };
        if let Err(message) = self.look(case, studio, &mut outcome) {
            outcome.verdict = Verdict::Broken;
            outcome.message = message;
        }
        if let Some(reason) = &case.known_failure {
            match outcome.verdict {
                Verdict::Failed | Verdict::Broken => {
                    outcome.verdict = Verdict::Known;
                    outcome.message = format!("{reason} ({})", outcome.message);
                }
                Verdict::Passed => {
                    outcome.verdict = Verdict::Fixed;
                    outcome.message =
                        format!("it is as it should be: remove known_failure = \"{reason}\"");
                }
                _ => {
                    outcome.message +=
                        ", and a known failure is not kept: the reference comes from elsewhere";
                }
            }
        }
        outcome.time = start.elapsed();
        outcome
    }

    /// # Errors
    /// If the picture cannot be drawn or the reference cannot be read; says why.
    fn look(&self, case: &Case, studio: &mut Studio, outcome: &mut Outcome) -> Result<(), String> {
        let scene = case.scene.as_ref().map_err(Clone::clone)?;
        let opened = scene.open_in(self.files, Anims::AsAsked);
        let mut opened = opened.map_err(|error| error.to_string())?;
        let drawing = studio.draw(scene, &mut opened).map_err(|error| error.to_string())?;
        outcome.warnings = drawing.warnings;
        let image = drawing.image;
        outcome.size = Some([image.width(), image.height()]);
        // A picture, or the hash of one, and whether the drawn one is like it.
        let (expected, passes) = match &case.reference {
            Reference::Picture(path) if !path.exists() => (None, None),
            Reference::Picture(path) => {
                let expected = golden::open(path).map_err(|error| error.to_string())?;
                let judgement = case.tolerance.judge(&expected, &image);
                outcome.message = said(&judgement);
                let passes = judgement.is_accepted();
                outcome.judgement = Some(Box::new(judgement));
                (Some(expected), Some(passes))
            }
            Reference::Hash(hash) => (None, hash.map(|hash| outcome.compare_hash(hash, &image))),
            Reference::Hashes(file) => {
                let hash = self.hashes.get(file).and_then(|hashes| hashes.get(&case.name));
                (None, hash.map(|hash| outcome.compare_hash(*hash, &image)))
            }
        };
        outcome.verdict = match passes {
            Some(true) => Verdict::Passed,
            Some(false) => Verdict::Failed,
            None => {
                outcome.message = match &case.reference {
                    Reference::Picture(path) => format!("there is no '{}' yet", path.display()),
                    _ => "there is no hash yet".into(),
                };
                Verdict::New
            }
        };
        let is_shown = passes != Some(true) || case.known_failure.is_some();
        if self.records_all || is_shown {
            let record = self.record(case, scene, &image, &opened.hashes());
            if outcome.verdict == Verdict::Failed {
                outcome.cause = Some(self.manifest.cause(&record));
            }
            outcome.record = Some(record);
        }
        if is_shown {
            outcome.expected = expected;
            outcome.actual = Some(image);
        }
        Ok(())
    }

    fn record(
        &self,
        case: &Case,
        scene: &Scene,
        image: &Image,
        files: &[(Location, u64)],
    ) -> Record {
        // Seen from the scene file, so that it is the same wherever the command is run.
        let scene =
            scene.clone().with_files(|place, _| Location::from(&*self.manifest.name_of(place)));
        let command = scene.command_line().to_string_lossy().into_owned();
        let reference = match &case.reference {
            Reference::Picture(path) => Some(self.manifest.name_of(&path.as_path().into())),
            _ => None,
        };
        Record {
            name: case.name.clone(),
            picture: format!("{:016x}", image.hash()),
            polyset: VERSION.to_owned(),
            command,
            reference,
            files: self.manifest.ingredients(files),
        }
    }
}

impl Outcome {
    /// Whether the picture has this hash.
    fn compare_hash(&mut self, expected: u64, image: &Image) -> bool {
        let found = image.hash();
        if found != expected {
            self.message = format!("expected the hash {expected:016x}, found {found:016x}");
        }
        found == expected
    }
}

/// How many pixels differ, by how much and where; nothing of equal pictures.
fn said(judgement: &Judgement) -> String {
    if judgement.verdict() == compare::Verdict::Equal {
        return String::new();
    }
    match judgement.comparison().worst_pixel() {
        Some(worst) => format!(
            "{judgement}, by at most {} of 255, at ({}, {})",
            judgement.comparison().worst(),
            worst.x,
            worst.y
        ),
        None => judgement.to_string(),
    }
}
