"""Readers of the four formats and what stands in them at a moment, apart from polyset's.

Everything becomes meshes: points, normals, texture coordinates, triangles, a texture of RGBA with
the share of each texel that glows in the dark. The table of 162 normals and Quake's palette are
data of the formats and are read out of polyset's sources.
"""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

PROJECT = Path(__file__).resolve().parents[2]


@dataclass
class Mesh:
    points: np.ndarray  # n x 3
    normals: np.ndarray  # n x 3
    coordinates: np.ndarray  # n x 2, (0, 0) is the upper-left corner of the texture
    triangles: np.ndarray  # m x 3, front faces clockwise
    texture: np.ndarray  # rows x columns x 4, bytes
    glows: np.ndarray  # rows x columns, bool
    holes: bool = False  # whether texels of alpha 0 are left out


def numbers_of(source, name):
    """The numbers of a constant in a Rust source."""
    text = (PROJECT / "src" / source).read_text()
    body = text[text.index(f"{name}: [") :].split("= [", 1)[1].split("];", 1)[0]
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", body)]


def directions():
    return np.array(numbers_of("format/anorms.rs", "NORMALS")).reshape(162, 3)


def quake_palette():
    return np.array(numbers_of("image/palette.rs", "QUAKE_COLORS"), np.uint8).reshape(256, 3)


def unit(vectors):
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0, length, 1)


def blend(a, b, t):
    return a + (b - a) * t


def picture(path):
    image = np.array(Image.open(path).convert("RGBA"))
    return image, np.zeros(image.shape[:2], bool)


def texture_named(name, folder):
    """The texture of a name, in the model's folder or above it; its own extension is tried first."""
    stem, own = Path(name).stem, Path(name).suffix
    folder = folder.resolve()
    for place in [folder, *folder.parents]:
        for extension in (own, ".tga", ".png", ".pcx"):
            if (place / (stem + extension)).is_file():
                return picture(place / (stem + extension))
        if place == PROJECT:
            break
    raise FileNotFoundError(name)


def text(raw):
    return raw.split(b"\0")[0].decode()


class Mdl:
    """Quake: one block behind the other."""

    def __init__(self, path, skin=0):
        data = path.read_bytes()
        magic, version = struct.unpack_from("<4si", data)
        assert (magic, version) == (b"IDPO", 6)
        scale, origin = np.array(struct.unpack_from("<6f", data, 8)).reshape(2, 3)
        skins, width, height, vertices, triangles, frames = struct.unpack_from("<6i", data, 48)
        at = 84
        images = []
        for _ in range(skins):
            (group,) = struct.unpack_from("<i", data, at)
            at += 4
            count = 1
            if group:
                (count,) = struct.unpack_from("<i", data, at)
                at += 4 + 4 * count
            images.append(np.frombuffer(data, np.uint8, width * height, at))
            at += count * width * height
        seams = np.frombuffer(data, "<i4", vertices * 3, at).reshape(-1, 3)
        at += vertices * 12
        faces = np.frombuffer(data, "<i4", triangles * 4, at).reshape(-1, 4)
        at += triangles * 16
        self.frames = []
        for _ in range(frames):
            (group,) = struct.unpack_from("<i", data, at)
            at += 4
            count = 1
            if group:
                (count,) = struct.unpack_from("<i", data, at)
                at += 12 + 4 * count
            for _ in range(count):
                at += 24
                frame = np.frombuffer(data, np.uint8, vertices * 4, at).reshape(-1, 4)
                at += vertices * 4
                self.frames.append((frame[:, :3] * scale + origin, directions()[frame[:, 3]]))
        # A corner takes the texture's other half where its triangle is a back one on the seam.
        self.corners = faces[:, 1:].reshape(-1)
        seams = seams[self.corners]
        is_back = np.repeat(faces[:, 0] == 0, 3) & (seams[:, 0] != 0)
        s = seams[:, 1] + np.where(is_back, width >> 1, 0)
        self.coordinates = np.stack([(s + 0.5) / width, (seams[:, 2] + 0.5) / height], axis=1)
        indices = images[skin].reshape(height, width)
        (flags,) = struct.unpack_from("<i", data, 76)
        self.holes = bool(flags & 0x4000)
        alpha = np.where(self.holes & (indices == 255), 0, 255).astype(np.uint8)
        self.texture = np.concatenate([quake_palette()[indices], alpha[..., None]], axis=2)
        self.glows = indices >= 224

    def meshes(self, a, b, t):
        (points, normals), (later_points, later_normals) = self.frames[a], self.frames[b]
        points = blend(points, later_points, t)[self.corners]
        normals = unit(blend(normals, later_normals, t))[self.corners]
        triangles = np.arange(len(points)).reshape(-1, 3)
        rest = self.texture, self.glows, self.holes
        return [Mesh(points, normals, self.coordinates, triangles, *rest)]


