"""A real Ray cluster on this machine: two worker processes, one of which is killed."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import polyset

ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
pytest.importorskip("pyarrow")

from polyset.ray import Renders, Thumbnails, thumbs  # noqa: E402
from polyset.ray.__main__ import main  # noqa: E402
from polyset.ray.manifest import Manifest  # noqa: E402

# What differs from run to run.
TIMES = ("milliseconds",)


@pytest.fixture(scope="module")
def cluster():
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error")
    yield
    ray.shutdown()


@pytest.fixture
def many(models, tmp_path):
    """Sixty models in folders and an archive, and one that is broken."""
    import zipfile

    place = tmp_path / "many"
    for number in range(15):
        folder = place / f"folder{number % 4}"
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("bolt.mdl", "bolt.md3", "bolt.md2"):
            data = (models / name).read_bytes()
            (folder / name.replace("bolt", f"bolt{number}")).write_bytes(data)
        (folder / "bolt.pcx").write_bytes((models / "bolt.pcx").read_bytes())
    with zipfile.ZipFile(tmp_path / "pak0.pk3", "w") as archive:
        for number in range(15):
            archive.write(models / "bolt.mdl", f"progs/bolt{number}.mdl")
    (place / "broken.mdl").write_bytes(b"IDPO" + bytes(80))
    return [place, tmp_path / "pak0.pk3"]


def single_run(command, inputs, output, *more):
    run = subprocess.run(
        [command, "thumbs", "-r", *inputs, "-o", output, "-s", "32", *more],
        capture_output=True,
        text=True,
    )
    assert run.returncode in (0, 1), run.stderr
    return run


def pictures(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.png"))
    }


def lines(manifest, *without):
    found = [json.loads(line) for line in manifest.read_text().splitlines()]
    return [
        {key: value for key, value in line.items() if key not in (*TIMES, *without)}
        for line in found
    ]


def test_same_pictures_and_manifest_as_the_single_run(cluster, command, many, tmp_path):
    single_run(command, many, tmp_path / "single")
    said = []
    summary = thumbs(many, tmp_path / "ray", recursive=True, size=32, batch=4, tell=said.append)
    assert (summary.drawn, summary.kept, summary.failed) == (60, 0, 1)
    assert summary.exit_code == 1
    assert any("broken.mdl" in message for message in said)
    assert pictures(tmp_path / "ray") == pictures(tmp_path / "single")
    manifest = tmp_path / "ray" / "manifest.jsonl"
    assert lines(manifest) == lines(tmp_path / "single" / "manifest.jsonl")
    # The command goes on from a run of the cluster, and the cluster from that of the command.
    run = single_run(command, many, tmp_path / "ray")
    assert "60" in run.stderr and "drawn: 0" in run.stderr.replace("0 drawn", "drawn: 0")
    gone = next((tmp_path / "single").rglob("*.png"))
    kept = gone.read_bytes()
    gone.unlink()
    summary = thumbs(many, tmp_path / "single", recursive=True, size=32, batch=4, tell=said.append)
    assert (summary.drawn, summary.kept, summary.failed) == (1, 59, 1)
    assert gone.read_bytes() == kept


def test_a_worker_that_dies_loses_nothing(cluster, command, many, tmp_path):
    single_run(command, many, tmp_path / "single", "--clips", "all")
    killed = []

    def kill():
        """Ends a worker as soon as there are pictures, while others are missing."""
        wanted = len(pictures(tmp_path / "single"))
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            there = len(list((tmp_path / "ray").rglob("*.png")))
            if 10 < there < wanted * 3 // 4:
                for process in workers():
                    os.kill(process, signal.SIGKILL)
                    killed.append((process, there, wanted))
                    return
            time.sleep(0.005)

    thread = threading.Thread(target=kill)
    thread.start()
    summary = thumbs(
        many, tmp_path / "ray", recursive=True, size=32, batch=4, clips=True, tell=lambda _: None
    )
    thread.join()
    assert killed, "the run was over before a worker could be killed"
    assert summary.failed == 1 and summary.drawn == len(pictures(tmp_path / "single"))
    assert pictures(tmp_path / "ray") == pictures(tmp_path / "single")
    assert lines(tmp_path / "ray" / "manifest.jsonl") == lines(
        tmp_path / "single" / "manifest.jsonl"
    )


def workers():
    """Processes of the cluster that are drawing."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            title = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if title.startswith(b"ray::") and b"_Draw" in title:
            yield int(process.name)


