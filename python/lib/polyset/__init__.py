"""Draws Quake-family models on the CPU: the same bits on every machine.

    >>> import polyset
    >>> picture = polyset.render("ogre.mdl", size=200, animation="run")   # (200, 200, 4) uint8

A ``Scene`` is a picture said completely; its keywords are the options of ``polyset render`` with ``_`` for
``-``. ``render`` draws one into an array, ``draw`` into a ``Drawing`` with depth, palette and warnings.
Archives and players are paths: ``pak0.pak:progs/ogre.mdl``, ``models/players/sarge``.
"""

import json as _json
import threading as _threading

from ._polyset import (
    Clip,
    Comparison,
    Drawing,
    Error,
    Model,
    Opened,
    OpenError,
    Pose,
    RequestError,
    Scene,
    Studio,
    Surface,
    WriteError,
    __version__,
    compare,
    options,
)
from ._polyset import info as _info
from ._polyset import thumbnail as _thumbnail

__all__ = [
    "Clip",
    "Comparison",
    "Drawing",
    "Error",
    "Model",
    "OpenError",
    "Opened",
    "Pose",
    "RequestError",
    "Scene",
    "Studio",
    "Surface",
    "WriteError",
    "__version__",
    "compare",
    "draw",
    "info",
    "options",
    "render",
    "thumbnail",
]

# A studio draws one picture at a time: every thread has its own, and keeps its buffers.
_studios = _threading.local()


def draw(scene, /, **options):
    """Draws a scene, or that of a model with options as keywords, with depth: a ``Drawing``."""
    if not isinstance(scene, Scene):
        scene = Scene(scene, **options)
    elif options:
        scene = scene.with_options(**options)
    studio = getattr(_studios, "studio", None)
    if studio is None:
        studio = _studios.studio = Studio()
    try:
        return studio.draw(scene)
    finally:
        studio.forget_textures()


def render(scene, /, **options):
    """The colours of ``draw``: an array (H, W, 4) of uint8."""
    return draw(scene, **options).rgba


def thumbnail(path, size=256, *, honest=False, **options):
    """A picture that tells a model from others, as ``polyset thumb`` draws it: an array (size, size, 4)."""
    return _thumbnail(path, size, honest=honest, **options).rgba


def info(path=None, **options):
    """What ``polyset info --json`` prints, as a dict (docs/info-json.md)."""
    return _json.loads(_info(path, **options))
