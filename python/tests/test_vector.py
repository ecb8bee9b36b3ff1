"""Many copies of a scene at once."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from conftest import heap, rolling_ball


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


def pile(n: int = 3) -> sg.VectorSim:
    """Copies of two balls above each other, the upper one thrown harder in each."""
    builder = sg.Scene.builder().time_step(0.005).duration(1.0).friction(0.5)
    builder.body(sg.Body.half_space())
    for k in range(2):
        builder.body(sg.Body.sphere(0.1).density(1000.0).at([0, 0, 0.1 + 0.2 * k]))
    worlds = sg.VectorSim(builder.build(), n)
    velocities = worlds.velocities
    velocities[:, 2, 0] = np.linspace(0.0, 1.0, n)
    worlds.set_state(velocities=velocities)
    return worlds


def test_contacts_are_those_of_simulations():
    worlds = pile()
    alone = [sg.Simulation.from_saved(saved, judge=False) for saved in worlds.save()]
    assert worlds.contacts().shape == (0,) and worlds.contacts().dtype == sg.dtypes.COPY_CONTACT
    assert worlds.step(4).all()
    found = worlds.contacts()
    for copy, simulation in enumerate(alone):
        list(simulation.run(until=0.02))
        expected = simulation.contacts()
        mine = found[found["copy"] == copy]
        assert len(mine) == len(expected) > 0
        for name in sg.dtypes.CONTACT.names:
            assert np.array_equal(mine[name], expected[name]), name
    assert (np.diff(found["copy"]) >= 0).all()


def arms(n: int = 3) -> sg.VectorSim:
    builder = sg.Scene.builder().time_step(0.005).duration(1.0)
    post = builder.body(sg.Body.sphere(0.05).fixed().named("post"))
    arm = builder.body(sg.Body.sphere(0.05).mass(1.0).at([0.5, 0, 0]).named("arm"))
    tip = builder.body(sg.Body.sphere(0.05).mass(0.5).at([0.8, 0, 0]).named("tip"))
    builder.joint(sg.Joint.revolute(post, arm, [0, 0, 0], [0, 1, 0]).named("shoulder"))
    builder.joint(sg.Joint.revolute(arm, tip, [0.5, 0, 0], [0, 1, 0]).named("elbow"))
    return sg.VectorSim(builder.build(), n)


def test_joints_and_coordinates_of_copies():
    worlds = arms()
    q = np.array([[0.1, 0.2], [0.3, -0.4], [-0.5, 0.6]])
    worlds.set_q(q, 2 * q)
    assert worlds.q == pytest.approx(q, abs=1e-12) and worlds.qdot == pytest.approx(2 * q, abs=1e-12)
    alone = [sg.Simulation.from_saved(saved, judge=False) for saved in worlds.save()]
    assert worlds.step(3).all()
    joints = worlds.joints()
    assert joints.shape == (3, 2) and joints["copy"].tolist() == [[0, 0], [1, 1], [2, 2]]
    for copy, simulation in enumerate(alone):
        list(simulation.run(until=0.015))
        expected = simulation.joints()
        for name in sg.dtypes.JOINT.names:
            assert np.array_equal(joints[copy][name], expected[name], equal_nan=True), name
        assert np.array_equal(worlds.q[copy], simulation.q)
    assert joints["rate"][:, :, 1] == pytest.approx(worlds.qdot, abs=1e-12)
    with pytest.raises(sg.InputError, match=r"q of shape \[2, 2\]: must have 3 rows"):
        worlds.set_q(q[:2])
    with pytest.raises(sg.InputError, match="q with 1 entries: must have 2"):
        worlds.set_q(q[:, :1])


def test_copies_are_saved_and_restored():
    worlds = arms()
    worlds.set_q(np.array([[0.1, 0.2], [0.3, -0.4], [-0.5, 0.6]]))
    worlds.step(5)
    saved = worlds.save()
    assert len(saved) == 3
    worlds.step(10)
    later = worlds.q
    worlds.restore(saved)
    assert worlds.times.tolist() == pytest.approx([0.025] * 3)
    worlds.step(10)
    assert np.array_equal(worlds.q, later)
    # One state goes into several copies, and comes from a simulation, too.
    worlds.restore([saved[2], saved[2]], [0, 1])
    worlds.step(10)
    assert np.array_equal(worlds.q[0], later[2]) and np.array_equal(worlds.q[1], later[2])
    simulation = sg.Simulation.from_saved(saved[1], judge=False)
    list(simulation.run(until=0.075))
    worlds.restore([simulation.save()], [2])
    assert np.array_equal(worlds.q[2], later[1])
    with pytest.raises(sg.InputError, match="2 saved states: must be 3"):
        worlds.restore(saved[:2])
    with pytest.raises(sg.InputError, match="copy 3: is none of the 3"):
        worlds.save([3])
    with pytest.raises(sg.InputError, match="2 bodies, 0 joints and 0 motors: must be of 3 bodies"):
        worlds.restore([sg.Simulation(rolling_ball()).save()], [0])
    assert np.array_equal(worlds.q[2], later[1])
