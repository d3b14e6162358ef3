//! `polyset lint`: every code is found where it should be, and nowhere else.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "shared/archive.rs"]
mod archive;
#[path = "shared/md3.rs"]
mod md3;
#[path = "shared/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use polyset::Scene;
use polyset::lint::{CODES, document};
use serde_json::Value;

use program::{put, run, sample};

/// A small MDL of which nothing is to be said, unless a field is changed.
struct Mdl {
    size: [i32; 2],
    texels: Vec<(usize, u8)>,
    /// Texel coordinates of the vertices.
    st: Vec<[i32; 2]>,
    triangles: Vec<[i32; 3]>,
    normal: u8,
    frames: i32,
    /// Of one frame group in front of the frames.
    times: Vec<f32>,
}

impl Default for Mdl {
    fn default() -> Self {
        Self {
            size: [16, 16],
            texels: Vec::new(),
            st: vec![[0, 0], [15, 0], [0, 15], [15, 15]],
            triangles: vec![[0, 1, 2], [1, 3, 2]],
            normal: 5,
            frames: 1,
            times: Vec::new(),
        }
    }
}

impl Mdl {
    fn bytes(&self) -> Vec<u8> {
        let mut file = b"IDPO".to_vec();
        let ints = |file: &mut Vec<u8>, numbers: &[i32]| {
            file.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        };
        ints(&mut file, &[6]);
        let floats = [1.0_f32, 1.0, 1.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0];
        file.extend(floats.iter().flat_map(|x| x.to_le_bytes()));
        let groups = i32::from(!self.times.is_empty());
        let counts = [self.st.len() as i32, self.triangles.len() as i32, self.frames + groups];
        ints(&mut file, &[1, self.size[0], self.size[1], counts[0], counts[1], counts[2], 0, 0]);
        file.extend(1.0_f32.to_le_bytes());
        ints(&mut file, &[0]);
        let mut texels = vec![7; (self.size[0] * self.size[1]) as usize];
        self.texels.iter().for_each(|&(at, texel)| texels[at] = texel);
        file.extend(texels);
        self.st.iter().for_each(|st| ints(&mut file, &[0, st[0], st[1]]));
        for corners in &self.triangles {
            ints(&mut file, &[1, corners[0], corners[1], corners[2]]);
        }
        let frame = |file: &mut Vec<u8>| {
            file.extend([0, 0, 0, 0, 9, 9, 9, 0]);
            file.extend([0; 16]);
            for vertex in 0..self.st.len() as u8 {
                file.extend([vertex & 1, vertex >> 1 & 1, vertex >> 2, self.normal]);
            }
        };
        if groups > 0 {
            ints(&mut file, &[1, self.times.len() as i32]);
            file.extend([0, 0, 0, 0, 9, 9, 9, 0]);
            file.extend(self.times.iter().flat_map(|time| time.to_le_bytes()));
            self.times.iter().for_each(|_| frame(&mut file));
        }
        for _ in 0..self.frames {
            ints(&mut file, &[0]);
            frame(&mut file);
        }
        file
    }
}

/// An MD2 of the sample whose skin is called like this.
fn md2(skin: &str) -> Vec<u8> {
    let mut bytes = sample("bolt.md2");
    let at = i32::from_le_bytes(bytes[44..48].try_into().unwrap()) as usize;
    bytes[at..at + 64].fill(0);
    bytes[at..at + skin.len()].copy_from_slice(skin.as_bytes());
    bytes
}

fn with_int(mut bytes: Vec<u8>, at: usize, value: i32) -> Vec<u8> {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

/// The sample's mesh with other weights in the line of its first vertex or weight.
fn md5(from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(sample("bolt.md5mesh")).unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1).into_bytes()
}

/// The sample's PCX with another colour 37 in its palette.
fn other_palette() -> Vec<u8> {
    let mut bytes = sample("bolt.pcx");
    let colours = bytes.len() - 768;
    bytes[colours..].iter_mut().for_each(|channel| *channel ^= 1);
    bytes
}

