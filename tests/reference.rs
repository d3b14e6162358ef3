//! The classic renderer against pictures of the original software renderers' C code: every index
//! and every depth value.
//!
//! `POLYSET_REFERENCE` is the folder of the pictures with their scenes, `POLYSET_MODELS` the folder
//! of the models that they show. Without them the tests say that they were skipped.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyset::{
    ClassicFrame, ClassicRenderer, ClassicScene, Colormap, Image, Model, Palette, Shell,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Reference folder and model folder.
fn folders() -> Option<[PathBuf; 2]> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    match (folder("POLYSET_REFERENCE"), folder("POLYSET_MODELS")) {
        (Some(reference), Some(models)) => Some([reference, models]),
        _ => {
            let _ = writeln!(
                std::io::stderr(),
                "skipped: POLYSET_REFERENCE and POLYSET_MODELS are not set"
            );
            None
        }
    }
}

fn scenes(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("scenes.json")).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    match document["scenes"].take() {
        Value::Array(scenes) => scenes,
        other => panic!("scenes are {other}"),
    }
}

fn float(value: &Value) -> f32 {
    value.as_f64().unwrap() as f32
}

fn triple(value: &Value) -> [f32; 3] {
    [0, 1, 2].map(|i| float(&value[i]))
}

fn integer(value: &Value) -> i32 {
    i32::try_from(value.as_i64().unwrap()).unwrap()
}

fn flag(value: &Value) -> bool {
    value.as_bool().unwrap()
}

/// What the scenes of both games have in common.
fn common(scene: &Value) -> ClassicScene {
    ClassicScene {
        camera_position: triple(&scene["eye"]),
        camera_angles: triple(&scene["angles"]),
        horizontal_angle: float(&scene["fov_horizontal"]),
        origin: triple(&scene["entity_origin"]),
        angles: triple(&scene["entity_angles"]),
        frame: integer(&scene["frame"]),
        time: scene["time"].as_f64().unwrap(),
        view_weapon: flag(&scene["view_weapon"]),
        ..ClassicScene::default()
    }
}

/// The scene's model; not every model may be passed on, so a missing one is skipped.
fn model(models: &Path, scene: &Value) -> Option<Model> {
    let path = models.join(scene["model"].as_str().unwrap());
    if !path.exists() {
        let message = format!("skipped: {}: there is no {}", scene["png"], path.display());
        let _ = writeln!(std::io::stderr(), "{message}");
        return None;
    }
    Some(Model::from_bytes(&std::fs::read(path).unwrap()).unwrap())
}

fn frame(scene: &Value) -> ClassicFrame {
    let (width, height) = scene["size"].as_str().unwrap().split_once('x').unwrap();
    let mut frame = ClassicFrame::new(width.parse().unwrap(), height.parse().unwrap()).unwrap();
    frame.clear(u8::try_from(integer(&scene["clear"])).unwrap());
    frame
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The indices of an 8-bit palette PNG.
fn png_indices(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut indices = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut indices).unwrap();
    assert_eq!(info.color_type, png::ColorType::Indexed);
    indices.truncate(info.buffer_size());
    indices
}

/// What differs, as one line per difference.
fn differences(folder: &Path, scene: &Value, frame: &ClassicFrame) -> Vec<String> {
    let name = scene["png"].as_str().unwrap();
    let mut found = Vec::new();
    let expected = png_indices(&folder.join(name));
    let pairs = frame.indices().iter().zip(&expected);
    let wrong = pairs.filter(|(a, b)| a != b).count();
    if wrong > 0 || frame.indices().len() != expected.len() {
        found.push(format!("{name}: {wrong} of {} indices differ", expected.len()));
    }
    let depth: Vec<u8> = frame.depth().iter().flat_map(|z| z.to_le_bytes()).collect();
    for (what, bytes, sum) in [
        ("indices", frame.indices(), &scene["sha256_index_pixels"]),
        ("depth", &depth, &scene["sha256_depth_i16le"]),
    ] {
        if sha256(bytes) != sum.as_str().unwrap() {
            found.push(format!("{name}: the sum of the {what} differs"));
        }
    }
    found
}

fn quake_scene(models: &Path, scene: &Value) -> ClassicScene {
    let palette = std::fs::read(models.join(scene["palette"].as_str().unwrap())).unwrap();
    let colormap = scene["colormap"].as_str().unwrap();
    let colormap = colormap.ends_with(".lmp").then(|| {
        let bytes = std::fs::read(models.join(colormap)).unwrap();
        Arc::new(Colormap::from_lmp(&bytes).unwrap())
    });
    ClassicScene {
        skin: integer(&scene["skin"]),
        sync: float(&scene["syncbase"]),
        light_level: integer(&scene["light"]),
        colors: scene["colors"]
            .as_array()
            .map(|pair| [0, 1].map(|i| u8::try_from(integer(&pair[i])).unwrap())),
        subdivision: flag(&scene["subdivision"]),
        palette: Some(Arc::new(Palette::from_lmp(&palette).unwrap())),
        colormap,
        ..common(scene)
    }
}

fn quake2_scene(scene: &Value) -> ClassicScene {
    let names: Vec<&str> = scene["shell"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|name| name.as_str().unwrap())
        .collect();
    let shell = if names.is_empty() { Shell::default() } else { names.join(",").parse().unwrap() };
    ClassicScene {
        old_frame: integer(&scene["old_frame"]),
        backlerp: float(&scene["backlerp"]),
        old_origin: scene["old_origin"].as_array().map(|_| triple(&scene["old_origin"])),
        light_color: triple(&scene["light"]),
        fullbright: flag(&scene["fullbright"]),
        minlight: flag(&scene["minlight"]),
        glow: flag(&scene["glow"]),
        alpha: scene["alpha"].as_f64().map(|alpha| alpha as f32),
        shell,
        opaque_pass: Some(flag(&scene["opaque_pass_first"])),
        left_handed: flag(&scene["left_handed"]),
        ..common(scene)
    }
}

#[test]
fn quake_models_equal_the_original() {
    let Some([reference, models]) = folders() else {
        return;
    };
    let mut renderer = ClassicRenderer::new();
    let (mut count, mut found) = (0, Vec::new());
    for folder in ["winquake", "winquake/subdivision"].map(|name| reference.join(name)) {
        for scene in scenes(&folder) {
            let Some(model) = model(&models, &scene) else {
                continue;
            };
            let mut frame = frame(&scene);
            let stats = renderer.draw(&model, &quake_scene(&models, &scene), &mut frame);
            assert_eq!(stats.undefined_pixels(), 0, "{}", scene["png"]);
            found.extend(differences(&folder, &scene, &frame));
            count += 1;
        }
    }
    assert!(count >= 13, "only {count} scenes were drawn");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn quake2_models_equal_the_original() {
    let Some([reference, models]) = folders() else {
        return;
    };
    let folder = reference.join("quake2");
    let mut renderer = ClassicRenderer::new();
    let (mut count, mut found) = (0, Vec::new());
    for scene in scenes(&folder) {
        let Some(mut model) = model(&models, &scene) else {
            continue;
        };
        model.set_skin(0, Image::open(folder.join(scene["skin"].as_str().unwrap())).unwrap());
        let mut frame = frame(&scene);
        let stats = renderer.draw(&model, &quake2_scene(&scene), &mut frame);
        assert_eq!(stats.undefined_pixels(), 0, "{}", scene["png"]);
        found.extend(differences(&folder, &scene, &frame));
        count += 1;
    }
    assert_eq!(count, 12);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
