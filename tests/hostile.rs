//! Damaged files: every sample cut short, and every field and number of it replaced by values that
//! break readers. Each must give an error or a picture: no panic, no hang, no memory out of
//! proportion to the file.

use std::fmt::Write as _;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use polyset::scene::{Anims, Skin};
use polyset::{
    Blend, Camera, ClassicFrame, ClassicRenderer, ClassicScene, ColorMode, Format, Framebuffer,
    Image, Instance, Model, Renderer, Scene, View,
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The counters of [`MEMORY`] belong to the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Bytes that reading, posing and drawing may take for every byte of a model file, ... Arrays in huge pages
/// (`src/pages.rs`) are not counted, but what triangles and texture coordinates are read into is, and a pose has as many
/// vertices.
const MEMORY_PER_BYTE: usize = 16;
/// ... and whatever its size: a texture made ready for drawing takes 256 KiB at least, and each model
/// is drawn in true colour and in palette indices.
const MEMORY_BASE: usize = 768 << 10;
/// What a picture decoder may take: pictures compress a thousand times, larger claims are refused; ...
const PICTURE_MEMORY_PER_BYTE: usize = 1100;
const PICTURE_MEMORY_BASE: usize = 66 << 20;
/// ... and beside the pixels of a JPEG the coefficients of a progressive one.
const JPEG_MEMORY_FACTOR: usize = 4;
/// Longer than any case takes on a loaded machine, shorter than a loop over a claimed count.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many cases of one kind of damage a sample gets at least, if it is large enough for so many:
/// all at the places that matter, and an even selection of the others.
const CASES: usize = 2000;

/// The values that replace a field.
const FIELDS: [u32; 5] = [0, 1, u32::MAX, 0x7fff_ffff, 0x8000_0000];
/// The values that replace a number in a text.
const WORDS: [&str; 7] = ["0", "1", "-1", "2147483647", "-2147483648", "nan", "3e38"];
/// The bytes that replace one of a text.
const BYTES: [u8; 6] = [0, b'"', b'{', b'}', b'\n', 0xff];

/// What happens to a file.
#[derive(Clone, Debug)]
enum Damage {
    /// Only the first bytes are left.
    Cut(usize),
    /// The four bytes at an offset are replaced.
    Field(usize, u32),
    /// A number of a text is replaced.
    Word(Range<usize>, &'static str),
    /// A byte is replaced.
    Byte(usize, u8),
}

impl Damage {
    fn apply(&self, file: &[u8]) -> Vec<u8> {
        match self {
            Self::Cut(len) => file[..*len].to_vec(),
            Self::Field(offset, value) => {
                let mut file = file.to_vec();
                file[*offset..*offset + 4].copy_from_slice(&value.to_le_bytes());
                file
            }
            Self::Word(range, word) => {
                [&file[..range.start], word.as_bytes(), &file[range.end..]].concat()
            }
            Self::Byte(offset, byte) => {
                let mut file = file.to_vec();
                file[*offset] = *byte;
                file
            }
        }
    }
}

/// The damages of a file: all of a small one; of a large one those of headers and of the first
/// records, and a selection of the others.
fn damages(file: &[u8]) -> Vec<Damage> {
    let important = important(file);
    let mut damages = thinned((0..file.len()).map(|len| (important[len], Damage::Cut(len))));
    let text = !file.iter().any(|&byte| byte < 9);
    if text {
        damages.extend(thinned(numbers(file).flat_map(|at| {
            let matters = important[at.start];
            WORDS.map(|word| (matters, Damage::Word(at.clone(), word)))
        })));
        damages.extend(thinned(
            (0..file.len()).flat_map(|at| BYTES.map(|byte| (false, Damage::Byte(at, byte)))),
        ));
    } else {
        let offsets = (0..file.len().saturating_sub(3)).step_by(4);
        damages.extend(thinned(
            offsets.flat_map(|at| FIELDS.map(|value| (important[at], Damage::Field(at, value)))),
        ));
    }
    damages
}

/// Those damages that matter, and about [`CASES`] of the others.
fn thinned(damages: impl Iterator<Item = (bool, Damage)>) -> Vec<Damage> {
    let all: Vec<_> = damages.collect();
    // A prime stride meets every field of a record and every value in turn.
    let strides = [1, 11, 37, 101, 307, 1009];
    let stride = strides.into_iter().find(|stride| all.len() / stride <= CASES).unwrap_or(10_007);
    all.into_iter()
        .enumerate()
        .filter(|(i, (matters, _))| i % stride == 0 || *matters)
        .map(|(_, (_, damage))| damage)
        .collect()
}

/// For every byte of a file whether it belongs to a header or to the first record of a table.
fn important(file: &[u8]) -> Vec<bool> {
    let mut important = vec![false; file.len()];
    let mut mark = |start: usize, len: usize| {
        let end = start.saturating_add(len).min(file.len());
        important[start.min(end)..end].fill(true);
    };
    mark(0, 160);
    for word in ["num", "joints {", "vert 0", "tri 0", "weight 0", "hierarchy", "base", "frame "] {
        let found = file.windows(word.len()).enumerate().filter(|(_, at)| *at == word.as_bytes());
        found.for_each(|(at, _)| mark(at, 80));
    }
    // What looks like an offset in a header points to a table.
    let headers = file.windows(4).enumerate().filter(|(at, bytes)| *at == 0 || *bytes == b"IDP3");
    for (header, _) in headers {
        mark(header, 108);
        for offset in (0..108).step_by(4).filter_map(|field| int(file, header + field)) {
            mark(header.saturating_add(offset), 40);
        }
    }
    if file.starts_with(b"IDPO") {
        mdl_parts(file).into_iter().for_each(|at| mark(at, 40));
    }
    important
}

/// Where the skins, texture coordinates, triangles and frames of an MDL begin; it has no offsets.
fn mdl_parts(file: &[u8]) -> Vec<usize> {
    let field = |at: usize| int(file, at).expect("an undamaged sample");
    let [skins, width, height] = [48, 52, 56].map(&field);
    let [vertices, triangles, frames] = [60, 64, 68].map(&field);
    let mut at = 84;
    let mut parts = Vec::new();
    let mut entries = |count: usize, image: usize, bounds: usize, at: &mut usize| {
        for _ in 0..count {
            parts.push(*at);
            let group = field(*at) != 0;
            *at += if group { 8 + bounds + field(*at + 4) * (4 + image) } else { 4 + image };
        }
    };
    entries(skins, width * height, 0, &mut at);
    let tables = [at, at + 12 * vertices];
    at = tables[1] + 16 * triangles;
    entries(frames, 24 + 4 * vertices, 8, &mut at);
    parts.extend(tables);
    assert!(at <= file.len(), "the walk through the MDL stays inside");
    parts
}

fn int(file: &[u8], at: usize) -> Option<usize> {
    let bytes = file.get(at..at.checked_add(4)?)?;
    usize::try_from(i32::from_le_bytes(bytes.try_into().ok()?)).ok()
}

/// Where the numbers of a text stand.
fn numbers(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    text.split(|byte| byte.is_ascii_whitespace() || b"(){}\",".contains(byte)).filter_map(
        move |word| {
            let start = end;
            end = start + word.len() + 1;
            let number = std::str::from_utf8(word).is_ok_and(|word| word.parse::<f32>().is_ok());
            number.then_some(start..start + word.len())
        },
    )
}

/// Runs `case` on every damaged form of `file` and collects what went wrong.
fn try_all(name: &str, file: &[u8], [base, per_byte]: [usize; 2], mut case: impl FnMut(&[u8])) {
    let mut failures = String::new();
    for damage in damages(file) {
        let damaged = damage.apply(file);
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        let panicked = catch_unwind(AssertUnwindSafe(|| case(&damaged))).is_err();
        let took = start.elapsed();
        let peak = MEMORY.peak_usage().saturating_sub(before);
        let limit = base + per_byte * damaged.len();
        if panicked || took > PATIENCE || peak > limit {
            let _ = writeln!(
                failures,
                "{name}, {damage:?}: panicked {panicked}, {took:?}, {peak} bytes of {limit}"
            );
        }
        assert!(failures.lines().count() < 10, "\n{failures}");
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// The files of `tests/models` and `tests/pictures`, in order.
fn samples() -> Vec<(PathBuf, Vec<u8>)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut folders = vec![tests.join("models"), tests.join("pictures")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the samples are part of the project") {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).expect("a readable sample");
                files.push((path, bytes));
            }
        }
    }
    files.sort();
    files
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|&wanted| found == wanted))
}

