//! Many models, and what is left to do after a run that ended early.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use polyset::Image;
use serde_json::Value;

use super::archive::pak;
use super::place::{PROGRAM, Place, sample};

#[test]
fn pictures_are_called_like_their_models() {
    let place = Place::new();
    place.copy("bolt.mdl", "in/bolt.mdl");
    place.copy("bolt.md2", "in/bolt.md2");
    place.copy("bolt.md3", "in/deep/er/bolt.md3");
    let member = |name: &str| ("progs/bolt.mdl", fs::read(sample(name)).unwrap());
    fs::write(place.path("a.pak"), pak(&[member("bolt.mdl")])).unwrap();
    fs::write(place.path("b.pak"), pak(&[member("bolt_holey.mdl")])).unwrap();
    for (words, expected) in [
        ("in", "bolt.md2.png bolt.mdl.png"),
        ("in -r", "bolt.md2.png bolt.mdl.png deep/er/bolt.md3.png"),
        ("in/bolt.mdl in/bolt.mdl in", "bolt.md2.png bolt.mdl.png"),
        ("in/deep/er/bolt.md3", "bolt.md3.png"),
        ("a.pak b.pak", "progs/bolt.mdl-2.png progs/bolt.mdl.png"),
        ("a.pak:progs", "progs/bolt.mdl.png"),
        ("a.pak:progs/bolt.mdl", "bolt.mdl.png"),
    ] {
        let _ = fs::remove_dir_all(place.path("out"));
        place.says(&format!("thumbs {words} -o out -s 32"), 0);
        let names: Vec<String> = place.pictures("out").into_keys().collect();
        assert_eq!(names.join(" "), expected, "{words}");
    }
    for (words, expected) in [
        ("in -r -o out/{model}.png", "bolt-2.png bolt-3.png bolt.png"),
        ("in/bolt.mdl -o out/{dir}/{ext}-{frame:3}.png --frames 2", "mdl-000.png mdl-014.png"),
        (
            "in/bolt.md2 --clips all -o out/{clip}.png",
            "attack.png pain1.png pain2.png run.png stand.png wave.png",
        ),
    ] {
        let _ = fs::remove_dir_all(place.path("out"));
        place.says(&format!("thumbs {words} -s 32"), 0);
        let names: Vec<String> = place.pictures("out").into_keys().collect();
        assert_eq!(names.join(" "), expected, "{words}");
    }
    for (words, why) in [
        ("in -o out/{model}.jpg", "let the name end in .png"),
        ("in -o out/{modle}.png", "there is no '{modle}'"),
        ("in --skins all -o out/{model}.png", "the name needs {skin}"),
        ("in", "give --output DIR"),
        ("-o out", "give models, folders or archives, or --game DIR"),
        ("nothing -o out", "nothing"),
        ("in --shard 3/2 -o out", "expected K/N"),
        ("in --xdg-cache -o out", "--xdg-cache and --output"),
        ("in --xdg-cache --cache-sizes huge", "there are normal, large, x-large, xx-large"),
    ] {
        assert!(place.says(&format!("thumbs {words}"), 2).contains(why), "{words}");
    }
}

