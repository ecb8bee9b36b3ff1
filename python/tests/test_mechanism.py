"""Joint coordinates, rates, mass matrices and Jacobians beside closed forms, and beside MuJoCo."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from conftest import rolling_ball

L, M, R = (0.4, 0.3), (1.2, 0.7), 0.05


def double_pendulum() -> sg.Simulation:
    """Two bobs that hang on each other, turning about y; each joint is as far above its bob as `L` says."""
    builder = sg.Scene.builder().time_step(0.001).duration(1.0)
    post = builder.body(sg.Body.sphere(0.01).fixed().named("post"))
    upper = builder.body(sg.Body.sphere(R).mass(M[0]).at([0, 0, -L[0]]).named("upper"))
    lower = builder.body(sg.Body.sphere(R).mass(M[1]).at([0, 0, -L[0] - L[1]]).named("lower"))
    builder.joint(sg.Joint.revolute(post, upper, [0, 0, 0], [0, 1, 0]).named("shoulder"))
    builder.joint(sg.Joint.revolute(upper, lower, [0, 0, -L[0]], [0, 1, 0]).named("elbow"))
    return sg.Simulation(builder.build())


def pendulum_matrix(angle: float) -> np.ndarray:
    """Mass matrix of two links in a plane with relative angles: any textbook's."""
    (l1, l2), (m1, m2) = L, M
    i1, i2 = (0.4 * m * R**2 for m in M)
    m22 = i2 + m2 * l2**2
    m12 = m22 + m2 * l1 * l2 * np.cos(angle)
    m11 = i1 + m1 * l1**2 + m2 * l1**2 + m22 + 2 * m2 * l1 * l2 * np.cos(angle)
    return np.array([[m11, m12], [m12, m22]])


def test_a_double_pendulum():
    simulation = double_pendulum()
    scene = simulation.scene
    assert scene.q_names == scene.qdot_names == ["shoulder", "elbow"] and scene.loop_joints.tolist() == []
    assert simulation.q == pytest.approx([0, 0], abs=1e-12)
    q, qdot = np.array([0.7, -1.1]), np.array([1.5, -0.4])
    simulation.set_q(q, qdot)
    assert simulation.q == pytest.approx(q, abs=1e-12) and simulation.qdot == pytest.approx(qdot, abs=1e-12)
    assert simulation.mass_matrix() == pytest.approx(pendulum_matrix(q[1]), abs=1e-12)
    # Turning about y takes z to x.
    place = -L[0] * np.array([np.sin(q[0]), 0, np.cos(q[0])])
    place = place - L[1] * np.array([np.sin(q.sum()), 0, np.cos(q.sum())])
    assert simulation.pose("lower")[0] == pytest.approx(place, abs=1e-12)
    energy = 0.5 * qdot @ simulation.mass_matrix() @ qdot
    assert simulation.kinetic_energy == pytest.approx(energy, rel=1e-12)
    for body in ("upper", "lower"):
        linear, angular = simulation.jacobian(body)
        assert linear @ qdot == pytest.approx(simulation.velocity(body)[0], abs=1e-12)
        assert angular @ qdot == pytest.approx(simulation.velocity(body)[1], abs=1e-12)
    # The elbow goes with both bodies, and the shoulder nowhere.
    elbow = simulation.pose("upper")[0]
    upper, lower = (simulation.jacobian(body, elbow)[0] for body in ("upper", "lower"))
    assert upper == pytest.approx(lower, abs=1e-12)
    assert simulation.jacobian("upper", [0, 0, 0])[0] == pytest.approx(np.zeros((3, 2)), abs=1e-12)
    # What is computed in poses and velocities shows in the coordinates, to the error of a step.
    before = simulation.q
    simulation.step()
    joints = simulation.joints()
    assert joints["coordinate"][:, 1] == pytest.approx(simulation.q, abs=1e-12)
    assert joints["rate"][:, 1] == pytest.approx(simulation.qdot, abs=1e-12)
    assert np.isnan(joints["coordinate"][:, 0]).all() and np.isnan(joints["rate"][:, 0]).all()
    assert (simulation.q - before) / 0.001 == pytest.approx(simulation.qdot, abs=1e-3)
    assert abs(simulation.joints()["error"]).max() < 1e-6


def test_joints_are_there_before_the_first_step():
    joints = double_pendulum().joints()
    assert joints["joint"].tolist() == [0, 1] and (joints["impulse"] == 0).all()
    assert joints["point"][1] == pytest.approx([0, 0, -L[0]])


