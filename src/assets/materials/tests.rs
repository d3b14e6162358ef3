//! Tests of the scripts' languages.

use super::*;
use crate::model::{
    AlphaGen, AlphaTest, ColorGen, DepthTest, Faces, Factor, Map, Stage, TcMod, Wave, WaveShape,
};

fn library(text: &str, language: Language) -> Library {
    let mut library = Library::default();
    let file = Location::on_disk(language.folder());
    library.add(ScriptFile { file, language, bytes: text.as_bytes().to_vec() });
    library
}

/// What a definition says, and its warnings without the file's name.
fn read(text: &str, language: Language, name: &str) -> (Material, Vec<String>) {
    let found = library(text, language).find(name).unwrap();
    let start = format!("'{}': ", found.file);
    let warnings = found.warnings.iter().map(|w| w.strip_prefix(&start).unwrap().to_owned());
    (found.material, warnings.collect())
}

/// The only stage of a shader with this body, which is odd in no way.
fn stage(body: &str) -> Stage {
    let (material, warnings) =
        read(&format!("x {{\n{{\nmap a\n{body}\n}}\n}}"), Language::Shader, "x");
    assert_eq!(warnings, Vec::<String>::new(), "{body}");
    assert_eq!(material.stages.len(), 1, "{body}");
    material.stages[0].clone()
}

#[test]
fn names_are_compared_without_case_slashes_and_extensions() {
    let text = "Models\\A.tga { } // next\nb.c/d\n{\n{ map x }\n}\n";
    let library = library(text, Language::Shader);
    for name in ["models/a", "MODELS/A.TGA", "/models\\a.jpg"] {
        assert_eq!(library.find(name).unwrap().line, 1, "{name}");
    }
    assert_eq!(library.find("b.c/d.png").unwrap().line, 2);
    assert!(library.find("b").is_none() && library.find("").is_none());
}

#[test]
fn the_first_definition_counts() {
    let text = "a { sort 7 }\nb { }\na { sort 8 }";
    let (material, warnings) = read(text, Language::Shader, "a");
    assert_eq!(material.sort, 7.0);
    assert_eq!(
        warnings,
        ["shader 'a' (line 1): it is defined again in 'scripts' (line 3); the first counts"]
    );
}

#[test]
fn stages_have_the_engines_defaults() {
    let plain = stage("");
    assert_eq!(plain, Stage { maps: vec![Map::named("a")], ..Stage::default() });
    assert_eq!(plain.color, ColorGen::Identity, "a scripted stage takes no light by itself");
    assert!(stage("clampmap b").clamp);
    assert_eq!(stage("map $whiteimage").maps, [Map::White]);
    assert_eq!(stage("map $LIGHTMAP").maps, [Map::White]);
    let moving = stage("animMap 2.5 a b c");
    assert_eq!(moving.maps, ["a", "b", "c"].map(Map::named));
    assert_eq!(moving.rate, 2.5);
}

#[test]
fn every_way_to_blend() {
    use Factor::{DstColor, One, OneMinusSrcAlpha, OneMinusSrcColor, SrcAlpha, Zero};
    for (text, blend) in [
        ("add", Some([One, One])),
        ("filter", Some([DstColor, Zero])),
        ("blend", Some([SrcAlpha, OneMinusSrcAlpha])),
        ("GL_ONE GL_ZERO", None),
        ("gl_zero GL_ONE_MINUS_SRC_COLOR", Some([Zero, OneMinusSrcColor])),
        ("GL_SRC_ALPHA GL_ONE", Some([SrcAlpha, One])),
    ] {
        let found = stage(&format!("blendFunc {text}"));
        assert_eq!(found.blend, blend, "{text}");
        assert_eq!(found.depth_write, blend.is_none(), "{text}");
        let depth_test = if blend.is_none() { DepthTest::Nearer } else { DepthTest::NotFarther };
        assert_eq!(found.depth_test, depth_test, "{text}");
    }
    assert!(stage("blendFunc add\ndepthWrite").depth_write);
    assert_eq!(stage("depthFunc equal").depth_test, DepthTest::Equal);
}

