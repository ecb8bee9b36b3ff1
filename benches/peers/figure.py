"""Time per step against the tolerance, and against the deepest overlap, which all programs have in common."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes

from drops import SIZE
from measured import Measured

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

SCENES: list[tuple[str, float | str]] = [("ellipsoids", 0.0), ("cubes", "patch")]
COLOURS = {64: "tab:green", 216: "tab:blue", 1000: "tab:purple", 10000: "tab:brown"}
PEERS = [("MuJoCo", {"solver": "Newton"}, "s"), ("MuJoCo", {"solver": "CG"}, "^"), ("Rapier", {}, "x")]
#: An overlap below this, as a part of the size, is drawn here.
LEAST = 1e-13


def draw(measured: Measured, path: Path) -> None:
    drawing, axes = plt.subplots(2, 2, figsize=(11, 8), sharey=True, layout="constrained")
    for column, (family, torsion) in enumerate(SCENES):
        above, below = axes[0, column], axes[1, column]
        for count in measured.counts("drop", family):
            colour = COLOURS.get(count, "black")
            every = measured.all("drop", "signorini", family, count, torsion=torsion)
            mine = [result for result in every if result.is_whole]
            mine.sort(key=lambda result: result.case["settings"]["tolerance"])
            times = [result.milliseconds() for result in mine]
            tolerances = [result.case["settings"]["tolerance"] for result in mine]
            depths = [max(result.deepest / SIZE[family], LEAST) for result in mine]
            label = f"signorini, {count} bodies" if tolerances else None
            above.plot(tolerances, times, "o-", color=colour, label=label)
            below.plot(depths, times, "o-", color=colour)
            _peers(measured, family, count, (above, below), colour)
        above.set_title(f"{family}, torsional friction r = {torsion}")
        above.set_xlabel("tolerance on the residual (lines without points: no such residual)")
        below.set_xlabel("deepest overlap / size of a body")
        for axis in (above, below):
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.invert_xaxis()
            axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("processor time (ms a step)")
    axes[1, 0].set_ylabel("processor time (ms a step)")
    for name, style in (("MuJoCo Newton", "s:"), ("MuJoCo CG", "^--"), ("Rapier", "x-.")):
        axes[0, 0].plot([], [], style, color="gray", label=name)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    drawing.savefig(path, dpi=110)
    plt.close(drawing)


def _peers(measured: Measured, family: str, count: int, axes: tuple[Axes, Axes], colour: str) -> None:
    for (program, settings, marker), line in zip(PEERS, (":", "--", "-."), strict=True):
        result = measured.find("drop", program, family, count, **settings)
        if result and result.is_whole:
            axes[0].axhline(result.milliseconds(), linestyle=line, color=colour, alpha=0.7)
            depth = np.maximum(result.deepest / SIZE[family], LEAST)
            axes[1].plot([depth], [result.milliseconds()], marker, color=colour, markersize=8)