/// What draws, with its buffers.
struct Drawing {
    renderer: Renderer,
    frame: Framebuffer,
    classic: ClassicRenderer,
    classic_frame: ClassicFrame,
}

impl Drawing {
    fn new() -> Self {
        Self {
            renderer: Renderer::new(),
            frame: Framebuffer::new(24, 16).expect("a small picture"),
            classic: ClassicRenderer::new(),
            classic_frame: ClassicFrame::new(24, 16).expect("a small picture"),
        }
    }

    /// Dresses, poses and draws what a damaged file became.
    fn draw(&mut self, mut model: Model) {
        if let Some(skin) = model.skin_image(0, 0.3) {
            model.set_skin(0, skin);
        }
        let last = model.frame_count().saturating_sub(1);
        let ends = Blend { from: 0, to: last, t: 0.0, anim: 0 };
        let half = Blend { t: 0.5, ..ends };
        for (blend, color) in [(ends, ColorMode::Rgb), (half, ColorMode::Indexed)] {
            let pose = model.pose_blend(blend);
            let view = View::new(Camera::framing(&pose)).color(color);
            let drawn = self.renderer.draw(&view, &[Instance::new(&model, &pose)], &mut self.frame);
            drawn.expect("its own pose");
        }
        if let Some(clip) = model.clips().last() {
            let pose = model.pose(clip, clip.duration() * 0.7);
            assert_eq!(pose.surface_count(), model.surfaces().len());
        }
        if matches!(model.format(), Format::Mdl | Format::Md2) {
            for (frame, subdivision) in [(0, false), (1, true)] {
                let camera_position = [-60.0, 0.0, 0.0];
                let scene =
                    ClassicScene { camera_position, frame, subdivision, ..Default::default() };
                self.classic.draw(&model, &scene, &mut self.classic_frame);
            }
        }
    }
}

