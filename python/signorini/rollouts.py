"""Trajectories as functions of arrays, which libraries of automatic differentiation are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from signorini._native import Scene, Simulation
from signorini.errors import InputError
from signorini.gradients import WRENCH, Trajectory, array, pull, push, record, turned, unturned

_Floats = npt.NDArray[np.float64]
#: A scene, or a function that makes one of masses, gravity or friction.
Source = Scene | Callable[..., Scene]

#: Entries of a row of a state: position, quaternion, velocity, angular velocity.
ROW = 13
#: What a scene is made of.
_MADE_OF = ("mass", "inertia", "size", "gravity", "friction", "restitution", "time_step")


class Rollout:
    """A trajectory as a function of ``start``, ``force`` and what the scene is made of."""

    def __init__(
        self,
        source: Source,
        steps: int,
        segment: int | None,
        threads: int | None,
        watch: Callable[[Trajectory], object] | None,
    ) -> None:
        self.steps = steps
        self._source, self._segment, self._threads, self._watch = source, segment, threads, watch

    def run(self, inputs: Mapping[str, Any]) -> Trajectory:
        """The trajectory of some inputs; raises `InputError` where one is not allowed."""
        given = {name: np.asarray(value, dtype=np.float64) for name, value in inputs.items()}
        simulation = Simulation(self._scene(given), threads=self._threads, judge=False)
        if "start" in given:
            put(simulation, given["start"])
        trajectory = record(simulation, self.steps, given.get("force"), segment=self._segment)
        if self._watch is not None:
            self._watch(trajectory)
        return trajectory

    def pull(
        self, trajectory: Trajectory, inputs: Mapping[str, Any], gradient: _Floats
    ) -> dict[str, _Floats]:
        """The gradients with the inputs, by that with the states, shape (steps + 1, n, 13)."""
        found = pull(trajectory, tangents(states(trajectory), gradient))
        out: dict[str, _Floats] = {
            "force": found.force,
            "mass": found.mass,
            "inertia": found.inertia,
            "size": found.size,
            "gravity": found.gravity,
            "friction": np.array(found.friction),
            "restitution": np.array(found.restitution),
            "time_step": np.array(found.time_step),
        }
        if "start" in inputs:
            out["start"] = rows(np.asarray(inputs["start"], dtype=np.float64), found.start)
        return {name: out[name] for name in inputs}

    def _scene(self, given: Mapping[str, _Floats]) -> Scene:
        unknown = [name for name in given if name not in ("start", "force", *_MADE_OF)]
        if unknown:
            allowed = ", ".join(("start", "force", *_MADE_OF[:-1]))
            raise InputError(f"an input {unknown[0]!r} must be {allowed} or {_MADE_OF[-1]}")
        made_of = {name: given[name] for name in _MADE_OF if name in given}
        if isinstance(self._source, Scene):
            if made_of:
                name = next(iter(made_of))
                raise InputError(
                    f"{name} of a scene that is given must be that of a function that makes the scene"
                )
            return self._source
        if "gravity" in made_of:
            array("gravity", made_of["gravity"], (3,))
        for name in made_of.keys() & {"friction", "restitution", "time_step"}:
            made_of[name] = float(array(name, made_of[name], ()))  # type: ignore[assignment]
        scene = self._source(**made_of)
        n = len(scene)
        for name, shape in (("mass", (n,)), ("inertia", (n, 6)), ("size", (n, 3))):
            if name in made_of:
                array(name, made_of[name], shape)
        return scene


def put(simulation: Simulation, state: _Floats) -> None:
    """Gives all bodies a state of rows (n, 13)."""
    state = array("start", state, (len(simulation.names), ROW))
    simulation.set_state(state[:, :3], state[:, 3:7], state[:, 7:10], state[:, 10:])


def states(of: Trajectory | Simulation) -> _Floats:
    """The states of a trajectory, shape (steps + 1, n, 13), or that of a simulation, shape (n, 13)."""
    return np.concatenate([of.positions, of.quaternions, of.velocities, of.angular_velocities], axis=-1)


def tangents(at: _Floats, gradient: _Floats) -> _Floats:
    """Gradients with rows of states (…, 13) as those by tangents (…, 12)."""
    by_turn = turned(at[..., 3:7], gradient[..., 3:7])
    return np.concatenate([gradient[..., :3], by_turn, gradient[..., 7:]], axis=-1)


def rows(at: _Floats, gradient: _Floats) -> _Floats:
    """Gradients by tangents (…, 12) as those with rows of states (…, 13)."""
    by_quaternion = unturned(at[..., 3:7], gradient[..., 3:6])
    return np.concatenate([gradient[..., :3], by_quaternion, gradient[..., 6:]], axis=-1)


class Step:
    """One step of a simulation as a function of the state at its start and the forces in it."""

    def __init__(self, simulation: Simulation, start: _Floats, force: _Floats | None) -> None:
        put(simulation, start)
        scene = simulation.scene
        if force is not None:
            push(simulation, array("force", force, (len(scene), WRENCH)), scene.fixed)
        self._start = start
        _, self._derivatives = simulation.step_with_derivatives()
        self.end = states(simulation)

    def pull(self, gradient: _Floats) -> tuple[_Floats, _Floats]:
        """The gradients with start (n, 13) and force (n, 6) of a function whose own with the end is given."""
        obstacles = self._derivatives.obstacles
        if obstacles:
            raise InputError(f"the step has no derivative: {obstacles[0]}")
        found = self._derivatives.adjoint(tangents(self.end, gradient))
        return rows(self._start, found["start"]), found["force"]
