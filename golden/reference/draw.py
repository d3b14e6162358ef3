#!/usr/bin/env python3
"""Draws the reference pictures: our samples through Mesa's software renderer, without polyset.

    apt-get install libegl1 libgl1-mesa-dri      # 22.3.6 made the pictures that are kept
    pip install numpy==2.4.6 pillow==13.0.0 PyOpenGL==3.1.10
    golden/reference/draw.py [--check] [NAME...]

`scenes.toml` says what is drawn, in the words of `polyset check`, of which this script knows those that it needs. Models are read and posed by `models.py` and `players.py`, light is computed here, and
OpenGL does the rest: clipping, coverage, depth, perspective, texels. `--check` writes nothing and fails if a
picture would be another one.
"""

import argparse
import os
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

os.environ["PYOPENGL_PLATFORM"] = "egl"
os.environ["LIBGL_ALWAYS_SOFTWARE"] = "1"

import numpy as np
from OpenGL import EGL, GL
from PIL import Image

from models import Md2, Md3, Md5, Mdl, unit
from players import player

FOLDER = Path(__file__).resolve().parent

# Of the extension EGL_MESA_platform_surfaceless.
EGL_PLATFORM_SURFACELESS_MESA = 0x31DD

VERTEX = """
#version 330
in vec3 point;
in vec2 coordinate;
in float light;
in vec3 plane_u;
in vec3 plane_v;
in vec3 plane_w;
uniform mat4 projection;
out vec2 texture_coordinate;
out float intensity;
flat out vec3 planes[3];
void main() {
    planes = vec3[3](plane_u, plane_v, plane_w);
    gl_Position = projection * vec4(point, 1.0);
    texture_coordinate = coordinate;
    intensity = light;
}
"""

# Texels of at least one half in `glows` are not lit.
FRAGMENT = """
#version 330
in vec2 texture_coordinate;
in float intensity;
flat in vec3 planes[3];
uniform bool mipmaps;
uniform sampler2D colors;
uniform sampler2D glows;
uniform bool alpha_test;
out vec4 color;
// The mipmap that OpenGL names as the ideal one, with the derivatives at the pixel itself.
float level() {
    vec3 pixel = vec3(gl_FragCoord.xy, 1.0);
    vec3 over_w = vec3(dot(planes[0], pixel), dot(planes[1], pixel), dot(planes[2], pixel));
    vec2 at = over_w.xy / over_w.z;
    vec2 size = vec2(textureSize(colors, 0));
    vec2 right = size * (vec2(planes[0].x, planes[1].x) - at * planes[2].x) / over_w.z;
    vec2 down = size * (vec2(planes[0].y, planes[1].y) - at * planes[2].y) / over_w.z;
    return log2(max(length(right), length(down)));
}
void main() {
    vec4 texel = mipmaps
        ? textureLod(colors, texture_coordinate, level())
        : texture(colors, texture_coordinate);
    if (alpha_test && texel.a < 0.5) discard;
    float light = texture(glows, texture_coordinate).r < 0.5 ? intensity : 1.0;
    color = vec4(texel.rgb * light, 1.0);
}
"""


# What a scene may say, and what holds if it does not.
DEFAULTS = {
    "name": None,
    "reference": None,
    "metric": None,
    "threshold": None,
    "max_differing": None,
    "model": None,
    "size": 512,
    "camera_position": None,
    "camera_focal_point": None,
    "camera_view_angle": 30,
    "camera_near": None,
    "camera_far": None,
    "frame": 0,
    "anim": None,
    "legs": None,
    "torso": None,
    "animation_time": 0.0,
    "weapon": None,
    "skin": None,
    "lighting": None,
    "light": [1.0, 0.6, 1.0],
    "ambient": 0.3,
    "diffuse": 0.7,
    "light_level": 128,
    "filter": "nearest",
    "draw": "textured",
    "cull": "back",
    "alpha_test": False,
    "background_color": None,
}


def scenes():
    text = tomllib.loads((FOLDER / "scenes.toml").read_text())
    for said in text["scene"]:
        said = text["defaults"] | said
        unknown = set(said) - set(DEFAULTS)
        assert not unknown, f"{said['name']}: this script does not know {unknown}"
        yield SimpleNamespace(**(DEFAULTS | said))


def meshes_of(scene):
    path = FOLDER / scene.model
    if path.is_dir():
        weapon = scene.weapon and FOLDER / scene.weapon
        return player(path, scene.legs, scene.torso, scene.animation_time, weapon)
    a, b, t = scene.frame if isinstance(scene.frame, list) else (scene.frame, scene.frame, 0.0)
    if path.suffix == ".mdl":
        model = Mdl(path, scene.skin or 0)
    elif path.suffix == ".md5mesh":
        model = Md5(path, scene.anim and FOLDER / scene.anim)
    else:
        model = (Md2 if path.suffix == ".md2" else Md3)(path, scene.skin and FOLDER / scene.skin)
    return model.meshes(int(a), int(b), t)


