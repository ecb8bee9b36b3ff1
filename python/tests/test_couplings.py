"""Couplings and sensors from Python."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini import dtypes

STEP = 0.005


def wheels(*sensors: str) -> sg.Scene:
    """Two wheels in mesh, the first of which a torque turns."""
    builder = sg.Scene.builder().time_step(STEP).duration(1.0).friction(0.0)
    base = builder.body(sg.Body.sphere(0.01).fixed().at([0, 0, -1]).named("base"))
    for name, radius, x in [("one", 0.1, 0.0), ("two", 0.15, 0.26)]:
        wheel = builder.body(sg.Body.cylinder(radius, 0.02).mass(1.0).at([x, 0, 0]).named(name))
        joint = sg.Joint.revolute(base, wheel, [x, 0, 0], [0, 0, 1]).named(f"axle {name}")
        if name == "one":
            joint = joint.drive("angle", sg.Drive.force(0.2))
        builder.joint(joint)
    builder.coupling(("axle two", "angle"), ("axle one", "angle"), -1 / 1.5)
    return sg.Scene.from_toml(builder.build().to_toml() + "\n".join(sensors))


def test_wheels_turn_together() -> None:
    simulation = sg.Simulation(wheels())
    inertia = 0.5 * 0.1**2 + 0.5 * 0.15**2 / 1.5**2
    for _ in range(200):
        assert simulation.step().good
    one, two = simulation.joints()
    angle = [joint["coordinate"][1] + 2 * np.pi * joint["turns"] for joint in (one, two)]
    assert angle[0] == pytest.approx(0.2 / inertia * STEP**2 * 200 * 201 / 2, rel=1e-6)
    assert angle[1] == pytest.approx(-angle[0] / 1.5, abs=1e-8)
    assert one["turns"] > 0
    assert one["coupling_impulse"][1] == pytest.approx(two["coupling_impulse"][1] / 1.5, rel=1e-9)


def test_sensors_tell_force_and_torque() -> None:
    sensors = ['[[sensor]]\nname = "axle"\njoint = "axle two"\n', '[[sensor]]\nname = "one"\non = ["one"]\n']
    simulation = sg.Simulation(wheels(*sensors))
    assert simulation.scene.sensor_names == ["axle", "one"]
    for _ in range(10):
        simulation.step()
    found = simulation.sensors()
    assert found.dtype == dtypes.SENSOR
    assert found["force"] == pytest.approx(np.array([[0, 0, 9.81], [0, 0, 9.81]]), abs=1e-4)
    rise = 0.2 / (0.5 * 0.1**2 + 0.5 * 0.15**2 / 1.5**2)
    assert found["torque"][1][2] == pytest.approx(0.5 * 0.1**2 * rise, abs=1e-4)
    assert found["torque"][0][2] == pytest.approx(-0.5 * 0.15**2 * rise / 1.5, abs=1e-4)


def test_builders_make_the_sensors_of_files() -> None:
    builder = sg.Scene.builder().time_step(STEP).duration(0.1)
    floor = builder.body(sg.Body.half_space([0, 0, 1], 0).named("floor"))
    box = builder.body(sg.Body.box([0.1, 0.1, 0.1]).mass(2.0).at([0, 0, 0.1]).named("box"))
    builder.sensor([box], name="all").sensor([box], by=[floor], local=True, point=[0.1, 0, 0])
    simulation = sg.Simulation(builder.build())
    assert simulation.scene.sensor_names == ["all", "sensor-1"]
    assert simulation.step().good
    found = simulation.sensors()
    assert found["force"] == pytest.approx(np.array([[0, 0, 2 * 9.81]] * 2), abs=1e-4)
    assert found["torque"][1] == pytest.approx([0, 0.1 * 2 * 9.81, 0], abs=1e-4)


def test_sensors_without_a_joint_are_refused() -> None:
    builder = sg.Scene.builder().time_step(STEP).duration(0.1)
    builder.body(sg.Body.sphere(0.1).named("ball"))
    with pytest.raises(sg.InputError, match="hinge"):
        builder.sensor("hinge").build()
