"""What was measured, to be asked for by case."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from drops import SIZE

#: Steps at the end of a long drop whose time counts as that of a pile at rest.
RESTING = 100


@dataclass
class Result:
    """The runs of one case."""

    case: dict[str, Any]
    runs: list[dict[str, Any]]

    @property
    def taken(self) -> int:
        return min(len(run["user"]) for run in self.runs)

    @property
    def steps(self) -> int:
        """Steps of the drop that were taken."""
        return min(self.taken, int(self.case["steps"]))

    @property
    def is_whole(self) -> bool:
        return self.steps == int(self.case["steps"])

    @property
    def at_rest(self) -> float | None:
        """Time per step of the last steps of a drop that was followed to its rest (ms)."""
        whole = self.case["steps"] + self.case["rest"]
        if not self.case["rest"] or self.taken < whole:
            return None
        return self.milliseconds(whole - min(RESTING, self.case["rest"]), whole)

    def milliseconds(self, first: int = 0, last: int | None = None, clock: str = "user") -> float:
        """Time per step from step `first` to `last` (ms), of the drop unless told: the median of the runs."""
        last = last or self.steps
        spans = [run[clock][last - 1] - (run[clock][first - 1] if first else 0.0) for run in self.runs]
        return 1e3 * float(np.median(spans)) / (last - first)

    @property
    def gaps(self) -> list[dict[str, float]]:
        gaps: list[dict[str, float]] = self.runs[0]["gaps"]
        return gaps

    @property
    def touching(self) -> float:
        """Pairs that touch, on average over the poses measured."""
        return float(np.mean([gap["touching"] for gap in self.gaps])) if self.gaps else np.nan

    @property
    def contacts_per_second(self) -> float:
        return 1e3 * self.touching / self.milliseconds()

    @property
    def deepest(self) -> float:
        """The deepest overlap of the poses measured (m)."""
        return max((gap["deepest"] for gap in self.gaps), default=np.nan)

    @property
    def notes(self) -> dict[str, Any]:
        notes: dict[str, Any] = self.runs[0]["notes"]
        return notes

    @property
    def unsolved(self) -> int:
        return int(self.taken - self.notes.get("solved", self.taken))


class Measured:
    """All results of a measurement that did not fail."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.machine = data["machine"]
        rows = [Result(row["case"], row["runs"]) for row in data["cases"]]
        self.results = [row for row in rows if not any("error" in run for run in row.runs)]
        self.failed = [row for row in rows if any("error" in run for run in row.runs)]

    def find(self, part: str, program: str, family: str, count: int, **settings: Any) -> Result | None:
        found = self.all(part, program, family, count, **settings)
        return next(found, None)

    def all(self, part: str, program: str, family: str, count: int, **settings: Any) -> Iterator[Result]:
        for result in self.results:
            case = result.case
            same = (case["part"], case["program"], case["family"], case["count"])
            asked = {name: case["settings"].get(name, case.get(name)) for name in settings}
            if same == (part, program, family, count) and asked == settings:
                yield result

    def counts(self, part: str, family: str) -> list[int]:
        cases = [result.case for result in self.results]
        return sorted({c["count"] for c in cases if c["part"] == part and c["family"] == family})

    def write_csv(self, path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            columns = "part,family,bodies,program,settings,threads,steps,runs,ms_per_step,wall_ms_per_step,"
            columns += "contacts,contacts_per_second,deepest_m,deepest_over_size,unsolved,median_residual"
            rows.writerow(columns.split(","))
            for result in self.results:
                case = result.case
                settings = " ".join(f"{name}={value}" for name, value in case["settings"].items())
                head = [case["part"], case["family"], case["count"], case["program"], settings]
                times = [result.milliseconds(), result.milliseconds(clock="wall")]
                reached = [result.touching, result.contacts_per_second, result.deepest]
                reached += [result.deepest / SIZE.get(case["family"], np.nan), result.unsolved]
                runs = [case["threads"], result.steps, len(result.runs)]
                rows.writerow([*head, *runs, *times, *reached, result.notes.get("median_residual")])