class Md2:
    """Quake II: blocks at offsets."""

    holes = False

    def __init__(self, path, skin=None):
        data = path.read_bytes()
        header = struct.unpack_from("<4s16i", data)
        assert header[:2] == (b"IDP2", 8)
        _, _, width, height, size, skins, vertices, sts, triangles, _, frames = header[:11]
        at_skins, at_sts, at_triangles, at_frames = header[11:15]
        sts = np.frombuffer(data, "<i2", sts * 2, at_sts).reshape(-1, 2)
        faces = np.frombuffer(data, "<u2", triangles * 6, at_triangles).reshape(-1, 6)
        self.frames = []
        for frame in range(frames):
            at = at_frames + frame * size
            scale, origin = np.frombuffer(data, "<f4", 6, at).reshape(2, 3).astype(float)
            points = np.frombuffer(data, np.uint8, vertices * 4, at + 40).reshape(-1, 4)
            self.frames.append((points[:, :3] * scale + origin, directions()[points[:, 3]]))
        self.corners = faces[:, :3].reshape(-1)
        self.coordinates = sts[faces[:, 3:].reshape(-1)] / np.array([width, height])
        name = text(data[at_skins : at_skins + 64] if skins else b"")
        self.texture, self.glows = picture(skin) if skin else texture_named(name, path.parent)

    meshes = Mdl.meshes


class Md3:
    """Quake III: surfaces, and tags for what hangs on the model."""

    def __init__(self, path, skin=None, names=None):
        data = path.read_bytes()
        header = struct.unpack_from("<4si64s9i", data)
        assert header[:2] == (b"IDP3", 15)
        _, self.frames, tags, surfaces, _, _, at_tags, at = header[3:11]
        self.tags = []
        for record in range(self.frames * tags):
            name, *values = struct.unpack_from("<64s12f", data, at_tags + 112 * record)
            self.tags.append((text(name), np.array(values[:3]), np.array(values[3:]).reshape(3, 3)))
        self.tags_per_frame = tags
        self.surfaces = []
        for _ in range(surfaces):
            values = struct.unpack_from("<4s64s10i", data, at)
            name = text(values[1])
            _, frames, _, count, triangles, to_triangles, to_shaders, to_sts, to_points, end = (
                values[2:]
            )
            assert frames == self.frames
            faces = np.frombuffer(data, "<i4", triangles * 3, at + to_triangles).reshape(-1, 3)
            sts = np.frombuffer(data, "<f4", count * 2, at + to_sts).reshape(-1, 2)
            points = np.frombuffer(data, "<i2", frames * count * 4, at + to_points)
            points = points.reshape(frames, count, 4)
            # Zenith and azimuth in parts of 256 of a circle.
            angles = np.stack([points[..., 3] & 255, (points[..., 3] >> 8) & 255]) * (
                2 * np.pi / 256
            )
            zenith, azimuth = angles
            normals = np.stack(
                [
                    np.cos(azimuth) * np.sin(zenith),
                    np.sin(azimuth) * np.sin(zenith),
                    np.cos(zenith),
                ],
                axis=-1,
            )
            shader = text(data[at + to_shaders : at + to_shaders + 64])
            shader = (names or {}).get(name, shader)
            texture = picture(skin) if skin else texture_named(shader, path.parent)
            self.surfaces.append(
                (points[..., :3] / 64, normals, sts.astype(float), faces, *texture)
            )
            at += end

    def meshes(self, a, b, t):
        return [
            Mesh(blend(points[a], points[b], t), unit(blend(normals[a], normals[b], t)), *rest)
            for points, normals, *rest in self.surfaces
        ]

    def tag(self, name, a, b, t):
        """Origin and rows: forward, left, up."""
        at = lambda frame: next(
            tag
            for tag in self.tags[frame * self.tags_per_frame :][: self.tags_per_frame]
            if tag[0] == name
        )
        (_, origin, rows), (_, later_origin, later_rows) = at(a), at(b)
        return blend(origin, later_origin, t), unit(blend(rows, later_rows, t))


def tokens(path):
    words = re.findall(r'"[^"]*"|//[^\n]*|\S+', path.read_text())
    return [word for word in words if not word.startswith("//")]


def full(x, y, z):
    return np.array([x, y, z, -np.sqrt(max(0.0, 1 - x * x - y * y - z * z))])


