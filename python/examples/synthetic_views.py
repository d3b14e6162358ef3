"""Random views of a model with everything that a network is trained on: colours, distance, normals, a mask of
surfaces, and the camera's matrices.

    python synthetic_views.py ogre.mdl --count 1000 --size 256 -o views

``Views`` has a length and is indexed, which is all that a ``torch.utils.data.DataLoader`` asks for: with
``worker_init_fn`` or without, with workers or threads, view 17 is the same bits. As an iterable it gives NumPy
arrays, drawn ahead on all processors.
"""

import argparse
import collections
import concurrent.futures
import os
import threading
import time

import numpy as np

import polyset


class Views:
    """Random views of a model: ``views[17]`` is a dict of arrays, and depends on nothing but the arguments.

    ====================  ==================================================================================
    ``image``             (H, W, 4) uint8: red, green, blue, alpha
    ``distance``          (H, W) float32: along the camera's axis in model units; infinite where nothing is
    ``normals``           (H, W, 3) float32 in the model's space; zero where nothing is
    ``mask``              (H, W) uint16: 0 nothing, else 1 + the number in ``surfaces``
    ``intrinsics``        (3, 3) float64: camera (x right, y down, z forward) to pixels
    ``extrinsics``        (3, 4) float64: the model's space to the camera's
    ``clip``, ``time``    the animation and seconds from its beginning
    ====================  ==================================================================================
    """

    def __init__(self, model, count=1000, size=256, seed=0, threads=None, **options):
        self.count, self.seed, self.threads = count, seed, threads or os.cpu_count()
        # An animation makes animations beside the model known.
        scene = polyset.Scene(model, size=size, **options)
        self.clips = scene.open().clips
        if self.clips:
            scene = scene.with_options(animation=self.clips[0])
        self.scene = scene
        parts = scene.open().parts
        self.surfaces = [(part, name) for part, names in parts for name in names]
        self._of_thread = threading.local()

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_of_thread"}

    def __setstate__(self, state):
        vars(self).update(state, _of_thread=threading.local())

    def __len__(self):
        return self.count

    def __iter__(self):
        """The views in order; as many are drawn ahead as there are threads."""
        with concurrent.futures.ThreadPoolExecutor(self.threads) as pool:
            ahead = collections.deque()
            for number in range(self.count):
                ahead.append(pool.submit(self.__getitem__, number))
                if len(ahead) > 2 * self.threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def __getitem__(self, number):
        if not 0 <= number < self.count:
            raise IndexError(number)
        random = np.random.default_rng([self.seed, number])
        clip = self.clips[random.integers(len(self.clips))] if self.clips else None
        said = {
            "animation": clip,
            "animation_time": round(float(random.uniform(0, 2)), 3) if clip else None,
            "camera_azimuth_angle": round(float(random.uniform(0, 360)), 2),
            "camera_elevation_angle": round(float(random.uniform(-30, 60)), 2),
            "camera_zoom_factor": round(float(random.uniform(0.6, 1)), 3),
        }
        scene = self.scene.with_options(**said)
        studio, opened, flat = self._tools()
        image = studio.draw(scene, opened, depth=False).pixels
        plain = scene.with_options(lighting="unlit", filter="nearest", anti_aliasing="none")
        ids = studio.draw(plain, flat).pixels
        seen = studio.draw(plain.with_options(draw="normals"), opened)
        matrix = scene.clip_matrix(opened).astype(float)
        intrinsics, extrinsics = cameras(matrix, scene.size)
        return {
            "image": image,
            "distance": distances(seen.depth, matrix),
            "normals": directions(seen.pixels),
            "mask": np.where(ids[..., 3] > 0, ids[..., 0] + 256 * ids[..., 1].astype("u2"), 0),
            "intrinsics": intrinsics,
            "extrinsics": extrinsics,
            "clip": clip or "",
            "time": said["animation_time"] or 0.0,
        }

    def _tools(self):
        """A studio, the model, and the model in flat colours that number its surfaces, of this thread."""
        mine = self._of_thread
        if not hasattr(mine, "studio"):
            mine.studio = polyset.Studio(threads=1)
            mine.opened, mine.flat = self.scene.open(), self.scene.open()
            number = 0
            for part, (_, names) in enumerate(mine.opened.parts):
                for surface in range(len(names)):
                    number += 1
                    # Holes stay holes: the alpha is that of the texture.
                    skin = mine.opened.skin(surface, part=part)
                    skin = np.full((1, 1, 4), 255, "u1") if skin is None else skin
                    skin[..., :3] = number % 256, number // 256, 0
                    mine.flat.set_skin(surface, skin, part=part)
        return mine.studio, mine.opened, mine.flat


def cameras(matrix, size):
    """Intrinsics and extrinsics of a perspective camera, from the matrix to clip space."""
    width, height = size
    forward, origin = matrix[3, :3], matrix[3, 3]
    length = np.linalg.norm(forward)
    matrix, forward, origin = matrix / length, forward / length, origin / length
    middle_x, middle_y = matrix[0, :3] @ forward, matrix[1, :3] @ forward
    right, up = matrix[0, :3] - middle_x * forward, matrix[1, :3] - middle_y * forward
    focal_x, focal_y = np.linalg.norm(right), np.linalg.norm(up)
    rotation = np.stack([right / focal_x, -up / focal_y, forward])
    translation = [
        (matrix[0, 3] - middle_x * origin) / focal_x,
        -(matrix[1, 3] - middle_y * origin) / focal_y,
        origin,
    ]
    intrinsics = np.array(
        [
            [focal_x * width / 2, 0, (1 + middle_x) * width / 2],
            [0, focal_y * height / 2, (1 - middle_y) * height / 2],
            [0, 0, 1],
        ]
    )
    return intrinsics, np.c_[rotation, translation]


def distances(depth, matrix):
    """Distance along the camera's axis from depth, which is what clip space has between near and far."""
    axis = matrix[3, :3]
    scale = matrix[2, :3] @ axis / (axis @ axis)
    offset = matrix[2, 3] - scale * matrix[3, 3]
    with np.errstate(divide="ignore"):
        distance = offset / (2 * depth.astype(float) - 1 - scale)
    return np.where(depth < 1, distance, np.inf).astype("f4")


def directions(pixels):
    """Unit vectors from the colours of a picture of normals."""
    normals = pixels[..., :3].astype("f4") / 127.5 - 1
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True).clip(1e-6)
    return np.where(pixels[..., 3:] > 0, normals, 0).astype("f4")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int)
    parser.add_argument("-o", "--output", help="a folder for a file .npz of each view")
    said = parser.parse_args()
    views = Views(said.model, said.count, said.size, said.seed, said.threads)
    if said.output:
        os.makedirs(said.output, exist_ok=True)
    start = time.perf_counter()
    for number, view in enumerate(views):
        if said.output:
            np.savez_compressed(os.path.join(said.output, f"{number:06}.npz"), **view)
    seconds = time.perf_counter() - start
    print(f"{len(views)} views in {seconds:.2f} s: {len(views) / seconds:.0f} a second")


if __name__ == "__main__":
    main()
