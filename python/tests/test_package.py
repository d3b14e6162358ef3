"""The package against the library's rules: names, arrays, errors."""

import json
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import polyset

FORMATS = ["bolt.mdl", "bolt.md2", "bolt.md3", "bolt.md5mesh"]


@pytest.mark.parametrize("name", FORMATS)
def test_models_have_what_info_tells(models, name):
    model = polyset.Model.open(models / name)
    known = polyset.info(models / name)
    assert model.format == known["format"] == name.split(".")[1]
    assert [clip.name for clip in model.clips] == [
        clip["name"] for clip in known["clips"]
    ][: len(model.clips)]
    assert [surface.name for surface in model.surfaces] == [
        surface["name"] for surface in known["surfaces"]
    ]
    assert model.triangle_count == known["counts"]["triangles"]
    assert model.tag_names == [tag["name"] for tag in known["tags"]] or model.format == "md5mesh"
    pose = model.pose()
    assert np.allclose(pose.bounds, [known["bounds"]["min"], known["bounds"]["max"]])
    for number, surface in enumerate(model.surfaces):
        positions, normals = pose.positions(number), pose.normals(number)
        assert positions.shape == normals.shape == (surface.vertex_count, 3)
        assert surface.texcoords.shape == (surface.vertex_count, 2)
        assert surface.triangles.max() < surface.vertex_count
        assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-3)


def test_clips_are_found_by_name_number_and_themselves(models):
    model = polyset.Model.open(models / "bolt.md2")
    clip = model.clip("run")
    number = [clip.name for clip in model.clips].index("run")
    poses = [model.pose(said, 0.35).positions(0) for said in (clip, "run", number)]
    assert all(np.array_equal(poses[0], other) for other in poses[1:])
    assert not np.array_equal(poses[0], model.pose("run", 0.0).positions(0))
    assert clip.duration > 0 and clip.frames[1] > clip.frames[0]
    with pytest.raises(polyset.RequestError, match="run"):
        model.clip("swim")


def test_tags_are_matrices(models):
    model = polyset.Model.open(models / "bolt.md3")
    pose = model.pose()
    for name in model.tag_names:
        matrix = pose.tag(name)
        assert np.array_equal(matrix, pose.tags[name])
        assert np.array_equal(matrix[3], [0, 0, 0, 1])
        assert np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=1e-4)
    with pytest.raises(KeyError, match=model.tag_names[0]):
        pose.tag("tag_nowhere")


def test_pictures_are_arrays(models):
    drawing = polyset.draw(models / "bolt.md3", size=(64, 48))
    assert drawing.pixels.shape == (48, 64, 4) and drawing.pixels.dtype == np.uint8
    assert drawing.rgba is drawing.pixels is drawing.pixels
    assert drawing.depth.shape == (48, 64) and drawing.depth.dtype == np.float32
    drawn = drawing.pixels[..., 3] == 255
    assert 0.1 < drawn.mean() < 0.9
    assert np.array_equal(drawing.depth < 1, drawn)
    assert np.array_equal(polyset.render(models / "bolt.md3", size=(64, 48)), drawing.pixels)
    assert drawing.palette is None and drawing.transparent is None


def test_indexed_pictures_have_a_palette(models):
    drawing = polyset.draw(models / "bolt.mdl", size=64, color="indexed")
    assert drawing.pixels.shape == (64, 64) and drawing.palette.shape == (256, 3)
    looked_up = drawing.palette[drawing.pixels]
    seen = drawing.pixels != drawing.transparent
    assert np.array_equal(drawing.rgba[seen][:, :3], looked_up[seen])
    assert np.array_equal(drawing.rgba[..., 3] == 255, seen)
    classic = polyset.draw(models / "bolt.mdl", size=64, renderer="classic")
    assert classic.depth.dtype == np.int16 and classic.palette is not None


@pytest.mark.parametrize(
    "said, command",
    [
        ({"size": 200}, "--size 200"),
        ({"size": (64, 48)}, "--resolution 64,48"),
        ({"light": np.array([1, 0.5, 0])}, "--light 1,0.5,0"),
        ({"light": "1,0.5,0"}, "--light 1,0.5,0"),
        ({"in_place": True}, "--in-place"),
        ({"in_place": False}, ""),
        ({"animation": None}, ""),
        ({"texture_root": ["a", "b"]}, "--texture-root a --texture-root b"),
        ({"attach": {"tag_weapon": "gun.md3"}}, "--attach tag_weapon=gun.md3"),
        ({"subdivision": True, "renderer": "classic"}, "--subdivision on --renderer classic"),
        ({"frame": (3, 4, 0.5)}, "--frame 3,4,0.5"),
        ({"camera_zoom_factor": np.float32(1.5)}, "--camera-zoom-factor 1.5"),
    ],
)
def test_options_are_keywords(said, command):
    scene = polyset.Scene("ogre.mdl", **said)
    words = scene.command_line.split()
    assert words[:4] == ["polyset", "render", "ogre.mdl", "ogre.png"]
    assert sorted(words[4:]) == sorted(command.split())
    assert pickle.loads(pickle.dumps(scene)) == scene


