"""Runs and simulations as scenes of OpenUSD. ``pip install ./python[usd]`` brings its library.

>>> import signorini as sg, signorini.usd  # doctest: +SKIP
>>> sg.open("out/heap").to_usd("heap.usdc")  # doctest: +SKIP
>>> with signorini.usd.Live(simulation, "heap.usda") as live:  # doctest: +SKIP
...     for outcome in simulation.run():
...         live.log()

The stage is in metres with z upwards. ``/World/NAME`` is a body: a transform over time with a mesh; what
comes and leaves is invisible meanwhile. Time codes count `RATE` a second.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Tf, Usd, UsdGeom, Vt

from signorini import drawn
from signorini._native import Simulation
from signorini.errors import FileError
from signorini.runs import PathLike, Run

#: Time codes in a second.
RATE = 60.0


class Live(drawn.Live):
    """Writes a simulation while it goes: ``log()`` after each step; ``close()`` writes the file.

    The ending of ``path`` is the format: ``.usda`` (text), ``.usdc`` or ``.usd`` (binary).
    """

    def __init__(self, simulation: Simulation, path: PathLike) -> None:
        super().__init__(simulation, _Writer(Path(path)))


def write(run: Run, path: PathLike, *, frames: int = 2001) -> Path:
    """Writes a run: what `Run.to_usd` does."""
    drawn.write_run(run, _Writer(Path(path)), frames)
    return Path(path)


class _Writer:
    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.parent.is_dir():
            raise FileError(f"{path}: the folder is not there")
        if path.suffix not in (".usd", ".usda", ".usdc"):
            raise FileError(f"{path}: must end in .usd, .usda or .usdc")
        self._stage = Usd.Stage.CreateInMemory()
        UsdGeom.SetStageUpAxis(self._stage, UsdGeom.Tokens.z)
        UsdGeom.SetStageMetersPerUnit(self._stage, 1.0)
        self._stage.SetTimeCodesPerSecond(RATE)
        self._stage.SetFramesPerSecond(RATE)
        self._stage.SetDefaultPrim(UsdGeom.Xform.Define(self._stage, "/World").GetPrim())
        self._bodies: dict[str, tuple[Any, Any, Any]] = {}
        self._last: dict[str, np.ndarray] = {}
        self._first: dict[str, Any] = {}
        self._ends: list[float] = []

    def body(self, actor: drawn.Actor) -> None:
        place = self._place(actor.name)
        xform = UsdGeom.Xform.Define(self._stage, place)
        xform.GetPrim().SetDisplayName(actor.name)
        translate = xform.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble)
        orient = xform.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
        translate.Set(Gf.Vec3d(*actor.position.tolist()))
        orient.Set(Gf.Quatd(*actor.quaternion.tolist()))
        self._bodies[actor.name] = (translate, orient, UsdGeom.Imageable(xform).GetVisibilityAttr())
        mesh = UsdGeom.Mesh.Define(self._stage, f"{place}/surface")
        points = actor.points.astype(np.float32)
        mesh.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(points))
        mesh.GetNormalsAttr().Set(Vt.Vec3fArray.FromNumpy(actor.normals.astype(np.float32)))
        mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        mesh.GetSubdivisionSchemeAttr().Set(UsdGeom.Tokens.none)
        counts = np.full(len(actor.triangles), 3, dtype=np.int32)
        mesh.GetFaceVertexCountsAttr().Set(Vt.IntArray.FromNumpy(counts))
        mesh.GetFaceVertexIndicesAttr().Set(Vt.IntArray.FromNumpy(actor.triangles.astype(np.int32).ravel()))
        if len(points):
            mesh.GetExtentAttr().Set([Gf.Vec3f(*points.min(0).tolist()), Gf.Vec3f(*points.max(0).tolist())])
        # Colours of OpenUSD are linear.
        linear = (np.array(actor.colour) / 255.0) ** 2.2
        mesh.GetDisplayColorAttr().Set([Gf.Vec3f(*linear.tolist())])

    def track(self, name: str, steps: np.ndarray, times: np.ndarray, poses: np.ndarray) -> None:
        translate, orient, visible = self._bodies[name]
        there = np.isfinite(poses).all(axis=1)
        codes = (RATE * times).tolist()
        first = self._first.setdefault(name, codes[0] if codes else None)
        hides = not there.all() or visible.HasAuthoredValue()
        if hides and not visible.HasAuthoredValue():
            visible.Set(UsdGeom.Tokens.inherited, first)
        for code, shown, pose in zip(codes, there.tolist(), poses, strict=True):
            if hides:
                visible.Set(UsdGeom.Tokens.inherited if shown else UsdGeom.Tokens.invisible, code)
            if shown:
                # q and -q are one orientation: the nearer one is interpolated without a jump.
                last = self._last.get(name, pose[3:])
                quaternion = pose[3:] if last @ pose[3:] >= 0 else -pose[3:]
                self._last[name] = quaternion
                translate.Set(Gf.Vec3d(*pose[:3].tolist()), code)
                orient.Set(Gf.Quatd(*quaternion.tolist()), code)
        self._ends = [min([*self._ends, *codes]), max([*self._ends, *codes])] if codes else self._ends

    def forces(
        self, steps: np.ndarray, times: np.ndarray, counts: np.ndarray, points: np.ndarray, forces: np.ndarray
    ) -> None:
        """Contact forces are not written."""

    def close(self) -> None:
        if self._ends:
            self._stage.SetStartTimeCode(self._ends[0])
            self._stage.SetEndTimeCode(self._ends[1])
        if not self._stage.GetRootLayer().Export(str(self._path)):
            raise FileError(f"{self._path}: could not be written")

    def _place(self, name: str) -> str:
        """A path in the stage: names have letters, digits and underscores there."""
        root = place = f"/World/{Tf.MakeValidIdentifier(name)}"
        copy = 1
        while self._stage.GetPrimAtPath(place):
            copy += 1
            place = f"{root}_{copy}"
        return place
