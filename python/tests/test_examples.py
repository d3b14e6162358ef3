"""The examples: what they promise of their views, and the notebook from beginning to end."""

import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import polyset

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(scope="module")
def views_of():
    sys.path.insert(0, str(EXAMPLES))
    try:
        from synthetic_views import Views
    finally:
        sys.path.remove(str(EXAMPLES))
    return Views


@pytest.mark.parametrize("name", ["bolt.md3", "bolt.mdl", "bolt.md5mesh", "players/bolt"])
def test_views_fit_together(views_of, models, name):
    views = views_of(models / name, count=6, size=96, threads=2)
    assert len(views) == 6 and len(list(views)) == 6
    for number, view in enumerate(views):
        again = pickle.loads(pickle.dumps(views))[number]
        assert all(np.array_equal(view[key], again[key]) for key in view)
        seen = np.isfinite(view["distance"])
        # The picture has a sample a pixel, as the others.
        assert np.array_equal(seen, view["image"][..., 3] > 0)
        assert np.array_equal(seen, view["mask"] > 0)
        assert view["mask"].max() <= len(views.surfaces)
        lengths = np.linalg.norm(view["normals"], axis=-1)
        assert np.allclose(lengths[seen], 1, atol=1e-3) and not lengths[~seen].any()
        rotation = view["extrinsics"][:, :3]
        assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-4)
        assert np.linalg.det(rotation) > 0


def test_pixels_lead_back_to_the_surface(views_of, models):
    """Points from distance and matrices lie on the model: within its box, and on its planes."""
    views = views_of(models / "bolt.md3", count=4, size=128, threads=1)
    model = polyset.Model.open(models / "bolt.md3")
    for view in views:
        rows, columns = np.nonzero(np.isfinite(view["distance"]))
        along = view["distance"][rows, columns].astype(float)
        pixels = np.stack([columns + 0.5, rows + 0.5, np.ones(len(rows))])
        seen = np.linalg.inv(view["intrinsics"]) @ pixels * along
        rotation, offset = view["extrinsics"][:, :3], view["extrinsics"][:, 3:]
        points = (rotation.T @ (seen - offset)).T
        low, high = np.array(model.pose(view["clip"], view["time"]).bounds)
        size = np.linalg.norm(high - low)
        assert (points > low - 0.01 * size).all() and (points < high + 0.01 * size).all()
        pose = model.pose(view["clip"], view["time"])
        corners = np.concatenate(
            [
                pose.positions(number)[surface.triangles]
                for number, surface in enumerate(model.surfaces)
            ]
        ).astype(float)
        edges = corners[:, 1:] - corners[:, :1]
        normals = np.cross(edges[:, 0], edges[:, 1])
        lengths = np.linalg.norm(normals, axis=1)
        normals, corners = normals[lengths > 0] / lengths[lengths > 0, None], corners[lengths > 0]
        away = np.abs(np.einsum("ptk,tk->pt", points[::7, None] - corners[None, :, 0], normals))
        assert away.min(axis=1).max() < 1e-3 * size


def test_the_example_tells_how_fast_it_is(models, tmp_path):
    run = subprocess.run(
        [sys.executable, EXAMPLES / "synthetic_views.py", models / "bolt.mdl", "--count", "5",
         "--size", "32", "-o", tmp_path / "views"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "5 views" in run.stdout and "a second" in run.stdout
    assert sorted(np.load(tmp_path / "views" / "000004.npz")) == [
        "clip", "distance", "extrinsics", "image", "intrinsics", "mask", "normals", "time",
    ]  # fmt: skip


def test_the_notebook_runs(root, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="the extra 'notebook' is not installed")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("PIL")
    notebook = nbformat.read(EXAMPLES / "quake.ipynb", as_version=4)
    kept = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in kept[1:]), "the notebook is kept with its pictures"
    resources = {"metadata": {"path": str(EXAMPLES)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
    kinds = [kind for cell in kept for out in cell.outputs for kind in out.get("data", {})]
    assert kinds.count("image/png") >= 3 and "image/gif" in kinds