type Files = Vec<(&'static str, Vec<u8>)>;

/// Files of which the first is looked at, and what is said of it.
fn cases() -> Vec<(Files, &'static [&'static str])> {
    let mdl = |mdl: Mdl| vec![("a.mdl", mdl.bytes())];
    let pcx = || ("models/bolt/bolt.pcx", sample("bolt.pcx"));
    let texture = |name: &str| md3::md3(&[name.to_owned()]);
    let tag = {
        let mut bytes = sample("bolt.md3");
        let at = i32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize + 64 + 12;
        // The forward axis of the first tag is twice as long.
        bytes[at..at + 12].copy_from_slice(&[2.0_f32, 0.0, 0.0].map(f32::to_le_bytes).concat());
        bytes
    };
    let two_tags = {
        let mut bytes = tag.clone();
        let at = i32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize + 112 + 64 + 12;
        bytes[at..at + 12].fill(0);
        bytes
    };
    let small = vec![[0, 0], [3, 0], [0, 3], [3, 3]];
    let bolt_md3 = |bytes| {
        vec![
            ("models/bolt/bolt.md3", bytes),
            ("models/bolt/bolt_paint.png", sample("bolt_paint.png")),
        ]
    };
    let bolt_md5 = |bytes| vec![("bolt.md5mesh", bytes), ("bolt.tga", sample("bolt.tga"))];
    let with_anim = |bytes| {
        let mut files = bolt_md5(sample("bolt.md5mesh"));
        files.push(("bolt_walk.md5anim", bytes));
        files
    };
    let anim = |from: &str, to: &str| {
        let text = String::from_utf8(sample("bolt_walk.md5anim")).unwrap();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let textures = |count: usize| (0..count).map(|_| "a.png".to_owned()).collect::<Vec<_>>();
    let png = || ("a.png", sample("bolt_paint.png"));
    let with_shader = |stages: &str| {
        vec![
            ("models/x.md3", texture("models/s")),
            ("models/x.png", sample("bolt_paint.png")),
            ("scripts/x.shader", format!("models/s\n{{ {stages} }}").into_bytes()),
        ]
    };
    vec![
        (mdl(Mdl::default()), &[]),
        (vec![("a.mdl", Mdl::default().bytes()[..90].to_vec())], &["unreadable"]),
        (vec![("a.md2", b"nothing".to_vec())], &["unreadable"]),
        (mdl(Mdl { st: vec![[0, 0], [15, 0], [0, 15], [15, 99]], ..Mdl::default() }), &["defect"]),
        (mdl(Mdl { size: [18, 16], ..Mdl::default() }), &["skin-size"]),
        (
            mdl(Mdl {
                size: [16, 484],
                st: vec![[0, 0], [15, 0], [0, 483], [15, 483]],
                ..Mdl::default()
            }),
            &["skin-size"],
        ),
        (mdl(Mdl { texels: vec![(40, 251)], ..Mdl::default() }), &["fullbright-texels"]),
        // A patch of four is meant.
        (
            mdl(Mdl { texels: vec![(40, 251), (41, 230), (56, 224), (57, 255)], ..Mdl::default() }),
            &[],
        ),
        (mdl(Mdl { st: small, ..Mdl::default() }), &["unused-texture-area"]),
        (mdl(Mdl { normal: 161, ..Mdl::default() }), &[]),
        (mdl(Mdl { normal: 162, ..Mdl::default() }), &["normal-out-of-range"]),
        (
            mdl(Mdl { triangles: vec![[0, 1, 2], [1, 3, 2], [1, 1, 3]], ..Mdl::default() }),
            &["degenerate-triangle"],
        ),
        (mdl(Mdl { triangles: vec![[0, 1, 2], [1, 3, 2], [2, 3, 1]], ..Mdl::default() }), &[]),
        (
            mdl(Mdl { triangles: vec![[0, 1, 2], [1, 3, 2], [3, 2, 1]], ..Mdl::default() }),
            &["duplicate-triangle"],
        ),
        (
            mdl(Mdl { st: vec![[0, 0], [15, 0], [0, 15], [15, 15], [1, 1]], ..Mdl::default() }),
            &["unused-vertex"],
        ),
        (mdl(Mdl { frames: 256, ..Mdl::default() }), &[]),
        (mdl(Mdl { frames: 257, ..Mdl::default() }), &["over-port-limit"]),
        (mdl(Mdl { times: vec![0.1, 0.2, 0.3], ..Mdl::default() }), &[]),
        (mdl(Mdl { times: vec![0.1, 0.2, 0.5], ..Mdl::default() }), &["uneven-group-times"]),
        (vec![("a.md3", md3::md3(&textures(32))), png()], &[]),
        (vec![("a.md3", md3::md3(&textures(33))), png()], &["over-limit"]),
        (vec![("models/bolt/tris.md2", sample("bolt.md2")), pcx()], &[]),
        (
            vec![("models/bolt/tris.md2", with_int(sample("bolt.md2"), 8, 160)), pcx()],
            &["skin-size-mismatch", "defect"],
        ),
        (vec![("models/bolt/tris.md2", md2("models/none/none.pcx"))], &["missing-texture"]),
        (
            vec![("models/bolt/tris.md2", md2("C:\\quake2\\models\\bolt\\bolt.pcx")), pcx()],
            &["author-path"],
        ),
        (
            vec![
                ("models/bolt/tris.md2", sample("bolt.md2")),
                ("models/bolt/bolt.pcx", other_palette()),
                ("pics/colormap.pcx", sample("bolt.pcx")),
            ],
            &["palette-stray"],
        ),
        (
            vec![
                ("players/bolt/tris.md2", md2("players/bolt/grunt.pcx")),
                ("players/bolt/grunt.pcx", sample("bolt.pcx")),
            ],
            &["missing-icon"],
        ),
        (
            vec![
                ("players/bolt/tris.md2", md2("players/bolt/grunt.pcx")),
                ("players/bolt/grunt.pcx", sample("bolt.pcx")),
                ("players/bolt/grunt_i.pcx", sample("bolt.pcx")),
            ],
            &[],
        ),
        (
            vec![("models/x.md3", texture("")), ("models/y.txt", Vec::new())],
            &["missing-texture", "defect"],
        ),
        (
            vec![
                ("models/x.md3", texture("textures/none.tga")),
                ("models/x.png", sample("bolt_paint.png")),
            ],
            &["guessed-texture"],
        ),
        (with_shader("{ map $whiteimage }"), &[]),
        (with_shader("{ map models/x.png }"), &[]),
        (with_shader("{ map models/none.tga }"), &["missing-texture"]),
        (
            with_shader("{ map models/x.png } { map models/none.tga blendfunc add }"),
            &["missing-texture"],
        ),
        (vec![("head.md3", texture("a.png")), png()], &["missing-skin-file"]),
        (
            vec![
                ("head.md3", texture("a.png")),
                png(),
                ("head_default.skin", b"surface0,a.png".to_vec()),
            ],
            &[],
        ),
        (bolt_md3(sample("bolt.md3")), &[]),
        (bolt_md3(tag), &["tag-axes"]),
        // Without a direction it is read as one that is right.
        (bolt_md3(two_tags), &["tag-axes", "defect"]),
        (bolt_md5(sample("bolt.md5mesh")), &[]),
        (with_anim(sample("bolt_walk.md5anim")), &[]),
        (with_anim(sample("bolt_walk.md5anim")[..900].to_vec()), &["unreadable"]),
        // It belongs to another mesh.
        (
            with_anim(
                anim("numJoints 19", "numJoints 18").replacen("\"lamp\"", "//", 1).into_bytes(),
            ),
            &[],
        ),
        (vec![("a.md5anim", sample("bolt_walk.md5anim"))], &[]),
        (vec![("a.md5anim", anim("frameRate 24", "frameRate 0").into_bytes())], &["defect"]),
        (vec![("a.md5anim", sample("bolt.md5mesh"))], &["unreadable"]),
        (bolt_md5(md5("weight 0 4 1 ", "weight 0 4 0.5 ")), &["weights-not-normalised"]),
        (
            bolt_md5(md5("vert 0 ( 0.1 0.012195 ) 0 1", "vert 0 ( 0.1 0.012195 ) 0 0")),
            &["weightless-vertex"],
        ),
        (
            bolt_md5(md5("vert 0 ( 0.1 0.012195 ) 0 1", "vert 0 ( 0.1 0.012195 ) 0 5")),
            &["weights-not-normalised", "many-weights"],
        ),
    ]
}

#[test]
fn every_code_is_found_and_nothing_else() {
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    for (number, (files, expected)) in cases().into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        // A root that is a game's by its name.
        let root = folder.path().join("base");
        files.iter().for_each(|(name, bytes)| put(&root.join(name), bytes));
        let found = Scene::new(root.join(files[0].0)).lint().unwrap();
        let mut codes: Vec<&str> = found.iter().map(|finding| finding.code).collect();
        codes.sort_unstable();
        codes.dedup();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        if codes != expected {
            wrong.push(format!("case {number}, {}: {found:?}", files[0].0));
        }
        seen.extend(codes);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let all: BTreeSet<&str> = CODES.iter().map(|code| code.name).collect();
    let missing: Vec<&&str> = all.difference(&seen).collect();
    assert!(missing.is_empty(), "no case finds {missing:?}");
}

/// `POLYSET_BLESS=1 cargo test --test lint` writes the page anew, and fails on purpose if it changed.
#[test]
fn the_page_of_codes_is_not_stale() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lint.md");
    let expected = document();
    let found = fs::read_to_string(&path).unwrap_or_default();
    if found != expected && std::env::var_os("POLYSET_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &expected).unwrap();
    }
    assert!(found == expected, "docs/lint.md is stale: POLYSET_BLESS=1 writes it anew");
}

