//! What the window writes: its picture as a PNG, the clip that plays as a GIF.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::picture::image_of;
use super::viewer::Viewer;
use crate::motion::{Crew, FilmKind, FilmOptions, Motion, MotionError, write_film};
use crate::output::{WriteError, write_file};
use crate::raster::Renderer;
use crate::scene::{Input, Scene, Studio};

/// Pictures a second of a GIF of what moves between the frames of a clip.
const FPS: f64 = 20.0;

impl Viewer {
    /// Writes a picture under a name that is not taken yet; returns what is said about it.
    pub(super) fn screenshot(&mut self, alone: bool) -> Result<String, String> {
        // What an earlier key said is not a part of it.
        self.state.be_silent();
        self.refresh();
        let image = if alone {
            self.picture.image().map_err(|error| error.to_string())?
        } else {
            image_of(&self.surface).ok_or("there is no picture yet")?
        };
        let mut png = Vec::new();
        image.encode_drawn(&mut png).map_err(|error| error.to_string())?;
        self.write_new("png", |path| write_file(path, |out| out.write_all(&png)))
    }

    /// Writes what moves as a GIF under a name that is not taken yet: what [`Viewer::clip_command`] writes.
    pub(super) fn save_clip(&mut self) -> Result<String, String> {
        let (scene, motion) = self.motion()?;
        let opened = self.picture.opened().ok_or("there is no model")?;
        let steps = motion.steps(&scene, opened).map_err(|error| error.to_string())?;
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let studios = (0..threads).map(|_| Studio::new(Renderer::new())).collect();
        let crew = Crew::new(opened, studios).map_err(|error| error.to_string())?;
        let options = FilmOptions { kind: FilmKind::Gif, plays: 0, dither: false };
        let mut encoded = Vec::new();
        let made = write_film(&steps, &crew, options, &mut encoded, &|_, _| ());
        made.map_err(|error: MotionError| error.to_string())?;
        self.write_new("gif", |path| write_file(path, |out| out.write_all(&encoded)))
    }

    /// The `polyset animate` command that writes what [`Viewer::save_clip`] does.
    pub(super) fn clip_command(&mut self) -> Result<OsString, String> {
        let (scene, motion) = self.motion()?;
        Ok(motion.command_line(&scene, "gif"))
    }

    /// What moves in the window, seen from where its camera is.
    fn motion(&mut self) -> Result<(Scene, Motion), String> {
        let mut scene = self.picture.scene(&self.state);
        let state = &self.state;
        let playback = &state.playback;
        let clip = playback.clip().and_then(|clip| state.facts.clips.get(clip));
        let turntable = state.turntable_pictures(FPS);
        let is_playing = state.is_playing();
        let mut motion = Motion { turntable, ..Motion::default() };
        scene.moment.clock = None;
        if let Some(clip) = clip.filter(|_| is_playing || turntable.is_none()) {
            scene.moment.animation = Some(clip.name().to_owned());
            (scene.moment.frames, scene.moment.seconds) = (None, None);
            motion.fps = playback.interpolates.then_some(FPS);
            motion.speed = playback.speed();
        } else if turntable.is_none() {
            return Err("nothing moves: this model has no clip to save".into());
        }
        Ok((scene, motion))
    }

    /// Writes a file of this kind beside the screenshots under the first number that is free.
    fn write_new(
        &self,
        extension: &str,
        write: impl Fn(&Path) -> Result<(), WriteError>,
    ) -> Result<String, String> {
        let stem = stem_of(&self.inputs[self.state.input]);
        for number in 1..10_000 {
            let file = format!("{stem}-{number:03}.{extension}");
            let path = self.options.screenshot_folder.join(file);
            // Taking the name first keeps other windows from taking it too.
            match std::fs::File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("cannot write '{}': {error}", path.display())),
                Ok(_) => {
                    return match write(&path) {
                        Ok(()) => Ok(format!("written: {}", whole(&path).display())),
                        Err(error) => {
                            let _ = std::fs::remove_file(&path);
                            Err(error.to_string())
                        }
                    };
                }
            }
        }
        Err(format!("there are too many pictures of '{stem}'"))
    }
}

/// What files of an input are called: like the model; every model of Quake II is called `tris`, and is known
/// by its folder.
fn stem_of(input: &Input) -> String {
    let Some(file) = input.file() else { return "stdin".into() };
    let stem = file.file_stem().to_string_lossy().into_owned();
    let folders = match file.member() {
        Some(member) => member.rsplit(['/', '\\']).nth(1).map(str::to_owned),
        None => whole(file.path())
            .parent()
            .and_then(Path::file_name)
            .map(|folder| folder.to_string_lossy().into_owned()),
    };
    let stem = match folders {
        Some(folder) if stem.eq_ignore_ascii_case("tris") => folder,
        // A folder's own name may have dots.
        _ if file.path().is_dir() && file.member().is_none() => {
            file.file_name().to_string_lossy().into_owned()
        }
        _ => stem,
    };
    let is_bad = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    let stem: String = stem.chars().map(|c| if is_bad(c) { '_' } else { c }).collect();
    if stem.is_empty() { "model".into() } else { stem }
}

/// The path from the root on.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_called_like_what_they_show() {
        for (input, expected) in [
            ("a/bolt.md2", "bolt"),
            ("a/v1.2.final.mdl", "v1.2.final"),
            ("models/monsters/soldier/tris.md2", "soldier"),
            ("models/monsters/soldier/TRIS.MD2", "soldier"),
            ("pak0.pak:models/monsters/soldier/tris.md2", "soldier"),
            ("pak0.pak:tris.md2", "tris"),
            ("tests/models/players/bolt", "bolt"),
            (".md2", ".md2"),
            ("-", "stdin"),
        ] {
            assert_eq!(stem_of(&Input::from(std::ffi::OsStr::new(input))), expected, "{input}");
        }
    }
}
