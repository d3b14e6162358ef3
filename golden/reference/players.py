"""Quake III players: three models and a weapon that hang on tags."""

import re

from models import Md3

ROWS = """BOTH_DEATH1 BOTH_DEAD1 BOTH_DEATH2 BOTH_DEAD2 BOTH_DEATH3 BOTH_DEAD3 TORSO_GESTURE TORSO_ATTACK
TORSO_ATTACK2 TORSO_DROP TORSO_RAISE TORSO_STAND TORSO_STAND2 LEGS_WALKCR LEGS_WALK LEGS_RUN LEGS_BACK
LEGS_SWIM LEGS_JUMP LEGS_LAND LEGS_JUMPB LEGS_LANDB LEGS_IDLE LEGS_IDLECR LEGS_TURN""".split()


def clips(path):
    """First frame in the model's own count, frames, frames that repeat, frames a second."""
    lines = [re.sub(r"//.*", "", line).split() for line in path.read_text().splitlines()]
    rows = [[int(word) for word in line] for line in lines if line and line[0].isdigit()]
    clips = dict(zip(ROWS, rows))
    skip = clips["LEGS_WALKCR"][0] - clips["TORSO_GESTURE"][0]
    for name in ROWS[13:]:
        clips[name][0] -= skip
    return clips


def moment(clip, seconds):
    """Two frames and the share of the second, of a clip that runs forwards."""
    first, count, repeats, rate = clip
    at = seconds * rate
    whole = int(at)

    def frame(number):
        if number >= count:
            number = count - 1 if repeats == 0 else count - repeats + (number - count) % repeats
        return first + number

    return frame(whole), frame(whole + 1), at - whole


def skin_of(path):
    pairs = (line.split(",") for line in path.read_text().split())
    return {surface: texture for surface, texture in pairs if texture}


def player(folder, legs, torso, seconds, weapon):
    """Meshes where they stand, each with the rows that turn them."""
    table = clips(folder / "animation.cfg")
    part = lambda name: Md3(folder / f"{name}.md3", names=skin_of(folder / f"{name}_default.skin"))
    lower, upper, head = (part(name) for name in ("lower", "upper", "head"))
    legs, torso, still = moment(table[legs], seconds), moment(table[torso], seconds), (0, 0, 0.0)

    parts = [(lower, legs, None), (upper, torso, (0, "tag_torso")), (head, still, (1, "tag_head"))]
    if weapon:
        piece = lambda ending: Md3(weapon / f"{weapon.name}{ending}.md3")
        parts.append((piece(""), still, (1, "tag_weapon")))
        parts.append((piece("_barrel"), still, (3, "tag_barrel")))
        parts.append((piece("_flash"), still, (3, "tag_flash")))
    places, meshes = [], []
    for model, frames, hangs in parts:
        if hangs is None:
            origin, rows = 0.0, None
        else:
            parent, tag = hangs
            above, above_frames, _ = parts[parent]
            origin, rows = above.tag(tag, *above_frames)
            up_origin, up_rows = places[parent]
            if up_rows is not None:
                origin, rows = origin @ up_rows + up_origin, rows @ up_rows
        places.append((origin, rows))
        for mesh in model.meshes(*frames):
            if rows is not None:
                mesh.points = mesh.points @ rows + origin
                mesh.normals = mesh.normals @ rows
            meshes.append(mesh)
    return meshes
