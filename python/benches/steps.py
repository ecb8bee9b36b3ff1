"""What steps cost from Python, beside the command line: ``python python/benches/steps.py``.

For each scene the same steps are taken in turn by the command line, which writes tables, and by a loop in
Python that reads positions and contacts after each step. `solver` is the time that the command line says it
computed, without tables. Medians over the repetitions (ms a step), and what Python adds (%).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import signorini as sg

ROOT = Path(__file__).resolve().parents[2]
SCENES = ["seeds/two-spheres", "seeds/stack", "seeds/double-pendulum", "granular/ellipsoids-64"]


def from_the_command_line(path: Path, duration: float, folder: Path) -> tuple[float, float]:
    """Wall time of the run and of its solver and referee (s)."""
    line = [sys.executable, "-m", "signorini", "run", path, "--duration", repr(duration), "--out", folder]
    subprocess.run([*line, "--force", "--quiet"], check=True)
    summary = json.loads((folder / "summary.json").read_text())
    return summary["wall_seconds"], summary["solve_seconds"] + summary["referee"]["seconds"]


def from_python(scene: sg.Scene, is_read: bool) -> float:
    """Wall time of the same steps (s)."""
    simulation = sg.Simulation(scene)
    start = time.perf_counter()
    for _ in simulation.run():
        if is_read:
            simulation.positions, simulation.contacts()
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--repetitions", type=int, default=5)
    options = options.parse_args()
    print(
        "| scene | steps | command line | solver | Python | and reading | over command line | over solver |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in SCENES:
        path = ROOT / "scenes" / f"{name}.toml"
        duration = options.steps * sg.Scene.load(path).time_step
        scene = sg.Scene.load(path, duration=duration)
        times = []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(options.repetitions):
                whole, solver = from_the_command_line(path, duration, Path(folder) / "run")
                times.append([whole, solver, from_python(scene, False), from_python(scene, True)])
        ms = [1e3 * statistics.median(column) / scene.n_steps for column in zip(*times, strict=True)]
        over = [100.0 * (ms[2] / ms[k] - 1.0) for k in (0, 1)]
        numbers = " | ".join(f"{value:.4f}" for value in ms)
        print(f"| {name} | {scene.n_steps} | {numbers} | {over[0]:+.1f} % | {over[1]:+.1f} % |", flush=True)


if __name__ == "__main__":
    main()