def test_equal_scenes_are_one_in_a_set():
    scene = polyset.Scene("ogre.mdl", model_origin=(0, 1, 2), size=64)
    same = polyset.Scene("ogre.mdl", size=64).with_options(model_origin="-0,1,2")
    other = scene.with_options(size=65)
    assert scene == same and hash(scene) == hash(same)
    assert scene != other and len({scene, same, other}) == 2
    assert pickle.loads(pickle.dumps(scene)) in {scene}

    class Anything:
        def __eq__(self, other):
            return True

    # The other side is asked.
    assert scene == Anything()
    assert scene != "ogre.mdl"


def test_the_hash_is_that_of_the_pixels_there_are(models):
    for color in ("rgb", "indexed"):
        drawing = polyset.draw(models / "bolt.mdl", size=32, color=color)
        before = drawing.hash
        assert drawing.hash == before
        drawing.pixels[0, 0] ^= 1
        assert drawing.hash != before
        drawing.pixels[0, 0] ^= 1
        assert drawing.hash == before


def test_every_option_is_a_keyword():
    known = polyset.options()
    assert len(known) > 50
    for option in known:
        value = True if option["is_switch"] else option["example"]
        try:
            scene = polyset.Scene("ogre.mdl", **{option["name"]: value})
        except polyset.RequestError as error:
            # Some stand beside another one only; then the value was read.
            assert "no option" not in str(error) and "invalid value" not in str(error)
        else:
            assert set(scene.options) <= {option["name"], "size", "resolution"}


@pytest.mark.parametrize(
    "said, kind, message",
    [
        ({"sise": 3}, polyset.RequestError, "sise"),
        ({"size": "wide"}, polyset.RequestError, "size"),
        ({"in_place": "yes"}, TypeError, "in_place"),
        ({"size": {"a": 1}}, TypeError, "resolution"),
        ({"camera_near": 9, "camera_far": 1}, polyset.RequestError, "smaller"),
        ({"animation": True}, TypeError, "animation"),
    ],
)
def test_bad_options_say_what_is_wrong(said, kind, message):
    with pytest.raises(kind, match=message):
        polyset.Scene("ogre.mdl", **said)


def test_errors_carry_what_and_where(models, tmp_path):
    whole = (models / "bolt.md3").read_bytes()
    short = tmp_path / "short.md3"
    short.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(polyset.OpenError) as raised:
        polyset.Model.open(short)
    assert raised.value.file == str(short) and raised.value.kind == "truncated"
    assert raised.value.part and raised.value.offset > 0 and raised.value.line is None
    with pytest.raises(polyset.OpenError, match="cannot read") as raised:
        polyset.render(tmp_path / "nothing.mdl")
    assert raised.value.kind == "unreadable"
    with pytest.raises(polyset.OpenError) as raised:
        polyset.render(models / "bolt.md5mesh", anim=short)
    assert raised.value.option == "--anim"
    with pytest.raises(polyset.RequestError, match="wave"):
        polyset.render(models / "bolt.md3", animation="fly")
    with pytest.raises(polyset.WriteError):
        polyset.draw(models / "bolt.md3", size=16).save_png(tmp_path / "no" / "a.png")
    assert issubclass(polyset.OpenError, polyset.Error)


