"""The measurement as tables of Markdown, and pages that show them."""

from __future__ import annotations

import re
from typing import Any

from measured import Measured, Result
from plan import FAMILIES, RESTS

#: The other programs, with their settings.
PROGRAMS: list[tuple[str, dict[str, Any]]] = [
    ("MuJoCo", {"solver": "Newton"}),
    ("MuJoCo", {"solver": "CG"}),
    ("Rapier", {}),
]
#: Tolerances at which times are compared with those of MuJoCo.
ROUGH = [1e-1, 1e-2, 1e-3, 1e-4]


def made(measured: Measured) -> dict[str, str]:
    """All tables, by name."""
    named = {"machine": machine(measured)}
    for family, torsion in FAMILIES:
        cases = [row.case for row in measured.results if row.case["family"] == family]
        if any(case["settings"].get("torsion") == torsion for case in cases):
            named[f"{family}, r = {torsion}"] = drops(measured, family, torsion)
    named["ratios"] = ratios(measured)
    named["rest"] = rest(measured)
    named["threads"] = threads(measured)
    mixed = measured.find("mixed", "signorini", "mixed", 0)
    if mixed:
        named["mixed"] = f"`granular/mixed-216` at 1e-3: {_time(mixed)} ms a step."
    if measured.failed:
        failed = [f"{row.case['key']}: {row.runs[0].get('error')}" for row in measured.failed]
        named["failed"] = "Failed: " + "; ".join(failed)
    return named


def put(named: dict[str, str], page: str) -> str:
    """A page with each `<!-- table: NAME -->` … `<!-- end -->` filled anew."""
    for name, table in named.items():
        before, mark, rest = page.partition(f"<!-- table: {name} -->\n")
        if mark:
            _, end, after = rest.partition("<!-- end -->")
            page = f"{before}{mark}\n{table}\n\n{end}{after}"
    return page


def taken(page: str) -> dict[str, str]:
    """The tables of a page, by name."""
    found = re.findall(r"<!-- table: (.*?) -->\n\n(.*?)\n\n<!-- end -->", page, flags=re.DOTALL)
    return dict(found)


def machine(measured: Measured) -> str:
    here = measured.machine
    versions = ", ".join(f"{name} {version}" for name, version in here["versions"].items() if version)
    place = f"{here['processor']}, {here['cores']} cores, load {here['load']:.1f} when it began"
    return f"Machine: {place}.\n{here['date']}, commit {here['commit']}, {versions}."


def drops(measured: Measured, family: str, torsion: float | str) -> str:
    counts = measured.counts("drop", family)
    rows = [(_label(program, settings), program, settings) for program, settings in PROGRAMS]
    found = measured.results
    tolerances = {row.case["settings"].get("tolerance") for row in found if row.case["family"] == family}
    for tolerance in sorted(filter(None, tolerances), reverse=True):
        rows.append((f"signorini, {power(tolerance)}", "signorini", {"tolerance": tolerance}))
    head = ["program, tolerance"]
    for count in counts:
        head += [f"{count} bodies: ms a step", "10³ contacts/s", "overlap"]
    lines = []
    for label, program, settings in rows:
        more = {"torsion": torsion} if program == "signorini" else {}
        cells = [measured.find("drop", program, family, count, **settings, **more) for count in counts]
        if any(cells):
            lines.append([label, *[text for cell in cells for text in _cells(cell)]])
    return table(head, lines)


def ratios(measured: Measured) -> str:
    """Times of this program over those of MuJoCo's solvers, over the steps that both took."""
    head = ["scene", "bodies", "over", *map(power, ROUGH)]
    lines = []
    for family, torsion in FAMILIES:
        for count in measured.counts("drop", family):
            for program, settings in PROGRAMS[:2]:
                peer = measured.find("drop", program, family, count, **settings)
                asked = [{"tolerance": tolerance, "torsion": torsion} for tolerance in ROUGH]
                mine = [measured.find("drop", "signorini", family, count, **each) for each in asked]
                if peer and any(mine):
                    names = [f"{family}, r = {_quoted(torsion)}", str(count), settings["solver"]]
                    lines.append([*names, *[_ratio(each, peer) for each in mine]])
    return table(head, lines)


def rest(measured: Measured) -> str:
    head = ["scene", "bodies", "1e-3", "1e-4", "MuJoCo Newton", "CG", "Rapier"]
    lines = []
    for family, torsion, count, _ in RESTS:
        asked = [("signorini", {"tolerance": t, "torsion": torsion}) for t in (1e-3, 1e-4)] + PROGRAMS
        found = [measured.find("drop", program, family, count, **each) for program, each in asked]
        times = [each.at_rest if each else None for each in found]
        if any(times[:2]):
            cells = ["–" if time is None else number(time) for time in times]
            lines.append([f"{family}, r = {_quoted(torsion)}", str(count), *cells])
    return table(head, lines)


def threads(measured: Measured) -> str:
    head = ["scene", "bodies", "one thread, ms by the clock", "two threads", "ratio"]
    lines = []
    for family, torsion in FAMILIES[:2]:
        for count in measured.counts("threads", family):
            asked = [{"torsion": torsion, "threads": n} for n in (1, 2)]
            found = [measured.find("threads", "signorini", family, count, **each) for each in asked]
            pair = [each for each in found if each]
            if len(pair) == 2:
                walls = _walls(pair)
                name = f"{family}, r = {_quoted(torsion)}"
                numbers = [*map(number, walls), f"{walls[0] / walls[1]:.2f}"]
                lines.append([name, str(count), *numbers])
    return table(head, lines)


def _walls(results: list[Result]) -> list[float]:
    """Times per step by the clock (ms), of the quickest runs: what else runs can only add to them."""
    steps = min(result.steps for result in results)
    return [1e3 * min(run["wall"][steps - 1] for run in each.runs) / steps for each in results]


def power(tolerance: float) -> str:
    return f"{tolerance:.0e}".replace("e-0", "e-")


def _ratio(mine: Result | None, peer: Result) -> str:
    if not mine:
        return "–"
    steps = min(mine.steps, peer.steps)
    return f"{mine.milliseconds(last=steps) / peer.milliseconds(last=steps):.2f}"


def _cells(result: Result | None) -> list[str]:
    if not result:
        return ["–", "–", "–"]
    depth = 1e3 * result.deepest
    deepest = f"{depth:.2g} mm" if depth >= 0.01 or depth == 0.0 else f"{power(depth)} mm"
    return [_time(result), number(result.contacts_per_second / 1e3), deepest]


def _time(result: Result) -> str:
    """Time a step, with the steps taken where a run was cut, and the unsolved ones (!)."""
    cut = "" if result.is_whole else f" ({result.steps} steps)"
    unsolved = f" ({result.unsolved}!)" if result.unsolved else ""
    return number(result.milliseconds()) + cut + unsolved


def number(value: float) -> str:
    # Two digits of 99.6 are 1e+02.
    return f"{value:.0f}" if value >= 99.5 else f"{value:.2g}"


def _label(program: str, settings: dict[str, str]) -> str:
    return " ".join([program, *settings.values()])


def _quoted(torsion: float | str) -> str:
    return f'`"{torsion}"`' if isinstance(torsion, str) else f"{torsion:g}"


def table(head: list[str], lines: list[list[str]]) -> str:
    rows = ["| " + " | ".join(row) + " |" for row in [head, *lines]]
    return "\n".join([rows[0], "|" + "---|" * len(head), *rows[1:]])
