"""Derivatives of steps."""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import signorini as sg
from conftest import ROOT


def sliding_brick() -> sg.Simulation:
    builder = sg.Scene.builder().time_step(0.01).duration(1.0).friction(0.3)
    builder.body(sg.Body.half_space())
    brick = sg.Body.box([0.1, 0.1, 0.1]).density(1000.0).at([0, 0, 0.1]).velocity([1, 0, 0])
    builder.body(brick.named("brick"))
    return sg.Simulation(builder.build())


def test_a_sliding_brick_answers_as_the_closed_form():
    simulation = sliding_brick()
    outcome, derivatives = simulation.step_with_derivatives()
    assert outcome.good and derivatives.obstacles == []
    by_friction = derivatives.apply(friction=1.0)
    assert by_friction.shape == (2, 12)
    # v = v0 - mu g h.
    assert by_friction[1, 6] == pytest.approx(-9.81 * 0.01, abs=1e-9)
    push = np.zeros((2, 6))
    push[1, 0] = 1.0
    assert derivatives.apply(impulse=push)[1, 6] == pytest.approx(1 / 8.0, abs=1e-12)
    assert derivatives.apply(force=push)[1, 6] == pytest.approx(0.01 / 8.0, abs=1e-12)


def test_the_adjoint_is_the_transposed_map():
    _, derivatives = sliding_brick().step_with_derivatives()
    random = np.random.default_rng(3)
    start, gradient = random.normal(size=(2, 2, 12))
    start[0] = 0
    forward = (derivatives.apply(start=start, gravity=[1, 2, 3]) * gradient).sum()
    back = derivatives.adjoint(gradient)
    assert (back["start"] * start).sum() + back["gravity"] @ [1, 2, 3] == pytest.approx(forward, rel=1e-10)
    a, b = derivatives.matrices()
    assert a.shape == (2, 12, 2, 12) and b.shape == (2, 12, 2, 6)
    assert np.einsum("iajb,jb->ia", a, start) == pytest.approx(
        derivatives.apply(start=start), rel=1e-9, abs=1e-9
    )


def test_directions_at_once_have_the_bits_of_one():
    _, derivatives = sliding_brick().step_with_derivatives()
    start = np.random.default_rng(4).normal(size=(11, 2, 12))
    together = derivatives.apply(start=start, gravity=[0, 0, 1], friction=np.arange(11.0))
    assert together.shape == (11, 2, 12)
    for k, end in enumerate(together):
        assert (end == derivatives.apply(start=start[k], gravity=[0, 0, 1], friction=k)).all()


def test_threads_differentiate_at_once():
    derivatives = [sliding_brick().step_with_derivatives()[1] for _ in range(4)]
    start = np.random.default_rng(5).normal(size=(64, 2, 12))
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda one: one.apply(start=start), derivatives))
    assert all((end == ends[0]).all() for end in ends)


def test_two_sliders_follow_what_their_motors_are_told():
    builder = sg.Scene.builder().time_step(0.01).gravity([0, 0, 0])
    base = builder.body(sg.Body.sphere(0.1).density(1000.0).fixed())
    drives = {"fast": sg.Drive.velocity(0.1), "pushed": sg.Drive.force(2.0)}
    for k, (name, drive) in enumerate(drives.items()):
        body = builder.body(sg.Body.sphere(0.1).mass(2.0).at([0, 1.0 + k, 0]))
        rail = sg.Joint.prismatic(base, body, [1, 0, 0]).named(name)
        builder.joint(rail.drive("slide", drive, 100.0, name))
    _, derivatives = sg.Simulation(builder.build()).step_with_derivatives()
    ends = derivatives.apply(motor=np.eye(2))
    assert ends[:, 1:, 6] == pytest.approx(np.diag([1.0, 0.01 / 2.0]), abs=1e-9)
    gradient = np.zeros((3, 12))
    gradient[1:, 6] = [3.0, 4.0]
    assert derivatives.adjoint(gradient)["motor"] == pytest.approx([3.0, 0.02], abs=1e-9)
    with pytest.raises(sg.InputError, match=r"motor of shape \[3\]: must have shape \[2\]"):
        derivatives.apply(motor=[1, 2, 3])