#[test]
fn a_player_is_one_picture_in_folders_and_archives() {
    let place = Place::new();
    let mut members = Vec::new();
    for entry in fs::read_dir(sample("players/bolt")).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("models/players/bolt/{}", path.file_name().unwrap().to_str().unwrap());
        place.copy(path.to_str().unwrap(), &format!("game/{name}"));
        members.push((name, fs::read(path).unwrap()));
    }
    place.copy("bolt.mdl", "game/models/bolt.mdl");
    let members: Vec<(&str, Vec<u8>)> =
        members.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    fs::write(place.path("pak0.pak"), pak(&members)).unwrap();
    let thumb = "thumb game/models/players/bolt one.png -s 64";
    assert!(place.command(thumb).status().unwrap().success());
    let one = fs::read(place.path("one.png")).unwrap();
    for (words, expected) in [
        ("-r game", "models/bolt.mdl.png models/players/bolt.png"),
        ("game/models/players", "bolt.png"),
        ("game/models/players/bolt", "bolt.png"),
        ("pak0.pak", "models/players/bolt.png"),
        ("pak0.pak:models/players/bolt", "bolt.png"),
        ("--game game models/players/bolt", "bolt.png"),
    ] {
        let _ = fs::remove_dir_all(place.path("out"));
        place.says(&format!("thumbs {words} -o out -s 64"), 0);
        let pictures = place.pictures("out");
        let names: Vec<&str> = pictures.keys().map(String::as_str).collect();
        assert_eq!(names.join(" "), expected, "{words}");
        let player = pictures.iter().find(|(name, _)| name.ends_with("bolt.png")).unwrap().1;
        assert!(*player == one, "{words}: it is another picture");
        let said = place.says(&format!("thumbs {words} -o out -s 64"), 0);
        assert!(said.contains("0 drawn"), "{words}: {said}");
    }
    place.says("thumbs game/models/players/bolt -o out/{model}-{clip}.png -s 32 --clips all", 0);
    // A texture that comes for a part is noticed.
    let words = "thumbs game/models/players/bolt -o worn -s 32";
    place.says(words, 0);
    let textures = |key: &str| {
        let lines = place.lines("worn/manifest.jsonl");
        let textures = lines[0]["textures"].as_array().unwrap();
        textures.iter().map(|worn| worn[key].to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(textures("surface"), "\"l_legs\" \"u_body\" \"h_helmet\"");
    assert_eq!(textures("origin"), "null null null");
    place.copy("bolt_paint.png", "game/models/bolt_paint.png");
    assert!(place.says(words, 0).contains("1 drawn"));
    assert_eq!(textures("origin"), "\"named\" \"named\" \"named\"");
    assert!(place.says(words, 0).contains("1 there already"));
    // The manifest's folder was used before: its pictures of the other names stay.
    let pictures = place.pictures("out");
    for clip in ["BOTH_DEATH1", "LEGS_RUN", "TORSO_ATTACK"] {
        assert!(pictures.contains_key(&format!("bolt-{clip}.png")), "{:?}", pictures.keys());
    }
    let said = place.says("thumbs game/models/players/bolt -o other --animation NONE", 2);
    assert!(said.contains("TORSO_STAND"), "the clips that there are: {said}");
}

#[test]
fn clips_go_by_their_names_even_if_these_are_numbers() {
    let place = Place::new();
    for (from, to) in [("md5mesh", "bolt.md5mesh"), ("tga", "bolt.tga")] {
        place.copy(&format!("bolt.{from}"), to);
    }
    place.copy("bolt_walk.md5anim", "1.md5anim");
    place.copy("bolt_wave.md5anim", "2.md5anim");
    place.says("thumbs bolt.md5mesh -o out/{clip}.png -s 48 --clips all", 0);
    let clips = place.pictures("out");
    for clip in ["1", "2"] {
        let words = format!("thumb bolt.md5mesh one.png -s 48 --animation {clip}");
        assert!(place.command(&words).status().unwrap().success());
        let one = Image::open(place.path("one.png")).unwrap();
        let drawn = Image::open(place.path(&format!("out/{clip}.png"))).unwrap();
        assert!(drawn == one, "{clip}");
    }
    assert_eq!(clips.len(), 2);
    place.copy("bolt.mdl", "bolt.mdl");
    for clip in ["wave", "WAVE", "3"] {
        let words =
            format!("thumbs bolt.mdl -o {clip}/{{frame}}.png -s 16 --frames all --animation");
        place.says(&format!("{words} {clip}"), 0);
        assert!(place.pictures(clip) == place.pictures("wave"), "{clip}");
    }
    assert!(place.pictures("wave").len() > 1);
}

#[test]
fn every_skin_and_frame_is_a_picture_of_its_own_and_what_the_thumbnail_shows() {
    let place = Place::new();
    place.copy("bolt.mdl", "bolt.mdl");
    let said = place.says("thumbs bolt.mdl --skins all --clips all --frames all -s 48 -o out", 0);
    let pictures = place.pictures("out");
    let lines = place.lines("out/manifest.jsonl");
    assert_eq!(lines.len(), pictures.len(), "{said}");
    for line in &lines {
        let output = line["output"].as_str().unwrap();
        let image = Image::open(place.path("out").join(output)).unwrap();
        assert_eq!(line["hash"], format!("{:016x}", image.hash()), "{output}");
        assert_eq!(line["size"], serde_json::json!([48, 48]));
        assert_eq!(line["bytes"], pictures[output].len() as u64);
        let [clip, skin, frame] = ["clip", "skin", "frame"].map(|name| &line[name]);
        let words = format!(
            "bolt.mdl one.png -s 48 --skin {} --animation {} --frame {frame}",
            skin.as_str().unwrap(),
            clip.as_str().unwrap()
        );
        let mut thumb = Command::new(PROGRAM);
        thumb.current_dir(place.0.path()).arg("thumb").args(words.split_whitespace());
        assert!(thumb.status().unwrap().success(), "{words}");
        assert_eq!(fs::read(place.path("one.png")).unwrap(), pictures[output], "{words}");
    }
    let different: std::collections::BTreeSet<_> = pictures.values().collect();
    // The second skin begins with the picture of the first one.
    assert_eq!((different.len(), pictures.len()), (29, 58));
}

#[test]
fn a_broken_model_is_a_line_and_the_others_are_drawn() {
    let place = Place::with_models(3);
    fs::write(place.path("in/0/broken.mdl"), b"IDPO").unwrap();
    let said = place.says("thumbs in -r -o out -s 32", 1);
    assert!(said.contains("broken.mdl") && said.contains("3 drawn"), "{said}");
    let lines = place.lines("out/manifest.jsonl");
    let errors: Vec<&Value> = lines.iter().filter(|line| !line["error"].is_null()).collect();
    assert_eq!((lines.len(), errors.len()), (4, 1));
    assert_eq!(errors[0]["input"], "in/0/broken.mdl");
    let said = place.says("thumbs in -r -o out -s 32 --quiet", 1);
    assert_eq!(said.lines().count(), 1, "{said}");
    // So is one that is not there, wherever it is named.
    let (good, gone) = ("in/0/0_bolt.md2", "gone/x.mdl nowhere");
    for words in [format!("{good} {gone}"), format!("{gone} {good}")] {
        let said = place.says(&format!("thumbs {words} -o some -s 32 --force"), 1);
        assert!(said.contains("2 failed") && said.contains("'gone/x.mdl'"), "{said}");
        assert_eq!(place.lines("some/manifest.jsonl").len(), 3);
        assert!(
            place.says(&format!("sheet {words} -o s.png -s 32 --force"), 1).contains("2 failed")
        );
    }
    for words in [format!("thumbs {gone} -o none"), format!("sheet {gone} -o none.png")] {
        assert!(place.says(&words, 2).contains("gone/x.mdl"));
        assert!(!place.path("none").exists() && !place.path("none.png").exists());
    }
    let said = place.says("thumbs in/0/0_bolt.md2 -o s.png", 2);
    assert!(said.contains("cannot make the folder 's.png'") && !said.contains("goes on"), "{said}");
    let said = place.says("thumbs in/0/broken.mdl -o other", 2);
    assert!(said.contains("1 failed"), "{said}");
    let said = place.says("thumbs out -o other", 2);
    assert!(said.contains("there are no models to draw"), "{said}");
}

#[test]
fn a_run_that_is_killed_is_completed_to_the_same_bytes() {
    let place = Place::with_models(60);
    let start = Instant::now();
    place.says("thumbs in -r -o whole -s 64", 0);
    let whole = start.elapsed();
    let (pictures, lines) = (place.pictures("whole"), place.timeless("whole/manifest.jsonl"));
    let mut ended_early = 0;
    for round in 0..12u32 {
        let mut child = place.command("thumbs in -r -o part -s 64").spawn().unwrap();
        std::thread::sleep(whole * (round * 7 % 12) / 24);
        child.kill().unwrap();
        child.wait().unwrap();
        if place.path("part").exists() {
            for (name, bytes) in place.pictures("part") {
                assert_eq!(pictures.get(&name), Some(&bytes), "{name} is half written");
            }
        }
        ended_early += u32::from(place.pictures_of_run("part") < 60);
        if round % 3 == 2 {
            let said = place.says("thumbs in -r -o part -s 64", 0);
            assert!(place.pictures("part") == pictures, "{said}");
            assert!(place.timeless("part/manifest.jsonl") == lines, "{said}");
            assert_eq!(place.files("part").len(), 61, "nothing else is left");
            fs::remove_dir_all(place.path("part")).unwrap();
        }
    }
    assert!(ended_early > 3, "{ended_early} runs were killed before their end");
}

#[test]
fn a_spoiled_manifest_is_no_obstacle() {
    let place = Place::with_models(6);
    place.says("thumbs in -r -o out -s 24", 0);
    let (pictures, lines) = (place.pictures("out"), place.timeless("out/manifest.jsonl"));
    let whole = fs::read(place.path("out/manifest.jsonl")).unwrap();
    let damaged = |round: usize| {
        let mut bytes = whole.clone();
        let at = round * 7919 % bytes.len();
        match round % 4 {
            0 => bytes.truncate(at),
            1 => bytes[at] = b"\0\xff\n"[round % 3],
            2 => drop(bytes.drain(at..(at + 300).min(whole.len()))),
            _ => bytes.splice(at..at, whole.iter().copied().take(500)).for_each(drop),
        }
        bytes
    };
    let text = std::str::from_utf8(&whole).unwrap();
    let sizes: Vec<usize> = text.match_indices(",\"size\":").map(|(at, _)| at).collect();
    let warning = text.find("not found").unwrap();
    // These are still lines of JSON.
    let readable = [
        [&whole[..warning], &whole[warning + 4..]].concat(),
        [&whole[..sizes[2]], &whole[sizes[3]..]].concat(),
        text.replacen("\"pictures\":1", "\"pictures\":2", 1).into_bytes(),
    ];
    // Of a first line that is damaged the others count.
    fs::write(place.path("out/manifest.jsonl"), text.replacen("\"picture\":0", "\"picture\":", 1))
        .unwrap();
    let said = place.says("thumbs in -r -o out -s 24", 0);
    assert!(said.contains("1 drawn") && said.contains("5 there already"), "{said}");
    assert!(place.timeless("out/manifest.jsonl") == lines);
    let mut taken = 0;
    for (round, bytes) in (0..40).map(damaged).chain(readable).enumerate() {
        fs::write(place.path("out/manifest.jsonl"), &bytes).unwrap();
        let output = place.run("thumbs in -r -o out -s 24");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() == Some(2) {
            assert!(said.contains("is no manifest of thumbnails"), "round {round}: {said}");
            assert!(fs::read(place.path("out/manifest.jsonl")).unwrap() == bytes, "round {round}");
            continue;
        }
        taken += 1;
        assert_eq!(output.status.code(), Some(0), "round {round}: {said}");
        assert!(place.pictures("out") == pictures, "round {round}");
        let found = place.timeless("out/manifest.jsonl");
        // What became another model's line stays as such behind ours.
        assert!(found[..6] == lines, "round {round}: {} lines", found.len());
    }
    assert!(taken > 33, "{taken} of 43 were taken");
}

#[cfg(unix)]
#[test]
fn many_models_need_no_more_open_files_than_few() {
    let place = Place::with_models(400);
    let line = format!("ulimit -n 24; exec {PROGRAM} thumbs in -r -o out -s 16 --threads 2");
    let mut shell = Command::new("sh");
    let output = shell.current_dir(place.0.path()).args(["-c", &line]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(place.pictures_of_run("out"), 400);
}

#[cfg(unix)]
#[test]
fn one_run_at_a_time_writes_a_manifest() {
    let place = Place::with_models(200);
    let mut first = place.command("thumbs in -r -o out -s 256 --threads 1").spawn().unwrap();
    place.wait_for_pictures("out", 1);
    // It stands still while others look, however slow the machine is.
    let signal = |name| {
        let id = first.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    };
    signal("STOP");
    let said = place.says("thumbs in -r -o out -s 256", 2);
    assert!(said.contains("another run is writing"), "{said}");
    // The folder goes away under it: an error, and the folder does not come back.
    fs::rename(place.path("out"), place.path("away")).unwrap();
    signal("CONT");
    let status = first.wait().unwrap();
    assert_eq!(status.code(), Some(2));
    assert!(!place.path("out").exists());
    place.says("thumbs in -r -o away -s 256", 0);
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_and_the_next_one_goes_on() {
    let place = Place::with_models(30);
    // Files end at 8 KiB: sooner or later the manifest does not fit.
    let line = format!("trap '' XFSZ; ulimit -f 8; exec {PROGRAM} thumbs in -r -o out -s 24");
    let mut shell = Command::new("bash");
    let output = shell.current_dir(place.0.path()).args(["-c", &line]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("stopped before the end") && said.contains("manifest.jsonl"), "{said}");
    let drawn = place.pictures_of_run("out");
    assert!((1..30).contains(&drawn), "{drawn}");
    assert!(place.lines("out/manifest.jsonl").len() <= drawn);
    place.says("thumbs in -r -o out -s 24", 0);
    assert_eq!(place.pictures_of_run("out"), 30);
    assert_eq!(place.lines("out/manifest.jsonl").len(), 30);
}

#[test]
fn shards_are_the_whole_together_and_their_manifests_merge() {
    let place = Place::with_models(40);
    place.says("thumbs in -r -o whole -s 32", 0);
    let mut lines = place.timeless("whole/manifest.jsonl");
    let in_order = lines.clone();
    lines.sort();
    let mut merged = String::new();
    for number in 1..=4 {
        place.says(&format!("thumbs in -r -o parts -s 32 --shard {number}/4"), 0);
        let part = place.path(&format!("parts/manifest-{number}-of-4.jsonl"));
        merged += &fs::read_to_string(part).unwrap();
    }
    assert!(place.pictures("parts") == place.pictures("whole"), "pictures differ");
    // The lines of all parts are known without merging them, and after it.
    for merge in [false, true] {
        if merge {
            fs::write(place.path("parts/manifest.jsonl"), &merged).unwrap();
            let mut parts = place.timeless("parts/manifest.jsonl");
            parts.sort();
            assert!(parts == lines, "{} lines", parts.len());
        }
        let said = place.says("thumbs in -r -o parts -s 32", 0);
        assert!(said.contains("0 drawn") && said.contains("40 there already"), "{said}");
        assert!(place.timeless("parts/manifest.jsonl") == in_order, "they are in another order");
    }
    // What belongs to a part does not depend on what else is in the list.
    fs::remove_dir_all(place.path("in/0")).unwrap();
    let said = place.says("thumbs in -r -o parts -s 32 --shard 2/4", 0);
    assert!(said.contains("0 drawn"), "{said}");
    let mut auto = place.command("thumbs in -r -o parts -s 32 --shard auto");
    auto.env("SLURM_ARRAY_TASK_ID", "2").env("SLURM_ARRAY_TASK_MIN", "0");
    let output = auto.env("SLURM_ARRAY_TASK_MAX", "3").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("0 drawn") && output.status.success(), "{said}");
}

#[cfg(unix)]
#[test]
fn gnu_parallel_draws_shards_and_one_that_was_killed_is_drawn_again() {
    let is_there = Command::new("parallel").arg("--version").output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        let _ = writeln!(std::io::stderr(), "skipped: GNU parallel is not installed");
        return;
    }
    let place = Place::with_models(80);
    place.says("thumbs in -r -o whole -s 64", 0);
    // It may come to its end before it can be killed.
    let drawn = (0..20).find_map(|_| {
        let _ = fs::remove_dir_all(place.path("parts"));
        let shard = "thumbs in -r -o parts -s 64 --shard 3/4 --threads 1";
        let mut killed = place.command(shard).spawn().unwrap();
        place.wait_for_pictures("parts", 5);
        killed.kill().unwrap();
        killed.wait().unwrap();
        Some(place.pictures_of_run("parts")).filter(|drawn| *drawn < 20)
    });
    assert!(drawn.is_some_and(|drawn| drawn > 0), "{drawn:?} were drawn before the end");
    let line = format!(
        "parallel --will-cite -j 2 {PROGRAM} thumbs in -r -o parts -s 64 --shard {{}}/4 ::: 1 2 3 4"
    );
    let mut shell = Command::new("sh");
    let output = shell.current_dir(place.0.path()).args(["-c", &line]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(place.pictures("parts") == place.pictures("whole"), "pictures differ");
    let files = place.files("parts");
    let manifests: Vec<&String> = files.iter().filter(|name| !name.ends_with(".png")).collect();
    let expected: Vec<String> = (1..=4).map(|n| format!("manifest-{n}-of-4.jsonl")).collect();
    assert_eq!(manifests, expected.iter().collect::<Vec<_>>());
}

#[cfg(unix)]
#[test]
fn the_cache_of_desktops_is_filled_as_they_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.copy("bolt.mdl", "in/a b/bölt.mdl");
    place.copy("bolt.md2", "in/bolt.md2");
    fs::write(place.path("in/broken.md3"), b"IDP3").unwrap();
    let said = place.says("thumbs in -r --xdg-cache", 1);
    assert!(said.contains("8 drawn") && said.contains("1 failed"), "{said}");
    let cache = place.path("cache/thumbnails");
    let fail = format!("fail/polyset-{}", env!("CARGO_PKG_VERSION"));
    let mut sizes = vec![("normal", 128), ("large", 256), ("x-large", 512), ("xx-large", 1024)];
    sizes.push((&fail, 1));
    for (folder, side) in sizes {
        let files = place.files(&format!("cache/thumbnails/{folder}"));
        assert_eq!(files.len(), if side == 1 { 1 } else { 2 }, "{folder}");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&cache.join(folder)), 0o700);
        for file in files {
            let path = cache.join(folder).join(&file);
            assert_eq!(mode(&path), 0o600, "{file}");
            let image = Image::open(&path).unwrap();
            assert_eq!([image.width(), image.height()], [side; 2]);
            let bytes = fs::read(&path).unwrap();
            let has = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
            for keyword in
                ["Thumb::URI\0file:///", "Thumb::MTime\0", "Thumb::Size\0", "Software\0polyset"]
            {
                assert!(has(keyword), "{file}: {keyword}");
            }
        }
    }
    let said = place.says("thumbs in -r --xdg-cache", 1);
    assert!(said.contains("0 drawn") && said.contains("8 there already"), "{said}");
    assert!(said.contains("could not be drawn before"), "{said}");
    place.copy("bolt.md2", "in/broken.md3");
    let touched = fs::File::options().append(true).open(place.path("in/broken.md3")).unwrap();
    touched.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 30)).unwrap();
    let said = place.says("thumbs in -r --xdg-cache --cache-sizes normal,large", 0);
    assert!(said.contains("2 drawn") && said.contains("4 there already"), "{said}");
    read_back(&place);
}

