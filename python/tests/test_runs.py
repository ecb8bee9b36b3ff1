"""Runs on disk: the same bits as the command line, read back, judged and shown."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import signorini as sg
from conftest import command, heap, rolling_ball, scene_file

SCENES = [
    "seeds/two-spheres",
    "seeds/stack",
    "seeds/double-pendulum",
    "seeds/feeder",
    "seeds/friction-limit",
    "seeds/rolling-disc",
    "seeds/edge-on-edge",
    "seeds/slider-crank",
    "seeds/thin-plate",
    "granular/rolling-collision",
]


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", SCENES)
def test_the_same_bits_as_the_command_line(name, tmp_path):
    scene = sg.Scene.load(scene_file(name))
    duration = min(scene.duration, 60 * scene.time_step)
    told = command("run", scene_file(name), "--duration", duration, "--out", tmp_path / "command")
    assert told.returncode == 0, told.stderr
    scene = sg.Scene.load(scene_file(name), duration=duration)
    sg.run(scene, tmp_path / "python", threads=2)
    for table in ["bodies.csv", "contacts.csv", "joints.csv"]:
        files = [tmp_path / which / table for which in ("command", "python")]
        assert [file.exists() for file in files] in ([True, True], [False, False])
        assert not files[0].exists() or files[0].read_bytes() == files[1].read_bytes()
    simulation = sg.Simulation(scene)
    table = sg.open(tmp_path / "command")
    fixed = np.array([scene.names.index(name) for name in table.moving])
    for k, outcome in enumerate(simulation.run(), start=1):
        assert outcome.good
        for of_run, now in [
            (table.positions, simulation.positions),
            (table.quaternions, simulation.quaternions),
            (table.velocities, simulation.velocities),
            (table.angular_velocities, simulation.angular_velocities),
        ]:
            assert np.array_equal(of_run[k], now[fixed])
        now, written = simulation.contacts(), table.contacts
        written = written.to_numpy()[written["step"] == k]
        assert np.array_equal(now["normal_impulse"], written["normal_impulse"])
        assert np.array_equal(now["gap"], written["gap"])
        assert now["state"].tolist() == written["state"].tolist()
        assert [scene.names[b] for b in now["body_b"]] == written["body_b"].tolist()
    assert k == len(table.times) - 1


def test_runs_with_hdf5_tables_are_read_the_same(tmp_path):
    csv_run = sg.run(heap(), tmp_path / "csv")
    hdf5_run = sg.run(heap(), tmp_path / "hdf5", format="hdf5")
    assert not (tmp_path / "hdf5" / "bodies.csv").exists()
    for name in ["bodies", "contacts", "steps"]:
        one, other = getattr(csv_run, name), getattr(hdf5_run, name)
        assert list(one) == list(other) and one.n_rows > 0
        for column in one:
            np.testing.assert_array_equal(one[column], other[column])
    assert csv_run.joints is None and hdf5_run.joints is None
    assert hdf5_run.audit().green
    with pytest.raises(sg.InputError, match="csv or hdf5"):
        sg.run(heap(), tmp_path / "no", format="xml")
    (tmp_path / "csv" / "steps.csv").unlink()
    with pytest.raises(sg.FileError, match="steps.csv"):
        _ = sg.Run(tmp_path / "csv").steps


def test_a_run_is_read_as_it_was_written(tmp_path):
    run = sg.run(heap(), tmp_path / "run", every=5)
    written = rows(tmp_path / "run" / "contacts.csv")
    assert run.contacts.n_rows == len(written) > 10
    assert run.contacts["body_a"].tolist() == [row["body_a"] for row in written]
    assert run.contacts["gap"].tolist() == [float(row["gap"]) for row in written]
    assert run.contacts["step"].tolist() == [int(row["step"]) for row in written]
    assert run.times.tolist() == [k * 5 * 0.01 for k in range(11)]
    assert run.frame_steps.tolist() == list(range(0, 51, 5))
    assert run.positions.shape == (11, 8, 3) and run.quaternions.shape == (11, 8, 4)
    last = rows(tmp_path / "run" / "bodies.csv")[-1]
    assert run.moving[-1] == last["body"]
    assert run.positions[-1, -1].tolist() == [float(last[c]) for c in "xyz"]
    assert run.velocities[-1, -1].tolist() == [float(last[c]) for c in ("vx", "vy", "vz")]
    assert run.summary["steps"] == run.steps.n_rows == 50
    assert set(run.steps["status"].tolist()) == {"solved"}
    assert run.steps["contacts"].dtype == np.int64
    assert (run.step_times["wall_seconds"] > 0).all() and run.step_times.n_rows == 50
    assert run.joints is None
    with pytest.raises(ValueError):
        run.positions[0] = 0.0


def test_a_torn_last_line_is_left_out(tmp_path):
    run = sg.run(rolling_ball(), tmp_path / "run")
    n_rows, n_frames = run.bodies.n_rows, len(run.times)
    path = tmp_path / "run" / "bodies.csv"
    path.write_bytes(path.read_bytes()[:-4])
    (tmp_path / "run" / "summary.json").unlink()
    torn = sg.open(tmp_path / "run")
    assert torn.bodies.n_rows == n_rows - 1
    assert len(torn.times) == n_frames - 1 and torn.summary is None


def test_audits(tmp_path):
    run = sg.run(rolling_ball(), tmp_path / "run")
    report = run.audit()
    assert report.green and report and report.judged == report.green_steps == 100 and report.faults == []
    assert f"{report}\n" == command("audit", tmp_path / "run").stdout
    path = tmp_path / "run" / "contacts.csv"
    path.write_text(path.read_text().replace(",slip,", ",stick,", 1))
    assert not sg.open(tmp_path / "run").audit()
    thinned = sg.run(rolling_ball(), tmp_path / "thinned", every=3)
    assert not thinned.audit() and thinned.audit(thinned=True)


def test_pages_figures_and_exports(tmp_path, monkeypatch):
    run = sg.run(rolling_ball(), tmp_path / "run")
    page = run.page(frames=20)
    assert page.lower().startswith("<!doctype html")
    assert all(path.exists() for path in run.plot())
    assert run.export_vtk(tmp_path / "vtk").exists()
    assert run.export_gltf(tmp_path / "run.glb").read_bytes().startswith(b"glTF")
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = run.show()
    assert path == tmp_path / "run" / "run.html" and path.exists() and opened == [path.resolve().as_uri()]


def test_other_libraries(tmp_path):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    run = sg.run(rolling_ball(), tmp_path / "run")
    frame = run.bodies.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["x"].tolist() == run.bodies["x"].tolist()
    data = run.to_xarray()
    assert isinstance(data, xarray.Dataset)
    assert data.position.sel(body="ball").isel(time=-1).values.tolist() == run.positions[-1, 0].tolist()


def test_what_a_run_refuses(tmp_path):
    sg.run(rolling_ball(), tmp_path / "run")
    with pytest.raises(sg.InputError, match="exists and is not empty") as caught:
        sg.run(scene_file("seeds/stack"), tmp_path / "run")
    told = command("run", scene_file("seeds/stack"), "--out", tmp_path / "run")
    assert (told.returncode, told.stderr) == (2, f"error: {caught.value}\n")
    sg.run(rolling_ball(duration=0.1), tmp_path / "run", force=True, judge="final")
    assert sg.open(tmp_path / "run").summary["referee"]["off"] == 19
    with pytest.raises(sg.InputError, match='judge = "all": must be every, final or off'):
        sg.run(rolling_ball(), tmp_path / "other", judge="all")
    with pytest.raises(sg.InputError, match="threads = 0: must be 1 to 1024"):
        sg.run(rolling_ball(), tmp_path / "other", threads=0)
    with pytest.raises(sg.FileError, match="scene.toml"):
        sg.open(tmp_path / "none")
    assert not (tmp_path / "other").exists()
