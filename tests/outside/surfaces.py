#!/usr/bin/env python3
"""Draws tests/models/surfaces/models/cards.md3 by OpenGL and compares polyset's pictures with it.

    python3 tests/outside/surfaces.py target/release/polyset [FOLDER for pictures]

Nothing of polyset is used but the files that it reads: the model and the shader script are read here, texture
coordinates, waves and light are computed here, and Mesa draws the stages with OpenGL 1.x: alpha function, blending,
depth function and mask, one stage of a surface after the other. Needs numpy, Pillow and Mesa's libOSMesa.so.8.
"""
import ctypes
import math
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
GAME = ROOT / "tests/models/surfaces"
SIZE = (540, 456)
VIEW_ANGLE, NEAR, FAR = 30.0, 40.0, 400.0

GL = ctypes.CDLL("libOSMesa.so.8", mode=ctypes.RTLD_GLOBAL)
GL.OSMesaCreateContextExt.restype = ctypes.c_void_p
F, D = ctypes.c_float, ctypes.c_double
RGBA, TEXTURE_2D, UNSIGNED_BYTE = 0x1908, 0x0DE1, 0x1401
FACTORS = {
    "gl_zero": 0, "gl_one": 1, "gl_src_color": 0x300, "gl_one_minus_src_color": 0x301, "gl_src_alpha": 0x302,
    "gl_one_minus_src_alpha": 0x303, "gl_dst_color": 0x306, "gl_one_minus_dst_color": 0x307,
}
SHORT = {"add": ("gl_one", "gl_one"), "filter": ("gl_dst_color", "gl_zero"),
         "blend": ("gl_src_alpha", "gl_one_minus_src_alpha")}
ALPHA = {"gt0": (0x204, 0.0), "lt128": (0x201, 0.5), "ge128": (0x206, 0.5)}
SORTS = {"nearest": 16, "additive": 10}


def surfaces(path):
    """Name, shader, corners, texture coordinates, positions and normals of an MD3's first frame."""
    data = path.read_bytes()
    count, at = struct.unpack_from("<i", data, 84)[0], struct.unpack_from("<i", data, 100)[0]
    for _ in range(count):
        name = data[at + 4:at + 68].split(b"\0")[0].decode()
        vertices, triangles, o_tri, o_shader, o_st, o_xyz, end = struct.unpack_from("<7i", data, at + 80)
        shader = data[at + o_shader:at + o_shader + 64].split(b"\0")[0].decode()
        corners = numpy.frombuffer(data, "<i4", 3 * triangles, at + o_tri)
        st = numpy.frombuffer(data, "<f4", 2 * vertices, at + o_st).reshape(-1, 2).astype(float)
        raw = numpy.frombuffer(data, "<i2", 4 * vertices, at + o_xyz).reshape(-1, 4)
        xyz = raw[:, :3] / 64.0
        zenith, azimuth = (numpy.frombuffer(raw[:, 3].astype("<i2").tobytes(), "u1").reshape(-1, 2).T
                           * (2 * math.pi / 255.75))
        normal = numpy.stack([numpy.cos(azimuth) * numpy.sin(zenith), numpy.sin(azimuth) * numpy.sin(zenith),
                              numpy.cos(zenith)], axis=1)
        yield name, shader, corners, st, xyz, normal
        at += end


def scripts(path):
    """General keywords and stages of each shader, as lists of words."""
    text = re.sub(r"//.*", "", path.read_text())
    tokens = re.findall(r"[{}]|[^\s{}]+|\n", text)
    found, depth, name = {}, 0, ""
    for token in tokens:
        if token == "{":
            depth += 1
            if depth == 1:
                general, stages, line = [], [], []
            else:
                stages.append([])
        elif token in ("}", "\n"):
            if depth and line:
                (stages[-1] if depth == 2 else general).append([word.lower() for word in line])
            line = []
            if token == "}":
                depth -= 1
                if depth == 0:
                    found[name] = general, stages
        elif depth:
            line.append(token)
        else:
            name = token.lower().replace("\\", "/").split(".")[0]
            line = []
    return found


def wave(words, time):
    shape, (base, amplitude, phase, frequency) = words[0], map(float, words[1:5])
    x = (phase + time * frequency) % 1.0
    value = {"sin": math.sin(2 * math.pi * x), "square": 1 if x < 0.5 else -1,
             "triangle": 4 * x if x < 0.25 else 2 - 4 * x if x < 0.75 else 4 * x - 4}[shape]
    return base + amplitude * value


