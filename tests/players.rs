//! Players and what hangs on them, through the command.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

use archive::pak;

#[path = "shared/archive.rs"]
mod archive;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

/// The standard output; the command must succeed.
fn polyset(arguments: &[&str], folder: &Path) -> String {
    let mut command = Command::cargo_bin("polyset").unwrap();
    let output = command.current_dir(folder).args(arguments).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

/// A folder with Bolt, who stands from frame 0, walks from 8 and waves from 18 to 29, as legs and as a
/// torso of which the legs begin 12 frames late, as the table of the two has them.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["lower.md3", "upper.md3", "upper_1.md3", "other.md3"] {
        fs::copy(sample("bolt.md3"), folder.path().join(name)).unwrap();
    }
    fs::copy(sample("bolt_paint.png"), folder.path().join("bolt_paint.png")).unwrap();
    fs::write(folder.path().join("animation.cfg"), table()).unwrap();
    folder
}

fn table() -> String {
    let mut text = String::new();
    for row in 0..25 {
        text += match row {
            0 => "18 5 0 10\n",
            6 => "6 2 0 10\n",
            11 => "20 4 4 10\n",
            15 => "20 10 10 10\n",
            13 | 22 => "18 -3 3 5\n",
            _ => "1 1 0 10\n",
        };
    }
    text
}

#[test]
fn parts_know_their_clips_and_stand_instead_of_dying() {
    let folder = folder();
    let hash = |arguments: &[&str]| {
        polyset(&[&["render", "--hash", "-s", "64"], arguments].concat(), folder.path())
    };
    for (arguments, frame) in [
        (&["lower.md3"][..], &["--frame", "8"][..]),
        (&["upper.md3"], &["--frame", "20"]),
        (&["upper_1.md3"], &["--frame", "20"]),
        (
            &["lower.md3", "--animation", "legs_run", "--animation-time", "0.25"],
            &["--frame", "10,11,0.5"],
        ),
        (&["lower.md3", "--animation", "LEGS_IDLE", "--frame", "1"], &["--frame", "7"]),
        (&["lower.md3", "--animation", "BOTH_DEATH1", "--animation-time", "9"], &["--frame", "22"]),
        (&["other.md3"], &["--frame", "0"]),
    ] {
        let expected = hash(&[&["other.md3"], frame].concat());
        assert_eq!(hash(arguments), expected, "{arguments:?}");
    }
    let info = polyset(&["info", "upper.md3"], folder.path());
    assert!(info.contains("TORSO_STAND") && !info.contains("LEGS_"), "{info}");
}

#[test]
fn what_is_wrong_with_the_table_is_told_and_the_model_drawn() {
    let folder = folder();
    fs::write(folder.path().join("animation.cfg"), "jump\n0 99 0 10\n40 1 1 1\n").unwrap();
    let mut command = Command::cargo_bin("polyset").unwrap();
    let arguments = ["render", "lower.md3", "--hash", "-s", "32"];
    let output = command.current_dir(folder.path()).args(arguments).assert().success();
    let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    for expected in [
        "animation.cfg (line 1): unknown word \"jump\"",
        "animation.cfg (line 2): BOTH_DEATH1 has 99 frames from 0, the model 30 in all; cut to 30",
        "animation.cfg (line 3): BOTH_DEAD1 begins with frame 40",
        "2 rows, expected 25",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn a_thumbnail_of_a_part_without_its_table_stands() {
    let folder = folder();
    let alone = tempfile::tempdir().unwrap();
    fs::copy(folder.path().join("lower.md3"), alone.path().join("lower.md3")).unwrap();
    let thumb = |name: &str, options: &[&str]| {
        let arguments = [&["thumb", "-s", "32", name, "out.png"], options].concat();
        polyset(&arguments, alone.path());
        fs::read(alone.path().join("out.png")).unwrap()
    };
    fs::copy(sample("bolt.md3"), alone.path().join("other.md3")).unwrap();
    // The clips of a model whose frames have names count.
    assert_eq!(thumb("lower.md3", &[]), thumb("other.md3", &["--animation", "stand"]));
}

/// The player of `make_models`, copied beside his weapon, as a game has them.
fn game() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for place in ["models/players/bolt", "models/weapons/zapper"] {
        let to = folder.path().join(place);
        fs::create_dir_all(&to).unwrap();
        for file in fs::read_dir(sample(place.strip_prefix("models/").unwrap())).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    fs::copy(sample("bolt_paint.png"), folder.path().join("models/bolt_paint.png")).unwrap();
    folder
}

/// The hash of a picture, and the warnings that came with it.
fn picture(folder: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = Command::cargo_bin("polyset").unwrap();
    let command = command.current_dir(folder).args(["render", "--hash", "-s", "64"]);
    let output = command.args(arguments).assert().success();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.get_output().stdout), text(&output.get_output().stderr))
}

