import os
import pathlib
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

import pytest

from . import Drawing

class Golden:
    """Compares pictures with those in a folder: the fixture ``polyset_golden``."""

    folder: pathlib.Path
    differences: pathlib.Path
    blesses: bool

    def __init__(
        self,
        folder: Union[str, os.PathLike[str]],
        differences: Union[str, os.PathLike[str]],
        blesses: bool,
        notes: list[tuple[str, pathlib.Path, Optional[pathlib.Path]]],
    ) -> None: ...
    def path(self, name: str) -> pathlib.Path:
        """The file of a golden picture."""

    def __call__(
        self,
        name: str,
        picture: Union[Drawing, str, os.PathLike[str], npt.NDArray[np.uint8]],
        *,
        palette: Optional[npt.NDArray[np.uint8]] = None,
        **tolerance: Any,
    ) -> None:
        """Fails the test unless ``picture`` is the golden one of this name. ``tolerance`` is as of
        ``polyset.compare``; of two indexed pictures the indices count unless one is given."""

def polyset_golden(request: pytest.FixtureRequest) -> Golden:
    """Compares pictures with golden ones: ``polyset_golden(name, picture)``."""
