//! The whole way: bytes, options, a picture by both renderers.

use std::cell::RefCell;

use polyset::scene::options::Row;
use polyset::scene::{Anims, RendererKind, Studio};
use polyset::{Colormap, Location, Md2Geometry, Palette, Renderer, Scene};
use tempfile::TempDir;

use crate::files::folder;
use crate::models::{KINDS, file};
use crate::options::{scene_rows, value};
use crate::scenes::size;
use crate::source::Source;

/// Bytes before the model that say how it is drawn.
const OPTION_BYTES: usize = 64;

/// Options in the first 64 bytes, then a model file.
pub fn draw(data: &[u8]) {
    let (options, file) = data.split_at(data.len().min(OPTION_BYTES));
    paint(&scene(&mut Source::new(options)), file.to_vec());
}

/// A model that is well-formed but for some fields, and options.
pub fn built(data: &[u8]) {
    let mut source = Source::new(data);
    let kind = source.pick(&KINDS);
    let file = file(kind, &mut source);
    paint(&scene(&mut source), file);
}

/// A scene with random options, but for those that name files.
fn scene(source: &mut Source<'_>) -> Scene {
    const FILES: [&str; 9] = [
        "game",
        "mod",
        "loose-first",
        "texture-root",
        "anim",
        "palette",
        "colormap",
        "size",
        "resolution",
    ];
    let rows: Vec<&Row> =
        scene_rows().into_iter().filter(|row| !FILES.contains(&row.name)).collect();
    let mut scene = Scene::default();
    for _ in 0..source.below(12) {
        let row = source.pick(&rows);
        // A skin may be a number and nothing else.
        if row.name == "skin" {
            let number = source.below(3).to_string();
            scene.set("skin", number).expect("a number");
        } else {
            // What is refused leaves the scene as it was.
            let _ = scene.set(row.name, value(row, source));
        }
    }
    if source.once_in(2) {
        scene.source.md2_geometry = Md2Geometry::Glcmds;
    }
    scene.size = Some(size(source));
    if !source.once_in(64) {
        scene.source.colormap = Some(LIGHT.with(|light| light.file.clone()));
    }
    scene
}

/// A table of light in a file: to make one takes longer than a picture.
struct Light {
    file: Location,
    _folder: TempDir,
}

thread_local! {
    static LIGHT: Light = {
        let folder = folder();
        let path = folder.path().join("colormap.lmp");
        let rows = Colormap::from_palette(&Palette::quake());
        std::fs::write(&path, rows.rows()).expect("room for a small file");
        Light { file: path.into(), _folder: folder }
    };
}

fn paint(scene: &Scene, file: Vec<u8>) {
    thread_local! {
        static STUDIO: RefCell<Studio> = RefCell::new(
            Studio::new(Renderer::new().with_threads(1).expect("one thread is there")).with_depth(),
        );
    }
    let mut scene = scene.clone();
    let mut opened = match scene.open_bytes(file, Anims::AsAsked) {
        Ok(opened) => opened,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let [width, height] = scene.picture_size();
    STUDIO.with(|studio| {
        let studio = &mut *studio.borrow_mut();
        for renderer in [RendererKind::Precise, RendererKind::Classic] {
            scene.renderer = renderer;
            match studio.draw(&scene, &mut opened) {
                Ok(drawing) => {
                    assert_eq!([drawing.image.width(), drawing.image.height()], [width, height]);
                    let pixels = (width * height) as usize;
                    let bytes = if renderer == RendererKind::Precise { 4 } else { 2 };
                    assert_eq!(drawing.depth.map(|depth| depth.len()), Some(bytes * pixels));
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    });
}
