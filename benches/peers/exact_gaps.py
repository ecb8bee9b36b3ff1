"""How deep bodies overlap by this program's own geometry, whatever program put them there.

The poses are given to a simulation of soft contacts without gravity, which takes one step of a nanosecond: no
body moves by more than rounding, and the referee tells the smallest gap of all pairs.
"""

from __future__ import annotations

import numpy as np
import signorini as sg

from drops import Drop

#: Pairs with a gap below this touch (m).
TOUCHES = 1e-4
STIFFNESS, INSTANT = 1.0, 1e-9


class Gauge:
    """Measures poses of the bodies of one drop."""

    def __init__(self, drop: Drop) -> None:
        scene = drop.scene(1.0, 0.0, 1e-6)
        scene["simulation"].update(time_step=INSTANT, gravity=[0.0, 0.0, 0.0])
        scene["solver"]["formulation"] = "compliant"
        scene["material"] = [{"name": "default", "stiffness": STIFFNESS}]
        self.scene = sg.Scene.from_dict(scene)
        self.moving = np.arange(drop.count)

    def measure(self, positions: np.ndarray, quaternions: np.ndarray) -> dict[str, float]:
        """Deepest overlap and mean overlap of the pairs that touch (m), and how many pairs touch."""
        simulation = sg.Simulation(self.scene, threads=1)
        all_positions, all_quaternions = simulation.positions, simulation.quaternions
        all_positions[self.moving], all_quaternions[self.moving] = positions, quaternions
        simulation.set_state(positions=all_positions, quaternions=all_quaternions)
        verdict = simulation.step().verdict
        assert verdict is not None
        rows = simulation.contacts()
        pairs = np.stack([rows["body_a"], rows["body_b"]], axis=1)
        _, places = np.unique(pairs, axis=0, return_inverse=True)
        least = np.full(places.max(initial=-1) + 1, np.inf)
        np.minimum.at(least, places, rows["gap"])
        touching = least[least < TOUCHES]
        return {
            "deepest": max(0.0, -verdict.min_gap),
            "mean": float(np.maximum(0.0, -touching).mean()) if touching.size else 0.0,
            "touching": int(touching.size),
        }
