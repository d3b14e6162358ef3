//! Pictures of the skins that lie inside a model file, decoded when asked for.

use super::clip::interval;
use super::{Model, SkinSource};
use crate::image::Image;

impl Model {
    /// The picture of skin entry `skin` at `time` seconds, if it lies inside the file (MDL).
    ///
    /// A group's picture is chosen as the Quake software renderer does: the group's times are the
    /// END of each picture, the last is the period, and the first picture whose end lies behind
    /// `time` is shown. `None` for a skin that does not exist or that is a file of its own (MD2).
    #[must_use]
    pub fn skin_image(&self, skin: usize, time: f64) -> Option<Image> {
        self.picture_of_skin(skin, self.skin_picture(skin, time))
    }

    /// Picture number `picture` of skin entry `skin`, if it lies inside the file.
    pub(crate) fn picture_of_skin(&self, skin: usize, picture: usize) -> Option<Image> {
        match &self.skins.get(skin)?.source {
            SkinSource::Embedded { file, width, height, offsets, .. } => {
                let start = *offsets.get(picture)?;
                let size = usize::try_from(u64::from(*width) * u64::from(*height)).ok()?;
                let indices = file.get(start..start.checked_add(size)?)?.to_vec();
                let transparent = self.holey.then_some(255);
                let palette = self.palette.clone();
                Image::from_indices(*width, *height, indices, palette, transparent).ok()
            }
            SkinSource::File => None,
        }
    }

    /// The end times of a skin group's pictures; none for a skin that is none.
    pub(crate) fn skin_times(&self, skin: usize) -> &[f32] {
        match self.skins.get(skin).map(|skin| &skin.source) {
            Some(SkinSource::Embedded { end_times, .. }) => end_times,
            _ => &[],
        }
    }

    /// Which picture of skin entry `skin` is shown at `time`, as [`Model::skin_image`] chooses it; 0
    /// for a skin that is not a group.
    #[must_use]
    pub fn skin_picture(&self, skin: usize, time: f64) -> usize {
        match self.skins.get(skin).map(|skin| &skin.source) {
            Some(SkinSource::Embedded { end_times, .. }) if !end_times.is_empty() => {
                // The engine's time is a float here: a picture begins at its time however that is rounded.
                interval(end_times, f64::from(time as f32)).0
            }
            _ => 0,
        }
    }

    /// How many pictures skin entry `skin` has inside the file: more than 1 for an animated group,
    /// 0 for a skin that is a file of its own or does not exist.
    #[must_use]
    pub fn skin_picture_count(&self, skin: usize) -> usize {
        match self.skins.get(skin).map(|skin| &skin.source) {
            Some(SkinSource::Embedded { offsets, .. }) => offsets.len(),
            Some(SkinSource::File) | None => 0,
        }
    }
}
