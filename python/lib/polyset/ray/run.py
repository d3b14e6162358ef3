"""A run of `polyset thumbs` over a cluster: the list is made here, batches of it are drawn by workers.

Pictures are written by the workers, to a folder that all of them see or as Parquet to any file system of pyarrow;
the manifest is written here, a line when its picture is there. A worker that dies loses its batch, which another
one draws again: pictures are written whole or not at all, and are the same bits wherever they are drawn.
"""

import dataclasses
import hashlib
import json
import os
import pathlib
import pickle
import sys
import tempfile

import pyarrow as pa
from pyarrow import fs
from pyarrow import parquet as pq

from .._polyset import Thumbs, line_check
from . import remote
from .batches import PICTURES, picture_row
from .manifest import Manifest

# Models of a task. A task costs the scheduler about as much as a model costs a worker: see docs/python.md.
BATCH = 64
_LINES = pa.schema([("line", pa.string()), ("kept", pa.bool_())])


@dataclasses.dataclass
class Summary:
    """Pictures that were drawn, kept from an earlier run, and could not be drawn."""

    drawn: int = 0
    kept: int = 0
    failed: int = 0

    @property
    def exit_code(self):
        """As of `polyset thumbs`: 0 all drawn, 1 some failed, 2 none could be drawn."""
        if not self.failed:
            return 0
        return 1 if self.drawn or self.kept else 2

    def __str__(self):
        return f"{self.drawn} drawn, {self.kept} kept, {self.failed} failed"