def intensity(scene, normals):
    """The light of each vertex; docs/lighting.md has the formulas."""
    towards = {
        "lambert": scene.light,
        "quake": [1.0, 0.0, 0.0],
        "quake2": [1.0, 0.0, 0.0],
        "gl": [1.0, 0.0, 1.0],
        "quake3": [0.45, 0.3, 0.9],
    }
    if scene.lighting == "unlit":
        return np.ones(len(normals))
    cosine = normals @ unit(np.array(towards[scene.lighting]))
    bright = np.maximum(cosine, 0.0)
    if scene.lighting == "lambert":
        return np.clip(scene.ambient + scene.diffuse * bright, 0.0, 1.0)
    if scene.lighting == "quake3":
        return np.minimum((182 + 150 * bright) / 255, 1.0)
    if scene.lighting == "gl":
        return (
            min(scene.light_level, 96) / 100 * (1 + np.where(cosine < 0, cosine * 13 / 44, cosine))
        )
    ambient = min(scene.light_level, 128)
    shaded = min(scene.light_level, 192 - ambient)
    dark = (255 - max(ambient, 5)) * 64 - 64 * shaded * bright
    return np.clip(2 * (63 - dark / 256) / 63, 0.0, 2.0)


def projection(scene):
    """Row 0 of the picture is drawn first, so that edges belong to the upper left: y points down."""
    eye, focus = np.array(scene.camera_position), np.array(scene.camera_focal_point)
    forward = unit(focus - eye)
    right = unit(np.cross(forward, [0.0, 0.0, 1.0]))
    up = np.cross(right, forward)
    view = np.eye(4)
    view[:3, :3] = [right, up, -forward]
    view[:3, 3] = -view[:3, :3] @ eye
    angle, near, far = scene.camera_view_angle, scene.camera_near, scene.camera_far
    scale = 1 / np.tan(np.radians(angle) / 2)
    lens = np.diag([scale, -scale, -(far + near) / (far - near), 0.0])
    lens[2, 3], lens[3, 2] = -2 * far * near / (far - near), -1.0
    return lens @ view


def open_context():
    display = EGL.eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, None, None)
    assert EGL.eglInitialize(display, None, None)
    EGL.eglBindAPI(EGL.EGL_OPENGL_API)
    context = EGL.eglCreateContext(display, EGL.EGLConfig(), EGL.EGL_NO_CONTEXT, None)
    assert EGL.eglMakeCurrent(display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, context)


def program():
    made = GL.glCreateProgram()
    for kind, source in ((GL.GL_VERTEX_SHADER, VERTEX), (GL.GL_FRAGMENT_SHADER, FRAGMENT)):
        shader = GL.glCreateShader(kind)
        GL.glShaderSource(shader, source.strip())
        GL.glCompileShader(shader)
        assert GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS), GL.glGetShaderInfoLog(shader)
        GL.glAttachShader(made, shader)
    GL.glLinkProgram(made)
    assert GL.glGetProgramiv(made, GL.GL_LINK_STATUS), GL.glGetProgramInfoLog(made)
    return made


def mipmaps(image):
    """OpenGL leaves open how they are made: half the size, each texel the mean of four."""
    levels = [image]
    while max(image.shape[:2]) > 1:
        height, width = (max(side // 2, 1) for side in image.shape[:2])
        rows, columns = (
            np.minimum([np.arange(n) * 2, np.arange(n) * 2 + 1], m - 1)
            for n, m in zip((height, width), image.shape)
        )
        sums = sum(image[rows[i]][:, columns[j]].astype(int) for i in (0, 1) for j in (0, 1))
        image = ((sums + 2) // 4).astype(np.uint8)
        levels.append(image)
    return levels


def planes(points, coordinates, matrix, size):
    """For each triangle what u / w, v / w and 1 / w are at a pixel: factors of column, row and 1."""
    clip = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ matrix.T
    window = np.stack(
        [(clip[:, 0] + clip[:, 3]) * size / 2, (clip[:, 1] + clip[:, 3]) * size / 2, clip[:, 3]],
        axis=1,
    )
    corners = window.reshape(-1, 3, 3)
    has_area = np.abs(np.linalg.det(corners)) > 1e-9
    corners[~has_area] = np.eye(3)
    values = np.concatenate([coordinates, np.ones((len(points), 1))], axis=1).reshape(-1, 3, 3)
    factors = np.linalg.solve(corners, values)
    return np.repeat(factors.transpose(2, 0, 1), 3, axis=1)


def upload(unit_number, pixels, kind, filters):
    GL.glActiveTexture(GL.GL_TEXTURE0 + unit_number)
    GL.glBindTexture(GL.GL_TEXTURE_2D, GL.glGenTextures(1))
    GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)
    inner = GL.GL_RGBA8 if kind == GL.GL_RGBA else GL.GL_R8
    smaller, larger = filters
    levels = mipmaps(pixels) if smaller == GL.GL_LINEAR_MIPMAP_LINEAR else [pixels]
    for level, image in enumerate(levels):
        height, width = image.shape[:2]
        GL.glTexImage2D(
            GL.GL_TEXTURE_2D,
            level,
            inner,
            width,
            height,
            0,
            kind,
            GL.GL_UNSIGNED_BYTE,
            image.tobytes(),
        )
    GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MIN_FILTER, smaller)
    GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MAG_FILTER, larger)
    for side in (GL.GL_TEXTURE_WRAP_S, GL.GL_TEXTURE_WRAP_T):
        GL.glTexParameteri(GL.GL_TEXTURE_2D, side, GL.GL_REPEAT)


