"""Files for other programs: arrays that NumPy loads, triangles that are closed, records for OVITO."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import signorini as sg

FORMATS = ["stl", "stl-text", "ply", "obj"]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> sg.Run:
    """A can, an egg and a brick in free flight over a floor."""
    scene = sg.Scene.builder().time_step(0.01).duration(0.1)
    scene.body(sg.Body.half_space([0, 0, 1], -10).named("floor"))
    for name, body, x in [
        ("can", sg.Body.cylinder(0.1, 0.3), 0.0),
        ("egg", sg.Body.ellipsoid([0.1, 0.2, 0.3]), 1.0),
        ("brick", sg.Body.box([0.1, 0.2, 0.3]), 2.0),
    ]:
        body = body.density(1000).at([x, 0, 0]).angular_velocity([3, 2, 1])
        scene.body(body.named(name))
    return sg.run(scene.build(), tmp_path_factory.mktemp("export") / "run")


def triangles(path: Path) -> np.ndarray:
    """Corners of the triangles of an OBJ file, shape (n, 3, 3)."""
    lines = [line.split() for line in path.read_text().splitlines()]
    points = np.array([line[1:] for line in lines if line[0] == "v"], dtype=float)
    return points[np.array([line[1:] for line in lines if line[0] == "f"], dtype=int) - 1]


def test_arrays_are_those_of_the_run(run, tmp_path):
    with np.load(run.export_npz(tmp_path / "run.npz")) as arrays:
        assert arrays["name"].tolist() == run.moving == ["can", "egg", "brick"]
        assert arrays["id"].tolist() == [1, 2, 3]
        for name, expected in [
            ("time", run.times),
            ("step", run.frame_steps),
            ("position", run.positions),
            ("quaternion", run.quaternions),
            ("velocity", run.velocities),
            ("angular_velocity", run.angular_velocities),
        ]:
            assert np.array_equal(arrays[name], expected), name
    with np.load(run.export_npz(tmp_path / "few.npz", every=5)) as arrays:
        assert arrays["step"].tolist() == [0, 5, 10]


def test_triangles_are_closed_and_have_the_volume(run, tmp_path):
    files = run.export_solids(tmp_path / "each", per_body=True, keep_volume=True, format="obj")
    assert [file.name for file in files] == ["can.obj", "egg.obj", "brick.obj"]
    exact = [np.pi * 0.01 * 0.3, 4 / 3 * np.pi * 0.006, 8 * 0.006]
    for file, volume in zip(files, exact, strict=True):
        corners = triangles(file)
        a, b, c = (corners - corners.mean(axis=(0, 1))).transpose(1, 0, 2)
        assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(volume, rel=1e-12)
        sides = Counter((t[k].tobytes(), t[(k + 1) % 3].tobytes()) for t in corners + 0.0 for k in range(3))
        assert all(sides[(b, a)] == n for (a, b), n in sides.items())


@pytest.mark.parametrize("format", FORMATS)
def test_one_file_holds_all(run, tmp_path, format):
    path = tmp_path / f"all.{format[:3]}"
    assert run.export_solids(path, format=format, time=0.05) == [path]
    assert path.stat().st_size > 10000
    if format != "stl-text":
        run.export_solids(path, time=0.05)


def test_ovito_reads_x_y_z_w(run, tmp_path):
    text = run.export_ovito(tmp_path / "run.xyz", every=10).read_text().splitlines()
    assert "orientation:R:4:aspherical_shape:R:3" in text[1] and len(text) == 2 * 5
    last = text[-3].split()
    assert last[0] == "cylinder"
    assert np.array(last[5:9], dtype=float) == pytest.approx(np.roll(run.quaternions[-1, 0], -1))
    dump = run.export_ovito(tmp_path / "run.dump").read_text()
    assert dump.count("ITEM: ATOMS id type element x y z quati quatj quatk quatw") == 11


@pytest.mark.parametrize(
    "options", [{"chord": 0.0}, {"chord": float("nan")}, {"chord": 1e-12}, {"format": "step"}]
)
def test_bad_options_write_nothing(run, tmp_path, options):
    with pytest.raises(sg.InputError):
        run.export_solids(tmp_path / "all.stl", **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("export", ["export_npz", "export_ovito"])
def test_every_is_checked(run, tmp_path, export):
    with pytest.raises(sg.InputError):
        getattr(run, export)(tmp_path / "file", every=0)
    assert list(tmp_path.iterdir()) == []
