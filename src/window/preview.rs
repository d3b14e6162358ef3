//! Small pictures of what is chosen in the list: drawn beside the window's own work, one at a time, once
//! the choice has stood still, and kept.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::image::Image;
use crate::scene::{Anims, Opened, Scene, Source, Studio};

/// A choice that stands still for so long is drawn.
const STILL: Duration = Duration::from_millis(150);
/// Pictures that are kept.
const KEPT: usize = 64;

/// What there is of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Preview {
    /// It is not drawn yet.
    Awaited,
    Ready(Arc<Shot>),
    /// The first line of why there is none.
    Broken(String),
}

/// A picture with a number of its own.
#[derive(Debug)]
pub(crate) struct Shot {
    number: u64,
    pub(crate) image: Image,
}

impl PartialEq for Shot {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

/// The pictures that were drawn, and the one that is wanted.
#[derive(Default)]
pub(crate) struct Previews {
    worker: Option<Worker>,
    /// Counts how often the files may have changed.
    generation: u64,
    drawn: u64,
    /// The last one used first.
    kept: VecDeque<(Scene, Preview)>,
    wanted: Option<(Scene, Instant)>,
    /// What the worker draws.
    asked: Option<Scene>,
}

/// A scene with its size, and the bytes of its input if they can be read but once.
struct Job {
    generation: u64,
    scene: Scene,
    bytes: Option<Vec<u8>>,
}

struct Worker {
    jobs: Sender<Job>,
    results: Receiver<(u64, Result<Image, String>)>,
}

impl Previews {
    /// Files may have changed: all is drawn anew.
    pub(crate) fn forget(&mut self) {
        self.generation += 1;
        self.kept.clear();
    }

