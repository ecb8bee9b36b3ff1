"""This program, on its drop or on a scene file of the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import signorini as sg

from drops import Drop

ROOT = Path(__file__).resolve().parents[3]


class Steps:
    """Steps solved to a tolerance; `torsion` is `ellipsoid.r` of the friction. The referee is off."""

    def __init__(
        self,
        drop: Drop | None,
        *,
        threads: int,
        tolerance: float,
        torsion: float | str = 0.0,
        scene: str | None = None,
    ) -> None:
        if drop is None:
            self.scene = sg.Scene.load(ROOT / f"scenes/{scene}.toml", tolerance=tolerance)
        else:
            self.scene = sg.Scene.from_dict(drop.scene(100.0, torsion, tolerance))
        self.simulation = sg.Simulation(self.scene, threads=threads, judge=False)
        names = self.simulation.names
        self.moving = np.array([i for i, name in enumerate(names) if not name.startswith("box.")])
        self.outcomes: list[sg.StepOutcome] = []

    def step(self) -> None:
        self.outcomes.append(self.simulation.step())

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        return self.simulation.positions[self.moving], self.simulation.quaternions[self.moving]

    def notes(self) -> dict[str, Any]:
        residuals = np.array([outcome.residual for outcome in self.outcomes])
        return {
            "solved": sum(outcome.solved for outcome in self.outcomes),
            "halved": sum(outcome.status == "solved_by_halving" for outcome in self.outcomes),
            "median_residual": float(np.median(residuals)),
            "worst_residual": float(residuals.max()),
        }