/// What a refused command says.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("polyset").unwrap();
    let command = command.current_dir(folder).args(["render", "--hash", "-s", "32"]);
    let output = command.args(arguments).assert().code(2);
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

const BOLT: &str = "models/players/bolt";

#[test]
fn a_player_is_the_same_in_a_folder_an_archive_and_a_game() {
    let game = game();
    let root = game.path();
    let (expected, warnings) = picture(root, &[BOLT]);
    assert_eq!(warnings, "");
    fs::create_dir_all(root.join("q3/baseq3")).unwrap();
    fs::write(root.join("q3/baseq3/pak0.pak"), members(root)).unwrap();
    for arguments in [
        &["models/players/bolt/"][..],
        &["./models/players/bolt"],
        &["q3/baseq3/pak0.pak:models/players/bolt"],
        &["--game", "q3", "Models/Players/BOLT"],
        &[BOLT, "--legs", "legs_idle", "--torso", "TORSO_STAND", "--skin", "default"],
        &[BOLT, "--attach", "tag_weapon=models/weapons/zapper/zapper_hand.md3"],
    ] {
        assert_eq!(picture(root, arguments).0, expected, "{arguments:?}");
    }
    let armed = picture(root, &[BOLT, "--weapon", "models/weapons/zapper"]).0;
    let gun = "models/weapons/zapper/zapper";
    let by_hand =
        [&format!("tag_weapon/tag_barrel={gun}_barrel.md3"), &format!("tag_weapon={gun}.md3")];
    let attached = picture(root, &[BOLT, "--attach", by_hand[0], "--attach", by_hand[1]]).0;
    assert_eq!(attached, armed);
    assert_ne!(armed, expected);
    let in_game = ["--game", "q3", BOLT, "--weapon", "models/weapons/zapper"];
    assert_eq!(picture(root, &in_game).0, armed);
    let info = polyset(&["info", "--game", "q3"], root);
    assert!(info.contains("Players") && info.contains("pak0.pak:models/players/bolt\n"), "{info}");
}

/// The files of the game as an archive.
fn members(root: &Path) -> Vec<u8> {
    let mut members = vec![("models/bolt_paint.png".to_owned(), sample("bolt_paint.png"))];
    for folder in [BOLT, "models/weapons/zapper"] {
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let file = file.unwrap();
            members.push((format!("{folder}/{}", file.file_name().display()), file.path()));
        }
    }
    let members: Vec<(&str, Vec<u8>)> =
        members.iter().map(|(name, path)| (name.as_str(), fs::read(path).unwrap())).collect();
    pak(&members)
}

#[test]
fn each_part_has_its_own_clip_and_skin() {
    let game = game();
    let root = game.path();
    let hash = |arguments: &[&str]| picture(root, &[&[BOLT], arguments].concat()).0;
    let idle = hash(&[]);
    for (arguments, same) in [
        (
            &["--animation", "legs_run", "--animation-time", "0.2"][..],
            &["--legs", "LEGS_RUN", "--animation-time", "0.2"][..],
        ),
        (
            &["--animation", "TORSO_ATTACK2", "--frame", "0"],
            &["--animation", "TORSO_ATTACK", "--frame", "3"],
        ),
        (&["--animation", "BOTH_DEATH1", "--animation-time", "77"], &["--animation", "BOTH_DEAD1"]),
        (&["--animation", "BOTH_DEATH1", "--animation-time", "0.1"], &["--frame", "1"]),
        (&["--animation", "1"], &["--animation", "BOTH_DEAD1"]),
        (
            &["--animation", "LEGS_BACK", "--frame", "0"],
            &["--animation", "LEGS_WALK", "--frame", "7"],
        ),
        (&["--skin", "default"], &[]),
        (
            &[
                "--skin",
                "h_helmet=models/players/bolt/swapped.png",
                "--skin",
                "swapped",
                "--skin",
                "u_body=models/bolt_paint.png",
                "--skin",
                "l_legs=models/bolt_paint.png",
            ],
            &["--skin", "h_helmet=models/players/bolt/swapped.png"],
        ),
        (&["--torso-angles", "0,0"], &["--head-angles", "0,0"]),
    ] {
        assert_eq!(hash(arguments), hash(same), "{arguments:?} {same:?}");
    }
    for arguments in [
        &["--legs", "LEGS_RUN"][..],
        &["--skin", "swapped"],
        &["--torso-angles", "10,0"],
        &["--head-angles", "0,-20"],
        &["--animation-time", "0.1"],
    ] {
        assert_ne!(hash(arguments), idle, "{arguments:?}");
    }
}

