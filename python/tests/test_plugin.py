"""The fixture polyset_golden, in runs of pytest of its own."""

import pytest

import polyset

TEST = """
import numpy as np
import polyset

def test_bolt(polyset_golden):
    polyset_golden("deep/bolt", polyset.draw({model!r}, size=48, {options}))
"""


@pytest.fixture
def write(pytester, models):
    def write(**options):
        said = ", ".join(f"{name}={value!r}" for name, value in options.items())
        pytester.makepyfile(test_it=TEST.format(model=str(models / "bolt.mdl"), options=said))

    return write


def test_pictures_are_kept_compared_and_shown(pytester, write):
    write()
    golden = pytester.path / "golden" / "deep" / "bolt.png"
    run = pytester.runpytest()
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["*there is no golden picture*--polyset-bless*"])
    assert not golden.exists()

    run = pytester.runpytest("--polyset-bless")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["*was made; look at it*"])
    pytester.runpytest("--polyset-bless").assert_outcomes(passed=1)
    pytester.runpytest().assert_outcomes(passed=1)

    write(camera_azimuth_angle=31)
    kept = golden.read_bytes()
    run = pytester.runpytest("--junitxml=report.xml")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["*differs: * pixels differ*", "*polyset: pictures that differ*"])
    assert golden.read_bytes() == kept
    [difference] = pytester.path.glob("polyset-differences/**/*.png")
    assert str(difference) in run.stdout.str()
    assert str(difference) in (pytester.path / "report.xml").read_text()
    side_by_side = polyset.compare(difference, difference).picture()
    assert side_by_side.shape == (48, 3 * 3 * 48, 4)

    run = pytester.runpytest("--polyset-bless")
    run.stdout.fnmatch_lines(["*was replaced; look at it*"])
    assert golden.read_bytes() != kept
    pytester.runpytest().assert_outcomes(passed=1)


def test_indices_count_and_tolerances_are_taken(pytester, models):
    pytester.makepyfile(
        f"""
        import polyset

        drawing = polyset.draw({str(models / "bolt.mdl")!r}, size=32, color="indexed")
        other = polyset.draw({str(models / "bolt.mdl")!r}, size=32, color="indexed", light_level=120)

        def test_indexed(polyset_golden):
            polyset_golden("indexed", drawing)

        def test_array(polyset_golden):
            polyset_golden("array", drawing.rgba)

        def test_tolerance(polyset_golden):
            polyset_golden("indexed", other, metric="channel", threshold=255)

        def test_other(polyset_golden):
            polyset_golden("indexed", other)

        def test_name(polyset_golden):
            polyset_golden("../indexed", drawing)
        """
    )
    pytester.runpytest("--polyset-bless", "-k", "indexed or array")
    run = pytester.runpytest("-v")
    run.assert_outcomes(passed=3, failed=2)
    run.stdout.fnmatch_lines(["*test_other FAILED*", "*test_name FAILED*"])
    run.stdout.fnmatch_lines(["*is no name for a golden picture*"])


def test_the_environment_blesses_and_the_folder_can_be_said(pytester, write, monkeypatch):
    write()
    pytester.makeini("[pytest]\npolyset_golden = kept\n")
    monkeypatch.setenv("POLYSET_BLESS", "1")
    pytester.runpytest("--polyset-differences", "shown").assert_outcomes(failed=1)
    assert (pytester.path / "kept" / "deep" / "bolt.png").exists()
    monkeypatch.delenv("POLYSET_BLESS")
    write(camera_azimuth_angle=31)
    pytester.runpytest("--polyset-differences", "shown").assert_outcomes(failed=1)
    assert len(list(pytester.path.glob("shown/**/*.png"))) == 1
