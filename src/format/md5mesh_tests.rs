//! md5mesh files: every field, everything that can be wrong.

use super::md5mesh::load;
use crate::model::{Geometry, Joint, Model, Skeleton};

const GOOD: &str = "MD5Version 10\r
commandline \"a \"quoted\" thing\"\r
numJoints 2\r
numMeshes 1\r
joints {\r
\t\"root\" -1 ( 0 0 0 ) ( 0 0 0 ) // comment\r
\tspine.1 0 (1 2 3)(0 0 -.70710678)\r
}\r
mesh {\r
\tname \"body\"\r
\tshader \"models/body\"\r
\tflags 4 { nested }\r
\tnumverts 3\r
\tvert 0 ( 0 1 ) 0 1\r
\tvert 1 ( .5 -1e-1 ) 1 2\r
\tvert 2 ( 2 0 ) 2 1\r
\tnumtris 1\r
\ttri 0 0 1 2\r
\tnumweights 3\r
\tweight 0 0 1 ( 0 0 0 )\r
\tweight 1 0 .25 ( 4 0 0 )\r
\tweight 2 1 .75 ( 1 0 0 )\r
}";

fn skeleton(model: &Model) -> &Skeleton {
    match &model.geometry {
        Geometry::Skeleton(skeleton) => skeleton,
        other => panic!("not a skeleton: {other:?}"),
    }
}

#[test]
fn reads_every_field() {
    let model = load(GOOD.as_bytes()).unwrap();
    let messages: Vec<_> = model.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        ["mesh 0 (line 16): the weights of vertex 2 add up to 0.75, not to 1; used as they are"]
    );
    assert_eq!(model.surfaces.len(), 1);
    let surface = &model.surfaces[0];
    assert_eq!((surface.name(), surface.shaders()), ("body", &["models/body".to_owned()][..]));
    assert_eq!(surface.texcoords(), [[0.0, 1.0], [0.5, -0.1], [2.0, 0.0]]);
    assert_eq!(surface.triangles(), [[0, 1, 2]]);
    let skeleton = skeleton(&model);
    assert_eq!(skeleton.joints[1].name, "spine.1");
    assert_eq!(skeleton.joints[1].parent, Some(0));
    assert_eq!(skeleton.order, [0, 1]);
    assert_eq!(skeleton.surfaces[0].vertices, [(0, 1), (1, 2), (2, 1)]);
    assert_eq!(skeleton.surfaces[0].weld, [0, 1, 2]);
    assert_eq!(model.frame_count(), 1);
    // The second joint turns X to Y: .25 * (4, 0, 0) + .75 * (1, 2 + 1, 3).
    let joints: Vec<_> = skeleton.joints.iter().map(Joint::frame).collect();
    let position = skeleton.surfaces[0].position(1, &joints);
    assert!((position - glam::Vec3::new(1.75, 2.25, 2.25)).length() < 1e-6, "{position}");
}

/// Changes of the good file that must be refused: what is replaced, by what, what the message says.
#[test]
fn refuses_what_cannot_be_drawn() {
    let cases = [
        ("MD5Version 10", "MD5Version 11", "header (line 1): MD5Version 11"),
        ("MD5Version", "MD4Version", "expected 'MD5Version 10'"),
        ("joints {", "bones {", "joints (line 9): expected the block 'joints'"),
        ("numJoints 2", "numJoints -2", "numJoints (line 3): a count cannot be -2"),
        ("spine.1 0", "spine.1 7", "joint 1 'spine.1' has parent 7, the last is 1"),
        ("spine.1 0", "spine.1 1", "joint 1 'spine.1' run in a circle"),
        ("vert 2 (", "vert 4294967295 (", "mesh 0 (line 16): number 4294967295 is outside"),
        ("tri 0 0", "tri 1 0", "mesh 0 (line 18): number 1 is outside the declared count 1"),
        ("weight 2 1", "weight -1 1", "mesh 0 (line 22): number -1"),
        ("weight 2 1", "weight 2 2", "mesh 0 (line 22): the weight's joint"),
        ("( 2 0 ) 2 1", "( 2 0 ) 2 2", "the vertex has 2 weights from number 2, the mesh has 3"),
        ("( 2 0 ) 2 1", "( 2 0 ) -1 1", "mesh 0 (line 16)"),
        ("( 2 0 ) 2 1", "( 2 x ) 2 1", "mesh 0 (line 16): expected a number, found 'x'"),
        ("( 2 0 ) 2 1", "( 2 0 2 1", "mesh 0 (line 16): expected ')', found '2'"),
        ("( 1 0 0 )\r\n}", "( 1 0 0 )\r\n", "mesh 0 (line 23): truncated: expected '}'"),
    ];
    for (from, to, message) in cases {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        let error = load(text.as_bytes()).expect_err(to).to_string();
        assert!(error.contains(message), "{to}: {error}");
    }
}