#[test]
fn lists_of_the_command_line_win_over_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // A warning and a note.
    let mdl =
        Mdl { texels: vec![(40, 251)], st: vec![[0, 0], [3, 0], [0, 3], [3, 3]], ..Mdl::default() };
    put(&folder.join("a.mdl"), &mdl.bytes());
    let denied = |words: &str| {
        let (code, stdout, stderr) = run(folder, &format!("lint a.mdl {words} --json"));
        assert!(code < 2, "{stderr}");
        let report: Value = serde_json::from_str(&stdout).unwrap();
        let findings = report["models"][0]["findings"].as_array().unwrap();
        let denied = findings.iter().filter(|finding| finding["denied"] == true).count();
        assert_eq!((&report["polyset_lint"], &report["denied"]), (&1.into(), &denied.into()));
        assert_eq!(code, i32::from(denied > 0), "{words}");
        for key in findings.iter().flat_map(|finding| finding.as_object().unwrap().keys()) {
            assert!(document().contains(&format!("`{key}`")) || key == "mend", "{key}");
        }
        (findings.len(), denied)
    };
    assert_eq!(denied(""), (2, 0));
    assert_eq!(denied("--deny fullbright-texels"), (2, 1));
    assert_eq!(denied("--deny all"), (2, 2));
    assert_eq!(denied("--deny all --allow unused-texture-area"), (1, 1));
    assert_eq!(denied("--allow all --deny fullbright-texels"), (1, 1));
    let lists = "[lint]\ndeny = [\"fullbright-texels\"]\nallow = [\"unused-texture-area\"]\n[check]\nx = 1\n";
    put(&folder.join("polyset.toml"), lists.as_bytes());
    assert_eq!(denied(""), (1, 1));
    assert_eq!(denied("--allow fullbright-texels"), (0, 0));
    assert_eq!(denied("--deny unused-texture-area"), (2, 2));
    put(&folder.join("other.toml"), b"[lint]\ndeny = [\"all\"]\n");
    assert_eq!(denied("--config other.toml"), (2, 2));
    for (text, part) in [
        ("[lint]\ndeny = [\"nonsense\"]", "there is no code 'nonsense'"),
        ("[lint]\ndenny = []", "denny"),
        ("[lint\n", "line 1"),
        ("[lint]\ndeny = [\"defect\"]\nallow = [\"defect\"]", "denied and allowed"),
    ] {
        put(&folder.join("polyset.toml"), text.as_bytes());
        let (code, stdout, stderr) = run(folder, "lint a.mdl");
        assert_eq!((code, stdout.as_str()), (2, ""), "{text}");
        assert!(stderr.contains("polyset.toml") && stderr.contains(part), "{stderr}");
    }
}

