//! What a mapper or modder wants to hear of a model before release.
//!
//! Each check looks at one kind of part and adds findings; [`CODES`] is the one table of what can be found.
//! A kind of defect that many parts have is one finding that counts them and names the first.

mod codes;
mod geometry;
mod limits;
mod skins;
mod textures;

use std::io;

pub use codes::{CODES, Code, Severity, code, document};

use crate::error::{OpenError, Warning};
use crate::format::md5anim;
use crate::model::Model;
use crate::scene::{Anims, Opened, Scene};

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its kind: a name of [`CODES`].
    pub code: &'static str,
    /// Where: "skin 0", "surface 'head'", "frame 3 'stand4'".
    pub place: String,
    /// What exactly.
    pub message: String,
}

impl Finding {
    fn new(code: &'static str, place: impl Into<String>, message: impl Into<String>) -> Self {
        debug_assert!(codes::code(code).is_some(), "{code} is in the table");
        Self { code, place: place.into(), message: message.into() }
    }

    /// The row of the table.
    ///
    /// # Panics
    /// If somebody else made it with a code that does not exist.
    #[must_use]
    pub fn kind(&self) -> &'static Code {
        code(self.code).expect("findings have codes of the table")
    }
}

impl Scene {
    /// Everything that is found in the scene's model and its textures. A model that cannot be loaded, or
    /// that is there and cannot be read, is a finding.
    ///
    /// # Errors
    /// If there is no such file, or a file that the scene names cannot be used.
    pub fn lint(&self) -> Result<Vec<Finding>, OpenError> {
        if let Some(file) = self.source.input.file()
            && file.extension().eq_ignore_ascii_case("md5anim")
        {
            return self.lint_anim();
        }
        // A palette that is given would change what the skins hold.
        let mut bare = self.clone();
        bare.source.palette = None;
        let opened = match bare.open_with(Anims::All) {
            Ok(opened) => opened,
            Err(OpenError::Load { source, .. }) => {
                return Ok(vec![Finding::new("unreadable", "file", source.to_string())]);
            }
            Err(error) if is_there(&error) => {
                return Ok(vec![Finding::new("unreadable", "file", error.to_string())]);
            }
            Err(error) => return Err(error),
        };
        let palette = opened.game_palette(self)?;
        Ok(findings(&opened, self, palette.as_deref()))
    }

    /// What is found in an animation by itself, of whatever mesh.
    fn lint_anim(&self) -> Result<Vec<Finding>, OpenError> {
        let bytes = match self.read() {
            Err(error) if !is_there(&error) => return Err(error),
            bytes => bytes.map_err(|error| error.to_string()),
        };
        let mut warnings = Vec::new();
        let load = |bytes: Vec<u8>| {
            md5anim::load(&bytes, &mut warnings).map(drop).map_err(|error| error.to_string())
        };
        Ok(match bytes.and_then(load) {
            Ok(()) => warnings.iter().map(|warning| of_warning("defect", warning)).collect(),
            Err(error) => vec![Finding::new("unreadable", "file", error)],
        })
    }
}

/// Whether it is about a file that exists and whose bytes cannot be had: no permission, a damaged archive.
fn is_there(error: &OpenError) -> bool {
    matches!(error, OpenError::Read { source, .. } if source.kind() != io::ErrorKind::NotFound)
}

/// Of a player's folder every part is looked at.
fn findings(
    opened: &Opened,
    scene: &Scene,
    palette: Option<&crate::image::Palette>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, part) in opened.members() {
        let mut own = Vec::new();
        defects(&part.model, &mut own);
        animations(part, &mut own);
        limits::check(&part.model, &mut own);
        skins::check(&part.model, palette, &mut own);
        textures::check(part, scene, &mut own);
        geometry::check(&part.model, &mut own);
        tell_once(&mut own);
        if !opened.parts.is_empty() {
            own.iter_mut().for_each(|one| one.place = format!("{name}: {}", one.place));
        }
        found.extend(own);
    }
    found
}

/// Takes away what reading has told of a defect that a code of its own tells better.
fn tell_once(found: &mut Vec<Finding>) {
    const BETTER: [(&str, &str); 4] = [
        (", not to 1", "weights-not-normalised"),
        ("has no weight", "weightless-vertex"),
        ("scaled to 1", "tag-axes"),
        ("end time ", "uneven-group-times"),
    ];
    let told: Vec<&str> = found.iter().map(|finding| finding.code).collect();
    found.retain(|finding| {
        let is_told =
            |(words, code): &(&str, &str)| finding.message.contains(words) && told.contains(code);
        finding.code != "defect" || !BETTER.iter().any(is_told)
    });
}

/// What reading has found odd.
fn defects(model: &Model, found: &mut Vec<Finding>) {
    found.extend(model.warnings().iter().map(|warning| of_warning("defect", warning)));
    let normals = model.check_frames(0..model.frame_count());
    found.extend(normals.iter().map(|warning| of_warning("normal-out-of-range", warning)));
}

fn of_warning(code: &'static str, warning: &Warning) -> Finding {
    Finding::new(code, warning.part.clone(), format!("{}: {}", warning.place, warning.message))
}

/// Animations beside a mesh that no mesh can use; what belongs to another one does not count.
fn animations(opened: &Opened, found: &mut Vec<Finding>) {
    for anim in opened.anims.iter().filter(|anim| anim.is_broken) {
        let place = format!("animation '{}'", anim.file.file_name().display());
        found.push(Finding::new("unreadable", place, anim.error.clone().unwrap_or_default()));
    }
}
