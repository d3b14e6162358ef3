//! Archives as games and as liars make them, orders of games, and roots.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use super::*;

/// A PAK of these members; `directory` may change the entries before they are written.
fn pak(members: &[(&str, &[u8])], directory: impl Fn(usize, &mut [u8; 64])) -> Vec<u8> {
    let mut data = Vec::new();
    let mut entries = Vec::new();
    for (number, (name, bytes)) in members.iter().enumerate() {
        let mut entry = [0; 64];
        entry[..name.len()].copy_from_slice(name.as_bytes());
        entry[56..60].copy_from_slice(&(12 + data.len() as u32).to_le_bytes());
        entry[60..].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        directory(number, &mut entry);
        entries.extend(entry);
        data.extend_from_slice(bytes);
    }
    let offset = 12 + data.len() as u32;
    let header = [*b"PACK", offset.to_le_bytes(), (entries.len() as u32).to_le_bytes()].concat();
    [header, data, entries].concat()
}

/// A zip of these members, every other one deflated.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (number, (name, content)) in members.iter().enumerate() {
        let path = rawzip::path::EntryPath::verbatim(name.as_bytes());
        let deflated = number % 2 == 1;
        let method = if deflated {
            rawzip::CompressionMethod::DEFLATE
        } else {
            rawzip::CompressionMethod::STORE
        };
        let (mut entry, config) =
            archive.new_file(path).compression_method(method).start().unwrap();
        let descriptor = if deflated {
            let encoder =
                flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
            let mut writer = config.wrap(encoder);
            writer.write_all(content).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            descriptor
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(content).unwrap();
            writer.finish().unwrap().1
        };
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// A folder with these files, and its canonical path.
fn folder(files: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    for (name, bytes) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    (folder, root)
}

fn read(files: &Files, place: &Path, member: &str) -> Result<Vec<u8>, String> {
    files
        .read(&Location::in_archive(place, member), Limit::MODEL)
        .map_err(|error| error.to_string())
}

#[test]
fn members_are_read_whatever_their_case_and_slashes() {
    let members: &[(&str, &[u8])] =
        &[("progs/Ogre.mdl", b"ogre"), ("Progs\\sub\\demon.mdl", b"demon"), ("a.mdl", b"a")];
    let (_folder, root) = folder(&[
        ("pak0.pak", &pak(members, |_, _| {})),
        ("pak0.pk3", &zip(members)),
        ("x.pk3dir/progs/Ogre.mdl", b"ogre"),
        ("x.pk3dir/Progs/sub/demon.mdl", b"demon"),
    ]);
    let files = Files::default();
    for archive in ["pak0.pak", "pak0.pk3", "x.pk3dir"] {
        let archive = root.join(archive);
        assert_eq!(read(&files, &archive, "PROGS/ogre.MDL").unwrap(), b"ogre");
        assert_eq!(read(&files, &archive, "/progs\\sub/demon.mdl").unwrap(), b"demon");
        let error = read(&files, &archive, "progs/none.mdl").unwrap_err();
        assert!(error.contains("none.mdl': the archive has no such member"), "{error}");
        let error = read(&files, &archive, "progs").unwrap_err();
        assert!(error.contains("it is a folder of the archive"), "{error}");
        let inside = Location::in_archive(&archive, "progs");
        assert_eq!(files.what(&inside), What::Folder);
        let all = files.all(&inside, &|name| name.ends_with(".mdl")).unwrap();
        let names: Vec<_> = all.iter().map(|file| file.file_name().to_str().unwrap()).collect();
        assert!(names.contains(&"Ogre.mdl") && names.contains(&"demon.mdl"), "{names:?}");
    }
    assert_eq!(files.what(&Location::on_disk(root.join("pak0.pak"))), What::Archive);
    assert_eq!(files.warnings(), [""; 0]);
}

