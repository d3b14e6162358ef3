import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union, final

import numpy as np
import numpy.typing as npt

_Path = Union[str, os.PathLike[str]]
_Bytes = npt.NDArray[np.uint8]
_Floats = npt.NDArray[np.float32]
# A picture: a drawing, a file, colours (H, W, 4) or (H, W, 3), or indices (H, W) with a palette.
_Picture = Union["Drawing", _Path, _Bytes]

__version__: str
__all__: list[str]

class Error(Exception):
    """Something that polyset cannot do; the message names what was expected and found."""

class OpenError(Error):
    """A file cannot be used."""

    file: Optional[str]
    """The file or the member of an archive."""
    kind: Optional[str]
    """"unreadable", "unknown format", "unsupported version", "truncated", "malformed", "mismatch",
    "picture"."""
    part: Optional[str]
    """The part of the file: "header", "frame 12"."""
    offset: Optional[int]
    """Bytes from the start of a binary file."""
    line: Optional[int]
    """The line of a text file, from 1."""
    option: Optional[str]
    """The option that named the file, with its dashes."""

class RequestError(Error):
    """What was asked for does not exist or contradicts something else: an option, a clip, a frame."""

class WriteError(Error):
    """A file cannot be written; one that was there is as it was."""

@final
class Model:
    """A model of any of the formats."""

    @staticmethod
    def open(path: _Path) -> Model:
        """Reads a model file (or ``ARCHIVE:MEMBER``) and finds its textures as the games do.

        Raises ``OpenError`` if it cannot be read or is no model.
        """

    @staticmethod
    def from_bytes(data: bytes) -> Model:
        """Reads the bytes of a model file; it has no textures but those inside it."""

    @property
    def format(self) -> str:
        """"mdl", "md2", "md3" or "md5mesh"."""

    @property
    def name(self) -> str:
        """The name inside the file; empty where there is none."""

    @property
    def clips(self) -> list[Clip]:
        """The animations."""

    def clip(self, name: Union[str, int]) -> Clip:
        """An animation by its name or number. Raises ``RequestError`` that lists the names."""

    @property
    def surfaces(self) -> list[Surface]:
        """The surfaces in file order."""

    @property
    def skins(self) -> list[str]:
        """Paths of the skins that the file names; empty strings for pictures inside it."""

    @property
    def tag_names(self) -> list[str]:
        """Names of the points where other models hang."""

    @property
    def joints(self) -> list[tuple[str, Optional[int]]]:
        """Joints of a skeleton: the name, and the number of the joint that it hangs on."""

    @property
    def frame_count(self) -> int:
        """How many frames there are, those of all clips."""

    @property
    def triangle_count(self) -> int:
        """How many triangles all surfaces have."""

    @property
    def warnings(self) -> list[str]:
        """Defects that did not stop the reading."""

    def pose(self, clip: Union[Clip, str, int, None] = None, time: float = 0.0) -> Pose:
        """The model ``time`` seconds after the beginning of a clip, which repeats; without a clip in its
        first frame."""

@final
class Surface:
    """A part of a model with a texture of its own."""

    @property
    def name(self) -> str:
        """Its name; empty where the format has none."""

    @property
    def shaders(self) -> list[str]:
        """Names of textures, shader scripts or materials."""

    @property
    def vertex_count(self) -> int:
        """How many vertices it has."""

    @property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """Vertices of each triangle, (T, 3), clockwise seen from outside."""

    @property
    def texcoords(self) -> _Floats:
        """Texture coordinates of each vertex, (V, 2); (0, 0) is the upper left corner."""

@final
class Clip:
    """An animation of a model."""

    @property
    def name(self) -> str:
        """Unique in its model."""

    @property
    def frames(self) -> tuple[int, int]:
        """The first frame in file order, and the one behind the last."""

    @property
    def duration(self) -> float:
        """Seconds until it repeats; 0 for a single frame."""

