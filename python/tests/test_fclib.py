"""The solver alone, on matrices of NumPy and SciPy and on files."""

from __future__ import annotations

import doctest
import json

import numpy as np
import pytest

import signorini as sg
from conftest import ROOT, command

FILES = ROOT / "tests" / "solver" / "fclib" / "files"


def bodies(n: int, contacts: int, seed: int) -> dict[str, np.ndarray]:
    """Bodies of six numbers that press on one another: M, H, f, w, mu."""
    random = np.random.default_rng(seed)
    mass, directions = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 3 * contacts))
    for i in range(n):
        root = random.normal(size=(6, 6))
        mass[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = root @ root.T + 6 * np.eye(6)
    for c in range(contacts):
        for i, sign in zip(random.choice(n, 2, replace=False), (1, -1), strict=True):
            directions[6 * i : 6 * i + 6, 3 * c : 3 * c + 3] = sign * random.normal(size=(6, 3))
    force = mass @ random.normal(size=6 * n)
    mu = random.uniform(0.1, 0.9, contacts)
    return {"M": mass, "H": directions, "f": force, "w": np.zeros(3 * contacts), "mu": mu}


def holds_coulomb(solution: sg.fclib.Solution, mu: np.ndarray, eps: float = 1e-6) -> bool:
    """Contact law, said in another way than by projections: impulses in the cone, no gap closes, no work."""
    normal, tangent = solution.impulses[:, 0], np.hypot(*solution.impulses[:, 1:].T)
    speed = np.hypot(*solution.slips[:, 1:].T)
    against = (solution.impulses[:, 1:] * solution.slips[:, 1:]).sum(axis=1)
    slides = np.abs(against + mu * normal * speed) <= eps
    apart = np.abs(normal * solution.slips[:, 0]) <= eps
    return bool(np.all((tangent <= mu * normal + eps) & (solution.slips[:, 0] >= -eps) & slides & apart))


def test_both_forms_and_both_kinds_of_matrices_agree():
    given = bodies(6, 9, seed=1)
    dense = sg.fclib.solve(**given)
    assert dense.solved and max(dense.scaled, dense.nat_rel) <= 1e-8 and dense.velocities.shape == (36,)
    assert holds_coulomb(dense, given["mu"]) and (dense.impulses[:, 0] > 0.01).sum() >= 2
    moved = np.linalg.solve(given["M"], given["H"] @ dense.impulses.ravel() + given["f"])
    assert dense.velocities == pytest.approx(moved, abs=1e-10)
    assert dense.slips.ravel() == pytest.approx(given["H"].T @ moved, abs=1e-10)
    mobility = given["H"].T @ np.linalg.inv(given["M"])
    local = {"W": mobility @ given["H"], "q": mobility @ given["f"], "mu": given["mu"]}
    other = sg.fclib.solve(**local)
    assert other.solved and other.velocities is None and holds_coulomb(other, given["mu"])
    without = sg.fclib.solve(**{name: value for name, value in given.items() if name != "w"})
    assert np.array_equal(without.impulses, dense.impulses)
    again = sg.fclib.solve(**local, start=other.impulses)
    assert again.solved and again.iterations <= other.iterations


def test_sparse_matrices_are_taken():
    sparse = pytest.importorskip("scipy.sparse")
    given = bodies(6, 9, seed=2)
    dense = sg.fclib.solve(**given)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        found = sg.fclib.solve(**given | {"M": kind(given["M"]), "H": kind(given["H"])})
        assert np.array_equal(found.impulses, dense.impulses) and found.solved


def test_files_are_solved_as_by_the_command_line():
    files = sorted(FILES.glob("*.hdf5"))
    assert files
    for path in files:
        found = sg.fclib.solve(path)
        told = json.loads(command("fclib", path, "--json").stdout)[0]
        assert (found.status, found.scaled, found.iterations) == (
            told["status"],
            told["scaled"],
            told["iterations"],
        )
        assert len(found.impulses) == told["contacts"]


def test_what_is_not_solved_is_told():
    found = sg.fclib.solve(**bodies(40, 120, seed=3), time_limit=1e-6)
    assert not found.solved and found.status == "time_limit" and found.scaled > 1e-8


def test_what_is_refused():
    square = np.eye(3)
    with pytest.raises(sg.InputError, match=r"W of shape \(3, 3\): must be \(6, 6\)"):
        sg.fclib.solve(W=square, q=np.zeros(3), mu=[0.1, 0.2])
    with pytest.raises(sg.InputError, match="q of 2 numbers: must be 3"):
        sg.fclib.solve(W=square, q=np.zeros(2), mu=[0.1])
    with pytest.raises(sg.InputError, match=r"mu\[0\] = -0.1: must be at least 0"):
        sg.fclib.solve(W=square, q=np.zeros(3), mu=[-0.1])
    with pytest.raises(sg.InputError, match=r"W\[1, 2\] = NaN: must be finite"):
        sg.fclib.solve(W=square + [[0, 0, 0], [0, 0, np.nan], [0, 0, 0]], q=np.zeros(3), mu=[0.1])
    with pytest.raises(sg.InputError, match="M = singular"):
        sg.fclib.solve(M=np.zeros((3, 3)), H=square, f=np.zeros(3), mu=[0.1])
    with pytest.raises(sg.InputError, match="W with 1 dimensions"):
        sg.fclib.solve(W=[1.0], q=np.zeros(3), mu=[0.1])
    with pytest.raises(sg.InputError, match="W, mu: must be a file, or W, q, mu"):
        sg.fclib.solve(W=square, mu=[0.1])
    with pytest.raises(sg.InputError, match="start of 2 numbers: must be 3"):
        sg.fclib.solve(W=square, q=np.zeros(3), mu=[0.1], start=[0, 0])
    with pytest.raises(sg.FileError, match="none"):
        sg.fclib.solve("none.hdf5")


def test_steps_of_a_run_come_back(tmp_path):
    scene = sg.Scene.builder().time_step(0.005).duration(0.1).friction(0.4).tolerance(1e-9)
    scene.body(sg.Body.half_space().named("floor"))
    scene.body(sg.Body.box([0.1, 0.1, 0.1]).density(1000).at([0, 0, 0.1]).velocity([1, 0, 0]).named("box"))
    scene.body(sg.Body.sphere(0.1).density(1000).at([1, 0, 0.1]).velocity([1, 0, 0]).named("ball"))
    run = sg.run(scene.build(), tmp_path / "run")
    table = run.export_fclib(tmp_path / "some", steps=(2, 5))
    rows = [line.split(",") for line in table.read_text().splitlines()[1:]]
    assert [int(row[1]) for row in rows] == [2, 3, 4, 5]
    for row in rows:
        found = sg.fclib.solve(table.parent / row[0])
        # A face has four points, and one friction with torsion.
        assert found.solved and found.impulses.shape == (4 + 3 + 1 + 2,)
        step = int(row[1])
        # The blocks of a problem stand in any order of its groups.
        speeds = sorted(found.velocities.reshape(-1, 6)[:, 0])
        assert np.allclose(speeds, sorted(run.velocities[step, :, 0]), atol=1e-7)
    with pytest.raises(sg.InputError, match="steps 1 to 20"):
        run.export_fclib(tmp_path / "late", steps=99)
    with pytest.raises(sg.InputError, match="steps A-B"):
        run.export_fclib(tmp_path / "back", steps=(5, 2))


def test_the_example_runs():
    found = doctest.testmod(sg.fclib)
    assert found.attempted >= 3 and found.failed == 0