def thumbs(
    inputs,
    output,
    *,
    recursive=False,
    manifest=None,
    batch=BATCH,
    parquet=False,
    redraw=False,
    force=False,
    cache=None,
    tell=lambda message: print(message, file=sys.stderr),
    **said,
):
    """Draws thumbnails of all models of ``inputs`` on the cluster that ``ray`` is connected to.

    ``inputs`` are files, folders, archives or URIs of these, which every worker sees under the same name;
    ``output`` is a folder that every worker sees, with ``parquet`` also a URI. ``manifest`` is a file on this
    machine. ``said`` are the options of ``polyset thumbs``. Returns a ``Summary``; ``tell`` hears of failures.
    """
    if isinstance(inputs, (str, bytes, os.PathLike)):
        raise TypeError("inputs is a list of names, not one name")
    if batch < 1:
        raise ValueError(f"batch is the models of a block, from 1 on, not {batch}")

    import ray.data

    thumbs = Thumbs(**said)
    # What can be gone through once only is enough.
    inputs = [os.fspath(name) for name in inputs]
    cache = cache or os.path.join(tempfile.gettempdir(), f"polyset-{_user()}")
    tasks = _tasks(thumbs, inputs, recursive, cache, tell)
    if not tasks:
        raise ValueError("there are no models to draw")
    if manifest is None:
        if remote.is_remote(str(output)):
            raise ValueError("a manifest lies on this machine: give its name beside a URI")
        manifest = pathlib.Path(output) / "manifest.jsonl"
    summary = Summary()
    lines = Manifest(manifest)
    try:
        rows = [
            {"task": pickle.dumps(task), "known": "" if redraw else lines.of(task.name)}
            for task in tasks
        ]
        blocks = -(-len(rows) // batch)
        data = ray.data.from_items(rows, override_num_blocks=blocks)
        draw = _Draw(said, os.fspath(output), parquet, redraw, force)
        # Whole blocks: Ray would otherwise wait to fill batches from several.
        data = data.map_batches(draw, batch_size=None, batch_format="pyarrow", num_cpus=1)
        for block in data.iter_batches(batch_size=None, batch_format="pyarrow"):
            for text, kept in zip(block["line"].to_pylist(), block["kept"].to_pylist()):
                _take(lines, text, kept, summary, tell)
        lines.sort([task.name for task in tasks])
    finally:
        lines.close()
    return summary


def _take(lines, text, kept, summary, tell):
    line = json.loads(text)
    if kept:
        summary.kept += 1
        return
    lines.add(text, line)
    if line["error"]:
        summary.failed += 1
        tell(f"{line['input']}: {line['error']}")
    else:
        summary.drawn += 1


@dataclasses.dataclass(frozen=True)
class _Task:
    """A model of the list."""

    row: tuple
    # What is fetched before: URI and mirror; and what the mirror is called in the manifest.
    fetched: tuple = ()

    @property
    def name(self):
        return self.seen(os.fspath(self.row[0]))

    def seen(self, text):
        """A text with mirrors called by what they mirror."""
        for uri, local in self.fetched:
            text = text.replace(local, uri)
        return text

    def local(self, text):
        """The inverse of ``seen``."""
        for uri, local in self.fetched:
            text = text.replace(uri, local)
        return text


def _tasks(thumbs, inputs, recursive, cache, tell):
    local = [name for name in inputs if not remote.is_remote(name)]
    tasks = []
    if local or not inputs:
        rows, warnings = thumbs.list(local, recursive=recursive)
        tasks += [_Task(row) for row in rows]
        _tell_all(warnings, tell)
    # Names are unique below an input; those of several remote ones are told apart by their folders.
    for uri in filter(remote.is_remote, inputs):
        tasks += _remote_tasks(thumbs, uri.rstrip("/"), recursive, cache, tell)
    taken = set()
    for task in tasks:
        if task.row[1].lower() in taken:
            raise ValueError(
                f"two inputs have a picture '{task.row[1]}'; draw them into different folders"
            )
        taken.add(task.row[1].lower())
    return tasks


def _remote_tasks(thumbs, uri, recursive, cache, tell):
    place = os.fspath(remote.mirror(cache, uri))
    if remote.is_archive(uri):
        remote.fetch(uri, place)
        rows, warnings = thumbs.list([place])
        _tell_all(warnings, tell)
        return [_Task(row, ((uri, place),)) for row in rows]
    with tempfile.TemporaryDirectory(prefix="polyset-") as folder:
        system, root = fs.FileSystem.from_uri(uri)
        [info] = system.get_file_info([root])
        is_model = info.type == fs.FileType.File
        above = uri.rsplit("/", 1)[0] if is_model else uri
        place = os.fspath(remote.mirror(cache, above))
        remote.skeleton(above, folder, recursive and not is_model)
        inputs = os.path.join(folder, info.base_name) if is_model else folder
        rows, warnings = thumbs.list([inputs], recursive=recursive)
        _tell_all([warning.replace(folder, uri) for warning in warnings], tell)
        tasks = []
        for path, names, kind, _ in rows:
            beside = path if os.path.isdir(path) else os.path.dirname(path)
            below = os.path.relpath(beside, folder).replace(os.sep, "/")
            below = "" if below == "." else f"/{below}"
            row = (os.fspath(path).replace(folder, place), names, kind, "")
            tasks.append(_Task(row, ((above + below, place + below),)))
        return tasks


def _tell_all(messages, tell):
    for message in messages:
        tell(message)


class _Draw:
    """Draws the tasks of a batch; a row for every line of the manifest."""

    def __init__(self, said, output, parquet, redraw, force):
        self._said = said
        self._output = output
        self._parquet = parquet
        self._redraw = redraw
        self._force = force

    def __call__(self, batch):
        tasks = [pickle.loads(task) for task in batch["task"].to_pylist()]
        known = [_unsealed(text) for text in batch["known"].to_pylist()]
        drawn = []
        for tasks, known in self._parts(tasks, known):
            drawn += self._draw(tasks, known)
        rows = [{"line": _sealed(line), "kept": kept} for line, kept in drawn]
        return pa.Table.from_pylist(rows, schema=_LINES)

    def _parts(self, tasks, known):
        """Remote models one by one: each has names of its own in the manifest."""
        local = [pair for pair in zip(tasks, known) if not pair[0].fetched]
        if local:
            yield tuple(zip(*local))
        for task, text in zip(tasks, known):
            if task.fetched:
                yield (task,), (text,)

    def _draw(self, tasks, known):
        """The lines of some tasks, and whether they were there before."""
        try:
            for task in tasks:
                for uri, local in task.fetched:
                    remote.fetch(uri, local)
        except OSError as error:
            return [(_failed(task, error), False) for task in tasks]
        if self._parquet:
            return self._draw_parquet(tasks, known)
        return self._lines(tasks, known, self._output)

    def _lines(self, tasks, known, folder):
        """What `polyset thumbs` does with a part of a list, and its lines."""
        thumbs = _thumbs(self._said)
        before = [task.local(text) for task, text in zip(tasks, known)]
        is_known = set(_split("".join(known)))
        with tempfile.TemporaryDirectory(prefix="polyset-") as scratch:
            manifest = os.path.join(scratch, "manifest.jsonl")
            with open(manifest, "w", encoding="utf-8") as file:
                file.write("".join(before))
            rows = [task.row for task in tasks]
            drawn = thumbs.draw(rows, folder, manifest, redraw=self._redraw, force=self._force)
        lines = []
        for text in drawn:
            line = json.loads(tasks[0].seen(text))
            # What has failed is tried again, and may take the same time.
            kept = not line["error"] and _compact(line) in is_known
            lines.append((line, kept))
        return lines

    def _draw_parquet(self, tasks, known):
        """The pictures of what is not there yet as one file of a name that another try has too."""
        system, root = _file_system(self._output)
        done, todo = [], []
        for task, text in zip(tasks, known):
            lines = _split(text)
            if lines and not self._redraw and self._is_done(system, root, task, lines):
                done += [(json.loads(line), True) for line in lines]
            else:
                todo.append(task)
        if not todo:
            return done
        with tempfile.TemporaryDirectory(prefix="polyset-") as folder:
            lines = self._lines(todo, [""] * len(todo), folder)
            drawn = [line for line, _ in lines if not line["error"]]
            rows = [
                picture_row(line, pathlib.Path(folder, line["output"]).read_bytes())
                for line in drawn
            ]
        if rows:
            said = "\n".join(f"{row['name']} {row['hash']}" for row in rows)
            part = f"part-{hashlib.sha256(said.encode()).hexdigest()[:16]}.parquet"
            _write_part(system, root, part, rows)
            for line in drawn:
                line["part"] = part
        return done + lines

    def _is_done(self, system, root, task, lines):
        parts = {json.loads(line).get("part") for line in lines}
        if None in parts:
            return False
        there = system.get_file_info([f"{root}/{part}" for part in sorted(parts)])
        if any(info.type != fs.FileType.File for info in there):
            return False
        return _thumbs(self._said).is_unchanged(task.row, [task.local(line) for line in lines])


# What a process knows of archives, from batch to batch.
_known = {}


def _thumbs(said):
    key = repr(sorted(said.items()))
    if key not in _known:
        _known.clear()
        _known[key] = Thumbs(**said)
    return _known[key]


def _sealed(line):
    """A line of the manifest as text, which says what it is a hash of."""
    return _compact({**line, "check": line_check(_compact(line))})


def _unsealed(text):
    """Lines of the manifest without that, as they are to change; those that are damaged are left out."""
    lines = []
    for text in _split(text):
        line = json.loads(text)
        try:
            is_damaged = line.pop("check", None) not in (None, line_check(text))
        except ValueError:
            is_damaged = True
        if not is_damaged:
            lines.append(_compact(line) + "\n")
    return "".join(lines)


def _split(text):
    """Lines of a manifest: names in them may have what `str.splitlines` takes for ends of lines."""
    return text.split("\n")[:-1]


def _failed(task, error):
    return {
        "input": task.name, "options": "", "output": None, "skin": None, "clip": None, "frame": None,
        "picture": 0, "pictures": 1, "size": None, "bytes": None, "hash": None, "textures": [],
        "warnings": [], "error": str(error), "files": [], "milliseconds": 0.0,
    }  # fmt: skip


def _compact(line):
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False)


def _file_system(output):
    if remote.is_remote(output):
        return fs.FileSystem.from_uri(output)
    return fs.LocalFileSystem(), os.path.abspath(output)


def _write_part(system, root, part, rows):
    system.create_dir(root, recursive=True)
    begun = f"{root}/.begun-{os.getpid()}-{part}"
    with system.open_output_stream(begun) as out:
        pq.write_table(pa.Table.from_pylist(rows, schema=PICTURES), out)
    system.move(begun, f"{root}/{part}")


def _user():
    return os.getuid() if hasattr(os, "getuid") else "user"
