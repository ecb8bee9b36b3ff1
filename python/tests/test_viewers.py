"""Rerun and OpenUSD, where they are installed."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from conftest import heap, rolling_ball, scene_file


def test_surfaces_are_those_of_the_shapes():
    builder = sg.Scene.builder()
    builder.body(sg.Body.half_space([0, 0, 1], 0.5))
    builder.body(sg.Body.box([1, 2, 3]).density(1.0).at([0, 0, 9]))
    builder.body(sg.Body.ellipsoid([1, 2, 3]).density(1.0).at([9, 0, 9]))
    plane, box, ball = builder.build().surfaces()
    assert (plane[0][:, 2] == 0.5).all() and len(plane[2]) == 2
    for (points, normals, triangles), volume in ((box, 48.0), (ball, 8 * np.pi)):
        a, b, c = np.moveaxis(points[triangles], 1, 0)
        assert np.ptp(points, axis=0) == pytest.approx([2, 4, 6])
        assert (np.cross(b, c) * a).sum() / 6 == pytest.approx(volume, rel=1e-2)
        assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0)
        assert (normals * points).sum(axis=1).min() > 0


def test_usd_of_a_run(tmp_path):
    pxr = pytest.importorskip("pxr.Usd")
    from pxr import UsdGeom

    run = sg.run(heap(), tmp_path / "run")
    path = run.to_usd(tmp_path / "heap.usda")
    stage = pxr.Stage.Open(str(path))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    rate = stage.GetTimeCodesPerSecond()
    assert stage.GetEndTimeCode() == pytest.approx(rate * run.times[-1])
    bodies = {prim.GetDisplayName(): prim for prim in stage.GetPrimAtPath("/World").GetChildren()}
    assert set(bodies) == set(run.scene.names)
    for body, name in enumerate(run.moving):
        for frame in (0, 17, 50):
            xform = UsdGeom.Xformable(bodies[name]).ComputeLocalToWorldTransform(rate * run.times[frame])
            w, x, y, z = run.quaternions[frame, body]
            assert list(xform.ExtractTranslation()) == pytest.approx(run.positions[frame, body].tolist())
            found = xform.ExtractRotationQuat()
            found = np.array([found.GetReal(), *found.GetImaginary()])
            assert abs(found @ [w, x, y, z]) == pytest.approx(1.0)
        mesh = UsdGeom.Mesh(bodies[name].GetChildren()[0])
        assert np.ptp(mesh.GetPointsAttr().Get(), axis=0) == pytest.approx([0.16, 0.12, 0.1], rel=1e-6)
    with pytest.raises(sg.FileError, match="must end in"):
        run.to_usd(tmp_path / "heap.txt")
    with pytest.raises(sg.FileError, match="folder is not there"):
        run.to_usd(tmp_path / "none" / "heap.usd")


def test_usd_of_a_simulation_in_which_bodies_come_and_go(tmp_path):
    pxr = pytest.importorskip("pxr.Usd")
    from pxr import UsdGeom

    import signorini.usd

    simulation = sg.Simulation(rolling_ball())
    with signorini.usd.Live(simulation, tmp_path / "live.usdc") as live:
        for step in range(1, 21):
            if step == 6:
                simulation.add_body(sg.Body.sphere(0.1).density(500.0).at([0, 1, 0.1]).named("ball 2"))
            if step == 16:
                simulation.remove_body("ball 2")
            assert simulation.step().good
            live.log()
    stage = pxr.Stage.Open(str(tmp_path / "live.usdc"))
    other = UsdGeom.Imageable(stage.GetPrimAtPath("/World/ball_2"))
    rate = 0.005 * stage.GetTimeCodesPerSecond()
    told = [other.ComputeVisibility(rate * step) for step in (8, 15, 16, 20)]
    assert told == ["inherited", "inherited", "invisible", "invisible"]
    xform = UsdGeom.Xformable(stage.GetPrimAtPath("/World/ball")).ComputeLocalToWorldTransform(rate * 20)
    assert list(xform.ExtractTranslation()) == pytest.approx(simulation.pose("ball")[0].tolist())


def test_usd_hides_what_has_not_come(tmp_path):
    pxr = pytest.importorskip("pxr.Usd")
    from pxr import UsdGeom

    run = sg.run(sg.Scene.load(scene_file("seeds/silo"), duration=0.1), tmp_path / "run", judge="off")
    came = [name for name in run.moving if name not in run.scene.names]
    assert came
    stage = pxr.Stage.Open(str(run.to_usd(tmp_path / "silo.usdc")))
    late = int(np.argmax(np.isfinite(run.positions[:, run.moving.index(came[-1]), 0])))
    assert late > 0
    bodies = {prim.GetDisplayName(): prim for prim in stage.GetPrimAtPath("/World").GetChildren()}
    rate = stage.GetTimeCodesPerSecond()
    told = [
        UsdGeom.Imageable(bodies[came[-1]]).ComputeVisibility(rate * run.times[frame])
        for frame in (late - 1, late)
    ]
    assert told == ["invisible", "inherited"]


def recorded(path) -> dict[str, dict[str, list]]:
    """Columns of a recording of Rerun by entity, in the order of the steps."""
    chunk = pytest.importorskip("rerun.chunk", reason="this version of Rerun reads no recordings")
    found: dict[str, dict[str, list]] = {}
    for part in chunk.RrdReader(path).stream():
        columns = found.setdefault(part.entity_path, {})
        for name, values in part.to_record_batch().to_pydict().items():
            columns.setdefault(name, []).extend(values)
    return found


def test_rerun_of_a_run(tmp_path):
    pytest.importorskip("rerun")
    run = sg.run(heap(), tmp_path / "run")
    found = recorded(run.to_rerun(tmp_path / "heap.rrd", frames=26))
    for body, name in enumerate(run.moving):
        columns = found["/bodies/" + name]
        rows = [row for row, step in enumerate(columns["step"]) if step is not None]
        assert [columns["step"][row] for row in rows] == list(range(0, 51, 2))
        assert len(columns["Mesh3D:vertex_positions"]) > 0
        place = [columns["Transform3D:translation"][row][0] for row in rows]
        assert np.allclose(place, run.positions[::2, body], atol=1e-6)
        x, y, z, w = np.moveaxis([columns["Transform3D:quaternion"][row][0] for row in rows], -1, 0)
        assert np.allclose([w, x, y, z], run.quaternions[::2, body].T, atol=1e-6)
    arrows = found["/contacts"]
    step = int(run.frame_steps[-1])
    rows = run.contacts.to_numpy()[run.contacts["step"] == step]
    shown = arrows["Arrows3D:vectors"][arrows["step"].index(step)]
    size = np.linalg.norm(shown, axis=1) / np.hypot(
        rows["normal_impulse"],
        np.linalg.norm([rows[f"friction_impulse_{axis}"] for axis in "xyz"], axis=0),
    ).clip(1e-300)
    assert len(shown) == len(rows) > 0 and np.allclose(
        size[rows["normal_impulse"] > 1e-6], size.max(), rtol=1e-5
    )


def test_rerun_of_a_simulation(tmp_path):
    pytest.importorskip("rerun")
    import signorini.rerun

    simulation = sg.Simulation(rolling_ball())
    with signorini.rerun.Live(simulation, tmp_path / "live.rrd", force_scale=0.01) as live:
        for step in range(1, 8):
            if step == 5:
                simulation.remove_body("ball")
            simulation.step()
            live.log()
    found = recorded(tmp_path / "live.rrd")
    columns = found["/bodies/ball"]
    scales = {
        step: size[0][0]
        for step, size in zip(columns["step"], columns["Transform3D:scale"], strict=True)
        if step is not None
    }
    assert scales == {0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 0}
    arrows = dict(zip(found["/contacts"]["step"], found["/contacts"]["Arrows3D:vectors"], strict=True))
    weight = sg.Simulation(rolling_ball()).scene.masses[1] * 9.81
    assert arrows[3][0][2] == pytest.approx(0.01 * weight, rel=1e-5) and not arrows[6]
