//! A frame of an application: posing, drawing and copying out, each by itself and its share of the
//! whole, for the models that games have most of: an MD5 with 110 joints, an MD3 with 40 surfaces, an
//! MD2. The MD5 also at 3840x2160 on two threads, as the window draws it.

#![expect(clippy::print_stdout, reason = "a bench reports there")]

#[path = "shared/samples.rs"]
mod samples;

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use polyset::scene::Anims;
use polyset::{Blend, Camera, Framebuffer, Instance, Model, PixelsMut, Renderer, Scene, View};

const JOINTS: usize = 110;
const SURFACES: usize = 40;
/// Rows and columns of vertices of a patch of the sphere.
const SIDE: usize = 16;
const FRAMES: usize = 60;

/// Vertices of patch `number` of so many that make a sphere, as x, y, z, u, v.
fn patch(number: usize, patches: usize, radius: f64) -> Vec<[f64; 5]> {
    let at = |i: usize, j: usize| {
        let u = (number as f64 + i as f64 / (SIDE - 1) as f64) / patches as f64;
        let v = 0.02 + 0.96 * j as f64 / (SIDE - 1) as f64;
        let (phi, theta) = (2.0 * std::f64::consts::PI * u, std::f64::consts::PI * v);
        let ring = radius * libm::sin(theta);
        [ring * libm::cos(phi), ring * libm::sin(phi), radius * libm::cos(theta), u, v]
    };
    (0..SIDE * SIDE).map(|i| at(i % SIDE, i / SIDE)).collect()
}

/// Triangles of a patch, clockwise seen from outside.
fn triangles() -> Vec<[usize; 3]> {
    let corners = (0..SIDE * (SIDE - 1)).filter(|i| i % SIDE < SIDE - 1);
    corners.flat_map(|i| [[i, i + 1, i + SIDE], [i + 1, i + SIDE + 1, i + SIDE]]).collect()
}

/// The files of an MD5: patches that hang on three joints of a chain each.
fn md5() -> Result<[String; 2], std::fmt::Error> {
    let mut mesh = format!("MD5Version 10\ncommandline \"\"\nnumJoints {JOINTS}\nnumMeshes 8\n");
    mesh += "joints {\n";
    for joint in 0..JOINTS {
        let parent = joint as i32 - 1;
        writeln!(mesh, "\"j{joint}\" {parent} ( 0 0 {} ) ( 0 0 0 )", joint as f64 * 0.5)?;
    }
    mesh += "}\n";
    for number in 0..8 {
        let vertices = patch(number, 8, 30.0);
        writeln!(mesh, "mesh {{\nshader \"none\"\nnumverts {}", vertices.len())?;
        for (i, [.., u, v]) in vertices.iter().enumerate() {
            writeln!(mesh, "vert {i} ( {u} {v} ) {} 3", 3 * i)?;
        }
        writeln!(mesh, "numtris {}", triangles().len())?;
        for (i, [a, b, c]) in triangles().into_iter().enumerate() {
            writeln!(mesh, "tri {i} {a} {b} {c}")?;
        }
        writeln!(mesh, "numweights {}", 3 * vertices.len())?;
        for (i, [x, y, z, ..]) in vertices.iter().enumerate() {
            for (k, bias) in [0.5, 0.3, 0.2].into_iter().enumerate() {
                let joint = (number * 13 + i + k) % JOINTS;
                let z = z - joint as f64 * 0.5;
                writeln!(mesh, "weight {} {joint} {bias} ( {x} {y} {z} )", 3 * i + k)?;
            }
        }
        mesh += "}\n";
    }
    let mut anim = format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints {JOINTS}\nframeRate 24\n\
         numAnimatedComponents {}\nhierarchy {{\n",
        6 * JOINTS
    );
    for joint in 0..JOINTS {
        writeln!(anim, "\"j{joint}\" {} 63 {}", joint as i32 - 1, 6 * joint)?;
    }
    anim += "}\nbounds {\n( -40 -40 -40 ) ( 40 40 90 )\n( -40 -40 -40 ) ( 40 40 90 )\n}\n";
    anim += "baseframe {\n";
    for _ in 0..JOINTS {
        anim += "( 0 0 0 ) ( 0 0 0 )\n";
    }
    anim += "}\n";
    for frame in 0..2 {
        writeln!(anim, "frame {frame} {{")?;
        for joint in 0..JOINTS {
            let z = if joint > 0 { 0.5 } else { 0.0 };
            writeln!(anim, "0 0 {z} 0 0 {}", f64::from(frame) * 0.01)?;
        }
        anim += "}\n";
    }
    Ok([mesh, anim])
}

/// The bytes of an MD3 of two frames.
fn md3() -> Vec<u8> {
    let int = |file: &mut Vec<u8>, value: usize| file.extend((value as u32).to_le_bytes());
    let name = |file: &mut Vec<u8>| file.extend([b'a'; 1].into_iter().chain([0; 63]));
    let triangles = triangles();
    let vertices = SIDE * SIDE;
    let at = [108, 108 + 12 * triangles.len()];
    let normals = at[1] + 8 * vertices;
    let end = normals + 2 * 8 * vertices;
    let mut file = b"IDP3".to_vec();
    int(&mut file, 15);
    name(&mut file);
    let frames_end = 108 + 2 * 56;
    let places = [108, frames_end, frames_end, frames_end + SURFACES * end];
    [0, 2, 0, SURFACES, 0].into_iter().chain(places).for_each(|value| int(&mut file, value));
    for _ in 0..2 {
        let numbers = [-30f32, -30.0, -30.0, 30.0, 30.0, 30.0, 0.0, 0.0, 0.0, 52.0];
        numbers.iter().for_each(|number| file.extend(number.to_le_bytes()));
        file.extend([0; 16]);
    }
    for number in 0..SURFACES {
        file.extend(b"IDP3");
        name(&mut file);
        let counts = [0, 2, 0, vertices, triangles.len()];
        let places = [at[0], at[0], at[1], normals, end];
        counts.into_iter().chain(places).for_each(|value| int(&mut file, value));
        triangles.iter().flatten().for_each(|corner| int(&mut file, *corner));
        let patch = patch(number, SURFACES, 30.0);
        for [.., u, v] in &patch {
            [*u, *v].iter().for_each(|x| file.extend((*x as f32).to_le_bytes()));
        }
        for frame in 0..2 {
            for [x, y, z, u, v] in &patch {
                let grown = 64.0 + f64::from(frame);
                [x, y, z].iter().for_each(|x| file.extend(((**x * grown) as i16).to_le_bytes()));
                file.extend([(v * 127.0) as u8, (u * 255.0) as u8]);
            }
        }
    }
    file
}

fn models() -> Result<Vec<(&'static str, Model)>, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let open = |name: &str, text: &[u8]| -> Result<std::path::PathBuf, std::io::Error> {
        let path = folder.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    };
    let [mesh, anim] = md5()?;
    open("a.md5anim", anim.as_bytes())?;
    let with_anim = |path: &Path| Scene::new(path).open_with(Anims::All);
    let skinned = with_anim(&open("a.md5mesh", mesh.as_bytes())?)?.model;
    assert_eq!(skinned.frame_count(), 2, "the animation goes with it");
    let surfaces = Model::open(open("a.md3", &md3())?)?;
    assert_eq!(surfaces.surfaces().len(), SURFACES);
    Ok(vec![
        ("MD5, 110 joints", skinned),
        ("MD3, 40 surfaces", surfaces),
        ("MD2", samples::open("bolt.md2")),
    ])
}

