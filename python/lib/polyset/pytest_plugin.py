"""Golden pictures in pytest: the fixture ``polyset_golden``.

    def test_ogre(polyset_golden):
        polyset_golden("ogre", polyset.draw("ogre.mdl", size=128))

The picture must be that of ``golden/ogre.png`` beside the test file. With ``--polyset-bless`` (or
``POLYSET_BLESS=1``) pictures that are new or differ are kept, and the test fails once more, so that somebody
looks at them. What differs is drawn side by side into ``--polyset-differences`` and named in the report; with
pytest-html it is shown there.
"""

import base64
import contextlib
import hashlib
import os
import pathlib
import re

import pytest

from . import Drawing, OpenError, compare
from ._polyset import save_png

_DIFFERENCES = "polyset-differences"
_WORD = re.compile(r"[\w\-.]*[\w\-][\w\-.]*", re.UNICODE)


def pytest_addoption(parser):
    group = parser.getgroup("polyset", "golden pictures of models")
    group.addoption(
        "--polyset-bless",
        action="store_true",
        help="Keep pictures that are new or differ as golden ones; the tests that find them fail once more",
    )
    group.addoption(
        "--polyset-differences",
        metavar="DIR",
        default=_DIFFERENCES,
        help=f"Where expected, difference and actual are drawn side by side [default: {_DIFFERENCES}]",
    )
    parser.addini(
        "polyset_golden",
        "The folder of golden pictures, beside each test file",
        default="golden",
    )


class Golden:
    """Compares pictures with those in a folder; nothing may differ unless a tolerance is given."""

    def __init__(self, folder, differences, blesses, notes):
        self.folder = pathlib.Path(folder)
        self.differences = pathlib.Path(differences)
        self.blesses = blesses
        self._notes = notes

    def path(self, name):
        """The file of a golden picture."""
        return self.folder.joinpath(*self._words(name)).with_name(f"{self._words(name)[-1]}.png")

    def __call__(self, name, picture, *, palette=None, **tolerance):
        """Fails unless ``picture`` (a drawing, a file, an array) is the golden one of this name.

        ``tolerance`` is as of ``polyset.compare``. Of two indexed pictures the indices count unless a
        tolerance is given.
        """
        __tracebackhide__ = True
        path = self.path(name)
        try:
            found = self._comparison(path, picture, palette, tolerance)
        except OpenError as error:
            if error.file != str(path):
                raise
            if not self.blesses:
                pytest.fail(
                    f"the golden picture cannot be read: {error}; --polyset-bless replaces it", pytrace=False
                )
            found = error
        if getattr(found, "is_accepted", False):
            return
        if self.blesses:
            path.parent.mkdir(parents=True, exist_ok=True)
            _save(picture, palette, path)
            made = "made" if found is None else "replaced"
            self._notes.append((name, path, None))
            pytest.fail(f"'{path}' was {made}; look at it, then run without --polyset-bless", pytrace=False)
        if found is None:
            pytest.fail(
                f"there is no golden picture '{path}'; --polyset-bless keeps this one as such",
                pytrace=False,
            )
        difference = self.differences.joinpath(*self._words(name))
        difference = difference.with_name(f"{difference.name}.png")
        difference.parent.mkdir(parents=True, exist_ok=True)
        found.save_picture(difference)
        self._notes.append((name, path, difference))
        pytest.fail(
            f"'{path}' differs: {found}; '{difference}' shows expected, difference, actual; "
            "--polyset-bless keeps the new one",
            pytrace=False,
        )

    def _comparison(self, path, picture, palette, tolerance):
        """How the picture differs from the golden one; ``None`` if there is none."""
        if not path.exists():
            return None
        by_index = not tolerance and _is_indexed(picture)
        return compare(path, picture, palette=palette, indices=by_index, **tolerance)

    @staticmethod
    def _words(name):
        words = name.split("/")
        if not all(_WORD.fullmatch(word) and word.strip(".") for word in words):
            raise ValueError(
                f"'{name}' is no name for a golden picture: letters, digits, -, _, . and / between words"
            )
        return words


def _is_indexed(picture):
    """Whether a drawing, an array or the PNG of a file holds indices of a palette."""
    if isinstance(picture, Drawing):
        return picture.palette is not None
    if hasattr(picture, "ndim"):
        return picture.ndim == 2
    head = b""
    with contextlib.suppress(OSError, TypeError), open(picture, "rb") as file:
        head = file.read(26)
    return head.startswith(b"\x89PNG") and head[25:] == b"\x03"


def _save(picture, palette, path):
    if isinstance(picture, Drawing):
        picture.save_png(path)
        return
    save_png(picture, path, palette=palette)


_NOTES = pytest.StashKey()


@pytest.fixture
def polyset_golden(request):
    """Compares pictures with golden ones: ``polyset_golden(name, picture)``."""
    config = request.config
    notes = request.node.stash.setdefault(_NOTES, [])
    blesses = config.getoption("--polyset-bless") or os.environ.get("POLYSET_BLESS") == "1"
    differences = pathlib.Path(config.getoption("--polyset-differences"))
    return Golden(
        request.path.parent / config.getini("polyset_golden"),
        config.invocation_params.dir / differences / _part(request.node.nodeid),
        blesses,
        notes,
    )


# Names of files may have 255 bytes.
_LONGEST_PART = 60


def _part(nodeid):
    """A test as a folder of its own."""
    part = re.sub(r"[^\w\-.]+", "-", nodeid).strip("-.")
    _, _, parameters = nodeid.partition("[")
    # Parameters that differ in other characters alone, and what is cut, stay apart.
    if len(part) > _LONGEST_PART or re.search(r"[^\w\-.\]]", parameters):
        part = f"{part[:_LONGEST_PART]}-{hashlib.sha256(nodeid.encode()).hexdigest()[:8]}"
    return part


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    notes = item.stash.get(_NOTES, [])
    told = notes[:]
    notes.clear()
    for name, path, difference in told:
        if difference is None:
            report.sections.append(("polyset", f"{name}: kept as '{path}'"))
            continue
        report.sections.append(("polyset", f"{name}: see '{difference}'"))
        report.user_properties.append(("polyset_difference", str(difference)))
        if item.config.pluginmanager.hasplugin("html"):
            _show_in_html(item, report, name, difference)


def _show_in_html(item, report, name, difference):
    extras = item.config.pluginmanager.getplugin("html")
    extras = getattr(extras, "extras", None)
    if extras is None:
        return
    png = base64.b64encode(difference.read_bytes()).decode()
    report.extras = [*getattr(report, "extras", []), extras.png(png, name=name)]


def pytest_terminal_summary(terminalreporter):
    pictures = [
        value
        for report in [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]
        for key, value in report.user_properties
        if key == "polyset_difference"
    ]
    if pictures:
        terminalreporter.section("polyset: pictures that differ")
        for picture in pictures:
            terminalreporter.line(picture)
