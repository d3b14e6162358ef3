//! The work of other CPU renderers' benchmarks, done by polyset through its public API: clear,
//! transform and light every vertex, draw, for eight angles in turn. Prints one `RESULT` line.
//!
//! `peer_bench --mesh M.rm --scene S.rs --tex T.rt [--seconds S] [--threads N] [--name NAME]
//! [--mode rgb|indexed|bilinear|trilinear] [--simd LEVEL] [--dump OUT.ppm] [--dump-angle A] [--stages] [--new-poses]`
//!
//! With `--new-poses` every frame has a pose of its own, as of an animation: nothing that was found out about an earlier
//! one is of use. Copying the pose is not timed.
//!
//! Meshes (`RM01`): vertices of position, normal, texture coordinate (8 floats), then u32 indices,
//! counter-clockwise in front. Scenes (`RS01`): size, angles, instances; for each a column-major
//! matrix to clip space and a light direction. Textures (`RT01`): 256 x 256 indices and a palette.

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use polyset::{
    Blend, ColorMode, Filter, Framebuffer, Image, Instance, Lighting, Look, Model, Palette, Pose,
    Renderer, SimdLevel, SurfaceParts, Transform, View,
};

struct Arguments {
    mesh: String,
    scene: String,
    texture: String,
    seconds: f64,
    threads: usize,
    name: String,
    mode: String,
    level: SimdLevel,
    dump: Option<String>,
    dump_angle: usize,
    stages: bool,
    new_poses: bool,
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut found = Arguments {
        mesh: String::new(),
        scene: String::new(),
        texture: String::new(),
        seconds: 0.4,
        threads: 1,
        name: "ours".into(),
        mode: "rgb".into(),
        level: SimdLevel::Auto,
        dump: None,
        dump_angle: 3,
        stages: false,
        new_poses: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if let Some(flag) = match word.as_str() {
            "--stages" => Some(&mut found.stages),
            "--new-poses" => Some(&mut found.new_poses),
            _ => None,
        } {
            *flag = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--mesh" => found.mesh = value,
            "--scene" => found.scene = value,
            "--tex" => found.texture = value,
            "--seconds" => found.seconds = value.parse()?,
            "--threads" => found.threads = value.parse()?,
            "--name" => found.name = value,
            "--mode" => found.mode = value,
            "--simd" => found.level = value.parse()?,
            "--dump" => found.dump = Some(value),
            "--dump-angle" => found.dump_angle = value.parse()?,
            _ => return Err(format!("unknown option {word}").into()),
        }
    }
    Ok(found)
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word))
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    words(bytes).map(f32::from_bits).collect()
}

fn read_model(mesh: &str, texture: &str) -> Result<Model, Box<dyn Error>> {
    let bytes = std::fs::read(texture)?;
    let mut colors = [[0; 3]; 256];
    for (color, rgb) in colors.iter_mut().zip(bytes[4 + 65536..].as_chunks::<3>().0) {
        *color = *rgb;
    }
    let palette = std::sync::Arc::new(Palette::new(colors, 256));
    let image = Image::from_indices(256, 256, bytes[4..4 + 65536].to_vec(), palette, None)?;

    let bytes = std::fs::read(mesh)?;
    let counts: Vec<u32> = words(&bytes[4..12]).collect();
    let end = 12 + counts[0] as usize * 32;
    let mut part = SurfaceParts { texture: Some(image.into()), ..SurfaceParts::default() };
    for v in floats(&bytes[12..end]).as_chunks::<8>().0 {
        part.positions.push([v[0], v[1], v[2]]);
        part.normals.push([v[3], v[4], v[5]]);
        part.texcoords.push([v[6], v[7]]);
    }
    let indices: Vec<u32> = words(&bytes[end..]).collect();
    // Clockwise is front here.
    part.triangles = indices.as_chunks::<3>().0.iter().map(|&[a, b, c]| [a, c, b]).collect();
    Ok(Model::from_parts(vec![part])?)
}

struct Scene {
    size: [u32; 2],
    /// Clip space as it is: the instances bring their own way there.
    view: View,
    /// Per angle: the instances.
    angles: Vec<Vec<Instance<'static>>>,
}

