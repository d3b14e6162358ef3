"""Golden scenes, drawn by the command and by the package: the same files, byte for byte."""

import subprocess
import sys

import pytest

import polyset

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

COUNT = 50


@pytest.fixture(scope="module")
def scenes(root):
    """Scenes of golden/scenes.toml that are one picture each, spread over the file, and their folder."""
    folder = root / "golden"
    with open(folder / "scenes.toml", "rb") as file:
        read = tomllib.load(file)
    known = {option["name"] for option in polyset.options()} | {"name", "model"}
    plain = [scene for scene in read["scene"] if set(scene) <= known]
    assert len(plain) >= 100, "most of the golden scenes are one picture each"
    spread = [plain[number * len(plain) // COUNT] for number in range(COUNT)]
    return folder, [{**{"size": read["defaults"]["size"]}, **scene} for scene in spread]


def arguments(said):
    """The options of a scene as the command line has them."""
    switches = {option["name"] for option in polyset.options() if option["is_switch"]}
    several = {option["name"] for option in polyset.options() if option["repeats"]}
    for name, value in said.items():
        flag = "--" + name.replace("_", "-")
        if name in switches:
            yield flag
            continue
        for item in value if name in several and isinstance(value, list) else [value]:
            if isinstance(item, list):
                item = ",".join(map(str, item))
            elif isinstance(item, bool):
                item = "on" if item else "off"
            yield f"{flag}={item}"


def test_golden_scenes_are_the_same_files(scenes, command, tmp_path, monkeypatch):
    folder, scenes = scenes
    monkeypatch.chdir(folder)
    differ = []
    for scene in scenes:
        said = dict(scene)
        name, model = said.pop("name"), said.pop("model")
        if "resolution" in said:
            del said["size"]
        out = tmp_path / "picture.png"
        subprocess.run(
            [command, "render", model, out, "--quiet", *arguments(said)], check=True
        )
        if polyset.draw(model, **said).png() != out.read_bytes():
            differ.append(name)
    assert not differ
