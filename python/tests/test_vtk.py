"""Files for ParaView, read back with VTK's own readers: every number is that of the tables."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from conftest import scene_file

pytest.importorskip("vtkmodules")
from vtkmodules.util.numpy_support import vtk_to_numpy  # noqa: E402
from vtkmodules.vtkIOHDF import vtkHDFReader  # noqa: E402
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader  # noqa: E402

PARTS = ["bodies", "surfaces", "contacts"]


def arrays(data) -> dict[str, np.ndarray]:
    """Points and numbers of polygonal data."""
    found = {"at": np.empty((0, 3))}
    if data.GetNumberOfPoints() > 0:
        found["at"] = vtk_to_numpy(data.GetPoints().GetData()).copy()
    for attributes in [data.GetPointData(), data.GetCellData()]:
        for k in range(attributes.GetNumberOfArrays()):
            if (array := attributes.GetArray(k)) is not None:
                found[array.GetName()] = vtk_to_numpy(array).copy()
    found["corners"] = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).copy()
    found["ends"] = vtk_to_numpy(data.GetPolys().GetOffsetsArray())[1:].copy()
    found["single"] = np.array(data.GetNumberOfVerts())
    return found


def frames_of_files(folder: Path) -> Iterator[tuple[float, dict[str, dict[str, np.ndarray]]]]:
    """Times and parts of a `.pvd` file."""
    times: dict[float, dict[str, dict[str, np.ndarray]]] = {}
    for entry in xml.parse(folder / "run.pvd").getroot().iter("DataSet"):
        if entry.get("name") in PARTS:
            reader = vtkXMLPolyDataReader()
            reader.SetFileName(str(folder / entry.get("file")))
            reader.Update()
            assert reader.GetErrorCode() == 0
            times.setdefault(float(entry.get("timestep")), {})[entry.get("name")] = arrays(reader.GetOutput())
    yield from times.items()


def frames_of_hdf5(folder: Path) -> Iterator[tuple[float, dict[str, dict[str, np.ndarray]]]]:
    """Times and parts of `.vtkhdf` files."""
    readers = {}
    for part in PARTS:
        readers[part] = vtkHDFReader()
        assert readers[part].CanReadFile(str(folder / f"{part}.vtkhdf"))
        readers[part].SetFileName(str(folder / f"{part}.vtkhdf"))
        readers[part].UpdateInformation()
    steps = {reader.GetNumberOfSteps() for reader in readers.values()}
    assert len(steps) == 1
    for step in range(steps.pop()):
        found, times = {}, set()
        for part, reader in readers.items():
            reader.SetStep(step)
            reader.Update()
            times.add(reader.GetTimeValue())
            found[part] = arrays(reader.GetOutputDataObject(0))
        assert len(times) == 1
        yield times.pop(), found


def turned(quaternion: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors (n, 3) turned by q = (w, x, y, z)."""
    w, u = quaternion[0], quaternion[1:]
    return vectors + 2 * np.cross(u, np.cross(u, vectors) + w * vectors)


