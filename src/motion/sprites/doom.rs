//! Sprites as the engines that come from Doom read them: a file for every picture, whose name says frame
//! and rotation, with the offset of the picture in a chunk `grAb`.
//!
//! The rules are those of the ZDoom wiki, "Sprite" and "GrAb": rotation 1 shows the face, and they go on
//! towards the thing's left in steps of 45 degrees; half steps are 9, A, ..., G. A second frame and rotation
//! in a name mean the mirror image. Offsets are counted from the upper left corner to the point that stands
//! where the thing is.

use super::SpriteSet;
use super::cell::{cut, visible};
use crate::error::RequestError;
use crate::image::Image;

/// A picture for an engine that comes from Doom.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DoomSprite {
    /// The name without extension: `TROOA2A8`.
    pub name: String,
    /// The picture, cut to what is seen.
    pub image: Image,
    /// Columns and rows from its upper left corner to the model's origin.
    pub offset: [i32; 2],
}

/// Frames of a sprite: the alphabet, and three signs behind it. `^` stands for the backslash, which is no
/// part of a file's name.
const FRAMES: &[u8; 29] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ[^]";
/// Rotations in steps of 22.5 degrees.
const ROTATIONS: &[u8; 16] = b"192A3B4C5D6E7F8G";

/// The sprites of a set under a name of four letters or digits. Frames of several clips are counted on.
///
/// # Errors
/// If the name or the number of directions is none that the engines know, or there are too many frames.
pub fn doom_sprites(
    set: &SpriteSet,
    directions: u32,
    name: &str,
) -> Result<Vec<DoomSprite>, RequestError> {
    let is_name = name.len() == 4 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_name {
        return Err(RequestError::new(format!(
            "'{name}': the name of a sprite has four letters or digits, such as TROO"
        )));
    }
    let step = match directions {
        1 => None,
        8 => Some(2),
        16 => Some(1),
        _ => {
            return Err(RequestError::new(format!(
                "{directions} directions: Doom's engines know sprites of 1, 8 or 16"
            )));
        }
    };
    if set.cells.iter().any(|cell| cell.direction.max(cell.mirrored.unwrap_or(0)) >= directions) {
        return Err(RequestError::new(format!(
            "the set has sprites of more than {directions} directions"
        )));
    }
    let frames: usize = set.clips.iter().map(|(_, count)| count).sum();
    if frames > FRAMES.len() {
        return Err(RequestError::new(format!(
            "{frames} frames: a sprite of Doom has {} at most; give fewer clips, or a lower --fps",
            FRAMES.len()
        )));
    }
    let rotation = |direction: u32| match step {
        Some(step) => char::from(ROTATIONS[(direction * step) as usize]),
        None => '0',
    };
    let sprite = |cell: &super::Cell| {
        let before: usize = set.clips[..cell.clip].iter().map(|(_, count)| count).sum();
        let frame = char::from(FRAMES[before + cell.frame]);
        let mut own = format!("{}{frame}{}", name.to_ascii_uppercase(), rotation(cell.direction));
        if let Some(other) = cell.mirrored {
            own.push(frame);
            own.push(rotation(other));
        }
        let part = visible(&cell.image);
        let offset = |axis: usize| set.pivot[axis].round() as i32 - part[axis] as i32;
        DoomSprite { name: own, image: cut(&cell.image, part), offset: [offset(0), offset(1)] }
    };
    Ok(set.cells.iter().map(sprite).collect())
}