#[test]
fn what_is_missing_is_told_and_the_rest_drawn() {
    let game = game();
    let root = game.path();
    let folder = root.join(BOLT);
    fs::remove_file(folder.join("upper_swapped.skin")).unwrap();
    let (_, told) = picture(root, &[BOLT, "--skin", "swapped"]);
    assert!(told.contains("upper.md3") && told.contains("drawn with the default skin"), "{told}");
    fs::write(folder.join("head.md3"), "no model").unwrap();
    let (_, told) = picture(root, &[BOLT]);
    assert!(told.contains("head.md3") && told.contains("drawn without it"), "{told}");
    for (name, expected) in [
        ("head.md3", "there is no head.md3; drawn without one"),
        ("lower.md3", "there is no lower.md3"),
    ] {
        fs::remove_file(folder.join(name)).unwrap();
        let (_, told) = picture(root, &[BOLT]);
        assert!(told.contains(expected), "{told}");
    }
    // A tag that is not there: the head stands at the torso's origin.
    let mut torso = fs::read(folder.join("upper.md3")).unwrap();
    while let Some(at) = torso.windows(8).position(|name| name == b"tag_head") {
        torso[at] = b'x';
    }
    fs::write(folder.join("upper.md3"), torso).unwrap();
    fs::copy(sample("players/bolt/head.md3"), folder.join("head.md3")).unwrap();
    let (_, told) = picture(root, &[BOLT]);
    assert!(told.contains("has no tag_head for the head"), "{told}");
    fs::write(folder.join("upper.md3"), "no model").unwrap();
    fs::write(folder.join("head.md3"), "no model").unwrap();
    let said = refusal(root, &[BOLT]);
    assert!(said.contains("upper.md3"), "{said}");
}

