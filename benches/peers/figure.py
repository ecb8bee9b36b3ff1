"""Time per step against the tolerance, and against the deepest overlap, which all programs have in common.

    python benches/peers/figure.py PAGE PICTURE

draws the numbers that stand in the tables of a page.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes

import tables
from drops import SIZE

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

#: Names of tables (`tables.made`), and their titles.
SCENES = {
    "ellipsoids, r = 0.0": "ellipsoids, torsional friction r = 0",
    "cubes, r = patch": "cubes, torsional friction of a patch",
}
COLOURS = {64: "tab:green", 216: "tab:blue", 1000: "tab:purple", 10000: "tab:brown"}
#: Other programs: how their points and their lines are drawn.
PEERS = {"MuJoCo Newton": "s:", "MuJoCo CG": "^--", "Rapier": "x-."}
#: An overlap below this, as a part of the size, is drawn here.
LEAST = 1e-13
#: Columns of a table for each number of bodies: time, contacts, overlap.
WIDTH = 3


@dataclass
class Drop:
    """A drop that was followed to its end."""

    program: str
    tolerance: float | None
    count: int
    milliseconds: float
    millimetres: float


def whole(table: str) -> list[Drop]:
    """The drops of a table; those that were cut are left out."""
    head, _, *lines = (line.strip("| ").split(" | ") for line in table.strip().splitlines())
    counts = [int(name.split()[0]) for name in head[1::WIDTH]]
    found = []
    for label, *cells in lines:
        program, _, tolerance = label.partition(", ")
        for k, count in enumerate(counts):
            time, _, overlap = cells[WIDTH * k : WIDTH * (k + 1)]
            if re.fullmatch(r"[0-9.e+-]+", time):
                at = float(tolerance) if tolerance else None
                found.append(Drop(program, at, count, float(time), float(overlap.removesuffix(" mm"))))
    return found


def draw(made: dict[str, str], path: Path) -> None:
    """Draws tables, by name."""
    drawing, axes = plt.subplots(2, 2, figsize=(9.5, 8.0), sharey=True, layout="constrained")
    for column, (name, title) in enumerate(SCENES.items()):
        above, below = axes[0, column], axes[1, column]
        found = whole(made[name])
        size = 1e3 * SIZE[name.partition(",")[0]]
        for count in sorted({drop.count for drop in found}):
            _draw_drops([drop for drop in found if drop.count == count], size, (above, below))
        above.set_title(title)
        above.set_xlabel("tolerance on the residual\n(lines without points: no such residual)")
        below.set_xlabel("deepest overlap / size of a body")
        for axis in (above, below):
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.invert_xaxis()
            axis.grid(alpha=0.3)
    for row in (0, 1):
        axes[row, 0].set_ylabel("processor time (ms a step)")
    for name, style in PEERS.items():
        axes[0, 0].plot([], [], style, color="gray", label=name)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=3)
    drawing.savefig(path, dpi=200)
    plt.close(drawing)


def _draw_drops(drops: list[Drop], size: float, axes: tuple[Axes, Axes]) -> None:
    """Draws the drops of one number of bodies, whose size is in millimetres."""
    count = drops[0].count
    colour = COLOURS.get(count, "black")
    mine = [drop for drop in drops if drop.tolerance is not None]
    if mine:
        times = [drop.milliseconds for drop in mine]
        label = f"signorini, {count} bodies"
        axes[0].plot([drop.tolerance for drop in mine], times, "o-", color=colour, label=label)
        axes[1].plot([max(drop.millimetres / size, LEAST) for drop in mine], times, "o-", color=colour)
    for drop in drops:
        if drop.program in PEERS:
            marker, line = PEERS[drop.program][0], PEERS[drop.program][1:]
            axes[0].axhline(drop.milliseconds, linestyle=line, color=colour, alpha=0.7)
            depth = max(drop.millimetres / size, LEAST)
            axes[1].plot([depth], [drop.milliseconds], marker, color=colour, markersize=8)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    draw(tables.taken(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2]))