def test_a_run_that_was_killed_goes_on(cluster, many, tmp_path):
    output = tmp_path / "out"
    whole = thumbs(many, output, recursive=True, size=32, tell=lambda _: None)
    manifest = output / "manifest.jsonl"
    text = manifest.read_bytes()
    before = lines(manifest)
    # Half of the manifest, and a line that was being written; pictures without a line are drawn again.
    manifest.write_bytes(text[: len(text) // 2])
    summary = thumbs(many, output, recursive=True, size=32, tell=lambda _: None)
    assert 0 < summary.kept < whole.drawn and summary.kept + summary.drawn == whole.drawn
    assert lines(manifest) == before
    spoil(manifest, 3, b'"picture":0', b'"picture":0,"skin":7')
    spoil(manifest, 5, b'"bytes":', b'"bytes":1')
    summary = thumbs(many, output, recursive=True, size=32, tell=lambda _: None)
    assert summary.drawn == 2 and lines(manifest) == before
    with Manifest_open(manifest):
        with pytest.raises(BlockingIOError, match="another run"):
            thumbs(many, output, recursive=True, size=32, tell=lambda _: None)
    # The first line as well: the others count.
    first, *rest = manifest.read_bytes().splitlines(keepends=True)
    manifest.write_bytes(b"".join([rest[2], first, *rest[:2], *rest[3:]]))
    spoil(manifest, 0, b'"picture":0', b'"picture":')
    summary = thumbs(many, output, recursive=True, size=32, tell=lambda _: None)
    assert summary.drawn == 1 and lines(manifest) == before
    other = tmp_path / "other.jsonl"
    for text in ["something else\n", "a line without an end", '{"input":"bolt.mdl"} and more\n'[1:]]:
        other.write_text(text)
        with pytest.raises(ValueError, match="no manifest"):
            thumbs(many, output, manifest=other, tell=lambda _: None)
        assert other.read_text() == text


def spoil(manifest, number, old, new):
    """Damages the line of this number."""
    lines = manifest.read_bytes().splitlines(keepends=True)
    assert old in lines[number]
    lines[number] = lines[number].replace(old, new, 1)
    manifest.write_bytes(b"".join(lines))


class Manifest_open:
    def __init__(self, path):
        self.manifest = Manifest(path)

    def __enter__(self):
        return self.manifest

    def __exit__(self, *_):
        self.manifest.close()


@pytest.mark.parametrize("remote", [False, True])
def test_parquet_has_the_same_pictures(cluster, command, many, tmp_path, remote):
    single_run(command, many, tmp_path / "single")
    inputs = [path.as_uri() for path in many] if remote else many
    said = {
        "recursive": True, "size": 32, "batch": 4, "parquet": True, "tell": lambda _: None,
        "manifest": tmp_path / "manifest.jsonl", "cache": str(tmp_path / "cache"),
    }  # fmt: skip
    output = (tmp_path / "parts").as_uri() if remote else tmp_path / "parts"
    summary = thumbs(inputs, output, **said)
    assert (summary.drawn, summary.failed) == (60, 1)
    rows = ray.data.read_parquet(str(tmp_path / "parts")).take_all()
    assert {row["name"]: row["png"] for row in rows} == pictures(tmp_path / "single")
    assert all(row["width"] == 32 and len(row["hash"]) == 16 for row in rows)
    # What says where the models lie, which of the two knows by other names, and the hash of it.
    without = ("input", "options", "files", "textures", "warnings", "check")
    told = lines(tmp_path / "manifest.jsonl", *without)
    kept = lines(tmp_path / "single" / "manifest.jsonl", *without)
    without_parts = [{k: v for k, v in line.items() if k not in ("part", "error")} for line in told]
    assert without_parts == [{k: v for k, v in line.items() if k != "error"} for line in kept]
    if remote:
        text = (tmp_path / "manifest.jsonl").read_text()
        assert "file://" in text and str(tmp_path / "cache") not in text
    parts = sorted((tmp_path / "parts").iterdir())
    assert thumbs(inputs, output, **said).kept == 60
    # What is damaged and still JSON does not count.
    spoil(tmp_path / "manifest.jsonl", 3, b'"pictures":1', b'"pictures":7')
    spoil(tmp_path / "manifest.jsonl", 5, b'"size":[32,32]', b'"size":"big"')
    again = thumbs(inputs, output, **said)
    assert (again.drawn, again.kept) == (2, 58)
    parts[0].unlink()
    again = thumbs(inputs, output, **said)
    assert 0 < again.drawn <= 4 and again.kept == 60 - again.drawn
    rows = ray.data.read_parquet(str(tmp_path / "parts")).take_all()
    assert {row["name"]: row["png"] for row in rows} == pictures(tmp_path / "single")


def test_parquet_sees_what_has_come_beside_a_model(cluster, models, tmp_path):
    place = tmp_path / "models"
    for folder in ("dressed", "bare"):
        (place / folder).mkdir(parents=True)
        (place / folder / "bolt.md3").write_bytes((models / "bolt.md3").read_bytes())
    (place / "dressed" / "bolt_paint.png").write_bytes((models / "bolt_paint.png").read_bytes())
    (place / "still").mkdir()
    for name in ("bolt.md5mesh", "bolt.tga"):
        (place / "still" / name).write_bytes((models / name).read_bytes())

    def run():
        summary = thumbs(
            [place], tmp_path / "parts", recursive=True, size=32, parquet=True,
            tell=lambda _: None,
        )  # fmt: skip
        return summary.drawn, summary.kept

    assert run() == (3, 0)
    assert run() == (0, 3)
    (place / "bare" / "bolt_paint.png").write_bytes((models / "bolt_paint.png").read_bytes())
    assert run() == (1, 2)
    wave = (models / "bolt_wave.md5anim").read_bytes()
    (place / "still" / "bolt_idle.md5anim").write_bytes(wave)
    assert run() == (1, 2)
    # What changes nothing draws nothing.
    (place / "still" / "notes.txt").write_text("nothing")
    assert run() == (0, 3)


def test_remote_folders_are_drawn_like_local_ones(cluster, command, many, tmp_path):
    single_run(command, many[:1], tmp_path / "single")
    summary = thumbs(
        [many[0].as_uri()], tmp_path / "ray", recursive=True, size=32, batch=8,
        cache=str(tmp_path / "cache"), tell=lambda _: None,
    )  # fmt: skip
    assert (summary.drawn, summary.failed) == (45, 1)
    assert pictures(tmp_path / "ray") == pictures(tmp_path / "single")
    again = thumbs(
        [many[0].as_uri()], tmp_path / "ray", recursive=True, size=32, batch=8,
        cache=str(tmp_path / "cache"), tell=lambda _: None,
    )  # fmt: skip
    assert (again.drawn, again.kept) == (0, 45)


def test_map_batches_of_own_data_sets(cluster, models, tmp_path):
    paths = [str(models / name) for name in ("bolt.mdl", "bolt.md3")] + [str(tmp_path / "no.mdl")]
    data = ray.data.from_items([{"path": path, "animation": None} for path in paths])
    rows = data.select_columns(["path"]).map_batches(Thumbnails(size=48), batch_size=2).take_all()
    assert [row["input"] for row in rows] == paths
    for row, path in zip(rows[:2], paths):
        drawn = polyset.thumbnail(path, 48)
        (tmp_path / "a.png").write_bytes(row["png"])
        assert polyset.compare(tmp_path / "a.png", drawn).is_equal and row["error"] is None
    assert rows[2]["png"] is None and "no.mdl" in rows[2]["error"]
    views = [{"path": paths[1], "name": str(turn), "camera_azimuth_angle": turn} for turn in (0, 90)]
    views.append({"path": paths[1], "name": "far", "camera_azimuth_angle": 1e30})
    rows = ray.data.from_items(views).map_batches(Renders(size=48), batch_size=8).take_all()
    for row, view in zip(rows[:2], views):
        assert row["name"] == view["name"] and row["error"] is None
        turned = polyset.draw(paths[1], size=48, camera_azimuth_angle=view["camera_azimuth_angle"])
        assert (row["hash"], row["png"]) == (turned.hash, turned.png())
    with pytest.raises(polyset.RequestError, match="sise"):
        Renders(sise=3)


def test_what_cannot_be_drawn_is_a_row(models, tmp_path):
    import pyarrow as pa

    bolt, odd = str(models / "bolt.mdl"), os.fsdecode(os.fsencode(tmp_path) + b"/\xff.mdl")
    pathlib.Path(odd).write_bytes((models / "bolt.mdl").read_bytes())
    for draw in (Thumbnails(size=32), Renders(size=32)):
        rows = draw(pa.table({"path": [bolt, None]})).to_pylist()
        assert rows[0]["error"] is None and rows[1]["error"] and rows[1]["input"] is None
        [row] = draw({"path": np.array([odd], object)}).to_pylist()
        assert row["error"] is None and row["input"].endswith("/\ufffd.mdl")
    [row] = Renders(size=32)({"path": np.array([bolt]), "name": np.array([5])}).to_pylist()
    assert row["name"] == "5" and row["error"] is None


def test_the_command(models, tmp_path):
    """In a process of its own, with a cluster of its own."""
    run = subprocess.run(
        [sys.executable, "-m", "polyset.ray", "thumbs", models / "bolt.mdl", "-o", tmp_path / "out",
         "-s", "32", "--skins", "all", "--lighting", "lambert"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "0 failed" in run.stderr
    assert len(pictures(tmp_path / "out")) == len(lines(tmp_path / "out" / "manifest.jsonl")) > 1


def test_what_is_wrong_is_told(capsys, tmp_path):
    assert main(["thumbs", "-o", str(tmp_path / "out")]) == 2
    assert "nothing to draw" in capsys.readouterr().err
    with pytest.raises(polyset.OpenError, match="nowhere"):
        thumbs([tmp_path / "nowhere"], tmp_path / "out")
    # An iterator is enough, one name is none.
    with pytest.raises(polyset.OpenError, match="nowhere"):
        thumbs(iter([tmp_path / "nowhere", "s3://bucket/models"]), tmp_path / "out")
    with pytest.raises(TypeError, match="not one name"):
        thumbs(str(tmp_path), tmp_path / "out")
    with pytest.raises(ValueError, match="from 1 on"):
        thumbs([tmp_path], tmp_path / "out", batch=0)
    for said in ({"size": 4}, {"frames": "some"}, {"frames": 0}, {"lighting": "candle"}):
        with pytest.raises(polyset.RequestError):
            thumbs([tmp_path], tmp_path / "out", **said)
    with pytest.raises(SystemExit):
        main(["thumbs", "a.mdl", "-o", "out", "--lighting", "candle"])