#[test]
fn names_what_other_files_are() {
    for (text, message) in [
        ("MD5Version 10 numFrames 1 hierarchy { \"a\" -1 0 0 }", "this is an md5anim"),
        ("MD5Version 10\nnumCuts 1\ncuts {\n8\n}\ncamera {\n}", "this is an md5camera"),
        ("MD5Version 10", "expected a block 'joints'"),
        ("", "expected 'MD5Version 10'"),
    ] {
        let error = load(text.as_bytes()).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

/// Changes of the good file that give one more warning.
#[test]
fn warns_of_what_can_be_drawn() {
    let cases = [
        ("numJoints 2", "numJoints 2000000000", "numJoints (file): 2000000000 declared, 2"),
        ("numMeshes 1", "numMeshes 0", "numMeshes (file): 0 declared, 1 present"),
        ("numverts 3", "numverts 4", "mesh 0, numverts (file): 4 declared, 3 present"),
        ("vert 2 (", "vert 1 (", "mesh 0 (line 16): statement 1 stands at place 2; the order"),
        (
            "tri 0 0 1 2",
            "tri 0 0 1 2 tri 0 0 1 -1",
            "mesh 0 (line 18): triangle 1 names vertices [0, 1, -1] of 3; dropped",
        ),
        ("( .5 -1e-1 )", "( .5 nan )", "numbers (line 15): 1 values"),
        ("0 1\r", "0 0\r", "mesh 0 (line 14): vertex 0 has no weight; it lies at the origin"),
        (
            "}\r\nmesh",
            "}\r\nmesh { }\r\nmesh",
            "meshes (line 9): mesh 0 has 0 vertices and 0 triangles; skipped",
        ),
        ("}\r\nmesh", "}\r\njoints { }\r\nmesh", "file (line 9): a second model"),
    ];
    for (from, to, message) in cases {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        let model = load(text.as_bytes()).expect(to);
        let warnings: Vec<_> = model.warnings().iter().map(ToString::to_string).collect();
        assert!(warnings.iter().any(|w| w.contains(message)), "{to}: {warnings:?}");
    }
}

#[test]
fn a_doubled_file_is_read_once() {
    let model = load([GOOD, GOOD].join("\n").as_bytes()).unwrap();
    assert_eq!(model.surfaces.len(), 1);
    assert!(model.warnings()[1].message.contains("second model"), "{:?}", model.warnings());
}

#[test]
fn children_before_their_parents_are_evaluated_after_them() {
    let joint = |parent: i32| format!("\"j\" {parent} ( 0 0 0 ) ( 0 0 0 )\n");
    let file = |parents: &[i32]| {
        let joints: String = parents.iter().map(|&parent| joint(parent)).collect();
        load(format!("MD5Version 10\njoints {{\n{joints}}}").as_bytes())
    };
    let model = file(&[2, 0, -1, -1, 1]).unwrap();
    let order = &skeleton(&model).order;
    assert_eq!(order, &[2, 3, 0, 1, 4]);
    assert_eq!(model.warnings().len(), 1);
    let roots = file(&[-1, 0, -1, 2]).unwrap();
    assert!(roots.warnings().is_empty());
    let error = file(&[-1, 2, 1]).unwrap_err().to_string();
    assert!(error.contains("joint 1 'j' run in a circle"), "{error}");
}

#[test]
fn weights_may_not_be_shared_without_end() {
    let vertices = "vert 0 ( 0 0 ) 0 500 ".repeat(500);
    let weights = "weight 0 0 .002 ( 0 0 0 ) ".repeat(500);
    let text = format!(
        "MD5Version 10 joints {{ \"j\" -1 ( 0 0 0 ) ( 0 0 0 ) }} \
         mesh {{ {vertices} tri 0 0 1 2 {weights} }}"
    );
    let error = load(text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("more than 64 for every vertex"), "{error}");
}
