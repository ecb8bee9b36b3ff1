"""What MuJoCo and Pinocchio make of models, and how far scenes are from it.

    python python/tests/references.py

writes `references.json` again, the numbers to which `test_robots.py` holds scenes where neither is installed.
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tomllib

import signorini as sg

#: Difference that is allowed, relative to the size of the numbers.
CLOSE = 1e-9
#: Acceleration of gravity, the size of accelerations (m/s²).
GRAVITY = 9.81
#: The step over which accelerations are taken (s).
STEP = 0.1
STORED = Path(__file__).with_suffix(".json")

#: What a reference says, in the order of the bodies that move and of the joints: `mass`, `centre`, `inertia`
#: (about the centre, world axes), `acceleration` (linear and angular, from rest) of bodies, `axis` and
#: `anchor` (NaN where they mean nothing) of joints; with `by_joint` bodies are in the order of their joints.
Reference = dict[str, Any]


def off(found: Any, expected: Any, scale: float = 0.0) -> float:
    """The largest difference over the largest number, or over `scale` if that is larger."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    known = np.isfinite(expected)
    size = max(scale, np.abs(expected[known]).max(initial=0.0))
    worst = np.abs(found - expected)[known].max(initial=0.0)
    return float(worst / size) if size > 0.0 else float(worst)


def rotations(quaternions: np.ndarray) -> np.ndarray:
    """Rotation matrices of quaternions (w, x, y, z)."""
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def bare(scene: sg.Scene) -> sg.Scene:
    """The same bodies and joints without contacts, limits and motors, for one step."""
    fields = tomllib.loads(scene.to_toml())
    names = scene.names
    fields["exclude"] = [{"between": [a, b]} for i, a in enumerate(names) for b in names[:i]]
    fields.pop("motor", None)
    # Nothing touches; the model below knows no resistance to rolling.
    for friction in fields.get("friction", []):
        friction.pop("rolling", None)
    # A body that is at rest at first has no gyroscopic torque.
    fields.setdefault("solver", {})["gyroscopic"] = "explicit"
    for joint in fields.get("joint", []):
        for limits in ("angle_limits", "slide_limits"):
            joint.pop(limits, None)
    # With the geometry of the start the velocity is the acceleration times the step, however long that is.
    options = {"time_step": STEP, "duration": STEP, "tolerance": 1e-12, "formulation": "stewart-trinkle"}
    return sg.Scene.from_dict(fields, **options)


def accelerations(scene: sg.Scene) -> np.ndarray:
    """Of all bodies from rest, linear and angular, as the program's step has them."""
    simulation = sg.Simulation(bare(scene))
    start = scene.positions, scene.quaternions, np.zeros((len(scene), 3)), np.zeros((len(scene), 3))
    movable = [row for row in range(len(scene)) if not scene.fixed[row]]
    # A solve takes its error down by a factor: the next one begins at almost all of the solution.
    for part in (1e-2, 1e-5, 0.0):
        simulation.set_state(*start)
        for row in movable:
            simulation.set_force(row, -part * scene.masses[row] * scene.gravity)
        assert simulation.step().solved
    return np.hstack([simulation.velocities, simulation.angular_velocities]) / STEP


#: How bodies move at a joint whose frame has these axes: rotations about them, slides along them.
FREEDOMS = {
    "fixed": ("", ""),
    "ball": ("xyz", ""),
    "revolute": ("z", ""),
    "prismatic": ("", "z"),
    "cylindrical": ("z", "z"),
    "planar": ("z", "xy"),
    # The second axis is that of body B, at a right angle.
    "universal": ("zx", ""),
}


