"""Work against precision beside other programs, by one command:

    pip install ./python -r benches/peers/requirements.txt
    python benches/peers/run.py --out out/peers

`--quick` takes a minute. Programs that are not installed are left out, and said to be. Cases take turns,
round after round, and the median counts. The folder gets `peers.json` (all that was measured), `peers.csv` (a
row for each case), `tables.md` and `peers.png`. With `--page FILE` the tables are put into that page as well;
`--tables` makes tables and figure of a measurement again.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import figure
import machine
import plan
import tables
from measured import Measured
from programs import MODULES

HERE = Path(__file__).resolve().parent


def measure(case: plan.Case, cache: Path) -> dict[str, Any]:
    line = [sys.executable, str(HERE / "one_run.py"), json.dumps(case.as_dict()), str(cache)]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        return {"error": " ".join([f"exit code {done.returncode}", *last])}
    run: dict[str, Any] = json.loads(done.stdout)
    return run


def run_all(
    cases: list[plan.Case], given: argparse.Namespace, before: dict[str, list[dict[str, Any]]]
) -> Iterator[list[dict[str, Any]]]:
    """Every case with its runs so far, those of `before` included, after each run."""
    kept: list[dict[str, Any]] = [
        {"case": case.as_dict(), "runs": before.get(case.key, [])} for case in cases
    ]
    for turn in range(1 if given.quick else given.rounds):
        for case, rows in zip(cases, kept, strict=True):
            first = rows["runs"][0] if rows["runs"] else None
            if len(rows["runs"]) > turn or (first and first.get("user", [0.0])[-1] > given.again):
                continue
            run = measure(case, given.out / "drops")
            if first:
                run.pop("gaps", None)
            rows["runs"].append(run)
            told = run.get("error") or f"{1e3 * run['user'][-1] / len(run['user']):.3f} ms a step"
            print(f"round {turn + 1}: {case.key}: {told}", flush=True)
            yield [row for row in kept if row["runs"]]


def write(out: Path, data: dict[str, Any], page: Path | None) -> None:
    measured = Measured(data)
    measured.write_csv(out / "peers.csv")
    made = tables.made(measured)
    (out / "tables.md").write_text("\n\n".join(made.values()) + "\n", encoding="utf-8")
    figure.draw(made, out / "peers.png")
    if page:
        page.write_text(tables.put(made, page.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=Path, default=Path("out/peers"), help="folder to write")
    options.add_argument("--quick", action="store_true", help="small piles and few steps: about a minute")
    options.add_argument("--rounds", type=int, default=3, help="runs of each case (default 3)")
    options.add_argument("--again", type=float, default=4.0, help="longest run that is repeated (s)")
    options.add_argument("--resume", action="store_true", help="goes on with OUT/peers.json")
    options.add_argument("--tables", action="store_true", help="measures nothing: reads OUT/peers.json")
    options.add_argument("--page", type=Path, help="page whose tables are replaced")
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.tables:
        data = json.loads((given.out / "peers.json").read_text(encoding="utf-8"))
    else:
        absent = [name for name, (_, package) in MODULES.items() if not importlib.util.find_spec(package)]
        print(f"not installed, left out: {', '.join(absent) or 'none'}")
        here = machine.described()
        print(json.dumps(here, indent=2))
        cases = plan.quick() if given.quick else plan.whole()
        cases = [case for case in cases if case.program not in absent]
        before = {}
        if given.resume:
            rows = json.loads((given.out / "peers.json").read_text(encoding="utf-8"))["cases"]
            before = {row["case"]["key"]: row["runs"] for row in rows}
        for kept in run_all(cases, given, before):
            data = {"machine": here, "cases": kept}
            (given.out / "peers.json").write_text(json.dumps(data), encoding="utf-8")
    write(given.out, data, given.page)
    print((given.out / "tables.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
