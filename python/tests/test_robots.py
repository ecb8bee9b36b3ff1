"""Models in MJCF and URDF, held to the numbers of MuJoCo and Pinocchio: those of `references.json`, and,
where the two are installed, those that they give now."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import references
import signorini as sg
from conftest import ROOT

sys.path.append(str(ROOT / "python" / "benches"))
import beside_mujoco as beside  # noqa: E402

SINGLE = """<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.001" gravity="0 0.5 -9"/>
  <worldbody>
    <body name="b" pos="0.1 0.2 3" euler="0.3 -0.4 0.5">
      <freejoint/>
      {geoms}
    </body>
  </worldbody>
</mujoco>"""

GEOMS = {
    "sphere": '<geom type="sphere" size="0.1" density="700"/>',
    "ellipsoid": '<geom type="ellipsoid" size="0.1 0.2 0.3" pos="0.1 0 0" axisangle="0 1 0 0.3"/>',
    "box": '<geom type="box" size="0.1 0.2 0.3" mass="2.5" quat="1 2 3 4"/>',
    "cylinder": '<geom type="cylinder" size="0.1 0.2" zaxis="1 1 0"/>',
    "capsule": '<geom type="capsule" fromto="0.1 0 0 0.3 0.4 0.1" size="0.07"/>',
    "several": '<geom type="box" size="0.1 0.1 0.3" pos="0.3 0 0" xyaxes="1 1 0 0 0 1"/>'
    '<geom type="capsule" size="0.05 0.2" euler="0.1 0.2 0.3"/><geom type="cylinder" size="0.1" '
    'fromto="0 0 0 0 0.3 0.3" density="3000"/><geom size="0.1" pos="0 0 1" contype="0" conaffinity="0"/>',
    "inertial": '<inertial pos="0.1 0.2 0.3" mass="3" diaginertia="0.3 0.2 0.4" quat="1 0.2 0 0.1"/>'
    '<geom type="box" size="0.1 0.1 0.3"/>',
    "full": '<inertial pos="0.1 0.2 0.3" mass="3" fullinertia="0.3 0.2 0.4 0.01 -0.02 0.03"/>'
    '<geom size="0.1"/>',
    "frame": '<frame pos="0.1 0.2 0.3" euler="0.5 0 0"><geom type="box" size="0.1 0.2 0.05" pos="0 0 0.1"/>'
    "</frame>",
}

PENDULUM = """<mujoco>
  <compiler angle="degree" eulerseq="zyx"/>
  <default>
    <geom density="800"/>
    <default class="light"><geom density="100" size="0.02 0.1"/><joint axis="0 1 0" range="-90 90"/></default>
  </default>
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="5 5 0.1" pos="0 0 -5"/>
    <body name="upper" pos="0 0 1" euler="30 10 -20">
      <joint name="shoulder" axis="1 0.3 0" pos="0 0 0.1" range="-170 100"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04"/>
      <body name="tip" pos="0.02 0 -0.1"><geom type="box" size="0.02 0.03 0.04"/></body>
      <body name="lower" pos="0 0 -0.4" childclass="light" euler="0 60 0">
        <joint name="elbow" ref="20"/>
        <geom type="cylinder" pos="0 0 -0.2"/>
        <body name="slider" pos="0 0 -0.4">
          <joint name="telescope" type="slide" axis="0 0.2 1" range="-0.1 0.2"/>
          <geom class="main" type="ellipsoid" size="0.03 0.04 0.05"/>
          <body name="ball" pos="0 0.1 0"><joint type="ball" name="socket" range="0 0"/>
            <geom type="box" size="0.05 0.02 0.03" pos="0.1 0 0"/></body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""