/// Looks the thumbnails up as GNOME's file manager does.
#[cfg(unix)]
fn read_back(place: &Place) {
    const SCRIPT: &str = r#"
import os, sys
import gi
gi.require_version("GnomeDesktop", "3.0")
from gi.repository import Gio, GnomeDesktop
for size in (GnomeDesktop.DesktopThumbnailSize.NORMAL, GnomeDesktop.DesktopThumbnailSize.LARGE):
    factory = GnomeDesktop.DesktopThumbnailFactory.new(size)
    for name in sys.argv[1:]:
        uri = Gio.File.new_for_path(name).get_uri()
        print(os.path.basename(factory.lookup(uri, int(os.stat(name).st_mtime)) or "none"))
"#;
    let mut python = Command::new("/usr/bin/python3");
    python.env("XDG_CACHE_HOME", place.path("cache")).args(["-c", SCRIPT]);
    let models = ["in/a b/bölt.mdl", "in/bolt.md2"].map(|name| place.path(name));
    let Ok(output) = python.args(&models).output() else {
        let _ = writeln!(std::io::stderr(), "skipped: there is no Python to read the cache back");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("gi") && !output.status.success() {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: Python has no GnomeDesktop to read the cache back"
        );
        return;
    }
    let found = String::from_utf8_lossy(&output.stdout);
    let found: Vec<&str> = found.lines().collect();
    let is_name = |name: &&str| name.len() == 36 && name.ends_with(".png");
    assert!(found.len() == 4 && found.iter().all(is_name), "{found:?} {said}");
}