#[test]
fn folders_that_are_not_gone_through_are_told() {
    let deep = "d/".repeat(16);
    let [last, deeper] = [format!("{deep}a.mdl"), format!("{deep}d/b.mdl")];
    let (_folder, root) = folder(&[(&last, b"x"), (&deeper, b"x"), ("shut/c.mdl", b"x")]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(root.join("shut"), fs::Permissions::from_mode(0o0)).unwrap();
    }
    // Root reads what nobody may.
    let is_shut = fs::read_dir(root.join("shut")).is_err();
    let tree = Tree { sources: vec![Source::Folder(root.clone())] };
    for is_game in [false, true] {
        let files = Files::default();
        let found = match is_game {
            false => files.all(&Location::on_disk(&root), &|_| true).unwrap(),
            true => files.all_of(&tree, &[], &|_| true),
        };
        let found: Vec<_> = found.iter().map(|file| file.file_name().to_str().unwrap()).collect();
        let (names, shut) = if is_shut { (vec!["a.mdl"], 1) } else { (vec!["a.mdl", "c.mdl"], 0) };
        assert_eq!(found, names);
        let warnings = files.warnings();
        assert_eq!(warnings.len(), 1 + shut, "{warnings:?}");
        assert!(warnings[0].ends_with("d' is left out: it lies more than 16 folders deep"));
        assert!(warnings[1..].iter().all(|warning| warning.contains("shut' is left out: ")));
    }
}

#[test]
fn a_file_may_be_called_like_a_member() {
    let (_folder, root) = folder(&[("a.pak:b", b"file")]);
    let location = Location::from(root.join("a.pak:b"));
    assert_eq!(location.member(), Some("b"));
    assert_eq!(Files::default().read(&location, Limit::MODEL).unwrap(), b"file");
}

#[test]
fn names_that_no_game_asks_for_are_left_out_with_a_warning() {
    let long = format!("{}x.mdl", "a/".repeat(40));
    let names = [
        "../up.mdl",
        "progs/../../up.mdl",
        "/abs.mdl",
        "C:/abs.mdl",
        "progs/",
        "",
        &long,
        "ok.mdl",
        "OK.MDL",
    ];
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, &b"x"[..])).collect();
    let (_folder, root) = folder(&[("a.pk3", &zip(&members))]);
    let files = Files::default();
    let all = files.all(&Location::on_disk(root.join("a.pk3")), &|_| true).unwrap();
    assert_eq!(all, [Location::in_archive(root.join("a.pk3"), "ok.mdl")]);
    let warnings = files.warnings();
    assert_eq!(warnings.len(), 6, "{warnings:#?}");
    for part in ["leads out", "is absolute", "too long", "another one of this name"] {
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{part}: {warnings:#?}");
    }
}

#[test]
fn hostile_paks_are_errors_that_say_where() {
    let members: &[(&str, &[u8])] = &[("a.mdl", b"first"), ("a.mdl", b"second"), ("b.mdl", b"b")];
    let lying = pak(members, |number, entry| {
        if number == 2 {
            entry[60..].copy_from_slice(&u32::MAX.to_le_bytes());
        }
    });
    let mut far = pak(members, |_, _| {});
    far[4..8].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
    let mut odd = pak(members, |_, _| {});
    let length = u32::from_le_bytes(odd[8..12].try_into().unwrap()) - 10;
    odd[8..12].copy_from_slice(&length.to_le_bytes());
    let (_folder, root) = folder(&[
        ("lying.pak", &lying),
        ("far.pak", &far),
        ("odd.pak", &odd),
        ("short.pak", b"PACK\0\0"),
        ("text.pak", b"no archive at all"),
    ]);
    let files = Files::default();
    // Of two members of one name the first counts, as in the engine's linear search.
    assert_eq!(read(&files, &root.join("lying.pak"), "a.mdl").unwrap(), b"first");
    for (archive, member, part) in [
        ("lying.pak", "b.mdl", "the archive says 4294967295 bytes at offset"),
        ("far.pak", "a.mdl", "the directory is 192 bytes at offset 2147483647"),
        ("short.pak", "a.mdl", "the header has 12 bytes, the file 6"),
        ("text.pak", "a.mdl", "it is no archive"),
        ("none.pak", "a.mdl", "No such file"),
    ] {
        let error = read(&files, &root.join(archive), member).unwrap_err();
        assert!(error.contains(part) && error.contains(archive), "{error}");
    }
    assert_eq!(read(&files, &root.join("odd.pak"), "a.mdl").unwrap(), b"first");
    assert!(read(&files, &root.join("odd.pak"), "b.mdl").is_err());
    assert!(files.warnings().iter().any(|warning| warning.contains("no multiple of 64")));
}