ARM = """<robot name="arm">
  <link name="base"><inertial><mass value="5"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.01 0.02 0.2" rpy="0.3 0.2 -0.4"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.025" izz="0.02" ixy="0.001" ixz="-0.002" iyz="0.0005"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 0.1"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.012" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><origin rpy="0 0 1"/><mass value="0.4"/>
    <inertia ixx="0.001" iyy="0.002" izz="0.0015" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rail"><inertial><mass value="0.3"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="yaw" type="continuous"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0.1 0.3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 0.4" rpy="-0.5 0 0"/><axis xyz="1 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="weld" type="fixed"><parent link="lower"/><child link="tool"/>
    <origin xyz="0 0.05 0.2" rpy="0 1 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="lower"/><child link="rail"/>
    <origin xyz="0.1 0 0"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""

#: The pendulum with rotors behind the gears of a hinge and a slide.
ROTORS = PENDULUM.replace('name="elbow"', 'name="elbow" armature="0.02"').replace(
    'name="telescope"', 'name="telescope" armature="0.7"'
)
#: A body of two meshes whose corners stand in the model, one with faces.
CORNERS = SINGLE.format(
    geoms='<geom type="mesh" mesh="wedge" pos="0.1 0 0" euler="0.1 0.2 0.3"/><geom type="mesh" mesh="tip"/>'
).replace(
    "<worldbody>",
    '<asset><mesh name="wedge" scale="0.1 0.1 0.2" vertex="0 0 0 1 0 0 0 1 0 1 1 0 0 0.5 1 1 0.5 1"/>'
    '<mesh name="tip" vertex="0 0 0 0.25 0 0 0 0.5 0 0 0 0.75" face="0 2 1 0 1 3 0 3 2 1 2 3"/>'
    "</asset><worldbody>",
)
#: Text of each model by file name, and positions of its joints.
MODELS = {f"{name}.xml": (SINGLE.format(geoms=geoms), {}) for name, geoms in GEOMS.items()} | {
    "corners.xml": (CORNERS, {}),
    "pendulum.xml": (PENDULUM, {}),
    "pendulum-rotors.xml": (ROTORS, {"elbow": 0.2}),
    "pendulum-moved.xml": (PENDULUM, {"shoulder": 0.4, "elbow": -0.3, "telescope": 0.05}),
    "arm.urdf": (ARM, {"yaw": 2.5, "elbow": -0.7, "slide": 0.3}),
}
#: Arms that `pip install pin example-robot-data` brings.
ARMS = [
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "kinova_description/robots/kinova.urdf",
]
STORED = json.loads(references.STORED.read_text(encoding="utf-8")) if references.STORED.exists() else {}


def is_installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", MODELS)
def test_bodies_and_joints_are_those_of_the_references(name, tmp_path):
    text, joints = MODELS[name]
    path = write(tmp_path / name, text)
    is_urdf = path.suffix == ".urdf"
    scene = (sg.Scene.from_urdf if is_urdf else sg.Scene.from_mjcf)(path, joints=joints)
    worst = references.differences(scene, STORED[name])
    assert {"mass", "centre", "inertia", "axis", "anchor"} <= worst.keys()
    assert is_urdf or {"acceleration", "step"} <= worst.keys()
    assert max(worst.values()) <= references.CLOSE, worst
    if is_installed("pinocchio" if is_urdf else "mujoco"):
        reference = references.of_pinocchio if is_urdf else references.of_mujoco
        worst = references.differences(scene, reference(path, joints))
        assert max(worst.values()) <= references.CLOSE, worst


def test_a_heavier_body_differs(tmp_path):
    text = MODELS["box.xml"][0].replace('mass="2.5"', 'mass="2.50000001"')
    scene = sg.Scene.from_mjcf(write(tmp_path / "box.xml", text))
    worst = references.differences(scene, STORED["box.xml"])
    assert worst["mass"] > references.CLOSE and worst["inertia"] > references.CLOSE
    assert worst["centre"] <= references.CLOSE and worst["acceleration"] <= references.CLOSE


def test_names_and_settings_are_those_of_the_model(tmp_path):
    scene = sg.Scene.from_mjcf(write(tmp_path / "single.xml", MODELS["box.xml"][0]))
    assert scene.names == ["b"] and scene.gravity.tolist() == [0, 0.5, -9] and scene.time_step == 0.001
    scene = sg.Scene.from_mjcf(write(tmp_path / "pendulum.xml", PENDULUM))
    assert scene.joint_names == ["shoulder", "elbow", "telescope", "socket"]
    # "tip" is welded to "upper".
    assert [name for name in scene.names if not name.startswith("world")] == [
        "upper",
        "lower",
        "slider",
        "ball",
    ]
    assert scene.joint_bodies.shape == (4, 2) and scene.names[scene.joint_bodies[1, 1]] == "lower"


def test_what_is_not_taken_over_is_listed(tmp_path):
    text = PENDULUM.replace('name="elbow"', 'name="elbow" margin="0.1"')
    path = write(tmp_path / "listed.xml", text)
    notes = [note for note in sg.Scene.from_mjcf(path).notes if "not taken over" in note]
    line = next(i for i, words in enumerate(text.splitlines(), start=1) if "elbow" in words)
    assert len(notes) == 1 and notes[0].startswith(f"{path}:{line}:") and 'margin = "0.1"' in notes[0]
    with pytest.raises(sg.InputError, match="margin"):
        sg.Scene.from_mjcf(path, strict=True)


def test_wrong_models_and_joints_raise(tmp_path):
    path = write(tmp_path / "wrong.xml", PENDULUM.replace('range="-90 90"', 'range="-90"'))
    with pytest.raises(sg.InputError, match="must be 2 numbers") as caught:
        sg.Scene.from_mjcf(path)
    assert str(path) in str(caught.value)
    with pytest.raises(sg.InputError, match='joint = "wrist": is no joint of the model, which has 3'):
        sg.Scene.from_urdf(write(tmp_path / "arm.urdf", ARM), joints={"wrist": 0.0})
    with pytest.raises(sg.FileError):
        sg.Scene.from_mjcf(tmp_path / "absent.xml")


BLOCK = """v {0} {2} 0
v {1} {2} 0
v {1} {3} 0
v {0} {3} 0
v {0} {2} {4}
v {1} {2} {4}
v {1} {3} {4}
v {0} {3} {4}
"""
SIDES = ["4 3 2 1", "5 6 7 8", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8"]
MESHES = """<mujoco>
  <asset><mesh name="m" file="m.obj" scale="0.01 0.02 0.03" {how}/></asset>
  <worldbody><body name="b" pos="0 0 1" euler="20 30 40"><freejoint/>
    <geom type="mesh" mesh="m" pos="0.1 0.2 0.3" euler="50 10 0" density="500"/>
    <geom type="box" size="0.1 0.1 0.1" pos="0 0.5 0" mass="2"/></body></worldbody>