def test_hostile_files_raise_and_never_crash(models, tmp_path):
    """In a process of its own, so that a crash would be seen."""
    program = """
import pathlib, random, sys
import polyset

numbers = random.Random(7)
models = sorted(pathlib.Path(sys.argv[1]).glob("bolt.m*"))
raised = drawn = 0
for turn in range(400):
    data = bytearray(models[turn % len(models)].read_bytes())
    for _ in range(numbers.randrange(1, 12)):
        at = numbers.randrange(min(len(data), 400) if turn % 2 else len(data))
        data[at] = numbers.choice([0, 1, 127, 128, 255, numbers.randrange(256)])
    if turn % 3 == 0:
        del data[numbers.randrange(len(data)):]
    file = pathlib.Path(sys.argv[2]) / "hostile"
    file.write_bytes(data)
    try:
        polyset.Model.from_bytes(bytes(data)).pose()
        polyset.Studio(threads=1, max_work=10**8).draw(polyset.Scene(file, size=32))
        drawn += 1
    except polyset.Error as error:
        assert str(error)
        raised += 1
print(raised, drawn)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(models), str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    raised, drawn = map(int, done.stdout.split())
    assert raised > 100 and drawn > 20


def test_other_threads_run_while_a_picture_is_drawn(models):
    scene = polyset.Scene(models / "bolt.md3", size=4096, anti_aliasing="ssaa4")
    steps = 0
    thread = threading.Thread(target=polyset.draw, args=(scene,))
    thread.start()
    while thread.is_alive():
        steps += 1
        time.sleep(0)
    thread.join()
    # With the interpreter's lock held there would be one or two.
    assert steps > 20


def test_other_threads_run_while_one_waits_for_a_drawing(models):
    scene = polyset.Scene(models / "bolt.md3", size=4096, anti_aliasing="ssaa4")
    opened, studio = scene.open(), polyset.Studio(threads=1)
    asked = [
        lambda: opened.parts,
        lambda: opened.clips,
        lambda: opened.files,
        lambda: opened.warnings,
        lambda: opened.skin(0),
        studio.forget_textures,
    ]
    for ask in asked:
        drawing = threading.Thread(target=studio.draw, args=(scene, opened))
        drawing.start()
        time.sleep(0.02)
        waiting = threading.Thread(target=ask)
        waiting.start()
        steps = 0
        while waiting.is_alive() or drawing.is_alive():
            steps += 1
            time.sleep(0)
        assert steps > 20


def test_keywords_that_cannot_be_are_refused(models):
    bolt = models / "bolt.mdl"
    for keywords in [
        {"size": 64, "resolution": (9, 7)},
        {"no_background": True, "background_color": "204060"},
        {"alpha": "blend", "alpha_test": True},
        {"color": "indexed", "background_color": "204060", "background_index": 3},
    ]:
        for order in (list(keywords), list(reversed(keywords))):
            with pytest.raises(polyset.RequestError):
                polyset.Scene(bolt, **{name: keywords[name] for name in order})
    assert polyset.Scene(bolt, size=64).with_options(resolution=(9, 7)).size == (9, 7)
    assert polyset.Scene(bolt, no_background=False, background_color="red").options
    endless = []
    endless.append(endless)
    deep = 1.0
    for _ in range(100_000):
        deep = [deep]
    for value in (endless, deep, {"a.png"}, b"a.png", (name for name in "ab"), np.zeros((2, 2, 4))):
        for name in ("light", "skin"):
            with pytest.raises(TypeError, match=name):
                polyset.Scene(bolt, **{name: value})
    assert polyset.Scene(bolt, renderer="classic", subdivision=np.bool_(True)).options["subdivision"] == "on"
    for threads in (0, 1025, 10**6):
        with pytest.raises(polyset.RequestError, match="from 1 to 1024"):
            polyset.Studio(threads=threads)
    with pytest.raises(polyset.RequestError, match="give a path, or game="):
        polyset.info()
    for call in (lambda: polyset.info(bolt, size=5), lambda: polyset.thumbnail(bolt, 64, renderer="classic")):
        with pytest.raises(polyset.RequestError, match="there is no option"):
            call()


def test_names_of_any_bytes_come_back(models, tmp_path):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.mdl")
    assert polyset.Scene(name).input == name
    with pytest.raises(polyset.OpenError) as raised:
        polyset.draw(name)
    assert raised.value.file == name


def test_palettes_have_256_colours(models):
    opened = polyset.Scene(models / "bolt.mdl").open()
    palette = np.zeros((256, 3), np.uint8)
    palette[1] = (255, 0, 0)
    indices = np.ones((1, 1), np.uint8)
    opened.set_skin(0, indices, palette=palette)
    assert opened.skin(0).ravel().tolist() == [255, 0, 0, 255]
    for wrong in (palette.T.copy(), palette.reshape(192, 4), palette.reshape(768, 1), palette[:255], [1]):
        with pytest.raises(TypeError, match=r"\(256, 3\) uint8; found"):
            opened.set_skin(0, indices, palette=wrong)


def test_a_studio_draws_many_scenes_of_what_was_opened(models):
    scene = polyset.Scene(models / "bolt.md2", size=48)
    opened, studio = scene.open(), polyset.Studio(threads=1)
    for azimuth in (0, 120, 240):
        turned = scene.with_options(camera_azimuth_angle=azimuth)
        drawn = studio.draw(turned, opened, depth=False)
        assert drawn.depth is None
        assert drawn.hash == polyset.draw(turned).hash


def test_skins_can_be_replaced(models):
    scene = polyset.Scene(models / "bolt.md3", size=48, lighting="unlit")
    opened = scene.open()
    (_, surfaces), *others = opened.parts
    assert surfaces and not others
    skin = np.zeros((1, 1, 4), np.uint8)
    skin[...] = (10, 20, 30, 255)
    for number in range(len(surfaces)):
        assert opened.skin(number) is not None
        opened.set_skin(number, skin)
        assert np.array_equal(opened.skin(number), skin)
    pixels = polyset.Studio().draw(scene, opened).pixels
    assert np.array_equal(np.unique(pixels.reshape(-1, 4), axis=0), [[0] * 4, [10, 20, 30, 255]])
    with pytest.raises(IndexError, match="counted from 0"):
        opened.set_skin(99, skin)
    with pytest.raises(IndexError, match="no part 1"):
        opened.set_skin(0, skin, part=1)
    with pytest.raises(TypeError, match="expected the path"):
        opened.set_skin(0, skin.astype(float))


def test_the_clip_matrix_leads_to_the_pixels(models):
    scene = polyset.Scene(models / "bolt.md3", size=(200, 150), camera_azimuth_angle=70)
    opened = scene.open()
    matrix = scene.clip_matrix(opened)
    assert np.array_equal(matrix, scene.clip_matrix())
    pose = polyset.Model.open(models / "bolt.md3").pose()
    points = np.concatenate([pose.positions(i) for i in range(len(opened.parts[0][1]))])
    clip = np.c_[points, np.ones(len(points))] @ matrix.T
    x = (clip[:, 0] / clip[:, 3] + 1) * 100
    y = (1 - clip[:, 1] / clip[:, 3]) * 75
    rows, columns = np.nonzero(polyset.draw(scene).pixels[..., 3])
    assert abs(x.min() - columns.min()) < 2 and abs(x.max() - columns.max()) < 2
    assert abs(y.min() - rows.min()) < 2 and abs(y.max() - rows.max()) < 2


def test_comparisons(models, tmp_path):
    drawing = polyset.draw(models / "bolt.mdl", size=32)
    drawing.save_png(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == drawing.png()
    other = drawing.pixels.copy()
    other[3, 4] ^= 3
    for a, b in [(tmp_path / "a.png", other), (drawing, other), (drawing.pixels, other)]:
        found = polyset.compare(a, b)
        assert not found and found.verdict == "different" and found.differing == 1
        assert found.worst_error[1] == (4, 3) and "1 of 1024 pixels differ" in str(found)
        assert polyset.compare(a, b, metric="channel", threshold=3).verdict == "tolerated"
        assert polyset.compare(a, b, max_differing="1%")
        assert polyset.compare(a, b, ignore_regions=[(4, 3, 1, 1)]).is_equal
        assert found.picture().shape == (32, 96, 4)
    assert polyset.compare(drawing, tmp_path / "a.png")
    assert not polyset.compare(drawing, drawing.pixels[:16])
    with pytest.raises(polyset.RequestError):
        polyset.compare(drawing, other, metric="taste")
    indexed = polyset.draw(models / "bolt.mdl", size=32, color="indexed")
    same = polyset.compare(indexed.pixels, indexed.pixels, palette=indexed.palette, indices=True)
    assert same.is_equal
    with pytest.raises(TypeError, match="palette"):
        polyset.compare(indexed.pixels, other)


def test_what_the_command_tells_and_draws(models, command, tmp_path):
    for name in [*FORMATS, "."]:
        told = subprocess.check_output([command, "info", "--json", models / name])
        assert polyset.info(models / name) == json.loads(told), name
    for name in FORMATS:
        out = tmp_path / "thumb.png"
        subprocess.check_call([command, "thumb", "-s", "64", models / name, out])
        assert polyset.compare(polyset.thumbnail(models / name, 64), out).is_equal, name


def test_thumbnails_have_sizes_within_bounds(models):
    for size in (15, 2049, 0):
        with pytest.raises(polyset.RequestError, match="size"):
            polyset.thumbnail(models / "bolt.mdl", size)
    assert polyset.thumbnail(models / "bolt.mdl", 16, camera_azimuth_angle=90).shape == (16, 16, 4)


def test_archives_are_paths(models, tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "pak0.pk3", "w") as archive:
        archive.write(models / "bolt.mdl", "progs/bolt.mdl")
    inside = f"{tmp_path / 'pak0.pk3'}:progs/bolt.mdl"
    scene = polyset.draw(inside, size=32)
    assert scene.hash == polyset.draw(models / "bolt.mdl", size=32).hash
    assert polyset.info(tmp_path / "pak0.pk3")["models"] == [inside]
    assert polyset.Model.open(inside).format == "mdl"