#[test]
fn alpha_functions_colours_and_coordinates() {
    for (text, test) in [
        ("GT0", AlphaTest::AtLeast(1)),
        ("LT128", AlphaTest::Below(128)),
        ("GE128", AlphaTest::AtLeast(128)),
    ] {
        assert_eq!(stage(&format!("alphaFunc {text}")).alpha_test, Some(test));
    }
    let wave = Wave {
        shape: WaveShape::InverseSawtooth,
        base: 0.5,
        amplitude: 0.25,
        phase: 0.0,
        frequency: 2.0,
    };
    for (text, color) in [
        ("identity", ColorGen::Identity),
        ("identityLighting", ColorGen::Identity),
        ("vertex", ColorGen::Identity),
        ("lightingDiffuse", ColorGen::Lighting),
        ("wave inverseSawtooth .5 .25 0 2", ColorGen::Wave(wave)),
        ("const ( 1 0.5 0 )", ColorGen::Const([1.0, 0.5, 0.0])),
        ("oneMinusEntity", ColorGen::Const([0.0; 3])),
    ] {
        assert_eq!(stage(&format!("rgbGen {text}")).color, color, "{text}");
    }
    assert_eq!(stage("alphaGen const 0.5").alpha, AlphaGen::Const(0.5));
    assert_eq!(stage("alphaGen wave inversesawtooth .5 .25 0 2").alpha, AlphaGen::Wave(wave));
    let sin = Wave { shape: WaveShape::Sin, ..wave };
    let all = stage(
        "tcGen environment\ntcMod scroll 1 -2\ntcMod scale 3 4\ntcMod rotate 90\n\
         tcMod stretch sin .5 .25 0 2\ntcMod turb .5 .25 0 2\ntcMod turb sin .5 .25 0 2\n\
         tcMod transform 1 2 3 4 5 6\ntcMod entityTranslate",
    );
    assert!(all.environment);
    assert_eq!(
        all.tc_mods,
        [
            TcMod::Scroll([1.0, -2.0]),
            TcMod::Scale([3.0, 4.0]),
            TcMod::Rotate(90.0),
            TcMod::Stretch(sin),
            TcMod::Turbulence(sin),
            TcMod::Turbulence(sin),
            TcMod::Transform([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ]
    );
}

#[test]
fn general_keywords() {
    let sort = |text: &str| read(&format!("x {{\n{text}\n}}"), Language::Shader, "x").0.sort;
    for (text, expected) in [
        ("", 3.0),
        ("polygonOffset", 4.0),
        ("polygonOffset\nsort additive", 10.0),
        ("sort 6.5", 6.5),
        ("portal", 1.0),
        ("{\nmap a\nblendfunc add\n}", 9.0),
        ("{\nmap a\nblendfunc add\ndepthwrite\n}", 5.0),
        ("{\nmap a\n}\n{\nmap a\nblendfunc add\n}", 3.0),
    ] {
        assert_eq!(sort(text), expected, "{text}");
    }
    for (text, faces) in [
        ("none", Faces::Both),
        ("twoSided", Faces::Both),
        ("backsided", Faces::Back),
        ("front", Faces::Front),
    ] {
        let (material, warnings) = read(&format!("x {{\ncull {text}\n}}"), Language::Shader, "x");
        assert_eq!((material.faces, warnings.len()), (faces, 0), "{text}");
    }
    assert!(read("x {\nsurfaceparm nodraw\n}", Language::Shader, "x").0.hidden);
    assert!(!read("x {\nsurfaceparm trans\n}", Language::Shader, "x").0.hidden);
}

#[test]
fn what_is_odd_is_told_with_its_line_and_the_rest_counts() {
    let text = "x\n{\nq3map_sun 1 2 3\nfrobnicate 1 { 2\n3 } 4\n{\nmap a\nrgbGen wave sin 1 2\n\
        alphaFunc GT9\nblendFunc GL_ONE GL_FOO\nalphaGen lightingSpecular\ntcMod wobble 3\nfoo 7\n}\n";
    let (material, warnings) = read(text, Language::Shader, "x");
    assert_eq!(
        warnings,
        [
            "shader 'x' (line 4): unknown word 'frobnicate'; left aside",
            "shader 'x' (line 8): rgbGen wave: a number is missing; taken as 0",
            "shader 'x' (line 8): rgbGen wave: a number is missing; taken as 0",
            "shader 'x' (line 9): alphaFunc: there is no 'gt9'; left aside",
            "shader 'x' (line 10): there is no blend factor 'gl_foo'; taken as GL_ONE",
            "shader 'x' (line 11): alphaGen lightingspecular is not drawn; alpha is taken as 1",
            "shader 'x' (line 12): tcMod: there is no 'wobble'; left aside",
            "shader 'x' (line 13): unknown word 'foo'; left aside",
            "shader 'x' (line 15): the file ends within it; what was read counts",
        ]
    );
    assert_eq!(material.stages.len(), 1);
    assert_eq!(material.stages[0].blend, Some([Factor::One; 2]));
    assert_eq!(material.stages[0].maps, [Map::named("a")]);
}

#[test]
fn numbers_of_things_have_an_end() {
    let many = "{\nmap a\n}\n".repeat(1000);
    let (material, warnings) = read(&format!("x {{\n{many}}}"), Language::Shader, "x");
    assert_eq!((material.stages.len(), warnings.len()), (16, 984));
    let text =
        format!("x {{\n{{\nanimMap 1{}\n{}}}\n}}", " a".repeat(99), "tcMod scale 1 1\n".repeat(99));
    let (material, _) = read(&text, Language::Shader, "x");
    assert_eq!((material.stages[0].maps.len(), material.stages[0].tc_mods.len()), (8, 16));
}

#[test]
fn materials_of_doom3() {
    let text = "table glow { { 0, 1 } }\nskin s { a b }\nmaterial models/imp { noselfshadow\n\
        diffusemap addnormals(models/imp_d.tga, heightmap(models/imp_h.tga, 5))\n\
        bumpmap models/imp_local\n\
        { blend add map models/imp_add rgb 0.5 scroll time * 0.25, 0 }\n\
        { if ( parm7 == 1 )\nblend gl_dst_color, gl_zero\nmap makealpha(models/mask)\nzeroclamp\n\
          rotate time * 0.5\n}\n}\n\
        cloth { twosided { blend diffusemap map textures/cloth alphaTest 0.5 } }\n\
        glass { translucent diffusemap glass }\nclip { nonsolid noshadows }\nbump { bumpmap x }";
    let library = library(text, Language::Material);
    assert!(library.find("glow").is_none() && library.find("s").is_none());
    let imp = library.find("models/imp").unwrap();
    // Words end at a comma, too.
    let tight = self::library(&text.replace(", ", ","), Language::Material);
    assert_eq!(tight.find("models/imp").unwrap().material, imp.material);
    assert_eq!(tight.find("models/imp").unwrap().warnings, imp.warnings);
    let [base, glow, mask] = &imp.material.stages[..] else { panic!("three stages") };
    assert_eq!(base.maps, [Map::named("models/imp_d.tga")]);
    assert_eq!((base.color, base.blend), (ColorGen::Lighting, None));
    assert_eq!(glow.maps, [Map::named("models/imp_add")]);
    assert_eq!(glow.color, ColorGen::Const([0.5; 3]));
    assert_eq!((glow.blend, glow.depth_write), (Some([Factor::One; 2]), false));
    assert_eq!(glow.tc_mods, [TcMod::Scroll([0.25, 0.0])]);
    assert_eq!(mask.maps, [Map::named("models/mask")]);
    assert_eq!((mask.blend, mask.clamp), (Some([Factor::DstColor, Factor::Zero]), true));
    assert_eq!(mask.tc_mods, [TcMod::Rotate(-180.0)]);
    assert_eq!(imp.warnings.len(), 1, "{:?}", imp.warnings);
    assert!(imp.warnings[0].contains("(line 7): if: the condition is not computed"));
    let cloth = library.find("cloth").unwrap().material;
    assert_eq!(cloth.faces, Faces::Both);
    assert_eq!(cloth.stages[0].alpha_test, Some(AlphaTest::AtLeast(128)));
    assert_eq!(cloth.stages[0].color, ColorGen::Lighting);
    let glass = library.find("glass").unwrap().material;
    assert_eq!((glass.sort, glass.stages[0].blend), (9.0, Some([Factor::One; 2])));
    assert!(library.find("clip").unwrap().material.hidden, "nothing of it can be seen");
    let bump = library.find("bump").unwrap().material;
    assert_eq!(bump.stages[0].maps, [Map::named("bump")]);
}

#[test]
fn a_material_turns_pictures_once_and_for_ever() {
    for (body, expected) in [
        ("rotate 0.25", vec![TcMod::Transform([0.0, 1.0, -1.0, 0.0, 1.0, 0.0])]),
        ("rotate -0.75", vec![TcMod::Transform([0.0, 1.0, -1.0, 0.0, 1.0, 0.0])]),
        ("rotate time * 0.5", vec![TcMod::Rotate(-180.0)]),
        ("rotate 0", vec![]),
    ] {
        let text = format!("x {{\n{{\nmap a\n{body}\n}}\n}}");
        let (material, warnings) = read(&text, Language::Material, "x");
        assert_eq!(warnings, Vec::<String>::new(), "{body}");
        let found = &material.stages[0].tc_mods;
        let rounded = found.iter().map(|tc_mod| match tc_mod {
            TcMod::Transform(matrix) => {
                // Without the sign of a zero.
                TcMod::Transform(matrix.map(|number| (number * 1e6).round() / 1e6 + 0.0))
            }
            other => *other,
        });
        assert_eq!(rounded.collect::<Vec<_>>(), expected, "{body}");
    }
}

#[test]
fn of_a_material_time_moves_pictures_alone() {
    for (body, color, warning) in [
        ("rgb 0.5", ColorGen::Const([0.5; 3]), None),
        (
            "rgb time * 0.5",
            ColorGen::Identity,
            Some("rgb: 'time' is not computed here; taken as 1"),
        ),
        (
            "color 0.5, time, 1, 1",
            ColorGen::Const([0.5, 1.0, 1.0]),
            Some("color: 'time' is not computed here; taken as 1"),
        ),
        (
            "scale 2, time",
            ColorGen::Identity,
            Some("scale: 'time' is not computed here; taken as 1"),
        ),
        ("blend diffusemap rgb 1", ColorGen::Lighting, None),
        (
            "blend diffusemap rgb 0.5",
            ColorGen::Lighting,
            Some("the colour of a diffuse stage is not drawn; taken as 1"),
        ),
    ] {
        let text = format!("x {{\n{{\nmap a\n{body}\n}}\n}}");
        let (material, warnings) = read(&text, Language::Material, "x");
        assert_eq!(material.stages[0].color, color, "{body}");
        let expected = warning.map(|warning| format!("material 'x' (line 4): {warning}"));
        assert_eq!(warnings, Vec::from_iter(expected), "{body}");
    }
}
