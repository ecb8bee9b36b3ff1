"""What is done with a scene beside one run: it is checked, converted, settled, dropped, compared."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from signorini import _native
from signorini._native import Scene, Simulation
from signorini.errors import FileError, InputError
from signorini.executors import run_study
from signorini.runs import PathLike, Table, table_of


@dataclass(frozen=True)
class CheckReport:
    """What `check` found. True when a run can begin; its text is what ``signorini check`` prints."""

    #: The scene; None where there are faults.
    scene: Scene | None
    #: Summary of the scene, or the faults, one a line.
    text: str
    #: Each fault, with its place first.
    faults: list[str] = field(default_factory=list)
    #: Remarks: values that were normalised, pairs without friction, what a model has that is not taken over.
    notes: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.scene is not None

    def __str__(self) -> str:
        return "\n".join([self.text, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        what = repr(self.scene) if self.scene is not None else f"{len(self.faults)} faults"
        return f"<signorini.CheckReport: {what}>"

    @property
    def bodies(self) -> Table:
        """A row for each body: ``name``, ``fixed``, ``mass`` (kg), ``x``, ``y``, ``z`` of its centre of mass
        at time 0 (m, world). Empty where there are faults.
        """
        if self.scene is None:
            return Table({})
        columns = {"name": np.array(self.scene.names), "fixed": self.scene.fixed, "mass": self.scene.masses}
        return Table(columns | dict(zip("xyz", self.scene.positions.T, strict=True)))

    @property
    def joints(self) -> Table:
        """A row for each joint: ``name``, ``kind``, bodies ``a``, ``b``, and ``x``, ``y``, ``z`` of its
        anchor at time 0 (m, world). Empty where there are faults.
        """
        if self.scene is None:
            return Table({})
        names = np.array(self.scene.names)
        a, b = names[self.scene.joint_bodies.T]
        columns = {"name": np.array(self.scene.joint_names, dtype=str), "a": a, "b": b}
        columns["kind"] = np.array(self.scene.joint_kinds, dtype=str)
        return Table(columns | dict(zip("xyz", self.scene.joint_anchors.T, strict=True)))


def check(scene: Scene | PathLike, **options: Any) -> CheckReport:
    """Checks a scene, a scene file, or a model in MJCF or URDF as a run would, and sums up what is in it.

    Nothing runs and nothing is written. Faults are no exception: they are in the report. Options as of
    `Scene.load`. Raises `FileError` when a file cannot be read.
    """
    try:
        found, text = _native.check_scene(scene, **options)
    except InputError as error:
        return CheckReport(None, str(error), faults=list(error.faults))
    return CheckReport(found, text, notes=found.notes)


def convert(
    model: PathLike,
    out: PathLike | None = None,
    *,
    joints: dict[str, float] | None = None,
    strict: bool = False,
    free_root: bool = False,
    force: bool = False,
    **options: Any,
) -> Scene:
    """The scene of a model in MJCF or URDF, also written as a scene file, as ``signorini convert`` does.

    ``joints``, ``strict`` and ``free_root`` (of URDF) as of `Scene.from_mjcf` and `Scene.from_urdf`, options
    as of `Scene.load`. Elements that cannot be taken over stand in ``notes`` of the scene. Raises
    `InputError` when the model is none that scenes can have, or ``out`` is there already and not ``force``;
    `FileError` when a file cannot be read or written.
    """
    path = Path(model)
    if out is not None and not force and Path(out).exists():
        raise InputError(f"scene file {os.fspath(out)}: exists; replace it with force=True")
    # What the model is shows in its outermost element.
    scene = Scene.from_urdf(path, joints, strict, free_root, **options)
    if out is not None:
        try:
            Path(out).write_text(_native.scene_text(path, scene), encoding="utf-8")
        except OSError as error:
            raise FileError(f"{os.fspath(out)}: {error.strerror or error}") from error
    return scene


@dataclass(frozen=True)
class Settled:
    """What `settle` reached. True when the bodies are at rest."""

    #: Whether the bodies are at rest.
    at_rest: bool
    #: A scene in which the bodies begin where they are, at rest, at time 0. Bodies whose motion is prescribed
    #: begin as their motion does; timed loads begin anew; inlets, whose bodies have come, are left out.
    scene: Scene
    #: The simulation, to go on with.
    simulation: Simulation
    #: Number of steps that are not solved, and that the referee calls red.
    unsolved_steps: int
    red_steps: int

    def __bool__(self) -> bool:
        return self.at_rest

    @property
    def time(self) -> float:
        """Time that it took (s)."""
        return self.simulation.time


def settle(
    scene: Scene | PathLike,
    until: float | None = None,
    *,
    threads: int | None = None,
    judge: bool = True,
    **options: Any,
) -> Settled:
    """Steps a scene until nothing moves any more, at most to a time (s; default: the scene's duration).

    Bodies are at rest when for the time 4 √(2 d / g), with the size d of the largest of them, none has moved
    by more than a thousandth of its size, nor turned by more than a thousandth of a radian, and none came or
    left. A ball that rolls on is not, and ellipsoids rock for long. ``threads`` and ``judge`` as of
    `Simulation`, options of a file as of `Scene.load`. Ctrl-C raises KeyboardInterrupt after the step in
    progress. Raises `InputError` for bad input and `FileError` when a file cannot be read.
    """
    loaded = scene if isinstance(scene, Scene) else Scene.load(scene, **options)
    duration = loaded.duration if until is None else float(until)
    if not 0.0 <= duration < float("inf"):
        raise InputError(f"until = {duration}: must be a finite time, 0 or more")
    steps = round(duration / loaded.time_step)
    simulation, begin, at_rest, unsolved, red = _native.settle_scene(loaded, steps, threads, judge)
    return Settled(at_rest, begin, simulation, unsolved, red)


@dataclass(frozen=True)
class DropTest:
    """What `drop` found. The guide's page on drop tests explains the columns."""

    #: Name of the body.
    body: str
    #: A row for each drop: how it ended, in which pose, when, where.
    drops: Table
    #: A row for each resting pose: ``count``, ``share`` of the drops that came to rest with Wilson's 95 %
    #: interval ``low``, ``high``; ``height`` of the centre of mass (m); down in body axes.
    poses: Table
    #: Number of drops that did not come to rest in the time of the scene.
    moving: int
    #: Number of drops with a step that is unsolved, or that the referee calls red.
    unsolved: int
    #: Scene of the drops.
    scene: Scene
    #: Folder with ``scene.toml``, ``drops.csv``, ``poses.csv`` and a figure, if one was asked for.
    folder: Path | None

    def __repr__(self) -> str:
        return f"<signorini.DropTest: {self.drops.n_rows} drops of {self.body!r}, {self.poses.n_rows} poses>"


def drop(
    scene: Scene | PathLike,
    out: PathLike | None = None,
    *,
    count: int = 100,
    body: str | None = None,
    speed: float = 0.0,
    spin: float = 0.0,
    scale: float = 1.0,
    executor: Any = None,
    threads: int | None = None,
    force: bool = False,
    **options: Any,
) -> DropTest:
    """Drops a body from random orientations and counts the poses in which it comes to rest.

    ``scene`` is a scene, a scene file, a model, or a mesh (metres times ``scale``), whose convex hull falls
    on a floor. ``body`` names the body, by default the only one that moves. ``speed`` (m/s) and ``spin``
    (rad/s) are the largest random velocities at the start.

    With ``out`` the tables go into that folder too, as ``signorini drop`` writes them; drops of the same test
    that are there are not run again, and ``count`` may be raised; ``force`` replaces another test.
    ``executor`` says where drops run: None for ``threads`` threads of this process (default: one per core),
    ``"ray"``, or anything with a method ``submit``, such as a pool of ``concurrent.futures``, whose workers
    have ``threads`` threads each (default 1). Results do not depend on them. Where a worker is lost, a
    warning says so and its drops run again.

    Options as of `Scene.load`, of a mesh ``duration``, ``tolerance`` and ``seed``. Ctrl-C raises
    KeyboardInterrupt; what there is is written. Raises `InputError` for bad input, a mesh that cannot be read
    among it, `FileError` when another file cannot be read or written, and `WorkerError` when three workers
    are lost with the same drops.
    """
    if isinstance(scene, Scene):
        if scale != 1.0:
            raise InputError("scale: for meshes; a scene says how large its bodies are")
        loaded = scene
    else:
        loaded = _native.scene_of_drop(Path(scene), scale, **options)
    folder = None if out is None else Path(out)
    given = (body, float(speed), float(spin))
    study = _native.DropStudy(loaded, given, int(count), (folder, force), threads)
    run_study(study, int(count), executor, _drops, (loaded, given, threads or 1), "drop")
    drops, poses, name, moving, unsolved = study.found()
    return DropTest(name, table_of(drops), table_of(poses), moving, unsolved, loaded, folder)


def _drops(scene: Scene, given: Any, threads: int, numbers: tuple[int, int], lost: int) -> str:
    """Rows of some drops. Workers of executors call this."""
    return _native.drops_of(scene, given, numbers, threads)


@dataclass(frozen=True)
class Comparison:
    """What `compare` found. The guide's page on comparing models explains the columns."""

    #: A row for each model and step: errors, unsolved and red steps, cost.
    rows: Table
    #: Errors of each run over time.
    over_time: Table
    #: The reference run in words.
    reference: str
    #: Number of its steps above its tolerance: with any, errors are not to be trusted.
    reference_unsolved: int
    #: Its largest and its last position error (m), where closed forms are given.
    reference_error: tuple[float, float] | None
    #: Folder with tables and figures, if one was asked for.
    folder: Path | None

    def __repr__(self) -> str:
        return f"<signorini.Comparison: {self.rows.n_rows} runs against {self.reference}>"


def compare(
    scene: Scene | PathLike,
    formulations: Sequence[str],
    out: PathLike | None = None,
    *,
    time_steps: Sequence[float] = (),
    reference_time_step: float | None = None,
    closed_form: PathLike | None = None,
    threads: int | None = None,
    force: bool = False,
    **options: Any,
) -> Comparison:
    """Runs a scene under several models and time steps and compares them with a reference run.

    ``formulations`` are ``implicit``, ``cone``, ``stewart-trinkle``, ``compliant``, ``auto``, ``literal`` and
    ``staggered``; ``time_steps`` in s, by default the scene's. The reference takes steps of
    ``reference_time_step`` (s), by default a quarter of the smallest; ``closed_form`` is a file of positions
    that are known exactly. With ``out`` tables and figures go into that folder too; ``force`` replaces those
    of an earlier comparison. ``threads`` is the number of worker threads. Options of a file as of
    `Scene.load`.
    Ctrl-C raises KeyboardInterrupt; nothing is written then. Raises `InputError` for bad input and
    `FileError` when a file cannot be read or written.
    """
    loaded = scene if isinstance(scene, Scene) else Scene.load(scene, **options)
    folder = None if out is None else Path(out)
    forms = None if closed_form is None else Path(closed_form)
    names = [formulations] if isinstance(formulations, str) else list(formulations)
    given = (names, [float(step) for step in time_steps], reference_time_step, forms, folder, force, threads)
    found = _native.compare_models(loaded, given)
    if found is None:
        raise KeyboardInterrupt
    rows, over_time, reference, unsolved, error = found
    own = None if error is None else (error[0], error[1])
    return Comparison(table_of(rows), table_of(over_time), reference, unsolved, own, folder)