def coordinates(stage, st, xyz, normal, eye, time):
    if ["tcgen", "environment"] in stage:
        view = eye - xyz
        view /= numpy.linalg.norm(view, axis=1)[:, None]
        mirrored = normal * (2 * (normal * view).sum(axis=1))[:, None] - view
        st = numpy.stack([0.5 + 0.5 * mirrored[:, 1], 0.5 - 0.5 * mirrored[:, 2]], axis=1)
    s, t = st.T
    for words in stage:
        if words[0] != "tcmod":
            continue
        kind, rest = words[1], words[2:]
        numbers = [float(word) for word in rest if not word.isalpha()]
        if kind == "scroll":
            s, t = s + numbers[0] * time % 1.0, t + numbers[1] * time % 1.0
        elif kind == "scale":
            s, t = s * numbers[0], t * numbers[1]
        elif kind == "rotate":
            a = -math.radians(numbers[0] * time)
            c, n = math.cos(a), math.sin(a)
            s, t = (s * c - t * n + 0.5 - 0.5 * c + 0.5 * n, s * n + t * c + 0.5 - 0.5 * n - 0.5 * c)
        elif kind == "stretch":
            p = 1 / wave(rest, time)
            s, t = s * p + 0.5 - 0.5 * p, t * p + 0.5 - 0.5 * p
        elif kind == "transform":
            a, b, c, d, e, f = numbers
            s, t = s * a + t * c + e, s * b + t * d + f
        elif kind == "turb":
            _, amplitude, phase, frequency = numbers
            now = phase + time * frequency
            s = s + amplitude * numpy.sin(2 * math.pi * ((xyz[:, 0] + xyz[:, 2]) / 1024 + now))
            t = t + amplitude * numpy.sin(2 * math.pi * (xyz[:, 1] / 1024 + now))
    return numpy.stack([s, t], axis=1)


class Picture:
    """An OpenGL context and its textures."""

    def __init__(self, background):
        self.buffer = (ctypes.c_ubyte * (SIZE[0] * SIZE[1] * 4))()
        context = GL.OSMesaCreateContextExt(RGBA, 24, 0, 0, None)
        GL.OSMesaMakeCurrent(ctypes.c_void_p(context), self.buffer, UNSIGNED_BYTE, *SIZE)
        GL.glGetString.restype = ctypes.c_char_p
        self.renderer = GL.glGetString(0x1F01).decode()
        self.textures = {}
        GL.glClearColor(*[F(channel / 255) for channel in background], F(1))
        GL.glClear(0x4100)
        for capability in (TEXTURE_2D, 0x0B71, 0x0B44):
            GL.glEnable(capability)
        GL.glDisable(0x0BD0)
        GL.glFrontFace(0x0900)
        GL.glHint(0x0C50, 0x1102)

    def texture(self, name, clamp):
        if (name, clamp) not in self.textures:
            number = len(self.textures) + 1
            GL.glBindTexture(TEXTURE_2D, number)
            file = (GAME / name).with_suffix(".tga") if name != "$whiteimage" else None
            image = Image.open(file).convert("RGBA") if file else Image.new("RGBA", (1, 1), (255,) * 4)
            GL.glTexImage2D(TEXTURE_2D, 0, RGBA, *image.size, 0, RGBA, UNSIGNED_BYTE, image.tobytes())
            for parameter, value in ((0x2801, 0x2600), (0x2800, 0x2600), (0x2802, 0x812F if clamp else 0x2901),
                                     (0x2803, 0x812F if clamp else 0x2901)):
                GL.glTexParameteri(TEXTURE_2D, parameter, value)
            self.textures[name, clamp] = number
        GL.glBindTexture(TEXTURE_2D, self.textures[name, clamp])

    def pixels(self):
        GL.glFinish()
        return numpy.frombuffer(self.buffer, "u1").reshape(SIZE[1], SIZE[0], 4)[::-1, :, :3].astype(int)


def draw_stage(picture, stage, surface, eye, time, is_first):
    _, _, corners, st, xyz, normal = surface
    said = {words[0]: words[1:] for words in stage}
    name, clamp = said.get("map", said.get("clampmap", [""]))[0], "clampmap" in said
    if "animmap" in said:
        names = said["animmap"][1:]
        name = names[int(time * float(said["animmap"][0])) % len(names)]
    picture.texture(name, clamp)
    blend = said.get("blendfunc")
    (GL.glEnable if blend else GL.glDisable)(0x0BE2)
    if blend:
        GL.glBlendFunc(*[FACTORS[factor] for factor in (SHORT[blend[0]] if len(blend) == 1 else blend)])
    GL.glDepthMask(0 if blend and "depthwrite" not in said else 1)
    GL.glDepthFunc(0x201 if is_first and not blend else 0x203)
    test = said.get("alphafunc")
    (GL.glEnable if test else GL.glDisable)(0x0BC0)
    if test:
        function, value = ALPHA[test[0]]
        GL.glAlphaFunc(function, F(value))
    color = numpy.ones((len(st), 4))
    generator = said.get("rgbgen", ["identity"])
    if generator[0] == "lightingdiffuse":
        sun = numpy.array([0.45, 0.3, 0.9]) / numpy.linalg.norm([0.45, 0.3, 0.9])
        light = (182 + 150 * numpy.maximum(normal @ sun, 0)) / 255
        color[:, :3] = numpy.minimum(light, 1)[:, None]
    elif generator[0] == "wave":
        color[:, :3] = min(max(wave(generator[1:], time), 0), 1)
    elif generator[0] == "const":
        color[:, :3] = [float(word) for word in generator[1:] if word not in "()"]
    generator = said.get("alphagen", ["identity"])
    if generator[0] != "identity":
        value = wave(generator[1:], time) if generator[0] == "wave" else float(generator[1])
        color[:, 3] = min(max(value, 0), 1)
    st = coordinates(stage, st, xyz, normal, eye, time)
    GL.glBegin(4)
    for corner in corners:
        GL.glColor4f(*[F(channel) for channel in color[corner]])
        GL.glTexCoord2d(*[D(x) for x in st[corner]])
        GL.glVertex3d(*[D(x) for x in xyz[corner]])
    GL.glEnd()