#[test]
fn requests_that_no_part_can_meet_are_refused() {
    let game = game();
    let root = game.path();
    let gun = "models/weapons/zapper/zapper.md3";
    let on = |tag: &str| format!("{tag}={gun}");
    let walk = sample("bolt_walk.md5anim").display().to_string();
    for (arguments, expected) in [
        (vec!["--animation", "FLY"], "there is no animation 'FLY'; this player has BOTH_DEATH1"),
        (vec!["--legs", "TORSO_STAND"], "--legs TORSO_STAND: there is no animation 'TORSO_STAND'"),
        (vec!["--skin", "green"], "there is no skin or file 'green'"),
        (vec!["--skin", "h_hat=x.png"], "there is no surface 'h_hat'; the models have 'l_legs'"),
        (vec!["--frame", "99"], "--frame 99 is out of range"),
        (
            vec!["--attach", &on("tag_hat")],
            "there is no tag or joint 'tag_hat'; there is tag_torso",
        ),
        (vec!["--attach", &on("tag_weapon/tag_flash")], "nothing hangs on 'tag_weapon'"),
        (vec!["--attach", "tag_weapon=none.md3"], "none.md3"),
        (vec!["--attach", gun], "expected TAG=VALUE"),
        (vec!["--attach-frame", "tag_weapon=1"], "nothing hangs on 'tag_weapon'"),
        (
            vec!["--attach", &on("tag_weapon"), "--attach-frame", "tag_weapon=9"],
            "'tag_weapon': --attach-frame 9 is out of range: ",
        ),
        (
            vec![
                "--attach",
                &on("tag_weapon"),
                "--attach-animation",
                "tag_weapon=LEGS_RUN",
                "--legs",
                "LEGS_RUN",
            ],
            "'tag_weapon': --attach-animation LEGS_RUN: ",
        ),
        (vec!["--legs", "FLY", "--torso", "FLY"], "--legs FLY: there is no animation 'FLY'"),
        (
            vec!["--legs", "LEGS_RUN", "--torso", "LEGS_RUN"],
            "--torso LEGS_RUN: there is no animation 'LEGS_RUN'",
        ),
        (vec!["--anim", "none.md5anim"], "--anim: cannot read 'none.md5anim'"),
        (vec!["--anim", &walk], "--anim: "),
        (vec!["--weapon", "models/weapons"], "there is no weapons.md3 in the folder"),
        (vec!["--weapon", "nowhere"], "nowhere"),
        (vec!["--renderer", "classic"], "--renderer classic draws a single model"),
        (vec!["--in-place"], "--in-place is for .md5mesh"),
    ] {
        let said = refusal(root, &[&[BOLT][..], &arguments].concat());
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    // The clip has the name of another option's.
    let both = [
        "--animation",
        "fire",
        "--attach",
        &on("tag_weapon"),
        "--attach-animation",
        "tag_weapon=fire",
    ];
    let hand = "models/weapons/zapper/zapper_hand.md3";
    let said = refusal(root, &[&[hand][..], &both].concat());
    assert!(said.contains("--animation fire: ") && !said.contains("--attach-animation"), "{said}");
    // What hangs on a player may play what the player cannot.
    let with_mesh = |anim: &str| {
        let mesh = format!("tag_weapon={}", sample("bolt.md5mesh").display());
        [BOLT, "--attach", &mesh, "--anim", anim].map(str::to_owned)
    };
    let words = with_mesh("none.md5anim");
    let said = refusal(root, &words.each_ref().map(String::as_str));
    assert!(said.contains("--anim: cannot read 'none.md5anim'"), "{said}");
    let words = with_mesh(&walk);
    picture(root, &words.each_ref().map(String::as_str));
    for option in ["--legs=LEGS_RUN", "--torso=TORSO_STAND", "--head-angles=1,2"] {
        let said = refusal(root, &[gun, option]);
        assert!(said.contains("is for players of Quake III"), "{said}");
    }
}

#[test]
fn a_body_of_quake2_holds_its_weapon_in_the_same_frame() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("players/male");
    fs::create_dir_all(&root).unwrap();
    for name in ["tris.md2", "weapon.md2", "w_shield.md2"] {
        let from = if name == "w_shield.md2" { "bolt_shield.md2" } else { "bolt.md2" };
        fs::copy(sample(from), root.join(name)).unwrap();
    }
    fs::copy(sample("bolt.pcx"), root.join("weapon.pcx")).unwrap();
    fs::copy(sample("bolt.pcx"), root.join("tris.pcx")).unwrap();
    let hash = |arguments: &[&str]| picture(folder.path(), arguments).0;
    let alone = |frame: &str| hash(&["players/male/tris.md2", "--frame", frame]);
    // The weapon is the body once more here: nothing of it is seen.
    assert_eq!(hash(&["players/male", "--frame", "9"]), alone("9"));
    assert_ne!(hash(&["players/male", "--weapon", "shield", "--skin", "0"]), alone("0"));
    let with = |weapon: &str| hash(&["players/male", "--weapon", weapon]);
    assert_eq!(with("w_shield"), with("players/male/w_shield.md2"));
    let info = polyset(&["info", "players/male"], folder.path());
    assert!(info.contains("player of 2 models"), "{info}");
    fs::remove_file(root.join("weapon.md2")).unwrap();
    fs::remove_file(root.join("w_shield.md2")).unwrap();
    assert_eq!(hash(&["players/male"]), alone("0"));
}

#[test]
fn info_tells_parts_tags_and_what_moves_them() {
    let game = game();
    let json = polyset(&["info", "--json", BOLT], game.path());
    let info: serde_json::Value = serde_json::from_str(&json).unwrap();
    let parts = info["parts"].as_array().unwrap();
    let names: Vec<&str> = parts.iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["lower", "upper", "head"]);
    assert_eq!((&parts[2]["parent"], &parts[2]["tag"]), (&1.into(), &"tag_head".into()));
    let tag = &parts[0]["tags"][0];
    assert_eq!(tag["name"], "tag_torso");
    assert_eq!(tag["origin"], parts[1]["stands"]["origin"]);
    assert_eq!(tag["axes"], parts[1]["stands"]["axes"]);
    let clip = |name: &str| {
        let clips = info["clips"].as_array().unwrap().iter();
        clips.clone().find(|clip| clip["name"] == name).unwrap()["parts"].clone()
    };
    assert_eq!(clip("BOTH_DEATH1"), serde_json::json!(["lower", "upper"]));
    assert_eq!(clip("LEGS_RUN"), serde_json::json!(["lower"]));
    assert_eq!(info["skins"], serde_json::json!(["default", "swapped"]));
    let text = polyset(&["info", BOLT], game.path());
    assert!(text.contains("upper  lower tag_torso"), "{text}");
    let list = polyset(&["info", "models"], game.path());
    assert!(list.contains("7 models") && list.contains("Players"), "{list}");
}

