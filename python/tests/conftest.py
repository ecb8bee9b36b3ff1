"""What the tests share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import signorini as sg

ROOT = Path(__file__).resolve().parents[2]


def scene_file(name: str) -> Path:
    """A scene of the repository by name, such as `seeds/stack`."""
    return ROOT / "scenes" / f"{name}.toml"


def command(*arguments: object, check: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs the command line in a process of its own."""
    line = [sys.executable, "-m", "signorini", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=check, timeout=300)


def rolling_ball(**options: float) -> sg.Scene:
    """A ball that slides on the ground until it rolls: bodies `half-space-0` and `ball`."""
    builder = sg.Scene.builder().time_step(options.get("step", 0.005)).duration(options.get("duration", 0.5))
    builder.friction(0.5)
    builder.body(sg.Body.half_space())
    builder.body(sg.Body.sphere(0.1).density(1000.0).at([0, 0, 0.1]).velocity([2, 0, 0]).named("ball"))
    return builder.build()


def heap(count: int = 8) -> sg.Scene:
    """Ellipsoids that fall into a box."""
    builder = sg.Scene.builder().time_step(0.01).duration(0.5).friction(0.5).seed(3)
    builder.container([-0.25, -0.25, 0], [0.25, 0.25, 2])
    builder.fill(
        count, sg.Body.ellipsoid([0.08, 0.06, 0.05]).density(1500.0), [-0.25, -0.25, 0], [0.25, 0.25, 0.6]
    )
    return builder.build()


@pytest.fixture
def ball() -> sg.Simulation:
    return sg.Simulation(rolling_ball())
