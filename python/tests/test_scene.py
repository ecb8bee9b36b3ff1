"""Scenes: from files, texts, dicts and builders; what is wrong with them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import tomllib

import signorini as sg
from conftest import command, rolling_ball, scene_file


def test_a_scene_from_a_file_its_text_and_its_dict_are_one():
    path = scene_file("seeds/stack")
    text = path.read_text()
    loaded = sg.Scene.load(path)
    assert sg.Scene.from_toml(text).to_toml() == loaded.to_toml()
    assert sg.Scene.from_dict(tomllib.loads(text)).to_toml() == loaded.to_toml()
    assert len(loaded) == len(loaded.names) == len(loaded.masses)


def test_options_replace_values_of_the_file():
    scene = sg.Scene.load(
        scene_file("seeds/stack"), duration=0.1, time_step=0.01, tolerance=1e-6, formulation="cone"
    )
    assert (scene.duration, scene.time_step, scene.n_steps) == (0.1, 0.01, 10)
    assert (scene.tolerance, scene.formulation) == (1e-6, "cone")
    with pytest.raises(TypeError, match='unexpected option "duratoin".*duration'):
        sg.Scene.load(scene_file("seeds/stack"), duratoin=1.0)
    with pytest.raises(sg.InputError, match='formulation = "cones": unknown variant'):
        sg.Scene.load(scene_file("seeds/stack"), formulation="cones")


def test_dicts_may_hold_numpy():
    fields = {
        "simulation": {"time_step": np.float64(0.01), "duration": np.float32(0.5), "seed": np.int64(7)},
        "body": [
            {
                "name": "ball",
                "mass": np.int32(2),
                "position": np.array([0.1, 0.2, 1 / 3]),
                "velocity": (1, 0, 0),
                "density": None,
                "shape": {"type": "sphere", "radius": 0.5},
            }
        ],
    }
    scene = sg.Scene.from_dict(fields)
    assert (scene.seed, scene.masses.tolist()) == (7, [2.0])
    assert scene.positions.tolist() == [[0.1, 0.2, 1 / 3]]
    assert np.allclose(scene.inertias[0], np.eye(3) * 0.4 * 2 * 0.25, rtol=1e-15, atol=0)
    fields["body"][0]["position"] = object()
    with pytest.raises(sg.InputError, match=r"body\[0\].position = <object.*must be a number"):
        sg.Scene.from_dict(fields)


def test_faults_have_the_text_of_the_command_line(tmp_path):
    bad = tmp_path / "bad.toml"
    text = scene_file("seeds/stack").read_text()
    for wrong in [
        text.replace("duration", "duratoin", 1),
        text.replace("time_step =", "time_step = -", 1),
        text + "\n[[body]]\nname = 3\n",
        "format = 1\n[simulation\n",
        "format = 7\n",
    ]:
        bad.write_text(wrong)
        with pytest.raises(sg.InputError) as caught:
            sg.Scene.load(bad)
        told = command("check", bad)
        assert told.returncode == 2
        assert told.stderr == f"error: {caught.value}\n"
        assert isinstance(caught.value, ValueError)
        assert len(caught.value.faults) >= 1
    with pytest.raises(sg.FileError) as caught:
        sg.Scene.load(tmp_path / "none.toml")
    assert command("check", tmp_path / "none.toml").stderr == f"error: {caught.value}\n"
    assert isinstance(caught.value, OSError)


def test_faults_of_a_dict_have_no_line():
    with pytest.raises(sg.InputError) as caught:
        sg.Scene.from_dict({"simulation": {"time_step": -1.0, "duration": 1.0}})
    assert caught.value.faults[0].startswith("scene: simulation: time_step = -1.0: must be")


def test_a_builder_makes_what_a_file_makes():
    builder = sg.Scene.builder()
    builder.time_step(0.002).duration(0.1).gravity([0, 0, -1.62]).seed(5).tolerance(1e-7)
    builder.material("rubber").material("steel")
    builder.friction(0.1).friction_between("rubber", "steel", sg.Friction.coulomb(0.9).with_torsion(0.01))
    base = builder.body(sg.Body.box([1, 1, 0.1]).at([0, 0, -0.1]).fixed().named("base").material("rubber"))
    arm = builder.body(
        sg.Body.cylinder(0.05, 0.4)
        .mass(3.0)
        .at([0, 0, 0.5])
        .turned([1, 0, 0], 0.5)
        .named("arm")
        .material("steel")
    )
    builder.joint(
        sg.Joint.revolute(base, arm, [0, 0, 0.4], [0, 1, 0])
        .named("hinge")
        .limits("angle", -1.0, 1.0)
        .motor("angle", sg.Course.sine(0.5, 2.0), 4.0)
    )
    cart = builder.body(sg.Body.sphere(0.05).density(100.0).at([0.5, 0.5, 0.5]).fixed().material("steel"))
    builder.motion(cart, sg.Motion.velocity(sg.Course.table([0, 1], [0, 0.1])), along=[1, 0, 0])
    scene = builder.build()
    fields = tomllib.loads(scene.to_toml())
    assert fields["solver"]["tolerance"] == 1e-7
    assert fields["joint"][0]["name"] == "hinge"
    assert fields["motor"][0]["largest_force"] == 4.0
    assert (scene.names, scene.joint_names) == (["base", "arm", "sphere-2"], ["hinge"])
    assert scene.fixed.tolist() == [True, False, True]
    assert sg.Scene.from_toml(scene.to_toml()).to_toml() == scene.to_toml()
    assert all(outcome.good for outcome in sg.Simulation(scene).run())


def test_builders_leave_their_origins_alone():
    plain = sg.Body.sphere(0.1).density(1000.0)
    plain.at([1, 0, 0])
    builder = sg.Scene.builder()
    builder.body(plain)
    assert builder.build().positions.tolist() == [[0, 0, 0]]


def test_what_a_builder_refuses():
    builder = sg.Scene.builder()
    builder.body(sg.Body.sphere(-1.0).density(1.0).named("ball"))
    with pytest.raises(sg.InputError, match='scene: body\\[0\\] "ball": .*radius = -1'):
        builder.build()
    with pytest.raises(sg.InputError, match="solver: unknown field `tolerace`"):
        builder.solver(tolerace=1.0)
    with pytest.raises(sg.InputError, match="needs either along or about"):
        builder.motion(0, sg.Motion.velocity(1.0))
    with pytest.raises((TypeError, ValueError)):
        sg.Body.box([1, 2])
    with pytest.raises(sg.InputError, match="must be slide, angle or length"):
        sg.Joint.fixed(0, 1).limits("tilt", 0, 1)


def test_scenes_can_be_pickled():
    scene = rolling_ball()
    assert pickle.loads(pickle.dumps(scene)).to_toml() == scene.to_toml()
    with pytest.raises(sg.InputError, match="scene: the bytes are not"):
        sg.Scene.from_bytes(b"\x00\x01")


def test_exceptions_can_be_pickled():
    with pytest.raises(sg.InputError) as caught:
        sg.Scene.from_dict({"simulation": {"time_step": -1.0, "duration": -1.0}})
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.faults) == (str(caught.value), caught.value.faults)
    assert len(again.faults) == 3 and str(again).startswith("3 faults\n")


def test_names_of_earlier_versions_are_read_with_a_warning():
    path = scene_file("seeds/stack")
    with pytest.warns(DeprecationWarning, match="step is called time_step now"):
        old = sg.Scene.load(path, duration=0.1, step=0.01)
    assert old.time_step == 0.01
    with pytest.warns(DeprecationWarning, match=r"Body\.cuboid is called Body\.box now"):
        sg.Body.cuboid([0.1, 0.1, 0.1])
    text = path.read_text().replace("time_step =", "step =")
    scene = sg.Scene.from_toml(text, path)
    assert scene.to_toml() == sg.Scene.load(path).to_toml()
    assert any("simulation.step is called simulation.time_step now" in note for note in scene.notes)
