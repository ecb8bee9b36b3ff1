"""MuJoCo with its default contact (soft, pyramidal cones) and one of its solvers."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from drops import DENSITY, EXTENTS, FRICTION, GRAVITY, TIME_STEP, Drop


class Steps:
    """Steps of a solver, `"Newton"` or `"CG"`, to its default tolerance. `threads` must be 1."""

    def __init__(self, drop: Drop, *, threads: int, solver: str) -> None:
        assert threads == 1, "MuJoCo is measured with one thread"
        self.model = mujoco.MjModel.from_xml_string(_model(drop, solver))
        self.data = mujoco.MjData(self.model)
        self.iterations: list[int] = []

    def step(self) -> None:
        mujoco.mj_step(self.model, self.data)
        islands = min(max(1, self.data.nisland), len(self.data.solver_niter))
        self.iterations.append(int(self.data.solver_niter[:islands].max()))

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        rows = self.data.qpos.reshape(-1, 7)
        return rows[:, :3].copy(), rows[:, 3:].copy()

    def notes(self) -> dict[str, Any]:
        return {
            "contact_points": int(self.data.ncon),
            "median_iterations": float(np.median(self.iterations)),
            "warnings": [int(warning.number) for warning in self.data.warning],
        }


def _model(drop: Drop, solver: str) -> str:
    kind = {"ellipsoids": "ellipsoid", "cubes": "box"}[drop.family]
    walls = "".join(
        f'<geom type="plane" size="5 5 .1" pos="{_text(np.array(n) * o)}" zaxis="{_text(n)}"/>'
        for n, o in drop.walls()
    )
    bodies = "".join(
        f'<body pos="{_text(p)}" quat="{_text(q)}"><freejoint/>'
        f'<geom type="{kind}" size="{_text(EXTENTS[drop.family])}" density="{DENSITY}"/></body>'
        for p, q in zip(drop.positions, drop.quaternions, strict=True)
    )
    return (
        f'<mujoco><option timestep="{TIME_STEP}" gravity="0 0 -{GRAVITY}" solver="{solver}"/>'
        f'<size memory="8G"/><default><geom friction="{FRICTION} 0 0"/></default>'
        f"<worldbody>{walls}{bodies}</worldbody></mujoco>"
    )


def _text(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in numbers)