    /// The picture of a scene. It is drawn if it is wanted for long enough; `bytes` as a job has them.
    pub(crate) fn of(
        &mut self,
        scene: &Scene,
        now: Instant,
        bytes: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Preview {
        self.take_in();
        if let Some(at) = self.kept.iter().position(|(known, _)| known == scene) {
            let known = self.kept.remove(at).expect("it was found there");
            let preview = known.1.clone();
            self.kept.push_front(known);
            return preview;
        }
        match &self.wanted {
            Some((wanted, since)) if wanted == scene => {
                if self.asked.is_none() && now.saturating_duration_since(*since) >= STILL {
                    self.ask(scene, bytes());
                }
            }
            _ => self.wanted = Some((scene.clone(), now)),
        }
        Preview::Awaited
    }

    fn ask(&mut self, scene: &Scene, bytes: Option<Vec<u8>>) {
        let job = Job { generation: self.generation, scene: scene.clone(), bytes };
        let worker = self.worker.get_or_insert_with(Worker::start);
        if worker.jobs.send(job).is_ok() {
            self.asked = Some(scene.clone());
        } else {
            self.lose_worker(scene.clone());
        }
    }

    /// Keeps what the worker has finished.
    fn take_in(&mut self) {
        use std::sync::mpsc::TryRecvError;
        let Some(worker) = &self.worker else { return };
        match worker.results.try_recv() {
            Ok((generation, result)) => {
                let scene = self.asked.take();
                if let Some(scene) = scene.filter(|_| generation == self.generation) {
                    let preview = match result {
                        Ok(image) => {
                            self.drawn += 1;
                            Preview::Ready(Arc::new(Shot { number: self.drawn, image }))
                        }
                        Err(error) => Preview::Broken(error),
                    };
                    self.keep(scene, preview);
                }
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => {
                if let Some(scene) = self.asked.take() {
                    self.lose_worker(scene);
                }
            }
        }
    }

    /// The worker has ended over this scene; the next one gets another.
    fn lose_worker(&mut self, scene: Scene) {
        self.worker = None;
        self.keep(scene, Preview::Broken("it cannot be drawn".into()));
    }

    fn keep(&mut self, scene: Scene, preview: Preview) {
        self.kept.push_front((scene, preview));
        self.kept.truncate(KEPT);
    }
}

impl Worker {
    fn start() -> Self {
        let (jobs, received) = channel::<Job>();
        let (sender, results) = channel();
        // Without a thread the receiver is gone, and the picture counts as one that cannot be drawn.
        let _ = std::thread::Builder::new().name("previews".into()).spawn(move || {
            let mut model = None;
            for job in received {
                let generation = job.generation;
                let drawn = job.draw(&mut model).map_err(|error| first_line(&error));
                if sender.send((generation, drawn)).is_err() {
                    break;
                }
            }
        });
        Self { jobs, results }
    }
}

/// A model that was opened for the last picture.
struct Held {
    generation: u64,
    /// Without skins.
    source: Source,
    opened: Opened,
}

impl Job {
    /// Draws the scene as a thumbnail. The model of the job before is used if it is the same one.
    fn draw(self, held: &mut Option<Held>) -> Result<Image, String> {
        let Self { generation, scene, bytes } = self;
        let source = Source { skins: Vec::new(), ..scene.source.clone() };
        let same = held.take().filter(|h| h.generation == generation && h.source == source);
        let opened = match same {
            Some(Held { mut opened, .. }) => opened.dress(&scene).map(|()| opened),
            None => match bytes {
                Some(bytes) => scene.open_bytes(bytes, Anims::All),
                None => scene.open_with(Anims::All),
            },
        };
        let mut opened = opened.map_err(|error| error.to_string())?;
        let side = scene.picture_size()[0];
        let mut studio = Studio::for_thumbnails(side).map_err(|error| error.to_string())?;
        let drawing = studio.thumbnail(&scene, &mut opened, false);
        *held = Some(Held { generation, source, opened });
        drawing.map(|drawing| drawing.image).map_err(|error| error.to_string())
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(file: &str) -> Scene {
        let path = format!("{}/tests/models/{file}", env!("CARGO_MANIFEST_DIR"));
        Scene { size: Some([24, 24]), ..Scene::new(path) }
    }

    /// Wants a picture until it is there.
    fn wait(previews: &mut Previews, scene: &Scene) -> Preview {
        let start = Instant::now();
        loop {
            match previews.of(scene, Instant::now() + STILL, || None) {
                Preview::Awaited => assert!(start.elapsed() < Duration::from_secs(60)),
                found => return found,
            }
            // The choice has stood still since long ago.
            previews.wanted = Some((scene.clone(), start));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn only_a_choice_that_stands_still_is_drawn() {
        let mut previews = Previews::default();
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        for (time, file, is_asked) in [
            (0, "bolt.md2", false),
            (149, "bolt.md2", false),
            (150, "bolt.mdl", false),
            (299, "bolt.mdl", false),
            (300, "bolt.mdl", true),
        ] {
            assert_eq!(previews.of(&scene(file), at(time), || None), Preview::Awaited);
            assert_eq!(previews.asked.is_some(), is_asked, "{time}");
        }
        // One at a time.
        previews.of(&scene("bolt.md3"), at(301), || None);
        previews.of(&scene("bolt.md3"), at(999), || None);
        assert!(previews.asked.as_ref().is_none_or(|asked| *asked == scene("bolt.mdl")));
    }

    #[test]
    fn pictures_are_those_of_thumbnails_and_broken_models_say_why() {
        let mut previews = Previews::default();
        let wanted = scene("bolt.md2");
        let Preview::Ready(shot) = wait(&mut previews, &wanted) else { panic!("no picture") };
        let mut opened = wanted.open_with(Anims::All).unwrap();
        let mut studio = Studio::for_thumbnails(24).unwrap();
        let expected = studio.thumbnail(&wanted, &mut opened, false).unwrap().image;
        assert!(shot.image == expected);
        // Another moment of the same model, and a skin of its own.
        let mut other = wanted.clone();
        other.moment.animation = Some("run".into());
        let Preview::Ready(moved) = wait(&mut previews, &other) else { panic!("no picture") };
        assert!(moved.image != expected);
        other.source.skins = vec![crate::scene::Skin::File("no such file.tga".into())];
        let Preview::Broken(error) = wait(&mut previews, &other) else { panic!("a picture") };
        assert!(error.contains("no such file.tga"), "{error}");
        let Preview::Broken(error) = wait(&mut previews, &scene("bolt.pcx")) else { panic!() };
        assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        assert_eq!(wait(&mut previews, &wanted), Preview::Ready(shot), "it was kept");
    }

    #[test]
    fn memory_is_bounded() {
        let mut previews = Previews::default();
        for number in 0..2 * KEPT {
            previews.keep(scene(&number.to_string()), Preview::Awaited);
        }
        assert_eq!(previews.kept.len(), KEPT);
        previews.forget();
        assert!(previews.kept.is_empty());
    }
}
