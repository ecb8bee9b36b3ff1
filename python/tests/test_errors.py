"""What goes wrong is told in words of one's own: with the file, and never as a panic of Rust."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import signorini as sg
from conftest import rolling_ball
from signorini import _native
from test_studies import PENDULUM


def test_a_panic_is_an_internal_error(capfd):
    with pytest.raises(sg.InternalError, match=r"^a fault of the program, please report it: ouch \(") as told:
        _native._panic("ouch")
    assert isinstance(told.value, sg.Error) and isinstance(told.value, RuntimeError)
    assert "faults.rs" in str(told.value)
    # Nothing is printed behind Python's back.
    assert capfd.readouterr().err == ""
    assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> sg.Run:
    return sg.run(rolling_ball(duration=0.02), tmp_path_factory.mktemp("errors") / "run")


def model(run: sg.Run) -> Path:
    """A small model in a file."""
    path = run.folder / "pendulum.xml"
    path.write_text(PENDULUM)
    return path


#: Calls that read or write a file, given the path of a file in a folder that is a file.
WRITERS = {
    "Scene.save": lambda run, path: run.scene.save(path),
    "Simulation.save_picture": lambda run, path: sg.Simulation(run.scene).save_picture(path),
    "run": lambda run, path: sg.run(run.scene, path),
    "Run.export_fclib": lambda run, path: run.export_fclib(path),
    "Run.export_npz": lambda run, path: run.export_npz(path),
    "Run.export_ovito": lambda run, path: run.export_ovito(path),
    "Run.export_solids": lambda run, path: run.export_solids(path, format="stl", fixed=True),
    "Run.export_gltf": lambda run, path: run.export_gltf(path),
    "Run.export_vtk": lambda run, path: run.export_vtk(path),
    "Run.to_rerun": lambda run, path: pytest.importorskip("rerun") and run.to_rerun(path.with_suffix(".rrd")),
    "Run.to_usd": lambda run, path: pytest.importorskip("pxr") and run.to_usd(path.with_suffix(".usda")),
    "convert": lambda run, path: sg.convert(model(run), path),
    "drop": lambda run, path: sg.drop(run.scene, path, count=1),
    "compare": lambda run, path: sg.compare(run.scene, ["implicit"], path),
    "sweep": lambda run, path: sg.sweep(
        {"scene": "none.toml", "vary": [{"field": "simulation.duration", "values": [1.0]}]}, path
    ),
}
READERS = {
    "open": sg.open,
    "Scene.load": sg.Scene.load,
    "Scene.from_mjcf": sg.Scene.from_mjcf,
    "Scene.from_urdf": sg.Scene.from_urdf,
    "check": sg.check,
    "convert": sg.convert,
    "drop": sg.drop,
    "settle": sg.settle,
    "run": lambda path: sg.run(path, "out"),
    "compare": lambda path: sg.compare(path, ["implicit"]),
    "fclib.solve": sg.fclib.solve,
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_that_cannot_be_written_are_named(name, run, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(sg.FileError) as told:
        WRITERS[name](run, blocked / "inner.x")
    assert str(blocked) in str(told.value), str(told.value)
    assert not isinstance(told.value, sg.InputError)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("ending", ["toml", "xml", "stl", "hdf5"])
def test_files_that_cannot_be_read_are_named(name, ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"none.{ending}"
    with pytest.raises(sg.Error) as told:
        READERS[name](path)
    assert str(path) in str(told.value), str(told.value)
    assert not (tmp_path / "out").exists()


def test_a_broken_summary_is_an_input_error(run, tmp_path):
    folder = tmp_path / "copy"
    folder.mkdir()
    for path in sorted(run.folder.iterdir()):
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / "summary.json").write_text("{")
    with pytest.raises(sg.InputError, match=r"summary\.json"):
        sg.open(folder).summary  # noqa: B018
    (folder / "summary.json").unlink()
    (folder / "summary.json").mkdir()
    with pytest.raises(sg.FileError, match=r"summary\.json"):
        sg.open(folder).summary  # noqa: B018


@pytest.mark.parametrize(
    "call",
    [
        lambda: sg.Simulation(rolling_ball()).run(until=1e300),
        lambda: sg.Simulation(rolling_ball()).picture(size=(0, 0)),
        lambda: sg.Simulation(rolling_ball()).picture(eye=[0, 0, 0]),
        lambda: sg.Simulation(rolling_ball()).picture(eye=[float("nan")] * 3),
        lambda: sg.Simulation(rolling_ball()).page(frames=0, size=1.0),
        lambda: sg.Course.table([], []),
        lambda: sg.Scene.from_toml(""),
        lambda: sg.Scene.from_bytes(b""),
        lambda: sg.SavedState.from_bytes(b"\xff" * 40),
        lambda: sg.Scene.from_mjcf("<mujoco><worldbody><body/></worldbody></mujoco>"),
        lambda: sg.VectorSim(rolling_ball(), 0),
        lambda: sg.Body.polytope([]),
        lambda: sg.fclib.solve(W=[[1.0]], q=[1.0], mu=[0.5]),
        lambda: sg.fclib.solve(W=[[float("nan")] * 3] * 3, q=[1.0, 2.0, 3.0], mu=[0.5]),
    ],
)
def test_odd_values_are_refused_or_taken(call):
    try:
        call()
    except sg.InternalError as error:
        raise AssertionError(str(error)) from error
    except (sg.InputError, ValueError, TypeError):
        pass


def test_errors_keep_their_faults_over_processes():
    error = sg.InputError("two", ["a: one", "b: two"])
    assert pickle.loads(pickle.dumps(error)).faults == ("a: one", "b: two")