def by_opengl(eye, time, background):
    picture = Picture(background)
    top = NEAR * math.tan(math.radians(VIEW_ANGLE / 2))
    right = top * SIZE[0] / SIZE[1]
    GL.glMatrixMode(0x1701)
    GL.glFrustum(*[D(x) for x in (-right, right, -top, top, NEAR, FAR)])
    GL.glMatrixMode(0x1700)
    forward = -eye / numpy.linalg.norm(eye)
    side = numpy.cross(forward, [0, 0, 1])
    side /= numpy.linalg.norm(side)
    rows = numpy.stack([side, numpy.cross(side, forward), -forward])
    view = numpy.eye(4)
    view[:3, :3], view[:3, 3] = rows, -rows @ eye
    GL.glLoadMatrixd((D * 16)(*view.T.flatten()))
    known = scripts(GAME / "scripts/cards.shader")
    dressed = {"cutout": "cards/cutout.tga", "gloss": "cards/graded.tga"}
    passes = []
    for surface in surfaces(GAME / "models/cards.md3"):
        general, stages = known.get(surface[1], ([], None))
        if stages is None:
            texture = dressed.get(surface[0], surface[1])
            stages = [[["map", texture], ["rgbgen", "lightingdiffuse"]]]
            stages[0] += [["alphafunc", "ge128"]] if surface[0] == "cutout" else []
        if ["surfaceparm", "nodraw"] in general:
            continue
        blends = ["blendfunc"] in [words[:1] for words in stages[0]]
        writes = any(["depthwrite"] in stage for stage in stages)
        sort = (5 if writes else 9) if blends else 3
        sort = next((SORTS[words[1]] for words in general if words[0] == "sort"), sort)
        passes.append((sort, ["cull", "none"] in general, stages, surface))
    for _, is_twosided, stages, surface in sorted(passes, key=lambda entry: entry[0]):
        (GL.glDisable if is_twosided else GL.glEnable)(0x0B44)
        for number, stage in enumerate(stages):
            draw_stage(picture, stage, surface, eye, time, number == 0)
    return picture.pixels(), picture.renderer


def by_polyset(polyset, eye, time, background, out):
    place = ",".join(str(x) for x in eye)
    command = [polyset, "render", GAME / "models/cards.md3", out, "--resolution", "%d,%d" % SIZE, "--time", str(time),
               "--camera-position", place, "--camera-focal-point", "0,0,0", "--camera-near", str(NEAR),
               "--camera-far", str(FAR), "--background-color", bytes(background).hex(), "--quiet", "--force"]
    subprocess.run([str(word) for word in command], check=True)
    return numpy.asarray(Image.open(out).convert("RGB")).astype(int)


def main():
    polyset = sys.argv[1]
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    worst = 0.0
    for number, (eye, time) in enumerate([((140, 12, 9), 0.3), ((140, -30, 20), 1.7), ((120, 50, -30), 0.9),
                                          ((150, -60, 40), 3.2)]):
        eye, background = numpy.array(eye, float), [64, 96, 128]
        ours = by_polyset(polyset, eye.astype(int), time, background, folder / f"polyset-{number}.png")
        theirs, renderer = by_opengl(eye, time, background)
        off = numpy.abs(ours - theirs).max(axis=2)
        model = ((ours != background).any(axis=2) | (theirs != background).any(axis=2)).sum()
        share = 100 * (off > 3).sum() / model
        worst = max(worst, share)
        print(f"eye {eye}, {time} s: {(off > 3).sum()} of the model's {model} pixels are off by more than 3 levels "
              f"({share:.3f} %); {(off > 0).sum()} differ ({renderer})")
        Image.fromarray(theirs.astype("u1")).save(folder / f"opengl-{number}.png")
        Image.fromarray(numpy.minimum(off * 20, 255).astype("u1")).save(folder / f"off-{number}.png")
    sys.exit(int(worst > 0.5))


if __name__ == "__main__":
    main()