#[test]
fn folders_archives_and_games_are_looked_through() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let glowing = Mdl { texels: vec![(40, 251)], ..Mdl::default() }.bytes();
    put(&folder.join("id1/progs/good.mdl"), &Mdl::default().bytes());
    put(&folder.join("id1/progs/broken.mdl"), b"IDPO");
    put(&folder.join("id1/pak0.pak"), &archive::pak(&[("progs/glow.mdl", glowing)]));
    let (code, stdout, stderr) = run(folder, "lint id1/progs");
    assert_eq!((code, stderr.as_str()), (1, ""), "{stdout}");
    assert!(
        stdout.starts_with("id1/progs/broken.mdl: error unreadable (denied): file: "),
        "{stdout}"
    );
    assert!(stdout.ends_with("2 models: 1 error, 0 warnings, 0 notes; 1 denied\n"), "{stdout}");
    let (code, stdout, _) = run(folder, "lint id1/pak0.pak");
    assert_eq!(code, 0);
    assert!(
        stdout.contains("1 stray texel glows; the first is at (8, 2), palette index 251"),
        "{stdout}"
    );
    assert!(stdout.contains("To mend it\n  fullbright-texels: Convert"), "{stdout}");
    // An archive is one by its name, too, or nobody could name what is in it.
    for name in ["id1/x.kpf", "id1/x.dat"] {
        fs::copy(folder.join("id1/pak0.pak"), folder.join(name)).unwrap();
    }
    for words in ["lint id1/x.kpf", "lint id1/x.kpf:progs/glow.mdl"] {
        let (code, stdout, _) = run(folder, words);
        assert!(code == 0 && stdout.contains("id1/x.kpf:progs/glow.mdl: warning "), "{stdout}");
    }
    let (code, stdout, _) = run(folder, "lint id1/x.dat");
    assert!(code == 1 && stdout.contains("this is a PAK archive; call it .pak"), "{stdout}");
    let (code, stdout, _) = run(folder, "lint --game . --allow unreadable");
    assert_eq!(code, 0);
    assert!(stdout.ends_with("3 models: 0 errors, 1 warning, 0 notes; 0 denied\n"), "{stdout}");
    // What is not there hides nothing of the others.
    for words in ["none.mdl id1/progs/broken.mdl", "id1/progs/broken.mdl none none.mdl"] {
        let (code, stdout, stderr) = run(folder, &format!("lint {words}"));
        assert_eq!(
            (code, stdout.lines().next().unwrap_or_default().contains("unreadable")),
            (2, true)
        );
        assert!(stderr.contains("polyset: cannot read 'none.mdl': "), "{stderr}");
    }
    for words in ["lint", "lint none.mdl", "lint id1/progs/good.mdl --deny nonsense", "lint none"] {
        let (code, stdout, stderr) = run(folder, words);
        assert_eq!((code, stdout.as_str()), (2, ""), "{words}");
        assert!(stderr.starts_with("polyset: "), "{words}: {stderr}");
    }
}

#[test]
fn damaged_models_are_looked_at_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    for name in ["bolt_holey.mdl", "bolt_shield.md2", "hand.md3"] {
        let bytes = sample(name);
        for at in (0..bytes.len()).step_by(bytes.len() / 61 + 1) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            for damaged in [damaged, bytes[..at].to_vec()] {
                fs::write(&path, damaged).unwrap();
                Scene::new(&path).lint().unwrap();
            }
        }
    }
}
