"""Programs that can step a drop, each behind the same few methods."""

from __future__ import annotations

import importlib
from typing import Any, Protocol

import numpy as np

from drops import Drop

#: Module of each program, and the package that it needs.
MODULES = {
    "signorini": ("programs.with_signorini", "signorini"),
    "MuJoCo": ("programs.with_mujoco", "mujoco"),
    "Rapier": ("programs.with_rapier", "rapier3d"),
}


class Stepper(Protocol):
    """A program that steps one drop."""

    def step(self) -> None:
        """Takes one step."""

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions (m) and quaternions (w, x, y, z) of the bodies, now."""

    def notes(self) -> dict[str, Any]:
        """What the program says of the steps that it took."""


def stepper(program: str, drop: Drop | None, settings: dict[str, Any], threads: int) -> Stepper:
    module = importlib.import_module(MODULES[program][0])
    made: Stepper = module.Steps(drop, threads=threads, **settings)
    return made
