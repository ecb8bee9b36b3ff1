"""Runs and simulations in Rerun, a viewer of data over time. ``pip install ./python[rerun]`` brings its SDK.

>>> import rerun, signorini as sg, signorini.rerun  # doctest: +SKIP
>>> sg.open("out/heap").to_rerun("heap.rrd")  # doctest: +SKIP
>>> rerun.init("heap", spawn=True)  # doctest: +SKIP
>>> with signorini.rerun.Live(simulation) as live:  # doctest: +SKIP
...     for outcome in simulation.run():
...         live.log()

Entities are ``bodies/NAME``, with a mesh and a transform over time, and ``contacts``, arrows of the contact
forces on body B. Timelines are ``time`` (s) and ``step``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import rerun as rr

from signorini import drawn
from signorini._native import Scene, Simulation
from signorini.errors import FileError
from signorini.runs import PathLike, Run


class Live(drawn.Live):
    """Shows a simulation while it goes: ``log()`` after each step.

    ``path`` names a file (``.rrd``) to write; without, entities go to ``recording``, or to the recording
    that ``rerun.init`` made. ``force_scale`` is the length of an arrow of 1 N (m).
    """

    def __init__(
        self,
        simulation: Simulation,
        path: PathLike | None = None,
        *,
        recording: Any = None,
        force_scale: float | None = None,
    ) -> None:
        super().__init__(simulation, _Writer(simulation.scene, path, recording, force_scale))


def write(
    run: Run,
    path: PathLike | None = None,
    *,
    recording: Any = None,
    frames: int = 2001,
    force_scale: float | None = None,
) -> Path | None:
    """Writes a run: what `Run.to_rerun` does."""
    drawn.write_run(run, _Writer(run.scene, path, recording, force_scale), frames)
    return None if path is None else Path(path)


class _Writer:
    def __init__(
        self, scene: Scene, path: PathLike | None, recording: Any, force_scale: float | None
    ) -> None:
        self._owns = path is not None
        self._recording = rr.RecordingStream("signorini") if recording is None and self._owns else recording
        if path is not None:
            try:
                rr.save(Path(path), recording=self._recording)
            except (OSError, RuntimeError) as error:
                # The SDK raises a bare RuntimeError.
                raise FileError(f"{os.fspath(path)}: could not be written ({error})") from error
        self._scale = drawn.force_scale(scene) if force_scale is None else force_scale
        rr.log("/", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True, recording=self._recording)

    def body(self, actor: drawn.Actor) -> None:
        path = _path(actor.name)
        place = rr.Transform3D(
            translation=actor.position, quaternion=rr.Quaternion(xyzw=_xyzw(actor.quaternion))
        )
        rr.log(path, place, recording=self._recording)
        mesh = rr.Mesh3D(
            vertex_positions=actor.points,
            vertex_normals=actor.normals,
            triangle_indices=actor.triangles,
            albedo_factor=[*actor.colour, 255],
        )
        rr.log(path, mesh, static=True, recording=self._recording)

    def track(self, name: str, steps: np.ndarray, times: np.ndarray, poses: np.ndarray) -> None:
        there = np.isfinite(poses).all(axis=1)
        poses = np.where(there[:, None], poses, [0, 0, 0, 1, 0, 0, 0])
        columns = rr.Transform3D.columns(
            translation=poses[:, :3],
            quaternion=_xyzw(poses[:, 3:]),
            scale=np.repeat(there[:, None].astype(np.float32), 3, axis=1),
        )
        rr.send_columns(_path(name), _times(steps, times), columns, recording=self._recording)

    def forces(
        self, steps: np.ndarray, times: np.ndarray, counts: np.ndarray, points: np.ndarray, forces: np.ndarray
    ) -> None:
        columns = rr.Arrows3D.columns(origins=points, vectors=self._scale * forces).partition(counts)
        rr.send_columns("contacts", _times(steps, times), columns, recording=self._recording)

    def close(self) -> None:
        if self._owns:
            self._recording.flush()
            self._recording.disconnect()


def _path(name: str) -> str:
    return rr.new_entity_path(["bodies", name])


def _times(steps: np.ndarray, times: np.ndarray) -> list[Any]:
    return [rr.TimeColumn("step", sequence=steps), rr.TimeColumn("time", duration=times)]


def _xyzw(quaternions: np.ndarray) -> np.ndarray:
    """Rerun's order."""
    return np.roll(quaternions, -1, axis=-1)
