"""Many copies of a scene at once."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import heap, rolling_ball

import signorini as sg


def test_copies_take_the_steps_of_a_simulation():
    scene = heap()
    worlds = sg.VectorSim(scene, 3, threads=2, judge=True)
    simulation = sg.Simulation(scene)
    for _ in range(40):
        good = worlds.step()
        assert good.tolist() == [simulation.step().good] * 3
    assert len(worlds) == 3 and worlds.names == simulation.names
    for name in ("positions", "quaternions", "velocities", "angular_velocities"):
        found, expected = getattr(worlds, name), getattr(simulation, name)
        assert found.shape == (3, *expected.shape)
        assert all((copy == expected).all() for copy in found)
    assert worlds.times.tolist() == [simulation.time] * 3


def test_states_differ_and_go_back():
    worlds = sg.VectorSim(rolling_ball(), 4)
    start = worlds.positions
    velocities = worlds.velocities
    velocities[:, 1, 0] = [0.5, 1.0, 1.5, 2.0]
    worlds.set_state(velocities=velocities)
    assert worlds.step(100).all()
    # Friction has turned sliding into rolling, with 5/7 of the speed.
    assert worlds.velocities[:, 1, 0] == pytest.approx(5 / 7 * velocities[:, 1, 0], abs=1e-6)
    worlds.reset([1, 3])
    moved = worlds.positions[:, 1, 0] > start[:, 1, 0]
    assert moved.tolist() == [True, False, True, False]
    assert worlds.times.tolist() == [0.5, 0.0, 0.5, 0.0]
    worlds.reset()
    assert (worlds.positions == start).all() and (worlds.velocities[:, 1, 0] == 2.0).all()


def test_forces_act_on_each_copy():
    worlds = sg.VectorSim(rolling_ball(), 2)
    mass = sg.Simulation(rolling_ball()).scene.masses[1]
    forces = np.zeros((2, 2, 3))
    forces[1, 1, 2] = mass * (9.81 + 3.0)
    worlds.set_forces(forces)
    assert worlds.step(10).all()
    assert worlds.positions[0, 1, 2] == pytest.approx(0.1, abs=1e-9)
    assert worlds.velocities[1, 1, 2] == pytest.approx(3.0 * 0.05)
    forces[0, 0, 0] = 1.0
    with pytest.raises(sg.InputError, match="it is fixed"):
        worlds.set_forces(forces)


def test_motors_of_each_copy():
    builder = sg.Scene.builder().time_step(0.01).duration(1.0)
    post = builder.body(sg.Body.sphere(0.05).fixed())
    arm = builder.body(sg.Body.sphere(0.05).mass(1.0).at([0.5, 0, 0]))
    joint = sg.Joint.revolute(post, arm, [0, 0, 0], [0, 0, 1])
    builder.joint(joint.drive("angle", sg.Drive.position(0.0, 200.0, 20.0), name="servo"))
    worlds = sg.VectorSim(builder.build(), 3)
    worlds.set_motors(np.array([[-0.5], [0.0], [0.5]]))
    assert worlds.step(300).all()
    place = worlds.positions[:, 1]
    assert np.arctan2(place[:, 1], place[:, 0]) == pytest.approx([-0.5, 0.0, 0.5], abs=1e-6)
    with pytest.raises(sg.InputError, match=r"values of shape \[3, 2\]: must be \[3, 1\]"):
        worlds.set_motors(np.zeros((3, 2)))


def test_wrong_arguments_raise():
    with pytest.raises(sg.InputError, match="n = 0: must be 1 or more"):
        sg.VectorSim(rolling_ball(), 0)
    worlds = sg.VectorSim(rolling_ball(), 2)
    with pytest.raises(sg.InputError, match="copy 2: is none of the 2"):
        worlds.reset([2])
    with pytest.raises(sg.InputError, match=r"must be \[2, 2, 3\]"):
        worlds.set_state(positions=np.zeros((2, 3, 3)))
    velocities = worlds.velocities
    velocities[1, 0, 0] = 1.0
    with pytest.raises(sg.InputError, match="copy 1: .*it is fixed"):
        worlds.set_state(velocities=velocities)