def slider_crank() -> tuple[sg.Simulation, float]:
    """A crank about y, a rod, and a slider along x that the rod's end holds: the last joint closes a loop."""
    angle, (l1, l2) = 0.6, L
    lean = np.arcsin(l1 * np.sin(angle) / l2)
    pin = l1 * np.array([np.cos(angle), 0, np.sin(angle)])
    end = np.array([pin[0] + l2 * np.cos(lean), 0, 0])
    builder = sg.Scene.builder().time_step(0.001).duration(1.0).gravity([0, 0, 0])
    post = builder.body(sg.Body.sphere(0.01).fixed())
    crank = builder.body(sg.Body.sphere(R).mass(M[0]).at(pin / 2).named("crank"))
    rod = builder.body(sg.Body.sphere(R).mass(M[1]).at((pin + end) / 2).named("rod"))
    slider = builder.body(sg.Body.sphere(R).mass(0.5).at(end).named("slider"))
    y = [0, 1, 0]
    builder.joint(sg.Joint.revolute(post, crank, [0, 0, 0], y).named("crank"))
    builder.joint(sg.Joint.revolute(crank, rod, pin, y).named("pin"))
    builder.joint(sg.Joint.prismatic(post, slider, [1, 0, 0]).named("guide"))
    builder.joint(sg.Joint.revolute(slider, rod, end, y).named("closing"))
    for pair in [(post, rod), (crank, slider)]:
        builder.exclude(*pair)
    return sg.Simulation(builder.build()), angle


def test_a_slider_crank():
    simulation, angle = slider_crank()
    assert simulation.scene.qdot_names == ["crank", "pin", "guide"]
    assert simulation.scene.loop_joints.tolist() == [3]
    (l1, l2), (m1, m2) = L, M
    i1, i2 = (0.4 * m * R**2 for m in M)
    # The tree: two links whose centres are in their middles, and the slider by itself. The angle between them
    # is that from the crank to the rod.
    lean = np.arcsin(l1 * np.sin(angle) / l2)
    between = np.cos(angle + lean)
    m22 = i2 + m2 * l2**2 / 4
    m12 = m22 + m2 * l1 * l2 / 2 * between
    m11 = i1 + m1 * l1**2 / 4 + m2 * l1**2 + m22 + m2 * l1 * l2 * between
    expected = np.array([[m11, m12, 0], [m12, m22, 0], [0, 0, 0.5]])
    assert simulation.mass_matrix() == pytest.approx(expected, abs=1e-12)
    # The motion that keeps the loop closed, by hand: l1 sin a = l2 sin b, x = l1 cos a + l2 cos b. A positive
    # rate about y lowers the crank's pin.
    b = l1 * np.cos(angle) / (l2 * np.cos(lean))
    x = -l1 * np.sin(angle) - l2 * np.sin(lean) * b
    loop = simulation.loop_jacobian()
    assert loop.shape == (5, 3) and np.linalg.matrix_rank(loop, tol=1e-9) == 2
    assert loop @ [-1.0, 1.0 + b, x] == pytest.approx(np.zeros(5), abs=1e-12)
    # What a step computes keeps it closed, too: positions to the tolerance, rates to the error of a step.
    simulation.set_q(simulation.q, [-1.0, 1.0 + b, x])
    assert simulation.joints()["error"].max() < 1e-9
    simulation.step()
    assert simulation.joints()["error"].max() < 1e-6
    assert simulation.loop_jacobian() @ simulation.qdot == pytest.approx(np.zeros(5), abs=1e-3)


