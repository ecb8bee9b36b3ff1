"""Sweeps: many runs of one scene, on this machine or any executor."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from signorini import _native
from signorini.errors import FileError, InputError
from signorini.executors import Lost, in_order
from signorini.runs import PathLike, Table

#: Columns of words.
_WORDS = {"outcome", "message"}


def sweep(
    plan: PathLike | dict[str, Any],
    out: PathLike,
    *,
    executor: Any = None,
    jobs: int | None = None,
    threads: int | None = None,
    on_case: Callable[[int, str], object] | None = None,
) -> Table:
    """Runs the cases of a plan that are not finished into a folder, and returns the table of all.

    ``plan`` is a plan file, or a dict with the fields of one, whose ``scene`` is relative to the current
    folder. ``executor`` says where cases run: None for ``jobs`` processes of this machine (default: one per
    core); ``"ray"`` for the cluster that Ray knows; or anything with a method ``submit``, such as a client of
    Dask or a pool of ``concurrent.futures``. Where a worker is lost, a warning says so and its cases go on,
    three times at most. ``threads`` is the number of worker threads of a case (default
    1). ``on_case`` is called with number and outcome of each case that ends.

    Each case runs in a process of its own. One that is refused, unsolved or killed is a row of the table, no
    exception. Raises `InputError` when the plan is not allowed, `FileError` when the folder cannot be
    written.
    """
    folder = Path(out).resolve()
    path = _plan_file(plan, folder)
    n_cases = len(_read(_command("sweep", "cases", path)))
    arguments = [(str(path), str(folder), number, threads or 1) for number in range(1, n_cases + 1)]
    if executor is None:
        with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
            _run_all(pool, arguments, on_case)
    else:
        _run_all(executor, arguments, on_case)
    return sweep_table(folder)


def sweep_table(folder: PathLike) -> Table:
    """The table of a sweep as it stands: numbers, and words where a column has some.

    Raises `InputError` when the folder holds no sweep.
    """
    return _table(_read(_command("sweep", "table", folder)))


def run_case(plan: str, out: str, number: int, threads: int, lost: int = 0) -> str:
    """Runs one case in a process of its own; its outcome in words. Workers of executors call this."""
    line = ["sweep", plan, "--out", out, "--case", str(number), "--threads", str(threads)]
    while True:
        ended = subprocess.run([*_LAUNCHER, *line], capture_output=True, text=True, check=False)
        if ended.returncode not in (0, 3):
            told = ended.stderr.strip().splitlines()
            return f"case {number}: not finished ({ended.returncode}): {told[-1] if told else ''}"
        # The process of a worker that was lost may still run its case.
        if not lost or _BUSY not in ended.stdout:
            return ended.stdout.strip()
        time.sleep(_PAUSE)


#: Words of a case that another process runs, and the time after which it is asked for again (s).
_BUSY = "another process runs it"
_PAUSE = 0.5
_LAUNCHER = [sys.executable, "-m", "signorini"]


def _plan_file(plan: PathLike | dict[str, Any], folder: Path) -> Path:
    """The plan in the folder of the sweep, where tasks of all machines find it."""
    if isinstance(plan, dict):
        plan = {"format": 1, **plan}
        if "scene" in plan:
            plan["scene"] = str(Path(plan["scene"]).resolve())
        text = _native.toml_text(plan)
        given = folder / "given.toml"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            given.write_text(text, encoding="utf-8")
        except OSError as error:
            raise FileError(f"{error.filename or given}: {error.strerror or error}") from error
        plan = given
    _command("sweep", plan, "--out", folder, "--prepare")
    return folder / "plan.toml"


def _command(*line: object) -> str:
    ended = subprocess.run([*_LAUNCHER, *map(str, line)], capture_output=True, text=True, check=False)
    if ended.returncode:
        # The command line ends with 2 for bad input, with 1 where a file cannot be written.
        kind = InputError if ended.returncode == 2 else FileError
        raise kind(ended.stderr.strip().removeprefix("error: "))
    return ended.stdout


def _run_all(executor: Any, arguments: list[tuple[str, str, int, int]], on_case: Any) -> None:
    outcomes = in_order(executor, run_case, arguments, lambda given: f"case {given[2]}")
    for given, told in zip(arguments, outcomes, strict=True):
        if isinstance(told, Lost):
            # The case is not finished, the others go on.
            told = f"case {given[2]}: not finished: {told.reason}"
        if on_case is not None:
            on_case(given[2], told)


def _read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _table(rows: list[dict[str, str]]) -> Table:
    columns = {}
    for name in rows[0] if rows else ():
        fields = [row[name] for row in rows]
        columns[name] = np.array(fields) if name in _WORDS else _numbers(fields)
    return Table(columns)


def _numbers(fields: list[str]) -> np.ndarray:
    for kind in (int, lambda field: float(field or "nan")):
        try:
            return np.array([kind(field) for field in fields])
        except ValueError:
            continue
    return np.array(fields)