def test_parameters_have_the_shapes_of_their_gradients():
    builder = sg.Scene.builder().time_step(0.01)
    ground = builder.body(sg.Body.half_space())
    body = builder.body(sg.Body.sphere(0.1).mass(2.0).at([0, 0, 1]))
    builder.joint(sg.Joint.ball(ground, body, [0, 0, 1.5]))
    _, derivatives = sg.Simulation(builder.build()).step_with_derivatives()
    places = np.zeros((1, 2, 6))
    places[0, 0, 2] = 1.0
    assert derivatives.apply(joint=places)[body, 2] == pytest.approx(1.0, abs=1e-9)
    gradient = np.zeros((2, 12))
    gradient[body, 2] = 1.0
    back = derivatives.adjoint(gradient)
    assert back["joint"][0, 0, 2] == pytest.approx(1.0, abs=1e-9)
    shapes = {"inertia": (2, 6), "centre": (2, 3), "joint": (1, 2, 6), "course": (0,), "motion": (0,)}
    assert all(back[name].shape == shape for name, shape in shapes.items())
    ends = derivatives.apply(time_step=[1.0, 2.0], inertia=np.zeros((2, 6)), time=0.5)
    assert ends.shape == (2, 2, 12) and ends[1] == pytest.approx(2 * ends[0], abs=1e-12)


def test_what_stands_on_a_driven_plate_follows_its_motion():
    builder = sg.Scene.builder().time_step(0.01).friction(0.5)
    plate = builder.body(sg.Body.box([0.3, 0.3, 0.05]).at([0, 0, -0.05]))
    brick = builder.body(sg.Body.box([0.05, 0.05, 0.05]).density(1000.0).at([0, 0, 0.05]))
    builder.motion(plate, sg.Motion.velocity(sg.Course.sine(0.05, 1.0)), along=[1, 0, 0])
    builder.motion(plate, sg.Motion.velocity(0.02), along=[0, 0, 1])
    scene = builder.build()
    assert scene.motion_count == 2
    _, derivatives = sg.Simulation(scene).step_with_derivatives()
    end = derivatives.apply(motion=[1.0, 0.5])
    # It sticks, and leaves the start where it was: 1 m in a step of 0.01 s.
    for body in (plate, brick):
        assert end[body, :3] == pytest.approx([1.0, 0.0, 0.5], abs=1e-8)
        assert end[body, 6:9] == pytest.approx([100.0, 0.0, 50.0], abs=1e-6)
    # Time moves the plate by its rate.
    rate = 0.05 * np.sin(2 * np.pi * 0.01)
    assert derivatives.apply(time=1.0)[brick, 0] == pytest.approx(rate, abs=1e-10)
    gradient = np.random.default_rng(3).normal(size=(2, 12))
    back = derivatives.adjoint(gradient)
    assert back["motion"] @ [1.0, 0.5] == pytest.approx((gradient * end).sum(), rel=1e-10)
    with pytest.raises(sg.InputError, match=r"motion of shape \[3\]: must have shape \[2\]"):
        derivatives.apply(motion=[1, 2, 3])


def test_linearize_leaves_the_simulation_as_it_is():
    simulation = sliding_brick()
    before = simulation.positions
    a, b = simulation.linearize()
    assert (simulation.positions == before).all()
    _, derivatives = simulation.step_with_derivatives()
    for found, same in zip((a, b), derivatives.matrices(), strict=True):
        assert (found == same).all()


def test_bad_input_is_refused():
    _, derivatives = sliding_brick().step_with_derivatives()
    with pytest.raises(sg.InputError, match=r"start of shape \[1, 12\]"):
        derivatives.apply(start=np.zeros((1, 12)))
    with pytest.raises(sg.InputError, match='a change of "colour"'):
        derivatives.apply(colour=1.0)
    with pytest.raises(sg.InputError, match="friction with 3 directions: must have 2, as gravity has"):
        derivatives.apply(gravity=np.zeros((2, 3)), friction=[1, 2, 3])
    with pytest.raises(sg.InputError, match=r"size of .* = \[0.1, 0.0, 0.0\]: must be 0: only ellipsoids"):
        derivatives.apply(size=[[0.1, 0, 0], [0, 0, 0]])
    with pytest.raises(sg.InputError, match="gravity = down: must be an array of numbers"):
        derivatives.apply(gravity="down")
    scene = sg.Scene.from_toml(sliding_brick().scene.to_toml(), formulation="cone")
    with pytest.raises(sg.InputError, match='only "implicit" has derivatives'):
        sg.Simulation(scene).step_with_derivatives()


def test_the_guide_finds_friction():
    page = (ROOT / "docs/guide/derivatives.md").read_text()
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(block, names)
    assert names["friction"] == pytest.approx(0.37, abs=1e-9)
    assert names["by_friction"][0] == pytest.approx(-9.81 * 0.01, abs=1e-9)
