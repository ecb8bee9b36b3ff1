"""Rapier in f32 as it comes; an ellipsoid is the hull of 100 points on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import rapier3d as rapier

from drops import DENSITY, EXTENTS, FRICTION, GRAVITY, TIME_STEP, Drop

POINTS = 100


class Steps:
    """Steps with the default settings; bodies never sleep."""

    def __init__(self, drop: Drop, *, threads: int) -> None:
        self.world = rapier.PhysicsWorld(gravity=(0.0, 0.0, -GRAVITY))
        self.world.integration_parameters.dt = TIME_STEP
        self.world.set_num_threads(threads)
        for n, o in drop.walls():
            wall = rapier.RigidBody.fixed().translation([float(x) * o for x in n])
            plane = rapier.Collider.halfspace([float(x) for x in n]).friction(FRICTION)
            self.world.add_body(wall, [plane])
        self.handles = []
        for p, q in zip(drop.positions, drop.quaternions, strict=True):
            w, x, y, z = map(float, q)
            pose = rapier.Isometry3(p, rapier.Rotation3.from_quaternion(w, x, y, z))
            body = rapier.RigidBody.dynamic().position(pose).can_sleep(False)
            shape = _shape(drop.family).density(DENSITY).friction(FRICTION)
            self.handles.append(self.world.add_body(body, [shape]))

    def step(self) -> None:
        self.world.step()

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        bodies = [self.world.rigid_bodies[handle] for handle in self.handles]
        places = [(b.translation.x, b.translation.y, b.translation.z) for b in bodies]
        turns = [(b.rotation.w, b.rotation.i, b.rotation.j, b.rotation.k) for b in bodies]
        return np.array(places), np.array(turns)

    def notes(self) -> dict[str, Any]:
        return {}


def _shape(family: str) -> Any:
    if family == "cubes":
        return rapier.Collider.cuboid(*map(float, EXTENTS[family]))
    turn = np.arange(POINTS) + 0.5
    polar, around = np.arccos(1.0 - 2.0 * turn / POINTS), np.pi * (1.0 + 5.0**0.5) * turn
    sphere = [np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)]
    return rapier.Collider.convex_hull(np.stack(sphere, axis=1) * EXTENTS[family])