def back(quaternion: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return turned(quaternion * [1, -1, -1, -1], vectors)


def hold_to_tables(run: sg.Run, frames: Iterator) -> int:
    """Holds frames to the tables to 1e-12; how many contacts there are."""
    names, n_contacts = run.scene.names, 0
    bodies, contacts = run.bodies, run.contacts
    for time, parts in frames:
        found = parts["bodies"]
        rows = np.flatnonzero(bodies["time"] == time)
        place = {bodies["body"][row]: row for row in rows}
        order = [place[names[i]] for i in found["id"]]
        assert found["single"] == len(order) > 0
        for name, columns in {
            "at": ["x", "y", "z"],
            "quaternion": ["qw", "qx", "qy", "qz"],
            "velocity": ["vx", "vy", "vz"],
            "angular_velocity": ["wx", "wy", "wz"],
        }.items():
            said = np.stack([bodies[column][order] for column in columns], axis=1)
            assert np.abs(found[name] - said).max() <= 1e-12, (time, name)
        found = parts["contacts"]
        # Halved steps have rows for each substep; the impulses of a position phase do not count.
        own = contacts["step"] == bodies["step"][rows[0]]
        rows = np.flatnonzero(own & (contacts["phase"] != "position"))
        assert found["single"] == len(found["at"]) == len(rows), time
        n_contacts += len(rows)
        assert [names[i] for i in found["body_a"]] == list(contacts["body_a"][rows])
        assert [names[i] for i in found["body_b"]] == list(contacts["body_b"][rows])
        for name, columns in {
            "at": ["ecp_x", "ecp_y", "ecp_z"],
            "normal": ["nx", "ny", "nz"],
            "gap": ["gap"],
            "normal_impulse": ["normal_impulse"],
            "friction_impulse": ["friction_impulse_x", "friction_impulse_y", "friction_impulse_z"],
            "torsional_impulse": ["torsional_impulse"],
            "slip_speed": ["slip_speed"],
        }.items():
            said = np.stack([contacts[column][rows] for column in columns], axis=1)
            given = found[name].reshape(said.shape)
            assert np.abs(given - said).max(initial=0.0) <= 1e-12, (time, name)
    return n_contacts


EXPORTS = [(False, frames_of_files), (True, frames_of_hdf5)]


@pytest.mark.parametrize("hdf5, frames", EXPORTS)
@pytest.mark.parametrize("name", ["granular/mixed-27", "seeds/dumbbell", "seeds/two-spheres"])
def test_numbers_are_those_of_the_tables(tmp_path, name, hdf5, frames):
    step = sg.Scene.load(scene_file(name)).time_step
    run = sg.run(sg.Scene.load(scene_file(name), duration=100 * step), tmp_path / "run")
    run.export_vtk(tmp_path / "vtk", surfaces=True, hdf5=hdf5)
    found = list(frames(tmp_path / "vtk"))
    assert len(found) == 101
    assert hold_to_tables(run, iter(found)) > 100


def test_bodies_that_come_and_leave(tmp_path):
    run = sg.run(sg.Scene.load(scene_file("seeds/silo"), duration=0.2), tmp_path / "run")
    for hdf5, _ in EXPORTS:
        run.export_vtk(tmp_path / f"vtk{hdf5}", surfaces=True, hdf5=hdf5, every=5)
    files, single = list(frames_of_files(tmp_path / "vtkFalse")), list(frames_of_hdf5(tmp_path / "vtkTrue"))
    counts = {len(parts["bodies"]["id"]) for _, parts in files}
    assert len(files) == len(single) == 41 and len(counts) > 5 and 0 in counts
    for (time, one), (other_time, other) in zip(files, single, strict=True):
        assert time == other_time
        for part in PARTS:
            arrays = set(other[part])
            assert arrays == set(one[part])
            for name in arrays:
                assert np.array_equal(one[part][name], other[part][name]), (time, part, name)


@pytest.mark.parametrize("hdf5, frames", EXPORTS)
def test_surfaces_have_the_bounds_of_the_bodies(tmp_path, hdf5, frames):
    builder = sg.Scene.builder().time_step(0.005).duration(0.5).friction(0.5)
    builder.body(sg.Body.half_space())
    spin = [1.0, 2.0, 3.0]
    corners = np.array([[0.2, 0, -0.1], [-0.1, 0.15, -0.1], [-0.1, -0.15, -0.1], [0, 0, 0.3]])
    ball, rod = sg.Body.sphere(0.1).at([0.3, 0, 0]), sg.Body.cylinder(0.04, 0.6).at([0, 0, 0])
    builder.body(
        sg.Body.ellipsoid([0.3, 0.2, 0.1]).density(1e3).at([0, 0, 0.5]).angular_velocity(spin).named("egg")
    )
    builder.body(sg.Body.cylinder(0.1, 0.5).density(1e3).at([2, 0, 0.6]).angular_velocity(spin).named("can"))
    builder.body(
        sg.Body.box([0.3, 0.2, 0.1]).density(1e3).at([4, 0, 0.5]).angular_velocity(spin).named("brick")
    )
    builder.body(sg.Body.polytope(corners).density(1e3).at([6, 0, 0.5]).angular_velocity(spin).named("wedge"))
    bell = sg.Body.compound([ball, sg.Body.sphere(0.1).at([-0.3, 0, 0]), rod])
    builder.body(bell.density(1e3).at([8, 0, 0.8]).angular_velocity(spin).named("bell"))
    run = sg.run(builder.build(), tmp_path / "run")
    run.export_vtk(tmp_path / "vtk", surfaces=True, hdf5=hdf5)
    names = run.scene.names
    reach = {
        "egg": [0.3, 0.2, 0.1],
        "can": [0.1, 0.1, 0.25],
        "brick": [0.3, 0.2, 0.1],
        "bell": [0.4, 0.1, 0.3],
    }
    first = None
    for _, parts in frames(tmp_path / "vtk"):
        bodies, surface = parts["bodies"], parts["surfaces"]
        owners = surface["id"].repeat(np.diff(surface["ends"], prepend=0))
        for k, body in enumerate(bodies["id"]):
            own = surface["at"][np.unique(surface["corners"][owners == body])]
            local = back(bodies["quaternion"][k], own - bodies["at"][k])
            if names[body] in reach:
                assert np.abs(np.abs(local).max(axis=0) - reach[names[body]]).max() < 1e-12, names[body]
                continue
            # The corners that were given, about the centre of mass.
            centre = corners.mean(axis=0)
            gaps = np.linalg.norm(local[:, None] - (corners - centre)[None], axis=2)
            assert len(local) == 4 and gaps.min(axis=0).max() < 1e-12
        first = first or bodies
    assert len(first["id"]) == 5