#[test]
fn damaged_models_give_an_error_or_a_picture() {
    let _alone = ALONE.lock();
    let mut drawing = Drawing::new();
    for (path, file) in samples() {
        if !has_extension(&path, &["mdl", "md2", "md3", "md5mesh"]) {
            continue;
        }
        let model = Model::from_bytes(&file).expect("an undamaged sample");
        drawing.draw(model);
        let name = path.display().to_string();
        try_all(&name, &file, [MEMORY_BASE, MEMORY_PER_BYTE], |file| {
            if let Ok(model) = Model::from_bytes(file) {
                drawing.draw(model);
            }
        });
    }
}

#[test]
fn damaged_animations_give_an_error_or_a_picture() {
    let _alone = ALONE.lock();
    let mut drawing = Drawing::new();
    let samples = samples();
    let meshes = samples.iter().filter(|(path, _)| has_extension(path, &["md5mesh"]));
    let meshes: Vec<_> = meshes.map(|(_, file)| Model::from_bytes(file).expect("a mesh")).collect();
    for (path, file) in samples.iter().filter(|(path, _)| has_extension(path, &["md5anim"])) {
        let fits = |mesh: &&Model| (*mesh).clone().add_anim("test", file).is_ok();
        let mesh = meshes.iter().find(fits).expect("every sample animation has its mesh");
        let name = path.display().to_string();
        try_all(&name, file, [MEMORY_BASE, MEMORY_PER_BYTE], |file| {
            let mut model = mesh.clone();
            if model.add_anim("test", file).is_ok() {
                drawing.draw(model);
            }
        });
    }
}

#[test]
fn damaged_pictures_give_an_error_or_a_picture() {
    let _alone = ALONE.lock();
    let kinds = ["pcx", "tga", "png", "jpg", "bmp", "dds", "lmp"];
    for (path, file) in samples().iter().filter(|(path, _)| has_extension(path, &kinds)) {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let name = path.display().to_string();
        let factor = if extension == "jpg" { JPEG_MEMORY_FACTOR } else { 1 };
        let memory = [PICTURE_MEMORY_BASE, PICTURE_MEMORY_PER_BYTE].map(|bytes| bytes * factor);
        try_all(&name, file, memory, |file| {
            if let Ok(image) = Image::from_bytes(file, &extension) {
                assert!(image.width() > 0 && image.height() > 0);
            }
        });
    }
}

#[test]
fn damaged_skin_files_give_an_error_or_a_picture() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().expect("a folder for damaged files");
    let damaged = folder.path().join("damaged.skin");
    let mut drawing = Drawing::new();
    let samples = samples();
    let (_, model) =
        samples.iter().find(|(path, _)| path.ends_with("bolt.md3")).expect("a player model");
    let mut scene = Scene::new(folder.path().join("bolt.md3"));
    let mut opened = scene.open_bytes(model.clone(), Anims::AsAsked).expect("an undamaged sample");
    scene.source.skins = vec![Skin::File(damaged.clone().into())];
    // What the renderers keep for every draw is not the file's.
    drawing.draw(opened.model.clone());
    for (path, file) in samples.iter().filter(|(path, _)| has_extension(path, &["skin"])) {
        let name = path.display().to_string();
        try_all(&name, file, [MEMORY_BASE, MEMORY_PER_BYTE], |file| {
            std::fs::write(&damaged, file).expect("room for a small file");
            if opened.dress(&scene).is_ok() {
                drawing.draw(opened.model.clone());
            }
        });
    }
}
