"""Four bodies of which theory knows what they do, here and in MuJoCo, each from one MJCF:
`python python/benches/beside_mujoco.py`.

- Two pads press with 20 N each on a cylinder of 0.1 kg, whose friction could bear twenty times its weight: it
  stays where it is. Told is how fast it sinks from 1 s, when the grip has closed, to 10 s.
- Two pads of 2 x 2 cm press so on a box, 3 cm beside its centre of mass: friction of the faces could bear
  five times that moment. Told is how fast the box turns from 1 s to 10 s.
- A brick that stands on its face is spun at 5 rad/s. Friction under uniform pressure ends that after
  ω I / (μ m g r), with the mean distance r of the face's points from its centre. Told is when it spins slower
  than 0.01 rad/s.
- A brick tumbles freely at 30 rad/s in steps of 10 ms: angular momentum and energy stay what they are. Told
  is how much of each is missing after 2 s.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

import signorini as sg

FRICTION = 0.5
#: Steps of all but the last (s).
STEP = 0.002
#: Force of a pad (N); when motion in the grip is measured from, and to (s).
GRIP, START, END = 20.0, 1.0, 10.0
#: The brick that spins: half its length, width and height (m), and spin (rad/s).
BRICK, SPIN = (0.03, 0.06, 0.02), 5.0
#: The brick that tumbles: half its length, width and height (m), spin (rad/s), steps (s), end (s).
FREE_BRICK = (0.03, 0.06, 0.09)
TUMBLE, TUMBLE_STEP, TUMBLE_END = 30.0, 0.01, 2.0

PADS = """<body name="left" pos="-0.03 {y} 0"><joint name="left" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.01 {half} {half}" mass="0.2"/></body>
    <body name="right" pos="0.03 {y} 0"><joint name="right" type="slide" axis="-1 0 0"/>
      <geom type="box" size="0.01 {half} {half}" mass="0.2"/></body>"""
MOTORS = '<actuator><motor name="left" joint="left"/><motor name="right" joint="right"/></actuator>'
CYLINDER = (
    '<body name="held"><freejoint/><geom type="cylinder" size="0.02 0.04" mass="0.1"/></body>'
    + PADS.format(y=0, half=0.02)
)
BOX = (
    '<body name="held"><freejoint/><geom type="box" size="0.02 0.05 0.02" mass="0.1"/></body>'
    + PADS.format(y=0.03, half=0.01)
)
ON_FLOOR = (
    '<geom type="plane" size="5 5 .1"/><body name="brick" pos="0 0 {2}"><freejoint/>'
    '<geom type="box" size="{0} {1} {2}" mass="1"/></body>'
).format(*BRICK)
FREE = '<body name="brick"><freejoint/><geom type="box" size="{} {} {}" mass="1"/></body>'.format(*FREE_BRICK)

#: What MuJoCo's documentation advises against slip, step by step.
AGAINST_SLIP = {
    "as it is": "",
    "elliptic cones": 'cone="elliptic"',
    "elliptic cones, impratio 10": 'cone="elliptic" impratio="10"',
    "elliptic cones, impratio 100": 'cone="elliptic" impratio="100"',
    "elliptic cones, impratio 10, noslip 10": 'cone="elliptic" impratio="10" noslip_iterations="10"',
}
INTEGRATORS = {
    "as it is": "",
    "implicitfast": 'integrator="implicitfast"',
    "implicit": 'integrator="implicit"',
    "RK4": 'integrator="RK4"',
}


class World(Protocol):
    """A program that steps the bodies of one MJCF."""

    def grip(self, force: float) -> None:
        """Tells each pad to press (N)."""

    def turn(self, body: str, spin: np.ndarray) -> None:
        """Lets a body begin with a spin, in the world's axes (rad/s)."""

    def until(self, end: float) -> None:
        """Steps to the given time (s)."""

    def place(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Centre (m), and rotation from the body's axes to those of the world."""

    def spin(self, body: str) -> np.ndarray:
        """Angular velocity in the world's axes (rad/s)."""


def rotation(quaternion: np.ndarray) -> np.ndarray:
    """Matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


class Here:
    """This program."""

    def __init__(self, path: Path, end: float) -> None:
        self.simulation = sg.Simulation(sg.Scene.from_mjcf(path, duration=end))

    def grip(self, force: float) -> None:
        for motor in self.simulation.scene.motor_names:
            self.simulation.set_motor(motor, force)

    def turn(self, body: str, spin: np.ndarray) -> None:
        self.simulation.set_velocity(body, np.zeros(3), spin)

    def until(self, end: float) -> None:
        assert all(outcome.good for outcome in self.simulation.run(until=end))

    def place(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        position, quaternion = self.simulation.pose(body)
        return position, rotation(quaternion)

    def spin(self, body: str) -> np.ndarray:
        return self.simulation.velocity(body)[1]


class InMujoco:
    """MuJoCo, whose velocity of a free body's spin is in the body's axes."""

    def __init__(self, path: Path, end: float) -> None:
        import mujoco

        self.advance = mujoco.mj_step
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)

    def grip(self, force: float) -> None:
        self.data.ctrl[:] = force

    def turn(self, body: str, spin: np.ndarray) -> None:
        self.data.qvel[3:6] = self.place(body)[1].T @ spin

    def until(self, end: float) -> None:
        while self.data.time < end - self.model.opt.timestep / 2:
            self.advance(self.model, self.data)
        if any(warning.number for warning in self.data.warning):
            raise FloatingPointError("unstable")

    def place(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        # What a step leaves in xpos is where the body was at its start. This body is the first of the model.
        return self.data.qpos[:3].copy(), rotation(self.data.qpos[3:7])

    def spin(self, body: str) -> np.ndarray:
        return self.place(body)[1] @ self.data.qvel[3:6]


def sinking(world: World, end: float) -> list[float]:
    """How fast the cylinder sinks (µm/s)."""
    world.grip(GRIP)
    world.until(START)
    before = world.place("held")[0][2]
    world.until(end)
    return [1e6 * (before - world.place("held")[0][2]) / (end - START)]


def turning(world: World, end: float) -> list[float]:
    """How fast the box turns (degrees/s)."""
    world.grip(GRIP)
    world.until(START)
    before = world.place("held")[1]
    world.until(end)
    cosine = 0.5 * (np.trace(before.T @ world.place("held")[1]) - 1.0)
    return [math.degrees(math.acos(min(1.0, cosine))) / (end - START)]


def stopping(world: World, end: float) -> list[float]:
    """When the brick spins no more (s)."""
    world.until(START)
    world.turn("brick", np.array([0.0, 0.0, SPIN]))
    for step in range(1, round((end - START) / STEP)):
        world.until(START + step * STEP)
        if abs(world.spin("brick")[2]) < 0.002 * SPIN:
            return [step * STEP]
    return [math.inf]


def stop_of_theory() -> float:
    """ω I / (μ m g r) with r = ∫|x − x_c| dA / A over the face."""
    a, b, _ = BRICK
    d = math.hypot(a, b)
    r = d / 3 + a * a / (6 * b) * math.log((b + d) / a) + b * b / (6 * a) * math.log((a + d) / b)
    return SPIN * (a * a + b * b) / 3 / (FRICTION * 9.81 * r)


def losses(world: World, end: float) -> list[float]:
    """What is missing of angular momentum and of energy (%)."""
    a, b, c = FREE_BRICK
    inertia = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 3
    axis = np.array([1.0, 2.0, 3.0])
    world.turn("brick", TUMBLE * axis / np.linalg.norm(axis))

    def momentum_and_energy() -> tuple[np.ndarray, float]:
        rotation, spin = world.place("brick")[1], world.spin("brick")
        momentum = rotation @ inertia @ rotation.T @ spin
        return momentum, 0.5 * momentum @ spin

    momentum, energy = momentum_and_energy()
    world.until(end)
    later, left = momentum_and_energy()
    missing = np.linalg.norm(momentum - later) / np.linalg.norm(momentum)
    return [100 * float(missing), 100 * (1 - left / energy)]


@dataclass(frozen=True)
class Experiment:
    """What is told of one body."""

    title: str
    columns: list[str]
    theory: list[float]
    bodies: str
    measure: Callable[[World, float], list[float]]
    step: float
    end: float
    settings: dict[str, str]
    gravity: float = 9.81

    def model(self, option: str) -> str:
        return (
            f'<mujoco><option timestep="{self.step}" gravity="0 0 -{self.gravity}" {option}/>'
            f'<default><geom friction="{FRICTION} 0.005 0.0001"/></default>'
            f"<worldbody>{self.bodies}</worldbody>{MOTORS if 'left' in self.bodies else ''}</mujoco>"
        )


EXPERIMENTS = [
    Experiment("Cylinder in a grip", ["creep (µm/s)"], [0.0], CYLINDER, sinking, STEP, END, AGAINST_SLIP),
    Experiment("Box in two pads", ["turn (degrees/s)"], [0.0], BOX, turning, STEP, END, AGAINST_SLIP),
    Experiment(
        "Brick that spins", ["stop (s)"], [stop_of_theory()], ON_FLOOR, stopping, STEP, END, AGAINST_SLIP
    ),
    Experiment(
        "Brick that tumbles",
        ["missing momentum (%)", "missing energy (%)"],
        [0.0, 0.0],
        FREE,
        losses,
        TUMBLE_STEP,
        TUMBLE_END,
        INTEGRATORS,
        0.0,
    ),
]


def row(program: str, settings: str, values: list[float], seconds: str) -> str:
    numbers = " | ".join("unstable" if math.isnan(value) else f"{value:.4g}" for value in values)
    return f"| {program} | {settings} | {numbers} | {seconds} |"


def tell(experiment: Experiment, path: Path) -> None:
    head = ["program", "settings", *experiment.columns, "seconds"]
    print(f"\n{experiment.title}:\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    print(row("theory", "", experiment.theory, ""))
    runs: list[tuple[str, str, str, Callable[[Path, float], World]]] = [
        ("MuJoCo", name, option, InMujoco) for name, option in experiment.settings.items()
    ]
    runs.append((f"signorini {sg.__version__}", "as it is", "", Here))
    for program, name, option, world in runs:
        path.write_text(experiment.model(option), encoding="utf-8")
        begin = time.perf_counter()
        try:
            values = experiment.measure(world(path, experiment.end), experiment.end)
        except FloatingPointError:
            # MuJoCo begins anew from where the bodies were at first.
            values = [math.nan for _ in experiment.columns]
        print(row(program, name, values, f"{time.perf_counter() - begin:.2f}"), flush=True)


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for experiment in EXPERIMENTS:
            tell(experiment, Path(folder) / "bodies.xml")


if __name__ == "__main__":
    main()