def equations_of_motion(scene: sg.Scene) -> np.ndarray:
    """These accelerations from the scene's numbers alone: M(q) a = f in the coordinates of its joints."""
    fields = tomllib.loads(scene.to_toml()).get("joint", [])
    turn = rotations(scene.quaternions)
    tensors = turn @ scene.inertias @ np.swapaxes(turn, 1, 2)
    of_body = {int(pair[1]): k for k, pair in enumerate(scene.joint_bodies)}
    assert len(of_body) == len(fields), "a body at several joints"
    # Columns of the coordinates that move a body: of its own joint, and of those that carry it.
    columns: dict[int, list[int]] = {}
    motions: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    armature: list[float] = []

    def of(row: int) -> list[int]:
        if row in columns or scene.fixed[row]:
            return columns.get(row, [])
        k = of_body.get(row)
        if k is None:
            carried, frame, anchor, (turns, slides) = [], np.eye(3), scene.positions[row], ("xyz", "xyz")
        else:
            carried, anchor = of(int(scene.joint_bodies[k, 0])), scene.joint_anchors[k]
            frame = turn[row] @ rotations(np.array([fields[k]["orientations"][1]]))[0]
            turns, slides = FREEDOMS[fields[k]["type"]]
        first = len(motions)
        motions.extend((frame[:, "xyz".index(axis)], np.zeros(3), anchor) for axis in turns)
        motions.extend((np.zeros(3), frame[:, "xyz".index(axis)], anchor) for axis in slides)
        armature.extend([fields[k].get("armature", 0.0) if k is not None else 0.0] * (len(motions) - first))
        columns[row] = carried + list(range(first, len(motions)))
        return columns[row]

    rows = [row for row in range(len(scene)) if not scene.fixed[row]]
    for row in rows:
        of(row)
    masses, forces = np.diag(armature), np.zeros(len(motions))
    jacobians = {}
    for row in rows:
        jacobian = np.zeros((6, len(motions)))
        for c in columns[row]:
            rotation, slide, anchor = motions[c]
            jacobian[:, c] = *(slide + np.cross(rotation, scene.positions[row] - anchor)), *rotation
        linear, angular = jacobian[:3], jacobian[3:]
        masses += scene.masses[row] * linear.T @ linear + angular.T @ tensors[row] @ angular
        forces += scene.masses[row] * linear.T @ scene.gravity
        jacobians[row] = jacobian
    scale = 1.0 / np.sqrt(np.diag(masses))
    solution = scale * np.linalg.solve(scale[:, None] * masses * scale, scale * forces)
    found = np.zeros((len(scene), 6))
    for row in rows:
        found[row] = jacobians[row] @ solution
    return found


def in_energy(found: np.ndarray, reference: Reference) -> float:
    """How far accelerations are from those of a reference by kinetic energy, that of a free fall being 1.

    The norm of Gauss's principle. A step is solved relative to the forces that act: where a light link hangs
    on a heavy rotor its own small momentum is known less well.
    """
    energy = fall = 0.0
    for i, mass in enumerate(reference["mass"]):
        linear, angular = np.split(found[i] - reference["acceleration"][i], 2)
        energy += mass * linear @ linear + angular @ np.asarray(reference["inertia"][i]) @ angular
        fall += mass * GRAVITY**2
    return float(np.sqrt(energy / fall))


