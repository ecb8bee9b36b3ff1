"""One run in a process of its own: ``python one_run.py CASE CACHE`` prints what it took, as JSON.

CASE is a case of `plan.py` as JSON. What counts is processor time in user mode of the whole process, threads
included, from before the first step on; the poses of some steps are measured after the last step.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from drops import drop
from exact_gaps import Gauge
from programs import stepper

#: Poses of the drop are measured every so many steps, and at the end.
EVERY = 20


def run(case: dict[str, Any], cache: Path) -> dict[str, Any]:
    start = drop(case["family"], case["count"], cache) if case["count"] else None
    program = stepper(case["program"], start, case["settings"], case["threads"])
    users, walls, frames = [], [], []
    user, wall = _user(), time.perf_counter()
    total = case["steps"] + case["rest"]
    for step in range(1, total + 1):
        program.step()
        users.append(_user() - user)
        walls.append(time.perf_counter() - wall)
        last = step == total or users[-1] > case["seconds"]
        if start is not None and step <= case["steps"] and (step % EVERY == 0 or last):
            frames.append(program.poses())
        if last:
            break
    notes, gaps = program.notes(), []
    if start is not None:
        gauge = Gauge(start)
        gaps = [gauge.measure(*poses) for poses in frames]
    return {"user": users, "wall": walls, "gaps": gaps, "notes": notes}


def _user() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]), Path(sys.argv[2]))))
