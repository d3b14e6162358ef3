"""What a worker does with a batch: drawing, on one thread, whatever happens to a single model."""

import json
import os
import pathlib
import tempfile

import pyarrow as pa

from .. import Error, Scene, Studio
from .._polyset import Thumbs

# A picture each; `line` is what the manifest of `polyset thumbs` says of it.
PICTURES = pa.schema(
    [
        ("input", pa.string()),
        ("name", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("hash", pa.string()),
        ("png", pa.binary()),
        ("warnings", pa.list_(pa.string())),
        ("error", pa.string()),
    ]
)


def picture_row(line, png):
    """A row of PICTURES from a line of the manifest."""
    width, height = line["size"] or (None, None)
    return {
        "input": line["input"],
        "name": line["output"],
        "width": width,
        "height": height,
        "hash": line["hash"],
        "png": png,
        "warnings": line["warnings"],
        "error": line["error"],
    }


class Thumbnails:
    """For ``Dataset.map_batches``: thumbnails of the models in the column ``path``, a row of PICTURES each.

    ``path`` is a model, ``ARCHIVE:MEMBER``, or a player's folder. ``skins``, ``clips`` and ``frames`` ask for
    several pictures a model; options are those of scenes. What cannot be drawn is a row with ``error``.
    """

    def __init__(self, size=256, **options):
        self._said = {"size": size, **options}
        # Bad options are told where they are given, not by a worker.
        Thumbs(**self._said)

    def __call__(self, batch):
        thumbs = Thumbs(**self._said)
        rows = []
        for path in _column(batch, "path"):
            with tempfile.TemporaryDirectory(prefix="polyset-") as folder:
                rows.extend(self._pictures(thumbs, path, pathlib.Path(folder)))
        return pa.Table.from_pylist(rows, schema=PICTURES)

    @staticmethod
    def _pictures(thumbs, path, folder):
        try:
            models, _ = thumbs.list([path])
        except (Error, TypeError) as error:
            yield _failure(path, error)
            return
        for text in thumbs.draw(models, folder / "pictures", folder / "manifest.jsonl"):
            line = json.loads(text)
            png = None if line["error"] else (folder / "pictures" / line["output"]).read_bytes()
            yield picture_row(line, png)


class Renders:
    """For ``Dataset.map_batches``: pictures of the models in the column ``path``, a row of PICTURES each.

    Options are those of ``polyset render``; a column that is called like an option says it for each picture:
    ``camera_azimuth_angle``, ``animation``, ``skin``. The column ``name``, if there is one, is kept.
    """

    def __init__(self, **options):
        self._options = options
        Scene("model", **options)

    def __call__(self, batch):
        studio = Studio(threads=1)
        columns = {name: _column(batch, name) for name in _names(batch)}
        rows = []
        for number, path in enumerate(columns.pop("path")):
            said = {name: values[number] for name, values in columns.items()}
            rows.append(self._picture(studio, path, said.pop("name", None), said))
            studio.forget_textures()
        return pa.Table.from_pylist(rows, schema=PICTURES)

    def _picture(self, studio, path, name, said):
        try:
            scene = Scene(path, **{**self._options, **said})
            opened = scene.open()
            drawing = studio.draw(scene, opened, depth=False)
        except (Error, TypeError) as error:
            return {**_failure(path, error), "name": _text(name)}
        height, width = drawing.pixels.shape[:2]
        return {
            "input": _text(path),
            "name": _text(name),
            "width": width,
            "height": height,
            "hash": drawing.hash,
            "png": drawing.png(),
            "warnings": opened.warnings + drawing.warnings,
            "error": None,
        }


def _failure(path, error):
    return {"input": _text(path), "warnings": [], "error": str(error)}


def _text(value):
    """A value of a column as text of Arrow; bytes that are no UTF-8 are replaced."""
    if value is None:
        return None
    text = os.fsdecode(value) if isinstance(value, (str, bytes, os.PathLike)) else str(value)
    return text.encode(errors="surrogateescape").decode(errors="replace")


def _names(batch):
    return batch.column_names if isinstance(batch, pa.Table) else list(batch)


def _column(batch, name):
    """A column of a batch in any of Ray's formats as Python values."""
    if name not in _names(batch):
        raise ValueError(f"the data set has no column '{name}'; it has {', '.join(_names(batch))}")
    column = batch[name]
    if hasattr(column, "to_pylist"):
        return column.to_pylist()
    return column.tolist()
