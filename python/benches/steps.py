"""What steps cost from Python, beside the command line: ``python python/benches/steps.py``.

For each scene the same steps are taken in turn by the command line, which writes tables, and by loops in
Python, one of which reads positions and contacts after each step. What is told is processor time in the
program, with one thread, which other programs on the machine disturb least; of the command line without that
of a run of one step. Medians over the repetitions (ms a step), and what Python costs over the command line,
in per cent.
Only where there is the module `resource`, which Windows does not have.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import signorini as sg

ROOT = Path(__file__).resolve().parents[2]
#: Steps of each scene: a tenth of a second of a processor at least.
SCENES = {
    "seeds/two-spheres": 10000,
    "seeds/stack": 1000,
    "seeds/double-pendulum": 10000,
    "granular/ellipsoids-64": 1000,
}


def user_seconds(who: int) -> float:
    return resource.getrusage(who).ru_utime


def from_the_command_line(path: Path, duration: float) -> float:
    """Processor time of a process that takes the steps (s)."""
    before = user_seconds(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        line = [
            sys.executable,
            "-m",
            "signorini",
            "run",
            path,
            "--duration",
            repr(duration),
            "--threads",
            "1",
        ]
        subprocess.run([*line, "--out", Path(folder) / "run", "--quiet"], check=True)
    return user_seconds(resource.RUSAGE_CHILDREN) - before


def from_python(scene: sg.Scene, is_read: bool) -> float:
    """Processor time of the same steps (s)."""
    simulation, outcomes = sg.Simulation(scene, threads=1), []
    before = user_seconds(resource.RUSAGE_SELF)
    for outcome in simulation.run():
        outcomes.append(outcome)
        if is_read:
            simulation.positions, simulation.contacts()
    return user_seconds(resource.RUSAGE_SELF) - before


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--repetitions", type=int, default=5)
    repetitions = options.parse_args().repetitions
    print("| scene | steps | command line | Python | and reading | Python over command line |")
    print("|---|---|---|---|---|---|")
    for name, steps in SCENES.items():
        path = ROOT / "scenes" / f"{name}.toml"
        time_step = sg.Scene.load(path).time_step
        scene = sg.Scene.load(path, duration=steps * time_step)
        times = []
        for _ in range(repetitions):
            start = from_the_command_line(path, time_step)
            whole = from_the_command_line(path, scene.duration) - start
            times.append([whole, from_python(scene, False), from_python(scene, True)])
        ms = [1e3 * statistics.median(column) / steps for column in zip(*times, strict=True)]
        numbers = " | ".join(f"{value:.4f}" for value in ms)
        print(f"| {name} | {steps} | {numbers} | {100.0 * (ms[1] / ms[0] - 1.0):+.1f} % |", flush=True)


if __name__ == "__main__":
    main()