fn read_scene(
    path: &str,
    mode: &str,
    model: &'static Model,
    pose: &'static Pose,
) -> Result<Scene, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let header: Vec<u32> = words(&bytes[4..20]).collect();
    let (color, filter) = match mode {
        "rgb" => (ColorMode::Rgb, Filter::Nearest),
        "indexed" => (ColorMode::Indexed, Filter::Nearest),
        "bilinear" => (ColorMode::Rgb, Filter::Bilinear),
        "trilinear" => (ColorMode::Rgb, Filter::Trilinear),
        _ => return Err(format!("unknown mode {mode}").into()),
    };
    let instances = floats(&bytes[20..]);
    let instances: Vec<_> = instances
        .as_chunks::<20>()
        .0
        .iter()
        .map(|values| {
            let mut clip = [0.0; 16];
            clip.copy_from_slice(&values[..16]);
            let look = Look {
                filter,
                lighting: Lighting::Lambert,
                light: [values[16], values[17], values[18]],
                ambient: 0.25,
                diffuse: 0.75,
                ..Look::default()
            };
            // The scene gives the light in the instance's own space.
            let transform = Transform::from_columns(clip).with_attached_light();
            Instance { model, pose, look, transform }
        })
        .collect();
    let angles = instances.chunks(header[3] as usize).map(<[_]>::to_vec).collect();
    let identity = Transform::IDENTITY.columns();
    let view = View::from_matrices(identity, identity).color(color);
    Ok(Scene { size: [header[0], header[1]], view, angles })
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    // Kept until the end of the program, so that the lists of instances can be.
    let model: &'static Model =
        Box::leak(Box::new(read_model(&arguments.mesh, &arguments.texture)?));
    let pose: &'static Pose = Box::leak(Box::new(model.pose_blend(Blend::frame(0))));
    let scene = read_scene(&arguments.scene, &arguments.mode, model, pose)?;
    let mut renderer =
        Renderer::new().with_threads(arguments.threads)?.with_simd(arguments.level)?;
    let mut frame = Framebuffer::new(scene.size[0], scene.size[1])?;
    let mut time = |angle: usize, frame: &mut Framebuffer| {
        let instances = &scene.angles[angle % scene.angles.len()];
        let new_pose = arguments.new_poses.then(|| pose.clone());
        let posed: Vec<Instance<'_>> = match &new_pose {
            Some(pose) => instances.iter().map(|instance| Instance { pose, ..*instance }).collect(),
            None => Vec::new(),
        };
        let instances = if posed.is_empty() { instances.as_slice() } else { &posed };
        let start = Instant::now();
        frame.clear([0x10, 0x20, 0x40, 0xff]);
        renderer.draw(&scene.view, instances, frame).expect("the model's own pose");
        start.elapsed().as_secs_f64()
    };
    let warm = Instant::now();
    for angle in 0..scene.angles.len() {
        time(angle, &mut frame);
        if warm.elapsed().as_secs_f64() > 2.0 {
            break;
        }
    }
    let (mut times, start) = (Vec::with_capacity(100_000), Instant::now());
    loop {
        times.push(time(times.len(), &mut frame));
        let elapsed = start.elapsed().as_secs_f64();
        let whole = times.len() % scene.angles.len() == 0;
        let late = elapsed > 3.0 * arguments.seconds + 2.0;
        if times.len() >= 99_990
            || (elapsed >= arguments.seconds && (whole || late) && times.len() >= 3)
        {
            break;
        }
    }
    if let Some(path) = &arguments.dump {
        time(arguments.dump_angle, &mut frame);
        let mut ppm = Vec::new();
        write!(ppm, "P6\n{} {}\n255\n", frame.width(), frame.height())?;
        for pixel in frame.image().to_rgba().as_chunks::<4>().0 {
            ppm.extend(&pixel[..3]);
        }
        std::fs::write(path, ppm)?;
    }
    let best = lowest_of_angles(&times, scene.angles.len());
    times.sort_by(f64::total_cmp);
    let stem = |path: &str| {
        let name = std::path::Path::new(path).file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let instances = scene.angles[0].len();
    let mut out = std::io::stdout();
    writeln!(
        out,
        "RESULT peer={} mode={} threads={} mesh={} scene={} w={} h={} tris={} inst={} frames={} \
         min_ms={:.4} med_ms={:.4} best_ms={:.4} maxrss_kb={}",
        arguments.name,
        arguments.mode,
        arguments.threads,
        stem(&arguments.mesh),
        stem(&arguments.scene),
        scene.size[0],
        scene.size[1],
        model.triangle_count() * instances,
        instances,
        times.len(),
        times[0] * 1e3,
        times[times.len() / 2] * 1e3,
        best * 1e3,
        peak_kilobytes(),
    )?;
    if arguments.stages {
        for stage in renderer.stats() {
            writeln!(
                out,
                "STAGE {} in={} out={} ms={:.4}",
                stage.stage, stage.input, stage.output, stage.milliseconds
            )?;
        }
    }
    Ok(())
}

/// The mean over the angles of the shortest frame of each, in seconds: what a noisy machine says of two
/// builds that are compared.
fn lowest_of_angles(times: &[f64], angles: usize) -> f64 {
    let mut lowest = vec![f64::INFINITY; angles.min(times.len())];
    for (i, &time) in times.iter().enumerate() {
        let of_angle = &mut lowest[i % angles];
        *of_angle = time.min(*of_angle);
    }
    lowest.iter().sum::<f64>() / lowest.len() as f64
}

/// The peak of resident memory, where the system tells it; else 0.
fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
