"""Where the models of the project lie, and its command."""

import os
import pathlib

import pytest

pytest_plugins = ["pytester"]

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def models():
    return ROOT / "tests" / "models"


@pytest.fixture(scope="session")
def command():
    """The command `polyset`: POLYSET_COMMAND, or what cargo has built."""
    named = os.environ.get("POLYSET_COMMAND")
    built = [ROOT / "target" / profile / "polyset" for profile in ("release", "debug")]
    found = [path for path in ([pathlib.Path(named)] if named else built) if path.exists()]
    if not found:
        pytest.skip("there is no command polyset: build it, or name it with POLYSET_COMMAND")
    return max(found, key=lambda path: path.stat().st_mtime)
