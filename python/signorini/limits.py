"""Limits of collapse: the value of a field at which what stands begins to fall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signorini import _native
from signorini._native import Scene
from signorini.errors import InputError
from signorini.runs import PathLike, Run, Table, table_of


@dataclass(frozen=True)
class Limit:
    """What `limit` found. The guide's page on limits explains the columns."""

    #: Value that stands, nearest to the limit.
    stands: float
    #: Value that collapses, nearest to the limit.
    collapses: float
    #: A row for each trial: ``value``, ``outcome``, the farthest ``body`` and what it ``reached``.
    trials: Table
    #: Whether all values that stood are on one side of all that collapsed.
    monotone: bool
    #: Verdicts of the audits of both kept runs, by their folder; empty without ``out``.
    audits: dict[str, str]
    #: Whether all steps are solved and green, and both audits are.
    certain: bool
    #: Folder with ``trials.csv``, ``limit.json``, a figure and both runs, if one was asked for.
    folder: Path | None

    def __float__(self) -> float:
        return self.middle

    def __repr__(self) -> str:
        return f"<signorini.Limit: stands at {self.stands!r}, collapses at {self.collapses!r}>"

    @property
    def middle(self) -> float:
        """Middle of the two values."""
        return 0.5 * self.stands + 0.5 * self.collapses

    @property
    def width(self) -> float:
        """Distance of the two values, in their unit."""
        return abs(self.collapses - self.stands)

    def run(self, outcome: str) -> Run:
        """The kept run that ``"stands"`` or ``"collapses"``. Raises `InputError` when there is none."""
        if self.folder is None or outcome not in self.audits:
            kept = ", ".join(self.audits) or "none: give limit a folder (out)"
            raise InputError(f"run {outcome!r}: there is {kept}")
        return Run(self.folder / outcome)


def limit(
    scene: Scene | PathLike | Callable[[float], Scene],
    vary: str | Sequence[str] | None,
    between: tuple[float, float],
    to: float = 1e-3,
    out: PathLike | None = None,
    *,
    criterion: str = "way",
    bound: float | None = None,
    after: float | None = None,
    bodies: Sequence[str] = (),
    frame: str | None = None,
    points: int = 1,
    threads: int | None = None,
    force: bool = False,
    **options: Any,
) -> Limit:
    """Searches between two values of x for the one at which a scene collapses.

    ``vary`` names the field that is x by its path (``"friction[0].coefficient"``), or several as
    ``"PATH=FORMULA"`` in x (``"simulation.gravity[0]=9.81*sin(x)"``). In place of scene and ``vary`` a
    function may make the scene of x: ``limit(lambda x: ..., None, (1, 2))``. One of the values ``between``
    must stand, the other collapse. The search ends when their distance over the larger magnitude is at most
    ``to``; ``points`` values in a bracket are tried at a time, 1 halves it.

    With ``criterion="way"`` a scene collapses when a body gets farther from its start than ``bound`` (m,
    default 1e-3 of its size), or turns by more than that over its size (rad); with ``"speed"`` when a body is
    faster than ``bound`` (m/s, default 1e-3 √(g size)) in the last quarter of the run; with
    ``"acceleration"`` when the first step accelerates one by more than ``bound`` (m/s², default 1e-5 g), and
    no other step is made. Speeds count ``after`` a time (s), and ways from where the bodies are then.
    ``bodies`` are those that are watched, by default all that move; ``frame`` names a body in whose frame
    they are.

    With ``out`` trials go into that folder, and both runs of the bracket with their audits, as ``signorini
    limit`` writes them; trials that are there are not run again, unless ``force``. Results do not depend on
    ``threads``. Options of a scene file as of `Scene.load`. Ctrl-C raises KeyboardInterrupt; finished trials
    are kept. What the function raises is raised. Raises `InputError` for bad input and when both values stand
    or both collapse, and `FileError` when a file cannot be read or written.
    """
    fields = [] if vary is None else [vary] if isinstance(vary, str) else list(vary)
    if callable(scene) and (fields or options):
        raise InputError("limit: a function makes the whole scene: without vary and options")
    folder = None if out is None else Path(out)
    low, high = (float(value) for value in between)
    sign = (criterion, list(bodies), frame, *(None if x is None else float(x) for x in (bound, after)))
    given = ((low, high), float(to), int(points), sign, (folder, force), threads)
    trials, ends, monotone, runs = _native.find_limit(scene, fields, given, **options)
    table = table_of(trials)
    certain = not (table["unsolved_steps"].any() or table["red_steps"].any()) and all(run[2] for run in runs)
    audits = {name: verdict for name, verdict, _ in runs}
    return Limit(ends[0], ends[1], table, monotone, audits, certain, folder)