def test_every_kind_of_joint_goes_there_and_back():
    rng = np.random.default_rng(1)
    kinds = {
        "ball": lambda a, b: sg.Joint.ball(a, b, [0.1, 0, 0.2]),
        "revolute": lambda a, b: sg.Joint.revolute(a, b, [0.1, 0, 0.2], [1, 2, 3]),
        "prismatic": lambda a, b: sg.Joint.prismatic(a, b, [1, 2, 3]),
        "cylindrical": lambda a, b: sg.Joint.cylindrical(a, b, [0.1, 0, 0.2], [1, 2, 3]),
        "universal": lambda a, b: sg.Joint.universal(a, b, [0.1, 0, 0.2], [0, 0, 1], [1, 0, 0]),
        "planar": lambda a, b: sg.Joint.planar(a, b, [0.1, 0, 0.2], [1, 2, 3]),
        "fixed": lambda a, b: sg.Joint.fixed(a, b),
    }
    for name, joint in kinds.items():
        for is_turned in (False, True):
            builder = sg.Scene.builder().time_step(1e-6).duration(1.0).gravity([0, 0, 0])
            base = builder.body(sg.Body.box([0.1, 0.2, 0.05]).mass(2.0).named("base"))
            arm = builder.body(sg.Body.ellipsoid([0.1, 0.2, 0.3]).mass(1.5).at([1, 0, 0.5]).named("arm"))
            # The first body of the tree is A, or B.
            builder.joint(joint(*((arm, base) if is_turned else (base, arm))))
            simulation = sg.Simulation(builder.build())
            assert simulation.q.size == len(simulation.scene.q_names)
            q, qdot = simulation.q, rng.normal(size=simulation.qdot.size)
            quaternions = [i for i, n in enumerate(simulation.scene.q_names) if n.endswith("qw")]
            q = q + rng.normal(scale=0.4, size=q.size)
            for i in quaternions:
                q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
            simulation.set_q(q, qdot)
            found = simulation.q
            for i in quaternions:
                found[i : i + 4] *= np.sign(found[i : i + 4] @ q[i : i + 4])
            assert found == pytest.approx(q, abs=1e-12), name
            assert simulation.qdot == pytest.approx(qdot, abs=1e-12), name
            assert simulation.joints()["error"].max() < 1e-12, name
            mass = simulation.mass_matrix()
            assert mass == pytest.approx(mass.T, abs=1e-12) and np.linalg.eigvalsh(mass).min() > 0, name
            assert 0.5 * qdot @ mass @ qdot == pytest.approx(simulation.kinetic_energy, rel=1e-12), name
            for body in ("base", "arm"):
                both = np.concatenate([part @ qdot for part in simulation.jacobian(body)])
                assert both == pytest.approx(np.concatenate(simulation.velocity(body)), abs=1e-12), name
            # Rates are those of the coordinates: of an explicit step of the poses.
            h, places = 1e-7, simulation.positions + 1e-7 * simulation.velocities
            turned = np.array(
                [
                    quaternion_after(*pair, h)
                    for pair in zip(simulation.quaternions, simulation.angular_velocities, strict=True)
                ]
            )
            before = simulation.q
            simulation.set_state(places, turned)
            slopes = (simulation.q - before) / h
            plain = [n for n in simulation.scene.q_names if n.split()[-1] not in ("qw", "qx", "qy", "qz")]
            at = [simulation.scene.q_names.index(n) for n in plain]
            names = simulation.scene.qdot_names
            of = [i for i, n in enumerate(names) if n.split()[-1] not in ("wx", "wy", "wz")]
            assert slopes[at] == pytest.approx(qdot[of], abs=1e-5), name


def quaternion_after(q: np.ndarray, rate: np.ndarray, h: float) -> np.ndarray:
    """A quaternion after a time at an angular velocity in world axes."""
    w, v = q[0], q[1:]
    return q + 0.5 * h * np.concatenate([[-rate @ v], w * rate + np.cross(rate, v)])


def test_bodies_without_joints_are_no_part_of_it():
    simulation = sg.Simulation(rolling_ball())
    assert simulation.q.shape == (0,) and simulation.qdot.shape == (0,)
    assert simulation.mass_matrix().shape == (0, 0) and simulation.loop_jacobian().shape == (0, 0)
    assert simulation.jacobian("ball")[0].shape == (3, 0)
    assert simulation.joints().shape == (0,)


def test_wrong_coordinates_raise():
    simulation = double_pendulum()
    before = simulation.positions
    with pytest.raises(sg.InputError, match="q with 3 entries: must have 2"):
        simulation.set_q([0, 0, 0])
    with pytest.raises(sg.InputError, match="qdot with 1 entries: must have 2"):
        simulation.set_q([0, 0], [1])
    with pytest.raises(sg.InputError, match=r"q\[1\] = NaN: must be a finite number"):
        simulation.set_q([0, np.nan])
    with pytest.raises(sg.InputError, match="is none of the"):
        simulation.jacobian("nobody")
    assert (simulation.positions == before).all()


