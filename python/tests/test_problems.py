"""Matrices of a step, solvers of one's own, measures between steps, plates that press."""

from __future__ import annotations

import re

import numpy as np
import pytest

import signorini as sg
from conftest import ROOT


def pile(formulation: str = "implicit") -> sg.Scene:
    builder = sg.Scene.builder().time_step(0.005).duration(0.2).friction(0.4)
    builder.body(sg.Body.half_space().named("floor"))
    for k in range(4):
        builder.body(sg.Body.sphere(0.05).density(1000).at([0.01 * k, 0, 0.05 + 0.1 * k]).named(f"ball-{k}"))
    scene = builder.build()
    return sg.Scene.from_toml(scene.to_toml(), formulation=formulation)


def page() -> str:
    """The example of the guide."""
    text = (ROOT / "docs/guide/own-solver.md").read_text()
    found = re.search(r"```python\n(.*?)```", text, re.S)
    assert found
    return found.group(1)


def test_the_guides_solver_solves_a_pile() -> None:
    pytest.importorskip("scipy")
    names: dict[str, object] = {}
    exec(compile(page(), "own-solver.md", "exec"), names)
    assert len(page().split("def gauss_seidel")[1].split("return x")[0].splitlines()) <= 30
    residual = names["problem"].residual(names["x"])  # type: ignore[attr-defined]
    weight = 4 / 3 * np.pi * 0.05**3 * 1000 * 9.81 * 0.005
    assert residual < 1e-6 * weight


def test_matrices_are_those_of_the_step() -> None:
    pytest.importorskip("scipy")
    simulation = sg.Simulation(pile())
    for _ in range(10):
        assert simulation.step().good
    before = simulation.positions
    problem = max(simulation.problems(), key=lambda problem: problem.J.shape[0])
    assert (simulation.positions == before).all()
    n = problem.M.shape[0]
    assert problem.M.shape == (n, n) and problem.J.shape == problem.Y.shape == (len(problem.w), n)
    np.testing.assert_allclose((problem.M @ problem.M_inverse).toarray(), np.eye(n), atol=1e-12)
    mass = 4 / 3 * np.pi * 0.05**3 * 1000
    np.testing.assert_allclose(problem.M.diagonal()[:3], mass)
    # Impulses of the last step carry the weight of the balls, which begin to fall over. They solve the next
    # step nearly.
    normals = [problem.impulses[cone.normal].sum() for cone in problem.cones]
    assert max(normals) == pytest.approx(4 * mass * 9.81 * 0.005, rel=0.05)
    assert problem.residual(problem.impulses) < 0.05 * max(normals)
    assert problem.residual(np.zeros(len(problem.w))) > 0.1 * max(normals)
    assert all(cone.mu == 0.4 and not cone.bounded for cone in problem.cones)


def test_methods_that_fail_are_told() -> None:
    simulation = sg.Simulation(pile())

    def breaks(problem: sg.problems.Problem) -> None:
        raise ZeroDivisionError("my own")

    simulation.solve_with(breaks)
    with pytest.raises(ZeroDivisionError, match="my own"):
        simulation.step()
    simulation.solve_with(lambda problem: [1.0])
    with pytest.raises(sg.InputError, match="1 impulses.*rows"):
        simulation.step()
    simulation.solve_with(lambda problem: np.full(len(problem.w), np.nan))
    with pytest.raises(sg.InputError, match="must be finite"):
        simulation.step()
    simulation.solve_with(lambda problem: None)
    assert not simulation.step().good
    with pytest.raises(sg.InputError, match="cone.*implicit"):
        sg.Simulation(pile("cone")).solve_with(breaks)
    with pytest.raises(sg.InputError, match="implicit"):
        sg.Simulation(pile("cone")).problems()


def test_measures_of_the_last_step() -> None:
    simulation = sg.Simulation(pile())
    for _ in range(10):
        assert simulation.step().good
    weight = 4 * 4 / 3 * np.pi * 0.05**3 * 1000 * 9.81
    found = simulation.measure(sg.Measure.group(["floor"]))
    assert found["fz"][0] == pytest.approx(-weight, rel=0.05)
    field = simulation.measure(sg.Measure.field([-0.1, -0.1, 0], [0.15, 0.1, 0.4]).cells([1, 1, 4]))
    assert field["k"].tolist() == [0, 1, 2, 3]
    assert field["solid_fraction"].sum() * 0.25 * 0.2 * 0.1 == pytest.approx(weight / 9810, rel=1e-9)
    rings = simulation.measure(
        sg.Measure.field_in_cylinder([0, 0, 0.2], [0, 0, 1], 0.2, 0.4).cells([3, 1, 1])
    )
    assert rings["bodies"].sum() == 4 and np.isnan(rings["vr"]).any()
    table = simulation.measure(sg.Measure.bodies(["z"]).of(["ball-*"]).digits(4))
    assert table["body"] == [f"ball-{k}" for k in range(4)]
    np.testing.assert_allclose(table["z"], simulation.positions[1:, 2], rtol=1e-3)
    contacts = simulation.measure(sg.Measure.contacts(["normal_impulse"]).of(["floor"]))
    assert contacts["body_a"] == ["floor"]
    wear = simulation.measure(sg.Measure.wear(["floor"]))
    assert wear["body"] == ["floor"] and wear["part"].tolist() == [0]
    assert wear["impulse"][0] == pytest.approx(weight * simulation.scene.time_step, rel=0.05)
    mixing = sg.Measure.mixing([-0.1, -0.1, 0], [0.15, 0.1, 0.4], ["ball-0", "ball-1"]).cells([1, 1, 1])
    assert simulation.measure(mixing)["index"][0] == pytest.approx(1)
    assert np.isnan(simulation.measure(sg.Measure.heap_angle([0, 0, 0], 0.01).strips(2))["angle"][0])
    assert simulation.measure(sg.Measure.bed_angle([0, 0, 0], 1, [0, 1, 0]))["strips"][0] in (1, 2)
    with pytest.raises(sg.InputError, match='"wall"'):
        simulation.measure(sg.Measure.group(["wall"]))


def test_a_plate_presses_with_its_force() -> None:
    builder = sg.Scene.builder().time_step(0.01).duration(0.5).friction(0.3)
    builder.body(sg.Body.half_space())
    builder.body(sg.Body.box([0.1, 0.1, 0.1]).density(1000).at([0, 0, 0.1]))
    lid = builder.body(sg.Body.box([0.2, 0.2, 0.02]).density(1000).at([0, 0, 0.25]).named("lid"))
    builder.press(lid, [0, 0, -1], 50, speed=0.2)
    simulation = sg.Simulation(builder.build())
    for outcome in simulation.run():
        assert outcome.good
    assert simulation.measure(sg.Measure.body("lid"))["fz"][0] == pytest.approx(50, rel=1e-4)