</mujoco>"""

TETRAHEDRON = """<mujoco>
  <asset><mesh name="m" file="m.obj" inertia="exact"/></asset>
  <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m"/></body></worldbody>
</mujoco>"""


def blocks(*extents: tuple[float, ...]) -> str:
    """A mesh of boxes: corners, and faces with the numbers of their corners."""
    faces = [[int(k) + 8 * i for k in side.split()] for i in range(len(extents)) for side in SIDES]
    return "".join(BLOCK.format(*e) for e in extents) + "".join(f"f {' '.join(map(str, f))}\n" for f in faces)


@pytest.mark.parametrize("how", ["", 'inertia="legacy"', 'inertia="exact"'])
def test_masses_of_meshes(how, tmp_path):
    # Three boxes on a corner: what is between them is not theirs.
    extents = [(0, 1, 0, 2, 1), (1, 4, 0, 1, 1), (4, 5, 0, 3, 2)]
    write(tmp_path / "m.obj", blocks(*extents))
    path = write(tmp_path / "mesh.xml", MESHES.format(how=how))
    scene = sg.Scene.from_mjcf(path)
    exact = 500 * 6e-6 * (2 + 3 + 6) + 2
    if how == 'inertia="exact"':
        parts = "".join(
            f'<geom type="box" density="500" size="{(b - a) / 2 * 0.01} {(d - c) / 2 * 0.02} {e / 2 * 0.03}" '
            f'pos="{(a + b) / 2 * 0.01} {(c + d) / 2 * 0.02} {e / 2 * 0.03}"/>'
            for a, b, c, d, e in extents
        )
        frame = f'<frame pos="0.1 0.2 0.3" euler="50 10 0">{parts}</frame>'
        text = MESHES.format(how="")
        mesh = text[text.index('<geom type="mesh"') : text.index('<geom type="box"')]
        boxes = sg.Scene.from_mjcf(write(tmp_path / "boxes.xml", text.replace(mesh, frame)))
        assert scene.masses == pytest.approx([exact]) and scene.masses == pytest.approx(
            boxes.masses, rel=1e-12
        )
        assert scene.positions == pytest.approx(boxes.positions, abs=1e-12)
        assert scene.inertias == pytest.approx(boxes.inertias, rel=1e-6, abs=1e-9)
    else:
        # Volumes without their signs count too much.
        assert scene.masses[0] > exact + 1e-4
    if is_installed("mujoco"):
        worst = references.differences(scene, references.of_mujoco(path))
        assert max(worst.values()) <= references.CLOSE, worst


def test_medians_over_turned_meshes_are_exact(tmp_path):
    if not is_installed("mujoco"):
        pytest.skip("mujoco is not installed")
    for seed in (4, 5, 20):
        corners = np.random.default_rng(seed).integers(-64, 64, size=(4, 3)) / 256
        if np.linalg.det(corners[1:] - corners[0]) > 0:
            corners = corners[[0, 2, 1, 3]]
        faces = "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"
        # MuJoCo keeps meshes by their paths.
        folder = tmp_path / str(seed)
        folder.mkdir()
        write(folder / "m.obj", "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + faces)
        path = write(folder / "mesh.xml", TETRAHEDRON)
        scene = sg.Scene.from_mjcf(path)
        once = references.differences(scene, references.of_mujoco(path))
        assert once.pop("inertia") < 1e-7 and max(once.values()) <= references.CLOSE
        often = references.differences(scene, references.of_mujoco(path, copies=51))
        assert max(often.values()) <= references.CLOSE, often


def test_masses_of_meshes_that_are_not_computed(tmp_path):
    write(tmp_path / "m.obj", blocks((0, 1, 0, 1, 1)))
    path = write(tmp_path / "mesh.xml", MESHES.format(how='inertia="shell"'))
    with pytest.raises(sg.InputError, match="give its body <inertial>"):
        sg.Scene.from_mjcf(path)
    plain, moved = (
        sg.Scene.from_mjcf(write(tmp_path / "mesh.xml", MESHES.format(how=how))).masses
        for how in ("", 'refpos="0 0 1"')
    )
    assert moved == pytest.approx(plain)
    massless = MESHES.format(how='inertia="shell"').replace('density="500"', 'mass="0"')
    assert sg.Scene.from_mjcf(write(tmp_path / "mesh.xml", massless)).masses == pytest.approx([2.0])
    write(tmp_path / "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(sg.InputError, match="has no volume"):
        sg.Scene.from_mjcf(write(tmp_path / "mesh.xml", MESHES.format(how="")))


EXPERIMENTS = {experiment.title: experiment for experiment in beside.EXPERIMENTS}


def measured(title: str, path: Path, end: float) -> list[float]:
    experiment = EXPERIMENTS[title]
    return experiment.measure(beside.Here(write(path, experiment.model("")), end), end)


def test_bodies_in_grips_stay_where_they_are(tmp_path):
    (sinks,) = measured("Cylinder in a grip", tmp_path / "cylinder.xml", beside.START + 0.3)
    # Below a nanometre a second.
    assert abs(sinks) < 1e-3
    (turns,) = measured("Box in two pads", tmp_path / "box.xml", beside.START + 0.3)
    assert turns < 1e-4


def test_a_grip_too_weak_lets_a_cylinder_fall(tmp_path):
    world = beside.Here(write(tmp_path / "grip.xml", EXPERIMENTS["Cylinder in a grip"].model("")), 0.3)
    world.grip(0.5)
    world.until(0.3)
    assert world.simulation.velocity("held")[0][2] < -0.5


def test_bricks_spin_as_theory_has_it(tmp_path):
    (stop,) = measured("Brick that spins", tmp_path / "spins.xml", beside.START + 0.5)
    assert stop == pytest.approx(beside.stop_of_theory(), abs=2 * beside.STEP)
    momentum, energy = measured("Brick that tumbles", tmp_path / "tumbles.xml", beside.TUMBLE_END)
    assert momentum < 1e-9 and abs(energy) < 1e-6


def test_a_root_may_move(tmp_path):
    path = write(tmp_path / "arm.urdf", ARM)
    scene = sg.Scene.from_urdf(path, free_root=True, time_step=0.01, duration=0.01)
    assert not scene.fixed.any() and scene.masses[0] == 5.0
    if is_installed("pinocchio"):
        joints = MODELS["arm.urdf"][1]
        moved = sg.Scene.from_urdf(path, joints=joints, free_root=True)
        worst = references.differences(moved, references.of_pinocchio(path, joints, free_root=True))
        assert max(worst.values()) <= references.CLOSE, worst
    simulation = sg.Simulation(scene)
    assert simulation.step().good
    # All fall alike.
    assert simulation.velocities[:, 2] == pytest.approx(-0.0981, abs=1e-9)


@pytest.mark.parametrize("name", ARMS)
def test_arms_at_random_positions_are_those_of_pinocchio(name):
    folder = references.example_robots()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(folder / name))
    random = np.random.default_rng(0)
    for _ in range(20):
        joints = references.random_positions(model, random)
        reference = references.of_pinocchio(folder / name, joints)
        worst = references.differences(sg.Scene.from_urdf(folder / name, joints=joints), reference)
        assert max(worst.values()) <= references.CLOSE, worst