def differences(scene: sg.Scene, reference: Reference) -> dict[str, float]:
    """How far a scene is from a reference, by quantity, relative to the largest number of each body."""
    # What is between several joints of a body is no body of the model.
    between = {f"behind {name}" for name in scene.joint_names}
    rows = [row for row, name in enumerate(scene.names) if not scene.fixed[row] and name not in between]
    if reference.get("by_joint"):
        assert len(scene.joint_names) == len(reference["joints"]), f"{len(reference['joints'])} joints"
        rows = [int(scene.joint_bodies[scene.joint_names.index(name), 1]) for name in reference["joints"]]
        rows = [0, *rows] if reference.get("free_root") else rows
    assert len(rows) == len(reference["mass"]), f"{len(rows)} bodies, not {len(reference['mass'])}"
    turn = rotations(scene.quaternions)
    tensors = turn @ scene.inertias @ np.swapaxes(turn, 1, 2)
    found = {"mass": scene.masses, "centre": scene.positions, "inertia": tensors}
    scales = {"centre": 1.0, "anchor": 1.0, "acceleration": GRAVITY}
    if "acceleration" in reference:
        found["acceleration"] = equations_of_motion(scene)
    worst = {
        quantity: max(
            (
                off(values[row], reference[quantity][i], scales.get(quantity, 0.0))
                for i, row in enumerate(rows)
            ),
            default=0.0,
        )
        for quantity, values in found.items()
    }
    if "acceleration" in reference:
        worst["step"] = in_energy(accelerations(scene)[rows], reference)
    # Several joints of a body are one here, with their names; joints without names are known by their order.
    names = reference["joints"]
    count = sum(name.count(" + ") + 1 for name in scene.joint_names)
    assert 0 <= count - len(names) <= reference.get("equalities", 0), (
        f"joints {scene.joint_names}, not {names}"
    )
    known = [i for i, name in enumerate(names) if name in scene.joint_names]
    places = [scene.joint_names.index(names[i]) for i in known]
    if len(scene.joint_names) == len(names):
        known = list(range(len(names)))
        places = [
            scene.joint_names.index(name) if name in scene.joint_names else i for i, name in enumerate(names)
        ]
    for quantity, values in (("axis", scene.joint_axes), ("anchor", scene.joint_anchors)):
        expected = np.reshape(reference[quantity], (-1, 3))[known]
        worst[quantity] = off(values[places], expected, scales.get(quantity, 0.0))
    return worst


def of_mujoco(path: Path, joints: dict[str, float] | None = None, copies: int = 0) -> Reference:
    """A model as MuJoCo compiles it, without forces but gravity.

    With `copies` moments of inertia and accelerations are medians over so many copies of the model
    (`turned`).
    """
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = at(model, joints)

    def name_of(joint: int) -> str:
        return mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint) or f"unnamed {joint}"

    mass, centre, inertia = moments(model, data)
    kinds = mujoco.mjtJoint
    listed = [j for j in range(model.njnt) if model.jnt_type[j] != kinds.mjJNT_FREE]
    nothing = np.full(3, np.nan)
    reference: Reference = {
        "mass": mass,
        "centre": centre,
        "inertia": inertia,
        "joints": [name_of(j) for j in listed],
        "axis": [nothing if model.jnt_type[j] == kinds.mjJNT_BALL else data.xaxis[j].copy() for j in listed],
        "anchor": [
            nothing if model.jnt_type[j] == kinds.mjJNT_SLIDE else data.xanchor[j].copy() for j in listed
        ],
    }
    if model.neq > 0:
        reference["equalities"] = model.neq
    else:
        reference["acceleration"] = accelerations_in_mujoco(model, data)
    if copies > 0:
        random = np.random.default_rng(0)
        tensors, falls = [], []
        for _ in range(copies):
            copy = turned(path, random)
            state = at(copy, joints)
            tensors.append(moments(copy, state)[2])
            falls.append(accelerations_in_mujoco(copy, state))
        reference["inertia"] = list(np.median(tensors, axis=0))
        if model.neq == 0:
            reference["acceleration"] = list(np.median(falls, axis=0))
    return reference


def at(model: Any, joints: dict[str, float] | None) -> Any:
    """The state of a model with its joints at their places, or at those given, without forces but gravity.

    Armature is left out where it is not taken over: of balls and free bodies.
    """
    import mujoco

    for name in ("CONTACT", "LIMIT", "EQUALITY", "FRICTIONLOSS", "ACTUATION", "SPRING", "DAMPER", "PASSIVE"):
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", 0))
    for j in range(model.njnt):
        if model.jnt_type[j] not in (2, 3):
            start = model.jnt_dofadr[j]
            model.dof_armature[start : start + (6, 3, 1, 1)[model.jnt_type[j]]] = 0
    model.body_gravcomp[:] = 0
    model.opt.density = model.opt.viscosity = 0
    data = mujoco.MjData(model)
    # Where a slide or a hinge (2, 3) begins outside its limits, scenes begin at the nearest one.
    for j in range(model.njnt):
        if model.jnt_limited[j] and model.jnt_type[j] in (2, 3):
            place = model.jnt_qposadr[j]
            data.qpos[place] = np.clip(data.qpos[place], *model.jnt_range[j])
    for name, value in (joints or {}).items():
        data.joint(name).qpos[:] = value
    mujoco.mj_forward(model, data)
    return data


