//! What lies beside a model: `.skin` files, scripts, `animation.cfg` and archives.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use polyset::scene::{Anims, Opened, Skin, Studio};
use polyset::{Location, Renderer, Scene, SimdLevel, models_in};
use tempfile::TempDir;

/// Mebibytes for the textures of a model: with twice that and the memory of a decoder it stays within
/// the limit for every input.
const TEXTURE_MEMORY: u32 = 8;

/// A folder that costs no disk.
pub(crate) fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    folder.expect("room for small files")
}

/// A picture of 2 x 2 pixels.
const TGA: [u8; 30] =
    [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 24, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/// A model of several surfaces with names, and the file that says what they wear.
struct Wardrobe {
    scene: Scene,
    opened: Opened,
    skin: PathBuf,
    _folder: TempDir,
}

impl Wardrobe {
    fn new() -> Self {
        let folder = folder();
        let skin = folder.path().join("head_test.skin");
        fs::write(folder.path().join("default.tga"), TGA).expect("room for small files");
        let mut scene = Scene::new(folder.path().join("head.md3"));
        let opened = scene.open_bytes(crate::seeds::md3(), Anims::AsAsked).expect("well-formed");
        scene.source.skins = vec![Skin::File(skin.clone().into())];
        scene.source.max_memory = Some(TEXTURE_MEMORY);
        Self { scene, opened, skin, _folder: folder }
    }
}

/// An `animation.cfg` beside legs and a torso.
pub fn animation(data: &[u8]) {
    thread_local! {
        static PLAYER: TempDir = folder();
    }
    PLAYER.with(|player| {
        fs::write(player.path().join("animation.cfg"), data).expect("room for small files");
        for part in ["lower", "upper"] {
            let scene = Scene::new(player.path().join(part).with_extension("md3"));
            let opened = scene.open_bytes(crate::seeds::md3(), Anims::AsAsked);
            let model = opened.expect("an animation.cfg leads to warnings").model;
            let clips = model.clips().len();
            crate::readers::check(&model);
            assert_eq!(model.idle_clip().is_some(), clips > 0);
        }
    });
}

/// A `.skin` file, put on a model with a picture in its folder.
pub fn skin(data: &[u8]) {
    thread_local! {
        static WARDROBE: RefCell<Wardrobe> = RefCell::new(Wardrobe::new());
    }
    WARDROBE.with(|wardrobe| {
        let Wardrobe { scene, opened, skin, .. } = &mut *wardrobe.borrow_mut();
        fs::write(&*skin, data).expect("room for small files");
        match opened.dress(scene) {
            Ok(()) => assert!(opened.textures.skin_file.is_some()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        let _ = opened.offered_textures(scene);
    });
}

/// A shader script and a file of materials, for a model of each game: the model is dressed, and every
/// level of instructions draws the picture of the scalar twin.
pub fn script(data: &[u8]) {
    thread_local! {
        static GAME: TempDir = game();
    }
    GAME.with(|game| {
        for name in ["scripts/all.shader", "materials/all.mtr"] {
            fs::write(game.path().join(name), data).expect("room for small files");
        }
        let seconds = data.first().map_or(0.0, |&byte| f64::from(byte) / 16.0);
        let models =
            [("head.md3", crate::seeds::md3()), ("head.md5mesh", crate::models::fixed_md5mesh())];
        for (name, model) in models {
            let mut scene = Scene::new(game.path().join(name));
            scene.source.max_memory = Some(TEXTURE_MEMORY);
            scene.moment.clock = Some(seconds);
            scene.size = Some([24, 16]);
            let mut opened =
                scene.open_bytes(model, Anims::AsAsked).expect("scripts lead to warnings");
            let mut hash = |level| {
                let renderer = Renderer::new().with_threads(1).expect("no thread is started");
                let renderer = renderer.with_simd(level).expect("every machine has it");
                Studio::new(renderer)
                    .draw(&scene, &mut opened)
                    .expect("a small picture")
                    .image
                    .hash()
            };
            assert_eq!(hash(SimdLevel::Auto), hash(SimdLevel::Scalar), "{name}");
        }
    });
}

/// A game's folder with a picture.
fn game() -> TempDir {
    let folder = folder();
    for name in ["scripts", "materials"] {
        fs::create_dir(folder.path().join(name)).expect("room for a folder");
    }
    fs::write(folder.path().join("a.tga"), TGA).expect("room for small files");
    folder
}

/// An archive of each name: its models are listed, and the first ones opened.
pub fn archive(data: &[u8]) {
    thread_local! {
        static FOLDER: TempDir = folder();
    }
    FOLDER.with(|folder| {
        for name in ["pak0.pak", "pak0.pk3"] {
            let path = folder.path().join(name);
            fs::write(&path, data).expect("room for small files");
            read_archive(&path);
            fs::remove_file(&path).expect("it was just written");
        }
    });
}

fn read_archive(path: &Path) {
    let models = match models_in(path.to_path_buf()) {
        Ok(models) => models,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let guesses = ["progs/ogre.mdl", "../../etc/passwd", ""];
    let guesses = guesses.map(|name| Location::in_archive(path, name));
    for location in models.iter().take(3).chain(&guesses) {
        assert_eq!(location.path(), path, "a member of another archive");
        let member = location.member().expect("a member");
        assert!(guesses.contains(location) || !member.split('/').any(|part| part == ".."));
        let mut scene = Scene::new(location.to_os_string());
        scene.source.max_memory = Some(TEXTURE_MEMORY);
        match scene.open() {
            Ok(opened) => assert!(opened.size as usize <= 64 << 20),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
