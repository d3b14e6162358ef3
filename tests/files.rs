//! Where files come from, as a user meets it: archives, games, and what a picture must not depend on.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "shared/archive.rs"]
mod archive;
#[path = "shared/md3.rs"]
mod md3;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use archive::pak;
use assert_cmd::Command;
use md3::md3;
use serde_json::Value;
use tempfile::TempDir;

fn sample(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)).unwrap()
}

/// A folder of a game or of its models.
struct Place {
    folder: TempDir,
    root: PathBuf,
}

/// What a run said.
struct Said {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Place {
    /// With these samples under other names.
    fn new(samples: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let place = Self { folder, root };
        for (name, source) in samples {
            place.write(name, &sample(source));
        }
        place
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A PAK of samples.
    fn pak(&self, name: &str, members: &[(&str, &str)]) {
        let members: Vec<(&str, Vec<u8>)> =
            members.iter().map(|(member, source)| (*member, sample(source))).collect();
        self.write(name, &pak(&members));
    }

    /// A zip of samples, deflated.
    fn pk3(&self, name: &str, members: &[(&str, &str)]) {
        let mut bytes = Vec::new();
        let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
        for (member, source) in members {
            let file = archive.new_file(*member);
            let (mut entry, config) =
                file.compression_method(rawzip::CompressionMethod::DEFLATE).start().unwrap();
            let level = flate2::Compression::default();
            let mut writer = config.wrap(flate2::write::DeflateEncoder::new(&mut entry, level));
            writer.write_all(&sample(source)).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        self.write(name, &bytes);
    }

    /// Runs the command in the folder; words are separated by blanks.
    fn run(&self, arguments: &str) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
        command.current_dir(self.folder.path()).args(arguments.split_whitespace());
        let output = command.output().unwrap();
        Said {
            code: output.status.code().expect("the command was not killed"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The hash of a small picture, which needs no warning.
    fn hash(&self, arguments: &str) -> String {
        let said = self.run(&format!("render {arguments} --hash -s 64"));
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{arguments}");
        said.stdout
    }

    fn info(&self, arguments: &str) -> Value {
        let said = self.run(&format!("info --json {arguments}"));
        assert_eq!(said.code, 0, "{}", said.stderr);
        serde_json::from_str(&said.stdout).unwrap()
    }

    /// A path below the folder as the command shows it.
    fn shown(&self, name: &str) -> String {
        self.root.join(name).display().to_string()
    }
}

#[test]
fn members_of_archives_are_files_wherever_a_file_is_named() {
    let place = Place::new(&[
        ("loose/bolt.md2", "bolt.md2"),
        ("loose/bolt.pcx", "bolt.pcx"),
        ("loose/bolt.md5mesh", "bolt.md5mesh"),
        ("loose/walk.md5anim", "bolt_walk.md5anim"),
        ("loose/bolt.tga", "bolt.tga"),
        ("loose/paint.png", "bolt_paint.png"),
    ]);
    let members = [
        ("models/bolt/bolt.md2", "bolt.md2"),
        ("models/bolt/bolt.pcx", "bolt.pcx"),
        ("md5/Bolt.md5mesh", "bolt.md5mesh"),
        ("md5/walk.md5anim", "bolt_walk.md5anim"),
        ("md5/bolt.tga", "bolt.tga"),
        ("skins/paint.png", "bolt_paint.png"),
    ];
    place.pak("a.pak", &members);
    place.pk3("b.pk3", &members);
    for archive in ["a.pak", "b.pk3"] {
        for (loose, packed) in [
            ("loose/bolt.md2", "AR:models/bolt/bolt.md2"),
            ("loose/bolt.md2", "AR:MODELS\\bolt/Bolt.MD2"),
            (
                "loose/bolt.md2 --skin loose/paint.png",
                "AR:models/bolt/bolt.md2 --skin AR:skins/paint.png",
            ),
            (
                "loose/bolt.md2 --palette loose/bolt.pcx",
                "AR:models/bolt/bolt.md2 --palette AR:models/bolt/bolt.pcx",
            ),
            (
                "loose/bolt.md5mesh --anim loose/walk.md5anim",
                "AR:md5/bolt.md5mesh --anim AR:md5/walk.md5anim",
            ),
            (
                "loose/bolt.md5mesh --animation walk --frame 3",
                "AR:md5/bolt.md5mesh --animation walk --frame 3",
            ),
        ] {
            let packed = packed.replace("AR", archive);
            assert_eq!(place.hash(loose), place.hash(&packed), "{packed}");
        }
        // A folder or an archive in which names are looked up first.
        fs::copy(place.root.join("loose/bolt.md2"), place.root.join("lonely.md2")).unwrap();
        for root in ["loose".to_owned(), archive.to_owned(), format!("{archive}:models/bolt")] {
            let found = place.hash(&format!("lonely.md2 --texture-root {root}"));
            assert_eq!(found, place.hash("loose/bolt.md2"), "{root}");
        }
    }
}

#[test]
fn a_member_that_its_archive_spoils_does_not_hide_the_others() {
    let place = Place::new(&[]);
    place.pk3("a.pk3", &[("a.mdl", "bolt.mdl"), ("b.mdl", "bolt.mdl")]);
    let mut bytes = fs::read(place.root.join("a.pk3")).unwrap();
    bytes[5000] ^= 1;
    place.write("a.pk3", &bytes);
    let said = place.run("lint a.pk3");
    assert_eq!((said.code, said.stderr.as_str()), (1, ""), "{}", said.stdout);
    let first = "a.pk3:a.mdl: error unreadable (denied): file: cannot read 'a.pk3:a.mdl': ";
    assert!(said.stdout.starts_with(first), "{}", said.stdout);
    assert!(said.stdout.contains("2 models: 1 error, "), "{}", said.stdout);
    let said = place.run("lint a.pk3 --allow unreadable --json");
    assert_eq!(said.code, 0, "{}", said.stdout);
    serde_json::from_str::<Value>(&said.stdout).unwrap();
}

#[test]
fn archives_list_their_models() {
    let place = Place::new(&[]);
    place.pak(
        "pak0.pak",
        &[("progs/b.mdl", "bolt.mdl"), ("progs/a.mdl", "bolt.mdl"), ("x.pcx", "bolt.pcx")],
    );
    let listed = place.info("pak0.pak");
    assert_eq!(
        listed["models"],
        serde_json::json!(["pak0.pak:progs/a.mdl", "pak0.pak:progs/b.mdl"])
    );
    let text = place.run("info pak0.pak:progs").stdout;
    assert_eq!(text, "pak0.pak:progs: 2 models\n  pak0.pak:progs/a.mdl\n  pak0.pak:progs/b.mdl\n");
    for (arguments, pieces) in [
        (
            "render pak0.pak o.png",
            &["'pak0.pak' is an archive with 2 models, such as 'pak0.pak:progs/a.mdl'"][..],
        ),
        ("render . o.png", &["'.' is a folder without models"]),
        (
            "render pak0.pak:none.mdl o.png",
            &["cannot read 'pak0.pak:none.mdl': the archive has no such member"],
        ),
        ("render pak0.pak:x.pcx o.png", &["'pak0.pak:x.pcx'", "polyset reads .mdl"]),
        ("render pak1.pak:a.mdl o.png", &["cannot read 'pak1.pak:a.mdl': No such file"]),
        ("render pak0.pak:progs/a.mdl pak0.pak", &["pak0.pak', which was read"]),
        ("render pak0.pak:progs/a.mdl o.png --mod x", &["--mod needs --game"]),
    ] {
        let said = place.run(arguments);
        assert_eq!(said.code, 2, "{arguments}");
        for piece in pieces {
            assert!(said.stderr.contains(piece), "{arguments}: {}", said.stderr);
        }
    }
}

#[test]
fn a_game_has_its_engines_order_for_models_and_for_each_texture() {
    let place = Place::new(&[("q3/baseq3/models/bolt/bolt_paint.png", "bolt.tga")]);
    place.pk3(
        "q3/baseq3/pak0.pk3",
        &[("models/bolt/bolt.md3", "bolt.md3"), ("models/bolt/bolt_paint.png", "bolt.tga")],
    );
    place.pk3("q3/baseq3/pak1.pk3", &[("models/bolt/bolt_paint.png", "bolt_paint.png")]);
    place.pk3("q3/mod/zz.pk3", &[("models/bolt/bolt.md3", "hand.md3")]);
    let info = place.info("--game q3 models/bolt/bolt.md3");
    assert_eq!(info["file"], place.shown("q3/baseq3/pak0.pk3:models/bolt/bolt.md3"));
    assert_eq!(info["shadowed"], serde_json::json!([]));
    let texture = &info["textures"][0];
    assert_eq!(texture["found"], place.shown("q3/baseq3/pak1.pk3:models/bolt/bolt_paint.png"));
    let lost =
        ["q3/baseq3/pak0.pk3:models/bolt/bolt_paint.png", "q3/baseq3/models/bolt/bolt_paint.png"];
    assert_eq!(texture["shadowed"], serde_json::json!(lost.map(|name| place.shown(name))));
    let sources = ["q3/baseq3/pak1.pk3", "q3/baseq3/pak0.pk3", "q3/baseq3"];
    assert_eq!(info["sources"], serde_json::json!(sources.map(|name| place.shown(name))));
    // Every picture of the archives in one place shows which texture is worn.
    place.write("loose/bolt.md3", &sample("bolt.md3"));
    place.write("loose/bolt_paint.png", &sample("bolt.tga"));
    place.write("painted/bolt.md3", &sample("bolt.md3"));
    place.write("painted/bolt_paint.png", &sample("bolt_paint.png"));
    let (plain, painted) = (place.hash("loose/bolt.md3"), place.hash("painted/bolt.md3"));
    assert_ne!(plain, painted);
    let model = "models/bolt/bolt.md3";
    assert_eq!(place.hash(&format!("--game q3 {model}")), painted);
    assert_eq!(place.hash(&format!("--game q3/baseq3 {model}")), painted);
    assert_eq!(place.hash(&format!("--game q3 --loose-first {model}")), plain);
    // A path that is no name in the game means the disk.
    place.write("models/bolt/bolt.md3", &sample("hand.md3"));
    let on_disk = place.info(&format!("--game q3 ./{model}"));
    assert_eq!(on_disk["file"], format!("./{model}"));
    let in_game = place.info(&format!("--game q3 {model}"));
    assert_ne!(in_game["file"], model);
    // An archive's member looks into its own archive first, then around.
    assert_eq!(place.hash(&format!("q3/baseq3/pak0.pk3:{model}")), plain);
    // The mod wins.
    let info = place.info(&format!("--game q3 --mod MOD {model}"));
    assert_eq!(info["file"], place.shown("q3/mod/zz.pk3:models/bolt/bolt.md3"));
    let lost = place.shown("q3/baseq3/pak0.pk3:models/bolt/bolt.md3");
    assert_eq!(info["shadowed"], serde_json::json!([lost]));
    let text = place.run(&format!("info --game q3 --mod mod {model}")).stdout;
    assert!(text.contains(&format!("not     {lost}")), "{text}");
    #[cfg(unix)]
    {
        // An archive may be linked from elsewhere.
        std::os::unix::fs::symlink(
            place.root.join("q3/mod/zz.pk3"),
            place.root.join("q3/baseq3/zz.pk3"),
        )
        .unwrap();
        let info = place.info(&format!("--game q3 {model}"));
        assert_eq!(info["file"], place.shown("q3/baseq3/zz.pk3:models/bolt/bolt.md3"));
        fs::remove_file(place.root.join("q3/baseq3/zz.pk3")).unwrap();
    }
    let folder = &place.info("--game q3 --mod mod models/BOLT")["models"];
    assert_eq!(*folder, serde_json::json!([place.shown("q3/mod/zz.pk3:models/bolt/bolt.md3")]));
    let models = &place.info("--game q3 --mod mod")["models"];
    assert_eq!(*models, serde_json::json!([place.shown("q3/mod/zz.pk3:models/bolt/bolt.md3")]));
}

#[test]
fn a_file_that_its_owner_edits_wins_over_archives() {
    let place = Place::new(&[
        ("id1/models/bolt/bolt.md3", "bolt.md3"),
        ("id1/models/bolt/bolt_paint.png", "bolt_paint.png"),
        ("plain/bolt.md3", "bolt.md3"),
        ("plain/bolt_paint.png", "bolt_paint.png"),
    ]);
    place.pak("id1/pak0.pak", &[("models/bolt/bolt_paint.png", "bolt.tga")]);
    let expected = place.hash("plain/bolt.md3");
    assert_eq!(place.hash("id1/models/bolt/bolt.md3"), expected);
    assert_eq!(place.hash("id1/models/bolt/bolt.md3 --game ."), expected);
}

#[test]
fn nothing_outside_of_a_models_game_changes_its_picture() {
    let place = Place::new(&[("a/b/game/models/bolt/bolt.md3", "bolt.md3")]);
    let draw = || place.run("render a/b/game/models/bolt/bolt.md3 --hash -s 64").stdout;
    let grey = draw();
    for above in [
        "a/b/models/bolt/bolt_paint.png",
        "a/models/bolt/bolt_paint.tga",
        "bolt_paint.png",
        "textures/bolt_paint.png",
    ] {
        place.write(above, &sample("bolt.tga"));
    }
    assert_eq!(draw(), grey);
    #[cfg(unix)]
    {
        // Nor by a link out of it.
        let link = place.root.join("a/b/game/textures");
        std::os::unix::fs::symlink(place.root.join("textures"), link).unwrap();
        assert_eq!(draw(), grey);
    }
    place.write("a/b/game/models/bolt/bolt_paint.png", &sample("bolt.tga"));
    assert_ne!(draw(), grey);
    for (search, is_found) in [("game", true), ("folder", true), ("none", false)] {
        let said = place.run(&format!(
            "render a/b/game/models/bolt/bolt.md3 --hash -s 64 --texture-search {search}"
        ));
        assert_eq!(said.stdout != grey, is_found, "{search}");
    }
}

#[test]
fn a_picture_of_a_model_is_never_its_texture() {
    let place = Place::new(&[("bolt.md3", "bolt.md3")]);
    let draw = |arguments: &str| place.run(&format!("render bolt.md3 {arguments} --hash -s 64"));
    let first = draw("bolt.png");
    assert!(first.stderr.contains("not found"), "{}", first.stderr);
    for _ in 0..2 {
        let again = draw("bolt.png");
        assert_eq!(again.stdout, first.stdout);
        assert!(
            again.stderr.contains("bolt.png' is a picture that polyset drew"),
            "{}",
            again.stderr
        );
    }
    let worn = draw("--skin bolt.png");
    assert_ne!(worn.stdout, first.stdout);
}

#[test]
fn replacement_skins_of_ports_are_listed_and_worn() {
    let place = Place::new(&[("bolt.mdl", "bolt.mdl"), ("bolt.mdl_0.png", "bolt_paint.png")]);
    let files = &place.info("bolt.mdl")["skin_files"];
    assert_eq!(*files, serde_json::json!([place.shown("bolt.mdl_0.png")]));
    let plain = place.hash("bolt.mdl");
    let worn = place.hash("bolt.mdl --skin bolt.mdl_0.png");
    assert_ne!(worn, plain);
    fs::create_dir(place.root.join("sub")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyset"));
    command.current_dir(place.root.join("sub"));
    command.args("render ../bolt.mdl --skin bolt.mdl_0.png --hash -s 64".split_whitespace());
    assert_eq!(String::from_utf8(command.output().unwrap().stdout).unwrap(), worn);
}

#[test]
fn an_animation_beside_its_mesh_is_found_by_number_and_name() {
    let place = Place::new(&[
        ("Bob.md5mesh", "bolt.md5mesh"),
        ("bolt.tga", "bolt.tga"),
        ("Bob.md5anim", "bolt_walk.md5anim"),
    ]);
    let info = place.info("Bob.md5mesh");
    assert_eq!(info["clips"][0]["name"], "Bob");
    assert_eq!(info["anims"][0]["file"], place.shown("Bob.md5anim"));
    let given = place.hash("Bob.md5mesh --anim Bob.md5anim --animation 0 --animation-time 0.3");
    for animation in ["0", "Bob"] {
        let found =
            place.hash(&format!("Bob.md5mesh --animation {animation} --animation-time 0.3"));
        assert_eq!(found, given, "{animation}");
    }
    assert_ne!(place.hash("Bob.md5mesh"), given);
}

#[test]
fn textures_share_one_budget_of_memory() {
    let place = Place::new(&[("bolt.md3", "bolt.md3"), ("bolt_paint.png", "bolt.tga")]);
    let all = place.run("render bolt.md3 --hash -s 64");
    assert_eq!(all.stderr, "");
    place.write(
        "bolt_paint.png",
        &[&[0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 32, 0][..], &vec![9; 4 << 20]].concat(),
    );
    let fits = place.run("render bolt.md3 --hash -s 64 --max-memory 4");
    let warning = "polyset: warning";
    assert!(!fits.stderr.contains(warning), "{}", fits.stderr);
    let grey = place.run("render bolt.md3 --hash -s 64 --max-memory 3");
    assert_eq!(grey.code, 0);
    assert!(grey.stderr.contains("--max-memory"), "{}", grey.stderr);
    assert_ne!(grey.stdout, fits.stdout);
}

/// Two thousand surfaces among two thousand files, and links that would multiply: the folder is looked
/// into once. The bound is far above what it takes and far below what it took.
#[test]
fn a_search_costs_its_folder_once() {
    let place = Place::new(&[]);
    let wanted: Vec<String> =
        (0..2000).map(|number| format!("{}missing{number}", "a/".repeat(16))).collect();
    place.write("models/many.md3", &md3(&wanted));
    for number in 0..2000 {
        place.write(&format!("models/file{number}.tga"), b"");
    }
    #[cfg(unix)]
    for name in ["a", "A"] {
        std::os::unix::fs::symlink(".", place.root.join("models").join(name)).unwrap();
    }
    let start = Instant::now();
    let said = place.run("render models/many.md3 --hash -s 16");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stderr.contains("1992 more"), "{}", said.stderr);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_game_is_searched_as_far_as_is_said() {
    let place = Place::new(&[("out/bolt.md3", "bolt.md3")]);
    place.pk3("q3/baseq3/pak0.pk3", &[("models/bolt/bolt_paint.png", "bolt_paint.png")]);
    for (search, is_found) in [("game", true), ("folder", false), ("none", false)] {
        let info = place.info(&format!("out/bolt.md3 --game q3 --texture-search {search}"));
        assert_eq!(info["textures"][0]["found"].is_string(), is_found, "{search}");
    }
    // Unpacked archives keep their place among archives, before or behind the loose files.
    place.write("q3/baseq3/pak1.pk3dir/models/bolt/bolt_paint.png", &sample("bolt.tga"));
    place.write("q3/baseq3/models/bolt/bolt_paint.png", &sample("bolt.tga"));
    for (option, winner) in [("", "q3/baseq3/pak1.pk3dir"), ("--loose-first", "q3/baseq3")] {
        let info = place.info(&format!("out/bolt.md3 --game q3 {option}"));
        let expected = place.shown(&format!("{winner}/models/bolt/bolt_paint.png"));
        assert_eq!(info["textures"][0]["found"], expected);
    }
    // A name of the game has the engine's order, wherever its model lies.
    place.write("id1/progs/bolt.md3", &sample("bolt.md3"));
    place.write("id1/models/bolt/bolt_paint.png", &sample("bolt.tga"));
    place.pak("id1/pak0.pak", &[("models/bolt/bolt_paint.png", "bolt_paint.png")]);
    let info = place.info("progs/bolt.md3 --game id1");
    let expected = place.shown("id1/pak0.pak:models/bolt/bolt_paint.png");
    assert_eq!(info["textures"][0]["found"], expected);
}

#[test]
fn nothing_is_replaced_by_something_else_unless_forced() {
    let place = Place::new(&[
        ("bolt.mdl", "bolt.mdl"),
        ("other.md2", "bolt.md2"),
        ("m.md3", "bolt.md3"),
        ("bolt_paint.png", "bolt_paint.png"),
    ]);
    place.write("x.pk3dir/s.png", &sample("bolt_paint.png"));
    for (arguments, piece) in [
        ("thumb bolt.mdl other.md2", "'other.md2' exists and is no PNG picture"),
        ("render bolt.mdl --depth-output other.md2", "'other.md2' exists and is no depth"),
        ("render bolt.mdl o.png --depth-output ./o.png", "are the same file"),
        ("render m.md3 bolt_paint.png --max-memory 1 --quiet", "which was read"),
        ("render bolt.mdl x.pk3dir/s.png --skin x.pk3dir:s.png", "which was read"),
        ("render bolt.mdl o.lmp", "polyset writes PNG"),
    ] {
        let said = place.run(arguments);
        assert_eq!(said.code, 2, "{arguments}");
        assert!(said.stderr.contains(piece), "{arguments}: {}", said.stderr);
    }
    assert_eq!(fs::read(place.root.join("other.md2")).unwrap(), sample("bolt.md2"));
    for _ in 0..2 {
        assert_eq!(place.run("render bolt.mdl --depth-output z -s 16").code, 0);
    }
    assert_eq!(place.run("thumb bolt.mdl other.md2 --force").code, 0);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_game_stops_nobody() {
    let place = Place::new(&[("game/models/bolt.mdl", "bolt.mdl")]);
    let pipe = place.root.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for name in ["game/zz.pk3", "game/pak0.pak"] {
        std::os::unix::fs::symlink(&pipe, place.root.join(name)).unwrap();
    }
    let said = place.run("render game/models/bolt.mdl --hash");
    assert_eq!(said.code, 0);
    assert!(said.stderr.contains("is left out: it is no archive"), "{}", said.stderr);
}

#[test]
fn what_archives_leave_out_is_said_when_they_are_listed() {
    let place = Place::new(&[]);
    place.pak("a.pak", &[("../up.md3", "bolt.md3"), ("ok.md3", "bolt.md3")]);
    let said = place.run("info a.pak");
    assert_eq!(said.stdout, "a.pak: 1 model\n  a.pak:ok.md3\n");
    assert!(said.stderr.contains("'../up.md3' is left out"), "{}", said.stderr);
    assert_eq!(place.info("a.pak")["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn frames_in_the_folder_of_a_model_do_not_change_its_picture() {
    let place = Place::new(&[("bolt.md3", "bolt.md3"), ("photo.png", "bolt_paint.png")]);
    let draw = |output: &str| place.run(&format!("render bolt.md3 {output} --hash -s 32")).stdout;
    let first = draw("");
    for number in 0..20 {
        assert_eq!(draw(&format!("frame{number}.png")), first, "{number}");
    }
    assert_eq!(place.run("thumb bolt.md3 thumb.jpg").code, 0);
    assert_eq!(draw(""), first);
}