def accelerations_in_mujoco(model: Any, data: Any) -> list[np.ndarray]:
    """Linear and angular, of the centres of bodies that move, from rest."""
    import mujoco

    data.qvel[:] = data.qacc
    mujoco.mj_forward(model, data)
    found = []
    for body, center in zip(moving(model), moments(model, data)[1], strict=True):
        speed = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, speed, 0)
        found.append(np.append(speed[3:] + np.cross(speed[:3], center - data.xpos[body]), speed[:3]))
    return found


def moving(model: Any) -> list[int]:
    """Bodies that move: one welded to the world has its number, one welded to a body has that body's."""
    return [b for b in range(1, model.nbody) if model.body_weldid[b] == b and model.body_mocapid[b] < 0]


def moments(model: Any, data: Any) -> tuple[list[float], list[np.ndarray], list[np.ndarray]]:
    """Mass, centre and inertia about it (world axes) of bodies that move, with what is welded to them."""
    mass, centre, inertia = [], [], []
    for body in moving(model):
        parts = [b for b in range(1, model.nbody) if model.body_weldid[b] == body]
        total = model.body_mass[parts].sum()
        center = (model.body_mass[parts, None] * data.xipos[parts]).sum(axis=0) / total
        tensor = np.zeros((3, 3))
        for part in parts:
            axes = data.ximat[part].reshape(3, 3)
            d = data.xipos[part] - center
            tensor += axes @ np.diag(model.body_inertia[part]) @ axes.T
            tensor += model.body_mass[part] * (d @ d * np.eye(3) - np.outer(d, d))
        mass.append(total)
        centre.append(center)
        inertia.append(tensor)
    return mass, centre, inertia


def turned(path: Path, random: np.random.Generator) -> Any:
    """The same model with meshes whose corners are given in other frames, and each geom a body of its own.

    MuJoCo finds principal axes of a mesh, and of a body of several geoms, to 1e-7 rad only. What it misses
    them by depends on the frame of the corners, so that medians over many frames are as good as its other
    numbers.
    """
    import mujoco

    spec = mujoco.MjSpec.from_file(str(path))
    turns = {}
    for mesh in spec.meshes:
        assert not np.any(mesh.refpos) and abs(mesh.refquat[0]) == 1.0, "meshes with frames of their own"
        turns[mesh.name] = mesh.refquat = normalized(random.normal(size=4))
    for geom in spec.geoms:
        if geom.meshname:
            assert geom.alt.type == mujoco.mjtOrientation.mjORIENTATION_QUAT, "angles of geoms of meshes"
            turn = np.zeros(4)
            mujoco.mju_mulQuat(turn, geom.quat, turns[geom.meshname])
            geom.quat = turn
    for body in list(spec.bodies):
        if not body.explicitinertial and len(body.geoms) > 1:
            for geom in list(body.geoms):
                alone = body.add_body().add_geom()
                for name in OF_A_GEOM:
                    setattr(alone, name, getattr(geom, name))
                spec.delete(geom)
    return spec.compile()


#: What gives a geom its shape, place and mass.
OF_A_GEOM = (
    "type",
    "size",
    "fromto",
    "meshname",
    "pos",
    "quat",
    "alt",
    "mass",
    "density",
    "typeinertia",
    "group",
)


