"""Scenes that are checked, converted, settled, dropped and compared, beside the command line."""

from __future__ import annotations

import csv
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from conftest import command, rolling_ball, scene_file

PENDULUM = """<mujoco model="pendulum">
  <worldbody>
    <body name="bob" pos="0 0 1">
      <joint name="pin" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" mass="1"/>
    </body>
  </worldbody>
</mujoco>"""

CUBE = """v -1 -1 -1
v 1 -1 -1
v 1 1 -1
v -1 1 -1
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""


def rows(path: Path) -> list[dict[str, str]]:
    """A table that the command line wrote."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def column(path: Path, name: str) -> list[float]:
    return [float(row[name] or "nan") for row in rows(path)]


@pytest.fixture
def cube(tmp_path: Path) -> Path:
    path = tmp_path / "cube.obj"
    path.write_text(CUBE)
    return path


@pytest.mark.parametrize("name", ["seeds/stack", "seeds/two-spheres", "seeds/sliding-cube"])
def test_check_says_what_the_command_line_says(name):
    report = sg.check(scene_file(name))
    assert report and not report.faults
    assert str(report) + "\n" == command("check", scene_file(name), check=True).stdout
    assert report.scene.names == sg.Scene.load(scene_file(name)).names
    bodies = report.bodies.to_pandas()
    assert list(bodies["name"]) == report.scene.names
    assert bodies["mass"].to_numpy() == pytest.approx(report.scene.masses)
    assert report.bodies["z"] == pytest.approx(report.scene.positions[:, 2])


