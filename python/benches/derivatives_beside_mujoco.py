"""Derivatives of a step here and in MuJoCo, each from one MJCF:
`python python/benches/derivatives_beside_mujoco.py`.

MuJoCo's are centred differences: `mjd_transitionFD` steps twice for each entry of the state. Here they are
one more solution each, at the solution of the step.

All tables but the last tell of the matrix of changes of the state at the end of a step with the state at its
start:

- its error, against central differences of steps that the same program solves again, extrapolated over two
  sizes; both are the largest over all entries, over that of the matrix;
- how far the differences agree among themselves, in the same measure;
- the times of a step, and of a step with the matrix (ms).

Contacts are pairs of bodies that press on each other in the step. Bodies that slide hop a little in MuJoCo.
Where a contact opens or closes within a difference, the difference is the jump of the force over the size.

Lengths are measured in `LENGTH`, times in that in which a body falls by it.

The last table tells of a brick that slides until it stands: how its way changes with its speed at the
start, by two runs and by the chain rule over all steps. Theory says v / (μ g).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
from beside_mujoco import rotation

import signorini as sg

FRICTION, GRAVITY, STEP = 0.3, 9.81, 0.002
#: In which lengths and times are measured (m, s).
LENGTH = 0.1
TIME = (LENGTH / GRAVITY) ** 0.5
#: Sizes of differences, in these measures. Of each and its half an extrapolation is made, and the best taken.
SIZES = (1e-3, 1e-4, 1e-5, 1e-6)
#: Sizes of MuJoCo's differences: that which its documentation names, and a smaller one.
MUJOCO_SIZES = (1e-6, 1e-8)
#: Until when bodies settle, how long they then move before the matrix is taken (s), how often it is timed.
WHEN, AFTER, REPEATS = 0.1, 0.06, 20
#: Speed of the brick whose way is told, half the difference of two runs (m/s), and steps until it stands.
SPEED, APART, STEPS = 1.0, 1e-2, 250

BODY = '<body name="{name}" pos="{pos}"><freejoint/><geom type="{kind}" size="{size}" mass="1"/></body>'
FLOOR = '<geom type="plane" size="5 5 .1"/>'
BRICK = BODY.format(name="brick", pos="0 0 0.05", kind="box", size="0.1 0.1 0.05")
#: Bodies, and the speed along x of the first (m/s).
SCENES = {
    "brick that slides": (FLOOR + BRICK, SPEED),
    "brick that stands": (FLOOR + BRICK, 0.0),
    "ball that rolls": (FLOOR + BODY.format(name="ball", pos="0 0 0.1", kind="sphere", size="0.1"), SPEED),
    "three boxes in a stack": (
        FLOOR
        + "".join(
            BODY.format(name=f"box{k}", pos=f"0 0 {0.05 + 0.1 * k}", kind="box", size="0.1 0.1 0.05")
            for k in range(3)
        ),
        0.0,
    ),
}
OPTIONS = {
    "as it is": "",
    "elliptic cones, impratio 100": 'cone="elliptic" impratio="100"',
}


def model(bodies: str, option: str) -> str:
    """MJCF of some bodies."""
    return (
        f'<mujoco><option timestep="{STEP}" gravity="0 0 -{GRAVITY}" {option}/>'
        f'<default><geom friction="{FRICTION} 0.005 0.0001"/></default>'
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )


class World(Protocol):
    """A program with the bodies of one MJCF. States have rows of position, quaternion, velocity, spin."""

    def push(self, speed: float) -> None:
        """Gives the first body a speed along x (m/s)."""

    def step(self) -> None:
        """Takes a step."""

    def matrix(self) -> np.ndarray:
        """Takes a step; changes of the state at its end with that at its start, shape (12 n, 12 n)."""

    def state(self) -> np.ndarray:
        """The state, shape (n, 13), world axes."""

    def touching(self) -> int:
        """Pairs of bodies that pressed on each other in the last step."""

    def save(self) -> Callable[[], None]:
        """What brings the world back to where it is now."""

    def put(self, state: np.ndarray) -> None:
        """Gives the bodies a state."""


class Here:
    """This program."""

    def __init__(self, path: Path) -> None:
        scene = sg.Scene.from_mjcf(path, tolerance=1e-12)
        self.simulation = sg.Simulation(scene, threads=1, judge=False)
        self.moving = np.flatnonzero(~scene.fixed)

    def push(self, speed: float) -> None:
        self.simulation.set_velocity(int(self.moving[0]), [speed, 0, 0])

    def step(self) -> None:
        self.simulation.step()

    def matrix(self) -> np.ndarray:
        _, derivatives = self.simulation.step_with_derivatives()
        matrix, _ = derivatives.matrices()
        n = 12 * len(self.moving)
        return matrix[self.moving][:, :, self.moving].reshape(n, n)

    def state(self) -> np.ndarray:
        it = self.simulation
        rows = np.hstack([it.positions, it.quaternions, it.velocities, it.angular_velocities])
        return rows[self.moving]

    def touching(self) -> int:
        return int((self.simulation.contacts()["normal_impulse"] > 0).sum())

    def save(self) -> Callable[[], None]:
        saved = self.simulation.save()
        return lambda: self.simulation.restore(saved)

    def put(self, state: np.ndarray) -> None:
        it = self.simulation
        kinds = [it.positions, it.quaternions, it.velocities, it.angular_velocities]
        for kind, columns in zip(kinds, np.split(state, [3, 7, 10], axis=1), strict=True):
            kind[self.moving] = columns
        it.set_state(*kinds)


class InMujoco:
    """MuJoCo, in which spins of free bodies and changes of their orientation are in the body's axes."""

    def __init__(self, path: Path, size: float) -> None:
        import mujoco

        self.mujoco, self.size = mujoco, size
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.model.opt.tolerance = 1e-15
        self.model.opt.iterations = 500
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)

    def push(self, speed: float) -> None:
        self.data.qvel[0] = speed

    def step(self) -> None:
        self.mujoco.mj_step(self.model, self.data)

    def matrix(self) -> np.ndarray:
        size = 2 * self.model.nv
        out, start = np.zeros((size, size)), self.state()
        self.mujoco.mjd_transitionFD(self.model, self.data, self.size, True, out, None, None, None)
        self.step()
        return self.in_world(self.state()) @ out @ np.linalg.inv(self.in_world(start))

    def in_world(self, state: np.ndarray) -> np.ndarray:
        """Its changes of the state as ours: of all positions, then all rates, to body by body."""
        n = len(state)
        out = np.zeros((12 * n, 12 * n))
        for body, row in enumerate(state):
            turn, spin = rotation(row[3:7]), row[10:]
            cross = np.array([[0, -spin[2], spin[1]], [spin[2], 0, -spin[0]], [-spin[1], spin[0], 0]])
            ours, pose, rate = 12 * body, 6 * body, 6 * (n + body)
            out[ours : ours + 3, pose : pose + 3] = out[ours + 6 : ours + 9, rate : rate + 3] = np.eye(3)
            out[ours + 3 : ours + 6, pose + 3 : pose + 6] = turn
            # ω = R w: δω = δθ × ω + R δw.
            out[ours + 9 : ours + 12, pose + 3 : pose + 6] = -cross @ turn
            out[ours + 9 : ours + 12, rate + 3 : rate + 6] = turn
        return out

    def state(self) -> np.ndarray:
        poses, rates = self.data.qpos.reshape(-1, 7), self.data.qvel.reshape(-1, 6)
        spins = [rotation(pose[3:]) @ rate[3:] for pose, rate in zip(poses, rates, strict=True)]
        return np.hstack([poses, rates[:, :3], spins])

    def touching(self) -> int:
        contacts = self.data.contact
        force = np.zeros(6)
        pairs = set()
        for k in range(self.data.ncon):
            self.mujoco.mj_contactForce(self.model, self.data, k, force)
            if force[0] > 0:
                pairs.add(tuple(contacts.geom[k]))
        return len(pairs)

    def save(self) -> Callable[[], None]:
        saved = self.mujoco.MjData(self.model)
        self.mujoco.mj_copyData(saved, self.model, self.data)
        return lambda: self.mujoco.mj_copyData(self.data, self.model, saved)

    def put(self, state: np.ndarray) -> None:
        self.data.qpos[:] = state[:, :7].ravel()
        spins = [rotation(row[3:7]).T @ row[10:] for row in state]
        self.data.qvel[:] = np.hstack([state[:, 7:10], spins]).ravel()


