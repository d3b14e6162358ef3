//! The thumbnail cache of freedesktop desktops, as the Thumbnail Managing Standard describes it.

use std::fs::{self, DirBuilder};
use std::num::NonZero;
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use md5::{Digest, Md5};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::Request;
use super::list::{Job, List};
use super::manifest::Line;
use super::run::{Event, Summary, Teller, ThumbsError, each};
use crate::files::Stamp;
use crate::image::{Image, text_of};
use crate::output::write_private;
use crate::scene::{Opened, Studio};

/// A size that the standard has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheSize {
    /// 128 x 128 pixels.
    Normal,
    /// 256 x 256.
    Large,
    /// 512 x 512.
    XLarge,
    /// 1024 x 1024.
    XxLarge,
}

impl CacheSize {
    /// All of them, smallest first.
    pub const ALL: [Self; 4] = [Self::Normal, Self::Large, Self::XLarge, Self::XxLarge];

    /// The name of its folder.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Large => "large",
            Self::XLarge => "x-large",
            Self::XxLarge => "xx-large",
        }
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn side(self) -> u32 {
        match self {
            Self::Normal => 128,
            Self::Large => 256,
            Self::XLarge => 512,
            Self::XxLarge => 1024,
        }
    }
}

/// What GLib leaves as it is in the path of a `file:` address; desktops look thumbnails up by the hash of
/// exactly that text.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'/')
    .remove(b':')
    .remove(b'@')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'$')
    .remove(b',');

/// Where failures are noted: another version may do better.
const FAIL: &str = concat!("fail/polyset-", env!("CARGO_PKG_VERSION"));
/// The keywords of the standard.
const URI: &str = "Thumb::URI";
const MTIME: &str = "Thumb::MTime";
const SIZE: &str = "Thumb::Size";

