//! What the window writes: its picture as a PNG, the clip that plays as a GIF.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::picture::image_of;
use super::viewer::Viewer;
use crate::motion::{Crew, FilmKind, FilmOptions, Motion, MotionError, write_film};
use crate::output::{WriteError, write_file};
use crate::raster::Renderer;
use crate::scene::{Scene, Studio};

/// Pictures a second of a GIF of what moves between the frames of a clip.
const FPS: f64 = 20.0;

impl Viewer {
    /// Writes a picture under a name that is not taken yet; returns what is said about it.
    pub(super) fn screenshot(&mut self, alone: bool) -> Result<String, String> {
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
        let name = self.name();
        let stem = name.rsplit(['/', '\\', ':']).next().unwrap_or(&name);
        let stem = stem.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("model");
        for number in 1..10_000 {
            let file = format!("{stem}-{number:03}.{extension}");
            let path = self.options.screenshot_folder.join(file);
            // Taking the name first keeps other windows from taking it too.
            match std::fs::File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("cannot write '{}': {error}", path.display())),
                Ok(_) => {
                    return match write(&path) {
                        Ok(()) => Ok(format!("written: {}", path.display())),
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
