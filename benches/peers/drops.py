"""Bodies that are dropped into a box: where they start, and the scene of this program.

The bodies start on a grid, turned at random, at least 2 mm apart. The box is as wide as the pile would be
high if bodies filled 0.63 (ellipsoids) or 0.60 (cubes) of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from loose import placed

#: Semi-axes of an ellipsoid, half extents of a cube (m).
EXTENTS = {"ellipsoids": np.array([0.10, 0.07, 0.05]), "cubes": np.full(3, 0.06)}
#: Size of a body: the mean of the above (m).
SIZE = {family: float(extents.mean()) for family, extents in EXTENTS.items()}
VOLUME = {"ellipsoids": 4.0 / 3.0 * np.pi * EXTENTS["ellipsoids"].prod(), "cubes": 0.12**3}
FILL = {"ellipsoids": 0.63, "cubes": 0.60}
#: Density (kg/m³), coefficient of friction, gravity (m/s²), time step (s).
DENSITY, FRICTION, GRAVITY, TIME_STEP = 1000.0, 0.5, 9.81, 0.005


@dataclass(frozen=True)
class Drop:
    """Where bodies start: positions (m), shape (n, 3); quaternions (w, x, y, z), shape (n, 4)."""

    family: str
    width: float
    positions: np.ndarray
    quaternions: np.ndarray

    @property
    def count(self) -> int:
        return len(self.positions)

    def walls(self) -> list[tuple[tuple[int, int, int], float]]:
        """Inward normals n and offsets o of the box, which is where n·x ≥ o (m)."""
        half = self.width / 2.0
        sides = [((1, 0, 0), -half), ((-1, 0, 0), -half), ((0, 1, 0), -half), ((0, -1, 0), -half)]
        return [((0, 0, 1), 0.0), *sides]

    def scene(self, duration: float, torsion: float | str, tolerance: float) -> dict[str, Any]:
        """The scene of this program, as a dict; `torsion` is `ellipsoid.r` of its friction."""
        kind = {"ellipsoids": ("ellipsoid", "semi_axes"), "cubes": ("box", "half_extents")}[self.family]
        shape = {"type": kind[0], kind[1]: EXTENTS[self.family]}
        poses = zip(self.positions, self.quaternions, strict=True)
        bodies = [
            {"name": f"b{i}", "shape": shape, "density": DENSITY, "position": p, "orientation": q}
            for i, (p, q) in enumerate(poses)
        ]
        return {
            "format": 1,
            "simulation": {"time_step": TIME_STEP, "duration": duration, "gravity": [0.0, 0.0, -GRAVITY]},
            "solver": {"tolerance": tolerance},
            "friction": [{"coefficient": FRICTION, "ellipsoid": {"t": 1.0, "o": 1.0, "r": torsion}}],
            "container": [{"name": "box", "size": [self.width, self.width, 100.0]}],
            "body": bodies,
        }


def drop(family: str, count: int, cache: Path) -> Drop:
    """So many bodies over their box; kept in the folder `cache`, since it takes a while to place many."""
    path = cache / f"{family}-{count}.npz"
    width = float(np.cbrt(count * VOLUME[family] / FILL[family]))
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        positions, quaternions = placed(family, EXTENTS[family], count, width)
        np.savez(path, positions=positions, quaternions=quaternions)
    kept = np.load(path)
    return Drop(family, width, kept["positions"], kept["quaternions"])
