//! Two pictures from one place: what is shown beside what was pinned, in turn, or where they differ.

use super::picture::Picture;
use super::present::{Placement, Surface};
use super::settings::Settings;
use super::state::State;
use super::viewer::Viewer;
use crate::model::Clip;
use crate::raster::Renderer;
use crate::scene::{Anims, Input, Moment, Opened, RendererKind, Scene};

/// How long each of two pictures is shown, in milliseconds.
const BLINK: u64 = 500;
/// Where two pictures are the same, this share of their light is left.
const DIMMED: u32 = 4;

/// How what is shown is compared with what was pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Versus {
    #[default]
    Off,
    SideBySide,
    Blink,
    Difference,
}

impl Versus {
    pub(crate) const ALL: [Self; 4] = [Self::Off, Self::SideBySide, Self::Blink, Self::Difference];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::SideBySide => "side by side",
            Self::Blink => "blink",
            Self::Difference => "difference",
        }
    }

    /// Width and height that each of the pictures has in a window of this size.
    pub(crate) fn part_of(self, [width, height]: [u32; 2]) -> [u32; 2] {
        if self == Self::SideBySide { [(width / 2).max(1), height] } else { [width, height] }
    }

    /// Whether the pinned picture alone is shown at this time.
    pub(crate) fn shows_pinned(self, now: u64) -> bool {
        self == Self::Blink && (now / BLINK).is_multiple_of(2)
    }
}

/// What was shown when it was pinned.
#[derive(Debug)]
pub(super) struct Pinned {
    picture: Picture,
    settings: Settings,
    /// What it was, in a line.
    pub(super) name: String,
    /// The clip that played, and goes on with what is shown; otherwise the moment stays.
    plays: Option<Clip>,
    is_player: bool,
    moment: Moment,
    /// Pixels that differ from those that are shown, if that was counted.
    pub(super) different: Option<usize>,
}

impl Viewer {
    /// Keeps what is shown for comparisons.
    ///
    /// # Errors
    /// If it cannot be read again.
    pub(super) fn pin(&mut self) -> Result<(), String> {
        let settings = self.state.settings.clone();
        let source = &settings.scene().source;
        if source.input == Input::Stdin {
            return Err("what came from the standard input cannot be pinned".into());
        }
        let opened = settings.scene().open_with(Anims::All).map_err(|error| error.to_string())?;
        let mut picture = Picture::new(Renderer::new());
        picture.set(Some(opened));
        let scene = self.state.scene(false);
        let shown = [self.name(), self.state.frame_line(), self.state.skin_line()].join(", ");
        self.pinned = Some(Pinned {
            picture,
            settings,
            name: shown,
            plays: self.state.clip().filter(|_| self.state.is_playing()).cloned(),
            is_player: !self.state.facts.legs.is_empty(),
            moment: scene.moment,
            different: None,
        });
        Ok(())
    }

    /// Draws the pinned picture from where the camera is now; returns whether it had to be drawn.
    pub(super) fn draw_pinned(&mut self) -> bool {
        let Some(pinned) = self.pinned.as_mut().filter(|_| self.state.versus != Versus::Off) else {
            self.state.is_far = false;
            return false;
        };
        self.state.is_far = pinned.settings.is_classic();
        let shown = self.picture.scene(&self.state);
        let mut scene: Scene = pinned.settings.scene().clone();
        (scene.size, scene.camera) = (shown.size, shown.camera.clone());
        scene.placement = shown.placement.clone();
        scene.background = shown.background;
        scene.moment = pinned.moment.clone();
        if let Some(clip) = &pinned.plays {
            // The clips may differ in length and timing: the time of one is no moment of the other.
            scene.moment = self.state.moment_of(clip, pinned.is_player, &pinned.moment);
            let has_animated_skin = pinned.picture.opened().is_some_and(Opened::has_animated_skin);
            scene.moment.clock = has_animated_skin.then(|| self.state.clock());
        }
        if scene.renderer == RendererKind::Classic {
            scene.look.color = None;
        }
        pinned.picture.draw_scene(scene)
    }