#[test]
fn hostile_zips_are_errors_that_say_what() {
    let content = vec![7; 5000];
    let archive = zip(&[("stored", &content), ("deflated", &content)]);
    // Entries of the central directory, by their marks.
    let entry = |number: usize| {
        let marks = archive.windows(4).enumerate().filter(|(_, w)| *w == b"PK\x01\x02");
        marks.map(|(at, _)| at).nth(number).unwrap()
    };
    let patched = |number: usize, offset: usize, value: &[u8]| {
        let mut bytes = archive.clone();
        let at = entry(number) + offset;
        bytes[at..at + value.len()].copy_from_slice(value);
        bytes
    };
    let bomb = zip(&[("a", b""), ("bomb", &vec![0; 2 << 20])]);
    let cases: [(&str, Vec<u8>, &str, &str); 8] = [
        ("encrypted", patched(0, 8, &[1, 0]), "stored", "it is encrypted"),
        ("method", patched(1, 10, &[14, 0]), "deflated", "it is packed with LZMA"),
        ("smaller", patched(1, 24, &100u32.to_le_bytes()), "deflated", "cannot be unpacked"),
        ("larger", patched(1, 24, &9000u32.to_le_bytes()), "deflated", "cannot be unpacked"),
        ("sum", patched(1, 16, &[1, 2, 3, 4]), "deflated", "cannot be unpacked"),
        ("huge", patched(0, 24, &0x4000_0000u32.to_le_bytes()), "stored", "more than the 256 MiB"),
        ("elsewhere", patched(0, 42, &0x00ff_ffffu32.to_le_bytes()), "stored", "zip"),
        ("cut", archive[..archive.len() - 30].to_vec(), "stored", "zip"),
    ];
    let (_folder, root) = folder(&[("bomb.pk3", &bomb)]);
    let files = Files::default();
    for (name, bytes, member, part) in cases {
        let path = root.join(format!("{name}.pk3"));
        fs::write(&path, bytes).unwrap();
        let error = read(&files, &path, member).unwrap_err();
        assert!(error.contains(part) && error.contains(name), "{error}");
    }
    let bomb = Location::in_archive(root.join("bomb.pk3"), "bomb");
    let error = files.read(&bomb, Limit::SKIN_FILE).unwrap_err().to_string();
    assert!(error.contains("more than the 1 MiB that a .skin file may have"), "{error}");
    assert_eq!(files.read(&bomb, Limit::MODEL).unwrap().len(), 2 << 20);
}

#[test]
fn endless_files_are_not_read_to_the_end() {
    let (_folder, root) = folder(&[]);
    let sparse = root.join("sparse");
    File::create(&sparse).unwrap().set_len(3 << 30).unwrap();
    let mut endless = vec![sparse];
    if cfg!(unix) {
        endless.push("/dev/zero".into());
    }
    for path in endless {
        let location = Location::on_disk(path);
        let error = Files::default().read(&location, Limit::SKIN_FILE).unwrap_err().to_string();
        assert!(error.contains("more than the 1 MiB"), "{error}");
    }
}

