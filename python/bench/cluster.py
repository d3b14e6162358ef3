"""How fast a cluster draws: measured on this machine, and simulated for one of a thousand workers.

    python cluster.py measure MODELS --workers 1 2 --batches 1 8 64
    python cluster.py simulate --models 1000000 --mean 8 --dispatch 1 --task 10

`measure` draws all models below a folder once for each number of workers and each size of batches, and tells
models a second. `simulate` puts times of models, of tasks and of the one process that hands tasks out into a
queue: it shows which batches are too small for the scheduler, and which leave workers idle at the end.
"""

import argparse
import heapq
import json
import pathlib
import random
import tempfile
import time


def measure(said):
    import ray.data

    from polyset.ray import thumbs

    ray.data.DataContext.get_current().enable_progress_bars = False
    print("| workers | batch | models | seconds | models a second |\n|---|---|---|---|---|")
    for workers in said.workers:
        ray.init(num_cpus=workers, include_dashboard=False, logging_level="error")
        # Workers are started, and have loaded the package, before anything is timed.
        with tempfile.TemporaryDirectory() as folder:
            thumbs([said.models], folder, recursive=True, size=16, batch=4, tell=lambda _: None)
        for batch in said.batches:
            best = None
            for _ in range(said.runs):
                with tempfile.TemporaryDirectory() as folder:
                    start = time.perf_counter()
                    done = thumbs(
                        [said.models], folder, recursive=True, size=said.size, batch=batch, tell=lambda _: None
                    )
                    seconds = time.perf_counter() - start
                    manifest = pathlib.Path(folder, "manifest.jsonl").read_text().splitlines()
                if best is None or seconds < best[0]:
                    best = seconds, done.drawn, [json.loads(line)["milliseconds"] for line in manifest]
            seconds, drawn, times = best
            print(
                f"| {workers} | {batch} | {drawn} | {seconds:.2f} | {drawn / seconds:.0f} |", flush=True
            )
        print(f"\nA model takes {sum(times) / len(times):.2f} ms of a worker in the mean, ", end="")
        print(f"a task that draws nothing {idle(workers):.1f} ms of a worker.\n", flush=True)
        ray.shutdown()


def idle(workers, tasks=500):
    """Milliseconds of a worker that a task takes beside what it does."""
    import ray.data

    rows = ray.data.from_items([{"task": number} for number in range(tasks)], override_num_blocks=tasks)
    start = time.perf_counter()
    rows.map_batches(lambda batch: batch, batch_size=None, num_cpus=1).materialize()
    return 1e3 * (time.perf_counter() - start) * workers / tasks


def simulate(said):
    """Tasks are handed out one after the other; a worker that is free takes the next one."""
    print("| workers | batch | tasks | minutes | models a second | workers busy with models |")
    print("|---|---|---|---|---|---|")
    for workers in said.workers:
        for batch in said.batches:
            numbers = random.Random(1)
            tasks = -(-said.models // batch)
            free = [0.0] * workers
            handed = end = 0.0
            work = 0.0
            for task in range(tasks):
                count = min(batch, said.models - task * batch)
                # A sum of many times spreads like a normal one: models differ by their own mean.
                drawn = max(numbers.gauss(count * said.mean, said.mean * count**0.5), count * said.mean / 10)
                handed += said.dispatch
                start = max(handed, heapq.heappop(free))
                end = max(end, start + said.task + drawn)
                heapq.heappush(free, start + said.task + drawn)
                work += drawn
            print(
                f"| {workers} | {batch} | {tasks} | {end / 60e3:.1f} | {1e3 * said.models / end:.0f} | "
                f"{100 * work / (workers * end):.0f} % |"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(required=True)
    real = commands.add_parser("measure")
    real.add_argument("models", help="a folder")
    real.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    real.add_argument("--batches", type=int, nargs="+", default=[1, 8, 64])
    real.add_argument("--size", type=int, default=256)
    real.add_argument("--runs", type=int, default=3, help="the best counts")
    real.set_defaults(run=measure)
    paper = commands.add_parser("simulate")
    paper.add_argument("--models", type=int, default=1_000_000)
    paper.add_argument("--workers", type=int, nargs="+", default=[10, 100, 1000])
    paper.add_argument("--batches", type=int, nargs="+", default=[1, 8, 64, 512, 4096])
    paper.add_argument("--mean", type=float, required=True, help="milliseconds of a model")
    paper.add_argument("--dispatch", type=float, required=True, help="milliseconds of the scheduler for a task")
    paper.add_argument("--task", type=float, required=True, help="milliseconds of a worker for a task, beside models")
    paper.set_defaults(run=simulate)
    said = parser.parse_args()
    said.run(said)


if __name__ == "__main__":
    main()