#[test]
fn a_mesh_rests_in_the_idle_animation_beside_it_and_shares_given_ones() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (from, to) in [
        ("bolt.md5mesh", "bolt.md5mesh"),
        ("bolt.md5mesh", "twin.md5mesh"),
        ("bolt_walk.md5anim", "walk.md5anim"),
        ("bolt_wave.md5anim", "bolt_idle.md5anim"),
    ] {
        fs::copy(sample(from), root.join(to)).unwrap();
    }
    let hash = |arguments: &[&str]| picture(root, &[&["bolt.md5mesh"], arguments].concat()).0;
    assert_eq!(hash(&[]), hash(&["--anim", "bolt_idle.md5anim"]));
    assert_ne!(hash(&["--frame", "0"]), hash(&[]));
    let walking = ["--anim", "walk.md5anim", "--animation-time", "0.4"];
    // A twin in the same place shows nothing new, one in another frame does.
    let with_twin = [&walking[..], &["--attach", ".=twin.md5mesh"]].concat();
    assert_eq!(hash(&with_twin), hash(&walking));
    assert_ne!(hash(&[&with_twin[..], &["--attach-frame", ".=3"]].concat()), hash(&walking));
    fs::remove_file(root.join("bolt_idle.md5anim")).unwrap();
    assert_eq!(hash(&[]), hash(&["--frame", "0"]));
}

#[test]
fn a_printed_player_is_the_same_player() {
    let mut scene = polyset::Scene::new("a/sarge");
    for (option, value) in [
        ("legs", "LEGS_RUN"),
        ("torso", "TORSO_ATTACK"),
        ("weapon", "weapons/x"),
        ("attach", "tag_weapon/tag_flash=my flash.md3"),
        ("attach-skin", "tag_weapon=red.png"),
        ("torso-angles", "-10,20"),
    ] {
        scene.set(option, value).unwrap();
    }
    let expected = "polyset render a/sarge sarge.png \
        --attach 'tag_weapon/tag_flash=my flash.md3' --weapon weapons/x --legs LEGS_RUN \
        --torso TORSO_ATTACK --torso-angles=-10,20 --attach-skin tag_weapon=red.png";
    assert_eq!(scene.command_line().to_str(), Some(expected));
}

#[test]
fn fixed_legs_turn_with_the_torso_and_a_fixed_torso_does_not_nod() {
    let game = game();
    let root = game.path();
    let table = root.join(BOLT).join("animation.cfg");
    let text = fs::read_to_string(&table).unwrap();
    let hash = |arguments: &[&str]| picture(root, &[&[BOLT], arguments].concat()).0;
    let (turned, still) = (hash(&["--model-angles", "0,40,0"]), hash(&[]));
    assert_ne!(hash(&["--torso-angles", "25,40"]), turned);
    fs::write(&table, format!("fixedlegs\nfixedtorso\n{text}")).unwrap();
    assert_eq!(hash(&["--torso-angles", "25,40"]), turned);
    assert_eq!(hash(&["--torso-angles", "25,0"]), still);
}

#[test]
fn hands_hold_their_weapon_before_the_eye() {
    let game = game();
    let root = game.path();
    let hand = "models/weapons/zapper/zapper_hand.md3";
    let seen = picture(root, &[hand, "--view-weapon"]).0;
    let eye = [
        "--camera-position",
        "0,0,0",
        "--camera-focal-point",
        "1,0,0",
        "--camera-view-angle",
        "90",
    ];
    let weapon = [&[hand, "--weapon", "models/weapons/zapper"][..], &eye].concat();
    assert_eq!(picture(root, &weapon).0, seen);
    let (_, told) = picture(root, &[hand]);
    assert!(told.contains("nothing is drawn"), "{told}");
}

#[test]
fn heads_of_team_arena_are_in_a_folder_of_their_own() {
    let game = game();
    let root = game.path();
    let whole = picture(root, &[BOLT]).0;
    let (characters, heads) =
        (root.join("models/players/characters/bolt"), root.join("models/players/heads/bolt"));
    fs::create_dir_all(characters.parent().unwrap()).unwrap();
    fs::create_dir_all(&heads).unwrap();
    fs::rename(root.join(BOLT), &characters).unwrap();
    for name in ["head.md3", "head_default.skin"] {
        fs::rename(characters.join(name), heads.join(name)).unwrap();
    }
    let (hash, told) = picture(root, &["models/players/characters/bolt"]);
    assert_eq!((hash, told), (whole, String::new()));
}
