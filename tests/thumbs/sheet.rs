//! Contact sheets, and the page that a browser shows.

use std::fs;

use polyset::Image;

use super::browser::Browser;
use super::place::Place;

#[test]
fn a_sheet_shows_every_picture_in_its_cell() {
    let place = Place::with_models(7);
    fs::write(place.path("in/0/broken.md2"), b"IDP2").unwrap();
    let said = place.says("sheet -r in -o sheet.png -s 64 --columns 4 --no-labels", 1);
    assert!(said.contains("7 drawn") && said.contains("1 failed"), "{said}");
    let sheet = Image::open(place.path("sheet.png")).unwrap();
    assert_eq!([sheet.width(), sheet.height()], [4 * 72 + 8, 2 * 72 + 8]);
    place.says("thumbs in/0/0_bolt.md2 -o out -s 64", 0);
    let thumb = Image::open(place.path("out/0_bolt.md2.png")).unwrap().to_rgba();
    let (sheet, background) = (sheet.to_rgba(), [0x20, 0x20, 0x24, 255]);
    let mut solid = 0;
    for (number, texel) in thumb.chunks(4).enumerate() {
        let (x, y) = (8 + number % 64, 8 + number / 64);
        let start = (y * (4 * 72 + 8) + x) * 4;
        let pixel = &sheet[start..start + 4];
        match texel[3] {
            255 => assert_eq!(pixel, texel, "({x}, {y})"),
            0 => assert_eq!(pixel, background, "({x}, {y})"),
            _ => {}
        }
        solid += u32::from(texel[3] == 255);
    }
    assert!(solid > 500, "{solid}");
    // The broken model comes last in its folder's order of names.
    let red = sheet.chunks(4).filter(|pixel| **pixel == [0xe0, 0x50, 0x40, 255]).count();
    assert!(red > 60, "{red}");
    let plain = fs::read(place.path("sheet.png")).unwrap();
    place.says("sheet -r in -o sheet.png -s 64 --columns 4 --no-labels --threads 1", 1);
    assert!(fs::read(place.path("sheet.png")).unwrap() == plain, "it depends on the threads");
}

#[test]
fn words_and_colours_of_a_sheet() {
    let place = Place::new();
    place.copy("bolt.mdl", "bolt.mdl");
    let size = |name: &str| {
        let image = Image::open(place.path(name)).unwrap();
        [image.width(), image.height()]
    };
    place.says("sheet bolt.mdl -o a.png -s 64 --no-labels", 0);
    place.says("sheet bolt.mdl -o b.png -s 64 --title Robots --background-color white", 0);
    place.says("sheet bolt.mdl -o c.png -s 64 --clips all --frames 3 --skins all --columns 5", 0);
    assert_eq!(size("a.png"), [80, 80]);
    assert_eq!(size("b.png"), [80, 80 + 12 + 32]);
    // Two skins of four clips with three frames and one with a single one.
    assert_eq!(size("c.png"), [5 * 72 + 8, 6 * 84 + 8]);
    let white = Image::open(place.path("b.png")).unwrap().to_rgba();
    assert_eq!(white[..4], [255; 4]);
    let ink = white.chunks(4).filter(|pixel| **pixel == [0x20, 0x20, 0x24, 255]).count();
    assert!(ink > 100, "{ink} pixels of letters");
    for (words, why) in [
        ("sheet bolt.mdl", "give --output FILE or --html DIR"),
        ("sheet bolt.mdl -o x.png --size 2048 --frames all --columns 1", "give a smaller --size"),
        ("sheet bolt.mdl -o bolt.mdl", "'bolt.mdl', which was read"),
        ("sheet bolt.mdl -o paint.png", "was not drawn by polyset"),
        ("sheet -o x.png", "nothing to draw"),
    ] {
        place.copy("bolt_paint.png", "paint.png");
        let said = place.says(words, 2);
        assert!(said.contains(why), "{words}: {said}");
    }
    assert!(!place.path("x.png").exists());
    // No sheet is worn as a texture.
    fs::remove_file(place.path("paint.png")).unwrap();
    place.copy("bolt.md3", "bolt.md3");
    place.says("sheet bolt.mdl -o bolt.png -s 64", 0);
    let before = place.says("thumbs bolt.md3 -o out -s 64", 0);
    let lines = place.lines("out/manifest.jsonl");
    assert!(lines[0]["textures"][0]["file"].is_null(), "{before} {}", lines[0]);
}

#[test]
fn a_page_shows_and_searches_a_folder_of_thumbnails() {
    let place = Place::with_models(21);
    fs::write(place.path("in/0/bro<b>ken & 'x'.md2"), b"IDP2").unwrap();
    place.copy("bolt.mdl", "in/1/ä #1%?.mdl");
    let said = place.says("sheet -r in --html page --title <Robots> -s 64", 1);
    assert!(said.contains("22 drawn") && said.contains("1 failed"), "{said}");
    let first = fs::read_to_string(place.path("page/index.html")).unwrap();
    for elsewhere in ["http:", "https:", "src=\"/", "<link", "@import"] {
        assert!(!first.contains(elsewhere), "the page needs {elsewhere}");
    }
    let said = place.says("sheet -r in --html page --title <Robots> -s 64", 1);
    assert!(said.contains("0 drawn") && said.contains("22 there already"), "{said}");
    assert!(fs::read_to_string(place.path("page/index.html")).unwrap() == first, "it has changed");
    fs::write(place.path("page/index.html"), "<html>mine").unwrap();
    let said = place.says("sheet -r in --html page", 2);
    assert!(said.contains("is no page of polyset"), "{said}");
    fs::write(place.path("page/index.html"), &first).unwrap();
    let Some(browser) = Browser::new(place.0.path()) else { return };
    let page = place.path("page/index.html");
    let dom = |search: &str| browser.dom(&page, search);
    for (search, cards, count) in [
        ("", 23, "23 of 23"),
        ("md5mesh", 3, "3 of 23"),
        ("bolt mdl 1/", 2, "2 of 23"),
        ("nothing like it", 0, "0 of 23"),
    ] {
        let dom = dom(search);
        assert_eq!(dom.matches("class=\"card\"").count(), cards, "{search}");
        assert!(dom.contains(count), "{search}: no {count}");
    }
    let all = dom("");
    assert!(
        all.contains("bro&lt;b&gt;ken &amp; 'x'.md2") && !all.contains("<b>"),
        "names are texts"
    );
    assert!(all.contains("src=\"1/%C3%A4%20%231%25_.mdl.png\""), "addresses are escaped");
    // The robots are there: hundreds of pixels in the blue of their hands.
    let shot = browser.picture(&page, "", &[]).to_rgba();
    let is_blue = |p: &[u8]| p[2] > p[0].saturating_add(25) && p[2] > p[1].saturating_add(25);
    let blue = shot.chunks(4).filter(|pixel| is_blue(pixel)).count();
    assert!(blue > 300, "{blue} blue pixels");
}