def frame_buffer(size):
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, GL.glGenFramebuffers(1))
    for place, kind in (
        (GL.GL_COLOR_ATTACHMENT0, GL.GL_RGBA8),
        (GL.GL_DEPTH_ATTACHMENT, GL.GL_DEPTH_COMPONENT32F),
    ):
        buffer = GL.glGenRenderbuffers(1)
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, buffer)
        GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, kind, size, size)
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, place, GL.GL_RENDERBUFFER, buffer)
    assert GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) == GL.GL_FRAMEBUFFER_COMPLETE
    GL.glViewport(0, 0, size, size)


FILTERS = {
    "nearest": (GL.GL_NEAREST, GL.GL_NEAREST),
    "bilinear": (GL.GL_LINEAR, GL.GL_LINEAR),
    "trilinear": (GL.GL_LINEAR_MIPMAP_LINEAR, GL.GL_LINEAR),
}


def draw(scene, shaders):
    frame_buffer(scene.size)
    behind = bytes.fromhex(scene.background_color) + b"\xff" if scene.background_color else bytes(4)
    GL.glClearColor(*(channel / 255 for channel in behind))
    GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glDepthFunc(GL.GL_LESS)
    if scene.cull == "none":
        GL.glDisable(GL.GL_CULL_FACE)
    else:
        GL.glEnable(GL.GL_CULL_FACE)
    # Clockwise in space, turned over by the projection.
    GL.glFrontFace(GL.GL_CCW)
    GL.glCullFace(GL.GL_BACK)
    place = lambda name: GL.glGetUniformLocation(shaders, name)
    matrix = projection(scene)
    GL.glUniformMatrix4fv(place("projection"), 1, GL.GL_TRUE, matrix.astype(np.float32))
    GL.glUniform1i(place("mipmaps"), scene.filter == "trilinear")
    GL.glUniform1i(place("colors"), 0)
    GL.glUniform1i(place("glows"), 1)
    glowing = scene.lighting in ("quake", "gl")
    for mesh in meshes_of(scene):
        light = intensity(scene, mesh.normals)[mesh.triangles]
        if scene.draw == "flat":
            mesh.texture, mesh.glows = np.full((1, 1, 4), 192, np.uint8), np.zeros((1, 1), bool)
            light[:] = light.mean(axis=1, keepdims=True)
        GL.glUniform1i(place("alpha_test"), scene.alpha_test or mesh.holes)
        upload(0, mesh.texture, GL.GL_RGBA, FILTERS[scene.filter])
        upload(1, mesh.glows.astype(np.uint8) * (255 * glowing), GL.GL_RED, FILTERS["nearest"])
        corners = mesh.triangles.reshape(-1)
        points, coordinates = mesh.points[corners], mesh.coordinates[corners]
        factors = planes(points, coordinates, matrix, scene.size)
        GL.glBindVertexArray(GL.glGenVertexArrays(1))
        for name, values in (
            ("point", points),
            ("coordinate", coordinates),
            ("light", light.reshape(-1, 1)),
            *zip(("plane_u", "plane_v", "plane_w"), factors),
        ):
            values = np.ascontiguousarray(values, np.float32)
            GL.glBindBuffer(GL.GL_ARRAY_BUFFER, GL.glGenBuffers(1))
            GL.glBufferData(GL.GL_ARRAY_BUFFER, values.nbytes, values, GL.GL_STATIC_DRAW)
            attribute = GL.glGetAttribLocation(shaders, name)
            GL.glEnableVertexAttribArray(attribute)
            GL.glVertexAttribPointer(attribute, values.shape[1], GL.GL_FLOAT, False, 0, None)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, len(corners))
    pixels = GL.glReadPixels(0, 0, scene.size, scene.size, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE)
    assert GL.glGetError() == GL.GL_NO_ERROR
    return np.frombuffer(pixels, np.uint8).reshape(scene.size, scene.size, 4)


def main():
    parser = argparse.ArgumentParser(description="Draws the reference pictures with OpenGL.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, fail if a picture differs"
    )
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    open_context()
    print(GL.glGetString(GL.GL_RENDERER).decode(), GL.glGetString(GL.GL_VERSION).decode(), sep=", ")
    shaders = program()
    GL.glUseProgram(shaders)
    differing = []
    for scene in scenes():
        if given.names and scene.name not in given.names:
            continue
        pixels = draw(scene, shaders)
        path = FOLDER / f"{scene.name}.png"
        if not given.check:
            Image.fromarray(pixels).save(path, optimize=True)
        elif not np.array_equal(np.array(Image.open(path)), pixels):
            differing.append(scene.name)
    if differing:
        sys.exit("other pictures: " + ", ".join(differing))


main()
