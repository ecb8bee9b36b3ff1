"""Times of derivatives beside those of steps: 64 ellipsoids that fall into a box, one thread.

python python/benches/derivatives.py [SCENE]
"""

from __future__ import annotations

import sys
import time
from functools import partial

import numpy as np

import signorini as sg

FIRST = 150
STEPS = 30
DIRECTIONS = 10


def main(path: str) -> None:
    """Prints medians over some steps, in ms."""
    times: dict[str, list[float]] = {}

    def timed(what: str, work):
        start = time.perf_counter()
        result = work()
        times.setdefault(what, []).append(1e3 * (time.perf_counter() - start))
        return result

    for tolerance in (1e-4, 1e-10):
        simulation = sg.Simulation(sg.Scene.load(path, tolerance=tolerance), threads=1, judge=False)
        for _ in range(FIRST):
            simulation.step()
        for _ in range(STEPS):
            timed(f"step at {tolerance:g}", simulation.step)
    simulation = sg.Simulation(sg.Scene.load(path, tolerance=1e-10), threads=1, judge=False)
    for _ in range(FIRST):
        simulation.step()
    random = np.random.default_rng(0)
    for _ in range(STEPS):
        _, derivatives = timed("step with its factors", simulation.step_with_derivatives)
        start = random.normal(size=(DIRECTIONS, len(simulation.names), 12))
        timed(f"{DIRECTIONS} directions", partial(derivatives.apply, start=start))
        timed("one direction", partial(derivatives.apply, start=start[0]))
        timed("an adjoint", partial(derivatives.adjoint, start[0]))
    for what, list_ in times.items():
        print(f"{what:24} {np.median(list_):8.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "scenes/granular/ellipsoids-64.toml")
