"""Motors from Python: every kind, told anew at every step."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg

STEP, MASS = 0.002, 2.0


def cart(*motors: tuple[sg.Drive, float | None, str]) -> sg.Scene:
    """A cart of 2 kg on a rail along x."""
    builder = sg.Scene.builder().time_step(STEP).duration(1.0).friction(0.0)
    base = builder.body(sg.Body.sphere(0.05).fixed().named("base"))
    body = builder.body(sg.Body.box([0.1, 0.05, 0.05]).mass(MASS).named("cart"))
    joint = sg.Joint.prismatic(base, body, [1, 0, 0]).named("rail")
    for drive, largest_force, name in motors:
        joint = joint.drive("slide", drive, largest_force, name)
    builder.joint(joint)
    return builder.build()


def test_a_position_is_told_at_every_step():
    simulation = sg.Simulation(cart((sg.Drive.position(0.0, 400.0, 30.0), 50.0, "servo")))
    assert simulation.scene.motor_names == ["servo"]
    x = v = 0.0
    for step in range(400):
        target = 0.2 * np.sin(0.01 * step)
        simulation.set_motor("servo", target)
        assert simulation.step().good
        force = (400.0 * (target - x - STEP * v) - 30.0 * v) / (1 + (STEP * 400.0 + 30.0) * STEP / MASS)
        force = np.clip(force, -50.0, 50.0)
        v += STEP * force / MASS
        x += STEP * v
        assert simulation.positions[1, 0] == pytest.approx(x, abs=1e-8)
        joint = simulation.joints()[0]
        assert joint["motor_impulse"][0] / STEP == pytest.approx(force, abs=1e-4)
        assert joint["coordinate"][0] == pytest.approx(x, abs=1e-8)


def test_forces_and_velocities_add_up():
    drives = [(sg.Drive.force(0.0), None, "push"), (sg.Drive.velocity(0.0, damping=5.0), None, "drag")]
    simulation = sg.Simulation(cart(*drives))
    v = 0.0
    for step in range(100):
        simulation.set_motors([3.0 + step / 50, 0.4])
        assert simulation.step().good
        v = (v + STEP / MASS * (3.0 + step / 50 + 5.0 * 0.4)) / (1 + STEP / MASS * 5.0)
        assert simulation.velocities[1, 0] == pytest.approx(v, abs=1e-9)


def test_wrong_motors_raise():
    simulation = sg.Simulation(cart((sg.Drive.force(1.0), None, "push")))
    with pytest.raises(sg.InputError, match="none of that name"):
        simulation.set_motor("pull", 1.0)
    with pytest.raises(sg.InputError, match="must be a finite number"):
        simulation.set_motor("push", float("nan"))
    with pytest.raises(sg.InputError, match="there are 1 motors"):
        simulation.set_motors([1.0, 2.0])
    with pytest.raises(sg.InputError, match="needs stiffness or damping"):
        cart((sg.Drive.position(0.0, 0.0), None, ""))
    with pytest.raises(sg.InputError, match="unique among the motors"):
        cart((sg.Drive.force(1.0), None, ""), (sg.Drive.force(1.0), None, ""))
