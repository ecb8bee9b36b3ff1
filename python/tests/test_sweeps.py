"""Sweeps: the same table from every executor, whatever becomes of a case."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from conftest import command, scene_file

PLAN = {
    "scene": str(scene_file("seeds/sliding-cube")),
    "every": 20,
    "latin": {"samples": 4, "seed": 1},
    "vary": [
        {"field": "friction[0].coefficient", "name": "mu", "from": 0.1, "to": 0.9},
        {"field": "simulation.duration", "values": [0.05, 0.1]},
        {"field": "simulation.time_step", "name": "step", "values": [0.005, 0.01, -1.0]},
    ],
    "result": [{"name": "way", "table": "bodies", "column": "x", "reduce": "last"}],
}


def same(a: sg.Table, b: sg.Table) -> bool:
    """Whether two tables are the same to the last bit."""
    return list(a) == list(b) and all(np.array_equal(a[c], b[c], equal_nan=a[c].dtype.kind == "f") for c in a)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan, run by two processes of this machine."""
    out = tmp_path_factory.mktemp("sweep") / "a"
    told: dict[int, str] = {}
    sg.sweep(PLAN, out, jobs=2, on_case=told.__setitem__)
    assert sorted(told) == list(range(1, 25)) and not any("before" in text for text in told.values())
    return out


@pytest.fixture(scope="module")
def table(folder: Path) -> sg.Table:
    """Its table."""
    return sg.sweep_table(folder)


def test_each_case_is_a_row(folder, table):
    assert table.n_rows == 24
    wrong = table["step"] < 0
    assert wrong.sum() == 8
    assert set(table["outcome"][wrong]) == {"refused"} and set(table["outcome"][~wrong]) == {"completed"}
    assert all("time_step = -1" in message for message in table["message"][wrong])
    assert np.isnan(table["way"][wrong]).all() and np.isfinite(table["way"][~wrong]).all()
    # Samples change fastest: each of four slices has one.
    assert sorted((table["mu"][:4] - 0.1) // 0.2) == [0, 1, 2, 3]
    told: dict[int, str] = {}
    again = sg.sweep(PLAN, folder, jobs=2, on_case=told.__setitem__)
    assert same(again, table) and all("before" in text for text in told.values())


def test_the_command_line_makes_the_same_table(folder, table, tmp_path):
    told = command("sweep", folder / "plan.toml", "--out", tmp_path / "b", "--jobs", 2)
    assert told.returncode == 3, told.stderr
    assert same(sg.sweep_table(tmp_path / "b"), table)


def test_pools(table, tmp_path):
    with ProcessPoolExecutor(2) as pool:
        assert same(sg.sweep(PLAN, tmp_path / "a", executor=pool), table)


def test_dask(table, tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert same(sg.sweep(PLAN, tmp_path / "a", executor=client), table)


def test_ray(table, tmp_path):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        assert same(sg.sweep(PLAN, tmp_path / "a", executor="ray"), table)
    finally:
        ray.shutdown()


def test_a_killed_case_is_a_row_and_is_run_again(tmp_path):
    plan = {
        "scene": str(scene_file("seeds/sliding-cube")),
        "vary": [{"field": "simulation.duration", "values": [0.1, 100000.0, 0.2]}],
    }

    def kill() -> None:
        # The case of 100000 s, once the others are done.
        deadline = time.monotonic() + 60
        cases = tmp_path / "a" / "cases"
        while time.monotonic() < deadline:
            if all((cases / name / "case.json").exists() for name in ("0001", "0003")):
                break
            time.sleep(0.01)
        line = ["pgrep", "-f", "--", f"--out {tmp_path / 'a'} --case 2"]
        for process in subprocess.run(line, capture_output=True, text=True).stdout.split():
            os.kill(int(process), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    told = {}
    table = sg.sweep(plan, tmp_path / "a", jobs=2, on_case=told.__setitem__)
    killer.join()
    assert table["outcome"].tolist() == ["completed", "missing", "completed"]
    assert told[2].startswith("case 2: not finished (-9)")
    plan["vary"][0]["values"][1] = 0.3
    assert sg.sweep(plan, tmp_path / "a", jobs=2)["outcome"].tolist() == ["completed"] * 3


def test_wrong_plans(tmp_path):
    with pytest.raises(sg.InputError, match="none of the .* entries of body is named"):
        vary = [{"field": "body.none.mass", "values": [1]}]
        sg.sweep({"scene": PLAN["scene"], "vary": vary}, tmp_path / "a")
    with pytest.raises(sg.InputError, match="none/plan.toml"):
        sg.sweep_table(tmp_path / "none")