def normalized(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def of_pinocchio(path: Path, joints: dict[str, float], free_root: bool = False) -> Reference:
    """A robot as Pinocchio reads it, its single joints at the given positions, its root at the origin."""
    import pinocchio

    root = [pinocchio.JointModelFreeFlyer()] if free_root else []
    model = pinocchio.buildModelFromUrdf(str(path), *root)
    data = model.createData()
    q = configuration(model, joints)
    pinocchio.forwardKinematics(model, data, q)
    pinocchio.computeJointJacobians(model, data, q)
    # A free root is no joint here.
    every = range(2 if free_root else 1, model.njoints)
    inertias = [data.oMi[k].act(model.inertias[k]) for k in every]
    axis = []
    for k in every:
        frame = pinocchio.LOCAL_WORLD_ALIGNED
        column = pinocchio.getJointJacobian(model, data, k, frame).reshape(6, model.nv)[
            :, model.joints[k].idx_v
        ]
        turns = np.abs(column[3:]).max() > 0
        axis.append((column[3:] if turns else column[:3]) if model.joints[k].nv == 1 else np.full(3, np.nan))
    if free_root:
        root_inertia = [data.oMi[1].act(model.inertias[1])]
        inertias = root_inertia + inertias
    return {
        # Of siblings the first is another here.
        "by_joint": True,
        "free_root": free_root,
        "mass": [inertia.mass for inertia in inertias],
        "centre": [inertia.lever for inertia in inertias],
        "inertia": [inertia.inertia for inertia in inertias],
        "joints": [model.names[k] for k in every],
        "axis": axis,
        # The frame of a slide moves with it.
        "anchor": [
            data.oMi[k].translation if "P" not in model.joints[k].shortname() else np.full(3, np.nan)
            for k in every
        ],
    }


def random_positions(model: Any, random: np.random.Generator) -> dict[str, float]:
    """Positions of Pinocchio's single joints within their limits."""
    single = [k for k in range(1, model.njoints) if model.joints[k].nv == 1]
    within = np.ones((len(single), 2)) * [-1.5, 1.5]
    for row, k in zip(within, single, strict=True):
        if model.joints[k].nq == 1:
            place = model.joints[k].idx_q
            low, high = model.lowerPositionLimit[place], model.upperPositionLimit[place]
            row[:] = [low, min(high, low + 3.0)] if low > -1.5 or high < 1.5 else row
    return {model.names[k]: float(random.uniform(*row)) for k, row in zip(single, within, strict=True)}


def example_robots() -> Path | None:
    """The folder of robots that `pip install pin example-robot-data` brings."""
    found = importlib.util.find_spec("pinocchio")
    parents = Path(found.origin).parents if found and found.origin else ()
    folders = [
        parent / "share" / "example-robot-data" / "robots"
        for parent in parents
        if parent.name == "cmeel.prefix"
    ]
    return next((folder for folder in folders if folder.is_dir()), None)


def configuration(model: Any, joints: dict[str, float]) -> np.ndarray:
    """The vector q of Pinocchio: velocities from the neutral place are positions of single joints."""
    import pinocchio

    v = np.zeros(model.nv)
    for k in range(1, model.njoints):
        if model.joints[k].nv == 1:
            v[model.joints[k].idx_v] = joints.get(model.names[k], 0.0)
    return pinocchio.integrate(model, pinocchio.neutral(model), v)


def main() -> None:
    """Writes the numbers of the test's own models."""
    import test_robots

    stored = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, joints) in test_robots.MODELS.items():
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            reference = of_pinocchio if path.suffix == ".urdf" else of_mujoco
            values = reference(path, joints).items()
            stored[name] = {key: np.asarray(value).tolist() for key, value in values}
    STORED.write_text(json.dumps(stored, allow_nan=True) + "\n", encoding="utf-8")
    print(f"{STORED}: {len(stored)} models")


if __name__ == "__main__":
    main()