    /// Shows both pictures in the window.
    pub(super) fn show_both(&mut self) {
        let versus = self.state.versus;
        let background = self.state.settings.background();
        let surface = &mut self.surface;
        let window = [surface.width as u32, surface.height as u32];
        let Some(pinned) = self.pinned.as_mut().filter(|_| versus != Versus::Off) else {
            self.picture.show(background, self.state.placement(), surface);
            return;
        };
        match versus {
            Versus::SideBySide => {
                let size = self.state.picture_size();
                let shape = self.state.pixel_aspect();
                let left = Placement::new(size, versus.part_of(window), shape);
                pinned.picture.show(background, left, surface);
                let mut other = Surface::default();
                other.resize(surface.width, surface.height);
                self.picture.show(background, self.state.placement(), &mut other);
                let half = surface.width / 2;
                for (row, from) in surface
                    .pixels
                    .chunks_exact_mut(other.width.max(1))
                    .zip(other.pixels.chunks_exact(other.width.max(1)))
                {
                    row[half..].copy_from_slice(&from[half..]);
                }
            }
            Versus::Blink if versus.shows_pinned(self.state.now()) => {
                pinned.picture.show(background, self.state.placement(), surface);
            }
            Versus::Difference => {
                let mut other = Surface::default();
                other.resize(surface.width, surface.height);
                pinned.picture.show(background, self.state.placement(), &mut other);
                self.picture.show(background, self.state.placement(), surface);
                mark_differences(&mut surface.pixels, &other.pixels);
                pinned.different = Some(self.picture.count_differences(&pinned.picture));
            }
            _ => self.picture.show(background, self.state.placement(), surface),
        }
    }

    /// What is said of the comparison.
    pub(super) fn versus_lines(&self, state: &State) -> Vec<String> {
        let Some(pinned) = self.pinned.as_ref().filter(|_| state.versus != Versus::Off) else {
            return Vec::new();
        };
        let now = [self.name(), state.frame_line(), state.skin_line()].join(", ");
        let [first, second] = match state.versus {
            Versus::SideBySide => ["left", "right"],
            Versus::Blink if state.versus.shows_pinned(state.now()) => ["now: pinned", "shown"],
            Versus::Blink => ["pinned", "now: shown"],
            _ => ["pinned", "shown"],
        };
        let mut lines = vec![format!("{first}: {}", pinned.name), format!("{second}: {now}")];
        let count = pinned.different.filter(|_| state.versus == Versus::Difference);
        lines.extend(count.map(|count| format!("{count} pixels differ")));
        lines
    }
}

/// Dims what is the same, and shows the rest in a colour that says how different it is.
fn mark_differences(pixels: &mut [u32], others: &[u32]) {
    for (pixel, other) in pixels.iter_mut().zip(others) {
        let [_, r, g, b] = pixel.to_be_bytes();
        let [_, x, y, z] = other.to_be_bytes();
        let largest = [(r, x), (g, y), (b, z)].map(|(a, b)| a.abs_diff(b)).into_iter().max();
        *pixel = match largest {
            Some(0) | None => {
                let grey = (u32::from(r) + u32::from(g) + u32::from(b)) / 3 / DIMMED;
                grey * 0x0001_0101
            }
            // From red to yellow: any difference can be seen.
            Some(by) => u32::from_be_bytes([0, 255, by, 0]),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_cannot_be_overlooked() {
        let mut pixels = [0x0010_2030, 0x0010_2030, 0x00ff_ffff];
        mark_differences(&mut pixels, &[0x0010_2030, 0x0011_2030, 0x0000_0000]);
        assert_eq!(pixels, [0x0008_0808, 0x00ff_0100, 0x00ff_ff00]);
    }

    #[test]
    fn pictures_side_by_side_share_the_window() {
        assert_eq!(Versus::SideBySide.part_of([961, 600]), [480, 600]);
        assert_eq!(Versus::Blink.part_of([961, 600]), [961, 600]);
        let shows = [0, 499, 500, 1000].map(|now| Versus::Blink.shows_pinned(now));
        assert_eq!(shows, [true, true, false, true]);
    }
}
