"""What steps cost from Python, beside the command line: ``python python/benches/steps.py``.

For each scene the same steps are taken in turn by the command line, which writes tables, and by loops in
Python, one of which reads positions and contacts after each step. `solver` is the time that solver and
referee say they took in the first loop. Medians over the repetitions (ms a step); what Python costs over the
command line (%), and over solver and referee (µs a step).
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


def from_the_command_line(path: Path, duration: float, folder: Path) -> float:
    """Wall time of the run (s)."""
    line = [sys.executable, "-m", "signorini", "run", path, "--duration", repr(duration), "--out", folder]
    subprocess.run([*line, "--force", "--quiet"], check=True)
    return float(json.loads((folder / "summary.json").read_text())["wall_seconds"])


def from_python(scene: sg.Scene, is_read: bool) -> tuple[float, float]:
    """Wall time of the same steps, and of their solver and referee (s)."""
    simulation, outcomes = sg.Simulation(scene), []
    start = time.perf_counter()
    for outcome in simulation.run():
        outcomes.append(outcome)
        if is_read:
            simulation.positions, simulation.contacts()
    wall = time.perf_counter() - start
    return wall, sum(outcome.solve_seconds + outcome.referee_seconds for outcome in outcomes)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--repetitions", type=int, default=5)
    options = options.parse_args()
    print(
        "| scene | steps | command line | Python | and reading | solver | over command line | over solver |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in SCENES:
        path = ROOT / "scenes" / f"{name}.toml"
        duration = options.steps * sg.Scene.load(path).time_step
        scene = sg.Scene.load(path, duration=duration)
        times = []
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(options.repetitions):
                whole = from_the_command_line(path, duration, Path(folder) / "run")
                stepped, solver = from_python(scene, False)
                times.append([whole, stepped, from_python(scene, True)[0], solver])
        ms = [1e3 * statistics.median(column) / scene.n_steps for column in zip(*times, strict=True)]
        over = 100.0 * (ms[1] / ms[0] - 1.0), 1e3 * (ms[1] - ms[3])
        numbers = " | ".join(f"{value:.4f}" for value in ms)
        print(f"| {name} | {scene.n_steps} | {numbers} | {over[0]:+.1f} % | {over[1]:+.1f} µs |", flush=True)


if __name__ == "__main__":
    main()