/// Where a name comes from, archive or folder, the winner first.
fn winners(game: &Game, files: &Files, name: &str) -> Vec<String> {
    let found = files.lookup(&game.tree(false), name);
    let source = |file: &Location| {
        let path = file.path();
        let path = if file.member().is_some() { path } else { path.parent().unwrap() };
        path.file_name().unwrap().to_str().unwrap().to_owned()
    };
    found.iter().map(source).collect()
}

#[test]
fn games_have_the_order_of_their_engines() {
    let one = |name: &str| {
        if name.ends_with("pak") { pak(&[("a", b"x")], |_, _| {}) } else { zip(&[("a", b"x")]) }
    };
    // Engine, the files of a game, options, who wins.
    type Case = (
        &'static str,
        &'static [&'static str],
        Option<&'static str>,
        bool,
        &'static [&'static str],
    );
    let cases: [Case; 9] = [
        (
            "Quake: numbers from 0 to the first gap, loose last",
            &["id1/pak0.pak", "id1/PAK1.PAK", "id1/pak3.pak", "id1/a"],
            None,
            false,
            &["PAK1.PAK", "pak0.pak", "id1"],
        ),
        (
            "Quake II: 9 to 0, gaps allowed",
            &["baseq2/pak0.pak", "baseq2/pak3.pak", "baseq2/pak10.pak", "baseq2/a"],
            None,
            false,
            &["pak3.pak", "pak0.pak", "baseq2"],
        ),
        (
            "Quake III: the later name first",
            &["baseq3/pak0.pk3", "baseq3/Pak8.pk3", "baseq3/zz.pk3", "baseq3/a"],
            None,
            false,
            &["zz.pk3", "Pak8.pk3", "pak0.pk3", "baseq3"],
        ),
        (
            "an unpacked archive stands in its place",
            &["baseq3/pak0.pk3", "baseq3/pak1.pk3dir/a", "baseq3/pak2.pk3"],
            None,
            false,
            &["pak2.pk3", "pak1.pk3dir", "pak0.pk3"],
        ),
        (
            "Doom 3: loose first",
            &["base/pak000.pk4", "base/pak001.pk4", "base/a"],
            None,
            false,
            &["base", "pak001.pk4", "pak000.pk4"],
        ),
        (
            "a mod before the game",
            &["id1/pak0.pak", "id1/a", "hip/pak0.pak", "hip/a"],
            Some("HIP"),
            false,
            &["pak0.pak", "hip", "pak0.pak", "id1"],
        ),
        (
            "loose files first, the mod still before the game",
            &["id1/pak0.pak", "id1/a", "hip/pak0.pak", "hip/a"],
            Some("hip"),
            true,
            &["hip", "pak0.pak", "id1", "pak0.pak"],
        ),
        ("a folder that is the game itself", &["pak0.pak", "a"], None, true, &["", "pak0.pak"]),
        ("no archives", &["id1/a"], None, false, &["id1"]),
    ];
    for (what, names, modification, loose_first, expected) in cases {
        let contents: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (*name, one(name))).collect();
        let contents: Vec<(&str, &[u8])> = contents.iter().map(|(n, b)| (*n, &b[..])).collect();
        let (_folder, root) = folder(&contents);
        let files = Files::default();
        let game = Game::open(&files, &root, modification.map(AsRef::as_ref), loose_first).unwrap();
        let own = root.file_name().unwrap().to_str().unwrap();
        let found = winners(&game, &files, "A");
        let found: Vec<&str> =
            found.iter().map(|name| if name == own { "" } else { name.as_str() }).collect();
        assert_eq!(found, expected, "{what}");
    }
}

