"""The fixture polyset_golden, in runs of pytest of its own."""

import numpy as np
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


def test_indices_of_arrays_and_files_count(pytester):
    test = """
        import numpy as np
        import polyset
        from polyset._polyset import save_png

        palette = np.zeros((256, 3), np.uint8)
        palette[3] = palette[4] = 9
        indices = np.full((4, 4), {index}, np.uint8)

        def test_array(polyset_golden):
            polyset_golden("array", indices, palette=palette)

        def test_file(polyset_golden, tmp_path):
            save_png(indices, tmp_path / "a.png", palette=palette)
            polyset_golden("file", tmp_path / "a.png")
    """
    pytester.makepyfile(test_it=test.format(index=3))
    pytester.runpytest("--polyset-bless").assert_outcomes(failed=2)
    pytester.runpytest().assert_outcomes(passed=2)
    pytester.makepyfile(test_it=test.format(index=4))
    pytester.runpytest().assert_outcomes(failed=2)


def test_long_names_setups_and_broken_golden_pictures(pytester):
    pytester.makepyfile(
        """
        import numpy as np
        import pytest

        picture = np.zeros((2, 2, 4), np.uint8)

        @pytest.mark.parametrize("name", ["long-name-of-a-model/" * 14, "a/b", "a-b"])
        def test_long(polyset_golden, name):
            polyset_golden("other", picture)

        @pytest.fixture
        def drawn(polyset_golden):
            polyset_golden("other", picture)

        def test_setup(drawn):
            pass

        def test_broken(polyset_golden):
            polyset_golden("broken", picture)
        """
    )
    golden = pytester.mkdir("golden")
    white = np.full((2, 2, 4), 255, np.uint8)
    polyset._polyset.save_png(white, golden / "other.png")
    (golden / "broken.png").write_bytes(b"garbage")
    run = pytester.runpytest()
    run.assert_outcomes(failed=4, errors=1)
    run.stdout.fnmatch_lines(["*the golden picture cannot be read*--polyset-bless replaces it*"])
    differences = {str(path) for path in pytester.path.glob("polyset-differences/**/*.png")}
    assert len(differences) == 4
    assert all(run.stdout.str().count(path) > 1 for path in differences)
    pytester.runpytest("--polyset-bless", "-k", "test_broken")
    pytester.runpytest("-k", "test_broken").assert_outcomes(passed=1)


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