ARM = """<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.001"/>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom type="box" size="0.2 0.1 0.05" mass="3"/>
      <body name="upper" pos="0.2 0 0.05" euler="0.2 -0.3 0.4">
        <joint name="shoulder" type="hinge" axis="0 1 0.2" armature="0.02"/>
        <inertial pos="0.1 0.02 0" mass="1.3" diaginertia="0.01 0.02 0.015" euler="0.1 0.2 0.3"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" contype="0" conaffinity="0"/>
        <body name="lower" pos="0.3 0 0">
          <joint name="elbow" type="hinge" axis="0 0 1" range="-2 2"/>
          <geom type="capsule" fromto="0 0 0 0.25 0.05 0" size="0.02" mass="0.6"/>
          <body name="tip" pos="0.25 0.05 0">
            <joint name="reach" type="slide" axis="1 0.3 0" armature="0.1"/>
            <geom type="sphere" size="0.04" mass="0.2"/>
          </body>
        </body>
      </body>
      <body name="tail" pos="-0.2 0 0">
        <joint name="wag" type="hinge" axis="0 0 1" pos="0 0.01 0" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 -0.2 0 0.1" size="0.02" mass="0.3"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="lift" joint="shoulder" gear="50" ctrlrange="-1 1" ctrllimited="true"/>
    <position name="bend" joint="elbow" kp="20" ctrlrange="-1.5 1.5" ctrllimited="true"/>
  </actuator>
</mujoco>"""


def test_the_mass_matrix_is_that_of_mujoco():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    simulation = sg.Simulation(sg.Scene.from_mjcf(ARM))
    names = simulation.scene.qdot_names
    assert names == ["base vx", "base vy", "base vz", "base wx", "base wy", "base wz",
                     "shoulder", "elbow", "reach", "wag"]  # fmt: skip
    rng = np.random.default_rng(0)
    for _ in range(5):
        qpos = np.concatenate([rng.normal(size=7), rng.uniform(-1, 1, size=4)])
        qpos[3:7] /= np.linalg.norm(qpos[3:7])
        qvel = rng.normal(size=10)
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(model, data)
        # MuJoCo counts the angular velocity of a free body in its own axes.
        turn = np.eye(10)
        turn[3:6, 3:6] = data.body("base").xmat.reshape(3, 3)
        simulation.set_q(qpos, turn @ qvel)
        theirs = np.zeros((10, 10))
        full_matrix(mujoco, model, data, theirs)
        assert turn.T @ simulation.mass_matrix() @ turn == pytest.approx(theirs, abs=1e-9)
        for body in ("base", "upper", "lower", "tip", "tail"):
            number = data.body(body).id
            assert simulation.pose(body)[0] == pytest.approx(data.xipos[number], abs=1e-9)
            point = data.xpos[number] + [0.1, 0.2, -0.3]
            jacp, jacr = np.zeros((3, 10)), np.zeros((3, 10))
            mujoco.mj_jac(model, data, jacp, jacr, point, number)
            linear, angular = simulation.jacobian(body, point)
            assert linear @ turn == pytest.approx(jacp, abs=1e-9)
            assert angular @ turn == pytest.approx(jacr, abs=1e-9)


def full_matrix(mujoco, model, data, out: np.ndarray) -> None:
    """MuJoCo's dense mass matrix, whose function has changed its arguments."""
    try:
        mujoco.mj_fullM(model, out, data.qM)
    except (TypeError, AttributeError):
        mujoco.mj_fullM(model, data, out)


def test_motors_are_those_of_the_file_in_its_order():
    scene = sg.Scene.from_mjcf(ARM)
    assert scene.motor_names == ["lift", "bend"] and scene.motor_drives == ["force", "position"]
    # The range of a force is that of the control times the gear.
    assert scene.motor_ranges.tolist() == [[-50.0, 50.0], [-1.5, 1.5]]
    assert [scene.joint_names[joint] for joint in scene.motor_joints] == ["shoulder", "elbow"]
    simulation = sg.Simulation(scene)
    assert simulation.motor_values.tolist() == [0.0, 0.0]
    simulation.set_motors({"bend": 0.4})
    assert simulation.motor_values.tolist() == [0.0, 0.4]
    simulation.set_motors([99.0, 0.1])
    assert simulation.motor_values.tolist() == [50.0, 0.1]
    with pytest.raises(sg.InputError, match='motor "grip".*"lift", "bend"'):
        simulation.set_motors({"bend": 0.0, "grip": 1.0})
    with pytest.raises(sg.InputError, match='NaN of motor "lift"'):
        simulation.set_motors({"lift": np.nan})
    assert simulation.motor_values.tolist() == [50.0, 0.1]
