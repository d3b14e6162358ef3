//! Tests of what models wear: skins, `.skin` files, pictures that are given.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::skins::find_textures;
use super::*;
use crate::files::Files;
use crate::image::{Image, Pixels};
use crate::model::{Model, Skin, SkinSource, SurfaceParts};

/// A model of one-triangle surfaces with the given names and texture names.
fn model(format: Format, surfaces: &[(&str, &[&str])]) -> Model {
    let part = |(name, _): &(&str, &[&str])| SurfaceParts {
        name: (*name).into(),
        positions: vec![[0.0; 3]; 3],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        texcoords: vec![[0.0; 2]; 3],
        triangles: vec![[0, 1, 2]],
        texture: None,
    };
    let mut model = Model::from_parts(surfaces.iter().map(part).collect()).unwrap();
    model.format = format;
    for (surface, (_, shaders)) in model.surfaces.iter_mut().zip(surfaces) {
        surface.shaders = shaders.iter().map(|&shader| shader.into()).collect();
    }
    model
}

/// A folder with one-pixel pictures, told apart by their red, and text files.
fn folder(pictures: &[(&str, u8)], texts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, red) in pictures {
        let image = Image::from_rgba(1, 1, vec![*red, 0, 0, 255]).unwrap();
        image.save_png(folder.path().join(name)).unwrap();
    }
    for (name, text) in texts {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The reds of the surfaces.
fn reds(model: &Model) -> Vec<Option<u8>> {
    let red = |image: &Arc<Image>| image.to_rgba()[0];
    model.surfaces.iter().map(|surface| surface.texture.as_ref().map(red)).collect()
}

fn dress(model: &mut Model, path: &Path, skin: SkinChoice) -> Result<TextureReport, OpenError> {
    find(model, Some(path), &AssetOptions { skin, ..AssetOptions::default() })
}

fn find(
    model: &mut Model,
    path: Option<&Path>,
    options: &AssetOptions,
) -> Result<TextureReport, OpenError> {
    find_textures(model, &Files::default(), path.map(Location::on_disk).as_ref(), options)
}

#[test]
fn skin_files_dress_surfaces_and_the_default_one_is_taken_by_itself() {
    let folder = folder(
        &[("a.png", 1), ("b.png", 2), ("red.png", 3)],
        &[("head_default.skin", "h_head,a.tga\n"), ("head_red.skin", "H_HEAD,x/red\nh_eyes,red\n")],
    );
    let path = folder.path().join("head.md3");
    let mut model = model(Format::Md3, &[("h_head", &["none.tga"]), ("h_eyes", &["b"])]);
    let report = dress(&mut model, &path, SkinChoice::Default).unwrap();
    assert_eq!(reds(&model), [Some(1), Some(2)]);
    assert!(report.skin_file.as_ref().unwrap().path().ends_with("head_default.skin"));
    assert_eq!(report.textures[0].wanted, ["a.tga", "none.tga"]);
    assert_eq!(report.warnings, Vec::<String>::new());
    for choice in [Path::new("red"), &folder.path().join("head_red.skin")] {
        dress(&mut model, &path, SkinChoice::File(choice.into())).unwrap();
        assert_eq!(reds(&model), [Some(3), Some(3)]);
    }
    // A level of detail wears the skins of the model.
    dress(&mut model, &folder.path().join("head_2.md3"), SkinChoice::Default).unwrap();
    assert_eq!(reds(&model), [Some(1), Some(2)]);
    let (files, path) = (Files::default(), Location::on_disk(path));
    let names = skin_files(&model, &files, &path, &AssetOptions::default());
    let names: Vec<_> = names.iter().map(Location::file_name).collect();
    assert_eq!(names, ["head_default.skin", "head_red.skin"]);
}

#[test]
fn a_missing_texture_of_a_skin_file_is_told_though_the_model_names_another() {
    let folder = folder(&[("own.png", 1)], &[("head_default.skin", "h_head,x/gone.tga\n")]);
    let mut model = model(Format::Md3, &[("h_head", &["own.tga"])]);
    let path = folder.path().join("head.md3");
    let report = dress(&mut model, &path, SkinChoice::Default).unwrap();
    assert_eq!(
        (reds(&model), &report.textures[0].missing[..]),
        (vec![Some(1)], &["x/gone.tga".into()][..])
    );
    let own = folder.path().join("own.png");
    let expected =
        format!("surface 'h_head': texture 'x/gone.tga' not found; drawn with '{}'", own.display());
    assert_eq!(report.warnings, [expected]);
}

#[test]
fn a_foreign_skin_file_is_warned_of() {
    let folder = folder(&[], &[("x.skin", "u_torso,a.tga")]);
    let mut model = model(Format::Md3, &[("h_head", &[])]);
    let skin = SkinChoice::File(folder.path().join("x.skin").into());
    let report = dress(&mut model, &folder.path().join("head.md3"), skin).unwrap();
    let warnings = report.warnings.join("\n");
    assert!(
        warnings.contains("dresses 'u_torso'; this model's surfaces are 'h_head'"),
        "{warnings}"
    );
}

#[test]
fn numbers_choose_texture_names_and_have_an_end() {
    let folder = folder(&[("a.png", 1), ("b.png", 2), ("c.png", 3)], &[]);
    let path = folder.path().join("gun.md3");
    let mut model = model(Format::Md3, &[("body", &["a", "b"]), ("sight", &["c"])]);
    assert_eq!(skin_count(&model), 2);
    for (number, expected) in [(0, [Some(1), Some(3)]), (1, [Some(2), Some(3)])] {
        dress(&mut model, &path, SkinChoice::Number(number)).unwrap();
        assert_eq!(reds(&model), expected);
    }
    let error = dress(&mut model, &path, SkinChoice::Number(2)).unwrap_err();
    assert_eq!(error.to_string(), "there is no skin 2: the model has 2, counted from 0");
    let (files, path) = (Files::default(), Location::on_disk(path));
    let listed = list_skins(&model, &files, Some(&path), &AssetOptions::default());
    let listed: Vec<_> = listed.collect();
    let found = listed.iter().map(|e| (e.surface, e.wanted[0].as_str(), e.found.is_some()));
    let expected = [(0, "a", true), (0, "b", true), (1, "c", true)];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn files_given_for_all_or_for_one_surface_win_and_must_be_there() {
    let folder = folder(&[("a.png", 1), ("b.png", 2)], &[("broken.png", "no picture")]);
    let path = folder.path().join("gun.md3");
    let file = |name: &str| Location::on_disk(folder.path().join(name));
    let mut model = model(Format::Md3, &[("body", &["a"]), ("sight", &["a"])]);
    dress(&mut model, &path, SkinChoice::File(file("b.png"))).unwrap();
    assert_eq!(reds(&model), [Some(2), Some(2)]);
    let options = |surface: &str, name: &str| AssetOptions {
        surface_files: vec![(surface.into(), file(name))],
        ..AssetOptions::default()
    };
    let report = find(&mut model, Some(&path), &options("SIGHT", "b.png")).unwrap();
    assert_eq!(reds(&model), [Some(1), Some(2)]);
    let origins: Vec<_> = report.textures.iter().map(|entry| entry.origin).collect();
    assert_eq!(origins, [Some(Origin::Named), Some(Origin::Given)]);
    for (surface, name, part) in [
        ("barrel", "a.png", "there is no surface 'barrel'; this model has 'body', 'sight'"),
        ("body", "none.png", "none.png"),
        ("body", "broken.png", "none of these"),
    ] {
        let result = find(&mut model, Some(&path), &options(surface, name));
        let message = result.unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn missing_and_guessed_textures_are_told_once() {
    let folder = folder(&[("gun.png", 1)], &[("bad.tga", "no picture")]);
    let wanted: &[(&str, &[&str])] = &[("a", &["bad"]), ("b", &["x/none.tga"])];
    let mut gun = model(Format::Md3, wanted);
    let report = dress(&mut gun, &folder.path().join("gun.md3"), SkinChoice::Default).unwrap();
    assert_eq!(reds(&gun), [Some(1), Some(1)]);
    let warnings = report.warnings.join("\n");
    assert!(warnings.contains("bad.tga': TGA"), "{warnings}");
    let bad = Location::on_disk(folder.path().join("bad.tga"));
    let told = format!("surface 'a': texture 'bad' is '{bad}', which cannot be taken; drawn with");
    assert!(warnings.contains(&told), "{warnings}");
    assert_eq!(report.textures[0].refused, [bad]);
    assert!(
        warnings.contains("surface 'b': texture 'x/none.tga' not found; drawn with"),
        "{warnings}"
    );
    let mut axe = model(Format::Md3, &[("a", &["x/none.tga"]), ("c", &["gun", "y"])]);
    let report = find(&mut axe, None, &AssetOptions::default()).unwrap();
    assert_eq!(reds(&axe), [None, None]);
    assert_eq!(report.warnings.len(), 2);
    assert_eq!(report.textures[1].wanted[0], "gun");
    assert!(report.skin_file.is_none() && report.textures[0].origin.is_none());
}

#[test]
fn a_pcx_keeps_its_palette_on_a_quake2_model_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut pcx = vec![0; 128];
    pcx[..4].copy_from_slice(&[0x0a, 5, 1, 8]);
    pcx[65..67].copy_from_slice(&[1, 1]);
    pcx.push(3);
    pcx.extend([7; 768]);
    fs::write(folder.path().join("tris.pcx"), &pcx).unwrap();
    let mut quake2 = model(Format::Md2, &[("", &[])]);
    quake2.skins = vec![Skin { name: "players/a/tris.pcx".into(), source: SkinSource::File }];
    let report = dress(&mut quake2, &folder.path().join("a.md2"), SkinChoice::Number(0)).unwrap();
    assert_eq!(report.textures[0].origin, Some(Origin::Named));
    let image = quake2.surfaces[0].texture.clone().unwrap();
    assert!(matches!(image.pixels(), Pixels::Indexed { indices, .. } if indices == &[3]));
    assert_eq!(image.palette().unwrap().first_fullbright(), 255);
    let mut quake3 = model(Format::Md3, &[("", &["tris"])]);
    dress(&mut quake3, &folder.path().join("a.md3"), SkinChoice::Default).unwrap();
    let image = quake3.surfaces[0].texture.clone().unwrap();
    assert_eq!(image.pixels(), &Pixels::Rgba(vec![7, 7, 7, 255]));
}

#[test]
fn a_model_built_in_memory_keeps_its_pictures() {
    let mut parts = model(Format::Parts, &[("a", &[])]);
    parts.set_skin(0, Image::from_rgba(1, 1, vec![9, 0, 0, 255]).unwrap());
    let report = find(&mut parts, None, &AssetOptions::default()).unwrap();
    assert_eq!((reds(&parts), report.textures.len()), (vec![Some(9)], 0));
}

/// Puts a shader script beside the pictures of a folder.
fn add_script(folder: &tempfile::TempDir, text: &str) {
    let scripts = folder.path().join("scripts");
    fs::create_dir_all(&scripts).unwrap();
    fs::write(scripts.join("all.shader"), text).unwrap();
}

#[test]
fn scripts_name_the_pictures_of_their_stages() {
    let pictures = [("a.png", 1), ("b.png", 2), ("mirror.png", 3)];
    let folder = folder(&pictures, &[("bad.tga", "no picture")]);
    add_script(
        &folder,
        "x/skin {\n{\nmap mirror\ntcGen environment\n}\n{\nmap a.tga\nblendFunc blend\n}\n}\n\
         x/gone {\nsurfaceparm nodraw\n}\nx/empty {\ncull none\n}\nx/lost {\n{\nmap nowhere\n}\n\
         {\nmap elsewhere\nblendFunc add\n}\n\
         {\nmap bad\nblendFunc add\n}\n}\nb {\n{\nmap nowhere\nblendFunc add\n}\n}",
    );
    let surfaces: &[(&str, &[&str])] = &[
        ("skin", &["X\\Skin.tga"]),
        ("gone", &["x/gone"]),
        ("empty", &["x/empty"]),
        ("lost", &["x/lost"]),
        ("b", &["b"]),
        ("plain", &["a"]),
    ];
    let mut gun = model(Format::Md3, surfaces);
    let report = dress(&mut gun, &folder.path().join("gun.md3"), SkinChoice::Default).unwrap();
    // The mirror is not what the surface looks like.
    assert_eq!(reds(&gun), [Some(1), None, None, None, Some(2), Some(1)]);
    let stages = |surface: usize| {
        gun.surfaces[surface].material.as_ref().map(|material| material.stages.len())
    };
    assert_eq!([0, 1, 2, 3, 4, 5].map(stages), [Some(2), Some(0), Some(1), Some(1), None, None]);
    assert!(report.textures[1].hidden && gun.surfaces[1].material.as_ref().unwrap().hidden);
    let script = report.textures[0].script.clone().unwrap();
    assert_eq!((script.line, script.stages), (1, 2));
    assert!(report.textures[0].found.as_ref().unwrap().path().ends_with("a.png"));
    let warnings = report.warnings.join("\n");
    for part in [
        "surface 'empty': 'x/empty': texture 'x/empty' not found; drawn in grey",
        "surface 'lost': 'x/lost': texture 'nowhere' not found; drawn in grey",
        "surface 'lost': 'x/lost': texture 'elsewhere' not found; left out",
        "surface 'lost': 'x/lost': texture 'bad' cannot be taken; left out",
        "surface 'b': 'b': texture 'nowhere' not found; left out",
    ] {
        assert!(warnings.contains(part), "{part}: {warnings}");
    }
    let options = AssetOptions { reads_scripts: false, ..AssetOptions::default() };
    let report = find(&mut gun, Some(&folder.path().join("gun.md3")), &options).unwrap();
    assert!(gun.surfaces.iter().all(|surface| surface.material.is_none()));
    assert!(report.textures.iter().all(|entry| entry.script.is_none()));
}

#[test]
fn skin_files_hide_surfaces_and_dress_skeletons() {
    let text = "a,gfx/null\nmodels/imp,b\nc,nodraw.tga\n";
    let folder = folder(&[("a.png", 1), ("b.png", 2)], &[("imp_red.skin", text)]);
    fs::create_dir_all(folder.path().join("skins")).unwrap();
    let declared = "skin imp/dark { models/imp a }";
    fs::write(folder.path().join("skins/imp.skin"), declared).unwrap();
    let surfaces: &[(&str, &[&str])] = &[("a", &["a"]), ("body", &["models/imp"]), ("c", &["a"])];
    let mut imp = model(Format::Md5, surfaces);
    let path = folder.path().join("imp.md5mesh");
    let report = dress(&mut imp, &path, SkinChoice::File("red".into())).unwrap();
    assert_eq!(reds(&imp), [None, Some(2), None]);
    let hidden: Vec<bool> = report.textures.iter().map(|entry| entry.hidden).collect();
    assert_eq!((hidden, report.warnings.len()), (vec![true, false, true], 0));
    dress(&mut imp, &path, SkinChoice::File("imp/dark".into())).unwrap();
    assert_eq!(reds(&imp), [Some(1); 3]);
    assert!(imp.surfaces.iter().all(|surface| surface.material.is_none()));
}
