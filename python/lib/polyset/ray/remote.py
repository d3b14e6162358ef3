"""Models behind a URI, read through pyarrow's file systems: s3://, gs://, hdfs://, file://.

A place is mirrored below a folder that is called the same on every node. An archive is fetched as a whole, of a
folder what lies beside the model that is drawn: its textures and animations. What is there with the same length
and time is not fetched again.
"""

import contextlib
import hashlib
import os
import pathlib
import tempfile

from pyarrow import fs

ARCHIVES = (".pak", ".pk3", ".pk4", ".zip", ".dpk", ".kpf")
# What no model needs is not fetched.
MAX_BYTES = 1 << 30


def is_remote(name):
    return "://" in name


def mirror(cache, uri):
    """Where a place is mirrored."""
    key = hashlib.sha256(uri.encode()).hexdigest()[:16]
    return pathlib.Path(cache) / key / uri.rstrip("/").rsplit("/", 1)[-1]


def is_archive(uri):
    return uri.lower().endswith(ARCHIVES)


def skeleton(uri, folder, recursive):
    """Empty files of the names that a remote folder has, below ``folder``: enough to list its models."""
    system, root = fs.FileSystem.from_uri(uri)
    found = system.get_file_info(fs.FileSelector(root, recursive=recursive))
    for info in found:
        path = pathlib.Path(folder) / os.path.relpath(info.path, root)
        if info.type == fs.FileType.Directory:
            path.mkdir(parents=True, exist_ok=True)
        elif info.type == fs.FileType.File:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()


def fetch(uri, local):
    """Brings an archive, or the files of a folder, to ``local``."""
    system, root = fs.FileSystem.from_uri(uri)
    [info] = system.get_file_info([root])
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(f"there is no '{uri}'")
    if info.type == fs.FileType.File:
        _copy(system, info, pathlib.Path(local))
        return
    for info in system.get_file_info(fs.FileSelector(root)):
        if info.type == fs.FileType.File and info.size <= MAX_BYTES:
            _copy(system, info, pathlib.Path(local) / info.base_name)


def _copy(system, info, local):
    modified = info.mtime_ns or 0
    with contextlib.suppress(OSError):
        there = local.stat()
        if (there.st_size, there.st_mtime_ns // 1000) == (info.size, modified // 1000):
            return
    local.parent.mkdir(parents=True, exist_ok=True)
    # Several workers of a node may fetch the same file: each writes its own, the last one stays.
    with tempfile.NamedTemporaryFile(dir=local.parent, prefix=".polyset-", delete=False) as file:
        try:
            with system.open_input_stream(info.path) as source:
                while chunk := source.read(1 << 20):
                    file.write(chunk)
            file.flush()
            os.utime(file.name, ns=(modified, modified))
            os.replace(file.name, local)
        except BaseException:
            os.unlink(file.name)
            raise
