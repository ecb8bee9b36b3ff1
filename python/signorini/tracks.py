"""Track tests: a part on a track from each of its resting poses."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini import _native
from signorini._native import Scene
from signorini.errors import InputError
from signorini.executors import run_study
from signorini.runs import PathLike, Table, table_of
from signorini.studies import DropTest


@dataclass(frozen=True)
class TrackTest:
    """What `track` found. The guide's page on track tests explains the columns."""

    #: A row for each trial: ``pose`` and ``yaw`` at the start; end, region and time; pose and yaw there.
    trials: Table
    #: A row for each pose at the start, ``from``, and each end, ``to``: a pose, or ``other``, ``rejected``,
    #: ``stuck``; ``share`` with Wilson's 95 % interval ``low``, ``high``.
    matrix: Table
    #: Histogram of the yaws at the exits, for each pose there.
    yaws: Table
    #: ``track.json``: counts, rejected and exit shares, throughput, certificate.
    summary: dict[str, Any]
    #: Folder with the tables and a figure, if one was asked for.
    folder: Path | None

    def __repr__(self) -> str:
        found = self.summary
        ends = f"{found['exits']} exits, {found['rejected']} rejected, {found['stuck']} stuck"
        return f"<signorini.TrackTest: {found['trials']} trials of {found['body']!r}, {ends}>"

    @property
    def rejected(self) -> tuple[float, float, float]:
        """Probability that a part is rejected, poses as often as they come, and its 95 % interval."""
        share = self.summary["rejected_share"]
        return share["share"], share["low"], share["high"]

    @property
    def certain(self) -> bool:
        """Whether every step was solved, judged, and found green."""
        steps = self.summary["certificate"]
        return bool(steps["every_step_judged"] and steps["red"] == 0 and steps["unsolved"] == 0)

    def to_array(self) -> np.ndarray:
        """Shares as an array, shape (poses, poses + 3): a row for each pose at the start, a column for each
        pose at the exit, then for exits in no pose, rejected and stuck.
        """
        starts = len(set(self.matrix["from"].tolist()))
        return self.matrix["share"].reshape(starts, -1)


def track(
    scene: Scene | PathLike,
    poses: DropTest | Table | PathLike,
    regions: PathLike | Sequence[Mapping[str, Any]],
    out: PathLike | None = None,
    *,
    body: str | None = None,
    yaws: int = 12,
    seeds: int = 4,
    speed: float = 0.0,
    spin: float = 0.0,
    up: Sequence[float] | None = None,
    bins: int = 36,
    executor: Any = None,
    threads: int | None = None,
    force: bool = False,
    **options: Any,
) -> TrackTest:
    """Runs a part along a track from each of its resting poses, at many yaws.

    ``scene`` is the track with the part where it begins; ``poses`` what `drop` found, or its ``poses.csv``.
    ``regions`` is a file, or a list of boxes ``{"name": ..., "kind": "exit" or "reject", "min": [x, y, z],
    "max": [x, y, z]}`` (m, world; infinite for no bound; ``"up"`` for a normal of its own): a trial ends when
    the centre of mass of the part is in one. ``body`` names the part, by default the only body that moves.
    Of each pose there are ``seeds`` trials in each of ``yaws`` sectors of yaw. ``speed`` (m/s) and ``spin``
    (rad/s) are the largest random velocities at the start. ``up`` is the normal of the track (world), by
    default against gravity; ``bins`` those of the histogram of yaws.

    With ``out`` the tables go into that folder too, as ``signorini track`` writes them; trials of the same
    test that are there are not run again; ``force`` replaces another test. ``executor`` and ``threads`` as of
    `drop`; results do not depend on them. Options of a file as of `Scene.load`. Ctrl-C raises
    KeyboardInterrupt; what there is is written. Raises `InputError` for bad input, `FileError` when a file
    cannot be read or written, and `WorkerError` when three workers are lost with the same trials.
    """
    loaded = scene if isinstance(scene, Scene) else Scene.load(scene, **options)
    table = poses.poses if isinstance(poses, DropTest) else poses
    rows = _rows(table) if isinstance(table, Table) else Path(table)
    boxes: tuple[Path | None, str]
    if isinstance(regions, Sequence) and not isinstance(regions, str):
        boxes = (None, _native.toml_text({"format": 1, "region": [_region(region) for region in regions]}))
    else:
        boxes = (Path(regions), "")
    folder = None if out is None else Path(out)
    normal = None if up is None else [float(x) for x in up]
    counts, speeds = [int(yaws), int(seeds), int(bins)], [float(speed), float(spin)]
    if min(counts) < 0:
        raise InputError("track: yaws, seeds and bins must be 1 or more")
    given = (rows, boxes, (body, counts, speeds, normal))
    study = _native.TrackStudy(loaded, given, (folder, force), threads)
    run_study(study, study.count, executor, _trials, (loaded, given, threads or 1), "trial")
    trials, matrix, histogram, summary = study.found()
    tables = (table_of(trials), table_of(matrix), table_of(histogram))
    return TrackTest(*tables, json.loads(summary), folder)


def _trials(scene: Scene, given: Any, threads: int, numbers: tuple[int, int], lost: int) -> str:
    """Rows of some trials. Workers of executors call this."""
    return _native.trials_of(scene, given, numbers, threads)


def _region(region: Mapping[str, Any]) -> dict[str, Any]:
    given = [key for key in ("min", "max", "up") if region.get(key) is not None]
    numbers = {key: [float(x) for x in region[key]] for key in given}
    if any(math.isnan(x) for values in numbers.values() for x in values):
        raise InputError(f"region {dict(region)!r}: must have numbers")
    return dict(region) | numbers


def _rows(table: Table) -> list[Any]:
    wholes, numbers = (
        [table[name].tolist() for name in names]
        for names in (
            ("pose", "count"),
            ("share", "low", "high", "height", "vertical_inertia", "down_x", "down_y", "down_z"),
        )
    )
    return [
        (pose, count, share, [low, high], height, inertia, list(down))
        for pose, count, share, low, high, height, inertia, *down in zip(*wholes, *numbers, strict=True)
    ]