def test_check_tells_faults(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('format = 1\n[simulation]\nstep = -1\nduration = 1\n[[body]]\nname = "a"\nmass = -2\n')
    report = sg.check(path)
    assert not report and report.scene is None and len(report.faults) >= 2
    assert any(str(path) in fault and "step" in fault for fault in report.faults)
    assert report.bodies.n_rows == 0 and report.joints.n_rows == 0
    assert "faults" in repr(report)
    with pytest.raises(sg.FileError, match="none.toml"):
        sg.check(tmp_path / "none.toml")


def test_check_of_a_scene_and_of_its_joints():
    scene = sg.Scene.from_mjcf(PENDULUM)
    report = sg.check(scene)
    assert report and report.joints["name"].tolist() == ["pin"]
    assert report.joints["kind"].tolist() == ["revolute"] and report.joints["z"] == pytest.approx([1.0])
    assert report.joints["b"].tolist() == ["bob"]


def test_convert_writes_what_the_command_line_writes(tmp_path):
    model = tmp_path / "pendulum.xml"
    model.write_text(PENDULUM)
    scene = sg.convert(model, tmp_path / "a.toml", joints={"pin": 0.3}, duration=0.5)
    line = ["convert", model, tmp_path / "b.toml", "--joint", "pin=0.3", "--duration", 0.5]
    command(*line, check=True)
    assert (tmp_path / "a.toml").read_bytes() == (tmp_path / "b.toml").read_bytes()
    assert scene.duration == 0.5 and sg.Scene.load(tmp_path / "a.toml").names == scene.names
    with pytest.raises(sg.InputError, match="a.toml: exists"):
        sg.convert(model, tmp_path / "a.toml")
    with pytest.raises(sg.InputError, match="free root: only of robots in URDF"):
        sg.convert(model, free_root=True)
    with pytest.raises(sg.FileError, match="nowhere"):
        sg.convert(model, tmp_path / "nowhere" / "a.toml")


def test_mjcf_from_text_is_that_from_the_file(tmp_path):
    model = tmp_path / "pendulum.xml"
    model.write_text(PENDULUM)
    given = (PENDULUM, "\n  " + PENDULUM, model, str(model))
    texts = [sg.Scene.from_mjcf(model).to_toml() for model in given]
    assert texts == texts[:1] * 4
    with pytest.raises(sg.InputError, match="arm.xml.*frob"):
        sg.Scene.from_mjcf("<frob/>", path="arm.xml")
    include = '<mujoco><include file="pendulum.xml"/></mujoco>'
    assert sg.Scene.from_mjcf(include, path=tmp_path / "all.xml").joint_names == ["pin"]
    robot = '<robot name="r"><link name="base"/></robot>'
    with pytest.raises(sg.InputError):
        sg.Scene.from_urdf(robot)


def bricks() -> sg.Scene:
    """Bricks that fall into a box. Ellipsoids rock for long, as nothing but friction takes their energy."""
    builder = sg.Scene.builder().time_step(0.005).duration(0.5).friction(0.5).seed(3)
    builder.container([-0.2, -0.2, 0], [0.2, 0.2, 2])
    brick = sg.Body.box([0.06, 0.04, 0.03]).density(1500.0).named("brick")
    return builder.fill(8, brick, [-0.2, -0.2, 0], [0.2, 0.2, 0.6]).build()


def test_settle_brings_a_heap_to_rest():
    found = sg.settle(bricks(), until=5.0)
    assert found and found.at_rest and 0.5 < found.time < 5.0
    assert found.unsolved_steps == 0 and found.red_steps == 0
    # The scene begins where the simulation is, and stays there.
    moving = ~found.scene.fixed
    assert found.scene.positions == pytest.approx(found.simulation.positions, abs=1e-9)
    again = sg.Simulation(found.scene)
    list(again.run(until=0.2))
    way = np.linalg.norm(again.positions - found.scene.positions, axis=1)
    assert way[moving].max() < 1e-3 * 0.12
    assert again.kinetic_energy < 1e-6 and found.simulation.kinetic_energy < 1e-6
    # The simulation goes on.
    taken = found.simulation.step_index
    assert found.simulation.step().step == taken + 1


def test_settle_stops_at_its_time():
    found = sg.settle(rolling_ball())
    assert not found and found.time == pytest.approx(0.5)
    found = sg.settle(scene_file("seeds/stack"), until=0.02)
    assert not found and found.simulation.time == pytest.approx(0.02, abs=1e-6)
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(sg.InputError, match="until"):
            sg.settle(rolling_ball(), until=wrong)


def test_drop_counts_what_the_command_line_counts(cube, tmp_path):
    found = sg.drop(cube, tmp_path / "a", count=12, scale=0.01, seed=3)
    line = ["drop", cube, "--out", tmp_path / "b", "--count", 12, "--scale", 0.01, "--seed", 3]
    assert command(*line).returncode == 0
    for name in ("scene.toml", "drops.csv", "poses.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    # A cube has one pose.
    assert found.body == "cube" and found.moving == 0 and found.unsolved == 0
    assert found.poses["count"].tolist() == [12] and found.poses["share"].tolist() == [1.0]
    assert found.poses["height"] == pytest.approx([0.01], rel=1e-3)
    assert found.drops.n_rows == 12 and set(found.drops["end"]) == {"rest"}
    assert found.drops["time"].tolist() == column(tmp_path / "b" / "drops.csv", "time")
    assert list(found.poses.to_pandas()["pose"]) == [1]
    in_memory = sg.drop(cube, count=12, scale=0.01, seed=3, threads=1)
    assert in_memory.folder is None and (in_memory.drops["x"] == found.drops["x"]).all()
    with pytest.raises(sg.InputError, match="holds another drop test"):
        sg.drop(cube, tmp_path / "a", scale=0.01)
    more = sg.drop(cube, tmp_path / "a", count=15, scale=0.01, seed=3)
    assert more.drops.n_rows == 15 and (more.drops["x"][:12] == found.drops["x"]).all()
    with pytest.raises(sg.InputError, match="holds 15 drops of this test"):
        sg.drop(cube, tmp_path / "a", count=14, scale=0.01, seed=3)


def brick() -> sg.Scene:
    """A brick above the ground."""
    builder = sg.Scene.builder().time_step(0.005).duration(2.0).friction(0.5)
    builder.body(sg.Body.half_space())
    shape = sg.Body.box([0.03, 0.02, 0.01]).density(1000.0)
    builder.body(shape.at([0, 0, 0.1]).named("brick"))
    return builder.build()


def test_drop_of_a_scene_and_wrong_arguments(cube):
    scene = brick()
    found = sg.drop(scene, count=6, spin=2.0)
    assert found.body == "brick" and found.drops.n_rows == 6
    known = {0.03, 0.02, 0.01}
    assert all(min(abs(height - k) for k in known) < 1e-4 for height in found.poses["height"])
    for wrong, text in [
        ({"count": 0}, "count = 0: must be 1 to 1000000"),
        ({"speed": -1.0}, "speed = -1.0"),
        ({"spin": float("nan")}, "spin = NaN"),
        ({"scale": 2.0}, "scale: for meshes"),
        ({"body": "stone"}, "stone.*brick"),
        ({"threads": 0}, "threads = 0"),
    ]:
        with pytest.raises(sg.InputError, match=text):
            sg.drop(scene, **wrong)
    with pytest.raises(sg.InputError, match="scale"):
        sg.drop(cube, scale=-1.0)
    with pytest.raises(sg.InputError, match=r"none\.stl.*cannot be read"):
        sg.drop("none.stl")
    with pytest.raises(sg.FileError, match=r"none\.toml"):
        sg.drop("none.toml")


def test_compare_finds_what_the_command_line_finds(tmp_path):
    scene = scene_file("seeds/sliding-cube")
    found = sg.compare(
        scene, ["implicit", "cone", "implicit"], tmp_path / "a", time_steps=[0.02], duration=0.1
    )
    line = ["compare", scene, "--formulations", "implicit,cone", "--steps", 0.02, "--duration", 0.1]
    assert command(*line, "--out", tmp_path / "b").returncode == 0
    same = [name for name in found.rows if name != "seconds_per_step"]
    assert found.rows["formulation"].tolist() == ["implicit", "cone"] and len(same) == 16
    for folder in ("a", "b"):
        theirs = rows(tmp_path / folder / "compare.csv")
        for name in same:
            assert [str(x) for x in found.rows[name].tolist()] == [
                str(type(found.rows[name].tolist()[0])(row[name])) for row in theirs
            ], name
    assert found.over_time.n_rows == 10 and found.reference == "implicit with h = 0.005 s"
    assert found.over_time.to_pandas().groupby("formulation")["time"].count().tolist() == [5, 5]
    assert found.reference_unsolved == 0 and found.reference_error is None
    assert (tmp_path / "a" / "plots").is_dir()


def test_compare_with_closed_forms_and_wrong_arguments(tmp_path):
    forms = tmp_path / "forms.toml"
    forms.write_text('[[body]]\nname = "ball"\nposition = ["2*t", "0", "0.1"]\n')
    scene = rolling_ball(duration=0.05)
    found = sg.compare(scene, "implicit", closed_form=forms)
    assert found.reference_error is not None and found.reference_error[0] > 0.0
    assert found.folder is None
    for wrong, text in [
        ({"formulations": []}, "must be one or more"),
        ({"formulations": ["frob"]}, '"frob": must be one of implicit'),
        ({"formulations": ["cone"], "time_steps": [-1.0]}, "step -1"),
    ]:
        with pytest.raises(sg.InputError, match=text):
            sg.compare(scene, **wrong)
    with pytest.raises(sg.FileError, match="none.toml"):
        sg.compare(scene, ["cone"], closed_form=tmp_path / "none.toml")


@pytest.mark.parametrize(
    "work",
    [
        lambda: sg.settle(rolling_ball(duration=1e5)),
        lambda: sg.compare(rolling_ball(duration=1e4), ["implicit"], time_steps=[0.005]),
        lambda: sg.drop(brick(), count=1_000_000),
        lambda: sg.drop(brick(), count=1_000_000, executor=ThreadPoolExecutor(1)),
    ],
)
def test_ctrl_c_stops_them(work):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert time.monotonic() - start < 30.0
