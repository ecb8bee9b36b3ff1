"""Trajectories as functions of JAX, which differentiates them backwards.

``pip install ./python[jax]`` brings JAX.

>>> import jax, signorini as sg, signorini.jax  # doctest: +SKIP
>>> jax.config.update("jax_enable_x64", True)  # doctest: +SKIP
>>> simulate = signorini.jax.rollout(slide, steps=100, bodies=2)  # doctest: +SKIP
>>> def loss(friction):  # doctest: +SKIP
...     return (simulate(friction=friction)[-1, 1, 0] - 0.4) ** 2
>>> value, slope = jax.jit(jax.value_and_grad(loss))(0.3)  # doctest: +SKIP

A row of a state has 13 entries, world axes: position of the centre of mass (m), quaternion (w, x, y, z),
velocity (m/s), angular velocity (rad/s). Arrays are float64 where JAX has these enabled, float32 otherwise:
the states are then rounded. Gradients are those of the step's equations at their solution (theory §17):
nothing is smoothed. They are differentiated once only, and backwards only. Under `jit` the trajectory is
computed by a callback to the CPU; `vmap` computes one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from signorini import rollouts
from signorini._native import Scene
from signorini.errors import InputError
from signorini.gradients import Trajectory
from signorini.rollouts import Source

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("signorini.jax needs JAX: pip install 'signorini[jax]'") from error


def rollout(
    scene: Source,
    steps: int,
    *,
    bodies: int | None = None,
    segment: int | None = None,
    threads: int | None = None,
    watch: Callable[[Trajectory], object] | None = None,
) -> Callable[..., jax.Array]:
    """A trajectory as a function, by keyword, of any of these arrays.

    ``start`` (n, 13) are the states at the start, ``force`` (steps, n, 6) N at the centre of mass and N m,
    world axes, ``mass`` (n,) kg, ``inertia`` (n, 6) kg m² of xx, yy, zz, xy, xz, yz, body axes, ``size``
    (n, 3) m of semi-axes or half extents, ``gravity`` (3,) m/s², ``friction`` () and
    ``restitution`` () of every coefficient above 0, ``time_step`` () s. It returns the states, shape
    (steps + 1, n, 13).

    ``scene`` is a scene, or a function that makes one, of ``bodies`` bodies. The function is given by keyword
    those of ``mass``, ``inertia``, ``size``, ``gravity``, ``friction``, ``restitution`` and ``time_step``
    that the trajectory is a function of: arrays of NumPy, the last three floats. Gradients with ``mass`` and
    ``size`` leave inertias as they are; so should the function (`Body.inertia`) where bodies turn.

    ``segment`` bounds the memory as in `signorini.record`, ``threads`` is that of `Simulation`. ``watch`` is
    called with each `Trajectory`, whose ``borders`` and ``unsolved`` no array tells. The last trajectory is
    kept for the pass backwards, which computes others again.

    Raises `InputError` where an input is not allowed, and in the pass backwards where a step has no
    derivative; out of `jit` it comes as an error of JAX with that text.
    """
    if bodies is None and not isinstance(scene, Scene):
        raise InputError("bodies of a function that makes the scene must be given: their number is a shape")
    n = len(scene) if isinstance(scene, Scene) else bodies
    host = _Host(rollouts.Rollout(scene, steps, segment, threads, watch))

    @jax.custom_vjp
    def states(inputs: dict[str, jax.Array]) -> jax.Array:
        kind = jnp.zeros(()).dtype
        shape = jax.ShapeDtypeStruct((steps + 1, n, rollouts.ROW), kind)
        found: jax.Array = jax.pure_callback(partial(host.run, kind), shape, inputs, vmap_method="sequential")
        return found

    def forward(inputs: dict[str, jax.Array]) -> tuple[jax.Array, dict[str, jax.Array]]:
        return states(inputs), inputs

    def backward(inputs: dict[str, jax.Array], gradient: jax.Array) -> tuple[dict[str, jax.Array]]:
        shapes = {name: jax.ShapeDtypeStruct(value.shape, value.dtype) for name, value in inputs.items()}
        return (jax.pure_callback(host.pull, shapes, inputs, gradient, vmap_method="sequential"),)

    states.defvjp(forward, backward)

    def simulate(**inputs: Any) -> jax.Array:
        return states({name: jnp.asarray(value, dtype=jnp.zeros(()).dtype) for name, value in inputs.items()})

    return simulate


class _Host:
    """What callbacks call, with arrays. It keeps the last trajectory."""

    def __init__(self, rollout: rollouts.Rollout) -> None:
        self._rollout = rollout
        self._last: tuple[dict[str, np.ndarray], Trajectory] | None = None

    def run(self, kind: Any, inputs: dict[str, Any]) -> np.ndarray:
        """The states of a trajectory, in a type of float."""
        arrays = {name: np.asarray(value) for name, value in inputs.items()}
        return rollouts.states(self._trajectory(arrays)).astype(kind)

    def pull(self, inputs: dict[str, Any], gradient: Any) -> dict[str, np.ndarray]:
        """The gradients with the inputs, in their types."""
        arrays = {name: np.asarray(value) for name, value in inputs.items()}
        trajectory = self._trajectory(arrays)
        found = self._rollout.pull(trajectory, arrays, np.asarray(gradient, dtype=np.float64))
        return {name: np.asarray(found[name], dtype=arrays[name].dtype) for name in arrays}

    def _trajectory(self, inputs: dict[str, np.ndarray]) -> Trajectory:
        last = self._last
        if last is not None and all(np.array_equal(last[0][name], value) for name, value in inputs.items()):
            return last[1]
        trajectory = self._rollout.run(inputs)
        self._last = ({name: value.copy() for name, value in inputs.items()}, trajectory)
        return trajectory