def turned(quaternion: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """A quaternion turned by a rotation vector in world axes."""
    size = np.linalg.norm(angle)
    w, v = np.cos(size / 2), np.sinc(size / (2 * np.pi)) / 2 * angle
    w0, v0 = quaternion[0], quaternion[1:]
    return np.array([w * w0 - v @ v0, *(w * v0 + w0 * v + np.cross(v, v0))])


def apart(end: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Change of the state from one to another, 12 numbers for each body."""
    out = []
    for a, b in zip(end, start, strict=True):
        back = np.array([b[3], *-b[4:7]])
        w, v = (
            a[3] * back[0] - a[4:7] @ back[1:],
            a[3] * back[1:] + back[0] * a[4:7] + np.cross(a[4:7], back[1:]),
        )
        half = np.linalg.norm(v)
        angle = 2 * np.arctan2(half, abs(w)) * np.sign(w) * v / max(half, 1e-300)
        out.append([*(a[:3] - b[:3]), *angle, *(a[7:] - b[7:])])
    return np.ravel(out)


def scales(n: int) -> np.ndarray:
    """Units of the 12 entries of a change of each body."""
    return np.tile(np.repeat([LENGTH, 1.0, LENGTH / TIME, 1.0 / TIME], 3), n)


def differences(world: World) -> tuple[np.ndarray, float]:
    """The matrix by extrapolated differences, and how far these agree, over the largest entry."""
    start, back = world.state(), world.save()

    def end(state: np.ndarray) -> np.ndarray:
        back()
        world.put(state)
        world.step()
        return world.state()

    here, units = end(start), scales(len(start))

    def difference(column: int, size: float) -> np.ndarray:
        body, entry = divmod(column, 12)
        ends = []
        for step in (size, -size):
            moved = start.copy()
            row = moved[body]
            if 3 <= entry < 6:
                row[3:7] = turned(row[3:7], step * np.eye(3)[entry - 3])
            else:
                row[entry if entry < 3 else entry + 1] += step * units[column]
            ends.append(apart(end(moved), here))
        return (ends[0] - ends[1]) / (2 * size) / units

    found = []
    for size in SIZES:
        coarse, fine = (np.array([difference(c, s) for c in range(len(units))]).T for s in (size, size / 2))
        best = (4 * fine - coarse) / 3
        found.append((float(np.abs(fine - best).max() / np.abs(best).max()), best))
    back()
    bar, best = min(found, key=lambda pair: pair[0])
    return best, bar


def of_a_step(world: World, speed: float) -> list[float]:
    """Pairs that touch, errors of the matrix and of the differences, times without and with it (ms)."""
    for _ in range(round(WHEN / STEP)):
        world.step()
    world.push(speed)
    for _ in range(round(AFTER / STEP)):
        world.step()
    best, bar = differences(world)
    units, back = scales(len(world.state())), world.save()

    def timed(work: Callable[[], object]) -> float:
        times = []
        for _ in range(REPEATS):
            back()
            begin = time.perf_counter()
            work()
            times.append(1e3 * (time.perf_counter() - begin))
        back()
        # Other programs on the machine make some of them slower.
        return min(times)

    matrix = world.matrix() * units / units[:, None]
    touching = world.touching()
    error = np.abs(matrix - best).max() / np.abs(best).max()
    return [touching, error, bar, timed(world.step), timed(world.matrix)]


def of_a_way(world: World) -> list[float]:
    """The way of the brick (m), its change with the speed by runs and by the chain (s), time (s)."""
    for _ in range(round(WHEN / STEP)):
        world.step()
    back, start = world.save(), world.state()[0, 0]
    ways = []
    for speed in (SPEED + APART, SPEED - APART):
        back()
        world.push(speed)
        for _ in range(STEPS):
            world.step()
        ways.append(world.state()[0, 0])
    back()
    world.push(SPEED)
    begin = time.perf_counter()
    change = np.zeros(12)
    change[6] = 1.0
    for _ in range(STEPS):
        change = world.matrix() @ change
    seconds = time.perf_counter() - begin
    return [world.state()[0, 0] - start, (ways[0] - ways[1]) / (2 * APART), change[0], seconds]


def tell(title: str, head: list[str], rows: list[list[object]]) -> None:
    print(f"\n{title}:\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(
            "| " + " | ".join(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row) + " |"
        )


def programs() -> list[tuple[str, str, Callable[[Path], World]]]:
    """Name, options of the model, and what opens it."""
    found: list[tuple[str, str, Callable[[Path], World]]] = [
        (
            f"MuJoCo, {name}, differences of {size:g}",
            option,
            partial(InMujoco, size=size),
        )
        for name, option in OPTIONS.items()
        for size in MUJOCO_SIZES
    ]
    return [*found, (f"signorini {sg.__version__}", "", Here)]


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bodies.xml"
        for title, (bodies, speed) in SCENES.items():
            rows = []
            for name, option, world in programs():
                path.write_text(model(bodies, option), encoding="utf-8")
                rows.append([name, *of_a_step(world(path), speed)])
            tell(
                title.capitalize(),
                ["program", "contacts", "error", "error bar", "step (ms)", "with matrix (ms)"],
                rows,
            )
        slope = SPEED / (FRICTION * GRAVITY)
        rows = [["theory", SPEED * slope / 2, slope, slope, ""]]
        for name, option, world in programs():
            path.write_text(model(SCENES["brick that slides"][0], option), encoding="utf-8")
            rows.append([name, *of_a_way(world(path))])
        tell(
            "Way of a brick",
            ["program", "way (m)", "by speed, two runs (s)", "by the chain (s)", "seconds"],
            rows,
        )


if __name__ == "__main__":
    main()
