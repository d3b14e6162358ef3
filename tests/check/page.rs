//! The page of a report in a browser.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::Place;
use super::browser::Browser;

/// A report with something of every kind, in which names try to be more than names.
fn report() -> Place {
    let mut scenes = "[defaults]\nsize = 32\nreference = \"golden/{name}.png\"\n".to_owned();
    for (name, model) in
        [("same", "bolt.mdl"), ("paint", "bolt.md2"), ("gone", "hand.md3"), ("known", "bolt.md2")]
    {
        writeln!(scenes, "[[scene]]\nname = \"{name}\"\nmodel = \"models/{model}\"").unwrap();
    }
    let place = Place::new(&scenes);
    place.run("bless scenes.toml --all", 0);
    place.repaint();
    let scenes = scenes.replace("hand.md3", "<b>&'.md3").replace("\"gone\"", "\"broken\"");
    let scenes = format!(
        "{scenes}known_failure = \"</script><b>bold</b>\"\n\
        [[scene]]\nname = \"fresh\"\nmodel = \"models/bolt.md3\"\n"
    );
    place.write("scenes.toml", &scenes);
    place.run("check scenes.toml", 1);
    place
}

/// What a person does, and what is seen then: JSON in the page's title.
const ACTIONS: &str = include_str!("actions.js");

#[test]
fn the_page_filters_sorts_and_compares_by_mouse_and_keyboard() {
    let place = report();
    let Some(browser) = Browser::new(place.0.path()) else { return };
    let page = place.read("report/index.html");
    let driven = place.path("driven.html");
    fs::write(&driven, page.replace("</body>", &format!("<script>{ACTIONS}</script></body>")))
        .unwrap();
    // On a busy machine the browser's time may be over before the page has done everything.
    let seen = (0..5).find_map(|_| {
        let dom = browser.dom(&driven, "");
        let title = dom.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0;
        let title = title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        serde_json::from_str::<Value>(&title).ok()
    });
    let seen = seen.expect("the title tells what was seen");
    let expected = serde_json::json!({
        "first": ["paint", "broken", "fresh"],
        "failed": ["paint"],
        "all": ["paint", "broken", "fresh", "known", "gone", "same"],
        "byName": ["broken", "fresh", "gone", "known", "paint", "same"],
        "byNameTurned": ["same", "paint", "known", "gone", "fresh", "broken"],
        "end": "gone",
        "up": "paint",
        "found": ["paint"],
        "sideBySide": ["expected", "difference", "actual"],
        "slide": ["inset(0px 70% 0px 0px)", "inset(0px 0px 0px 30%)"],
        "moved": "35",
        "blink": ["actual", "expected"],
        "heat": 1,
        "focus": "search",
        "injected": 0,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&seen[key], value, "{key}");
    }
    assert_eq!(seen["byPixels"][0], "paint");
    assert!(seen["command"].as_str().unwrap().starts_with("polyset render models/bolt.md2"));
    // The heat map counts what the command does.
    let report: Value = serde_json::from_str(&place.read("report/report.json")).unwrap();
    let scenes = report["scenes"].as_array().unwrap();
    let paint = scenes.iter().find(|scene| scene["name"] == "paint").unwrap();
    assert_eq!(seen["differing"].as_str().unwrap(), paint["differing"].to_string());
}

#[test]
fn the_page_is_light_and_dark() {
    let place = report();
    let Some(browser) = Browser::new(place.0.path()) else { return };
    let page = place.path("report/index.html");
    let dark = ["--blink-settings=preferredColorScheme=0"];
    for (more, is_dark) in [(&[][..], false), (&dark, true)] {
        let picture = browser.picture(&page, "show=all&scene=paint&mode=slider", more);
        let rgba = picture.to_rgba();
        let corner = &rgba[rgba.len() - 4..rgba.len() - 1];
        assert_eq!(corner.iter().all(|&level| level < 64), is_dark, "{corner:?}");
        // The robot is there, in the blue of his suit.
        let is_blue = |p: &&[u8]| p[2] > p[0].saturating_add(40) && p[1] > p[0].saturating_add(20);
        let blue = rgba.chunks(4).filter(is_blue).count();
        assert!(blue > 1000, "{blue} blue pixels");
    }
}

#[test]
fn two_thousand_scenes_are_shown_found_and_left_out_where_they_are_too_many() {
    let angles: Vec<String> = (0..2000).map(|angle| angle.to_string()).collect();
    let place = Place::new(&format!(
        "[[scene]]\nname = \"turn-{{camera_azimuth_angle}}\"\nmodel = \"models/hand.md3\"\nsize = 16\n\
         hashes = \"hashes.txt\"\n[scene.matrix]\ncamera_azimuth_angle = [{}]\n",
        angles.join(", ")
    ));
    let (said, _) = place.run("check scenes.toml", 1);
    assert!(said.ends_with("0 passed, 0 failed, 2000 new\n"));
    let Some(browser) = Browser::new(place.0.path()) else { return };
    let page = place.path("report/index.html");
    for (hash, rows) in [("show=all", 2000), ("show=new&search=turn-199", 11)] {
        let dom = browser.dom(&page, hash);
        assert_eq!(dom.matches("class=\"row\"").count(), rows, "{hash}");
    }
}