/// The medians of posing, drawing and copying out, in milliseconds.
fn measure(model: &Model, [width, height]: [u32; 2], threads: usize) -> [f64; 3] {
    let mut renderer = Renderer::new().with_threads(threads).expect("threads can be started");
    let mut frame = Framebuffer::new(width, height).expect("a size that fits");
    let mut out = vec![0; (width * height) as usize];
    let mut pose = model.pose_blend(Blend::frame(0));
    let view = View::new(Camera::framing(&pose));
    let mut times = [const { Vec::new() }; 3];
    let mut timed = |stage: usize, work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        times[stage].push(start.elapsed());
    };
    for number in 0..FRAMES {
        let blend = Blend { from: 0, t: number as f32 / FRAMES as f32, ..Blend::frame(1) };
        timed(0, &mut || model.pose_into(blend, &mut pose));
        timed(1, &mut || {
            frame.clear([20, 20, 20, 255]);
            let instances = [Instance::new(model, &pose)];
            renderer.draw(&view, &instances, &mut frame).expect("its own pose");
        });
        timed(2, &mut || {
            for (row, drawn) in out.chunks_exact_mut(width as usize).zip(frame.rows()) {
                row.copy_from_slice(drawn);
            }
        });
    }
    let covered = out.iter().filter(|&&pixel| pixel != out[0]).count();
    assert!(covered * 10 > out.len(), "the model is in the picture");
    times.map(|mut of_stage| {
        of_stage.sort_unstable();
        of_stage.get(FRAMES / 2).map_or(0.0, Duration::as_secs_f64) * 1e3
    })
}

/// The median of drawing into the application's own buffer, which needs no copy.
fn measure_direct(model: &Model, [width, height]: [u32; 2]) -> f64 {
    let mut renderer = Renderer::new().with_threads(1).expect("one thread is there");
    let stride = width as usize + 8;
    let mut out = vec![0; stride * height as usize];
    let pose = model.pose_blend(Blend::frame(0));
    let view = View::new(Camera::framing(&pose));
    let mut times = Vec::new();
    for _ in 0..FRAMES {
        let start = Instant::now();
        out.fill(0);
        let pixels = PixelsMut { pixels: &mut out, width, height, stride };
        let instances = [Instance::new(model, &pose)];
        renderer.draw_into(&view, &instances, pixels).expect("its own pose");
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times[FRAMES / 2].as_secs_f64() * 1e3
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let models = models()?;
    let runs = [([1280, 720], 1), ([1280, 720], 2), ([3840, 2160], 2)];
    for ([width, height], threads) in runs {
        for (name, model) in &models {
            let stages = measure(model, [width, height], threads);
            let whole: f64 = stages.iter().sum();
            let share =
                |i: usize| format!("{:.3} ms ({:.0} %)", stages[i], 100.0 * stages[i] / whole);
            println!(
                "{width}x{height}, {threads} threads, {name} ({} triangles): pose {}, draw {}, copy \
                 {}; {:.0} frames a second",
                model.triangle_count(),
                share(0),
                share(1),
                share(2),
                1e3 / whole
            );
        }
    }
    for (name, model) in &models {
        let time = measure_direct(model, [1280, 720]);
        println!("1280x720, 1 thread, {name}: cleared and drawn in place {time:.3} ms");
    }
    Ok(())
}
