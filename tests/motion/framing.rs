//! One camera for many pictures, and the camera as options.

use std::fs;

use polyset::{Image, compare};

use super::{pictures, polyset, samples, seen};

const MODELS: [&str; 5] = ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh", "bolt_walk.md5anim"];

#[test]
fn every_picture_of_a_clip_has_the_same_camera_and_none_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &MODELS);
    for (model, clip) in
        [("bolt.mdl", "wave"), ("bolt.md2", "run"), ("bolt.md3", "walk"), ("bolt.md5mesh", "0")]
    {
        for (what, options) in [
            ("clip", String::new()),
            ("wide", "--resolution 160,90".into()),
            ("ortho", "--camera-orthographic --camera-azimuth-angle 70".into()),
            ("top", "--camera-elevation-angle 90".into()),
            ("fps", "--fps 24".into()),
        ] {
            let out = format!("{model}-{what}");
            let words = format!("{model} {out}/ --animation {clip} -s 120 {options}");
            let words = words.replace("-s 120 --resolution", "--resolution");
            polyset(folder, &format!("animate {words}"));
            let images = pictures(&folder.join(&out));
            assert!(images.len() > 4, "{words}");
            let [width, height] = [images[0].width(), images[0].height()];
            let mut all = [u32::MAX, u32::MAX, 0, 0];
            for image in &images {
                let [left, top, right, bottom] = seen(image);
                let [l, t, r, b] = all;
                all = [l.min(left), t.min(top), r.max(right), b.max(bottom)];
            }
            // Five of a hundred are free on each side, and together they fill the rest.
            let margin = |side: u32| side as f32 * 0.05;
            let [mx, my] = [margin(width), margin(height)];
            let free = [all[0], all[1], width - 1 - all[2], height - 1 - all[3]].map(|x| x as f32);
            let [l, t, r, b] = free;
            assert!(l >= mx - 1.5 && r >= mx - 1.5, "{words}: {free:?}");
            assert!(t >= my - 1.5 && b >= my - 1.5, "{words}: {free:?}");
            let fills = l + r <= 2.0 * mx + 4.0 || t + b <= 2.0 * my + 4.0;
            assert!(fills, "{words}: {free:?}");
        }
    }
}

#[test]
fn a_frame_of_an_animation_is_the_picture_of_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &MODELS);
    polyset(folder, "animate bolt.md2 frames --animation run -s 96");
    let camera = polyset(folder, "animate bolt.md2 --animation run -s 96 --print-camera");
    for (frame, expected) in pictures(&folder.join("frames")).iter().enumerate() {
        let camera = camera.trim();
        let words =
            format!("render bolt.md2 one.png -s 96 --animation run --frame {frame} {camera}");
        polyset(folder, &words);
        let one = Image::open(folder.join("one.png")).unwrap();
        assert!(compare(expected, &one).is_equal(), "{words}");
    }
    // The same camera for a picture by itself.
    let words = "render bolt.md2 clip.png -s 96 --animation run --frame 2 --frame-on clip";
    polyset(folder, words);
    let clip = Image::open(folder.join("clip.png")).unwrap();
    assert!(compare(&pictures(&folder.join("frames"))[2], &clip).is_equal());
    // And for thumbnails and sheets.
    polyset(folder, "thumb bolt.md2 pose.png -s 96");
    polyset(folder, "thumb bolt.md2 model.png -s 96 --frame-on model");
    polyset(folder, "sheet bolt.md2 -o sheet-pose.png");
    polyset(folder, "sheet bolt.md2 -o sheet-model.png --frame-on model");
    for (pose, model) in [("pose", "model"), ("sheet-pose", "sheet-model")] {
        let [pose, model] =
            [pose, model].map(|name| Image::open(folder.join(format!("{name}.png"))).unwrap());
        assert!(!compare(&pose, &model).is_equal());
    }
}

#[test]
fn the_printed_camera_draws_the_same_picture() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &MODELS);
    samples(folder, &["bolt_paint.png"]);
    for model in ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh"] {
        for options in [
            "",
            "--camera-orthographic",
            "--camera-elevation-angle 90 --camera-azimuth-angle -40",
            "--camera-elevation-angle -90",
            "--camera-focal-point 1,2,3",
            "--camera-zoom-factor 2.5 --camera-view-angle 70",
            "--model-origin 10,20,30 --model-angles 10,20,30",
            "--camera-position 80,30,20",
            "--camera-view-up 0,1,0 --resolution 300,100",
            "--frame-on model",
            "--view-weapon",
            "--renderer classic",
            "--renderer classic --camera-horizontal-angle 90 --frame-on model",
        ] {
            let words = format!("render {model} a.png {options}");
            polyset(folder, &words);
            let camera = polyset(folder, &format!("render {model} {options} --print-camera"));
            // What is said of the camera is in what was printed.
            let rest: Vec<&str> = options.split_whitespace().collect();
            let rest: Vec<&str> = rest
                .chunks(2)
                .filter(|words| !words[0].contains("camera") && words[0] != "--frame-on")
                .flatten()
                .copied()
                .collect();
            let again = format!("render {model} b.png {} {}", rest.join(" "), camera.trim());
            polyset(folder, &again);
            let [a, b] = ["a.png", "b.png"].map(|name| Image::open(folder.join(name)).unwrap());
            let differing = compare(&a, &b).differing();
            // The eye and what it looks at are rounded once more.
            let all = u64::from(a.width()) * u64::from(a.height());
            assert!(differing * 1000 <= all, "{again}: {differing} pixels differ");
        }
    }
}

#[test]
fn a_turn_begins_as_the_model_stands_and_ends_where_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    samples(folder, &["bolt.mdl"]);
    let light = "--lighting lambert -s 96";
    polyset(folder, &format!("animate bolt.mdl turn --turntable 8 {light}"));
    polyset(folder, &format!("animate bolt.mdl follow --turntable 8 --light-follows {light}"));
    let turn = pictures(&folder.join("turn"));
    let follow = pictures(&folder.join("follow"));
    assert_eq!((turn.len(), follow.len()), (8, 8));
    let hashes: std::collections::BTreeSet<u64> = turn.iter().map(Image::hash).collect();
    assert_eq!(hashes.len(), 8, "every side is another picture");
    // The outlines are the same to a pixel or two, the light is not.
    for (number, (turned, followed)) in turn.iter().zip(&follow).enumerate() {
        let off = seen(turned).iter().zip(seen(followed)).map(|(a, b)| a.abs_diff(b)).max();
        assert!(off.unwrap() <= 1, "{number}: {:?} {:?}", seen(turned), seen(followed));
    }
    assert!(compare(&turn[0], &follow[0]).differing() < 20);
    assert!(compare(&turn[4], &follow[4]).differing() > 500);
    // Nothing is cut, whatever the side.
    for image in &turn {
        let [left, top, right, bottom] = seen(image);
        assert!(left >= 3 && top >= 3 && right <= 92 && bottom <= 92);
    }
    // The clip goes on while the model turns.
    polyset(folder, &format!("animate bolt.mdl both --turntable 8 --animation wave {light}"));
    let both = pictures(&folder.join("both"));
    assert!(both.iter().zip(&turn).all(|(a, b)| a != b));
    fs::remove_dir_all(folder.join("both")).unwrap();
}