def product(a, b):
    """Of quaternions x, y, z, w: b first, then a."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return np.array(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    )


def turned(quaternion, point):
    x, y, z, w = quaternion
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return rotation @ point


def slerp(a, b, t):
    cosine = a @ b
    if cosine < 0:
        b, cosine = -b, -cosine
    angle = np.arccos(min(1.0, cosine))
    if angle < 1e-6:
        return unit(blend(a, b, t))
    return (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle)


class Md5:
    """Doom 3: points hang on joints, animations move the joints."""

    def __init__(self, path, animation=None):
        self.joints, self.parts, self.frames = [], [], None
        words = tokens(path)
        at = words.index("joints") + 2
        while words[at] != "}":
            x, y, z, qx, qy, qz = (float(words[at + i]) for i in (3, 4, 5, 8, 9, 10))
            self.joints.append((np.array([x, y, z]), full(qx, qy, qz)))
            at += 12
        while "mesh" in words[at:]:
            at = words.index("mesh", at) + 2
            shader, vertices, triangles, weights = "", [], [], []
            while words[at] != "}":
                kind = words[at]
                if kind == "shader":
                    shader = words[at + 1].strip('"')
                    at += 2
                elif kind == "vert":
                    vertices.append([float(words[at + i]) for i in (3, 4, 6, 7)])
                    at += 8
                elif kind == "tri":
                    triangles.append([int(words[at + i]) for i in (2, 3, 4)])
                    at += 5
                elif kind == "weight":
                    weights.append([float(words[at + i]) for i in (2, 3, 5, 6, 7)])
                    at += 9
                else:
                    at += 2
            texture = texture_named(shader, path.parent)
            self.parts.append((np.array(vertices), np.array(triangles), np.array(weights), texture))
        if animation:
            self.read_animation(tokens(animation))

    def read_animation(self, words):
        value = lambda name: int(words[words.index(name) + 1])
        count, components = value("numJoints"), value("numAnimatedComponents")
        at = words.index("hierarchy") + 2
        rows = [words[at + 4 * i : at + 4 * i + 4] for i in range(count)]
        self.parents = [int(row[1]) for row in rows]
        at = words.index("baseframe") + 2
        base = [[float(words[at + 10 * i + k]) for k in (1, 2, 3, 6, 7, 8)] for i in range(count)]
        self.frames = []
        for frame in range(value("numFrames")):
            at = (
                next(i for i in range(at, len(words)) if words[i : i + 2] == ["frame", str(frame)])
                + 3
            )
            values = [float(word) for word in words[at : at + components]]
            pose = []
            for row, joint in zip(rows, base):
                joint, flags, first = list(joint), int(row[2]), int(row[3])
                for bit in range(6):
                    if flags >> bit & 1:
                        joint[bit] = values[first]
                        first += 1
                pose.append((np.array(joint[:3]), full(*joint[3:])))
            self.frames.append(pose)

    def skeleton(self, a, b, t):
        if self.frames is None:
            return self.joints
        joints = []
        for parent, early, late in zip(self.parents, self.frames[a], self.frames[b]):
            place, turn = blend(early[0], late[0], t), slerp(early[1], late[1], t)
            if parent >= 0:
                origin, above = joints[parent]
                place, turn = origin + turned(above, place), product(above, turn)
            joints.append((place, turn))
        return joints

    def meshes(self, a, b, t):
        skeleton = self.skeleton(a, b, t)
        meshes = []
        for vertices, triangles, weights, texture in self.parts:
            points = skinned(vertices, weights, skeleton)
            bind = skinned(vertices, weights, self.joints)
            normals = smooth_normals(points, bind, triangles)
            meshes.append(Mesh(points, normals, vertices[:, :2], triangles, *texture))
        return meshes


def skinned(vertices, weights, skeleton):
    places = np.array(
        [
            bias * (skeleton[int(joint)][0] + turned(skeleton[int(joint)][1], np.array(at)))
            for joint, bias, *at in weights
        ]
    )
    spans = vertices[:, 2:].astype(int)
    return np.array([places[first : first + count].sum(axis=0) for first, count in spans])


def smooth_normals(points, bind, triangles):
    """Unit normals of the faces, summed over all vertices that stand at one place in the bind pose."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    faces = unit(np.cross(c - a, b - a))
    step = 1e-5 * np.ptp(bind, axis=0).max()
    _, place = np.unique(np.round(bind / step), axis=0, return_inverse=True)
    place = place.reshape(-1)
    sums = np.zeros((place.max() + 1, 3))
    for corner in range(3):
        np.add.at(sums, place[triangles[:, corner]], faces)
    return unit(sums)[place]
