import dataclasses
import os
from collections.abc import Callable, Iterable
from typing import Any, Optional, Union

import pyarrow as pa  # type: ignore[import-untyped]

_Path = Union[str, os.PathLike[str]]

class Thumbnails:
    """For ``Dataset.map_batches``: thumbnails of the models in the column ``path``: ``input``, ``name``, ``width``,
    ``height``, ``hash``, ``png``, ``warnings``, ``error``.

    ``skins``, ``clips`` and ``frames`` ask for several pictures a model; options are those of scenes. What cannot
    be drawn is a row with ``error``.
    """

    def __init__(self, size: int = 256, **options: Any) -> None: ...
    def __call__(self, batch: Any) -> pa.Table: ...

class Renders:
    """For ``Dataset.map_batches``: pictures of the models in the column ``path``, as of ``polyset render``. A column
    that is called like an option says it for each picture; ``name`` is kept."""

    def __init__(self, **options: Any) -> None: ...
    def __call__(self, batch: Any) -> pa.Table: ...

@dataclasses.dataclass
class Summary:
    """Pictures that were drawn, kept from an earlier run, and could not be drawn."""

    drawn: int = 0
    kept: int = 0
    failed: int = 0

    @property
    def exit_code(self) -> int:
        """As of `polyset thumbs`: 0 all drawn, 1 some failed, 2 none could be drawn."""

def thumbs(
    inputs: Iterable[_Path],
    output: _Path,
    *,
    recursive: bool = False,
    manifest: Optional[_Path] = None,
    batch: int = 64,
    parquet: bool = False,
    redraw: bool = False,
    force: bool = False,
    cache: Optional[str] = None,
    tell: Callable[[str], object] = ...,
    **said: Any,
) -> Summary:
    """Draws thumbnails of all models of ``inputs`` on the cluster that ``ray`` is connected to.

    ``inputs`` are files, folders, archives or URIs of these, which every worker sees under the same name;
    ``output`` is a folder that every worker sees, with ``parquet`` also a URI. ``manifest`` is a file on this
    machine. ``said`` are the options of ``polyset thumbs``. ``tell`` hears of failures.
    """
