"""What programs that draw are given: bodies with surfaces, and where they are over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from signorini import _native
from signorini._native import Scene, Simulation

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from signorini.runs import Run

#: Colours of bodies that move, by turns, and of others: red, green, blue.
_COLOURS = [(0, 114, 178), (230, 159, 0), (0, 158, 115), (213, 94, 0), (204, 121, 167), (240, 228, 66)]
_STILL = (178, 178, 182)


@dataclass(frozen=True)
class Actor:
    """A body with its surface, about its centre of mass, and its place at the start."""

    name: str
    points: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    colour: tuple[int, int, int]
    position: np.ndarray
    quaternion: np.ndarray


class Writer(Protocol):
    """Writes bodies and where they are. Times are in s; a body with NaN for its position is not there."""

    def body(self, actor: Actor) -> None:
        """Makes a body known."""

    def track(self, name: str, steps: np.ndarray, times: np.ndarray, poses: np.ndarray) -> None:
        """Puts a body where it is at some steps: ``poses`` are positions and quaternions, shape (f, 7)."""

    def forces(
        self, steps: np.ndarray, times: np.ndarray, counts: np.ndarray, points: np.ndarray, forces: np.ndarray
    ) -> None:
        """Shows contact forces (N) at points (m): so many of each step, one step after the other."""

    def close(self) -> None:
        """Ends what is written."""


class Live:
    """Writes a simulation while it goes: ``log()`` after each step, ``close()`` at the end, or ``with``."""

    def __init__(self, simulation: Simulation, writer: Writer) -> None:
        self._simulation, self._writer = simulation, writer
        self._known: dict[int, str] = {}
        self._there: set[int] = set()
        self._start: tuple[np.ndarray, np.ndarray] | None = None
        self.log()

    def log(self) -> None:
        """Writes where the bodies are now, and the contact forces of the last step."""
        simulation, names = self._simulation, self._simulation.names
        ids = simulation.ids
        steps, times = np.array([simulation.step_index]), np.array([simulation.time])
        if any(body not in self._known for body in ids):
            for body, actor in zip(ids, actors(simulation.scene), strict=True):
                if body not in self._known:
                    self._known[body] = actor.name
                    self._writer.body(actor)
                    if self._start is not None:
                        # Until now it was not there.
                        self._writer.track(actor.name, *self._start, np.full((1, 7), np.nan))
        self._start = self._start or (steps, times)
        poses = np.hstack([simulation.positions, simulation.quaternions])
        for body, pose in zip(ids, poses, strict=True):
            self._writer.track(self._known[body], steps, times, pose[None])
        for body in self._there.difference(ids):
            self._writer.track(self._known[body], steps, times, np.full((1, 7), np.nan))
        self._there = set(ids)
        contacts = simulation.contacts()
        impulses = contacts["normal_impulse"][:, None] * contacts["normal"] + contacts["friction_impulse"]
        forces = impulses / simulation.scene.time_step
        self._writer.forces(steps, times, np.array([len(names) and len(forces)]), contacts["point"], forces)

    def close(self) -> None:
        """Ends what is written."""
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def actors(scene: Scene) -> Iterator[Actor]:
    """The bodies of a scene."""
    turn = 0
    places = zip(scene.names, scene.fixed, scene.surfaces(), scene.positions, scene.quaternions, strict=True)
    for name, fixed, (points, normals, triangles), position, quaternion in places:
        colour = _STILL if fixed else _COLOURS[turn % len(_COLOURS)]
        turn += not fixed
        yield Actor(name, points, normals, triangles, colour, position, quaternion)


def write_run(run: Run, writer: Writer, frames: int) -> None:
    """Writes a run with at most so many frames, evenly spread, and the last one."""
    n = len(run.times)
    every = max(1, -(-n // max(int(frames), 2)))
    kept = np.unique(np.append(np.arange(0, n, every), n - 1)) if n else np.array([], dtype=np.int64)
    steps, times = run.frame_steps[kept], run.times[kept]
    poses = np.concatenate([run.positions[kept], run.quaternions[kept]], axis=-1)
    columns = {name: column for column, name in enumerate(run.moving)}
    for actor in actors(_native.scene_of_run(run.folder)):
        writer.body(actor)
        if actor.name in columns:
            writer.track(actor.name, steps, times, poses[:, columns[actor.name]])
    contacts = run.contacts
    place = np.searchsorted(steps, contacts["step"])
    shown = (place < len(steps)) & (steps[np.minimum(place, len(steps) - 1)] == contacts["step"])
    columns_of = [[f"{name}{axis}" for axis in "xyz"] for name in ("ecp_", "n", "friction_impulse_")]
    points, normals, friction = (
        np.stack([contacts[name][shown] for name in names], axis=-1) for names in columns_of
    )
    impulses = contacts["normal_impulse"][shown][:, None] * normals + friction
    counts = np.bincount(place[shown], minlength=len(steps))
    writer.forces(steps, times, counts, points, impulses / run.scene.time_step)
    writer.close()


def force_scale(scene: Scene) -> float:
    """Metres for a newton: the weight of a middling body is drawn as long as the body is wide."""
    moving = ~scene.fixed
    gravity = float(np.linalg.norm(scene.gravity)) or 9.81
    widths = [np.ptp(points, axis=0).max() for points, _, _ in scene.surfaces() if len(points)]
    widths = [width for width, moves in zip(widths, moving, strict=False) if moves] or [1.0]
    masses = scene.masses[moving]
    weight = gravity * float(np.median(masses)) if len(masses) else 1.0
    return float(np.median(widths)) / weight
