"""One sweep on all that run sweeps: `pip install ray distributed; python python/benches/sweep_everywhere.py`.

60 cases of the feeder, 15 of them poisoned, on two processes of this machine, on Ray, on Dask, as tasks of
an array job of Slurm whose variables are set by hand, and once more with a case that is killed and goes on.
The tables must be the same to the last bit.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import signorini as sg

ROOT = Path(__file__).resolve().parents[2]
PLAN = {
    "scene": str(ROOT / "scenes/seeds/feeder.toml"),
    "every": 10,
    "vary": [
        {"field": "friction[0].coefficient", "name": "mu", "values": [0.2, 0.4, 0.6]},
        {
            "field": "motion[0].position.amplitude",
            "name": "amplitude",
            "from": 1e-4,
            "to": 4e-4,
            "count": 5,
            "spacing": "log",
        },
        {"field": "body.part.density", "name": "density", "values": [2500, 2700, 2900, -1.0]},
    ],
    "result": [
        {"name": "way", "table": "bodies", "column": "x", "where": {"body": "part"}, "reduce": "last"}
    ],
}
KILLED = 7


def same(a: sg.Table, b: sg.Table) -> bool:
    """Whether two tables are the same to the last bit."""
    return list(a) == list(b) and all(
        np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f") for name in a
    )


def on_ray(out: Path) -> sg.Table:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        return sg.sweep(PLAN, out, executor="ray")
    finally:
        ray.shutdown()


def on_dask(out: Path) -> sg.Table:
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            return sg.sweep(PLAN, out, executor=client)


def on_slurm(out: Path) -> sg.Table:
    """The tasks of the array job, one after the other."""
    given = out.with_name("given")
    line = [sys.executable, "-m", "signorini", "sweep", given / "plan.toml", "--out", out, "--slurm"]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    for task in range(1, 61):
        own = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_CPUS_PER_TASK": "2"}
        job = ["bash", str(out / "job.sh")]
        subprocess.run(job, env=os.environ | own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sg.sweep_table(out)


def with_a_kill(out: Path) -> sg.Table:
    """A case is killed while it computes; the sweep is started again."""

    def kill() -> None:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            line = ["pgrep", "-f", "--", f"--out {out} --case {KILLED}( |$)"]
            found = subprocess.run(line, capture_output=True, text=True).stdout.split()
            if found and (out / f"cases/{KILLED:04}/bodies.csv").exists():
                for process in found:
                    os.kill(int(process), signal.SIGKILL)
                return
            time.sleep(0.005)

    killer = threading.Thread(target=kill)
    killer.start()
    table = sg.sweep(PLAN, out, jobs=2)
    killer.join()
    assert table["case"][table["outcome"] == "missing"].tolist() == [KILLED], "it was not killed"
    return sg.sweep(PLAN, out, jobs=2)


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        reference = sg.sweep(PLAN, Path(folder) / "given", jobs=2)
        outcomes, counts = np.unique(reference["outcome"], return_counts=True)
        told = ", ".join(f"{n} {name}" for n, name in zip(counts, outcomes, strict=True))
        print(
            f"two processes: {reference.n_rows} cases, {told}, {time.perf_counter() - begin:.0f} s",
            flush=True,
        )
        runs: dict[str, Callable[[Path], sg.Table]] = {
            "Ray": on_ray,
            "Dask": on_dask,
            "Slurm": on_slurm,
            "killed": with_a_kill,
        }
        for name, run in runs.items():
            begin = time.perf_counter()
            try:
                table = run(Path(folder) / name)
            except ImportError as error:
                print(f"{name}: {error}")
                continue
            word = "the same table" if same(table, reference) else "ANOTHER TABLE"
            print(f"{name}: {word}, {time.perf_counter() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()