#[test]
fn what_is_missing_of_a_game_is_said() {
    let (_folder, root) = folder(&[("id1/pak0.pak", b"PACK"), ("id1/a", b"x"), ("file", b"")]);
    let files = Files::default();
    for (place, modification, part) in [
        ("none", None, "--game: cannot read"),
        ("file", None, "--game: "),
        ("", Some("hipnotic"), "--mod: there is no folder 'hipnotic' in"),
        ("", Some("../id1"), "--mod: there is no folder"),
    ] {
        let game = Game::open(&files, &root.join(place), modification.map(AsRef::as_ref), false);
        let error = game.unwrap_err().to_string();
        assert!(error.starts_with(part), "{error}");
    }
    let game = Game::open(&files, &root, None, false).unwrap();
    assert_eq!(winners(&game, &files, "a"), ["id1"]);
    let warnings = files.warnings();
    assert!(warnings[0].contains("pak0.pak' is left out: PAK: the header"), "{warnings:?}");
}

#[test]
fn a_games_root_is_found_by_its_folders_names_and_archives() {
    let table: [(&str, &[&str], Option<&str>); 18] = [
        ("game/models/ogre/x.md3", &[], Some("game")),
        ("game/progs/x.mdl", &[], Some("game")),
        ("game/models/players/sarge/x.md3", &[], Some("game")),
        ("game/players/male/tris.md2", &[], Some("game")),
        ("game/models/monsters/zcc/md5/x.md5mesh", &[], Some("game")),
        ("game/md5/x.md5mesh", &[], Some("game")),
        ("id1/sub/x.mdl", &[], Some("id1")),
        ("baseq3/x.md3", &[], Some("baseq3")),
        ("a/b.pk3dir/c/x.md3", &[], Some("a/b.pk3dir")),
        ("a/b/x.md3", &["a/pak0.pk3"], Some("a")),
        ("a/b/x.md3", &["a/notes.pk3/x"], None),
        ("a/b/x.md3", &["a/empty.pak"], None),
        ("a/b/c/d/e/x.md3", &["a/pak0.pk3"], None),
        // The nearest counts.
        ("models/quake/mod/progs/x.mdl", &[], Some("models/quake/mod")),
        ("models/dl/players/male/tris.md2", &[], Some("models/dl")),
        ("id1/models/a/models/b/x.md3", &[], Some("id1/models/a")),
        ("a/b/x.md3", &[], None),
        ("x.md3", &[], None),
    ];
    for (model, others, expected) in table {
        let names = others.iter().chain([&model]);
        let content = |name: &str| if name.ends_with("0.pk3") { &b"PK\x05\x06"[..] } else { b"" };
        let contents: Vec<(&str, &[u8])> = names.map(|name| (*name, content(name))).collect();
        let (_folder, root) = folder(&contents);
        let file = Location::on_disk(root.join(model));
        let home = Home::of(&Files::default(), &file, None, false, TextureSearch::Game);
        let source = home.tree.sources().iter().find_map(|source| match source {
            Source::Folder(folder) => Some(folder.clone()),
            Source::Archive(_) => None,
        });
        let found = source.filter(|_| home.has_root);
        assert_eq!(found, expected.map(|expected| root.join(expected)), "{model}");
        let folder = Path::new(model).parent().unwrap();
        let below = expected.map(|expected| folder.strip_prefix(expected).unwrap());
        if let Some(below) = below {
            assert_eq!(home.folder.join("/"), below.to_str().unwrap(), "{model}");
        }
    }
}

#[test]
fn names_of_models_become_parts() {
    for (name, expected) in [
        ("models/players/a/skin.tga", "models|players|a|skin.tga"),
        ("Models\\Weapons\\\\gun.PCX", "Models|Weapons|gun.PCX"),
        ("E:\\projects\\oa\\skin", "projects|oa|skin"),
        ("/home/someone/skin.png", "home|someone|skin.png"),
        ("./a/../b.tga", "b.tga"),
        ("../../../etc/passwd", "etc|passwd"),
        ("a/../../../b", "b"),
        ("", ""),
        ("a\0b", ""),
        ("été:x", "été:x"),
        (&"a/".repeat(40_000), ""),
    ] {
        assert_eq!(parts(name).join("|"), expected, "{name:?}");
    }
}