@final
class Pose:
    """A model at a moment: X forward, Y left, Z up, in model units."""

    def positions(self, surface: int) -> _Floats:
        """Positions of the vertices of a surface, (V, 3)."""

    def normals(self, surface: int) -> _Floats:
        """Normals of the vertices of a surface, (V, 3)."""

    @property
    def bounds(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """The least and the greatest coordinates of all vertices."""

    def tag(self, name: str) -> _Floats:
        """A tag as a matrix from its space to the model's, (4, 4)."""

    @property
    def tags(self) -> dict[str, _Floats]:
        """All tags by name."""

    @property
    def joints(self) -> dict[str, _Floats]:
        """All joints of a skeleton by name."""

@final
class Scene:
    """A picture, said completely; it never changes, can be pickled, compared with ``==``, and be in sets.

    ``input`` is a model, ``ARCHIVE:MEMBER``, a player's folder, or with ``game=`` a name in the game. The
    keywords are the options of ``polyset render`` with ``_`` for ``-``: ``options()`` lists them. A switch is
    ``True``; vectors and colours are sequences or their notation (``light=(1, 0.6, 1)`` or ``"1,0.6,1"``);
    ``size`` is a number or a pair; what may be given several times is a list (``skin=["a.png", "b.png"]``), on
    tags a dict (``attach={"tag_weapon": "gun.md3"}``). ``None`` is as if it was not given.

    Raises ``RequestError`` for an option that does not exist, a value that is none of it, and options that
    contradict each other.
    """

    def __new__(cls, input: _Path, **options: Any) -> Scene: ...
    def with_options(self, **options: Any) -> Scene:
        """The same scene with more options; what may be given several times is added."""

    @property
    def input(self) -> str:
        """What is drawn."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""

    @property
    def options(self) -> dict[str, Any]:
        """The options that were said, in the notation of the command."""

    @property
    def command_line(self) -> str:
        """The ``polyset render`` command that draws the same picture."""

    def open(self) -> Opened:
        """Reads the model and all that belongs to it, for a ``Studio``. Raises ``OpenError``."""

    def clip_matrix(self, opened: Optional[Opened] = None) -> _Floats:
        """The matrix from the scene to clip space (OpenGL's: -w..w, y up) with which the precise renderer
        draws the picture, (4, 4)."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Opened:
    """What a scene names, read: models, textures, animations."""

    @property
    def parts(self) -> list[tuple[str, list[str]]]:
        """The models of the picture: the name ("lower", "tag_weapon"; empty of a model alone) and the names
        of the surfaces."""

    @property
    def clips(self) -> list[str]:
        """Names of the clips that can be chosen."""

    @property
    def files(self) -> list[str]:
        """The files on disk that were read."""

    @property
    def warnings(self) -> list[str]:
        """What is odd about the models and their textures."""

    def set_skin(
        self,
        surface: int,
        pixels: _Picture,
        *,
        part: int = 0,
        palette: Optional[_Bytes] = None,
        transparent: Optional[int] = None,
    ) -> None:
        """Draws a surface of a part with another picture from now on."""

    def skin(self, surface: int, *, part: int = 0) -> Optional[_Bytes]:
        """The picture that a surface of a part is drawn with, (H, W, 4); ``None`` without one."""

@final
class Studio:
    """Draws scenes, one at a time, and keeps its buffers from picture to picture.

    ``threads`` draw a picture, as many as the machine has unless said; the bits do not depend on it. A picture
    whose triangles cover more than ``max_work`` pixels together is refused.
    """

    def __new__(cls, *, threads: Optional[int] = None, max_work: Optional[int] = None) -> Studio: ...
    def draw(
        self, scene: Scene, opened: Optional[Opened] = None, *, depth: bool = True
    ) -> Drawing:
        """Draws the picture. ``opened`` is what ``Scene.open`` gave for it, or for another scene of the same
        input."""

    def forget_textures(self) -> None:
        """Lets the textures of earlier pictures go."""

@final
class Drawing:
    """A picture that was drawn. Its arrays are the memory of the library's image, handed over without a copy;
    what is written to ``pixels`` is in the hash and in the files too."""

    @property
    def pixels(self) -> _Bytes:
        """Colours (H, W, 4), red green blue alpha, not premultiplied; or palette indices (H, W)."""

    @property
    def palette(self) -> Optional[_Bytes]:
        """The colours of the indices, (256, 3); ``None`` of a picture in true colour."""

    @property
    def transparent(self) -> Optional[int]:
        """The index that means "nothing is here"."""

    @property
    def rgba(self) -> _Bytes:
        """Colours (H, W, 4): ``pixels``, or the indices looked up."""

    @property
    def depth(self) -> Any:
        """(H, W) float32 from 0 (near) to 1 (far, nothing drawn); of the classic renderer the engine's int16,
        larger is nearer. ``None`` if it was not kept."""

    @property
    def warnings(self) -> list[str]:
        """What is odd about the picture."""

    @property
    def hash(self) -> str:
        """16 hexadecimal digits over size and pixels, as ``polyset render --hash`` prints them; of what the arrays
        hold now, computed whenever it is asked for."""

    def png(self) -> bytes:
        """The PNG file that ``polyset render`` writes, byte for byte."""

    def save_png(self, path: _Path) -> None:
        """Writes the PNG, whole or not at all. Raises ``WriteError``."""

@final
class Comparison:
    """What came of comparing two pictures; true if they are equal as far as was asked."""

    @property
    def is_accepted(self) -> bool:
        """Whether the pictures are equal as far as was asked."""

    @property
    def is_equal(self) -> bool:
        """Whether size and every pixel are equal."""

    @property
    def verdict(self) -> str:
        """"equal", "tolerated" or "different"."""

    @property
    def differing(self) -> int:
        """Number of pixels whose error is over the threshold."""

    @property
    def compared(self) -> int:
        """Number of pixels that were compared; 0 if the sizes differ."""

    @property
    def mean_error(self) -> float:
        """The error by the metric in the mean of all pixels."""

    @property
    def worst_error(self) -> Optional[tuple[float, tuple[int, int]]]:
        """The largest error by the metric, and the column and row where it is."""

    def picture(self) -> _Bytes:
        """Expected, difference and actual side by side, (H, W, 4)."""

    def save_picture(self, path: _Path) -> None:
        """Writes ``picture`` as PNG. Raises ``WriteError``."""

    def __bool__(self) -> bool: ...

class _Option(TypedDict):
    name: str
    help: str
    default: str
    example: str
    is_switch: bool
    repeats: bool
    choices: list[str]

def draw(scene: Union[Scene, _Path], /, **options: Any) -> Drawing:
    """Draws a scene, or that of a model with options as keywords, with depth.

    Other threads run meanwhile. Raises ``OpenError`` and ``RequestError``.
    """

def render(scene: Union[Scene, _Path], /, **options: Any) -> _Bytes:
    """The colours of ``draw``: (H, W, 4) uint8."""

def thumbnail(path: _Path, size: int = 256, *, honest: bool = False, **options: Any) -> _Bytes:
    """A picture that tells a model from others at a small size (16 to 2048), as ``polyset thumb`` draws it,
    (size, size, 4). ``honest`` leaves a dark picture dark."""

def compare(
    expected: _Picture,
    actual: _Picture,
    *,
    metric: Optional[str] = None,
    threshold: Optional[float] = None,
    max_differing: Union[int, str, None] = None,
    ignore_regions: Sequence[tuple[int, int, int, int]] = ...,
    indices: bool = False,
    palette: Optional[_Bytes] = None,
) -> Comparison:
    """Compares two pictures. Without a tolerance nothing may differ.

    ``metric`` is "exact", "channel" (0 to 255 levels), "flip" or "ssim"; a pixel differs if its error is over
    ``threshold``; ``max_differing`` pixels may (``12``, ``"0.1%"``). ``ignore_regions`` are x, y, width, height.
    With ``indices`` those of two indexed pictures count; ``palette`` (256, 3) belongs to arrays of indices.
    """

def info(path: Optional[_Path] = None, **options: Any) -> dict[str, Any]:
    """What ``polyset info --json`` prints (docs/info-json.md): of a model, a player, a folder or an archive;
    with ``game=`` and no path of a game."""

def options() -> list[_Option]:
    """The options that scenes have as keywords."""
