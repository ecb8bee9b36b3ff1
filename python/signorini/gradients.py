"""Derivatives over trajectories: the chain rule over recorded steps, forwards and backwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from signorini._native import SavedState, Simulation, StepDerivatives
from signorini.errors import InputError

if TYPE_CHECKING:
    from signorini._native import _Rows

_Floats = npt.NDArray[np.float64]
#: A loss: its value, and its gradients with the arrays of a trajectory, by their names.
Loss = Callable[["Trajectory"], tuple[float, Mapping[str, npt.ArrayLike]]]

#: Entries of a change of a body's state, and of a force with its torque.
STATE, WRENCH = 12, 6
#: Where the changes of three arrays stand in a change of the state. That of quaternions has three entries.
_PLACES = {"positions": 0, "velocities": 6, "angular_velocities": 9}


@dataclass(frozen=True)
class Gradient:
    """Gradients of a function of a trajectory with all that it depends on.

    Those with the start are by tangents: rows δc (m), δθ (rad) with R ← exp(δθ) R, δv (m/s), δω (rad/s),
    world axes. Bodies are in the order of `Simulation.names`; rows of fixed and driven ones are 0.
    """

    #: Value of the function; NaN where gradients alone were given.
    value: float
    #: With the states at the start, shape (n, 12).
    start: _Floats
    #: With the force (N) at the centre of mass and the torque (N m) of each step, shape (steps, n, 6).
    force: _Floats
    #: With the masses (kg), inertias unchanged, shape (n,).
    mass: _Floats
    #: With the inertias xx, yy, zz, xy, xz, yz about the centres of mass (kg m²), body axes, shape (n, 6).
    inertia: _Floats
    #: With the places of the centres of mass against shapes and joints (m), body axes, shape (n, 3).
    centre: _Floats
    #: With the semi-axes of ellipsoids and the half extents of boxes (m), masses and inertias unchanged,
    #: shape (n, 3).
    size: _Floats
    #: With gravity (m/s²), shape (3,).
    gravity: _Floats
    #: With every coefficient of friction above 0 at once, and with every coefficient of restitution above 0.
    friction: float
    restitution: float
    #: With anchors (m) and turns (rad) of joints in their bodies A and B, shape (joints, 2, 6).
    joint: _Floats
    #: With the prescribed motions of coordinates of joints (m or rad), shape (courses,).
    course: _Floats
    #: With the prescribed motions of bodies (m or rad, s of one through poses), shape (motions,).
    motion: _Floats
    #: With the length (s) of all steps, which begin at its multiples.
    time_step: float
    #: Largest `StepDerivatives.contradiction` of the steps: below 1e-9 where there is a derivative.
    contradiction: float


@dataclass
class _Segment:
    """Consecutive steps: their derivatives, or where they begin."""

    first: int
    end: int
    tape: list[StepDerivatives] | None = None
    saved: SavedState | None = None


class Trajectory:
    """Steps with their states and derivatives, made by `record`."""

    #: Times (s), shape (steps + 1,): the start, and the end of each step.
    times: _Floats
    #: Centres of mass (m), shape (steps + 1, n, 3).
    positions: _Floats
    #: Orientations (w, x, y, z), shape (steps + 1, n, 4).
    quaternions: _Floats
    #: Velocities of the centres of mass (m/s), shape (steps + 1, n, 3).
    velocities: _Floats
    #: Angular velocities, world axes (rad/s), shape (steps + 1, n, 3).
    angular_velocities: _Floats
    #: Steps, from 0, that were not solved or that the referee did not confirm.
    unsolved: list[int]
    #: Step, from 0, and two bodies whose contact or joint is on a border: derivatives are one-sided there.
    borders: list[tuple[int, str, str]]
    #: Step, from 0, and why bodies have no derivative in it; empty where all have.
    obstacles: list[tuple[int, str]]
    #: Largest `StepDerivatives.contradiction` of the last `apply` or `adjoint`.
    contradiction: float

    def __init__(
        self, simulation: Simulation, steps: int, force: npt.ArrayLike | None, segment: int | None
    ) -> None:
        self.names = simulation.names
        self._fixed = simulation.scene.fixed
        scene = simulation.scene
        self._counts = len(scene.joint_names), scene.course_count, scene.motion_count
        self._force = None if force is None else array("force", force, (steps, len(self.names), WRENCH))
        self.contradiction = 0.0
        self.unsolved, self.borders, self.obstacles = [], [], []
        self._segments = [
            _Segment(first, min(first + (segment or steps), steps))
            for first in range(0, steps, segment or steps)
        ]
        rows = [(simulation.time, *_now(simulation))]
        for piece in self._segments:
            if segment is not None:
                piece.saved = simulation.save()
            else:
                piece.tape = []
            for k in range(piece.first, piece.end):
                good, derivatives = self._step(simulation, k)
                rows.append((simulation.time, *_now(simulation)))
                if not good:
                    self.unsolved.append(k)
                self.borders += [(k, *pair) for pair in derivatives.borders]
                self.obstacles += [(k, obstacle) for obstacle in derivatives.obstacles]
                if piece.tape is not None:
                    piece.tape.append(derivatives)
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        self.times, self.positions, self.quaternions, self.velocities, self.angular_velocities = columns
        #: Steps since time 0 at which each step begins.
        self._begins = self.times[:-1] / simulation.scene.time_step

    def __len__(self) -> int:
        """Number of steps."""
        return len(self.times) - 1

    def __repr__(self) -> str:
        return f"<Trajectory of {len(self)} steps, {len(self.names)} bodies, to {self.times[-1]:g} s>"

    def apply(
        self,
        *,
        start: _Rows | None = None,
        force: npt.ArrayLike | None = None,
        friction: float = 0.0,
        restitution: float = 0.0,
        time_step: float = 0.0,
        **others: npt.ArrayLike,
    ) -> _Floats:
        """The changes of all states, shape (steps + 1, n, 12), to first order, by those of their causes.

        Causes are ``start`` (n, 12) of the states at the start, ``force`` (steps, n, 6) N and N m, ``mass``
        (n,) kg with the inertia unchanged, ``inertia`` (n, 6) kg m², ``centre`` (n, 3) m, ``size`` (n, 3) m
        of the semi-axes of ellipsoids and the half extents of boxes, ``gravity`` (3,) m/s², ``joint``
        (joints, 2, 6) m and rad, ``course`` (courses,) and ``motion`` (motions,) m or rad, ``friction`` and
        ``restitution`` of every coefficient above 0, and ``time_step`` s of all steps. Rows are as in
        `Gradient`. Raises `InputError` where a name is another, or an array has another shape.
        """
        n = len(self.names)
        forces = None if force is None else array("force", force, (len(self), n, WRENCH))
        state = np.zeros((n, STATE)) if start is None else array("start", start, (n, STATE))
        known = self._lasting()
        lasting: dict[str, Any] = {}
        for name, given in others.items():
            if name not in known:
                allowed = ", ".join(("start", "force", *known, "friction", "restitution"))
                raise InputError(f"a change of {name!r} must be one of {allowed} or time_step")
            lasting[name] = array(name, given, known[name])
        lasting |= {"friction": friction, "restitution": restitution, "time_step": time_step}
        out, self.contradiction = [state], 0.0
        for k, derivatives in self._tape(reverse=False):
            pushed = {} if forces is None else {"force": forces[k]}
            changes: dict[str, Any] = {"start": state, "time": self._begins[k] * time_step}
            state = derivatives.apply(**changes, **lasting, **pushed)
            self.contradiction = max(self.contradiction, derivatives.contradiction)
            out.append(state)
        return np.array(out)

    def adjoint(self, gradients: npt.ArrayLike, value: float = float("nan")) -> Gradient:
        """The gradients of a function of the states, whose own are given: the transposed map of `apply`.

        ``gradients`` are with the states at all times, shape (steps + 1, n, 12), or with those at the end,
        shape (n, 12). Raises `InputError` where the shape is another.
        """
        n, steps = len(self.names), len(self)
        rows = np.asarray(gradients, dtype=np.float64)
        if rows.shape == (n, STATE):
            rows = np.concatenate([np.zeros((steps, n, STATE)), rows[None]])
        rows = array("gradients", rows, (steps + 1, n, STATE))
        force = np.zeros((steps, n, WRENCH))
        sums: dict[str, Any] = {name: np.zeros(shape) for name, shape in self._lasting().items()}
        sums |= {"friction": 0.0, "restitution": 0.0, "time_step": 0.0}
        state, self.contradiction = rows[-1], 0.0
        for k, derivatives in self._tape(reverse=True):
            found = derivatives.adjoint(state)
            state = found["start"] + rows[k]
            force[k] = found["force"]
            for name in sums:
                sums[name] = sums[name] + found[name]  # type: ignore[literal-required]
            sums["time_step"] += self._begins[k] * found["time"]
            self.contradiction = max(self.contradiction, derivatives.contradiction)
        return Gradient(value=value, start=state, force=force, contradiction=self.contradiction, **sums)

    def matrices(self) -> tuple[_Floats, _Floats]:
        """The matrices A, shape (steps, n, 12, n, 12), and B, shape (steps, n, 12, n, 6), of all steps.

        δstate[k + 1, i] = Σ A[k, i, :, j] δstate[k, j] + B[k, i, :, j] δforce[k, j], with forces (N) and
        torques (N m) over the step, rows as in `Gradient`.
        """
        pairs = [derivatives.matrices(force=True) for _, derivatives in self._tape(reverse=False)]
        return np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])

    def tangents(self, gradients: Mapping[str, npt.ArrayLike]) -> _Floats:
        """Gradients by tangents, shape (steps + 1, n, 12), from those with arrays of the trajectory.

        These are any of ``positions``, ``quaternions``, ``velocities`` and ``angular_velocities``, each of
        the shape of that array. Raises `InputError` where a name or a shape is another.
        """
        out = np.zeros((*self.positions.shape[:2], STATE))
        for name, given in gradients.items():
            if name == "quaternions":
                out[..., 3:6] += turned(self.quaternions, array(name, given, self.quaternions.shape))
            elif name in _PLACES:
                place = _PLACES[name]
                out[..., place : place + 3] += array(name, given, self.positions.shape)
            else:
                allowed = "must be positions, quaternions, velocities or angular_velocities"
                raise InputError(f"a gradient with {name!r} {allowed}")
        return out

    def _lasting(self) -> dict[str, tuple[int, ...]]:
        """Shapes of what all steps depend on."""
        n, (joints, courses, motions) = len(self.names), self._counts
        shapes: dict[str, tuple[int, ...]] = {"mass": (n,), "inertia": (n, 6), "centre": (n, 3)}
        shapes |= {"size": (n, 3), "gravity": (3,), "joint": (joints, 2, 6), "course": (courses,)}
        shapes |= {"motion": (motions,)}
        return shapes

    def _step(self, simulation: Simulation, k: int) -> tuple[bool, StepDerivatives]:
        if self._force is not None:
            push(simulation, self._force[k], self._fixed)
        outcome, derivatives = simulation.step_with_derivatives()
        return outcome.good, derivatives

    def _tape(self, *, reverse: bool) -> Iterator[tuple[int, StepDerivatives]]:
        for piece in reversed(self._segments) if reverse else self._segments:
            tape = piece.tape if piece.tape is not None else self._again(piece)
            steps = list(zip(range(piece.first, piece.end), tape, strict=True))
            yield from reversed(steps) if reverse else steps

    def _again(self, piece: _Segment) -> list[StepDerivatives]:
        """The derivatives of steps that are taken once more, with the same bits."""
        assert piece.saved is not None
        simulation = Simulation.from_saved(piece.saved, judge=False)
        return [self._step(simulation, k)[1] for k in range(piece.first, piece.end)]


def record(
    simulation: Simulation, steps: int, force: npt.ArrayLike | None = None, *, segment: int | None = None
) -> Trajectory:
    """Takes steps, solved to 1e-10 at least, and keeps their states and derivatives.

    ``force`` has a force (N) at the centre of mass and a torque (N m), world axes, for each step and body,
    shape (steps, n, 6). They are told as by `Simulation.set_force` and replace the bodies' own; without,
    these act.

    The derivatives of a step hold its factors, about 10 kB for each body and contact, until the trajectory is
    gone. With ``segment`` those of so many steps are held at a time, and a saved state for each segment; each
    pass then takes every step once more. The square root of ``steps`` needs the least memory.

    Steps that were not solved are in `Trajectory.unsolved`, contacts whose derivatives are one-sided in
    `Trajectory.borders`. Raises `InputError` when the formulation of the scene has no derivatives, a shape or
    a number is not allowed, or a fixed body gets a force.
    """
    for name, value in (("steps", steps), ("segment", segment)):
        if value is not None and value < 1:
            raise InputError(f"{name} = {value} must be at least 1")
    return Trajectory(simulation, steps, force, segment)


def record_many(
    simulations: Sequence[Simulation],
    steps: int,
    forces: npt.ArrayLike | None = None,
    *,
    segment: int | None = None,
    threads: int | None = None,
) -> list[Trajectory]:
    """Records many simulations at once, each as `record` does, with the same bits.

    ``forces`` has a force and a torque for each simulation, step and body, shape (simulations, steps, n, 6).
    ``threads`` is how many step at a time, by default as many as there are cores. Raises as `record`, and
    where a simulation is there twice.
    """
    if len({id(simulation) for simulation in simulations}) < len(simulations):
        raise InputError("simulations must each be there once")
    if threads is not None and threads < 1:
        raise InputError(f"threads = {threads} must be at least 1")
    each: Sequence[npt.ArrayLike | None] = [None] * len(simulations)
    if forces is not None:
        each = np.asarray(forces, dtype=np.float64)
        if len(each) != len(simulations):
            raise InputError(f"forces of {len(each)} simulations must be of {len(simulations)}")
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        futures = [
            pool.submit(record, simulation, steps, force, segment=segment)
            for simulation, force in zip(simulations, each, strict=True)
        ]
        return [future.result() for future in futures]


def grad(trajectory: Trajectory, loss: Loss) -> Gradient:
    """The gradient of a loss with all that a trajectory depends on, by one pass backwards.

    ``loss`` is called with the trajectory and returns its value and a dict of its gradients with any of
    ``positions``, ``quaternions``, ``velocities`` and ``angular_velocities``, each of the shape of that
    array. What torch and JAX differentiate is passed to the functions of `signorini.torch` and
    `signorini.jax` instead.

    >>> import numpy as np, signorini as sg
    >>> builder = sg.Scene.builder().time_step(0.01).friction(0.3)
    >>> ground = builder.body(sg.Body.half_space())
    >>> brick = sg.Body.box([0.1, 0.1, 0.05]).density(1000.0).at([0, 0, 0.05]).velocity([1, 0, 0])
    >>> brick = builder.body(brick)
    >>> trajectory = sg.record(sg.Simulation(builder.build()), 20)
    >>> def speed(trajectory):
    ...     slopes = np.zeros_like(trajectory.velocities)
    ...     slopes[-1, brick, 0] = 1.0
    ...     return trajectory.velocities[-1, brick, 0], {"velocities": slopes}
    >>> round(sg.grad(trajectory, speed).friction, 6)  # -g t
    -1.962

    Raises `InputError` where a step has no derivative, with its reason, or a shape is not that of its array.
    """
    value, gradients = loss(trajectory)
    return pull(trajectory, trajectory.tangents(gradients), float(value))


def pull(trajectory: Trajectory, tangents: _Floats, value: float = float("nan")) -> Gradient:
    """`Trajectory.adjoint`, refused where a step has no derivative."""
    if trajectory.obstacles:
        step, why = trajectory.obstacles[0]
        raise InputError(f"step {step} of the trajectory has no derivative: {why}")
    return trajectory.adjoint(tangents, value)


def push(simulation: Simulation, forces: _Floats, fixed: npt.NDArray[np.bool_]) -> None:
    """Tells all bodies their forces (N) and torques (N m), shape (n, 6)."""
    for body, row, stays in zip(simulation.ids, forces, fixed, strict=True):
        if not stays or row.any():
            simulation.set_force(body, row[:3], row[3:])


def turned(quaternions: _Floats, gradients: _Floats) -> _Floats:
    """Gradients with quaternions, shape (…, 4), as those with δθ, shape (…, 3): 2 δq = (0, δθ) q."""
    w, v = quaternions[..., :1], quaternions[..., 1:]
    with_w, with_v = gradients[..., :1], gradients[..., 1:]
    found: _Floats = w * with_v - with_w * v + np.cross(v, with_v)
    return 0.5 * found


def unturned(quaternions: _Floats, gradients: _Floats) -> _Floats:
    """Gradients with δθ, shape (…, 3), as those with quaternions of any length, shape (…, 4)."""
    length = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    w, v = quaternions[..., :1] / length, quaternions[..., 1:] / length
    with_w = -(v * gradients).sum(axis=-1, keepdims=True)
    found: _Floats = np.concatenate([with_w, w * gradients + np.cross(gradients, v)], axis=-1)
    found *= 2.0 / length
    return found


def array(name: str, given: npt.ArrayLike, shape: tuple[int, ...]) -> _Floats:
    """An array of floats. Raises `InputError` where its shape is another."""
    found = np.asarray(given, dtype=np.float64)
    if found.shape != shape:
        raise InputError(f"{name} of shape {found.shape} must have shape {shape}")
    return found


def _now(simulation: Simulation) -> tuple[_Floats, _Floats, _Floats, _Floats]:
    return simulation.positions, simulation.quaternions, simulation.velocities, simulation.angular_velocities