/// Fills `cache`, such as `~/.cache/thumbnails`, with thumbnails of the models of the list that are files
/// of their own, in these sizes. One that is there and as old as its model stays, unless `redraw`. A
/// model that cannot be drawn is noted, and not tried again before it changes. `tell` is called from
/// several threads.
///
/// # Errors
/// If a thumbnail cannot be written.
pub fn fill_cache(
    cache: &Path,
    sizes: &[CacheSize],
    request: &Request,
    list: &List,
    threads: Option<NonZero<usize>>,
    redraw: bool,
    tell: &(impl Fn(Event<'_>) + Sync),
) -> Result<Summary, ThumbsError> {
    let cache = std::path::absolute(cache)?;
    for folder in sizes.iter().map(|size| size.name()).chain([FAIL]) {
        make_private(&cache.join(folder))?;
    }
    let teller = Teller::new(tell);
    let run = Run { cache, sizes, request, list, redraw };
    let largest = sizes.iter().map(|size| size.side()).max().unwrap_or_default();
    each(
        list.jobs.len(),
        threads,
        || Studio::for_thumbnails(largest),
        |studio, number| {
            run.job(studio, &list.jobs[number], &|event| teller.tell(event))?;
            teller.tell(Event::Done);
            Ok::<(), ThumbsError>(())
        },
    )?;
    Ok(teller.summary())
}

struct Run<'a> {
    cache: PathBuf,
    sizes: &'a [CacheSize],
    request: &'a Request,
    list: &'a List,
    redraw: bool,
}

/// What the standard wants to know of a model.
struct Original {
    uri: String,
    /// Seconds since 1970.
    modified: String,
    bytes: String,
    /// Name of its thumbnails.
    name: String,
}

impl Original {
    /// # Errors
    /// Why there can be no thumbnail of it.
    fn of(job: &Job) -> Result<Self, String> {
        if job.input.member().is_some() {
            return Err("members of archives have no place in the cache of thumbnails".into());
        }
        let path =
            plain(&std::path::absolute(job.input.path()).map_err(|error| error.to_string())?);
        let stamp = Stamp::of(&path).ok_or("it is no file")?;
        let uri = uri(&path);
        let name = format!("{}.png", hex(&Md5::digest(uri.as_bytes())));
        let modified = (stamp.modified / 1_000_000).to_string();
        Ok(Self { uri, modified, bytes: stamp.bytes.to_string(), name })
    }

    /// Whether a thumbnail is of this file as it is now.
    fn is_shown_by(&self, path: &Path) -> bool {
        let Ok(png) = fs::read(path) else { return false };
        text_of(&png, URI) == Some(self.uri.as_bytes())
            && text_of(&png, MTIME) == Some(self.modified.as_bytes())
    }

    fn write(&self, image: &Image, path: &Path) -> Result<(), ThumbsError> {
        let texts = [(URI, &*self.uri), (MTIME, &*self.modified), (SIZE, &*self.bytes)];
        let mut png = Vec::new();
        image.encode_drawn_with(&mut png, &texts)?;
        Ok(write_private(path, &png)?)
    }
}

impl Run<'_> {
    fn job(
        &self,
        studio: &mut Studio,
        job: &Job,
        tell: &dyn Fn(Event<'_>),
    ) -> Result<(), ThumbsError> {
        let line =
            |error: Option<String>| Line { input: job.input.to_string(), error, ..Line::default() };
        let original = match Original::of(job) {
            Ok(original) => original,
            Err(why) => {
                tell(Event::Failed(&line(Some(why))));
                return Ok(());
            }
        };
        let failure = self.cache.join(FAIL).join(&original.name);
        if !self.redraw && original.is_shown_by(&failure) {
            let why = "it could not be drawn before and has not changed; --redraw tries again";
            tell(Event::Failed(&line(Some(why.into()))));
            return Ok(());
        }
        let mut opened = None;
        for size in self.sizes {
            let start = Instant::now();
            let path = self.cache.join(size.name()).join(&original.name);
            let output = Some(path.display().to_string());
            if !self.redraw && original.is_shown_by(&path) {
                tell(Event::Kept(&Line { output, ..line(None) }));
                continue;
            }
            match self.image(studio, job, &mut opened, *size) {
                Ok(image) => {
                    original.write(&image, &path)?;
                    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
                    tell(Event::Drawn(&Line { output, milliseconds, ..line(None) }));
                }
                Err(why) => {
                    let nothing = Image::from_rgba(1, 1, vec![0; 4]).expect("one pixel");
                    original.write(&nothing, &failure)?;
                    tell(Event::Failed(&line(Some(why))));
                    break;
                }
            }
        }
        Ok(())
    }

    fn image(
        &self,
        studio: &mut Studio,
        job: &Job,
        opened: &mut Option<Opened>,
        size: CacheSize,
    ) -> Result<Image, String> {
        let mut scene = self.request.scene_of(&job.input);
        scene.size = Some([size.side(); 2]);
        let opened = match opened {
            Some(opened) => opened,
            None => {
                let found = self.request.open(self.list, job);
                opened.insert(found.map_err(|error| error.to_string())?)
            }
        };
        let drawing = studio.thumbnail(&scene, opened, self.request.is_honest);
        Ok(drawing.map_err(|error| error.to_string())?.image)
    }
}

/// The path without `.` and `..`, by its words alone, as desktops do it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn uri(path: &Path) -> String {
    format!("file://{}", percent_encode(path.as_os_str().as_encoded_bytes(), PATH))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a folder that nobody else may look into; one that is there stays as it is.
fn make_private(folder: &Path) -> Result<(), ThumbsError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder).map_err(|error| {
        let message = format!("cannot make the folder '{}': {error}", folder.display());
        std::io::Error::new(error.kind(), message).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_the_standard() {
        // The example of the standard.
        let path = Path::new("/home/jens/photos/me.png");
        assert_eq!(uri(path), "file:///home/jens/photos/me.png");
        let hash = hex(&Md5::digest(uri(path).as_bytes()));
        assert_eq!(hash, "c6ee772d9e49320e97ec29a7eb5b1697");
        // What g_filename_to_uri makes of the same paths.
        for (path, expected) in [
            ("/a b/ä.md2", "file:///a%20b/%C3%A4.md2"),
            ("/x;y?z#[1]%.md2", "file:///x%3By%3Fz%23%5B1%5D%25.md2"),
            ("/-_.!~*'()/:@&=+$,", "file:///-_.!~*'()/:@&=+$,"),
            ("/\"<>\\^`{|}", "file:///%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ] {
            assert_eq!(uri(Path::new(path)), expected);
        }
        assert_eq!(plain(Path::new("/a/./b/../../c//d")), Path::new("/c/d"));
    }
}
