"""Derivatives over trajectories, and the functions of torch and JAX made of them."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

import signorini as sg
from conftest import ROOT

STEPS = 30
SIZE = np.array([0.1, 0.08, 0.05])


def slide(mass: np.ndarray | None = None, gravity=(0, 0, -9.81), friction: float = 0.3) -> sg.Scene:
    """A brick that slides and turns on the ground."""
    mass = np.array([1.0, 3.2]) if mass is None else mass
    builder = sg.Scene.builder().time_step(0.01).friction(friction).gravity(gravity).tolerance(1e-12)
    builder.body(sg.Body.half_space())
    # The inertia does not change with the mass.
    inertia = (
        3.2
        / 3
        * np.array([SIZE[1] ** 2 + SIZE[2] ** 2, SIZE[0] ** 2 + SIZE[2] ** 2, SIZE[0] ** 2 + SIZE[1] ** 2])
    )
    brick = sg.Body.box(SIZE).mass(float(mass[1])).inertia([*inertia, 0, 0, 0]).at([0, 0, SIZE[2]])
    builder.body(brick.velocity([1.5, 0.2, 0]).angular_velocity([0, 0, 2.0]).named("brick"))
    return builder.build()


def pushes() -> np.ndarray:
    """A force and a torque that change over time."""
    force = np.zeros((STEPS, 2, 6))
    times = np.linspace(0, 3, STEPS)
    force[:, 1, 0], force[:, 1, 1], force[:, 1, 5] = 2 * np.sin(times), np.cos(times), 0.05 * times
    return force


def weights() -> np.ndarray:
    """Of a loss that sums all entries of all states."""
    out = np.random.default_rng(5).normal(size=(STEPS + 1, 2, 13))
    out[:, 0] = 0.0
    return out


def states(trajectory: sg.Trajectory) -> np.ndarray:
    kinds = (
        trajectory.positions,
        trajectory.quaternions,
        trajectory.velocities,
        trajectory.angular_velocities,
    )
    return np.concatenate(kinds, axis=-1)


def loss(trajectory: sg.Trajectory):
    weight = weights()
    names = {
        "positions": (0, 3),
        "quaternions": (3, 7),
        "velocities": (7, 10),
        "angular_velocities": (10, 13),
    }
    slopes = {name: weight[..., a:b] for name, (a, b) in names.items()}
    return (weight * states(trajectory)).sum(), slopes


def extrapolated(function, size: float) -> float:
    """The derivative of a function at 0 by central differences, extrapolated once."""
    by = [(function(s) - function(-s)) / (2 * s) for s in (size, size / 2)]
    return (4 * by[1] - by[0]) / 3


def value(force=None, start=None, **made_of) -> float:
    """The loss of steps that are solved anew."""
    simulation = sg.Simulation(slide(**made_of), judge=False)
    if start is not None:
        simulation.set_state(start[:, :3], start[:, 3:7], start[:, 7:10], start[:, 10:])
    return loss(sg.record(simulation, STEPS, pushes() if force is None else force))[0]


@pytest.fixture(scope="module")
def trajectory() -> sg.Trajectory:
    return sg.record(sg.Simulation(slide()), STEPS, pushes())


@pytest.fixture(scope="module")
def differences() -> dict[str, object]:
    """Derivatives of the loss by differences, in some directions."""
    start = states(sg.record(sg.Simulation(slide()), 1))[0]
    along = np.zeros_like(start)
    along[1, 7:] = [0.3, 1.0, 0, 0, 0, 0.5]
    along[1, 3:7] = [0, 0, 0, 1.0]
    along[1, :2] = [1.0, 2.0]
    force = np.zeros((STEPS, 2, 6))
    force[:, 1] = np.random.default_rng(6).normal(size=(STEPS, 6)) * [1, 1, 1, 0, 0, 0.02]
    unit = np.array([0.0, 1.0])
    return {
        "along": along,
        "pushed": force,
        "start": extrapolated(lambda s: value(start=start + s * along), 1e-4),
        "force": extrapolated(lambda s: value(pushes() + s * force), 1e-2),
        "mass": extrapolated(lambda s: value(mass=np.array([1.0, 3.2]) + s * unit), 1e-3),
        "gravity": extrapolated(lambda s: value(gravity=(0.2 * s, 0, -9.81 + s)), 1e-3),
        "friction": extrapolated(lambda s: value(friction=0.3 + s), 1e-4),
    }


def test_a_gradient_agrees_with_differences(trajectory, differences):
    assert trajectory.unsolved == trajectory.obstacles == [] and len(trajectory) == STEPS
    found = sg.grad(trajectory, loss)
    assert found.value == value() and found.contradiction < 1e-9
    assert found.mass[1] == pytest.approx(differences["mass"], rel=1e-6)
    assert found.gravity @ [0.2, 0, 1] == pytest.approx(differences["gravity"], rel=1e-6)
    assert found.friction == pytest.approx(differences["friction"], rel=1e-6)
    assert (found.force * differences["pushed"]).sum() == pytest.approx(differences["force"], rel=1e-6)
    # δq = δθ/2 about z.
    along = differences["along"][1]
    tangent = np.array([*along[:3], 0, 0, 2 * along[6], *along[7:]])
    assert found.start[1] @ tangent == pytest.approx(differences["start"], rel=1e-6)


def test_forwards_is_backwards(trajectory):
    random = np.random.default_rng(8)
    start = random.normal(size=(2, 12)) * [[0], [1]]
    force = random.normal(size=(STEPS, 2, 6)) * [[0], [1]]
    weight = random.normal(size=(STEPS + 1, 2, 12))
    change = {"start": start, "force": force, "mass": [0, 0.3], "gravity": [0.1, 0.2, 0.3], "friction": 0.1}
    forward = trajectory.apply(**change)
    assert forward.shape == (STEPS + 1, 2, 12) and (forward[0] == start).all()
    back = trajectory.adjoint(weight)
    ways = [np.sum(getattr(back, name) * np.array(by)) for name, by in change.items()]
    assert sum(ways) == pytest.approx((forward * weight).sum(), rel=1e-10)
    at_end = trajectory.adjoint(weight[-1])
    assert np.sum(at_end.start * start) == pytest.approx(
        (trajectory.apply(start=start)[-1] * weight[-1]).sum(), rel=1e-10
    )


def swing(time_step=0.01, inertia=(2e-3, 3e-3, 4e-3, 1e-4, 0, 2e-4)) -> sg.Scene:
    """A pendulum, a cart that is driven along a rail, and a weight on a block that turns."""
    builder = sg.Scene.builder().time_step(time_step).gravity([0.5, 0, -9.81]).tolerance(1e-12)
    ground = builder.body(sg.Body.half_space([0, 0, 1], -5.0))
    body = sg.Body.box([0.1, 0.05, 0.05]).mass(1.5).inertia(inertia).at([0.3, 0, 0])
    body = builder.body(body.angular_velocity([0, 1.0, 0]))
    cart = builder.body(sg.Body.sphere(0.1).mass(1.0).at([0, 2, 0]))
    builder.joint(sg.Joint.ball(ground, body, [0, 0, 0]).named("hinge"))
    block = builder.body(sg.Body.sphere(0.05).at([0, 4, 0]))
    builder.motion(block, sg.Motion.position(sg.Course.sine(0.3, 1.0)), about=[0, 0, 1])
    weight = builder.body(sg.Body.box([0.05, 0.04, 0.03]).mass(0.5).at([0.2, 4, 0]))
    builder.joint(sg.Joint.ball(block, weight, [0.1, 4, 0]).named("swivel"))
    rail = sg.Joint.prismatic(ground, cart, [1, 0, 0]).named("rail")
    builder.joint(rail.motion("slide", sg.Motion.position(sg.Course.sine(0.3, 2.0))))
    return builder.build()


def test_parameters_of_bodies_joints_and_steps():
    trajectory = sg.record(sg.Simulation(swing(), judge=False), STEPS)
    assert trajectory.obstacles == [] and trajectory.borders == []
    random = np.random.default_rng(11)
    change = {
        "inertia": random.normal(size=(5, 6)) * [[0], [1e-3], [1e-3], [0], [1e-3]],
        "centre": random.normal(size=(5, 3)) * [[0], [0.1], [0.1], [0], [0.1]],
        "joint": random.normal(size=(3, 2, 6)) * 0.1,
        "course": np.array([0.7]),
        "motion": np.array([0.4]),
        "time_step": 0.3,
    }
    forward = trajectory.apply(**change)
    weight = random.normal(size=(STEPS + 1, 5, 12))
    back = trajectory.adjoint(weight)
    ways = [np.sum(getattr(back, name) * np.array(by)) for name, by in change.items()]
    assert sum(ways) == pytest.approx((forward * weight).sum(), rel=1e-10)

    def positions(**made_of) -> np.ndarray:
        return sg.record(sg.Simulation(swing(**made_of), judge=False), STEPS).positions

    unit = np.array([1, 0.5, -0.5, 0.2, 0.1, 0.3])
    inertia = np.array([2e-3, 3e-3, 4e-3, 1e-4, 0, 2e-4])
    by_step = extrapolated(lambda s: positions(time_step=0.01 + s), 1e-5)
    by_inertia = extrapolated(lambda s: positions(inertia=inertia + s * unit), 1e-5)
    rows = np.zeros((5, 6))
    rows[1] = unit
    assert trajectory.apply(time_step=1.0)[..., :3] == pytest.approx(by_step, rel=1e-6, abs=1e-6)
    assert trajectory.apply(inertia=rows)[..., :3] == pytest.approx(by_inertia, rel=1e-6, abs=1e-5)
    # The hinge at another place of the body is the body's centre the other way.
    place = np.zeros((3, 2, 6))
    place[0, 1, :3] = [0.1, 0.2, 0.3]
    centre = np.zeros((5, 3))
    centre[1] = -place[0, 1, :3]
    assert trajectory.apply(joint=place) == pytest.approx(trajectory.apply(centre=centre), abs=1e-8)
    with pytest.raises(sg.InputError, match=r"joint of shape \(2, 6\) must have shape \(3, 2, 6\)"):
        trajectory.apply(joint=np.zeros((2, 6)))
    with pytest.raises(sg.InputError, match="a change of 'colour' must be one of start, force, mass"):
        trajectory.apply(colour=1.0)


def test_matrices_are_those_of_all_steps(trajectory):
    a, b = trajectory.matrices()
    assert a.shape == (STEPS, 2, 12, 2, 12) and b.shape == (STEPS, 2, 12, 2, 6)
    state = np.zeros((2, 12))
    state[1] = np.arange(12) / 10
    force = 0 * pushes()
    force[:, 1] = np.random.default_rng(9).normal(size=(STEPS, 6))
    forward = trajectory.apply(start=state, force=force)
    for k in range(STEPS):
        state = np.einsum("iajb,jb->ia", a[k], state) + np.einsum("iajb,jb->ia", b[k], force[k])
        assert state == pytest.approx(forward[k + 1], rel=1e-9, abs=1e-9)


def test_segments_give_the_same_bits(trajectory):
    simulation = sg.Simulation(slide())
    parts = sg.record(simulation, STEPS, pushes(), segment=7)
    end = simulation.positions
    whole, by_parts = (sg.grad(t, loss) for t in (trajectory, parts))
    for name in ("value", "start", "force", "mass", "gravity", "friction"):
        assert np.array_equal(getattr(whole, name), getattr(by_parts, name)), name
    assert np.array_equal(parts.apply(friction=1.0), trajectory.apply(friction=1.0))
    assert (simulation.positions == end).all(), "the simulation is left alone"


def test_many_at_once_have_the_bits_of_each(trajectory):
    frictions = [0.3, 0.2, 0.1, 0.05]
    many = [sg.Simulation(slide(friction=friction)) for friction in frictions]
    forces = np.array([pushes(), 0 * pushes(), 2 * pushes(), pushes()])
    found = sg.record_many(many, STEPS, forces, threads=3)
    assert np.array_equal(found[0].positions, trajectory.positions)
    assert np.array_equal(sg.grad(found[0], loss).force, sg.grad(trajectory, loss).force)
    alone = sg.record(sg.Simulation(slide(friction=0.1)), STEPS, forces[2])
    assert np.array_equal(found[2].velocities, alone.velocities)
    with pytest.raises(sg.InputError, match="must each be there once"):
        sg.record_many([many[0], many[0]], 1)
    with pytest.raises(sg.InputError, match="forces of 2 simulations must be of 4"):
        sg.record_many(many, STEPS, forces[:2])
    with pytest.raises(sg.InputError, match="threads = 0 must be at least 1"):
        sg.record_many(many, STEPS, threads=0)


def test_bad_input_is_refused(trajectory):
    simulation = sg.Simulation(slide())
    with pytest.raises(sg.InputError, match=r"steps = 0 must be at least 1"):
        sg.record(simulation, 0)
    with pytest.raises(sg.InputError, match=r"segment = 0 must be at least 1"):
        sg.record(simulation, 5, segment=0)
    with pytest.raises(sg.InputError, match=r"force of shape \(2, 6\) must have shape \(5, 2, 6\)"):
        sg.record(simulation, 5, np.zeros((2, 6)))
    with pytest.raises(sg.InputError, match="it is fixed"):
        sg.record(simulation, 1, np.ones((1, 2, 6)))
    with pytest.raises(sg.InputError, match=r"gradients of shape \(3,\)"):
        trajectory.adjoint(np.zeros(3))
    with pytest.raises(sg.InputError, match=r"'speed' must be positions"):
        sg.grad(trajectory, lambda _: (0.0, {"speed": 1.0}))


def test_a_step_without_derivative_is_told():
    # The rebound of a rod with friction is cut.
    builder = sg.Scene.builder().time_step(0.01).gravity([0, 0, 0])
    builder.friction(sg.Friction.coulomb(0.6).with_restitution(1.0))
    builder.body(sg.Body.half_space())
    rod = sg.Body.ellipsoid([0.5, 0.05, 0.05]).mass(1.5).inertia([0.1, 0.08, 0.02, 0, 0, 0])
    builder.body(rod.at([0, 0, 0.425]).turned([0, 1, 0], 0.9).velocity([-0.6, 0, -2]))
    trajectory = sg.record(sg.Simulation(builder.build()), 5)
    assert [why for _, why in trajectory.obstacles] == [
        "the rebound of an impact was cut for the sake of its energy"
    ]
    with pytest.raises(sg.InputError, match=r"step \d+ of the trajectory has no derivative"):
        sg.grad(trajectory, lambda t: (0.0, {"positions": np.ones_like(t.positions)}))


#: Semi-axes of a thrown ellipsoid, and of the half-space that it meets none.
AXES = np.array([[0, 0, 0], [0.1, 0.07, 0.05]])


def bounce(restitution: float = 0.6, friction: float = 0.1, size: np.ndarray = AXES) -> sg.Scene:
    """An ellipsoid that is thrown onto the ground and spins."""
    builder = sg.Scene.builder().time_step(0.01).tolerance(1e-12)
    builder.friction(sg.Friction.coulomb(friction).with_restitution(restitution))
    builder.body(sg.Body.half_space())
    # The inertia does not change with the size.
    body = sg.Body.ellipsoid(size[1]).mass(1.5).inertia([2.2e-3, 3.7e-3, 4.5e-3, 0, 0, 0]).at([0, 0, 0.2])
    builder.body(body.velocity([1.0, 0.3, -1.2]).angular_velocity([1.0, 5.0, -2.0]))
    return builder.build()


def test_impacts_are_differentiated():
    """Rebounds; the force is one of each step."""
    steps, force = 60, np.zeros((60, 2, 6))
    force[:, 1] = [0.3, -0.2, 0.1, 0.01, 0.02, -0.01]
    push = np.random.default_rng(7).normal(size=force.shape) * [1, 1, 1, 0.05, 0.05, 0.05]
    push[:, 0] = 0.0

    def of(force=force, **made):
        return sg.record(sg.Simulation(bounce(**made)), steps, force)

    def value(trajectory):
        slopes = np.zeros_like(trajectory.positions)
        slopes[-1, 1] = [1.0, 2.0, 3.0]
        return trajectory.positions[-1, 1] @ [1.0, 2.0, 3.0], {"positions": slopes}

    trajectory = of()
    speeds = trajectory.velocities[:, 1, 2]
    assert ((speeds[1:] > 0) & (speeds[:-1] < 0)).sum() >= 2
    assert trajectory.obstacles == [] and trajectory.borders == []
    found = sg.grad(trajectory, value)
    by_restitution = extrapolated(lambda s: value(of(restitution=0.6 + s))[0], 1e-5)
    assert found.restitution == pytest.approx(by_restitution, rel=1e-6)
    by_friction = extrapolated(lambda s: value(of(friction=0.1 + s))[0], 1e-5)
    assert found.friction == pytest.approx(by_friction, rel=1e-6)
    grown = np.array([[0, 0, 0], [0.01, -0.02, 0.03]])
    by_size = extrapolated(lambda s: value(of(size=AXES + s * grown))[0], 1e-3)
    assert (found.size * grown).sum() == pytest.approx(by_size, rel=1e-6)
    by_force = extrapolated(lambda s: value(of(force + s * push))[0], 1e-4)
    assert (found.force * push).sum() == pytest.approx(by_force, rel=1e-6)
    along = trajectory.apply(force=push, size=grown, restitution=0.1, friction=0.2)
    backwards = (found.force * push).sum() + (found.size * grown).sum()
    backwards += 0.1 * found.restitution + 0.2 * found.friction
    assert along[-1, 1, :3] @ [1, 2, 3] == pytest.approx(backwards, rel=1e-9)
    a, b = trajectory.matrices()
    state = np.zeros((2, 12))
    for k in range(steps):
        state = np.einsum("iajb,jb->ia", a[k], state) + np.einsum("iajb,jb->ia", b[k], push[k])
    assert state == pytest.approx(trajectory.apply(force=push)[-1], rel=1e-7, abs=1e-9)


def test_torch_differentiates_a_trajectory(differences):
    torch = pytest.importorskip("torch")
    import signorini.torch

    watched: list[sg.Trajectory] = []
    simulate = signorini.torch.rollout(slide, STEPS, watch=watched.append)
    first = sg.Simulation(slide())
    inputs = {
        "start": signorini.torch.state(first),
        "force": torch.tensor(pushes()),
        "mass": torch.tensor([1.0, 3.2], dtype=torch.float64),
        "gravity": torch.tensor([0, 0, -9.81], dtype=torch.float64),
        "friction": torch.tensor(0.3, dtype=torch.float64),
    }
    for tensor in inputs.values():
        tensor.requires_grad_()
    found = simulate(**inputs)
    assert found.shape == (STEPS + 1, 2, 13) and len(watched) == 1
    (found * torch.tensor(weights())).sum().backward()
    check({name: tensor.grad.numpy() for name, tensor in inputs.items()}, differences)
    with pytest.raises(sg.InputError, match="must be that of a function"):
        signorini.torch.rollout(slide(), 3)(friction=0.2)
    with pytest.raises(sg.InputError, match="an input 'colour'"):
        simulate(colour=1.0)
    with pytest.raises(sg.InputError, match=r"mass of shape \(3,\) must have shape \(2,\)"):
        simulate(mass=torch.ones(3))
    # What has another type gets its gradient in that.
    friction = torch.tensor(0.3, dtype=torch.float32, requires_grad=True)
    simulate(friction=friction)[-1, 1, 0].backward()
    assert friction.grad.dtype == torch.float32 and friction.grad < 0


def test_torch_differentiates_restitution_and_sizes():
    torch = pytest.importorskip("torch")
    import signorini.torch

    simulate = signorini.torch.rollout(bounce, 30)
    restitution = torch.tensor(0.6, dtype=torch.float64, requires_grad=True)
    size = torch.tensor(AXES, requires_grad=True)
    simulate(restitution=restitution, size=size)[-1, 1, 2].backward()
    found = sg.record(sg.Simulation(bounce()), 30)
    assert float(restitution.grad) == pytest.approx(found.apply(restitution=1.0)[-1, 1, 2], rel=1e-9)
    wider = np.array([[0, 0, 0], [1.0, 0, 0]])
    assert float(size.grad[1, 0]) == pytest.approx(found.apply(size=wider)[-1, 1, 2], rel=1e-9)


def test_torch_differentiates_forces_that_answer():
    torch = pytest.importorskip("torch")
    import signorini.torch

    def end(gain):
        simulation = sg.Simulation(slide(), judge=False)
        state = signorini.torch.state(simulation)
        for _ in range(STEPS):
            force = torch.zeros(2, 6, dtype=torch.float64)
            force[1, :3] = -gain * state[1, 7:10]
            state = signorini.torch.step(simulation, state, force)
        return state[1, 0] + state[1, 4:7].sum()

    gain = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    end(gain).backward()
    with torch.no_grad():
        by_differences = extrapolated(lambda s: float(end(torch.tensor(1.5 + s, dtype=torch.float64))), 1e-3)
    assert float(gain.grad) == pytest.approx(by_differences, rel=1e-6)


def turning(inertia: np.ndarray, time_step: float) -> sg.Scene:
    """The pendulum, the cart and the weight, with the inertias of all bodies."""
    return swing(time_step, inertia[1])


@pytest.fixture(scope="module")
def turned() -> dict[str, object]:
    """Inertias, weights of a loss, and its slopes along inertias and with the step, by differences."""
    inertia, along = np.zeros((5, 6)), np.zeros((5, 6))
    inertia[1] = [2e-3, 3e-3, 4e-3, 1e-4, 0, 2e-4]
    along[1] = [1e-3, -5e-4, 3e-4, 2e-4, -1e-4, 1.5e-4]
    weight = np.random.default_rng(12).normal(size=(STEPS + 1, 5, 13))

    def value(by: float, longer: float) -> float:
        scene = turning(inertia + by * along, 0.01 + longer)
        return float((states(sg.record(sg.Simulation(scene), STEPS)) * weight).sum())

    return {
        "inertia": inertia,
        "along": along,
        "weight": weight,
        "by_inertia": extrapolated(lambda s: value(s, 0.0), 1e-2),
        "by_step": extrapolated(lambda s: value(0.0, s), 1e-5),
    }


def test_torch_differentiates_inertias_and_steps(turned):
    torch = pytest.importorskip("torch")
    import signorini.torch

    simulate = signorini.torch.rollout(turning, STEPS)
    inertia = torch.tensor(turned["inertia"], requires_grad=True)
    step = torch.tensor(0.01, dtype=torch.float64, requires_grad=True)
    (simulate(inertia=inertia, time_step=step) * torch.tensor(turned["weight"])).sum().backward()
    found = (inertia.grad.numpy() * turned["along"]).sum()
    assert found == pytest.approx(turned["by_inertia"], rel=1e-6)
    assert float(step.grad) == pytest.approx(turned["by_step"], rel=1e-6)


@pytest.fixture
def jax():
    """JAX, with float64 for a while."""
    library = pytest.importorskip("jax")
    library.config.update("jax_enable_x64", True)
    yield library
    library.config.update("jax_enable_x64", False)


def test_jax_differentiates_a_trajectory(differences, jax):
    import signorini.jax

    simulate = signorini.jax.rollout(slide, STEPS, bodies=2)
    inputs = {
        "start": states(sg.record(sg.Simulation(slide()), 1))[0],
        "force": pushes(),
        "mass": np.array([1.0, 3.2]),
        "gravity": np.array([0, 0, -9.81]),
        "friction": np.array(0.3),
    }

    def of_all(inputs):
        return (simulate(**inputs) * weights()).sum()

    found, slopes = jax.jit(jax.value_and_grad(of_all))(inputs)
    assert float(found) == pytest.approx(value(), rel=1e-12)
    check({name: np.asarray(slope) for name, slope in slopes.items()}, differences)
    many = jax.vmap(jax.grad(lambda mu: simulate(friction=mu)[-1, 1, 0]))(np.array([0.3, 0.2]))
    assert many.shape == (2,) and (np.asarray(many) < 0).all()
    with pytest.raises(sg.InputError, match="bodies of a function"):
        signorini.jax.rollout(slide, STEPS)


def test_jax_differentiates_inertias_and_steps(turned, jax):
    import signorini.jax

    simulate = signorini.jax.rollout(turning, STEPS, bodies=5)

    def loss(inertia, step):
        return (simulate(inertia=inertia, time_step=step) * turned["weight"]).sum()

    by_inertia, by_step = jax.grad(loss, argnums=(0, 1))(turned["inertia"], 0.01)
    found = (np.asarray(by_inertia) * turned["along"]).sum()
    assert found == pytest.approx(turned["by_inertia"], rel=1e-6)
    assert float(by_step) == pytest.approx(turned["by_step"], rel=1e-6)


def check(found: dict[str, np.ndarray], differences: dict) -> None:
    """Gradients of the loss against differences."""
    assert found["mass"][1] == pytest.approx(differences["mass"], rel=1e-6)
    assert found["gravity"] @ [0.2, 0, 1] == pytest.approx(differences["gravity"], rel=1e-6)
    assert found["friction"] == pytest.approx(differences["friction"], rel=1e-6)
    assert (found["force"] * differences["pushed"]).sum() == pytest.approx(differences["force"], rel=1e-6)
    assert (found["start"] * differences["along"]).sum() == pytest.approx(differences["start"], rel=1e-6)
    assert (found["start"][0] == 0).all()


def test_the_guide_differentiates_with_both(jax):
    pytest.importorskip("torch")
    page = (ROOT / "docs/guide/derivatives.md").read_text(encoding="utf-8")
    (over,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "sg.grad" in block)
    names: dict = {"sg": sg, "np": np}
    exec(over, names)
    by_torch, by_jax = re.findall(r"```py\n(.*?)```", page, re.S)
    exec(by_torch, names)
    exec(by_jax, names)
    assert float(names["friction"].grad) == pytest.approx(names["found"].friction, rel=1e-12)
    assert float(names["slope"](0.3)) == pytest.approx(names["found"].friction, rel=1e-12)


@pytest.mark.parametrize(
    ("module", "library", "name"), [("torch", "torch", "PyTorch"), ("jax", "jax", "JAX")]
)
def test_a_missing_library_is_named(monkeypatch, module, library, name):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"signorini.{module}", raising=False)
    with pytest.raises(
        ImportError, match=rf"signorini.{module} needs {name}: pip install 'signorini\[{module}\]'"
    ):
        __import__(f"signorini.{module}")
