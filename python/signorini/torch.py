"""Trajectories and steps as functions of PyTorch, which differentiates them backwards.

``pip install ./python[torch]`` brings PyTorch.

>>> import torch, signorini as sg, signorini.torch  # doctest: +SKIP
>>> simulate = signorini.torch.rollout(slide, steps=100)  # doctest: +SKIP
>>> friction = torch.tensor(0.3, requires_grad=True)  # doctest: +SKIP
>>> states = simulate(friction=friction)  # doctest: +SKIP
>>> (states[-1, 1, 0] - 0.4).square().backward()  # doctest: +SKIP

A row of a state has 13 entries, world axes: position of the centre of mass (m), quaternion (w, x, y, z),
velocity (m/s), angular velocity (rad/s). Tensors are float64 on the CPU; what is given may have another type
and device. Gradients are those of the step's equations at their solution (theory §17): nothing is smoothed.
They are differentiated once only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from signorini import rollouts
from signorini._native import Simulation
from signorini.gradients import Trajectory
from signorini.rollouts import Source

try:
    import torch
    from torch.autograd.function import once_differentiable
except ImportError as error:
    raise ImportError("signorini.torch needs PyTorch: pip install 'signorini[torch]'") from error


def rollout(
    scene: Source,
    steps: int,
    *,
    segment: int | None = None,
    threads: int | None = None,
    watch: Callable[[Trajectory], object] | None = None,
) -> Callable[..., torch.Tensor]:
    """A trajectory as a function, by keyword, of any of these tensors.

    ``start`` (n, 13) are the states at the start, ``force`` (steps, n, 6) N at the centre of mass and N m,
    world axes, ``mass`` (n,) kg, ``inertia`` (n, 6) kg m² of xx, yy, zz, xy, xz, yz, body axes, ``size``
    (n, 3) m of semi-axes or half extents, ``gravity`` (3,) m/s², ``friction`` () and
    ``restitution`` () of every coefficient above 0, ``time_step`` () s. It returns the states, shape
    (steps + 1, n, 13).

    ``scene`` is a scene, or a function that makes one. The function is given by keyword those of ``mass``,
    ``inertia``, ``size``, ``gravity``, ``friction``, ``restitution`` and ``time_step`` that the trajectory is
    a function of: arrays of NumPy, the last three floats. Gradients with ``mass`` and ``size`` leave inertias
    as they are; so should the function (`Body.inertia`) where bodies turn.

    ``segment`` bounds the memory as in `signorini.record`, ``threads`` is that of `Simulation`. ``watch`` is
    called with each `Trajectory`, whose ``borders`` and ``unsolved`` no tensor tells.

    Raises `InputError` where an input is not allowed, and in the pass backwards where a step has no
    derivative.
    """
    host = rollouts.Rollout(scene, steps, segment, threads, watch)

    def simulate(**inputs: Any) -> torch.Tensor:
        found: torch.Tensor = _Rollout.apply(host, tuple(inputs), *map(_tensor, inputs.values()))
        return found

    return simulate


def step(simulation: Simulation, start: torch.Tensor, force: torch.Tensor | None = None) -> torch.Tensor:
    """The states at the end of a step, shape (n, 13), of those at its start, and of forces in it.

    ``force`` (n, 6) has a force (N) at the centre of mass and a torque (N m) for each body, world axes;
    without, the bodies keep theirs. The simulation is put to ``start``, shape (n, 13), and takes the step.
    Forces that depend on the state, a policy among them, are differentiated by torch. Errors as of `rollout`.
    """
    end: torch.Tensor = _Step.apply(simulation, _tensor(start), None if force is None else _tensor(force))
    return end


def state(simulation: Simulation) -> torch.Tensor:
    """The states of all bodies now, shape (n, 13)."""
    return torch.from_numpy(rollouts.states(simulation))


class _Rollout(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, host: rollouts.Rollout, names: tuple[str, ...], *values: torch.Tensor
    ) -> torch.Tensor:
        ctx.host = host
        ctx.inputs = {name: _array(value).copy() for name, value in zip(names, values, strict=True)}
        ctx.trajectory = host.run(ctx.inputs)
        return torch.from_numpy(rollouts.states(ctx.trajectory))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
        found = ctx.host.pull(ctx.trajectory, ctx.inputs, _array(gradient))
        return (None, None, *(torch.from_numpy(found[name]) for name in ctx.inputs))


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, simulation: Simulation, start: torch.Tensor, force: torch.Tensor | None
    ) -> torch.Tensor:
        ctx.has_force = force is not None
        pushed = None if force is None else _array(force)
        ctx.step = rollouts.Step(simulation, _array(start).copy(), pushed)
        return torch.from_numpy(ctx.step.end)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
        start, force = map(torch.from_numpy, ctx.step.pull(_array(gradient)))
        return None, start, force if ctx.has_force else None


def _tensor(value: Any) -> torch.Tensor:
    """A tensor that torch differentiates back to the type and device of what was given."""
    return torch.as_tensor(value).to(device="cpu", dtype=torch.float64)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()
